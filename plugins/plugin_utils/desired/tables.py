# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of other systems: the mapping of columns to fields, and of words to values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...module_utils.model.names import normal_name
from .dialect import ALL_ROWS, Dialect, Rows
from .globs import fits
from .nodes import Node
from .positions import Place

ID = ".id"
"""The suffix of a target whose column has ids of records instead of their names."""

KEEP, PRUNE = "keep", "prune"
"""What happens to a record whose row is missing from a table."""


@dataclass(frozen=True)
class Table:
    """An entry of ``tables``.

    :ivar setting: its name, such as ``tables[0]``.
    :ivar place: where it was written.
    :ivar patterns: of the paths of its files.
    :ivar changes: functions by setting that change the dialect of ``csv`` into the dialect of this table.
    :ivar columns: the normal name of a column to its field.
    :ivar ids: the normal names of columns with ids of records.
    :ivar constant: field to the value that each record without a value of its own gets.
    :ivar values: field to a map of the words in its cells to values.
    :ivar keeps_missing: True if a record stays when its row is missing.
    :ivar sheets: name of a sheet to its section; an empty section is that of the file.
    """

    setting: str
    place: Place
    patterns: tuple[str, ...] = ()
    changes: Mapping[str, Callable[[Dialect], Dialect]] = field(default_factory=dict)
    rows: Rows = ALL_ROWS
    columns: Mapping[str, str] = field(default_factory=dict)
    ids: frozenset[str] = frozenset()
    constant: Mapping[str, Node] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    keeps_missing: bool = False
    sheets: Mapping[str, str] = field(default_factory=dict)

    def matches(self, name: str) -> bool:
        """Return True if a file is one of this table, by its name below the directory."""
        return any(fits(name, pattern) for pattern in self.patterns)

    def over(self, dialect: Dialect) -> Dialect:
        """Return a dialect with the settings of this table."""
        for change in self.changes.values():
            dialect = change(dialect)
        return replace(dialect, rows=self.rows, named=frozenset(self.columns))

    def mapped(self, name: str) -> str:
        """Return the field of a column, by the name of the column."""
        return self.columns.get(normal_name(name), name)

    @property
    def names(self) -> frozenset[str]:
        """Return the fields of columns with names, whatever a cell looks like."""
        return frozenset(name for column, name in self.columns.items() if column not in self.ids)


@dataclass(frozen=True)
class Tables:
    """The tables of other systems.

    :ivar entries: the first that matches a file counts.
    :ivar by_label: label of a layer to its tables, if there are several layers.
    """

    entries: Sequence[Table] = ()
    by_label: Mapping[str, Tables] = field(default_factory=dict)

    def for_file(self, name: str) -> Table | None:
        """Return the entry for a file, by its name below the directory, including that of its layer."""
        for label in sorted(self.by_label, key=len, reverse=True):
            if name.startswith(f"{label}/"):
                return self.by_label[label].for_file(name.removeprefix(f"{label}/"))
        return next((entry for entry in self.entries if entry.matches(name)), None)

    @property
    def keeps_any(self) -> bool:
        """Return True if a table keeps records whose rows are missing."""
        inner = any(tables.keeps_any for tables in self.by_label.values())
        return inner or any(entry.keeps_missing for entry in self.entries)


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
