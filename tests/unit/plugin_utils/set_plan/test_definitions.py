# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Field definitions in files: matching, relations between them, and records that depend on them."""

from __future__ import annotations

from typing import Any

import pytest
from instance_site import SETTINGS, Site

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT

ASSET = "fields/asset.yml"
UUID = "0b0f1c6e-9d3b-4f0a-8a55-0f6f3ad1c001"
UNKNOWN = "does not fit; expected a known relation type; 'actual' is none, did you mean actual_field?"


def _definitions(site: Site) -> dict[str, Any]:
    return {definition["label"]: definition for definition in site.client().definitions("asset")}


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("- {type: TEXT}\n", "1:3: label must have a value, because a field definition is identified by it"),
        (
            "- {label: null, type: TEXT}\n",
            "1:11: label: empty does not fit; this field is mandatory and can't be empty",
        ),
        ("- {field_key: nowhere, label: A}\n", "1:15: there is no field definition with the key 'nowhere'"),
        (
            "- {label: A, type: TEXT}\n- {label: A, type: DATE}\n",
            f"2:3: field definition A is written twice, first at {ASSET}:1:3",
        ),
        (
            "- {label: A, type: TEXT, relations: [{type: actual, field: B}]}\n- {label: B, type: TEXT}\n",
            f"1:45: relations[0].type: 'actual' {UNKNOWN}",
        ),
        (
            "- {label: A, type: TEXT, relations: [{type: actual_field, field: [B]}]}\n- {label: B, type: TEXT}\n",
            "1:66: relations[0].field: \"['B']\" names no field of this template, or several",
        ),
        (
            f"- {{label: A, type: TEXT, relations: [{{type: actual_field, field_uuid: {UUID}}}]}}\n",
            f"1:71: relations[0].field_uuid: this template has no field with the uuid {UUID}",
        ),
    ],
    ids=["no label", "label null", "key", "twice", "relation", "name", "uuid"],
)
def test_what_is_wrong_with_a_definition_is_found(site: Site, text: str, finding: str) -> None:
    site.write({ASSET: text})
    assert site.plan().findings == [f"{ASSET}:{finding}"]
    assert site.writes() == []


def test_a_relation_to_a_new_field_is_added_to_an_existing_definition(site: Site) -> None:
    site.write({ASSET: "- {label: A, type: TEXT}\n- {label: C, type: TEXT}\n"})
    site.run()
    relations = "[{type: actual_field, field: C}, {type: expected_field, field: B}]"
    site.write({ASSET: f"- {{label: A, relations: {relations}}}\n- {{label: B, type: TEXT}}\n"})
    planned = site.plan()
    assert [(change["action"], change["key"]) for change in planned.changes] == [
        ("update", "asset A"),
        ("create", "asset B"),
    ]
    assert planned.changes[0]["before"] == {"relations": []}
    assert site.run().outcome == "changed"
    definitions = _definitions(site)
    assert definitions["A"]["relations"] == [
        {"type": "actual_field", "field_uuid": definitions["C"]["uuid"]},
        {"type": "expected_field", "field_uuid": definitions["B"]["uuid"]},
    ]
    assert site.plan().outcome == "unchanged"


def test_relations_have_names_on_both_sides(site: Site) -> None:
    fields = "- {label: A, type: TEXT, relations: [{type: actual_field, field: %s}]}\n- {label: B, type: TEXT}\n"
    site.write({ASSET: f"{fields % 'B'}- {{label: C, type: TEXT}}\n"})
    created = site.plan().changes[0]
    assert created["after"]["relations"] == [{"type": "actual_field", "field": "B"}]
    site.run()
    by_uuid = f"{{label: A, relations: [{{type: actual_field, field_uuid: {_definitions(site)['C']['uuid']}}}]}}"
    for written in (f"{fields % 'C'}", f"- {by_uuid}\n"):
        site.write({ASSET: written})
        (updated,) = site.plan().changes
        assert updated["before"]["relations"] == [{"type": "actual_field", "field": "B"}]
        assert updated["after"]["relations"] == [{"type": "actual_field", "field": "C"}]


def test_a_relation_to_a_field_that_was_not_created_fails_and_is_created_by_the_next_run(site: Site) -> None:
    site.write(
        {ASSET: "- {label: A, type: TEXT, relations: [{type: actual_field, field: B}]}\n- {label: B, type: TEXT}\n"}
    )
    refuse = {"fault": "422", "method": "POST", "path": "*/field-definition", "after": 1, "times": 1}
    site.service.steer("PUT", "/faults", [refuse])
    result = site.run(workers=1)
    assert result.outcome == "partly_applied"
    assert "relations: needs B, which was not created" in [failure["reason"] for failure in result.failures]
    assert site.run().outcome == "changed"
    assert _definitions(site)["A"]["relations"]
    assert site.plan().outcome == "unchanged"


