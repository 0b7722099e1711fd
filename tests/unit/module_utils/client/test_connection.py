# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of a connection, and secrets inside options that are not secret themselves."""

from __future__ import annotations

import resource

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.client.connection import (
    connect,
    from_environment,
    hidden_in,
    risks_of,
)
from ansible_collections.community.seventhings.plugins.module_utils.client.limits import Limits
from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput


@pytest.mark.parametrize(
    ("base_url", "hidden"),
    [
        ("https://ada:s3cret@acme.test", ["s3cret", "ada"]),
        ("https://ada@acme.test/", ["ada"]),
        ("https://ada:s3/cret@acme.test", ["s3/cret", "ada"]),
        ("https://ada:77/s3cret@acme.test", ["77/s3cret", "ada"]),
        ("https://ada:s3?c#ret@acme.test", ["s3?c#ret", "ada"]),
        ("https://ada:s3@cret@acme.test", ["s3", "ada", "s3@cret"]),
        ("https://ada:s3%40cret@acme.test", ["s3", "ada", "s3%40cret"]),
        ("https://ada:s3cret%40acme.test", ["s3cret", "ada"]),
        ("https://ada:s3cret\uff20acme.test", ["s3cret", "ada"]),
        (" HTTPS://ada:s3cret@acme.test", ["s3cret", "ada"]),
        ("https:\\\\ada:s3cret@acme.test", ["s3cret", "ada"]),
        ("https:/ada:s3cret@acme.test", ["s3cret", "ada"]),
        ("https//ada:s3cret@acme.test", ["s3cret", "ada"]),
        ("//ada:s3cret@acme.test", ["s3cret", "ada"]),
        ("ada:s3cret@acme.test", ["s3cret", "ada"]),
        ("https://acme.test", []),
        ("https://[acme.test", []),
        ("", []),
        (None, []),
    ],
)
def test_credentials_in_the_url_are_hidden(base_url: str | None, hidden: list[str]) -> None:
    assert hidden_in({"base_url": base_url}) == hidden


def test_without_a_url_nothing_is_hidden() -> None:
    assert hidden_in({}) == []


@pytest.mark.parametrize(
    ("limit", "share", "per_minute"),
    [
        (None, None, 200), (None, "50%", 100), (120, "25 %", 30), (3, "10%", 1), (0, "50%", 0), (200, "100%", 200),
    ],
)  # fmt: skip
def test_a_share_of_the_rate_limit_leaves_the_rest_to_others(
    limit: int | None, share: str | None, per_minute: int
) -> None:
    client = connect({"base_url": "https://acme.test", "rate_limit": limit, "tuning": {"rate_share": share}})
    assert client.transport.rate.per_minute == per_minute


@pytest.mark.parametrize("share", ["50", "0%", "101%", "half", "-5%", "1.5%", ""])
def test_a_share_that_is_no_percentage_is_refused(share: str) -> None:
    with pytest.raises(InvalidInput, match=r"tuning\.rate_share: .* does not fit"):
        connect({"base_url": "https://acme.test", "tuning": {"rate_share": share}})


@pytest.mark.parametrize(
    ("base_url", "risky"),
    [("http://acme.test", True), ("http://[", True), ("http://127.0.0.1:80", False), ("https://acme.test", False)],
)
def test_http_to_what_may_be_another_machine_is_a_risk(base_url: str, risky: bool) -> None:
    risks = risks_of({"base_url": base_url, "tuning": {"allow_http": True}})
    assert [line.partition(":")[0] for line in risks] == ["tuning.allow_http"] * risky


def test_tuning_has_defaults_that_follow_the_timeout() -> None:
    short = connect({"base_url": "https://acme.test"}).transport
    assert (short.settle, short.outage_wait) == (30.0, 300.0)
    assert connect({"base_url": "https://acme.test", "timeout": 75}).transport.settle == 75.0


def test_tuning_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEVENTHINGS_SETTLE", "7.5")
    monkeypatch.setenv("SEVENTHINGS_OUTAGE_WAIT", "60")
    transport = connect({"base_url": "https://acme.test", "tuning": {"settle": "2", "outage_wait": None}}).transport
    assert (transport.settle, transport.outage_wait) == (2.0, 60.0)


@pytest.mark.parametrize(
    ("tuning", "words"),
    [
        ({"setle": 1}, "tuning: unknown key 'setle'; did you mean settle?"),
        ({"Outage-Wait": 1}, "tuning: unknown key 'Outage-Wait'; did you mean outage_wait?"),
        ({"speed": 1}, "tuning: unknown key 'speed'; expected settle, outage_wait"),
        ({"settle": -1}, "tuning.settle: -1 does not fit; expected seconds, 0 or more"),
        ({"outage_wait": "long"}, "tuning.outage_wait: 'long' does not fit; expected seconds, 0 or more"),
        ({"settle": 10**400}, "tuning.settle: 1000"),
        ({"request_deadline": 0}, "tuning.request_deadline: 0 does not fit; expected seconds above 0"),
        ({"request_deadline": "inf"}, "tuning.request_deadline: 'inf' does not fit; expected seconds above 0"),
        ({"request_deadline": float("nan")}, "tuning.request_deadline: nan does not fit; expected seconds above 0"),
        ({"max_pages": 0}, "tuning.max_pages: 0 does not fit; expected an integer, 1 or more"),
        ({"max_list_size": "much"}, "tuning.max_list_size: 'much' does not fit; expected an integer, 1 or more"),
        ({"max_answer_size": 1.5}, "tuning.max_answer_size: 1.5 does not fit; expected an integer, 1 or more"),
        ({"lock_wait": -1}, "tuning.lock_wait: -1 does not fit; expected seconds, 0 or more"),
        (["settle"], "tuning: ['settle'] does not fit; expected a map with settle, outage_wait"),
    ],
)
def test_tuning_that_does_not_fit_is_refused(tuning: object, words: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        connect({"base_url": "https://acme.test", "tuning": tuning})
    assert refused.value.message.startswith(words)


def test_every_key_of_tuning_has_an_environment_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"REQUEST_DEADLINE": "7", "RATE_SHARE": "50%", "MAX_PAGES": "3", "MAX_LIST_SIZE": "4", "LOCK_WAIT": "5"}
    for name, value in {**given, "MAX_ANSWER_SIZE": "6"}.items():
        monkeypatch.setenv(f"SEVENTHINGS_{name}", value)
    client = connect({"base_url": "https://acme.test", "rate_limit": 100})
    assert (client.transport.deadline, client.transport.rate.per_minute, client.creations.lock_wait) == (7.0, 50, 5.0)
    assert client.transport.limits == Limits(6, 3, 4)


def test_a_variable_of_the_task_fills_tuning() -> None:
    filled = from_environment({"tuning": {"settle": 5}}, {"SEVENTHINGS_SETTLE": "9", "SEVENTHINGS_LOCK_WAIT": "60"})
    assert filled["tuning"] == {"settle": 5, "lock_wait": "60"}


def test_a_variable_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEVENTHINGS_SETTLE", "soon")
    with pytest.raises(InvalidInput, match="SEVENTHINGS_SETTLE: 'soon' does not fit"):
        connect({"base_url": "https://acme.test"})


def test_a_process_that_connects_leaves_no_core_dump() -> None:
    before = resource.getrlimit(resource.RLIMIT_CORE)
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (before[1], before[1]))
        connect({"base_url": "https://acme.test", "access_token": "t"})
        assert resource.getrlimit(resource.RLIMIT_CORE)[0] == 0
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, before)
