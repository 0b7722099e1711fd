# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read ``csv`` of ``instance.yml``, which says how tables were saved: all of them, or by file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ...module_utils.model.dates import DateReader
from ...module_utils.model.field import shorten
from ...module_utils.model.suggestions import closest_names
from .dialect import PRESETS, Dialect, Dialects
from .encodings import encoding_of
from .nodes import EVERYTHING, Node
from .positions import Finding

CSV_KEYS = (
    "preset", "delimiter", "encoding", "decimal", "thousands", "dates", "booleans", "currency", "empty", "null",
    "ignore", "list_separator", "text_columns", "trim",
)  # fmt: skip
"""The settings of a table."""

_EMPTY = ("ignore", "clear")


class Unfit(ValueError):
    """Raised if a setting does not fit. The message says what was expected."""


class CsvSettings:
    """Read ``csv``.

    :param findings: collects what is wrong.
    """

    def __init__(self, findings: list[Finding]) -> None:
        self._findings = findings

    def read(self, node: Node) -> Dialects:
        """Return the dialects of a map: its own keys for all files, those of ``files`` for some."""
        if not isinstance(node.value, dict):
            self._find(node, f"csv: expected a map with {', '.join(CSV_KEYS)} or files")
            return Dialects()
        general = self._dialect(node, Dialect(), "csv", (*CSV_KEYS, "files"))
        files = []
        named: dict[str, frozenset[str]] = {}
        if "files" in node.value:
            member = node.member("files")
            if not isinstance(member.value, dict):
                self._find(member, 'csv.files: expected a map such as {"objects/legacy-*.csv": {preset: excel-us}}')
            else:
                files = [
                    (str(pattern), self._dialect(settings, general, f"csv.files.{pattern}", CSV_KEYS))
                    for pattern, settings in member.members.items()
                ]
                named = {
                    str(pattern): frozenset(map(str, settings))
                    for pattern, settings in member.value.items()
                    if isinstance(settings, dict)
                }
        return Dialects(general, files, named)

    def _find(self, node: Node, message: str) -> None:
        self._findings.append(Finding(node.place, message))

    def _dialect(self, node: Node, base: Dialect, setting: str, known: tuple[str, ...]) -> Dialect:
        """Return the dialect that a map describes.

        :param base: the dialect if the map names no preset.
        """
        if not isinstance(node.value, dict):
            self._find(node, f"{setting}: expected a map with {', '.join(known)}")
            return base
        dialect = base
        members = node.members
        if "preset" in members:
            dialect = self._with_setting(dialect, members["preset"], f"{setting}.preset", read_preset)
        for name, member in members.items():
            if name in READERS:
                dialect = self._with_setting(dialect, member, f"{setting}.{name}", READERS[name])
            elif name not in known:
                suggestions = closest_names(str(name), known)
                hint = f"did you mean {suggestions[0]}?" if suggestions else f"expected one of {', '.join(known)}"
                self._find(member, f"{setting}.{name}: no such setting; {hint}")
        if dialect.decimal in dialect.thousands:
            self._find(node, f"{setting}: decimal and thousands are both {dialect.decimal!r}; set thousands too")
        return dialect

    def _with_setting(
        self, dialect: Dialect, node: Node, setting: str, read: Callable[[Dialect, Any], Dialect]
    ) -> Dialect:
        try:
            return read(dialect, node.value)
        except Unfit as expected:
            self._find(node, f"{setting}: {shorten(node.value)} does not fit; expected {expected}")
            return dialect


def read_preset(base: Dialect, value: Any) -> Dialect:
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
    marks = texts_of(value, empty=True)
    if any(len(mark) > 1 or mark.isalnum() or mark == "-" for mark in marks):
        raise Unfit('one character or a list of some, such as "." or [" "]; "" for none')
    return replace(dialect, thousands=tuple(mark for mark in marks if mark), is_chosen=True)


def _dates(dialect: Dialect, value: Any) -> Dialect:
    patterns = texts_of(value)
    try:
        DateReader(patterns)
    except ValueError as unknown:
        raise Unfit('patterns with day, month and year, such as ["%d.%m.%Y"]') from unknown
    return replace(dialect, dates=patterns)


def _booleans(dialect: Dialect, value: Any) -> Dialect:
    if isinstance(value, dict) and set(value) == {"true", "false"}:
        sides = [texts_of(value["true"]), texts_of(value["false"])]
    elif isinstance(value, list) and len(value) == 2:
        sides = [texts_of(item) for item in value]
    else:
        raise Unfit("words for both, such as {true: [ja, x], false: [nein]}")
    if {word.casefold() for word in sides[0]} & {word.casefold() for word in sides[1]}:
        raise Unfit("other words for true than for false")
    return replace(dialect, true=sides[0], false=sides[1])


def _currency(dialect: Dialect, value: Any) -> Dialect:
    signs = texts_of(value, empty=True)
    if any(any(letter.isdigit() or letter in "+-.," for letter in sign.removesuffix(".") or sign) for sign in signs):
        raise Unfit('signs such as ["€", "EUR"]')
    return replace(dialect, currency=tuple(sign.strip() for sign in signs if sign.strip()))


def _empty(dialect: Dialect, value: Any) -> Dialect:
    if isinstance(value, dict) and all(member in _EMPTY for member in value.values()):
        return replace(dialect, clears=frozenset(str(name) for name, meaning in value.items() if meaning == "clear"))
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
    return replace(dialect, ignore=texts_of(value, empty=True))


def _list_separator(dialect: Dialect, value: Any) -> Dialect:
    if not isinstance(value, str) or len(value) != 1 or value.isalnum() or value in '"[]{}\r\n':
        raise Unfit('one character between the items of a list, such as ";"')
    return replace(dialect, list_separator=str(value))


def _text_columns(dialect: Dialect, value: Any) -> Dialect:
    return replace(dialect, texts=texts_of(value))


def _trim(dialect: Dialect, value: Any) -> Dialect:
    if not isinstance(value, bool):
        raise Unfit("true or false")
    return replace(dialect, trim=value)


def texts_of(value: Any, empty: bool = False) -> tuple[str, ...]:
    """Return one text or a list of texts. True and False become the words that they were written as.

    :raises Unfit: if it is neither.
    """
    listed = value if isinstance(value, list) else [value]
    texts = [str(item).lower() if isinstance(item, bool) else item for item in listed]
    if not texts or not all(isinstance(text, str) and (text or empty) for text in texts):
        raise Unfit("a text or a list of texts")
    return tuple(map(str, texts))


READERS: dict[str, Callable[[Dialect, Any], Dialect]] = {
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
