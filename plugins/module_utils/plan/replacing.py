# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields that a PUT must send back.

A PUT replaces a whole record, so it sends back everything that the record has. A member that no answer shows may still
have a value. A value that can't be represented is sent back as received. No requests are made here.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..client.record import Record
from ..errors import InvalidInput
from ..model.field import EMPTY, Field, InvalidValue
from ..model.kinds import Kind
from ..model.schema import Schema, type_of
from ..model.types_links import references_in
from ..resolve.field_visibility import sends_empty_members
from .change import UNCHANGED, Change


def carried_along(schema: Schema, current: Record, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that a PUT sends back unchanged, as canonical values.

    :param values: the fields that change.
    """
    dropped = {*values, *_left_to_service(schema.kind, values)}
    return {key: value for key, value in schema.read(current.flat).items() if key not in dropped}


def _left_to_service(kind: Kind, values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the fields that a PUT leaves out and the service keeps. Times are sent together or not at all."""
    own = (kind.status_key,) if kind.status_key else ("field_key",) if kind.defines_fields else ()
    hours = kind.hours
    if hours is None:
        return own
    if values.get(hours.whole_days):
        return (*own, *hours.times)
    return own if any(key in values for key in hours.keys) else (*own, *hours.keys)


def missing_members(schema: Schema, current: Record, besides: Container[str] = ()) -> list[str]:
    """Return the fields that a PUT would have to send back, and that the answers about a record do not have.

    :param besides: fields that do not matter, because they are written.
    """
    kind = schema.kind
    if kind.update != "PUT" or kind.has_own_fields:
        return []
    exempt = {*_left_to_service(kind, {}), *(kind.hours.keys if kind.hours else ())}
    return [
        field.key
        for field in schema.fields.values()
        if field.wire_key not in current.flat and field.key not in exempt and field.key not in besides
    ]


def check_carried(schema: Schema, current: Record, values: Mapping[str, Any], records: Iterable[Record]) -> list[str]:
    """Refuse a PUT that would lose something of a record.

    :param values: the fields that change.
    :param records: the records of the kind that were read.
    :returns: the fields that no answer has and that count as empty, because this instance omits empty fields.
    :raises InvalidInput: with a line for each field that would be lost.
    """
    missing = missing_members(schema, current, values)
    wrong = []
    if missing and sends_empty_members(schema, [*records, current]):
        why = "the service does not return it, although it returns other members that are empty"
        wrong = [_lost(schema.kind, key, why) for key in missing]
    for key, value in carried_along(schema, current, values).items():
        why = _why_unsendable(schema.fields[key], value)
        wrong += [_lost(schema.kind, key, why)] if why else []
    if wrong:
        raise InvalidInput(wrong)
    return missing


def without_unreadable(change: Change, unreadable: Collection[str]) -> Change:
    """Return a change with a warning about fields that the service never returns.

    Nobody knows whether they have the written values. They are sent if something else changes, and are not a change of
    their own: otherwise every run would report a change.
    """
    if not unreadable:
        return change
    warning = (
        f"{', '.join(unreadable)}: can't be read back, because this instance does not return it. So it is sent only if "
        "something else of the record changes."
    )
    before, after = (
        {key: value for key, value in side.items() if key not in unreadable} for side in (change.before, change.after)
    )
    is_left = change.unarchive or not change.values.keys() <= set(unreadable)
    action, values = (change.action, change.values) if is_left else (UNCHANGED, {})
    warnings = (*change.warnings, warning)
    return replace(change, action=action, values=values, before=before, after=after, warnings=warnings)


def unread_members(schema: Schema, change: Change, now: Record) -> list[str]:
    """Return the changed fields that a record does not show, although their new values are not empty."""
    if schema.kind.update != "PUT" or schema.kind.has_own_fields:
        return []
    return [
        key
        for key, value in change.values.items()
        if value not in EMPTY and schema.fields[key].wire_key not in now.flat
    ]


def _lost(kind: Kind, key: str, why: str) -> str:
    return (
        f"{key}: {why}; a change of {kind.singular} sets all fields at once, so its value would be lost. Nothing "
        "was sent"
    )


def _why_unsendable(field: Field, value: Any) -> str:
    faces = type_of(field)
    if not faces.writable:
        return ""
    try:
        sent = faces.write(value)
    except InvalidValue as unfit:
        return str(unfit)
    if faces.shape == "references" and any(reference.uuid is None for reference in references_in(value)):
        return f"the value that the service returns has no uuid, so it can't be sent back: {sent!r}"
    return ""
