# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Execute a change: its requests, and the recovery if an answer is lost. Nothing else is decided here."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from .. import errors
from ..client.client import Client
from ..client.files import Contents, upload, upload_missing
from ..client.record import Record
from ..client.settling import ANSWERED_SECONDS, had_no_effect, poll_after_lost_response, poll_until_visible
from ..errors import OutcomeUnknown
from ..model.field import EMPTY
from ..model.schema import Schema
from ..model.types_links import attachments_in
from ..plan.change import ARCHIVE, CREATE, DELETE, UPDATE, Change
from ..resolve.field_visibility import check_kept, perhaps_hidden, unreadable
from .effects import without_effect
from .lost_changes import Step, carry_out
from .refusals import why_occupied
from .request_bodies import create_body, update_body

#: Lists the records with the natural key of a creation, earlier records included.
Finder = Callable[[], Sequence[Record]]


def created_twice(records: Sequence[Record]) -> str:
    """Warn of records with one natural key, one of which another process created at the same time."""
    kind = records[0].kind
    newest = max(records, key=lambda record: (record.id or 0, str(record.flat.get("created_at") or "")))
    uuids = " and ".join(sorted(record.uuid for record in records))
    advice = "Field definitions can't be deleted; rename one." if kind.defines_fields else "Delete one of them."
    return (
        f"Somebody else created the same {kind.words} at the same time: {uuids} have the natural key "
        f"now. The newer record is {newest.uuid}. Nothing was deleted. {advice}"
    )


