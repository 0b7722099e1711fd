# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Store the records of a very long list in little memory.

Each page stays compressed, and is opened again if more than the fields used to find records is needed. Read such
records in the order of their list: any other order opens a page per record.
"""

from __future__ import annotations

import functools
import marshal
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_OPEN = 4
"""Number of open pages: two lists that are compared side by side have two each."""
_FAST = 1
"""The level of compression. Other levels take many times as long and gain little."""

Flat = Mapping[str, Any]


class CompressedPage:
    """The records of an answer, compressed, and the values of the fields that stay in memory.

    :param records: their flat maps, with values as in JSON. :param names: the fields that stay in memory.
    :ivar columns: name of a field in memory to its value in each record.
    """

    __slots__ = ("_packed", "columns")

    def __init__(self, records: Sequence[Flat], names: Sequence[str]) -> None:
        # Decoding this takes a third of the time of JSON.
        self._packed = zlib.compress(marshal.dumps(list(records)), _FAST)
        same: dict[str, str] = {}
        self.columns = {name: [_shared(record.get(name, _ABSENT), same) for record in records] for name in names}

    def open(self) -> Sequence[Flat]:
        """Return the flat maps of the records of this page."""
        # This object alone has written these bytes.
        opened: Sequence[Flat] = marshal.loads(zlib.decompress(self._packed))  # nosec B302
        return opened


def compressed_rows(records: Sequence[Flat], names: Sequence[str]) -> list[Flat]:
    """Return the records of a page as rows of one compressed page.

    :param records: their flat maps. :param names: the fields that stay in memory.
    """
    page = CompressedPage(records, names)
    return [Row(page, number) for number in _numbers(len(records))]


_ABSENT = object()


def _shared(value: Any, same: dict[str, str]) -> Any:
    """Return an equal text of the same page instead of a copy, because two fields may have the uuid of a record."""
    return same.setdefault(value, value) if value.__class__ is str else value


@functools.lru_cache(maxsize=2)
def _numbers(count: int) -> Sequence[int]:
    """Return the indexes of the records of a page, as integers that all pages share."""
    return tuple(range(count))


@functools.lru_cache(maxsize=_OPEN)
def _opened(page: CompressedPage) -> Sequence[Flat]:
    return page.open()


class Row(Mapping[str, Any]):
    """The fields of one record. Neither the row nor its values are ever changed."""

    __slots__ = ("_number", "_page")

    def __init__(self, page: CompressedPage, number: int) -> None:
        self._page = page
        self._number = number

    @property
    def opened(self) -> Flat:
        """All fields as a plain map. It opens the page, and is faster to read than the row."""
        return _opened(self._page)[self._number]

    def __getitem__(self, name: str) -> Any:
        column = self._page.columns.get(name)
        value = _ABSENT if column is None else column[self._number]
        return self.opened[name] if value is _ABSENT else value

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a field, or the default if there is no such field."""
        column = self._page.columns.get(key)
        if column is None:
            return self.opened.get(key, default)
        value = column[self._number]
        return default if value is _ABSENT else value

    def __contains__(self, name: object) -> bool:
        return name in self.opened

    def __iter__(self) -> Iterator[str]:
        return iter(self.opened)

    def __len__(self) -> int:
        return len(self.opened)

    def __repr__(self) -> str:
        return repr(dict(self.opened))
