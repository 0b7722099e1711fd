# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The circularity hub: items and suggestions (section 4.7 of the interface and the published description).

Putting an object on the hub publishes it, so it is never sent twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from http import HTTPStatus
from typing import Any

from ..client.attempts import Effect
from ..client.client import Client
from ..client.query import Operands, parse_sort
from ..client.record import Record
from ..client.settling import await_effect, send_once
from ..errors import InvalidInput, NoMatch, OutcomeUnknown, SeventhingsError
from ..model.field import Field, integer_of, is_uuid
from ..model.kinds import HUB_ITEM, HUB_ORDER, KINDS, Kind
from ..model.schema import Schema
from ..model.types_basic import DECIMAL
from ..reconcile.lost_changes import Step, carry_out
from ..reconcile.result import Result
from ..resolve import natural_keys
from ..resolve.field_visibility import perhaps_not_deleted
from ..resolve.listing import ListResult, conditions_as_sent, list_records
from ..resolve.read_cache import find_record

ITEMS = Schema.for_kind(HUB_ITEM)
ORDERS = Schema.for_kind(HUB_ORDER)
_OBJECT = KINDS["object"]
#: The price of an offer, with two decimal places.
PRICE = Field("price", "MONEY", constraints={"min_value": 0, "max_decimals": 2}, fraction_digits=2)


def offered_items(client: Client) -> list[Record]:
    """Return the items that are on the hub and were not taken off."""
    return [record for record in client.list_all(HUB_ITEM) if is_offered(record)]


def is_offered(item: Record | None) -> bool:
    """Return True if an item is on the hub and was not taken off."""
    return item is not None and not ITEMS.read(item.flat).get("deleted")


def articles_of(order: Record) -> list[Mapping[str, Any]]:
    """Return the articles of an order (section 2.5)."""
    return list(ORDERS.read_field("articles", order.flat))


def is_cancelled(order: Record) -> bool:
    """Return True if an order was cancelled, so that its objects are free again."""
    return bool(ORDERS.read(order.flat).get("cancelled"))


def asset_id(item: Record) -> int | None:
    """Return the integer id of the offered object."""
    return integer_of(item.flat.get("asset_id"))


def asset_ids(order: Record) -> set[int | None]:
    """Return the integer ids of the objects in an order."""
    return {integer_of(article.get("asset_id")) for article in articles_of(order)}


def learn_id(wanted: Record, shown: Iterable[Mapping[str, Any]]) -> None:
    """Fill in the id of an object by the offer or the article that shows its barcode.

    On some instances only the offer has the id of its object; the object itself does not show it.

    :raises SeventhingsError: if a barcode is missing, so that the offered object is unknown.
    """
    key = _OBJECT.barcode_key
    barcode = wanted.flat.get(key)
    for item in shown if wanted.id is None else ():
        data = item.get("object_data", item.get("mappedAssetData"))
        if not barcode or not isinstance(data, Mapping) or key not in data:
            raise SeventhingsError(
                f"This instance shows no id of the object {wanted.uuid}, and no {key} by which it is found on the hub; "
                "nothing was sent."
            )
        if data[key] == barcode:
            wanted.id = integer_of(item.get("asset_id"))
            return


