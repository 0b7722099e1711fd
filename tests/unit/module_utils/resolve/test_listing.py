# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters mean the same for every kind, whether or not the service applies them (section 4.8)."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import (
    Invocation,
    run_module,
)
from ansible_collections.community.seventhings.plugins.module_utils.client.query import Condition
from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record
from ansible_collections.community.seventhings.plugins.module_utils.client.transport import Response
from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput, NoMatch
from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import CATALOG_ITEM, KINDS
from ansible_collections.community.seventhings.plugins.module_utils.resolve.field_visibility import (
    hidden_field_message,
)
from ansible_collections.community.seventhings.plugins.module_utils.resolve.listing import (
    ListResult,
    by_label,
    conditions_as_sent,
    list_by_barcode,
    list_records,
    matching_records,
)

from ..support import (
    FakeTransport,
    JsonMap,
    answer,
    client_on,
    definition,
    listing,
    page_of,
    refusal,
    schema_of,
    uuid_of,
)

DEFINITIONS = [
    definition("name"),
    definition("note", "LONG_TEXT"),
    definition("colour", "DROPDOWN"),
    definition("size", "NUMBER"),
    definition("price", "MONEY"),
    definition("weight", "DECIMAL", attributes={"fraction_digits": 2}),
    definition("active", "BOOLEAN"),
    definition("bought", "DATE"),
    definition("seen", "DATETIME"),
    definition("room", "LINKED_ROOM"),
    definition("parts", "LINKED_ASSETS"),
    definition("files", "ATTACHMENT"),
]


def thing(number: int, **flat: Any) -> JsonMap:
    return {"asset_uuid": uuid_of(number), "id": number, **flat}


def service(*records: JsonMap, **more: Any) -> FakeTransport:
    """Return an instance that ignores all filters, so that the client must apply them."""
    return FakeTransport(
        {
            "GET /objects": answer(list(records)),
            "GET /asset-tracking/asset/field-definitions": answer(DEFINITIONS),
            "GET /rooms": listing([{"room_uuid": uuid_of(7), "id": 7, "name": "Workshop"}]),
            "GET /locations": listing([]),
            f"GET /room/{uuid_of(7)}": answer({"room_uuid": uuid_of(7), "id": 7, "name": "Workshop"}),
            f"GET /object/{uuid_of(2)}": answer(thing(2)),
            **more,
        }
    )


def read(
    transport: FakeTransport,
    filters: JsonMap | None = None,
    sort: list[str] | None = None,
    limit: int | None = None,
    kind: str = "object",
    uuid: str | None = None,
) -> ListResult:
    return list_records(client_on(transport), KINDS[kind], uuid, filters or {}, sort or [], limit)


def hits(key: str, operator: str, value: Any, *answered: Any) -> list[Any]:
    """Return the values that a filter matches."""
    records = [thing(number, **{key: raw}) for number, raw in enumerate(answered, 1)]
    found = read(service(*records), {key: {operator: value}})
    return [answered[int(record["id"]) - 1] for record in found.records]


# ---- one value


@pytest.mark.parametrize(
    ("key", "wanted", "same", "other"),
    [
        ("name", "a", ["a"], ["A", "ab", "", None]),
        ("note", "", [""], ["a", None]),
        ("colour", "red", ["red"], ["green", None]),
        ("size", 5, [5, "5", 5.0], [4, 0, None]),
        ("size", 0, [0, "0"], [None, "", 1]),
        ("price", "12.50", [12.5, "12.50", "12.500"], [12.49, None]),
        ("weight", "1.25", [1.25, "1.2451"], [1.2]),
        ("active", True, [True, 1, "1"], [False, 0, None]),
        ("active", False, [False, 0, "0"], [True, None]),
        ("bought", "2024-05-31", ["2024-05-31", "2024-05-31 00:00:00"], ["2024-06-01", None]),
        (
            "seen",
            "2024-05-31T14:30:00+02:00",
            ["2024-05-31 12:30:00", "2024-05-31T12:30:00Z"],
            ["2024-05-31 14:30:00", None],
        ),
        ("seen", "2024-05-31 12:30:00", ["2024-05-31 12:30:00", "2024-05-31T14:30:00+02:00"], ["2024-05-31 12:30:01"]),
        ("room", 7, [7, "7", {"id": 7, "uuid": uuid_of(7)}], [8, 0, None]),
        ("room", "Workshop", [7, {"id": 7}, uuid_of(7)], [8, None]),
        ("room", uuid_of(7), [7, {"id": 7}, uuid_of(7)], [8, None]),
        ("parts", 7, [[7], [8, 7], 7], [[8], [], None]),
        ("files", uuid_of(9), [[{"uuid": uuid_of(9)}], [uuid_of(8), uuid_of(9)]], [[uuid_of(8)], [5], None]),
    ],
)
def test_eq_is_equality_by_type_and_neq_its_opposite(key: str, wanted: Any, same: list[Any], other: list[Any]) -> None:
    assert hits(key, "eq", wanted, *same, *other) == same
    assert hits(key, "neq", wanted, *same, *other) == other


ORDERED: list[tuple[str, Any, list[Any]]] = [
    ("size", 5, [4, 5, 6]),
    ("price", "9.5", ["9.49", "9.50", "10"]),
    ("bought", "2024-05-31", ["2024-05-30", "2024-05-31", "2024-06-01"]),
    ("seen", "2024-05-31T14:30:00+02:00", ["2024-05-31 12:29:59", "2024-05-31 12:30:00", "2024-05-31T12:30:01Z"]),
    ("seen", "2024-05-31 12:30:00", ["2024-05-31T12:30:00+02:00", "2024-05-31 12:30:00", "2024-05-31T12:30:00-02:00"]),
    ("name", "b", ["a", "b", "c"]),
]


