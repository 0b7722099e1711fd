# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``/_emulator``: read the requests, turn switches, inject faults, restore the start data."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qs

from ..context import internal_context, new_uuid
from ..faults import BadRule, RateLimit
from ..gateway import Gateway
from ..kinds.mails import all_mails
from ..kinds.scans import scan
from ..kinds.users import insert_user
from ..messages import JSON, Answer, Call, Refusal, answer_json, parse_json
from ..settings import Settings
from ..startdata.start import StartData
from ..switches import UnknownSide
from .drawing import drawn
from .dump import dump
from .guard import check_steering
from .rights import checked_locations, checked_rights, hidden_fields

ADMIN = "/_emulator"
_PROVIDER = "azure-open-id-connect"
_REFUSALS = ("LoginDeactivated", "Banned", "EmailUnconfirmed", "Inactive", "OnlySSOLoginAllowed")


class Steering:
    """The steering calls. They need no token and are not in the log."""

    def __init__(self, gateway: Gateway, start: StartData) -> None:
        self.gateway = gateway
        self.service = gateway.service
        self.faults = gateway.faults
        self.journal = gateway.journal
        self.start = start
        self._calls: Mapping[tuple[str, str], Callable[[Any, dict[str, list[str]]], Any]] = {
            ("GET", "/requests"): lambda _body, _query: Answer(200, self.journal.as_json(), JSON),
            ("DELETE", "/requests"): self._clear_requests,
            ("GET", "/switches"): lambda _body, _query: self.service.weather.as_json(),
            ("PUT", "/switches"): self._set_switches,
            ("GET", "/faults"): lambda _body, _query: self.faults.as_json(),
            ("PUT", "/faults"): self._replace_faults,
            ("POST", "/faults"): self._add_fault,
            ("DELETE", "/faults"): lambda _body, _query: self._replace_faults([], {}),
            ("GET", "/rate-limit"): self._rate_limit,
            ("PUT", "/rate-limit"): self._set_rate_limit,
            ("POST", "/forward"): self._forward,
            ("POST", "/draw"): self._draw,
            ("POST", "/users"): self._add_user,
            ("POST", "/sso-codes"): self._add_code,
            ("POST", "/scan"): self._scan,
            ("POST", "/tokens/expire"): self._expire,
            ("GET", "/settings"): self._settings,
            ("PUT", "/settings"): self._set_settings,
            ("POST", "/reset"): self._reset,
            ("GET", "/dump"): self._dump,
            ("GET", "/mails"): lambda _body, _query: all_mails(self.service.store),
        }

    def answer(self, call: Call) -> Answer:
        try:
            check_steering(call)
        except Refusal as foreign:
            return answer_json({"message": foreign.message}, foreign.status)
        path = call.path.removeprefix(ADMIN).rstrip("/")
        handler = self._calls.get((call.method, path))
        if handler is None:
            known = sorted(f"{method} {ADMIN}{request}" for method, request in self._calls)
            return answer_json({"message": f"There is no {call.method} {call.path}", "calls": known}, 404)
        try:
            self.gateway.settle()
            body = parse_json(call.body) if call.body.strip() else None
            answer = handler(body, parse_qs(call.query, keep_blank_values=True))
        except (BadRule, UnknownSide, Refusal) as problem:
            return answer_json({"message": str(problem)}, 400)
        return answer if isinstance(answer, Answer) else answer_json(answer)

    def _clear_requests(self, body: Any, query: dict[str, list[str]]) -> Any:
        self.journal.clear()
        return []

    def _set_switches(self, body: Any, query: dict[str, list[str]]) -> Any:
        if not isinstance(body, dict):
            raise BadRule('the switches are {"name": "side"}, or {"weather": "calm"}')
        self.service.weather.set(body)
        return self.service.weather.as_json()

    def _replace_faults(self, body: Any, query: dict[str, list[str]]) -> Any:
        self.faults.replace(body)
        if "seed" in query:
            self.faults.seed(query["seed"][0])
        return self.faults.as_json()

    def _add_fault(self, body: Any, query: dict[str, list[str]]) -> Any:
        self.faults.add(body)
        return self.faults.as_json()

    def _rate_limit(self, body: Any, query: dict[str, list[str]]) -> Any:
        return self.gateway.rate_limit and self.gateway.rate_limit.as_json()

    def _set_rate_limit(self, body: Any, query: dict[str, list[str]]) -> Any:
        self.gateway.rate_limit = RateLimit.from_json(body, self.gateway.clock)
        return self._rate_limit(None, {})

    def _forward(self, body: Any, query: dict[str, list[str]]) -> Any:
        """Put the clock of the gateway forward, and make the calls that are due then."""
        seconds = _object(body, "seconds").get("seconds")
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or seconds < 0:
            raise BadRule("seconds is a number from 0")
        self.gateway.clock.forward(seconds)
        self.gateway.settle()
        return {"seconds": seconds}

    def _draw(self, body: Any, query: dict[str, list[str]]) -> Any:
        """Draw the behaviour for a seed. It replaces all switches, faults and settings."""
        found = drawn(_object(body, "seed").get("seed", 0))
        self.service.weather.set(found["switches"])
        self.faults.replace(found["faults"])
        self.service.change({**Settings().as_json(), **found["settings"]})
        return found

    def _add_user(self, body: Any, query: dict[str, list[str]]) -> Any:
        """Add a user who can sign in. Every key is optional; without rights, the user may do everything."""
        given = _object(
            body,
            "username",
            "password",
            "email",
            "firstname",
            "lastname",
            "rights",
            "refusal",
            "hidden_fields",
            "hidden_groups",
            "locations",
        )
        username = given.get("username") or f"user-{secrets.token_hex(6)}"
        password = given.get("password") or secrets.token_hex(12)
        refusal = given.get("refusal")
        if refusal is not None and refusal not in _REFUSALS:
            raise BadRule(f"refusal is one of {', '.join(_REFUSALS)}")
        store, uuid = self.service.store, new_uuid()
        if store.value("SELECT 1 FROM user WHERE username = ?", (username,)):
            raise BadRule(f"there is already a user {username}")
        with store.transaction():
            number = insert_user(
                store,
                uuid=uuid,
                username=username,
                password=password,
                email=given.get("email") or f"{username}@users.invalid",
                firstname=given.get("firstname"),
                lastname=given.get("lastname"),
                rights=checked_rights(given.get("rights")),
                refusal=refusal,
                hidden_fields=hidden_fields(given, self.service.templates),
                locations=checked_locations(given.get("locations"), store),
            )
        return {"username": username, "password": password, "id": number, "uuid": uuid}

    def _add_code(self, body: Any, query: dict[str, list[str]]) -> Any:
        """Add a code of an identity provider, for the named user or the first user."""
        given = _object(body, "username", "provider_name")
        provider = given.get("provider_name") or _PROVIDER
        if not isinstance(provider, str):
            raise BadRule("provider_name is a text")
        store, code = self.service.store, secrets.token_hex(16)
        user = self._user_called(given.get("username"))["id"]
        with store.transaction():
            store.insert("sso_code", {"auth_code": code, "provider_name": provider, "user_id": user})
        return {"provider_name": provider, "auth_code": code}

    def _scan(self, body: Any, query: dict[str, list[str]]) -> Any:
        """Scan an object in a room, as people do with the application in a stocktake."""
        given = _object(body, "code", "room", "user")
        if not all(isinstance(given.get(name), str) for name in ("code", "room")):
            raise BadRule("code (the scan code of an object) and room (its uuid or Location/Number) are texts")
        user = self._user_called(given.get("user"))
        with self.service.store.transaction():
            return scan(internal_context(self.service, user, self.service.clock.moment()), given["code"], given["room"])

    def _user_called(self, name: Any) -> Any:
        """Return the row of a user by user name, e-mail address or uuid; of the first user if there is no name."""
        user = self.service.store.row(
            "SELECT * FROM user WHERE ?1 IS NULL OR ?1 IN (username, email, uuid) ORDER BY id", (name,)
        )
        if user is None:
            raise BadRule(f"there is no user {name}")
        return user

    def _expire(self, body: Any, query: dict[str, list[str]]) -> Any:
        """Expire one access token, or all of them if there is no body or its value is ``"all"``."""
        given = {} if body == "all" else _object(body, "access_token", "all")
        token = None if given.get("access_token") == "all" else given.get("access_token")
        with self.service.store.transaction():
            cursor = self.service.store.run(
                "UPDATE access_token SET expires = 0 WHERE ? IS NULL OR token = ?", (token, token)
            )
        return {"expired": cursor.rowcount}

    def _settings(self, body: Any, query: dict[str, list[str]]) -> Any:
        return self.service.settings.as_json()

    def _set_settings(self, body: Any, query: dict[str, list[str]]) -> Any:
        if not isinstance(body, dict):
            raise BadRule("the settings are a map of names to values")
        self.service.change(body)
        return self._settings(None, {})

    def _reset(self, body: Any, query: dict[str, list[str]]) -> Any:
        """Restore the start data, with all modules on and an empty log.

        Switches, faults, rate limit and token lifetimes stay unless ``calm`` is set. Users stay signed in unless
        ``sign_out`` is set.
        """
        given = {"sign_out": False, "calm": False, **_object(body, "sign_out", "calm")}
        for name, value in given.items():
            if not isinstance(value, bool):
                raise BadRule(f"{name} is true or false")
        if given["calm"]:
            self.service.weather.set({"weather": "calm"})
            self.faults.replace([])
            self.gateway.rate_limit = None
            self.service.change(Settings().as_json())
        self.service.change({"modules_off": []})
        self.gateway.forget()
        self.start.restore(self.service.store, given["sign_out"])
        self.service.templates.forget()
        self.service.replica.restart()
        self.journal.clear()
        return {"data": self.start.name}

    def _dump(self, body: Any, query: dict[str, list[str]]) -> Any:
        canonical = query.get("canonical", ["0"])[0] not in ("0", "", "false")
        state = dump(self.service.store, self.service.templates, canonical=canonical)
        return Answer(200, json.dumps(state, ensure_ascii=False, sort_keys=True).encode(), JSON)


def _object(body: Any, *keys: str) -> dict[str, Any]:
    if body is None:
        return {}
    if not isinstance(body, dict) or not set(body) <= set(keys):
        raise BadRule(f"the body is an object with {', '.join(keys)}")
    return body
