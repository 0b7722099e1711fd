# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find creations that look like renames: the key is new, but other values suggest that the record already exists.

No requests are made here.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.field import EMPTY
from ...module_utils.model.kinds import LOCATION, OBJECT, ROOM
from ...module_utils.model.rooms import TO_ROOM
from ...module_utils.model.schema import Schema
from ...module_utils.model.types_links import Reference
from ...module_utils.plan.change import CREATE, UPDATE
from ..set_plan.listed_state import ListedState
from ..set_plan.plan import InstancePlan, Planned

#: The field that needs no second equal value.
_PROOF = "serial_number"

#: Fields that two records seldom share, the most reliable first.
#:
#: They count only if the value is unique on both sides, and another value is equal too.
_DISTINCTIVE: Mapping[str, Sequence[str]] = {OBJECT.name: (_PROOF, "inventory_name"), ROOM.name: ("name", "number")}

#: Maximum number of suspicions that are reported one by one.
_MOST = 10


def suspected_renames(plan: InstancePlan) -> list[str]:
    """Return a line for each new object or room that may exist under another key, with its line for ``moved.yml``.

    Vaulted values are not compared.
    """
    state = plan.state
    if state is None or plan.hiding.has_any:
        return []
    lines = []
    for kind in (OBJECT, ROOM):
        created = [planned for planned in plan.changes if planned.kind is kind and planned.change.action == CREATE]
        if created and state.is_listed(kind):
            search = _Search(plan, state, created)
            found = [*dict.fromkeys(search.proposal(*pair) for pair in search.pairs())]
            rest = len(found) - _MOST
            lines += [*found[:_MOST], f"{rest} more new {kind.plural} look like renames."] if rest > 0 else found
    return lines


