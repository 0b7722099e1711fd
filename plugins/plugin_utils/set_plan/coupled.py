# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rooms and locations that an instance may change because of others in the same record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.kinds import ROOM
from ...module_utils.model.rooms import locations_of_rooms
from ...module_utils.model.schema import Schema
from ...module_utils.model.types_links import Reference
from ...module_utils.resolve import natural_keys
from .listed_state import ListedState


def following(
    state: ListedState, schema: Schema, desired: Mapping[str, Any], current: Record | None
) -> dict[str, tuple[str, Any]]:
    """Return the fields that the service may change although they are not written.

    The location follows a room that is written or moved. The room is emptied if another location is written.

    :param desired: canonical values with resolved references. :param current: the present record; None if it is new.
    :returns: field key to the key of the field that it follows, and its new value.
    """
    found: dict[str, tuple[str, Any]] = {}
    for location, room in locations_of_rooms(schema).items():
        have = {} if current is None else natural_keys.read_some(schema, (location, room), current)
        before, after = have.get(room), desired.get(room, have.get(room))
        if location not in desired and (room in desired or state.is_listed(ROOM)):
            record = state.find(before) if isinstance(before, Reference) else None
            old = None if record is None else state.parent_of(record)
            new = state.parent_to_be(after) if isinstance(after, Reference) else None
            if not is_same(old, new):
                found[location] = room, new
        elif location in desired and room not in desired and isinstance(before, Reference):
            written = desired[location]
            if not any(is_same(written, place) for place in (have[location], state.parent_to_be(before))):
                found[room] = location, None
    return found


def is_same(location: Reference | None, other: Reference | None) -> bool:
    """Return True unless two locations are known to differ. One of them may be still to be created."""
    if location is None or other is None:
        return location is other
    if location.pending is not None or other.pending is not None:
        return location.pending is other.pending
    return location.same(other) is not False
