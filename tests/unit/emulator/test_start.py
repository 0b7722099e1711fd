# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The output of the service for a user who starts it in a terminal."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys

from .judge import EMULATOR

_NAMES = ("base_url", "username", "password", "client_id")
_IMPORTED_AS = {"fpdf2": "fpdf", "Pillow": "PIL", "PyYAML": "yaml"}


def test_a_terminal_gets_lines_that_a_shell_accepts_unchanged() -> None:
    ours, its = pty.openpty()
    command = [sys.executable, str(EMULATOR), "--port", "0", "--db", ":memory:", "--data", "empty"]
    with subprocess.Popen(command, stdout=its) as process, os.fdopen(ours, encoding="utf-8") as terminal:
        ready = json.loads(terminal.readline())
        lines = [terminal.readline() for _number in range(7)]
        process.terminate()
        assert process.wait(15) == 0
    os.close(its)

    names = " ".join(f'"$SEVENTHINGS_{name.upper()}"' for name in _NAMES)
    script = "".join(line for line in lines if "export" in line) + f"printf '%s\\n' {names}"
    printed = subprocess.run(["sh", "-c", script.replace("\r", "")], capture_output=True, text=True, check=True).stdout
    assert printed.splitlines() == [ready[name] for name in _NAMES]


def test_what_is_not_installed_is_reported_in_one_line() -> None:
    # Isolated and without site-packages, like an interpreter without any installed package.
    command = [sys.executable, "-S", "-E", str(EMULATOR), "--port", "0"]
    completed = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, cwd=EMULATOR.parents[1]
    )
    assert (completed.returncode, completed.stdout) == (1, "")
    (line,) = completed.stderr.splitlines()
    lines = (EMULATOR / "requirements.txt").read_text("utf-8").splitlines()
    packages = [line.split()[0] for line in lines if line and not line.startswith("#")]
    assert all(f" {_IMPORTED_AS.get(package, package)}" in line for package in packages)
    assert line.endswith("pip install -r tests/emulator/requirements.txt")


def test_the_switches_are_listed_without_any_package() -> None:
    command = [sys.executable, "-S", "-E", str(EMULATOR), "--list-switches"]
    assert subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.startswith("| Switch")
