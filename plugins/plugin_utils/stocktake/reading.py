# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a stocktake reads of an instance: the lists of its objects, rooms and locations, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client, Record
from ansible_collections.community.seventhings.plugins.module_utils.errors import IncompleteList, InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS, LOCATION, OBJECT, ROOM
from ansible_collections.community.seventhings.plugins.module_utils.model.near import near_names
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import parse_reference
from ansible_collections.community.seventhings.plugins.module_utils.resolve.hidden_records import NO, Listed, visibility
from ansible_collections.community.seventhings.plugins.module_utils.resolve.natural_keys import identity_of
from ansible_collections.community.seventhings.plugins.module_utils.resolve.sight import (
    LIMITED,
    Sight,
    keys_in_none,
    sends_empty_members,
    unseen,
    unsure,
)

from ..set_plan.prune import Scope
from ..set_plan.state import ListedState
from .rooms import Room, Rooms

_ROOM, _LOCATION, _COMPARISON, _MONEY = "LINKED_ROOM", "LINKED_LOCATION", "FIELD_VALUE_COMPARISON", "MONEY"
_ACTUAL, _TARGET = "actual_field", "expected_field"
_USUAL = {_ACTUAL: "actual_room", _TARGET: "target_room"}
"""The fields that an instance compares if no definition says which."""

_OF_LOCATIONS = ("building", "location")
_TIMES = frozenset(("DATETIME", "DATE"))


@dataclass(frozen=True)
class StocktakeFields:
    """The fields of objects that decide.

    :ivar target_location: the location that goes with the target room; None if there is no such field.
    :ivar status: in which the service says its own status; None if there is none.
    :ivar time: None if the instance has no such field. :ivar money: every amount of money.
    """

    actual: Field
    target: Field
    target_location: Field | None
    status: Field | None
    code: Field
    name: Field | None
    time: Field | None
    money: tuple[Field, ...]

    @classmethod
    def from_schema(
        cls, schema: Schema, definitions: Iterable[Mapping[str, Any]], code: str, time: str
    ) -> StocktakeFields:
        """Return the fields of an instance.

        :param code: the field with the scan code. :param time: the field with the time of a scan.
        :raises InvalidInput: if no field compares a target room with an actual room.
        """
        fields = schema.fields
        status, actual, target = _compared(schema, definitions)
        wrong = [name for name in (actual, target) if name not in fields or fields[name].type != _ROOM]
        if wrong:
            raise InvalidInput(
                f"this account sees no field {' and no field '.join(wrong)} of objects that leads to a room, so no "
                "status can be computed. Give the account the right to read target and actual room."
            )
        found = schema.find(code)
        if found is None:
            raise InvalidInput(f"scan_codes: {code}: {schema.why_unknown(code)}")
        return cls(
            fields[actual],
            fields[target],
            _coupled(fields, target),
            fields.get(status),
            found,
            fields.get("inventory_name"),
            _time(schema, time),
            tuple(one for one in fields.values() if one.type == _MONEY),
        )


def _compared(schema: Schema, definitions: Iterable[Mapping[str, Any]]) -> tuple[str, str, str]:
    """Return the keys of the field that compares two rooms, of the actual one, and of the target one."""
    by_uuid = {one.uuid: one for one in schema.fields.values()}
    for definition in definitions:
        field = schema.fields.get(str(definition.get("field_key")))
        if field is None or field.type != _COMPARISON:
            continue
        relations = definition.get("relations")
        related = {
            str(one.get("type")): by_uuid.get(str(one.get("field_uuid")))
            for one in (relations if isinstance(relations, list) else ())
            if isinstance(one, Mapping)
        }
        actual, target = related.get(_ACTUAL), related.get(_TARGET)
        if actual is not None and target is not None and actual.type == target.type == _ROOM:
            return field.key, actual.key, target.key
    return "", _USUAL[_ACTUAL], _USUAL[_TARGET]


def _coupled(fields: Mapping[str, Field], room: str) -> Field | None:
    """Return the field with the location of a room, by its name."""
    head, _room, tail = room.rpartition("room")
    names = (f"{head}{word}{tail}" for word in _OF_LOCATIONS)
    return next((fields[name] for name in names if name in fields and fields[name].type == _LOCATION), None)


def _time(schema: Schema, name: str) -> Field | None:
    field = schema.find(name)
    if field is not None and field.type not in _TIMES:
        raise InvalidInput(f"time_field: {name} is of the type {field.type}; expected DATETIME or DATE")
    return field


