# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Carry out the walk-throughs of docs/walkthroughs.md literally in a copy of the repository.

Each touch is a sentence and a block of code: ``New file `PATH`:`` or ``In `PATH`, before the line with `TEXT`:`` (or
``with an empty line before the line ...``, ``with two empty lines before the line ...``).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from project import BIN, COLLECTION_PATH, LONG_VARIABLE, ROOT, tracked_files

_SECONDS = 480
_NOT_PASSED_ON = ("PYTEST", "COV_", LONG_VARIABLE)
_TOUCH = re.compile(
    r"^(?:New file `(?P<new>[^`]+)`"
    r"|In `(?P<path>[^`]+)`, (?:with (?P<space>an|two) empty lines? )?before the line with `(?P<anchor>[^`]+)`):\n\n"
    r"```\w*\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


_SPACE = {None: "", "an": "\n", "two": "\n\n"}


@dataclass(frozen=True)
class Touch:
    """A new file, or an insertion before the only line that equals a text (``anchor``), or else contains it."""

    path: str
    text: str
    anchor: str = ""

    def make(self, root: Path) -> None:
        """Make this change below a directory."""
        path = root / self.path
        if not self.anchor:
            assert not path.exists(), f"{self.path} is there already"
            path.write_text(self.text, encoding="utf-8")
            return
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        whole = [number for number, line in enumerate(lines) if line.strip() == self.anchor.strip()]
        (number,) = whole or [number for number, line in enumerate(lines) if self.anchor in line]
        path.write_text("".join([*lines[:number], self.text, *lines[number:]]), encoding="utf-8")


def touches(heading: str) -> list[Touch]:
    """Return the changes that a section of the walk-throughs describes."""
    text = (ROOT / "docs" / "walkthroughs.md").read_text(encoding="utf-8")
    section = re.split(r"^## ", text.partition(f"\n## {heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    found = [
        Touch(match["new"] or match["path"], match["text"] + _SPACE[match["space"]], match["anchor"] or "")
        for match in _TOUCH.finditer(section)
    ]
    assert len(found) == section.count("```") // 2, "a block of code without a sentence that says where it belongs"
    return found


@dataclass(frozen=True)
class Copy:
    """A copy of the repository that uses the environment of this checkout."""

    root: Path

    @classmethod
    def at(cls, root: Path) -> Copy:
        """Copy all files that git tracks or does not ignore."""
        for name in tracked_files():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, root / name, follow_symlinks=False)
        (root / ".venv").symlink_to(BIN.parent)
        link = root / ".build" / "link" / COLLECTION_PATH
        link.parent.mkdir(parents=True)
        link.symlink_to(root)
        return cls(root)

    def run(self, *command: str) -> str:
        """Run a Python command (``-m pytest``, or a script) in the copy, which must succeed. Return its output.

        Its tests have the size of ``make test``, even in the long run, which runs the same tests in full anyway.
        """
        found = [self.root / "tests" / "support", self.root / ".build" / "link"]
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(_NOT_PASSED_ON)},
            "ANSIBLE_COLLECTIONS_PATH": str(self.root / ".build" / "link"),
            "PYTHONPATH": os.pathsep.join(map(str, found)),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        done = subprocess.run(
            [sys.executable, *command],
            cwd=self.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.stdout}\n{done.stderr}"
        return done.stdout