@dataclass
class Applier:
    """Execute changes of one kind of record.

    :ivar template: the template of field definitions.
    :ivar extra: members of a body that are only written (notify).
    :ivar defers: raise a lost answer at once. The caller waits for many records together, and then calls :meth:`write`
        with the error.
    :ivar on_effect: called with the uuid of the record after each request that took effect.
    :ivar answered: the record in the answer to an update; None if the answer had none.
    """

    client: Client
    schema: Schema
    template: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    defers: bool = False
    on_effect: Callable[[str], object] = lambda _uuid: None
    answered: Record | None = None
    _read: Record | None = None

    def __post_init__(self) -> None:
        self._kind = self.schema.kind

    def carry_out(
        self, change: Change, find: Finder, known: frozenset[str] = frozenset(), by_key: bool = False
    ) -> Record | None:
        """Send the requests of a change and read the record back. Return the record, or None if it no longer exists.

        :param find: looks for a record that may exist although its answer was lost.
        :param known: uuids of earlier records with the natural key, which are not the new record.
        :param by_key: True if ``find`` takes one request, and so confirms the creation as well as a re-read does.
        :raises Ambiguous: if somebody else created a record with the same natural key at the same time.
        """
        uuid = self.write(change, find, known)
        if uuid is None:
            return None
        if change.action == DELETE:
            self._await(change, uuid, [])
            return None
        if change.action == CREATE and by_key:
            found = [record for record in find() if record.uuid not in known]
            if len(found) > 1:
                raise errors.Ambiguous(created_twice(found))
            if found and found[0].uuid == uuid:
                check_kept(self.schema, change.values, found[0])
                return self._await(change, uuid, [found[0]]) or found[0]
        record = self._await(change, uuid, [] if change.action == CREATE else [self.read_back(change, uuid)])
        if record is None:
            raise errors.SeventhingsError(f"The {self._kind.words} {uuid} does not exist.")
        check_kept(self.schema, change.values, record)
        return record

    def _await(self, change: Change, uuid: str, read: list[Record]) -> Record | None:
        """Return a record as soon as it shows a change; None if it was deleted.

        :param read: the record as it was read after the change; empty if it was not.
        :raises SeventhingsError: if the change has no effect.
        """
        words = ""

        def read_again() -> list[Record | None] | None:
            nonlocal words
            now = read.pop() if read else self.client.get(self._kind, uuid, self.template)
            words = without_effect(self.client, self.schema, change, now)
            return None if words else [now]

        found = poll_until_visible(self.client.transport, read_again)
        if found is not None:
            return found[0]
        is_missing = words == "does not exist"
        if is_missing and change.action == CREATE and self._kind.can_be_hidden:
            raise errors.SeventhingsError(
                f"The {self._kind.words} was created, {unreadable(uuid)}. Do not run this again with this account: it "
                "does not find the record, and would create it again."
            )
        missing = perhaps_hidden(self._kind) if is_missing else ""
        words = f"The {self._kind.words} {uuid} {words}{missing}"
        raise errors.SeventhingsError(had_no_effect(self.client.transport, words))

    def write(
        self, change: Change, find: Finder, known: frozenset[str] = frozenset(), lost: OutcomeUnknown | None = None
    ) -> str | None:
        """Send the requests of a change, and nothing else. Return the uuid of the record; None if there is none.

        :param lost: the error of an earlier attempt that was deferred. ``find`` then returns what became of a creation.
        """
        if change.action == CREATE:
            return self._create(change, find, known, lost)
        if change.current is None:
            return None
        for step in self._steps(change, change.current):
            carry_out(self.client, step, change.current, self.defers, lost)
            self.on_effect(change.current.uuid)
        return change.current.uuid

    def _steps(self, change: Change, current: Record) -> Iterator[Step]:
        """Yield the requests of a change of an existing record."""
        if change.action == DELETE:
            yield self._deletion(current, change.unarchive)
        if change.action == ARCHIVE:
            yield self._archiving(current, back=False)
        if change.action == UPDATE:
            yield from self._updates(change, current)

    def _step(
        self,
        current: Record,
        send: Callable[[Record], None],
        is_done: Callable[[Record | None], bool],
        is_open: Callable[[Record], bool],
        repeats: bool = False,
    ) -> Step:
        def read() -> Record | None:
            return self.client.get(self._kind, current.uuid, self.template)

        return Step(current.uuid.lower(), send, read, is_done, is_open, repeats)

    # ---- create

    def _create(self, change: Change, find: Finder, known: frozenset[str], lost: OutcomeUnknown | None) -> str:
        with self.client.creations.making(self._kind.name):
            self._upload(change)
            body = create_body(self.schema, change.values, self.extra)
            uuid = self._create_once(change, body, find, known, lost)
        self.on_effect(uuid)
        status = change.values.get(self._kind.status_key)
        if status not in (None, self._kind.open_status):
            created = Record(self._kind, uuid, None, {self._kind.status_key: self._kind.open_status})
            carry_out(self.client, self._status_step(status, created), created, self.defers)
        return uuid

    def _create_once(
        self, change: Change, body: Mapping[str, Any], find: Finder, known: frozenset[str], lost: OutcomeUnknown | None
    ) -> str:
        """Create the record once, even if an answer is lost.

        Look for it before it is sent again, and send it again only once.

        :param lost: the error of an earlier attempt, which can no longer take effect.
        """
        seconds: float | None = 0.0
        if lost is None:
            try:
                return self._post(change, body)
            except OutcomeUnknown as error:
                if self.defers and error.is_lost:
                    raise
                lost, seconds = error, None
        uuid = self._look_for(lost, find, known, seconds)
        if uuid is not None:
            return uuid
        if lost.may_follow:
            lost.message += (
                f" No such {self._kind.words} was found. It was not sent again, because the service may still be "
                "working on it. Run it again to try once more."
            )
        if lost.may_follow or self._is_mistake(lost, change):
            raise self._explained(lost, change) from lost
        try:
            return self._post(change, body)
        except OutcomeUnknown as again:
            uuid = self._look_for(again, find, known, ANSWERED_SECONDS if seconds is None else seconds)
            if uuid is not None:
                return uuid
            if again.is_lost:
                again.message += (
                    f" It was sent twice, and no such {self._kind.words} was found. Run it again: it is looked up "
                    "before it is sent again."
                )
            raise self._explained(again, change) from again

    def _post(self, change: Change, body: Mapping[str, Any]) -> str:
        try:
            return self.client.create(self._kind, body, self.template)
        except errors.InvalidRequest as refused:
            raise self._explained(refused, change) from refused

    def _look_for(self, lost: OutcomeUnknown, find: Finder, known: frozenset[str], seconds: float | None) -> str | None:
        def find_new() -> list[Record]:
            return [record for record in find() if record.uuid not in known]

        created = poll_after_lost_response(self.client.transport, lost, find_new, seconds) or []
        if len(created) > 1:
            uuids = ", ".join(sorted(record.uuid for record in created))
            raise errors.Ambiguous(
                f"After a lost answer {len(created)} new {self._kind.plural} have the natural key: {uuids}. "
                f"Delete all but one of them."
            )
        return created[0].uuid if created else None

    def _is_mistake(self, lost: OutcomeUnknown, change: Change) -> bool:
        # Some instances answer an incomplete body with a 500. Sending it again would not help.
        missing = any(change.values.get(key) in EMPTY for key in self._kind.needed)
        return missing and lost.status == HTTPStatus.INTERNAL_SERVER_ERROR

    def _hint(self, change: Change) -> str | None:
        """Return a hint about a refused body: fields that were sent empty, or not at all."""
        sent = dict(change.values)
        if change.current is None:
            sent = {**dict.fromkeys(self._kind.hints), **sent}
        elif self._kind.update == "PUT":
            sent = {key: self.schema.read_field(key, change.current.flat) for key in self._kind.hints} | sent
        hints = [hint for key, hint in self._kind.hints.items() if key in sent and sent[key] in EMPTY]
        return "; ".join(hints) or None

    def _explained(self, error: errors.SeventhingsError, change: Change) -> errors.SeventhingsError:
        hint = self._hint(change)
        if hint:
            error.message += f" What may help: {hint}."
        return error

    # ---- delete, archive

    def _deletion(self, record: Record, may_unarchive: bool) -> Step:
        return self._step(
            record,
            lambda _now: self._delete(record, may_unarchive),
            lambda now: now is None,
            lambda now: all(self._has(now, key, record) for key in self.schema.fields if self._shows(record, key)),
        )

    def _delete(self, record: Record, may_unarchive: bool) -> None:
        """Delete a record.

        The service may refuse because an attempt whose answer was lost took effect.

        :param may_unarchive: unarchive the record if the service does not delete it from the archive. If it is still
            not deleted, archive it again.
        """
        try:
            self.client.delete(self._kind, record.uuid)
        except errors.NotProcessable as refused:
            now = self.client.get(self._kind, record.uuid)
            if now is None:
                return
            if not self._kind.can_be_archived or not self.client.is_archived(now):
                refused.message += why_occupied(self._kind)
                raise
            if not may_unarchive:
                refused.message += f" The {self._kind.words} is archived by now, which was not planned. Plan again."
                raise
            self._archive(record, back=True)
            try:
                self.client.delete(self._kind, record.uuid)
            except errors.ServiceError:
                self._archive(record, back=False)
                raise

    def _archive(self, record: Record, back: bool) -> None:
        carry_out(self.client, self._archiving(record, back), record, self.defers)

    def _archiving(self, record: Record, back: bool) -> Step:
        """Return the request that archives or unarchives a record."""

        def is_done(now: Record | None) -> bool:
            return now is not None and self.client.is_archived(now) != back

        def send(_now: Record) -> None:
            try:
                self.client.archive(self._kind, record.uuid, back)
            except errors.REFUSED_VALUES:
                # The service refuses a repetition if the first request took effect after all.
                if not is_done(self.client.get(self._kind, record.uuid)):
                    raise

        return self._step(record, send, is_done, lambda now: not is_done(now), repeats=True)

    # ---- update

    def _updates(self, change: Change, current: Record) -> Iterator[Step]:
        if change.unarchive:
            yield self._archiving(current, back=True)
        self._upload(change)
        status = change.values.get(self._kind.status_key)
        values = {key: value for key, value in change.values.items() if key != self._kind.status_key}
        if values:
            yield self._values_step(change, current, values)
        if status is not None:
            yield self._status_step(status, current)
            self._read = None

    def _values_step(self, change: Change, current: Record, values: Mapping[str, Any]) -> Step:
        def send(now: Record) -> None:
            with self._replacing():
                self._send_values(change, self._whole(now), values)
                self._clear_the_rest(change, current.uuid)

        def is_done(now: Record | None) -> bool:
            shown = [key for key in values if now is not None and (self._shows(now, key) or values[key] in EMPTY)]
            return bool(shown) and all(self._is(now, key, values[key]) for key in shown)

        def is_open(now: Record) -> bool:
            return all(self._is(now, key, values[key]) or self._has(now, key, current) for key in values)

        return self._step(current, send, is_done, is_open)

    def _status_step(self, status: str, current: Record) -> Step:
        key = self._kind.status_key
        return self._step(
            current,
            lambda _now: self.client.set_status(self._kind, current.uuid, status),
            lambda now: self._is(now, key, status),
            lambda now: self._has(now, key, current),
        )

    def _shows(self, now: Record, key: str) -> bool:
        """Return True if a record shows a field. Empty fields may be left out, and some fields are never shown."""
        return self.schema.fields[key].wire_key in now.flat

    def _is(self, now: Record | None, key: str, value: Any) -> bool:
        """Return True if a record has a value."""
        return now is not None and self.schema.equal(key, value, self.schema.read_field(key, now.flat))

    def _has(self, now: Record, key: str, before: Record) -> bool:
        """Return True if a record still has the value that it had before, or does not show it."""
        return not self._shows(now, key) or self._is(now, key, self.schema.read_field(key, before.flat))

    def _replacing(self) -> AbstractContextManager[None]:
        """Keep other processes from changing a record from its last read until it is replaced."""
        if self._kind.update != "PUT":
            return contextlib.nullcontext()
        return self.client.creations.making(self._kind.name, is_replaced=True)

    def _send_values(self, change: Change, current: Record, values: Mapping[str, Any]) -> None:
        body = update_body(self.schema, current, values, self.extra)
        try:
            self._send(current, body)
        except (errors.InvalidRequest, errors.InternalError) as refused:
            raise self._explained(refused, change) from refused
        except errors.NotFound as gone:
            gone.message += f" It existed when it was read{perhaps_hidden(self._kind)}."
            raise
        except OutcomeUnknown as lost:
            raise (lost if lost.status is None else self._explained(lost, change)) from lost

    def _whole(self, current: Record) -> Record:
        """Return a record that is about to be replaced, with everything that the service shows of it."""
        has_moved = self.client.creations.have_moved(self._kind.name)
        if self._kind.update != "PUT" or (current.is_whole and not has_moved):
            return current
        alone = self.client.get(self._kind, current.uuid, self.template)
        if alone is None:
            raise errors.SeventhingsError(
                f"The {self._kind.words} {current.uuid} does not exist any more. It existed when it was read"
                f"{perhaps_hidden(self._kind)}."
            )
        return current.completed_by(alone)

    def _send(self, current: Record, body: Mapping[str, Any]) -> None:
        # Some instances answer an incomplete body with a 500, and would do so again.
        is_incomplete = any(body.get(key) in EMPTY for key in self._kind.needed)
        self.answered = self.client.update(self._kind, current.uuid, body, self.template, once=is_incomplete)

    def _upload(self, change: Change) -> None:
        files = [file for value in change.values.values() for file in attachments_in(value)]
        upload_missing(Contents(self.client), files, lambda file: upload(self.client, file))

    # ---- report

    def read_back(self, change: Change, uuid: str) -> Record:
        """Return the record as it is after a change."""
        return self._read_again(uuid) if self._read is None else self._read

    def _read_again(self, uuid: str) -> Record:
        record = self.client.get(self._kind, uuid, self.template)
        if record is None:
            raise errors.SeventhingsError(
                f"The {self._kind.words} {uuid} was written, but the service does not find it when it is read back"
                f"{perhaps_hidden(self._kind)}."
            )
        return record

    def _clear_the_rest(self, change: Change, uuid: str) -> None:
        """Send null for fields that a PUT could not clear on this instance by leaving them out."""
        left_out = [
            key for key in self._kind.cleared_by_leaving_out if key in change.values and change.values[key] is None
        ]
        if not left_out:
            return
        self._read = record = self._read_again(uuid)
        still = [key for key in left_out if self.schema.read_field(key, record.flat) is not None]
        if not still:
            return
        body = update_body(self.schema, record, change.values, self.extra)
        try:
            self._send(record, {**body, **dict.fromkeys(still)})
        except (errors.InvalidRequest, errors.InternalError) as refused:
            refused.message += (
                f" This instance keeps {' and '.join(still)} where it is left out, and refuses null: give another "
                "value instead."
            )
            raise
        self._read = self._read_again(uuid)
