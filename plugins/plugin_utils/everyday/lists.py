# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists for modules that work on many objects, and what the account sees of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.client.record import Record
from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import Field, FieldType, Unread, in_digits, readable
from ...module_utils.model.kinds import LOCATION, OBJECT, ROOM, Kind
from ...module_utils.model.rooms import TO_ROOM, coupled_locations
from ...module_utils.model.schema import Schema, type_of
from ...module_utils.model.types_links import references_in
from ...module_utils.printing.cleaner import clean
from ...module_utils.resolve.field_visibility import (
    LIMITED,
    FieldVisibility,
    hidden_field_message,
    maybe_hidden_message,
)
from ...module_utils.resolve.hidden_records import NO, YES, Listed, visibility
from ...module_utils.resolve.natural_keys import identity_of
from ...module_utils.resolve.references import means, reference_in
from ..desired.entry import Entry
from ..desired.hiding import VAULTED
from ..desired.positions import Place
from ..papers.table import MONEY
from ..set_plan.listed_state import ListedState
from ..set_plan.observed import ACTUAL, EXPECTED, comparisons_of
from ..set_plan.scope import Scope

#: What papers say of an object, and the fields that may have it, by key or label.
_DESCRIBED = {
    "name": ("inventory_name",),
    "asset_number": ("asset_number", "Asset number", "Anlagennummer"),
    "serial_number": ("serial_number", "Serial number", "Seriennummer"),
}


