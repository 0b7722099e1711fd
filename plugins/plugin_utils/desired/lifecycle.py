# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lifecycle of records: ignored fields, and records that no plan removes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...module_utils.model.names import normal_name
from ...module_utils.model.schema import Schema
from .globs import Globs, fits
from .nodes import Node
from .shapes import FLAG, Find, map_of, texts

#: The setting of ``instance.yml``.
LIFECYCLE = "lifecycle"

KEYS = ("initial", "ignore", "protect")
_NO_PATTERN = frozenset("*?[")


@dataclass(frozen=True)
class Lifecycle:
    """The lifecycle of the records of a section, or of one record.

    :ivar initial: fields that are written when a record is created, and never compared.
    :ivar ignore: fields that are neither written nor compared.
    :ivar protect: natural keys of records that no plan removes. Fields and keys may be globs.
    :ivar is_protected: of one record: False if a plan may remove it, None if the record does not say.
    """

    initial: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    protect: tuple[str, ...] = ()
    is_protected: bool | None = None

    def with_more(self, other: Lifecycle) -> Lifecycle:
        """Return the union of this lifecycle and another."""
        return Lifecycle(
            tuple(dict.fromkeys((*self.initial, *other.initial))),
            tuple(dict.fromkeys((*self.ignore, *other.ignore))),
            tuple(dict.fromkeys((*self.protect, *other.protect))),
            self.is_protected if other.is_protected is None else other.is_protected,
        )

    def left_alone(self, schema: Schema, exists: bool) -> frozenset[str]:
        """Return the keys of the ignored fields.

        :param exists: True if the record exists already.
        """
        patterns = (*self.ignore, *(self.initial if exists else ()))
        return frozenset(key for pattern in patterns for key in keys_of(schema, pattern))

    def protects(self, names: Iterable[str], uuid: str = "") -> str:
        """Return the pattern that protects a record, or an empty text.

        :param names: all natural keys that it has, or would have.
        :param uuid: its uuid, which protects it if it is written in full. Its characters are random, so a glob for
            natural keys would match it by chance.
        """
        plain = [_comparable(name) for name in names if name]
        numbers = [number for name in plain for number in self._protections.matching(name)]
        numbers += self._protections.written_as(uuid)
        return self.protect[min(numbers)] if numbers else ""

    def idle_protections(self, names: Iterable[str]) -> list[str]:
        """Return the patterns of ``protect`` that none of the natural keys matches."""
        protections = self._protections
        idle = set(range(len(self.protect)))
        for name in {_comparable(name) for name in names if name}:
            if not idle:
                break
            idle.difference_update(protections.matching(name, idle))
        return [self.protect[number] for number in sorted(idle)]

    @cached_property
    def _protections(self) -> Globs:
        return Globs([_comparable(pattern) for pattern in self.protect])


NOTHING = Lifecycle()


def keys_of(schema: Schema, pattern: str) -> list[str]:
    """Return the keys of the fields that a name, a label or a glob means."""
    field = schema.find(pattern)
    if field is not None:
        return [field.key]
    if _NO_PATTERN.isdisjoint(pattern):
        return []
    return [field.key for field in schema.fields.values() if fits(field.key, pattern) or fits(field.label, pattern)]


def idle_names(lifecycle: Lifecycle, schema: Schema, is_pattern: bool = False) -> list[tuple[str, str]]:
    """Return the names, or the patterns, in ``initial`` and ``ignore`` that match no field, each with its setting."""
    return [
        (setting, name)
        for setting, names in (("initial", lifecycle.initial), ("ignore", lifecycle.ignore))
        for name in names
        if not keys_of(schema, name) and _NO_PATTERN.isdisjoint(name) is not is_pattern
    ]


_FIELDS = texts("a list of field keys or labels")
_WORDS = f"a map with {', '.join(KEYS)}"
_KEYS = texts("a list of natural keys, in which * stands for anything; quote them")
_SECTION = map_of({"initial": _FIELDS, "ignore": _FIELDS, "protect": _KEYS}, _WORDS)
_RECORD = map_of({"initial": _FIELDS, "ignore": _FIELDS, "protect": FLAG}, _WORDS)


def of_section(node: Node, name: str, find: Find) -> Lifecycle:
    """Return what ``lifecycle`` of the settings says about a section. What does not fit is a finding."""
    parts: dict[str, Any] = {key: tuple(names) for key, names in (_SECTION(node, name, find) or {}).items()}
    return Lifecycle(**parts)


def of_record(node: Node, name: str, find: Find) -> Lifecycle:
    """Return what ``_lifecycle`` of a record says. What does not fit is a finding."""
    read = _RECORD(node, name, find) or {}
    is_protected = read.pop("protect", None)
    parts: dict[str, Any] = {key: tuple(names) for key, names in read.items()}
    return Lifecycle(**parts, is_protected=is_protected)


def _comparable(text: str) -> str:
    """Return a key or a pattern in a form in which texts that look the same are equal."""
    return normal_name(text).casefold()