@pytest.mark.parametrize(("key", "wanted", "answered"), ORDERED)
@pytest.mark.parametrize(("operator", "positions"), [("gt", [2]), ("gte", [1, 2]), ("lt", [0]), ("lte", [0, 1])])
@pytest.mark.parametrize("or_null", [False, True])
def test_comparisons_are_by_type_and_match_null_only_where_they_say_so(
    key: str, wanted: Any, answered: list[Any], operator: str, positions: list[int], or_null: bool
) -> None:
    found = hits(key, operator + ("_or_null" if or_null else ""), wanted, *answered, None)
    assert found == [*(answered[position] for position in positions), *([None] if or_null else [])]


@pytest.mark.parametrize(("key", "wanted"), [("size", 5), ("price", "9.5"), ("bought", "2024-05-31"), ("name", "a")])
@pytest.mark.parametrize("operator", ["eq", "gt", "gte", "lt", "lte", "lte_or_null", "like"])
def test_a_value_that_can_not_be_read_matches_no_comparison(key: str, wanted: Any, operator: str) -> None:
    assert hits(key, operator, wanted, {"value": wanted}, ["many"]) == []


# ---- several values


@pytest.mark.parametrize(
    ("key", "wanted", "same", "other"),
    [
        ("name", ["a", "b"], ["a", "b"], ["c", None]),
        ("name", "a", ["a"], ["b"]),
        ("size", [5, "6"], [5, "6"], [7, None]),
        ("price", ["1.50", 2], [1.5, "2.00"], [3, None]),
        ("room", ["Workshop", 9], [7, {"id": 9}], [8, None]),
        ("parts", [7, 9], [[7], [8, 9]], [[8], []]),
        ("name", [], [], ["a", None]),
    ],
)
def test_in_is_any_of_the_values_and_nin_none_of_them(key: str, wanted: Any, same: list[Any], other: list[Any]) -> None:
    assert hits(key, "in", wanted, *same, *other) == same
    assert hits(key, "nin", wanted, *same, *other) == other


@pytest.mark.parametrize(
    ("key", "wanted", "same", "other"),
    [
        ("name", "lap", ["my laptop", "lap"], ["Laptop", "la ptop", "", None]),
        ("name", ["Lap", "Scr"], ["Laptop", "Screen"], ["Chair", "laptop", None]),
        ("colour", "re", ["red", "green"], ["blue"]),
        ("size", "5", [15, "50"], [4]),
        ("room", "Work", [{"id": 7, "display_name": "Workshop"}], [{"id": 8, "display_name": "Store"}, None]),
        ("bought", "2024-05", ["2024-05-31"], ["2024-06-01", None]),
        ("name", "", ["a", " "], ["", None]),
        ("size", "N", [], [5, None]),
        ("seen", "31T12", ["2024-05-31 12:30:00"], ["2024-05-30 12:30:00", None]),
    ],
)
def test_like_is_a_part_in_the_same_case_and_not_like_its_opposite(
    key: str, wanted: Any, same: list[Any], other: list[Any]
) -> None:
    assert hits(key, "like", wanted, *same, *other) == same
    assert hits(key, "not_like", wanted, *same, *other) == other


# ---- presence


@pytest.mark.parametrize(
    ("key", "answered", "empty", "null"),
    [
        ("name", ["a", "", None, "0"], ["", None], [None]),
        ("size", [1, 0, None, "0"], [None], [None]),
        ("active", [True, False, None], [None], [None]),
        ("parts", [[7], [], None], [[], None], [None]),
        ("files", [[uuid_of(1)], [], None], [[], None], [None]),
        ("room", [7, None], [None], [None]),
        ("room", [7, 0, "0"], [0, "0"], [0, "0"]),
    ],
)
def test_empty_and_null_are_distinguished_and_zero_is_neither_but_for_a_link(
    key: str, answered: list[Any], empty: list[Any], null: list[Any]
) -> None:
    assert hits(key, "empty", None, *answered) == empty
    assert hits(key, "not_empty", None, *answered) == [
        value for value in answered if value not in empty or value is False
    ]
    assert hits(key, "null", None, *answered) == null
    assert hits(key, "not_null", None, *answered) == [
        value for value in answered if value not in null or value is False
    ]


def test_a_map_may_be_a_value_without_an_operator() -> None:
    records = [thing(1, room=7), thing(2, room=8)]
    assert [record["id"] for record in read(service(*records), {"room": {"name": "Workshop"}}).records] == [1]
    assert read(service(*records), {"room": {"not_null": None}}).count == 2
    for filters, words in (({"name": {"de": "a"}}, "unknown operator"), ({"room": {}}, "an empty map")):
        with pytest.raises(InvalidInput, match=words):
            read(service(*records), filters)


def test_a_field_that_was_not_answered_is_null_and_empty() -> None:
    assert read(service(thing(1), thing(2, name="a")), {"name": {"null": None}}).count == 1
    assert read(service(thing(1), thing(2, name="a")), {"name": {"empty": True}}).count == 1


# ---- several conditions, several kinds


