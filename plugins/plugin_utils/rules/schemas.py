# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON Schemas in rules files: with references to other parts of the file filled in, and property names as keys.

JSON Schema ignores unknown keywords, so a rule with a typo would forbid nothing. Here every keyword must be known.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from ...module_utils.model.field import shorten, typed, words_of
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
_PLAIN = frozenset(
    (
        *("const", "enum", "type", "pattern", "multipleOf", "uniqueItems", "required", "dependentRequired"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength"),
        *("minItems", "maxItems", "minContains", "maxContains", "minProperties", "maxProperties"),
    )
)
"""Keywords whose values are no schemas."""
_NOTES = frozenset({"title", "description", "$comment", "default", "examples", "deprecated", "$defs"})
"""Keywords that judge nothing."""
KEYWORDS = _IN_PLACE | _INNER | _LISTS | _MAPS | _PLAIN | _NOTES | {"$ref"}

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
        self._checked: set[int] = set()

    def read(self, node: Node) -> Schema | None:
        """Return a schema of the file with all references filled in, or None after a finding."""
        try:
            return self._read(self._check(node), node, ())
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
                schema.setdefault(keyword, []).extend(map(inner, member.items()))
            elif keyword in _IN_PLACE | _INNER:
                schema[keyword] = inner(member)
            elif keyword in _MAPS:
                schema[keyword] = {name: inner(member.member(name)) for name in member.value}
            elif keyword not in _NOTES:
                schema[keyword] = typed(member.value)
        return schema

    def _check(self, node: Node) -> Node:
        """Return the node of a schema whose keywords have fitting values, in all of its parts.

        :raises _Refused: if one does not fit.
        """
        # While the document exists, no other map has the identity of a schema.
        error = None if id(node.value) in self._checked else _error_in(typed(node.value))
        if error is None or not error.absolute_path:
            self._checked.add(id(node.value))
            return node
        for step in error.absolute_path:
            node = node.member(step)
        raise _Refused(node.place, f"{words_of(tuple(error.absolute_path)[-2:])}: {error.message}")

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
        return self._read(self._check(found), root, (*steps, pointer))


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


def _error_in(schema: Any) -> Any:
    """Return the error of a schema that says the most, or None if it fits."""
    # Import late: only runs with rules need the library, and it loads slowly.
    import jsonschema

    draft = jsonschema.Draft202012Validator
    check = draft(draft.META_SCHEMA, format_checker=jsonschema.FormatChecker(["regex"]))
    return jsonschema.exceptions.best_match(check.iter_errors(schema))


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
