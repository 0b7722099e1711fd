# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters, sorting and paging in a query string (section 4.8 of the interface)."""

from __future__ import annotations

import math
import re
import sys
from typing import Any
from urllib.parse import parse_qsl

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from project import ROOT

from ansible_collections.community.seventhings.plugins.module_utils.client import query
from ansible_collections.community.seventhings.plugins.module_utils.client.query import Condition
from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput

from ..support import RANDOMISED

sys.path.insert(0, str(ROOT / "tests" / "emulator"))

from embedded import query as embedded_query

SINGLE = ["eq", "neq", "gt", "gt_or_null", "gte", "gte_or_null", "lt", "lt_or_null", "lte", "lte_or_null"]
MULTIPLE = ["like", "not_like", "in", "nin"]
PRESENCE = ["empty", "not_empty", "null", "not_null"]


def encoded(*conditions: Condition) -> str:
    return query.encode([pair for condition in conditions for pair in condition.pairs()])


def on_the_wire(*conditions: Condition) -> int:
    """Return the length of the filters in a sent URL, in which brackets are escaped."""
    return len(encoded(*conditions).replace("[", "%5B").replace("]", "%5D"))


def problems(filters: dict[str, Any]) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        query.parse_filters(filters)
    return caught.value.problems


# ---- encoding


def test_every_operator_is_in_the_service_its_description_and_the_documentation() -> None:
    groups = {
        query.Operands.ONE: embedded_query.SINGLE,
        query.Operands.MANY: embedded_query.MULTIPLE,
        query.Operands.NONE: embedded_query.PRESENCE,
    }
    assert [(name, meaning.operands) for name, meaning in query.OPERATORS.items()] == [
        (name, operands) for operands, names in groups.items() for name in names
    ]
    description = yaml.load((ROOT / "tests" / "emulator" / "openapi.yaml").read_bytes(), Loader=yaml.CSafeLoader)
    assert list(description["components"]["schemas"]["Condition"]["properties"]) == list(query.OPERATORS)
    fragment = (ROOT / "plugins" / "doc_fragments" / "info.py").read_text("utf-8")
    documented = yaml.safe_load(fragment.split('r"""')[1].split('"""')[0])["options"]["filters"]["description"]
    named = re.findall(r"\bC\(([a-z_]+)\)", " ".join(documented))
    assert set(query.OPERATORS) <= set(named)


KEY = {"building_id": "Head office", "number": "0.12"}


@pytest.mark.parametrize(
    ("written", "conditions", "sent"),
    [
        *(({op: 5}, [(op, 5)], f"filter[name][{op}]=5") for op in SINGLE),
        *(({op: value}, [(op, value)], None) for op in SINGLE for value in ("a", 0, 1.5, False, "")),
        *(({op: ["a", "b"]}, [(op, "a", "b")], f"filter[name][{op}][]=a&filter[name][{op}][]=b") for op in MULTIPLE),
        *(({op: "a"}, [(op, "a")], f"filter[name][{op}][]=a") for op in MULTIPLE),
        *(({op: []}, [(op,)], "") for op in MULTIPLE),
        *(({op: value}, [(op,)], f"filter[name][{op}]=") for op in PRESENCE for value in (None, True, "")),
        *((value, [("eq", value)], None) for value in ("a", 0, 5, True)),
        (["a", "b"], [("in", "a", "b")], None),
        ({"gt": 1, "lt": 5}, [("gt", 1), ("lt", 5)], "filter[name][gt]=1&filter[name][lt]=5"),
        *((written, [("null",)], "filter[name][null]=") for written in ({"eq": None}, {None: True}, None)),
        ({"neq": None}, [("not_null",)], "filter[name][not_null]="),
        *(({op: KEY}, [(op, KEY)], None) for op in ("eq", "neq")),
    ],
)
def test_a_filter_is_field_operator_and_values(written: Any, conditions: list[Any], sent: str | None) -> None:
    found = query.parse_filters({"name": written})
    assert found == [Condition("name", operator, tuple(values)) for operator, *values in conditions]
    assert sent is None or encoded(*found) == sent


ONE, TRUE = "accepts one value, not", "accepts only true; for the opposite use another operator"


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        *(({op: value}, f".{op}: {ONE} {value}") for op in SINGLE for value in (["a"], [])),
        *(({op: {"a": 1}}, f".{op}: {ONE} {{'a': 1}}") for op in SINGLE[2:]),
        *(({op: None}, f".{op}: {ONE} empty") for op in SINGLE[2:]),
        *(({op: False}, f".{op}: {TRUE}") for op in PRESENCE),
        ({}, ": an empty map; expected an operator and its value, or a value"),
        *(({op: 1}, f": unknown operator {op!r}; expected one of eq") for op in ("equals", "EQ", "", "gt_or_empty", 5)),
    ],
)
def test_a_filter_that_means_nothing_is_refused_with_its_place(written: Any, problem: str) -> None:
    for beside in ({}, {"a": 1}):
        (line,) = problems({"name": written, **beside})
        assert line.startswith(f"filters.name{problem}")
    assert len(problems({"name": written, "b": {"null": False}})) == 2


def test_the_space_of_a_date_time_becomes_a_plus() -> None:
    found = encoded(Condition("created_at", "gte", ("2024-05-31 12:30:00",)))
    assert found.replace("%3A", ":") == "filter[created_at][gte]=2024-05-31+12:30:00"
    assert parse_qsl(found) == [("filter[created_at][gte]", "2024-05-31 12:30:00")]


