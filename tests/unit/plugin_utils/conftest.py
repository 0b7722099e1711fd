# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of the tests of whole instances."""

from __future__ import annotations

from pathlib import Path

import pytest
from emulator_process import Emulator
from instance_site import Site


@pytest.fixture
def site(empty_emulator: Emulator, tmp_path: Path) -> Site:
    """An empty directory and an empty instance in calm weather."""
    empty_emulator.reset(sign_out=True)
    return Site(tmp_path, empty_emulator)


@pytest.fixture
def demo(emulator: Emulator, tmp_path: Path) -> Site:
    """An empty directory and the instance with demo data, in calm weather."""
    emulator.reset(sign_out=True)
    return Site(tmp_path / "demo", emulator)
