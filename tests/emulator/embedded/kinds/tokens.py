# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Signing in and out (interface section 5), and the ping."""

from __future__ import annotations

import base64
import json
import secrets
from datetime import datetime
from typing import Any

from ..context import Context, User, new_uuid
from ..messages import Answer, Refusal, answer_json, no_content
from ..router import Route
from ..startdata.credentials import CLIENT_ID
from ..store import Store

_HEADER = {"typ": "JWT", "alg": "RS256"}
_SIGNATURE_BYTES = 256
_REFRESH_SECONDS = 30 * 24 * 3600
_MOST_TOKENS = 10_000


def ping(_context: Context) -> Answer:
    return answer_json({"status": "OK", "description": "seventhings API is ready"})


def grant(context: Context) -> Answer:
    """Handle POST /auth_token: password, refresh token or single sign-on code. All three return a token pair."""
    body = context.body
    if body["client_id"] != CLIENT_ID:
        raise _denied(context)
    grants = {"password": _by_password, "refresh_token": _by_refresh_token, "sso_auth_code": _by_code}
    user_id, session = grants[body["grant_type"]](context, body)
    refusal = context.store.value("SELECT refusal FROM user WHERE id = ?", (user_id,))
    if refusal and not (refusal == "OnlySSOLoginAllowed" and body["grant_type"] == "sso_auth_code"):
        raise Refusal(403, refusal, key="login")
    return answer_json(_new_pair(context, user_id, session))


def revoke(context: Context) -> Answer:
    """Handle DELETE /auth_token: revoke the tokens of one session, or of all sessions of the user."""
    column, value = "user_id", context.user.id
    if context.weather["revoke"] == "session":
        token = _bearer(context.call.headers.get("authorization", ""))
        column, value = "session", context.store.value("SELECT session FROM access_token WHERE token = ?", (token,))
    for table in ("access_token", "refresh_token"):
        context.store.run(f"DELETE FROM {table} WHERE {column} = ?", (value,))
    return no_content()


def _bearer(authorization: str) -> str:
    """Return the token of an ``Authorization: Bearer`` header, or an empty text without one."""
    scheme, _space, token = authorization.strip().partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def user_of_token(store: Store, authorization: str, now: datetime) -> User:
    """Return the user of an ``Authorization: Bearer`` header. Raise a 401 if the token is invalid."""
    row = store.row(
        "SELECT user.* FROM access_token JOIN user ON user.id = user_id WHERE token = ? AND expires > ?",
        (_bearer(authorization), now.timestamp()),
    )
    if row is None:
        raise Refusal(401, "The access token is missing or invalid")
    return User(
        id=row["id"],
        uuid=row["uuid"],
        email=row["email"],
        firstname=row["firstname"] or "",
        lastname=row["lastname"] or "",
        rights=frozenset(json.loads(row["rights"])),
        hidden_fields=frozenset(json.loads(row["hidden_fields"])),
        locations=None if row["locations"] is None else frozenset(json.loads(row["locations"])),
    )


def _by_password(context: Context, body: dict[str, Any]) -> tuple[int, str]:
    """Return the id of the user who signs in with a password, and a new session."""
    row = context.store.row(
        "SELECT id, password FROM user WHERE username = ? OR lower(email) = lower(?) ORDER BY username = ? DESC",
        (body["username"],) * 3,
    )
    if row is None or row["password"] is None or not _same(row["password"], body["password"]):
        raise _denied(context)
    return int(row["id"]), new_uuid()


def _by_refresh_token(context: Context, body: dict[str, Any]) -> tuple[int, str]:
    """Return the user and the session of a refresh token, which the caller replaces.

    By default the old token is accepted once more, for a client whose answer was lost.
    """
    token = body["refresh_token"]
    row = context.store.row("SELECT user_id, session, uses FROM refresh_token WHERE token = ?", (token,))
    if row is None or context.weather["refresh_token"] == "refuse":
        raise _denied(context)
    if row["uses"] or context.weather["refresh_rotation"] == "single_use":
        context.store.run("DELETE FROM refresh_token WHERE token = ?", (token,))
    else:
        context.store.run("UPDATE refresh_token SET uses = uses + 1 WHERE token = ?", (token,))
    return int(row["user_id"]), str(row["session"])


def _by_code(context: Context, body: dict[str, Any]) -> tuple[int, str]:
    found = context.store.value(
        "SELECT user_id FROM sso_code WHERE auth_code = ? AND provider_name = ?",
        (body["auth_code"], body["provider_name"]),
    )
    if found is None:
        raise _denied(context)
    context.store.run("DELETE FROM sso_code WHERE auth_code = ?", (body["auth_code"],))
    return int(found), new_uuid()


def _new_pair(context: Context, user_id: int, session: str) -> dict[str, Any]:
    lifetime = context.service.settings.access_token_seconds
    moment = context.moment.timestamp()
    access, refresh = (_new_token(user_id, moment, seconds) for seconds in (lifetime, _REFRESH_SECONDS))
    context.store.run("DELETE FROM access_token WHERE expires < ?", (moment,))
    for table in ("access_token", "refresh_token"):
        # A client that signs in for every request must not fill the database.
        context.store.run(f"DELETE FROM {table} WHERE rowid <= (SELECT max(rowid) FROM {table}) - {_MOST_TOKENS}")
    owner = {"user_id": user_id, "session": session}
    context.store.insert("access_token", {**owner, "token": access, "expires": moment + lifetime})
    context.store.insert("refresh_token", {**owner, "token": refresh, "uses": 0})
    return {
        "access_token": access,
        "expires_in": lifetime,
        "token_type": "Bearer",
        "scope": None,
        "refresh_token": refresh,
        "user_id": user_id,
    }


def _new_token(user_id: int, moment: float, seconds: int) -> str:
    """Return a random token that looks real: three parts in base64, several hundred characters."""
    payload = {"jti": new_uuid(), "sub": str(user_id), "iat": int(moment), "exp": int(moment) + seconds}
    parts = [json.dumps(part, separators=(",", ":")).encode() for part in (_HEADER, payload)]
    signed = [*parts, secrets.token_bytes(_SIGNATURE_BYTES)]
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in signed)


def _denied(context: Context) -> Refusal:
    """Return the refusal of wrong credentials: a 401 without a body."""
    if context.weather["wrong_password"] == "bad_request":
        return Refusal(400, "The credentials are wrong")
    return Refusal(401, "The credentials are wrong", silent=True)


def _same(text: str, other: str) -> bool:
    return secrets.compare_digest(text.encode(), other.encode())


ROUTES = (
    Route("GET", "", ping, None, signed_in=False),
    Route("POST", "/auth_token", grant, None, signed_in=False),
    Route("DELETE", "/auth_token", revoke, None),
)
