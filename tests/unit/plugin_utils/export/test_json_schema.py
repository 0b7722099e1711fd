# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The JSON Schemas: shipped, exported, accepted and rejected values, and validation without a connection."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from instance_site import Site
from jsonschema import Draft202012Validator
from project import ROOT
from schemas import ledger as ledger_schema
from schemas import stocktake as stocktake_schema
from schemas.parts import ADDRESS
from schemas.report import NAME, report_schema_file
from schemas.static import static_files

from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field, Plain, typed
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import Limits
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.sources.yaml_source import read_yaml
from ansible_collections.community.seventhings.plugins.plugin_utils.export.export import Exported
from ansible_collections.community.seventhings.plugins.plugin_utils.export.json_schema import (
    MAIN,
    saved_fields,
    schema_files,
    static_schema,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.export.portable import name_in_files
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.offline import offline_findings

ACME = ROOT / "examples" / "acme"
STATIC = static_schema()

OBJECTS = Schema(
    KINDS["object"],
    [
        Field("barcode", "BARCODE", "Barcode", mandatory=True),
        Field("inventory_name", "TEXT", "Name", constraints={"max_length": "20"}),
        Field("status", "DROPDOWN", "Status", allowed=("in use", "retired")),
        Field("seats_1a2b3c4d", "NUMBER", "Seats", constraints={"min_value": 1, "max_value": 9}),
        Field("purchasing_price", "MONEY", "Price"),
        Field("documents", "ATTACHMENT", "Documents"),
        Field("room_matches", "FIELD_VALUE_COMPARISON", "Is right"),
        Field("asset_uuid", "TEXT", "UUID"),
    ],
)


def generated() -> Any:
    """Return the schema of an instance with the fields above."""
    return json.loads(schema_files(Exported(schemas={"object": OBJECTS}))[MAIN])


def _as_json(value: Any) -> Any:
    """Return a value in its JSON form: an unquoted scalar becomes the number or the date text that YAML reads."""
    if isinstance(value, dict):
        return {key: _as_json(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_as_json(item) for item in value]
    if not isinstance(value, Plain) or re.match(r"\d{4}-\d{1,2}-\d{1,2}", value):
        return str(value) if isinstance(value, str) else value
    number = typed(value)
    return 0 if isinstance(number, str) else number


def errors(document: Any, section: str, text: str) -> list[str]:
    """Return the errors of a schema for the text of a file of one section."""
    node = read_yaml(text, "x.yml", [])
    assert node is not None
    validator = Draft202012Validator({"$ref": f"#/$defs/{section}", "$defs": document["$defs"]})
    return [error.message for error in validator.iter_errors(_as_json(node.value))]


def section_of(path: Path) -> str:
    return path.relative_to(ACME).parts[0].removesuffix(".yml")


ACME_FILES = [path for path in sorted(ACME.rglob("*.yml")) if section_of(path) in STATIC["$defs"]]


def test_both_schemas_are_schemas() -> None:
    Draft202012Validator.check_schema(STATIC)
    Draft202012Validator.check_schema(generated())


def test_what_is_shipped_is_what_the_code_says() -> None:
    shipped = {path.name: path.read_bytes() for path in (ROOT / "docs" / "schema").iterdir()}
    others = {
        NAME: report_schema_file(),
        ledger_schema.NAME: ledger_schema.ledger_schema_file(),
        stocktake_schema.NAME: stocktake_schema.stocktake_schema_file(),
    }
    assert shipped == {**static_files(), **others}, "run make generate"


def test_each_shipped_schema_names_its_address_and_that_of_an_instance_none() -> None:
    for path in (ROOT / "docs" / "schema").iterdir():
        assert json.loads(path.read_text("utf-8"))["$id"] == ADDRESS + path.name
    assert "/schema/v1/" in ADDRESS
    assert "$id" not in generated()


@pytest.mark.parametrize("path", ACME_FILES, ids=lambda path: path.relative_to(ACME).as_posix())
def test_the_example_instance_is_accepted(path: Path) -> None:
    assert errors(STATIC, section_of(path), path.read_text("utf-8")) == []


@pytest.mark.parametrize("path", ACME_FILES, ids=lambda path: path.relative_to(ACME).as_posix())
def test_the_files_of_the_example_name_the_schema_that_is_there(path: Path) -> None:
    (line,) = [line for line in path.read_text("utf-8").splitlines() if "yaml-language-server" in line]
    schema = (path.parent / line.partition("$schema=")[2]).resolve()
    assert schema.name == f"{section_of(path)}.schema.json"
    assert json.loads(schema.read_text("utf-8"))["$ref"] == f"{MAIN}#/$defs/{section_of(path)}"


@pytest.mark.parametrize(
    ("section", "text"),
    [
        ("objects", "- barcode: 0001234\n"),
        ("objects", "- barcode: '1'\n  _state: gone\n"),
        ("objects", "- barcode: '1'\n  uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11\n"),
        ("objects", "barcode: '1'\n"),
        ("objects", "- just a text\n"),
        ("rooms", "- building_id: true\n  number: '1'\n"),
        ("rooms", "- building_id: Head office\n  number: 0.12\n"),
        ("locations", "- name: 4\n"),
        ("persons", "- email: [a@b.c]\n"),
        ("users", "- email: nobody\n"),
        ("users", "- {email: a@b.c, name: A}\n"),
        ("users", "- nobody\n"),
        ("tasks", "- titel: A\n"),
        ("tasks", "- title: A\n  deadline: 31.12.2024\n"),
        ("tasks", "- title: A\n  reminders: [{unit: hours, value: 1}]\n"),
        ("tasks", "- title: A\n  reminders: [1, 2, 3]\n"),
        ("tasks", "- title: A\n  status: done\n"),
        ("tasks", "- title: A\n  assignees: [a@b.c, d@e.f]\n"),
        ("rental_cases", "- title: A\n  renter: Ada\n"),
        ("rental_cases", "- title: A\n  references: []\n"),
        ("fields", "- label: A\n  type: NUMERIC\n"),
        ("fields", "- type: TEXT\n"),
        ("fields", "- label: A\n  attributes: {editable: everywhere}\n"),
        ("fields", "- label: A\n  constraints: {longest: 4}\n"),
        ("fields", "- label: A\n  relations: [{type: actual_field}]\n"),
        ("hub", "- price: 4\n"),
        ("hub", "- {object: '1', price: cheap}\n"),
        ("instance", "api: seventhings/v2\n"),
        ("instance", "api: seventhings/v1\npolcy: {}\n"),
        ("instance", "api: seventhings/v1\ninstance: acme.seventhings.com\n"),
        ("instance", "api: seventhings/v1\npolicy: {prune: {objects: remove}}\n"),
        ("instance", "api: seventhings/v1\npolicy: {create_users: maybe}\n"),
        ("instance", "api: seventhings/v1\nidentity: {objects: barcode}\n"),
        ("moved", "rooms: [{from: {number: '1'}}]\n"),
    ],
)
def test_typical_mistakes_are_refused(section: str, text: str) -> None:
    assert errors(STATIC, section, text)


def test_users_are_addresses_or_rows_with_one() -> None:
    assert errors(STATIC, "users", "- a@b.c\n- email: d@e.f\n- {email: g@h.i, _state: present}\n") == []


def test_a_whole_state_in_one_file_is_described_too() -> None:
    validator = Draft202012Validator(STATIC)
    good = {"instance": {"api": "seventhings/v1"}, "fields": {"asset": [{"label": "A"}]}, "objects": [{"barcode": "1"}]}
    assert list(validator.iter_errors(good)) == []
    assert list(validator.iter_errors({"obejcts": []}))
    assert list(validator.iter_errors({"fields": {"objects": []}}))


@pytest.mark.parametrize(
    "text",
    [
        '- barcode: "1"\n  inventory_name: Desk\n  status: in use\n  Seats: 4\n  purchasing_price: "12.50"\n',
        '- barcode: "1"\n  seats_1a2b3c4d: "4"\n  Name: Desk\n  documents: [a.pdf, {path: b.pdf, name: B}]\n',
        '- barcode: "1"\n  status: null\n  purchasing_price: 12.5\n',
    ],
)
def test_the_schema_of_an_instance_knows_its_fields_by_key_and_label(text: str) -> None:
    assert errors(generated(), "objects", text) == []


@pytest.mark.parametrize(
    "member",
    ["status: used", "Seats: 40", "Seats: four", "Seat: 4", "inventory_name: " + "x" * 21, "room_matches: true"],
)
def test_the_schema_of_an_instance_refuses_what_the_instance_would(member: str) -> None:
    assert errors(generated(), "objects", f'- barcode: "1"\n  {member}\n')


def test_editors_are_offered_dropdown_values_and_labels() -> None:
    properties = generated()["$defs"]["objects"]["items"]["properties"]
    assert properties["status"]["enum"] == ["in use", "retired", None]
    assert properties["Seats"]["title"] == "Seats"
    assert properties["Seats"]["description"] == "NUMBER"
    assert properties["barcode"]["description"] == "BARCODE, mandatory"


def test_what_a_schema_says_of_fields_is_read_back() -> None:
    fields = {field.key: field for field in saved_fields(generated(), "objects")}
    assert fields["status"].allowed == ("in use", "retired")
    assert fields["Seats"].type == "NUMBER"
    names = {name_in_files(OBJECTS, of) for of in OBJECTS.fields.values()}
    assert set(fields) == names - {"room_matches", ""}


@pytest.mark.parametrize("document", [None, {}, [], {"$defs": {"objects": {"items": {"properties": {"a": 1}}}}}])
def test_a_schema_of_somebody_else_says_nothing_of_fields(document: Any) -> None:
    assert saved_fields(document, "objects") == []


# ---- validation without a connection


@pytest.fixture
def acme(tmp_path: Path) -> Path:
    """Return a copy of the example that may be spoilt."""
    root = tmp_path / "acme"
    shutil.copytree(ACME, root)
    return root


def found(root: Path) -> list[str]:
    return [str(finding) for finding in offline_findings(load(root))]


def test_the_example_is_valid(acme: Path) -> None:
    assert found(acme) == []


SPOILT = {
    ("objects/x.yml", "- barcode: 1234\n"): "objects/x.yml:1:12: barcode: '1234' does not fit; expected text; quote it",
    ("objects/x.yml", "- barcode: '1'\n  uuid: x\n"): "objects/x.yml:2:9: uuid: this field is set by the service",
    ("objects/x.yml", "- Condition: fair\n"): "objects/x.yml:1:14: Condition: 'fair' does not fit; expected one of",
    ("objects/x.yml", "- Warranty until: soon\n"): "objects/x.yml:1:19: Warranty until: 'soon' does not fit",
    (
        "tasks.yml",
        "- deadline: 2024-02-30\n",
    ): "tasks.yml:1:13: deadline: '2024-02-30' does not fit; expected a date",
    ("tasks.yml", "- titel: A\n"): "tasks.yml:1:10: titel: no such field in a task; did you mean title?",
    ("users.yml", "- nobody\n"): "users.yml:1:3: 'nobody' does not fit",
    ("hub.yml", "- object: '1'\n  prize: 4\n"): "hub.yml:2:10: prize: no such field in a hub item; did you mean price?",
    ("fields/room.yml", "- label: A\n  type: NUMERIC\n"): "fields/room.yml:2:9: type: 'NUMERIC' does not fit",
}


@pytest.mark.parametrize(("written", "expected"), SPOILT.items(), ids=[text for _name, text in SPOILT])
def test_a_finding_names_its_place(acme: Path, written: tuple[str, str], expected: str) -> None:
    name, text = written
    (acme / name).write_text(text, "utf-8")
    assert any(finding.startswith(expected) for finding in found(acme)), found(acme)


def test_the_schema_of_an_export_makes_fields_and_types_known(acme: Path) -> None:
    mistake = acme / "objects" / "x.yml"
    mistake.write_text("- barcode: '1'\n  inventory_nam: x\n  purchasing_price: cheap\n", "utf-8")
    assert found(acme) == []
    for name, text in schema_files(Exported(schemas={"object": OBJECTS})).items():
        (acme / "schema").mkdir(exist_ok=True)
        (acme / "schema" / name).write_bytes(text)
    mine = [finding.partition(" and no")[0] for finding in found(acme) if finding.startswith("objects/x.yml")]
    assert mine == [
        "objects/x.yml:2:18: inventory_nam: no such field in an object; did you mean inventory_name?",
        "objects/x.yml:3:21: purchasing_price: 'cheap' does not fit; expected a number with a decimal point",
    ]


def test_relations_by_name_and_times_without_an_offset_are_fine(site: Site) -> None:
    site.write(
        {
            "instance.yml": "api: seventhings/v1\ntimezone: Europe/Berlin\n",
            "fields/asset.yml": (
                "- {label: Seen, type: DATETIME}\n- label: B\n  relations: [{type: actual_field, field: Seen}]\n"
            ),
            "objects.yml": '- {barcode: "1", Seen: "2024-05-31T10:00:00"}\n',
        }
    )
    assert found(site.root) == []


def test_the_schema_and_the_guides_have_every_setting(tmp_path: Path) -> None:
    (tmp_path / "instance.yml").write_text("[]\n", "utf-8")
    [finding] = map(str, load(tmp_path).findings)
    named = finding.partition("expected a map with ")[2].split(", ")
    properties = STATIC["$defs"]["instance"]["properties"]
    assert sorted(properties) == sorted(named)
    guides = "".join(page.read_text("utf-8") for page in (ROOT / "docs" / "docsite" / "rst").glob("guide_*.rst"))
    assert [name for name in named if f"``{name}``" not in guides and f"{name}:" not in guides] == []
    assert list(properties["policy"]["properties"]["limits"]["properties"]) == [limit.name for limit in fields(Limits)]
