# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rename also applies to references by the old name, in the run that renames the record and later."""

from __future__ import annotations

from typing import Any

import pytest
from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT

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


@pytest.mark.sample(4)
@pytest.mark.parametrize("how", MOVED)
@pytest.mark.parametrize(
    "written",
    [
        "North/1",
        "North/Store",
        {"building_id": "North", "number": "1"},
        {"building_id": {"name": "North"}, "number": "1"},
    ],
    ids=str,
)
def test_a_reference_may_have_an_old_name_in_any_form(applied: Site, how: str, written: Any) -> None:
    _renamed(applied, how)
    applied.write({"objects/more.yml": yaml_list([{"barcode": "4", "inventory_name": "Bed", "target_room": written}])})
    assert applied.run().findings == []
    rooms = {record.flat["barcode"]: record.flat["target_room"] for record in applied.client().list_all(OBJECT)}
    assert rooms["4"] == rooms["1"]
    assert applied.plan().outcome == "unchanged"


def test_a_history_of_names_is_followed(site: Site) -> None:
    site.write({"locations.yml": "- name: n2\n"})
    site.run()
    pairs = [{"from": {"name": f"n{number}"}, "to": {"name": f"n{number + 1}"}} for number in range(30)]
    thing = {"barcode": "1", "inventory_name": "Lamp", "target_building": "n0"}
    site.write(
        {"locations.yml": "- name: n30\n", "moved.yml": str({"locations": pairs}), "objects.yml": yaml_list([thing])}
    )
    assert site.run().findings == []
    assert site.plan().outcome == "unchanged"
