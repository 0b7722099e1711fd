# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every switch with all of its sides, as seen by a client.

All answers in these tests are also checked against the description for the current sides.
"""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from .bodies import code, in_brackets
from .judge import Operation, operations
from .sides import SHOWN, every_side
from .support import Api, Steering

HUB = "/circularity-hub"
CASES = "/rental-management/rental-cases"
LISTS = ["/objects", "/rooms", "/locations", CASES, f"{HUB}/items", f"{HUB}/orders"]


def test_every_switch_is_shown(steering: Steering) -> None:
    for others in ("switches_records", "switches_processes", "restricted_users"):
        importlib.import_module(f"{__package__}.test_{others}")
    assert {name: entry["sides"] for name, entry in steering.switches().items()} == SHOWN


# lists and pages


@every_side("list_envelope", "items", "array")
def test_list_envelope(api: Api, side: str) -> None:
    for path in [*LISTS, "/files"]:
        found = api.read(path)
        assert isinstance(found, dict if side == "items" else list), path
        assert api.items(path), path
    for path in ("/users", "/persons"):
        assert isinstance(api.read(path), dict)


ENVELOPES = [*LISTS, "/users", "/persons", "/catalog-items"]


@every_side("list_total", "given", "text", "none")
def test_list_total(api: Api, side: str) -> None:
    for path in [*ENVELOPES, f"/location/{api.create_location()}/history"]:
        found = api.read(path, "per_page=100")
        total = {"given": len(found["items"]), "text": str(len(found["items"])), "none": None}[side]
        assert found.get("total") == total, path


@every_side("list_echo", "both", "page", "none")
def test_list_echo(api: Api, side: str) -> None:
    for path in [*ENVELOPES, f"/location/{api.create_location()}/history"]:
        found = api.read(path, "per_page=49")
        echo = {"both": (1, 49), "page": (1, None), "none": (None, None)}[side]
        assert (found.get("page"), found.get("per_page")) == echo, path


@pytest.mark.sample(1)
@every_side("per_page_cap", "none", "200", "100", "50")
def test_per_page_cap(api: Api, side: str) -> None:
    for _number in range(201):
        api.create_location()
    found = api.read("/locations", "per_page=1000")
    size = 1000 if side == "none" else int(side)
    assert (len(found["items"]), found["per_page"]) == (min(size, found["total"]), size)
    assert found["items"] == api.read("/locations", "per_page=1000&page=1")["items"]
    for path in ("/objects", "/persons", "/users", CASES, "/catalog-items"):
        assert api.read(path, "per_page=1000")["per_page"] == size, path
    assert api.read("/locations", "per_page=20")["per_page"] == 20


@every_side("unpaged_lists", "whole", "refuse", "paged")
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
            assert (api.read(path), api.read(path, "per_page=1000"), api.read(path, "page=99")) == (
                *[whole[:size]] * 2,
                [],
            )
            assert api.get(path, "page=0").status_code == 400
        else:
            assert api.read(path) == whole
            second = api.get(path, "page=2")
            assert second.status_code == (200 if side == "whole" else 400)
            assert side == "refuse" or second.json() == whole


@every_side("page_beyond_end", "empty", "clamp")
def test_page_beyond_end(api: Api, side: str) -> None:
    for path in [*LISTS, "/persons", "/users"]:
        total = api.read(path)["total"]
        last = api.items(path, f"page={total}&per_page=1")
        assert len(last) == 1
        beyond = api.read(path, f"page={total + 5}&per_page=1")
        assert beyond["items"] == ([] if side == "empty" else last), path
        if side == "clamp":
            assert beyond["page"] == total


@every_side("history_beyond_end", "clamp", "empty")
def test_history_beyond_end(api: Api, side: str) -> None:
    created = api.create_location()
    api.patch(f"/location/{created}", {"name": "Other"})
    found = api.read(f"/location/{created}/history", "page=9&per_page=1")
    assert len(found["items"]) == (1 if side == "clamp" else 0)


@every_side("page_order", "stable", "unstable")
def test_page_order(api: Api, side: str) -> None:
    for number in range(12):
        api.create_location(name=f"Site {number:02}")
    orders = {tuple(record["id"] for record in api.items("/locations", "per_page=5")) for _number in range(20)}
    assert (len(orders) == 1) == (side == "stable")
    sorted_orders = {
        tuple(site["id"] for site in api.items("/locations", "per_page=5&sort[id]=ASC")) for _number in range(10)
    }
    assert len(sorted_orders) == 1
    assert len({tuple(user["id"] for user in api.items("/users", "sort_by=id")) for _number in range(5)}) == 1


@every_side("persons_envelope", "sort_by", "sort")
def test_persons_envelope(api: Api, side: str) -> None:
    plain, given = api.read("/persons"), api.read("/persons", "sort[email]=DESC")
    if side == "sort_by":
        assert (plain["sort_by"], plain["order"]) == ("id", "asc")
    else:
        assert "sort_by" not in plain
    assert (plain["sort"], given["sort"]) == ([], {"email": "DESC"})


# filters


@every_side("filter_eq", "exact", "case_blind")
def test_filter_eq(api: Api, side: str) -> None:
    mark = code()
    for name in ("Alpha", "ALPHA", "Beta"):
        api.create_location(name=name, city=mark)
    blind = side == "case_blind"

    def count(operator: str, value: Any) -> int:
        return api.count("/locations", in_brackets({"city": {"eq": mark}, "name": {operator: value}}))

    assert count("eq", "alpha") == (2 if blind else 0)
    assert count("eq", "ALPHA") == (2 if blind else 1)
    assert count("neq", "alpha") == (1 if blind else 3)
    assert count("in", ["alpha", "beta"]) == (3 if blind else 0)
    assert count("nin", ["alpha", "beta"]) == (0 if blind else 3)


@every_side("filter_unknown_field", "refuse", "ignore")
def test_filter_unknown_field(api: Api, side: str) -> None:
    for query in ("filter[no_such_field][eq]=x", "sort[no_such_field]=ASC"):
        response = api.get("/objects", query)
        if side == "refuse":
            assert response.status_code == 400
        else:
            assert response.json()["total"] == api.count("/objects")


@every_side("filter_without_operator", "refuse", "error")
def test_filter_without_operator(api: Api, side: str) -> None:
    for path in ("/objects", "/objects/count", "/rooms", "/persons", CASES, f"{HUB}/items"):
        for query in ("filter[id]=1", "filter[id][]=1"):
            assert api.get(path, query).status_code == (400 if side == "refuse" else 500), (path, query)


@every_side("presence_operators", "honour", "refuse")
def test_presence_operators(api: Api, side: str) -> None:
    for operator in ("empty", "not_empty", "null", "not_null"):
        assert api.get("/objects", f"filter[barcode][{operator}]=").status_code == (200 if side == "honour" else 400)
    body = {"filter": {"barcode": {"not_null": True}}}
    assert api.post(f"{HUB}/suggest-category", body).status_code == (200 if side == "honour" else 400)


@every_side("filter_links", "either", "id", "uuid")
def test_filter_links(api: Api, side: str) -> None:
    room = api.create_room()
    created = api.create_object(actual_room=room)
    building, companions = api.read(f"/room/{room}")["building_id"], api.create_object(accessories=[created])
    for path, key, link, expected in (
        ("/objects", "actual_room", {"id": api.read(f"/room/{room}")["id"], "uuid": room}, created),
        ("/rooms", "building_id", building, room),
        ("/objects", "accessories", {"id": api.read(f"/object/{created}")["id"], "uuid": created}, companions),
    ):
        for form in ("id", "uuid"):
            found = [record["uuid"] for record in api.items(path, f"filter[{key}][eq]={link[form]}&per_page=1000")]
            assert found == ([expected] if side in (form, "either") else []), (key, form)


@every_side("places_filter", "honour", "ignore")
def test_places_filter(api: Api, side: str) -> None:
    room = api.create_room(name=code())
    query = in_brackets({"name": {"eq": api.read(f"/room/{room}")["name"]}})
    assert (len(api.items("/rooms", f"{query}&per_page=1000")) == 1) == (side == "honour")
    assert (api.items("/locations", "filter[name][eq]=nothing") == []) == (side == "honour")
    assert api.items("/objects", "filter[inventory_name][eq]=nothing") == []


@every_side("persons_filter", "honour", "ignore")
def test_persons_filter(api: Api, side: str) -> None:
    email = f"{code()}@example.org"
    api.create_person(email=email)
    query = in_brackets({"email": {"eq": email}})
    assert (len(api.items("/persons", query)) == 1) == (side == "honour")
    assert (api.count("/persons", query) == 1) == (side == "honour")
    before = api.read("/users")["total"]
    assert api.post("/persons/create-user", {"filter": {"email": {"eq": email}}}).status_code == 201
    assert api.read("/users")["total"] == before + 1


@every_side("persons_sort_by", "honour", "ignore")
def test_persons_sort_by(api: Api, side: str) -> None:
    for name in ("Zoe", "Amy", "Mia"):
        api.create_person(first_name=name)
    names = [person["first_name"] for person in api.items("/persons", "per_page=1000&sort_by=first_name&order=desc")]
    assert (names == sorted(names, reverse=True)) == (side == "honour")
    names = [person["first_name"] for person in api.items("/persons", "per_page=1000&sort[first_name]=DESC")]
    assert names == sorted(names, reverse=True)


@every_side("task_filters", "honour", "ignore")
def test_task_filters(api: Api, side: str) -> None:
    created = api.create_task(deadline="2031-05-20")
    for query in ("deadline_from=2031-05-21", "deadline_to=2031-05-19"):
        found = [task["uuid"] for task in api.read("/task-management/tasks", query)]
        assert (created not in found) == (side == "honour")


# versions


@every_side("later_endpoints", "present", "absent")
def test_later_endpoints(api: Api, side: str) -> None:
    barcode = code()
    created = api.create_object(barcode=barcode)
    paths = [f"/object/by-barcode/{barcode}", f"/object/{created}/history", "/report-template", "/catalog-items"]
    assert {api.get(path).status_code for path in paths} == ({200} if side == "present" else {404})


def later(operation: Operation) -> bool:
    return operation.node.get("x-switch-absent") == {"later_endpoints": "absent"}


def test_later_endpoints_of_the_description() -> None:
    """At least the 67 published operations always exist."""
    always = [operation.id for operation in operations() if not later(operation)]
    assert [operation.id for operation in operations({"later_endpoints": "absent"})] == always
    assert len(always) >= 67
