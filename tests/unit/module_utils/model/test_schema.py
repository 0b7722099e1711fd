# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields of a record on an instance, and the meaning of written fields (section 2.2 of the interface)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS, SERVER_KEYS
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import (
    ParseErrors,
    Schema,
    field_from_definition,
    type_of,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import Reference

from ..support import definition

UUID = "9091afea-81ee-4003-ac76-2ac11e3ddc3f"


def schema(*definitions: Any, kind: str = "object") -> Schema:
    return Schema.for_kind(KINDS[kind], definitions)


def findings(of: Schema, written: dict[str, Any], **options: Any) -> ParseErrors:
    return of.parse(written, "fields.", **options)[1]


def parsed(of: Schema, written: dict[str, Any], **options: Any) -> dict[str, Any]:
    values, found = of.parse(written, "fields.", **options)
    assert found == ParseErrors()
    return values


LAPTOP = schema(
    definition("barcode", "BARCODE", label="Barcode", attributes={"mandatory": "yes", "unique": "yes"}),
    definition("inventory_name", label="Name", attributes={"mandatory": "yes"}),
    definition("purchasing_price", "MONEY", label="Price", attributes={"fraction_digits": 2}),
    definition("actual_room", "LINKED_ROOM", label="Room"),
    definition("colour", "DROPDOWN", label="Colour", possible_values=["red", "green"]),
    definition("width", "NUMBER", label="Size", constraints={"min_value": 1, "max_value": 10}),
    definition("height", "NUMBER", label="Size"),
    definition("note", "TEXT", label="Note", constraints={"max_length": 5, "regular_expression": "/^[a-z]*$/"}),
    definition("place", "COORDINATES", label="Place"),
)


# ---- from definitions


def test_a_field_has_key_type_label_and_uuid_of_its_definition() -> None:
    found = field_from_definition(definition("colour", "DROPDOWN", uuid=UUID, label="Colour"))
    assert (found.key, found.type, found.label, found.uuid) == ("colour", "DROPDOWN", "Colour", UUID)


@pytest.mark.parametrize(
    ("attributes", "mandatory"),
    [({"mandatory": "yes"}, True), ({"mandatory": "no"}, False), ({}, False), ({"mandatory": ["no", "yes"]}, True)],
)
def test_mandatory_is_what_its_attribute_says(attributes: Any, mandatory: bool) -> None:
    assert field_from_definition(definition("a", attributes=attributes)).mandatory is mandatory


@pytest.mark.parametrize("key", sorted(SERVER_KEYS))
def test_a_key_of_the_server_is_never_mandatory(key: str) -> None:
    assert not field_from_definition(definition(key, attributes={"mandatory": "yes"})).mandatory


@pytest.mark.parametrize(
    "key",
    [
        "id",
        "uuid",
        "asset_uuid",
        "room_uuid",
        "location_uuid",
        "person_uuid",
        "user_uuid",
        "created_at",
        "updated_at",
        "updated_by_user_id",
        "imported_by_user_id",
        "imported_with_template_id",
        "imported_at",
        "created_on_import_with_template_id",
        "created_by_user_id",
        "deleted",
        "locked_by",
        "archived_at",
        "scan_time",
        "scanned_by_user_id",
        "asset_like_counter",
        "inventory_time",
        "inventory_user",
    ],
)
def test_every_key_of_the_server_is_known(key: str) -> None:
    assert key in SERVER_KEYS


@pytest.mark.parametrize(
    ("constraint", "possible", "allowed"),
    [
        (["red"], ["green"], ("red", "green")),
        (["red", "green"], ["green", "red"], ("red", "green")),
        ([], ["green"], ("green",)),
        (["red"], [], ("red",)),
        (["red"], None, ("red",)),
        (None, ["green"], ("green",)),
        (None, None, ()),
        (["red"], [None, 5], ("red",)),
    ],
)
def test_allowed_values_of_a_dropdown_are_the_union_of_both_places(
    constraint: Any, possible: Any, allowed: tuple[str, ...]
) -> None:
    found = definition("a", "DROPDOWN", constraints={"allowed_values": constraint}, possible_values=possible)
    assert field_from_definition(found).allowed == allowed


def test_possible_values_of_another_type_restrict_nothing() -> None:
    assert field_from_definition(definition("a", "TEXT", possible_values=["x"])).allowed == ()


@pytest.mark.parametrize(
    ("attributes", "digits"), [({"fraction_digits": 2}, 2), ({"fraction_digits": 0}, 0), ({}, None)]
)
def test_fraction_digits_are_what_their_attribute_says(attributes: Any, digits: int | None) -> None:
    assert field_from_definition(definition("a", "MONEY", attributes=attributes)).fraction_digits == digits


def test_constraints_without_a_value_do_not_count() -> None:
    found = field_from_definition(definition("a", constraints={"max_length": 5, "regular_expression": None}))
    assert found.constraints == {"max_length": 5}


@pytest.mark.parametrize("empty", [None, [], {}])
def test_a_definition_may_answer_nothing_in_every_form(empty: Any) -> None:
    raw = definition("a", attributes={}) | {"attributes": empty, "possible_values": empty, "label": None, "uuid": None}
    raw["field_type"] = {"name": "DROPDOWN", "constraints": empty}
    found = field_from_definition(raw)
    assert (found.allowed, dict(found.constraints), found.label, found.mandatory) == ((), {}, "", False)


def test_unique_is_what_its_attribute_says() -> None:
    assert field_from_definition(definition("a", attributes={"unique": "yes"})).unique
    assert not field_from_definition(definition("a", attributes={"unique": "no"})).unique


def test_a_type_that_is_not_known_is_read_as_it_comes_and_never_written() -> None:
    future = schema(definition("a", "FROM_THE_FUTURE"))
    assert future.read({"a": {"x": 1}}) == {"a": {"x": 1}}
    assert "never writes them" in findings(future, {"a": 1}).errors[0]


def test_kinds_without_a_template_have_the_fields_of_the_catalogue() -> None:
    assert set(Schema.for_kind(KINDS["location"]).fields) == {"name", "address", "zip", "city", "country"}
    assert set(Schema.for_kind(KINDS["task"], [definition("x")]).fields) == {of.key for of in KINDS["task"].fields}


def test_a_location_learns_keys_from_records_but_not_those_of_the_server() -> None:
    location = Schema.for_kind(KINDS["location"])
    location.learn(["name", "floor_plan", "location_uuid", "created_at"])
    assert set(location.fields) == {"name", "address", "zip", "city", "country", "floor_plan"}
    assert location.fields["name"].mandatory


# ---- labels


def test_a_label_is_in_place_of_its_key_where_it_is_unique() -> None:
    assert parsed(LAPTOP, {"Name": "Laptop", "colour": "red"}) == {"inventory_name": "Laptop", "colour": "red"}


def test_a_label_of_two_fields_is_for_neither() -> None:
    assert LAPTOP.find("Size") is None
    found = findings(LAPTOP, {"Size": 5})
    assert found.errors == [
        "fields.Size: the label of 2 fields, width and height; write the key of the field that you mean"
    ]
    assert not found.unknown


def test_a_key_takes_precedence_over_a_label() -> None:
    both = schema(definition("a", label="b"), definition("b", label="c"))
    found = both.find("b")
    assert found is not None
    assert found.key == "b"


def test_a_label_has_the_case_that_it_has() -> None:
    assert LAPTOP.find("name") is None


def test_an_empty_label_is_for_nothing() -> None:
    assert schema(definition("a", label="")).find("") is None


@pytest.mark.parametrize("order", [["inventory_name", "Name"], ["Name", "inventory_name"]])
def test_a_field_written_by_key_and_by_label_is_an_error_that_names_both(order: list[str]) -> None:
    found = findings(LAPTOP, dict.fromkeys(order, "x"))
    assert found.errors == [
        f"fields.{order[1]}: the field inventory_name is written twice, by its key and by its label"
    ]


# ---- unknown and forbidden fields


def test_a_name_that_the_service_uses_for_a_field_means_this_field() -> None:
    schema = Schema.for_kind(KINDS["field_definition"])
    assert schema.why_unknown("field_type").endswith("did you mean type?")
    assert (
        Schema.for_kind(KINDS["rental_case"])
        .why_unknown("responsible_user_uuid")
        .endswith("did you mean responsible_user?")
    )


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("inventory_nmae", "inventory_name"),
        ("purchase_price", "purchasing_price"),
        ("Colur", "Colour"),
        ("roomm", "Room"),
    ],
)
def test_an_unknown_field_is_reported_with_the_nearest_names(name: str, nearest: str) -> None:
    found = findings(LAPTOP, {name: 1})
    assert found.errors == []
    assert found.unknown[0].startswith(f"fields.{name}: no such field in an object; did you mean ")
    assert nearest in found.unknown[0]


