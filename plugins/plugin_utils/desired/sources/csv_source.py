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
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import dropwhile, islice

from ....module_utils.model.field import MOST_CHARACTERS
from ....module_utils.printing.cleaner import amount
from ..dialect import ALL_ROWS, PRESETS, Dialect, delimiter_of
from ..nodes import NO_NUL, NUL, TOO_LONG, Node, mark_at, may_have_wrong_texts, place_at, wrong_texts
from ..positions import Finding, Place
from .broken_files import SAVED_IN_PART, may_have_lines, why_no_record
from .formulas import unescaped
from .rows import Row, Table

NO_RECORD = (
    "this table has rows, and no row has a cell in a column that is read; name its columns as fields, or change ignore "
    "or header_row"
)
TITLED = "the first row names the columns, so delete what is above the names"

_NO_END = "unexpected end of data"
"""The message of the library about an unclosed quote."""

_CELL_LIMIT = 2**31 - 1

_LINES_TO_ASK = 1_000
"""Number of lines that may say what is between cells."""

_SEPARATOR = re.compile(r'"?sep=(.)"?[,;\t|]*\s*', re.IGNORECASE)
"""The line that tells Excel the separator of cells. It is not a row."""

_NOTHING = ' ,;\t|"\r\n'

_MOST_SHARED = 100_000
"""Maximum number of texts that are stored once for equal cells."""


def no_name(dialect: Dialect) -> str:
    """Return the message about a column without a name."""
    setting = json.dumps([*dialect.ignore, ""], ensure_ascii=False)
    return f"this column has no name; give it one, one that begins with # for a comment, or set `ignore: {setting}`"


def said_delimiter(line: str) -> str:
    """Return the delimiter if the first line of a table only names it. Return an empty text if the line is a row."""
    said = _SEPARATOR.fullmatch(line)
    return said[1] if said else ""


class _Table(Table):
    """A table in CSV: the text of its file, the delimiter, the names in the first row.

    :ivar header: the names as written.
    :ivar wanted: the same; empty for columns that are not read.
    :ivar before: lines before those of the table.
    """

    def __init__(self, text: str, source: str, dialect: Dialect) -> None:
        super().__init__(source, dialect)
        self._text = text
        self.before = 0
        said = said_delimiter(next(self.lines(), ""))
        self.before = max(1 if said else 0, dialect.rows.before)
        written = list(islice(dropwhile(lambda line: not line.strip(_NOTHING), self.lines()), _LINES_TO_ASK))
        self.delimiter = said or delimiter_of(written or [*self.lines()], dialect)
        self.header: list[str] = []
        self.wanted: list[str] = []
        # The findings of one row come in sequence.
        self._last_row: tuple[int, list[int]] = (0, [])

    def lines(self) -> Iterator[str]:
        """Return the lines of the file, except those before the table."""
        return islice(io.StringIO(self._text, newline=""), self.before, None)

    def name_columns(self, row: Iterable[str], line: int) -> None:
        """Set the names of the columns. Columns after the last name have none."""
        names = [sys.intern(name.strip()) for name in row]
        while names and not names[-1]:
            names.pop()
        self.header, self.header_line = names, line
        self.dialect = self.dialect.for_columns(names)
        self.wanted = [name if self.dialect.reads_column(name) else "" for name in names]
        self.columns = {name: index for index, name in enumerate(self.wanted) if name}

    def mark(self, line: int, column: int) -> int:
        """Return the position of a cell (from 0) in the row that begins in a line (from 1)."""
        if self._last_row[0] != line:
            self._last_row = (line, self._cells_from(self._line_starts[line - 1]))
        start = self._last_row[1][column]
        line = bisect_right(self._line_starts, start)
        return mark_at(line, start - self._line_starts[line - 1] + 1)

    def _cells_from(self, start: int) -> list[int]:
        """Return where the cells of the row that begins at a position begin."""
        mark, starts = re.escape(self.delimiter), []
        for cell in re.compile(rf'(?:"(?:[^"]|"")*"?)?[^{mark}\r\n]*({mark}?)').finditer(self._text, start):
            starts.append(cell.start())
            if not cell[1]:
                break
        return starts

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(end.end() for end in re.finditer("\r\n?|\n", self._text))]


def read_csv(
    text: str,
    source: str,
    findings: list[Finding],
    dialect: Dialect = PRESETS["plain"],
    delimiters: dict[str, str] | None = None,
) -> Iterator[Node]:
    """Yield one record per row. The first row has the field keys.

    An empty cell is not managed, unless the dialect says that it clears. A cell with [ or { may be JSON, which the type
    of its field decides.

    :param delimiters: collects the delimiter.
    """
    csv.field_size_limit(_CELL_LIMIT)
    table = _Table(text.removeprefix("\ufeff"), source, dialect)
    if delimiters is not None:
        delimiters[source] = table.delimiter
    before, is_seen, is_read = len(findings), False, False
    reader = csv.reader(table.lines(), delimiter=table.delimiter, strict=True)
    may_be_wrong = may_have_wrong_texts(text)
    may_be_lines = may_have_lines(text)
    may_be_long = len(text) > MOST_CHARACTERS
    same: dict[str, str] = {}
    meaning = (lambda cell: unescaped(cell).strip()) if dialect.trim else unescaped
    line = table.before + 1
    try:
        for row in reader:
            if may_be_long and max(map(len, row), default=0) > MOST_CHARACTERS:
                findings.append(Finding.plain(Place(source, line, 1), TOO_LONG))
                return
            if not row or (dialect.rows is not ALL_ROWS and dialect.rows.skips(line, next(filter(str.strip, row), ""))):
                pass
            elif may_be_lines and (why := why_no_record(row)):
                findings.append(Finding.plain(Place(source, line, 1), why))
            elif not table.header:
                table.name_columns(map(unescaped, row), line)
                wrong = _wrong_header(table)
                findings += wrong
                if wrong:
                    return
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
                    node = Row(value, table, line)
                    if may_be_wrong:
                        findings += wrong_texts(node)
                    yield node
            elif any(row):
                is_cut = len(row) < len(table.header) and line > text.count("\n")
                findings.append(Finding.plain(Place(source, line, 1), _other_width(row, table, is_cut)))
            line = table.before + reader.line_num + 1
    except csv.Error as error:
        words = f"this is not CSV: {error}; a quote in a cell in quotes is written twice"
        if str(error) == _NO_END:
            words += f", and {SAVED_IN_PART.format('a cell in quotes')} if this is none"
        findings.append(Finding(Place(source, line, 1), words))
    is_missing = not table.header and any(cell.strip(_NOTHING) for cell in text.splitlines())
    if (is_missing or (is_seen and not is_read)) and len(findings) == before:
        findings.append(Finding.plain(Place(source, table.header_line or line, 1), NO_RECORD))


def _other_width(row: list[str], table: _Table, is_cut: bool) -> str:
    """Return the message for a row with more or fewer cells than names, with what to do.

    :param is_cut: True if it is the end of a file without a line end.
    """
    words = f"expected {amount(len(table.header), 'cell', 'cells')} as in the first row, found {len(row)}"
    if is_cut:
        return f"{words}; {SAVED_IN_PART.format('this row')}"
    return f"{words}; give each column a name, one that begins with # for a comment, and delete what is above them"


def _is_as_wide(row: list[str], table: _Table) -> bool:
    """Return True if a row has a cell for each column, without empty cells at its end."""
    while len(row) > len(table.header) and not row[-1]:
        row.pop()
    return len(row) == len(table.header)


def _wrong_header(table: _Table) -> list[Finding]:
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
