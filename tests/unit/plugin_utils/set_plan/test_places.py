# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers that are names and ids, similar names, and a room with the location of another room."""

from __future__ import annotations

from typing import Any

import pytest
from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS

PLACES: dict[str, str | bytes] = {
    "locations.yml": yaml_list([{"name": "Dresden"}, {"name": "Leipzig"}]),
    "rooms.yml": yaml_list(
        [{"building_id": "Dresden", "number": "1.04"}, {"building_id": "Leipzig", "number": "3.01"}]
    ),
}


def thing(**more: Any) -> str:
    return yaml_list([{"barcode": "100017", "inventory_name": "Notebook", **more}])


@pytest.fixture
def numbered(site: Site) -> tuple[Site, int]:
    """Create a location whose name is the id of another location."""
    site.write({"locations.yml": yaml_list([{"name": "Dresden"}])})
    site.run()
    (dresden,) = site.client().list_all(KINDS["location"])
    assert dresden.id is not None
    site.write({"locations.yml": yaml_list([{"name": "Dresden"}, {"name": str(dresden.id)}])})
    return site, dresden.id


@pytest.mark.parametrize("exists", [True, False])
def test_an_integer_that_is_an_id_and_a_name_is_a_finding_that_names_both(
    numbered: tuple[Site, int], exists: bool
) -> None:
    site, number = numbered
    if exists:
        site.run()
    site.write({"rooms.yml": f"- {{building_id: {number}, number: '1.04'}}\n"})
    (found,) = site.run().findings
    uuids = [record.uuid for record in site.client().list_all(KINDS["location"])]
    assert found.startswith(f"rooms.yml:1:17: building_id: {number} is the id of the location 'Dresden' ({uuids[0]})")
    assert (uuids[1] if exists else "locations.yml:2:3") in found
    site.write({"rooms.yml": f"- {{building_id: '{number}', number: '1.04'}}\n"})
    assert site.run().outcome == "changed"


def test_a_cell_of_a_table_is_a_name(numbered: tuple[Site, int]) -> None:
    site, number = numbered
    site.write({"rooms.csv": f"building_id,number\n{number},1.04\n"})
    assert site.run().outcome == "changed"
    (room,) = site.client().list_all(KINDS["room"])
    assert room.flat["building_id"] != number


@pytest.mark.sample(4)
@pytest.mark.parametrize("column", ["target", "actual"])
@pytest.mark.parametrize(("location", "is_fine"), [("Dresden", True), ("Leipzig", False), (None, False)])
@pytest.mark.parametrize("exists", [True, False])
def test_a_room_and_a_location_that_disagree_are_a_finding(
    site: Site, column: str, location: str | None, is_fine: bool, exists: bool
) -> None:
    settings = "api: seventhings/v1\nset: test\nobserved: {objects: []}\n"
    site.write({"instance.yml": settings, **PLACES})
    if exists:
        site.run()
    record = thing(**{f"{column}_room": "Dresden/1.04", f"{column}_building": location})
    site.write({"objects.yml": record})
    result = site.run(limits={"create_percent": 1000})
    if is_fine:
        assert result.outcome == "changed"
        assert site.plan().outcome == "unchanged"
    else:
        (found,) = result.findings
        assert found.startswith("objects.yml:4:")
        assert f"{column}_building" in found
        assert "Dresden/1.04" in found
        assert "'Dresden'" in found


def test_objects_follow_a_room_that_the_files_move(site: Site) -> None:
    site.write({**PLACES, "objects.yml": thing(target_room="Dresden/1.04", target_building="Dresden")})
    assert site.run().outcome == "changed"
    room = {"building_id": "Leipzig", "number": "1.04"}
    moved = {"rooms": [{"from": {"building_id": "Dresden", "number": "1.04"}, "to": room}]}
    site.write(
        {
            "rooms.yml": yaml_list([room, {"building_id": "Leipzig", "number": "3.01"}]),
            "moved.yml": str(moved).replace("'", '"'),
            "objects.yml": thing(target_room="Leipzig/1.04", target_building="Dresden"),
        }
    )
    (found,) = site.plan().findings
    assert "is in 'Leipzig'" in found


def test_writing_a_room_or_location_never_adds_the_other_field(site: Site) -> None:
    site.write({**PLACES, "objects.yml": thing(target_room="Dresden/1.04")})
    (change,) = (change for change in site.plan().changes if change["section"] == "objects")
    assert set(change["after"]) == {"barcode", "inventory_name", "target_room"}


def test_labels_couple_no_room_with_a_location(site: Site) -> None:
    """People choose labels: a room may have a field Room that leads into another location."""
    fields = yaml_list([{"label": "Room", "type": "LINKED_ROOM"}, {"label": "Building", "type": "LINKED_LOCATION"}])
    site.write({**PLACES, "fields/room.yml": fields, "fields/asset.yml": fields})
    assert site.run().outcome == "changed"
    far = {"building_id": "Leipzig", "number": "3.01", "Room": "Dresden/1.04"}
    elsewhere = thing(Room="Dresden/1.04", Building="Leipzig")
    site.write({"rooms.yml": yaml_list([{"building_id": "Dresden", "number": "1.04"}, far]), "objects.yml": elsewhere})
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"
