# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Data of the circularity hub about objects: categories, prices, mapped values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..context import Context
from ..messages import Refusal, bad_request
from ..templates import SERVER_MANAGED
from ..visibility import readable
from . import records

TABLES = """
CREATE TABLE hub_category (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE);
"""

# The names of the hub for the values of an object, and the field keys behind them.
MAPPED: Mapping[str, str] = {
    "item_image": "cover",
    "item_title": "inventory_name",
    "item_description": "description",
    "item_main_category": "inventory_group",
    "item_actual_location": "actual_building",
    "internal_identifier": "barcode",
    "item_original_purchase_date": "purchasing_date",
    "item_original_purchase_price": "purchasing_price",
    "item_additional_link": "link",
    "item_actual_room": "actual_room",
    "item_status": "status",
    "item_last_itexia_scan_date": "scan_time",
    "item_last_itexia_update_date": "updated_at",
}
# Words in the name of an object, and the category that they suggest.
_WORDS: Sequence[tuple[str, tuple[str, ...]]] = (
    (
        "category_furniture",
        ("chair", "desk", "table", "tresen", "cabinet", "shelf", "sofa", "stuhl", "tisch", "schrank", "regal"),
    ),
    (
        "category_it",
        ("laptop", "notebook", "monitor", "screen", "printer", "drucker", "keyboard", "server", "phone", "tablet"),
    ),
    ("category_tools", ("drill", "saw", "ladder", "hammer", "press", "meter", "gauge", "bohrer", "säge", "leiter")),
    ("category_vehicles", ("van", "car", "bike", "truck", "trolley", "transporter")),
)
OTHER = "category_other"
CATEGORIES = (*(name for name, _words in _WORDS), OTHER)
_REST = 0.4


def suggested_category(name: Any) -> str:
    words = str(name or "").lower()
    return next((category for category, marks in _WORDS if any(mark in words for mark in marks)), OTHER)


def suggested_price(purchasing_price: Any) -> float:
    """Return the residual value of an object as a number; 0 without a purchasing price."""
    if isinstance(purchasing_price, bool) or not isinstance(purchasing_price, (int, float)):
        return 0.0
    return round(purchasing_price * _REST, 2)


def category_id(context: Context, category: str) -> int:
    found: int | None = context.store.value("SELECT id FROM hub_category WHERE name = ?", (category,))
    return found if found is not None else context.store.insert("hub_category", {"name": category})


def written_price(value: Any) -> float:
    """Parse a price: a number, or a text with a number. Raise a 400 if it is neither."""
    try:
        price = float(value)
    except (TypeError, ValueError, OverflowError):
        price = -1.0
    if isinstance(value, bool) or not 0 <= price < 1e15:
        raise bad_request(f"Body does not match schema: {value!r} is not a price")
    return price


def shown_price(context: Context, price: float) -> Any:
    if context.weather["number_form"] == "string":
        return f"{price:.2f}"
    return int(price) if price == int(price) else price


def mapped(context: Context, rows: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the values of objects by their field keys, and by the hub's own names."""
    flat = records.shown(context.view, context.templates["asset"], rows)
    return [
        {
            **{name: record[key] for name, key in MAPPED.items() if key in record},
            **{key: value for key, value in record.items() if key not in SERVER_MANAGED},
        }
        for record in flat
    ]


def mapped_by_id(context: Context, ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Return the mapped values of the objects that the caller can read, by id."""
    template = context.templates["asset"]
    readable_rows = readable(context, "asset")
    readable_rows.add("id IN (SELECT value FROM json_each(?))", json.dumps(ids))
    rows = context.store.rows(
        f"SELECT {template.select} FROM asset WHERE {readable_rows.sql}", readable_rows.parameters
    )
    return dict(zip((row["id"] for row in rows), mapped(context, rows), strict=True))


def nothing_or(context: Context, found: dict[str, Any]) -> Any:
    """Return a map, or this instance's form of an empty map."""
    return [] if not found and context.weather["hub_nothing"] == "list" else found


def broken_price() -> Refusal:
    """Return the answer of instances to an offer of an object without a purchasing price."""
    return Refusal(500, "Array to string conversion")
