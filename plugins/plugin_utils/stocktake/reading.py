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
from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import Field
from ...module_utils.model.kinds import OBJECT, ROOM
from ...module_utils.model.schema import Schema
from ...module_utils.model.suggestions import closest_names
from ...module_utils.model.types_links import parse_reference
from ...module_utils.resolve.field_visibility import keys_in_none, maybe_hidden_message
from ..everyday.lists import ObjectLists, compared_rooms, location_beside, require_rooms
from .rooms import Room, Rooms

_TIMES = frozenset(("DATETIME", "DATE"))


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

    @classmethod
    def from_schema(
        cls, schema: Schema, definitions: Iterable[Mapping[str, Any]], code: str, time: str
    ) -> StocktakeFields:
        """Return the fields of an instance.

        :param code: the field with the scan code. :param time: the field with the time of a scan.
        :raises InvalidInput: if no field compares a target room with an actual room.
        """
        fields = schema.fields
        status, actual, target = compared_rooms(schema, definitions)
        consequence = ", so no status can be computed. Give the account the right to read target and actual room."
        require_rooms(schema, (actual, target), consequence)
        found = schema.find(code)
        if found is None:
            raise InvalidInput(f"scan_codes: {code}: {schema.why_unknown(code)}")
        return cls(
            fields[actual],
            fields[target],
            location_beside(fields, target),
            fields.get(status),
            found,
            _time(schema, time),
        )


def _time(schema: Schema, name: str) -> Field | None:
    field = schema.find(name)
    if field is not None and field.type not in _TIMES:
        raise InvalidInput(f"time_field: {name} is of the type {field.type}; expected DATETIME or DATE")
    return field


class InstanceLists(ObjectLists):
    """The lists of an instance that a stocktake needs.

    :ivar fields: the fields of objects that a stocktake evaluates.
    :ivar time_field: the name of the field with the time of a scan.
    """

    def __init__(self, client: Client, code: str, time: str) -> None:
        self.fields = StocktakeFields.from_schema(
            client.schema(OBJECT), client.definitions(OBJECT.template), code, time
        )
        super().__init__(client)
        self.time_field = time
        self.rooms = Rooms(self.state)

    # ---- what the account sees

    def check_time_field(self) -> None:
        """Refuse a window if its field does not exist or is hidden from the account.

        :raises InvalidInput: with what to do.
        """
        field = self.fields.time
        if field is None:
            times = [field.key for field in self.schema.fields.values() if field.type in _TIMES]
            suggestions = closest_names(self.time_field, times, 3, 0.5)
            hint = (
                f"did you mean {' or '.join(suggestions)}?"
                if suggestions
                else "expected a field of the type DATETIME or DATE"
            )
            raise InvalidInput(f"time_field: {self.time_field}: no such field in objects; {hint}")
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

    # ---- options that name records

    def room_named(self, written: str | Mapping[str, int]) -> tuple[Room | None, str]:
        """Return the room that a reference means, or why it means none."""
        reference, problem = self.state.resolved(parse_reference(ROOM.name)(written, self.fields.target))
        return (None, problem) if problem else (self.rooms.target_of(reference), "")

    def rooms_named(self, option: str, written: Iterable[Any]) -> frozenset[str]:
        """Return the uuids of rooms that an option names.

        :raises InvalidInput: with a line for each that means no room.
        """
        found, wrong = set(), []
        for number, name in enumerate(written):
            room, problem = self.room_named(str(name))
            if room is None:
                wrong.append(f"{option}[{number}]: {problem}")
            else:
                found.add(str(room.mark))
        if wrong:
            raise InvalidInput(wrong)
        return frozenset(found)
