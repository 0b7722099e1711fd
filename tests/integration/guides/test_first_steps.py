# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The commands of the README and the demo for newcomers work as printed, with a service like ``make emulator``."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import demo
import guides
import pytest
from project import ROOT, tracked_files

_SECONDS = 300
_MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
_EMULATOR_OPTIONS = re.search(r"EMULATOR_OPTIONS\),(.*?)\)", _MAKEFILE)


def commands(text: str) -> list[str]:
    """Return the commands of a Markdown text: lines indented by four spaces, outside of fences."""
    without_fences = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return [line.strip() for line in without_fences.splitlines() if line.startswith("    ")]


@pytest.fixture
def exports() -> Iterator[dict[str, str]]:
    """Yield the variables that ``make emulator`` prints, of a service with its data on a free port."""
    assert _EMULATOR_OPTIONS is not None
    options = _EMULATOR_OPTIONS[1].replace("8765", "0").split()
    command = [sys.executable, "tests/emulator", *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = {}
        for line in process.stdout:
            match = re.fullmatch(r" *export (\w+)=(.*)\n", line)
            if match:
                found[match[1]] = match[2].strip("'")
            if line.startswith("Ctrl+C"):
                break
        yield found
        process.terminate()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a clone of the tracked files, with the environment of this checkout."""
    root = tmp_path / "checkout"
    for path in tracked_files():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, root / path)
    (root / ".venv").symlink_to(ROOT / ".venv")
    return root


def type_in(checkout: Path, lines: list[str], variables: Mapping[str, str]) -> str:
    """Run lines in a shell that ends at the first failure."""
    home = checkout.parent / "home"
    home.mkdir(exist_ok=True)
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("ANSIBLE_", "SEVENTHINGS_", "XDG_"))}
    done = subprocess.run(
        ["bash", "-euxo", "pipefail", "-c", "\n".join(lines)],
        cwd=checkout,
        env={
            **kept,
            **variables,
            "HOME": str(home),
            "ANSIBLE_NOCOLOR": "true",
            "SEVENTHINGS_RUNTIME_DIR": str(home / "runtime"),
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_make_knows_every_target_that_is_named() -> None:
    named = {line.split()[1] for line in commands(guides.README.read_text("utf-8")) if line.startswith("make ")}
    assert {"demo", "emulator", "test"} <= named
    assert [target for target in named if not re.search(rf"^{target}:", _MAKEFILE, re.MULTILINE)] == []


def test_every_command_of_the_readme_works_as_written(checkout: Path, exports: dict[str, str]) -> None:
    text = guides.README.read_text("utf-8")
    playbooks = re.findall(r"(?:as|saved as) `(\w+\.yml)`.*?^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert [name for name, _content in playbooks] == ["laptop.yml", "move.yml"]
    for name, content in playbooks:
        (checkout / name).write_text(content, "utf-8")
    lines = [line for line in commands(text) if not line.startswith("make ")]
    assert len([line for line in lines if line.startswith("ansible-playbook")]) >= 6

    # The Ansible in .venv finds the checkout by itself. A user's Ansible does not.
    install = next(number for number, line in enumerate(lines) if line.startswith("ansible-galaxy"))
    lines.insert(install, "export ANSIBLE_COLLECTIONS_SCAN_SYS_PATH=false")
    printed = type_in(checkout, lines, exports)

    assert "was installed successfully" in printed
    assert "No inventory was parsed" not in printed.partition("was installed successfully")[0]
    assert (checkout / "my-instance" / "instance.yml").is_file()


@pytest.mark.sample(0)
def test_every_command_of_the_demo_works_as_written(checkout: Path, exports: dict[str, str]) -> None:
    lines = [line.strip() for line in demo.GO_ON if line.startswith("  ")]
    assert len(lines) >= 3
    type_in(checkout, lines, exports)
    assert (checkout / "my-instance" / "instance.yml").is_file()


@pytest.mark.sample(0)
@pytest.mark.slow
def test_the_demo_shows_what_it_promises() -> None:
    done = subprocess.run(
        [sys.executable, "tests/tools/demo.py"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(done.stdout.splitlines()) < 120, "what the commands print is in the log"
