# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run the gates, two at a time, even if some fail, and print a summary."""

from __future__ import annotations

import argparse
import itertools
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from pathlib import Path

import interpreters
import kept_code
import sanity
from platforms import CORES, EVERYDAY, OLDEST_CORE, PRERELEASES
from project import BUILD, LINK, ROOT, environment


def _names(folder: str, pattern: str = "*.yml") -> list[str]:
    """Return the YAML files in a folder of the repository, as paths relative to it."""
    return sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / folder).glob(pattern))


LOGS = BUILD / "log"
_SHOWN_LINES = 150
_LONG_RUN = ("-o", "timeout=3600", "--dist=worksteal")
"""Options of pytest. A case of the long run may take much longer than others, and than one of ``make test``."""
COLLECTION = "ansible_collections.community.seventhings"
_UNIT_TESTS = {"engine": "tests/unit/plugin_utils", "scenarios": "tests/unit/scenarios"}
"""The unit tests with a gate of their own, so that both processors are busy to the end. The others are in one gate."""
_OLD_PLAYS: dict[str, tuple[str, ...]] = {
    OLDEST_CORE: (
        "tests/unit/test_imports.py",
        "tests/unit/plugin_utils/test_ansible_compat.py",
        "tests/unit/plugins/lookup",
        "tests/hostile/test_results.py::test_what_an_info_module_gives_is_data[room]",
        "tests/hostile/test_results.py::test_what_instance_gives_is_data[apply]",
        "tests/hostile/test_inventory.py::test_no_text_runs_that_comes_from_the_cache",
        "tests/integration/test_play.py::test_single_modules_provision_an_empty_instance",
    ),
}
"""The sample of plays on an old core, where every unmarked text is a template."""
_HOSTILE_TEXTS = (
    "tests/hostile/test_doors.py",
    "tests/hostile/test_doors_in_plays.py",
    "tests/hostile/test_results.py",
)
"""The tests that send every hostile text through every door. The long tests run them in full on the oldest core too."""
_FORMS = ".github/ISSUE_TEMPLATE"
_PIPELINES = [
    *_names("examples/ci", "*github-actions.yml"),
    *_names("examples/repository/.github/workflows"),
]
# Files with a schema published by the hosting service: name, schema, files.
_PAPERS = (
    ("workflows", "github-workflows", [*_names(".github/workflows"), *_PIPELINES]),
    (
        "pipeline",
        "gitlab-ci",
        [*_names("examples/ci", "*gitlab-ci.yml"), *_names("examples/repository", ".gitlab*.yml")],
    ),
    ("updates", "dependabot", [".github/dependabot.yml"]),
    ("forms", "github-issue-forms", [name for name in _names(_FORMS) if not name.endswith("config.yml")]),
    ("choice of forms", "github-issue-config", [f"{_FORMS}/config.yml"]),
)


