# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that stop single records of a plan: the scope of the set, and fit natural keys."""

from __future__ import annotations

from collections.abc import Iterable

from ...module_utils.client.record import Record
from ...module_utils.resolve import natural_keys
from ...module_utils.resolve.field_visibility import hidden_field_message
from ..desired.parsing import written_as
from ..desired.remarks import unfit_keys
from .context import PlanContext
from .plan import Pair, Planned


def check_scope(context: PlanContext) -> None:
    """Check fields and values of the scope. A value may be a record that is still to be created."""
    for section, fields in context.desired.scope.items():
        for name, problem in context.scope.problems(section, fields):
            context.find(context.desired.place_of(f"scope.{section}.{name}"), f"scope.{section}.{problem}")


def check_visibility(context: PlanContext) -> None:
    """Check for hidden fields that decide which records belong to the set."""
    for section in context.desired.sections:
        schema = context.schema_of(section)
        if schema is None or not schema.kind.has_own_fields:
            continue
        settings = {f"scope.{section}.{name}": name for name in context.desired.scope.get(section, ())}
        if context.desired.marker and context.desired.policy.prune.get(section, "report") != "report":
            settings["marker"] = context.desired.marker
        keys = {setting: field.key for setting, name in settings.items() if (field := schema.find(name)) is not None}
        hidden = context.state.field_visibility(schema, keys=keys.values()).hidden if keys else ()
        for setting, key in keys.items():
            if key in hidden:
                context.find(context.desired.place_of(setting), f"{setting}: {hidden_field_message(key)}")


def is_in_scope(context: PlanContext, planned: Planned, current: Record | None) -> bool:
    """Return True if a record is, and stays, in the scope of the set. Otherwise note a finding."""
    section, entry = planned.section, planned.entry
    if section not in context.desired.scope or not planned.kind.is_plain:
        return True
    if current is not None and not planned.archived and not context.scope.contains(section, current):
        context.find(entry.place, f"{planned} exists, but is outside of the scope of this set ({current.uuid})")
        return False
    if entry.state != "present" or (current is None and context.options.is_comparison):
        # Files need not manage the fields of the scope, and a comparison creates nothing.
        return True
    wrong, written = context.scope.leaves(section, planned.desired, current)
    if wrong:
        why = "" if written == wrong else f", because it follows {written}"
        if current is None and wrong not in planned.desired:
            why = f", because it is new and has no {wrong}: write one of the scope"
        place = entry.place_of(written_as(planned.schema, entry, written))
        context.find(place, f"{wrong}: {planned} would be outside of the scope of this set{why}")
    return not wrong


def has_fit_key(context: PlanContext, planned: Planned, current: Record | None) -> bool:
    """Return True unless a record gets a natural key that people can't tell from another one, which is a finding.

    An undo gives back keys that records had. A comparison writes nothing.
    """
    schema, entry, options, complaints = planned.schema, planned.entry, context.options, context.complaints
    is_free = options.has_changes_only or options.is_comparison
    own = () if is_free else context.wanted.cells.identifying(schema, entry)
    new = {key: value for key in own if isinstance(value := planned.desired.get(key), str)}
    if current is not None:
        have = natural_keys.read_some(schema, new, current)
        new = {key: new[key] for key, value in have.items() if not schema.equal(key, new[key], value)}
    for place, words in unfit_keys(schema, entry, new, new, context.wanted.cells):
        context.find(place, words)
    for name, error in context.wanted.cells.odd_keys.get(id(entry), {}).items():
        key = schema.key_of(name)
        present = natural_keys.read_some(schema, (key,), current)[key] if current is not None else None
        if key in planned.desired and not schema.equal(key, planned.desired[key], present):
            context.find(entry.place_of(name), error)
    return context.complaints == complaints


def removals_of(context: PlanContext, matched: Iterable[Pair], pruned: Iterable[Planned]) -> dict[str, Planned]:
    """Return the planned changes that remove or archive a record, by its uuid."""
    removals = {
        current.uuid: planned
        for planned, current in matched
        if planned.entry.state != "present" and current is not None
    }
    removals |= {planned.change.current.uuid: planned for planned in pruned if planned.change.current is not None}
    return {uuid: planned for uuid, planned in removals.items() if context.is_chosen(planned)}
