# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Switches with all of their sides, as seen by a client, if they do more than the probe of that switch finds.

All answers in these tests are also checked against the description for the current sides.
"""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from probe.catalogue import NEVER, SWITCHES

from .bodies import code, in_brackets
from .judge import Operation, operations
from .sides import SHOWN, every_side
from .support import Api, Steering

CASES = "/rental-management/rental-cases"


def test_every_switch_is_shown_or_found_by_its_probe(steering: Steering) -> None:
    for others in ("switches_records", "switches_processes", "restricted_users"):
        importlib.import_module(f"{__package__}.test_{others}")
    sides = {name: entry["sides"] for name, entry in steering.switches().items()}
    assert SHOWN.items() <= sides.items()
    assert {name for name in sides if name not in SHOWN and SWITCHES[name].tier == NEVER} == set()


# lists and pages


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
