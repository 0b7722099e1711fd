# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages of a list, asked for before they are needed, so that the service works while an answer is read."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType

from .transport import Response

_AT_A_TIME = 2
"""How many pages are asked for at a time; more would only be a burst of requests."""


class PagesAhead:
    """Asks for pages, two at a time: for two beyond the one that is read, and for more as long as those that wait to be
    read are not long.

    :param ask: one request, by the number of its page. :param numbers: of the pages, in their order.
    :param most_waiting: how many bytes may wait.
    """

    def __init__(self, ask: Callable[[int], Response], numbers: Iterable[int], most_waiting: int) -> None:
        self._ask = ask
        self._numbers = iter(numbers)
        self._most_waiting = most_waiting
        self._pool = ThreadPoolExecutor(max_workers=_AT_A_TIME)
        self._lock = threading.Lock()
        self._asked: deque[Future[Response]] = deque()
        self._under_way = 0
        self._waiting = 0

    def __enter__(self) -> PagesAhead:
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
        """The answer with the next page; None where there is none left.

        :raises SeventhingsError: where its request failed.
        """
        with self._lock:
            future = self._asked.popleft() if self._asked else None
        if future is None:
            return None
        answer = future.result()
        with self._lock:
            self._waiting -= len(answer.body)
            self._ask_more()
        return answer

    def _ask_more(self) -> None:
        """Asks for what may be asked for. The lock is held."""
        while self._under_way < _AT_A_TIME and (len(self._asked) < _AT_A_TIME or self._waiting < self._most_waiting):
            number = next(self._numbers, None)
            if number is None:
                return
            self._under_way += 1
            self._asked.append(self._pool.submit(self._one, number))

    def _one(self, number: int) -> Response:
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
