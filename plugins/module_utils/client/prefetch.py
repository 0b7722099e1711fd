# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prefetch the pages of a list, so that the service works while an answer is parsed."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType

from .transport import Response

_AT_A_TIME = 2
"""Number of concurrent page requests. More would be a burst."""


class Prefetch:
    """Prefetch the two pages beyond the current page.

    :param ask: sends one request for a page number. :param numbers: page numbers in order.
    """

    def __init__(self, ask: Callable[[int], Response], numbers: Iterable[int]) -> None:
        self._ask = ask
        self._numbers = iter(numbers)
        self._pool = ThreadPoolExecutor(max_workers=_AT_A_TIME)
        self._requested: deque[Future[Response]] = deque()

    def __enter__(self) -> Prefetch:
        for number in itertools.islice(self._numbers, _AT_A_TIME):
            self._ask_for(number)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown()

    def next(self) -> Response | None:
        """Return the answer with the next page, or None after the last page.

        :raises SeventhingsError: if the request for the page failed.
        """
        if not self._requested:
            return None
        answer = self._requested.popleft().result()
        for number in itertools.islice(self._numbers, 1):
            self._ask_for(number)
        return answer

    def _ask_for(self, number: int) -> None:
        self._requested.append(self._pool.submit(self._ask, number))
