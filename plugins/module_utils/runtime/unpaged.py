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
import time
from collections.abc import Callable
from dataclasses import astuple, dataclass

from .places import digest_of
from .store import Store

_KIND = "unpaged"
_DAY = 24 * 60 * 60.0
_MOST_NOTES = 100
"""Maximum number of notes that processes share."""
_USUAL_SIZES = frozenset((10, 15, 20, 25, 30, 40, 50, 100, 200, 250, 500, 1000))
"""Common page sizes."""


@dataclass(frozen=True)
class _Note:
    """A proof for one list.

    :ivar moment: when it was given, in seconds since 1970; None if there is none.
    :ivar records: the number of records at the last read; None if unknown.
    """

    moment: float | None = None
    records: int | None = None


class UnpagedLists:
    """The lists that an instance returned complete within the last day, each known by its kind and its filter.

    :param store: where processes share the notes; None: this process keeps its own.
    :param name: of the instance, the owner of the notes.
    """

    def __init__(self, store: Store | None = None, name: str = "", clock: Callable[[], float] = time.time) -> None:
        self._store = store or Store()
        self._name = name
        self._clock = clock
        self._notes: dict[str, _Note] | None = None

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
        for mark, note in self._known().copy().items():
            if mark.startswith(f"{kind} ") and note.records is not None:
                self._note(mark, _Note(note.moment, note.records - 1))

    def may_be_cut(self, kind: str, part: str, records: int) -> bool:
        """Return True if a list may be a first page: it is shorter than before, or grew to a usual page size."""
        before = self._note_of(kind, part).records
        return before is not None and (records < before or (records > before and records in _USUAL_SIZES))

    def has(self, kind: str, part: str) -> bool:
        """Return True if a list is known to be complete."""
        moment = self._note_of(kind, part).moment
        return moment is not None and 0 <= self._clock() - moment < _DAY

    def _note_of(self, kind: str, part: str) -> _Note:
        return self._known().get(_mark(kind, part), _Note())

    def _known(self) -> dict[str, _Note]:
        """Return the notes, which are read once."""
        if self._notes is None:
            self._notes = {}
            with contextlib.suppress(OSError, TypeError), self._store.changing(self._name) as facts:
                self._notes = {mark: _Note(*note) for mark, note in facts.all(_KIND).items()}
        return self._notes

    def _keep(self, kind: str, part: str, note: _Note) -> None:
        self._note(_mark(kind, part), note)

    def _note(self, mark: str, note: _Note) -> None:
        self._known()[mark] = note
        with contextlib.suppress(OSError), self._store.changing(self._name) as facts:
            facts.put((_KIND, mark, None), (_KIND, mark, [*astuple(note)]))
            facts.put(*((_KIND, old, None) for old in list(facts.all(_KIND))[:-_MOST_NOTES]))


def _mark(kind: str, part: str) -> str:
    # A filter may be long.
    return f"{kind} {digest_of(part)}"
