# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The cases of a test that run outside of the long run."""

from __future__ import annotations

from sample import sample_of

_CASES = [f"case {number}" for number in range(20)]


def test_the_name_of_a_test_selects_its_cases() -> None:
    sample = sample_of("test_a", _CASES, 3)
    assert len(sample) == 3
    assert sample == sample_of("test_a", _CASES, 3) == [case for case in _CASES if case in sample]
    assert sample != sample_of("test_b", _CASES, 3)


def test_a_test_with_few_cases_runs_all_of_them() -> None:
    assert sample_of("test_a", _CASES[:2], 3) == _CASES[:2]
