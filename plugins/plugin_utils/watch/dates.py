# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Approaching and past dates: watched fields of any kind, and the deadlines of tasks and rental cases."""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Watch:
    """A field whose dates are reported in advance.

    :ivar field: its key. :ivar days: how many days before. :ivar spelling: the field as the rulebook names it.
    """

    field: str
    days: int
    spelling: str = ""

    @property
    def mark(self) -> str:
        return f"{self.field}-{self.days}"


@dataclass(frozen=True)
class Term:
    """A deadline.

    :ivar day: the field with the last day. :ivar instant: the field with the instant, if there is one.
    :ivar open: the statuses of unfinished records. :ivar overdue: the statuses of late records.
    """

    day: str
    open: frozenset[str]
    instant: str = ""
    overdue: frozenset[str] = frozenset()


#: Kinds of records with deadlines.
TERMS: Mapping[str, tuple[Term, ...]] = {
    "task": (Term("deadline", frozenset({"open"})),),
    "rental_case": (
        Term("issue_date", frozenset({"confirmed"}), "issue_at", frozenset({"pickup_overdue"})),
        Term("due_date", frozenset({"borrowed"}), "due_at", frozenset({"return_overdue"})),
    ),
}


@dataclass(frozen=True)
class ReportedDate:
    """A date to report: ``due`` or ``overdue``.

    :ivar days_left: until the date; negative if it has passed. :ivar spelling: the field as the event names it.
    """

    type: str
    field: str
    date: str
    days_left: int
    days: int = 0
    spelling: str = ""

    @property
    def mark(self) -> str:
        return f"{self.type} {self.field}-{self.days} {self.date}"


def terms_of(kind: str, values: Mapping[str, Any], now: dt.datetime, days: int) -> Iterator[ReportedDate]:
    """Yield the approaching or past deadlines of a task or a rental case.

    :param values: canonical values by field key. :param now: with the time zone in which days begin.
    :param days: how many days before a date is reported.
    """
    for term in TERMS.get(kind, ()):
        status, day = values.get("status"), values.get(term.day)
        instant = values.get(term.instant)
        if not isinstance(day, dt.date) or status not in term.open | term.overdue:
            continue
        left = (day - now.date()).days
        date = text_of_date(instant if isinstance(instant, dt.datetime) else day)
        passed = instant <= now if isinstance(instant, dt.datetime) else left < 0
        if passed or status in term.overdue:
            yield ReportedDate("overdue", term.day, date, left, spelling=term.day)
        elif left <= days:
            yield ReportedDate("due", term.day, date, left, days, term.day)


def dates_in(watches: Sequence[Watch], values: Mapping[str, Any]) -> dict[str, str]:
    """Return the dates of the watched fields of a record, as they are remembered."""
    found = {watch.field: values.get(watch.field) for watch in watches}
    return {field: text_of_date(value) for field, value in found.items() if isinstance(value, dt.date)}


def approaching(
    watches: Sequence[Watch], dates: Mapping[str, str], now: dt.datetime
) -> Iterator[tuple[Watch, ReportedDate]]:
    """Yield the watched dates that approach.

    :param dates: from :func:`dates_in`.
    """
    for watch in watches:
        date = dates.get(watch.field, "")
        if not date:
            continue
        left = (_day_of(date, now.tzinfo) - now.date()).days
        if left <= watch.days:
            yield watch, ReportedDate("due", watch.field, date, left, watch.days, watch.spelling)


def _day_of(date: str, zone: dt.tzinfo | None) -> dt.date:
    """Return the day of a date, or of an instant in a time zone. If the year leaves 1 to 9999 there, use UTC."""
    instant = dt.datetime.fromisoformat(date)
    if instant.tzinfo is not None:
        with contextlib.suppress(OverflowError):
            instant = instant.astimezone(zone)
    return instant.date()


def text_of_date(value: dt.date) -> str:
    """Return a day or an instant in ISO 8601; an instant without a zone is in UTC."""
    if isinstance(value, dt.datetime) and value.tzinfo is None:
        value = value.replace(tzinfo=dt.UTC)
    return value.isoformat()
