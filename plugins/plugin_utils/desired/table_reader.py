# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert the rows of tables of other systems to records."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from ...module_utils.model.field import Plain, TypedCell, as_shown, is_uuid, shorten
from ...module_utils.model.kinds import KINDS, OBJECT, Kind
from ...module_utils.model.names import normal_name
from ...module_utils.model.schema import FieldError, Misfit, Schema
from .cells import OddKeys
from .desired import SECTIONS, DesiredInstance
from .dialect import Dialect
from .entry import Entry
from .nodes import Node, TreeNode, place_at
from .positions import Finding, Place
from .tables import ID, ReadTable, Table
from .words import NullCell, SettingText, in_yaml

#: A number as programs write it, and few people write keys: with zeros as fraction, or grouped by commas.
_NUMBER_AS_KEY = re.compile(r"\d+[.,]0+|\d{1,3}(,\d{3})+")

#: A number in groups of three digits, as some people write all of their keys.
_GROUPED = re.compile("\\d{1,3}([.'\u2019\u00a0\u202f ]\\d{3})+")


class _Mapped(TreeNode):
    """A record of a table, with the names and values after applying its settings."""

    __slots__ = ("_dialect", "_inner", "_written", "is_row")

    is_mapped = True

    def __init__(
        self, value: Any, inner: Node, written: Mapping[str, str], constant: Mapping[str, Node], dialect: Dialect
    ) -> None:
        super().__init__(value, inner.source, inner.mark, (), constant)
        self._inner = inner
        self.is_row = inner.is_row
        self._written = written
        self._dialect = dialect

    def format_of(self, _name: str) -> Dialect:
        return self._dialect

    def is_cell(self, _name: str) -> bool:
        return True

    @property
    def is_misread(self) -> bool:
        return self._inner.is_misread

    def member(self, key: Any) -> Node:
        written = self._written.get(key)
        if written is not None and self._inner.value.get(written) is self.value[key]:
            return self._inner.member(written)
        return super().member(key)

    def mark_of(self, key: Any) -> int:
        return self._inner.mark_of(self._column(key))

    def of_name(self, name: str) -> Place:
        is_constant = self.children is not None and name in self.children
        return self.within((name,)) if is_constant else self._inner.of_name(self._column(name))

    def _column(self, key: Any) -> Any:
        """Return the name of a member in the file. A column of the settings may be missing there."""
        written = self._written.get(key, key)
        return written if written in self._inner.value or written in self._inner.empty_cells() else key

    def empty_cells(self) -> Sequence[str]:
        names = {name: key for key, name in self._written.items()}
        found = (names.get(name, name) for name in self._inner.empty_cells())
        return [name for name in found if name not in self.value]


