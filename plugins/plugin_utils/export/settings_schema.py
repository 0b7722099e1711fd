# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON Schemas of ``instance.yml`` and ``moved.yml``: the names of settings. Reading them checks their values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ..desired.desired import SECTIONS, Limits, prune_actions
from ..desired.dialect import PRESETS
from ..desired.format_settings import CSV_KEYS
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
_TEXT: Json = {"type": "string", "minLength": 1}
_TEXTS = list_of(_TEXT)
_BOOLEAN: Json = {"type": "boolean"}
_ROOT: Json = {"type": "string", "pattern": "^https?://"}
_KEYS = list_of({"type": ["string", "number"], "minLength": 1})

MATCH: Json = {"anyOf": [_STRING, _TEXTS, list_of(_TEXTS)]}
"""The fields that identify a record: one, a list, or a list of such lists."""

LIFECYCLE = _members(
    {
        "initial": (_TEXTS, "Fields that are written when a record is created, and never compared"),
        "ignore": (_TEXTS, "Fields that are neither written nor compared"),
    }
)

_FORMAT: Json = {**{name: {} for name in CSV_KEYS}, "preset": {"enum": [*PRESETS]}, "trim": _BOOLEAN}
_TABLE: Json = {
    **{name: {} for name in ("files", "columns", "constant", "values", "sheets", "header_row", "skip_rows")},
    **_FORMAT,
    "match": MATCH,
    **{name: {"enum": list(words)} for name, words in ROW_WORDS.items()},
}
_VARIABLE = closed(
    {"type": {"enum": ["string", "integer", "number", "boolean"]}, "description": _STRING, "default": {}}
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
        "placeholder": (_TEXT, "Prefix of a placeholder; digits follow"),
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
    "csv": (closed({**_FORMAT, "files": _map_of(closed(_FORMAT))}), "How tables were saved"),
    "tables": (
        {"type": "array", "items": closed(_TABLE) | {"required": ["files"]}},
        "Tables of other systems",
    ),
    "variables": (
        _map_of(_VARIABLE),
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
