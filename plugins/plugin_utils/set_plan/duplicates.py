# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the outcome of creations.

Answers may be lost, and natural keys may exist twice because somebody else created the same record at the same time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ...module_utils.client.client import Client
from ...module_utils.client.record import Record
from ...module_utils.model.kinds import HUB_ITEM, KINDS
from ...module_utils.model.types_links import references_in
from ...module_utils.plan.change import CREATE
from .hub import offer_of
from .listed_state import ListedState
from .plan import Planned


def creations_in(writes: Iterable[Planned]) -> list[Planned]:
    """Return the created records of a plan that somebody else may have created, too."""
    return [
        planned
        for planned in writes
        if planned.change.action == CREATE and planned.created_uuid and planned.kind.create_path
    ]


def duplicates_of(state: ListedState, created: Iterable[Planned]) -> list[str]:
    """Return the natural keys of created records that exist twice, with all their uuids.

    :param state: the lists of their kinds after they were created.
    """
    found = []
    for planned in created:
        uuids = sorted(record.uuid for record in _matches(state, planned))
        if len(uuids) > 1:
            found.append(f"{planned} exists twice: {', '.join(uuids)}")
    return found


def created_now(
    client: Client, before: ListedState | None, writes: Iterable[Planned], creations: Sequence[Planned]
) -> dict[int, list[Record]]:
    """Return the present records with the natural keys of some creations, by the identity of the creations.

    List each kind once.

    :param before: the lists that the plan was made from, in which no record has these keys.
    :param writes: all changes of the plan.
    """
    if not creations:
        return {}
    if any(planned.kind.defines_fields for planned in creations):
        client.forget_definitions()
    written = [*creations, *(write for write in writes if write.created_uuid)]
    state = listed_now(client, before, {planned.kind.name for planned in written}, creations)
    found = {id(planned): _matches(state, planned) for planned in creations}
    return {identity: records for identity, records in found.items() if records}


def _matches(state: ListedState, planned: Planned) -> list[Record]:
    if planned.kind is HUB_ITEM:
        item = offer_of(state, planned.desired)
        return [] if item is None else [item]
    return state.find_existing(planned.schema, planned.keys, planned.desired, planned.entry.template)


def listed_now(
    client: Client, before: ListedState | None, changed: Collection[str], wanted: Iterable[Planned]
) -> ListedState:
    """Return the state of the instance for looking up records.

    :param changed: names of the kinds that are listed once more; all other lists are those of the plan.
    """
    state = ListedState(client)
    if before is not None:
        state.take_over(before, {*KINDS} - {*changed})
    for planned in wanted:
        # An instance may return links with the integer id only, and only a list maps it to a record.
        for reference in references_in(tuple(planned.desired[key] for key in planned.keys)):
            state.records(KINDS[reference.target])
    return state
