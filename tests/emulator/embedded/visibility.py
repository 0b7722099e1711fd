# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide who sees which records: the access of a user may be limited to locations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .selection import Where

if TYPE_CHECKING:
    from .context import Context

_ALLOWED = (
    "actual_room IS NULL OR actual_room IN (SELECT room.id FROM room JOIN location ON location.id = room.building_id"
    " WHERE location.uuid IN (SELECT value FROM json_each(?)))"
)


# The records about objects: the object column that they refer to, and their references.
_ABOUT = {
    "task": ("uuid", "SELECT uuid AS referred FROM task_reference WHERE task_id = task.id"),
    "rental_case": ("uuid", "SELECT uuid AS referred FROM rental_reference WHERE rental_id = rental_case.id"),
    "hub_item": ("id", "SELECT hub_item.asset_id AS referred"),
}


def listed(context: Context, table: str) -> Where:
    """Return the records of a table that lists and counts show the caller.

    The listed objects are those in allowed rooms and those without a room. On instances that hide objects everywhere,
    records that are only about hidden objects are left out, too.
    """
    where, locations = Where(), context.user.locations
    if locations is not None and table == "asset":
        where.add(_ALLOWED, json.dumps(sorted(locations)))
    elif locations is not None and table in _ABOUT and context.weather["hidden_objects"] == "nowhere":
        column, references = _ABOUT[table]
        hidden = f"SELECT {column} FROM asset WHERE NOT ({_ALLOWED})"
        where.add(
            f"NOT EXISTS ({references}) OR EXISTS (SELECT 1 FROM ({references}) WHERE referred NOT IN ({hidden}))",
            json.dumps(sorted(locations)),
        )
    return where


def readable(context: Context, table: str) -> Where:
    """Return the records of a table that the caller can read and write individually."""
    return Where() if context.weather["hidden_objects"] == "readable" else listed(context, table)
