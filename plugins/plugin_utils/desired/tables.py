# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How files become records: the format of each table, and the mapping of tables of other systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any

from ...module_utils.model.names import normal_name
from .dialect import ALL_ROWS, Dialect, Rows
from .globs import fits
from .nodes import Node
from .positions import Place
from .row_rules import OF_TABLES, RowRules

#: The suffix of a target whose column has ids of records instead of their names.
ID = ".id"


#: The parts of a format that one setting changes.
Change = Mapping[str, Any]


@dataclass(frozen=True)
class Table:
    """An entry of ``tables``, or of ``csv.files``, which only has a format.

    :ivar setting: its name, such as ``tables[0]``.
    :ivar place: where it was written.
    :ivar patterns: of the paths of its files.
    :ivar changes: the changes by setting that turn the format of ``csv`` into the format of this table.
    :ivar columns: the normal name of a column to its field.
    :ivar ids: the normal names of columns with ids of records.
    :ivar constant: field to the value that each record without a value of its own gets.
    :ivar values: field to a map of the words in its cells to values.
    :ivar rules: what becomes of its rows.
    :ivar sheets: name of a sheet to its section; an empty section is that of the file.
    """

    setting: str
    place: Place
    patterns: tuple[str, ...] = ()
    changes: Mapping[str, Change] = field(default_factory=dict)
    rows: Rows = ALL_ROWS
    columns: Mapping[str, str] = field(default_factory=dict)
    ids: frozenset[str] = frozenset()
    constant: Mapping[str, Node] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    rules: RowRules = OF_TABLES
    sheets: Mapping[str, str] = field(default_factory=dict)

    def matches(self, name: str) -> bool:
        """Return True if a file is one of this table, by its name below the directory."""
        return any(fits(name, pattern) for pattern in self.patterns)

    def over(self, dialect: Dialect) -> Dialect:
        """Return a dialect with the settings of this table."""
        in_order = sorted(self.changes, key=lambda setting: setting != "preset")
        parts = {name: part for setting in in_order for name, part in self.changes[setting].items()}
        changed = replace(dialect, **parts, rows=self.rows, named=frozenset(self.columns))
        if "thousands" in self.changes:
            return changed
        return replace(changed, thousands=tuple(mark for mark in changed.thousands if mark != changed.decimal))

    def column_of(self, name: str) -> str:
        """Return the column of a field, by the name of the field."""
        return next((column for column, target in self.columns.items() if target == name), name)

    def mapped(self, name: str) -> str:
        """Return the field of a column, by the name of the column."""
        return self.columns.get(normal_name(name), name)


@dataclass(frozen=True)
class Tables:
    """The settings of all tables.

    :ivar general: the entry of ``csv`` itself, for all files.
    :ivar files: the entries of ``csv.files``; the first that matches a file counts.
    :ivar entries: the entries of ``tables``, which change the format of ``csv``; the first that matches counts.
    :ivar by_label: label of a layer to its tables, if there are several layers.
    """

    general: Table = Table("csv", Place(""))
    files: Sequence[Table] = ()
    entries: Sequence[Table] = ()
    by_label: Mapping[str, Tables] = field(default_factory=dict)

    def format_of(self, name: str, more: Mapping[str, Change] | None = None, is_alone: bool = False) -> Dialect:
        """Return the format of a file, by its name below the directory, including that of its layer.

        :param more: changes as if they were set in the entry for the file, or else in ``csv``.
        :param is_alone: True if they were set for this file alone.
        """
        own, name = self.of_layer(name)
        found = [own.general, *(table for table in (own.in_csv(name), own.for_file(name)) if table is not None)]
        if is_alone and len(found) == 1:
            found.append(Table("csv", Place("")))
        found[-1] = replace(found[-1], changes={**found[-1].changes, **(more or {})})
        return reduce(lambda dialect, table: table.over(dialect), found, Dialect())

    def in_csv(self, name: str) -> Table | None:
        """Return the entry of ``csv.files`` for a file."""
        own, name = self.of_layer(name)
        return next((table for table in own.files if table.matches(name)), None)

    def for_file(self, name: str) -> Table | None:
        """Return the entry of ``tables`` for a file."""
        own, name = self.of_layer(name)
        return next((table for table in own.entries if table.matches(name)), None)

    def column_of(self, path: str, name: str) -> str:
        """Return the column of a field in a file, by the name of the field."""
        table = self.for_file(path)
        return table.column_of(name) if table else name

    def of_layer(self, name: str) -> tuple[Tables, str]:
        """Return the tables of the layer of a file, and the name of the file in the layer."""
        for label in sorted(self.by_label, key=len, reverse=True):
            if name.startswith(f"{label}/"):
                return self.by_label[label].of_layer(name.removeprefix(f"{label}/"))
        return self, name

    @cached_property
    def all_entries(self) -> list[Table]:
        """Return the entries of ``tables`` of all layers."""
        return [*self.entries, *(entry for tables in self.by_label.values() for entry in tables.all_entries)]

    @cached_property
    def match_names(self) -> frozenset[str]:
        """Return the names of all fields by which rows are matched."""
        return frozenset().union(*(entry.rules.names for entry in self.all_entries))


@dataclass(frozen=True)
class ReadTable:
    """A table that was read, by the meaning of its columns.

    :ivar place: of the row that names the columns.
    :ivar names: the fields of its columns, and its constants.
    :ivar columns: the names as the file has them.
    """

    table: Table
    section: str
    source: str
    place: Place
    names: frozenset[str]
    columns: tuple[str, ...]
