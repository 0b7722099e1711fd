# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find creations that look like renames: the key is new, but other values suggest that the record already exists.

No requests are made here.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.kinds import OBJECT
from ...module_utils.model.schema import Schema
from ...module_utils.plan.change import CREATE
from ..set_plan.plan import InstancePlan, Planned

_DISTINCTIVE = ("serial_number", "inventory_name")
"""Fields that two records seldom share, the most reliable first.

They count only if the value is unique on both sides.
"""

_MOST = 10
"""Maximum number of suspicions that are reported one by one."""


def suspected_renames(plan: InstancePlan) -> list[str]:
    """Return a line for each new object that may exist under another key, with its line for ``moved.yml``.

    Vaulted values are not compared.
    """
    created = [
        planned for planned in plan.changes if planned.kind.name == OBJECT.name and planned.change.action == CREATE
    ]
    if not created or plan.state is None or plan.hiding.has_any or not plan.state.is_listed(OBJECT):
        return []
    known = {
        *plan.managed.get(OBJECT.name, ()),
        *(planned.change.current.uuid for planned in plan.changes if _stays(planned) and planned.change.current),
    }
    left = [record for record in plan.state.records(OBJECT) if record.uuid not in known]
    lines = [_proposal(*pair) for pair in _pairs(created, left)]
    rest = len(lines) - _MOST
    return [*lines[:_MOST], f"{rest} more new objects look like renames."] if rest > 0 else lines


def _stays(planned: Planned) -> bool:
    """Return True if the files decide about a record. They do not for a pruned record."""
    return not planned.entry.pruned


def _pairs(created: Iterable[Planned], left: Iterable[Record]) -> Iterator[tuple[Planned, Record, str]]:
    """Yield new objects, each with the record that it may be, and the field that suggests it."""
    waiting = {id(planned): planned for planned in created}
    free = {record.uuid: record for record in left}
    for key in _DISTINCTIVE:
        wanted: dict[Any, list[Planned]] = defaultdict(list)
        existing: dict[Any, list[Record]] = defaultdict(list)
        for planned in waiting.values():
            wanted[planned.desired.get(key)].append(planned)
        schema = next((planned.schema for planned in waiting.values()), None)
        if schema is None or key not in schema.fields:
            continue
        for record in free.values():
            existing[schema.read_field(key, record.flat)].append(record)
        for value, candidates in wanted.items():
            if isinstance(value, str) and value and len(candidates) == 1 and len(existing.get(value, ())) == 1:
                planned, record = candidates[0], existing[value][0]
                del waiting[id(planned)], free[record.uuid]
                if _key_of(schema, planned, record):
                    yield planned, record, key


def _key_of(schema: Schema, planned: Planned, record: Record) -> dict[str, str]:
    """Return the natural key of a record, or an empty map if ``moved.yml`` cannot name it."""
    key = {name: schema.read_field(name, record.flat) for name in planned.keys}
    return key if all(isinstance(value, str) and value for value in key.values()) else {}


def _proposal(planned: Planned, record: Record, field: str) -> str:
    old = _key_of(planned.schema, planned, record)
    new = {name: planned.desired[name] for name in planned.keys}
    line = json.dumps({planned.section: [{"from": old, "to": new}]}, ensure_ascii=False)
    words = "/".join(old.values())
    return (
        f"{planned} would be new, and looks like {words} with another key (the same {field}). "
        f"If it is the same one, write into moved.yml: {line}"
    )
