# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sections 2.2 and 4.3 of the interface: field definitions."""

from __future__ import annotations

from typing import Any

import pytest

from .bodies import NOBODY, JsonMap, attribute, code, constraint, definition, last_segment
from .support import Api

TYPES = [
    "ATTACHMENT",
    "BARCODE",
    "BOOLEAN",
    "DATE",
    "DATETIME",
    "DECIMAL",
    "DROPDOWN",
    "FIELD_VALUE_COMPARISON",
    "LINK",
    "LINKED_ASSET",
    "LINKED_ASSETS",
    "LINKED_LOCATION",
    "LINKED_PERSON",
    "LINKED_ROOM",
    "LINKED_USER",
    "LONG_TEXT",
    "MONEY",
    "NUMBER",
    "REMINDER",
    "TEXT",
]
TEMPLATES = ["asset", "room", "person"]
CONSTRAINTS = [
    constraint("allowed_values", ["a", "b"]),
    constraint("allowed_values", []),
    constraint("date_format", "Y-m-d"),
    constraint("date_time_format", "Y-m-d\\TH:i:sP"),
    constraint("min_value", -3),
    constraint("max_value", 3),
    constraint("max_length", 30),
    constraint("regular_expression", "^x$"),
]
YES_OR_NO = ["internal", "mandatory", "mutable", "system", "name_component", "unique", "piechart_on_dashboard"]
ATTRIBUTES = [
    attribute("form_group", "General"),
    *[attribute(name, value) for name in YES_OR_NO for value in ("yes", "no")],
    *[attribute("editable", value) for value in ("mobile_app", "web_app")],
    *[attribute("visible", value) for value in ("mobile_app", "web_app_details_view", "web_app_list_view")],
    attribute("preselected", "mobile_app"),
    attribute("indexed", "search"),
    *[
        attribute("formatted", value)
        for value in ("user_as_email", "user_as_firstname_lastname", "user_as_lastname_firstname")
    ],
    *[attribute("sorted", value) for value in ("ascending", "descending")],
    attribute("currency_code", "EUR"),
    attribute("fraction_digits", 0),
    attribute("fraction_digits", 20),
    *[attribute("generated", value) for value in ("on_create", "on_update", "on_import")],
    attribute("exposed", "mobile_app_api"),
]


@pytest.mark.parametrize("template", TEMPLATES)
def test_list(api: Api, template: str) -> None:
    found = api.read(f"/asset-tracking/{template}/field-definitions")
    assert isinstance(found, list)
    keys = [entry["field_key"] for entry in found]
    assert len(set(keys)) == len(keys)
    assert len({entry["uuid"] for entry in found}) == len(found)


BUILT_IN = [
    ("asset", "inventory_name", "TEXT"),
    ("asset", "barcode", "BARCODE"),
    ("asset", "documents", "ATTACHMENT"),
    ("asset", "purchasing_price", "MONEY"),
    ("asset", "actual_room", "LINKED_ROOM"),
    ("asset", "target_room", "LINKED_ROOM"),
    ("asset", "actual_building", "LINKED_LOCATION"),
    ("asset", "target_building", "LINKED_LOCATION"),
    ("asset", "purchasing_date", "DATE"),
    ("asset", "manufacturer", "TEXT"),
    ("asset", "inventory_group", "TEXT"),
    ("asset", "link", "LINK"),
    ("asset", "description", "LONG_TEXT"),
    ("asset", "condition", "DROPDOWN"),
    ("asset", "status", "FIELD_VALUE_COMPARISON"),
    ("asset", "scan_time", "DATETIME"),
    ("asset", "scanned_by_user_id", "NUMBER"),
    ("asset", "inventory_time", "DATETIME"),
    ("asset", "inventory_user", "LINKED_USER"),
    ("room", "name", "TEXT"),
    ("room", "number", "TEXT"),
    ("room", "building_id", "LINKED_LOCATION"),
    ("room", "additional_information", "TEXT"),
    ("person", "email", "TEXT"),
    ("person", "first_name", "TEXT"),
    ("person", "last_name", "TEXT"),
    ("person", "department", "TEXT"),
]


@pytest.mark.parametrize(("template", "key", "kind"), BUILT_IN)
def test_built_in_definition(api: Api, template: str, key: str, kind: str) -> None:
    found = {entry["field_key"]: entry for entry in api.read(f"/asset-tracking/{template}/field-definitions")}
    assert found[key]["field_type"]["name"] == kind


def test_built_in_definitions_have_almost_every_type(api: Api) -> None:
    found = {entry["field_type"]["name"] for entry in api.read("/asset-tracking/asset/field-definitions")}
    assert set(TYPES) - found == {"LINKED_ASSET"}


def test_barcode_is_unique_and_mandatory(api: Api) -> None:
    found = {entry["field_key"]: entry["attributes"] for entry in api.read("/asset-tracking/asset/field-definitions")}
    assert attribute("unique", "yes") in found["barcode"]
    mandatory = {key for key, attributes in found.items() if attribute("mandatory", "yes") in attributes}
    assert {"inventory_name", "barcode"} <= mandatory


