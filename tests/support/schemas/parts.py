# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts that the JSON Schemas of reports about many objects share."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.resolve.hidden_records import NO, UNKNOWN, YES
from ansible_collections.community.seventhings.plugins.plugin_utils.export.json_schema import DRAFT

ADDRESS = "https://ansible-collections.github.io/community.seventhings/schema/v1/"
"""The address of the published schemas, for the version of the format that files name as ``api``."""

TEXT = {"type": "string"}
TEXT_OR_NULL = {"type": ["string", "null"]}
COUNT = {"type": "integer", "minimum": 0}
TEXTS = {"type": "array", "items": TEXT}
INSTANCE = {**TEXT, "description": "Root of the instance."}
DATE = {**TEXT, "format": "date-time", "description": "When the lists were read (UTC)."}
AMOUNTS: dict[str, Any] = {
    "type": "object",
    "additionalProperties": {"type": "string", "pattern": "^-?[0-9]+([.][0-9]+)?$"},
    "description": "Keys of fields of the type MONEY to amounts.",
}


def closed(members: dict[str, Any]) -> dict[str, Any]:
    """Return an object with these members and no other."""
    return {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}


def counted(words: Iterable[str]) -> dict[str, Any]:
    """Return an object with a number for each word."""
    return closed(dict.fromkeys(words, COUNT))


def sees() -> dict[str, Any]:
    """Return the member that says what the account sees."""
    members = {
        **dict.fromkeys(("objects", "rooms", "locations"), COUNT),
        "hidden_records": {"enum": [YES, NO, UNKNOWN]},
        "locations_without_objects": TEXTS,
        "hidden_fields": TEXTS,
        "words": TEXT,
    }
    return {**closed(members), "description": "What the account can see."}


def whole(name: str, module: str, document: Mapping[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of the report of a module.

    :param name: the file that the schema is shipped as. :param parts: what ``$ref`` in the document leads to.
    """
    title = f"The report of community.seventhings.{module} as JSON"
    return {"$schema": DRAFT, "$id": ADDRESS + name, "title": title, **document, "$defs": dict(parts)}


def as_file(schema: Mapping[str, Any]) -> bytes:
    """Return a schema as it is shipped."""
    return (json.dumps(schema, indent=2) + "\n").encode()
