# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every module keeps its promises in the steps of ``steps/MODULE.yml`` (``support/steps.py``).

Each step is predicted (check mode), carried out, and repeated. The prediction must be right, the repetition must change
nothing, and check mode must send no write. Steps run like this in this process, with calm and with rough switches. Real
plays carry out the steps of some modules once with calm switches; some steps also with prediction and repetition, some
in a module process. In the long tests, all steps run with all switches, in this process and in plays.
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
    """Return the embedded service in its initial state."""
    emulator.reset()
    return emulator


@pytest.mark.sample(3)
@each_file
@pytest.mark.parametrize("weather", steps.WEATHERS)
def test_every_step_is_predicted_done_and_not_done_again(
    service: Emulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: Path, weather: str
) -> None:
    monkeypatch.chdir(tmp_path)
    walk = steps.load(path, tmp_path, weather)
    service.steer("PUT", "/switches", steps.WEATHERS[weather])
    defaults = steps.connection(service)
    service.clear_log()

    results = steps.run_here(walk, defaults, tmp_path)

    steps.judge_all(walk, results, service.log(), weather)


@pytest.mark.sample(2)
@each_file
@pytest.mark.parametrize("weather", steps.WEATHERS if LONG else ["calm"])
def test_every_step_in_a_play(service: Emulator, tmp_path: Path, path: Path, weather: str) -> None:
    walk = steps.load(path, tmp_path, weather)
    if not LONG:
        walk = steps.sampled(walk)
    service.steer("PUT", "/switches", steps.WEATHERS[weather])
    defaults = steps.connection(service)
    service.clear_log()

    # Diff mode reads the names of references, so it would change the numbers of requests.
    run = playbook.run(tmp_path, [steps.play_of(walk, defaults, tmp_path, "both")])

    steps.judge_all(walk, run.results, service.log(), weather, run.output)
