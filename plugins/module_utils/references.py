# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns references as a person wrote them into ids and uuids, with one list for each kind that is referred to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from . import matching
from .client import Client, Record
from .errors import Ambiguous, NoMatch
from .kinds import KINDS, Kind
from .links import Reference, references_in
from .query import Condition
from .schema import Schema
from .structures import is_called

_ORDER = ("location", "room", "person", "user", "object")
"""Rooms are found by their location, so locations come first."""


class Resolver:
    """Resolves the references of one desired record (or of many at once).

    :param allow_missing: collect what is not found as warnings instead of raising (check mode: an earlier task
        may be the one to make it).
    """

    def __init__(self, client: Client, allow_missing: bool = False) -> None:
        self._client = client
        self._allow_missing = allow_missing
        self._complete: dict[str, list[Record]] = {}
        self._locations: list[Record] = []
        self._lists: dict[tuple[str, tuple[Condition, ...]], list[Record]] = {}
        self._named: dict[str, tuple[set[str], list[Record]]] = {}
        self._places: list[str] = []
        self._found: dict[int, Record] = {}
        self.warnings: list[str] = []

    def resolve(self, references: Iterable[Reference]) -> None:
        """Fills in ``uuid`` and ``id`` of references by natural key or map. Raises :class:`NoMatch` or ``Ambiguous``,
        naming candidates.
        """
        pending = [reference for reference in references if not reference.resolved]
        paths = [str(one.written) for one in pending if one.target == "room" and isinstance(one.written, str)]
        self._places = [place for path in paths for place, _label in matching.path_splits(path)]
        problems: list[str] = []
        for target in _ORDER:
            mine = [reference for reference in pending if reference.target == target]
            if mine:
                problems += self._resolve_kind(KINDS[target], mine)
        if problems and not self._allow_missing:
            raise NoMatch("\n".join(problems))
        self.warnings += problems

    def _settled(self, reference: Reference, record: Record) -> None:
        reference.uuid, reference.id = record.uuid or None, record.id
        reference.names = names_of(record)
        self._found[id(reference)] = record

    def record_of(self, reference: Reference) -> Record | None:
        """The record that a reference means, read by its uuid or id where it was not read when it was resolved."""
        kind = KINDS[reference.target]
        if id(reference) in self._found:
            return self._found[id(reference)]
        record = None
        if reference.uuid:
            record = self._client.get(kind, reference.uuid)
        elif reference.id is not None:
            record = self._client.get_by_id(kind, reference.id)
        if record is not None:
            self._settled(reference, record)
        return record

    def with_uuid(self, references: Iterable[Reference]) -> None:
        """Fills in the uuid of references by integer id, for bodies that take uuids only."""
        problems = []
        for reference in references:
            if reference.uuid is None and reference.id is not None:
                record = self._client.get_by_id(KINDS[reference.target], reference.id)
                if record is None:
                    problems.append(f"{_at(reference)}There is no {reference.target} with the id {reference.id}.")
                else:
                    self._settled(reference, record)
        if problems:
            raise NoMatch("\n".join(problems))

    def decide(self, wanted: Any, current: Any) -> None:
        """Fills in the ids of wanted references by uuid where the instance answers bare ids, so that the two can be
        compared.
        """
        have = list(references_in(current))
        for reference in references_in(wanted):
            if is_text_renter(current) and not reference.names:
                self.record_of(reference)
            if reference.resolved and any(reference.same(other) is None for other in have):
                record = self._client.get(KINDS[reference.target], reference.uuid) if reference.uuid else None
                if record is not None:
                    reference.id = record.id
                elif reference.id is not None:
                    self.with_uuid([reference])

    # ---- one kind at a time

    def _resolve_kind(self, kind: Kind, references: Sequence[Reference]) -> list[str]:
        by_text = [reference for reference in references if isinstance(reference.written, str)]
        by_map = [reference for reference in references if not isinstance(reference.written, str)]
        problems = []
        if by_text:
            candidates = self._rooms_for(by_text) if kind.name == "room" else self._candidates(kind, by_text)
            for reference in by_text:
                hits = self._hits(kind, str(reference.written), candidates)
                problems += self._settle(kind, reference, hits, candidates)
        for reference in by_map:
            problems += self._resolve_map(kind, reference)
        return problems

    def _settle(
        self, kind: Kind, reference: Reference, hits: Sequence[Record], candidates: Sequence[Record]
    ) -> list[str]:
        where = _at(reference)
        advice = "refer to it by its uuid, or by a map of fields that tells them apart"
        record = matching.one_of(kind, f"the natural key {reference.written!r}", hits, where, advice)
        if record is not None:
            self._settled(reference, record)
            return []
        near = self._nearest(kind, reference.written, candidates)
        return [
            f"{where}There is no {kind.words} {reference.written!r}."
            + (f" The nearest are {', '.join(map(repr, near))}." if near else "")
        ]

    def _identity(self, kind: Kind) -> Schema:
        return Schema(kind, kind.identity)

    def _hits(self, kind: Kind, text: str, candidates: Sequence[Record]) -> list[Record]:
        schema = self._identity(kind)
        if kind.name != "room":
            key = kind.identity[0].key
            return matching.identified(schema, [key], {key: text}, candidates)
        found: dict[str, Record] = {}
        for place, label in matching.path_splits(text):
            for location in self._locations_named(place):
                building = Reference("location", location.id, location.uuid)
                for key in ("number", "name"):
                    hits = matching.identified(
                        schema, ["building_id", key], {"building_id": building, key: label}, candidates
                    )
                    found.update((hit.uuid, hit) for hit in hits)
        if "/" not in text:
            for key in ("number", "name"):
                found.update((hit.uuid, hit) for hit in matching.identified(schema, [key], {key: text}, candidates))
        return list(found.values())

    def _candidates(self, kind: Kind, references: Sequence[Reference]) -> list[Record]:
        """Records among which some references by text are: the whole kind, or what the service finds by their names."""
        if kind.name in self._complete:
            return self._complete[kind.name]
        if not kind.filters:
            return self._whole(kind)
        names = dict.fromkeys(str(reference.written) for reference in references)
        if kind.name == "location":
            # Rooms will need theirs next, so all are asked for at once.
            names.update(dict.fromkeys(self._places))
        asked, records = self._named.get(kind.name, (set(), []))
        if not set(names) <= asked:
            key = kind.identity[0].key
            several = len(names) > 1
            records = self._list(kind, [Condition(key, "in" if several else "eq", tuple(names))])
            self._named[kind.name] = (set(names), records)
        return records

    def _list(self, kind: Kind, conditions: Sequence[Condition]) -> list[Record]:
        """A list of the service, asked for once."""
        asked = (kind.name, tuple(conditions))
        if asked not in self._lists:
            self._lists[asked] = self._client.list_all(kind, conditions)
        return self._lists[asked]

    def _rooms_for(self, references: Sequence[Reference]) -> list[Record]:
        texts = [str(reference.written) for reference in references]
        places = [
            Reference("location", written=place) for text in texts for place, _label in matching.path_splits(text)
        ]
        room = KINDS["room"]
        if any("/" not in text for text in texts):
            self._locations = self._candidates(KINDS["location"], places) if places else []
            return self._whole(room)
        self._locations = self._candidates(KINDS["location"], places)
        ids = tuple(location.id for location in self._locations)
        if not ids:
            return []
        if any(number is None for number in ids):
            return self._whole(room)
        return self._client.list_all(room, [Condition("building_id", "in" if len(ids) > 1 else "eq", ids)])

    def _locations_named(self, name: str) -> list[Record]:
        return matching.identified(self._identity(KINDS["location"]), ["name"], {"name": name}, self._locations)

    def _whole(self, kind: Kind) -> list[Record]:
        if kind.name not in self._complete:
            self._complete[kind.name] = self._client.list_all(kind)
        return self._complete[kind.name]

    def _resolve_map(self, kind: Kind, reference: Reference) -> list[str]:
        schema = self._identity(kind)
        if not set(reference.written) <= set(schema.fields):
            schema = self._client.schema(kind)
        desired, findings = schema.parse(reference.written, f"{_at(reference)}reference to {kind.one}: ")
        wrong = findings.errors + findings.unknown
        if wrong:
            return wrong
        before = len(self.warnings)
        self.resolve(references_in(tuple(desired.values())))
        if len(self.warnings) > before:
            return []
        hits = matching.identified(
            schema, desired, desired, self._list(kind, matching.conditions(schema, desired, desired))
        )
        return self._settle(kind, reference, hits, hits)

    def _nearest(self, kind: Kind, written: Any, candidates: Sequence[Record]) -> list[str]:
        """Candidates for an error message. Of objects only one page is read for it: there may be very many."""
        if not isinstance(written, str) or self._allow_missing:
            return []
        if kind.name == "object":
            return matching.near_names(written, [record.flat.get("barcode") for record in self._client.some(kind)])
        records = candidates if kind.name in self._complete else self._whole(kind)
        if kind.name != "room":
            return matching.near_names(written, [record.flat.get(kind.identity[0].key) for record in records])
        label = written.rpartition("/")[2]
        places = {location.id: location.flat.get("name") for location in self._whole(KINDS["location"])}
        schema = self._identity(kind)
        names = []
        for record in records:
            values = schema.read(record.flat)
            place = values.get("building_id")
            name = places.get(place.id) if place else None
            names += [
                f"{name}/{values[key]}" if name else str(values[key]) for key in ("number", "name") if values.get(key)
            ]
        return matching.near_names(written, names) or matching.near_names(label, names)