class InstanceLists:
    """The lists of an instance, each read once.

    :ivar state: holds them. :ivar schema: the fields of objects.
    """

    def __init__(self, client: Client, code: str, time: str) -> None:
        self.client = client
        self.schema = client.schema(OBJECT)
        self.fields = StocktakeFields.from_schema(self.schema, client.definitions(OBJECT.template), code, time)
        self.state = ListedState(client)
        with self.state.reading_ahead((LOCATION, ROOM, OBJECT)):
            for kind in (LOCATION, ROOM, OBJECT):
                self.state.records(kind)
        for name in sorted(client.unsure):
            if self.state.has_missed(name):
                raise IncompleteList.of_the_list(KINDS[name].several)
        self.rooms = Rooms(self.state)

    @property
    def objects(self) -> Sequence[Record]:
        """All objects that the account sees."""
        return self.state.records(OBJECT)

    # ---- what the account sees

    @cached_property
    def _sight(self) -> Sight:
        return Sight.of(self.schema, self.objects)

    @cached_property
    def hidden(self) -> frozenset[str]:
        """The fields that are hidden from the account for sure."""
        rooms = self.state.records(ROOM)
        sends_empty = not self._sight.leaves_out and sends_empty_members(identity_of(ROOM), rooms)
        return self._sight.missing if sends_empty else self._sight.hidden

    def check_visible(self, needed: Iterable[Field]) -> None:
        """Refuse fields that are hidden, and those of which nobody can say whether they are.

        :raises InvalidInput: with a line for each.
        """
        wrong = [
            unseen(field.key) if field.key in self.hidden else unsure(field.key)
            for field in needed
            if field.key in self._sight.missing
        ]
        if wrong:
            raise InvalidInput([f"{words}, so no status can be computed" for words in wrong])

    def check_time_field(self, name: str) -> None:
        """Refuse a window over a field that does not exist, or that the account does not see.

        :raises InvalidInput: with what to do.
        """
        field = self.fields.time
        if field is None:
            near = near_names(name, self._time_fields(), 3, 0.5)
            hint = f"did you mean {' or '.join(near)}?" if near else "expected a field of the type DATETIME or DATE"
            raise InvalidInput(f"time_field: {name}: no such field in objects; {hint}")
        if not self.sees_times:
            raise InvalidInput(f"time_field: {unsure(field.key)}, so nobody can say what was scanned in the window")

    @cached_property
    def sees_times(self) -> bool:
        """Return True if an object shows when it was scanned. Nobody may write that field, so other fields that are
        hidden say nothing about it.
        """
        field = self.fields.time
        return field is not None and not keys_in_none([field], self.objects)

    def _time_fields(self) -> list[str]:
        return [field.key for field in self.schema.fields.values() if field.type in _TIMES]

    def sees(self) -> dict[str, Any]:
        """Return what the account sees, as far as the lists show."""
        rooms = [field for field in self.schema.fields.values() if field.type == _ROOM]
        schemas = (Schema(OBJECT, rooms), identity_of(ROOM), identity_of(LOCATION))
        lists = {schema.kind.name: Listed(schema, self.state.records(schema.kind)) for schema in schemas}
        # Nothing is read beside the lists, so nothing can prove that records are hidden.
        seen = visibility(self.client, lists, lambda _kind, _uuid: None)
        closed = {room.location for room in self.rooms.every() if room.record and room.record.uuid in seen.closed_rooms}
        without = sorted(closed - {""})
        words = "this account sees an object in every location that has rooms"
        if seen.hidden_records != NO:
            words = f"nothing proves that this account sees all objects: {LIMITED}"
            words += f"; it sees none in {', '.join(without)}" if without else ""
        return {
            **{schema.kind.section: len(self.state.records(schema.kind)) for schema in schemas},
            "hidden_records": seen.hidden_records,
            "locations_without_objects": without,
            "hidden_fields": sorted(self.hidden),
            "words": words,
        }

    # ---- options that name records

    def room_named(self, written: str) -> tuple[Room | None, str]:
        """Return the room that a text means, or why it means none."""
        reference = parse_reference(ROOM.name)(written, self.fields.target)
        problem = self.state.resolve(reference)
        return (None, problem) if problem else (self.rooms.meant_by(reference), "")

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

    def in_scope(self, written: Mapping[str, Any]) -> Iterator[Record]:
        """Yield the objects in scope.

        :param written: the scope as ``instance.yml`` has it.
        :raises InvalidInput: with a line for each mistake.
        """
        section = OBJECT.section
        wrong = [f"scope.{name}: expected {section}, and no other section" for name in written if name != section]
        fields = written.get(section, {})
        if not isinstance(fields, Mapping):
            wrong.append(f"scope.{section}: expected a map of field key to the values in scope")
            fields = {}
        listed = {name: list(one) if isinstance(one, list) else [one] for name, one in fields.items()}
        if wrong:
            raise InvalidInput(wrong)
        scope = Scope(self.state, lambda _kind: self.schema, {section: listed} if listed else {})
        wrong = [f"scope.{section}.{problem}" for _name, problem in scope.problems(section, listed)]
        hidden = (field for name in listed if (field := self.schema.find(name)) and field.key in self._sight.missing)
        wrong += [f"scope.{section}: {unsure(field.key)}" for field in hidden]
        if wrong:
            raise InvalidInput(wrong)
        return (record for record in self.objects if not listed or scope.holds(section, record))
