# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the change that brings a record of any kind to its desired state: present, absent or archived."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..client.files import Contents, recognise
from ..client.record import Record
from ..model.kinds import TEMPLATE_KINDS, USER
from ..model.schema import Schema
from ..model.types_links import attachments_in
from ..resolve import natural_keys
from ..resolve.field_visibility import may_be_lost, sends_empty_members
from ..resolve.references import is_text_renter, renter_of
from .allowed import DESTRUCTIVE
from .change import (
    ARCHIVE,
    UNCHANGED,
    UPDATE,
    Change,
    check_choices,
    check_destructive,
    plan_present,
    plan_removal,
    shown_as_written,
    with_equal_allowed_values,
)
from .hours import check_hours_known, needs_hours
from .replacing import check_carried, missing_members, unread_members, without_unreadable
from .state import InstanceState


@dataclass(frozen=True, slots=True)
class Wanted:
    """One desired record.

    :ivar desired: canonical values by field key, references resolved as far as possible.
    :ivar state: present, absent or archived.
    :ivar template: the template of a field definition.
    :ivar allow: what the task allows.
    """

    schema: Schema
    desired: Mapping[str, Any]
    state: str = "present"
    template: str = ""
    allow: frozenset[str] = frozenset()


class Comparer:
    """Compare desired and present records."""

    def __init__(self, state: InstanceState) -> None:
        self._state = state
        self._contents = Contents(state.client)

    def change(self, wanted: Wanted, current: Record | None, archived: bool = False) -> Change:
        """Return the change. It has nothing to send if the record is as desired.

        :param archived: True if ``current`` is archived.
        :raises SeventhingsError: if the change is impossible or not allowed.
        """
        if wanted.state == "absent":
            return plan_removal(wanted.schema, wanted.desired, current, archived=archived)
        if wanted.state == "archived":
            if archived:
                return Change(wanted.schema.kind, UNCHANGED, current)
            return plan_removal(wanted.schema, wanted.desired, current, ARCHIVE)
        return self._present(wanted, current, archived)

    def is_as_wanted(self, wanted: Wanted, current: Record) -> bool:
        """Return True if nothing would have to change in a record."""
        desired = self._state.comparable(wanted.schema, wanted.desired, current)
        return not plan_present(wanted.schema, desired, current, completed=self._state.completed).changed

    def recognise_files(self, schema: Schema, desired: Mapping[str, Any], current: Record) -> None:
        """Give local files the uuids of linked files with the same content."""
        for key, value in desired.items():
            local = [attachment for attachment in attachments_in(value) if attachment.path is not None]
            if local:
                recognise(self._contents, local, list(attachments_in(schema.read_field(key, current.flat))))

    def _present(self, wanted: Wanted, current: Record | None, archived: bool) -> Change:
        schema, desired = wanted.schema, wanted.desired
        self._state.field_visibility(schema, current, desired).check_written(desired)
        if schema.kind.defines_fields:
            desired = with_equal_allowed_values(schema, desired, current)
            desired.pop("field_key", None)
        if current is None and needs_hours(schema, desired):
            check_hours_known(schema, desired, self._state.some(schema.kind))
        change = self._planned(wanted, desired, current, archived)
        if current is not None and self._is_incomplete(wanted, desired, current, change):
            alone = self._state.client.get(schema.kind, current.uuid, wanted.template)
            if alone is not None:
                current = current.completed_by(alone)
                change = self._planned(wanted, desired, current, archived)
        if change.action == UPDATE and schema.kind.update == "PUT":
            change = self._replaced(wanted, self._without_unreadable(wanted, change))
        check_choices(current, change)
        check_destructive(current, change, DESTRUCTIVE in wanted.allow, partial(self._values_in_use, wanted.template))
        change = self._with_renter(schema, change)
        if change.changed and not schema.kind.template:
            change = replace(change, values=self._state.with_uuids(change.values))
        return shown_as_written(change, wanted.desired) if schema.kind.defines_fields else change

    def _planned(self, wanted: Wanted, desired: Mapping[str, Any], current: Record | None, archived: bool) -> Change:
        if current is not None:
            desired = self._state.comparable(wanted.schema, desired, current)
            self.recognise_files(wanted.schema, desired, current)
        completed, in_one_notation = self._state.completed, self._state.in_one_notation
        return plan_present(wanted.schema, desired, current, archived, completed, in_one_notation)

    def _is_incomplete(self, wanted: Wanted, desired: Mapping[str, Any], current: Record, change: Change) -> bool:
        """Return True if a record to replace must be read by itself, because a list leaves members out."""
        missing = [] if current.is_whole else missing_members(wanted.schema, current)
        if not missing or change.action == UPDATE:
            return bool(missing)
        # If the instance sends empty members, the missing ones are not empty: the list omits them.
        is_compared = any(key in desired for key in missing)
        return is_compared and sends_empty_members(
            wanted.schema, self._state.answered(wanted.schema.kind, wanted.template)
        )

    def _without_unreadable(self, wanted: Wanted, change: Change) -> Change:
        """Take out fields that the instance never returns. A field is only missing if empty fields are returned."""
        current = change.current
        unreadable = [] if current is None else unread_members(wanted.schema, change, current)
        answered = self._state.answered(wanted.schema.kind, wanted.template) if unreadable else ()
        if current is None or not sends_empty_members(wanted.schema, [*answered, current]):
            return change
        return without_unreadable(change, unreadable)

    def _replaced(self, wanted: Wanted, change: Change) -> Change:
        """Check a change that sets all fields of a record at once.

        Fields that the account does not see would be lost.
        """
        schema, current = wanted.schema, change.current
        values = {key: value for key, value in change.values.items() if key != schema.kind.status_key}
        if current is None or not values:
            return change
        maybe_hidden = check_carried(schema, current, values, self._state.answered(schema.kind, wanted.template))
        if schema.kind.has_own_fields:
            visibility = self._state.field_visibility(schema, current)
            at_once = f", and a change of {schema.kind.singular} sets all fields at once: a value would be lost"
            visibility.check_written(sorted(visibility.hidden), consequence=at_once)
            maybe_hidden = sorted(visibility.missing - change.values.keys())
        if not maybe_hidden:
            return change
        return replace(change, warnings=(*change.warnings, may_be_lost(schema.kind, maybe_hidden)))

    def _values_in_use(self, template: str, definition: Record, values: list[Any]) -> list[Any]:
        key = definition.flat["field_key"]
        visibility = self._state.field_visibility(self._state.schema(TEMPLATE_KINDS[template]), keys=[key])
        unknown = ", so it is unknown which values records use. Set allow: [destructive] if this is intended."
        visibility.check_written([key], "possible_values", unknown)
        return natural_keys.values_in_use(definition, template, values, self._state.listed)

    def _with_renter(self, schema: Schema, change: Change) -> Change:
        """Send the renter back in a PUT.

        If the instance returns only a text, the meaning of that text must be known.
        """
        if change.current is None or not change.changed:
            return change
        for key in schema.kind.carried_along:
            renter = schema.read_field(key, change.current.flat)
            if key in change.values or not is_text_renter(renter):
                continue
            known_renter = renter_of(renter[1], self._state.listed(USER))
            note = (
                f"{key}: the instance returns only the text {renter[1]!r}, which matches none of its users; it "
                "is kept as text."
            )
            warnings = (*change.warnings, note) if known_renter[0] == "plain" else change.warnings
            change = replace(change, values={**change.values, key: known_renter}, warnings=warnings)
        return change
