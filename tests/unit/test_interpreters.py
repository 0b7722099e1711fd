# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""For each version, the tests choose a working interpreter, preferably a fast one."""

from __future__ import annotations

import os
from pathlib import Path

import interpreters
import pytest


class Machine:
    """Folders on PATH with commands that imitate interpreters."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.folders: list[Path] = []
        self.monkeypatch = monkeypatch

    def has(self, folder: str, answer: str) -> Path:
        """Add a folder at the end of PATH whose python3.11 runs a line of shell."""
        command = self.root / folder / "python3.11"
        command.parent.mkdir()
        command.write_text(f"#!/bin/sh\n{answer}\n")
        command.chmod(0o755)
        self.folders.append(command.parent)
        self.monkeypatch.setenv("PATH", os.pathsep.join(map(str, self.folders)))
        return command

    def has_working(self, folder: str, speed: str) -> Path:
        command = self.root / folder / "python3.11"
        return self.has(folder, f"echo {command}; echo {speed}")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setenv("HOME", str(tmp_path))
    return Machine(tmp_path, monkeypatch)


def test_one_that_fails_is_left_out(machine: Machine) -> None:
    machine.has("shims", "echo not installed >&2; exit 127")
    works = machine.has_working("bin", "slow")
    assert interpreters.find() == {11: works}
    assert interpreters.working_path([11]) == [str(works.parent), str(works.parent)]


def test_a_quick_one_is_taken_before_a_slow_one_that_is_found_first(machine: Machine) -> None:
    machine.has_working("managed", "slow")
    quick = machine.has_working("system", "quick")
    machine.has_working("other", "quick")
    assert interpreters.find() == {11: quick}


def test_of_equally_quick_ones_the_first_is_taken(machine: Machine) -> None:
    first = machine.has_working("managed", "slow")
    machine.has_working("other", "slow")
    assert interpreters.find() == {11: first}


def test_a_command_that_leads_to_another_version_is_left_out(machine: Machine) -> None:
    machine.has("shims", "echo /elsewhere/python3.12; echo quick")
    assert interpreters.find() == {}


def test_this_interpreter_says_of_itself_what_it_is() -> None:
    found = interpreters.find()
    assert all(path.exists() and path.name == f"python3.{minor}" for minor, path in found.items())
    assert interpreters.OLDEST in found or max(found) > interpreters.OLDEST
