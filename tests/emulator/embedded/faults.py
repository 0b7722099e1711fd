# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults by rule, and the rate limit: everything that goes wrong between a client and the service."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from .clock import Clock
from .messages import JSON, PREFIX, Answer, Call, answer_json, encoded, no_content

if TYPE_CHECKING:
    from .service import Service

BEFORE = ("401", "403", "406", "422", "429", "500", "500_later_page", "502_html", "503", "reset_before")
"""Faults whose requests are not carried out."""
BROKEN = ("not_json", "empty_body", "html_body", "error_list")
"""Faults whose answers have a useless body. ``error_list`` is an error beside an empty list."""
LATE = ("504_late", "502_late", "reset_late")
"""Faults whose requests are carried out after the answer."""
RESETS = ("reset_before", "reset_after", "reset_late", "half_body")
"""Faults without an answer. ``half_body`` sends half an answer, unless that is empty."""
FAULTS = (*BEFORE, *BROKEN, *LATE, "504_after", "reset_after", "half_body", "no_effect", "latency")
_BURST = 10
_LATER_PAGE = re.compile(r"(?:^|&)page=(?!0*1?(?:&|$))")
_FORMS = ("seconds", "date", "none")
_NUMBERS = ("probability", "after", "times", "begins", "lasts", "seconds", "retry_after", "commit_after")
_TEXTS = ("method", "path", "fault", "retry_after_form", "answer")
_KEYS = (*_TEXTS, *_NUMBERS)
_HTML = (
    b"<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>"
)
_PAGE = b"<html><head><title>Welcome</title></head><body><h1>Please sign in</h1></body></html>"
_MESSAGES = {
    "401": "The access token is missing or invalid",
    "403": "The caller is not permitted to perform the operation",
    "406": "The requested resource representation has no acceptable format",
    "422": "The requested entry is not processable",
    "500": "Internal server error",
    "503": "Service unavailable",
}


class BadRule(ValueError):
    """Raised for an invalid rule."""


@dataclass
class Rule:
    """One rule as given, with the requests that it matched.

    :ivar added: when it was given, in seconds on the clock of the gateway.
    """

    given: dict[str, Any]
    added: float = 0.0
    matched: int = 0
    acted: int = 0

    @property
    def fault(self) -> str:
        return str(self.given["fault"])

    @property
    def latency(self) -> float:
        """The delay of the answer in seconds."""
        return float(self.given.get("seconds", 1 if self.fault == "latency" else 0))

    def acts(self, call: Call, chance: float, now: float) -> bool:
        """Return True if the rule applies to a request, and count the request."""
        given, path = self.given, call.path.removeprefix(PREFIX)
        if given.get("method", call.method).upper() != call.method or not fnmatchcase(path, given.get("path", "*")):
            return False
        if self.fault == "500_later_page" and not (call.method == "GET" and _LATER_PAGE.search(call.query)):
            return False
        begins = self.added + given.get("begins", 0)
        if now < begins or ("lasts" in given and now >= begins + given["lasts"]):
            return False
        times = given.get("times")
        if times is not None and self.acted >= times:
            return False
        self.matched += 1
        if self.matched <= given.get("after", 0) or chance >= given.get("probability", 1):
            return False
        self.acted += 1
        return True


class Faults:
    """The rules. The first matching rule that is not used up applies."""

    def __init__(self, clock: Clock) -> None:
        self.rules: list[Rule] = []
        self._clock = clock
        self._random = random.Random(7)

    def decide(self, call: Call) -> tuple[float, Rule | None]:
        """Return the latency of a request, and its fault."""
        latency, now = 0.0, self._clock.now()
        for rule in self.rules:
            if rule.acts(call, self._random.random(), now):
                latency += rule.latency
                if rule.fault != "latency":
                    return latency, rule
        return latency, None

    def seed(self, seed: str) -> None:
        """Restart the random numbers. The same seed yields the same numbers in the same order."""
        self._random = random.Random(seed)

    def replace(self, rules: Any) -> None:
        if not isinstance(rules, list):
            raise BadRule("the rules are a list")
        self.rules = [checked(rule, self._clock.now()) for rule in rules]

    def add(self, rule: Any) -> None:
        self.rules.append(checked(rule, self._clock.now()))

    def as_json(self) -> list[dict[str, Any]]:
        return [rule.given for rule in self.rules]


def checked(rule: Any, now: float) -> Rule:
    """Return a valid rule that applies from now on. Raise BadRule if it is invalid."""
    if not isinstance(rule, dict):
        raise BadRule("a rule is a JSON object")
    given = {key: value for key, value in rule.items() if value is not None}
    unknown = [key for key in given if key not in _KEYS]
    if unknown:
        raise BadRule(f"a rule has no {unknown[0]!r}; it has {', '.join(_KEYS)}")
    given["fault"] = str(given.get("fault"))
    if given["fault"] not in FAULTS:
        raise BadRule(f"fault is one of {', '.join(FAULTS)}")
    for key in _NUMBERS:
        if not isinstance(given.get(key, 0), (int, float)) or given.get(key, 0) < 0:
            raise BadRule(f"{key} is a number from 0")
    if given.get("probability", 0) > 1:
        raise BadRule("probability is at most 1")
    if given.get("retry_after_form", "seconds") not in _FORMS:
        raise BadRule(f"retry_after_form is one of {', '.join(_FORMS)}")
    if not all(isinstance(given.get(key, ""), str) for key in ("method", "path")):
        raise BadRule("method and path are texts")
    if given.get("answer", "claimed") not in _WITHOUT_EFFECT:
        raise BadRule(f"answer is one of {', '.join(_WITHOUT_EFFECT)}")
    return Rule(given, now)


