# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prune: existing records in scope that are not in the files.

Only records that are known to belong to the set are removed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import EMPTY, first_of
from ...module_utils.model.kinds import KINDS
from ...module_utils.model.names import normal_name
from ...module_utils.model.schema import Schema
from ...module_utils.model.types_links import references_in
from ...module_utils.plan.allowed import EMPTY_SOURCES, how_to_allow
from ...module_utils.plan.change import ARCHIVE, DELETE, plan_removal
from ...module_utils.resolve import natural_keys
from ..desired.desired import SECTIONS, Source, prune_actions
from ..desired.entry import Entry
from ..desired.positions import Place
from ..desired.row_rules import EMPTY_KEYS, KEEP, NO_RULES, RowRules
from .context import PlanContext
from .plan import LEFT, Planned, TableNote
from .reading import first_full

#: Part of the noted source of a record from a table that keeps the records of missing rows.
KEPT = " kept"

#: Maximum number of records in a warning.
_MOST_NAMED = 5

#: The fields that identify a record in the files, and its natural key.
_Name = tuple[tuple[str, ...], str]


class Pruning:
    """Find the records to prune."""

    def __init__(self, context: PlanContext) -> None:
        self._context = context
        self._desired = context.desired
        self._state = context.state
        skipped = (note for note in context.skipped.values() if note.reason == EMPTY_KEYS)
        self._without_keys = {note.planned.entry.rules.setting for note in skipped}

    def run(self) -> Iterator[Planned]:
        """Yield the records to remove. Note in the plan what stays, and exceeded limits."""
        for section in SECTIONS:
            kind = KINDS[SECTIONS[section]]
            if section not in self._desired.sections or len(prune_actions(section)) == 1:
                continue
            claimed = self._context.claimed.get(kind.name, {})
            left = [
                record
                for record in self._state.records(kind)
                if record.uuid not in claimed and self._context.scope.contains(section, record)
            ]
            if left:
                yield from self._section(section, self._context.schema(kind), left)

    def size_of_set(self, section: str, matched: Set[str]) -> int:
        """Count the records in scope that belong to the set.

        :param matched: uuids of the records that the files name.
        """
        schema, scope = self._context.schema(KINDS[SECTIONS[section]]), self._context.scope
        return sum(
            1
            for record in self._state.records(schema.kind)
            if (record.uuid in matched or self._belongs(schema, record)) and scope.contains(section, record)
        )

    def _section(self, section: str, schema: Schema, left: Sequence[Record]) -> Iterator[Planned]:
        result = self._context.result
        action = self._desired.policy.prune.get(section, "report")
        mine = {record.uuid for record in left if self._belongs(schema, record)} if action != "report" else set()
        kept = {uuid for uuid in mine if self._is_kept(section, uuid)}
        mine -= kept
        result.warnings += [
            f"{place}: this row only has cells that are not read, so prune removes no record that may come from its "
            "file; write its key, or delete the row"
            for (_file, of), place in self._desired.nameless.items()
            if of == section and kept
        ]
        if mine and not self._desired.set_name:
            result.warnings.append(
                f"{section}: prune removes nothing, because instance.yml names no set (records that these files "
                f"had before, and that stay: {len(mine)})."
            )
            mine = set()
        taken = {uuid: self._context.others.taken[uuid] for uuid in mine if uuid in self._context.others.taken}
        mine -= taken.keys()
        name_of_uuid = {record.uuid: self.named(schema, record) for record in left}
        for record in left:
            if record.uuid in taken:
                planned = _removal(schema, record, *name_of_uuid[record.uuid], ARCHIVE)
                result.released.append((schema.kind.name, planned.journal_key, record.uuid))
        self._name_sets(left, taken, name_of_uuid, f"{section}: prune leaves {{}}, which {{}} took over.")
        shared = {uuid: self._context.others.shared[uuid] for uuid in mine if uuid in self._context.others.shared}
        words = f"{section}: prune removes {{}}, which {{}} also had."
        self._name_sets(left, shared, name_of_uuid, words)
        others = sorted(
            self._shown(name_of_uuid[record.uuid], record.uuid) for record in left if record.uuid not in mine
        )
        if others:
            result.reported[section] = others
        if self._desired.tables.all_entries:
            self._note_left(section, schema, left, name_of_uuid)
        if mine and not self._context.entries[section] and EMPTY_SOURCES not in self._context.options.allow:
            result.exceeded_limits.append(
                f"{section}: the files have no records, and {len(mine)} would be removed; "
                f"{how_to_allow(EMPTY_SOURCES)} lets this pass"
            )
        for record in left:
            if record.uuid in mine:
                yield _removal(schema, record, *name_of_uuid[record.uuid], ARCHIVE if action == "archive" else DELETE)

    def _name_sets(
        self, left: Sequence[Record], owners: Mapping[str, str], names: Mapping[str, _Name], words: str
    ) -> None:
        """Warn of records that other sets have.

        :param owners: uuid to the words for the set. :param words: the warning, with places for records and set.
        """
        shown = defaultdict[str, list[str]](list)
        for record in left:
            if record.uuid in owners:
                shown[owners[record.uuid]].append(self._shown(names[record.uuid], record.uuid))
        self._context.result.warnings += [
            words.format(first_of(sorted(found), _MOST_NAMED), owner) for owner, found in shown.items()
        ]

    def _note_left(self, section: str, schema: Schema, left: Sequence[Record], names: Mapping[str, _Name]) -> None:
        """Note the records whose last row was in a table, and count the others."""
        result = self._context.result
        for record in left:
            file, line, remarks = self._origin_of(record.uuid)
            if not line or not (self._desired.tables.for_file(file) or KEPT in remarks):
                result.never_in_a_table[section] += 1
            else:
                planned = _removal(schema, record, *names[record.uuid], ARCHIVE)
                result.table_notes.append(TableNote(LEFT, planned, Place(file, int(line))))

    def _belongs(self, schema: Schema, record: Record) -> bool:
        """Return True if a record is known to belong to this set.

        The marker field decides if it has a value, else the journal. A record marked for another set was handed over to
        it.
        """
        field = schema.find(self._desired.marker) if self._desired.marker else None
        mark = None if field is None else natural_keys.read_some(schema, [field.key], record)[field.key]
        if mark in EMPTY:
            return record.uuid in self._context.options.known
        return normal_name(str(mark)) == normal_name(self._desired.set_name)

    def _is_kept(self, section: str, uuid: str) -> bool:
        """Return True if a record stays because a table that it came from may omit rows, or has rows without a key.

        If it was not noted with a line, the record may have come from such a table of its section. If its table has no
        settings and no rows now, those of its last apply count: its path may have changed.
        """
        file, line, remarks = self._origin_of(uuid)
        rules = self._desired.rules_of(file)
        if KEPT in remarks and rules is NO_RULES and all(file != path for path, _section in self._desired.sources):
            return True
        own = [source for source in self._desired.sources if source[1] == section]
        return any(map(self._may_omit_rows, [(file, section)] if line else own))

    def _may_omit_rows(self, source: Source) -> bool:
        """Return True if a table may omit rows, or has rows without a key."""
        rules = self._desired.rules_of(source[0])
        is_incomplete = rules.setting in self._without_keys or source in self._desired.nameless
        return is_incomplete or rules.missing_rows == KEEP

    def _shown(self, name: _Name, uuid: str) -> str:
        """Return the natural key of a record, or its uuid if its row was vaulted."""
        hiding = self._context.hiding
        return uuid if hiding.is_on and hiding.is_vaulted(self._origin_of(uuid)[0]) else name[1]

    def named(self, schema: Schema, record: Record) -> _Name:
        """Return the fields that identify a record in these files, and its natural key as written there."""
        keys, values = self._keys(schema, record)
        if not self._desired.hiding.shows_all(keys):
            return keys, record.uuid
        return keys, self._words(schema, keys, values) or record.uuid

    def _keys(self, schema: Schema, record: Record) -> tuple[tuple[str, ...], dict[str, Any]]:
        """Return the fields that identify a record in these files, and their values."""
        choices = [keys for keys in self._context.key_choices(schema, self._rules_of(record.uuid)) if keys is not None]
        known = [key for keys in (*choices, *schema.kind.match_on) for key in keys if key in schema.fields]
        values = natural_keys.read_some(schema, known, record)
        own = first_full(choices, values)
        try:
            keys = natural_keys.key_fields(schema.kind, own, values)
        except InvalidInput:
            keys = tuple(own or known)
        return keys, values

    def _rules_of(self, uuid: str) -> RowRules:
        """Return the rules of the table that a record came from."""
        return self._desired.rules_of(self._origin_of(uuid)[0])

    def _origin_of(self, uuid: str) -> tuple[str, str, str]:
        """Return the file, the line and the remarks of the noted source of a record; empty if nothing is noted."""
        file, _colon, rest = self._context.options.origins.get(uuid, "").rpartition(":")
        line, space, remarks = rest.partition(" ")
        return file, line, space + remarks

    def words_of(self, schema: Schema, record: Record) -> str:
        """Return the present natural key of a record, even if it must not be shown; empty if it has none."""
        keys, values = self._keys(schema, record)
        return self._words(schema, keys, values)

    def _words(self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any]) -> str:
        for reference in references_in(tuple(values.get(key) for key in keys)):
            # A name needs the lists of the record and of its place.
            if (record := self._state.find(reference)) is not None:
                self._state.name_of(record)
        return "" if any(values.get(key) in EMPTY for key in keys) else self._context.words(schema, keys, values)


def _removal(schema: Schema, record: Record, keys: tuple[str, ...], name: str, action: str) -> Planned:
    """Return the change that removes a record."""
    section = schema.kind.section
    state = "archived" if action == ARCHIVE else "absent"
    entry = Entry(schema.kind, {}, Place(f"prune of {section}"), state=state, pruned=True)
    desired = natural_keys.read_some(schema, keys, record)
    return Planned(section, entry, schema, desired, keys, name, plan_removal(schema, desired, record, action))