def test_all_conditions_must_hold() -> None:
    records = [thing(number, size=number, name="a" if number % 2 else "b") for number in range(1, 8)]
    found = read(service(*records), {"size": {"gt": 2, "lte": 6}, "name": "a"})
    assert [record["id"] for record in found.records] == [3, 5]


def test_links_of_several_conditions_are_compared_by_their_ids() -> None:
    records = [thing(number, room=7, parts=[number]) for number in (1, 2)]
    found = read(service(*records), {"room": uuid_of(7), "parts": uuid_of(2)})
    assert [record["id"] for record in found.records] == [2]


@pytest.mark.parametrize(("key", "operator"), [("room", "like"), ("parts", "not_like")])
def test_names_of_links_that_the_instance_does_not_show_are_not_searched(key: str, operator: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        hits(key, operator, "Work", 7, None)
    assert caught.value.message == (
        f"{key}.{operator}: this instance shows links without names, so their names can't be searched; name the "
        f"records (eq, in)"
    )
    assert hits(key, "eq", 7, 7, None) == [7]
    assert hits("name", operator, "b", "a") == (["a"] if operator == "not_like" else [])


def test_fields_that_only_records_show_may_be_filtered() -> None:
    places = [{"location_uuid": uuid_of(number), "name": "x", "floor": str(number)} for number in (1, 2)]
    found = read(FakeTransport({"GET /locations": answer(places)}), {"floor": "2"}, kind="location")
    assert [record["uuid"] for record in found.records] == [uuid_of(2)]


@pytest.mark.parametrize(
    ("filters", "number"),
    [
        ({"id": 2}, 2),
        ({"uuid": uuid_of(2)}, 2),
        ({"asset_uuid": uuid_of(1)}, 1),
        ({"created_at": {"gt": "2024-06-01 00:00:00"}}, 2),
    ],
)
def test_keys_of_the_server_may_be_filtered_too(filters: JsonMap, number: int) -> None:
    records = [thing(1, created_at="2024-05-31 10:00:00"), thing(2, created_at="2024-06-01 10:00:00")]
    assert [record["id"] for record in read(service(*records), filters).records] == [number]


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("person", "GET /persons"),
        ("user", "GET /users"),
        ("location", "GET /locations"),
        ("rental_case", None),
        ("task", None),
    ],
)
def test_filters_work_on_kinds_whose_list_accepts_none(kind: str, line: str | None) -> None:
    path = line or f"GET {KINDS[kind].list_path}"
    key = {"person": "email", "user": "email", "location": "city"}.get(kind, "title")
    transport = FakeTransport(
        {
            path: answer([{"uuid": uuid_of(1), key: "Ada"}, {"uuid": uuid_of(2), key: "Bob"}]),
            "GET /asset-tracking/person/field-definitions": answer([definition("email")]),
        }
    )
    found = read(transport, {key: {"like": "Bo"}}, kind=kind)
    assert [record["uuid"] for record in found.records] == [uuid_of(2)]


# ---- what is sent


def sent(
    filters: JsonMap, line: str = "GET /objects", transport: FakeTransport | None = None, kind: str = "object"
) -> Any:
    playing = transport or service()
    read(playing, filters, kind=kind)
    # If nothing is found, a few other records show whether the account sees the fields.
    call = next(call for call in playing.calls if call.line == line)
    return [pair for pair in call.pairs if pair[0] not in ("page", "per_page") and not pair[0].startswith("sort")]


@pytest.mark.parametrize(
    ("filters", "pairs"),
    [
        ({"name": "a"}, [("filter[name][eq]", "a")]),
        ({"name": {"like": ["a", "b"]}}, [("filter[name][like][]", "a"), ("filter[name][like][]", "b")]),
        ({"size": {"gte": "5"}}, [("filter[size][gte]", "5")]),
        ({"bought": dt.date(2024, 5, 31)}, [("filter[bought][eq]", "2024-05-31")]),
        ({"seen": {"lt": "2024-05-31T14:30:00+02:00"}}, [("filter[seen][lt]", "2024-05-31 12:30:00")]),
        ({"room": 7}, [("filter[room][eq]", "7")]),
        ({"room": "Workshop"}, [("filter[room][eq]", "7")]),
        ({"room": uuid_of(9)}, [("filter[room][eq]", uuid_of(9))]),
        ({"Name": "a"}, [("filter[name][eq]", "a")]),
        ({"name": {"empty": None}}, [("filter[name][empty]", "")]),
        ({"active": True}, []),
        ({"parts": {"id": 7}}, []),
        ({"files": {"empty": True}}, []),
    ],
)
def test_what_the_service_can_filter_it_filters(filters: JsonMap, pairs: list[tuple[str, str]]) -> None:
    assert sent(filters) == pairs


@pytest.mark.parametrize(
    ("filters", "pairs"),
    [
        ({"status": "open"}, [("status", "open")]),
        ({"deadline": {"gte": "2024-05-01"}}, [("deadline_from", "2024-05-01")]),
        ({"deadline": {"lte": "2024-05-31"}}, [("deadline_to", "2024-05-31")]),
        ({"deadline": "2024-05-31"}, [("deadline_from", "2024-05-31"), ("deadline_to", "2024-05-31")]),
        ({"assignees": uuid_of(2)}, [("assignee", uuid_of(2))]),
        ({"assignee": uuid_of(2)}, [("assignee", uuid_of(2))]),
        ({"author": uuid_of(2)}, [("author", uuid_of(2))]),
        ({"reference_type": "asset"}, [("reference_type", "asset")]),
        ({"title": "a"}, []),
        ({"status": {"neq": "open"}}, []),
        ({"deadline": {"gt": "2024-05-31"}}, []),
    ],
)
def test_tasks_are_filtered_by_their_own_parameters(filters: JsonMap, pairs: list[tuple[str, str]]) -> None:
    line = "GET /task-management/tasks"
    assert sent(filters, line, FakeTransport({line: answer([])}), "task") == pairs


