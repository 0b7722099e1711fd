# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON Schema (draft 2020-12) of a stocktake as JSON."""

from __future__ import annotations

import json
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.resolve.hidden_records import NO, UNKNOWN, YES

from ..export.json_schema import ADDRESS, DRAFT
from .document import CLOSE, EVALUATE, PREPARE
from .evaluation import REASONS, SCANNED
from .status import STATUSES

NAME = "stocktake.schema.json"

_TEXT = {"type": "string"}
_TEXT_OR_NULL = {"type": ["string", "null"]}
_COUNT = {"type": "integer", "minimum": 0}
_FLAG = {"type": "boolean"}
_TEXTS = {"type": "array", "items": _TEXT}
_AMOUNTS = {
    "type": "object",
    "additionalProperties": {"type": "string", "pattern": "^-?[0-9]+([.][0-9]+)?$"},
    "description": "Key of a field of the type MONEY to an amount.",
}


def stocktake_schema() -> dict[str, Any]:
    """Return the schema, with every member described."""
    document = _closed(
        {
            "mode": {"enum": [PREPARE, EVALUATE, CLOSE], "description": "What was asked for."},
            "instance": {**_TEXT, "description": "Root of the instance."},
            "date": {**_TEXT, "format": "date-time", "description": "When the lists were read (UTC)."},
            "window": {
                **_closed({"since": _TEXT_OR_NULL, "until": _TEXT_OR_NULL, "time_field": _TEXT}),
                "description": "The time of the stocktake, and the field that says when an object was scanned.",
            },
            "sees": {
                **_closed(
                    {
                        **dict.fromkeys(("objects", "rooms", "locations"), _COUNT),
                        "hidden_records": {"enum": [YES, NO, UNKNOWN]},
                        "locations_without_objects": _TEXTS,
                        "hidden_fields": _TEXTS,
                        "words": _TEXT,
                    }
                ),
                "description": "What the account sees of the instance.",
            },
            "counts": {**_counted(STATUSES), "description": "Status to number of objects."},
            "scanned": {**_counted(SCANNED), "description": "Number of objects by what the scans say of them."},
            "reasons": {**_counted(REASONS), "description": "Number of objects by why they need a look beforehand."},
            "amounts": _AMOUNTS,
            "by_place": {
                "type": "array",
                "items": _closed(
                    {
                        "location": _TEXT_OR_NULL,
                        "room": {**_TEXT_OR_NULL, "description": "Null in the sum of a location."},
                        **dict.fromkeys(STATUSES, _COUNT),
                        "visitors": {**_COUNT, "description": "Objects found here that belong elsewhere."},
                        "amounts": _AMOUNTS,
                    }
                ),
                "description": "Each location, followed by its rooms. Objects count where they belong.",
            },
            "objects": {
                "type": "array",
                "items": {"$ref": "#/$defs/object"},
                "description": "Every object in scope; before a stocktake those that need a look.",
            },
            "unknown_codes": {**_TEXTS, "description": "Codes of lists that no object in scope has."},
            "unlabelled": {**_TEXTS, "description": "Scan codes of objects without a label, to confirm by hand."},
        }
    )
    return {
        "$schema": DRAFT,
        "$id": ADDRESS + NAME,
        "title": "The report of community.seventhings.stocktake as JSON",
        **document,
        "$defs": {"object": _object()},
    }


def stocktake_schema_file() -> bytes:
    """Return the content of the shipped schema file."""
    return (json.dumps(stocktake_schema(), indent=2) + "\n").encode()


def _object() -> dict[str, Any]:
    return _closed(
        {
            "scan_code": {**_TEXT, "description": "Empty if the object has none."},
            "status": {"enum": list(STATUSES), "description": "Computed from both rooms."},
            "scanned": {"enum": list(SCANNED), "description": "What the scans of the window say."},
            "name": _TEXT,
            "uuid": _TEXT,
            "target_room": {**_TEXT_OR_NULL, "description": "Where it belongs."},
            "actual_room": {**_TEXT_OR_NULL, "description": "Where it was found."},
            "time": {**_TEXT_OR_NULL, "description": "When it was scanned."},
            "from_scans": {**_FLAG, "description": "Whether the actual room comes from the list of scans."},
            "unlabelled": {**_FLAG, "description": "Whether it has no label that could be scanned."},
            "reasons": {"type": "array", "items": {"enum": list(REASONS)}},
            "service_status": {**_TEXT_OR_NULL, "description": "The status of the service, if it is another."},
            "amounts": _AMOUNTS,
        }
    )


def _counted(words: tuple[str, ...]) -> dict[str, Any]:
    return _closed(dict.fromkeys(words, _COUNT))


def _closed(members: dict[str, Any]) -> dict[str, Any]:
    """Return an object with these members and no others."""
    return {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}
