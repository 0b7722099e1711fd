# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON Schemas of ``instance.yml`` and ``moved.yml``, as tables of members with their shapes and descriptions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ..desired.desired import SECTIONS, Limits, prune_actions
from ..desired.dialect import PRESETS
from ..desired.observed import SECTIONS_WITH_FIELDS
from ..desired.row_rules import ROW_WORDS

Json = dict[str, Any]


def closed(properties: Json) -> Json:
    """Return the schema of a map that has no other members."""
    return {"type": ["object", "null"], "properties": properties, "additionalProperties": False}


def said(shape: Json, words: str) -> Json:
    """Return a schema with a description."""
    return {"description": words, **shape}


def list_of(item: Json) -> Json:
    """Return the schema of a list with at least one item."""
    return {"type": "array", "items": item, "minItems": 1}


def _members(members: Mapping[str, tuple[Json, str]]) -> Json:
    return {name: said(shape, words) for name, (shape, words) in members.items()}


def _map_of(shape: Json) -> Json:
    return {"type": "object", "additionalProperties": shape}


def _by_section(shape: Json) -> Json:
    return closed(dict.fromkeys(SECTIONS, shape))


_STRING: Json = {"type": "string"}
_CHARACTER: Json = {"type": "string", "maxLength": 1}
_TEXT: Json = {"type": "string", "minLength": 1}
_TEXTS = list_of(_TEXT)
_SOME_TEXTS: Json = {"anyOf": [_TEXT, _TEXTS]}
_SOME_STRINGS: Json = {"anyOf": [_STRING, list_of(_STRING)]}
_BOOLEAN: Json = {"type": "boolean"}
_FLAG_WORDS: Json = {"anyOf": [_TEXT, _BOOLEAN, {"type": "array", "items": {"type": ["string", "boolean"]}}]}
_NUMBER: Json = {"type": "integer", "minimum": 1}
_EMPTY: Json = {"enum": ["ignore", "clear"]}
_ROOT: Json = {"type": "string", "pattern": "^https?://"}
_KEYS = list_of({"type": ["string", "number"], "minLength": 1})
_SECTION: Json = {"enum": [name for name in SECTIONS if name != "fields"]}

MATCH: Json = {"anyOf": [_STRING, _TEXTS, list_of(_TEXTS)]}
"""The fields that identify a record: one, a list, or a list of such lists."""

LIFECYCLE = _members(
    {
        "initial": (_TEXTS, "Fields that are written when a record is created, and never compared"),
        "ignore": (_TEXTS, "Fields that are neither written nor compared"),
    }
)

