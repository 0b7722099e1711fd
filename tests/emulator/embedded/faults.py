# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults by rule, and the rate limit: what goes wrong between a client and the service."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from fnmatch import fnmatchcase
from typing import Any

from .messages import JSON, PREFIX, Answer, answer_json, encoded

BEFORE = ("401", "403", "406", "422", "429", "500", "502_html", "503", "reset_before")
AFTER = ("504_after", "reset_after", "half_body", "not_json")
FAULTS = (*BEFORE, *AFTER, "latency")
_BURST = 10
_FORMS = ("seconds", "date", "none")
_KEYS = ("method", "path", "fault", "probability", "after", "times", "seconds", "retry_after", "retry_after_form")
_HTML = (
    b"<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>"
)
_MESSAGES = {
    "401": "The access token is missing or invalid",
    "403": "The caller is not permitted to perform the operation",
    "406": "The requested resource representation has no acceptable format",
    "422": "The requested entry is not processable",
    "500": "Internal server error",
    "503": "Service unavailable",
}


class BadRule(ValueError):
    """A rule that does not say what to do."""


@dataclass
class Rule:
    """One rule, as it was given, with the requests that it has seen."""

    given: dict[str, Any]
    seen: int = 0
    acted: int = 0

    @property
    def fault(self) -> str:
        return str(self.given["fault"])

    def acts(self, method: str, path: str, chance: float) -> bool:
        """Tells whether the rule acts on a request, and counts the request."""
        given = self.given
        if given.get("method", method).upper() != method or not fnmatchcase(path, given.get("path", "*")):
            return False
        times = given.get("times")
        if times is not None and self.acted >= times:
            return False
        self.seen += 1
        if self.seen <= given.get("after", 0) or chance >= given.get("probability", 1):
            return False
        self.acted += 1
        return True


class Faults:
    """The list of rules. The first that matches and still has times left acts."""

    def __init__(self) -> None:
        self.rules: list[Rule] = []
        self._random = random.Random(7)

    def decide(self, method: str, path: str) -> tuple[float, Rule | None]:
        """The latency of a request, and the fault that happens to it."""
        below = path.removeprefix(PREFIX)
        latency = 0.0
        for rule in self.rules:
            if rule.acts(method, below, self._random.random()):
                if rule.fault != "latency":
                    return latency, rule
                latency += float(rule.given.get("seconds", 1))
        return latency, None

    def seed(self, seed: str) -> None:
        """Begins to draw anew: with the same seed, the same chances in the same order."""
        self._random = random.Random(seed)

    def replace(self, rules: Any) -> None:
        if not isinstance(rules, list):
            raise BadRule("the rules are a list")
        self.rules = [checked(rule) for rule in rules]

    def add(self, rule: Any) -> None:
        self.rules.append(checked(rule))

    def as_json(self) -> list[dict[str, Any]]:
        return [rule.given for rule in self.rules]


def checked(rule: Any) -> Rule:
    """A rule that can be followed. Raises BadRule."""
    if not isinstance(rule, dict):
        raise BadRule("a rule is a JSON object")
    given = {key: value for key, value in rule.items() if value is not None}
    unknown = [key for key in given if key not in _KEYS]
    if unknown:
        raise BadRule(f"a rule has no {unknown[0]!r}; it has {', '.join(_KEYS)}")
    given["fault"] = str(given.get("fault"))
    if given["fault"] not in FAULTS:
        raise BadRule(f"fault is one of {', '.join(FAULTS)}")
    for key in ("probability", "after", "times", "seconds"):
        if not isinstance(given.get(key, 0), (int, float)) or given.get(key, 0) < 0:
            raise BadRule(f"{key} is a number from 0")
    if given.get("probability", 0) > 1:
        raise BadRule("probability is at most 1")
    if given.get("retry_after_form", "seconds") not in _FORMS:
        raise BadRule(f"retry_after_form is one of {', '.join(_FORMS)}")
    if not all(isinstance(given.get(key, ""), str) for key in ("method", "path")):
        raise BadRule("method and path are texts")
    return Rule(given)


def answer_for(rule: Rule) -> Answer:
    """The answer of a fault that keeps the request from being carried out, or hides that it was."""
    if rule.fault == "429":
        given = rule.given
        return too_many(float(given.get("retry_after", 1)), str(given.get("retry_after_form", "seconds")))
    if rule.fault == "502_html":
        return Answer(502, _HTML, "text/html")
    if rule.fault == "504_after":
        return answer_json({"message": "Gateway timeout"}, 504)
    return answer_json({"message": _MESSAGES[rule.fault]}, int(rule.fault))


def not_json(answer: Answer) -> Answer:
    """An answer of which the body is broken."""
    cut = answer.body[: len(answer.body) // 2] if answer.media == JSON and len(answer.body) > 2 else b'{"items": ['
    return Answer(answer.status if answer.status != 204 else 200, cut, JSON, answer.headers)


def too_many(seconds: float, form: str) -> Answer:
    """429, with the time to come again in one of its forms."""
    answer = Answer(429, encoded({"message": "Too many requests"}), JSON)
    if form == "seconds":
        answer.headers["Retry-After"] = str(max(0, -int(-seconds // 1)))
    elif form == "date":
        # A date has no fractions: round up, or the client comes too early.
        moment = datetime.now(UTC) + timedelta(seconds=seconds + 0.999)
        answer.headers["Retry-After"] = format_datetime(moment.replace(microsecond=0), usegmt=True)
    return answer


_USUAL_PER_MINUTE = 200


class RateLimit:
    """The requests that are allowed a minute, with a burst: a bucket that fills up evenly."""

    def __init__(self, per_minute: float, burst: int) -> None:
        self.per_minute = per_minute
        self.burst = burst
        self._tokens = float(burst)
        self._filled = time.monotonic()

    @classmethod
    def from_json(cls, value: Any) -> RateLimit | None:
        """Null for none. Raises BadRule."""
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
        return cls(value["per_minute"], burst)

    def as_json(self) -> dict[str, Any]:
        return {"per_minute": self.per_minute, "burst": self.burst}

    @property
    def remaining(self) -> int:
        """The number of requests that there is room for at the moment."""
        return int(self._tokens)

    def wait(self) -> float:
        """Take a request. Gives 0, or the seconds until there is room for it."""
        now = time.monotonic()
        self._tokens = min(self.burst, self._tokens + (now - self._filled) * self.per_minute / 60)
        self._filled = now
        if self._tokens >= 1:
            self._tokens -= 1
            return 0.0
        return (1 - self._tokens) * 60 / self.per_minute


def rate_headers(limit: RateLimit | None) -> dict[str, str]:
    """The headers of an answer about the rate limit. Without a limit they tell of a usual one that nothing is taken
    from.
    """
    per_minute = limit.per_minute if limit else _USUAL_PER_MINUTE
    remaining = limit.remaining if limit else _USUAL_PER_MINUTE
    return {"X-RateLimit-Limit": f"{per_minute:g}", "X-RateLimit-Remaining": str(remaining)}
