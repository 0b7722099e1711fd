# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users in a plan: each is created from exactly one person, nothing changes it, and nothing removes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.errors import InvalidInput
from ...module_utils.model.kinds import USER
from ...module_utils.model.names import normal_address
from ...module_utils.model.schema import Schema
from ...module_utils.model.types_links import Reference, references_in
from ...module_utils.plan.change import CREATE, UNCHANGED, Change
from ..desired.entry import Entry
from ..desired.hiding import VAULTED
from .aspect import Aspect
from .listed_state import ListedState
from .plan import Planned


class Users(Aspect):
    """Match users by their persons, and leave out what needs a user that is not created."""

    def found(self, schema: Schema, entry: Entry, values: Mapping[str, Any]) -> Sequence[Record]:
        """Return the existing user of a person, under any address."""
        if schema.kind is not USER or "email" not in values:
            return ()
        state = self._context.state
        person, problem = state.resolved(Reference("person", written=str(values["email"])))
        record = None if problem or person.pending is not None else state.find(person)
        user = state.of_uuid(USER, str(record.flat.get("user_uuid"))) if record is not None else None
        return () if user is None else (user,)

    def complete(self) -> None:
        """Remove records that need a user that the policy forbids to create, and records that need these.

        They could only fail.
        """
        context = self._context
        if context.desired.policy.create_users:
            return
        missing = {id(entry): f"user {self._address(entry)}" for entry in context.entries["users"]}
        skipped = len(missing)
        while skipped:
            left = []
            for planned in context.result.changes:
                pending = [id(reference.pending) for reference in references_in(tuple(planned.change.values.values()))]
                needed = [missing[mark] for mark in pending if mark in missing]
                if needed:
                    missing[id(planned.entry)] = str(planned)
                    context.skip(planned, f"skipped, because it needs {needed[0]}, which is not created.")
                else:
                    left.append(planned)
            skipped = len(context.result.changes) - len(left)
            context.result.changes = left

    def _address(self, entry: Entry) -> str:
        """Return the address of a user as it may be shown."""
        is_hidden = self._context.hiding.hides(entry, "email")
        return f"{VAULTED} {entry.place}" if is_hidden else str(entry.fields.get("email"))


def plan_user(state: ListedState, planned: Planned, current: Record | None) -> Change:
    """Return the change that creates a user. Exactly one person must have the address, compared without case.

    :raises InvalidInput: if no address is written, or if no person or several persons have it.
    """
    email = planned.desired.get("email")
    if current is not None:
        other = str(current.flat.get("email"))
        is_other = email is not None and normal_address(other) != normal_address(str(email))
        words = f"exists already, as {other}; this collection does not change the address of a user"
        return Change(USER, UNCHANGED, current, warnings=(words,) if is_other else ())
    if email is None:
        raise InvalidInput("email must have a value, because a user is created from the person with this address")
    person, problem = state.resolved(Reference("person", written=email))
    if problem:
        raise InvalidInput(f"a user is created from a person, but {problem}")
    address = email
    if person.pending is not None:
        address = str(person.pending.fields.get("email", email))
    elif (record := state.find(person)) is not None:
        address = str(state.named_as(record, "email") or email)
    planned.desired["email"] = address
    return Change(USER, CREATE, None, {"email": address, "person": person}, {}, {"email": email})
