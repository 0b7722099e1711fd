# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings that one part of the files causes in another: requirements of definitions, removed and shared values."""

from __future__ import annotations

import pytest
from instance_site import SETTINGS, Site, yaml_list
from records import record_of

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS, ROOM
from ansible_collections.community.seventhings.plugins.module_utils.resolve.field_visibility import LIMITED

GOOD = '- barcode: "1"\n  inventory_name: One\n- barcode: "2"\n  inventory_name: Two\n'


def _starts(findings: list[str]) -> list[str]:
    """Return place and field of each finding."""
    return [":".join(finding.split(":")[:4]) for finding in findings]


# ---- what follows from the definitions, from the clock, from what is taken away


def test_values_are_checked_against_the_definitions_in_the_same_files(site: Site) -> None:
    rules = (
        "- {label: Code, type: TEXT, constraints: {max_length: 3, regular_expression: '^[A-Z]+$'}}\n"
        "- {label: Seats, type: NUMBER, constraints: {min_value: 2, max_value: 4}}\n"
        "- {label: Size, type: DROPDOWN, possible_values: [S, L], attributes: {mandatory: true}}\n"
    )
    first = '- {barcode: "1", inventory_name: One, Code: ABCD, Seats: 5, Size: S}\n'
    second = '- {barcode: "2", inventory_name: Two, Code: ab, Seats: 1, Size: XL}\n'
    third = '- {barcode: "3", inventory_name: Three}\n'
    site.write({"fields/asset.yml": rules, "objects.yml": first + second + third})
    assert _starts(site.plan().findings) == [
        "objects.yml:1:45: Code",
        "objects.yml:1:58: Seats",
        "objects.yml:2:45: Code",
        "objects.yml:2:56: Seats",
        "objects.yml:2:65: Size",
        f"objects.yml:3:3: This object does not exist yet ({LIMITED}) and can't be created without Size",
    ]


def test_values_are_checked_against_the_planned_definitions(site: Site) -> None:
    line = '- {barcode: "1", inventory_name: One, Code: ABCD}\n'
    site.write({"fields/asset.yml": "- {label: Code, type: TEXT}\n", "objects.yml": line})
    assert site.run().outcome == "changed"
    site.write({"fields/asset.yml": "- {label: Code, type: TEXT, constraints: {max_length: 3}}\n"})
    (finding,) = site.plan().findings
    assert finding == "objects.yml:1:45: Code: 'ABCD' does not fit; expected at most 3 characters, found 4"
    site.write({"objects.yml": line.replace("ABCD", "ABC")})
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"


def test_a_field_may_be_written_by_the_label_that_its_definition_gets(site: Site) -> None:
    site.write({"fields/asset.yml": "- {label: Old, type: TEXT}\n"})
    site.run()
    key = next(
        definition["field_key"] for definition in site.client().definitions("asset") if definition["label"] == "Old"
    )
    site.write(
        {
            "fields/asset.yml": f"- {{field_key: {key}, label: New}}\n",
            "objects.yml": '- {barcode: "1", inventory_name: One, New: x}\n',
        }
    )
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"


def test_a_local_time_that_is_not_one_instant_is_reported(site: Site) -> None:
    head = '- {barcode: "1", inventory_name: One, last_inspection: '
    site.write(
        {
            "instance.yml": "api: seventhings/v1\ntimezone: America/New_York\n",
            "objects/a.yml": head + "2024-03-10T02:30:00}\n",
            "objects/b.yml": head.replace('"1"', '"2"') + '"2024-11-03 01:30:00"}\n',
            "objects/c.yml": head.replace('"1"', '"3"') + '"2024-11-03T01:30:00-04:00"}\n',
        }
    )
    assert [finding.partition("; ")[0] for finding in site.plan().findings] == [
        "objects/a.yml:1:56: last_inspection: 2024-03-10 02:30:00 does not exist in America/New_York",
        "objects/b.yml:1:56: last_inspection: 2024-11-03 01:30:00 is twice in America/New_York",
    ]


