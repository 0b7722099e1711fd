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

from ....module_utils.client.limits import no_constant
from ....module_utils.model.field import MOST_CHARACTERS, Plain, in_digits
from ..nodes import COLUMN_BITS, DEEPEST, TOO_LONG, Node, mark_at, may_have_wrong_texts, texts_in, wrong_texts
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
        return JsonNode(self.value[key], self.source, self.mark_of(key), self._text, self._position_of(key))

    def mark_of(self, key: Any) -> int:
        is_inner = isinstance(self.value, (dict, list))
        return mark_at(self.mark >> COLUMN_BITS, self._position_of(key) + 1) if is_inner else self.mark

    def _position_of(self, key: Any) -> int:
        if self._positions is None:
            self._positions = dict(_members(self._text, self._position))
        return self._positions[key]


def _members(text: str, position: int) -> Iterator[tuple[Any, int]]:
    """Yield name or index of each member of the map or list that begins at a position, and where its value begins."""
    position = skip(text, position)
    is_map = text[position] == "{"
    position = skip(text, position + 1)
    index = 0
    while text[position] not in "]}":
        name: Any = index
        if is_map:
            name, position = _DECODER.raw_decode(text, position)
            position = skip(text, position)
        yield name, position
        _value, position = _DECODER.raw_decode(text, position)
        position = skip(text, position)
        index += 1


def skip(text: str, position: int) -> int:
    """Return the position of the next value, name or end after what separates them."""
    blank = _BLANK.match(text, position)
    return blank.end() if blank else position


def read_json_lines(text: str, source: str, findings: list[Finding]) -> Iterator[Node]:
    """Yield one record per line. Numbers keep their source text."""
    text = text.removeprefix("\ufeff")
    may_be_wrong = may_have_wrong_texts(text)
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            node = JsonNode(decode(line), source, mark_at(number, 1), line)
        except json.JSONDecodeError as error:
            place = Place(source, number, min(error.colno, len(line.rstrip()) + 1))
            is_cut = line is lines[-1] and (error.pos >= len(line.rstrip()) or error.msg.startswith(_OPEN))
            words = f"; {SAVED_IN_PART.format('this record')}" if is_cut else ""
            findings.append(Finding(place, f"this is not JSON: {error.msg}{words}"))
        except ValueError as error:
            findings.append(Finding(Place(source, number, 1), f"this is not JSON: {error}"))
        else:
            if len(line) > MOST_CHARACTERS and any(len(part) > MOST_CHARACTERS for part in texts_in(node.value)):
                findings.append(Finding.plain(Place(source, number, 1), TOO_LONG))
                continue
            if may_be_wrong:
                findings += wrong_texts(node)
            yield node


#: Half of a surrogate pair, which can't be sent or written to a file unless the other half follows.
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def decode(text: str) -> Any:
    """Return the value of a JSON text. Numbers keep their source text.

    :raises ValueError: if it is not JSON, or no value that can be sent.
    """
    try:
        found = _decode(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    if text.count("[") + text.count("{") > DEEPEST and _is_too_deep(found):
        raise ValueError(_TOO_DEEP)
    if _HALF.search(text) and any("\ud800" <= letter <= "\udfff" for letter in "".join(texts_in(found))):
        raise ValueError("half of a surrogate pair")
    return found


_TOO_DEEP = f"nested more than {DEEPEST} deep"


def _is_too_deep(value: Any, allowed: int = DEEPEST) -> bool:
    if not isinstance(value, (dict, list)):
        return False
    members = value.values() if isinstance(value, dict) else value
    return allowed == 0 or any(_is_too_deep(member, allowed - 1) for member in members)


def plain_number(text: str) -> Plain:
    """Return a number as people write it: programs write small and large numbers with an exponent."""
    return Plain(in_digits(Decimal(text), 0) if _EXPONENT.search(text) else text)


#: An exponent for which the number is not too long to be read.
_EXPONENT = re.compile(r"[eE][+-]?0*[0-9]{1,2}$")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # The records of a file share their names.
    found = {sys.intern(key): value for key, value in pairs}
    if len(found) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _value in pairs).items() if count > 1)
        raise ValueError(f"{twice} is written twice")
    return found


_decode = json.JSONDecoder(
    parse_int=Plain, parse_float=plain_number, parse_constant=no_constant, object_pairs_hook=_no_duplicates
).decode
