# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal of a managed set: sent creations, their outcome, and the records that belong to the set.

The journal has no secrets. After an interrupted run, the next run reads it and looks up pending requests. Losing it
never causes a duplicate, because every run finds records by their natural key. So nothing waits for the disk.

Somebody else may have written the journal, so it can do no harm: it lifts no limit, and its notes count only for the
set with its ``set_id``.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import fcntl
import hashlib
import json
import math
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, NamedTuple

from ...module_utils.client.roots import identity_of
from ...module_utils.errors import InvalidInput, SeventhingsError
from ...module_utils.local.safe_files import WRITABLE_BY_OTHERS
from ...module_utils.runtime.changes import seconds_left
from ...module_utils.runtime.creations import LOCK_WAIT, UNKNOWN_MOMENT
from ...module_utils.runtime.locks import Busy, lock_owner_of, wait_for
from ..desired.desired import INLINE, Source, SourceCount
from .journal_place import place_of, places_of_all

SIZE_LIMIT = 256 << 20
"""Maximum size of a journal in bytes: about 500,000 records."""

_LINE_LIMIT = 1 << 20
_MOST_UNREADABLE = 1000
_UUIDS_A_LINE = 1000
_ID_BYTES = 8
_DELETE_IT = "delete it (then prune removes nothing that was created before)"


class JournalRefused(InvalidInput):
    """Raised if the journal cannot be trusted or belongs to other files. Nothing was sent."""


class JournalLocked(JournalRefused):
    """Raised if another run owns the journal until the timeout."""


class JournalBroken(SeventhingsError):
    """Raised if the journal cannot be written. Nothing more may be sent."""


class Upload(NamedTuple):
    """A file that is uploaded once for any number of records. It identifies the upload after an interrupted run."""

    name: str
    sha256: str

    def noted(self) -> dict[str, str]:
        """Return the entry as a note has it."""
        return self._asdict()


def new_set_id() -> str:
    """Return a random ``set_id``."""
    return secrets.token_hex(_ID_BYTES)


def _set_id_of(set_name: str, src: str) -> str:
    """Return the ``set_id`` of files without one.

    It is the same for all instances of a fleet, so that one line fits all.
    """
    return hashlib.sha256(f"{set_name}\0{src}".encode(errors="surrogatepass")).hexdigest()[: 2 * _ID_BYTES]


