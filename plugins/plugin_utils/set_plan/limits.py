# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of a plan: how many records of a section it may create, change and remove."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...module_utils.model.kinds import KINDS
from ...module_utils.plan.change import ARCHIVE, CREATE, DELETE, UPDATE
from ...module_utils.printing.cleaner import amount
from ..desired.desired import SECTIONS, Limits, Policy
from .aspect import Aspect
from .plan import InstancePlan
from .prune import Pruning

#: Action to the names of its limits, in percent and as a number.
_NAMES = {
    CREATE: ("create_percent", "creates"),
    UPDATE: ("update_percent", "updates"),
    DELETE: ("delete_percent", "deletes"),
}

#: Minimum number of updates of one field, in most of the set, that look like a shifted column.
MANY_UPDATES = 100


@dataclass(frozen=True)
class LimitCheck:
    """The limits of one plan.

    :ivar existing_before: section to the number of records before an interrupted run created the first of these.
        Empty if no run is resumed.
    """

    plan: InstancePlan
    policy: Policy
    existing_before: Mapping[str, int]

    @property
    def limits(self) -> Limits:
        return Limits(**self.policy.limits)

    def way_out(self, name: str) -> str:
        """Return where to raise a limit."""
        if name not in self.policy.lowered:
            return f"a higher limits.{name} of the task lets this pass"
        most = self.policy.lowered[name]
        allowed = f" up to {most:g}, which the task allows" if math.isfinite(most) else ""
        return f"a higher policy.limits.{name} in instance.yml lets this pass{allowed}"

    def bases(self, section: str, action: str) -> Iterator[tuple[int, str]]:
        """Yield each number of records that a limit in percent refers to, with what tells these records apart."""
        in_scope = self.plan.existing[section]
        if self.policy.is_capped and in_scope < self.limits.from_existing:
            # Files define the scope, and a scope of few records must not lift a limit of the task.
            in_scope = self.plan.everywhere[section]
        known = max(in_scope, self.plan.remembered[section])
        if action == CREATE:
            yield self._before_creations(section, known), ""
        else:
            yield in_scope, ""
        if action != CREATE and known > in_scope:
            # Records that this account may not see make up for few visible ones. Beside many they would lift the limit.
            yield known, " that the journal knows"
        if action == DELETE and section in self.plan.set_sizes:
            yield self.plan.set_sizes[section], " of this set"

    def _before_creations(self, section: str, known: int) -> int:
        """Return the number of records before this run, or before the interrupted run that it resumes."""
        if section not in self.existing_before:
            return known
        # A resumed run may complete what the limit of the interrupted run allowed.
        before = self.existing_before[section]
        return before if before < self.limits.from_existing else max(before, known)

    def existing(self) -> dict[str, int]:
        """Return the reference numbers of limits on creations, by section, for a run that resumes this run."""
        created = {planned.section for planned in self.plan.changes if planned.change.action == CREATE}
        return {section: next(self.bases(section, CREATE))[0] for section in sorted(created)}

    def exceeded(self) -> list[str]:
        """Return the limits that the plan exceeds, each with the option that raises it."""
        # Archiving counts as deleting. Completing a record that an interrupted run created counts as its creation.
        counts = Counter(
            (
                planned.section,
                CREATE if planned.resumed else DELETE if planned.change.action == ARCHIVE else planned.change.action,
            )
            for planned in self.plan.changes
        )
        return [
            line
            for (section, action), number in sorted(counts.items())
            for line in self._exceeded_by(section, action, number)
        ]

    def _exceeded_by(self, section: str, action: str, number: int) -> Iterator[str]:
        """Yield why a number of changes of a section exceeds its limits."""
        if KINDS[SECTIONS[section]].creation_sends_mail:
            if number > (most := self.limits.users):
                words = f"{number} would be created, more than limits.users ({most:g}) a run"
                yield f"{section}: {words}; {self.way_out('users')}"
            return
        percent, total = _NAMES[action]
        most = getattr(self.limits, percent)
        for base, which in self.bases(section, action):
            if base >= self.limits.from_existing and number * 100 > base * most:
                counted = f"{number} of {amount(base, 'record')}{which}"
                exceeded = f"{section}: {action} {counted} is more than limits.{percent} ({most:g} %)"
                yield f"{exceeded}; {self.way_out(percent)}"
                break
        most = getattr(self.limits, total)
        if number > most:
            yield f"{section}: {action} {number} is more than limits.{total} ({most:g}); {self.way_out(total)}"

    def mass_updates(self) -> list[str]:
        """Return a warning for each field that changes in so much of the set that a mistake is likely."""
        percent = self.limits.update_percent
        fields = Counter(
            (planned.section, name)
            for planned in self.plan.changes
            if planned.change.action == UPDATE and not planned.resumed
            for name in planned.change.before
        )
        return [
            f"{section}: {name} changes in {number} of {size} records of this set, more than limits.update_percent "
            f"({percent:g} %). Check whether a column was shifted or sorted on its own."
            for (section, name), number in sorted(fields.items())
            if number > MANY_UPDATES and (size := self.plan.set_sizes.get(section)) and number * 100 > size * percent
        ]


class PlanLimits(Aspect):
    """Refuse plans that exceed a limit, and caution against updates of most records."""

    def complete(self) -> None:
        """Count the changes."""
        context, result = self._context, self._context.result
        actions = Counter((planned.section, planned.change.action) for planned in result.changes)
        for (section, action), number in actions.items():
            if action in (DELETE, ARCHIVE) or (action == UPDATE and number > MANY_UPDATES):
                self._measure_set(section)
        options = context.options
        names = (name.partition(" ")[0] for uuid, name in options.names.items() if uuid in options.known)
        result.remembered = Counter(KINDS[name].section for name in names if name in KINDS)
        check = LimitCheck(result, context.desired.policy, options.existing_before)
        result.exceeded_limits += check.exceeded()
        result.cautions = check.mass_updates()
        result.existing_before = check.existing()

    def _measure_set(self, section: str) -> None:
        """Count the records in scope that this plan matches, or that the journal or the marker knows."""
        context, kind = self._context, KINDS[SECTIONS[section]]
        if kind.can_be_looked_up:
            unmanaged = {id(entry) for entry in context.desired.unmanaged}
            claimed = context.claimed.get(kind.name, {})
            matched = {uuid for uuid, entry in claimed.items() if id(entry) not in unmanaged}
            context.result.set_sizes[section] = Pruning(context).size_of_set(section, matched)


def recounted(plan: InstancePlan, left: InstancePlan, policy: Policy, existing_before: Mapping[str, int]) -> list[str]:
    """Return the limits that a plan exceeds after some of its changes were left out.

    :param plan: the plan with all changes. :param left: without some of them.
    """
    counted = set(LimitCheck(plan, policy, existing_before).exceeded())
    others = [line for line in plan.exceeded_limits if line not in counted]
    return [*LimitCheck(left, policy, existing_before).exceeded(), *others]
