# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a field and a field type are: the words that every type is described in."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeGuard

EMPTY: tuple[Any, ...] = (None, "", [], {}, ())
"""What services answer for "nothing": all of them mean the same."""

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class Unfit(ValueError):
    """A written value does not fit its type; the text says what was expected, with an example."""


class Plain(str):
    """The source text of a plain YAML scalar that YAML reads as something else than text: a number, a date, true or
    false.

    It fits the types whose values look like it; a text type refuses it, because it was not quoted.
    """

    __slots__ = ()


def typed(value: Any) -> Any:
    """A value in which every plain scalar is what it looks like: an integer, a number, or else a text."""
    if isinstance(value, Mapping):
        return {key: typed(member) for key, member in value.items()}
    if isinstance(value, list):
        return [typed(member) for member in value]
    if not isinstance(value, Plain):
        return value
    for kind, form in ((int, r"-?(0|[1-9][0-9]*)"), (float, r"-?(0|[1-9][0-9]*)\.[0-9]+")):
        if re.fullmatch(form, value):
            return kind(value)
    return str(value)


def is_uuid(value: Any) -> TypeGuard[str]:
    """Whether a value is a string in uuid form (8-4-4-4-12 hexadecimal digits)."""
    return isinstance(value, str) and _UUID.fullmatch(value) is not None


@dataclass(frozen=True)
class Field:
    """One field of a record, from its definition (section 2.2) or from the catalogue.

    :ivar constraints: constraint type to value: min_value, max_value, max_length, regular_expression.
    :ivar allowed: the values that a DROPDOWN or a choice may take; empty means any.
    :ivar fraction_digits: digits after the point that the instance keeps, where it says so.
    :ivar wire: the key on the wire where it differs from ``key``.
    """

    key: str
    type: str
    label: str = ""
    uuid: str = ""
    mandatory: bool = False
    unique: bool = False
    allowed: tuple[str, ...] = ()
    constraints: Mapping[str, Any] = field(default_factory=dict)
    fraction_digits: int | None = None
    wire: str = ""

    @property
    def wire_key(self) -> str:
        return self.wire or self.key


@dataclass(frozen=True)
class FieldType:
    """The four faces of one type.

    :ivar parse: what a person wrote (never None) to canonical; raises :class:`Unfit`.
    :ivar read: what a service answered to canonical; never raises.
    :ivar write: canonical to what is sent.
    :ivar show: canonical to the plain data of a returned record.
    :ivar brief: canonical to the plain data of a diff.
    :ivar equal: whether two canonical values mean the same for this field.
    :ivar empty: the canonical form of "nothing".
    :ivar merge: current and written value to the one that is meant, where what is not written is kept; None: the
        written one is meant.
    """

    parse: Callable[[Any, Field], Any]
    read: Callable[[Any, Field], Any]
    write: Callable[[Any], Any]
    show: Callable[[Any], Any]
    equal: Callable[[Any, Any, Field], bool] = lambda left, right, _field: bool(left == right)
    brief: Callable[[Any], Any] | None = None
    empty: Any = None
    merge: Callable[[Any, Any], Any] | None = None


def shorten(value: Any, limit: int = 80) -> str:
    """A value as it stands in an error message."""
    plain = value.isoformat() if isinstance(value, dt.date) else value
    text = repr(plain)
    return text if len(text) <= limit else text[:limit] + "..."


def parse_list(parse: Callable[[Any, Field], Any]) -> Callable[[Any, Field], tuple[Any, ...]]:
    """The parser for a list whose items have a parser of their own."""

    def parse_all(value: Any, of: Field) -> tuple[Any, ...]:
        if not isinstance(value, (list, tuple)):
            raise Unfit("a list")
        found = []
        for number, item in enumerate(value):
            try:
                found.append(parse(item, of))
            except Unfit as unfit:
                raise Unfit(f"{unfit} (item {number + 1})") from unfit
        return tuple(found)

    return parse_all


def read_list(read: Callable[[Any, Field], Any]) -> Callable[[Any, Field], tuple[Any, ...]]:
    """The reader for a list; a single value counts as a list of one, nothing as an empty list."""

    def read_all(value: Any, of: Field) -> tuple[Any, ...]:
        items = value if isinstance(value, (list, tuple)) else () if value in EMPTY else (value,)
        return tuple(found for found in (read(item, of) for item in items) if found is not None)

    return read_all


def each(show: Callable[[Any], Any]) -> Callable[[Iterable[Any]], list[Any]]:
    """One item's shape to the shape of a list of them."""
    return lambda values: [show(value) for value in values or ()]
