# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns references as a person wrote them into ids and uuids, with one list for each kind that is referred to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..client.client import Client, Record
from ..errors import Ambiguous, InvalidInput, NoMatch
from ..model.field import Field, InvalidValue, shorten
from ..model.kinds import KINDS, Kind
from ..model.near import slips
from ..model.schema import Schema
from ..model.types_composite import is_called
from ..model.types_links import Reference, parse_reference, references_in
from . import natural_keys
from .read_cache import Reading

_ORDER = tuple(kind.name for kind in KINDS.values() if kind.identity)
"""Rooms are found by their location, so locations come first."""

_LOCATION = KINDS["location"]


class Resolver:
    """Resolves the references of one desired record (or of many at once).

    :ivar reading: the lists and records that were read for it.
    :param allow_missing: collect what is not found as warnings instead of raising (check mode: an earlier task
        may be the one to make it).
    :param slips_fail: raise all the same where a name is a slip of one that is there; names are read for that.
    """

    def __init__(self, client: Client, allow_missing: bool = False, slips_fail: bool = False) -> None:
        self._client = client
        self._allow_missing = allow_missing
        self._slips_fail = slips_fail
        self.reading = Reading(client)
        # By the identity of a reference; each is kept, so that no other one can have its identity.
        self._kept: dict[int, Reference] = {}
        self._found: dict[int, Record] = {}
        self._maps: dict[int, tuple[Schema, dict[str, Any]]] = {}
        self._places: list[str] = []
        self.warnings: list[str] = []

    def resolve(self, references: Iterable[Reference]) -> None:
        """Fills in ``uuid`` and ``id`` of references by natural key or map.

        :raises NoMatch: or ``Ambiguous``, naming candidates; ``InvalidInput`` for a map whose values do not fit.
        """
        waiting, problems = self._with_those_in_maps(references)
        paths = [str(one.written) for one in waiting.values() if one.target == "room" and id(one) not in self._maps]
        self._places += [place for path in paths for place, _label in natural_keys.path_splits(path)]
        while waiting:
            for target in _ORDER:
                ready = [
                    one
                    for one in waiting.values()
                    if one.target == target and not any(id(inner) in waiting for inner in self._inner(one))
                ]
                for one in ready:
                    del waiting[id(one)]
                whole = [one for one in ready if all(inner.resolved for inner in self._inner(one))]
                problems += self._resolve_kind(KINDS[target], whole)
        is_slip = any(one.is_slip for one in problems)
        words = [one.words for one in problems]
        if problems and (not self._allow_missing or (is_slip and self._slips_fail)):
            raise NoMatch(words, is_slip)
        self.warnings += words

    def records_of(self, references: Iterable[Reference]) -> list[Record | None]:
        """The records that references mean, read by uuid or id where they were not read when they were resolved."""
        wanted = list(references)
        self._read_all(wanted)
        return [self._found.get(id(reference)) for reference in wanted]

    def with_uuid(self, references: Iterable[Reference]) -> None:
        """Fills in the uuid of references by integer id, for bodies that take uuids only."""
        by_id = [reference for reference in references if reference.uuid is None and reference.id is not None]
        self._read_all(by_id)
        missing = [one for one in by_id if one.uuid is None]
        if missing:
            raise NoMatch([f"{_at(one)}There is no {one.target} with the id {one.id}." for one in missing])

    def fill_missing_ids(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Fills in ids or uuids of wanted references where the instance answers only the other, so that the two can be
        compared.

        :param pairs: wanted and current values, each with any number of references in it.
        """
        nameless: list[Reference] = []
        halves: list[Reference] = []
        for wanted, current in pairs:
            have = list(references_in(current))
            for reference in references_in(wanted):
                if is_text_renter(current) and not reference.names:
                    nameless.append(reference)
                elif any(reference.same(other) is None for other in have):
                    halves.append(reference)
        halves = [reference for reference in halves if reference.resolved]
        self._read_all([*nameless, *halves])
        self.with_uuid(halves)

    # ---- by id or uuid

    def _settled(self, reference: Reference, record: Record) -> None:
        reference.uuid, reference.id = record.uuid or None, record.id
        reference.names = names_of(record)
        self._kept[id(reference)] = reference
        self._found[id(reference)] = record

    def _read_all(self, references: Iterable[Reference]) -> None:
        """Reads the records that references by uuid or id mean, those of one kind together."""
        unread = [one for one in references if one.resolved and id(one) not in self._found]
        for target in dict.fromkeys(one.target for one in unread):
            mine = [(one, one.uuid or one.id) for one in unread if one.target == target]
            records = self.reading.marked(KINDS[target], [mark for _one, mark in mine if mark is not None])
            for one, mark in mine:
                if mark in records:
                    self._settled(one, records[mark])

    # ---- by natural key or map, one kind at a time

    def _with_those_in_maps(self, references: Iterable[Reference]) -> tuple[dict[int, Reference], list[_Missing]]:
        """References that are to be resolved, with those in the maps of others, and the fields that are not known."""
        waiting: dict[int, Reference] = {}
        unknown: list[_Missing] = []
        wrong: list[str] = []
        todo = [reference for reference in references if not reference.resolved]
        for one in todo:
            if isinstance(one.written, Mapping):
                kind = KINDS[one.target]
                schema = self._identity(kind)
                if not set(one.written) <= set(schema.fields):
                    schema = self._client.schema(kind)
                desired, findings = schema.parse(one.written, f"{_at(one)}reference to {kind.one}: ")
                wrong += findings.errors
                # Only where definitions or records make the fields may an unknown one come into being.
                if kind.template or kind.open_fields:
                    unknown += [_Missing(one, schema.is_slip(str(one.way[0]))) for one in findings.unknown]
                else:
                    wrong += findings.unknown
                if findings.errors or findings.unknown:
                    continue
                self._maps[id(one)] = (schema, desired)
                todo += [inner for inner in self._inner(one) if not inner.resolved]
            waiting[id(one)] = self._kept[id(one)] = one
        if wrong:
            raise InvalidInput(wrong)
        return waiting, unknown

    def _inner(self, reference: Reference) -> list[Reference]:
        """The references in the map that a reference was written as."""
        _schema, desired = self._maps.get(id(reference), (None, {}))
        return list(references_in(tuple(desired.values())))

    def _resolve_kind(self, kind: Kind, references: Sequence[Reference]) -> list[_Missing]:
        problems: list[_Missing] = []
        candidates = self._candidates(kind, references)
        for reference in references:
            mine = candidates[id(reference)]
            self._decide_inner(reference, mine)
            hits = self._hits(kind, reference, mine)
            problems += self._settle(kind, reference, hits or self._archived(kind, reference))
        return problems

    def _archived(self, kind: Kind, reference: Reference) -> list[Record]:
        """The archived record that a barcode means where no active one has it."""
        if not kind.barcode_path or not isinstance(reference.written, str):
            return []
        found = find_by_barcode(self._client, self._identity(kind), reference.written)
        return [found] if found else []

    def _decide_inner(self, reference: Reference, candidates: Sequence[Record]) -> None:
        """Fills in what the references in a map lack to be compared with those of the candidates."""
        schema, desired = self._maps.get(id(reference), (None, {}))
        if schema is not None:
            keys = [key for key, value in desired.items() if any(references_in(value))]
            self.fill_missing_ids(
                (desired[key], schema.read_one(key, record.flat)) for record in candidates for key in keys
            )

    def _settle(self, kind: Kind, reference: Reference, hits: Sequence[Record]) -> list[_Missing]:
        where = _at(reference)
        advice = "refer to it by its uuid, or by a map of fields that tells them apart"
        record = natural_keys.one_of(kind, f"the natural key {reference.written!r}", hits, where, advice)
        if record is not None:
            self._settled(reference, record)
            return []
        words = f"{where}There is no {kind.words} {reference.written!r}."
        if not isinstance(reference.written, str) or (self._allow_missing and not self._slips_fail):
            return [_Missing(words, False)]
        names = self._names(kind)
        near = natural_keys.near_names(reference.written, names)
        if kind.name == "room":
            near = near or natural_keys.near_names(reference.written.rpartition("/")[2], names)
        hint = f" The nearest are {', '.join(map(repr, near))}." if near else ""
        is_slip = bool(slips(reference.written, names)) or (
            kind.name == "room" and self._is_room_slip(reference, names)
        )
        return [_Missing(words + hint, is_slip)]

    def _is_room_slip(self, reference: Reference, names: Iterable[str]) -> bool:
        """Whether a room that stands without its location is a slip, or the location in the path of a room is one."""
        path = str(reference.written)
        if "/" not in path:
            return bool(slips(path, [name.rpartition("/")[2] for name in names]))
        places = _texts(location.flat.get("name") for location in self.reading.listed(_LOCATION))
        written = [place for place, _label in natural_keys.path_splits(path)]
        return not set(written) & set(places) and any(slips(place, places) for place in written)

    def _identity(self, kind: Kind) -> Schema:
        return Schema(kind, kind.identity)

    def _hits(self, kind: Kind, reference: Reference, candidates: Sequence[Record]) -> list[Record]:
        if id(reference) in self._maps:
            schema, desired = self._maps[id(reference)]
            return natural_keys.identified(schema, desired, desired, candidates)
        schema, text = self._identity(kind), str(reference.written)
        if kind.name != "room":
            key = kind.identity[0].key
            return natural_keys.identified(schema, [key], {key: text}, candidates)
        found: dict[str, Record] = {}
        for place, label in natural_keys.path_splits(text):
            for location in self._locations_named(place):
                building = Reference("location", location.id, location.uuid)
                for key in ("number", "name"):
                    hits = natural_keys.identified(
                        schema, ["building_id", key], {"building_id": building, key: label}, candidates
                    )
                    found.update((hit.uuid, hit) for hit in hits)
        if "/" not in text:
            for key in ("number", "name"):
                found.update((hit.uuid, hit) for hit in natural_keys.identified(schema, [key], {key: text}, candidates))
        return list(found.values())

    # ---- the records among which they are

    def _candidates(self, kind: Kind, references: Sequence[Reference]) -> dict[int, list[Record]]:
        """For each reference the records among which it is: one list for all of them, narrowed where that is known."""
        if len(references) == 1 and id(references[0]) in self._maps:
            schema, desired = self._maps[id(references[0])]
            return {id(references[0]): self.reading.listed(kind, natural_keys.conditions(schema, desired, desired))}
        ways = {id(reference): self._ways(kind, reference) for reference in references}
        if not all(ways.values()):
            return dict.fromkeys(ways, self.reading.listed(kind))
        shared = [key for key in next(iter(ways.values()), {}) if all(key in way for way in ways.values())]
        fields = {one: shared[0] if shared else next(iter(way)) for one, way in ways.items()}
        wanted: dict[str, list[Any]] = {}
        for one, key in fields.items():
            wanted.setdefault(key, []).extend(ways[one][key])
        return {one: self._narrow(kind, key, wanted[key]) for one, key in fields.items()}

    def _ways(self, kind: Kind, reference: Reference) -> dict[str, Sequence[Any]]:
        """Fields, and their values, that narrow the list to what a reference may mean; none: the whole list is read."""
        if id(reference) in self._maps:
            schema, desired = self._maps[id(reference)]
            return {key: (value,) for key, value in natural_keys.narrowing(schema, desired, desired).items()}
        text = str(reference.written)
        if not kind.filters or (kind.name == "room" and "/" not in text):
            return {}
        if kind.name != "room":
            return {kind.identity[0].key: (text,)}
        ids = [
            location.id for place, _label in natural_keys.path_splits(text) for location in self._locations_named(place)
        ]
        return {} if None in ids else {"building_id": ids}

    def _narrow(self, kind: Kind, key: str, values: Iterable[Any]) -> list[Record]:
        # Rooms will need their locations next, so all are asked for at once.
        places = self._places if kind is _LOCATION and key == kind.identity[0].key else ()
        return self.reading.narrowed(kind, key, [*values, *places])

    def _locations_named(self, name: str) -> list[Record]:
        key = _LOCATION.identity[0].key
        candidates = self._narrow(_LOCATION, key, self._places)
        return natural_keys.identified(self._identity(_LOCATION), [key], {key: name}, candidates)

    def _names(self, kind: Kind) -> list[str]:
        """What the records of a kind are called, for a message. Of objects only one page is read: there may be very
        many.
        """
        if kind.name == "object":
            return _texts(record.flat.get("barcode") for record in self.reading.some(kind))
        records = self.reading.listed(kind)
        if kind.name != "room":
            return _texts(record.flat.get(kind.identity[0].key) for record in records)
        locations = self.reading.listed(_LOCATION)
        places = {mark: one.flat.get("name") for one in locations for mark in (one.id, one.uuid) if mark is not None}
        schema = self._identity(kind)
        names = []
        for record in records:
            values = schema.read(record.flat)
            building = values.get("building_id")
            place = (places.get(building.id) or places.get(building.uuid)) if building else None
            labels = _texts(values.get(key) for key in ("number", "name"))
            names += [f"{place}/{label}" if place else label for label in labels]
        return names


@dataclass(frozen=True)
class _Missing:
    """Something that is referred to and not there.

    :ivar words: what to say of it. :ivar is_slip: whether something that is there was meant.
    """

    words: str
    is_slip: bool


def _texts(values: Iterable[Any]) -> list[str]:
    return [value for value in values if isinstance(value, str) and value]


def reference_in(option: str, target: str, written: Any) -> Reference:
    """A reference that stands in an option of its own.

    :param target: kind of record that is meant.
    :raises InvalidInput: for what is no reference.
    """
    try:
        reference: Reference = parse_reference(target)(written, Field(option, "LINK"))
    except InvalidValue as unfit:
        raise InvalidInput(f"{option}: {shorten(written)} does not fit; expected {unfit}") from unfit
    reference.where = option
    return reference


def find_by_barcode(client: Client, schema: Schema, barcode: str) -> Record | None:
    """The record with exactly this barcode, an archived one too, which no list shows; None where there is none."""
    found = client.get_by_barcode(schema.kind, barcode)
    hits = natural_keys.identified(schema, ["barcode"], {"barcode": barcode}, [found] if found else [])
    return hits[0] if hits else None


def find_objects(client: Client, written: Mapping[str, Any]) -> list[Record]:
    """The objects that some options refer to, with one list for all of them.

    :param written: what each option is called in a message, to the reference in it.
    :raises NoMatch: or ``Ambiguous``, or ``InvalidInput`` for what is no reference.
    """
    return _find_records(client, KINDS["object"], written)


def _find_records(client: Client, kind: Kind, written: Mapping[str, Any]) -> list[Record]:
    references = [reference_in(option, kind.name, one) for option, one in written.items()]
    resolver = Resolver(client)
    resolver.resolve(references)
    records = resolver.records_of(references)
    missing = [one for one, record in zip(references, records, strict=True) if record is None]
    if missing:
        words = [f"{_at(one)}There is no {kind.words} {one.written!r}." for one in missing]
        # What an earlier task of a play makes has an id that nobody knows beforehand.
        raise NoMatch(words, is_slip=True)
    return [record for record in records if record is not None]


def find_object(client: Client, written: Any) -> Record:
    """The object that the option ``object`` refers to; raises as :func:`find_objects` does."""
    return find_objects(client, {"object": written})[0]


def find_record(client: Client, kind: Kind, written: Any) -> Record:
    """The record that the option of the name of its kind refers to; raises as :func:`find_objects` does."""
    return _find_records(client, kind, {kind.name: written})[0]


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
