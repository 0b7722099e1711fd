# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Removed rooms, locations and persons, and the records that still refer to them and must be changed first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...module_utils.client.record import Record
from ...module_utils.model.field import first_of
from ...module_utils.model.kinds import OBJECT, TEMPLATE_KINDS
from ...module_utils.model.rooms import locations_of_rooms
from ...module_utils.model.schema import Schema
from ...module_utils.model.types_basic import FIELD_TYPES
from ...module_utils.model.types_links import references_in
from ...module_utils.plan.change import ARCHIVE, DELETE
from ...module_utils.reconcile.refusals import link_to
from .aspect import Aspect
from .listed_state import ListedState
from .plan import Planned

_MOST_NAMED = 3


@dataclass(frozen=True)
class Blocker:
    """A record that refers to a record to remove, and stays.

    :ivar name: its name in messages.
    :ivar key: the field with the reference.
    :ivar note: added to messages: an archived record keeps its links.
    """

    name: str
    key: str
    note: str

    def __str__(self) -> str:
        return f"{self.name} ({self.key}{self.note})"


def may_be_occupied(planned: Planned) -> bool:
    """Return True for a record to remove that others may refer to by one of their fields."""
    return link_to(planned.kind) in FIELD_TYPES


class RemovalBlockers(Aspect):
    """Refuse to delete a record with a reference from a record that stays unchanged.

    Warn that a deletion may fail if the other records are not all known.
    """

    def complete(self) -> None:
        """Check all removals. With other findings it is unknown which records are removed, so nothing is checked."""
        context = self._context
        if context.findings:
            return
        search = _BlockerSearch(context.state, context.result.changes)
        for planned, blockers in search.blocked():
            context.find(planned.entry.place, why_blocked(planned, blockers))
        context.result.warnings += search.unknown()


def without_blocked(state: ListedState, changes: Iterable[Planned]) -> Iterator[tuple[Planned, str]]:
    """Yield changes that are impossible if some changes are left out of a plan, each with the reason."""
    left = list(changes)
    while blocked := {id(planned): (planned, why) for planned, why in _impossible(state, left)}:
        yield from blocked.values()
        # A record that stays may block the removal of other records.
        left = [planned for planned in left if id(planned) not in blocked]


def _impossible(state: ListedState, changes: Sequence[Planned]) -> Iterator[tuple[Planned, str]]:
    """Yield removals that a reference blocks, and changes whose unique value another record keeps."""
    for planned, blockers in _BlockerSearch(state, changes).blocked():
        yield planned, f"{planned} can't be removed: {why_blocked(planned, blockers)}"
    entries = {id(planned.entry) for planned in changes}
    waiting = ((planned, *after) for planned in changes for after in planned.after if id(after[1]) not in entries)
    for planned, key, owner in waiting:
        yield planned, f"{planned} can't get its {key}, because the record at {owner.place} does not give it up"


def why_blocked(planned: Planned, blockers: Iterable[Blocker]) -> str:
    """Return why a record cannot be removed: the names of some records that refer to it."""
    names = sorted(map(str, blockers))
    refer = "refers" if len(names) == 1 else "refer"
    return (
        f"{planned} is to be removed, and {first_of(names, _MOST_NAMED)} {refer} to it; first move or clear what "
        f"refers to it, or keep the {planned.kind.words}"
    )


class _BlockerSearch:
    """Find the records that refer to removed records. Note on removals which changes must come first."""

    def __init__(self, state: ListedState, changes: Iterable[Planned]) -> None:
        self._state = state
        self._planned = {
            planned.change.current.uuid: planned for planned in changes if planned.change.current is not None
        }
        self._removals = {
            uuid: planned
            for uuid, planned in self._planned.items()
            if planned.change.action == DELETE and link_to(planned.kind) in FIELD_TYPES
        }
        for planned in self._removals.values():
            planned.leaving = ()
        self._searched: set[str] = set()
        self._hidden: list[str] = []
        self._found: dict[str, list[Blocker]] = {}
        types = {link_to(removal.kind) for removal in self._removals.values()}
        for kind in TEMPLATE_KINDS.values() if types else ():
            schema = state.schema(kind)
            follows = locations_of_rooms(schema)
            keys = {key: follows.get(key, "") for key, field in schema.fields.items() if field.type in types}
            if keys:
                self._searched.add(kind.name)
                hidden = state.field_visibility(schema, keys=keys).hidden.intersection(keys)
                self._hidden += [f"{key} of {kind.plural}" for key in sorted(hidden)]
                for record in state.records(kind):
                    self._search(schema, keys, record)
                for record in state.unlisted(kind):
                    self._search(schema, keys, record, note=", archived" if record.archived else "")

    def blocked(self) -> Iterator[tuple[Planned, list[Blocker]]]:
        """Yield records that cannot be removed, with the records that refer to them."""
        for uuid, blockers in self._found.items():
            yield self._removals[uuid], blockers

    def unknown(self) -> Iterator[str]:
        """Say which deletions may fail because hidden fields, or archived objects, may refer to what is deleted."""
        if self._hidden:
            yield (
                f"Deletions may fail, or leave links to what is deleted: this account does not see "
                f"{', '.join(self._hidden)} (a role may hide fields), so nobody looked there."
            )
        numbers = Counter(planned.section for planned in self._removals.values())
        for section, number in numbers.items() if OBJECT.name in self._searched else ():
            yield (
                f"{section}: deleting {number:,} of them may fail, or leave links to what is deleted: archived objects "
                f"that the files do not name may refer to them, and no list shows those."
            )

    def _search(self, schema: Schema, keys: Mapping[str, str], record: Record, note: str = "") -> None:
        planned, flat = self._planned.get(record.uuid), record.flat
        for key, room in keys.items():
            if not flat.get(schema.fields[key].wire_key):
                continue
            references = references_in(schema.read_field(key, record.flat))
            targets = {self._state.completed(reference).uuid for reference in references}
            # The location of a record that is in a room there follows the room, which names the location itself.
            rooms = map(self._state.find, references_in(schema.read_field(room, flat))) if room else ()
            targets -= {place.uuid for place in map(self._state.place_of, filter(None, rooms)) if place}
            for uuid in sorted(self._removals.keys() & targets):
                if planned is not None and (planned.change.action == DELETE or key in planned.change.values):
                    # No plan writes a reference to a record that it removes.
                    self._removals[uuid].leaving += (planned.entry,)
                    continue
                name = f"{schema.kind.words} {self._state.name_of(record) or record.uuid}"
                if planned is not None:
                    note = ", also when it is archived" if planned.change.action == ARCHIVE else ""
                self._found.setdefault(uuid, []).append(Blocker(name, key, note))
