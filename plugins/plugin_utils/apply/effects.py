# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check that the writes of an apply had an effect.

The record in an answer proves it. All other writes are checked at the end, with one list of their kind or one request
per record.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.client.query import PER_PAGE
from ...module_utils.client.record import Record
from ...module_utils.client.settling import had_no_effect, poll_until_visible
from ...module_utils.errors import SeventhingsError
from ...module_utils.model.kinds import HUB_ITEM, KINDS, Kind
from ...module_utils.plan.change import ARCHIVE, CREATE, DELETE, UPDATE, Change
from ...module_utils.reconcile.effects import still_has, unchanged_fields, without_effect
from ...module_utils.resolve.field_visibility import not_kept, perhaps_hidden, unkept
from ..set_plan.hub import offer_of, offered
from ..set_plan.listed_state import ListedState
from ..set_plan.plan import Planned

_REMOVALS = (DELETE, ARCHIVE)


@dataclass(frozen=True)
class Write:
    """A sent change without proof of its effect.

    :ivar identity: identifies the record in paths; empty for a new offer.
    :ivar was_managed: True if the record belonged to the set before it was removed.
    :ivar first: the values of fields that no listed record had. If the instance leaves empty fields out, they may be
        hidden.
    """

    planned: Planned
    change: Change
    identity: str
    was_managed: bool
    first: Mapping[str, Any]

    @property
    def kind(self) -> Kind:
        return self.planned.kind


@dataclass(frozen=True)
class Failure:
    """A write that never took effect.

    :ivar is_partial: True if the write had another effect: it created the record, or changed other fields of it.
    """

    write: Write
    reason: str
    is_partial: bool


class Effects:
    """The writes of an apply without a proven effect."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._writes: list[Write] = []
        self._mutex = threading.Lock()

    def note(
        self,
        planned: Planned,
        change: Change,
        answered: Record | None = None,
        was_managed: bool = False,
        first: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """Note a write, unless its answer proves that it had an effect.

        :param answered: the record as it was answered or read after the write. :param first: see :class:`Write`. One
            record of each kind shows whether these fields are hidden.
        """
        identity = planned.created_uuid or ("" if change.current is None else change.current.identity)
        with self._mutex:
            if any(write.first and write.kind is planned.kind for write in self._writes):
                first = {}
            if first or answered is None or without_effect(self._client, planned.schema, change, answered):
                self._writes.append(Write(planned, change, identity, was_managed, first))

    def lists(self, before: ListedState | None, listed: Collection[str]) -> set[str]:
        """Return the kinds whose writes are checked in a list, because that takes the fewest requests.

        :param before: the lists that the plan was made from.
        :param listed: kinds that are listed again anyway.
        """
        return {
            name
            for name, count in Counter(write.kind.name for write in self._writes).items()
            if name in listed
            or KINDS[name] is HUB_ITEM
            or (before is not None and before.is_listed(KINDS[name]) and _pages(before, KINDS[name]) < count)
        }

    def failures(self, state: ListedState, lists: Collection[str], again: Callable[[], ListedState]) -> list[Failure]:
        """Return the writes whose effect is not visible within the settling horizon.

        :param state: the lists of these kinds after the writes. :param again: reads them once more.
        :raises SeventhingsError: if nothing can be read.
        """
        states = [state]
        left: list[Failure] | None = None

        def read() -> bool | None:
            nonlocal left
            writes = self._writes if left is None else [failure.write for failure in left]
            now = _Now(self._client, states.pop() if states else again(), lists)
            left = [failure for failure in map(now.failure, writes) if failure is not None]
            return None if left else True

        try:
            poll_until_visible(self._client.transport, read)
        except SeventhingsError:
            if left is None:
                raise
        return left or []


def _pages(before: ListedState, kind: Kind) -> int:
    return max(1, math.ceil(len(before.records(kind)) / PER_PAGE))


@dataclass(frozen=True)
class _Now:
    """The present records.

    :ivar lists: names of the kinds that are read as lists.
    """

    client: Client
    state: ListedState
    lists: Collection[str]
    _by_identity: dict[str, Mapping[str, Record]] = field(default_factory=dict)

    def failure(self, write: Write) -> Failure | None:
        """Return the failure of a write, or None if it had an effect."""
        planned, change, kind = write.planned, write.change, write.kind
        now = self._record(write)
        if kind is HUB_ITEM:
            words = self._of_offer(write, now)
        elif self._is_in_list(write) and change.action in _REMOVALS:
            words = "" if now is None else f"is still {'active' if change.action == ARCHIVE else 'there'}"
        elif self._is_in_list(write) and now is not None:
            # Lists omit archived records, so an unarchived record is active if the list contains it.
            words = still_has(unchanged_fields(planned.schema, change, now))
        else:
            words = without_effect(self.client, planned.schema, change, now)
            words += perhaps_hidden(kind) if now is None and words else ""
        if not words:
            hidden = [] if now is None else unkept(planned.schema, write.first, now)
            return Failure(write, not_kept(kind, hidden, write.identity), is_partial=True) if hidden else None
        still = [] if now is None else unchanged_fields(planned.schema, change, now)
        is_created = change.action == CREATE and now is not None
        is_partial = is_created or (change.action == UPDATE and len(still) < len(change.values))
        words = f"The {kind.words} {write.identity or planned.key} {words}"
        return Failure(write, had_no_effect(self.client.transport, words), is_partial)

    def _of_offer(self, write: Write, now: Record | None) -> str:
        if write.change.action == DELETE:
            return "" if now is None else "is still offered"
        if now is None:
            return "is not offered"
        return still_has(unchanged_fields(write.planned.schema, write.change, now))

    def _is_in_list(self, write: Write) -> bool:
        # Lists omit a record that was archived before it was deleted.
        return write.kind.name in self.lists and not (write.planned.archived and write.change.action == DELETE)

    def _record(self, write: Write) -> Record | None:
        """Return the present record, or None if it does not exist, or is archived and its kind is read as a list."""
        kind, template = write.kind, write.planned.entry.template
        if kind is HUB_ITEM and write.change.action == CREATE:
            return offer_of(self.state, write.planned.desired)
        if self._is_in_list(write):
            found = self._listed(kind, template).get(write.identity)
            if found is not None or write.change.action in _REMOVALS or kind is HUB_ITEM:
                return found
        return self.client.get(kind, write.identity, template)

    def _listed(self, kind: Kind, template: str) -> Mapping[str, Record]:
        name = f"{kind.name} {template}"
        if name not in self._by_identity:
            records = offered(self.state) if kind is HUB_ITEM else self.state.records(kind, template)
            self._by_identity[name] = {record.identity: record for record in records}
        return self._by_identity[name]
