# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A web page in a browser on this machine can neither read from the service nor steer it."""

from __future__ import annotations

import pytest
import requests

from .judge import PREFIX
from .support import Emulator, Steering


def _ask(emulator: Emulator, method: str, path: str, headers: dict[str, str], data: bytes | None = None) -> int:
    with requests.Session() as session:
        session.trust_env = False
        url = emulator.about["base_url"] + path
        return session.request(method, url, headers=headers, data=data, timeout=30).status_code


@pytest.mark.parametrize("path", [f"{PREFIX}/ping", "/_emulator/dump", "/_emulator/switches"])
@pytest.mark.parametrize("host", ["evil.test", "127.0.0.1.evil.test", "localhost.evil.test:8765", "10.0.0.1", "[", ""])
def test_a_foreign_host_gets_no_answer(emulator: Emulator, path: str, host: str) -> None:
    assert _ask(emulator, "GET", path, {"Host": host}) in (400, 421)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:1", "[::1]:8765"])
def test_local_host_names_get_an_answer(emulator: Emulator, host: str) -> None:
    assert _ask(emulator, "GET", "/_emulator/switches", {"Host": host}) == 200


@pytest.mark.parametrize("origin", ["http://evil.test", "null", "http://localhost:3000", "https://127.0.0.1"])
@pytest.mark.parametrize(("method", "path"), [("POST", "/reset"), ("DELETE", "/requests"), ("GET", "/dump")])
def test_another_origin_steers_nothing(emulator: Emulator, origin: str, method: str, path: str) -> None:
    assert _ask(emulator, method, f"/_emulator{path}", {"Origin": origin}) == 403


def test_its_own_origin_may_steer(emulator: Emulator) -> None:
    own = {"Origin": emulator.about["base_url"], "Sec-Fetch-Site": "same-origin"}
    assert _ask(emulator, "DELETE", "/_emulator/requests", own) == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_the_browser_calls_another_site_steers_nothing(emulator: Emulator, site: str) -> None:
    assert _ask(emulator, "POST", "/_emulator/reset", {"Sec-Fetch-Site": site}) == 403


@pytest.mark.parametrize(
    "media", ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"]
)
@pytest.mark.parametrize("data", [b'{"weather": "rough"}', b""])
def test_a_form_steers_nothing(emulator: Emulator, steering: Steering, media: str, data: bytes) -> None:
    assert _ask(emulator, "PUT", "/_emulator/switches", {"Content-Type": media}, data) in (400, 415)
    assert steering.call("GET", "/switches") == steering.call("PUT", "/switches", {"weather": "calm"})
