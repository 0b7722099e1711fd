# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts that the processes of one user share: few, small, and written in microseconds.

A file has the facts of an owner, as one line of JSON. The next line is written behind it, or before it if there is
space, and then the old one is removed. So whatever interrupts a writer, the complete line with the highest number
counts.
"""

from __future__ import annotations

import contextlib
import copy
import errno
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from ..local.safe_files import Folder
from .facts import Fact, Marks, apply
from .locks import SharedFile

#: Seconds to wait for a process that changes facts, which takes microseconds.
_LOCK_SECONDS = 5.0
#: Maximum size of a line.
_MOST_BYTES = 1 << 20
#: Number of lines that no interrupted writer leaves.
_MOST_LINES = 8
_BROKEN = "broken"


class Facts:
    """The facts of one owner, which nobody else can change meanwhile.

    :ivar marks: the facts by kind and mark. :ivar is_changed: True if a fact was put.
    """

    def __init__(self, marks: Marks) -> None:
        self.marks = marks
        self.is_changed = False

    def get(self, kind: str, mark: str = "") -> Any:
        """Return the value of a fact, or None if there is none."""
        return self.marks.get(kind, {}).get(mark)

    def all(self, kind: str) -> Mapping[str, Any]:
        """Return the facts of one kind, oldest first."""
        return self.marks.get(kind, {})

    def put(self, *facts: Fact) -> None:
        """Add facts, and remove those without a value. They are written together at the end."""
        for fact in facts:
            kind, mark, value = fact
            if value != self.get(kind, mark):
                apply(self.marks, [fact])
                self.is_changed = True

    @property
    def broken_at(self) -> float:
        """Return when the facts were lost, in seconds since 1970; 0 if they never were.

        Anything may have been marked before.
        """
        moment = self.get(_BROKEN)
        return moment if isinstance(moment, float) else 0.0


class _Kept(NamedTuple):
    """The last complete line of a file, and its position."""

    start: int
    end: int
    number: int
    facts: Marks


class Store:
    """The facts of several owners, each in a file ``facts-OWNER.json``.

    :param folder: the directory; None: this process keeps its own facts.
    :param now: seconds since 1970.
    """

    def __init__(self, folder: Folder | None = None, now: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._now = now
        self._own: dict[str, Marks] = {}
        self._mutex = threading.Lock()

    @contextlib.contextmanager
    def changing(self, owner: str) -> Iterator[Facts]:
        """Yield the facts of an owner, and write those that were put in the block, all or none.

        A file that is broken is replaced.

        :raises OSError: if the file can't be used. Nothing was written.
        """
        with self._mutex:
            if self._folder is None:
                facts = Facts(copy.deepcopy(self._own.get(owner, {})))
                yield facts
                self._own[owner] = facts.marks
                return
            file = SharedFile(self._folder, f"facts-{owner}.json")
            with file.locked(_LOCK_SECONDS):
                yield from self._changing(file)

    def _changing(self, file: SharedFile) -> Iterator[Facts]:
        content = file.read(4 * _MOST_BYTES)
        kept = _last_line(content)
        facts = Facts(kept.facts)
        if content and not kept.end:
            facts.put((_BROKEN, "", self._now()))
        yield facts
        if not facts.is_changed:
            return
        line = json.dumps({"facts": kept.facts, "number": kept.number + 1}, separators=(",", ":")).encode() + b"\n"
        if len(line) > _MOST_BYTES:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(file.path))
        if kept.start >= len(line):
            file.write(line, 0)
            file.cut(len(line))
        else:
            file.write(line, kept.end)
            file.cut(kept.end + len(line))
            # Tokens that were removed must not stay.
            file.write(b" " * (kept.end - kept.start), kept.start)


def _last_line(content: bytes) -> _Kept:
    """Return the complete line with the highest number, or an empty one if there is none."""
    found, start = _Kept(0, 0, 0, {}), 0
    lines = content.splitlines(keepends=True)
    for line in lines if len(lines) <= _MOST_LINES else ():
        blank = len(line) - len(line.lstrip(b" "))
        read = _read(line) if line[blank : blank + 1] == b"{" and line.endswith(b"\n") else None
        if read is not None and read[0] > found.number:
            found = _Kept(start + blank, start + len(line), *read)
        start += len(line)
    return found


def _read(line: bytes) -> tuple[int, Marks] | None:
    """Return the number and the facts of a line, or None if it is something else."""
    try:
        read = json.loads(line)
        # The number is at the end. So a line that was only begun over an older one has the number of that.
        number, facts = read["number"], read["facts"]
    except (ValueError, KeyError, RecursionError):
        return None
    is_fit = (
        isinstance(number, int) and isinstance(facts, dict) and all(isinstance(facts[kind], dict) for kind in facts)
    )
    return (number, facts) if is_fit else None
