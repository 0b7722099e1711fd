# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Bodies, parts of bodies, and queries for requests."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

NOBODY = "00000000-0000-4000-8000-000000000000"

JsonMap = dict[str, Any]


class Absent:
    """A marker for a key that a body omits."""


def without(body: JsonMap) -> JsonMap:
    return {key: value for key, value in body.items() if value is not Absent}


def code() -> str:
    """Return a unique text."""
    return uuid.uuid4().hex[:12]


def asset(uuid: str) -> dict[str, str]:
    return {"type": "asset", "uuid": uuid}


def definition(
    kind: str, *, constraints: Sequence[JsonMap] = (), attributes: Sequence[JsonMap] = (), **fields: Any
) -> JsonMap:
    body = {
        "field_type": {"name": kind, "constraints": list(constraints)},
        "label": f"Field {code()}",
        "comment": None,
        "default_value": None,
        "possible_values": [],
        "attributes": list(attributes),
        "relations": [],
        **fields,
    }
    return without(body)


def attribute(name: str, value: Any) -> JsonMap:
    return {"type": name, "value": value}


constraint = attribute


def in_brackets(conditions: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a filter in the bracket form."""
    parts = []
    for key, operators in conditions.items():
        for operator, value in operators.items():
            head = f"filter[{key}][{operator}]"
            if operator in ("empty", "not_empty", "null", "not_null"):
                parts.append(f"{head}=")
            elif isinstance(value, list):
                parts += [f"{head}[]={written(entry)}" for entry in value]
            else:
                parts.append(f"{head}={written(value)}")
    return "&".join(parts)


def in_json(conditions: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the same filter as one JSON object."""
    return "filter=" + quote(json.dumps(conditions), safe="")


FORMS = {"brackets": in_brackets, "json": in_json}


def written(value: Any) -> str:
    if isinstance(value, bool):
        value = "true" if value else "false"
    return quote(str(value), safe="").replace("%20", "+")
