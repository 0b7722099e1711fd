# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read ``csv`` and ``tables`` of ``instance.yml``: two spellings of the formats of tables.

``csv`` says how all tables, or those of ``csv.files``, were saved. ``tables`` also maps files of other systems without
editing them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ...module_utils.errors import InvalidInput
from ...module_utils.local.safe_files import parts_of
from ...module_utils.model.dates import DateReader
from ...module_utils.model.field import Plain, integer_of, shorten
from ...module_utils.model.names import normal_name
from .desired import SECTIONS, DesiredInstance
from .dialect import ALL_ROWS, PRESETS, Dialect, Rows
from .encodings import encoding_of
from .nodes import EVERYTHING, Node, find_unknown
from .positions import Finding, Place
from .row_rules import OF_TABLES, ROW_SETTINGS, RowRules, Unfit
from .tables import ID, Change, Table, Tables

_EMPTY = ("ignore", "clear")
_SHEET_SECTIONS = tuple(section for section in SECTIONS if section != "fields")


class FormatSettings:
    """Read ``csv`` and ``tables``.

    :param findings: collects what is wrong.
    """

    def __init__(self, findings: list[Finding]) -> None:
        self._findings = findings

    def csv(self, node: Node, tables: Tables) -> Tables:
        """Return tables with the formats of ``csv``: its own keys for all files, those of ``files`` for some."""
        csv = self._table(node, "csv", (*CSV_KEYS, "files"), Dialect())
        general = csv.over(Dialect())
        files: list[Table] = []
        if isinstance(node.value, dict) and "files" in node.value:
            member = node.member("files")
            if not isinstance(member.value, dict):
                self._find(member, 'csv.files: expected a map such as {"objects/legacy-*.csv": {preset: excel-us}}')
            for pattern, settings in member.members.items() if isinstance(member.value, dict) else ():
                table = self._table(settings, f"csv.files.{pattern}", CSV_KEYS, general)
                files.append(replace(table, patterns=(str(pattern),)))
        return replace(tables, general=general, changes=csv.changes, files=files)

    def tables(self, node: Node, tables: Tables) -> Tables:
        """Return tables with the entries of ``tables``."""
        if not isinstance(node.value, list):
            words = "tables: expected a list of maps such as {files: objects/ledger-*.csv, columns: {Number: barcode}}"
            self._find(node, words)
            return replace(tables, entries=())
        for number, item in enumerate(node.items()):
            if isinstance(item.value, dict) and "files" not in item.value:
                self._find(item, f"tables[{number}]: expected files, a pattern of paths such as objects/ledger-*.csv")
        return replace(
            tables, entries=[self.entry(item, f"tables[{number}]") for number, item in enumerate(node.items())]
        )

    def entry(self, node: Node, setting: str) -> Table:
        """Read one entry of ``tables``, with or without its file patterns.

        :param setting: its name.
        """
        table = self._table(node, setting, (*TABLE_KEYS[:2], *CSV_KEYS, *TABLE_KEYS[2:]), Dialect())
        if not isinstance(node.value, dict):
            return table
        columns, ids = self._read(node, setting, "columns", _columns, ({}, frozenset()))
        return replace(
            table,
            patterns=self._read(node, setting, "files", _files, ()),
            rows=self._rows(node, setting),
            columns=columns,
            ids=ids,
            constant=self._constant(node, setting),
            values=self._read(node, setting, "values", _values, {}),
            rules=self._rules(node, setting),
            sheets=self._read(node, setting, "sheets", _sheets, {}),
        )

    def _table(self, node: Node, setting: str, known: tuple[str, ...], base: Dialect) -> Table:
        """Return an entry with the settings that change a format, the preset first.

        :param base: the format that it changes.
        """
        if not isinstance(node.value, dict):
            self._find(node, f"{setting}: expected a map with {', '.join(known)}")
            return Table(setting, node.place)
        find_unknown(node, known, f"{setting}.", self._find)
        changes: dict[str, Change] = {}
        dialect = base
        for name in CSV_KEYS:
            changed = self._read(node, setting, name, partial(_READERS[name], dialect), None)
            if changed is not None:
                dialect, changes[name] = changed, partial(with_setting, name=name, value=node.value[name])
        if dialect.decimal in dialect.thousands:
            self._find(node, f"{setting}: decimal and thousands are both {dialect.decimal!r}; set thousands too")
        return Table(setting, node.place, changes=changes)

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

    def _rules(self, node: Node, setting: str) -> RowRules:
        """Return what becomes of the rows of a table."""
        read = {
            name: self._read(node, setting, name, of_value, getattr(OF_TABLES, name))
            for name, of_value in ROW_SETTINGS.items()
        }
        return replace(OF_TABLES, setting=setting, place=node.place, **read)

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


