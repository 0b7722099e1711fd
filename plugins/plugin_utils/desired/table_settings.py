# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read ``tables`` of ``instance.yml``, which maps files of other systems without editing them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ...module_utils.errors import InvalidInput
from ...module_utils.local.safe_files import parts_of
from ...module_utils.model.field import Plain, integer_of, shorten
from ...module_utils.model.names import normal_name
from ...module_utils.model.suggestions import closest_names
from .csv_settings import CSV_KEYS, READERS, Unfit, read_preset, texts_of
from .desired import SECTIONS
from .dialect import ALL_ROWS, Dialect, Rows
from .nodes import Node
from .positions import Finding
from .tables import ID, KEEP, PRUNE, Table, Tables

TABLE_KEYS = ("files", "columns", "constant", "values", "missing_rows", "sheets", "header_row", "skip_rows")
"""The settings of a table of another system, besides those of every table."""

_KNOWN = (*TABLE_KEYS[:2], *CSV_KEYS, *TABLE_KEYS[2:])
_SHEET_SECTIONS = tuple(section for section in SECTIONS if section != "fields")


class TableSettings:
    """Read ``tables``.

    :param findings: collects what is wrong.
    """

    def __init__(self, findings: list[Finding]) -> None:
        self._findings = findings

    def read(self, node: Node) -> Tables:
        """Read the list of tables."""
        if not isinstance(node.value, list):
            words = "tables: expected a list of maps such as {files: objects/ledger-*.csv, columns: {Number: barcode}}"
            self._find(node, words)
            return Tables()
        for number, item in enumerate(node.items()):
            if isinstance(item.value, dict) and "files" not in item.value:
                self._find(item, f"tables[{number}]: expected files, a pattern of paths such as objects/ledger-*.csv")
        return Tables([self.entry(item, f"tables[{number}]") for number, item in enumerate(node.items())])

    def entry(self, node: Node, setting: str) -> Table:
        """Read one entry, with or without its file patterns.

        :param setting: its name.
        """
        if not isinstance(node.value, dict):
            self._find(node, f"{setting}: expected a map with {', '.join(_KNOWN)}")
            return Table(setting, node.place)
        for name, member in node.members.items():
            if name not in _KNOWN:
                suggestions = closest_names(str(name), _KNOWN)
                hint = f"did you mean {suggestions[0]}?" if suggestions else f"expected one of {', '.join(_KNOWN)}"
                self._find(member, f"{setting}.{name}: no such setting; {hint}")
        columns, ids = self._read(node, setting, "columns", _columns, ({}, frozenset()))
        return Table(
            setting,
            node.place,
            self._read(node, setting, "files", _files, ()),
            self._dialect(node, setting),
            self._rows(node, setting),
            columns,
            ids,
            self._constant(node, setting),
            self._read(node, setting, "values", _values, {}),
            self._read(node, setting, "missing_rows", _missing_rows, False),
            self._read(node, setting, "sheets", _sheets, {}),
        )

    def _find(self, node: Node, message: str) -> None:
        self._findings.append(Finding(node.place, message))

    def _read(self, node: Node, setting: str, name: str, read: Callable[[Any], Any], default: Any) -> Any:
        if name not in node.value:
            return default
        try:
            return read(node.value[name])
        except Unfit as expected:
            member = node.member(name)
            self._find(member, f"{setting}.{name}: {shorten(member.value)} does not fit; expected {expected}")
            return default

    def _dialect(self, node: Node, setting: str) -> Mapping[str, Callable[[Dialect], Dialect]]:
        """Return the changes to a dialect by setting, the preset first."""
        changes: dict[str, Callable[[Dialect], Dialect]] = {}
        dialect = Dialect()
        for name, read in {"preset": read_preset, **READERS}.items():
            if name in node.value:
                change = partial(_changed, read, node.value[name])
                changed = self._read(node, setting, name, partial(_tried, change, dialect), None)
                if changed is not None:
                    changes[name], dialect = change, changed
        if dialect.decimal in dialect.thousands:
            self._find(node, f"{setting}: decimal and thousands are both {dialect.decimal!r}; set thousands too")
        return changes

    def _rows(self, node: Node, setting: str) -> Rows:
        header = self._read(node, setting, "header_row", _header_row, 0)
        first, numbers, patterns = self._read(node, setting, "skip_rows", _skip_rows, (0, frozenset(), ()))
        return Rows(header, first, numbers, patterns) if header or first or numbers or patterns else ALL_ROWS

    def _constant(self, node: Node, setting: str) -> Mapping[str, Node]:
        if "constant" not in node.value:
            return {}
        member = node.member("constant")
        if not isinstance(member.value, dict) or not all(isinstance(name, str) and name for name in member.value):
            self._find(
                member, f"{setting}.constant: expected a map of fields to values, such as {{inventory_group: IT}}"
            )
            return {}
        return {str(name): member for name, member in member.members.items()}


