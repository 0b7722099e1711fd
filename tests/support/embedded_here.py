# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The embedded service in this process, without a server: a client of the collection talks to it by function calls."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any, cast
from urllib.parse import urlsplit

import requests
from project import ROOT

sys.path.insert(0, str(ROOT / "tests" / "emulator"))

from embedded.description import Description
from embedded.faults import rate_headers, too_many
from embedded.messages import Answer, Call, Upload
from embedded.service import Service
from embedded.startdata.credentials import CLIENT_ID, PASSWORD, USERNAME
from embedded.startdata.start import StartData
from embedded.steering.dump import dump
from embedded.store import Store
from embedded.switches import Weather

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.rate_limit import RateLimit
from ansible_collections.community.seventhings.plugins.module_utils.client.tokens import Credentials, Tokens
from ansible_collections.community.seventhings.plugins.module_utils.client.transport import Transport

ACCOUNT = {"username": USERNAME, "password": PASSWORD, "client_id": CLIENT_ID}
ROOT_URL = "http://embedded.invalid"
NOW = datetime(2031, 5, 31, 12, 0, tzinfo=UTC)
"""The time here. Rental cases of the start data are past their days."""


class Killed(BaseException):
    """The process is gone: nothing of it runs any more."""


class _Clock:
    """A clock that moves only when somebody sleeps."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


@cache
def _filled(data: str) -> Store:
    store = Store(":memory:")
    StartData(data).fill(store)
    return store


@cache
def _document() -> dict[str, Any]:
    return Description(Weather()).document


@dataclass
class Embedded:
    """An instance on start data.

    :ivar log: method and path of each request.
    :ivar kill_at: number of the request at which the client is killed; negative: after the request was carried out.
    :ivar refuse_at: number of the request that comes too early.
    """

    service: Service
    log: list[tuple[str, str]] = field(default_factory=list)
    kill_at: int = 0
    refuse_at: int = 0

    @classmethod
    def started(cls, sides: Mapping[str, str] | None = None, data: str = "demo") -> Embedded:
        store = Store(":memory:")
        store.copy_from(_filled(data))
        service = Service(store, Weather(sides or {}), clock=lambda: NOW)
        # Read once for all: nobody changes it.
        service.description.document = _document()
        return cls(service)

    def dump(self, canonical: bool = True) -> Any:
        """The state of the instance."""
        return dump(self.service.store, self.service.templates, canonical=canonical)

    def client(self, **account: str) -> Client:
        """A client that signs in here."""
        clock = _Clock()
        transport = _Direct(ROOT_URL, sleep=clock.sleep, rate=RateLimit(0, clock.now, clock.sleep))
        transport.session = _Session(self)
        credentials = Credentials(None, None, *({**ACCOUNT, **account}[name] for name in ACCOUNT))
        return Client(transport, Tokens(transport, credentials))

    def answer(self, call: Call) -> Answer:
        """One request, as the server carries it out."""
        self.log.append((call.method, call.path))
        if self.kill_at == len(self.log):
            raise Killed
        if self.refuse_at == len(self.log):
            return too_many(1, self.service.weather["retry_after"])
        answer = self.service.answer(call)
        if self.service.weather["rate_headers"] == "given":
            answer.headers.update(rate_headers(None))
        if self.kill_at == -len(self.log):
            raise Killed
        return answer


class _Direct(Transport):
    """A transport whose requests are function calls."""

    session: _Session

    def _open(self) -> Any:
        return self.session


@dataclass
class _Session:
    embedded: Embedded

    def request(self, method: str, url: str, **options: Any) -> _Answered:
        parts = urlsplit(url)
        headers = {name.lower(): value for name, value in options["headers"].items()}
        bearer = options["auth"].token
        if bearer:
            headers["authorization"] = f"Bearer {bearer}"
        files = options["files"] and {
            name: Upload(given, media, content) for name, (given, content, media) in options["files"].items()
        }
        if files:
            headers["content-type"] = "multipart/form-data"
        call = Call(method, parts.path, parts.query, headers, options["data"] or b"", ROOT_URL, files)
        return _Answered(self.embedded.answer(call), headers)


class _Answered:
    """An answer as the library gives it."""

    def __init__(self, answer: Answer, sent: Mapping[str, str]) -> None:
        media = {"Content-Type": answer.media} if answer.media else {}
        self.status_code = answer.status
        self.headers = requests.structures.CaseInsensitiveDict({**answer.headers, **media})
        self.request = cast(Any, requests.PreparedRequest())
        self.request.headers = requests.structures.CaseInsensitiveDict(sent)
        self._body = io.BytesIO(answer.body)

    def iter_content(self, size: int) -> Iterator[bytes]:
        while chunk := self._body.read(size):
            yield chunk

    def __enter__(self) -> _Answered:
        return self

    def __exit__(self, *_error: object) -> None:
        return None


def texts_in(value: Any) -> Iterator[str]:
    """All texts in a structure, keys too."""
    if isinstance(value, Mapping):
        for key, member in value.items():
            yield str(key)
            yield from texts_in(member)
    elif isinstance(value, list):
        for member in value:
            yield from texts_in(member)
    elif value is not None and not isinstance(value, bool):
        yield value if isinstance(value, str) else json.dumps(value)
