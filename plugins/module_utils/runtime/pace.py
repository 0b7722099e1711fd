# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compute when the next request may be sent, from the limit of requests a minute and from the service's refusals.

This module does no I/O. How a service counts is not known: it may count the requests of the last minute, or grant
permits one by one and accumulate only a few. So requests that fit into a minute are sent at once. Others are sent
evenly, a few requests at most ahead of the even pace. Both kinds of service accept that without a refusal.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

SERVICE_LIMIT = 200
"""Default limit of requests a minute."""

LONGEST_PAUSE = 3600.0
"""Maximum seconds of a pause, whatever a service asked for."""

_MINUTE = 60.0
_WINDOW = _MINUTE * 1.005
"""Length of the window of the limit in seconds.

It is longer than a minute, because latency varies and requests may arrive closer together than they were sent.
"""
_HEAD_START = 5
"""Number of requests that may be ahead of the even pace: half of what a strict service accumulates.

The other half compensates for varying latency.
"""
_SLOWER = 1.5
_FASTER = 0.98
_BELOW_LIMIT = 0.9
"""Factor for a rate that the service allowed. A refusal at a slower pace is not due to the rate."""
_STRAY_SECONDS = 300.0
"""Seconds during which refusals that are not due to the rate do not slow down."""
_SHORT_RUNS = 4
_SHORT_RUN = 2
"""Number of consecutive short runs between two refusals after which the rate counts as too high."""
_NEVER = float("-inf")
_VERSION = 2.0
_HEAD = 11
"""Number of values before the limits and the times."""
_MOST_LIMITS = 16
_MOST_MOMENTS = 20_000


