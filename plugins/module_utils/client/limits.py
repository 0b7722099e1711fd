# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits for answers: bytes, seconds, pages, depth, digits, maps and lists.

The size of an answer alone does not limit memory: its maps and lists take much more memory than text. So their number
has a limit, too.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from ..errors import SeventhingsError
from ..model.field import MOST_DIGITS

MEBIBYTE = 1 << 20
#: Maximum size of an answer after decompression. It fits a page of 1,000 records with 16 kB each.
ANSWER_MEBIBYTES = 16
#: Maximum size of a download. The service accepts files of at most 50 MB.
FILE_MEBIBYTES = 64
#: Bytes of an error body that are read.
ERROR_BYTES = 16 << 10
#: Maximum number of pages of a list, with 1,000 records each.
MOST_PAGES = 500
#: Maximum size of all pages of a list. It fits 300,000 records with 1.7 kB each.
LIST_MEBIBYTES = 512
#: Divisor of the maximum size for a list without a total, because it may be endless.
UNKNOWN_TOTAL_SHARE = 8
#: Minimum number of bytes that a record counts for, because it takes as many in memory, however short its text is.
RECORD_BYTES = 256
#: Default deadline of a request, as a multiple of its timeout.
DEADLINE_TIMEOUTS = 10.0
#: Maximum depth of maps and lists in an answer. The service nests 6 deep.
JSON_DEPTH = 64
#: Maximum number of maps and lists in an answer.
#:
#: Each takes some hundred bytes in memory, however short its text is. A page of 1,000 records with 100 fields has a
#: fifth of this number.
JSON_MEMBERS = 500_000
#: Maximum number of fields of a record.
#:
#: Instances have some hundreds. Each is stored with what is known of it, which takes more memory than its text.
MOST_FIELDS = 4_096
#: The same maximum for a local file: a plan or a cursor of some hundred thousand records.
KEPT_MEMBERS = 4_000_000

_CHUNK = 64 << 10
_COLLECTIONS = frozenset({dict, list})


class LimitExceeded(SeventhingsError):
    """Raised if an answer exceeds a limit. Nothing of the answer is used."""


@dataclass(frozen=True)
class Limits:
    """The limits that a task sets for answers.

    :ivar answer_mebibytes: size of an answer after decompression, downloads excluded.
    :ivar pages: number of pages of a list.
    :ivar list_mebibytes: size of all pages of a list; an eighth of it if the service reports no total.
    """

    answer_mebibytes: int = ANSWER_MEBIBYTES
    pages: int = MOST_PAGES
    list_mebibytes: int = LIST_MEBIBYTES

    def bytes_of(self, is_file: bool) -> int:
        """Return the maximum length of an answer in bytes."""
        return MEBIBYTE * (max(self.answer_mebibytes, FILE_MEBIBYTES) if is_file else self.answer_mebibytes)


@dataclass
class ListLimit:
    """Check the size of one list, page by page.

    :ivar plural: what the list contains, such as ``rental cases``.
    :ivar page_size: number of records of a full page.
    """

    limits: Limits
    plural: str
    page_size: int
    _pages: int = 0
    _bytes: int = 0

    def add(self, length: int, records: int, total: int | None) -> None:
        """Count a page.

        :param length: bytes of the answer after decompression.
        :param records: number of records of the page.
        :param total: number of records of the list, if reported.
        :raises LimitExceeded: if the list is too large.
        """
        self._pages += 1
        self._bytes += max(length, records * RECORD_BYTES)
        most = self.limits.pages
        if self._pages > most or (total or 0) > most * self.page_size:
            raise self._error(f"{most} pages", "tuning.max_pages")
        mebibytes = self.limits.list_mebibytes / (UNKNOWN_TOTAL_SHARE if total is None else 1)
        if self._bytes > mebibytes * MEBIBYTE:
            without_total = ", and the service reports no total" if total is None else ""
            raise self._error(f"{mebibytes:g} MiB{without_total}", "tuning.max_list_size")

    def _error(self, limit: str, option: str) -> LimitExceeded:
        return LimitExceeded(
            f"The list of {self.plural} has more than {limit}. Nothing is decided from it; the option {option} "
            f"allows more."
        )


def read_up_to(stream: Any, limit: int) -> tuple[bytes, bool]:
    """Return the beginning of a body, decompressed, and True if it is the whole body. Read no more than that.

    :param stream: an answer of the library.
    """
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
    object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None,
    object_hook: Callable[[dict[str, Any]], Any] | None = None,
) -> Any:
    """Decode a JSON text.

    :param members: maximum number of maps and lists. :param depth: maximum depth.
    :param object_pairs_hook: as in :mod:`json`. :param object_hook: likewise.
    :raises ValueError: if the text is not JSON or exceeds a limit, which the message names.
    """
    content = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    # Each map and list has two brackets, and strings may contain brackets too.
    if len(content) > 2 * members and content.count(b"{") + content.count(b"[") > members:
        raise ValueError(f"it has more than {members} maps and lists")
    try:
        found = json.loads(
            text,
            parse_int=_integer,
            parse_constant=no_constant,
            object_pairs_hook=object_pairs_hook,
            object_hook=object_hook,
        )
    except RecursionError:
        raise ValueError(f"it is nested more than {depth} deep") from None
    level = [found] if type(found) in _COLLECTIONS else []
    for _depth in range(depth):
        if not level:
            return found
        level = [
            member
            for value in level
            for member in (value.values() if isinstance(value, dict) else value)
            if type(member) in _COLLECTIONS
        ]
    if level:
        raise ValueError(f"it is nested more than {depth} deep")
    return found


def no_constant(name: str) -> Any:
    """Refuse the words that Python alone accepts as numbers in JSON."""
    raise ValueError(f"{name} is not JSON")


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"an integer in it has more than {MOST_DIGITS} digits")
    return int(digits)


class DeadlinePassed(OSError):
    """Raised if a request exceeds its deadline."""


class Deadline:
    """The deadline of one request, whatever it waits for.

    An answer of a byte a second never times out between two bytes, so the deadline is checked before each of them.

    :param seconds: after which nothing more is sent or read.
    :ivar was_sent: False while a connection is opened for the request, True as soon as a part of it was sent, and None
        if neither is known.
    """

    was_sent: bool | None = None

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def has_passed(self) -> bool:
        return time.monotonic() >= self._end

    def __enter__(self) -> Deadline:
        _OF_THIS_THREAD.deadline = self
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _OF_THIS_THREAD.deadline = None


_OF_THIS_THREAD = threading.local()


def check_deadline(is_sent: bool | None = None) -> None:
    """Check the deadline of the current request of this thread, if there is one.

    :param is_sent: what to note of the request: True before a part of it is sent, False before a connection is opened.
    :raises DeadlinePassed: if it has passed.
    """
    deadline: Deadline | None = getattr(_OF_THIS_THREAD, "deadline", None)
    if deadline is None:
        return
    if deadline.has_passed:
        raise DeadlinePassed(f"no whole answer within {deadline.seconds:g} seconds")
    deadline.was_sent = deadline.was_sent if is_sent is None else is_sent
