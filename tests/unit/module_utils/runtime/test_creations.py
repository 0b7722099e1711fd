# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Of many processes that ensure one record, only one creates it.

Files in a folder simulate the records of the service.
"""

from __future__ import annotations

import math
import os
import random
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from processes import ended, forked, kill, note, noted, until
from project import LONG

from ansible_collections.community.seventhings.plugins.module_utils.errors import OutcomeUnknown, service_error
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.runtime.changes import seconds_left
from ansible_collections.community.seventhings.plugins.module_utils.runtime.creations import (
    CreatedMeanwhile,
    Creations,
    LockRefused,
    LockTimeout,
)
from ansible_collections.community.seventhings.plugins.module_utils.runtime.store import Store

from ..support import Clock

REFUSAL = service_error(422, "taken", "POST /room")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    path = tmp_path / "runtime"
    path.mkdir(0o700)
    return Folder(path, os.geteuid())


class Service:
    """A service with records in lines of a file. A request takes a moment."""

    def __init__(self, path: Path, seconds: float = 0.0) -> None:
        self.path = path
        self.seconds = seconds

    def ensure(self, creations: Creations, name: str, kind: str = "room") -> bool:
        """Look for a record, and create it if it is missing. Return True if it was created."""

        def act() -> bool:
            note(self.path / "reads", name)
            if name in noted(self.path / "records"):
                return False
            with creations.making(kind):
                time.sleep(self.seconds)
                note(self.path / "records", name)
            return True

        return creations.run(kind, act)

    def reads(self) -> int:
        return len(list(noted(self.path / "reads")))

    def records(self) -> list[str]:
        return list(noted(self.path / "records"))


def on(
    folder: Folder, clock: Clock | None = None, lock_wait: float = 60.0, settle: float = 30.0, behind: float = 0.0
) -> Creations:
    """Return the locks of a process.

    :param behind: seconds by which its wall clock is slow.
    """
    if clock is None:
        return Creations(folder, "acme", lock_wait, settle=settle)
    return Creations(
        folder, "acme", lock_wait, clock=clock, sleep=clock.sleep, settle=settle, now=lambda: clock.now - behind
    )


def test_a_creator_without_competitors_reads_once(folder: Folder, tmp_path: Path) -> None:
    service = Service(tmp_path)
    for number in range(3):
        assert service.ensure(on(folder), f"room {number}")
    assert service.reads() == 3


def test_one_of_many_concurrent_creators_creates_the_record(folder: Folder, tmp_path: Path) -> None:
    service = Service(tmp_path, 0.01)

    def work() -> None:
        until((tmp_path / "go").exists)
        note(tmp_path / "changed", service.ensure(on(folder), "Lab"))

    hosts = [forked(work) for _number in range(30 if LONG else 8)]
    (tmp_path / "go").touch()
    assert set(ended(*hosts)) == {0}
    assert service.records() == ["Lab"]
    assert sorted(noted(tmp_path / "changed"))[-2:] == ["False", "True"]


def test_with_nothing_to_do_nobody_waits(folder: Folder, tmp_path: Path) -> None:
    service = Service(tmp_path)
    service.ensure(on(folder), "Lab")
    owner = on(folder)
    owner.watch(["room"])
    owner.hold(["room"])
    assert service.ensure(on(folder, lock_wait=0.0), "Lab") is False
    owner.leave()


def test_watching_a_kind_again_keeps_its_first_state(folder: Folder, tmp_path: Path) -> None:
    """Lists may be read before the run begins that creates records."""
    early = on(folder)
    early.watch(["room"])
    Service(tmp_path).ensure(on(folder), "Lab")
    early.watch(["room", "location"])
    assert early.hold(["location", "room"]) == {"room"}
    early.leave()


def test_kinds_have_a_lock_each(folder: Folder, tmp_path: Path) -> None:
    owner = on(folder)
    owner.watch(["room"])
    owner.hold(["room"])
    assert Service(tmp_path).ensure(on(folder, lock_wait=0.0), "Halle", "location")
    owner.leave()


# ---- kills


@pytest.mark.slow
def test_kills_leave_no_lock_and_no_duplicate(folder: Folder, tmp_path: Path) -> None:
    """The service completes the request of a killed sender in a process of its own."""
    chance = random.Random(11)

    def carry_out() -> None:
        os.setsid()
        time.sleep(0.05)
        note(tmp_path / "records", "Lab")
        note(tmp_path / "answers", "made")

    def work() -> None:
        creations = on(folder, settle=0.4)

        def act() -> bool:
            if "Lab" in noted(tmp_path / "records"):
                return False
            with creations.making("room"):
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


def moments_of_reads(folder: Folder, clock: Clock, *, kind: str = "room", **options: Any) -> list[float]:
    """Create a record with an existing mark. Return the times of the reads; the first is always immediate."""
    reads: list[float] = []
    began, mine = clock.now, on(folder, clock, **options)

    def act() -> None:
        reads.append(clock.now - began)
        with mine.making(kind):
            pass

    mine.run(kind, act)
    return reads


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_an_interrupted_writer_costs_one_horizon_and_one_re_read(
    folder: Folder, tmp_path: Path, clock: Clock, number: signal.Signals
) -> None:
    def hang() -> None:
        creations = on(folder, clock)

        def act() -> None:
            with creations.making("room"):
                note(tmp_path / "sent", "yes")
                signal.pause()

        creations.run("room", act)

    process = forked(hang)
    until((tmp_path / "sent").exists)
    os.kill(process, number)
    ended(process)
    assert moments_of_reads(folder, clock) == [0, 30]
    assert moments_of_reads(folder, clock) == [0], "the mark was cleared"


class Interrupted(BaseException):
    """Raised by a signal during a request, because Ansible passes signals on to its workers."""


def leave_a_mark(folder: Folder, clock: Clock, error: BaseException | None = None) -> None:
    creations = on(folder, clock)

    def act() -> None:
        with creations.making("room"):
            raise error or Interrupted

    with pytest.raises(type(error or Interrupted())):
        creations.run("room", act)


@pytest.mark.parametrize(
    ("later", "options", "reads"),
    [
        (12.0, {}, [0, 18]),
        (30.0, {}, [0, 0]),
        (3600.0, {}, [0, 0]),
        (0.0, {"settle": 60.0}, [0, 60]),
        (0.0, {"settle": 0.0}, [0, 0]),
        # The clock was set back meanwhile, so the mark has a time in the future.
        (5.0, {"behind": 3600.0}, [0, 30]),
    ],
)
def test_a_mark_counts_until_it_is_as_old_as_the_horizon(
    folder: Folder, clock: Clock, later: float, options: dict[str, Any], reads: list[float]
) -> None:
    leave_a_mark(folder, clock)
    clock.now += later
    assert moments_of_reads(folder, clock, **options) == reads


@pytest.mark.parametrize(
    ("error", "reads"),
    [
        (OutcomeUnknown("HTTP 504", 504), [0, 30]),
        (OutcomeUnknown("no answer in time", may_follow=True), [0, 30]),
        (OutcomeUnknown("HTTP 500 of the service", 500, is_lost=False), [0]),
        (REFUSAL, [0]),
    ],
)
def test_a_lost_answer_leaves_its_mark_and_a_refusal_does_not(
    folder: Folder, clock: Clock, error: Exception, reads: list[float]
) -> None:
    leave_a_mark(folder, clock, error)
    assert moments_of_reads(folder, clock) == reads


def lose(many: Creations) -> None:
    with pytest.raises(OutcomeUnknown), many.making("room"):
        raise OutcomeUnknown("HTTP 504", 504)


def create(many: Creations) -> None:
    with many.making("room"):
        pass


def find(many: Creations) -> None:
    with many.making("room"):
        many.lose()


def replace(many: Creations) -> None:
    with many.making("room", is_replaced=True):
        pass


@pytest.mark.parametrize(
    ("steps", "is_marked"),
    [
        ([create, create], False),
        ([replace], False),
        ([find], False),
        ([lose], True),
        ([lose, create], True),
        ([lose, Creations.settled], False),
        ([lose, Creations.settled, create], False),
    ],
)
def test_a_mark_stays_only_if_a_request_may_still_take_effect(
    folder: Folder, clock: Clock, steps: list[Callable[[Creations], None]], is_marked: bool
) -> None:
    """If the process is killed now, other processes wait only for a mark."""
    many = on(folder, clock)
    many.watch(["room"])
    many.hold(["room"])
    for step in steps:
        step(many)
    assert process_in(folder) == (os.getpid() if is_marked else 0)
    many.leave()
    assert moments_of_reads(folder, clock) == ([0, 30] if is_marked else [0])


def test_the_mark_stays_until_the_last_of_concurrent_creations_ends(folder: Folder, clock: Clock) -> None:
    many = on(folder, clock)
    many.watch(["room"])
    with many.making("room"):
        create(many)
        assert process_in(folder) == os.getpid()
    assert process_in(folder) == 0
    many.leave()


def test_the_moment_of_a_mark_is_that_of_the_request_and_not_that_of_a_pause_before_it(
    folder: Folder, clock: Clock
) -> None:
    creations = on(folder, clock)

    def act() -> None:
        with creations.making("room"):
            # Uploads, the rate limit and other requests happen before the creation.
            clock.now += 50
            creations.refresh()
            raise Interrupted

    with pytest.raises(Interrupted):
        creations.run("room", act)
    assert moments_of_reads(folder, clock) == [0, 30]


@pytest.mark.parametrize("content", [b"something else", b'{"facts": 5, "number": 7}\n', b'{"facts": {}, "numb'])
def test_marks_that_were_lost_cost_every_kind_one_horizon(folder: Folder, clock: Clock, content: bytes) -> None:
    path = folder.path / "facts-acme.json"
    path.write_bytes(content)
    path.chmod(0o600)
    for kind, seconds in (("room", 30), ("location", 0)):
        assert moments_of_reads(folder, clock, kind=kind) in ([0, seconds], [0])
    assert clock.now == 1030
    assert moments_of_reads(folder, clock) == [0]


@pytest.mark.parametrize("step", [lambda _many: None, Creations.settled])
def test_a_lock_without_a_creation_makes_nobody_read_again(
    folder: Folder, clock: Clock, step: Callable[[Creations], None]
) -> None:
    """That is also true a horizon after all marks were lost."""
    path = folder.path / "facts-acme.json"
    path.write_bytes(b"something else")
    path.chmod(0o600)
    assert moments_of_reads(folder, clock) == [0, 30]
    other, many = on(folder, clock), on(folder, clock)
    for creations in (other, many):
        creations.watch(["room"])
    assert many.hold(["room"]) == set()
    step(many)
    many.leave()
    assert other.hold(["room"]) == set()
    other.leave()


def test_who_waited_for_an_interrupted_process_clears_its_mark_even_without_a_creation(
    folder: Folder, clock: Clock
) -> None:
    leave_a_mark(folder, clock)
    mine, reads = on(folder, clock), []

    def act() -> None:
        reads.append(clock.now)
        if len(reads) == 1:
            create(mine)

    mine.run("room", act)
    assert reads == [1000, 1030]
    assert process_in(folder) == 0


def test_a_mark_that_cannot_be_read_at_the_end_does_not_stop_anybody(folder: Folder, clock: Clock) -> None:
    many = on(folder, clock)
    many.watch(["room"])
    many.hold(["room"])
    path = folder.path / "facts-acme.json"
    path.unlink()
    path.mkdir()
    many.leave()
    path.rmdir()
    assert moments_of_reads(folder, clock) == [0]


def test_the_time_left_until_a_mark_counts_no_more_is_never_negative(folder: Folder, clock: Clock) -> None:
    leave_a_mark(folder, clock)
    many = on(folder, clock)
    many.watch(["room"])
    assert many.seconds_to_settle() is None
    assert many.hold(["room"]) == {"room"}
    assert many.seconds_to_settle() == 30.0
    clock.now += 40
    assert many.seconds_to_settle() == 0.0
    many.leave()


@pytest.mark.parametrize(
    ("age", "left"), [(0, 30.0), (12, 18.0), (30, 0.0), (31, 0.0), (-1, 30.0), (-math.inf, 30.0), (math.inf, 0.0)]
)
def test_the_whole_horizon_is_left_for_a_moment_that_is_unknown_or_in_the_future(age: float, left: float) -> None:
    assert seconds_left(1000 - age, 1000, 30.0) == left


def test_a_mark_that_cannot_be_written_is_reported_once(
    folder: Folder, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages: list[str] = []
    creations = Creations(folder, "acme", on_problem=messages.append, clock=clock, sleep=clock.sleep, now=clock)
    creations.watch(["room"])

    def full(*_arguments: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    for _creation in range(2):
        with creations.making("room"):
            pass
    creations.leave()
    why = "No space left on device. Other processes therefore read again before they create a record."
    assert messages == [f"{folder.path / 'facts-acme.json'}: {why}"]


def process_in(folder: Folder) -> int:
    """Return the process of the mark; 0 without one."""
    with Store(folder).changing("acme") as facts:
        process, _moment = facts.get("creating", "room") or (0, 0.0)
        return int(process)


def test_a_request_outside_of_a_creation_has_no_mark(folder: Folder) -> None:
    creations = on(folder)
    creations.refresh()
    with creations.paused():
        pass
    assert list(folder.path.iterdir()) == []


def test_threads_that_create_at_once_wait_side_by_side_and_outside_of_all_mutexes(folder: Folder, clock: Clock) -> None:
    leave_a_mark(folder, clock)

    def sleep_while_another_kind_is_created(seconds: float) -> None:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(create, "location").result(timeout=20)
        clock.sleep(seconds)

    def create(kind: str) -> None:
        with many.making(kind):
            pass

    many = Creations(folder, "acme", 60.0, clock=clock, sleep=sleep_while_another_kind_is_created, now=clock)
    many.watch(["room", "location"])
    assert many.hold(["room"]) == {"room"}
    with pytest.raises(CreatedMeanwhile):
        create("room")
    create("room")
    many.leave()
    assert clock.slept == [30.0]


# ---- waiting


def test_a_wait_is_reported_after_5_seconds_and_fails_after_lock_wait(
    folder: Folder, tmp_path: Path, clock: Clock
) -> None:
    def keep() -> None:
        owner = on(folder)
        owner.watch(["rental_case"])
        owner.hold(["rental_case"])
        with owner.making("rental_case"):
            note(tmp_path / "held", "yes")
            signal.pause()

    process = forked(keep)
    until((tmp_path / "held").exists)
    messages: list[tuple[float, str]] = []
    mine = on(folder, clock, 600.0)
    mine.on_wait = lambda text: messages.append((clock.now - 1000, text))
    with pytest.raises(LockTimeout) as caught:
        Service(tmp_path).ensure(mine, "Fair", "rental_case")
    kill(process)
    ended(process)
    assert clock.now - 1000 == pytest.approx(600, abs=1)
    ((moment, text),) = messages
    assert moment == pytest.approx(5, abs=0.1)
    who = "another process of this user, which creates rental cases of the same instance"
    assert text == f"Waiting for {who}."
    assert caught.value.message == (
        f"Waited 600 seconds (tuning.lock_wait) for {who}. No rental case was created by this task."
    )


@pytest.mark.parametrize(
    ("later", "messages"),
    [
        (0.0, ["Waiting 30 seconds: an interrupted process sent a request that may still create a room."]),
        (24.9, ["Waiting 5 seconds: an interrupted process sent a request that may still create a room."]),
        (25.0, []),
    ],
)
def test_a_wait_for_an_interrupted_process_is_reported_if_it_is_long(
    folder: Folder, clock: Clock, later: float, messages: list[str]
) -> None:
    leave_a_mark(folder, clock)
    clock.now += later
    reported: list[str] = []
    creations = on(folder, clock)
    creations.on_wait = reported.append
    creations.watch(["room"])
    with pytest.raises(CreatedMeanwhile), creations.making("room"):
        pass
    creations.leave()
    assert reported == messages


# ---- a long pause


def test_during_a_long_pause_others_may_make_what_they_like(folder: Folder, tmp_path: Path) -> None:
    creations, service = on(folder), Service(tmp_path)
    paused: list[bool] = []

    def act() -> bool:
        if "Lab" in service.records():
            return False
        with creations.making("room"):
            with creations.paused():
                paused.append(service.ensure(on(folder, lock_wait=0.0), "Lab"))
            note(tmp_path / "records", "Lab")
        return True

    assert creations.run("room", act) is False
    assert paused == [True]
    assert service.records() == ["Lab"]


def test_after_a_long_pause_in_which_nobody_created_anything_it_goes_on(folder: Folder, clock: Clock) -> None:
    creations = on(folder, clock)
    done = []

    def act() -> None:
        with creations.making("room"):
            with creations.paused():
                assert process_in(folder) == 0
            assert process_in(folder) == os.getpid()
            done.append("sent")

    creations.run("room", act)
    assert done == ["sent"]
    assert clock.slept == []


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_long_pause_after_a_lost_answer_keeps_the_mark(folder: Folder, clock: Clock, is_replaced: bool) -> None:
    """Examples are the pause during an outage, and the search for the result of a request."""
    creations = on(folder, clock)
    reads: list[list[float]] = []

    def act() -> None:
        with creations.making("room", is_replaced):
            if not reads:
                creations.lose()
                with creations.paused():
                    reads.append(moments_of_reads(folder, clock))

    creations.run("room", act)
    assert reads == [[0, 30]]


def test_after_a_pause_a_process_does_not_wait_for_its_own_lost_request(folder: Folder, clock: Clock) -> None:
    many = on(folder, clock)
    many.watch(["room"])
    with many.making("room"):
        many.lose()
        with many.paused():
            pass
    assert many.seconds_to_settle() is None
    many.leave()


def test_after_a_pause_only_the_earlier_locks_are_owned(folder: Folder, tmp_path: Path) -> None:
    many = on(folder)
    many.watch(["room", "location"])
    many.hold(["room"])
    with many.paused():
        pass
    assert Service(tmp_path).ensure(on(folder, lock_wait=0.0), "Halle", "location")
    many.leave()


def test_what_others_created_during_one_pause_is_known_after_the_next(folder: Folder, tmp_path: Path) -> None:
    many = on(folder)
    many.watch(["room"])
    many.hold(["room"])
    with many.paused():
        Service(tmp_path).ensure(on(folder), "Lab")
    with many.paused():
        pass
    assert many.have_moved("room")
    many.leave()


def test_a_creation_that_fails_during_a_pause_is_no_problem_of_its_place(folder: Folder, clock: Clock) -> None:
    messages: list[str] = []
    many = Creations(folder, "acme", on_problem=messages.append, clock=clock, sleep=clock.sleep, now=clock)
    many.watch(["room"])
    with pytest.raises(type(REFUSAL)), many.making("room"), many.paused():
        raise REFUSAL
    many.leave()
    assert messages == []


# ---- many records


def test_the_owner_of_a_lock_learns_which_kinds_have_changed(folder: Folder, tmp_path: Path) -> None:
    many = on(folder)
    many.watch(["location", "room", "person"])
    Service(tmp_path).ensure(on(folder), "Lab", "room")
    assert many.hold(["location", "room"]) == {"room"}
    assert many.hold(["location", "room"]) == set()
    with many.making("room"), many.making("person"):
        pass
    assert not many.have_moved("room")
    many.leave()
    assert not many.have_moved("room")


def test_a_lock_that_is_removed_again_and_again_is_reported_once(folder: Folder, clock: Clock) -> None:
    messages: list[str] = []
    creations = Creations(folder, "acme", on_problem=messages.append, clock=clock, sleep=clock.sleep, now=clock)
    creations.watch(["room"])
    creations.hold(["room"])
    for _removal in range(2):
        (folder.path / "create-acme-room").unlink()
        with pytest.raises(CreatedMeanwhile), creations.making("room"):
            pass
    creations.leave()
    assert len(messages) == 1
    assert "create-acme-room was removed during the run" in messages[0]


# ---- not shared


def test_a_kind_that_nobody_watches_is_created_without_a_lock(folder: Folder) -> None:
    with on(folder).making("room"):
        pass
    assert list(folder.path.iterdir()) == []


def test_where_nothing_is_shared_it_is_created_all_the_same(tmp_path: Path) -> None:
    service = Service(tmp_path)
    assert service.ensure(Creations(), "Lab")
    assert not service.ensure(Creations(), "Lab")


def test_without_a_place_of_this_user_nothing_of_a_watched_kind_is_created() -> None:
    creations = Creations(refusal="there is no directory that is this user's alone")
    creations.watch(["room"])
    for attempt in (lambda: create(creations), lambda: creations.hold(["location", "room"])):
        with pytest.raises(LockRefused) as caught:
            attempt()
        assert caught.value.message == (
            "there is no directory that is this user's alone. Other processes of this user may therefore create the "
            "same record, so no room was created by this task. SEVENTHINGS_RUNTIME_DIR may name a directory for it."
        )


def test_who_creates_nothing_takes_no_lock(folder: Folder) -> None:
    assert on(folder).run("", lambda: "done") == "done"
    assert list(folder.path.iterdir()) == []


# ---- changes


def test_a_lost_change_is_waited_for_by_all_processes_of_its_instance(folder: Folder, clock: Clock) -> None:
    with pytest.raises(Interrupted), on(folder, clock).changing("one"):
        raise Interrupted
    clock.now += 12
    reported: list[str] = []
    elsewhere, mine = Creations(folder, "other", now=clock), on(folder, clock)
    mine.on_wait = reported.append
    assert not elsewhere.settle_changes(["ONE"])
    assert mine.settle_changes(["two", "ONE"])
    assert reported == [
        "Waiting: the answer to an earlier change of the same record was lost, and it may still take effect."
    ]
    assert clock.now == pytest.approx(1030)


def test_a_function_runs_again_until_no_other_process_created_records(folder: Folder) -> None:
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
