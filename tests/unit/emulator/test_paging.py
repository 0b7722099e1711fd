# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sections 2.8 and 8 of the interface: pages of every list, and what instances leave open about them."""

from __future__ import annotations

from typing import Any

import pytest
from probe.catalogue import NEVER, SWITCHES

from .bodies import asset, code
from .conversation import shown_sides
from .judge import Operation, operations
from .support import Api, Steering

COUNT = 53
LARGEST = {"/persons": 10_000, "/users": 10_000}
SORTED = dict.fromkeys(LARGEST, "sort_by=id&order=asc")
PATHS = [
    *("/objects", "/rooms", "/locations", "/persons", "/rental-management/rental-cases", "/circularity-hub/items"),
    *("/users", "/circularity-hub/orders"),
]


@pytest.fixture(scope="module")
def lists(still: Api) -> Api:
    """Return a service whose lists have enough records for two pages of the default size, except the last two."""
    site = still.create_location()
    things = [still.create_object() for _number in range(COUNT)]
    for number in range(COUNT):
        still.create_location(name=f"Site {number}")
        still.create_room(building_id=site)
        still.create_person()
        still.create_rental_case(references=[asset(things[number])])
    offers = {thing: {"category": "category_furniture", "price": 1} for thing in things}
    assert still.post("/circularity-hub/add-objects-to-circularity-hub", offers).status_code == 201
    for item in still.items("/circularity-hub/items", "per_page=1000")[:3]:
        still.post("/circularity-hub/orders", [item["id"]])
    return still


def ids(records: list[dict[str, Any]]) -> list[Any]:
    return [record.get("id", record.get("uuid")) for record in records]


@pytest.mark.sample(1000)
@pytest.mark.parametrize("path", PATHS)
def test_pages_make_up_the_list(lists: Api, path: str) -> None:
    whole = lists.read(path, "per_page=1000")
    everything, total = ids(whole["items"]), whole["total"]
    assert (whole["page"], whole["per_page"], len(everything)) == (1, 1000, total)
    assert ids(lists.items(path, f"per_page=1000&x={code()}")) == everything
    assert ids(lists.items(path)) == everything[:50]
    assert total >= 50 or path in PATHS[-2:]
    for size in (1, 7, 50):
        pages = [lists.read(path, f"page={page}&per_page={size}&{SORTED.get(path, '')}") for page in range(1, 9)]
        assert [identity for page in pages for identity in ids(page["items"])] == everything[: size * 8]
        assert {(page["total"], page["per_page"]) for page in pages} == {(total, size)}
    for page in (total + 1, 9999, LARGEST.get(path, 1_000_000)):
        found = lists.read(path, f"page={page}&per_page=1")
        assert (found["items"], found["page"], found["total"]) == ([], page, total)


@pytest.mark.parametrize("path", ["/objects", "/rooms", "/locations", "/persons"])
def test_total_is_the_count(lists: Api, path: str) -> None:
    assert lists.read(path)["total"] == lists.count(path)


# The sides of switches


def test_every_switch_is_shown_or_found_by_its_probe(steering: Steering) -> None:
    shown = shown_sides()
    sides = {name: entry["sides"] for name, entry in steering.switches().items()}
    assert shown.items() <= sides.items()
    assert {name for name in sides if name not in shown and SWITCHES[name].tier == NEVER} == set()


@pytest.mark.sample(1)
@pytest.mark.parametrize("side", ["none", "200", "100", "50"])
def test_per_page_cap(api: Api, steering: Steering, side: str) -> None:
    steering.switch(per_page_cap=side)
    for _number in range(201):
        api.create_location()
    found = api.read("/locations", "per_page=1000")
    size = 1000 if side == "none" else int(side)
    assert (len(found["items"]), found["per_page"]) == (min(size, found["total"]), size)
    for path in PATHS:
        assert api.read(path, "per_page=1000")["per_page"] == size, path
    assert api.read("/locations", "per_page=20")["per_page"] == 20


@pytest.mark.parametrize("side", ["whole", "refuse", "paged"])
def test_unpaged_lists(api: Api, steering: Steering, side: str) -> None:
    for _number in range(5):
        api.create_task()
    for path, size in (("/task-management/tasks", 2), ("/asset-tracking/asset/field-definitions", 10)):
        steering.switch(unpaged_lists="whole")
        whole = api.read(path)
        assert len(whole) > size
        steering.switch(unpaged_lists=side)
        if side == "paged":
            pages = [api.read(path, f"page={number}") for number in range(1, len(whole) // size + 2)]
            assert max(map(len, pages)) == size
            assert [record for page in pages for record in page] == whole
            assert api.read(path, "page=2&per_page=1") == whole[1:2]
            assert api.read(path) == api.read(path, "per_page=1000") == whole[:size]
            assert api.read(path, "page=99") == []
            assert api.get(path, "page=0").status_code == 400
        else:
            assert api.read(path) == whole
            second = api.get(path, "page=2")
            assert second.status_code == (200 if side == "whole" else 400)
            assert side == "refuse" or second.json() == whole


@pytest.mark.parametrize("side", ["stable", "unstable"])
def test_page_order(api: Api, steering: Steering, side: str) -> None:
    steering.switch(page_order=side)
    for number in range(12):
        api.create_location(name=f"Site {number:02}")
    orders = {tuple(ids(api.items("/locations", "per_page=5"))) for _number in range(20)}
    assert (len(orders) == 1) == (side == "stable")
    for query in ("/locations?per_page=5&sort[id]=ASC", "/users?sort_by=id"):
        assert len({tuple(ids(api.items(query))) for _number in range(10)}) == 1


def later(operation: Operation) -> bool:
    return operation.node.get("x-switch-absent") == {"later_endpoints": "absent"}


def test_later_endpoints_of_the_description() -> None:
    """At least the 67 published operations always exist."""
    always = [operation.id for operation in operations() if not later(operation)]
    assert [operation.id for operation in operations({"later_endpoints": "absent"})] == always
    assert len(always) >= 67
