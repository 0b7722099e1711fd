# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records that have the same objects at the same time: an instance may refuse that. No requests are made here."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Any

from ..client.client import Record
from ..model.kinds import Hours
from ..model.schema import Schema
from ..model.types_links import Reference, references_in

_OVER = ("rejected", "completed")
"""The statuses of a record that has its objects no more."""

_MOST_NAMED = 3


def may_meet(schema: Schema, values: Mapping[str, Any]) -> bool:
    """Tells whether a change may give a record objects that another one has at the same time."""
    hours = schema.kind.hours
    return hours is not None and not values.keys().isdisjoint((*hours.days, *hours.keys, "references", "status"))


def at_the_same_time(
    schema: Schema, values: Mapping[str, Any], current: Record | None, others: Iterable[Record]
) -> str:
    """Names the records that have an object of another one at the same time; empty where none has.

    :param values: canonical values that were sent. :param current: the record that they were to change.
    :param others: all records of the kind, as far as they are known.
    """
    hours = schema.kind.hours
    if hours is None:
        return ""
    wanted = {**(schema.read(current.flat) if current else {}), **values}
    found = []
    for record in others:
        theirs = schema.read(record.flat)
        shared = [one for one in references_in(wanted.get("references")) if _is_among(one, theirs.get("references"))]
        is_another = record.uuid != (current.uuid if current else "") and theirs.get("status") not in _OVER
        if is_another and shared and _meet(hours, wanted, theirs):
            objects = ", ".join(str(one.written or one.display_name or one.uuid) for one in shared)
            name, (first, last) = theirs[schema.kind.match_on[0][0]], (theirs[key] for key in hours.days)
            found.append(f"{objects} in {name!r} ({first} to {last})")
    if not found:
        return ""
    rest = [f"{len(found) - _MOST_NAMED} more"] if len(found) > _MOST_NAMED else []
    words = "; ".join([*sorted(found)[:_MOST_NAMED], *rest])
    return f" At the same time there is, in other {schema.kind.several}: {words}."


def _is_among(reference: Reference, others: Any) -> bool:
    return any(reference.same(other) for other in references_in(others))


def _span(keys: tuple[str, str], values: Mapping[str, Any]) -> tuple[dt.date, dt.date] | None:
    """Beginning and end, as days or as instants; None where it has none of these."""
    first, last = (values.get(key) for key in keys)
    return (first, last) if isinstance(first, dt.date) and isinstance(last, dt.date) else None


def _meet(hours: Hours, one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tells whether two records overlap. Where one lasts whole days, nobody knows in which time zone: days count."""
    mine, theirs = _span(hours.times, one), _span(hours.times, other)
    if mine is not None and theirs is not None:
        return mine[0] < theirs[1] and theirs[0] < mine[1]
    mine, theirs = _span(hours.days, one), _span(hours.days, other)
    return mine is not None and theirs is not None and mine[0] <= theirs[1] and theirs[0] <= mine[1]
