# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""References to existing and planned records, renames, scope, and skipped records."""

from __future__ import annotations

import random
from typing import Any

import pytest
from instance_site import SETTINGS, Site, yaml_list
from records import record_of

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS, ROOM
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import Reference

PLACES = {
    "locations.yml": "- name: Head office\n- name: Depot\n",
    "rooms.yml": '- {building_id: Head office, number: "1", name: Store}\n'
    '- {building_id: Depot, number: "1", name: Hall}\n',
}

BY_ONE_NAME = {
    **PLACES,
    "rooms.yml": yaml_list([record_of(ROOM, "Head office/1"), record_of(ROOM, "Depot/1")]),
}
"""The same places with a single name for each room."""


def _object(barcode: str, **fields: Any) -> dict[str, Any]:
    return {"barcode": barcode, "inventory_name": f"Thing {barcode}", **fields}


def _fields(site: Site, kind: str, key: str) -> dict[str, dict[str, Any]]:
    return {record["fields"][key]: record["fields"] for record in site.dump()[kind]}


# ---- references


@pytest.mark.parametrize(
    "written",
    [
        "Depot/1",
        "Depot/Hall",
        "Hall",
        {"building_id": "Depot", "number": "1"},
        {"building_id": {"name": "Depot"}, "name": "Hall"},
        {"name": "Hall"},
    ],
    ids=str,
)
def test_a_reference_means_the_same_before_and_after_its_record_is_created(site: Site, written: Any) -> None:
    site.write({**PLACES, "objects.yml": yaml_list([_object("1", target_room=written)])})
    result = site.run()
    assert result.outcome == "changed", result.findings
    dump = site.dump()
    (room,) = [room["name"] for room in dump["rooms"] if room["fields"]["name"] == "Hall"]
    assert dump["objects"][0]["fields"]["target_room"] == room
    assert site.plan().outcome == "unchanged"


def test_an_integer_without_quotes_is_an_id_and_with_quotes_a_natural_key(site: Site) -> None:
    site.write({**PLACES, "rooms.yml": '- {building_id: Depot, number: "1", name: Hall}\n'})
    site.run()
    (hall,) = [record for record in site.client().list_all(KINDS["room"]) if record.flat["name"] == "Hall"]
    depot = Reference("location", **hall.flat["building_id"]).id
    site.write(
        {
            "objects.yml": f"""
- {{barcode: "1", inventory_name: a, target_room: {hall.id}}}
- {{barcode: "2", inventory_name: b, target_room: {{building_id: {depot}, number: "1"}}}}
""",
            "objects/more.jsonl": f'{{"barcode": "3", "inventory_name": "c", "target_room": {hall.id}}}\n',
        }
    )
    assert site.run().findings == []
    assert {str(field["target_room"]) for field in _fields(site, "objects", "barcode").values()} == {
        next(room["name"] for room in site.dump()["rooms"] if room["fields"]["name"] == "Hall")
    }
    assert site.plan().outcome == "unchanged"
    site.write({"objects/more.jsonl": f'{{"barcode": "3", "inventory_name": "c", "target_room": "{hall.id}00"}}\n'})
    assert f"there is no room '{hall.id}00'" in site.plan().findings[0]
    # A second room has the same number, and the id of the first one is that number too.
    site.write({**PLACES, "objects/more.jsonl": ""})
    assert hall.id == 1
    assert "1 is the id of the room 'Depot/1'" in site.plan().findings[0]


@pytest.mark.parametrize("written", ["0001235", "1.10", "2024-05-31"])
def test_another_reference_without_quotes_wants_them(site: Site, written: str) -> None:
    site.write({**PLACES, "objects.yml": f'- {{barcode: "1", inventory_name: x, target_room: {written}}}\n'})
    (finding,) = site.plan().findings
    assert finding.startswith("objects.yml:1:50: target_room: ")
    assert f'expected the natural key of one room in quotes ("{written}"), or its integer id' in finding


