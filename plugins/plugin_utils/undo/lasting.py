# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of changes that cannot be undone, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ...module_utils.model.kinds import KINDS
from ...module_utils.plan.change import CREATE, DELETE, UPDATE
from ...module_utils.printing.cleaner import amount
from .record import RecordedChange
from .values import Mark, is_fingerprint, referred

_DELETION = ("deletion", "deletions")
_DEFINITION = ("changed field definition", "changed field definitions")
_UNRECORDED = ("vaulted, hidden or unreadable value", "vaulted, hidden or unreadable values")
_ARCHIVED = ("record from the archive", "records from the archive")


def stays(change: RecordedChange) -> bool:
    """Return True if a change creates what no undo removes, whatever else was done."""
    kind = KINDS[change.kind]
    return change.action == CREATE and (kind.defines_fields or kind.creation_sends_mail)


def drops_values(change: RecordedChange) -> bool:
    """Return True if a definition loses choices or its type, and so records lose values."""
    if change.action != UPDATE or not KINDS[change.kind].defines_fields:
        return False
    choices = change.before.get("possible_values") or ()
    return "type" in change.after or any(
        choice not in (change.after.get("possible_values") or ()) for choice in choices
    )


def kept_by_archived(changes: Iterable[RecordedChange]) -> set[Mark]:
    """Return the marks of created records that can't be deleted.

    Created records that are archived keep their references to them.
    """
    creations = [change for change in changes if change.action == CREATE and not KINDS[change.kind].numbered]
    # Changes of an interrupted run have no uuids, and references in those of its second run may have them.
    created = {mark: change for change in creations for mark in (change.uuid, change.mark)}
    kept: set[Mark] = set()
    referring = [change for change in creations if KINDS[change.kind].can_be_archived]
    while referring:
        for mark in referred(list(referring.pop().after.values())):
            other = created.get(mark)
            if other is not None and not KINDS[other.kind].can_be_archived and other.mark not in kept:
                kept.add(other.mark)
                referring.append(other)
    return kept


def lasting_words(changes: Iterable[RecordedChange]) -> str:
    """Return what can't be undone at all, and what only in part; empty if everything can be."""
    changes = list(changes)
    kept = kept_by_archived(changes)
    lasting: Counter[str] = Counter()
    partly: Counter[tuple[str, str]] = Counter()
    for change in changes:
        if stays(change) or (change.action == CREATE and change.mark in kept):
            lasting[change.kind] += 1
        elif change.action == DELETE:
            partly[_DELETION] += 1
        elif drops_values(change):
            partly[_DEFINITION] += 1
        elif change.unarchived:
            partly[_ARCHIVED] += 1
    hidden = sum(
        is_fingerprint(was) or is_fingerprint(change.after.get(key))
        for change in changes
        if not change.unarchived
        for key, was in change.before.items()
    )
    parts = []
    if lasting or hidden:
        names = [amount(count, KINDS[name].words, KINDS[name].plural) for name, count in lasting.items()]
        names += [amount(hidden, *_UNRECORDED)] if hidden else []
        parts.append(f"cannot be undone: {', '.join(names)}")
    if partly:
        names = [amount(count, *words) for words, count in partly.items()]
        parts.append(f"only in part: {', '.join(names)}")
    return "; ".join(parts)
