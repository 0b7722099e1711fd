# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide how one request goes on: it is sent again, or given up.

A request goes through these states:

- *ready*: it may be sent, unless the service may be down. An outage that ended meanwhile starts its retries again.
- *refused* with 429: it was not carried out. It waits as long as ``rate_limit_wait`` allows, then it is ready again.
- *failed*: it was never sent, or a second time does no harm. It pauses, then it is ready again, ``retries`` times.
- *lost*: it was sent, and a second time may do harm. It is given up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from http import HTTPStatus
from typing import Any, NoReturn

from ..errors import SeventhingsError, TooManyRequests
from .outage import Outages

PREFIX = "/customer-api/v1"
#: Default maximum number of repetitions of one request.
RETRIES = 3

#: Default seconds to wait after a 429.
RATE_LIMIT_WAIT = 300.0

#: Maximum number of outages after which a request starts again.
_MOST_OUTAGES = 3
_SHORTEST_PAUSE = 0.25
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 60.0


#: The effect of sending a request twice.
#:
#: In the words of RFC 9110: SAFE changes nothing. IDEMPOTENT has the same end state, but a request whose answer was
#: lost may overwrite what is written after it. UNSAFE creates something each time.
Effect = Enum("Effect", "SAFE IDEMPOTENT UNSAFE")


@dataclass(frozen=True)
class Request:
    """One request, which may take several attempts.

    :ivar path: below ``/customer-api/v1``. :ivar pairs: the query. :ivar body: sent as JSON; None for no body.
    :ivar files: parts of a multipart upload, as requests accepts them.
    :ivar login: True for a login, which is sent in check mode, too. Nothing of its answer is shown.
    :ivar check: raises if the body can't be what was asked for. The request is then repeated, as after any broken
        answer. Use it only for what may be repeated.
    """

    method: str
    path: str
    effect: Effect = Effect.SAFE
    token: str | None = None
    pairs: Sequence[tuple[str, str]] = ()
    body: Any = None
    files: Mapping[str, Any] | None = None
    accept: str = "application/json"
    login: bool = False
    check: Callable[[Any], None] | None = None

    @property
    def endpoint(self) -> str:
        """Return method and path, for messages."""
        return f"{self.method} {PREFIX}{self.path}"

    @property
    def is_write(self) -> bool:
        """Return True if the request changes something."""
        return self.effect is not Effect.SAFE

    @property
    def kind(self) -> str:
        """Return the kind of write in the user's terms, without the uuid of a record; empty if it only reads."""
        return f"{self.method} {PREFIX}/{self.path.split('/')[1]}" if self.is_write else ""


class Failed(Exception):
    """Raised if an attempt failed in a way that allows another attempt, unless it was sent and is UNSAFE.

    :ivar is_outage: True if a gateway answered in place of the service, or the connection was reset.
    :ivar after: seconds to wait, if the answer says so. :ivar was_sent: True if it was sent.
    :ivar is_lost: True if it was sent, and nobody knows what the service does with it.
    """

    def __init__(
        self,
        error: SeventhingsError,
        is_outage: bool = False,
        after: float | None = None,
        was_sent: bool = True,
        is_lost: bool = True,
    ) -> None:
        super().__init__(error.message)
        self.error = error
        self.is_outage = is_outage
        self.after = after
        self.was_sent = was_sent
        self.is_lost = was_sent and is_lost


class Refused(Exception):
    """Raised if the service wants fewer requests.

    :ivar sent: when the refused request was sent. :ivar after: seconds to wait, if the service says so.
    """

    def __init__(self, error: TooManyRequests, sent: float, after: float | None) -> None:
        super().__init__(error.message)
        self.error = error
        self.sent = sent
        self.after = after


@dataclass
class Attempts:
    """The attempts of one request.

    :ivar rate_limit_wait: maximum seconds to wait after refusals with 429, from the first of them on.
    """

    request: Request
    outages: Outages
    retries: int
    rate_limit_wait: float
    clock: Callable[[], float]

    def __post_init__(self) -> None:
        #: The request and its state, for messages.
        self.words = f"{self.request.endpoint}: not sent."
        self._left = self.retries
        self._ended, self._renewals = self.outages.ended, 0
        self._failure: Failed | None = None
        self._refused_since: float | None = None
        self._refusals = 0

    # ---- ready

    def begin(self) -> None:
        """Begin the next attempt.

        :raises SeventhingsError: the last failure, if no attempt is left.
        """
        if self.outages.ended != self._ended and self._renewals < _MOST_OUTAGES:
            self._left, self._ended, self._renewals = self.retries, self.outages.ended, self._renewals + 1
        elif self._left < 0 and self._failure is not None:
            self._give_up(self._failure)

    # ---- failed, lost

    def failed(self, failed: Failed) -> float:
        """Return the seconds until the next attempt.

        Before the last failure counts, the service is asked whether it answers any request at all.

        :raises SeventhingsError: if there is no next attempt.
        """
        is_unknown = self.request.is_write and failed.was_sent
        self.words = f"{self.request.endpoint}: no answer{', so the outcome is unknown' if is_unknown else ''}."
        if failed.is_outage:
            self.outages.failed(failed.error.message, failed.after)
        if is_unknown and (self.request.effect is Effect.UNSAFE or failed.is_lost):
            self._give_up(failed)
        self._failure = failed
        self._left -= 1
        if self._left < 0 and failed.is_outage and self.retries:
            self.outages.is_suspected = True
        elif self._left < 0:
            self._give_up(failed)
        failures = self.retries - self._left
        return _SHORTEST_PAUSE if failures == 1 else _FIRST_PAUSE * 2.0 ** (failures - 1)

    def _give_up(self, failed: Failed) -> NoReturn:
        if failed.is_outage and self.request.is_write:
            self.outages.lost(self.request.kind)
        raise failed.error from failed.error.__cause__

    # ---- refused

    @property
    def left(self) -> float:
        """Return the seconds that it may still wait for the rate limit."""
        if self._refused_since is None:
            return self.rate_limit_wait
        return self._refused_since + self.rate_limit_wait - self.clock()

    def refused(self, refused: Refused) -> float:
        """Return the seconds to wait after a refusal.

        Even if the service allows a repetition at once, a request that is refused again waits.
        """
        self._refused_since = self.clock() if self._refused_since is None else self._refused_since
        growing = min(_FIRST_PAUSE * 2.0**self._refusals, _LONGEST_PAUSE)
        is_first = self._refusals == 0
        self._refusals += 1
        return growing if refused.after is None or (refused.after == 0 and not is_first) else refused.after

    def check_pause(self, refused: Refused, pause: float) -> None:
        """Check that a pause after a refusal fits.

        :raises TooManyRequests: if it does not, because it would take too long.
        """
        if pause > self.left:
            refused.error.message += f" {self._why(pause)} This request was not carried out."
            raise refused.error from refused.error.__cause__

    def not_sent(self, pause: float) -> TooManyRequests:
        """Return the error of a request that was not sent, because the pause of an earlier request is not over."""
        endpoint = self.request.endpoint
        error = TooManyRequests(HTTPStatus.TOO_MANY_REQUESTS, "", endpoint)
        error.message = f"{endpoint}: not sent, because of an earlier HTTP 429. {self._why(pause)}"
        return error

    def _why(self, pause: float) -> str:
        left = f"{max(self.left, 0):.0f} of the {self.rate_limit_wait:g} seconds of rate_limit_wait are left"
        return f"The service wants a pause of {pause:.0f} seconds, and {left}."
