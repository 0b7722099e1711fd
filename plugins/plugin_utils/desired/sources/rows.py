# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of tables, in CSV and in workbooks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....module_utils.model.field import BrokenCell, CellList, CellMap, TypedCell
from ..dialect import Dialect
from ..nodes import COLUMN_BITS, Node, mark_at, place_at
from ..positions import Place
from ..words import NullCell
from .json_source import decode


class Table:
    """The common parts of all rows of a table.

    :ivar header_line: the line or row of the names; 0 until they are read.
    :ivar columns: the name of each column that is read to its number.
    :ivar misread: the lines of rows that have an unreadable cell.
    """

    def __init__(self, source: str, dialect: Dialect) -> None:
        self.source = source
        self.dialect = dialect
        self.header_line = 0
        self.columns: dict[str, int] = {}
        self.misread: set[int] = set()
        # The attributes of its instances share their names, which halves the memory of a row.
        self._shape = type("Cells", (), {})

    def mark(self, line: int, column: int) -> int:
        """Return the position of a cell."""
        return mark_at(line, column)

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
                found[name] = cell.shown or str(cell) if is_text else cell
        if found and (dialect.null is not None or dialect.clears):
            for name, column in self.columns.items():
                text = str(cell_of(column) or "")
                if dialect.clears_cell(name, text):
                    found[name] = NullCell.from_word(text) if text else None
        return found


class Row(Node):
    """A row of a table."""

    __slots__ = ("_table",)

    is_row = True

    def __init__(self, value: dict[str, Any], table: Table, line: int) -> None:
        super().__init__(value, table.source, mark_at(line, 1))
        self._table = table

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
