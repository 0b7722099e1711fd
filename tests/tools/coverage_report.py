# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure line and branch coverage of plugins/ by unit and integration tests, or by the tests in given paths.

All tests together must cover 99 % of the lines and 96.4 % of the branches. Uncovered lines are listed file by file.

Ansible runs the collection in many processes: playbooks, their workers (forked, ended by os._exit) and modules, packed
into an archive. All of them measure coverage, and the results are mapped to the files of the repository.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

from project import BUILD, ROOT, environment

FOLDER = BUILD / "coverage"
CONFIG = FOLDER / "coveragerc"
GOALS = {"lines": 99.0, "branches": 96.4}
"""Percentages that all tests together must cover."""
_SETTINGS = f"""
[run]
branch = true
parallel = true
data_file = {FOLDER / "data"}
include =
    {ROOT}/plugins/*
    */ansible_collections/community/seventhings/plugins/*
omit =
    */__init__.py
disable_warnings =
    no-data-collected
patch =
    _exit
    fork
    subprocess

[paths]
collection =
    {ROOT}
    */ansible_collections/community/seventhings

[report]
exclude_also =
    if TYPE_CHECKING:
show_missing = true
skip_empty = true
# Modules of copies of the collection that tests make up are measured where they run from their archive, and are gone.
ignore_errors = true

[html]
directory = {FOLDER / "html"}

[json]
output = {FOLDER / "coverage.json"}
"""


def coverage(*words: str) -> int:
    command = ["coverage", words[0], f"--rcfile={CONFIG}", *words[1:]]
    return subprocess.run(command, cwd=ROOT, env=environment(), stdin=subprocess.DEVNULL, check=False).returncode


def measure_what_no_test_loads() -> None:
    """Add the files that no process imported: none of their lines are covered."""
    import coverage as library

    data = library.CoverageData(basename=str(FOLDER / "data"))
    data.read()
    if not data.measured_files():
        return
    plugins = [str(path) for path in sorted((ROOT / "plugins").rglob("*.py"))]
    data.touch_files([path for path in plugins if path not in data.measured_files()])
    data.write()


def shares() -> dict[str, float]:
    """Return the percentages of covered lines and branches."""
    totals = json.loads((FOLDER / "coverage.json").read_text(encoding="utf-8"))["totals"]
    return {
        "lines": 100.0 * totals["covered_lines"] / totals["num_statements"],
        "branches": 100.0 * totals["covered_branches"] / totals["num_branches"],
    }


def main(paths: list[str]) -> int:
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    CONFIG.write_text(_SETTINGS)
    status = coverage(
        "run", "-m", "pytest", "--quiet", "-n", "2", *(paths or ["tests/unit", "tests/integration", "tests/hostile"])
    )
    if coverage("combine", "--quiet"):
        return 1
    measure_what_no_test_loads()
    coverage("html", "--quiet")
    coverage("json", "--quiet")
    coverage("report")
    print(f"Line by line: {(FOLDER / 'html' / 'index.html').relative_to(ROOT)}")
    reached = shares()
    for what, goal in GOALS.items():
        print(f"{what.capitalize()}: {reached[what]:.2f} %, wanted {goal:g} %")
    # A selection of tests can't reach the goals.
    missed = not paths and any(reached[what] < goal for what, goal in GOALS.items())
    return status or int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