def _changed(read: Callable[[Dialect, Any], Dialect], value: Any, dialect: Dialect) -> Dialect:
    return read(dialect, value)


def _tried(change: Callable[[Dialect], Dialect], dialect: Dialect, _value: Any) -> Dialect:
    return change(dialect)


def _files(value: Any) -> tuple[str, ...]:
    patterns = texts_of(value)
    for pattern in patterns:
        try:
            parts_of(pattern)
        except InvalidInput as outside:
            raise Unfit("patterns of paths below src, such as objects/ledger-*.csv") from outside
    return patterns


def _columns(value: Any) -> tuple[dict[str, str], frozenset[str]]:
    expected = "a map of columns to fields, such as {Inventory number: barcode, Room ID: target_room.id}"
    if not isinstance(value, dict) or not all(
        isinstance(member, str) and str(member).strip() for member in value.values()
    ):
        raise Unfit(expected)
    columns = {normal_name(str(column).strip()): str(name).strip() for column, name in value.items()}
    ids = frozenset(column for column, name in columns.items() if name.endswith(ID) and name != ID)
    columns = {column: name.removesuffix(ID) if column in ids else name for column, name in columns.items()}
    twice = next((name for name, count in Counter(columns.values()).items() if count > 1), "")
    if twice:
        raise Unfit(f"each field once, {twice} is written twice")
    return columns, ids


def _values(value: Any) -> dict[str, dict[str, Any]]:
    if not isinstance(value, dict) or not all(isinstance(words, dict) and words for words in value.values()):
        raise Unfit("a map of fields to their words, such as {inventory_group: {EDV: IT}}")
    return {
        normal_name(str(name)): {_word(word): meaning for word, meaning in words.items()}
        for name, words in value.items()
    }


def _word(word: Any) -> str:
    return str(word).lower() if isinstance(word, bool) else normal_name(str(word))


def _missing_rows(value: Any) -> bool:
    if value not in (KEEP, PRUNE):
        raise Unfit(f"{KEEP}, or {PRUNE} (the default, as policy.prune says)")
    return bool(value == KEEP)


def _sheets(value: Any) -> dict[str, str]:
    if isinstance(value, dict):
        if value and all(section in _SHEET_SECTIONS for section in value.values()):
            return {_sheet(name): str(section) for name, section in value.items()}
        raise Unfit(f"sheets to sections, which are {', '.join(_SHEET_SECTIONS)}")
    return dict.fromkeys((_sheet(name) for name in texts_of(value)), "")


def _sheet(name: Any) -> str:
    return normal_name(str(name)).strip().casefold()


def _header_row(value: Any) -> int:
    number = integer_of(value)
    if number is None or number < 1:
        raise Unfit("the number of the row that names the columns, from 1")
    return number


def _skip_rows(value: Any) -> tuple[int, frozenset[int], tuple[str, ...]]:
    expected = 'a number of rows, or a list of row numbers and of texts in the first cell, such as [4, "Total*"]'
    first = integer_of(value)
    if first is not None:
        if first < 0:
            raise Unfit(expected)
        return first, frozenset(), ()
    numbers, patterns = set(), []
    for item in value if isinstance(value, list) else [value]:
        number = integer_of(item)
        if number is not None and number > 0:
            numbers.add(number)
        elif isinstance(item, str) and not isinstance(item, Plain) and item.strip():
            patterns.append(str(item).strip())
        else:
            raise Unfit(expected)
    return 0, frozenset(numbers), tuple(patterns)
