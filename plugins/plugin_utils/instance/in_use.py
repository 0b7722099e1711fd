# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects to archive or delete that somebody still needs: they are lent, or an open task is about them."""

from __future__ import annotations

from collections.abc import Iterator

from ...module_utils.client.record import Record
from ...module_utils.errors import SeventhingsError
from ...module_utils.model.field import first_of, readable
from ...module_utils.model.kinds import OBJECT, RENTAL_CASE, TASK, Kind
from ...module_utils.model.types_links import references_in
from ...module_utils.plan.change import ARCHIVE, DELETE
from ...module_utils.resolve.references import means
from ..set_plan.listed_state import ListedState
from ..set_plan.plan import InstancePlan, Planned

#: Statuses of finished tasks and rental cases.
ENDED = frozenset(("closed", "completed", "rejected"))

#: Maximum number of objects for which tasks and rental cases are looked up.
_MOST = 20

_NAMED = 5
_STATUS = "status"


def objects_in_use(plan: InstancePlan) -> list[str]:
    """Return a caution about the objects to remove that are in use. Tasks and rental cases are one list each."""
    removed = [
        planned
        for planned in plan.changes
        if planned.kind is OBJECT and planned.change.action in (ARCHIVE, DELETE) and planned.change.current
    ]
    if plan.state is None or not 0 < len(removed) <= _MOST:
        return []
    used = [found for kind in (RENTAL_CASE, TASK) for found in _uses(plan, plan.state, kind, removed)]
    if not used:
        return []
    return [f"objects: to be archived or deleted although they are in use: {first_of(used, _NAMED)}"]


def _uses(plan: InstancePlan, state: ListedState, kind: Kind, removed: list[Planned]) -> Iterator[str]:
    """Yield each object with a record of a kind that is open and stays open."""
    ended = {planned.change.current.uuid for planned in plan.changes if _ends(planned, kind) and planned.change.current}
    try:
        records = state.records(kind)
    except SeventhingsError:
        # The module of the service may be switched off, or the account may not read the list.
        return
    for record in records:
        if record.flat.get(_STATUS) in ENDED or record.uuid in ended:
            continue
        for planned in removed:
            if planned.change.current is not None and _refers(state, record, planned.change.current):
                title = readable(record.flat.get("title")) if not plan.hiding.is_on else ""
                words = f"{kind.words} {title}".strip()
                yield f"{planned.key} ({words}, {readable(record.flat.get(_STATUS)) or 'open'})"


def _ends(planned: Planned, kind: Kind) -> bool:
    """Return True if the plan ends or removes a record of a kind."""
    change = planned.change
    return planned.kind is kind and (change.action == DELETE or change.values.get(_STATUS) in ENDED)


def _refers(state: ListedState, record: Record, target: Record) -> bool:
    values = tuple(state.schema(record.kind).read(record.flat).values())
    return any(reference.target == OBJECT.name and means(reference, target) for reference in references_in(values))
