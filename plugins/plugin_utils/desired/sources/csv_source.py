# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read CSV into plain values with their places."""

from __future__ import annotations

import csv
import io
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import dropwhile, islice

from ....module_utils.model.field import MOST_CHARACTERS
from ....module_utils.printing.cleaner import amount
from ..dialect import PRESETS, Dialect, delimiter_of
from ..nodes import TOO_LONG, Node, mark_at, may_have_wrong_texts
from ..positions import Finding, Place
from ..words import in_yaml
from .broken_files import SAVED_IN_PART, may_have_lines
from .formulas import MARK, unescaped
from .rows import NO_RECORD, TITLED, Table

#: The message of the library about an unclosed quote.
_NO_END = "unexpected end of data"

_CELL_LIMIT = 2**31 - 1

#: Number of lines that may say what is between cells.
_LINES_TO_ASK = 1_000

#: The line that tells Excel the separator of cells. It is not a row.
_SEPARATOR = re.compile(r'"?sep=(.)"?[,;\t|]*\s*', re.IGNORECASE)

_NOTHING = ' ,;\t|"\r\n'

#: Maximum number of texts that are stored once for equal cells.
_MOST_SHARED = 100_000


def said_delimiter(line: str) -> str:
    """Return the delimiter if the first line of a table only names it. Return an empty text if the line is a row."""
    said = _SEPARATOR.fullmatch(line)
    return said[1] if said else ""


class _Table(Table):
    """A table in CSV: the text of its file, the delimiter, the names in the first row.

    :ivar before: lines before those of the table. :ivar line: of the row that is read.
    """

    def __init__(self, text: str, source: str, dialect: Dialect, findings: list[Finding]) -> None:
        super().__init__(source, dialect, findings)
        self._text = text
        self.before = 0
        said = said_delimiter(next(self.lines(), ""))
        self.before = max(1 if said else 0, dialect.rows.before)
        self.line = self.before + 1
        written = list(islice(dropwhile(lambda line: not line.strip(_NOTHING), self.lines()), _LINES_TO_ASK))
        self.delimiter = said or delimiter_of(written or [*self.lines()], dialect)
        self.may_be_wrong, self.has_lines = may_have_wrong_texts(text), may_have_lines(text)
        self._is_as_meant = not dialect.trim and MARK not in text
        self._meaning = (lambda cell: unescaped(cell).strip()) if dialect.trim else unescaped
        self._same: dict[str, str] = {}
        self._width = 0
        # The findings of one row come in sequence.
        self._last_row: tuple[int, list[int]] = (0, [])

    def lines(self) -> Iterator[str]:
        """Return the lines of the file, except those before the table."""
        return islice(io.StringIO(self._text, newline=""), self.before, None)

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows with a cell, each with its line.

        :raises csv.Error: if the text is not CSV.
        """
        reader = csv.reader(self.lines(), delimiter=self.delimiter, strict=True)
        may_be_long = len(self._text) > MOST_CHARACTERS
        for number, row in enumerate(reader, start=1):
            if may_be_long and max(map(len, row), default=0) > MOST_CHARACTERS:
                self.find(self.line, 0, TOO_LONG)
                return
            if any(row):
                yield self.line, row
            self.line = self.before + reader.line_num + 1
            self.breaks = reader.line_num - number

    def cells(self, line: int, row: list[str]) -> list[str]:
        header = self.header
        if not header:
            # The first row may have empty cells after the last name.
            self._width = len(row)
        elif len(row) != len(header):
            while len(row) > len(header) and not row[-1]:
                row.pop()
            if not len(header) <= len(row) <= self._width:
                is_cut = len(row) < len(header) and line > self._text.count("\n")
                self.find(line, 0, _other_width(len(row), len(header), is_cut))
                return []
        if header and self.dialect.texts:
            row[: len(header)] = map(self.dialect.as_text, header, row)
        if len(self._same) > _MOST_SHARED:
            self._same.clear()
        if not self._is_as_meant:
            row = list(map(self._meaning, row))
        return list(map(self._same.setdefault, row, row))

    def _takes_header(self, cells: list[str], line: int) -> bool:
        is_one = self.dialect.is_sure and len(cells) == 1
        other = delimiter_of(cells[0].splitlines(), PRESETS["plain"]) if is_one else ""
        if other and other in cells[0]:
            words = f"the settings say that {self.delimiter!r} separates the cells, and {other!r} separates the names"
            self.find(line, 0, f"{words}; set `delimiter: {in_yaml(other)}`")
            return False
        return super()._takes_header(cells, line)

    def mark(self, line: int, column: int) -> int:
        """Return the position of a cell (from 0) in the row that begins in a line (from 1)."""
        if self._last_row[0] != line:
            self._last_row = (line, self._cells_from(self._line_starts[line - 1]))
        start = self._last_row[1][column]
        line = bisect_right(self._line_starts, start)
        return mark_at(line, start - self._line_starts[line - 1] + 1)

    def _cells_from(self, start: int) -> list[int]:
        """Return the positions of the cells of a row.

        :param start: the position of the row.
        """
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
    table = _Table(text.removeprefix("\ufeff"), source, dialect, findings)
    if delimiters is not None:
        delimiters[source] = table.delimiter
    before = len(findings)
    try:
        yield from table.records(table.rows())
    except csv.Error as error:
        words = f"this is not CSV: {error}; a quote in a cell in quotes is written twice"
        if str(error) == _NO_END:
            words += f", and {SAVED_IN_PART.format('a cell in quotes')} if this is none"
        findings.append(Finding(Place(source, table.line, 1), words))
    if not table.header_line and len(findings) == before and text.strip(_NOTHING):
        findings.append(Finding.plain(Place(source, table.line, 1), NO_RECORD))


def _other_width(cells: int, names: int, is_cut: bool) -> str:
    """Return the message for a row with more or fewer cells than names, with what to do.

    :param is_cut: True if it is the end of a file without a line end.
    """
    words = f"expected {amount(names, 'cell', 'cells')} as in the first row, found {cells}"
    if is_cut:
        return f"{words}; {SAVED_IN_PART.format('this row')}"
    if cells < names:
        return f"{words}; if Excel left out empty cells, add a last column # with a text in each row"
    return f"{words}; give each column a name, one that begins with # for a comment; {TITLED}"
