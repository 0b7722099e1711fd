# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ignore the fields that the files name, and refuse to remove records that they, or an earlier run, protect."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cached_property

from ...module_utils.client.record import Record
from ...module_utils.model.kinds import HUB_ITEM, KINDS, OBJECT
from ...module_utils.model.schema import Schema
from ...module_utils.plan.change import ARCHIVE, DELETE
from ..desired.desired import SECTIONS
from ..desired.entry import Entry
from ..desired.lifecycle import LIFECYCLE, NOTHING, Lifecycle, idle_names, keys_of
from ..desired.positions import Place
from ..desired.row_rules import Fields
from ..desired.words import OWN_LIFECYCLE
from ..layers.records import owners_of
from .aspect import Aspect
from .context import PlanContext
from .hub import asset_ids_offered
from .hub import schema as offer_schema
from .marks import offer_mark, shield_mark
from .plan import Planned, Protection
from .prune import Pruning

_REMOVED = {DELETE: "delete it", ARCHIVE: "archive it"}


def note_protection(context: PlanContext, planned: Planned, current: Record | None) -> None:
    """Note that a record says whether it must stay."""
    said = planned.entry.lifecycle.is_protected
    if said is not None and planned.entry.state == "present" and context.is_chosen(planned):
        context.result.protections.append(Protection(planned, current.uuid if current else "", said))


def _protection_of(entry: Entry) -> Place:
    """Return the place of a protected record in the first layer that protects it."""
    return next(owner.place for owner in owners_of(entry) if owner.lifecycle.is_protected)


