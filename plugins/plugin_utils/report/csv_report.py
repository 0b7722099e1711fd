# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The changes of a plan or an apply as a table for spreadsheets, with a row for each field of each change."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

from ...module_utils.printing.cleaner import clean
from ..desired.sources.formulas import escaped
from .changes import ACTION_ORDER, Change, field_name, keys_of, remark
from .removals import removal_texts
from .result import RunResult, for_people

Row = Mapping[str, Any]

_COLUMNS = (
    *("section", "action", "key", "name", "field", "before", "after"),
    *("side", "odd", "place", "note", "status", "reason"),
)

#: Spreadsheets read UTF-8 only after this mark.
_BYTE_ORDER_MARK = "\ufeff"


def as_csv(result: RunResult) -> str:
    """Return the changes as CSV in UTF-8: what is odd first, then removals. No spreadsheet runs a cell as a formula."""
    shown = for_people(result, "")
    rows = [row for number, change in enumerate(shown.changes) for row in _rows(change, number, shown)]
    rows.sort(key=lambda row: (not row.get("odd"), ACTION_ORDER.index(row["action"])))
    text = io.StringIO()
    table = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
    table.writeheader()
    for row in (*rows, *_of_tables(result)):
        table.writerow({name: escaped(clean(_cell(row.get(name)))) for name in _COLUMNS})
    return _BYTE_ORDER_MARK + text.getvalue()


def _of_tables(result: RunResult) -> Iterator[Row]:
    """Yield the rows of tables that are not used as they were written, and the records that left a table."""
    for reasons in result.tables.values():
        for reason, found in reasons.items():
            for row in found:
                for name in ("scan_code", "value"):
                    if row[name] is not None or name == "scan_code":
                        yield {**row, "action": reason, "reason": row["why"], "field": name, "before": row[name]}


def _rows(change: Change, number: int, result: RunResult) -> Iterator[Row]:
    """Yield a row for each field of a change, and for what is removed with its record.

    :param number: of the change.
    """
    before, after, sides = change["before"], change["after"], change.get("sides", {})
    row = {**change, "before": "", "after": "", "side": "", "odd": ""}
    if result.is_drift:
        row["note"] = remark(change, is_drift=True)
    for key in keys_of(change):
        odd = "; ".join(result.odd.get((number, key), ()))
        values = {"before": before.get(key), "after": after.get(key), "side": sides.get(key, ""), "odd": odd}
        place = str(result.places.get((number, key), row["place"]))
        yield {**row, "field": field_name(change, key), "place": place, **values}
    for name, text in removal_texts(change.get("removed", {})):
        yield {**row, "field": name, "before": text}
    if not keys_of(change):
        yield row


def _cell(value: Any) -> str:
    """Return a text without quotes, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, default=str)
