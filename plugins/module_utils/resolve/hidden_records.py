# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evidence of hidden records: others refer to records that no list shows.

An unlisted record that can be read, and that is not archived, proves that the lists are incomplete. A record that
cannot be read proves nothing: it may be deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..client.client import Client
from ..client.record import Record
from ..errors import ServiceError
from ..model.field import EMPTY, Field, integer_of
from ..model.kinds import HUB_ITEM, KINDS, LOCATION, OBJECT, ROOM, Kind
from ..model.schema import Schema, type_of
from ..model.types_links import Reference, references_in
from .field_visibility import LIMITED

#: Whether records are hidden from the account.
YES, NO, UNKNOWN = "yes", "no", "unknown"

#: Maximum number of unlisted records that are read.
_MOST_READ = 20

_TO_ROOMS = "LINKED_ROOM"
#: The field with the room that an object is in. Other links to rooms say where it should be.
_IS_IN = "actual_room"


@dataclass(frozen=True)
class Listed:
    """The records of a kind that the account sees.

    :ivar is_whole: True if the list is complete.
    """

    schema: Schema
    records: Sequence[Record]
    is_whole: bool = True

    @cached_property
    def marks(self) -> frozenset[Any]:
        """The uuids and the ids of the records."""
        return frozenset(mark for record in self.records for mark in (record.uuid, record.id))

    def shows(self, reference: Reference) -> bool:
        """Return True if a reference leads to one of the records."""
        return (reference.uuid or reference.id) in self.marks


#: The kinds whose lists together prove that no record is hidden.
PROOF = (OBJECT, ROOM, LOCATION)

#: What was read, by the name of the kind.
Lists = Mapping[str, Listed]

#: Reads a record by its uuid and returns None if there is none.
Read = Callable[[Kind, str], "Record | None"]


@dataclass(frozen=True)
class Visibility:
    """What is known about records that are hidden from the account.

    :ivar hidden_records: :data:`YES` if some certainly are hidden, :data:`NO` if none can be, otherwise
        :data:`UNKNOWN`.
    :ivar evidence: the proof, in words.
    :ivar closed_rooms: uuids and ids of the rooms in locations in which the account sees no objects.
    """

    hidden_records: str = UNKNOWN
    evidence: str = ""
    closed_rooms: frozenset[Any] = frozenset()

    def may_hide(self, kind: Kind) -> bool:
        """Return True if a record of a kind may exist although no list shows it.

        Records that refer to objects may be hidden together with them, so a list of them proves as little.
        """
        return kind.can_be_hidden and self.hidden_records != NO


def visibility(client: Client, lists: Lists, read: Read | None, found: Iterable[Record] = ()) -> Visibility:
    """Return what some lists prove. Reads up to 20 unlisted records that others refer to.

    :param read: None if nothing may be read beside the lists.
    :param found: records that no list shows, and that were found in another way.
    """
    for record, words in (*((record, "") for record in found), *(_read(client, lists, read) if read else ())):
        if record.archived is not False and record.kind.can_be_archived:
            continue
        # The record may have been created after its kind was listed.
        if not client.is_listed(record):
            return Visibility(
                YES, f"the {record.kind.words} {record.uuid} is not archived, and no list shows it{words}: {LIMITED}"
            )
    closed = _closed_rooms(lists)
    return Visibility(NO if closed == frozenset() else UNKNOWN, closed_rooms=closed or frozenset())


def _read(client: Client, lists: Lists, read: Read) -> Iterator[tuple[Record, str]]:
    """Yield unlisted records, each with what refers to it."""
    wanted: dict[Any, tuple[Reference, Record]] = {}
    for reference, by in unlisted(lists):
        wanted.setdefault((reference.target, reference.uuid or reference.id), (reference, by))
        if len(wanted) == _MOST_READ:
            break
    for reference, by in wanted.values():
        kind = KINDS[reference.target]
        try:
            if reference.uuid:
                record = read(kind, reference.uuid)
            else:
                record = client.get_by_barcode(kind, reference.names[0])
                record = record if record and record.id == reference.id else None
        except ServiceError:
            # A refused request proves nothing.
            continue
        if record is not None:
            yield record, f", though the {by.kind.words} {by.uuid or by.id} refers to it"


