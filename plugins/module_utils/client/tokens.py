# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Access tokens: the three grants, renewal, revocation (section 5 of the interface)."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeGuard
from urllib.parse import urlsplit

from ..ansible_compat import register_secrets
from ..errors import AccessTokenRefused, InvalidInput, InvalidRequest, NotFound, NotJson, PermissionMissing
from ..runtime.token_store import Credentials, Pair, TokenStore
from .attempts import Effect
from .transport import Response, Transport

PATH = "/auth_token"

#: What a login with each grant gives, beside the client id.
_CREDENTIALS = {
    "password": ("user name", "password"),
    "refresh_token": ("refresh token",),
    "sso_auth_code": ("provider name", "code"),
}
_REASONS = {
    "LoginDeactivated": "login is switched off for now",
    "Banned": "the user is banned",
    "EmailUnconfirmed": "the e-mail address is not confirmed yet",
    "Inactive": "the user is not activated",
    "OnlySSOLoginAllowed": "the user signs in by SSO only: use the grant sso_auth_code, or a token created with it",
}

#: Members of the answer to a login that are returned.
_LOGIN_MEMBERS = ("access_token", "refresh_token", "expires_in", "token_type", "scope", "user_id")

_UNKNOWN_REASON = "the instance names a reason that is not known here, and its answer to a login is not shown"

#: The characters of a token that a header can carry (RFC 6750), and their maximum number.
_TOKEN = re.compile(r"[\x21-\x7e]{1,16384}")
#: Minimum length of a credential that is masked in data. A shorter one may well be a word that a record needs.
_SHORTEST_SECRET = 8
_RENEW_BEFORE = 60.0
#: Seconds, beyond the time for the rate limit, that another process may take to renew a pair.
_OTHERS_SECONDS = 60.0


