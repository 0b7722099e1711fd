# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hundreds of bad desired states: each a finding on the right line, and nothing is sent."""

from __future__ import annotations

import pytest
from instance_site import Site
from project import LONG

from .bad_fuzz import bad_states
from .bad_states import FILES, Bad
from .bad_traps import MORE, SETTINGS

_SEED = 20240531
_NUMBER = 450 if LONG else 90


def test_the_valid_state_that_the_invalid_states_are_derived_from_is_valid(site: Site) -> None:
    site.write(FILES)
    assert site.plan().findings == []
    site.write({**MORE, "instance.yml": SETTINGS})
    assert site.plan().findings == []


@pytest.mark.sample(8)
@pytest.mark.parametrize("number", range(_NUMBER))
def test_a_bad_state_is_found_at_its_line_and_nothing_is_sent(site: Site, number: int) -> None:
    bad: Bad = bad_states(_NUMBER, _SEED)[number]
    print(f"seed {_SEED}, state {number}: {bad.name}")
    site.write(bad.files)
    result = site.run()
    assert result.outcome == "failed", bad.name
    place = f"{bad.file}:{bad.line}:"
    assert any(finding.startswith(place) for finding in result.findings), (bad.name, result.findings)
    assert site.writes() == []
    assert result.failed
    assert len(result.findings) <= 3, (bad.name, result.findings)