class ObjectLists:
    """The lists of objects, rooms and locations, and of other requested kinds, each read once.

    :ivar state: the lists.
    :ivar schema: the fields of objects.
    """

    def __init__(self, client: Client, *others: Kind) -> None:
        self.client = client
        self.schema = client.schema(OBJECT)
        self.state = ListedState(client)
        kinds = (LOCATION, ROOM, OBJECT, *others)
        with self.state.prefetching(kinds):
            for kind in kinds:
                self.state.records(kind)

    def compared_rooms(self) -> tuple[str, str, str]:
        """Return the keys of the field that compares two rooms, of the actual room, and of the target room.

        If no field compares two rooms, the first key is empty.
        """
        by_uuid = {field.uuid: field for field in self.schema.fields.values()}
        for raw in self.client.definitions(OBJECT.template):
            for relations in comparisons_of([raw]):
                rooms = [by_uuid.get(relations.get(name, "")) for name in (ACTUAL, EXPECTED)]
                keys = [room.key for room in rooms if room is not None and room.type == TO_ROOM]
                if len(keys) == 2:
                    return str(raw.get("field_key")), keys[0], keys[1]
        return "", "actual_room", "target_room"

    def require_rooms(self, keys: Iterable[str], consequence: str = "") -> None:
        """Check that an instance has fields that lead to rooms.

        :raises InvalidInput: with the consequence, if this account sees no such field.
        """
        fields = self.schema.fields
        wrong = [key for key in keys if key not in fields or fields[key].type != TO_ROOM]
        if wrong:
            words = f"this account sees no field {' and no field '.join(wrong)} of objects that leads to a room"
            raise InvalidInput(f"{words}{consequence}")

    def location_beside(self, room: str) -> Field | None:
        """Return the field with the location of a room, by its name."""
        return next(coupled_locations(self.schema, self.schema.fields[room]), None)

    def target_of(self, key: str, record: Record) -> Record | None:
        """Return the record that a field of an object refers to; None without one, or if no list shows it."""
        references = references_in(self.schema.read_field(key, record.flat))
        return next((self.state.find(reference) for reference in references), None)

    def entry(self, record: Record, fields: Mapping[str, Any]) -> Entry:
        """Return the desired state of an object that a plan changes."""
        code = self.code_of(record)
        own = {OBJECT.barcode_key: code} if code else {}
        return Entry(OBJECT, {**own, **fields}, Place(f"object {code or record.uuid}"), uuid=record.uuid, inline=True)

    @property
    def objects(self) -> Sequence[Record]:
        """All objects that the account sees."""
        return self.state.records(OBJECT)

    @cached_property
    def field_visibility(self) -> FieldVisibility:
        """The fields of objects that the account sees."""
        return FieldVisibility.from_records(self.schema, self.objects)

    def check_visible(self, needed: Iterable[Field], consequence: str) -> None:
        """Refuse fields that are hidden, or may be hidden.

        :param consequence: what is not possible without them.
        :raises InvalidInput: with a line for each.
        """
        seen = self.field_visibility
        wrong = [
            hidden_field_message(field.key) if field.key in seen.hidden else maybe_hidden_message(field.key)
            for field in needed
            if field.key in seen.missing
        ]
        if wrong:
            raise InvalidInput([f"{words}, so {consequence}" for words in wrong])

    def field_named(self, option: str, name: str) -> Field:
        """Return the field of objects with a key or label.

        :raises InvalidInput: if there is none.
        """
        field = self.schema.find(name)
        if field is None:
            raise InvalidInput(f"{option}: {name}: {self.schema.why_unknown(name)}")
        return field

    def sees(self, has_new_records: bool = False) -> dict[str, Any]:
        """Return what the account sees, as far as the lists show.

        :param has_new_records: if records are created, unlisted records that others refer to are read as evidence.
        """
        rooms = [field for field in self.schema.fields.values() if field.type == TO_ROOM]
        schemas = (Schema(OBJECT, rooms), identity_of(ROOM), identity_of(LOCATION))
        lists = {schema.kind.name: Listed(schema, self.state.records(schema.kind)) for schema in schemas}
        found = self.state.visibility() if has_new_records else visibility(self.client, lists, None)
        closed = [record for record in self.state.records(ROOM) if record.uuid in found.closed_rooms]
        without = sorted({name for record in closed if (name := self.location_of(record))})
        words = "this account sees an object in every location that has rooms"
        if found.hidden_records == YES:
            words = f"this account does not see all objects: {found.evidence}"
        elif found.hidden_records != NO:
            words = f"nothing proves that this account sees all objects: {LIMITED}"
            seen = f"no object that belongs in {clean(', '.join(without))} and was scanned there; scan one in each"
            words += f"; it sees {seen}" if without else ""
        return {
            **{schema.kind.section: len(self.state.records(schema.kind)) for schema in schemas},
            "hidden_records": found.hidden_records,
            "locations_without_objects": without,
            "hidden_fields": sorted(self.field_visibility.hidden),
            "words": words,
        }

    def location_of(self, room: Record) -> str:
        """Return the name of the location of a room; empty if it has none."""
        place = self.state.place_of(room)
        return "" if place is None else self.state.name_of(place) or place.uuid

    def record_named(self, option: str, kind: Kind, written: Any) -> Record:
        """Return the record that an option names by its natural key, id or uuid.

        :raises InvalidInput: if it means no visible record.
        """
        reference, problem = self.state.resolved(reference_in(option, kind.name, written))
        record = None if problem else self.state.find(reference)
        if record is None:
            raise InvalidInput(f"{option}: {problem or f'no list shows the {kind.words} {written}'}")
        return record

    def schema_of(self, kind: Kind) -> Schema:
        """Return the fields of a kind."""
        return self.schema if kind is OBJECT else self.state.schema(kind)

    def refers_to(self, key: str, of: Record, to: Record | None) -> bool:
        """Return True if a field of a record refers to another."""
        value = self.schema_of(of.kind).read_field(key, of.flat)
        links = map(self.state.completed, references_in(value) if to is not None else ())
        return any(to and means(link, to) for link in links)

    def is_apart(self, record: Record, room_key: str, location_key: str) -> bool:
        """Return True if an object is in a room, but has another location than that room."""
        room = self.target_of(room_key, record)
        place = None if room is None else self.state.place_of(room)
        return place is not None and not self.refers_to(location_key, record, place)

    @cached_property
    def _described(self) -> dict[str, Field | None]:
        return {name: next(filter(None, map(self.schema.find, fields)), None) for name, fields in _DESCRIBED.items()}

    @cached_property
    def _money(self) -> list[tuple[str, Field, FieldType]]:
        fields = (field for field in self.schema.fields.values() if field.type == MONEY)
        return [(field.wire_key, field, type_of(field)) for field in fields]

    def amounts(self, record: Record) -> dict[str, Decimal]:
        """Return the amounts of money of an object, by the key of their field."""
        values = {field.key: of.read(record.flat.get(name), field) for name, field, of in self._money}
        return {key: value for key, value in values.items() if isinstance(value, Decimal)}

    def in_texts(self, amounts: Mapping[str, Decimal]) -> dict[str, str]:
        """Return amounts as texts with the digits of their fields, because a float would change them."""
        return {key: in_digits(amount, self.schema.fields[key].shown_digits) for key, amount in amounts.items()}

    def described(self, record: Record) -> dict[str, Any]:
        """Return how papers describe an object."""
        flat, fields = record.flat, self._described
        texts = {name: readable(flat.get(field.wire_key)) if field else "" for name, field in fields.items()}
        amounts = self.in_texts(self.amounts(record))
        amounts |= {field.key: VAULTED for name, field, _type in self._money if flat.get(name) == VAULTED}
        return {"scan_code": self.code_of(record), **texts, "uuid": record.uuid, "amounts": amounts}

    def code_of(self, record: Record) -> str:
        """Return the scan code of an object; empty if it has none."""
        value = record.flat.get(OBJECT.barcode_key)
        return value if isinstance(value, str) else ""

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
        listed = {name: list(values) if isinstance(values, list) else [values] for name, values in fields.items()}
        if wrong:
            raise InvalidInput(wrong)
        scope = Scope(self.state, lambda _kind: self.schema, {section: listed} if listed else {}, self.state.resolved)
        wrong = [f"scope.{section}.{problem}" for _name, problem in scope.problems(section, listed)]
        hidden = (
            field for name in listed if (field := self.schema.find(name)) and field.key in self.field_visibility.missing
        )
        wrong += [f"scope.{section}: {maybe_hidden_message(field.key)}" for field in hidden]
        if wrong:
            raise InvalidInput(wrong)
        return (record for record in self.objects if not listed or scope.contains(section, record))


def in_unknown_form(schema: Schema, records: Iterable[Record], keys: Collection[str]) -> int:
    """Return the number of records with a value in an unknown form in one of the fields ``keys``.

    Nothing proves what such a value refers to.
    """
    return sum(any(isinstance(schema.read_field(key, record.flat), Unread) for key in keys) for record in records)
