# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields and field types, and the terms in which every type is described."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Context, Decimal
from enum import Enum
from typing import Any, TypeGuard

#: The answers of services for "nothing". All of them mean the same.
EMPTY: tuple[Any, ...] = (None, "", [], {}, ())

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
UUID_PATTERN = f"^{_UUID.pattern}$"

#: Keys that the service generated for a field, such as ``rechnungsnummer_b0eb3192`` and ``custom_4``.
GENERATED_KEY = r".+_[0-9a-f]{8}|custom_[0-9]+"

#: The path from a value to a part of it: the name of a member of a map, the index of an item of a list.
Way = tuple["str | int", ...]


def is_generated_key(key: str) -> bool:
    """Return True if the service generated the key of a field, so that it differs from instance to instance."""
    return re.fullmatch(GENERATED_KEY, key) is not None


class InvalidValue(ValueError):
    """Raised if a written value does not fit its type. The message says what was expected, with an example.

    :ivar parts: index or name, value and reason of each part that does not fit, if only parts do not fit.
    :ivar fitting: the canonical values of the other items of a list, with None in place of these parts.
    """

    def __init__(self, expected: str, parts: Sequence[tuple[str | int, Any, InvalidValue]] = ()) -> None:
        super().__init__(expected)
        self.parts = parts
        self.fitting: tuple[Any, ...] = ()

    @classmethod
    def of_parts(cls, parts: Sequence[tuple[str | int, Any, InvalidValue]]) -> InvalidValue:
        """Create the error for a list or a map in which some parts do not fit."""
        reasons = ((why, f"item {step + 1}" if isinstance(step, int) else step) for step, _value, why in parts)
        return cls("; ".join(f"{why} ({name})" for why, name in reasons), parts)

    def misfits(self, value: Any) -> Iterator[tuple[Way, Any, str]]:
        """Yield every part that does not fit: its path, its value, and what was expected.

        :param value: the value that this was raised for.
        """
        if not self.parts:
            yield (), value, str(self)
        for step, part, why in self.parts:
            for way, inner, expected in why.misfits(part):
                yield (step, *way), inner, expected


