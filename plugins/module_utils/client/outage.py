# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Detect that the service is down, and wait until it answers again."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from http import HTTPStatus

from ..errors import ServiceUnavailable

#: The statuses of a gateway whose service is down.
UNAVAILABLE = (HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT)
#: Consecutive requests without an answer of the service after which nothing is sent until it answers.
FAILURES = 5
#: Seconds between two checks whether the service is back, unless the service says when to retry.
INTERVAL = 15.0
#: Seconds of a pause during which this process keeps its locks.
_SHORT = 5.0
#: Number of consecutive lost writes of one kind after which no more are sent.
LOST_WRITES = 10


class Outages:
    """The failures of all threads of a process, and the pause that follows them.

    :ivar is_suspected: True if the service may be down, so that it is checked before anything else is sent.
    :ivar ended: number of outages that are over. A request that was in progress during an outage starts again.
    """

    def __init__(self) -> None:
        self.ended = 0
        self._failures = 0
        self._reason = ""
        self._after = 0.0
        self.is_suspected = False
        self._is_down = False
        self._is_waiting = False
        self._has_given_up = False
        self._lost: Counter[str] = Counter()
        self._mutex = threading.Lock()
        self._checking = threading.Lock()
        self._asking = threading.Lock()

    def answered(self) -> None:
        """Note an answer of the service."""
        self._failures = 0

    def failed(self, reason: str, after: float | None) -> None:
        """Note a request that a gateway answered in place of the service, or whose connection was reset.

        :param after: seconds after which to retry, if the answer says so.
        """
        with self._mutex:
            self._failures += 1
            self._reason = reason
            self._after = max(self._after, after or 0.0)
            self.is_suspected = self.is_suspected or bool(after) or self._failures >= FAILURES

    def is_over(self, seconds: float, is_down: Callable[[], bool], sleep: Callable[[float], None]) -> bool:
        """Check the service once, after the pause that it asked for.

        Return False without a check if that pause is not short, or if the service is known to be down.

        Parameters as in :meth:`wait`.
        """
        with self._checking:
            if not self.is_suspected:
                return True
            if self._is_down or self._is_waiting or self._after > min(_SHORT, self._left_of(seconds)):
                return False
            return self._answers_after(self._after, is_down, sleep)

    def wait(self, seconds: float, is_down: Callable[[], bool], sleep: Callable[[float], None]) -> None:
        """Wait until the service answers, if it may be down. One thread checks it, and the others wait for that thread.

        If the wait ends without an answer, the service is checked once for each request, without a pause.

        :param seconds: maximum wait. :param is_down: one check of the service.
        :raises ServiceUnavailable: if the service is still down.
        """
        with self._asking:
            left = self._left_of(seconds)
            self._is_waiting = True
            try:
                while self.is_suspected:
                    requested_pause = self._after
                    pause = requested_pause or (INTERVAL if self._is_down else 0.0)
                    if pause > left:
                        self._has_given_up, self._is_down, self._after = True, False, 0.0
                        asks = f"it asks for a pause of {requested_pause:g} seconds"
                        raise ServiceUnavailable(
                            f"The service is down: {asks if requested_pause else 'it does not answer'}, and "
                            f"outage_wait is {seconds:g} seconds. The last failure: {self._reason}"
                        )
                    left -= pause
                    self._answers_after(pause, is_down, sleep)
            finally:
                self._is_waiting = False

    def _left_of(self, seconds: float) -> float:
        return 0.0 if self._has_given_up else seconds

    def _answers_after(self, pause: float, is_down: Callable[[], bool], sleep: Callable[[float], None]) -> bool:
        self._after = 0.0
        sleep(pause)
        if is_down():
            self._is_down = True
            return False
        was_down, self._is_down = self._is_down, False
        self.is_suspected = self._has_given_up = False
        self._failures = 0
        if was_down:
            # Writes lost during an outage say nothing about the writes themselves.
            self._lost.clear()
            self.ended += 1
        return True

    # ---- writes

    def lost(self, kind: str) -> None:
        """Note a write without an answer.

        :param kind: method and path of such writes.
        """
        with self._mutex:
            self._lost[kind] += 1

    def carried_out(self, kind: str) -> None:
        """Note a write that the service answered."""
        if kind in self._lost:
            with self._mutex:
                del self._lost[kind]

    def check_writes(self, kind: str) -> None:
        """Refuse a write if all of the last writes of its kind were lost. The write after it may be tried again.

        :raises ServiceUnavailable: naming the kind.
        """
        with self._mutex:
            if self._lost[kind] < LOST_WRITES:
                return
            self._lost[kind] = LOST_WRITES - 1
        raise ServiceUnavailable(
            f"The service answered none of the last {LOST_WRITES} requests {kind}, though it answers others. No more "
            f"of them are sent. The last failure: {self._reason}"
        )