def test_any_item_of_a_list_may_be_the_wanted_item() -> None:
    tasks = [
        {"uuid": uuid_of(number), "title": "Any", "reminders": [{"unit": "days", "value": value} for value in values]}
        for number, values in enumerate(([1, 2], [3], []), 1)
    ]
    transport = FakeTransport({"GET /task-management/tasks": answer(tasks)})
    found = read(transport, {"reminders": {"eq": {"unit": "days", "value": 2}}}, kind="task")
    assert [record["uuid"] for record in found.records] == [uuid_of(1)]


def test_an_overdue_case_has_another_status_than_before() -> None:
    cases = [
        {"uuid": uuid_of(number), "title": "Fair", "status": status}
        for number, status in enumerate(("borrowed", "return_overdue", "completed"), 1)
    ]
    transport = FakeTransport({"GET /rental-management/rental-cases": answer(cases), "GET /users": listing([])})
    found = read(transport, {"status": "borrowed"}, kind="rental_case")
    assert [record["status"] for record in found.records] == ["borrowed"]


# ---- errors


@pytest.mark.parametrize(
    ("filters", "words"),
    [
        ({"nmae": "a"}, "filters.nmae: no such field in an object; did you mean name"),
        ({"size": ""}, "filters.size.eq: '' does not fit; expected an integer"),
        ({"size": "five"}, "filters.size.eq: 'five' does not fit; expected an integer"),
        ({"size": {"in": [1, "x"]}}, "filters.size.in: 'x' does not fit"),
        ({"bought": {"gt": "31.05.2024"}}, "filters.bought.gt: '31.05.2024' does not fit"),
        ({"seen": "2024-05-31T14:30:00"}, "filters.seen.eq: '2024-05-31T14:30:00' does not fit"),
        ({"name": 5}, "quote it"),
        ({"name": {"eq": {"a": 1}}}, "filters.name.eq: {'a': 1} does not fit; expected text"),
        ({"active": "yes"}, "true or false"),
        ({"name": {"is": "a"}}, "filters.name: unknown operator"),
    ],
)
def test_a_wrong_filter_is_reported_before_any_record_is_read(filters: JsonMap, words: str) -> None:
    transport = service()
    with pytest.raises(InvalidInput) as caught:
        read(transport, filters)
    assert words in caught.value.message
    assert "GET /objects" not in transport.lines


def test_a_reference_in_a_filter_that_is_not_found_is_an_error() -> None:
    with pytest.raises(NoMatch, match="There is no room 'Nowhere'"):
        read(service(), {"room": "Nowhere"})


@pytest.mark.parametrize("sort", [["nmae"], ["-nmae"]])
def test_an_unknown_field_to_sort_by_is_reported(sort: list[str]) -> None:
    with pytest.raises(InvalidInput, match=r"sort\.nmae: no such field"):
        read(service(thing(1)), sort=sort)


# ---- sorting, limit, count


@pytest.mark.parametrize(
    ("key", "ascending"),
    [
        ("name", [None, "A", "B", "a", "b"]),
        ("size", [None, "-1", 0, 2, "10"]),
        ("price", [None, "0.5", 2, "10.25"]),
        ("active", [None, False, True]),
        ("seen", [None, "2024-05-31T12:30:00+02:00", "2024-05-31 12:30:00", "2024-05-31T12:30:00-02:00"]),
        ("room", [0, {"id": 7, "display_name": "B"}, {"id": 9, "display_name": "A"}]),
        ("room", [0, {"id": 9}, {"uuid": uuid_of(5)}]),
        ("seen", [None, "2024-05-31 12:30:00", ["unreadable"]]),
        ("parts", [[], [{"id": 9, "display_name": "A"}], [{"id": 7, "display_name": "B"}]]),
    ],
)
def test_sorting_is_by_type_with_nothing_first(key: str, ascending: list[Any]) -> None:
    records = [thing(number, **{key: raw}) for number, raw in enumerate(ascending)]
    shuffled = records[1::2] + records[::2]
    found = read(service(*shuffled), sort=[key])
    assert [record["id"] for record in found.records] == list(range(len(ascending)))
    found = read(service(*shuffled), sort=[f"-{key}"])
    assert [record["id"] for record in found.records] == list(reversed(range(len(ascending))))


def test_fields_sort_in_sequence_and_equal_records_keep_their_order() -> None:
    records = [
        thing(1, name="b", size=1),
        thing(2, name="a", size=1),
        thing(3, name="a", size=2),
        thing(4, name="a", size=2),
    ]
    found = read(service(*records), sort=["name", "-size"])
    assert [record["id"] for record in found.records] == [3, 4, 2, 1]


@pytest.mark.parametrize(("limit", "shown"), [(None, 3), (0, 0), (2, 2), (3, 3), (9, 3)])
def test_the_limit_cuts_the_records_and_the_count_is_that_before(limit: int | None, shown: int) -> None:
    records = [thing(number, size=number) for number in range(1, 6)]
    found = read(service(*records), {"size": {"gt": 2}}, ["-size"], limit)
    assert (len(found.records), found.count) == (shown, 3)
    assert [record["id"] for record in found.records] == [5, 4, 3][:shown]


