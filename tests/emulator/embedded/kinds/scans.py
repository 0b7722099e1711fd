# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scans: people walk through a room with the application and scan what is in it.

The interface has no operation for it. So only the steering interface scans, and a PATCH of the actual room does not
change the scan fields (inferred).
"""

from __future__ import annotations

from typing import Any

from ..context import Context
from ..fieldtypes import is_uuid
from ..messages import bad_request
from . import records

_ROOMS = """
SELECT room.* FROM room LEFT JOIN location ON location.id = room.building_id
WHERE ? IN (location.name || '/' || room.number, location.name || '/' || room.name)
"""


def scan(context: Context, code: str, room: str) -> dict[str, Any]:
    """Scan an object in a room as the caller, and return the resulting values of the object.

    :param code: the scan code of the object. :param room: the uuid of the room, or ``Location/Number``.
    :raises Refusal: if the code or the room is unknown, or several rooms have the name.
    """
    template = context.templates["asset"]
    found = context.store.row("SELECT * FROM asset WHERE barcode = ? AND archived_at IS NULL", (code,))
    if found is None:
        raise bad_request(f"No object has the scan code {code!r}")
    place = _room(context, room)
    evidence = {
        "actual_room": place["id"],
        "actual_building": place["building_id"],
        "scan_time": context.now,
        "scanned_by_user_id": context.user.id,
        "inventory_time": context.now,
        "inventory_user": context.user.id,
    }
    values = {key: value for key, value in evidence.items() if key in template.definitions}
    records.write_columns(context, template, found, values)
    records.record_event(context, template.name, found["uuid"], "scanned", "The object was scanned", values)
    keys = [*values, *(definition.key for definition, _actual, _expected in template.comparisons)]
    shown = records.shown(context.view, template, [records.find(context, template, found["uuid"])])[0]
    return {"code": code, **{key: shown.get(key) for key in keys}}


def _room(context: Context, name: str) -> Any:
    rooms = (
        context.store.rows("SELECT * FROM room WHERE uuid = ?", (name.lower(),))
        if is_uuid(name)
        else context.store.rows(_ROOMS, (name,))
    )
    if len(rooms) != 1:
        raise bad_request(f"{len(rooms)} rooms are called {name!r}; expected one by its uuid or by Location/Number")
    return rooms[0]
