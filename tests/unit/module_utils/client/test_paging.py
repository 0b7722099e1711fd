# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists with any paging are read completely, or not at all."""

from __future__ import annotations

import datetime as dt
import itertools
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.client.query import Condition
from ansible_collections.community.seventhings.plugins.module_utils.errors import (
    IncompleteList,
    InternalError,
    InvalidRequest,
    SeventhingsError,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS

from ..support import (
    LISTS,
    OBJECTS,
    FakeTransport,
    Invocation,
    JsonMap,
    answer,
    client_on,
    listed,
    listing,
    objects,
    page_of,
    refusal,
    uuid_of,
)


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
