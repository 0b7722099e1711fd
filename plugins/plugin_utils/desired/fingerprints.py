# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Vaulted values in a plan file: their places, and a salted hash that makes guessing slow.

One hash covers all vaulted values that the plan has from one file. To guess one of them, an attacker must know the
others, and hashing many values takes no longer.

The hash is the first half of the output of scrypt. The other half is stored nowhere. It is the key to everything else
that would reveal a value, such as the hash of a record that already has the value.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...module_utils.errors import InvalidInput
from .desired import DesiredInstance
from .entry import Entry
from .hiding import Hiding
from .nodes import EVERYTHING

_COST: dict[str, int] = {"n": 2**14, "r": 8, "p": 1, "dklen": 64}
_SALT_BYTES = 16
_INLINE = "desired"

Written = Callable[[], DesiredInstance]
"""Reads the source of the plan once more."""


class PlanOutdated(InvalidInput):
    """Raised if the files changed since the plan."""


def scrypted(text: str, salt: bytes) -> bytes:
    """Return 64 bytes that reveal nothing about a text. Testing a guess against them is slow."""
    return hashlib.scrypt(text.encode("utf-8", "surrogatepass"), salt=salt, **_COST)


def hidden_names(hiding: Hiding, entry: Entry, key_of: Callable[[str], str] = str) -> list[str]:
    """Return the fields of an entry whose values are in no lasting file, by their names as written.

    :param key_of: returns the key of a field that was named by its label.
    """
    if not entry.vaulted and not hiding.names:
        return []
    return [name for name in entry.fields if hiding.covers(entry, name, key_of(name))]


def _source_of(entry: Entry) -> str:
    return entry.place.source if entry.place.line else _INLINE


def _content(entry: Entry, names: Iterable[str]) -> list[Any]:
    return [str(entry.place), {name: entry.fields[name] for name in names}]


def _as_text(contents: Iterable[Any]) -> str:
    return json.dumps(list(contents), sort_keys=True, default=str)


@dataclass
class Fingerprints:
    """The fingerprints of one plan file that is written.

    :ivar keys: file (for inline values ``desired``) to the key that protects everything else about its values.
    """

    keys: dict[str, bytes] = field(default_factory=dict)
    _hashes: dict[str, dict[str, str]] = field(default_factory=dict)

    @classmethod
    def for_entries(cls, hidden: Sequence[tuple[Entry, Sequence[str]]]) -> Fingerprints:
        """Create the fingerprints of hidden fields.

        :param hidden: entries, in the order of the plan, with the names of their hidden fields.
        """
        contents: dict[str, list[Any]] = {}
        for entry, names in hidden:
            contents.setdefault(_source_of(entry), []).append(_content(entry, names))
        fingerprints = cls()
        for source, listed in contents.items():
            salt = os.urandom(_SALT_BYTES)
            derived = scrypted(_as_text(listed), salt)
            fingerprints.keys[source] = derived[32:]
            fingerprints._hashes[source] = {"salt": salt.hex(), "scrypt": derived[:32].hex()}
        return fingerprints

    def document(self) -> dict[str, dict[str, str]]:
        """Return the fingerprints as the plan file has them."""
        return self._hashes

    def key_of(self, entry: Entry) -> bytes:
        """Return the key that protects everything else about the hidden values of an entry."""
        return self.keys[_source_of(entry)]

    @staticmethod
    def place(entry: Entry, names: Sequence[str]) -> dict[str, Any]:
        """Return the place of the hidden fields of an entry.

        If the whole file is vaulted, their names are hidden, too.
        """
        shown_names = None if entry.vaulted is EVERYTHING else list(names)
        return {"file": _source_of(entry), "place": str(entry.place), "fields": shown_names}


def keyed_hash(key: bytes, text: str) -> str:
    """Return a hash that nobody can test guesses against without the key."""
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


@dataclass(frozen=True)
class _Placeholder:
    """A placeholder for missing values in a plan that was read."""

    entry: Entry
    source: str
    place: str
    fields: tuple[str, ...] | None

    @classmethod
    def from_stored(cls, entry: Entry, stored: Mapping[str, Any]) -> _Placeholder:
        names = stored["fields"]
        fields = None if names is None else tuple(map(str, names))
        return cls(entry, str(stored["file"]), str(stored["place"]), fields)


class Placeholders:
    """Fill the placeholders of vaulted values in a plan that was read.

    :param hashes: as :meth:`Fingerprints.document` returns them.
    :ivar keys: identity of an entry to the key that protects everything else about its values, once it is filled.
    """

    def __init__(self, hashes: Mapping[str, Mapping[str, str]]) -> None:
        self._hashes = {
            source: (bytes.fromhex(sealed["salt"]), bytes.fromhex(sealed["scrypt"]))
            for source, sealed in hashes.items()
        }
        self._placeholders: dict[str, list[_Placeholder]] = {}
        self.keys: dict[int, bytes] = {}

    def add(self, entry: Entry, stored: Mapping[str, Any]) -> None:
        """Note that an entry has values that the plan does not have.

        :raises KeyError: if the plan has no hash of them.
        """
        placeholder = _Placeholder.from_stored(entry, stored)
        if placeholder.source not in self._hashes:
            raise KeyError(placeholder.source)
        self._placeholders.setdefault(placeholder.source, []).append(placeholder)

    def fill(self, path: str, written: Written | None) -> None:
        """Read the values from their source.

        :param path: of the plan file, for messages.
        :raises InvalidInput: if they cannot be read; :class:`PlanOutdated` if they changed.
        """
        if not self._placeholders:
            return
        names = ", ".join(sorted(self._placeholders))
        if written is None:
            raise InvalidInput(
                f"plan_file: {path} holds only hashes of what is vaulted or hidden in {names}. Give src and desired as "
                "when it was planned, and the vault password."
            )
        found = written()
        entries = {(entry.kind.name, str(entry.place)): entry for entry in found.entries}
        for source, placeholders in self._placeholders.items():
            problems = [
                str(finding) for finding in found.findings if finding.place.source == source and not finding.place.line
            ]
            if problems:
                raise InvalidInput(f"plan_file: {path} needs {source}. {problems[0]}")
            self._fill(
                source,
                [
                    (placeholder, entries.get((placeholder.entry.kind.name, placeholder.place)))
                    for placeholder in placeholders
                ],
            )

    def _fill(self, source: str, pairs: Sequence[tuple[_Placeholder, Entry | None]]) -> None:
        contents = []
        for placeholder, entry in pairs:
            names = [] if entry is None else [*entry.fields] if placeholder.fields is None else placeholder.fields
            if entry is None or not set(names) <= entry.fields.keys():
                raise _outdated(source)
            contents.append(_content(entry, names))
            placeholder.entry.fields = {**placeholder.entry.fields, **{name: entry.fields[name] for name in names}}
            placeholder.entry.own_place, placeholder.entry.places = entry.own_place, entry.places
            # The plan contains the other cells as they are read.
            placeholder.entry.cells = entry.cells and entry.cells.only_of(frozenset(names))
            placeholder.entry.vaulted = EVERYTHING if placeholder.fields is None else frozenset(names)
        salt, expected = self._hashes[source]
        derived = scrypted(_as_text(contents), salt)
        if not hmac.compare_digest(derived[:32], expected):
            raise _outdated(source)
        self.keys.update((id(placeholder.entry), derived[32:]) for placeholder, _entry in pairs)


def _outdated(source: str) -> PlanOutdated:
    return PlanOutdated(f"What is vaulted or hidden in {source} has changed since the plan was created. Plan again.")
