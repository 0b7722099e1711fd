# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Load directories, files and inline states: the records and the findings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import DesiredInstance
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.validation import validate

SETTINGS = "api: seventhings/v1\n"


def _load(root: Path, files: Mapping[str, str | bytes]) -> DesiredInstance:
    for name, content in {"instance.yml": SETTINGS, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return load(root)


def _findings(root: Path, files: Mapping[str, str | bytes]) -> list[str]:
    return list(map(str, _load(root, files).findings))


def test_a_section_is_a_file_or_a_directory_of_any_depth_and_any_format(tmp_path: Path) -> None:
    desired = _load(
        tmp_path,
        {
            "objects/a/b.yml": "- barcode: A\n",
            "objects/c.csv": "barcode\nC\n",
            "objects.jsonl": '{"barcode": "J"}\n',
            "objects/.hidden.yml": "- barcode: H\n",
            "objects/README.md": "# Objects\n",
            "rooms.yaml": "- {building_id: X, name: R}\n",
            "fields/asset.yml": "- {label: L, type: TEXT}\n",
            "site.yml": "- hosts: all\n",
            "files/x.yml": "not: {{ read\n",
        },
    )
    assert desired.findings == []
    assert sorted(str(entry.fields.get("barcode") or entry.template or "room") for entry in desired.entries) == [
        "A", "C", "J", "asset", "room"
    ]  # fmt: skip
    assert desired.sections == {"objects", "rooms", "fields"}


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (
            {"objects/a.json": "[]"},
            "objects/a.json: files end in .yml, .yaml, .csv, .jsonl, .xlsx; this one would not be read",
        ),
        ({"objects/a.YML": "x"}, "objects/a.YML:1:1: expected a list of records"),
        ({"objects.ods": b"PK"}, "objects.ods: files end in"),
        ({"objects.xlsx": b"PK"}, "objects.xlsx: this is not a workbook"),
        ({"object.yml": "[]"}, "object.yml: no such section; did you mean objects?"),
        ({"taks/a.yml": "[]"}, "taks: no such section; did you mean tasks?"),
        ({"fields/assets.yml": "[]"}, "fields/assets.yml: expected one of asset.yml, room.yml, person.yml"),
        ({"fields.yml": "[]"}, "fields.yml: expected one of asset.yml"),
        ({"instance.yaml": SETTINGS}, "instance.yml: expected exactly one instance.yml in"),
        ({"instance.yml": ""}, "instance.yml:1:1: this file is empty; expected at least api: seventhings/v1"),
        ({"instance.yml": "api: v2\n"}, "instance.yml:1:6: api: expected seventhings/v1"),
        ({"instance.yml": "set: a\n"}, "instance.yml:1:1: api: expected seventhings/v1"),
        ({"instance.yml": SETTINGS + "polcy: {}\n"}, "instance.yml:2:8: polcy: no such setting; did you mean policy?"),
        ({"instance.yml": SETTINGS + "set: 5\n"}, "instance.yml:2:6: set: '5' does not fit; expected a text"),
        (
            {"instance.yml": SETTINGS + "policy: {notify: 'yes'}\n"},
            "instance.yml:2:18: policy.notify: 'yes' does not fit",
        ),
        (
            {"instance.yml": SETTINGS + "identity: {objects: barcode}\n"},
            "instance.yml:2:21: identity.objects: 'barcode' does not fit; expected a list",
        ),
        ({"instance.yml": "- a\n"}, "instance.yml:1:1: expected a map with api, instance"),
        ({"moved.yml": "objcts: []\n"}, "moved.yml:1:9: moved.objcts: no such section; did you mean objects?"),
        (
            {"moved.yml": "rooms:\n- {from: {name: A}, to: {name: C}}\n- {from: {name: B}, to: {name: C}}\n"},
            "moved.yml:3:3: moved.rooms: to is written twice, first at moved.yml:2:3",
        ),
        (
            {"moved.yml": "rooms:\n- {from: {name: A}, to: {name: B}}\n- {from: {name: A}, to: {name: C}}\n"},
            "moved.yml:3:3: moved.rooms: from is written twice, first at moved.yml:2:3",
        ),
        (
            {"moved.yml": "objects:\n- {from: {barcode: A}}\n"},
            "moved.yml:2:3: expected {from: {KEY: OLD}, to: {KEY: NEW}}",
        ),
        ({"rooms.yml": "name: x\n"}, "rooms.yml:1:1: expected a list of records"),
        ({"rooms.yml": "text\n"}, "rooms.yml:1:1: expected a list of records"),
        ({"rooms.yml": "- x\n"}, "rooms.yml:1:3: 'x' does not fit; expected a room as a map of its fields"),
        (
            {"rooms.yml": "- {_state: archived}\n"},
            "rooms.yml:1:12: _state: 'archived' does not fit; expected present or absent",
        ),
        (
            {"rooms.yml": b"- name: caf\xe9\n"},
            "rooms.yml:1:12: expected UTF-8: invalid continuation byte at byte 11",
        ),
        (
            {"rooms.csv": b"name\nx\n\x81\n"},
            "rooms.csv:3:1: expected UTF-8: invalid start byte at byte 7; save the file as UTF-8",
        ),
    ],
)
def test_a_mistake_in_the_layout_is_found(tmp_path: Path, files: dict[str, str | bytes], found: str) -> None:
    findings = _findings(tmp_path, files)
    assert len(findings) == 1, findings
    assert findings[0].startswith(found), findings


