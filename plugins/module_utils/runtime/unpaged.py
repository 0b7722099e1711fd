# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes about lists that an instance returned complete in one answer.

A note saves the request that proves it. It is valid for a day, for one list with one filter and for the noted number of
records: a list that others made longer or shorter may be a first page, because the instance may have begun to page.
Without notes that request is sent again, and nothing else changes.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from .places import digest_of
from .store import Store

_KIND = "unpaged"
_DAY = 24 * 60 * 60.0
#: Maximum number of notes that processes share.
_MOST_NOTES = 100


@dataclass
class UnpagedLists:
    """The lists that an instance returned complete within the last day, each known by its kind and its filter.

    :ivar store: where processes share the notes. :ivar name: of the instance, the owner of the notes.
    """

    store: Store = field(default_factory=Store)
    name: str = ""
    clock: Callable[[], float] = time.time

    def note(self, kind: str, part: str, records: int) -> None:
        """Note that a list is complete.

        :param part: distinguishes the lists of one kind. :param records: the number of records of the list.
        """
        mark = _mark(kind, part)
        with contextlib.suppress(OSError), self.store.changing(self.name) as facts:
            facts.put((_KIND, mark, None), (_KIND, mark, [self.clock(), records]))
            facts.put(*((_KIND, old, None) for old in list(facts.all(_KIND))[:-_MOST_NOTES]))

    def changed(self, kind: str, by: int, part: str = "") -> None:
        """Count records of a kind that this process created or deleted.

        :param by: the number of new records; negative for deleted records.
        :param part: of the list that they are in; if empty, they are in all lists of their kind.
        """
        with contextlib.suppress(OSError, TypeError, ValueError), self.store.changing(self.name) as facts:
            for mark, (moment, records) in list(facts.all(_KIND).items()):
                if mark == _mark(kind, part) if part else mark.split()[0] == kind:
                    facts.put((_KIND, mark, [moment, records + by]))

    def has(self, kind: str, part: str, records: int) -> bool:
        """Return True if a list with this number of records is known to be complete."""
        with contextlib.suppress(OSError, TypeError, ValueError), self.store.changing(self.name) as facts:
            moment, noted = facts.get(_KIND, _mark(kind, part)) or (0.0, None)
            return noted == records and 0 <= self.clock() - moment < _DAY
        return False


def _mark(kind: str, part: str) -> str:
    # A filter may be long.
    return f"{kind} {digest_of(part)}"
