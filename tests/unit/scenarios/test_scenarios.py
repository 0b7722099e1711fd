# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every scenario ends as it says, in calm or in rough weather; in the long run in both."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from project import EVERY_CASE
from scenarios import Play, Scenario, all_scenarios

_WEATHERS = {"calm": (), "rough": (pytest.mark.slow,)}
"""The marks of the scenarios in each weather. The quick tests run those in calm weather."""


def _cases() -> Iterator[Any]:
    """Yield scenarios and their weather, which the name decides. In the long run, each scenario has both."""
    for scenario in all_scenarios():
        chosen = zlib.crc32(scenario.name.encode()) % len(_WEATHERS)
        for number, (weather, marks) in enumerate(_WEATHERS.items()):
            if EVERY_CASE or number == chosen:
                yield pytest.param(scenario, weather, marks=marks, id=f"{scenario}-{weather}")


@pytest.mark.parametrize(("scenario", "weather"), list(_cases()))
def test_a_scenario_ends_as_it_says(
    scenario: Scenario, weather: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        Play(scenario, weather, tmp_path).run()
    except AssertionError as problem:
        # The step and its difference say more than the lines of the runner.
        raise pytest.fail.Exception(str(problem), pytrace=False) from None
