# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields and field types: the words that every type is described in."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, TypeGuard

EMPTY: tuple[Any, ...] = (None, "", [], {}, ())
"""The answers of services for "nothing": all of them mean the same."""

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
UUID_PATTERN = f"^{_UUID.pattern}$"

Way = tuple["str | int", ...]
"""The way from a value to one inside of it: of a map the name of the member, of a list the index of the item."""


class InvalidValue(ValueError):
    """A written value does not fit its type; the text says what was expected, with an example.

    :ivar parts: where only items of a list or members of a map do not fit, those: index or name, value, why.
    :ivar fitting: of a list the canonical values of its other items, with None in place of these.
    """

    def __init__(self, expected: str, parts: Sequence[tuple[str | int, Any, InvalidValue]] = ()) -> None:
        super().__init__(expected)
        self.parts = parts
        self.fitting: tuple[Any, ...] = ()

    @classmethod
    def of_parts(cls, parts: Sequence[tuple[str | int, Any, InvalidValue]]) -> InvalidValue:
        """A value that does not fit because of parts of it."""
        reasons = ((why, f"item {step + 1}" if isinstance(step, int) else step) for step, _value, why in parts)
        return cls("; ".join(f"{why} ({name})" for why, name in reasons), parts)

    def each_one(self, value: Any) -> Iterator[tuple[Way, Any, str]]:
        """Everything that does not fit, as deep as that is known: the way to it, its value, what was expected.

        :param value: the value that this was raised about.
        """
        if not self.parts:
            yield (), value, str(self)
        for step, part, why in self.parts:
            for way, inner, expected in why.each_one(part):
                yield (step, *way), inner, expected


def words_of(way: Way) -> str:
    """A way as it stands in a message: ``reminders[0].unit``."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in way).removeprefix(".")


class Plain(str):
    """The source text of a plain YAML scalar that YAML reads as something else than text: a number, a date, true or
    false.

    It fits the types whose values look like it; a text type refuses it, because it was not quoted.
    """

    __slots__ = ()


class TypedCell(Plain):
    """A cell of a workbook that holds no text, in the spelling that its type takes.

    :ivar no_text: why it is none, and what to do about it.
    :ivar shown: the text that the format of the cell shows, if that is what a text type takes.
    """

    no_text: str
    shown: str

    @classmethod
    def of(cls, text: str, no_text: str, shown: str = "") -> TypedCell:
        """The spelling, and why it is no text."""
        found = cls(text)
        found.no_text = no_text
        found.shown = shown
        return found


class CellList(list[Any]):
    """A list that stands as JSON in a cell of a table.

    :ivar text: the cell: what a text type takes.
    """

    text: str

    @classmethod
    def of(cls, items: Iterable[Any], text: str) -> CellList:
        """The items of the list, and the cell."""
        found = cls(items)
        found.text = text
        return found


class CellMap(dict[str, Any]):
    """A map that stands as JSON in a cell of a table.

    :ivar text: the cell: what a text type takes.
    """

    text: str

    @classmethod
    def of(cls, members: Mapping[str, Any], text: str) -> CellMap:
        """The members of the map, and the cell."""
        found = cls(members)
        found.text = text
        return found


class BrokenCell(str):
    """A cell that begins like JSON and is none: a text for a text type, and nothing for any other.

    :ivar why: what is wrong with it as JSON.
    """

    why: str

    @classmethod
    def of(cls, text: str, why: str) -> BrokenCell:
        """The text of the cell, and why it is no JSON."""
        found = cls(text)
        found.why = why
        return found


def typed(value: Any) -> Any:
    """A value in which every plain scalar is what it looks like: an integer, a number, or else a text."""
    if isinstance(value, Mapping):
        return {key: typed(member) for key, member in value.items()}
    if isinstance(value, list):
        return [typed(member) for member in value]
    if not isinstance(value, Plain):
        return value
    for kind, form in ((int, r"-?(0|[1-9][0-9]*)"), (float, r"-?(0|[1-9][0-9]*)\.[0-9]+")):
        # Python reads integers of some thousand digits, and none that are longer.
        if re.fullmatch(form, value) and len(value) <= _LONGEST_NUMBER:
            return kind(value)
    return str(value)


_LONGEST_NUMBER = 4000


def is_uuid(value: Any) -> TypeGuard[str]:
    """Tells whether a value is a string in uuid form (8-4-4-4-12 hexadecimal digits)."""
    return isinstance(value, str) and _UUID.fullmatch(value) is not None


MOST_DIGITS = 300
"""The digits of an integer of the service at most. No other number of JSON has more, and Python reads none of some
thousand digits.
"""


def integer_of(value: Any) -> int | None:
    """An integer as the service writes it, a text too; None for anything else."""
    if isinstance(value, str):
        return int(value) if value.isdecimal() and len(value) <= MOST_DIGITS else None
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else None


@dataclass(frozen=True)
class Field:
    """One field of a record, from its definition (section 2.2) or from the catalogue.

    :ivar constraints: constraint type to value: min_value, max_value, max_length, regular_expression.
    :ivar allowed: the values that a DROPDOWN or a choice may take; empty means any.
    :ivar fraction_digits: digits after the point that the instance keeps, where it says so.
    :ivar has_default: whether the service fills in a value where a new record has none.
    :ivar retyped: whether its type is about to change; nobody can say what the service makes of its values then.
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
    has_default: bool = False
    retyped: bool = False
    wire: str = ""

    @property
    def wire_key(self) -> str:
        return self.wire or self.key


