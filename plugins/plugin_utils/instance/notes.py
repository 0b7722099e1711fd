# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the journal notes about the records of a set after an apply."""

from __future__ import annotations

from dataclasses import dataclass

from ...module_utils.model.kinds import KINDS
from ..apply.executor import Outcome
from ..apply.journal import Journal, JournalBroken
from ..desired.desired import INLINE, DesiredInstance
from ..desired.row_rules import KEEP, NO_RULES
from ..layers.records import MergedPlaces, origin_of
from ..set_plan.applied_values import note_applied
from ..set_plan.baseline import Baseline
from ..set_plan.plan import InstancePlan
from ..set_plan.prune import KEPT
from ..set_plan.sources import LAYERED

#: Number of records of each file whose file is noted. They show where its records are if it is renamed.
_SAMPLE = 20


@dataclass(frozen=True)
class Notes:
    """Notes about one apply.

    :ivar is_whole: True unless only a part of the set was applied.
    :ivar is_undo: True if an apply was undone.
    """

    plan: InstancePlan
    desired: DesiredInstance
    journal: Journal
    is_whole: bool
    is_undo: bool

    def archived(self, known: frozenset[str]) -> None:
        """Note the records that are archived, and those that are no longer part of the set.

        :param known: the uuids of records that are noted as archived.
        """
        for kind, key, uuid in self.plan.archived:
            if uuid not in known:
                self.journal.archived(kind, key, uuid)
        for kind, key, uuid in self.plan.released:
            if uuid in self.journal.known:
                self.journal.note_removal(kind, key, uuid)
        if not self.plan.changes:
            for kind_name, keys in self.plan.managed.items():
                self.journal.managed(kind_name, keys)

    def applied(self, outcome: Outcome, baseline: Baseline) -> None:
        """Note the protections, the sources and the values that are applied now."""
        left = {id(planned): planned for planned, _why in (*outcome.failures, *outcome.skipped, *outcome.not_tried)}
        entries = {id(planned.entry) for planned in (*left.values(), *self.plan.dropped)}
        for protection in self.plan.protections:
            # A record counts as removable again only after it was applied in that form.
            if protection.is_protected or id(protection.planned.entry) not in entries:
                self.journal.protect(protection.mark, protection.is_protected)
        done = [planned for planned in self.plan.changes if id(planned) not in left]
        note_applied(baseline, done, self.desired, self.is_undo)
        self._note_highest(baseline)
        try:
            if self.is_whole and not self.is_undo:
                self._note_sources()
            self.journal.note_values(baseline, self.plan.in_files() if self.is_whole and not self.is_undo else None)
        except JournalBroken as broken:
            # All changes were applied, and the result must say so.
            self.plan.warnings.append(broken.message)

    def _note_highest(self, baseline: Baseline) -> None:
        state = self.plan.state
        for kind in KINDS.values() if state is not None else ():
            if state is not None and state.is_listed(kind):
                ids = [record.id for record in state.records(kind) if record.id is not None]
                baseline.highest[kind.name] = max([*ids, baseline.highest.get(kind.name, 0)])

    def _note_sources(self) -> None:
        """Note the number of records in each source, and the file and line of records.

        With tables of other systems, all records are noted. The line is 0 outside of these tables. Without such tables,
        some records of each file are noted, without a line.
        """
        self.journal.applied(self.desired.sources)
        rules = {path: self.desired.rules_of(path) for path, _section in self.desired.sources}
        has_tables = bool(self.desired.tables.all_entries)
        origins: dict[str, str] = {}
        for uuid, entry in self.plan.in_files().items():
            place = origin_of(self.plan.rows.get(id(entry), entry))
            file = place.file or INLINE
            of_file = rules.get(file, NO_RULES)
            line = (place.line if of_file is not NO_RULES else 0) if has_tables else ""
            kept = KEPT if of_file.missing_rows == KEEP else ""
            origins[uuid] = f"{file}:{line}{kept}{LAYERED if isinstance(entry.places, MergedPlaces) else ''}"
        self.journal.came_from(origins, len(origins) if has_tables else _SAMPLE)
