# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every scenario ends as it says, in calm and in rough weather."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scenarios import Play, Scenario, all_scenarios


def _scenarios() -> Iterator[Any]:
    """Yield all scenarios. The quick tests run every eighth one."""
    for number, scenario in enumerate(all_scenarios()):
        yield pytest.param(scenario, marks=[pytest.mark.slow] if number % 8 else [])


@pytest.mark.parametrize("weather", ["calm", pytest.param("rough", marks=pytest.mark.slow)])
@pytest.mark.parametrize("scenario", list(_scenarios()), ids=str)
def test_a_scenario_ends_as_it_says(
    scenario: Scenario, weather: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        Play(scenario, weather, tmp_path).run()
    except AssertionError as problem:
        # The step and its difference say more than the lines of the runner.
        raise pytest.fail.Exception(str(problem), pytrace=False) from None
