# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the result of a module as reports. The suffix of a file decides its format."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...module_utils.errors import InvalidInput
from ...module_utils.printing.cleaner import clean
from ..desired.sources.formulas import escaped
from ..desired.sources.xlsx_source import MAX_CELL, openpyxl_library
from ..export.workbook import text_cell
from ..export.writing import csv_row
from ..report.text_report import check_report_path, store_report
from ..report.words import short

_MOST_ROWS = 1_048_576
"""Maximum number of rows of a sheet of a workbook."""

Form = Callable[[Mapping[str, Any]], bytes]
"""Writes a result in one format."""


def as_json(document: Mapping[str, Any]) -> bytes:
    """Return a result as JSON."""
    lines = json.dumps(document, indent=1, ensure_ascii=False).split("\n")
    return "".join(f"{clean(line)}\n" for line in lines).encode()


def as_csv(rows: Iterable[Sequence[str]]) -> bytes:
    """Return a table in UTF-8. No spreadsheet runs a cell as a formula.

    :param rows: the first has the titles of the columns.
    """
    return "".join(csv_row(row, escaped) for row in rows).encode()


def as_workbook(sheets: Mapping[str, Iterable[Sequence[str]]]) -> bytes:
    """Return a workbook. Every cell is a text, so that no code loses a zero.

    :param sheets: title to rows, of which the first has the titles of the columns.
    :raises InvalidInput: if openpyxl is not installed, or a sheet has too few rows.
    """
    library = openpyxl_library()
    book = library.Workbook(write_only=True)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        sheet.freeze_panes = "A2"
        for number, row in enumerate(rows):
            if number >= _MOST_ROWS:
                raise InvalidInput(
                    f"report: a workbook can contain at most {_MOST_ROWS - 1:,} {title}; write a report that ends in "
                    f".csv"
                )
            cells = [
                text_cell(library, sheet, short(text, MAX_CELL), bold=not number) if text else None for text in row
            ]
            sheet.append(cells)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def paths_of(written: Iterable[str], forms: Mapping[str, Form]) -> list[Path]:
    """Return the paths of reports, checked before anything is read.

    :param forms: by the suffix of a file.
    :raises InvalidInput: for an unknown suffix, and if a file can't be written there.
    """
    paths = [Path(path).expanduser() for path in written]
    for path in paths:
        check_report_path(path, forms)
    return paths


def write_reports(document: Mapping[str, Any], paths: Iterable[Path], forms: Mapping[str, Form]) -> None:
    """Write a result to files that only their owner can read. Write none if one of them can't have it."""
    contents = [(path, forms[path.suffix](document)) for path in paths]
    for path, content in contents:
        store_report(path, content)
