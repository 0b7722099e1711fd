# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert the changes of a plan to the form of an apply record, and write the record of a run."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import Unread
from ...module_utils.model.kinds import SERVER_KEYS
from ...module_utils.model.rooms import locations_of_rooms
from ...module_utils.model.schema import type_of
from ...module_utils.model.types_links import Reference, with_references
from ...module_utils.plan.change import CREATE, DELETE, UPDATE
from ..apply.executor import Outcome
from ..apply.memory import Memory
from ..set_plan.plan import InstancePlan, Planned
from .record import DONE, FAILED, NOT_TRIED, REFUSED, SKIPPED, UNKNOWN, ApplyRecord, RecordedChange
from .record_file import RecordPlace
from .values import fingerprint, stored

_KEY_BYTES = 32

#: Returns True if a field of a change is vaulted or hidden.
Hides = Callable[[Planned, str], bool]


def recorded_changes(
    plan: InstancePlan, hides: Hides, without_credentials: Callable[[Any], Any], outcome: Outcome | None
) -> tuple[RecordedChange, ...]:
    """Return the changes of a plan.

    :param without_credentials: returns data without credentials, or the same object if it has none.
    :param outcome: None if the apply has only begun.
    """
    lists = [] if outcome is None else [(NOT_TRIED, outcome.not_tried), (SKIPPED, outcome.skipped)]
    lists += [] if outcome is None else [(FAILED, outcome.failures)]
    # What is left of a written record, such as a link to a record that was not created, has a change of its own.
    whole = set(map(id, plan.changes))
    fates = {
        id(planned.entry): name if id(planned) in whole else FAILED
        for name, entries in lists
        for planned, _reason in entries
    }
    refused = [] if outcome is None else outcome.refused
    fates |= {id(planned.entry): REFUSED for planned in refused if id(planned) in whole}
    usual = UNKNOWN if outcome is None else DONE
    recorder = _Recorder(plan, hides)
    changes = [
        recorder.change(planned, fates.get(id(planned.entry), usual))
        for planned in plan.changes
        if planned.change.changed
    ]
    # A record may have many changes, and almost never a credential, so they are all searched at once.
    sides = [[change.before, change.after] for change in changes]
    shown = without_credentials(sides)
    if shown is sides:
        return tuple(changes)
    return tuple(recorder.with_fingerprints(change, *both) for change, both in zip(changes, shown, strict=True))


