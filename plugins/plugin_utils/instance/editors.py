# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who changed a record in the application, and when."""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.client.record import Record
from ...module_utils.errors import SeventhingsError
from ...module_utils.model.dates import read_iso
from ...module_utils.model.field import first_of, readable
from ...module_utils.model.kinds import USER
from ...module_utils.operations.raw_list import items_of
from ...module_utils.printing.cleaner import amount
from ..set_plan.baseline import APPLICATION, BOTH, combined
from ..set_plan.listed_state import ListedState
from ..set_plan.plan import InstancePlan, Planned

#: Maximum number of records whose editor is looked up.
_MOST = 20

_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"))


def changed_in_application(changes: Iterable[Planned]) -> list[Planned]:
    """Return the changes of records that somebody changed in the application since the last apply."""
    return [planned for planned in changes if combined(planned.sides.values()) in (APPLICATION, BOTH)]


class Editors:
    """Find the editors of records. A record names its last editor, or else its history does.

    :param state: the lists that the plan was made from.
    """

    def __init__(self, client: Client, state: ListedState | None) -> None:
        self._client = client
        self._state = state

    def note(self, changes: Iterable[Planned], now: dt.datetime) -> None:
        """Note the editor of each record that was changed in the application, for a small number of records."""
        existing = [planned for planned in changed_in_application(changes) if planned.change.current is not None]
        for planned in existing[:_MOST]:
            if planned.change.current is not None:
                edited = self._of(planned.change.current)
                words = ago(edited.get("at", ""), now)
                planned.edited = {**edited, "ago": words} if words else edited

    def _of(self, record: Record) -> dict[str, str]:
        """Return name and time of the last change of a record, as far as they are known."""
        user, moment = record.flat.get("updated_by_user_id"), record.flat.get("updated_at")
        if user is None and record.kind.has_history:
            # The record is the same without its history.
            with contextlib.suppress(SeventhingsError):
                path = f"{record.kind.item_path.format(uuid=record.uuid)}/history"
                events = items_of(self._client.read(path, [("page", "1"), ("per_page", "1")]).json())
                if events and isinstance(events[0], Mapping):
                    user, moment = events[0].get("user_uuid"), events[0].get("occurred_at")
        found = {"by": self._users.get(user, f"user {user}") if user else "", "at": str(moment or "")}
        return {name: text for name, text in found.items() if text}

    @cached_property
    def _users(self) -> Mapping[Any, str]:
        """The names of all users that this account sees, by id and by uuid."""
        records: Iterable[Record] = ()
        with contextlib.suppress(SeventhingsError):
            records = () if self._state is None else self._state.records(USER)
        return {mark: _name_of(record) for record in records for mark in (record.id, record.uuid)}


def _name_of(user: Record) -> str:
    names = [str(user.flat[key]) for key in ("firstname", "lastname") if user.flat.get(key)]
    others = (user.flat.get(key) for key in ("display_name", "email"))
    return " ".join(names) or readable(next(filter(None, others), ""))


def overwritten(plan: InstancePlan) -> list[str]:
    """Return the caution that a plan overwrites changes of the application; nothing if it overwrites none."""
    changed = changed_in_application(plan.changes)
    if not changed:
        return []
    names = first_of([f"{planned.key}{_in_brackets(planned, plan)}" for planned in changed], _MOST)
    records = amount(len(changed), "record was", "records were")
    return [f"{records} changed in the application since the last apply: {names}"]


def _in_brackets(planned: Planned, plan: InstancePlan) -> str:
    doubt, edited = " or hidden" if plan.visibility.may_hide(planned.kind) else "", planned.edited
    deleted = "" if planned.change.current is not None else f"deleted{doubt}"
    words = ", ".join(filter(None, [deleted, edited.get("by", ""), edited.get("ago", "")]))
    return f" ({words})" if words else ""


def ago(moment: str, now: dt.datetime) -> str:
    """Return how long ago a moment was, in words; empty if the text is not a time."""
    try:
        found = read_iso(moment)
    except ValueError:
        found = None
    if not isinstance(found, dt.datetime):
        return ""
    seconds = (now - (found if found.tzinfo else found.replace(tzinfo=dt.UTC))).total_seconds()
    for size, unit in _UNITS:
        number = int(seconds // size)
        if number > 0:
            return f"{amount(number, unit)} ago"
    return "just now"
