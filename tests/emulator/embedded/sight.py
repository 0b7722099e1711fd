# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides who sees which records: the access of a user may be limited to locations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .selection import Where

if TYPE_CHECKING:
    from .context import Context

_ROOM = "actual_room"
_IN_ALLOWED_ROOM = (
    f"{_ROOM} IS NULL OR {_ROOM} IN (SELECT room.id FROM room JOIN location ON location.id = room.building_id"
    " WHERE location.uuid IN (SELECT value FROM json_each(?)))"
)


def visible(context: Context, table: str) -> Where:
    """The records of a table that the caller sees: of objects those in allowed rooms and in none, of everything else
    all.
    """
    where = Where()
    if table == "asset" and context.user.locations is not None:
        where.add(_IN_ALLOWED_ROOM, json.dumps(sorted(context.user.locations)))
    return where
