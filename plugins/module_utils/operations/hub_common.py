# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the items and the orders of the circularity hub have in common (section 4.7 of the interface, and the published
description).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..client.client import Client, Record
from ..client.lost import poll_after_lost_response
from ..errors import SeventhingsError
from ..model.field import Field
from ..model.kinds import HUB_ITEM, HUB_ORDER, Kind
from ..model.schema import Schema

ITEMS = Schema.of(HUB_ITEM)
ORDERS = Schema.of(HUB_ORDER)
PRICE = Field("price", "MONEY", constraints={"min_value": 0, "max_decimals": 2}, fraction_digits=2)
"""What an offer costs, to two decimal places."""

Sleep = Callable[[float], None]


def offered_items(client: Client) -> list[Record]:
    """What is on the hub and not taken off."""
    return [record for record in client.list_all(HUB_ITEM) if not ITEMS.read(record.flat).get("deleted")]


def articles_of(order: Record) -> list[Mapping[str, Any]]:
    """What was ordered (section 2.5)."""
    return list(ORDERS.read_one("articles", order.flat))


def is_cancelled(order: Record) -> bool:
    """Whether an order was cancelled, so that its objects are free again."""
    return bool(ORDERS.read(order.flat).get("cancelled"))


def asset_ids(order: Record) -> set[Any]:
    """The integer ids of the objects in an order."""
    return {article.get("asset_id") for article in articles_of(order)}


def diff_of(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Before and after as a result shows them."""
    return {"before": dict(before), "after": dict(after)}


def read_again(client: Client, kind: Kind, number: int | None) -> Record:
    """A record after it was written; it must be there."""
    record = client.get(kind, str(number))
    if record is None:
        raise SeventhingsError(
            f"The {kind.words} {number} was written, but the service does not find it when it is read back."
        )
    return record


def look_for(find: Callable[[], list[Record]], sleep: Sleep) -> list[Record]:
    """What a request whose answer was lost made, as soon as it is there; nothing where it is not."""
    for _look in poll_after_lost_response(sleep):
        found = find()
        if found:
            return found
    return []
