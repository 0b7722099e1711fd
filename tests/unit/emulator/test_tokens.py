# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Section 5 of the interface: tokens."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from .bodies import NOBODY, JsonMap, asset, without
from .judge import Operation, operations
from .support import Api, Steering

GUARDED = [operation for operation in operations() if operation.needs_token]
PATH_VALUES = {"identifier": "1", "personId": "1", "userId": "1", "barcode": "X", "template": "asset"}


def path_of(operation: Operation) -> str:
    """Return a well-formed path of a record that need not exist."""
    path = operation.path.removeprefix("/customer-api/v1")
    for name in operation.path_parameters:
        path = path.replace(f"{{{name}}}", PATH_VALUES.get(name, NOBODY))
    return path


def named(operation: Operation) -> str:
    return operation.id


# grants


def test_ping_needs_no_token(api: Api) -> None:
    response = api.get("", headers={"Authorization": None})
    assert response.status_code == 200
    assert response.json()["status"] == "OK"


def test_ping_with_a_bad_token(api: Api) -> None:
    assert api.get("", token="nonsense").status_code == 200


def test_password_grant(api: Api) -> None:
    response = api.grant(grant_type="password", username=api.about["username"], password=api.about["password"])
    assert response.status_code == 200
    tokens = response.json()
    assert {"access_token", "expires_in", "token_type", "refresh_token", "user_id"} <= set(tokens)
    assert tokens["token_type"] == "Bearer"
    assert tokens["expires_in"] == 3600
    assert isinstance(tokens["user_id"], int)
    assert tokens["access_token"] != tokens["refresh_token"]
    assert api.get(f"/user/by-id/{tokens['user_id']}", token=tokens["access_token"]).json()["id"] == tokens["user_id"]


def test_every_grant_gives_new_tokens(api: Api) -> None:
    first = dict(api.tokens)
    second = api.sign_in()
    assert first["access_token"] != second["access_token"]
    assert first["refresh_token"] != second["refresh_token"]
    assert api.get("/users", token=first["access_token"]).status_code == 200


def test_password_grant_as_a_form(api: Api) -> None:
    fields = {"grant_type": "password", "username": api.about["username"], "password": api.about["password"]}
    response = api.session.post(
        api.url("/auth_token"), data={**fields, "client_id": api.about["client_id"]}, timeout=30
    )
    assert response.status_code == 200
    assert api.get("/users", token=response.json()["access_token"]).status_code == 200


def test_refresh_grant_as_a_form(api: Api) -> None:
    fields = {"grant_type": "refresh_token", "refresh_token": api.tokens["refresh_token"]}
    response = api.session.post(
        api.url("/auth_token"), data={**fields, "client_id": api.about["client_id"]}, timeout=30
    )
    assert response.status_code == 200


def test_single_sign_on_is_not_for_forms(api: Api, steering: Steering) -> None:
    fields = {
        "grant_type": "sso_auth_code",
        "client_id": api.about["client_id"],
        **steering.call("POST", "/sso-codes", {}),
    }
    assert api.session.post(api.url("/auth_token"), data=fields, timeout=30).status_code == 400


def bodies(api: Api) -> dict[str, JsonMap]:
    client = {"client_id": api.about["client_id"]}
    who = {"username": api.about["username"], "password": api.about["password"]}
    return {
        "password": {"grant_type": "password", **who, **client},
        "refresh_token": {"grant_type": "refresh_token", "refresh_token": api.tokens["refresh_token"], **client},
        "sso_auth_code": {"grant_type": "sso_auth_code", **api.steering.call("POST", "/sso-codes", {}), **client},
    }


def send(api: Api, body: Any) -> requests.Response:
    return api.session.post(api.url("/auth_token"), json=body, timeout=30)


@pytest.mark.parametrize("grant", ["password", "refresh_token", "sso_auth_code"])
def test_every_grant_has_the_same_answer(api: Api, grant: str) -> None:
    response = send(api, bodies(api)[grant])
    assert response.status_code == 200
    tokens = response.json()
    assert {"access_token", "expires_in", "token_type", "refresh_token", "user_id"} <= set(tokens)
    assert api.get("/objects", "per_page=1", token=tokens["access_token"]).status_code == 200