def test_a_reference_that_several_records_fit_names_all_of_them(site: Site) -> None:
    site.write({**PLACES, "objects.yml": yaml_list([_object("1", target_room="1")])})
    (before_apply,) = site.plan().findings
    assert "2 rooms have the natural key '1': the one at rooms.yml:1:3, the one at rooms.yml:2:3" in before_apply
    site.write({"objects.yml": "[]"})
    assert site.run().outcome == "changed"
    site.write({"objects.yml": yaml_list([_object("1", target_room="1")])})
    (finding,) = site.plan().findings
    assert finding.startswith("objects.yml:3:16: target_room: 2 rooms have the natural key '1': ")


def test_names_with_slashes_are_read_in_every_way_and_must_fit_once(site: Site) -> None:
    site.write(
        {
            "locations.yml": "- name: A\n- name: A/B\n",
            "rooms.yml": '- {building_id: A, number: "B/C", name: x}\n- {building_id: A/B, number: "D", name: y}\n',
            "objects.yml": yaml_list([_object("1", target_room="A/B/C"), _object("2", target_room="A/B/D")]),
        }
    )
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"
    site.write(
        {"rooms.yml": '- {building_id: A, number: "B/C", name: x}\n- {building_id: A/B, number: "C", name: y}\n'}
    )
    assert any("2 rooms have the natural key 'A/B/C'" in finding for finding in site.plan().findings)


def test_circular_links_are_written_in_a_second_pass(site: Site) -> None:
    site.write(
        {
            "objects.yml": yaml_list(
                [_object("1", accessories=["2"]), _object("2", accessories=["3", "1"]), _object("3", accessories=["3"])]
            )
        }
    )
    result = site.run()
    assert result.outcome == "changed"
    assert result.summary["objects"] == {
        "created": 3,
        "updated": 0,
        "deleted": 0,
        "archived": 0,
        "unchanged": 0,
        "errors": 0,
        "skipped": 0,
    }
    objects = _fields(site, "objects", "barcode")
    assert [len(objects[barcode]["accessories"]) for barcode in ("1", "2", "3")] == [1, 2, 1]
    assert site.plan().outcome == "unchanged"


def test_what_depends_on_a_record_that_fails_is_skipped_and_named(site: Site) -> None:
    site.write({**BY_ONE_NAME, "objects.yml": yaml_list([_object("1", target_room="Depot/1"), _object("2")])})
    site.service.steer("PUT", "/faults", [{"fault": "422", "method": "POST", "path": "/room", "probability": 1}])
    result = site.run()
    assert result.outcome == "partly_applied"
    reasons = {failure["change"]: failure["reason"] for failure in result.failures}
    assert set(reasons) == {"room Head office/1", "room Depot/1", "object 1"}
    assert reasons["object 1"] == "needs room Depot/1, which was not created"
    assert result.summary["objects"]["created"] == result.summary["objects"]["skipped"] == 1
    site.service.steer("DELETE", "/faults")
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"


def test_an_update_of_links_alone_is_done_in_the_second_pass(site: Site) -> None:
    site.write({"objects.yml": yaml_list([_object("1")])})
    site.run()
    site.write({"objects.yml": yaml_list([_object("1", accessories=["2"]), _object("2")])})
    site.service.steer("PUT", "/faults", [{"fault": "422", "method": "POST", "path": "/object"}])
    for _run in range(2):
        result = site.run()
        assert result.outcome == "failed"
        assert result.summary["objects"] == {**dict.fromkeys(result.summary["objects"], 0), "errors": 1, "skipped": 1}
    site.service.steer("DELETE", "/faults")
    result = site.run()
    assert result.outcome == "changed"
    assert result.summary["objects"]["created"] == result.summary["objects"]["updated"] == 1


def test_records_with_a_field_whose_definition_failed_are_skipped(site: Site) -> None:
    site.write(
        {
            "fields/asset.yml": "- {label: Shelf, type: TEXT}\n",
            "objects.yml": yaml_list([_object("1", Shelf="a"), _object("2")]),
        }
    )
    site.service.steer("PUT", "/faults", [{"fault": "422", "method": "POST", "path": "/asset-tracking/*"}])
    result = site.run()
    assert {failure["change"] for failure in result.failures} == {"field definition asset Shelf", "object 1"}
    assert result.summary["objects"]["created"] == 1
    site.service.steer("DELETE", "/faults")
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"


