# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan for a whole instance. It reads each list once, in memory, and writes nothing.

:func:`plan_instance` is the loop, and :data:`ASPECTS` are the concerns of a plan, whose hooks the loop calls.

Parents are matched before children, so a reference to a parent has its meaning when a child is compared. A record with
a reference to its own section, or to a later one, stays a candidate until all lists are read. Only the entry of an
unchanged record is kept.

A set of one record takes the same loop. The modules for one record (``plan/record_planner.py``) have their own,
because they send narrow requests instead of reading lists.
"""

from __future__ import annotations

from ...module_utils.client.client import Client
from ...module_utils.errors import FeatureOff, ListMissing
from ...module_utils.model.kinds import KINDS
from ..desired.desired import SECTIONS, DesiredInstance
from .applied_values import AppliedValues
from .archived import Archived, match_archived
from .aspect import Aspect, collect
from .canonical import asked_by_files
from .cells import EmptiedCells
from .checks import check_scope, check_visibility, removals_of
from .comparison import Comparison
from .context import PlanContext
from .definitions import Definitions
from .hidden_records import HiddenRecords
from .hub import plan_offers
from .identity import Identity
from .lifecycle import Lifecycles
from .limits import PlanLimits
from .matching import Matching
from .observed import ObservedFields
from .places import Places
from .plan import InstancePlan, PlanOptions, level_of
from .prune import Pruning
from .relabelled import RelabelledRecords
from .removal_blockers import RemovalBlockers, may_be_occupied
from .removed_references import RemovedReferences
from .renames import Moved
from .ruled import Rules
from .scan_codes import ScanCodes
from .selection import Selection
from .similar_names import SimilarNames
from .sources import LostSources
from .table_rows import TableRows
from .unique_values import UniqueValues
from .users import Users
from .written_values import WrittenValues

#: The concerns of a plan. The loop calls their hooks in this order.
ASPECTS: tuple[type[Aspect], ...] = (
    Identity,
    ObservedFields,
    LostSources,
    Archived,
    TableRows,
    RelabelledRecords,
    Moved,
    Places,
    RemovedReferences,
    Users,
    RemovalBlockers,
    UniqueValues,
    ScanCodes,
    Selection,
    SimilarNames,
    WrittenValues,
    Lifecycles,
    AppliedValues,
    Rules,
    PlanLimits,
    HiddenRecords,
    EmptiedCells,
)


def plan_instance(client: Client, desired: DesiredInstance, options: PlanOptions | None = None) -> InstancePlan:
    """Plan the whole desired state. Mistakes are in ``findings``; with findings nothing may be applied.

    A section that the options leave out may have no list on the instance, unless other sections need that list.

    :raises FeatureOff, ListMissing: for another section, with the place of its first record.
    """
    context = PlanContext(client, desired, options or PlanOptions())
    while True:
        try:
            return _planned(context)
        except (FeatureOff, ListMissing) as error:
            kind = context.state.unread
            entry = next((entry for entry in context.desired.entries if entry.kind is kind), None)
            if kind is None or entry is None:
                raise
            if not context.options.leaves_out(kind):
                place = context.hiding.shown_place(entry.place)
                error.message = f"{place}: {error.message} exclude: [{kind.section}] leaves these out."
                raise
        earlier = context.state
        context = PlanContext(client, context.desired.without(kind.section), context.options)
        context.state.take_over(earlier, KINDS)


def _planned(context: PlanContext) -> InstancePlan:
    """Return the plan of a context."""
    hooks = context.hooks = collect([aspect(context) for aspect in ASPECTS])
    comparison = Comparison(context)
    Definitions(context, comparison.compare).run()
    context.check_settings()
    matching = Matching(context, comparison.count)
    pairs = matching.run()
    for joined in hooks.joined:
        joined(pairs)
    check_scope(context)
    check_visibility(context)
    pruned = list(Pruning(context).run())
    context.removals = removals_of(context, pairs, pruned)
    if not context.findings and any(map(may_be_occupied, context.removals.values())):
        # An archived record keeps its links.
        match_archived(context, pairs, ("archived",))
    pairs.reverse()
    while pairs:
        # What is done is freed.
        comparison.compare(*pairs.pop())
    for entry in reversed(matching.dropped):
        # By now every possible target of a reference is known.
        context.resolve(context.read(entry)[0], entry)
    for offer in plan_offers(context):
        comparison.take_offer(offer)
    for planned in pruned:
        context.take(planned)
    for complete in hooks.complete:
        complete()
    return _closed(context)


def _closed(context: PlanContext) -> InstancePlan:
    """Return the plan, its changes in the order of their levels."""
    result = context.result
    order = {section: number for number, section in enumerate(SECTIONS)}
    result.changes.sort(key=lambda planned: (level_of(planned.section), order[planned.section], planned.key))
    result.findings = context.findings
    if context.options.is_approvable and not result.findings:
        result.asked = asked_by_files(context)
    result.warnings += context.carried()
    for warnings in context.hooks.warnings:
        result.warnings += warnings()
    result.warnings.sort()
    return result
