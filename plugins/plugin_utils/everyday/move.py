# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action ``move``: move objects to a new target room, in one plan."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import shorten
from ...module_utils.model.kinds import LOCATION, OBJECT, PERSON, ROOM, USER
from ...module_utils.resolve.field_visibility import LIMITED
from ...module_utils.resolve.hidden_records import NO
from ...module_utils.resolve.natural_keys import KeyIndex
from .call import Call, named, run_call
from .lists import ObjectLists, in_unknown_form
from .people import Person, fields_of_people, records_of


def move_objects(options: Mapping[str, Any], check_mode: bool, host: str = "") -> dict[str, Any]:
    """Run the module ``move``. Return its result."""
    return run_call(Call(options, check_mode, host), _run)


def _run(call: Call) -> dict[str, Any]:
    options = call.options
    call.reports()
    lists = call.read_lists(call.connect(), *((PERSON, USER) if options["person"] is not None else ()))
    _comparison, actual, target = lists.compared_rooms()
    keys = [target, *([actual] if options["actual"] else [])]
    lists.require_rooms(keys)
    in_scope = list(lists.in_scope(options["scope"]))
    needed = keys if options["objects"] is None else [*keys, OBJECT.barcode_key]
    if options["person"] is not None:
        needed = [*needed, *fields_of_people(lists)]
    if lists.objects:
        lists.check_visible((lists.schema.fields[key] for key in needed), "it is unknown what has to move")
    chosen, doubts = _chosen(lists, options, target)
    visible = {record.uuid for record in in_scope}
    left = [_called(lists, record) for record, _room in chosen if record.uuid not in visible]
    if left:
        call.warnings.append(f"Objects that were left out, because they are not in scope: {named(left)}.")
    sees = lists.sees()
    if options["objects"] is None and sees["hidden_records"] != NO:
        doubts.append(sees["words"])
    if doubts:
        call.warnings.append(f"Objects may have been left behind: {'; '.join(doubts)}.")
    moved = [(record, room) for record, room in chosen if record.uuid in visible]
    members = {"moved": [_called(lists, record) for record, _room in moved], "left_out": left, "sees": sees}
    if not moved:
        # Ansible prints an equal warning once in a run, so the message must say it, too.
        words = "no object to move among those that this account sees" if doubts else "no object to move"
        return {"changed": False, "msg": words, **members}
    _warn_of_locations(call, lists, keys)
    entries = [lists.entry(record, dict.fromkeys(keys, room.uuid)) for record, room in moved]
    kept = [actual] if actual in lists.schema.fields else []
    # This task moves the records itself, so their place is not an observed value.
    observed: dict[str, list[str]] = {OBJECT.section: []} if options["actual"] else {OBJECT.section: kept}
    return {**call.carry_out(lists, entries, {"creates": 0, **options["limits"]}, observed=observed), **members}


def _warn_of_locations(call: Call, lists: ObjectLists, keys: Iterable[str]) -> None:
    """Warn about locations that do not change with the room.

    Most instances set the location of an object with its room.
    """
    for key in keys:
        beside = lists.location_beside(key)
        if beside is None or beside.key in lists.field_visibility.missing:
            continue
        if any(lists.is_apart(record, key, beside.key) for record in lists.objects):
            call.warnings.append(
                f"{beside.key} may still have the earlier location: this instance does not set it with {key}. Write it "
                "with community.seventhings.object."
            )


def _called(lists: ObjectLists, record: Record) -> str:
    return lists.code_of(record) or record.uuid


#: Objects, each with its new room.
_Moves = list[tuple[Record, Record]]


def _chosen(lists: ObjectLists, options: Mapping[str, Any], target: str) -> tuple[_Moves, list[str]]:
    """Return the objects that the options name, and the reasons why there may be more.

    :raises InvalidInput: if this account sees no such object or room.
    """
    if options["from_location"] is not None:
        return _out_of_a_location(lists, options, target), _unread(lists, [target])
    room = lists.record_named("to", ROOM, options["to"])
    if options["objects"] is not None:
        return [(record, room) for record in _with_codes(lists, options["objects"])], []
    if options["room"] is not None:
        origin = lists.record_named("room", ROOM, options["room"])
        found = [record for record in lists.objects if lists.refers_to(target, record, origin)]
        return [(record, room) for record in found], _unread(lists, [target])
    person = Person.from_option(lists, "person", options["person"])
    doubts = [*_unread(lists, fields_of_people(lists)), *filter(None, [person.doubt])]
    return [(record, room) for record, _fields in records_of(lists, person, lists.objects)], doubts


