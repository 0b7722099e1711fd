# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reduce a record to the part that is remembered, and find the fields that differ."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.field import EMPTY
from ...module_utils.model.schema import Schema
from ...module_utils.model.types_links import Attachment, Reference
from .cursor import Known
from .dates import Watch, dates_in

_NO_CHANGE = frozenset({"updated_at", "updated_by_user_id", "locked_by"})
"""Members that are not changes themselves: they show that something changed, or that somebody views the record."""

_DIGEST_BYTES = 6


def known(schema: Schema, record: Record, salt: str, watches: Sequence[Watch]) -> Known:
    """Return the part of a record that is remembered."""
    values = schema.read(record.flat)
    keys = {field.wire_key for field in schema.fields.values()}
    others = {name: value for name, value in record.flat.items() if name not in keys}
    digests = {name: _digest(value, salt) for name, value in {**others, **values}.items() if name not in _NO_CHANGE}
    return Known(record.id, digests, dates_in(watches, values))


def changed_fields(before: Known, now: Known) -> list[str]:
    """Return the fields that differ.

    A field that only one of the two has counts only if its value is not empty, because instances omit empty fields.
    """
    return sorted(
        name
        for name in before.digests.keys() | now.digests.keys()
        if before.digests.get(name, "") != now.digests.get(name, "")
    )


def _digest(value: Any, salt: str) -> str:
    """Return a short text that differs for different values; empty for nothing."""
    if value in EMPTY or value == frozenset():
        return ""
    text = json.dumps(value, sort_keys=True, default=_plain).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, key=salt.encode(), digest_size=_DIGEST_BYTES).hexdigest()


def _plain(value: Any) -> Any:
    """Return a canonical value as JSON. A link is represented by its target, whatever its present name."""
    if isinstance(value, (Reference, Attachment)):
        return value.uuid or (value.id if isinstance(value, Reference) else None)
    if isinstance(value, (set, frozenset)):
        return sorted(json.dumps(item, sort_keys=True, default=_plain) for item in value)
    if isinstance(value, Decimal):
        return str(value.normalize())
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        return value.astimezone(dt.UTC).isoformat()
    return str(value)
