# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Access tokens: the three grants, renewal in time and after a 401, one renewal at a time (section 5)."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.client.attempts import Effect
from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.tokens import Tokens
from ansible_collections.community.seventhings.plugins.module_utils.client.transport import Response, Transport
from ansible_collections.community.seventhings.plugins.module_utils.errors import (
    AccessTokenRefused,
    ConnectionFailed,
    InvalidInput,
    NotJson,
    SeventhingsError,
)
from ansible_collections.community.seventhings.plugins.module_utils.runtime.token_store import Credentials

from ..support import Clock, FakeTransport, Invocation, JsonMap, answer, refusal

LOGIN = "POST /auth_token"
PASSWORD: JsonMap = {"username": "ada", "password": "pa55word-geheim", "client_id": "client-7"}
REFRESH: JsonMap = {"refresh_token": "refresh-geheim", "client_id": "client-7"}
WRONG = "user name, password or client id not accepted"
SECRETS = ("pa55word-geheim", "refresh-geheim", "access-geheim", "code-geheim")


def pair(number: int, **more: Any) -> Response:
    return answer(
        {
            "access_token": f"access-{number}",
            "refresh_token": f"refresh-{number}",
            "expires_in": 3600,
            "token_type": "Bearer",
            "user_id": 17,
            **more,
        }
    )


def tokens(transport: Transport, clock: Clock | None = None, **given: Any) -> Tokens:
    return Tokens(transport, Credentials(**given), clock or Clock())


# ---- the grants


def test_a_password_signs_in() -> None:
    transport = FakeTransport({LOGIN: pair(1)})
    signed = tokens(transport, **PASSWORD)
    assert signed.current() == "access-1"
    assert signed.user_id == 17
    (call,) = transport.calls
    assert call.body == {"grant_type": "password", **PASSWORD}
    assert call.login
    assert call.token is None


def test_a_refresh_token_gives_an_access_token_and_takes_precedence_over_the_password() -> None:
    transport = FakeTransport({LOGIN: pair(1)})
    assert tokens(transport, **{**PASSWORD, **REFRESH}).current() == "access-1"
    assert transport.calls[0].body == {"grant_type": "refresh_token", **REFRESH}


def test_any_grant_may_be_asked_for_and_its_pair_is_used() -> None:
    transport = FakeTransport({LOGIN: pair(1)})
    signed = tokens(transport)
    body = {"grant_type": "sso_auth_code", "provider_name": "azure", "auth_code": "code-geheim", "client_id": "c"}
    assert signed.grant(body) == {
        "access_token": "access-1",
        "refresh_token": "refresh-1",
        "expires_in": 3600,
        "token_type": "Bearer",
        "scope": None,
        "user_id": 17,
    }
    assert transport.calls[0].body == body
    assert signed.current() == "access-1"
    assert len(transport.calls) == 1


def test_a_given_access_token_saves_the_login() -> None:
    transport = FakeTransport()
    signed = tokens(transport, access_token="mine", **PASSWORD)
    assert [signed.current(), signed.current()] == ["mine", "mine"]
    assert signed.user_id is None


NO_TOKENS: list[Any] = ["a\r\nEvil: 1", "a b", "tök", "a\ud800", "a\0b", "x" * 20_000, 7, True, ["a"], {"a": 1}]


@pytest.mark.parametrize("name", ["access_token", "refresh_token"])
@pytest.mark.parametrize("value", NO_TOKENS)
def test_what_no_header_carries_is_no_token(name: str, value: Any) -> None:
    with pytest.raises(NotJson, match=r"has a token of an unknown form \(expected"):
        tokens(FakeTransport({LOGIN: pair(1, **{name: value})}), **PASSWORD).current()


def test_a_given_token_that_no_header_carries_is_an_error_without_it() -> None:
    with pytest.raises(InvalidInput) as refused:
        tokens(FakeTransport({}), access_token="access-geheim\n")
    assert refused.value.message.startswith("access_token: the value is not a token; expected")


# ---- renewal in time


@pytest.mark.parametrize(
    ("life", "still", "due"),
    [(3600, 3539.9, 3540), (600, 539.9, 540), (601, 540.9, 541), (300, 269.9, 270), (10, 8.9, 9), (1, 0.8, 0.9)],
)
def test_a_token_is_renewed_when_less_than_60_seconds_and_a_tenth_of_its_life_are_left(
    life: int, still: float, due: float, clock: Clock
) -> None:
    transport = FakeTransport({LOGIN: [pair(1, expires_in=life), pair(2, expires_in=life)]})
    signed = tokens(transport, clock, **PASSWORD)
    signed.current()
    clock.now = 1000 + still
    assert signed.current() == "access-1"
    clock.now = 1000 + due
    assert signed.current() == "access-2"


def test_renewal_uses_the_newest_refresh_token(clock: Clock) -> None:
    transport = FakeTransport({LOGIN: [pair(1), pair(2), pair(3)]})
    signed = tokens(transport, clock, **REFRESH)
    for _number in range(3):
        signed.current()
        clock.now += 3600
    assert [call.body["refresh_token"] for call in transport.calls] == ["refresh-geheim", "refresh-1", "refresh-2"]


