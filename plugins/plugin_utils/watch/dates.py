# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Dates that come near, and those that passed: fields of any kind that a source names, and what tasks and rental cases
have to be done by.
"""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Watch:
    """A field whose dates are told before they come.

    :ivar kind: name of the kind. :ivar field: key of the field. :ivar days: how many days before.
    :ivar spelling: the field as the rulebook names it.
    """

    kind: str
    field: str
    days: int
    spelling: str = ""

    @property
    def mark(self) -> str:
        return f"{self.field}-{self.days}"


@dataclass(frozen=True)
class Term:
    """A date by which something has to be done.

    :ivar day: the field with the last day. :ivar instant: the field with the instant, where there is one.
    :ivar open: the statuses in which it is still to be done. :ivar overdue: those in which the service says that it is
        late.
    """

    day: str
    open: frozenset[str]
    instant: str = ""
    overdue: frozenset[str] = frozenset()


TERMS: Mapping[str, tuple[Term, ...]] = {
    "task": (Term("deadline", frozenset({"open"})),),
    "rental_case": (
        Term("issue_date", frozenset({"confirmed"}), "issue_at", frozenset({"pickup_overdue"})),
        Term("due_date", frozenset({"borrowed"}), "due_at", frozenset({"return_overdue"})),
    ),
}
"""Kinds of records that have to be done by a date."""


@dataclass(frozen=True)
class Told:
    """A date that is to be told: ``due`` or ``overdue``.

    :ivar days_left: until the date; less than 0 where it passed. :ivar spelling: the field as the event names it.
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


def terms_of(kind: str, values: Mapping[str, Any], now: dt.datetime, days: int) -> Iterator[Told]:
    """The dates of a task or a rental case that are near or passed.

    :param values: canonical values by field key. :param now: with the time zone in which days begin.
    :param days: how many days before a date is near.
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
            yield Told("overdue", term.day, date, left, spelling=term.day)
        elif left <= days:
            yield Told("due", term.day, date, left, days, term.day)


def dates_in(watches: Sequence[Watch], values: Mapping[str, Any]) -> dict[str, str]:
    """The dates of the watched fields of a record, as they are remembered."""
    found = {watch.field: values.get(watch.field) for watch in watches}
    return {field: text_of_date(value) for field, value in found.items() if isinstance(value, dt.date)}


def near(watches: Sequence[Watch], dates: Mapping[str, str], now: dt.datetime) -> Iterator[tuple[Watch, Told]]:
    """The watched dates that are near.

    :param dates: as :func:`dates_in` gives them.
    """
    for watch in watches:
        date = dates.get(watch.field, "")
        if not date:
            continue
        left = (_day_of(date, now.tzinfo) - now.date()).days
        if left <= watch.days:
            yield watch, Told("due", watch.field, date, left, watch.days, watch.spelling)


def _day_of(date: str, zone: dt.tzinfo | None) -> dt.date:
    """The day of a date or an instant in a time zone; that in UTC where the zone has none, at the ends of time."""
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
