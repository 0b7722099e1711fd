# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An apply executes what was approved, all of it, and nothing else."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import random
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from embedded_here import Embedded, Killed, SiteHere
from emulator_process import Emulator
from instance_site import Site, yaml_list
from project import environment

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import LOCATION, OBJECT
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.approval_file import ApprovalFile
from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult

SETTINGS = 'api: seventhings/v1\nset: test\nset_id: "5d1c8e07f3a9b264"\n'
PRUNE = SETTINGS + "policy: {prune: {objects: delete}}\n"
ANY_NUMBER = {"create_percent": 1000, "update_percent": 100, "delete_percent": 100}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SiteHere:
    """Return files and an instance with two locations, three rooms and three objects that the files manage."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "files").mkdir()
    site = Embedded.started(data="empty").site(tmp_path / "files")
    site.write(
        {
            "instance.yml": SETTINGS,
            "locations.yml": yaml_list([{"name": "North"}]),
            "rooms.yml": yaml_list([{"building_id": "North", "number": number} for number in ("1", "2", "3")]),
            "objects.yml": things(1, 2, 3),
        }
    )
    assert site.run(limits=ANY_NUMBER).outcome == "changed"
    return site


def things(*numbers: int, **fields: Any) -> str:
    return yaml_list({"barcode": str(number), "inventory_name": f"Thing {number}", **fields} for number in numbers)


def planned(here: SiteHere, **options: Any) -> Path:
    """Return the approval of the files as they are."""
    path = here.root.parent / "a.plan"
    result = here.plan(plan_file=path, limits=ANY_NUMBER, **options)
    assert result.outcome in ("changed", "unchanged"), (result.findings, result.refusals)
    assert ApprovalFile(path).read().digest == result.plan_digest
    return path


def applied(here: SiteHere, path: Path, **options: Any) -> RunResult:
    return here.run(plan_file=path, **{"limits": ANY_NUMBER, **options})


def names(here: SiteHere) -> dict[str, str]:
    """Return the names of the active objects by barcode."""
    records = [record for record in here.dump()["objects"] if not record.get("archived")]
    return {record["fields"]["barcode"]: record["fields"]["inventory_name"] for record in records}


def edit(here: SiteHere, number: int, **fields: Any) -> None:
    """Let somebody edit an object in the application."""
    client = here.client()
    (record,) = [record for record in client.list_all(OBJECT) if record.flat["barcode"] == str(number)]
    client.update(OBJECT, record.uuid, fields)


# ---- what is approved


def test_an_approval_is_for_one_set_on_one_instance(here: SiteHere) -> None:
    here.write({"objects.yml": things(1, 2, 3, inventory_name="New")})
    path = planned(here)
    document = json.loads(path.read_text("utf-8"))
    for member, value in (("instance", "https://elsewhere.test"), ("set", "other"), ("set_id", "0" * 16)):
        path.write_text(json.dumps({**document, member: value}), "utf-8")
        assert applied(here, path).refusals[0].startswith("plan_file: this plan is for ")


# ---- the same digest for the same state


def as_csv(records: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, [*{name: None for record in records for name in record}])
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue()


RECORDS: list[dict[str, Any]] = [
    {"barcode": "7", "inventory_name": "Lamp", "purchasing_price": "12.50", "purchasing_date": "2024-05-31"},
    {"barcode": "8", "inventory_name": "Büro", "purchasing_price": "1299.00", "target_room": "North/2"},
]
FORMS: Mapping[str, Callable[[list[dict[str, Any]]], str]] = {
    "yml": yaml_list,
    "jsonl": lambda records: "".join(json.dumps(record) + "\n" for record in records),
    "csv": as_csv,
}


def test_the_format_and_the_order_of_files_do_not_change_the_digest(here: SiteHere) -> None:
    digests = set()
    for form, text in FORMS.items():
        for records in (RECORDS, RECORDS[::-1]):
            path = here.root / f"objects/more.{form}"
            here.write({f"objects/more.{form}": text(records)})
            digests.add(ApprovalFile(planned(here)).read().digest)
            path.unlink()
    assert len(digests) == 1


# ---- forged approvals


def forged(chance: random.Random, document: dict[str, Any]) -> dict[str, Any]:
    """Return an approval in which somebody changed one member."""
    changes = document["changes"]
    one = chance.choice(changes)
    another = {**one, "key": chance.choice(["1", "2", "99"]), "action": "delete", "fields": []}
    ways: list[Callable[[], None]] = [
        lambda: changes.append(another),
        lambda: changes.remove(one),
        lambda: one.update(digest="0" * 64),
        lambda: one.update(wanted="0" * 64, digest="1" * 64),
        lambda: one.update(action=chance.choice(["create", "update", "delete", "archive"])),
        lambda: one.update(uuid=chance.choice(["", another["uuid"], "x"])),
        lambda: one.update(fields=[]),
        lambda: document.update(files="0" * 64),
    ]
    chance.choice(ways)()
    return document


def test_a_value_is_approved_for_a_field_and_not_for_a_label_that_another_field_has_by_now(
    here: SiteHere, tmp_path: Path
) -> None:
    (tmp_path / "definitions").mkdir()
    definitions = here.embedded.site(tmp_path / "definitions")

    def define(*fields: Mapping[str, str]) -> None:
        definitions.write({"instance.yml": "api: seventhings/v1\nset: fields\n", "fields/asset.yml": yaml_list(fields)})
        assert definitions.run().outcome == "changed"

    define({"label": "Shelf", "type": "TEXT"}, {"label": "Drawer", "type": "TEXT"})
    here.write({"objects.yml": yaml_list([{"barcode": "900", "inventory_name": "Lamp", "Shelf": "A"}])})
    plan = tmp_path / "swapped.plan"
    assert here.plan(plan_file=plan).outcome == "changed"
    keys = {field["label"]: field["field_key"] for field in here.client().definitions("asset")}
    define({"field_key": keys["Shelf"], "label": "Old"}, {"field_key": keys["Drawer"], "label": "Shelf"})
    assert here.run(plan_file=plan).outcome == "refused"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_a_forged_approval_changes_nothing_that_the_files_do_not_ask_for(here: SiteHere, seed: int) -> None:
    chance = random.Random(seed)
    client = here.client()
    client.create(OBJECT, {"barcode": "99", "inventory_name": "of somebody else"})
    client.create(LOCATION, {"name": "South"})
    here.write({"instance.yml": PRUNE, "objects.yml": things(1, inventory_name="New") + things(2, 4)})
    path = planned(here)
    path.write_text(json.dumps(forged(chance, json.loads(path.read_text("utf-8")))), "utf-8")
    with contextlib.suppress(InvalidInput):
        applied(here, path, stale=chance.choice(["refuse", "skip"]))
    now = names(here)
    assert now["99"] == "of somebody else"
    assert {code: now[code] for code in ("1", "2")}.items() <= {("1", "New"), ("1", "Thing 1"), ("2", "Thing 2")}
    assert set(now) <= {"1", "2", "3", "4", "99"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "Expecting property name"),
        ("[]", "expected approval: 1"),
        ('{"approval": 2}', "expected approval: 1"),
        ('{"approval": true}', "expected approval: 1"),
        ('{"approval": 1, "approval": 1}', "'approval' is written twice"),
        ('{"approval": 1, "more": 1}', "'more' is unknown"),
        ('{"approval": 1}', "instance is missing"),
    ],
)
def test_a_file_that_is_no_approval_is_refused_in_words(here: SiteHere, text: str, words: str) -> None:
    path = here.root.parent / "a.plan"
    path.write_text(text, "utf-8")
    with pytest.raises(InvalidInput) as caught:
        applied(here, path)
    assert words in caught.value.message
    assert caught.value.message.endswith("Plan again.")


# ---- random plans, kills and strangers


@pytest.mark.sample(6)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(400))
def test_nothing_unapproved_is_written_and_every_apply_can_be_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    chance = random.Random(seed)
    (tmp_path / "files").mkdir()
    here = Embedded.started(data="empty").site(tmp_path / "files")
    here.write(_random_files(chance))
    assert not here.run(limits=ANY_NUMBER).failed
    here.write(_random_files(chance))
    path = planned(here)
    document = json.loads(path.read_text("utf-8"))
    approved = {change["key"] for change in document["changes"] if change["section"] == "objects"}
    edited = _edit_at_random(here, chance) if chance.random() < 0.5 else {}
    before = {**names(here)}
    result = _applied_in_pieces(here, path, chance)
    assert not result.failed, (result.failures, result.refusals)
    after = names(here)
    for code in before.keys() | after.keys():
        if code not in approved or code in edited:
            assert after.get(code) == before.get(code), code
    if not edited:
        assert here.plan(limits=ANY_NUMBER).outcome == "unchanged"
        assert _applied_in_pieces(here, path, chance).outcome == "unchanged"


def _random_files(chance: random.Random) -> dict[str, str | bytes]:
    present = [number for number in range(1, 10) if chance.random() < 0.6]
    rooms = ["1", "2", *(["3"] if chance.random() < 0.5 else [])]
    label = chance.choice(["Shelf", "Colour", ""])
    objects = [
        {
            "barcode": str(number),
            "inventory_name": f"Thing {chance.randint(1, 3)}",
            "target_room": chance.choice([None, *(f"North/{room}" for room in rooms)]),
            "accessories": [str(other) for other in present if other != number and chance.random() < 0.2],
            **({label: chance.choice([None, "A", "B"])} if label else {}),
        }
        for number in present
    ]
    fields = {"fields/asset.yml": f"- {{label: {label}, type: TEXT}}\n"} if label else {}
    return {
        "instance.yml": PRUNE,
        **fields,
        "locations.yml": yaml_list([{"name": "North", "city": chance.choice(["Bonn", "Kiel"])}]),
        "rooms.yml": yaml_list([{"building_id": "North", "number": room} for room in rooms]),
        "objects.yml": yaml_list(objects) if objects else "[]\n",
    }


def _edit_at_random(here: SiteHere, chance: random.Random) -> dict[str, str]:
    """Let somebody edit objects. Return their new names by barcode."""
    edited = {}
    for code in names(here):
        if chance.random() < 0.3:
            edited[code] = f"Edited {chance.random()}"
            edit(here, int(code), inventory_name=edited[code])
    return edited


def _applied_in_pieces(here: SiteHere, path: Path, chance: random.Random) -> RunResult:
    """Apply an approval, kill the apply at random requests, and run it again until one run is finished."""
    while True:
        here.embedded.log.clear()
        here.embedded.kill_at = chance.choice([0, 1, 1, -1]) * chance.randint(1, 40)
        try:
            return applied(here, path, stale="skip", allow=["empty_sources", "limited_account"])
        except Killed:
            here.embedded.clock.forward(120)
        finally:
            here.embedded.kill_at = 0


# ---- in other processes

_PLAN_IN_A_PROCESS = """
import json, sys
from pathlib import Path
from emulator_process import Emulator
from instance_site import Site
root, plan, service = Path(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3])
print(Site(root, Emulator(**service)).plan(plan_file=plan, limits={"create_percent": 1000}).plan_digest)
"""


@pytest.mark.slow
def test_the_order_of_sets_in_a_process_does_not_change_the_digest(empty_emulator: Emulator, tmp_path: Path) -> None:
    empty_emulator.reset()
    site = Site(tmp_path / "files", empty_emulator)
    site.write({"fields/asset.yml": "- {label: Shelf, type: TEXT}\n", "locations.yml": "- {name: North}\n"})
    site.write({"rooms.yml": yaml_list([{"building_id": "North", "number": "2"}]), "objects.yml": yaml_list(RECORDS)})
    service = json.dumps(asdict(empty_emulator))
    digests = set()
    for seed in ("1", "2"):
        command = [sys.executable, "-c", _PLAN_IN_A_PROCESS, str(site.root), str(tmp_path / "a.plan"), service]
        digests.add(
            subprocess.run(command, env=environment(PYTHONHASHSEED=seed), check=True, capture_output=True).stdout
        )
    assert len(digests) == 1
