# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a paper as CSV, as a workbook, as a page that prints on A4, or as JSON. The suffix of a file decides."""

from __future__ import annotations

import datetime as dt
import functools
import io
import json
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

from jinja2 import Template

from ...module_utils.errors import InvalidInput
from ...module_utils.printing.cleaner import clean
from ..desired.sources.xlsx_source import MAX_CELL, openpyxl_library
from ..export.workbook import MONEY_FORMAT, text_cell
from ..export.writing import csv_row
from ..report.html_report import page_template
from ..report.text_report import check_report_path, store_report
from ..report.words import short
from .catalogue import ENGLISH, Catalogue
from .table import Cell, Paper, Row, Table

#: Maximum number of rows of a sheet of a workbook.
_MOST_ROWS = 1_048_576

#: Maximum length of a word that does not break inside.
_LONGEST_WORD = 30

#: The same on paper, where nobody can scroll to a column that does not fit.
_LONGEST_PRINTED = 20

#: Maximum number of digits before the point of a number in a workbook. A longer number is written as text.
_MOST_DIGITS = 13


def paths_of(written: Iterable[str], option: str = "report") -> list[Path]:
    """Return the paths of papers, checked before anything is read.

    :param option: the option that names them.
    :raises InvalidInput: for an unknown suffix, if a file can't be written there, or if openpyxl is missing.
    """
    paths = [Path(path).expanduser() for path in written]
    for path in paths:
        check_report_path(path, FORMS, option)
    if any(path.suffix == ".xlsx" for path in paths):
        openpyxl_library()
    return paths


def write_paper(paper: Paper, paths: Iterable[Path], catalogue: Catalogue) -> None:
    """Write a paper to files that only their owner can read, or to none if one format fails."""
    contents = [(path, FORMS[path.suffix](paper, catalogue)) for path in paths]
    for path, content in contents:
        store_report(path, content)


def _as_json(paper: Paper, _catalogue: Catalogue) -> bytes:
    lines = json.dumps(paper.document, indent=1, ensure_ascii=False).split("\n")
    return "".join(f"{clean(line)}\n" for line in lines).encode()


# ---- tables


def _as_csv(paper: Paper, _catalogue: Catalogue) -> bytes:
    """Return the first table in UTF-8. No spreadsheet runs a cell as a formula."""
    table = next(iter(paper.sheets.values()))
    keys = [column.key for column in table.columns]
    rows = ([clean(_plain(row.get(key))) for key in keys] for row in table.rows)
    return "".join(csv_row(row) for row in (keys, *rows)).encode()


def _plain(cell: Cell) -> str:
    if isinstance(cell, tuple):
        return ", ".join(cell)
    return cell.isoformat() if isinstance(cell, dt.date) else "" if cell is None else str(cell)


def _as_workbook(paper: Paper, catalogue: Catalogue) -> bytes:
    """Return a workbook. Amounts are numbers. Everything else is text, so that no code loses a zero.

    The keys of CSV are English, so a workbook in English has the same words.

    :raises InvalidInput: if a sheet has too few rows.
    """
    library = openpyxl_library()
    book = library.Workbook(write_only=True)
    is_plain = catalogue.language == ENGLISH
    shown = _plain if is_plain else catalogue.shown
    for title, table in paper.sheets.items():
        sheet = book.create_sheet(title if is_plain else catalogue.texts[title])
        sheet.freeze_panes = "A2"
        if len(table.rows) >= _MOST_ROWS:
            words = f"report: a workbook can contain at most {_MOST_ROWS - 1:,} {title}"
            raise InvalidInput(f"{words}; write a report that ends in .csv")
        heads = [column.key if is_plain else catalogue.title(column) for column in table.columns]
        sheet.append([text_cell(library, sheet, head, bold=True) for head in heads])
        for row in table.rows:
            cells = [row.get(column.key) for column in table.columns]
            sheet.append([_workbook_cell(library, sheet, cell, shown) for cell in cells])
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def _workbook_cell(library: Any, sheet: Any, cell: Cell, shown: Callable[[Cell], str]) -> Any:
    if isinstance(cell, (int, Decimal)) and Decimal(cell).adjusted() < _MOST_DIGITS:
        number = library.cell.WriteOnlyCell(sheet, value=cell)
        number.number_format = MONEY_FORMAT if isinstance(cell, Decimal) else "0"
        return number
    text = clean(shown(cell))
    return text_cell(library, sheet, short(text, MAX_CELL)) if text else None


# ---- the page


@functools.cache
def _template(language: str) -> Template:
    here = Path(__file__).parent
    return page_template((here / "page.css").read_text("utf-8"), here / "page.html.j2", language)


def _as_page(paper: Paper, catalogue: Catalogue) -> bytes:
    """Return a page that prints on A4, with lines for signatures. Everything in it is escaped."""
    text = _template(catalogue.language).render(
        title=catalogue.texts[paper.title],
        subject=paper.subject,
        about=[catalogue.shown(cell) for cell in paper.about],
        lines=[(catalogue.texts.get(key, ""), text) for key, text in paper.lines],
        tables=[_shown_table(table, catalogue) for table in paper.tables if table.rows or table.if_empty],
        signatures=[catalogue.texts[key] for key in paper.signatures],
        sign=catalogue.texts["date_and_signature"],
    )
    return text.encode()


def _shown_table(table: Table, catalogue: Catalogue) -> dict[str, Any]:
    """Return a table as the page shows it."""
    totals = table.totals if table.is_counted else {}
    number = f" ({catalogue.shown(len(table.rows))})" if table.is_counted else ""
    return {
        "title": f"{catalogue.texts[table.title]}{number}",
        "heads": [(catalogue.title(column), column.is_number) for column in table.columns],
        "hand": catalogue.texts[table.hand] if table.hand else "",
        "rows": [
            (_shown_row(row, table, catalogue), bool(table.is_bold and not row[table.is_bold])) for row in table.rows
        ],
        "totals": _shown_row(totals, table, catalogue) if totals else (),
        "total": catalogue.texts["total"],
        "empty": catalogue.texts[table.if_empty] if not table.rows else "",
    }


def _shown_row(row: Row, table: Table, catalogue: Catalogue) -> list[tuple[str, str]]:
    """Return the cells of a row, each with its class in the style."""
    cells = [row.get(column.key) for column in table.columns]
    return [(text := catalogue.shown(cell), _form(cell, text)) for cell in cells]


def _form(cell: Cell, text: str) -> str:
    if isinstance(cell, (int, Decimal)):
        return "number"
    longest = max(map(len, text.split()), default=0)
    if longest > _LONGEST_WORD:
        return "long"
    form = "word" if isinstance(cell, dt.date) or " " not in text else ""
    return f"{form} wide".lstrip() if longest > _LONGEST_PRINTED else form


#: The suffix of a file to the function that writes it.
FORMS: dict[str, Callable[[Paper, Catalogue], bytes]] = {
    ".csv": _as_csv,
    ".html": _as_page,
    ".json": _as_json,
    ".xlsx": _as_workbook,
}
