# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read CSV into plain values with their places."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from ....module_utils.model.field import MOST_CHARACTERS, CellList, CellMap
from ....module_utils.printing.cleaner import amount
from ..dialect import ALL_ROWS, PRESETS, Dialect, delimiter_of, without_end
from ..nodes import (
    JINJA,
    NO_NUL,
    NUL,
    TOO_LONG,
    Node,
    has_long_text,
    jinja_in,
    mark_at,
    nul_in,
    place_at,
)
from ..positions import Finding, Place
from .broken_files import SAVED_IN_PART, may_have_lines, why_no_record
from .formulas import unescaped
from .json_source import NUL_ESCAPED, JsonNode
from .rows import Row, Table

NO_RECORD = (
    "this table has rows, and no row has a cell in a column that is read; name its columns as fields, or change ignore"
)
TITLED = "the first row names the columns, so delete what is above the names"

_NO_END = "unexpected end of data"
"""The message of the library about an unclosed quote."""

_CELL_LIMIT = 2**31 - 1

_ROWS_BELOW = 50
"""Number of rows that are checked for more cells than there are names."""


_SEPARATOR = re.compile(r'"?sep=(.)"?[,;\t|]*\s*', re.IGNORECASE)
"""The line that tells Excel the separator of cells. It is not a row."""

_ERROR = re.compile(
    r"#(?:NAME\?|REF!|VALUE!|DIV/0!|NULL!|NUM!|NV|BEZUG!|WERT!|ZAHL!|NOM\?|VALEUR!|NUL!|NOMBRE!)|#{3,}|Err:\d{3}"
)
"""The English, German and French texts that programs write for a value that is unknown or does not fit."""

_NOTHING = ' ,;\t|"\r\n'


_ANY_TEXT = "surrogatepass"

_MOST_SHARED = 100_000
"""Maximum number of texts that are stored once for equal cells."""


def no_name(dialect: Dialect) -> str:
    """Return the message about a column without a name."""
    setting = json.dumps([*dialect.ignore, ""], ensure_ascii=False)
    return f"this column has no name; give it one, one that begins with # for a comment, or set `ignore: {setting}`"


def no_header(dialect: Dialect) -> str:
    """Return the message about a table that ends above the row of its names."""
    return f"this table ends above row {dialect.rows.header}, which header_row names"


def said_delimiter(line: str) -> str:
    """Return the delimiter if the first line of a table only names it. Return an empty text if the line is a row."""
    said = _SEPARATOR.fullmatch(line)
    return said[1] if said else ""


def _lines_of(text: str) -> list[str]:
    return io.StringIO(text, newline="").readlines()


class _Table(Table):
    """A table in CSV: the lines of its file, the delimiter, the names in the first row.

    :ivar header: the names as written.
    :ivar wanted: the same; empty for columns that are not read.
    :ivar before: lines before those of the table. :ivar is_empty: True if all of them are empty.
    :ivar errors: line and column of cells with errors, and the errors.
    """

    def __init__(self, text: str, source: str, dialect: Dialect) -> None:
        super().__init__(source, dialect)
        self._lines = _lines_of(text)
        self._packed = b""
        said = said_delimiter(self.lines[0]) if self.lines else ""
        self.before = max(1 if said else 0, dialect.rows.before)
        numbers = range(self.before, len(self.lines))
        first = next((number for number in numbers if self.lines[number].strip(_NOTHING)), None)
        self.is_empty = first is None
        self.delimiter = said or delimiter_of(self.lines[first:] or [""], dialect)
        self.header: list[str] = []
        self.wanted: list[str] = []
        self.errors: list[tuple[int, int, str]] = []
        # The findings of one row come in sequence.
        self._last_row: tuple[int, str, list[int]] = (0, "", [])

    @property
    def lines(self) -> list[str]:
        """Return the lines of the file."""
        if self._packed:
            self._lines, self._packed = _lines_of(zlib.decompress(self._packed).decode("utf-8", _ANY_TEXT)), b""
        return self._lines

    def pack(self) -> None:
        """Compress the lines. Only the places of mistakes still need them."""
        self._packed = zlib.compress("".join(self._lines).encode("utf-8", _ANY_TEXT), 1)
        self._lines = []

    def name_columns(self, row: Iterable[str], line: int) -> None:
        """Set the names of the columns. Columns after the last name have none."""
        names = [sys.intern(name.strip()) for name in row]
        while names and not names[-1]:
            names.pop()
        self.header, self.header_line = names, line
        self.dialect = self.dialect.for_columns(names)
        self.wanted = [name if self.dialect.reads_column(name) else "" for name in names]

    def note_errors(self, line: int, value: dict[str, Any]) -> None:
        """Note the cells of a record that contain an error."""
        for name, cell in value.items():
            if cell.__class__ is str and cell[0] in "#E" and _ERROR.fullmatch(cell):
                self.errors.append((line, self.columns[name], cell))

    def mark(self, line: int, column: int, position: int = 0) -> int:
        """Return the position of a cell (from 0) in the row that begins in a line (from 1).

        :param position: of a character in the cell, from 0, instead of the first.
        """
        if self._last_row[0] != line:
            self._last_row = (line, *self._row_at(line))
        _line, text, starts = self._last_row
        start = starts[column]
        if position:
            is_quoted = text[start] == '"'
            letters = re.finditer('""|.' if is_quoted else ".", text[start + is_quoted :], re.DOTALL)
            start += is_quoted + next(islice(letters, position, None)).start()
        before = text[:start]
        return mark_at(line + before.count("\n"), start - before.rfind("\n"))

    def _row_at(self, line: int) -> tuple[str, list[int]]:
        """Return the text of the row that begins in a line, and where its cells begin."""
        lines = self.lines
        reader = csv.reader(map(lines.__getitem__, range(line - 1, len(lines))), delimiter=self.delimiter)
        next(reader, None)
        text = "".join(lines[line - 1 : line - 1 + reader.line_num])
        mark = re.escape(self.delimiter)
        cells = re.finditer(rf'(?:^|(?<={mark}))(?:"(?:[^"]|"")*"?)?[^{mark}]*', text)
        return text, [cell.start() for cell in cells]


