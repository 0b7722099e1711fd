# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CSV to plain values that know where they were written."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterator
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.desired import Finding, Place
from ansible_collections.community.seventhings.plugins.module_utils.fields import Plain

from .json_source import no_constant
from .nodes import COLUMN_BITS, JINJA, Node, jinja_in, mark_at, place_at

_CELL_LIMIT = 2**31 - 1


class _Table:
    """What all rows of a table share: the lines of its file, how cells are parted, the names in the first row."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self.lines = io.StringIO(text, newline="").readlines()
        first = self.lines[0] if self.lines else ""
        self.delimiter = max(",;\t", key=first.count)
        self.header: list[str] = []
        self.header_line = 1

    def mark(self, line: int, index: int) -> int:
        """Where a cell begins, of the row that begins in a line (both from 1)."""
        column, quoted, left = 1, False, index
        while left and line <= len(self.lines):
            text = self.lines[line - 1]
            if column > len(text):
                line, column = line + 1, 1
                continue
            letter = text[column - 1]
            if letter == '"':
                quoted = not quoted
            elif letter == self.delimiter and not quoted:
                left -= 1
            column += 1
        return mark_at(line, column)


class _Row(Node):
    """A row of a table."""

    __slots__ = ("_table",)

    def __init__(self, value: Any, table: _Table, line: int) -> None:
        super().__init__(value, table.source, mark_at(line, 1))
        self._table = table

    def mark_of(self, key: Any) -> int:
        if key not in self._table.header:
            return self.mark
        return self._table.mark(self.mark >> COLUMN_BITS, self._table.header.index(key))

    def mark_of_name(self, key: Any) -> int:
        return self._table.mark(self._table.header_line, self._table.header.index(key))


def read_csv(text: str, source: str, findings: list[Finding]) -> Iterator[Node]:
    """One record a row, the field keys in the first. An empty cell is not managed; one with [ or { is JSON."""
    table = _Table(text.removeprefix("\ufeff"), source)
    csv.field_size_limit(_CELL_LIMIT)
    reader = csv.reader(table.lines, delimiter=table.delimiter, strict=True)
    may_have_jinja = any(mark in text for mark in JINJA)
    line = 1
    try:
        for row in reader:
            if not row:
                pass
            elif not table.header:
                table.header, table.header_line = [sys.intern(name.strip()) for name in row], line
                wrong = _wrong_header(table)
                findings += wrong
                if wrong:
                    return
            elif len(row) != len(table.header):
                findings.append(
                    Finding(
                        Place(source, line, 1),
                        f"expected {len(table.header)} cells as in the first row, these are {len(row)}",
                    )
                )
            else:
                node = _row(row, table, line, findings)
                if may_have_jinja:
                    findings += jinja_in(node)
                yield node
            line = reader.line_num + 1
    except csv.Error as error:
        findings.append(Finding(Place(source, line, 1), f"this is not CSV: {error}"))


def _wrong_header(table: _Table) -> list[Finding]:
    wrong = []
    for index, name in enumerate(table.header):
        place = place_at(table.source, table.mark(table.header_line, index))
        if not name:
            wrong.append(Finding(place, "this column has no name"))
        elif name in table.header[:index]:
            wrong.append(Finding(place, f"the column {name} is written twice"))
    return wrong


def _row(row: list[str], table: _Table, line: int, findings: list[Finding]) -> Node:
    value: dict[str, Any] = {}
    for name, cell in zip(table.header, row, strict=True):
        if not cell:
            continue
        if cell[0] in "[{":
            try:
                value[name] = json.loads(cell, parse_int=Plain, parse_float=Plain, parse_constant=no_constant)
            except (ValueError, RecursionError) as error:
                place = place_at(table.source, table.mark(line, table.header.index(name)))
                findings.append(Finding(place, f"{name}: this is not JSON: {error}"))
        else:
            value[name] = cell
    return _Row(value, table, line)
