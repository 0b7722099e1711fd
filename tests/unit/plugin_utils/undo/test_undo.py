# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An apply is undone from its record, and no later change by others is lost."""

from __future__ import annotations

import gzip
import html
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.parse import quote

import pytest
from embedded_here import ACCOUNT, Embedded, Killed, SiteHere
from instance_site import yaml_list

from ansible_collections.community.seventhings.plugins.plugin_utils.desired.hiding import Hiding
from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult
from ansible_collections.community.seventhings.plugins.plugin_utils.report.sarif_report import as_sarif
from ansible_collections.community.seventhings.plugins.plugin_utils.report.text_report import as_text
from ansible_collections.community.seventhings.plugins.plugin_utils.undo import record
from ansible_collections.community.seventhings.plugins.plugin_utils.undo.inverse import STILL_WANTED
from ansible_collections.community.seventhings.plugins.plugin_utils.undo.record_file import (
    KEPT,
    RecordRefused,
    last_record,
    read_record,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.undo.undo import Undo

pytestmark = pytest.mark.slow

SETTINGS = 'api: seventhings/v1\nset: test\nset_id: "5d1c8e07f3a9b264"\n'
EVERYTHING = {"create_percent": 100, "update_percent": 100, "delete_percent": 100}
TASK_LIMITS = EVERYTHING
"""The limits of every task in this file."""


def thing(number: int, **fields: Any) -> dict[str, Any]:
    """Return an object as files have it."""
    return {"barcode": str(100000 + number), "inventory_name": f"Thing {number}", **fields}


def undo(site: SiteHere, applied: Path | None = None, **order: Any) -> RunResult:
    """Undo the last apply, or the apply of a record."""
    changed_since = order.pop("changed_since", "skip")
    path, found = (
        last_record(site.client().transport.root, None) if applied is None else (applied, read_record(applied))
    )
    wanted = Undo(found, str(path), changed_since, order.pop("is_approved", False))
    return site.run(wanted.base(Hiding()), undo=wanted, **order)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SiteHere:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "files").mkdir()
    site = Embedded.started(data="empty").site(tmp_path / "files")
    site.write({"instance.yml": SETTINGS})
    return site


def values_of(site: SiteHere, field: str) -> dict[str, Any]:
    """Return the field of every object by barcode."""
    fields = [record["fields"] for record in site.dump()["objects"]]
    return {record["barcode"]: record.get(field) for record in fields}


PLACES = {
    "locations.yml": yaml_list([{"name": "North"}]),
    "rooms.yml": yaml_list([{"building_id": "North", "number": str(number)} for number in (1, 2)]),
    "persons.yml": yaml_list(
        [
            {"email": "ada@acme.example", "first_name": "Ada", "last_name": "Noor"},
            {"email": "eva@acme.example", "first_name": "Eva", "last_name": "Lund"},
        ]
    ),
}
CHOICES = ["new", "used", "broken"]
UNRECORDED = "1 vaulted, hidden or unreadable value"
BAD_APPLY_STAYS = "cannot be undone: 2 users; only in part: 1 changed field definition, 10 deletions"


def fields(*choices: str) -> str:
    """Return the definition of a dropdown."""
    return yaml_list([{"label": "Grade", "type": "DROPDOWN", "possible_values": list(choices)}])


def good_objects() -> list[dict[str, Any]]:
    """Return the objects before the bad apply: 18 of the first 200 have no description, and 20 have a rare grade."""
    return [
        thing(
            number,
            target_room=f"North/{number % 2 + 1}",
            responsible_person="ada@acme.example",
            purchasing_price="12.50",
            purchasing_date="2030-01-31",
            Grade="broken" if 100 <= number < 120 else "used",
            **({} if number < 18 else {"description": f"Text {number}"}),
        )
        for number in range(220)
    ]