def test_nothing_may_refer_to_what_is_removed_though_it_does_not_change(site: Site) -> None:
    objects = GOOD + '- barcode: "3"\n  inventory_name: Three\n  accessories: ["1", "2"]\n'
    site.write({"objects.yml": objects})
    site.run()
    site.write({"objects.yml": objects.replace("  inventory_name: Two\n", "  _state: absent\n")})
    limits = {"delete_percent": 100}
    phrase = "is to be removed at"
    assert site.plan(limits=limits).findings == [f"objects.yml:7:22: accessories[1]: object 2 {phrase} objects.yml:3:3"]
    site.write({"objects.yml": objects.replace('- barcode: "2"\n  inventory_name: Two\n', "")})
    # The object is no longer in the files, so a prune removes it.
    (finding,) = site.plan(limits=limits, prune={"objects": "delete"}).findings
    assert finding == f"objects.yml:5:22: accessories[1]: object 2 {phrase} prune of objects"
    (finding,) = site.plan(limits=limits, prune={"objects": "archive"}).findings
    assert "object 2 is to be archived at prune of objects, and no list shows it any more: write its uuid" in finding
    assert site.plan(limits=limits, prune={"objects": "delete"}, exclude=["2"]).findings == []


def test_tasks_rental_cases_and_offers_need_their_objects_too(site: Site) -> None:
    site.write({"objects.yml": GOOD})
    site.run()
    dates = "issue_date: 2027-01-01, due_date: 2027-02-01"
    site.write(
        {
            "objects.yml": '- {barcode: "1", _state: absent}\n- {barcode: "2", inventory_name: Two}\n',
            "tasks.yml": '- {title: T, references: ["2", "1"]}\n',
            "rental_cases.yml": f'- {{title: R, {dates}, references: ["1"], renter: {{type: plain, value: x}}}}\n',
            "hub.yml": '- {object: "1", category: c, price: 1}\n- {object: "2", category: c, price: 1}\n',
        }
    )
    removal = ": object 1 is to be removed at objects.yml:1:3"
    findings = [finding for finding in site.plan().findings if finding.endswith(removal)]
    assert [finding.removesuffix(removal) for finding in findings] == [
        "hub.yml:1:12: object",
        "rental_cases.yml:1:73: references[0]",
        "tasks.yml:1:32: references[1]",
    ]


def test_what_is_archived_is_found_by_its_uuid_alone(site: Site) -> None:
    site.write({"objects.yml": GOOD})
    site.run()
    uuid = next(record.uuid for record in site.client().list_all(KINDS["object"]) if record.flat["barcode"] == "2")
    files = '- {{barcode: "2", _state: archived}}\n- {{barcode: "1", inventory_name: One, accessories: ["{}"]}}\n'
    site.write({"objects.yml": files.format("2")})
    (finding,) = site.plan().findings
    assert finding.startswith("objects.yml:2:53: accessories[0]: object 2 is to be archived at objects.yml:1:3, and ")
    site.write({"objects.yml": files.format(uuid)})
    assert site.run(limits={"delete_percent": 100}).outcome == "changed"
    assert site.plan().outcome == "unchanged"


def test_a_location_is_not_removed_while_objects_are_in_a_room_of_it(site: Site) -> None:
    site.write(
        {
            "locations.yml": "- {name: Depot}\n",
            "rooms.yml": '- {building_id: Depot, number: "1", name: Hall}\n',
            "objects.yml": '- {barcode: "1", inventory_name: One, target_room: Depot/1}\n',
        }
    )
    site.run()
    (site.root / "rooms.yml").unlink()
    site.write({"locations.yml": "- {name: Depot, _state: absent}\n"})
    (finding,) = site.plan(allow=["empty_sources"]).findings
    assert finding.startswith(
        "locations.yml:1:3: location Depot is to be removed, and room Depot/1 (building_id) refers"
    )


