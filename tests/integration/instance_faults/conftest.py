# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of the tests with faults: an empty service, and an empty directory to apply to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from emulator_process import Emulator
from instance_site import Site


@pytest.fixture
def site(empty_emulator: Emulator, tmp_path: Path) -> Site:
    """Return an empty directory and an empty instance in calm weather."""
    empty_emulator.reset()
    root = tmp_path / "files"
    root.mkdir()
    return Site(root, empty_emulator)
