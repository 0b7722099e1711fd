# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tokens for a play: the three grants, what is returned, revocation. The engine is called in this process."""

from __future__ import annotations

from typing import Any

import pytest
import steps
from emulator_process import Emulator


@pytest.fixture
def service(emulator: Emulator) -> Emulator:
    emulator.reset()
    return emulator


def with_password(service: Emulator, **more: Any) -> dict[str, Any]:
    return {**service.options(), "rate_limit": 0, **more}


def is_valid(service: Emulator, token: str) -> bool:
    options = {"base_url": service.base_url, "rate_limit": 0, "access_token": token}
    return not steps.call("location_info", options).failed


@pytest.mark.parametrize("check_mode", [False, True])
def test_a_password_gives_a_pair_and_changes_nothing(service: Emulator, check_mode: bool) -> None:
    pair = steps.call("auth_token", with_password(service), check_mode)

    assert pair["changed"] is False
    assert pair["requests"] == 1
    assert pair["token_type"] == "Bearer"
    assert pair["expires_in"] == 3600
    assert isinstance(pair["user_id"], int)
    assert is_valid(service, pair["access_token"])


@pytest.mark.parametrize("rotation", ["once_more", "single_use"])
def test_a_refresh_token_gives_another_pair(service: Emulator, rotation: str) -> None:
    service.steer("PUT", "/switches", {"refresh_rotation": rotation})
    first = steps.call("auth_token", with_password(service))
    options = {"base_url": service.base_url, "grant_type": "refresh_token", "client_id": service.client_id}

    second = steps.call("auth_token", {**options, "refresh_token": first["refresh_token"]})
    third = steps.call("auth_token", {**options, "refresh_token": second["refresh_token"]})

    assert not third.failed, third
    assert len({pair["access_token"] for pair in (first, second, third)}) == 3
    assert is_valid(service, third["access_token"])


def test_the_code_of_an_identity_provider_can_be_used_once(service: Emulator) -> None:
    code = service.steer("POST", "/sso-codes", {})
    options = {
        "base_url": service.base_url,
        "grant_type": "sso_auth_code",
        "client_id": service.client_id,
        "app_target": "web",
        **code,
    }

    first, second = (steps.call("auth_token", options) for _number in range(2))

    assert is_valid(service, first["access_token"])
    assert second.failed
    assert "Signing in with the grant sso_auth_code" in second["msg"]
    assert code["auth_code"] not in second["msg"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"password": None}, "The grant password needs password, which is not given"),
        ({"grant_type": "refresh_token"}, "The grant refresh_token needs refresh_token, which is not given"),
        ({"grant_type": "sso_auth_code"}, "provider_name, auth_code"),
        ({"grant_type": "implicit"}, "value of grant_type must be one of: password, refresh_token, sso_auth_code"),
        ({"grant_type": "refresh_token", "refresh_token": "wrong-token"}, "grant refresh_token and the client_id"),
        ({"password": "wrong-password"}, "user name, password or client id not accepted"),
    ],
)
def test_a_grant_that_fails(
    service: Emulator, options: dict[str, Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SEVENTHINGS_PASSWORD", raising=False)
    pair = steps.call("auth_token", {**with_password(service), **options})

    assert pair.failed
    assert words in pair["msg"]
    assert "wrong-" not in pair["msg"]


@pytest.mark.parametrize("side", ["session", "user"])
def test_revoking_ends_the_session_or_every_token_of_the_user(service: Emulator, side: str) -> None:
    service.steer("PUT", "/switches", {"revoke": side})
    first, second = service.token(), service.token()
    options = {"base_url": service.base_url, "rate_limit": 0, "access_token": first, "state": "absent"}

    predicted = steps.call("auth_token", options, check_mode=True)
    still_valid = is_valid(service, second)
    done = steps.call("auth_token", options)
    again = steps.call("auth_token", options)
    predicted_again = steps.call("auth_token", options, check_mode=True)

    assert [predicted["changed"], done["changed"], again["changed"], predicted_again["changed"]] == [
        True,
        True,
        False,
        False,
    ]
    assert still_valid
    assert not is_valid(service, first)
    assert is_valid(service, second) == (side == "session")


def test_revoking_with_a_password_signs_in_first(service: Emulator) -> None:
    service.clear_log()

    done = steps.call("auth_token", with_password(service, state="absent"))

    assert done["changed"]
    assert [(entry["method"], entry["status"]) for entry in service.log()] == [("POST", 200), ("DELETE", 204)]
