# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The page about the switches of the embedded service, generated from the table in its code."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from project import ROOT

sys.path[:0] = [str(ROOT / "tests" / "emulator"), str(ROOT / "tests" / "tools")]

from embedded.switches import TABLE, Switch
from probe.catalogue import SWITCHES, TIERS

PROFILES = ROOT / "tests" / "emulator" / "profiles"
OWN = "embedded_"
"""Profiles of the embedded service itself have names with this prefix."""

PAGE = ROOT / "docs" / "switches.md"

_HEAD = """\
<!--
Copyright: Contributors to the community.seventhings collection
SPDX-License-Identifier: GPL-3.0-or-later

Generated from tests/emulator/embedded/switches.py and tests/emulator/profiles. Run "make generate" after a change.
-->

# The switches of the embedded service

Instances differ in how they answer. Each difference is a switch of the embedded service. The first side of a switch is
the calm side, which is the default. The last side is the awkward side. `--weather rough` selects it for all switches.
The guide *Testing playbooks against the embedded service* shows how to set switches, and `make probe` writes on which
sides an instance is. If profiles of instances have been contributed, the table says which sides were observed. The last
column is the lowest tier of a probe that detects the side. If it says *none*, the profile gives the reason.

| Switch | Sides | Meaning | Probed by |
|---|---|---|---|
"""


def page(profiles: Path = PROFILES) -> str:
    """Return the expected page."""
    profiles_read = [
        json.loads(path.read_text("utf-8")) for path in sorted(profiles.glob("*.json")) if not _is_own(path)
    ]
    return _HEAD + "".join(_row(switch, profiles_read) for switch in TABLE)


def _is_own(path: Path) -> bool:
    return path.name.startswith(OWN)


def _row(switch: Switch, profiles: list[Mapping[str, Any]]) -> str:
    sides = ", ".join(f"`{side}`" for side in switch.sides)
    meaning = switch.meaning + _seen(switch, profiles)
    tier = SWITCHES[switch.name].tier
    probed = f"`{tier}`" if tier in TIERS else "none"
    return f"| `{switch.name}` | {sides} | {meaning} | {probed} |\n"


def _seen(switch: Switch, profiles: list[Mapping[str, Any]]) -> str:
    """Return on how many instances each side was observed, and when last, or an empty text if none was observed."""
    entries = [(profile["switches"].get(switch.name, {}).get("side"), profile["date"]) for profile in profiles]
    counted = Counter(side for side, _date in entries if side)
    if not counted:
        return ""
    last = max(date for side, date in entries if side)
    sides = ", ".join(
        f"`{side}` on {number} instance{'' if number == 1 else 's'}" for side, number in sorted(counted.items())
    )
    return f" (seen: {sides}, last on {last})"
