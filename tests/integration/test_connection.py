# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Failing connections: each leads to one clear error with the problem, its place, and what was expected."""

from __future__ import annotations

import datetime as dt
import http.server
import ipaddress
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import steps
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from emulator_process import Emulator

from ansible_collections.community.seventhings.plugins.module_utils.client.connection import connect


@pytest.fixture
def service(emulator: Emulator) -> Emulator:
    emulator.reset()
    return emulator


@dataclass(frozen=True)
class Foreign:
    """A server that is not an instance: its answers, and the received requests."""

    url: str
    requests: list[str]
    authority: Path


class _Page(http.server.BaseHTTPRequestHandler):
    requests: list[str]
    status = 200
    more: tuple[tuple[str, str], ...] = ()

    def do_GET(self) -> None:
        self.requests.append(f"{self.command} {self.path} {self.headers.get('Authorization')}")
        body = b"<html><body>Welcome to our portal</body></html>"
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in self.more:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, format: str, *arguments: Any) -> None:
        """Print nothing."""


def _serve(
    directory: Path, secure: bool, status: int = 200, more: tuple[tuple[str, str], ...] = ()
) -> Iterator[Foreign]:
    requests: list[str] = []
    handler = type("Page", (_Page,), {"requests": requests, "status": status, "more": more})
    authority = directory / "authority.pem"
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        if secure:
            _make_certificate(authority, directory / "key.pem")
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(authority, directory / "key.pem")
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        scheme = "https" if secure else "http"
        yield Foreign(f"{scheme}://127.0.0.1:{server.server_address[1]}", requests, authority)
        server.shutdown()
        thread.join()


