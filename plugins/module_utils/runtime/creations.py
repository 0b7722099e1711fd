# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets one of many processes that ensure one record make it; the others find it.

Each kind of record of an instance has a lock, and beside it a number that changes with each creation. A process that
finds a record missing takes the lock. It looks again only if the number changed since its first look. So runs with
nothing to do wait for nobody, and a process that is alone asks nothing twice. Before the request a mark is written, and
after it the mark is cleared. A process that finds a mark knows that its writer was killed while the service was at it,
and looks until that settles.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ..errors import OutcomeUnknown, SeventhingsError
from ..local.safe_files import Folder
from ..model.kinds import KINDS
from .locks import Busy, Lock, Obstructed, describe
from .places import NAMED

LOCK_WAIT = 600.0
"""Seconds to wait for a lock unless told otherwise."""

_TOLD_AFTER = 5.0
_LAYOUT = struct.Struct("<QQd16s")
_SETTLING = (1.0, 3.0)
"""Seconds between the looks after a writer that was killed: at 0, 1 and 4."""

Done = TypeVar("Done")


class CreatedMeanwhile(Exception):
    """Others made records of the kind since they were looked for, so it is to be looked again."""


class LockTimeout(SeventhingsError):
    """Another process makes records of the kind, and did so until the end of the time to wait for it."""


class LockRefused(SeventhingsError):
    """The lock of a kind can't be taken, so no record of the kind may be created."""


@dataclass(frozen=True)
class _State:
    """The content of the file of a kind.

    :ivar number: changes with each creation; 0: unknown. :ivar process: that is about to create something; 0: none.
    :ivar moment: of the mark. :ivar digest: of what the process creates.
    """

    number: int = 0
    process: int = 0
    moment: float = 0.0
    digest: bytes = b""

    @classmethod
    def of(cls, content: bytes) -> _State:
        return cls(*_LAYOUT.unpack(content)) if len(content) == _LAYOUT.size else cls()

    def encoded(self) -> bytes:
        return _LAYOUT.pack(self.number, self.process, self.moment, self.digest)


class _Kind:
    """One kind of record, as this process sees it.

    :ivar seen: the number in each place when records were looked for.
    :ivar settling: the pauses that are left until what a killed process sent has settled.
    :ivar is_wanted: whether the lock is to be held, also where it was given away for a pause.
    :ivar moves: how often others made something while it was given away.
    """

    def __init__(self, lock: Lock) -> None:
        self.lock = lock
        lock.begin(_State(_new_number()).encoded())
        self.seen = self.numbers()
        self.settling: list[float] = []
        self.is_wanted = False
        self.moves = 0
        self.under_way = 0

    def states(self) -> dict[Path, _State]:
        """Return the content of each place: of those where the lock is held, or else of all."""
        return {path: _State.of(content) for path, content in self.lock.read(_LAYOUT.size + 1).items()}

    def numbers(self) -> dict[Path, int]:
        """Return the number in each place."""
        return {path: state.number for path, state in self.states().items()}

    def state(self) -> _State:
        """Return the content with the youngest mark. Processes that do not see the same places leave different ones."""
        return max(self.states().values(), key=lambda state: (state.process > 0, state.moment), default=_State())

    def have_moved(self) -> bool:
        """Return True if others created records since they were looked for, or if nobody knows. The lock is held."""
        numbers = self.numbers()
        is_known = self.lock.is_writable() and 0 not in numbers.values()
        return not is_known or any(self.seen.get(path) != number for path, number in numbers.items())

    def note(self, process: int, moment: float = 0.0, digest: bytes = b"") -> str:
        """Write or clear the mark; either changes the number.

        :returns: why that is not possible in one of the places; empty if it is.
        """
        if not self.lock.is_held:
            return ""
        problem = self.lock.write(_State(_new_number(), process, moment, digest).encoded())
        self.seen = self.numbers()
        return problem


def _new_number() -> int:
    return secrets.randbits(63) | 1