@dataclass
class Memory:
    """The notes of one ``set_id``, summed up.

    :ivar known: uuids of the records that belong to the set.
    :ivar names: uuid to the last noted kind and key of a record, if any.
    :ivar created: uuids of the records that the set created and did not remove.
    :ivar unarchived: uuids of the records that the set brought back from the archive and did not remove.
    :ivar unresolved: kind and key of sent creations without a noted outcome, to the time in seconds since 1970.
    :ivar uploads: files that earlier runs uploaded, to their uuids; empty without a noted outcome.
    :ivar uploading: uploads without a noted outcome, to the time, as in ``unresolved``.
    :ivar files: uuids of all files that were uploaded for this set.
    :ivar run: digest of an unfinished earlier run; empty if everything is done.
    :ivar existing: section to the number of records before that run, as its limits counted them.
    :ivar creations: uuids of what that run created, and kind and key of what it was about to create.
    :ivar touched: the same, plus uuids of the records that it began to change.
    :ivar protected: uuids of records that must stay.
    :ivar refused: kind and key of creations that the service refused because another record has their values.
    :ivar sources: each source of the last apply to the number of its records.
    :ivar origins: uuid to the file of the record in its last apply, if noted.
    """

    known: set[str] = field(default_factory=set)
    names: dict[str, str] = field(default_factory=dict)
    created: set[str] = field(default_factory=set)
    unarchived: set[str] = field(default_factory=set)
    unresolved: dict[str, float] = field(default_factory=dict)
    uploads: dict[Upload, str] = field(default_factory=dict)
    uploading: dict[Upload, float] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)
    run: str = ""
    existing: dict[str, int] = field(default_factory=dict)
    creations: set[str] = field(default_factory=set)
    touched: set[str] = field(default_factory=set)
    protected: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    sources: dict[Source, int] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)

    def take(self, note: dict[str, str]) -> None:
        """Add one note.

        :raises ValueError: or ``KeyError``, if it is not a note.
        """
        _TAKERS[note["note"]](self, note)

    def _begun(self, note: dict[str, str]) -> None:
        is_resumed = self.run == note["run"] != ""
        self._run_is(note["run"])
        if not is_resumed:
            self.existing = _counts_in(note.get("existing", "{}"))

    def _ended(self, _note: dict[str, str]) -> None:
        self._run_is("")

    def _run_is(self, run: str) -> None:
        if not run or run != self.run:
            self.creations.clear()
            self.touched.clear()
        self.run = run

    def _sent(self, note: dict[str, str]) -> None:
        record = f"{note['kind']} {note['key']}"
        self.unresolved[record] = _moment_of(note)
        self.creations.add(record)
        self.touched.add(record)

    def _created(self, note: dict[str, str]) -> None:
        uuid = note["uuid"]
        record = f"{note['kind']} {note['key']}"
        self.unresolved.pop(record, None)
        self.refused.discard(record)
        self.names[uuid] = record
        self.known.add(uuid)
        self.created.add(uuid)
        self.creations.add(uuid)
        self.touched.add(uuid)

    def _not_created(self, note: dict[str, str]) -> None:
        self.unresolved.pop(f"{note['kind']} {note['key']}", None)

    def _changing(self, note: dict[str, str]) -> None:
        self.touched.add(note["uuid"])

    def _managed(self, note: dict[str, str]) -> None:
        self.known.add(note["uuid"])
        # The key is unknown if the record has none.
        if "kind" in note:
            self.names[note["uuid"]] = f"{note['kind']} {note['key']}"
            self.refused.discard(self.names[note["uuid"]])

    def _archived(self, note: dict[str, str]) -> None:
        # The record no longer belongs to the set, but its uuid still finds it.
        self.known.discard(note["uuid"])
        self.created.discard(note["uuid"])
        self.unarchived.discard(note["uuid"])
        self.names[note["uuid"]] = f"{note['kind']} {note['key']}"

    def _unarchived(self, note: dict[str, str]) -> None:
        self.unarchived.add(note["uuid"])

    def _refused(self, note: dict[str, str]) -> None:
        record = f"{note['kind']} {note['key']}"
        self.unresolved.pop(record, None)
        self.refused.add(record)

    def _removed(self, note: dict[str, str]) -> None:
        self.unresolved.pop(f"{note['kind']} {note['key']}", None)
        self.unarchived.discard(note["uuid"])
        self.known.discard(note["uuid"])
        self.created.discard(note["uuid"])
        self.names.pop(note["uuid"], None)
        self.origins.pop(note["uuid"], None)

    def _protected(self, note: dict[str, str]) -> None:
        self.protected.add(note["uuid"])

    def _released(self, note: dict[str, str]) -> None:
        self.protected.discard(note["uuid"])

    def _source(self, note: dict[str, str]) -> None:
        source, records = (note["path"], note["section"]), int(note["records"])
        self.sources[source] = records
        if not records:
            del self.sources[source]

    def _origin(self, note: dict[str, str]) -> None:
        self.origins |= dict.fromkeys(note["uuids"].split(), note["path"])

    def _uploading(self, note: dict[str, str]) -> None:
        upload = Upload(note["name"], note["sha256"])
        self.uploads[upload] = ""
        self.uploading[upload] = _moment_of(note)

    def _not_uploaded(self, note: dict[str, str]) -> None:
        upload = Upload(note["name"], note["sha256"])
        self.uploads.pop(upload, None)
        self.uploading.pop(upload, None)

    def _uploaded(self, note: dict[str, str]) -> None:
        upload = Upload(note["name"], note["sha256"])
        self.uploads[upload] = note["uuid"]
        self.uploading.pop(upload, None)
        self.files.add(note["uuid"])


_TAKERS: dict[str, Callable[[Memory, dict[str, str]], None]] = {
    "begun": Memory._begun,
    "ended": Memory._ended,
    "sent": Memory._sent,
    "made": Memory._created,
    "not_made": Memory._not_created,
    "changing": Memory._changing,
    "managed": Memory._managed,
    "gone": Memory._removed,
    "archived": Memory._archived,
    "unarchived": Memory._unarchived,
    "refused": Memory._refused,
    "protected": Memory._protected,
    "released": Memory._released,
    "source": Memory._source,
    "origin": Memory._origin,
    "uploading": Memory._uploading,
    "uploaded": Memory._uploaded,
    "not_uploaded": Memory._not_uploaded,
}