# ---- names that would mean two fields


KEY = "serial_number"


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        (
            f"- {{field_key: {KEY}, label: SN}}\n- {{label: SN, type: TEXT}}\n",
            ["1:37: label: 'SN' is the label", "2:11: label: 'SN' is the label"],
        ),
        (
            f"- {{field_key: {KEY}, label: X}}\n- {{field_key: description, label: X}}\n",
            ["1:37: label: 'X' is the label", "2:35: label: 'X' is the label"],
        ),
        (f"- {{field_key: {KEY}, label: Barcode}}\n", ["1:37: label: 'Barcode' is the label"]),
        (f"- {{label: {KEY}, type: TEXT}}\n", [f"1:11: label: '{KEY}' is the label or the key of another field too ("]),
        (
            f"- {{field_key: {KEY}, comment: x}}\n- {{label: Serial number, comment: y}}\n",
            ["2:3: the field definition "],
        ),
        (
            f"- {{label: Serial number, comment: x}}\n- {{field_key: {KEY}, label: SN}}\n",
            ["2:3: the field definition "],
        ),
    ],
)
def test_every_field_must_have_a_name_of_its_own(site: Site, text: str, findings: list[str]) -> None:
    site.write({ASSET: text})
    found = site.plan().findings
    assert len(found) == len(findings), found
    assert all(line.startswith(f"{ASSET}:{start}") for line, start in zip(found, findings, strict=True)), found


def test_labels_may_change_places(site: Site) -> None:
    site.write({ASSET: "- {label: A, type: TEXT}\n- {label: B, type: TEXT}\n"})
    site.run()
    keys = {label: definition["field_key"] for label, definition in _definitions(site).items()}
    site.write({ASSET: f"- {{field_key: {keys['A']}, label: B}}\n- {{field_key: {keys['B']}, label: A}}\n"})
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"


# ---- definitions that are wrong


@pytest.mark.parametrize(
    ("relation", "parts"),
    [
        ("x", [""]),
        ("null", [""]),
        ("[]", [""]),
        ("{type: actual_field}", [".field_uuid"]),
        ("{field: A, values: x}", [".type", ".values"]),
        ("{field: A, field_uuid: x}", [".field", ".field_uuid", ".type"]),
    ],
)
def test_what_is_wrong_with_a_relation_is_found(site: Site, relation: str, parts: list[str]) -> None:
    site.write({ASSET: f"- {{label: C, type: TEXT, relations: [{relation}]}}\n- {{label: A, type: TEXT}}\n"})
    found = [finding.partition(": ")[2] for finding in site.plan().findings]
    assert sorted(finding.partition(":")[0] for finding in found) == [f"relations[0]{part}" for part in parts]
    assert not [finding for finding in found if "00000000" in finding]


@pytest.mark.parametrize("label", ["[x]", "{a: b}", "5", "true"])
def test_a_label_that_is_no_text_is_a_finding(site: Site, label: str) -> None:
    text = "- {label: A, type: TEXT, relations: [{type: actual_field, field: B}]}\n- {label: B, type: TEXT}\n"
    site.write({ASSET: f"- {{label: {label}, type: TEXT}}\n{text}"})
    (finding,) = site.plan().findings
    assert finding.startswith(f"{ASSET}:1:11: label: ")


@pytest.mark.parametrize(
    "wrong",
    ["type: TXT", "type: DROPDOWN, possible_values: [1]", "comment: x", "type: [TEXT]", "type: TEXT, coment: x"],
)
def test_what_is_wrong_with_a_definition_is_reported_once_and_not_with_every_record(site: Site, wrong: str) -> None:
    objects = "".join(f"- {{barcode: '{number}', inventory_name: One, C: x}}\n" for number in range(3))
    site.write({ASSET: f"- {{label: C, {wrong}}}\n", "objects.yml": objects})
    (finding,) = site.plan().findings
    assert finding.startswith(f"{ASSET}:1:")


# ---- definitions that are left out


@pytest.mark.parametrize("left_out", ["fields", "asset C"])
def test_what_needs_a_field_that_is_left_out_is_reported(site: Site, left_out: str) -> None:
    relation = "relations: [{type: actual_field, field: C}]"
    site.write(
        {
            ASSET: f"- {{label: C, type: TEXT}}\n- {{label: D, type: TEXT, {relation}}}\n",
            "objects.yml": "- {barcode: '1', inventory_name: One, C: x}\n",
        }
    )
    missing = "does not exist yet, and creating it is not part of this plan"
    found = [f"objects.yml:1:42: C: this field {missing}"]
    if left_out == "asset C":
        found.insert(0, f"{ASSET}:2:66: relations[0].field: C {missing}")
    assert site.plan(exclude=[left_out]).findings == found
    assert site.plan(exclude=[left_out, "objects", "asset D"]).findings == []