def test_a_user_is_not_created_from_a_person_who_is_removed(site: Site) -> None:
    person = "- {email: ada@acme.example, first_name: Ada, last_name: Jensen}\n"
    site.write({"instance.yml": SETTINGS + "", "persons.yml": person})
    site.run()
    site.write({"persons.yml": "- {email: ada@acme.example, _state: absent}\n", "users.yml": "- ada@acme.example\n"})
    (finding,) = site.plan().findings
    assert finding == "users.yml:1:3: email: person ada@acme.example is to be removed at persons.yml:1:3"


def test_what_is_renamed_is_called_by_its_new_name(site: Site) -> None:
    second = ROOM.labels[1]
    objects = (
        '- {{barcode: "{}", inventory_name: One}}\n'
        '- {{barcode: "2", inventory_name: Two, target_room: {}, accessories: ["{}"]}}\n'
    )
    site.write(
        {
            "locations.yml": "- {name: Depot}\n",
            "rooms.yml": yaml_list([record_of(ROOM, "Depot/1", **{second: "Hall"})]),
            "objects.yml": objects.format("1", "Depot/Hall", "1"),
        }
    )
    site.run()
    site.write(
        {
            "moved.yml": "locations: [{from: {name: Depot}, to: {name: Store}}]\n"
            "objects: [{from: {barcode: '1'}, to: {barcode: '9'}}]\n",
            "locations.yml": "- {name: Store}\n",
            "objects.yml": objects.format("9", "Depot/Hall", "1"),
        }
    )
    # Records that moved.yml renames are found by their old name.
    assert site.plan().findings == []
    site.write({"rooms.yml": yaml_list([record_of(ROOM, "Store/1", **{second: "Nave"})])})
    assert _starts(site.plan().findings) == ["objects.yml:2:52: target_room"]
    site.write({"objects.yml": objects.format("9", "Store/Hall", "9")})
    (finding,) = site.plan().findings
    assert "room 'Store/Hall' (" in finding
    assert finding.endswith(") is renamed by these files; write its new name")
    site.write({"objects.yml": objects.format("9", "Store/Nave", "9")})
    assert site.run(limits={"update_percent": 100}).outcome == "changed"
    assert site.plan().outcome == "unchanged"


# ---- what follows from a mistake


def test_a_name_that_two_records_share_is_reported_without_the_written_one(site: Site) -> None:
    client = site.client()
    for _twice in range(2):
        client.create(KINDS["location"], {"name": "Depot"})
    site.write({"locations.yml": "- {name: Depot}\n", "rooms.yml": '- {building_id: Depot, number: "1", name: A}\n'})
    (finding,) = site.plan().findings
    assert finding.startswith("locations.yml:1:3: ")
    assert "2 locations" in finding


def test_a_label_that_two_fields_share_is_one_finding(site: Site) -> None:
    client = site.client()
    rest = dict.fromkeys(("comment", "default_value", "possible_values"))
    body = {"label": "Shared", "field_type": {"name": "TEXT", "constraints": []}, "attributes": [], "relations": []}
    for _twice in range(2):
        client.create(KINDS["field_definition"], {**body, **rest}, "asset")
    site.write({"fields/asset.yml": "- {label: Shared, comment: x}\n"})
    (finding,) = site.plan().findings
    assert finding.startswith("fields/asset.yml:1:3: ")
    assert "2 field definitions" in finding


def test_a_time_that_does_not_exist_is_reported_as_it_was_written(site: Site) -> None:
    site.write(
        {
            "instance.yml": "api: seventhings/v1\ntimezone: Europe/Berlin\n",
            "objects.yml": '- {barcode: "1", inventory_name: One, last_inspection: "2024-13-01 12:00"}\n',
        }
    )
    (finding,) = site.plan().findings
    assert finding.startswith("objects.yml:1:56: last_inspection: '2024-13-01 12:00' does not fit; expected ")


