# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which change a record takes to be as it was written, whatever is special about its kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Record
from ansible_collections.community.seventhings.plugins.module_utils.client.files import Contents, recognise
from ansible_collections.community.seventhings.plugins.module_utils.client.query import Condition
from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import (
    FIELD_DEFINITION,
    RENTAL_CASE,
    USER,
    Kind,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Quick
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import Reference, attachments_in
from ansible_collections.community.seventhings.plugins.module_utils.plan import change as plan
from ansible_collections.community.seventhings.plugins.module_utils.plan.change import Change
from ansible_collections.community.seventhings.plugins.module_utils.plan.hours import check_hours_known, needs_hours
from ansible_collections.community.seventhings.plugins.module_utils.resolve import natural_keys
from ansible_collections.community.seventhings.plugins.module_utils.resolve.references import is_text_renter, renter_of

from .context import PlanContext
from .plan import UNCHANGED, Planned


class Comparer:
    """Compares what was written with what is there."""

    def __init__(self, ground: PlanContext) -> None:
        self._ground = ground
        self._quick: dict[str, Quick] = {}
        self._contents = Contents(ground.client)

    def change(self, planned: Planned, current: Record | None) -> Change:
        """The change; one without anything to send where the record is as it shall be.

        :raises InvalidInput: where it can't be made, or not without leave.
        """
        schema, desired, state = planned.schema, planned.desired, planned.entry.state
        if planned.kind is USER:
            return self._user(planned, current)
        if state == "absent":
            return plan.plan_gone(schema, {key: desired[key] for key in planned.keys}, current)
        if state == "archived":
            is_archived = current is not None and planned.entry.uuid != "" and self._ground.client.is_archived(current)
            return plan.plan_gone(schema, desired, None if is_archived else current, plan.ARCHIVE)
        if current is not None:
            self._look_at(planned, current)
            if not planned.archived and self._is_as_written(planned, current):
                return UNCHANGED[schema.kind.name]
        elif needs_hours(schema, desired):
            check_hours_known(schema, desired, self._ground.world.records(schema.kind))
        change = plan.plan_present(schema, desired, current, planned.archived, complete=self._ground.world.complete)
        plan.check_choices(current, change)
        in_use = partial(self._values_in_use, planned.entry.template)
        is_allowed = self._ground.choices.allow_destructive or not self._ground.is_chosen(planned)
        plan.check_destructive(current, change, is_allowed, in_use)
        if planned.kind is FIELD_DEFINITION:
            change = plan.shown_as_written(change, planned.entry.fields)
        return self._with_renter(change)

    def _look_at(self, planned: Planned, current: Record) -> None:
        """What the list does not tell of a record: which files it has, and whether it is archived."""
        schema = planned.schema
        for key, value in planned.desired.items():
            if not value or not isinstance(value, tuple):
                continue
            local = [one for one in attachments_in(value) if one.path is not None]
            if local:
                linked = list(attachments_in(schema.read_one(key, current.flat)))
                recognise(self._contents, local, linked)
        if planned.entry.uuid and "archived" in schema.kind.states and not planned.archived:
            listed = self._ground.world.of_uuid(schema.kind, current.uuid) is not None
            planned.archived = not listed and self._ground.client.is_archived(current)

    def _is_as_written(self, planned: Planned, current: Record) -> bool:
        name = planned.schema.kind.name
        quick = self._quick.get(name) or self._quick.setdefault(name, Quick(planned.schema))
        return quick.same(planned.desired, current.flat, self._ground.world.complete)

    def _values_in_use(self, template: str, definition: Record, values: list[Any]) -> list[Any]:
        def listed(kind: Kind, _narrowed: Sequence[Condition]) -> list[Record]:
            return self._ground.world.records(kind)

        return natural_keys.values_in_use(definition, template, values, listed)

    def _with_renter(self, change: Change) -> Change:
        """A PUT carries the renter along; where the instance answers a text alone, it must be known what it means."""
        if change.current is None or not change.changed or "renter" in change.values or change.kind is not RENTAL_CASE:
            return change
        renter = self._ground.schema(RENTAL_CASE).read_one("renter", change.current.flat)
        if not is_text_renter(renter):
            return change
        users = self._ground.world.records(USER)
        return replace(change, values={**change.values, "renter": renter_of(renter[1], users)})

    def user_of_person(self, email: str) -> list[Record]:
        """The user that a person has already, under whatever address it was made."""
        world = self._ground.world
        person = Reference("person", written=email)
        record = None if world.resolve(person) or person.awaits is not None else world.find(person)
        user = world.of_uuid(USER, str(record.flat.get("user_uuid"))) if record is not None else None
        return [] if user is None else [user]

    def _user(self, planned: Planned, current: Record | None) -> Change:
        """Exactly one person must have the address, in whatever case; the user is made of that one."""
        email = str(planned.desired["email"])
        if current is not None:
            other = str(current.flat.get("email"))
            words = f"there already, as {other}; nothing here changes the address of a user"
            return Change(
                USER, plan.UNCHANGED, current, warnings=(words,) if other.casefold() != email.casefold() else ()
            )
        person = Reference("person", written=email)
        problem = self._ground.world.resolve(person)
        if problem:
            raise InvalidInput(f"a user is made of a person, but {problem}")
        address = email
        if person.awaits is not None:
            address = str(person.awaits.fields.get("email", email))
        elif (record := self._ground.world.find(person)) is not None:
            address = str(self._ground.world.named_as(record, "email") or email)
        planned.desired["email"] = address
        return Change(USER, plan.CREATE, None, {"email": address, "person": person}, {}, {"email": email})
