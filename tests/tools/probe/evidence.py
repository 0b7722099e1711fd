# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later
"""Collect what a probe observed: for each switch the sides, the requests that showed them, and reasons.

It records only choices between known sides, and no data of an instance: requests are described in the probe's own
words, and numbers of records are capped at a thousand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .catalogue import SWITCHES

YES, NO, NOT_PROBED = "yes", "no", "not probed"
"""The states of a switch: on the documented side, on another side, or unknown."""

_MOST_COUNTED = 999


@dataclass
class Evidence:
    """Everything that a probe observed.

    :ivar observed: switch to side to request to the number of records that showed it.
    :ivar strange: switch to answers that match no side.
    :ivar reasons: switch to why it was not determined.
    :ivar unable: what the collection cannot do with this instance: the task, and why.
    :ivar new: harmless things that the catalogue does not know.
    :ivar unread: kinds whose records this account may not read.
    :ivar absent: kinds that the instance does not have, or whose module is switched off.
    """

    observed: dict[str, dict[str, Counter[str]]] = field(default_factory=dict)
    strange: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    unable: dict[str, str] = field(default_factory=dict)
    new: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)

    def observe(self, switch: str, side: str, request: str, records: int = 1) -> None:
        """Note that an answer was on a side.

        :param request: as the profile words it.
        :param records: how many records showed it.
        """
        if side not in SWITCHES[switch].sides:
            raise ValueError(f"{switch} has no side {side}")
        self.observed.setdefault(switch, {}).setdefault(side, Counter())[request] += records

    def odd(self, switch: str, answered: str) -> None:
        """Note an answer that matches no side.

        :param answered: in words of the probe.
        """
        self.strange.setdefault(switch, answered)

    def cannot(self, switch: str, why: str) -> None:
        """Note why a switch is not determined. The first reason stays."""
        self.reasons.setdefault(switch, why)

    def side(self, switch: str) -> str | None:
        """Return the observed side, or the most frequent of several, or None."""
        sides = self.observed.get(switch, {})
        return max(sides, key=lambda side: sides[side].total()) if sides else None

    def entries(self, tier_reasons: Mapping[str, str]) -> dict[str, dict[str, Any]]:
        """Return the switches as a profile has them.

        :param tier_reasons: why a tier was not run, for the switches that need it.
        """
        return {name: self._entry(name, tier_reasons.get(name, "")) for name in SWITCHES}

    def _entry(self, name: str, tier_reason: str) -> dict[str, Any]:
        side = self.side(name)
        if side is not None:
            state = YES if side == SWITCHES[name].sides[0] else NO
            return {"state": state, "side": side, "seen": _words_of(self.observed[name][side]), "why": ""}
        if name in self.strange:
            return {"state": NO, "side": None, "seen": self.strange[name], "why": "it is on none of the known sides"}
        why = tier_reason or self.reasons.get(name) or SWITCHES[name].why
        return {"state": NOT_PROBED, "side": None, "seen": "", "why": why}

    def contradictions(self) -> list[dict[str, Any]]:
        """Return the switches with several observed sides, each side with its requests."""
        plural = {name: sides for name, sides in self.observed.items() if len(sides) > 1}
        return [
            {"switch": name, "sides": {side: _words_of(sides[side]) for side in SWITCHES[name].sides if side in sides}}
            for name, sides in sorted(plural.items())
        ]


def _words_of(requests: Mapping[str, int]) -> str:
    return "; ".join(f"{request} ({counted(records)})" for request, records in requests.items())


def counted(records: int) -> str:
    """Return a number of records in words.

    A larger number could be data of the instance, so it is capped at a thousand.
    """
    if records > _MOST_COUNTED:
        return f"more than {_MOST_COUNTED} records"
    return f"{records} record{'' if records == 1 else 's'}"
