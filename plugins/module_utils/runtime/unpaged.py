# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes about lists that an instance returns complete in one answer.

A note saves the request that proves it. Without notes that request is sent again, and nothing else changes. An instance
may begin to page while a note is valid, so a list that may be a first page is proven again.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..errors import InvalidInput
from ..local.access import PRIVATE_FILE, Access
from ..local.safe_files import Folder

_DAY = 24 * 60 * 60.0
_MOST_BYTES = 1024
_USUAL_SIZES = frozenset((10, 15, 20, 25, 30, 40, 50, 100, 200, 250, 500, 1000))
"""Common page sizes."""


@dataclass
class _Note:
    """A proof.

    :ivar moment: when it was given, in seconds since 1970.
    :ivar counts: list to its number of records at the last read.
    """

    moment: float = float("-inf")
    counts: dict[str, int] = field(default_factory=dict)


class UnpagedLists:
    """The kinds of record whose list an instance returned complete within the last day.

    :param folder: where processes share the notes; None: this process keeps its own.
    :param name: of the instance, fit for a file name.
    """

    def __init__(self, folder: Folder | None = None, name: str = "", clock: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._name = name
        self._clock = clock
        self._notes: dict[str, _Note] = {}

    def note(self, kind: str) -> None:
        """Note that the list of a kind is complete."""
        self._keep(kind, _Note(self._clock(), self._note_of(kind).counts))

    def forget(self, kind: str) -> None:
        """Forget that the list of a kind is complete, because a second page has more records."""
        if kind in self:
            self._keep(kind, _Note(counts=self._note_of(kind).counts))

    def count(self, kind: str, part: str, records: int) -> None:
        """Note how many records a complete list has.

        :param part: distinguishes the lists of one kind.
        """
        note = self._note_of(kind)
        if note.counts.get(part) != records:
            self._keep(kind, _Note(note.moment, {**note.counts, part: records}))

    def removed(self, kind: str) -> None:
        """Note that a record was deleted here, so that a shorter list is expected."""
        note = self._note_of(kind)
        if note.counts:
            self._keep(kind, _Note(note.moment, {part: records - 1 for part, records in note.counts.items()}))

    def may_be_cut(self, kind: str, part: str, records: int) -> bool:
        """Return True if a list may be a first page: it is shorter than before, or grew to a usual page size."""
        before = self._note_of(kind).counts.get(part, records)
        return records < before or (records > before and records in _USUAL_SIZES)

    def __contains__(self, kind: str) -> bool:
        return 0 <= self._clock() - self._note_of(kind).moment < _DAY

    def _note_of(self, kind: str) -> _Note:
        if kind not in self._notes and self._folder is not None:
            with contextlib.suppress(OSError, InvalidInput, ValueError, TypeError, KeyError, RecursionError):
                self._notes[kind] = _read(json.loads(self._folder.read(self._file(kind), _MOST_BYTES)))
        return self._notes.get(kind, _Note())

    def _keep(self, kind: str, note: _Note) -> None:
        self._notes[kind] = note
        if self._folder is not None:
            content = json.dumps({"moment": note.moment, "counts": note.counts}).encode()
            with contextlib.suppress(OSError, InvalidInput):
                self._folder.write(self._file(kind), content, Access(mode=PRIVATE_FILE))

    def _file(self, kind: str) -> str:
        return f"unpaged-{self._name}-{kind}"


def _read(content: Mapping[str, object]) -> _Note:
    """Parse a file.

    :raises ValueError: or ``TypeError``, ``KeyError``, if it is not a note.
    """
    moment, counts = content["moment"], content["counts"]
    if not isinstance(moment, float) or not isinstance(counts, dict):
        raise TypeError("no note")
    return _Note(moment, {str(part): int(records) for part, records in counts.items()})
