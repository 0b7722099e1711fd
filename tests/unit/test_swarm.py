# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Variables that select the seeds of random tests."""

from __future__ import annotations

import pytest
from swarm import selected_seeds

_VARIABLE = "SEVENTHINGS_TEST_SEEDS"


@pytest.mark.parametrize(
    ("text", "seeds"),
    [("7", [7]), ("7 100-103", [7, 100, 101, 102, 103]), ("0-1  5\n", [0, 1, 5]), ("", range(4)), (" ", range(4))],
)
def test_seeds_and_ranges_are_selected(text: str, seeds: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(_VARIABLE, text)
    assert selected_seeds(_VARIABLE, range(4)) == seeds


@pytest.mark.parametrize("part", ["x", "7,8", "1-", "-1", "9-3", "1-2-3", "0x7", "1_0", "\u0667", "1e3"])
def test_a_part_that_is_no_seed_is_refused(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(_VARIABLE, f"7 {part}")
    with pytest.raises(ValueError, match=f"{_VARIABLE}: '{part}' is neither a seed nor a range of seeds"):
        selected_seeds(_VARIABLE, range(4))
