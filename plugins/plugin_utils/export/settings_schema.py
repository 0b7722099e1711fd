# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON Schemas of ``instance.yml`` and ``moved.yml``: the names of settings. Reading them checks their values."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from ..desired.desired import SECTIONS, Limits, prune_actions
from ..desired.dialect import PRESETS
from ..desired.format_settings import CSV_KEYS
from ..desired.lifecycle import KEYS
from ..desired.observed import SECTIONS_WITH_FIELDS
from ..desired.row_rules import ROW_WORDS
from ..desired.settings import API, SETTINGS

Json = dict[str, Any]


def closed(properties: Json) -> Json:
    """Return the schema of a map that has no other members."""
    return {"type": ["object", "null"], "properties": properties, "additionalProperties": False}


def _list_of(item: Json) -> Json:
    return {"type": "array", "items": item, "minItems": 1}


def _map_of(shape: Json) -> Json:
    return {"type": "object", "additionalProperties": shape}


def _by_section(shape: Json) -> Json:
    return closed(dict.fromkeys(SECTIONS, shape))


def _named(*names: str) -> Json:
    return {name: {} for name in names}


_STRING: Json = {"type": "string"}
_TEXTS = _list_of({"type": "string", "minLength": 1})
_BOOLEAN: Json = {"type": "boolean"}
_ROOT: Json = {"type": "string", "pattern": "^https?://"}

#: The fields that identify a record: one, a list, or a list of such lists.
MATCH: Json = {"anyOf": [_STRING, _TEXTS, _list_of(_TEXTS)]}

LIFECYCLE: Json = {**dict.fromkeys(KEYS, _TEXTS), "protect": _list_of({"type": ["string", "number"], "minLength": 1})}

_FORMAT: Json = {**_named(*CSV_KEYS), "preset": {"enum": [*PRESETS]}, "trim": _BOOLEAN}
_TABLE: Json = {
    **_named("files", "columns", "constant", "values", "sheets", "header_row", "skip_rows"),
    **_FORMAT,
    "match": MATCH,
    **{name: {"enum": list(words)} for name, words in ROW_WORDS.items()},
}
_POLICY: Json = {
    "prune": closed({section: {"enum": list(prune_actions(section))} for section in SECTIONS}),
    "limits": closed({limit.name: {"type": ["number", "string"], "minimum": 0} for limit in fields(Limits)}),
    "create_users": {"description": "Forbids new users, whatever the task allows", "const": False},
    "notify": _BOOLEAN,
}


def settings_schema() -> Json:
    """Return the schema of ``instance.yml``."""
    properties = {
        **_named(*SETTINGS),
        "api": {"const": API},
        "instance": {"anyOf": [_ROOT, {"type": "array", "items": _ROOT}]},
        "identity": _by_section(_list_of(_STRING)),
        "policy": closed(_POLICY),
        "scope": _by_section(_map_of({"type": "array"})),
        "lifecycle": _by_section(closed(LIFECYCLE)),
        "observed": closed({section: {"type": "array", "items": _STRING} for section in SECTIONS_WITH_FIELDS}),
        "similar": _by_section(_list_of(_STRING)),
        "scan_codes": closed(dict.fromkeys(("field", "placeholder"), _STRING)),
        "csv": closed({**_FORMAT, "files": _map_of(closed(_FORMAT))}),
        "tables": {"type": "array", "items": closed(_TABLE) | {"required": ["files"]}},
        "variables": _map_of(closed(_named("type", "description", "default"))),
    }
    return {"type": "object", "properties": properties, "required": ["api"], "additionalProperties": False}


def moved_schema() -> Json:
    """Return the schema of ``moved.yml``."""
    pair = closed({side: {"type": "object", "minProperties": 1} for side in ("from", "to")})
    return _by_section({"type": "array", "items": {**pair, "type": "object", "required": ["from", "to"]}})
