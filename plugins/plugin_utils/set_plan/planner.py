# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan for a whole instance: every desired record matched and compared in memory, ordered by what depends on what.

It is the plan of one record, many times; lists are read once for each kind, and nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client, Record
from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS, OBJECT, TASK, USER, Kind
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.module_utils.plan import change as plan
from ansible_collections.community.seventhings.plugins.module_utils.resolve import natural_keys

from ..desired.desired import SECTIONS, DesiredInstance, Entry, Limits
from ..desired.parsing import written_as
from .archived import with_archived_twins
from .cells import EmptiedCells, LostZeros
from .checks import (
    check_chosen,
    check_needs,
    check_order,
    check_scope,
    check_settings,
    check_unique,
    check_user,
    is_in_scope,
    removals_of,
    without_dependants_of_users,
)
from .compare import Comparer
from .context import PlanContext
from .definitions import Definitions
from .held import check_held
from .hub import offered, plan_offers
from .hub import schema as hub_schema
from .limits import exceeded_limits
from .plan import InstancePlan, Planned, PlanOptions, level_of
from .prune import Pruning
from .renames import Moved

_BY_THEMSELVES = ("fields", "hub")
"""Sections that are matched in ways of their own."""


def plan_instance(client: Client, desired: DesiredInstance, choices: PlanOptions | None = None) -> InstancePlan:
    """Plans everything that was written. What is wrong with it stands in ``findings``; then nothing may be applied."""
    return _Planner(PlanContext(client, desired, choices or PlanOptions())).run()


