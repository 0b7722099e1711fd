# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rename also applies to references by the old name, in the run that renames the record and later."""

from __future__ import annotations

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


@pytest.fixture
def applied(site: Site) -> Site:
    """Create objects in rooms."""
    site.write(FILES)
    assert site.run().outcome == "changed"
    return site


def test_names_that_must_not_be_shown_are_not_named(applied: Site) -> None:
    _renamed(applied, "room")
    desired = applied.load()
    desired.hiding.names.add("serial_number")
    warnings = [warning for warning in applied.run(desired, check_mode=True).warnings if warning.startswith("moved")]
    assert warnings == ["moved: records are referred to by their old names; write the new ones."]


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
