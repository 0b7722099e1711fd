# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of a connection, and secrets inside options that are not secret themselves."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.client.connection import (
    connect,
    from_environment,
    hidden_in,
    risks_of,
)
from ansible_collections.community.seventhings.plugins.module_utils.client.limits import Limits
from ansible_collections.community.seventhings.plugins.module_utils.client.transport import Tls
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
    ("base_url", "risky"),
    [("http://acme.test", True), ("http://[", True), ("http://127.0.0.1:80", False), ("https://acme.test", False)],
)
def test_http_to_what_may_be_another_machine_is_a_risk(base_url: str, risky: bool) -> None:
    risks = risks_of({"base_url": base_url, "tuning": {"allow_http": True}})
    assert [line.partition(":")[0] for line in risks] == ["tuning.allow_http"] * risky


@pytest.mark.parametrize(
    ("options", "environment", "found"),
    [
        ({}, {}, {"timeout": 30.0, "retries": 3, "tls": Tls(), "read_only": False, "limits": Limits(16, 500, 512)}),
        ({}, {}, {"settle": 30.0, "outage_wait": 300.0, "deadline": 300.0, "rate_limit_wait": 300.0}),
        ({"timeout": 75}, {}, {"settle": 75.0, "deadline": 750.0}),
        ({"validate_certs": False}, {}, {"tls": Tls(verify=False)}),
        (
            {"tuning": {"settle": "2", "outage_wait": None, "retries": 0}},
            {"SETTLE": "7.5", "OUTAGE_WAIT": "60", "RATE_LIMIT_WAIT": "7.5"},
            {"settle": 2.0, "outage_wait": 60.0, "retries": 0, "rate_limit_wait": 7.5},
        ),
        (
            {},
            {"REQUEST_DEADLINE": "7", "MAX_PAGES": "3", "MAX_LIST_SIZE": "4", "MAX_ANSWER_SIZE": "6"},
            {"deadline": 7.0, "limits": Limits(6, 3, 4)},
        ),
        ({"base_url": None}, {"BASE_URL": "https://other.test"}, {"root": "https://other.test"}),
        ({"base_url": None}, {"INSTANCE_URL": "https://other.test"}, {"root": "https://other.test"}),
        ({}, {"BASE_URL": "https://other.test"}, {"root": "https://acme.test"}),
    ],
)
def test_a_connection_follows_its_options_and_then_the_environment(
    options: dict[str, Any], environment: dict[str, str], found: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(f"SEVENTHINGS_{name}", value)
    transport = connect({"base_url": "https://acme.test", **options}).transport
    assert {name: getattr(transport, name) for name in found} == found


@pytest.mark.parametrize(
    ("limit", "share", "environment", "per_minute"),
    [
        (None, None, "", 200), (None, "50%", "", 100), (120, "25 %", "", 30), (3, "10%", "", 1), (0, "50%", "", 0),
        (200, "100%", "", 200), (None, None, "17", 17),
    ],
)  # fmt: skip
def test_a_share_of_the_rate_limit_leaves_the_rest_to_others(
    limit: int | None, share: str | None, environment: str, per_minute: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEVENTHINGS_RATE_LIMIT", environment)
    options = {"base_url": "https://acme.test", "rate_limit": limit, "tuning": {"rate_share": share}}
    first, second = (connect(options).transport.rate for _number in range(2))
    assert first is second
    assert first.per_minute == per_minute
    assert connect({**options, "base_url": "https://other.test"}).transport.rate is not first


def test_certificates_are_files_that_exist(tmp_path: Path) -> None:
    pem = str(tmp_path / "a.pem")
    for option in ("ca_path", "client_cert", "client_key"):
        with pytest.raises(InvalidInput, match=f"{option}: .*no such file"):
            connect({"base_url": "https://acme.test", option: pem})
    Path(pem).write_text("")
    for options, tls in (
        ({"ca_path": pem, "client_cert": pem}, Tls(pem, pem)),
        ({"client_cert": pem, "client_key": pem}, Tls(cert=(pem, pem))),
        ({"client_key": pem}, Tls()),
    ):
        assert connect({"base_url": "https://acme.test", **options}).transport.tls == tls
    with pytest.raises(InvalidInput, match=r"validate_certs.*ca_path"):
        connect({"base_url": "https://acme.test", "validate_certs": False, "ca_path": pem})


SECONDS, ABOVE, COUNT = "expected seconds, 0 or more", "expected seconds above 0", "expected an integer, 1 or more"


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        *(("timeout", value, f"timeout: {value!r} does not fit; {ABOVE}") for value in (0, -1.0, float("inf"))),
        *(("rate_limit", value, f"rate_limit: {value!r} does not fit; expected requests") for value in (-1, "many")),
        ("tuning", ["settle"], "tuning: ['settle'] does not fit; expected a map with settle, outage_wait"),
        ("tuning", {"setle": 1}, "tuning: unknown key 'setle'; did you mean settle?"),
        ("tuning", {"Outage-Wait": 1}, "tuning: unknown key 'Outage-Wait'; did you mean outage_wait?"),
        ("tuning", {"speed": 1}, "tuning: unknown key 'speed'; expected one of settle, outage_wait"),
        *(
            ("tuning", {key: value}, f"tuning.{key}: {value!r} does not fit; {expected}")
            for key, value, expected in (
                ("settle", -1, SECONDS), ("outage_wait", "long", SECONDS), ("lock_wait", -1, SECONDS),
                ("rate_limit_wait", "long", SECONDS), ("settle", 10**400, SECONDS), ("request_deadline", 0, ABOVE),
                ("request_deadline", "inf", ABOVE), ("request_deadline", float("nan"), ABOVE), ("max_pages", 0, COUNT),
                ("max_list_size", "much", COUNT), ("max_answer_size", 1.5, COUNT), ("workers", True, COUNT),
                ("retries", -1, "expected an integer, 0 or more"), ("token_cache", "perhaps", "expected true or false"),
                ("execution", "here", "expected auto or module"),
                *(("rate_share", text, "expected a percentage") for text in ("50", "0%", "101%", "-5%", "1.5%", "")),
            )
        ),
    ],
)  # fmt: skip
def test_an_option_that_does_not_fit_is_refused_before_anything_is_sent(option: str, value: Any, words: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        connect({"base_url": "https://acme.test", option: value})
    assert refused.value.message.startswith(words)


def test_a_variable_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEVENTHINGS_SETTLE", "soon")
    with pytest.raises(InvalidInput, match="SEVENTHINGS_SETTLE: 'soon' does not fit"):
        connect({"base_url": "https://acme.test"})


def test_a_variable_of_the_task_fills_tuning() -> None:
    filled = from_environment({"tuning": {"settle": 5}}, {"SEVENTHINGS_SETTLE": "9", "SEVENTHINGS_LOCK_WAIT": "60"})
    assert filled["tuning"] == {"settle": 5, "lock_wait": "60"}


@pytest.mark.parametrize(
    ("options", "filled"),
    [
        ({}, {"access_token": "of-ada", "refresh_token": "more", "username": "ada", "password": "secret"}),
        ({"access_token": "of-bob"}, {"access_token": "of-bob", "password": "secret"}),
        ({"refresh_token": "of-bob"}, {"refresh_token": "of-bob", "password": "secret"}),
        ({"username": "bob"}, {"username": "bob", "password": "secret"}),
        ({"access_token": "", "password": "other"}, {"refresh_token": "more", "username": "ada", "password": "other"}),
    ],
)
def test_options_of_one_account_are_not_mixed_with_the_environment(
    options: dict[str, Any], filled: dict[str, Any]
) -> None:
    members = {"TOKEN": "of-ada", "REFRESH_TOKEN": "more", "USERNAME": "ada", "PASSWORD": "secret", "CLIENT_ID": "id"}
    found = from_environment(options, {f"SEVENTHINGS_{name}": value for name, value in members.items()})
    assert {name: value for name, value in found.items() if value and name != "tuning"} == {**filled, "client_id": "id"}


def test_a_process_that_connects_leaves_no_core_dump() -> None:
    before = resource.getrlimit(resource.RLIMIT_CORE)
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (before[1], before[1]))
        connect({"base_url": "https://acme.test", "access_token": "t"})
        assert resource.getrlimit(resource.RLIMIT_CORE)[0] == 0
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, before)