def test_an_unknown_field_with_nothing_near_is_reported_with_all_that_are_known() -> None:
    (line,) = findings(LAPTOP, {"xyzzy": 1}).unknown
    assert all(key in line for key in LAPTOP.fields)


def test_a_template_without_fields_says_so() -> None:
    assert "no fields" in findings(schema(), {"xyzzy": 1}).unknown[0]


def test_an_unknown_field_passes_as_it_is_where_that_is_allowed() -> None:
    of = schema(definition("a"))
    assert parsed(of, {"b": {"x": [1]}, "c": None}, allow_unknown=True) == {"b": {"x": [1]}, "c": None}
    assert of.write({"b": {"x": [1]}, "c": None}) == {"b": {"x": [1]}, "c": None}


@pytest.mark.parametrize("key", ["id", "uuid", "asset_uuid", "created_at", "archived_at"])
@pytest.mark.parametrize("allowed", [False, True])
def test_a_key_of_the_server_is_refused_even_where_a_definition_has_it(key: str, allowed: bool) -> None:
    of = schema(definition(key), definition("a"))
    found = findings(of, {key: "x", "a": "y"}, allow_unknown=allowed)
    assert found.errors == [f"fields.{key}: this field is set by the service and can't be written"]


# ---- values


def test_values_are_parsed_by_the_type_of_their_field() -> None:
    found = parsed(LAPTOP, {"barcode": "0001", "purchasing_price": "12.50", "actual_room": 7, "width": "3"})
    assert found["barcode"] == "0001"
    assert found["purchasing_price"] == Decimal("12.5")
    assert found["actual_room"] == Reference("room", id=7, written=7)
    assert found["width"] == 3


