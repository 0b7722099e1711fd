# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bodies that create or change a record (section 4 of the interface).

If the service replaces the whole record (PUT), the body carries every existing field, and the changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..client.record import Record
from ..model.field import EMPTY
from ..model.kinds import Kind
from ..model.schema import Schema, type_of
from ..plan.replacing import carried_along, check_carried


def create_body(schema: Schema, values: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body that creates a record.

    :param values: canonical values by field key. Empty values are omitted unless the service requires them or would
        fill in something else.
    :param extra: members that are only written and never answered (notify).
    """
    kind = schema.kind
    if kind.update == "PUT" and not kind.has_own_fields:
        values = _without_whole_days(kind, values)
        complete = {key: values.get(key, type_of(field).empty) for key, field in schema.fields.items()}
        written = _definition(schema.write(complete), {}) if kind.defines_fields else _whole(schema, complete)
        return written | dict(extra)
    kept = {key: value for key, value in values.items() if value not in EMPTY or schema.fields[key].has_default}
    return schema.write(kept)


def update_body(schema: Schema, current: Record, values: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body that changes a record: only the changed keys (PATCH), or the whole new record (PUT).

    :raises InvalidInput: if a PUT would lose something of the record.
    """
    if schema.kind.update == "PATCH":
        return schema.write(values)
    check_carried(schema, current, values, ())
    if schema.kind.defines_fields:
        return _definition(schema.write(values), current.flat) | dict(extra)
    kept = carried_along(schema, current, values)
    if schema.kind.has_own_fields:
        return _with_the_rest(schema, current, {**kept, **values})
    return _whole(schema, {**kept, **values}) | dict(extra)


def _without_whole_days(kind: Kind, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Leave out whole days: every instance assumes them for a record without times."""
    hours = kind.hours
    if hours is None or values.get(hours.whole_days) is False:
        return values
    return {key: value for key, value in values.items() if key not in hours.keys}


def _with_the_rest(schema: Schema, current: Record, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the whole new record for a kind with its own fields. Empty fields are omitted, which clears them."""
    prefix = schema.kind.key_prefix
    writable = {key for key, field in schema.fields.items() if type_of(field).writable}
    body = schema.write({key: value for key, value in values.items() if key in writable and value not in EMPTY})
    known = {schema.fields[key].wire_key for key in writable}
    others = {key: value for key, value in current.flat.items() if key.startswith(prefix) and key not in known}
    return {**others, **body}


def _whole(schema: Schema, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the whole record in the form that the service accepts, without a field that has a request of its own."""
    kind = schema.kind
    written = schema.write({key: value for key, value in values.items() if key in schema.fields})
    body = {**written, **{key: "" for key in kind.texts_without_null if key in written and written[key] is None}}
    omitted = {*kind.cleared_by_leaving_out, *kind.kept_by_leaving_out}
    return {
        key: value for key, value in body.items() if key != kind.status_key and not (value is None and key in omitted)
    }


def _definition(written: Mapping[str, Any], flat: Mapping[str, Any]) -> dict[str, Any]:
    """Return a definition with the written members. All other members are sent back as received."""
    kept = {key: value for key, value in flat.items() if key not in ("type", "constraints")}
    body = {key: value for key, value in written.items() if key not in ("type", "constraints", "field_key")}
    parts = {
        member: written[key] for key, member in (("type", "name"), ("constraints", "constraints")) if key in written
    }
    field_type = flat.get("field_type")
    return {**kept, **body, "field_type": {**(field_type if isinstance(field_type, Mapping) else {}), **parts}}
