# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Places in files, and findings about them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from ...module_utils.model.schema import FieldError, Misfit

#: Suffixes of files that a place may name without a line.
_SUFFIXES = frozenset((".yml", ".yaml", ".csv", ".tsv", ".jsonl", ".json", ".xlsx", ".xls", ".xlsm", ".xlsb", ".ods"))


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a value: a file with line and column (from 1), or a path in a playbook's ``desired``."""

    source: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return ":".join([self.source, *map(str, filter(None, (self.line, self.column)))])

    @property
    def row(self) -> Place:
        """Return the place without its column, which would reveal the length of the text before it."""
        return replace(self, column=0)

    @property
    def file(self) -> str:
        """Return the name of the file; empty if the place is not a file."""
        return self.source if self.line or PurePosixPath(self.source).suffix.lower() in _SUFFIXES else ""


class SheetSource(str):
    """A sheet of a workbook as a source: its places are cells.

    :ivar workbook: the name of the file.
    """

    workbook: str

    @classmethod
    def for_sheet(cls, workbook: str, sheet: str) -> SheetSource:
        """Return the source for a sheet of a workbook."""
        source = cls(f"{workbook}:{sheet}")
        source.workbook = workbook
        return source


class VaultedSource(str):
    """A file that is vaulted as a whole. Its places have no column, which would reveal the length of a text."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class CellPlace(Place):
    """A cell of a sheet of a workbook: ``assets.xlsx:objects!C17``."""

    source: SheetSource

    @property
    def row(self) -> Place:
        """Return the place itself: unlike in a text, the column of a cell does not reveal the length of a value."""
        return self

    @property
    def file(self) -> str:
        return self.source.workbook

    def __str__(self) -> str:
        return f"{self.source}!{letters_of(self.column)}{self.line}" if self.line else self.source


def letters_of(column: int) -> str:
    """Return the letters of a column (from 1) as a spreadsheet has them."""
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a desired state, and where.

    :ivar gist: the part of the message that quotes nothing vaulted: our words, names of the instance, places.
    :ivar column: the name of the field as written. :ivar misfit: the value and the reason, to group equal findings.
    :ivar rule: the id of the rule that is broken; empty if no rule is concerned.
    """

    place: Place
    message: str
    gist: str = ""
    column: str = field(default="", compare=False)
    misfit: Misfit | None = field(default=None, compare=False)
    rule: str = field(default="", compare=False)

    @classmethod
    def for_message(cls, place: Place, message: str) -> Finding:
        """Return the finding for a message, which is a :class:`FieldError` if it concerns a field."""
        if not isinstance(message, FieldError):
            return cls(place, message)
        column = str(message.way[0]) if message.way else ""
        return cls(place, message, message.gist, column, message.misfit)

    @classmethod
    def plain(cls, place: Place, message: str) -> Finding:
        """Return a finding whose message quotes nothing of what was written."""
        return cls(place, message, message)

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"
