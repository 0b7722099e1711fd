# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings that one part of the files makes in another: what definitions ask for, what is taken away or shared."""

from __future__ import annotations

from instance_site import Site

from ansible_collections.community.seventhings.plugins.module_utils.kinds import KINDS

GOOD = '- barcode: "1"\n  inventory_name: One\n- barcode: "2"\n  inventory_name: Two\n'


def _starts(findings: list[str]) -> list[str]:
    """Place and field of each finding."""
    return [":".join(finding.split(":")[:4]) for finding in findings]


# ---- what follows from the definitions, from the clock, from what is taken away


def test_values_are_held_against_what_the_same_files_say_of_their_fields(site: Site) -> None:
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
        "objects.yml:3:3: This object is not there yet and can't be made without Size",
    ]


def test_values_are_held_against_what_their_fields_will_be(site: Site) -> None:
    one = '- {barcode: "1", inventory_name: One, Code: ABCD}\n'
    site.write({"fields/asset.yml": "- {label: Code, type: TEXT}\n", "objects.yml": one})
    assert site.run().outcome == "changed"
    site.write({"fields/asset.yml": "- {label: Code, type: TEXT, constraints: {max_length: 3}}\n"})
    (finding,) = site.plan().findings
    assert finding == "objects.yml:1:45: Code: 'ABCD' does not fit; expected at most 3 characters, these are 4"
    site.write({"objects.yml": one.replace("ABCD", "ABC")})
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"


def test_a_field_may_be_written_by_the_label_that_its_definition_gets(site: Site) -> None:
    site.write({"fields/asset.yml": "- {label: Old, type: TEXT}\n"})
    site.run()
    key = next(one["field_key"] for one in site.client().definitions("asset") if one["label"] == "Old")
    site.write(
        {
            "fields/asset.yml": f"- {{field_key: {key}, label: New}}\n",
            "objects.yml": '- {barcode: "1", inventory_name: One, New: x}\n',
        }
    )
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"


def test_a_local_time_that_is_not_one_instant_is_told(site: Site) -> None:
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


def test_nothing_may_refer_to_what_is_taken_away_though_it_does_not_change(site: Site) -> None:
    objects = GOOD + '- barcode: "3"\n  inventory_name: Three\n  accessories: ["1", "2"]\n'
    site.write({"objects.yml": objects})
    site.run()
    site.write({"objects.yml": objects.replace("  inventory_name: Two\n", "  _state: absent\n")})
    limits = {"delete_percent": 100}
    said = "is to be taken away at"
    assert site.plan(limits=limits).findings == [f"objects.yml:7:22: accessories[1]: object 2 {said} objects.yml:3:3"]
    site.write({"objects.yml": objects.replace('- barcode: "2"\n  inventory_name: Two\n', "")})
    # Not in the files any more, so a prune takes it away.
    (finding,) = site.plan(limits=limits, prune={"objects": "delete"}).findings
    assert finding == f"objects.yml:5:22: accessories[1]: object 2 {said} prune of objects"
    assert site.plan(limits=limits, prune={"objects": "archive"}).outcome == "changed"
    assert site.plan(limits=limits, prune={"objects": "delete"}, exclude=["2"]).findings == []


# ---- what follows from a mistake


def test_a_name_that_two_records_share_is_told_without_the_written_one(site: Site) -> None:
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
