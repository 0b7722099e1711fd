# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read workbooks (``.xlsx``) into plain values with their cells as places."""

from __future__ import annotations

import datetime as dt
import io
import re
import sys
import warnings
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from ....module_utils.errors import InvalidInput
from ....module_utils.model.field import MOST_CHARACTERS, BrokenCell, TypedCell
from ....module_utils.model.schema import Misfit
from ....module_utils.printing.cleaner import amount
from ..desired import BY_TEMPLATE, SECTIONS
from ..dialect import Dialect
from ..nodes import TOO_LONG, Node, place_at
from ..positions import Finding, Place, SheetSource
from ..words import COMMENT, folded
from .rows import Table

MAX_UNPACKED = 256 << 20
#: Maximum characters of a cell in Excel.
MAX_CELL = 32_767
#: Maximum rows of a sheet in Excel.
MAX_ROWS = 1_048_576

#: The format of a cell whose number is shown as a text.
TEXT_FORMAT = "@"

#: A character that XML can't have, or the underscore before what looks like one.
#:
#: LibreOffice writes other such texts unescaped.
_ESCAPE = re.compile("_x(005F|00[01][0-9A-F]|D[89A-F][0-9A-F]{2}|FFF[EF])_", re.IGNORECASE)

CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
#: Excel keeps 15 digits of a number.
DIGITS = ".15g"

_NO_TEXT = (
    "text; the cell contains a number, a date, or true or false: leading zeros are lost, and a long number becomes "
    "4.01E+12. Format the column as text, and type it again; or name the column in text_columns if no digit is missing"
)
SHEET_SECTIONS = tuple(section for section in SECTIONS if section not in BY_TEMPLATE)
_UNSTORED = "this formula has no stored value; open the workbook in a spreadsheet program and save it"
_CONTROL = "this cell contains a character that XML does not allow; remove it"


#: The cells of a row with content by the number of their column: texts, :class:`TypedCell`, or :class:`BrokenCell`.
Cells = dict[int, str]


class _Refused(Exception):
    """Raised if a workbook is not read; the message says why."""


class _Broken(Exception):
    """Raised if the library cannot read a workbook. The message comes from the library."""


@dataclass(frozen=True)
class Sheets:
    """Decide which sheets of a workbook list records, and of which section.

    :ivar named: name of a sheet to its section; an empty section is that of the file. Without any name, sheets are
        named like sections.
    :ivar section: of the file, empty if it has none. Its only sheet needs no name.
    """

    named: Mapping[str, str] = field(default_factory=dict)
    section: str = ""

    def sections(self, titles: Sequence[str]) -> dict[str, str]:
        """Return the section of each sheet that lists records."""
        if self.named:
            found = {title: self.named.get(folded(title)) for title in titles}
            return {title: section or self.section for title, section in found.items() if section is not None}
        tables = [title for title in titles if not title.strip().startswith(COMMENT)]
        known = {title: section for title in tables if (section := title.strip().casefold()) in SHEET_SECTIONS}
        return dict.fromkeys(tables, self.section) if self.section and len(tables) == 1 and not known else known


class _Sheet(Table):
    """A sheet with the records of a section."""

    def rows(self, rows: Iterable[tuple[int, Cells]]) -> Iterator[tuple[int, list[str]]]:
        """Yield rows as lists of their cells, at least as many as there are names."""
        for number, cells in rows:
            width = max(*cells, len(self.header))
            yield number, [cells.get(column, "") for column in range(1, width + 1)]

    def cells(self, line: int, row: list[str]) -> list[str]:
        read = self.columns.values() if self.header_line else range(len(row))
        found = [self._text(line, column, cell) if column in read else cell for column, cell in enumerate(row)]
        return found if any(found) else []

    def _text(self, line: int, column: int, value: str) -> str:
        """Return a cell as it is read."""
        if isinstance(value, BrokenCell) and value not in self.dialect.null_words:
            self.misread.add(line)
            self.find(line, column, value.why)
            return ""
        return value if isinstance(value, TypedCell) else value.strip() if self.dialect.trim else str(value)

    def check_merged(self, ranges: Iterable[Any], lines: Collection[int]) -> None:
        """Note a finding for merged cells that leave cells of records empty.

        :param lines: of the records.
        """
        for merged in ranges:
            rows = set(range(merged.min_row, merged.max_row + 1)).intersection(lines)
            names = {at: name for name, at in self.columns.items() if merged.min_col <= at + 1 <= merged.max_col}
            if rows and names and (merged.min_row < merged.max_row or names.keys() != {merged.min_col - 1}):
                self.misread |= rows
                why = "merged cells have a value in the first one only; unmerge them, and write the value into each row"
                place = place_at(self.source, self.mark(merged.min_row, merged.min_col - 1))
                words, misfit = f"{merged.coord}: {why}", Misfit(merged.coord, why)
                self._findings.append(Finding(place, words, why, next(iter(names.values())), misfit))