@pytest.mark.parametrize(
    ("setting", "finding"),
    [
        ("scope: {hub: {price: [1]}}", "2:22: scope.hub.price: hub have no scope"),
        (
            "identity: {objects: [barcod]}",
            "2:21: identity.objects: barcod: no such field in an object; did you mean barcode or Barcode?",
        ),
        (
            "identity: {hub: [price]}",
            "2:17: identity.hub: price: the records of this section are identified in one way only",
        ),
        ("marker: barcod", "2:9: marker: barcod: no such field in an object; did you mean barcode or Barcode?"),
    ],
)
def test_settings_that_name_no_field_are_reported(site: Site, setting: str, finding: str) -> None:
    prune = "policy: {prune: {objects: delete}}\n"
    site.write({"instance.yml": f"api: seventhings/v1\n{setting}\n{prune}", "objects.yml": GOOD, "hub.yml": "[]\n"})
    assert finding in [finding.removeprefix("instance.yml:") for finding in site.plan().findings]


def test_a_marker_that_no_record_can_have_is_reported_though_nothing_is_pruned(site: Site) -> None:
    settings = "api: seventhings/v1\nmarker: barcod\n"
    site.write({"instance.yml": settings, "objects.yml": GOOD, "locations.yml": "[]\n"})
    found = site.plan().findings
    assert "instance.yml:2:9: marker: barcod: no such field in an object; did you mean barcode or Barcode?" in found
    site.write({"instance.yml": settings.replace("barcod", "barcode")})
    assert site.plan().findings == []


def test_renames_of_a_section_without_files_are_reported(site: Site) -> None:
    site.write({"moved.yml": "rooms:\n  - {from: {number: '1'}, to: {number: '2'}}\n"})
    assert site.plan().findings == ["moved.yml:2:5: moved.rooms: the files contain no rooms"]


@pytest.mark.parametrize("number", [1, 99])
def test_an_id_or_a_uuid_must_mean_something(site: Site, number: int) -> None:
    client = site.client()
    place = client.create(KINDS["location"], {"name": "Depot"})
    written = {1: place, 99: "00000000-0000-4000-8000-000000000099"}[number]
    room = f"- {{building_id: {written}, number: '1', name: A}}\n- {{building_id: {number}, number: '2', name: B}}\n"
    site.write({"rooms.yml": room})
    found = (
        []
        if number == 1
        else [
            f"rooms.yml:1:17: building_id: there is no location with the uuid {written}",
            "rooms.yml:2:17: building_id: there is no location with the id 99",
        ]
    )
    assert site.plan().findings == found


def test_an_archived_object_may_be_referred_to_by_its_uuid(site: Site) -> None:
    client = site.client()
    archived = client.create(KINDS["object"], {"barcode": "9", "inventory_name": "Nine"})
    client.archive(KINDS["object"], archived, False)
    site.write({"objects.yml": f"- {{barcode: '1', inventory_name: One, accessories: [{archived}]}}\n"})
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"


def test_dates_and_lists_of_references_may_identify_a_record(site: Site) -> None:
    identity = "identity: {objects: [last_inspection, accessories]}\n"
    text = (
        "- {barcode: '1', inventory_name: One, last_inspection: '2024-05-01T10:00:00+02:00', accessories: ['9', '8']}\n"
    )
    others = "- {barcode: '8', inventory_name: x}\n- {barcode: '9', inventory_name: y}\n"
    site.write({"objects.yml": others})
    site.run()
    site.write({"instance.yml": SETTINGS + identity, "objects.yml": text})
    assert site.run().outcome == "changed"
    site.service.steer("PUT", "/switches", {"datetime_read": "utc"})
    moved = text.replace("10:00:00+02:00", "08:00:00+00:00").replace("'9', '8'", "'8', '9'").replace("One", "Two")
    site.write({"objects.yml": moved})
    assert [change["after"] for change in site.plan().changes] == [{"inventory_name": "Two"}]


def test_an_object_that_is_offered_is_claimed_once(site: Site) -> None:
    site.write({"objects.yml": GOOD, "hub.yml": "- {object: '1', category: c, price: 1}\n- {object: {barcode: '1'}}\n"})
    (finding,) = site.plan().findings
    assert finding.startswith("hub.yml:2:3: the hub item")
