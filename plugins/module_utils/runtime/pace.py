# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compute when the next request may be sent, from the limit of requests a minute and from the service's refusals.

This module does no I/O. Each request reserves the moment at which it is sent. A process that is killed meanwhile loses
its moment, and nobody waits for the process.

How a service counts is not known: it may count the requests of the last minute, or grant permits one by one and
accumulate only a few. So requests that fit into a minute are sent at once. Others are sent evenly, a few requests at
most ahead of the even pace. Both kinds of service accept that without a refusal.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from dataclasses import dataclass, field
from typing import Any

#: Default limit of requests a minute.
SERVICE_LIMIT = 200

#: Maximum seconds of a pause, whatever a service asked for.
LONGEST_PAUSE = 3600.0

_MINUTE = 60.0
#: Length of the window of the limit in seconds.
#:
#: It is longer than a minute, because latency varies and requests may arrive closer together than they were sent.
_WINDOW = _MINUTE * 1.008
#: Seconds by which a request may be sent later than at its moment. A later one needs another moment.
_LATEST = _MINUTE * 0.004
#: Number of requests that may be ahead of the even pace: half of what a strict service accumulates.
#:
#: The other half compensates for varying latency.
_HEAD_START = 5
_SLOWER = 1.5
_FASTER = 0.98
#: Factor for a rate that the service allowed. A refusal at a slower pace is not due to the rate.
_BELOW_LIMIT = 0.9
#: Seconds during which refusals that are not due to the rate do not slow down.
_STRAY_SECONDS = 300.0
_SHORT_RUNS = 4
#: Number of consecutive short runs between two refusals after which the rate counts as too high.
_SHORT_RUN = 2
#: Moments a second that are distinguished.
_TICKS = 1e4
_NEVER = -1e9
#: Maximum number of moments to remember. Requests of a larger limit are always sent evenly.
_MOST_MOMENTS = 10_000


@dataclass
class Pace:
    """What is known about the requests of the last minute. All moments are on one monotonic clock.

    :ivar boot: identifies the start of the machine, and so of its clock.
    :ivar sent: the moments of requests, those to come too, in order.
    :ivar limits: each limit that a process named in the last minute, and when; the smallest counts.
    :ivar paused_until: the end of a pause that the service asked for.
    :ivar refused: when a request was refused last.
    :ivar interval: seconds between requests at an even pace.
    :ivar due: when the next request is due at an even pace. :ivar even: True while the even pace applies.
    :ivar allowed: the most requests a second that the service accepted between two refusals; 0 if unknown.
    :ivar stray_until: when refusals begin to slow down again, after some that were not due to the rate.
    :ivar short_runs: consecutive runs with hardly a request between two refusals.
    """

    boot: str = ""
    sent: list[float] = field(default_factory=list)
    limits: dict[str, float] = field(default_factory=dict)
    paused_until: float = _NEVER
    refused: float = _NEVER
    interval: float = 0.0
    due: float = _NEVER
    even: bool = False
    allowed: float = 0.0
    stray_until: float = _NEVER
    short_runs: int = 0

    # ---- remembered

    def kept(self) -> dict[str, Any]:
        """Return the pace in the form in which it is stored."""
        return vars(self)

    @classmethod
    def from_kept(cls, kept: Any, boot: str) -> Pace:
        """Create the pace from what :meth:`kept` returned. A pace of an earlier start of the machine begins anew."""
        try:
            pace = cls(**kept)
        except TypeError:
            return cls(boot)
        pace.sent = [*pace.sent]
        return pace if pace.boot == boot else cls(boot)

    # ---- asked

    def limit(self, now: float) -> int:
        """Return the limit that counts, or 0 for none."""
        return min((int(limit) for limit, named_at in self.limits.items() if named_at > now - _MINUTE), default=0)

    def seconds_paused(self, now: float) -> float:
        """Return the seconds for which the service wants no requests."""
        return max(self.paused_until - now, 0.0)

    def left(self, now: float) -> int:
        """Return the number of requests that the limit allows now. There must be a limit."""
        self._forget(now)
        return max(self.limit(now) - len(self.sent), 0)

    # ---- changed

    def name(self, limit: int, now: float) -> None:
        """Note the limit of a process that sends requests; 0 for none."""
        self.limits = {limit: named_at for limit, named_at in self.limits.items() if named_at > now - _MINUTE}
        if limit:
            self.limits[str(limit)] = now

    def take(self, now: float) -> float:
        """Reserve the moment of one more request, and return it."""
        self._forget(now)
        limit = self.limit(now)
        moment = max(now, self.paused_until)
        if limit > _MOST_MOMENTS:
            self.even = True
        elif limit and len(self.sent) >= limit:
            self.even = True
            moment = max(moment, self.sent[-limit] + _WINDOW)
        interval = self._interval(limit)
        if self.even:
            moment = max(moment, self.due - _HEAD_START * interval)
        # Short numbers take less time to write and to read.
        moment = math.floor(moment * _TICKS) / _TICKS
        insort(self.sent, moment)
        self.due = max(self.due, moment) + interval
        self.interval = interval * _FASTER
        return moment

    def start(self, reserved: float, now: float) -> bool:
        """Return True if a request may be sent at its moment. Otherwise it needs another one, and gives this one back.

        That is the case if it is late, or if the service asked for a pause meanwhile.
        """
        if now <= reserved + _LATEST and now >= self.paused_until:
            return True
        if reserved in self.sent:
            self.sent.remove(reserved)
        return False

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
            self.paused_until = now + min(pause, LONGEST_PAUSE)
        if now >= self.stray_until:
            self.due = max(self.due, self.paused_until + _HEAD_START * self._interval(limit))

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
        del self.sent[: max(bisect_right(self.sent, now - _WINDOW), len(self.sent) - _MOST_MOMENTS)]
        if now > self.due + _WINDOW:
            # For a minute nothing was sent, although it was allowed: start anew.
            self.even = False
            self.interval = self.allowed = 0.0
