# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Unique values: written once, and given up by one record before another record gets them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.field import EMPTY, shorten
from ...module_utils.model.kinds import Kind
from ...module_utils.model.schema import Schema
from ...module_utils.resolve.natural_keys import Key
from ..desired.entry import Entry
from ..desired.parsing import written_as
from .aspect import Aspect
from .context import PlanContext
from .order import waiting_for_ever
from .plan import Planned


class UniqueValues(Aspect):
    """Refuse unique values that several records would have, and note which record gives up its value first."""

    def __init__(self, context: PlanContext) -> None:
        super().__init__(context)
        self._unique: dict[str, list[str]] = {}
        self._claimed: dict[tuple[str, str], dict[Key, tuple[Entry, bool]]] = defaultdict(dict)
        self._by_other: dict[tuple[Any, ...], list[tuple[Entry, bool]]] = {}

    def matched(self, planned: Planned, current: Record | None) -> None:
        """Claim the unique values of a record."""
        if len(planned.kind.match_on) > 1:
            self._claim_others(planned.schema, planned.keys, planned.desired, planned.entry)
        if planned.entry.state == "present":
            self._claim_unique(planned.schema, planned.keys, planned.desired, planned.entry)

    def changed(self, planned: Planned, current: Record | None) -> None:
        """Note that a record gets a unique value only after another record gives it up."""
        if planned.kind.template:
            for key in planned.change.values:
                field = planned.schema.fields.get(key)
                if field is not None and field.unique and planned.keys != (key,):
                    self._check(planned, key)

    def complete(self) -> None:
        """Refuse records that wait for each other's unique values in a circle."""
        for planned, key, owner in waiting_for_ever(self._context.result.changes):
            name, value = written_as(planned.schema, planned.entry, key), shorten(planned.change.values[key])
            words = f"must be unique, and the one at {owner.place} has it and waits for a value of this record"
            self._context.find(
                planned.entry.place_of(name), f"{name}: {value} {words}; give one of them another value first"
            )

    def _check(self, planned: Planned, key: str) -> None:
        context, schema, change = self._context, planned.schema, planned.change
        value, mine = change.values[key], change.current.uuid if change.current else ""
        hits = context.state.find_existing(schema, (key,), change.values) if value not in EMPTY else ()
        for other in hits:
            if other.uuid == mine:
                continue
            leaving = context.removals.get(other.uuid)
            owner = leaving.entry if leaving else context.claimed.get(planned.kind.name, {}).get(other.uuid)
            if owner is not None and self._gives_up(schema, key, owner, is_removed=leaving is not None):
                planned.after += ((key, owner),)
                continue
            name = written_as(schema, planned.entry, key)
            called = context.state.shown_name_of(other)
            called = other.uuid if called in (None, value) else called
            words = f"{name}: {shorten(value)} must be unique, and {planned.kind.singular} has it already: {called}"
            words += ", also when it is archived" if leaving else ""
            if change.current is None and (leaving or owner is None):
                words += f". If it is the same {planned.kind.words}, list its old and its new key in moved.yml"
            context.find(planned.entry.place_of(name), words)

    @staticmethod
    def _gives_up(schema: Schema, key: str, owner: Entry, is_removed: bool) -> bool:
        """Return True if the record of an entry gives up its present value. The archive keeps values."""
        return owner.state == "absent" if is_removed else written_as(schema, owner, key) in owner.fields

    def _claim_others(self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any], entry: Entry) -> None:
        """Refuse a natural key that two entries have if one of them is identified by it.

        Only kinds with several natural keys need this.
        """
        for other in schema.kind.match_on:
            key = self._context.state.key_of(schema, other, values)
            if key is None:
                continue
            is_own = tuple(keys) == other
            same = self._by_other.setdefault((schema.kind.name, other, key), [])
            same_record = next((other for other, is_its_own in same if is_own or is_its_own), None)
            same.append((entry, is_own))
            if same_record is not None:
                words = f"{schema.kind.words} {self._context.words(schema, other, values)}"
                self._context.find(
                    entry.place,
                    f"{words} is here and at {same_record.place}, and {other[-1]} alone identifies one of them",
                )

    def _claim_unique(self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any], entry: Entry) -> None:
        """Refuse a value that is written twice in a field with unique values.

        :param keys: the natural key of the entry. Two entries with one key are a finding already.
        """
        name = schema.kind.name
        if name not in self._unique:
            self._unique[name] = [field.key for field in schema.fields.values() if field.unique]
        for key in self._unique[name]:
            part, is_own = self._context.state.key_of(schema, (key,), values), tuple(keys) == (key,)
            if part is None:
                continue
            written = written_as(schema, entry, key)
            if written in entry.vaulted and not self._is_unique(schema.kind, key):
                continue
            earlier, was_own = self._claimed[name, key].setdefault(part, (entry, is_own))
            if earlier is not entry and not (is_own and was_own):
                place = earlier.place_of(written_as(schema, earlier, key))
                words = f"{written}: {shorten(values[key])} must be unique, and is written at {place} too"
                self._context.find(entry.place_of(written), words)

    def _is_unique(self, kind: Kind, key: str) -> bool:
        """Return True if the instance requires unique values.

        Files must not be able to test the value of a vaulted field.
        """
        own = self._context.state.client.schema(kind).fields.get(key)
        return own is not None and own.unique