class Spelling(Enum):
    """The kind of a value that programs and countries spell in different ways."""

    PLAIN = "plain"
    """No such kind: everybody writes it as its type takes it."""
    INTEGER = "integer"
    NUMBER = "number"
    DATE = "date"
    INSTANT = "instant"
    FLAG = "flag"

    @property
    def is_number(self) -> bool:
        return self in (Spelling.INTEGER, Spelling.NUMBER)

    @property
    def has_order(self) -> bool:
        """Tells whether everybody puts its values into the same order."""
        return self.is_number or self in (Spelling.DATE, Spelling.INSTANT)


ANY_SHAPE: Mapping[str, Any] = {
    "description": "A value of a field whose type is known to the instance only",
    "type": ["string", "number", "boolean", "object", "array", "null"],
}


@dataclass(frozen=True)
class FieldType:
    """The four faces of one type, and what can be done with its values.

    :ivar parse: what a person wrote (never None) to canonical; raises :class:`InvalidValue`.
    :ivar read: what a service answered to canonical; never raises.
    :ivar write: canonical to what is sent.
    :ivar show: canonical to the plain data of a returned record.
    :ivar brief: canonical to the plain data of a diff.
    :ivar equal: whether two canonical values mean the same for this field.
    :ivar empty: the canonical form of "nothing".
    :ivar merge: current and written value to the one that is meant, where what is not written is kept; None: the
        written one is meant.
    :ivar same_as: what stands for a value, and can be looked up: the same for all that are equal to it; None: itself.
    :ivar option: the option of a module that stands for a fixed field of this type, as an argument spec has it.
    :ivar shape: the name of the JSON Schema of a written value; types of one shape share it.
    :ivar json_schema: that schema. It refers to others as ``#/$defs/SHAPE``.
    :ivar spelling: the kind of its values where tables spell them in different ways: a table in the German dialect has
        ``1.299,50`` and ``ja``, which are turned into what ``parse`` takes.
    :ivar narrows: whether the shape of its values in a filter is known, so that the service can narrow a list by them.
    :ivar names: whether a list is narrowed by its values when a record is looked up: they have one shape in all
        instances.
    :ivar is_text: whether an empty text is another value than null to a filter.
    :ivar in_files: canonical to what a file holds, given what a reference in it is called there; None: a reference by
        what it is called, texts, numbers and dates as they are, a list of those item by item, anything else as ``show``
        has it.
    :ivar writable: whether a person may write a value.
    :ivar computed: whether the service works its values out from other fields, so that nothing is lost without them.
    :ivar made_by_time: values that the service makes of others when a day has passed, to those others.
    """

    parse: Callable[[Any, Field], Any]
    read: Callable[[Any, Field], Any]
    write: Callable[[Any], Any]
    show: Callable[[Any], Any]
    equal: Callable[[Any, Any, Field], bool] = lambda left, right, _field: bool(left == right)
    brief: Callable[[Any], Any] | None = None
    empty: Any = None
    merge: Callable[[Any, Any], Any] | None = None
    same_as: Callable[[Any, Field], Any] | None = None
    option: Mapping[str, Any] | None = None
    shape: str = "any"
    json_schema: Mapping[str, Any] = field(default_factory=lambda: ANY_SHAPE)
    spelling: Spelling = Spelling.PLAIN
    narrows: bool = False
    names: bool = False
    is_text: bool = False
    in_files: Callable[[Any, Callable[[Any], Any]], Any] | None = None
    writable: bool = True
    computed: bool = False
    made_by_time: Mapping[Any, Any] = field(default_factory=dict)

    @property
    def takes_map(self) -> bool:
        """Tells whether a value, or an item of it, may be written as a map."""
        return self.shape in ("links", "references") or (
            self.shape != "any" and "object" in self.json_schema.get("type", ())
        )

    @property
    def holds_list(self) -> bool:
        """Tells whether its canonical values are tuples."""
        return isinstance(self.empty, tuple)