class Journal:
    """A file of JSON lines, locked from before the first write to the end of the run.

    :param directory: the directory of the journal, created if missing; None: in the state directory of the user.
    :param instance: root of the instance; notes of other instances are left alone.
    :param set_name: name of the managed set; empty without one.
    :param set_id: distinguishes this set from others of its name; empty: that of the journal.
    :param src: the directory of the files, or the file, which identifies files without a ``set_id``.
    :param lock_wait: seconds to wait for another run. :param on_wait: called with words about a long wait.
    :ivar instance: root of the instance of the notes. :ivar set_name: as given.
    :ivar set_id: the id that counts; empty if there is none yet, or no set.
    :ivar memory: the notes, summed up.
    :ivar warnings: warnings about the journal for the user.
    :raises JournalRefused: if it cannot be trusted, or belongs to other files.
    :raises InvalidInput: if it has no place.
    """

    _descriptor: int | None = None
    _state_read: tuple[int, int, int] | None = None
    _end = 0
    _torn = False
    _created_id = False

    def __init__(
        self,
        directory: Path | None,
        instance: str,
        set_name: str,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        *,
        set_id: str = "",
        src: str = "",
        now: Callable[[], float] = time.time,
        lock_wait: float = LOCK_WAIT,
        on_wait: Callable[[str], None] = lambda _words: None,
    ) -> None:
        self._lock_wait = lock_wait
        self._on_wait = on_wait
        self.place = place_of(directory, instance, set_name)
        self.instance = identity_of(instance)
        self.set_name = set_name
        self._path = self.place.path
        self._owner = {"instance": self.instance, "set": set_name}
        self._written_id = set_id if set_name else ""
        self._src = os.path.realpath(src) if src else ""
        self._sleep = sleep
        self._clock = clock
        self._now = now
        self._read_at = now()
        self._mutex = threading.Lock()
        self._ids: dict[str, str] = {}
        self._unread: list[int] = []
        self.set_id = self._written_id
        self.memory = Memory()
        self._read_file()

    @property
    def known(self) -> set[str]:
        """Return the uuids of the records that belong to the set."""
        return self.memory.known

    @cached_property
    def created(self) -> dict[str, str]:
        """Return kind and key of each record that this set created, to its uuid; empty if the kind has none.

        Few runs need this, so the notes are read once more.
        """
        found: dict[str, str] = {}
        owner = {**self._owner, "set_id": self.set_id}
        try:
            with (
                self.place.folder.opened(self.place.name) as descriptor,
                open(descriptor, "rb", closefd=False) as stream,
            ):
                for line in stream:
                    note = _note_of(line) if b'"sent"' in line or b'"made"' in line or b'"not_made"' in line else None
                    if note is not None and owner.items() <= note.items() and "key" in note:
                        record = f"{note['kind']} {note['key']}"
                        if note["note"] == "not_made":
                            found.pop(record, None)
                        elif note["note"] in ("sent", "made"):
                            found[record] = note.get("uuid", "")
        except FileNotFoundError:
            return {}
        return found

    @property
    def unresolved(self) -> Set[str]:
        """Return kind and key of sent creations without a noted outcome."""
        return self.memory.unresolved.keys()

    @property
    def uploads(self) -> dict[Upload, str]:
        """Return the uploads of earlier runs with their uuids; empty without a noted outcome."""
        return self.memory.uploads

    @property
    def files(self) -> set[str]:
        """Return the uuids of all files that were uploaded for this set."""
        return self.memory.files

    @property
    def warnings(self) -> list[str]:
        """Warnings about the journal for the user."""
        warnings = []
        if self._unread:
            warnings.append(
                f"journal: {self._path} has lines that can't be read and are skipped: {len(self._unread)}, the "
                f"first is line {self._unread[0]}."
            )
        if self._created_id:
            warnings.append(
                f"instance.yml has no set_id, by which the journal recognises the records of this set. Add this line "
                f'to it: set_id: "{self.set_id}"'
            )
        return warnings

    # ---- reading

    def _read_file(self) -> None:
        try:
            with self.place.folder.opened(self.place.name) as descriptor:
                self._read(descriptor)
        except FileNotFoundError:
            return
        except JournalRefused:
            raise
        except InvalidInput as unfit:
            raise JournalRefused(f"journal: {unfit.message}") from unfit
        except OSError as error:
            raise self._unusable(error) from error

    def _read(self, descriptor: int) -> None:
        found = os.fstat(descriptor)
        _require_trusted(self._path, found)
        state = (found.st_ino, found.st_size, found.st_mtime_ns)
        if state == self._state_read:
            return
        self._state_read = state
        self._ids.clear()
        self._unread.clear()
        self._end, self._torn = 0, False
        memory = Memory()
        with open(descriptor, "rb", closefd=False) as stream:
            counts: str | None = self._written_id
            if self.set_name and not counts:
                counts = _id_of(stream, {**self._owner, "src": self._src})
                stream.seek(0)
            for number, line in enumerate(stream, start=1):
                if self._end + len(line) > SIZE_LIMIT:
                    raise _too_long(self._path)
                fits = self._take(line, counts, memory)
                if not line.endswith(b"\n") and not fits:
                    # The last line of an interrupted run may be incomplete.
                    self._torn = True
                    if not line.startswith(b"{"):
                        self._unread.append(number)
                    break
                self._end += len(line)
                if not fits:
                    self._unread.append(number)
                if len(self._unread) > _MOST_UNREADABLE:
                    raise JournalRefused(
                        f"journal: {self._path} is not a journal of this version: more than {_MOST_UNREADABLE} of its "
                        f"lines can't be read. Use the version of the collection that wrote it, or {_DELETE_IT}"
                    )
                self._torn = not line.endswith(b"\n")
        self.set_id = self._known_id()
        self.memory = memory

    def _take(self, line: bytes, counts: str | None, memory: Memory) -> bool:
        """Return True if a line is a note. Notes of other instances and sets are left alone.

        :param counts: the ``set_id`` whose notes are summed up; None if it is unknown.
        """
        note = _note_of(line)
        if note is None:
            return False
        try:
            if any(note[key] != value for key, value in self._owner.items()):
                return True
            if note["note"] == "set":
                self._ids[note["src"]] = note["set_id"]
            elif note["set_id"] == counts:
                memory.take(note)
        except (KeyError, ValueError):
            return False
        return True

    def _known_id(self) -> str:
        """Return the ``set_id`` that counts.

        :raises JournalRefused: if the files and the journal have different ids.
        """
        if not self._owner["set"]:
            return ""
        # If these files are known already, the id of other files says nothing about them.
        of_these = self._ids.get(self._src, "")
        fitting = {of_these} if of_these else set(self._ids.values())
        if self._written_id and fitting and self._written_id not in fitting:
            known_id = of_these or next(iter(self._ids.values()))
            raise JournalRefused(
                f"set_id: {json.dumps(self._written_id)} is not that of the journal of the set "
                f"{json.dumps(self._owner['set'])} ({self._path}), which is {json.dumps(known_id)}. Two directories of "
                f"one name would prune each other: give this one another set. If these are the same files as before, "
                f"write set_id: {json.dumps(known_id)}."
            )
        return self._written_id or of_these

    # ---- the lock

    def __enter__(self) -> Journal:
        try:
            self._lock()
            # This reads the notes that an earlier run wrote while this run waited.
            self._read(self._opened())
            self._settle_id()
        except BaseException:
            self._close()
            raise
        return self

    def _lock(self) -> None:
        owner = f"another run uses {self._path}"
        try:
            wait_for(
                self._try_lock,
                self._lock_wait,
                self._clock,
                self._sleep,
                lambda: self._on_wait(f"Waiting for the journal: {owner}{self._owner_words()}."),
            )
        except Busy as busy:
            raise JournalLocked(
                f"journal: {owner} for more than {self._lock_wait:g} seconds (tuning.lock_wait){self._owner_words()}; "
                f"try again when it is done"
            ) from busy

    def _try_lock(self) -> bool:
        try:
            fcntl.flock(self._opened(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            raise self._unusable(error) from error
        if self._is_in_place():
            return True
        # The file was removed, and another run may have created a new one.
        self._close()
        return False

    def _opened(self) -> int:
        """Return the descriptor of the journal, which is created if missing."""
        if self._descriptor is None:
            try:
                self._descriptor = self.place.folder.open_to_append(self.place.name)
            except InvalidInput as unfit:
                raise JournalRefused(f"journal: {unfit.message}") from unfit
            except OSError as error:
                raise self._unusable(error) from error
        return self._descriptor

    def _is_in_place(self) -> bool:
        try:
            return os.path.samestat(os.fstat(self._opened()), self._path.lstat())
        except FileNotFoundError:
            return False

    def _owner_words(self) -> str:
        """Return which process owns the journal, in words to append; empty if the system does not say."""
        owner = lock_owner_of(self._opened())
        return f": {owner}" if owner else ""

    def _settle_id(self) -> None:
        """Note the ``set_id`` of these files, and create one if they have none."""
        if not self._owner["set"]:
            return
        if not self.set_id:
            self.set_id = _set_id_of(self.set_name, self._src)
            self._created_id = True
        if self._ids.get(self._src) != self.set_id:
            self._write([{"note": "set", "src": self._src}])

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _unusable(self, error: OSError) -> InvalidInput:
        return InvalidInput(f"journal: {self._path} can't be written ({error.strerror}){self.place.hint}")

    # ---- runs

    def begun(self, run: str, existing: Mapping[str, int] = MappingProxyType({})) -> None:
        """Note what a run is about to do, after its plan passed the limits. A later run may do the rest.

        :param run: a digest of it. :param existing: section to the number of records for the limits.
        """
        self._write([{"note": "begun", "run": run, "existing": json.dumps(dict(existing))}])

    def ended(self) -> None:
        """Note that everything was done."""
        self._write([{"note": "ended"}])

    # ---- requests of an interrupted run

    def seconds_to_settle(self, creations: Iterable[tuple[str, str]], settle: float) -> float | None:
        """Return how long to wait before records are read once more because of an interrupted run.

        Its requests may have taken effect since the journal was read. Return None if there are none.

        :param creations: kind and key of the records that are about to be created; uploads always count.
        :param settle: the settling horizon.
        """
        records = {f"{kind} {key}" for kind, key in creations}
        moments = [moment for record, moment in self.memory.unresolved.items() if record in records]
        moments += self.memory.uploading.values()
        pending = [moment for moment in moments if seconds_left(moment, self._read_at, settle)]
        return max(seconds_left(moment, self._now(), settle) for moment in pending) if pending else None

    def settled(self) -> None:
        """Note in memory that the requests of interrupted runs can no longer take effect."""
        self.memory.unresolved = dict.fromkeys(self.memory.unresolved, -math.inf)
        self.memory.uploading = dict.fromkeys(self.memory.uploading, -math.inf)

    # ---- creates

    def sent(self, kind: str, key: str) -> None:
        """Note that a creation is about to be sent. Raise an error if that cannot be noted; then it is not sent."""
        self._write([{"note": "sent", "kind": kind, "key": key, "at": self._moment()}])

    def not_created(self, kind: str, key: str) -> None:
        """Note that the service did not execute a creation, so that nobody looks for the record."""
        self._write([{"note": "not_made", "kind": kind, "key": key}])

    def _moment(self) -> str:
        return dt.datetime.fromtimestamp(self._now(), dt.UTC).isoformat(timespec="milliseconds")

    def note_creation(self, kind: str, key: str, uuid: str) -> None:
        """Note the outcome of a creation."""
        self._write([{"note": "made", "kind": kind, "key": key, "uuid": uuid}])
        self.known.add(uuid)
        self.memory.names[uuid] = f"{kind} {key}"

    def changing(self, uuid: str) -> None:
        """Note that a record is about to be changed, which may take several requests."""
        self._write([{"note": "changing", "uuid": uuid}])

    def note_removal(self, kind: str, key: str, uuid: str) -> None:
        """Note that a record was removed."""
        self._write([{"note": "gone", "kind": kind, "key": key, "uuid": uuid}])
        self.known.discard(uuid)

    def archived(self, kind: str, key: str, uuid: str) -> None:
        """Note that a record was archived. It is no longer managed, and is found again by its uuid."""
        self._write([{"note": "archived", "kind": kind, "key": key, "uuid": uuid}])
        self.known.discard(uuid)

    def unarchiving(self, uuid: str) -> None:
        """Note that a record is about to be brought back from the archive, so that an undo may archive it again."""
        self._write([{"note": "unarchived", "uuid": uuid}])

    def refused(self, kind: str, key: str) -> None:
        """Note that the service refused a creation because another record has its values.

        The next plan looks that record up in the archive.
        """
        self._write([{"note": "refused", "kind": kind, "key": key}])

    def managed(self, kind: str, keys: Mapping[str, str]) -> None:
        """Note existing records of the files: from now on they belong to the set.

        :param keys: uuid to the key in the files, which may be empty; a record with another key is noted again.
        """
        known = self.memory.names
        fresh = {
            uuid: key
            for uuid, key in keys.items()
            if uuid not in self.known or (key and known.get(uuid) != f"{kind} {key}")
        }
        notes = [(uuid, {"kind": kind, "key": key} if key else {}) for uuid, key in fresh.items()]
        self._write([{"note": "managed", "uuid": uuid, **name} for uuid, name in notes])
        self.known.update(fresh)
        known.update((uuid, f"{kind} {key}") for uuid, key in fresh.items() if key)

    def protect(self, uuid: str, is_protected: bool) -> None:
        """Note that a record must stay, or no longer needs to, if that is not noted yet."""
        if uuid and is_protected != (uuid in self.memory.protected):
            self._write([{"note": "protected" if is_protected else "released", "uuid": uuid}])
            (self.memory.protected.add if is_protected else self.memory.protected.discard)(uuid)

    # ---- sources

    def applied(self, sources: Mapping[Source, SourceCount]) -> None:
        """Note the sources of an apply with their numbers of records, if they changed."""
        if not self.set_id:
            # All files without a set share one journal.
            return
        before = self.memory.sources
        news = {source: 0 for source in before if source not in sources and source[0] != INLINE}
        news |= {source: count.records for source, count in sources.items() if before.get(source, 0) != count.records}
        for (path, section), number in news.items():
            note = {"path": path, "section": section, "records": str(number)}
            self._write([{"note": "source", **note}])
            self.memory._source(note)

    def came_from(self, origins: Mapping[str, str]) -> None:
        """Note the files of records, if they changed.

        :param origins: uuid to the file.
        """
        news: dict[str, list[str]] = {}
        for uuid, path in origins.items():
            if self.memory.origins.get(uuid) != path:
                news.setdefault(path, []).append(uuid)
        for path, uuids in news.items():
            for start in range(0, len(uuids), _UUIDS_A_LINE):
                note = {"path": path, "uuids": " ".join(uuids[start : start + _UUIDS_A_LINE])}
                self._write([{"note": "origin", **note}])
                self.memory._origin(note)

    # ---- uploads

    def uploading(self, upload: Upload) -> None:
        """Note that a file is about to be uploaded."""
        self._write([{"note": "uploading", **upload.noted(), "at": self._moment()}])

    def not_uploaded(self, upload: Upload) -> None:
        """Note that the service did not execute an upload, so that nobody looks for the file."""
        self._write([{"note": "not_uploaded", **upload.noted()}])

    def uploaded(self, upload: Upload, uuid: str) -> None:
        """Note the outcome of an upload."""
        self._write([{"note": "uploaded", **upload.noted(), "uuid": uuid}])
        self.files.add(uuid)

    def _write(self, notes: list[dict[str, Any]]) -> None:
        if self._descriptor is None or not notes:
            return
        name = {**self._owner, "set_id": self.set_id}
        # Escape everything, so that no text of a record can end its line.
        data = "".join(json.dumps({**name, **note}) + "\n" for note in notes).encode()
        with self._mutex:
            if self._end + len(data) > SIZE_LIMIT:
                raise JournalBroken(_too_long(self._path).message)
            if not self._is_in_place():
                raise JournalBroken(f"journal: {self._path} was removed during the run, so nothing more is sent")
            try:
                if self._torn:
                    self._mend(self._descriptor)
                self._torn = True
                written = os.write(self._descriptor, data)
                while written < len(data):
                    written += os.write(self._descriptor, data[written:])
            except OSError as error:
                raise JournalBroken(f"journal: {self._path} can't be written ({error.strerror})") from error
            self._torn = False
            self._end += len(data)

    def _mend(self, descriptor: int) -> None:
        """Remove a line that a full disk or a kill cut off, and complete a line without its end."""
        os.ftruncate(descriptor, self._end)
        if self._end and os.pread(descriptor, 1, self._end - 1) != b"\n":
            self._end += os.write(descriptor, b"\n")


def protected_by_others(own: Journal) -> dict[str, str]:
    """Return the records of an instance that must stay because of another set that this user applied here.

    :param own: the journal of the applied set, whose own protections are left out.
    :returns: uuid to the words for the set and its journal.
    :raises JournalRefused: if a journal cannot be read: nobody knows what it protects.
    """
    protected: dict[str, str] = {}
    try:
        for place in places_of_all(own.instance):
            with place.folder.opened(place.name) as descriptor:
                _require_trusted(place.path, os.fstat(descriptor))
                found = _protections(descriptor, own.instance)
            for (set_name, set_id), uuids in found.items():
                if (set_name, set_id) == (own.set_name, own.set_id) and place.path == own.place.path:
                    continue
                words = f"the set {json.dumps(set_name)}" if set_name else "files without a set"
                protected |= dict.fromkeys(uuids, f"{words} (journal {place.path})")
    except JournalRefused:
        raise
    except (InvalidInput, OSError) as error:
        why = error.message if isinstance(error, InvalidInput) else f"{error.filename}: {error.strerror}"
        raise JournalRefused(f"journal: {why}; records that it protects can't be distinguished from others") from error
    return protected


def _id_of(lines: Iterable[bytes], owner: Mapping[str, str]) -> str | None:
    """Return the last noted ``set_id`` of files, or None without one.

    :param owner: the instance, the set and ``src``.
    """
    found = None
    wanted = {**owner, "note": "set"}
    for line in lines:
        # Most notes are about something else, and parsing JSON takes long.
        note = _note_of(line) if b'"src"' in line else None
        if note is not None and all(note.get(name) == value for name, value in wanted.items()):
            found = note.get("set_id", found)
    return found


def _protections(descriptor: int, instance: str) -> dict[tuple[str, str], set[str]]:
    """Return what the notes of a journal protect, by the name of the set and its id."""
    found: dict[tuple[str, str], set[str]] = {}
    with open(descriptor, "rb", closefd=False) as stream:
        for line in stream:
            # Most notes are about something else, and parsing JSON takes long.
            note = _note_of(line) if b'"protected"' in line or b'"released"' in line else None
            if note is not None and note.get("instance") == instance and note.get("note") in ("protected", "released"):
                with contextlib.suppress(KeyError):
                    uuids = found.setdefault((note["set"], note["set_id"]), set())
                    (uuids.add if note["note"] == "protected" else uuids.discard)(note["uuid"])
    return found


def _counts_in(text: str) -> dict[str, int]:
    """Return the counts of a note.

    :raises ValueError: if these are not counts.
    """
    counts = json.loads(text)
    if not isinstance(counts, dict) or any(
        isinstance(number, bool) or not isinstance(number, int) for number in counts.values()
    ):
        raise ValueError
    return counts


def _note_of(line: bytes) -> dict[str, str] | None:
    """Return a line as a note, or None if it is none."""
    if len(line) > _LINE_LIMIT:
        return None
    try:
        note = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(note, dict) or not all(isinstance(value, str) for value in note.values()):
        return None
    return note


def _moment_of(note: Mapping[str, str]) -> float:
    """Return the moment of a note in seconds since 1970. A note that anybody may have written may have none."""
    try:
        return dt.datetime.fromisoformat(note["at"]).timestamp()
    except (KeyError, ValueError, OverflowError):
        return UNKNOWN_MOMENT


def _require_trusted(path: Path, found: os.stat_result) -> None:
    """Check the owner and the size of a journal at a place that the task names.

    :raises JournalRefused: if somebody else may have written it, or it is too long.
    """
    if found.st_nlink > 1:
        raise JournalRefused(f"journal: {path} is linked to a file of another name; expected one of its own")
    if found.st_mode & WRITABLE_BY_OTHERS:
        raise JournalRefused(
            f"journal: {path} can be written by others, so anybody may have written it; delete it, or "
            f"check it and run chmod 600"
        )
    if found.st_size > SIZE_LIMIT:
        raise _too_long(path)


def _too_long(path: Path) -> JournalRefused:
    return JournalRefused(f"journal: {path} has more than {SIZE_LIMIT} bytes; {_DELETE_IT}")
