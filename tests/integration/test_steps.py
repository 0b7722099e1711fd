# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What every module promises, shown with real playbooks on the steps of ``steps/MODULE.yml`` (``support/steps.py``).

Each step is predicted (check mode), carried out, and carried out again; then its prediction must have been right, the
second time must have changed nothing, and check mode must have sent no write. In rough weather only the long tests take
playbooks for it: to Ansible the weather makes no difference, and ``test_weather.py`` has plays in all of it.
"""

from __future__ import annotations

from pathlib import Path

import playbook
import pytest
import steps
from emulator_process import Emulator
from project import LONG

STEPS = Path(__file__).with_name("steps")
each_file = pytest.mark.parametrize("path", sorted(STEPS.glob("*.yml")), ids=lambda path: path.stem)


@pytest.fixture
def service(emulator: Emulator) -> Emulator:
    """Return the embedded service at its start."""
    emulator.reset()
    return emulator


def walk_in_a_play(service: Emulator, directory: Path, path: Path, weather: str, ends: str) -> None:
    walk = steps.load(path, directory, weather)
    service.steer("PUT", "/switches", steps.WEATHERS[weather])
    defaults = steps.connection(service)
    service.clear_log()

    # Diff mode reads the names of references, so it would change the numbers of requests.
    run = playbook.run(directory, [steps.play_of(walk, defaults, directory, ends)])

    steps.judge_all(walk, run.results, service.log(), weather, run.output)


@each_file
def test_every_step_is_predicted_done_and_not_done_again(service: Emulator, tmp_path: Path, path: Path) -> None:
    walk_in_a_play(service, tmp_path, path, "calm", "both")


@each_file
def test_every_step_in_rough_weather(
    service: Emulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    if LONG:
        walk_in_a_play(service, tmp_path, path, "rough", "worker")
        return
    monkeypatch.chdir(tmp_path)
    walk = steps.load(path, tmp_path, "rough")
    service.steer("PUT", "/switches", steps.WEATHERS["rough"])
    defaults = steps.connection(service)
    service.clear_log()

    results = steps.run_here(walk, defaults, tmp_path)

    steps.judge_all(walk, results, service.log(), "rough")
