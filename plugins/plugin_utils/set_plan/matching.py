# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Match the records of a set: read each list once, and join it with the desired records by natural key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from ...module_utils.resolve.natural_keys import Key, has_one_form, normal_key
from ..desired.desired import SECTIONS
from ..desired.entry import Entry
from ..desired.lifecycle import NOTHING
from ..desired.parsing import written_as
from .context import PlanContext
from .plan import Pair, Planned
from .resolver import numbered_references
from .unmanaged import claim_unmanaged

_BY_THEMSELVES = ("fields", "hub")
"""Sections with their own way to match records."""


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
        kind = KINDS[SECTIONS[section]]
        schema = self._context.schema(kind)
        entries = self._context.entries[section]
        identities: dict[tuple[str, ...], None] = {}
        others: list[tuple[Entry, tuple[str, ...] | None]] = []
        # The list is read in the background meanwhile.
        for entry in entries:
            claimed, has_key = self._claim(schema, entry)
            if claimed is not None and has_key:
                identities.setdefault(claimed)
            else:
                others.append((entry, claimed))
        listed = self._state.records(kind)
        self._context.result.everywhere[section] = len(listed)
        self._context.result.existing[section] = self._context.scope.count(section, listed)
        found = []
        for entry, fields, hits in self._in_list_order(schema, identities, others, listed):
            match = None if fields is None else self._match(schema, entry, fields, hits)
            if match is None:
                self.dropped.append(entry)
                self._context.doubt(entry)
                continue
            planned, record, is_unchanged = match
            # Keep only the entry of an unchanged record.
            if is_unchanged and record is not None:
                self._count(planned, record)
            else:
                found.append((planned, record))
        claim_unmanaged(self._context, section)
        self._unmatched.discard(kind.name)
        return found

    def _claim(self, schema: Schema, entry: Entry) -> tuple[tuple[str, ...] | None, bool]:
        """Claim the natural key of an entry.

        Return the fields of the key, which are None after a finding, and False if the entry is found by its uuid.
        """
        values, is_valid = self._context.read(entry)
        if is_valid:
            self._kept[id(entry)] = values
        if entry.uuid:
            # An undo identifies the record by its uuid.
            own = [schema.find(name) for name in self._context.desired.identity.get(schema.kind.section, ())]
            chosen = [field.key for field in own if field is not None] or natural_keys.default_key(schema.kind, values)
            return tuple(key for key in chosen if key in values), False
        keys = self._context.key_fields(schema, values, entry)
        key = {name: values[name] for name in keys}
        is_resolved = bool(keys) and self._resolve_key(keys, key, entry)
        is_claimed = is_resolved and self._context.uniqueness.claim(schema, keys, key, entry) is not None
        return keys if is_claimed else None, True

    def _resolve_key(self, keys: Iterable[str], values: dict[str, Any], entry: Entry | None) -> bool:
        """Put resolved references into a natural key, and return True if all are resolved."""
        # Most values are texts, and there are a great many of them.
        linked = {key: values[key] for key in keys if values[key].__class__ is not str}
        if linked and not self._context.resolve(linked, entry):
            return False
        values |= linked
        return True

    def _in_list_order(
        self,
        schema: Schema,
        identities: Iterable[tuple[str, ...]],
        others: Iterable[tuple[Entry, tuple[str, ...] | None]],
        listed: Sequence[Record],
    ) -> Iterator[tuple[Entry, tuple[str, ...] | None, list[Record]]]:
        """Yield each entry with the fields of its natural key, and with the listed records that have this key.

        They are in the order of the list. Entries without a record are at the end, with the others.
        """
        new = list(others)
        for keys in identities:
            claimed = self._context.uniqueness.claimed(schema.kind, keys)
            owners = _owners(claimed, [key for key, _record in self._state.keyed(schema, keys, listed)])
            hits: dict[int, list[Record]] = defaultdict(list)
            for owner, record in zip(owners, listed, strict=True):
                if owner is not None:
                    hits[id(owner)].append(record)
            entries = {id(entry): entry for entry in claimed.values()}
            for mark, records in hits.items():
                yield entries[mark], keys, records
            new += [(entry, keys) for mark, entry in entries.items() if mark not in hits]
        for entry, fields in new:
            yield entry, fields, []

    def _is_unchanged(self, planned: Planned, linked: Iterable[str], current: Record | None) -> bool:
        """Return True if a record is as it was written, whatever else is planned.

        :param linked: keys of the values that may refer to records.
        """
        entry, values = planned.entry, planned.desired
        if current is None or not planned.kind.is_many:
            return False
        if entry.uuid or entry.lifecycle is not NOTHING:
            return False
        resolved = {key: values[key] for key in linked}
        if linked and not self._settle(resolved):
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
        elif not self._resolve_key(keys, values, None) or self._is_hidden(schema, keys, entry):
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
        words = context.uniqueness.words(schema, keys, values) or entry.uuid
        planned = context.planned(entry, schema, values, keys, words)
        is_unchanged = entry.state == "present" and self._note_present(planned, linked, current)
        if not is_valid or context.complaints > complaints:
            # Don't report the consequence of a mistake as another mistake.
            return None
        return planned, current, is_unchanged

    def _targets(
        self, schema: Schema, entry: Entry, values: Mapping[str, Any], hits: Sequence[Record]
    ) -> Sequence[Record]:
        """Return the records that an entry means: those with its key, else those that an aspect finds."""
        context = self._context
        answers = (found(schema, entry, values) for found in context.hooks.found)
        hits = hits or next(filter(None, answers), ())
        if not schema.kind.open_status:
            return hits
        left = context.left_alone(schema, entry, exists=True)
        wanted = Wanted(schema, {key: value for key, value in values.items() if key not in left}, entry.state)
        return possible_targets(wanted, hits, partial(self._is_as_wanted, wanted))

    def _note_present(self, planned: Planned, linked: Sequence[str], current: Record | None) -> bool:
        """Note a record that is to exist, and return True if it is as written.

        :param linked: keys of the values that may refer to records.
        """
        is_unchanged = self._is_unchanged(planned, linked, current)
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


def _owners(claimed: Mapping[Key, Entry], keys: Sequence[Key | None]) -> list[Entry | None]:
    """Return the entry that means the record with each natural key: exactly, else in another Unicode form."""
    owners = [claimed.get(key) for key in keys]
    exact = {id(entry) for entry in owners}
    others = {key: entry for key, entry in claimed.items() if id(entry) not in exact}
    unowned = (key for key, owner in zip(keys, owners, strict=True) if owner is None)
    if all(map(has_one_form, others)) and all(map(has_one_form, unowned)):
        return owners
    others = {normal_key(key): entry for key, entry in others.items()}
    return [others.get(normal_key(key)) if owner is None else owner for owner, key in zip(owners, keys, strict=True)]
