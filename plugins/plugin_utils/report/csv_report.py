# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The changes of a plan or an apply as a table for spreadsheets, with a row for each field of each change."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from ...module_utils.plan.change import UPDATE
from ...module_utils.printing.cleaner import clean
from ..desired.sources.formulas import escaped
from .changes import Change, field_name, keys_of, mark, said
from .removals import removal_texts
from .result import RunResult, for_people
from .view import first_removals
from .words import action_words

Row = Mapping[str, Any]

_COLUMNS = (
    "section",
    "action",
    "key",
    "name",
    "field",
    "before",
    "after",
    "side",
    "odd",
    "place",
    "note",
    "status",
    "reason",
)

_REMOVALS = 3
"""Number of removed records at the top."""

_BYTE_ORDER_MARK = "\ufeff"
"""Spreadsheets read UTF-8 only after this mark."""


def as_csv(result: RunResult) -> str:
    """Return the changes as CSV in UTF-8, with no cell that a spreadsheet runs as a formula."""
    text = io.StringIO()
    table = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
    table.writeheader()
    for row in (*_in_order(for_people(result, "")), *_of_tables(result)):
        table.writerow({name: escaped(clean(_cell(row.get(name)))) for name in _COLUMNS})
    return _BYTE_ORDER_MARK + text.getvalue()


def _in_order(result: RunResult) -> list[Row]:
    """Return the rows. The first rows are examples: everything odd, some removals, and an update of each field."""
    removals = {id(change) for change in first_removals(result.changes)[:_REMOVALS]}
    ranked: list[tuple[int, Row]] = []
    seen: set[tuple[Any, ...]] = set()
    for number, change in enumerate(result.changes):
        shown = {**change, "note": mark(change) or action_words(change["action"], True)} if result.is_drift else change
        for row in _rows(shown, number, result.odd):
            kind = tuple(row.get(name) for name in ("section", "action", "field", "odd"))
            rank = 1 if id(change) in removals else 2 if kind not in seen and change["action"] == UPDATE else 3
            ranked.append((0 if row.get("odd") and kind not in seen else rank, row))
            seen.add(kind)
    return [row for _rank, row in sorted(ranked, key=itemgetter(0))]


def _of_tables(result: RunResult) -> Iterator[Row]:
    """Yield the rows of tables that are not used as they were written, and the records that left a table."""
    for reasons in result.tables.values():
        for reason, found in reasons.items():
            for row in found:
                for name in ("scan_code", "value"):
                    if row[name] is not None or name == "scan_code":
                        yield {**row, "action": reason, "reason": row["why"], "field": name, "before": row[name]}


def _rows(change: Change, number: int, odd: Mapping[tuple[int, str], Sequence[str]]) -> Iterator[Row]:
    """Yield a row for each field of a change.

    :param number: of the change. :param odd: number and field to what is odd about the value.
    """
    before, after, sides = change["before"], change["after"], change.get("sides", {})
    for key in keys_of(change):
        values = {
            "before": before.get(key),
            "after": after.get(key),
            "side": sides.get(key, ""),
            "odd": "; ".join(odd.get((number, key), ())),
        }
        yield {**change, "field": field_name(change, key), **values}
    for name, text in removal_texts(change.get("removed", {})):
        yield {**change, "field": name, "before": text, "after": ""}
    if not keys_of(change):
        yield {**change, "before": "", "after": ""}


def _cell(value: Any) -> str:
    return "" if value is None else said(value)
