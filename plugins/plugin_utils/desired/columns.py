# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the cells of tables that certainly are right. A table may have a million rows.

What the name of a column means is decided once for all of its cells. A cell that may be wrong is left to the checks
that know how to say so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...module_utils.model.field import MOST_CHARACTERS, Field, InvalidValue, Spelling
from ...module_utils.model.kinds import SERVER_KEYS
from ...module_utils.model.schema import Schema, type_of
from ...module_utils.model.types_basic import TEXT, UNWRITABLE, broken_rules
from .dialect import CellReader, Dialect

_MOST_KEPT = 4096
"""Maximum number of values that a column keeps, because those of most dates and numbers repeat."""

_MOST_READERS = 64
"""Maximum number of readers whose columns are kept. A record that is merged from several layers has its own reader."""

_UNCERTAIN = object()


class _Column:
    """A column of the tables that one reader reads.

    :ivar key: of its field; empty if it has none, or none that files may write.
    :ivar is_text: True if a text without an oddity is its own value.
    """

    __slots__ = ("_convert", "_field", "_has_rules", "_name", "_schema", "_values", "is_text", "key")

    def __init__(self, schema: Schema, name: str, reader: CellReader | None) -> None:
        found = schema.find(name)
        field = None if found is None or {name, found.key} & SERVER_KEYS else found
        faces = UNWRITABLE if field is None else type_of(field)
        self.key = "" if field is None else field.key
        is_limited = field is not None and bool(field.allowed or field.constraints)
        # A text that is not empty may be in a mandatory field.
        self.is_text = faces.parse is TEXT.parse and not is_limited
        self._has_rules = field is not None and (is_limited or field.mandatory)
        # Items of lists may be local files, and times may need the offset of a time zone.
        self._field = None if faces.empty == () or faces.spelling is Spelling.INSTANT else field
        self._name, self._schema = name, schema
        self._convert = None if reader is None or field is None else reader.converter(field, name)
        self._values: dict[str, Any] = {}

    def value(self, cell: str) -> Any:
        """Return the value of a cell; ``_UNCERTAIN`` if it may be wrong."""
        value = self._values.get(cell, _UNCERTAIN)
        if value is _UNCERTAIN and self._field is not None and Dialect.oddity(cell) is None:
            value = self._new_value(cell, self._field)
            if len(self._values) < _MOST_KEPT:
                self._values[cell] = value
        return value

    def _new_value(self, cell: str, field: Field) -> Any:
        text = cell if self._convert is None else self._convert(cell)
        if text is None:
            return _UNCERTAIN
        try:
            value = self._schema.parse_value(text, field, self._name)
        except InvalidValue:
            return _UNCERTAIN
        return _UNCERTAIN if self._has_rules and broken_rules(value, field) else value


class Columns:
    """The columns of the tables of one desired state."""

    def __init__(self) -> None:
        self._columns: dict[tuple[Schema, int, int], dict[str, _Column]] = {}
        self._readers: dict[int, CellReader | None] = {}

    def split(
        self, schema: Schema, reader: CellReader | None, fields: Mapping[str, Any]
    ) -> tuple[dict[str, Any], Mapping[str, Any]]:
        """Return the values of a row that certainly are right by field key, and its other cells by name."""
        columns = self._of(schema, reader)
        if columns is None:
            return {}, fields
        certain: dict[str, Any] = {}
        others: dict[str, Any] = {}
        for name, cell in fields.items():
            column = columns.get(name) or columns.setdefault(name, _Column(schema, name, reader))
            if cell.__class__ is not str:
                others[name] = cell
            elif column.is_text and 0 < len(cell) <= MOST_CHARACTERS and Dialect.oddity(cell) is None:
                certain[column.key] = cell
            else:
                value = column.value(cell)
                if value is _UNCERTAIN:
                    others[name] = cell
                else:
                    certain[column.key] = value
        if not others and len(certain) == len(fields):
            return certain, others
        # A field that is written twice, by its key and by its label, is a mistake.
        is_twice = len(certain) + len(others) < len(fields) or any(columns[name].key in certain for name in others)
        return ({}, fields) if is_twice else (certain, others)

    def _of(self, schema: Schema, reader: CellReader | None) -> dict[str, _Column] | None:
        """Return the columns of a reader by name; None if there are too many readers."""
        mark = (schema, schema.revision, id(reader))
        columns = self._columns.get(mark)
        if columns is None and len(self._readers) < _MOST_READERS:
            # While the reader is kept, no other object has its identity.
            self._readers[id(reader)] = reader
            columns = self._columns[mark] = {}
        return columns
