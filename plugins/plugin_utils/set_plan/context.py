# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The context of a plan: what the loop and its aspects share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.client.record import Record
from ...module_utils.model.schema import Schema
from ...module_utils.plan.change import CREATE
from ..desired.desired import DesiredInstance
from ..desired.entry import Entry
from ..desired.hiding import NOT_SHOWN
from .plan import InstancePlan, OtherSets, Planned, PlanOptions
from .resolver import Resolver
from .scope import Scope


class PlanContext(Resolver):
    """The context of one plan.

    :ivar removals: uuid to the change that removes or archives the record, once all records are matched.
    :ivar unmade: template and label of fields that do not exist and are not in the plan.
    :ivar old_keys: id of an entry that no listed record matches to its old natural keys, the latest first.
    :ivar planned_names: natural keys of everything that is planned, if only a part of it is selected.
    """

    def __init__(self, client: Client, desired: DesiredInstance, options: PlanOptions) -> None:
        super().__init__(client, desired)
        self.options = options
        if options.lists is not None:
            self.state.take_all(options.lists)
        self.result = InstancePlan(state=self.state, hiding=self.hiding, claimed=self.claimed, rows=self.rows)
        self.scope = Scope(self.state, self.schema, desired.scope, self.meaning)
        self.removals: dict[str, Planned] = {}
        self.unmade: set[tuple[str, str]] = set()
        self.old_keys: dict[int, list[Mapping[str, Any]]] = {}
        self.planned_names: set[str] = set()

    @cached_property
    def others(self) -> OtherSets:
        """Return what other sets noted. Their journals are read once, and only if something may be removed."""
        return self.options.others()

    # ---- entries

    def left_alone(self, schema: Schema, entry: Entry, exists: bool) -> frozenset[str]:
        """Return the keys of the fields of an entry that are not compared.

        :param exists: True if the record exists already.
        """
        keys: frozenset[str] = frozenset()
        for left_alone in self.hooks.left_alone:
            if found := left_alone(schema, entry, exists):
                keys |= found
        return keys

    def is_as_written(self, planned: Planned, current: Record) -> bool:
        """Return True if a quick comparison shows that a record is as written, as most records are."""
        if planned.entry.state != "present" or planned.kind.defines_fields:
            return False
        return planned.schema.has_values(planned.desired, current.flat, self.state.completed)

    def noted_uuids(self, planned: Planned) -> list[str]:
        """Return the uuids that were noted for the key of a record and for its old keys, the latest first."""
        return [*reversed(self.options.noted.get(planned.journal_name, ())), *self.noted_before(planned)]

    def noted_before(self, planned: Planned) -> list[str]:
        """Return the uuids that were noted for the old keys of a record, the latest first."""
        schema, old_keys = planned.schema, self.old_keys.get(id(planned.entry), ())
        before = [replace(planned, key=self.words(schema, tuple(old), old)) for old in old_keys]
        return [uuid for one in before for uuid in reversed(self.options.noted.get(one.journal_name, ()))]

    def lost_uuids(self, planned: Planned) -> list[str]:
        """Return the noted uuids of a record that no record has any more, as far as is known."""
        return [uuid for uuid in self.noted_uuids(planned) if self.state.known(planned.kind, uuid) is None]

    # ---- add to the plan

    def warn(self, planned: Planned, warnings: Iterable[str]) -> None:
        """Note warnings about a record."""
        shown = (NOT_SHOWN if self.hiding.touches(planned.entry) else warning for warning in warnings)
        self.result.warnings += [f"{planned}: {warning}" for warning in shown]

    def take(self, planned: Planned) -> None:
        """Add a change to the plan, or count it as unchanged."""
        if self.options.only or self.options.exclude:
            self.planned_names.add(planned.words or planned.key)
        if not planned.change.changed:
            self.result.unchanged[planned.section] += 1
        elif self.is_chosen(planned):
            if planned.change.action == CREATE and not planned.kind.defines_fields:
                planned.earlier = self.lost_uuids(planned)
            self.result.changes.append(planned)

    def skip(self, planned: Planned, reason: str) -> None:
        """Leave a record alone, and note the reason."""
        self.result.skipped[planned.section] += 1
        self.result.warnings.append(f"{planned}: {reason}")

    def is_chosen(self, planned: Planned) -> bool:
        """Return True if only and exclude leave a change in the plan."""
        return self.options.selects(planned.kind, lambda: planned.words or planned.key)
