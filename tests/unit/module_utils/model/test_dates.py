# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Dates as people and programs write them: each is read as one day or one time, or it is refused."""

from __future__ import annotations

import datetime as dt
import re
from itertools import permutations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ansible_collections.community.seventhings.plugins.module_utils.model.dates import (
    LOST_ZERO,
    DateReader,
    UnclearDate,
    read_iso,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.field import InvalidValue

_DAYS = st.dates()
_TIMES = st.datetimes().map(lambda time: time.replace(microsecond=0))
_OFFSETS = st.integers(-23 * 60 - 59, 23 * 60 + 59)
_ORDERS = ["".join(order) for year in "Yy" for order in permutations(("%d", "%m", f"%{year}"))]
_DIGITS = {"d": 2, "m": 2, "Y": 4, "y": 2}
_PARTED = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d.%m.%y", "%d. %B %Y", "%d-%b-%Y", "%Y-%m-%d %H:%M:%S")


def written(day: dt.date, pattern: str) -> str:
    """Write a day with leading zeros, also in the year, which strftime omits."""
    parts = {"%d": f"{day.day:02}", "%m": f"{day.month:02}", "%Y": f"{day.year:04}", "%y": f"{day.year % 100:02}"}
    for directive, text in parts.items():
        pattern = pattern.replace(directive, text)
    return pattern


def day_or_none(reader: DateReader, text: str) -> dt.date | None:
    try:
        return reader.day(text)
    except InvalidValue:
        return None


# ---- ISO 8601


@given(_DAYS, st.sampled_from(["%Y-%m-%d", "%Y%m%d"]))
def test_a_calendar_date_is_read_in_both_forms(day: dt.date, form: str) -> None:
    assert read_iso(written(day, form)) == day


@given(
    _TIMES,
    st.sampled_from(["%Y-%m-%d", "%Y%m%d"]),
    st.sampled_from(["T", " ", "t"]),
    st.sampled_from(["{0:02}:{1:02}:{2:02}", "{0:02}{1:02}{2:02}", "{0:02}:{1:02}", "{0:02}{1:02}"]),
    st.just("") | st.builds("{}{}".format, st.sampled_from(".,"), st.text("0123456789", min_size=1, max_size=12)),
    st.none() | _OFFSETS,
    st.sampled_from(["{:+03}:{:02}", "{:+03}{:02}"]),
)
def test_a_time_is_read_in_any_usual_spelling(
    time: dt.datetime, form: str, between: str, clock: str, fraction: str, offset: int | None, spelling: str
) -> None:
    has_seconds = clock.count("{") == 3
    time = time if has_seconds else time.replace(second=0)
    text = written(time, form) + between + clock.format(time.hour, time.minute, time.second)
    text += fraction if has_seconds else ""
    zone = None
    if offset is not None:
        hours, minutes = divmod(abs(offset), 60)
        text += spelling.format(hours, minutes).replace("+", "-" if offset < 0 else "+")
        zone = dt.timezone(dt.timedelta(minutes=offset))
    found = read_iso(text)
    assert isinstance(found, dt.datetime)
    assert found.replace(microsecond=0) == time.replace(tzinfo=zone)
    assert found.utcoffset() == (None if zone is None else zone.utcoffset(None))


@pytest.mark.parametrize("offset", ["Z", "z", "+00", "-00", "+0000", "+00:00"])
def test_utc_has_several_names(offset: str) -> None:
    assert read_iso(f"2026-11-28T11:30:00{offset}") == dt.datetime(2026, 11, 28, 11, 30, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    "text",
    [
        "2024-W22-5", "2024W225", "2024-152", "2024152", "2024-05", "202405", "24-05-31", "240531", "--05-31", "2024",
        "2024-0531", "202405-31", "2024-5-31", "+2024-05-31", "02024-05-31", "2024-05-31T", "2024-05-31T14",
        "2024-05-31T14:30:00.", "2024-05-31T14:30.5", "2024-05-31  14:30", "2024-05-31T14:30:00 Z", "2024-05-31Z",
        "2024-05-31T14:30+1", "2024-05-31\n", " 2024-05-31", "\uff12\uff10\uff12\uff14-05-31",
        "2024-05-31T14:30:00+01:00:00", "2024-05-31T10:00+01:60",
        "",
    ],
)  # fmt: skip
def test_other_forms_are_not_iso(text: str) -> None:
    assert read_iso(text) is None


@pytest.mark.parametrize(
    "text",
    ["2024-02-30", "20230229", "0000-01-01", "2024-05-31T24:00", "2024-05-31T10:60", "2024-05-31T10:00:60",
     "2024-05-31T10:00+24"],
)  # fmt: skip
def test_a_day_or_time_that_does_not_exist_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"must be|out of range|strictly"):
        read_iso(text)


