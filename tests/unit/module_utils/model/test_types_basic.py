# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The field types: strict parsing of user input, tolerant reading of answers, equality by meaning."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.community.seventhings.plugins.module_utils.model.field import (
    MOST_CHARACTERS,
    CellList,
    CellMap,
    Field,
    InvalidValue,
    Plain,
    TypedCell,
    Unread,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.types_basic import FIELD_TYPES, broken_rules
from ansible_collections.community.seventhings.plugins.module_utils.model.types_composite import STRUCTURES
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import (
    Attachment,
    Reference,
    attachments_in,
    brief_reference,
    references_in,
)

from ..support import RANDOMISED, uuid_of

UUID = "9091afea-81ee-4003-ac76-2ac11e3ddc3f"
OTHER = "a0000000-81ee-4003-ac76-2ac11e3ddc3f"
TEXTS = ("TEXT", "LONG_TEXT", "BARCODE", "DROPDOWN", "LINK")
DECIMALS = ("DECIMAL", "MONEY")
DATES = ("DATE", "REMINDER")
LINKS = {
    "LINKED_LOCATION": "location",
    "LINKED_ROOM": "room",
    "LINKED_USER": "user",
    "LINKED_PERSON": "person",
    "LINKED_ASSET": "object",
}
SETS = ("LINKED_ASSETS",)
UNWRITABLE = ("COORDINATES", "FIELD_VALUE_COMPARISON")
EMPTIES: tuple[Any, ...] = (None, "", [], {})


def of(name: str, **more: Any) -> Field:
    return Field("f", name, **more)


def parse(name: str, value: Any, **more: Any) -> Any:
    return FIELD_TYPES[name].parse(value, of(name, **more))


def read(name: str, value: Any, **more: Any) -> Any:
    return FIELD_TYPES[name].read(value, of(name, **more))


def equal(name: str, left: Any, right: Any, **more: Any) -> bool:
    return FIELD_TYPES[name].equal(left, right, of(name, **more))


def written(name: str, value: Any) -> Any:
    return FIELD_TYPES[name].write(parse(name, value))


def refused(name: str, value: Any) -> str:
    with pytest.raises(InvalidValue) as caught:
        parse(name, value)
    return str(caught.value)


def test_every_field_type_of_the_interface_is_known() -> None:
    published = {*TEXTS, *DECIMALS, *DATES, *LINKS, *SETS, *UNWRITABLE, "ATTACHMENT", "BOOLEAN", "DATETIME", "NUMBER"}
    assert set(FIELD_TYPES) >= published


# ---- strict: texts


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("text", ["Laptop 17", "0001234", "true", " padded ", "2024-05-31", "12,5", "Größe", "a\nb"])
def test_a_text_is_taken_as_it_is_written(name: str, text: str) -> None:
    assert written(name, text) == text


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize(
    ("value", "reading"),
    [
        (17, "a number"),
        (0, "a number"),
        (12.5, "a number"),
        (True, "true or false"),
        (False, "true or false"),
        (dt.date(2024, 5, 31), "a date"),
        (dt.datetime(2024, 5, 31, 10, 0, tzinfo=dt.UTC), "a date"),
    ],
)
def test_what_yaml_made_of_an_unquoted_text_is_refused_with_quote_it(name: str, value: Any, reading: str) -> None:
    message = refused(name, value)
    assert "quote it where it is written, exactly as it is" in message
    assert f"without quotes it is {reading};" in message


@pytest.mark.parametrize("written", ["0042001", "0123", "010"])
def test_a_number_may_be_a_text_with_zeros_that_was_read_as_octal(written: str) -> None:
    message = refused("BARCODE", yaml.safe_load(written))
    assert f"; 0{written.lstrip('0')} is read as an octal number; " in message


def test_a_plain_scalar_that_looks_like_something_else_is_refused_with_itself_in_quotes() -> None:
    assert 'quote it: "0815"' in refused("TEXT", Plain("0815"))


def test_a_cell_without_text_says_why() -> None:
    assert (
        refused("TEXT", TypedCell.from_spelling("815", "text; the cell contains a number"))
        == "text; the cell contains a number"
    )


@pytest.mark.parametrize(
    "cell", [CellList.from_items([1, 2], "[1,  2]"), CellMap.from_members({"a": 1}, '{"a":  1}')], ids=["list", "map"]
)
def test_a_cell_that_looks_like_json_is_a_text_as_it_is_written(cell: CellList | CellMap) -> None:
    assert parse("TEXT", cell) == cell.text


def test_a_text_has_a_greatest_length() -> None:
    longest = "x" * MOST_CHARACTERS
    assert parse("TEXT", longest) == longest
    assert refused("TEXT", f"{longest}x") == "a text of at most 1,000,000 characters"


def test_the_advice_to_quote_does_not_offer_what_yaml_made_of_the_value() -> None:
    assert "668" not in refused("BARCODE", 0o1234)


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("value", [["a"], {"a": 1}, b"a", object()])
def test_what_is_no_text_at_all_is_refused_with_an_example(name: str, value: Any) -> None:
    assert "Laptop 17" in refused(name, value)


@pytest.mark.parametrize("name", TEXTS)
def test_an_empty_text_is_nothing(name: str) -> None:
    assert parse(name, "") is None


# ---- strict: numbers


@pytest.mark.parametrize(
    ("value", "number"),
    [(42, 42), ("42", 42), (0, 0), ("0", 0), (-7, -7), ("-7", -7), (10**30, 10**30), ("9" * 300, 10**300 - 1)],
)
def test_a_number_is_an_integer_or_its_digits(value: Any, number: int) -> None:
    assert written("NUMBER", value) == number
    assert isinstance(written("NUMBER", value), int)


@pytest.mark.parametrize(
    "value",
    [
        "007",
        "-01",
        "1.0",
        "1,0",
        "1 000",
        "1.000,00",
        "+1",
        "0x10",
        "1e3",
        "",
        " 1",
        "1\n",
        "1_000",
        "٣",
        "one",
        1.0,
        1.5,
        True,
        False,
        [1],
        {},
        dt.date(2024, 1, 1),
        math.nan,
        math.inf,
    ],
)
def test_anything_else_is_no_number(value: Any) -> None:
    assert "42" in refused("NUMBER", value)


