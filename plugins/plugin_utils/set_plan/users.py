# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users in a plan: each is created from exactly one person, nothing changes it, and nothing removes it."""

from __future__ import annotations

from ...module_utils.client.record import Record
from ...module_utils.errors import InvalidInput
from ...module_utils.model.kinds import USER
from ...module_utils.model.names import normal_address
from ...module_utils.model.types_links import Reference, references_in
from ...module_utils.plan.change import CREATE, UNCHANGED, Change
from ..desired.entry import Entry
from ..desired.hiding import VAULTED
from .context import PlanContext
from .listed_state import ListedState
from .plan import Planned


def user_of_person(state: ListedState, email: str) -> list[Record]:
    """Return the existing user of a person, under any address."""
    person, problem = state.resolved(Reference("person", written=email))
    record = None if problem or person.pending is not None else state.find(person)
    user = state.of_uuid(USER, str(record.flat.get("user_uuid"))) if record is not None else None
    return [] if user is None else [user]


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


def without_dependants_of_users(context: PlanContext) -> None:
    """Remove records that need a user that the policy forbids to create, and records that need these.

    They could only fail.
    """
    if context.desired.policy.create_users:
        return
    missing = {id(entry): f"user {_address(context, entry)}" for entry in context.entries["users"]}
    skipped = len(missing)
    while skipped:
        left = []
        for planned in context.result.changes:
            needed = [
                missing[id(reference.pending)] for reference in _references(planned) if id(reference.pending) in missing
            ]
            if needed:
                missing[id(planned.entry)] = str(planned)
                context.skip(planned, f"skipped, because it needs {needed[0]}, which is not created.")
            else:
                left.append(planned)
        skipped = len(context.result.changes) - len(left)
        context.result.changes = left


def _address(context: PlanContext, entry: Entry) -> str:
    """Return the address of a user as it may be shown."""
    return f"{VAULTED} {entry.place}" if context.hiding.hides(entry, "email") else str(entry.fields.get("email"))


def _references(planned: Planned) -> list[Reference]:
    return [reference for value in planned.change.values.values() for reference in references_in(value)]
