# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure a large instance with nothing to change: time and memory, compared with downloading and parsing alone."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import requests
from bench_page import Part
from bench_play import PREFIX, WORK, Sizes, instance, play
from emulator_process import Emulator, running

_FIELDS = ("barcode", "inventory_name", "serial_number", "purchasing_price", "purchasing_date", "description")
_IN_A_FILE = 5
"""Number of pages of a list whose records go into one file."""
_MIB = 1024 * 1024


def large_instance(sizes: Sizes) -> Part:
    """Measure a plan of very many unchanged objects."""
    part = Part("A large instance")
    _plans(part, sizes.instance, ("csv", "yml"), sizes.rounds, ratio=1.5, most=1536)
    _with_rules(part, sizes.instance, sizes.rounds)
    return part


def larger_instance(sizes: Sizes) -> Part:
    """Measure the same with three times as many objects."""
    part = Part("A larger instance")
    _plans(part, sizes.larger_instance, ("csv",), 1, ratio=1.3, most=1536)
    return part


def stocktakes(sizes: Sizes) -> Part:
    """Evaluate a stocktake in a play, next to a play that only downloads the objects."""
    part = Part("A stocktake")
    number = sizes.stocktake
    seconds: dict[str, list[float]] = {"script": [], "object_info": [], "stocktake": []}
    empty = WORK / "no-files"
    (empty / "objects").mkdir(parents=True)
    with running(data=str(number)) as service:
        for _turn in range(sizes.rounds):
            seconds["script"].append(_download_and_parse_alone(service, empty))
            seconds["object_info"].append(play(service, [{"community.seventhings.object_info": {}}]).seconds)
            service.clear_log()
            evaluated = play(service, [{"community.seventhings.stocktake": {}}])
            if sum(evaluated.result["counts"].values()) != number:
                raise RuntimeError(f"not all objects were evaluated: {evaluated.result['msg'][:500]}")
            seconds["stocktake"].append(evaluated.seconds)
        sent = len(service.log())
    best = {way: min(measured) for way, measured in seconds.items()}
    part.at_most(
        f"time of a stocktake of {number:,} objects, relative to their download by `object_info`",
        best["stocktake"] / best["object_info"],
        1.3,
    )
    part.table(
        ("objects", "requests", "s, script", "s, `object_info`", "s, `stocktake`"),
        [(f"{number:,}", sent, *(f"{time:.1f}" for time in best.values()))],
        "The seconds are the time of the task. Both tasks return every object, and most of their time is spent by "
        "ansible-core, which copies and cleans the result. For comparison, a script downloads and decodes the pages of "
        "objects one after the other, and returns nothing.",
    )
    return part


def _plans(part: Part, number: int, forms: Sequence[str], rounds: int, ratio: float, most: int) -> None:
    """Plan many objects in files of each format. Return ratios of times, and MiB."""
    rows = []
    with running(data=str(number)) as service:
        for form in forms:
            directory = WORK / f"large-{form}"
            _write(service, directory, form)
            bare, planned = [], []
            for _turn in range(rounds):
                bare.append(_download_and_parse_alone(service, directory))
                service.clear_log()
                planned.append(play(service, [instance(directory)], check=True))
                if planned[-1].result["outcome"] != "unchanged":
                    raise RuntimeError(f"the plan is not empty: {planned[-1].result['msg'][:500]}")
            sent = len(service.log())
            seconds, memory = min(run.seconds for run in planned), max(run.memory for run in planned) / _MIB
            what = f"a plan of {number:,} objects in {form.upper()} with nothing to change"
            part.at_most(f"time of {what}, relative to downloading and parsing", seconds / min(bare), ratio)
            part.at_most(f"MiB of {what}", memory, most, 0)
            rows.append((form.upper(), sent, f"{min(bare):.1f}", f"{seconds:.1f}", f"{memory:.0f}"))
    part.table(
        ("files", "requests of the plan", "s, download and parse", "s, plan", "MiB, plan"),
        rows,
        f"{number:,} objects have {len(_FIELDS)} fields each, and each file has {_IN_A_FILE * 1000:,} objects. The "
        "seconds are the time of the task. The memory is the peak of the largest process. For comparison, a script "
        "downloads and decodes the same pages one after the other, and parses the same files with `csv.DictReader` or "
        "`yaml.CSafeLoader`.",
    )


