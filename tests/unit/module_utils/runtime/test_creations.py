# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Of many processes that ensure one record, one makes it. A folder stands for the service: a file is a record."""

from __future__ import annotations

import functools
import os
import random
import signal
import time
from pathlib import Path

import pytest
from processes import ended, forked, kill, note, noted, until
from project import LONG

from ansible_collections.community.seventhings.plugins.module_utils.errors import OutcomeUnknown
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.runtime import creations as module
from ansible_collections.community.seventhings.plugins.module_utils.runtime.creations import (
    CreatedMeanwhile,
    Creations,
    LockTimeout,
)

from ..support import Clock


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    path = tmp_path / "runtime"
    path.mkdir(0o700)
    return Folder(path, os.geteuid())


class Service:
    """Records of a name, each a line; a request takes a while."""

    def __init__(self, path: Path, seconds: float = 0.0) -> None:
        self.path = path
        self.seconds = seconds

    def ensure(self, creations: Creations, name: str, kind: str = "room") -> bool:
        """Looks for a record, and makes it where it is missing. Returns whether it did."""

        def act() -> bool:
            note(self.path / "looks", name)
            if name in noted(self.path / "records"):
                return False
            with creations.making(kind, name):
                time.sleep(self.seconds)
                note(self.path / "records", name)
            return True

        return creations.run(kind, act)

    def looks(self) -> int:
        return len(list(noted(self.path / "looks")))

    def records(self) -> list[str]:
        return list(noted(self.path / "records"))


def on(folder: Folder, clock: Clock | None = None, lock_wait: float = 60.0) -> Creations:
    if clock is None:
        return Creations([folder], "acme", lock_wait)
    return Creations([folder], "acme", lock_wait, clock=clock, sleep=clock.sleep)


def test_who_is_alone_looks_once(folder: Folder, tmp_path: Path) -> None:
    service = Service(tmp_path)
    for number in range(3):
        assert service.ensure(on(folder), f"room {number}")
    assert service.looks() == 3


def test_of_many_one_makes_it(folder: Folder, tmp_path: Path) -> None:
    service = Service(tmp_path, 0.01)

    def work() -> None:
        until((tmp_path / "go").exists)
        note(tmp_path / "changed", service.ensure(on(folder), "Lab"))

    hosts = [forked(work) for _number in range(30 if LONG else 8)]
    (tmp_path / "go").touch()
    assert set(ended(*hosts)) == {0}
    assert service.records() == ["Lab"]
    assert sorted(noted(tmp_path / "changed"))[-2:] == ["False", "True"]


def test_many_that_make_different_records_make_all_of_them(folder: Folder, tmp_path: Path) -> None:
    service = Service(tmp_path)
    hosts = [forked(functools.partial(service.ensure, on(folder), f"room {number}")) for number in range(8)]
    assert set(ended(*hosts)) == {0}
    assert len(set(service.records())) == len(service.records()) == 8


def test_with_nothing_to_do_nobody_waits(folder: Folder, tmp_path: Path) -> None:
    service = Service(tmp_path)
    service.ensure(on(folder), "Lab")
    holder = on(folder)
    holder.watch(["room"])
    holder.hold(["room"])
    assert service.ensure(on(folder, lock_wait=0.0), "Lab") is False
    holder.leave()


def test_kinds_have_a_lock_each(folder: Folder, tmp_path: Path) -> None:
    holder = on(folder)
    holder.watch(["room"])
    holder.hold(["room"])
    assert Service(tmp_path).ensure(on(folder, lock_wait=0.0), "Halle", "location")
    holder.leave()


# ---- kills


