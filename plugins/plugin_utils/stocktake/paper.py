# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stocktake as a paper: the counts of each place, and the objects that need attention.

In the columns ``code`` and ``accept`` of its table a person marks the accepted deviations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...module_utils.model.field import Field
from ..papers.catalogue import Catalogue
from ..papers.table import Cell, Column, Paper, Row, Table, Word, amount_columns, amounts_in, moment
from .evaluation import DEVIATION, MISSING, NEW, NOT_SCANNED, OK, PREPARE, REASONS, STATUSES, UNKNOWN, UNLABELLED
from .tables import ACCEPT, CODE

_Item = Mapping[str, Any]
_NUMBERS = ("asset_number", "serial_number")
_ROOMS = ("target_room", "actual_room")


def paper_of(document: Mapping[str, Any], fields: Mapping[str, Field], catalogue: Catalogue) -> Paper:
    """Return the paper about a stocktake.

    :param fields: of objects, by key.
    """
    is_preparation = document["mode"] == PREPARE
    counts = [{**document["counts"], **amounts_in(document)}]
    lists = _preparations if is_preparation else _results
    codes = [{CODE: code} for code in document["unknown_codes"]]
    return Paper(
        title="preparation" if is_preparation else "stocktake_title",
        subject=document["instance"],
        about=(document["instance"], moment(document["date"]), _window(document["window"], catalogue)),
        lines=(
            ("sees", catalogue.visible(document["sees"])),
            ("", catalogue.say("scanned_numbers", **document["scanned"])),
        ),
        tables=(
            Table("result", [*_counts(*STATUSES), *amount_columns([document], fields)], counts, is_counted=False),
            _places(document, fields, "places", Word("in_no_location")),
            *lists(document["objects"], fields),
            Table("list_unknown_codes", [Column(CODE)], codes, hand="cleared_up"),
        ),
        sheets={"objects": _objects(document["objects"], fields), "# places": _places(document, fields, "places")},
        signatures=("counted_by", "checked_by", "approved_by"),
        document=document,
    )


def _window(window: Mapping[str, Any], catalogue: Catalogue) -> str:
    ends = {name: window[name] for name in ("since", "until") if window[name]}
    if not ends:
        return catalogue.say("every_scan", field=window["time_field"])
    period = "".join(catalogue.say(name, time=moment(end)) for name, end in ends.items())
    return catalogue.say("scans", period=period, field=window["time_field"])


def _counts(*names: str) -> list[Column]:
    return [Column(name, is_number=True) for name in names]


def _places(document: Mapping[str, Any], fields: Mapping[str, Field], title: str, nowhere: Cell = None) -> Table:
    """Return the numbers of each place.

    :param nowhere: the location of objects that are in none.
    """
    places = document["by_place"]
    columns = [Column("location"), Column("room"), *_counts(*STATUSES, "visitors"), *amount_columns(places, fields)]
    rows = [{**place, "location": place["location"] or nowhere, **amounts_in(place)} for place in places]
    return Table(title, columns, rows, is_counted=False, is_bold="room")


def _objects(items: Sequence[_Item], fields: Mapping[str, Field]) -> Table:
    """Return the table with a row for each object."""
    names = (CODE, ACCEPT, "status", "name", *_NUMBERS, *_ROOMS, "scanned", "time", "service_status")
    columns = [*map(Column, (*names, "unlabelled", "reasons")), *amount_columns(items, fields)]
    return Table("objects", columns, [_row(item, item["scan_code"]) for item in items])


def _row(item: _Item, code: str) -> Row:
    return {
        **item,
        CODE: code,
        "status": Word(item["status"]),
        "scanned": Word(item["scanned"]),
        "time": moment(item["time"]),
        "unlabelled": "x" if item["unlabelled"] else "",
        "reasons": tuple(map(Word, item["reasons"])),
        **amounts_in(item),
    }


# ---- the lists of the page


def _list(
    items: Sequence[_Item],
    belongs: Callable[[_Item], bool],
    title: str,
    hand: str,
    names: Sequence[str] = (*_ROOMS, "time"),
    money: Sequence[Column] = (),
) -> Table:
    """Return the objects for which a function returns True."""
    rows = [_row(item, item["scan_code"] or item["uuid"]) for item in items if belongs(item)]
    return Table(f"list_{title}", [*map(Column, (CODE, "name", *names)), *money], rows, hand)


def _has(status: str) -> Callable[[_Item], bool]:
    return lambda item: bool(item["status"] == status and not item["unlabelled"])


def _is_for(reason: str) -> Callable[[_Item], bool]:
    return lambda item: reason in item["reasons"]


def _results(items: Sequence[_Item], fields: Mapping[str, Field]) -> Iterator[Table]:
    """Yield the tables of a stocktake. A missing object has the data that help to find it or to write it off."""
    money = amount_columns(filter(_has(MISSING), items), fields)
    yield _list(items, _has(DEVIATION), DEVIATION, "accepted")
    yield _list(items, _has(MISSING), MISSING, "cleared_up", (*_NUMBERS, "target_room", "time"), money)
    yield _list(items, lambda item: (item["status"], item["scanned"]) == (OK, NOT_SCANNED), NOT_SCANNED, "confirmed")
    yield _list(items, _has(NEW), NEW, "accepted")
    yield _list(items, _has(UNKNOWN), UNKNOWN, "cleared_up")
    yield _list(items, lambda item: bool(item["unlabelled"]), UNLABELLED, "confirmed")
    status = (*_ROOMS, "time", "service_status")
    yield _list(items, lambda item: bool(item["service_status"]), "service_status", "", status)


def _preparations(items: Sequence[_Item], _fields: Mapping[str, Field]) -> Iterator[Table]:
    """Yield what needs a label or a room."""
    for reason, hand in zip(REASONS, ("label", "room", "room"), strict=True):
        yield _list(items, _is_for(reason), reason, hand)
