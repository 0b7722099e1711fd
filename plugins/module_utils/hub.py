# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The circularity hub: items, orders, suggestions (section 4.7 of the interface and the published description).

Putting an object on the hub publishes it and an order checks items out, so neither is ever sent twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from . import matching
from .attachments import LOOK_AGAIN
from .client import Client, Record
from .errors import InvalidInput, NoMatch, OutcomeUnknown, SeventhingsError
from .fields import Field, Unfit, shorten
from .info import Found
from .kinds import HUB_ITEM, HUB_ORDER, KINDS, SERVER_KEYS
from .query import MULTIPLE, Condition, parse_filters, parse_sort
from .references import find_object, find_objects
from .report import Report
from .schema import Schema
from .transport import Effect
from .values import DECIMAL, broken_rules

_OBJECT = KINDS["object"]
_ITEMS = Schema.of(HUB_ITEM)
_ORDERS = Schema.of(HUB_ORDER)
PRICE = Field("price", "MONEY", constraints={"min_value": 0}, fraction_digits=2)
"""What an offer costs; compared to two decimal places."""

_Sleep = Callable[[float], None]


def _offered(client: Client) -> list[Record]:
    return [record for record in client.list_all(HUB_ITEM) if not _ITEMS.read(record.flat).get("deleted")]


def _articles(order: Record) -> list[Mapping[str, Any]]:
    return list(_ORDERS.read_one("articles", order.flat))


def is_cancelled(order: Record) -> bool:
    """Whether an order was cancelled, so that its objects are free again."""
    return bool(_ORDERS.read(order.flat).get("cancelled"))


# ---- items


def hub_item(client: Client, options: Mapping[str, Any], check_mode: bool, sleep: _Sleep = time.sleep) -> Report:
    """Offers an object on the hub, changes its price there, or takes it off.

    :param options: object, category, price, state.
    """
    price = _parse_price(options.get("price"))
    try:
        wanted = find_object(client, options["object"])
    except NoMatch as missing:
        if options["state"] == "absent":
            return Report(False)
        if not check_mode:
            raise
        return Report(True, {}, None, _diff({}, _written(options)), (missing.message,))
    offered = matching.one_of(HUB_ITEM, f"the object {options['object']!r}", _items_of(client, wanted))
    if options["state"] == "absent":
        return _take_off(client, offered, check_mode)
    if offered is not None:
        return _change_price(client, offered, price, check_mode)
    ordered = [
        order for order in client.list_all(HUB_ORDER) if not is_cancelled(order) and wanted.id in asset_ids(order)
    ]
    if ordered:
        return Report(
            False,
            {},
            None,
            warnings=(
                f"The object stands in the order {ordered[0].flat.get('order_number')}, so it is not offered again.",
            ),
        )
    return _offer(client, wanted, options, price, check_mode, sleep)


def _parse_price(value: Any) -> Decimal | None:
    if value is None:
        return None
    try:
        price: Decimal = DECIMAL.parse(value, PRICE)
    except Unfit as unfit:
        raise InvalidInput(f"price: {shorten(value)} does not fit; expected {unfit}") from unfit
    broken = broken_rules(price, PRICE)
    if broken:
        raise InvalidInput([f"price: {shorten(value)} does not fit; {rule}" for rule in broken])
    return price


