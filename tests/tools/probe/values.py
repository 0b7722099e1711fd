# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sides that one value or one envelope shows by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.model.field import Spelling
from ansible_collections.community.seventhings.plugins.module_utils.model.types_basic import FIELD_TYPES, UNWRITABLE
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import ATTACHMENTS

CAPS = (200, 100, 50)
"""The largest pages of instances with a cap, as the switches name them."""

LINKS = tuple(name for name, field_type in FIELD_TYPES.items() if field_type.shape == "reference")
"""Types of fields that link to one record."""

_NUMBER_TEXT = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_STATUSES = ("ok", "deviation", "missing", "new", "unknown")
"""The statuses computed from an expected and an actual field."""


def total_side(envelope: Mapping[str, Any]) -> str:
    """Return the form of the total in an envelope."""
    if "total" not in envelope:
        return "none"
    return "text" if isinstance(envelope["total"], str) else "given"


def echo_side(envelope: Mapping[str, Any]) -> str:
    """Return what an envelope repeats of the requested page."""
    if "per_page" in envelope:
        return "both"
    return "page" if "page" in envelope else "none"


def sides_of_value(type_name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Return the switches that one value of a field shows by itself, each with the side.

    :param type_name: the name of the field's type.
    """
    field_type = FIELD_TYPES.get(type_name, UNWRITABLE)
    if field_type.spelling.is_number:
        if _is_number(value):
            yield "number_form", "number"
        elif isinstance(value, str) and _NUMBER_TEXT.fullmatch(value):
            yield "number_form", "string"
    elif (field_type.spelling is Spelling.FLAG or field_type.computed) and isinstance(value, int):
        yield "boolean_form", "boolean" if isinstance(value, bool) else "integer"
        if field_type.computed:
            yield "comparison_read", "boolean"
    elif field_type.computed and value in _STATUSES:
        yield "comparison_read", "status"
    elif field_type.shape == ATTACHMENTS.shape and isinstance(value, list):
        for item in value:
            if isinstance(item, Mapping):
                yield "attachment_read", "objects"
                yield "attachment_name", "given" if "name" in item else "none"
            elif isinstance(item, str):
                yield "attachment_read", "uuids"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
