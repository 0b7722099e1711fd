# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rental cases: loans of objects to a renter (interface 2.4, 3.2, 4.6)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..context import Context, new_uuid
from ..fieldtypes import BOOLEAN, DATE, NUMBER, STAMP, TEXT, TYPES, is_uuid
from ..messages import Answer, Refusal, answer_json, bad_request, no_content, not_found
from ..router import Route
from ..templates import Column
from ..visibility import listed, readable
from . import rental_times
from .files import check_attachments
from .histories import record_event, record_for_objects
from .mails import forget_reminders, remind_of_rental_case
from .tasks import referenced, references
from .users import display_name

TABLES = """
CREATE TABLE rental_case (
  id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE, status TEXT NOT NULL, title TEXT NOT NULL,
  issue_date TEXT NOT NULL, due_date TEXT NOT NULL, responsible_user_uuid TEXT NOT NULL, comment TEXT, renter TEXT,
  body TEXT NOT NULL, author TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
  is_full_day INTEGER NOT NULL, issue_at TEXT, due_at TEXT);
CREATE TABLE rental_reference (rental_id INTEGER NOT NULL, uuid TEXT NOT NULL, PRIMARY KEY (rental_id, uuid));
CREATE INDEX rental_reference_uuid ON rental_reference (uuid);
"""

_REMINDERS = ("issue_date_reminder", "due_date_reminder")
# The status that follows from a day that has passed, and the day that decides.
_OVERDUE = {"borrowed": ("return_overdue", "due_date"), "confirmed": ("pickup_overdue", "issue_date")}

_COLUMNS: Mapping[str, Column] = {
    column.key: column
    for column in (
        Column("id", NUMBER, "id"),
        *(Column(key, TEXT, key) for key in ("uuid", "status", "title", "responsible_user_uuid", "comment", "author")),
        *(Column(key, DATE, key) for key in ("issue_date", "due_date")),
        *(Column(key, STAMP, key) for key in ("created_at", "updated_at")),
        Column("renter", TEXT, "json_extract(renter, '$.value')"),
        *(Column(key, TEXT, f"json_extract(body, '$.{key}')") for key in _REMINDERS),
        Column("attachments", TYPES["ATTACHMENT"], "json_extract(body, '$.attachments')"),
        Column(
            "references", TEXT, "(SELECT group_concat(uuid) FROM rental_reference WHERE rental_id = rental_case.id)"
        ),
    )
}


_COLUMNS_OF_HOURS: Mapping[str, Column] = {
    "is_full_day": Column("is_full_day", BOOLEAN, "is_full_day"),
    **{key: Column(key, TYPES["DATETIME"], key) for key in rental_times.TIMES},
}


def shown(context: Context, rows: Sequence[Any]) -> list[dict[str, Any]]:
    bodies = [json.loads(row["body"]) for row in rows]
    named = context.view.assets_named(reference["uuid"] for body in bodies for reference in body["references"])
    return [_shown(context, row, body, named) for row, body in zip(rows, bodies, strict=True)]


def _shown(context: Context, row: Any, body: dict[str, Any], named: Mapping[str, tuple[int, str]]) -> dict[str, Any]:
    rental = {
        "uuid": row["uuid"],
        "status": _status(context, row),
        "title": row["title"],
        "references": [_reference(context, reference, named) for reference in body["references"]],
        "issue_date": rental_times.shown_day(context, row, body, "issue_date"),
        "issue_date_reminder": body["issue_date_reminder"],
        "due_date": rental_times.shown_day(context, row, body, "due_date"),
        "due_date_reminder": body["due_date_reminder"],
        "responsible_user_uuid": row["responsible_user_uuid"],
        "renter": _renter(context, row),
        "comment": row["comment"],
        "attachments": context.view.file_objects(body["attachments"]),
    }
    rental.update(rental_times.shown_hours(context, row))
    if context.weather["rental_stamps"] == "given":
        rental.update(author=row["author"], created_at=row["created_at"], updated_at=row["updated_at"])
    return rental


def _status(context: Context, row: Any) -> str:
    late = _OVERDUE.get(row["status"])
    if late is not None and context.weather["rental_overdue"] == "move":
        status, day = late
        return status if rental_times.has_passed(context, row, day) else str(row["status"])
    return str(row["status"])


def _reference(context: Context, stored: dict[str, Any], named: Mapping[str, tuple[int, str]]) -> dict[str, Any]:
    reference = {"type": stored["type"], "uuid": stored["uuid"]}
    if stored["uuid"] in named and context.weather["rental_references"] == "full":
        reference["id"], reference["name"] = named[stored["uuid"]]
    return reference


def _renter(context: Context, row: Any) -> Any:
    renter = json.loads(row["renter"]) if row["renter"] else None
    if renter is None or context.weather["rental_renter_read"] == "object":
        return renter
    user = (
        context.store.row("SELECT * FROM user WHERE uuid = ?", (renter["value"],)) if renter["type"] == "user" else None
    )
    return renter["value"] if user is None else display_name(user)


def list_rental_cases(context: Context) -> Answer:
    columns = {**_COLUMNS, **(_COLUMNS_OF_HOURS if context.weather["rental_hours"] == "present" else {})}
    page = context.page(columns, select="*", source="rental_case", where=listed(context, "rental_case"))
    return context.listing(shown(context, page.rows), page)


def read_rental_case(context: Context) -> Answer:
    return answer_json(shown(context, [_find(context)])[0])


