# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When the next request may be sent: the limit of requests a minute, and what the service says about it.

How a service counts is not known: it may count what came in the last minute, or hand out leave for requests one by one
and save up only a few. So what fits into a minute goes at once, and what does not goes evenly, a few requests at most
ahead of the even pace; both kinds of service take that without a refusal.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

SERVICE_LIMIT = 200
"""Requests a minute that an instance allows unless told otherwise."""

_MINUTE = 60.0
_WINDOW = _MINUTE * 1.005
"""Seconds within which the limit is kept to: requests are under way for unequal times, and what was sent within the
limit must arrive within it.
"""
_AHEAD = 5
"""Requests that may be ahead of the even pace: half of what a strict service saves up. The other half is for unequal
times under way.
"""
_SLOWER = 1.5
_FASTER = 0.98
_SHORTEST_SLEEP = 0.001


class RateLimit:
    """Shared by all threads: lets requests go as fast as the limit and the service allow.

    :ivar per_minute: never more requests than this in any 60 seconds; 0 for no limit.
    """

    def __init__(
        self, per_minute: int, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.per_minute = per_minute
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._sent: deque[float] = deque()
        self._shortest = _WINDOW / per_minute if per_minute else 0.0
        self._interval = self._shortest
        self._due = float("-inf")
        self._held = float("-inf")
        self._refused = float("-inf")
        self._even = False

    def wait(self) -> float:
        """Returns when one more request may be sent, and counts it as sent then: the moment, for :meth:`refused`."""
        while True:
            with self._lock:
                now = self._clock()
                pause = self._pause(now)
                if pause <= 0:
                    self._sent.append(now)
                    self._due = max(self._due, now) + self._interval
                    self._interval = max(self._interval * _FASTER, self._shortest)
                    return now
            self._sleep(max(pause, _SHORTEST_SLEEP))

    @property
    def left(self) -> int | None:
        """How many requests the limit leaves for now; None where there is no limit."""
        with self._lock:
            self._forget(self._clock())
            return self.per_minute - len(self._sent) if self.per_minute else None

    def expect(self, number: int) -> None:
        """So many requests are to come: where they do not fit into this minute, they go evenly from the first one on.

        Without this a long run would begin with a burst, which a service may refuse, and then stand still.
        """
        with self._lock:
            now = self._clock()
            self._forget(now)
            if self.per_minute and len(self._sent) + number > self.per_minute:
                self._even = True
                self._due = max(self._due, now)

    def refused(self, sent: float, pause: float) -> None:
        """The service refused a request for coming too early: nobody sends anything for a while, then all go evenly.

        A first refusal is put down to a burst, or to others who share the limit. A second one within a minute says
        that the service allows less than was thought: the pace slows down, and grows again bit by bit.

        :param sent: when the request was sent. What was sent before an earlier refusal was known says nothing new.
        :param pause: seconds to wait, as the service asks.
        """
        with self._lock:
            now = self._clock()
            if pause > 0 and sent > self._refused:
                if now - self._refused < _MINUTE:
                    self._interval = max(self._interval * _SLOWER, _WINDOW / (self.per_minute or SERVICE_LIMIT))
                self._refused = now
                self._even = True
            self._held = max(self._held, now + pause)
            self._due = max(self._due, self._held + _AHEAD * self._interval)

    def _pause(self, now: float) -> float:
        """Seconds until one more request may be sent."""
        self._forget(now)
        moments = [self._held]
        if self.per_minute and len(self._sent) >= self.per_minute:
            self._even = True
            moments.append(self._sent[0] + _WINDOW)
        if self._even:
            moments.append(self._due - _AHEAD * self._interval)
        return max(moments) - now

    def _forget(self, now: float) -> None:
        while self._sent and self._sent[0] <= now - _WINDOW:
            self._sent.popleft()
        if now > self._due + _WINDOW:
            # A minute in which nothing was sent, though it might have been: everything begins anew.
            self._even = False
            self._interval = self._shortest