def _make_certificate(certificate: Path, key: Path) -> None:
    """Create a self-signed certificate for this machine."""
    secret = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = dt.datetime.now(dt.UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(secret.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(secret, hashes.SHA256())
    )
    certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    key.write_bytes(
        secret.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[Foreign]:
    yield from _serve(tmp_path, secure=False)


@pytest.fixture
def redirecting(tmp_path: Path) -> Iterator[Foreign]:
    yield from _serve(tmp_path, secure=False, status=302, more=(("Location", "https://elsewhere.example/login"),))


@pytest.fixture
def self_signed(tmp_path: Path) -> Iterator[Foreign]:
    yield from _serve(tmp_path, secure=True)


def error(**options: Any) -> str:
    """Return the message of a task that fails because of its connection."""
    done = steps.call("location_info", {"rate_limit": 0, **options})
    assert done.failed, done
    return str(done["msg"])


def test_no_base_url(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SEVENTHINGS_BASE_URL", "SEVENTHINGS_INSTANCE_URL"):
        monkeypatch.delenv(name, raising=False)

    assert "base_url is missing: expected the root of an instance" in error(access_token="x")


@pytest.mark.parametrize("url", ["acme.seventhings.com", "ftp://acme.seventhings.com", "https://", "https://[::1"])
def test_a_base_url_that_is_none(url: str) -> None:
    message = error(base_url=url, access_token="x")

    assert f"base_url: {url!r} is not the root of an instance" in message


def test_plain_http_to_another_machine() -> None:
    message = error(base_url="http://acme.example", access_token="x")

    assert "acme.example is not this machine and http is not encrypted" in message


def test_no_credentials(service: Emulator, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SEVENTHINGS_TOKEN", "SEVENTHINGS_USERNAME", "SEVENTHINGS_PASSWORD", "SEVENTHINGS_CLIENT_ID"):
        monkeypatch.delenv(name, raising=False)

    message = error(base_url=service.base_url, username="ada")

    assert "No way to sign in: password, client_id not given" in message


@pytest.mark.parametrize("side", ["unauthorized", "bad_request"])
@pytest.mark.parametrize("wrong", ["username", "password", "client_id"])
def test_wrong_credentials(service: Emulator, wrong: str, side: str) -> None:
    service.steer("PUT", "/switches", {"wrong_password": side})
    credentials = service.account()
    credentials[wrong] = "wrong-one"

    message = error(base_url=service.base_url, **credentials)

    assert f"Signing in as {credentials['username']} with the grant password" in message
    assert f"the client_id {credentials['client_id']} at {service.base_url} failed" in message
    assert "user name, password or client id not accepted" in message
    assert credentials["password"] not in message


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        ("Banned", "the user is banned"),
        ("Inactive", "the user is not activated"),
        ("OnlySSOLoginAllowed", "the user signs in by SSO only: use the grant sso_auth_code"),
        ("EmailUnconfirmed", "the e-mail address is not confirmed yet"),
        ("LoginDeactivated", "login is switched off for now"),
    ],
)
def test_a_login_that_is_not_allowed(service: Emulator, refusal: str, words: str) -> None:
    user = service.steer("POST", "/users", {"refusal": refusal})

    message = error(
        base_url=service.base_url,
        username=user["username"],
        password=user["password"],
        client_id=service.client_id,
    )

    assert "is not allowed" in message
    assert words in message


@pytest.mark.parametrize("suffix", ["", "/", "/customer-api/v1", "/customer-api/v1/"])
def test_what_may_follow_the_root_of_a_url(service: Emulator, suffix: str) -> None:
    options = {**steps.connection(service), "base_url": service.base_url + suffix}

    assert steps.call("location_info", options)["count"] == 4


def test_a_port_without_a_service_is_an_error() -> None:
    message = error(base_url="http://127.0.0.1:9", access_token="a-long-token", tuning={"retries": 1})

    assert "GET /customer-api/v1/locations: 127.0.0.1:9 can't be reached" in message
    assert "Is base_url right" in message


def test_a_name_that_does_not_exist() -> None:
    message = error(base_url="https://instance.invalid", access_token="a-long-token", tuning={"retries": 0})

    assert "instance.invalid can't be reached" in message


def test_something_else_answers(portal: Foreign) -> None:
    message = error(base_url=portal.url, access_token="a-long-token", tuning={"retries": 1})

    assert "HTTP 200, but the answer is not JSON; it starts with '<html><body>Welcome to our portal" in message
    assert "Is base_url the root of an instance" in message


def test_something_else_answers_a_login(portal: Foreign) -> None:
    message = error(
        base_url=portal.url, username="ada", password="a-long-password", client_id="x", tuning={"retries": 1}
    )

    assert "POST /customer-api/v1/auth_token" in message
    assert "the answer is not JSON" in message
    assert "a-long-password" not in message


def test_a_redirect_is_not_followed(redirecting: Foreign) -> None:
    message = error(base_url=redirecting.url, access_token="a-long-token")

    assert "HTTP 302, redirected to https://elsewhere.example/login" in message
    assert "Redirects are not followed" in message
    assert len(redirecting.requests) == 1


def test_a_certificate_that_nobody_vouches_for(self_signed: Foreign) -> None:
    message = error(base_url=self_signed.url, access_token="a-long-token")

    assert "the certificate of 127.0.0.1:" in message
    assert "was not accepted" in message
    assert "ca_path" in message
    assert self_signed.requests == []


@pytest.mark.filterwarnings("ignore:Unverified HTTPS request")
@pytest.mark.parametrize("how", ["ca_path", "validate_certs"])
def test_ways_to_accept_a_certificate(self_signed: Foreign, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the certificate bundle of the environment nor a netrc file is used."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/dev/null")
    options: dict[str, Any] = {"ca_path": str(self_signed.authority), "validate_certs": False}

    message = error(base_url=self_signed.url, access_token="a-long-token", tuning={"retries": 0}, **{how: options[how]})

    assert "the answer is not JSON" in message
    (request,) = self_signed.requests
    assert request.startswith("GET /customer-api/v1/locations?")
    assert request.endswith(" Bearer a-long-token")


def test_a_netrc_file_does_not_take_the_place_of_the_token(
    portal: Foreign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("default login ada password from-netrc\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))

    error(base_url=portal.url, access_token="a-long-token", tuning={"retries": 0})
    error(base_url=portal.url, username="ada", password="x", client_id="x", tuning={"retries": 0})

    assert [line.rpartition(" ")[2] for line in portal.requests] == ["a-long-token", "None"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"ca_path": "/gone/authority.pem"}, "/gone/authority.pem: no such file"),
        ({"client_cert": "/gone/cert.pem"}, "/gone/cert.pem: no such file"),
        ({"timeout": 0}, "timeout: 0.0 does not fit; expected seconds above 0"),
        ({"tuning": {"retries": -1}}, "retries: -1 does not fit; expected an integer, 0 or more"),
        ({"rate_limit": -5}, "rate_limit: -5 does not fit"),
        ({"timeout": "soon"}, "timeout"),
        ({"base_url": "https://ada:secret@acme.example"}, "base_url contains a user name or password"),
    ],
)
def test_options_that_cannot_be_right(service: Emulator, options: dict[str, Any], words: str) -> None:
    message = error(**{"base_url": service.base_url, "access_token": "x", **options})

    assert words in message
    assert "secret" not in message
    assert service.log() == []


def test_the_environment_is_in_for_options(service: Emulator, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in service.variables().items():
        monkeypatch.setenv(name, value)

    assert steps.call("location_info", {})["count"] == 4

    monkeypatch.delenv("SEVENTHINGS_BASE_URL")
    monkeypatch.setenv("SEVENTHINGS_INSTANCE_URL", service.base_url)
    monkeypatch.setenv("SEVENTHINGS_TOKEN", service.token())
    service.clear_log()

    assert steps.call("location_info", {})["requests"] == 1


def test_the_rate_limit_of_the_service_is_respected(service: Emulator) -> None:
    """The service accepts a burst of 2, and then one request a second.

    Rejected requests are sent again at the given time.
    """
    service.steer("PUT", "/rate-limit", {"per_minute": 600, "burst": 2})
    defaults = steps.connection(service)
    service.clear_log()

    found = [steps.call("location_info", defaults, client_of=connect) for _number in range(3)]

    assert [result["count"] for result in found] == [4, 4, 4]