def _out_of_a_location(lists: ObjectLists, options: Mapping[str, Any], target: str) -> _Moves:
    """Return everything that belongs in a location.

    :raises InvalidInput: if ``to`` names no new room for a part of it. A location that is closed must not keep things.
    """
    place = lists.record_named("from_location", LOCATION, options["from_location"])
    room_of = _new_rooms(lists, place, options["to"])
    beside = lists.location_beside(target)
    moves: _Moves = []
    left: dict[str, int] = {}
    for record in lists.objects:
        origin = lists.target_of(target, record)
        inside = lists.state.place_of(origin) if origin is not None else None
        is_there = beside is not None and origin is None and lists.refers_to(beside.key, record, place)
        if not is_there and (inside is None or inside.uuid != place.uuid):
            continue
        room = room_of(origin)
        if room is None:
            name = "no room" if origin is None else lists.state.name_of(origin) or origin.uuid
            left[name] = left.get(name, 0) + 1
        else:
            moves.append((record, room))
    if left:
        numbers = ", ".join(f"{name} ({number:,})" for name, number in sorted(left.items()))
        raise InvalidInput(
            f"to: no new room for the objects in {numbers}; add each of these rooms to the mapping, or name one room "
            "for the whole location"
        )
    return moves


def _new_rooms(lists: ObjectLists, place: Record, written: Any) -> Callable[[Record | None], Record | None]:
    """Return the function from a room of a location to the new room. Objects without a room have None.

    :param written: a room for the whole location, or a map of its rooms to rooms.
    :raises InvalidInput: if one of them is not a room of the location.
    """
    if not isinstance(written, Mapping) or all(lists.client.schema(ROOM).find(str(name)) for name in written):
        room = lists.record_named("to", ROOM, written)
        return lambda _origin: room
    rooms: dict[str, Record] = {}
    wrong: list[str] = []
    for name, new in written.items():
        try:
            rooms[_room_in(lists, place, str(name)).uuid] = lists.record_named(f"to.{name}", ROOM, new)
        except InvalidInput as error:
            wrong.append(error.message)
    if wrong:
        raise InvalidInput(wrong)
    return lambda origin: None if origin is None else rooms.get(origin.uuid)


def _room_in(lists: ObjectLists, place: Record, name: str) -> Record:
    """Return the room of a location that a text names, with or without the location.

    :raises InvalidInput: if there is none.
    """
    location = lists.state.name_of(place) or place.uuid
    for written in (f"{location}/{name}", name):
        try:
            room = lists.record_named("to", ROOM, written)
        except InvalidInput:
            continue
        inside = lists.state.place_of(room)
        if inside is not None and inside.uuid == place.uuid:
            return room
    raise InvalidInput(f"to: {shorten(name)} is not a room of {location}")


def _unread(lists: ObjectLists, keys: Collection[str]) -> list[str]:
    number = in_unknown_form(lists.schema, lists.objects, keys)
    return [f"the value of {' or '.join(keys)} is in an unknown form in {number:,} of them"] if number else []


def _with_codes(lists: ObjectLists, codes: Iterable[str]) -> list[Record]:
    by_code = KeyIndex((lists.code_of(record), record) for record in lists.objects)
    found: dict[str, Record] = {}
    wrong = []
    for code in dict.fromkeys(codes):
        records = by_code.find(code) if code else []
        if len(records) == 1:
            found[records[0].uuid] = records[0]
        elif records:
            wrong.append(f"objects: {len(records)} objects have the scan code {code}; expected one")
        else:
            words = f"objects: this account sees no object with the scan code {code!r}: it is archived, or {LIMITED}"
            wrong.append(words)
    if wrong:
        raise InvalidInput(wrong)
    return list(found.values())