class _Recorder:
    def __init__(self, plan: InstancePlan, hides: Hides) -> None:
        self._state = plan.state
        self._hides = hides
        self._key = secrets.token_bytes(_KEY_BYTES)
        self._created = {id(planned.entry): planned.noted for planned in plan.changes}

    def change(self, planned: Planned, outcome: str) -> RecordedChange:
        change, current = planned.change, planned.change.current
        before, after = self._sides(planned)
        return RecordedChange(
            kind=planned.kind.name,
            uuid="" if planned.kind.numbered else planned.created_uuid or (current.uuid if current is not None else ""),
            key=planned.noted,
            action=change.action,
            outcome=outcome,
            before=before,
            after=after,
            template=planned.entry.template,
            keys=tuple(_key_of(planned, key) for key in planned.keys),
            unarchived=change.unarchive,
        )

    def with_fingerprints(
        self, change: RecordedChange, before: Mapping[str, Any], after: Mapping[str, Any]
    ) -> RecordedChange:
        """Return a change with fingerprints of the values that have a credential.

        :param before: the fields before the change, without credentials. :param after: those after it.
        """
        return replace(
            change, before=self._fingerprinted(change.before, before), after=self._fingerprinted(change.after, after)
        )

    def _fingerprinted(self, values: Mapping[str, Any], shown: Mapping[str, Any]) -> dict[str, Any]:
        return {
            key: value if shown.get(key) == value else fingerprint(self._key, value) for key, value in values.items()
        }

    def _sides(self, planned: Planned) -> tuple[dict[str, Any], dict[str, Any]]:
        change, current, schema = planned.change, planned.change.current, planned.schema
        identity = {key: planned.desired[key] for key in planned.keys if key in planned.desired}
        if planned.kind.numbered:
            was = {} if current is None else {**identity, **change.before}
            will_be = {} if change.action == DELETE else {**identity, **change.values}
            return self._stored(planned, was), self._stored(planned, will_be)
        if change.action == CREATE or current is None:
            return {}, self._stored(planned, change.values)
        if change.action == UPDATE:
            # The service may change the other one of a room and its location by itself.
            pairs = [pair for pair in locations_of_rooms(schema).items() if not change.values.keys().isdisjoint(pair)]
            keys = dict.fromkeys((*change.values, *chain(*pairs)))
            was = {key: schema.read_field(key, current.flat) for key in keys if key in schema.fields}
            return self._stored(planned, was), self._stored(planned, change.values)
        kept: Iterable[str] = identity
        if change.action == DELETE:
            fields = schema.fields.items()
            kept = [key for key, field in fields if type_of(field).writable and key not in SERVER_KEYS]
        return self._stored(planned, {key: schema.read_field(key, current.flat) for key in kept}), {}

    def _stored(self, planned: Planned, values: Mapping[str, Any]) -> dict[str, Any]:
        found = {
            key: stored(planned.schema, key, with_references(value, self._named), self._state)
            for key, value in values.items()
        }
        # A value that can't be read can't be written again either.
        return {
            _key_of(planned, key): fingerprint(self._key, value)
            if isinstance(values[key], Unread) or self._hides(planned, key)
            else value
            for key, value in found.items()
        }

    def _named(self, reference: Reference) -> Reference:
        """Return a reference to a record of the same plan with the natural key that the record of the apply has."""
        name = self._created.get(id(reference.pending))
        return reference if name is None else replace(reference, written=name)


def _key_of(planned: Planned, key: str) -> str:
    """Return the key of a field. A plan calls a field by its label until the service has created it."""
    field = planned.schema.fields.get(key)
    if field is None or not planned.kind.template:
        return key
    return field.wire_key.removeprefix(planned.kind.key_prefix)


# ---- the record of a run


@dataclass
class Recording:
    """The apply record of one run.

    :ivar head: the record without changes.
    :ivar hides: returns True for a field that is stored as a fingerprint.
    :ivar without_credentials: returns data of the instance without credentials.
    :ivar memory: has the interrupted run, whose record is continued, and what it created.
    :ivar digest: SHA-256 of the written file; empty if nothing was written.
    """

    place: RecordPlace
    head: ApplyRecord
    hides: Hides
    without_credentials: Callable[[Any], Any]
    memory: Memory
    digest: str = ""

    def __post_init__(self) -> None:
        self._earlier = self.place.interrupted(self.head, self.memory.run)
        self._created = self.memory.created

    def begin(self, plan: InstancePlan) -> None:
        """Write the intended changes.

        :raises InvalidInput: if the record can't be written. Then nothing may be sent.
        """
        self._write(plan, None)

    def end(self, plan: InstancePlan, outcome: Outcome) -> None:
        """Write the outcome. If that fails, it is a warning, because the result must still be reported."""
        try:
            self._write(plan, outcome)
        except InvalidInput as error:
            plan.warnings.append(f"{error.message}. The apply record has no outcomes.")

    def finish(self) -> None:
        """Note that an interrupted run is complete, because nothing is left to do."""
        if self._earlier is not None:
            self.digest = self.place.write(replace(self._earlier, is_complete=True))

    def _write(self, plan: InstancePlan, outcome: Outcome | None) -> None:
        changes = recorded_changes(plan, self.hides, self.without_credentials, outcome)
        # The next undo of the same record finishes what failed. A failed apply may be undone as it is, but the next one
        # goes on with one that stopped: a task that outlives a killed playbook stops in good order.
        is_open = outcome is None or outcome.is_stopped or (bool(self.head.undoes) and outcome.has_failed)
        record = replace(self.head, changes=changes, is_complete=not is_open)
        if self._earlier is not None:
            record = record.continued(self._earlier, self._created)
        self.digest = self.place.write(record)
