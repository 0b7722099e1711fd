# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The history of a record, newest first. Every write adds an event (later endpoints)."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ..dates import iso
from ..messages import Answer, not_found
from ..router import Route
from ..selection import Page
from ..visibility import readable

if TYPE_CHECKING:
    from ..context import Context

TABLES = """
CREATE TABLE history (
  id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, uuid TEXT NOT NULL, type TEXT NOT NULL,
  about TEXT NOT NULL, user_uuid TEXT NOT NULL, occurred_at TEXT NOT NULL, event_name TEXT NOT NULL,
  description TEXT NOT NULL, details TEXT NOT NULL);
CREATE INDEX history_record ON history (kind, uuid, id);
"""

# Kind of record: its path, the parameter in it, the key of the uuid in an entry, the right and the module to read it.
_PATHS = {
    "asset": ("/object/{objectUuid}", "objectUuid", "asset_uuid", "objects:read", None),
    "room": ("/room/{roomUuid}", "roomUuid", "room_uuid", "rooms:read", None),
    "location": ("/location/{locationUuid}", "locationUuid", "location_uuid", "locations:read", None),
    "person": ("/person/{personUuid}", "personUuid", "person_uuid", "persons:read", None),
    "task": ("/task-management/task/{taskUuid}", "taskUuid", "task_uuid", "tasks:read", None),
    "rental_case": (
        "/rental-management/rental-case/{rentalCaseUuid}",
        "rentalCaseUuid",
        "rental_case_uuid",
        "rental_cases:read",
        "rental",
    ),
}


def record_event(
    context: Context, kind: str, uuid: str, event_name: str, description: str, details: dict[str, Any] | None = None
) -> None:
    """Note an event in the history of its record."""
    _note(context, (kind, uuid), (kind, uuid), event_name, description, details)


def record_for_objects(
    context: Context, objects: Iterable[str], kind: str, uuid: str, event_name: str, description: str
) -> None:
    """Note an event of a task or a rental case in the histories of the objects that it refers to."""
    for asset in objects:
        _note(context, ("asset", asset), (kind, uuid), event_name, description, None)


def _note(
    context: Context,
    record: tuple[str, str],
    about: tuple[str, str],
    event_name: str,
    description: str,
    details: dict[str, Any] | None,
) -> None:
    context.store.insert(
        "history",
        {
            "kind": record[0],
            "uuid": record[1],
            "type": about[0],
            "about": about[1],
            "user_uuid": context.user.uuid,
            "occurred_at": context.now,
            "event_name": event_name,
            "description": description,
            "details": json.dumps(details, ensure_ascii=False) if details else "",
        },
    )


def _reader(kind: str, parameter: str, uuid_key: str) -> Callable[[Context], Answer]:
    def handler(context: Context) -> Answer:
        uuid = context.uuid(parameter)
        readable_rows = readable(context, kind)
        readable_rows.add("uuid = ?", uuid)
        if context.store.value(f"SELECT 1 FROM {kind} WHERE {readable_rows.sql}", readable_rows.parameters) is None:
            raise not_found(f"There is no {kind} {uuid}")
        return _history(context, kind, uuid, uuid_key)

    return handler


def _history(context: Context, kind: str, uuid: str, uuid_key: str) -> Answer:
    page, per_page = context.parameters["page"], context.per_page
    total = context.store.value("SELECT count(*) FROM history WHERE kind = ? AND uuid = ?", (kind, uuid))
    last = max(1, math.ceil(total / per_page))
    if page > last and context.weather["history_beyond_end"] == "clamp":
        page = last
    rows = context.store.rows(
        "SELECT * FROM history WHERE kind = ? AND uuid = ? ORDER BY id DESC LIMIT ? OFFSET ?",
        (kind, uuid, per_page, (page - 1) * per_page),
    )
    items = [_entry(row, kind, uuid_key) for row in rows]
    return context.envelope(items, Page(rows, page, per_page, total))


def _entry(row: Any, kind: str, uuid_key: str) -> dict[str, Any]:
    entry = {uuid_key: row["uuid"]}
    if kind == "asset":
        # The entries of an object differ by type: its own, and those of the tasks and rental cases about it.
        entry = {"type": row["type"], **entry}
        if row["type"] != "asset":
            entry[f"{row['type']}_uuid"] = row["about"]
    return {
        **entry,
        "user_uuid": row["user_uuid"],
        "occurred_at": iso(row["occurred_at"]),
        "event_name": row["event_name"],
        "description": row["description"],
        "details": row["details"],
    }


ROUTES = tuple(
    Route("GET", f"{path}/history", _reader(kind, parameter, uuid_key), right, module=module, later=True)
    for kind, (path, parameter, uuid_key, right, module) in _PATHS.items()
)
