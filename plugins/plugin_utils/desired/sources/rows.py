# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of tables, in CSV and in workbooks."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ....module_utils.model.field import BrokenCell, CellList, CellMap, TypedCell, as_shown
from ..dialect import ALL_ROWS, Dialect
from ..nodes import COLUMN_BITS, NO_NUL, NUL, Node, mark_at, place_at, wrong_texts
from ..positions import Finding, Place
from ..words import NullCell
from .broken_files import how_to_leave_out, why_no_record
from .json_source import decode

NO_RECORD = (
    "this table has rows, and no row has a cell in a column that is read; name its columns as fields, or change ignore "
    "or header_row"
)
TITLED = "the first row names the columns, so delete what is above the names, or set header_row in tables"


class Table:
    """The common parts of all rows of a table.

    :param findings: collects what is wrong.
    :ivar header: the names as written. :ivar header_line: the line or row of the names; 0 until they are read.
    :ivar columns: the name of each column that is read to its number, from 0.
    :ivar misread: the lines of rows that have an unreadable cell.
    :ivar may_be_wrong: True if its records may have texts that are not plain data.
    :ivar has_lines: True if it may have rows that are not records.
    :ivar breaks: line breaks inside the cells above the row that is read.
    """

    def __init__(self, source: str, dialect: Dialect, findings: list[Finding]) -> None:
        self.source = source
        self.dialect = dialect
        self.header: list[str] = []
        self.header_line = 0
        self.columns: dict[str, int] = {}
        self.misread: set[int] = set()
        self.may_be_wrong = self.has_lines = True
        self.breaks = 0
        self._findings = findings
        self._noted: set[int] = set()
        # The attributes of its instances share their names, which halves the memory of a row.
        self._shape = type("Cells", (), {})

    def mark(self, line: int, column: int) -> int:
        """Return the position of a cell."""
        return mark_at(line, column + 1)

    def find(self, line: int, column: int, message: str, gist: str = "") -> None:
        """Note what is wrong with a cell.

        :param gist: the message without texts of the file, if it has some.
        """
        self._findings.append(Finding(place_at(self.source, self.mark(line, column)), message, gist or message))

    def cells(self, _line: int, row: list[Any]) -> list[Any]:
        """Return the cells of a row as they are read; an empty list if it can't be read."""
        return row

    def records(self, rows: Iterable[tuple[int, list[Any]]]) -> Iterator[Node]:
        """Yield the records of the rows below the first row, which names the columns.

        A row that only has cells in columns that are not read is an empty record.

        :param rows: with their lines. Empty cells are empty texts.
        """
        skipped, before, last, is_seen, is_read = self.dialect.rows, len(self._findings), 0, False, False
        for last, row in rows:
            if skipped is not ALL_ROWS and skipped.skips(last, next(filter(str.strip, row), ""), self.breaks):
                continue
            if self.has_lines and (why := why_no_record(row)):
                self.find(last, 0, why, why.partition(";")[0])
            elif cells := self.cells(last, row):
                if not self.header_line:
                    if not self._takes_header(cells, last):
                        return
                    continue
                if len(self.header) > 1 and cells[: len(self.header)] == self.header:
                    why = f"this row repeats the names of the columns; {how_to_leave_out(self.header[0])}"
                    self.find(last, 0, why, why.partition(";")[0])
                    continue
                is_filled = any(map(str.strip, cells))
                is_seen = is_seen or is_filled
                if len(cells) > len(self.header) or "" in self.header:
                    self._check_names(last, cells)
                value = self.values(cells.__getitem__)
                is_read = is_read or bool(value)
                if value or (is_filled and len(self.columns) > len(self.dialect.loose)):
                    node = Row(value, self, last)
                    if self.may_be_wrong:
                        self._findings += wrong_texts(node)
                    yield node
        if (is_seen or (last and not self.header_line)) and not is_read and len(self._findings) == before:
            self.find(self.header_line or last, 0, NO_RECORD)

    def _check_names(self, line: int, cells: list[Any]) -> None:
        """Note each column that has no name and a cell, once."""
        nameless = {
            column for column, cell in enumerate(cells) if cell and not "".join(self.header[column : column + 1])
        }
        for column in sorted(nameless - self._noted) if "" not in self.dialect.ignored else ():
            setting = json.dumps([*self.dialect.ignore, ""], ensure_ascii=False)
            words = "this column has no name; give it one, one that begins with # for a comment"
            self.find(line, column, f"{words}, or set `ignore: {setting}`; {TITLED}")
        self._noted |= nameless

    def _takes_header(self, cells: list[Any], line: int) -> bool:
        """Read the names of the columns. Return True if all of them are valid. Columns after the last have none."""
        names = [sys.intern(as_shown(cell).strip()) for cell in cells]
        while names and not names[-1]:
            names.pop()
        if not names:
            return True
        before = len(self._findings)
        self.header, self.header_line = names, line
        self.dialect = self.dialect.for_columns(names)
        for column, name in enumerate(names):
            if NUL in name:
                self.find(line, column, f"the name of this column: {NO_NUL}")
            elif name and self.dialect.reads_column(name):
                if name in self.columns:
                    self.find(line, column, f"the column {name} is written twice", "this column is written twice")
                self.columns.setdefault(name, column)
        return len(self._findings) == before

    def values(self, cell_of: Callable[[int], Any]) -> dict[str, Any]:
        """Return the values of a row by the names of their columns.

        :param cell_of: returns the cell of a column; an empty text or None if it is empty.
        """
        found: dict[str, Any] = vars(self._shape())
        dialect = self.dialect
        for name, column in self.columns.items():
            cell = cell_of(column)
            if not cell:
                continue
            if cell.__class__ is str:
                found[name] = structure(cell) if cell[0] in "[{" else cell
            else:
                is_text = isinstance(cell, TypedCell) and dialect.is_text(name, cell)
                found[name] = as_shown(cell) if is_text else cell
        if found and (dialect.null is not None or dialect.clears):
            for name, column in self.columns.items():
                text = as_shown(cell_of(column) or "")
                if dialect.clears_cell(name, text):
                    found[name] = NullCell.from_word(text) if text else None
        return found


class Row(Node):
    """A row of a table."""

    __slots__ = ("_table",)

    is_row = True

    def __init__(self, value: dict[str, Any], table: Table, line: int) -> None:
        # There are very many rows.
        self.value, self.source, self.mark, self._table = value, table.source, line << COLUMN_BITS | 1, table

    def format_of(self, _name: str) -> Dialect:
        return self._table.dialect

    @property
    def line(self) -> int:
        """Return the line at which it begins."""
        return self.mark >> COLUMN_BITS

    @property
    def is_misread(self) -> bool:
        return self.line in self._table.misread

    def mark_of(self, key: Any) -> int:
        return self._mark_at(self.line, key)

    def of_name(self, name: str) -> Place:
        return place_at(self.source, self._mark_at(self._table.header_line, name))

    def _mark_at(self, line: int, key: Any) -> int:
        column = self._table.columns.get(key)
        return mark_at(line, 1) if column is None else self._table.mark(line, column)

    def empty_cells(self) -> Sequence[str]:
        if len(self.value) == len(self._table.columns):
            return ()
        loose = self._table.dialect.loose
        return [name for name in self._table.columns if name not in self.value and name not in loose]


def structure(cell: str) -> CellList | CellMap | BrokenCell:
    """Return a list or a map from the JSON in a cell, with its text for text types."""
    try:
        found = decode(cell)
    except ValueError as error:
        return BrokenCell.from_text(cell, str(error))
    return CellMap(found, cell) if isinstance(found, dict) else CellList(found, cell)
