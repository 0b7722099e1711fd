# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When the next request may be sent. Time is virtual: nothing here sleeps."""

from __future__ import annotations

import contextlib
import itertools
import math
import random
import threading
from collections.abc import Callable, Iterable, Iterator

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.client.rate_limit import PauseTooLong, RateLimit

from ..support import Clock

Service = Callable[[float], float]
"""Accepts a request at a moment and returns 0, or refuses it and returns the seconds after which to retry."""


def bucket(per_minute: float, burst: int = 10) -> Service:
    """Return a service that grants permits evenly, and accumulates a few."""
    tokens, filled = float(burst), 0.0

    def take(moment: float) -> float:
        nonlocal tokens, filled
        tokens = min(burst, tokens + (moment - filled) * per_minute / 60)
        filled = moment
        if tokens < 1:
            return math.ceil((1 - tokens) * 60 / per_minute)
        tokens -= 1
        return 0

    return take


def counting(per_minute: int) -> Service:
    """Return a service that counts the requests accepted in the last minute."""
    sent_at: list[float] = []

    def take(moment: float) -> float:
        sent_at[:] = [accepted for accepted in sent_at if accepted > moment - 60]
        if len(sent_at) >= per_minute:
            return math.ceil(sent_at[0] + 60 - moment)
        sent_at.append(moment)
        return 0

    return take


def refusals(service: Service, sent: Iterable[float], late: float = 0.0) -> int:
    """Return the number of refused requests, which arrive up to ``late`` seconds after they were sent."""
    chance = random.Random(3)
    return sum(service(moment) > 0 for moment in sorted(moment + chance.uniform(0, late) for moment in sent))


def many(rate: RateLimit, number: int) -> list[float]:
    """Return the times at which threads that try to send all requests at once send them."""
    return [rate.wait() for _number in range(number)]


def insist(rate: RateLimit, clock: Clock, service: Service, number: int) -> tuple[list[float], int]:
    """Send until a number of requests was accepted. Return their times, and the number of refused requests."""
    sent_at: list[float] = []
    refused = 0
    while len(sent_at) < number:
        sent = rate.wait()
        pause = service(clock.now)
        if pause:
            refused += 1
            rate.refused(sent, pause)
        else:
            sent_at.append(sent)
    return sent_at, refused


def per_minute(sent: list[float]) -> float:
    return (len(sent) - 1) * 60 / (sent[-1] - sent[0])


@pytest.fixture
def clock() -> Clock:
    return Clock()


# ---- the limit


@pytest.mark.parametrize("announced", [False, True])
@pytest.mark.parametrize("limit", [1, 2, 7, 200])
def test_never_more_than_the_limit_in_any_60_seconds(limit: int, announced: bool, clock: Clock) -> None:
    rate = RateLimit(limit, clock, clock.sleep)
    if announced:
        rate.expect(3 * limit + 1)
    times = []
    for number in range(3 * limit + 1):
        times.append(rate.wait())
        clock.now += 0.01 * (number % 3)
    assert all(later - first >= 60 for first, later in zip(times, times[limit:], strict=False))
    assert times[-1] - times[0] < 3 * 60 + 5


@pytest.mark.parametrize("before", [0, 5, 60])
def test_what_fits_into_the_minute_does_not_wait(before: int, clock: Clock) -> None:
    rate = RateLimit(200, clock, clock.sleep)
    many(rate, before)
    rate.expect(200 - before)
    many(rate, 200 - before)
    assert clock.slept == []


def test_no_limit_never_waits(clock: Clock) -> None:
    rate = RateLimit(0, clock, clock.sleep)
    rate.expect(1000)
    many(rate, 1000)
    assert clock.slept == []


