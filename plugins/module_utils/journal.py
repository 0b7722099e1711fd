# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal of a managed set: which creates were sent, what became of them, and which records belong to the set.

It holds no secrets. A run that was killed reads it and looks up what was on its way; losing it never causes a
duplicate, because every run finds records by their natural key. So nothing waits until a disk has really written it.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from .errors import InvalidInput, SeventhingsError

_FILE = "journal.jsonl"
_LOCK_SECONDS = 60.0
_POLL_SECONDS = 0.5


class JournalHeld(InvalidInput):
    """Another run holds the journal and does not let go of it."""


class JournalBroken(SeventhingsError):
    """The journal can't be written, so nothing more may be sent."""


class Upload(NamedTuple):
    """A file that is uploaded, for however many records; by this it is known again after a run was killed."""

    name: str
    sha256: str

    def noted(self) -> dict[str, str]:
        """As it stands in a note."""
        return self._asdict()


class Journal:
    """A file of JSON lines, locked from before the first write to the end of the run.

    :param directory: where the journal lies; made if it is not there.
    :param instance: root of the instance; notes of other instances are left alone.
    :param set_name: name of the managed set.
    :ivar known: uuids of the records that belong to the set.
    :ivar unresolved: kind and key of creates that were sent, and nothing says what came of them.
    :ivar uploads: files that earlier runs uploaded, to their uuids; empty where nothing says what came of one.
    :ivar approved: what the brakes let pass and an earlier run did not come to the end of.
    :ivar files: uuids of all files that were uploaded for this set.
    :ivar plan: which plan file an earlier run did not come to the end of. :ivar touched: uuids of what it made or began
        to change.
    """

    def __init__(
        self,
        directory: Path,
        instance: str,
        set_name: str,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._path = directory / _FILE
        self._name = {"instance": instance, "set": set_name}
        self._sleep = sleep
        self._clock = clock
        self._descriptor: int | None = None
        self._torn = False
        self._mutex = threading.Lock()
        self.known: set[str] = set()
        self.unresolved: set[str] = set()
        self.uploads: dict[Upload, str] = {}
        self.files: set[str] = set()
        self.approved: frozenset[str] = frozenset()
        self.plan = ""
        self.touched: set[str] = set()
        self._read()

    def _read(self) -> None:
        if not self._path.exists():
            return
        text = self._path.read_bytes().decode("utf-8", "replace")
        self._torn = text != "" and not text.endswith("\n")
        for line in text.split("\n"):
            try:
                note = json.loads(line)
            except (ValueError, RecursionError):
                # The last line of a run that was killed may be torn.
                continue
            if isinstance(note, dict) and all(note.get(key) == value for key, value in self._name.items()):
                self._take(note)

    def _take(self, note: dict[str, Any]) -> None:
        if note.get("note") in ("begun", "ended"):
            self._take_run(note)
            return
        if note.get("note") in ("uploading", "uploaded"):
            upload = Upload(*(str(note.get(name)) for name in Upload._fields))
            self.uploads[upload] = str(note.get("uuid") or "")
            self.files.add(self.uploads[upload])
            return
        what, uuid = f"{note.get('kind')} {note.get('key')}", str(note.get("uuid") or "")
        if note.get("note") == "sent":
            self.unresolved.add(what)
            return
        if note.get("note") in ("made", "changing"):
            self.touched.add(uuid)
        if note.get("note") == "changing":
            return
        self.unresolved.discard(what)
        if note.get("note") == "gone":
            self.known.discard(uuid)
        elif uuid:
            self.known.add(uuid)

    def _take_run(self, note: dict[str, Any]) -> None:
        approved, of_plan = note.get("approved"), str(note.get("plan") or "")
        self.approved = frozenset(map(str, approved)) if isinstance(approved, list) else frozenset()
        if not of_plan or of_plan != self.plan:
            self.touched.clear()
        self.plan = of_plan

    def __enter__(self) -> Journal:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise InvalidInput(f"journal: {self._path} can't be written ({error.strerror})") from error
        deadline = self._clock() + _LOCK_SECONDS
        while True:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if self._clock() >= deadline:
                    self._close()
                    raise JournalHeld(
                        f"journal: another run holds {self._path} for more than {_LOCK_SECONDS:g} seconds; try "
                        f"again when it is done"
                    ) from None
                self._sleep(_POLL_SECONDS)
            else:
                break
        # What the run before noted while this one waited.
        self._read()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    # ---- runs

    def begun(self, approved: Iterable[str], of_plan: str = "") -> None:
        """Notes what a run is about to do, after the brakes let it pass; the rest of it may be done by a later run.

        :param of_plan: which plan file is applied, where one is.
        """
        self._write([{"note": "begun", "approved": sorted(approved), **({"plan": of_plan} if of_plan else {})}])

    def ended(self) -> None:
        """Notes that all of it was done."""
        self._write([{"note": "ended"}])

    # ---- creates

    def sent(self, kind: str, key: str) -> None:
        """Notes that a create is about to be sent. Raises where that can't be noted: then it is not sent."""
        self._write([{"note": "sent", "kind": kind, "key": key}])

    def made(self, kind: str, key: str, uuid: str) -> None:
        """Notes what a create came to."""
        self._write([{"note": "made", "kind": kind, "key": key, "uuid": uuid}])
        self.known.add(uuid)

    def changing(self, uuid: str) -> None:
        """Notes that a record is about to be changed, which may take several requests."""
        self._write([{"note": "changing", "uuid": uuid}])

    def gone(self, kind: str, key: str, uuid: str) -> None:
        """Notes that a record was taken away."""
        self._write([{"note": "gone", "kind": kind, "key": key, "uuid": uuid}])
        self.known.discard(uuid)

    def managed(self, uuids: Iterable[str]) -> None:
        """Notes records that were there already and are in the files: from now on they belong to the set."""
        fresh = [uuid for uuid in uuids if uuid not in self.known]
        self._write([{"note": "managed", "uuid": uuid} for uuid in fresh])
        self.known.update(fresh)

    # ---- uploads

    def uploading(self, what: Upload) -> None:
        """Notes that a file is about to be uploaded."""
        self._write([{"note": "uploading", **what.noted()}])

    def uploaded(self, what: Upload, uuid: str) -> None:
        """Notes what became of an upload."""
        self._write([{"note": "uploaded", **what.noted(), "uuid": uuid}])
        self.files.add(uuid)

    def _write(self, notes: list[dict[str, Any]]) -> None:
        if self._descriptor is None or not notes:
            return
        text = "".join(json.dumps({**self._name, **note}, ensure_ascii=False) + "\n" for note in notes)
        with self._mutex:
            # A line that a full disk or a kill cut off must not swallow the next one.
            data = (("\n" if self._torn else "") + text).encode()
            try:
                written = os.write(self._descriptor, data)
                while written < len(data):
                    self._torn = True
                    written += os.write(self._descriptor, data[written:])
            except OSError as error:
                raise JournalBroken(f"journal: {self._path} can't be written ({error.strerror})") from error
            self._torn = False
