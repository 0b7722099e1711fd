# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert the cells of tables to values, each once, by the format of its table and the type of its field.

What the name of a column means is decided once for all of its cells, because a table may have a million rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...module_utils.model.field import MOST_CHARACTERS, BrokenCell, Field, InvalidValue, Spelling, shorten
from ...module_utils.model.kinds import SERVER_KEYS
from ...module_utils.model.schema import FieldError, Misfit, Schema, type_of
from ...module_utils.model.types_basic import TEXT, UNWRITABLE, broken_rules
from ...module_utils.resolve.natural_keys import identifying_fields
from .desired import DesiredInstance
from .dialect import Dialect, Misspelled
from .entry import Entry
from .words import BareWord

_LIST_MARKS = re.compile(r"[;,|\n]")
_TEXT = "text"
#: The shape of lists that may be written as the text of their only item.
_LINKS = "links"

_LIST = 'a list is written as a;b with `list_separator: ";"`, or as JSON: ["a", "b"]'
_BARE = "this is how a program writes an empty value; write null, or quotes around it"

#: Mistakes in cells of keys, by the identity of their entry and by the name of their field.
OddKeys = dict[int, dict[str, FieldError]]

#: Maximum number of values that a column keeps, because those of most dates and numbers repeat.
_MOST_KEPT = 4096

_UNCERTAIN = object()


class _Column:
    """A column of one table.

    :ivar key: of its field; empty if it has none, or none that files may write.
    :ivar is_text: True if a text without an oddity is its own value.
    """

    __slots__ = ("_field", "_has_rules", "_name", "_schema", "_table", "_values", "is_text", "key")

    def __init__(self, schema: Schema, name: str, table: Dialect) -> None:
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
        self._name, self._schema, self._table = name, schema, table
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
        try:
            value = self._schema.parse_value(self._table.spelled(self._name, field, cell), field, self._name)
        except (InvalidValue, Misspelled):
            return _UNCERTAIN
        return _UNCERTAIN if self._has_rules and broken_rules(value, field) else value


class Cells:
    """The cells of the tables of one desired state.

    :ivar odd_keys: the cells that are mistakes unless a record has this key.
    """

    def __init__(self, desired: DesiredInstance) -> None:
        self._desired = desired
        self.odd_keys: OddKeys = {}
        self._identifying: dict[tuple[Any, ...], frozenset[str]] = {}

    def certain(
        self, schema: Schema, entry: Entry, fields: Mapping[str, Any]
    ) -> tuple[dict[str, Any], Mapping[str, Any]]:
        """Return the values of a row that certainly are right by field key, and its other cells by name."""
        certain: dict[str, Any] = {}
        others: dict[str, Any] = {}
        # All cells of a row have one format.
        table = entry.places.format_of("") or Dialect()
        columns: dict[str, _Column] = table.columns.setdefault((schema, schema.revision), {})
        for name, cell in fields.items():
            if cell.__class__ is not str:
                others[name] = cell
                continue
            column = columns.get(name) or columns.setdefault(name, _Column(schema, name, table))
            if column.is_text and 0 < len(cell) <= MOST_CHARACTERS and Dialect.oddity(cell) is None:
                certain[column.key] = cell
            elif (value := column.value(cell)) is _UNCERTAIN:
                others[name] = cell
            else:
                certain[column.key] = value
        # A field that is written twice, by its key and by its label, is a mistake.
        is_twice = len(certain) + len(others) < len(fields)
        if others and not is_twice:
            found = (schema.find(name) for name in others)
            is_twice = any(field is not None and field.key in certain for field in found)
        return ({}, fields) if is_twice else (certain, others)

    def wanted(self, schema: Schema, entry: Entry, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return fields without the columns that a pattern ignores, unless they identify records."""
        format_of = entry.places.format_of
        if entry.is_table and (own := format_of("")) is not None and not own.loose:
            # All cells of a row have one format.
            return fields
        loose = {name for name in fields if (table := format_of(name)) is not None and name in table.loose}
        identifying = self.identifying(schema, entry)
        keys = {name for name in loose if (field := schema.find(name)) is not None and field.key in identifying}
        loose -= keys
        return {name: value for name, value in fields.items() if name not in loose} if loose else fields

    # ---- cells that a type accepts although they look like a mistake

    def odd(self, schema: Schema, entry: Entry, fields: Mapping[str, Any]) -> Iterator[tuple[str, FieldError]]:
        """Yield the names of fields whose cells are rejected, each with a finding."""
        for name, value in fields.items():
            why, field = "", schema.find(name)
            if value.__class__ is BareWord:
                why = "" if field is not None and value in field.allowed else _BARE
            elif value.__class__ in (str, BrokenCell) and (table := entry.places.format_of(name)) is not None:
                why = self._why_odd(schema, entry, name, value, table)
            if why:
                yield name, _odd(name, value, why)

    def _why_odd(self, schema: Schema, entry: Entry, name: str, cell: str, table: Dialect) -> str:
        field, odd = schema.find(name), Dialect.oddity(cell)
        if odd is None:
            is_list = field is not None and type_of(field).empty == () and cell.__class__ is str
            is_link = field is not None and type_of(field).shape == _LINKS and not _LIST_MARKS.search(cell)
            return _LIST if is_list and not is_link and not table.list_separator else ""
        if table.accepts_as_written(odd) or (field is not None and cell in field.allowed):
            return ""
        is_text = field is not None and type_of(field).shape == _TEXT and not field.allowed
        is_key = field is not None and is_text and field.key in self.identifying(schema, entry)
        if odd.kind == "blank":
            # A field that identifies records checks its own text.
            remedy = f"{self.remedy(entry, name, cell)}, or `trim: false` to write spaces"
            return f"{odd.why}{remedy}" if is_text and not is_key else ""
        column = self._desired.tables.column_of(entry.place_of(name).file, name)
        is_fine = (odd.kind == "shortened" and not is_text) or (odd.kind == "date" and not is_key)
        if is_fine or (odd.kind and column in table.text_columns):
            return ""
        if is_key and odd.kind != "null":
            # A text that is the key of an existing record always means that record.
            self.odd_keys.setdefault(id(entry), {})[name] = _odd(name, cell, odd.why)
            return ""
        return odd.why

    def remedy(self, entry: Entry, name: str, value: Any) -> str:
        """Say what to set if a cell of a table has a space at an edge; empty if it has none."""
        odd = Dialect.oddity(value) if isinstance(value, str) and entry.places.is_cell(name) else None
        is_blank = odd is not None and odd.kind == "blank"
        return f"; {self._desired.how_to_set(entry.place_of(name).file, 'trim: true')}" if is_blank else ""

    def identifying(self, schema: Schema, entry: Entry) -> frozenset[str]:
        """Return the keys of all fields that may identify the record of an entry."""
        marks = schema, schema.revision, entry.rules.match
        if marks not in self._identifying:
            named = self._desired.identity.get(schema.kind.section, ())
            self._identifying[marks] = identifying_fields(schema, {*named, *entry.rules.names})
        return self._identifying[marks]


def _odd(name: str, cell: str, why: str) -> FieldError:
    return FieldError.at((name,), f"{name}: {shorten(cell)}: {why}", "", Misfit(cell, why))
