# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The limits of what the other end may cost: bytes, seconds, pages, depth, digits, maps and lists.

Memory is bounded by the bytes of an answer, and by its maps and lists, which are much longer in memory than their text.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol

from ..errors import SeventhingsError
from ..model.field import MOST_DIGITS

MEBIBYTE = 1 << 20
ANSWER_MEBIBYTES = 16
"""The size of an answer after decompression. A page of 1,000 records with 16 kB each is as long."""
FILE_MEBIBYTES = 64
"""The size of a file that is downloaded. The service takes files of at most 50."""
ERROR_BYTES = 16 << 10
"""The bytes of the body of an error that are read."""
MOST_PAGES = 500
"""The pages of a list, with 1,000 records each."""
LIST_MEBIBYTES = 512
"""The size of all pages of a list. 300,000 records with 1.7 kB each are as long."""
UNTOLD_SHARE = 8
"""The part of that which a list may have whose total is not told, so that it may have no end."""
RECORD_BYTES = 256
"""The bytes of a record that count at least: its place in memory is no smaller, however short its text is."""
DEADLINE_TIMEOUTS = 10.0
"""How many time-outs a request may take in all, where nothing else is said."""
JSON_DEPTH = 64
"""How deep the maps and lists of an answer may stand in each other. Those of the service stand 6 deep."""
JSON_MEMBERS = 500_000
"""Brackets that open a map or a list in an answer. Each becomes some hundred bytes, however short its text is; a page
of 1,000 records with 100 fields has a fifth of it.
"""
MOST_FIELDS = 4_096
"""The fields of a record. Instances have some hundreds; each is kept with what is known of it, which takes more than
its text.
"""
KEPT_MEMBERS = 4_000_000
"""The same of a file that is kept beside an instance: a plan or a cursor of some hundred thousand records."""

