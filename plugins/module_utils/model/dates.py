# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read dates and times as people and programs write them, and never guess.

Calendar dates of ISO 8601 are always read. A table may have patterns of strptime, too. Numeric directives that touch
have their full width, because a spreadsheet removes the leading zero of ``01022024``.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, product
from typing import NamedTuple

from .field import InvalidValue

_CLOCK = r"(?P<H>[0-9]{2}):?(?P<M>[0-9]{2})(?::?(?P<S>[0-9]{2})(?:[.,](?P<f>[0-9]+))?)?"
_OFFSET = r"(?P<z>[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)"
_ISO = re.compile(
    rf"(?P<Y>[0-9]{{4}})(?P<dash>-?)(?P<m>[0-9]{{2}})(?P=dash)(?P<d>[0-9]{{2}})(?:[Tt ]{_CLOCK}{_OFFSET}?)?"
)
_TIME = re.compile(
    r"(?P<day>.*\S)(?:[Tt]|\s+)(?P<H>[0-9]{1,2}):(?P<M>[0-9]{2})(?::(?P<S>[0-9]{2})(?:[.,](?P<f>[0-9]+))?)?"
    rf"(?:\s?(?P<p>[AaPp][Mm]))?{_OFFSET}?"
)
"""A day in any pattern, and a time."""

ISO_DAY = "([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8})"
ISO_MOMENT = rf"{ISO_DAY}[Tt ][0-9]{{2}}:?[0-9]{{2}}(:?[0-9]{{2}}([.,][0-9]+)?)?([Zz]|[+-][0-9]{{2}}(:?[0-9]{{2}})?)?"
"""The same forms for JSON Schema."""

_ISO_NAME = "ISO 8601"
_SEVEN_DIGITS = re.compile("[0-9]{7}")
_SAMPLE_DAY = dt.date(2024, 5, 31)
_LONGEST = 80
"""Maximum length of a date, so that no text takes long to match."""

LOST_ZERO = "a leading zero is probably lost"
HOUR_ZERO = "a time with AM or PM has no hour 0"
_TYPE_AGAIN = "format the column as text, and type the dates again"


class UnclearDate(InvalidValue):
    """Raised for a date that fits a form without having one certain meaning.

    The message is equal for all texts with the same mistake.

    :ivar words: what is wrong with this text.
    """

    def __init__(self, why: str, words: str = "") -> None:
        super().__init__(why)
        self.words = words or f"does not fit; {why}"


def read_iso(text: str) -> dt.date | None:
    """Return a calendar date of ISO 8601, with its time if it has one; None for a text in another form.

    :raises ValueError: if there is no such day or time.
    """
    found = _ISO.fullmatch(text) if len(text) <= _LONGEST else None
    return None if found is None else next(_moments(found.groupdict()))


def zero_hint(text: str) -> str:
    """Say that a date of seven digits has probably lost its leading zero; empty for another text."""
    return f"; {LOST_ZERO}" if _SEVEN_DIGITS.fullmatch(text.strip()) else ""


# ---- from the parts of a text to a day or a time


def _moments(parts: Mapping[str, str | None]) -> Iterator[dt.date]:
    """Yield what the parts of a text mean: two times if it has 12 hours without AM or PM.

    :param parts: by the directive of strptime.
    :raises ValueError: if there is no such day or time.
    """
    day = dt.date(_year(parts), _month(parts), int(parts.get("d") or 0))
    if not (parts.get("H") or parts.get("I")):
        yield day
        return
    minute, second = int(parts.get("M") or 0), int(parts.get("S") or 0)
    microsecond = int((parts.get("f") or "0")[:6].ljust(6, "0"))
    for hour in _hours(parts):
        yield dt.datetime.combine(day, dt.time(hour, minute, second, microsecond, _zone(parts.get("z") or "")))


def _year(parts: Mapping[str, str | None]) -> int:
    year = int(parts.get("Y") or parts.get("y") or 0)
    # Two digits are 1969 to 2068, as POSIX says.
    return year if parts.get("Y") else year + (1900 if year >= 69 else 2000)


def _month(parts: Mapping[str, str | None]) -> int:
    if parts.get("m"):
        return int(parts["m"] or 0)
    directive = "b" if parts.get("b") else "B"
    return _names(directive).index((parts[directive] or "").casefold())


def _hours(parts: Mapping[str, str | None]) -> list[int]:
    half = (parts.get("p") or "").casefold()
    hour = int(parts.get("I") or parts.get("H") or 0)
    if parts.get("I"):
        if hour == 0:
            raise UnclearDate(HOUR_ZERO)
        if hour > 12:
            raise ValueError("a time with AM or PM has no hour after 12")
        return [hour % 12 + late for late in (0, 12) if half in ("", "pm" if late else "am")]
    if half and (half == "pm") != (hour >= 12):
        raise ValueError("AM and PM differ from the hour")
    return [hour]


