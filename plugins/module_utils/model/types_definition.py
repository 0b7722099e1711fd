# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a field definition (section 2.2 of the interface): attributes, constraints, relations, values.

They have the same four representations as the field types in :mod:`values`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .field import (
    EMPTY,
    Field,
    FieldType,
    InvalidValue,
    Unread,
    each,
    faithful,
    is_nothing,
    is_uuid,
    parse_list,
    parse_parts,
    read_list,
    typed,
)
from .names import normal_name
from .suggestions import did_you_mean
from .types_basic import ANY, TEXT

# ---- attributes and constraints of a field definition: type -> values, compared as sets

YES_NO = ("yes", "no")
#: Attribute type to its allowed values (published description); empty for free text or a rule of its own.
ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "currency_code": (),
    "editable": ("mobile_app", "web_app"),
    "exposed": ("mobile_app_api",),
    "form_group": (),
    "formatted": ("user_as_email", "user_as_firstname_lastname", "user_as_lastname_firstname"),
    "fraction_digits": (),
    "generated": ("on_create", "on_update", "on_import"),
    "indexed": ("search",),
    "internal": YES_NO,
    "mandatory": YES_NO,
    "mutable": YES_NO,
    "name_component": YES_NO,
    "piechart_on_dashboard": YES_NO,
    "preselected": ("mobile_app",),
    "sorted": ("ascending", "descending"),
    "system": YES_NO,
    "unique": YES_NO,
    "visible": ("mobile_app", "web_app_details_view", "web_app_list_view"),
}

_INTEGER_CONSTRAINTS = ("max_length", "max_value", "min_value")
CONSTRAINTS = ("allowed_values", "date_format", "date_time_format", *_INTEGER_CONSTRAINTS, "regular_expression")
RELATIONS = ("actual_field", "expected_field", "active_When_value_equals_one_of")

#: Type to its values; None means "remove it".
Terms = Mapping[str, "tuple[Any, ...] | None"]


def _known(name: Any, names: Sequence[str], noun: str) -> str:
    if name in names:
        return str(name)
    raise InvalidValue(f"a known {noun}; {name!r} is none, {did_you_mean(name, names)}")


def _parse_terms(
    values_of: Callable[[str, Any], tuple[Any, ...]], names: Sequence[str], noun: str
) -> Callable[[Any, Field], Terms]:
    def parse_term(name: str | int, wanted: Any) -> tuple[Any, ...] | None:
        known = _known(name, names, noun)
        return None if wanted is None else values_of(known, typed(wanted))

    def parse(value: Any, _field: Field) -> Terms:
        if not isinstance(value, Mapping):
            raise InvalidValue(f"a map of {noun} to value or list of values")
        return {str(name): values for name, values in parse_parts(value.items(), parse_term).items()}

    return parse


def _attribute_values(name: str, wanted: Any) -> tuple[Any, ...]:
    def parse_value(_number: Any, value: Any) -> Any:
        value = ("yes" if value else "no") if ATTRIBUTES[name] == YES_NO and isinstance(value, bool) else value
        if expected := _expected_attribute(name, value):
            raise InvalidValue(f"for {name} {expected}")
        return value

    if not isinstance(wanted, list):
        return (parse_value(0, wanted),)
    return _each_once(f"different values for {name}", tuple(parse_parts(enumerate(wanted), parse_value).values()))


def _expected_attribute(name: str, value: Any) -> str:
    """Return the expected value of an attribute in words, or an empty text if it fits."""
    if ATTRIBUTES[name] and value not in ATTRIBUTES[name]:
        return f"one of {', '.join(ATTRIBUTES[name])}, not {value!r}"
    if name == "fraction_digits" and not (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 20):
        return "an integer from 0 to 20"
    if name == "currency_code" and not (isinstance(value, str) and len(value) == 3):
        return "three letters such as EUR"
    if name == "form_group" and not isinstance(value, str):
        return "a text"
    return ""


