# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON Schema (draft 2020-12) of a stocktake as JSON."""

from __future__ import annotations

from typing import Any

from ansible_collections.community.seventhings.plugins.plugin_utils.desired.hiding import VAULTED
from ansible_collections.community.seventhings.plugins.plugin_utils.stocktake.evaluation import (
    CLOSE,
    EVALUATE,
    PREPARE,
    REASONS,
    SCANNED,
    STATUSES,
)

from .parts import (
    AMOUNTS,
    COUNT,
    DATE,
    INSTANCE,
    TEXT,
    TEXT_OR_NULL,
    TEXTS,
    as_file,
    closed,
    counted,
    sees,
    whole,
)

NAME = "stocktake.schema.json"

_FLAG = {"type": "boolean"}


def stocktake_schema() -> dict[str, Any]:
    """Return the schema, with every member described."""
    document = closed(
        {
            "mode": {"enum": [PREPARE, EVALUATE, CLOSE], "description": "The mode of the task."},
            "instance": INSTANCE,
            "date": DATE,
            "window": {
                **closed({"since": TEXT_OR_NULL, "until": TEXT_OR_NULL, "time_field": TEXT}),
                "description": "The period of the stocktake, and the field that says when an object was scanned.",
            },
            "sees": sees(),
            "counts": {**counted(STATUSES), "description": "Numbers of objects by status."},
            "scanned": {**counted(SCANNED), "description": "Numbers of objects by the result of the scans."},
            "reasons": {
                **counted(REASONS),
                "description": "Numbers of objects that need attention before the stocktake, by reason.",
            },
            "amounts": AMOUNTS,
            "totals": {**closed(dict.fromkeys(STATUSES, AMOUNTS)), "description": "Sums of the amounts by status."},
            "by_place": {
                "type": "array",
                "items": closed(
                    {
                        "location": TEXT_OR_NULL,
                        "room": {**TEXT_OR_NULL, "description": "The room; null for a whole location."},
                        **dict.fromkeys(STATUSES, COUNT),
                        "visitors": {**COUNT, "description": "Objects found here that belong elsewhere."},
                        "amounts": AMOUNTS,
                    }
                ),
                "description": "Each location, followed by its rooms. Objects count where they belong.",
            },
            "objects": {
                "type": "array",
                "items": {"$ref": "#/$defs/object"},
                "description": "Every object in scope; with the mode prepare, only objects that need attention.",
            },
            "unknown_codes": {**TEXTS, "description": "Scanned or accepted codes that no object in scope has."},
            "unlabelled": {**TEXTS, "description": "Scan codes of objects without a label, to confirm by hand."},
        }
    )
    return whole(NAME, "stocktake", document, {"object": _object()})


def stocktake_schema_file() -> bytes:
    """Return the content of the shipped schema file."""
    return as_file(stocktake_schema())


def _object() -> dict[str, Any]:
    return closed(
        {
            "scan_code": {**TEXT, "description": "The scan code; empty if the object has none."},
            "status": {"enum": list(STATUSES), "description": "Computed from both rooms."},
            "scanned": {
                "enum": list(SCANNED),
                "description": "The result of the scans in the period of the stocktake.",
            },
            "name": TEXT,
            "asset_number": {**TEXT, "description": "The asset number; empty if it has none."},
            "serial_number": {**TEXT, "description": "The serial number; empty if it has none."},
            "uuid": TEXT,
            "target_room": {
                **TEXT_OR_NULL,
                "description": "The room where the object belongs; null if that is not known.",
            },
            "actual_room": {
                **TEXT_OR_NULL,
                "description": "The room where the object was found; null if it was not found.",
            },
            "time": {**TEXT_OR_NULL, "description": "When the object was scanned; null if it was not scanned."},
            "from_scans": {**_FLAG, "description": "Whether the actual room comes from the list of scans."},
            "unlabelled": {**_FLAG, "description": "Whether the object has no label that could be scanned."},
            "reasons": {"type": "array", "items": {"enum": list(REASONS)}},
            "service_status": {**TEXT_OR_NULL, "description": "The status that the service reports, if it differs."},
            "amounts": {
                **AMOUNTS,
                "additionalProperties": {"anyOf": [AMOUNTS["additionalProperties"], {"const": VAULTED}]},
            },
        }
    )
