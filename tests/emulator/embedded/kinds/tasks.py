# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks: reminders with a deadline, an assignee and referenced objects (interface 2.3, 3.1, 4.5)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..context import Context, new_uuid
from ..messages import Answer, answer_json, bad_request, no_content, not_found
from ..router import Route
from ..visibility import listed, readable
from .files import check_attachments
from .histories import record_event, record_for_objects
from .mails import forget_reminders, record_notice, remind_of_task

TABLES = """
CREATE TABLE task (
  id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE, slug TEXT NOT NULL, status TEXT NOT NULL,
  author TEXT NOT NULL, title TEXT NOT NULL, deadline TEXT NOT NULL, assignee TEXT NOT NULL, body TEXT NOT NULL);
CREATE INDEX task_deadline ON task (deadline);
CREATE TABLE task_reference (task_id INTEGER NOT NULL, uuid TEXT NOT NULL, PRIMARY KEY (task_id, uuid));
CREATE INDEX task_reference_uuid ON task_reference (uuid);
"""

# The query parameters of the list, each with its SQL condition.
_FILTERS = {
    "status": "status = ?",
    "deadline_from": "deadline >= ?",
    "deadline_to": "deadline <= ?",
    "assignee": "assignee = lower(?)",
    "author": "author = lower(?)",
}
_PER_PAGE = 2
_IN_DOUBT = ("deadline_from", "deadline_to")


def shown(context: Context, rows: Sequence[Any]) -> list[dict[str, Any]]:
    bodies = [json.loads(row["body"]) for row in rows]
    named = context.view.assets_named(reference["uuid"] for body in bodies for reference in body["references"])
    return [_shown(context, row, body, named) for row, body in zip(rows, bodies, strict=True)]


def _shown(context: Context, row: Any, body: dict[str, Any], named: Mapping[str, tuple[int, str]]) -> dict[str, Any]:
    task = {
        "uuid": row["uuid"],
        "status": row["status"],
        "author": row["author"],
        "title": row["title"],
        "comment": body["comment"],
        "deadline": row["deadline"],
        "reminders": body["reminders"],
        "recurring_schedule": body["recurring_schedule"],
        "assignees": [row["assignee"]],
        "references": [_reference(reference, named) for reference in body["references"]],
        "attachments": context.view.file_objects(body["attachments"]),
        "slug": row["slug"],
    }
    if context.weather["task_slug"] == "none":
        del task["slug"]
    if context.weather["task_stamps"] == "null":
        task.update(created_at=None, updated_at=None)
    return task


def _reference(reference: Mapping[str, Any], named: Mapping[str, tuple[int, str]]) -> dict[str, Any]:
    shown = {"type": reference["type"], "uuid": reference["uuid"], "status": reference["status"]}
    if reference["uuid"] in named:
        shown["id"], shown["name"] = named[reference["uuid"]]
    return shown


def list_tasks(context: Context) -> Answer:
    """List tasks, always in the same order."""
    where = listed(context, "task")
    for name, term in _FILTERS.items():
        value = context.parameters.get(name)
        if value is not None and not (name in _IN_DOUBT and context.weather["task_filters"] == "ignore"):
            where.add(term, value)
    if context.parameters.get("reference_type") is not None:
        where.add("id IN (SELECT task_id FROM task_reference)")
    rows = context.store.rows(f"SELECT * FROM task WHERE {where.sql} ORDER BY id LIMIT 10000", where.parameters)
    return context.unpaged(shown(context, rows), _PER_PAGE)


def read_task(context: Context) -> Answer:
    return answer_json(shown(context, [_find(context)])[0])


def create_task(context: Context) -> Answer:
    uuid = insert(context, context.body)
    return context.created(f"/task-management/task/{uuid}", uuid=uuid)


def insert(context: Context, body: Mapping[str, Any], *, uuid: str | None = None) -> str:
    values = _columns(context, body, None)
    uuid = uuid or new_uuid()
    number = 1 + (context.store.value("SELECT seq FROM sqlite_sequence WHERE name = 'task'") or 0)
    task_id = context.store.insert(
        "task",
        {"uuid": uuid, "slug": f"TASK-{number}", "status": "open", "author": context.user.uuid, **values},
    )
    _written(context, task_id, uuid, body, values, "created")
    return uuid


def replace_task(context: Context) -> Answer:
    row = _find(context)
    body = context.body
    if "uuid" in body and body["uuid"].lower() != row["uuid"]:
        raise bad_request("The uuid in the body is not the one in the path")
    values = _columns(context, body, row)
    context.store.update("task", row["id"], values)
    _written(context, row["id"], row["uuid"], body, values, "updated")
    return no_content()


