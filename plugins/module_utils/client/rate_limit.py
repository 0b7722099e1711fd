# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Send requests as fast as the limit and the service allow."""

from __future__ import annotations

import contextlib
import functools
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ..runtime.locks import describe
from ..runtime.pace import Pace
from ..runtime.store import Store

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
#: Minimum seconds of a pause during which locks that other processes wait for are released.
_LONG_PAUSE = 60.0
#: Random part of a pause, so that several controllers do not resume at the same moment.
_JITTER = 0.05
_MOST_JITTER = 5.0

Pausing = Callable[[], contextlib.AbstractContextManager[None]]
_Found = TypeVar("_Found")


class PauseTooLong(Exception):
    """Raised if the service asks everybody to pause for longer than the caller can wait.

    :ivar seconds: left of the pause.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(f"{seconds:.0f} seconds")
        self.seconds = seconds


@dataclass
class RateLimit:
    """A rate limit, shared by all threads, and by all processes of a user if they have a common place.

    :ivar per_minute: maximum number of requests in any 60 seconds; 0 for no limit. If processes have different limits,
        the smallest counts. A process without a limit neither counts nor waits.
    :ivar store: where processes share their pace; None for this process alone.
    :ivar name: of the instance, the owner of the pace.
    :ivar on_problem: called once with the reason if the pace is no longer shared.
    """

    per_minute: int
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    store: Store | None = None
    name: str = ""
    on_problem: Callable[[str], None] = lambda _problem: None
    chance: Callable[[], float] = random.random

    def __post_init__(self) -> None:
        self._own = Pace()
        self._mutex = threading.Lock()

    def wait(self, max_pause: float = float("inf"), pausing: Pausing = contextlib.nullcontext) -> float:
        """Wait until one more request may be sent, count it, and return its moment, for :meth:`refused`.

        :param max_pause: maximum seconds for a pause that the service asked for.
        :param pausing: entered during a pause of more than a minute.
        :raises PauseTooLong: if the pause is longer.
        """
        reserved: float | None = None
        while True:
            moment, seconds, requested_pause = self._change(functools.partial(self._reserve, reserved))
            if seconds <= 0 and moment is not None:
                return moment
            reserved = moment
            if requested_pause > max_pause:
                raise PauseTooLong(requested_pause)
            with pausing() if requested_pause > _LONG_PAUSE else contextlib.nullcontext():
                jitter = self.chance() * min(requested_pause * _JITTER, _MOST_JITTER)
                self.sleep(seconds + jitter)
            max_pause -= requested_pause

    def _reserve(self, reserved: float | None, pace: Pace) -> tuple[float | None, float, float]:
        """Return the time of the request, the seconds to wait, and the seconds of a pause that the service asked for.

        During a pause no moment is reserved.
        """
        now = self.clock()
        if reserved is not None and pace.start(reserved, now):
            return reserved, 0.0, 0.0
        if pause := pace.seconds_paused(now):
            return None, pause, pause
        moment = pace.take(now)
        return moment, moment - now, 0.0

    def _change(self, change: Callable[[Pace], _Found]) -> _Found:
        """Change the pace that counts the requests of this limit. If it can't be shared, go on alone."""
        if self.store is not None and self.per_minute:
            try:
                return self._change_shared(self.store, change)
            except OSError as error:
                if self.store is not None:
                    self.on_problem(describe(error))
                self.store = None
        with self._mutex:
            return self._changed(self._own, change)

    def _change_shared(self, store: Store, change: Callable[[Pace], _Found]) -> _Found:
        with store.changing(self.name) as facts:
            pace = Pace.from_kept(facts.get("pace"), _boot_id())
            found = self._changed(pace, change)
            facts.put(("pace", "", pace.kept()))
        return found

    def _changed(self, pace: Pace, change: Callable[[Pace], _Found]) -> _Found:
        pace.name(self.per_minute, self.clock())
        return change(pace)

    @property
    def left(self) -> int | None:
        """Return the number of requests that the limit allows now, or None without a limit."""
        return self._change(lambda pace: pace.left(self.clock())) if self.per_minute else None

    def expect(self, number: int) -> None:
        """Announce a number of requests. If they do not fit into this minute, they are sent evenly from the first on.

        Otherwise a long run would begin with a burst, which a service may refuse, and then stall.
        """
        self._change(lambda pace: pace.expect(number, self.clock()))

    def refused(self, sent: float, pause: float) -> None:
        """Handle a request that the service refused with 429: pause all processes, then send evenly.

        :param sent: when the request was sent. A request that was sent before an earlier refusal was known adds no
            information.
        :param pause: seconds to wait, as the service asks.
        """
        note = functools.partial(Pace.refuse, sent=sent, pause=pause, now=self.clock())
        self._change(note)
        if self.store is not None and not self.per_minute:
            # A process without a limit still shares the pause that the service asked for.
            with contextlib.suppress(OSError):
                self._change_shared(self.store, note)


@functools.cache
def _boot_id() -> str:
    """Return what identifies the start of the machine, which also starts its clock; empty if the system has nothing."""
    with contextlib.suppress(OSError):
        return _BOOT_ID.read_text("ascii").strip()
    return ""
