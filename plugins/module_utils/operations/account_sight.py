# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sight of the account that is signed in, as far as one page of each kind of record tells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..client.client import Client, Record
from ..errors import PermissionMissing
from ..model.kinds import KINDS, LOCATION, OBJECT, PERSON, ROOM, Kind
from ..model.schema import Schema
from ..model.types_links import Reference, references_in
from ..resolve.sight import Sight

_LOOKED_AT = (OBJECT, ROOM, LOCATION, PERSON)
_TO_ROOMS = "LINKED_ROOM"
_IS_IN = "actual_room"
"""The field that says in which room an object is; others of its type say where it should be."""


@dataclass(frozen=True)
class _Sample:
    """One page of a kind.

    :ivar is_all: whether it has every record that the account sees.
    """

    schema: Schema
    records: list[Record]
    is_all: bool


def account_sight(client: Client) -> dict[str, object]:
    """The fields and records that the account does not see. Takes two requests for each kind of record with a template,
    and one for locations; one more where an object refers to another that is in no list.

    :returns: ``restricted_fields``, kind of record to keys, and ``hidden_records``: yes, no or unknown.
    """
    samples = {kind.name: sample for kind in _LOOKED_AT if (sample := _sample(client, kind)) is not None}
    hidden = {name: sorted(Sight.of(one.schema, one.records).hidden) for name, one in samples.items()}
    return {
        "restricted_fields": {name: keys for name, keys in hidden.items() if keys},
        "hidden_records": _hidden_records(client, samples),
    }


def _sample(client: Client, kind: Kind) -> _Sample | None:
    try:
        schema = client.schema(kind)
        records, is_all = client.first_page(kind)
    except PermissionMissing:
        return None
    return _Sample(schema, records, is_all)


def _hidden_records(client: Client, samples: Mapping[str, _Sample]) -> str:
    if not {OBJECT.name, ROOM.name, LOCATION.name} <= samples.keys():
        return "unknown"
    objects, rooms, locations = (samples[kind.name] for kind in (OBJECT, ROOM, LOCATION))
    if _has_unlisted(client, objects):
        return "yes"
    if not rooms.is_all or not locations.is_all:
        return "unknown"
    location_of = {mark: place for room in rooms.records for mark, place in _located(rooms.schema, room).items()}
    open_to = {place for one in objects.records for place in _whereabouts(objects.schema, one, location_of)}
    # All rooms and locations are listed to everybody, whatever objects in them are not.
    return "no" if set(location_of.values()) <= open_to else "unknown"


def _located(rooms: Schema, room: Record) -> dict[object, object]:
    """The marks of a room, each with that of its location. A room of which nobody knows the location, because it is in
    none or the field is hidden, is one of its own.
    """
    place = rooms.read_one(ROOM.parent_key, room.flat) if ROOM.parent_key in rooms.fields else None
    location = (place.id or place.uuid) if isinstance(place, Reference) else (ROOM.name, room.uuid)
    return {room.id: location, room.uuid: location}


def _whereabouts(objects: Schema, one: Record, location_of: Mapping[object, object]) -> set[object]:
    """The location that an object is in; none where its links lead to several, as nobody knows which of them counts,
    and where it is in no room: everybody sees it then.
    """
    links = [field.key for field in objects.fields.values() if field.type == _TO_ROOMS]
    linked_by = {key: list(references_in(objects.read_one(key, one.flat))) for key in links}
    if not all(linked_by[key] for key in ([_IS_IN] if _IS_IN in links else links)):
        return set()
    linked = [reference for references in linked_by.values() for reference in references]
    places = {location_of.get(reference.id, location_of.get(reference.uuid)) for reference in linked}
    return places - {None} if len(places) == 1 else set()


def _has_unlisted(client: Client, objects: _Sample) -> bool:
    """Tells whether an object is there for sure that no list shows, and that is not archived."""
    if not objects.is_all:
        return False
    listed = {one.uuid for one in objects.records}
    uuid = next((uuid for uuid in _linked(objects) if uuid not in listed), None)
    record = None if uuid is None else client.get(OBJECT, uuid)
    return record is not None and record.archived is False


def _linked(objects: _Sample) -> Iterable[str]:
    """The uuids of the objects to which others refer."""
    keys = [key for key, field in objects.schema.fields.items() if field.type.startswith("LINKED_ASSET")]
    for one in objects.records:
        for key in keys:
            for reference in references_in(objects.schema.read_one(key, one.flat)):
                if reference.uuid and KINDS[reference.target] is OBJECT:
                    yield reference.uuid