def words_of(way: Way) -> str:
    """Return a path as a message shows it: ``reminders[0].unit``."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in way).removeprefix(".")


class Plain(str):
    """The source text of an unquoted YAML scalar that YAML reads as a number, a date, true or false.

    It fits the types whose values look like it. A text type rejects it, because it was not quoted.
    """

    __slots__ = ()


class TypedCell(Plain):
    """A workbook cell without text, in the spelling that its type accepts.

    :ivar no_text: why it is not a text, and what to do about it.
    :ivar is_name: True if a number in it is the name of a record, not an id.
    :ivar shown: the text that the number format shows, if a text type accepts that.
    """

    no_text: str
    is_name: bool = False
    shown: str

    @classmethod
    def from_spelling(cls, text: str, no_text: str, shown: str = "") -> TypedCell:
        """Create the cell from its spelling and the reason why it is not a text."""
        found = cls(text)
        found.no_text = no_text
        found.shown = shown
        return found


def as_shown(cell: str) -> str:
    """Return the text of a cell as a workbook shows it."""
    return (isinstance(cell, TypedCell) and cell.shown) or str(cell)


class CellList(list[Any]):
    """A list written as JSON in a cell of a table.

    :ivar text: the cell, for text types.
    """

    def __init__(self, items: Iterable[Any], text: str) -> None:
        super().__init__(items)
        self.text = text


class CellMap(dict[str, Any]):
    """A map written as JSON in a cell of a table.

    :ivar text: the cell, for text types.
    """

    def __init__(self, members: Mapping[str, Any], text: str) -> None:
        super().__init__(members)
        self.text = text


class BrokenCell(str):
    """A cell that begins like JSON and is not JSON: a text for a text type, and invalid for any other type.

    :ivar why: what is wrong with it as JSON.
    """

    why: str

    @classmethod
    def from_text(cls, text: str, why: str) -> BrokenCell:
        """Create the cell from its text and the reason why it is not JSON."""
        found = cls(text)
        found.why = why
        return found


def typed(value: Any) -> Any:
    """Return a value in which every plain scalar has its natural type: an integer, a number, or else a text."""
    if isinstance(value, Mapping):
        return {key: typed(member) for key, member in value.items()}
    if isinstance(value, list):
        return [typed(member) for member in value]
    if not isinstance(value, Plain):
        return value
    for kind, form in ((int, r"-?(0|[1-9][0-9]*)"), (float, r"-?(0|[1-9][0-9]*)\.[0-9]+")):
        # Python refuses to parse integers of several thousand digits.
        if re.fullmatch(form, value) and len(value) <= _LONGEST_NUMBER:
            return kind(value)
    return str(value)


_LONGEST_NUMBER = 4000


def is_uuid(value: Any) -> TypeGuard[str]:
    """Return True if a value is a string in uuid form (8-4-4-4-12 hexadecimal digits)."""
    return isinstance(value, str) and _UUID.fullmatch(value) is not None


#: Maximum length of a text that is written. Some longer texts would make each list with them exceed its limit.
MOST_CHARACTERS = 1_000_000

#: Maximum digits of an integer of the service.
#:
#: No other number in JSON has more, and Python rejects some thousand digits.
MOST_DIGITS = 300


def integer_of(value: Any) -> int | None:
    """Return an integer as the service writes it, also as text; None for anything else."""
    if isinstance(value, str):
        return int(value) if value.isdecimal() and len(value) <= MOST_DIGITS else None
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else None


@dataclass(frozen=True)
class Field:
    """One field of a record, from its definition (section 2.2) or from the catalogue.

    :ivar constraints: constraint type to value: min_value, max_value, max_length, regular_expression.
    :ivar allowed: the values that a DROPDOWN or a choice accepts; empty means any.
    :ivar fraction_digits: digits after the point that the instance keeps, if it says so.
    :ivar has_default: True if the service fills in a value that a new record does not have.
    :ivar retyped: True if its type is about to change; then nobody knows what the service makes of its values.
    :ivar wire: the key in requests and answers if it differs from ``key``.
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

    @property
    def called(self) -> str:
        """Return what people call the field: its key, or its label if the service generated the key."""
        return self.label if self.label and is_generated_key(self.key) else self.key

    @property
    def shown_digits(self) -> int:
        """Return the minimum number of digits after the point: two for money if the definition does not say."""
        usual = 2 if self.type == "MONEY" else 0
        return usual if self.fraction_digits is None else self.fraction_digits


class Spelling(Enum):
    """Groups of values whose spelling depends on the program or the country."""

    #: No special spelling: everybody writes the values as their type accepts them.
    PLAIN = "plain"
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
        """Return True if everybody sorts the values in the same order."""
        return self.is_number or self in (Spelling.DATE, Spelling.INSTANT)


ANY_SHAPE: Mapping[str, Any] = {
    "description": "A value of a field whose type is known to the instance only",
    "type": ["string", "number", "boolean", "object", "array", "null"],
}


