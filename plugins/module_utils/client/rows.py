# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of a very long list in little memory: each page is kept compressed, and opened when more is needed of a
record than its identity.

Whoever goes through all of such records does so in the order of their list; any other order reads a page for each.
"""

from __future__ import annotations

import functools
import marshal
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_OPEN = 4
"""How many pages are open at a time: two lists that are gone through together have two each."""
_FAST = 1
"""The level of compression: the others take many times as long and gain little."""

Flat = Mapping[str, Any]


class CompressedPage:
    """The records of one page of a list.

    :param records: their flat maps.
    """

    __slots__ = ("_packed",)

    def __init__(self, records: Sequence[Flat]) -> None:
        # In memory only, so the format may change with Python. JSON takes three times as long to read.
        self._packed = zlib.compress(marshal.dumps([*map(dict, records)]), _FAST)

    def rows(self, records: Sequence[Flat], names: Sequence[str]) -> list[Flat]:
        """Return the records as rows.

        :param records: their flat maps. :param names: the fields that stay at hand.
        """
        places = {name: place for place, name in enumerate(names)}
        same: dict[str, str] = {}
        return [
            Row(self, number, places, tuple([_shared(record.get(name, _ABSENT), same) for name in names]))
            for number, record in enumerate(records)
        ]

    def open(self) -> Sequence[Flat]:
        """Return the flat maps of the records."""
        records: list[Flat] = marshal.loads(zlib.decompress(self._packed))
        return records


_ABSENT = object()


def _shared(value: Any, same: dict[str, str]) -> Any:
    """A text that equals another one of the record as that one: two fields may have its uuid."""
    return same.setdefault(value, value) if value.__class__ is str else value


@functools.lru_cache(maxsize=_OPEN)
def _opened(page: CompressedPage) -> Sequence[Flat]:
    return page.open()


class Row(Mapping[str, Any]):
    """The fields of one record. Nobody changes it, nor what it holds.

    :param places: name of a field that is at hand to the place of its value; the rows of a page share it.
    """

    __slots__ = ("_number", "_page", "_places", "_values")

    def __init__(self, page: CompressedPage, number: int, places: Mapping[str, int], values: tuple[Any, ...]) -> None:
        self._page = page
        self._number = number
        self._places = places
        self._values = values

    @property
    def opened(self) -> Flat:
        """Return the fields in full."""
        return _opened(self._page)[self._number]

    def __getitem__(self, name: str) -> Any:
        place = self._places.get(name)
        value = _ABSENT if place is None else self._values[place]
        return self.opened[name] if value is _ABSENT else value

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a field, or something else where there is no such field."""
        place = self._places.get(key)
        if place is None:
            return self.opened.get(key, default)
        value = self._values[place]
        return default if value is _ABSENT else value

    def __contains__(self, name: object) -> bool:
        return name in self.opened

    def __iter__(self) -> Iterator[str]:
        return iter(self.opened)

    def __len__(self) -> int:
        return len(self.opened)

    def __repr__(self) -> str:
        return repr(dict(self.opened))
