# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The scope of a managed set: which records it may see and touch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Record
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import (
    FIELD_DEFINITION,
    HUB_ITEM,
    KINDS,
    Kind,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import references_in

from ..desired.desired import SECTIONS
from .state import InstanceState, read_some


class Scope:
    """Section to field to the values that a record in scope has.

    :param schema_of: the schema of a kind.
    """

    def __init__(
        self,
        world: InstanceState,
        schema_of: Callable[[Kind], Schema],
        written: Mapping[str, Mapping[str, Sequence[Any]]],
    ) -> None:
        self._world = world
        self._schema_of = schema_of
        self._written = written
        self._values: dict[str, dict[str, list[Any]]] = {}

    def problems(self, section: str, fields: Mapping[str, Sequence[Any]]) -> list[tuple[str, str]]:
        """What is wrong with the scope of a section: fields as written, each with what is wrong, which begins with its
        name.
        """
        kind = KINDS[SECTIONS[section]]
        if kind in (FIELD_DEFINITION, HUB_ITEM):
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
                    if (problem := self._world.resolve(reference))
                ]
        return found

    def holds(self, section: str, record: Record) -> bool:
        """Whether a record is in scope."""
        wanted = self._of(section)
        if not wanted:
            return True
        schema = self._schema_of(KINDS[SECTIONS[section]])
        have = read_some(schema, wanted, record)
        for reference in references_in(tuple(have.values())):
            self._world.complete(reference)
        return all(_is_one_of(schema, key, have[key], values) for key, values in wanted.items())

    def count(self, section: str, records: Iterable[Record]) -> int:
        """How many of some records are in scope."""
        return sum(1 for record in records if self.holds(section, record))

    def leaves(self, section: str, desired: Mapping[str, Any], is_new: bool) -> str:
        """The field by which a record would leave the scope (or, of a new one, not be in it); empty where none."""
        schema = self._schema_of(KINDS[SECTIONS[section]])
        for key, values in self._of(section).items():
            if (is_new or key in desired) and not _is_one_of(schema, key, desired.get(key), values):
                return key
        return ""

    def _of(self, section: str) -> dict[str, list[Any]]:
        """Field key to the values in scope, parsed and resolved once."""
        if section not in self._written:
            return {}
        if section not in self._values:
            found: dict[str, list[Any]] = {}
            schema = self._schema_of(KINDS[SECTIONS[section]])
            for name, written in self._written[section].items():
                for one in written:
                    parsed, _findings = schema.parse({name: one}, "")
                    for reference in references_in(tuple(parsed.values())):
                        self._world.resolve(reference)
                    for key, value in parsed.items():
                        found.setdefault(key, []).append(value)
            self._values[section] = found
        return self._values[section]


def _is_one_of(schema: Schema, key: str, have: Any, values: Iterable[Any]) -> bool:
    return any(_awaited(have) & _awaited(value) or schema.equal(key, value, have) for value in values)


def _awaited(value: Any) -> set[int]:
    """What references in a value wait for: two that wait for the same will mean the same."""
    return {id(reference.awaits) for reference in references_in(value) if reference.awaits is not None}
