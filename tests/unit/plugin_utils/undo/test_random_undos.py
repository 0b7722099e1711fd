# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random applies, edits and interrupted undos: the instance is as before, except for what can't be undone."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from embedded_here import Embedded, Killed, SiteHere
from instance_site import yaml_list
from project import LONG
from records import record_of

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import ROOM
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.hiding import Hiding
from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult
from ansible_collections.community.seventhings.plugins.plugin_utils.undo.record_file import last_record, read_record
from ansible_collections.community.seventhings.plugins.plugin_utils.undo.undo import Undo

SETTINGS = 'api: seventhings/v1\nset: test\nset_id: "5d1c8e07f3a9b264"\n'
EVERYTHING = {"create_percent": 1000, "update_percent": 100, "delete_percent": 100}
LOCATIONS = ("North", "South")
ROOMS = ("North/1", "North/2", "South/1")
PERSONS = ("ada", "eva")
OBJECTS = range(100001, 100009)


def random_files(chance: random.Random) -> dict[str, str | bytes]:
    """Return files for places that stay, and for objects and tasks that are present, archived or absent."""
    objects = []
    present = [number for number in OBJECTS if chance.random() < 0.6]
    for number in OBJECTS:
        record: dict[str, Any] = {"barcode": str(number)}
        if number in present:
            record |= {
                "inventory_name": f"Thing {chance.randint(1, 3)}",
                "description": chance.choice([None, "", "one", "two"]),
                "purchasing_price": chance.choice([None, "1.50", "20.00"]),
                "target_room": chance.choice([None, *ROOMS]),
                "responsible_person": chance.choice([None, "ada@acme.example", "eva@acme.example"]),
                "accessories": [str(other) for other in present if other != number and chance.random() < 0.2],
            }
        else:
            record["_state"] = chance.choice(["absent", "archived"])
        objects.append(record)
    rooms = [record_of(ROOM, name, description=chance.choice([None, "Lab", "Store"])) for name in ROOMS]
    return {
        "instance.yml": SETTINGS,
        "locations.yml": yaml_list(
            [{"name": name, "city": chance.choice(["Bonn", "Kiel"])} for name in ("North", "South")]
        ),
        "rooms.yml": yaml_list(rooms),
        "persons.yml": yaml_list(
            [
                {"email": f"{name}@acme.example", "first_name": chance.choice("xyz"), "last_name": "L"}
                for name in ("ada", "eva")
            ]
        ),
        "objects.yml": yaml_list(objects),
    }


def undo(here: SiteHere, applied: Path | None = None) -> RunResult:
    """Undo the last apply, or the apply of a record."""
    path, record = (
        last_record(here.client().transport.root, "test") if applied is None else (applied, read_record(applied))
    )
    wanted = Undo(record, str(path))
    return here.run(wanted.base(Hiding()), undo=wanted)


def active(dump: Any) -> dict[str, Any]:
    """Return the listed places and objects by name. An undo archives what an apply created."""
    sections = {name: dump[name] for name in ("locations", "rooms", "persons", "objects")}
    return {
        f"{section} {record['name']}": record["fields"]
        for section, records in sections.items()
        for record in records
        if not record.get("archived")
    }


def others_edit(here: SiteHere, chance: random.Random, before: Mapping[str, Any]) -> dict[str, Any]:
    """Let somebody edit objects in the application. Return the objects with these edits, which an undo must keep.

    :param before: the instance before the apply. Objects that the apply creates or removes are not edited.
    """
    after, expected = active(here.dump()), dict(before)
    for name in sorted(after.keys() & before.keys()):
        if name.startswith("objects ") and chance.random() < 0.2:
            code, text = name.removeprefix("objects "), f"Edit {chance.random()}"
            fields = {"barcode": code, "description": text}
            assert not here.embedded.call("object", fields=fields, match_on=["barcode"]).get("failed")
            expected[name] = {**before[name], "description": text}
    return expected


def undo_in_pieces(here: SiteHere, chance: random.Random, applied: Path | None = None) -> RunResult:
    """Undo an apply; kill the undo at random requests, and run it again until one run is finished."""
    while True:
        here.embedded.log.clear()
        here.embedded.kill_at = chance.choice([0, 0, 1, -1]) * chance.randint(1, 40)
        try:
            return undo(here, applied)
        except Killed:
            here.embedded.clock.forward(120)
        finally:
            here.embedded.kill_at = 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8 if LONG else 2))
def test_what_was_applied_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    chance = random.Random(seed)
    here = Embedded.started(data="empty").site(tmp_path / "files")
    here.write(random_files(chance))
    assert not here.run(limits=EVERYTHING).failed
    for _turn in range(3):
        before = active(here.dump())
        here.write(random_files(chance))
        # An archived object may still lead to a deleted one, which might as well be hidden.
        applied = here.run(limits=EVERYTHING, allow=["limited_account"])
        assert not applied.failed, (applied.findings, applied.failures, applied.refusals)
        after = active(here.dump())
        expected = others_edit(here, chance, before) if chance.random() < 0.5 else before
        undone = undo_in_pieces(here, chance)
        assert not undone.failed, (undone.findings, undone.failures, undone.refusals)
        assert active(here.dump()) == expected
        if expected == before and chance.random() < 0.5:
            finished = here.dump()
            assert not undo(here).changes, "the newest record is an undo"
            assert here.dump() == finished
            newest = max((tmp_path / "state" / "seventhings" / "applied").glob("*/*/*"), key=lambda path: path.name)
            again = undo_in_pieces(here, chance, newest)
            assert not again.failed, (again.findings, again.failures, again.refusals)
            assert active(here.dump()) == after
