# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sections 2.5, 3.4 and 4.7 of the interface: the circularity hub."""

from __future__ import annotations

import re
from typing import Any

import pytest

from .bodies import NOBODY, JsonMap, code, in_brackets, last_segment
from .support import Api, Steering

HUB = "/circularity-hub"
ADD = f"{HUB}/add-objects-to-circularity-hub"
STAMP = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")


def order(api: Api, *items: JsonMap) -> int:
    response = api.post(f"{HUB}/orders", [item["id"] for item in items])
    assert response.status_code == 201
    return int(response.headers["Location-ID"])


# suggestions


def test_suggested_category(api: Api) -> None:
    thing = api.create_object()
    found = api.post(f"{HUB}/suggest-category", {"filter": {"asset_uuid": {"eq": thing}}})
    assert found.status_code == 200
    assert list(found.json()) == [thing]
    assert isinstance(found.json()[thing], str)


def test_suggested_category_of_several(api: Api) -> None:
    mark = code()
    things = [api.create_object(inventory_name=f"{mark} {number}") for number in range(3)]
    conditions = {"filter": {"inventory_name": {"like": [mark]}}, "sort": {"inventory_name": "DESC"}}
    assert set(api.post(f"{HUB}/suggest-category", conditions).json()) == set(things)


def test_suggested_category_of_nothing(api: Api) -> None:
    found = api.post(f"{HUB}/suggest-category", {"filter": {"asset_uuid": {"eq": NOBODY}}})
    assert found.status_code == 200
    assert found.json() == {}


@pytest.mark.parametrize("body", [{}, {"filter": {}}, {"filter": {}, "sort": {}}], ids=str)
def test_suggested_category_of_everything(api: Api, body: JsonMap) -> None:
    thing = api.create_object()
    found = api.post(f"{HUB}/suggest-category", body)
    assert found.status_code == 200
    assert thing in found.json()


@pytest.mark.parametrize(
    "body",
    [
        None,
        "x",
        {"filter": "x"},
        {"filter": {"barcode": "x"}},
        {"filter": {"barcode": {"is": "x"}}},
        {"filter": {"no_such_field": {"eq": "x"}}},
        {"sort": {"barcode": "UP"}},
        {"sort": {"no_such_field": "ASC"}},
        {"filter": {}, "nonsense": 1},
    ],
    ids=str,
)
def test_wrong_selection(api: Api, body: Any) -> None:
    assert api.request("POST", f"{HUB}/suggest-category", json=body).status_code == 400


def test_suggested_price(api: Api) -> None:
    thing = api.create_object(purchasing_price=200)
    found = api.post(f"{HUB}/suggest-rest-price", {thing: "category_furniture"})
    assert found.status_code == 200
    assert list(found.json()) == [thing]
    assert isinstance(found.json()[thing], int | float)
    assert 0 <= found.json()[thing] <= 200


def test_suggested_price_is_a_number_without_a_purchasing_price(api: Api) -> None:
    thing = api.create_object()
    assert api.post(f"{HUB}/suggest-rest-price", {thing: "category_furniture"}).json() == {thing: 0}
    item = api.offer(price=40, purchasing_price=None)
    assert (item["price"], item["suggested_price"]) == (40, 0)
    created = order(api, item)
    assert api.read(f"{HUB}/order/{created}")["articles"][0]["suggested_price"] == 0


def test_suggested_price_of_nothing(api: Api) -> None:
    found = api.post(f"{HUB}/suggest-rest-price", {})
    assert found.status_code == 200
    assert found.json() == {}


# items


def test_offer(api: Api) -> None:
    thing = api.create_object(purchasing_price=100)
    response = api.post(ADD, {thing: {"category": "category_furniture", "price": 40.5}})
    assert response.status_code == 201
    assert response.content == b""
    number = api.read(f"/object/{thing}")["id"]
    (item,) = [entry for entry in api.items(f"{HUB}/items", "per_page=1000") if entry["asset_id"] == number]
    assert item["price"] == 40.5
    assert item["deleted"] == 0
    assert STAMP.fullmatch(item["created_at"])
    assert STAMP.fullmatch(item["updated_at"])
    assert isinstance(item["category_id"], int)
    assert api.read(f"{HUB}/item/{item['id']}") == item


