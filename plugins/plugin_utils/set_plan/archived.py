# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Archived twins: no list shows an archived object, so it is looked for by its barcode before another is made with it,
and before it is taken to be gone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Record
from ansible_collections.community.seventhings.plugins.module_utils.errors import SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.plan.archived import (
    MayBeHidden,
    archived_twin,
    can_be_looked_up,
    is_archived_twin,
)
from ansible_collections.community.seventhings.plugins.module_utils.resolve.sight import unlisted

from .context import PlanContext
from .plan import Planned

_SAMPLE = 40
"""How many objects that would be made are looked up by their barcode before the others are taken not to be archived."""

Pair = tuple[Planned, "Record | None"]
"""A planned change, and the record that is there."""


Key = TypeVar("Key", int, str)
"""Names an object that may be archived."""


def sample(keys: Sequence[Key]) -> Sequence[Key]:
    """The objects that are looked up first: of very many only some, evenly spread."""
    return keys[:: len(keys) // _SAMPLE] if len(keys) > 2 * _SAMPLE else keys


def looked_up(keys: Sequence[Key], look: Callable[[Sequence[Key]], dict[Key, Record]]) -> dict[Key, Record]:
    """The objects that are found by their barcode. Where a sample holds none, the others are taken not to be there.

    :param look: looks some of them up.
    """
    first = sample(keys)
    found = look(first)
    if found and len(first) < len(keys):
        seen = set(first)
        found |= look([key for key in keys if key not in seen])
    return found


def with_archived_twins(context: PlanContext, matched: list[Pair]) -> list[Pair]:
    """Objects that would be made, or are to be gone and in no list, are looked up by their barcode.

    Of very many only some, evenly spread: where none of them is archived, the others are taken to be in no
    archive either, and the service has the last word.
    """
    fresh = [
        index
        for index, (planned, current) in enumerate(matched)
        if current is None
        and can_be_looked_up(planned.schema, planned.desired)
        and planned.entry.state in ("present", "absent")
        and not planned.entry.uuid
    ]
    transport = context.client.transport
    transport.rate.expect(len(sample(fresh)) + (0 if transport.read_only else len(fresh)))
    for index, record in looked_up(fresh, lambda indexes: _archived(context, matched, indexes)).items():
        planned, _none = matched[index]
        if context.claim(planned.kind, record.uuid, planned.entry):
            try:
                planned.archived = is_archived_twin(context.client, record, context.options.assume_archived)
            except MayBeHidden as hidden:
                context.find(planned.entry.place, hidden.message)
                continue
            if not planned.archived:
                # It should have been in the list.
                context.result.searched.add(planned.kind.name)
                context.warn(planned, [unlisted(record)])
            context.state.replace(planned.kind, planned.entry, record)
            matched[index] = (planned, record)
    return matched


def _archived(context: PlanContext, matched: Sequence[Pair], indexes: Sequence[int]) -> dict[int, Record]:
    if not indexes:
        return {}

    def look(index: int) -> Record | None:
        planned, _none = matched[index]
        try:
            return archived_twin(context.client, planned.schema, planned.keys, planned.desired)
        except SeventhingsError as error:
            # The barcode stands in the path.
            error.message = context.hiding.reason(planned.entry, error)
            raise

    with ThreadPoolExecutor(max_workers=max(1, context.options.workers)) as pool:
        return {index: record for index, record in zip(indexes, pool.map(look, indexes), strict=True) if record}
