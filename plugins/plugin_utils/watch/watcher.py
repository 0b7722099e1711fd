# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read an instance repeatedly with as few requests as possible, and find the changes in between."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...module_utils import errors
from ...module_utils.client.client import Client
from ...module_utils.client.query import Condition
from ...module_utils.client.record import Record
from ...module_utils.model.kinds import KINDS, Kind
from ...module_utils.model.schema import Schema
from ...module_utils.resolve.listing import matching_records
from .cursor import CursorFile, KindState, Known, State
from .dates import ReportedDate, Watch, approaching, terms_of
from .event import carried, key_of, status_of

_STAMP = "updated_at"
#: Number of requests of a narrow read: the changes, and the number of records.
#:
#: If the whole list needs no more requests, it is read instead.
_FEW = 2

Event = dict[str, Any]


@dataclass(slots=True)
class _Cost:
    """The cost of reading a kind so far.

    :ivar requests: of the last whole list. :ivar read: its time. :ivar narrows: True if the instance lists changes and
        counts records.
    """

    requests: int = 0
    read: float | None = None
    narrows: bool = True


@dataclass
class Watcher:
    """Read an instance, and remember it.

    :ivar options: of the source, with their defaults. :ivar problems: what the last read could not read, in words.
    """

    client: Client
    cursor: CursorFile
    options: Mapping[str, Any]
    now: Callable[[], dt.datetime]
    clock: Callable[[], float]
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._state = self.cursor.read() or State()
        self._next = self._state
        self._costs = {name: _Cost() for name in self.options["kinds"]}
        self._named: set[str] = set()

    def read_changes(self) -> list[Event]:
        """Return what changed since the last stored read.

        :raises InvalidInput: if the login is refused, because further attempts may get the user banned, or if a field
            of the options does not exist on this instance.
        :raises SeventhingsError: if the instance cannot be read. Nothing is lost: the next read reports it.
        """
        self.problems = []
        try:
            self.client.tokens.current()
        except (errors.AccessTokenRefused, errors.InvalidRequest, errors.PermissionMissing) as refused:
            raise errors.InvalidInput(refused.message) from None
        self.client.forget_definitions()
        self._next = State(self._state.salt, dict(self._state.kinds))
        events: list[Event] = []
        for name in dict.fromkeys(self.options["kinds"]):
            try:
                events += self._read_kind(KINDS[name])
            except (errors.ListMissing, errors.PermissionMissing) as refused:
                self.problems.append(refused.message)
        unknown = [name for name in self.options["fields"] if name not in self._named]
        if unknown and not self.problems:
            raise errors.InvalidInput(f"fields: {', '.join(unknown)}: none of the kinds has such a field")
        return events

    def keep(self) -> None:
        """Remember the last read, because everything in it was reported.

        :raises InvalidInput: if the cursor cannot be written.
        """
        self.cursor.write(self._next)
        self._state = self._next

    # ---- one kind

    def _read_kind(self, kind: Kind) -> list[Event]:
        schema = self.client.schema(kind)
        watches = self._watches(schema)
        is_first = kind.name not in self._state.kinds
        state = self._state.kinds.get(kind.name, KindState()).copy()
        records, is_whole = self._read(kind, state)
        schema.learn(key for record in records for key in record.flat)
        kind_read = _KindRead(self, schema, state, watches, is_silent=is_first and not self.reports_existing)
        kind_read.see(records)
        if is_whole:
            kind_read.miss({record.uuid for record in records})
        kind_read.report_dates()
        kind_read.match()
        stamps = [str(record.flat.get(_STAMP) or "") for record in records]
        newest = max(stamps if is_whole else [state.stamp, *stamps], default="")
        # While later pages were read, records of earlier pages may have changed.
        state.since, state.stamp = min(state.stamp, newest), newest
        state.watched = [watch.mark for watch in watches]
        self._next.kinds[kind.name] = state
        return kind_read.events

    def _watches(self, schema: Schema) -> list[Watch]:
        found = []
        for date in self.options["dates"]:
            if date["kind"] != schema.kind.name:
                continue
            field = schema.find(date["field"])
            if field is None:
                raise errors.InvalidInput(f"dates: {date['field']}: {schema.why_unknown(date['field'])}")
            found.append(Watch(field.key, date["days"], date["field"]))
        return found

    @property
    def reports_existing(self) -> bool:
        """Return True to report existing records at the first read. Otherwise they are only remembered."""
        return bool(self.options["existing"] == "tell")

    def names_in(self, schema: Schema) -> dict[str, str]:
        """Return field key to spelling, for the fields that the rulebook names and a kind has."""
        found = {field.key: name for name in self.options["fields"] if (field := schema.find(name)) is not None}
        self._named.update(found.values())
        return found

    # ---- reading

    def _read(self, kind: Kind, state: KindState) -> tuple[list[Record], bool]:
        """Return the records that may have changed, and True if these are all records."""
        cost = self._costs[kind.name]
        if self._is_narrow(kind, state, cost):
            narrowed = self._narrowed(kind, state, cost)
            if narrowed is not None:
                return narrowed, False
        before = self.client.transport.sent
        records = self.client.list_all(kind)
        cost.requests, cost.read = self.client.transport.sent - before, self.clock()
        return records, True

    def _is_narrow(self, kind: Kind, state: KindState, cost: _Cost) -> bool:
        """Return True if it is worth requesting only the changes."""
        if not (kind.filters == "query" and kind.has_own_fields and state.since and cost.narrows):
            return False
        is_recent = cost.read is not None and self.clock() - cost.read < self.options["whole_interval"]
        return is_recent and cost.requests > _FEW

    def _narrowed(self, kind: Kind, state: KindState, cost: _Cost) -> list[Record] | None:
        """Return the records that changed since the last read began, including the latest change known by then.

        Return None if the instance does not report changes, or if the count shows that other records were removed. The
        record with the latest known change must be in the answer, which proves that the filter was understood.
        """
        try:
            found = self.client.list_all(kind, [Condition(_STAMP, "gte", (state.since,))])
            count = self.client.count(kind)
        except errors.ServiceError:
            cost.narrows = False
            return None
        if any(str(record.flat.get(_STAMP) or "") < state.since for record in found):
            cost.narrows = False
            return None
        listed = {uuid for uuid, record in state.records.items() if not record.out_of_sight}
        return found if found and count == len(listed | {record.uuid for record in found}) else None

    # ---- one read

    @property
    def salt(self) -> str:
        return self._next.salt

    def unlisted(self, kind: Kind, uuid: str) -> tuple[str, Record | None]:
        """Find out what happened to an unlisted record: ``deleted``, ``archived``, or ``hidden`` from this user."""
        try:
            record = self.client.get(kind, uuid)
        except errors.PermissionMissing:
            return "hidden", None
        if record is None:
            return "deleted", None
        is_archived = kind.can_be_archived and record.archived is not False
        return ("archived" if is_archived else "hidden"), record