def set_status(context: Context) -> Answer:
    row = _find(context)
    status = context.body["status"]
    context.store.update("task", row["id"], {"status": status})
    remind_of_task(context, {**row, "status": status})
    _note(
        context, row["uuid"], referenced(row), f"status {status}", f"The status was set to {status}", {"status": status}
    )
    return no_content()


def delete_task(context: Context) -> Answer:
    row = _find(context)
    context.store.run("DELETE FROM task WHERE id = ?", (row["id"],))
    context.store.run("DELETE FROM task_reference WHERE task_id = ?", (row["id"],))
    forget_reminders(context, row["uuid"])
    record_for_objects(context, referenced(row), "task", row["uuid"], "deleted", "A task was deleted")
    return no_content()


def _find(context: Context) -> Any:
    uuid = context.uuid("taskUuid")
    readable_rows = readable(context, "task")
    readable_rows.add("uuid = ?", uuid)
    row = context.store.row(f"SELECT * FROM task WHERE {readable_rows.sql}", readable_rows.parameters)
    if row is None:
        raise not_found(f"There is no task {uuid}")
    return row


def _columns(context: Context, body: Mapping[str, Any], old: Any) -> dict[str, Any]:
    """Return the columns for a written task; ``old`` is the row that it replaces."""
    kept = json.loads(old["body"]) if old is not None and context.weather["task_put_omitted"] == "keep" else {}
    if not body["references"] and context.weather["task_empty_references"] == "refuse":
        raise bad_request("References cannot be empty")
    assignee = body["assignees"][0].lower()
    if context.store.value("SELECT 1 FROM user WHERE uuid = ?", (assignee,)) is None:
        raise bad_request(f"There is no user {assignee}")
    attachments = body["attachments"] if "attachments" in body else kept.get("attachments", [])
    return {
        "title": body["title"],
        "deadline": body["deadline"],
        "assignee": assignee,
        "body": json.dumps(
            {
                "comment": body["comment"] if "comment" in body else kept.get("comment"),
                "reminders": body["reminders"] if "reminders" in body else kept.get("reminders", []),
                "recurring_schedule": body["recurring_schedule"],
                "references": references(context, body["references"], old, status="open"),
                "attachments": check_attachments(context, attachments),
                "notify": body.get("notify"),
            },
            ensure_ascii=False,
        ),
    }


def references(context: Context, written: Sequence[Mapping[str, Any]], old: Any, **extra: Any) -> list[dict[str, Any]]:
    """Return the written references to objects, each once, with their additional members.

    Raise Refusal if an object does not exist. References to deleted objects stay, so those of the old row may be
    written back.
    """
    kept = set() if old is None else set(referenced(old))
    found: dict[str, dict[str, Any]] = {}
    for reference in written:
        uuid = reference["uuid"].lower()
        if uuid not in kept and context.links.find("asset", uuid) is None:
            raise bad_request(f"There is no object {uuid}")
        found[uuid] = {
            "type": reference["type"],
            "uuid": uuid,
            **{key: reference.get(key, value) for key, value in extra.items()},
        }
    return list(found.values())


def _written(
    context: Context, task_id: int, uuid: str, body: Mapping[str, Any], values: Mapping[str, Any], event: str
) -> None:
    uuids = [reference["uuid"] for reference in json.loads(values["body"])["references"]]
    context.store.run("DELETE FROM task_reference WHERE task_id = ?", (task_id,))
    for referenced in uuids:
        context.store.insert("task_reference", {"task_id": task_id, "uuid": referenced})
    _note(context, uuid, uuids, event, f"The task was {event}", dict(body))
    remind_of_task(context, context.store.row("SELECT * FROM task WHERE id = ?", (task_id,)))
    if body.get("notify") or context.weather["task_notify"] == "always":
        email = context.store.value("SELECT email FROM user WHERE uuid = ?", (values["assignee"],))
        record_notice(context, "task_notice", email, values["title"], task=uuid)


def _note(
    context: Context, uuid: str, objects: Sequence[str], event: str, description: str, details: dict[str, Any]
) -> None:
    record_event(context, "task", uuid, event, description, details)
    record_for_objects(context, objects, "task", uuid, event, description.replace("The task", "A task"))


def referenced(row: Any) -> list[str]:
    """Return the uuids of the objects that the row of a task or a rental case refers to."""
    return [reference["uuid"] for reference in json.loads(row["body"])["references"]]


_TASK = "/task-management/task/{taskUuid}"
ROUTES = (
    Route("GET", "/task-management/tasks", list_tasks, "tasks:read"),
    Route("POST", "/task-management/task", create_task, "tasks:write"),
    Route("GET", _TASK, read_task, "tasks:read"),
    Route("PUT", _TASK, replace_task, "tasks:write"),
    Route("DELETE", _TASK, delete_task, "tasks:write"),
    Route("PUT", f"{_TASK}/status", set_status, "tasks:write"),
)