MISSING = [
    ("password", "username"),
    ("password", "password"),
    ("password", "client_id"),
    ("refresh_token", "refresh_token"),
    ("refresh_token", "client_id"),
    ("sso_auth_code", "provider_name"),
    ("sso_auth_code", "auth_code"),
    ("sso_auth_code", "client_id"),
]


@pytest.mark.parametrize(
    ("grant", "field"), [*MISSING, ("refresh_token", "grant_type"), ("sso_auth_code", "grant_type")]
)
def test_missing_field(api: Api, grant: str, field: str) -> None:
    body = bodies(api)[grant]
    del body[field]
    assert send(api, body).status_code == 400


@pytest.mark.parametrize("value", [None, 7, True, ["x"], {"x": "y"}], ids=repr)
@pytest.mark.parametrize(("grant", "field"), MISSING)
def test_field_of_another_type(api: Api, grant: str, field: str, value: Any) -> None:
    assert send(api, {**bodies(api)[grant], field: value}).status_code == 400


@pytest.mark.parametrize("field", ["username", "password"])
def test_empty_credentials(api: Api, field: str) -> None:
    assert send(api, {**bodies(api)["password"], field: ""}).status_code == 400


@pytest.mark.parametrize("grant", ["", "client_credentials", "PASSWORD", None, 1], ids=repr)
def test_unknown_grant(api: Api, grant: Any) -> None:
    assert send(api, {**bodies(api)["password"], "grant_type": grant}).status_code == 400


@pytest.mark.parametrize("body", [[], "text", 1, None, {}], ids=repr)
def test_body_that_is_no_grant(api: Api, body: Any) -> None:
    assert send(api, body).status_code == 400


@pytest.mark.parametrize(
    ("grant", "change"),
    [
        ("password", {"password": "wrong"}),
        ("password", {"username": "nobody@example.org"}),
        ("refresh_token", {"refresh_token": "wrong"}),
        ("sso_auth_code", {"auth_code": "wrong"}),
    ],
)
def test_wrong_secret(api: Api, grant: str, change: dict[str, str]) -> None:
    assert send(api, {**bodies(api)[grant], **change}).status_code == 401


@pytest.mark.parametrize("grant", ["password", "refresh_token", "sso_auth_code"])
def test_wrong_client(api: Api, grant: str) -> None:
    assert send(api, {**bodies(api)[grant], "client_id": "wrong"}).status_code in (400, 401)


# refreshing


def test_refresh_gives_a_working_pair(api: Api) -> None:
    renewed = api.grant(grant_type="refresh_token", refresh_token=api.tokens["refresh_token"]).json()
    assert renewed["access_token"] != api.tokens["access_token"]
    assert renewed["user_id"] == api.tokens["user_id"]
    assert api.get("/users", token=renewed["access_token"]).status_code == 200


def test_refresh_rotates(api: Api) -> None:
    renewed = api.grant(grant_type="refresh_token", refresh_token=api.tokens["refresh_token"]).json()
    assert renewed["refresh_token"] != api.tokens["refresh_token"]
    again = api.grant(grant_type="refresh_token", refresh_token=renewed["refresh_token"])
    assert again.status_code == 200


def test_refresh_of_an_access_token(api: Api) -> None:
    assert api.grant(grant_type="refresh_token", refresh_token=api.tokens["access_token"]).status_code == 401


def test_refresh_token_is_no_access_token(api: Api) -> None:
    assert api.get("/users", token=api.tokens["refresh_token"]).status_code == 401


def test_refresh_after_the_access_token_expired(api: Api, steering: Steering) -> None:
    steering.call("POST", "/tokens/expire", {"access_token": api.tokens["access_token"]})
    assert api.get("/users").status_code == 401
    renewed = api.grant(grant_type="refresh_token", refresh_token=api.tokens["refresh_token"])
    assert renewed.status_code == 200
    assert api.get("/users", token=renewed.json()["access_token"]).status_code == 200


# single sign-on


@pytest.mark.parametrize("target", ["web", "mobile"])
def test_single_sign_on_names_its_target(api: Api, target: str) -> None:
    assert send(api, {**bodies(api)["sso_auth_code"], "app_target": target}).status_code == 200


@pytest.mark.parametrize(
    "change",
    [{"app_target": "watch"}, {"provider_name": ""}, {"auth_code": ""}, {"redirect_uri": "x"}, {"username": "x"}],
    ids=str,
)
def test_single_sign_on_is_closed(api: Api, change: dict[str, str]) -> None:
    assert send(api, {**bodies(api)["sso_auth_code"], **change}).status_code == 400


