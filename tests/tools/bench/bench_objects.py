# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure new objects in several ways, at full speed and under a limit, and a loop with nothing to do."""

from __future__ import annotations

import csv
import datetime as dt
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import requests
from bench_page import Part
from bench_play import LATENCY, PREFIX, STATE, WORK, WORKERS, Sizes, Tasks, instance, late, play
from emulator_process import Emulator, running

_LIMIT = 200
_BURST = 10


def _objects(number: int) -> list[dict[str, str]]:
    return [
        {"barcode": f"N{number:06d}", "inventory_name": f"Laptop {number}", "serial_number": f"S{number}"}
        for number in range(number)
    ]


def _directory(name: str, number: int) -> Path:
    """Return a directory with new objects."""
    directory = WORK / name
    directory.mkdir()
    (directory / "instance.yml").write_text("api: seventhings/v1\nset: bench\n", "utf-8")
    with (directory / "objects.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, ["barcode", "inventory_name", "serial_number"])
        writer.writeheader()
        writer.writerows(_objects(number))
    return directory


@contextmanager
def _making(service: Emulator, number: int) -> Iterator[None]:
    """Yield an empty slow service. Afterwards it must have this number of objects."""
    with late(service):
        yield
        created = len(service.steer("GET", "/dump")["objects"])
        if created != number:
            raise RuntimeError(f"{created} objects were made, not {number}")


# ---- at full speed


def new_objects(sizes: Sizes) -> Part:
    """Measure the creation of objects with this collection and with common alternatives."""
    part = Part("New objects")
    directory = _directory("new", sizes.objects)
    seconds: dict[str, list[float]] = {}
    with running(data="empty") as service:

        def applied() -> float:
            shutil.rmtree(STATE, ignore_errors=True)
            return play(service, [instance(directory)]).seconds

        ways: list[tuple[str, int, int, Callable[[], float]]] = [
            ("bare", sizes.objects, sizes.rounds, lambda: _bare(service, sizes.objects)),
            ("instance", sizes.objects, sizes.rounds, applied),
            ("worker", sizes.worker, 1, lambda: play(service, _loop(sizes.worker, "auto")).seconds),
            ("module", sizes.module, 1, lambda: play(service, _loop(sizes.module, "module")).seconds),
            ("uri", sizes.uri, 1, lambda: play(service, _uri_loop(service, sizes.uri)).seconds),
        ]
        for turn in range(sizes.rounds):
            for name, number, rounds, way in ways:
                if turn < rounds:
                    with _making(service, number):
                        seconds.setdefault(name, []).append(way() / number)
    each = {name: min(measured) for name, measured in seconds.items()}
    part.at_most(
        "time of `instance`, relative to a bare script with as many threads", each["instance"] / each["bare"], 1.25
    )
    part.at_least(
        "time of a loop over `ansible.builtin.uri`, relative to `instance`", each["uri"] / each["instance"], 15
    )
    part.at_least(
        "time of a loop over `object` as a module, relative to `instance`", each["module"] / each["instance"], 15
    )
    part.at_least(
        "time of a loop over `object` in the worker, relative to `instance`", each["worker"] / each["instance"], 4
    )
    titles = {
        "bare": f"a bare script, {WORKERS} threads, POST and nothing else",
        "instance": f"`instance`, {WORKERS} workers: read, plan, apply, check for duplicates",
        "worker": "a loop over `object` in the worker (`execution: auto`)",
        "module": "a loop over `object` as a module (`execution: module`)",
        "uri": "a loop over `ansible.builtin.uri`, POST and nothing else",
    }
    part.table(
        ("way", "objects", "rounds", "ms an object"),
        [(titles[name], number, rounds, f"{each[name] * 1000:.1f}") for name, number, rounds, _way in ways],
        f"New objects are created. Every answer is delayed by {LATENCY * 1000:.0f} ms, and requests are not limited. "
        "The times are the times of the task. The loops are slow, so they are measured with fewer objects, and the "
        "comparison uses the time for each object.",
    )
    return part


def _bare(service: Emulator, number: int) -> float:
    """Measure the same number of POST requests from threads, and nothing else."""
    url = f"{service.base_url}{PREFIX}/object"
    headers = {"Authorization": f"Bearer {service.token()}"}
    local = threading.local()

    def send(body: Mapping[str, str]) -> None:
        if not hasattr(local, "session"):
            local.session = requests.Session()
            local.session.trust_env = False
        local.session.post(url, json=body, headers=headers, timeout=60).raise_for_status()

    started = time.monotonic()
    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(send, _objects(number)))
    return time.monotonic() - started