def test_offer_with_a_price_as_text(api: Api) -> None:
    assert api.offer(price="12.50")["price"] == 12.5


def test_offer_of_several(api: Api) -> None:
    things = [api.create_object() for _number in range(3)]
    body = {thing: {"category": "category_furniture", "price": 1} for thing in things}
    before = len(api.items(f"{HUB}/items", "per_page=1000"))
    assert api.post(ADD, body).status_code == 201
    assert len(api.items(f"{HUB}/items", "per_page=1000")) == before + 3


def test_offer_twice(api: Api) -> None:
    item = api.offer()
    before = len(api.items(f"{HUB}/items", "per_page=1000"))
    again = api.post(ADD, {item["asset_uuid"]: {"category": "category_furniture", "price": 1}})
    assert again.status_code == 422
    assert len(api.items(f"{HUB}/items", "per_page=1000")) == before


@pytest.mark.parametrize(
    "entry", [None, "x", {}, {"price": 1}, {"category": "category_furniture"}, {"category": "c", "price": []}], ids=repr
)
def test_wrong_offer(api: Api, entry: Any) -> None:
    assert api.post(ADD, {api.create_object(): entry}).status_code == 400


def test_offer_of_nothing(api: Api) -> None:
    assert api.post(ADD, {NOBODY: {"category": "category_furniture", "price": 1}}).status_code == 404
    assert api.post(ADD, {"x": {"category": "category_furniture", "price": 1}}).status_code == 400


def test_change_of_an_item(api: Api) -> None:
    item = api.offer(price=40)
    response = api.patch(f"{HUB}/item/{item['id']}", {"price": 35})
    assert (response.status_code, response.content) == (204, b"")
    assert api.read(f"{HUB}/item/{item['id']}")["price"] == 35


def test_item_leaves_the_hub(api: Api) -> None:
    item = api.offer()
    response = api.delete(f"{HUB}/item/{item['id']}")
    assert (response.status_code, response.content) == (204, b"")
    assert item["id"] not in [entry["id"] for entry in api.items(f"{HUB}/items", "per_page=1000")]
    assert api.get(f"/object/{item['asset_uuid']}").status_code == 200


@pytest.mark.parametrize("path", [f"{HUB}/item/999999", f"{HUB}/order/999999"])
def test_number_that_does_not_exist(api: Api, path: str) -> None:
    assert api.get(path).status_code == 404
    assert api.patch(path, {"price": 1} if "item" in path else {"completed": True}).status_code == 404


def test_items_are_filtered_by_fields_of_the_object(api: Api) -> None:
    mark = code()
    items = [api.offer(inventory_name=f"{mark} {name}") for name in "bac"]
    query = in_brackets({"inventory_name": {"like": [mark], "neq": f"{mark} a"}}) + "&sort[inventory_name]=DESC"
    assert [item["id"] for item in api.items(f"{HUB}/items", query)] == [items[2]["id"], items[0]["id"]]


# orders


def test_order(api: Api) -> None:
    items = [api.offer(price=10), api.offer(price=2.5)]
    response = api.post(f"{HUB}/orders", [item["id"] for item in items])
    assert response.status_code == 201
    assert response.content == b""
    number = int(response.headers["Location-ID"])
    assert last_segment(response.headers["Location"]) == str(number)
    found = api.read(f"{HUB}/order/{number}")
    assert found["id"] == number
    assert found["user_id"] == api.tokens["user_id"]
    assert found["total_price"] == 12.5
    assert (found["completed"], found["cancelled"]) == (False, False)
    assert STAMP.fullmatch(found["created_at"])
    assert set(found["billing_data"]) == {"firstName", "lastName", "street", "house_number", "zip_code", "city"}
    assert all(isinstance(value, str) for value in found["billing_data"].values())
    assert sorted(article["price"] for article in found["articles"]) == [2.5, 10]
    assert {article["asset_id"] for article in found["articles"]} == {item["asset_id"] for item in items}
    assert found in api.items(f"{HUB}/orders", "per_page=1000")