def create_rental_case(context: Context) -> Answer:
    uuid = insert(context, context.body)
    return context.created(f"/rental-management/rental-case/{uuid}", uuid=uuid)


def insert(context: Context, body: Mapping[str, Any], *, uuid: str | None = None) -> str:
    values = _columns(context, body, None)
    uuid = uuid or new_uuid()
    rental_id = context.store.insert(
        "rental_case", {"uuid": uuid, "author": context.user.uuid, "created_at": context.now, **values}
    )
    _written(context, rental_id, uuid, body, values, "created")
    return uuid


def replace_rental_case(context: Context) -> Answer:
    row = _find(context)
    values = _columns(context, context.body, row)
    context.store.update("rental_case", row["id"], values)
    _written(context, row["id"], row["uuid"], context.body, values, "updated")
    return no_content()


def delete_rental_case(context: Context) -> Answer:
    row = _find(context)
    uuids = referenced(row)
    context.store.run("DELETE FROM rental_case WHERE id = ?", (row["id"],))
    context.store.run("DELETE FROM rental_reference WHERE rental_id = ?", (row["id"],))
    forget_reminders(context, row["uuid"])
    record_for_objects(context, uuids, "rental_case", row["uuid"], "deleted", "A rental case was deleted")
    return no_content()


def _find(context: Context) -> Any:
    uuid = context.uuid("rentalCaseUuid")
    readable_rows = readable(context, "rental_case")
    readable_rows.add("uuid = ?", uuid)
    row = context.store.row(f"SELECT * FROM rental_case WHERE {readable_rows.sql}", readable_rows.parameters)
    if row is None:
        raise not_found(f"There is no rental case {uuid}")
    return row


def _columns(context: Context, body: Mapping[str, Any], old: Any) -> dict[str, Any]:
    """Return the columns for a written rental case; ``old`` is the row that it replaces."""
    if "renter" not in body and context.weather["rental_missing_renter"] == "error":
        raise Refusal(500, "Internal server error")
    if "comment" not in body and context.weather["rental_missing_comment"] == "refuse":
        raise bad_request("Body does not match schema: 'comment' is a required property")
    kept = json.loads(old["body"]) if old is not None and context.weather["rental_omitted_reminder"] == "keep" else {}
    renter = _written_renter(context, body.get("renter"))
    times = rental_times.written(body, old)
    status = _written_status(context, body, old)
    objects = references(context, body["references"], old)
    if context.weather["rental_overlap"] == "refuse" and status not in rental_times.OVER:
        rental_times.check_overlap(context, times, [reference["uuid"] for reference in objects], old)
    return {
        "status": status,
        "title": body["title"],
        **times,
        "responsible_user_uuid": _user(context, body["responsible_user_uuid"]),
        "comment": body.get("comment"),
        "renter": None if renter is None else json.dumps(renter, ensure_ascii=False),
        "body": json.dumps(
            {
                "references": objects,
                "day_times": rental_times.day_times(body),
                "attachments": check_attachments(context, body["attachments"]),
                **{name: body[name] if name in body else kept.get(name) for name in _REMINDERS},
            }
        ),
        "updated_at": context.now,
    }


def _written_status(context: Context, body: Mapping[str, Any], old: Any) -> str:
    status: str | None = body.get("status")
    current = None if old is None else _status(context, old)
    if status is None:
        kept = old is not None and context.weather["rental_missing_status"] == "keep"
        return str(old["status"]) if kept else "requested"
    if status.endswith("_overdue") and status != current and context.weather["rental_overdue_status"] == "refuse":
        raise bad_request(f"The status {status} is set by the service alone")
    return status


def _written_renter(context: Context, renter: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if renter is None:
        return None
    value = renter["value"]
    if renter["type"] == "user":
        if not is_uuid(value):
            raise bad_request("Body does not match schema: a renter of type user is given by uuid")
        value = _user(context, value)
    return {"type": renter["type"], "value": value}


def _user(context: Context, uuid: str) -> str:
    if context.links.find("user", uuid) is None:
        raise bad_request(f"There is no user {uuid}")
    return uuid.lower()


def _written(
    context: Context, rental_id: int, uuid: str, body: Mapping[str, Any], values: Mapping[str, Any], event: str
) -> None:
    uuids = [reference["uuid"] for reference in json.loads(values["body"])["references"]]
    context.store.run("DELETE FROM rental_reference WHERE rental_id = ?", (rental_id,))
    for mentioned in uuids:
        context.store.insert("rental_reference", {"rental_id": rental_id, "uuid": mentioned})
    remind_of_rental_case(context, context.store.row("SELECT * FROM rental_case WHERE id = ?", (rental_id,)))
    record_event(context, "rental_case", uuid, event, f"The rental case was {event}", dict(body))
    record_for_objects(context, uuids, "rental_case", uuid, event, f"A rental case was {event}")


_CASE = "/rental-management/rental-case/{rentalCaseUuid}"
ROUTES = tuple(
    Route(method, path, handler, f"rental_cases:{'read' if method == 'GET' else 'write'}", module="rental")
    for method, path, handler in (
        ("GET", "/rental-management/rental-cases", list_rental_cases),
        ("POST", "/rental-management/rental-case", create_rental_case),
        ("GET", _CASE, read_rental_case),
        ("PUT", _CASE, replace_rental_case),
        ("DELETE", _CASE, delete_rental_case),
    )
)
