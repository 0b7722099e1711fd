# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare matched records with their entries, and add them to the plan."""

from __future__ import annotations

from ...module_utils.client.record import Record
from ...module_utils.errors import Ambiguous, InvalidInput
from ...module_utils.plan.allowed import DESTRUCTIVE, USERS, how_to_allow
from ...module_utils.plan.change import UPDATE, Change, incomplete
from ...module_utils.plan.compare import Comparer, Wanted
from ...module_utils.plan.record_planner import is_archived
from ..desired.parsing import written_as
from .checks import has_fit_key, is_in_scope
from .context import PlanContext
from .plan import NO_CHANGE, Planned
from .users import plan_user


class Comparison:
    """Plan the changes of single records."""

    def __init__(self, context: PlanContext) -> None:
        self._context = context
        self._comparer = Comparer(context.state)

    def compare(self, planned: Planned, current: Record | None) -> None:
        """Compare a record, and add it to the plan."""
        context, entry = self._context, planned.entry
        self._narrow(planned, current is not None)
        if entry.state == "present":
            for known in context.hooks.known:
                known(planned, current)
            if not context.resolve(planned.desired, entry):
                return
            self._link(planned)
            if not has_fit_key(context, planned, current):
                return
        if planned.kind.created_from and current is None and not context.desired.policy.create_users:
            if context.desired.policy.create_users is False:
                why = "policy.create_users is false in the files"
            else:
                way_out = "" if context.options.is_drift else f"; {how_to_allow(USERS)} creates it"
                why = f"a new user gets an e-mail{way_out}"
            context.skip(planned, f"not created, because {why}.")
            return
        try:
            planned.change = self._change(planned, current)
        except (InvalidInput, Ambiguous) as wrong:
            self._find(planned, wrong)
            return
        if planned.change.missing and not context.options.is_comparison:
            context.find_plainly(entry.place, self._why_incomplete(planned))
            return
        if is_in_scope(context, planned, current):
            self._resume(planned, current)
            self._take(planned, current)

    def count(self, planned: Planned, current: Record) -> None:
        """Count a record that is as written, whatever else is planned."""
        self._narrow(planned, exists=True)
        if planned.linked:
            self._link(planned)
        try:
            self._check_visible(planned)
        except InvalidInput as wrong:
            self._find(planned, wrong)
            return
        if is_in_scope(self._context, planned, current):
            self._take(planned, current)

    def take_offer(self, planned: Planned) -> None:
        """Add an entry of the hub, whose change is known, to the plan."""
        change = planned.change
        self._narrow(planned, change.current is not None)
        if change.action == UPDATE and planned.left_alone.issuperset(change.values):
            planned.change = NO_CHANGE[planned.kind.name]
        if planned.entry.state == "present":
            self._link(planned)
        self._resume(planned, change.current)
        self._add(planned, change.current)

    def _narrow(self, planned: Planned, exists: bool) -> None:
        """Remove the fields that are not compared."""
        if planned.entry.state != "present":
            return
        left = planned.left_alone = self._context.left_alone(planned.schema, planned.entry, exists=True)
        if not exists:
            left = self._context.left_alone(planned.schema, planned.entry, exists)
        if not left.isdisjoint(planned.desired):
            planned.desired = {key: value for key, value in planned.desired.items() if key not in left}

    def _link(self, planned: Planned) -> None:
        for linked in self._context.hooks.linked:
            linked(planned)

    def _check_visible(self, planned: Planned) -> None:
        """Refuse fields to write that are hidden from the account.

        :raises InvalidInput: naming them.
        """
        visibility = self._context.state.field_visibility(planned.schema, keys=planned.desired)
        visibility.check_written(planned.desired)

    def _find(self, planned: Planned, wrong: InvalidInput | Ambiguous) -> None:
        """Note the mistakes in the fields of a record."""
        entry = planned.entry
        for message in wrong.problems if isinstance(wrong, InvalidInput) else [wrong.message]:
            # Most messages begin with the field that they are about.
            name = message.partition(":")[0]
            self._context.find(entry.place_of(written_as(planned.schema, entry, name)), message)

    def _why_incomplete(self, planned: Planned) -> str:
        """Say why a record can't be created without its mandatory fields. It may be a deleted record of the set."""
        context, kind, missing = self._context, planned.kind, ", ".join(planned.change.missing)
        # A hidden key is noted by its place, which says nothing.
        if planned.kept_as or context.options.known.isdisjoint(context.lost_uuids(planned)):
            return incomplete(kind, planned.change.missing)
        deed = "deleted or archived" if kind.can_be_archived else "deleted"
        hidden = ", or is hidden from this account" if kind.can_be_hidden else ""
        return (
            f"This {kind.words} was {deed} in the application since the last apply{hidden}, and can't be created again "
            f"without {missing}: mandatory, but not given. Remove it from the files, or write {missing}."
        )

    def _take(self, planned: Planned, current: Record | None) -> None:
        """Add a compared record to the plan."""
        if current is not None and planned.archived and planned.entry.state == "archived":
            self._context.result.archived.append((planned.kind.name, planned.journal_key, current.uuid))
        elif current is not None:
            managed = self._context.result.managed.setdefault(planned.kind.name, {})
            # An undo finds records by uuid. Unless it writes a key, the files have the one that is noted already.
            is_named = planned.kept_as or not planned.change.values.keys().isdisjoint(planned.keys)
            noted = "" if is_named else self._context.options.names.get(planned.entry.uuid, "").partition(" ")[2]
            managed[current.uuid] = "" if planned.kept_as else noted or planned.journal_key
        elif planned.entry.state != "present" and not self._stays_archived(planned):
            self._context.result.unmatched[planned.section] += 1
        self._add(planned, current)

    def _stays_archived(self, planned: Planned) -> bool:
        """Return True if the set archived a record. A hidden key is noted by its place, which says nothing."""
        options, is_noted = self._context.options, planned.entry.state == "archived" and not planned.kept_as
        return is_noted and options.uuids.get(planned.journal_name) in options.archived

    def _add(self, planned: Planned, current: Record | None) -> None:
        for changed in self._context.hooks.changed if planned.change.changed else ():
            changed(planned, current)
        for compared in self._context.hooks.compared:
            compared(planned, current)
        self._context.take(planned)

    def _resume(self, planned: Planned, current: Record | None) -> None:
        """Note that a change completes a record. An interrupted run of the same files created that record."""
        self._context.warn(planned, planned.change.warnings)
        if current is not None:
            marks = (current.uuid, planned.journal_name)
            is_known = not planned.archived and not self._context.options.resumed.isdisjoint(marks)
            planned.resumed = is_known and planned.change.is_half_created

    def _change(self, planned: Planned, current: Record | None) -> Change:
        context, schema, entry = self._context, planned.schema, planned.entry
        if schema.kind.created_from:
            return plan_user(context.state, planned, current)
        allow = context.options.allow
        if not context.is_chosen(planned):
            allow |= {DESTRUCTIVE}
        wanted = Wanted(schema, planned.desired, entry.state, entry.template, allow)
        if entry.uuid:
            planned.archived = is_archived(context.state, wanted, current)
        if entry.state == "present":
            self._check_visible(planned)
            if current is not None and not planned.archived and context.is_as_written(planned, current):
                return NO_CHANGE[schema.kind.name]
        return self._comparer.change(wanted, current, planned.archived)