# ---- renames


def test_two_entries_can_not_mean_one_record(site: Site) -> None:
    site.write({"locations.yml": "- name: Depot\n"})
    site.run()
    site.write(
        {
            "moved.yml": "locations:\n- {from: {name: Depot}, to: {name: Warehouse}}\n",
            "locations.yml": "- name: Depot\n- name: Warehouse\n",
        }
    )
    (finding,) = site.plan().findings
    assert finding.startswith("locations.yml:2:3: the location ")
    assert finding.endswith(
        "is described both here and at locations.yml:1:3; moved.yml:2:3 renames it (Depot to Warehouse), so give its "
        "old key to another record in a later run"
    )


def test_a_rename_with_an_unknown_field_is_found(site: Site) -> None:
    site.write({"moved.yml": "locations:\n- {from: {nam: A}, to: {name: B}}\n", "locations.yml": "- name: B\n"})
    (finding,) = site.plan().findings
    assert finding.startswith("moved.yml:2:3: nam: no such field in a location; did you mean name")


# ---- scope


SCOPED = "api: seventhings/v1\nset: test\nscope: {objects: {target_room: [Depot/1]}}\n"


@pytest.fixture
def scoped(site: Site) -> Site:
    """Apply two objects in the depot and one in the head office. The set is limited to the depot."""
    objects = [_object("1", target_room="Depot/1"), _object("2", target_room="Depot/1")]
    site.write({**PLACES, "objects.yml": yaml_list([*objects, _object("9", target_room="Head office/1")])})
    assert site.run().outcome == "changed"
    site.write({"instance.yml": SCOPED, "objects.yml": yaml_list(objects)})
    site.service.clear_log()
    return site


def test_records_outside_of_the_scope_are_ignored(scoped: Site) -> None:
    result = scoped.plan()
    assert result.outcome == "unchanged"
    assert result.reported == {}


@pytest.mark.parametrize(
    ("scope", "message"),
    [
        ("{objects: {actual_rom: [Depot/1]}}", "scope.objects.actual_rom: no such field"),
        ("{objects: {target_room: [Nowhere/1]}}", "scope.objects.target_room: there is no room 'Nowhere/1'"),
        ("{objcts: {target_room: [Depot/1]}}", "scope.objcts: no such section; did you mean objects?"),
        ("{objects: {target_room: []}}", "scope.objects.target_room: expected the values in scope, at least one"),
        ("{objects: []}", "scope.objects: expected a map of field key"),
        ("[]", "scope: expected a map of sections"),
    ],
)
def test_an_invalid_scope_is_an_error_and_never_ignored(scoped: Site, scope: str, message: str) -> None:
    scoped.write({"instance.yml": f"api: seventhings/v1\nscope: {scope}\n"})
    result = scoped.run()
    assert result.outcome == "failed"
    assert any(message in finding and finding.startswith("instance.yml:2:") for finding in result.findings), result
    assert scoped.writes() == []


def test_a_finding_about_an_invalid_identity_has_its_place(site: Site) -> None:
    site.write({"instance.yml": "api: seventhings/v1\nidentity:\n  rooms: [nope]\n", **PLACES})
    assert [finding for finding in site.run().findings if finding.startswith("instance.yml:3:10: identity.rooms: no")]


# ---- only, exclude


def test_only_and_exclude_choose_sections_and_keys(site: Site) -> None:
    site.write({**PLACES, "objects.yml": yaml_list([_object("1"), _object("2")])})
    assert {change["section"] for change in site.plan(only=["locations"]).changes} == {"locations"}
    assert [change["key"] for change in site.plan(only=["2"]).changes] == ["2"]
    assert [change["key"] for change in site.plan(only=["objects"], exclude=["2"]).changes] == ["1"]
    assert {change["section"] for change in site.plan(exclude=["object"]).changes} == {"locations", "rooms"}