def _at(reference: Reference) -> str:
    """Where a reference was written, to stand before a message about it."""
    return f"{reference.where}: " if reference.where else ""


def names_of(record: Record) -> tuple[str, ...]:
    """What a user may be called where an instance answers a text in place of a link; of other kinds nothing."""
    if record.kind.name != "user":
        return ()
    shown = record.flat.get("display_name")
    full = f"{record.flat.get('firstname') or ''} {record.flat.get('lastname') or ''}".strip()
    names = [record.flat.get("email"), full, *(shown if isinstance(shown, list) else [shown])]
    return tuple(str(name) for name in names if name)


def is_text_renter(current: Any) -> bool:
    """Whether a value is a renter that an instance answered as a text alone."""
    return isinstance(current, tuple) and current[:1] == ("text",)


def renter_of(text: str, users: Iterable[Record]) -> tuple[str, Any]:
    """Whom the text means that an instance answered as the renter: one of its users, or a name that was written.

    :raises Ambiguous: where it may mean more than one user.
    """
    meant = [Reference("user", user.id, user.uuid, names=names_of(user)) for user in users]
    called = [user for user in meant if is_called(user, text)]
    if len(called) > 1:
        raise Ambiguous(
            f"renter: {text!r} may mean {len(called)} users, and the instance does not say which; write renter."
        )
    return ("user", called[0]) if called else ("plain", text)
