# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of the unit tests."""

from __future__ import annotations

from pathlib import Path

import instance_site
import pytest
from emulator_process import Emulator
from hypothesis.configuration import set_hypothesis_home_dir
from instance_site import Site

from .module_utils.support import Clock

set_hypothesis_home_dir(Path(__file__).resolve().parents[2] / ".build" / "hypothesis")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests with an embedded service as slow."""
    for item in items:
        if {"emulator", "empty_emulator"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)


@pytest.fixture
def clock() -> Clock:
    """Return a clock that moves only when somebody sleeps."""
    return Clock()


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the environment of the test run from the engine."""
    for name in (
        "BASE_URL",
        "INSTANCE_URL",
        "TOKEN",
        "REFRESH_TOKEN",
        "USERNAME",
        "PASSWORD",
        "CLIENT_ID",
        "RATE_LIMIT",
        "RATE_LIMIT_WAIT",
        "LOCK_WAIT",
        "TOKEN_CACHE",
        "RUN_DIR",
    ):
        monkeypatch.delenv(f"SEVENTHINGS_{name}", raising=False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "NETRC", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture(autouse=True)
def _limits_of_tasks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the tasks of a test file have the limits of its constant TASK_LIMITS."""
    monkeypatch.setattr(instance_site, "task_limits", getattr(request.module, "TASK_LIMITS", {}))


@pytest.fixture
def site(empty_emulator: Emulator, tmp_path: Path) -> Site:
    """Return an empty directory and an empty instance in calm weather."""
    empty_emulator.reset(sign_out=True)
    return Site(tmp_path, empty_emulator)


@pytest.fixture
def demo(emulator: Emulator, tmp_path: Path) -> Site:
    """Return an empty directory and the instance with demo data, in calm weather."""
    emulator.reset(sign_out=True)
    return Site(tmp_path / "demo", emulator)
