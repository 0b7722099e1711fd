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
from typing import Any

from ...module_utils.errors import InvalidInput
from ...module_utils.local.safe_files import parts_of
from ...module_utils.model.dates import DateReader
from ...module_utils.model.field import Plain, integer_of
from ...module_utils.model.names import normal_name
from .dialect import ALL_ROWS, PRESETS, Dialect, Rows
from .encodings import encoding_of
from .nodes import EVERYTHING, Node
from .row_rules import OF_TABLES, ROW_SETTINGS
from .shapes import Find, Unfit, each_of, map_of, value_of
from .sources.xlsx_source import SHEET_SECTIONS
from .tables import ID, Change, Table
from .words import folded

_EMPTY = ("ignore", "clear")
#: The parts of a format that a preset decides.
_OF_PRESET = (
    *("delimiter", "is_sure", "encoding", "fallback", "writes"),
    *("decimal", "thousands", "dates", "true", "false", "currency"),
)


def csv_of(node: Node, name: str, find: Find) -> dict[str, Any]:
    """Return the members of :class:`Tables` that ``csv`` decides: its own keys for all files, ``files`` for some."""
    read = _CSV(node, name, find) or {}
    csv = _table(name, node, read, Dialect(), find)
    files = [
        replace(_table(f"{name}.files.{pattern}", inner, found, csv.over(Dialect()), find), patterns=(pattern,))
        for pattern, (inner, found) in read.get("files", {}).items()
    ]
    return {"general": csv, "files": files}


def tables_of(node: Node, name: str, find: Find) -> dict[str, Any]:
    """Return the member of :class:`Tables` that ``tables`` decides."""
    if not isinstance(node.value, list):
        expected = "a list of maps such as {files: objects/ledger-*.csv, columns: {Number: barcode}}"
        find(node, f"{name}: expected {expected}")
        return {}
    nodes = {f"{name}[{number}]": item for number, item in enumerate(node.items())}
    for setting, item in nodes.items():
        if isinstance(item.value, dict) and "files" not in item.value:
            find(item, f"{setting}: expected files, a pattern of paths such as objects/ledger-*.csv")
    return {"entries": [table_of(item, setting, find) for setting, item in nodes.items()]}


def table_of(node: Node, setting: str, find: Find) -> Table:
    """Read one entry of ``tables``, with or without its file patterns.

    :param setting: its name.
    """
    read = _TABLE(node, setting, find) or {}
    columns, ids = read.get("columns", ({}, frozenset()))
    rows = Rows(read.get("header_row", 0), **read.get("skip_rows", {}))
    rules = {name: read[name] for name in ROW_SETTINGS if name in read}
    return replace(
        _table(setting, node, read, Dialect(), find),
        patterns=read.get("files", ()),
        rows=ALL_ROWS if rows == ALL_ROWS else rows,
        columns=columns,
        ids=ids,
        constant=read.get("constant", {}),
        values=read.get("values", {}),
        rules=replace(OF_TABLES, setting=setting, place=node.place, **rules),
        sheets=read.get("sheets", {}),
    )


def _table(setting: str, node: Node, read: Mapping[str, Any], base: Dialect, find: Find) -> Table:
    """Return an entry with the settings that change a format, the preset first.

    :param base: the format that it changes.
    """
    table = Table(setting, node.place, changes={name: read[name] for name in CSV_KEYS if name in read})
    dialect = table.over(base)
    if dialect.decimal in dialect.thousands:
        find(node, f"{setting}: decimal and thousands are both {dialect.decimal!r}; set thousands too")
    return table


# ---- the settings of every table


def _preset(value: Any) -> Change:
    if not isinstance(value, str) or value not in PRESETS:
        raise Unfit(f"one of {', '.join(PRESETS)}")
    return {**{name: getattr(PRESETS[value], name) for name in _OF_PRESET}, "is_chosen": True}


def _delimiter(value: Any) -> Change:
    if not isinstance(value, str) or len(value) != 1 or value in '"\r\n':
        raise Unfit('one character, such as ";"')
    return {"delimiter": str(value), "is_sure": True}


def _encoding(value: Any) -> Change:
    codec = encoding_of(value if isinstance(value, str) else "")
    if not codec:
        raise Unfit("the name of an encoding of tables, such as utf-8, cp1252 or iso-8859-15")
    return {"encoding": codec, "writes": codec}


def _decimal(value: Any) -> Change:
    if value not in (".", ","):
        raise Unfit('"." or ","')
    return {"decimal": str(value), "is_chosen": True}


def _thousands(value: Any) -> Change:
    marks = _texts_of(value, empty=True)
    if any(len(mark) > 1 or mark.isalnum() or mark == "-" for mark in marks):
        raise Unfit('one character or a list of some, such as "." or [" "]; "" for none')
    return {"thousands": tuple(mark for mark in marks if mark), "is_chosen": True}


def _dates(value: Any) -> Change:
    patterns = _texts_of(value)
    try:
        DateReader(patterns)
    except ValueError as unknown:
        raise Unfit('patterns with day, month and year, such as ["%d.%m.%Y"]') from unknown
    return {"dates": patterns}