@pytest.mark.parametrize("name", DECIMALS)
@pytest.mark.parametrize(
    ("value", "sent"),
    [
        (12.5, 12.5),
        ("12.5", 12.5),
        ("12.50", 12.5),
        ("12.500", 12.5),
        (12, 12.0),
        ("12", 12.0),
        (0, 0.0),
        ("0.01", 0.01),
        (0.1, 0.1),
        (-3.25, -3.25),
        ("-3.25", -3.25),
        (1e-7, 1e-7),
        (999999999999.99, 999999999999.99),
    ],
)
def test_a_decimal_has_a_point_and_is_sent_as_a_json_number(name: str, value: Any, sent: float) -> None:
    assert written(name, value) == sent
    assert isinstance(written(name, value), (int, float))


@pytest.mark.parametrize("name", DECIMALS)
@pytest.mark.parametrize(
    "value",
    [
        "12,5",
        "1.299,50",
        "1,299.50",
        "1 299.50",
        "12.",
        ".5",
        "007.5",
        "+1.5",
        "1e3",
        "12 EUR",
        "",
        " 1.5",
        "1.5\n",
        True,
        False,
        math.nan,
        math.inf,
        -math.inf,
        None,
        [1.5],
        {},
        dt.date(2024, 1, 1),
    ],
)
def test_a_decimal_comma_and_other_notations_are_refused_with_the_right_form(name: str, value: Any) -> None:
    assert "1299.50" in refused(name, value)


@pytest.mark.parametrize("name", DECIMALS)
@pytest.mark.parametrize(
    "value",
    ["0.12345678901234567890", "12345678901234567890.5", 10**400, "1" + "0" * 400],
    ids=["digits", "long", "int", "text"],
)
def test_a_number_that_json_can_not_carry_exactly_is_refused(name: str, value: Any) -> None:
    with pytest.raises(InvalidValue):
        parse(name, value)


def test_the_message_for_too_many_digits_says_so() -> None:
    assert "15 significant digits" in refused("MONEY", "0.12345678901234567890")


# ---- strict: booleans


@pytest.mark.parametrize(
    ("value", "flag"), [(True, True), (False, False), ("true", True), ("False", False), ("TRUE", True)]
)
def test_a_boolean_is_true_or_false(value: Any, flag: bool) -> None:
    assert written("BOOLEAN", value) is flag


@pytest.mark.parametrize("value", [1, 0, "1", "0", "", "ja", [True], {}, 1.0])
def test_numbers_and_other_words_are_no_boolean(value: Any) -> None:
    assert refused("BOOLEAN", value) == "true or false"


@pytest.mark.parametrize("value", ["yes", "No", "on", "OFF"])
def test_a_text_that_looks_like_a_boolean_is_refused_with_the_filter_that_makes_one(value: str) -> None:
    assert refused("BOOLEAN", value).endswith("in a template add | bool")


@pytest.mark.parametrize(("text", "flag"), [("yes", True), ("Yes", True), ("ON", True), ("no", False), ("Off", False)])
def test_unquoted_words_that_yaml_reads_as_booleans_are_booleans(text: str, flag: bool) -> None:
    assert written("BOOLEAN", Plain(text)) is flag


@pytest.mark.parametrize("text", ["y", "5", "yess", "2024-01-01"])
def test_other_plain_words_are_no_boolean(text: str) -> None:
    assert refused("BOOLEAN", Plain(text)) == "true or false"


# ---- strict: dates and instants


@pytest.mark.parametrize("name", DATES)
@pytest.mark.parametrize("value", ["2024-05-31", "20240531", Plain("20240531"), dt.date(2024, 5, 31)])
def test_a_date_is_sent_as_year_month_day(name: str, value: Any) -> None:
    assert written(name, value) == "2024-05-31"


@pytest.mark.parametrize("name", DATES)
@pytest.mark.parametrize(
    "value",
    [
        "31.05.2024",
        "05/31/2024",
        "2024/05/31",
        "2024-5-31",
        "24-05-31",
        "2024-W22-5",
        "2024-05-31T10:00:00",
        "2024-05-31 ",
        "2024-05-31\n",
        "today",
        "",
        20240531,
        True,
        [],
        {},
        1.5,
        dt.datetime(2024, 5, 31, 10, 0, tzinfo=dt.UTC),
        dt.datetime.fromisoformat("2024-05-31T00:00:00"),
    ],
)
def test_another_form_of_date_is_refused_with_the_right_form(name: str, value: Any) -> None:
    assert "YYYY-MM-DD" in refused(name, value)


@pytest.mark.parametrize("name", DATES)
@pytest.mark.parametrize("value", ["2024-02-30", "2023-02-29", "2024-13-01", "2024-00-10", "2024-01-00"])
def test_a_date_that_does_not_exist_is_refused(name: str, value: str) -> None:
    assert "exists" in refused(name, value)


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        ("2024-05-31T14:30:00+02:00", "2024-05-31T14:30:00+02:00"),
        ("2024-05-31T14:30:00-11:30", "2024-05-31T14:30:00-11:30"),
        ("2024-05-31T14:30:00Z", "2024-05-31T14:30:00+00:00"),
        ("20240531T143000.123456789Z", "2024-05-31T14:30:00+00:00"),
        ("2024-05-31 14:30+02", "2024-05-31T14:30:00+02:00"),
        (dt.datetime(2024, 5, 31, 14, 30, tzinfo=dt.UTC), "2024-05-31T14:30:00+00:00"),
        (dt.datetime(2024, 5, 31, 14, 30, 5, 999, tzinfo=dt.UTC), "2024-05-31T14:30:05+00:00"),
    ],
)
def test_an_instant_is_sent_with_its_offset(value: Any, sent: str) -> None:
    assert written("DATETIME", value) == sent


