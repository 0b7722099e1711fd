# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Mutation testing of the code that decides what is equal, what is meant, what changes and what may be written.

mutmut changes one thing at a time in the functions of a file, and runs the tests that come by there; one of them has to
fail. It works on a copy, laid out as the collection is imported. A change that survives must be explained in
``docs/mutation-testing.md``: anything else, and an explanation that nothing needs any more, is an error.
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
from collections.abc import Iterator
from dataclasses import dataclass

from project import BUILD, COLLECTION_PATH, ROOT, environment, tracked_files

SUBJECTS = (
    "module_utils/model/types_basic",
    "module_utils/plan/change",
    "module_utils/resolve/natural_keys",
    "module_utils/resolve/references",
    "plugin_utils/apply/readiness",
)
TESTS = (
    "module_utils/model/test_types_basic",
    "module_utils/model/test_types_composite",
    "module_utils/model/test_schema",
    "module_utils/plan/test_change",
    "module_utils/resolve/test_natural_keys",
    "module_utils/resolve/test_references",
    "module_utils/resolve/test_resolver",
    "plugin_utils/apply/test_readiness",
)
PAGE = ROOT / "docs" / "mutation-testing.md"
WORK = BUILD / "mutation"
_NEEDED = ("plugins/", "tests/conftest.py", "tests/support/", "tests/tools/", "tests/unit/")
_CAUGHT = ("killed", "timeout")
_SHOW = """
import json, sys
from mutmut.__main__ import get_diff_for_mutant
print(json.dumps({name: get_diff_for_mutant(name) for name in sys.argv[1:]}))
"""
"""A script that prints what ``mutmut show`` shows, of many mutants at once: the command takes seconds to start."""
_NAME = re.compile(r"\.(?P<file>\w+)\.x_?(?:ǁ(?P<of>\w+)ǁ)?(?P<function>\w+)__mutmut_\d+$")
_EXPLAINED = re.compile(
    r"^### `(?P<where>[\w.]+)`\n\n```diff\n(?P<diff>.*?)```\n\n(?P<why>\S.*?)\n(?=\n#|\Z)", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Mutant:
    """A change: of which function, the lines that it takes away, and those that it puts there."""

    where: str
    lines: tuple[str, ...]

    @classmethod
    def of(cls, where: str, diff: str) -> Mutant:
        """From the lines of a diff, however far they are indented."""
        changed = [line for line in diff.splitlines() if re.match(r"[-+](?!--|\+\+)", line)]
        return cls(where, tuple(f"{line[0]} {line[1:].strip()}" for line in changed))

    def __str__(self) -> str:
        return "\n".join(["### `" + self.where + "`", "", "```diff", *self.lines, "```"])


def prepare(subjects: list[str]) -> None:
    """A copy of what the tests need, under the name by which it is imported."""
    shutil.rmtree(WORK, ignore_errors=True)
    for path in tracked_files():
        if path.as_posix().startswith(_NEEDED):
            copy = WORK / COLLECTION_PATH / path
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, copy)
    tests = [(COLLECTION_PATH / "tests" / "unit" / f"{name}.py").as_posix() for name in TESTS]
    settings = {
        "source_paths": [COLLECTION_PATH.parts[0]],
        "only_mutate": [f"*/plugins/{subject}.py" for subject in subjects],
        "pytest_add_cli_args_test_selection": tests,
        "pytest_add_cli_args": ["-p", "no:cacheprovider"],
    }
    pytest = {
        "pythonpath": [(COLLECTION_PATH / "tests" / name).as_posix() for name in ("support", "tools")],
        "addopts": ["--import-mode=importlib"],
        "markers": ["slow"],
    }
    lines = [f"{key} = {value!r}" for key, value in settings.items()]
    more = [f"{key} = {value!r}" for key, value in pytest.items()]
    text = ["[tool.mutmut]", "use_git_change_detection = false", *lines, "", "[tool.pytest.ini_options]", *more, ""]
    (WORK / "pyproject.toml").write_text("\n".join(text), encoding="utf-8")


def python(*words: str, shown: bool = False) -> str:
    """Run Python beside the copy; what it prints."""
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
    """Return the survivors of the page, with the reason for each."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    return {Mutant.of(found["where"], found["diff"]): found["why"] for found in _EXPLAINED.finditer(text)}


def outcomes() -> Iterator[tuple[str, str]]:
    """Every mutant by its name in mutmut, and what became of it."""
    for line in python("-m", "mutmut", "results", "--all", "true").splitlines():
        name, separator, status = line.strip().rpartition(": ")
        if separator:
            yield name, status


def place(name: str) -> tuple[str, str]:
    """File and function of a mutant."""
    found = _NAME.search(name)
    if found is None:
        raise ValueError(f"{name} is no name of a mutant")
    words = [found["file"], found["of"], found["function"]]
    return found["file"], ".".join(word for word in words if word)


def report() -> int:
    """Sums up; shows what survived without an explanation, and explanations of what did not."""
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
        mutant = Mutant.of(where, diff)
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
    parser.add_argument("subjects", nargs="*", default=SUBJECTS, help="files of plugins")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--report", action="store_true", help="only sum up what ran before")
    options = parser.parse_args()
    if not options.report:
        prepare(options.subjects)
        python("-m", "mutmut", "run", "--max-children", str(options.processes), shown=True)
    return report()


if __name__ == "__main__":
    sys.exit(main())
