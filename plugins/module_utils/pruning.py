# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prune: what is there, in scope, and not in the files. Only what is known to belong to the set is ever taken away."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from . import plan
from .client import Record
from .desired import SECTIONS, DesiredInstance, Entry, Place, prune_actions
from .fields import EMPTY
from .kinds import KINDS, Kind
from .planned import Choices, InstancePlan, Planned
from .schema import Schema
from .scope import Scope
from .world import World, read_some


@dataclass(frozen=True)
class Pruning:
    """Finds what is to be pruned.

    :ivar claimed: name of a kind to the uuids of its records that are in the files.
    :ivar filled: sections of which the files hold records.
    """

    world: World
    desired: DesiredInstance
    choices: Choices
    scope: Scope
    schema_of: Callable[[Kind], Schema]
    claimed: Mapping[str, Mapping[str, Entry]]
    filled: frozenset[str]

    def run(self, result: InstancePlan) -> Iterator[Planned]:
        """What is to be taken away; what stays is noted in the plan, and brakes too."""
        for section in SECTIONS:
            kind = KINDS[SECTIONS[section]]
            if section not in self.desired.sections or len(prune_actions(section)) == 1:
                continue
            claimed = self.claimed.get(kind.name, {})
            left = [
                record
                for record in self.world.records(kind)
                if record.uuid not in claimed and self.scope.holds(section, record)
            ]
            if left:
                yield from self._section(section, self.schema_of(kind), left, result)

    def _section(self, section: str, schema: Schema, left: Sequence[Record], result: InstancePlan) -> Iterator[Planned]:
        action = self.desired.policy.prune.get(section, "report")
        mine = {record.uuid for record in left if self._belongs(schema, record)} if action != "report" else set()
        others = sorted(self._name(record) for record in left if record.uuid not in mine)
        if others:
            result.reported[section] = others
        if mine and section not in self.filled and not self.choices.confirm_empty:
            result.brakes.append(
                f"{section}: the files hold none, and {len(mine)} would be taken away; confirm_empty: true lets "
                f"this pass"
            )
        for record in left:
            if record.uuid not in mine:
                continue
            state = "archived" if action == "archive" else "absent"
            entry = Entry(schema.kind, {}, Place(f"prune of {section}"), state=state, uuid=record.uuid)
            keys = tuple(key for key in schema.kind.match_on[0] if key in schema.fields)
            desired = read_some(schema, keys, record)
            change = plan.plan_gone(schema, desired, record, plan.ARCHIVE if action == "archive" else plan.DELETE)
            yield Planned(section, entry, schema, desired, keys, self._name(record), change)

    def _belongs(self, schema: Schema, record: Record) -> bool:
        """Whether a record is known to belong to this set: by the marker field where it has a value, else by the
        journal. What is marked for another set was handed over to it.
        """
        of = schema.find(self.desired.marker) if self.desired.marker else None
        mark = None if of is None else read_some(schema, [of.key], record)[of.key]
        if mark in EMPTY:
            return record.uuid in self.choices.known
        return self.desired.set_name != "" and mark == self.desired.set_name

    def _name(self, record: Record) -> str:
        if record.kind.identity:
            return self.world.name_of(record) or record.uuid
        return str(record.flat.get("title") or record.uuid)
