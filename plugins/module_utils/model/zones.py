# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The time zone of times that are written without an offset to UTC."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

from ..errors import InvalidInput
from .dates import read_iso
from .field import Spelling
from .schema import Schema, type_of


def zone_of(name: str) -> ZoneInfo:
    """Return a time zone by its name.

    :raises InvalidInput: if there is none of this name.
    """
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError) as unknown:
        raise InvalidInput(f"timezone: {name!r} is not known; expected a name such as Europe/Berlin") from unknown


def with_offsets(
    schema: Schema, fields: Mapping[str, Any], zone: ZoneInfo | None
) -> tuple[Mapping[str, Any], dict[str, str]]:
    """Return fields in which every instant without an offset has the offset of a time zone.

    :param zone: None: no zone is known, and each time needs its offset.
    :returns: the fields without ambiguous times, and what is wrong with those: the clock of the zone skips the time, or
        shows it twice.
    """
    completed: dict[str, Any] = {}
    unclear: dict[str, str] = {}
    if not schema.has_instants:
        return fields, unclear
    for name, value in fields.items():
        field = schema.find(name)
        if field is None or type_of(field).spelling is not Spelling.INSTANT:
            continue
        if isinstance(value, str):
            try:
                value = read_iso(value)
            except ValueError:
                continue
        if isinstance(value, dt.datetime) and value.tzinfo is None:
            completed[name] = value
            if zone is None:
                words = f"{name}: {value.isoformat(' ', 'seconds')} has no offset to UTC"
                unclear[name] = f"{words}; write it with an offset (+02:00), or set timezone to its zone"
                continue
            local = value.replace(tzinfo=zone)
            wrong = _why_unclear(local)
            if wrong:
                words = f"{name}: {value.isoformat(' ', 'seconds')} {wrong} in {zone.key}"
                unclear[name] = f"{words}; write it with its offset to UTC"
            completed[name] = local.isoformat(timespec="seconds")
    if not completed:
        return fields, unclear
    return {name: completed.get(name, value) for name, value in fields.items() if name not in unclear}, unclear


def _why_unclear(local: dt.datetime) -> str:
    """Return the reason why a local time is not one instant: the clock skips it or shows it twice."""
    if local.replace(fold=0).utcoffset() == local.replace(fold=1).utcoffset():
        return ""
    again = local.astimezone(dt.UTC).astimezone(local.tzinfo)
    return "is twice" if again.replace(tzinfo=None) == local.replace(tzinfo=None) else "does not exist"
