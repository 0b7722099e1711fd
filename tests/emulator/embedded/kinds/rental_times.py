# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The time for which an object is rented: whole days, or from one instant to another.

A rental case always has two days. A case by the hour also has two instants, and ends before the second.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..context import Context
from ..dates import instant, is_date, stamp
from ..messages import bad_request, unprocessable

DAYS = ("issue_date", "due_date")
TIMES = ("issue_at", "due_at")
# In these states nothing is rented.
OVER = ("rejected", "completed")
_MIDNIGHT = "00:00:00"


def written(body: Mapping[str, Any], old: Any) -> dict[str, Any]:
    """Return the columns for the days and times of a body. Missing times keep their values, missing days do not."""
    days = {key: body[key][:10] for key in DAYS}
    for key, day in days.items():
        if not is_date(day) or instant(body[key]) is None:
            raise bad_request(f"Body does not match schema: {key} is no day")
    times: dict[str, Any] = {key: body.get(key) or (old and old[key]) or None for key in TIMES}
    is_full_day = body.get("is_full_day")
    if is_full_day is None:
        timed = any(body.get(key) for key in TIMES) or (old is not None and not old["is_full_day"])
        is_full_day = not timed
    if is_full_day:
        return {**days, "is_full_day": 1, **dict.fromkeys(TIMES)}
    if not all(times.values()):
        raise unprocessable("A rental case by the hour has issue_at and due_at")
    start, end = (instant(times[key]) for key in TIMES)
    if start is None or end is None or start >= end:
        raise unprocessable("A rental case ends after it begins: due_at is later than issue_at")
    return {**days, "is_full_day": 0, **times}


def day_times(body: Mapping[str, Any]) -> dict[str, str]:
    """Return the times of day that were written with the days."""
    return {key: body[key][11:] or _MIDNIGHT for key in DAYS}


def shown_day(context: Context, row: Any, body: Mapping[str, Any], key: str) -> str:
    """Return a day in the form of this instance."""
    if context.weather["rental_day_form"] == "day":
        return str(row[key])
    return f"{row[key]} {body['day_times'][key]}"


def shown_hours(context: Context, row: Any) -> dict[str, Any]:
    """Return the members about hours: whether the case lasts whole days, and its times.

    An instance with days only has none of them.
    """
    if context.weather["rental_hours"] == "absent":
        return {}
    return {"is_full_day": bool(row["is_full_day"]), **{key: _shown_time(context, row[key]) for key in TIMES}}


def _shown_time(context: Context, text: str | None) -> str | None:
    moment = instant(text) if text else None
    return moment.isoformat() if moment and context.weather["datetime_read"] == "utc" else text


def has_passed(context: Context, row: Any, key: str) -> bool:
    """Return True if the day is over or the time is reached."""
    day = str(row[key])
    time = None if row["is_full_day"] else instant(row[key.replace("_date", "_at")])
    return day < context.now[:10] if time is None else time <= context.moment


def check_overlap(context: Context, times: Mapping[str, Any], objects: Sequence[str], old: Any) -> None:
    """Raise a 422 if another case contains one of the objects at the same time."""
    marks = ", ".join("?" * len(OVER))
    rows = context.store.rows(
        "SELECT DISTINCT rental_case.* FROM rental_case JOIN rental_reference ON rental_id = rental_case.id"
        " WHERE rental_reference.uuid IN (SELECT value FROM json_each(?))"
        f" AND status NOT IN ({marks}) AND rental_case.id <> ?",
        (json.dumps(list(objects)), *OVER, old["id"] if old is not None else 0),
    )
    start, end = _span(times)
    for row in rows:
        other_start, other_end = _span(row)
        if start < other_end and other_start < end:
            raise unprocessable("An object is already rented at this time")


def _span(times: Any) -> tuple[str, str]:
    """Return beginning and end as comparable texts: 24:00:00 of a day sorts before 00:00:00 of the next day."""
    if times["is_full_day"]:
        return f"{times['issue_date']} {_MIDNIGHT}", f"{times['due_date']} 24:00:00"
    start, end = (instant(times[key]) for key in TIMES)
    return ("", "") if start is None or end is None else (stamp(start), stamp(end))