@pytest.mark.parametrize(
    "value",
    [
        "2024-05-31T14:30:00",
        "2024-05-31 14:30:00",
        "2024-05-31",
        "31.05.2024 14:30",
        "",
        "2024-05-31T14:30:00 +02:00",
        "2024-W22-5T14:30:00Z",
        1717165800,
        True,
        [],
        dt.date(2024, 5, 31),
        dt.datetime.fromisoformat("2024-05-31T14:30:00"),
    ],
)
def test_an_instant_without_offset_or_in_another_form_is_refused(value: Any) -> None:
    assert "2024-05-31T14:30:00+02:00" in refused("DATETIME", value)


@pytest.mark.parametrize("value", ["2024-02-30T10:00:00Z", "2024-05-31T25:00:00Z", "2024-05-31T10:61:00+02:00"])
def test_an_instant_that_does_not_exist_is_refused(value: str) -> None:
    assert "exist" in refused("DATETIME", value)


# ---- strict: the message has an example of what was expected


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("TEXT", ["a"], 'text, such as "Laptop 17"'),
        ("NUMBER", "9" * 301, "an integer of at most 300 digits"),
        ("NUMBER", "007", "an integer without leading zeros, such as 42"),
        ("MONEY", "1,5", 'a number with a decimal point and no separators, such as 1299.50 or "1299.50"'),
        (
            "MONEY",
            "0.1234567890123456789",
            "a number of at most 15 significant digits, because the service accepts JSON numbers",
        ),
        ("BOOLEAN", "yes", "true or false, without quotes; in a template add | bool"),
        ("DATE", "31.05.2024", "a date as YYYY-MM-DD, such as 2024-05-31"),
        ("DATE", "2024-02-30", "a date that exists, as YYYY-MM-DD (day is out of range for month)"),
        (
            "DATETIME",
            "2024-05-31",
            "a date and time with the offset to UTC, such as 2024-05-31T14:30:00+02:00",
        ),
        (
            "DATETIME",
            "2024-05-31T25:00:00Z",
            "a date and time that exist, with the offset to UTC (hour must be in 0..23)",
        ),
    ],
)
def test_what_was_expected_is_reported_with_an_example(name: str, value: Any, expected: str) -> None:
    assert refused(name, value) == expected


# ---- strict: types that are never written


@pytest.mark.parametrize("name", UNWRITABLE)
@pytest.mark.parametrize("value", ["52.5,13.4", {"lat": 1}, 1, [], ""])
def test_coordinates_and_comparisons_are_never_written(name: str, value: Any) -> None:
    assert refused(name, value) == (
        "no value: the service sets values of this type, and this collection never writes them"
    )


# ---- strict: links


@pytest.mark.parametrize(("name", "target"), LINKS.items())
def test_an_integer_is_an_id(name: str, target: str) -> None:
    assert parse(name, 17) == Reference(target, id=17, written=17)
    assert written(name, 17) == 17


@pytest.mark.parametrize(("name", "target"), LINKS.items())
@pytest.mark.parametrize("text", [UUID, UUID.upper()])
def test_a_text_in_uuid_form_is_a_uuid_whatever_its_case(name: str, target: str, text: str) -> None:
    assert parse(name, text) == Reference(target, uuid=UUID, written=text)
    assert written(name, text) == UUID


@pytest.mark.parametrize(("name", "target"), LINKS.items())
@pytest.mark.parametrize(
    "text", ["Head office", "Head office/0.12", "17", "0001234", "ada@example.com", UUID[:-1], "0"]
)
def test_any_other_text_is_a_natural_key_digits_too(name: str, target: str, text: str) -> None:
    reference = parse(name, text)
    assert reference == Reference(target, written=text)
    assert not reference.resolved


@pytest.mark.parametrize(("name", "target"), LINKS.items())
def test_a_map_of_field_keys_is_a_natural_key_too(name: str, target: str) -> None:
    key = {"building_id": "Head office", "number": "0.12"}
    assert parse(name, key) == Reference(target, written=key)


@pytest.mark.parametrize("name", LINKS)
def test_a_reference_as_it_was_returned_may_be_written_back(name: str) -> None:
    reference = parse(name, {"id": 7, "uuid": UUID.upper(), "display_name": "A"})
    assert (reference.id, reference.uuid) == (7, UUID)


@pytest.mark.parametrize("name", LINKS)
def test_a_map_with_an_id_as_digits_means_that_id(name: str) -> None:
    reference = parse(name, {"id": "7"})
    assert equal(name, reference, read(name, 7))


@pytest.mark.parametrize("name", LINKS)
@pytest.mark.parametrize(
    "value", [0, -1, True, False, 1.5, "", "  ", [], {}, [UUID], {"uuid": 5}, {"uuid": "abc"}, {"id": "abc"}]
)
def test_what_can_be_no_reference_is_refused(name: str, value: Any) -> None:
    message = refused(name, value)
    assert "natural key" in message
    assert LINKS[name] in message


@pytest.mark.parametrize("name", SETS)
def test_linked_assets_are_a_list_of_references_in_any_form(name: str) -> None:
    found = parse(name, [17, UUID, "0001234", {"barcode": "1"}])
    assert [(reference.id, reference.uuid) for reference in found] == [
        (17, None),
        (None, UUID),
        (None, None),
        (None, None),
    ]
    assert {reference.target for reference in found} == {"object"}


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("value", ["0001234", 17, UUID, {"barcode": "1"}])
def test_one_linked_asset_is_as_good_as_a_list_of_one(name: str, value: Any) -> None:
    (alone,), (listed,) = parse(name, value), parse(name, [value])
    assert alone == listed


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("value", [0, True, "", {}, [0], [[17]], {"uuid": "abc"}])
def test_what_can_be_no_linked_asset_is_refused(name: str, value: Any) -> None:
    assert "a reference to one object" in refused(name, value)


