# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Data for an instance goes nowhere else, and a disabled protection is reported."""

from __future__ import annotations

import html
import http.server
import json
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import playbook
import pytest
import trustme
from emulator_process import Emulator

from ansible_collections.community.seventhings.plugins.module_utils.client.connection import connect, risks_of
from ansible_collections.community.seventhings.plugins.module_utils.errors import SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS

PASSWORD = 'Pa"5\\5&<w>o/r d'
LOCATION = KINDS["location"]


class _Recorder(http.server.BaseHTTPRequestHandler):
    """Record everything that it receives, and echo it in every spelling."""

    got: list[str]
    status = 403

    def do_GET(self) -> None:
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        self.got.append(f"{self.command} {self.path} {self.headers} {sent}")
        spelled = [
            PASSWORD,
            json.dumps(PASSWORD),
            html.escape(PASSWORD),
            quote(PASSWORD),
            json.dumps(html.escape(PASSWORD)),
        ]
        body = json.dumps({"detail": " ".join(spelled)}).encode()
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_CONNECT = do_GET

    def log_message(self, format: str, *arguments: Any) -> None:
        """Print nothing."""


def _serve(status: int = 403) -> Iterator[tuple[str, list[str]]]:
    got: list[str] = []
    handler = type("Recorder", (_Recorder,), {"got": got, "status": status})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", got
        server.shutdown()
        thread.join()


@pytest.fixture
def proxy() -> Iterator[tuple[str, list[str]]]:
    yield from _serve()


@pytest.fixture
def service() -> Iterator[tuple[str, list[str]]]:
    yield from _serve()


def _sign_in(base_url: str, **options: Any) -> str:
    account = {
        "username": "ada",
        "password": PASSWORD,
        "client_id": "c",
        "tuning": {"retries": 0},
        "rate_limit": 0,
        "timeout": 5,
    }
    with pytest.raises(SeventhingsError) as caught:
        connect({"base_url": base_url, **account, **options}).list_all(LOCATION)
    return caught.value.message


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_an_instance_on_this_machine_is_never_asked_through_a_proxy(
    host: str, proxy: tuple[str, list[str]], service: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, proxy[0])
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_name, **_hints: [(2, 1, 6, "", ("127.0.0.1", _port(service)))])
    _sign_in(service[0].replace("127.0.0.1", host))
    assert (len(proxy[1]), len(service[1])) == (0, 1)


def _port(service: tuple[str, list[str]]) -> int:
    return int(service[0].rpartition(":")[2])


def test_a_refused_login_is_reported_without_a_word_of_the_answer(service: tuple[str, list[str]]) -> None:
    message = _sign_in(service[0])
    assert "Pa" not in message
    assert "a reason that is not known here" in message
    assert "ada" in message


def test_an_echo_hides_the_password_in_every_spelling() -> None:
    for url, _got in _serve(422):
        client = connect(
            {"base_url": url, "access_token": "token-of-the-test", "password": PASSWORD, "tuning": {"retries": 0}}
        )
        with pytest.raises(SeventhingsError) as caught:
            client.list_all(LOCATION)
        assert "HTTP 422" in caught.value.message
        assert "********" in caught.value.message
        assert "5" not in caught.value.message.partition("The service says")[2]


def test_lines_of_a_private_key_are_secrets_too(tmp_path: Path) -> None:
    pem = tmp_path / "client.pem"
    certificate = trustme.CA().issue_cert("ada.test")
    certificate.private_key_and_cert_chain_pem.write_to_path(str(pem))
    client = connect({"base_url": "https://acme.test", "access_token": "t", "client_cert": str(pem)})
    line = certificate.private_key_pem.bytes().decode().splitlines()[1]
    assert line not in client.transport.mask(f"echo {line}")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"base_url": "https://acme.test"}, []),
        ({"base_url": "http://127.0.0.1", "tuning": {"allow_http": True}}, []),
        ({"base_url": "http://acme.test", "tuning": {"allow_http": True}}, ["tuning.allow_http"]),
        (
            {"base_url": "HTTP://acme.test", "tuning": {"allow_http": True}, "validate_certs": False},
            ["validate_certs", "tuning.allow_http"],
        ),
    ],
)
def test_who_gives_up_a_protection_is_reported(options: dict[str, Any], expected: list[str]) -> None:
    assert [risk.partition(":")[0] for risk in risks_of(options)] == expected


def test_the_environment_never_allows_plain_http(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEVENTHINGS_ALLOW_HTTP", "true")
    with pytest.raises(SeventhingsError, match="not encrypted"):
        connect({"base_url": "http://acme.test", "access_token": "t"})


def test_a_run_reports_it_once(emulator: Emulator, tmp_path: Path) -> None:
    emulator.reset()
    (tmp_path / "acme.yml").write_text("locations: [{name: Mill}]\n", "utf-8")
    options = {**emulator.options(), "validate_certs": False}
    tasks = [
        {"community.seventhings.location_info": options, "loop": [1, 2]},
        {"community.seventhings.location_info": {**options, "tuning": {"execution": "module"}}},
        {"community.seventhings.instance": {**options, "desired": {"locations": []}}, "check_mode": True},
        {"ansible.builtin.debug": {"msg": "{{ lookup('community.seventhings.record', 'Mill', kind='location', **c) }}"},
         "vars": {"c": {**options, "missing": "skip"}}, "ignore_errors": True},
    ]  # fmt: skip
    run = playbook.run(tmp_path, [{"hosts": "localhost", "gather_facts": False, "tasks": tasks}])
    assert " ".join(run.output.split()).count("validate_certs: false: any certificate is accepted") == 1, run.output


@pytest.mark.parametrize("newest", [ssl.TLSVersion.TLSv1_1, ssl.TLSVersion.TLSv1_2])
def test_no_less_than_tls_1_2_is_spoken(newest: ssl.TLSVersion, tmp_path: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, newest
    authority.issue_cert("127.0.0.1").configure_cert(context)
    for url, got in _serve():
        with socket.create_server(("127.0.0.1", 0)) as listening:
            thread = threading.Thread(target=_answer_once, args=(context, listening))
            thread.start()
            secure = url.replace("http:", "https:").rpartition(":")[0] + f":{listening.getsockname()[1]}"
            message = _sign_in(secure, ca_path=str(tmp_path / "ca.pem"))
            thread.join()
        assert got == []
    assert ("is not allowed" in message) == (newest is ssl.TLSVersion.TLSv1_2)


def _answer_once(context: ssl.SSLContext, listening: socket.socket) -> None:
    connection, _address = listening.accept()
    try:
        with context.wrap_socket(connection, server_side=True) as stream:
            stream.recv(65536)
            stream.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
    except OSError:
        connection.close()
