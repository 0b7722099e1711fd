# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How the service starts and ends, with which data, and what it prints."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from .judge import EMULATOR
from .support import Emulator, Steering, connected, running

_NAMES = ("base_url", "username", "password", "client_id")
_IMPORTED_AS = {"fpdf2": "fpdf", "Pillow": "PIL", "PyYAML": "yaml"}
_RECORDS = ["/objects", "/rooms", "/locations", "/persons"]
_OTHERS = ["/rental-management/rental-cases", "/circularity-hub/items", "/circularity-hub/orders"]
_OTHERS += ["/task-management/tasks", "/files"]


def test_what_the_start_reports(emulator: Emulator) -> None:
    assert {*_NAMES, "admin_url"} <= set(emulator.about)
    assert urlsplit(emulator.about["base_url"]).hostname == "127.0.0.1"
    assert emulator.about["admin_url"].endswith("/_emulator")
    assert emulator.first_line.endswith(b"\n")


def test_credentials_are_unlike_the_data(emulator: Emulator, steering: Steering) -> None:
    dump = json.dumps(steering.dump()).lower()
    for secret in (emulator.about["password"], emulator.about["client_id"]):
        assert len(secret) >= 20
        assert [secret[at : at + 6] for at in range(len(secret) - 5) if secret[at : at + 6].lower() in dump] == []


def test_demo_data_are_the_same_at_every_start(steering: Steering) -> None:
    with running() as other:
        assert Steering(other.about).dump() == steering.dump()


@pytest.mark.sample(1000)
@pytest.mark.parametrize(("data", "least", "most"), [("empty", 0, 0), ("demo", 1, 70), ("300", 1, 300)])
def test_data(data: str, least: int, most: int) -> None:
    with connected(data=data) as (_process, api):
        paths = _RECORDS if data == "300" else _RECORDS + _OTHERS
        numbers = {path: len(api.items(path, "per_page=1000")) for path in paths}
        assert [path for path, number in numbers.items() if not least <= number <= most] == []
        assert data != "300" or numbers["/objects"] == 300
        assert api.items("/users")
        assert api.read("/asset-tracking/asset/field-definitions")


def test_switches_at_the_start_and_the_end() -> None:
    with running("--switch", "page_beyond_end=clamp", "--switch", "list_total=none") as process:
        sides = {name: entry["side"] for name, entry in Steering(process.about).switches().items()}
        assert (sides["page_beyond_end"], sides["list_total"], sides["list_envelope"]) == ("clamp", "none", "items")
        assert process.signal(15) == 0


@pytest.mark.parametrize(
    "options", [["--switch", "x=y"], ["--data", "much"], ["--port", "x"], ["--nonsense"]], ids=" ".join
)
def test_wrong_option(options: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, str(EMULATOR), "--port", "0", *options], capture_output=True, timeout=60, check=False
    )
    assert done.returncode not in (0, None)
    assert b"Traceback" not in done.stderr
    assert done.stderr.strip()


def test_data_outlive_the_process(tmp_path: Path) -> None:
    db = str(tmp_path / "some.sqlite3")
    with connected(db=db) as (_process, api):
        api.create_object(documents=[api.upload()])
        api.define("TEXT")
        before = api.steering.dump()
    with running(db=db) as process:
        assert Steering(process.about).dump() == before


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
