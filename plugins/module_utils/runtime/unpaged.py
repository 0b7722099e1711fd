# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes about lists that an instance returns complete in one answer.

A note saves the request that proves it. It is valid for one list with one filter, because the answer to a narrow filter
says nothing about a longer list. Without notes that request is sent again, and nothing else changes. An instance may
begin to page while a note is valid, so a list that may be a first page is proven again.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..errors import InvalidInput
from ..local.access import PRIVATE_FILE, Access
from ..local.safe_files import Folder

_DAY = 24 * 60 * 60.0
_MOST_NOTES = 100
"""Maximum number of notes of one kind that processes share."""
_MOST_BYTES = 64 << 10
_USUAL_SIZES = frozenset((10, 15, 20, 25, 30, 40, 50, 100, 200, 250, 500, 1000))
"""Common page sizes."""


@dataclass(frozen=True)
class _Note:
    """A proof for one list.

    :ivar moment: when it was given, in seconds since 1970.
    :ivar records: the number of records at the last read; None if unknown.
    """

    moment: float = float("-inf")
    records: int | None = None


class UnpagedLists:
    """The lists that an instance returned complete within the last day, each known by its kind and its filter.

    :param folder: where processes share the notes; None: this process keeps its own.
    :param name: of the instance, fit for a file name.
    """

    def __init__(self, folder: Folder | None = None, name: str = "", clock: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._name = name
        self._clock = clock
        self._notes: dict[str, dict[str, _Note]] = {}

    def note(self, kind: str, part: str) -> None:
        """Note that a list is complete.

        :param part: distinguishes the lists of one kind.
        """
        self._keep(kind, part, _Note(self._clock(), self._note_of(kind, part).records))

    def forget(self, kind: str, part: str) -> None:
        """Forget that a list is complete, because a second page has more records."""
        if self.has(kind, part):
            self._keep(kind, part, _Note(records=self._note_of(kind, part).records))

    def count(self, kind: str, part: str, records: int) -> None:
        """Note how many records a complete list has."""
        note = self._note_of(kind, part)
        if note.records != records:
            self._keep(kind, part, _Note(note.moment, records))

    def removed(self, kind: str) -> None:
        """Note that a record was deleted here, so that shorter lists are expected."""
        for part, note in self._notes_of(kind).copy().items():
            if note.records is not None:
                self._keep(kind, part, _Note(note.moment, note.records - 1))

    def may_be_cut(self, kind: str, part: str, records: int) -> bool:
        """Return True if a list may be a first page: it is shorter than before, or grew to a usual page size."""
        before = self._note_of(kind, part).records
        return before is not None and (records < before or (records > before and records in _USUAL_SIZES))

    def has(self, kind: str, part: str) -> bool:
        """Return True if a list is known to be complete."""
        return 0 <= self._clock() - self._note_of(kind, part).moment < _DAY

    def _note_of(self, kind: str, part: str) -> _Note:
        return self._notes_of(kind).get(part, _Note())

    def _notes_of(self, kind: str) -> dict[str, _Note]:
        if kind not in self._notes:
            self._notes[kind] = {}
            if self._folder is not None:
                with contextlib.suppress(OSError, InvalidInput, ValueError, TypeError, AttributeError, RecursionError):
                    self._notes[kind] = _read(json.loads(self._folder.read(self._file(kind), _MOST_BYTES)))
        return self._notes[kind]

    def _keep(self, kind: str, part: str, note: _Note) -> None:
        notes = self._notes_of(kind)
        notes.pop(part, None)
        notes[part] = note
        if self._folder is not None:
            shared = list(notes.items())[-_MOST_NOTES:]
            content = json.dumps({part: (note.moment, note.records) for part, note in shared}).encode()
            with contextlib.suppress(OSError, InvalidInput):
                self._folder.write(self._file(kind), content, Access(mode=PRIVATE_FILE))

    def _file(self, kind: str) -> str:
        return f"unpaged-{self._name}-{kind}"


def _read(content: Mapping[str, object]) -> dict[str, _Note]:
    """Parse a file.

    :raises ValueError: or ``TypeError``, ``AttributeError``, if it has anything but notes.
    """
    notes = {}
    for part, entry in content.items():
        if not isinstance(entry, list):
            raise TypeError("no note")
        moment, records = entry
        if not isinstance(moment, float) or not isinstance(records, int | None):
            raise TypeError("no note")
        notes[part] = _Note(moment, records)
    return notes
