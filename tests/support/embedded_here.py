# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The embedded service in this process, without a server: a client of the collection talks to it by function calls."""

from __future__ import annotations

import io
import json
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Self, cast
from urllib.parse import urlsplit

import requests
from emulator_process import Emulator
from instance_site import Site, short
from project import ROOT

sys.path.insert(0, str(ROOT / "tests" / "emulator"))

from embedded.clock import Clock
from embedded.description import Description
from embedded.faults import RateLimit as ServiceLimit
from embedded.faults import too_many
from embedded.gateway import Exchange, Gateway
from embedded.messages import Answer, Call, Upload
from embedded.service import Service
from embedded.startdata.credentials import CLIENT_ID, PASSWORD, USERNAME
from embedded.startdata.start import StartData
from embedded.steering.calls import ADMIN, Steering
from embedded.steering.dump import dump
from embedded.store import Store
from embedded.switches import Weather

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import (
    MODULES,
    Invocation,
    run_module,
)
from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.rate_limit import RateLimit
from ansible_collections.community.seventhings.plugins.module_utils.client.tokens import Tokens
from ansible_collections.community.seventhings.plugins.module_utils.client.transport import Transport
from ansible_collections.community.seventhings.plugins.module_utils.runtime.token_store import Credentials
from ansible_collections.community.seventhings.plugins.plugin_utils.action.arguments import read_arguments
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import DesiredInstance
from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult

ACCOUNT = {"username": USERNAME, "password": PASSWORD, "client_id": CLIENT_ID}
ROOT_URL = "http://embedded.invalid"
NOW = datetime(2031, 5, 31, 12, 0, tzinfo=UTC)
"""The time at which every instance starts. The rental cases of the start data are over by then."""
_START = 1000.0


class Killed(BaseException):
    """Raised to simulate that the process is killed."""


@cache
def _filled(data: str) -> Store:
    store = Store(":memory:")
    StartData(data).fill(store)
    return store


@cache
def _description() -> Description:
    description = Description(Weather())
    # Read the file before anybody shares it.
    assert description.switches
    return description


@dataclass
class Embedded:
    """An instance with start data.

    :ivar gateway: the part in front of it: faults, the rate limit, the log of requests.
    :ivar clock: moves only when a client sleeps, or waits for an answer.
    :ivar log: method and path of each request.
    :ivar kill_at: number of the request at which the client is killed; negative: after the request was carried out.
    """

    service: Service
    gateway: Gateway
    clock: Clock
    log: list[tuple[str, str]] = field(default_factory=list)
    kill_at: int = 0
    refuse_at: int = 0
    _mutex: threading.RLock = field(default_factory=threading.RLock)

    @classmethod
    def started(cls, sides: Mapping[str, str] | None = None, data: str = "demo", store: Store | None = None) -> Self:
        """Start an instance on start data, or on a copy of a store."""
        source, store = store or _filled(data), Store(":memory:")
        store.copy_from(source)
        clock = Clock(lambda: _START, lambda: NOW)
        service = Service(store, Weather(sides or {}), clock)
        service.description = _description().in_weather(service.weather)
        return cls(service, Gateway(service), clock)

    def fault(self, fault: str, **rule: Any) -> None:
        """Add a rule for a fault."""
        self.gateway.faults.add({"fault": fault, **rule})

    def limit(self, per_minute: int) -> None:
        """Limit the number of requests a minute. All of them may be sent at once."""
        self.gateway.rate_limit = ServiceLimit(per_minute, per_minute, self.clock)

    def set(self, **settings: Any) -> None:
        """Change settings of the instance, as the steering call does."""
        self.service.change(settings)

    def steer(self, method: str, path: str, body: Any) -> Any:
        """Make a call of the steering interface. Return its answer."""
        call = Call(method, ADMIN + path, "", {}, json.dumps(body).encode(), ROOT_URL)
        answer = Steering(self.gateway, StartData("empty")).answer(call)
        assert answer.status == 200, answer.body
        return json.loads(answer.body)

    def requests(self) -> list[dict[str, Any]]:
        """Return the log of requests, oldest first, like the steering call."""
        self.gateway.settle()
        entries: list[dict[str, Any]] = json.loads(self.gateway.journal.as_json())
        return entries

    def dump(self, canonical: bool = True) -> Any:
        """Return the state of the instance."""
        self.gateway.settle()
        return dump(self.service.store, self.service.templates, canonical=canonical)

    def client(self, **account: str) -> Client:
        """Return a client that signs in here."""
        clock = self.clock
        transport = _Direct(ROOT_URL, sleep=clock.forward, rate=RateLimit(0, clock.now, clock.forward))
        transport.session = _Session(self)
        credentials = Credentials(None, None, *({**ACCOUNT, **account}[name] for name in ACCOUNT))
        return Client(transport, Tokens(transport, credentials))

    def call(self, module: str, check_mode: bool = False, diff_mode: bool = False, **options: Any) -> dict[str, Any]:
        """Run a module of the collection in this process. Return its result."""
        client = self.client()
        client.transport.read_only = check_mode
        written = {"base_url": ROOT_URL, **ACCOUNT, **options}
        given = read_arguments(module, MODULES[module].spec, MODULES[module].rules, written)
        invocation = Invocation(given.options, given.written, check_mode, diff_mode)
        return run_module(module, invocation, lambda _options, _check: client)

    def site(self, root: Path) -> SiteHere:
        """Return a directory of files that is applied to this instance."""
        return SiteHere(root, self)

    def answer(self, call: Call, timeout: float) -> tuple[Exchange, Answer]:
        """Answer one request as the server does, for a client with a timeout in seconds."""
        self.log.append((call.method, call.path))
        if self.kill_at == len(self.log):
            raise Killed
        exchange = self.gateway.take(call)
        if self.refuse_at == len(self.log):
            return exchange, too_many(1, self.service.weather["retry_after"])
        if exchange.latency > timeout:
            # The client gives up, but the request is still pending.
            self.gateway.later(exchange.arrived + exchange.latency, lambda: self.gateway.answer(exchange))
            self.clock.forward(timeout)
            raise requests.exceptions.ReadTimeout(f"read timed out after {timeout:g} seconds")
        self.clock.forward(exchange.latency)
        answer = self.gateway.answer(exchange)
        if self.kill_at == -len(self.log):
            raise Killed
        if answer is None:
            raise requests.exceptions.ConnectionError("connection reset by peer")
        return exchange, answer


