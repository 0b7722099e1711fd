# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters, sorting and paging as they appear in a query string (section 4.8 of the interface)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from operator import eq, ge, gt, le, lt
from typing import Any, NamedTuple
from urllib.parse import urlencode

from ..errors import InvalidInput
from ..model.field import shorten

#: The comparison of a value with the operands of a filter.
Comparison = Enum("Comparison", "EQUAL CONTAINS ORDER EMPTY NULL")
#: The number of values that an operator compares with.
Operands = Enum("Operands", "NONE ONE MANY")


class Operator(NamedTuple):
    """The meaning of an operator of filters (section 4.8 of the interface).

    :ivar is_negated: True if the comparison must fail.
    :ivar order: compares two values, for ``Comparison.ORDER``.
    :ivar accepts_null: True if a missing value passes, too.
    """

    comparison: Comparison
    operands: Operands = Operands.ONE
    is_negated: bool = False
    order: Callable[[Any, Any], bool] = eq
    accepts_null: bool = False


#: Every operator by name. ``resolve/listing.py`` evaluates them as the service does.
OPERATORS = {
    "eq": Operator(Comparison.EQUAL),
    "neq": Operator(Comparison.EQUAL, is_negated=True),
    "gt": Operator(Comparison.ORDER, order=gt),
    "gt_or_null": Operator(Comparison.ORDER, order=gt, accepts_null=True),
    "gte": Operator(Comparison.ORDER, order=ge),
    "gte_or_null": Operator(Comparison.ORDER, order=ge, accepts_null=True),
    "lt": Operator(Comparison.ORDER, order=lt),
    "lt_or_null": Operator(Comparison.ORDER, order=lt, accepts_null=True),
    "lte": Operator(Comparison.ORDER, order=le),
    "lte_or_null": Operator(Comparison.ORDER, order=le, accepts_null=True),
    "like": Operator(Comparison.CONTAINS, Operands.MANY),
    "not_like": Operator(Comparison.CONTAINS, Operands.MANY, is_negated=True),
    "in": Operator(Comparison.EQUAL, Operands.MANY),
    "nin": Operator(Comparison.EQUAL, Operands.MANY, is_negated=True),
    "empty": Operator(Comparison.EMPTY, Operands.NONE),
    "not_empty": Operator(Comparison.EMPTY, Operands.NONE, is_negated=True),
    "null": Operator(Comparison.NULL, Operands.NONE),
    "not_null": Operator(Comparison.NULL, Operands.NONE, is_negated=True),
}

#: The largest page of the service (published description: 1 to 1000).
PER_PAGE = 1000

#: Maximum length of encoded filters, so that no URL with root, path and paging exceeds 6,000 characters.
#:
#: Longer ``in`` lists are split.
QUERY_LIMIT = 5700

_HALVES = "surrogatepass"


class Link(NamedTuple):
    """The target of a link, as far as it is known."""

    id: int | None
    uuid: str | None


@dataclass(frozen=True)
class Condition:
    """One filter: the key of a field, one of the operators of section 4.8, and its values.

    :ivar links: the values of a filter that compares links.
    """

    field: str
    operator: str
    values: tuple[Any, ...] = ()
    links: tuple[Link, ...] = ()

    @property
    def meaning(self) -> Operator:
        """Return the meaning of the operator."""
        return OPERATORS[self.operator]

    @classmethod
    def on_links(cls, field: str, operator: str, links: Sequence[Link]) -> Condition:
        """Create a filter that compares links. Some instances compare their ids, others their uuids."""
        values = tuple(link.uuid if link.id is None else link.id for link in links)
        # If the instance compares the other form, no link is equal: eq and in then find nothing, their negations
        # everything.
        return cls(field, operator, values, tuple(links) if operator in ("eq", "in") else ())

    def in_form(self, form: str) -> Condition | None:
        """Return the same filter by ``id`` or by ``uuid``, or None if one of them is unknown."""
        values = tuple(link.id if form == "id" else link.uuid for link in self.links)
        return None if None in values else replace(self, values=values) if values else self

    def pairs(self) -> list[tuple[str, str]]:
        """Return the bracket form, one pair for each value. An operator without a value has an empty value."""
        name = f"filter[{self.field}][{self.operator}]"
        operands = self.meaning.operands
        if operands is Operands.NONE:
            return [(name, "")]
        return [(f"{name}[]" if operands is Operands.MANY else name, _text(value)) for value in self.values]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    return str(value)


