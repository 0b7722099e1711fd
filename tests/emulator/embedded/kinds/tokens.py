# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Signing in and out (interface section 5), and the ping."""

from __future__ import annotations

import json
import secrets
from datetime import datetime
from typing import Any

from ..context import Context, User
from ..messages import Answer, Refusal, answer_json, no_content
from ..router import Route
from ..startdata.credentials import CLIENT_ID
from ..store import Store

_LENGTH = 20
_MOST_TOKENS = 10_000


def ping(_context: Context) -> Answer:
    return answer_json({"status": "OK", "description": "seventhings API is ready"})


def grant(context: Context) -> Answer:
    """POST /auth_token: password, refresh token or single sign-on code. All three give the same pair."""
    body = context.body
    if body["client_id"] != CLIENT_ID:
        raise _denied(context)
    grants = {"password": _by_password, "refresh_token": _by_refresh_token, "sso_auth_code": _by_code}
    user_id = grants[body["grant_type"]](context, body)
    refusal = context.store.value("SELECT refusal FROM user WHERE id = ?", (user_id,))
    if refusal and not (refusal == "OnlySSOLoginAllowed" and body["grant_type"] == "sso_auth_code"):
        raise Refusal(403, refusal, key="login")
    return answer_json(_new_pair(context, user_id))


def revoke(context: Context) -> Answer:
    """DELETE /auth_token: every token of the user, access and refresh."""
    for table in ("access_token", "refresh_token"):
        context.store.run(f"DELETE FROM {table} WHERE user_id = ?", (context.user.id,))
    return no_content()


def user_of_token(store: Store, authorization: str, now: datetime) -> User:
    """The user behind an ``Authorization: Bearer`` header. Raises a 401."""
    scheme, _space, token = authorization.strip().partition(" ")
    row = None
    if scheme.lower() == "bearer" and token.strip():
        row = store.row(
            "SELECT user.* FROM access_token JOIN user ON user.id = user_id WHERE token = ? AND expires > ?",
            (token.strip(), now.timestamp()),
        )
    if row is None:
        raise Refusal(401, "The access token is missing or invalid")
    rights = frozenset(json.loads(row["rights"]))
    return User(row["id"], row["uuid"], row["email"], row["firstname"] or "", row["lastname"] or "", rights)


def _by_password(context: Context, body: dict[str, Any]) -> int:
    row = context.store.row(
        "SELECT id, password FROM user WHERE username = ? OR lower(email) = lower(?) ORDER BY username = ? DESC",
        (body["username"],) * 3,
    )
    if row is None or row["password"] is None or not _same(row["password"], body["password"]):
        raise _denied(context)
    return int(row["id"])


def _by_refresh_token(context: Context, body: dict[str, Any]) -> int:
    """The token is replaced by a new one; as a rule it stays valid once more, for a client whose answer was lost."""
    token = body["refresh_token"]
    row = context.store.row("SELECT user_id, uses FROM refresh_token WHERE token = ?", (token,))
    if row is None or context.weather["refresh_token"] == "refuse":
        raise _denied(context)
    if row["uses"] or context.weather["refresh_rotation"] == "single_use":
        context.store.run("DELETE FROM refresh_token WHERE token = ?", (token,))
    else:
        context.store.run("UPDATE refresh_token SET uses = uses + 1 WHERE token = ?", (token,))
    return int(row["user_id"])


def _by_code(context: Context, body: dict[str, Any]) -> int:
    found = context.store.value(
        "SELECT user_id FROM sso_code WHERE auth_code = ? AND provider_name = ?",
        (body["auth_code"], body["provider_name"]),
    )
    if found is None:
        raise _denied(context)
    context.store.run("DELETE FROM sso_code WHERE auth_code = ?", (body["auth_code"],))
    return int(found)


def _new_pair(context: Context, user_id: int) -> dict[str, Any]:
    lifetime = context.service.settings.access_token_seconds
    access, refresh = secrets.token_hex(_LENGTH), secrets.token_hex(_LENGTH)
    moment = context.moment.timestamp()
    context.store.run("DELETE FROM access_token WHERE expires < ?", (moment,))
    for table in ("access_token", "refresh_token"):
        # Whoever signs in for every request does not fill the database.
        context.store.run(f"DELETE FROM {table} WHERE rowid <= (SELECT max(rowid) FROM {table}) - {_MOST_TOKENS}")
    context.store.insert("access_token", {"token": access, "user_id": user_id, "expires": moment + lifetime})
    context.store.insert("refresh_token", {"token": refresh, "user_id": user_id, "uses": 0})
    return {
        "access_token": access,
        "expires_in": lifetime,
        "token_type": "Bearer",
        "scope": None,
        "refresh_token": refresh,
        "user_id": user_id,
    }


def _denied(context: Context) -> Refusal:
    """Wrong credentials: 401 without a body."""
    if context.weather["wrong_password"] == "bad_request":
        return Refusal(400, "The credentials are wrong")
    return Refusal(401, "The credentials are wrong", silent=True)


def _same(one: str, other: str) -> bool:
    return secrets.compare_digest(one.encode(), other.encode())


ROUTES = (
    Route("GET", "", ping, None, signed_in=False),
    Route("POST", "/auth_token", grant, None, signed_in=False),
    Route("DELETE", "/auth_token", revoke, None),
)
