# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Locks between processes, which the kernel releases when a process dies.

A lock of ``flock`` belongs to the open file, which a fork shares. So a process opens each file anew after a fork. POSIX
locks do not work here: they are lost when any other descriptor of the file is closed. A cleaner may remove a file that
is locked. So a lock counts only if the locked file is still the one at its path.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import math
import os
import threading
import time
from collections.abc import Callable, Iterator

from ..errors import InvalidInput
from ..local.safe_files import Folder

_FIRST_PAUSE = 0.001
_LONGEST_PAUSE = 0.25
#: Seconds after which a wait for a lock is reported.
REPORTED_AFTER = 5.0

#: Maximum number of attempts to open a file that is removed while it is opened or locked.
_ATTEMPTS = 100


class Busy(Exception):
    """Raised if another process owned a lock until the timeout."""


class Obstructed(OSError):
    """Raised if a shared file is something else: a link, a directory, a device, or a file of another user."""


def describe(error: OSError) -> str:
    """Return an error of the system in words, without its number."""
    words = error.strerror or str(error)
    return f"{error.filename}: {words}" if error.filename else words


def wait_for(
    attempt: Callable[[], bool],
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
    on_wait: Callable[[], None] | None = None,
) -> None:
    """Try to take a lock until that succeeds. A blocking ``flock`` has no timeout, so the lock is polled.

    :param seconds: how long to try. :param on_wait: called once, after 5 seconds.
    :raises Busy: if it is not free in time.
    """
    begun, pause = clock(), _FIRST_PAUSE
    while not attempt():
        waited = clock() - begun
        if waited >= seconds:
            raise Busy
        if on_wait is not None and waited >= REPORTED_AFTER:
            on_wait()
            on_wait = None
        sleep(min(pause, seconds - waited, math.inf if on_wait is None else REPORTED_AFTER - waited))
        pause = min(pause * 2, _LONGEST_PAUSE)


class SharedFile:
    """A file that processes share, opened by each of them when it is needed.

    Every method that uses the file raises :class:`OSError` if it can't be used, and :class:`Obstructed` if something
    else is in its place.

    :param folder: the directory. :param name: the name of the file. It is created if it is missing.
    """

    def __init__(self, folder: Folder, name: str) -> None:
        self.path = folder.path / name
        self._folder = folder
        self._name = name
        self._descriptor = -1
        self._opened_by = -1
        self._opening = threading.Lock()

    def descriptor(self) -> int:
        """Return the descriptor of this process."""
        with self._opening:
            if self._opened_by != os.getpid():
                self._descriptor = self._opened()
                self._opened_by = os.getpid()
            return self._descriptor

    def close(self) -> None:
        """Close the descriptor of this process, which releases its lock."""
        with self._opening:
            if self._opened_by == os.getpid():
                os.close(self._descriptor)
            self._opened_by = -1

    def _opened(self) -> int:
        for _attempt in range(_ATTEMPTS):
            try:
                return self._folder.open_to_update(self._name)
            except InvalidInput as error:
                raise Obstructed(errno.EPERM, error.message) from error
            except FileNotFoundError:
                # The directory was removed at this very moment.
                continue
        raise self._removed()

    # ---- the lock

    def try_lock(self) -> bool:
        """Lock the file, which is opened anew if it was removed. Return False if another process owns the lock."""
        for _attempt in range(_ATTEMPTS):
            descriptor = self.descriptor()
            try:
                with self._named():
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            if self.is_in_place(descriptor):
                return True
            self.close()
        raise self._removed()

    @contextlib.contextmanager
    def locked(self, seconds: float) -> Iterator[None]:
        """Run the block while owning the lock. Afterwards the file is closed.

        :param seconds: how long to wait for it.
        :raises OSError: if it is not free in time.
        """
        with contextlib.closing(self):
            try:
                wait_for(self.try_lock, seconds)
            except Busy as busy:
                raise OSError(errno.EBUSY, "is locked by another process", str(self.path)) from busy
            yield

    def release(self) -> None:
        """Release the lock."""
        fcntl.flock(self.descriptor(), fcntl.LOCK_UN)

    def is_in_place(self, descriptor: int) -> bool:
        """Return True if an open file is still the one at the path."""
        try:
            return os.path.samestat(os.fstat(descriptor), self.path.lstat())
        except FileNotFoundError:
            return False

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        """Name the file in errors of the block."""
        try:
            yield
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path)) from error

    def _removed(self) -> OSError:
        return OSError(errno.ENOENT, "is removed again and again", str(self.path))

    # ---- the time

    @property
    def number(self) -> int:
        """Return the time of the file, which tells how often it was counted. It needs no space on a full disk."""
        return os.fstat(self.descriptor()).st_mtime_ns

    def count(self) -> None:
        """Increase the number, as the owner of the lock."""
        moment = max(time.time_ns(), self.number + 1)
        with self._named():
            os.utime(self.descriptor(), ns=(moment, moment))

    # ---- the content

    def read(self, limit: int) -> bytes:
        """Return the content, up to a limit."""
        return os.pread(self.descriptor(), limit, 0)

    def write(self, content: bytes, at: int) -> None:
        """Write at a position."""
        descriptor, written = self.descriptor(), 0
        with self._named():
            while written < len(content):
                written += os.pwrite(descriptor, content[written:], at + written)

    def cut(self, at: int) -> None:
        """Remove what follows a position. This needs no space on a full disk."""
        os.ftruncate(self.descriptor(), at)

    def replace(self, content: bytes) -> None:
        """Replace the file by a new one, whose lock this process then owns instead. The caller owns the lock.

        A process that is killed meanwhile leaves the old file or the new one.
        """
        fresh = SharedFile(self._folder, f"{self._name}.new")
        try:
            fresh.try_lock()
            fresh.cut(0)
            fresh.write(content, 0)
            fresh.path.replace(self.path)
        except BaseException:
            fresh.close()
            raise
        self.close()
        self._descriptor, self._opened_by = fresh._descriptor, fresh._opened_by
