# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Record every plan that the tests make, and compare two recordings. Use it before and after a redesign of the planner.

    python tests/tools/recorded_plans.py record OUT.jsonl tests/unit/plugin_utils
    python tests/tools/recorded_plans.py compare BEFORE.jsonl AFTER.jsonl NOISE.jsonl

A recording has a line for each plan: the test, the number of the plan in the test, changes, findings, warnings and the
number of requests. Random names, such as uuids and directories of tests, are replaced. Record the old code twice: the
second recording shows which plans differ from run to run, and the comparison leaves them out.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from project import BUILD, ROOT, environment

_DIRECTORY = "RECORDED_PLANS"
"""The environment variable that names the directory to which the workers of pytest write."""

_PLANNER = "ansible_collections.community.seventhings.plugins.plugin_utils.set_plan.planner"
_UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_RANDOM = re.compile(r"(?:/[\w.-]+)*/pytest-of-[^/]+/pytest-\d+(?:/popen-gw\d+)?/[\w.-]+|127\.0\.0\.1:\d+")
_COUNTED = ("unchanged", "skipped", "existing", "everywhere", "unmatched")
_TEXTS = ("findings", "warnings", "cautions", "exceeded_limits", "protected", "live_findings", "rule_warnings")


class _Recorder:
    """The plans of one worker of pytest."""

    def __init__(self, path: Path) -> None:
        # A process that a test forks must not write the buffer of this process again.
        self._stream = path.open("ab", buffering=0)
        self._test = ""
        self._numbers: Counter[str] = Counter()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._test = nodeid

    def pytest_unconfigure(self) -> None:
        self._stream.close()

    def wrap(self, plan_instance: Callable[..., Any]) -> Callable[..., Any]:
        """Return the planner with a note of each plan that it returns."""

        @functools.wraps(plan_instance)
        def recorded(client: Any, desired: Any, options: Any = None) -> Any:
            sent = client.transport.sent
            plan = plan_instance(client, desired, options)
            self._note(plan, client.transport.sent - sent)
            return plan

        return recorded

    def _note(self, plan: Any, requests: int) -> None:
        number = self._numbers[self._test]
        self._numbers[self._test] += 1
        line = {"test": self._test, "number": number, "requests": requests, **_document(plan)}
        self._stream.write(_without_random_names(json.dumps(line, default=str)).encode() + b"\n")


def _document(plan: Any) -> dict[str, Any]:
    changes = [
        {
            "record": str(planned),
            "action": planned.change.action,
            "before": planned.change.before,
            "after": planned.change.after,
            "place": str(planned.entry.place),
        }
        for planned in plan.changes
    ]
    counted = {name: {key: number for key, number in getattr(plan, name).items() if number} for name in _COUNTED}
    return {
        "changes": changes,
        **counted,
        **{name: [str(text) for text in getattr(plan, name)] for name in _TEXTS},
        "hidden_records": plan.visibility.hidden_records,
    }


def _without_random_names(line: str) -> str:
    """Replace uuids by their order of appearance, and addresses and directories of a test by a fixed text."""
    numbers: dict[str, str] = {}
    line = _UUID.sub(lambda found: numbers.setdefault(found.group(), f"uuid-{len(numbers)}"), line)
    return _RANDOM.sub("(random)", line)


def pytest_configure(config: pytest.Config) -> None:
    """Wrap the planner. Pytest calls this in each worker, before it imports the tests but after their libraries."""
    directory = Path(os.environ[_DIRECTORY])
    recorder = _Recorder(directory / f"{os.environ.get('PYTEST_XDIST_WORKER', 'main')}.jsonl")
    config.pluginmanager.register(recorder)
    plan_instance = import_module(_PLANNER).plan_instance
    wrapped = recorder.wrap(plan_instance)
    for module in [*sys.modules.values()]:
        if vars(module).get("plan_instance") is plan_instance:
            vars(module)["plan_instance"] = wrapped


def record(out: Path, options: list[str]) -> int:
    """Run tests, and write the plans that they make to a file, in the order of the tests."""
    directory = BUILD / "recorded-plans"
    directory.mkdir(parents=True, exist_ok=True)
    for earlier in directory.glob("*.jsonl"):
        earlier.unlink()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "recorded_plans", *options]
    # Random tests choose the same cases in each recording.
    env = environment(**{_DIRECTORY: str(directory), "PYTHONHASHSEED": "0"})
    status = subprocess.run(command, check=False, cwd=ROOT, env=env)
    plans = [line for path in directory.glob("*.jsonl") for line in path.read_text().splitlines()]
    plans.sort(key=_name_of)
    out.write_text("".join(f"{line}\n" for line in plans))
    print(f"{len(plans)} plans in {out}")
    return status.returncode


def _name_of(line: str) -> tuple[str, int]:
    plan = json.loads(line)
    return plan["test"], plan["number"]


def _plans_in(path: Path) -> dict[tuple[str, int], dict[str, Any]]:
    return {_name_of(line): json.loads(line) for line in path.read_text().splitlines()}


def differences(before: Path, after: Path, noise: Path | None = None) -> Iterator[str]:
    """Yield a line for each plan that differs, and for each plan that only one recording has.

    :param noise: another recording of the code of ``before``. Plans that differ between the two are left out.
    """
    old, new = _plans_in(before), _plans_in(after)
    again = old if noise is None else _plans_in(noise)
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != again.get(name) or old.get(name) == new.get(name):
            continue
        words = f"{name[0]}, plan {name[1] + 1}"
        if name not in old or name not in new:
            yield f"{words}: only in {before if name in old else after}"
            continue
        for member in old[name]:
            if old[name][member] != new[name].get(member):
                yield f"{words}: {member}: {json.dumps(old[name][member])} -> {json.dumps(new[name].get(member))}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="run tests, and record their plans")
    recording.add_argument("out", type=Path)
    recording.add_argument("options", nargs=argparse.REMAINDER, help="paths and options of pytest")
    comparing = commands.add_parser("compare", help="compare two recordings")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("noise", type=Path, nargs="?", help="another recording of the code of BEFORE")
    chosen = parser.parse_args()
    if chosen.command == "record":
        return record(chosen.out, chosen.options)
    found = list(differences(chosen.before, chosen.after, chosen.noise))
    print("\n".join(found))
    print(f"{len(found)} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
