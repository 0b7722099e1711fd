# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users created from persons, exactly one and only once; tokens for a play."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.client.attempts import Effect
from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.tokens import Tokens
from ansible_collections.community.seventhings.plugins.module_utils.errors import (
    Ambiguous,
    InvalidInput,
    NoMatch,
    OutcomeUnknown,
    SeventhingsError,
)
from ansible_collections.community.seventhings.plugins.module_utils.operations.accounts import (
    auth_token,
    user_from_person,
)
from ansible_collections.community.seventhings.plugins.module_utils.reconcile.result import Result
from ansible_collections.community.seventhings.plugins.module_utils.runtime.token_store import Credentials

from ..support import Clock, FakeTransport, JsonMap, answer, client_on, definition, listing, lost, refusal, uuid_of

CREATE = "POST /persons/create-user"


def person(number: int, email: str | None, **more: Any) -> JsonMap:
    return {"person_uuid": uuid_of(number), "id": number, "email": email, **more}


def user(number: int, email: str) -> JsonMap:
    return {"uuid": uuid_of(number), "id": number, "email": email, "firstname": "Ada"}


ADA = person(1, "Ada@Example.com", last_name="Lovelace", user_uuid=None)
BOB = person(2, "bob@example.com", last_name="Miller")


def service(persons: list[JsonMap], *users: list[JsonMap]) -> FakeTransport:
    """Return a service with these persons.

    Each read of the list of users returns the next list; the last list repeats.
    """
    answers = list(users) or [[]]
    return FakeTransport(
        {
            "GET /persons": listing(persons),
            "GET /users": lambda _call: answer({"items": answers.pop(0) if len(answers) > 1 else answers[0]}),
            CREATE: [answer(None, 201)],
            f"GET /person/{uuid_of(99)}": refusal(404),
            "GET /person/by-id/99": refusal(404),
            "GET /asset-tracking/person/field-definitions": answer([definition("email"), definition("last_name")]),
        }
    )


def make(
    transport: FakeTransport,
    who: Any = "ada@example.com",
    clock: Clock | None = None,
    check_mode: bool = False,
    **options: Any,
) -> Result:
    return user_from_person(
        client_on(transport, clock or Clock()), {"person": who, "filters": options.get("filters")}, check_mode
    )


# ---- exactly one person


@pytest.mark.parametrize(
    "who",
    [
        "Ada@Example.com",
        "ada@example.com",
        1,
        uuid_of(1),
        uuid_of(1).upper(),
        {"email": "ADA@example.com"},
        {"last_name": "Lovelace"},
        {"filters": {"last_name": {"like": ["Love"]}}},
        {"filters": {"id": 1}},
    ],
)
def test_a_person_becomes_a_user_by_the_e_mail_address_that_it_has(who: Any) -> None:
    transport = service([ADA, BOB], [], [user(9, "Ada@Example.com")])
    filters = who.get("filters") if isinstance(who, dict) else None
    report = make(transport, None if filters else who, filters=filters)
    assert report.changed
    assert report.uuid == uuid_of(9)
    assert report.diff == {"before": {}, "after": {"email": "Ada@Example.com"}}
    (call,) = [call for call in transport.calls if call.line == CREATE]
    assert call.body == {"filter": {"email": {"eq": "Ada@Example.com"}}}
    assert call.effect is Effect.UNSAFE


TWINS = [BOB, person(3, "c@example.com", last_name="Miller")]
NO_REFERENCES: list[Any] = [True, 0, "", [], {}, 1.5]
BOTH = r"bob@example\.com.*c@example\.com.*Expected exactly one; "


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(
    ("persons", "who", "filters", "error", "words"),
    [
        *(([ADA, BOB], who, None, NoMatch, "There is no person") for who in (99, uuid_of(99))),
        (TWINS, {"last_name": "Miller"}, None, Ambiguous, f"{uuid_of(2)}, {uuid_of(3)}. Expected exactly one; "),
        (TWINS, None, {"last_name": "Miller"}, Ambiguous, BOTH),
        (TWINS, None, {"email": {"not_null": True}}, Ambiguous, BOTH),
        *(
            ([BOB, person(3, other)], 2, None, Ambiguous, "e-mail address")
            for other in ("bob@example.com", "BOB@EXAMPLE.COM", "Bob@Example.com")
        ),
        *(([person(1, email)], 1, None, InvalidInput, "no e-mail address") for email in (None, "")),
        *(([ADA], who, None, InvalidInput, "^person: ") for who in NO_REFERENCES),
    ],
)
def test_anything_but_one_person_with_an_address_is_an_error_and_nothing_is_sent(
    persons: list[JsonMap], who: Any, filters: Any, error: type[Exception], words: str, check_mode: bool
) -> None:
    transport = service(persons)
    with pytest.raises(error, match=words):
        make(transport, who, filters=filters, check_mode=check_mode)
    assert transport.writes == []


def test_an_unknown_field_of_a_person_is_an_error() -> None:
    with pytest.raises(NoMatch, match=r"last_nmae: no such field"):
        make(service([ADA]), {"last_nmae": "x"})


def test_the_nearest_addresses_are_named() -> None:
    with pytest.raises(NoMatch, match=r"The nearest are 'bob@example\.com'"):
        make(service([ADA, BOB]), "bob@exmaple.com")


# ---- a person who has a user


def test_a_person_whose_user_is_linked_is_unchanged() -> None:
    transport = service([{**ADA, "user_uuid": uuid_of(9)}])
    transport.routes[f"GET /user/{uuid_of(9)}"] = answer(user(9, "other@example.com"))
    report = make(transport)
    assert (report.changed, report.uuid) == (False, uuid_of(9))
    assert report.diff == {"before": {}, "after": {}}
    assert transport.writes == []


