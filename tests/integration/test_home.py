# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""``HOME`` differs from the folder in the password file, as in the containers of CI services."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import playbook
import pytest
from emulator_process import Emulator


@pytest.mark.sample(0)
def test_async_tasks_of_tests_come_to_their_end(emulator: Emulator, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    before = _jobs()
    task = {"name": "rooms", "community.seventhings.room_info": {}, "async": 60, "poll": 1}
    play = {"hosts": "localhost", "gather_facts": False, "tasks": [task]}
    run = playbook.run(tmp_path, [play], variables={**emulator.variables(), "HOME": str(home)})
    assert run.status == 0, run.output
    assert len(run.named("rooms")["records"]) == len(emulator.steer("GET", "/dump?canonical=1")["rooms"])
    # Neither directory keeps the job of a test.
    assert not (home / ".ansible_async").exists()
    assert _jobs() == before


def _jobs() -> set[str]:
    folder = Path(pwd.getpwuid(os.geteuid()).pw_dir, ".ansible_async")
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()