def test_everything_is_found_at_once(tmp_path: Path) -> None:
    findings = _findings(
        tmp_path,
        {
            "instance.yml": "api: 1\nset: []\n",
            "rooms.yml": "- a: 1\n  a: 2\n- !x y\n",
            "objects/a.csv": "a,b\n1\n1,2,3\n",
            "objects/b.jsonl": "{\n}\n",
            "objects/c.yml": "a: [",
        },
    )
    assert [finding.split(": ")[0] for finding in findings] == [
        "instance.yml:1:6", "instance.yml:2:6", "objects/a.csv:2:1", "objects/a.csv:3:1", "objects/b.jsonl:1:2",
        "objects/b.jsonl:2:1", "objects/c.yml:1:1", "rooms.yml:2:3", "rooms.yml:3:3", "rooms.yml:3:3",
    ]  # fmt: skip


def test_a_file_that_leads_outside_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "outside.yml").write_text("- {name: x}\n", "utf-8")
    root = tmp_path / "root"
    root.mkdir()
    (root / "instance.yml").write_text(SETTINGS, "utf-8")
    (root / "rooms.yml").symlink_to(tmp_path / "outside.yml")
    desired = load(root)
    (finding,) = desired.findings
    assert str(finding).startswith("rooms.yml: is a link")
    assert desired.entries == []


# ---- one file, inline


def test_one_file_has_sections_as_keys(tmp_path: Path) -> None:
    path = tmp_path / "all.yml"
    path.write_text(
        "instance: {api: seventhings/v1, set: one}\nobjects:\n- barcode: A\n"
        "fields:\n  asset:\n  - {label: L, type: TEXT}\n",
        "utf-8",
    )
    desired = load(path)
    assert desired.findings == []
    assert (desired.set_name, len(desired.entries), desired.root) == ("one", 2, str(tmp_path))


def test_a_place_inline_is_a_path() -> None:
    inline: dict[str, Any] = {"objects": [{"barcode": "A"}, "x"], "objcts": [], "fields": {"assets": []}, "rooms": 5}
    assert [str(finding) for finding in load(None, inline).findings] == [
        "desired.objects[1]: 'x' does not fit; expected an object as a map of its fields",
        "desired.objcts: objcts: no such section; did you mean objects?",
        "desired.fields.assets: fields.assets: no such template; did you mean asset?",
        "desired.rooms: expected a list of records",
    ]


# ---- without a connection


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (
            {"objects.yml": "- barcode: 0012\n"},
            ["objects.yml:1:12: barcode: '0012' does not fit; expected text; quote it"],
        ),
        (
            {"objects.yml": "- {barcode: A, Size: x}\n"},
            ["objects.yml:1:22: Size: 'x' does not fit; expected an integer"],
        ),
        (
            {"objects.yml": "- {barcode: A, Grade: C}\n"},
            ["objects.yml:1:23: Grade: 'C' does not fit; expected one of 'A', 'B'"],
        ),
        ({"objects.yml": "- {Size: 1}\n"}, ["objects.yml:1:3: barcode must have a value"]),
        (
            {"objects.yml": "- barcode: A\n", "objects.csv": "barcode\nA\n"},
            ["objects.yml:1:3: object A is written twice, first at objects.csv:2:"],
        ),
        ({"persons.yml": "- email: a@x\n- email: A@X\n"}, ["persons.yml:2:3: person A@X is written twice"]),
        (
            {"rooms.yml": "- {building_id: X, number: '1'}\n- {building_id: X, number: '1'}\n"},
            ["rooms.yml:2:3: room X/1 is written twice"],
        ),
        (
            {"tasks.yml": "- {title: T, deadline: 31.12.2027}\n"},
            ["tasks.yml:1:24: deadline: '31.12.2027' does not fit"],
        ),
        (
            {"tasks.yml": "- {title: T, dedline: 2027-12-31}\n"},
            ["tasks.yml:1:23: dedline: no such field in a task; did you mean deadline"],
        ),
        ({"hub.yml": "- {object: A, price: x}\n"}, ["hub.yml:1:22: price: 'x' does not fit"]),
        ({"objects.yml": "- {barcode: A, whatever: 5}\n"}, []),
    ],
)
def test_types_and_keys_are_judged_where_the_files_report_them(
    tmp_path: Path, files: dict[str, str], found: list[str]
) -> None:
    fields = "- {label: Size, type: NUMBER}\n- {label: Grade, type: DROPDOWN, possible_values: [A, B]}\n"
    findings = list(map(str, validate(_load(tmp_path, {"fields/asset.yml": fields, **files}))))
    assert len(findings) == len(found), findings
    for finding, start in zip(findings, found, strict=True):
        assert finding.startswith(start)


def test_a_directory_above_the_files_names_the_directory_to_write(tmp_path: Path) -> None:
    """A repository has the files in a directory, and nothing else of it is read."""
    for name, content in {"README.md": "x", "acme/instance.yml": SETTINGS, "object.yml": "[]"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content, "utf-8")
    words = "instance.yml: no instance.yml here; one was found in acme/; write that directory as src"
    assert list(map(str, load(tmp_path).findings)) == [words]