_CHUNK = 64 << 10
_PLAIN = frozenset({str, int, float, bool, type(None)})
_STRIDE = 30
_LONG_RUN = re.compile(rb"[0-9]{%d}" % (MOST_DIGITS // _STRIDE))


class LimitExceeded(SeventhingsError):
    """An answer is beyond a limit; nothing of it was used."""


@dataclass(frozen=True)
class Limits:
    """The limits that a task sets for what the service may cost.

    :ivar answer_mebibytes: the size of an answer after decompression, files left out.
    :ivar pages: the number of pages of a list.
    :ivar list_mebibytes: the size of all pages of a list; an eighth of it where the service tells no total.
    """

    answer_mebibytes: int = ANSWER_MEBIBYTES
    pages: int = MOST_PAGES
    list_mebibytes: int = LIST_MEBIBYTES

    def bytes_of(self, is_file: bool) -> int:
        """The greatest length of an answer, in bytes."""
        return MEBIBYTE * (max(self.answer_mebibytes, FILE_MEBIBYTES) if is_file else self.answer_mebibytes)


class ListLimit:
    """The limit of what one list may cost, page by page.

    :param several: what it is a list of, such as ``rental cases``.
    :param page_size: how many records a full page has.
    """

    def __init__(self, limits: Limits, several: str, page_size: int) -> None:
        self._limits = limits
        self._several = several
        self._page_size = page_size
        self._pages = 0
        self._bytes = 0

    def add(self, length: int, records: int, total: int | None) -> None:
        """Counts a page.

        :param length: of the answer after decompression, in bytes.
        :param records: how many it has.
        :param total: how many records the list has, where the service tells it.
        :raises LimitExceeded: this is more than a list may have.
        """
        self._pages += 1
        self._bytes += max(length, records * RECORD_BYTES)
        most = self._limits.pages
        if self._pages > most or (total or 0) > most * self._page_size:
            raise self._error(f"{most} pages", "tuning.max_pages")
        mebibytes = self._limits.list_mebibytes
        if total is None:
            if self._bytes * UNTOLD_SHARE > mebibytes * MEBIBYTE:
                raise self._error(f"{mebibytes / UNTOLD_SHARE:g} MiB, and no total is told", "tuning.max_list_size")
        elif self._bytes > mebibytes * MEBIBYTE:
            raise self._error(f"{mebibytes} MiB", "tuning.max_list_size")

    def _error(self, limit: str, option: str) -> LimitExceeded:
        return LimitExceeded(
            f"The list of {self._several} has more than {limit}. Nothing is decided from it; the option {option} "
            f"allows more."
        )


class Stream(Protocol):
    """The body of an answer, of which a part is read at a time."""

    def iter_content(self, chunk_size: int) -> Iterable[bytes]:
        """Return the body in parts of this size."""


def read_up_to(stream: Stream, limit: int) -> tuple[bytes, bool]:
    """The beginning of a body, decompressed, and whether that is all of it. No more is read."""
    content = bytearray()
    for chunk in stream.iter_content(_CHUNK):
        content += chunk
        if len(content) > limit:
            return bytes(content[:limit]), False
    return bytes(content), True


def decode_json(
    text: bytes | str,
    members: int = JSON_MEMBERS,
    depth: int = JSON_DEPTH,
    *,
    parse_constant: Callable[[str], Any] | None = None,
    object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None,
) -> Any:
    """Decodes a JSON text.

    :param members: how many maps and lists it may have. :param depth: how deep they may stand in each other.
    :param parse_constant: as the library has it. :param object_pairs_hook: the same.
    :raises ValueError: where it is no JSON, or beyond a limit of depth, digits or maps, which the message names.
    """
    content = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    if content.count(b"{") + content.count(b"[") > members:
        raise ValueError(f"it has more than {members} maps and lists")
    try:
        found = json.loads(
            text,
            parse_int=_integer if _may_have_long_integers(content) else None,
            parse_constant=parse_constant,
            object_pairs_hook=object_pairs_hook,
        )
    except RecursionError:
        raise ValueError(f"it is nested more than {depth} deep") from None
    level = [found]
    for _depth in range(depth):
        # Most members are plain, and there are very many.
        level = [
            member
            for one in level
            if isinstance(one, (dict, list))
            for member in (one.values() if isinstance(one, dict) else one)
            if member.__class__ not in _PLAIN and isinstance(member, (dict, list))
        ]
        if not level:
            return found
    raise ValueError(f"it is nested more than {depth} deep")


def _may_have_long_integers(content: bytes) -> bool:
    """Tells by every so many letters, because a long one has several of these in a row. Where a letter is more than one
    byte, zeros stand between them.
    """
    return _LONG_RUN.search(content[::_STRIDE]) is not None or b"\0" in content


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"an integer in it has more than {MOST_DIGITS} digits")
    return int(digits)


class Deadline:
    """The time that one request may take in all, whatever it waits for: an answer of a byte a second has no pause
    between its bytes that is too long.

    :param seconds: after which the connection that is in use is cut off.
    :ivar has_passed: whether it was.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.has_passed = False
        self._connection: Any = None
        self._lock = threading.Lock()

    def __enter__(self) -> Deadline:
        _OF_THIS_THREAD.deadline = self
        _DEADLINES.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _DEADLINES.remove(self)
        _OF_THIS_THREAD.deadline = None
        with self._lock:
            self._connection = None

    def watch(self, connection: Any) -> None:
        """Cuts off this connection when the time is up.

        :param connection: one of the library, or its socket.
        """
        with self._lock:
            self._connection = connection
        if self.has_passed:
            self.pass_now()

    def pass_now(self) -> None:
        """The time is up: cuts off the connection that is in use."""
        self.has_passed = True
        with self._lock:
            cut_off(self._connection)


class _Deadlines:
    """The deadlines that run in this process, and the one thread that waits for the first of them. A thread for each
    would take longer than some requests do.
    """

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """None runs. A process that was forked has neither the threads of the other one nor its requests."""
        self._ends: dict[Deadline, float] = {}
        self._changed = threading.Condition(threading.Lock())
        self._looks_at = math.inf
        self._thread: threading.Thread | None = None

    def add(self, deadline: Deadline) -> None:
        """Lets its time begin."""
        with self._changed:
            end = time.monotonic() + deadline.seconds
            self._ends[deadline] = end
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._wait, name="seventhings deadlines", daemon=True)
                self._thread.start()
            elif end < self._looks_at:
                self._changed.notify()

    def remove(self, deadline: Deadline) -> None:
        """It does not pass any more. The thread is left to find that out when it would have passed."""
        with self._changed:
            self._ends.pop(deadline, None)

    def _wait(self) -> None:
        while True:
            for deadline in self._passed():
                deadline.pass_now()

    def _passed(self) -> list[Deadline]:
        """Waits once, for the first that ends or for one that ends earlier. Returns those whose time is up by then."""
        with self._changed:
            self._looks_at = min(self._ends.values(), default=math.inf)
            pause = self._looks_at - time.monotonic()
            if pause > 0:
                self._changed.wait(min(pause, threading.TIMEOUT_MAX))
            now = time.monotonic()
            passed = [deadline for deadline, end in self._ends.items() if end <= now]
            for deadline in passed:
                del self._ends[deadline]
            return passed


_DEADLINES = _Deadlines()
os.register_at_fork(after_in_child=_DEADLINES.begin)
_OF_THIS_THREAD = threading.local()


def watched(connection: Any) -> None:
    """A connection is used in this thread: the deadline of its request, if there is one, holds for it."""
    deadline: Deadline | None = getattr(_OF_THIS_THREAD, "deadline", None)
    if deadline is not None:
        deadline.watch(connection)


def cut_off(connection: Any) -> None:
    """Ends whatever another thread waits for on a connection."""
    # TLS inside of TLS, through a proxy, has the socket one step further in.
    inner = getattr(connection, "sock", connection)
    plain = getattr(inner, "socket", inner)
    if plain is not None:
        with contextlib.suppress(OSError):
            # A shutdown of the TLS socket would only end the encryption, and the reading would go on.
            socket.socket.shutdown(plain, socket.SHUT_RDWR)