SIZES = [thing(number, size=size) for number, size in ((1, 5), (2, 9), (3, 7), (4, None))]


def requests_of(transport: FakeTransport) -> list[JsonMap]:
    """Return the queries of the requests for objects."""
    return [dict(call.pairs) for call in transport.calls if call.line == "GET /objects"]


@pytest.mark.parametrize(
    ("sort", "limit", "ids", "query"),
    [
        ("-size", 2, [2, 3], {"sort[size]": "DESC", "sort[id]": "ASC"}),
        ("-size", 1, [2], {"sort[size]": "DESC", "sort[id]": "ASC"}),
        ("-id", 1000, [4, 3, 2, 1], {"sort[id]": "DESC"}),
        ("id", 2, [1, 2], {"sort[id]": "ASC"}),
    ],
)
def test_the_first_records_in_an_order_of_numbers_take_one_request(
    sort: str, limit: int, ids: list[int], query: JsonMap
) -> None:
    page = page_of([SIZES[number - 1] for number in ids], total=4)
    transport = service(**{"GET /objects": page})
    found = read(transport, sort=[sort], limit=limit)
    assert ([record["id"] for record in found.records], found.count) == (ids, 4)
    assert requests_of(transport) == [{"page": "1", "per_page": str(limit), **query}]


@pytest.mark.parametrize(
    ("sort", "limit"), [(["size"], 2), (["-name"], 2), (["-size"], 0), (["-size"], 1001), (["-size", "id"], 2), ([], 2)]
)
def test_the_whole_list_is_read_where_the_service_may_have_another_order(sort: list[str], limit: int) -> None:
    transport = service(**{"GET /objects": listing(SIZES)})
    assert len(read(transport, sort=sort, limit=limit).records) == min(limit, 4)
    assert all("sort[size]" not in query and "sort[name]" not in query for query in requests_of(transport))
    assert {query["per_page"] for query in requests_of(transport)} == {"1000"}


@pytest.mark.parametrize(
    "first",
    [
        page_of([SIZES[1], SIZES[2]]),
        page_of([SIZES[2], SIZES[1]], total=4),
        page_of([SIZES[1]], total=4),
        page_of([SIZES[1], {**SIZES[2], "archived_at": "2024-01-01T00:00:00Z"}], total=4),
    ],
    ids=["no total", "another order", "too few", "archived"],
)
def test_the_whole_list_is_read_where_the_first_records_are_doubtful(first: Any) -> None:
    whole = listing(SIZES)
    transport = service(**{"GET /objects": lambda call: first if dict(call.pairs)["per_page"] == "2" else whole(call)})
    found = read(transport, sort=["-size"], limit=2)
    assert ([record["id"] for record in found.records], found.count) == ([2, 3], 4)


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(InvalidInput, match="limit: -1"):
        read(service(), limit=-1)


# ---- one record, and its shape


@pytest.mark.parametrize("uuid", ["x", "../users", "5", ""])
def test_what_is_no_uuid_does_not_get_into_a_path(uuid: str) -> None:
    with pytest.raises(InvalidInput, match="not in uuid form"):
        read(service(), uuid=uuid)


@pytest.mark.parametrize("uuid", [None, uuid_of(1)])
def test_records_have_their_normalised_shape_and_a_uuid(uuid: str | None) -> None:
    one = thing(1, size="5", room=7, price="12.50", other="x")
    transport = service(one, **{f"GET /object/{uuid_of(1)}": answer(one)})
    (found,) = read(transport, uuid=uuid).records
    assert ("GET /objects" in transport.lines) is (uuid is None)
    assert found["uuid"] == uuid_of(1)
    assert (found["size"], found["price"], found["other"]) == (5, 12.5, "x")
    assert found["room"] == {"id": 7, "uuid": None, "display_name": None}


def labelled(definitions: list[JsonMap], record: JsonMap) -> JsonMap:
    """Return the result of ``object_info`` with ``keys: label`` on an instance with some more fields."""
    options: JsonMap = {"uuid": None, "filters": {}, "sort": [], "limit": None, "keys": "label"}
    answers = {"GET /asset-tracking/asset/field-definitions": answer([*DEFINITIONS, *definitions])}
    transport = service(record, **answers)
    return run_module("object_info", Invocation(options, options, False), lambda *_given: client_on(transport))


def test_labels_replace_generated_keys_alone() -> None:
    definitions = [definition("invoice_b0eb3192", label="Invoice"), definition("custom_4", label="Serial number")]
    result = labelled(definitions, thing(1, name="a", invoice_b0eb3192="R1", custom_4="S1"))
    (record,) = result["records"]
    assert (record["Invoice"], record["Serial number"], record["name"]) == ("R1", "S1", "a")
    assert not {"invoice_b0eb3192", "custom_4", "Name"} & set(record)
    assert "warnings" not in result


def test_a_label_that_names_two_things_replaces_no_key() -> None:
    definitions = [
        *(definition(key, label="Cost") for key in ("a_b0eb3192", "custom_4")),
        definition("custom_5", label="id"),
        definition("custom_6", label="Name"),
    ]
    result = labelled(definitions, thing(1, name="a", a_b0eb3192="1", custom_4="2", custom_5="3", custom_6="4"))
    (record,) = result["records"]
    assert [record[key] for key in ("a_b0eb3192", "custom_4", "custom_5", "custom_6", "id")] == ["1", "2", "3", "4", 1]
    assert result["warnings"] == [
        f"keys: {key} keeps its key, because another field or key is called {label!r}, too"
        for key, label in (("a_b0eb3192", "Cost"), ("custom_4", "Cost"), ("custom_5", "id"), ("custom_6", "Name"))
    ]


