# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits how many requests may be under way at once: fewer where the service is overloaded, and more again bit by bit.

As TCP does it: halve at once, grow by one for each round of answers.
"""

from __future__ import annotations

import contextlib
import statistics
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from http import HTTPStatus

OVERLOADED = (HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT)
"""The statuses of a gateway whose service is overloaded or down. The service may still carry the request out."""
_KEPT = 100
"""Answers among which the fastest one says how long the service takes when it has nothing else to do."""
_RECENT = 8
_SLOW_FACTOR = 3.0
_SLOW_SECONDS = 0.25
"""An answer is slow that takes three times as long as the fastest, and a quarter of a second longer."""
_HALF = 0.5
_A_BIT = 0.8


class Congestion:
    """Lets through as many requests at once as the service bears.

    :param most: never more than these.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = float(max(most, 1))
        self._clock = clock
        self._size = self._most
        self._under_way = 0
        self._slowed = float("-inf")
        self._seconds: deque[float] = deque(maxlen=_KEPT)
        self._free = threading.Condition()

    @property
    def size(self) -> int:
        """The number of requests that may be under way at once now."""
        return int(self._size)

    @contextlib.contextmanager
    def exchange(self, turn: Callable[[], float]) -> Iterator[float]:
        """Lets one request through, with its answer. An error with the status 502, 503 or 504, and answers that take
        ever longer, slow down the requests after it.

        :param turn: waits until the request may be sent.
        :returns: what it gives.
        """
        with self._free:
            self._free.wait_for(lambda: self._under_way < self.size)
            self._under_way += 1
        began, factor = self._clock(), 1.0
        try:
            sent = turn()
            began = self._clock()
            yield sent
            factor = self._factor_of(self._clock() - began)
        except Exception as error:
            status = getattr(getattr(error, "error", error), "status", None)
            factor = _HALF if status in OVERLOADED else 1.0
            raise
        finally:
            with self._free:
                self._under_way -= 1
                self._resize(began, factor)
                self._free.notify_all()

    def _factor_of(self, seconds: float) -> float:
        """Returns the factor by which an answer that took so long changes the size; above 1, the size may grow."""
        with self._free:
            self._seconds.append(seconds)
            recent = [*self._seconds][-_RECENT:]
            fastest, usual = min(self._seconds), statistics.median(recent)
        is_slow = usual > max(_SLOW_FACTOR * fastest, fastest + _SLOW_SECONDS)
        return _A_BIT if is_slow and len(recent) == _RECENT else 2.0

    def _resize(self, began: float, factor: float) -> None:
        if factor > 1.0:
            self._size = min(self._size + 1 / self._size, self._most)
        # Requests that were under way when the size was cut say nothing new.
        elif factor < 1.0 and began >= self._slowed:
            self._size = max(self._size * factor, 1.0)
            self._slowed = self._clock()
