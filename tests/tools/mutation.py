# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Mutation testing of the code that decides about equality, targets, changes and permitted writes.

mutmut changes one thing at a time in the functions of a file, and runs the tests that execute it; one of them must
fail. It works on a copy with the layout of an imported collection. A surviving change must be explained in
``docs/mutation-testing.md``. Unexplained survivors and unused explanations are errors.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from project import BUILD, COLLECTION_PATH, ROOT, environment, tracked_files

_EQUAL = (
    "module_utils/model/test_types",
    "module_utils/model/test_type_laws",
    "module_utils/model/test_constraints",
    "module_utils/model/test_schema",
    "module_utils/plan/test_change",
    "module_utils/resolve/test_natural_keys",
    "module_utils/resolve/test_references",
)
_PLAN = "plugin_utils/set_plan"
_APPROVAL = (
    *(f"plugin_utils/instance/test_{name}" for name in ("digests", "approval")),
    "scenarios/approval/",
    "scenarios/protect/approved",
    "scenarios/hidden_records/approved",
)
SUBJECTS: Mapping[str, tuple[str, ...]] = {
    "module_utils/model/types_basic": _EQUAL,
    "module_utils/plan/change": (*_EQUAL, "scenarios/values/out_of_a_room", "scenarios/values/default_values"),
    "module_utils/resolve/natural_keys": _EQUAL,
    "module_utils/resolve/references": _EQUAL,
    "plugin_utils/apply/readiness": ("plugin_utils/apply/test_readiness", "scenarios/values/handed_over"),
    "plugin_utils/set_plan/planner": (f"{_PLAN}/test_planner", "scenarios/lifecycle/module_off"),
    "module_utils/resolve/listing": tuple(
        f"module_utils/resolve/test_{name}" for name in ("listing", "one_request", "field_visibility")
    ),
    "plugin_utils/instance/caps": ("plugin_utils/instance/test_caps",),
    "plugin_utils/set_plan/limits": (
        f"{_PLAN}/test_limits",
        *(f"scenarios/limits/{name}" for name in ("deletions", "records", "rest")),
        "scenarios/approval/limits",
    ),
    "plugin_utils/apply/journal": (
        "plugin_utils/apply/test_journal",
        "plugin_utils/apply/test_journal_in_runs",
        *(f"scenarios/{name}" for name in ("sides/", "archived/", "never_twice/killed")),
        *(f"scenarios/{name}" for name in ("prune/", "hidden_records/created_unseen")),
    ),
    "plugin_utils/instance/approval": _APPROVAL,
    "plugin_utils/set_plan/canonical": _APPROVAL,
    "plugin_utils/set_plan/prune": (
        "rules/test_limits_without_state",
        "plugin_utils/desired/test_findings_together",
        *(f"scenarios/{name}" for name in ("prune/", "missing_rows/", "protect/", "tables/skipped")),
    ),
    "plugin_utils/set_plan/removal_blockers": (
        f"{_PLAN}/test_removal_blockers",
        f"{_PLAN}/test_complete_lists",
        *(f"scenarios/{name}" for name in ("approval/blocked", "archived_places/", "hidden_records/room")),
        *(f"scenarios/{name}" for name in ("hidden_fields/used", "renames/out_of", "undo_of_kinds/own_location")),
        "scenarios/values/handed_over",
    ),
    "plugin_utils/set_plan/lifecycle": (
        f"{_PLAN}/test_lifecycle",
        *(f"scenarios/{name}" for name in ("lifecycle/", "protect/", "undo/protected")),
    ),
    "plugin_utils/set_plan/sources": ("scenarios/sources/", "scenarios/hidden_records/lost"),
    "plugin_utils/set_plan/similar_names": (
        f"{_PLAN}/test_forms_of_names",
        *(f"scenarios/{name}" for name in ("similar_names/", "undo_of_kinds/equal_room_names")),
        *(f"scenarios/prune/{name}" for name in ("broken_key", "look_alike", "namesakes")),
    ),
    "module_utils/runtime/facts": ("module_utils/runtime/test_facts",),
    "module_utils/runtime/store": tuple(f"module_utils/runtime/test_{name}" for name in ("facts", "token_store")),
    "plugin_utils/apply/memory": ("plugin_utils/apply/test_journal", "plugin_utils/apply/test_uploads"),
    "plugin_utils/desired/cells": (
        f"{_PLAN}/test_cells",
        *(f"plugin_utils/desired/test_{name}" for name in ("cells", "tables")),
        "scenarios/tables/",
    ),
    "module_utils/client/paging": tuple(f"module_utils/client/test_{name}" for name in ("paging", "client", "limits")),
    "module_utils/client/settling": ("module_utils/client/test_settling",),
    "module_utils/runtime/creations": (
        "module_utils/runtime/test_creations",
        "rules/test_lost_changes",
        "rules/test_processes",
    ),
    "plugin_utils/absorb/patch": tuple(f"plugin_utils/absorb/test_{name}" for name in ("patch", "random_changes")),
    "plugin_utils/undo/inverse": (
        "plugin_utils/undo/test_inverse",
        "scenarios/undo",
        "scenarios/hidden_records/undo",
    ),
}
"""The mutated files, each with the tests that must detect changes.

``scenarios/limits`` are the scenarios whose names begin with ``limits``.
"""

