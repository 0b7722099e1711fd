# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks of changes that may still take effect.

If the answer to a change is lost, the service may carry it out later, and would then overwrite what somebody wrote
meanwhile. So a record is marked while a request changes it. The mark stays if the answer is lost, or if the process is
killed. Another change of this record waits until the mark is as old as the settling horizon, and then reads the record
again. If the marks were lost, each record counts as marked at that moment.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from .locks import Busy, wait_for
from .store import Store

_KIND = "changing"
#: Age of a mark in seconds that no settling horizon reaches.
_OLDEST = 24 * 60 * 60.0


def seconds_left(moment: float, now: float, settle: float) -> float:
    """Return how long a request may still take effect.

    :param moment: the time of the request, in seconds since 1970. If it is unknown or in the future, the whole horizon
        is left.
    :param settle: the settling horizon.
    """
    return min(max(settle - (now - moment), 0.0), settle)


@dataclass
class Changes:
    """The marks of one instance, which all processes of this user share.

    :ivar store: where processes share the marks. :ivar name: of the instance, the owner of the marks.
    :ivar settle: the settling horizon. :ivar now: the time of the marks, in seconds since 1970.
    """

    store: Store
    name: str
    settle: float
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.time
    _own: dict[str, float] = field(default_factory=dict)

    def wait(self, record: str, on_wait: Callable[[], None]) -> bool:
        """Wait until no earlier change of a record can take effect. Return True if that took time.

        :param on_wait: called once if it takes long.
        """
        moment = self._moment(record)
        left = seconds_left(moment, self.now(), self.settle)
        if left <= 0:
            return False
        try:
            wait_for(lambda: self._moment(record) != moment, left, self.clock, self.sleep, on_wait)
        except Busy:
            self._write(record, None)
        return True

    def begin(self, record: str) -> None:
        """Mark a record: a request that changes it is pending, or its answer was just lost."""
        self._write(record, self.now())

    def end(self, record: str) -> None:
        """Remove the mark of a record: the outcome of the change is known."""
        self._write(record, None)

    def _moment(self, record: str) -> float:
        """Return the time of a mark; 0 if there is none."""
        own = self._own.get(record, 0.0)
        with contextlib.suppress(OSError), self.store.changing(self.name) as facts:
            return max(own, facts.get(_KIND, record) or 0.0, facts.broken_at)
        return own

    def _write(self, record: str, moment: float | None) -> None:
        """Write or remove a mark. If that is impossible, at least this process knows it."""
        self._own.pop(record, None)
        if moment is not None:
            self._own[record] = moment
        with contextlib.suppress(OSError), self.store.changing(self.name) as facts:
            facts.put((_KIND, record, moment))
            if moment is not None:
                old = [mark for mark, begun in facts.all(_KIND).items() if begun < moment - _OLDEST]
                facts.put(*((_KIND, mark, None) for mark in old))
