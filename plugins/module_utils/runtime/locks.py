# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Locks between processes, which the kernel releases when a process dies.

``flock`` belongs to what was opened, so a process opens each file anew after a fork. POSIX locks won't do: they are
lost when any other descriptor of the file is closed. A file that is locked is never deleted: somebody might hold the
old one.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator

from ..local.safe_files import Folder
from .places import as_os_errors

_FIRST_PAUSE = 0.001
_LONGEST_PAUSE = 0.25


class Busy(Exception):
    """Somebody else holds a lock, and held it until the end of the time that was given."""


class SharedFile:
    """A file that processes share, opened by each of them when it is needed.

    :param folder: where it lies. :param name: its name; it is made where it is missing.
    """

    def __init__(self, folder: Folder, name: str) -> None:
        self._folder = folder
        self._name = name
        self._descriptor = -1
        self._opened_by = -1
        self._opening = threading.Lock()

    def descriptor(self) -> int:
        """The descriptor of this process.

        :raises OSError: where the file can't be opened, or is not this user's alone.
        """
        with self._opening:
            if self._opened_by != os.getpid():
                self._descriptor = self.another()
                self._opened_by = os.getpid()
            return self._descriptor

    def close(self) -> None:
        """Closes the descriptor of this process, and so gives its lock back."""
        with self._opening:
            if self._opened_by == os.getpid():
                os.close(self._descriptor)
            self._opened_by = -1

    def another(self) -> int:
        """A descriptor of its own, which the caller closes: a lock on it excludes the others of this process too.

        :raises OSError: as :meth:`descriptor`.
        """
        with as_os_errors():
            return self._folder.open_to_update(self._name)

    def read(self, limit: int) -> bytes:
        """The content, no more of it than the limit. Raises :class:`OSError`."""
        return os.pread(self.descriptor(), limit, 0)

    def write(self, content: bytes) -> None:
        """Replaces the content. Raises :class:`OSError`."""
        descriptor = self.descriptor()
        if os.pwrite(descriptor, content, 0) != len(content):
            raise OSError(f"{self._name}: only a part could be written")
        os.ftruncate(descriptor, len(content))


def try_lock(descriptor: int) -> bool:
    """Takes the lock of an open file, or returns false where somebody else holds it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def release(descriptor: int) -> None:
    """Gives the lock of an open file back."""
    fcntl.flock(descriptor, fcntl.LOCK_UN)


@contextlib.contextmanager
def locked(
    descriptor: int,
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[None]:
    """Holds the lock of an open file.

    :param seconds: how long to wait for it. A waiting ``flock`` knows no end, so it is asked for again and again.
    :raises Busy: where it is not free in time.
    """
    wait_for(descriptor, seconds, clock, sleep)
    try:
        yield
    finally:
        release(descriptor)


def wait_for(
    descriptor: int,
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Takes the lock of an open file, as :func:`locked` does."""
    end, pause = clock() + seconds, _FIRST_PAUSE
    while not try_lock(descriptor):
        left = end - clock()
        if left <= 0:
            raise Busy
        sleep(min(pause, left))
        pause = min(pause * 2, _LONGEST_PAUSE)
