# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The e-mails that would have been sent since the start: notices, and reminders with their day."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..dates import before
from ..store import Store

if TYPE_CHECKING:
    from ..context import Context
    from ..templates import Template

TABLES = """
CREATE TABLE mail (
  id INTEGER PRIMARY KEY AUTOINCREMENT, cause TEXT NOT NULL, record TEXT NOT NULL, kind TEXT NOT NULL, recipient TEXT,
  day TEXT, subject TEXT NOT NULL, about TEXT NOT NULL);
CREATE INDEX mail_record ON mail (record);
"""

_NOTICE, _REMINDER = "notice", "reminder"


def record_notice(context: Context, kind: str, recipient: str | None, subject: str, **about: Any) -> None:
    """Note an e-mail that is sent today."""
    _insert(context, _NOTICE, "", kind, recipient, context.now[:10], subject, about)


def remind_of_task(context: Context, task: Any) -> None:
    """Replace the reminders of a task. A closed task has none."""
    reminders = json.loads(task["body"])["reminders"] if task["status"] == "open" else []
    recipient = _email(context, task["assignee"])
    forget_reminders(context, task["uuid"])
    for interval in reminders:
        day = before(task["deadline"], interval)
        _remind(context, "task_reminder", recipient, day, task["title"], task=task["uuid"], deadline=task["deadline"])


def remind_of_rental_case(context: Context, case: Any) -> None:
    """Replace the reminders of a rental case. A completed case has none."""
    body = json.loads(case["body"])
    recipient = _email(context, case["responsible_user_uuid"])
    forget_reminders(context, case["uuid"])
    if case["status"] in ("completed", "rejected"):
        return
    for key in ("issue_date", "due_date"):
        interval = body[f"{key}_reminder"]
        if interval is not None:
            about = {"rental_case": case["uuid"], key: case[key]}
            _remind(context, f"rental_{key}_reminder", recipient, before(case[key], interval), case["title"], **about)


def remind_of_fields(context: Context, template: Template, uuid: str, values: Mapping[str, Any]) -> None:
    """Note the reminders of REMINDER fields, each for its own day. The interface does not specify the recipient."""
    for key, value in values.items():
        definition = template.definitions.get(key)
        if definition is None or definition.type.name != "REMINDER":
            continue
        forget_reminders(context, f"{uuid} {key}")
        if value:
            about = {template.kind.singular: uuid, "field_key": key}
            subject = str(definition.body["label"])
            _insert(context, _REMINDER, f"{uuid} {key}", "field_reminder", None, value, subject, about)


def forget_reminders(context: Context, record: str) -> None:
    """Remove the reminders of a deleted or changed record."""
    context.store.run("DELETE FROM mail WHERE cause = ? AND record = ?", (_REMINDER, record))


def all_mails(store: Store) -> list[dict[str, Any]]:
    return [
        {
            "kind": row["kind"],
            "to": row["recipient"],
            "day": row["day"],
            "subject": row["subject"],
            **json.loads(row["about"]),
        }
        for row in store.rows("SELECT * FROM mail ORDER BY id")
    ]


def _remind(context: Context, kind: str, recipient: str | None, day: str | None, subject: str, **about: Any) -> None:
    record = about.get("task") or about.get("rental_case") or ""
    _insert(context, _REMINDER, record, kind, recipient, day, subject, about)


def _insert(
    context: Context,
    cause: str,
    record: str,
    kind: str,
    recipient: str | None,
    day: str | None,
    subject: str,
    about: Mapping[str, Any],
) -> None:
    context.store.insert(
        "mail",
        {
            "cause": cause,
            "record": record,
            "kind": kind,
            "recipient": recipient,
            "day": day,
            "subject": subject,
            "about": json.dumps(about),
        },
    )


def _email(context: Context, uuid: str) -> str | None:
    email: str | None = context.store.value("SELECT email FROM user WHERE uuid = ?", (uuid,))
    return email