# ---- patterns


@given(_DAYS, st.sampled_from(_ORDERS))
def test_directives_that_touch_have_their_full_width(day: dt.date, pattern: str) -> None:
    day = day if "%Y" in pattern else day.replace(day=min(day.day, 28), year=2000 + day.year % 69)
    text = written(day, pattern)
    if day_or_none(DateReader(), text) in (None, day):
        assert DateReader([pattern]).day(text) == day
    if text[0] == "0":
        with pytest.raises(UnclearDate, match=LOST_ZERO):
            DateReader([pattern]).day(text[1:])


@given(_DAYS, st.sampled_from(["%d.%m%Y", "%m%d/%Y", "%Y %m%d", "%d%m-%Y"]), st.integers(0, 7))
def test_no_digit_may_be_missing_beside_another(day: dt.date, pattern: str, at: int) -> None:
    long = max(map(len, re.split("[./ -]", written(day, pattern))))
    text = re.sub(f"[0-9]{{{long}}}", lambda run: run[0][: at % long] + run[0][at % long + 1 :], written(day, pattern))
    assert day_or_none(DateReader([pattern]), written(day, pattern)) == day
    assert day_or_none(DateReader([pattern]), text) is None


@given(st.text("0123456789", min_size=4, max_size=9), st.sampled_from(_ORDERS))
def test_digits_of_another_length_are_never_a_day(text: str, pattern: str) -> None:
    width = sum(_DIGITS[directive] for directive in pattern.replace("%", ""))
    assume(len(text) not in (width, 8))
    assert day_or_none(DateReader([pattern]), text) is None


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("%d%m%Y", "1022024"), ("%m%d%Y", "1152024"), ("%Y%m%d", "2024111"), ("%y%m%d", "50131"), ("%d%m%y", "10224")],
)
def test_a_lost_zero_is_named(pattern: str, text: str) -> None:
    reader = DateReader([pattern])
    for read, written_text in ((reader.day, text), (reader.moment, text), (reader.moment, f"{text} 14:30")):
        with pytest.raises(UnclearDate, match=f"{LOST_ZERO}, because {pattern} needs all of its digits"):
            read(written_text)


@given(st.dates(min_value=dt.date(1969, 1, 1), max_value=dt.date(2068, 12, 31)), st.sampled_from(_PARTED))
def test_what_is_written_is_read_as_the_same_day(day: dt.date, pattern: str) -> None:
    assert DateReader([pattern]).day(day.strftime(pattern)) == day


@given(_DAYS, st.lists(st.sampled_from((*_PARTED, *_ORDERS)), max_size=3))
def test_a_reader_reads_what_it_writes(day: dt.date, patterns: list[str]) -> None:
    """Years below 1000, years of another century, and ambiguous days are written in ISO 8601."""
    reader = DateReader(patterns)
    assert reader.day(reader.write(day)) == day


@given(_DAYS, st.lists(st.sampled_from((*_PARTED, *_ORDERS)), min_size=2, max_size=3, unique=True))
def test_several_patterns_read_a_day_only_if_none_reads_another(day: dt.date, patterns: list[str]) -> None:
    text = written(day, patterns[0])
    days = {found for pattern in patterns if (found := day_or_none(DateReader([pattern]), text)) is not None}
    found = day_or_none(DateReader(patterns), text)
    assert found is None if len(days) > 1 else found is None or days == {found}