# ---- the settings of every table


def with_setting(dialect: Dialect, name: str, value: Any) -> Dialect:
    """Return a format with one setting as ``instance.yml`` has it.

    :raises Unfit: if the value does not fit.
    """
    return _READERS[name](dialect, value)


def tried(desired: DesiredInstance, path: str, settings: Mapping[str, Any]) -> Dialect:
    """Return the format of a file with more settings, as if they were written where they are proposed."""
    tables = desired.tables
    table, in_csv = tables.for_file(path), tables.in_csv(path)
    home = table or in_csv
    is_general = home is None and not desired.has_own_format(path)
    changes = dict(tables.changes if is_general else {} if home is None else home.changes)
    changes |= {name: partial(with_setting, name=name, value=value) for name, value in settings.items()}
    changes = {name: changes[name] for name in CSV_KEYS if name in changes}
    base = Dialect() if is_general else tables.general
    base = base if table is None or in_csv is None else in_csv.over(base)
    changed = Table("csv", Place("")) if home is None else home
    return replace(changed, changes=changes).over(base)


def _preset(base: Dialect, value: Any) -> Dialect:
    if not isinstance(value, str) or value not in PRESETS:
        raise Unfit(f"one of {', '.join(PRESETS)}")
    return replace(
        PRESETS[value],
        clears=base.clears,
        null=base.null,
        nulls=base.nulls,
        ignore=base.ignore,
        list_separator=base.list_separator,
        texts=base.texts,
        trim=base.trim,
        is_chosen=True,
    )


def _delimiter(dialect: Dialect, value: Any) -> Dialect:
    if not isinstance(value, str) or len(value) != 1 or value in '"\r\n':
        raise Unfit('one character, such as ";"')
    return replace(dialect, delimiter=str(value), is_sure=True)


def _encoding(dialect: Dialect, value: Any) -> Dialect:
    codec = encoding_of(value if isinstance(value, str) else "")
    if not codec:
        raise Unfit("the name of an encoding of tables, such as utf-8, cp1252 or iso-8859-15")
    return replace(dialect, encoding=codec, writes=codec)


def _decimal(dialect: Dialect, value: Any) -> Dialect:
    if value not in (".", ","):
        raise Unfit('"." or ","')
    thousands = tuple(separator for separator in dialect.thousands if separator != value)
    return replace(dialect, decimal=str(value), thousands=thousands, is_chosen=True)


def _thousands(dialect: Dialect, value: Any) -> Dialect:
    marks = _texts_of(value, empty=True)
    if any(len(mark) > 1 or mark.isalnum() or mark == "-" for mark in marks):
        raise Unfit('one character or a list of some, such as "." or [" "]; "" for none')
    return replace(dialect, thousands=tuple(mark for mark in marks if mark), is_chosen=True)


def _dates(dialect: Dialect, value: Any) -> Dialect:
    patterns = _texts_of(value)
    try:
        DateReader(patterns)
    except ValueError as unknown:
        raise Unfit('patterns with day, month and year, such as ["%d.%m.%Y"]') from unknown
    return replace(dialect, dates=patterns)


