# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run the embedded service in this process, at an address of its own.

Requests of this process are function calls, which take a fraction of the time. Other processes use the network. So does
this process for requests in which the web server has a part: faults, and forms with files.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from unittest import mock
from urllib.parse import urlsplit

import requests
import urllib3
from emulator_process import Emulator
from project import ROOT

sys.path.insert(0, str(ROOT / "tests" / "emulator"))

from aiohttp import web
from embedded.gateway import Exchange, Gateway
from embedded.messages import Answer, Call, Refusal
from embedded.server import Server
from embedded.service import Service
from embedded.startdata.credentials import CLIENT_ID, PASSWORD, USERNAME
from embedded.startdata.start import StartData
from embedded.steering.calls import ADMIN, Steering
from embedded.store import Store
from embedded.switches import Weather

_HOST = "127.0.0.1"
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


class _Gateway(Gateway):
    """A gateway that carries out one request at a time, from any thread."""

    def __init__(self, service: Service) -> None:
        super().__init__(service)
        self.mutex = threading.RLock()

    def take(self, call: Call, problem: Refusal | None = None) -> Exchange:
        with self.mutex:
            return super().take(call, problem)

    def answer(self, exchange: Exchange) -> Answer | None:
        with self.mutex:
            return super().answer(exchange)

    def settle(self) -> None:
        with self.mutex:
            super().settle()


class _Steering(Steering):
    """The steering calls, which wait while a request is carried out."""

    gateway: _Gateway

    def answer(self, call: Call) -> Answer:
        with self.gateway.mutex:
            return super().answer(call)


@contextlib.contextmanager
def running_here(data: str = "demo") -> Iterator[Emulator]:
    """Yield a service on a free port. It runs only inside the block."""
    with contextlib.closing(Store(":memory:")) as store:
        start = StartData(data)
        start.fill(store)
        start.keep(store)
        gateway = _Gateway(Service(store, Weather()))
        server = Server(gateway, _Steering(gateway, start))
        with _listening(server) as base_url, _shortened(_Shortcut(server, base_url, os.getpid())):
            yield Emulator(base_url, USERNAME, PASSWORD, CLIENT_ID, base_url + ADMIN)


@contextlib.contextmanager
def _listening(server: Server) -> Iterator[str]:
    """Yield the address at which a thread answers requests."""
    loop = asyncio.new_event_loop()

    async def listen() -> web.ServerRunner:
        runner = web.ServerRunner(web.Server(server.handle, access_log=None), access_log=None, shutdown_timeout=1)
        await runner.setup()
        await web.TCPSite(runner, _HOST, 0).start()
        return runner

    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    runner = asyncio.run_coroutine_threadsafe(listen(), loop).result()
    try:
        server.base_url = f"http://{_HOST}:{runner.addresses[0][1]}"
        yield server.base_url
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@contextlib.contextmanager
def _shortened(shortcut: _Shortcut) -> Iterator[None]:
    """Let the HTTP sessions of this process use the shortcut."""
    usual = requests.Session.get_adapter

    def get_adapter(session: requests.Session, url: str) -> Any:
        found = usual(session, url)
        return _Adapter(shortcut, found) if url.startswith(shortcut.base_url) else found

    with mock.patch.object(requests.Session, "get_adapter", get_adapter):
        yield


@dataclass(frozen=True)
class _Shortcut:
    """The way to a service without the network.

    :ivar process: the process of the service, because a forked child has only a copy.
    """

    server: Server
    base_url: str
    process: int

    def leads_on(self, request: requests.PreparedRequest) -> bool:
        """Return True if the web server has no part in the answer to a request."""
        media = request.headers.get("Content-Type", "")
        return (
            os.getpid() == self.process
            and not self.server.gateway.faults.rules
            and request.method in _METHODS
            and isinstance(request.body, (bytes, str, type(None)))
            and not media.startswith("multipart/")
            and "Host" not in request.headers
            and "".join(request.headers.values()).isascii()
        )

    def answer(self, request: requests.PreparedRequest) -> Answer:
        """Answer a request as the server does."""
        path, _question, query = request.path_url.partition("#")[0].partition("?")
        headers = {name.lower(): value for name, value in request.headers.items()}
        headers["host"] = urlsplit(self.base_url).netloc
        body = request.body or b""
        content = body.encode() if isinstance(body, str) else body
        call = Call(request.method or "", path, query, headers, content, self.base_url)
        if path == ADMIN or path.startswith(f"{ADMIN}/"):
            return self.server.steering.answer(call)
        gateway = self.server.gateway
        answer = gateway.answer(gateway.take(call))
        assert answer is not None, "only a fault breaks a connection"
        return answer


class _Adapter:
    """An adapter that uses a shortcut if possible, else the network."""

    def __init__(self, shortcut: _Shortcut, usual: Any) -> None:
        self.shortcut = shortcut
        self.usual = usual

    def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:
        if not self.shortcut.leads_on(request):
            sent: requests.Response = self.usual.send(request, **options)
            return sent
        answer = self.shortcut.answer(request)
        headers = dict(answer.headers)
        if answer.media:
            headers["Content-Type"] = answer.media
        if answer.status != HTTPStatus.NO_CONTENT:
            headers["Content-Length"] = str(len(answer.body))
        raw = urllib3.HTTPResponse(
            io.BytesIO(answer.body),
            headers,
            answer.status,
            reason=HTTPStatus(answer.status).phrase,
            preload_content=False,
        )
        response: requests.Response = self.usual.build_response(request, raw)
        return response