@dataclass
class TableReader:
    """Convert the rows of one file to records.

    :ivar dialect: decides which members of JSON are read. :ivar findings: collects what is wrong.
    :ivar warnings: collects warnings. :ivar read: what was read; None without rows.
    """

    table: Table
    section: str
    dialect: Dialect
    findings: list[Finding]
    warnings: list[str]
    read: ReadTable | None = None

    def __post_init__(self) -> None:
        self._written = {target: column for column, target in self.table.columns.items()}
        # Most records of JSON have the same members.
        self._format_for = cache(self.dialect.for_columns)

    def nodes(self, nodes: Iterable[Node]) -> Iterator[Node]:
        """Yield the records."""
        for node in nodes:
            if not isinstance(node.value, dict):
                yield node
                continue
            if self.read is None and node.is_row:
                self._take_header(node)
            yield self._record(node)

    def _take_header(self, node: Node) -> None:
        """Note the columns of a table. Warn of columns that only the settings have."""
        table = self.table
        columns = tuple(dict.fromkeys((*node.value, *node.empty_cells())))
        names = frozenset({*map(table.mapped, columns), *table.constant})
        place = replace(node.of_name(columns[0]), column=1)
        self.read = ReadTable(table, self.section, node.source, place, names, columns)
        # A header may be in another Unicode form than in the settings.
        self._written |= {table.mapped(column): column for column in columns if normal_name(column) in table.columns}
        existing = set(map(normal_name, columns))
        for column in table.columns:
            if column not in existing:
                words = f"there is no column {column!r}, which {table.setting}.columns names"
                self.warnings.append(f"{node.source}: {words}")

    def _record(self, node: Node) -> Node:
        table = self.table
        value: dict[str, Any] = {}
        dialect = node.format_of("") or self._format_for(tuple(node.value))
        for column, written in node.value.items():
            name, cell = table.mapped(column), written
            if cell.__class__ is str and not node.is_row:
                cell = dialect.as_text(column, cell.strip() if dialect.trim else cell)
            is_empty = (cell is None and name in table.constant) if node.is_row else cell == ""
            if is_empty or not (node.is_row or dialect.reads_column(column)):
                # An empty cell has the constant. Treat a member like an empty cell or an ignored column of a table.
                continue
            if name in value:
                both = " and ".join(repr(column) for column in node.value if table.mapped(column) == name)
                words = f"{name}: the columns {both} are the same field; map one of them, and ignore the other"
                self._find(node, column, name, words, "two columns are the same field")
                continue
            value[name] = self._value(node, column, name, cell)
        constant = {name: constant for name, constant in table.constant.items() if name not in value}
        value |= {name: _set(constant.value) for name, constant in constant.items()}
        return _Mapped(value, node, self._written, constant, dialect)

    def _value(self, node: Node, column: str, name: str, cell: Any) -> Any:
        words = self.table.values.get(normal_name(name))
        if words is not None and isinstance(cell, str) and (word := normal_name(as_shown(cell))) in words:
            return _set(words[word])
        if not node.is_row and isinstance(cell, str) and self.dialect.clears_cell(column, cell):
            return NullCell.from_word(cell)
        if cell.__class__ is Plain and column in self.dialect.text_columns:
            # JSON has all digits of a number.
            cell = str(cell)
        if normal_name(column) not in self.table.ids:
            return _named(cell) if normal_name(column) in self.table.columns else cell
        if not isinstance(cell, str):
            return cell
        text = str(cell).strip()
        if text.isdecimal() and text.isascii():
            # A number alone may also be the natural key of another record.
            return {"id": int(text)}
        if not is_uuid(text):
            why = f"expected an id, because {self.table.setting}.columns maps {column!r} to {name}{ID}"
            self._find(node, column, name, f"{name}: {shorten(cell)} does not fit; {why}", why, cell)
        return text

    def _find(self, node: Node, column: str, name: str, words: str, why: str, cell: Any = None) -> None:
        place = place_at(node.source, node.mark_of(column))
        self.findings.append(Finding.for_message(place, FieldError.at((name,), words, why, Misfit(cell, why))))


def _set(value: Any) -> Any:
    """Return a value of the settings, which no format of a table reads."""
    return SettingText(value) if value.__class__ is str else value


def _named(cell: Any) -> Any:
    """Return a cell, or a list in it, whose numbers are names wherever a field refers to records."""
    if cell.__class__ is list:
        return [_named(item) for item in cell]
    if cell.__class__ is Plain and cell.isdecimal():
        cell = TypedCell.from_spelling(cell, f'text; quote it: "{cell}", or name the column in text_columns')
    if isinstance(cell, TypedCell):
        # The zeros at the end of a fraction are lost: 1.10 is 1.1.
        cell.is_name = bool(cell.shown) or cell.isdecimal()
    return cell


def check_identity(
    desired: DesiredInstance,
    schema_of: Callable[[Kind], Schema],
    is_complete: Callable[[Kind], bool],
    odd_keys: OddKeys | None = None,
) -> Iterator[tuple[Place, FieldError]]:
    """Yield a finding for each table without a column for the natural key of its section.

    The natural keys and the unknown columns of such a table have no finding of their own.

    :param is_complete: returns True if a schema has all fields of a kind. Otherwise an unknown column may be any field.
    :param odd_keys: collects the mistakes that are none if a record has the key; None if that can't be known.
    """
    for setting in desired.tables.all_entries:
        reads = [
            (read, schema_of(KINDS[SECTIONS[read.section]])) for read in desired.tables_read if read.table is setting
        ]
        for words in _misnamed_values(setting, reads, is_complete) if reads else ():
            yield setting.place, FieldError.at((), f"{setting.setting}.values: {words}")
    for table in desired.tables_read:
        mistake = _why_unidentified(desired, table, schema_of, is_complete)
        if mistake is not None:
            desired.unidentified.add(table.source)
            yield table.place, mistake
    for entry in desired.entries if desired.unidentified else ():
        entry.misread |= entry.place.source in desired.unidentified
    entries = (entry for entry in desired.entries if entry.kind is OBJECT)
    objects = [entry for entry in entries if entry.places.is_row or entry.places.is_mapped]
    if objects:
        # Other files need no fields of objects, which would take requests.
        for entry, name, error in _numbers_as_keys(desired, schema_of(OBJECT), objects):
            if odd_keys is None:
                yield entry.place_of(name), error
            else:
                odd_keys.setdefault(id(entry), {})[name] = error


