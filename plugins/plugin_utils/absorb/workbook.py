# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Edit cells of a workbook. Formats, formulas and everything else keep their bytes.

The XML of a cell is replaced in place: a library that reads and writes the whole file loses what it does not know.
"""

from __future__ import annotations

import datetime as dt
import html
import io
import re
import zipfile
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ..desired.dialect import Dialect
from ..desired.positions import CellPlace, Place, letters_of
from ..desired.sources.xlsx_source import parts_of_sheets
from ..export.workbook import cell_value, escaped_text
from ..export.writing import Unwritable, json_cell
from .sources import Source
from .table import THROUGH_FORMULA
from .text_file import Edit, EditedFile, NewValue

_ATTRIBUTE = re.compile(r"""([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_ROW = re.compile(r"<row\b[^>]*?(?:/>|>.*?</row>)", re.DOTALL)
_CELL = re.compile(r"<c\b([^>]*?)(?:/>|>(.*?)</c>)", re.DOTALL)
_FORMULA = re.compile(r"<f\b")
_FORMULA_BYTES = re.compile(rb"<f\b")
_RESULT = re.compile(r"(<f\b[^>]*?(?:/>|>[^<]*</f>))\s*<v>[^<]*</v>")
_CALCULATION = re.compile(r"<calcPr\b([^>]*?)\s*(/?)>")


@dataclass(frozen=True)
class _Cell(Edit):
    """The XML that replaces the XML of a cell."""

    sheet: str
    row: int
    column: int
    xml: str


class _Sheet:
    """The XML of a sheet, and the positions of its rows."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.rows: dict[int, tuple[int, int]] = {}
        for found in _ROW.finditer(text):
            number = _attributes(found[0].partition(">")[0]).get("r", "")
            if number.isdecimal():
                self.rows[int(number)] = found.span()

    def cells(self, row: int) -> Iterator[re.Match[str]]:
        """Yield the cells of a row, as matches in the text of the sheet."""
        start, end = self.rows[row]
        return _CELL.finditer(self.text, start, end)

    def changed(self, edits: Sequence[_Cell]) -> str:
        """Return the XML with some cells replaced."""
        by_row: dict[int, dict[int, str]] = {}
        for edit in edits:
            by_row.setdefault(edit.row, {})[edit.column] = edit.xml
        parts, at = [], 0
        for number in sorted(by_row, key=lambda number: self.rows[number]):
            start, end = self.rows[number]
            parts += [self.text[at:start], self._changed_row(number, by_row[number])]
            at = end
        return "".join([*parts, self.text[at:]])

    def _changed_row(self, number: int, cells: Mapping[int, str]) -> str:
        start, end = self.rows[number]
        written = {_column_of(found): found[0] for found in self.cells(number)}
        ordered = dict(sorted({**written, **cells}.items()))
        row = self.text[start:end]
        head = row[: row.index(">") + 1]
        if head.endswith("/>"):
            head = f"{head[:-2]}>"
        return f"{head}{''.join(ordered.values())}</row>"


class WorkbookFile(EditedFile):
    """A workbook, and its pending edits.

    A change makes the stored results of formulas stale, and LibreOffice shows them without calculating. They are
    removed, except in columns that records are read from, because a plan reads the stored results there.

    :param columns: title and column (from 1) of each sheet that records are read from.
    :ivar epoch: the day from which its dates count.
    """

    def __init__(self, content: bytes, columns: Container[tuple[str, int]]) -> None:
        super().__init__()
        self._content = content
        self._columns = columns
        self._sheets: dict[str, _Sheet] = {}
        self._parts, self.epoch = parts_of_sheets(content)

    def sheet(self, title: str) -> tuple[str, _Sheet]:
        """Return the name of the part with a sheet, and its XML.

        :raises Unwritable: if it is not found.
        """
        part = self._parts.get(title)
        if part is None:
            raise Unwritable("its sheet is not found in the workbook")
        if part not in self._sheets:
            with zipfile.ZipFile(io.BytesIO(self._content)) as packed:
                self._sheets[part] = _Sheet(packed.read(part).decode())
        return part, self._sheets[part]

    def put(self, part: str, place: CellPlace, xml: str, cell: str) -> None:
        """Replace the XML of a cell.

        :param cell: the cell in words, with both values.
        """
        self._edits.append(_Cell(self._comes_last, cell, part, place.line, place.column, xml))

    def parts(self) -> None:
        """Return None: a workbook has no lines."""

    def cells(self) -> list[str]:
        return [edit.cell for edit in self._edits]

    def content(self, is_halfway: bool = False) -> bytes:
        edits = [edit for edit in self._edits if not (is_halfway and edit.comes_last)]
        if not edits:
            return self._content
        changed = {
            part: sheet.changed([edit for edit in edits if edit.sheet == part]) for part, sheet in self._sheets.items()
        }
        titles = {part: title for title, part in self._parts.items()}
        written = io.BytesIO()
        with (
            zipfile.ZipFile(io.BytesIO(self._content)) as packed,
            zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as kept,
        ):
            for part in packed.infolist():
                content = packed.read(part)
                if part.filename in changed:
                    content = changed[part.filename].encode()
                if part.filename in titles and _FORMULA_BYTES.search(content):
                    content = self._without_results(titles[part.filename], content.decode()).encode()
                elif part.filename == "xl/workbook.xml":
                    content = _recalculating(content.decode()).encode()
                kept.writestr(part, content)
        return written.getvalue()

    def _without_results(self, title: str, sheet: str) -> str:
        return _CELL.sub(
            lambda cell: cell[0] if (title, _column_of(cell)) in self._columns else _RESULT.sub(r"\1", cell[0]), sheet
        )


class WorkbookSource(Source):
    """A workbook that records are read from.

    Values are written into existing cells; no row is added or removed.

    :param dialect: says which cell clears a field. :param values: returns what a cell has, if it is known.
    """

    file: WorkbookFile

    def __init__(self, file: WorkbookFile, has_variables: bool, dialect: Dialect, values: Mapping[Place, Any]) -> None:
        self.file = file
        self._has_variables = has_variables
        self._dialect = dialect
        self._values = values

    def set(self, place: Place, name: str, new: NewValue) -> None:
        self.add(place, name, new.value)

    def remove(self, place: Place) -> None:
        raise Unwritable("it is a row of a workbook, on which formulas may depend; delete it there")

    def append(self, records: Sequence[Any], way: Sequence[str] = ()) -> None:
        raise Unwritable("rows are not added to a workbook")

    def add(self, place: Place, name: str, value: Any) -> None:
        if not isinstance(place, CellPlace) or place.column < 1:
            raise Unwritable(f"the sheet has no column {name}; add it (its cells may be empty), and run this again")
        title = place.source.removeprefix(f"{place.source.workbook}:")
        part, sheet = self.file.sheet(title)
        if place.line not in sheet.rows or not all(map(_column_of, sheet.cells(place.line))):
            raise Unwritable("its row is not found in the workbook")
        old = next((found for found in sheet.cells(place.line) if _column_of(found) == place.column), None)
        if old is not None and _FORMULA.search(old[2] or ""):
            raise Unwritable(THROUGH_FORMULA)
        attributes = _attributes(old[1]) if old is not None else {}
        inner = old[2] or "" if old is not None else ""
        if self._has_variables and "${" in inner:
            raise Unwritable("it may have come through a variable")
        kind, body = self._written(name, value, attributes.get("t", "n") == "n" and "<v" in inner)
        style = f' s="{attributes["s"]}"' if "s" in attributes else ""
        cell = f"{letters_of(place.column)}{place.line}"
        head = f'<c r="{cell}"{style}'
        words = f"{title}!{cell}: {_in_words(self._values.get(place))} -> {_in_words(value)}"
        self.file.put(part, place, f"{head}{kind}>{body}</c>" if body else f"{head}/>", words)

    def _written(self, name: str, value: Any, was_number: bool) -> tuple[str, str]:
        """Return the type of a cell, as an attribute, and what is in it."""
        if value is None or value == []:
            cell: Any = self._dialect.clearing_cell(name)
            if cell is None:
                raise Unwritable("an empty cell of the table changes nothing")
            if not cell:
                return "", ""
        else:
            cell = cell_value(value, self._dialect)
        if isinstance(cell, bool):
            return ' t="b"', f"<v>{int(cell)}</v>"
        if isinstance(cell, Decimal):
            return "", f"<v>{cell:f}</v>"
        if isinstance(cell, dt.date) and was_number and cell > self.file.epoch:
            return "", f"<v>{(cell - self.file.epoch).days}</v>"
        text = html.escape(escaped_text(str(cell)), quote=False)
        return ' t="inlineStr"', f'<is><t xml:space="preserve">{text}</t></is>'


def _in_words(value: Any) -> str:
    return "" if value is None else json_cell(value) if isinstance(value, (Mapping, list, tuple)) else str(value)


def _attributes(tag: str) -> dict[str, str]:
    return {name: html.unescape(quoted or other) for name, quoted, other in _ATTRIBUTE.findall(tag)}


def _column_of(cell: re.Match[str]) -> int:
    """Return the number of the column of a cell, from 1."""
    number = 0
    for letter in _attributes(cell[1]).get("r", "").rstrip("0123456789"):
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def _recalculating(workbook: str) -> str:
    """Return the part that lists the sheets, changed so that programs recalculate all formulas on opening."""
    unsaid = re.sub(r'\s*\bfullCalcOnLoad="[^"]*"', "", workbook)
    return _CALCULATION.sub(r'<calcPr\1 fullCalcOnLoad="1"\2>', unsaid)
