# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stocktake as plain data: the result of the task, and the source of all reports."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ...module_utils.model.field import Field, in_digits
from .evaluation import REASONS, Evaluation, Place, StocktakeObject, by_place, total
from .moments import Window
from .status import STATUSES

PREPARE, EVALUATE, CLOSE = "prepare", "evaluate", "close"


@dataclass(frozen=True)
class Heading:
    """The heading of a report.

    :ivar sees: what the account sees.
    """

    mode: str
    instance: str
    date: dt.datetime
    window: Window
    time_field: str
    sees: Mapping[str, Any]


def document_of(heading: Heading, evaluation: Evaluation, money: Sequence[Field]) -> dict[str, Any]:
    """Return a stocktake as plain data.

    :param money: the fields with amounts.
    """
    window = heading.window
    amounts = _Amounts(money)
    whole = evaluation.objects
    shown = [one for one in whole if one.reasons] if heading.mode == PREPARE else whole
    return {
        "mode": heading.mode,
        "instance": heading.instance,
        "date": heading.date.isoformat(timespec="seconds"),
        "window": {"since": _time(window.since), "until": _time(window.until), "time_field": heading.time_field},
        "sees": dict(heading.sees),
        "counts": evaluation.counts(),
        "scanned": evaluation.scanned(),
        "reasons": {reason: sum(reason in one.reasons for one in whole) for reason in REASONS},
        "amounts": amounts.shown(total(whole)),
        "by_place": [_place(one, amounts) for one in by_place(whole)],
        "objects": [_object(one, amounts) for one in shown],
        "unknown_codes": evaluation.unknown_codes,
        "unlabelled": [one.code or one.record.uuid for one in whole if one.is_unlabelled],
    }


class _Amounts:
    """Format amounts of money with the digits of their fields."""

    def __init__(self, fields: Iterable[Field]) -> None:
        self._digits = {field.key: field.shown_digits for field in fields}

    def shown(self, values: Mapping[str, Decimal]) -> dict[str, str]:
        """Return amounts as texts, because a float would change them."""
        return {key: in_digits(amount, self._digits[key]) for key, amount in values.items()}


def _time(time: dt.date | None) -> str | None:
    if isinstance(time, dt.datetime):
        return time.isoformat(timespec="seconds")
    return None if time is None else time.isoformat()


def _place(place: Place, amounts: _Amounts) -> dict[str, Any]:
    return {
        "location": place.location or None,
        "room": place.room or None,
        **{status: place.counts[status] for status in STATUSES},
        "visitors": place.visitors,
        "amounts": amounts.shown(place.values),
    }


def _object(one: StocktakeObject, amounts: _Amounts) -> dict[str, Any]:
    return {
        "scan_code": one.code,
        "status": one.status,
        "scanned": one.scanned,
        "name": one.name,
        "uuid": one.record.uuid,
        "target_room": one.target.path if one.target else None,
        "actual_room": one.actual.path if one.actual else None,
        "time": _time(one.time),
        "from_scans": one.is_listed,
        "unlabelled": one.is_unlabelled,
        "reasons": list(one.reasons),
        "service_status": one.service_status or None,
        "amounts": amounts.shown(one.values),
    }
