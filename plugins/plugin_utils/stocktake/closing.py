# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Close a stocktake: in the files, accepted objects get the room where they were found as their target room."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.field import EMPTY, Field, shorten
from ...module_utils.model.kinds import LOCATION, OBJECT, ROOM
from ...module_utils.model.names import normal_name
from ...module_utils.model.types_links import Reference
from ...module_utils.printing.cleaner import clean
from ..absorb.files import Files
from ..desired.desired import DesiredInstance
from ..desired.entry import Entry
from ..desired.hiding import VAULTED
from ..desired.parsing import written_as
from ..export.downloads import Downloads
from ..export.portable import NotPortable, Portable
from ..export.writing import Unwritable
from ..layers.records import owner_of, owners_of
from ..set_plan.context import PlanContext
from ..set_plan.plan import PlanOptions
from ..set_plan.reading import first_full
from .evaluation import OK, StocktakeObject
from .reading import InstanceLists, Room


@dataclass
class Closed:
    """The outcome of closing.

    :ivar changed: number of objects whose files change.
    :ivar accepted: number of accepted objects.
    :ivar not_changed: accepted objects that are not changed, each with the reason.
    """

    accepted: int = 0
    changed: int = 0
    not_changed: list[str] = field(default_factory=list)


class Closing:
    """Write accepted rooms into files.

    :param files: collects the edits; nothing is written.
    :param downloads: is never used to download a file.
    """

    def __init__(self, lists: InstanceLists, desired: DesiredInstance, files: Files, downloads: Downloads) -> None:
        self._lists = lists
        self._desired = desired
        self._files = files
        self._context = PlanContext(lists.client, desired, PlanOptions())
        self._state = self._context.state
        self._state.take_over(lists.state, (OBJECT.name, ROOM.name, LOCATION.name))
        self._portable = Portable(self._state, downloads, lambda _why: None)
        self._schema = self._context.schema(OBJECT)

    def run(self, objects: Iterable[tuple[StocktakeObject, Iterable[str]]]) -> Closed:
        """Edit the files for each accepted object, in the order of scan codes.

        :param objects: each with the actual rooms that tables show for it.
        """
        result = Closed()
        for accepted, rooms in sorted(objects, key=lambda one: one[0].code):
            result.accepted += 1
            try:
                result.changed += self._close(accepted, rooms, self._entries.get(accepted.record.uuid, ()))
            except (Unwritable, NotPortable) as reason:
                result.not_changed.append(f"{self._words(accepted)}: not changed, because {reason}")
        return result

    def _words(self, accepted: StocktakeObject) -> str:
        found = self._entries.get(accepted.record.uuid, ())
        name = VAULTED if any(map(self._desired.hiding.touches, found)) else shorten(accepted.code)
        return f"{found[0].place}: object {name}" if found else f"object {name}"

    # ---- which record of the files

    def masked(self, record: Record) -> dict[str, str]:
        """Return the fields of an object that the files hide, by their wire keys, and what is shown instead."""
        hiding = self._desired.hiding
        entries = self._entries.get(record.uuid, ()) if hiding.is_on else ()
        names = (name for entry in entries for name in entry.fields if hiding.hides(entry, name))
        return {of.wire_key: VAULTED for name in names if (of := self._schema.find(name))}

    @cached_property
    def _entries(self) -> dict[str, list[Entry]]:
        """Return the records of the files, by the uuid of their object."""
        found: dict[str, list[Entry]] = {}
        for entry in self._desired.entries:
            if entry.kind is OBJECT and entry.state == "present" and not entry.misread:
                for record in self._record_of(entry):
                    found.setdefault(record.uuid, []).append(entry)
        return found

    def _record_of(self, entry: Entry) -> Iterator[Record]:
        found = (keys for keys in self._context.key_choices(self._schema, entry.rules) if keys)
        choices = [*found] or [OBJECT.match_on[0]]
        fields = {name: self._schema.find(name) for name in entry.fields}
        known = {name for name, of in fields.items() if of is not None and any(of.key in keys for keys in choices)}
        values = self._context.wanted.parse(self._schema, entry, {name: entry.fields[name] for name in known})
        keys = first_full(choices, values) or ()
        if all(values.get(key) not in EMPTY for key in keys) and self._context.resolve(values, None):
            yield from self._state.find_existing(self._schema, keys, values)

    # ---- one object

    def _close(self, accepted: StocktakeObject, rooms: Iterable[str], entries: Collection[Entry]) -> int:
        """Edit the record of an object. Return 1 if its file changes.

        :param rooms: its actual room as tables show it; none accepts every room.
        :raises Unwritable: if that is not possible, or it was found in another room since. Nothing is changed then.
        """
        now = clean(accepted.shown["actual_room"] or "").strip()
        for other in (room for room in rooms if now and normal_name(room) != normal_name(now)):
            meant = self._lists.room_named(other)[0]
            if meant is None:
                raise Unwritable(f"{other} was accepted, and no room is called that now; accept a new report")
            if accepted.actual is None or meant.mark != accepted.actual.mark:
                raise Unwritable(f"it is in {now} now, and {other} was accepted; look for it, and accept a new report")
        if accepted.status == OK:
            return 0
        if accepted.actual is None:
            raise Unwritable("it was not found, so no room is known")
        if not entries:
            raise Unwritable("no file of src has a record for it")
        if len(entries) > 1:
            places = " and ".join(str(entry.place) for entry in entries)
            raise Unwritable(f"{len(entries)} records of the files match it, at {places}")
        (entry,) = entries
        before = self._files.mark()
        try:
            written = [self._put(entry, of, reference) for of, reference in self._values(entry, accepted.actual)]
            return int(any(written))
        except (Unwritable, NotPortable):
            self._files.undo(before)
            raise

    def _values(self, entry: Entry, room: Room) -> Iterator[tuple[Field, Reference | None]]:
        """Yield the fields to write: the target room, and its location if the file has that field."""
        fields = self._lists.fields
        if room.record is None:
            raise NotPortable(f"no list shows the room {room.path}")
        yield fields.target, Reference(ROOM.name, uuid=room.record.uuid, id=room.record.id)
        location = fields.target_location
        if location is not None and written_as(self._schema, entry, location.key) in entry.fields:
            place = self._state.place_of(room.record)
            yield location, None if place is None else Reference(LOCATION.name, uuid=place.uuid, id=place.id)

    def _put(self, entry: Entry, of: Field, reference: Reference | None) -> bool:
        """Write a field of a record, unless it means the same already."""
        name = written_as(self._schema, entry, of.key)
        if name in entry.fields:
            now = self._context.wanted.parse(self._schema, entry, {name: entry.fields[name]})
            if self._context.resolve(now, None) and self._is_same(now.get(of.key), reference):
                return False
        value = None if reference is None else self._portable.checked(of, reference)
        owner = owner_of(entry, name) if name in entry.fields else owners_of(entry)[-1]
        self._files.put(owner, name, value)
        return True

    def _is_same(self, now: Any, reference: Reference | None) -> bool:
        if not isinstance(now, Reference) or reference is None:
            return now is None and reference is None
        return bool(self._state.completed(now).same(reference))
