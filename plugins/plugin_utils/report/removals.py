# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of changed records, and what is removed along with a record. No requests are made here."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping
from decimal import Decimal
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.field import Field, Unread, in_digits, readable
from ...module_utils.model.kinds import HUB_ITEM, KINDS, OBJECT
from ...module_utils.model.types_links import Reference, attachments_in, references_in
from ...module_utils.operations.hub_items import asset_id
from ...module_utils.plan.change import ARCHIVE, DELETE
from ..desired.entry import Entry
from ..desired.hiding import VAULTED, Hiding
from ..desired.parsing import written_as
from ..set_plan.hub import offered
from ..set_plan.listed_state import ListedState
from ..set_plan.plan import InstancePlan, Planned
from .reading import PERSON_TYPES, PERSONS, Names, name_from

#: Replaces a number whose list was not needed for the plan.
NOT_LOOKED_UP = "not looked up"

_LINKING = ("task", "rental_case", HUB_ITEM.name)
#: What a record to remove has, by the types of its fields.
_SHOWN = {"room": ("LINKED_ROOM",), "person": PERSON_TYPES, "value": ("MONEY",)}

#: Fields with persons that the service sets itself. These persons are not responsible for the record.
SERVICE_FIELDS = frozenset({"inventory_user"})


class Removals:
    """The information about the records of a plan that reports show besides the changes.

    :param entries: all records of the files: a field that is hidden in one of them is hidden in every removal of its
        section.
    """

    def __init__(self, plan: InstancePlan, entries: Iterable[Entry], hiding: Hiding) -> None:
        self._state: ListedState | None = plan.state
        self._claimed = plan.claimed
        self._names = Names(plan)
        self._hiding = hiding
        self._vaulted: dict[str, set[Container[str]]] = defaultdict(set)
        for entry in entries if hiding.is_on else ():
            self._vaulted[entry.kind.section].add(entry.vaulted)
        self._links: dict[str, Counter[Any]] = {}

    def hides(self, planned: Planned, key: str) -> bool:
        """Return True if a field of a record must not be shown."""
        names = {key, planned.schema.fields[key].label if key in planned.schema.fields else key}
        if self._hiding.hides(planned.entry, written_as(planned.schema, planned.entry, key), *names):
            return True
        is_removed = planned.change.action in (DELETE, ARCHIVE) and key not in planned.plain
        return is_removed and any(name in hidden for hidden in self._vaulted[planned.section] for name in names)

    def known_name_of(self, reference: Reference) -> str | None:
        """Return the natural key of a referenced record, if it is known and may be shown."""
        state = self._state
        name = None if state is None else state.known_name_of(reference)
        record = None if state is None or name is None or not self._hiding.is_on else state.find(reference)
        if state is None or record is None:
            return name
        place = state.place_of(record)
        return None if self._is_secret(record, state) or (place and self._is_secret(place, state)) else name

    def _is_secret(self, record: Record, state: ListedState) -> bool:
        """Return True if the name of a record is hidden. If it is in no file, a vaulted file may have had it."""
        kind = record.kind
        if record.uuid in self._claimed.get(kind.name, ()):
            return state.shown_name_of(record) is None
        return any(self._vaulted[kind.section]) or not self._hiding.shows_all(field.key for field in kind.identity)

    def name_of(self, planned: Planned) -> str:
        """Return the name of a record for people; empty if it has none besides its key, or if it is hidden."""

        def shown(key: str) -> Any:
            return VAULTED if self.hides(planned, key) else self.now(planned, key)

        name = name_from(shown, planned.schema.fields)
        return "" if VAULTED in name or name in (*planned.key.split("/"), planned.key) else name

    def now(self, planned: Planned, key: str) -> Any:
        """Return the present value of a field, or that of the files for a record that does not exist."""
        return planned.desired.get(key) if planned.change.current is None else planned.now(key)

    def removed_with(self, planned: Planned) -> dict[str, Any]:
        """Return what is removed along with a record; nothing for a record that stays. The archive keeps most of it."""
        current, schema = planned.change.current, planned.schema
        if planned.change.action not in (DELETE, ARCHIVE) or current is None:
            return {}
        types = {key: field.type for key, field in schema.fields.items() if key not in SERVICE_FIELDS}
        removed: dict[str, Any] = {}
        for word, wanted in _SHOWN.items():
            texts = [text for key, name in types.items() if name in wanted for text in self._texts(planned, key)]
            removed[word] = ", ".join(dict.fromkeys(texts))
        if planned.change.action == DELETE:
            files = [key for key, name in types.items() if name.startswith("ATTACHMENT")]
            values = [schema.read_field(key, current.flat) for key in files]
            removed["attachments"] = sum(1 for value in values for _file in attachments_in(value))
            removed["history"] = schema.kind.has_history
        if schema.kind.name == OBJECT.name:
            removed |= {KINDS[name].section: self._linked(name, current) for name in _LINKING}
        removed["changed_last"] = self._changed_last(current)
        return {word: value for word, value in removed.items() if value != ""}

    def _texts(self, planned: Planned, key: str) -> list[str]:
        value = self.now(planned, key)
        if value in (None, "", ()):
            return []
        if self.hides(planned, key):
            return [VAULTED]
        names = [self._called(reference) for reference in references_in((value,))]
        return names or [_in_words(planned.schema.fields[key], value)]

    def _called(self, reference: Reference) -> str:
        if reference.target in PERSONS and (name := self._names.called(reference)):
            return name
        return self.known_name_of(reference) or name_in_words(reference)

    def _linked(self, name: str, record: Record) -> int | str:
        """Return how many records of a kind refer to an object, if their list was read anyway."""
        kind = KINDS[name]
        if self._state is None or not self._state.is_listed(kind):
            return NOT_LOOKED_UP
        if name not in self._links:
            records = offered(self._state) if kind is HUB_ITEM else self._state.records(kind)
            self._links[name] = Counter(mark for record in records for mark in set(_marks(self._state, record)))
        counts = self._links[name]
        return counts[record.uuid] or (counts[record.id] if record.id is not None else 0)

    def _changed_last(self, record: Record) -> str:
        when, who = record.flat.get("updated_at"), record.flat.get("updated_by_user_id")
        user = self._called(Reference("user", id=who)) if isinstance(who, int) else ""
        if user.isdecimal():
            user = f"user {user}"
        return " by ".join(filter(None, [str(when)[:10] if when else "", user]))


def _in_words(field: Field, value: Any) -> str:
    if isinstance(value, Unread):
        return readable(value.raw)
    return in_digits(value, field.shown_digits, ",") if isinstance(value, Decimal) else str(value)


def name_in_words(reference: Reference) -> str:
    """Return the name that the service gives a record. If it gives none, return the uuid or id."""
    return readable(reference.display_name) or str(reference.email or reference.uuid or reference.id)


def _marks(state: ListedState, record: Record) -> Iterable[Any]:
    """Yield the uuids and ids of the objects that a record refers to."""
    if record.kind is HUB_ITEM:
        yield asset_id(record)
        return
    for reference in references_in(tuple(state.schema(record.kind).read(record.flat).values())):
        if reference.target == OBJECT.name:
            yield from (mark for mark in (reference.uuid, reference.id) if mark)


def removal_texts(removed: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what a record to remove has, what is lost with it, and what refers to it, as names and values."""
    return [
        (word.replace("_", " "), "is lost" if value is True else str(value)) for word, value in removed.items() if value
    ]