@dataclass
class Pace:
    """What is known about the requests of the last minute. All moments are on one monotonic clock.

    :ivar sent: when requests were sent, oldest first.
    :ivar limits: each limit that a process named in the last minute, and when; the smallest counts.
    :ivar paused_at: when the service asked for a pause. :ivar pause: its seconds.
    :ivar refused: when a request was refused last.
    :ivar interval: seconds between requests at an even pace.
    :ivar due: when the next request is due at an even pace. :ivar even: True while the even pace applies.
    :ivar allowed: the most requests a second that the service accepted between two refusals; 0 if unknown.
    :ivar stray_until: when refusals begin to slow down again, after some that were not due to the rate.
    :ivar short_runs: consecutive runs with hardly a request between two refusals.
    """

    sent: list[float] = field(default_factory=list)
    limits: dict[int, float] = field(default_factory=dict)
    paused_at: float = _NEVER
    pause: float = 0.0
    refused: float = _NEVER
    interval: float = 0.0
    due: float = _NEVER
    even: bool = False
    allowed: float = 0.0
    stray_until: float = _NEVER
    short_runs: int = 0

    # ---- kept in a file

    def numbers(self) -> array[float]:
        """Return everything as numbers for storage."""
        return array(
            "d",
            [
                _VERSION,
                self.paused_at,
                self.pause,
                self.refused,
                self.interval,
                self.due,
                float(self.even),
                self.allowed,
                self.stray_until,
                float(self.short_runs),
                float(len(self.limits)),
                *(number for pair in self.limits.items() for number in pair),
                *self.sent[-_MOST_MOMENTS:],
            ],
        )

    @classmethod
    def from_numbers(cls, numbers: Sequence[float], now: float) -> Pace:
        """Create the pace from stored :meth:`numbers`, whoever wrote them. Impossible numbers are ignored.

        Moments later than now are from before the machine was started and are ignored.
        """
        if len(numbers) < _HEAD or numbers[0] != _VERSION or any(map(math.isnan, numbers)):
            return cls()
        paused_at, pause, refused, interval, due, even, allowed, stray_until, short_runs, count = numbers[1:_HEAD]
        if not 0 <= count <= _MOST_LIMITS:
            return cls()
        pairs = numbers[_HEAD : _HEAD + 2 * int(count)]
        limits = {
            int(limit): named_at
            for limit, named_at in zip(pairs[::2], pairs[1::2], strict=False)
            if limit >= 1 and math.isfinite(limit) and named_at <= now
        }
        is_known = paused_at <= now
        return cls(
            sorted(moment for moment in numbers[_HEAD + 2 * int(count) :] if moment <= now),
            limits,
            paused_at if is_known else _NEVER,
            min(max(pause, 0.0), LONGEST_PAUSE) if is_known else 0.0,
            refused if refused <= now else _NEVER,
            min(max(interval, 0.0), _MINUTE),
            due if due <= now + LONGEST_PAUSE + _HEAD_START * _MINUTE else _NEVER,
            bool(even),
            max(allowed, 0.0),
            stray_until if stray_until <= now + _STRAY_SECONDS else _NEVER,
            int(min(max(short_runs, 0.0), _SHORT_RUNS)),
        )

    # ---- asked

    def limit(self, now: float) -> int:
        """Return the limit that counts, or 0 for none."""
        return min((limit for limit, named_at in self.limits.items() if named_at > now - _MINUTE), default=0)

    def seconds_paused(self, now: float) -> float:
        """Return the seconds for which the service wants no requests."""
        return max(self.paused_at + self.pause - now, 0.0)

    def wait(self, now: float) -> float:
        """Return the seconds until one more request may be sent; 0 or less means now."""
        self._forget(now)
        limit = self.limit(now)
        moments = [self.paused_at + self.pause]
        if limit and len(self.sent) >= limit:
            self.even = True
            moments.append(self.sent[-limit] + _WINDOW)
        if self.even:
            moments.append(self.due - _HEAD_START * self._interval(limit))
        return max(moments) - now

    def left(self, now: float) -> int:
        """Return the number of requests that the limit allows now. There must be a limit."""
        self._forget(now)
        return max(self.limit(now) - len(self.sent), 0)

    # ---- told

    def name(self, limit: int, now: float) -> None:
        """Note the limit of a process that sends requests; 0 for none."""
        self.limits = {limit: named_at for limit, named_at in self.limits.items() if named_at > now - _MINUTE}
        if limit and (limit in self.limits or len(self.limits) < _MOST_LIMITS):
            self.limits[limit] = now

    def take(self, now: float) -> None:
        """Count a request that is sent now."""
        interval = self._interval(self.limit(now))
        self.sent.append(now)
        self.due = max(self.due, now) + interval
        self.interval = interval * _FASTER

    def expect(self, number: int, now: float) -> None:
        """Announce a number of requests.

        If they do not fit into this minute, they are sent evenly from the first on.
        """
        self._forget(now)
        limit = self.limit(now)
        if limit and len(self.sent) + number > limit:
            self.even = True
            self.due = max(self.due, now)

    def refuse(self, sent: float, pause: float, now: float) -> None:
        """Note that the service refused a request with 429: pause all processes, then send evenly.

        The first refusal counts as a burst, or as caused by other users of the limit. After a second refusal within a
        minute the pace slows down, and then grows again gradually. If the service still refuses at a pace below an
        accepted one, the rate is not the reason, and slowing down would not help. Then a refusal causes no more than
        its pause.

        :param sent: when the request was sent. A request that was sent before an earlier refusal was known adds no
            information.
        :param pause: seconds to wait, as the service asks.
        """
        limit = self.limit(now)
        if pause > 0 and sent > self.refused:
            if now - self.refused < _MINUTE:
                self._adapt(sent, limit, now)
            self.refused = now
            self.even = True
        if pause > self.seconds_paused(now):
            self.paused_at, self.pause = now, min(pause, LONGEST_PAUSE)
        if now >= self.stray_until:
            self.due = max(self.due, self.paused_at + self.pause + _HEAD_START * self._interval(limit))

    def _adapt(self, sent: float, limit: int, now: float) -> None:
        """Slow down after a second refusal, or go at full pace if slowing down did not help."""
        accepted = bisect_left(self.sent, sent) - bisect_right(self.sent, self.refused)
        self.short_runs = self.short_runs + 1 if accepted < _SHORT_RUN else 0
        if self.short_runs >= _SHORT_RUNS and now < self.stray_until:
            self.stray_until, self.allowed = _NEVER, 0.0
        interval = self._interval(limit)
        self.allowed = max(self.allowed, accepted / (now - self.refused))
        if now < self.stray_until:
            return
        if interval * self.allowed * _BELOW_LIMIT > 1:
            self.stray_until, self.interval, self.short_runs = now + _STRAY_SECONDS, 0.0, 0
        else:
            self.interval = min(max(interval * _SLOWER, _WINDOW / (limit or SERVICE_LIMIT)), _MINUTE)

    def _interval(self, limit: int) -> float:
        return max(self.interval, _WINDOW / limit if limit else 0.0)

    def _forget(self, now: float) -> None:
        del self.sent[: bisect_right(self.sent, now - _WINDOW)]
        if now > self.due + _WINDOW:
            # For a minute nothing was sent, although it was allowed: start anew.
            self.even = False
            self.interval = self.allowed = 0.0