def equal_by(same_as: Callable[[Any, Field], Any]) -> Callable[[Any, Any, Field], bool]:
    """Two values are equal where the same stands for both, as it does where they are the same."""
    return lambda left, right, field: bool(left == right or same_as(left, field) == same_as(right, field))


def shorten(value: Any, limit: int = 80) -> str:
    """A value as it stands in an error message."""
    plain = value.isoformat() if isinstance(value, dt.date) else value
    text = repr(plain)
    return text if len(text) <= limit else text[:limit] + "..."


def edge_blanks(text: str) -> str:
    """Return in words where a text has blanks at its edges, which nobody sees; empty if it has none."""
    begins, ends = text != text.lstrip(), text != text.rstrip()
    if begins and ends:
        return "begins and ends with a blank"
    return "begins with a blank" if begins else "ends with a blank" if ends else ""


def parse_list(parse: Callable[[Any, Field], Any]) -> Callable[[Any, Field], tuple[Any, ...]]:
    """The parser for a list whose items have a parser of their own."""

    def parse_all(value: Any, field: Field) -> tuple[Any, ...]:
        if not isinstance(value, (list, tuple)):
            raise InvalidValue("a list")
        found = []
        wrong: list[tuple[str | int, Any, InvalidValue]] = []
        for number, item in enumerate(value):
            try:
                found.append(parse(item, field))
            except InvalidValue as unfit:
                found.append(None)
                wrong.append((number, item, unfit))
        if wrong:
            some = InvalidValue.of_parts(wrong)
            some.fitting = tuple(found)
            raise some
        return tuple(found)

    return parse_all


def read_list(read: Callable[[Any, Field], Any]) -> Callable[[Any, Field], tuple[Any, ...]]:
    """The reader for a list; a single value counts as a list of one, nothing as an empty list."""

    def read_all(value: Any, field: Field) -> tuple[Any, ...]:
        items = value if isinstance(value, (list, tuple)) else () if value in EMPTY else (value,)
        return tuple(found for found in (read(item, field) for item in items) if found is not None)

    return read_all


def each(show: Callable[[Any], Any]) -> Callable[[Iterable[Any]], list[Any]]:
    """Turns the shape of one item into the shape of a list of them."""
    return lambda values: [show(value) for value in values or ()]


# ---- what a type can't represent


@dataclass(frozen=True, eq=False)
class Unread:
    """A value of the service that its type can't represent: shown and sent back as it came, and never empty."""

    raw: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unread) and bool(self.raw == other.raw)

    def __hash__(self) -> int:
        return hash(repr(self.raw))


def is_nothing(raw: Any) -> bool:
    """Return True if the service answers "nothing": empty, 0 in place of a link, or a list or map of nothing else."""
    if isinstance(raw, (Mapping, list)):
        return all(map(is_nothing, raw.values() if isinstance(raw, Mapping) else raw))
    return raw in EMPTY or raw in (0, "0")


def cannot_send(raw: Any) -> Any:
    """Refuse to send a value back whose read shape is not its write shape."""
    raise InvalidValue(f"what the service answers can't be sent back: {shorten(raw)}")


def faithful(
    faces: FieldType,
    send: Callable[[Any], Any] = lambda raw: raw,
    is_empty: Callable[[Any], bool] = is_nothing,
) -> FieldType:
    """Return a type that keeps what it can't represent, in place of reading it as nothing.

    :param send: what the service answered to what is sent back so that nothing changes; raises :class:`InvalidValue` if
        that is not possible.
    :param is_empty: whether a value, or an item of a list, is nothing.
    """

    def read(raw: Any, field: Field) -> Any:
        value = faces.read(raw, field)
        if not faces.holds_list:
            is_lost = value in EMPTY and not is_empty(raw)
        else:
            items = raw if isinstance(raw, (list, tuple)) else (raw,)
            is_lost = len(value) < len(items) and len(value) < sum(not is_empty(item) for item in items)
        return Unread(raw) if is_lost else value

    def kept(face: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda value: value.raw if isinstance(value, Unread) else face(value)

    def equal(left: Any, right: Any, field: Field) -> bool:
        if isinstance(left, Unread) or isinstance(right, Unread):
            return bool(left == right)
        return faces.equal(left, right, field)

    same_as = faces.same_as
    return replace(
        faces,
        read=read,
        write=lambda value: send(value.raw) if isinstance(value, Unread) else faces.write(value),
        show=kept(faces.show),
        brief=kept(faces.brief or faces.show),
        equal=equal,
        same_as=same_as and (lambda value, field: value if isinstance(value, Unread) else same_as(value, field)),
    )
