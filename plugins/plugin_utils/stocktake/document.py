# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stocktake as plain data: the result of the task, and the source of all reports."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any

from ..everyday.lists import ObjectLists
from ..papers.table import total
from .evaluation import REASONS, Evaluation, Place, StocktakeObject, by_place, counts_of
from .moments import Window
from .reading import InstanceLists
from .status import STATUSES

PREPARE, EVALUATE, CLOSE = "prepare", "evaluate", "close"


def document_of(mode: str, window: Window, evaluation: Evaluation, lists: InstanceLists) -> dict[str, Any]:
    """Return a stocktake as plain data."""
    whole = evaluation.objects
    shown = [item for item in whole if item.reasons] if mode == PREPARE else whole
    ends = {"since": _time(window.since), "until": _time(window.until)}
    return {
        "mode": mode,
        "instance": lists.client.transport.root,
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "window": {**ends, "time_field": lists.time_field},
        "sees": lists.sees(),
        "counts": counts_of(whole),
        "scanned": evaluation.scanned(),
        "reasons": {reason: sum(reason in item.reasons for item in whole) for reason in REASONS},
        "amounts": _total(whole, lists),
        "totals": {name: _total((item for item in whole if item.status == name), lists) for name in STATUSES},
        "by_place": [_place(place, lists) for place in by_place(whole)],
        "objects": [_object(item, lists) for item in shown],
        "unknown_codes": evaluation.unknown_codes,
        "unlabelled": [item.code or item.record.uuid for item in whole if item.is_unlabelled],
    }


def _time(time: dt.date | None) -> str | None:
    if isinstance(time, dt.datetime):
        return time.isoformat(timespec="seconds")
    return None if time is None else time.isoformat()


def _total(items: Iterable[StocktakeObject], lists: ObjectLists) -> dict[str, str]:
    return lists.in_texts(total(item.values for item in items))


def _place(place: Place, lists: ObjectLists) -> dict[str, Any]:
    return {
        "location": place.location or None,
        "room": place.room or None,
        **counts_of(place.objects),
        "visitors": place.visitors,
        "amounts": _total(place.objects, lists),
    }


def _object(item: StocktakeObject, lists: ObjectLists) -> dict[str, Any]:
    return {
        **lists.described(item.record),
        "scan_code": item.code,
        "status": item.status,
        "scanned": item.scanned,
        "target_room": item.target.path if item.target else None,
        "actual_room": item.actual.path if item.actual else None,
        "time": _time(item.time),
        "from_scans": item.is_listed,
        "unlabelled": item.is_unlabelled,
        "reasons": list(item.reasons),
        "service_status": item.service_status or None,
    }
