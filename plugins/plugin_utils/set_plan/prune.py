# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prune: existing records in scope that are not in the files.

Only records that are known to belong to the set are removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import EMPTY
from ...module_utils.model.kinds import KINDS
from ...module_utils.model.schema import Schema
from ...module_utils.model.types_links import Reference
from ...module_utils.plan.allowed import EMPTY_SOURCES, how_to_allow
from ...module_utils.plan.change import ARCHIVE, DELETE, plan_removal
from ...module_utils.resolve import natural_keys
from ..desired.desired import SECTIONS, prune_actions
from ..desired.entry import Entry
from ..desired.positions import Place
from ..desired.row_rules import KEEP
from .context import PlanContext
from .plan import Planned


class Pruning:
    """Find the records to prune."""

    def __init__(self, context: PlanContext) -> None:
        self._context = context
        self._desired = context.desired
        self._state = context.state

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
        mine = {uuid for uuid in mine if not self._is_kept(uuid)}
        if mine and not self._desired.set_name:
            result.warnings.append(
                f"{section}: prune removes nothing, because instance.yml names no set (records that these files "
                f"had before, and that stay: {len(mine)})."
            )
            mine = set()
        name_of_uuid = {record.uuid: self._named(section, schema, record) for record in left}
        others = sorted(name_of_uuid[record.uuid][1] for record in left if record.uuid not in mine)
        if others:
            result.reported[section] = others
        if mine and not self._context.entries[section] and EMPTY_SOURCES not in self._context.options.allow:
            result.exceeded_limits.append(
                f"{section}: the files have no records, and {len(mine)} would be removed; "
                f"{how_to_allow(EMPTY_SOURCES)} lets this pass"
            )
        for record in left:
            if record.uuid not in mine:
                continue
            state = "archived" if action == "archive" else "absent"
            entry = Entry(schema.kind, {}, Place(f"prune of {section}"), state=state, uuid=record.uuid, pruned=True)
            keys, name = name_of_uuid[record.uuid]
            desired = natural_keys.read_some(schema, keys, record)
            change = plan_removal(schema, desired, record, ARCHIVE if action == "archive" else DELETE)
            yield Planned(section, entry, schema, desired, keys, name, change)

    def _belongs(self, schema: Schema, record: Record) -> bool:
        """Return True if a record is known to belong to this set.

        The marker field decides if it has a value, else the journal. A record marked for another set was handed over to
        it.
        """
        field = schema.find(self._desired.marker) if self._desired.marker else None
        mark = None if field is None else natural_keys.read_some(schema, [field.key], record)[field.key]
        if mark in EMPTY:
            return record.uuid in self._context.options.known
        return self._desired.set_name != "" and mark == self._desired.set_name

    def _is_kept(self, uuid: str) -> bool:
        """Return True if a record stays because a table that it came from may omit rows.

        If the file of its last apply is unknown, the record may have come from such a table.
        """
        tables = self._desired.tables
        if not tables.keeps_any:
            return False
        origin = self._context.options.origins.get(uuid)
        table = None if origin is None else tables.for_file(origin)
        return origin is None or (table is not None and table.rules.missing_rows == KEEP)

    def _named(self, section: str, schema: Schema, record: Record) -> tuple[tuple[str, ...], str]:
        """Return the fields that identify a record in these files, and its natural key as written there."""
        keys, values = self._keys(section, schema, record)
        if not self._desired.hiding.shows_all(keys):
            return keys, record.uuid
        return keys, self._words(schema, keys, values) or record.uuid

    def _keys(self, section: str, schema: Schema, record: Record) -> tuple[tuple[str, ...], dict[str, Any]]:
        """Return the fields that identify a record in these files, and their values."""
        fields = [schema.find(name) for name in self._desired.identity.get(section, ())]
        own = [field.key for field in fields if field is not None]
        known = [key for keys in (own, *schema.kind.match_on) for key in keys if key in schema.fields]
        values = natural_keys.read_some(schema, known, record)
        try:
            keys = natural_keys.key_fields(schema.kind, own or None, values)
        except InvalidInput:
            keys = tuple(own or known)
        return keys, values

    def words_of(self, section: str, schema: Schema, record: Record) -> str:
        """Return the present natural key of a record, even if it must not be shown; empty if it has none."""
        keys, values = self._keys(section, schema, record)
        return self._words(schema, keys, values)

    def _words(self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any]) -> str:
        words = [self._word(schema, key, values.get(key)) for key in keys]
        return "/".join(words) if all(words) else ""

    def _word(self, schema: Schema, key: str, value: Any) -> str:
        if isinstance(value, tuple):
            return ", ".join(self._word(schema, key, part) for part in value)
        if isinstance(value, Reference):
            record = self._state.find(value)
            return (self._state.name_of(record) if record else None) or str(value.uuid or value.id or "")
        return "" if value in EMPTY else str(schema.brief(key, value))