class _KindRead:
    """One read of the records of a kind: it updates the state and collects the events."""

    def __init__(
        self, watcher: Watcher, schema: Schema, state: KindState, watches: Sequence[Watch], is_silent: bool
    ) -> None:
        self.events: list[Event] = []
        self._watcher = watcher
        self._schema = schema
        self._state = state
        self._watches = watches
        self._is_silent = is_silent
        self._names = watcher.names_in(schema)
        self._listed: dict[str, Record] = {}
        self._shown: dict[str, Record] = {}

    def see(self, records: Iterable[Record]) -> None:
        """Compare records with their remembered parts."""
        for record in records:
            if not record.uuid:
                continue
            self._listed[record.uuid] = record
            before = self._state.records.get(record.uuid)
            now = Known.from_record(self._schema, record, self._watcher.salt, self._watches)
            if before is None:
                self._add("new", record.uuid, now, record)
            else:
                now = replace(now, told=before.told)
                changed = before.changed_fields(now)
                if before.out_of_sight == "archived":
                    self._add("unarchived", record.uuid, now, record, **self._changed(changed))
                elif changed:
                    self._add("changed", record.uuid, now, record, **self._changed(changed))
            self._state.records[record.uuid] = now

    def miss(self, listed: set[str]) -> None:
        """Find out what happened to the records that are missing from a whole list."""
        for uuid, remembered in list(self._state.records.items()):
            if uuid in listed or remembered.out_of_sight:
                continue
            fate, record = self._watcher.unlisted(self._schema.kind, uuid)
            if fate == "deleted":
                del self._state.records[uuid]
            else:
                self._state.records[uuid] = replace(remembered, out_of_sight=fate)
            if fate != "hidden":
                self._add(fate, uuid, remembered, record)

    def report_dates(self) -> None:
        """Report approaching and past dates, each once."""
        now, kind = self._watcher.now(), self._schema.kind.name
        for uuid, remembered in list(self._state.records.items()):
            if remembered.out_of_sight:
                continue
            due: list[tuple[bool, ReportedDate]] = [
                # The first read of a newly watched field only remembers its dates.
                (watch.mark not in self._state.watched and not self._watcher.reports_existing, reported)
                for watch, reported in approaching(self._watches, remembered.dates, now)
            ]
            record = self._listed.get(uuid)
            if record is not None:
                values = self._schema.read(record.flat)
                due += [(False, term) for term in terms_of(kind, values, now, self._watcher.options["due_days"])]
            for is_silent, reported in due:
                if reported.mark not in remembered.told and not is_silent:
                    record = record or self._watcher.unlisted(self._schema.kind, uuid)[1]
                    more = {"field": reported.spelling, "date": reported.date, "days_left": reported.days_left}
                    self._add(reported.type, uuid, remembered, record, **more)
            marks = sorted({reported.mark for _silent, reported in due})
            if marks != remembered.told:
                self._state.records[uuid] = replace(remembered, told=marks)

    def match(self) -> None:
        """Fill in which filters of the rulebook match the records of the events.

        The initial read evaluates each filter, so that a wrong filter is rejected at the start.
        """
        kind = self._schema.kind
        records = list(self._shown.values())
        for match in self._watcher.options["matches"]:
            if match["kind"] != kind.name or not (records or self._is_silent):
                continue
            option = f"matches.{match['id']}"
            found = matching_records(self._watcher.client, self._schema, match["where"], records, option)
            uuids = {record.uuid for record in found}
            for event in self.events:
                if event["uuid"] in uuids:
                    event["matches"].append(match["id"])

    def _changed(self, keys: Sequence[str]) -> dict[str, Any]:
        """Return the members of an event about the changes: the named fields, and the number of the others."""
        named = [self._names[key] for key in keys if key in self._names]
        return {"changed": named, "other_fields": len(keys) - len(named)}

    def _add(self, event_type: str, uuid: str, known: Known, record: Record | None, **more: Any) -> None:
        if self._is_silent:
            return
        kind, values = self._schema.kind, {} if record is None else self._schema.read(record.flat)
        if record is not None:
            self._shown[uuid] = record
        stamp = "" if record is None else str(record.flat.get(_STAMP) or "")
        identity = [kind.name, uuid, event_type, more.get("field"), more.get("date"), stamp, known.digests]
        self.events.append(
            {
                "type": event_type,
                "kind": kind.name,
                "uuid": uuid,
                "record_id": known.number,
                **({"key": None, "key_length": None} if record is None else key_of(self._schema, record)),
                "status": status_of(kind, values),
                "values": {
                    spelling: carried(kind, key, values.get(key)) for key, spelling in self._names.items() if values
                },
                "matches": [],
                "instance": self._watcher.client.transport.root,
                "noticed_at": self._watcher.now().isoformat(timespec="seconds"),
                "id": hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:32],
                **more,
            }
        )
