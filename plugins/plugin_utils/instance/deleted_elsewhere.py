# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records that this set created and that somebody deleted in the application. No requests are made here."""

from __future__ import annotations

from ...module_utils.model.types_links import Reference
from ...module_utils.plan.change import CREATE
from ..apply.journal import Memory
from ..set_plan.plan import InstancePlan, Planned

DELETED = "was created by this set and deleted in the application"
"""The remark about a record that the set created and that was deleted in the application."""


def deleted_elsewhere(plan: InstancePlan, memory: Memory) -> dict[int, str]:
    """Return the remark for each creation of a deleted record, by the index of the change.

    There is no remark if the record may be hidden or archived, or has another natural key now.
    """
    created = {memory.names[uuid]: uuid for uuid in memory.created if uuid in memory.names}
    return {number: DELETED for number, planned in enumerate(plan.changes) if _is_deleted(planned, plan, created)}


def _is_deleted(planned: Planned, plan: InstancePlan, created: dict[str, str]) -> bool:
    uuid = created.get(planned.journal_name)
    if uuid is None or planned.change.action != CREATE or plan.state is None:
        return False
    if plan.visibility.may_hide(planned.kind) or id(planned.entry) in plan.unchecked:
        return False
    return plan.state.find(Reference(planned.kind.name, uuid=uuid)) is None
