# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON Schemas (draft 2020-12) of the files, for editors and for checks without a connection.

One schema describes what is the same on every instance. An export writes a schema with the fields of its instance:
labels, keys, types, and the values of dropdowns.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from decimal import Decimal, InvalidOperation
from typing import Any

from ...module_utils.model.field import ANY_SHAPE, GENERATED_KEY, UUID_PATTERN, Field, is_generated_key
from ...module_utils.model.kinds import FIELD_DEFINITION, KINDS, SERVER_KEYS, TEMPLATES, Kind
from ...module_utils.model.schema import TYPES, Schema, type_of
from ...module_utils.model.types_definition import ATTRIBUTES, CONSTRAINTS, RELATIONS
from ...module_utils.printing.cleaner import clean_lines
from ..desired.desired import SECTIONS, Limits, prune_actions
from ..desired.dialect import PRESETS
from ..desired.observed import SECTIONS_WITH_FIELDS
from ..desired.row_rules import ROW_WORDS
from ..desired.words import MANAGED, OWN_LIFECYCLE, OWN_MATCH, STATE, names_of
from .export import Exported
from .layout import schema_name
from .portable import name_in_files, writable_fields

Json = dict[str, Any]

DRAFT = "https://json-schema.org/draft/2020-12/schema"

_FIELDS: Json = {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1}
_LIFECYCLE: Json = {
    "initial": {"description": "Fields that are written when a record is created, and never compared", **_FIELDS},
    "ignore": {"description": "Fields that are neither written nor compared", **_FIELDS},
}
_NAMES: Json = {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1}
_MATCH: Json = {"anyOf": [{"type": "string"}, _NAMES, {"type": "array", "items": _NAMES, "minItems": 1}]}
_MANAGED: Json = {
    MANAGED: {"type": "boolean"},
    OWN_MATCH: {"description": "Fields that identify the record", **_MATCH},
    OWN_LIFECYCLE: {
        "type": "object",
        "properties": {
            **_LIFECYCLE,
            "protect": {"description": "No plan may delete or archive the record", "type": "boolean"},
        },
        "additionalProperties": False,
    },
}
"""Members that exclude a record from the set, or protect it."""

MAIN = "seventhings.schema.json"
"""The schema with all definitions. Its root is a desired state in one file."""

FIELD_KEYWORD = "x-field"
"""Keyword of this collection, besides those of the draft: the definition of a field."""


def static_schema() -> Json:
    """Return the schema for every instance."""
    return _document({kind.name: Schema(kind, kind.identity) for kind in KINDS.values() if kind.template}, closed=False)


def schema_files(exported: Exported) -> dict[str, bytes]:
    """Return the schema of one instance, by file name. What was not exported is described as for every instance."""
    schemas = {kind.name: Schema(kind, kind.identity) for kind in KINDS.values() if kind.template}
    document = _document(schemas, closed=False)
    for name, schema in exported.schemas.items():
        section = next(section for section, kind in SECTIONS.items() if kind == name)
        if schema.kind.template:
            document["$defs"][section] = _list(_record(schema, closed=True))
    return _files(document)


def _files(document: Json) -> dict[str, bytes]:
    files = {MAIN: document}
    for section in (*SECTIONS, "instance", "moved"):
        files[schema_name(section)] = {"$schema": DRAFT, "$ref": f"{MAIN}#/$defs/{section}"}
    # Write invisible and unencodable characters as JSON escapes.
    texts = {name: json.dumps(content, indent=1, ensure_ascii=False) for name, content in files.items()}
    return {name: f"{clean_lines(text)}\n".encode() for name, text in texts.items()}


def _document(schemas: Mapping[str, Schema], closed: bool) -> Json:
    definitions: Json = {**_shapes(), "instance": _settings(), "moved": _moved()}
    by_section: Json = {section: {"$ref": f"#/$defs/{section}"} for section in (*SECTIONS, "instance", "moved")}
    for section, kind_name in SECTIONS.items():
        kind = KINDS[kind_name]
        if kind.defines_fields:
            definitions[section] = _list(_definition())
            by_section[section] = {
                "type": "object",
                "properties": {template: {"$ref": f"#/$defs/{section}"} for template in TEMPLATES},
                "additionalProperties": False,
            }
        elif kind.short_key:
            definitions[section] = {**_list(_short(kind)), "uniqueItems": True}
        elif kind.written:
            definitions[section] = _list(_written(kind))
        else:
            schema = schemas.get(kind_name) or Schema.for_kind(kind)
            definitions[section] = _list(_record(schema, closed or not kind.has_own_fields))
    return {
        "$schema": DRAFT,
        "title": "An instance as code",
        "type": "object",
        "properties": by_section,
        "additionalProperties": False,
        "$defs": definitions,
    }


