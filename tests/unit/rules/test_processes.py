# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes of one user never create a record twice, whatever happens to their shared files.

A folder simulates the service: a line is a record.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from processes import ended, forked, note, noted, until

from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.runtime.creations import (
    CreatedMeanwhile,
    Creations,
    LockRefused,
)
from ansible_collections.community.seventhings.plugins.module_utils.runtime.token_store import (
    Credentials,
    Pair,
    TokenStore,
)

from ..module_utils.support import Clock

LOCK = "create-acme-room"


class Bench:
    """A place, and rooms that processes ensure.

    :ivar place: the directory. :ivar warnings: of this process.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.place = path / "place"
        self.place.mkdir(0o700)
        self.warnings: list[str] = []

    def creations(self, clock: Clock | None = None) -> Creations:
        time = (clock, clock.sleep) if clock else ()
        return Creations(Folder(self.place, os.geteuid()), "acme", 60.0, self.warnings.append, *time)

    def ensure(self, creations: Creations, name: str = "Lab", meanwhile: Callable[[], object] = lambda: None) -> bool:
        """Look for a room, and create it if it is missing. Return True if it was created.

        :param meanwhile: called while the request is pending.
        """

        def act() -> bool:
            note(self.path / "looks", name)
            if name in self.rooms():
                return False
            with creations.making("room"):
                meanwhile()
                note(self.path / "rooms", name)
            return True

        return creations.run("room", act)

    def rooms(self) -> list[str]:
        return list(noted(self.path / "rooms"))

    def reads(self) -> int:
        return len(list(noted(self.path / "looks")))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def beside(bench: Bench) -> int:
    """Start another process that ensures the same room, and notes that it has begun."""

    def work() -> None:
        note(bench.path / "begun", "yes")
        note(bench.path / "changed", bench.ensure(bench.creations()))

    return forked(work)


def changed(bench: Bench) -> list[str]:
    return sorted(noted(bench.path / "changed"))


# ---- a removed place


def test_a_lock_of_a_removed_place_is_taken_anew_before_it_is_relied_on(bench: Bench, clock: Clock) -> None:
    """Another process took the new lock in between, and created the room."""
    owner = bench.creations(clock=clock)
    owner.watch(["room"])
    owner.hold(["room"])
    assert bench.rooms() == []
    shutil.rmtree(bench.place)
    assert bench.ensure(bench.creations(clock=clock))
    with pytest.raises(CreatedMeanwhile), owner.making("room"):
        pass
    assert owner.have_moved("room")
    (warning,) = bench.warnings
    assert warning == (
        f"{bench.place / LOCK} was removed during the run, by a cleaner of temporary files or at the end of a "
        f"session, and was created anew. SEVENTHINGS_RUNTIME_DIR may name a directory that stays."
    )
    other = beside(bench)
    until(lambda: bench.reads() == 2)
    with owner.making("room"):
        note(bench.path / "rooms", "Hall")
    owner.leave()
    assert ended(other) == [0]
    assert bench.rooms() == ["Lab", "Hall"]


def test_a_process_that_waited_for_a_removed_lock_takes_the_new_lock(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    others: list[int] = []

    def meanwhile() -> None:
        others.append(beside(bench))
        until(lambda: bench.reads() == 2)
        shutil.rmtree(bench.place)

    assert bench.ensure(bench.creations(), meanwhile=meanwhile)
    assert ended(*others) == [0]
    assert bench.rooms() == ["Lab"]
    assert (bench.place / LOCK).exists()
    assert bench.place.stat().st_mode & 0o777 == 0o700


def test_after_a_removal_tokens_are_shared_in_the_new_directory(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "place", os.geteuid())
    account = Credentials(username="ada", password="secret", client_id="client")
    first, second = (TokenStore(folder, "https://acme.test", account) for _process in range(2))
    pair = Pair("token", None, None, 1, 0.0)
    first.keep(pair)
    assert second.read() == pair
    shutil.rmtree(tmp_path / "place")
    assert second.read() is None
    with second.renewing(1.0):
        second.keep(pair)
    assert first.read() == pair


# ---- a full disk, and one that can't be written


def _break(monkeypatch: pytest.MonkeyPatch, number: int, call: str) -> None:
    """Make system calls that write fail, except those that truncate a file."""

    def broken(*_arguments: object, **_options: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, call, broken)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_a_full_disk_releases_no_lock(number: int, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The creation can't be noted. So the other process reads once more, although it has already read."""
    other = bench.creations()
    other.watch(["room"])
    _break(monkeypatch, number, "pwrite")
    assert bench.ensure(bench.creations())
    (warning,) = {warning.partition(":")[2] for warning in bench.warnings}
    assert warning == f" {os.strerror(number)}. Other processes therefore read again before they create a record."
    monkeypatch.undo()
    assert other.hold(["room"]) == {"room"}