def test_a_limit_that_is_left_out_does_not_count(site: Site) -> None:
    line = "- {barcode: '1', inventory_name: One, C: abcd}\n"
    site.write({ASSET: "- {label: C, type: TEXT}\n"})
    site.run()
    site.write({ASSET: "- {label: C, constraints: {max_length: 3}}\n", "objects.yml": line})
    assert len(site.plan().findings) == 1
    assert site.plan(exclude=["fields"]).findings == []


# ---- values that must be unique, that are allowed, that the service fills in


def test_a_value_that_must_be_unique_is_written_once_and_not_what_another_record_has(site: Site) -> None:
    head = "- {{barcode: '{}', inventory_name: One, U: {}}}\n"
    site.write({ASSET: "- {label: U, type: TEXT, attributes: {unique: true}}\n", "objects.yml": head.format(1, "a")})
    site.run()
    site.write({"objects.yml": head.format(2, "b") + head.format(3, "b") + head.format(4, "a") + head.format(5, "c")})
    twice, used = site.plan().findings
    assert twice == "objects.yml:2:42: U: 'b' must be unique, and is written at objects.yml:1:42 too"
    rename = "If it is the same object, list its old and its new key in moved.yml"
    assert used == f"objects.yml:3:42: U: 'a' must be unique, and an object has it already: 1. {rename}"
    # The record with the value gives it up, or no record is known to have it.
    site.write({"objects.yml": head.format(1, "z") + head.format(4, "a")})
    assert site.plan().findings == []
    site.write({"objects.yml": head.format(1, "a") + head.format(5, "null") + head.format(6, "null")})
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"


@pytest.mark.parametrize("nothing", ["null", '""'])
def test_a_field_that_is_cleared_in_a_new_record_does_not_get_its_default(site: Site, nothing: str) -> None:
    site.write({ASSET: "- {label: Z, type: TEXT, default_value: d}\n"})
    site.run()
    first, second = "- {barcode: '1', inventory_name: One}\n", "- {barcode: '2', inventory_name: Two, Z: %s}\n"
    site.write({"objects.yml": first + second % nothing})
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"


def test_a_reference_may_name_a_field_that_is_still_to_be_created(site: Site) -> None:
    first = "- {barcode: '1', inventory_name: One, Inv: a}\n"
    objects = first + "- {barcode: '2', inventory_name: Two, accessories: [{Inv: a}]}\n"
    site.write({ASSET: "- {label: Inv, type: TEXT}\n", "objects.yml": objects})
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"
    site.write({"objects.yml": objects.replace("{Inv: a}", "{Inw: a}")})
    (finding,) = site.plan().findings
    assert "reference to an object: Inw: no such field in an object; did you mean Inv?" in finding


# ---- another type


def _retype(site: Site, objects: str) -> None:
    """Create a text field with these objects, then write files that turn it into a number."""
    site.write({ASSET: "- {label: Size, type: TEXT}\n", "objects.yml": objects})
    site.run()
    site.write({ASSET: "- {label: Size, type: NUMBER}\n", "objects.yml": objects.replace('"5"', "5")})


def test_another_type_may_empty_values_so_what_is_written_for_them_is_sent_with_it(site: Site) -> None:
    objects = '- {barcode: "1", inventory_name: One, Size: "5"}\n- {barcode: "2", inventory_name: Two, Size: null}\n'
    _retype(site, objects)
    planned = site.plan(allow=["destructive"])
    assert [(change["action"], change["key"]) for change in planned.changes] == [
        ("update", "asset Size"),
        ("update", "1"),
    ]
    ((key, label),) = planned.changes[1]["labels"].items()
    assert label == "Size"
    assert (planned.changes[1]["before"], planned.changes[1]["after"]) == ({key: "5"}, {key: 5})
    assert site.run(allow=["destructive"]).outcome == "changed"
    assert site.plan().outcome == "unchanged"
    key = _definitions(site)["Size"]["field_key"]
    sizes = {record.flat["barcode"]: record.flat.get(key) for record in site.client().list_all(OBJECT)}
    assert sizes == {"1": 5, "2": None}


