# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Orders on the circularity hub: placed, completed, cancelled. An order checks items out, so it is never sent twice."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from ..client.attempts import Effect
from ..client.client import Client
from ..client.query import Condition
from ..client.record import Record
from ..client.settling import send_once
from ..errors import InvalidInput, NoMatch
from ..model.field import integer_of
from ..model.kinds import HUB_ITEM, HUB_ORDER, OBJECT
from ..reconcile.lost_changes import Step, carry_out
from ..reconcile.result import Result
from ..resolve import natural_keys
from ..resolve.read_cache import find_records
from .hub_items import ORDERS, articles_of, asset_id, diff_of, is_cancelled, learn_id, offered_items, read_again


def hub_order(client: Client, options: Mapping[str, Any], check_mode: bool) -> Result:
    """Order items once, and complete or cancel an order.

    :param options: items, or id or order_number; completed, cancelled, cancellation_reason.
    """
    if options.get("cancelled") and not options.get("cancellation_reason"):
        raise InvalidInput("cancellation_reason is missing: an order is not cancelled without a reason")
    flags = _flags(options)
    if options.get("items") is None:
        return _flag(client, _named(client, options), flags, check_mode)
    orders = client.list_all(HUB_ORDER)
    wanted = _Wanted(options["items"], *_wanted_articles(client, options["items"]))
    same = [order for order in orders if wanted.are_all_of(order)]
    live = [order for order in same if not is_cancelled(order)]
    if options.get("cancelled") and not live:
        if same:
            return Result(False, ORDERS.show(same[-1].flat))
        return Result(False, warnings=("There is no order of these items, so there is nothing to cancel.",))
    found = natural_keys.only_record(HUB_ORDER, "exactly these articles", live, advice="give id or order_number")
    if found is not None:
        return _flag(client, found, flags, check_mode)
    # Another process may order the same items at the same time, so take the lock before reading the offers.
    with nullcontext() if check_mode else client.creations.making(HUB_ORDER.name):
        return _order(client, wanted, flags, {order.id for order in orders}, check_mode)


def order_to_come(options: Mapping[str, Any]) -> Result:
    """Return the prediction for objects that earlier tasks may create or offer."""
    flags = _flags(options)
    return Result(True, flags, None, diff_of({}, {"items": options["items"], **flags}))


def _flags(options: Mapping[str, Any]) -> dict[str, Any]:
    names = ("completed", "cancelled", "cancellation_reason")
    return {name: options[name] for name in names if options.get(name) is not None}


def _named(client: Client, options: Mapping[str, Any]) -> Record:
    if options.get("id") is not None:
        key, value = "id", options["id"]
        found = client.get(HUB_ORDER, str(value))
    else:
        key, value = "order_number", options["order_number"]
        listed = client.list_all(HUB_ORDER, [Condition(key, "eq", (value,))])
        same = [order for order in listed if ORDERS.read(order.flat).get(key) == value]
        found = natural_keys.only_record(HUB_ORDER, f"{key} {value!r}", same, advice="give id")
    if found is None:
        raise NoMatch(f"There is no hub order with {key} {value!r}.", is_final=True)
    return found


def _wanted_articles(client: Client, items: Sequence[Any]) -> tuple[dict[int, str], set[int]]:
    """Return the written items: the ids of objects with the words for each, and the ids of items."""
    if not items:
        raise InvalidInput("items: expected at least one object or item id")
    ids = {item for item in items if isinstance(item, int) and not isinstance(item, bool)}
    by_option = {
        f"items[{number}]": item
        for number, item in enumerate(items)
        if not isinstance(item, int) or isinstance(item, bool)
    }
    objects = find_records(client, OBJECT, by_option)
    if any(record.id is None for record in objects):
        items = [item.flat for item in client.list_all(HUB_ITEM)]
        articles = [article for order in client.list_all(HUB_ORDER) for article in articles_of(order)]
        for record in objects:
            learn_id(record, [*items, *articles])
    found = zip(by_option.items(), objects, strict=True)
    return {int(record.id or 0): f"{option}: the object {item!r}" for (option, item), record in found}, ids