def test_the_type_for_one_asset_sends_one_and_the_type_for_several_a_list() -> None:
    assert written("LINKED_ASSET", 17) == 17
    assert written("LINKED_ASSET", UUID) == UUID
    assert "a reference to one object" in refused("LINKED_ASSET", [17])
    assert written("LINKED_ASSETS", 17) == [17]
    assert written("LINKED_ASSETS", [17, UUID]) == [17, UUID]


@pytest.mark.parametrize("name", ["LINKED_ASSETS", "ATTACHMENT"])
def test_a_wrong_item_of_a_list_is_named_by_its_position(name: str) -> None:
    assert "(item 2)" in refused(name, [UUID, True, UUID])


# ---- strict: attachments


def test_attachments_are_uuids_paths_or_maps_of_path_and_name() -> None:
    value = [UUID.upper(), "files/a.pdf", {"path": "b.pdf"}, {"path": "c.pdf", "name": "C"}, {"uuid": OTHER, "size": 1}]
    assert parse("ATTACHMENT", value) == (
        Attachment(uuid=UUID),
        Attachment(path="files/a.pdf"),
        Attachment(path="b.pdf"),
        Attachment(path="c.pdf", name="C"),
        Attachment(uuid=OTHER),
    )


@pytest.mark.parametrize(
    "item", ["", 5, True, {}, {"path": ""}, {"path": "a", "size": 1}, {"name": "a"}, {"uuid": "x"}, []]
)
def test_what_can_be_no_attachment_is_refused(item: Any) -> None:
    assert "the uuid of a file, a path" in refused("ATTACHMENT", [item])


@pytest.mark.parametrize("name", [5, True, ["a"]])
def test_the_name_of_an_attachment_is_a_text(name: Any) -> None:
    refused("ATTACHMENT", [{"path": "a.pdf", "name": name}])


@pytest.mark.parametrize("value", [UUID, "a.pdf", {"path": "a.pdf"}])
def test_attachments_are_refused_where_they_are_no_list(value: Any) -> None:
    assert refused("ATTACHMENT", value) == "a list"


def test_attachments_are_sent_as_an_array_of_uuids() -> None:
    assert written("ATTACHMENT", [UUID, OTHER]) == [UUID, OTHER]


# ---- tolerant: what a service may answer


@pytest.mark.parametrize("name", sorted(FIELD_TYPES))
@pytest.mark.parametrize("empty", EMPTIES)
def test_null_empty_text_empty_list_and_empty_map_are_all_nothing(name: str, empty: Any) -> None:
    assert read(name, empty) == FIELD_TYPES[name].empty


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize(("raw", "text"), [("A", "A"), (17, "17"), (0, "0"), (1.5, "1.5"), (True, "true")])
def test_a_text_may_be_answered_as_a_number_or_boolean(name: str, raw: Any, text: str) -> None:
    assert read(name, raw) == text


def test_the_name_of_a_user_may_be_answered_as_a_list_of_its_words() -> None:
    field = Field("display_name", "WORDS")
    assert STRUCTURES[field.type].read(["Ada", "B."], field) == "Ada B."
    assert STRUCTURES[field.type].read(["Ada", {"B": 1}], field) == Unread(["Ada", {"B": 1}])


@pytest.mark.parametrize("raw", [42, "42", 42.0, "42.0", "42.000", "042"])
def test_a_number_may_be_answered_as_text_or_with_a_point(raw: Any) -> None:
    assert read("NUMBER", raw) == 42
    assert isinstance(read("NUMBER", raw), int)


@pytest.mark.parametrize(("raw", "shape"), [("1e299", int), ("1e300", Decimal)])
def test_a_number_of_more_digits_than_any_of_json_is_never_written_out(raw: str, shape: type) -> None:
    assert read("NUMBER", raw).__class__ is shape


@pytest.mark.parametrize("raw", [0, "0", "0.0"])
@pytest.mark.parametrize("name", ["NUMBER", *DECIMALS])
def test_zero_is_not_nothing(name: str, raw: Any) -> None:
    assert read(name, raw) == 0
    assert read(name, raw) is not None


@pytest.mark.parametrize("name", DECIMALS)
@pytest.mark.parametrize("raw", [12.5, "12.5", "12.50", "12.500"])
def test_a_decimal_may_be_answered_as_text(name: str, raw: Any) -> None:
    assert read(name, raw) == Decimal("12.5")


@pytest.mark.parametrize("raw", [True, 1, "1", "true", "True", "yes"])
def test_true_has_many_forms(raw: Any) -> None:
    assert read("BOOLEAN", raw) is True


@pytest.mark.parametrize("raw", [False, 0, "0", "false", "FALSE", "no"])
def test_false_has_many_forms_and_is_not_nothing(raw: Any) -> None:
    assert read("BOOLEAN", raw) is False


@pytest.mark.parametrize("name", DATES)
@pytest.mark.parametrize(
    "raw", ["2024-05-31", "2024-05-31 00:00:00", "2024-05-31T00:00:00+02:00", "2024-05-31T22:00:00Z"]
)
def test_a_date_may_be_answered_in_three_forms(name: str, raw: str) -> None:
    assert read(name, raw) == dt.date(2024, 5, 31)


@pytest.mark.parametrize(
    "raw",
    [
        "2024-05-31 12:30:00",
        "2024-05-31T12:30:00Z",
        "2024-05-31T14:30:00+02:00",
        "2024-05-31T12:30:00.123Z",
        "2024-05-31T12:30:00",
        "2024-05-31T07:00:00-05:30",
    ],
)
def test_an_instant_without_zone_is_utc_and_fractions_do_not_count(raw: str) -> None:
    assert equal("DATETIME", read("DATETIME", raw), parse("DATETIME", "2024-05-31T14:30:00+02:00"))


