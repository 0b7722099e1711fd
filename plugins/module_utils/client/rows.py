# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Store the records of a very long list in little memory.

Each page stays compressed as received, and is parsed again if more than the fields used to find records is needed. Read
such records in the order of their list: any other order parses a page per record.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

_OPEN = 4
"""Number of open pages: two lists that are compared side by side have two each."""
_FAST = 1
"""The level of compression. Other levels take many times as long and gain little."""

Flat = Mapping[str, Any]


class CompressedPage:
    """The body of an answer, and the values of the fields that stay in memory.

    :param body: as received. :param read: parses the flat maps of its records.
    :ivar columns: name of a field in memory to its value in each record.
    """

    __slots__ = ("_packed", "_read", "columns")

    def __init__(self, body: bytes, read: Callable[[bytes], Sequence[Flat]]) -> None:
        self._packed = zlib.compress(body, _FAST)
        self._read = read
        self.columns: dict[str, list[Any]] = {}

    def rows(self, records: Sequence[Flat], names: Sequence[str]) -> list[Flat]:
        """Return its records as rows.

        :param records: the flat maps of its records. :param names: the fields that stay in memory.
        """
        same: dict[str, str] = {}
        self.columns = {name: [_shared(record.get(name, _ABSENT), same) for record in records] for name in names}
        return [Row(self, number) for number in _numbers(len(records))]

    def open(self) -> Sequence[Flat]:
        """Return the flat maps of the records of this page."""
        return self._read(zlib.decompress(self._packed))


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
    def _all(self) -> Flat:
        return _opened(self._page)[self._number]

    def __getitem__(self, name: str) -> Any:
        column = self._page.columns.get(name)
        value = _ABSENT if column is None else column[self._number]
        return self._all[name] if value is _ABSENT else value

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a field, or the default if there is no such field."""
        column = self._page.columns.get(key)
        if column is None:
            return self._all.get(key, default)
        value = column[self._number]
        return default if value is _ABSENT else value

    def __contains__(self, name: object) -> bool:
        return name in self._all

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def __repr__(self) -> str:
        return repr(dict(self._all))