class Tokens:
    """The access token of one user at one instance, renewed when needed, by one thread at a time.

    :param store: where the processes of this user share the pair; None: each keeps its own.
    :ivar user_id: the user who signed in; None before a login, or if only an access token was given.
    """

    def __init__(
        self,
        transport: Transport,
        credentials: Credentials,
        clock: Callable[[], float] = time.monotonic,
        store: TokenStore | None = None,
    ) -> None:
        self._store = store or TokenStore(None, transport.root, credentials)
        self._transport = transport
        self._given = credentials
        self._clock = clock
        self._access = credentials.access_token
        self._refresh = credentials.refresh_token
        self._renew_at: float | None = None
        self._refresh_refused = False
        self.user_id: int | None = None
        self._lock = threading.Lock()
        self._secrets: set[str] = set()
        self._note(credentials.access_token, credentials.refresh_token, credentials.password)
        if credentials.access_token and not is_token(credentials.access_token):
            raise InvalidInput(f"access_token: the value is not a token; {CARRIED}")

    def current(self) -> str:
        """Return a valid token. Renew it if less than min(60 s, a tenth of its life) is left."""
        with self._lock:
            due = self._renew_at is not None and self._clock() >= self._renew_at
            return self._renew() if self._access is None or due else self._access

    @property
    def secrets(self) -> frozenset[str]:
        """Return every credential that was given or granted. No output shows them, whichever record contains them."""
        return frozenset(secret for secret in self._secrets if len(secret) >= _SHORTEST_SECRET)

    def _note(self, *secrets: str | None) -> None:
        """Remember credentials, so that no output shows them."""
        noted = {secret for secret in secrets if secret}
        self._secrets |= noted
        self._transport.secrets |= noted
        register_secrets(secret for secret in noted if len(secret) >= _SHORTEST_SECRET)

    @property
    def is_given(self) -> bool:
        """Return True if the token is the token that the user gave.

        Only the service knows whether such a token is valid.
        """
        return self._access is not None and self._access == self._given.access_token

    def replace(self, refused: str) -> str:
        """Return a new token after ``refused`` was answered with 401.

        Threads with the same refused token share its successor.
        """
        with self._lock:
            return self._renew(refused) if self._access is None or self._access == refused else self._access

    def _renew(self, refused: str | None = None) -> str:
        """Return another token: a token that another process received meanwhile, else a new token.

        :param refused: the token that is no longer valid.
        """
        with self._store.renewing(self._transport.rate_limit_wait + _OTHERS_SECONDS):
            kept = self._store.read()
            # The file may be corrupt: a line end in a token would be quoted in an error about a header.
            if kept is not None and is_token(kept.access_token) and is_token(kept.refresh_token or kept.access_token):
                self._note(kept.access_token, kept.refresh_token)
                self._refresh = kept.refresh_token or self._refresh
                if kept.access_token == refused:
                    self._store.clear()
                elif kept.is_fresh(self._clock()):
                    self._access, self._renew_at, self.user_id = kept.access_token, kept.renew_at, kept.user_id
                    return kept.access_token
            return self._sign_in()

    def _sign_in(self) -> str:
        given = self._given
        if self._refresh and given.client_id:
            try:
                return self._granted("refresh_token", refresh_token=self._refresh)
            except (AccessTokenRefused, InvalidRequest, PermissionMissing, InvalidInput):
                self._refresh = None
                self._refresh_refused = True
        if given.username and given.password and given.client_id:
            return self._granted("password", username=given.username, password=given.password)
        raise InvalidInput(self._why_not())

    def _why_not(self) -> str:
        """Return why nobody can sign in, and what helps."""
        why = "The access token was refused (HTTP 401: expired, revoked or never valid)"
        if self._refresh_refused:
            why = f"{why if self._access else 'There is no access token'}, and the refresh token was refused too"
        elif self._access or self._given.access_token:
            why += " and there is nothing to renew it with"
        else:
            missing = [name for name in ("username", "password", "client_id") if not getattr(self._given, name)]
            why = f"No way to sign in: {', '.join(missing)} not given"
        return (
            f"{why}. Give username, password and client_id, or a fresh refresh_token with client_id, or a new "
            "access_token: as options, or in the environment as SEVENTHINGS_USERNAME, SEVENTHINGS_PASSWORD, "
            "SEVENTHINGS_CLIENT_ID, SEVENTHINGS_REFRESH_TOKEN and SEVENTHINGS_TOKEN. The module "
            "community.seventhings.auth_token creates a new pair."
        )

    def _granted(self, grant: str, **members: str) -> str:
        return str(self.grant({"grant_type": grant, **members, "client_id": self._given.client_id})["access_token"])

    def grant(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Request a token pair with one of the three grants and keep it.

        :param body: as section 5 shows it.
        :returns: access_token, refresh_token, expires_in (seconds), token_type, scope, user_id.
        :raises InvalidInput: if the service refuses the login; the message names user and reason, never a secret.
        """
        self._note(*(body.get(name) for name in ("password", "refresh_token", "auth_code")))
        who = f"as {body['username']} " if body.get("username") else ""
        client = body.get("client_id")
        how = f"{who}with the grant {body['grant_type']} and the client_id {client} at {self._transport.root}"
        try:
            # Repeating a login is harmless: it only creates another pair of tokens.
            answer = self._transport.request("POST", PATH, body=body, login=True, check=Response.require_body)
        except (AccessTokenRefused, InvalidRequest) as error:
            self._store.clear()
            given = ", ".join(_CREDENTIALS[str(body["grant_type"])])
            raise InvalidInput(
                f"Signing in {how} failed: {given} or client id not accepted (HTTP {error.status}). The answer of the "
                "service to a login is not shown."
            ) from error
        except NotFound as error:
            raise InvalidInput(_no_login_at(self._transport.root)) from error
        except PermissionMissing as error:
            self._store.clear()
            other = _UNKNOWN_REASON if error.words else "no reason given"
            raise InvalidInput(f"Signing in {how} is not allowed: {_REASONS.get(error.words, other)}.") from error
        pair = answer.json()
        if not isinstance(pair, Mapping) or not pair.get("access_token"):
            raise NotJson(f"Signing in {how}: the answer has no access_token.")
        access, refresh, life = pair["access_token"], pair.get("refresh_token") or self._refresh, pair.get("expires_in")
        if not is_token(access) or not (refresh is None or is_token(refresh)):
            raise NotJson(f"Signing in {how}: the answer has a token of an unknown form ({CARRIED}).")
        self._access, self._refresh = access, refresh
        self._note(self._access, self._refresh)
        self.user_id = pair.get("user_id")
        self._renew_at = None
        if isinstance(life, (int, float)) and life > 0:
            self._renew_at = self._clock() + life - min(_RENEW_BEFORE, life / 10)
        self._keep(body, access)
        return {name: pair.get(name) for name in _LOGIN_MEMBERS}

    def _keep(self, body: Mapping[str, Any], access: str) -> None:
        """Share a pair if it was granted to the account of the store."""
        given = (self._given.username, self._given.password)
        is_its_own = body["grant_type"] == "refresh_token" or (body.get("username"), body.get("password")) == given
        if body["grant_type"] != "sso_auth_code" and is_its_own:
            self._store.keep(Pair(access, self._refresh, self._renew_at, self.user_id, self._clock()))

    def revoke(self) -> bool:
        """Revoke every token of the user.

        Return False if the token was no longer valid and nothing was revoked. A token that another process left behind
        is replaced first.
        """
        is_given = self.is_given
        token = self.current()
        try:
            self._revoke(token)
        except AccessTokenRefused:
            if is_given:
                return False
            self._revoke(self.replace(token))
        return True

    def _revoke(self, token: str) -> None:
        try:
            self._transport.request("DELETE", PATH, effect=Effect.IDEMPOTENT, token=token)
        finally:
            self._store.forget(token)
        self._access = self._refresh = None


CARRIED = "expected at most 16384 printable ASCII characters, no space and no line end"


def is_token(value: Any) -> TypeGuard[str]:
    """Return True if a value is a token that can be sent."""
    return isinstance(value, str) and _TOKEN.fullmatch(value) is not None


def _no_login_at(root: str) -> str:
    """Return the message that nobody can sign in at a root (404)."""
    parts = urlsplit(root)
    example = f"{parts.scheme}://{parts.netloc}; cut {parts.path}" if parts.path else "https://acme.seventhings.com"
    return f"base_url: nobody can sign in at {root} (HTTP 404); expected the root of an instance, such as {example}"
