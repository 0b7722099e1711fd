# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks of changes that may still take effect.

If the answer to a change is lost, the service may carry it out later, and would then overwrite what somebody wrote
meanwhile. So a record is marked while a request changes it. The mark stays if the answer is lost, or if the process is
killed. Another change of this record waits until the mark is as old as the settling horizon, and then reads the record
again.

The marks of an instance are a table of times. The place of a record follows from its identity. Two records may share a
place: then one of them waits without need.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import struct
import time
from collections.abc import Callable, Sequence

from ..local.safe_files import Folder
from .locks import Busy, SharedFile, wait_for

_TIME = struct.Struct("<d")


def seconds_left(moment: float, now: float, settle: float) -> float:
    """Return how long a request may still take effect.

    :param moment: the time of the request, in seconds since 1970. If it is unknown or in the future, the whole horizon
        is left.
    :param settle: the settling horizon.
    """
    return min(max(settle - (now - moment), 0.0), settle)


class Changes:
    """The marks of one instance, which all processes of this user share.

    :param folders: the places of the marks; without any, this process keeps its own.
    :param name: of the instance, fit for a file name.
    :param now: the time of the marks, in seconds since 1970.
    """

    def __init__(
        self,
        folders: Sequence[Folder],
        name: str,
        settle: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._files = [SharedFile(folder, f"changes-{name}") for folder in folders]
        self._settle = settle
        self._clock = clock
        self._sleep = sleep
        self._now = now
        self._own: dict[int, float] = {}

    def wait(self, record: str, on_wait: Callable[[], None]) -> bool:
        """Wait until no earlier change of a record can take effect. Return True if that took time.

        :param on_wait: called once if it takes long.
        """
        place = _place_of(record)
        moment = self._moment(place)
        left = seconds_left(moment, self._now(), self._settle)
        if left <= 0:
            return False
        try:
            wait_for(lambda: self._moment(place) != moment, left, self._clock, self._sleep, on_wait)
        except Busy:
            self._write(place, 0.0)
        return True

    def begin(self, record: str) -> None:
        """Mark a record: a request that changes it is pending, or its answer was just lost."""
        self._write(_place_of(record), self._now())

    def end(self, record: str) -> None:
        """Remove the mark of a record: the outcome of the change is known."""
        self._write(_place_of(record), 0.0)

    def _moment(self, place: int) -> float:
        """Return the time of a mark; 0 if there is none, infinity if it is unreadable."""
        moments = [self._own.get(place, 0.0)]
        for file in self._files:
            with contextlib.suppress(OSError):
                content = os.pread(file.descriptor(), _TIME.size, place)
                moments += _TIME.unpack(content) if len(content) == _TIME.size else ()
        return math.inf if any(map(math.isnan, moments)) else max(moments)

    def _write(self, place: int, moment: float) -> None:
        self._own[place] = moment
        for file in self._files:
            with contextlib.suppress(OSError):
                os.pwrite(file.descriptor(), _TIME.pack(moment), place)


def _place_of(record: str) -> int:
    """Return the position of the mark of a record."""
    return _TIME.size * int.from_bytes(hashlib.blake2b(record.encode(), digest_size=2).digest(), "big")
