# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Match the records of a set: read each list once, and join it with the desired records by natural key."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.kinds import KINDS
from ...module_utils.model.schema import Schema
from ...module_utils.model.types_links import Reference
from ...module_utils.plan.compare import Comparer, Wanted
from ...module_utils.plan.record_planner import possible_targets
from ...module_utils.resolve import natural_keys
from ...module_utils.resolve.field_visibility import identifies
from ...module_utils.resolve.natural_keys import Key
from ..desired.desired import SECTIONS
from ..desired.entry import Entry
from ..desired.lifecycle import NOTHING
from ..desired.parsing import written_as
from ..desired.row_rules import CREATE
from .context import PlanContext
from .lifecycle import note_protection
from .plan import Pair, Planned
from .resolver import numbered_references

#: Sections with their own way to match records.
_BY_THEMSELVES = ("fields", "hub")


class Matching:
    """Pair the entries of all sections with their records.

    :param count: called with each unchanged record.
    :ivar dropped: entries with findings.
    """

    def __init__(self, context: PlanContext, count: Callable[[Planned, Record], None]) -> None:
        self._context = context
        self._state = context.state
        self._count = count
        self._comparer = Comparer(context.state)
        self.dropped: list[Entry] = []
        self._kept: dict[int, dict[str, Any]] = {}
        self._sections = [section for section in SECTIONS if self._is_matched(section)]
        self._unmatched = {SECTIONS[section] for section in self._sections}

    def _is_matched(self, section: str) -> bool:
        exists = section in self._context.desired.sections or bool(self._context.entries[section])
        return exists and section not in _BY_THEMSELVES

    def run(self) -> list[Pair]:
        """Return each entry that may change something with its record. Lists are read in the background."""
        kinds = [KINDS[SECTIONS[section]] for section in self._sections]
        for kind in kinds:
            if kind.template:
                self._context.schema(kind)
        with self._state.prefetching(kinds):
            return [pair for section in self._sections for pair in self._match_section(section)]

    def _match_section(self, section: str) -> list[Pair]:
        """Pair each entry of a section that may change something with its record, and count the unchanged records."""
        context, kind = self._context, KINDS[SECTIONS[section]]
        schema = context.schema(kind)
        # The list is read in the background meanwhile.
        claims = [(entry, *self._claim(schema, entry)) for entry in context.entries[section]]
        listed = self._state.records(kind)
        context.result.everywhere[section] = len(listed)
        context.result.existing[section] = context.scope.count(section, listed)
        found: list[Pair] = []
        others = []
        replaced = set(map(id, context.rows.values()))
        for entry, fields, key in claims:
            hits = [] if key is None else self._state.with_key(schema, fields, key)
            if id(entry) in context.skipped:
                # A record that is named by a skipped row counts as present.
                self._kept.pop(id(entry), None)
                for hit in hits if id(entry) not in replaced else ():
                    context.claimed.setdefault(kind.name, {}).setdefault(hit.uuid, entry)
            elif hits:
                found += self._pairs(schema, entry, fields, hits)
            else:
                others.append((entry, fields))
        for entry, fields in others:
            # By now, records with the keys of other entries are claimed.
            found += self._pairs(schema, entry, fields, [])
        self._claim_unmanaged(section)
        self._unmatched.discard(kind.name)
        return found

    def _claim_unmanaged(self, section: str) -> None:
        """Claim the unmanaged records of a section, which the set releases, so that nothing prunes them."""
        context = self._context
        for entry in context.desired.unmanaged:
            if entry.kind.section != section:
                continue
            schema, keys, identity = context.identify(entry)
            if not keys or context.claim_first(schema, keys, identity, entry) is None:
                continue
            for record in self._state.find_existing(schema, keys, identity):
                context.claimed.setdefault(entry.kind.name, {}).setdefault(record.uuid, entry)
                planned = context.planned(entry, schema, identity, keys, context.words(schema, keys, identity))
                context.result.released.append((entry.kind.name, planned.journal_key, record.uuid))
                # The record may still have to stay.
                note_protection(context, planned, record)

    def _pairs(self, schema: Schema, entry: Entry, keys: tuple[str, ...], hits: Sequence[Record]) -> Iterator[Pair]:
        """Yield an entry with its record if it may change something. If not, keep only the entry.

        :param keys: the fields of its natural key, which are empty after a finding.
        """
        match = self._match(schema, entry, keys, hits) if keys or entry.uuid else None
        if match is None:
            self.dropped.append(entry)
            self._context.doubt(entry)
            return
        planned, record, is_unchanged = match
        if is_unchanged and record is not None:
            self._count(planned, record)
        else:
            yield planned, record

    def _claim(self, schema: Schema, entry: Entry) -> tuple[tuple[str, ...], Key | None]:
        """Claim the natural key of an entry.

        Return the fields of the key, which are empty after a finding, and the key, unless the entry has a uuid.
        """
        values, is_valid = self._context.read(entry)
        if is_valid:
            self._kept[id(entry)] = values
        if entry.uuid:
            # An undo identifies the record by its uuid.
            own = [schema.find(name) for name in self._context.desired.identity.get(schema.kind.section, ())]
            chosen = [field.key for field in own if field is not None] or natural_keys.default_key(schema.kind, values)
            return tuple(key for key in chosen if key in values), None
        return self._context.claim_key(schema, values, entry)

    def _is_unchanged(self, planned: Planned, current: Record | None) -> bool:
        """Return True if a record is as it was written, whatever else is planned."""
        entry, values = planned.entry, planned.desired
        if current is None or not planned.kind.is_many:
            return False
        if entry.uuid or entry.lifecycle is not NOTHING:
            return False
        if planned.linked:
            resolved = {key: values[key] for key in planned.linked}
            if not self._settle(resolved):
                return False
            values |= resolved
        return self._context.is_as_written(planned, current)

    def _settle(self, values: dict[str, Any]) -> bool:
        """Resolve references, and return True if no record that is still unmatched can change their targets."""
        references = (reference for value in values.values() for _number, reference in numbered_references(value))
        is_open = any(reference.target in self._unmatched for reference in references)
        return not is_open and self._context.resolve(values, None)

    def _match(
        self, schema: Schema, entry: Entry, keys: tuple[str, ...], hits: Sequence[Record]
    ) -> tuple[Planned, Record | None, bool] | None:
        """Return an entry with its record, and True if that is as written; None after a finding.

        :param hits: the listed records with its natural key.
        """
        context = self._context
        complaints = context.complaints
        kept = self._kept.pop(id(entry), None)
        values, is_valid = (kept, True) if kept is not None else context.read(entry)
        if entry.uuid:
            record = self._state.of_uuid(schema.kind, entry.uuid)
            hits = [record] if record else []
        elif not context.resolve_key(keys, values, None) or self._is_hidden(schema, keys, entry):
            # Claiming the key noted the problems of its references.
            return None
        else:
            hits = self._targets(schema, entry, values, hits)
        current = context.only_match(entry, schema, keys, values, hits)
        if current is None and hits:
            return None
        if current is not None and not context.claim(schema.kind, current.uuid, entry):
            return None
        linked = [key for key, value in values.items() if isinstance(value, (Reference, tuple))]
        if entry.state == "present" and linked:
            # Other records may refer to it by the written name, whatever its current name is.
            identity = {field.key: values[field.key] for field in schema.kind.identity if field.key in linked}
            context.resolve(identity, None)
            values |= identity
        words = context.words(schema, keys, values) or entry.uuid
        planned = context.planned(entry, schema, values, keys, words)
        planned.linked = linked
        is_unchanged = entry.state == "present" and self._note_present(planned, current)
        if not is_valid or context.complaints > complaints:
            # Don't report the consequence of a mistake as another mistake.
            return None
        return planned, current, is_unchanged

    def _targets(
        self, schema: Schema, entry: Entry, values: Mapping[str, Any], hits: Sequence[Record]
    ) -> Sequence[Record]:
        """Return the records that an entry means: those with its key, else those that an aspect finds."""
        context = self._context
        if not hits:
            answers = (found(schema, entry, values) for found in context.hooks.found)
            hits = next(filter(None, answers), ())
        if not schema.kind.open_status:
            return hits
        left = context.left_alone(schema, entry, exists=True)
        wanted = Wanted(schema, {key: value for key, value in values.items() if key not in left}, entry.state)
        options = context.options
        for hit in hits if entry.state == "present" else ():
            # Somebody may have finished the record of this set, and have begun the next with the same key.
            if options.uuids.get(options.names.get(hit.uuid, "")) == hit.uuid and self._is_as_wanted(wanted, hit):
                return [hit]
        return possible_targets(wanted, hits, partial(self._is_as_wanted, wanted))

    def _note_present(self, planned: Planned, current: Record | None) -> bool:
        """Note a record that is to exist, and return True if it is as written."""
        if current is None and self._context.rules_of(planned.entry).unknown_rows != CREATE:
            # Nothing is created, so nothing may refer to it.
            return False
        is_unchanged = self._is_unchanged(planned, current)
        for matched in self._context.hooks.matched:
            matched(planned, current)
        if not is_unchanged:
            self._state.add_planned(planned.schema, planned.desired, current or planned.entry)
        return is_unchanged

    def _is_hidden(self, schema: Schema, keys: tuple[str, ...], entry: Entry) -> bool:
        """Return True if the natural key is hidden, so that existing records would be created again."""
        hidden = self._state.field_visibility(schema, keys=keys).unidentifying(keys)
        for key in hidden:
            name = written_as(schema, entry, key)
            self._context.find(entry.place_of(name), f"{name}: {identifies(schema.kind, key)}")
        return bool(hidden)

    def _is_as_wanted(self, wanted: Wanted, record: Record) -> bool:
        desired = dict(wanted.desired)
        is_resolved = self._context.resolve(desired, None)
        return is_resolved and self._comparer.is_as_wanted(replace(wanted, desired=desired), record)
