# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads ``csv`` of ``instance.yml``, which says how tables were saved: all of them, or by file."""

from __future__ import annotations

import codecs
import datetime as dt
import time
from collections.abc import Callable
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.model.field import shorten

from .dialect import PRESETS, Dialect, Dialects
from .nodes import EVERYTHING, Node
from .positions import Finding

CSV_KEYS = (
    "preset", "delimiter", "encoding", "decimal", "thousands", "dates", "booleans", "currency", "empty", "null",
    "ignore",
)  # fmt: skip
"""The settings of a table."""

_EMPTY = ("ignore", "clear")
_SAMPLE_DAY = dt.date(2031, 12, 30)


class _Unfit(ValueError):
    """A setting does not fit; the text says what was expected."""


class CsvSettings:
    """Reads ``csv``.

    :param findings: takes what is wrong.
    """

    def __init__(self, findings: list[Finding]) -> None:
        self._findings = findings

    def read(self, node: Node) -> Dialects:
        """The dialects that a map names: its own keys for all files, those of ``files`` for some."""
        if not isinstance(node.value, dict):
            self._find(node, f"csv: expected a map with {', '.join(CSV_KEYS)} or files")
            return Dialects()
        general = self._dialect(node, Dialect(), "csv", (*CSV_KEYS, "files"))
        files = []
        if "files" in node.value:
            member = node.member("files")
            if not isinstance(member.value, dict):
                self._find(member, 'csv.files: expected a map such as {"objects/legacy-*.csv": {preset: excel-us}}')
            else:
                files = [
                    (str(pattern), self._dialect(one, general, f"csv.files.{pattern}", CSV_KEYS))
                    for pattern, one in member.members.items()
                ]
        return Dialects(general, files)

    def _find(self, node: Node, message: str) -> None:
        self._findings.append(Finding(node.place, message))

    def _dialect(self, node: Node, base: Dialect, setting: str, known: tuple[str, ...]) -> Dialect:
        """The dialect that a map describes.

        :param base: what holds where it names no preset.
        """
        if not isinstance(node.value, dict):
            self._find(node, f"{setting}: expected a map with {', '.join(known)}")
            return base
        dialect = base
        members = node.members
        if "preset" in members:
            dialect = self._taken(dialect, members["preset"], f"{setting}.preset", _preset)
        for name, member in members.items():
            if name in _READERS:
                dialect = self._taken(dialect, member, f"{setting}.{name}", _READERS[name])
            elif name not in known:
                near = get_close_matches(str(name), known, n=1)
                hint = f"did you mean {near[0]}?" if near else f"expected one of {', '.join(known)}"
                self._find(member, f"{setting}.{name}: no such setting; {hint}")
        if dialect.decimal in dialect.thousands:
            self._find(node, f"{setting}: decimal and thousands are both {dialect.decimal!r}; set thousands too")
        return dialect

    def _taken(self, dialect: Dialect, node: Node, setting: str, read: Callable[[Dialect, Any], Dialect]) -> Dialect:
        try:
            return read(dialect, node.value)
        except _Unfit as expected:
            self._find(node, f"{setting}: {shorten(node.value)} does not fit; expected {expected}")
            return dialect


def _preset(base: Dialect, value: Any) -> Dialect:
    if not isinstance(value, str) or value not in PRESETS:
        raise _Unfit(f"one of {', '.join(PRESETS)}")
    return replace(PRESETS[value], clears=base.clears, null=base.null, ignore=base.ignore, is_chosen=True)


def _delimiter(dialect: Dialect, value: Any) -> Dialect:
    if not isinstance(value, str) or len(value) != 1 or value in '"\r\n':
        raise _Unfit('one character, such as ";"')
    return replace(dialect, delimiter=str(value), is_sure=True)


def _encoding(dialect: Dialect, value: Any) -> Dialect:
    codec: codecs.CodecInfo | None
    try:
        codec = codecs.lookup(value if isinstance(value, str) else "")
        "a".encode(codec.name)
    except (LookupError, ValueError):
        codec = None
    # A file of UTF-32 is no table in any dialect.
    if codec is None or codec.name.startswith("utf-32"):
        raise _Unfit("the name of an encoding of tables, such as utf-8, cp1252 or iso-8859-15")
    return replace(dialect, encoding=codec.name, writes=codec.name)


def _decimal(dialect: Dialect, value: Any) -> Dialect:
    if value not in (".", ","):
        raise _Unfit('"." or ","')
    thousands = tuple(one for one in dialect.thousands if one != value)
    return replace(dialect, decimal=str(value), thousands=thousands, is_chosen=True)


def _thousands(dialect: Dialect, value: Any) -> Dialect:
    marks = _texts(value, empty=True)
    if any(len(mark) > 1 or mark.isalnum() or mark == "-" for mark in marks):
        raise _Unfit('one character or a list of some, such as "." or [" "]; "" for none')
    return replace(dialect, thousands=tuple(mark for mark in marks if mark), is_chosen=True)


def _dates(dialect: Dialect, value: Any) -> Dialect:
    patterns = _texts(value)
    if not all(map(_is_day, patterns)):
        raise _Unfit('patterns with day, month and year, such as ["%d.%m.%Y"]')
    return replace(dialect, dates=patterns)


def _is_day(pattern: str) -> bool:
    try:
        return dt.date(*time.strptime(_SAMPLE_DAY.strftime(pattern), pattern)[:3]) == _SAMPLE_DAY
    except ValueError:
        return False


def _booleans(dialect: Dialect, value: Any) -> Dialect:
    if isinstance(value, dict) and set(value) == {"true", "false"}:
        sides = [_texts(value["true"]), _texts(value["false"])]
    elif isinstance(value, list) and len(value) == 2:
        sides = [_texts(one) for one in value]
    else:
        raise _Unfit("words for both, such as {true: [ja, x], false: [nein]}")
    if {word.casefold() for word in sides[0]} & {word.casefold() for word in sides[1]}:
        raise _Unfit("other words for true than for false")
    return replace(dialect, true=sides[0], false=sides[1])


def _currency(dialect: Dialect, value: Any) -> Dialect:
    signs = _texts(value, empty=True)
    if any(any(letter.isdigit() or letter in "+-.," for letter in sign) for sign in signs):
        raise _Unfit('signs such as ["€", "EUR"]')
    return replace(dialect, currency=tuple(sign.strip() for sign in signs if sign.strip()))


def _empty(dialect: Dialect, value: Any) -> Dialect:
    if isinstance(value, dict) and all(one in _EMPTY for one in value.values()):
        return replace(dialect, clears=frozenset(str(name) for name, one in value.items() if one == "clear"))
    if value not in _EMPTY:
        raise _Unfit("ignore or clear, or a map of columns to these")
    return replace(dialect, clears=EVERYTHING if value == "clear" else frozenset())


def _null(dialect: Dialect, value: Any) -> Dialect:
    if not isinstance(value, str) or not value:
        raise _Unfit('a word, such as "-"')
    return replace(dialect, null=str(value))


def _ignore(dialect: Dialect, value: Any) -> Dialect:
    return replace(dialect, ignore=frozenset(_texts(value)))


def _texts(value: Any, empty: bool = False) -> tuple[str, ...]:
    """One text, or a list of some; true and false are the words that they were written as."""
    listed = value if isinstance(value, list) else [value]
    texts = [str(one).lower() if isinstance(one, bool) else one for one in listed]
    if not texts or not all(isinstance(one, str) and (one or empty) for one in texts):
        raise _Unfit("a text or a list of texts")
    return tuple(map(str, texts))


_READERS: dict[str, Callable[[Dialect, Any], Dialect]] = {
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
}
