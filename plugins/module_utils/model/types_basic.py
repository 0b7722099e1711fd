# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The field types of template-defined records (section 2.1 of the interface).

A value has four representations: user input, request, answer, and one canonical form between them in which two values
are equal exactly when they mean the same. Parsing of user input is strict; reading of answers is tolerant. The
canonical form of "nothing" is ``None`` for a single value and ``()`` for a list.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import Any

from .dates import ISO_DAY, ISO_MOMENT, read_iso, zero_hint
from .field import (
    EMPTY,
    MOST_CHARACTERS,
    MOST_DIGITS,
    CellList,
    CellMap,
    Field,
    FieldType,
    InvalidValue,
    Plain,
    Spelling,
    TypedCell,
    Unread,
    cannot_send,
    equal_by,
    faithful,
    resend,
    unless_unread,
)
from .names import normal_name
from .patterns import finds
from .types_links import ATTACHMENTS, LINKED_ASSET, LINKED_ASSETS, link_type

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
_ANSWERED_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SIGNIFICANT_DIGITS = 15
#: Wide enough for every JSON number with the 20 digits after the point that a definition may require.
_WIDE = Context(prec=400)


def _same(value: Any) -> Any:
    return value


def _unread(value: Any) -> Unread | None:
    """Wrap a value that a type can't represent. Return None if it is empty."""
    return None if value in EMPTY else Unread(value)


# ---- texts


_NO_TEXTS: dict[str, Any] = {"true or false": bool, "a number": (int, float), "a date": dt.date}


def _parse_text(value: Any, _field: Field) -> str | None:
    if isinstance(value, TypedCell):
        raise InvalidValue(value.no_text)
    if isinstance(value, Plain):
        read_as = "read as an octal number" if _OCTAL.fullmatch(value) else "not text"
        raise InvalidValue(f'text; quote it: "{value}" (without quotes {value} is {read_as})')
    if isinstance(value, (CellList, CellMap)):
        value = value.text
    if isinstance(value, str):
        if len(value) > MOST_CHARACTERS:
            raise InvalidValue(f"a text of at most {MOST_CHARACTERS:,} characters")
        return str(value) or None
    for type_in_words, types in _NO_TEXTS.items():
        if isinstance(value, types):
            hint = f"without quotes it is {type_in_words}{_octal_hint(value)}; in a template add | string"
            raise InvalidValue(f"text; quote it where it is written, exactly as it is ({hint})")
    raise InvalidValue('text, such as "Laptop 17"')


_OCTAL = re.compile("[-+]?0o?[0-7_]+")


def _octal_hint(value: Any) -> str:
    """Say how a playbook may have written an integer with a leading zero; empty if it can't have."""
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    return f"; 0{value:o} is read as an octal number" if is_integer and 7 < value < _MOST_OCTAL else ""


#: A limit for integers that may be numbers of things.
_MOST_OCTAL = 8**20


def _read_text(value: Any, _field: Field) -> Any:
    if isinstance(value, str):
        return value or None
    if value in EMPTY:
        return None
    if isinstance(value, (Mapping, list)):
        return Unread(value)
    # A flag is written as in JSON. A number has no capital letters.
    return str(value).lower()


def _equal_texts(left: Any, right: Any, _field: Field) -> bool:
    are_texts = isinstance(left, str) and isinstance(right, str)
    return bool(left == right) or (are_texts and normal_name(left) == normal_name(right))


def _read_words(value: Any, field: Field) -> Any:
    # In the published sample of a user, the display name is a list of texts.
    is_words = isinstance(value, list) and all(isinstance(word, str) for word in value)
    return _read_text(" ".join(value) if is_words else value, field)


# ---- numbers


def _parse_integer(value: Any, _field: Field) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and _INTEGER.fullmatch(value):
        if len(value) > MOST_DIGITS:
            raise InvalidValue(f"an integer of at most {MOST_DIGITS} digits")
        return int(value)
    raise InvalidValue("an integer without leading zeros, such as 42")