class Lifecycles(Aspect):
    """Leave ignored fields alone, and refuse to remove protected records."""

    def __init__(self, context: PlanContext) -> None:
        super().__init__(context)
        self._settings = context.desired.lifecycle
        self._words_of = Pruning(context).words_of
        self._left: dict[tuple[str, Lifecycle, bool, Sequence[Fields]], frozenset[str]] = {}

    # ---- left alone

    def settings(self) -> None:
        """Check for fields in the settings that do not exist, or that identify records."""
        desired = self._context.desired
        for section, lifecycle in self._settings.items():
            schema = self._schema_of(section) if section in desired.sections else None
            if schema is None:
                continue
            for setting, name in idle_names(lifecycle, schema):
                where = f"{LIFECYCLE}.{section}.{setting}"
                self._context.find(desired.place_of(where), f"{where}: {name}: {schema.why_unknown(name)}")
            self._context.result.warnings += [
                f"{LIFECYCLE}.{section}.{setting}: {name!r} matches no field, so it has no effect."
                for setting, name in idle_names(lifecycle, schema, is_pattern=True)
            ]
            kind = KINDS[SECTIONS[section]]
            names = desired.identity.get(section) or next(iter(kind.match_on), kind.written_key)
            keys = [key for name in names for key in keys_of(schema, name)]
            for key in keys:
                if key in lifecycle.left_alone(schema, exists=True):
                    words = f"{LIFECYCLE}.{section}: {key} identifies the {section}, so it can't be left alone"
                    self._context.find(desired.place_of(f"{LIFECYCLE}.{section}"), words)

    def _schema_of(self, section: str) -> Schema | None:
        return offer_schema() if SECTIONS[section] == HUB_ITEM.name else self._context.schema_of(section)

    def left_alone(self, schema: Schema, entry: Entry, exists: bool) -> frozenset[str]:
        """Return the keys of the ignored fields of a record. Fields of its natural key are never ignored."""
        general, own = self._settings.get(schema.kind.section, NOTHING), entry.lifecycle
        if general is NOTHING and own is NOTHING:
            return frozenset()
        if own is not NOTHING:
            self._check(schema, entry)
        lifecycle = general.with_more(own)
        mark = (schema.kind.name, lifecycle, exists, entry.rules.match)
        if mark not in self._left:
            kind = schema.kind
            names = [name for keys in self._context.desired.key_choices(kind, entry.rules) for name in keys]
            identity = {key for name in names for key in keys_of(schema, name)}
            self._left[mark] = lifecycle.left_alone(schema, exists) - identity
        return self._left[mark]

    def _check(self, schema: Schema, entry: Entry) -> None:
        for setting, name in idle_names(entry.lifecycle, schema):
            words = f"{OWN_LIFECYCLE}.{setting}: {name}: {schema.why_unknown(name)}"
            owner = next(owner for owner in owners_of(entry) if name in getattr(owner.lifecycle, setting))
            self._context.find(owner.place_of(OWN_LIFECYCLE), words)

    # ---- protected

    def compared(self, planned: Planned, current: Record | None) -> None:
        """Note that a record says whether it must stay."""
        note_protection(self._context, planned, current)

    def complete(self) -> None:
        """Refuse to remove protected records."""
        if not self._context.findings:
            self._check_idle()
        self._context.result.protected = list(self._refusals())

    def _check_idle(self) -> None:
        """Refuse removals while a protection of their section matches nothing.

        It may be meant for one of the removed records. If nothing is removed, there is only a warning, because a future
        record may match.
        """
        desired, result = self._context.desired, self._context.result
        for section, lifecycle in self._settings.items():
            kind = KINDS[SECTIONS[section]]
            if not lifecycle.protect or section not in desired.sections or not kind.can_be_looked_up:
                continue
            schema = self._context.schema(kind)
            mine = [planned for planned in result.changes if planned.section == section]
            idle = lifecycle.idle_protections(
                itertools.chain(
                    (name for planned in mine for name in (planned.key, planned.words)),
                    (self._words_of(schema, record) for record in self._context.state.records(kind)),
                )
            )
            number = sum(planned.change.action in _REMOVED for planned in mine)
            for pattern in idle:
                words = f"{LIFECYCLE}.{section}.protect: {pattern!r} matches no record by its natural key"
                if number:
                    place = desired.place_of(f"{LIFECYCLE}.{section}.protect")
                    why = f"so it protects none of those that this plan deletes or archives ({number})"
                    self._context.find(place, f"{words}, {why}; write a natural key, or take it out")
                else:
                    result.warnings.append(f"{words}, so it protects nothing yet.")

    def _refusals(self) -> Iterator[str]:
        """Yield which changes remove or archive a protected record, and why it is protected."""
        removals = [planned for planned in self._context.result.changes if planned.change.action in _REMOVED]
        for planned in removals:
            current = planned.change.current
            uuid = current.uuid if current is not None else ""
            names = [planned.key, planned.words]
            if current is not None and planned.kind.match_on:
                # The same files may rename the record.
                names.append(self._words_of(planned.schema, current))
            mark = shield_mark(planned.kind, uuid, planned.desired)
            why = self._why(planned.section, names, uuid, mark, planned.entry)
            if why:
                yield f"{planned} is protected, and the plan would {_REMOVED[planned.change.action]}: {why}"
            elif current is not None and planned.kind is OBJECT and planned.change.action == DELETE:
                why = self._why(HUB_ITEM.section, names, uuid, offer_mark(uuid))
                if why and current.id in asset_ids_offered(self._context.state):
                    yield f"{planned} is offered on the hub, which is protected, and the plan would remove it: {why}"

    def _why(self, section: str, names: Sequence[str], uuid: str, mark: str, entry: Entry | None = None) -> str:
        """Return the reason why a record must stay; empty if it need not.

        :param names: all natural keys that it has, or would have. :param uuid: its uuid; empty if it has none yet.
        :param mark: its identifier in a journal. :param entry: the record as written.
        """
        desired, options = self._context.desired, self._context.options
        if desired.lifecycle.get(section, NOTHING).protects(names, uuid):
            place = desired.place_of(f"{LIFECYCLE}.{section}.protect")
            return f"{LIFECYCLE}.{section}.protect at {place} names it"
        if entry is not None and entry.lifecycle.is_protected:
            return f"{OWN_LIFECYCLE} at {_protection_of(entry)} says so"
        if mark in self._written:
            return f"{OWN_LIFECYCLE} at {_protection_of(self._written[mark])} says so"
        lifted = f"write it with `{OWN_LIFECYCLE}: {{protect: false}}`"
        if mark in options.protected:
            return f"the files protected it when they were applied last; to remove it, {lifted}, and apply that once"
        others = self._context.others.protected
        if mark in others:
            return (
                f"{others[mark]} protected it; to remove it, {lifted} there, and apply that once. If that set "
                f"no longer exists, delete its journal"
            )
        return ""

    @cached_property
    def _written(self) -> dict[str, Entry]:
        """Return the records outside the plan by their identifiers in a journal, each with the reason."""
        desired = self._context.desired
        entries = [*desired.shields, *(entry for entry in desired.unmanaged if entry.lifecycle.is_protected)]
        return {mark: entry for entry in reversed(entries) for mark in self._marks(entry)}

    def _marks(self, entry: Entry) -> Iterator[str]:
        context = self._context
        if entry.kind is HUB_ITEM:
            values = context.wanted.parse(offer_schema(), entry, entry.fields)
            context.resolve(values, None)
            yield shield_mark(entry.kind, "", values)
            return
        schema, keys, identity = context.identify(entry)
        if keys:
            yield from (record.uuid for record in context.state.find_existing(schema, keys, identity))