def _diff(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    return {"before": dict(before), "after": dict(after)}


def _written(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in ("object", "category", "price") if options.get(name) is not None}


def _items_of(client: Client, wanted: Record) -> list[Record]:
    return [record for record in _offered(client) if _ITEMS.read(record.flat).get("asset_id") == wanted.id]


def asset_ids(order: Record) -> set[Any]:
    """The integer ids of the objects in an order."""
    return {article.get("asset_id") for article in _articles(order)}


def _show(schema: Schema, record: Record) -> dict[str, Any]:
    return schema.show(record.flat)


def _take_off(client: Client, offered: Record | None, check_mode: bool) -> Report:
    if offered is None:
        return Report(False)
    shown = _show(_ITEMS, offered)
    if not check_mode:
        client.delete(HUB_ITEM, str(offered.id))
    return Report(True, {}, None, _diff({"price": shown.get("price")}, {}))


def _change_price(client: Client, offered: Record, price: Decimal | None, check_mode: bool) -> Report:
    have = _ITEMS.read(offered.flat).get("price")
    if price is None or DECIMAL.equal(price, have, PRICE):
        return Report(False, _show(_ITEMS, offered))
    diff = _diff({"price": DECIMAL.show(have)}, {"price": DECIMAL.show(price)})
    if check_mode:
        return Report(True, {**_show(_ITEMS, offered), "price": DECIMAL.show(price)}, None, diff)
    client.send("PATCH", HUB_ITEM.item_path.format(uuid=offered.id), Effect.SAME, body={"price": DECIMAL.write(price)})
    return Report(True, _show(_ITEMS, _read_again(client, HUB_ITEM, offered.id)), None, diff)


def _read_again(client: Client, kind: Any, number: int | None) -> Record:
    record = client.get(kind, str(number))
    if record is None:
        raise SeventhingsError(
            f"The {kind.words} {number} was written, but the service does not find it when it is read back."
        )
    return record


def _offer(
    client: Client,
    wanted: Record,
    options: Mapping[str, Any],
    price: Decimal | None,
    check_mode: bool,
    sleep: _Sleep,
) -> Report:
    category, asked = _asked(client, wanted, options.get("category"), price)
    diff = _diff({}, _written(options))
    if check_mode:
        return Report(True, {"asset_id": wanted.id, "price": DECIMAL.show(DECIMAL.read(asked, PRICE))}, None, diff)
    _publish(client, wanted, category, asked, sleep)
    made = _items_of(client, wanted)
    item = matching.one_of(HUB_ITEM, f"the object {options['object']!r}", made)
    return Report(True, _show(_ITEMS, item) if item else {}, None, diff)


def _asked(client: Client, wanted: Record, category: Any, price: Decimal | None) -> tuple[Any, Any]:
    """Category and price as they are sent: as given, else as the service suggests."""
    uuid = wanted.uuid
    category = category or _suggested(client, "category", {"filter": {"id": {"eq": wanted.id}}}).get(uuid)
    if category is None:
        raise InvalidInput("category: the service suggests none for this object; give one")
    asked = DECIMAL.write(price) if price is not None else _suggested(client, "rest-price", {uuid: category}).get(uuid)
    if asked is None:
        raise InvalidInput("price: the service suggests none for this object; give one")
    return category, asked


def offer(client: Client, wanted: Record, category: Any, price: Decimal | None, sleep: _Sleep = time.sleep) -> None:
    """Offers an object that is neither on the hub nor in an order; what is not given is what the service suggests."""
    category, asked = _asked(client, wanted, category, price)
    _publish(client, wanted, category, asked, sleep)


def _publish(client: Client, wanted: Record, category: Any, price: Any, sleep: _Sleep) -> None:
    try:
        client.send(
            "POST",
            "/circularity-hub/add-objects-to-circularity-hub",
            Effect.ONCE,
            body={wanted.uuid: {"category": category, "price": price}},
        )
    except OutcomeUnknown as lost:
        if not _look(lambda: _items_of(client, wanted), sleep):
            lost.message += (
                " The hub does not show the object; it was not sent again, because it publishes an offer. "
                "Run it again to try once more."
            )
            raise


def _look(find: Callable[[], list[Record]], sleep: _Sleep) -> list[Record]:
    for pause in LOOK_AGAIN:
        if pause:
            sleep(pause)
        found = find()
        if found:
            return found
    return []


# ---- suggestions


def _suggested(client: Client, what: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Object uuid to suggestion; the service answers [] where there is none."""
    decoded = client.send("POST", f"/circularity-hub/suggest-{what}", Effect.READ, body=body).json()
    return dict(decoded) if isinstance(decoded, Mapping) else {}


def hub_suggestion_info(client: Client, filters: Mapping[str, Any], sort: Sequence[str], limit: int | None) -> Found:
    """Category and price that the service suggests for the objects a filter finds."""
    wire: dict[str, dict[str, Any]] = {}
    schema = client.schema(_OBJECT)
    for condition in parse_filters(filters):
        of = schema.find(condition.field)
        if of is None and condition.field not in SERVER_KEYS:
            # An instance may ignore a field that it does not know, and then suggest something for every object.
            raise InvalidInput(f"filters.{condition.field}: {schema.why_unknown(condition.field)}")
        operators = wire.setdefault(of.key if of else condition.field, {})
        several = condition.operator in MULTIPLE
        operators[condition.operator] = list(condition.values) if several else next(iter(condition.values), True)
    order = {name: "DESC" if descending else "ASC" for name, descending in parse_sort(sort)}
    categories = _suggested(client, "category", {"filter": wire, "sort": order})
    prices = _suggested(client, "rest-price", categories) if categories else {}
    records = [
        {"uuid": uuid, "category": category, "price": DECIMAL.show(DECIMAL.read(prices.get(uuid), PRICE))}
        for uuid, category in categories.items()
    ]
    return Found(records[:limit], len(records))


# ---- orders


def hub_order(client: Client, options: Mapping[str, Any], check_mode: bool, sleep: _Sleep = time.sleep) -> Report:
    """Orders items once, and completes or cancels an order.

    :param options: items, or id or order_number; completed, cancelled, cancellation_reason.
    """
    if options.get("cancelled") and not options.get("cancellation_reason"):
        raise InvalidInput("cancellation_reason is missing: an order is not cancelled without a reason")
    flags = {
        name: options[name]
        for name in ("completed", "cancelled", "cancellation_reason")
        if options.get(name) is not None
    }
    if options.get("items") is None:
        return _flag(client, _named(client, options), flags, check_mode)
    orders = client.list_all(HUB_ORDER)
    try:
        assets, ids = _wanted_articles(client, options["items"])
    except NoMatch as missing:
        if not check_mode:
            raise
        return Report(
            True, dict(flags), None, _diff({}, {"items": list(options["items"]), **flags}), (missing.message,)
        )
    same = [order for order in orders if _has_articles(order, assets, ids)]
    live = [order for order in same if not is_cancelled(order)]
    if options.get("cancelled") and not live:
        if same:
            return Report(False, _show(_ORDERS, same[-1]))
        return Report(False, warnings=("There is no order of these items, so there is nothing to cancel.",))
    found = matching.one_of(HUB_ORDER, "exactly these articles", live, advice="give id or order_number")
    if found is not None:
        return _flag(client, found, flags, check_mode)
    known = {order.id for order in orders}
    return _order(client, options, assets, ids, flags, known, check_mode, sleep)


def _named(client: Client, options: Mapping[str, Any]) -> Record:
    if options.get("id") is not None:
        key, value = "id", options["id"]
        found = client.get(HUB_ORDER, str(value))
    else:
        key, value = "order_number", options["order_number"]
        listed = client.list_all(HUB_ORDER, [Condition(key, "eq", (value,))])
        same = [order for order in listed if _ORDERS.read(order.flat).get(key) == value]
        found = matching.one_of(HUB_ORDER, f"{key} {value!r}", same, advice="give id")
    if found is None:
        raise NoMatch(f"There is no hub order with {key} {value!r}.")
    return found


def _wanted_articles(client: Client, items: Sequence[Any]) -> tuple[set[int], set[int]]:
    """What was written as items: the ids of objects, and the ids of items."""
    if not items:
        raise InvalidInput("items: expected at least one object or item id")
    ids = {item for item in items if isinstance(item, int) and not isinstance(item, bool)}
    named = {
        f"items[{number}]": item
        for number, item in enumerate(items)
        if not isinstance(item, int) or isinstance(item, bool)
    }
    return {int(record.id or 0) for record in find_objects(client, named)}, ids


def _has_articles(order: Record, assets: set[int], ids: set[int]) -> bool:
    articles = _articles(order)
    meant = [article for article in articles if article.get("asset_id") in assets or article.get("id") in ids]
    return len(articles) == len(assets) + len(ids) == len(meant)


def _flag(client: Client, order: Record, flags: Mapping[str, Any], check_mode: bool) -> Report:
    have = _ORDERS.read(order.flat)
    differ = {name: value for name, value in flags.items() if (have.get(name) or None) != (value or None)}
    if not differ:
        return Report(False, _show(_ORDERS, order))
    diff = _diff({name: have.get(name) for name in differ}, differ)
    if check_mode:
        return Report(True, {**_show(_ORDERS, order), **differ}, None, diff)
    client.send("PATCH", HUB_ORDER.item_path.format(uuid=order.id), Effect.SAME, body=differ)
    return Report(True, _show(_ORDERS, _read_again(client, HUB_ORDER, order.id)), None, diff)


def _order(
    client: Client,
    options: Mapping[str, Any],
    assets: set[int],
    ids: set[int],
    flags: Mapping[str, Any],
    known: set[int | None],
    check_mode: bool,
    sleep: _Sleep,
) -> Report:
    by_asset = {_ITEMS.read(record.flat).get("asset_id"): record.id for record in _offered(client)} if assets else {}
    missing = [asset for asset in assets if by_asset.get(asset) is None]
    diff = _diff({}, {"items": list(options["items"]), **flags})
    if missing:
        text = f"items: the object(s) with the id {', '.join(map(str, sorted(missing)))} are not offered on the hub"
        if not check_mode:
            raise NoMatch(text)
        return Report(True, {}, None, diff, (text,))
    if check_mode:
        return Report(True, dict(flags), None, diff)
    numbers = sorted([*ids, *(int(by_asset[asset] or 0) for asset in assets)])
    try:
        answer = client.send("POST", HUB_ORDER.list_path, Effect.ONCE, body=numbers)
        number = answer.headers.get("Location-ID") or answer.headers.get("Location", "").rstrip("/").rpartition("/")[2]
    except OutcomeUnknown as lost:
        made = _look(
            lambda: [
                order
                for order in client.list_all(HUB_ORDER)
                if order.id not in known and _has_articles(order, assets, ids)
            ],
            sleep,
        )
        if len(made) != 1:
            lost.message += (
                " The order is not among the orders; it was not sent again, because it checks items out. "
                "Run it again to try once more."
            )
            raise
        number = str(made[0].id)
    order = _read_again(client, HUB_ORDER, int(number))
    flagged = _flag(client, order, flags, check_mode) if flags else Report(True, _show(_ORDERS, order))
    return Report(True, flagged.record, None, diff)