def bad_apply(here: SiteHere) -> Any:
    """Apply good files, then bad files. Return the instance between the two applies.

    The bad files remove a choice of a dropdown, and write another in place of it.
    """
    good = good_objects()
    here.write({**PLACES, "fields/asset.yml": fields(*CHOICES), "objects.yml": yaml_list(good)})
    assert here.run().outcome == "changed"
    before = here.dump()
    wrong = [
        {
            **record,
            "description": "wrong",
            "target_room": "North/1",
            "Grade": "lost" if record["Grade"] == "broken" else record["Grade"],
        }
        for record in good[:200]
    ]
    archived = [{**thing(number), "_state": "archived"} for number in range(200, 210)]
    deleted = [{**thing(number), "_state": "absent"} for number in range(210, 220)]
    here.write(
        {
            "fields/asset.yml": fields("used", "new", "lost"),
            "objects.yml": yaml_list([*wrong, *archived, *deleted]),
            "users.yml": yaml_list([{"email": "ada@acme.example"}, {"email": "eva@acme.example"}]),
        }
    )
    allowed: dict[str, Any] = {"limits": EVERYTHING, "allow": ["users", "destructive"]}
    planned = here.plan(**allowed)
    assert planned.undo == BAD_APPLY_STAYS, planned.findings
    applied = here.run(**allowed)
    assert applied.outcome == "changed"
    assert Path(applied.apply_record).stat().st_mode & 0o777 == 0o600
    assert applied.apply_record_digest == read_record(Path(applied.apply_record)).digest
    return before


def without_users(dump: Any) -> Any:
    """Return an instance without what can't be undone."""
    persons = [{**person, "user": None} for person in dump["persons"]]
    return {name: value for name, value in dump.items() if name != "users"} | {"persons": persons}


def test_a_bad_apply_is_undone_once(here: SiteHere) -> None:
    before = bad_apply(here)
    path, _record = last_record(here.client().transport.root, "test")
    here.embedded.log.clear()
    refused = undo(here, check_mode=True)
    assert len(refused.findings) == 1, refused.findings
    assert "'lost' would be removed" in refused.findings[0]
    planned = undo(here, check_mode=True, allow=["destructive"])
    assert {line for line in here.sent() if not line.startswith("GET ")} == {"POST /auth_token"}
    result = undo(here, allow=["destructive"])
    assert result.outcome == "changed", (result.findings, result.failures[:3], result.refusals, result.warnings)
    assert planned.summary == result.summary
    assert BAD_APPLY_STAYS in result.warnings
    assert STILL_WANTED in result.warnings
    after = here.dump()
    assert without_users(after) == without_users(before)
    again = undo(here, path, allow=["destructive"])
    assert (again.outcome, again.changes) == ("partly_undone", [])
    assert [(row["section"], row["key"], row["field"]) for row in again.not_restored] == [
        ("users", "ada@acme.example", ""),
        ("users", "eva@acme.example", ""),
    ]
    assert here.dump() == after


SMALL = [thing(number, description=f"Text {number}", purchasing_price="12.50") for number in range(4)]


def small_apply(here: SiteHere) -> Any:
    """Update two objects, and archive, delete and create one each, with a room. Return the instance before."""
    here.write({"locations.yml": yaml_list([{"name": "North"}]), "objects.yml": yaml_list(SMALL)})
    assert here.run().outcome == "changed"
    before = here.dump()
    here.write(
        {
            "rooms.yml": yaml_list([{"building_id": "North", "number": "1"}]),
            "objects.yml": yaml_list(
                [
                    {**SMALL[0], "description": "wrong", "purchasing_price": "99.00"},
                    {**SMALL[1], "description": "wrong", "target_room": "North/1"},
                    {**thing(2), "_state": "archived"},
                    {**thing(3), "_state": "absent"},
                    thing(9),
                ]
            ),
        }
    )
    return before


def edit(here: SiteHere, number: int, **fields: Any) -> None:
    """Change an object in the application."""
    barcode = {"barcode": str(100000 + number)}
    assert here.embedded.call("object", fields={**barcode, **fields}, match_on=["barcode"])["changed"]


def field_of(here: SiteHere, number: int, name: str) -> Any:
    (found,) = [record for record in here.dump()["objects"] if record["fields"]["barcode"] == str(100000 + number)]
    return found["fields"][name]


def records(state: Path) -> list[Path]:
    """Return the apply records in a state directory, oldest first."""
    return sorted((state / "seventhings" / "applied").glob("*/*/*"))


def active(dump: Any) -> Any:
    """Return an instance without archived objects, because an undo archives what an apply created."""
    return dump | {"objects": [record for record in dump["objects"] if not record.get("archived")]}


