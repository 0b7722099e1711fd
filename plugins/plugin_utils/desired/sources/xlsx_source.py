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
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import pairwise
from typing import Any, NamedTuple

from ....module_utils.errors import InvalidInput
from ....module_utils.model.field import MOST_CHARACTERS, TypedCell
from ....module_utils.model.names import normal_name
from ....module_utils.model.schema import Misfit
from ....module_utils.printing.cleaner import amount
from ..desired import SECTIONS
from ..dialect import ALL_ROWS, WEB_PAGE, Dialect
from ..nodes import JINJA, TOO_LONG, Node, jinja_in
from ..positions import CellPlace, Finding, Place, SheetSource, letters_of
from ..words import COMMENT, in_yaml
from .broken_files import why_no_record
from .csv_source import NO_RECORD, TITLED, no_header, no_name
from .rows import Row, Table

MAX_UNPACKED = 256 << 20
MAX_COLUMNS = 200
MAX_CELL = 32_767
"""Maximum characters of a cell in Excel."""
MAX_ROWS = 1_048_576
"""Maximum rows of a sheet in Excel. If a row had a higher number, the library would create all rows before it."""

TEXT_FORMAT = "@"
"""The format of a cell whose number is shown as a text."""

_PACKED = b"PK"
_OLD_OR_ENCRYPTED = b"\xd0\xcf\x11\xe0"
_ROW_NUMBER = re.compile(rb'<row\b[^>]*?\sr="(\d{1,9})"')
_HIDDEN_ROW = re.compile(rb"""<row\b[^>]*?\shidden=["'](?:1|true)["'][^>]*>""")
_ESCAPE = re.compile("_x(005F|00[01][0-9A-F]|D[89A-F][0-9A-F]{2}|FFF[EF])_", re.IGNORECASE)
"""A character that XML can't have, or the underscore before what looks like one.

LibreOffice writes other such texts unescaped.
"""

CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
DIGITS = ".15g"
"""Excel keeps 15 digits of a number."""

_NO_TEXT = {
    "number": (
        "text; the cell contains a number, because Excel turns digits into a number: leading zeros are lost, and a "
        "long one becomes 4.01E+12. Format the column as text, and type it again; or, if no digit is missing, name "
        "the column in text_columns"
    ),
    "date": "text; the cell contains a date. Format the column as text, and type it again",
    "flag": "text; the cell contains true or false. Format the column as text, and type it again",
}


_UNSTORED = "this formula has no stored value; open the workbook in a spreadsheet program and save it"
_CONTROL = "this cell contains a character that XML does not allow; remove it"


class _Unread(str):
    """The text of a cell that can't be read.

    :ivar why: what is wrong, and what to do. :ivar gist: the same without the text.
    """

    why: str
    gist: str

    @classmethod
    def because(cls, why: str, text: str = "", gist: str = "") -> _Unread:
        """Create the cell from its text."""
        found = cls(text)
        found.why, found.gist = why, gist or why
        return found


Cells = dict[int, str]
"""The cells of a row with content by the number of their column: texts, :class:`TypedCell` or :class:`_Unread`."""


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
            found = {title: self.named.get(_folded(title)) for title in titles}
            return {title: section or self.section for title, section in found.items() if section is not None}
        tables = [title for title in titles if not title.strip().startswith(COMMENT)]
        known = {title: section_of(title) for title in tables}
        if self.section and len(tables) == 1 and not any(known.values()):
            return dict.fromkeys(tables, self.section)
        return {title: section for title, section in known.items() if section}

    def missing(self, titles: Iterable[str]) -> list[str]:
        """Return the named sheets that the workbook does not have."""
        present = set(map(_folded, titles))
        return [name for name in self.named if name not in present]


def _section_of_folder(name: str) -> str:
    """Return the section in whose directory a file is, or a placeholder."""
    folders = name.split("/")[:-1]
    return next((folder for folder in reversed(folders) if folder in SECTIONS), "SECTION")


def _folded(title: str) -> str:
    return normal_name(title).strip().casefold()


