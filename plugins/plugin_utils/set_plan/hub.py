# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plan the hub: the objects on offer, joined in memory with items and orders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.field import Field
from ...module_utils.model.kinds import HUB_ITEM, HUB_ORDER, OBJECT
from ...module_utils.model.schema import Schema
from ...module_utils.model.types_basic import DECIMAL
from ...module_utils.model.types_links import Reference, references_in, with_references
from ...module_utils.operations import hub_items
from ...module_utils.plan.change import CREATE, DELETE, UNCHANGED, UPDATE, Change
from ..desired.entry import Entry
from .context import PlanContext
from .listed_state import ListedState
from .plan import Planned

#: The fields of an offer in files: the object, and category and price unless the service suggests them.
FIELDS = (Field("object", "LINKED_ASSET", mandatory=True), Field("category", "TEXT"), hub_items.PRICE)


def schema() -> Schema:
    """Return the fields of an offer."""
    return Schema(HUB_ITEM, FIELDS)


def plan_offers(context: PlanContext) -> Iterator[Planned]:
    """Plan the change of the hub for each entry."""
    items, result = _Items(context.state), context.result
    for entry in context.entries[HUB_ITEM.section]:
        planned = _plan_offer(context, items, entry)
        if entry.state == "absent" and (planned is None or _awaits_object(planned)):
            result.unmatched[HUB_ITEM.section] += 1
        if planned is not None:
            yield planned
    if any(planned.kind is HUB_ITEM for planned in result.changes):
        # The scope does not apply to the hub.
        result.existing[HUB_ITEM.section] = len(offered(context.state))


def _awaits_object(planned: Planned) -> bool:
    return any(reference.pending is not None for reference in references_in(planned.desired["object"]))


def _plan_offer(context: PlanContext, items: _Items, entry: Entry) -> Planned | None:
    """Return an entry with its change, or None after a finding, or if there is no such object to withdraw."""
    fields, place = schema(), entry.place_of("object")
    values = context.wanted.parse(fields, entry, entry.fields)
    objects = list(references_in(values.get("object")))
    if len(objects) != 1:
        if "object" not in entry.fields or values.get("object") is not None:
            context.find(place, "object: expected the one object that is offered")
        return None
    wanted, problem = context.meaning(objects[0])
    if problem:
        if entry.state == "present":
            context.find(place, f"object: {problem}")
        return None
    words = context.words(fields, ("object",), values)
    values["object"] = with_references(values["object"], {objects[0]: wanted}.__getitem__)
    known = wanted.uuid or wanted.id if wanted.pending is None else f"at {wanted.pending.place}"
    if not context.claim(HUB_ITEM, f"of the object {known}", entry):
        return None
    planned = context.planned(entry, fields, values, ("object",), words)
    change, warning = _change(items, entry, values, wanted, fields)
    planned.change = replace(change, warnings=(warning,) if warning else ())
    return planned


def offered(state: ListedState) -> list[Record]:
    """Return the items on offer."""
    return [record for record in state.records(HUB_ITEM) if hub_items.is_offered(record)]


def _id_of(state: ListedState, wanted: Reference, shown: Iterable[Mapping[str, Any]]) -> int | None:
    """Return the id of an object. If the instance does not show it, the hub shows it with the barcode."""
    if wanted.id is None and wanted.pending is None:
        record = state.of_uuid(OBJECT, str(wanted.uuid))
        if record is not None:
            hub_items.learn_id(record, shown)
            return record.id
    return wanted.id


def offer_of(state: ListedState, values: Mapping[str, Any]) -> Record | None:
    """Return the item that offers the object of some values."""
    return _Items(state).offered(state.completed(next(references_in(values.get("object")))))


def asset_ids_offered(state: ListedState) -> set[Any]:
    """Return the integer ids of the objects on offer."""
    return {hub_items.asset_id(record) for record in offered(state)}


class _Items:
    """Find offers and orders by the integer id of the object. Orders are read on demand."""

    def __init__(self, state: ListedState) -> None:
        self._state = state

    @cached_property
    def _offered(self) -> dict[Any, Record]:
        return {hub_items.asset_id(record): record for record in offered(self._state)}

    @cached_property
    def _ordered(self) -> dict[Any, Record]:
        orders = (order for order in self._state.records(HUB_ORDER) if not hub_items.is_cancelled(order))
        return {asset: order for order in orders for asset in hub_items.asset_ids(order)}

    def offered(self, wanted: Reference) -> Record | None:
        number = _id_of(self._state, wanted, (item.flat for item in self._offered.values()))
        return self._offered.get(number) if number is not None else None

    def ordered(self, wanted: Reference) -> Record | None:
        articles = (article for order in self._ordered.values() for article in hub_items.articles_of(order))
        number = _id_of(self._state, wanted, articles)
        return self._ordered.get(number) if number is not None else None

    def with_id(self, reference: Reference) -> Reference:
        """Return a reference with the id of its object, which an offer or an order may have shown."""
        return reference if reference.pending is not None else replace(reference, id=_id_of(self._state, reference, ()))


def _change(
    items: _Items, entry: Entry, values: dict[str, Any], wanted: Reference, fields: Schema
) -> tuple[Change, str]:
    item = items.offered(wanted) if wanted.pending is None else None
    values["object"] = with_references(values["object"], items.with_id)
    unchanged = Change(HUB_ITEM, UNCHANGED, item)
    have = hub_items.ITEMS.read(item.flat).get("price") if item is not None else None
    if entry.state == "absent":
        if item is None:
            return unchanged, ""
        return Change(HUB_ITEM, DELETE, item, {}, {"price": DECIMAL.show(have)}, {}), ""
    price = values.get("price")
    if item is not None:
        if price is None or DECIMAL.equal(price, have, hub_items.PRICE):
            return unchanged, ""
        shown = {"price": DECIMAL.show(have)}, {"price": DECIMAL.show(price)}
        return Change(HUB_ITEM, UPDATE, item, {"price": price}, *shown), ""
    order = items.ordered(wanted) if wanted.pending is None else None
    values["object"] = with_references(values["object"], items.with_id)
    if order is not None:
        return unchanged, f"the object is in the order {order.flat.get('order_number')}, so it is not offered again"
    return Change(HUB_ITEM, CREATE, None, values, {}, {key: fields.brief(key, values[key]) for key in values}), ""
