# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts that outlive a process, as a log: a file that is only appended to.

A fact is a kind, a mark and a value, and belongs to an owner. Each line of a log is one transaction::

    ["acme set depot", ["name", "0a1b...", "object 1042"], ["protected", "0a1b...", null]]

The value null removes a fact. A last line without its end is not a transaction, because its writer was interrupted.
Readers ignore kinds that they do not know, and keep them.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeAlias

from ..errors import InvalidInput
from ..local.safe_files import Folder
from .locks import SharedFile

#: Kind, mark and value. The value is any JSON; None removes the fact.
Fact: TypeAlias = tuple[str, str, Any]
#: The facts of one owner, by kind and mark.
Marks: TypeAlias = dict[str, dict[str, Any]]

#: Maximum number of facts of one line, and so of one transaction.
MOST_FACTS = 1000
#: Maximum size of a log in bytes: about 500,000 records.
SIZE_LIMIT = 256 << 20

_LINE_LIMIT = 16 << 20
_MOST_UNREAD = 1000
#: Number of facts below which shortening a log is not worth its time.
_SHORT = 4 * MOST_FACTS
#: Seconds to wait for a writer, which keeps the lock for milliseconds.
_LOCK_SECONDS = 5.0


class NotFacts(InvalidInput):
    """Raised if a file is too long, or has too much that is not a fact."""


def apply(marks: Marks, facts: Iterable[Fact]) -> None:
    """Add facts to those of an owner, and remove those without a value."""
    for kind, mark, value in facts:
        if value is not None:
            marks.setdefault(kind, {})[mark] = value
        elif kind in marks:
            marks[kind].pop(mark, None)
            if not marks[kind]:
                del marks[kind]