# ---- by barcode, and among given records


def by_barcode(barcode: Any, *records: JsonMap, **more: Any) -> ListResult:
    definitions = {"GET /asset-tracking/asset/field-definitions": answer([*DEFINITIONS, definition("barcode")])}
    return list_by_barcode(client_on(service(*records, **definitions, **more)), KINDS["object"], barcode)


def test_a_record_is_found_by_its_barcode_though_no_list_shows_it() -> None:
    found = by_barcode("100001", **{"GET /object/by-barcode/100001": answer(thing(1, barcode="100001", size="5"))})
    assert (found.count, found.complete) == (1, True)
    assert (found.records[0]["uuid"], found.records[0]["size"]) == (uuid_of(1), 5)


def test_without_a_look_up_of_barcodes_the_list_is_read() -> None:
    records = [thing(1, barcode="100001"), thing(2, barcode="100002"), thing(3, barcode="1000")]
    missing = {"GET /object/by-barcode/100002": refusal(404), "GET /object/by-barcode/9": refusal(404)}
    found = by_barcode("100002", *records, **missing)
    assert ([record["uuid"] for record in found.records], found.count) == ([uuid_of(2)], 1)
    assert by_barcode("9", *records, **missing) == ListResult([], 0)


@pytest.mark.parametrize("barcode", ["", 100001, None, ["100001"]])
def test_a_barcode_that_is_no_text_is_refused(barcode: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        by_barcode(barcode)
    shown = "empty" if barcode is None else repr(barcode)
    assert caught.value.message.startswith(f"barcode: {shown} does not fit; expected text")


def among(filters: JsonMap, *records: JsonMap) -> list[str]:
    transport = service()
    client = client_on(transport)
    schema = client.schema(KINDS["object"])
    listed = [Record(KINDS["object"], raw["asset_uuid"], raw["id"], raw) for raw in records]
    return [record.uuid for record in matching_records(client, schema, filters, listed, "exclude")]


def test_given_records_are_filtered_without_their_list() -> None:
    records = [thing(1, size=5, room=7), thing(2, size=6, room=7), thing(3, size=6, room={"id": 8})]
    assert among({}, *records) == [uuid_of(1), uuid_of(2), uuid_of(3)]
    assert among({"size": 6}, *records) == [uuid_of(2), uuid_of(3)]
    assert among({"size": {"gt": 5}, "room": "Workshop"}, *records) == [uuid_of(2)]
    assert among({"room": {"in": ["Workshop"]}}, *records) == [uuid_of(1), uuid_of(2)]


def test_a_wrong_filter_of_given_records_is_reported_with_its_option() -> None:
    with pytest.raises(InvalidInput, match=r"exclude\.size\.eq: 'much' does not fit"):
        among({"size": "much"}, thing(1, size=5))


def test_given_records_are_not_filtered_by_a_hidden_field() -> None:
    shown = {known["field_key"]: None for known in DEFINITIONS if known["field_key"] != "size"}
    with pytest.raises(InvalidInput, match=r"^exclude\.size: "):
        among({"size": 6}, thing(1, **shown))


class Withholding(FakeTransport):
    """An instance that leaves out empty fields. It finds a record by a hidden size."""

    def request(self, method: str, path: str, **order: Any) -> Response:
        found = {("filter[size][gt]", "0"): [thing(1, name="a")], ("filter[size][lte]", "0"): [thing(2, name="b")]}
        for pair, records in found.items():
            if pair in order.get("pairs", ()):
                return page_of(records)
        return super().request(method, path, **order)


@pytest.mark.parametrize("records", [[], [thing(1, name="a"), thing(2, name="b")]])
def test_a_filter_by_a_field_that_only_the_service_sees_is_refused(records: list[JsonMap]) -> None:
    templates = ("asset", "room", "person")
    routes = {f"GET /asset-tracking/{name}/field-definitions": answer(DEFINITIONS) for name in templates}
    transport = Withholding({**routes, "GET /objects": answer(records)})
    transport.samples["/objects"] = [thing(1, name="a"), thing(2, name="b")]
    with pytest.raises(InvalidInput) as caught:
        read(transport, {"size": {"in": [6]}})
    assert caught.value.message == f"filters.size: {hidden_field_message('size')}"


def test_objects_show_which_fields_of_catalog_items_are_hidden() -> None:
    shown = {known["field_key"]: None for known in DEFINITIONS if known["field_key"] != "size"}
    transport = service()
    transport.routes["GET /catalog-items"] = answer([{"uuid": uuid_of(1), "fields": {"catalog_object_name": "a"}}])
    transport.samples["/objects"] = [thing(1, **shown)]
    assert read(transport, {"name": "a"}, kind="catalog_item").count == 1
    with pytest.raises(InvalidInput, match=r"^filters\.size: "):
        read(transport, {"size": 5}, kind="catalog_item")


def test_without_filters_no_other_records_are_read() -> None:
    transport = service()
    assert read(transport).count == 0
    assert transport.lines.count("GET /objects") == 1


@pytest.mark.parametrize(("count", "complete"), [(0, True), (19, True), (20, False)])
def test_a_list_of_the_newest_only_says_whether_it_is_complete(count: int, complete: bool) -> None:
    files = [{"uuid": uuid_of(number), "name": "a"} for number in range(count)]
    assert read(FakeTransport({"GET /files": answer(files)}), kind="file").complete is complete


def test_field_definitions_are_those_of_their_template() -> None:
    one = definition("name")
    transport = FakeTransport(
        {
            "GET /asset-tracking/asset/field-definitions": answer(
                [one, definition("note"), {"uuid": uuid_of(2), "label": "Odd"}]
            ),
            f"GET /asset-tracking/asset/field-definition/{uuid_of(1)}": answer({**one, "uuid": uuid_of(1)}),
        }
    )
    client, kind = client_on(transport), KINDS["field_definition"]
    assert list_records(client, kind, None, {}, [], None, "asset").count == 3
    assert transport.warnings == ["1 field definition without field_key or field_type: the fields are unknown."]
    assert list_records(client, kind, uuid_of(1), {}, [], None, "asset").records[0]["uuid"] == uuid_of(1)
    assert len(transport.warnings) == 1


def test_offers_have_no_uuid() -> None:
    transport = FakeTransport({"GET /circularity-hub/items": answer([{"id": 1, "price": 5}])})
    (found,) = read(transport, kind="hub_item").records
    assert (found["id"], "uuid" in found) == (1, False)


CASE = {"uuid": uuid_of(3), "title": "Fair", "responsible_user_uuid": uuid_of(4)}
NAMED = {"id": 9, "uuid": uuid_of(4), "email": "ada@acme.example", "display_name": "Ada Lovelace"}


@pytest.mark.parametrize("limit", [None, 1])
def test_a_rental_case_names_who_is_responsible(limit: int | None) -> None:
    transport = FakeTransport({"GET /rental-management/rental-cases": listing([CASE]), "GET /users": listing([NAMED])})
    (found,) = read(transport, kind="rental_case", limit=limit).records
    assert found["responsible_user"] == NAMED


@pytest.mark.parametrize("sort", [[], ["-issue_date"]])
def test_a_rental_case_is_shown_to_an_account_that_may_not_list_users(sort: list[str]) -> None:
    transport = FakeTransport({"GET /rental-management/rental-cases": listing([CASE]), "GET /users": refusal(403)})
    (found,) = read(transport, kind="rental_case", sort=sort, limit=1).records
    assert found["responsible_user"] == {"id": None, "uuid": uuid_of(4), "email": None, "display_name": None}
    assert transport.warnings == [
        "This account may not list users, so responsible_user of rental cases has no name and no e-mail address."
    ]


def test_no_users_are_read_if_a_rental_case_shows_only_the_id_of_its_user() -> None:
    cases = [{**CASE, "responsible_user_uuid": {"id": 9}}]
    transport = FakeTransport({"GET /rental-management/rental-cases": listing(cases)})
    (found,) = read(transport, kind="rental_case").records
    assert found["responsible_user"]["id"] == 9


@pytest.mark.parametrize(
    ("wanted", "shown"), [("Love", [1, 3]), ("plain", []), ("9", [4]), (uuid_of(4), [5]), ("None", [])]
)
def test_a_renter_is_searched_by_name(wanted: str, shown: list[int]) -> None:
    renters = [
        {"type": "plain", "value": "Ada Lovelace"},
        {"type": "plain", "value": "Grace"},
        {"type": "user", "value": NAMED},
        {"type": "user", "value": {"id": 9}},
        {"type": "user", "value": {"uuid": uuid_of(4)}},
        None,
    ]
    cases = [{"uuid": uuid_of(number), "title": "Fair", "renter": renter} for number, renter in enumerate(renters, 1)]
    transport = FakeTransport({"GET /rental-management/rental-cases": listing(cases), "GET /users": listing([])})
    found = read(transport, {"renter": {"like": wanted}}, kind="rental_case").records
    assert [record["uuid"] for record in found] == [uuid_of(number) for number in shown]


@pytest.fixture
def tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run the test in a time zone far from UTC."""
    with monkeypatch.context() as changed:
        changed.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("tokyo")
def test_conditions_are_sent_as_the_service_writes_values_and_links_are_left_out() -> None:
    client = client_on(service())
    schema = client.schema(KINDS["object"])
    dates = {"bought": "2024-05-31", "seen": {"gt": "2024-05-31T14:30:00+02:00"}}
    sent, are_all = conditions_as_sent(client, schema, dates)
    assert sent == [Condition("bought", "eq", ("2024-05-31",)), Condition("seen", "gt", ("2024-05-31 12:30:00",))]
    assert are_all
    assert conditions_as_sent(client, schema, {"room": 7, "size": "5"}) == ([Condition("size", "eq", (5,))], False)
    for filters, problem in (({"nmae": 1}, "filters.nmae: "), ({"size": "much"}, "filters.size.eq: ")):
        with pytest.raises(InvalidInput) as caught:
            conditions_as_sent(client, schema, filters)
        assert caught.value.message.startswith(problem)


def test_users_in_filters_are_looked_up_before_they_are_sent() -> None:
    client = client_on(FakeTransport({"GET /users": listing([NAMED])}))
    sent, are_all = conditions_as_sent(
        client, client.schema(KINDS["rental_case"]), {"responsible_user": NAMED["email"]}
    )
    (condition,) = sent
    assert (condition.field, [user.uuid for user in condition.values], are_all) == (
        "responsible_user_uuid",
        [uuid_of(4)],
        True,
    )


def test_a_label_that_is_a_key_too_replaces_none() -> None:
    labels = {"x_0a1b2c3d": "id", "y_0a1b2c3d": "extra", "z_0a1b2c3d": "Fine"}
    schema = schema_of("object", *(Field(key, "TEXT", label) for key, label in labels.items()))
    renamed, warnings = by_label(schema, [{"x_0a1b2c3d": 1, "y_0a1b2c3d": 2, "extra": 3, "z_0a1b2c3d": 4}])
    assert renamed == [{"x_0a1b2c3d": 1, "y_0a1b2c3d": 2, "extra": 3, "Fine": 4}]
    assert warnings == [
        f"keys: {key} keeps its key, because another field or key is called {label!r}, too"
        for key, label in list(labels.items())[:2]
    ]


def test_an_instance_without_lookups_by_barcode_is_asked_for_the_barcode_in_its_list() -> None:
    fields = answer([definition("barcode", "BARCODE")])
    things = [thing(1, barcode="0001"), thing(2, barcode="0002")]
    transport = service(**{"GET /objects": listing(things), "GET /asset-tracking/asset/field-definitions": fields})
    found = list_by_barcode(client_on(transport), KINDS["object"], "0002")
    assert [record["id"] for record in found.records] == [2]
    [query] = requests_of(transport)
    assert {name: value for name, value in query.items() if name.startswith("filter")} == {
        "filter[barcode][eq]": "0002"
    }


@pytest.mark.parametrize(
    ("operator", "wanted", "sent"),
    [
        ("eq", "\u00fc", Condition("name", "in", ("\u00fc", "u\u0308"))),
        ("neq", "\u00fc", Condition("name", "nin", ("\u00fc", "u\u0308"))),
        ("in", ["\u00fc", "a"], Condition("name", "in", ("\u00fc", "u\u0308", "a"))),
        ("eq", "u", Condition("name", "eq", ("u",))),
    ],
)
def test_a_text_is_sent_in_all_forms_of_unicode(operator: str, wanted: Any, sent: Condition) -> None:
    client = client_on(service())
    found, _are_all = conditions_as_sent(client, client.schema(KINDS["object"]), {"name": {operator: wanted}})
    assert found == [sent]


def test_numbers_come_before_texts() -> None:
    things = [
        thing(1, seen="later"),
        thing(2, seen="2024-01-01T00:00:00Z"),
        thing(3),
        thing(4, size="many"),
        thing(5, size=4),
    ]
    assert [record["id"] for record in read(service(*things), sort=["seen"]).records][-2:] == [2, 1]
    assert [record["id"] for record in read(service(*things), sort=["size"]).records][-2:] == [5, 4]


def test_a_problem_with_a_filter_names_its_option_and_operator() -> None:
    client = client_on(service(thing(1, name="a")))
    schema = client.schema(KINDS["object"])
    for wanted, begin in (({"nmae": "a"}, "match.nmae: "), ({"name": {"equals": "a"}}, "match.name")):
        with pytest.raises(InvalidInput) as caught:
            matching_records(client, schema, wanted, [], "match")
        assert caught.value.message.startswith(begin)
    with pytest.raises(InvalidInput, match=r"^filters\.nmae: "):
        matching_records(client, schema, {"nmae": "a"}, [])
    with pytest.raises(NoMatch, match=r"^filters\.room\.eq: "):
        matching_records(client, schema, {"room": "Nowhere"}, [])


def test_a_field_is_sent_by_its_key_if_it_was_written_by_its_label() -> None:
    fields = answer([definition("name", label="Name of the thing")])
    client = client_on(service(**{"GET /asset-tracking/asset/field-definitions": fields}))
    found, _are_all = conditions_as_sent(client, client.schema(KINDS["object"]), {"Name of the thing": "\u00fc"})
    assert [condition.field for condition in found] == ["name"]


def test_fields_that_only_records_have_may_be_filtered_in_given_records() -> None:
    places = [{"location_uuid": uuid_of(1), "id": 1, "name": "North", "floors": "five"}]
    client = client_on(service(**{"GET /locations": listing(places)}))
    records = client.list_all(KINDS["location"])
    assert matching_records(client, client.schema(KINDS["location"]), {"floors": "five"}, records) == records


def test_a_field_that_no_given_record_has_is_looked_up_before_it_is_filtered() -> None:
    client = client_on(service(thing(1, name="a", size=5)))
    schema = client.schema(KINDS["object"])
    assert matching_records(client, schema, {"size": 5}, [Record.from_flat(KINDS["object"], thing(2, name="b"))]) == []


def test_a_field_that_no_given_catalog_item_has_is_looked_up_in_objects() -> None:
    transport = service()
    # An empty note shows that missing fields are hidden, here the name of the object. The item has one.
    transport.samples["/objects"] = [thing(1, size=5, note=None)]
    client = client_on(transport)
    items = [Record.from_flat(CATALOG_ITEM, {"uuid": uuid_of(7), "id": 7, "catalog_object_name": "b"})]
    assert matching_records(client, client.schema(CATALOG_ITEM), {"name": "b", "size": 5}, items) == []


def test_a_record_that_does_not_exist_is_an_empty_result() -> None:
    missing = uuid_of(9)
    found = read(service(**{f"GET /object/{missing}": refusal(404)}), uuid=missing)
    assert (found.records, found.count) == ([], 0)


def test_a_filtered_list_says_what_the_account_sees() -> None:
    assert read(service(thing(1, name="a")), {"name": "a"}).visibility is not None
    assert read(service(thing(1, name="a"))).visibility is not None