class _Search:
    """The search among the records that no file has."""

    def __init__(self, plan: InstancePlan, state: ListedState, created: Sequence[Planned]) -> None:
        self._plan = plan
        self._state = state
        self._schema = created[0].schema
        kind = self._schema.kind
        kept = (planned.change.current for planned in plan.changes if not planned.entry.pruned)
        known = {*plan.managed.get(kind.name, ()), *(current.uuid for current in kept if current)}
        self._waiting = {id(planned.entry): planned for planned in created}
        self._free = {record.uuid: record for record in state.records(kind) if record.uuid not in known}
        self._created, self._unknown = created, frozenset(self._free)

    def pairs(self) -> Iterator[tuple[Planned, Record, str]]:
        """Yield new records, each with the record that it may be, and what suggests it."""
        for planned, record in self._followed():
            yield from self._taken(planned, record, "its objects get the new room")
        for key in _DISTINCTIVE[self._schema.kind.name]:
            for planned, record in list(self._equal(key)):
                if key == _PROOF or self._has_second(planned, record, key):
                    yield from self._taken(planned, record, f"the same {key}")

    def _taken(self, planned: Planned, record: Record, why: str) -> Iterator[tuple[Planned, Record, str]]:
        if self._key(planned, record):
            del self._waiting[id(planned.entry)], self._free[record.uuid]
            yield planned, record, why

    def _followed(self) -> Iterator[tuple[Planned, Record]]:
        """Yield each new room that receives everything that another room has, with that room."""
        moves: dict[str, Counter[int]] = defaultdict(Counter)
        fields: dict[tuple[str, str], Schema] = {}
        for planned in self._plan.changes if self._schema.kind is ROOM else ():
            for key, value in planned.change.values.items() if planned.change.action == UPDATE else ():
                was = self._uuid_of(planned.now(key)) if planned.schema.fields[key].type == TO_ROOM else ""
                if was in self._free and isinstance(value, Reference):
                    moves[was][id(value.pending)] += 1
                    fields[planned.kind.name, key] = planned.schema
        inside = Counter(
            self._uuid_of(schema.read_field(key, record.flat))
            for (_kind, key), schema in fields.items()
            for record in self._state.records(schema.kind)
        )
        for uuid, targets in moves.items():
            target, number = next(iter(targets.items()))
            if target in self._waiting and number >= inside[uuid]:
                yield self._waiting[target], self._free[uuid]

    def _uuid_of(self, value: Any) -> str:
        record = self._state.find(value) if isinstance(value, Reference) else None
        return "" if record is None else record.uuid

    def _equal(self, key: str) -> Iterator[tuple[Planned, Record]]:
        """Yield the new and the existing records with the same value of a field, if it is unique on both sides."""
        if key not in self._schema.fields:
            return
        wanted: dict[Any, list[Planned]] = defaultdict(list)
        existing: dict[Any, list[Record]] = defaultdict(list)
        for planned in self._waiting.values():
            wanted[planned.desired.get(key)].append(planned)
        for record in self._free.values():
            existing[self._schema.read_field(key, record.flat)].append(record)
        for value, candidates in wanted.items():
            if isinstance(value, str) and value and len(candidates) == len(existing.get(value, ())) == 1:
                yield candidates[0], existing[value][0]

    def _has_second(self, planned: Planned, record: Record, first: str) -> bool:
        """Return True if another value is equal too. Booleans do not count, because many records share them."""
        others = ((key, value) for key, value in planned.desired.items() if key != first)
        return any(_is_equal(value, self._schema.read_field(key, record.flat)) for key, value in others)

    def _key(self, planned: Planned, record: Record) -> dict[str, Any]:
        """Return the natural key of a record as ``moved.yml`` names it; empty if it cannot."""
        choices = (planned.keys, *planned.kind.match_on)
        keys = (
            {name: self._in_words(self._schema.read_field(name, record.flat)) for name in names} for names in choices
        )
        return next((key for key in keys if all(key.values())), {})

    def _in_words(self, value: Any) -> str | None:
        if isinstance(value, Reference):
            known = None if value.pending is not None else self._state.known_name_of(value)
            return known or (value.written if isinstance(value.written, str) else None)
        return value if isinstance(value, str) and value else None

    def _has_all_rooms(self, planned: Planned, place: Record) -> bool:
        """Return True if a new room is in a new location, and no file has any of the rooms of a location.

        Then the location has probably got another name, unless its rooms are distributed.
        """
        key = planned.kind.parent_key
        new = [one.desired[key].pending for one in self._created if isinstance(one.desired.get(key), Reference)]
        pending = planned.desired[key].pending if isinstance(planned.desired.get(key), Reference) else None
        rooms = [room for room in self._state.records(ROOM) if self._state.place_of(room) is place]
        is_whole = all(room.uuid in self._unknown for room in rooms) and len(rooms) <= new.count(pending)
        return pending is not None and key in planned.keys and is_whole

    def proposal(self, planned: Planned, record: Record, why: str) -> str:
        """Return a suspicion with its line for ``moved.yml``."""
        words, section, what = self._key(planned, record), planned.section, str(planned)
        new = {name: self._in_words(planned.desired[name]) for name in planned.keys}
        place_was = self._state.place_of(record)
        if place_was is not None and self._has_all_rooms(planned, place_was):
            words, new = {"name": self._state.name_of(place_was) or ""}, {"name": new[planned.kind.parent_key]}
            section, what, why = LOCATION.section, f"location {new['name']}", "it has the same rooms"
        pair = {"from": words, "to": new}
        line = json.dumps({section: [pair]}, ensure_ascii=False)
        return (
            f"{what} would be new, and looks like {'/'.join(words.values())} with another key ({why}). "
            f"If it is the same one, write into moved.yml: {line}"
        )


def _is_equal(value: Any, other: Any) -> bool:
    if isinstance(value, bool) or value in EMPTY:
        return False
    if isinstance(value, Reference) and isinstance(other, Reference):
        return value.same(other) is True
    return bool(value == other)
