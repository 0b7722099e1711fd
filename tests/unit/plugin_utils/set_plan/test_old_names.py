# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rename also applies to references by the old name, in the run that renames the record and later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from instance_site import Site

from ansible_collections.community.seventhings.plugins.plugin_utils.set_plan.old_names import OldNames

FILES = {
    "locations.yml": "- name: North\n- name: South\n",
    "rooms.yml": "- {building_id: North, number: '1', name: Store}\n- {building_id: South, number: '1'}\n",
    "objects.csv": "barcode,inventory_name,target_room,target_building\n"
    "1,Lamp,North/1,North\n2,Desk,North/1,\n3,Chair,South/1,\n",
    "tasks.yml": "[]\n",
}
MOVED = {
    "room": "rooms: [{from: {building_id: North, number: '1'}, to: {building_id: North, number: 1a}}]\n",
    "location": "locations: [{from: {name: North}, to: {name: Nord}}]\n",
    "both": "locations: [{from: {name: North}, to: {name: Nord}}]\n"
    "rooms: [{from: {building_id: Nord, number: '1'}, to: {building_id: Nord, number: 1a}}]\n",
}


def _renamed(site: Site, how: str) -> None:
    place = "North" if how == "room" else "Nord"
    number = "1" if how == "location" else "1a"
    site.write(
        {
            "moved.yml": MOVED[how],
            "locations.yml": f"- name: {place}\n- name: South\n",
            # The rooms of a renamed location need no row of their own either.
            "rooms.yml": f"- {{building_id: North, number: {number!r}, name: Store}}\n"
            "- {building_id: South, number: '1'}\n",
        }
    )


def _rooms(site: Site) -> dict[str, str]:
    return {record["fields"]["barcode"]: record["fields"]["target_room"] for record in site.dump()["objects"]}


@pytest.fixture
def applied(site: Site) -> Site:
    """Create objects in rooms."""
    site.write(FILES)
    assert site.run().outcome == "changed"
    return site


@pytest.mark.parametrize("how", MOVED)
def test_rows_that_name_the_old_place_mean_the_new_one(applied: Site, how: str) -> None:
    before = _rooms(applied)
    _renamed(applied, how)
    planned = applied.plan()
    assert planned.findings == []
    assert {change["section"] for change in planned.changes} == {"locations", "rooms"} - (
        {"locations"} if how == "room" else {"rooms"} if how == "location" else set()
    )
    warnings = [warning for warning in planned.warnings if warning.startswith("moved.")]
    assert warnings
    assert all(warning.endswith("read as the renamed records; write the new names there, too.") for warning in warnings)
    assert applied.run().outcome == "changed"
    assert [bool(room) for room in _rooms(applied).values()] == [bool(room) for room in before.values()]
    again = applied.plan()
    assert (again.outcome, again.findings) == ("unchanged", [])


@pytest.mark.parametrize("how", MOVED)
def test_a_plan_file_knows_the_old_names(applied: Site, tmp_path: Path, how: str) -> None:
    _renamed(applied, how)
    applied.write({"objects.csv": FILES["objects.csv"] + "4,Sofa,North/1,\n"})
    applied.plan(plan_file=tmp_path / "a.plan")
    done = applied.run(plan_file=tmp_path / "a.plan")
    assert done.outcome == "changed", done
    assert applied.plan().outcome == "unchanged"


def test_a_name_that_another_record_has_now_means_that_one(applied: Site) -> None:
    _renamed(applied, "room")
    assert applied.run().outcome == "changed"
    rooms = (applied.root / "rooms.yml").read_text() + "- {building_id: North, number: '1', name: New}\n"
    applied.write({"rooms.yml": rooms, "objects.csv": FILES["objects.csv"] + "4,Sofa,North/1a,\n"})
    planned = applied.plan()
    assert planned.findings == []
    moved = {change["key"] for change in planned.changes if change["section"] == "objects"}
    assert moved == {"1", "2", "4"}
    assert not [
        warning
        for warning in planned.warnings
        if warning.startswith("moved.rooms") and "North/1'" in warning and "both" not in warning
    ]


