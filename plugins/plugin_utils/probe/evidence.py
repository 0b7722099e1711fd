# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The account of what was seen: for each switch the sides, the requests that showed them, and reasons.

Nothing of an instance gets in here but its choice between the sides that the catalogue knows: requests are written as
the probe words them, and numbers of records are cut at a thousand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .catalogue import SWITCHES

YES, NO, NOT_PROBED = "yes", "no", "not probed"
"""The states of a switch: it is on the documented side, it is on another one, nobody knows."""

_MOST_COUNTED = 999


@dataclass
class Evidence:
    """All that a probe saw.

    :ivar seen: switch to side to request to the number of records that showed it.
    :ivar strange: switch to what was answered in place of any side.
    :ivar reasons: switch to why it was not told.
    :ivar unable: what the collection can't do with this instance: the task, and why.
    :ivar new: what the catalogue does not know, and what does no harm.
    :ivar unread: kinds whose records this account may not read.
    :ivar absent: kinds that the instance does not have, or whose module is switched off.
    """

    seen: dict[str, dict[str, Counter[str]]] = field(default_factory=dict)
    strange: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    unable: dict[str, str] = field(default_factory=dict)
    new: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)

    def saw(self, switch: str, side: str, request: str, records: int = 1) -> None:
        """Notes that an answer was on a side.

        :param request: as the profile words it.
        :param records: how many records showed it.
        """
        if side not in SWITCHES[switch].sides:
            raise ValueError(f"{switch} has no side {side}")
        self.seen.setdefault(switch, {}).setdefault(side, Counter())[request] += records

    def odd(self, switch: str, answered: str) -> None:
        """Notes an answer that is on no side.

        :param answered: in words of the probe.
        """
        self.strange.setdefault(switch, answered)

    def cannot(self, switch: str, why: str) -> None:
        """Notes why a switch is not told; the first reason stays."""
        self.reasons.setdefault(switch, why)

    def side(self, switch: str) -> str | None:
        """The side that was seen, the most often seen one of several; None: none was."""
        sides = self.seen.get(switch, {})
        return max(sides, key=lambda side: sides[side].total()) if sides else None

    def entries(self, tier_reasons: Mapping[str, str]) -> dict[str, dict[str, Any]]:
        """The switches as a profile has them.

        :param tier_reasons: switch to why its tier was not run, for those that are not told for that reason.
        """
        return {name: self._entry(name, tier_reasons.get(name, "")) for name in SWITCHES}

    def _entry(self, name: str, tier_reason: str) -> dict[str, Any]:
        side = self.side(name)
        if side is not None:
            state = YES if side == SWITCHES[name].sides[0] else NO
            return {"state": state, "side": side, "seen": _told(self.seen[name][side]), "why": ""}
        if name in self.strange:
            return {"state": NO, "side": None, "seen": self.strange[name], "why": "it is on none of the known sides"}
        why = tier_reason or self.reasons.get(name) or SWITCHES[name].why
        return {"state": NOT_PROBED, "side": None, "seen": "", "why": why}

    def contradictions(self) -> list[dict[str, Any]]:
        """The switches of which several sides were seen, each side with the requests that showed it."""
        several = {name: sides for name, sides in self.seen.items() if len(sides) > 1}
        return [
            {"switch": name, "sides": {side: _told(sides[side]) for side in SWITCHES[name].sides if side in sides}}
            for name, sides in sorted(several.items())
        ]


def _told(requests: Mapping[str, int]) -> str:
    return "; ".join(f"{request} ({counted(records)})" for request, records in requests.items())


def counted(records: int) -> str:
    """A number of records in words. From a thousand on it could be any text of four digits."""
    if records > _MOST_COUNTED:
        return f"more than {_MOST_COUNTED} records"
    return f"{records} record{'' if records == 1 else 's'}"