@dataclass
class Workbook:
    """The records of a workbook: each sheet named like a section lists some.

    :ivar name: of the file, as places name it.
    :ivar findings: collects what is wrong.
    :ivar sheets: which sheets list records.
    :ivar warnings: collects warnings.
    :ivar keys: returns the columns that identify the records of a section.
    :ivar ignored: names of sheets that are not sections.
    """

    name: str
    content: bytes
    dialect: Dialect
    findings: list[Finding]
    sheets: Sheets
    warnings: list[str]
    keys: Callable[[str], frozenset[str]]
    ignored: list[str] = field(default_factory=list)

    def sections(self) -> Iterator[tuple[str, SheetSource, list[Node]]]:
        """Read each sheet with records: its section, its name in places, and the records."""
        try:
            yield from self._sections(_opened(self.content))
        except (_Refused, InvalidInput) as refused:
            self.findings.append(Finding.plain(Place(self.name), str(refused)))
        except _Broken as broken:
            words = f"this workbook can't be read ({broken}); save it as .xlsx again"
            self.findings.append(Finding(Place(self.name), words))

    def _sections(self, book: Any) -> Iterator[tuple[str, SheetSource, list[Node]]]:
        titles = [sheet.title for sheet in book.worksheets]
        sections = self.sheets.sections(titles)
        read: set[str] = set()
        for sheet in book.worksheets:
            section = sections.get(sheet.title, "")
            if section in read and not self.sheets.named:
                raise _Refused(f"expected one sheet for a section, {sheet.title!r} is the second for {section}")
            if section:
                read.add(section)
                source = SheetSource.for_sheet(self.name, sheet.title)
                yield section, source, self._nodes(sheet, source, replace(self.dialect, keys=self.keys(section)))
            elif not sheet.title.strip().startswith(COMMENT) and not self.sheets.named:
                self.ignored.append(sheet.title)
        missing = [name for name in self.sheets.named if name not in map(folded, titles)]
        if missing:
            words = f"there is no sheet {', '.join(map(repr, missing))}; the sheets are {', '.join(map(repr, titles))}"
            self.findings.append(Finding(Place(self.name), words))
        elif not read:
            found = ", ".join(map(repr, self.ignored)) or "none (a chart has no cells)"
            self.ignored = []
            words = f"expected sheets named after sections: {', '.join(SHEET_SECTIONS)}; these are {found}"
            words += "; rename one, or name it in sheets of the entry of tables for this file"
            self.findings.append(Finding(Place(self.name), words))

    def _nodes(self, sheet: Any, source: SheetSource, dialect: Dialect) -> list[Node]:
        """Read a sheet, and warn of what its readers may not see."""
        reader, rows = _Sheet(source, dialect, self.findings), _Rows(sheet)
        nodes = list(reader.records(reader.rows(rows)))
        reader.check_merged(rows.merged, [node.place.line for node in nodes if node.value])
        if nodes and sheet.sheet_state != "visible":
            self.warnings.append(f"{source}: this hidden sheet is read; show it, or remove it")
        hidden = [node.place for node in nodes if node.value and node.place.line in rows.hidden]
        if hidden:
            number = amount(len(hidden), "hidden row is read", "hidden rows are read")
            words = f"{hidden[0]}: {number}; a filter of a spreadsheet hides rows but does not remove them"
            self.warnings.append(words)
        return nodes


