# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Put values into a YAML or JSON text, quoted like the existing values. Everything else stays unchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...module_utils.model.field import Plain
from ..desired.positions import Finding
from ..desired.sources.yaml_source import read_yaml
from ..export.writing import Unwritable, flow, is_text, is_unprintable, json_cell
from .text_file import NewValue, TextFile
from .tree import ALIAS, MAP, SCALAR, Piece

#: Names that need no quotes in any reader.
_NAME = re.compile(r"_?[A-Za-z]{2}[A-Za-z_]*", re.ASCII)

_IN_FLOW = re.compile(r"[,?\[\]{}]")
_BLANK_AT_END = re.compile(r"[ \t]$", re.MULTILINE)
_INDENT = re.compile(r"^ +(?=\S)", re.MULTILINE)


class Splices:
    """Edit one text.

    :param file: collects the edits. :param is_json: True for JSON, False for YAML.
    """

    def __init__(self, file: TextFile, is_json: bool = False) -> None:
        self._file = file
        self._text = file.plain
        self._is_json = is_json
        self._flow = json_cell if is_json else flow

    # ---- values

    def put(self, name: Piece, old: Piece, new: NewValue, in_flow: bool) -> None:
        """Replace a value.

        :param name: of the member. :param in_flow: True inside of brackets.
        :raises Unwritable: if that is impossible.
        """
        if old.items and isinstance(new.value, list) and new.value:
            self._put_items(old, new.value)
        elif old.kind == MAP and isinstance(new.value, Mapping) and set(old.members) & set(new.value):
            self._put_members(old, new.value)
        elif old.is_block:
            self._put_flow(name, old, self._flow(new.value))
        else:
            self._put_text(old, new, in_flow)

    def _put_text(self, old: Piece, new: NewValue, in_flow: bool) -> None:
        """Replace a value that shares its line with other text by its best spelling that is read back correctly."""
        for text in self._candidates(old, new.value, in_flow):
            found: list[Finding] = []
            node = read_yaml(f"[{text}]\n" if in_flow else f"- {text}\n", "", found)
            if node is not None and not found and len(node.value) == 1 and new.fits(node.value[0]):
                blank = " " if old.start == old.end and self._text[old.start - 1 : old.start] in (":", "-") else ""
                self._file.replace(old.start, old.end, blank + text)
                return
        raise Unwritable("what would be written would be read as another value")

    def _candidates(self, old: Piece, value: Any, in_flow: bool) -> Iterator[str]:
        """Yield spellings of a value like the old one, the best first. Not all of them are read back correctly."""
        text = str(value)
        is_plain = is_text(text) and not (in_flow and _IN_FLOW.search(text))
        is_odd = isinstance(value, (Mapping, list, bool)) or value is None or is_unprintable(text)
        if old.kind == SCALAR and not is_odd:
            if old.style == '"':
                yield json_cell(text)
            elif self._is_json:
                yield json_cell(value)
            elif not old.style and (isinstance(value, (Plain, int)) or is_plain):
                yield text
            elif old.style == "'":
                yield "'" + text.replace("'", "''") + "'"
            elif old.style in ("|", ">") and text and not _BLANK_AT_END.search(text):
                yield self._block(old, text)
        yield self._flow(value)

    def _block(self, old: Piece, text: str) -> str:
        """Return a text as a block on lines of its own, in its earlier style."""
        header, _end, lines = self._text[old.start : old.end].partition("\n")
        indent = (_INDENT.search(lines) or [""])[0]
        kept = re.sub(r"^([|>])[-+]?", rf"\g<1>{'' if text.endswith(chr(10)) else '-'}", header)
        written = text.removesuffix("\n").split("\n")
        between = "\n\n" if old.style == ">" else "\n"
        return kept + "\n" + between.join(f"{indent}{line}" if line else "" for line in written)

    # ---- members and items

    def _put_members(self, old: Piece, value: Mapping[str, Any]) -> None:
        """Change the differing members of a map, and remove those that it no longer has."""
        removed = [key for key in old.members if key not in value]
        fresh = {key: member for key, member in value.items() if key not in old.members}
        for key, member in value.items():
            if key in old.members:
                name, piece = old.members[key]
                if not self._is_as(piece, member):
                    self.put(name, piece, NewValue(member, partial(is_same, member)), not old.is_block)
        for key in removed:
            self._take_member(old, key, removed)
        for key, member in fresh.items():
            self.add_member(old, key, member, leave=removed)

    def _is_as(self, piece: Piece, value: Any) -> bool:
        """Return True if the text at a place parses to a value."""
        found: list[Finding] = []
        text = self._text[piece.start : piece.end]
        if piece.style in ("|", ">", "block") or piece.kind == ALIAS:
            return False
        node = read_yaml(f"k: [{text}]\n", "", found)
        loaded = None if node is None or found or not node.value.get("k") else node.value["k"][0]
        return is_same(value, loaded)

    def _put_items(self, old: Piece, value: Sequence[Any]) -> None:
        """Change the differing items of a list."""
        kept: list[int | None] = []
        at = 0
        for item in value:
            numbers = (number for number in range(at, len(old.items)) if self._is_as(old.items[number], item))
            kept.append(next(numbers, None))
            at = at if kept[-1] is None else kept[-1] + 1
        removed = [number for number in range(len(old.items)) if number not in kept]
        last: int | None = None
        for item, number in zip(value, kept, strict=True):
            if number is not None:
                last = number
                continue
            following = 0 if last is None else last + 1
            if following in removed:
                removed.remove(following)
                piece = old.items[following]
                new = NewValue(item, partial(is_same, item))
                if piece.is_block or piece.kind != SCALAR:
                    self._file.replace(piece.start, piece.end, self._flow(item))
                else:
                    self._put_text(piece, new, not old.is_block)
                last = following
            else:
                self._add_item(old, last, item)
        for number in removed:
            self.take_item(old, number, {*removed})

    def _put_flow(self, name: Piece, old: Piece, text: str) -> None:
        """Put a value on one line in place of a collection with lines of its own."""
        colon = self._text.index(":", name.end)
        line = self._line_start(old.start)
        if line <= colon:
            self._file.replace(old.start, old.end, text)
            return
        self._file.replace(colon + 1, colon + 1, f" {text}")
        self._file.replace(line, self._line_end(old.end), "")

    def add_member(self, record: Piece, name: str, value: Any, leave: Sequence[str] = ()) -> None:
        """Add a member to a map with members.

        :param leave: members that are about to be removed, never all of them.
        """
        if not record.is_block:
            is_plain = not self._is_json and _NAME.fullmatch(name)
            written = f"{name if is_plain else self._flow(name)}: {self._flow(value)}"
            before = [piece for key, (_name, piece) in record.members.items() if key not in leave]
            self._file.replace(before[-1].end, before[-1].end, f", {written}")
            return
        written = f"{name if _NAME.fullmatch(name) else flow(name)}: {flow(value)}"
        indent = " " * (record.mark[1] - 1)
        for key, (_name, piece) in reversed(record.members.items()):
            if key not in leave and not piece.is_block and piece.style not in ("|", ">"):
                end = self._line_end(max(piece.end, _name.end))
                lead = "" if self._text[end - 1 : end] == "\n" else "\n"
                self._file.replace(end, end, f"{lead}{indent}{written}" + ("" if lead else "\n"))
                return
        self._file.replace(record.start, record.start, f"{written}\n{indent}")

    def _take_member(self, record: Piece, key: str, removed: Sequence[str]) -> None:
        name, value = record.members[key]
        if record.is_block:
            if self._text[self._line_start(name.start) : name.start].strip():
                raise Unwritable(f"its member {key} can't be removed in place")
            self._file.replace(self._line_start(name.start), self._line_end(max(value.end, name.end)), "")
        else:
            pieces = [(name.start, max(name.end, two.end)) for name, two in record.members.values()]
            keys = list(record.members)
            self._take_between(record, pieces, keys.index(key), {keys.index(key) for key in removed})

    # ---- records

    def add_records(self, all_of_it: Piece, records: Sequence[Any]) -> None:
        """Add items after the last item of a list in brackets."""
        text = ", ".join(map(self._flow, records))
        if all_of_it.items:
            end = all_of_it.items[-1].end
            self._file.replace(end, end, f", {text}")
        else:
            self._file.replace(all_of_it.start + 1, all_of_it.start + 1, text)

    def _add_item(self, old: Piece, behind: int | None, value: Any) -> None:
        text = self._flow(value)
        if not old.is_block:
            if behind is None:
                self._file.replace(old.items[0].start, old.items[0].start, f"{text}, ")
            else:
                self._file.replace(old.items[behind].end, old.items[behind].end, f", {text}")
            return
        indent = " " * (old.mark[1] - 1)
        if behind is None:
            self._file.replace(old.start, old.start, f"- {text}\n{indent}")
            return
        end = self._line_end(old.items[behind].end)
        lead = "" if self._text[end - 1 : end] == "\n" else "\n"
        self._file.replace(end, end, f"{lead}{indent}- {text}" + ("" if lead else "\n"))

    def take_item(self, old: Piece, number: int, removed: set[int]) -> None:
        """Remove an item from a list.

        :param removed: the indexes of all removed items.
        """
        item = old.items[number]
        if not old.is_block:
            self._take_between(old, [(item.start, item.end) for item in old.items], number, removed)
            return
        dash = self._text.rindex("-", 0, item.start)
        line = self._line_start(dash)
        if self._text[line:dash].strip():
            raise Unwritable("it begins on the same line as another value")
        self._file.replace(line, self._line_end(max(item.end, dash + 1)), "")

    def _take_between(self, old: Piece, pieces: Sequence[tuple[int, int]], number: int, removed: set[int]) -> None:
        """Remove a part in brackets with its separating comma. At least one part stays."""
        start, end = pieces[number]
        if any(index not in removed for index in range(number)):
            start = pieces[number - 1][1]
        elif number + 1 < len(pieces):
            end = pieces[number + 1][0]
        else:
            start, end = old.start + 1, old.end - 1
        self._file.replace(start, end, "")

    # ---- lines

    def _line_start(self, index: int) -> int:
        return self._text.rfind("\n", 0, index) + 1

    def _line_end(self, index: int) -> int:
        """Return the position after the line in which a part ends."""
        found = self._text.find("\n", index)
        return len(self._text) if found < 0 else found + 1


def is_same(value: Any, loaded: Any) -> bool:
    """Return True if a loaded value equals the written value."""
    if isinstance(value, bool) or isinstance(loaded, bool) or value is None:
        return loaded is value
    if isinstance(value, Mapping):
        return (
            isinstance(loaded, Mapping)
            and loaded.keys() == value.keys()
            and all(is_same(member, loaded[key]) for key, member in value.items())
        )
    if isinstance(value, list):
        return (
            isinstance(loaded, list)
            and len(loaded) == len(value)
            and all(is_same(right, left) for left, right in zip(loaded, value, strict=True))
        )
    is_plain = isinstance(value, (Plain, int))
    return isinstance(loaded, str) and isinstance(loaded, Plain) == is_plain and str(loaded) == str(value)
