# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Days and instants: the formats for writing, reading and filtering."""

from __future__ import annotations

import calendar
import re
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
DATE_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(Z|[+-]\d{2}:\d{2})\Z")
_RFC_3339 = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})\Z", re.IGNORECASE)
_FILTER = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[ T+](\d{2}:\d{2}:\d{2}))?(Z|[+-]\d{2}:\d{2})?\Z")

_PHP_CODES = {
    "d": r"(?P<d>\d{2})",
    "j": r"(?P<d>\d{1,2})",
    "m": r"(?P<m>\d{2})",
    "n": r"(?P<m>\d{1,2})",
    "Y": r"(?P<Y>\d{4})",
    "y": r"\d{2}",
    "H": r"([01]\d|2[0-3])",
    "G": r"(\d|1\d|2[0-3])",
    "i": r"[0-5]\d",
    "s": r"[0-5]\d",
    "P": r"(Z|[+-]\d{2}:\d{2})",
    "O": r"[+-]\d{4}",
    "T": r"[A-Za-z+:\d-]+",
}


def is_date(text: str) -> bool:
    """Return True if a text is a real day in the format Y-m-d."""
    if not DATE.match(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def is_date_time(text: str) -> bool:
    r"""Return True if a text is a real instant in the format Y-m-d\TH:i:sP."""
    return bool(DATE_TIME.match(text)) and instant(text) is not None


def is_rfc_3339(text: str) -> bool:
    """Return True if a text is a real instant with its offset to UTC, with or without fractions of a second."""
    return bool(_RFC_3339.match(text)) and instant(text) is not None


def instant(text: str) -> datetime | None:
    """Return the instant that a written value means. Without a zone it is in UTC."""
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def stamp(moment: datetime) -> str:
    """Return an instant in the format of the server's own times: Y-m-d H:i:s, UTC."""
    return moment.strftime("%Y-%m-%d %H:%M:%S")


def iso(text: str) -> str:
    """Return a time of the server in ISO 8601, for files and histories."""
    return text.replace(" ", "T") + "+00:00"


def filter_instant(text: str) -> str | None:
    """Return the value of a filter for instants (``YYYY-MM-DD hh:mm:ss``) in the form that the database compares."""
    match = _FILTER.match(text.strip())
    if not match:
        return None
    day, time, zone = match.groups()
    moment = instant(f"{day}T{time or '00:00:00'}{zone or '+00:00'}")
    return None if moment is None else f"{moment.year:04d}-{moment:%m-%d %H:%M:%S}"


@lru_cache(maxsize=256)
def _php_pattern(form: str) -> re.Pattern[str]:
    out, named, escape = [], set(), False
    for sign in form:
        if escape or sign not in _PHP_CODES:
            if sign == "\\" and not escape:
                escape = True
                continue
            out.append(re.escape(sign))
            escape = False
            continue
        code = _PHP_CODES[sign]
        name = re.match(r"\(\?P<(\w)>", code)
        if name and name.group(1) in named:
            code = code.replace(name.group(0), "(")
        elif name:
            named.add(name.group(1))
        out.append(code)
    return re.compile("".join(out) + r"\Z")


def matches_format(text: str, form: str) -> bool:
    r"""Return True if a text is a real day in a format such as ``d.m.Y`` or ``Y-m-d\TH:i:sP``."""
    match = _php_pattern(form).match(text)
    if match is None:
        return False
    parts = match.groupdict()
    if {"d", "m", "Y"} <= parts.keys():
        try:
            date(int(parts["Y"]), int(parts["m"]), int(parts["d"]))
        except ValueError:
            return False
    return True


def before(day: str, interval: dict[str, object] | None) -> str | None:
    """Return the day that lies a time interval before another day, or None if the calendar has no such day."""
    if interval is None:
        return None
    unit, count = interval["unit"], interval["value"]
    start = date.fromisoformat(day)
    if not isinstance(count, (int, float)):
        return None
    try:
        if unit in ("days", "weeks"):
            return (start - timedelta(days=int(count) * (7 if unit == "weeks" else 1))).isoformat()
        months = start.year * 12 + start.month - 1 - int(count) * (12 if unit == "years" else 1)
        year, month = divmod(months, 12)
        last = calendar.monthrange(year, month + 1)[1]
        return date(year, month + 1, min(start.day, last)).isoformat()
    except (ValueError, OverflowError):
        return None
