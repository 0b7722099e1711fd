# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The changes of a plan or an apply as a table for spreadsheets, with a row for each field of each change."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...module_utils.plan.change import UPDATE
from ...module_utils.printing.cleaner import clean
from ..desired.sources.formulas import escaped
from .changes import Change, field_name, keys_of, mark, said
from .removals import removal_texts
from .result import RunResult, for_people
from .view import first_removals
from .words import action_words

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

_ACTION, _FIELD, _ODD = (_COLUMNS.index(name) for name in ("action", "field", "odd"))

_REMOVALS = 3
"""Number of removed records at the top."""

_BYTE_ORDER_MARK = "\ufeff"
"""Spreadsheets read UTF-8 only after this mark."""


def as_csv(result: RunResult) -> str:
    """Return the changes as CSV in UTF-8, with no cell that a spreadsheet runs as a formula."""
    result = for_people(result, "")
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(_COLUMNS)
    rows.writerows([escaped(clean(cell)) for cell in row] for row in _in_order(result))
    return _BYTE_ORDER_MARK + text.getvalue()


def _in_order(result: RunResult) -> Iterator[list[str]]:
    """Yield the rows. The first rows are examples: everything odd, some removals, and an update of each field."""
    removals = {id(change) for change in first_removals(result.changes)[:_REMOVALS]}
    odd: list[list[str]] = []
    removed: list[list[str]] = []
    updates: list[list[str]] = []
    rest: list[list[str]] = []
    seen: set[tuple[str, ...]] = set()
    for number, change in enumerate(result.changes):
        shown = {**change, "note": mark(change) or action_words(change["action"], True)} if result.is_drift else change
        for row in _rows(shown, partial(_odd, result.odd, number)):
            kind = (row[0], row[_ACTION], row[_FIELD], row[_ODD])
            is_new = kind not in seen
            seen.add(kind)
            if row[_ODD] and is_new:
                odd.append(row)
            elif id(change) in removals:
                removed.append(row)
            else:
                (updates if is_new and change["action"] == UPDATE else rest).append(row)
    yield from (*odd, *removed, *updates, *rest)
    for reasons in result.tables.values():
        for reason, found in reasons.items():
            for noted in found:
                yield from _of_table(reason, noted)


def _of_table(reason: str, row: Mapping[str, Any]) -> Iterator[list[str]]:
    """Yield the rows about a row of a table that is not used as it was written, or a record that left a table."""
    cells = {**dict.fromkeys(_COLUMNS, ""), **row, "action": reason, "reason": row["why"]}
    for name in ("scan_code", "value"):
        if row[name] is not None or name == "scan_code":
            fact = {**cells, "field": name, "before": _cell(row[name])}
            yield [str(fact[column]) for column in _COLUMNS]


def _odd(odd: Mapping[tuple[int, str], Sequence[str]], number: int, key: str) -> str:
    return "; ".join(odd.get((number, key), ()))


def _rows(change: Change, odd: Callable[[str], str]) -> Iterator[list[str]]:
    """Yield a row for each field of a change.

    :param odd: returns what is odd about the value of a field.
    """
    head = [change["section"], change["action"], change["key"], change.get("name", "")]
    last = [str(change.get(name, "")) for name in ("place", "note", "status", "reason")]
    before, after = change["before"], change["after"]
    for key in keys_of(change):
        values = [_cell(before.get(key)), _cell(after.get(key)), change.get("sides", {}).get(key, "")]
        yield [*head, field_name(change, key), *values, odd(key), *last]
    for name, text in removal_texts(change.get("removed", {})):
        yield [*head, name, text, "", "", "", *last]
    if not keys_of(change):
        yield [*head, "", "", "", "", "", *last]


def _cell(value: Any) -> str:
    return "" if value is None else said(value)
