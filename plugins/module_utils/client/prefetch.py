# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prefetch the pages of a list, so that the service works while an answer is parsed."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType

from .transport import Response

_AT_A_TIME = 2
"""Number of concurrent page requests. More would be a burst."""


class Prefetch:
    """Prefetch pages: always two beyond the current page, and more while the pending pages are small.

    :param ask: sends one request for a page number. :param numbers: page numbers in order.
    :param most_waiting: the number of bytes that may be pending.
    """

    def __init__(self, ask: Callable[[int], Response], numbers: Iterable[int], most_waiting: int) -> None:
        self._ask = ask
        self._numbers = iter(numbers)
        self._most_waiting = most_waiting
        self._pool = ThreadPoolExecutor(max_workers=_AT_A_TIME)
        self._lock = threading.Lock()
        self._requested: deque[Future[Response]] = deque()
        self._under_way = 0
        self._waiting = 0

    def __enter__(self) -> Prefetch:
        with self._lock:
            self._ask_more()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._numbers = iter(())
        self._pool.shutdown()

    def next(self) -> Response | None:
        """Return the answer with the next page, or None after the last page.

        :raises SeventhingsError: if the request for the page failed.
        """
        with self._lock:
            future = self._requested.popleft() if self._requested else None
        if future is None:
            return None
        answer = future.result()
        with self._lock:
            self._waiting -= len(answer.body)
            self._ask_more()
        return answer

    def _ask_more(self) -> None:
        """Start as many requests as allowed. The caller holds the lock."""
        while self._under_way < _AT_A_TIME and (
            len(self._requested) < _AT_A_TIME or self._waiting < self._most_waiting
        ):
            number = next(self._numbers, None)
            if number is None:
                return
            self._under_way += 1
            self._requested.append(self._pool.submit(self._request, number))

    def _request(self, number: int) -> Response:
        length = 0
        try:
            answer = self._ask(number)
            length = len(answer.body)
            return answer
        finally:
            with self._lock:
                self._under_way -= 1
                self._waiting += length
                self._ask_more()
