# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rate limit that real processes share, with a short minute."""

from __future__ import annotations

import functools
import math
import os
import random
import signal
import time
from array import array
from collections import Counter
from pathlib import Path

import pytest
from processes import ended, forked, kill, note, noted, until
from project import LONG

from ansible_collections.community.seventhings.plugins.module_utils.client.rate_limit import PauseTooLong, RateLimit
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.runtime import pace as pace_module
from ansible_collections.community.seventhings.plugins.module_utils.runtime.pace import Pace
from ansible_collections.community.seventhings.plugins.module_utils.runtime.turnstile import SharedTurnstile

from ..support import Clock


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    path = tmp_path / "runtime"
    path.mkdir(0o700)
    return Folder(path, os.geteuid())


def rate_in(folder: Folder, per_minute: int, clock: Clock | None = None) -> RateLimit:
    if clock is None:
        return RateLimit(per_minute, shared=SharedTurnstile(folder, "one"))
    shared = SharedTurnstile(folder, "one", clock)
    return RateLimit(per_minute, clock, clock.sleep, shared, chance=lambda: 0.0)


# ---- many processes


@pytest.fixture
def short_minute(monkeypatch: pytest.MonkeyPatch) -> float:
    """Make a minute of the rate limit take a second."""
    monkeypatch.setattr(pace_module, "_MINUTE", 1.0)
    monkeypatch.setattr(pace_module, "_WINDOW", 1.0)
    return 1.0


@pytest.mark.slow
def test_all_processes_together_stay_within_the_limit_and_all_get_on(
    short_minute: float, folder: Folder, tmp_path: Path
) -> None:
    number, limit, seconds = (30, 120, 8.0) if LONG else (8, 40, 2.5)
    end = time.monotonic() + seconds

    def work() -> None:
        rate = rate_in(folder, limit)
        while time.monotonic() < end:
            note(tmp_path / "sent", f"{rate.wait()} {os.getpid()}")

    assert ended(*[forked(work) for _number in range(number)]) == [0] * number
    lines = sorted((float(moment), process) for moment, process in map(str.split, noted(tmp_path / "sent")))
    moments = [moment for moment, _process in lines]
    assert all(later - earlier >= short_minute for earlier, later in zip(moments, moments[limit:], strict=False))
    counted = Counter(process for _moment, process in lines[limit:])
    assert len(counted) == number, "somebody starves"


def _are_more(path: Path, number: int) -> bool:
    return len(list(noted(path))) > number


@pytest.mark.slow
def test_a_process_that_is_killed_loses_nothing_of_the_others(
    short_minute: float, folder: Folder, tmp_path: Path
) -> None:
    chance = random.Random(7)
    limit = 20

    def work() -> None:
        rate = rate_in(folder, limit)
        while True:
            note(tmp_path / "sent", rate.wait())

    began = time.monotonic()
    processes = [forked(work) for _number in range(6)]
    for number in range(30 if LONG else 6):
        until(functools.partial(_are_more, tmp_path / "sent", 5 * number))
        victim = processes.pop(chance.randrange(len(processes)))
        kill(victim)
        assert ended(victim) == [-signal.SIGKILL], number
        processes.append(forked(work))
    seconds = time.monotonic() - began
    for process in processes:
        kill(process)
    ended(*processes)
    moments = sorted(map(float, noted(tmp_path / "sent")))
    assert all(later - earlier >= short_minute for earlier, later in zip(moments, moments[limit:], strict=False))
    assert len(moments) >= limit * (seconds - 1) * 0.5


