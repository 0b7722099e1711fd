# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal of a managed set: sent creations and their outcome, the records of the set, and what was last applied.

The journal has no secrets. After an interrupted run, the next run reads it and looks up pending requests. Losing it
never causes a duplicate, because every run finds records by their natural key. So nothing waits for the disk.

Somebody else may have written the journal, so it can do no harm: it lifts no limit, and its facts count only for the
set with its ``set_id``.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import math
import os
import secrets
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Set
from pathlib import Path
from types import MappingProxyType, TracebackType
from urllib.parse import quote, unquote

from ...module_utils.client.client import Client
from ...module_utils.client.roots import identity_of
from ...module_utils.errors import InvalidInput, SeventhingsError
from ...module_utils.local.safe_files import require_own
from ...module_utils.runtime.changes import seconds_left
from ...module_utils.runtime.creations import LOCK_WAIT
from ...module_utils.runtime.facts import Fact, FactLog, Marks
from ...module_utils.runtime.locks import Busy, Obstructed, wait_for
from ..desired.desired import INLINE, DesiredInstance, Source, SourceCount
from ..set_plan.baseline import Baseline
from ..set_plan.plan import OtherSets
from . import memory
from .journal_place import JournalPlace, place_of, places_of_all

_ID_BYTES = 8
#: Fact about a set, whatever its ``set_id``: the ``set_id`` of a directory of files.
_SET = "set"
_DELETE_IT = "delete it (then prune removes nothing that was created before)"


class JournalRefused(InvalidInput):
    """Raised if the journal cannot be trusted or belongs to other files. Nothing was sent."""


class JournalBroken(SeventhingsError):
    """Raised if the journal cannot be written. Nothing more may be sent."""


def new_set_id() -> str:
    """Return a random ``set_id``."""
    return secrets.token_hex(_ID_BYTES)