def _constraint_values(name: str, wanted: Any) -> tuple[Any, ...]:
    if name == "allowed_values":
        expected = InvalidValue("for allowed_values a list of texts; quote numbers")
        if not isinstance(wanted, list):
            raise expected
        if odd := [(number, value, expected) for number, value in enumerate(wanted) if not isinstance(value, str)]:
            raise InvalidValue.of_parts(odd)
        return _each_once("different values for allowed_values", tuple(wanted))
    if name in _INTEGER_CONSTRAINTS:
        if not isinstance(wanted, int) or isinstance(wanted, bool):
            raise InvalidValue(f"for {name} an integer")
    elif not isinstance(wanted, str):
        raise InvalidValue(f"for {name} a text")
    return (wanted,)


def _read_scalars(value: Any, _field: Field) -> tuple[Any, ...]:
    # A single text may be a list in words, such as "a, b", so it is not a list of one value.
    return tuple(item for item in value if item is not None) if isinstance(value, list) else ()


def _is_nested(values: list[Any]) -> bool:
    """Return True if a map or a list is among some values. No user input has one."""
    return any(isinstance(value, (Mapping, list)) for value in values)


def _read_terms(value: Any, _field: Field) -> Any:
    terms: dict[str, tuple[Any, ...]] = {}
    for item in value if isinstance(value, list) else [value]:
        if is_nothing(item):
            continue
        name, found = (item.get("type"), item.get("value")) if isinstance(item, Mapping) else (None, None)
        values = found if isinstance(found, list) and name == "allowed_values" else [found]
        if not isinstance(name, str) or _is_nested(values):
            return Unread(value)
        terms[name] = (*terms.get(name, ()), *(given for given in values if given is not None))
    return terms


def _write_terms(terms: Terms) -> list[dict[str, Any]]:
    """Return one term for each value, and one for all allowed values."""
    parts = {name: [list(values)] if name == "allowed_values" else values for name, values in terms.items() if values}
    return [{"type": name, "value": value} for name, values in parts.items() for value in values]


def _show_terms(terms: Terms | None) -> Any:
    if terms is None:
        return None
    return {
        name: values and (list(values) if len(values) != 1 or name == "allowed_values" else values[0])
        for name, values in terms.items()
    }


def _terms_in_files(terms: Terms, _called: Callable[[Any], Any]) -> dict[str, Any]:
    """Sort terms into the same order everywhere. Allowed values keep their order, because people choose it."""
    return {
        name: sorted(value, key=str) if isinstance(value, list) and name != "allowed_values" else value
        for name, value in sorted(_show_terms(terms).items())
    }


def _merge_terms(current: Terms, written: Terms | None) -> Terms:
    """Keep the parts that are not written. Null removes a type. Null instead of the map removes all types."""
    merged = {} if written is None else {**current, **written}
    return {name: values for name, values in merged.items() if values}


def _as_sets(terms: Terms) -> dict[str, set[Any]]:
    return {name: set(map(_in_one_form, values)) for name, values in terms.items() if values}


def _in_one_form(value: Any) -> Any:
    return normal_name(value) if isinstance(value, str) else value


def _parse_scalar(value: Any, _field: Field) -> Any:
    value = typed(value)
    if isinstance(value, (str, bool, int, float)):
        return value
    hint = "; quote it: without quotes it is a date" if isinstance(value, dt.date) else ""
    raise InvalidValue(f"a text, a number, or true or false{hint}")


def _parse_scalars(value: Any, field: Field) -> tuple[Any, ...]:
    return _each_once("a list of different values", parse_list(_parse_scalar)(value, field))


