# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters and sorts as SQL over columns, and pages of the rows that they find."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .fieldtypes import BOOLEAN
from .messages import bad_request
from .query import PRESENCE, Condition
from .store import Store
from .switches import Weather
from .templates import Column
from .views import Links

_SYMBOLS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_UNSTABLE = "random()"
# From this page on, finding all ids once and keeping them is faster.
_DEEP = 5000


@dataclass
class Where:
    """Conditions that must all be true."""

    terms: list[str] = field(default_factory=list)
    ranges: list[str] = field(default_factory=list)
    term_parameters: list[Any] = field(default_factory=list)
    range_parameters: list[Any] = field(default_factory=list)

    def add(self, term: str, *parameters: Any) -> None:
        self.terms.append(f"({term})")
        self.term_parameters.extend(parameters)

    def add_range(self, term: str, *parameters: Any) -> None:
        """Add a range comparison. The database cannot estimate how many rows match it."""
        self.ranges.append(f"({term})")
        self.range_parameters.extend(parameters)

    @property
    def parameters(self) -> list[Any]:
        return [*self.term_parameters, *self.range_parameters]

    @property
    def sql(self) -> str:
        return " AND ".join([*self.terms, *self.ranges]) or "1"

    def hinted(self, share: float) -> str:
        """Return the conditions with a hint for the database: the share of rows that match the range comparisons.

        With the hint, it walks the index of the sort if most rows match, and sorts if few do.
        """
        likely = f"{min(max(share, 0.01), 0.99):.2f}"
        return " AND ".join([*self.terms, *(f"likelihood({term}, {likely})" for term in self.ranges)]) or "1"


@dataclass(frozen=True)
class Page:
    """The rows of one page, and its position."""

    rows: list[Any]
    page: int
    per_page: int
    total: int


class Selector:
    """Turn conditions and sorts on known columns into SQL."""

    def __init__(self, store: Store, weather: Weather, links: Links) -> None:
        self.store = store
        self.weather = weather
        self.links = links

    def where(
        self, conditions: Iterable[Condition], columns: Mapping[str, Column], where: Where | None = None
    ) -> Where:
        """Return the condition.

        Raise a 400 for a wrong type, and for an unknown field unless this instance ignores such fields.
        """
        where = where or Where()
        for condition in conditions:
            if condition.operator in PRESENCE and self.weather["presence_operators"] == "refuse":
                raise bad_request(f"There is no filter operator {condition.operator!r}")
            column = self._column(condition.key, columns)
            if column is not None:
                sql, parameters = self._term(column, condition)
                add = where.add_range if condition.operator.removesuffix("_or_null") in _SYMBOLS else where.add
                add(sql, *parameters)
        return where

    def order(self, sort: Mapping[str, str], columns: Mapping[str, Column]) -> str:
        """Return the order of a page.

        Ties, and pages without a sort, are ordered by id, so that pages do not overlap.
        """
        known = [(self._column(key, columns), direction) for key, direction in sort.items()]
        terms = [f"{column.type.comparable(column.sql)} {direction}" for column, direction in known if column]
        if not terms and self.weather["page_order"] == "unstable":
            return _UNSTABLE
        return ", ".join([*terms, "id"])

    def _column(self, key: str, columns: Mapping[str, Column]) -> Column | None:
        column = columns.get(key)
        if column is None and self.weather["filter_unknown_field"] == "refuse":
            raise bad_request(f"There is no field {key!r}")
        if column is not None and column.type.computed and self.weather["comparison_read"] == "boolean":
            sql = f"CASE WHEN {column.sql} <> 'unknown' THEN {column.sql} = 'ok' END"
            return replace(column, type=BOOLEAN, sql=sql)
        return column

    def _term(self, column: Column, condition: Condition) -> tuple[str, list[Any]]:
        operator = condition.operator
        if operator in PRESENCE:
            negated = operator.startswith("not_")
            what = f"{column.sql} IS NULL"
            if operator.endswith("empty"):
                nothing = "'[]'" if column.type.is_list else "''"
                what = f"({what} OR {column.sql} = {nothing})"
            return (f"NOT {what}" if negated else what), []
        if operator in ("like", "not_like"):
            return self._like(column, condition)
        values = [column.type.operand(value, column.key, self.links) for value in condition.values]
        if operator in ("eq", "neq", "in", "nin"):
            return self._equal(column, operator in ("neq", "nin"), values)
        return self._compared(column, operator, values)

    def _like(self, column: Column, condition: Condition) -> tuple[str, list[Any]]:
        texts = ["true" if value is True else "false" if value is False else str(value) for value in condition.values]
        part = " OR ".join([f"instr({column.sql}, ?) > 0"] * len(texts)) or "0"
        if condition.operator == "like":
            return f"{column.sql} IS NOT NULL AND ({part})", texts
        return f"{column.sql} IS NULL OR NOT ({part})", texts

    def _equal(self, column: Column, negated: bool, values: list[Any]) -> tuple[str, list[Any]]:
        marks = ", ".join("?" * len(values))
        if column.type.is_list:
            found = f"EXISTS (SELECT 1 FROM json_each(coalesce({column.sql}, '[]')) WHERE value IN ({marks}))"
            return (f"NOT {found}" if negated else found), values
        sql = column.type.comparable(column.sql)
        if column.type.textual and self.weather["filter_eq"] == "case_blind":
            sql, values = f"casefold({sql})", [value.casefold() for value in values]
        # A null is not an exact match, so the negated operators find it.
        return (f"{column.sql} IS NULL OR {sql} NOT IN ({marks})" if negated else f"{sql} IN ({marks})"), values

    def _compared(self, column: Column, operator: str, values: list[Any]) -> tuple[str, list[Any]]:
        if column.type.is_list:
            raise bad_request(f"The field {column.key} has no order to compare by")
        symbol = _SYMBOLS[operator.removesuffix("_or_null")]
        term = f"{column.type.comparable(column.sql)} {symbol} ?"
        if operator.endswith("_or_null"):
            return f"{column.sql} IS NULL OR {term}", values
        return term, values


def page_of(
    store: Store,
    *,
    select: str,
    source: str,
    where: Where,
    order: str,
    page: int,
    per_page: int,
    beyond: str,
) -> Page:
    """Return one page. The ids are found first, so that whole records are not sorted."""
    total = store.value(f"SELECT count(*) FROM {source} WHERE {where.sql}", where.parameters)
    last = max(1, math.ceil(total / per_page))
    if page > last:
        if beyond == "empty":
            return Page([], page, per_page, total)
        page = last
    condition = where.sql
    if where.ranges:
        condition = where.hinted(total / max(1, store.value(f"SELECT max(id) FROM {source}") or 1))
    found = f"SELECT id FROM {source} WHERE {condition} ORDER BY {order}"
    offset = (page - 1) * per_page
    if offset < _DEEP or order == _UNSTABLE:
        rows = store.db.execute(f"{found} LIMIT ? OFFSET ?", [*where.parameters, per_page, offset])
        ids = [row[0] for row in rows]
    else:
        ids = store.rankings.ids(found, where.parameters)[offset : offset + per_page].tolist()
    return Page(_in_order(store, f"SELECT {select} FROM {source}", ids), page, per_page, total)


def _in_order(store: Store, select: str, ids: Sequence[int]) -> list[Any]:
    if not ids:
        return []
    listed = json.dumps(ids)
    rows = {row["id"]: row for row in store.rows(f"{select} WHERE id IN (SELECT value FROM json_each(?))", (listed,))}
    return [rows[identifier] for identifier in ids]