def test_threads_share_one_limit(clock: Clock) -> None:
    lock = threading.Lock()
    times: list[float] = []

    def sleep(seconds: float) -> None:
        with lock:
            clock.now += seconds

    rate = RateLimit(5, clock, sleep)

    def work() -> None:
        times.extend(rate.wait() for _number in range(5))

    threads = [threading.Thread(target=work) for _number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times.sort()
    assert len(times) == 20
    assert all(later - first >= 60 for first, later in zip(times, times[5:], strict=False))


# ---- a long run


@pytest.mark.parametrize(
    "service", [lambda: bucket(200), lambda: counting(200), lambda: bucket(200, 200)], ids=["bucket", "window", "big"]
)
def test_a_long_run_uses_99_percent_of_the_limit_and_is_never_refused(
    service: Callable[[], Service], clock: Clock
) -> None:
    """The requests are those of ``instance``: a few for the plan, a write for each change, a check for duplicates."""
    rate = RateLimit(200, clock, clock.sleep)
    sent = many(rate, 9)
    rate.expect(2000)
    sent += many(rate, 2002)
    assert per_minute(sent) >= 0.99 * 200
    assert refusals(service(), sent, late=0.25) == 0


def test_threads_that_wake_up_late_lose_nothing(clock: Clock) -> None:
    chance = random.Random(5)

    def oversleep(seconds: float) -> None:
        clock.sleep(seconds + chance.uniform(0, 0.2))

    rate = RateLimit(200, clock, oversleep)
    rate.expect(2000)
    sent = many(rate, 2000)
    assert per_minute(sent) >= 0.99 * 200
    assert refusals(bucket(200), sent) == 0


@pytest.mark.parametrize("limit", [1, 3, 20, 60, 1000])
def test_other_limits_are_used_as_well(limit: int, clock: Clock) -> None:
    rate = RateLimit(limit, clock, clock.sleep)
    rate.expect(10 * limit)
    sent = many(rate, 10 * limit + 1)
    assert per_minute(sent) >= 0.99 * limit
    assert refusals(bucket(limit), sent) == 0


def test_after_a_full_minute_requests_are_sent_at_an_even_pace(clock: Clock) -> None:
    """A run of unexpected length stops once, and then sends no more bursts."""
    rate = RateLimit(200, clock, clock.sleep)
    sent = many(rate, 1000)
    assert sent[199] == sent[0]
    assert per_minute(sent) >= 0.99 * 200
    assert refusals(bucket(200), sent[200:]) == 0
    assert max(later - earlier for earlier, later in itertools.pairwise(sent[210:])) < 3


def test_after_a_minute_of_silence_a_burst_is_free_again(clock: Clock) -> None:
    rate = RateLimit(200, clock, clock.sleep)
    rate.expect(500)
    many(rate, 500)
    clock.now += 65
    clock.slept.clear()
    many(rate, 200)
    assert clock.slept == []


# ---- refusals


def test_a_refusal_without_a_wait_changes_nothing(clock: Clock) -> None:
    rate = RateLimit(200, clock, clock.sleep)
    for _number in range(5):
        rate.refused(rate.wait(), 0.0)
    many(rate, 50)
    assert clock.slept == []


def test_a_burst_that_is_refused_becomes_an_even_pace_at_the_limit(clock: Clock) -> None:
    """The service counts differently. After one refusal, the whole limit is used."""
    rate = RateLimit(200, clock, clock.sleep)
    sent_at, refused = insist(rate, clock, bucket(200), 1000)
    assert refused == 1
    assert per_minute(sent_at) >= 0.99 * 200


def test_refusals_of_concurrent_requests_count_once(clock: Clock) -> None:
    """Eight concurrent requests are refused, and the pace is the same as after one refusal."""
    rate = RateLimit(200, clock, clock.sleep, chance=lambda: 0.0)
    for sent in many(rate, 8):
        rate.refused(sent, 1.0)
    later = many(rate, 2)
    assert later[1] - later[0] == pytest.approx(60 / 200, rel=0.01)


@pytest.mark.parametrize("limit", [200, 0])
@pytest.mark.parametrize("allowed", [50, 100, 150])
def test_the_pace_adapts_to_a_service_that_allows_less(allowed: int, limit: int, clock: Clock) -> None:
    rate = RateLimit(limit, clock, clock.sleep)
    sent_at, refused = insist(rate, clock, bucket(allowed), 1000)
    assert per_minute(sent_at) >= 0.9 * allowed
    assert refused < 120


def test_the_pace_grows_again_after_the_others_end(clock: Clock) -> None:
    rate = RateLimit(200, clock, clock.sleep)
    insist(rate, clock, bucket(50), 200)
    sent_at, refused = insist(rate, clock, bucket(200), 1000)
    assert per_minute(sent_at[500:]) >= 0.99 * 200
    assert refused < 3


def with_strays(share: float, service: Service = lambda _moment: 0.0) -> Service:
    """Return a service that refuses a share of all requests for no reason."""
    chance = random.Random(11)
    return lambda moment: 1.0 if chance.random() < share else service(moment)


@pytest.mark.parametrize(("share", "least"), [(0.01, 180), (0.05, 150), (0.15, 120)])
@pytest.mark.parametrize("service", [lambda: lambda _moment: 0.0, lambda: bucket(200)], ids=["no limit", "bucket"])
def test_stray_refusals_do_not_collapse_the_pace(
    share: float, least: float, service: Callable[[], Service], clock: Clock
) -> None:
    rate = RateLimit(200, clock, clock.sleep)
    rate.expect(1500)
    sent_at, _refused = insist(rate, clock, with_strays(share, service()), 1500)
    assert per_minute(sent_at) >= least


def test_stray_refusals_do_not_hide_a_limit(clock: Clock) -> None:
    rate = RateLimit(200, clock, clock.sleep)
    sent_at, refused = insist(rate, clock, with_strays(0.05, bucket(100)), 1000)
    assert per_minute(sent_at) >= 80
    assert refused < 200


def test_a_limit_that_is_lowered_during_stray_refusals_is_kept(clock: Clock) -> None:
    rate = RateLimit(200, clock, clock.sleep)
    insist(rate, clock, with_strays(0.15), 300)
    sent_at, refused = insist(rate, clock, bucket(50), 500)
    assert per_minute(sent_at[50:]) >= 0.9 * 50
    assert refused < 100


def test_what_the_limit_leaves_is_known() -> None:
    clock = Clock()
    rate = RateLimit(200, clock, clock.sleep)
    many(rate, 50)
    assert rate.left == 150
    clock.sleep(61)
    assert rate.left == 200
    assert RateLimit(0, clock, clock.sleep).left is None


# ---- how long


def test_a_pause_that_lasts_longer_than_there_is_time_is_reported_at_once(clock: Clock) -> None:
    rate = RateLimit(200, clock, clock.sleep)
    rate.refused(rate.wait(), 40.0)
    with pytest.raises(PauseTooLong) as caught:
        rate.wait(max_pause=39.0)
    assert caught.value.seconds == pytest.approx(40)
    assert clock.slept == []
    assert rate.wait(max_pause=41.0) >= 1040


def test_the_limit_itself_is_waited_for_however_long_it_takes(clock: Clock) -> None:
    rate = RateLimit(1, clock, clock.sleep)
    many(rate, 3)
    assert rate.wait(max_pause=0.0) >= 1180


def test_a_pause_is_longer_by_a_little_and_never_shorter(clock: Clock) -> None:
    """Several controllers must not resume at the same moment."""
    rate = RateLimit(200, clock, clock.sleep, chance=lambda: 1.0)
    rate.refused(rate.wait(), 20.0)
    assert rate.wait() == pytest.approx(1021)


@pytest.mark.parametrize(("pause", "entered"), [(59.0, 0), (61.0, 1)])
def test_during_a_pause_of_more_than_a_minute_nothing_is_kept_from_others(
    pause: float, entered: int, clock: Clock
) -> None:
    moments: list[float] = []

    @contextlib.contextmanager
    def pausing() -> Iterator[None]:
        moments.append(clock.now)
        yield
        moments.append(clock.now)

    rate = RateLimit(200, clock, clock.sleep, chance=lambda: 0.0)
    rate.refused(rate.wait(), pause)
    rate.wait(pausing=pausing)
    assert moments == [1000.0, 1000.0 + pause][: 2 * entered]