class SiteHere(Site):
    """A directory of files, and an instance in this process."""

    def __init__(self, root: Path, embedded: Embedded) -> None:
        super().__init__(root, Emulator(ROOT_URL, **ACCOUNT, admin_url=""))
        self.embedded = embedded

    def client(self, read_only: bool = False) -> Client:
        client = self.embedded.client()
        client.transport.read_only = read_only
        return client

    def run(self, desired: DesiredInstance | None = None, **order: Any) -> RunResult:
        """Plan or apply the files. Pauses only move the clock of the instance."""
        return super().run(desired, **{"sleep": self.embedded.clock.forward, **order})

    def sent(self) -> list[str]:
        return [f"{method} {short(path)}" for method, path in self.embedded.log]

    def dump(self) -> Any:
        return self.embedded.dump()


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
        # The server also carries out one request at a time.
        with self.embedded._mutex:
            exchange, answer = self.embedded.answer(call, options["timeout"][1])
        return _Answered(answer, headers, is_half=exchange.fault == "half_body")


class _Answered:
    """An answer in the form of the library.

    :param is_half: the connection breaks in the middle of the body.
    """

    def __init__(self, answer: Answer, sent: Mapping[str, str], is_half: bool) -> None:
        media = {"Content-Type": answer.media} if answer.media else {}
        self.status_code = answer.status
        self.headers = requests.structures.CaseInsensitiveDict({**answer.headers, **media})
        self.request = cast(Any, requests.PreparedRequest())
        self.request.headers = requests.structures.CaseInsensitiveDict(sent)
        self._is_half = is_half
        self._body = io.BytesIO(answer.body[: len(answer.body) // 2] if is_half else answer.body)

    def iter_content(self, size: int) -> Iterator[bytes]:
        while chunk := self._body.read(size):
            yield chunk
        if self._is_half:
            raise requests.exceptions.ChunkedEncodingError("connection broken: incomplete read")

    def __enter__(self) -> _Answered:
        return self

    def __exit__(self, *_error: object) -> None:
        return None


def texts_in(value: Any) -> Iterator[str]:
    """Return all texts in a structure, keys included."""
    if isinstance(value, Mapping):
        for key, member in value.items():
            yield str(key)
            yield from texts_in(member)
    elif isinstance(value, list):
        for member in value:
            yield from texts_in(member)
    elif value is not None and not isinstance(value, bool):
        yield value if isinstance(value, str) else json.dumps(value)