def is_interrupted_at(here: SiteHere, at: int, run: Any) -> bool:
    """Run something and kill it before a request. Return False if it ended before that."""
    here.embedded.log.clear()
    here.embedded.kill_at = at
    try:
        run()
    except Killed:
        return True
    finally:
        here.embedded.kill_at = 0
    return False


@pytest.mark.slow
def test_an_apply_that_is_killed_anywhere_is_undone(tmp_path: Path, here: SiteHere) -> None:
    before = active(small_apply(here))
    store, state = here.embedded.service.store, tmp_path / "state"
    at = 0
    is_interrupted = True
    while is_interrupted:
        at += 1
        site = Embedded.started(store=store).site(here.root)
        shutil.rmtree(tmp_path / "again", ignore_errors=True)
        shutil.copytree(state, tmp_path / "again")
        with mock.patch.dict(os.environ, {"XDG_STATE_HOME": str(tmp_path / "again")}):
            is_interrupted = is_interrupted_at(site, at, lambda site=site: site.run(limits=EVERYTHING, workers=1))
            if not any(
                line.startswith(("PATCH", "PUT", "DELETE", "POST /object", "POST /room")) for line in site.sent()
            ):
                continue
            site.embedded.clock.forward(120)
            result = undo(site)
        assert not result.failed, (at, result.findings, result.failures, result.refusals)
        assert active(site.dump()) == before, at
    assert at > 15


def test_an_apply_that_was_finished_by_a_second_run_is_undone_as_one(here: SiteHere) -> None:
    before = active(small_apply(here))
    is_interrupted_at(here, 14, lambda: here.run(limits=EVERYTHING, workers=1))
    here.embedded.clock.forward(120)
    assert here.run(limits=EVERYTHING).outcome == "changed"
    assert not undo(here).failed
    assert active(here.dump()) == before


# ---- what is refused


def applied_record(here: SiteHere) -> Path:
    """Apply, and return the file of the record."""
    small_apply(here)
    result = here.run(limits=EVERYTHING)
    assert result.outcome == "changed"
    return Path(result.apply_record)


def forged(path: Path, **members: Any) -> Path:
    """Rewrite a record with other members."""
    document = json.loads(gzip.decompress(path.read_bytes()))
    path.write_bytes(gzip.compress(json.dumps({**document, **members}).encode()))
    return path


def by_others(path: Path) -> None:
    path.chmod(0o666)


def second_name(path: Path) -> None:
    os.link(path, path.with_suffix(".other"))


def link(path: Path) -> None:
    moved = path.rename(path.with_suffix(".moved"))
    path.symlink_to(moved)


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def text(path: Path) -> None:
    path.write_text("{}")


def a_user(path: Path) -> None:
    change = {
        "kind": "user",
        "uuid": "676fe201-b64f-4106-ae88-579e1f18ba26",
        "key": "eve@acme.example",
        "action": "delete",
        "outcome": "done",
        "before": {"email": "eve@acme.example"},
        "after": {},
        "template": "",
        "keys": ["email"],
        "unarchived": False,
    }
    forged(path, changes=[change])


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (by_others, "can be written by others"),
        (second_name, "is linked to a file of another name"),
        (link, "is a link"),
        (cut_off, "its end is missing"),
        (text, "is not compressed with gzip"),
        (a_user, "users are never removed so"),
    ],
)
def test_a_record_that_can_not_be_trusted_is_refused(here: SiteHere, spoil: Callable[[Path], None], words: str) -> None:
    path = applied_record(here)
    spoil(path)
    with pytest.raises(RecordRefused, match=words):
        read_record(path)


def forged_value(here: SiteHere, key: str, value: Any) -> Path:
    """Return the record of an update of an object, in which the earlier value of a field is forged."""
    here.write({"objects.yml": yaml_list([thing(1)])})
    here.run()
    here.write({"objects.yml": yaml_list([thing(1, inventory_name="Other")])})
    path = Path(here.run().apply_record)
    (change,) = json.loads(gzip.decompress(path.read_bytes()))["changes"]
    return forged(path, changes=[{**change, "before": {key: value}, "after": {key: None}}])


