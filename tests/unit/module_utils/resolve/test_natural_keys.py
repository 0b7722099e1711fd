# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Natural keys: one match is the record, no match means that it does not exist, two are an error that names both."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.community.seventhings.plugins.module_utils.client.query import Condition, Link
from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record
from ansible_collections.community.seventhings.plugins.module_utils.errors import (
    Ambiguous,
    InvalidInput,
    SeventhingsError,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field, Unread
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS, TASK, Kind
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.module_utils.model.types_composite import Interval
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import Attachment, Reference
from ansible_collections.community.seventhings.plugins.module_utils.resolve import natural_keys

from ..support import RANDOMISED, definition, record, schema_of, uuid_of

ROOM = schema_of(
    "room",
    Field("building_id", "LINKED_LOCATION"),
    Field("number", "TEXT"),
    Field("name", "TEXT"),
    Field("floor", "NUMBER"),
)
OBJECT = schema_of(
    "object",
    Field("barcode", "BARCODE"),
    Field("name", "TEXT"),
    Field("price", "MONEY"),
    Field("bought", "DATE"),
    Field("colour", "DROPDOWN"),
    Field("page", "LINK"),
    Field("note", "LONG_TEXT"),
    Field("room", "LINKED_ROOM"),
    Field("keeper", "LINKED_USER"),
)
PERSON = schema_of("person", Field("email", "TEXT"), Field("age", "NUMBER"))
HOUSE = Reference("location", 5, uuid_of(5))


def keys(kind: str, match_on: list[str] | None, **written: Any) -> tuple[str, ...]:
    return natural_keys.key_fields(KINDS[kind], match_on, written)


# ---- which fields identify a record


def test_fields_that_may_identify_a_record_are_those_of_its_kind_and_the_chosen_fields() -> None:
    own = {"building_id", "number", "name"}
    assert natural_keys.identifying_fields(ROOM, ()) == own
    assert natural_keys.identifying_fields(ROOM, ("floor", "unknown", "number")) == own | {"floor"}


@pytest.mark.parametrize(
    ("kind", "written", "wanted"),
    [
        ("object", {"barcode": "1", "name": "x"}, ("barcode",)),
        ("location", {"name": "Head office", "city": "Berlin"}, ("name",)),
        ("person", {"email": "ada@example.com"}, ("email",)),
        ("task", {"title": "a", "deadline": 1, "references": ()}, ("title",)),
        ("rental_case", {"title": "a", "issue_date": 1}, ("title", "issue_date")),
        ("room", {"building_id": HOUSE, "number": "1", "name": "x"}, ("building_id", "number")),
        ("room", {"building_id": HOUSE, "number": "1"}, ("building_id", "number")),
        ("room", {"building_id": HOUSE, "name": "x"}, ("building_id", "name")),
        ("room", {"building_id": HOUSE, "name": "x", "number": None}, ("building_id", "name")),
        ("field_definition", {"field_key": "a", "label": "b"}, ("field_key",)),
        ("field_definition", {"label": "b"}, ("label",)),
    ],
)
def test_the_default_key_of_a_kind_is_chosen_by_what_was_written(
    kind: str, written: dict[str, Any], wanted: tuple[str, ...]
) -> None:
    assert natural_keys.key_fields(KINDS[kind], None, written) == wanted


def test_a_key_that_the_user_named_takes_precedence_over_the_default() -> None:
    assert keys("object", ["name", "colour"], barcode="1", name="x", colour="red") == ("name", "colour")


def test_a_room_with_a_number_is_never_looked_for_by_its_name() -> None:
    with pytest.raises(InvalidInput, match=r"^building_id must have a value"):
        keys("room", None, number="1", name="x")


@pytest.mark.parametrize("nothing", [None, "", ()])
def test_a_field_of_the_key_without_a_value_is_an_error(nothing: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        keys("object", ["name", "colour", "page"], name="x", colour=nothing)
    assert caught.value.message == (
        "match_on: colour, page must have a value, because an object is identified by name and colour and page"
    )


@pytest.mark.parametrize(
    ("kind", "by"),
    [
        ("object", "barcode"),
        ("location", "name"),
        ("person", "email"),
        ("room", "building_id and name"),
        ("task", "title"),
        ("rental_case", "title and issue_date"),
        ("field_definition", "label"),
    ],
)
def test_a_record_without_its_default_key_is_an_error(kind: str, by: str) -> None:
    with pytest.raises(InvalidInput, match=f"because {KINDS[kind].singular} is identified by {by}$"):
        keys(kind, None)


@pytest.mark.parametrize("value", [0, False, Decimal(0), "0"])
def test_zero_and_false_are_values_of_a_key(value: Any) -> None:
    assert keys("object", ["price"], price=value) == ("price",)


def test_an_empty_match_on_is_an_error_and_not_the_default() -> None:
    with pytest.raises(InvalidInput) as caught:
        keys("object", [], barcode="1")
    assert caught.value.message == "match_on: expected at least one field key"


# ---- what narrows the list


@pytest.mark.parametrize("key", ["barcode", "name", "colour", "page"])
def test_a_text_narrows_the_list_on_the_service(key: str) -> None:
    assert natural_keys.conditions(OBJECT, [key], {key: "x"}) == [Condition(key, "eq", ("x",))]


def test_all_texts_of_a_key_narrow_the_list_together() -> None:
    desired = {"name": "a", "price": Decimal(1), "colour": "red"}
    assert natural_keys.conditions(OBJECT, ["name", "price", "colour"], desired) == [
        Condition("name", "eq", ("a",)),
        Condition("colour", "eq", ("red",)),
    ]


@pytest.mark.parametrize(
    ("key", "value"), [("price", Decimal("12.50")), ("bought", dt.date(2024, 5, 31)), ("note", "a long text")]
)
def test_a_value_whose_shape_differs_between_instances_narrows_nothing(key: str, value: Any) -> None:
    assert natural_keys.conditions(OBJECT, [key], {key: value}) == []


def test_links_narrow_by_their_id_where_no_text_does() -> None:
    desired = {"room": Reference("room", 3, uuid_of(3)), "keeper": Reference("user", 4)}
    assert natural_keys.conditions(OBJECT, ["room", "keeper"], desired) == [
        Condition("room", "eq", (3,), (Link(3, uuid_of(3)),)),
        Condition("keeper", "eq", (4,), (Link(4, None),)),
    ]
    assert natural_keys.conditions(ROOM, ["building_id", "number"], {"building_id": HOUSE, "number": "1"}) == [
        Condition("number", "eq", ("1",))
    ]


def test_a_link_without_an_id_narrows_nothing() -> None:
    assert natural_keys.conditions(OBJECT, ["room"], {"room": Reference("room", uuid=uuid_of(3))}) == []


def test_a_key_that_is_compared_without_case_narrows_nothing() -> None:
    assert natural_keys.conditions(PERSON, ["email"], {"email": "ada@example.com"}) == []


# ---- who is meant


def hits(schema: Any, wanted: dict[str, Any], *records: Any) -> list[str]:
    return [record.uuid for record in natural_keys.identified(schema, wanted.keys(), wanted, records)]


def test_only_the_same_text_is_the_same_key() -> None:
    records = [record("object", n, barcode=text) for n, text in enumerate(["0001", "1", "0001 ", "A0001", "0001"], 1)]
    assert hits(OBJECT, {"barcode": "0001"}, *records) == [uuid_of(1), uuid_of(5)]


@pytest.mark.parametrize("text", ["Head Office", "HEAD OFFICE", "Head office "])
def test_names_are_compared_with_case_and_spaces(text: str) -> None:
    assert hits(schema_of("location"), {"name": "Head office"}, record("location", 1, name=text)) == []


@pytest.mark.parametrize("kind", ["person", "user"])
@pytest.mark.parametrize("text", ["ada@example.com", "ADA@EXAMPLE.COM", "Ada@Example.com"])
def test_e_mail_addresses_are_compared_without_case(kind: str, text: str) -> None:
    schema = schema_of(kind, Field("email", "TEXT"))
    assert hits(schema, {"email": "aDa@example.COM"}, record(kind, 1, email=text)) == [uuid_of(1)]


def test_another_text_of_a_person_is_compared_with_case_even_where_the_address_is_not() -> None:
    schema = schema_of("person", Field("email", "TEXT"), Field("staff_number", "TEXT"))
    persons = [record("person", n, email="a@example.com", staff_number=text) for n, text in enumerate(["a1", "A1"], 1)]
    assert hits(schema, {"staff_number": "A1"}, *persons) == [uuid_of(2)]
    assert hits(schema, {"email": "A@example.com", "staff_number": "A1"}, *persons) == [uuid_of(2)]


def test_an_address_loses_the_case_of_ascii_letters_only() -> None:
    assert not hits(PERSON, {"email": "STRASSE@example.com"}, record("person", 1, email="straße@example.com"))
    assert not hits(PERSON, {"email": "mark@example.com"}, record("person", 1, email="mar\u212a@example.com"))


@pytest.mark.parametrize("email", [None, "", "bob@example.com", 5])
def test_another_or_no_address_is_not_the_person(email: Any) -> None:
    assert hits(PERSON, {"email": "ada@example.com"}, record("person", 1, email=email)) == []
    assert hits(PERSON, {"email": "ada@example.com"}, record("person", 1)) == []


def test_what_is_no_text_is_compared_by_its_type_where_case_does_not_count() -> None:
    assert hits(PERSON, {"age": 42}, record("person", 1, age="42"), record("person", 2, age=43)) == [uuid_of(1)]


def test_every_field_of_the_key_must_be_equal() -> None:
    wanted = {"building_id": HOUSE, "number": "1"}
    records = [
        record("room", 1, building_id=5, number="1"),
        record("room", 2, building_id=6, number="1"),
        record("room", 3, building_id=5, number="2"),
        record("room", 4, building_id=0, number="1"),
        record("room", 5, number="1"),
    ]
    assert hits(ROOM, wanted, *records) == [uuid_of(1)]


@pytest.mark.parametrize("answered", [12.5, "12.50", "12.500"])
def test_a_key_is_compared_by_meaning_whatever_shape_it_was_answered_in(answered: Any) -> None:
    assert hits(OBJECT, {"price": Decimal("12.5")}, record("object", 1, price=answered)) == [uuid_of(1)]


@pytest.mark.parametrize("answered", [5, "5", {"id": 5}, {"uuid": uuid_of(5)}, uuid_of(5), [5]])
def test_a_link_in_a_key_is_compared_by_whom_it_means(answered: Any) -> None:
    wanted = {"building_id": HOUSE, "number": "1"}
    assert hits(ROOM, wanted, record("room", 1, building_id=answered, number="1")) == [uuid_of(1)]


@pytest.mark.parametrize("number", [["1"], {"de": "1"}, True])
def test_a_key_that_cannot_be_read_may_be_the_wanted_key(number: Any) -> None:
    wanted = {"building_id": HOUSE, "number": "1"}
    with pytest.raises(SeventhingsError, match=f"room {uuid_of(2)} has the number .*, which can't be read"):
        hits(
            ROOM, wanted, record("room", 1, building_id=5, number="1"), record("room", 2, building_id=5, number=number)
        )
    assert hits(ROOM, wanted, record("room", 2, building_id=6, number=number)) == [], "its location is another"


def test_one_match_is_the_record_and_no_match_is_none() -> None:
    chair = record("object", 1)
    assert natural_keys.only_record(KINDS["object"], "x", [chair]) is chair
    assert natural_keys.only_record(KINDS["object"], "x", []) is None


@pytest.mark.parametrize("count", [2, 3, 7])
def test_more_than_one_hit_is_an_error_that_names_all_of_them(count: int) -> None:
    twins = [record("object", number) for number in range(count, 0, -1)]
    with pytest.raises(Ambiguous) as caught:
        natural_keys.only_record(KINDS["object"], "barcode '1'", twins, advice="give uuid")
    uuids = ", ".join(uuid_of(number) for number in range(1, count + 1))
    assert caught.value.message == (f"{count} objects have barcode '1': {uuids}. Expected exactly one; give uuid.")


def test_records_without_a_uuid_are_named_by_their_id() -> None:
    items = [Record.from_answer(KINDS["hub_item"], {"id": number}) for number in (8, 7)]
    with pytest.raises(Ambiguous) as caught:
        natural_keys.only_record(KINDS["hub_item"], "the object", items)
    assert caught.value.message == "2 hub items have the object: 7, 8. Expected exactly one."


def test_a_key_is_described_in_words_as_it_was_written() -> None:
    desired = {"building_id": Reference("location", 5, uuid_of(5), written="Head office"), "number": "1", "name": "x"}
    assert natural_keys.describe(ROOM, ["building_id", "number"], desired) == "building_id 'Head office' and number '1'"


# ---- which of several tasks is meant


OPEN, OPEN_TOO = record("task", 1, status="open"), record("task", 2, status="open")
CLOSED, CLOSED_TOO = record("task", 3, status="closed"), record("task", 4, status="closed")


@pytest.mark.parametrize(
    ("found", "status", "expected"),
    [
        ([], None, []),
        ([], "open", []),
        ([], "closed", []),
        ([OPEN], None, [OPEN]),
        ([OPEN], "open", [OPEN]),
        ([OPEN], "closed", [OPEN]),
        ([CLOSED], None, [CLOSED]),
        ([CLOSED], "open", [CLOSED]),
        ([CLOSED], "closed", [CLOSED]),
        ([CLOSED, OPEN], None, [OPEN]),
        ([CLOSED, OPEN, CLOSED_TOO], "open", [OPEN]),
        ([CLOSED, OPEN], "closed", [OPEN]),
        ([OPEN, OPEN_TOO], None, [OPEN, OPEN_TOO]),
        ([OPEN, CLOSED, OPEN_TOO], "open", [OPEN, OPEN_TOO]),
        ([OPEN, OPEN_TOO], "closed", [OPEN, OPEN_TOO]),
        ([CLOSED, CLOSED_TOO], None, [CLOSED, CLOSED_TOO]),
        ([CLOSED, CLOSED_TOO], "open", [CLOSED, CLOSED_TOO]),
        ([CLOSED, CLOSED_TOO], "closed", [CLOSED]),
    ],
)
def test_open_tasks_count_alone_and_of_several_closed_ones_none_can_be_distinguished_unless_closed_is_wanted(
    found: Any, status: str | None, expected: Any
) -> None:
    assert natural_keys.targets_by_status(TASK, found, status, lambda _record: True) == expected


def test_the_closed_task_that_is_as_wanted_matches() -> None:
    closed = [record("task", number, status="closed") for number in (1, 2, 3)]
    assert natural_keys.targets_by_status(TASK, closed, "closed", lambda candidate: candidate is closed[1]) == [
        closed[1]
    ]
    assert natural_keys.targets_by_status(TASK, closed, "closed", lambda _record: False) == closed


def test_a_status_narrows_down_what_is_deleted() -> None:
    found = [record("task", 1, status="open"), record("task", 2, status="closed")]
    assert natural_keys.targets_by_status(TASK, found, "closed", lambda _record: True, absent=True) == [found[1]]
    assert natural_keys.targets_by_status(TASK, found, None, lambda _record: True, absent=True) == [found[0]]


def test_a_kind_says_which_status_counts_as_open() -> None:
    plans = replace(TASK, open_status="active")
    found = [record("task", 1, status="paused"), record("task", 2, status="active"), record("task", 3, status="paused")]
    assert natural_keys.targets_by_status(plans, found, None, lambda _record: True) == [found[1]]
    paused = [found[0], found[2]]
    assert natural_keys.targets_by_status(plans, paused, "paused", lambda candidate: candidate is found[2]) == [
        found[2]
    ]
    assert natural_keys.targets_by_status(replace(TASK, open_status=""), found, None, lambda _record: True) == found


# ---- paths of rooms


@pytest.mark.parametrize(
    ("path", "splits"),
    [
        ("A/B", [("A", "B")]),
        ("A/B/C", [("A", "B/C"), ("A/B", "C")]),
        ("A/B/C/D", [("A", "B/C/D"), ("A/B", "C/D"), ("A/B/C", "D")]),
        ("Head office/0.12", [("Head office", "0.12")]),
        ("A//B", [("A", "/B"), ("A/", "B")]),
        ("A", []),
        ("", []),
        ("/", []),
        ("/B", []),
        ("A/", []),
        (" /B", []),
        ("A/ ", []),
        ("/A/B", [("/A", "B")]),
        ("A/B/", [("A", "B/")]),
    ],
)
def test_a_path_is_tried_at_every_slash_with_something_on_both_sides(path: str, splits: list[tuple[str, str]]) -> None:
    assert list(natural_keys.path_splits(path)) == splits


@RANDOMISED
@given(place=st.text("ab/ ", min_size=1, max_size=6), label=st.text("ab/ ", min_size=1, max_size=6))
def test_every_place_and_room_is_among_the_readings_of_its_path(place: str, label: str) -> None:
    found = list(natural_keys.path_splits(f"{place}/{label}"))
    assert ((place, label) in found) is bool(place.strip() and label.strip())
    assert all(f"{left}/{right}" == f"{place}/{label}" for left, right in found)


# ---- values of a field that records have


@pytest.mark.parametrize("template", ["asset", "person"])
def test_values_in_use_are_those_that_records_have(template: str) -> None:
    requests = []

    def listed(kind: Kind, conditions: Sequence[Condition]) -> list[Record]:
        requests.append((kind.name, list(conditions)))
        return [record(kind.name, number, colour=colour) for number, colour in enumerate(("red", None, "blue"))]

    field = Record.from_answer(KINDS["field_definition"], definition("colour", "DROPDOWN"))
    used = natural_keys.values_in_use(field, template, iter(["green", "blue", "red"]), listed)
    assert used == ["blue", "red"]
    # Only lists with filters are narrowed.
    narrowed = [Condition("colour", "in", ("green", "blue", "red"))]
    assert requests == [("object", narrowed) if template == "asset" else ("person", [])]


# ---- a key that is looked up


ALIKE = [
    (
        "price",
        Field("price", "MONEY", fraction_digits=2),
        [Decimal("12.5"), Decimal("12.500"), Decimal("12.501"), Decimal(13)],
    ),
    ("price", Field("price", "MONEY"), [Decimal("12.5"), Decimal("12.50"), Decimal("12.501")]),
    ("lead", Field("lead", "INTERVAL"), [Interval("weeks", 1), Interval("days", 7), Interval("months", 7)]),
    (
        "leads",
        Field("leads", "INTERVALS"),
        [(Interval("weeks", 1), Interval("days", 1)), (Interval("days", 1), Interval("days", 7))],
    ),
    ("state", Field("state", "RENTAL_STATUS"), ["borrowed", "return_overdue", "confirmed", "pickup_overdue"]),
    (
        "at",
        Field("at", "DATETIME"),
        [
            dt.datetime(2024, 5, 31, 12, tzinfo=dt.UTC),
            dt.datetime(2024, 5, 31, 14, tzinfo=dt.timezone(dt.timedelta(hours=2))),
            dt.datetime(2024, 5, 31, 14, tzinfo=dt.UTC),
        ],
    ),
    ("name", Field("name", "TEXT"), ["a", "A", "á"]),
    (
        "parts",
        Field("parts", "LINKED_ASSETS"),
        [
            (Reference("object", 1, uuid_of(1)), Reference("object", 2, uuid_of(2))),
            (Reference("object", 2, uuid_of(2)), Reference("object", 1, uuid_of(1))),
            (Reference("object", 2, uuid_of(2)),),
        ],
    ),
    (
        "files",
        Field("files", "ATTACHMENT"),
        [(Attachment(uuid_of(1)),), (Attachment(uuid_of(1), name="a"),), (Attachment(uuid_of(2)),)],
    ),
]


@pytest.mark.parametrize(("key", "field", "values"), ALIKE)
def test_lookup_keys_are_equal_exactly_if_their_type_treats_the_values_as_equal(
    key: str, field: Field, values: list[Any]
) -> None:
    schema = schema_of("object", field)
    for left in values:
        for right in values:
            same = looked_up(schema, {key: left}) == looked_up(schema, {key: right})
            assert same is schema.equal(key, left, right), (left, right)


def looked_up(schema: Any, values: dict[str, Any]) -> Any:
    return natural_keys.key_of(schema, list(values), values, lambda reference: reference.uuid)


def test_an_address_is_looked_up_without_case_and_another_text_of_a_person_with_it() -> None:
    person = schema_of("person", Field("email", "TEXT"), Field("staff_number", "TEXT"))
    assert looked_up(person, {"email": "ADA@example.com"}) == looked_up(person, {"email": "ada@EXAMPLE.com"})
    assert looked_up(person, {"staff_number": "A1"}) != looked_up(person, {"staff_number": "a1"})


def test_each_part_of_a_key_distinguishes_records() -> None:
    keys = [looked_up(OBJECT, {"barcode": barcode, "name": name}) for barcode in "12" for name in "ab"]
    assert len(set(keys)) == 4


@pytest.mark.parametrize("part", [None, (), Reference("room", written="not found"), (Reference("room", written="x"),)])
def test_a_key_with_a_missing_or_pending_part_is_not_looked_up(part: Any) -> None:
    assert looked_up(OBJECT, {"name": "x", "room": part}) is None


def test_what_no_key_holds_is_distinguished_all_the_same() -> None:
    assert looked_up(OBJECT, {"barcode": ["1"]}) == looked_up(OBJECT, {"barcode": ["1"]})
    assert looked_up(OBJECT, {"barcode": ["1"]}) != looked_up(OBJECT, {"barcode": ["2"]})


@pytest.mark.parametrize(
    ("schema", "keys", "flats"),
    [
        (OBJECT, ("barcode",), [{"barcode": "0001"}, {"barcode": ""}, {"barcode": None}, {"barcode": 7}, {}]),
        (OBJECT, ("barcode", "name"), [{"barcode": "1", "name": "a"}, {"barcode": "1", "name": "b"}]),
        (OBJECT, ("price",), [{"price": "12.50"}, {"price": 12.5}]),
        (OBJECT, ("bought",), [{"bought": "2024-05-31T00:00:00+00:00"}, {"bought": "2024-05-31"}]),
        (OBJECT, ("room",), [{"room": {"id": 5, "uuid": uuid_of(5)}}, {"room": 0}]),
        (PERSON, ("email",), [{"email": "ADA@example.com"}, {"email": "ada@example.com"}]),
        (ROOM, ("building_id", "number"), [{"building_id": 5, "number": "1"}, {"building_id": 0, "number": "1"}]),
    ],
)
def test_records_are_looked_up_by_the_keys_that_their_values_have(
    schema: Schema, keys: tuple[str, ...], flats: list[dict[str, Any]]
) -> None:
    def mark(reference: Reference) -> Any:
        return reference.id

    records = [record(schema.kind.name, number, **flat) for number, flat in enumerate(flats, 1)]
    expected = [
        natural_keys.key_of(schema, keys, natural_keys.read_some(schema, keys, record), mark) for record in records
    ]
    found = list(natural_keys.keyed(schema, keys, records, mark))
    assert found == list(zip(expected, records, strict=True))


@pytest.mark.parametrize("barcode", [["1"], {"de": "1"}, True])
@pytest.mark.parametrize("keys", [("barcode",), ("name", "barcode")])
def test_a_record_whose_key_cannot_be_read_is_not_left_out(keys: tuple[str, ...], barcode: Any) -> None:
    unreadable = record("object", 1, name="Chair", barcode=barcode)
    with pytest.raises(SeventhingsError, match=f"object {uuid_of(1)} has the barcode .*, which can't be read"):
        list(natural_keys.keyed(OBJECT, keys, [unreadable], lambda _reference: None))


UNREAD = "which can't be read, so it may or may not be the object that you mean. Nothing is decided from it."


def test_the_message_about_an_unreadable_key_says_what_the_service_answered() -> None:
    unreadable = record("object", 1, barcode=["1"])
    with pytest.raises(SeventhingsError) as caught:
        list(natural_keys.keyed(OBJECT, ("barcode",), [unreadable], lambda _reference: None))
    assert caught.value.message == f"The object {uuid_of(1)} has the barcode ['1'], {UNREAD}"
    with pytest.raises(SeventhingsError) as caught:
        hits(OBJECT, {"barcode": "1"}, replace(unreadable, uuid="", id=7))
    assert caught.value.message == f"The object 7 has the barcode ['1'], {UNREAD}"


def test_a_date_that_cannot_be_read_is_named_before_the_keys_that_can() -> None:
    unreadable = record("object", 1, barcode="1", bought="soon", price="much")
    with pytest.raises(SeventhingsError, match=r"has the bought 'soon', which"):
        hits(OBJECT, {"barcode": "1", "bought": dt.date(2024, 5, 31), "price": Decimal(5)}, unreadable)
    assert hits(OBJECT, {"barcode": "2", "bought": dt.date(2024, 5, 31)}, unreadable) == []


@pytest.mark.parametrize(
    ("key", "raw", "is_odd"),
    [
        ("bought", "soon", True),
        ("bought", "2024-05-31", False),
        ("bought", "", False),
        ("bought", None, False),
        ("price", "much", True),
        ("price", "", False),
        ("price", 0, False),
        ("barcode", "", False),
        ("barcode", [], False),
        ("barcode", {}, False),
        ("barcode", False, False),
        ("barcode", True, True),
        ("barcode", ["1"], True),
        ("barcode", {"de": "1"}, True),
        ("barcode", 7, False),
        ("seen", "anything", False),
    ],
)
def test_what_the_type_of_a_field_cannot_represent_is_unread(key: str, raw: Any, is_odd: bool) -> None:
    schema = schema_of("object", *OBJECT.fields.values(), Field("seen", "COORDINATES"))
    found = natural_keys.read_some(schema, (key,), record("object", 1, **{key: raw}))[key]
    assert isinstance(found, Unread) is is_odd
    assert not is_odd or found == Unread(raw)


def test_a_text_that_is_its_own_key_is_not_read_for_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(natural_keys, "read_some", None)
    unreadable = record("object", 1, barcode="0001")
    assert list(natural_keys.keyed(OBJECT, ("barcode",), [unreadable], lambda _reference: None)) == [
        ("0001", unreadable)
    ]


def test_a_key_outside_the_schema_is_looked_up_as_written() -> None:
    assert looked_up(PERSON, {"unknown": "x"}) == "x"


# ---- what a record is called by others


@pytest.mark.parametrize(
    ("kind", "flat", "names"),
    [
        ("object", {"barcode": "0001"}, ["0001"]),
        ("object", {"barcode": None}, []),
        ("person", {"email": "ada@example.com"}, ["ada@example.com"]),
        ("room", {"building_id": 5, "number": "1", "name": "Store"}, ["Head office/1", "Head office/Store"]),
        ("room", {"building_id": 6, "number": "1", "name": "Store"}, ["1", "Store"]),
        ("room", {"building_id": 0, "name": "Store"}, ["Store"]),
        ("room", {"building_id": "unheard of", "name": "Store"}, ["Store"]),
    ],
)
def test_a_record_is_called_by_its_natural_key_with_the_place_that_it_is_in(
    kind: str, flat: dict[str, Any], names: list[str]
) -> None:
    house = record("location", 5, name="Head office")
    assert natural_keys.written_names(record(kind, 1, **flat), lambda place: house if place.id == 5 else None) == names
