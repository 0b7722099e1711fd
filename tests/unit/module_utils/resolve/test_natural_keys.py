# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Natural keys: one match is the record, no match means that it does not exist, two are an error that names both."""

from __future__ import annotations

import datetime as dt
import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
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
PERSON = schema_of("person", Field("email", "TEXT"), Field("age", "NUMBER"), Field("staff_number", "TEXT"))
HOUSE = Reference("location", 5, uuid_of(5))


def keys(kind: str, match_on: list[str] | None, **written: Any) -> tuple[str, ...]:
    return natural_keys.key_fields(KINDS[kind], match_on, written)


# ---- which fields identify a record


def test_fields_that_may_identify_a_record_are_those_of_its_kind_and_the_chosen_fields() -> None:
    own = {"building_id", "number", "name"}
    assert natural_keys.identifying_fields(ROOM, ()) == own
    assert natural_keys.identifying_fields(ROOM, ("floor", "unknown", "number")) == own | {"floor"}


@pytest.mark.parametrize(
    ("kind", "match_on", "written", "wanted"),
    [
        ("object", None, {"barcode": "1", "name": "x"}, ("barcode",)),
        ("object", ["name", "colour"], {"barcode": "1", "name": "x", "colour": "red"}, ("name", "colour")),
        ("object", ["price"], {"price": Decimal(0)}, ("price",)),
        ("object", ["price"], {"price": False}, ("price",)),
        ("rental_case", None, {"title": "a", "issue_date": 1}, ("title", "issue_date")),
        ("room", None, {"building_id": HOUSE, "number": "1", "name": "x"}, ("building_id", "number")),
        ("room", None, {"building_id": HOUSE, "name": "x"}, ("building_id", "name")),
        ("room", None, {"building_id": HOUSE, "name": "x", "number": None}, ("building_id", "name")),
        ("field_definition", None, {"field_key": "a", "label": "b"}, ("field_key",)),
        ("field_definition", None, {"label": "b"}, ("label",)),
    ],
)
def test_a_key_is_chosen_by_the_user_or_by_what_was_written(
    kind: str, match_on: list[str] | None, written: dict[str, Any], wanted: tuple[str, ...]
) -> None:
    assert keys(kind, match_on, **written) == wanted


