# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure requests, time and memory side by side on this machine, and write docs/benchmarks.md.

Times depend on the machine and on who else uses it; ratios of what was measured in one run do so much less.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import playbook
import requests
from emulator_process import Emulator, running
from project import BUILD, ROOT

_PAGE = ROOT / "docs" / "benchmarks.md"
_WORK = BUILD / "bench"
_LATENCY = 0.05
_WORKERS = 8
_MIB = 1024 * 1024

Play = list[dict[str, Any]]


@dataclass(frozen=True)
class Sizes:
    """How much of each is measured."""

    objects: int = 1000
    uri: int = 40
    module: int = 40
    worker: int = 200
    unchanged: int = 50
    instance: int = 100_000
    inventory: int = 100_000
    rounds: int = 2


QUICK = Sizes(objects=100, uri=4, module=4, worker=20, unchanged=5, instance=2000, inventory=2000, rounds=1)


@dataclass
class Page:
    """What is written: headline ratios, then tables."""

    ratios: list[tuple[str, str, str]] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    def ratio(self, what: str, measured: float, wanted: str) -> None:
        print(f"{what}: {measured:.2f} ({wanted})", flush=True)
        self.ratios.append((what, f"{measured:.2f}", wanted))

    def table(self, title: str, head: Sequence[str], rows: Sequence[Sequence[object]], note: str = "") -> None:
        lines = [f"## {title}", "", *([note, ""] if note else [])]
        lines += ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
        lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
        self.parts.append("\n".join(lines))
        print("\n".join(lines), flush=True)

    def text(self) -> str:
        lines = [
            "# Benchmarks",
            "",
            "Written by `make bench`. Everything was measured in one run against the embedded service on one machine,",
            "one thing after the other; ratios carry over to other machines, seconds do not.",
            "",
            f"Machine: {os.cpu_count()} processors, Python {platform.python_version()}.",
            "",
            "| Ratio | Measured | Goal |",
            "|---|---:|---|",
            *(f"| {what} | {measured} | {wanted} |" for what, measured, wanted in self.ratios),
        ]
        return "\n".join(lines) + "\n\n" + "\n\n".join(self.parts) + "\n"


