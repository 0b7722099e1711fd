# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bodies that make or change a record (section 4 of the interface).

Where the service replaces the whole record (PUT), the body carries every field that is there, and what differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..client.client import Record
from ..model.field import EMPTY
from ..model.kinds import Kind
from ..model.schema import Schema, type_of


def create_body(schema: Schema, values: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """The body that makes a record.

    :param values: canonical values by field key; empty ones are left out, where the service does not ask for them and
        would not fill in something else.
    :param extra: members that are only written and never answered (notify).
    """
    kind = schema.kind
    if kind.update == "PUT" and not kind.has_own_fields:
        values = _without_whole_days(kind, values)
        complete = {key: values.get(key, type_of(field).empty) for key, field in schema.fields.items()}
        return _whole(schema, complete, {}) | dict(extra)
    kept = {key: value for key, value in values.items() if value not in EMPTY or schema.fields[key].has_default}
    return schema.write(kept)


def update_body(schema: Schema, current: Record, values: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """The body that changes a record: the changed keys alone (PATCH), or the record as it shall be (PUT)."""
    if schema.kind.update == "PATCH":
        return schema.write(values)
    if schema.kind.has_own_fields:
        return _with_the_rest(schema, current, values)
    # A definition carries what it has; other records lose what is not sent, so everything is sent.
    is_kept = schema.kind.defines_fields
    empty = {} if is_kept else {key: type_of(field).empty for key, field in schema.fields.items()}
    kept = _as_it_is(schema, current, values)
    return _whole(schema, {**empty, **kept, **values}, current.flat) | dict(extra)


def _without_whole_days(kind: Kind, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Whole days are what every instance makes of a record without times, so nothing is sent of them."""
    hours = kind.hours
    if hours is None or values.get(hours.whole_days) is False:
        return values
    return {key: value for key, value in values.items() if key not in hours.keys}


def _as_it_is(schema: Schema, current: Record, values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that a PUT carries along. Times that it leaves out stay, so they are sent together or not at all."""
    kept = schema.read(current.flat)
    hours = schema.kind.hours
    if hours is None:
        return kept
    dropped: tuple[str, ...] = ()
    if values.get(hours.whole_days):
        dropped = hours.times
    elif not any(key in values for key in hours.keys):
        dropped = hours.keys
    return {key: value for key, value in kept.items() if key not in dropped}


def _with_the_rest(schema: Schema, current: Record, values: Mapping[str, Any]) -> dict[str, Any]:
    """A record with fields of its own as it shall be: what is not there any more is emptied by leaving it out."""
    prefix = schema.kind.key_prefix
    writable = {key for key, field in schema.fields.items() if type_of(field).writable}
    kept = {key: value for key, value in schema.read(current.flat).items() if key in writable}
    body = schema.write({key: value for key, value in {**kept, **values}.items() if value not in EMPTY})
    known = {field.wire_key for field in schema.fields.values()}
    others = {key: value for key, value in current.flat.items() if key.startswith(prefix) and key not in known}
    return {**others, **body}


def _whole(schema: Schema, values: Mapping[str, Any], flat: Mapping[str, Any]) -> dict[str, Any]:
    """The whole record as the service takes it. A field that has a call of its own is no part of it."""
    kind = schema.kind
    written = schema.write({key: value for key, value in values.items() if key in schema.fields})
    if kind.defines_fields:
        return _definition(written, flat)
    body = {**written, **{key: "" for key in kind.texts_without_null if written.get(key) is None}}
    omitted = {*kind.cleared_by_leaving_out, *kind.kept_by_leaving_out}
    return {
        key: value for key, value in body.items() if key != kind.status_key and not (value is None and key in omitted)
    }


def _definition(written: dict[str, Any], flat: Mapping[str, Any]) -> dict[str, Any]:
    # Members of the definition that are not known here are carried along unchanged.
    kept = {key: value for key, value in flat.items() if key not in ("type", "constraints")}
    body = {key: value for key, value in written.items() if key not in ("type", "constraints", "field_key")}
    field_type = {**(flat.get("field_type") or {}), "name": written["type"], "constraints": written["constraints"]}
    return {**kept, **body, "field_type": field_type}
