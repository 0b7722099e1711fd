# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a plan that cannot be undone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...module_utils.model.types_links import references_in
from ...module_utils.plan.change import UPDATE
from ..set_plan.plan import Planned, mark_of
from ..undo.lasting import Lasting, lasting_words


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
        planned.made or id(planned.entry),
        frozenset(
            mark_of(reference.pending, reference.uuid) for reference in references_in(tuple(change.values.values()))
        ),
        hidden,
    )
