# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sections 2.8 and 8 of the interface: pages."""

from __future__ import annotations

from typing import Any

import pytest

from .bodies import asset, code
from .support import Api

COUNT = 53


class Lists:
    """Every paged list, each with enough records for two pages of the default size."""

    def __init__(self, api: Api) -> None:
        self.api = api
        site = api.create_location()
        self.things = [api.create_object() for _number in range(COUNT)]
        for number in range(COUNT):
            api.create_location(name=f"Site {number}")
            api.create_room(building_id=site)
            api.create_person()
            api.create_rental_case(references=[asset(self.things[number])])
        offers = {thing: {"category": "category_furniture", "price": 1} for thing in self.things}
        assert api.post("/circularity-hub/add-objects-to-circularity-hub", offers).status_code == 201
        items = api.items("/circularity-hub/items", "per_page=1000")
        for item in items[:3]:
            api.post("/circularity-hub/orders", [item["id"]])


@pytest.fixture(scope="module")
def lists(still: Api) -> Lists:
    return Lists(still)


PATHS = [
    "/objects",
    "/rooms",
    "/locations",
    "/persons",
    "/users",
    "/rental-management/rental-cases",
    "/circularity-hub/items",
    "/circularity-hub/orders",
]
SORTED = {"/persons": "sort_by=id&order=asc", "/users": "sort_by=id&order=asc"}
FULL = [path for path in PATHS if path not in ("/users", "/circularity-hub/orders")]


def identity(record: dict[str, Any]) -> Any:
    return record.get("id", record.get("uuid"))


@pytest.mark.parametrize("path", PATHS)
def test_envelope(lists: Lists, path: str) -> None:
    found = lists.api.read(path, "page=1&per_page=2")
    assert (found["page"], found["per_page"]) == (1, 2)
    assert len(found["items"]) == min(2, found["total"])


@pytest.mark.parametrize("path", FULL)
def test_default_page(lists: Lists, path: str) -> None:
    found = lists.api.read(path)
    assert (found["page"], found["per_page"], len(found["items"])) == (1, 50, 50)
    assert found["total"] >= 50


@pytest.mark.parametrize("size", [1, 7, 50, 1000])
@pytest.mark.parametrize("path", PATHS)
def test_pages_make_up_the_list(lists: Lists, path: str, size: int) -> None:
    sort = SORTED.get(path, "")
    total = lists.api.read(path)["total"]
    last = min(-(-total // size), 8)
    found: list[Any] = []
    for page in range(1, last + 1):
        answer = lists.api.read(path, f"page={page}&per_page={size}&{sort}".rstrip("&"))
        assert answer["total"] == total
        assert len(answer["items"]) == min(size, total - size * (page - 1))
        found += [identity(record) for record in answer["items"]]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("path", PATHS)
def test_page_beyond_the_end(lists: Lists, path: str) -> None:
    total = lists.api.read(path)["total"]
    for page in (total + 1, 9999):
        found = lists.api.read(path, f"page={page}&per_page=1")
        assert (found["items"], found["page"], found["total"]) == ([], page, total)


@pytest.mark.parametrize("path", PATHS)
def test_largest_page(lists: Lists, path: str) -> None:
    found = lists.api.read(path, "per_page=1000")
    assert found["per_page"] == 1000
    assert len(found["items"]) == found["total"]


@pytest.mark.parametrize("path", [path for path in PATHS if path not in ("/persons", "/users")])
def test_highest_page(lists: Lists, path: str) -> None:
    assert lists.api.read(path, "page=1000000")["items"] == []


@pytest.mark.parametrize("path", ["/objects", "/rooms", "/locations", "/persons"])
def test_total_is_the_count(lists: Lists, path: str) -> None:
    assert lists.api.read(path)["total"] == lists.api.count(path)


@pytest.mark.parametrize("path", PATHS)
def test_order_is_stable_without_a_sort(lists: Lists, path: str) -> None:
    first = [identity(record) for record in lists.api.items(path, "per_page=1000")]
    assert [identity(record) for record in lists.api.items(path, "per_page=1000")] == first
    assert [identity(record) for record in lists.api.items(path, "per_page=2&page=2")] == first[2:4]


def test_unknown_query_keys_do_no_harm(lists: Lists) -> None:
    assert lists.api.get("/objects", f"per_page=1&x={code()}").status_code == 200
