# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fixtures of unit and integration tests: one embedded service with demo data per session, and one without data."""

from __future__ import annotations

import gc
import secrets
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import kept_code
import pytest
from emulator_here import running_here
from emulator_process import Emulator
from project import BUILD, EVERY_CASE
from sample import sample_of

_MANY_OBJECTS = 200_000
"""Number of new objects after which the tests collect garbage."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Pause garbage collection for the thousands of collected tests, which stay to the end."""
    gc.disable()
    result = yield
    gc.freeze()
    return result


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the cases beyond the sample of a test, except in the long run."""
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if not EVERY_CASE and item.get_closest_marker("sample"):
            cases[item.nodeid.partition("[")[0]].append(item)
    left_out: set[pytest.Item] = set()
    for test, found in cases.items():
        (count,) = next(found[0].iter_markers("sample")).args
        left_out.update(set(found) - set(sample_of(test, found, count)))
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Iterator[None]:
    """Collect garbage between tests, without visiting the collected tests."""
    result = yield
    if gc.get_count()[0] > _MANY_OBJECTS:
        gc.collect()
        # Most objects that are left stay to the end, so later collections need not visit them.
        gc.freeze()
    return result


def pytest_unconfigure() -> None:
    """Collect garbage once at the end. Pytest collects five times to find unraisable errors, but once is enough."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _state_of_the_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep journals of tests out of the state directory of the user, and share compiled code between processes."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(kept_code.VARIABLE, str(BUILD / "code"))
        patched.setenv("XDG_STATE_HOME", str(tmp_path_factory.getbasetemp() / "state"))
        yield


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory for those of all tests, because Pytest searches its own before each test."""
    return tmp_path_factory.mktemp("homes", numbered=False)


@pytest.fixture(autouse=True)
def state_home(_state_of_the_session: None, _homes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the state directory of one test, which does not exist yet. The journals are below it."""
    path = _homes / f"state-{secrets.token_hex(8)}"
    monkeypatch.setenv("XDG_STATE_HOME", str(path))
    return path


@pytest.fixture(autouse=True)
def runtime_home(_state_of_the_session: None, _homes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the directory in which the processes of one test share limits, locks and tokens."""
    path = _homes / f"runtime-{secrets.token_hex(8)}"
    path.mkdir(0o700)
    monkeypatch.setenv("SEVENTHINGS_RUNTIME_DIR", str(path))
    return path


@pytest.fixture(scope="session")
def emulator() -> Iterator[Emulator]:
    """Yield the embedded service with demo data; a test that writes calls ``emulator.reset()`` first."""
    with running_here() as service:
        yield service


@pytest.fixture(scope="session")
def empty_emulator() -> Iterator[Emulator]:
    """Yield the embedded service without any data; every test calls ``empty_emulator.reset()`` first."""
    with running_here("empty") as service:
        yield service
