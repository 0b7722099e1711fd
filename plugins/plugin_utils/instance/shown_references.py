# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""References as people write them, on both sides of a change. No requests are made here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import Reference, references_in

from ..set_plan.plan import Planned
from ..set_plan.state import ListedState


def before_as_written(planned: Planned, state: ListedState | None) -> Mapping[str, Any]:
    """The fields of a change as they are, a reference by the natural key of its record.

    The service calls a room by its number alone; files say ``Head office/0.12``.

    :param state: the lists that the plan was made from; a record that stands in none keeps the name it has.
    """
    change, schema = planned.change, planned.schema
    if state is None or change.current is None or not change.before:
        return change.before
    told = dict(change.before)
    for key in change.before:
        if key not in schema.fields or key not in change.values or schema.fields[key].retyped:
            continue
        is_now = schema.read_one(key, change.current.flat)
        names = {id(one): _name(one, state) for one in references_in(is_now)}
        if isinstance(is_now, Reference | tuple) and any(names.values()):
            for one in references_in(is_now):
                one.written = names[id(one)]
            told[key] = schema.brief(key, is_now)
    return told


def _name(reference: Reference, state: ListedState) -> str | None:
    """The natural key of what is referred to, where the lists that tell it were read."""
    kind = KINDS[reference.target]
    if not (state.is_listed(kind) and (not kind.parent or state.is_listed(KINDS[kind.parent]))):
        return None
    record = state.find(reference)
    return state.name_of(record) if record is not None else None