@dataclass(frozen=True)
class FieldType:
    """The four representations of a type, and the operations on its values.

    :ivar parse: user input (never None) to canonical; raises :class:`InvalidValue`.
    :ivar read: answer of the service to canonical; never raises.
    :ivar write: canonical to what is sent.
    :ivar show: canonical to the plain data of a returned record.
    :ivar brief: canonical to the plain data of a diff.
    :ivar equal: returns True if two canonical values mean the same for this field.
    :ivar empty: the canonical form of "nothing".
    :ivar merge: current and written value to the desired value, if members that are not written are kept; None: the
        written value is the desired value.
    :ivar same_as: a key for lookups, the same for all equal values; None: the value itself.
    :ivar option: the argument spec of a module's option for a fixed field of this type.
    :ivar shape: the name of the JSON Schema of a written value; types with the same shape share it.
    :ivar json_schema: that schema. It refers to others as ``#/$defs/SHAPE``.
    :ivar spelling: the group of values that tables spell differently: a table in the German dialect has ``1.299,50``
        and
        ``ja``, which are converted to what ``parse`` accepts.
    :ivar narrows: True if the form of its values in a filter is known, so that the service can narrow a list by them.
    :ivar names: True if a lookup of a record narrows a list by its values: they have the same form in all instances.
    :ivar is_text: True if a filter distinguishes an empty text from null.
    :ivar in_files: canonical to what a file has, given the name of the target of a reference; None: a reference by its
        name, texts, numbers and dates as they are, a list item by item, anything else as ``show`` returns it.
    :ivar writable: True if users may write a value.
    :ivar computed: True if the service computes its values from other fields, so that nothing is lost without them.
    :ivar changed_by_time: values that the service derives from others when a day has passed, to those others.
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
    changed_by_time: Mapping[Any, Any] = field(default_factory=dict)

    @property
    def accepts_map(self) -> bool:
        """Return True if a value, or an item of it, may be written as a map."""
        return self.shape in ("links", "references") or (
            self.shape != "any" and "object" in self.json_schema.get("type", ())
        )

    @property
    def is_list(self) -> bool:
        """Return True if its canonical values are tuples."""
        return isinstance(self.empty, tuple)


def equal_by(same_as: Callable[[Any, Field], Any]) -> Callable[[Any, Any, Field], bool]:
    """Compare two values by their normalised form."""
    return lambda left, right, field: bool(left == right or same_as(left, field) == same_as(right, field))


def shorten(value: Any, limit: int = 80) -> str:
    """Return a value as an error message shows it."""
    plain = value.isoformat() if isinstance(value, dt.date) else value
    text = "empty" if value is None else repr(plain).lower() if isinstance(plain, bool) else repr(plain)
    return text if len(text) <= limit else text[:limit] + "..."


def first_of(names: Sequence[str], most: int, separator: str = ", ") -> str:
    """Return the first names, and how many more there are."""
    rest = len(names) - most
    return separator.join(names[:most]) + (f" and {rest:,} more" if rest > 0 else "")


_WIDE = Context(prec=1000)


def in_digits(number: Decimal, fraction_digits: int, separator: str = "") -> str:
    """Return a number without an exponent, with at least some digits after the point, and never rounded.

    :param separator: between thousands: a comma or nothing.
    """
    exponent = number.normalize(_WIDE).as_tuple().exponent
    digits = max(fraction_digits, -exponent if isinstance(exponent, int) else 0)
    return f"{number:{separator}.{digits}f}"


def edge_blanks(text: str) -> str:
    """Describe the spaces at the edges of a text, which are invisible; empty if there are none."""
    if text == text.strip():
        return ""
    begins, ends = text != text.lstrip(), text != text.rstrip()
    if begins and ends:
        return "begins and ends with a space"
    return "begins with a space" if begins else "ends with a space"


def parse_parts(parts: Iterable[tuple[str | int, Any]], parse: Callable[[str | int, Any], Any]) -> dict[str | int, Any]:
    """Parse the parts of a map or a list by their names or indexes.

    :raises InvalidValue: for all parts that do not fit.
    """
    found: dict[str | int, Any] = {}
    wrong: list[tuple[str | int, Any, InvalidValue]] = []
    for step, part in parts:
        try:
            found[step] = parse(step, part)
        except InvalidValue as unfit:
            found[step] = None
            wrong.append((step, part, unfit))
    if wrong:
        invalid = InvalidValue.of_parts(wrong)
        invalid.fitting = tuple(found.values())
        raise invalid
    return found


def parse_list(parse: Callable[[Any, Field], Any]) -> Callable[[Any, Field], tuple[Any, ...]]:
    """Return the parser for a list whose items have a parser of their own."""

    def parse_all(value: Any, field: Field) -> tuple[Any, ...]:
        if not isinstance(value, (list, tuple)):
            raise InvalidValue("a list")
        return tuple(parse_parts(enumerate(value), lambda _number, item: parse(item, field)).values())

    return parse_all


def read_list(read: Callable[[Any, Field], Any]) -> Callable[[Any, Field], tuple[Any, ...]]:
    """Return the reader for a list. A single value counts as a list of one item, nothing as an empty list."""

    def read_all(value: Any, field: Field) -> tuple[Any, ...]:
        items = value if isinstance(value, (list, tuple)) else () if value in EMPTY else (value,)
        return tuple(found for found in (read(item, field) for item in items) if found is not None)

    return read_all


def each(show: Callable[[Any], Any]) -> Callable[[Iterable[Any]], list[Any]]:
    """Turn the function for one item into the function for a list of them."""
    return lambda values: [show(value) for value in values or ()]


def list_of(faces: FieldType, **others: Any) -> FieldType:
    """Return the type of a list of values of a type.

    :param others: the members that are not those of the type item by item.
    """
    brief = each(faces.brief or faces.show)
    parse, read = parse_list(faces.parse), read_list(faces.read)
    return FieldType(parse, read, each(faces.write), each(faces.show), brief=brief, empty=(), **others)


# ---- what a type can't represent


@dataclass(frozen=True, eq=False)
class Unread:
    """A value of the service that its type cannot represent.

    It is shown as it came, and is never empty. A PUT sends it back as it came, or is refused.
    """

    raw: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unread) and bool(self.raw == other.raw)

    def __hash__(self) -> int:
        return hash(repr(self.raw))


def readable(raw: Any) -> str:
    """Return an answered value as people read it: a map or a list as JSON, and nothing as an empty text."""
    if raw in EMPTY:
        return ""
    return json.dumps(raw, ensure_ascii=False) if isinstance(raw, (Mapping, list, bool)) else str(raw)


def is_nothing(raw: Any) -> bool:
    """Return True if the service answers "nothing": empty, 0 in place of a link, or a list or map of nothing else."""
    if isinstance(raw, (Mapping, list)):
        return all(map(is_nothing, raw.values() if isinstance(raw, Mapping) else raw))
    return raw in EMPTY or raw in (0, "0")


def cannot_send(raw: Any) -> Any:
    """Refuse to send a value back if the service returns it in another shape than it accepts."""
    raise InvalidValue(f"the value that the service returns can't be sent back: {shorten(raw)}")


def resend(raw: Any) -> Any:
    """Return an unreadable value as it is sent back: a text or a number, but not a map or a list."""
    return cannot_send(raw) if isinstance(raw, (Mapping, list)) else raw


def unless_unread(face: Callable[[Any], Any], unread: Callable[[Any], Any] = lambda raw: raw) -> Callable[[Any], Any]:
    """Wrap a function of canonical values so that it also accepts values that the type cannot represent.

    :param unread: the function for the answered value.
    """
    return lambda value: unread(value.raw) if isinstance(value, Unread) else face(value)


def faithful(
    faces: FieldType, send: Callable[[Any], Any] = lambda raw: raw, is_empty: Callable[[Any], bool] = is_nothing
) -> FieldType:
    """Return a type that keeps values that it cannot represent. It does not read them as empty.

    :param send: returns what to send so that an answered value does not change; raises :class:`InvalidValue` if that is
        not possible.
    :param is_empty: returns True if a value, or an item of a list, is nothing.
    """

    def read(raw: Any, field: Field) -> Any:
        value = faces.read(raw, field)
        if not faces.is_list:
            is_lost = value in EMPTY and not is_empty(raw)
        else:
            items = raw if isinstance(raw, (list, tuple)) else (raw,)
            is_lost = len(value) < len(items) and len(value) < sum(not is_empty(item) for item in items)
        return Unread(raw) if is_lost else value

    def equal(left: Any, right: Any, field: Field) -> bool:
        if isinstance(left, Unread) or isinstance(right, Unread):
            return bool(left == right)
        return faces.equal(left, right, field)

    same_as = faces.same_as
    return replace(
        faces,
        read=read,
        write=unless_unread(faces.write, send),
        show=unless_unread(faces.show),
        brief=unless_unread(faces.brief or faces.show),
        equal=equal,
        same_as=same_as and (lambda value, field: value if isinstance(value, Unread) else same_as(value, field)),
    )