def _each_once(expected: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the values after checking that none repeats. 1 and True are different values."""
    seen: list[tuple[type, Any]] = []

    def parse_value(_number: Any, value: Any) -> Any:
        if (type(value), value) in seen:
            raise InvalidValue(f"{expected}; {value!r} is written twice")
        seen.append((type(value), value))

    parse_parts(enumerate(values), parse_value)
    return values


def _equal_scalar(left: Any, right: Any, field: Field) -> bool:
    return bool(TEXT.equal(left, right, field)) or (left in EMPTY and right in EMPTY)


def _parse_relation(value: Any, field: Field) -> tuple[Any, ...]:
    if not isinstance(value, Mapping):
        raise InvalidValue("a map with type and field (or field_uuid)")
    # Report each part by itself, never the whole map: by now a named field may have become a uuid in it.
    parsers: dict[str | int, Callable[[Any], Any]] = {
        "type": lambda name: _known(name, RELATIONS, "relation type"),
        "field_uuid": _parse_related,
        "comparison_values": lambda compared: _parse_compared(compared, value.get("type"), field),
    }
    parts = {**value, **{name: value.get(name) for name in parsers}}
    found = parse_parts(parts.items(), lambda name, part: parsers.get(name, _no_part)(part))
    return tuple(found[name] for name in parsers)


def _no_part(_value: Any) -> Any:
    raise InvalidValue("no such part; a relation has type, field (or field_uuid), and comparison_values")


def _parse_related(uuid: Any) -> str:
    if not is_uuid(uuid):
        raise InvalidValue("the uuid of a field definition, or its key or label as field")
    return str(uuid).lower()


def _parse_compared(compared: Any, kind: Any, field: Field) -> tuple[Any, ...] | None:
    """Return the values that a relation compares with, or None for types that compare with none."""
    if kind != RELATIONS[2]:
        if compared is not None and kind in RELATIONS:
            raise InvalidValue(f"nothing, because only the type {RELATIONS[2]} compares values")
        return None
    if not isinstance(compared, list):
        raise InvalidValue("a list of values, because the type compares them")
    parsed: tuple[Any, ...] = parse_list(_parse_scalar)(compared, field)
    return parsed


def _read_relation(value: Any, _field: Field) -> tuple[Any, ...] | None:
    compared = value.get("comparison_values") if isinstance(value, Mapping) else None
    values = compared if isinstance(compared, list) else [compared]
    if not isinstance(value, Mapping) or _is_nested(values):
        return None
    return (str(value.get("type")), str(value.get("field_uuid")).lower(), None if compared is None else tuple(values))


def _plain_relation(value: tuple[Any, ...]) -> dict[str, Any]:
    plain = {"type": value[0], "field_uuid": value[1]}
    return plain if value[2] is None else {**plain, "comparison_values": list(value[2])}


_ATTRIBUTES = faithful(
    FieldType(
        _parse_terms(_attribute_values, tuple(ATTRIBUTES), "attribute type"),
        _read_terms,
        _write_terms,
        _show_terms,
        lambda left, right, _field: _as_sets(left) == _as_sets(right),
        empty={},
        merge=_merge_terms,
        option={"type": "dict"},
        in_files=_terms_in_files,
    )
)
#: Type names of the catalogue for the fields of field definitions.
DEFINITIONS: dict[str, FieldType] = {
    "ATTRIBUTES": _ATTRIBUTES,
    "CONSTRAINTS": replace(_ATTRIBUTES, parse=_parse_terms(_constraint_values, CONSTRAINTS, "constraint type")),
    "RELATIONS": faithful(
        FieldType(
            parse_list(_parse_relation),
            read_list(_read_relation),
            each(_plain_relation),
            each(_plain_relation),
            lambda left, right, _field: set(left) == set(right),
            empty=(),
            option={"type": "list", "elements": "dict"},
        )
    ),
    "SCALAR": FieldType(_parse_scalar, ANY.read, ANY.write, ANY.show, _equal_scalar, option={"type": "raw"}),
    "SCALARS": faithful(
        FieldType(_parse_scalars, _read_scalars, list, list, empty=(), option={"type": "list", "elements": "raw"})
    ),
    "TYPE_NAME": replace(TEXT, narrows=False, is_text=False),
}
