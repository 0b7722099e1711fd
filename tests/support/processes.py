# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real processes, forked like Ansible's workers."""

from __future__ import annotations

import os
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

_SECONDS = 60.0


def forked(work: Callable[[], object]) -> int:
    """Start a process that does some work and ends. Return its id."""
    process = os.fork()
    if process:
        return process
    status = 1
    try:
        work()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def ended(*processes: int) -> list[int]:
    """Wait until processes end. Return their exit statuses: 0, or minus the number of a signal."""
    return [os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in processes]


def kill(process: int) -> None:
    """Kill a process with ``kill -9``."""
    os.kill(process, signal.SIGKILL)


def until(condition: Callable[[], bool]) -> None:
    """Wait until a condition is true, which another process must fulfil."""
    end = time.monotonic() + _SECONDS
    while not condition():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.002)


def note(path: Path, line: object) -> None:
    """Append a line to a file that processes share."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, f"{line}\n".encode())
    finally:
        os.close(descriptor)


def noted(path: Path) -> Iterator[str]:
    """Yield the lines of a file that processes share."""
    yield from path.read_text().splitlines() if path.exists() else ()
