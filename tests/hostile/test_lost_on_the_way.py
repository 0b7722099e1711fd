# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a proxy, TLS or an interim answer does to a request that was sent is never taken for a request that was not."""

from __future__ import annotations

import contextlib
import os
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme

from ansible_collections.community.seventhings.plugins.module_utils.client.attempts import Effect
from ansible_collections.community.seventhings.plugins.module_utils.client.connection import connect
from ansible_collections.community.seventhings.plugins.module_utils.client.transport import Transport
from ansible_collections.community.seventhings.plugins.module_utils.errors import (
    ConnectionFailed,
    InvalidRequest,
    OutcomeUnknown,
)

_CREATED = b"HTTP/1.1 201 Created\r\nLocation-UUID: 0b6f1f6e-30a1-4a3c-9b53-4d0f2f0f1c11\r\nContent-Length: 0\r\n\r\n"
_HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
_REFUSED = b'HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{"message":"no"}'
_NO_RECORD = b"\x17\x03\x03\x00\x20" + b"x" * 32
"""Bytes in the form of a record of TLS, which nobody can decrypt."""


class Wire:
    """A server, or a proxy and the server behind it, that takes whole requests and then does something else.

    :param end: answers a request: it gets the connection and the number of the request.
    :ivar taken: the first lines of the requests that arrived as a whole.
    """

    def __init__(self, authority: trustme.CA, end: Callable[[Any, int], None], is_tls: bool, lost: int = 0) -> None:
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("acme.test", "localhost").configure_cert(self.context)
        self._end, self._is_tls, self._lost = end, is_tls, lost
        self.taken: list[str] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            for number in range(50):
                connection, _address = self.listener.accept()
                with connection, contextlib.suppress(OSError):
                    if number >= self._lost:
                        self._hold(connection)

    def _hold(self, connection: Any) -> None:
        if self._is_tls and connection.recv(7, socket.MSG_PEEK) == b"CONNECT":
            _request_of(connection)
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        if self._is_tls:
            connection = self.context.wrap_socket(connection, server_side=True)
        while request := _request_of(connection):
            self.taken.append(request)
            self._end(connection, len(self.taken))


def _request_of(connection: Any) -> str:
    """Return the first line of the next request, after its body has arrived; empty at the end."""
    text = b""
    while b"\r\n\r\n" not in text:
        text += (more := connection.recv(65536))
        if not more:
            return ""
    head, _blank, body = text.partition(b"\r\n\r\n")
    lengths = [line.partition(b":")[2] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    while len(body) < int(lengths[0] if lengths else 0):
        body += connection.recv(65536)
    return head.decode().partition("\r\n")[0]


def _close(connection: Any, _number: int) -> None:
    connection.shutdown(socket.SHUT_RDWR)


def _break_tls(connection: Any, _number: int) -> None:
    os.write(connection.fileno(), _NO_RECORD)


def _create(connection: Any, _number: int) -> None:
    connection.sendall(_CREATED)


def _hint(connection: Any, _number: int) -> None:
    connection.sendall(_HINTS + _HINTS + _REFUSED)


@pytest.fixture
def wire(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., tuple[Wire, Transport]]]:
    """Return a function that starts a server, and returns it with a transport to it: direct, or through a proxy."""
    authority, started = trustme.CA(), list[Wire]()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))

    def start(end: Callable[[Any, int], None], way: str, lost: int = 0) -> tuple[Wire, Transport]:
        scheme, host = way.split()
        found = Wire(authority, end, scheme == "https", lost)
        started.append(found)
        if host == "proxy":
            monkeypatch.setenv(f"{scheme}_proxy", f"http://127.0.0.1:{found.port}")
        address = "acme.test" if host == "proxy" else f"localhost:{found.port}"
        options: dict[str, Any] = {
            "base_url": f"{scheme}://{address}",
            "access_token": "token-of-the-test",
            "rate_limit": 0,
        }
        tls = {"ca_path": str(tmp_path / "ca.pem")} if scheme == "https" else {}
        client = connect({**options, **tls, "tuning": {"allow_http": True, "retries": 2}})
        client.transport.sleep = lambda _seconds: None
        return found, client.transport

    yield start
    for one in started:
        one.listener.close()


@pytest.mark.parametrize(
    ("way", "end"),
    [
        ("http proxy", _close),
        ("https proxy", _close),
        ("https proxy", _break_tls),
        ("https direct", _close),
        ("https direct", _break_tls),
    ],
)
def test_a_creation_whose_answer_is_lost_has_an_unknown_outcome(
    wire: Any, way: str, end: Callable[[Any, int], None]
) -> None:
    service, transport = wire(end, way)
    lost: list[int] = []
    transport.on_lost = lambda *_arguments: lost.append(1)
    with pytest.raises(OutcomeUnknown, match="the outcome is unknown"):
        transport.request("POST", "/location", effect=Effect.UNSAFE, body={"name": "Depot"})
    assert len(service.taken) == 1
    assert lost


@pytest.mark.parametrize("way", ["http proxy", "https proxy", "https direct"])
def test_a_connection_that_closes_before_the_request_is_opened_again(wire: Any, way: str) -> None:
    service, transport = wire(_create, way, lost=1 if way != "http proxy" else 0)
    answer = transport.request("POST", "/location", effect=Effect.UNSAFE, body={"name": "Depot"})
    assert (answer.status, len(service.taken)) == (201, 1)


def test_a_certificate_of_somebody_else_ends_the_run_at_once(wire: Any) -> None:
    service, transport = wire(_create, "https direct")
    transport.root = transport.root.replace("localhost", "127.0.0.1")
    with pytest.raises(ConnectionFailed, match="the certificate of 127"):
        transport.request("POST", "/location", effect=Effect.UNSAFE, body={"name": "Depot"})
    assert (service.taken, transport.sent) == ([], 1)


def test_a_missing_client_certificate_ends_the_run_at_once(wire: Any) -> None:
    """In TLS 1.3, the other end refuses it after the request was sent."""
    service, transport = wire(_create, "https direct")
    service.context.verify_mode = ssl.CERT_REQUIRED
    with pytest.raises(ConnectionFailed, match="does it accept client_cert"):
        transport.request("GET", "/location")
    assert (service.taken, transport.sent) == ([], 1)


@pytest.mark.parametrize("way", ["http direct", "https direct"])
def test_an_interim_answer_is_not_the_answer(wire: Any, way: str) -> None:
    service, transport = wire(_hint, way)
    for number in (1, 2):
        with pytest.raises(InvalidRequest, match="HTTP 400"):
            transport.request("POST", "/location", effect=Effect.UNSAFE, body={"name": "Depot"})
        assert len(service.taken) == number