class _Planner:
    def __init__(self, ground: PlanContext) -> None:
        self._ground = ground
        self._desired = ground.desired
        self._world = ground.world
        self._result = ground.result
        self._changing = Comparer(ground)
        self._moved = Moved(ground)
        self._dropped: list[tuple[Entry, dict[str, Any]]] = []
        self._gone: dict[str, Planned] = {}
        self._emptied = EmptiedCells()
        self._lost_zeros = LostZeros(ground.world)

    def run(self) -> InstancePlan:
        ground, result = self._ground, self._result
        Definitions(ground, self._compare).run()
        check_settings(ground)
        sections = [section for section in SECTIONS if self._is_matched(section)]
        kinds = [KINDS[SECTIONS[section]] for section in sections]
        for kind in kinds:
            if kind.template:
                ground.schema(kind)
        with self._world.reading_ahead(kinds):
            matched = [pair for section in sections for pair in self._match_section(section)]
        if not ground.findings:
            matched = with_archived_twins(ground, matched)
        check_scope(ground)
        self._moved.judge()
        pruned = list(self._pruning().run(result))
        self._gone = removals_of(ground, matched, pruned)
        while matched:
            self._compare(*matched.pop())
        while self._dropped:
            # By now everything is known that a reference may mean.
            entry, values = self._dropped.pop()
            ground.resolve(values, entry)
        result.changes.reverse()
        self._plan_hub()
        for planned in pruned:
            ground.take(planned)
        without_dependants_of_users(ground)
        check_held(ground)
        check_order(ground)
        check_chosen(ground)
        result.exceeded_limits += exceeded_limits(
            Limits(**self._desired.policy.limits),
            (
                (planned.section, plan.CREATE if planned.resumed else planned.change.action)
                for planned in result.changes
            ),
            result.existing,
            result.resumed,
            result.everywhere if self._desired.policy.is_capped else None,
        )
        order = {section: number for number, section in enumerate(SECTIONS)}
        result.changes.sort(key=lambda planned: (level_of(planned.section), order[planned.section], planned.key))
        result.findings = ground.findings
        result.warnings += self._emptied.warnings(self._desired)
        result.warnings.sort()
        return result

    # ---- match

    def _is_matched(self, section: str) -> bool:
        is_there = section in self._desired.sections or bool(self._ground.entries[section])
        return is_there and section not in _BY_THEMSELVES

    def _match_section(self, section: str) -> list[tuple[Planned, Record | None]]:
        kind = KINDS[SECTIONS[section]]
        self._ground.schema(kind)
        # The list is on its way while this is read, and where no list is needed for it while it is named, too.
        is_named_early = kind is OBJECT and section not in self._desired.identity
        read = []
        for entry in self._ground.entries[section]:
            values, fits = self._read(entry)
            read.append((entry, values, fits, self._name(section, entry, values, fits) if is_named_early else None))
        there = self._world.records(kind)
        self._result.everywhere[section] = len(there)
        self._result.existing[section] = self._ground.scope.count(section, there)
        written = [one[1] for one in read]
        found = []
        for entry, values, fits, early in read:
            keys = early if is_named_early else self._name(section, entry, values, fits)
            pair = None if keys is None else self._match(section, entry, values, keys, fits, written)
            if pair is None:
                self._dropped.append((entry, values))
                self._ground.doubt(entry)
            else:
                found.append(pair)
        return found

    def _read(self, entry: Entry) -> tuple[dict[str, Any], bool]:
        """The values of an entry, and whether nothing is wrong with them."""
        complaints = self._ground.complaints
        values = self._ground.wanted.parse(self._ground.schema(entry.kind), entry, entry.fields)
        return values, self._ground.complaints == complaints and not entry.misread

    def _name(self, section: str, entry: Entry, values: dict[str, Any], fits: bool) -> tuple[str, ...] | None:
        """The fields that identify a record, claimed for it; None where something is wrong with them."""
        ground = self._ground
        schema = ground.schema(entry.kind)
        if entry.uuid:
            # A plan file says which record is meant.
            own = [schema.find(name) for name in self._desired.identity.get(section, ())]
            keys = [of.key for of in own if of is not None] or schema.kind.match_on[0]
            return tuple(key for key in keys if key in values)
        keys = self._keys(section, schema, values, entry, fits)
        if not keys or not ground.resolve({key: values[key] for key in keys}, entry):
            return None
        return keys if ground.uniqueness.claim(schema, keys, values, entry) else None

    def _match(
        self,
        section: str,
        entry: Entry,
        values: dict[str, Any],
        keys: tuple[str, ...],
        fits: bool,
        written: Iterable[dict[str, Any]],
    ) -> tuple[Planned, Record | None] | None:
        ground = self._ground
        schema = ground.schema(entry.kind)
        complaints = ground.complaints
        if entry.uuid:
            hits = self._of_uuid(schema.kind, entry.uuid)
        else:
            hits = self._world.find_existing(schema, keys, values)
            hits = hits or self._moved.record_of(section, schema, values, written)
            if schema.kind is USER and not hits and "email" in values:
                hits = self._changing.user_of_person(str(values["email"]))
            if schema.kind is TASK:
                as_wanted = partial(self._is_as_wanted, schema, values)
                hits = natural_keys.task_meant(hits, values.get("status"), as_wanted, entry.state == "absent")
        current = ground.one(entry, schema, keys, values, hits)
        if current is None and hits:
            return None
        if current is not None and not ground.claim(
            schema.kind, current.uuid, entry, self._moved.why_twice(current.uuid)
        ):
            return None
        if entry.state == "present":
            if current is None and keys:
                ground.uniqueness.check_alike(schema, keys, values, entry)
                self._check_zeros(schema, keys, values, entry)
            ground.uniqueness.claim_others(schema, keys, values, entry)
            ground.uniqueness.claim_unique(schema, keys, values, entry)
            # Others may refer to it as it is written here, whatever it is called now.
            ground.resolve({of.key: values[of.key] for of in schema.kind.identity if of.key in values}, None)
            self._world.add_planned(schema, values, current or entry)
        if not fits or ground.complaints > complaints:
            # What follows from a mistake is no mistake of its own.
            return None
        key = ground.uniqueness.words(schema, keys, values)
        return ground.planned(section, entry, schema, values, keys, key or entry.uuid), current

    def _check_zeros(self, schema: Schema, keys: tuple[str, ...], values: dict[str, Any], entry: Entry) -> None:
        """Notes a key that most likely lost its leading zeros in a spreadsheet."""
        lost = self._lost_zeros.found(schema, keys, values, entry)
        if lost is not None:
            self._ground.find(entry.place_of(written_as(schema, entry, lost[0])), lost[1])

    def _keys(
        self, section: str, schema: Schema, values: Mapping[str, Any], entry: Entry, fits: bool
    ) -> tuple[str, ...]:
        """The fields that identify a record; none where that is wrong."""
        named = [schema.find(name) for name in self._desired.identity.get(section, ())]
        if None in named:
            return ()
        try:
            keys = natural_keys.key_fields(schema.kind, [of.key for of in named if of is not None] or None, values)
        except InvalidInput as missing:
            if fits:
                self._ground.find(entry.place, missing.message.removeprefix("match_on: "))
            return ()
        fine = True
        for key in keys:
            text = values[key]
            if isinstance(text, str) and text != text.strip():
                self._ground.find(
                    entry.place_of(key), f"{key}: {text!r} begins or ends with blanks, and it identifies a record"
                )
                fine = False
        return keys if fine else ()

    def _of_uuid(self, kind: Kind, uuid: str) -> list[Record]:
        record = self._world.of_uuid(kind, uuid)
        if record is None and "archived" in kind.states:
            record = self._ground.client.get(kind, uuid)
        return [record] if record else []

    def _is_as_wanted(self, schema: Schema, values: Mapping[str, Any], record: Record) -> bool:
        if not self._ground.resolve(values, None):
            return False
        return not plan.plan_present(schema, values, record, complete=self._world.complete).changed

    # ---- compare

    def _compare(self, planned: Planned, current: Record | None) -> None:
        entry = planned.entry
        if entry.state == "present":
            if current is not None:
                self._emptied.look(planned, current)
            if not self._ground.resolve(planned.desired, entry):
                return
            check_needs(self._ground, planned, self._gone)
        if planned.kind is USER and current is None and not self._desired.policy.create_users:
            self._ground.skip(planned, "not made, because create_users is off (a new user gets an e-mail).")
            return
        try:
            change = self._changing.change(planned, current)
        except InvalidInput as wrong:
            for message in wrong.problems:
                # Most begin with the field that they are about.
                name = message.partition(":")[0]
                self._ground.find(entry.place_of(written_as(planned.schema, entry, name)), message)
            return
        if not is_in_scope(self._ground, planned, current):
            return
        if current is not None:
            self._result.managed.append(current.uuid)
        self._ground.warn(planned, change.warnings)
        planned.change = change
        if current is not None:
            self._resume(planned, current)
        if planned.kind is USER:
            check_user(self._ground, planned, self._gone)
        elif planned.kind.template:
            check_unique(self._ground, planned, self._gone)
        self._ground.take(planned)

    def _resume(self, planned: Planned, current: Record) -> None:
        """What an interrupted run made of the same files counts as still to be made, where it is as they say so far."""
        noted = self._ground.choices.resumed
        if not noted or planned.archived or not noted & {current.uuid, f"{planned.kind.name} {planned.noted}"}:
            return
        if not planned.change.changed or planned.is_half_made:
            planned.resumed = planned.change.changed
            self._result.resumed[planned.section] += 1

    # ---- hub, prune

    def _plan_hub(self) -> None:
        ground = self._ground
        offers = plan_offers(
            self._world,
            ground.entries["hub"],
            ground.find,
            ground.claim,
            lambda schema, entry: ground.wanted.parse(schema, entry, entry.fields),
        )
        for entry, values, key, change, fingerprint in offers:
            planned = ground.planned("hub", entry, hub_schema(), values, ("object",), key)
            planned.change, planned.fingerprint = change, fingerprint
            if entry.state == "present":
                check_needs(ground, planned, self._gone)
            ground.warn(planned, change.warnings)
            if change.current is not None:
                self._resume(planned, change.current)
            ground.take(planned)
            if change.changed and not self._result.existing["hub"]:
                # The hub has no scope.
                self._result.existing["hub"] = len(offered(self._world))

    def _pruning(self) -> Pruning:
        ground = self._ground
        return Pruning(
            self._world,
            self._desired,
            ground.choices,
            ground.scope,
            ground.schema,
            ground.claimed,
            frozenset(section for section, entries in ground.entries.items() if entries),
        )
