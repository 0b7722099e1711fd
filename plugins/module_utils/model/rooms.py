# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields that link to a room, and the fields that the service couples to them: a room is in one location."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from .field import EMPTY, Field, shorten
from .schema import Schema

TO_ROOM, TO_LOCATION = "LINKED_ROOM", "LINKED_LOCATION"
#: The words that the key of a location field has in place of ``room`` in the key of its room field.
_WORDS = ("building", "location")


def coupled_locations(schema: Schema, room: Field) -> Iterator[Field]:
    """Yield the location fields that belong to a room field: ``actual_building`` belongs to ``actual_room``.

    Only keys decide that, because people choose the labels.
    """
    keys = {room.key.replace("room", word) for word in _WORDS if "room" in room.key}
    for field in schema.fields.values():
        if field.type == TO_LOCATION and field.key in keys:
            yield field


def locations_of_rooms(schema: Schema) -> dict[str, str]:
    """Return the key of each location field that belongs to a room, with the key of the room field."""
    rooms = [field for field in schema.fields.values() if field.type == TO_ROOM]
    return {location.key: room.key for room in rooms for location in coupled_locations(schema, room)}


def not_of_room(room: str, written: Any, actual: Any) -> str:
    """Return what is wrong with a location beside a room of another location.

    :param room: the field of the room. :param written: the room as it was written. :param actual: its location.
    """
    return (
        f"is not the location of the room beside it: {room} {shorten(written)} is in {shorten(actual)}; "
        f"write the room alone, or the location that it is in"
    )


#: Where locations are left out. A table has a cell for each of its columns, so it leaves out whole columns or none.
RECORDS, COLUMNS, NOWHERE = "records", "columns", ""


def implied_locations(
    schema: Schema,
    fields: Iterable[Field],
    records: Mapping[str, Mapping[str, Any]],
    where: str,
    is_location_of: Callable[[Any, Any], bool],
) -> dict[str, set[str]]:
    """Return the locations that each record does not need, because they follow from its rooms.

    :param fields: those that are written. :param records: uuid to canonical values.
    """
    keys = {field.key for field in fields if not field.mandatory}
    implied: dict[str, set[str]] = {uuid: set() for uuid in records}
    for location, room in locations_of_rooms(schema).items() if where else ():
        if not {location, room} <= keys:
            continue
        filled = [uuid for uuid, values in records.items() if values.get(location) not in EMPTY]
        found = [uuid for uuid in filled if is_location_of(records[uuid].get(room), records[uuid][location])]
        if where == COLUMNS:
            found = list(records) if found and len(found) == len(filled) else []
        for uuid in found:
            implied[uuid].add(location)
    return implied