class _Sheet(Table):
    """A sheet with the records of a section.

    :param merged: the ranges of merged cells, by their first cell.
    :ivar columns: name to number (from 1) of the columns that are read, in their order.
    :ivar misread: numbers of the rows with an unreadable cell.
    """

    def __init__(
        self, source: SheetSource, dialect: Dialect, findings: list[Finding], merged: Iterable[Sequence[int]]
    ) -> None:
        super().__init__(source, dialect)
        self.sheet = source
        self._findings = findings
        self._columns_read: set[int] = set()
        self._unread: set[int] = set()
        self._merged = {(first_row, first): (last_row, last) for first_row, first, last_row, last in merged}
        self._merged_to = 0

    def records(self, rows: Iterable[tuple[int, Cells]]) -> Iterator[Node]:
        """Yield the records of the rows below the first row, which names the columns."""
        skipped = self.dialect.rows
        before, last, is_read = len(self._findings), 0, False
        for number, row in rows:
            last = number
            if skipped is not ALL_ROWS and skipped.skips(number, next(iter(row.values()))):
                continue
            if why := why_no_record([*row.values()], skipped):
                self._find(number, next(iter(row)), why)
                continue
            cells = self._cells(row, number)
            if not cells:
                continue
            if not self.header_line:
                if not self._take_header(cells, number):
                    return
                continue
            if len(self._columns_read) == 1 and len(cells) > 1:
                column = min(cells.keys() - self._columns_read)
                self._find(number, column, f"{no_name(self.dialect)}; {TITLED}")
                return
            record = self._record(cells, number)
            if record:
                is_read = True
                node = Row(record, self, number)
                if any(mark in text for text in record.values() if isinstance(text, str) for mark in JINJA):
                    self._findings += jinja_in(node)
                yield node

        if last > self.header_line and not is_read and len(self._findings) == before:
            if self.header_line:
                self._find(self.header_line, 1, NO_RECORD)
            elif skipped.header:
                self._find(last, 1, no_header(self.dialect))

    def _find(self, row: int, column: int, message: str, gist: str = "") -> None:
        self._findings.append(Finding(CellPlace(self.sheet, row, column), message, gist or message))

    def _cells(self, row: Cells, number: int) -> dict[int, Any]:
        """Return the cells of a row that are read, without comments."""
        found: dict[int, Any] = {}
        for column, value in row.items():
            if (number, column) in self._merged and self.header_line:
                self._check_merged(number, column)
            if column in self._unread:
                continue
            if isinstance(value, _Unread) and value not in self.dialect.null_words:
                self.misread.add(number)
                self._find(number, column, value.why, value.gist)
                continue
            text = value if isinstance(value, TypedCell) else value.strip() if self.dialect.trim else str(value)
            if text:
                found[column] = text
        if number <= self._merged_to:
            self.misread.add(number)
        return found

    def _check_merged(self, row: int, column: int) -> None:
        """Note a finding if merged cells leave cells empty that should be read."""
        last_row, last = self._merged[row, column]
        columns = {number: name for name, number in self.columns.items() if column <= number <= last}
        if not columns or (last_row == row and columns.keys() == {column}):
            return
        self._merged_to = max(self._merged_to, last_row)
        cells = f"{letters_of(column)}{row}:{letters_of(last)}{last_row}"
        why = "merged cells have a value in the first one only; unmerge them, and write the value into each row"
        name = columns.get(column, next(iter(columns.values())))
        self._findings.append(
            Finding(CellPlace(self.sheet, row, column), f"{cells}: {why}", why, name, Misfit(cells, why))
        )

    def _take_header(self, cells: Mapping[int, Any], number: int) -> bool:
        """Read the names of the columns. Return True if all of them are valid."""
        self.header_line = number
        if len(cells) > MAX_COLUMNS:
            self._find(number, 1, f"expected at most {MAX_COLUMNS} columns, found {len(cells)}")
            return False
        fine = True
        self.dialect = self.dialect.for_columns([str(value).strip() for value in cells.values()])
        for column, value in cells.items():
            name = sys.intern(str(value).strip())
            if not name:
                continue
            self._columns_read.add(column)
            if not self.dialect.reads_column(name):
                self._unread.add(column)
                continue
            if name in self.columns:
                self._find(number, column, f"the column {name} is written twice", "this column is written twice")
                fine = False
            self.columns.setdefault(name, column)
        return fine

    def _record(self, cells: Mapping[int, Any], number: int) -> dict[str, Any]:
        for column in cells.keys() - self._columns_read if not self.dialect.ignores_nameless else ():
            self._columns_read.add(column)
            self._find(number, column, no_name(self.dialect))
        return self.values(cells.get)


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
        missing = self.sheets.missing(titles)
        if missing:
            words = f"there is no sheet {', '.join(map(repr, missing))}; the sheets are {', '.join(map(repr, titles))}"
            self.findings.append(Finding(Place(self.name), words))
        elif not read:
            wanted = ", ".join(name for name in SECTIONS if name != "fields")
            sheets = ", ".join(map(repr, self.ignored)) or "none (a chart has no cells)"
            self.ignored = []
            words = f"expected sheets named after sections: {wanted}; these are {sheets}"
            if titles and not self.sheets.section:
                words += (
                    f"; rename one, or name its section in instance.yml: `tables: [{{files: {in_yaml(self.name)}, "
                    f"sheets: {{{in_yaml(titles[0])}: {_section_of_folder(self.name)}}}}}]`"
                )
            if self.sheets.section and titles:
                words += f"; set `sheets: [{titles[0]}]` in tables to read another one"
            self.findings.append(Finding(Place(self.name), words))

    def _nodes(self, sheet: Any, source: SheetSource, dialect: Dialect) -> list[Node]:
        """Read a sheet, and warn of what its readers may not see."""
        part = _part(self.content, sheet)
        reader = _Sheet(source, dialect, self.findings, _merged(part))
        formulas = _formulas_in(part)
        nodes = list(reader.records(_rows(sheet, formulas)))
        if nodes and sheet.sheet_state != "visible":
            self.warnings.append(f"{source}: this hidden sheet is read; show it, or remove it")
        self._warn_of_hidden(nodes, _hidden(part))
        self._warn_of_formulas(reader, formulas)
        return nodes

    def _warn_of_hidden(self, nodes: Iterable[Node], hidden: Container[int]) -> None:
        """Warn once about rows that the sheet hides, because they are read anyway."""
        found = [node.place for node in nodes if node.place.line in hidden]
        if found:
            rows = amount(len(found), "hidden row is read", "hidden rows are read")
            self.warnings.append(f"{found[0]}: {rows}; a filter of a spreadsheet hides rows but does not remove them")

    def _warn_of_formulas(self, sheet: _Sheet, formulas: Iterable[_Formula]) -> None:
        """Warn once about formulas in columns that are read, because their results are as old as the saved file."""
        found = [formula for formula in formulas if formula.column in sheet.columns.values()]
        if found:
            counted = amount(len(found), "formula is", "formulas are")
            self.warnings.append(
                f"{CellPlace(sheet.sheet, found[0].row, found[0].column)}: {counted} read by the result that the "
                "workbook stores; save it in a spreadsheet program after each change"
            )


