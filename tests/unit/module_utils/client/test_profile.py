# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A profile is untrusted: only names of sides and a date are read, within limits."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.client.profile import Profile
from ansible_collections.community.seventhings.plugins.module_utils.client.transport import Response
from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput

from ..support import answer, page_of

_FORGED = "\x1b[31m::error::forged\n{{ lookup('env', 'HOME') }}"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "profile.json"


def read(path: Path) -> Profile:
    return Profile.read(str(path), lambda _line: None)


def refusal(path: Path) -> str:
    with pytest.raises(InvalidInput) as caught:
        read(path)
    return caught.value.message


def test_sides_and_a_date_are_read(path: Path) -> None:
    switches = {"list_total": {"side": "given"}, "revoke": {"side": None, "why": "never probed"}}
    path.write_text(json.dumps({"date": "2026-05-31", "switches": switches}))
    profile = read(path)
    assert (profile.sides, profile.date) == ({"list_total": "given"}, "2026-05-31")


@pytest.mark.parametrize("odd", [_FORGED, "x" * 90_000, "", 1, ["given"], {"given": 1}, None])
def test_what_is_no_name_of_a_side_and_no_date_is_passed_over(path: Path, odd: Any) -> None:
    path.write_text(json.dumps({"date": odd, "switches": {"list_total": {"side": odd}}}))
    profile = read(path)
    assert (profile.sides, profile.date) == ({}, "")


@pytest.mark.parametrize(
    "content",
    [
        b"", b"[]", b"null", b"{}", b'{"switches": []}', b'{"switches": {"x": "y"}}', b'{"switches": {"x": null}}',
        b"[" * 100_000, b'{"x": ' + b"9" * 5000 + b"}", b"\xff\xfegeheim", b"-----BEGIN PRIVATE KEY-----geheim",
        b'{"geheim": 1}',
    ],
)  # fmt: skip
def test_nothing_is_shown_of_what_is_no_profile(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    message = refusal(path)
    assert message.startswith(f"profile: {path} is not the profile of an instance")
    assert "geheim" not in message
    assert len(message) < 400


def test_it_may_be_a_link(path: Path) -> None:
    path.with_name("of-may.json").write_text('{"switches": {"list_total": {"side": "given"}}}')
    path.symlink_to("of-may.json")
    assert read(path).sides == {"list_total": "given"}


@pytest.mark.parametrize("what", ["pipe", "directory", "device", "large", "missing"])
def test_what_has_no_end_and_what_is_no_file_is_refused_at_once(path: Path, what: str) -> None:
    if what == "pipe":
        os.mkfifo(path)
    elif what == "directory":
        path.mkdir()
    elif what == "device":
        path.symlink_to("/dev/zero")
    elif what == "large":
        path.touch()
        os.truncate(path, 1 << 31)
    assert refusal(path).startswith("profile: ")


# ---- what answers show


_UNLIKELY = "unlikely"


def shown(method: str, path: str, response: Response, *switches: str) -> dict[str, str]:
    """Return the sides of some switches that an answer shows."""
    lines: list[str] = []
    profile = Profile(dict.fromkeys(switches, _UNLIKELY), note=lines.append)
    profile.check_answer(method, path, response, lambda _kind: {})
    found = {}
    for line in lines:
        words = line.partition("has changed: ")[2].split()
        assert words[1:3] == ["was", f"{_UNLIKELY},"]
        found[words[0]] = words[-4].rstrip(".")
    return found


_CASES, _USERS = "/rental-management/rental-cases", "/users"


@pytest.mark.parametrize(
    ("method", "path", "response", "expected"),
    [
        ("POST", "/file", answer(None, 201, {"Location": "/file/1/data/"}), {"file_location": "data"}),
        ("POST", "/file", answer(None, 201, {"Location": "/file/1"}), {"file_location": "plain"}),
        ("POST", "/room", answer(None, 201, {"Location": "https://a.test/room/1"}), {"location_header": "url"}),
        ("POST", "/room", answer(None, 201), {}),
        ("GET", "/objects", page_of([{"uuid": "1"}] * 201), {"per_page_cap": "none"}),
        ("GET", "/objects", page_of([{"uuid": "1"}] * 3), {}),
        ("GET", "/objects", answer([{"asset_uuid": "1"}]), {"uuid_key": "named"}),
        ("GET", "/objects", answer([{"asset_uuid": "1", "uuid": "1"}]), {"uuid_key": "both"}),
        ("GET", "/objects", answer([{"uuid": "1"}]), {}),
        ("GET", _CASES, answer([{"renter": {"value": "Bo"}}]), {"rental_renter_read": "object"}),
        ("GET", _CASES, answer([{"issue_date": "2031-05-31", "renter": None}]), {"rental_day_form": "day"}),
        ("GET", _CASES, answer([{"references": [{"uuid": "1"}, {"name": "a"}]}]), {"rental_references": "full"}),
        ("GET", _CASES, answer([{"references": "a"}]), {}),
        ("GET", _USERS, answer([{"display_name": ["a"]}]), {"user_display_name": "list"}),
        ("GET", _USERS, answer([{"display_name": None}]), {}),
        # The caller reports these errors.
        ("GET", "/objects", answer(b"<html>"), {}),
        ("GET", "/object/1", answer(b"<html>"), {}),
    ],
)
def test_missing_members_of_an_answer_show_no_side(
    method: str, path: str, response: Response, expected: dict[str, str]
) -> None:
    switches = (
        *("location_header", "file_location", "per_page_cap", "uuid_key"),
        *("rental_renter_read", "rental_day_form", "rental_references", "user_display_name"),
    )
    assert shown(method, path, response, *switches) == expected