def _shapes() -> Json:
    """Return the schemas of values, by the names under which fields refer to them."""
    shapes = {faces.shape: dict(faces.json_schema) for faces in TYPES.values()}
    return {**shapes, "any": dict(ANY_SHAPE)}


def _list(item: Json) -> Json:
    return {"type": ["array", "null"], "items": item}


# ---- records


def _record(schema: Schema, closed: bool) -> Json:
    kind = schema.kind
    properties: Json = {}
    for field in writable_fields(schema):
        described = _field(field) | ({FIELD_KEYWORD: _noted(schema, field)} if closed and kind.template else {})
        for name in filter(None, (name_in_files(schema, field), *_other_names(schema, field))):
            properties.setdefault(name, described)
    states = list(kind.states)
    record: Json = {"type": "object", "properties": {**properties, STATE: {"enum": states}, **_MANAGED}}
    if closed and kind.template:
        record["patternProperties"] = {f"^({GENERATED_KEY})$": {"$ref": "#/$defs/any"}}
    record["propertyNames"] = {"not": {"enum": sorted(SERVER_KEYS)}}
    return {**record, "additionalProperties": False if closed else {"$ref": "#/$defs/any"}}


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
        properties = document["$defs"][section]["items"]["properties"].values()
        noted = {
            property[FIELD_KEYWORD]["key"]: property[FIELD_KEYWORD]
            for property in properties
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
    texts = {
        field.key: {"$ref": "#/$defs/text"}
        for field in FIELD_DEFINITION.fields
        if field.key in ("field_key", "comment")
    }
    types = next(field.allowed for field in FIELD_DEFINITION.fields if field.key == "type")
    scalar = {"type": ["string", "number", "boolean", "null"]}
    attributes = {
        name: {"anyOf": [_choice(values), {"type": "array", "items": _choice(values)}, {"type": "null"}]}
        for name, values in ATTRIBUTES.items()
    }
    constraints: Json = {name: {"type": ["string", "integer", "null"]} for name in CONSTRAINTS}
    constraints["allowed_values"] = {"type": ["array", "null"], "items": {"type": "string"}}
    relation = {
        "type": "object",
        "properties": {
            "type": {"enum": list(RELATIONS)},
            "field": {"type": "string", "description": "Key or label of the other field"},
            "field_uuid": {"type": "string", "pattern": UUID_PATTERN},
            "comparison_values": {"type": "array"},
        },
        "required": ["type"],
        "oneOf": [{"required": ["field"]}, {"required": ["field_uuid"]}],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {
            "label": {"type": "string", "minLength": 1},
            **texts,
            "type": {"enum": list(types)},
            "default_value": scalar,
            "possible_values": {"type": ["array", "null"], "items": scalar},
            "attributes": _closed(attributes),
            "constraints": _closed(constraints),
            "relations": {"type": ["array", "null"], "items": relation},
            STATE: {"enum": ["present"]},
            **_MANAGED,
        },
        "anyOf": [{"required": ["label"]}, {"required": ["field_key"]}],
        "additionalProperties": False,
    }


def _choice(values: tuple[str, ...]) -> Json:
    if not values:
        return {"type": ["string", "integer"]}
    return {"enum": [*values, True, False] if values == ("yes", "no") else list(values)}


def _closed(properties: Json) -> Json:
    return {"type": ["object", "null"], "properties": properties, "additionalProperties": False}


def _by_section(member: Json) -> Json:
    return _closed(dict.fromkeys(SECTIONS, member))


def _short(kind: Kind) -> Json:
    """Return the schema of a record that is written as a text only: a user, by e-mail address.

    In a table, the text is a row.
    """
    address: Json = {"type": "string", "format": "email", "pattern": "@"}
    return address | {
        "type": ["string", "object"],
        "properties": {kind.short_key: address, STATE: {"enum": list(kind.states)}, **_MANAGED},
        "required": [kind.short_key],
        "additionalProperties": False,
    }


def _written(kind: Kind) -> Json:
    """Return the schema of a record whose fields in files differ from those in answers."""
    return {
        "type": "object",
        "properties": {
            **{field.key: _field(field) for field in kind.written},
            STATE: {"enum": list(kind.states)},
            **_MANAGED,
        },
        "required": list(kind.written_key),
        "additionalProperties": False,
    }


# ---- settings


def _settings() -> Json:
    root = {"type": "string", "pattern": "^https?://"}
    limits = {limit.name: {"type": ["number", "string"], "minimum": 0} for limit in fields(Limits)}
    prune = {section: {"enum": list(prune_actions(section))} for section in SECTIONS}
    names = {"type": "array", "items": {"type": "string"}, "minItems": 1}
    key: Json = {"type": ["string", "number"], "minLength": 1}
    protected: Json = {
        "description": "Natural keys of records that no plan may delete or archive; * matches any text",
        "type": "array",
        "items": key,
        "minItems": 1,
    }
    return {
        "type": "object",
        "properties": {
            "api": {"const": "seventhings/v1"},
            "instance": {
                "description": "Root of the instance, or a list of roots; other instances are refused",
                "anyOf": [root, {"type": "array", "items": root}],
            },
            "set": {"type": "string", "description": "Name of this managed set. Without it, prune only reports"},
            "set_id": {
                "type": "string",
                "minLength": 1,
                "description": "Distinguishes this set from others of the same name; the first run or an "
                "export creates it",
            },
            "timezone": {"type": "string", "examples": ["Europe/Berlin"]},
            "identity": {**_by_section(names), "description": "Fields that identify a record"},
            "policy": _closed(
                {
                    "prune": _closed(prune),
                    "limits": _closed(limits),
                    "create_users": {
                        "const": False,
                        "description": "Forbids new users, whatever the task allows; a new user gets an e-mail",
                    },
                    "notify": {"type": "boolean"},
                }
            ),
            "scope": _by_section({"type": "object", "additionalProperties": {"type": "array"}}),
            "lifecycle": _by_section(_closed({**_LIFECYCLE, "protect": protected}))
            | {"description": "Fields to leave alone, and records to keep"},
            "observed": _closed({key_0: {"type": "array", "items": _FIELDS["items"]} for key_0 in SECTIONS_WITH_FIELDS})
            | {"description": "Fields that scans or people write, and files must not; an empty list means none"},
            "similar": {**_by_section(names), "description": "New names that may look like those of other records"},
            "scan_codes": _closed(
                {
                    "field": {
                        "type": "string",
                        "minLength": 1,
                        "description": "Field with the scan code of an object",
                    },
                    "placeholder": {
                        "type": "string",
                        "pattern": "^.+[^0-9]$",
                        "description": "Prefix of a placeholder; digits follow",
                    },
                }
            )
            | {"required": ["field", "placeholder"]}
            | {"description": "Placeholders that labels replace; another field must identify objects"},
            "marker": {"type": "string", "description": "Field that names the set in each record"},
            "csv": _tables(),
            "tables": _foreign_tables(),
            "variables": _variables(),
        },
        "required": ["api"],
        "additionalProperties": False,
    }


def _variables() -> Json:
    """Return the schema of the variables of files."""
    default: Json = {"type": ["string", "number", "boolean"]}
    types: Json = {"enum": ["string", "integer", "number", "boolean"]}
    variable = _closed({"type": types, "description": {"type": "string"}, "default": default})
    return {
        "type": "object",
        "description": "Variables, used as ${name} in values; ${$} is a dollar sign",
        "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
        "additionalProperties": variable | {"type": ["object", "null"]},
    }


def _tables() -> Json:
    """Return the schema of how tables were saved: all of them, and by file."""
    keys = _table_keys()
    by_file: Json = {"type": "object", "additionalProperties": _closed(keys)}
    return _closed({**keys, "files": by_file}) | {"description": "How tables were saved"}


def _foreign_tables() -> Json:
    """Return the schema of the tables of other systems."""
    number: Json = {"type": "integer", "minimum": 1}
    text: Json = {"type": "string", "minLength": 1}
    texts: Json = {"anyOf": [text, {"type": "array", "items": text, "minItems": 1}]}
    section: Json = {"enum": [name for name in SECTIONS if name != "fields"]}
    words: Json = {"type": "object", "minProperties": 1}
    keys: Json = {
        "files": {"description": "Patterns of paths below the directory of the files", **texts},
        "columns": {
            "description": "Columns to fields; for a target that ends in .id, the cells are ids",
            "type": "object",
            "additionalProperties": text,
        },
        **_table_keys(),
        "constant": {"description": "Fields to values for records that have no value", "type": "object"},
        "values": {
            "description": "Fields to maps of the words in their cells to values",
            "type": "object",
            "additionalProperties": words,
        },
        **_row_keys(),
        "sheets": {
            "description": "Sheets of workbooks to read: a name, a list, or a map to sections",
            "anyOf": [*texts["anyOf"], {"type": "object", "additionalProperties": section, "minProperties": 1}],
        },
        "header_row": {"description": "Number of the row that names the columns", **number},
        "skip_rows": {
            "description": "How many rows to skip, or a list of row numbers and of texts in the first cell",
            "anyOf": [
                {"type": "integer", "minimum": 0},
                text,
                {"type": "array", "items": {"anyOf": [number, text]}},
            ],
        },
    }
    table = _closed(keys) | {"required": ["files"]}
    return {"type": "array", "items": table, "description": "Tables of other systems"}


def _row_keys() -> Json:
    """Return the schemas of the settings about the rows of a table of another system."""
    match = {"description": "How a row finds its record: the first list with all values decides", **_MATCH}
    words = {
        "unknown_rows": "What happens to a row without a record",
        "empty_keys": "What happens to a row without a key",
        "repeated_keys": "What happens to rows that have the same key",
        "unknown_values": "What happens to a reference or a choice that the instance does not know",
        "archived": "What happens to a row whose record is archived",
        "missing_rows": "What happens to a record whose row is missing",
    }
    return {"match": match} | {name: {"description": words[name], "enum": list(ROW_WORDS[name])} for name in words}


def _table_keys() -> Json:
    """Return the schemas of the settings of a table."""
    text: Json = {"type": "string", "minLength": 1}
    texts: Json = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}
    words: Json = {"anyOf": [text, {"type": "boolean"}, {"type": "array", "items": {"type": ["string", "boolean"]}}]}
    empty: Json = {"enum": ["ignore", "clear"]}
    return {
        "preset": {"description": "How the spreadsheets of a country save tables", "enum": [*PRESETS]},
        "delimiter": {
            "description": "Character between cells; detected if it is not set",
            "type": "string",
            "maxLength": 1,
        },
        "encoding": {
            "description": "Encoding; if it is not set, a byte order mark, UTF-8, or that of an Excel preset",
            "type": "string",
        },
        "decimal": {"description": "Character between a number and its fraction", "enum": [".", ","]},
        "thousands": {"description": "Characters between groups of three digits", **texts},
        "dates": {"description": "strptime patterns of dates; ISO dates are always read", **texts},
        "booleans": {
            "description": "Words for true and words for false",
            "anyOf": [
                _closed({"true": words, "false": words}) | {"required": ["true", "false"]},
                {"type": "array", "items": words, "minItems": 2, "maxItems": 2},
            ],
        },
        "currency": {"description": "Currency signs that may appear beside a number", **texts},
        "empty": {
            "description": "What an empty cell does, for all columns or by column",
            "anyOf": [empty, {"type": "object", "additionalProperties": empty}],
        },
        "null": {
            "description": "Word that clears the field of its cell, or several",
            "anyOf": [text, {"type": "array", "items": text, "minItems": 1}],
        },
        "ignore": {"description": "Columns that are not read, or patterns of such columns", **texts},
        "list_separator": {"description": "Character between the items of a list", "type": "string", "maxLength": 1},
        "text_columns": {
            "description": "Columns whose cells are texts, or patterns of such columns",
            **texts,
        },
        "trim": {"description": "Whether spaces at the beginning and end of cells are removed", "type": "boolean"},
    }


def _moved() -> Json:
    side = {"type": "object", "minProperties": 1}
    pair = {
        "type": "object",
        "properties": {"from": side, "to": side},
        "required": ["from", "to"],
        "additionalProperties": False,
    }
    return _by_section({"type": "array", "items": pair})
