# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Helpers for all parts of the benchmark: sizes, timed playbooks, a slow service."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import playbook
from emulator_process import Emulator
from project import BUILD, ROOT

WORK = BUILD / "bench"
STATE = WORK / "state"
"""The directory of the journals."""

LATENCY = 0.05
WORKERS = 8
PREFIX = "/customer-api/v1"

Tasks = list[dict[str, Any]]


@dataclass(frozen=True)
class Sizes:
    """The number of records in each measurement."""

    records: int = 12_000
    changes: int = 200
    objects: int = 1000
    uri: int = 50
    module: int = 50
    worker: int = 200
    unchanged: int = 50
    rooms: int = 10_000
    locations: int = 500
    instance: int = 100_000
    larger_instance: int = 300_000
    stocktake: int = 30_000
    hosts_of_objects: int = 100_000
    hosts: tuple[int, ...] = (5, 10, 30)
    fleets: tuple[int, ...] = (1, 10, 30)
    fleet_objects: int = 100
    singles: int = 3
    rounds: int = 3


QUICK = Sizes(
    records=1200,
    changes=20,
    objects=150,
    uri=5,
    module=5,
    worker=20,
    unchanged=5,
    rooms=1000,
    locations=50,
    instance=3000,
    larger_instance=4000,
    stocktake=1500,
    hosts_of_objects=1500,
    hosts=(3,),
    fleets=(1, 2),
    fleet_objects=10,
    singles=1,
    rounds=1,
)


@dataclass(frozen=True)
class Ran:
    """A finished command: its seconds, its output, and the peak memory of its largest process in bytes."""

    seconds: float
    output: str
    memory: int


@dataclass(frozen=True)
class Played:
    """A finished play.

    It has the seconds from the start of its last task to its result, that result, and the peak memory of its largest
    process in bytes.
    """

    seconds: float
    result: dict[str, Any]
    memory: int


def command(name: str) -> str:
    """Return the path of an Ansible command in the environment of this process."""
    return str(Path(sys.executable).with_name(name))


def run(words: Sequence[str], service: Emulator, variables: Mapping[str, str]) -> Ran:
    """Run a command of Ansible with a connection to the service."""
    given = {**service.variables(), "SEVENTHINGS_RATE_LIMIT": "0", "ANSIBLE_FORKS": "1", "XDG_STATE_HOME": str(STATE)}
    given |= variables
    started = time.monotonic()
    with (
        tempfile.TemporaryFile("w+", dir=WORK) as printed,
        subprocess.Popen(
            words,
            cwd=WORK,
            env=playbook.environment(given),
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
        ) as process,
    ):
        _pid, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - started
        printed.seek(0)
        output = printed.read()
    if process.returncode:
        raise RuntimeError(f"{' '.join(words)}: {output[-6000:]}")
    # Linux reports KiB, macOS bytes.
    return Ran(seconds, output, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024))


def play(service: Emulator, tasks: Tasks, check: bool = False, **variables: str) -> Played:
    """Run a play on this machine."""
    book, noted = WORK / "play.yml", WORK / "results.jsonl"
    noted.unlink(missing_ok=True)
    whole = {
        "hosts": "localhost",
        "connection": "local",
        "gather_facts": False,
        "vars": {"ansible_python_interpreter": sys.executable},
        "tasks": tasks,
    }
    book.write_text(json.dumps([whole]), "utf-8")
    recording = {
        "ANSIBLE_CALLBACK_PLUGINS": str(ROOT / "tests" / "integration" / "callback_plugins"),
        "ANSIBLE_CALLBACKS_ENABLED": "record_results",
        "RECORD_RESULTS_FILE": str(noted),
    }
    options = ["--check"] if check else []
    words = [command("ansible-playbook"), "-i", "localhost,", str(book), *options]
    ran = run(words, service, {**recording, **variables})
    last = json.loads(noted.read_text("utf-8").splitlines()[-1])
    return Played(last["seconds"], last["result"], ran.memory)


def instance(directory: Path, **options: Any) -> dict[str, Any]:
    """Return the task that plans or applies a directory."""
    return {"community.seventhings.instance": {"src": str(directory), "tuning": {"workers": WORKERS}, **options}}


@contextmanager
def late(service: Emulator) -> Iterator[None]:
    """Yield the service in its initial state, with late answers."""
    service.reset()
    service.steer("PUT", "/faults", [{"fault": "latency", "path": "/*", "seconds": LATENCY}])
    yield
    service.steer("DELETE", "/faults")


def writes(log: Sequence[Mapping[str, Any]]) -> int:
    """Count the requests of a log that change something."""
    reading = ("/auth_token", "/suggest-category", "/suggest-rest-price")
    return sum(entry["method"] != "GET" and not entry["path"].endswith(reading) for entry in log)
