# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON Schemas in rules files: with references to other parts of the file filled in, and property names as keys.

JSON Schema ignores unknown keywords, so a rule with a typo would forbid nothing. Here every keyword must be known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from ...module_utils.model.field import shorten, typed
from ...module_utils.model.suggestions import closest_names
from ..desired.nodes import Node
from ..desired.positions import Place

Schema = Mapping[str, Any] | bool
"""A schema without references."""

MOST_PARTS = 20_000
"""Maximum number of schemas of a rules file. A schema counts as often as it is referred to."""
_MOST_STEPS = 100
"""Maximum depth of references to references and of nested schemas."""

_IN_PLACE = frozenset({"not", "if", "then", "else"})
_IN_PLACE_LISTS = frozenset({"allOf", "anyOf", "oneOf"})
_INNER = frozenset(
    ("items", "contains", "additionalProperties", "propertyNames", "unevaluatedItems", "unevaluatedProperties")
)
_LISTS = frozenset({"allOf", "anyOf", "oneOf"})
_INNER = frozenset(
    {
        "items",
        "contains",
        "additionalProperties",
        "propertyNames",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
_LISTS = _IN_PLACE_LISTS | {"prefixItems"}
_MAPS = frozenset({"properties", "dependentSchemas"})
_NAMED = _MAPS | {"dependentRequired"}
"""Keywords with a map of the names of fields."""
_WHOLE = frozenset(
    (
        *("additionalProperties", "propertyNames", "unevaluatedProperties"),
        *("minProperties", "maxProperties", "const", "enum"),
    )
)
"""Keywords that judge all fields of a record, not only the fields that they name."""
_NUMBERS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
_COUNTS = frozenset(
    {"minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains", "minProperties", "maxProperties"}
)
TYPES = ("string", "number", "integer", "boolean", "null", "array", "object")
_NOTES = frozenset({"title", "description", "$comment", "default", "examples", "deprecated", "$defs"})
"""Keywords that judge nothing."""

Find = Callable[[Place, str], None]
"""A callback for a finding about a rules file: its place and its message."""


class FileSchemas:
    """The schemas of one rules file.

    :ivar document: the file. :ivar find: the callback for findings about it.
    """

    def __init__(self, document: Node, find: Find) -> None:
        self._document = document
        self._find = find
        self._parts = 0

    def read(self, node: Node) -> Schema | None:
        """Return a schema of the file with all references filled in, or None after a finding."""
        try:
            return self._read(node, node, ())
        except _Refused as refused:
            self._find(refused.place, refused.words)
            return None

    def _read(self, node: Node, root: Node, steps: tuple[str, ...]) -> Schema:
        self._parts += 1
        if self._parts > MOST_PARTS or len(steps) > _MOST_STEPS:
            raise _Refused(node.place, "the schemas are too many or too deep, counted with all that they refer to")
        if isinstance(node.value, bool):
            return node.value
        if not isinstance(node.value, dict):
            raise _Refused(node.place, f"expected a JSON Schema, which is a map, true or false; found {_shown(node)}")
        schema: dict[str, Any] = {}

        def inner(part: Node) -> Schema:
            return self._read(part, root, (*steps, ""))

        for keyword in node.value:
            member = node.member(keyword)
            if keyword not in KEYWORDS:
                raise _Refused(member.place, _why_unknown(str(keyword)))
            if keyword == "$ref":
                schema.setdefault("allOf", []).append(self._referred(member, root, steps))
            elif keyword in _LISTS:
                schema.setdefault(keyword, []).extend(map(inner, _items(member, keyword)))
            elif keyword in _IN_PLACE | _INNER:
                schema[keyword] = inner(member)
            elif keyword in _MAPS:
                schema[keyword] = {name: inner(member.member(name)) for name in _map(member, keyword)}
            elif keyword not in _NOTES:
                schema[keyword] = _plain(keyword, member)
        return schema

    def _referred(self, member: Node, root: Node, steps: tuple[str, ...]) -> Schema:
        """Return the schema that a reference means.

        It is in the file, or in the schema that contains the reference.
        """
        pointer = str(member.value)
        if not isinstance(member.value, str) or not pointer.startswith("#"):
            raise _Refused(member.place, f"$ref: {_shown(member)} leads out of this file; expected #/ and a path in it")
        if pointer in steps:
            raise _Refused(member.place, f"$ref: {pointer} refers to itself")
        found = _at(self._document, pointer) or _at(root, pointer)
        if found is None:
            raise _Refused(member.place, f"$ref: nothing in this file is at {pointer}")
        return self._read(found, root, (*steps, pointer))


@dataclass
class _Refused(Exception):
    """Raised if a schema is wrong.

    :ivar place: where.
    :ivar words: what is wrong.
    """

    place: Place
    words: str


def _why_unknown(keyword: str) -> str:
    if keyword == "format":
        return "format: JSON Schema checks no value with it; write a pattern"
    if keyword == "patternProperties":
        return "patternProperties: rules name each field; write properties"
    suggestions = closest_names(keyword, sorted(KEYWORDS), 1, 0.65)
    return f"{keyword}: no keyword that rules may use" + (f"; did you mean {suggestions[0]}?" if suggestions else "")


def _items(node: Node, keyword: str) -> list[Node]:
    if not isinstance(node.value, list) or not node.value:
        raise _Refused(node.place, f"{keyword}: expected a list of JSON Schemas; found {_shown(node)}")
    return node.items()


def _map(node: Node, keyword: str) -> list[str]:
    if not isinstance(node.value, dict):
        raise _Refused(node.place, f"{keyword}: expected a map of names to JSON Schemas; found {_shown(node)}")
    return list(node.value)


def _plain(keyword: str, node: Node) -> Any:
    """Return the value of a keyword that is not a schema."""
    value = typed(node.value)
    fits, expected = _FITTING[keyword]
    if not fits(value):
        raise _Refused(node.place, f"{keyword}: {_shown(node)} does not fit; expected {expected}")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _are_types(value: Any) -> bool:
    names = value if isinstance(value, list) else [value]
    return bool(names) and all(name in TYPES for name in names)


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _is_pattern(text: str) -> bool:
    try:
        re.compile(text)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


_FITTING: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(_NUMBERS, (_is_number, "a number")),
    **dict.fromkeys(_COUNTS, (_is_count, "an integer from 0")),
    "const": (lambda _value: True, ""),
    "multipleOf": (lambda value: _is_number(value) and value > 0, "a number above 0"),
    "uniqueItems": (lambda value: isinstance(value, bool), "true or false"),
    "type": (_are_types, f"one of {', '.join(TYPES)}"),
    "enum": (lambda value: isinstance(value, list) and bool(value), "a list of values"),
    "required": (_are_names, "a list of names"),
    "dependentRequired": (
        lambda value: isinstance(value, dict) and all(map(_are_names, value.values())),
        "a map of names to lists of names",
    ),
    "pattern": (lambda value: isinstance(value, str) and _is_pattern(value), "a regular expression, in quotes"),
}
"""The test of the value of each keyword, and what it expects in words."""
KEYWORDS = _IN_PLACE | _INNER | _LISTS | _MAPS | _FITTING.keys() | _NOTES | {"$ref"}


def _shown(node: Node) -> str:
    return shorten(typed(node.value))


def _at(node: Node, pointer: str) -> Node | None:
    """Return the node that a JSON pointer leads to; None if there is none."""
    for step in unquote(pointer[1:]).split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(node.value, dict) and name in node.value:
            node = node.member(name)
        elif isinstance(node.value, list) and name.isdecimal() and int(name) < len(node.value):
            node = node.member(int(name))
        else:
            return None
    return node


# ---- the fields of a record

_SAME_VALUE = _IN_PLACE | _IN_PLACE_LISTS | {"dependentSchemas"}
"""Keywords whose schemas judge the same value."""

_CONSTANTS = _SAME_VALUE | {"items", "contains", "prefixItems"}
"""Keywords whose schemas judge the same value or the items of a list."""


def parts_of(schema: Schema, keywords: Collection[str] = _SAME_VALUE) -> Iterator[Mapping[str, Any]]:
    """Yield a schema and the schemas at some of its keywords, at any depth, except ``true`` and ``false``."""
    if isinstance(schema, bool):
        return
    yield schema
    for keyword in schema:
        inner = schema[keyword] if keyword in keywords else ()
        parts = inner.values() if keyword in _MAPS and inner else inner if isinstance(inner, (list, tuple)) else [inner]
        for part in parts:
            yield from parts_of(part, keywords)


def _with_parts(schema: Mapping[str, Any], keywords: Collection[str], change: Callable[[Any], Any]) -> dict[str, Any]:
    """Return a schema with other schemas at some of its keywords."""

    def changed(keyword: str, inner: Any) -> Any:
        if keyword not in keywords:
            return inner
        if keyword in _MAPS:
            return {name: change(part) for name, part in inner.items()}
        return list(map(change, inner)) if isinstance(inner, list) else change(inner)

    return {keyword: changed(keyword, inner) for keyword, inner in schema.items()}


def names_in(schema: Schema) -> Iterator[str]:
    """Yield the names of the fields that a schema for a record judges."""
    for part in parts_of(schema):
        yield from (*part.get("properties", ()), *part.get("required", ()), *part.get("dependentSchemas", ()))
        for name, names in part.get("dependentRequired", {}).items():
            yield from (name, *names)


def judges_all(schema: Schema) -> bool:
    """Return True if a schema for a record judges more fields than it names."""
    return any(not _WHOLE.isdisjoint(part) for part in parts_of(schema))


def renamed(
    schema: Schema, key_of: Callable[[str], str], inner: Mapping[str, Callable[[Schema], Schema]] | None = None
) -> Schema:
    """Return a schema for a record with other field names.

    :param inner: returns the new schema of a field's value, by the field's name.
    """
    if isinstance(schema, bool):
        return schema
    found = _with_parts(schema, _SAME_VALUE, lambda part: renamed(part, key_of, inner))
    for name, change in (inner or {}).items():
        if name in found.get("properties", ()):
            found["properties"] = {**found["properties"], name: change(found["properties"][name])}
    if "dependentRequired" in found:
        needed = found["dependentRequired"].items()
        found["dependentRequired"] = {name: list(map(key_of, names)) for name, names in needed}
    for keyword in _NAMED & found.keys():
        found[keyword] = {key_of(name): part for name, part in found[keyword].items()}
    if "required" in found:
        found["required"] = list(map(key_of, found["required"]))
    return found


def parts_at(schema: Schema, name: str) -> Iterator[Schema]:
    """Yield the schemas that judge the value of one field."""
    return (part["properties"][name] for part in parts_of(schema) if name in part.get("properties", {}))


def constants_in(schema: Schema) -> Iterator[Any]:
    """Yield the values that a schema has in ``const`` and ``enum``, at any depth."""
    for part in parts_of(schema, _CONSTANTS):
        yield from (*([part["const"]] if "const" in part else []), *part.get("enum", ()))


def with_constants(schema: Schema, change: Callable[[Any], Any]) -> Schema:
    """Return a schema with other values in ``const`` and ``enum``, at any depth."""
    if isinstance(schema, bool):
        return schema
    found = _with_parts(schema, _CONSTANTS, lambda part: with_constants(part, change))
    if "const" in found:
        found["const"] = change(found["const"])
    if "enum" in found:
        found["enum"] = list(map(change, found["enum"]))
    return found