def _booleans(value: Any) -> Change:
    sides = list(map(value.get, ("true", "false"))) if isinstance(value, dict) and len(value) == 2 else value
    if not isinstance(sides, list) or len(sides) != 2 or None in sides:
        raise Unfit("words for both, such as {true: [ja, x], false: [nein]}")
    true, false = map(_texts_of, sides)
    if {word.casefold() for word in true} & {word.casefold() for word in false}:
        raise Unfit("other words for true than for false")
    return {"true": true, "false": false}


def _currency(value: Any) -> Change:
    signs = _texts_of(value, empty=True)
    if any(any(letter.isdigit() or letter in "+-.," for letter in sign.removesuffix(".") or sign) for sign in signs):
        raise Unfit('signs such as ["€", "EUR"]')
    return {"currency": tuple(sign.strip() for sign in signs if sign.strip())}


def _empty(value: Any) -> Change:
    if isinstance(value, dict) and all(member in _EMPTY for member in value.values()):
        cleared = [normal_name(str(name)) for name, meaning in value.items() if meaning == "clear"]
        return {"clears": frozenset(cleared)}
    if value not in _EMPTY:
        raise Unfit("ignore or clear, or a map of columns to these")
    return {"clears": EVERYTHING if value == "clear" else frozenset()}


def _null(value: Any) -> Change:
    listed = value if isinstance(value, list) else [value]
    if not listed or not all(isinstance(word, str) and word for word in listed):
        raise Unfit('a word or a list of words in quotes, such as "-" or ["NULL", "n/a"]')
    words = tuple(map(str, listed))
    return {"null": words[0], "nulls": words[1:]}


def _list_separator(value: Any) -> Change:
    if not isinstance(value, str) or len(value) != 1 or value.isalnum() or value in '"[]{}\r\n':
        raise Unfit('one character between the items of a list, such as ";"')
    return {"list_separator": str(value)}


def _trim(value: Any) -> Change:
    if not isinstance(value, bool):
        raise Unfit("true or false")
    return {"trim": value}


def _texts_of(value: Any, empty: bool = False) -> tuple[str, ...]:
    """Return one text or a list of texts. True and False become the words that they were written as.

    :raises Unfit: if it is neither.
    """
    listed = value if isinstance(value, list) else [value]
    found = [str(item).lower() if isinstance(item, bool) else item for item in listed]
    if not found or not all(isinstance(text, str) and (text or empty) for text in found):
        raise Unfit("a text or a list of texts")
    return tuple(map(str, found))


#: The settings of every table, each with the function that reads its value.
READERS: Mapping[str, Callable[[Any], Change]] = {
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
    "ignore": lambda value: {"ignore": _texts_of(value, empty=True)},
    "list_separator": _list_separator,
    "text_columns": lambda value: {"texts": _texts_of(value)},
    "trim": _trim,
}

CSV_KEYS = tuple(READERS)

_FORMAT = {name: value_of(read) for name, read in READERS.items()}
_OF_FILE = map_of(_FORMAT, f"a map with {', '.join(CSV_KEYS)}")


def _of_file(node: Node, name: str, find: Find) -> tuple[Node, dict[str, Any]]:
    return node, _OF_FILE(node, name, find) or {}


_CSV = map_of(
    {**_FORMAT, "files": each_of(_of_file, 'a map such as {"objects/legacy-*.csv": {preset: excel-us}}')},
    f"a map with {', '.join((*CSV_KEYS, 'files'))}",
)


# ---- the settings of tables of other systems


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
    if not isinstance(value, dict) or not all(isinstance(name, str) and name.strip() for name in value.values()):
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
        if value and all(section in SHEET_SECTIONS for section in value.values()):
            return {folded(str(name)): str(section) for name, section in value.items()}
        raise Unfit(f"sheets to sections, which are {', '.join(SHEET_SECTIONS)}")
    return dict.fromkeys(map(folded, _texts_of(value)), "")


def _header_row(value: Any) -> int:
    number = integer_of(value)
    if number is None or number < 1:
        raise Unfit("the number of the row that names the columns, from 1")
    return number


def _skip_rows(value: Any) -> dict[str, Any]:
    """Return the members of :class:`Rows` that a ``skip_rows`` decides."""
    first = integer_of(value)
    if first is not None and first >= 0:
        return {"first": first}
    listed = value if isinstance(value, list) else [value]
    numbers = [number for item in listed if (number := integer_of(item)) is not None and number > 0]
    texts = [item for item in listed if isinstance(item, str) and not isinstance(item, Plain)]
    patterns = [text.strip() for text in texts if integer_of(text) is None]
    if len(numbers) + len(patterns) < len(listed) or not all(patterns):
        raise Unfit('a number of rows, or a list of row numbers and of texts in the first cell, such as [4, "Total*"]')
    return {"numbers": frozenset(numbers), "patterns": tuple(map(str, patterns))}


_TABLE = map_of(
    {
        "files": value_of(_files),
        "columns": value_of(_columns),
        **_FORMAT,
        "constant": each_of(
            lambda node, _name, _find: node, "a map of fields to values, such as {inventory_group: IT}"
        ),
        "values": value_of(_values),
        **{name: value_of(read) for name, read in ROW_SETTINGS.items()},
        "sheets": value_of(_sheets),
        "header_row": value_of(_header_row),
        "skip_rows": value_of(_skip_rows),
    },
    f"a map with files, columns, {', '.join(CSV_KEYS)}, constant, values, {', '.join(ROW_SETTINGS)}, "
    "sheets, header_row, skip_rows",
)
