# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CSV files during editing, in their dialect and quoting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..desired.dialect import Dialect
from ..desired.positions import Place, letters_of
from ..desired.sources import formulas
from ..desired.sources.csv_source import said_delimiter
from ..export.writing import Unwritable, cell_of, csv_row
from .sources import TextSource
from .text_file import NewValue, TextFile

THROUGH_FORMULA = "it is a formula"

_QUOTED = '"\r\n'


@dataclass(frozen=True)
class _Cell:
    """A cell: its beginning and end, and its text."""

    start: int
    end: int
    text: str
    is_quoted: bool


class TableSource(TextSource):
    """A CSV file.

    :param delimiter: between its cells.
    :ivar dialect: in which it was saved. :ivar columns: the number of each column, by name.
    """

    def __init__(self, file: TextFile, has_variables: bool, dialect: Dialect, delimiter: str) -> None:
        super().__init__(file, has_variables)
        self.dialect = dialect
        self._delimiter = delimiter
        is_said = said_delimiter(file.plain.partition("\n")[0])
        self._before = max(1 if is_said else 0, dialect.rows.before)
        self._rows = dict(self._read())
        self.columns = self._names()
        self._width = 1 + max(self.columns.values(), default=-1)

    # ---- reading

    def _read(self) -> Iterator[tuple[int, list[_Cell]]]:
        """Yield each row that may be part of the table with the number of its first line."""
        text, at, line = self.file.plain, 0, self._before + 1
        for _number in range(self._before):
            at = text.find("\n", at) + 1 or len(text)
        while at < len(text):
            row, end = self._row(at)
            yield line, row
            line += text.count("\n", at, end)
            at = end

    def _row(self, at: int) -> tuple[list[_Cell], int]:
        """Return the cells of the row at a position, and the position after it."""
        text, row = self.file.plain, []
        while True:
            start = at
            is_quoted = text[at : at + 1] == '"'
            if is_quoted:
                at += 1
                while text[at : at + 1] != '"' or text[at : at + 2] == '""':
                    at += 2 if text[at : at + 2] == '""' else 1
                at += 1
            else:
                while at < len(text) and text[at] not in (self._delimiter, "\n"):
                    at += 1
            written = text[start + 1 : at - 1].replace('""', '"') if is_quoted else text[start:at]
            row.append(_Cell(start, at, written, is_quoted))
            if text[at : at + 1] != self._delimiter:
                return row, at + 1
            at += 1

    def _names(self) -> dict[str, int]:
        """Return the columns by name."""
        for line, row in self._rows.items():
            names = [formulas.unescaped(cell.text).strip() for cell in row]
            first = next(filter(None, names), "")
            if first and not self.dialect.rows.skips(line, first):
                return {name: column for column, name in enumerate(names)}
        return {}

    def names(self, place: Place) -> Sequence[str]:
        return tuple(self.columns)

    # ---- writing

    def _cell_at(self, place: Place, name: str) -> _Cell:
        row = self._rows.get(place.line, [])
        number = self.columns.get(name)
        if number is None or number >= len(row):
            raise Unwritable(f"the table has no column {name}; add it (its cells may be empty), and run this again")
        return row[number]

    def set(self, place: Place, name: str, new: NewValue) -> None:
        self._put(place, name, new.value)

    def add(self, place: Place, name: str, value: Any) -> None:
        self.check_cleared(name, value)
        self._put(place, name, value)

    def _put(self, place: Place, name: str, value: Any) -> None:
        cell = self._cell_at(place, name)
        self.check_written(cell.start, cell.end)
        if cell.text.startswith("="):
            raise Unwritable(THROUGH_FORMULA)
        text = written = formulas.escaped(self._text(name, value))
        if cell.is_quoted or any(letter in text for letter in (self._delimiter, *_QUOTED)):
            written = '"' + text.replace('"', '""') + '"'
        if text.count("\n") != cell.text.count("\n"):
            self._check_numbers(place)
        words = f"{letters_of(self.columns[name] + 1)}{place.line}: {cell.text} -> {text}"
        self.file.replace(cell.start, cell.end, written, words)

    def check_cleared(self, name: str, value: Any) -> None:
        """Refuse to clear a value if the table could only write an empty cell, which means "not managed".

        :raises Unwritable: if it is cleared, and no cell of its column says so.
        """
        if value in (None, []) and self.dialect.clearing_cell(name) is None:
            raise Unwritable("an empty cell of the table changes nothing")

    def _text(self, name: str, value: Any) -> str:
        """Return a value as the text of a cell.

        An empty cell means "not managed", so a cleared value is written explicitly.
        """
        if value is None or value == []:
            return self.dialect.clearing_cell(name) or ""
        separator = self.dialect.list_separator
        return _joined(value, separator) if separator and isinstance(value, list) else cell_of(value, self.dialect)

    def remove(self, place: Place) -> None:
        self._check_numbers(place)
        row, plain = self._rows[place.line], self.file.plain
        start, end = row[0].start, row[-1].end
        self.file.replace(start, end + 1 if plain[end : end + 1] == "\n" else end, "")

    def _check_numbers(self, place: Place) -> None:
        """Refuse to move the rows below a row if ``skip_rows`` has the number of one.

        :raises Unwritable: if it has.
        """
        if place.line < max(self.dialect.rows.numbers, default=0):
            raise Unwritable("skip_rows has the number of a row below it")

    def append(self, records: Sequence[Any], way: Sequence[str] = ()) -> None:
        """Add rows. The table has a column for each field of the records."""
        self.append_lines("".join(map(self._new_row, records)))

    def _new_row(self, record: Mapping[str, Any]) -> str:
        cells = [""] * self._width
        for name, value in record.items():
            self.check_cleared(name, value)
            cells[self.columns[name]] = self._text(name, value)
        # A row without values is not a row.
        return csv_row(cells, Dialect(delimiter=self._delimiter)) if any(cells) else ""


def _joined(items: Sequence[Any], separator: str) -> str:
    """Return a list as the table has it.

    :raises Unwritable: if an item would be read as another one.
    """
    texts = [item if isinstance(item, str) else "" for item in items]
    if any(not text or text != text.strip() or separator in text for text in texts):
        raise Unwritable(f"its items can't be written between {separator!r}")
    return separator.join(texts)
