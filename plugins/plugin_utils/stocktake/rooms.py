# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rooms where objects belong, and the rooms where they were found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.field import Field, readable, shorten
from ...module_utils.model.kinds import ROOM
from ...module_utils.model.schema import type_of
from ...module_utils.model.types_links import Reference
from ..set_plan.listed_state import ListedState


class Doubtful(Exception):
    """Raised if a room in an answer can't be identified; the message says why."""


@dataclass(frozen=True)
class Room:
    """A room that objects refer to.

    :ivar mark: its identifier: the uuid, or the id if no list shows the room and no uuid is known.
    :ivar path: the name by which files refer to it.
    :ivar location: the name of its location; empty if it has none.
    :ivar name: its number or name within the location.
    :ivar record: None if no list shows it.
    """

    mark: str | int
    path: str
    location: str = ""
    name: str = ""
    record: Record | None = None


class Rooms:
    """The rooms of an instance, found by the links of objects."""

    def __init__(self, state: ListedState) -> None:
        self._state = state
        self._by_raw: dict[Any, Room | None] = {}

    def read(self, field: Field, raw: Any) -> Room | None:
        """Return the room in a field of an object, or None if the field is empty.

        :param raw: the value in the answer of the service.
        :raises Doubtful: if it is unclear which room is meant.
        """
        quick = raw.get("uuid") or raw.get("id") if isinstance(raw, Mapping) else raw
        if quick.__class__ not in (str, int):
            return self._read(field, raw)
        if quick not in self._by_raw:
            self._by_raw[quick] = self._read(field, raw)
        return self._by_raw[quick]

    def _read(self, field: Field, raw: Any) -> Room | None:
        value = None if raw is None else type_of(field).read(raw, field)
        if value is None or isinstance(value, Reference):
            return None if value is None else self.target_of(value)
        raise Doubtful(f"{field.key}: the answer of the service is not a room: {shorten(raw)}")

    def target_of(self, reference: Reference) -> Room:
        """Return the room that a resolved reference means."""
        reference = self._state.completed(reference)
        record = self._state.find(reference)
        if record is None:
            mark = reference.uuid or reference.id
            if mark is None:
                raise Doubtful("a room without uuid and id")
            path = readable(reference.display_name) or str(mark)
            return Room(mark, path, name=path)
        place = self._state.place_of(record)
        location = (self._state.name_of(place) or place.uuid) if place is not None else ""
        name = next(filter(None, (readable(record.flat.get(key)) for key in ROOM.labels)), record.uuid)
        return Room(record.uuid, self._state.name_of(record) or name, location, name, record)
