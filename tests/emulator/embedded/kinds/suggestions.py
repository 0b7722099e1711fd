# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Suggestions of the hub for objects: category and price (interface 4.7)."""

from __future__ import annotations

from ..context import Context
from ..messages import Answer, answer_json
from ..router import Route
from . import records
from .hub_data import nothing_or, shown_price, suggested_category, suggested_price


def suggest_category(context: Context) -> Answer:
    """Return the suggested category of every object that the filter finds, by uuid, in the order of the sort."""
    template = context.templates["asset"]
    where = context.body_where(template.columns, records.listed(context, template))
    order = context.body_order(template.columns)
    rows = context.store.rows(
        f"SELECT uuid, inventory_name FROM asset WHERE {where.sql} ORDER BY {order}", where.parameters
    )
    return answer_json(nothing_or(context, {row["uuid"]: suggested_category(row["inventory_name"]) for row in rows}))


def suggest_price(context: Context) -> Answer:
    """Return the price of objects: the price set on the hub, otherwise the remaining purchasing price."""
    prices = {}
    for uuid in context.body:
        row = records.find(context, context.templates["asset"], uuid.lower())
        price = context.store.value(
            "SELECT price FROM hub_item WHERE asset_id = ? AND deleted = 0 AND order_id IS NULL", (row["id"],)
        )
        if price is None:
            price = suggested_price(row["purchasing_price"])
        prices[uuid] = shown_price(context, price)
    return answer_json(nothing_or(context, prices))


_HUB = "/circularity-hub"
ROUTES = (
    Route("POST", f"{_HUB}/suggest-category", suggest_category, "hub:read", module="hub"),
    Route("POST", f"{_HUB}/suggest-rest-price", suggest_price, "hub:read", module="hub"),
)
