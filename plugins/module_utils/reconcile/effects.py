# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check that a write had an effect.

A service may accept a change and not execute it: then the record still has its old values, and every run would change
it again.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..client.client import Client
from ..client.record import Record
from ..model.schema import Schema
from ..plan.change import ARCHIVE, CREATE, DELETE, Change

#: The type of a field that the user names and that no definition has. If its value was not kept, a warning says so.
_ANY = "ANY"


def without_effect(client: Client, schema: Schema, change: Change, now: Record | None) -> str:
    """Return the fields that a change left unchanged, in words; empty if the change had an effect.

    A value that is neither the old nor the new value counts as an effect.

    :param now: the record after the change; None if it does not exist.
    """
    if now is None:
        return "" if change.action == DELETE else "does not exist"
    if change.action == DELETE:
        return "still exists"
    if change.action == ARCHIVE or change.unarchive:
        is_archived = client.is_archived(now)
        if is_archived != (change.action == ARCHIVE):
            return "is still archived" if is_archived else "is still active"
    return still_has(unchanged_fields(schema, change, now))


def unchanged_fields(schema: Schema, change: Change, now: Record) -> list[str]:
    """Return the fields that a change left as they were."""
    still = sorted(key for key in change.values if _is_as_before(schema, change, now, key))
    return [key for key in still if key == schema.kind.status_key] if change.action == CREATE else still


def still_has(keys: Sequence[str]) -> str:
    """Return the message that fields still have their old values; empty if there are none."""
    return f"still has its old value of {', '.join(keys)}" if keys else ""


def _is_as_before(schema: Schema, change: Change, now: Record, key: str) -> bool:
    field = schema.fields[key]
    if field.type == _ANY or field.retyped:
        return False
    if change.current is None:
        return key == schema.kind.status_key and now.flat.get(key) == schema.kind.open_status != change.values[key]
    if field.wire_key not in now.flat and not schema.kind.key_prefix:
        # A role may hide the field, and an empty field may be omitted. The check of hidden fields decides.
        return False
    before = schema.read_field(key, change.current.flat)
    return not schema.equal(key, before, change.values[key]) and schema.equal(
        key, before, schema.read_field(key, now.flat)
    )
