# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read JSON Lines into plain values with their places."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from ....module_utils.model.field import MOST_CHARACTERS, Plain
from ..nodes import (
    COLUMN_BITS,
    DEEPEST,
    JINJA,
    TOO_LONG,
    Node,
    has_long_text,
    jinja_in,
    mark_at,
    nul_in,
)
from ..positions import Finding, Place
from .broken_files import SAVED_IN_PART

_OPEN = "Unterminated string"
_BLANK = re.compile(r"[ \t\r\n,:]*")
_DECODER = json.JSONDecoder(parse_int=str)


class JsonNode(Node):
    """A value on one line of JSON. The places of its members are computed on demand.

    :param text: the JSON around it.
    :param position: where it begins in that text.
    """

    __slots__ = ("_position", "_positions", "_text")

    def __init__(self, value: Any, source: str, mark: int, text: str, position: int = 0) -> None:
        super().__init__(value, source, mark)
        self._text = text
        self._position = position
        self._positions: dict[Any, int] | None = None

    def member(self, key: Any) -> Node:
        return self.inner(self.value[key], self._position_of(key))

    def mark_of(self, key: Any) -> int:
        return self.mark_in(self._position_of(key)) if isinstance(self.value, (dict, list)) else self.mark

    def mark_in(self, position: int) -> int:
        """Return the mark of a position in the text."""
        return mark_at(self.mark >> COLUMN_BITS, position + 1)

    def inner(self, value: Any, position: int) -> Node:
        """Return the node of a value at a position in the text."""
        return JsonNode(value, self.source, self.mark_in(position), self._text, position)

    def _position_of(self, key: Any) -> int:
        if self._positions is None:
            self._positions = {name: value_at for name, _named_at, value_at in _members(self._text, self._position)}
        return self._positions[key]


class _WrittenTwice(ValueError):
    """Raised if a map has a name twice."""


def _members(text: str, position: int) -> Iterator[tuple[Any, int, int]]:
    """Yield each member of the map, or item of the list, that begins at a position.

    Each is its name or index, the position of that, and the position of its value.
    """
    position = _skip(text, position)
    is_map = text[position] == "{"
    position = _skip(text, position + 1)
    index = 0
    while text[position] not in "]}":
        name: Any = index
        named_at = position
        if is_map:
            name, position = _DECODER.raw_decode(text, position)
            position = _skip(text, position)
        yield name, named_at, position
        _value, position = _DECODER.raw_decode(text, position)
        position = _skip(text, position)
        index += 1


def _skip(text: str, position: int) -> int:
    blank = _BLANK.match(text, position)
    return blank.end() if blank else position


def _duplicate_names(text: str, position: int = 0) -> Iterator[tuple[str, int]]:
    """Yield names that their map already has, and their positions."""
    names = set()
    position = _skip(text, position)
    for name, named_at, value_at in _members(text, position) if text[position] in "[{" else ():
        if name in names:
            yield name, named_at
        names.add(name)
        yield from _duplicate_names(text, value_at)


def read_json_lines(text: str, source: str, findings: list[Finding]) -> Iterator[Node]:
    """Yield one record per line. Numbers keep their source text."""
    text = text.removeprefix("\ufeff")
    may_have_jinja = any(mark in text for mark in JINJA)
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            beyond = too_deep(line)
            if beyond is not None:
                findings.append(Finding.plain(Place(source, number, beyond + 1), f"nested more than {DEEPEST} deep"))
                continue
            node = JsonNode(decode(line), source, mark_at(number, 1), line)
        except json.JSONDecodeError as error:
            place = Place(source, number, min(error.colno, len(line.rstrip()) + 1))
            is_cut = line is lines[-1] and (error.pos >= len(line.rstrip()) or error.msg.startswith(_OPEN))
            words = f"; {SAVED_IN_PART.format('this record')}" if is_cut else ""
            findings.append(Finding(place, f"this is not JSON: {error.msg}{words}"))
        except _WrittenTwice:
            findings += [
                Finding(Place(source, number, position + 1), f"this is not JSON: {name} is written twice")
                for name, position in _duplicate_names(line)
            ]
        except ValueError as error:
            findings.append(Finding(Place(source, number, 1), f"this is not JSON: {error}"))
        else:
            if len(line) > MOST_CHARACTERS and has_long_text(node.value):
                findings.append(Finding.plain(Place(source, number, 1), TOO_LONG))
                continue
            if may_have_jinja:
                findings += jinja_in(node)
            if NUL_ESCAPED in line:
                findings += nul_in(node)
            # Half of a surrogate pair can't be sent or written to a file.
            if not is_whole(line, node.value):
                findings.append(Finding(Place(source, number, 1), "this is not text: half of a surrogate pair"))
                continue
            yield node


_STRUCTURE = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]')
"""Matches a bracket, or a whole quoted text, so that brackets in a text are not counted."""


def too_deep(text: str) -> int | None:
    """Return the position where the JSON on a line begins to be nested too deeply, or None."""
    if text.count("[") + text.count("{") <= DEEPEST:
        return None
    depth = 0
    for found in _STRUCTURE.finditer(text):
        if found.group() in ("[", "{"):
            depth += 1
            if depth > DEEPEST:
                return found.start()
        elif found.group() in ("]", "}"):
            depth -= 1
    return None


NUL_ESCAPED = "\\u0000"
"""How JSON writes a NUL character. Any other spelling is not JSON."""

_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def is_whole(text: str, value: Any) -> bool:
    """Return True if every text in a value can be written in UTF-8.

    :param text: the JSON of the value.
    """
    if not _HALF.search(text):
        return True
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def plain_number(text: str) -> Plain:
    """Return a number as people write it: programs write small and large numbers with an exponent."""
    if not _EXPONENT.search(text):
        return Plain(text)
    return Plain(format(Decimal(text).normalize(), "f"))


_EXPONENT = re.compile(r"[eE][+-]?0*[0-9]{1,2}$")
"""An exponent for which the number is not too long to be read."""


def no_constant(name: str) -> Any:
    """Refuse the words that only Python accepts as numbers in JSON."""
    raise ValueError(f"{name} is not JSON")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # The records of a file share their names.
    found = {sys.intern(key): value for key, value in pairs}
    if len(found) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _value in pairs).items() if count > 1)
        raise _WrittenTwice(f"{twice} is written twice")
    return found


decode = json.JSONDecoder(
    parse_int=Plain, parse_float=plain_number, parse_constant=no_constant, object_pairs_hook=_no_duplicates
).decode
"""Returns the value of a JSON text. Numbers keep their source text."""
