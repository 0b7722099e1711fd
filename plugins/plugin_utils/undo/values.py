# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values in apply records: plain data that the schema parses again, with references by uuid and by name."""

from __future__ import annotations

import datetime as dt
import hmac
import json
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from ...module_utils.model.field import Field, Unread
from ...module_utils.model.schema import Schema, type_of
from ...module_utils.model.types_links import Attachment, Reference
from ..set_plan.listed_state import ListedState

FINGERPRINT = "fingerprint"
#: The member of a reference that names the kind of its record.
REFERENCE = "reference"

#: The members of a reference, with their types.
_MEMBERS = {REFERENCE: str, "uuid": str | None, "id": int | None, "name": str | dict | None}

#: A part of a value of any field.
_PART = Field("", "ANY")


#: An identifier of a record: its uuid, or what :func:`mark_of` returns.
Mark = str | tuple[str, str]


def mark_of(kind: str, template: str, key: Any) -> tuple[str, str]:
    """Return an identifier that the changes of one record in two runs share."""
    return kind, f"{template} {key}"


def fingerprint(key: bytes, value: Any) -> dict[str, str]:
    """Return a replacement for a hidden value. Its key is not stored, so nobody can test guesses against it."""
    text = json.dumps(value, sort_keys=True, default=str)
    return {FINGERPRINT: hmac.digest(key, text.encode("utf-8", "surrogatepass"), "sha256").hex()}


def is_fingerprint(value: Any) -> bool:
    """Return True if a value of a record replaces a hidden value."""
    return isinstance(value, Mapping) and set(value) == {FINGERPRINT}


def is_reference(value: Any) -> bool:
    """Return True if a value of a record is a reference. The schema judges maps that only resemble a reference."""
    return (
        isinstance(value, Mapping)
        and value.keys() == _MEMBERS.keys()
        and not isinstance(value["id"], bool)
        and all(isinstance(value[name], kind) for name, kind in _MEMBERS.items())
    )


def stored(schema: Schema, key: str, value: Any, state: ListedState | None) -> Any:
    """Return a canonical value in the form of an apply record.

    :param state: the lists that the plan was made from; no other list is read.
    """
    return _stored(schema.fields.get(key, _PART), value, state)


def _stored(field: Field, value: Any, state: ListedState | None) -> Any:
    if isinstance(value, Unread):
        return value.raw
    if isinstance(value, Reference):
        name = None
        if state is not None and value.pending is None:
            # Some instances return links by id, which a record that is created again does not have.
            value, name = state.completed(value), state.known_name_of(value)
        written = value.written if isinstance(value.written, (str, Mapping)) else None
        return {REFERENCE: value.target, "uuid": value.uuid, "id": value.id, "name": name or written}
    if isinstance(value, Attachment):
        return value.uuid or value.written or value.path
    in_files = type_of(field).in_files
    if in_files is not None and value is not None:
        return in_files(value, lambda part: _stored(_PART, part, state))
    if isinstance(value, tuple):
        plain = not any(isinstance(item, (tuple, Mapping)) for item in value)
        return [_stored(_PART, item, state) for item in value] if plain else type_of(field).show(value)
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).isoformat(timespec="seconds")
    if isinstance(value, (dt.date, Decimal)):
        return value.isoformat() if isinstance(value, dt.date) else format(value, "f")
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return type_of(field).show(value)


def with_references(value: Any, change: Callable[[Mapping[str, Any]], Any]) -> Any:
    """Return a value of a record with each reference replaced.

    :param change: returns the replacement of a reference.
    """
    if isinstance(value, Mapping):
        if is_reference(value):
            return change(value)
        return {name: with_references(member, change) for name, member in value.items()}
    return [with_references(item, change) for item in value] if isinstance(value, list) else value


def referred(value: Any) -> Iterator[Mark]:
    """Yield the uuid, if known, of each record that a value refers to, and its mark in its change."""
    if isinstance(value, Mapping):
        if is_reference(value):
            yield from filter(None, (value["uuid"], mark_of(value[REFERENCE], "", value["name"])))
        else:
            yield from referred(list(value.values()))
    elif isinstance(value, list):
        for item in value:
            yield from referred(item)


def with_removed_parts(schema: Schema, key: str, before: Any, after: Any) -> Any:
    """Return the value before a change, with the empty parts that remove what the change added.

    Maps are merged, so parts that are not written would stay.
    """
    if type_of(schema.fields[key]).merge is None or not all(
        isinstance(side or {}, Mapping) for side in (before, after)
    ):
        return before
    return {**dict.fromkeys(after or ()), **(before or {})}
