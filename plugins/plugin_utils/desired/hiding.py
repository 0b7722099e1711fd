# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Vaulted and hidden values appear nowhere: not in findings, plans, reports, journals or messages.

The author of the files decides which field has which text, and what the fields are called. So nothing of a vaulted file
is shown: no value, no name, no natural key, and no message that may quote one of them. Only places are shown.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...module_utils.ansible_compat import register_secrets
from ...module_utils.errors import OutcomeUnknown, ServiceError, SeventhingsError
from ...module_utils.model.field import Field
from ...module_utils.printing.cleaner import clean
from .entry import Entry
from .nodes import EVERYTHING
from .positions import Finding, Place

#: The word in place of everything that is hidden.
VAULTED = "(vaulted)"

_SHOW = "show_vaulted: true on the task"
NOT_SHOWN = f"{VAULTED}: what is wrong may quote what is vaulted; {_SHOW} shows it"

#: Minimum length of a hidden text that is removed from foreign messages. Shorter texts occur in every message.
_SHORTEST = 4


@dataclass
class Hiding:
    """The hidden parts of a desired state.

    :ivar show: True if the task wants them shown.
    :ivar names: keys or labels of fields that the task hides, in any file; schemas add the other name of each.
    :ivar known: the names that are fields of the instance.
    :ivar files: files that are vaulted as a whole, as places name them.
    :ivar paths: paths of vaulted inline values, and of everything around them (``desired.objects[3].pin``).
    """

    show: bool = False
    names: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)
    paths: set[str] = field(default_factory=set)
    known: set[str] = field(default_factory=set)

    @property
    def is_on(self) -> bool:
        """Return True if anything must not be shown."""
        return not self.show and self.has_any

    @property
    def has_any(self) -> bool:
        """Return True if anything is vaulted or hidden, shown or not."""
        return bool(self.files or self.paths or self.names)

    def learn(self, fields: Iterable[Field]) -> None:
        """Add the keys and labels of fields of the instance: a field hidden by its label is hidden by its key, too."""
        if self.names:
            for field in fields:
                if field.key in self.names or field.label in self.names:
                    self.names |= {field.key, field.label} - {""}
                    self.known |= {field.key, field.label}

    def idle(self, entries: Iterable[Entry]) -> list[str]:
        """Return the names that are neither a field of the instance nor of a record in the files."""
        left = self.names - self.known
        return sorted(left.difference(*(entry.fields for entry in entries))) if left else []

    # ---- records

    def is_vaulted(self, source: str) -> bool:
        """Return True if a file, or an inline value or a part of it, is vaulted."""
        return source in self.files or source in self.paths

    def of_record(self, source: str, names: Iterable[str]) -> Container[str]:
        """Return the vaulted fields of a record.

        :param source: its file, or its inline path. :param names: of its fields, as written.
        """
        if source in self.files:
            return EVERYTHING
        if source in self.paths:
            return frozenset(name for name in names if f"{source}.{name}" in self.paths)
        return ()

    def covers(self, entry: Entry, *names: str) -> bool:
        """Return True if a field is hidden, whether or not the task shows it.

        :param names: the names of the field: as written, its key.
        """
        if not entry.vaulted and not self.names:
            return False
        return any(name in entry.vaulted or name in self.names for name in names)

    def hides(self, entry: Entry, *names: str) -> bool:
        """Return True if a field of a record must not be shown."""
        return not self.show and self.covers(entry, *names)

    def shows_all(self, names: Iterable[str]) -> bool:
        """Return True if the task hides none of these fields."""
        return self.show or self.names.isdisjoint(names)

    def touches(self, entry: Entry) -> bool:
        """Return True if anything of a record must not be shown. Then no foreign message about it is shown."""
        return self.is_on and (bool(entry.vaulted) or not self.shows_all(entry.fields))

    def reason(self, entry: Entry, error: Exception) -> str:
        """Say why something failed, in words that may be shown for a record."""
        if not self.touches(entry):
            return error.message if isinstance(error, SeventhingsError) else f"{type(error).__name__}: {error}"
        if isinstance(error, ServiceError):
            return f"HTTP {error.status}, {error.meaning}. {NOT_SHOWN}"
        words = "It is not known whether it was carried out." if isinstance(error, OutcomeUnknown) else "It failed."
        return f"{words} {NOT_SHOWN}"

    # ---- findings

    def hides_place(self, place: Place) -> bool:
        """Return True if the text at a place is vaulted."""
        return not self.show and self.is_vaulted(place.source)

    def shown(self, findings: Sequence[Finding], entries: Sequence[Entry]) -> list[tuple[Place, str]]:
        """Return the places and messages of findings. Those about hidden values quote nothing.

        :param entries: everything that was written, to find the field that a finding is about.
        """
        written = self._places_in_doubt({finding.place for finding in findings}, entries)

        def words(finding: Finding) -> str:
            is_hidden = self.hides_place(finding.place) or finding.place in written
            return _gist_of(finding) if is_hidden else finding.message

        return [(self.shown_place(finding.place), words(finding)) for finding in findings]

    def _places_in_doubt(self, places: set[Place], entries: Iterable[Entry]) -> set[Place]:
        """Return the places in sources with hidden fields, except those of other fields and of other records."""
        if not self.is_on or not self.names or not places:
            return set()
        sources = {entry.place.source for entry in entries if not self.shows_all(entry.fields)}
        doubtful = {place for place in places if _is_in(sources, place.source)}
        for entry in entries if doubtful else ():
            shown = [name for name in entry.fields if name not in self.names]
            doubtful.difference_update(
                place for name in shown for place in (entry.place_of(name), entry.place_of_name(name))
            )
            if len(shown) == len(entry.fields):
                doubtful.discard(entry.place)
        return doubtful

    def shown_place(self, place: Place) -> Place:
        """Return a place as it may be shown. In a vaulted file it has no column, because that would reveal a length."""
        return place.row if self.hides_place(place) else place

    # ---- messages of others

    def texts(self, entries: Iterable[Entry]) -> set[str]:
        """Return hidden texts, as written and as messages show them."""
        if not self.is_on:
            return set()
        texts = {
            spelling
            for entry in entries
            if entry.vaulted or self.names
            for name, value in entry.fields.items()
            if self.covers(entry, name)
            for text in _texts_in(value)
            if len(text) >= _SHORTEST
            for spelling in (text, clean(text))
        }
        register_secrets(texts)
        return texts


def _gist_of(finding: Finding) -> str:
    if finding.gist == finding.message:
        return finding.message
    return f"{VAULTED}: {finding.gist}; {_SHOW} shows more" if finding.gist else NOT_SHOWN


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for member in value.values():
            yield from _texts_in(member)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts_in(item)
    elif value is not None:
        yield str(value)


def _is_in(sources: Container[str], source: str) -> bool:
    """Return True if the sources contain a source, or the inline source that it is a part of."""
    while source and source not in sources:
        source = source[: max(source.rfind("."), source.rfind("["), 0)]
    return bool(source)


# ---- in lasting files

_COST: dict[str, int] = {"n": 2**14, "r": 8, "p": 1, "dklen": 64}


def scrypted(text: str, salt: bytes) -> bytes:
    """Return 64 bytes that reveal nothing about a text. Testing a guess against them is slow."""
    return hashlib.scrypt(text.encode("utf-8", "surrogatepass"), salt=salt, **_COST)