def test_providers_have_any_name(api: Api, steering: Steering) -> None:
    given = steering.call("POST", "/sso-codes", {"provider_name": "keycloak-open-id-connect"})
    assert given["provider_name"] == "keycloak-open-id-connect"
    assert api.grant(grant_type="sso_auth_code", **{**given, "provider_name": "other"}).status_code == 401
    assert api.grant(grant_type="sso_auth_code", **given).status_code == 200


def test_code_works_once(api: Api) -> None:
    body = bodies(api)["sso_auth_code"]
    assert send(api, body).status_code == 200
    assert send(api, body).status_code == 401


# every other request


def test_without_a_token(api: Api) -> None:
    for operation in GUARDED:
        response = api.request(operation.method, path_of(operation), headers={"Authorization": None})
        assert "Authorization" not in response.request.headers
        assert response.status_code == 401, named(operation)
        assert response.json()["message"], named(operation)


def test_with_an_invalid_token(api: Api) -> None:
    for operation in GUARDED:
        response = api.request(operation.method, path_of(operation), token="0" * 40)
        assert response.status_code == 401, named(operation)


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", "{access_token}", "Token {access_token}"]
)
def test_header_of_another_form(api: Api, header: str) -> None:
    given = header.format(**api.tokens)
    assert api.get("/users", headers={"Authorization": given}).status_code == 401


def test_without_the_right(api: Api, steering: Steering) -> None:
    """A valid token without the right to the operation is answered with the permission error."""
    api.sign_in(**steering.user(rights=[]))
    for operation in GUARDED:
        if operation.id == "revokeTokens":
            continue
        response = api.request(
            operation.method, path_of(operation), **({"json": valid_body(operation)} if operation.has_body else {})
        )
        assert response.status_code == 403, named(operation)
        assert response.json()["message"], named(operation)


def valid_body(operation: Operation) -> Any:
    """Return a valid body: for the description, and for rules that it does not express."""
    rental = {
        "title": "R",
        "references": [asset(NOBODY)],
        "issue_date": "2031-01-01",
        "due_date": "2031-01-02",
        "responsible_user_uuid": NOBODY,
        "attachments": [],
    }
    found: dict[str, Any] = {
        "createPerson": {"fields": {"email": "a@example.org"}},
        "createRentalCase": rental,
        "replaceRentalCase": rental,
    }
    return found[operation.id] if operation.id in found else operation.least_body()


# the end of tokens


def test_revoke(api: Api) -> None:
    response = api.delete("/auth_token")
    assert response.status_code == 204
    assert response.content == b""
    assert api.get("/users").status_code == 401
    assert api.grant(grant_type="refresh_token", refresh_token=api.tokens["refresh_token"]).status_code == 401
    api.sign_in()
    assert api.get("/users").status_code == 200


def test_revoke_leaves_other_users_alone(api: Api, steering: Steering) -> None:
    other = Api(api.about, steering)
    other.sign_in(**steering.user())
    assert other.delete("/auth_token").status_code == 204
    assert other.get("/users").status_code == 401
    assert api.get("/users").status_code == 200


def test_life_of_an_access_token(api: Api, steering: Steering) -> None:
    steering.call("PUT", "/settings", {"access_token_seconds": 17})
    assert api.sign_in()["expires_in"] == 17


def test_unknown_keys_of_open_grants_do_no_harm(api: Api) -> None:
    assert send(api, without({**bodies(api)["password"], "scope": "all"})).status_code == 200


def test_tokens_have_a_realistic_length(api: Api) -> None:
    for name in ("access_token", "refresh_token"):
        token = api.tokens[name]
        assert token.startswith("eyJ0eXAiOiJKV1Qi")
        assert token.count(".") == 2
        assert 300 < len(token) < 1000
    assert api.tokens["access_token"] != api.tokens["refresh_token"]


def test_revoke_ends_what_was_refreshed_in_the_session(api: Api) -> None:
    first = api.tokens
    api.tokens = api.grant(grant_type="refresh_token", refresh_token=first["refresh_token"]).json()
    assert api.delete("/auth_token").status_code == 204
    for tokens in (first, api.tokens):
        assert api.get("/users", token=tokens["access_token"]).status_code == 401
        assert api.grant(grant_type="refresh_token", refresh_token=tokens["refresh_token"]).status_code == 401
