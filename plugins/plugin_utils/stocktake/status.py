# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of an object, which follows from its target room and its actual room."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

OK, DEVIATION, MISSING, NEW, UNKNOWN = "ok", "deviation", "missing", "new", "unknown"
STATUSES = (OK, DEVIATION, MISSING, NEW, UNKNOWN)

_WORDS: Mapping[str, str] = {
    **{status: status for status in STATUSES},
    "abweichung": DEVIATION,
    "fehlend": MISSING,
    "neu": NEW,
    "unbekannt": UNKNOWN,
}
"""The words of the service for a status, in both of its languages."""


def status_of(target: object | None, actual: object | None) -> str:
    """Return the status of an object.

    :param target: identifies the target room; None if the field is empty.
    :param actual: identifies the actual room.
    """
    if target is None:
        return UNKNOWN if actual is None else NEW
    if actual is None:
        return MISSING
    return OK if target == actual else DEVIATION


def differs(status: str, said: Any) -> bool:
    """Return True if the service reports another status.

    Some instances only report whether both rooms are equal. An unknown word says nothing.
    """
    if isinstance(said, bool):
        return said is not (status in (OK, UNKNOWN))
    known = _WORDS.get(said.strip().casefold()) if isinstance(said, str) else None
    return known is not None and known != status