NO_FILES: list[Any] = [True, 7, "x", {}]
ODD_REFERENCES: list[dict[str, Any]] = [{"uuid": {}}, {"id": "7"}, {"id": True}, {"name": ["North/1"]}]
NO_ROOM = {"reference": "room", "uuid": None, "id": None, "name": "North/1"}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("documents", value) for value in NO_FILES),
        *(("target_room", {**NO_ROOM, **odd}) for odd in ODD_REFERENCES),
        ("target_room", {**NO_ROOM, "reference": []}),
        ("target_room", {"part": {"reference": "room", "name": 7}}),
    ],
)
def test_a_value_that_is_no_reference_or_list_restores_nothing(here: SiteHere, key: str, value: Any) -> None:
    result = undo(here, forged_value(here, key, value))
    assert result.outcome != "changed"
    assert any(key in words for words in (*result.findings, *result.warnings))


def test_a_reference_by_several_fields_to_a_missing_record_is_a_warning(here: SiteHere) -> None:
    name = {"building_id": "North", "number": "9"}
    path = forged_value(here, "target_room", {"reference": "room", "uuid": None, "id": None, "name": name})
    result = undo(here, path)
    assert result.outcome == "partly_undone"
    assert any("target_room can't be restored in full" in warning for warning in result.warnings)


def test_a_record_that_becomes_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "MAX_RECORD", 1000)
    path = tmp_path / "bomb.json.gz"
    path.write_bytes(gzip.compress(b" " * 100_000))
    path.chmod(0o600)
    with pytest.raises(RecordRefused, match="has more than 1000 bytes"):
        read_record(path)


@pytest.mark.parametrize("member", [{"instance": "https://other.example"}, {"set_id": "0000000000000000"}])
def test_a_record_of_another_instance_or_set_is_refused(here: SiteHere, member: dict[str, str]) -> None:
    result = undo(here, forged(applied_record(here), **member))
    assert result.outcome == "refused"
    assert next(iter(member.values())) in result.refusals[0]


def test_a_forged_record_removes_nothing_that_the_set_did_not_create(here: SiteHere) -> None:
    victim = here.embedded.call(
        "object", fields={"barcode": "100077", "inventory_name": "Victim"}, match_on=["barcode"]
    )["record"]
    path = applied_record(here)
    change = {
        "kind": "object",
        "uuid": victim["uuid"],
        "key": "100077",
        "action": "create",
        "outcome": "done",
        "before": {},
        "after": {"barcode": "100077"},
        "template": "",
        "keys": ["barcode"],
        "unarchived": False,
    }
    forged(path, changes=[change])
    result = undo(here, path)
    assert result.outcome == "refused"
    assert "the journal does not know it as created by this set" in result.refusals[0]
    # A person who has read the record may approve it.
    assert undo(here, path, is_approved=True).summary["objects"]["archived"] == 1


def test_an_apply_record_is_never_below_the_journal(here: SiteHere, tmp_path: Path) -> None:
    here.write({"locations.yml": yaml_list([{"name": "North"}])})
    journal = tmp_path / "journal"
    journal.mkdir()
    result = here.run(journal=journal, apply_record=journal / "records" / "r.json.gz")
    assert result.outcome == "refused"
    assert "is in the directory of the journal" in result.refusals[0]
    assert here.sent() == []
    assert list(journal.iterdir()) == []


def test_without_a_place_the_plan_says_that_it_can_not_be_undone(
    here: SiteHere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "")
    monkeypatch.setenv("HOME", "")
    here.write({"locations.yml": yaml_list([{"name": "North"}])})
    result = here.plan(journal=tmp_path / "journal")
    assert result.cautions[0].startswith("no apply record is kept: this cannot be undone")
    result = here.run(journal=tmp_path / "journal")
    assert (result.outcome, result.apply_record) == ("changed", "")
    # With an explicit file the plan can be undone.
    here.write({"locations.yml": yaml_list([{"name": "North", "city": "Kiel"}])})
    kept = tmp_path / "record.json.gz"
    result = here.run(journal=tmp_path / "journal", apply_record=kept)
    assert not [caution for caution in result.cautions if "no apply record" in caution]
    assert undo(here, kept, journal=tmp_path / "journal", apply_record=tmp_path / "u.gz").outcome == "changed"
    assert here.dump()["locations"][0]["fields"].get("city") in (None, "")


