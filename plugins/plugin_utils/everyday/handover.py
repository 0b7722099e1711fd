# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action ``handover``: list everything of a person, print a sheet to sign, and hand everything over in one plan."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.errors import InvalidInput, SeventhingsError
from ...module_utils.model.field import Field, Unread, readable
from ...module_utils.model.kinds import OBJECT, PERSON, RENTAL_CASE, ROOM, TASK, USER, Kind
from ...module_utils.model.schema import Schema
from ...module_utils.model.types_links import references_in
from ...module_utils.printing.cleaner import amount, clean
from ...module_utils.resolve.hidden_records import NO
from ..desired.entry import Entry
from ..desired.positions import Place
from ..instance.in_use import ENDED
from ..papers.catalogue import Catalogue
from ..papers.table import Column, Paper, Table, Word, amount_columns, amounts_in, moment, total
from ..papers.writer import paths_of, write_paper
from ..report.words import counted
from .call import Call, run_call
from .lists import ObjectLists, in_unknown_form
from .people import Person, fields_of_people, records_of

#: Records, each with the keys of the fields that name a person.
_Named = list[tuple[Record, list[str]]]


@dataclass
class Belongings:
    """The belongings of a person.

    :ivar by_section: section to its records.
    :ivar unread: what could not be read completely, with the reason.
    """

    by_section: dict[str, _Named]
    unread: list[str] = field(default_factory=list)

    @property
    def number(self) -> int:
        """The number of records."""
        return sum(map(len, self.by_section.values()))

    def counted(self) -> str:
        """Return the numbers in words."""
        return ", ".join(counted(len(records), section) for section, records in self.by_section.items())


def hand_over(options: Mapping[str, Any], check_mode: bool, host: str = "") -> dict[str, Any]:
    """Run the module ``handover``. Return its result."""
    return run_call(Call(options, check_mode, host), lambda call: _Handover(call).run())


