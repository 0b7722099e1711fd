# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure concurrency: hosts of one play that ensure the same record, and fleets of instances in one play."""

from __future__ import annotations

import datetime as dt
import json
import math
import os
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import playbook
from bench_page import Part
from bench_play import STATE, WORK, Sizes, command
from emulator_process import Emulator, running

_LIMIT = 200
_BURST = 10
_FORKS = 10
_FLEET_LATENCY = 0.3


def hosts_at_once(sizes: Sizes) -> Part:
    """Measure hosts that ensure one record under the rate limit: one creates it, and none is refused."""
    part = Part("Hosts at once")
    rows = []
    with running() as service:
        for hosts in sizes.hosts:
            service.reset()
            service.steer("PUT", "/rate-limit", {"per_minute": _LIMIT, "burst": _BURST})
            service.clear_log()
            seconds = _play(_ensuring(service, hosts), f"{hosts}", hosts)
            log = service.log()
            posts = [entry for entry in log if entry["method"] == "POST" and entry["path"].endswith("/location")]
            created = sum(entry["status"] < 300 for entry in posts)
            logins = sum(entry["path"].endswith("/auth_token") for entry in log)
            refused = sum(entry["status"] == 429 for entry in log)
            moments = [dt.datetime.fromisoformat(entry["time"]).timestamp() for entry in log]
            busiest = max(sum(first <= later < first + 60 for later in moments) for first in moments)
            part.exactly(f"duplicates of one location that {hosts} hosts ensure at once", created - 1, 0)
            part.exactly(f"logins of {hosts} hosts at once with a password", logins, 1)
            part.at_most(f"requests in the busiest 60 seconds of {hosts} hosts at once", busiest, _LIMIT, 0)
            rows.append((hosts, len(log), refused, created, logins, busiest, f"{seconds:.1f}"))
    part.table(
        (
            "hosts",
            "requests",
            "of these 429",
            "records created",
            "logins",
            "in the busiest minute",
            "seconds of the play",
        ),
        rows,
        "All hosts run one task `location`, with as many forks as hosts, and with a password but no token. The service "
        f"has a token bucket with {_LIMIT} requests a minute and a burst of at most {_BURST}. The task fails on no "
        "host, because it waits after a 429.",
    )
    return part


def _ensuring(service: Emulator, number: int) -> list[str]:
    """Return the command of a play in which many hosts ensure one location."""
    task = {
        "community.seventhings.location": {"fields": {"name": "Mill", "city": "Halle"}},
        "delegate_to": "localhost",
    }
    defaults = {"group/community.seventhings.all": service.options()}
    play = {"hosts": "all", "gather_facts": False, "module_defaults": defaults, "tasks": [task]}
    book, inventory = WORK / "hosts.yml", WORK / "hosts.ini"
    book.write_text(json.dumps([play]), "utf-8")
    inventory.write_text("".join(f"host{number:03d} ansible_connection=local\n" for number in range(number)), "utf-8")
    return [str(book), "-i", str(inventory)]


def _play(words: Sequence[str], name: str, forks: int) -> float:
    """Return the seconds of a command of ansible-playbook, start included."""
    runtime = WORK / f"runtime-{name}"
    runtime.mkdir(0o700)
    given = {"XDG_STATE_HOME": str(STATE), "XDG_RUNTIME_DIR": str(runtime)}
    started = time.monotonic()
    done = subprocess.run(
        [command("ansible-playbook"), *words, "--forks", str(forks)],
        cwd=WORK,
        env=playbook.environment(given),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stdout[-6000:]}")
    return time.monotonic() - started


# ---- fleets


def fleets(sizes: Sizes) -> Part:
    """Measure fleets of slow embedded instances, compared with single runs for each of their instances."""
    part = Part("Fleets")
    directory = _files(sizes.fleet_objects)
    rows = []
    with ExitStack() as stack:
        services = [stack.enter_context(running(data="empty")) for _number in range(max(sizes.fleets))]
        singles = []
        dumps = []
        for number, service in enumerate(services[: sizes.singles]):
            _late(service)
            singles.append(_play(_fleet([service], directory), f"single-{number}", _FORKS))
            dumps.append(_dump(service))
        slowest = max(singles)
        for number in sizes.fleets:
            chosen = services[:number]
            for service in chosen:
                _late(service)
            shutil.rmtree(STATE, ignore_errors=True)
            seconds = _play(_fleet(chosen, directory), f"fleet-{number}", _FORKS)
            if any(_dump(service) != dumps[0] for service in chosen):
                raise RuntimeError(f"a fleet of {number} is not what single runs make")
            floor = slowest * math.ceil(number / _FORKS)
            part.at_most(
                f"time of a fleet of {number}, relative to the slowest single run times ceil({number}/{_FORKS})",
                seconds / floor,
                1.3,
            )
            rows.append((number, f"{slowest:.1f}", f"{seconds:.1f}", f"{seconds / number:.1f}"))
    part.table(
        ("instances", "s, slowest single run", "s, fleet", "s an instance"),
        rows,
        f"`community.seventhings.fleet` runs with {_FORKS} forks and creates {sizes.fleet_objects} objects on each "
        f"empty instance. Every answer is delayed by {_FLEET_LATENCY * 1000:.0f} ms. The seconds include the start of "
        f"Ansible. All instances run on this machine, which has {os.cpu_count()} processors. Afterwards each instance "
        "has the same records as after a single run.",
    )
    return part


def _files(number: int) -> Path:
    """Return the files of every instance."""
    directory = WORK / "fleet"
    directory.mkdir()
    (directory / "instance.yml").write_text("api: seventhings/v1\nset: fleet\n", "utf-8")
    lines = ["barcode,inventory_name", *(f"F{number:05d},Thing {number}" for number in range(number))]
    (directory / "objects.csv").write_text("\n".join(lines) + "\n", "utf-8")
    return directory


def _late(service: Emulator) -> None:
    service.reset()
    service.steer("PUT", "/faults", [{"fault": "latency", "path": "/*", "seconds": _FLEET_LATENCY}])


def _dump(service: Emulator) -> Any:
    return service.steer("GET", "/dump?canonical=1")


def _fleet(services: Sequence[Emulator], directory: Path) -> list[str]:
    """Return the arguments of ansible-playbook for a fleet."""
    hosts: dict[str, Mapping[str, Any]] = {
        f"site{number:02d}": {
            "ansible_connection": "local",
            **{f"seventhings_{name}": value for name, value in service.options().items()},
        }
        for number, service in enumerate(services)
    }
    inventory = WORK / "instances.json"
    inventory.write_text(json.dumps({"all": {"hosts": hosts}}), "utf-8")
    return ["community.seventhings.fleet", "-i", str(inventory), "-e", f"fleet_src={directory}"]
