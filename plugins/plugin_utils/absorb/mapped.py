# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of other systems during editing: fields become columns again, and values become the words of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...module_utils.model.names import normal_name
from ..desired.positions import Place
from ..desired.tables import Table
from .sources import Source
from .splices import is_same
from .text_file import NewValue, NotSpliced


class MappedSource(Source):
    """A table whose settings are applied backwards.

    :param inner: the file.
    """

    def __init__(self, inner: Source, table: Table) -> None:
        self.file = inner.file
        self._inner = inner
        self._table = table

    def set(self, place: Place, name: str, new: NewValue) -> None:
        fits = new.fits
        changed = replace(new, value=self._word(name, new.value), fits=lambda loaded: fits(self._meaning(name, loaded)))
        self._inner.set(place, self._column(place, name), changed)

    def add(self, place: Place, name: str, value: Any) -> None:
        self._inner.add(place, self._column(place, name), self._word(name, value))

    def remove(self, place: Place) -> None:
        self._inner.remove(place)

    def append(self, records: Sequence[Any], way: Sequence[str] = ()) -> None:
        raise NotSpliced("rows are not added to a table of another system")

    def names(self, place: Place) -> Sequence[str]:
        return self._inner.names(place)

    def _column(self, place: Place, name: str) -> str:
        """Return the column of a field.

        :raises NotSpliced: if its values are ids.
        """
        table, names = self._table, self._inner.names(place)
        column = next((column for column in names if table.mapped(column) == name), None)
        column = column or table.column_of(name)
        if normal_name(column) in table.ids:
            raise NotSpliced(f"the column {column} has ids, and the files of absorb have names")
        return column

    def _word(self, name: str, value: Any) -> Any:
        """Return the word of the table for a value, or the value if the table has words for others only."""
        words = self._table.values.get(normal_name(name), {})
        found = next((word for word, meaning in words.items() if is_same(meaning, value)), None)
        if found is None and isinstance(value, str) and normal_name(value) in words:
            raise NotSpliced(f"{self._table.setting}.values.{name} has no word for it")
        return value if found is None else found

    def _meaning(self, name: str, loaded: Any) -> Any:
        words = self._table.values.get(normal_name(name), {})
        return words.get(normal_name(loaded), loaded) if isinstance(loaded, str) else loaded
