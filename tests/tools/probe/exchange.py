# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later
"""Send requests of a probe, accept any answer, and refuse what the tier does not allow."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.client.attempts import Effect
from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.limits import LimitExceeded, decode_json
from ansible_collections.community.seventhings.plugins.module_utils.client.transport import Transport
from ansible_collections.community.seventhings.plugins.module_utils.errors import (
    FEATURE_OFF_MESSAGE,
    NotJson,
    OutcomeUnknown,
    ServiceError,
    WriteRefused,
)

MOST_LOOKS = 80
"""Maximum number of requests of the tier look, logins and retries included."""


_LONGEST_HEADER = 1000


@dataclass(frozen=True)
class Answer:
    """One answer, whatever its status.

    :ivar headers: found by names in upper or lower case.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    is_login: bool = False

    @property
    def is_good(self) -> bool:
        return self.status < HTTPStatus.MULTIPLE_CHOICES

    @property
    def is_refusal(self) -> bool:
        """Return True if the service rejects the request as wrong, not as forbidden."""
        return self.status in (HTTPStatus.BAD_REQUEST, HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY)

    @property
    def is_absent(self) -> bool:
        """Return True if the instance does not have this path, or its module is switched off."""
        is_off = self.status == HTTPStatus.FORBIDDEN and FEATURE_OFF_MESSAGE.encode() in self.body
        return is_off or self.status in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)

    def in_short(self) -> Answer:
        """Keep only what is needed later: shortened headers, and the text of an error."""
        headers = {name.lower(): value for name, value in self.headers.items() if len(name + value) <= _LONGEST_HEADER}
        return replace(self, headers=headers, body=b"" if self.is_good else self.body)

    def json(self) -> Any:
        """Return the decoded body, or None if there is none or it is not JSON."""
        try:
            return decode_json(self.body)
        except (ValueError, json.JSONDecodeError):
            return None


class SpentAll(Exception):
    """Raised if the tier allows no more requests."""


@dataclass
class Asker:
    """Send requests to one instance.

    :ivar gets_only: refuse everything but GETs and a login.
    :ivar most: maximum number of requests; 0 for no limit.
    :ivar answers: all answers.
    """

    client: Client
    gets_only: bool
    most: int = 0
    answers: list[Answer] = field(default_factory=list)
    on_send: Callable[[], None] = lambda: None

    @property
    def transport(self) -> Transport:
        return self.client.transport

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Record all answers of the client, and have it refuse what is not allowed, inside the block."""
        transport = self.transport
        before = transport.gate, transport.on_answer
        sent = transport.sent

        def gate(method: str, login: bool) -> None:
            if self.gets_only and method != "GET" and not login:
                raise WriteRefused(f"{method}: not sent, because this tier only reads.")
            if self.most and transport.sent - sent >= self.most:
                raise SpentAll
            self.on_send()

        def on_answer(endpoint: str, status: int, headers: Mapping[str, str], body: bytes) -> None:
            if self.answers:
                # The caller has the whole answer. Keeping eighty of them would take more than a gigabyte.
                self.answers[-1] = self.answers[-1].in_short()
            self.answers.append(Answer(status, headers, body, endpoint.endswith("/auth_token")))

        transport.gate, transport.on_answer = gate, on_answer
        try:
            yield
        finally:
            transport.gate, transport.on_answer = before

    def get(self, path: str, pairs: Sequence[tuple[str, str]] = (), once: bool = False) -> Answer:
        """Return the answer to a GET, errors included.

        :param once: never repeat it, whatever the answer.
        :raises SpentAll: if no more requests are allowed.
        :raises SeventhingsError: if there was no answer.
        """
        return self._ask("GET", path, Effect.UNSAFE if once else Effect.SAFE, pairs=pairs)

    def write(self, method: str, path: str, body: Any = None, **options: Any) -> Answer:
        """Return the answer to a request that may change something. Send it once.

        :raises OutcomeUnknown: if there was no answer.
        """
        return self._ask(method, path, Effect.UNSAFE, body=body, **options)

    def _ask(self, method: str, path: str, effect: Effect, **options: Any) -> Answer:
        number = len(self.answers)
        try:
            self.client.send(method, path, effect, **options)
        except (ServiceError, NotJson, OutcomeUnknown, LimitExceeded):
            # An error is an answer like any other, if there was an answer.
            if len(self.answers) == number:
                raise
        return self.answers[-1]
