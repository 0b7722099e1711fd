# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Orders of hub items (interface 2.5, 3.4). An order checks its items out; cancelling it returns them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..context import Context
from ..fieldtypes import BOOLEAN, MONEY, NUMBER, STAMP, TEXT
from ..messages import Answer, answer_json, bad_request, no_content, not_found, unprocessable
from ..router import Route
from ..templates import Column
from ..visibility import readable
from .hub_data import mapped_by_id, shown_price
from .hub_items import own_values

TABLES = """
CREATE TABLE hub_order (
  id INTEGER PRIMARY KEY AUTOINCREMENT, order_number TEXT NOT NULL, created_at TEXT NOT NULL,
  user_id INTEGER NOT NULL, total_price REAL NOT NULL, completed INTEGER NOT NULL, cancelled INTEGER NOT NULL,
  cancellation_reason TEXT, billing_data TEXT NOT NULL);
CREATE TABLE hub_article (
  order_id INTEGER NOT NULL, item_id INTEGER NOT NULL, cached TEXT NOT NULL,
  PRIMARY KEY (order_id, item_id));
"""

COLUMNS: Mapping[str, Column] = {
    key: Column(key, kind, key)
    for key, kind in (
        ("id", NUMBER),
        ("order_number", TEXT),
        ("created_at", STAMP),
        ("user_id", NUMBER),
        ("total_price", MONEY),
        ("completed", BOOLEAN),
        ("cancelled", BOOLEAN),
        ("cancellation_reason", TEXT),
    )
}
_STREET = {"street": "Hainstraße", "house_number": "2", "zip_code": "01097", "city": "Dresden"}


def shown(context: Context, rows: Sequence[Any]) -> list[dict[str, Any]]:
    numbers = ", ".join(str(row["id"]) for row in rows)
    articles = context.store.rows(
        "SELECT hub_article.order_id AS of_order, cached, hub_item.* FROM hub_article"
        f" JOIN hub_item ON hub_item.id = item_id WHERE hub_article.order_id IN ({numbers}) ORDER BY hub_article.rowid"
    )
    data = mapped_by_id(context, [article["asset_id"] for article in articles])
    of_order: dict[int, list[dict[str, Any]]] = {}
    for article in articles:
        # The current values of the object, or those on the day of the order if the object was deleted.
        values = data.get(article["asset_id"]) or json.loads(article["cached"])
        shown_article = {**own_values(context, article), "mappedAssetData": values}
        of_order.setdefault(article["of_order"], []).append(shown_article)
    return [
        {
            "id": row["id"],
            "order_number": row["order_number"],
            "created_at": row["created_at"],
            "user_id": row["user_id"],
            "total_price": shown_price(context, row["total_price"]),
            "completed": bool(row["completed"]),
            "cancelled": bool(row["cancelled"]),
            "cancellation_reason": row["cancellation_reason"] or "",
            "billing_data": _billing(context, json.loads(row["billing_data"])),
            "articles": of_order.get(row["id"], []),
        }
        for row in rows
    ]


def _billing(context: Context, data: dict[str, str]) -> dict[str, str]:
    if context.weather["hub_billing_keys"] == "snake":
        renamed = {"firstName": "first_name", "lastName": "last_name"}
        return {renamed.get(key, key): value for key, value in data.items()}
    return data


def create_order(context: Context) -> Answer:
    number = insert(context, context.body)
    return context.created(f"/circularity-hub/order/{number}", number=number)


def insert(context: Context, item_ids: Sequence[int]) -> int:
    """Order items and check them out. Raise a 404 for an unknown item, or a 422 for an item that is not on offer."""
    if not item_ids:
        raise unprocessable("An order has at least one item")
    if len(set(item_ids)) != len(item_ids):
        raise unprocessable("An item can be ordered once")
    items = [_on_offer(context, item_id) for item_id in item_ids]
    order_id = context.store.insert(
        "hub_order",
        {
            "order_number": "",
            "created_at": context.now,
            "user_id": context.user.id,
            "total_price": round(sum(item["price"] for item in items), 2),
            "completed": 0,
            "cancelled": 0,
            "cancellation_reason": None,
            "billing_data": json.dumps(
                {"firstName": context.user.firstname, "lastName": context.user.lastname, **_STREET}, ensure_ascii=False
            ),
        },
    )
    order_number = f"7THX-{context.now[2:4]}-{4569 + order_id:04d}-{(order_id * 61) % 97:02d}"
    context.store.update("hub_order", order_id, {"order_number": order_number})
    data = mapped_by_id(context, [item["asset_id"] for item in items])
    for item in items:
        cached = json.dumps(data.get(item["asset_id"], {}), ensure_ascii=False)
        context.store.insert("hub_article", {"order_id": order_id, "item_id": item["id"], "cached": cached})
        context.store.update("hub_item", item["id"], {"order_id": order_id})
    return order_id


def _on_offer(context: Context, number: int) -> Any:
    row = None
    if abs(number) < 2**63:
        readable_rows = readable(context, "hub_item")
        readable_rows.add("id = ? AND deleted = 0", int(number))
        row = context.store.row(f"SELECT * FROM hub_item WHERE {readable_rows.sql}", readable_rows.parameters)
    if row is None:
        raise not_found(f"There is no hub item {number}")
    if row["order_id"] is not None:
        raise unprocessable(f"The hub item {number} has been checked out")
    return row


def list_orders(context: Context) -> Answer:
    page = context.page(COLUMNS, select="*", source="hub_order")
    return context.listing(shown(context, page.rows), page)


def read_order(context: Context) -> Answer:
    return answer_json(shown(context, [_find(context)])[0])


def change_order(context: Context) -> Answer:
    """Complete or cancel an order. Cancelling returns its items."""
    row = _find(context)
    values: dict[str, Any] = {}
    for key, value in context.body.items():
        if key in ("completed", "cancelled"):
            values[key] = int(value)
        elif key == "cancellation_reason":
            values[key] = value
        elif key not in (*COLUMNS, "billing_data", "articles") and context.weather["write_unknown_field"] == "refuse":
            raise bad_request(f"Body does not match schema: {key!r} is no value of a hub order")
    context.store.update("hub_order", row["id"], values)
    if "cancelled" in values:
        _check_out_again(context, row, cancelled=bool(values["cancelled"]))
    return no_content()


def _check_out_again(context: Context, row: Any, *, cancelled: bool) -> None:
    if cancelled:
        context.store.run("UPDATE hub_item SET order_id = NULL WHERE order_id = ?", (row["id"],))
        return
    items = context.store.rows(
        "SELECT hub_item.id, hub_item.order_id FROM hub_article JOIN hub_item ON hub_item.id = item_id"
        " WHERE hub_article.order_id = ?",
        (row["id"],),
    )
    if any(item["order_id"] not in (None, row["id"]) for item in items):
        raise unprocessable("Items of this order have been ordered again since")
    for item in items:
        context.store.update("hub_item", item["id"], {"order_id": row["id"]})


def _find(context: Context) -> Any:
    row = context.store.row("SELECT * FROM hub_order WHERE id = ?", (context.identifier("identifier"),))
    if row is None:
        raise not_found(f"There is no hub order {context.path['identifier']}")
    return row


_ORDER = "/circularity-hub/order/{identifier}"
ROUTES = tuple(
    Route(method, path, handler, f"hub:{'read' if method == 'GET' else 'write'}", module="hub")
    for method, path, handler in (
        ("POST", "/circularity-hub/orders", create_order),
        ("GET", "/circularity-hub/orders", list_orders),
        ("GET", _ORDER, read_order),
        ("PATCH", _ORDER, change_order),
    )
)