def _zone(offset: str) -> dt.timezone | None:
    if not offset:
        return None
    hours, minutes = int(offset[1:3] or 0), int(offset[3:].removeprefix(":") or 0)
    if minutes > 59:
        raise ValueError("an offset has at most 59 minutes")
    span = dt.timedelta(hours=hours, minutes=minutes)
    return dt.timezone(-span if offset[0] == "-" else span)


def _readings(parts: Mapping[str, str | None]) -> list[dt.date]:
    """Return what the parts of a text may mean; nothing if there is no such day or time.

    :raises UnclearDate: for a 12-hour time with hour 0.
    """
    try:
        return list(_moments(parts))
    except UnclearDate:
        raise
    except ValueError:
        return []


# ---- patterns

_WIDTHS = {"d": 2, "m": 2, "Y": 4, "y": 2, "H": 2, "I": 2, "M": 2, "S": 2, "f": 6}
_PARTS = re.compile(r"%(.)|(\s+)|(.)", re.DOTALL)
_EXACT = ("Y", "y")


def _names(directive: str) -> list[str]:
    """Return the words of a directive in the language of the process, as strptime does."""
    names: Mapping[str, Iterable[str]] = {
        "b": calendar.month_abbr[:], "B": calendar.month_name[:], "a": calendar.day_abbr[:], "A": calendar.day_name[:],
        "p": ("am", "pm"),
    }  # fmt: skip
    return [name.casefold() for name in names.get(directive, ())]


class _Part(NamedTuple):
    """A directive of a pattern, blanks, or another character."""

    directive: str
    blanks: str
    character: str

    @property
    def width(self) -> int:
        """Return the number of its digits; 0 if it is not numeric."""
        return _WIDTHS.get(self.directive, 0) or int(self.character.isdecimal())

    def expression(self, is_touching: bool) -> str:
        """Return the regular expression of its texts.

        :param is_touching: True if a digit follows or precedes.
        """
        if self.directive in _WIDTHS:
            is_exact = is_touching or self.directive in _EXACT
            return f"(?P<{self.directive}>[0-9]{{{'' if is_exact else '1,'}{self.width}}})"
        if self.directive == "z":
            return _OFFSET
        if self.directive and self.directive != "%":
            names = sorted(filter(None, _names(self.directive)), key=len, reverse=True)
            return f"(?P<{self.directive}>{'|'.join(map(re.escape, names))})"
        return r"\s+" if self.blanks else re.escape(self.character or self.directive)


