# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings: each at its own line and column, all at once, and none that only follows from another."""

from __future__ import annotations

from pathlib import Path

import pytest
from instance_site import Site

from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.validation import validate

SETTINGS = "api: seventhings/v1\nset: test\n"
FIELDS = (
    "- {label: Files, type: ATTACHMENT}\n- {label: Parts, type: LINKED_ASSETS}\n- {label: Size, type: NUMBER}\n"
    "- {label: Bought, type: DATE}\n"
)
GOOD = '- barcode: "1"\n  inventory_name: One\n- barcode: "2"\n  inventory_name: Two\n'


def _judged(root: Path, files: dict[str, str]) -> list[str]:
    for name, text in {"instance.yml": SETTINGS, "fields/asset.yml": FIELDS, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return list(map(str, validate(load(root))))


def _starts(findings: list[str]) -> list[str]:
    """Return place and field of each finding."""
    return [":".join(finding.split(":")[:4]) for finding in findings]


# ---- items of lists, members of maps


def test_every_wrong_item_of_a_list_is_reported_at_its_own_line(tmp_path: Path) -> None:
    files = '    - ../x\n\n    - /etc/passwd\n    - none.txt\n    - ""\n    - {path: none.txt, name: 5}\n'
    assert _starts(_judged(tmp_path, {"objects.yml": f'- barcode: "1"\n  Files:\n{files}'})) == [
        "objects.yml:3:7: Files[0]",
        "objects.yml:5:7: Files[1]",
        "objects.yml:6:7: Files[2]",
        "objects.yml:7:7: Files[3]",
        "objects.yml:8:30: Files[4].name",
    ]


def test_every_wrong_member_of_a_map_is_reported_at_its_own_line(tmp_path: Path) -> None:
    text = (
        "- label: A\n  type: TEXT\n  attributes:\n    visible: [web, mobile_app, desk]\n    mandatory: true\n"
        "    currency_code: euro\n    visble: [web]\n"
        "- label: B\n  type: TEXT\n  constraints:\n    min_value: 1\n    max_value: a\n    allowed_values: [A, 1]\n"
        "  possible_values: [x, y, x]\n"
    )
    assert _starts(_judged(tmp_path, {"fields/asset.yml": text})) == [
        "fields/asset.yml:4:15: attributes.visible[0]",
        "fields/asset.yml:4:32: attributes.visible[2]",
        "fields/asset.yml:6:20: attributes.currency_code",
        "fields/asset.yml:7:13: attributes.visble",
        "fields/asset.yml:12:16: constraints.max_value",
        "fields/asset.yml:13:25: constraints.allowed_values[1]",
        "fields/asset.yml:14:27: possible_values[2]",
    ]


def test_parts_of_tasks_rental_cases_and_relations_are_reported_at_their_lines(tmp_path: Path) -> None:
    uuid = "00000000-0000-4000-8000-000000000001"
    files = {
        "tasks.yml": "- title: T\n  reminders:\n    - unit: days\n      value: -1\n    - unit: day\n      value: 2\n"
        "    - {value: 2}\n",
        "rental_cases.yml": "- title: R\n  issue_date: 2027-01-01\n  renter:\n    type: plain\n    value: 5\n",
        "fields/room.yml": "- label: L\n  type: TEXT\n  relations:\n    - type: actual\n"
        f"      field_uuid: {uuid}\n    - type: active_When_value_equals_one_of\n      field_uuid: {uuid}\n"
        "      comparison_values:\n        - a\n        - []\n",
    }
    assert _starts(_judged(tmp_path, files)) == [
        "fields/room.yml:4:13: relations[0].type",
        "fields/room.yml:10:11: relations[1].comparison_values[1]",
        "rental_cases.yml:5:12: renter.value",
        "tasks.yml:4:14: reminders[0].value",
        "tasks.yml:5:13: reminders[1].unit",
        "tasks.yml:7:7: reminders[2]",
    ]


def test_items_are_found_in_lines_of_json_and_in_cells_of_tables(tmp_path: Path) -> None:
    files = {
        "objects/a.csv": 'barcode,Files,Size\n1,"[""a"",""b\\""c"",\n\n5]",1\n2,[5],x\n',
        "objects/b.jsonl": '{"barcode": "3", "Files": ["a", {"path": "b", "name" : 1}], "Size" : 1.5}\n',
    }
    for name in ("a", 'b"c'):
        (tmp_path / name).write_text("a", "utf-8")
    assert _starts(_judged(tmp_path, files)) == [
        "objects/a.csv:2:3: Files[2]",
        "objects/a.csv:5:3: Files[0]",
        "objects/a.csv:5:7: Size",
        "objects/b.jsonl:1:56: Files[1].name",
        "objects/b.jsonl:1:70: Size",
    ]


def test_references_that_mean_nothing_are_reported_at_their_own_lines(site: Site) -> None:
    parts = "- label: Parts\n  type: LINKED_ASSETS\n"
    text = GOOD + '  Parts:\n    - "1"\n\n    - A99\n    - A98\n'
    tasks = '- title: T\n  references:\n    - "1"\n    - A97\n'
    cases = (
        "- title: R\n  issue_date: 2027-01-01\n  due_date: 2027-02-01\n  references:\n    - A96\n"
        "  renter:\n    type: user\n    value: no@example.com\n"
    )
    site.write({"fields/asset.yml": parts, "objects.yml": text, "tasks.yml": tasks, "rental_cases.yml": cases})
    assert _starts(site.plan().findings) == [
        "objects.yml:8:7: Parts[1]",
        "objects.yml:9:7: Parts[2]",
        "rental_cases.yml:5:7: references[0]",
        "rental_cases.yml:8:12: renter.value",
        "tasks.yml:4:7: references[1]",
    ]


def test_a_wrong_member_of_a_reference_is_reported_at_its_own_line(site: Site) -> None:
    rooms = "  target_room:\n    building_id: {}\n    number: {}\n"
    site.write(
        {
            "locations.yml": "- {name: Depot}\n",
            "objects.yml": '- barcode: "1"\n  inventory_name: One\n'
            + rooms.format("Depot", "7")
            + '- barcode: "2"\n  inventory_name: Two\n'
            + rooms.format("Nowhere", '"7"'),
        }
    )
    assert _starts(site.plan().findings) == ["objects.yml:5:13: target_room", "objects.yml:9:18: target_room"]


# ---- texts


def test_a_byte_that_is_no_unicode_is_reported_at_its_column(tmp_path: Path) -> None:
    _judged(tmp_path, {})
    for name, head in (("objects/a.yml", b"\xef\xbb\xbf- barcode: \xc3\xa4"), ("rooms.jsonl", b"\xc3\xa4\n\xc3\xbc;")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(head + b"\xe4\n")
    assert [str(finding.place) for finding in load(tmp_path).findings] == [
        "objects/a.yml:1:13",
        "rooms.jsonl:2:3",
    ]


@pytest.mark.parametrize("value", ["true", "5"])
def test_what_json_has_without_quotes_is_not_put_down_to_yaml(tmp_path: Path, value: str) -> None:
    (finding,) = _judged(tmp_path, {"objects.jsonl": f'{{"barcode": {value}}}\n'})
    assert finding.startswith("objects.jsonl:1:13: barcode: ")
    assert "quote it" in finding
    assert "YAML" not in finding


def test_a_name_that_is_far_from_all_others_gets_no_proposal(site: Site) -> None:
    site.write({"objects.csv": "barcode,inventory_name,foo,barcod\n1,One,x,y\n"})
    with_unlike_name, with_similar_name = site.plan().findings
    assert with_unlike_name.startswith("objects.csv:1:24: foo: no such field in an object; known are ")
    assert with_similar_name.startswith("objects.csv:1:28: barcod: no such field in an object; did you mean barcode")


# ---- cells


def test_a_cell_is_a_text_or_json_as_its_field_says(site: Site) -> None:
    site.write(
        {
            "fields/asset.yml": FIELDS,
            "locations.yml": "- {name: Depot}\n",
            "rooms.csv": 'name,number,building_id\n[1] Store,"[1, 2]",Depot\n',
            "objects.csv": 'barcode,inventory_name,description,target_room,Parts\n1,[1] Chair,"{""x"": 1}",,\n'
            '2,"[""a""]",{{x,"{""number"": ""[1, 2]""}","[""1""]"\n'.replace("{{x", "{x"),
        }
    )
    assert site.run().findings == []
    first, second = (
        record["fields"] for record in sorted(site.dump()["objects"], key=lambda record: record["fields"]["barcode"])
    )
    assert (first["inventory_name"], first["description"]) == ("[1] Chair", '{"x": 1}')
    assert (second["inventory_name"], second["description"]) == ('["a"]', "{x")
    assert second["target_room"]
    assert site.plan().outcome == "unchanged"


def test_a_cell_that_is_no_json_is_reported_where_its_field_takes_none(tmp_path: Path) -> None:
    text = (
        'barcode,inventory_name,Files,Parts\n1,[1] Chair,[a,"[A1, A2]"\n2,{x},"[{""path"": ""a"", ""path"": ""b""}]",\n'
    )
    assert _judged(tmp_path, {"objects.csv": text}) == [
        "objects.csv:2:13: Files: this is not JSON: Expecting value: line 1 column 2 (char 1)",
        "objects.csv:2:16: Parts: this is not JSON: Expecting value: line 1 column 2 (char 1)",
        "objects.csv:3:7: Files: this is not JSON: path is written twice",
    ]


def test_a_template_in_a_cell_is_one_finding(site: Site) -> None:
    site.write(
        {
            "fields/asset.yml": FIELDS,
            "objects.csv": "barcode,inventory_name,Size,target_room\n1,{{ x }},{{ 5 }},{{ room }}\n",
            "objects/a.yml": '- {barcode: "2", inventory_name: Two, Bought: "{{ now }}", target_room: "{{ room }}"}\n',
        }
    )
    findings = site.plan().findings
    assert [finding.split(": ")[0] for finding in findings] == [
        "objects.csv:2:3",
        "objects.csv:2:11",
        "objects.csv:2:19",
        "objects/a.yml:1:47",
        "objects/a.yml:1:73",
    ]
    assert all("no templates" in finding for finding in findings)


# ---- all at once


def test_one_mistake_in_a_record_hides_no_other(site: Site) -> None:
    site.write(
        {
            "fields/asset.yml": FIELDS,
            "rooms.yml": "- building_id: Nowhere\n  number: 5\n",
            "tasks.yml": "- title: T\n  reminders:\n    - unit: day\n      value: 1\n  references: [A77]\n",
            "objects.yml": '- barcode: "1"\n  inventory_name: One\n  Parts: [[a], A1]\n  target_room: Elsewhere/1\n'
            '- barcode: "2"\n  _state: gone\n  nonsense: 1\n  Size: x\n  target_room: Elsewhere/2\n',
        }
    )
    assert _starts(site.plan().findings) == [
        "objects.yml:3:11: Parts[0]",
        "objects.yml:3:16: Parts[1]",
        "objects.yml:4:16: target_room",
        "objects.yml:6:11: _state",
        "objects.yml:7:13: nonsense",
        "objects.yml:8:9: Size",
        "objects.yml:9:16: target_room",
        "rooms.yml:1:16: building_id",
        "rooms.yml:2:11: number",
        "tasks.yml:3:13: reminders[0].unit",
        "tasks.yml:5:16: references[0]",
    ]


def test_what_refers_to_a_record_that_is_wrong_itself_is_not_wrong_because_of_that(site: Site) -> None:
    site.write(
        {
            "locations.yml": "- {name: 5}\n",
            "rooms.yml": '- {building_id: "5", number: 7, name: Hall}\n',
            "objects.yml": "- {barcode: 1, inventory_name: One}\n"
            '- {barcode: "2", inventory_name: Two, target_room: 5/7}\n'
            '- {barcode: "3", inventory_name: Three, target_room: 5/8}\n',
            "tasks.yml": '- {title: T, references: ["1", "2", "4"]}\n',
        }
    )
    assert _starts(site.plan().findings) == [
        "locations.yml:1:10: name",
        "objects.yml:1:13: barcode",
        "objects.yml:3:54: target_room",
        "rooms.yml:1:30: number",
        "tasks.yml:1:37: references[2]",
    ]


# ---- files


def test_no_link_is_followed_wherever_it_leads(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    (outside / "more").mkdir(parents=True)
    (outside / "instance.yml").write_text(SETTINGS, "utf-8")
    (outside / "README").write_text("Read me", "utf-8")
    (root / "objects" / "deep").mkdir(parents=True)
    (root / "shared").mkdir()
    (root / "shared" / "a.yml").write_text(GOOD, "utf-8")
    (root / "objects" / "own.yml").write_text(GOOD, "utf-8")
    for name, target in {
        "instance.yml": outside / "instance.yml",
        "rooms": outside,
        "locations.yml": root / "none.yml",
        "README": outside / "README",
        "objects/README": outside / "README",
        "objects/out": outside,
        "objects/deep/out": outside / "more",
        "objects/deep/back": root / "objects",
        "objects/gone": root / "gone",
        "objects/shared": root / "shared",
    }.items():
        (root / name).symlink_to(target)
    desired = load(root)
    refused = "is a link; expected a regular file or directory, because no link below src is followed"
    assert sorted(map(str, desired.findings)) == [
        f"instance.yml: {refused}",
        f"locations.yml: {refused}",
        f"objects/README: {refused}",
        f"objects/deep/back: {refused}",
        f"objects/deep/out: {refused}",
        f"objects/gone: {refused}",
        f"objects/out: {refused}",
        f"objects/shared: {refused}",
        f"rooms: {refused}",
    ]
    assert [entry.fields["barcode"] for entry in desired.entries] == ["1", "2"]


def test_a_file_that_does_not_exist_is_looked_for_in_the_root(tmp_path: Path) -> None:
    (finding,) = _judged(tmp_path, {"objects.yml": '- {barcode: "1", Files: [files/none.txt]}\n'})
    where = f"looked for in {tmp_path}"
    assert finding == f"objects.yml:1:26: Files[0]: files/none.txt: no such file ({where})"


def test_values_of_a_dropdown_that_are_no_texts_are_reported_without_an_instance(tmp_path: Path) -> None:
    text = "- {label: A, type: DROPDOWN, possible_values: [x, 1]}\n- {label: B, type: NUMBER, possible_values: [1]}\n"
    (finding,) = _judged(tmp_path, {"fields/asset.yml": text})
    assert finding.startswith("fields/asset.yml:1:47: possible_values: 1: the values of a DROPDOWN are texts")
