# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Duplicates after a run: natural keys that stand twice, because somebody else made the same at the same time."""

from __future__ import annotations

from collections.abc import Iterable

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import references_in
from ansible_collections.community.seventhings.plugins.module_utils.plan import change as plan
from ansible_collections.community.seventhings.plugins.module_utils.plan.duplicates import uuids_of_duplicates

from .plan import Planned
from .state import ListedState


def duplicates_of(client: Client, before: ListedState | None, writes: Iterable[Planned]) -> list[str]:
    """Lists the kinds of what was made once more. Returns the keys that stand twice, with all their uuids.

    :param before: the lists that the plan was made from; what the run made nothing of is as it was.
    """
    made = [
        planned
        for planned in writes
        if planned.change.action == plan.CREATE and planned.made and planned.kind.create_path
    ]
    state = ListedState(client)
    if before is not None:
        state.take_over(before, {*KINDS} - {planned.kind.name for planned in made})
    found = []
    for planned in made:
        for reference in references_in(tuple(planned.desired[key] for key in planned.keys)):
            state.records(KINDS[reference.target])
        uuids = uuids_of_duplicates(state, planned.schema, planned.keys, planned.desired, planned.entry.template)
        if uuids:
            found.append(f"{planned} stands twice: {', '.join(uuids)}")
    return found