def test_the_old_refresh_token_is_kept_where_no_new_one_comes(clock: Clock) -> None:
    transport = FakeTransport({LOGIN: [pair(1, refresh_token=None), pair(2)]})
    signed = tokens(transport, clock, **REFRESH)
    signed.current()
    clock.now += 3600
    signed.current()
    assert transport.calls[1].body["refresh_token"] == "refresh-geheim"


@pytest.mark.parametrize("life", [None, 0, -1, "soon"])
def test_a_token_of_unknown_life_is_used_until_it_is_refused(life: Any, clock: Clock) -> None:
    transport = FakeTransport({LOGIN: [pair(1, expires_in=life)]})
    signed = tokens(transport, clock, **PASSWORD)
    signed.current()
    clock.now += 10**6
    assert signed.current() == "access-1"


def test_a_given_access_token_is_never_renewed_before_it_is_refused(clock: Clock) -> None:
    signed = tokens(FakeTransport(), clock, access_token="mine", **PASSWORD)
    clock.now += 10**6
    assert signed.current() == "mine"


@pytest.mark.parametrize("status", [400, 401, 403])
def test_a_refused_refresh_token_is_followed_by_the_password(status: int) -> None:
    transport = FakeTransport({LOGIN: [refusal(status), pair(2), pair(3)]})
    signed = tokens(transport, **{**PASSWORD, **REFRESH})
    assert signed.current() == "access-2"
    assert [call.body["grant_type"] for call in transport.calls] == ["refresh_token", "password"]


def test_a_refused_refresh_token_is_not_tried_again() -> None:
    transport = FakeTransport({LOGIN: [refusal(401), pair(2, refresh_token=None), pair(3)]})
    signed = tokens(transport, **{**PASSWORD, **REFRESH})
    signed.replace(signed.current())
    assert [call.body["grant_type"] for call in transport.calls] == ["refresh_token", "password", "password"]


def test_an_unreachable_service_is_no_reason_to_send_the_password() -> None:
    transport = FakeTransport({LOGIN: [ConnectionFailed("no way")]})
    with pytest.raises(ConnectionFailed):
        tokens(transport, **{**PASSWORD, **REFRESH}).current()
    assert len(transport.calls) == 1


# ---- after a 401


class Guarded(FakeTransport):
    """A service that accepts only some tokens."""

    def __init__(self, valid: set[str], logins: list[Any]) -> None:
        super().__init__({LOGIN: logins, "GET /objects": self.guard, "POST /object": self.guard})
        self.valid = valid

    def guard(self, call: Invocation) -> Any:
        return answer({}) if call.token in self.valid else refusal(401)


@pytest.mark.parametrize(
    ("method", "path", "effect"), [("GET", "/objects", Effect.SAFE), ("POST", "/object", Effect.UNSAFE)]
)
def test_a_refused_token_is_replaced_once_and_the_request_sent_again(method: str, path: str, effect: Effect) -> None:
    transport = Guarded({"access-2"}, [pair(2)])
    client = Client(transport, tokens(transport, access_token="old", **PASSWORD))
    client.send(method, path, effect, body={"a": 1})
    assert transport.lines == [f"{method} {path}", LOGIN, f"{method} {path}"]
    assert transport.calls[2].token == "access-2"
    assert transport.calls[2].body == {"a": 1}


def test_a_second_refusal_is_reported_and_nothing_is_tried_again() -> None:
    transport = Guarded(set(), [pair(2)])
    client = Client(transport, tokens(transport, access_token="old", **PASSWORD))
    with pytest.raises(AccessTokenRefused):
        client.send("GET", "/objects")
    assert transport.lines == ["GET /objects", LOGIN, "GET /objects"]


def test_without_a_way_to_renew_the_error_says_what_is_missing() -> None:
    transport = Guarded(set(), [])
    client = Client(transport, tokens(transport, access_token="access-geheim"))
    with pytest.raises(InvalidInput) as caught:
        client.send("GET", "/objects")
    message = caught.value.message
    assert all(word in message for word in ("401", "refresh_token", "username", "password", "client_id", "auth_token"))
    assert "access-geheim" not in message


# ---- one renewal at a time


def test_threads_that_need_a_first_token_share_one_login() -> None:
    gate = threading.Barrier(8)
    transport = FakeTransport({LOGIN: [pair(1)]})
    signed = tokens(transport, **PASSWORD)
    found: list[str] = []

    def work() -> None:
        gate.wait(5)
        found.append(signed.current())

    run_all([threading.Thread(target=work) for _number in range(8)])
    assert found == ["access-1"] * 8
    assert len(transport.calls) == 1


def test_threads_that_were_refused_with_the_same_token_share_its_successor() -> None:
    gate = threading.Barrier(8)
    transport = FakeTransport({LOGIN: [pair(2)]})
    signed = tokens(transport, access_token="old", **PASSWORD)
    found: list[str] = []

    def work() -> None:
        gate.wait(5)
        found.append(signed.replace("old"))

    run_all([threading.Thread(target=work) for _number in range(8)])
    assert found == ["access-2"] * 8
    assert len(transport.calls) == 1


