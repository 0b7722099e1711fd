# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations on kinds of records: complete lists with any paging, and single records in every shape."""

from __future__ import annotations

import datetime as dt
import itertools
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client, Record
from ansible_collections.community.seventhings.plugins.module_utils.client.query import Condition
from ansible_collections.community.seventhings.plugins.module_utils.client.transport import Effect
from ansible_collections.community.seventhings.plugins.module_utils.errors import (
    IncompleteList,
    InternalError,
    InvalidRequest,
    NotFound,
    OutcomeUnknown,
    SeventhingsError,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS

from ..support import (
    FakeTransport,
    Invocation,
    JsonMap,
    answer,
    client_on,
    definition,
    listing,
    lost,
    page_of,
    refusal,
    uuid_of,
)

LISTS = {
    "object": "GET /objects",
    "location": "GET /locations",
    "room": "GET /rooms",
    "person": "GET /persons",
    "user": "GET /users",
    "rental_case": "GET /rental-management/rental-cases",
    "hub_item": "GET /circularity-hub/items",
    "hub_order": "GET /circularity-hub/orders",
    "task": "GET /task-management/tasks",
    "file": "GET /files",
}
OBJECTS = LISTS["object"]


def objects(*numbers: int) -> list[JsonMap]:
    """Return records with the members that every kind requires."""
    return [
        {
            "asset_uuid": uuid_of(number),
            "uuid": uuid_of(number),
            "id": number,
            "barcode": f"{number:04d}",
            "title": "Any",
        }
        for number in numbers
    ]


def listed(transport: FakeTransport, *conditions: Condition, kind: str = "object", **options: Any) -> list[int | None]:
    return [record.id for record in client_on(transport).list_all(KINDS[kind], conditions, **options)]


def pages(transport: FakeTransport) -> list[str | None]:
    return [dict(call.pairs).get("page") for call in transport.calls]


# ---- where lists end


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("empty", [answer([]), answer({"items": []}), page_of([], total=0)])
def test_an_empty_list_has_many_forms(kind: str, empty: Any) -> None:
    transport = FakeTransport({LISTS[kind]: [empty]})
    assert listed(transport, kind=kind) == []


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("wrapped", [True, False])
def test_a_list_is_a_bare_array_or_an_envelope(kind: str, wrapped: bool) -> None:
    items = [{"uuid": uuid_of(number), "id": number, "title": "Any"} for number in (1, 2)]
    transport = FakeTransport({LISTS[kind]: page_of(items) if wrapped else answer(items)})
    assert listed(transport, kind=kind) == [1, 2]


@pytest.mark.parametrize(
    "body", ["text", 5, {"items": 5}, {"items": ["a"]}, ["a"], {"data": []}, {}, {"items": None}, None]
)
def test_what_is_no_list_of_records_is_an_error_and_not_an_empty_list(body: Any) -> None:
    with pytest.raises(SeventhingsError, match="expected a list"):
        listed(FakeTransport({OBJECTS: answer(body)}))


def test_a_list_ends_where_the_total_is_reached() -> None:
    transport = FakeTransport({OBJECTS: listing(objects(*range(1, 2501)))})
    assert len(listed(transport)) == 2500
    assert sorted(map(str, pages(transport))) == ["1", "2", "3"]


def test_pages_are_prefetched_if_the_total_is_reported() -> None:
    """The service answers pages 2 and 3 together or not at all."""
    together = threading.Barrier(2)
    play = listing(objects(*range(1, 3500)))

    def answered_together(call: Invocation) -> Any:
        if dict(call.pairs)["page"] in ("2", "3"):
            together.wait(10)
        return play(call)

    transport = FakeTransport({OBJECTS: answered_together})
    assert listed(transport) == list(range(1, 3500))
    assert sorted(map(str, pages(transport))) == ["1", "2", "3", "4"]


def test_a_full_last_page_ends_without_another_request_where_the_total_is_reported() -> None:
    transport = FakeTransport({OBJECTS: listing(objects(*range(1, 2001)))})
    assert len(listed(transport)) == 2000
    assert pages(transport) == ["1", "2"]


@pytest.mark.parametrize("count", [1501, 2000])
def test_without_a_total_an_empty_page_ends_a_list(count: int) -> None:
    transport = FakeTransport({OBJECTS: listing(objects(*range(1, count + 1)), has_total=False)})
    assert len(listed(transport)) == count
    assert pages(transport) == ["1", "2", "3"]


def test_a_page_beyond_the_end_that_is_clamped_to_the_last_one_ends_the_list() -> None:
    def clamped(call: Invocation) -> Any:
        number = min(int(dict(call.pairs)["page"]), 2)
        return page_of(objects(*range(1, 2001))[1000 * (number - 1) : 1000 * number], page=number, per_page=1000)

    transport = FakeTransport({OBJECTS: clamped})
    assert len(listed(transport)) == 2000
    assert pages(transport) == ["1", "2", "3"]


def test_a_page_that_repeats_the_records_of_an_earlier_one_ends_the_list() -> None:
    transport = FakeTransport({OBJECTS: lambda _call: answer(objects(*range(1, 1001)))})
    assert len(listed(transport)) == 1000
    assert pages(transport) == ["1", "2"]


def test_a_record_that_moved_to_the_next_page_is_listed_once() -> None:
    first, second = objects(*range(1, 1001)), objects(1000, 1001)
    transport = FakeTransport({OBJECTS: [answer(first), answer(second), answer([])]})
    found = listed(transport)
    assert found == list(range(1, 1002))


@pytest.mark.parametrize("wrong", [3, 1])
def test_a_list_that_does_not_add_up_is_read_again(wrong: int) -> None:
    totals = [wrong, wrong, 2] if wrong == 3 else [wrong, 2]

    def play(call: Invocation) -> Any:
        return page_of(objects(1, 2) if dict(call.pairs)["page"] == "1" else [], total=totals.pop(0))

    assert listed(FakeTransport({OBJECTS: play})) == [1, 2]
    assert totals == []


@pytest.mark.parametrize("total", [1, 3, 100])
def test_a_list_that_never_adds_up_is_an_error_and_decides_nothing(total: int) -> None:
    transport = FakeTransport(
        {OBJECTS: lambda call: page_of(objects(1, 2) if dict(call.pairs)["page"] == "1" else [], total=total)}
    )
    with pytest.raises(IncompleteList, match=f"{total}, and its pages have 2 different records.*Nothing is decided"):
        listed(transport)
    assert pages(transport).count("1") == 3


def test_a_total_that_gets_smaller_while_reading_has_the_list_read_again() -> None:
    # A record of the first page was deleted, so the first record of the second page moved and is on neither page.
    answers = [
        page_of(objects(*range(1, 1001)), total=1002),
        page_of(objects(1002), total=1001),
        page_of([], total=1001),
        page_of(objects(*range(2, 1002)), total=1001),
        page_of(objects(1002), total=1001),
    ]
    transport = FakeTransport({OBJECTS: answers})
    assert listed(transport) == list(range(2, 1003))


def test_a_total_that_grows_while_reading_counts_as_it_was_last() -> None:
    transport = FakeTransport(
        {OBJECTS: [page_of(objects(*range(1, 1001)), total=1001), page_of(objects(1001, 1002), total=1002)]}
    )
    assert len(listed(transport)) == 1002


@pytest.mark.parametrize(
    "kind", ["object", "location", "room", "person", "user", "rental_case", "hub_item", "hub_order"]
)
def test_pages_are_of_1000_in_an_order_by_a_key_that_no_two_records_share(kind: str) -> None:
    transport = FakeTransport({LISTS[kind]: answer([])})
    listed(transport, kind=kind)
    pairs = dict(transport.calls[0].pairs)
    assert pairs["per_page"] == "1000"
    assert {"sort[id]", "sort[uuid]", "sort_by"} & set(pairs)


def test_persons_are_sorted_in_both_forms_and_users_in_their_own() -> None:
    transport = FakeTransport({LISTS["person"]: answer([]), LISTS["user"]: answer([])})
    listed(transport, kind="person")
    listed(transport, kind="user")
    persons, users = (dict(call.pairs) for call in transport.calls)
    assert {"sort_by", "order", "sort[id]"} <= set(persons)
    assert {"sort_by", "order"} <= set(users)
    assert not any(name.startswith("sort[") for name in users)


@pytest.mark.parametrize("kind", ["task", "file"])
def test_a_list_without_pages_is_read_once_without_paging(kind: str) -> None:
    transport = FakeTransport({LISTS[kind]: [answer(objects(1))]})
    listed(transport, kind=kind)
    assert transport.calls[0].pairs == ()


# ---- filters


def test_conditions_narrow_the_list_on_the_service() -> None:
    transport = FakeTransport({OBJECTS: listing(objects(1, 2, 3))})
    assert listed(transport, Condition("barcode", "eq", ("0002",))) == [2]
    assert ("filter[barcode][eq]", "0002") in transport.calls[0].pairs


@pytest.mark.parametrize("kind", ["person", "user", "task", "file"])
def test_conditions_are_not_sent_to_a_list_that_accepts_none(kind: str) -> None:
    transport = FakeTransport({LISTS[kind]: answer([])})
    listed(transport, Condition("email", "eq", ("x",)), kind=kind)
    assert not [name for name, _value in transport.calls[0].pairs if name.startswith("filter")]


@pytest.mark.parametrize("status", [400, 500, 422])
def test_where_a_filter_is_refused_the_whole_list_is_read(status: int) -> None:
    def play(call: Invocation) -> Any:
        refuses = any(name.startswith("filter") for name, _value in call.pairs)
        return refusal(status) if refuses else page_of(objects(1, 2), total=2)

    transport = FakeTransport({OBJECTS: play})
    assert listed(transport, Condition("barcode", "eq", ("0002",))) == [1, 2]
    assert len(transport.calls) == 2


@pytest.mark.parametrize(("status", "kind"), [(400, InvalidRequest), (500, InternalError)])
def test_a_whole_list_that_is_refused_is_an_error(status: int, kind: type[Exception]) -> None:
    transport = FakeTransport({OBJECTS: lambda _call: refusal(status)})
    with pytest.raises(kind):
        listed(transport)
    assert len(transport.calls) == 1


@pytest.mark.parametrize("status", [401, 403, 404, 502, 503])
def test_another_refusal_of_a_filtered_list_is_not_taken_for_a_bad_filter(status: int) -> None:
    transport = FakeTransport(
        {OBJECTS: lambda _call: refusal(status), "POST /auth_token": lambda _call: refusal(status)}
    )
    with pytest.raises(SeventhingsError):
        listed(transport, Condition("barcode", "eq", ("0002",)))
    assert transport.count(OBJECTS) == 1


def test_a_long_list_of_values_is_requested_in_parts_and_joined() -> None:
    transport = FakeTransport({OBJECTS: listing(objects(*range(1, 1201)))})
    wanted = tuple(f"{number:04d}" for number in range(1, 1201))
    assert sorted(number or 0 for number in listed(transport, Condition("barcode", "in", wanted))) == list(
        range(1, 1201)
    )
    assert len(transport.calls) > 1


def test_conditions_that_fit_into_no_url_are_not_sent() -> None:
    transport = FakeTransport({OBJECTS: listing(objects(1, 2))})
    assert listed(transport, Condition("barcode", "eq", ("x" * 7000,))) == [1, 2]


# ---- the list of tasks is cut at 10,000


class Tasks:
    """A service that lists at most 10,000 tasks and honours status and range of deadlines."""

    def __init__(self, tasks: Sequence[Mapping[str, Any]]) -> None:
        self.tasks = tasks

    def __call__(self, call: Invocation) -> Any:
        parameters = dict(call.pairs)
        found = [
            task
            for task in self.tasks
            if parameters.get("status", task["status"]) == task["status"]
            and parameters.get("deadline_from", "") <= task["deadline"] <= parameters.get("deadline_to", "9999")
        ]
        return answer(found[:10_000])


def tasks(count: int, days: int, status: str = "open", start: int = 0) -> list[JsonMap]:
    first = dt.date(2024, 1, 1)
    return [
        {
            "uuid": uuid_of(start + number),
            "title": "Any",
            "status": status,
            "deadline": (first + dt.timedelta(days=number % days)).isoformat(),
        }
        for number in range(count)
    ]


def found_tasks(service: Tasks, **parameters: str) -> list[str]:
    transport = FakeTransport({LISTS["task"]: service})
    return [record.uuid for record in client_on(transport).list_all(KINDS["task"], parameters=parameters)]


def test_fewer_tasks_than_the_cap_take_one_request() -> None:
    transport = FakeTransport({LISTS["task"]: Tasks(tasks(9_999, 10))})
    assert len(listed(transport, kind="task")) == 9_999
    assert len(transport.calls) == 1


def test_a_list_at_the_cap_is_split_by_status() -> None:
    many = tasks(6_000, 10) + tasks(6_000, 10, "closed", 6_000)
    assert set(found_tasks(Tasks(many))) == {task["uuid"] for task in many}


def test_a_status_at_the_cap_is_split_by_deadline() -> None:
    many = tasks(12_000, 30)
    found = found_tasks(Tasks(many))
    assert set(found) == {task["uuid"] for task in many}
    assert len(found) == len(many)


def test_a_status_that_was_asked_for_is_kept_when_it_is_split() -> None:
    many = tasks(10_500, 3) + tasks(10_500, 3, "closed", 10_500)
    found = found_tasks(Tasks(many), status="closed")
    assert set(found) == {task["uuid"] for task in many if task["status"] == "closed"}


def test_a_day_at_the_cap_is_an_error_and_decides_nothing() -> None:
    with pytest.raises(IncompleteList, match="10000"):
        found_tasks(Tasks(tasks(10_000, 1)))


@pytest.mark.parametrize("far", [0, 2], ids=["below", "above"])
def test_no_day_is_asked_for_beyond_the_part_that_is_split(far: int) -> None:
    """The list is cut at the cap, so the returned part decides how it is split."""
    days = [9_999 * [far], 6_000 * [1], 6_000 * [2 - far]]
    many = [
        {"uuid": uuid_of(number), "title": "Any", "status": "open", "deadline": f"2024-01-0{day + 1}"}
        for number, day in enumerate(itertools.chain.from_iterable(days))
    ]
    requested: list[tuple[str, ...]] = []
    service = Tasks(many)

    def play(call: Invocation) -> Any:
        requested.append(tuple(dict(call.pairs).get(f"deadline_{end}", "") for end in ("from", "to")))
        return service(call)

    transport = FakeTransport({LISTS["task"]: play})
    found = client_on(transport).list_all(KINDS["task"], parameters={"status": "open"})
    assert {record.uuid for record in found} == {task["uuid"] for task in many}
    assert all(low <= high for low, high in requested if low and high)


@pytest.mark.parametrize("deadline", ["soon", "0001-01-01", "2024-05-31"])
def test_a_list_that_is_cut_and_honours_no_deadlines_is_an_error(deadline: str) -> None:
    cut = [{**task, "deadline": deadline} for task in tasks(10_000, 1)]
    few = cut[:1] if deadline == "2024-05-31" else cut

    def play(call: Invocation) -> Any:
        parameters = dict(call.pairs)
        return answer(few if parameters.get("deadline_from") == deadline == parameters.get("deadline_to") else cut)

    transport = FakeTransport({LISTS["task"]: play})
    with pytest.raises(IncompleteList, match="it returns other deadlines than requested"):
        client_on(transport).list_all(KINDS["task"], parameters={"status": "open"})


def test_a_task_that_changes_its_status_between_two_lists_is_listed_once() -> None:
    many = tasks(10_000, 30)
    moved = {**many[0], "status": "closed"}

    def play(call: Invocation) -> Any:
        status = dict(call.pairs).get("status")
        return answer(many if status is None else many[:5_000] if status == "open" else [moved])

    transport = FakeTransport({LISTS["task"]: play})
    found = [record.uuid for record in client_on(transport).list_all(KINDS["task"])]
    assert len(found) == len(set(found)) == 5_000


# ---- one record in every shape


@pytest.mark.parametrize(
    ("kind", "key"),
    [("object", "asset_uuid"), ("room", "room_uuid"), ("location", "location_uuid"), ("person", "person_uuid")],
)
@pytest.mark.parametrize(
    "shape",
    [
        lambda key: {key: uuid_of(1), "id": 5, "name": "a"},
        lambda _key: {"uuid": uuid_of(1), "id": 5, "name": "a"},
        lambda key: {"fields": {key: uuid_of(1), "id": 5, "name": "a"}},
        lambda _key: {"uuid": uuid_of(1), "fields": {"id": 5, "name": "a"}},
        lambda _key: {"uuid": uuid_of(1), "id": 5, "fields": {"name": "a"}},
        lambda key: {key: uuid_of(1).upper(), "id": "5", "name": "a"},
    ],
    ids=["flat", "flat uuid", "fields", "uuid and fields", "uuid, id and fields", "texts"],
)
def test_a_record_may_be_flat_or_in_an_envelope(kind: str, key: str, shape: Any) -> None:
    found = Record.from_answer(KINDS[kind], shape(key))
    assert (found.uuid, found.id, found.flat["name"]) == (uuid_of(1), 5, "a")


def test_the_uuid_of_a_linked_user_is_not_that_of_the_person() -> None:
    assert Record.from_answer(KINDS["person"], {"user_uuid": uuid_of(9), "person_uuid": uuid_of(1)}).uuid == uuid_of(1)


@pytest.mark.parametrize("raw", [{}, {"uuid": None}, {"uuid": 5}, {"uuid": "x"}])
def test_a_record_without_a_uuid_has_none(raw: JsonMap) -> None:
    assert Record.from_answer(KINDS["object"], {"id": None, **raw}).uuid == ""
    assert Record.from_answer(KINDS["object"], raw).id is None


def test_a_field_called_fields_of_a_fixed_record_is_left_alone() -> None:
    raw = {"uuid": uuid_of(1), "fields": {"a": 1}}
    assert Record.from_answer(KINDS["task"], raw).flat == raw


def test_a_definition_has_its_type_and_constraints_apart() -> None:
    flat = Record.from_answer(
        KINDS["field_definition"], definition("a", "DROPDOWN", constraints={"max_length": 5})
    ).flat
    assert (flat["type"], flat["constraints"]) == ("DROPDOWN", [{"type": "max_length", "value": 5}])


@pytest.mark.parametrize("empty", [None, [], {}])
def test_a_definition_without_a_type_has_none(empty: Any) -> None:
    flat = Record.from_answer(KINDS["field_definition"], {"uuid": uuid_of(1), "field_type": empty}).flat
    assert (flat.get("type"), flat.get("constraints")) == (None, None)


ITEMS = {
    "object": f"GET /object/{uuid_of(1)}",
    "location": f"GET /location/{uuid_of(1)}",
    "room": f"GET /room/{uuid_of(1)}",
    "person": f"GET /person/{uuid_of(1)}",
    "user": f"GET /user/{uuid_of(1)}",
    "task": f"GET /task-management/task/{uuid_of(1)}",
    "rental_case": f"GET /rental-management/rental-case/{uuid_of(1)}",
}


@pytest.mark.parametrize(("kind", "line"), ITEMS.items())
def test_one_record_is_read_by_its_uuid(kind: str, line: str) -> None:
    transport = FakeTransport({line: [answer({"uuid": uuid_of(1), "title": "Any", "a": 1})]})
    found = client_on(transport).get(KINDS[kind], uuid_of(1))
    assert found is not None
    assert found.flat["a"] == 1


@pytest.mark.parametrize(("kind", "line"), ITEMS.items())
def test_a_record_that_does_not_exist_is_none(kind: str, line: str) -> None:
    assert client_on(FakeTransport({line: refusal(404)})).get(KINDS[kind], uuid_of(1)) is None


@pytest.mark.parametrize(("kind", "line"), ITEMS.items())
@pytest.mark.parametrize("found", [None, [], {}, ""])
def test_an_empty_answer_means_no_record_for_some_kinds(kind: str, line: str, found: Any) -> None:
    """For a missing person or user, instances answer 200 without a body. For other kinds this proves nothing."""
    client = client_on(FakeTransport({line: answer(found)}))
    if kind in ("person", "user"):
        assert client.get(KINDS[kind], uuid_of(1)) is None
    else:
        with pytest.raises(SeventhingsError, match="expected the requested record, got something else"):
            client.get(KINDS[kind], uuid_of(1))


@pytest.mark.parametrize("status", [400, 403, 422, 500])
def test_another_error_is_not_taken_for_a_missing_record(status: int) -> None:
    transport = FakeTransport({ITEMS["object"]: refusal(status)})
    with pytest.raises(SeventhingsError):
        client_on(transport).get(KINDS["object"], uuid_of(1))


@pytest.mark.parametrize(("kind", "line"), [("person", "GET /person/by-id/7"), ("user", "GET /user/by-id/7")])
def test_a_person_and_a_user_are_read_by_id_in_one_request(kind: str, line: str) -> None:
    transport = FakeTransport({line: [answer({"uuid": uuid_of(1), "id": 7})]})
    found = client_on(transport).get_by_id(KINDS[kind], 7)
    assert found is not None
    assert found.id == 7
    assert client_on(FakeTransport({line: refusal(404)})).get_by_id(KINDS[kind], 7) is None


@pytest.mark.parametrize("honoured", [True, False])
def test_other_records_are_found_by_id_in_a_filtered_list_and_compared_again(honoured: bool) -> None:
    step = listing(objects(6, 7, 8)) if honoured else answer(objects(6, 7, 8))
    transport = FakeTransport({OBJECTS: step})
    found = client_on(transport).get_by_id(KINDS["object"], 7)
    assert found is not None
    assert found.uuid == uuid_of(7)
    assert client_on(transport).get_by_id(KINDS["object"], 9) is None


@pytest.mark.parametrize(
    ("code", "path"), [("0001", "0001"), ("a/b c", "a%2Fb%20c"), ("50%", "50%25"), ("{x}", "%7Bx%7D")]
)
def test_a_barcode_is_one_escaped_segment_of_the_path(code: str, path: str) -> None:
    transport = FakeTransport({f"GET /object/by-barcode/{path}": answer(objects(1)[0])})
    found = client_on(transport).get_by_barcode(KINDS["object"], code)
    assert found is not None
    assert found.id == 1


@pytest.mark.parametrize("barcode", ["", ".", ".."])
def test_a_barcode_that_would_lead_to_another_path_is_not_asked_for(barcode: str) -> None:
    transport = FakeTransport()
    assert client_on(transport).get_by_barcode(KINDS["object"], barcode) is None
    assert transport.calls == []


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("item", [{}, {"name": "Lab"}, {"record": objects(1)[0]}, {"data": {"uuid": uuid_of(1)}}])
def test_a_list_of_a_shape_that_is_not_known_is_an_error_and_not_a_list_of_unknown_records(
    kind: str, item: JsonMap
) -> None:
    transport = FakeTransport({LISTS[kind]: answer([*objects(1), item])})
    with pytest.raises(SeventhingsError, match=r"expected records with (a uuid|an id)"):
        listed(transport, kind=kind)


@pytest.mark.parametrize(("kind", "key"), [("field_definition", "label"), ("task", "title"), ("rental_case", "title")])
@pytest.mark.parametrize("item", [{"uuid": uuid_of(1)}, {"uuid": uuid_of(1), "data": {"label": "a", "title": "a"}}])
def test_records_without_what_none_misses_are_of_a_shape_that_is_not_known(kind: str, key: str, item: JsonMap) -> None:
    declared = KINDS[kind]
    lists = declared.list_path.format(template="asset")
    item_path = declared.item_path.format(template="asset", uuid=uuid_of(1))
    transport = FakeTransport({f"GET {lists}": answer([item]), f"GET {item_path}": answer(item)})
    with pytest.raises(SeventhingsError, match=f"expected records with a uuid and a {key}, got something"):
        client_on(transport).list_all(declared, template="asset")
    with pytest.raises(SeventhingsError, match="expected the requested record"):
        client_on(transport).get(declared, uuid_of(1), "asset")


@pytest.mark.parametrize(
    ("kind", "item", "mark"),
    [
        ("object", {"id": 1}, "a uuid"),
        ("person", {"id": 1}, "a uuid"),
        ("hub_item", {"uuid": uuid_of(1)}, "an id"),
        ("hub_order", {"uuid": uuid_of(1), "id": "x"}, "an id"),
    ],
)
def test_a_record_without_what_its_paths_take_is_of_a_shape_that_is_not_known(
    kind: str, item: JsonMap, mark: str
) -> None:
    with pytest.raises(SeventhingsError, match=f"expected records with {mark}, got something else"):
        listed(FakeTransport({LISTS[kind]: answer([item])}), kind=kind)


@pytest.mark.parametrize(
    "found",
    [
        1,
        "maintenance",
        [1, 1],
        [objects(1)[0]],
        {"error": "maintenance"},
        {"data": objects(1)[0]},
        {"barcode": "0001"},
        objects(2)[0],
    ],
    ids=str,
)
def test_an_answer_with_another_record_is_an_error_and_not_a_missing_record(
    found: Any,
) -> None:
    transport = FakeTransport({f"GET /object/{uuid_of(1)}": answer(found)})
    with pytest.raises(SeventhingsError, match="expected the requested record, got something else"):
        client_on(transport).get(KINDS["object"], uuid_of(1))


def test_a_record_is_the_one_asked_for_in_whatever_case_its_uuid_is_written() -> None:
    uuid = uuid_of(1).replace("0", "A")
    transport = FakeTransport({f"GET /object/{uuid}": answer({**objects(1)[0], "asset_uuid": uuid.lower()})})
    found = client_on(transport).get(KINDS["object"], uuid)
    assert found is not None
    assert found.uuid == uuid.lower()


@pytest.mark.parametrize(("kind", "number"), [("person", 8), ("user", 8)])
def test_a_record_with_another_id_than_the_one_asked_for_is_an_error(kind: str, number: int) -> None:
    path = KINDS[kind].by_id_path.format(id=7)
    transport = FakeTransport({f"GET {path}": answer({"uuid": uuid_of(number), "id": number})})
    with pytest.raises(SeventhingsError, match="expected the requested record"):
        client_on(transport).get_by_id(KINDS[kind], 7)


def test_a_record_without_an_id_that_a_barcode_finds_is_an_error() -> None:
    transport = FakeTransport({"GET /object/by-barcode/1": answer({"barcode": "1"})})
    with pytest.raises(SeventhingsError, match="expected the requested record"):
        client_on(transport).get_by_barcode(KINDS["object"], "1")


@pytest.mark.parametrize(
    "write",
    [
        lambda client: client.update(KINDS["object"], "", {"barcode": "1"}),
        lambda client: client.delete(KINDS["object"], ""),
        lambda client: client.archive(KINDS["object"], ""),
        lambda client: client.set_status(KINDS["task"], "", "done"),
    ],
    ids=["update", "delete", "archive", "status"],
)
def test_nothing_is_written_to_a_record_without_a_uuid(write: Callable[[Client], Any]) -> None:
    transport = FakeTransport()
    with pytest.raises(SeventhingsError, match="without a uuid; nothing was sent for it"):
        write(client_on(transport))
    assert transport.calls == []


def test_a_barcode_is_none_if_it_does_not_exist_or_is_not_looked_up() -> None:
    transport = FakeTransport({"GET /object/by-barcode/1": refusal(404)})
    assert client_on(transport).get_by_barcode(KINDS["object"], "1") is None


@pytest.mark.parametrize("is_accepted", [True, False])
def test_the_records_of_a_condition_are_requested_once(is_accepted: bool) -> None:
    transport = FakeTransport({OBJECTS: [answer(objects(1)) if is_accepted else refusal(422)]})
    transport.samples["/objects"] = objects(1)
    client = client_on(transport)
    found = [client.found_by(KINDS["object"], Condition("barcode", "eq", ("0001",))) for _time in range(2)]
    assert found[0] is found[1]
    assert len(transport.calls) == 1


# ---- definitions


def test_definitions_are_read_once_for_each_template() -> None:
    transport = FakeTransport(
        {
            "GET /asset-tracking/asset/field-definitions": [answer([definition("barcode")]), answer([definition("b")])],
            "GET /asset-tracking/room/field-definitions": [answer([definition("number")])],
        }
    )
    client = client_on(transport)
    assert set(client.schema(KINDS["object"]).fields) == {"barcode"}
    assert set(client.schema(KINDS["object"]).fields) == {"barcode"}
    assert set(client.schema(KINDS["room"]).fields) == {"number"}
    client.forget_definitions()
    assert set(client.schema(KINDS["object"]).fields) == {"b"}


@pytest.mark.parametrize("kind", ["location", "task", "rental_case", "user"])
def test_kinds_without_a_template_take_no_request_for_their_fields(kind: str) -> None:
    client_on(FakeTransport()).schema(KINDS[kind])


# ---- writing


@pytest.mark.parametrize(
    "headers",
    [
        {"Location-UUID": uuid_of(1)},
        {"location-uuid": uuid_of(1).upper()},
        {"Location": f"https://acme.test/customer-api/v1/object/{uuid_of(1)}"},
        {"Location": f"https://acme.test/customer-api/v1/object/{uuid_of(1)}/"},
        {"Location": f"https://acme.test/customer-api/v1/file/{uuid_of(1)}/data"},
        {"Location": "https://acme.test/other", "Location-UUID": uuid_of(1)},
    ],
)
def test_the_uuid_of_a_new_record_is_in_a_header(headers: dict[str, str]) -> None:
    transport = FakeTransport({"POST /object": answer(None, 201, headers)})
    assert client_on(transport).create(KINDS["object"], {"a": 1}) == uuid_of(1)
    assert transport.calls[0].body == {"a": 1}
    assert transport.calls[0].effect is Effect.UNSAFE


def test_a_new_record_without_a_header_is_an_error() -> None:
    transport = FakeTransport({"POST /object": answer(None, 201)})
    with pytest.raises(OutcomeUnknown, match="no header names the uuid of the new object"):
        client_on(transport).create(KINDS["object"], {})


def test_a_new_person_is_wrapped_in_fields() -> None:
    transport = FakeTransport({"POST /person": answer(None, 201, {"Location-UUID": uuid_of(1)})})
    client_on(transport).create(KINDS["person"], {"email": "a"})
    assert transport.calls[0].body == {"fields": {"email": "a"}}


def test_a_lost_create_is_not_sent_again_here() -> None:
    transport = FakeTransport({"POST /object": [lost()]})
    with pytest.raises(OutcomeUnknown):
        client_on(transport).create(KINDS["object"], {})


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("object", f"PATCH /object/{uuid_of(1)}"),
        ("location", f"PATCH /location/{uuid_of(1)}"),
        ("room", f"PATCH /room/{uuid_of(1)}"),
        ("person", f"PATCH /person/{uuid_of(1)}"),
        ("task", f"PUT /task-management/task/{uuid_of(1)}"),
        ("rental_case", f"PUT /rental-management/rental-case/{uuid_of(1)}"),
        ("field_definition", f"PUT /asset-tracking/room/field-definition/{uuid_of(1)}"),
    ],
)
@pytest.mark.parametrize("body", [None, {}, [], b""])
def test_a_record_is_changed_with_the_verb_of_its_kind_whatever_the_answer_contains(
    kind: str, line: str, body: Any
) -> None:
    transport = FakeTransport({line: answer(body)})
    client_on(transport).update(KINDS[kind], uuid_of(1), {"a": 1}, "room")
    assert transport.calls[0].body == {"a": 1}
    assert transport.calls[0].effect is Effect.IDEMPOTENT


