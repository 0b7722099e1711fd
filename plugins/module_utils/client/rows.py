# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of a list in little memory: those with the same fields share the names, and equal values are one."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping
from typing import Any


class Row(Mapping[str, Any]):
    """The fields of one record. Nobody changes it, nor what it holds.

    :param places: name of a field to the place of its value; many rows share it.
    """

    __slots__ = ("_places", "_values")

    def __init__(self, places: Mapping[str, int], values: tuple[Any, ...]) -> None:
        self._places = places
        self._values = values

    def __getitem__(self, name: str) -> Any:
        return self._values[self._places[name]]

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a field, or something else where there is no such field."""
        place = self._places.get(key)
        return default if place is None else self._values[place]

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def keys(self) -> KeysView[str]:
        """The names of the fields."""
        return self._places.keys()

    def items(self) -> ItemsView[str, Any]:
        """The names with their values."""
        return dict(zip(self._places, self._values, strict=True)).items()

    def __repr__(self) -> str:
        return repr(dict(self))


_MOST_SHARED = 30
"""Names that maps share; Python gives one with more a table of its own."""


class Rows:
    """Makes the rows of one page."""

    def __init__(self) -> None:
        # Attributes of the objects of one class share their names, and so do the maps that hold them (PEP 412).
        self._shared: type = type("_Shared", (), {})
        self._places: dict[tuple[str, ...], dict[str, int]] = {}
        self._known: dict[Any, Any] = {}

    def of(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        """A record in little memory: as a map that shares its names with others, or, where it has too many for that, as
        a row.
        """
        if len(fields) <= _MOST_SHARED:
            known, shared = self._known, self._shared().__dict__
            for name, value in fields.items():
                shared[name] = known.setdefault(value, value) if value.__class__ is str else self.same(value)
            found: dict[str, Any] = shared
            return found
        names = tuple(fields)
        places = self._places.get(names)
        if places is None:
            places = self._places[names] = {name: place for place, name in enumerate(names)}
        return Row(places, tuple(map(self.same, fields.values())))

    def same(self, value: Any) -> Any:
        """A value that equals one of the page, as that one."""
        kind = value.__class__
        if kind is str:
            return self._known.setdefault(value, value)
        if kind is dict and value:
            # A link: most records of a page link to a few others.
            try:
                return self._known.setdefault((*value, *map(_told_apart, value.values())), value)
            except TypeError:
                return value
        return self._known.setdefault((), value) if kind is list and not value else value


def _told_apart(value: Any) -> Any:
    """A value as part of a key: 1, 1.0 and true are equal to Python."""
    return value if value.__class__ is str else (value.__class__, value)
