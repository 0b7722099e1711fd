# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read JSON files that somebody else may have written: each member by its type, and no other members."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, NoReturn, get_args, get_origin, get_type_hints

from ...module_utils.client.connection import named_root
from ...module_utils.client.limits import KEPT_MEMBERS, decode_json
from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import is_uuid, shorten

_SHA256 = re.compile("[0-9a-f]{64}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORDS = {str: "text", bool: "true or false", int: "an integer", type(None): "null"}


@dataclass(frozen=True)
class Fits:
    """A condition that texts of an annotated type fulfil.

    :ivar test: returns True for texts that fulfil it. :ivar expected: the condition in words.
    """

    test: Callable[[str], bool]
    expected: str


def _is_root(text: str) -> bool:
    try:
        return named_root(text) == text
    except InvalidInput:
        return False


def one_of(*names: str) -> Fits:
    """Return the condition that a text is one of the names."""
    return Fits(frozenset(names).__contains__, f"one of {', '.join(names)}")


Printable = Annotated[str, Fits(lambda text: text.isascii() or not _SURROGATE.search(text), "text")]
Digest = Annotated[str, Fits(lambda text: bool(_SHA256.fullmatch(text)), "a SHA-256")]
OptionalDigest = Annotated[str, Fits(lambda text: not text or bool(_SHA256.fullmatch(text)), "a SHA-256")]
Root = Annotated[str, Fits(_is_root, "the root of an instance")]
Uuid = Annotated[str, Fits(is_uuid, "a uuid")]


def decode(content: bytes, depth: int) -> Any:
    """Decode JSON in UTF-8.

    :param depth: maximum depth of maps and lists.
    :raises ValueError: if it is something else, if it is too large, or if a map has a member twice.
    """
    return decode_json(content.decode(), KEPT_MEMBERS, depth, object_pairs_hook=_each_once)


def _each_once(members: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return a map. Refuse two members with one name, because readers differ in which of them they use."""
    found = dict(members)
    if len(found) < len(members):
        counts = Counter(name for name, _value in members)
        raise ValueError(f"{shorten(counts.most_common(1)[0][0])} is written twice")
    return found


def version_of(document: Any, member: str) -> int | None:
    """Return the version in a member of a decoded map; None if it has none."""
    version = document.get(member) if isinstance(document, dict) else None
    return version if type(version) is int else None


def read_members(value: Any, kinds: Mapping[str, Any], place: str = "") -> dict[str, Any]:
    """Return the members of a decoded map.

    :param kinds: each name with its type. Members of type data class are maps with its attributes.
    :param place: of the map, for messages; empty for the document.
    :raises ValueError: if a member is missing or unknown, or has another type.
    """
    if not isinstance(value, dict):
        _refuse(value, place, "a map")
    prefix = f"{place}." if place else ""
    if unknown := sorted(value.keys() - kinds.keys()):
        raise ValueError(f"{prefix}{shorten(unknown[0])} is unknown")
    if missing := [name for name in kinds if name not in value]:
        raise ValueError(f"{prefix}{missing[0]} is missing")
    return {name: _read(kinds[name], member, f"{prefix}{name}") for name, member in value.items()}


def _refuse(value: Any, place: str, expected: str) -> NoReturn:
    raise ValueError(f"{place}: {shorten(value)} does not fit; expected {expected}")


def _read(kind: Any, value: Any, place: str) -> Any:
    """Return a decoded value as a value of a type."""
    origin, parts = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if isinstance(kind, type) and is_dataclass(kind):
        return kind(**read_members(value, _hints(kind), place))
    if origin is Annotated:
        fits: Fits = parts[1]
        return value if isinstance(value, str) and fits.test(value) else _refuse(value, place, fits.expected)
    if origin is None or origin is UnionType:
        plain = parts or (kind,)
        return value if type(value) in plain else _refuse(value, place, " or ".join(_WORDS[one] for one in plain))
    if issubclass(origin, Mapping):
        if not isinstance(value, dict):
            _refuse(value, place, "a map")
        return {_read(parts[0], key, place): _read(parts[1], item, f"{place}.{key}") for key, item in value.items()}
    if not isinstance(value, list):
        _refuse(value, place, "a list")
    is_numbered = is_dataclass(parts[0])
    return origin(
        _read(parts[0], item, f"{place}[{number}]" if is_numbered else place) for number, item in enumerate(value)
    )


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)