def section_of(title: str) -> str:
    """Return the section whose records a sheet lists; empty if it lists none."""
    section = title.strip().casefold()
    return section if section in SECTIONS and section != "fields" else ""


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


def _rows(sheet: Any, formulas: Iterable[_Formula]) -> Iterator[tuple[int, Cells]]:
    """Yield the rows with content.

    :raises _Refused: if there are too many rows. :raises _Broken: if the library can't read them.
    """
    unstored: defaultdict[int, Cells] = defaultdict(dict)
    for formula in formulas:
        if not formula.is_text:
            unstored[formula.row][formula.column] = _Unread.because(_UNSTORED)
    with _library():
        sheet.reset_dimensions()
        for number, row in enumerate(sheet.iter_rows(), start=1):
            if number > MAX_ROWS:
                raise _Refused(f"expected at most {MAX_ROWS:,} rows, the sheet {sheet.title!r} has more")
            cells = {cell.column: _value(cell) for cell in row if cell.value is not None}
            cells = {column: text for column, text in cells.items() if text or isinstance(text, _Unread)}
            if cells := {**unstored.get(number, {}), **cells}:
                yield number, cells


def _value(cell: Any) -> str:
    """Return the text of a cell, with its type if it is not a text."""
    value = cell.value
    if cell.data_type == "e":
        words = f"this cell contains the error {value}; correct or empty it"
        return _Unread.because(words, str(value), "this cell contains an error")
    if isinstance(value, bool):
        return TypedCell.from_spelling(str(value).lower(), _NO_TEXT["flag"], "")
    if isinstance(value, (int, float)):
        digits = _digits(value)
        shown = shown_digits(digits, cell.number_format or "")
        return (
            digits if cell.number_format == TEXT_FORMAT else TypedCell.from_spelling(digits, _NO_TEXT["number"], shown)
        )
    if isinstance(value, (dt.date, dt.time, dt.timedelta)):
        return TypedCell.from_spelling(_moment(value), _NO_TEXT["date"], "")
    text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), str(value))
    if len(text) > MOST_CHARACTERS:
        return _Unread.because(TOO_LONG)
    return _Unread.because(_CONTROL) if CONTROL.search(text) else text


_PLACEHOLDERS = re.compile(r'"([^"]*)"|\\(.)|(0)|([-/ ])')
"""The parts of a format that shows each digit in its own position: texts, zeros, and marks between them."""
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


class _Formula(NamedTuple):
    """A cell with a formula.

    :ivar is_text: True if its result is a text, which may be empty.
    """

    row: int
    column: int
    is_text: bool


