# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What every module promises, shown with real playbooks on the steps of ``steps/MODULE.yml`` (see ``tools/steps.py``).

Each step is predicted (check mode), carried out, and carried out again; then its prediction must have been right, the
second time must have changed nothing, and check mode must have sent no write.
"""

from __future__ import annotations

from pathlib import Path

import playbook
import pytest
import steps
from emulator_process import Emulator

STEPS = Path(__file__).with_name("steps")


@pytest.fixture
def service(emulator: Emulator) -> Emulator:
    """The embedded service at its start."""
    emulator.reset()
    return emulator


@pytest.mark.parametrize(("weather", "ends"), [("calm", "both"), ("rough", "worker")])
@pytest.mark.parametrize("path", sorted(STEPS.glob("*.yml")), ids=lambda path: path.stem)
def test_every_step_is_predicted_done_and_not_done_again(
    service: Emulator, tmp_path: Path, path: Path, weather: str, ends: str
) -> None:
    walk = steps.load(path, tmp_path, weather)
    service.steer("PUT", "/switches", {"weather": weather})
    defaults = steps.connection(service)
    service.clear_log()

    run = playbook.run(tmp_path, [steps.play_of(walk, defaults, tmp_path, ends)], "--diff")

    steps.judge_all(walk, run.results, service.log(), weather, run.output)
