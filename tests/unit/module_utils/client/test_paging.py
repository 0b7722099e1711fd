# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists with any paging are read completely, or not at all."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.client import paging
from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.limits import LimitExceeded
from ansible_collections.community.seventhings.plugins.module_utils.client.query import Condition, Link
from ansible_collections.community.seventhings.plugins.module_utils.errors import (
    IncompleteList,
    InternalError,
    InvalidRequest,
    PermissionMissing,
    ServiceError,
    SeventhingsError,
    TooManyRequests,
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
    definition,
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
    with pytest.raises(SeventhingsError, match=r"expected a list|the answer is empty"):
        listed(FakeTransport({OBJECTS: answer(body)}))


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


@pytest.mark.parametrize("name", ["error", "title"])
def test_an_error_beside_an_empty_list_does_not_mean_that_there_is_nothing(name: str) -> None:
    with pytest.raises(SeventhingsError) as caught:
        listed(FakeTransport({OBJECTS: answer({"items": [], "total": 0, name: "No connection"})}))
    assert caught.value.message == "TEST: expected a list of records, got the error 'No connection'."


@pytest.mark.parametrize("broken", [2, 3])
def test_two_pages_are_requested_in_advance_and_no_more(broken: int) -> None:
    play = listing(objects(*range(1, 7500)))
    transport = FakeTransport(
        {OBJECTS: lambda call: refusal(422) if dict(call.pairs)["page"] == str(broken) else play(call)}
    )
    with pytest.raises(
        IncompleteList, match=f"^The list of objects has 7499 records, and its page {broken} can't be read"
    ):
        listed(transport)
    assert sorted(map(str, pages(transport))) == [str(number) for number in range(1, broken + 2)]


def test_a_record_that_moved_to_the_next_page_is_listed_once() -> None:
    first, second = objects(*range(1, 1001)), objects(1000, 1001)
    transport = FakeTransport({OBJECTS: [answer(first), answer(second), answer([])] * 2})
    found = listed(transport)
    assert found == list(range(1, 1002))


def test_archived_records_of_a_list_count_in_its_total_and_are_left_out() -> None:
    first, gone, third = objects(1, 2, 3)
    body = [{**first, "archived_at": None}, {**gone, "archived_at": "2026-05-04 10:00:00"}, third]
    assert listed(FakeTransport({OBJECTS: page_of(body, total=3)})) == [1, 3]


@pytest.mark.parametrize(("kind", "order"), [("object", [1, 2, 3]), ("task", [3, 1, 2])])
def test_a_sorted_list_is_in_the_order_of_the_ids_and_another_one_stays_as_it_is(kind: str, order: list[int]) -> None:
    body = [
        {**record, **dict.fromkeys(("asset_uuid", "uuid"), uuid_of(9 - record["id"]))} for record in objects(3, 1, 2)
    ]
    assert listed(FakeTransport({LISTS[kind]: page_of(body, total=3)}), kind=kind) == order


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
    with pytest.raises(IncompleteList) as caught:
        listed(transport)
    assert caught.value.message == (
        f"The list of objects is inconsistent: the service reports a total of {total}, and its pages have 2 different "
        "records, even after reading 4 times. Nothing is decided from it; try again when nobody else is writing."
    )
    assert pages(transport).count("1") == 4


def test_a_total_that_gets_smaller_while_reading_has_the_list_read_again() -> None:
    # A record of the first page was deleted, so the first record of the second page moved and is on neither page.
    answers = [
        page_of(objects(*range(1002, 2, -1)), total=1002),
        page_of(objects(1), total=1001),
        page_of([], total=1001),
        page_of(objects(*range(1001, 1, -1)), total=1001),
        page_of(objects(1), total=1001),
    ]
    transport = FakeTransport({OBJECTS: answers})
    assert listed(transport) == list(range(1, 1002))


def test_a_total_that_grows_while_reading_counts_as_it_was_first() -> None:
    answers = [
        page_of(objects(*range(1001, 1, -1)), total=1001),
        page_of(objects(2, 1), total=1002),
    ]
    assert listed(FakeTransport({OBJECTS: answers})) == list(range(1, 1002))


@pytest.mark.parametrize(
    "kind", ["object", "location", "room", "person", "user", "rental_case", "hub_item", "hub_order"]
)
def test_pages_are_of_1000_in_an_order_by_a_key_that_no_two_records_share(kind: str) -> None:
    transport = FakeTransport({LISTS[kind]: answer([])})
    listed(transport, kind=kind)
    pairs = dict(transport.calls[0].pairs)
    assert pairs["per_page"] == "1000"
    assert {"sort[id]", "sort[uuid]", "sort_by"} & set(pairs)


@pytest.mark.parametrize(
    ("kind", "order"),
    [
        ("object", [("sort[id]", "DESC")]),
        ("person", [("sort_by", "id"), ("order", "desc"), ("sort[id]", "DESC")]),
        ("user", [("sort_by", "id"), ("order", "desc")]),
        ("hub_item", [("sort[id]", "DESC")]),
    ],
)
def test_a_page_is_sorted_in_the_forms_that_its_list_accepts(kind: str, order: list[tuple[str, str]]) -> None:
    transport = FakeTransport({LISTS[kind]: answer([])})
    listed(transport, kind=kind)
    assert transport.calls[0].pairs == (("page", "1"), ("per_page", "1000"), *order)


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


# ---- lists without a total


class Pages:
    """A list in pages.

    :ivar beyond: what follows the last page: "empty", "last" (the last page again), "first", or "refused".
    :ivar usual: the size of a page if none is requested; 0: the whole list is one answer, whatever is requested.
    :ivar status: of the answer if a page is refused.
    """

    status = 400
    ignores_size = False
    sorts = True

    def __init__(self, count: int, beyond: str = "empty", usual: int = 5, total: bool = False) -> None:
        self.records = objects(*range(1, count + 1))
        self.beyond = beyond
        self.usual = usual
        self.total = {"total": count} if total else {}

    def __call__(self, call: Invocation) -> Any:
        pairs = dict(call.pairs)
        number, size = int(pairs.get("page", "1")), min(int(pairs.get("per_page", self.usual)), self.usual)
        size = self.usual if self.ignores_size else size
        if not size:
            return (
                refusal(self.status) if number > 1 and self.beyond == "refused" else page_of(self.records, **self.total)
            )
        last = max(-(-len(self.records) // size), 1)
        if number > last and self.beyond == "refused":
            return refusal(self.status)
        if number > last and self.beyond != "empty":
            number = last if self.beyond == "last" else 1
        records = self.records[::-1] if pairs.get("sort[id]") == "DESC" and self.sorts else self.records
        return page_of(records[size * (number - 1) : size * number], **self.total)


def on_pages(kind: str, service: Pages, *unpaged: str) -> tuple[FakeTransport, Client]:
    transport = FakeTransport({LISTS[kind]: service})
    return transport, client_on(transport, unpaged=unpaged)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a page have at most five records."""
    monkeypatch.setattr(paging, "PER_PAGE", 5)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("count", [0, 1, 2, 5, 6, 10])
@pytest.mark.parametrize("beyond", ["empty", "last", "first"])
@pytest.mark.parametrize("usual", [0, 3, 5])
@pytest.mark.parametrize("total", [True, False])
@pytest.mark.parametrize("kind", ["object", "task"])
def test_a_list_is_complete_however_it_is_paged(kind: str, total: bool, usual: int, beyond: str, count: int) -> None:
    # A list that needs no order is one answer, or its pages have the requested size.
    usual = 5 if usual and kind == "task" else usual
    transport, client = on_pages(kind, Pages(count, beyond, usual, total))
    assert [record.id for record in client.list_all(KINDS[kind])] == list(range(1, count + 1))
    if kind == "object":
        # Without a total, one more page proves that there are no more records. If there are several pages, another
        # reading shows that no record moved.
        needed = -(-count // usual) if usual else 1
        readings = 1 if total or needed == 1 else 2
        assert len(transport.calls) == ((needed + (not total)) * readings if count else 1)


@pytest.mark.parametrize("count", [5, 6, 10, 11])
@pytest.mark.parametrize("beyond", ["empty", "last", "first", "refused"])
def test_a_list_with_pages_of_a_fixed_size_is_complete_each_time(beyond: str, count: int) -> None:
    service = Pages(count, beyond)
    service.ignores_size = True
    _transport, client = on_pages("task", service)
    for _time in range(2):
        assert len(client.list_all(KINDS["task"])) == count


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("count", [0, 4, 5, 6])
@pytest.mark.parametrize("beyond", ["empty", "last", "first"])
@pytest.mark.parametrize("usual", [0, 5])
@pytest.mark.parametrize("total", [True, False])
@pytest.mark.parametrize("kind", ["object", "task"])
def test_the_first_page_is_whole_only_if_that_is_proven(
    kind: str, total: bool, usual: int, beyond: str, count: int
) -> None:
    transport, client = on_pages(kind, Pages(count, beyond, usual, total))
    records, is_whole = client.lists.first_page(KINDS[kind])
    length = count if not usual else min(count, 5)
    newest = count - length if kind == "object" else 0
    assert [record.id for record in records] == list(range(newest + 1, newest + length + 1))
    assert is_whole is (length == count)
    # Only a list without a total needs a second page.
    assert len(transport.calls) == (1 if total or not count else 2)


@pytest.mark.parametrize(
    ("length", "size"), [(1, "1"), (2, "2"), (3, "2"), (4, "3"), (1_000, "999"), (1_001, "1000"), (1_500, "1000")]
)
def test_the_second_page_of_an_unpaged_list_has_another_size_than_the_first_answer(length: int, size: str) -> None:
    transport, client = on_pages("task", Pages(length, usual=0))
    assert len(client.list_all(KINDS["task"])) == length
    assert [call.pairs for call in transport.calls] == [(), (("page", "2"), ("per_page", size))]


@pytest.mark.parametrize("length", [1, 2, 5])
def test_an_answer_longer_than_the_requested_page_proves_that_a_list_is_unpaged(length: int) -> None:
    transport, client = on_pages("task", Pages(length, usual=0))
    for _time in range(2):
        client.list_all(KINDS["task"])
    # Two records fit into the smallest page of which two overlap, so they prove nothing.
    assert len(transport.calls) == (3 if length > 2 else 4)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("count", [3, 6])
@pytest.mark.parametrize("status", [400, 404, 422])
def test_a_refused_second_page_proves_an_unpaged_list_and_breaks_a_paged_one(count: int, status: int) -> None:
    service = Pages(3, "refused", usual=0)
    service.status = status
    transport, client = on_pages("task", service)
    for _time in range(2):
        assert len(client.list_all(KINDS["task"])) == 3
    assert len(transport.calls) == 3
    _transport, client = on_pages("object", Pages(count, "refused"))
    with pytest.raises(IncompleteList, match=r"has no total, and its page \d can't be read"):
        client.list_all(KINDS["object"])


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (403, PermissionMissing),
        (405, IncompleteList),
        (408, ServiceError),
        (429, TooManyRequests),
        (500, IncompleteList),
        (501, InternalError),
        (503, InternalError),
    ],
)
def test_a_second_page_that_fails_proves_nothing(status: int, error: type[Exception]) -> None:
    service = Pages(3, "refused", usual=0)
    service.status = status
    _transport, client = on_pages("task", service)
    for _time in range(2):
        with pytest.raises(error):
            client.list_all(KINDS["task"])


def test_an_unpaged_list_that_gets_shorter_is_proven_again() -> None:
    service = Pages(5, usual=0)
    transport, client = on_pages("task", service)
    for parameters, count, requests in (
        ({}, 5, 2),
        ({}, 5, 1),
        ({"status": "closed"}, 4, 2),
        ({"status": "closed"}, 4, 1),
        ({"status": "closed"}, 3, 2),
        ({}, 5, 1),
        ({}, 4, 2),
    ):
        service.records = objects(*range(1, count + 1))
        transport.calls.clear()
        assert len(client.list_all(KINDS["task"], parameters=parameters)) == count
        assert len(transport.calls) == requests


@pytest.mark.parametrize(
    ("condition", "requests"),
    [
        (Condition("id", "eq", (1,)), 1),
        (Condition("id", "in", (1, 2)), 1),
        (Condition("asset_uuid", "in", (uuid_of(1), uuid_of(2))), 1),
        (Condition("id", "in", (1, 3)), 2),
        (Condition("id", "gte", (1,)), 2),
        (Condition("title", "eq", ("Any",)), 2),
    ],
    ids=["id", "ids", "uuids", "one is missing", "at least", "title"],
)
def test_the_values_of_a_unique_key_need_no_proof(condition: Condition, requests: int) -> None:
    transport, client = on_pages("object", Pages(2))
    assert len(client.list_all(KINDS["object"], [condition])) == 2
    assert len(transport.calls) == requests


@pytest.mark.usefixtures("small")
def test_the_values_of_a_unique_key_on_several_pages_are_read_once() -> None:
    transport, client = on_pages("object", Pages(6))
    assert len(client.list_all(KINDS["object"], [Condition("id", "in", tuple(range(1, 7)))])) == 6
    assert pages(transport) == ["1", "2"]


@pytest.mark.usefixtures("small")
def test_pages_of_records_without_ids_are_read_until_two_readings_agree() -> None:
    service = Pages(6)
    for record in service.records:
        del record["id"]
    transport, client = on_pages("rental_case", service)
    assert [record.uuid for record in client.list_all(KINDS["rental_case"])] == [uuid_of(n) for n in range(1, 7)]
    assert pages(transport) == ["1", "2", "3"] * 2


class Busy(Pages):
    """A list in which somebody removes a record and creates another one before a request.

    :ivar before: the number of that request. :ivar gone: the index of the removed record.
    """

    before = gone = 0

    def __call__(self, call: Invocation) -> Any:
        self.before -= 1
        if self.before == 0:
            self.records = [*self.records[: self.gone], *self.records[self.gone + 1 :], *objects(99)]
        return super().__call__(call)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("before", range(2, 7))
@pytest.mark.parametrize(("total", "sorts"), [(True, True), (True, False), (False, True)])
@pytest.mark.parametrize(("kind", "usual"), [("object", 5), ("object", 3), ("task", 5)])
def test_no_record_is_missed_while_somebody_removes_and_creates_others(
    kind: str, usual: int, total: bool, sorts: bool, before: int
) -> None:
    for count in (6, 10, 11, 14):
        for gone in range(count):
            service = Busy(count, usual=usual, total=total)
            service.before, service.gone, service.sorts = before, gone, sorts
            _transport, client = on_pages(kind, service)
            found = [record.id or 0 for record in client.list_all(KINDS[kind])]
            assert {number for number in range(1, count + 1) if number != gone + 1} <= set(found), (count, gone)
            assert found == sorted(found)


@pytest.mark.usefixtures("small")
def test_a_list_without_a_total_that_changes_at_each_reading_is_an_error() -> None:
    class Restless(Pages):
        def __call__(self, call: Invocation) -> Any:
            if dict(call.pairs).get("page") == "2":
                self.records = [*self.records[:1], *self.records[2:], *objects(self.records[-1]["id"] + 1)]
            return super().__call__(call)

    _transport, client = on_pages("object", Restless(18))
    with pytest.raises(IncompleteList) as caught:
        client.list_all(KINDS["object"])
    assert caught.value.message.startswith(
        "The list of objects is inconsistent: the service reports no total, and each reading found other records, even "
        "after reading 4 times."
    )


def test_definitions_are_read_once() -> None:
    answers = [[definition(str(number), "TEXT") for number in part] for part in ((1, 2, 3), (2, 3, 4), ())]
    transport = FakeTransport({"GET /asset-tracking/asset/field-definitions": [answer(part) for part in answers]})
    assert len(client_on(transport, unpaged=()).definitions("asset")) == 4


@pytest.mark.parametrize(
    ("kind", "service", "is_whole"),
    [
        ("task", Pages(3, "refused", usual=0), True),
        ("file", Pages(19, usual=0), True),
        ("file", Pages(20, usual=0), False),
        ("object", Pages(3, "refused", usual=3), False),
    ],
)
def test_a_first_page_of_the_newest_records_is_whole_below_their_number(
    kind: str, service: Pages, is_whole: bool
) -> None:
    _transport, client = on_pages(kind, service)
    assert client.lists.first_page(KINDS[kind])[1] is is_whole


def test_a_first_page_that_is_known_to_be_whole_takes_one_request() -> None:
    transport, client = on_pages("task", Pages(3, usual=0))
    for requests in (2, 3):
        assert client.lists.first_page(KINDS["task"])[1]
        assert len(transport.calls) == requests


# ---- filters that compare links

ROOM, PERSON = Link(7, uuid_of(7)), Link(8, uuid_of(8))


class LinkFilters:
    """A service whose filters of links compare one form of each field."""

    def __init__(self, **compared: str) -> None:
        self.compared = compared
        self.asked: list[str] = []

    def __call__(self, call: Invocation) -> Any:
        pairs = dict(call.pairs)
        wanted = {key: pairs[f"filter[{key}][eq]"] for key in self.compared if f"filter[{key}][eq]" in pairs}
        self.asked.append(" ".join(f"{key}={value}" for key, value in sorted(wanted.items())))
        record = objects(1)[0]
        forms = {"id": {"7", "8"}, "uuid": {uuid_of(7), uuid_of(8)}, "neither": set()}
        is_found = all(value in forms[self.compared[key]] for key, value in wanted.items())
        return page_of([record] if is_found else [], total=int(is_found))


def on_link(key: str, link: Link) -> Condition:
    return Condition.on_links(key, "eq", [link])


def test_the_form_of_a_link_that_found_something_is_remembered_for_its_field() -> None:
    service = LinkFilters(room="id", person="uuid")
    client = client_on(FakeTransport({OBJECTS: service}))
    for key, link in (("room", ROOM), ("person", PERSON), ("room", ROOM), ("person", PERSON)):
        assert len(client.list_all(KINDS["object"], [on_link(key, link)])) == 1
    assert service.asked == [
        "room=7",
        "person=8",
        f"person={uuid_of(8)}",
        "room=7",
        f"person={uuid_of(8)}",
    ]


def test_a_list_is_read_without_the_links_if_no_form_finds_anything() -> None:
    service = LinkFilters(room="neither", person="id")
    client = client_on(FakeTransport({OBJECTS: service}))
    conditions = [on_link("room", ROOM), Condition("person", "eq", (8,))]
    assert len(client.list_all(KINDS["object"], conditions)) == 1
    assert service.asked == ["person=8 room=7", f"person=8 room={uuid_of(7)}", "person=8"]


def test_a_link_without_an_id_is_compared_by_its_uuid() -> None:
    service = LinkFilters(room="uuid")
    client = client_on(FakeTransport({OBJECTS: service}))
    assert len(client.list_all(KINDS["object"], [on_link("room", Link(None, uuid_of(7)))])) == 1
    assert service.asked == [f"room={uuid_of(7)}"]


# ---- the first records, and limits


def test_the_first_records_take_one_request() -> None:
    transport = FakeTransport({OBJECTS: page_of(objects(1, 2), total=9)})
    page = client_on(transport).lists.first(KINDS["object"], 2, [("sort[id]", "DESC")])
    assert [record.id for record in page.records] == [1, 2]
    assert page.total == 9
    assert transport.calls[0].pairs == (("page", "1"), ("per_page", "2"), ("sort[id]", "DESC"))


def test_a_first_page_beyond_the_limits_is_an_error() -> None:
    transport = FakeTransport({OBJECTS: page_of(objects(1), total=5_000)})
    transport.limits = replace(transport.limits, pages=2)
    for read in (client_on(transport).list_all, client_on(transport).lists.first_page):
        with pytest.raises(LimitExceeded, match="The list of objects has more than 2 pages"):
            read(KINDS["object"])


def test_a_list_with_a_total_may_be_longer_than_one_without() -> None:
    transport = FakeTransport({OBJECTS: listing(objects(*range(1, 1501)))})
    transport.limits = replace(transport.limits, list_mebibytes=1)
    assert len(listed(transport)) == 1500
    transport = FakeTransport({OBJECTS: listing(objects(*range(1, 1501)), has_total=False)})
    transport.limits = replace(transport.limits, list_mebibytes=1)
    with pytest.raises(LimitExceeded, match=r"0\.125 MiB, and the service reports no total"):
        listed(transport)


def test_a_record_with_too_many_fields_is_an_error_of_its_list() -> None:
    transport = FakeTransport({OBJECTS: answer([{**objects(1)[0], **{f"f{number}": 1 for number in range(4096)}}])})
    with pytest.raises(LimitExceeded, match="TEST: a record in the answer has more than 4096 fields"):
        listed(transport)


def test_a_record_may_be_twice_on_a_page_but_not_in_two_states() -> None:
    first, second = objects(1, 2)
    transport = FakeTransport({OBJECTS: [page_of([first, second, first], total=2)]})
    assert listed(transport) == [1, 2]
    transport = FakeTransport({OBJECTS: [page_of([first, second, {**first, "title": "Other"}], total=2)]})
    with pytest.raises(SeventhingsError) as caught:
        listed(transport)
    assert caught.value.message == (
        f"TEST: expected each record once, got different records with the identity {uuid_of(1)}."
    )


# ---- the list of tasks is cut at 10,000


def tasks(count: int, status: str = "open", start: int = 0) -> list[JsonMap]:
    task = {"title": "Any", "status": status, "deadline": "2024-01-01"}
    return [{**task, "uuid": uuid_of(start + number)} for number in range(count)]


FEW = replace(KINDS["task"], cap=4)
"""Tasks of a service that lists at most four of them."""


@pytest.mark.parametrize(("still_open", "closed"), [(1, 1), (3, 3), (4, 0), (3, 4)])
def test_a_list_that_is_cut_is_read_by_status_unless_that_is_cut_too(still_open: int, closed: int) -> None:
    every = [*tasks(still_open), *tasks(closed, "closed", 50)]

    def play(call: Invocation) -> Any:
        status = dict(call.pairs).get("status")
        return answer([task for task in every if status in (None, task["status"])][:4])

    client = client_on(FakeTransport({LISTS["task"]: play}))
    if max(still_open, closed) < 4:
        assert len(client.list_all(FEW)) == len(every)
        return
    status = "open" if still_open == 4 else "closed"
    with pytest.raises(IncompleteList) as caught:
        client.list_all(FEW)
    assert caught.value.message == (
        f"The list of tasks with the status {status} has 4 records, which is the most that the service lists; it may "
        "be incomplete, so nothing is decided from it. Name the record by its uuid, or filter by deadline, assignees "
        "or author."
    )


def test_a_task_that_changes_its_status_between_two_lists_is_listed_once() -> None:
    first, *others = tasks(4)
    answers = {None: [first, *others], "open": [first], "closed": [{**first, "status": "closed"}]}
    transport = FakeTransport({LISTS["task"]: lambda call: answer(answers[dict(call.pairs).get("status")])})
    assert len(client_on(transport).list_all(FEW)) == 1