def _read_integer(value: Any, _field: Field) -> Any:
    number = _to_decimal(value)
    if number is None:
        return _unread(value)
    is_integer = number.adjusted() < MOST_DIGITS and number == number.to_integral_value()
    return int(number) if is_integer else number


def _parse_decimal(value: Any, _field: Field) -> Decimal:
    text = "NaN"
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        text = value
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        text = repr(value)
    number = Decimal(text)
    if not number.is_finite():
        raise InvalidValue('a number with a decimal point and no separators, such as 1299.50 or "1299.50"')
    if len(text) > _SIGNIFICANT_DIGITS and Decimal(repr(float(number))) != number:
        raise InvalidValue(
            f"a number of at most {_SIGNIFICANT_DIGITS} significant digits, because the service accepts JSON numbers"
        )
    return number


def _to_decimal(value: Any) -> Decimal | None:
    if value in EMPTY:
        return None
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() and not isinstance(value, bool) else None


def _read_decimal(value: Any, _field: Field) -> Any:
    number = _to_decimal(value)
    return _unread(value) if number is None else number


def _write_decimal(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else value


def _rounded(value: Any, field: Field) -> Any:
    if field.fraction_digits is None or not isinstance(value, Decimal):
        return value
    return value.quantize(Decimal(1).scaleb(-field.fraction_digits), ROUND_HALF_UP, _WIDE)


# ---- booleans

_TRUE = (True, 1, "1", "true", "yes")
_FALSE = (False, 0, "0", "false", "no")


#: Words that YAML reads as true and false if they are not quoted.
_YAML_WORDS = {"yes": True, "on": True, "no": False, "off": False}


def _parse_boolean(value: Any, _field: Field) -> bool:
    if isinstance(value, bool):
        return bool(value)
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if isinstance(value, Plain) and value.lower() in _YAML_WORDS:
        return _YAML_WORDS[value.lower()]
    if isinstance(value, str) and not isinstance(value, Plain) and value.lower() in _YAML_WORDS:
        raise InvalidValue("true or false, without quotes; in a template add | bool")
    raise InvalidValue("true or false")


def _read_boolean(value: Any, _field: Field) -> Any:
    plain = value.lower() if isinstance(value, str) else value
    if isinstance(plain, (bool, int, str)) and plain in _TRUE:
        return True
    if isinstance(plain, (bool, int, str)) and plain in _FALSE:
        return False
    return _unread(value)


# ---- dates and instants


def _parse_date(value: Any, _field: Field) -> dt.date:
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return value
    text = value if isinstance(value, str) else ""
    try:
        found = read_iso(text)
    except ValueError as error:
        raise InvalidValue(f"a date that exists, as YYYY-MM-DD ({error})") from error
    if found is None or isinstance(found, dt.datetime):
        raise InvalidValue(f"a date as YYYY-MM-DD, such as 2024-05-31{zero_hint(text)}")
    return found


def _read_date(value: Any, _field: Field) -> Any:
    if isinstance(value, str) and _ANSWERED_DATE.match(value):
        try:
            return dt.date.fromisoformat(value[:10])
        except ValueError:
            return Unread(value)
    return _unread(value)


def _parse_datetime(value: Any, _field: Field) -> dt.datetime:
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        return value.replace(microsecond=0)
    try:
        found = read_iso(value) if isinstance(value, str) else None
        if isinstance(found, dt.datetime) and found.tzinfo is not None:
            return _instant_of(found)
    except (ValueError, OverflowError) as error:
        raise InvalidValue(f"a date and time that exist, with the offset to UTC ({error})") from error
    raise InvalidValue("a date and time with the offset to UTC, such as 2024-05-31T14:30:00+02:00")


def _read_datetime(value: Any, _field: Field) -> Any:
    if not isinstance(value, str) or not value:
        return _unread(value)
    try:
        found = read_iso(value)
        return Unread(value) if found is None else _instant_of(found)
    except (ValueError, OverflowError):
        return Unread(value)


def _instant_of(found: dt.date) -> dt.datetime:
    """Return the instant of a time, or of the beginning of a day, in whole seconds.

    :raises OverflowError: if its year in UTC is before 1 or after 9999.
    """
    time = found if isinstance(found, dt.datetime) else dt.datetime.combine(found, dt.time())
    # Time stamps without a zone are UTC, as the published description says.
    instant = (time if time.tzinfo else time.replace(tzinfo=dt.UTC)).replace(microsecond=0)
    instant.astimezone(dt.UTC)
    return instant


def _iso(value: Any) -> Any:
    return value.isoformat() if isinstance(value, dt.date) else value


# ---- the table


def _unwritable(_value: Any, _field: Field) -> Any:
    raise InvalidValue("no value: the service sets values of this type, and this collection never writes them")


def _read_any(value: Any, _field: Field) -> Any:
    return None if value in EMPTY else value


TEXT = FieldType(
    _parse_text,
    _read_text,
    unless_unread(_same, resend),
    unless_unread(_same),
    _equal_texts,
    option={"type": "str"},
    shape="text",
    json_schema={"type": ["string", "null"]},
    narrows=True,
    names=True,
    is_text=True,
)
WORDS = replace(TEXT, read=_read_words)
INTEGER = FieldType(
    _parse_integer,
    _read_integer,
    unless_unread(_same, resend),
    unless_unread(_write_decimal),
    option={"type": "int"},
    shape="integer",
    json_schema={"type": ["integer", "string", "null"], "pattern": f"^{_INTEGER.pattern}$"},
    spelling=Spelling.INTEGER,
    narrows=True,
)
DECIMAL = FieldType(
    _parse_decimal,
    _read_decimal,
    unless_unread(_write_decimal, resend),
    unless_unread(_write_decimal),
    equal_by(_rounded),
    same_as=_rounded,
    option={"type": "raw"},
    shape="decimal",
    json_schema={"type": ["number", "string", "null"], "pattern": f"^{_DECIMAL.pattern}$", "examples": ["1299.00"]},
    spelling=Spelling.NUMBER,
    narrows=True,
)
BOOLEAN = FieldType(
    _parse_boolean,
    _read_boolean,
    unless_unread(_same, resend),
    unless_unread(_same),
    option={"type": "bool"},
    shape="boolean",
    json_schema={"type": ["boolean", "string", "null"], "pattern": "^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$"},
    spelling=Spelling.FLAG,
)
DATE = FieldType(
    _parse_date,
    _read_date,
    unless_unread(_iso, resend),
    unless_unread(_iso),
    option={"type": "str"},
    shape="date",
    # YAML reads 20240531 as an integer.
    json_schema={
        "type": ["string", "integer", "null"],
        "pattern": f"^{ISO_DAY}$",
        "minimum": 10000101,
        "maximum": 99991231,
        "examples": ["2024-05-31"],
    },
    spelling=Spelling.DATE,
    narrows=True,
)
DATETIME = FieldType(
    _parse_datetime,
    _read_datetime,
    unless_unread(_iso, resend),
    unless_unread(_iso),
    option={"type": "str"},
    shape="datetime",
    # Files may omit the offset: the settings contain a time zone.
    json_schema={"type": ["string", "null"], "pattern": f"^{ISO_MOMENT}$", "examples": ["2024-05-31T14:30:00+02:00"]},
    spelling=Spelling.INSTANT,
    narrows=True,
)


UNWRITABLE = FieldType(_unwritable, _read_any, _same, _same, writable=False)
ANY = FieldType(lambda value, _field: value, _read_any, _same, _same)
#: The representations of each field type (section 2.1; the published description lists the names).
FIELD_TYPES: dict[str, FieldType] = {
    "ATTACHMENT": faithful(ATTACHMENTS, cannot_send),
    "BARCODE": TEXT,
    "BOOLEAN": BOOLEAN,
    "COORDINATES": UNWRITABLE,
    "DATE": DATE,
    "DATETIME": DATETIME,
    "DECIMAL": DECIMAL,
    "DROPDOWN": TEXT,
    "FIELD_VALUE_COMPARISON": replace(UNWRITABLE, computed=True),
    "LINK": TEXT,
    "LINKED_ASSET": faithful(LINKED_ASSET, resend),
    "LINKED_ASSETS": faithful(LINKED_ASSETS, resend),
    "LINKED_LOCATION": faithful(link_type("location"), resend),
    "LINKED_PERSON": faithful(link_type("person"), resend),
    "LINKED_ROOM": faithful(link_type("room"), resend),
    "LINKED_USER": faithful(link_type("user"), resend),
    "LONG_TEXT": replace(TEXT, names=False),
    "MONEY": DECIMAL,
    "NUMBER": INTEGER,
    "REMINDER": DATE,
    "TEXT": TEXT,
}


def broken_rules(value: Any, field: Field) -> list[str]:
    """Return the constraints of a field (section 2.2) that a canonical value breaks, in words."""
    if value is None or value == ():
        return ["this field is mandatory and can't be empty"] if field.mandatory else []
    broken = []
    if not is_choice(value, field):
        broken.append(f"expected one of {', '.join(map(repr, field.allowed))}")
    for rule, limit in field.constraints.items():
        broken += _broken_rule(rule, limit, value)
    return broken


def is_choice(value: Any, field: Field) -> bool:
    """Return False if a canonical value is a text that is not a choice of a field with choices."""
    return not field.allowed or not isinstance(value, str) or value in field.allowed


def _broken_rule(rule: str, limit: Any, value: Any) -> list[str]:
    if rule == "regular_expression":
        if isinstance(value, str) and not _may_match(str(limit), value):
            return [f"expected a text that matches the pattern {limit}"]
        return []
    bound = _to_decimal(limit)
    if not isinstance(bound, Decimal):
        return []
    if rule == "min_value" and isinstance(value, (int, Decimal)) and value < bound:
        return [f"expected at least {limit}"]
    if rule == "max_value" and isinstance(value, (int, Decimal)) and value > bound:
        return [f"expected at most {limit}"]
    if rule == "max_decimals" and isinstance(value, Decimal) and value != round(value, int(bound)):
        return [f"expected at most {limit} decimal places"]
    if rule == "max_length" and isinstance(value, str) and len(value) > bound:
        return [f"expected at most {limit} characters, found {len(value)}"]
    if rule in ("min_items", "min_value") and isinstance(value, tuple) and len(value) < bound:
        return [f"expected at least {limit} item(s)"]
    if rule in ("max_items", "max_value") and isinstance(value, tuple) and len(value) > bound:
        return [f"expected at most {limit} item(s), found {len(value)}"]
    return []


#: Maximum characters of a text that is matched with a pattern of the service.
_LONGEST_MATCHED = 1_000
_DELIMITED = re.compile(r"([^\w\s\\])(.*)([^\w\s\\])([a-zA-Z]*)", re.DOTALL)
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
_MODIFIERS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE, "u": re.UNICODE}


def _may_match(pattern: str, value: str) -> bool:
    """Return True if a value may match a pattern.

    The service's patterns are PHP's, with or without delimiters and modifiers. A pattern without a certain meaning in
    Python is left to the service, and so is a long text.
    """
    if len(value) > _LONGEST_MATCHED:
        return True
    readings = [(pattern, "")]
    delimited = _DELIMITED.fullmatch(pattern)
    if delimited and delimited.group(3) == _CLOSING.get(delimited.group(1), delimited.group(1)):
        readings.append((delimited.group(2), delimited.group(4)))
    return any(_reading_matches(inner, modifiers, value) for inner, modifiers in readings)


def _reading_matches(pattern: str, modifiers: str, value: str) -> bool:
    if not set(modifiers) <= set(_MODIFIERS):
        return True
    flags = re.NOFLAG
    for modifier in modifiers:
        flags |= _MODIFIERS[modifier]
    return finds(pattern, flags, value) is not False