@dataclass(frozen=True)
class _Wanted:
    """The items to order.

    :ivar written: as the task wrote them. :ivar assets: the ids of objects, with words for each. :ivar ids: of items.
    """

    written: Sequence[Any]
    assets: Mapping[int, str]
    ids: Collection[int]

    def are_all_of(self, order: Record) -> bool:
        """Return True if an order has exactly these items."""
        articles = articles_of(order)
        return len(articles) == len(self.assets) + len(self.ids) and all(
            integer_of(article.get("asset_id")) in self.assets or integer_of(article.get("id")) in self.ids
            for article in articles
        )


def _flag(client: Client, order: Record, flags: Mapping[str, Any], check_mode: bool) -> Result:
    differ = {name: value for name, value in flags.items() if not _has(order, {name: value})}
    if not differ:
        return Result(False, ORDERS.show(order.flat))
    have = ORDERS.read(order.flat)
    before = {name: have.get(name) for name in differ}
    diff = diff_of(before, differ)
    if check_mode:
        return Result(True, {**ORDERS.show(order.flat), **differ}, None, diff)
    number, path = str(order.id), HUB_ORDER.item_path.format(uuid=order.id)
    step = Step(
        path,
        lambda _now: client.send("PATCH", path, Effect.IDEMPOTENT, body=differ),
        lambda: client.get(HUB_ORDER, number),
        lambda now: _has(now, differ),
        lambda now: _has(now, before),
    )
    carry_out(client, step, order)
    now = read_again(
        client, HUB_ORDER, order.id, lambda now: not any(_has(now, {name: before[name]}) for name in before)
    )
    return Result(True, ORDERS.show(now.flat), None, diff)


def _has(order: Record | None, flags: Mapping[str, Any]) -> bool:
    """Return True if an order has some values. False means the same as nothing."""
    shown = {} if order is None else ORDERS.read(order.flat)
    return all(ORDERS.equal(name, shown.get(name) or None, value or None) for name, value in flags.items())


def _order(
    client: Client, wanted: _Wanted, flags: Mapping[str, Any], known: Collection[int | None], check_mode: bool
) -> Result:
    """Order the items, unless it is check mode.

    :param known: the ids of the existing orders.
    """
    offers = offered_items(client)
    by_asset = {asset_id(record): record.id for record in offers}
    missing = [words for asset, words in wanted.assets.items() if by_asset.get(asset) is None]
    unknown = set(wanted.ids) - {record.id for record in offers if record.id is not None}
    nowhere = [number for number in sorted(unknown) if client.get(HUB_ITEM, str(number)) is None]
    if nowhere:
        raise InvalidInput(f"items: there is no hub item with the id {', '.join(map(str, nowhere))}")
    diff = diff_of({}, {"items": list(wanted.written), **flags})
    if missing:
        raise NoMatch([f"{words} is not offered on the hub" for words in missing])
    if check_mode:
        return Result(True, flags, None, diff)
    numbers = sorted([*wanted.ids, *(int(by_asset[asset] or 0) for asset in wanted.assets)])
    order = read_again(client, HUB_ORDER, int(_ordered(client, numbers, wanted, known)))
    flagged = _flag(client, order, flags, check_mode) if flags else Result(True, ORDERS.show(order.flat))
    return Result(True, flagged.record, None, diff)


def _ordered(client: Client, numbers: Sequence[int], wanted: _Wanted, known: Collection[int | None]) -> str:
    """Order items by their ids. Return the id of the order."""

    def send() -> str:
        headers = client.send("POST", HUB_ORDER.list_path, Effect.UNSAFE, body=numbers).headers
        return headers.get("Location-ID") or headers.get("Location", "").rstrip("/").rpartition("/")[2]

    def find() -> str | None:
        orders = client.list_all(HUB_ORDER)
        found = [str(order.id) for order in orders if order.id not in known and wanted.are_all_of(order)]
        return found[0] if len(found) == 1 else None

    return send_once(client.transport, send, find, "it checks items out")