class _CsvRow(Row):
    """A row whose cells may have values with places inside."""

    __slots__ = ()

    _table: _Table

    def member(self, key: Any) -> Node:
        value = self.value[key]
        if not isinstance(value, (CellList, CellMap)):
            return super().member(key)
        return _InCell(value, self._table, self.line, self._table.columns[key], value.text)


class _InCell(JsonNode):
    """A value inside the JSON of a cell."""

    __slots__ = ("_index", "_line", "_table")

    def __init__(self, value: Any, table: _Table, line: int, index: int, text: str, position: int = 0) -> None:
        self._table = table
        self._line = line
        self._index = index
        super().__init__(value, table.source, self.mark_in(position), text, position)

    def mark_in(self, position: int) -> int:
        return self._table.mark(self._line, self._index, position)

    def inner(self, value: Any, position: int) -> Node:
        return _InCell(value, self._table, self._line, self._index, self._text, position)


def read_csv(
    text: str,
    source: str,
    findings: list[Finding],
    dialect: Dialect = PRESETS["plain"],
    delimiters: dict[str, str] | None = None,
    warnings: list[str] | None = None,
) -> Iterator[Node]:
    """Yield one record per row. The first row has the field keys.

    An empty cell is not managed, unless the dialect says that it clears. A cell with [ or { may be JSON, which the type
    of its field decides.

    :param delimiters: collects the delimiter. :param warnings: collects what is not a mistake but worth knowing.
    """
    csv.field_size_limit(_CELL_LIMIT)
    table = _Table(text.removeprefix("\ufeff"), source, dialect)
    if delimiters is not None:
        delimiters[source] = table.delimiter
    if table.is_empty:
        if dialect.rows.header and any(line.strip(_NOTHING) for line in table.lines):
            findings.append(Finding.plain(Place(source, len(table.lines), 1), no_header(dialect)))
        return
    before, is_seen, is_read = len(findings), False, False
    reader = csv.reader(islice(table.lines, table.before, None), delimiter=table.delimiter, strict=True)
    may_have_jinja = any(mark in text for mark in JINJA)
    may_be_lines = may_have_lines(text)
    may_have_nul = NUL in text or NUL_ESCAPED in text
    may_be_long = len(text) > MOST_CHARACTERS
    same: dict[str, str] = {}
    meaning = (lambda cell: unescaped(cell).strip()) if dialect.trim else unescaped
    line = table.before + 1
    try:
        for row in reader:
            if may_be_long and has_long_text(row):
                findings.append(Finding.plain(Place(source, line, 1), TOO_LONG))
                return
            if not row or (dialect.rows is not ALL_ROWS and dialect.rows.skips(line, next(filter(str.strip, row), ""))):
                pass
            elif may_be_lines and (why := why_no_record(row, dialect.rows)):
                findings.append(Finding.plain(Place(source, line, 1), why))
            elif not table.header:
                table.name_columns(map(unescaped, row), line)
                wrong = _wrong_header(table)
                findings += wrong
                if wrong:
                    return
                table.columns = {name: index for index, name in enumerate(table.wanted) if name}
            elif len(row) == len(table.header) or _is_as_wide(row, table):
                if len(same) > _MOST_SHARED:
                    same.clear()
                if dialect.texts:
                    row = [dialect.as_text(name, cell) for name, cell in zip(table.header, row, strict=True)]
                row = list(map(meaning, row))
                value = table.values(list(map(same.setdefault, row, row)).__getitem__)
                is_seen = is_seen or any(map(str.strip, row))
                if value:
                    is_read = True
                    table.note_errors(line, value)
                    node = _CsvRow(value, table, line)
                    if may_have_jinja:
                        findings += jinja_in(node)
                    if may_have_nul:
                        findings += nul_in(node)
                    yield node
            elif any(row):
                is_cut = len(row) < len(table.header) and not text.endswith("\n") and line == len(table.lines)
                words = _other_width(len(row), len(table.header))
                words = f"{words.partition('; ')[0]}; {SAVED_IN_PART.format('this row')}" if is_cut else words
                findings.append(Finding.plain(Place(source, line, 1), words))
            line = table.before + reader.line_num + 1
        if is_seen and not is_read and len(findings) == before:
            findings.append(Finding.plain(Place(source, table.header_line, 1), NO_RECORD))
        if table.errors and warnings is not None:
            warnings.append(_of_errors(table))
        table.pack()
    except csv.Error as error:
        words = f"this is not CSV: {error}; a quote in a cell in quotes is written twice"
        if str(error) == _NO_END:
            words += f", and {SAVED_IN_PART.format('a cell in quotes')} if this is none"
        findings.append(Finding(Place(source, line, 1), words))


