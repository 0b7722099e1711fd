# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Histories of a simulated world: no duplicates, no losses, one creator for each record, and an end.

``SEVENTHINGS_WORLD`` selects histories: seeds or ranges of them, such as ``7 100-119``. Repeat a failing history with
its seed: ``SEVENTHINGS_WORLD=4711 pytest tests/unit/proof/test_simulated_world.py``.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from project import LONG
from simulated_world import World
from swarm import selected_seeds

HISTORIES = 100_000 if LONG else 30
"""Number of histories in one run."""
_SLICE = 500 if LONG else 30
"""Number of histories in one test, so that workers can share them. Garbage is collected after each test, so a slice of
500 takes up to 0.6 GB."""
_SEEDS = selected_seeds("SEVENTHINGS_WORLD", range(HISTORIES))
_SLICES = [_SEEDS[first : first + _SLICE] for first in range(0, len(_SEEDS), _SLICE)]
_FAULTS = ("500", "502_html", "503", "504_after", "reset_before", "reset_after", "half_body", "not_json")
_LATE = ("504_late", "502_late", "reset_late")


def history(seed: int, directory: Path) -> None:
    """Let some processes ensure the same records, under faults, late commits and kills. Check the outcome."""
    shutil.rmtree(directory, ignore_errors=True)
    world = World(directory, seed)
    rolls = world.rolls
    names = ["Berlin", "Hamburg"][: rolls.randint(1, 2)]
    for _number in range(rolls.randint(2, 5)):
        kill_after = rolls.randint(0, 12) if rolls.random() < 0.25 else -1
        world.add("location", kill_after, fields={"name": rolls.choice(names), "city": rolls.choice(("A", "A", "B"))})
    is_rough = rolls.random() < 0.7
    if is_rough:
        for _fault in range(rolls.randint(1, 3)):
            world.service.fault(rolls.choice(_FAULTS), after=rolls.randint(0, 6), times=1)
    if rolls.random() < 0.4:
        is_rough = True
        world.service.fault(rolls.choice(_LATE), method="POST", path="/location", times=1, commit_after=25)
    done = world.run()
    world.sleep(60.0)
    world.service.gateway.faults.replace([])
    world.add("location", fields={"name": names[0]})
    (after,) = world.run()
    assert after.result is not None, (seed, after.error)
    assert not after.result.failed, (seed, after.result)
    log = world.service.requests()
    assert all(entry["status"] != 429 for entry in log), (seed, "the pace is too fast")
    logins = [entry for entry in log if entry["path"].endswith("/auth_token")]
    assert len(logins) == 1 or is_rough or any(process.was_killed for process in done), (seed, len(logins))
    found = [row["name"] for row in world.service.service.store.rows("SELECT name FROM location")]
    assert len(found) == len(set(found)), (seed, found)
    for process in done:
        assert process.was_killed or process.result is not None, (seed, process.error)
    changed = [
        process.result.data for process in done if process.result is not None and process.result.data.get("changed")
    ]
    claimed = [data["record"]["name"] for data in changed if not data["diff"]["before"]]
    assert len(claimed) == len(set(claimed)), (seed, claimed)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seeds", _SLICES, ids=lambda seeds: f"{seeds[0]}-{seeds[-1]}")
def test_nothing_is_created_twice_in_any_history(seeds: Sequence[int], tmp_path: Path) -> None:
    for seed in seeds:
        try:
            history(seed, tmp_path / "runtime")
        except AssertionError:
            raise
        except Exception as error:
            pytest.fail(f"history {seed}: {error!r}")
