# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One embedded service for all contract tests. Every test begins with its start data and calm switches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .support import Api, Emulator, Steering, running

CASES = 3
"""The cases of a contract test that run outside of the long run, unless its own marker says another number."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the contract tests as samples before the samples are drawn."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent) and not item.get_closest_marker("sample"):
            item.add_marker(pytest.mark.sample(CASES))


@pytest.fixture(scope="session")
def emulator() -> Iterator[Emulator]:
    with running() as process:
        yield process


@pytest.fixture(scope="session")
def shared_steering(emulator: Emulator) -> Steering:
    return Steering(emulator.about)


@pytest.fixture
def steering(shared_steering: Steering) -> Steering:
    """Return the steering calls of the service, which is reset."""
    shared_steering.clear()
    return shared_steering


@pytest.fixture
def api(emulator: Emulator, steering: Steering) -> Api:
    """Return a signed-in client of the service with its start data."""
    client = Api(emulator.about, steering)
    client.sign_in()
    return client


@pytest.fixture(scope="module")
def still(emulator: Emulator, shared_steering: Steering) -> Api:
    """Return a client for tests that only read.

    The service is reset once per module, which must not use other fixtures.
    """
    shared_steering.clear()
    client = Api(emulator.about, shared_steering)
    client.sign_in()
    return client


@pytest.fixture
def unjudged(emulator: Emulator, steering: Steering, api: Api) -> Api:
    """Return a signed-in client for broken answers, which does not check answers against the description."""
    client = Api(emulator.about, steering, judge=False)
    client.tokens = api.tokens
    return client
