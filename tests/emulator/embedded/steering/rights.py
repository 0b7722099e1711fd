# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rights that a user of an instance can have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..faults import BadRule
from ..kinds import ROUTES


def known_rights() -> set[str]:
    """``all``; ``read`` and ``write``; an area such as ``objects``; or both, such as ``objects:write``."""
    exact = {route.right for route in ROUTES if route.right}
    parts: Iterable[str] = (part for right in exact for part in right.split(":"))
    return {"all", *exact, *parts}


def checked_rights(rights: Any) -> list[str]:
    """The rights of a new user; everything when none are named. Raises BadRule."""
    if rights is None:
        return ["all"]
    known = known_rights()
    if not isinstance(rights, list) or not all(isinstance(right, str) and right in known for right in rights):
        raise BadRule(f"rights are a list of {', '.join(sorted(known))}")
    return sorted(set(rights))