_SCENARIOS = "scenarios/test_scenarios"
"""The test of all scenarios."""
SHARES = 8
"""Number of nights in which each file is mutated once."""
PAGE = ROOT / "docs" / "mutation-testing.md"
WORK = BUILD / "mutation"
_NEEDED = (
    "plugins/",
    "tests/conftest.py",
    *(f"tests/{name}/" for name in ("support", "tools", "unit", "emulator", "scenarios")),
)
_CAUGHT = ("killed", "timeout")
_SHOW = """
import json, sys
from mutmut.__main__ import get_diff_for_mutant
print(json.dumps({name: get_diff_for_mutant(name) for name in sys.argv[1:]}))
"""
"""A script for many mutants that prints what ``mutmut show`` shows, because that command starts slowly."""
_NAME = re.compile(r"\.(?P<file>\w+)\.x_?(?:ǁ(?P<of>\w+)ǁ)?(?P<function>\w+)__mutmut_\d+$")
_EXPLAINED = re.compile(
    r"^### `(?P<where>[\w.]+)`\n\n```diff\n(?P<diff>.*?)```\n\n(?P<why>\S.*?)\n(?=\n#|\Z)", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Mutant:
    """A mutation: its function, the removed lines, and the added lines."""

    where: str
    lines: tuple[str, ...]

    @classmethod
    def from_diff(cls, where: str, diff: str) -> Mutant:
        """Create the mutant from the lines of a diff, ignoring their indentation."""
        changed = [line for line in diff.splitlines() if re.match(r"[-+](?!--|\+\+)", line)]
        return cls(where, tuple(f"{line[0]} {line[1:].strip()}" for line in changed))

    def __str__(self) -> str:
        return "\n".join(["### `" + self.where + "`", "", "```diff", *self.lines, "```"])


def share(number: int) -> list[str]:
    """Return the files of one night."""
    return list(SUBJECTS)[number % SHARES :: SHARES]


def tests_of(subjects: Sequence[str]) -> list[str]:
    """Return the tests of some files. A file that is not in the table uses the tests of all files."""
    every = [test for tests in SUBJECTS.values() for test in tests]
    return list(dict.fromkeys(test for subject in subjects for test in SUBJECTS.get(subject, every)))


def selection(tests: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the files of some tests, and the arguments that select scenarios."""
    names = [f"[{test.removeprefix('scenarios/')}" for test in tests if is_scenario(test)]
    files = [test for test in tests if not is_scenario(test)] + [_SCENARIOS] * bool(names)
    words = f"not test_a_scenario_ends_as_it_says or (calm_weather and ({' or '.join(names)}))"
    return files, ["-k", words] if names else []


def is_scenario(test: str) -> bool:
    """Return True for the beginning of the names of scenarios."""
    return test.startswith("scenarios/")


def prepare(subjects: Sequence[str]) -> None:
    """Copy the files that the tests need to the place from which they are imported."""
    shutil.rmtree(WORK, ignore_errors=True)
    for path in tracked_files():
        if path.as_posix().startswith(_NEEDED):
            copy = WORK / COLLECTION_PATH / path
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, copy)
    files, selected = selection(tests_of(subjects))
    tests = [(COLLECTION_PATH / "tests" / "unit" / f"{name}.py").as_posix() for name in files]
    settings: dict[str, object] = {
        # Loops without an end take most of the time. By default they run for fifteen times as long as all tests.
        "timeout_multiplier": 5.0,
        # Collecting a thousand cases takes seconds of processor time, which no duration of a test includes.
        "timeout_constant": 5.0,
        "source_paths": [COLLECTION_PATH.parts[0]],
        "only_mutate": [f"*/plugins/{subject}.py" for subject in subjects],
        "pytest_add_cli_args_test_selection": tests,
        "pytest_add_cli_args": ["-p", "no:cacheprovider", *selected],
    }
    pytest = {
        "pythonpath": [(COLLECTION_PATH / "tests" / name).as_posix() for name in ("support", "tools")],
        "addopts": ["--import-mode=importlib", "-p", "no:schemathesis"],
        "markers": ["slow", "sample"],
    }
    lines = [f"{key} = {value!r}" for key, value in settings.items()]
    more = [f"{key} = {value!r}" for key, value in pytest.items()]
    text = ["[tool.mutmut]", "use_git_change_detection = false", *lines, "", "[tool.pytest.ini_options]", *more, ""]
    (WORK / "pyproject.toml").write_text("\n".join(text), encoding="utf-8")


def python(*words: str, shown: bool = False) -> str:
    """Run Python in the copy, and return its output."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=WORK,
        env=environment(PYTHONPATH=os.pathsep.join([str(WORK / "mutants"), os.environ.get("PYTHONPATH", "")])),
        stdin=subprocess.DEVNULL,
        stdout=None if shown else subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout or ""


def explained() -> dict[Mutant, str]:
    """Return the survivors explained on the page, each with its reason."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    return {Mutant.from_diff(found["where"], found["diff"]): found["why"] for found in _EXPLAINED.finditer(text)}


def outcomes() -> Iterator[tuple[str, str]]:
    """Return the outcome of every mutant, by its name in mutmut."""
    for line in python("-m", "mutmut", "results", "--all", "true").splitlines():
        name, separator, status = line.strip().rpartition(": ")
        if separator:
            yield name, status


def place(name: str) -> tuple[str, str]:
    """Return file and function of a mutant."""
    found = _NAME.search(name)
    if found is None:
        raise ValueError(f"{name} is no name of a mutant")
    words = [found["file"], found["of"], found["function"]]
    return found["file"], ".".join(word for word in words if word)


def report() -> int:
    """Print a summary, survivors without an explanation, and explanations without a survivor."""
    known = explained()
    counts: dict[str, Counter[str]] = {}
    left: dict[str, str] = {}
    for name, status in outcomes():
        counted = counts.setdefault(place(name)[0], Counter())
        counted["mutants"] += 1
        if status in _CAUGHT:
            counted["caught"] += 1
        else:
            left[name] = status
    unexplained: list[str] = []
    survivors: set[Mutant] = set()
    for name, diff in json.loads(python("-c", _SHOW, *left)).items():
        file, where = place(name)
        mutant = Mutant.from_diff(where, diff)
        survivors.add(mutant)
        counts[file]["explained" if mutant in known else "unexplained"] += 1
        if mutant not in known:
            unexplained.append(f"{mutant}\n\n{left[name]}\n")
    stale = [mutant for mutant in known if mutant.where.split(".")[0] in counts and mutant not in survivors]
    print("\n".join(unexplained))
    print("\n".join(f"{mutant}\n\ndoes not survive any more\n" for mutant in stale))
    columns = ("mutants", "caught", "explained", "unexplained")
    print("| File | " + " | ".join(map(str.capitalize, columns)) + " |\n|---|" + "---:|" * len(columns))
    for file, counted in counts.items():
        print(f"| `{file}.py` | " + " | ".join(str(counted[column]) for column in columns) + " |")
    return 1 if unexplained or stale else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("subjects", nargs="*", help="files of plugins; without any, those of the table")
    parser.add_argument("--share", type=int, help="only the files of one night, such as the number of the day")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--report", action="store_true", help="only sum up what ran before")
    options = parser.parse_args()
    subjects = options.subjects or (list(SUBJECTS) if options.share is None else share(options.share))
    if not options.report:
        print("\n".join(subjects), flush=True)
        prepare(subjects)
        python("-m", "mutmut", "run", "--max-children", str(options.processes), shown=True)
    return report()


if __name__ == "__main__":
    sys.exit(main())