def _booleans(dialect: Dialect, value: Any) -> Dialect:
    if isinstance(value, dict) and set(value) == {"true", "false"}:
        sides = [_texts_of(value["true"]), _texts_of(value["false"])]
    elif isinstance(value, list) and len(value) == 2:
        sides = [_texts_of(item) for item in value]
    else:
        raise Unfit("words for both, such as {true: [ja, x], false: [nein]}")
    if {word.casefold() for word in sides[0]} & {word.casefold() for word in sides[1]}:
        raise Unfit("other words for true than for false")
    return replace(dialect, true=sides[0], false=sides[1])


def _currency(dialect: Dialect, value: Any) -> Dialect:
    signs = _texts_of(value, empty=True)
    if any(any(letter.isdigit() or letter in "+-.," for letter in sign.removesuffix(".") or sign) for sign in signs):
        raise Unfit('signs such as ["€", "EUR"]')
    return replace(dialect, currency=tuple(sign.strip() for sign in signs if sign.strip()))


def _empty(dialect: Dialect, value: Any) -> Dialect:
    if isinstance(value, dict) and all(member in _EMPTY for member in value.values()):
        return replace(
            dialect, clears=frozenset(normal_name(str(name)) for name, meaning in value.items() if meaning == "clear")
        )
    if value not in _EMPTY:
        raise Unfit("ignore or clear, or a map of columns to these")
    return replace(dialect, clears=EVERYTHING if value == "clear" else frozenset())


def _null(dialect: Dialect, value: Any) -> Dialect:
    listed = value if isinstance(value, list) else [value]
    if not listed or not all(isinstance(word, str) and word for word in listed):
        raise Unfit('a word or a list of words in quotes, such as "-" or ["NULL", "n/a"]')
    words = tuple(map(str, listed))
    return replace(dialect, null=words[0], nulls=words[1:])


def _ignore(dialect: Dialect, value: Any) -> Dialect:
    return replace(dialect, ignore=_texts_of(value, empty=True))


def _list_separator(dialect: Dialect, value: Any) -> Dialect:
    if not isinstance(value, str) or len(value) != 1 or value.isalnum() or value in '"[]{}\r\n':
        raise Unfit('one character between the items of a list, such as ";"')
    return replace(dialect, list_separator=str(value))


def _text_columns(dialect: Dialect, value: Any) -> Dialect:
    return replace(dialect, texts=_texts_of(value))


def _trim(dialect: Dialect, value: Any) -> Dialect:
    if not isinstance(value, bool):
        raise Unfit("true or false")
    return replace(dialect, trim=value)


def _texts_of(value: Any, empty: bool = False) -> tuple[str, ...]:
    """Return one text or a list of texts. True and False become the words that they were written as.

    :raises Unfit: if it is neither.
    """
    listed = value if isinstance(value, list) else [value]
    texts = [str(item).lower() if isinstance(item, bool) else item for item in listed]
    if not texts or not all(isinstance(text, str) and (text or empty) for text in texts):
        raise Unfit("a text or a list of texts")
    return tuple(map(str, texts))


_READERS: Mapping[str, Callable[[Dialect, Any], Dialect]] = {
    "preset": _preset,
    "delimiter": _delimiter,
    "encoding": _encoding,
    "decimal": _decimal,
    "thousands": _thousands,
    "dates": _dates,
    "booleans": _booleans,
    "currency": _currency,
    "empty": _empty,
    "null": _null,
    "ignore": _ignore,
    "list_separator": _list_separator,
    "text_columns": _text_columns,
    "trim": _trim,
}

CSV_KEYS = tuple(_READERS)
"""The settings of every table."""


# ---- the settings of tables of other systems

TABLE_KEYS = ("files", "columns", "constant", "values", *ROW_SETTINGS, "sheets", "header_row", "skip_rows")
"""The settings of a table of another system, besides those of every table."""


def _files(value: Any) -> tuple[str, ...]:
    patterns = _texts_of(value)
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


def _sheets(value: Any) -> dict[str, str]:
    if isinstance(value, dict):
        if value and all(section in _SHEET_SECTIONS for section in value.values()):
            return {_sheet(name): str(section) for name, section in value.items()}
        raise Unfit(f"sheets to sections, which are {', '.join(_SHEET_SECTIONS)}")
    return dict.fromkeys((_sheet(name) for name in _texts_of(value)), "")


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
