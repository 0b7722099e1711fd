# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rate limit that real processes share, with a short minute."""

from __future__ import annotations

import functools
import heapq
import os
import random
import signal
import time
from collections import Counter
from pathlib import Path

import pytest
from processes import ended, forked, kill, note, noted, until
from project import LONG

from ansible_collections.community.seventhings.plugins.module_utils.client.rate_limit import PauseTooLong, RateLimit
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.runtime import pace as pace_module
from ansible_collections.community.seventhings.plugins.module_utils.runtime.pace import Pace
from ansible_collections.community.seventhings.plugins.module_utils.runtime.store import Store

from ..support import Clock


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    path = tmp_path / "runtime"
    path.mkdir(0o700)
    return Folder(path, os.geteuid())


def rate_in(folder: Folder, per_minute: int, clock: Clock | None = None) -> RateLimit:
    if clock is None:
        return RateLimit(per_minute, store=Store(folder), name="one")
    return RateLimit(per_minute, clock, clock.sleep, Store(folder), "one", chance=lambda: 0.0)


# ---- many processes


@pytest.fixture
def short_minute(monkeypatch: pytest.MonkeyPatch) -> float:
    """Make a minute of the rate limit take a second."""
    monkeypatch.setattr(pace_module, "_MINUTE", 1.0)
    monkeypatch.setattr(pace_module, "_WINDOW", 1.2)
    monkeypatch.setattr(pace_module, "_LATEST", 0.2)
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
            rate.wait()
            note(tmp_path / "sent", f"{time.monotonic()} {os.getpid()}")

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
            rate.wait()
            note(tmp_path / "sent", time.monotonic())

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


@pytest.mark.parametrize(("processes", "limit"), [(3, 2), (10, 200), (30, 200)])
@pytest.mark.parametrize("seed", range(40 if LONG else 3))
def test_whoever_is_killed_stopped_or_late_nobody_exceeds_the_limit(seed: int, processes: int, limit: int) -> None:
    rolls, pace, sent = random.Random(seed), Pace(), list[float]()
    # Each process wakes up at a time, to send at the moment that it reserved.
    waking: list[tuple[float, int, float | None]] = [(rolls.uniform(0, 9), number, None) for number in range(processes)]
    heapq.heapify(waking)
    while len(sent) < 4 * limit + 9:
        now, number, reserved = heapq.heappop(waking)
        pace.name(limit, now)
        if reserved is not None and pace.start(reserved, now):
            sent.append(now)
            reserved = None
        elif rolls.random() < 0.01:
            # It was killed, and another process takes its place.
            reserved = None
        reserved = pace.take(now)
        late = rolls.choice([0.0, 0.0, 0.01, 0.2, rolls.uniform(0, 30) if rolls.random() < 0.1 else 0.0])
        heapq.heappush(waking, (max(reserved, now) + late, number, reserved))
    assert all(later - earlier >= 60 for earlier, later in zip(sent, sent[limit:], strict=False))
    assert len(sent) * 60 / (sent[-1] - sent[0]) > 0.6 * limit


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
    limited, other = (RateLimit(1, clock, clock.sleep, Store(folder), name) for name in ("one", "other"))
    limited.wait()
    other.wait()
    assert clock.slept == []


# ---- what the file holds


def test_a_restart_of_the_machine_begins_a_new_pace(folder: Folder, clock: Clock) -> None:
    """It also restarts the clock of the moments."""
    before = rate_in(folder, 3, clock)
    for _number in range(3):
        before.wait()
    with Store(folder).changing("one") as facts:
        facts.put(("pace", "", {**facts.get("pace"), "boot": "another"}))
    clock.now = 40.0
    assert rate_in(folder, 3, clock).left == 3


@pytest.mark.parametrize("content", [b"x", b"garbage " * 100, b"\xff" * 800, b'{"facts": {"pace": {"": {"a": 1}}}}\n'])
def test_a_broken_file_is_replaced_and_nobody_waits_for_ever(content: bytes, folder: Folder, clock: Clock) -> None:
    (folder.path / "facts-one.json").write_bytes(content)
    rate = rate_in(folder, 200, clock)
    assert rate.wait() == 1000
    assert rate_in(folder, 200, clock).left == 199


@pytest.mark.parametrize("wrong", ["link", "folder", "owner", "full"])
def test_a_file_that_can_not_be_used_means_that_nothing_is_shared(
    wrong: str, folder: Folder, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder.path / "facts-one.json"
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
    rate = RateLimit(2, clock, clock.sleep, Store(folder), "one", problems.append, chance=lambda: 0.0)
    for _number in range(3):
        rate.wait()
    assert len(problems) == 1
    assert clock.slept, "the limit is kept by this process all the same"
