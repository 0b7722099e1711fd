# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records that hold a value which an instance refused, and that no list shows. No requests are made here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import ServiceError, may_be_taken
from ..model.schema import Schema
from ..resolve import natural_keys
from ..resolve.sight import LIMITED


def unseen_holder(schema: Schema, keys: Iterable[str], values: Mapping[str, Any], refused: ServiceError) -> str:
    """Says that a record which no list shows may hold a value that was refused; empty where that can't be so.

    :param keys: the fields that identify the record. :param values: canonical values that were sent.
    """
    unique = {key: value for key, value in values.items() if schema.fields[key].unique}
    held = unique or {key: values[key] for key in keys if key in values}
    if not held or not schema.kind.can_be_archived or not _may_be_taken(schema, refused, held):
        return ""
    words = natural_keys.describe(schema, held, held)
    return (
        f" If a value must be unique: an archived {schema.kind.words}, which no list shows, may hold {words}, or one "
        f"that is hidden ({LIMITED})."
    )


def _may_be_taken(schema: Schema, refused: ServiceError, held: Mapping[str, Any]) -> bool:
    names = {key: (key, field.label) for key, field in schema.fields.items()}
    mine = [*held, *(names[key][1] for key in held), *map(str, held.values())]
    return may_be_taken(refused, mine, [name for key, both in names.items() if key not in held for name in both])
