# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stocktake as a table: CSV, and a workbook.

In the columns ``code`` and ``accept`` a person marks the accepted deviations.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...module_utils.errors import InvalidInput
from ...module_utils.printing.cleaner import clean
from ..desired.sources.formulas import escaped
from ..desired.sources.xlsx_source import MAX_CELL, openpyxl_library
from ..export.workbook import text_cell
from ..export.writing import csv_row
from ..report.parts import short
from .status import STATUSES
from .tables import ACCEPT, CODE

_MOST_ROWS = 1_048_575


def _columns(document: Mapping[str, Any]) -> list[str]:
    money = dict.fromkeys(key for item in document["objects"] for key in item["amounts"])
    fixed = (CODE, ACCEPT, "status", "name", "target_room", "actual_room", "scanned", "time", "service_status")
    return [*fixed, "unlabelled", "reasons", *money]


def _rows(document: Mapping[str, Any], columns: Sequence[str]) -> Iterator[list[str]]:
    for item in document["objects"]:
        cells = {
            **item,
            **item["amounts"],
            CODE: item["scan_code"],
            ACCEPT: "",
            "unlabelled": "x" if item["unlabelled"] else "",
            "reasons": ", ".join(item["reasons"]),
        }
        yield [clean(cells.get(name) or "") for name in columns]


def as_csv(document: Mapping[str, Any]) -> bytes:
    """Return a row for each object, in UTF-8. No spreadsheet runs a cell as a formula."""
    columns = _columns(document)
    rows = [columns, *_rows(document, columns)]
    return "".join(csv_row(row, escaped) for row in rows).encode()


def as_workbook(document: Mapping[str, Any]) -> bytes:
    """Return a workbook: the objects, then the places. Every cell is a text, so that no code loses a zero.

    :raises InvalidInput: if openpyxl is not installed, or a sheet has too few rows.
    """
    if len(document["objects"]) > _MOST_ROWS:
        raise InvalidInput(
            f"report: a workbook can contain at most {_MOST_ROWS:,} objects; write a report that ends in .csv"
        )
    library = openpyxl_library()
    book = library.Workbook(write_only=True)
    columns = _columns(document)
    _fill(library, book.create_sheet("objects"), columns, _rows(document, columns))
    places = document["by_place"]
    money = list(dict.fromkeys(key for place in places for key in place["amounts"]))
    columns = ["location", "room", *STATUSES, "visitors", *money]
    lines = [
        [
            clean("" if value is None else str(value))
            for value in ({**place, **place["amounts"]}.get(name) for name in columns)
        ]
        for place in places
    ]
    _fill(library, book.create_sheet("# places"), columns, lines)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def _fill(library: Any, sheet: Any, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    sheet.freeze_panes = "A2"
    sheet.append([text_cell(library, sheet, name, bold=True) for name in columns])
    for row in rows:
        sheet.append([text_cell(library, sheet, short(text, MAX_CELL)) if text else None for text in row])
