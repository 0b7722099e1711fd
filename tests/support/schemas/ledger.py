# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON Schema (draft 2020-12) of a comparison with the asset ledger as JSON."""

from __future__ import annotations

from typing import Any

from ansible_collections.community.seventhings.plugins.plugin_utils.everyday.ledger import SUMS

from .parts import AMOUNTS, DATE, INSTANCE, TEXT, TEXTS, as_file, closed, counted, sees, whole

NAME = "ledger.schema.json"

_COUNTS = ("rows", "equal", "differ", "not_found", "not_in_books", "doubtful", "skipped", "not_in_scope")
_KEY = {**TEXT, "description": "The values that identify the row or the object."}
_PLACE = {**TEXT, "description": "File and line of the row."}


def ledger_schema() -> dict[str, Any]:
    """Return the schema, every member described."""
    named: dict[str, Any] = {
        "key": _KEY,
        "scan_code": {**TEXT, "description": "The scan code; empty if the object has none."},
    }
    named |= {"name": TEXT, "uuid": TEXT}
    difference: dict[str, Any] = {
        **named,
        "field": {**TEXT, "description": "Key of the field."},
        "label": {**TEXT, "description": "Label of the field."},
        "books": {**TEXT, "description": "The value in the ledger; empty if it has none."},
        "instance": {**TEXT, "description": "The value of the object; empty if it has none."},
        "place": _PLACE,
    }
    values: dict[str, Any] = {
        "type": "object",
        "additionalProperties": TEXT,
        "description": "Field keys to the values of the row.",
    }
    doubt: dict[str, Any] = {
        "key": _KEY,
        "place": _PLACE,
        "reason": {**TEXT, "description": "Why the row can't be matched with one object."},
        "why": {
            "enum": ["no_key", "no_object", "repeated", "several_objects"],
            "description": "The reason as one word.",
        },
        "details": {**TEXTS, "description": "The fields, the other rows, or the number of objects in the reason."},
        "uuids": {**TEXTS, "description": "The objects that may match the row."},
    }
    lists: dict[str, tuple[dict[str, Any], str]] = {
        "not_found": (
            {"key": _KEY, "place": _PLACE, "values": values, "amounts": AMOUNTS},
            "Rows without an object.",
        ),
        "not_in_books": ({**named, "amounts": AMOUNTS}, "Objects in scope without a row."),
        "differences": (difference, "Values that differ, with a member for each field."),
        "doubtful": (doubt, "Rows that are not compared."),
        "skipped": (doubt, "Rows that settings of the table skip."),
    }
    document = closed(
        {
            "instance": INSTANCE,
            "date": DATE,
            "file": {**TEXT, "description": "Name of the ledger."},
            "match": {
                "type": "array",
                "items": TEXTS,
                "description": "Keys of the fields that identify a row, a list for each choice.",
            },
            "compared": {**TEXTS, "description": "Keys of the fields that are compared."},
            "sees": sees(),
            "counts": {**counted(_COUNTS), "description": "Number of rows, and of objects that are not in the books."},
            "totals": {
                **closed(dict.fromkeys(SUMS, AMOUNTS)),
                "description": "Sums of the books and of the instance, and of what is between them.",
            },
            **{
                name: {"type": "array", "items": {"$ref": f"#/$defs/{name}"}, "description": words}
                for name, (_members, words) in lists.items()
            },
        }
    )
    return whole(NAME, "ledger", document, {name: closed(members) for name, (members, _words) in lists.items()})


def ledger_schema_file() -> bytes:
    """Return the schema as it is shipped."""
    return as_file(ledger_schema())
