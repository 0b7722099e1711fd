# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Edit a file in some places. Everything else keeps its bytes, including line ends and encoding."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

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
    """

    start: int
    end: int
    text: str
    comes_last: bool


class TextFile:
    """The text of a file, and its edits.

    :param text: as decoded, with its own line ends.
    :param encode: returns the bytes of a text.
    :ivar plain: the text for readers: without a byte order mark, and with Python's line ends.
    """

    def __init__(self, text: str, encode: Callable[[str], bytes]) -> None:
        self._encode = encode
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

    def replace(self, start: int, end: int, text: str) -> None:
        """Replace a part of the plain text. Parts never overlap."""
        self._edits.append(_Edit(start, end, text, self._comes_last))

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
        # Insertions at the same position stay in the order of the calls.
        for edit in sorted(self._edits, key=lambda edit: (edit.start, edit.end)):
            if edit.comes_last and is_halfway:
                continue
            first, last = self._own(edit.start), self._own(edit.end)
            parts += [self.text[at:first], edit.text.replace("\n", self.line_end)]
            at = last
        return self._encode("".join([self._mark, *parts, self.text[at:]]))

    def can_encode(self, text: str) -> bool:
        """Return True if the encoding can represent all characters of a text."""
        try:
            self._encode(text)
        except UnicodeEncodeError:
            return False
        return True

    def _own(self, index: int) -> int:
        """Convert a position in the plain text to a position in the text of the file."""
        return index + bisect_left(self._shorter, index)
