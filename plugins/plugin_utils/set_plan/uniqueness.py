# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check that each natural key is planned at most once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ...module_utils.model.kinds import Kind
from ...module_utils.model.schema import FieldError, Misfit, Schema
from ...module_utils.model.types_links import Reference
from ...module_utils.plan.notation import in_one_notation
from ...module_utils.resolve.natural_keys import Key
from ..desired.entry import Entry
from ..desired.positions import Place

Repeated = Callable[[Schema, Sequence[str], tuple[Entry, Entry], str], None]


class Index(Protocol):
    """What is known of natural keys."""

    def key_of(self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any]) -> Key | None:
        """Return the natural key of some values in a form for lookups, or None if a part of it is missing."""

    def known_name_of(self, reference: Reference) -> str | None:
        """Return the natural key of a referenced record, or None if it is unknown."""


class Uniqueness:
    """Track the natural key of each entry.

    :param find: called with place and message of a finding.
    :param repeated: called with the fields of a natural key, the two entries that have it, and the key in words.
    """

    def __init__(self, index: Index, find: Callable[[Place, str], None], repeated: Repeated) -> None:
        self._index = index
        self._find = find
        self._repeated = repeated
        self._claimed: dict[tuple[Any, ...], dict[Key, Entry]] = defaultdict(dict)

    def words(self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any]) -> str:
        """Return a natural key for people. References in it are named, also if they are written as ids."""
        return "/".join([_word(schema.brief(key, self._named(values.get(key)))) for key in keys])

    def _named(self, value: Any) -> Any:
        return value if isinstance(value, str) else in_one_notation((), value, self._index.known_name_of)[1]

    def claim(self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any], entry: Entry) -> Key | None:
        """Return the natural key of the first entry that has it, and None for a later one."""
        key = self._index.key_of(schema, keys, values)
        if key is None:
            return None
        name = (schema.kind.name, entry.template, tuple(keys))
        earlier = self._claimed[name].get(key, entry)
        if earlier is not entry:
            self._repeated(schema, keys, (earlier, entry), self.words(schema, keys, values))
            return None
        self._claimed[name][key] = entry
        return key


def written_twice(kind: Kind, words: str, first: Place) -> FieldError:
    """Return a finding about a record whose natural key another entry has, too."""
    twice = f"is written twice, first at {first}"
    misfit = Misfit(words, f"{kind.words} that is written twice")
    return FieldError.at((), f"{kind.words} {words} {twice}", "this record is written twice", misfit)


def _word(value: Any) -> str:
    """Return a part of a natural key. A reference written as a map is named by the content of the map."""
    if value.__class__ is str:
        return str(value)
    if isinstance(value, Mapping):
        return "/".join(map(_word, value.values()))
    return ", ".join(map(_word, value)) if isinstance(value, list) else str(value)
