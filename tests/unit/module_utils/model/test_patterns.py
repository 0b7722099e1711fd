# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Patterns are matched within a time limit, and otherwise left to the service."""

from __future__ import annotations

import signal
import threading
import time
import warnings
from collections.abc import Iterator

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.model import patterns
from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.module_utils.model.patterns import finds
from ansible_collections.community.seventhings.plugins.module_utils.model.types_basic import broken_rules

ENDLESS = ["^(a+)+$", "/^(a|a)*$/", "^(a|aa)+$", "(.*a){25}$", "^(([a-z])+.)+[A-Z]([a-z])+$"]


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(patterns, "_USED", {})
    monkeypatch.setattr(patterns, "_ENDED", set())
    before = signal.getsignal(signal.SIGVTALRM)
    yield
    assert signal.getsignal(signal.SIGVTALRM) is before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


def test_a_pattern_is_found_or_not() -> None:
    assert finds("^[A-Z]{2}$", 0, "AB") is True
    assert finds("^[A-Z]{2}$", 0, "ab") is False


@pytest.mark.parametrize("pattern", ["(", "a{999999999999999999999}", "(" * 5000 + ")" * 5000])
def test_what_is_no_pattern_here_is_not_known(pattern: str) -> None:
    assert finds(pattern, 0, "a") is None


@pytest.mark.slow
def test_nothing_is_printed_about_a_pattern() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert finds("[[a]x", 0, "ax") is True


@pytest.mark.sample(2)
@pytest.mark.parametrize("pattern", ENDLESS)
def test_a_pattern_that_does_not_end_is_left_to_the_service(pattern: str) -> None:
    field = Field("code", "TEXT", constraints={"regular_expression": pattern})
    started = time.process_time()
    for number in range(10_000):
        assert broken_rules("a" * 60 + f"!{number}", field) == []
    assert time.process_time() - started < 2.0


@pytest.mark.slow
def test_many_such_patterns_cost_a_bounded_time_in_all() -> None:
    started = time.process_time()
    for number in range(100):
        assert finds(f"^(a+)+{number}$", 0, "a" * 60) is None
    assert time.process_time() - started < 2.0


def test_a_pattern_that_is_rather_slow_for_each_value_is_left_to_the_service() -> None:
    text = "a" * 18
    started = time.process_time()
    assert {finds("^(a+)+$", 0, f"{text}{number}!") for number in range(1000)} == {False, None}
    assert time.process_time() - started < 2.0


def test_in_another_thread_patterns_are_left_to_the_service() -> None:
    found: list[bool | None] = []
    thread = threading.Thread(target=lambda: found.append(finds("a", 0, "a")))
    thread.start()
    thread.join()
    assert found == [None]


@pytest.mark.parametrize(("length", "is_judged"), [(1_000, True), (1_001, False)])
def test_long_texts_are_left_to_the_service(length: int, is_judged: bool) -> None:
    field = Field("code", "TEXT", constraints={"regular_expression": "^[0-9]*$"})
    assert bool(broken_rules("a" * length, field)) is is_judged