def main() -> int:
    """Measures everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small numbers, and nothing is written")
    parser.add_argument("--only", nargs="*", help="names of the parts to measure; nothing is written")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return _child(options.child[0], Path(options.child[1]))
    sizes = QUICK if options.quick else Sizes()
    shutil.rmtree(_WORK, ignore_errors=True)
    _WORK.mkdir(parents=True)
    page = Page()
    parts: dict[str, Callable[[Page, Sizes], None]] = {
        "requests": requests_of_an_instance,
        "new": new_objects,
        "unchanged": unchanged_loop,
        "inventory": inventory,
        "large": large_instance,
    }
    for name, measure in parts.items():
        if not options.only or name in options.only:
            measure(page, sizes)
    if not options.quick and not options.only:
        _PAGE.write_text(page.text(), "utf-8")
        print(f"written: {_PAGE.relative_to(ROOT)}")
    return 0


# ---- running


def _environment(service: Emulator) -> dict[str, str]:
    return playbook.environment({**service.variables(), "SEVENTHINGS_RATE_LIMIT": "0", "ANSIBLE_FORKS": "1"})


def _command(name: str) -> str:
    return str(Path(sys.executable).with_name(name))


def _run(command: Sequence[str], service: Emulator) -> tuple[float, str]:
    """Seconds of a process, and what it printed."""
    started = time.monotonic()
    done = subprocess.run(
        command,
        cwd=_WORK,
        env=_environment(service),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    seconds = time.monotonic() - started
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stdout[-3000:]}{done.stderr[-3000:]}")
    return seconds, done.stdout


def _play(service: Emulator, tasks: Sequence[Mapping[str, Any]]) -> float:
    """Seconds of the tasks of a play, the start of Ansible left out."""
    book = _WORK / "play.yml"
    play = {"hosts": "localhost", "connection": "local", "gather_facts": False}
    book.write_text(json.dumps([{**play, "tasks": []}]), "utf-8")
    command = [_command("ansible-playbook"), "-i", "localhost,", str(book)]
    empty = min(_run(command, service)[0] for _round in range(2))
    book.write_text(json.dumps([{**play, "tasks": list(tasks)}]), "utf-8")
    return max(_run(command, service)[0] - empty, 0.001)


@contextmanager
def _slow(service: Emulator) -> Iterator[None]:
    service.reset()
    service.steer("PUT", "/faults", [{"fault": "latency", "path": "/*", "seconds": _LATENCY}])
    yield
    service.steer("DELETE", "/faults")


# ---- requests


def requests_of_an_instance(page: Page, _sizes: Sizes) -> None:
    """What a plan, an apply and a second plan of the example instance cost."""
    directory = _WORK / "acme"
    shutil.copytree(ROOT / "examples" / "acme", directory)
    if not (directory / "instance.yml").exists():
        (directory / "instance.yml").write_text(
            "api: seventhings/v1\nset: acme\npolicy: {create_users: true}\n", "utf-8"
        )
    apply = {"community.seventhings.instance": {"src": str(directory)}}
    rows: list[tuple[str, int, int]] = []
    with running(data="empty") as service:
        for title, task in (
            ("plan, nothing there yet", {**apply, "check_mode": True}),
            ("apply", apply),
            ("apply again, nothing to change", apply),
            ("plan, nothing to change", {**apply, "check_mode": True}),
        ):
            service.clear_log()
            _play(service, [task])
            log = service.log()
            reading = ("GET",)
            writes = [
                one
                for one in log
                if one["method"] not in reading and not one["path"].endswith(("/auth_token", "/suggest-category"))
            ]
            rows.append((title, len(log), len(writes)))
    page.table(
        "Requests",
        ("examples/acme", "requests", "of these writes"),
        rows,
        "A plan reads each kind once in pages of 1,000, three lists of definitions, and signs in once.",
    )


# ---- new objects


def _objects(number: int) -> list[dict[str, str]]:
    return [
        {"barcode": f"N{one:06d}", "inventory_name": f"Laptop {one}", "serial_number": f"S{one}"}
        for one in range(number)
    ]


def new_objects(page: Page, sizes: Sizes) -> None:
    """Making objects that are not there: this collection's ways and the usual others."""
    directory = _WORK / "new"
    directory.mkdir()
    (directory / "instance.yml").write_text("api: seventhings/v1\nset: bench\n", "utf-8")
    with (directory / "objects.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, ["barcode", "inventory_name", "serial_number"])
        writer.writeheader()
        writer.writerows(_objects(sizes.objects))
    apply = {"community.seventhings.instance": {"src": str(directory), "workers": _WORKERS}}
    seconds: dict[str, list[tuple[float, int]]] = {}
    with running(data="empty") as service:

        def measure(name: str, number: int, run: Callable[[], float]) -> None:
            with _slow(service):
                shutil.rmtree(directory / ".seventhings", ignore_errors=True)
                seconds.setdefault(name, []).append((run(), number))
                made = len(service.steer("GET", "/dump")["objects"])
                if made != number:
                    raise RuntimeError(f"{name}: {made} objects were made, not {number}")

        for _round in range(sizes.rounds):
            measure("bare script", sizes.objects, lambda: _bare(service, sizes.objects))
            measure("instance", sizes.objects, lambda: _play(service, [apply]))
        measure("loop, worker", sizes.worker, lambda: _play(service, _loop(sizes.worker, "auto")))
        measure("loop, module", sizes.module, lambda: _play(service, _loop(sizes.module, "module")))
        measure("loop, uri", sizes.uri, lambda: _play(service, _uri_loop(service, sizes.uri)))
    each = {name: min(one / number for one, number in measured) for name, measured in seconds.items()}
    titles = {
        "bare script": f"a bare script, {_WORKERS} threads, POST only",
        "instance": f"`instance`, {_WORKERS} workers: read, plan, apply, look for twins",
        "loop, worker": "a loop over `object` in the worker (`execution: auto`)",
        "loop, module": "a loop over `object` as a module process (`execution: module`)",
        "loop, uri": "a loop over `ansible.builtin.uri`, POST only",
    }
    page.ratio("`instance` to a bare script, time", each["instance"] / each["bare script"], "at most 1.25")
    page.ratio("a loop of `ansible.builtin.uri` to `instance`", each["loop, uri"] / each["instance"], "at least 15")
    page.ratio("a loop of module processes to `instance`", each["loop, module"] / each["instance"], "at least 15")
    page.ratio("a loop in the worker to `instance`", each["loop, worker"] / each["instance"], "at least 4")
    page.table(
        "New objects",
        ("way", "objects measured", "ms an object"),
        [(titles[name], measured[0][1], f"{each[name] * 1000:.1f}") for name, measured in seconds.items()],
        f"Objects that are not there yet, at {_LATENCY * 1000:.0f} ms latency, rate limit off. The start of Ansible is "
        f"left out. Loops are measured on fewer objects, because they take long; all are compared by object.",
    )


def _bare(service: Emulator, number: int) -> float:
    """As many POST requests from threads, and nothing else."""
    url = service.base_url + "/customer-api/v1/object"
    headers = {"Authorization": f"Bearer {service.token()}"}
    local = threading.local()

    def send(body: Mapping[str, str]) -> None:
        if not hasattr(local, "session"):
            local.session = requests.Session()
            local.session.trust_env = False
        local.session.post(url, json=body, headers=headers, timeout=30).raise_for_status()

    started = time.monotonic()
    with ThreadPoolExecutor(_WORKERS) as pool:
        list(pool.map(send, _objects(number)))
    return time.monotonic() - started


def _loop(number: int, execution: str) -> Play:
    token = {
        "community.seventhings.auth_token": {},
        "register": "session",
    }
    each = {
        "community.seventhings.object": {
            "fields": "{{ item }}",
            "access_token": "{{ session.access_token }}",
            "execution": execution,
        },
        "loop": _objects(number),
        "loop_control": {"label": "{{ item.barcode }}"},
    }
    return [token, each]


def _uri_loop(service: Emulator, number: int) -> Play:
    return [
        {
            "ansible.builtin.uri": {
                "url": service.base_url + "/customer-api/v1/object",
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


def unchanged_loop(page: Page, sizes: Sizes) -> None:
    """A loop over objects that are as they shall be, at both ends."""
    with running(data="empty") as service:
        _play(service, _loop(sizes.unchanged, "auto"))
        each = {
            execution: min(_play(service, _loop(sizes.unchanged, execution)) for _round in range(sizes.rounds))
            / sizes.unchanged
            for execution in ("auto", "module")
        }
    page.ratio("a loop of module processes to one in the worker, nothing to change", each["module"] / each["auto"], "-")
    page.table(
        "A loop with nothing to change",
        ("execution", "ms an object"),
        [(f"`{name}`", f"{seconds * 1000:.1f}") for name, seconds in each.items()],
        f"{sizes.unchanged} objects that are as they shall be, no latency.",
    )


# ---- inventory


def inventory(page: Page, sizes: Sizes) -> None:
    """An inventory of very many rooms."""
    with running(data=str(sizes.inventory)) as service:
        (_WORK / "lab.seventhings.yml").write_text("plugin: community.seventhings.places\n", "utf-8")
        service.clear_log()
        seconds, printed = _run(
            [_command("ansible-inventory"), "-i", str(_WORK / "lab.seventhings.yml"), "--list"], service
        )
        hosts = len(json.loads(printed)["_meta"]["hostvars"])
        sent = len(service.log())
    page.table(
        "Inventory",
        ("rooms", "requests", "seconds"),
        [(f"{hosts:,}", sent, f"{seconds:.1f}")],
        "Every room a host, every location a group; the start of Ansible included.",
    )


# ---- a large instance


def large_instance(page: Page, sizes: Sizes) -> None:
    """Nothing to change in very many objects: time and memory next to downloading and parsing alone."""
    rows = []
    with running(data=str(sizes.instance)) as service:
        for form in ("csv", "yml"):
            directory = _WORK / f"large-{form}"
            _write_large(service, directory, form)
            found: dict[str, dict[str, float]] = {}
            for _round in range(sizes.rounds):
                for job in ("bare", "plan"):
                    measured = _measure_child(job, directory, service)
                    if job not in found or measured["seconds"] < found[job]["seconds"]:
                        found[job] = measured
            bare, plan = found["bare"], found["plan"]
            page.ratio(
                f"{sizes.instance:,} objects in {form.upper()}, nothing to change, to download and parse alone",
                plan["seconds"] / bare["seconds"],
                "at most 1.5",
            )
            rows.append(
                (
                    form.upper(),
                    int(plan["requests"]),
                    f"{bare['seconds']:.1f}",
                    f"{plan['seconds']:.1f}",
                    f"{plan['memory'] / _MIB:.0f}",
                )
            )
    page.table(
        "A large instance",
        ("files", "requests of the plan", "s, download and parse", "s, plan", "MiB, plan"),
        rows,
        f"{sizes.instance:,} objects with six fields, files of 5,000, nothing to change. Goal for the memory: below "
        f"1,536 MiB. YAML is parsed with `yaml.CSafeLoader` for comparison.",
    )


_FIELDS = ("barcode", "inventory_name", "serial_number", "purchasing_price", "purchase_date", "description")


def _write_large(service: Emulator, directory: Path, form: str) -> None:
    (directory / "objects").mkdir(parents=True)
    (directory / "instance.yml").write_text("api: seventhings/v1\nset: bench\n", "utf-8")
    for number, records in enumerate(_pages(service), start=1):
        part = directory / "objects" / f"{number // 5:05d}.{form}"
        rows = [{name: str(one[name]) for name in _FIELDS if one.get(name) is not None} for one in records]
        is_new = not part.exists()
        with part.open("a", newline="", encoding="utf-8") as stream:
            if form == "csv":
                writer = csv.DictWriter(stream, _FIELDS)
                if is_new:
                    writer.writeheader()
                writer.writerows(rows)
            else:
                for row in rows:
                    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in row.items()]
                    stream.write("- " + "\n  ".join(lines) + "\n")


def _pages(service: Emulator) -> Iterator[list[dict[str, Any]]]:
    """The objects of a service, page by page."""
    with requests.Session() as session:
        session.trust_env = False
        session.headers["Authorization"] = f"Bearer {service.token()}"
        number = 1
        while True:
            answer = session.get(
                service.base_url + "/customer-api/v1/objects",
                params={"page": str(number), "per_page": "1000", "sort[id]": "ASC"},
                timeout=60,
            )
            answer.raise_for_status()
            records: list[dict[str, Any]] = answer.json()["items"]
            yield records
            if len(records) < 1000:
                return
            number += 1


def _measure_child(job: str, directory: Path, service: Emulator) -> dict[str, float]:
    """Runs one job in a process of its own, so that its memory is its own."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", dir=_WORK) as given:
        json.dump({**vars(service)}, given)
        given.flush()
        environment = {**os.environ, "BENCH_SERVICE": given.name}
        done = subprocess.run(
            [sys.executable, __file__, "--child", job, str(directory)],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def _child(job: str, directory: Path) -> int:
    service = Emulator(**json.loads(Path(os.environ["BENCH_SERVICE"]).read_text("utf-8")))
    seconds, sent = (_download_and_parse if job == "bare" else _plan)(service, directory)
    # Linux tells it in KiB, macOS in bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    print(json.dumps({"seconds": seconds, "requests": sent, "memory": memory}))
    return 0


def _download_and_parse(service: Emulator, directory: Path) -> tuple[float, int]:
    import yaml

    started = time.monotonic()
    kept: list[Any] = [record for records in _pages(service) for record in records]
    for path in sorted((directory / "objects").iterdir()):
        if path.suffix == ".csv":
            with path.open(newline="", encoding="utf-8") as stream:
                kept += csv.DictReader(stream)
        else:
            kept += yaml.load(path.read_text("utf-8"), Loader=yaml.CSafeLoader)
    return time.monotonic() - started, 0


def _plan(service: Emulator, directory: Path) -> tuple[float, int]:
    sys.path.insert(0, str(BUILD / "link"))
    from ansible_collections.community.seventhings.plugins.module_utils.connection import connect
    from ansible_collections.community.seventhings.plugins.module_utils.instance import (
        Order,
        many_objects,
        run_instance,
    )
    from ansible_collections.community.seventhings.plugins.plugin_utils.loading import load

    options = {"base_url": service.base_url, "username": service.username, "rate_limit": 0}
    options |= {"password": service.password, "client_id": service.client_id}
    started = time.monotonic()
    with many_objects():
        desired = load(directory)
    account = run_instance(connect(options, read_only=True), desired, Order(check_mode=True))
    if account.outcome != "unchanged":
        raise RuntimeError(f"the plan is not empty: {account.findings[:3]} {account.changes[:3]}")
    return time.monotonic() - started, account.requests


if __name__ == "__main__":
    sys.exit(main())