@pytest.mark.parametrize("raw", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_an_instant_without_a_year_in_utc_is_a_text_and_can_t_be_written(raw: str) -> None:
    assert read("DATETIME", raw) == Unread(raw)
    assert "exist" in refused("DATETIME", raw)


def test_a_day_alone_is_read_as_its_first_instant() -> None:
    assert read("DATETIME", "2024-05-31") == dt.datetime(2024, 5, 31, tzinfo=dt.UTC)


@pytest.mark.parametrize("name", LINKS)
@pytest.mark.parametrize(
    ("raw", "identity"),
    [
        ({"id": 7, "uuid": UUID, "display_name": "A"}, (7, UUID, "A")),
        ({"id": "7", "uuid": UUID.upper()}, (7, UUID, None)),
        ({"uuid": UUID}, (None, UUID, None)),
        ({"id": 7}, (7, None, None)),
        (7, (7, None, None)),
        ("7", (7, None, None)),
        (UUID, (None, UUID, None)),
        (UUID.upper(), (None, UUID, None)),
        ([7], (7, None, None)),
        ([{"id": 7, "uuid": UUID, "display_name": "A"}], (7, UUID, "A")),
    ],
)
def test_a_link_may_be_answered_as_object_integer_uuid_or_list_of_one(name: str, raw: Any, identity: Any) -> None:
    found = read(name, raw)
    assert (found.id, found.uuid, found.display_name) == identity
    assert found.target == LINKS[name]


@pytest.mark.parametrize("name", LINKS)
@pytest.mark.parametrize("raw", [0, "0", {"id": 0}, {"id": None, "uuid": None}, [0], False])
def test_zero_and_an_empty_object_are_no_link(name: str, raw: Any) -> None:
    assert read(name, raw) is None


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("raw", [7, "7", {"id": 7}, [7], [{"id": 7}], ["7"]])
def test_linked_assets_may_be_answered_as_one_or_as_a_list(name: str, raw: Any) -> None:
    assert [reference.id for reference in read(name, raw)] == [7]


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("raw", [0, [0], [None], "0", [{}]])
def test_linked_assets_of_none_are_empty(name: str, raw: Any) -> None:
    assert read(name, raw) == ()


@pytest.mark.parametrize("raw", [[UUID], UUID, {"uuid": UUID}, [{"uuid": UUID.upper(), "size": "12"}]])
def test_attachments_may_be_answered_as_uuids_objects_or_one(raw: Any) -> None:
    assert [file.uuid for file in read("ATTACHMENT", raw)] == [UUID]


def test_the_size_of_an_attachment_may_be_answered_as_text() -> None:
    assert read("ATTACHMENT", [{"uuid": UUID, "size": "12"}])[0].size == 12


def json_values() -> st.SearchStrategy[Any]:
    leaves = (
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text(max_size=8)
        | st.sampled_from(
            ["Infinity", "-Infinity", "NaN", "sNaN", "2024-02-30", "2024-05-31T99:00:00Z", UUID, "1e999999"]
        )
    )
    keys = st.sampled_from(["id", "uuid", "display_name", "size", "unit", "value", "type", "name"]) | st.text(
        max_size=3
    )
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
        max_leaves=6,
    )


@pytest.mark.parametrize("name", sorted(FIELD_TYPES))
@RANDOMISED
@given(raw=json_values())
def test_whatever_a_service_answers_is_read_without_an_exception(name: str, raw: Any) -> None:
    read(name, raw)


@pytest.mark.parametrize(
    "raw", [math.inf, "Infinity", "sNaN", {"uuid": 5}, [{"uuid": 5}], {"uuid": {}}, {"id": []}, "2024-02-30", [[[]]]]
)
def test_garbage_is_read_without_an_exception(raw: Any) -> None:
    for name in sorted(FIELD_TYPES):
        read(name, raw)


# ---- equal where they mean the same


@pytest.mark.parametrize("name", DECIMALS)
@pytest.mark.parametrize("wish", ["12.50", 12.5, "12.500", "12.5"])
@pytest.mark.parametrize("raw", ["12.50", 12.5, "12.500", "12.5"])
def test_12_50_is_one_amount_however_it_is_written(name: str, wish: Any, raw: Any) -> None:
    assert equal(name, parse(name, wish), read(name, raw))


@pytest.mark.parametrize("name", DECIMALS)
@pytest.mark.parametrize("raw", [12.51, "12.4999", 0, None, "12,50", True, "n/a"])
def test_another_amount_is_not_equal(name: str, raw: Any) -> None:
    assert not equal(name, parse(name, "12.5"), read(name, raw))


@pytest.mark.parametrize("name", DECIMALS)
@pytest.mark.parametrize(
    ("wish", "raw", "digits", "same"),
    [
        ("1.005", "1.01", 2, True),
        ("-1.005", "-1.01", 2, True),
        ("1.004", "1", 2, True),
        ("1.004", "1.01", 2, False),
        ("1.5", "2", 0, True),
        ("1.4", "2", 0, False),
        ("1.23456", "1.2346", 4, True),
        ("1.23456", "1.2345", 4, False),
        ("1.004", "1", None, False),
        ("1234567890.5", 1234567890.5, 20, True),
        ("1234567890.5", 1234567890.6, 20, False),
        ("0.1", 0.1, 20, True),
    ],
)
def test_amounts_are_rounded_to_the_digits_that_the_instance_keeps(
    name: str, wish: str, raw: Any, digits: int | None, same: bool
) -> None:
    assert equal(name, parse(name, wish), read(name, raw), fraction_digits=digits) is same


@pytest.mark.parametrize("name", DECIMALS)
@pytest.mark.parametrize("raw", [None, "n/a", True])
def test_an_answer_that_is_no_amount_is_never_equal_to_one_even_where_digits_are_rounded(name: str, raw: Any) -> None:
    assert not equal(name, parse(name, "2"), read(name, raw), fraction_digits=2)


def test_instants_are_equal_across_zones() -> None:
    assert equal("DATETIME", parse("DATETIME", "2024-05-31T14:30:00+02:00"), read("DATETIME", "2024-05-31 12:30:00"))
    assert not equal("DATETIME", parse("DATETIME", "2024-05-31T14:30:00Z"), read("DATETIME", "2024-05-31 12:30:00"))


