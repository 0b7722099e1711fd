# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose change each difference of a plan is: that of the files, of the application, or of both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.schema import Schema
from ...module_utils.model.types_links import Reference, with_references
from ...module_utils.plan.change import ARCHIVE, CREATE, UPDATE
from ...module_utils.resolve.hidden_records import YES
from ..apply.memory import Memory
from ..desired.desired import DesiredInstance
from ..set_plan.applied_values import noted_keys
from ..set_plan.baseline import APPLICATION, BOTH, FILES, UNKNOWN, Baseline
from ..set_plan.marks import shield_mark
from ..set_plan.plan import InstancePlan, Planned

_CREATED = "was created by this set and deleted in the application"
_DELETED = "was deleted in the application"
_OR_HIDDEN = ", or is hidden from this account"


class Sides:
    """Find the side of each difference.

    :param memory: what is known about the set. :param baseline: what was last applied.
    """

    def __init__(self, plan: InstancePlan, desired: DesiredInstance, memory: Memory, baseline: Baseline) -> None:
        self._plan = plan
        self._desired = desired
        self._memory = memory
        self._created = {*memory.created.values()}
        self._baseline = baseline

    def note(self) -> None:
        """Note the sides of all changes of the plan."""
        for planned in self._plan.changes if self._plan.state is not None else ():
            keys = dict.fromkeys((*planned.change.before, *planned.change.after))
            current = planned.change.current
            if planned.change.action == CREATE or current is None:
                planned.sides = dict.fromkeys(keys, self._of_missing(planned))
            elif planned.change.action == UPDATE:
                planned.sides = self._of_fields(planned, current, keys)
            else:
                planned.sides = dict.fromkeys(keys, self._of_removed(planned, current))

    def _of_fields(self, planned: Planned, current: Record, keys: Iterable[str]) -> dict[str, str]:
        """Return the side of each differing field of a record."""
        mark = shield_mark(planned.kind, current.uuid, planned.desired)
        noted, sides = set(noted_keys(planned, self._desired)), {}
        for key in keys:
            sides[key] = UNKNOWN
            if key in noted and not planned.schema.fields[key].retyped:
                now = self.read(planned.schema, current, key)
                sides[key] = self._baseline.side(mark, planned.schema, key, self._written(planned, key), now)
            elif key not in planned.schema.fields and planned.archived:
                sides[key] = self._of_archived(current)
        return sides

    def _of_archived(self, current: Record) -> str:
        """Return who archived a record that the files have."""
        if current.uuid in self._memory.known:
            return APPLICATION
        return FILES if current.uuid in self._memory.names else UNKNOWN

    def _of_removed(self, planned: Planned, current: Record) -> str:
        """Return the side of a record to remove. The files removed it if it belongs to the set."""
        if current.uuid not in self._memory.known:
            # If the set archived it earlier, only others can have brought it back.
            restored = FILES if planned.archived else APPLICATION if planned.change.action == ARCHIVE else BOTH
            return restored if current.uuid in self._memory.names else UNKNOWN
        schema = planned.schema
        read = [key for key, field in schema.fields.items() if field.wire_key in current.flat]
        values = {key: self.read(schema, current, key) for key in read}
        mark = shield_mark(planned.kind, current.uuid, planned.desired)
        as_noted = {key: self._baseline.is_as_noted(mark, schema, {key: value}) for key, value in values.items()}
        planned.plain = {key for key, answer in as_noted.items() if answer is not None}
        return {True: FILES, False: BOTH, None: UNKNOWN}[self._baseline.is_as_noted(mark, schema, values, also="")]

    def _of_missing(self, planned: Planned) -> str:
        """Return the side of a record that the instance does not have."""
        uuid = self._earlier(planned)
        mark = self._mark(planned)
        if not uuid and mark not in self._baseline.records:
            return FILES if self._baseline.records else UNKNOWN
        if not self._is_deleted(planned, mark):
            return UNKNOWN
        planned.remark = _CREATED if uuid in self._created else _DELETED
        planned.remark += _OR_HIDDEN if self._plan.visibility.may_hide(planned.kind) else ""
        values = {key: self._written(planned, key) for key in noted_keys(planned, self._desired)}
        side = {True: APPLICATION, False: BOTH, None: UNKNOWN}
        return side[self._baseline.is_as_noted(mark, planned.schema, values)]

    def existed(self, planned: Planned) -> bool:
        """Return True if the set had a record that the instance does not have, or only in its archive."""
        current = planned.change.current
        if current is not None:
            # Without a memory, nothing says that the files bring the record back.
            return current.uuid in self._memory.known or not self._memory.known
        # A hidden key is noted by its place, which says nothing.
        is_known = bool(self._earlier(planned)) or self._mark(planned) in self._baseline.records
        return is_known and not planned.kept_as

    def _earlier(self, planned: Planned) -> str:
        """Return the earlier uuid of a record of the set that is created again; empty if there is none."""
        return next((uuid for uuid in planned.earlier if uuid in self._memory.known), "")

    @cached_property
    def _again(self) -> dict[int, str]:
        """The earlier uuid of each record of the set that is created again, by entry."""
        return {id(planned.entry): self._earlier(planned) for planned in self._plan.changes if planned.earlier}

    def _mark(self, planned: Planned) -> str:
        """Return the identifier that an earlier record had in the journal."""
        values = {"object": self._written(planned, "object")} if planned.kind.numbered else {}
        return shield_mark(planned.kind, self._earlier(planned), values)

    def _written(self, planned: Planned, key: str) -> Any:
        """Return a value of the files, in which references to records that are created again mean the earlier ones."""

        def earlier(reference: Reference) -> Reference:
            uuid = "" if reference.pending is None else self._again.get(id(reference.pending), "")
            return replace(reference, uuid=uuid) if uuid else reference

        return with_references(planned.desired[key], earlier)

    def _is_deleted(self, planned: Planned, mark: str) -> bool:
        """Return True unless a record may be archived, or there under another natural key, or lists lack records."""
        if planned.kind.defines_fields or id(planned.entry) in self._plan.unchecked:
            return False
        if planned.kind.can_be_hidden and self._plan.visibility.hidden_records == YES:
            return False
        state = self._plan.state
        return state is not None and state.find(Reference(planned.kind.name, uuid=mark)) is None

    def read(self, schema: Schema, record: Record, key: str) -> Any:
        """Return the value of a field on the instance, with what is known about its references."""
        now = schema.read_field(key, record.flat)
        return now if self._plan.state is None else with_references(now, self._plan.state.completed)
