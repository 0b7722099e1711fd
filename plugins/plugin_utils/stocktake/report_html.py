# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stocktake as one printable A4 page, with lines for signatures."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Template

from ..everyday.paper import paper
from .document import PREPARE
from .evaluation import NO_TARGET, NOT_SCANNED, PLACEHOLDER, PLACEHOLDER_ROOM
from .status import DEVIATION, MISSING, NEW, OK, STATUSES, UNKNOWN

_MOST_ROWS = 5000
"""Maximum number of rows of all lists. Browsers can't print a page with more."""

_List = tuple[str, Callable[[Mapping[str, Any]], bool], str, str]
"""The title of a list, the filter for its objects, and the title and the member of its last column.

Without a member, people fill in the column.
"""


def _has(status: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda item: bool(item["status"] == status and not item["unlabelled"])


def _is_for(reason: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda item: reason in item["reasons"]


_RESULTS: Sequence[_List] = (
    ("Deviations", _has(DEVIATION), "Accepted", ""),
    ("Missing", _has(MISSING), "Cleared up", ""),
    (
        "In their room, but not scanned in the window",
        lambda item: bool(item["status"] == OK and item["scanned"] == NOT_SCANNED),
        "Confirmed",
        "",
    ),
    ("New", _has(NEW), "Accepted", ""),
    ("Unknown", _has(UNKNOWN), "Cleared up", ""),
    ("Without a label, to confirm by hand", lambda item: bool(item["unlabelled"]), "Confirmed", ""),
    ("The service reports another status", lambda item: bool(item["service_status"]), "Service", "service_status"),
)
_PREPARATIONS: Sequence[_List] = (
    ("A placeholder in place of a label", _is_for(PLACEHOLDER), "Label", ""),
    ("Without a target room", _is_for(NO_TARGET), "Room", ""),
    ("In a placeholder room", _is_for(PLACEHOLDER_ROOM), "Room", ""),
)


@functools.cache
def _template() -> Template:
    return paper(Path(__file__).with_name("stocktake.html.j2"))


def as_html(document: Mapping[str, Any]) -> bytes:
    """Return the page. It counts the objects that do not fit."""
    is_preparation = document["mode"] == PREPARE
    text = _template().render(
        title="Before the stocktake" if is_preparation else "Stocktake",
        instance=document["instance"],
        date=document["date"],
        window=_window(document["window"]),
        sees=document["sees"],
        statuses=STATUSES,
        counts=document["counts"],
        scanned=document["scanned"],
        values=document["amounts"],
        places=document["by_place"],
        lists=list(_lists(document["objects"], _PREPARATIONS if is_preparation else _RESULTS)),
        codes=document["unknown_codes"],
        most=_MOST_ROWS,
    )
    return text.encode()


def _lists(objects: Sequence[Mapping[str, Any]], lists: Sequence[_List]) -> Iterator[dict[str, Any]]:
    """Yield each list with objects, with as many of them as fit."""
    room = _MOST_ROWS
    for title, belongs, last, member in lists:
        found = [item for item in objects if belongs(item)]
        rows = [_row(item, member) for item in found[:room]]
        room -= len(rows)
        if found:
            yield {"title": title, "last": last, "rows": rows, "number": len(found), "hidden": len(found) - len(rows)}


def _row(item: Mapping[str, Any], member: str) -> list[str]:
    code = item["scan_code"] or item["uuid"]
    return [code, *(item[name] or "" for name in _SHOWN), item[member] if member else ""]


_SHOWN = ("name", "target_room", "actual_room", "time")


def _window(window: Mapping[str, Any]) -> str:
    since, until = window["since"], window["until"]
    if not since and not until:
        return f"every scan counts ({window['time_field']})"
    return f"scans {f'since {since} ' if since else ''}{f'until {until} ' if until else ''}({window['time_field']})"
