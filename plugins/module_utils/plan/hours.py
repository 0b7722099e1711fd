# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records that last whole days, or from one instant to another: the relation between their days and times.

Instances of earlier versions only have days, and their answers omit the other fields. A time that a PUT omits stays
unchanged, while the days are always sent, so days and times can diverge. The period does not include its end.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Any

from ..client.record import Record
from ..errors import InvalidInput
from ..model.kinds import Hours
from ..model.schema import Schema


def with_hours(schema: Schema, desired: Mapping[str, Any], current: Record | None) -> Mapping[str, Any]:
    """Return desired values in which whole days and times are consistent.

    :param desired: canonical values by field key.
    :raises InvalidInput: if they contradict each other, or the present record.
    """
    hours = schema.kind.hours
    if hours is None:
        return desired
    _check_days(schema, hours, desired, current)
    if current is not None and hours.whole_days not in current.flat:
        check_hours_known(schema, desired, [current])
        return {key: value for key, value in desired.items() if key not in hours.keys}
    has_times = current is not None and schema.read_field(hours.whole_days, current.flat) is False
    given = {key: desired[key] for key in hours.times if desired.get(key) is not None}
    whole_days = desired.get(hours.whole_days)
    if whole_days and given:
        raise InvalidInput(
            f"{next(iter(given))}: {schema.kind.singular} of whole days has no times; leave them out, or write "
            f"{hours.whole_days}: false"
        )
    if whole_days or not (given or has_times or whole_days is False):
        return {key: value for key, value in desired.items() if key not in hours.times}
    cleared = [key for key in hours.times if key in desired and key not in given]
    if cleared:
        raise InvalidInput(f"{cleared[0]}: to have whole days again, write {hours.whole_days}: true")
    _check_times(schema, hours, given, current)
    if has_times and current is not None:
        _check_moved_days(schema, hours, desired, current)
    return {**desired, hours.whole_days: False}


def check_hours_known(schema: Schema, desired: Mapping[str, Any], records: Iterable[Record]) -> None:
    """Refuse times if the answers show that the instance knows only whole days.

    :param records: some records of the instance; without any, nothing is known.
    :raises InvalidInput: naming what to leave out.
    """
    hours = schema.kind.hours
    if hours is None or not needs_hours(schema, desired):
        return
    answers = list(records)
    if answers and not any(hours.whole_days in record.flat for record in answers):
        written = next(key for key in hours.keys if key in desired)
        raise InvalidInput(
            f"{written}: this instance knows {schema.kind.plural} of whole days alone (no answer has "
            f"{hours.whole_days}); leave out {', '.join(hours.keys)}"
        )


def needs_hours(schema: Schema, desired: Mapping[str, Any]) -> bool:
    """Return True if something was written that only instances with times accept."""
    hours = schema.kind.hours
    if hours is None:
        return False
    return desired.get(hours.whole_days) is False or any(desired.get(key) is not None for key in hours.times)


def _check_days(schema: Schema, hours: Hours, desired: Mapping[str, Any], current: Record | None) -> None:
    first, last = hours.days
    if first not in desired and last not in desired:
        return
    begin, end = (_as_it_will_be(schema, key, desired, current) for key in hours.days)
    if isinstance(begin, dt.date) and isinstance(end, dt.date) and end < begin:
        raise InvalidInput(f"{last}: {end.isoformat()} is before the {first}, {begin.isoformat()}")


def _check_times(schema: Schema, hours: Hours, given: Mapping[str, Any], current: Record | None) -> None:
    begin, end = (_as_it_will_be(schema, key, given, current) for key in hours.times)
    for key, value in zip(hours.times, (begin, end), strict=True):
        if value is None:
            raise InvalidInput(f"{key}: {schema.kind.singular} by the hour has {' and '.join(hours.times)}; write both")
    if isinstance(begin, dt.datetime) and isinstance(end, dt.datetime) and end <= begin:
        last, first = hours.times[1], hours.times[0]
        raise InvalidInput(f"{last}: {end.isoformat()} is not after {first}, {begin.isoformat()}")


def _check_moved_days(schema: Schema, hours: Hours, desired: Mapping[str, Any], current: Record) -> None:
    """Refuse a changed day with an unchanged time, because it is unknown what happens to the time."""
    for day, time in zip(hours.days, hours.times, strict=True):
        is_now = schema.read_field(day, current.flat)
        if time in desired or day not in desired or schema.equal(day, desired[day], is_now):
            continue
        at = schema.read_field(time, current.flat)
        example = at.isoformat() if isinstance(at, dt.datetime) else "null"
        raise InvalidInput(
            f"{day}: this {schema.kind.words} is by the hour, and {time} is {example}; write {time} too, with the day "
            f"{desired[day]}, or {hours.whole_days}: true"
        )


def _as_it_will_be(schema: Schema, key: str, desired: Mapping[str, Any], current: Record | None) -> Any:
    return desired.get(key) if key in desired or current is None else schema.read_field(key, current.flat)
