# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Processes of one user ensure the same location while something is wrong with their shared files."""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import processes
import pytest
import steps
from emulator_process import Emulator
from set_actions import run_set

from ansible_collections.community.seventhings.plugins.module_utils.client.connection import connect
from ansible_collections.community.seventhings.plugins.module_utils.runtime import places

LATENCY = 0.4


class Bench:
    """A service that creates locations slowly, and processes that write their results into a file."""

    def __init__(self, service: Emulator, path: Path) -> None:
        self.service = service
        self.path = path
        self.hosts: list[int] = []
        service.reset()
        service.steer(
            "POST", "/faults", {"fault": "latency", "seconds": LATENCY, "method": "POST", "path": "/location"}
        )

    def options(self, **more: Any) -> dict[str, Any]:
        return {"base_url": self.service.base_url, **self.service.account(), "rate_limit": 0, **more}

    def ensure(self, environment: Mapping[str, str] | None = None, **options: Any) -> None:
        """Start a process with some environment that ensures the location."""

        def work() -> None:
            os.environ.pop("XDG_RUNTIME_DIR", None)
            os.environ.update(environment or {})
            given = self.options(fields={"name": "Mill", "city": "Halle"}, **options)
            done = steps.call("location", given, client_of=connect).data
            processes.note(self.path / "results", json.dumps(done))

        self.hosts.append(processes.forked(work))

    def results(self) -> list[dict[str, Any]]:
        """Return the results of all processes after they ended."""
        assert processes.ended(*self.hosts) == [0] * len(self.hosts)
        return [json.loads(line) for line in processes.noted(self.path / "results")]

    def posts(self) -> int:
        return len(
            [
                request
                for request in self.service.log()
                if request["method"] == "POST" and request["path"].endswith("/location")
            ]
        )

    def provision(self) -> dict[str, Any]:
        """Apply a directory with the location, in this process."""
        src = self.path / "src"
        src.mkdir(exist_ok=True)
        (src / "instance.yml").write_text("api: seventhings/v1\nset: processes\n")
        (src / "locations.yml").write_text("- {name: Mill, city: Halle}\n")
        written = self.options(src=str(src))
        return run_set(written)

    def created_once(self) -> None:
        """Check that one process created the location, and the others found it."""
        done = self.results()
        assert [result["msg"] for result in done if result.get("failed")] == []
        assert sum(result["changed"] for result in done) == 1
        assert self.posts() == 1


@pytest.fixture
def bench(emulator: Emulator, tmp_path: Path) -> Bench:
    return Bench(emulator, tmp_path)


@pytest.fixture
def common(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the user have a home directory and a session, and name no directory."""
    for name in ("home", "session"):
        (tmp_path / name).mkdir()
    monkeypatch.delenv("SEVENTHINGS_RUNTIME_DIR")
    user = pwd.getpwuid(os.geteuid())[:5]
    monkeypatch.setattr(pwd, "getpwuid", lambda _uid: pwd.struct_passwd((*user, str(tmp_path / "home"), "/bin/sh")))
    monkeypatch.setattr(places, "_SESSIONS", tmp_path / "run")


@pytest.mark.usefixtures("common")
def test_cron_and_a_session_create_one_record(bench: Bench, tmp_path: Path) -> None:
    for environment in ({"XDG_RUNTIME_DIR": str(tmp_path / "session")}, {"TMPDIR": str(tmp_path)}, {"HOME": "/"}) * 2:
        bench.ensure(environment)
    bench.created_once()


def locks(path: Path) -> list[Path]:
    return sorted(path.glob("create-*"))


@pytest.mark.sample(1)
@pytest.mark.parametrize("spelling", [("127.0.0.1", "localhost"), ("127.0.0.1", "LOCALHOST."), ("127.0.0.1", "127.1")])
def test_spellings_of_a_root_create_one_record(bench: Bench, spelling: tuple[str, str]) -> None:
    for _number in range(3):
        bench.ensure()
        bench.ensure(base_url=bench.service.base_url.replace(*spelling) + "/")
    bench.created_once()


# ---- a full disk


@contextlib.contextmanager
def small_disk(path: Path, options: str) -> Iterator[None]:
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "none", str(path)], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield
    finally:
        # The rate limit of this process keeps a file open.
        subprocess.run(["umount", "--lazy", str(path)], check=False)


def fill(path: Path) -> None:
    with contextlib.suppress(OSError), (path / "filler").open("wb") as filler:
        while True:
            filler.write(b"x" * 4096)
            filler.flush()


def fill_inodes(path: Path) -> None:
    with contextlib.suppress(OSError):
        for number in range(100):
            (path / f"filler-{number}").touch()


def make_read_only(path: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(path)], check=True)


@pytest.mark.sample(2)
@pytest.mark.parametrize("state", ["used", "fresh"])
@pytest.mark.parametrize("breaks", [fill, fill_inodes, make_read_only])
def test_a_disk_that_can_not_be_written_creates_nothing_twice(
    state: str, breaks: Callable[[Path], None], bench: Bench, runtime_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The only place for locks is on that disk. If no lock can be taken, the error says what to do."""
    monkeypatch.setattr(places, "_places_of_the_user", lambda: iter(()))
    monkeypatch.setattr(places, "_SESSIONS", runtime_home / "none")
    disk = runtime_home.with_name(runtime_home.name + "-disk")
    disk.mkdir()
    with small_disk(disk, "size=64k,nr_inodes=60,mode=700"):
        monkeypatch.setenv("SEVENTHINGS_RUNTIME_DIR", str(disk))
        if state == "used":
            first = {"fields": {"name": "Barn", "city": "Halle"}}
            assert steps.call("location", bench.options(**first), client_of=connect)["changed"]
        breaks(disk)
        for _number in range(4):
            bench.ensure()
        done = bench.results()
        failed = [result["msg"] for result in done if result.get("failed")]
        assert bench.posts() - (state == "used") == (0 if failed else 1), done
        assert len(failed) in (0, 4)
        assert sum(result["changed"] for result in done) == (0 if failed else 1)
        provisioned = bench.provision()
        assert bool(provisioned.get("failed")) == bool(failed)
        assert "Errno" not in json.dumps([done, provisioned], default=str)
        for message in (*failed, *([provisioned["msg"]] if failed else [])):
            assert "SEVENTHINGS_RUNTIME_DIR may name a directory" in message
    assert failed == [] or state == "fresh" or breaks is make_read_only


# ---- something else in place of a lock


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_something_else_in_place_of_a_lock_stops_creations_and_no_reads(
    make: Callable[[Path], None], bench: Bench, runtime_home: Path
) -> None:
    assert (
        steps.call("location", bench.options(fields={"name": "Mill"}, state="absent"), client_of=connect)["changed"]
        is False
    )
    for lock in locks(runtime_home):
        lock.unlink()
        make(lock)
    for _number in range(3):
        bench.ensure()
    done = bench.results()
    assert all(result["failed"] and result["msg"].endswith("Remove it.") for result in done)
    assert "is not a regular file" in done[0]["msg"]
    assert bench.posts() == 0
    provisioned = bench.provision()
    assert provisioned["failed"]
    assert "is not a regular file" in provisioned["msg"]
    assert bench.posts() == 0
    assert steps.call("location_info", bench.options(), client_of=connect)["count"] > 0