def parse_filters(filters: Mapping[str, Any], option: str = "filters") -> list[Condition]:
    """Parse ``filters`` as users write them: field -> operator -> value(s), or field -> value as short for ``eq``.

    :raises InvalidInput: with one line for each wrong operator or number of values.
    """
    conditions: list[Condition] = []
    problems: list[str] = []
    for field, wanted in filters.items():
        operators = wanted if isinstance(wanted, Mapping) else {"in" if isinstance(wanted, list) else "eq": wanted}
        if not operators:
            problems.append(f"{option}.{field}: an empty map; expected an operator and its value, or a value")
        for written, value in operators.items():
            # YAML reads the operator null, if it is not quoted, as no value.
            operator = "null" if written is None else written
            if operator not in OPERATORS:
                problems.append(
                    f"{option}.{field}: unknown operator {operator!r}; expected one of {', '.join(OPERATORS)}"
                )
            elif OPERATORS[operator].operands is Operands.NONE:
                if value is False:
                    problems.append(
                        f"{option}.{field}.{operator}: accepts only true; for the opposite use another operator"
                    )
                else:
                    conditions.append(Condition(field, operator))
            elif OPERATORS[operator].operands is Operands.MANY:
                values = tuple(value) if isinstance(value, (list, tuple)) else (value,)
                conditions.append(Condition(field, operator, values))
            elif isinstance(value, (list, tuple)) or (
                operator not in ("eq", "neq") and (value is None or isinstance(value, Mapping))
            ):
                problems.append(f"{option}.{field}.{operator}: accepts one value, not {shorten(value)}")
            elif value is None:
                conditions.append(Condition(field, "null" if operator == "eq" else "not_null"))
            else:
                conditions.append(Condition(field, operator, (value,)))
    if problems:
        raise InvalidInput(problems)
    return conditions


def parse_sort(sort: Sequence[str]) -> list[tuple[str, bool]]:
    """Parse a sort order into pairs of a field and True for descending.

    ``["name", "-created_at"]`` becomes ``[("name", False), ("created_at", True)]``.
    """
    return [(name[1:], True) if name.startswith("-") else (name, False) for name in sort]


def encode(pairs: Sequence[tuple[str, str]]) -> str:
    """Return a query string.

    Brackets stay readable, and a space becomes ``+``, as the date-time filters of the service require.

    A lone surrogate, which a key of a field may contain, is sent as it is: the service rejects or accepts it.
    """
    return urlencode(pairs, safe="[]", errors=_HALVES)


def split_long(conditions: Sequence[Condition]) -> Iterator[list[Condition]]:
    """Split an ``in`` list that would make the URL too long into several queries whose answers together are the answer.

    Only the longest ``in`` condition is split, into as few parts as possible. Every other condition is repeated in each
    query. If that leaves too little room, the next longest is split, too.
    """
    lists = [condition for condition in conditions if condition.operator == "in" and len(condition.values) > 1]
    if not lists or _length(conditions) <= QUERY_LIMIT:
        yield list(conditions)
        return
    longest = max(lists, key=lambda condition: _length([condition]))
    others = [condition for condition in conditions if condition is not longest]
    room = max(QUERY_LIMIT - _length(others), QUERY_LIMIT // 2)
    for values in _in_parts(longest, room):
        yield from split_long([*others, Condition(longest.field, "in", values)])


def _in_parts(condition: Condition, room: int) -> Iterator[tuple[Any, ...]]:
    """Return the values of a list in parts that fit into the remaining length, always at least two parts."""
    part: list[Any] = []
    used = 0
    for value in condition.values:
        size = len("&") + _length([Condition(condition.field, condition.operator, (value,))])
        if part and (used + size > room or len(part) == len(condition.values) - 1):
            yield tuple(part)
            part, used = [], 0
        part.append(value)
        used += size
    yield tuple(part)


def fits_url(conditions: Sequence[Condition]) -> bool:
    """Return True if the conditions, split if possible, fit into a query string."""
    return all(_length(part) <= QUERY_LIMIT for part in split_long(conditions))


def _length(conditions: Sequence[Condition]) -> int:
    # Libraries normalise the URL, and every bracket becomes three characters.
    return len(urlencode([pair for condition in conditions for pair in condition.pairs()], errors=_HALVES))
