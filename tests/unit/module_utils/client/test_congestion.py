# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many requests are under way at once. Time is virtual."""

from __future__ import annotations

import contextlib
import threading

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.client.congestion import Congestion
from ansible_collections.community.seventhings.plugins.module_utils.errors import (
    OutcomeUnknown,
    ServiceError,
    service_error,
)

from ..support import Clock


def answered(congestion: Congestion, clock: Clock, seconds: float = 0.1, number: int = 1) -> None:
    for _number in range(number):
        with congestion.exchange(clock):
            clock.now += seconds


def failed(congestion: Congestion, clock: Clock, status: int) -> None:
    with contextlib.suppress(ServiceError), congestion.exchange(clock):
        clock.now += 0.1
        raise service_error(status, "", "TEST")


@pytest.fixture
def congestion(clock: Clock) -> Congestion:
    return Congestion(8, clock)


@pytest.mark.parametrize("status", [502, 503, 504])
def test_an_overloaded_service_gets_half_of_it(status: int, congestion: Congestion, clock: Clock) -> None:
    failed(congestion, clock, status)
    assert congestion.size == 4
    for _number in range(5):
        failed(congestion, clock, status)
    assert congestion.size == 1


@pytest.mark.parametrize("status", [400, 404, 422, 500])
def test_other_errors_say_nothing_of_that(status: int, congestion: Congestion, clock: Clock) -> None:
    failed(congestion, clock, status)
    assert congestion.size == 8


def test_a_create_of_unknown_outcome_counts_as_well(congestion: Congestion, clock: Clock) -> None:
    with pytest.raises(OutcomeUnknown), congestion.exchange(clock):
        raise OutcomeUnknown("HTTP 503", 503)
    assert congestion.size == 4


def test_what_was_under_way_together_slows_down_once(congestion: Congestion, clock: Clock) -> None:
    with contextlib.suppress(OutcomeUnknown), congestion.exchange(clock):
        failed(congestion, clock, 503)
        clock.now += 0.1
        raise OutcomeUnknown("HTTP 503", 503)
    assert congestion.size == 4


def test_it_grows_again_by_one_for_each_round_of_answers(congestion: Congestion, clock: Clock) -> None:
    for _number in range(3):
        failed(congestion, clock, 503)
    assert congestion.size == 1
    answered(congestion, clock)
    assert congestion.size == 2
    answered(congestion, clock, number=50)
    assert congestion.size == 8


def test_answers_that_take_ever_longer_slow_it_down_and_faster_ones_let_it_grow(
    congestion: Congestion, clock: Clock
) -> None:
    answered(congestion, clock, 0.05, 20)
    assert congestion.size == 8
    answered(congestion, clock, 0.6, 20)
    assert congestion.size < 4
    answered(congestion, clock, 0.05, 60)
    assert congestion.size == 8


@pytest.mark.parametrize(("fast", "slow"), [(0.001, 0.2), (0.3, 0.8)])
def test_what_is_only_a_little_slower_does_not_count(fast: float, slow: float, clock: Clock) -> None:
    congestion = Congestion(8, clock)
    answered(congestion, clock, fast, 20)
    answered(congestion, clock, slow, 20)
    assert congestion.size == 8


def test_one_upload_that_takes_long_does_not_count(congestion: Congestion, clock: Clock) -> None:
    answered(congestion, clock, 0.05, 20)
    answered(congestion, clock, 30.0)
    assert congestion.size == 8


def test_the_wait_for_the_rate_limit_is_no_latency(congestion: Congestion, clock: Clock) -> None:
    def turn() -> float:
        clock.now += 60.0
        return clock.now

    answered(congestion, clock, 0.05, 10)
    for _number in range(10):
        with congestion.exchange(turn):
            clock.now += 0.05
    assert congestion.size == 8


def test_no_more_are_under_way_than_it_allows() -> None:
    congestion = Congestion(3)
    lock, both = threading.Lock(), threading.Barrier(3)
    now, most = 0, 0

    def work() -> None:
        nonlocal now, most
        with congestion.exchange(lambda: 0.0):
            with lock:
                now += 1
                most = max(most, now)
            both.wait(10)
            with lock:
                now -= 1

    threads = [threading.Thread(target=work) for _number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert most == 3