@pytest.mark.parametrize("template", ["location", "user", "asset%20", "ASSET", "1"])
@pytest.mark.parametrize("call", ["list", "create", "read"])
def test_unknown_template(api: Api, template: str, call: str) -> None:
    path = f"/asset-tracking/{template}/field-definition"
    response = {
        "list": lambda: api.get(f"{path}s"),
        "create": lambda: api.post(path, definition("TEXT")),
        "read": lambda: api.get(f"{path}/{NOBODY}"),
    }[call]()
    assert response.status_code == 400


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("template", TEMPLATES)
def test_create(api: Api, template: str, kind: str) -> None:
    path = f"/asset-tracking/{template}/field-definition"
    body = definition(kind, label="Largest size", comment="in metres", attributes=[attribute("form_group", "Sizes")])
    response = api.post(path, body)
    assert response.status_code == 201
    assert response.content == b""
    created = response.headers["Location-UUID"]
    assert last_segment(response.headers["Location"]) == created
    found = api.read(f"{path}/{created}")
    assert {key: found[key] for key in body} == body
    assert found["uuid"] == created
    assert 1 <= len(found["field_key"]) <= 64
    assert found in api.read(f"{path}s")


def test_definition_belongs_to_its_template(api: Api) -> None:
    created = api.define("TEXT", "asset")["uuid"]
    assert created not in [entry["uuid"] for entry in api.read("/asset-tracking/room/field-definitions")]
    assert api.get(f"/asset-tracking/room/field-definition/{created}").status_code == 404


def test_new_field_can_be_used_at_once(api: Api) -> None:
    key = api.define("TEXT")["field_key"]
    assert api.read(f"/object/{api.create_object(**{key: 'x'})}")[key] == "x"


def test_equal_labels_give_different_keys(api: Api) -> None:
    label = f"Label {code()}"
    assert api.define("TEXT", label=label)["field_key"] != api.define("TEXT", label=label)["field_key"]


@pytest.mark.parametrize("entry", CONSTRAINTS, ids=str)
def test_constraint(api: Api, entry: JsonMap) -> None:
    assert api.define("TEXT", constraints=[entry])["field_type"]["constraints"] == [entry]


@pytest.mark.parametrize("entry", ATTRIBUTES, ids=str)
def test_attribute(api: Api, entry: JsonMap) -> None:
    assert api.define("TEXT", attributes=[entry])["attributes"] == [entry]


def test_attribute_may_occur_more_than_once(api: Api) -> None:
    both = [attribute("editable", "mobile_app"), attribute("editable", "web_app")]
    assert api.define("TEXT", attributes=both)["attributes"] == both


@pytest.mark.parametrize("kind", ["actual_field", "expected_field"])
def test_relation(api: Api, kind: str) -> None:
    relation = {"type": kind, "field_uuid": api.define("LINKED_ROOM")["uuid"]}
    assert api.define("LINKED_ROOM", relations=[relation])["relations"] == [relation]


def test_relation_with_values(api: Api) -> None:
    other = api.define("BOOLEAN")["uuid"]
    relation = {"type": "active_When_value_equals_one_of", "field_uuid": other, "comparison_values": [True, "x", 1]}
    assert api.define("TEXT", relations=[relation])["relations"] == [relation]


@pytest.mark.parametrize("value", [None, True, False, 5, 1.5, "x", ""], ids=repr)
def test_default_value(api: Api, value: Any) -> None:
    found = api.define("TEXT", default_value=value)["default_value"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("value", [[], ["a", "b"], [1, 2.5, True], None], ids=repr)
def test_possible_values(api: Api, value: Any) -> None:
    assert (api.define("DROPDOWN", possible_values=value)["possible_values"] or []) == (value or [])


REQUIRED = ["field_type", "label", "default_value", "possible_values", "attributes", "relations"]


def test_uuid_and_key_are_given_by_the_service(api: Api) -> None:
    created = api.define("TEXT", uuid=NOBODY, field_key="mine")
    assert created["uuid"] != NOBODY
    assert created["field_key"] != "mine"


def test_comment_may_be_absent(api: Api) -> None:
    body = definition("TEXT")
    del body["comment"]
    assert api.post("/asset-tracking/asset/field-definition", body).status_code == 201


def test_replace(api: Api) -> None:
    path = "/asset-tracking/asset/field-definition"
    found = api.define("TEXT", comment="before")
    changed = {
        **found,
        "label": "After",
        "comment": "after",
        "field_type": {"name": "TEXT", "constraints": [constraint("max_length", 3)]},
        "attributes": [attribute("mandatory", "no"), attribute("form_group", "G")],
    }
    response = api.put(f"{path}/{found['uuid']}", changed)
    assert (response.status_code, response.content) == (204, b"")
    assert api.read(f"{path}/{found['uuid']}") == changed
    assert api.patch(f"/object/{api.create_object()}", {found["field_key"]: "long"}).status_code in (400, 422)


@pytest.mark.parametrize("template", TEMPLATES)
def test_replace_for_every_template(api: Api, template: str) -> None:
    path = f"/asset-tracking/{template}/field-definition"
    found = api.define("DATE", template)
    assert api.put(f"{path}/{found['uuid']}", {**found, "label": "Other"}).status_code == 204
    assert api.read(f"{path}/{found['uuid']}")["label"] == "Other"


@pytest.mark.parametrize("key", ["", "k" * 65], ids=len)
def test_length_of_a_field_key(api: Api, key: str) -> None:
    found = api.define("TEXT")
    response = api.put(f"/asset-tracking/asset/field-definition/{found['uuid']}", {**found, "field_key": key})
    assert response.status_code == 400


def test_nothing_deletes_a_definition(api: Api) -> None:
    found = api.define("TEXT")
    assert api.delete(f"/asset-tracking/asset/field-definition/{found['uuid']}").status_code == 404