def _rules() -> str:
    """Return twenty rules about objects: constants, patterns, numbers, and a reference."""
    rules = []
    for number in range(5):
        judged = (
            {"properties": {"inventory_name": {"pattern": f"^.{{{number},}}$"}}},
            {"required": ["inventory_name"], "properties": {"serial_number": {"minLength": number}}},
            {"properties": {"purchasing_price": {"minimum": -number}, "description": {"type": "string"}}},
            {"properties": {"target_room": {"not": {"const": f"Nowhere/{number}"}}}},
        )
        when = {"properties": {"inventory_name": {"not": {"const": f"none {number}"}}}}
        rules += [
            {"id": f"rule-{number}-{kind}", "for": "objects", "when": when, "require": require}
            for kind, require in enumerate(judged)
        ]
    return json.dumps({"rules": rules})


def _with_rules(part: Part, number: int, rounds: int) -> None:
    """Measure the same plan with rules of the task that every record keeps."""
    rules = WORK / "rules.yml"
    rules.write_text(_rules(), "utf-8")
    seconds: dict[bool, list[float]] = {False: [], True: []}
    with running(data=str(number)) as service:
        directory = WORK / "ruled-csv"
        _write(service, directory, "csv")
        for _turn in range(rounds):
            for has_rules, found in seconds.items():
                given = [str(rules)] if has_rules else []
                planned = play(service, [instance(directory, rules=given)], check=True)
                if planned.result["outcome"] != "unchanged":
                    raise RuntimeError(f"the plan is not empty: {planned.result['msg'][:500]}")
                found.append(planned.seconds)
    more = min(seconds[True]) - min(seconds[False])
    part.at_most(f"additional seconds of 20 rules on {number:,} objects", more, 30, 1)


def _write(service: Emulator, directory: Path, form: str) -> None:
    """Write the objects of a service as files."""
    (directory / "objects").mkdir(parents=True)
    (directory / "instance.yml").write_text("api: seventhings/v1\nset: bench\n", "utf-8")
    for number, records in enumerate(_pages(service.base_url, service.token())):
        part = directory / "objects" / f"{number // _IN_A_FILE:05d}.{form}"
        rows = [{name: str(record[name]) for name in _FIELDS if record.get(name) is not None} for record in records]
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


def _pages(base_url: str, token: str) -> Iterator[list[dict[str, Any]]]:
    """Yield the objects of a service, page by page."""
    with requests.Session() as session:
        session.trust_env = False
        session.headers["Authorization"] = f"Bearer {token}"
        page, total = 0, 1
        while page * 1000 < total:
            page += 1
            answer = session.get(
                f"{base_url}{PREFIX}/objects",
                params={"page": str(page), "per_page": "1000", "sort[id]": "ASC"},
                timeout=120,
            )
            answer.raise_for_status()
            body = answer.json()
            total = body["total"]
            yield body["items"]


def _download_and_parse_alone(service: Emulator, directory: Path) -> float:
    """Return the seconds of downloading and parsing alone, in a separate process."""
    done = subprocess.run(
        [sys.executable, __file__, service.base_url, service.token(), str(directory)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return float(done.stdout)


def _main(base_url: str, token: str, directory: str) -> None:
    import yaml

    started = time.monotonic()
    kept: list[Any] = [record for records in _pages(base_url, token) for record in records]
    for path in sorted((Path(directory) / "objects").iterdir()):
        if path.suffix == ".csv":
            with path.open(newline="", encoding="utf-8") as stream:
                kept += csv.DictReader(stream)
        else:
            kept += yaml.load(path.read_text("utf-8"), Loader=yaml.CSafeLoader)
    print(time.monotonic() - started)


if __name__ == "__main__":
    _main(*sys.argv[1:])
