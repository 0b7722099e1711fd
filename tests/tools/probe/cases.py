# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later
"""Determine switches from records with fixed members: tasks, rental cases, users, orders."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS

from .evidence import Evidence
from .records import maps_in

Records = Sequence[Mapping[str, Any]]

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_PAST = 2
"""Number of days after which a date is past in every time zone."""

_MORE_KEYS: Mapping[str, tuple[str, ...]] = {
    "task": ("slug", "author", "created_at", "updated_at"),
    "rental_case": ("author", "created_at", "updated_at", "responsible_user_uuid"),
    "user": ("id",),
    "hub_item": ("category", "created_at", "updated_at", "order_id", "object_data", "permission"),
    "hub_order": ("updated_at", "items"),
    "file": ("data_uri", "thumbnail_uri", "file_uri"),
}
"""Members of answers that the collection knows but has no field for."""
_OVERDUE = {"borrowed": "due_date", "confirmed": "issue_date"}
_IS_OVERDUE = {"return_overdue": "due_date", "pickup_overdue": "issue_date"}


def observe_tasks(evidence: Evidence, request: str, tasks: Records) -> None:
    """Note what tasks show."""
    if not tasks:
        return
    slugs = sum("slug" in task for task in tasks)
    evidence.observe("task_slug", "given" if slugs else "none", request, slugs or len(tasks))
    stamped = [task for task in tasks if "created_at" in task or "updated_at" in task]
    if any(task.get("created_at") or task.get("updated_at") for task in stamped):
        evidence.odd("task_stamps", f"{request}: created_at or updated_at has a value")
    else:
        evidence.observe("task_stamps", "null" if stamped else "none", request, len(stamped) or len(tasks))


def observe_rental_cases(evidence: Evidence, request: str, cases: Records, today: dt.date) -> None:
    """Note what rental cases show."""
    for case in cases:
        evidence.observe("rental_hours", "present" if "is_full_day" in case else "absent", request)
        day = case.get("issue_date")
        if isinstance(day, str) and _DAY.match(day):
            evidence.observe("rental_day_form", "day" if _DAY.fullmatch(day) else "time", request)
        evidence.observe("rental_stamps", "given" if "created_at" in case else "none", request)
        renter = case.get("renter")
        if isinstance(renter, Mapping):
            evidence.observe("rental_renter_read", "object", request)
        elif isinstance(renter, str) and renter:
            evidence.observe("rental_renter_read", "text", request)
    references = [reference for case in cases for reference in maps_in(case.get("references"))]
    if references:
        full = sum("name" in reference or "id" in reference for reference in references)
        evidence.observe("rental_references", "full" if full else "reduced", request, full or len(references))
    _observe_overdue(evidence, request, cases, today)


def _observe_overdue(evidence: Evidence, request: str, cases: Records, today: dt.date) -> None:
    """Note what overdue cases show.

    One overdue case with its expected status is proof. So is the same other status in all of them.
    """
    stayed = sum(_is_past(case, _OVERDUE, today) for case in cases)
    moved = sum(_is_past(case, _IS_OVERDUE, today) for case in cases)
    if stayed:
        evidence.observe("rental_overdue", "stay", request, stayed)
    elif moved:
        evidence.observe("rental_overdue", "move", request, moved)


def _is_past(case: Mapping[str, Any], days: Mapping[str, str], today: dt.date) -> bool:
    day = case.get(days.get(str(case.get("status")), ""))
    try:
        return (today - dt.date.fromisoformat(str(day)[:10])).days >= _PAST
    except ValueError:
        return False


def observe_users(evidence: Evidence, request: str, users: Records) -> None:
    """Note what users show."""
    for user in users:
        name = user.get("display_name")
        if isinstance(name, list):
            evidence.observe("user_display_name", "list", request)
        elif isinstance(name, str):
            evidence.observe("user_display_name", "text", request)


def observe_orders(evidence: Evidence, request: str, orders: Records) -> None:
    """Note what orders of the hub show."""
    for order in orders:
        billing = order.get("billing_data")
        if isinstance(billing, Mapping) and ("firstName" in billing or "lastName" in billing):
            evidence.observe("hub_billing_keys", "camel", request)
        elif isinstance(billing, Mapping) and ("first_name" in billing or "last_name" in billing):
            evidence.observe("hub_billing_keys", "snake", request)


def unknown_keys(kind_name: str, records: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return members of records that no catalogue knows.

    They are the service's own: these records have no custom fields.

    :returns: only names of letters and underscores, so that no value can be among them.
    """
    kind = KINDS[kind_name]
    known = {"uuid", "id", *(field.key for field in kind.fields), *(field.wire for field in kind.fields if field.wire)}
    known |= {*kind.split_members, *_MORE_KEYS.get(kind_name, ())}
    found = {key for record in records for key in record} - known
    return sorted(key for key in found if _IS_MEMBER(key))


_IS_MEMBER: Callable[[str], Any] = re.compile(r"[a-z][a-z_]{1,39}").fullmatch