@pytest.mark.parametrize(
    ("patterns", "text", "words"),
    [
        (
            ["%d/%m/%Y", "%m/%d/%Y"], "03/04/2024",
            "may mean 2024-04-03 (%d/%m/%Y) or 2024-03-04 (%m/%d/%Y): ",
        ),
        (["%Y%d%m"], "20240304", "may mean 2024-04-03 (%Y%d%m) or 2024-03-04 (ISO 8601): "),
        (["%Y-%d-%m"], "2024-03-04", "may mean 2024-04-03 (%Y-%d-%m) or 2024-03-04 (ISO 8601): "),
    ],
)  # fmt: skip
def test_two_days_are_named_with_their_patterns(patterns: list[str], text: str, words: str) -> None:
    for read in (DateReader(patterns).day, DateReader(patterns).moment):
        with pytest.raises(UnclearDate) as unclear:
            read(text)
        assert unclear.value.words.startswith(words)


# ---- times in patterns


@given(_TIMES, st.sampled_from(["%d.%m.%Y %H:%M:%S", "%Y%m%d%H%M%S", "%m/%d/%Y %I:%M:%S %p", "%d.%m.%YT%H%M%S"]))
def test_a_pattern_with_a_time_is_read_as_that_time(time: dt.datetime, pattern: str) -> None:
    time = time.replace(year=time.year if time.year >= 1000 else time.year + 2000)
    assert DateReader([pattern]).moment(time.strftime(pattern)) == time
    assert DateReader([pattern]).day(time.strftime(pattern)) == time.date()


@pytest.mark.parametrize("text", ["31.12.2024 930", "31.12.2024 93"])
def test_touching_hours_and_minutes_keep_their_zeros(text: str) -> None:
    with pytest.raises(UnclearDate, match=LOST_ZERO):
        DateReader(["%d.%m.%Y %H%M"]).moment(text)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("31.12.2024 9:05", "2024-12-31T09:05"),
        ("31.12.2024T09:05:07,25+0100", "2024-12-31T09:05:07.250000+01:00"),
        ("31.12.2024 12:05 AM", "2024-12-31T00:05"),
        ("31.12.2024 12:05pm", "2024-12-31T12:05"),
    ],
)
def test_a_time_follows_a_day_in_any_pattern(text: str, time: str) -> None:
    assert DateReader(["%d.%m.%Y"]).moment(text) == dt.datetime.fromisoformat(time)


@pytest.mark.parametrize("text", ["31.12.2024 13:05 PM", "31.12.2024 13:05 AM", "31.12.2024 24:00"])
def test_an_hour_that_does_not_exist_is_no_time(text: str) -> None:
    with pytest.raises(InvalidValue):
        DateReader(["%d.%m.%Y"]).moment(text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("%d.%m.%Y", "31.12.2024 0:15 AM"), ("%d.%m.%Y %I:%M %p", "31.12.2024 00:15 PM"),
     ("%d.%m.%Y %I:%M", "31.12.2024 00:15")],
)  # fmt: skip
def test_twelve_hours_have_no_hour_0(pattern: str, text: str) -> None:
    with pytest.raises(UnclearDate, match="no hour 0"):
        DateReader([pattern]).moment(text)


def test_twelve_hours_without_am_and_pm_are_two_times() -> None:
    with pytest.raises(UnclearDate, match="%I:%M has no AM or PM; use %H") as unclear:
        DateReader(["%d.%m.%Y %I:%M"]).moment("31.12.2024 05:15")
    assert "2024-12-31 05:15:00" in unclear.value.words
    assert "2024-12-31 17:15:00" in unclear.value.words


@pytest.mark.parametrize("pattern", ["%d.%m", "%Y-%j", "%G-W%V-%u", "%x", "%d.%m.%Y %d", "%d.%m.%Y %H %I", "%", "%Q"])
def test_a_pattern_names_one_day_and_nothing_twice(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"^"):
        DateReader([pattern])
