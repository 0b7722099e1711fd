# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of the rows of tables of other systems, by table and reason."""

from __future__ import annotations

from typing import Any

from ...module_utils.model.schema import Schema, type_of
from ..desired.hiding import VAULTED
from ..set_plan.plan import InstancePlan, TableNote
from .removals import Removals

_PRICE = "purchasing_price"

#: Table to reason to rows.
Rows = dict[str, dict[str, list[dict[str, Any]]]]


def rows_by_table(plan: InstancePlan, removals: Removals) -> Rows:
    """Return the rows that are not used as they were written, and the records that left a table, in their order."""
    found: Rows = {}
    for note in sorted(plan.table_notes, key=lambda note: (note.place.source, note.place.line, note.place.column)):
        table = note.place.file or note.place.source
        found.setdefault(table, {}).setdefault(note.reason, []).append(_row(note, removals))
    return found


def _row(note: TableNote, removals: Removals) -> dict[str, Any]:
    planned = note.planned
    current = planned.change.current
    code = planned.kind.barcode_key
    return {
        "section": planned.section,
        "key": VAULTED if any(removals.hides(planned, key) for key in planned.keys) else planned.key,
        "scan_code": _value(note, removals, code) if code else None,
        "name": removals.name_of(planned),
        "value": _value(note, removals, _price_of(planned.schema)),
        "place": str(note.place.row),
        "uuid": current.uuid if current is not None else None,
        "why": note.words,
    }


def _price_of(schema: Schema) -> str:
    """Return the name of the field with the value of a record; empty if there is no such field."""
    money = [key for key, field in schema.fields.items() if field.type == "MONEY"]
    return _PRICE if _PRICE in money else next(iter(money), "")


def _value(note: TableNote, removals: Removals, key: str) -> Any:
    """Return a field of a record as JSON has it; None without a value."""
    field = note.planned.schema.fields.get(key)
    if field is None:
        return None
    if removals.hides(note.planned, key):
        return VAULTED
    value = removals.now(note.planned, key)
    return None if value in (None, "", ()) else type_of(field).show(value)
