# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check that each natural key is planned at most once, even in different spellings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...module_utils.model.field import shorten
from ...module_utils.model.kinds import Kind
from ...module_utils.model.schema import FieldError, Misfit, Schema
from ...module_utils.resolve.natural_keys import Key, normal_key
from ..desired.entry import Entry
from ..desired.parsing import written_as
from ..desired.positions import Place
from .listed_state import ListedState


class Uniqueness:
    """Track the natural key of each entry.

    :param find: called with place and message of a finding.
    """

    def __init__(self, state: ListedState, find: Callable[[Place, str], None]) -> None:
        self._state = state
        self._find = find
        self._claimed: dict[tuple[Any, ...], dict[Key, Entry]] = defaultdict(dict)
        self._by_normal_key: dict[tuple[Any, ...], Entry] = {}
        self._unique: dict[str, list[str]] = {}
        self._by_other: dict[tuple[Any, ...], list[tuple[Entry, bool]]] = {}

    @staticmethod
    def words(schema: Schema, keys: Sequence[str], values: Mapping[str, Any]) -> str:
        """Return a natural key for people."""
        return "/".join([_word(schema.brief(key, values.get(key))) for key in keys])

    def claim(self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any], entry: Entry) -> Key | None:
        """Return the natural key of the only entry that has it. Otherwise a finding names both places."""
        key = self._state.key_of(schema, keys, values)
        if key is None:
            return None
        name = (schema.kind.name, entry.template, tuple(keys))
        earlier = self._claimed[name].get(key, entry)
        if earlier is not entry:
            words = self.words(schema, keys, values)
            self._find(entry.place, written_twice(schema.kind, words, earlier.place))
            return None
        if not _is_ascii(key):
            self._by_normal_key.setdefault((*name, normal_key(key)), entry)
        self._claimed[name][key] = entry
        return key

    def claimed(self, kind: Kind, keys: tuple[str, ...]) -> Mapping[Key, Entry]:
        """Return the entries of a kind without templates that claimed a natural key of some fields, by that key."""
        return self._claimed[kind.name, "", keys]

    def claim_others(self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any], entry: Entry) -> None:
        """Refuse a natural key that two entries have if one of them is identified by it.

        Only kinds with several natural keys need this.
        """
        for other in schema.kind.match_on if len(schema.kind.match_on) > 1 else ():
            key = self._state.key_of(schema, other, values)
            if key is None:
                continue
            is_own = tuple(keys) == other
            same = self._by_other.setdefault((schema.kind.name, other, key), [])
            same_record = next((other for other, is_its_own in same if is_own or is_its_own), None)
            same.append((entry, is_own))
            if same_record is not None:
                words = f"{schema.kind.words} {self.words(schema, other, values)}"
                self._find(
                    entry.place,
                    f"{words} is here and at {same_record.place}, and {other[-1]} alone identifies one of them",
                )

    def claim_unique(self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any], entry: Entry) -> None:
        """Refuse a value that is written twice in a field with unique values.

        :param keys: the natural key of the entry, which was claimed already.
        """
        name = schema.kind.name
        if name not in self._unique:
            self._unique[name] = [field.key for field in schema.fields.values() if field.unique]
        for key in self._unique[name]:
            part = None if tuple(keys) == (key,) else self._state.key_of(schema, (key,), values)
            if part is None:
                continue
            written = written_as(schema, entry, key)
            if written in entry.vaulted and not self._is_unique(schema.kind, key):
                continue
            earlier = self._claimed[name, key].setdefault(part, entry)
            if earlier is not entry:
                first = written_as(schema, earlier, key)
                place = earlier.place_of(first)
                words = f"{written}: {shorten(values[key])} must be unique, and is written at {place} too"
                self._find(entry.place_of(written), words)

    def _is_unique(self, kind: Kind, key: str) -> bool:
        """Return True if the instance requires unique values.

        Files must not be able to test the value of a vaulted field.
        """
        own = self._state.client.schema(kind).fields.get(key)
        return own is not None and own.unique

    def check_new(self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any], entry: Entry) -> None:
        """Refuse a new record with an equal key to that of another new record, in another Unicode form."""
        key = self._state.key_of(schema, keys, values)
        earlier = self._by_normal_key.get((schema.kind.name, entry.template, tuple(keys), normal_key(key)), entry)
        if earlier is not entry:
            self._find(
                entry.place,
                f"{schema.kind.words} {self.words(schema, keys, values)} looks the same as the one at {earlier.place}, "
                f"but is another sequence of characters (unicode normal forms); write both in one form",
            )


def written_twice(kind: Kind, words: str, first: Place) -> FieldError:
    """Return a finding about a record whose natural key another entry has, too."""
    twice = f"is written twice, first at {first}"
    misfit = Misfit(words, f"{kind.words} that is written twice")
    return FieldError.at((), f"{kind.words} {words} {twice}", "this record is written twice", misfit)


def _is_ascii(key: Key) -> bool:
    """Return True if all texts of a natural key have one Unicode normal form only."""
    if isinstance(key, str):
        return key.isascii()
    return all(map(_is_ascii, key)) if isinstance(key, tuple) else True


def _word(value: Any) -> str:
    """Return a part of a natural key. A reference written as a map is named by the content of the map."""
    if value.__class__ is str:
        return str(value)
    if isinstance(value, Mapping):
        return "/".join(map(_word, value.values()))
    return ", ".join(map(_word, value)) if isinstance(value, list) else str(value)
