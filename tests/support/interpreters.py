# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The Python interpreters of this machine: on PATH, and those that pyenv has installed."""

from __future__ import annotations

import functools
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

MINORS = range(8, 16)

# Prints the interpreter behind a virtual environment or the shim of a version manager.
_PROBE = """
import ensurepip, os, sys, venv
name = "python%d.%d" % sys.version_info[:2]
base = os.path.join(sys.base_prefix, "bin", name)
print(base if os.path.exists(base) else sys.executable)
"""


@functools.cache
def _real(command: Path) -> Path | None:
    """The interpreter that a command leads to; None if it does not run or can't make environments."""
    try:
        answer = subprocess.run([command, "-c", _PROBE], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return Path(answer.stdout.strip()) if answer.returncode == 0 else None


def _folders() -> list[Path]:
    on_path = [Path(folder) for folder in os.environ.get("PATH", os.defpath).split(os.pathsep) if folder]
    return on_path + sorted(Path.home().glob(".pyenv/versions/3.*/bin"))


def find() -> dict[int, Path]:
    """Minor version -> the first interpreter of Python 3 of that version that works."""
    found: dict[int, Path] = {}
    for minor in MINORS:
        for folder in _folders():
            command = folder / f"python3.{minor}"
            real = _real(command) if command.exists() else None
            if real and real.name == f"python3.{minor}":
                found[minor] = real
                break
    return found


def working_path(minors: Sequence[int]) -> list[str]:
    """PATH for programs that call pythonX.Y: these interpreters first, folders with one that fails left out."""
    found = find()
    first = [str(found[minor].parent) for minor in minors if minor in found]
    rest = []
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        commands = [Path(folder, f"python3.{minor}") for minor in MINORS]
        if all(_real(command) for command in commands if command.exists()):
            rest.append(folder)
    return first + rest
