# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lifecycle of records: ignored fields, and records that no plan removes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from ...module_utils.model.field import shorten
from ...module_utils.model.names import normal_name
from ...module_utils.model.schema import Schema
from ...module_utils.model.suggestions import did_you_mean
from .globs import Globs, fits
from .nodes import Node, find_unknown
from .words import OWN_LIFECYCLE

LIFECYCLE = "lifecycle"
"""The setting of ``instance.yml``."""

KEYS = ("initial", "ignore", "protect")
_NO_PATTERN = frozenset("*?[")

Find = Callable[[Node, str], None]
"""Called with the place and the message of a finding."""


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
        """Return the patterns of ``protect`` that none of some natural keys matches."""
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


def unknown_fields(lifecycle: Lifecycle, schema: Schema) -> list[tuple[str, str]]:
    """Return the names in ``initial`` and ``ignore`` that match no field, each with its setting and the reason."""
    return [
        (setting, f"{setting}: {name}: {schema.why_unknown(name)}")
        for setting, names in (("initial", lifecycle.initial), ("ignore", lifecycle.ignore))
        for name in names
        if not keys_of(schema, name) and _NO_PATTERN.isdisjoint(name)
    ]


def idle_patterns(lifecycle: Lifecycle, schema: Schema) -> list[tuple[str, str]]:
    """Return the patterns in ``initial`` and ``ignore`` that match no field, each with its setting."""
    return [
        (setting, name)
        for setting, names in (("initial", lifecycle.initial), ("ignore", lifecycle.ignore))
        for name in names
        if not keys_of(schema, name) and not _NO_PATTERN.isdisjoint(name)
    ]


def read_settings(node: Node, sections: Iterable[str], find: Find) -> dict[str, Lifecycle]:
    """Read ``lifecycle`` of the settings, by section. What does not fit is a finding."""
    known = list(sections)
    if not isinstance(node.value, dict):
        find(node, f"{LIFECYCLE}: expected a map of sections to {', '.join(KEYS)}")
        return {}
    found = {}
    for section, member in node.members.items():
        name = f"{LIFECYCLE}.{section}"
        if section not in known:
            find(member, f"{name}: no such section; {did_you_mean(section, known)}")
        elif not isinstance(member.value, dict):
            find(member, f"{name}: expected a map with {', '.join(KEYS)}")
        else:
            lists = _members(member, name, find)
            texts = {key: _texts(node, f"{name}.{key}", _WORDS[key], find) for key, node in lists.items()}
            found[section] = Lifecycle(texts.get("initial", ()), texts.get("ignore", ()), texts.get("protect", ()))
    return found


def read_record(node: Node, find: Find) -> Lifecycle:
    """Read ``_lifecycle`` of a record. What does not fit is a finding."""
    if not isinstance(node.value, dict):
        find(node, f"{OWN_LIFECYCLE}: {shorten(node.value)} does not fit; expected a map with {', '.join(KEYS)}")
        return NOTHING
    members = _members(node, OWN_LIFECYCLE, find)
    lists = {key: members[key] for key in ("initial", "ignore") if key in members}
    texts = {key: _texts(node, f"{OWN_LIFECYCLE}.{key}", _WORDS[key], find) for key, node in lists.items()}
    is_protected = None
    if "protect" in members:
        is_protected = members["protect"].value
        if not isinstance(is_protected, bool):
            words = f"{OWN_LIFECYCLE}.protect: {shorten(is_protected)} does not fit; expected true or false"
            find(members["protect"], words)
            # If the value is invalid, keep the record.
            is_protected = True
    return Lifecycle(texts.get("initial", ()), texts.get("ignore", ()), is_protected=is_protected)


_WORDS = {
    "initial": "a list of field keys or labels",
    "ignore": "a list of field keys or labels",
    "protect": "a list of natural keys, in which * stands for anything; quote them",
}


def _members(node: Node, name: str, find: Find) -> dict[str, Node]:
    find_unknown(node, KEYS, f"{name}.", find)
    return {key: member for key, member in node.members.items() if key in KEYS}


def _texts(node: Node, name: str, expected: str, find: Find) -> tuple[str, ...]:
    items = node.items() if isinstance(node.value, list) else [node]
    wrong = [item for item in items if not isinstance(item.value, str) or not item.value]
    if wrong or not items or not isinstance(node.value, list):
        for item in wrong or [node]:
            find(item, f"{name}: {shorten(item.value)} does not fit; expected {expected}")
        return ()
    return tuple(str(item.value) for item in items)


def _comparable(text: str) -> str:
    """Return a key or a pattern in a form in which texts that look the same are equal."""
    return normal_name(text).casefold()
