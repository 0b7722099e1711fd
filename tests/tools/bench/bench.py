# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure requests, time and memory side by side on this machine, and write docs/benchmarks.md.

Times depend on the machine and its load. Ratios between numbers of one run depend on them much less.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import bench_large
import bench_many
import bench_objects
import bench_requests
from bench_page import Part, as_page
from bench_play import QUICK, WORK, Sizes
from project import BUILD, ROOT

_PAGE = ROOT / "docs" / "benchmarks.md"
_FOUND = BUILD / "benchmarks"
_PARTS: dict[str, Callable[[Sizes], Part]] = {
    "requests": bench_requests.plan_requests,
    "inventory": bench_requests.inventory,
    "inventory-large": bench_requests.large_inventory,
    "apply": bench_objects.new_objects,
    "loop": bench_objects.unchanged_loop,
    "scale": bench_large.large_instance,
    "scale-more": bench_large.larger_instance,
    "stocktake": bench_large.stocktakes,
    "pacing": bench_objects.pacing,
    "hosts": bench_many.hosts_at_once,
    "fleet": bench_many.fleets,
}


def main() -> int:
    """Measure all parts, or the named parts. The page shows the latest results of each part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*_PARTS, []], help="what to measure (default: everything)")
    parser.add_argument("--quick", action="store_true", help="small numbers, to see that it works; nothing is written")
    options = parser.parse_args()
    _FOUND.mkdir(parents=True, exist_ok=True)
    # The peak memory of a process is at least that of the process that started it.
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
        for name in options.parts or _PARTS:
            pool.submit(_measure, name, options.quick).result()
    found = {name: Part.kept(path) for name in _PARTS if (path := _FOUND / f"{name}.json").exists()}
    missing = [name for name in _PARTS if name not in found]
    if missing and not options.quick:
        print(
            f"{_PAGE.relative_to(ROOT)} stays as it is: it would lose what was not measured here: {', '.join(missing)}"
        )
    elif not options.quick:
        _PAGE.write_text(as_page(found), "utf-8")
        print(f"written: {_PAGE.relative_to(ROOT)}")
    return 0


def _measure(name: str, is_quick: bool) -> None:
    """Measure one part, and keep its results unless the numbers are small."""
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    part = _PARTS[name](QUICK if is_quick else Sizes())
    if not is_quick:
        part.keep(_FOUND / f"{name}.json")


if __name__ == "__main__":
    sys.exit(main())