@pytest.mark.parametrize("name", LINKS)
@pytest.mark.parametrize(
    ("wish", "raw", "same"),
    [
        (7, 7, True),
        (7, {"id": 7, "uuid": UUID}, True),
        (UUID, {"id": 7, "uuid": UUID}, True),
        (UUID, UUID.upper(), True),
        (7, 8, False),
        (UUID, OTHER, False),
        (7, None, False),
        (7, 0, False),
        ({"id": 7, "uuid": UUID}, {"id": 7, "uuid": OTHER}, False),
    ],
)
def test_links_are_equal_where_they_mean_the_same_record(name: str, wish: Any, raw: Any, same: bool) -> None:
    assert equal(name, parse(name, wish), read(name, raw)) is same


@pytest.mark.parametrize("name", LINKS)
def test_no_link_equals_no_link_and_nothing_else(name: str) -> None:
    assert equal(name, None, read(name, 0))
    assert not equal(name, None, read(name, 7))


def test_an_id_and_a_uuid_alone_can_not_be_compared_before_one_is_looked_up() -> None:
    assert Reference("room", id=7).same(Reference("room", uuid=UUID)) is None
    assert not equal("LINKED_ROOM", parse("LINKED_ROOM", 7), read("LINKED_ROOM", UUID))


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(
    ("wish", "raw", "same"),
    [
        ([7, 8], [8, 7], True),
        ([7, 8], [{"id": 8}, {"id": 7}], True),
        ([7], 7, True),
        ([], None, True),
        ([7], [7, 8], False),
        ([7, 8], [7], False),
        ([7, 7], [7], True),
        ([7], [7, 7], True),
        ([7, 7], [7, 8], False),
        ([7, 8], [7, 7], False),
    ],
)
def test_linked_assets_are_compared_as_sets(name: str, wish: Any, raw: Any, same: bool) -> None:
    assert equal(name, parse(name, wish), read(name, raw)) is same


@pytest.mark.parametrize(
    ("wish", "raw", "same"),
    [
        ([UUID, OTHER], [{"uuid": OTHER}, {"uuid": UUID}], True),
        ([UUID], [UUID.upper()], True),
        ([UUID, UUID], [UUID], True),
        ([], None, True),
        ([], [UUID], False),
        ([UUID], [], False),
        ([UUID], [OTHER], False),
        ([UUID, OTHER], [UUID], False),
        (["a.pdf"], [UUID], False),
        (["a.pdf"], [], False),
    ],
)
def test_attachments_are_compared_as_sets_of_uuids_and_a_file_that_is_not_uploaded_differs(
    wish: Any, raw: Any, same: bool
) -> None:
    assert equal("ATTACHMENT", parse("ATTACHMENT", wish), read("ATTACHMENT", raw)) is same


# ---- equal(read(write(x)), x): every type, every shape that a service may answer in

Shape = Callable[[Any], Any]


def as_is(sent: Any) -> Any:
    return sent


def as_text(sent: Any) -> Any:
    return str(sent)


def with_zeros(sent: Any) -> Any:
    return f"{Decimal(repr(sent)):f}" + ("0" if "." in f"{Decimal(repr(sent)):f}" else ".00")


def utc_stamp(sent: str) -> str:
    return dt.datetime.fromisoformat(sent).astimezone(dt.UTC).strftime("%Y-%m-%d %H:%M:%S")


def zulu(sent: str) -> str:
    return dt.datetime.fromisoformat(sent).astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def linked_object(sent: Any) -> Any:
    return {"id": sent, "uuid": uuid_of(sent), "display_name": f"Record {sent}"}


def linked_uuid_object(sent: str) -> Any:
    return {"id": 7, "uuid": sent.upper(), "display_name": "Record"}


def attachment_objects(sent: list[str]) -> Any:
    return [
        {"uuid": uuid, "type": "text/plain", "size": 3, "data_uri": "", "file_uri": "", "thumbnail_uri": ""}
        for uuid in sent
    ]


def as_one_of_a_list(sent: Any) -> Any:
    return sent if isinstance(sent, list) else [sent]


def as_one_out_of_a_list(sent: Any) -> Any:
    return sent[0] if isinstance(sent, list) else sent


def backwards(sent: list[Any]) -> Any:
    return list(reversed(sent))


def empty_as_null(sent: list[Any]) -> Any:
    return sent or None


_texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
_years = st.integers(1000, 9000)
_days = st.dates(min_value=dt.date(1000, 1, 1))
_offsets = st.integers(-14 * 60, 14 * 60).map(lambda minutes: dt.timezone(dt.timedelta(minutes=minutes)))
_instants = st.datetimes(
    min_value=dt.datetime.fromisoformat("1000-01-02"),
    max_value=dt.datetime.fromisoformat("9000-01-01"),
    timezones=_offsets,
)
_amounts = st.decimals(min_value=-(10**12), max_value=10**12, places=2).map(lambda number: f"{number:f}") | st.integers(
    -(10**12), 10**12
)
_ids = st.integers(1, 2**31)
_uuids = st.uuids().map(str)

ROUND_TRIPS: list[tuple[tuple[str, ...], st.SearchStrategy[Any], tuple[Shape, ...]]] = [
    (TEXTS, _texts, (as_is,)),
    (("NUMBER",), st.integers(-(2**53), 2**53), (as_is, as_text, float, lambda sent: f"{sent}.0")),
    (DECIMALS, _amounts, (as_is, as_text, with_zeros)),
    (
        ("BOOLEAN",),
        st.booleans(),
        (as_is, int, lambda sent: str(int(sent)), as_text, lambda sent: "yes" if sent else "no"),
    ),
    (DATES, _days.map(str) | _days, (as_is, lambda sent: f"{sent} 00:00:00", lambda sent: f"{sent}T00:00:00+02:00")),
    (("DATETIME",), _instants, (as_is, utc_stamp, zulu)),
    (tuple(LINKS), _ids, (as_is, as_text, linked_object, lambda sent: [sent], lambda sent: {"id": str(sent)})),
    (tuple(LINKS), _uuids, (as_is, str.upper, linked_uuid_object, lambda sent: [{"uuid": sent}])),
    (SETS, _ids, (as_is, as_one_of_a_list, as_one_out_of_a_list)),
    (SETS, st.lists(_ids, min_size=1, max_size=4), (as_is, backwards, lambda sent: list(map(linked_object, sent)))),
    (SETS, st.lists(_ids, max_size=4), (empty_as_null, lambda sent: list(map(str, sent)))),
    (("ATTACHMENT",), st.lists(_uuids, max_size=4), (as_is, attachment_objects, backwards, empty_as_null)),
]


