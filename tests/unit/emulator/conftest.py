# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One embedded service for all contract tests. Every test begins with its start data, in calm weather."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .support import Api, Emulator, Steering, running


@pytest.fixture(scope="session")
def emulator() -> Iterator[Emulator]:
    with running() as process:
        yield process


@pytest.fixture(scope="session")
def shared_steering(emulator: Emulator) -> Steering:
    return Steering(emulator.about)


@pytest.fixture
def steering(shared_steering: Steering) -> Steering:
    """Return the steering calls, with everything cleared."""
    shared_steering.clear()
    return shared_steering


@pytest.fixture
def api(emulator: Emulator, steering: Steering) -> Api:
    """Return a client that is signed in, on start data."""
    client = Api(emulator.about, steering)
    client.sign_in()
    return client


@pytest.fixture(scope="module")
def still(emulator: Emulator, shared_steering: Steering) -> Api:
    """Return the same for tests that only read: cleared once per module, which must not use other fixtures."""
    shared_steering.clear()
    client = Api(emulator.about, shared_steering)
    client.sign_in()
    return client


@pytest.fixture
def unjudged(emulator: Emulator, steering: Steering, api: Api) -> Api:
    """Return a signed-in client whose answers are not checked against the description, for broken answers."""
    client = Api(emulator.about, steering, judge=False)
    client.tokens = api.tokens
    return client


@pytest.fixture
def side(request: pytest.FixtureRequest, api: Api, steering: Steering) -> str:
    """Turn the switch of the test; there is something of everything."""
    name, turned = request.param
    assert api.tokens
    steering.switch(**{name: turned})
    return str(turned)
