# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide how long a request waits after a 429, and create the error if that is not long enough."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from http import HTTPStatus

from ..errors import TooManyRequests

RATE_LIMIT_WAIT = 300.0
"""Default seconds to wait."""

_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 60.0
_SHOWN = 5


class Written:
    """The requests that changed something since a start: their number and the newest."""

    def __init__(self) -> None:
        self._count = 0
        self._newest: deque[str] = deque(maxlen=_SHOWN)

    def begin(self) -> None:
        """Start again."""
        self._count = 0
        self._newest.clear()

    def note(self, request: str) -> None:
        """Note a request that was executed, such as ``POST /location``."""
        self._count += 1
        self._newest.append(request)

    @property
    def sentence(self) -> str:
        """Return a sentence about what was written."""
        if not self._count:
            return "Nothing was changed before it."
        earlier = f"{self._count - len(self._newest)} others, " if self._count > len(self._newest) else ""
        return f"What was changed before it stays: {earlier}{', '.join(self._newest)}."


class RetryBudget:
    """The time that one request may wait for the rate limit, retries included. It starts with the first refusal.

    :param seconds: maximum wait.
    """

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self._seconds = seconds
        self._clock = clock
        self._since: float | None = None
        self._refusals = 0

    @property
    def left(self) -> float:
        """Return the seconds that are left."""
        return self._seconds if self._since is None else self._since + self._seconds - self._clock()

    def pause(self, after: float | None) -> float:
        """Return the seconds to wait after a refusal.

        Even if the service allows a repetition at once, a request that is refused again waits.

        :param after: the seconds that the service asks for; None if it does not say.
        """
        self._since = self._clock() if self._since is None else self._since
        growing = min(_FIRST_PAUSE * 2.0**self._refusals, _LONGEST_PAUSE)
        is_first = self._refusals == 0
        self._refusals += 1
        return growing if after is None or (after == 0 and not is_first) else after

    def lost(self, refused: TooManyRequests, pause: float, written: Written) -> TooManyRequests:
        """Return the refusal, with what was written and what was not."""
        return _saying(
            refused, f"{refused.message} {self._why(pause)} This request was not carried out. {written.sentence}"
        )

    def not_sent(self, endpoint: str, pause: float, written: Written) -> TooManyRequests:
        """Return the error of a request that was not sent, because the pause of an earlier request is not over."""
        message = f"{endpoint}: not sent, because of an earlier HTTP 429. {self._why(pause)} {written.sentence}"
        return _saying(TooManyRequests(HTTPStatus.TOO_MANY_REQUESTS, "", endpoint), message)

    def _why(self, pause: float) -> str:
        if self._since is not None and self.left < self._seconds - 1:
            return (
                f"The service wants a pause of {pause:.0f} seconds, and {max(self.left, 0):.0f} of the "
                f"{self._seconds:g} seconds of rate_limit_wait are left."
            )
        return f"The service wants a pause of {pause:.0f} seconds, and rate_limit_wait is {self._seconds:g} seconds."


def _saying(refused: TooManyRequests, message: str) -> TooManyRequests:
    refused.message = message
    refused.args = (message,)
    return refused
