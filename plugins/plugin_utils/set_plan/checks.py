# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check a plan as a whole: settings without effect, incomplete selections, references to removed records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...module_utils.client.masks import MASKED, masked_in
from ...module_utils.client.record import Record
from ...module_utils.model.field import EMPTY, is_uuid, shorten, words_of
from ...module_utils.model.kinds import FILE
from ...module_utils.model.names import normal_name
from ...module_utils.model.types_links import Reference, attachments_in, references_in
from ...module_utils.plan.change import CREATE
from ...module_utils.resolve import natural_keys
from ...module_utils.resolve.field_visibility import hidden_field_message
from ..desired.desired import SECTIONS
from ..desired.entry import Entry
from ..desired.parsing import written_as
from ..desired.positions import Finding, Place
from ..desired.remarks import unfit_keys
from .context import PlanContext, numbered_references
from .order import waiting_for_ever
from .plan import Planned

_MOST_FILES = 20
_LEFT_OUT = "does not exist yet, and creating it is not part of this plan"


def check_settings(context: PlanContext) -> Iterator[Finding]:
    """Check names of fields in identity and marker: a safeguard without effect is an error."""
    desired = context.desired
    for section, names in desired.identity.items():
        schema = context.schema_of(section)
        for name in names:
            if schema is None or schema.find(name) is None:
                why = (
                    schema.why_unknown(name) if schema else "the records of this section are identified in one way only"
                )
                yield Finding.for_message(desired.place_of(f"identity.{section}"), f"identity.{section}: {name}: {why}")
    schemas = {section: context.schema_of(section) for section in desired.sections if desired.marker}
    known = {section: schema.find(desired.marker) is not None for section, schema in schemas.items() if schema}
    for section, is_known in known.items():
        prunes = desired.policy.prune.get(section, "report") != "report"
        schema = schemas[section]
        if schema is not None and not is_known and (prunes or not any(known.values())):
            words = f"marker: {desired.marker}: {schema.why_unknown(desired.marker)}"
            yield Finding.for_message(desired.place_of("marker"), words)


def idle_settings(context: PlanContext) -> Iterator[str]:
    """Yield a warning for each scope without records and each name in ``hide`` that is not a field."""
    result = context.result
    created = {planned.section for planned in result.changes if planned.change.action == CREATE}
    for section in context.desired.scope:
        number = result.everywhere[section]
        if number and not result.existing[section] and section not in created:
            yield (
                f"scope.{section}: none of the {number} records that this account sees is in the scope, so nothing is "
                "compared and nothing is removed. Look at the values of the scope."
            )
    # A plan file contains only changed records, which need not have every field.
    for name in context.hiding.idle(context.desired.entries):
        yield (
            f"hide: {name!r} is no field of the sections in these files, so it hides nothing. Write the key or the "
            "label of a field."
        )


def check_scope(context: PlanContext) -> Iterator[Finding]:
    """Check fields and values of the scope. A value may be a record that is still to be created."""
    for section, fields in context.desired.scope.items():
        for name, problem in context.scope.problems(section, fields):
            yield Finding.for_message(context.desired.place_of(f"scope.{section}.{name}"), f"scope.{section}.{problem}")


def check_visibility(context: PlanContext) -> Iterator[Finding]:
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
                yield Finding.for_message(context.desired.place_of(setting), f"{setting}: {hidden_field_message(key)}")


def is_in_scope(context: PlanContext, planned: Planned, current: Record | None) -> bool:
    """Return True if a record is, and stays, in the scope of the set. Otherwise note a finding."""
    section, entry = planned.section, planned.entry
    if section not in context.desired.scope or not planned.kind.is_plain:
        return True
    if current is not None and not planned.archived and not context.scope.contains(section, current):
        context.find(entry.place, f"{planned} exists, but is outside of the scope of this set ({current.uuid})")
        return False
    wrong = context.scope.leaves(section, planned.desired, current is None) if entry.state == "present" else ""
    if wrong:
        context.find(entry.place_of(wrong), f"{wrong}: {planned} would be outside of the scope of this set")
    return not wrong


