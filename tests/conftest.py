# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What unit and integration tests share: one embedded service a session."""

from __future__ import annotations

from collections.abc import Iterator

import emulator_process
import pytest


@pytest.fixture(scope="session")
def emulator() -> Iterator[emulator_process.Emulator]:
    """The embedded service with demo data; a test that writes calls ``emulator.reset()`` first."""
    with emulator_process.running() as service:
        yield service