def _of_errors(table: _Table) -> str:
    line, index, cell = table.errors[0]
    number = len(table.errors)
    cells = amount(number, "cell contains an error", "cells contain errors")
    place = place_at(table.source, table.mark(line, index))
    return f"{table.source}: {cells} of a spreadsheet such as {cell} (first at {place}); correct or empty it"


def _other_width(cells: int, names: int) -> str:
    """Return the message for a row with more or fewer cells than names, with what to do."""
    words = f"expected {names} cells as in the first row, found {cells}"
    if cells < names:
        return f"{words}; if Excel left out empty cells, add a last column # with a text in each row"
    if names == 1:
        return f"expected 1 cell as in this row, the rows below have {cells}; {TITLED}, or set `header_row` in tables"
    return f"{words}; give each column a name, one that begins with # for a comment, and delete what is above them"


def _is_as_wide(row: list[str], table: _Table) -> bool:
    """Return True if a row has a cell for each column, without empty cells at its end."""
    while len(row) > len(table.header) and not row[-1]:
        row.pop()
    return len(row) == len(table.header)


def _width_below(table: _Table) -> int:
    """Return the number of cells of the first row below the names that has several, not counting empty ones at its end.

    It is 0 if there is none.
    """
    reader = csv.reader(islice(table.lines, table.header_line, None), delimiter=table.delimiter)
    widths = (len(without_end(row)) for row in islice(reader, _ROWS_BELOW))
    return next((width for width in widths if width > 1), 0)


def _wrong_header(table: _Table) -> list[Finding]:
    if len(table.header) == 1:
        width = _width_below(table)
        if width:
            return [Finding.plain(Place(table.source, table.header_line, 1), _other_width(width, 1))]
    other = delimiter_of(table.lines[table.header_line - 1 :], PRESETS["plain"])
    if len(table.header) == 1 and table.dialect.is_sure and other in table.header[0]:
        advice = (
            f"csv.delimiter is {table.delimiter!r}, and {other!r} separates the names; set `csv: "
            f"{{delimiter: {other!r}}}`"
        )
        return [Finding.plain(Place(table.source, table.header_line, 1), advice)]
    wrong = []
    names: set[str] = set()
    for index, name in enumerate(table.header):
        place = place_at(table.source, table.mark(table.header_line, index))
        if not name:
            wrong += [] if table.dialect.ignores_nameless else [Finding.plain(place, no_name(table.dialect))]
        elif name in names and table.wanted[index]:
            wrong.append(Finding(place, f"the column {name} is written twice"))
        elif NUL in name:
            wrong.append(Finding(place, f"the name of this column: {NO_NUL}"))
        names.add(name)
    return wrong