def _numbers_as_keys(
    desired: DesiredInstance, schema: Schema, objects: Sequence[Entry]
) -> Iterator[tuple[Entry, str, FieldError]]:
    """Yield a mistake for each key that is written as a number if all other keys of its column have only digits."""
    choices = [desired.key_choices(OBJECT, rules) for rules in {entry.rules for entry in objects}]
    keys = {key for rules in choices for choice in rules for key in choice}
    names = {name for key in keys if (field := schema.find(key)) is not None for name in (field.key, field.label)}
    written: defaultdict[tuple[str, str], list[Entry]] = defaultdict(list)
    has_digits: dict[tuple[str, str], bool] = {}
    for entry in objects:
        # Its whole place is not needed, and there are very many entries.
        source = (entry.own_place or entry.places).source
        for name in names:
            column = (source, name)
            if name in entry.fields and has_digits.get(column, True):
                key = entry.fields[name]
                if key.__class__ is not str or key.isdecimal():
                    has_digits[column] = True
                elif _NUMBER_AS_KEY.fullmatch(key) or _GROUPED.fullmatch(key):
                    written[column].append(entry)
                else:
                    has_digits[column] = False
    for (source, name), entries in written.items():
        is_grouped = any(_GROUPED.fullmatch(entry.fields[name]) for entry in entries)
        if has_digits.get((source, name), not is_grouped):
            yield from _number_findings(desired, name, entries)


def _number_findings(
    desired: DesiredInstance, name: str, entries: Sequence[Entry]
) -> Iterator[tuple[Entry, str, FieldError]]:
    file = entries[0].place.file
    if desired.tables.column_of(file, name) not in desired.tables.format_of(file).text_columns:
        why = "a program wrote this key as a number; write its digits alone, or name the column in text_columns"
        for entry in entries:
            key = entry.fields[name]
            yield entry, name, FieldError.at((name,), f"{name}: {shorten(key)}: {why}", "", Misfit(key, why))


def _misnamed_values(
    table: Table, reads: Sequence[tuple[ReadTable, Schema]], is_complete: Callable[[Kind], bool]
) -> Iterator[str]:
    """Yield what is wrong with each name in ``values`` that no file of the setting has as a field.

    :param reads: its files, each with the fields of its section.
    """
    known = {name: schema.find(name) for read, schema in reads for name in sorted(read.names)}
    for name in sorted(table.values.keys() - set(map(normal_name, known))):
        found = [field for _read, schema in reads if (field := schema.find(name)) is not None]
        written = [own for own, field in known.items() if field in found]
        if name in table.columns:
            yield f"{name}: this is a column; write its field, {table.columns[name]}"
        elif written and table.values.keys().isdisjoint(map(normal_name, written)):
            yield f"{name}: write this field as the files do, {written[0]}"
        elif not found and all(is_complete(schema.kind) for _read, schema in reads):
            yield f"{name}: {reads[0][1].why_unknown(name)}"


def _why_unidentified(
    desired: DesiredInstance, read: ReadTable, schema_of: Callable[[Kind], Schema], is_complete: Callable[[Kind], bool]
) -> FieldError | None:
    kind = KINDS[SECTIONS[read.section]]
    schema = schema_of(kind)
    known = {name: schema.find(name) for name in read.names}
    foreign = [name for name in read.columns if normal_name(name) not in read.table.columns and known.get(name) is None]
    if foreign and not is_complete(kind):
        return None
    present = {name if found is None else found.key for name, found in known.items()}
    choices = desired.key_choices(kind, desired.rules_of(read.source))
    missing = [[key for key in map(schema.key_of, choice) if key not in present] for choice in choices]
    if not all(missing):
        return None
    fields = " or ".join(map(", ".join, missing))
    gist = f"this table has no column for {fields}, which identifies a record of {read.section}"
    columns = ", ".join(map(in_yaml, read.columns))
    how = f"its columns are {columns}; map one of them to {missing[0][0]} in columns of {read.table.setting}"
    return FieldError.at((), f"{gist}; {how}", gist)
