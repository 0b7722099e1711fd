# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Find the Python interpreters of this machine, on PATH and in pyenv.

As a command it prints the interpreter for the test environment: that of the oldest supported version that is installed.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

MINORS = range(8, 16)
OLDEST = 11
"""The oldest minor version on which the oldest supported ansible-core runs."""

# Print the interpreter behind a virtual environment or a version manager's shim, and whether it was built with
# optimisations. System interpreters are; those built by version managers often are not, and take a quarter longer.
_PROBE = """
import ensurepip, os, sys, sysconfig, venv
name = "python%d.%d" % sys.version_info[:2]
base = os.path.join(sys.base_prefix, "bin", name)
print(base if os.path.exists(base) else sys.executable)
options = sysconfig.get_config_var("CONFIG_ARGS") or ""
print("quick" if "--enable-optimizations" in options or sys.base_prefix == "/usr" else "slow")
"""


class Interpreter(NamedTuple):
    """An interpreter that runs and can create virtual environments."""

    path: Path
    is_quick: bool


@functools.cache
def _probe(command: Path) -> Interpreter | None:
    """Return the interpreter behind a command; None if it does not run or can't create virtual environments."""
    try:
        answer = subprocess.run([command, "-c", _PROBE], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if answer.returncode:
        return None
    path, speed = answer.stdout.splitlines()
    return Interpreter(Path(path), speed == "quick")


def _folders() -> list[Path]:
    on_path = [Path(folder) for folder in os.environ.get("PATH", os.defpath).split(os.pathsep) if folder]
    return on_path + sorted(Path.home().glob(".pyenv/versions/3.*/bin"))


def find() -> dict[int, Path]:
    """Return minor version of Python 3 to a working interpreter: the first fast one, else the first."""
    found: dict[int, Path] = {}
    for minor in MINORS:
        commands = [folder / f"python3.{minor}" for folder in _folders()]
        probed = [_probe(command) for command in commands if command.exists()]
        working = [interpreter for interpreter in probed if interpreter and interpreter.path.name == f"python3.{minor}"]
        for interpreter in sorted(working, key=lambda interpreter: not interpreter.is_quick)[:1]:
            found[minor] = interpreter.path
    return found


def working_path(minors: Sequence[int]) -> list[str]:
    """Return a PATH with these interpreters first, and without folders of broken interpreters."""
    found = find()
    first = [str(found[minor].parent) for minor in minors if minor in found]
    rest = []
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        commands = [Path(folder, f"python3.{minor}") for minor in MINORS]
        if all(_probe(command) for command in commands if command.exists()):
            rest.append(folder)
    return first + rest


if __name__ == "__main__":
    supported = [path for minor, path in find().items() if minor >= OLDEST]
    if not supported:
        sys.exit(1)
    print(supported[0])
