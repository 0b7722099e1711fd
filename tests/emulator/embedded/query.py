# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Query strings: filters in brackets or as JSON, sorts, pages (interface 4.8). Nothing here depends on the data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote_plus

from .messages import bad_request, parse_json

SINGLE = ("eq", "neq", "gt", "gt_or_null", "gte", "gte_or_null", "lt", "lt_or_null", "lte", "lte_or_null")
MULTIPLE = ("like", "not_like", "in", "nin")
PRESENCE = ("empty", "not_empty", "null", "not_null")
OPERATORS = frozenset((*SINGLE, *MULTIPLE, *PRESENCE))

_BRACKETED = re.compile(r"(filter|sort)\[")
_PARTS = re.compile(r"\[([^\[\]]*)\]")


@dataclass(frozen=True)
class Condition:
    """One operator on one field, with its values as received."""

    key: str
    operator: str
    values: tuple[Any, ...]


@dataclass
class Query:
    """A parsed query string."""

    conditions: list[Condition] = field(default_factory=list)
    sort: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)


class NoOperator(ValueError):
    """Raised for a filter without an operator, such as ``filter[KEY]=value``, which makes instances fail."""


def parse(text: str) -> Query:
    """Parse a query string. Raise a 400, or NoOperator, if it is invalid."""
    query = Query()
    brackets: dict[tuple[str, str], list[Any]] = {}
    for part in text.split("&"):
        if not part:
            continue
        name, _equals, value = part.partition("=")
        key, decoded = _decoded(name), _decoded(value)
        if _BRACKETED.match(key):
            _take_bracketed(query, brackets, key, decoded)
        elif key == "filter":
            query.conditions += conditions_of(_object(decoded, "filter"))
        elif key == "sort":
            query.sort.update(sort_of(_object(decoded, "sort")))
        else:
            query.parameters[key] = decoded
    query.conditions += [_condition(key, operator, values) for (key, operator), values in brackets.items()]
    return query


def _decoded(text: str) -> str:
    try:
        return unquote_plus(text, errors="strict")
    except UnicodeDecodeError:
        raise bad_request("The query is not UTF-8") from None


def _take_bracketed(query: Query, brackets: dict[tuple[str, str], list[Any]], key: str, value: str) -> None:
    what = key[: key.index("[")]
    parts = _PARTS.findall(key)
    if what + "".join(f"[{part}]" for part in parts) != key:
        raise bad_request(f"{key!r} is not a parameter")
    if what == "sort":
        if len(parts) != 1 or not parts[0]:
            raise bad_request("A sort is written sort[FIELD_KEY]=ASC")
        query.sort[parts[0]] = _direction(value)
        return
    if len(parts) < 2 or not parts[1] or parts[1].isdigit():
        raise NoOperator
    listed = len(parts) == 3 and (parts[2] == "" or parts[2].isdigit())
    if len(parts) > 3 or (len(parts) == 3 and not listed):
        raise bad_request("A filter is written filter[FIELD][operator]=value")
    field_key, operator = parts[0], parts[1]
    if listed and operator in SINGLE:
        raise bad_request(f"The operator {operator} takes one value")
    if listed:
        brackets.setdefault((field_key, operator), []).append(value)
    else:
        brackets[field_key, operator] = [value]


def _condition(key: str, operator: str, values: list[Any]) -> Condition:
    if operator not in OPERATORS:
        raise bad_request(f"There is no filter operator {operator!r}")
    return Condition(key, operator, tuple(values))


def _object(text: str, what: str) -> Mapping[str, Any]:
    value = parse_json(text) if text.strip() else {}
    if value == []:
        return {}
    if not isinstance(value, dict):
        raise bad_request(f"The {what} is not a JSON object")
    return value


def conditions_of(value: Mapping[str, Any]) -> list[Condition]:
    """Return the conditions of a filter in JSON: field key to operator to value or values."""
    found = []
    for key, operators in value.items():
        if operators == []:
            continue
        if not isinstance(operators, dict):
            raise bad_request(f"The filter on {key} names no operator")
        for operator, operand in operators.items():
            values = operand if isinstance(operand, list) else [operand]
            if operator in SINGLE and (isinstance(operand, (list, dict)) or operand is None):
                raise bad_request(f"The operator {operator} takes one value")
            if operator in MULTIPLE and any(isinstance(value, (list, dict)) or value is None for value in values):
                raise bad_request(f"The operator {operator} takes a list of values")
            found.append(_condition(key, operator, values))
    return found


def sort_of(value: Mapping[str, Any]) -> dict[str, str]:
    return {key: _direction(direction) for key, direction in value.items()}


def _direction(value: Any) -> str:
    if not isinstance(value, str) or value.upper() not in ("ASC", "DESC"):
        raise bad_request(f"A sort is ASC or DESC, not {value!r}")
    return value.upper()
