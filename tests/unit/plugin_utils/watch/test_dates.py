# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Dates are reported before they arrive and after they passed."""

from __future__ import annotations

import datetime as dt
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from ansible_collections.community.seventhings.plugins.plugin_utils.watch.dates import (
    Watch,
    approaching,
    dates_in,
    terms_of,
)

NOW = dt.datetime(2031, 5, 31, 12, tzinfo=dt.timezone(dt.timedelta(hours=2)))


def dates_reported(kind: str, days: int = 0, **values: Any) -> list[tuple[str, str, int]]:
    return [(reported.type, reported.field, reported.days_left) for reported in terms_of(kind, values, NOW, days)]


@pytest.mark.parametrize(
    ("kind", "days", "values", "expected"),
    [
        ("task", 0, {"status": "open", "deadline": dt.date(2031, 5, 31)}, [("due", "deadline", 0)]),
        ("task", 0, {"status": "open", "deadline": dt.date(2031, 6, 1)}, []),
        ("task", 1, {"status": "open", "deadline": dt.date(2031, 6, 1)}, [("due", "deadline", 1)]),
        ("task", 9, {"status": "open", "deadline": dt.date(2031, 5, 30)}, [("overdue", "deadline", -1)]),
        ("task", 9, {"status": "closed", "deadline": dt.date(2031, 5, 30)}, []),
        ("rental_case", 0, {"status": "borrowed", "due_date": dt.date(2031, 5, 31)}, [("due", "due_date", 0)]),
        ("rental_case", 0, {"status": "borrowed", "due_date": dt.date(2031, 5, 1)}, [("overdue", "due_date", -30)]),
        ("rental_case", 0, {"status": "confirmed", "due_date": dt.date(2031, 5, 1)}, []),
        (
            "rental_case",
            0,
            {"status": "confirmed", "issue_date": dt.date(2031, 5, 1)},
            [("overdue", "issue_date", -30)],
        ),
        ("rental_case", 0, {"status": "return_overdue", "due_date": dt.date(2031, 6, 9)}, [("overdue", "due_date", 9)]),
        ("rental_case", 0, {"status": "completed", "due_date": dt.date(2031, 5, 1)}, []),
        ("room", 0, {"status": "open", "deadline": dt.date(2031, 5, 1)}, []),
    ],
)
def test_what_is_to_be_done(kind: str, days: int, values: dict[str, Any], expected: list[Any]) -> None:
    assert dates_reported(kind, days, **values) == expected


@pytest.mark.parametrize(("hour", "expected"), [(9, "overdue"), (11, "due")])
def test_a_rental_by_the_hour_is_overdue_by_its_instant(hour: int, expected: str) -> None:
    due_at = dt.datetime(2031, 5, 31, hour, tzinfo=dt.UTC)
    found = dates_reported("rental_case", status="borrowed", due_date=due_at.date(), due_at=due_at)
    assert found == [(expected, "due_date", 0)]


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Pacific/Auckland"])
@pytest.mark.parametrize(
    ("instant", "is_reported"), [("0001-01-01T00:00:00+00:00", True), ("9999-12-31T23:59:59Z", False)]
)
def test_the_ends_of_time_have_a_day_in_every_zone(zone: str, instant: str, is_reported: bool) -> None:
    dates = dates_in([Watch("ends", 0)], {"ends": dt.datetime.fromisoformat(instant)})
    assert bool(list(approaching([Watch("ends", 0)], dates, NOW.astimezone(ZoneInfo(zone))))) is is_reported


def test_a_watched_date_is_near_days_before_it_in_the_time_zone_of_the_source() -> None:
    watches = [Watch("warranty", 30), Watch("checked", 0), Watch("sold", 0)]
    late = dt.datetime(2031, 5, 31, 23, tzinfo=dt.UTC)
    dates = dates_in(watches, {"warranty": dt.date(2031, 6, 30), "checked": late, "sold": None})
    assert set(dates) == {"warranty", "checked"}
    assert [(reported.field, reported.days_left) for _watch, reported in approaching(watches, dates, NOW)] == [
        ("warranty", 30)
    ]
    later = NOW + dt.timedelta(days=1)
    assert [(reported.field, reported.days_left) for _watch, reported in approaching(watches, dates, later)] == [
        ("warranty", 29),
        ("checked", 0),
    ]
