# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every scenario ends as it says in calm weather, and many of them in rough weather. The long run plays all in both."""

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


@pytest.mark.parametrize("scenario", list(_scenarios()), ids=str)
def test_a_scenario_ends_as_it_says_in_calm_weather(
    scenario: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _play(scenario, "calm", tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.sample(300)
@pytest.mark.parametrize("scenario", all_scenarios(), ids=str)
def test_a_scenario_ends_as_it_says_in_rough_weather(
    scenario: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _play(scenario, "rough", tmp_path, monkeypatch)


def _play(scenario: Scenario, weather: str, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(directory)
    try:
        Play(scenario, weather, directory).run()
    except AssertionError as problem:
        # The step and its difference say more than the lines of the runner.
        raise pytest.fail.Exception(str(problem), pytrace=False) from None
