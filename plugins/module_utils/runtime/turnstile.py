# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide which of many processes sends the next request, and keep their common :class:`Pace`.

A process that wants to send waits for the turn, and only the process with the turn checks whether a request is due. So
no process starves. A process that dies does not delay the others: no slot was reserved for it, and the kernel passes
the turn on.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import time
from array import array
from collections.abc import Callable, Iterator
from typing import Protocol

from ..local.safe_files import Folder
from .locks import Busy, SharedFile
from .pace import Pace

_STALL_CHECK_SECONDS = 2.0
"""Seconds after which a waiting process checks whether the process with the turn is stalled."""
_NEXT_SECONDS = 0.001
_FILE_SECONDS = 5.0
"""Seconds to wait for the lock of the numbers, which a process keeps for microseconds."""
_MOST_BYTES = 1 << 18


class Turnstile(Protocol):
    """Keep a pace, and let one process after the other send."""

    def turn(self) -> contextlib.AbstractContextManager[None]:
        """Wait for the turn. Only one process has it at a time."""

    def pace(self) -> contextlib.AbstractContextManager[Pace]:
        """Open the current pace. Changes to it are stored."""


class OwnTurnstile:
    """A turnstile for the threads of one process."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._lock = threading.Lock()
        self._pace = Pace()

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        with self._turn:
            yield

    @contextlib.contextmanager
    def pace(self) -> Iterator[Pace]:
        with self._lock:
            yield self._pace


class SharedTurnstile:
    """A turnstile for all processes of a user, in two files: a lock for the turn, and the numbers.

    Every method raises :class:`OSError` if the files cannot be used.

    :param folder: the directory of the files. :param name: of what is limited; the files are named after it.
    """

    def __init__(self, folder: Folder, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._turn = SharedFile(folder, f"turn-{name}")
        self._numbers = SharedFile(folder, f"limit-{name}")
        self._own_turn = threading.Lock()
        self._own = threading.Lock()
        self._had_to_wait = False
        self._known = b""

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for the turn. A stopped process with the turn is passed over."""
        with self._own_turn:
            if self._had_to_wait:
                # Without this pause, the process that just had its turn would take the next turn before a waiting
                # process wakes up.
                time.sleep(_NEXT_SECONDS)
            self._had_to_wait = False
            if self._turn.try_lock():
                try:
                    yield
                finally:
                    self._turn.release()
                return
            self._had_to_wait = True
            waiting = self._waited()
            try:
                yield
            finally:
                waiting.leave()

    def _waited(self) -> _Waiting:
        """Wait until the turn comes, or until the process that has it is stalled."""
        while True:
            descriptor = self._turn.another()
            waiting = _Waiting(descriptor)
            try:
                stalled = 0
                while stalled <= 1 and not waiting.came(_STALL_CHECK_SECONDS):
                    stalled = stalled + 1 if self._is_stalled() else 0
                if stalled > 1 or self._turn.is_in_place(descriptor):
                    return waiting
            except BaseException:
                waiting.leave()
                raise
            waiting.leave()

    @contextlib.contextmanager
    def pace(self) -> Iterator[Pace]:
        with self._own, contextlib.ExitStack() as stack:
            try:
                stack.enter_context(self._numbers.locked(_FILE_SECONDS))
            except Busy as busy:
                raise OSError("the limit is locked by a process that does not continue") from busy
            # If the file was removed, the first process to come restores what it knows.
            known = self._numbers.read(_MOST_BYTES) or self._known
            pace = Pace.from_numbers(_decoded(known), self._clock())
            yield pace
            self._known = pace.numbers().tobytes()
            self._numbers.write(self._known)

    def _is_stalled(self) -> bool:
        """Return True if a request could have been sent for a while, and none was sent."""
        with self.pace() as pace:
            now = self._clock()
            last = pace.sent[-1] if pace.sent else float("-inf")
            return pace.wait(now) <= -_STALL_CHECK_SECONDS and last < now - _STALL_CHECK_SECONDS


class _Waiting:
    """Wait for a lock in a thread, in the order of the waiting processes, which the kernel keeps."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._mutex = threading.Lock()
        self._came = threading.Event()
        self._is_left = False
        threading.Thread(target=self._wait, daemon=True).start()

    def came(self, seconds: float) -> bool:
        """Wait for the lock, for some seconds at most. Return True if this process owns it."""
        return self._came.wait(seconds)

    def leave(self) -> None:
        """Release the lock, or stop waiting for it."""
        with self._mutex:
            self._is_left = True
            if self._came.is_set():
                os.close(self._descriptor)

    def _wait(self) -> None:
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        with self._mutex:
            self._came.set()
            if self._is_left:
                os.close(self._descriptor)


def _decoded(content: bytes) -> array[float]:
    numbers = array("d")
    numbers.frombytes(content[: len(content) // numbers.itemsize * numbers.itemsize])
    return numbers
