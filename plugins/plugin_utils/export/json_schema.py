# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON Schemas (draft 2020-12) of the files, for editors and for checks without a connection.

One schema describes what is the same on every instance. An export writes a schema with the fields of its instance:
labels, keys, types, and the values of dropdowns.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import Any

from ...module_utils.model.field import ANY_SHAPE, GENERATED_KEY, UUID_PATTERN, Field, is_generated_key
from ...module_utils.model.kinds import FIELD_DEFINITION, KINDS, SERVER_KEYS, TEMPLATES, Kind
from ...module_utils.model.schema import TYPES, Schema, type_of
from ...module_utils.model.types_definition import ATTRIBUTES, CONSTRAINTS, RELATIONS
from ...module_utils.printing.cleaner import clean_lines
from ..desired.desired import SECTIONS
from ..desired.words import MANAGED, OWN_LIFECYCLE, OWN_MATCH, STATE, names_of
from .export import Exported
from .layout import schema_name
from .portable import name_in_files, writable_fields
from .settings_schema import LIFECYCLE, MATCH, Json, closed, moved_schema, settings_schema

DRAFT = "https://json-schema.org/draft/2020-12/schema"

#: Members that exclude a record from the set, or protect it.
_MANAGED: Json = {
    MANAGED: {"type": "boolean"},
    OWN_MATCH: MATCH,
    OWN_LIFECYCLE: {**closed({**LIFECYCLE, "protect": {"type": "boolean"}}), "type": "object"},
}

#: The schema with all definitions. Its root is a desired state in one file.
MAIN = "seventhings.schema.json"

#: Keyword of this collection, besides those of the draft: the definition of a field.
FIELD_KEYWORD = "x-field"


def static_schema() -> Json:
    """Return the schema for every instance."""
    definitions: Json = {faces.shape: dict(faces.json_schema) for faces in TYPES.values()}
    definitions |= {"any": dict(ANY_SHAPE), "instance": settings_schema(), "moved": moved_schema()}
    by_section: Json = {section: {"$ref": f"#/$defs/{section}"} for section in (*SECTIONS, "instance", "moved")}
    for section, kind_name in SECTIONS.items():
        kind = KINDS[kind_name]
        if kind.defines_fields:
            definitions[section] = _list(_definition())
            templates = {template: {"$ref": f"#/$defs/{section}"} for template in TEMPLATES}
            by_section[section] = {**closed(templates), "type": "object"}
        elif kind.short_key:
            definitions[section] = {**_list(_short(kind)), "uniqueItems": True}
        elif kind.written:
            definitions[section] = _list(_written(kind))
        else:
            schema = Schema(kind, kind.identity) if kind.template else Schema.for_kind(kind)
            definitions[section] = _list(_record(schema, not kind.has_own_fields))
    document = {"$schema": DRAFT, "title": "An instance as code", **closed(by_section), "type": "object"}
    return {**document, "$defs": definitions}


def schema_files(exported: Exported) -> dict[str, bytes]:
    """Return the schema of one instance, by file name. What was not exported is described as for every instance."""
    document = static_schema()
    for schema in exported.schemas.values():
        if schema.kind.template:
            document["$defs"][schema.kind.section] = _list(_record(schema, closed_fields=True))
    files = {MAIN: document}
    for section in (*SECTIONS, "instance", "moved"):
        files[schema_name(section)] = {"$schema": DRAFT, "$ref": f"{MAIN}#/$defs/{section}"}
    # Write invisible and unencodable characters as JSON escapes.
    texts = {name: json.dumps(content, indent=1, ensure_ascii=False) for name, content in files.items()}
    return {name: f"{clean_lines(text)}\n".encode() for name, text in texts.items()}


def _list(item: Json) -> Json:
    return {"type": ["array", "null"], "items": item}


# ---- records


def _record(schema: Schema, closed_fields: bool) -> Json:
    kind = schema.kind
    properties: Json = {}
    for field in writable_fields(schema):
        described = _field(field) | ({FIELD_KEYWORD: _noted(schema, field)} if closed_fields and kind.template else {})
        for name in filter(None, (name_in_files(schema, field), *_other_names(schema, field))):
            properties.setdefault(name, described)
    record: Json = {"type": "object", "properties": {**properties, STATE: {"enum": list(kind.states)}, **_MANAGED}}
    if closed_fields and kind.template:
        record["patternProperties"] = {f"^({GENERATED_KEY})$": {"$ref": "#/$defs/any"}}
    record["propertyNames"] = {"not": {"enum": sorted(SERVER_KEYS)}}
    return {**record, "additionalProperties": False if closed_fields else {"$ref": "#/$defs/any"}}


