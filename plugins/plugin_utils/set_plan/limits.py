# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The limits: what a plan may do at most, for each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.plan import change as plan

from ..desired.desired import SECTIONS, Limits


def exceeded_limits(
    limits: Limits,
    actions: Iterable[tuple[str, str]],
    existing: Mapping[str, int],
    resumed: Mapping[str, int] | None = None,
    everywhere: Mapping[str, int] | None = None,
    of_before: Container[str] = (plan.CREATE, plan.UPDATE),
) -> list[str]:
    """The limits that a plan exceeds, and how to let it pass; none where it keeps them all.

    :param actions: section and action of each change.
    :param existing: section to number of records in scope.
    :param resumed: section to number of those that an interrupted run made. Percents of what is made and changed are of
        the records that were there before it; those of what is taken away are not affected.
    :param everywhere: section to number of all records, of which percents are where there are few in scope. None: there
        are no percents then.
    :param of_before: actions whose percents are of the records that were there before an interrupted run.
    """
    percents = {
        plan.CREATE: "create_percent",
        plan.UPDATE: "update_percent",
        plan.DELETE: "delete_percent",
        plan.ARCHIVE: "delete_percent",
    }
    totals = {
        plan.CREATE: "creates",
        plan.UPDATE: "updates",
        plan.DELETE: "deletes",
        plan.ARCHIVE: "deletes",
    }
    # Archiving takes away as deleting does, so both count together.
    counts = Counter((section, plan.DELETE if action == plan.ARCHIVE else action) for section, action in actions)
    held = []
    for (section, action), number in sorted(counts.items()):
        if KINDS[SECTIONS[section]].creation_sends_mail:
            if number > limits.users:
                held.append(
                    f"{section}: {number} would be made, more than limits.users ({limits.users:g}) a run; a higher "
                    f"limits.users lets this pass"
                )
            continue
        made = resumed.get(section, 0) if resumed and action in of_before else 0
        there = existing.get(section, 0) - made
        if everywhere and there < limits.from_existing:
            there = everywhere.get(section, 0) - made
        percent = getattr(limits, percents[action])
        total = getattr(limits, totals[action])
        if there >= limits.from_existing and number * 100 > there * percent:
            held.append(
                f"{section}: {action} {number} of {there} records is more than limits.{percents[action]} "
                f"({percent:g} %); a higher limits.{percents[action]} lets this pass"
            )
        if number > total:
            held.append(
                f"{section}: {action} {number} is more than limits.{totals[action]} ({total:g}); a higher "
                f"limits.{totals[action]} lets this pass"
            )
    return held
