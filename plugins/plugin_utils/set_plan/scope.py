# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The scope of a managed set. Nothing outside of the scope is read for changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.kinds import KINDS, Kind
from ...module_utils.model.rooms import TO_LOCATION, TO_ROOM
from ...module_utils.model.schema import Schema
from ...module_utils.model.types_links import Reference, references_in, with_references
from ...module_utils.resolve import natural_keys
from ..desired.desired import SECTIONS
from .coupled import following
from .listed_state import ListedState, Meaning


@dataclass
class Scope:
    """Section to field to the values of records in scope.

    :ivar schema_of: returns the schema of a kind. :ivar meaning: resolves a reference, and returns its problem.
    """

    state: ListedState
    schema_of: Callable[[Kind], Schema]
    written: Mapping[str, Mapping[str, Sequence[Any]]]
    meaning: Callable[[Reference], Meaning]
    _values: dict[str, dict[str, list[Any]]] = field(default_factory=dict)

    def problems(self, section: str, fields: Mapping[str, Sequence[Any]]) -> list[tuple[str, str]]:
        """Return the mistakes in the scope of a section: fields as written, each with the message."""
        kind = KINDS[SECTIONS[section]]
        if not kind.can_be_looked_up:
            return [(name, f"{name}: {section} have no scope") for name in fields]
        schema = self.schema_of(kind)
        found: list[tuple[str, str]] = []
        for name, values in fields.items():
            for value in values:
                parsed, findings = schema.parse({name: value}, "")
                found += [(name, problem) for problem in (*findings.errors, *findings.unknown)]
                found += [
                    (name, f"{name}: {problem}")
                    for reference in references_in(tuple(parsed.values()))
                    if (problem := self.meaning(reference).problem)
                ]
        return found

    def contains(self, section: str, record: Record) -> bool:
        """Return True if a record is in scope."""
        wanted = self._of(section)
        if not wanted:
            return True
        schema = self.schema_of(KINDS[SECTIONS[section]])
        read = natural_keys.read_some(schema, wanted, record)
        have = {key: with_references(value, self.state.completed) for key, value in read.items()}
        return all(_is_one_of(schema, key, have[key], values) for key, values in wanted.items())

    def count(self, section: str, records: Sequence[Record]) -> int:
        """Return the number of records in scope."""
        if section not in self.written:
            return len(records)
        return sum(1 for record in records if self.contains(section, record))

    def leaves(self, section: str, desired: Mapping[str, Any], current: Record | None) -> tuple[str, str]:
        """Return the field that would put a record, existing or new, outside the scope; empty if none does.

        :returns: its key, and the key of the field that it follows, which is the same if it follows none.
        """
        schema, wanted = self.schema_of(KINDS[SECTIONS[section]]), self._of(section)
        after = {key: (key, value) for key, value in desired.items() if key in wanted}
        # Whether a location follows its room depends on the instance, so new records need both.
        if current is not None and any(schema.fields[key].type in (TO_ROOM, TO_LOCATION) for key in wanted):
            after |= following(self.state, schema, desired, current)
        for key, values in wanted.items():
            written, value = after.get(key, (key, None))
            if (current is None or key in after) and not _is_one_of(schema, key, value, values):
                return key, written
        return "", ""

    def _of(self, section: str) -> dict[str, list[Any]]:
        """Return field key to the values in scope, parsed and resolved once."""
        if section not in self.written:
            return {}
        if section not in self._values:
            found: dict[str, list[Any]] = {}
            schema = self.schema_of(KINDS[SECTIONS[section]])
            for name, written in self.written[section].items():
                for wanted in written:
                    parsed, _findings = schema.parse({name: wanted}, "")
                    for key, value in parsed.items():
                        resolved = with_references(value, lambda reference: self.meaning(reference).reference)
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
