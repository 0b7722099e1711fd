# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The judge: it checks requests and answers against the description of the service."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jsonschema_rs
import requests
import yaml

from .bodies import NOBODY, JsonMap, asset

EMULATOR = Path(__file__).resolve().parents[2] / "emulator"
DESCRIPTION = EMULATOR / "openapi.yaml"
PREFIX = "/customer-api/v1"


@functools.cache
def description() -> JsonMap:
    """Return the description without the changes of switches."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    document: JsonMap = yaml.load(DESCRIPTION.read_text(encoding="utf-8"), Loader=loader)
    return document


def _on(mark: Mapping[str, str], weather: Mapping[str, str]) -> bool:
    return any(weather.get(switch) == side for switch, side in mark.items())


def _as_on(node: Any, weather: Mapping[str, str]) -> Any:
    if isinstance(node, list):
        return [_as_on(entry, weather) for entry in node]
    if not isinstance(node, dict):
        return node
    marks = node.get("x-switch")
    if isinstance(marks, dict):
        for switch, sides in marks.items():
            if weather.get(switch) in sides:
                return _as_on(sides[weather[switch]], weather)
    return {key: _as_on(value, weather) for key, value in node.items() if key != "x-switch"}


@functools.cache
def _description_in(weather: frozenset[tuple[str, str]]) -> JsonMap:
    document: JsonMap = _as_on(description(), dict(weather))
    return document


_TEXTS = {"uuid": "00000000-0000-4000-8000-000000000000", "date": "2031-01-01", "email": "a@example.org"}
"""Format of a text to an example."""


class Operation:
    """An operation of the description, for some sides of the switches."""

    def __init__(self, document: JsonMap, path: str, method: str) -> None:
        self.document = document
        self.path = path
        self.method = method.upper()
        self.node: JsonMap = document["paths"][path][method]
        self.shared: list[JsonMap] = document["paths"][path].get("parameters", [])

    @property
    def id(self) -> str:
        return str(self.node["operationId"])

    def __repr__(self) -> str:
        return self.id

    @property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(re.sub(r"\\\{\w+\\\}", "([^/]+)", re.escape(self.path)))

    @property
    def path_parameters(self) -> list[str]:
        return re.findall(r"\{(\w+)\}", self.path)

    @property
    def has_body(self) -> bool:
        return "requestBody" in self.node

    @property
    def needs_token(self) -> bool:
        return bool(self.node.get("security", True))

    def follow(self, node: JsonMap) -> JsonMap:
        while "$ref" in node:
            found: Any = self.document
            for step in node["$ref"].removeprefix("#/").split("/"):
                found = found[step]
            node = found
        return node

    def least_body(self) -> Any:
        """Return the smallest valid body: required members, each with its first accepted value."""
        return self._example(self.body_schema(), None)

    def full_body(self, choice: int) -> Any:
        """Return a body with every member, and lists with one item. Rules between members may refuse it.

        :param choice: the number of the schema among alternative schemas.
        """
        return self._example(self.body_schema(), choice)

    def body_schema(self) -> JsonMap:
        """Return the schema of its body."""
        content = self.follow(self.node["requestBody"])["content"]
        found: JsonMap = next(iter(content.values()))["schema"]
        return found

    def _example(self, schema: JsonMap, choice: int | None) -> Any:
        schema = self.follow(schema)
        for alternatives in (schema[name] for name in ("oneOf", "anyOf") if name in schema):
            return self._example(alternatives[(choice or 0) % len(alternatives)], choice)
        if "const" in schema or "enum" in schema:
            return schema.get("const", next(iter(schema.get("enum", ())), None))
        types = schema.get("type", "object")
        first = types if isinstance(types, str) else types[0]
        if first == "object":
            return {
                name: self._example(schema["properties"][name], choice) for name in _names(schema, choice is not None)
            }
        if first == "array":
            items = max(schema.get("minItems", 0), int(choice is not None))
            return [self._example(schema["items"], choice) for _number in range(items)]
        if first == "string":
            return _TEXTS.get(schema.get("format", ""), "x" * schema.get("minLength", 1))
        return {"integer": 1, "number": 1, "boolean": False}.get(first)

    def responses(self, weather: Mapping[str, str]) -> dict[str, JsonMap]:
        found = {}
        for status, node in self.node["responses"].items():
            response = self.follow(node)
            if _on(response.get("x-switch-absent", {}), weather):
                continue
            if "x-switch-only" in response and not _on(response["x-switch-only"], weather):
                continue
            found[status] = response
        return found


def _names(schema: JsonMap, is_full: bool) -> list[str]:
    """Return the members of an example of a map."""
    members = list(schema.get("required", ()))
    others = [name for name in schema.get("properties", {}) if name not in members]
    return members + (others if is_full else others[: max(schema.get("minProperties", 0) - len(members), 0)])


def operations(weather: Mapping[str, str] | None = None) -> list[Operation]:
    """Return all operations that exist with these sides of the switches."""
    weather = weather or {}
    document = _description_in(frozenset(weather.items()))
    found = []
    for path, item in document["paths"].items():
        for method in item:
            if method != "parameters":
                operation = Operation(document, path, method)
                if not _on(operation.node.get("x-switch-absent", {}), weather):
                    found.append(operation)
    return found


_PATH_VALUES = {"identifier": "1", "personId": "1", "userId": "1", "barcode": "X", "template": "asset"}


def path_of(operation: Operation) -> str:
    """Return a well-formed path of a record that need not exist."""
    path = operation.path.removeprefix(PREFIX)
    for name in operation.path_parameters:
        path = path.replace(f"{{{name}}}", _PATH_VALUES.get(name, NOBODY))
    return path


def named(operation: Operation) -> str:
    """Return the name of an operation, for tests."""
    return operation.id


def valid_body(operation: Operation) -> Any:
    """Return a valid body: for the description, and for rules that it does not express."""
    if operation.id == "createPerson":
        return {"fields": {"email": "a@example.org"}}
    body = operation.least_body()
    if "RentalCase" not in operation.id:
        return body
    days = {key: "2031-05-20" for key in ("issue_date", "due_date") if key in body}
    return {**body, **days, "references": [asset(NOBODY)], "attachments": []}


@functools.cache
def _table(weather: frozenset[tuple[str, str]]) -> list[tuple[str, re.Pattern[str], Operation]]:
    table = [(operation.method, operation.pattern, operation) for operation in operations(dict(weather))]
    table.sort(key=lambda row: row[2].path.count("{"))
    return table


def find_operation(method: str, path: str, weather: Mapping[str, str]) -> Operation | None:
    """Return the operation of a request."""
    for verb, pattern, operation in _table(frozenset(weather.items())):
        if verb == method and pattern.fullmatch(path):
            return operation
    return None


@functools.lru_cache(maxsize=4096)
def _validator(node: str, weather: frozenset[tuple[str, str]]) -> jsonschema_rs.Draft202012Validator:
    document = _description_in(weather)
    root = {**json.loads(node), "components": document["components"]}
    return jsonschema_rs.Draft202012Validator(root, validate_formats=True)


def schema_errors(node: JsonMap, value: Any, weather: Mapping[str, str]) -> list[str]:
    """Return how a value violates a schema of the description."""
    validator = _validator(json.dumps(node, sort_keys=True), frozenset(weather.items()))
    return [
        f"{'/'.join(map(str, error.instance_path))}: {error.message}"[:600] for error in validator.iter_errors(value)
    ]


def _media_type(response: requests.Response) -> str:
    return response.headers.get("Content-Type", "").partition(";")[0].strip().lower()


def _matches_media_type(declared: str, actual: str) -> bool:
    if declared == "*/*":
        return bool(actual)
    if declared.endswith("/*"):
        return actual.startswith(declared[:-1])
    return declared == actual


def complaints(response: requests.Response, weather: Mapping[str, str]) -> list[str]:
    """Return how an answer violates the description."""
    request = response.request
    path = urlsplit(request.url or "").path
    if not isinstance(path, str) or not path.startswith(PREFIX):
        return []
    operation = find_operation(request.method or "", path, weather)
    if operation is None:
        if request.method == "HEAD":
            return []
        if response.status_code != 404:
            return [f"not described, yet answered with {response.status_code}"]
        return schema_errors({"$ref": "#/components/schemas/Error"}, response.json(), weather)
    declared = operation.responses(weather).get(str(response.status_code))
    if declared is None:
        return [f"{operation.id} may not answer {response.status_code}: {response.text[:300]}"]
    found = []
    for name, header in declared.get("headers", {}).items():
        header = operation.follow(header)
        value: Any = response.headers.get(name)
        if value is None:
            if header.get("required"):
                found.append(f"{operation.id}: header {name} is missing")
            continue
        if operation.follow(header["schema"]).get("type") == "integer" and re.fullmatch(r"\d+", value):
            value = int(value)
        found += [
            f"{operation.id}: header {name}: {error}" for error in schema_errors(header["schema"], value, weather)
        ]
    content = declared.get("content")
    if content is None:
        if response.content:
            found.append(f"{operation.id}: {response.status_code} has a body: {response.text[:300]}")
        return found
    if not response.content and _on(declared.get("x-empty-body", {}), weather):
        return found
    actual = _media_type(response)
    for name, node in content.items():
        if _matches_media_type(name, actual):
            if name == "application/json":
                try:
                    value = response.json()
                except ValueError:
                    return [*found, f"{operation.id}: the body is not JSON: {response.text[:300]}"]
                found += [f"{operation.id}: {error}" for error in schema_errors(node["schema"], value, weather)]
            return found
    return [*found, f"{operation.id}: {response.status_code} has the media type {actual!r}, not {sorted(content)}"]
