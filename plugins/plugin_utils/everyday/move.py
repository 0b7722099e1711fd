# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action ``move``: move objects to a new target room, in one plan."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.errors import InvalidInput
from ...module_utils.model.kinds import OBJECT, PERSON, ROOM, USER
from ...module_utils.resolve.field_visibility import LIMITED
from ...module_utils.resolve.hidden_records import NO
from ...module_utils.resolve.natural_keys import KeyIndex
from ..desired.entry import Entry
from ..desired.positions import Place
from .call import Call, named, run_call
from .lists import TO_ROOMS, ObjectLists, compared_rooms, in_unknown_form, location_beside
from .people import Person, fields_of_people, objects_of

_MOST_PROBLEMS = 20


def move_objects(options: Mapping[str, Any], check_mode: bool, host: str = "") -> dict[str, Any]:
    """Run the module ``move``. Return its result."""
    return run_call(Call(options, check_mode, host), _run)


def _run(call: Call) -> dict[str, Any]:
    options = call.options
    call.reports()
    client = call.connect()
    lists = call.read_lists(client, *((PERSON, USER) if options["person"] is not None else ()))
    _comparison, actual, target = compared_rooms(lists.schema, client.definitions(OBJECT.template))
    keys = [target, *([actual] if options["actual"] else [])]
    wrong = [key for key in keys if key not in lists.schema.fields or lists.schema.fields[key].type != TO_ROOMS]
    if wrong:
        raise InvalidInput(f"this account sees no field {' and no field '.join(wrong)} of objects that leads to a room")
    room = lists.record_named("to", ROOM, options["to"])
    in_scope = list(lists.in_scope(options["scope"]))
    needed = keys if options["objects"] is None else [*keys, OBJECT.barcode_key]
    if options["person"] is not None:
        needed = [*needed, *fields_of_people(lists)]
    if lists.objects:
        lists.check_visible((lists.schema.fields[key] for key in needed), "it is unknown what has to move")
    chosen, doubts = _chosen(lists, options, target)
    visible = {record.uuid for record in in_scope}
    left = [lists.code_of(record) or record.uuid for record in chosen if record.uuid not in visible]
    if left:
        call.warnings.append(f"Objects that were left out, because they are not in scope: {named(left)}.")
    sees = lists.sees()
    if options["objects"] is None and sees["hidden_records"] != NO:
        doubts.append(sees["words"])
    if doubts:
        call.warnings.append(f"Objects may have been left behind: {'; '.join(doubts)}.")
    moved = [record for record in chosen if record.uuid in visible]
    members = {"moved": [lists.code_of(record) or record.uuid for record in moved], "left_out": left, "sees": sees}
    if not moved:
        warnings = call.all_warnings(client)
        # Ansible prints an equal warning once in a run, so the message must say it, too.
        words = "no object to move among those that this account sees" if doubts else "no object to move"
        return {"changed": False, "msg": words, **members, **({"warnings": warnings} if warnings else {})}
    _warn_of_locations(call, lists, keys)
    entries = [_entry(lists, record, dict.fromkeys(keys, lists.reference_to(room))) for record in moved]
    kept = [actual] if actual in lists.schema.fields else []
    # This task moves the records itself, so their place is not an observed value.
    observed: dict[str, list[str]] = {OBJECT.section: []} if options["actual"] else {OBJECT.section: kept}
    return {**call.carry_out(lists, entries, {"creates": 0, **options["limits"]}, observed=observed), **members}


def _warn_of_locations(call: Call, lists: ObjectLists, keys: Iterable[str]) -> None:
    """Warn about locations that do not change with the room.

    Most instances set the location of an object with its room.
    """
    for key in keys:
        beside = location_beside(lists.schema.fields, key)
        if beside is None or beside.key in lists.field_visibility.missing:
            continue
        if any(lists.is_apart(record, key, beside.key) for record in lists.objects):
            call.warnings.append(
                f"{beside.key} may still have the earlier location: this instance does not set it with {key}. Write it "
                "with community.seventhings.object."
            )


def _entry(lists: ObjectLists, record: Record, fields: Mapping[str, Any]) -> Entry:
    code = lists.code_of(record)
    own = {OBJECT.barcode_key: code} if code else {}
    return Entry(OBJECT, {**own, **fields}, Place(f"object {code or record.uuid}"), uuid=record.uuid, inline=True)


def _chosen(lists: ObjectLists, options: Mapping[str, Any], target: str) -> tuple[list[Record], list[str]]:
    """Return the objects that the options name, and the reasons why there may be more.

    :raises InvalidInput: if this account sees no such object.
    """
    if options["objects"] is not None:
        return _with_codes(lists, options["objects"]), []
    if options["room"] is not None:
        origin = lists.record_named("room", ROOM, options["room"])
        return [record for record in lists.objects if lists.refers_to(target, record, origin)], _unread(lists, [target])
    person = Person.from_option(lists, "person", options["person"])
    doubts = [*_unread(lists, fields_of_people(lists)), *filter(None, [person.doubt])]
    return [record for record, _fields in objects_of(lists, person, lists.objects)], doubts


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
        rest = len(wrong) - _MOST_PROBLEMS
        raise InvalidInput([*wrong[:_MOST_PROBLEMS], *([f"and {rest} more"] if rest > 0 else [])])
    return list(found.values())