@pytest.mark.parametrize("key", ["purchasing_price", "actual_room", "colour", "width", "note"])
def test_null_clears(key: str) -> None:
    assert parsed(LAPTOP, {key: None}) == {key: None}


def test_null_clears_a_list_to_an_empty_one() -> None:
    of = schema(definition("files", "ATTACHMENT"), definition("parts", "LINKED_ASSETS"))
    assert parsed(of, {"files": None, "parts": None}) == {"files": (), "parts": ()}
    assert of.write({"files": (), "parts": ()}) == {"files": [], "parts": []}


def test_a_type_that_is_never_written_can_not_be_cleared_either() -> None:
    assert "never writes them" in findings(LAPTOP, {"place": None}).errors[0]


@pytest.mark.parametrize(
    ("written", "start"),
    [
        ({"barcode": 1234}, "fields.barcode: 1234 does not fit; expected text; quote it"),
        ({"purchasing_price": "12,50"}, "fields.purchasing_price: '12,50' does not fit; expected a number"),
        ({"Price": "12,50"}, "fields.Price: '12,50' does not fit"),
        ({"colour": "blue"}, "fields.colour: 'blue' does not fit; expected one of 'red', 'green'"),
        ({"width": 0}, "fields.width: 0 does not fit; expected at least 1"),
        ({"width": 11}, "fields.width: 11 does not fit; expected at most 10"),
        ({"note": "abcdef"}, "fields.note: 'abcdef' does not fit; expected at most 5 characters"),
        ({"note": "AB"}, "fields.note: 'AB' does not fit; expected a text that matches"),
        ({"barcode": None}, "fields.barcode: empty does not fit; this field is mandatory"),
    ],
)
def test_a_finding_says_what_where_and_what_was_expected(written: dict[str, Any], start: str) -> None:
    (line,) = findings(LAPTOP, written).errors
    assert line.startswith(start)


