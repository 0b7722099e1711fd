# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validate requests against the description of the interface (``openapi.yaml``) for the current switches.

The file marks what a switch changes with ``x-switch``; its head explains how. Schemas are built once for each
combination of the switches that the file names, and cached.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from . import dates
from .fieldtypes import is_uuid
from .messages import bad_request
from .switches import Weather

FILE = Path(__file__).resolve().parent.parent / "openapi.yaml"
_MOST_KEPT = 16
_LONGEST_MESSAGE = 300
_INTEGER = re.compile(r"-?\d{1,30}\Z")

_Parameter = tuple[str, str, Mapping[str, Any], str]
"""A parameter: its name, where it is, its schema on the current sides, and that schema as a key of validators."""


class Description:
    """The operations of the file, and validators for their requests."""

    def __init__(self, weather: Weather, path: Path = FILE) -> None:
        self._weather = weather
        self._path = path
        self._schemas: dict[tuple[str, ...], dict[str, Any]] = {}
        self._validators: dict[tuple[Any, ...], Any] = {}
        self._parameters: dict[tuple[Any, ...], list[_Parameter]] = {}

    def in_weather(self, weather: Weather) -> Self:
        """Return the description for another service, which shares the cached schemas."""
        other = copy.copy(self)
        other._weather = weather
        return other

    @cached_property
    def document(self) -> dict[str, Any]:
        import yaml

        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        document: dict[str, Any] = yaml.load(self._path.read_text(encoding="utf-8"), Loader=loader)
        return document

    @cached_property
    def switches(self) -> tuple[str, ...]:
        """The switches that the file names in its schemas."""
        return tuple(sorted(_switches_in(self.document["components"])))

    def operation(self, method: str, path: str) -> Mapping[str, Any]:
        """Return an operation, together with the parameters of its path."""
        item = self.document["paths"][path]
        found: dict[str, Any] = item[method.lower()]
        if "x-all-parameters" not in found:
            every = [
                self._followed(parameter) for parameter in (*item.get("parameters", ()), *found.get("parameters", ()))
            ]
            found["x-all-parameters"] = every
        return found

    def check_parameters(
        self, operation: Mapping[str, Any], path: Mapping[str, str], query: Mapping[str, str]
    ) -> dict[str, Any]:
        """Check path and query against the description. Return the values of the query, including defaults."""
        values: dict[str, Any] = {}
        for name, where, schema, identity in self._checked_parameters(operation):
            given = (path if where == "path" else query).get(name)
            if given is None:
                if where == "query":
                    values[name] = schema.get("default")
                continue
            value = _typed(given, schema)
            problem = self._problem((where, name, identity), schema, value)
            if problem:
                raise bad_request(f"{where.capitalize()} parameter {name} is invalid: {problem}")
            if where == "query":
                values[name] = value
        return values

    def _checked_parameters(self, operation: Mapping[str, Any]) -> list[_Parameter]:
        """Return the parameters that are checked against a schema."""
        key = self._weather.key(self.switches), operation["operationId"]
        if key not in self._parameters:
            self._parameters[key] = [
                (parameter["name"], parameter["in"], schema, repr(schema))
                for parameter in operation["x-all-parameters"]
                if parameter["name"] not in ("filter", "sort")
                for schema in [self._resolved(parameter["schema"])]
            ]
        return self._parameters[key]

    def body_media(self, operation: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the media types of an operation's body with their schemas; empty if it accepts no body."""
        body = self._followed(operation.get("requestBody", {}))
        content: Mapping[str, Any] = body.get("content", {})
        return content

    def check_body(self, name: str, schema: Mapping[str, Any], value: Any, *, secret: bool = False) -> None:
        """Check a body against its schema. The error contains no secrets."""
        problem = self._problem(("body", name), schema, value)
        if problem:
            raise bad_request("Body does not match schema" + ("" if secret else f": {problem}"))

    def _followed(self, node: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in node:
            target: Any = self.document
            for step in node["$ref"].removeprefix("#/").split("/"):
                target = target[step]
            node = target
        return node

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        side: Mapping[str, Any] = _on_this_side(self._followed(schema), self._weather)
        return side

    def _problem(self, name: tuple[Any, ...], schema: Mapping[str, Any], value: Any) -> str | None:
        side = self._weather.key(self.switches)
        validator = self._validators.get((side, name))
        if validator is None:
            schemas = self._all_schemas(side)
            validator = self._validators[side, name] = _validator(schemas, schema)
        from jsonschema.exceptions import best_match

        error = best_match(validator.iter_errors(value))
        if error is None:
            return None
        where = ".".join(str(step) for step in error.absolute_path)
        message = str(error.message)
        if len(message) > _LONGEST_MESSAGE:
            message = f"{message[:_LONGEST_MESSAGE]}..."
        return f"{where}: {message}" if where else message

    def _all_schemas(self, side: tuple[str, ...]) -> dict[str, Any]:
        schemas = self._schemas.get(side)
        if schemas is None:
            if len(self._schemas) >= _MOST_KEPT:
                # Tests that try one profile after another must not fill the memory with all of them.
                self._schemas.clear()
                self._validators.clear()
                self._parameters.clear()
            schemas = _on_this_side(self.document["components"]["schemas"], self._weather)
            self._schemas[side] = schemas
        return schemas


def _switches_in(node: Any) -> set[str]:
    if isinstance(node, dict):
        found = set(node.get("x-switch", ()))
        return found.union(*(_switches_in(child) for child in node.values())) if node else found
    if isinstance(node, list):
        return set().union(*(_switches_in(child) for child in node)) if node else set()
    return set()


def _on_this_side(node: Any, weather: Weather) -> Any:
    """Return the schemas for the current switches."""
    if isinstance(node, Sequence) and not isinstance(node, str):
        return [_on_this_side(child, weather) for child in node]
    if not isinstance(node, dict):
        return node
    for switch, sides in node.get("x-switch", {}).items():
        if weather[switch] in sides:
            return _on_this_side(sides[weather[switch]], weather)
    return {key: _on_this_side(child, weather) for key, child in node.items() if key != "x-switch"}


def _validator(schemas: Mapping[str, Any], schema: Mapping[str, Any]) -> Any:
    from jsonschema import Draft202012Validator, FormatChecker

    checker = FormatChecker(formats=())
    checker.checks("uuid")(lambda value: not isinstance(value, str) or is_uuid(value))
    checker.checks("date")(lambda value: not isinstance(value, str) or dates.is_date(value))
    checker.checks("date-time")(lambda value: not isinstance(value, str) or dates.is_rfc_3339(value))
    root = {"components": {"schemas": schemas}, "allOf": [schema]}
    return Draft202012Validator(root, format_checker=checker)


def _typed(text: str, schema: Mapping[str, Any]) -> Any:
    """Convert a parameter to the type of its schema. If that fails, it stays a text, which the schema rejects."""
    if schema.get("type") == "integer" and _INTEGER.match(text):
        return int(text)
    return text
