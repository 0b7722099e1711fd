# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The scope of a managed set, and prune: existing records in scope that are not in the files.

Nothing outside of the scope is read for changes, and only records that are known to belong to the set are removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import EMPTY
from ...module_utils.model.kinds import KINDS, Kind
from ...module_utils.model.schema import Schema
from ...module_utils.model.types_links import Reference, references_in, with_references
from ...module_utils.plan.allowed import EMPTY_SOURCES, how_to_allow
from ...module_utils.plan.change import ARCHIVE, DELETE, plan_removal
from ...module_utils.resolve import natural_keys
from ..desired.desired import SECTIONS, DesiredInstance, prune_actions
from ..desired.entry import Entry
from ..desired.positions import Place
from .listed_state import ListedState, Meaning
from .plan import InstancePlan, Planned, PlanOptions


class Scope:
    """Section to field to the values of records in scope.

    :param schema_of: returns the schema of a kind. :param meaning: resolves a reference, and returns its problem.
    """

    def __init__(
        self,
        state: ListedState,
        schema_of: Callable[[Kind], Schema],
        written: Mapping[str, Mapping[str, Sequence[Any]]],
        meaning: Callable[[Reference], Meaning] | None = None,
    ) -> None:
        self._state = state
        self._meaning = meaning or state.resolved
        self._schema_of = schema_of
        self._written = written
        self._values: dict[str, dict[str, list[Any]]] = {}

    def problems(self, section: str, fields: Mapping[str, Sequence[Any]]) -> list[tuple[str, str]]:
        """Return the mistakes in the scope of a section: fields as written, each with the message."""
        kind = KINDS[SECTIONS[section]]
        if not kind.can_be_looked_up:
            return [(name, f"{name}: {section} have no scope") for name in fields]
        schema = self._schema_of(kind)
        found: list[tuple[str, str]] = []
        for name, values in fields.items():
            for value in values:
                parsed, findings = schema.parse({name: value}, "")
                found += [(name, problem) for problem in (*findings.errors, *findings.unknown)]
                found += [
                    (name, f"{name}: {problem}")
                    for reference in references_in(tuple(parsed.values()))
                    if (problem := self._meaning(reference).problem)
                ]
        return found

    def contains(self, section: str, record: Record) -> bool:
        """Return True if a record is in scope."""
        wanted = self._of(section)
        if not wanted:
            return True
        schema = self._schema_of(KINDS[SECTIONS[section]])
        read = natural_keys.read_some(schema, wanted, record)
        have = {key: with_references(value, self._state.completed) for key, value in read.items()}
        return all(_is_one_of(schema, key, have[key], values) for key, values in wanted.items())

    def count(self, section: str, records: Sequence[Record]) -> int:
        """Return the number of records in scope."""
        if section not in self._written:
            return len(records)
        return sum(1 for record in records if self.contains(section, record))

    def leaves(self, section: str, desired: Mapping[str, Any], is_new: bool) -> str:
        """Return the field that would put a record, existing or new, outside the scope; empty if none does."""
        schema = self._schema_of(KINDS[SECTIONS[section]])
        for key, values in self._of(section).items():
            if (is_new or key in desired) and not _is_one_of(schema, key, desired.get(key), values):
                return key
        return ""

    def _of(self, section: str) -> dict[str, list[Any]]:
        """Return field key to the values in scope, parsed and resolved once."""
        if section not in self._written:
            return {}
        if section not in self._values:
            found: dict[str, list[Any]] = {}
            schema = self._schema_of(KINDS[SECTIONS[section]])
            for name, written in self._written[section].items():
                for wanted in written:
                    parsed, _findings = schema.parse({name: wanted}, "")
                    for key, value in parsed.items():
                        resolved = with_references(value, lambda reference: self._meaning(reference).reference)
                        found.setdefault(key, []).append(resolved)
            self._values[section] = found
        return self._values[section]


def _is_one_of(schema: Schema, key: str, have: Any, values: Iterable[Any]) -> bool:
    return any(_awaited(have) & _awaited(value) or schema.equal(key, value, have) for value in values)