def test_on_a_full_disk_two_processes_exclude_each_other(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    _break(monkeypatch, errno.ENOSPC, "pwrite")
    others: list[int] = []

    def meanwhile() -> None:
        others.extend(beside(bench) for _number in range(3))
        until(lambda: bench.reads() == 4)

    assert bench.ensure(bench.creations(), meanwhile=meanwhile)
    assert ended(*others) == [0, 0, 0]
    assert bench.rooms() == ["Lab"]
    assert changed(bench) == ["False"] * 3


def test_without_a_working_lock_nothing_is_created(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(_descriptor: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with pytest.raises(LockRefused) as caught:
        bench.ensure(bench.creations())
    assert caught.value.message == (
        f"{bench.place / LOCK}: No locks available. Other processes of this user may therefore create the same "
        "record, so no room was created by this task. SEVENTHINGS_RUNTIME_DIR may name a directory for it."
    )
    assert bench.rooms() == []
    assert not bench.creations().run("room", lambda: False), "who creates nothing needs no lock"


# ---- something else in place of a lock


def _obstruct(path: Path, what: str) -> None:
    if what == "directory":
        path.mkdir()
    elif what == "pipe":
        os.mkfifo(path)
    elif what == "socket":
        with socket.socket(socket.AF_UNIX) as obstacle:
            # The path of a socket must be short.
            here = Path.cwd()
            os.chdir(path.parent)
            obstacle.bind(path.name)
            os.chdir(here)
    elif what == "link":
        path.symlink_to(path.with_name("elsewhere"))
    elif what == "hard link":
        path.with_name("elsewhere").write_bytes(b"")
        path.hardlink_to(path.with_name("elsewhere"))
    else:
        path.write_bytes(b"")
        if what == "others may write":
            path.chmod(0o622)
        else:
            os.chown(path, 65534, 65534)


OBSTRUCTIONS = {
    "directory": "is not a regular file",
    "pipe": "is not a regular file",
    "socket": "is not a regular file",
    "link": "is a link; expected a regular file",
    "hard link": "is linked to a file of another name; expected one of its own",
    "others may write": "can be written by others (mode 0622)",
    "another owner": "belongs to another user (uid 65534)",
}


@pytest.mark.parametrize("what", OBSTRUCTIONS)
@pytest.mark.parametrize("name", [LOCK, "facts-acme.json"])
def test_something_else_in_place_of_a_lock_is_named_and_nothing_is_created(what: str, name: str, bench: Bench) -> None:
    if what == "another owner" and os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    lock = bench.place / name
    _obstruct(lock, what)
    before = lock.lstat()
    with pytest.raises(LockRefused) as caught:
        bench.ensure(bench.creations())
    assert caught.value.message == (
        f"{lock} {OBSTRUCTIONS[what]}. Other processes of this user may therefore create the same record, "
        "so no room was created by this task. Remove it."
    )
    assert bench.rooms() == []
    assert lock.lstat() == before
    assert not bench.place.joinpath("elsewhere").exists() or what == "hard link"
    note(bench.path / "rooms", "Lab")
    assert not bench.ensure(bench.creations()), "a room that exists needs no lock"
    # No lock is left.
    lock.rename(bench.path / "aside")
    assert bench.ensure(bench.creations(), "Hall")