def unlisted(lists: Lists) -> Iterator[tuple[Reference, Record]]:
    """Yield each reference to a readable record that the complete list of its kind omits, with the referring record."""
    for listed in lists.values():
        links = [field for field in listed.schema.fields.values() if _is_link(field)]
        seen: set[tuple[str, Any]] = set()
        for record in listed.records:
            for field in links:
                raw = record.flat.get(field.wire_key)
                mark = (field.type, _mark(raw))
                if mark[1] is not None:
                    if mark in seen:
                        continue
                    seen.add(mark)
                for reference in references_in(type_of(field).read(raw, field) if raw not in EMPTY else None):
                    if reference.uuid and _is_missing(lists, reference):
                        yield reference, record
            if listed.schema.kind is HUB_ITEM:
                yield from ((reference, record) for reference in _offered(record) if _is_missing(lists, reference))


def _is_missing(lists: Lists, reference: Reference) -> bool:
    target = lists.get(reference.target)
    return target is not None and target.is_whole and not target.shows(reference)


def _is_link(field: Field) -> bool:
    return field.type.startswith("LINKED_") or type_of(field).shape in ("reference", "references", "renter")


def _mark(raw: Any) -> Any:
    """Return the identifier of a link; None for a list of links."""
    if isinstance(raw, Mapping):
        return raw.get("uuid") or raw.get("id")
    return raw if isinstance(raw, (str, int)) else None


def _offered(item: Record) -> Iterator[Reference]:
    """Yield the object that an item of the hub offers: its id, and the barcode by which it is read."""
    shown = item.flat.get("object_data")
    barcode = shown.get(OBJECT.barcode_key) if isinstance(shown, Mapping) else None
    if barcode and isinstance(barcode, str) and not item.flat.get("deleted"):
        yield Reference(OBJECT.name, id=integer_of(item.flat.get("asset_id")), names=(barcode,))


# ---- nothing hidden


def _closed_rooms(lists: Lists) -> frozenset[Any] | None:
    """Return the uuids and ids of the rooms in locations without a visible object, or None if rooms are missing.

    Rooms and locations are listed for every account, whichever objects are hidden in them.
    """
    if any(kind.name not in lists for kind in PROOF):
        return None
    objects, rooms, locations = (lists[kind.name] for kind in PROOF)
    if not rooms.is_whole or not locations.is_whole:
        return None
    location_of = {mark: place for room in rooms.records for mark, place in _located(rooms.schema, room).items()}
    closed = set(location_of.values())
    for record in objects.records:
        if not closed:
            break
        closed -= _whereabouts(objects.schema, record, location_of)
    return frozenset(mark for mark, location in location_of.items() if location in closed and mark)


def _located(rooms: Schema, room: Record) -> dict[object, object]:
    """Return the identifiers of each room with those of its location.

    A room without a known location (it has none, or the field is hidden) counts as a location of its own.
    """
    place = rooms.read_field(ROOM.parent_key, room.flat) if ROOM.parent_key in rooms.fields else None
    location = (place.id or place.uuid) if isinstance(place, Reference) else (ROOM.name, room.uuid)
    return {room.id: location, room.uuid: location}


def _whereabouts(objects: Schema, record: Record, location_of: Mapping[object, object]) -> set[object]:
    """Return the location of an object.

    Return nothing if its links lead to several locations, because it is unknown which of them counts, or if it is in no
    room: then every account sees it.
    """
    links = [field.key for field in objects.fields.values() if field.type == _TO_ROOMS]
    linked_by = {key: list(references_in(objects.read_field(key, record.flat))) for key in links}
    if not all(linked_by[key] for key in ([_IS_IN] if _IS_IN in links else links)):
        return set()
    linked = [reference for references in linked_by.values() for reference in references]
    places = {location_of.get(reference.id, location_of.get(reference.uuid)) for reference in linked}
    return places - {None} if len(places) == 1 else set()