def _loop(number: int, execution: str) -> Tasks:
    signing_in = {"community.seventhings.auth_token": {}, "register": "session"}
    return [signing_in, _objects_one_by_one(number, execution, access_token="{{ session.access_token }}")]


def _objects_one_by_one(number: int, execution: str, **connection: str) -> dict[str, object]:
    return {
        "community.seventhings.object": {"fields": "{{ item }}", "tuning": {"execution": execution}, **connection},
        "loop": _objects(number),
        "loop_control": {"label": "{{ item.barcode }}"},
    }


def _uri_loop(service: Emulator, number: int) -> Tasks:
    return [
        {
            "ansible.builtin.uri": {
                "url": f"{service.base_url}{PREFIX}/object",
                "method": "POST",
                "body_format": "json",
                "body": "{{ item }}",
                "headers": {"Authorization": f"Bearer {service.token()}"},
                "status_code": 201,
            },
            "loop": _objects(number),
            "loop_control": {"label": "{{ item.barcode }}"},
        }
    ]


# ---- a loop with nothing to do


def unchanged_loop(sizes: Sizes) -> Part:
    """Measure a loop over unchanged objects, in the worker and in module processes."""
    part = Part("A loop with nothing to change")
    number = sizes.unchanged
    seconds: dict[str, list[float]] = {"auto": [], "module": []}
    with running(data="empty") as service:
        play(service, _loop(number, "auto"))
        for _turn in range(sizes.rounds):
            for execution, measured in seconds.items():
                measured.append(play(service, _loop(number, execution)).seconds)
        service.clear_log()
        # No token is given, so the first item signs in with the password.
        play(service, [_objects_one_by_one(number, "auto")])
        log = service.log()
    logins = sum(entry["path"].endswith("/auth_token") for entry in log)
    each = {name: min(measured) / number for name, measured in seconds.items()}
    part.at_most(
        "time of a loop in the worker with nothing to change, relative to a loop over modules",
        each["auto"] / each["module"],
        0.1,
    )
    part.exactly(f"logins of a loop over {number} objects with a password", logins, 1)
    part.table(
        ("way", "ms an object"),
        [(f"`execution: {name}`", f"{value * 1000:.1f}") for name, value in each.items()],
        f"{number} objects match the task already. Answers are not delayed, and the connection has a token. With a "
        f"password instead of the token, the loop in the worker sends {len(log)} requests.",
    )
    return part


# ---- under a limit


def pacing(sizes: Sizes) -> Part:
    """Measure an apply under the rate limit: the limit is used fully, and no request is refused."""
    part = Part("Under the limit of the service")
    directory = _directory("paced", sizes.objects)
    with running(data="empty") as service, _making(service, sizes.objects):
        service.steer("PUT", "/rate-limit", {"per_minute": _LIMIT, "burst": _BURST})
        service.clear_log()
        play(service, [instance(directory)], SEVENTHINGS_RATE_LIMIT=str(_LIMIT))
        log = service.log()
        service.steer("PUT", "/rate-limit", None)
    moments = sorted(dt.datetime.fromisoformat(entry["time"]).timestamp() for entry in log)
    used = (len(moments) - 1) * 60 / (moments[-1] - moments[0]) / _LIMIT
    busiest = max(sum(first <= later < first + 60 for later in moments) for first in moments)
    part.at_least(f"share of {_LIMIT} requests a minute that an apply uses, %", used * 100, 99)
    part.exactly("requests that the service refused (HTTP 429)", sum(entry["status"] == 429 for entry in log), 0)
    part.at_most("requests in the busiest 60 seconds", busiest, _LIMIT, 0)
    part.table(
        ("new objects", "requests", "seconds", "requests a minute"),
        [(sizes.objects, len(log), f"{moments[-1] - moments[0]:.0f}", f"{used * _LIMIT:.1f}")],
        f"`instance` with `rate_limit: {_LIMIT}`. The service has a token bucket with {_LIMIT} requests a minute and a "
        f"burst of at most {_BURST}. The time is measured at the service, from the first request to the last.",
    )
    return part
