# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The paths of the repository, and functions by which the tools call commands."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build"
BIN = ROOT / ".venv" / "bin"
COLLECTION_PATH = Path("ansible_collections", "community", "seventhings")
LINK = BUILD / "link" / COLLECTION_PATH


LONG_VARIABLE = "SEVENTHINGS_TEST_LONG"
CASES = "cases"
"""The value of the variable for every case of every test, with the small numbers of random tests."""
EVERY_CASE = os.environ.get(LONG_VARIABLE, "") not in ("", "0")
"""True if every case of a test runs, and not only a sample."""
LONG = EVERY_CASE and os.environ[LONG_VARIABLE] != CASES
"""True if also randomised tests run in full, however long that takes."""


def environment(**changes: str) -> dict[str, str]:
    """Return the environment of a command, in which the tools of .venv come first and Ansible finds the collection."""
    result = dict(os.environ)
    # If the user disables bytecode files, every test process would compile all of its imports.
    result.pop("PYTHONDONTWRITEBYTECODE", None)
    result.update(
        ANSIBLE_COLLECTIONS_PATH=str(BUILD / "link"),
        ANSIBLE_HOME=str(BUILD / "ansible"),
        ANSIBLE_LOCALHOST_WARNING="false",
        ANSIBLE_NOCOLOR="true",
        NO_COLOR="1",
        PATH=os.pathsep.join([str(BIN), result["PATH"]]),
        PYTHONUNBUFFERED="1",
    )
    result.update(changes)
    return result


def call(*command: str | Path, cwd: Path = ROOT, env: dict[str, str] | None = None) -> None:
    """Print and run a command. If it fails, end the tool with its exit status."""
    words = [str(word) for word in command]
    print("$", shlex.join(words), flush=True)
    status = subprocess.run(words, cwd=cwd, env=environment() if env is None else env, check=False).returncode
    if status:
        sys.exit(status)


def tracked_files() -> list[Path]:
    """Return every file of the repository that is tracked or not ignored by git, relative to its root."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return sorted({Path(name) for name in listing.split("\0") if name and (ROOT / name).is_file()})
