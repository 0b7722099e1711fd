# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""References as people write them, on both sides of a change. No requests are made here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...module_utils.model.field import is_generated_key
from ...module_utils.model.types_links import Reference, references_in
from ...module_utils.plan.change import UPDATE
from ...module_utils.plan.notation import in_one_notation
from ..set_plan.listed_state import ListedState
from ..set_plan.plan import Planned

_RELATIONS = "relations"

Sides = tuple[Mapping[str, Any], Mapping[str, Any]]


def sides_as_written(planned: Planned, state: ListedState | None, name_of: Callable[[Reference], str | None]) -> Sides:
    """Return the fields of a change before and after, references by natural keys on both sides.

    The service names a room only by its number; files name it ``Head office/0.12``, or by its uuid. A new record has no
    side before, and a deleted record none after.

    :param state: the lists that the plan was made from, all of which are read by now. A record in none of them keeps
        its name. None to change nothing.
    :param name_of: returns the natural key of a referenced record, if it may be shown.
    """
    change, schema = planned.change, planned.schema
    before, after = dict(change.before), dict(change.after)
    if state is None:
        return before, after
    if planned.kind.defines_fields:
        names = _names_of_fields(planned, state)
        return _named(before, names), _named(after, names)
    for key in {*before, *after} & {*schema.fields}:
        if schema.fields[key].retyped or (change.action == UPDATE and key not in change.values):
            continue
        is_now = planned.now(key)
        wanted = change.values.get(key)
        if any(references_in((is_now, wanted))):
            is_now, wanted = in_one_notation(is_now, wanted, name_of)
            if key in before:
                before[key] = schema.brief(key, is_now)
            if key in after:
                after[key] = schema.brief(key, wanted)
    return before, after


def _names_of_fields(planned: Planned, state: ListedState) -> dict[str, str]:
    """Return uuid and key of each defined field of a template, to the name that people use."""
    if not state.is_listed(planned.kind, planned.entry.template):
        return {}
    names: dict[str, str] = {}
    for record in state.records(planned.kind, planned.entry.template):
        key = str(record.flat.get("field_key"))
        label = record.flat.get("label")
        names[record.uuid] = names[key] = str(label) if label and is_generated_key(key) else key
    return names


def _named(values: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return values of a definition whose relations name other fields in one way, whatever was written."""
    written = values.get(_RELATIONS)
    if not isinstance(written, (list, tuple)):
        return values
    return {**values, _RELATIONS: [_relation(relation, names) for relation in written]}


def _relation(written: Any, names: Mapping[str, str]) -> Any:
    if not isinstance(written, Mapping):
        return written
    other = str(written.get("field_uuid") or written.get("field"))
    rest = {name: value for name, value in written.items() if name not in ("field", "field_uuid")}
    return {**rest, "field": names.get(other.lower(), names.get(other, other))}