class FactLog:
    """A log of facts, which one process at a time changes.

    :param folder: the directory. :param name: of the file in it. It is created by the first :meth:`put`.
    :ivar unread: the numbers of the lines that can't be read.
    """

    def __init__(self, folder: Folder, name: str) -> None:
        self.unread: list[int] = []
        self._folder = folder
        self._name = name
        self._file = SharedFile(folder, name)
        self._owner = 0
        self._mutex = threading.RLock()
        self._forget()

    def read(self) -> Mapping[str, Marks]:
        """Return the facts of each owner. Only what was appended since the last call is read.

        The result changes with later calls. No lock is needed, because an incomplete line does not count yet.

        :raises NotFacts: if this is not a log. :raises OSError: if it can't be read.
        :raises InvalidInput: if it is a link or no file, or belongs to somebody else.
        """
        with self._mutex:
            try:
                with self._folder.opened(self._name) as descriptor:
                    self._catch_up(descriptor)
            except FileNotFoundError:
                self._forget()
            return self._facts

    def put(self, owner: str, *facts: Fact) -> None:
        """Append facts: one transaction, or one for each 1,000 facts.

        :raises OSError: if they can't be written. Nothing of an incomplete transaction counts.
        :raises InvalidInput: as :meth:`read`.
        """
        with self._mutex, self._held():
            for line in _lines(owner, facts):
                if len(line) > _LINE_LIMIT or self._end + len(line) > SIZE_LIMIT:
                    raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(self._file.path))
                self._append(line)
                self._take(line)

    def shorten(self) -> None:
        """Write the facts that count to a new file, which replaces the log. Unreadable lines are dropped.

        :raises OSError: if that fails. The log stays as it is.
        :raises InvalidInput: as :meth:`read`.
        """
        with self._mutex, self._held():
            lines = (line for owner, marks in self._facts.items() for line in _lines(owner, _facts_of(marks)))
            self._file.replace(b"".join(lines))
            self._forget()
            self._catch_up(self._file.descriptor())

    @property
    def is_long(self) -> bool:
        """Return True if rewriting would at least halve the log, as far as this process has read it."""
        count = sum(len(facts) for marks in self._facts.values() for facts in marks.values())
        return not self.unread and self._noted > max(2 * count, _SHORT)

    def try_lock(self) -> bool:
        """Lock the log, until :meth:`close`, for several calls. Return False if another process owns the lock."""
        if self._owner != os.getpid() and self._file.try_lock():
            self._owner = os.getpid()
        return self._owner == os.getpid()

    def close(self) -> None:
        """Release the lock, and close the file."""
        with self._mutex:
            self._owner = 0
            self._file.close()

    @contextlib.contextmanager
    def _held(self) -> Iterator[None]:
        """Acquire the lock and read the present facts."""
        with contextlib.ExitStack() as stack:
            if self._owner != os.getpid():
                stack.enter_context(self._file.locked(_LOCK_SECONDS))
            descriptor = self._file.descriptor()
            if not self._file.is_in_place(descriptor):
                raise FileNotFoundError(errno.ENOENT, "was removed meanwhile", str(self._file.path))
            self._catch_up(descriptor)
            yield

    # ---- reading

    def _forget(self) -> None:
        self._facts: dict[str, Marks] = {}
        self._identity = (0, 0)
        self._end = self._lines = self._noted = 0
        self.unread.clear()

    def _catch_up(self, descriptor: int) -> None:
        found = os.fstat(descriptor)
        if (found.st_dev, found.st_ino) != self._identity or found.st_size < self._end:
            self._forget()
            self._identity = found.st_dev, found.st_ino
        if found.st_size > SIZE_LIMIT:
            raise NotFacts(f"{self._file.path} has more than {SIZE_LIMIT} bytes")
        with open(descriptor, "rb", closefd=False) as stream:
            stream.seek(self._end)
            while line := stream.readline(_LINE_LIMIT):
                if _is_begun(line):
                    return
                self._take(line)
                if len(self.unread) > _MOST_UNREAD:
                    raise NotFacts(f"{self._file.path} has more than {_MOST_UNREAD} lines that can't be read")

    def _take(self, line: bytes) -> None:
        self._end += len(line)
        self._lines += 1
        facts = _facts_in(line)
        if facts is None:
            self.unread.append(self._lines)
            return
        owner, changes = facts
        self._noted += len(changes)
        apply(self._facts.setdefault(owner, {}), changes)
        if not self._facts[owner]:
            del self._facts[owner]

    # ---- writing

    def _append(self, line: bytes) -> None:
        """Write one line at the end, in place of a line that a full disk or a kill cut off."""
        try:
            self._file.cut(self._end)
            self._file.write(line, self._end)
        except OSError:
            with contextlib.suppress(OSError):
                self._file.cut(self._end)
            raise


def _facts_of(marks: Marks) -> Iterator[Fact]:
    for kind, facts in marks.items():
        for mark, value in facts.items():
            yield kind, mark, value


def _lines(owner: str, facts: Iterable[Fact]) -> Iterator[bytes]:
    rest = iter(facts)
    while batch := list(islice(rest, MOST_FACTS)):
        try:
            line = json.dumps([owner, *batch], separators=(",", ":")).encode()
        except RecursionError:
            raise NotFacts(f"facts of {owner} are nested too deep") from None
        yield line + b"\n"


def _is_begun(line: bytes) -> bool:
    """Return True if the writer of a last line was interrupted. After a loss of power, a file may end with zeros."""
    is_of_log = line.startswith((b'["'[: len(line)], b"\0"))
    return is_of_log and not line.endswith(b"\n") and len(line) < _LINE_LIMIT


def _facts_in(line: bytes) -> tuple[str, list[Fact]] | None:
    """Return the owner and the facts of a line, or None if it is not a transaction."""
    try:
        parts = json.loads(line)
        if not isinstance(parts, list) or len(parts) > MOST_FACTS + 1 or not line.endswith(b"\n"):
            return None
        owner, *facts = parts
        if not isinstance(owner, str):
            return None
        for kind, mark, _value in facts:
            if not isinstance(kind, str) or not isinstance(mark, str):
                return None
    except (ValueError, TypeError, RecursionError):
        return None
    return owner, facts
