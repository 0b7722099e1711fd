# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The types of values: what users may write, what is sent, what services may answer, and which values are equal."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import pytest
import yaml

from ansible_collections.community.seventhings.plugins.module_utils.model.field import (
    MOST_CHARACTERS,
    CellList,
    CellMap,
    Field,
    FieldType,
    InvalidValue,
    Plain,
    TypedCell,
    Unread,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import TYPES
from ansible_collections.community.seventhings.plugins.module_utils.model.types_basic import FIELD_TYPES
from ansible_collections.community.seventhings.plugins.module_utils.model.types_composite import Interval
from ansible_collections.community.seventhings.plugins.module_utils.model.types_definition import ATTRIBUTES
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import (
    Attachment,
    Reference,
    attachments_in,
    brief_reference,
    references_in,
)

from .values import DATES, DECIMALS, LINKS, OTHER, TEXTS, UNWRITABLE, UUID, interval

NEVER = "this collection never writes them"
JSON_CELL, JSON_MAP = CellList([1, 2], "[1,  2]"), CellMap({"a": 1}, '{"a":  1}')
DAY, NOON = dt.date(2024, 5, 31), dt.datetime(2024, 5, 31, 12, 0, tzinfo=dt.UTC)
NO_ZONE = dt.datetime.fromisoformat("2024-05-31T14:30:00")
FAR = ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"]
"""Instants without a year in UTC."""

COMPOSED, DECOMPOSED = "J\u00fcrgen", "Ju\u0308rgen"

ACTIVE_WHEN = "active_When_value_equals_one_of"
RELATION = {"type": "actual_field", "field_uuid": UUID}
Names = str | Iterable[str]


def term(name: str, *values: Any) -> list[dict[str, Any]]:
    """Return an attribute or a constraint as the service has it."""
    return [{"type": name, "value": value} for value in values]


def asset(**members: Any) -> dict[str, Any]:
    return {"type": "asset", "uuid": UUID, **members}


def renter(kind: str, value: Any) -> dict[str, Any]:
    return {"type": kind, "value": value}


def linked(**members: Any) -> dict[str, Any]:
    return {"id": None, "uuid": None, "display_name": None, **members}


def each(rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return a row for each type and each value of some rows. The values come last."""
    return [
        (name, *more, value)
        for names, *more, values in rows
        for name in ([names] if isinstance(names, str) else names)
        for value in values
    ]


def faces_of(name: str, **more: Any) -> tuple[FieldType, Field]:
    return TYPES[name], Field("f", name, **more)


def parse(name: str, value: Any) -> Any:
    faces, field = faces_of(name)
    return faces.parse(value, field)


def read(name: str, raw: Any) -> Any:
    faces, field = faces_of(name)
    return faces.read(raw, field)


def equal(name: str, left: Any, right: Any, **more: Any) -> bool:
    faces, field = faces_of(name, **more)
    there, back = faces.equal(left, right, field), faces.equal(right, left, field)
    assert there is back
    return there


def refused(name: str, value: Any) -> str:
    with pytest.raises(InvalidValue) as caught:
        parse(name, value)
    return str(caught.value)


# ---- what is written

SENT: list[tuple[Names, Any, list[Any]]] = [
    *((TEXTS, text, [text]) for text in ("0001234", "true", " padded ", "2024-05-31", "12,5", "Größe", "a\nb")),
    (TEXTS, None, [""]),
    ("TEXT", "[1,  2]", [JSON_CELL]),
    ("TEXT", '{"a":  1}', [JSON_MAP]),
    ("TEXT", "x" * MOST_CHARACTERS, ["x" * MOST_CHARACTERS]),
    ("NUMBER", 42, [42, "42"]),
    ("NUMBER", 0, [0, "0"]),
    ("NUMBER", -7, [-7, "-7"]),
    ("NUMBER", 10**300 - 1, [10**300 - 1, "9" * 300]),
    (DECIMALS, 12.5, [12.5, "12.5", "12.50", "12.500"]),
    (DECIMALS, 12.0, [12, "12"]),
    (DECIMALS, -3.25, [-3.25, "-3.25"]),
    (DECIMALS, 1234567890123.5, ["1234567890123.50"]),
    *((DECIMALS, number, [number]) for number in (0.0, 0.1, 1e-7, 999999999999.99)),
    ("BOOLEAN", True, [True, "true", "TRUE", *map(Plain, ("yes", "Yes", "ON"))]),
    ("BOOLEAN", False, [False, "False", *map(Plain, ("no", "Off"))]),
    (DATES, "2024-05-31", ["2024-05-31", "20240531", Plain("20240531"), DAY]),
    ("DATETIME", "2024-05-31T14:30:00+02:00", ["2024-05-31T14:30:00+02:00", "2024-05-31 14:30+02"]),
    ("DATETIME", "2024-05-31T14:30:00-11:30", ["2024-05-31T14:30:00-11:30"]),
    ("DATETIME", "2024-05-31T12:00:00+00:00", ["2024-05-31T12:00:00Z", "20240531T120000.123456789Z", NOON]),
    ("DATETIME", "2024-05-31T12:00:00+00:00", [NOON.replace(microsecond=999)]),
    (LINKS, 17, [17, {"id": "17"}, {"id": 17, "uuid": UUID, "display_name": "A"}]),
    (LINKS, UUID, [UUID, UUID.upper(), {"uuid": UUID}]),
    ("LINKED_ASSETS", [17], [17, [17], [17, 17]]),
    ("LINKED_ASSETS", [17, UUID], [[17, UUID]]),
    (("ATTACHMENT", "ATTACHMENTS"), [UUID, OTHER], [[UUID, OTHER], [UUID.upper(), {"uuid": OTHER, "size": 1}, UUID]]),
    ("INTERVAL", interval("weeks", 3), [interval("weeks", 3), interval("weeks", "3")]),
    ("INTERVALS", [], [[]]),
    ("ASSETS", [asset()], [[UUID], [asset()], [asset(name="Laptop", id=7, status="open")]]),
    ("USER", UUID, [UUID, {"id": 7, "uuid": UUID}]),
    ("USERS", [UUID, OTHER], [[UUID, OTHER.upper()], [{"id": 7, "uuid": UUID, "email": "a@b.example"}, OTHER]]),
    *(("RENTER", value, [value]) for value in (renter("plain", "Ada"), renter("plain", UUID), renter("user", UUID))),
    ("ATTRIBUTES", term("mandatory", "yes"), [{"mandatory": "yes"}, {"mandatory": True}]),
    ("ATTRIBUTES", term("unique", "no"), [{"unique": False}]),
    *(("ATTRIBUTES", term("fraction_digits", digits), [{"fraction_digits": digits}]) for digits in (0, 2, 20)),
    ("ATTRIBUTES", term("editable", "web_app", "mobile_app"), [{"editable": ["web_app", "mobile_app"]}]),
    ("ATTRIBUTES", [], [{}, {"editable": []}, *({name: None} for name in ATTRIBUTES)]),
    *(("CONSTRAINTS", term("max_value", number), [{"max_value": number}]) for number in (-5, 0, 5)),
    *(("CONSTRAINTS", term(name, "d.m.Y"), [{name: "d.m.Y"}]) for name in ("date_format", "regular_expression")),
    *(("CONSTRAINTS", term("allowed_values", texts), [{"allowed_values": texts}]) for texts in (["a"], ["a", "b"])),
    ("CONSTRAINTS", [], [{"max_length": None}]),
    ("RELATIONS", [RELATION], [[RELATION]]),
    (
        "RELATIONS",
        [{**RELATION, "type": ACTIVE_WHEN, "comparison_values": ["a"]}],
        [[{**RELATION, "type": ACTIVE_WHEN, "comparison_values": ["a"]}]],
    ),
    *(("SCALAR", value, [value]) for value in ("a", "", 1, 1.5, True, False)),
    ("SCALARS", [1, True, "1", "true", 0, False], [[1, True, "1", "true", 0, False]]),
    ("TYPE_NAME", "LINKED_ASSET", ["LINKED_ASSET"]),
]


@pytest.mark.parametrize(("name", "sent", "value"), each(SENT))
def test_a_written_value_is_sent_in_one_form(name: str, sent: Any, value: Any) -> None:
    faces, _field = faces_of(name)
    found = faces.write(parse(name, value))
    assert (found, type(found)) == (sent, type(sent))


QUOTE = "quote it where it is written, exactly as it is (without quotes it is {}"
AN_INTEGER, A_DECIMAL = "an integer without leading zeros, such as 42", "such as 1299.50 or"
A_DAY, AN_INSTANT = "a date as YYYY-MM-DD, such as 2024-05-31", "such as 2024-05-31T14:30:00+02:00"
REFUSED: list[tuple[Names, str, list[Any]]] = [
    (TEXTS, QUOTE.format("a number;"), [17, 0, 12.5]),
    (TEXTS, QUOTE.format("true or false;"), [True, False]),
    (TEXTS, QUOTE.format("a date;"), [DAY, NOON]),
    *(("BARCODE", f"; 0{text.lstrip('0')} is read as an octal", [yaml.safe_load(text)]) for text in ("0042001", "010")),
    ("TEXT", 'quote it: "0815" (without quotes 0815 is not text)', [Plain("0815")]),
    ("TEXT", 'quote it: "0715" (without quotes 0715 is read as an octal number)', [Plain("0715")]),
    ("TEXT", "text; it is a number", [TypedCell.from_spelling("815", "text; it is a number")]),
    ("TEXT", "a text of at most 1,000,000 characters", ["x" * (MOST_CHARACTERS + 1)]),
    (TEXTS, 'text, such as "Laptop 17"', [["a"], {"a": 1}, b"a", object()]),
    ("NUMBER", AN_INTEGER, ["", " 1", "1\n", "1 000", "007", "-01", "1.0", "1,0", "1.000,00", "+1", "٣"]),
    ("NUMBER", AN_INTEGER, ["0x10", "1e3", "1_000", "one", 1.0, 1.5, True, False, [1], {}, DAY, math.nan]),
    ("NUMBER", "an integer of at most 300 digits", ["9" * 301]),
    (DECIMALS, A_DECIMAL, ["", " 1.5", "1.5\n", "1 299.50", "12 EUR", "12,5", "1.299,50", "1,299.50", "12."]),
    (DECIMALS, A_DECIMAL, [".5", "+1.5", "007.5", "1e3", True, math.nan, math.inf, -math.inf, None, [1.5], {}, DAY]),
    (DECIMALS, "15 significant digits", ["0.12345678901234567890", "12345678901234567890.5"]),
    ("BOOLEAN", "true or false", [1, 0, "1", "0", "", "ja", [True], {}, 1.0, *map(Plain, ("y", "5", "yess"))]),
    ("BOOLEAN", "true or false, without quotes; in a template add | bool", ["yes", "No", "on", "OFF"]),
    (DATES, A_DAY, ["", "2024-05-31 ", "2024-05-31\n", "31.05.2024", "05/31/2024", "2024-5-31", "24-05-31"]),
    (DATES, A_DAY, ["2024-W22-5", "2024-05-31T10:00:00", "today", 20240531, True, [], {}, 1.5, NOON, NO_ZONE]),
    (DATES, "a date that exists, as YYYY-MM-DD (", ["2024-02-30", "2023-02-29", "2024-13-01", "2024-01-00"]),
    ("DATETIME", AN_INSTANT, ["", "2024-05-31T14:30:00", "2024-05-31 14:30:00", "2024-05-31", "31.05.2024 14:30"]),
    (
        "DATETIME",
        AN_INSTANT,
        ["2024-05-31T14:30:00 +02:00", "2024-W22-5T14:30:00Z", 1717165800, True, [], DAY, NO_ZONE],
    ),
    ("DATETIME", "that exist, with the offset to UTC (", ["2024-02-30T10:00:00Z", "2024-05-31T25:00:00Z", *FAR]),
    (UNWRITABLE, NEVER, ["52.5,13.4", {"lat": 1}, 1, [], ""]),
    (("ARTICLES", "BILLING"), NEVER, [[], {}, "x", [{"id": 1}]]),
    *((name, f"one {kind}: its natural key", [0, -1, True, 1.5, "", "  ", [], {}]) for name, kind in LINKS.items()),
    *((name, f"one {kind}: its", [[UUID], {"uuid": "abc"}, {"id": "abc"}]) for name, kind in LINKS.items()),
    ("LINKED_ASSETS", "a reference to one object", [0, True, "", {}, [0], [[17]], {"uuid": "abc"}]),
    (("LINKED_ASSETS", "ATTACHMENT"), "(item 2)", [[UUID, True, UUID]]),
    ("ATTACHMENT", "the uuid of a file, a path", [[""], [5], [True], [{}], [{"path": ""}], [{"name": "a"}], [[]]]),
    ("ATTACHMENT", "the uuid of a file, a path", [[{"path": "a", "size": 1}], [{"uuid": "x"}]]),
    ("ATTACHMENT", "a text as the name of a file", [[{"path": "a.pdf", "name": name}] for name in (5, True, ["a"])]),
    ("ATTACHMENT", "a list", [UUID, "a.pdf", {"path": "a.pdf"}]),
    ("INTERVAL", "{unit: weeks, value: 2}", [interval("hours", 1), interval("day", 1), {"unit": "days"}, {"value": 1}]),
    ("INTERVAL", "{unit: weeks, value: 2}", [interval("days", odd) for odd in (-1, 1.5, True, None, "two", "-1")]),
    ("INTERVAL", "{unit: weeks, value: 2}", [{**interval("days", 1), "more": 1}, {}, "2 weeks", 5, True, []]),
    ("ASSETS", "(item 1)", [[{"type": "asset"}], [{"type": "asset", "name": "Laptop"}], [0], [True], [""], [[]]]),
    ("RENTER", "{type: plain, value: Ada Lovelace}", ["Ada", 7, [], {}, {"type": "plain"}, {"value": "Ada"}]),
    ("RENTER", "{type: plain, value: Ada Lovelace}", [renter("plain", ""), renter("x", "a"), renter("plain", None)]),
    ("RENTER", "{type: plain, value: Ada Lovelace}", [renter("user", ""), {**renter("plain", "a"), "more": 1}]),
    ("RENTER", "quote it", [renter("plain", 17)]),
    ("ATTRIBUTES", "did you mean mandatory", [{"mandatroy": "yes"}]),
    ("ATTRIBUTES", "of currency_code", [{"xyzzy": "yes"}]),
    ("ATTRIBUTES", "for mandatory one of yes, no", [{"mandatory": "perhaps"}, {"mandatory": 1}]),
    ("ATTRIBUTES", "mobile_app, web_app", [{"editable": "everywhere"}, {"editable": ["web_app", "desktop"]}]),
    ("ATTRIBUTES", "0 to 20", [{"fraction_digits": odd} for odd in (21, -1, "2", True)]),
    ("ATTRIBUTES", "three letters", [{"currency_code": "EURO"}, {"currency_code": 978}]),
    ("ATTRIBUTES", "a text", [{"form_group": 5}]),
    ("ATTRIBUTES", "a map of attribute type", [["mandatory"], "mandatory"]),
    ("ATTRIBUTES", "'mobile_app' is written twice", [{"visible": ["mobile_app", "mobile_app"]}]),
    ("ATTRIBUTES", "different values for mandatory; 'yes' is written twice", [{"mandatory": [True, "yes"]}]),
    ("CONSTRAINTS", "did you mean max_length", [{"max_lenght": 5}]),
    *(
        ("CONSTRAINTS", f"for {name} an integer", [{name: "5"}, {name: 1.5}, {name: True}])
        for name in ("max_length", "max_value", "min_value")
    ),
    ("CONSTRAINTS", "for regular_expression a text", [{"regular_expression": 5}]),
    ("CONSTRAINTS", "a list of texts; quote numbers", [{"allowed_values": "a"}, {"allowed_values": ["a", 5]}]),
    ("CONSTRAINTS", "'a' is written twice", [{"allowed_values": ["a", "a"]}]),
    ("CONSTRAINTS", "a map of constraint type", [[]]),
    ("RELATIONS", "did you mean actual_field? (type) (item 1)", [[{**RELATION, "type": "actual_feild"}]]),
    ("RELATIONS", "or its key or label as field (field_uuid)", [[{"type": "actual_field"}]]),
    ("RELATIONS", "the uuid of a field definition", [[{**RELATION, "field_uuid": "abc"}]]),
    ("RELATIONS", f"only the type {ACTIVE_WHEN} compares values", [[{**RELATION, "comparison_values": ["a"]}]]),
    ("RELATIONS", "a list of values", [[{**RELATION, "type": ACTIVE_WHEN}]]),
    ("RELATIONS", "a text, a number", [[{**RELATION, "type": ACTIVE_WHEN, "comparison_values": [{"a": 1}]}]]),
    ("RELATIONS", "no such part; a relation has type, field", [[{**RELATION, "more": 1}]]),
    ("RELATIONS", "a map with type and field", [[UUID]]),
    ("SCALAR", "a text, a number", [[], {}, ["a"], None]),
    ("SCALARS", "is written twice", [["a", "b", "a"], [1, "1", 1]]),
]


@pytest.mark.parametrize(("name", "words", "value"), each(REFUSED))
def test_anything_else_is_refused_with_what_was_expected(name: str, words: str, value: Any) -> None:
    assert words in refused(name, value)


@pytest.mark.parametrize("value", [10**400, "1" + "0" * 400], ids=["int", "text"])
def test_a_number_that_json_can_not_carry_is_refused(value: Any) -> None:
    refused("MONEY", value)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("TEXT", b"a", 'text, such as "Laptop 17"'),
        ("COORDINATES", 1, f"no value: the service sets values of this type, and {NEVER}"),
        ("NUMBER", "x", AN_INTEGER),
        ("BOOLEAN", 1, "true or false"),
        ("BOOLEAN", "yes", "true or false, without quotes; in a template add | bool"),
        ("DATETIME", "x", f"a date and time with the offset to UTC, {AN_INSTANT}"),
    ],
)
def test_the_words_say_what_was_expected(name: str, value: Any, words: str) -> None:
    assert refused(name, value) == words


@pytest.mark.parametrize(("number", "is_octal"), [(7, False), (8, True), (8**20 - 1, True), (8**20, False)])
def test_an_octal_number_is_one_that_a_barcode_with_zeros_becomes(number: int, is_octal: bool) -> None:
    assert ("octal" in refused("BARCODE", number)) is is_octal


def test_the_advice_to_quote_does_not_offer_what_yaml_made_of_the_value() -> None:
    assert "668" not in refused("BARCODE", 0o1234)


def test_everything_that_is_wrong_with_a_relation_is_reported_part_by_part() -> None:
    """The uuid that fits is never quoted, because it may replace a named field."""
    written = [{"field_uuid": UUID, "values": ["a"], "comparison_values": 1}]
    with pytest.raises(InvalidValue) as caught:
        parse("RELATIONS", written)
    assert [(way, value) for way, value, _why in caught.value.misfits(written)] == [
        ((0, "values"), ["a"]),
        ((0, "type"), None),
    ]


@pytest.mark.parametrize(("name", "target"), LINKS.items())
def test_any_other_text_or_map_is_a_natural_key(name: str, target: str) -> None:
    key = {"building_id": "Head office", "number": "0.12"}
    for written in ("Head office/0.12", "17", "0001234", "ada@example.com", UUID[:-1], "0", key):
        reference = parse(name, written)
        assert reference == Reference(target, written=written)
        assert not reference.resolved
    assert parse("RENTER", renter("user", "ada@example.com"))[1] == Reference("user", written="ada@example.com")


@pytest.mark.parametrize("value", ["0001234", 17, UUID, {"barcode": "1"}])
def test_one_linked_asset_is_as_good_as_a_list_of_one(value: Any) -> None:
    (alone,), (listed,) = parse("LINKED_ASSETS", value), parse("LINKED_ASSETS", [value])
    assert alone == listed


def test_an_attachment_is_a_uuid_or_a_path_with_or_without_a_name() -> None:
    value = [UUID.upper(), "files/a.pdf", {"path": "b.pdf"}, {"path": "c.pdf", "name": "C"}]
    paths = Attachment(path="files/a.pdf"), Attachment(path="b.pdf"), Attachment(path="c.pdf", name="C")
    assert parse("ATTACHMENT", value) == (Attachment(uuid=UUID), *paths)


# ---- what is answered

FULL = {"id": 7, "uuid": UUID, "display_name": "A"}
NOTHING: list[Any] = [None, "", [], {}]
ANSWERED: list[tuple[Names, Any, list[Any]]] = [
    *((name, faces.empty, NOTHING) for name, faces in TYPES.items() if name != "BILLING"),
    (TEXTS, "17", [17, "17"]),
    (TEXTS, "true", [True]),
    ("WORDS", "Ada B.", [["Ada", "B."]]),
    ("NUMBER", 42, [42, "42", 42.0, "42.0", "42.000", "042"]),
    (("NUMBER", *DECIMALS), 0, [0, "0", "0.0"]),
    (DECIMALS, Decimal("12.5"), [12.5, "12.5", "12.50", "12.500"]),
    ("BOOLEAN", True, [True, 1, "1", "true", "True", "yes"]),
    ("BOOLEAN", False, [False, 0, "0", "false", "FALSE", "no"]),
    (DATES, DAY, ["2024-05-31", "2024-05-31 00:00:00", "2024-05-31T00:00:00+02:00", "2024-05-31T22:00:00Z"]),
    ("DATETIME", NOON, ["2024-05-31 12:00:00", "2024-05-31T12:00:00Z", "2024-05-31T14:00:00+02:00"]),
    ("DATETIME", NOON, ["2024-05-31T12:00:00.123Z", "2024-05-31T12:00:00", "2024-05-31T06:30:00-05:30"]),
    ("DATETIME", NOON.replace(hour=0), ["2024-05-31"]),
    *((name, Reference(kind, 7, UUID, "A"), [FULL, [FULL]]) for name, kind in LINKS.items()),
    *((name, Reference(kind, 7, UUID), [{"id": "7", "uuid": UUID.upper()}]) for name, kind in LINKS.items()),
    *((name, Reference(kind, 7), [7, "7", [7], {"id": 7}]) for name, kind in LINKS.items()),
    *((name, Reference(kind, uuid=UUID), [UUID, UUID.upper(), {"uuid": UUID}]) for name, kind in LINKS.items()),
    (LINKS, None, [0, "0", {"id": 0}, {"id": None, "uuid": None}, [0], False]),
    ("LINKED_ASSETS", (Reference("object", 7),), [7, "7", {"id": 7}, [7], [{"id": 7}], ["7"]]),
    ("LINKED_ASSETS", (), [0, [0], [None], "0", [{}]]),
    ("INTERVAL", Interval("days", 3), [interval("days", 3), interval("days", "3")]),
    ("INTERVAL", None, [{"unit": None, "value": None}]),
    ("RENTER", None, [renter("plain", ""), {"type": None, "value": None}, 0]),
    (("ATTRIBUTES", "CONSTRAINTS"), {}, [[None], [{}]]),
    ("BILLING", {"firstName": "A", "city": "C"}, [{"firstName": "A", "city": "C"}, {"first_name": "A", "city": "C"}]),
    ("ARTICLES", ({"id": 7, "price": 30.0},), [[{"id": "7", "price": price}] for price in (30, "30.00", 30.0, "30")]),
    ("ARTICLES", ({"created_at": "2031-05-02T09:14:11+00:00"},), [[{"created_at": "2031-05-02 09:14:11"}]]),
]


@pytest.mark.parametrize(("name", "value", "raw"), each(ANSWERED))
def test_an_answer_may_have_many_forms(name: str, value: Any, raw: Any) -> None:
    found = read(name, raw)
    assert (found, isinstance(found, bool)) == (value, isinstance(value, bool))


@pytest.mark.parametrize(("raw", "shape"), [("1e299", int), ("1e300", Decimal)])
def test_a_number_of_more_digits_than_any_of_json_is_never_written_out(raw: str, shape: type) -> None:
    assert read("NUMBER", raw).__class__ is shape


def test_attachments_may_be_answered_as_uuids_objects_or_one() -> None:
    for raw in ([UUID], UUID, {"uuid": UUID}, [{"uuid": UUID.upper(), "size": "12"}]):
        assert [file.uuid for file in read("ATTACHMENT", raw)] == [UUID]
    assert read("ATTACHMENT", [{"uuid": UUID, "size": "12"}])[0].size == 12


SAME, NOT_AT_ALL = object(), object()
UNREADABLE: list[tuple[Names, Any, list[Any]]] = [
    (TEXTS, NOT_AT_ALL, [{"A": 1}, ["Ada", "B."]]),
    ("WORDS", NOT_AT_ALL, [["Ada", {"B": 1}]]),
    ("BOOLEAN", SAME, ["perhaps"]),
    ("DATE", SAME, ["soon", "2024-02-30", 20240531]),
    ("DATETIME", SAME, [5, "soon", *FAR]),
    ("NUMBER", SAME, ["many"]),
    ("MONEY", NOT_AT_ALL, [{"value": 5}]),
    ("INTERVAL", SAME, ["P7D", 7, interval("fortnights", 1), {"unit": "days"}, interval("days", -1)]),
    ("INTERVALS", SAME, [[interval("days", 1), "P7D"]]),
    ("RENTER", SAME, [{"type": "user", "value": "ada"}, {"name": "Ada"}]),
    ("RENTER", NOT_AT_ALL, [renter("user", None), renter("plain", None)]),
    ("ASSETS", [{"type": "room", "uuid": UUID}], [[{"type": "room", "uuid": UUID, "name": "Lab"}]]),
    ("ASSETS", NOT_AT_ALL, [[{"type": "asset", "name": "Lab"}]]),
    ("USERS", SAME, [["ada@example.com"]]),
    ("USERS", NOT_AT_ALL, [[{"name": "Ada"}]]),
    (("ATTACHMENT", "ATTACHMENTS"), NOT_AT_ALL, [[{"uuid": UUID}, {"name": "a.pdf"}], [{"uuid": UUID}, 7]]),
    ("SCALARS", SAME, ["a, b", {"0": "a"}]),
    ("RELATIONS", SAME, [["x"]]),
    ("ATTRIBUTES", SAME, [term("unique", {"scope": "all"})]),
    (("ATTRIBUTES", "CONSTRAINTS"), SAME, ["x", 5, [5], {"unique": "yes"}, [{"type": 5, "value": "x"}]]),
]


@pytest.mark.parametrize(("name", "sent", "raw"), each(UNREADABLE))
def test_an_answer_that_nobody_understands_is_shown_and_sent_as_it_came_or_not_at_all(
    name: str, sent: Any, raw: Any
) -> None:
    faces, _field = faces_of(name)
    value = read(name, raw)
    assert value == Unread(raw)
    assert faces.show(value) == (faces.brief or faces.show)(value) == raw
    assert equal(name, value, read(name, raw))
    assert not equal(name, value, faces.empty)
    assert isinstance(raw, str) or not equal(name, value, str(raw))
    if sent is NOT_AT_ALL:
        with pytest.raises(InvalidValue, match="can't be sent back"):
            faces.write(value)
    else:
        assert faces.write(value) == (raw if sent is SAME else sent)


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("RENTER", {"type": "group", "value": "Sales"}),
        ("USER", 7),
        ("CONSTRAINTS", term("max_length", 5) + term("regular_expression", "x")),
        ("CONSTRAINTS", term("allowed_values", ["a", "b"])),
        *(("CONSTRAINTS", term("from_the_future", value)) for value in (1, [1, 2], "x")),
        ("ATTRIBUTES", term("editable", "a", "b") + term("from_the_future", 1)),
    ],
)
def test_what_was_read_is_sent_back_as_it_was(name: str, raw: Any) -> None:
    faces, _field = faces_of(name)
    assert faces.write(read(name, raw)) == raw


# ---- what is equal

Sides = list[tuple[Names, Any, list[Any], list[Any]]]
ROOM_7 = {"id": 7, "uuid": UUID}
SETS = ("ASSETS", "USERS", "ATTACHMENT")
EQUAL: Sides = [
    (DECIMALS, "12.5", [12.5, "12.5", "12.50", "12.500"], [12.51, "12.4999", 0, None, "12,50", True, "n/a"]),
    ("DATETIME", "2024-05-31T14:30:00+02:00", ["2024-05-31 12:30:00"], ["2024-05-31 14:30:00"]),
    (LINKS, 7, [7, ROOM_7], [8, None, 0, UUID]),
    (LINKS, UUID, [ROOM_7, UUID.upper()], [OTHER]),
    (LINKS, ROOM_7, [ROOM_7, 7, UUID], [{"id": 7, "uuid": OTHER}]),
    ("LINKED_ASSETS", [7, 8], [[8, 7], [{"id": 8}, {"id": 7}]], [[7], [7, 7], [7, 8, 9]]),
    ("LINKED_ASSETS", [7, 7], [7, [7]], [[7, 8]]),
    ("LINKED_ASSETS", [], [None], [7]),
    (SETS, [UUID, OTHER], [[OTHER, UUID], [{"uuid": OTHER}, {"uuid": UUID}]], [[UUID]]),
    (SETS, [UUID, UUID], [[UUID], [UUID.upper()], UUID], [[UUID, OTHER], [OTHER], []]),
    (SETS, [], [None], [[UUID]]),
    ("ATTACHMENT", ["a.pdf"], [], [[UUID], []]),
    ("ASSETS", [UUID], [[asset(name="Laptop", id=7, status="open")], [asset(uuid=UUID.upper())], asset()], []),
    ("INTERVAL", interval("weeks", 2), [interval("days", 14)], [interval("days", 13), interval("months", 1), None]),
    ("INTERVAL", interval("years", 2), [interval("months", 24)], [interval("months", 23), interval("days", 730)]),
    ("INTERVAL", interval("days", 0), [interval("years", 0), interval("weeks", 0)], [None]),
    (
        "INTERVALS",
        [interval("weeks", 1), interval("days", 1)],
        [[interval("days", 1), interval("days", 7)]],
        [[interval("days", 7)], [interval("days", 1), interval("days", 2)]],
    ),
    ("INTERVALS", [interval("days", 0)], [], [[]]),
    ("INTERVALS", [], [None, []], []),
    ("RENTER", renter("plain", "Ada"), [renter("plain", "Ada"), "Ada"], [renter("plain", "Bob"), "Bob", None]),
    ("RENTER", renter("user", UUID), [renter("user", UUID.upper()), UUID], [renter("user", OTHER), OTHER, None]),
    ("RENTER", renter("plain", UUID), [], [renter("user", UUID)]),
    ("RENTER", renter("plain", COMPOSED), [renter("plain", DECOMPOSED), DECOMPOSED], [renter("plain", "Jurgen")]),
    ("RENTAL_STATUS", "borrowed", ["return_overdue", "borrowed"], ["pickup_overdue", "confirmed", None]),
    ("RENTAL_STATUS", "pickup_overdue", ["confirmed"], ["return_overdue", "borrowed", "requested"]),
    (
        "ATTRIBUTES",
        {"editable": ["web_app", "mobile_app"]},
        [term("editable", "mobile_app", "web_app", "web_app")],
        [term("editable", "web_app")],
    ),
    ("ATTRIBUTES", {"form_group": COMPOSED}, [term("form_group", DECOMPOSED)], [term("form_group", "Jurgen")]),
    ("SCALAR", COMPOSED, [COMPOSED, DECOMPOSED], ["Jurgen", None]),
    (
        "CONSTRAINTS",
        {"allowed_values": ["a", "b"]},
        [term("allowed_values", ["b", "a"]), term("allowed_values", "a", "b")],
        [term("allowed_values", ["a"])],
    ),
    ("CONSTRAINTS", {}, [term("allowed_values", None), term("allowed_values", [])], []),
    (
        "RELATIONS",
        [RELATION, {**RELATION, "field_uuid": OTHER}],
        [[{**RELATION, "field_uuid": OTHER.upper()}, RELATION]],
        [[RELATION]],
    ),
    ("RELATIONS", [], [None], []),
    ("SCALARS", ["a", "b"], [["a", "b"]], [["b", "a"]]),
    ("TYPE_NAME", "TEXT", ["TEXT"], ["LONG_TEXT"]),
]


@pytest.mark.parametrize(
    ("name", "wish", "same", "raw"),
    [
        *each((names, wish, True, raws) for names, wish, raws, _others in EQUAL),
        *each((names, wish, False, raws) for names, wish, _raws, raws in EQUAL),
    ],
)
def test_values_are_equal_if_they_mean_the_same(name: str, wish: Any, same: bool, raw: Any) -> None:
    assert equal(name, parse(name, wish), read(name, raw)) is same


def test_nothing_equals_only_nothing() -> None:
    for name in (*LINKS, "INTERVAL", "RENTER", "RENTAL_STATUS"):
        assert equal(name, None, read(name, None)), name
    for name in LINKS:
        assert equal(name, None, read(name, 0))
        assert not equal(name, None, read(name, 7))


def test_an_id_and_a_uuid_alone_can_not_be_compared_before_one_is_looked_up() -> None:
    assert Reference("room", id=7).same(Reference("room", uuid=UUID)) is None


@pytest.mark.parametrize("name", DECIMALS)
@pytest.mark.parametrize(
    ("wish", "digits", "equals", "differs"),
    [
        ("1.005", 2, "1.01", "1"),
        ("-1.005", 2, "-1.01", "-1"),
        ("1.004", 2, "1", "1.01"),
        ("1.5", 0, "2", "1"),
        ("1.23456", 4, "1.2346", "1.2345"),
        ("1.004", None, "1.004", "1"),
        ("1234567890.5", 20, 1234567890.5, 1234567890.6),
        ("2", 2, "2", "n/a"),
        ("0.1249", 2, "0.12", None),
    ],
)
def test_amounts_are_rounded_to_the_digits_that_the_instance_keeps(
    name: str, wish: str, digits: int | None, equals: Any, differs: Any
) -> None:
    assert equal(name, parse(name, wish), read(name, equals), fraction_digits=digits)
    assert not equal(name, parse(name, wish), read(name, differs), fraction_digits=digits)


# ---- what is merged and shown


@pytest.mark.parametrize(
    ("current", "wish", "merged"),
    [
        ({"unique": "yes"}, {"mandatory": "yes"}, {"unique": "yes", "mandatory": "yes"}),
        ({"unique": "yes"}, {"unique": "no"}, {"unique": "no"}),
        ({"unique": "yes", "mandatory": "yes"}, {"unique": None}, {"mandatory": "yes"}),
        ({"editable": ["web_app", "mobile_app"]}, {"editable": "web_app"}, {"editable": "web_app"}),
        ({"editable": "web_app", "unique": "yes"}, {"editable": []}, {"unique": "yes"}),
        ({}, {"unique": None}, {}),
        ({"unique": "yes"}, {}, {"unique": "yes"}),
    ],
)
def test_an_attribute_that_is_not_written_is_kept_null_removes_it_and_a_list_replaces_it(
    current: Any, wish: Any, merged: Any
) -> None:
    merge = TYPES["ATTRIBUTES"].merge
    assert merge is not None
    now = parse("ATTRIBUTES", current)
    assert equal("ATTRIBUTES", merge(now, parse("ATTRIBUTES", wish)), parse("ATTRIBUTES", merged))
    assert now == parse("ATTRIBUTES", current)


FILE = {"uuid": UUID, "size": 3, "type": "text/plain", "data_uri": "/d"}


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
        ("LINKED_ROOM", 7, linked(id=7)),
        ("LINKED_ROOM", 0, None),
        ("LINKED_ASSETS", 7, [linked(id=7)]),
        ("LINKED_ASSETS", None, []),
        ("ATTACHMENT", None, []),
        ("ATTACHMENT", [{**FILE, "secret": "x"}], [{**FILE, "name": None, "file_uri": None, "thumbnail_uri": None}]),
        ("COORDINATES", {"lat": 1}, {"lat": 1}),
        ("ASSETS", [asset(name="Laptop", id=7)], [linked(id=7, uuid=UUID, display_name="Laptop")]),
        ("ASSETS", [asset(id=7, status="done")], [linked(id=7, uuid=UUID, status="done")]),
        ("USERS", [FULL], [{**FULL, "email": None}]),
        ("ATTRIBUTES", term("unique", "yes") + term("editable", "a", "b"), {"unique": "yes", "editable": ["a", "b"]}),
        ("CONSTRAINTS", term("allowed_values", ["a"]), {"allowed_values": ["a"]}),
    ],
)
def test_a_record_is_shown_in_one_shape_however_it_was_answered(name: str, raw: Any, shown: Any) -> None:
    assert TYPES[name].show(read(name, raw)) == shown


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


def test_a_diff_shows_a_file_by_its_path_else_by_its_uuid_and_a_renter_as_written() -> None:
    brief = {name: TYPES[name].brief or TYPES[name].show for name in ("ATTACHMENT", "RENTER")}
    files = (Attachment(uuid=UUID, path="a.pdf"), Attachment(uuid=OTHER))
    assert brief["ATTACHMENT"](files) == ["a.pdf", OTHER]
    wish = renter("user", "ada@example.com")
    assert brief["RENTER"](parse("RENTER", wish)) == wish


def test_references_and_attachments_are_found_however_deep() -> None:
    room, user, file = Reference("room", 1), Reference("user", 2), Attachment(uuid=UUID)
    assert list(references_in((room, ("user", user), (file,), None))) == [room, user]
    assert list(attachments_in((file, room))) == [file]
    assert list(attachments_in(None)) == []


def test_every_field_type_of_the_interface_is_known() -> None:
    published = {*TEXTS, *DECIMALS, *DATES, *LINKS, *UNWRITABLE, "ATTACHMENT", "BOOLEAN", "DATETIME", "NUMBER"}
    assert set(FIELD_TYPES) >= published