@pytest.mark.slow
def test_kills_leave_no_lock_and_no_duplicate(folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The service goes on with a request whose sender was killed: a process of its own carries it out."""
    monkeypatch.setattr(module, "_SETTLING", (0.1, 0.3))
    chance = random.Random(11)

    def carry_out() -> None:
        os.setsid()
        time.sleep(0.05)
        note(tmp_path / "records", "Lab")
        note(tmp_path / "answers", "made")

    def work() -> None:
        creations = on(folder)

        def act() -> bool:
            if "Lab" in noted(tmp_path / "records"):
                return False
            with creations.making("room", "Lab"):
                ended(forked(carry_out))
            return True

        creations.run("room", act)

    for number in range(40 if LONG else 6):
        (tmp_path / "records").unlink(missing_ok=True)
        hosts = [forked(work) for _number in range(4)]
        time.sleep(chance.uniform(0.0, 0.1))
        kill(hosts[0])
        kill(hosts[1])
        assert [status for status in ended(*hosts) if status not in (0, -signal.SIGKILL)] == []
        ended(forked(work))
        assert list(noted(tmp_path / "records")) == ["Lab"], number


def test_after_a_writer_that_was_killed_it_is_looked_at_0_1_and_4_seconds(
    folder: Folder, tmp_path: Path, clock: Clock
) -> None:
    creations = on(folder)

    def hang() -> None:
        def act() -> None:
            with creations.making("room", "Lab"):
                note(tmp_path / "sent", "yes")
                signal.pause()

        creations.run("room", act)

    process = forked(hang)
    until((tmp_path / "sent").exists)
    kill(process)
    ended(process)
    looks: list[float] = []
    mine = on(folder, clock)

    def act() -> None:
        looks.append(clock.now - 1000)
        with mine.making("room", "Lab"):
            pass

    mine.run("room", act)
    # The very first one was taken before the lock was.
    assert looks == [0, 0, 1, 4]
    looks.clear()
    mine.run("room", act)
    assert looks == [4], "the mark was cleared"


def test_a_request_that_was_not_answered_in_time_leaves_its_mark(folder: Folder, clock: Clock) -> None:
    one, other = on(folder, clock), on(folder, clock)

    def lose(may_follow: bool) -> None:
        with one.making("room", "Lab"):
            raise OutcomeUnknown("lost", may_follow=may_follow)

    looks: list[float] = []

    def act() -> None:
        looks.append(clock.now - 1000)
        with other.making("room", "Lab"):
            pass

    for may_follow in (False, True):
        with pytest.raises(OutcomeUnknown):
            one.run("room", functools.partial(lose, may_follow))
        looks.clear()
        other.run("room", act)
        assert looks == ([0, 0, 1, 4] if may_follow else [0])


# ---- waiting


def test_a_wait_is_told_after_5_seconds_and_fails_after_lock_wait(folder: Folder, tmp_path: Path, clock: Clock) -> None:
    def keep() -> None:
        holder = on(folder)
        holder.watch(["rental_case"])
        holder.hold(["rental_case"])
        with holder.making("rental_case", "Fair"):
            note(tmp_path / "held", "yes")
            signal.pause()

    process = forked(keep)
    until((tmp_path / "held").exists)
    told: list[tuple[float, str]] = []
    mine = on(folder, clock, 600.0)
    mine.on_wait = lambda text: told.append((clock.now - 1000, text))
    with pytest.raises(LockTimeout) as caught:
        Service(tmp_path).ensure(mine, "Fair", "rental_case")
    kill(process)
    ended(process)
    assert clock.now - 1000 == pytest.approx(600, abs=1)
    ((moment, text),) = told
    assert moment == pytest.approx(5, abs=0.1)
    who = f"another process (id {process}) of this user, which makes rental cases of the same instance"
    assert text == f"Waiting for {who}."
    assert caught.value.message == (f"Waited 600 seconds (lock_wait) for {who}. No rental case was made by this task.")


# ---- a long pause


def test_during_a_long_pause_others_may_make_what_they_like(folder: Folder, tmp_path: Path) -> None:
    one, service = on(folder), Service(tmp_path)
    paused: list[bool] = []

    def act() -> bool:
        if "Lab" in service.records():
            return False
        with one.making("room", "Lab"):
            with one.paused():
                paused.append(service.ensure(on(folder, lock_wait=0.0), "Lab"))
            note(tmp_path / "records", "Lab")
        return True

    assert one.run("room", act) is False
    assert paused == [True]
    assert service.records() == ["Lab"]


def test_after_a_long_pause_in_which_nobody_made_anything_it_goes_on(folder: Folder, clock: Clock) -> None:
    one = on(folder, clock)
    done = []

    def act() -> None:
        with one.making("room", "Lab"):
            with one.paused():
                pass
            done.append("sent")

    one.run("room", act)
    assert done == ["sent"]
    assert clock.slept == []


# ---- many records


def test_who_holds_a_lock_learns_which_kinds_have_moved(folder: Folder, tmp_path: Path) -> None:
    many = on(folder)
    many.watch(["location", "room", "person"])
    Service(tmp_path).ensure(on(folder), "Lab", "room")
    assert many.hold(["location", "room"]) == {"room"}
    assert many.hold(["location", "room"]) == set()
    with many.making("room", "Halle"), many.making("person", "ada"):
        pass
    many.leave()
    assert not many.have_moved("room")


def test_a_lock_is_free_again_when_it_is_left(folder: Folder, tmp_path: Path) -> None:
    many = on(folder)
    many.watch(["room"])
    many.hold(["room"])
    many.leave()
    assert Service(tmp_path).ensure(on(folder, lock_wait=0.0), "Lab")


# ---- not shared


def test_a_kind_that_nobody_watches_is_made_without_a_lock(folder: Folder) -> None:
    with on(folder).making("room", "Lab"):
        pass
    assert list(folder.path.iterdir()) == []


def test_where_nothing_is_shared_it_is_made_all_the_same(tmp_path: Path) -> None:
    service = Service(tmp_path)
    assert service.ensure(Creations(), "Lab")
    assert not service.ensure(Creations(), "Lab")


def test_nothing_but_what_was_meant_ends_the_loop(folder: Folder) -> None:
    creations = on(folder)
    times = []

    def act() -> int:
        times.append(1)
        if len(times) < 3:
            raise CreatedMeanwhile
        return len(times)

    forgotten: list[int] = []
    assert creations.run("room", act, lambda: forgotten.append(1)) == 3
    assert len(forgotten) == 2
