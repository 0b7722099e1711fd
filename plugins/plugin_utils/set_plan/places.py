# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ambiguous places: a room with the location of another room, or a new location without a room."""

from __future__ import annotations

from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.field import Field, first_of, shorten
from ...module_utils.model.rooms import locations_of_rooms, not_of_room
from ...module_utils.model.schema import FieldError, Misfit, Schema
from ...module_utils.model.types_links import Reference
from ..desired.parsing import written_as
from .aspect import Aspect
from .context import PlanContext
from .coupled import following, is_same
from .plan import Planned

#: Maximum number of records in a warning.
_MOST_NAMED = 5


class Places(Aspect):
    """Refuse a location beside a room of another location. Warn of rooms that a new location may empty."""

    def __init__(self, context: PlanContext) -> None:
        super().__init__(context)
        self._state = context.state
        self._emptied: dict[tuple[str, str], list[str]] = {}
        self._pairs: dict[str, list[tuple[Field, Field]]] = {}

    def linked(self, planned: Planned) -> None:
        """Compare each location with the location of the room in the same record."""
        if not planned.kind.template or planned.entry.state != "present":
            return
        for room, location in self._pairs_of(planned.schema):
            inside = planned.desired.get(room.key)
            if isinstance(inside, Reference) and location.key in planned.desired:
                self._compare(planned, room, location, inside, planned.desired[location.key])

    def changed(self, planned: Planned, current: Record | None) -> None:
        """Note the rooms that may be emptied, because only another location is written."""
        pairs, desired = self._pairs_of(planned.schema), planned.desired
        if all(location.key not in planned.change.values for _room, location in pairs):
            return
        follows = following(self._state, planned.schema, desired, current)
        for room, location in pairs:
            if room.key in follows:
                record = self._state.find(planned.now(room.key))
                is_shown = record is not None and not self._context.hiding.touches(planned.entry)
                name = self._state.shown_name_of(record) if record is not None and is_shown else None
                names = self._emptied.setdefault((room.key, location.key), [])
                names.append(f"{planned} ({name})" if name else str(planned))

    def warnings(self) -> list[str]:
        """Return one warning for each field that links to a room."""
        return [
            f"{room} of {first_of(names, _MOST_NAMED)} may be emptied, because {location} changes; write {room}, too."
            for (room, location), names in self._emptied.items()
        ]

    def _compare(self, planned: Planned, room: Field, location: Field, inside: Reference, beside: Any) -> None:
        own = self._state.parent_to_be(inside)
        if own is None or is_same(own, beside):
            return
        entry = planned.entry
        names = [written_as(planned.schema, entry, field.key) for field in (room, location)]
        written = [entry.fields.get(name) for name in names]
        found = self._state.find(own)
        actual = (self._state.name_of(found) if found is not None else None) or own.written or own.uuid
        why = not_of_room(names[0], written[0], actual)
        gist = "this is not the location of the room beside it"
        misfit = Misfit(written[1], why)
        words = f"{names[1]}: {shorten(written[1])} {why}"
        self._context.find(entry.place_of(names[1]), FieldError.at((names[1],), words, gist, misfit))

    def _pairs_of(self, schema: Schema) -> list[tuple[Field, Field]]:
        if schema.kind.name not in self._pairs:
            pairs = locations_of_rooms(schema).items()
            self._pairs[schema.kind.name] = [(schema.fields[room], schema.fields[location]) for location, room in pairs]
        return self._pairs[schema.kind.name]
