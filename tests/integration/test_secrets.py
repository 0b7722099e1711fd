# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""No secret is shown: not at -vvvv, in check or diff mode, in errors, in the worker or module process, or by the role.

The tests' own server knows every token that it issued, and repeats every request in its errors. Nothing worse can
happen with a service or a proxy.
"""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import playbook
import pytest
import steps
import yaml
from ansible.parsing.vault import VaultLib, VaultSecret
from emulator_process import Emulator

PASSWORD = "Pa55-of-the-test-9c1f"
ACCESS = "access-3f9a6c0d1e2b4a58"
REFRESH = "refresh-7b1d5e9f0a3c4d62"
NEW_ACCESS = "access-new-5c0e8f2a6b4d1397"
NEW_REFRESH = "refresh-new-1a2b3c4d5e6f7081"
CODE = "code-0d9c8b7a6f5e4d3c"
SECRETS = (PASSWORD, ACCESS, REFRESH, NEW_ACCESS, NEW_REFRESH, CODE)
ENVIRONMENT = {"TEST_PASSWORD": PASSWORD, "TEST_ACCESS": ACCESS, "TEST_REFRESH": REFRESH, "TEST_CODE": CODE}
CLIENT = "client-of-the-test"


class _Echo(http.server.BaseHTTPRequestHandler):
    """A server that returns a known pair to everyone who signs in, and repeats every other request in an error."""

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        sent = self.rfile.read(length).decode()
        if self.path.endswith("/auth_token") and PASSWORD in sent:
            status, body = (
                200,
                {
                    "access_token": NEW_ACCESS,
                    "refresh_token": NEW_REFRESH,
                    "expires_in": 3600,
                    "token_type": "Bearer",
                    "user_id": 1,
                },
            )
        else:
            status = 401 if self.path.endswith("/auth_token") or ACCESS in str(self.headers) else 422
            body = {"message": f"{self.headers} {sent}"}
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_POST = do_PATCH = do_PUT = do_DELETE = do_GET

    def log_message(self, format: str, *arguments: Any) -> None:
        """Print nothing."""


@pytest.fixture(scope="module")
def echo() -> Iterator[str]:
    """Return the address of the test server."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Echo) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def secret(name: str) -> str:
    """Return a template for a secret, because Ansible prints the playbook lines around a failed task."""
    return f"{{{{ lookup('ansible.builtin.env', 'TEST_{name}') }}}}"


def assert_hidden(run: playbook.Run, *more: str) -> None:
    for hidden in (*SECRETS, *more):
        assert hidden not in run.output, f"{hidden} in {surroundings(run.output, hidden)}"
        assert hidden not in json.dumps([result.data for result in run.results], default=str), hidden


def surroundings(text: str, hidden: str) -> str:
    at = text.index(hidden)
    return text[max(0, at - 600) : at + 200]


def play(tasks: list[dict[str, Any]], defaults: dict[str, Any]) -> dict[str, Any]:
    return {
        "hosts": "localhost",
        "gather_facts": False,
        "module_defaults": {"group/community.seventhings.all": defaults},
        "tasks": [{"ignore_errors": True, **task} for task in tasks],
    }


