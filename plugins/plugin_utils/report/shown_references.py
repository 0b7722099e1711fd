# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""References as people write them, on both sides of a change. No requests are made here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import references_in
from ansible_collections.community.seventhings.plugins.module_utils.plan.alike import alike

from ..set_plan.listed_state import ListedState
from ..set_plan.plan import Planned

Sides = tuple[Mapping[str, Any], Mapping[str, Any]]


def sides_as_written(planned: Planned, state: ListedState | None) -> Sides:
    """The fields of a change as they are and as they shall be, references by natural keys on both sides.

    The service calls a room by its number alone; files say ``Head office/0.12``, or its uuid.

    :param state: the lists that the plan was made from, all of which are read by now; a record that stands in none
        keeps the name it has.
    """
    change, schema = planned.change, planned.schema
    before, after = dict(change.before), dict(change.after)
    if state is None or change.current is None:
        return before, after
    for key in set(before) & set(after) & set(change.values):
        if key not in schema.fields or schema.fields[key].retyped:
            continue
        is_now, wanted = schema.read_one(key, change.current.flat), change.values[key]
        if any(references_in((is_now, wanted))):
            is_now, wanted = alike(is_now, wanted, state.known_name_of)
            before[key], after[key] = schema.brief(key, is_now), schema.brief(key, wanted)
    return before, after
