# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How people read the values of a plan: amounts with their digits, and records by name. No requests are made here."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.kinds import KINDS, OBJECT, Kind
from ...module_utils.model.rooms import locations_of_rooms
from ...module_utils.model.schema import Schema
from ...module_utils.model.types_links import Reference, references_in
from ...module_utils.plan.change import ARCHIVE, DELETE, UPDATE
from ..set_plan.plan import InstancePlan, Planned
from .value_diff import as_figure

#: The kinds whose records are known by the names of people.
PERSONS = ("person", "user")

#: Types of the fields that name persons.
PERSON_TYPES = frozenset({"LINKED_PERSON", "LINKED_USER", "USER", "USERS"})

#: Fields that name a record for people. The first fields with a value count.
_NAMES = (("inventory_name",), ("title",), ("first_name", "last_name"), ("firstname", "lastname"), ("name",))

#: Section and key of a field.
Key = tuple[str, str]


def name_from(values: Callable[[str], Any], keys: Iterable[str]) -> str:
    """Return the name of a record for people; empty if it has none.

    :param values: returns the value of a field. :param keys: the fields of the record.
    """
    known = set(keys)
    for names in _NAMES:
        parts = [values(key) for key in names] if known.issuperset(names) else []
        name = " ".join(part for part in parts if isinstance(part, str) and part)
        if name:
            return name
    return ""


@dataclass(frozen=True)
class Reading:
    """How people read the values of a plan.

    :ivar digits: field to the digits after the point that people expect.
    :ivar follows: location to the room field from which it follows.
    :ivar names: field to the natural keys that its links have, each with what people call the record.
    :ivar people: address of a person or user to the name.
    """

    digits: Mapping[Key, int] = field(default_factory=dict)
    follows: Mapping[Key, str] = field(default_factory=dict)
    names: Mapping[Key, Mapping[str, str]] = field(default_factory=dict)
    people: Mapping[str, str] = field(default_factory=dict)

    def of_change(self, change: dict[str, Any], separator: str) -> dict[str, Any]:
        """Return a change as people read it. A room that changes says the location too.

        :param separator: between thousands.
        """
        section, sides = change["section"], (change["before"], change["after"])
        changing = {key for side in sides for key in side} if change["action"] == UPDATE else set()
        before, after = (
            {
                key: self._value((section, key), value, separator)
                for key, value in side.items()
                if self.follows.get((section, key)) not in changing
            }
            for side in sides
        )
        return {**change, "before": before, "after": after}

    def _value(self, key: Key, value: Any, separator: str) -> Any:
        if isinstance(value, (list, tuple)):
            return [self._value(key, item, separator) for item in value]
        if isinstance(value, str):
            return self.names.get(key, {}).get(value, value)
        return as_figure(value, self.digits[key], separator) if key in self.digits else value


def reading_of(plan: InstancePlan) -> Reading:
    """Return how people read the values of a plan."""
    schemas = {(planned.section, planned.entry.template): planned.schema for planned in plan.changes}
    digits: dict[Key, int] = {}
    follows: dict[Key, str] = {}
    for (section, _template), schema in schemas.items():
        digits |= {(section, key): known.shown_digits for key, known in schema.fields.items() if known.shown_digits}
        follows |= {(section, location): room for location, room in locations_of_rooms(schema).items()}
    names = Names(plan)
    called: dict[Key, Mapping[str, str]] = {}
    for planned in plan.changes:
        for key in _shown_links(planned):
            for reference in _links(planned, key):
                names.called(reference)
                called[planned.section, key] = names.known[reference.target]
    return Reading(digits, follows, called, {**names.known["user"], **names.known["person"]})


def _shown_links(planned: Planned) -> set[str]:
    """Return the fields whose links reports show: those that change, and the persons of a record to remove."""
    change, fields = planned.change, planned.schema.fields
    is_removed = change.action in (ARCHIVE, DELETE)
    persons = {key for key, known in fields.items() if known.type in PERSON_TYPES} if is_removed else set()
    return {*change.before, *change.after} & {*fields} | persons


def _links(planned: Planned, key: str) -> Iterable[Reference]:
    """Yield the links to people and objects on both sides of a field."""
    for reference in references_in((planned.now(key), planned.change.values.get(key))):
        if reference.target in (*PERSONS, OBJECT.name):
            yield reference


class Names:
    """What people call the people and objects that a plan refers to.

    :ivar known: kind to natural keys and names.
    """

    def __init__(self, plan: InstancePlan) -> None:
        # Names of other records may be vaulted.
        self._state = None if plan.hiding.has_any else plan.state
        self._created = {id(planned.entry): planned for planned in plan.changes if planned.change.current is None}
        # After an apply, links have the uuids of created records.
        self._by_uuid = {planned.created_uuid: planned for planned in self._created.values() if planned.created_uuid}
        self._shared: dict[str, Counter[str]] = {}
        self.known: dict[str, dict[str, str]] = defaultdict(dict)

    def called(self, reference: Reference) -> str:
        """Return and note what people call a referenced record; empty if that is unknown."""
        kind, state = KINDS[reference.target], self._state
        if state is None or not state.is_listed(kind):
            return ""
        planned = self._created.get(id(reference.pending)) or self._by_uuid.get(reference.uuid or "")
        record = None if planned is not None else state.find(reference)
        if record is not None:
            return self._note(kind, state.name_of(record), self._name(state.schema(kind), record))
        return "" if planned is None else self._note(kind, planned.key, _new_name(planned))

    def _note(self, kind: Kind, key: str | None, name: str) -> str:
        if not key or not name:
            return ""
        if kind is OBJECT:
            name = f"{key} {name}"
        elif self._is_shared(kind, name):
            name = f"{name} ({key})"
        self.known[kind.name][key] = name
        return name

    @staticmethod
    def _name(schema: Schema, record: Record) -> str:
        return name_from(lambda key: schema.read_field(key, record.flat), schema.fields)

    def _is_shared(self, kind: Kind, name: str) -> bool:
        """Return True if two people have the same name."""
        if kind.name not in self._shared and self._state is not None:
            schema = self._state.schema(kind)
            names = [self._name(schema, record) for record in self._state.records(kind)]
            names += [_new_name(planned) for planned in self._created.values() if planned.kind is kind]
            self._shared[kind.name] = Counter(names)
        return self._shared[kind.name][name] > 1


def _new_name(planned: Planned) -> str:
    return name_from(planned.desired.get, planned.schema.fields)