class Journal:
    """A log of facts, locked from before the first write to the end of the run.

    :param directory: the directory of the journal, created if missing; None: in the state directory of the user.
    :param instance: root of the instance; facts about other instances are left alone.
    :param set_name: name of the managed set; empty without one.
    :param set_id: distinguishes this set from others of its name; empty: that of the journal.
    :param src: the directory of the files, or the file, which identifies files without a ``set_id``.
    :param lock_wait: seconds to wait for another run. :param on_wait: called with words about a long wait.
    :ivar instance: root of the instance of the facts. :ivar set_name: as given.
    :ivar set_id: the id that counts; empty if there is none yet, or no set.
    :ivar memory: what the facts mean.
    :raises JournalRefused: if it cannot be trusted, or belongs to other files.
    :raises InvalidInput: if it has no place.
    """

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
        self._log = FactLog(self.place.folder, self.place.name)
        self._written_id = set_id
        self._src = os.path.realpath(src) if src else ""
        self._sleep = sleep
        self._clock = clock
        self._now = now
        self._read_at = now()
        self._is_locked = self._is_untold = False
        self._read()

    @classmethod
    def for_files(
        cls,
        client: Client,
        directory: Path | None,
        desired: DesiredInstance,
        sleep: Callable[[float], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> Journal:
        """Return the journal of the set that some files describe. A long wait is reported as for other locks."""
        creations = client.creations
        return cls(
            directory,
            client.transport.root,
            desired.set_name,
            sleep or client.transport.sleep,
            clock,
            set_id=desired.set_id,
            src=desired.origin,
            lock_wait=creations.lock_wait,
            on_wait=creations.on_wait,
        )

    @property
    def known(self) -> Set[str]:
        """Return the uuids of the records that belong to the set."""
        return self.memory.known

    @property
    def warnings(self) -> list[str]:
        """Warnings about the journal for the user."""
        warnings = []
        if self._log.unread:
            warnings.append(
                f"journal: {self.place.path} has lines that can't be read and are skipped: {len(self._log.unread)}, "
                f"the first is line {self._log.unread[0]}."
            )
        if self._is_untold:
            warnings.append(
                f"instance.yml has no set_id, by which the journal recognises the records of this set. Add this line "
                f'to it: set_id: "{self.set_id}"'
            )
        return warnings

    # ---- reading

    def _read(self) -> None:
        facts = _facts_in(self._log, self.place)
        self.set_id = self._known_id(facts.get(self._of_name, {}).get(_SET, {}))
        self.memory = memory.Memory(facts.get(self.owner))

    def _known_id(self, ids: Mapping[str, object]) -> str:
        """Return the ``set_id`` that counts.

        :param ids: the noted ids, by the directory of the files.
        :raises JournalRefused: if the files and the journal have different ids.
        """
        if not self.set_name:
            return ""
        # If these files are known already, the id of other files says nothing about them.
        of_these = str(ids.get(self._src, ""))
        fitting = {of_these} if of_these else set(map(str, ids.values()))
        if self._written_id and fitting and self._written_id not in fitting:
            known_id = of_these or str(next(iter(ids.values())))
            raise JournalRefused(
                f"set_id: {json.dumps(self._written_id)} is not that of the journal of the set "
                f"{json.dumps(self.set_name)} ({self.place.path}), which is {json.dumps(known_id)}. Two directories of "
                f"one name would prune each other: give this one another set. If these are the same files as before, "
                f"write set_id: {json.dumps(known_id)}."
            )
        return self._written_id or of_these

    @property
    def _of_name(self) -> str:
        return _owner_of(self.instance, self.set_name)

    @property
    def owner(self) -> str:
        """Return the owner of the facts. Files without a set are recognised by their directory."""
        return _owner_of(self.instance, self.set_name, self.set_id if self.set_name else self._src)

    # ---- the lock

    def __enter__(self) -> Journal:
        try:
            self._lock()
            # This reads the facts that an earlier run noted while this run waited.
            self._read()
            self._settle_id()
        except BaseException:
            self._close()
            raise
        return self

    def _lock(self) -> None:
        owner = f"another run uses {self.place.path}"
        try:
            wait_for(
                self._try_lock,
                self._lock_wait,
                self._clock,
                self._sleep,
                lambda: self._on_wait(f"Waiting for the journal: {owner}."),
            )
        except Busy as busy:
            raise JournalRefused(
                f"journal: {owner} for more than {self._lock_wait:g} seconds (tuning.lock_wait); "
                f"try again when it is done"
            ) from busy
        self._is_locked = True

    def _try_lock(self) -> bool:
        try:
            return self._log.try_lock()
        except Obstructed as unfit:
            raise JournalRefused(f"journal: {unfit.strerror}") from unfit
        except OSError as error:
            raise _unusable(self.place, error) from error

    def _settle_id(self) -> None:
        """Note the ``set_id`` of these files, and create one if they have none."""
        if not self.set_name:
            return
        if not self.set_id:
            # It is the same for all instances of a fleet, so that one line fits all.
            identity = f"{self.set_name}\0{self._src}".encode(errors="surrogatepass")
            self.set_id = hashlib.sha256(identity).hexdigest()[: 2 * _ID_BYTES]
        noted = self._log.read()
        if noted.get(self._of_name, {}).get(_SET, {}).get(self._src) != self.set_id:
            self._put((_SET, self._src, self.set_id), owner=self._of_name)
        self.memory = memory.Memory(noted.get(self.owner))
        # A first run that was killed could not tell its id.
        self._is_untold = not self._written_id and not self.memory.sources

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._log.is_long and error is None:
            # The log is as good without that.
            with contextlib.suppress(OSError, InvalidInput):
                self._log.shorten()
        self._close()

    def _close(self) -> None:
        self._is_locked = False
        self._log.close()

    def _put(self, *facts: Fact, owner: str = "") -> None:
        """Append facts, unless this run writes nothing.

        :raises JournalBroken: if that fails.
        """
        if not self._is_locked or not facts:
            return
        try:
            self._log.put(owner or self.owner, *facts)
        except FileNotFoundError as error:
            raise JournalBroken(
                f"journal: {self.place.path} was removed during the run, so nothing more is sent"
            ) from error
        except OSError as error:
            is_full = error.errno == errno.EFBIG
            why = f"has its maximum size; {_DELETE_IT}" if is_full else f"can't be written ({error.strerror})"
            raise JournalBroken(f"journal: {self.place.path} {why}") from error
        if not self.memory.marks:
            self.memory.marks = self._log.read().get(self.owner, {})

    # ---- runs

    def begun(self, run: str, existing: Mapping[str, int] = MappingProxyType({})) -> None:
        """Note what a run is about to do, after its plan passed the limits. A later run may do the rest.

        What an earlier run began to change may have any value, so nothing is known about that any more.

        :param run: a digest of it. :param existing: section to the number of records for the limits.
        """
        if run != self.memory.run:
            self._put(*self._none_begun(), (memory.RUN, "", {"digest": run, "existing": dict(existing)}))

    def ended(self) -> None:
        """Note that everything was done."""
        self._put((memory.RUN, "", None), *self._none_begun())

    def _none_begun(self) -> list[Fact]:
        unsure = [(memory.FIELDS, mark, None) for mark in self._marked(memory.CHANGING)]
        return unsure + [(kind, mark, None) for kind in (memory.BEGUN, memory.CHANGING) for mark in self._marked(kind)]

    def _marked(self, kind: str) -> list[str]:
        return list(self.memory.marks.get(kind, {}))

    def _without(self, mark: str, *kinds: str) -> list[Fact]:
        """Return facts that remove those about a mark."""
        return [(kind, mark, None) for kind in kinds if mark in self.memory.marks.get(kind, {})]

    # ---- requests of an interrupted run

    def seconds_to_settle(self, creations: Iterable[tuple[str, str]], settle: float) -> float | None:
        """Return how long to wait before records are read once more because of an interrupted run.

        Its requests may have taken effect since the journal was read. Return None if there are none.

        :param creations: kind and key of the records that are about to be created; uploads always count.
        :param settle: the settling horizon.
        """
        unresolved = self.memory.unresolved
        moments = [unresolved[name] for name in (f"{kind} {key}" for kind, key in creations) if name in unresolved]
        moments += self.memory.uploading
        pending = [moment for moment in moments if seconds_left(moment, self._read_at, settle)]
        return max(seconds_left(moment, self._now(), settle) for moment in pending) if pending else None

    def settled(self) -> None:
        """Remember that the requests of interrupted runs can no longer take effect."""
        self._read_at = math.inf

    # ---- creates

    def sent(self, kind: str, key: str) -> None:
        """Note that a creation is about to be sent. Raise an error if that cannot be noted; then it is not sent."""
        name = f"{kind} {key}"
        self._put((memory.SENT, name, self._now()), (memory.BEGUN, name, self.memory.run))

    def not_created(self, kind: str, key: str) -> None:
        """Note that the service did not execute a creation, so that nobody looks for the record."""
        self._put(*self._without(f"{kind} {key}", memory.SENT))

    def note_creation(self, kind: str, key: str, uuid: str) -> None:
        """Note the outcome of a creation."""
        name = f"{kind} {key}"
        found = [(memory.MANAGED, uuid, name), (memory.CREATED, uuid, name), (memory.BEGUN, uuid, self.memory.run)]
        self._put(*found, *self._without(name, memory.SENT))

    def changing(self, uuid: str) -> None:
        """Note that a record is about to be changed, which may take several requests."""
        self._put((memory.CHANGING, uuid, self.memory.run))

    def note_removal(self, kind: str, key: str, uuid: str) -> None:
        """Note that a record was removed."""
        kinds = (memory.MANAGED, memory.ADOPTED, memory.CREATED, memory.ARCHIVED, memory.UNARCHIVED, memory.UNSEEN)
        facts = self._without(uuid, *kinds, memory.ORIGIN, memory.FIELDS)
        self._put(*facts, *self._without(f"{kind} {key}", memory.SENT))

    def archived(self, kind: str, key: str, uuid: str) -> None:
        """Note that a record was archived. It is no longer managed, and is found again by its uuid."""
        kinds = (memory.MANAGED, memory.ADOPTED, memory.UNARCHIVED)
        self._put((memory.ARCHIVED, uuid, f"{kind} {key}"), *self._without(uuid, *kinds))

    def unseen(self, uuid: str) -> None:
        """Note that a record was created, and can't be read."""
        self._put((memory.UNSEEN, uuid, True))

    def unarchiving(self, uuid: str) -> None:
        """Note that a record is about to be brought back from the archive, so that an undo may archive it again."""
        self._put((memory.UNARCHIVED, uuid, True))

    def managed(self, kind: str, keys: Mapping[str, str]) -> None:
        """Note existing records of the files: from now on they belong to the set.

        :param keys: uuid to the key in the files, which may be empty; a record with another key is noted again.
        """
        managed = self.memory.marks.get(memory.MANAGED, {})
        names = {uuid: f"{kind} {key}" if key else managed.get(uuid, "") for uuid, key in keys.items()}
        facts: list[Fact] = []
        for uuid, name in names.items():
            if managed.get(uuid) != name:
                facts += [(memory.MANAGED, uuid, name), *self._without(uuid, memory.ARCHIVED)]
                facts += [] if uuid in managed else [(memory.ADOPTED, uuid, self._now())]
            facts += self._without(uuid, memory.UNSEEN)
        self._put(*facts)

    def protect(self, uuid: str, is_protected: bool) -> None:
        """Note that a record must stay, or no longer needs to, if that is not noted yet."""
        if uuid and is_protected != (uuid in self.memory.protected):
            self._put((memory.PROTECTED, uuid, is_protected or None))

    # ---- what was applied

    def applied(self, sources: Mapping[Source, SourceCount]) -> None:
        """Note the sources of an apply with their numbers of records, if they changed."""
        if not self.set_id:
            # All files without a set share one journal.
            return
        before = self.memory.sources
        news = {source: 0 for source in before if source not in sources and source[0] != INLINE}
        news |= {source: count.records for source, count in sources.items() if before.get(source, 0) != count.records}
        self._put(*((memory.SOURCE, f"{section} {path}", number or None) for (path, section), number in news.items()))

    def came_from(self, origins: Mapping[str, str], most: int) -> None:
        """Note the files of records, if they changed.

        :param origins: uuid to the file. :param most: number of records of each file that are noted. Others are only
            noted if they have a noted file.
        """
        before, found = self.memory.origins, sorted((path, uuid) for uuid, path in origins.items())
        noted = (one for n, one in enumerate(found) if n < most or found[n - most][0] != one[0] or one[1] in before)
        self._put(*((memory.ORIGIN, uuid, path) for path, uuid in noted if before.get(uuid) != path))

    def note_values(self, baseline: Baseline, existing: Collection[str] | None = None) -> None:
        """Note what is now applied.

        :param baseline: of this journal, with what this run noted. :param existing: the identifiers of all records of
            the files; the others, except archived records, are forgotten. None if they are not known.
        """
        if not self.set_name and not self._src:
            # All tasks without files share one journal.
            return
        marks = self.memory.marks
        facts: list[Fact] = [] if memory.KEY in marks else [(memory.KEY, "", baseline.key.hex())]
        before = marks.get(memory.FIELDS, {})
        facts += [(memory.FIELDS, mark, text) for mark, text in baseline.noted.items() if before.get(mark) != text]
        kept = {*(existing or ()), *baseline.noted, *marks.get(memory.ARCHIVED, {})}
        facts += [
            (memory.FIELDS, mark, None)
            for mark in self._marked(memory.FIELDS)
            if existing is not None and mark not in kept
        ]
        before = marks.get(memory.HIGHEST, {})
        facts += [
            (memory.HIGHEST, kind, number) for kind, number in baseline.highest.items() if before.get(kind) != number
        ]
        facts += [fact for mark in baseline.noted for fact in self._without(mark, memory.CHANGING)]
        self._put(*facts)

    # ---- uploads

    def uploading(self, upload: memory.Upload) -> None:
        """Note that a file is about to be uploaded."""
        self._put((memory.UPLOAD, upload.mark, self._now()))

    def not_uploaded(self, upload: memory.Upload) -> None:
        """Note that the service did not execute an upload, so that nobody looks for the file."""
        self._put(*self._without(upload.mark, memory.UPLOAD))

    def uploaded(self, upload: memory.Upload, uuid: str) -> None:
        """Note the outcome of an upload."""
        self._put((memory.UPLOAD, upload.mark, uuid), (memory.FILE, uuid, True))


def others_of(own: Journal) -> OtherSets:
    """Return the records of an instance that must stay because of another set that this user applied here.

    Another set took a record over if it adopted the record later than this set, which may have created it.

    :param own: the journal of the applied set, whose own protections are left out.
    :raises JournalRefused: if a journal cannot be read: nobody knows what it protects.
    """
    others, adopted = OtherSets(), own.memory.adopted
    try:
        for place in places_of_all(own.instance):
            for owner, marks in _facts_in(FactLog(place.folder, place.name), place).items():
                is_own = owner == own.owner and place.path == own.place.path
                instance, _space, rest = owner.partition(" ")
                if instance == own.instance and not is_own:
                    set_name = unquote(rest.partition(" ")[0], errors="surrogatepass")
                    words = f"the set {json.dumps(set_name)}" if set_name else "files without a set"
                    words, its = f"{words} (journal {place.path})", memory.Memory(marks)
                    others.protected.update(dict.fromkeys(its.protected, words))
                    # Files without a set remove nothing, and this set may have several journals.
                    is_other = set_name not in ("", own.set_name)
                    for uuid in own.known & its.known if is_other else ():
                        is_taken = its.adopted.get(uuid, 0) > adopted.get(uuid, 0)
                        (others.taken if is_taken else others.shared)[uuid] = words
    except (InvalidInput, OSError) as error:
        if isinstance(error, InvalidInput):
            why = error.message.removeprefix("journal: ")
        else:
            why = f"{error.filename}: {error.strerror}"
        raise JournalRefused(f"journal: {why}; records that it protects can't be distinguished from others") from error
    return others


def _owner_of(instance: str, *names: str) -> str:
    """Return the owner of facts: the instance, the name of the set, and its ``set_id``."""
    return " ".join([instance, *(quote(name, safe="", errors="surrogatepass") for name in names)])


def _facts_in(log: FactLog, place: JournalPlace) -> Mapping[str, Marks]:
    """Return the facts of a journal by owner.

    :raises JournalRefused: if somebody else may have written it, or it is not a journal.
    :raises InvalidInput: if it can't be read.
    """
    try:
        found = place.folder.status(place.name)
        # Whose file it is does not matter at a place that the task names.
        require_own(place.folder.path, place.name, found, found.st_uid)
        return log.read()
    except FileNotFoundError:
        return {}
    except InvalidInput as unfit:
        raise JournalRefused(f"journal: {unfit.message}; {_DELETE_IT}") from unfit
    except OSError as error:
        raise _unusable(place, error) from error


def _unusable(place: JournalPlace, error: OSError) -> InvalidInput:
    return InvalidInput(f"journal: {place.path} can't be written ({error.strerror}){place.hint}")