def _awaited(value: Any) -> set[int]:
    """Return the entries that must be created before the references in a value can be resolved.

    References to the same entry will be equal.
    """
    return {id(reference.pending) for reference in references_in(value) if reference.pending is not None}


@dataclass(frozen=True)
class Pruning:
    """Find the records to prune.

    :ivar claimed: name of a kind to the uuids of its records that are in the files.
    :ivar filled: sections with records in the files.
    """

    state: ListedState
    desired: DesiredInstance
    options: PlanOptions
    scope: Scope
    schema_of: Callable[[Kind], Schema]
    claimed: Mapping[str, Mapping[str, Entry]]
    filled: frozenset[str]

    def run(self, result: InstancePlan) -> Iterator[Planned]:
        """Yield the records to remove. Note in the plan what stays, and exceeded limits."""
        for section in SECTIONS:
            kind = KINDS[SECTIONS[section]]
            if section not in self.desired.sections or len(prune_actions(section)) == 1:
                continue
            claimed = self.claimed.get(kind.name, {})
            left = [
                record
                for record in self.state.records(kind)
                if record.uuid not in claimed and self.scope.contains(section, record)
            ]
            if left:
                yield from self._section(section, self.schema_of(kind), left, result)

    def size_of_set(self, section: str, matched: Set[str]) -> int:
        """Count the records in scope that belong to the set.

        :param matched: uuids of the records that the files name.
        """
        schema = self.schema_of(KINDS[SECTIONS[section]])
        return sum(
            1
            for record in self.state.records(schema.kind)
            if (record.uuid in matched or self._belongs(schema, record)) and self.scope.contains(section, record)
        )

    def _section(self, section: str, schema: Schema, left: Sequence[Record], result: InstancePlan) -> Iterator[Planned]:
        action = self.desired.policy.prune.get(section, "report")
        mine = {record.uuid for record in left if self._belongs(schema, record)} if action != "report" else set()
        mine = {uuid for uuid in mine if not self._is_kept(uuid)}
        if mine and not self.desired.set_name:
            result.warnings.append(
                f"{section}: prune removes nothing, because instance.yml names no set (records that these files "
                f"had before, and that stay: {len(mine)})."
            )
            mine = set()
        name_of_uuid = {record.uuid: self._named(section, schema, record) for record in left}
        others = sorted(name_of_uuid[record.uuid][1] for record in left if record.uuid not in mine)
        if others:
            result.reported[section] = others
        if mine and section not in self.filled and EMPTY_SOURCES not in self.options.allow:
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
        field = schema.find(self.desired.marker) if self.desired.marker else None
        mark = None if field is None else natural_keys.read_some(schema, [field.key], record)[field.key]
        if mark in EMPTY:
            return record.uuid in self.options.known
        return self.desired.set_name != "" and mark == self.desired.set_name

    def _is_kept(self, uuid: str) -> bool:
        """Return True if a record stays because a table that it came from may omit rows.

        If the file of its last apply is unknown, the record may have come from such a table.
        """
        tables = self.desired.tables
        if not tables.keeps_any:
            return False
        origin = self.options.origins.get(uuid)
        table = None if origin is None else tables.for_file(origin)
        return origin is None or (table is not None and table.keeps_missing)

    def _named(self, section: str, schema: Schema, record: Record) -> tuple[tuple[str, ...], str]:
        """Return the fields that identify a record in these files, and its natural key as written there."""
        keys, values = self._keys(section, schema, record)
        if not self.desired.hiding.shows_all(keys):
            return keys, record.uuid
        return keys, self._words(schema, keys, values) or record.uuid

    def _keys(self, section: str, schema: Schema, record: Record) -> tuple[tuple[str, ...], dict[str, Any]]:
        """Return the fields that identify a record in these files, and their values."""
        fields = [schema.find(name) for name in self.desired.identity.get(section, ())]
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
            record = self.state.find(value)
            return (self.state.name_of(record) if record else None) or str(value.uuid or value.id or "")
        return "" if value in EMPTY else str(schema.brief(key, value))
