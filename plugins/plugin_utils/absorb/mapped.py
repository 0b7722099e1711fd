# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of other systems during editing: fields become columns again, and values become the words of the table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...module_utils.model.names import normal_name
from ..desired.tables import Table
from .splices import is_same
from .text_file import NotSpliced


def column_in(table: Table, columns: Iterable[str], name: str) -> str:
    """Return the column of a field.

    :param columns: the names of the columns, as far as they are known.
    :raises NotSpliced: if its values are ids.
    """
    column = next((column for column in columns if table.mapped(column) == name), None)
    column = column or table.column_of(name)
    if normal_name(column) in table.ids:
        raise NotSpliced(f"the column {column} has ids, and the files of absorb have names")
    return column


def word_in(table: Table, name: str, value: Any) -> Any:
    """Return the word of the table for a value, or the value if the table has words for others only.

    :raises NotSpliced: if the value would be read as another word.
    """
    words = table.values.get(normal_name(name), {})
    found = next((word for word, meaning in words.items() if is_same(meaning, value)), None)
    if found is None and isinstance(value, str) and normal_name(value) in words:
        raise NotSpliced(f"{table.setting}.values.{name} has no word for it")
    return value if found is None else found


def meaning_in(table: Table, name: str, loaded: Any) -> Any:
    """Return the value of a word of the table."""
    words = table.values.get(normal_name(name), {})
    return words.get(normal_name(loaded), loaded) if isinstance(loaded, str) else loaded
