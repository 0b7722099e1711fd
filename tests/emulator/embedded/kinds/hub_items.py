# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Items of the hub (interface 4.7): offer, list, change, withdraw. Ordered items are no longer on offer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..context import Context
from ..fieldtypes import MONEY, NUMBER, STAMP
from ..messages import Answer, answer_json, bad_request, no_content, not_found, unprocessable
from ..router import Route
from ..store import quoted
from ..templates import Column
from ..visibility import listed, readable
from . import records
from .hub_data import (
    CATEGORIES,
    broken_price,
    category_id,
    mapped_by_id,
    shown_price,
    suggested_price,
    written_price,
)

TABLES = """
CREATE TABLE hub_item (
  id INTEGER PRIMARY KEY AUTOINCREMENT, asset_id INTEGER NOT NULL, category TEXT NOT NULL, category_id INTEGER NOT NULL,
  price REAL NOT NULL, suggested_price REAL NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
  deleted INTEGER NOT NULL DEFAULT 0, order_id INTEGER);
CREATE INDEX hub_item_asset ON hub_item (asset_id);
CREATE INDEX hub_item_order ON hub_item (order_id);
"""

# The fields of a hub item itself. Every other key of a filter or a sort is a field key of the object.
_OWN = {
    "id": NUMBER,
    "deleted": NUMBER,
    "asset_id": NUMBER,
    "price": MONEY,
    "category_id": NUMBER,
    "suggested_price": MONEY,
    "created_at": STAMP,
    "updated_at": STAMP,
}
_PERMISSION = 1
_ON_OFFER = "deleted = 0 AND order_id IS NULL"


def columns(context: Context) -> Mapping[str, Column]:
    found = {
        key: Column(
            key,
            column.type,
            f"(SELECT {quoted(column.definition.key)} FROM asset WHERE asset.id = hub_item.asset_id)",
            column.definition,
        )
        for key, column in context.templates["asset"].columns.items()
        if column.definition is not None
    }
    return {**found, **{key: Column(key, kind, key) for key, kind in _OWN.items()}}


def own_values(context: Context, row: Any) -> dict[str, Any]:
    """Return the values of an item, as shown in a list, by itself, and as the article of an order."""
    return {
        "id": row["id"],
        "deleted": row["deleted"],
        "asset_id": row["asset_id"],
        "created_at": row["created_at"],
        "price": shown_price(context, row["price"]),
        "category_id": row["category_id"],
        "suggested_price": shown_price(context, row["suggested_price"]),
        "updated_at": row["updated_at"],
    }


def shown(context: Context, rows: Sequence[Any]) -> list[dict[str, Any]]:
    data = mapped_by_id(context, [row["asset_id"] for row in rows])
    return [
        {
            **own_values(context, row),
            "deleted": int(bool(row["deleted"]) or row["order_id"] is not None),
            "object_data": data.get(row["asset_id"], {}),
            "permission": _PERMISSION,
        }
        for row in rows
    ]


def add_objects(context: Context) -> Answer:
    """Offer objects, each with a category and a price."""
    for uuid, offer in context.body.items():
        row = records.find(context, context.templates["asset"], uuid.lower())
        category = str(offer["category"])
        if category not in CATEGORIES and context.weather["hub_category"] == "known":
            raise unprocessable(f"There is no category {category}")
        if row["purchasing_price"] is None and context.weather["hub_priceless_object"] == "error":
            raise broken_price()
        if context.weather["hub_repeat_offer"] == "refuse" and context.store.value(
            f"SELECT 1 FROM hub_item WHERE asset_id = ? AND {_ON_OFFER}", (row["id"],)
        ):
            raise unprocessable(f"The object {uuid} is already offered")
        insert(context, row, category, written_price(offer["price"]))
    return Answer(201)


def insert(context: Context, asset: Any, category: str, price: float) -> int:
    return context.store.insert(
        "hub_item",
        {
            "asset_id": asset["id"],
            "category": category,
            "category_id": category_id(context, category),
            "price": price,
            "suggested_price": suggested_price(asset["purchasing_price"]),
            "created_at": context.now,
            "updated_at": context.now,
        },
    )


def list_items(context: Context) -> Answer:
    where = listed(context, "hub_item")
    where.add(_ON_OFFER)
    page = context.page(columns(context), select="*", source="hub_item", where=where)
    return context.listing(shown(context, page.rows), page)


def read_item(context: Context) -> Answer:
    return answer_json(shown(context, [_find(context)])[0])


def change_item(context: Context) -> Answer:
    """Change the hub's own values of an item. The data of the object is changed at the object."""
    row = _find(context)
    values: dict[str, Any] = {}
    for key, value in context.body.items():
        if key == "price":
            values["price"] = written_price(value)
        elif key == "category" and isinstance(value, str):
            values.update(category=value, category_id=category_id(context, value))
        elif key == "category_id" and isinstance(value, int) and not isinstance(value, bool):
            values.update(_known_category(context, value))
        elif key not in (*_OWN, "object_data", "permission") and context.weather["write_unknown_field"] == "refuse":
            raise bad_request(f"Body does not match schema: {key!r} is no value of a hub item")
    context.store.update("hub_item", row["id"], {**values, "updated_at": context.now})
    return no_content()


def _known_category(context: Context, number: int) -> dict[str, Any]:
    name = context.store.value("SELECT name FROM hub_category WHERE id = ?", (min(number, 2**62),))
    if name is None:
        raise unprocessable(f"There is no category {number}")
    return {"category": name, "category_id": number}


def remove_item(context: Context) -> Answer:
    """Withdraw an item from the hub. It stays in its orders."""
    row = _find(context)
    context.store.update("hub_item", row["id"], {"deleted": 1, "updated_at": context.now})
    return no_content()


def _find(context: Context) -> Any:
    number = context.identifier("identifier")
    readable_rows = readable(context, "hub_item")
    readable_rows.add("id = ? AND deleted = 0", number)
    row = context.store.row(f"SELECT * FROM hub_item WHERE {readable_rows.sql}", readable_rows.parameters)
    if row is None:
        raise not_found(f"There is no hub item {context.path['identifier']}")
    return row


_ITEM = "/circularity-hub/item/{identifier}"
ROUTES = tuple(
    Route(method, path, handler, f"hub:{'read' if method == 'GET' else 'write'}", module="hub")
    for method, path, handler in (
        ("POST", "/circularity-hub/add-objects-to-circularity-hub", add_objects),
        ("GET", "/circularity-hub/items", list_items),
        ("GET", _ITEM, read_item),
        ("PATCH", _ITEM, change_item),
        ("DELETE", _ITEM, remove_item),
    )
)