@pytest.mark.parametrize("address", ["Ada@Example.com", "ada@example.com", "ADA@EXAMPLE.COM"])
@pytest.mark.parametrize("check_mode", [True, False])
def test_a_person_whose_address_a_user_has_is_unchanged(address: str, check_mode: bool) -> None:
    transport = service([ADA], [user(9, address)])
    assert not make(transport, check_mode=check_mode).changed
    assert transport.writes == []


def test_a_link_to_a_deleted_user_does_not_count() -> None:
    transport = service([{**ADA, "user_uuid": uuid_of(9)}], [], [user(10, "Ada@Example.com")])
    transport.routes[f"GET /user/{uuid_of(9)}"] = refusal(404)
    assert make(transport).changed


# ---- never sent twice


@pytest.mark.parametrize("attempt", [1, 2, 3])
def test_after_a_lost_answer_the_user_is_looked_for_at_0_1_and_4_seconds(attempt: int, clock: Clock) -> None:
    transport = service([ADA], *[[] for _number in range(attempt)], [user(9, "ada@example.com")])
    transport.routes[CREATE] = [lost()]
    report = make(transport, clock=clock)
    assert report.changed
    assert report.uuid == uuid_of(9)
    assert clock.now - 1000 == {1: 0, 2: 1, 3: 4}[attempt]
    assert transport.count(CREATE) == 1


def test_a_lost_answer_without_a_user_is_an_error_and_not_sent_again(clock: Clock) -> None:
    transport = service([ADA], [])
    transport.routes[CREATE] = [lost(500)]
    with pytest.raises(OutcomeUnknown) as caught:
        make(transport, clock=clock)
    assert "was not sent again" in caught.value.message
    assert transport.count(CREATE) == 1
    assert clock.now - 1000 == 4


@pytest.mark.parametrize("status", [400, 403, 404, 406])
def test_a_refusal_is_reported(status: int) -> None:
    transport = service([ADA])
    transport.routes[CREATE] = [refusal(status)]
    with pytest.raises(SeventhingsError, match=f"HTTP {status}"):
        make(transport)


def test_a_user_that_does_not_appear_is_an_error() -> None:
    with pytest.raises(SeventhingsError, match="does not show one"):
        make(service([ADA], []))


# ---- check mode


def test_check_mode_predicts_the_user_and_sends_nothing() -> None:
    transport = service([ADA])
    report = make(transport, check_mode=True)
    assert report.changed
    assert report.diff == {"before": {}, "after": {"email": "Ada@Example.com"}}
    assert transport.writes == []


# ---- tokens for a play

PAIR: JsonMap = {
    "access_token": "access-1",
    "refresh_token": "refresh-1",
    "expires_in": 3600,
    "token_type": "Bearer",
    "scope": None,
    "user_id": 17,
}
OPTIONS: JsonMap = {"state": "present", "grant_type": "password", "client_id": "c"}


def ask(transport: FakeTransport, check_mode: bool = False, **options: Any) -> JsonMap:
    given = {**OPTIONS, **options}
    client = Client(transport, Tokens(transport, Credentials(access_token=given.get("access_token"))))
    return auth_token(client, given, check_mode)


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(
    ("grant", "members"),
    [
        ("password", {"username": "ada", "password": "p"}),
        ("refresh_token", {"refresh_token": "r"}),
        ("sso_auth_code", {"provider_name": "azure", "auth_code": "x"}),
        ("sso_auth_code", {"provider_name": "azure", "auth_code": "x", "app_target": "web"}),
    ],
)
def test_each_grant_sends_its_members_and_is_never_a_change_in_check_mode_too(
    grant: str, members: JsonMap, check_mode: bool
) -> None:
    transport = FakeTransport({"POST /auth_token": [answer(PAIR)]})
    assert ask(transport, check_mode, grant_type=grant, **members) == {"changed": False, **PAIR}
    assert transport.calls[0].body == {"grant_type": grant, "client_id": "c", **members}
    assert transport.calls[0].login


@pytest.mark.parametrize(
    ("options", "missing"),
    [
        ({}, "username, password"),
        ({"username": "ada"}, "password"),
        ({"client_id": None, "username": "ada", "password": "p"}, "client_id"),
        ({"grant_type": "refresh_token"}, "refresh_token"),
        ({"grant_type": "sso_auth_code"}, "provider_name, auth_code"),
    ],
)
def test_what_a_grant_misses_is_named_before_anything_is_sent(options: JsonMap, missing: str) -> None:
    with pytest.raises(InvalidInput, match=f"needs {missing}, which is not given"):
        ask(FakeTransport(), **options)


def test_credentials_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("USERNAME", "ada"), ("PASSWORD", "p"), ("CLIENT_ID", "env")):
        monkeypatch.setenv(f"SEVENTHINGS_{name}", value)
    transport = FakeTransport({"POST /auth_token": [answer(PAIR)]})
    ask(transport, client_id=None)
    assert transport.calls[0].body["client_id"] == "env"


@pytest.mark.parametrize(("step", "changed"), [(answer(None, 204), True), (refusal(401), False)])
def test_revoking_is_a_change_unless_the_token_was_not_valid_any_more(step: Any, changed: bool) -> None:
    transport = FakeTransport({"DELETE /auth_token": [step]})
    assert ask(transport, state="absent", access_token="mine") == {"changed": changed}


@pytest.mark.parametrize(("step", "changed"), [(answer({"items": []}), True), (refusal(401), False)])
def test_check_mode_revokes_nothing_and_predicts_the_change(step: Any, changed: bool) -> None:
    transport = FakeTransport({"GET /users": [step]})
    assert ask(transport, True, state="absent", access_token="mine") == {"changed": changed}
    assert transport.writes == []