class _Handover:
    """One handover: the belongings of a person, and the plan that passes them on."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._options = call.options

    def run(self) -> dict[str, Any]:
        sheet = paths_of([self._options["sheet"]] if self._options["sheet"] else [], "sheet")
        self._call.reports()
        client = self._call.connect()
        lists = self._call.read_lists(client, PERSON, USER)
        person = Person.from_option(lists, "person", self._options["person"])
        successor = None if self._options["to"] is None else Person.from_option(lists, "to", self._options["to"])
        if successor is not None and successor.record.uuid == person.record.uuid:
            raise InvalidInput("to: this is the person whose things are handed over; expected another person")
        if lists.objects:
            needed = (lists.schema.fields[key] for key in fields_of_people(lists))
            lists.check_visible(needed, f"it is unknown what {person.words} has")
        whole = self._belongings(lists, person)
        in_scope = {record.uuid for record in lists.in_scope(self._options["scope"])}
        objects = [belonging for belonging in whole.by_section[OBJECT.section] if belonging[0].uuid in in_scope]
        has = Belongings({**whole.by_section, OBJECT.section: objects})
        sees = lists.sees()
        document: dict[str, Any] = {
            "person": _described(person),
            "to": None if successor is None else _described(successor),
            **self._document(lists, has),
            "sees": sees,
        }
        document = client.without_credentials(document)
        self._write(sheet, lists, document, has)
        result: dict[str, Any] = {"changed": False, "msg": ""}
        left = whole.number
        doubts = [*map(clean, whole.unread), *([sees["words"]] if sees["hidden_records"] != NO else [])]
        if doubts:
            self._call.warnings.append(f"{person.words} may have more than this: {'; '.join(doubts)}.")
        if successor is not None and has.number:
            entries = list(self._entries(lists, has, successor))
            if entries:
                result = self._call.carry_out(lists, entries, {"creates": 0, **self._options["limits"]})
            left = whole.number if result.get("failed") else whole.number - len(entries)
        document["is_clear"] = left == 0 and not doubts
        lines = [f"{person.words} has {has.counted()}"]
        lines += [f"Not certain: {doubt}" for doubt in doubts]
        if has.number < whole.number:
            lines.append(f"{amount(whole.number - has.number, 'object is', 'objects are')} not in scope")
        result = {**result, **document}
        result["msg"] = "\n".join(filter(None, [*lines, result["msg"]]))
        if self._options["require_clear"] and not document["is_clear"] and not result.get("failed"):
            result["failed"] = True
            result["msg"] = "\n".join([result["msg"], self._refusal(person, left, has)])
        return result

    # ---- what there is

    def _belongings(self, lists: ObjectLists, person: Person) -> Belongings:
        found = Belongings({kind.section: [] for kind in (OBJECT, RENTAL_CASE, TASK)})
        found.by_section[OBJECT.section] += records_of(lists, person, lists.objects)
        _note_unknown_forms(found, lists.schema, lists.objects, fields_of_people(lists))
        for kind in (ROOM, PERSON):
            number = sum(1 for _named in records_of(lists, person, lists.state.records(kind), kind))
            if number:
                found.unread.append(f"{amount(number, kind.words, kind.plural)} with a field that names this person")
        if person.doubt:
            found.unread.append(f"{USER.plural} could not be read: {person.doubt}")
        for kind, fields in ((RENTAL_CASE, ("responsible_user", "renter")), (TASK, ("assignees",))):
            try:
                records = lists.state.records(kind)
            except SeventhingsError as error:
                found.unread.append(f"{kind.plural} could not be read: {error.message}")
                continue
            schema = lists.client.schema(kind)
            current = [record for record in records if readable(record.flat.get("status")) not in ENDED]
            _note_unknown_forms(found, schema, current, fields)
            by_field = (
                (record, [key for key in fields if lists.refers_to(key, record, person.user)]) for record in current
            )
            named = [(record, keys) for record, keys in by_field if keys]
            found.by_section[kind.section] = named
            unclear = len(named) - len(_certain(schema, named))
            if unclear:
                found.unread.append(f"{kind.plural}: {unclear:,} of them have an unknown status, and may be history")
        return found

    def _refusal(self, person: Person, left: int, has: Belongings) -> str:
        words = f"{person.words} still has {left:,} things ({has.counted()} in scope); hand them over"
        if not left:
            words = f"nothing proves that {person.words} has nothing left; settle what is not certain"
        return f"{words} before the person is removed"

    def _document(self, lists: ObjectLists, has: Belongings) -> dict[str, Any]:
        _comparison, actual, target = lists.compared_rooms()
        objects, rentals, tasks = (has.by_section[kind.section] for kind in (OBJECT, RENTAL_CASE, TASK))
        return {
            "totals": {"objects": lists.in_texts(total(lists.amounts(record) for record, _fields in objects))},
            "objects": [_object(lists, record, fields, target, actual) for record, fields in objects],
            "rental_cases": [_dated(record, fields, "issue_date", "due_date") for record, fields in rentals],
            "tasks": [_dated(record, fields, "", "deadline") for record, fields in tasks],
        }

    def _write(self, sheet: list[Path], lists: ObjectLists, document: Mapping[str, Any], has: Belongings) -> None:
        """Write the sheet.

        An existing sheet may show what an earlier run handed over, so it stays if something is handed over now, or if
        the person has nothing.
        """
        kept = [str(path) for path in sheet if path.exists() and (self._options["to"] is not None or not has.number)]
        if kept and has.number:
            self._call.warnings.append(f"sheet: {kept[0]} exists and was kept; name another file for the rest.")
        if self._call.check_mode or kept:
            return
        catalogue = Catalogue(self._options["language"])
        instance, now = lists.client.transport.root, dt.datetime.now(dt.UTC)
        write_paper(_paper_of(document, instance, now, lists.schema.fields, catalogue), sheet, catalogue)

    # ---- the plan

    def _entries(self, lists: ObjectLists, has: Belongings, successor: Person) -> Iterator[Entry]:
        """Yield each record with the successor instead of the person. Leave out records that may be finished.

        :raises InvalidInput: if a record names the user of the person, and the successor is not a user.
        """
        rentals = _certain(lists.client.schema(RENTAL_CASE), has.by_section[RENTAL_CASE.section])
        tasks = _certain(lists.client.schema(TASK), has.by_section[TASK.section])
        by_user = [*rentals, *tasks]
        types = {key: lists.schema.fields[key].type for key in fields_of_people(lists)}
        if successor.user is None:
            by_user += [
                belonging
                for belonging in has.by_section[OBJECT.section]
                if any(successor.in_field(types[key]) is None for key in belonging[1])
            ]
            if by_user:
                raise InvalidInput(
                    f"to: {successor.words} is not a user, and {len(by_user):,} of these records name a user; create "
                    "the user with community.seventhings.user_from_person first"
                )
        for record, keys in has.by_section[OBJECT.section]:
            successors = {key: successor.in_field(types[key]) for key in keys}
            yield lists.entry(record, {key: of.uuid for key, of in successors.items() if of is not None})
        if successor.user is None:
            return
        user = successor.user.uuid
        for record, keys in rentals:
            values = {"responsible_user": user, "renter": {"type": "user", "value": user}}
            yield _entry(RENTAL_CASE, record, {key: values[key] for key in keys})
        for record, _keys in tasks:
            yield _entry(TASK, record, {"assignees": [user]})


def _entry(kind: Kind, record: Record, fields: Mapping[str, Any]) -> Entry:
    return Entry(kind, fields, Place(f"{kind.words} {_title(record) or record.uuid}"), uuid=record.uuid, inline=True)


def _note_unknown_forms(found: Belongings, schema: Schema, records: Iterable[Record], keys: Collection[str]) -> None:
    """Note the number of records with people in an unknown form, because they may name the person."""
    number = in_unknown_form(schema, records, keys)
    if number:
        why = f"the people of {number:,} of them are in an unknown form"
        found.unread.append(f"{schema.kind.plural} could not be read: {why}")


def _certain(schema: Schema, belongings: _Named) -> _Named:
    """Return the rental cases or tasks whose status shows that they are not finished."""
    known = schema.fields["status"].allowed
    return [(record, keys) for record, keys in belongings if record.flat.get("status") in known]


def _described(person: Person) -> dict[str, Any]:
    return {"name": person.full_name, "email": person.email, "uuid": person.record.uuid, "is_user": bool(person.user)}


def _title(record: Record) -> str:
    return readable(record.flat.get("title"))


def _object(lists: ObjectLists, record: Record, keys: Iterable[str], target: str, actual: str) -> dict[str, Any]:
    return {
        **lists.described(record),
        "target_room": _room(lists, record, target),
        "actual_room": _room(lists, record, actual),
        "fields": [lists.schema.fields[key].label or key for key in keys],
    }


def _room(lists: ObjectLists, record: Record, key: str) -> str:
    """Return the name of the room in a field, or an empty text without a room."""
    if key not in lists.schema.fields:
        return ""
    value = lists.schema.read_field(key, record.flat)
    if isinstance(value, Unread):
        return readable(value.raw)
    room = lists.target_of(key, record)
    if room is not None and (name := lists.state.name_of(room)):
        return name
    return next((readable(link.display_name) or link.uuid or "" for link in references_in(value)), "")


def _dated(record: Record, keys: list[str], begins: str, ends: str) -> dict[str, Any]:
    return {
        "title": _title(record),
        "status": readable(record.flat.get("status")),
        "from": readable(record.flat.get(begins)) if begins else "",
        "until": readable(record.flat.get(ends)),
        "fields": keys,
        "uuid": record.uuid,
    }


# ---- the paper that both sides sign

_OBJECT = ("scan_code", "name", "asset_number", "serial_number", "target_room", "actual_room")
_DATED = ("title", "status", "from", "until")


def _paper_of(
    document: Mapping[str, Any], instance: str, date: dt.datetime, fields: Mapping[str, Field], catalogue: Catalogue
) -> Paper:
    """Return the paper about a handover.

    :param fields: of objects, by key.
    """
    money = amount_columns(document["objects"], fields)
    columns = {
        "objects": ("object", [*map(Column, _OBJECT), *money]),
        "rental_cases": ("rental_case", [*map(Column, _DATED)]),
        "tasks": ("task", [Column(name) for name in _DATED if name != "from"]),
    }
    rows = {name: [_row_of(row, kind) for row in document[name]] for name, (kind, _columns) in columns.items()}
    whole = [row for part in rows.values() for row in part]
    people = [("giver", document["person"]), *([("receiver", document["to"])] if document["to"] else [])]
    return Paper(
        title="handover_title",
        subject=_name_of(document["person"]),
        about=(instance, date),
        lines=(
            *((role, _name_of(person)) for role, person in people),
            ("sees", f"{catalogue.visible(document['sees'])} {catalogue.texts['archived']}"),
        ),
        tables=[
            Table(f"list_{name}", columns, rows[name], "handed_over", if_empty="none")
            for name, (_kind, columns) in columns.items()
        ],
        sheets={"handover": Table("handover", [Column("kind"), *map(Column, (*_OBJECT, *_DATED)), *money], whole)},
        signatures=("handed_over_by", "received_by", "checked_by"),
        document=document,
    )


def _row_of(row: Mapping[str, Any], kind: str) -> dict[str, Any]:
    dated = {name: moment(row[name]) for name in ("from", "until") if name in row}
    status = {"status": Word(row["status"])} if "status" in row else {}
    return {**row, "kind": Word(kind), **dated, **status, **(amounts_in(row) if "amounts" in row else {})}


def _name_of(person: Mapping[str, Any]) -> str:
    return f"{person['name']} ({person['email']})" if person["email"] else str(person["name"])