def test_the_last_twenty_records_of_each_set_are_kept(here: SiteHere, tmp_path: Path) -> None:
    other = {"instance.yml": 'api: seventhings/v1\nset: other\nset_id: "0d1c8e07f3a9b264"\n'}
    others = here.embedded.site(tmp_path / "others")
    others.write({**other, "locations.yml": yaml_list([{"name": "South"}])})
    assert others.run().outcome == "changed"
    for number in range(KEPT + 2):
        here.write({"locations.yml": yaml_list([{"name": "North", "city": f"City {number}"}])})
        assert here.run().outcome == "changed"
    assert len(records(tmp_path / "state")) == KEPT + 1
    assert undo(here).outcome == "changed"
    assert here.dump()["locations"][0]["fields"]["city"] == f"City {KEPT}"


def test_hidden_values_are_fingerprints(here: SiteHere) -> None:
    here.write({"objects.yml": yaml_list(SMALL)})
    assert here.run().outcome == "changed"
    here.write({"objects.yml": yaml_list([{**SMALL[0], "description": "hunter2", "purchasing_price": "1.00"}])})
    desired = here.load()
    desired.hiding.names.add("description")
    announced = f"cannot be undone: {UNRECORDED}"
    assert here.run(desired, check_mode=True, limits=EVERYTHING).undo == announced
    path = Path(here.run(desired, limits=EVERYTHING).apply_record)
    stored = gzip.decompress(path.read_bytes()).decode()
    assert "hunter2" not in stored
    assert "Text 0" not in stored
    result = undo(here)
    assert announced in result.warnings
    assert any(UNRECORDED in warning for warning in result.warnings if warning.startswith("objects: "))
    assert field_of(here, 0, "description") == "hunter2"
    assert field_of(here, 0, "purchasing_price") == 12.5


@pytest.mark.parametrize(("hidden", "times"), [("description", 1), ("inventory_name", 1), ("barcode", 2)])
def test_an_undo_shows_no_present_value_that_the_apply_hid(here: SiteHere, hidden: str, times: int) -> None:
    here.write({"objects.yml": yaml_list([{**SMALL[0], hidden: "hunter2"}])})
    desired = here.load()
    desired.hiding.names.add(hidden)
    for _time in range(times):
        # The second apply only brings the object back from the archive.
        assert here.run(desired, limits=EVERYTHING).outcome == "changed"
        result = undo(here, records(here.root.parent / "state")[-1])
        assert (result.outcome, [change["action"] for change in result.changes]) == ("changed", ["archive"])
        shown = as_text(result) + json.dumps(vars(result), default=str)
        assert "hunter2" not in shown + gzip.decompress(Path(result.apply_record).read_bytes()).decode()


@pytest.mark.parametrize("spelled", [str, quote, html.escape, lambda text: text.encode().hex()])
def test_a_credential_in_a_record_is_in_no_plan_and_in_no_apply_record(
    here: SiteHere, tmp_path: Path, spelled: Callable[[str], str]
) -> None:
    echo = f"You sent {spelled(ACCOUNT['password'])}"
    here.write({"objects.yml": yaml_list([thing(1, description=echo), thing(2, description="old")])})
    here.run()
    here.write({"objects.yml": yaml_list([thing(1, description="new"), thing(2, description="new")])})
    plan = tmp_path / "plan"
    assert here.plan(plan_file=plan).undo == f"cannot be undone: {UNRECORDED}"
    assert spelled(ACCOUNT["password"]) not in plan.read_text()
    applied = here.run(plan_file=plan)
    assert applied.outcome == "changed"
    content = gzip.decompress(Path(applied.apply_record).read_bytes()).decode()
    assert spelled(ACCOUNT["password"]) not in content
    done = undo(here)
    assert values_of(here, "description") == {"100001": "new", "100002": "old"}
    assert any("1" in warning and "hidden" in warning for warning in done.warnings), done.warnings


@pytest.mark.parametrize("odd", [{"description": {"de": "Old"}}, {"purchasing_price": {"value": 5}}])
def test_a_value_that_can_not_be_read_is_announced_and_does_not_stop_the_undo(
    here: SiteHere, odd: dict[str, Any]
) -> None:
    here.write({"objects.yml": yaml_list([thing(1, description="old", purchasing_price="5.00")])})
    here.run()
    here.write({"objects.yml": yaml_list([thing(1, description="new", purchasing_price="6.00", inventory_name="New")])})
    here.embedded.set(answers={"GET /objects": {"set": odd}})
    planned = here.plan()
    assert planned.undo == f"cannot be undone: {UNRECORDED}"
    assert here.run().outcome == "changed"
    here.embedded.set(answers={})
    result = undo(here)
    assert result.outcome == "changed", result.findings
    assert planned.undo in result.warnings
    (left,) = [record["fields"] for record in here.dump()["objects"]]
    expected = {"description": "old", "purchasing_price": 5, "inventory_name": "Thing 1"}
    written = {"description": "new", "purchasing_price": 6}
    assert {key: left[key] for key in expected} == {**expected, **{key: written[key] for key in odd}}