_FORMAT: Mapping[str, tuple[Json, str]] = {
    "preset": ({"enum": [*PRESETS]}, "How the spreadsheets of a country save tables"),
    "delimiter": (_CHARACTER, "Character between cells; detected if it is not set"),
    "encoding": (_STRING, "Encoding; if it is not set, a byte order mark, UTF-8, or that of an Excel preset"),
    "decimal": ({"enum": [".", ","]}, "Character between a number and its fraction"),
    "thousands": (_SOME_STRINGS, "Characters between groups of three digits"),
    "dates": (_SOME_STRINGS, "strptime patterns of dates; ISO dates are always read"),
    "booleans": (
        {
            "anyOf": [
                closed({"true": _FLAG_WORDS, "false": _FLAG_WORDS}) | {"required": ["true", "false"]},
                {"type": "array", "items": _FLAG_WORDS, "minItems": 2, "maxItems": 2},
            ]
        },
        "Words for true and words for false",
    ),
    "currency": (_SOME_STRINGS, "Currency signs that may appear beside a number"),
    "empty": ({"anyOf": [_EMPTY, _map_of(_EMPTY)]}, "What an empty cell does, for all columns or by column"),
    "null": (_SOME_TEXTS, "Word that clears the field of its cell, or several"),
    "ignore": (_SOME_STRINGS, "Columns that are not read, or patterns of such columns"),
    "list_separator": (_CHARACTER, "Character between the items of a list"),
    "text_columns": (_SOME_STRINGS, "Columns whose cells are texts, or patterns of such columns"),
    "trim": (_BOOLEAN, "Whether spaces at the beginning and end of cells are removed"),
}
_ROWS = {
    "unknown_rows": "What happens to a row without a record",
    "empty_keys": "What happens to a row without a key",
    "repeated_keys": "What happens to rows that have the same key",
    "unknown_values": "What happens to a reference or a choice that the instance does not know",
    "archived": "What happens to a row whose record is archived",
    "missing_rows": "What happens to a record whose row is missing",
}
_SHEETS: Json = {"anyOf": [*_SOME_TEXTS["anyOf"], {**_map_of(_SECTION), "minProperties": 1}]}
_SKIPPED: Json = {
    "anyOf": [{"type": "integer", "minimum": 0}, _TEXT, {"type": "array", "items": {"anyOf": [_NUMBER, _TEXT]}}]
}
_TABLE: Mapping[str, tuple[Json, str]] = {
    "files": (_SOME_TEXTS, "Patterns of paths below the directory of the files"),
    "columns": (_map_of(_TEXT), "Columns to fields; for a target that ends in .id, the cells are ids"),
    **_FORMAT,
    "constant": ({"type": "object"}, "Fields to values for records that have no value"),
    "values": (_map_of({"type": "object", "minProperties": 1}), "Fields to maps of the words in their cells to values"),
    "match": (MATCH, "How a row finds its record: the first list with all values decides"),
    **{name: ({"enum": list(ROW_WORDS[name])}, words) for name, words in _ROWS.items()},
    "sheets": (_SHEETS, "Sheets of workbooks to read: a name, a list, or a map to sections"),
    "header_row": (_NUMBER, "Number of the row that names the columns"),
    "skip_rows": (_SKIPPED, "How many rows to skip, or a list of row numbers and of texts in the first cell"),
}
_VARIABLE = closed(
    {
        "type": {"enum": ["string", "integer", "number", "boolean"]},
        "description": _STRING,
        "default": {"type": ["string", "number", "boolean"]},
    }
)
_POLICY: Json = {
    "prune": closed({section: {"enum": list(prune_actions(section))} for section in SECTIONS}),
    "limits": closed({limit.name: {"type": ["number", "string"], "minimum": 0} for limit in fields(Limits)}),
    "create_users": said({"const": False}, "Forbids new users, whatever the task allows; a new user gets an e-mail"),
    "notify": _BOOLEAN,
}
_PROTECTED = said(_KEYS, "Natural keys of records that no plan may delete or archive; * matches any text")
_SCAN_CODES = _members(
    {
        "field": (_TEXT, "Field with the scan code of an object"),
        "placeholder": ({"type": "string", "pattern": "^.+[^0-9]$"}, "Prefix of a placeholder; digits follow"),
    }
)
_SETTINGS: Mapping[str, tuple[Json, str]] = {
    "instance": (
        {"anyOf": [_ROOT, {"type": "array", "items": _ROOT}]},
        "Root of the instance, or a list of roots; other instances are refused",
    ),
    "set": (_STRING, "Name of this managed set. Without it, prune only reports"),
    "set_id": (_TEXT, "Distinguishes this set from others of the same name; the first run or an export creates it"),
    "identity": (_by_section(list_of(_STRING)), "Fields that identify a record"),
    "lifecycle": (
        _by_section(closed({**LIFECYCLE, "protect": _PROTECTED})),
        "Fields to leave alone, and records to keep",
    ),
    "observed": (
        closed({section: {"type": "array", "items": _TEXT} for section in SECTIONS_WITH_FIELDS}),
        "Fields that scans or people write, and files must not; an empty list means none",
    ),
    "similar": (_by_section(list_of(_STRING)), "New names that may look like those of other records"),
    "scan_codes": (
        closed(_SCAN_CODES) | {"required": ["field", "placeholder"]},
        "Placeholders that labels replace; another field must identify objects",
    ),
    "marker": (_STRING, "Field that names the set in each record"),
    "csv": (closed({**_members(_FORMAT), "files": _map_of(closed(_members(_FORMAT)))}), "How tables were saved"),
    "tables": (
        {"type": "array", "items": closed(_members(_TABLE)) | {"required": ["files"]}},
        "Tables of other systems",
    ),
    "variables": (
        _map_of(_VARIABLE) | {"propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}},
        "Variables, used as ${name} in values; ${$} is a dollar sign",
    ),
}


def settings_schema() -> Json:
    """Return the schema of ``instance.yml``."""
    properties = {
        "api": {"const": "seventhings/v1"},
        **_members(_SETTINGS),
        "timezone": {"type": "string", "examples": ["Europe/Berlin"]},
        "policy": closed(_POLICY),
        "scope": _by_section(_map_of({"type": "array"})),
    }
    return {"type": "object", "properties": properties, "required": ["api"], "additionalProperties": False}


def moved_schema() -> Json:
    """Return the schema of ``moved.yml``."""
    pair = closed({side: {"type": "object", "minProperties": 1} for side in ("from", "to")})
    return _by_section({"type": "array", "items": {**pair, "type": "object", "required": ["from", "to"]}})
