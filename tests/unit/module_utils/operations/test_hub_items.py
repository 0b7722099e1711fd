# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The circularity hub: refusals before anything is sent, and few requests to find the target."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.errors import (
    Ambiguous,
    InvalidInput,
    NoMatch,
    OutcomeUnknown,
)
from ansible_collections.community.seventhings.plugins.module_utils.operations.hub_items import hub_item
from ansible_collections.community.seventhings.plugins.module_utils.operations.hub_orders import hub_order
from ansible_collections.community.seventhings.plugins.module_utils.reconcile.result import Result

from ..support import Clock, FakeTransport, JsonMap, answer, by_uuid, client_on, listing, lost, uuid_of

OBJECTS: list[JsonMap] = [
    {"asset_uuid": uuid_of(number), "id": number, "barcode": f"000{number}"} for number in range(1, 4)
]
ORDERS: list[JsonMap] = [
    {"id": 7, "order_number": "A-7", "completed": False, "cancelled": False, "articles": [{"asset_id": 1}]},
    {"id": 8, "order_number": "A-8", "completed": False, "cancelled": False, "articles": [{"asset_id": 1}]},
    {
        "id": 9,
        "order_number": "A-9",
        "completed": True,
        "cancelled": False,
        "articles": [{"asset_id": 2}, {"asset_id": 3}],
    },
]


def service(**routes: Any) -> FakeTransport:
    return FakeTransport(
        {
            "GET /objects": listing(OBJECTS),
            "GET /circularity-hub/orders": listing(ORDERS),
            "GET /circularity-hub/items": listing([]),
            **{f"GET /circularity-hub/order/{order['id']}": answer(order) for order in ORDERS},
            "GET /circularity-hub/order/1": by_uuid(None),
            **routes,
        }
    )


def order(transport: FakeTransport, check_mode: bool = False, **options: Any) -> Result:
    return hub_order(client_on(transport), options, check_mode)


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("state", ["present", "absent"])
@pytest.mark.parametrize("price", [-1, "-0.01"])
def test_a_negative_price_is_refused_before_anything_is_sent(price: Any, state: str, check_mode: bool) -> None:
    transport = service()
    with pytest.raises(InvalidInput, match="does not fit; expected at least 0"):
        hub_item(client_on(transport), {"object": "0001", "price": price, "state": state}, check_mode)
    assert transport.lines == []


def test_an_offer_may_cost_nothing() -> None:
    report = hub_item(client_on(service(**{"GET /circularity-hub/orders": listing([])})), FREE, True)
    assert report.diff["after"] == {"object": "0001", "category": "c", "price": 0}


FREE = {"object": "0001", "category": "c", "price": 0, "state": "present"}


def test_all_items_of_an_order_take_one_list() -> None:
    transport = service()
    assert not order(transport, items=["0003", {"barcode": "0002"}]).changed
    assert transport.lines == ["GET /circularity-hub/orders", "GET /objects"]


def test_every_item_that_is_no_object_is_reported_with_its_place() -> None:
    with pytest.raises(NoMatch) as caught:
        order(service(), items=["0001", "x", uuid_of(2), "y"])
    assert [line.partition(" (")[0] for line in caught.value.message.splitlines()] == [
        "items[1]: There is no object 'x'",
        "items[3]: There is no object 'y'",
    ]


@pytest.mark.parametrize(
    ("named", "lines"),
    [
        ({"id": 9}, ["GET /circularity-hub/order/9"]),
        ({"order_number": "A-9"}, ["GET /circularity-hub/orders"]),
    ],
)
def test_an_order_that_is_named_takes_one_request(named: JsonMap, lines: list[str]) -> None:
    transport = service()
    assert not order(transport, **named, completed=True).changed
    assert transport.lines == lines


@pytest.mark.parametrize("named", [{"id": 1}, {"order_number": "A-1"}])
def test_an_order_that_does_not_exist_is_an_error(named: JsonMap) -> None:
    ((key, value),) = named.items()
    with pytest.raises(NoMatch, match=f"There is no hub order with {key} {value!r}"):
        order(service(), **named, completed=True)