def module(name: str, options: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": f"{name} {more}", f"{steps.NAMESPACE}{name}": options, **more}


@pytest.mark.sample(1)
@pytest.mark.parametrize("end", ["auto", "module"])
def test_no_secret_is_shown(echo: str, tmp_path: Path, end: str) -> None:
    password = {
        "username": "ada",
        "password": secret("PASSWORD"),
        "client_id": CLIENT,
        "tuning": {"retries": 0},
        "timeout": 5,
    }
    location = {"fields": {"name": "Mill"}, "tuning": {"execution": end}}
    tokens = {
        "access_token": secret("ACCESS"),
        "refresh_token": secret("REFRESH"),
        "client_id": CLIENT,
        "tuning": {"retries": 0},
    }
    plays = [
        # Signed in. The service rejects the request and repeats its content.
        play(
            [
                module("location", location),
                module("location", location, check_mode=True, diff=True),
                module("location_info", {"tuning": {"execution": end}}, loop=[1, 2]),
                module("location", {**location, "fields": {"nam": 1}}, no_log=False),
                module(
                    "location", {**location, "fields": {"name": f"x{secret('PASSWORD')}"}}, check_mode=True, diff=True
                ),
                module("auth_token", {}, register="login"),
                module("auth_token", {"state": "absent"}),
                module(
                    "auth_token", {"grant_type": "sso_auth_code", "auth_code": secret("CODE"), "provider_name": "x"}
                ),
                module(
                    "auth_token",
                    {
                        "grant_type": "sso_auth_code",
                        "auth_code": secret("CODE"),
                        "provider_name": "azure-open-id-connect",
                        "password": None,
                    },
                ),
            ],
            {"base_url": echo, **password},
        ),
        # An expired token and a rejected refresh token.
        play(
            [module("location", location), module("location_info", {"tuning": {"execution": end}})],
            {"base_url": echo, **tokens},
        ),
        # A wrong password and an unreachable service.
        play(
            [module("location", location)],
            {"base_url": echo, **password, "password": secret("CODE"), "username": "ada"},
        ),
        play([module("location", location)], {"base_url": "http://127.0.0.1:9", **password, **tokens}),
        play([module("location", {**location, "base_url": f"https://ada:{secret('PASSWORD')}@127.0.0.1"})], tokens),
    ]

    run = playbook.run(tmp_path, plays, "-vvvv", "--diff", variables=ENVIRONMENT)

    assert len([result for result in run.results if result.outcome != "item"]) >= 11, run.output
    assert "censored" in run.named("auth_token {'register': 'login'}").data
    assert_hidden(run)


def test_a_registered_token_is_usable_though_hidden(emulator: Emulator, tmp_path: Path) -> None:
    emulator.reset()
    connection = emulator.options()
    kept = tmp_path / "tokens"
    tasks = [
        module("auth_token", connection, register="login"),
        {
            "name": "list",
            f"{steps.NAMESPACE}location_info": {
                "base_url": emulator.base_url,
                "access_token": "{{ login.access_token }}",
                "refresh_token": "{{ login.refresh_token }}",
                "client_id": emulator.client_id,
            },
        },
        {
            "name": "keep",
            "ansible.builtin.copy": {
                "content": "{{ login.access_token }} {{ login.refresh_token }}",
                "dest": str(kept),
                "mode": "0600",
            },
            "no_log": True,
        },
    ]

    run = playbook.run(tmp_path, [play(tasks, {})], "-vvvv", "--diff")

    assert run.named("list")["count"] == 4, run.output
    assert run.named("list")["requests"] == 1
    access, refresh = kept.read_text("utf-8").split()
    assert_hidden(run, emulator.password, access, refresh)


@pytest.mark.sample(1)
@pytest.mark.parametrize("end", ["auto", "module"])
def test_no_vaulted_value_is_shown(emulator: Emulator, tmp_path: Path, end: str) -> None:
    emulator.reset()
    vault = VaultLib([("default", VaultSecret(b"of-the-vault"))])
    lines = "".join(f"\n{' ' * 12}{line}" for line in vault.encrypt(CODE).decode().splitlines())
    (tmp_path / "key").write_text("of-the-vault", "utf-8")
    options = {"fields": {"barcode": "100001", "description": "VAULTED"}, "tuning": {"execution": end}}
    tasks = [
        module("object", options, register="written"),
        module("object", {**options, "fields": {"barcode": "100001", "condition": "VAULTED"}}),
        module("object", {**options, "fields": {"barcode": "VAULTED"}, "state": "archived"}),
        module("object", {**options, "fields": {"barcode": "100001", "condition": "not-logged"}}, no_log=True),
        {"name": "read", "ansible.builtin.debug": {"msg": "{{ written.record.inventory_name }}"}},
        module("object", {**options, "fields": {"barcode": "100001", "description": None}}, no_log=True),
    ]
    text = yaml.safe_dump([play(tasks, emulator.options())], sort_keys=False)
    book = tmp_path / "book.yml"
    book.write_text(text.replace("VAULTED", f"!vault |{lines}"), "utf-8")

    run = playbook.run(tmp_path, book, "-vvvv", "--diff", "--vault-password-file", str(tmp_path / "key"))

    assert [result.outcome for result in run.results] == ["ok", "ignored", "ok", "ignored", "ok", "ok"], run.output
    assert "does not fit" in run.results[1]["msg"]
    assert_hidden(run, "not-logged")


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("good", "locations: 1 created"),
        ("wrong password", "user name, password or client id not accepted"),
        ("unreachable", "can't be reached"),
        ("expired token", "the refresh token was refused too"),
        ("not an option", "passwort"),
    ],
)
def test_the_role_shows_no_secret(emulator: Emulator, echo: str, tmp_path: Path, case: str, words: str) -> None:
    emulator.reset()
    connection: dict[str, Any] = {**emulator.options(), "tuning": {"retries": 0}}
    if case == "wrong password":
        connection["password"] = PASSWORD
    elif case == "unreachable":
        connection["base_url"] = "http://127.0.0.1:9"
    elif case == "expired token":
        connection = {"base_url": echo, "access_token": ACCESS, "refresh_token": REFRESH, "client_id": CLIENT}
    elif case == "not an option":
        connection = {**connection, "passwort": PASSWORD}
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "instance.yml").write_text("api: seventhings/v1\nset: acme\n", "utf-8")
    (tmp_path / "acme" / "locations.yml").write_text("- name: Mill\n", "utf-8")
    book = {
        "hosts": "localhost",
        "gather_facts": False,
        "roles": [
            {
                "role": "community.seventhings.provision",
                "vars": {"provision_src": str(tmp_path / "acme"), "provision_connection": connection},
            }
        ],
    }

    run = playbook.run(tmp_path, [book], "-vvvv", "--diff", "--check")

    assert (run.status == 0) == (case == "good"), run.output
    assert words in run.output
    assert_hidden(run, emulator.password)
