# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Prefetched pages arrive in order, and only a few are pending at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.client.prefetch import Prefetch
from ansible_collections.community.seventhings.plugins.module_utils.client.transport import Response

_LENGTH = 100


class _Service:
    """A service that holds back some pages until the test releases them.

    :ivar requested: the requested pages. :ivar most: the maximum number of concurrent requests.
    """

    def __init__(self, delayed: frozenset[int] = frozenset(), broken: frozenset[int] = frozenset()) -> None:
        self.requested: list[int] = []
        self.most = 0
        self.free = threading.Event()
        self._delayed, self._broken = delayed, broken
        self._under_way = 0
        self._changed = threading.Condition()

    def __call__(self, number: int) -> Response:
        with self._changed:
            self.requested.append(number)
            self._under_way += 1
            self.most = max(self.most, self._under_way)
            self._changed.notify_all()
        if number in self._delayed:
            assert self.free.wait(30)
        with self._changed:
            self._under_way -= 1
        if number in self._broken:
            raise ValueError(f"page {number}")
        return Response(200, {}, bytes([number]) * _LENGTH, "GET /objects")

    def wait(self, is_so: Callable[[], bool]) -> bool:
        """Wait until a condition is true."""
        with self._changed:
            return self._changed.wait_for(is_so, 30)


def test_pages_come_in_their_order_two_are_asked_for_at_a_time() -> None:
    service = _Service(delayed=frozenset({2}))
    with Prefetch(service, range(2, 20)) as prefetch:
        # While the first page is pending, further pages are requested.
        assert service.wait(lambda: 3 in service.requested)
        service.free.set()
        answers = [prefetch.next() for _number in range(2, 20)]
        assert [answer.body[0] for answer in answers if answer is not None] == list(range(2, 20))
        assert prefetch.next() is None
    assert service.most <= 2
    assert sorted(service.requested) == list(range(2, 20))


def test_two_pages_wait() -> None:
    service = _Service()
    with Prefetch(service, range(2, 20)):
        assert service.wait(lambda: len(service.requested) >= 2)
    assert len(service.requested) == 2


def test_the_failure_of_a_page_is_reported_at_its_turn() -> None:
    service = _Service(broken=frozenset({3}))
    with Prefetch(service, range(2, 20)) as prefetch:
        assert prefetch.next() is not None
        with pytest.raises(ValueError, match="page 3"):
            prefetch.next()
    assert len(service.requested) <= 4


def test_nothing_is_asked_for_where_there_are_no_more_pages() -> None:
    service = _Service()
    with Prefetch(service, range(2, 2)) as prefetch:
        assert prefetch.next() is None
    assert service.requested == []