def test_a_creation_whose_answer_never_came_is_undone(here: SiteHere) -> None:
    here.write({"objects.yml": yaml_list([thing(1)])})
    assert here.run().outcome == "changed"
    before = active(here.dump())
    here.write({"objects.yml": yaml_list([thing(1), thing(2)])})
    here.embedded.fault("reset_after", method="POST", path="/object")
    # The process is killed while it looks for the record.
    posted = [number for number, line in enumerate(sent_by(here), 1) if line == "POST /object"]
    assert is_interrupted_at(here, posted[0] + 1, lambda: here.run(workers=1))
    assert active(here.dump()) != before
    here.embedded.clock.forward(120)
    assert not undo(here).failed
    assert active(here.dump()) == before


def sent_by(here: SiteHere) -> list[str]:
    """Return the requests of an apply that is killed at its end, on a copy of the instance."""
    copy = Embedded.started(store=here.embedded.service.store).site(here.root)
    with mock.patch.dict(os.environ, {"XDG_STATE_HOME": str(here.root.parent / "copy")}):
        copy.run(workers=1)
    return copy.sent()


# ---- what the apply created


@pytest.mark.parametrize("by_label", [False, True], ids=["finished", "interrupted"])
def test_records_with_a_field_that_the_same_apply_created_are_undone(here: SiteHere, by_label: bool) -> None:
    """The record of an interrupted apply has the label of the field, because nobody knew the key yet."""
    here.write({"objects.yml": yaml_list([thing(1)])})
    assert here.run().outcome == "changed"
    here.write(
        {
            "fields/asset.yml": yaml_list([{"label": "Kiosk name", "type": "TEXT"}]),
            "objects.yml": yaml_list([thing(1, **{"Kiosk name": "wrong"}), thing(2, **{"Kiosk name": "wrong"})]),
        }
    )
    path = Path(here.run().apply_record)
    (key,) = (field["field_key"] for field in here.client().definitions("asset") if field["label"] == "Kiosk name")
    content = gzip.decompress(path.read_bytes())
    assert content.count(f'"{key}"'.encode()) == 3
    if by_label:
        path.write_bytes(gzip.compress(content.replace(f'"{key}"'.encode(), b'"Kiosk name"')))
    undone = undo(here)
    assert (undone.outcome, len(undone.changes)) == ("changed", 2)
    assert not any("was changed since" in warning for warning in undone.warnings)
    assert [(row["section"], row["key"], row["field"]) for row in undone.not_restored] == [
        ("fields", "asset Kiosk name", "")
    ]
    (left,) = active(here.dump())["objects"]
    assert left["fields"]["barcode"] == "100001"
    assert "wrong" not in left["fields"].values()
    text = as_text(undone)
    assert "Not restored (1):" in text
    assert "set test, user " in text


def test_a_forged_record_archives_nothing_that_the_set_did_not_unarchive(here: SiteHere) -> None:
    assert here.embedded.call("object", fields=thing(1))["changed"]
    path = forged_value(here, "description", "x")
    (change,) = json.loads(gzip.decompress(path.read_bytes()))["changes"]
    forged(path, changes=[{**change, "unarchived": True}])
    before = here.dump()
    result = undo(here, path)
    assert result.outcome == "refused", result.document()
    assert "the journal does not know it" in result.refusals[0]
    assert here.dump() == before


def test_sarif_does_not_name_the_apply_record_as_a_file(here: SiteHere, tmp_path: Path) -> None:
    small_apply(here)
    path = tmp_path / "applied.json"
    assert here.run(apply_record=path).outcome == "changed"
    results = json.loads(as_sarif(undo(here, path, check_mode=True)))["runs"][0]["results"]
    files = {place["physicalLocation"]["artifactLocation"]["uri"] for row in results for place in row["locations"]}
    assert files == {"instance.yml"}