def test_a_long_value_is_shortened_in_a_message() -> None:
    (line,) = findings(LAPTOP, {"note": "x" * 500}).errors
    assert len(line) < 250


def test_all_findings_are_reported_at_once() -> None:
    written = {
        "barcode": 1,
        "purchasing_price": "12,5",
        "width": 99,
        "id": 5,
        "Name": "a",
        "xyzzy": 1,
        "inventory_name": "b",
    }
    values, found = LAPTOP.parse(written, "fields.")
    assert len(found.errors) == 5
    assert len(found.unknown) == 1
    assert values["inventory_name"] == "a"


def test_mandatory_fields_without_a_value_are_missing() -> None:
    assert LAPTOP.missing({}) == ["barcode", "inventory_name"]
    assert LAPTOP.missing({"barcode": "1", "inventory_name": None}) == ["inventory_name"]
    assert LAPTOP.missing({"barcode": "1", "inventory_name": "a"}) == []


@pytest.mark.parametrize(("value", "missing"), [(0, []), (False, []), (Decimal(0), []), ("", ["a"]), ((), ["a"])])
def test_zero_and_false_are_values(value: Any, missing: list[str]) -> None:
    assert schema(definition("a", "NUMBER", attributes={"mandatory": "yes"})).missing({"a": value}) == missing


# ---- read, show, write


def test_reading_leaves_out_what_is_no_field_and_what_was_not_answered() -> None:
    assert LAPTOP.read({"barcode": "1", "width": "3", "from_the_future": 1}) == {"barcode": "1", "width": 3}


def test_a_record_is_shown_with_keys_that_are_no_fields_as_they_came() -> None:
    flat = {"barcode": 1, "purchasing_price": "12.50", "actual_room": 0, "created_at": "2024-05-31 10:00:00", "x": [1]}
    assert LAPTOP.show(flat) == {
        "barcode": "1",
        "purchasing_price": 12.5,
        "actual_room": None,
        "created_at": "2024-05-31T10:00:00+00:00",
        "x": [1],
    }


def test_a_field_has_its_key_on_the_wire_where_it_differs() -> None:
    of = Schema.for_kind(KINDS["rental_case"])
    user = Reference("user", 7, UUID)
    assert of.write({"responsible_user": user}) == {"responsible_user_uuid": UUID}
    assert of.read({"responsible_user_uuid": UUID})["responsible_user"].uuid == UUID
    shown = of.show({"responsible_user_uuid": UUID})
    assert shown == {"responsible_user": {"id": None, "uuid": UUID, "email": None, "display_name": None}}


def test_what_is_to_be_is_shown_in_the_same_shape() -> None:
    values = parsed(LAPTOP, {"purchasing_price": "12.50", "actual_room": 7})
    assert LAPTOP.show_canonical({**values, "xyzzy": 1}) == {
        "purchasing_price": 12.5,
        "actual_room": {"id": 7, "uuid": None, "display_name": None},
    }


def test_equality_knows_the_digits_of_the_field() -> None:
    assert LAPTOP.equal("purchasing_price", Decimal("1.004"), Decimal(1))
    assert not LAPTOP.equal("width", 1, 2)


def test_a_diff_shows_a_reference_as_written() -> None:
    assert LAPTOP.brief("actual_room", Reference("room", 7, UUID, "Workshop", "Head office/0.12")) == "Head office/0.12"
    assert LAPTOP.brief("purchasing_price", Decimal("12.50")) == 12.5


@pytest.mark.parametrize("kind", [kind for kind in KINDS.values() if kind.fields], ids=lambda kind: kind.name)
def test_every_fixed_field_of_the_catalogue_has_a_type(kind: Any) -> None:
    unknown = type_of(Field("a", "FROM_THE_FUTURE"))
    assert [of.key for of in kind.fields if type_of(of) is unknown] == []