def parts_of_sheets(content: bytes) -> dict[str, str]:
    """Return the name of the part of each sheet in a workbook, by the title of the sheet."""
    return {sheet.title: sheet._worksheet_path for sheet in _opened(content).worksheets}


def _part(content: bytes, sheet: Any) -> bytes:
    """Return the part of a sheet.

    :raises _Refused: if it has rows out of order, because the library would leave them out without an error.
    """
    name = sheet._worksheet_path
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        part = packed.read(name)
    if any(int(row) >= int(following) for row, following in pairwise(_ROW_NUMBER.findall(part))):
        raise _Refused(f"{name} has rows out of order or repeated; save it as .xlsx again")
    return part


def _hidden(part: bytes) -> set[int]:
    """Return the numbers of the rows that a sheet hides."""
    return {int(number) for row in _HIDDEN_ROW.findall(part) for number in _ROW_NUMBER.findall(row)}


def _formulas_in(part: bytes) -> list[_Formula]:
    """Return the formulas of a sheet.

    :raises _Refused: if the cell of a formula has no name.
    """
    from openpyxl.utils.cell import column_index_from_string as column_of

    names = [(_CELL_NAME.search(cell), _IS_TEXT.search(cell) is not None) for cell in _FORMULA_CELL.findall(part)]
    found = [_Formula(int(name[2]), column_of(name[1].decode()), text) for name, text in names if name is not None]
    if len(found) < len(_FORMULA.findall(part)):
        raise _Refused("a formula is in a cell without a name; save it as .xlsx again")
    return found


def _merged(part: bytes) -> list[tuple[int, int, int, int]]:
    """Return the ranges of merged cells of a sheet, each as first row, first column, last row, last column."""
    from openpyxl.utils.cell import column_index_from_string as column_of

    found = _MERGED.findall(part)
    ranges = ([bound.decode() for bound in range_] for range_ in found)
    return [(int(row), column_of(first), int(last_row), column_of(last)) for first, row, last, last_row in ranges]


def _digits(number: float) -> str:
    """Return a number as a person writes it, with the digits that a spreadsheet stores."""
    if isinstance(number, int):
        return str(number)
    return format(Decimal(format(number, DIGITS)), "f")


_LAST_SECOND = dt.datetime.fromisoformat("9999-12-31 23:59:59")


def _moment(value: dt.date | dt.time | dt.timedelta) -> str:
    if isinstance(value, dt.datetime):
        # Spreadsheets count in days, so a second is a fraction that is never exact.
        whole = value.replace(microsecond=0)
        is_nearer_to_next = value.microsecond >= 500_000 and whole < _LAST_SECOND
        rounded = whole + dt.timedelta(seconds=1) if is_nearer_to_next else whole
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

    :raises _Refused: with the reason. :raises _Broken: if it is cut off.
    """
    if content.startswith(_OLD_OR_ENCRYPTED):
        raise _Refused("this is an old or an encrypted workbook; save it as .xlsx, without a password")
    if WEB_PAGE.match(content):
        words = "this is a web page or XML, not a workbook; open it in a spreadsheet program, and save it as .xlsx"
        raise _Refused(words)
    if not content.strip() or (content.startswith(_PACKED) and not zipfile.is_zipfile(io.BytesIO(content))):
        raise _Broken("it was saved or copied in part" if content.strip() else "it is empty")
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        size = sum(part.file_size for part in packed.infolist())
        if size > MAX_UNPACKED:
            raise _Refused(
                f"expected a workbook of at most {MAX_UNPACKED >> 20} MiB unpacked, this one has {size >> 20}"
            )
        if _BOOK in packed.namelist() and _STRICT in packed.read(_BOOK):
            raise _Refused("this is a 'Strict Open XML Spreadsheet'; save it as the plain 'Excel Workbook' (.xlsx)")


_BOOK = "xl/workbook.xml"
_STRICT = b"http://purl.oclc.org/ooxml/"
"""The names of the strict form of workbooks, which Excel offers beside the usual form."""

_FORMULA = re.compile(rb"<(?:[^\s<>/:]+:)?f\b")
_FORMULA_CELL = re.compile(rb"<(?:\w+:)?c\b([^<>]*)>\s*<(?:\w+:)?f\b")
_IS_TEXT = re.compile(rb"""\st=["']str["']""")
_CELL_NAME = re.compile(rb"""\sr=["']([A-Z]{1,3})(\d{1,7})["']""")
_MERGED = re.compile(rb"""<(?:\w+:)?mergeCell\b[^<>]*?\sref=["']([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})["']""")