# ---- the library


@contextmanager
def _library() -> Iterator[None]:
    """Run code of the library. Its warnings are about styles and extensions, which are not read.

    :raises _Broken: if it can't read the workbook.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (_Refused, _Broken, InvalidInput):
        raise
    except Exception as error:
        # For a broken file, the library raises any kind of error.
        raise _Broken(f"{type(error).__name__}: {error}") from error


def _opened(content: bytes) -> Any:
    """Return a workbook of the library. Sheets that are charts stay empty: the library can't read all of them.

    :raises _Refused: if it is not a workbook, or has too much. :raises _Broken: if the library can't read it.
    :raises InvalidInput: if the library is not installed.
    """
    with _library():
        openpyxl_library()
        _check(content)
        from openpyxl.chartsheet import Chartsheet
        from openpyxl.reader.excel import ExcelReader

        reader: Any = ExcelReader(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)

        def skip(sheet: Any, _relation: Any) -> None:
            reader.wb._add_sheet(Chartsheet(parent=reader.wb, title=sheet.name))

        reader.read_chartsheet = skip
        reader.read()
        return reader.wb


class _Rows:
    """The rows of a sheet with content.

    :ivar hidden: the numbers of hidden rows. :ivar merged: the ranges of merged cells. Both are known after reading.
    """

    def __init__(self, sheet: Any) -> None:
        self._sheet = sheet
        self.hidden: set[int] = set()
        self.merged: list[Any] = []

    def __iter__(self) -> Iterator[tuple[int, Cells]]:
        """Yield the number and the cells of each row.

        :raises _Refused: if there are too many rows, or in another order. :raises _Broken: if the library fails.
        """
        from openpyxl.cell.read_only import ReadOnlyCell

        last = 0
        with _library(), self._sheet._get_source() as stream:
            parser = _parser(self._sheet, stream)
            for number, row in parser.parse():
                if number > MAX_ROWS:
                    raise _Refused(f"expected at most {MAX_ROWS:,} rows, the sheet {self._sheet.title!r} has more")
                if number <= last:
                    words = "has rows out of order or repeated; save it as .xlsx again"
                    raise _Refused(f"the sheet {self._sheet.title!r} {words}")
                last = number
                values = {cell["column"]: _value(ReadOnlyCell(self._sheet, **cell)) for cell in row}
                if cells := {column: text for column, text in values.items() if text or isinstance(text, BrokenCell)}:
                    yield number, cells
            self.hidden = {
                int(row) for row, shown in parser.row_dimensions.items() if shown.get("hidden") in ("1", "true")
            }
            self.merged = parser.merged_cells.mergeCell if parser.merged_cells else []


def _parser(sheet: Any, stream: Any) -> Any:
    """Return the parser of the library for a sheet. It reads formulas without a stored value as such.

    The iterator of the library knows neither these nor hidden rows and merged cells.
    """
    from openpyxl.worksheet._reader import FORMULA_TAG, WorkSheetParser

    book = sheet.parent
    parser: Any = WorkSheetParser(
        stream, sheet._shared_strings, True, book.epoch, book._date_formats, book._timedelta_formats
    )
    parse = parser.parse_cell

    def parse_cell(element: Any) -> Any:
        cell = parse(element)
        # The result of a formula may be an empty text.
        is_unstored = cell["value"] is None and cell["data_type"] != "str" and element.find(FORMULA_TAG) is not None
        return {**cell, "data_type": "f"} if is_unstored else cell

    parser.parse_cell = parse_cell
    return parser


def _value(cell: Any) -> str:
    """Return the text of a cell, with its type if it is not a text."""
    value = cell.value
    if cell.data_type == "f":
        return BrokenCell.from_text("", _UNSTORED)
    if value is None:
        return ""
    if cell.data_type == "e":
        return BrokenCell.from_text(str(value), f"this cell contains the error {value}; correct or empty it")
    if isinstance(value, bool):
        return TypedCell.from_spelling(str(value).lower(), _NO_TEXT, "")
    if isinstance(value, (int, float)):
        digits = _digits(value)
        shown = shown_digits(digits, cell.number_format or "")
        return digits if cell.number_format == TEXT_FORMAT else TypedCell.from_spelling(digits, _NO_TEXT, shown)
    if isinstance(value, (dt.date, dt.time, dt.timedelta)):
        return TypedCell.from_spelling(_moment(value), _NO_TEXT, "")
    text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), str(value))
    if len(text) > MOST_CHARACTERS:
        return BrokenCell.from_text("", TOO_LONG)
    return BrokenCell.from_text("", _CONTROL) if CONTROL.search(text) else text


#: The parts of a format that shows each digit in its own position: texts, zeros, and marks between them.
_PLACEHOLDERS = re.compile(r'"([^"]*)"|\\(.)|(0)|([-/ ])')
_ZEROS = re.compile(rf"(?:{_PLACEHOLDERS.pattern})+")


def shown_digits(digits: str, number_format: str) -> str:
    """Return the text that a format such as ``0000000`` or ``"IMP-"000000`` shows for a number.

    Return an empty text for any other format.
    """
    if not digits.isdecimal() or "00" not in number_format or not _ZEROS.fullmatch(number_format):
        return ""
    parts = _PLACEHOLDERS.findall(number_format)
    number = sum(bool(zero) for _text, _escaped, zero, _mark in parts)
    padded = digits.zfill(number)
    first = len(padded) - number + 1
    shown = iter((padded[:first], *padded[first:]))
    return "".join(next(shown) if zero else text or escaped or mark for text, escaped, zero, mark in parts)


def parts_of_sheets(content: bytes) -> tuple[dict[str, str], dt.date]:
    """Return the part of each sheet in a workbook by the title of the sheet, and the day from which its dates count."""
    book = _opened(content)
    return {sheet.title: sheet._worksheet_path for sheet in book.worksheets}, book.epoch.date()


def _digits(number: float) -> str:
    """Return a number as a person writes it, with the digits that a spreadsheet stores."""
    return str(number) if isinstance(number, int) else format(Decimal(format(number, DIGITS)), "f")


def _moment(value: dt.date | dt.time | dt.timedelta) -> str:
    if isinstance(value, dt.datetime):
        # The library removes the noise of a fraction of a day. Seconds must not change the day.
        is_up = value.microsecond >= 500_000 and value.time() < dt.time(23, 59, 59)
        rounded = value.replace(microsecond=0) + dt.timedelta(seconds=is_up)
        return rounded.date().isoformat() if rounded.time() == dt.time() else rounded.isoformat(" ")
    return value.isoformat() if isinstance(value, (dt.date, dt.time)) else str(value)


# ---- files


def openpyxl_library() -> Any:
    """Return the library that reads and writes workbooks.

    :raises InvalidInput: if it is not installed.
    """
    try:
        import openpyxl
        import openpyxl.cell
        import openpyxl.styles
        import openpyxl.worksheet.datavalidation
    except ImportError as missing:
        raise InvalidInput(
            f"workbooks need openpyxl, which is not installed here; run: {sys.executable} -m pip install openpyxl"
        ) from missing
    return openpyxl


def _check(content: bytes) -> None:
    """Refuse what is not a workbook, or unpacks to too much.

    :raises _Refused: with the reason.
    """
    if not zipfile.is_zipfile(io.BytesIO(content)):
        raise _Refused(
            "this is not a workbook (.xlsx), or only a part of one that was saved or copied in part; save it as .xlsx, "
            "without a password"
        )
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        size = sum(part.file_size for part in packed.infolist())
        if size > MAX_UNPACKED:
            words = f"expected a workbook of at most {MAX_UNPACKED >> 20} MiB unpacked, this one has {size >> 20}"
            raise _Refused(words)
        if _BOOK in packed.namelist() and _STRICT in packed.read(_BOOK):
            raise _Refused("this is a 'Strict Open XML Spreadsheet'; save it as the plain 'Excel Workbook' (.xlsx)")


_BOOK = "xl/workbook.xml"
#: The names of the strict form of workbooks, in which the library would find no rows.
_STRICT = b"http://purl.oclc.org/ooxml/"