def check_chosen(context: PlanContext) -> Iterator[Finding]:
    """Check names in only and exclude that match nothing, and records that need a record outside the selection."""
    options, result = context.options, context.result
    if not options.only and not options.exclude:
        return
    if not context.findings:
        # The record that only or exclude names may be the one with the finding.
        known = {*SECTIONS, *SECTIONS.values(), *map(normal_name, context.planned_names)}
        for option, names in (("only", options.only), ("exclude", options.exclude)):
            for name in names:
                if normal_name(name) not in known:
                    yield Finding.for_message(
                        Place(option), f"{name!r} is no section, and no natural key of what is planned"
                    )
    chosen = {id(planned.entry) for planned in result.changes}
    for planned in result.changes:
        for number, relation in enumerate(planned.relations):
            if (planned.entry.template, relation.get("field")) in context.unmade:
                place = planned.entry.place_in(("relations", number, "field"))
                yield Finding.for_message(place, f"relations[{number}].field: {relation['field']} {_LEFT_OUT}")
        for key, value in planned.change.values.items():
            if (planned.kind.template, key) in context.unmade:
                name = written_as(planned.schema, planned.entry, key)
                yield Finding.for_message(planned.entry.place_of(name), f"{name}: this field {_LEFT_OUT}")
            for number, reference in numbered_references(value):
                if reference.pending is not None and id(reference.pending) not in chosen:
                    problem = f"{reference.target} {reference.written!r} {_LEFT_OUT}"
                    yield context.about_reference(planned.entry, key, number, reference, problem)


def removals_of(
    context: PlanContext, matched: Iterable[tuple[Planned, Record | None]], pruned: Iterable[Planned]
) -> dict[str, Planned]:
    """Return the planned changes that remove or archive a record, by its uuid."""
    removals = {
        current.uuid: planned
        for planned, current in matched
        if planned.entry.state != "present" and current is not None
    }
    removals |= {planned.change.current.uuid: planned for planned in pruned if planned.change.current is not None}
    return {uuid: planned for uuid, planned in removals.items() if context.is_chosen(planned)}


def check_needs(
    context: PlanContext, entry: Entry, desired: Mapping[str, Any], removals: Mapping[str, Planned]
) -> None:
    """Refuse references to a removed record, and references without a target after the apply.

    :param desired: the values of the entry that are compared.
    :param removals: as returned by :func:`removals_of`.
    """
    for key, value in desired.items() if removals else ():
        for number, reference in numbered_references(value):
            problem = _needs(context, reference, removals)
            if problem:
                context.find_reference(entry, key, number, reference, problem)


def has_fit_key(context: PlanContext, planned: Planned, current: Record | None) -> bool:
    """Return True unless a record gets a natural key that people can't tell from another one, which is a finding.

    A record that is identified by its uuid gets back a key that it had.
    """
    schema, entry, complaints = planned.schema, planned.entry, context.complaints
    new = {key: value for key in planned.keys if isinstance(value := planned.desired.get(key), str)}
    if current is None:
        context.uniqueness.check_new(schema, planned.keys, planned.desired, entry)
    else:
        have = natural_keys.read_some(schema, () if entry.uuid else new, current)
        new = {key: new[key] for key, value in have.items() if not schema.equal(key, new[key], value)}
    for place, words in unfit_keys(schema, entry, new, new, context.wanted.cell_checks):
        context.find(place, words)
    return context.complaints == complaints


