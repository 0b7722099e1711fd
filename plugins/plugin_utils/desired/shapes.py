# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read settings by their shapes. What does not fit is a finding at its place, and has no value."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from ...module_utils.model.field import Plain, shorten
from ...module_utils.model.suggestions import did_you_mean
from .nodes import Node

#: Called with the place and the message of a finding.
Find = Callable[[Node, str], None]

#: Returns the value of a setting, given its node and its name, or None after a finding.
Shape = Callable[[Node, str, Find], Any]


class Unfit(ValueError):
    """Raised if a setting does not fit. The message says what was expected."""


def value_of(read: Callable[[Any], Any]) -> Shape:
    """Return the shape of a value.

    :param read: returns the value as the settings have it. Raises :class:`Unfit`.
    """

    def shape(node: Node, name: str, find: Find) -> Any:
        try:
            return read(node.value)
        except Unfit as expected:
            find(node, f"{name}: {shorten(node.value)} does not fit; expected {expected}")
            return None

    return shape


def one_that(fits: Callable[[Any], bool], expected: str) -> Shape:
    """Return the shape of a value that is kept as written if it fits."""

    def read(value: Any) -> Any:
        if not fits(value):
            raise Unfit(expected)
        return value

    return value_of(read)


def list_of(member: Shape, expected: str, least: int = 1) -> Shape:
    """Return the shape of a list, with the shape of its items.

    :param least: minimum number of items.
    """

    def shape(node: Node, name: str, find: Find) -> list[Any] | None:
        if not isinstance(node.value, list) or len(node.value) < least:
            find(node, f"{name}: {shorten(node.value)} does not fit; expected {expected}")
            return None
        found = [member(item, name, find) for item in node.items()]
        return None if None in found else found

    return shape


def texts(expected: str, least: int = 1) -> Shape:
    """Return the shape of a list of texts."""
    return list_of(one_that(_is_text, expected), expected, least)


def map_of(members: Mapping[str, Shape], expected: str, noun: str = "setting") -> Shape:
    """Return the shape of a map with some members, each with its shape.

    :param noun: what the names of members are.
    """
    return _map(members.get, expected, noun, members)


def each_of(member: Shape, expected: str) -> Shape:
    """Return the shape of a map with members of one shape, whatever their names."""
    return _map(lambda _name: member, expected)


def _map(shape_of: Callable[[str], Shape | None], expected: str, noun: str = "", names: Collection[str] = ()) -> Shape:
    def shape(node: Node, name: str, find: Find) -> dict[str, Any] | None:
        if not isinstance(node.value, dict):
            find(node, f"{name}: expected {expected}" if name else f"expected {expected}")
            return None
        found: dict[str, Any] = {}
        for key, member in node.members.items():
            path = f"{name}.{key}" if name else str(key)
            read = shape_of(key)
            if read is None:
                find(member, f"{path}: no such {noun}; {did_you_mean(key, names)}")
            elif (value := read(member, path, find)) is not None:
                found[str(key)] = value
        return found

    return shape


TEXT = one_that(
    lambda value: _is_text(value) and not isinstance(value, Plain) and bool(value.strip()),
    "a text, quoted where needed",
)
FLAG = one_that(lambda value: isinstance(value, bool), "true or false")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)