def test_names_that_must_not_be_shown_are_not_named(applied: Site) -> None:
    _renamed(applied, "room")
    desired = applied.load()
    desired.hiding.names.add("serial_number")
    warnings = [warning for warning in applied.run(desired, check_mode=True).warnings if warning.startswith("moved")]
    assert warnings == ["moved: records are referred to by their old names; write the new ones."]


def test_a_name_that_nothing_ever_had_is_a_finding(applied: Site) -> None:
    _renamed(applied, "both")
    applied.write({"objects.csv": FILES["objects.csv"] + "4,Sofa,North/9,\n"})
    (finding,) = applied.plan().findings
    assert finding.startswith("objects.csv:5:8: target_room: ")


def test_a_scope_may_name_the_old_place(applied: Site) -> None:
    applied.write(
        {
            "instance.yml": "api: seventhings/v1\nset: test\nscope: {objects: {target_room: [North/1]}}\n",
            "objects.csv": "barcode,inventory_name,target_room\n1,Lamp,North/1\n2,Desk,North/1\n",
        }
    )
    assert applied.plan().outcome == "unchanged"
    _renamed(applied, "room")
    assert applied.plan().findings == []


def test_the_object_of_an_offer_may_have_its_old_barcode(applied: Site) -> None:
    applied.write({"hub.yml": "- {object: '1', price: 10}\n"})
    assert applied.run().outcome == "changed"
    applied.write(
        {
            "moved.yml": "objects: [{from: {barcode: '1'}, to: {barcode: A1}}]\n",
            "objects.csv": FILES["objects.csv"].replace("\n1,", "\nA1,"),
        }
    )
    assert applied.plan().findings == []
    assert applied.run().outcome == "changed"
    assert applied.plan().outcome == "unchanged"


def _room(place: str) -> dict[str, str]:
    return {"building_id": place, "number": "1"}


_LOCATION = ({"name": "North"}, {"name": "Nord"})
_FLOOR = ({"name": "North", "zip": "1"}, {"name": "Nord", "zip": "1"})
_NUMBER = ({"building_id": "Nord", "number": 1}, {"building_id": "Nord", "number": "1a"})


@pytest.mark.parametrize(
    ("moved", "target", "written", "now"),
    [
        ({"locations": [_LOCATION]}, "room", "North/1", ["Nord/1"]),
        (
            {"locations": [_LOCATION]},
            "room",
            {"building_id": "North", "number": "1"},
            [{"building_id": "Nord", "number": "1"}],
        ),
        ({"locations": [_LOCATION]}, "room", _room("South"), []),
        ({"locations": [_LOCATION]}, "room", 7, []),
        ({"locations": [_LOCATION]}, "location", {"name": "North"}, [{"name": "Nord"}]),
        ({"locations": [_LOCATION]}, "location", 7, []),
        ({"locations": [_LOCATION]}, "object", "North", []),
        # A room's path has one segment for its location.
        ({"locations": [_FLOOR]}, "room", "North/1", []),
        ({"locations": [_LOCATION], "rooms": [_NUMBER]}, "room", "North/1", ["Nord/1", dict(_NUMBER[1])]),
        # Renamed and renamed back.
        ({"locations": [_LOCATION, _LOCATION[::-1]]}, "location", "North", [{"name": "Nord"}, {"name": "North"}]),
    ],
)
def test_a_name_is_followed_in_the_form_that_it_has(moved: Any, target: str, written: Any, now: list[Any]) -> None:
    assert list(OldNames(moved).now(target, written)) == now


def test_a_history_of_names_is_followed_so_far_and_no_further() -> None:
    pairs = [({"barcode": str(number)}, {"barcode": str(number + 1)}) for number in range(100)]
    found = list(OldNames({"objects": pairs}).now("object", "0"))
    assert found == [{"barcode": str(number)} for number in range(1, 21)]
