# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes that depend on complete lists: removals, creations, and links to created records.

If an account is limited to locations, its lists are not complete.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ...module_utils.model.kinds import KINDS
from ...module_utils.model.types_links import references_in
from ...module_utils.plan.allowed import LIMITED_ACCOUNT, how_to_allow
from ...module_utils.plan.change import ARCHIVE, CREATE, DELETE
from ...module_utils.printing.cleaner import amount
from ...module_utils.resolve.field_visibility import LIMITED, unreadable
from ...module_utils.resolve.hidden_records import NO, YES, Visibility
from ..desired.desired import SECTIONS
from .aspect import Aspect
from .context import PlanContext
from .plan import Planned

_LIFTED = f"{how_to_allow(LIMITED_ACCOUNT)} lets this pass"


class HiddenRecords(Aspect):
    """Refuse changes that are wrong if records are hidden, and warn of changes that may be wrong."""

    def complete(self) -> None:
        """Check the changes, if any of them depends on complete lists."""
        context = self._context
        result = context.result
        removals = Counter(planned.section for planned in result.changes if planned.change.action in (DELETE, ARCHIVE))
        creations = [
            planned for planned in result.changes if planned.change.action == CREATE and planned.kind.can_be_hidden
        ]
        if not (removals or creations or result.unmatched):
            return
        renamed = [planned for planned in creations if context.old_keys.get(id(planned.entry))]
        unseen = [planned for planned in creations if not context.options.unseen.isdisjoint(planned.earlier)]
        visible = context.state.visibility(reads_proof=bool(renamed or unseen))
        result.visibility = visible
        if LIMITED_ACCOUNT not in context.options.allow and visible.hidden_records != NO:
            result.exceeded_limits += _links_moved(context)
            result.exceeded_limits += _renamed(context, renamed, visible)
            result.exceeded_limits += [
                f"{planned}: an earlier run created it, {unreadable(planned.earlier[0])}, and this plan would create "
                f"it again; {_LIFTED}"
                for planned in unseen
            ]
        if LIMITED_ACCOUNT not in context.options.allow and visible.hidden_records == YES:
            result.exceeded_limits += _removed(context, removals, visible)
            result.exceeded_limits += _created_twice(creations, visible)
        result.warnings += _warnings(context, creations, visible)
        # A new instance has no records with old keys.
        unsure = Counter(planned.section for planned in renamed if result.everywhere[planned.section])
        result.warnings += _in_no_list(
            unsure, ("with a new key in moved.yml is", "with new keys in moved.yml are"), visible
        )


def _links_moved(context: PlanContext) -> Iterator[str]:
    """Yield the changes that move a link from an unlisted to a created record.

    Both may be the same record.
    """
    for planned in context.result.changes:
        current = planned.change.current
        for key, value in planned.change.values.items() if current is not None else ():
            created = next((reference for reference in references_in(value) if reference.pending is not None), None)
            if created is None or current is None:
                continue
            for linked in references_in(planned.schema.read_field(key, current.flat)):
                kind = KINDS[linked.target]
                if linked.uuid in context.options.deleted:
                    continue
                if not linked.uuid or context.state.find(linked) is not None:
                    continue
                record = context.state.read_unlisted(kind, linked.uuid)
                if record is None or not record.archived:
                    yield (
                        f"{planned}: {key} leads to the {kind.words} {linked.uuid}, which no list shows, and would "
                        f"lead to {kind.singular} that this plan creates, maybe a second time, because {LIMITED}; "
                        f"{_LIFTED}"
                    )


def _renamed(context: PlanContext, renamed: Sequence[Planned], visible: Visibility) -> Iterator[str]:
    """Yield the creations under new keys of records that exist under their old keys, or may do so."""
    for planned in renamed:
        # A hidden key is noted by its place, which says nothing.
        noted = () if planned.kept_as else set(planned.earlier).intersection(context.noted_before(planned))
        if visible.may_hide(planned.kind) and (noted or visible.hidden_records == YES):
            yield (
                f"{planned}: moved.yml renames {' '.join([planned.kind.singular, *sorted(noted)])} to this key, but no "
                f"list shows it, and this plan would create it, maybe a second time, because "
                f"{visible.evidence or LIMITED}; {_LIFTED}"
            )


def _removed(context: PlanContext, removals: Counter[str], visible: Visibility) -> Iterator[str]:
    """Yield the sections from which records are removed, unless a scope bounds them.

    Files write the scope, so a protected task does not rely on it.
    """
    options, scope = context.options, context.desired.scope
    for section, number in sorted(removals.items()):
        if options.is_protected or section not in scope:
            lifted = _LIFTED if options.is_protected else f"a scope of {section}, or {_LIFTED}"
            yield (
                f"{section}: {number} would be deleted or archived, and this account does not see all records "
                f"({visible.evidence}); {lifted}"
            )


def _created_twice(creations: Sequence[Planned], visible: Visibility) -> Iterator[str]:
    """Yield the sections whose records may be created a second time, because no unique value would prevent it."""
    numbers = Counter(
        planned.section
        for planned in creations
        if planned.kind.can_be_archived and not any(planned.schema.fields[key].unique for key in planned.keys)
    )
    for section, number in sorted(numbers.items()):
        yield (
            f"{section}: {number} would be created by a natural key that need not be unique, and this account does not "
            f"see all records ({visible.evidence}); {_LIFTED}"
        )


def _warnings(context: PlanContext, creations: Sequence[Planned], visible: Visibility) -> Iterator[str]:
    is_proven = visible.hidden_records == YES
    if creations and is_proven:
        yield (
            f"hidden_records: {amount(len(creations), 'record is', 'records are')} created although this account does "
            f"not see all records ({visible.evidence}). The service refuses those whose unique values are taken."
        )
    words = ("that should be absent or archived is", "that should be absent or archived are")
    yield from _in_no_list(context.result.unmatched, words, visible)


def _in_no_list(numbers: Counter[str], words: tuple[str, str], visible: Visibility) -> Iterator[str]:
    """Yield the sections with entries in no list that may be hidden.

    :param words: about one entry, and about others.
    """
    for section, number in sorted(numbers.items()):
        if visible.may_hide(KINDS[SECTIONS[section]]):
            yield f"{section}: {amount(number, *words)} in no list, and may be hidden ({visible.evidence or LIMITED})."
