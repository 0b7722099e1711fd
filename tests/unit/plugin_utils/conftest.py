# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of the tests of whole instances."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from emulator_process import Emulator, running
from instance_site import Site


@pytest.fixture(scope="module")
def _empty_service() -> Iterator[Emulator]:
    with running(data="empty") as service:
        yield service


@pytest.fixture
def site(_empty_service: Emulator, tmp_path: Path) -> Site:
    """An empty directory and an empty instance in calm weather."""
    _empty_service.reset()
    return Site(tmp_path, _empty_service)


@pytest.fixture(scope="module")
def _demo_service() -> Iterator[Emulator]:
    with running(data="demo") as service:
        yield service


@pytest.fixture
def demo(_demo_service: Emulator, tmp_path: Path) -> Site:
    """An empty directory and the instance with demo data, in calm weather."""
    _demo_service.reset()
    return Site(tmp_path / "demo", _demo_service)