def test_order_checks_items_out(api: Api) -> None:
    item = api.offer()
    order(api, item)
    assert item["id"] not in [entry["id"] for entry in api.items(f"{HUB}/items", "per_page=1000")]
    assert api.post(f"{HUB}/orders", [item["id"]]).status_code in (404, 422)


def test_order_numbers_differ(api: Api) -> None:
    numbers = [api.read(f"{HUB}/order/{order(api, api.offer())}")["order_number"] for _number in range(3)]
    assert len(set(numbers)) == 3


def test_order_of_an_item_that_does_not_exist(api: Api) -> None:
    item = api.offer()
    assert api.post(f"{HUB}/orders", [item["id"], 999999]).status_code in (404, 422)
    assert api.get(f"{HUB}/item/{item['id']}").status_code == 200
    assert item["id"] in [entry["id"] for entry in api.items(f"{HUB}/items", "per_page=1000")]


def test_complete(api: Api) -> None:
    number = order(api, api.offer())
    response = api.patch(f"{HUB}/order/{number}", {"completed": True})
    assert (response.status_code, response.content) == (204, b"")
    found = api.read(f"{HUB}/order/{number}")
    assert (found["completed"], found["cancelled"]) == (True, False)


def test_cancel(api: Api) -> None:
    number = order(api, api.offer())
    response = api.patch(f"{HUB}/order/{number}", {"cancelled": True, "cancellation_reason": "could not be found"})
    assert response.status_code == 204
    found = api.read(f"{HUB}/order/{number}")
    assert (found["completed"], found["cancelled"]) == (False, True)
    assert found["cancellation_reason"] == "could not be found"


def test_article_follows_its_object(api: Api) -> None:
    item = api.offer(inventory_name="Before")
    number = order(api, item)
    assert "Before" in str(api.read(f"{HUB}/order/{number}")["articles"][0]["mappedAssetData"])
    api.patch(f"/object/{item['asset_uuid']}", {"inventory_name": "After"})
    assert "After" in str(api.read(f"{HUB}/order/{number}")["articles"][0]["mappedAssetData"])


def test_article_of_a_deleted_object_shows_what_was_ordered(api: Api) -> None:
    item = api.offer(inventory_name="Before")
    number = order(api, item)
    api.patch(f"/object/{item['asset_uuid']}", {"inventory_name": "After"})
    api.delete(f"/object/{item['asset_uuid']}")
    assert "Before" in str(api.read(f"{HUB}/order/{number}")["articles"][0]["mappedAssetData"])


def test_orders_are_filtered_and_sorted(api: Api) -> None:
    numbers = [order(api, api.offer(price=price)) for price in (30, 10, 20)]
    api.patch(f"{HUB}/order/{numbers[1]}", {"completed": True})
    ids = ",".join(str(number) for number in numbers)
    query = in_brackets({"id": {"in": ids.split(",")}}) + "&sort[total_price]=ASC"
    assert [entry["total_price"] for entry in api.items(f"{HUB}/orders", query)] == [10, 20, 30]
    wanted = api.read(f"{HUB}/order/{numbers[2]}")
    assert api.items(f"{HUB}/orders", in_brackets({"order_number": {"eq": wanted["order_number"]}})) == [wanted]


def test_module_that_is_off(api: Api, steering: Steering) -> None:
    item = api.offer()
    steering.call("PUT", "/settings", {"modules_off": ["hub"]})
    for response in (
        api.get(f"{HUB}/items"),
        api.get(f"{HUB}/item/{item['id']}"),
        api.get(f"{HUB}/orders"),
        api.post(f"{HUB}/orders", [item["id"]]),
        api.post(f"{HUB}/suggest-category", {}),
    ):
        assert response.status_code == 403
        assert response.json() == {"message": "The required feature for this endpoint is not active"}