def test_one_that_is_stopped_while_it_has_the_turn_is_passed_over(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turnstile = SharedTurnstile(folder, "one")

    def keep() -> None:
        with turnstile.turn():
            note(tmp_path / "kept", "yes")
            signal.pause()

    process = forked(keep)
    until(lambda: bool(list(noted(tmp_path / "kept"))))
    monkeypatch.setattr(
        "ansible_collections.community.seventhings.plugins.module_utils.runtime.turnstile._STALL_CHECK_SECONDS", 0.05
    )
    assert rate_in(folder, 200).wait() <= time.monotonic()
    kill(process)
    ended(process)
    rate_in(folder, 200).wait()


def test_the_pause_of_one_process_stops_all(folder: Folder, clock: Clock) -> None:
    first, second = (rate_in(folder, 200, clock) for _number in range(2))
    first.refused(first.wait(), 20.0)
    assert second.wait() == pytest.approx(1020)


def test_a_limit_of_0_neither_counts_nor_waits_and_reports_of_its_pauses(folder: Folder, clock: Clock) -> None:
    free, bound = rate_in(folder, 0, clock), rate_in(folder, 5, clock)
    for _number in range(20):
        free.wait()
    assert bound.left == 5
    bound.refused(bound.wait(), 30.0)
    free.wait()
    assert clock.slept == []
    free.refused(free.wait(), 40.0)
    with pytest.raises(PauseTooLong) as caught:
        bound.wait(max_pause=0.0)
    assert caught.value.seconds == pytest.approx(40)


def test_the_smallest_limit_that_was_named_within_the_last_minute_rules(folder: Folder, clock: Clock) -> None:
    large, small = rate_in(folder, 100, clock), rate_in(folder, 5, clock)
    large.wait()
    assert large.left == 99
    assert small.left == 4
    assert large.left == 4
    clock.now += 61
    assert large.left == 100


def test_instances_have_a_limit_each(folder: Folder, clock: Clock) -> None:
    limited = RateLimit(1, clock, clock.sleep, SharedTurnstile(folder, "one", clock))
    other = RateLimit(1, clock, clock.sleep, SharedTurnstile(folder, "other", clock))
    limited.wait()
    other.wait()
    assert clock.slept == []


# ---- what the file holds


def test_moments_later_than_now_count_as_none(folder: Folder, clock: Clock) -> None:
    """Such times are from before the machine was restarted, which also restarts its clock."""
    clock.now = 50_000.0
    before = rate_in(folder, 3, clock)
    for _number in range(3):
        before.wait()
    before.refused(clock.now, 600.0)
    clock.now = 40.0
    clock.slept.clear()
    after = rate_in(folder, 3, clock)
    assert after.left == 3
    after.wait()
    assert clock.slept == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"x",
        b"garbage " * 100,
        b"\xff" * 800,
        array("d", [1.0, 990.0, 1e300, 0, 0, 0, 0, 0]).tobytes(),
        array("d", [1.0, -math.inf, 0, 0, 1e300, 1e300, 1, 3, 1, 2]).tobytes(),
        array("d", [1.0, -math.inf, 0, 0, 0, 0, 0, 1e300]).tobytes(),
        array("d", [1.0, math.nan, 0, 0, 0, 0, 0, 0]).tobytes(),
    ],
)
def test_whatever_is_in_the_file_nobody_waits_for_ever(content: bytes, folder: Folder, clock: Clock) -> None:
    (folder.path / "limit-one").write_bytes(content)
    rate = rate_in(folder, 200, clock)
    assert rate.wait() <= 1000 + 3600
    rate.wait()


def test_what_is_kept_is_what_was_known() -> None:
    pace = Pace()
    pace.name(200, 1000.0)
    pace.take(1000.0)
    pace.refuse(1000.0, 5.0, 1001.0)
    assert Pace.from_numbers(pace.numbers(), 1001.0) == pace


@pytest.mark.parametrize("wrong", ["link", "folder", "owner", "full"])
def test_a_file_that_can_not_be_used_means_that_nothing_is_shared(
    wrong: str, folder: Folder, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder.path / "limit-one"
    if wrong == "link":
        path.symlink_to("/dev/null")
    elif wrong == "folder":
        path.mkdir()
    elif wrong == "owner":
        path.write_bytes(b"")
        path.chmod(0o666)
    else:

        def full(*_arguments: object) -> int:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "pwrite", full)
    problems: list[str] = []
    shared = SharedTurnstile(folder, "one", clock)
    rate = RateLimit(2, clock, clock.sleep, shared, problems.append, chance=lambda: 0.0)
    for _number in range(3):
        rate.wait()
    assert len(problems) == 1
    assert clock.slept, "the limit is kept by this process all the same"