@pytest.mark.sample(40)
@pytest.mark.parametrize(
    ("name", "values", "shape"),
    [(name, values, shape) for names, values, shapes in ROUND_TRIPS for name in names for shape in shapes],
)
@RANDOMISED
@given(data=st.data())
def test_what_was_written_is_read_back_as_equal_in_every_shape(
    name: str, values: st.SearchStrategy[Any], shape: Shape, data: st.DataObject
) -> None:
    faces, field = FIELD_TYPES[name], of(name)
    wish = faces.parse(data.draw(values), field)
    answered = faces.read(shape(faces.write(wish)), field)
    assert faces.equal(answered, wish, field)
    assert faces.equal(wish, answered, field)


@pytest.mark.parametrize("name", sorted(set(FIELD_TYPES) - set(UNWRITABLE)))
def test_every_writable_type_has_a_round_trip(name: str) -> None:
    assert name in {name for names, _values, _shapes in ROUND_TRIPS for name in names}


@pytest.mark.parametrize("name", sorted(FIELD_TYPES))
def test_nothing_is_written_and_read_back_as_nothing(name: str) -> None:
    faces, field = FIELD_TYPES[name], of(name)
    assert faces.write(faces.empty) in (None, [])
    assert faces.equal(faces.read(faces.write(faces.empty), field), faces.empty, field)


# ---- what is shown


@pytest.mark.parametrize(
    ("name", "raw", "shown"),
    [
        ("TEXT", 17, "17"),
        ("NUMBER", "42", 42),
        ("NUMBER", "42.5", 42.5),
        ("MONEY", "12.50", 12.5),
        ("BOOLEAN", "1", True),
        ("DATE", "2024-05-31 00:00:00", "2024-05-31"),
        ("DATETIME", "2024-05-31 12:30:00", "2024-05-31T12:30:00+00:00"),
        ("LINKED_ROOM", 7, {"id": 7, "uuid": None, "display_name": None}),
        ("LINKED_ROOM", 0, None),
        ("LINKED_ASSET", 7, {"id": 7, "uuid": None, "display_name": None}),
        ("LINKED_ASSET", 0, None),
        ("LINKED_ASSETS", 7, [{"id": 7, "uuid": None, "display_name": None}]),
        ("LINKED_ASSETS", None, []),
        ("ATTACHMENT", None, []),
        ("COORDINATES", {"lat": 1}, {"lat": 1}),
    ],
)
def test_a_record_is_shown_in_one_shape_however_it_was_answered(name: str, raw: Any, shown: Any) -> None:
    assert FIELD_TYPES[name].show(read(name, raw)) == shown


def test_an_attachment_is_shown_with_all_members_and_null_for_those_that_were_not_answered() -> None:
    raw = [{"uuid": UUID, "size": 3, "type": "text/plain", "data_uri": "/d", "secret": "x"}]
    assert FIELD_TYPES["ATTACHMENT"].show(read("ATTACHMENT", raw)) == [
        {
            "uuid": UUID,
            "name": None,
            "type": "text/plain",
            "size": 3,
            "data_uri": "/d",
            "file_uri": None,
            "thumbnail_uri": None,
        }
    ]


@pytest.mark.parametrize(
    ("reference", "shown"),
    [
        (Reference("room", 7, UUID, "Workshop", "Head office/0.12"), "Head office/0.12"),
        (Reference("room", 7, UUID, "Workshop", 7), 7),
        (Reference("room", 7, UUID, "Workshop"), "Workshop"),
        (Reference("room", 7, UUID), UUID),
        (Reference("room", 7), 7),
        (None, None),
    ],
)
def test_a_diff_shows_a_reference_as_written_else_by_its_name(reference: Any, shown: Any) -> None:
    assert brief_reference(reference) == shown


def test_a_diff_shows_an_attachment_by_its_path_else_by_its_uuid() -> None:
    brief = FIELD_TYPES["ATTACHMENT"].brief
    assert brief is not None
    assert brief((Attachment(uuid=UUID, path="a.pdf"), Attachment(uuid=OTHER))) == ["a.pdf", OTHER]


def test_references_and_attachments_are_found_however_deep() -> None:
    room, user, file = Reference("room", 1), Reference("user", 2), Attachment(uuid=UUID)
    assert list(references_in((room, ("user", user), (file,), None))) == [room, user]
    assert list(attachments_in((file, room))) == [file]
    assert list(attachments_in(None)) == []


@pytest.mark.parametrize(("rounded", "exact"), [("0.13", "0.125"), ("-0.13", "-0.125"), ("0.12", "0.1249")])
def test_halves_are_rounded_up_on_either_side(rounded: str, exact: str) -> None:
    for left, right in ((rounded, exact), (exact, rounded)):
        assert equal("MONEY", Decimal(left), Decimal(right), fraction_digits=2)


UNREADABLE = [
    *((name, raw) for name in TEXTS for raw in ({"A": 1}, ["Ada", "B."])),
    ("BOOLEAN", "perhaps"),
    ("DATE", "soon"),
    ("DATE", "2024-02-30"),
    ("DATE", 20240531),
    ("DATETIME", 5),
    ("MONEY", {"value": 5}),
    ("NUMBER", "many"),
]