def test_two_orders_of_the_same_articles_are_distinguished_by_existing_options() -> None:
    with pytest.raises(Ambiguous) as caught:
        order(service(), items=["0001"])
    assert caught.value.message == (
        "2 hub orders have exactly these articles: 7, 8. Expected exactly one; give id or order_number."
    )


# ---- what is not there, or does not fit


@pytest.mark.parametrize("price", [1.234, "0.001"])
def test_a_price_has_two_decimal_places(price: Any) -> None:
    with pytest.raises(InvalidInput, match="does not fit; expected at most 2 decimal places"):
        hub_item(client_on(service()), {**FREE, "price": price}, True)
    assert hub_item(client_on(service(**NO_ORDERS)), {**FREE, "price": "1.230"}, True).changed


NO_ORDERS = {"GET /circularity-hub/orders": listing([])}


@pytest.mark.parametrize("check_mode", [True, False])
def test_an_item_that_does_not_exist_is_reported_before_anything_is_sent(check_mode: bool) -> None:
    missing = {f"GET /circularity-hub/item/{number}": by_uuid(None) for number in (4, 6)}
    offered = {"GET /circularity-hub/items": listing([{"id": 5, "asset_id": 1}])}
    transport = service(**NO_ORDERS, **offered, **missing)
    with pytest.raises(InvalidInput, match="items: there is no hub item with the id 4, 6"):
        order(transport, check_mode, items=[6, 5, 4])
    assert transport.writes == []


def test_an_item_that_the_list_leaves_out_is_looked_up() -> None:
    transport = service(**NO_ORDERS, **{"GET /circularity-hub/item/4": answer({"id": 4, "asset_id": 1})})
    assert order(transport, check_mode=True, items=[4]).changed


@pytest.mark.parametrize(("status", "advice"), [(500, True), (502, False), (None, False)])
def test_an_offer_that_fails_with_a_500_names_a_missing_price_of_its_object(status: int | None, advice: bool) -> None:
    publish = {"POST /circularity-hub/add-objects-to-circularity-hub": lost(status)}
    with pytest.raises(OutcomeUnknown) as caught:
        hub_item(client_on(service(**NO_ORDERS, **publish), Clock()), FREE, False)
    assert ("purchasing_price" in caught.value.message) == advice


@pytest.mark.parametrize(
    ("suggested", "option"), [({}, "category"), ([], "category"), ({uuid_of(1): "chairs"}, "price")]
)
def test_what_the_service_does_not_suggest_must_be_given(suggested: Any, option: str) -> None:
    routes = {
        "POST /circularity-hub/suggest-category": answer(suggested),
        "POST /circularity-hub/suggest-rest-price": answer([]),
    }
    wanted = {"object": "0001", "category": None, "price": None, "state": "present"}
    with pytest.raises(InvalidInput, match=f"{option}: the service suggests none for this object; give one"):
        hub_item(client_on(service(**NO_ORDERS, **routes)), wanted, True)


@pytest.mark.parametrize(("items", "named"), [(["0002"], "items[0]: the object '0002'"), ([5, uuid_of(2)], uuid_of(2))])
def test_an_object_that_is_not_offered_is_called_as_it_was_written(items: list[Any], named: str) -> None:
    number = 4711
    other = {"asset_uuid": uuid_of(2), "id": number, "barcode": "0002"}
    routes: JsonMap = {
        "GET /objects": listing([other]),
        f"GET /object/{uuid_of(2)}": by_uuid(other),
        "GET /circularity-hub/items": listing([{"id": 5, "asset_id": 1}]),
    }
    with pytest.raises(NoMatch) as caught:
        order(service(**NO_ORDERS, **routes), items=items)
    assert caught.value.message.endswith(" is not offered on the hub")
    assert named in caught.value.message
    assert str(number) not in caught.value.message
