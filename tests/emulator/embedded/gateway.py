# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The gateway in front of the service: faults, the rate limit, late commits, the log of requests.

Nothing here depends on the web server. Due commits are carried out in order before anything else reads the data, so no
client notices that they did not happen on time.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from .faults import (
    BEFORE,
    BROKEN,
    LATE,
    RESETS,
    Faults,
    RateLimit,
    Rule,
    answer_for,
    broken_body,
    rate_headers,
    too_many,
    without_effect,
)
from .journal import Journal
from .messages import Answer, Call, Refusal
from .service import Accepted, Service


@dataclass(frozen=True)
class Exchange:
    """A received request.

    :ivar problem: what is wrong with its form.
    :ivar arrived: seconds on the clock of the gateway.
    :ivar moment: the same moment as date and time.
    :ivar latency: seconds until it reaches the service.
    :ivar rule: the rule whose fault applies to it.
    """

    call: Call
    problem: Refusal | None
    arrived: float
    moment: datetime
    latency: float
    rule: Rule | None

    @property
    def fault(self) -> str | None:
        return self.rule.fault if self.rule else None


class Gateway:
    """Everything that happens to a request before and after the service."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.clock = service.clock
        self.faults = Faults(self.clock)
        self.journal = Journal(self.clock.moment)
        self.rate_limit: RateLimit | None = None
        self._pending: list[tuple[float, int, Callable[[], object]]] = []
        self._scheduled = 0

    def take(self, call: Call, problem: Refusal | None = None) -> Exchange:
        """Accept a request, and decide its fault."""
        self.settle()
        latency, rule = self.faults.decide(call)
        return Exchange(call, problem, self.clock.now(), self.clock.moment(), latency, rule)

    def answer(self, exchange: Exchange) -> Answer | None:
        """Carry out a request and log it. Return its answer, or None for a reset."""
        self.settle()
        answer, status, late = self._carried_out(exchange)
        entry = self.journal.note(
            exchange.call, status, exchange.moment, self.clock.now() - exchange.arrived, exchange.fault
        )
        if late:
            self._commit_later(exchange, late, entry)
        if answer is not None and self.service.weather["rate_headers"] == "given":
            answer.headers.update(rate_headers(self.rate_limit))
        return answer

    def later(self, due: float, action: Callable[[], object]) -> None:
        """Call a function at a moment of the clock."""
        self._scheduled += 1
        heapq.heappush(self._pending, (due, self._scheduled, action))

    @property
    def next_due(self) -> float | None:
        """Seconds until something is due; None if nothing is pending."""
        return max(0.0, self._pending[0][0] - self.clock.now()) if self._pending else None

    def settle(self) -> None:
        """Make all calls that are due."""
        while self._pending and self._pending[0][0] <= self.clock.now():
            heapq.heappop(self._pending)[2]()

    def forget(self) -> None:
        """Drop all pending calls."""
        self._pending.clear()

    def _carried_out(self, exchange: Exchange) -> tuple[Answer | None, int | None, Accepted | None]:
        """Return the answer (None for a reset), the status that the client sees, and a commit that is still pending."""
        rule, service, late = exchange.rule, self.service, None
        if rule is None or rule.fault not in BEFORE:
            wait = self.rate_limit.wait() if self.rate_limit else 0.0
            if wait:
                return too_many(wait, service.weather["retry_after"]), 429, None
            if exchange.problem:
                answer = service.refused(exchange.problem)
            elif rule and rule.fault in LATE:
                accepted = service.accept(exchange.call)
                late = accepted if isinstance(accepted, Accepted) and accepted.route.writes else None
                answer = Answer(202)
            elif rule and rule.fault == "no_effect":
                answer = without_effect(service, exchange.call, rule)
            else:
                answer = service.answer(exchange.call)
        else:
            answer = Answer(202)
        if rule is None or rule.fault == "no_effect" or (rule.fault == "half_body" and answer.body):
            return answer, answer.status, None
        if rule.fault in RESETS:
            return None, None, late
        answer = broken_body(rule.fault, answer) if rule.fault in BROKEN else answer_for(rule)
        return answer, answer.status, late

    def _commit_later(self, exchange: Exchange, late: Accepted, entry: int) -> None:
        """Carry out a request some seconds after it arrived, and log it."""
        seconds = float(exchange.rule.given.get("commit_after", 0)) if exchange.rule else 0.0
        moment = exchange.moment + timedelta(seconds=seconds)

        def commit() -> None:
            self.journal.carried_out(entry, moment, self.service.carry_out(late, moment).status)

        self.journal.carried_out(entry, None, None)
        self.later(exchange.arrived + seconds, commit)
        self.settle()
