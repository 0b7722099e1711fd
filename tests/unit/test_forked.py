# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A forked script has the same environment and the same effects as a script that is started normally."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import forked
import pytest

SCRIPT = """
import json, os, signal, sys
print(json.dumps([sys.argv, sys.path[0], os.getcwd(), dict(os.environ), __name__, sys.stdin.read()]), flush=True)
print("colorsys" in sys.modules, file=sys.stderr, flush=True)
if "killed" in sys.argv:
    os.kill(os.getpid(), signal.SIGKILL)
if "waits" in sys.argv:
    signal.pause()
sys.exit(7)
"""
VARIABLES = {"PATH": os.environ["PATH"], "SEVENTHINGS_TOKEN": "ä"}


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield a script whose parent imports a module. The script ran once, so its parent exists."""
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nunset PWD\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    path = tmp_path / "script"
    path.write_text(f"#!{sys.executable}\n{SCRIPT}")
    path.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setattr(forked, "_parents", {})
    monkeypatch.setitem(forked.IMPORTED, "script", ("colorsys",))
    yield path
    forked.end()


def test_a_fork_sees_what_a_script_from_nothing_sees(script: Path, tmp_path: Path) -> None:
    command = [str(script), "--ä", ""]
    first, second = (forked.run(command, tmp_path, VARIABLES, 60, is_apart=True) for _time in range(2))
    assert (first.stderr, second.stderr) == ("False\n", "True\n")
    assert json.loads(second.stdout) == json.loads(first.stdout)
    assert [first.returncode, second.returncode] == [7, 7]


def test_a_variable_that_is_read_later_is_that_of_the_fork(script: Path, tmp_path: Path) -> None:
    for token in ("one", "two"):
        done = forked.run([str(script)], tmp_path, {**VARIABLES, "SEVENTHINGS_TOKEN": token}, 60)
        assert f'"SEVENTHINGS_TOKEN": "{token}"' in done.stdout
    assert "True" in done.stdout, "errors are beside the output"


def test_another_environment_has_no_parent(script: Path, tmp_path: Path) -> None:
    for home in ("/one", "/two"):
        done = forked.run([str(script)], tmp_path, {**VARIABLES, "HOME": home}, 60, is_apart=True)
        assert done.stderr == "False\n"


def test_a_fork_that_is_killed_says_so(script: Path, tmp_path: Path) -> None:
    for _time in range(2):
        assert forked.run([str(script), "killed"], tmp_path, VARIABLES, 60).returncode == -signal.SIGKILL


def test_a_fork_that_takes_too_long_is_killed(script: Path, tmp_path: Path) -> None:
    forked.run([str(script)], tmp_path, VARIABLES, 60)
    with pytest.raises(TimeoutError):
        forked.run([str(script), "waits"], tmp_path, VARIABLES, 0.01)


def test_forks_at_the_same_time_end_in_any_order(script: Path, tmp_path: Path) -> None:
    forked.run([str(script)], tmp_path, VARIABLES, 60)
    with Path(os.devnull).open("r+b") as nothing:
        files = (nothing.fileno(),) * 3
        waits = forked.start([str(script), "waits"], tmp_path, VARIABLES, *files)
        ends = forked.start([str(script)], tmp_path, VARIABLES, *files)
        assert waits
        assert ends
        assert ends.wait(60) == 7
        waits.kill()
        assert waits.wait(60) == -signal.SIGKILL
