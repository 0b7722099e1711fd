# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON Schemas in rules files: what a file may contain, and what its schemas name.

JSON Schema ignores unknown keywords, so a rule with a typo would forbid nothing. Here every keyword must be known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ...module_utils.model.field import typed
from ...module_utils.model.suggestions import did_you_mean
from ..desired.desired import SECTIONS
from ..desired.nodes import Node
from ..desired.positions import Finding, Place

Schema = Mapping[str, Any] | bool

#: The word that replaces a section in rules about changes.
CHANGES = "changes"
ERROR, WARNING = "error", "warning"

#: Maximum number of schemas of a rule. A schema counts as often as it is referred to.
MOST_PARTS = 20_000
#: Maximum depth of references to references and of nested schemas.
_MOST_STEPS = 100
_TOO_MANY = "the schemas are too many or too deep, counted with all that they refer to"
_LONGEST_ID = 100

_IN_PLACE = frozenset({"not", "if", "then", "else"})
_IN_PLACE_LISTS = frozenset({"allOf", "anyOf", "oneOf"})
_INNER = frozenset(
    ("items", "contains", "additionalProperties", "propertyNames", "unevaluatedItems", "unevaluatedProperties")
)
_LISTS = _IN_PLACE_LISTS | {"prefixItems"}
_MAPS = frozenset({"properties", "dependentSchemas"})
#: Keywords with a map of the names of fields.
_NAMED = _MAPS | {"dependentRequired"}
_SCHEMAS = _IN_PLACE | _INNER | _LISTS | _MAPS
#: Keywords whose schemas judge the same value.
_SAME_VALUE = _IN_PLACE | _IN_PLACE_LISTS | {"dependentSchemas"}
#: Keywords that judge all fields of a record, not only the fields that they name.
_WHOLE = frozenset(
    (
        *("additionalProperties", "propertyNames", "unevaluatedProperties"),
        *("minProperties", "maxProperties", "const", "enum"),
    )
)
#: Keywords that judge nothing.
_NOTES = frozenset({"title", "description", "$comment", "default", "examples", "deprecated"})
#: Keywords that JSON Schema does not check, or that name no fields.
_REFUSED = frozenset({"format", "patternProperties", "$dynamicRef"})
_DEFINITIONS = "#/$defs/"

_SCHEMA = {"allOf": [{"$ref": "#/$defs/known"}, {"$ref": "https://json-schema.org/draft/2020-12/schema"}]}
#: A rules file.
_FILE = {
    "type": "object",
    "properties": {
        "rules": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": ["string", "integer"], "maxLength": _LONGEST_ID, "pattern": r"^\S+( \S+)*\Z"},
                    "for": {"enum": [*SECTIONS, CHANGES]},
                    "when": _SCHEMA,
                    "require": _SCHEMA,
                    "level": {"enum": [ERROR, WARNING]},
                    "because": {"type": "string"},
                },
                "required": ["id", "for", "require"],
                "additionalProperties": False,
            },
        },
        "$defs": {"type": "object", "additionalProperties": _SCHEMA},
    },
    "required": ["rules"],
    "additionalProperties": False,
}


def _known(keywords: Iterable[str]) -> Schema:
    """Return a schema for schemas that have no other keywords."""
    inner = {"$ref": "#/$defs/known"}
    known: dict[str, Schema] = dict.fromkeys(sorted(keywords), True)
    known |= dict.fromkeys(_IN_PLACE | _INNER, inner)
    known |= {keyword: {"items": inner} for keyword in _LISTS}
    known |= {keyword: {"additionalProperties": inner} for keyword in _MAPS}
    known |= {"$ref": {"pattern": r"^#/\$defs/[^/~%]+$"}}
    return {"type": ["object", "boolean"], "properties": known, "additionalProperties": False}


def mistakes_in(document: Node) -> Iterable[Finding]:
    """Return the findings about a rules file, each at its place."""
    # Import late: only runs with rules need the library, and it loads slowly.
    import jsonschema

    draft = jsonschema.Draft202012Validator
    known = _known((draft.VALIDATORS.keys() | {"minContains", "maxContains"} | _NOTES) - _REFUSED)
    validator = draft({**_FILE, "$defs": {"known": known}}, format_checker=jsonschema.FormatChecker(["regex"]))
    found: dict[Finding, None] = {}
    for error in validator.iter_errors(typed(document.value)):
        node = document
        for step in error.absolute_path:
            node = node.member(step)
        found.update(dict.fromkeys(_findings(error, node)))
    return found


