# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Send requests as fast as the limit and the service allow."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable

from ..runtime.locks import describe
from ..runtime.pace import SERVICE_LIMIT, Pace
from ..runtime.turnstile import OwnTurnstile, Turnstile

__all__ = ["SERVICE_LIMIT", "PauseTooLong", "RateLimit"]

_SHORTEST_SLEEP = 0.001
_LONG_PAUSE = 60.0
"""Minimum seconds of a pause during which locks that other processes wait for are released."""
_JITTER = 0.05
"""Random part of a pause, so that several controllers do not resume at the same moment."""
_MOST_JITTER = 5.0

Pausing = Callable[[], contextlib.AbstractContextManager[None]]


class PauseTooLong(Exception):
    """Raised if the service asks everybody to pause for longer than the caller can wait.

    :ivar seconds: left of the pause.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(f"{seconds:.0f} seconds")
        self.seconds = seconds


class RateLimit:
    """A rate limit, shared by all threads, and by all processes of a user if they have a common place.

    :ivar per_minute: maximum number of requests in any 60 seconds; 0 for no limit. If processes have different limits,
        the smallest counts. A process without a limit neither counts nor waits.
    :param shared: where processes share their pace; None for this process alone.
    :param on_problem: called once with the reason if the pace is no longer shared.
    """

    def __init__(
        self,
        per_minute: int,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        shared: Turnstile | None = None,
        on_problem: Callable[[str], None] = lambda _problem: None,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.per_minute = per_minute
        self.clock = clock
        self._sleep = sleep
        self._chance = chance
        self._shared = shared
        self._own = OwnTurnstile()
        self._on_problem = on_problem

    def wait(self, max_pause: float = float("inf"), pausing: Pausing = contextlib.nullcontext) -> float:
        """Wait until one more request may be sent, count it, and return the moment, for :meth:`refused`.

        :param max_pause: maximum seconds for a pause that the service asked for.
        :param pausing: entered during a pause of more than a minute.
        :raises PauseTooLong: if the pause is longer.
        """
        try:
            return self._wait(self._used(), max_pause, pausing)
        except OSError as error:
            self._go_alone(error)
        return self._wait(self._own, max_pause, pausing)

    def _wait(self, turnstile: Turnstile, max_pause: float, pausing: Pausing) -> float:
        while True:
            with turnstile.turn():
                now, seconds, requested_pause = self._due(turnstile)
                while seconds > 0 and requested_pause <= min(_LONG_PAUSE, max_pause):
                    self._pause(seconds, requested_pause)
                    max_pause -= requested_pause
                    now, seconds, requested_pause = self._due(turnstile)
                if seconds <= 0:
                    return now
            if requested_pause > max_pause:
                raise PauseTooLong(requested_pause)
            with pausing():
                self._pause(seconds, requested_pause)
            max_pause -= requested_pause

    def _due(self, turnstile: Turnstile) -> tuple[float, float, float]:
        """Return the time now, the seconds to wait, and the seconds that the service asked for.

        If the wait is 0, the request is counted as sent.
        """
        with turnstile.pace() as pace:
            now = self.clock()
            pace.name(self.per_minute, now)
            seconds = pace.wait(now)
            if seconds <= 0:
                pace.take(now)
            return now, seconds, pace.seconds_paused(now)

    def _pause(self, seconds: float, requested_pause: float) -> None:
        jitter = self._chance() * min(requested_pause * _JITTER, _MOST_JITTER)
        self._sleep(max(seconds, requested_pause + jitter, _SHORTEST_SLEEP))

    def _go_alone(self, error: OSError) -> None:
        """Keep the pace for this process alone, because it cannot be shared."""
        if self._shared is not None:
            self._on_problem(describe(error))
        self._shared = None

    def _note(self, turnstile: Turnstile, note: Callable[[Pace], None]) -> None:
        try:
            with turnstile.pace() as pace:
                note(pace)
        except OSError as error:
            self._go_alone(error)
            with self._own.pace() as pace:
                note(pace)

    @property
    def left(self) -> int | None:
        """Return the number of requests that the limit allows now, or None without a limit."""
        if not self.per_minute:
            return None
        left = []

        def ask(pace: Pace) -> None:
            pace.name(self.per_minute, self.clock())
            left.append(pace.left(self.clock()))

        self._note(self._used(), ask)
        return left[-1]

    def expect(self, number: int) -> None:
        """Announce a number of requests. If they do not fit into this minute, they are sent evenly from the first on.

        Otherwise a long run would begin with a burst, which a service may refuse, and then stall.
        """

        def note(pace: Pace) -> None:
            pace.name(self.per_minute, self.clock())
            pace.expect(number, self.clock())

        self._note(self._used(), note)

    def refused(self, sent: float, pause: float) -> None:
        """Handle a request that the service refused with 429: pause all processes, then send evenly.

        :param sent: when the request was sent. A request that was sent before an earlier refusal was known adds no
            information.
        :param pause: seconds to wait, as the service asks.
        """
        used = self._used()
        # A process without a limit still shares the pause that the service asked for.
        for turnstile in {
            id(turnstile): turnstile for turnstile in (used, self._shared) if turnstile is not None
        }.values():
            self._note(turnstile, lambda pace: pace.refuse(sent, pause, self.clock()))

    def _used(self) -> Turnstile:
        """Return the turnstile that counts the requests of this limit."""
        return self._shared if self._shared is not None and self.per_minute else self._own
