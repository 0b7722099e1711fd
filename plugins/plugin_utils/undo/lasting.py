# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of changes that cannot be undone, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple

from ...module_utils.model.kinds import KINDS, Kind
from ...module_utils.model.types_links import references_in
from ...module_utils.plan.change import CREATE, DELETE, UPDATE
from ..set_plan.marks import mark_of
from ..set_plan.plan import Planned

_DELETION = ("deletion", "deletions")
_DEFINITION = ("changed field definition", "changed field definitions")
_UNRECORDED = ("vaulted, hidden or unreadable value", "vaulted, hidden or unreadable values")
_ARCHIVED = ("record from the archive", "records from the archive")


class Lasting(NamedTuple):
    """The properties of a change that decide if it can be undone.

    :ivar before: fields of an update before it.
    :ivar after: the written fields.
    :ivar unarchived: True if an update brings the record back from the archive.
    :ivar mark: the identifier in references to the record.
    :ivar refers: the identifiers of the records that it refers to.
    :ivar hidden: number of earlier values that the apply record doesn't contain.
    """

    kind: Kind
    action: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    unarchived: bool
    mark: Hashable
    refers: frozenset[Hashable]
    hidden: int = 0

    @property
    def stays(self) -> bool:
        """Return True if nothing of the change can be undone, whatever else was done."""
        return self.action == CREATE and (self.kind.defines_fields or self.kind.creation_sends_mail)

    @property
    def drops_values(self) -> bool:
        """Return True if a definition loses choices or its type, and so records lose values."""
        if self.action != UPDATE or not self.kind.defines_fields:
            return False
        choices = self.before.get("possible_values") or ()
        return "type" in self.after or any(
            choice not in (self.after.get("possible_values") or ()) for choice in choices
        )


def kept_by_archived(changes: Iterable[Lasting]) -> set[Hashable]:
    """Return the identifiers of created records that can't be deleted.

    Created records that are archived keep their references to them.
    """
    created = {change.mark: change for change in changes if change.action == CREATE and not change.kind.numbered}
    kept: set[Hashable] = set()
    referring = [change for change in created.values() if change.kind.can_be_archived]
    while referring:
        for mark in referring.pop().refers:
            other = created.get(mark)
            if other is not None and not other.kind.can_be_archived and mark not in kept:
                kept.add(mark)
                referring.append(other)
    return kept


def lasting_words(changes: Iterable[Lasting]) -> str:
    """Return what can't be undone at all, and what only in part; empty if everything can be."""
    changes = list(changes)
    kept = kept_by_archived(changes)
    lasting: Counter[str] = Counter()
    partly: Counter[tuple[str, str]] = Counter()
    for change in changes:
        if change.stays or (change.action == CREATE and change.mark in kept):
            lasting[change.kind.name] += 1
        elif change.action == DELETE:
            partly[_DELETION] += 1
        elif change.drops_values:
            partly[_DEFINITION] += 1
        elif change.unarchived:
            partly[_ARCHIVED] += 1
    hidden = sum(change.hidden for change in changes if change.action in (UPDATE, DELETE) and not change.unarchived)
    parts = []
    if lasting or hidden:
        names = [_counted(count, KINDS[name].words, KINDS[name].plural) for name, count in lasting.items()]
        names += [_counted(hidden, *_UNRECORDED)] if hidden else []
        parts.append(f"cannot be undone: {', '.join(names)}")
    if partly:
        names = [_counted(count, *words) for words, count in partly.items()]
        parts.append(f"only in part: {', '.join(names)}")
    return "; ".join(parts)


def _counted(number: int, singular: str, plural: str) -> str:
    return f"{number:,} {singular if number == 1 else plural}"


def not_undoable(changes: Iterable[Planned], unrecorded: Mapping[int, int]) -> str:
    """Return what can't be undone, and what only in part; empty if all of it can be.

    :param unrecorded: ``id`` of an entry to the number of earlier values that the apply record won't contain.
    """
    return lasting_words(_lasting(planned, unrecorded.get(id(planned.entry), 0)) for planned in changes)


def _lasting(planned: Planned, hidden: int) -> Lasting:
    change = planned.change
    return Lasting(
        change.kind,
        change.action,
        change.before,
        change.after,
        change.action == UPDATE and change.unarchive,
        planned.created_uuid or id(planned.entry),
        frozenset(
            mark_of(reference.pending, reference.uuid) for reference in references_in(tuple(change.values.values()))
        ),
        hidden,
    )
