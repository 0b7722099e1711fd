# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An apply is undone from its record, and nothing that others did since is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from embedded_here import Embedded, SiteHere
from instance_site import yaml_list

from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult
from ansible_collections.community.seventhings.plugins.plugin_utils.undo.inverse import STILL_WANTED, Undo
from ansible_collections.community.seventhings.plugins.plugin_utils.undo.record_file import last_record, read_record

LIMITS = "  limits: {create_percent: 100, update_percent: 100, delete_percent: 100}\n"
SETTINGS = 'api: seventhings/v1\nset: test\nset_id: "5d1c8e07f3a9b264"\npolicy:\n' + LIMITS
EVERYTHING = {"create_percent": 100, "update_percent": 100, "delete_percent": 100}


def thing(number: int, **fields: Any) -> dict[str, Any]:
    """An object as files have it."""
    return {"barcode": str(100000 + number), "inventory_name": f"Thing {number}", **fields}


def undo(site: SiteHere, applied: Path | None = None, **order: Any) -> RunResult:
    """Undo the last apply, or that of a record."""
    changed_since = order.pop("changed_since", "skip")
    path, record = (
        last_record(site.client().transport.root, None) if applied is None else (applied, read_record(applied))
    )
    wanted = Undo(record, str(path), changed_since, order.pop("is_approved", False))
    return site.run(wanted.base(), undo=wanted, **order)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SiteHere:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "files").mkdir()
    site = Embedded.started(data="empty").site(tmp_path / "files")
    site.write({"instance.yml": SETTINGS})
    return site


def values_of(site: SiteHere, field: str) -> dict[str, Any]:
    """The field of every object by barcode."""
    dump = site.dump()
    return {one["barcode"]: one.get(field) for one in dump["objects"]}


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


def fields(*choices: str) -> str:
    """The definition of a dropdown."""
    return yaml_list([{"label": "Grade", "type": "DROPDOWN", "possible_values": list(choices)}])


def good_objects() -> list[dict[str, Any]]:
    """The objects before the bad apply: 18 of the first 200 have no description."""
    return [
        thing(
            number,
            target_room=f"North/{number % 2 + 1}",
            responsible_person="ada@acme.example",
            purchasing_price="12.50",
            purchasing_date="2030-01-31",
            Grade="used",
            **({} if number < 18 else {"description": f"Text {number}"}),
        )
        for number in range(220)
    ]


def bad_apply(here: SiteHere) -> Any:
    """Apply good files, then bad files. Return the instance as it was between."""
    good = good_objects()
    here.write({**PLACES, "fields/asset.yml": fields(*CHOICES), "objects.yml": yaml_list(good)})
    assert here.run().outcome == "changed"
    before = here.dump()
    wrong = [{**one, "description": "wrong", "target_room": "North/1"} for one in good[:200]]
    archived = [{**thing(number), "_state": "archived"} for number in range(200, 210)]
    deleted = [{**thing(number), "_state": "absent"} for number in range(210, 220)]
    here.write(
        {
            "fields/asset.yml": fields(*CHOICES, "lost"),
            "objects.yml": yaml_list([*wrong, *archived, *deleted]),
            "users.yml": yaml_list([{"email": "ada@acme.example"}, {"email": "eva@acme.example"}]),
        }
    )
    planned = here.plan(limits=EVERYTHING, create_users=True)
    assert planned.undo == "cannot be undone: 2 users; only in part: 10 deletions"
    applied = here.run(limits=EVERYTHING, create_users=True)
    assert applied.outcome == "changed"
    assert Path(applied.apply_record).stat().st_mode & 0o777 == 0o600
    assert applied.apply_record_digest == read_record(Path(applied.apply_record)).digest
    return before


def without_users(dump: Any) -> Any:
    """An instance without what can't be undone."""
    persons = [{**one, "user": None} for one in dump["persons"]]
    return {name: value for name, value in dump.items() if name != "users"} | {"persons": persons}


def test_a_bad_apply_is_undone(here: SiteHere) -> None:
    before = bad_apply(here)
    here.embedded.log.clear()
    planned = undo(here, check_mode=True)
    assert {line for line in here.sent() if not line.startswith("GET ")} == {"POST /auth_token"}
    result = undo(here)
    assert result.outcome == "changed", (result.findings, result.failures[:3], result.refusals, result.warnings)
    assert planned.summary == result.summary
    assert "cannot be undone: 2 users; only in part: 10 deletions" in result.warnings
    assert STILL_WANTED in result.warnings
    assert without_users(here.dump()) == without_users(before)