class Creations:
    """The locks of one instance.

    :param folders: the places of the locks; None: nothing is shared, and nobody waits for anybody.
    :param name: of the instance, fit for a file name. :param lock_wait: seconds to wait for a lock.
    :param on_problem: gets warnings about the places.
    :ivar on_wait: is told that a wait takes long.
    """

    def __init__(
        self,
        folders: Sequence[Folder] | None = None,
        name: str = "",
        lock_wait: float = LOCK_WAIT,
        on_problem: Callable[[str], None] = lambda _problem: None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.on_wait = on_problem
        self._folders = folders
        self._name = name
        self._lock_wait = lock_wait
        self._on_problem = on_problem
        self._warned: set[str] = set()
        self._clock = clock
        self._sleep = sleep
        self._kinds: dict[str, _Kind] = {}
        self._mutex = threading.RLock()
        self._inside = threading.local()

    # ---- one record

    def run(self, kind: str, act: Callable[[], Done], forget: Callable[[], None] = lambda: None) -> Done:
        """Runs a function that may make a record of a kind, from the first look to the last request. It runs again
        where others made some meanwhile; then the lock is held.

        :param forget: is called before it is done again, to look at nothing that was read before.
        :raises LockTimeout: where the lock is not free in time. Nothing was made.
        :raises LockRefused: if it can't be taken. Nothing was made.
        """
        self.watch([kind])
        try:
            while True:
                with contextlib.suppress(CreatedMeanwhile):
                    return act()
                forget()
        finally:
            self.leave()

    @contextlib.contextmanager
    def making(self, kind: str, key: str) -> Iterator[None]:
        """Guards the requests by which one record is made. Does nothing for a kind that nobody watches.

        :param key: tells the record apart.
        :raises CreatedMeanwhile: before anything was sent.
        """
        watched = self._kinds.get(kind)
        if watched is None:
            yield
            return
        self._prepare(kind, watched, key)
        self._inside.watched, self._inside.moves = watched, watched.moves
        try:
            yield
        except OutcomeUnknown as unknown:
            # The service may still be at it where no answer came in time: the mark stays for the next process.
            self._done(watched, is_known=not unknown.may_follow)
            raise
        except BaseException:
            self._done(watched, is_known=True)
            raise
        else:
            self._done(watched, is_known=True)
        finally:
            self._inside.watched = None

    # ---- many records

    def watch(self, kinds: Iterable[str]) -> None:
        """Records of these kinds are about to be looked for."""
        if self._folders is not None:
            for kind in kinds:
                self._kinds[kind] = _Kind(Lock(self._folders, f"create-{self._name}-{kind}"))

    def hold(self, kinds: Iterable[str]) -> set[str]:
        """Takes the locks of kinds that are watched, in this order, until :meth:`leave`.

        :returns: those of which others made some since they were looked for.
        :raises LockTimeout: where one is not free in time.
        """
        moved = set()
        for kind in kinds:
            watched = self._kinds.get(kind)
            if watched is not None and not watched.lock.is_held and self._take(kind, watched):
                moved.add(kind)
        return moved

    def settle(self) -> bool:
        """Waits for what a killed process sent, where there is such a thing. Returns whether to look once more."""
        pauses = [watched.settling.pop(0) for watched in self._kinds.values() if watched.settling]
        if pauses:
            self._sleep(max(pauses))
        return bool(pauses)

    def have_moved(self, kind: str) -> bool:
        """Tells whether others made records of a kind while its lock was given away during a long pause."""
        return kind in self._kinds and self._kinds[kind].moves > 0

    def leave(self) -> None:
        """Gives all locks back."""
        with self._mutex:
            for watched in self._kinds.values():
                self._give_back(watched)
                watched.lock.close()
            self._kinds.clear()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """A long pause, during which others may make what they like.

        :raises CreatedMeanwhile: at its end, to who is about to make a record, where others made some.
        """
        inside: _Kind | None = getattr(self._inside, "watched", None)
        with self._mutex:
            for watched in self._kinds.values():
                if watched is inside and watched.under_way == 1:
                    # The service did not take the request that waits, and nothing else is under way.
                    self._note(watched)
                self._give_back(watched)
        yield
        with self._mutex:
            for kind, watched in self._kinds.items():
                if watched.is_wanted and not watched.lock.is_held:
                    self._take_again(kind, watched)
        if inside is not None and inside.moves != self._inside.moves:
            raise CreatedMeanwhile

    # ---- the lock

    def _prepare(self, kind: str, watched: _Kind, key: str) -> None:
        """Take the lock if it is not held, and mark what is about to be sent.

        :raises CreatedMeanwhile: if others made something since records were looked for, or may have.
        """
        with self._mutex:
            removed = watched.lock.removed()
            if removed is not None:
                self._warn(
                    f"{removed} was removed during the run, by a cleaner of temporary files or at the end of a "
                    f"session, and was created anew. {NAMED} may name a directory that stays."
                )
                watched.lock.release()
                self._take_again(kind, watched)
                raise CreatedMeanwhile
            if not watched.lock.is_held and self._take(kind, watched):
                raise CreatedMeanwhile
            if watched.settling:
                self._sleep(watched.settling.pop(0))
                raise CreatedMeanwhile
            watched.under_way += 1
            self._mark(watched, key)

    def _take_again(self, kind: str, watched: _Kind) -> None:
        """Take a lock that was given away while records were looked for or made."""
        watched.moves += self._take(kind, watched)
        self._mark(watched, "")

    def _mark(self, watched: _Kind, key: str) -> None:
        if watched.under_way:
            digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()[:16]
            self._note(watched, os.getpid(), self._clock(), digest if watched.under_way == 1 else b"")

    def _note(self, watched: _Kind, process: int = 0, moment: float = 0.0, digest: bytes = b"") -> None:
        problem = watched.note(process, moment, digest)
        if problem:
            self._warn(f"{problem}. So other processes look once more before they create a record.")

    def _warn(self, problem: str) -> None:
        if problem not in self._warned:
            self._warned.add(problem)
            self._on_problem(problem)

    def _done(self, watched: _Kind, is_known: bool) -> None:
        with self._mutex:
            watched.under_way -= 1
            if is_known and not watched.under_way:
                self._note(watched)

    def _take(self, kind: str, watched: _Kind) -> bool:
        """Take the lock. Return whether others made something since it was looked for, or may have."""
        try:
            try:
                watched.lock.acquire(min(_TOLD_AFTER, self._lock_wait), self._clock, self._sleep)
            except Busy:
                self._wait_longer(kind, watched)
        except OSError as error:
            way_out = "Remove it" if isinstance(error, Obstructed) else f"{NAMED} may name a directory for it"
            raise LockRefused(
                f"{describe(error)}. So other processes of this user can't be kept from creating the same record, and "
                f"no {KINDS[kind].words} was made by this task. {way_out}."
            ) from error
        watched.is_wanted = True
        state = watched.state()
        moved = watched.have_moved()
        watched.seen = watched.numbers()
        is_own = state.process == os.getpid() and watched.under_way > 0
        if state.process and not is_own:
            watched.settling = list(_SETTLING)
        return moved or bool(watched.settling)

    def _wait_longer(self, kind: str, watched: _Kind) -> None:
        several, process = KINDS[kind].several, watched.state().process
        who = f"another process (id {process})" if process else "another process"
        left = max(self._lock_wait - _TOLD_AFTER, 0.0)
        if left:
            self.on_wait(f"Waiting for {who} of this user, which makes {several} of the same instance.")
        try:
            watched.lock.acquire(left, self._clock, self._sleep)
        except Busy as busy:
            raise LockTimeout(
                f"Waited {self._lock_wait:g} seconds (lock_wait) for {who} of this user, which makes {several} of the "
                f"same instance. No {KINDS[kind].words} was made by this task."
            ) from busy

    def _give_back(self, watched: _Kind) -> None:
        if not watched.lock.is_held:
            return
        try:
            # This process looked for the request of a killed one, so nobody needs to look for it again.
            if not watched.under_way and not watched.settling and watched.state().process not in (0, os.getpid()):
                self._note(watched)
        finally:
            watched.lock.release()