def test_leaving_out_what_others_need_is_found(site: Site) -> None:
    site.write({**PLACES, "objects.yml": yaml_list([_object("1", target_room="Depot/1")])})
    result = site.run(only=["objects"])
    assert result.outcome == "failed"
    assert result.findings == [
        "objects.yml:3:16: target_room: room 'Depot/1' does not exist yet, and creating it is not part of this plan"
    ]
    assert site.writes() == []


# ---- order


@pytest.mark.parametrize("seed", range(3))
def test_the_plan_does_not_depend_on_the_order_of_files_and_records(site: Site, seed: int) -> None:
    objects = [_object(str(number), target_room="Depot/1" if number % 2 else None) for number in range(20)]
    site.write({**PLACES, "objects.yml": yaml_list(objects)})
    first = site.plan().changes
    random.Random(seed).shuffle(objects)
    (site.root / "objects.yml").unlink()
    site.write({"objects/z.yml": yaml_list(objects[:7]), "objects/a.yml": yaml_list(objects[7:])})
    assert [{**change, "place": ""} for change in site.plan().changes] == [{**change, "place": ""} for change in first]


def test_a_room_is_called_by_its_location_however_that_was_written(site: Site) -> None:
    site.write({**PLACES, "rooms.yml": '- {building_id: {name: Depot}, number: "1"}\n'})
    (change,) = (change for change in site.plan(only=["Depot/1", "locations"]).changes if change["section"] == "rooms")
    assert change["key"] == "Depot/1"


# ---- what fails


def test_a_record_that_was_not_created_is_reported_once_though_its_links_are_missing_too(site: Site) -> None:
    site.write({"objects.yml": yaml_list([_object("1", accessories=["2"]), _object("2", accessories=["1"])])})
    site.service.steer("PUT", "/faults", [{"fault": "422", "method": "POST", "path": "/object"}])
    result = site.run()
    assert result.summary["objects"] | {"errors": 2, "skipped": 0} == result.summary["objects"]
    assert [failure["change"] for failure in result.failures] == ["object 1", "object 2"]
    site.service.steer("DELETE", "/faults")


# ---- rooms by one of their two keys


@pytest.mark.parametrize("identity", ["[name]", "[number]", "[building_id, name]"])
def test_rooms_that_are_identified_otherwise_are_still_referred_to_by_path(site: Site, identity: str) -> None:
    site.write(
        {
            "instance.yml": f"{SETTINGS}identity: {{rooms: {identity}}}\n",
            "locations.yml": "- name: L\n",
            "rooms.yml": "- {building_id: L, number: '1', name: r}\n",
            "objects.yml": yaml_list([_object("1", target_room="L/1"), _object("2", target_room="L/r")]),
        }
    )
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"


def test_a_room_without_a_number_needs_a_name_of_its_own(site: Site) -> None:
    unnumbered, numbered = "- {building_id: L, name: Store}\n", "- {building_id: L, number: '1', name: Store}\n"
    for rooms in (unnumbered + numbered, numbered + unnumbered):
        site.write({"locations.yml": "- name: L\n", "rooms.yml": rooms})
        (finding,) = site.plan().findings
        assert finding == (
            "rooms.yml:2:3: room L/Store is here and at rooms.yml:1:3, and name alone identifies one of them"
        )
    site.write({"rooms.yml": numbered + numbered.replace("1", "2")})
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"


# ---- scope


def test_a_scope_may_name_what_the_files_make_or_rename(site: Site) -> None:
    settings = "{}scope: {{rooms: {{building_id: [{}]}}, objects: {{target_room: [{}/1]}}}}\n"
    room, thing = (
        "- {{building_id: {}, number: '1', name: r}}\n",
        "- {{barcode: '1', inventory_name: x, target_room: {}/1}}\n",
    )
    for name in ("E", "F"):
        site.write(
            {
                "instance.yml": settings.format(SETTINGS, name, name),
                "locations.yml": f"- name: {name}\n",
                "rooms.yml": room.format(name),
                "objects.yml": thing.format(name),
                "moved.yml": "locations: [{from: {name: E}, to: {name: F}}]\n",
            }
        )
        if name == "E":
            (site.root / "moved.yml").unlink()
        assert site.run().outcome == "changed"
        assert site.plan().outcome == "unchanged"
    assert len(site.dump()["locations"]) == 1