def diff_of(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return before and after in the form of a result."""
    return {"before": dict(before), "after": dict(after)}


def read_again(
    client: Client, kind: Kind, number: int | None, is_changed: Callable[[Record], bool] = lambda _record: True
) -> Record:
    """Return a record as soon as it shows a change.

    :raises SeventhingsError: if the change has no effect.
    """

    def read() -> Record | None:
        record = client.get(kind, str(number))
        return record if record is not None and is_changed(record) else None

    return await_effect(client.transport, read, lambda: f"The {kind.words} {number} is as it was")


# ---- items


def hub_item(client: Client, options: Mapping[str, Any], check_mode: bool) -> Result:
    """Offer an object on the hub, change its price, or take it off.

    :param options: object, category, price, state.
    """
    price = _parse_price(options.get("price"))
    try:
        wanted = find_record(client, _OBJECT, options["object"])
    except NoMatch:
        if options["state"] == "absent":
            return Result(False, warnings=(perhaps_not_deleted(HUB_ITEM),))
        raise
    offered = natural_keys.only_record(HUB_ITEM, f"the object {options['object']!r}", _items_of(client, wanted))
    if options["state"] == "absent":
        return _take_off(client, offered, check_mode)
    if offered is not None:
        return _change_price(client, offered, price, check_mode)
    orders = [order for order in client.list_all(HUB_ORDER) if not is_cancelled(order)]
    learn_id(wanted, (article for order in orders for article in articles_of(order)))
    ordered = [order for order in orders if wanted.id is not None and wanted.id in asset_ids(order)]
    if ordered:
        words = f"The object is in the order {ordered[0].flat.get('order_number')}, so it is not offered again."
        return Result(False, warnings=(words,))
    return _offer(client, wanted, options, price, check_mode)


def item_to_come(options: Mapping[str, Any]) -> Result:
    """Return the prediction for an object that an earlier task may create."""
    return Result(True, diff=diff_of({}, _written(options)))


def _parse_price(value: Any) -> Decimal | None:
    parsed, findings = Schema(HUB_ITEM, (PRICE,)).parse({PRICE.key: value}, "")
    if findings.errors:
        raise InvalidInput(findings.errors)
    price: Decimal | None = parsed[PRICE.key]
    return price


def _written(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in ("object", "category", "price") if options.get(name) is not None}


def _items_of(client: Client, wanted: Record) -> list[Record]:
    items = offered_items(client)
    learn_id(wanted, (item.flat for item in items))
    return [item for item in items if wanted.id is not None and asset_id(item) == wanted.id]


def _take_off(client: Client, offered: Record | None, check_mode: bool) -> Result:
    if offered is None:
        return Result(False)
    shown = ITEMS.show(offered.flat)
    if not check_mode:
        change_item(client, offered, None)
        await_effect(
            client.transport,
            lambda: None if is_offered(client.get(HUB_ITEM, str(offered.id))) else True,
            lambda: f"The hub item {offered.id} is still offered",
        )
    return Result(True, {}, None, diff_of({"price": shown.get("price")}, {}))


def _change_price(client: Client, offered: Record, price: Decimal | None, check_mode: bool) -> Result:
    have = ITEMS.read(offered.flat).get("price")
    if price is None or DECIMAL.equal(price, have, PRICE):
        return Result(False, ITEMS.show(offered.flat))
    diff = diff_of({"price": DECIMAL.show(have)}, {"price": DECIMAL.show(price)})
    if check_mode:
        return Result(True, {**ITEMS.show(offered.flat), "price": DECIMAL.show(price)}, None, diff)
    change_item(client, offered, price)
    now = read_again(client, HUB_ITEM, offered.id, lambda record: ITEMS.read(record.flat).get("price") != have)
    return Result(True, ITEMS.show(now.flat), None, diff)


def change_item(
    client: Client, offered: Record, price: Decimal | None, defers: bool = False, lost: OutcomeUnknown | None = None
) -> None:
    """Change the price of an offer, or take it off. Errors and ``defers`` as in :func:`.lost_changes.carry_out`.

    :param price: None to take it off.
    """
    number, before = str(offered.id), ITEMS.read(offered.flat).get("price")

    def send(_now: Record) -> None:
        if price is None:
            client.delete(HUB_ITEM, number)
        else:
            client.update(HUB_ITEM, number, {"price": DECIMAL.write(price)})

    def has(now: Record, value: Any) -> bool:
        return is_offered(now) and DECIMAL.equal(value, ITEMS.read(now.flat).get("price"), PRICE)

    def is_done(now: Record | None) -> bool:
        return not is_offered(now) if price is None else now is not None and has(now, price)

    path = HUB_ITEM.item_path.format(uuid=number)
    step = Step(path, send, lambda: client.get(HUB_ITEM, number), is_done, lambda now: has(now, before))
    carry_out(client, step, offered, defers, lost)


def _offer(
    client: Client, wanted: Record, options: Mapping[str, Any], price: Decimal | None, check_mode: bool
) -> Result:
    category, price_to_send = _category_and_price(client, wanted, options.get("category"), price)
    diff = diff_of({}, _written(options))
    if check_mode:
        return Result(
            True, {"asset_id": wanted.id, "price": DECIMAL.show(DECIMAL.read(price_to_send, PRICE))}, None, diff
        )
    _publish(client, wanted, category, price_to_send)
    offered = await_effect(
        client.transport,
        lambda: _items_of(client, wanted) or None,
        lambda: f"The hub does not show the object {options['object']!r}",
    )
    item = natural_keys.only_record(HUB_ITEM, f"the object {options['object']!r}", offered)
    return Result(True, ITEMS.show(item.flat) if item else {}, None, diff)


def _category_and_price(client: Client, wanted: Record, category: Any, price: Decimal | None) -> tuple[Any, Any]:
    """Return the category and price to send: as given, otherwise as the service suggests."""
    uuid = wanted.uuid
    category = category or _suggested(client, "category", {"filter": _only(wanted)}).get(uuid)
    if category is None:
        raise InvalidInput("category: the service suggests none for this object; give one")
    price_to_send = (
        DECIMAL.write(price) if price is not None else _suggested(client, "rest-price", {uuid: category}).get(uuid)
    )
    if price_to_send is None:
        raise InvalidInput("price: the service suggests none for this object; give one")
    return category, price_to_send


def _only(wanted: Record) -> dict[str, Any]:
    """Return the filter that finds exactly one object."""
    key, value = (_OBJECT.uuid_keys[0], wanted.uuid) if wanted.id is None else ("id", wanted.id)
    return {key: {"eq": value}}


def offer(client: Client, wanted: Record, category: Any, price: Decimal | None) -> None:
    """Offer an object that is neither on the hub nor in an order.

    The service suggests what is not given. The caller looks for an offer whose answer was lost.
    """
    category, price_to_send = _category_and_price(client, wanted, category, price)
    _publish(client, wanted, category, price_to_send, defers=True)


def _publish(client: Client, wanted: Record, category: Any, price: Any, defers: bool = False) -> None:
    body = {wanted.uuid: {"category": category, "price": price}}

    def send() -> object:
        return client.send("POST", "/circularity-hub/add-objects-to-circularity-hub", Effect.UNSAFE, body=body)

    with client.creations.making(HUB_ITEM.name):
        try:
            send_once(client.transport, send, lambda: _items_of(client, wanted), "it publishes an offer", defers)
        except OutcomeUnknown as lost:
            if lost.status == HTTPStatus.INTERNAL_SERVER_ERROR:
                lost.message += " What may help: this instance may require a purchasing_price of the object."
            raise


# ---- suggestions


def _suggested(client: Client, suggestion: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the suggestions by the uuid of the object. An instance answers [] or {} if it has none.

    :raises SeventhingsError: for an answer of another shape.
    """
    answer = client.send("POST", f"/circularity-hub/suggest-{suggestion}", Effect.SAFE, body=body)
    decoded = answer.json()
    if decoded == []:
        return {}
    if not isinstance(decoded, Mapping) or not all(map(is_uuid, decoded)):
        raise SeventhingsError(f"{answer.endpoint}: expected suggestions by the uuid of an object, got something else.")
    return dict(decoded)


def hub_suggestion_info(client: Client, options: Mapping[str, Any]) -> ListResult:
    """Return the category and price that the service suggests for the objects that match filters.

    Filters on links also request the list of objects.

    :param options: filters, sort, limit; category: request the price in this category, whatever category is suggested.
    """
    filters, category = options["filters"], options.get("category")
    wire: dict[str, dict[str, Any]] = {}
    # An instance may ignore an unknown field and then suggest something for every object.
    conditions, are_all = conditions_as_sent(client, client.schema(_OBJECT), filters)
    for condition in conditions:
        values = [DECIMAL.write(value) if isinstance(value, Decimal) else value for value in condition.values]
        plural = condition.meaning.operands is Operands.MANY
        wire.setdefault(condition.field, {})[condition.operator] = values if plural else next(iter(values), True)
    order = {name: "DESC" if descending else "ASC" for name, descending in parse_sort(options["sort"])}
    categories = _suggested(client, "category", {"filter": wire, "sort": order})
    if not are_all:
        matching = {record["uuid"] for record in list_records(client, _OBJECT, None, filters, [], None).records}
        categories = {uuid: suggested for uuid, suggested in categories.items() if uuid.lower() in matching}
    if category:
        categories = dict.fromkeys(categories, category)
    prices = _suggested(client, "rest-price", categories) if categories else {}
    records = [
        {"uuid": uuid, "category": category, "price": DECIMAL.show(DECIMAL.read(prices.get(uuid), PRICE))}
        for uuid, category in categories.items()
    ]
    return ListResult(records[: options.get("limit")], len(records))