def test_the_type_of_what_identifies_records_stays(site: Site) -> None:
    identity = "api: seventhings/v1\nset: test\nidentity: {objects: [Size]}\n"
    site.write({"instance.yml": identity})
    _retype(site, '- {barcode: "1", inventory_name: One, Size: "5"}\n')
    (finding,) = site.plan(allow=["destructive"]).findings
    assert finding.startswith(f"{ASSET}:1:23: type: size_")
    assert "identifies the objects in these files, and another type may cost its values" in finding


# ---- unique values that change hands


UNIQUE = "- {label: U, type: TEXT, attributes: {unique: true}}\n"


def _tagged(*tags: str) -> str:
    line = "- {{barcode: '{}', inventory_name: One, U: {}}}\n"
    return "".join(line.format(number, tag) for number, tag in enumerate(tags, start=1))


@pytest.mark.parametrize("workers", [1, 8])
def test_a_unique_value_is_reused_after_its_record_releases_it(site: Site, workers: int) -> None:
    site.write({ASSET: UNIQUE, "objects.yml": _tagged("a", "b", "c")})
    site.run()
    site.write({"objects.yml": _tagged("b", "c", "d")})
    assert site.run(workers=workers).outcome == "changed"
    assert site.plan().outcome == "unchanged"


@pytest.mark.parametrize("prune", [True, False])
def test_a_unique_value_is_free_once_its_record_is_removed(site: Site, prune: bool) -> None:
    site.write({ASSET: UNIQUE, "objects.yml": _tagged("a")})
    site.run()
    new = "- {barcode: '2', inventory_name: One, U: a}\n"
    if prune:
        site.write({"instance.yml": f"{SETTINGS}policy: {{prune: {{objects: delete}}}}\n", "objects.yml": new})
    else:
        site.write({"objects.yml": f"- {{barcode: '1', _state: absent}}\n{new}"})
    result = site.run(limits={"delete_percent": 100})
    assert [change["action"] for change in result.changes] == ["delete", "create"]
    assert result.outcome == "changed"
    assert site.plan().outcome == "unchanged"


def test_a_record_that_is_left_out_keeps_its_unique_value(site: Site) -> None:
    site.write({ASSET: UNIQUE, "objects.yml": _tagged("a")})
    site.run()
    new = "- {barcode: '2', inventory_name: One, U: a}\n"
    site.write({"objects.yml": f"- {{barcode: '1', _state: absent}}\n{new}"})
    (finding,) = site.plan(exclude=["1"]).findings
    assert finding == "objects.yml:2:42: U: 'a' must be unique, and an object has it already: 1"


def test_unique_values_can_not_be_swapped_in_one_run(site: Site) -> None:
    site.write({ASSET: UNIQUE, "objects.yml": _tagged("a", "b", "c")})
    site.run()
    site.write({"objects.yml": _tagged("b", "a", "b2")})
    first, second = site.plan().findings
    assert first == (
        "objects.yml:1:42: U: 'b' must be unique, and the one at objects.yml:2:3 has it and waits for a value of this "
        "record; give one of them another value first"
    )
    assert second.startswith("objects.yml:2:42: U: 'a' must be unique, and the one at objects.yml:1:3 has it")


# ---- what only leaves out, what is renamed


def test_a_relation_may_name_a_field_by_the_label_that_it_gets(site: Site) -> None:
    site.write({ASSET: "- {label: A, type: TEXT}\n- {label: B, type: TEXT}\n"})
    site.run()
    key = _definitions(site)["B"]["field_key"]
    relations = "[{type: actual_field, field: C}]"
    site.write({ASSET: f"- {{label: A, relations: {relations}}}\n- {{field_key: {key}, label: C}}\n"})
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"


def test_a_field_that_got_another_label_in_the_application_is_not_created_again(site: Site) -> None:
    site.write({ASSET: "- {label: Season, type: TEXT}\n", "objects.csv": "barcode,inventory_name,Season\n1,Lamp,5\n"})
    site.run()
    key = _definitions(site)["Season"]["field_key"]
    application = Site(site.root.parent / "application", site.service)
    application.write({ASSET: f"- {{field_key: {key}, label: Year}}\n"})
    application.run()
    (finding,) = site.plan().findings
    assert finding.startswith(f"{ASSET}:1:11: label: the field with this label is now 'Year': its label was changed.")
    site.write({ASSET: f"- {{field_key: {key}, label: Year}}\n- {{label: Season, type: TEXT}}\n"})
    assert site.plan().changes[0]["action"] == "create"
    site.write({ASSET: f"- {{field_key: {key}, label: Season, type: TEXT}}\n"})
    assert site.run().outcome == "changed"
    assert {"Season", "Year"} & _definitions(site).keys() == {"Season"}
