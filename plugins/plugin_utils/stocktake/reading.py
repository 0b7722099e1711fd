# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the lists for a stocktake: objects, rooms and locations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.client.record import Record
from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import Field, readable, shorten
from ...module_utils.model.kinds import ROOM
from ...module_utils.model.schema import type_of
from ...module_utils.model.types_links import Reference, parse_reference
from ...module_utils.resolve.field_visibility import keys_in_none, maybe_hidden_message
from ..everyday.lists import ObjectLists

_TIMES = frozenset(("DATETIME", "DATE"))


class Doubtful(Exception):
    """Raised if a value in an answer has no certain meaning; the message says why."""


@dataclass(frozen=True)
class StocktakeFields:
    """The fields of objects that a stocktake evaluates.

    :ivar target_location: the location that belongs to the target room; None if there is no such field.
    :ivar status: the field with the service's own status; None if there is none.
    :ivar time: None if the instance has no such field.
    """

    actual: Field
    target: Field
    target_location: Field | None
    status: Field | None
    code: Field
    time: Field | None


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


class InstanceLists(ObjectLists):
    """The lists of an instance that a stocktake needs.

    :ivar fields: the fields of objects that a stocktake evaluates.
    :ivar time_field: the name of the field with the time of a scan.
    :param code: the field with the scan code.
    :raises InvalidInput: if no field compares a target room with an actual room, or another field does not fit.
    """

    def __init__(self, client: Client, code: str, time: str) -> None:
        super().__init__(client)
        fields = self.schema.fields
        status, actual, target = self.compared_rooms()
        consequence = ", so no status can be computed. Give the account the right to read target and actual room."
        self.require_rooms((actual, target), consequence)
        of_time = self.schema.find(time)
        if of_time is not None and of_time.type not in _TIMES:
            raise InvalidInput(f"time_field: {time} is of the type {of_time.type}; expected DATETIME or DATE")
        self.time_field = time
        self.fields = StocktakeFields(
            actual=fields[actual],
            target=fields[target],
            target_location=self.location_beside(target),
            status=fields.get(status),
            code=self.field_named("scan_codes", code),
            time=of_time,
        )
        self._by_raw: dict[Any, Room | None] = {}

    # ---- what the account sees

    def check_time_field(self) -> None:
        """Refuse a window if its field does not exist or is hidden from the account.

        :raises InvalidInput: with what to do.
        """
        field = self.field_named("time_field", self.time_field)
        if not self.shows_times:
            raise InvalidInput(
                f"time_field: {maybe_hidden_message(field.key)}, so it is unknown what was scanned in the window"
            )

    @cached_property
    def shows_times(self) -> bool:
        """Return True if an object shows when it was scanned.

        Nobody may write that field, so other hidden fields say nothing about it.
        """
        field = self.fields.time
        return field is not None and not keys_in_none([field], self.objects)

    # ---- rooms

    def room_in(self, field: Field, raw: Any) -> Room | None:
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
            return None if value is None else self._target_of(value)
        raise Doubtful(f"{field.key}: the answer of the service is not a room: {shorten(raw)}")

    def _target_of(self, reference: Reference) -> Room:
        """Return the room that a resolved reference means."""
        reference = self.state.completed(reference)
        record = self.state.find(reference)
        if record is None:
            mark = reference.uuid or reference.id
            if mark is None:
                raise Doubtful("a room without uuid and id")
            path = readable(reference.display_name) or str(mark)
            return Room(mark, path, name=path)
        name = next(filter(None, (readable(record.flat.get(key)) for key in ROOM.labels)), record.uuid)
        return Room(record.uuid, self.state.name_of(record) or name, self.location_of(record), name, record)

    def room_named(self, written: str | Mapping[str, int]) -> tuple[Room | None, str]:
        """Return the room that a reference means, or why it means none."""
        reference, problem = self.state.resolved(parse_reference(ROOM.name)(written, self.fields.target))
        return (None, problem) if problem else (self._target_of(reference), "")

    def rooms_named(self, option: str, written: Iterable[Any]) -> frozenset[str]:
        """Return the uuids of rooms that an option names.

        :raises InvalidInput: for the first that means no room.
        """
        names = enumerate(map(str, written))
        return frozenset(self.record_named(f"{option}[{number}]", ROOM, name).uuid for number, name in names)