def _findings(error: Any, node: Node) -> Iterator[Finding]:
    if error.validator == "additionalProperties":
        names = error.schema["properties"]
        for name in node.value:
            if name not in names:
                yield Finding.plain(
                    node.member(name).place, f"{name}: no keyword that rules may use; {did_you_mean(name, names)}"
                )
    else:
        name = next((step for step in reversed(error.absolute_path) if isinstance(step, str)), "a rules file")
        yield Finding.plain(node.place, f"{name}: {error.message}")


@dataclass
class Refused(Exception):
    """Raised if a reference in a schema is wrong.

    :ivar place: where.
    :ivar words: what is wrong.
    """

    place: Place
    words: str


@dataclass(frozen=True)
class Clause:
    """``when`` or ``require`` of a rule, or a part of it.

    :ivar node: the schema. :ivar definitions: the schemas to which it may refer, by name.
    """

    node: Node
    definitions: Mapping[str, Node] = field(default_factory=dict)

    @property
    def schema(self) -> Schema:
        """Return it with everything to which it refers."""
        schema = typed(self.node.value)
        definitions = {name: typed(node.value) for name, node in self.definitions.items()}
        return schema if isinstance(schema, bool) else {**schema, "$defs": definitions}

    def check(self) -> None:
        """Check all references.

        :raises Refused: if one is wrong, or if there are too many.
        """
        if next(islice(self._parts(_SCHEMAS), MOST_PARTS, None), None) is not None:
            raise Refused(self.node.place, _TOO_MANY)

    def _parts(self, keywords: Collection[str], steps: tuple[str, ...] = ()) -> Iterator[Node]:
        """Yield the schema and those at some of its keywords, at any depth, except ``true`` and ``false``."""
        if isinstance(self.node.value, bool):
            return
        if len(steps) > _MOST_STEPS:
            raise Refused(self.node.place, _TOO_MANY)
        yield self.node
        for keyword in self.node.value:
            member = self.node.member(keyword)
            if keyword == "$ref":
                name = self._defined(member, steps)
                yield from Clause(self.definitions[name], self.definitions)._parts(keywords, (*steps, name))
            elif keyword in keywords:
                for part in member.members.values() if keyword in _MAPS | _LISTS else [member]:
                    yield from Clause(part, self.definitions)._parts(keywords, (*steps, ""))

    def _defined(self, member: Node, steps: tuple[str, ...]) -> str:
        """Return the name of the schema that a reference means."""
        name = str(member.value).removeprefix(_DEFINITIONS)
        if name not in self.definitions:
            raise Refused(member.place, f"$ref: nothing in this file is at {member.value}")
        if name in steps:
            raise Refused(member.place, f"$ref: {member.value} refers to itself")
        return name

    @property
    def names(self) -> dict[str, Place]:
        """Return the names of fields that a schema for a record judges, each with its place."""
        found: dict[str, Place] = {}
        for part in self._parts(_SAME_VALUE):
            named = [part.member(keyword) for keyword in _NAMED if keyword in part.value]
            listed = [member for node in named for member in node.members.values() if isinstance(member.value, list)]
            for node in listed + ([part.member("required")] if "required" in part.value else []):
                found |= {item.value: item.place for item in node.items()}
            found |= {name: member.place for node in named for name, member in node.members.items()}
        return found

    @property
    def judges_all(self) -> bool:
        """Return True if a schema for a record judges more fields than it names."""
        return any(not _WHOLE.isdisjoint(part.value) for part in self._parts(_SAME_VALUE))

    def at(self, name: str) -> list[Clause]:
        """Return the schemas that judge the value of one field."""
        return [
            Clause(part.member("properties").member(name), self.definitions)
            for part in self._parts(_SAME_VALUE)
            if name in part.value.get("properties", ())
        ]

    @property
    def constants(self) -> dict[str, Place]:
        """Return the texts that it has in ``const`` and ``enum``, at any depth, each with its place."""
        found: dict[str, Place] = {}
        for part in self._parts(_SCHEMAS):
            nodes = [part.member("const")] if "const" in part.value else []
            nodes += part.member("enum").items() if "enum" in part.value else []
            found |= {node.value: node.place for node in nodes if isinstance(node.value, str)}
        return found
