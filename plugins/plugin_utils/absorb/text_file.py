# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Edit a file in some places. Everything else keeps its bytes, including line ends and encoding."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from ..export.writing import Unwritable
from .patch import Part, lines_of, narrowed

BOM = "\ufeff"

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class NewValue:
    """A value for a file.

    :ivar value: plain data, as the writers of the export accept it.
    :ivar fits: returns True if a parsed value means the same.
    """

    value: Any
    fits: Callable[[Any], bool]


@dataclass(frozen=True)
class Edit:
    """An edit of a file.

    :ivar comes_last: True if it removes something that other files may still name.
    :ivar cell: the cell that it changes, with both values; empty if it changes something else.
    """

    comes_last: bool
    cell: str


@dataclass(frozen=True)
class _Text(Edit):
    """A text that replaces a part of another one."""

    start: int
    end: int
    text: str


class EditedFile(ABC):
    """A file and its edits.

    :ivar codec: encodes the text of the file, if it is a text.
    """

    codec = "utf-8"

    def __init__(self) -> None:
        self._edits: list[Any] = []
        self._comes_last = False

    @abstractmethod
    def content(self, is_halfway: bool = False) -> bytes:
        """Return the bytes of the file after all edits.

        :param is_halfway: leave out the edits that come last.
        """

    @abstractmethod
    def parts(self) -> list[Part] | None:
        """Return the lines that the edits change; None if the file does not consist of lines of bytes."""

    @abstractmethod
    def cells(self) -> list[str]:
        """Return what changes, edit by edit: a cell or a line with both values."""

    @contextmanager
    def coming_last(self) -> Iterator[None]:
        """Mark the edits inside the block as removals of something that other files may still name."""
        self._comes_last = True
        try:
            yield
        finally:
            self._comes_last = False

    @property
    def edits(self) -> int:
        """Return the number of edits so far."""
        return len(self._edits)

    def undo(self, number: int) -> None:
        """Drop the edits after a number of them."""
        del self._edits[number:]


class TextFile(EditedFile):
    """The text of a file, and its edits.

    :param text: as decoded, with its own line ends.
    :ivar plain: the text for readers: without a byte order mark, and with Python's line ends.
    """

    def __init__(self, text: str, codec: str) -> None:
        super().__init__()
        self.codec = codec
        self._mark = BOM if text.startswith(BOM) else ""
        self.text = text.removeprefix(BOM)
        self.line_end = next(iter(_LINE_END.findall(self.text)), "\n")
        self.plain = self.text.replace("\r\n", "\n").replace("\r", "\n")
        # The positions at which the plain text has one character less than the original.
        found = (match.start() for match in re.finditer("\r\n", self.text))
        self._shorter = [start - number for number, start in enumerate(found)]

    def replace(self, start: int, end: int, text: str, cell: str = "") -> None:
        """Replace a part of the plain text. Parts never overlap.

        :param cell: the cell that this changes, with both values.
        :raises Unwritable: if the encoding of the file has not all of the characters.
        """
        try:
            text.encode(self.codec)
        except UnicodeEncodeError as error:
            raise Unwritable("the encoding of the table does not have all of its characters") from error
        self._edits.append(_Text(self._comes_last, cell, start, end, text))

    def content(self, is_halfway: bool = False) -> bytes:
        edits = [edit for edit in self._in_order() if not (edit.comes_last and is_halfway)]
        return (self._mark + self._edited(0, len(self.text), edits)).encode(self.codec)

    def _in_order(self) -> list[_Text]:
        """Return the edits as ranges of the text of the file, with its line ends."""
        # Insertions at the same position stay in the order of the calls.
        return [
            replace(
                edit, start=self._own(edit.start), end=self._own(edit.end), text=edit.text.replace("\n", self.line_end)
            )
            for edit in sorted(self._edits, key=lambda edit: (edit.start, edit.end))
        ]

    def _edited(self, start: int, end: int, edits: Iterable[_Text]) -> str:
        """Return a range of the text of the file after the edits in it."""
        parts = []
        for edit in edits:
            parts += [self.text[start : edit.start], edit.text]
            start = edit.end
        return "".join([*parts, self.text[start:end]])

    def parts(self) -> list[Part] | None:
        if "\n".encode(self.codec) != b"\n":
            return None
        ends = [found.end() for found in re.finditer("\n", self.text)]
        old = lines_of((self._mark + self.text).encode(self.codec))
        found_parts = []
        for edits in self._by_lines():
            start, end = self._line_start(edits[0].start), self._line_end(edits[-1].end)
            new = (self._mark * (start == 0) + self._edited(start, end, edits)).encode(self.codec)
            last = min(bisect_left(ends, end) + 1, len(old))
            found_parts.append(narrowed(old, Part(bisect_right(ends, start), last, lines_of(new))))
        return [part for part in found_parts if part is not None]

    def _by_lines(self) -> list[list[_Text]]:
        """Return the edits, those in the same lines as a group."""
        groups: list[list[_Text]] = []
        for edit in self._in_order():
            if not groups or self._line_start(edit.start) >= self._line_end(groups[-1][-1].end):
                groups.append([])
            groups[-1].append(edit)
        return groups

    def _line_start(self, index: int) -> int:
        return self.text.rfind("\n", 0, index) + 1

    def _line_end(self, index: int) -> int:
        return self.text.find("\n", index) + 1 or len(self.text)

    def cells(self) -> list[str]:
        return [edit.cell or self._line_in_words(edit) for edit in sorted(self._edits, key=lambda edit: edit.start)]

    def _line_in_words(self, edit: _Text) -> str:
        line = self.plain.count("\n", 0, edit.start) + 1
        return f"{line}: {self.plain[edit.start : edit.end].strip()} -> {edit.text.strip()}"

    def _own(self, index: int) -> int:
        """Convert a position in the plain text to a position in the text of the file."""
        return index + bisect_left(self._shorter, index)
