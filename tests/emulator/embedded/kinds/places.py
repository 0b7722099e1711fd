# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where objects are and where they belong: rooms and their locations.

The help pages of the product say that updating a room always updates the location as well. Everything else here is
inferred:

- If a request writes a room and another location, the room decides.
- If a request empties a room, the location is emptied too, unless the request writes one.
- If a request writes only a location and the room is elsewhere, the room is emptied.
- If a room gets another location, its objects follow.

The history of the object shows the first and the third case as the event ``location_coupled``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..store import quoted
from ..templates import Template

if TYPE_CHECKING:
    from ..context import Context

_PAIRS = (("target_room", "target_building"), ("actual_room", "actual_building"))


def _pairs(context: Context, template: Template) -> Iterator[tuple[str, str]]:
    """Yield the keys of a room and its location if this instance couples them."""
    if template.name == "asset" and context.weather["room_location"] == "coupled":
        for pair in _PAIRS:
            types = [template.definitions[key].type.name for key in pair if key in template.definitions]
            if types == ["LINKED_ROOM", "LINKED_LOCATION"]:
                yield pair


def couple(context: Context, template: Template, values: dict[str, Any], row: Mapping[str, Any] | None = None) -> str:
    """Complete the columns of an object, so that each location is that of its room.

    :param values: the columns to write. :param row: the object as it is; None for a new one.
    :returns: the values that differ from the request, for the history; empty if there are none.
    """
    notes = []
    for room, location in _pairs(context, template):
        if values.get(room) is not None:
            implied = _location_of(context, values[room])
            if implied is not None:
                if values.get(location) not in (None, implied):
                    notes.append(f"{location} is that of {room}, not the one that was written")
                values[location] = implied
        elif room in values:
            values.setdefault(location, None)
        elif location in values and row is not None and row[room] is not None:
            implied = _location_of(context, row[room])
            if implied is not None and implied != values[location]:
                values[room] = None
                notes.append(f"{room} was emptied: it is not in the new {location}")
    return "; ".join(notes)


def move_objects(context: Context, room_id: int, location_id: int | None) -> None:
    """Move the objects of a room to its new location."""
    for room, location in _pairs(context, context.templates["asset"]):
        context.store.run(f"UPDATE asset SET {quoted(location)} = ? WHERE {quoted(room)} = ?", (location_id, room_id))


def _location_of(context: Context, room_id: int) -> int | None:
    found: int | None = context.store.value("SELECT building_id FROM room WHERE id = ?", (room_id,))
    return found