def run_all(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# ---- errors

REFUSED = {**REFRESH, "access_token": "access-geheim"}
FORM = answer(b"access_token=access-geheim&refresh_token=refresh-geheim")
NO_PAIRS: list[Any] = [[], {}, {"access_token": ""}, {"token": "x"}, "x"]
REASONS = {
    "LoginDeactivated": "switched off",
    "Banned": "banned",
    "EmailUnconfirmed": "not confirmed",
    "Inactive": "not activated",
    "OnlySSOLoginAllowed": "sso_auth_code",
    "SomethingNew": "a reason that is not known here",
    "": "no reason given",
}


@pytest.mark.parametrize(
    ("given", "step", "error", "words"),
    [
        ({}, None, InvalidInput, ["username, password, client_id not given", "SEVENTHINGS_TOKEN"]),
        ({"username": "ada"}, None, InvalidInput, ["password, client_id not given"]),
        ({"username": "ada", "password": "pa55word-geheim"}, None, InvalidInput, [": client_id not given"]),
        ({"username": "ada", "client_id": "c"}, None, InvalidInput, [": password not given"]),
        ({"refresh_token": "refresh-geheim"}, None, InvalidInput, ["client_id"]),
        (REFRESH, refusal(401), InvalidInput, ["There is no access token", "refresh token was refused", "password"]),
        (REFUSED, refusal(401), InvalidInput, ["HTTP 401", "refresh token was refused", "password"]),
        (PASSWORD, refusal(404), InvalidInput, ["expected the root", "such as https://acme.test; cut /assets"]),
        *(
            (
                PASSWORD,
                refusal(status, "pa55word-geheim"),
                InvalidInput,
                ["as ada", "grant password", "client-7", WRONG],
            )
            for status in (400, 401)
        ),
        *((PASSWORD, refusal(403, reason), InvalidInput, ["is not allowed", why]) for reason, why in REASONS.items()),
        *((PASSWORD, answer(body), NotJson, ["the answer has no access_token"]) for body in NO_PAIRS),
        *((PASSWORD, answer(body), NotJson, ["the answer is empty"]) for body in (None, b"  ")),
        *((PASSWORD, step, NotJson, ["not JSON"]) for step in (FORM, answer(b"<html>pa55word-geheim</html>"))),
    ],
)
def test_a_login_that_fails_is_reported_without_a_secret(
    given: JsonMap, step: Any, error: type[SeventhingsError], words: list[str]
) -> None:
    transport = FakeTransport({LOGIN: step} if step else {})
    transport.root = "https://acme.test/assets"
    with pytest.raises(error) as caught:
        tokens(transport, **given).replace("access-geheim")
    assert not [word for word in words if word not in caught.value.message]
    shown = f"{caught.value} {caught.value.message} {caught.value!r}"
    assert not [secret for secret in (*SECRETS, "SomethingNew") if secret in shown]


def test_everything_secret_is_known_to_the_transport_before_it_is_sent() -> None:
    known: list[set[str]] = []
    transport = FakeTransport()

    def note(_call: Invocation) -> Response:
        known.append(set(transport.secrets))
        return pair(1)

    transport.routes[LOGIN] = note
    signed = tokens(transport, access_token="access-geheim", **{**PASSWORD, **REFRESH})
    signed.replace("access-geheim")
    signed.grant({"grant_type": "sso_auth_code", "auth_code": "code-geheim", "client_id": "c"})
    assert {"access-geheim", "refresh-geheim", "pa55word-geheim"} <= known[0]
    assert "code-geheim" in known[1]
    assert {"access-1", "refresh-1"} <= transport.secrets


# ---- revocation


def test_revoking_says_that_it_was_done() -> None:
    transport = FakeTransport({"DELETE /auth_token": answer(None, 204)})
    assert tokens(transport, access_token="mine").revoke() is True
    assert transport.calls[0].token == "mine"
    assert transport.calls[0].effect is Effect.IDEMPOTENT


def test_revoking_a_token_that_is_not_valid_any_more_does_nothing() -> None:
    transport = FakeTransport({"DELETE /auth_token": refusal(401)})
    assert tokens(transport, access_token="mine").revoke() is False
    assert transport.lines == ["DELETE /auth_token"]


def test_revoking_without_a_token_signs_in_first() -> None:
    transport = FakeTransport({LOGIN: pair(1), "DELETE /auth_token": answer(None, 204)})
    assert tokens(transport, **PASSWORD).revoke() is True
    assert transport.lines == [LOGIN, "DELETE /auth_token"]
    assert transport.calls[1].token == "access-1"


def test_after_revoking_a_new_login_is_needed() -> None:
    transport = FakeTransport({LOGIN: [pair(1), pair(2)], "DELETE /auth_token": answer(None, 204)})
    signed = tokens(transport, **PASSWORD)
    signed.revoke()
    assert signed.current() == "access-2"
    assert transport.calls[-1].body["grant_type"] == "password"
