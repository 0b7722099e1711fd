# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read dates and times as people and programs write them, and never guess.

Calendar dates of ISO 8601 are always read. A table may have patterns of strptime, too. Numeric directives that touch
have their full width, because a spreadsheet removes the leading zero of ``01022024``.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from itertools import groupby, product

from .field import InvalidValue

_OFFSET = "([Zz]|[+-][0-9]{2}(:?[0-5][0-9])?)"
ISO_DAY = "([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8})"
#: The forms of ISO 8601 that are read, also for JSON Schema.
ISO_MOMENT = rf"{ISO_DAY}[Tt ][0-9]{{2}}:?[0-9]{{2}}(:?[0-9]{{2}}([.,][0-9]+)?)?{_OFFSET}?"

_ISO = re.compile(f"{ISO_DAY}|{ISO_MOMENT}")
#: A day in any pattern, and a time.
_TIME = re.compile(
    r"(?P<day>.*\S)(?:[Tt]|\s+)(?P<H>[0-9]{1,2}):(?P<M>[0-9]{2})(?::(?P<S>[0-9]{2})(?:[.,](?P<f>[0-9]+))?)?"
    rf"(?:\s?(?P<half>[AaPp])[Mm])?(?P<z>{_OFFSET})?"
)

_ISO_NAME = "ISO 8601"
_SEVEN_DIGITS = re.compile("[0-9]{7}")
_SAMPLE = dt.datetime.fromisoformat("2024-05-31T00:00:00")
#: Maximum length of a date, so that no text takes long to match.
_LONGEST = 80

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
    if len(text) > _LONGEST or not _ISO.fullmatch(text):
        return None
    moment = dt.datetime.fromisoformat(text.upper())
    return moment if len(text) > len("YYYY-MM-DD") else moment.date()


def zero_hint(text: str) -> str:
    """Say that a date of seven digits has probably lost its leading zero; empty for another text."""
    return f"; {LOST_ZERO}" if _SEVEN_DIGITS.fullmatch(text.strip()) else ""


# ---- patterns

_WIDTHS = {"d": 2, "m": 2, "Y": 4, "y": 2, "H": 2, "I": 2, "M": 2, "S": 2, "f": 6}
_KNOWN = frozenset((*_WIDTHS, *"bBaApz"))
#: A day needs one directive of each of these.
_PER_DAY = (frozenset("d"), frozenset("mbB"), frozenset("Yy"))
#: AM or PM. The language of the process may have no words for them.
_HALF = re.compile(r"(?<![^\W\d_])([ap])m(?![^\W\d_])", re.IGNORECASE)
_RUN = re.compile("[0-9]+")
_FOREIGN_DIGIT = re.compile(r"(?![0-9])\d")
#: Times without an offset stay without one: the set says which time zone they are in.
_parse = dt.datetime.strptime


class _Pattern:
    """A pattern of strptime.

    :ivar has_time: True if it has a directive for the hour.
    :raises ValueError: if it does not name one day, or has a directive that is never read.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        parts = re.findall(r"%(.?)|(.)", text, re.DOTALL)
        self._directives = [directive for directive, character in parts if not character and directive != "%"]
        named = frozenset(self._directives)
        if len(named) < len(self._directives) or not named <= _KNOWN or {"H", "I"} <= named:
            raise ValueError(text)
        if any(len(choice & named) != 1 for choice in _PER_DAY) or "z" in self._directives[:-1]:
            raise ValueError(text)
        self.has_time = not named.isdisjoint("HI")
        widths = (_WIDTHS.get(directive, int(character.isdecimal())) for directive, character in parts)
        runs = (list(group) for is_numeric, group in groupby(widths, bool) if is_numeric)
        self._lengths = [sum(run) if len(run) > 1 else 0 for run in runs]

    def read(self, text: str) -> list[dt.date]:
        """Return the days or times that a text may mean: two times if it has 12 hours without AM or PM.

        :raises UnclearDate: for a 12-hour time with hour 0.
        """
        half = _HALF.search(text) if "p" in self._directives else None
        if _FOREIGN_DIGIT.search(text) or self._is_short(text) or (half is None and "p" in self._directives):
            return []
        found = self._parsed(text if half is None else text[: half.start()] + text[half.end() :])
        if found is None or not self.has_time:
            return [] if found is None else [found.date()]
        late = dt.timedelta(hours=12)
        if "I" in self._directives:
            return [found, found + late] if half is None else [found + late * (half[1] in "Pp")]
        return [found] if half is None or (half[1] in "Pp") is (found.hour >= 12) else []

    def _parsed(self, text: str) -> dt.datetime | None:
        """Return the time of a text without AM and PM; None if the text has another form."""
        pattern = self.text.replace("%p", "")
        try:
            return _parse(text, pattern)
        except ValueError:
            pass
        try:
            hour = _parse(text, pattern.replace("%I", "%H")).hour if "%I" in pattern else None
        except ValueError:
            return None
        if hour == 0:
            raise UnclearDate(HOUR_ZERO)
        return None

    def read_with_time(self, text: str) -> list[dt.date]:
        """Return the days that a text may mean if a time follows the day of this pattern.

        :raises UnclearDate: for a 12-hour time with hour 0.
        """
        found = None if self.has_time else _TIME.fullmatch(text)
        days = [] if found is None else self.read(found["day"])
        if found is None or not days:
            return []
        hour = int(found["H"])
        if found["half"]:
            if hour == 0:
                raise UnclearDate(HOUR_ZERO)
            if hour > 12:
                return []
            hour = hour % 12 + 12 * (found["half"] in "Pp")
        clock = f"{hour:02}:{found['M']}:{found['S'] or '00'}.{found['f'] or 0}{found['z'] or ''}"
        return _iso_readings(f"{days[0]}T{clock}")

    def lacks_digits(self, text: str) -> bool:
        """Return True if a text, with or without a time, has fewer digits than touching directives need."""
        form, found = _RUN.sub("0", _SAMPLE.strftime(self.text)), _TIME.fullmatch(text)
        parts = (text, found["day"] if found else text)
        return any(self._is_short(part) and _RUN.sub("0", part) == form for part in parts)

    def _is_short(self, text: str) -> bool:
        return any(len(run) < length for run, length in zip(_RUN.findall(text), self._lengths, strict=False))


# ---- the reader

_CLOCKS = (("%H:%M %p",), ("%H:%M:%S %p",), ("%H:%M %p", "%H:%M:%S %p"))


class DateReader:
    """Read dates in some patterns, and in ISO 8601.

    :param patterns: of strptime; dates are written in the first.
    :raises ValueError: for a text that is not a pattern of days.
    """

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        self._patterns = [_Pattern(pattern) for pattern in patterns]

    def day(self, text: str) -> dt.date:
        """Return a day.

        :raises UnclearDate: if it may mean several days, or lost a digit.
        :raises InvalidValue: if it is not a day.
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
        :raises InvalidValue: if it is not a time.
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
        samples = [_SAMPLE.strftime(pattern.text) for pattern in self._patterns[:1]]
        return f"a date that exists, such as {' or '.join(dict.fromkeys((*samples, _SAMPLE.date().isoformat())))}"

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