def check_unique(context: PlanContext, planned: Planned, removals: Mapping[str, Planned]) -> None:
    """Note that a record gets a unique value only after another record gives it up.

    :param removals: as returned by :func:`removals_of`.
    """
    schema, change = planned.schema, planned.change
    mine = change.current.uuid if change.current else ""
    for key, value in change.values.items():
        field = schema.fields.get(key)
        if field is None or not field.unique or planned.keys == (key,) or value in EMPTY:
            continue
        for other in context.state.find_existing(schema, (key,), change.values):
            if other.uuid == mine:
                continue
            leaving = removals.get(other.uuid)
            owner = leaving.entry if leaving else context.claimed.get(planned.kind.name, {}).get(other.uuid)
            if owner is not None and (leaving or written_as(schema, owner, key) in owner.fields):
                planned.after += ((key, owner),)
                continue
            name = written_as(schema, planned.entry, key)
            words = f"{name}: {shorten(value)} must be unique, and {planned.kind.singular} has it already: {other.uuid}"
            context.find(planned.entry.place_of(name), words)


def check_masks(context: PlanContext) -> Iterator[Finding]:
    """Refuse to write masks of Ansible. A value that equals that of the instance is not written."""
    for planned in context.result.changes:
        for key in planned.change.values:
            name = written_as(planned.schema, planned.entry, key)
            for way in masked_in(planned.entry.fields.get(name), (name,)):
                yield Finding.for_message(planned.entry.place_in(way), f"{words_of(way)}: {MASKED}")


def check_files(context: PlanContext) -> Iterator[Finding]:
    """Refuse files by uuid that do not exist. Each of them takes a request, so only the first are looked up."""
    read: dict[str, bool] = {}
    for planned in context.result.changes:
        for key, number, uuid in _new_files(planned):
            if uuid not in read and len(read) < _MOST_FILES:
                read[uuid] = context.client.get(FILE, uuid) is not None
            if not read.get(uuid, True):
                name = written_as(planned.schema, planned.entry, key)
                words = f"{words_of((name, number))}: there is no file with the uuid {uuid}"
                yield Finding.for_message(planned.entry.place_in((name, number)), words)


def _new_files(planned: Planned) -> Iterator[tuple[str, int, str]]:
    """Yield the files by uuid that a record does not have yet, each with its field and its number in the field."""
    current = planned.change.current
    for key, value in planned.change.values.items():
        now = None if current is None else planned.schema.read_field(key, current.flat)
        linked = {file.uuid for file in attachments_in(now)}
        for number, file in enumerate(attachments_in(value)):
            if file.uuid is not None and file.path is None and file.uuid not in linked:
                yield key, number, file.uuid


def check_order(context: PlanContext) -> Iterator[Finding]:
    """Refuse records that wait for each other's unique values in a circle."""
    for planned, key, owner in waiting_for_ever(context.result.changes):
        name, value = written_as(planned.schema, planned.entry, key), shorten(planned.change.values[key])
        words = f"must be unique, and the one at {owner.place} has it and waits for a value of this record"
        yield Finding.for_message(
            planned.entry.place_of(name), f"{name}: {value} {words}; give one of them another value first"
        )


def check_user(context: PlanContext, planned: Planned, removals: Mapping[str, Planned]) -> None:
    """Refuse to remove the person of a user: nothing removes the user."""
    for reference in references_in(planned.change.values.get("person")):
        problem = _needs(context, reference, removals)
        if problem:
            context.find(planned.entry.place_of("email"), f"email: {problem}")


def _needs(context: PlanContext, reference: Reference, removals: Mapping[str, Planned]) -> str:
    """Return why a reference has no target once the plan is done, or an empty text if it has one."""
    other = removals.get(str(reference.uuid))
    if other is None:
        record = context.state.find(reference)
        place = None if record is None else context.state.place_of(record)
        other = removals.get(str(place.uuid)) if place is not None and isinstance(reference.written, str) else None
    if other is None:
        return ""
    if other.entry.state == "absent":
        return f"{other} is to be removed at {other.entry.place}"
    if is_uuid(reference.written):
        return ""
    return f"{other} is to be archived at {other.entry.place}, and no list shows it any more: write its uuid"
