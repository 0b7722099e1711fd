# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Edit a file in some places. Everything else keeps its bytes, including line ends and encoding."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from .patch import Part, lines_of, narrowed

BOM = "\ufeff"

_LINE_END = re.compile(r"\r\n|\r|\n")


class NotSpliced(Exception):
    """Raised if a value cannot be put in its place. The message says why, in words that follow its name."""


@dataclass(frozen=True)
class NewValue:
    """A value for a file.

    :ivar value: plain data, as the writers of the export accept it.
    :ivar fits: returns True if a parsed value means the same.
    :ivar kept: for a list: the index of each item in the file; None for a new item.
    """

    value: Any
    fits: Callable[[Any], bool]
    kept: tuple[int | None, ...] | None = None


@dataclass(frozen=True)
class _Edit:
    """A text that replaces a part of the plain text.

    :ivar comes_last: True if it removes something that other files may still name.
    :ivar cell: the cell that it changes, with both values; empty if it changes something else.
    """

    start: int
    end: int
    text: str
    comes_last: bool
    cell: str


class TextFile:
    """The text of a file, and its edits.

    :param text: as decoded, with its own line ends.
    :ivar codec: encodes the text.
    :ivar plain: the text for readers: without a byte order mark, and with Python's line ends.
    """

    def __init__(self, text: str, codec: str) -> None:
        self.codec = codec
        self._mark = BOM if text.startswith(BOM) else ""
        self.text = text.removeprefix(BOM)
        self.line_end = next(iter(_LINE_END.findall(self.text)), "\n")
        self.plain = self.text.replace("\r\n", "\n").replace("\r", "\n")
        # The positions at which the plain text has one character less than the original.
        self._shorter: list[int] = []
        if "\r\n" in self.text:
            found = (match.start() for match in re.finditer("\r\n", self.text))
            self._shorter = [start - number for number, start in enumerate(found)]
        self._edits: list[_Edit] = []
        self._comes_last = False

    def replace(self, start: int, end: int, text: str, cell: str = "") -> None:
        """Replace a part of the plain text. Parts never overlap.

        :param cell: the cell that this changes, with both values.
        """
        self._edits.append(_Edit(start, end, text, self._comes_last, cell))

    @contextmanager
    def coming_last(self) -> Iterator[None]:
        """Mark the edits inside the block as removals of something that other files may still name."""
        self._comes_last = True
        try:
            yield
        finally:
            self._comes_last = False

    @property
    def is_changed(self) -> bool:
        return bool(self._edits)

    def undo(self, number: int) -> None:
        """Drop the edits after a number of them."""
        del self._edits[number:]

    @property
    def edits(self) -> int:
        """Return the number of edits so far."""
        return len(self._edits)

    def content(self, is_halfway: bool = False) -> bytes:
        """Return the bytes of the file after all edits, with its own line ends.

        :param is_halfway: leave out the edits that come last.
        :raises UnicodeEncodeError: if its encoding can't represent a character.
        """
        parts: list[str] = []
        at = 0
        for edit, first, last, text in self._in_order():
            if not (edit.comes_last and is_halfway):
                parts += [self.text[at:first], text]
                at = last
        return "".join([self._mark, *parts, self.text[at:]]).encode(self.codec)

    def _in_order(self) -> Iterator[tuple[_Edit, int, int, str]]:
        """Yield each edit with its range in the text of the file, and what it puts there."""
        # Insertions at the same position stay in the order of the calls.
        for edit in sorted(self._edits, key=lambda edit: (edit.start, edit.end)):
            yield edit, self._own(edit.start), self._own(edit.end), edit.text.replace("\n", self.line_end)

    def parts(self) -> list[Part] | None:
        """Return the lines that the edits change; None if a line end is not one byte in the encoding of the file."""
        if "\n".encode(self.codec) != b"\n":
            return None
        ends = [found.end() for found in re.finditer("\n", self.text)]
        old = lines_of((self._mark + self.text).encode(self.codec))
        is_cut = bool(self.text) and not self.text.endswith("\n")
        found_parts = []
        for start, end, new in self._changed_lines():
            last = bisect_right(ends, end) + (is_cut and end == len(self.text))
            text = new if start else self._mark + new
            found_parts.append(Part(bisect_right(ends, start), last, lines_of(text.encode(self.codec))))
        return [part for part in (narrowed(old, part) for part in found_parts) if part is not None]

    def _changed_lines(self) -> Iterator[tuple[int, int, str]]:
        """Yield the ranges of whole lines that change in the text of the file, each with its new text."""
        start, at, new = -1, 0, ""
        for _edit, first, last, text in self._in_order():
            line = self.text.rfind("\n", 0, first) + 1
            if start >= 0 and line >= (end := self._end_of_lines(start, at, new)):
                yield start, end, new + self.text[at:end]
                start = -1
            if start < 0:
                start, at, new = line, line, ""
            new += self.text[at:first] + text
            at = last
        if start >= 0:
            end = self._end_of_lines(start, at, new)
            yield start, end, new + self.text[at:end]

    def _end_of_lines(self, start: int, at: int, new: str) -> int:
        """Return where whole lines end that begin at a position and are replaced up to another one."""
        # A byte order mark before a removed line moves to the next line.
        is_whole = new.endswith("\n") or (not new and not (self._mark and start == 0))
        if is_whole and (at == 0 or self.text[at - 1] == "\n"):
            return at
        return self.text.find("\n", at) + 1 or len(self.text)

    def cells(self) -> list[str]:
        """Return what changes, edit by edit: a cell or a line with both values."""
        return [edit.cell or self._line_in_words(edit) for edit, *_range in self._in_order()]

    def _line_in_words(self, edit: _Edit) -> str:
        line = self.plain.count("\n", 0, edit.start) + 1
        return f"{line}: {self.plain[edit.start : edit.end].strip()} -> {edit.text.strip()}"

    def can_encode(self, text: str) -> bool:
        """Return True if the encoding can represent all characters of a text."""
        try:
            text.encode(self.codec)
        except UnicodeEncodeError:
            return False
        return True

    def _own(self, index: int) -> int:
        """Convert a position in the plain text to a position in the text of the file."""
        return index + bisect_left(self._shorter, index)
