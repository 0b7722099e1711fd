# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every body and query that violates the description is refused, and a refused request changes nothing."""

from __future__ import annotations

import copy
import functools
import re
from collections.abc import Iterator
from typing import Any

import pytest

from .bodies import JsonMap
from .judge import Operation, named, operations, path_of, schema_errors, valid_body
from .support import Api, Steering

ODD_VALUES: tuple[Any, ...] = (None, True, 5, 1.5, "x", "2031-02-30", [], ["x"], {}, {"x": 1})
MOST_ALTERNATIVES = 12
MANY = 101
OPERATIONS = [operation for operation in operations() if operation.has_body and operation.id != "uploadFile"]


def ways(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to each part of a body."""
    yield way
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, member in members:
        yield from ways(member, (*way, name))


def part_of(body: Any, way: tuple[Any, ...]) -> Any:
    """Return the part of a body at the end of a way."""
    return functools.reduce(lambda part, step: part[step], way, body)


def without(part: JsonMap, name: str) -> JsonMap:
    """Return a map without a member."""
    return {key: member for key, member in part.items() if key != name}


def with_member(body: Any, way: tuple[Any, ...], value: Any) -> Any:
    """Return a copy of a body with another value."""
    if not way:
        return value
    body = copy.deepcopy(body)
    part_of(body, way[:-1])[way[-1]] = value
    return body


def bodies(operation: Operation) -> Iterator[Any]:
    """Yield valid bodies: the smallest, and those with every member that no rule between members refuses."""
    yield valid_body(operation)
    full = (operation.full_body(choice) for choice in range(MOST_ALTERNATIVES))
    yield from (body for body in full if not schema_errors(operation.body_schema(), body, {}))


def variants(body: Any) -> Iterator[Any]:
    """Yield bodies that differ in one place."""
    for way in ways(body):
        yield from (with_member(body, way, value) for value in ODD_VALUES)
        part = part_of(body, way)
        if isinstance(part, dict):
            yield from (with_member(body, way, without(part, name)) for name in part)
            yield with_member(body, way, {**part, "no_such_key": 1})
        if isinstance(part, list):
            yield with_member(body, way, part * MANY)


def violations(operation: Operation) -> list[Any]:
    """Return bodies that violate the description in one place, each once."""
    found = {repr(variant): variant for body in bodies(operation) for variant in variants(body)}
    return [variant for variant in found.values() if schema_errors(operation.body_schema(), variant, {})]


@pytest.mark.parametrize("operation", OPERATIONS, ids=named)
def test_a_body_that_violates_the_description_is_refused(api: Api, steering: Steering, operation: Operation) -> None:
    before = steering.dump(canonical=True)
    for body in violations(operation):
        response = api.request(operation.method, path_of(operation), json=body)
        assert response.status_code == 400, (body, response.text)
    assert steering.dump(canonical=True) == before


ODD_TEXTS = ("", "x", "0", "-1", "1.5", "10001", "1001", "1000001", "2031-02-30", "99999999999999999999")


def odd_queries(operation: Operation) -> Iterator[str]:
    """Yield queries that violate the description in one parameter."""
    for node in map(operation.follow, [*operation.shared, *operation.node.get("parameters", [])]):
        if node["in"] == "query" and node.get("style") != "deepObject":
            for text in ODD_TEXTS:
                value = int(text) if re.fullmatch(r"-?[0-9]+", text) else text
                if schema_errors(node["schema"], value, {}):
                    yield f"{node['name']}={text}"


@pytest.mark.parametrize(
    "operation", [operation for operation in operations() if any(odd_queries(operation))], ids=named
)
def test_a_query_that_violates_the_description_is_refused(still: Api, operation: Operation) -> None:
    for query in odd_queries(operation):
        response = still.request(operation.method, f"{path_of(operation)}?{query}")
        assert response.status_code == 400, (query, response.text)