@pytest.mark.parametrize(("name", "raw"), UNREADABLE)
def test_an_answer_that_nobody_understands_is_shown_as_it_came_and_is_never_a_text(name: str, raw: Any) -> None:
    value, faces = read(name, raw), FIELD_TYPES[name]
    assert value == Unread(raw)
    assert faces.show(value) == (faces.brief or faces.show)(value) == raw
    assert not equal(name, value, faces.empty)
    assert not equal(name, value, str(raw))


@pytest.mark.parametrize(("name", "raw"), UNREADABLE)
def test_an_answer_that_nobody_understands_is_sent_back_as_it_came_or_not_at_all(name: str, raw: Any) -> None:
    write = FIELD_TYPES[name].write
    if not isinstance(raw, (dict, list)):
        assert write(Unread(raw)) == raw
        return
    with pytest.raises(InvalidValue, match="can't be sent back"):
        write(Unread(raw))


# ---- constraints


@pytest.mark.parametrize(
    ("name", "value", "constraints", "words"),
    [
        ("NUMBER", 2, {"min_value": 3}, "at least 3"),
        ("NUMBER", 3, {"min_value": 3}, None),
        ("NUMBER", 5, {"max_value": 4}, "at most 4"),
        ("NUMBER", 4, {"max_value": 4}, None),
        ("MONEY", Decimal("2.99"), {"min_value": 3}, "at least 3"),
        ("MONEY", Decimal("4.01"), {"max_value": 4}, "at most 4"),
        ("NUMBER", 2, {"min_value": "3"}, "at least 3"),
        ("NUMBER", 3, {"min_value": "3"}, None),
        ("MONEY", Decimal("4.01"), {"max_value": "4"}, "at most 4"),
        ("MONEY", Decimal("1.234"), {"max_decimals": 2}, "at most 2 decimal places"),
        ("MONEY", Decimal("0.001"), {"max_decimals": "2"}, "at most 2 decimal places"),
        ("MONEY", Decimal("1.230"), {"max_decimals": 2}, None),
        ("MONEY", Decimal("1.234"), {"max_decimals": 3}, None),
        ("MONEY", Decimal("1.234"), {"min_value": 1}, None),
        ("TEXT", "1.234", {"max_decimals": 2}, None),
        ("TEXT", "abcd", {"max_length": 3}, "at most 3 characters, found 4"),
        ("TEXT", "abc", {"max_length": 3}, None),
        ("TEXT", "abcd", {"max_length": "3"}, "at most 3 characters, found 4"),
        ("ATTACHMENT", (1, 2), {"max_items": 1}, "at most 1 item(s), found 2"),
        ("ATTACHMENT", (1, 2), {"max_items": 2}, None),
        ("ATTACHMENT", (1,), {"min_items": 2}, "at least 2 item(s)"),
        ("ATTACHMENT", (1, 2), {"min_items": 2}, None),
        ("ATTACHMENT", (1, 2), {"max_value": 1}, "at most 1 item(s), found 2"),
        ("ATTACHMENT", (1,), {"min_value": 2}, "at least 2 item(s)"),
        ("TEXT", "abc", {"min_value": 3, "max_items": 1}, None),
        ("NUMBER", 1000, {"max_length": 1, "regular_expression": "x"}, None),
        ("TEXT", "x", {"date_format": "Y-m-d"}, None),
    ],
)
def test_a_constraint_of_the_definition_is_checked_before_anything_is_sent(
    name: str, value: Any, constraints: dict[str, Any], words: str | None
) -> None:
    broken = broken_rules(value, of(name, constraints=constraints))
    assert (len(broken) == 1 and words in broken[0]) if words else broken == []


def test_every_broken_constraint_is_reported_at_once() -> None:
    broken = broken_rules("abcd", of("TEXT", constraints={"max_length": 3, "regular_expression": "^x"}))
    assert len(broken) == 2


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("^A-[0-9]+$", "A-17", True),
        ("^A-[0-9]+$", "B-17", False),
        ("/^A-[0-9]+$/", "A-17", True),
        ("/^A-[0-9]+$/", "B-17", False),
        ("#^A/[0-9]+$#", "A/17", True),
        ("~^A$~", "B", False),
        ("/^a$/i", "A", True),
        ("/^a$/", "A", False),
        ("/^ä$/u", "ä", True),
        ("/^a.b$/s", "a\nb", True),
        ("/^b$/m", "a\nb", True),
        ("/^a b$/x", "ab", True),
        ("/^a$/D", "a", True),
        ("@^a$@", "a", True),
        ("{^a$}", "a", True),
        ("/^a$/iu", "A", True),
        ("/^a$/imsxu", "A", True),
        ("/^a$/imsxu", "b", False),
        ("[0-9]", "a1b", True),
        ("/\\p{L}+/u", "a", True),
        ("(unclosed", "a", True),
    ],
)
def test_a_pattern_is_php_s_and_what_is_not_understood_is_left_to_the_service(
    pattern: str, text: str, fits: bool
) -> None:
    broken = broken_rules(text, of("TEXT", constraints={"regular_expression": pattern}))
    assert (broken == []) is fits
    assert fits or pattern in broken[0]


def test_a_value_that_is_not_allowed_is_reported_with_the_allowed_values() -> None:
    broken = broken_rules("red", of("DROPDOWN", allowed=("green", "blue")))
    assert broken == ["expected one of 'green', 'blue'"]


@pytest.mark.parametrize("allowed", [("green",), ()])
def test_an_allowed_value_and_any_value_without_a_list_fits(allowed: tuple[str, ...]) -> None:
    assert broken_rules("green", of("DROPDOWN", allowed=allowed)) == []


@pytest.mark.parametrize("nothing", [None, ()])
def test_a_mandatory_field_can_not_be_cleared_and_another_one_keeps_every_rule_when_empty(nothing: Any) -> None:
    rules = {"min_value": 1, "min_items": 1, "max_length": 1, "regular_expression": "x"}
    assert "mandatory" in broken_rules(nothing, of("TEXT", mandatory=True))[0]
    assert broken_rules(nothing, of("TEXT", allowed=("a",), constraints=rules)) == []
