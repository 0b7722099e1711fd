# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The embedded service in this process: faults take no real time, but happen at the same moments as in a server."""

from __future__ import annotations

from typing import Any

import embedded_here
import pytest
from embedded.faults import FAULTS
from embedded.settings import Settings
from embedded_here import Embedded
from project import ROOT

from ansible_collections.community.seventhings.plugins.module_utils.client.attempts import Effect
from ansible_collections.community.seventhings.plugins.module_utils.errors import OutcomeUnknown, SeventhingsError


def create(service: Embedded, **rule: Any) -> SeventhingsError:
    """Create a location whose answer is lost. Return the error."""
    client = service.client()
    token = client.tokens.current()
    service.fault(method="POST", path="/location", times=1, **rule)
    with pytest.raises(SeventhingsError) as caught:
        client.transport.request("POST", "/location", effect=Effect.UNSAFE, token=token, body={"name": "Depot Pirna"})
    return caught.value


def committed(service: Embedded) -> int:
    service.gateway.settle()
    return int(service.service.store.value("SELECT count(*) FROM location WHERE name = 'Depot Pirna'"))


@pytest.mark.parametrize("fault", ["504_late", "502_late", "reset_late"])
def test_late_commit(fault: str) -> None:
    service = Embedded.started()
    error = create(service, fault=fault, commit_after=25)
    assert isinstance(error, OutcomeUnknown)
    assert committed(service) == 0
    service.clock.forward(25)
    assert committed(service) == 1
    assert service.requests()[-1]["carried_out"]["status"] == 201


@pytest.mark.parametrize(("rule", "due"), [({"fault": "504_late", "commit_after": 60}, 60), ({"fault": "latency"}, 40)])
def test_client_that_does_not_wait(rule: dict[str, Any], due: float) -> None:
    """The read times out after 30 seconds, and the commit comes later."""
    service = Embedded.started()
    started = service.clock.now()
    error = create(service, seconds=40, **rule)
    assert "no answer within 30 seconds" in error.message
    assert service.clock.now() == started + 30
    service.clock.forward(due - 30 - 0.1)
    assert committed(service) == 0
    service.clock.forward(0.1)
    assert committed(service) == 1


def test_half_a_body_breaks_off() -> None:
    service = Embedded.started()
    client = service.client()
    token = client.tokens.current()
    service.fault("half_body", path="/locations")
    with pytest.raises(SeventhingsError, match="broke off"):
        client.transport.request("GET", "/locations", token=token)


def test_time_of_the_service_follows_the_clock() -> None:
    service = Embedded.started()
    service.clock.forward(10)
    assert (service.clock.moment() - embedded_here.NOW).total_seconds() == 10


def test_every_fault_and_every_setting_is_documented() -> None:
    text = (ROOT / "docs" / "docsite" / "rst" / "guide_testing.rst").read_text("utf-8")
    assert [fault for fault in FAULTS if f"``{fault}``" not in text] == []
    assert [name for name in Settings().as_json() if f'``{{"{name}": ' not in text] == []