class _Pattern:
    """A pattern of strptime.

    :ivar has_time: True if it has a directive for the hour.
    :raises ValueError: if it does not name one day, or has a directive that is never read.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        parts = [_Part(found[1] or "", found[2] or "", found[3] or "") for found in _PARTS.finditer(text)]
        directives = [part.directive for part in parts if part.directive not in ("", "%")]
        known = {*_WIDTHS, "z", *"bBaAp"}
        per_day = ({"d"}, {"m", "b", "B"}, {*_EXACT})
        if len(set(directives)) < len(directives) or not known.issuperset(directives):
            raise ValueError(text)
        if any(len(choice.intersection(directives)) != 1 for choice in per_day) or {"H", "I"} <= set(directives):
            raise ValueError(text)
        self.has_time = not {"H", "I"}.isdisjoint(directives)
        self._form, self._short = _forms(parts)

    def read(self, text: str) -> list[dt.date]:
        """Return the days that a text may mean.

        :raises UnclearDate: for a 12-hour time with hour 0.
        """
        found = self._form.fullmatch(text)
        return [] if found is None else _readings(found.groupdict())

    def read_with_time(self, text: str) -> list[dt.date]:
        """Return the days that a text may mean if a time follows the day of this pattern.

        :raises UnclearDate: for a 12-hour time with hour 0.
        """
        found = None if self.has_time else _TIME.fullmatch(text)
        day = None if found is None else self._form.fullmatch(found["day"])
        if found is None or day is None:
            return []
        hour = "I" if found["p"] else "H"
        return _readings({**day.groupdict(), **found.groupdict(), "H": None, hour: found["H"]})

    def lacks_digits(self, text: str) -> bool:
        """Return True if a text, with or without a time, has fewer digits than touching directives need."""
        if self._short is None:
            return False
        found = _TIME.fullmatch(text)
        return any(self._short.fullmatch(part) for part in (text, found["day"] if found else ""))


def _forms(parts: Sequence[_Part]) -> tuple[re.Pattern[str], re.Pattern[str] | None]:
    """Return the expression for texts of a pattern, and one for texts with fewer digits if directives touch."""
    full, short = "", ""
    touches = False
    for is_digits, group in groupby(parts, lambda part: part.width > 0):
        run = list(group)
        is_touching = is_digits and len(run) > 1
        expression = "".join(part.expression(is_touching) for part in run)
        full += expression
        short += f"[0-9]{{1,{sum(part.width for part in run)}}}" if is_touching else expression
        touches |= is_touching
    return re.compile(full, re.IGNORECASE), re.compile(short, re.IGNORECASE) if touches else None


# ---- the reader

_CLOCKS = (("%H:%M %p",), ("%H:%M:%S %p",), ("%H:%M %p", "%H:%M:%S %p"))


class DateReader:
    """Read dates in some patterns, and in ISO 8601.

    :param patterns: of strptime; dates are written in the first.
    :raises ValueError: for a text that is no pattern of days.
    """

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        self._patterns = [_Pattern(pattern) for pattern in patterns]

    def day(self, text: str) -> dt.date:
        """Return a day.

        :raises UnclearDate: if it may mean several days, or lost a digit.
        :raises InvalidValue: if it is none.
        """
        readings = self._readings(text.strip(), has_times=False)
        day = self._certain_day(text.strip(), readings)
        if all(source == _ISO_NAME and isinstance(value, dt.datetime) for value, source in readings):
            # The day of a time may be another day elsewhere.
            raise InvalidValue(self.expected)
        return day

    def moment(self, text: str) -> dt.date:
        """Return a time, or a day if the text has no time.

        :raises UnclearDate: if it may mean several times, or lost a digit.
        :raises InvalidValue: if it is none.
        """
        readings = self._readings(text.strip(), has_times=True)
        day = self._certain_day(text.strip(), readings)
        times = [(value, source) for value, source in readings if isinstance(value, dt.datetime)]
        _require_one([(value.replace(tzinfo=None), source) for value, source in times])
        # The same clock may be read with an offset and without it.
        return next((value for value, _source in times if value.tzinfo is not None), times[0][0]) if times else day

    def write(self, day: dt.date) -> str:
        """Return a day in the first pattern that this reader reads as the same day, or in ISO 8601."""
        text = day.strftime(self._patterns[0].text) if self._patterns else day.isoformat()
        try:
            return text if self.day(text) == day else day.isoformat()
        except InvalidValue:
            return day.isoformat()

    def reads(self, texts: Iterable[str], has_times: bool) -> bool:
        """Return True if all texts are days, or times."""
        try:
            return all(isinstance(self.moment(text), dt.datetime) if has_times else self.day(text) for text in texts)
        except InvalidValue:
            return False

    def with_24_hours(self) -> list[tuple[str, ...]]:
        """Return choices of its patterns with 24 hours instead of 12, the shortest first."""
        patterns = [pattern.text for pattern in self._patterns]
        if any("%I" in pattern for pattern in patterns):
            return [tuple(pattern.replace("%I", "%H") for pattern in patterns)]
        # With the time, a day is still ambiguous if several patterns read it.
        return [(*patterns, *(f"{day} {clock}" for day in patterns for clock in clocks)) for clocks in _CLOCKS]

    @property
    def expected(self) -> str:
        """Return the expected form in words."""
        samples = [_SAMPLE_DAY.strftime(pattern.text) for pattern in self._patterns[:1]]
        return f"a date that exists, such as {' or '.join(dict.fromkeys((*samples, _SAMPLE_DAY.isoformat())))}"

    def _readings(self, text: str, has_times: bool) -> list[tuple[dt.date, str]]:
        """Return each reading of a text with the name of its pattern.

        :raises UnclearDate: if no pattern fits, but the mistake in the text is known.
        """
        found: list[tuple[dt.date, str]] = []
        unclear: UnclearDate | None = None
        for pattern, is_suffixed in product(self._patterns if len(text) <= _LONGEST else (), (False, True)):
            if is_suffixed and not has_times:
                continue
            try:
                values = pattern.read_with_time(text) if is_suffixed else pattern.read(text)
                found += [(value, pattern.text) for value in values]
            except UnclearDate as error:
                unclear = unclear or error
        found += [(value, _ISO_NAME) for value in _iso_readings(text)]
        if unclear is not None and not found:
            raise unclear
        return found

    def _certain_day(self, text: str, readings: Sequence[tuple[dt.date, str]]) -> dt.date:
        days = [(value.date() if isinstance(value, dt.datetime) else value, source) for value, source in readings]
        _require_one(days)
        if days:
            return days[0][0]
        short = next((pattern.text for pattern in self._patterns if pattern.lacks_digits(text)), "")
        if short:
            raise UnclearDate(f"{LOST_ZERO}, because {short} needs all of its digits; {_TYPE_AGAIN}")
        raise InvalidValue(f"{self.expected}{zero_hint(text)}")


def _iso_readings(text: str) -> list[dt.date]:
    try:
        found = read_iso(text)
    except ValueError:
        return []
    return [] if found is None else [found]


def _require_one(readings: Sequence[tuple[dt.date, str]]) -> None:
    """Check that all readings of a text are equal.

    :raises UnclearDate: with both readings.
    """
    other = next((reading for reading in readings if reading[0] != readings[0][0]), None)
    if other is None:
        return
    (first, source), (second, other_source) = readings[0], other
    if source == other_source:
        why = f"{source} has no AM or PM; use %H if the times have 24 hours"
    else:
        what = "times" if isinstance(first, dt.datetime) else "days"
        why = f"{source} and {other_source} read it as different {what}; keep one pattern, or write YYYY-MM-DD"
    raise UnclearDate(why, f"may mean {first} ({source}) or {second} ({other_source}): {why}")