@pytest.mark.parametrize("value", ["a&b", "a=b", "a+b", "ä", "a b", "50%", "#", "a[0]", "'\"", "/", "?", "\n"])
def test_a_value_comes_through_the_query_string_unchanged(value: str) -> None:
    found = encoded(Condition("name", "eq", (value,)), Condition("x", "in", (value, "b")))
    assert parse_qsl(found) == [("filter[name][eq]", value), ("filter[x][in][]", value), ("filter[x][in][]", "b")]


@pytest.mark.parametrize(("value", "text"), [(True, "1"), (False, "0"), (5, "5"), (1.5, "1.5"), (0, "0"), ("0", "0")])
def test_a_value_is_written_as_text(value: Any, text: str) -> None:
    assert Condition("a", "eq", (value,)).pairs() == [("filter[a][eq]", text)]


def test_sorting_is_ascending_unless_a_minus_is_before_the_field() -> None:
    assert query.parse_sort(["name", "-created_at", "a-b"]) == [("name", False), ("created_at", True), ("a-b", False)]


# ---- no URL beyond 6,000 characters


def parts_of(*conditions: Condition) -> list[list[Condition]]:
    return list(query.split_long(conditions))


def test_a_short_query_is_not_split() -> None:
    wanted = [Condition("name", "eq", ("a",)), Condition("x", "in", ("a", "b"))]
    assert parts_of(*wanted) == [wanted]


def test_a_query_of_exactly_the_limit_stays_one_and_one_character_more_is_split() -> None:
    overhead = len("filter[x][in][]=a&filter[x][in][]=".replace("[", "%5B").replace("]", "%5D"))
    assert len(parts_of(Condition("x", "in", ("a", "b" * (5700 - overhead))))) == 1
    assert len(parts_of(Condition("x", "in", ("a", "b" * (5701 - overhead))))) == 2


@pytest.mark.parametrize("count", [500, 1000, 10_000])
def test_a_long_list_is_split_so_that_every_query_fits_and_together_they_ask_for_all(count: int) -> None:
    values = tuple(f"{number:07d}" for number in range(count))
    parts = parts_of(Condition("name", "eq", ("a",)), Condition("barcode", "in", values))
    assert all(on_the_wire(*part) <= 5700 for part in parts)
    assert all(part[0] == Condition("name", "eq", ("a",)) for part in parts)
    requested = [
        value for part in parts for condition in part if condition.field == "barcode" for value in condition.values
    ]
    assert sorted(requested) == sorted(values)
    pair_length = len("&filter%5Bbarcode%5D%5Bin%5D%5B%5D=0000000")
    assert len(parts) == math.ceil(count / ((5700 - on_the_wire(Condition("name", "eq", ("a",)))) // pair_length))


@RANDOMISED
@given(values=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), max_size=300, unique=True))
def test_splitting_never_loses_or_doubles_a_value(values: list[str]) -> None:
    parts = parts_of(Condition("x", "in", tuple(values)))
    assert [value for part in parts for condition in part for value in condition.values] == values
    assert all(on_the_wire(*part) <= 5700 for part in parts)


def test_of_two_long_lists_every_pair_is_still_asked_for() -> None:
    first_values = tuple(f"a{number:05d}" for number in range(300))
    twos = tuple(f"b{number:05d}" for number in range(200))
    parts = parts_of(Condition("x", "in", first_values), Condition("y", "in", twos))
    assert all(on_the_wire(*part) <= 5700 for part in parts)
    requested = [
        (value, two)
        for part in parts
        for value in next(condition for condition in part if condition.field == "x").values
        for two in next(condition for condition in part if condition.field == "y").values
    ]
    assert len(requested) == 300 * 200
    assert len(set(requested)) == 300 * 200


@pytest.mark.parametrize("operator", ["nin", "like", "not_like"])
def test_lists_whose_parts_would_mean_something_else_are_not_split(operator: str) -> None:
    long = Condition("x", operator, tuple(f"{number:07d}" for number in range(500)))
    assert parts_of(long) == [[long]]
    assert not query.fits_url([long])


def test_what_can_be_split_fits() -> None:
    assert query.fits_url([Condition("x", "in", tuple(f"{number:07d}" for number in range(5000)))])
    assert not query.fits_url([Condition("x", "eq", ("a" * 6000,))])
    assert not query.fits_url([Condition("x", "in", ("a" * 6000, "b"))])


def test_the_whole_url_stays_below_the_limit_with_paging_and_sorting() -> None:
    paging = "&page=1000000&per_page=1000&sort_by=email&order=asc&sort%5Bemail%5D=ASC"
    base = "https://a-rather-long-name-of-an-instance.seventhings.example.com/customer-api/v1/rental-management/rental-cases?"
    values = tuple("x" * 50 for _number in range(1000))
    longest = max(on_the_wire(*part) for part in parts_of(Condition("barcode", "in", values)))
    assert longest + len(paging) + len(base) <= 6000


def test_half_of_a_character_is_sent_as_it_is() -> None:
    """The key of a field may contain a lone surrogate, which must not cause a traceback."""
    condition = Condition("a\ud83d", "in", ("b\udc80",))
    assert query.encode(condition.pairs()) == "filter[a%ED%A0%BD][in][]=b%ED%B2%80"
    assert query.fits_url([condition])
