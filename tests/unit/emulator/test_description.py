# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The description itself is valid and complete, and its marks refer to existing switches."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from .judge import DESCRIPTION, EMULATOR, PREFIX, Operation, _as_on, description, named, operations, path_of
from .support import Api, Steering

OPERATIONS = operations()
MARKS = {"x-switch", "x-switch-absent", "x-switch-only", "x-empty-body"}


def walk(node: Any, path: str = "#") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(node, dict):
        yield path, node
        for key, value in node.items():
            yield from walk(value, f"{path}/{key}")
    elif isinstance(node, list):
        for number, value in enumerate(node):
            yield from walk(value, f"{path}/{number}")


def test_document_is_valid() -> None:
    assert [str(error) for error in OpenAPIV31SpecValidator(description()).iter_errors()] == []


def sides() -> list[tuple[str, str]]:
    """Return every side that a mark names."""
    found = set()
    for _path, node in walk(description()):
        for mark in MARKS & set(node):
            value = node[mark]
            if not isinstance(value, dict):
                continue
            for switch, given in value.items():
                found |= {(switch, side) for side in given} if isinstance(given, dict) else {(switch, given)}
    return sorted(found)


def test_document_is_valid_in_rough_weather() -> None:
    rough = dict(sides())
    assert [str(error) for error in OpenAPIV31SpecValidator(_as_on(description(), rough)).iter_errors()] == []


def test_schemas_are_valid_on_every_side() -> None:
    for path, node in walk(description()["components"]["schemas"]):
        for given in node.get("x-switch", {}).values():
            for side, schema in given.items():
                assert isinstance(schema, dict | bool), f"{path}, {side}"
                jsonschema.Draft202012Validator.check_schema(schema)


def test_marks_name_switches_that_exist(steering: Steering) -> None:
    switches = steering.switches()
    for switch, side in sides():
        assert side in switches[switch]["sides"], (switch, side)
        assert side != switches[switch]["sides"][0], f"{switch}: calm is the document as it stands"


def test_marks_are_known() -> None:
    marks = {key for _path, node in walk(description()) for key in node if key.startswith("x-")}
    assert marks == MARKS


def test_references_lead_somewhere_and_everything_is_used() -> None:
    document = description()
    used = set()
    for _path, node in walk(document):
        if isinstance(node.get("$ref"), str):
            target: Any = document
            for step in node["$ref"].removeprefix("#/").split("/"):
                target = target[step]
            used.add(node["$ref"])
    for kind, entries in document["components"].items():
        if kind != "securitySchemes":
            assert [name for name in entries if f"#/components/{kind}/{name}" not in used] == [], kind


def test_operations_are_the_published_and_the_later_ones() -> None:
    later = [operation for operation in OPERATIONS if "x-switch-absent" in operation.node]
    assert len(OPERATIONS) - len(later) >= 67
    catalog = [operation for operation in later if "catalog" in operation.path]
    assert len(later) - len(catalog) == 9


def test_tags_that_are_described_are_used() -> None:
    assert {tag["name"] for tag in description()["tags"]} <= {operation.node["tags"][0] for operation in OPERATIONS}


def test_operation_ids_differ() -> None:
    assert len({operation.id for operation in OPERATIONS}) == len(OPERATIONS)


@pytest.mark.parametrize("operation", OPERATIONS, ids=named)
def test_operation_is_complete(operation: Operation) -> None:
    assert operation.node["summary"]
    assert len(operation.node["tags"]) == 1
    declared = {
        operation.follow(entry)["name"] for entry in operation.shared if operation.follow(entry)["in"] == "path"
    }
    assert declared == set(operation.path_parameters)
    statuses = set(operation.node["responses"])
    assert any(status.startswith("2") for status in statuses)
    if operation.needs_token:
        assert {"400", "401", "403"} <= statuses
    if any(name.endswith("Uuid") for name in operation.path_parameters):
        assert "404" in statuses


def routes() -> set[tuple[str, str]]:
    """Return the routes of the service."""
    program = (
        "import json, sys\n"
        f"sys.path.insert(0, {str(EMULATOR)!r})\n"
        "from embedded.kinds import ROUTES\n"
        "print(json.dumps([[route.method, route.path] for route in ROUTES]))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, timeout=60)
    # The ping answers with and without a trailing slash.
    return {(method, (PREFIX + path).rstrip("/")) for method, path in json.loads(done.stdout)}


def test_router_and_description_agree() -> None:
    assert routes() == {(operation.method, operation.path) for operation in OPERATIONS}


def test_operation_exists(api: Api) -> None:
    """Without a token the service answers 401 for an existing path, and 404 for others."""
    for operation in OPERATIONS:
        status = api.request(operation.method, path_of(operation), headers={"Authorization": None}).status_code
        expected = 401 if operation.needs_token else 200 if operation.id == "ping" else 400
        assert status == expected, named(operation)


def test_document_is_in_its_own_words() -> None:
    text = DESCRIPTION.read_text(encoding="utf-8")
    assert text.startswith("---\n# Copyright: Contributors to the community.seventhings collection\n")
    assert "License-Identifier: GPL-3.0-or-later" in text
    assert max(len(line) for line in text.splitlines()) <= 160
    assert not re.search(r"x-(source|wire)|https?://", text)
