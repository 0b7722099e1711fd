# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The beginning and the end of each value of a YAML file, or of a line of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from ..desired.sources.json_source import skip

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

SCALAR, MAP, LIST, ALIAS = "scalar", "map", "list", "alias"


@dataclass(slots=True)
class Piece:
    """A value in a text.

    :ivar start: of its first character, or of its anchor. :ivar end: after its last character.
    :ivar mark: line and column of its beginning, from 1.
    :ivar style: of a scalar: ``'``, ``"``, ``|``, ``>``, or nothing. Of a collection: ``flow`` or ``block``.
    :ivar is_shared: True if it has an anchor, is an alias, or is inside of a value with an anchor.
    :ivar members: of a map: each name with its place, and its value. :ivar items: of a list.
    """

    kind: str
    start: int
    end: int
    mark: tuple[int, int] = (0, 0)
    style: str = ""
    is_shared: bool = False
    members: dict[str, tuple[Piece, Piece]] = field(default_factory=dict)
    items: list[Piece] = field(default_factory=list)

    @property
    def is_block(self) -> bool:
        """Return True for a collection with lines of its own."""
        return self.style == "block"

    def inside(self) -> Iterator[Piece]:
        """Yield this value and all values inside it."""
        yield self
        for name, value in self.members.values():
            yield name
            yield from value.inside()
        for item in self.items:
            yield from item.inside()


# ---- YAML


def yaml_pieces(text: str) -> Piece | None:
    """Return the whole of a valid YAML document, or None if it is empty."""
    loader = _LOADER(text)
    try:
        loader.get_event()
        if not isinstance(loader.get_event(), yaml.DocumentStartEvent):
            return None
        return _Pieces(text, loader).piece(loader.get_event(), False)
    finally:
        loader.dispose()


class _Pieces:
    def __init__(self, text: str, loader: Any) -> None:
        self._text = text
        self._next = loader.get_event

    def piece(self, event: Any, is_shared: bool) -> Piece:
        start, mark = event.start_mark.index, (event.start_mark.line + 1, event.start_mark.column + 1)
        end: int = event.end_mark.index
        if isinstance(event, yaml.AliasEvent):
            return Piece(ALIAS, start, end, mark, is_shared=True)
        is_shared = is_shared or event.anchor is not None
        if isinstance(event, yaml.ScalarEvent):
            if event.style in ("|", ">"):
                # The scalar includes the empty lines after it and the indentation of what follows.
                end = start + len(self._text[start:end].rstrip("\n "))
            return Piece(SCALAR, start, end, mark, event.style or "", is_shared)
        style = "flow" if event.flow_style else "block"
        found = Piece(MAP if isinstance(event, yaml.MappingStartEvent) else LIST, start, start, mark, style, is_shared)
        end = start
        following: Any = self._next()
        while not isinstance(following, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            if found.kind == LIST:
                found.items.append(self.piece(following, is_shared))
                end = max(end, found.items[-1].end)
            else:
                name = self.piece(following, is_shared)
                value = self.piece(self._next(), is_shared)
                found.members[str(getattr(following, "value", ""))] = (name, value)
                end = max(end, name.end, value.end)
            following = self._next()
        found.end = _end_of(following) if style == "flow" else end
        return found


def _end_of(event: Any) -> int:
    """Return the position after an event of the parser."""
    return int(event.end_mark.index)


# ---- JSON

_DECODER = json.JSONDecoder()


def json_pieces(text: str, start: int) -> Piece:
    """Return the whole of the valid JSON at a position of a text."""
    return _json(text, skip(text, start))


def _json(text: str, start: int) -> Piece:
    if text[start] not in "{[":
        _value, end = _DECODER.raw_decode(text, start)
        return Piece(SCALAR, start, end, style='"' if text[start] == '"' else "")
    found = Piece(MAP if text[start] == "{" else LIST, start, start, style="flow")
    at = skip(text, start + 1)
    while text[at] not in "}]":
        if found.kind == MAP:
            name, behind = _DECODER.raw_decode(text, at)
            value = _json(text, skip(text, behind))
            found.members[name] = (Piece(SCALAR, at, behind, style='"'), value)
        else:
            value = _json(text, at)
            found.items.append(value)
        at = skip(text, value.end)
    found.end = at + 1
    return found