@dataclass
class Gate:
    """A check: a command that succeeds or fails. For pytest, its tests are counted.

    :ivar needs: another gate, in any chain, that must pass before this gate begins.
    :ivar processor: seconds of processor time that the command and the processes it waited for took.
    """

    name: str
    command: list[str]
    cwd: Path = ROOT
    pytest: bool = False
    needs: Gate | None = None
    not_run: str = ""
    seconds: float = 0.0
    processor: float = 0.0
    status: int = 0
    remarks: list[str] = field(default_factory=list)
    passed: int = 0
    failed: int = 0
    has_ended: threading.Event = field(default_factory=threading.Event)

    @property
    def slug(self) -> str:
        return re.sub(r"[^a-z0-9.]+", "-", self.name.lower())

    @property
    def log(self) -> Path:
        return LOGS / f"{self.slug}.log"

    @property
    def result(self) -> str:
        if self.not_run:
            return "not run"
        return "failed" if self.status else "passed"

    def run(self) -> None:
        if self.needs:
            self.needs.has_ended.wait()
            if self.needs.status:
                self.not_run, self.status, self.failed = f"{self.needs.name} failed", 1, 1
        try:
            if not self.not_run:
                self._run()
        finally:
            self.has_ended.set()

    def _run(self) -> None:
        started = time.monotonic()
        report = LOGS / f"{self.slug}.xml"
        report.unlink(missing_ok=True)
        command = [*self.command, f"--junit-xml={report}"] if self.pytest else self.command
        env = environment(**{kept_code.VARIABLE: str(BUILD / "code")})
        with self.log.open("w") as log:
            process = subprocess.Popen(command, cwd=self.cwd, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            _pid, status, usage = os.wait4(process.pid, 0)
        self.status = process.returncode = os.waitstatus_to_exitcode(status)
        self.processor = usage.ru_utime + usage.ru_stime
        self.seconds = time.monotonic() - started
        self.failed, self.passed = (1, 0) if self.status else (0, 1)
        if self.pytest:
            self._count_tests(report)
        # Mention the tests that ansible-test skips because an interpreter is missing.
        absent = set(re.findall(r"^WARNING: Skipping .* on Python (\S+) because", self.log.read_text(), re.MULTILINE))
        self.remarks += [f"without Python {version}" for version in sorted(absent)]

    def _count_tests(self, report: Path) -> None:
        self.remarks += [line.strip("= ") for line in self.log.read_text().splitlines()[-1:]]
        if not report.exists():
            return
        suites = ET.parse(report).getroot().findall(".//testsuite")
        counts = [
            {key: int(suite.get(key, 0)) for key in ("tests", "failures", "errors", "skipped")} for suite in suites
        ]
        failed = sum(count["failures"] + count["errors"] for count in counts)
        self.passed = sum(count["tests"] - count["skipped"] for count in counts) - failed
        self.failed = max(failed, self.failed)


def sanity_gates() -> list[Gate]:
    """Return the sanity gates for the shipped files, on the oldest ansible-core.

    In the long tests every core runs all tests on every Python of this machine, and includes the tests' own files.
    Tests whose rules another gate checks run only in the long tests, because they take most of the time.
    """
    is_long = bool(os.environ.get("SEVENTHINGS_TEST_LONG"))
    return [sanity_gate(core, is_long) for core in (CORES if is_long else (OLDEST_CORE,))]


def sanity_gate(core: str, is_long: bool) -> Gate:
    python = sanity.python_for(core)
    versions = [f"3.{minor}" for minor in CORES[core]]
    if python is None:
        return Gate(f"sanity, ansible-core {core}", [], not_run=f"no Python {' or '.join(versions)} on this machine")
    options = [] if is_long else ["--shipped", "--python", python.name.removeprefix("python")]
    # pylint for a pre-release may need packages that are not released either.
    left_out = {"pylint"} if core in PRERELEASES else set()
    if not is_long:
        left_out.update(sanity.DONE_BY_OTHER_GATES)
    options += [word for test in sorted(left_out) for word in ("--skip-test", test)]
    gate = Gate(f"sanity, ansible-core {core}", [sys.executable, "tests/tools/sanity.py", core, *options])
    gate.remarks.append(f"on {python.name}")
    return gate


def chains(selection: str) -> list[list[Gate]]:
    """Return chains of gates. The gates of a chain run in sequence, and two chains run at any time.

    The longest chains begin first, so that both processors are busy until the end.
    """
    fast = selection == "fast"
    folders = ("support", "tools", "emulator", "unit", "integration", "hostile", "conftest.py")
    typed = [*(f"tests/{name}" for name in folders), "extensions/eda/plugins/event_source/changes.py"]
    pytest = ["pytest", "--quiet", "--color=no"]
    if os.environ.get("SEVENTHINGS_TEST_LONG"):
        pytest += _LONG_RUN
    # One after the other, because the second reads what the first wrote to the cache.
    types = [
        Gate("mypy, plugins", ["mypy", "-p", f"{COLLECTION}.plugins"]),
        Gate("mypy, tests", ["mypy", *[name for name in typed if (ROOT / name).exists()]]),
    ]
    quick = [
        Gate("ruff check", ["ruff", "check"]),
        Gate("ruff format", ["ruff", "format", "--check", "--diff"]),
        Gate("imports", ["lint-imports", "--config", str(ROOT / "pyproject.toml"), "--no-cache"], cwd=BUILD / "link"),
        Gate("yamllint", ["yamllint", "--strict", "."]),
    ]
    if fast:
        # These folders send thousands of requests.
        left_out = [f"--ignore=tests/unit/{folder}" for folder in ("emulator", "rules", "proof")]
        return [
            *([gate] for gate in unit_gates([*pytest, "-m", "not slow", *left_out])),
            types,
            *([gate] for gate in quick),
        ]
    quick += [
        Gate(
            "collection docs",
            [
                "antsibull-docs",
                "lint-collection-docs",
                "--plugin-docs",
                "--validate-collection-refs=all",
                "--disallow-unknown-collection-refs",
                "--skip-rstcheck",
                ".",
            ],
            cwd=LINK,
        ),
        # All rules of bandit, on all code that runs for users.
        Gate("bandit", ["bandit", "--quiet", "--recursive", "plugins", "extensions"]),
        Gate("changelog", ["antsibull-changelog", "lint"]),
        Gate("licences", ["reuse", "lint", "--lines"]),
        Gate(
            "workflows",
            ["zizmor", "--offline", "--no-progress", ".github", *_PIPELINES],
        ),
        *[
            Gate(f"schema, {name}", ["check-jsonschema", "--builtin-schema", f"vendor.{schema}", *files])
            for name, schema, files in _PAPERS
        ],
        Gate("archive", [sys.executable, "tests/tools/archive.py"]),
    ]
    lint = Gate("ansible-lint", ["ansible-lint", "--offline", "--strict"], cwd=LINK)
    plays = Gate("integration tests", [*pytest, "-n", "2", "tests/integration", "tests/hostile"], pytest=True)
    rare = []
    if os.environ.get("SEVENTHINGS_TEST_LONG"):
        rare = [rulebook_gate(), Gate("awx", [sys.executable, "tests/tools/awx.py"])]
        rare.append(Gate("lowest requirements", [sys.executable, "tests/tools/lowest.py"]))
        rare.append(Gate("documentation site", [sys.executable, "tests/tools/docs.py"]))
        rare.append(Gate("archive alone", [sys.executable, "tests/tools/alone.py"]))
    # Sanity tests create their own environments, so they need not wait for the tools here.
    tools = Gate("environment", ["make", "--no-print-directory", "lint-environment"])
    longest = [[gate] for gate in (plays, *unit_gates(pytest), *rare, *core_gates(), lint)]
    beside = [*longest, types, *([gate] for gate in quick)]
    for gate in itertools.chain(*beside):
        gate.needs = tools
    return [sanity_gates(), [tools], *beside]


def unit_gates(pytest: list[str]) -> list[Gate]:
    """Return the gates of the unit tests, without workers, whose reports take a quarter of the time of short tests.

    :param pytest: the command, with options for all of them.
    """
    others = [f"--ignore={folder}" for folder in _UNIT_TESTS.values()]
    return [
        Gate("unit tests, engine", [*pytest, _UNIT_TESTS["engine"]], pytest=True),
        Gate("unit tests, others", [*pytest, *others, "tests/unit"], pytest=True),
        Gate("unit tests, scenarios", [*pytest, _UNIT_TESTS["scenarios"]], pytest=True),
    ]


def selected(work: list[list[Gate]], names: list[str]) -> list[list[Gate]]:
    """Return the gates whose name begins with one of some words, and what they need.

    :raises ValueError: for a word with which no name begins.
    """
    known = [gate.name for gate in itertools.chain(*work)]
    for name in names:
        if not any(gate.startswith(name) for gate in known):
            raise ValueError(f"no gate begins with {name!r}; expected one of {', '.join(sorted(known))}")
    chosen = [gate for gate in itertools.chain(*work) if gate.name.startswith(tuple(names))]
    needed = [gate.needs for gate in chosen if gate.needs is not None]
    return [[gate for gate in chain if gate in chosen or gate in needed] for chain in work]


def core_gates() -> list[Gate]:
    """Return gates with real plays on other versions of ansible-core than that of the environment.

    The long tests play every case of every test on each of them. Random tests have large numbers only in the
    environment, because what they look for rarely depends on the version.
    """
    if not os.environ.get("SEVENTHINGS_TEST_LONG"):
        return [core_gate("plays", core, *sample) for core, sample in _OLD_PLAYS.items()]
    others = [core for core in CORES if core != EVERYDAY]
    return [
        *(core_gate("plays", core, "--every-case", *_LONG_RUN) for core in others),
        core_gate("hostile texts", OLDEST_CORE, *_LONG_RUN, *_HOSTILE_TEXTS),
    ]


def core_gate(name: str, core: str, *options: str) -> Gate:
    """Return a gate that runs ``other_core.py`` with some options, on the oldest Python for a version."""
    name, found = f"{name}, ansible-core {core}", interpreters.find()
    python = next((minor for minor in CORES[core] if minor in found), None)
    if python is None:
        return Gate(name, [], not_run=f"no Python for ansible-core {core} on this machine")
    command = [sys.executable, "tests/tools/other_core.py", core, "--python", f"3.{python}", *options]
    gate = Gate(name, command, pytest=True)
    gate.remarks.append(f"on python3.{python}")
    return gate


def rulebook_gate() -> Gate:
    """Return the gate that runs the Event-Driven Ansible example with the real ansible-rulebook, which needs Java."""
    no_java = "" if shutil.which("java") else "no Java on this machine"
    return Gate("rulebook", [sys.executable, "tests/tools/rulebook.py"], not_run=no_java)


def run(work: list[list[Gate]]) -> None:
    """Run chains, two at any time.

    Each of the two has its own half of the processors, because the threads of a Python process are quicker on one.
    """
    waiting: queue.SimpleQueue[list[Gate]] = queue.SimpleQueue()
    for chain in work:
        waiting.put(chain)
    printing = threading.Lock()

    def worker(processors: list[int]) -> None:
        if sys.platform == "linux" and processors:
            # This holds for this thread, and for the processes that it starts.
            os.sched_setaffinity(0, processors)
        while True:
            try:
                chain = waiting.get_nowait()
            except queue.Empty:
                return
            for gate in chain:
                gate.run()
                with printing:
                    report(gate)

    known = sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else []
    threads = [threading.Thread(target=worker, args=(known[first::2],)) for first in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def report(gate: Gate) -> None:
    """Return a line for a passed gate, or the end of the log of a failed gate."""
    print(f"[{gate.result:>7}] {gate.name} ({gate.seconds:.1f} s)", flush=True)
    if gate.status and not gate.not_run:
        print("\n".join(gate.log.read_text().splitlines()[-_SHOWN_LINES:]))
        print(f"[ failed] {gate.name}: {os.path.relpath(gate.log, ROOT)}\n", flush=True)


def summary(gates: list[Gate], seconds: float) -> int:
    width = max(len(gate.name) for gate in gates)
    print(f"\n{'Gate':<{width}}  Result   Seconds  Processor")
    for gate in gates:
        remarks = "; ".join([gate.not_run] * bool(gate.not_run) + gate.remarks)
        print(f"{gate.name:<{width}}  {gate.result:<7}  {gate.seconds:7.1f}  {gate.processor:9.1f}  {remarks}".rstrip())
    print(f"{'Total':<{width}}           {seconds:7.1f}  {sum(gate.processor for gate in gates):9.1f}\n")
    for gate in gates:
        if gate.pytest and gate.remarks:
            print(f"{gate.name}: {gate.remarks[-1]}")
    failed = sum(gate.failed for gate in gates)
    print(f"{sum(gate.passed for gate in gates)} passed, {failed} failed", flush=True)
    return 1 if failed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("selection", choices=["all", "fast"])
    parser.add_argument("names", nargs="*", help="only gates whose name begins so")
    options = parser.parse_args()
    LOGS.mkdir(parents=True, exist_ok=True)
    work = chains(options.selection)
    if options.names:
        try:
            work = selected(work, options.names)
        except ValueError as unknown:
            parser.error(str(unknown))
    started = time.monotonic()
    run(work)
    return summary([gate for chain in work for gate in chain], time.monotonic() - started)


if __name__ == "__main__":
    sys.exit(main())
