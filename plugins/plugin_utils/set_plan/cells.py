# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find empty cells of tables that somebody may have emptied by mistake."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from ...module_utils.client.record import Record
from ...module_utils.model.field import EMPTY, Field
from ...module_utils.model.kinds import SERVER_KEYS
from ...module_utils.model.rooms import locations_of_rooms
from ...module_utils.model.schema import Schema
from .aspect import Aspect
from .context import PlanContext
from .plan import Planned


class EmptiedCells(Aspect):
    """Count empty cells of fields with a value on the instance.

    Somebody may have meant to clear these fields.
    """

    def __init__(self, context: PlanContext) -> None:
        super().__init__(context)
        self._counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self._fields: dict[tuple[str, str], tuple[Field | None, str]] = {}

    def compared(self, planned: Planned, current: Record | None) -> None:
        """Count the empty cells of a planned record in whose fields the existing record has a value."""
        if current is None or planned.entry.state != "present":
            return
        for name in planned.entry.empty_cells():
            field, room = self._field(planned.schema, name)
            # The service sets the location of a room that is written.
            is_compared = field is not None and field.key not in planned.left_alone and not planned.desired.get(room)
            if field is not None and is_compared and current.flat.get(field.wire_key) not in EMPTY:
                self._counts[planned.entry.place.source, planned.entry.place.file][name] += 1

    def _field(self, schema: Schema, name: str) -> tuple[Field | None, str]:
        """Return the writable field of a column, or None, and the field of the room whose location it has."""
        key = (schema.kind.name, name)
        if key not in self._fields:
            field = schema.find(name)
            field = None if field is None or field.key in SERVER_KEYS else field
            self._fields[key] = field, "" if field is None else locations_of_rooms(schema).get(field.key, "")
        return self._fields[key]

    def warnings(self) -> list[str]:
        """Return a warning for each table, with the names of its columns as the settings have them."""
        hiding, tables = self._context.hiding, self._context.desired.tables
        return [
            _emptied(
                source,
                {tables.column_of(file, name): count for name, count in counts.items()},
                hiding.is_on and hiding.is_vaulted(source),
            )
            for (source, file), counts in self._counts.items()
        ]


def _emptied(source: str, counts: Mapping[str, int], is_hidden: bool) -> str:
    number = sum(counts.values())
    columns = "" if is_hidden else f" ({', '.join(f'{name}: {count:,}' for name, count in sorted(counts.items()))})"
    if number == 1:
        return f"{source}: 1 empty cell where the instance has a value; `empty: clear` clears it{columns}"
    return f"{source}: {number:,} empty cells where the instance has values; `empty: clear` clears them{columns}"
