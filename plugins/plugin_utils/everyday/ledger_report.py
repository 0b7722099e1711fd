# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reports of a comparison with the ledger. The suffix of a file decides its format."""

from __future__ import annotations

import functools
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jinja2 import Template

from ...module_utils.printing.cleaner import clean
from ..desired.sources.formulas import escaped
from ..desired.sources.xlsx_source import MAX_CELL, openpyxl_library
from ..export.workbook import text_cell
from ..export.writing import csv_row
from ..report.parts import short
from .paper import paper
from .report_files import Form, as_json

_COLUMNS = ("finding", "key", "scan_code", "name", "field", "books", "instance", "place")

_MOST_ROWS = 5000
"""Maximum rows of a page. Browsers can't print a longer page."""

_LISTS = (
    ("In the books, and not found", "not_found", {"Key": "key", "Row": "place"}),
    ("Found, and not in the books", "not_in_books", {"Key": "key", "Code": "scan_code", "Name": "name"}),
    (
        "Different values",
        "differences",
        {
            "Key": "key",
            "Code": "scan_code",
            "Name": "name",
            "Field": "label",
            "Books": "books",
            "Instance": "instance",
            "Row": "place",
        },
    ),
    ("Doubtful", "doubtful", {"Key": "key", "Row": "place", "Reason": "reason"}),
)
"""The title of a list, its member of the result, and its columns."""


def _rows(document: Mapping[str, Any]) -> Iterator[list[str]]:
    """Yield a row for each finding."""
    for _title, member, _columns in _LISTS:
        for finding in document[member]:
            cells = {**finding, "finding": member, "instance": finding.get("instance") or finding.get("reason")}
            yield [clean(str(cells.get(name) or "")) for name in _COLUMNS]


def _as_csv(document: Mapping[str, Any]) -> bytes:
    return "".join(csv_row(row, escaped) for row in ([*_COLUMNS], *_rows(document))).encode()


def _as_workbook(document: Mapping[str, Any]) -> bytes:
    library = openpyxl_library()
    book = library.Workbook(write_only=True)
    sheet = book.create_sheet("ledger")
    sheet.freeze_panes = "A2"
    sheet.append([text_cell(library, sheet, name, bold=True) for name in _COLUMNS])
    for row in _rows(document):
        sheet.append([text_cell(library, sheet, short(text, MAX_CELL)) if text else None for text in row])
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


@functools.cache
def _template() -> Template:
    return paper(Path(__file__).with_name("ledger.html.j2"))


def _as_html(document: Mapping[str, Any]) -> bytes:
    room, lists = _MOST_ROWS, []
    for title, member, columns in _LISTS:
        found = document[member]
        rows = [[finding[name] for name in columns.values()] for finding in found[:room]]
        room -= len(rows)
        if found:
            lists.append({"title": title, "heads": list(columns), "rows": rows, "number": len(found)})
    shown = {name: document[name] for name in ("instance", "file", "date", "sees", "counts")}
    return _template().render(lists=lists, **shown).encode()


FORMS: dict[str, Form] = {
    ".csv": _as_csv,
    ".html": _as_html,
    ".json": as_json,
    ".xlsx": _as_workbook,
}
"""The suffix of a report to the function that writes it."""
