# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later
"""Determine how often a refresh token can be used. A separate login is used, so that no other token is touched."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.client.attempts import Effect
from ansible_collections.community.seventhings.plugins.module_utils.client.tokens import PATH
from ansible_collections.community.seventhings.plugins.module_utils.errors import ServiceError

from .evidence import Evidence
from .exchange import Answer, Asker

_ROTATION = "refresh_rotation"


def observe_session(asker: Asker, evidence: Evidence, account: Mapping[str, Any]) -> None:
    """Sign in once more, and use the refresh token of that login twice.

    :param account: username, password and client_id, as far as known.
    """
    if not all(account.get(name) for name in ("username", "password", "client_id")):
        return
    client = {"client_id": account["client_id"]}
    signed_in = _granted(asker, {"grant_type": "password", **{name: account[name] for name in _BY_PASSWORD}, **client})
    pair = signed_in.json()
    token = pair.get("refresh_token") if isinstance(pair, Mapping) else None
    if not isinstance(token, str):
        evidence.cannot("refresh_token", "a login gives no refresh token")
        evidence.cannot(_ROTATION, "a login gives no refresh token")
        return
    request = f"POST {PATH}"
    body = {"grant_type": "refresh_token", "refresh_token": token, **client}
    asker.transport.secrets.add(token)
    granted = _granted(asker, body)
    if not granted.is_good:
        evidence.cannot(_ROTATION, "refresh tokens are refused")
        if _is_refused(granted):
            evidence.observe("refresh_token", "refuse", request)
        else:
            evidence.odd("refresh_token", f"{request}: HTTP {granted.status}")
        return
    evidence.observe("refresh_token", "accept", request)
    again = _granted(asker, body)
    if again.is_good or _is_refused(again):
        evidence.observe(_ROTATION, "once_more" if again.is_good else "single_use", request)
    else:
        evidence.odd(_ROTATION, f"{request}: HTTP {again.status}")


def _is_refused(answer: Answer) -> bool:
    return answer.is_refusal or answer.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


_BY_PASSWORD = ("username", "password")


def _granted(asker: Asker, body: Mapping[str, Any]) -> Answer:
    number = len(asker.answers)
    try:
        asker.transport.request("POST", PATH, body=body, effect=Effect.IDEMPOTENT, login=True)
    except ServiceError:
        if len(asker.answers) == number:
            raise
    return asker.answers[-1]
