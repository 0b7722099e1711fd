# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a paper contains: tables with columns, rows and totals, and lines for signatures."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from ...module_utils.model.dates import read_iso
from ...module_utils.model.field import Field
from ..desired.hiding import VAULTED

#: The type of the fields with amounts.
MONEY = "MONEY"


class Word(str):
    """A word of the catalogue. CSV and JSON have the word itself, and people read its translation."""

    __slots__ = ()


@dataclass(frozen=True)
class Phrase:
    """A text of the catalogue.

    :ivar key: its key. :ivar details: the value in it. :ivar english: the text in CSV.
    """

    key: str
    details: str
    english: str

    def __str__(self) -> str:
        return self.english


@dataclass(frozen=True)
class Column:
    """A column of a table. In a cell, it is shown as the name of a field.

    :ivar key: the member of each row, and the title of the column in CSV.
    :ivar label: the title for people if the catalogue has none for the key.
    :ivar is_number: True if it has numbers or amounts.
    """

    key: str
    label: str = ""
    is_number: bool = False

    def __str__(self) -> str:
        return self.key


#: A value of a table. Its type decides how people read it.
Cell = str | int | Decimal | dt.date | tuple[Word, ...] | Phrase | Column | None

Row = Mapping[str, Cell]


@dataclass(frozen=True)
class Table:
    """A table.

    :ivar title: its key in the catalogue.
    :ivar hand: the title of a last column that people fill in, by its key in the catalogue; empty for no such column.
    :ivar is_counted: True if its title has the number of its rows, and its last row their totals.
    :ivar if_empty: the text in its place if it has no rows, by its key in the catalogue; empty to leave it out.
    :ivar is_bold: rows that stand out: those without this member.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    hand: str = ""
    is_counted: bool = True
    if_empty: str = ""
    is_bold: str = ""

    @property
    def totals(self) -> dict[str, Decimal]:
        """The sum of each column of amounts."""
        keys = [column.key for column in self.columns if column.is_number]
        return total({key: cell for key in keys if isinstance(cell := row.get(key), Decimal)} for row in self.rows)


@dataclass(frozen=True)
class Paper:
    """A page with tables and lines for signatures, and the data behind it.

    :ivar title: its key in the catalogue. :ivar subject: what it is about, in the title of the window.
    :ivar about: the line below the title.
    :ivar lines: paragraphs before the tables, each with the key of its title in the catalogue; empty for no title.
    :ivar sheets: title to table in a workbook. The first is the table in CSV.
    :ivar signatures: keys of the catalogue.
    :ivar document: the whole result, for JSON.
    """

    title: str
    subject: str
    about: Sequence[Cell]
    lines: Sequence[tuple[str, str]]
    tables: Sequence[Table]
    sheets: Mapping[str, Table]
    signatures: Sequence[str]
    document: Mapping[str, Any] = field(default_factory=dict)


def amount_columns(rows: Iterable[Mapping[str, Any]], fields: Mapping[str, Field]) -> list[Column]:
    """Return a column for each field with an amount in some rows.

    :param rows: each with a map of field to amount as ``amounts``. :param fields: of objects, by key.
    """
    keys = dict.fromkeys(key for row in rows for key in row["amounts"])
    return [Column(key, fields[key].label, is_number=True) for key in keys]


def amounts_in(row: Mapping[str, Any]) -> dict[str, Decimal | str]:
    """Return the amounts of a row of a result, which has them as texts. A vaulted one stays a text."""
    return {key: text if text == VAULTED else Decimal(text) for key, text in row["amounts"].items()}


def total(rows: Iterable[Mapping[str, Decimal]]) -> dict[str, Decimal]:
    """Return the sum of each amount over some rows."""
    found: dict[str, Decimal] = {}
    for row in rows:
        for key, amount in row.items():
            found[key] = found.get(key, Decimal(0)) + amount
    return found


def moment(text: str | None) -> Cell:
    """Return the day or the time that a text of a result means, or the text itself."""
    try:
        return text and (read_iso(text) or text)
    except ValueError:
        return text
