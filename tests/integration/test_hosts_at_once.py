# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many hosts ensure one record at the same moment: one creates it, and the others find it.

The hosts are forked processes, like Ansible's workers.
"""

from __future__ import annotations

import datetime as dt
import fcntl
import json
import os
import random
import signal
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import playbook
import processes
import pytest
import steps
from emulator_process import Emulator
from project import LONG
from set_actions import run_set

from ansible_collections.community.seventhings.plugins.module_utils.client.connection import connect
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.runtime.store import Store

ROUNDS = 3 if LONG else 1
PLAYS = 3 if LONG else 1
HOSTS = (5, 10, 30) if LONG else (5,)
USER = "bernd.kowalski@nordhain.example"

# Three rounds of thirty processes take minutes on a busy machine.
pytestmark = [pytest.mark.timeout(1800)] if LONG else []


@dataclass(frozen=True)
class Making:
    """A record that a module creates: the options and the request."""

    module: str
    options: Mapping[str, Any]
    post: str
    more: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.module


MAKINGS = (
    Making(
        "field_definition",
        {"template": "asset", "label": "Condition", "type": "TEXT"},
        "/asset-tracking/asset/field-definition",
    ),
    Making("location", {"fields": {"name": "Mill", "city": "Halle"}}, "/location"),
    Making("room", {"fields": {"building_id": "Werkstatt", "number": "9"}}, "/room"),
    Making("person", {"fields": {"email": "ada@nordhain.example"}}, "/person"),
    Making("object", {"fields": {"barcode": "7", "inventory_name": "Drill"}}, "/object"),
    Making(
        "task",
        {
            "title": "Inspect",
            "deadline": "2031-05-31",
            "assignees": [USER],
            "reminders": [{"unit": "days", "value": 1}],
            "references": ["100101"],
        },
        "/task-management/task",
    ),
    Making(
        "rental_case",
        {
            "title": "Fair",
            "references": ["100026"],
            "issue_date": "2031-05-05",
            "due_date": "2031-05-09",
            "responsible_user": USER,
            "renter": {"type": "plain", "value": "Tischlerei Weber"},
        },
        "/rental-management/rental-case",
    ),
    Making(
        "hub_item",
        {"object": "100007", "price": 500},
        "/circularity-hub/add-objects-to-circularity-hub",
    ),
    Making("hub_order", {"items": ["100003"]}, "/circularity-hub/orders"),
    Making("user_from_person", {"person": "elif.yildiz@nordhain.example"}, "/persons/create-user"),
    Making("file", {"object": "100013", "field": "documents", "path": "manual.txt"}, "/file"),
)


@pytest.fixture
def service(emulator: Emulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Emulator:
    emulator.reset()
    (tmp_path / "manual.txt").write_text("Switch it on.")
    monkeypatch.chdir(tmp_path)
    return emulator


def host(service: Emulator, making: Making, path: Path, options: Mapping[str, Any]) -> int:
    """Run one host in its own process: it waits for the others, ensures the record, and stores its result."""

    def work() -> None:
        processes.until((path / "go").exists)
        given = {"base_url": service.base_url, **service.account(), "rate_limit": 0, **options, **making.options}
        done = steps.call(making.module, given, client_of=connect)
        processes.note(path / "results", json.dumps(done.data))

    return processes.forked(work)


def at_once(
    service: Emulator, making: Making, number: int, path: Path, options: Mapping[str, Any] | None = None
) -> list[dict[str, Any]]:
    """Return the results of many hosts that start at the same moment."""
    path.mkdir()
    hosts = [host(service, making, path, options or {}) for _number in range(number)]
    (path / "go").touch()
    assert processes.ended(*hosts) == [0] * number
    return [json.loads(line) for line in processes.noted(path / "results")]


def posts(service: Emulator, making: Making) -> int:
    """Return the number of creating requests."""
    return sum(
        entry["method"] == "POST" and entry["path"] == f"{steps.PREFIX}{making.post}" and entry["status"] in (200, 201)
        for entry in service.log()
    )


WEATHERS = [("calm", 0.0), ("rough", 0.05), ("calm", 0.05), ("rough", 0.0)][: 4 if LONG else 2]


@pytest.mark.sample(2)
@pytest.mark.parametrize("making", MAKINGS, ids=str)
@pytest.mark.parametrize(("weather", "latency"), WEATHERS)
@pytest.mark.parametrize("hosts", HOSTS)
def test_hosts_at_once_make_one_record(
    making: Making, weather: str, latency: float, hosts: int, service: Emulator, tmp_path: Path
) -> None:
    for number in range(ROUNDS):
        service.reset()
        service.steer("PUT", "/switches", {"weather": weather})
        if latency:
            service.steer("POST", "/faults", {"fault": "latency", "seconds": latency})
        done = at_once(service, making, hosts, tmp_path / str(number))
        assert [result.get("msg") for result in done if result.get("failed")] == []
        assert sum(result["changed"] for result in done) == 1
        assert posts(service, making) == 1
        # Later rounds may use the token of the first round.
        assert sum(entry["path"].endswith("/auth_token") for entry in service.log()) in ((0, 1) if number else (1,))


@pytest.mark.parametrize("making", MAKINGS if LONG else MAKINGS[1:2], ids=str)
def test_hosts_of_a_play_under_the_limit_of_the_service(making: Making, service: Emulator, tmp_path: Path) -> None:
    """The service grants permits evenly and accumulates a few. No refusal reaches a task."""
    hosts, per_minute, burst = (30, 200, 10) if LONG else (6, 600, 3)
    task = {
        "name": "ensure",
        f"{steps.NAMESPACE}{making.module}": dict(making.options),
        "delegate_to": "localhost",
    }
    play = {
        "hosts": "all",
        "gather_facts": False,
        "module_defaults": {"group/community.seventhings.all": service.options()},
        "tasks": [task],
    }
    inventory = tmp_path / "hosts"
    inventory.write_text("".join(f"host{number} ansible_connection=local\n" for number in range(hosts)))
    for _number in range(PLAYS):
        service.reset()
        service.steer("PUT", "/rate-limit", {"per_minute": per_minute, "burst": burst})
        service.clear_log()

        run = playbook.run(tmp_path, [play], "-i", str(inventory), "--forks", str(hosts))

        assert run.status == 0, run.output
        assert sum(result["changed"] for result in run.results) == 1
        assert posts(service, making) == 1
        log = service.log()
        assert sum(entry["path"].endswith("/auth_token") and entry["status"] == 200 for entry in log) <= 1
        moments = sorted(dt.datetime.fromisoformat(entry["time"]).timestamp() for entry in log)
        assert all(later - earlier >= 59 for earlier, later in zip(moments, moments[200:], strict=False))


@pytest.mark.sample(0)
def test_hosts_that_are_killed_leave_no_lock_and_no_duplicate(service: Emulator, tmp_path: Path) -> None:
    """The service still carries out a pending request of a killed host."""
    chance = random.Random(3)
    making = next(making for making in MAKINGS if making.module == "location")
    for number in range(ROUNDS):
        service.reset()
        service.steer("POST", "/faults", {"fault": "latency", "seconds": 0.3, "method": "POST", "path": making.post})
        path = tmp_path / f"killed-{number}"
        path.mkdir()
        hosts = [host(service, making, path, {}) for _number in range(4)]
        (path / "go").touch()
        time.sleep(chance.uniform(0.1, 0.6))
        for victim in chance.sample(hosts, 2):
            processes.kill(victim)
        assert set(processes.ended(*hosts)) <= {0, -signal.SIGKILL}
        assert processes.ended(host(service, making, path, {})) == [0]
        given = {"base_url": service.base_url, **service.account(), "filters": {"name": "Mill"}}
        assert steps.call("location_info", given)["count"] == 1


FOUND_AGAIN = ("field_definition", "location", "room", "person", "object", "task", "rental_case")
"""Records that are looked up by natural key after a lost answer."""


@pytest.mark.parametrize(
    "making", [making for making in MAKINGS if making.module in (FOUND_AGAIN if LONG else ("object",))], ids=str
)
def test_a_process_that_is_killed_during_its_request_leaves_no_lock_and_no_duplicate(
    making: Making, service: Emulator, tmp_path: Path
) -> None:
    """The lock owner is killed, and no waiting process creates the record a second time."""
    for number in range(10 if LONG else 1):
        service.reset()
        service.steer("POST", "/faults", {"fault": "latency", "seconds": 0.4, "method": "POST", "path": making.post})
        path = tmp_path / f"sending-{number}"
        path.mkdir()
        hosts = [host(service, making, path, {"tuning": {"settle": 1}}) for _number in range(4)]
        (path / "go").touch()
        victim = first_sender(hosts)
        # Usually this kills it after the mark and before the answer. A moment directly after the mark is just as good.
        time.sleep(0.15)
        processes.kill(victim)
        ends = dict(zip(hosts, processes.ended(*hosts), strict=True))
        assert ends.pop(victim) == -signal.SIGKILL
        assert set(ends.values()) == {0}
        done = [json.loads(line) for line in processes.noted(path / "results")]
        assert [result.get("msg") for result in done if result.get("failed")] == []
        # If it was killed before it sent anything, another host creates the record.
        assert len(done) == 3
        assert sum(result["changed"] for result in done) in (0, 1)
        assert posts(service, making) == 1
        for lock in locks():
            with lock.open("rb") as lock_file:
                fcntl.flock(lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def locks() -> list[Path]:
    """Return the lock files of the created kinds."""
    return sorted(Path(os.environ["SEVENTHINGS_RUNTIME_DIR"]).glob("create-*"))


def sending() -> set[int]:
    """Return the processes that are about to create something, and those that were killed then."""
    place = Path(os.environ["SEVENTHINGS_RUNTIME_DIR"])
    found = set()
    for path in place.glob("facts-*.json"):
        with Store(Folder(place)).changing(path.stem.removeprefix("facts-")) as facts:
            found |= {process for process, _moment in facts.all("creating").values()}
    return found


def first_sender(hosts: Iterable[int]) -> int:
    """Return the first process that is about to create something."""
    some = set(hosts)
    processes.until(lambda: bool(sending() & some))
    return next(iter(sending() & some))


PLACE, THING = MAKINGS[1], MAKINGS[4]
STATE = {
    "instance.yml": "api: seventhings/v1\nset: beside\n",
    "locations.yml": "- {name: Mill, city: Halle}\n",
    "objects.yml": "- {barcode: '7', inventory_name: Drill}\n",
}


@pytest.mark.parametrize(("weather", "latency"), WEATHERS[: 4 if LONG else 1])
def test_an_instance_beside_modules_makes_each_record_once(
    weather: str, latency: float, service: Emulator, tmp_path: Path
) -> None:
    for name, content in STATE.items():
        (tmp_path / name).write_text(content)
    for number in range(ROUNDS // 2 or 1):
        service.reset()
        service.steer("PUT", "/switches", {"weather": weather})
        if latency:
            service.steer("POST", "/faults", {"fault": "latency", "seconds": latency})
        path = tmp_path / f"beside-{number}"
        path.mkdir()
        hosts = [host(service, making, path, {}) for making in (PLACE, THING) * 3]
        hosts.append(provisioning(service, tmp_path, path))
        (path / "go").touch()
        assert processes.ended(*hosts) == [0] * len(hosts)
        done = [json.loads(line) for line in processes.noted(path / "results")]
        assert [result.get("msg") for result in done if result.get("failed")] == []
        summary = next(result["summary"] for result in done if "summary" in result)
        created = sum(counted["created"] for counted in summary.values())
        assert created + sum(result["changed"] for result in done if "summary" not in result) == 2
        assert (posts(service, PLACE), posts(service, THING)) == (1, 1)


def provisioning(service: Emulator, src: Path, path: Path) -> int:
    """Return a process that applies a directory at the same time as the hosts."""

    def work() -> None:
        written = {"base_url": service.base_url, **service.account(), "rate_limit": 0, "src": str(src)}
        written |= {"journal": str(path / "journal")}
        result = run_set(written)
        summary = {name: result[name] for name in ("summary", "changed", "failed", "msg") if name in result}
        processes.note(path / "results", json.dumps(summary))

    return processes.forked(work)