@pytest.mark.parametrize(
    ("kind", "match_on", "written", "message"),
    [
        ("object", [], {"barcode": "1"}, "match_on: expected at least one field key"),
        ("object", None, {}, "barcode must have a value, because an object is identified by barcode"),
        ("room", None, {"number": "1", "name": "x"}, "building_id must have a value, because a room is identified by "),
        (
            "room",
            None,
            {"number": "1"},
            "building_id must have a value, because a room is identified by building_id and number",
        ),
        *(
            ("object", ["name", "page"], {"name": "x", "page": nothing}, "match_on: page must have a value, because ")
            for nothing in (None, "", ())
        ),
        ("object", ["name", "page"], {}, "match_on: name, page must have a value, because an object is identified by "),
    ],
)
def test_a_key_without_a_value_is_an_error_and_no_other_key_is_tried(
    kind: str, match_on: list[str] | None, written: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        keys(kind, match_on, **written)
    assert caught.value.message.startswith(message)


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


ROOM_1 = {"building_id": HOUSE, "number": "1"}


@pytest.mark.parametrize(
    ("schema", "wanted", "same", "others"),
    [
        (OBJECT, {"barcode": "0001"}, [{"barcode": "0001"}], [{"barcode": code} for code in ("1", "0001 ", "A0001")]),
        (OBJECT, {"name": "Lamp"}, [], [{"name": name} for name in ("LAMP", "lamp", "Lamp ", None, 5)]),
        (
            OBJECT,
            {"price": Decimal("12.5")},
            [{"price": price} for price in (12.5, "12.50", "12.500")],
            [{"price": 12}],
        ),
        (
            PERSON,
            {"email": "aDa@example.COM"},
            [{"email": email} for email in ("ada@example.com", "ADA@EXAMPLE.COM")],
            [{}, *({"email": email} for email in (None, "", "bob@example.com", 5))],
        ),
        # Only ASCII letters lose their case.
        (PERSON, {"email": "STRASSE@example.com"}, [], [{"email": "straße@example.com"}]),
        (PERSON, {"email": "mark@example.com"}, [], [{"email": "mar\u212a@example.com"}]),
        (PERSON, {"staff_number": "A1"}, [{"staff_number": "A1"}], [{"staff_number": "a1"}]),
        (
            PERSON,
            {"email": "A@b.example", "staff_number": "A1"},
            [{"email": "a@B.example", "staff_number": "A1"}],
            [{"email": "a@b.example", "staff_number": "a1"}],
        ),
        (PERSON, {"age": 42}, [{"age": "42"}], [{"age": 43}]),
        (
            ROOM,
            ROOM_1,
            [
                {"building_id": link, "number": "1"}
                for link in (5, "5", {"id": 5}, {"uuid": uuid_of(5)}, uuid_of(5), [5])
            ],
            [{"building_id": 6, "number": "1"}, {"building_id": 5, "number": "2"}, {"number": "1"}],
        ),
    ],
)
def test_a_record_is_identified_by_the_meaning_of_all_parts_of_its_key(
    schema: Schema, wanted: dict[str, Any], same: list[dict[str, Any]], others: list[dict[str, Any]]
) -> None:
    records = [record(schema.kind.name, number, **flat) for number, flat in enumerate([*same, *others], 1)]
    found = [hits(schema, wanted, one) for one in records]
    assert found == [*([uuid_of(number)] for number in range(1, len(same) + 1)), *([] for _other in others)]


def test_the_record_with_the_text_as_it_was_written_goes_before_others_in_another_form() -> None:
    forms = ("\u1e69", "s\u0323\u0307", "s\u0307\u0323")
    records = [record("object", number, name=name) for number, name in enumerate(forms, 1)]
    assert [hits(OBJECT, {"name": name}, *records) for name in forms] == [[uuid_of(number)] for number in (1, 2, 3)]
    assert hits(OBJECT, {"name": forms[2]}, *records[:2]) == [uuid_of(1), uuid_of(2)]


@pytest.mark.parametrize("number", [["1"], {"de": "1"}, True])
def test_a_key_that_cannot_be_read_may_be_the_wanted_key(number: Any) -> None:
    wanted = {"building_id": HOUSE, "number": "1"}
    with pytest.raises(SeventhingsError, match=f"room {uuid_of(2)} has the number .*, which can't be read"):
        hits(
            ROOM, wanted, record("room", 1, building_id=5, number="1"), record("room", 2, building_id=5, number=number)
        )
    assert hits(ROOM, wanted, record("room", 2, building_id=6, number=number)) == [], "its location is another"


@pytest.mark.parametrize("count", [2, 3, 7])
def test_more_than_one_hit_is_an_error_that_names_all_of_them(count: int) -> None:
    twins = [record("object", number) for number in range(count, 0, -1)]
    with pytest.raises(Ambiguous) as caught:
        natural_keys.only_record(KINDS["object"], "barcode '1'", twins, advice="give uuid")
    uuids = ", ".join(uuid_of(number) for number in range(1, count + 1))
    assert caught.value.message == (f"{count} objects have barcode '1': {uuids}. Expected exactly one; give uuid.")
    with pytest.raises(Ambiguous, match=f"^{count} objects have x: {uuids}. Expected exactly one[.]$"):
        natural_keys.only_record(KINDS["object"], "x", twins)
    assert natural_keys.only_record(KINDS["object"], "x", twins[:1]) is twins[0]
    assert natural_keys.only_record(KINDS["object"], "x", []) is None


@pytest.mark.parametrize(
    ("emails", "names"),
    [
        (["B@acme.example", "a@acme.example"], "a@acme.example, b@acme.example"),
        (["a@acme.example", "A@acme.example"], f"{uuid_of(1)}, {uuid_of(2)}"),
    ],
)
def test_people_are_named_by_addresses_that_differ(emails: list[str], names: str) -> None:
    people = [record("person", number, email=email) for number, email in enumerate(emails, 1)]
    with pytest.raises(Ambiguous, match=f"^2 persons have x: {names}. Expected"):
        natural_keys.only_record(KINDS["person"], "x", people)


def test_a_status_may_select_one_of_several_tasks() -> None:
    with pytest.raises(Ambiguous, match=r"Expected exactly one; a status may select one[.]$"):
        natural_keys.only_record(KINDS["task"], "x", [record("task", 1), record("task", 2)])


def test_a_record_without_a_uuid_is_named_by_its_id() -> None:
    offers = [Record(KINDS["hub_item"], "", number, {}) for number in (7, 8)]
    with pytest.raises(Ambiguous, match=" have x: 7, 8"):
        natural_keys.only_record(KINDS["hub_item"], "x", offers)


_WORDS = ["u\u0308", "\u00fc", "u"]
_KEYS = st.sampled_from([*_WORDS, *((1, word) for word in _WORDS)])


def _composed(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(map(_composed, key))
    return unicodedata.normalize("NFC", key) if isinstance(key, str) else key


@RANDOMISED
@given(st.lists(st.none() | _KEYS, max_size=9), _KEYS)
@example(["\u00fc"] * 3, "\u00fc")
@example(["u\u0308"] * 2, "\u00fc")
@example(["\u00fc", "u\u0308"], "u\u0308")
@example(["\u00fc"], "u\u0308")
@example(["u", "u\u0308"], "u")
@example([(1, "u\u0308"), (1, "u"), None], (1, "\u00fc"))
@example([], "\u00fc")
def test_an_index_finds_the_items_with_this_key_else_those_with_an_equal_key(keys: list[Any], wanted: Any) -> None:
    pairs = [(key, f"item {number}") for number, key in enumerate(keys)]
    index = natural_keys.KeyIndex(pairs)
    same = [item for key, item in pairs if key == wanted]
    equal = [item for key, item in pairs if key is not None and _composed(key) == _composed(wanted)]
    assert index.exact(wanted) == same
    assert sorted(index.find(wanted)) == sorted(same or equal)


@pytest.mark.parametrize(
    ("value", "forms"), [("\u00fc", {"\u00fc", "u\u0308"}), ("u", {"u"}), (5, {5}), (HOUSE, {HOUSE})]
)
def test_a_text_is_looked_for_in_its_unicode_forms(value: Any, forms: set[Any]) -> None:
    assert set(natural_keys.spellings(value)) == forms


def test_the_record_with_exactly_this_text_counts_before_another_form_of_it() -> None:
    composed, other = record("object", 1, name="\u00fc"), record("object", 2, name="u\u0308")
    assert hits(OBJECT, {"name": "u\u0308"}, composed, other) == [other.uuid]
    assert hits(OBJECT, {"name": "\u00fc"}, other, composed) == [composed.uuid]
    assert hits(OBJECT, {"name": "\u00fc"}, other) == [other.uuid]


def test_a_key_for_lookups_has_its_parts_without_case_where_the_kind_has_none() -> None:
    def key(schema: Schema, **values: Any) -> Any:
        return natural_keys.key_of(schema, list(values), values, lambda reference: reference.id)

    assert key(ROOM, building_id=HOUSE, number="1") == (5, "1")
    assert key(ROOM, number="A") == "A"
    assert key(ROOM, building_id=HOUSE, number=None) is None
    assert key(PERSON, email="ADA@acme.example") == "ada@acme.example"


def test_a_sign_that_unicode_replaces_by_a_letter_is_found_by_the_letter() -> None:
    # The sign of the unit kelvin.
    assert natural_keys.KeyIndex([("\u212a", "item")]).find("K") == ["item"]


def test_an_item_may_have_its_key_twice() -> None:
    index = natural_keys.KeyIndex([("a", "item"), ("a", "item")])
    assert index.find("a") == ["item"]


def test_a_key_is_described_in_words_as_it_was_written() -> None:
    desired = {"building_id": Reference("location", 5, uuid_of(5), written="Head office"), "number": "1", "name": "x"}
    assert natural_keys.describe(ROOM, ["building_id", "number"], desired) == "building_id 'Head office' and number '1'"


# ---- which of several tasks is meant


OPEN, OPEN_TOO = record("task", 1, status="open"), record("task", 2, status="open")
CLOSED, CLOSED_TOO = record("task", 3, status="closed"), record("task", 4, status="closed")


@pytest.mark.parametrize(
    ("found", "status", "expected"),
    [
        ([], "closed", []),
        ([OPEN], "closed", [OPEN]),
        ([CLOSED], "open", [CLOSED]),
        ([CLOSED, OPEN], None, [OPEN]),
        ([CLOSED, OPEN, CLOSED_TOO], "closed", [OPEN]),
        ([OPEN, CLOSED, OPEN_TOO], "open", [OPEN, OPEN_TOO]),
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


def test_an_open_task_counts_even_if_a_closed_one_is_as_wanted() -> None:
    found = [OPEN, CLOSED]
    assert natural_keys.targets_by_status(TASK, found, "closed", lambda candidate: candidate is CLOSED) == [OPEN]


def test_records_without_a_status_are_all_possible_targets() -> None:
    found = [record("object", 1), record("object", 2)]
    assert natural_keys.targets_by_status(KINDS["object"], found, None, lambda _record: True) == found


def test_a_status_narrows_down_what_is_deleted() -> None:
    found = [record("task", 1, status="open"), record("task", 2, status="closed")]
    assert natural_keys.targets_by_status(TASK, found, "closed", lambda _record: True, absent=True) == [found[1]]
    assert natural_keys.targets_by_status(TASK, found, None, lambda _record: True, absent=True) == found


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
        ("bought", None, False),
        ("price", "much", True),
        ("price", 0, False),
        ("barcode", [], False),
        ("barcode", False, False),
        ("barcode", True, True),
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
