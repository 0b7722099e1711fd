# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Work on untrusted input in a child process with limits of memory and time.

A library that reads such input may need any amount of both. In a child process it ends at a limit, and the run
continues. The child is a fork: it starts within milliseconds, and has the input already.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import warnings
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

_NO_MEMORY = 3
_TOO_LONG = (signal.SIGXCPU, signal.SIGALRM)
_WALL_TIME_FACTOR = 10
"""Wall time of the child as a multiple of its processor time, because other processes need the processor, too."""


class LimitExceeded(Exception):
    """Raised if the work was ended at a limit. The message names the limit."""


def limited(work: Callable[[], Iterable[Any]], mebibytes: int, seconds: int) -> Generator[Any, None, None]:
    """Run work in a child process, and yield its items.

    :param work: yields plain data, as JSON has it.
    :param mebibytes: maximum memory of the work. Only Linux enforces it.
    :param seconds: maximum time of the processor.
    :raises LimitExceeded: if a limit is exceeded, or the child ends early in another way.
    """
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Python warns about a fork while other threads run. The child starts no threads and waits for none of their
        # locks.
        warnings.simplefilter("ignore")
        child = os.fork()
    if not child:
        _run(work, writing, mebibytes, seconds)
    os.close(writing)
    is_done = False
    try:
        with os.fdopen(reading, encoding="utf-8") as stream:
            # A killed child leaves an incomplete line.
            yield from (json.loads(line) for line in stream if line.endswith("\n"))
        is_done = True
    finally:
        if not is_done:
            os.kill(child, signal.SIGKILL)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if ended == _NO_MEMORY:
        raise LimitExceeded(f"it takes more than {mebibytes} MiB of memory")
    if -ended in _TOO_LONG:
        raise LimitExceeded(f"it takes more than {seconds} seconds of the processor")
    if ended:
        raise LimitExceeded(f"the process that reads it ended early ({ended})")


def _run(work: Callable[[], Iterable[Any]], writing: int, mebibytes: int, seconds: int) -> None:
    """Do the work in the child. It never returns from here."""
    status = 1
    try:
        # Locks and connections of the parent must end with the parent.
        os.closerange(3, writing)
        os.closerange(writing + 1, os.sysconf("SC_OPEN_MAX"))
        # Objects of the parent are not garbage of this process.
        gc.freeze()
        for number in (*_TOO_LONG, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        signal.alarm(seconds * _WALL_TIME_FACTOR)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        _limit_memory(mebibytes)
        with os.fdopen(writing, "w", encoding="utf-8") as stream:
            for item in work():
                stream.write(f"{json.dumps(item)}\n")
        status = 0
    except MemoryError:
        status = _NO_MEMORY
    finally:
        os._exit(status)


def _limit_memory(mebibytes: int) -> None:
    """Allow this process some more memory than it has now. If its size is unknown, there is no limit."""
    with suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        most = pages * resource.getpagesize() + (mebibytes << 20)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
