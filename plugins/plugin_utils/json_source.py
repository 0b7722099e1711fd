# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON Lines to plain values that know where they were written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.desired import Finding, Place
from ansible_collections.community.seventhings.plugins.module_utils.fields import Plain

from .nodes import COLUMN_BITS, JINJA, Node, jinja_in, mark_at


class _JsonNode(Node):
    """A record on a line of its own; columns are looked for when they are asked for."""

    __slots__ = ("_line",)

    def __init__(self, value: Any, source: str, number: int, line: str) -> None:
        super().__init__(value, source, mark_at(number, 1))
        self._line = line

    def mark_of(self, key: Any) -> int:
        if not isinstance(self.value, dict):
            return self.mark
        return mark_at(self.mark >> COLUMN_BITS, _column_of_value(self._line, str(key)))


def _column_of_value(line: str, key: str) -> int:
    """The column, from 1, of the value of a member of the outer map."""
    decoder = json.JSONDecoder()
    blank = re.compile(r"[ \t\r\n,:]*")
    position = line.index("{") + 1
    while True:
        position = blank.match(line, position).end()  # type: ignore[union-attr]
        name, position = decoder.raw_decode(line, position)
        position = blank.match(line, position).end()  # type: ignore[union-attr]
        if name == key:
            return position + 1
        _value, position = decoder.raw_decode(line, position)


def read_json_lines(text: str, source: str, findings: list[Finding]) -> Iterator[Node]:
    """One record a line; numbers keep their source text."""
    text = text.removeprefix("\ufeff")
    may_have_jinja = any(mark in text for mark in JINJA)
    names: dict[str, str] = {}

    def no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = {names.setdefault(key, key): value for key, value in pairs}
        if len(found) < len(pairs):
            keys = [key for key, _value in pairs]
            raise ValueError(f"{next(key for key in keys if keys.count(key) > 1)} is written twice")
        return found

    decode = json.JSONDecoder(
        parse_int=Plain, parse_float=Plain, parse_constant=no_constant, object_pairs_hook=no_twins
    ).decode
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            node = _JsonNode(decode(line), source, number, line)
        except json.JSONDecodeError as error:
            place = Place(source, number, min(error.colno, len(line.rstrip()) + 1))
            findings.append(Finding(place, f"this is not JSON: {error.msg}"))
        except (ValueError, RecursionError) as error:
            reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            findings.append(Finding(Place(source, number, 1), f"this is not JSON: {reason}"))
        else:
            if may_have_jinja:
                findings += jinja_in(node)
            yield node


def no_constant(name: str) -> Any:
    """What Python takes for a number in JSON, and nobody else does."""
    raise ValueError(f"{name} is no JSON")
