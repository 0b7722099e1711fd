# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Let one of many processes that ensure a record create it, while the others find it.

A record that is replaced as a whole (PUT) is guarded in the same way, because a process that read it earlier would undo
changes of others.

Each kind of record of an instance has a lock: a file whose number changes with each creation. A process that does not
find a record takes the lock. It reads again only if the number changed since its initial read. So a run with nothing to
do never waits, and a process that runs alone never reads twice. Before the request a mark with the time is written, and
after it the mark is cleared. A process that finds a mark knows that its writer was killed, or gave up, during the
request. It waits until the mark is as old as the settling horizon, and reads once more. If the marks were lost, each
kind counts as marked at that moment.
"""

from __future__ import annotations

import contextlib
import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from ..errors import OutcomeUnknown, SeventhingsError
from ..local.safe_files import Folder
from ..model.kinds import KINDS
from .changes import Changes, seconds_left
from .locks import REPORTED_AFTER, Busy, Obstructed, SharedFile, describe, wait_for
from .places import NAMED
from .store import Store

#: Default seconds to wait for a lock.
LOCK_WAIT = 600.0

#: Minimum default of the settling horizon in seconds.
SHORTEST_SETTLE = 30.0

_KIND = "creating"
_OTHER = "another process of this user, which"
#: An unknown moment. It counts as the newest.
UNKNOWN_MOMENT = math.inf

Done = TypeVar("Done")


class CreatedMeanwhile(Exception):
    """Raised if others created records of the kind since they were read, so that they must be read again."""


class LockTimeout(SeventhingsError):
    """Raised if another process kept the lock of the kind until the timeout."""


class LockRefused(SeventhingsError):
    """Raised if the lock of a kind cannot be taken, so that no record of the kind may be created."""


@dataclass
class _Kind:
    """One kind of record in this process.

    :ivar name: of the kind. :ivar lock: the file that is locked. :ivar is_held: whether this process has the lock.
    :ivar number: that of the file when records were read; None if unknown. :ivar read_at: when that was.
    :ivar settles_at: when the request of a found mark can no longer take effect, on the monotonic clock; None: no mark
        was found since records were read.
    :ivar is_wanted: True if the lock is to be kept, also while it is released during a pause.
    :ivar moves: how often other processes created something while the lock was released.
    :ivar lost: the number of creations of this process whose answers were lost, and that may still take effect.
    """

    name: str
    lock: SharedFile
    read_at: float
    number: int | None = None
    is_held: bool = False
    settles_at: float | None = None
    is_wanted: bool = False
    moves: int = 0
    under_way: int = 0
    lost: int = 0

    def __post_init__(self) -> None:
        with contextlib.suppress(OSError):
            self.number = self.lock.number

    @property
    def is_pending(self) -> bool:
        """Return True if a request of this process is pending, or may still take effect."""
        return self.under_way > 0 or self.lost > 0

    def try_lock(self) -> bool:
        """Take the lock. Return False if another process owns it."""
        self.is_held = self.lock.try_lock()
        return self.is_held

    def has_moved(self) -> bool:
        """Return True if others created records since records were read, or if that is unknown.

        The caller owns the lock.
        """
        before, self.number = self.number, self.lock.number
        return before != self.number

    def release(self) -> None:
        self.is_held = False
        with contextlib.suppress(OSError):
            self.lock.release()


@dataclass
class Creations:
    """The locks of one instance.

    :ivar folder: the place of the locks and marks; None: nothing is shared, and nobody waits.
    :ivar name: of the instance, fit for a file name. :ivar lock_wait: seconds to wait for a lock.
    :ivar on_problem: called with warnings about the places.
    :ivar settle: the settling horizon: seconds within which a request whose answer was lost may still take effect.
    :ivar now: the time of the marks, which processes share, in seconds since 1970.
    :ivar refusal: why there is no place although processes must share one. Then nothing is created.
    :ivar on_wait: called if a wait takes long.
    """

    folder: Folder | None = None
    name: str = ""
    lock_wait: float = LOCK_WAIT
    on_problem: Callable[[str], None] = lambda _problem: None
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    settle: float = SHORTEST_SETTLE
    now: Callable[[], float] = time.time
    refusal: str = ""

    def __post_init__(self) -> None:
        self.on_wait = self.on_problem
        self._refused: set[str] = set()
        self._warned: set[str] = set()
        self._store = Store(self.folder, self.now)
        self._kinds: dict[str, _Kind] = {}
        self._mutex = threading.RLock()
        self._inside = threading.local()
        self._changes = Changes(self._store, self.name, self.settle, self.clock, self.sleep, self.now)

    # ---- one record

    def run(self, kind: str, act: Callable[[], Done], forget: Callable[[], None] = lambda: None) -> Done:
        """Run a function that may create or change a record, from the initial read to the last request.

        If others created or changed records meanwhile, run it again.

        :param kind: the kind that it may create; empty if it creates nothing.
        :param forget: called before the function runs again, to drop everything that was read before.
        :raises LockTimeout: if the lock is not free in time. Nothing was created.
        :raises LockRefused: if it cannot be taken. Nothing was created.
        """
        self.watch([kind] if kind else [])
        try:
            while True:
                with contextlib.suppress(CreatedMeanwhile):
                    return act()
                forget()
        finally:
            self.leave()

    @contextlib.contextmanager
    def making(self, kind: str, is_replaced: bool = False) -> Iterator[None]:
        """Guard the requests that create a record. Do nothing for a kind that is not watched.

        A block that ends without an error knows the outcome of every attempt.

        :param is_replaced: True if a record is replaced instead. If an answer is lost, the mark of the record stays,
            see :meth:`changing`.
        :raises CreatedMeanwhile: before anything was sent.
        """
        self._require_place(kind)
        watched = self._kinds.get(kind)
        if watched is None:
            yield
            return
        self._prepare(kind, watched)
        self._inside.watched, self._inside.moves, self._inside.has_lost = watched, watched.moves, False
        try:
            yield
        except BaseException as error:
            self._done(watched, not is_replaced and not _is_known_after(error))
            raise
        else:
            self._done(watched, False)
        finally:
            self._inside.watched = None

    @contextlib.contextmanager
    def changing(self, record: str) -> Iterator[None]:
        """Guard a request that changes a record. If an earlier change may still take effect, wait until it can't.

        :param record: identifies the record among all records of the instance.
        :raises CreatedMeanwhile: after a wait, before anything was sent, so that the record is read again.
        """
        if self.settle_changes([record]):
            raise CreatedMeanwhile
        self._changes.begin(record)
        try:
            yield
        except BaseException as error:
            if _is_known_after(error):
                self._changes.end(record)
            else:
                self._changes.begin(record)
            raise
        self._changes.end(record)

    def settle_changes(self, records: Iterable[str]) -> bool:
        """Wait until earlier changes of some records can't take effect any more. Return True if that took time."""
        words = "Waiting: the answer to an earlier change of the same record was lost, and it may still take effect."
        waits = [self._changes.wait(record.lower(), lambda: self.on_wait(words)) for record in records]
        return any(waits)

    def outcome_known(self, record: str) -> None:
        """Note that a change whose answer was lost took effect, or no longer can."""
        self._changes.end(record.lower())

    def refresh(self) -> None:
        """Renew the moment of the mark of this thread, because a request is about to be sent."""
        watched: _Kind | None = getattr(self._inside, "watched", None)
        if watched is not None:
            with self._mutex:
                self._note(watched, self.now())

    def lose(self) -> None:
        """Note that an attempt of this thread, whose answer was just lost, may take effect later."""
        self._inside.has_lost = True
        self.refresh()

    # ---- many records

    def watch(self, kinds: Iterable[str]) -> None:
        """Watch kinds whose records are about to be read. A kind that is watched already keeps its earlier state."""
        if self.folder is None:
            self._refused.update(kinds if self.refusal else ())
        else:
            for kind in kinds:
                if kind not in self._kinds:
                    lock = SharedFile(self.folder, f"create-{self.name}-{kind}")
                    self._kinds[kind] = _Kind(kind, lock, self.now())

    def hold(self, kinds: Iterable[str]) -> set[str]:
        """Take the locks of watched kinds in this order, until :meth:`leave`.

        :returns: the kinds of which others created records since they were read.
        :raises LockTimeout: if a lock is not free in time.
        :raises LockRefused: if one can't be taken.
        """
        moved = set()
        for kind in kinds:
            self._require_place(kind)
            watched = self._kinds.get(kind)
            if watched is not None and not watched.is_held and self._take(kind, watched):
                moved.add(kind)
        return moved

    def seconds_to_settle(self) -> float | None:
        """Return how long to wait for the request of an interrupted process before records are read once more.

        Return None if no mark of such a process was found. The caller waits, and then calls :meth:`settled`.
        """
        with self._mutex:
            moments = [watched.settles_at for watched in self._kinds.values() if watched.settles_at is not None]
        return max(max(moments) - self.clock(), 0.0) if moments else None

    def settled(self) -> None:
        """Note that the outcome of lost creations, and of the requests of interrupted processes, is known now."""
        with self._mutex:
            for watched in self._kinds.values():
                was_lost = watched.lost > 0
                watched.lost, watched.settles_at = 0, None
                if was_lost and not watched.is_pending:
                    self._note(watched, None)

    def have_moved(self, kind: str) -> bool:
        """Return True if others created records of a kind while its lock was released during a long pause."""
        return kind in self._kinds and self._kinds[kind].moves > 0

    def leave(self) -> None:
        """Release all locks."""
        with self._mutex:
            for watched in self._kinds.values():
                self._give_back(watched)
                watched.lock.close()
            self._kinds.clear()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Release the locks during a long pause.

        :raises CreatedMeanwhile: at its end, in a thread that is about to create a record, if others created some.
        """
        inside: _Kind | None = getattr(self._inside, "watched", None)
        with self._mutex:
            for watched in self._kinds.values():
                is_alone = watched is inside and watched.under_way == 1 and not watched.lost
                if is_alone and not self._inside.has_lost:
                    # The service did not accept the waiting request, and no other request is pending.
                    self._note(watched, None)
            self._give_all_back()
        yield
        with self._mutex:
            self._take_all_again()
        if inside is not None and inside.moves != self._inside.moves:
            raise CreatedMeanwhile

    # ---- the lock

    def _prepare(self, kind: str, watched: _Kind) -> None:
        """Take the lock if necessary, and mark what is about to be sent.

        :raises CreatedMeanwhile: if others created something since records were read, or may have.
        """
        with self._mutex:
            if watched.is_held and not watched.lock.is_in_place(watched.lock.descriptor()):
                self._warn(
                    f"{watched.lock.path} was removed during the run, by a cleaner of temporary files or at the end of "
                    f"a session, and was created anew. {NAMED} may name a directory that stays."
                )
                # Release all locks, because every process takes them in the same order.
                self._give_all_back()
                self._take_all_again()
                raise CreatedMeanwhile
            has_moved = not watched.is_held and self._take(kind, watched)
            settles_at = watched.settles_at
            if not has_moved and settles_at is None:
                watched.under_way += 1
                self._note(watched, self.now())
                return
        if settles_at is not None:
            # The mutex is free here, so each thread waits on its own.
            seconds = max(settles_at - self.clock(), 0.0)
            if seconds > REPORTED_AFTER:
                self.on_wait(
                    f"Waiting {seconds:.0f} seconds: an interrupted process sent a request that may still create "
                    f"{KINDS[kind].singular}."
                )
            self.sleep(seconds)
            with self._mutex:
                if watched.settles_at == settles_at:
                    watched.settles_at = None
        raise CreatedMeanwhile

    def _require_place(self, kind: str) -> None:
        if kind in self._refused:
            raise _refused(kind, OSError(self.refusal))

    def _give_all_back(self) -> None:
        for watched in self._kinds.values():
            self._give_back(watched)

    def _take_all_again(self) -> None:
        """Take the locks again that were released while records were read or created."""
        for kind, watched in self._kinds.items():
            if watched.is_wanted and not watched.is_held:
                watched.moves += self._take(kind, watched)
                if watched.under_way:
                    self._note(watched, self.now())

    def _note(self, watched: _Kind, moment: float | None) -> None:
        """Set the mark of this process, or clear it. Other processes then read again."""
        if not watched.is_held:
            return
        try:
            watched.lock.count()
            watched.number = watched.lock.number
            with self._store.changing(self.name) as facts:
                facts.put((_KIND, watched.name, None if moment is None else [os.getpid(), moment]))
        except OSError as error:
            self._warn(f"{describe(error)}. Other processes therefore read again before they create a record.")

    def _mark_of(self, watched: _Kind) -> tuple[int, float]:
        """Return the process of the mark and its moment; 0 and the moment at which the marks were lost without one.

        :raises OSError: if that is unknown.
        """
        with self._store.changing(self.name) as facts:
            process, moment = facts.get(_KIND, watched.name) or (0, facts.broken_at)
            return process, moment

    def _warn(self, problem: str) -> None:
        if problem not in self._warned:
            self._warned.add(problem)
            self.on_problem(problem)

    def _done(self, watched: _Kind, is_lost: bool) -> None:
        """Note the end of a request.

        :param is_lost: True for a creation whose outcome is unknown.
        """
        with self._mutex:
            watched.under_way -= 1
            watched.lost += is_lost
            if not watched.is_pending:
                self._note(watched, None)

    def _take(self, kind: str, watched: _Kind) -> bool:
        """Take the lock. Return True if others created something since records were read, or may have."""
        plural = KINDS[kind].plural
        words = f"Waiting for {_OTHER} creates {plural} of the same instance."
        try:
            wait_for(watched.try_lock, self.lock_wait, self.clock, self.sleep, lambda: self.on_wait(words))
            process, moment = self._mark_of(watched)
        except Busy as busy:
            raise LockTimeout(
                f"Waited {self.lock_wait:g} seconds (tuning.lock_wait) for {_OTHER} creates {plural} of the same "
                f"instance. No {KINDS[kind].words} was created by this task."
            ) from busy
        except OSError as error:
            watched.release()
            raise _refused(kind, error) from error
        watched.is_wanted = True
        moved = watched.has_moved()
        is_own = process == os.getpid() and watched.is_pending
        if (process and not is_own) or seconds_left(moment, watched.read_at, self.settle) > 0 == process:
            watched.settles_at = self.clock() + seconds_left(moment, self.now(), self.settle)
        return moved or watched.settles_at is not None

    def _give_back(self, watched: _Kind) -> None:
        if not watched.is_held:
            return
        try:
            # This process has looked for the request of the interrupted process, so no other process needs to.
            is_settled = not watched.is_pending and watched.settles_at is None
            with contextlib.suppress(OSError):
                if is_settled and self._mark_of(watched)[0]:
                    self._note(watched, None)
        finally:
            watched.release()


def _refused(kind: str, error: OSError) -> LockRefused:
    way_out = "Remove it" if isinstance(error, Obstructed) else f"{NAMED} may name a directory for it"
    return LockRefused(
        f"{describe(error)}. Other processes of this user may therefore create the same record, so "
        f"no {KINDS[kind].words} was created by this task. {way_out}."
    )


def _is_known_after(error: BaseException) -> bool:
    """Return True if an error shows the outcome of a request. An interrupted process never knows it."""
    if isinstance(error, OutcomeUnknown):
        return not error.is_lost
    return isinstance(error, (SeventhingsError, CreatedMeanwhile))
