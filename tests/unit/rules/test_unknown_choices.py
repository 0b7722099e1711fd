# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An undocumented choice is sent, and the instance decides about it."""

from __future__ import annotations

from typing import Any

import pytest
from embedded_here import Embedded


@pytest.mark.parametrize("name", ["azure-open-id-connect", "keycloak-open-id-connect"])
def test_every_identity_provider_is_sent(name: str) -> None:
    here = Embedded.started()
    users = "SELECT id FROM user WHERE email = 'bernd.kowalski@nordhain.example'"
    here.service.store.run(f"INSERT INTO sso_code VALUES ('code', ?, ({users}))", (name,))
    given: dict[str, Any] = {"grant_type": "sso_auth_code", "auth_code": "code", "username": None, "password": None}
    assert here.call("auth_token", provider_name="another", **given)["failed"]
    done = here.call("auth_token", provider_name=name, **given)
    assert not done.get("failed"), done
    assert done["access_token"]