def test_a_delete_that_finds_nothing_is_as_good() -> None:
    for step in (answer(None, 204), NotFound(404, "", "x")):
        transport = FakeTransport({f"DELETE /object/{uuid_of(1)}": step})
        client_on(transport).delete(KINDS["object"], uuid_of(1))
        assert transport.calls[0].effect is Effect.IDEMPOTENT


@pytest.mark.parametrize("status", [400, 403, 422])
def test_a_delete_that_is_refused_is_an_error(status: int) -> None:
    transport = FakeTransport({f"DELETE /object/{uuid_of(1)}": refusal(status)})
    with pytest.raises(SeventhingsError):
        client_on(transport).delete(KINDS["object"], uuid_of(1))


def test_the_status_of_a_task_has_a_call_of_its_own() -> None:
    transport = FakeTransport({f"PUT /task-management/task/{uuid_of(1)}/status": answer(None, 204)})
    client_on(transport).set_status(KINDS["task"], uuid_of(1), "closed")
    assert transport.calls[0].body == {"status": "closed"}


@pytest.mark.parametrize(("back", "path"), [(False, "archive"), (True, "unarchive")])
def test_archiving_has_no_body_and_is_never_repeated_blindly(back: bool, path: str) -> None:
    transport = FakeTransport({f"POST /object/{uuid_of(1)}/{path}": answer(None, 204)})
    client_on(transport).archive(KINDS["object"], uuid_of(1), back)
    assert transport.calls[0].body is None
    assert transport.calls[0].effect is Effect.UNSAFE
