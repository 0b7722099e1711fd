# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write an export as one workbook: a sheet for each section.

The same data always yields the same bytes.
"""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from ...module_utils.model.field import Field, Plain, Spelling
from ...module_utils.model.schema import Schema, type_of
from ..desired.desired import SECTIONS
from ..desired.dialect import ISO_DATE, Dialect
from ..desired.positions import letters_of
from ..desired.sources.xlsx_source import CONTROL, DIGITS, MAX_CELL, TEXT_FORMAT, openpyxl_library
from ..desired.words import names_of
from .export import Exported
from .layout import BULK
from .portable import HALF, name_in_files
from .writing import Incomplete, Unwritable, json_cell

_MAX_ROWS = 1_048_576
#: The first day on which spreadsheets agree about dates.
_FIRST_DAY = dt.date(1901, 1, 1)

_WHEN = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
_MODIFIED = re.compile(rb"(<dcterms:(created|modified)[^>]*>)[^<]*(</dcterms:)")
_ESCAPE_LIKE = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
MONEY_FORMAT = "#,##0.00"
_FORMATS = {Spelling.INTEGER: "0", Spelling.NUMBER: "General", Spelling.FLAG: "General", Spelling.DATE: "yyyy-mm-dd"}


@dataclass
class _Column:
    """A column of a sheet.

    :ivar name: name of the field in files. :ivar header: content of the first row. :ivar field: the field.
    """

    name: str
    header: str
    field: Field


def workbook_of(exported: Exported, dialect: Dialect) -> tuple[bytes, dict[str, list[Any]]]:
    """Return the workbook of an export, and the records of each section that it cannot have.

    :param dialect: the settings for the file.
    :raises InvalidInput: if openpyxl is not installed.
    """
    return _Writer(exported, dialect).book()


def sheets_of(content: bytes) -> set[str]:
    """Return the sections in a workbook of an export, or all sections if that is unknown."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            names = re.findall(rb'<sheet\b[^>]*?\bname="([^"]*)"', packed.read("xl/workbook.xml"))
    except (zipfile.BadZipFile, KeyError):
        return {*BULK}
    return {name.decode("utf-8", "replace") for name in names} & {*BULK}


def escaped_text(text: str) -> str:
    """Return a text as the XML of a cell has it, in which ``_x0041_`` is a letter."""
    return _ESCAPE_LIKE.sub("_x005F_", text)


def text_cell(library: Any, sheet: Any, text: str, bold: bool = False) -> Any:
    """Return a cell that has a text: no formula and no error, whatever the text looks like.

    :param library: openpyxl.
    """
    cell = library.cell.WriteOnlyCell(sheet)
    cell.value = escaped_text(text)
    cell.data_type = "s"
    cell.number_format = TEXT_FORMAT
    if bold:
        cell.font = library.styles.Font(bold=True)
    return cell


class _Writer:
    def __init__(self, exported: Exported, dialect: Dialect) -> None:
        self._exported = exported
        self._dialect = dialect
        self._library = openpyxl_library()
        self._book = self._library.Workbook(write_only=True)

    def book(self) -> tuple[bytes, dict[str, list[Any]]]:
        sections = [section for section in BULK if section in self._exported.sections]
        rest = {section: self._sheet(section, self._columns(section)) for section in sections}
        content = io.BytesIO()
        self._book.save(content)
        return _unchanging(content.getvalue()), {section: records for section, records in rest.items() if records}

    # ---- columns

    def _columns(self, section: str) -> list[_Column]:
        """Return the columns of a section: all writable fields that a cell can have."""
        schema = self._exported.schemas[SECTIONS[section]]
        named = [(name_in_files(schema, field), field) for field in self._exported.columns[section]]
        columns = [_Column(name, self._header(schema, field, name), field) for name, field in named]
        return [column for column in columns if column.header]

    def _header(self, schema: Schema, field: Field, name: str) -> str:
        """Return the label of a field if a column can have it, else its name in files, else an empty text."""
        label = field.label if field.label in names_of(schema, field) else ""
        is_fine = self._is_header(label) and "\n" not in label and not _ESCAPE_LIKE.search(label)
        return label if is_fine else name if self._is_header(name) else ""

    def _is_header(self, name: str) -> bool:
        """Return True if a reader reads a column of this name. It reads some columns as comments."""
        return self._dialect.reads_column(name) and _fits(name)

    # ---- sheets

    def _sheet(self, section: str, columns: Sequence[_Column]) -> list[Any]:
        """Write the sheet of a section. Return the records that it cannot have."""
        rows: list[list[Any]] = []
        rest = []
        for record in self._exported.sections[section]:
            try:
                is_unclear = self._dialect.clears and isinstance(record, Incomplete)
                if len(rows) == _MAX_ROWS - 1 or is_unclear or not {*record} <= {column.name for column in columns}:
                    raise Unwritable("there is no room for it")
                rows.append([cell_value(record.get(column.name), self._dialect) for column in columns])
            except Unwritable:
                rest.append(record)
        sheet = self._book.create_sheet(section)
        sheet.freeze_panes = "A2"
        sheet.auto_filter.ref = f"A1:{letters_of(max(len(columns), 1))}{len(rows) + 1}"
        for number, column in enumerate(columns, start=1):
            dimension = sheet.column_dimensions[letters_of(number)]
            dimension.width = min(max(len(column.header) + 4, 14), 40)
            dimension.number_format = _format_of(column.field)
        sheet.append([self._cell(sheet, column.header, TEXT_FORMAT, bold=True) for column in columns])
        for row in rows:
            sheet.append(
                [
                    None if value is None else self._cell(sheet, value, _format_of(column.field))
                    for value, column in zip(row, columns, strict=True)
                ]
            )
        return rest

    def _cell(self, sheet: Any, value: Any, number_format: str, bold: bool = False) -> Any:
        if isinstance(value, str):
            return text_cell(self._library, sheet, value, bold)
        cell = self._library.cell.WriteOnlyCell(sheet)
        cell.value = value
        cell.number_format = number_format
        return cell


def cell_value(value: Any, dialect: Dialect) -> Any:
    """Return a value for a cell: a number, a day, true or false, or a text.

    :raises Unwritable: if it would be read as something else, or if a cell can't contain it.
    """
    if value is None or isinstance(value, bool):
        return value
    is_json = isinstance(value, (Mapping, list, tuple))
    text = json_cell(value) if is_json else str(value)
    if isinstance(value, (Plain, int)):
        return _number_or_day(text)
    if not is_json and (text == dialect.null or text[:1] in ("[", "{") or not text or dialect.why_not_written(text)):
        raise Unwritable("a cell would not be read as this text")
    if not _fits(text):
        raise Unwritable("a cell can't contain it")
    return text


def _number_or_day(text: str) -> Any:
    """Return a number or a day that a cell can have, or the text."""
    if ISO_DATE.fullmatch(text):
        day = dt.date.fromisoformat(text)
        return day if day >= _FIRST_DAY else text
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    return number if number.is_finite() and Decimal(format(number, DIGITS)) == number else text


def _fits(text: str) -> bool:
    return len(escaped_text(text)) <= MAX_CELL and not (CONTROL.search(text) or "\r" in text or HALF.search(text))


def _format_of(field: Field) -> str:
    return MONEY_FORMAT if field.type == "MONEY" else _FORMATS.get(type_of(field).spelling, TEXT_FORMAT)


def _unchanging(content: bytes) -> bytes:
    """Return a workbook without the time at which it was written."""
    when = _WHEN.strftime("%Y-%m-%dT%H:%M:%SZ").encode()
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as packed, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as again:
        for name in sorted(packed.namelist(), key=lambda part: (part != "[Content_Types].xml", part)):
            part = packed.read(name)
            if name == "docProps/core.xml":
                part = _MODIFIED.sub(rb"\g<1>" + when + rb"\g<3>", part)
            again.writestr(zipfile.ZipInfo(name), part, zipfile.ZIP_DEFLATED)
    return written.getvalue()