def _other_names(schema: Schema, field: Field) -> list[str]:
    """Return further names of a field that are the same on every instance."""
    if is_generated_key(field.key):
        return []
    wire_key = [field.wire_key] if schema.find(field.wire_key) is field else []
    return [*names_of(schema, field), *wire_key]


def _field(field: Field) -> Json:
    described: Json = {"$ref": f"#/$defs/{type_of(field).shape}"}
    if field.label and field.label != field.key:
        described = {"title": field.label, **described}
    if field.label:
        described["description"] = field.type + (", mandatory" if field.mandatory else "")
    if field.allowed:
        described["enum"] = [*field.allowed, None]
    limits = {"max_length": "maxLength", "min_value": "minimum", "max_value": "maximum", "max_items": "maxItems"}
    limits["min_items"] = "minItems"
    for rule, keyword in limits.items():
        bound = _bound(field.constraints.get(rule))
        if bound is not None:
            described[keyword] = bound
    return described


def _noted(schema: Schema, field: Field) -> Json:
    """Return the definition of a field, for :func:`saved_fields`."""
    noted = {"key": name_in_files(schema, field), "type": field.type, "label": field.label}
    rules = {"mandatory": field.mandatory, "allowed": list(field.allowed), "constraints": dict(field.constraints)}
    return {**noted, **rules}


def saved_fields(document: Any, section: str) -> list[Field]:
    """Return the fields of a section in a schema that an export wrote, or nothing without such a section."""
    try:
        noted = {
            property[FIELD_KEYWORD]["key"]: property[FIELD_KEYWORD]
            for property in document["$defs"][section]["items"]["properties"].values()
            if FIELD_KEYWORD in property
        }
        return [Field(**{**field, "allowed": tuple(field["allowed"])}) for field in noted.values()]
    except (AttributeError, KeyError, TypeError):
        return []


def _bound(value: Any) -> int | float | None:
    """Return a limit of a definition as a JSON number. Some instances return it as a text."""
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    if not number.is_finite():
        return None
    return int(number) if number == number.to_integral_value() else float(number)


def _definition() -> Json:
    fields = {field.key: field for field in FIELD_DEFINITION.fields}
    text: Json = {"$ref": "#/$defs/text"}
    scalar = {"type": ["string", "number", "boolean", "null"]}
    choices = {name: _choice(values) for name, values in ATTRIBUTES.items()}
    attributes = {
        name: {"anyOf": [choice, {"type": "array", "items": choice}, {"type": "null"}]}
        for name, choice in choices.items()
    }
    constraints: Json = {name: {"type": ["string", "integer", "null"]} for name in CONSTRAINTS}
    constraints["allowed_values"] = _list({"type": "string"})
    relation = {
        "type": {"enum": list(RELATIONS)},
        "field": {"description": "Key or label of the other field", "type": "string"},
        "field_uuid": {"type": "string", "pattern": UUID_PATTERN},
        "comparison_values": {"type": "array"},
    }
    one_field = {"required": ["type"], "oneOf": [{"required": ["field"]}, {"required": ["field_uuid"]}]}
    properties = {
        "label": {"type": "string", "minLength": 1},
        "field_key": text,
        "comment": text,
        "type": {"enum": list(fields["type"].allowed)},
        "default_value": scalar,
        "possible_values": _list(scalar),
        "attributes": closed(attributes),
        "constraints": closed(constraints),
        "relations": _list({**closed(relation), "type": "object", **one_field}),
    }
    return {**_members(properties, ["present"]), "anyOf": [{"required": ["label"]}, {"required": ["field_key"]}]}


def _choice(values: tuple[str, ...]) -> Json:
    if not values:
        return {"type": ["string", "integer"]}
    return {"enum": [*values, True, False] if values == ("yes", "no") else list(values)}


def _members(properties: Json, states: Iterable[str]) -> Json:
    """Return the schema of a record with no other members."""
    return {**closed({**properties, STATE: {"enum": list(states)}, **_MANAGED}), "type": "object"}


def _short(kind: Kind) -> Json:
    """Return the schema of a record that is written as a text only: a user, by e-mail address.

    In a table, the text is a row.
    """
    address: Json = {"type": "string", "format": "email", "pattern": "@"}
    row = _members({kind.short_key: address}, kind.states)
    return {**address, **row, "type": ["string", "object"], "required": [kind.short_key]}


def _written(kind: Kind) -> Json:
    """Return the schema of a record whose fields in files differ from those in answers."""
    row = _members({field.key: _field(field) for field in kind.written}, kind.states)
    return {**row, "required": list(kind.written_key)}