def answer_for(rule: Rule) -> Answer:
    """Return the answer of a fault: the request is not carried out, or the answer hides that it was."""
    if rule.fault.startswith("502"):
        return Answer(502, _HTML, "text/html")
    if rule.fault.startswith("504"):
        return answer_json({"message": "Gateway timeout"}, 504)
    given = rule.given
    form = str(given.get("retry_after_form", "seconds"))
    if rule.fault == "429":
        return too_many(float(given.get("retry_after", 1)), form)
    status = rule.fault.partition("_")[0]
    answer = answer_json({"message": _MESSAGES[status]}, int(status))
    if rule.fault == "503" and "retry_after" in given:
        answer.headers.update(_retry_after(float(given["retry_after"]), form))
    return answer


def broken_body(fault: str, answer: Answer) -> Answer:
    """Return the same answer with a useless body."""
    status = answer.status if answer.status != 204 else 200
    if fault == "empty_body":
        return Answer(status, b"", JSON, answer.headers)
    if fault == "html_body":
        return Answer(status, _PAGE, "text/html", answer.headers)
    if fault == "error_list":
        return Answer(status, encoded({"error": _MESSAGES["500"], "items": []}), JSON, answer.headers)
    cut = answer.body[: len(answer.body) // 2] if answer.media == JSON and len(answer.body) > 2 else b'{"items": ['
    return Answer(status, cut, JSON, answer.headers)


def _claimed(service: Service, call: Call) -> Answer:
    """Return the answer that the write would have had."""
    return service.answer(call, keep=False)


def _unchanged(service: Service, call: Call) -> Answer:
    """Return the unchanged record, or ``{}`` if it cannot be read at this path."""
    read = service.answer(replace(call, method="GET", query="", body=b"", parts=None))
    return read if read.status == 200 else answer_json({})


_WITHOUT_EFFECT: Mapping[str, Callable[[Service, Call], Answer]] = {
    "claimed": _claimed,
    "unchanged": _unchanged,
    "200": lambda _service, _call: answer_json({}),
    "202": lambda _service, _call: Answer(202),
    "204": lambda _service, _call: no_content(),
}
WITHOUT_EFFECT = tuple(_WITHOUT_EFFECT)
"""The answers to a write that is not carried out."""


def without_effect(service: Service, call: Call, rule: Rule) -> Answer:
    """Return an answer that claims that a write was carried out, although it was not.

    Other requests are answered as usual.
    """
    answer = service.answer(call, keep=False)
    if call.method == "GET" or answer.status >= 300:
        return answer
    return _WITHOUT_EFFECT[str(rule.given.get("answer", "claimed"))](service, call)


def too_many(seconds: float, form: str) -> Answer:
    """Return a 429 that says in one of several forms when to retry."""
    headers = _retry_after(seconds, form)
    return Answer(429, encoded({"message": "Too many requests"}), JSON, headers)


def _retry_after(seconds: float, form: str) -> dict[str, str]:
    if form == "seconds":
        return {"Retry-After": str(max(0, -int(-seconds // 1)))}
    if form == "date":
        # A date has no fractions: round up, or the client comes too early.
        moment = datetime.now(UTC) + timedelta(seconds=seconds + 0.999)
        return {"Retry-After": format_datetime(moment.replace(microsecond=0), usegmt=True)}
    return {}


_USUAL_PER_MINUTE = 200


class RateLimit:
    """The number of requests a minute with a burst, as a bucket that fills evenly."""

    def __init__(self, per_minute: float, burst: int, clock: Clock) -> None:
        self.per_minute = per_minute
        self.burst = burst
        self._clock = clock
        self._tokens = float(burst)
        self._filled = clock.now()

    @classmethod
    def from_json(cls, value: Any, clock: Clock) -> RateLimit | None:
        """Create the limit from JSON; null means no limit. Raise BadRule if it is invalid."""
        if value is None:
            return None
        if (
            not isinstance(value, dict)
            or not isinstance(value.get("per_minute"), (int, float))
            or value["per_minute"] <= 0
        ):
            raise BadRule('a rate limit is {"per_minute": 200, "burst": 10} or null')
        burst = value.get("burst", _BURST)
        if not isinstance(burst, int) or burst < 1:
            raise BadRule("burst is an integer from 1")
        return cls(value["per_minute"], burst, clock)

    def as_json(self) -> dict[str, Any]:
        return {"per_minute": self.per_minute, "burst": self.burst}

    @property
    def remaining(self) -> int:
        """The number of requests that are allowed now."""
        return int(self._tokens)

    def wait(self) -> float:
        """Count a request and return 0, or return the seconds until it is allowed."""
        now = self._clock.now()
        self._tokens = min(self.burst, self._tokens + (now - self._filled) * self.per_minute / 60)
        self._filled = now
        if self._tokens >= 1:
            self._tokens -= 1
            return 0.0
        return (1 - self._tokens) * 60 / self.per_minute


def rate_headers(limit: RateLimit | None) -> dict[str, str]:
    """Return the headers about the rate limit. Without a limit they report an unused limit."""
    per_minute = limit.per_minute if limit else _USUAL_PER_MINUTE
    remaining = limit.remaining if limit else _USUAL_PER_MINUTE
    return {"X-RateLimit-Limit": f"{per_minute:g}", "X-RateLimit-Remaining": str(remaining)}
