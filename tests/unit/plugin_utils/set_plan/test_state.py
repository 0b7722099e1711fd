# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The existing records, listed once for each kind."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.errors import PermissionMissing
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT, TASK
from ansible_collections.community.seventhings.plugins.plugin_utils.set_plan.listed_state import ListedState

from ...module_utils.support import FakeTransport, Invocation, client_on, listing, refusal, uuid_of

OBJECTS, TASKS = "GET /objects", "GET /task-management/tasks"
THINGS = [{"id": number, "asset_uuid": uuid_of(number)} for number in (1, 2)]


def test_what_will_be_needed_is_listed_while_other_work_is_done() -> None:
    requested = threading.Event()

    def notice(call: Invocation) -> Any:
        requested.set()
        return listing(THINGS)(call)

    transport = FakeTransport({OBJECTS: notice})
    world = ListedState(client_on(transport))
    with world.prefetching([OBJECT]):
        assert requested.wait(10)
        assert not world.is_listed(OBJECT)
        assert [record.id for record in world.records(OBJECT)] == [1, 2]
    assert len(world.records(OBJECT)) == 2
    assert transport.lines == [OBJECTS]


def test_a_failed_prefetch_of_a_list_is_reported_when_the_list_is_needed() -> None:
    world = ListedState(client_on(FakeTransport({OBJECTS: listing(THINGS), TASKS: refusal(403)})))
    with world.prefetching([TASK, OBJECT]):
        assert len(world.records(OBJECT)) == 2
        with pytest.raises(PermissionMissing):
            world.records(TASK)


def test_what_was_listed_already_is_not_listed_again() -> None:
    transport = FakeTransport({OBJECTS: listing(THINGS)})
    world = ListedState(client_on(transport))
    world.records(OBJECT)
    with world.prefetching([OBJECT]):
        pass
    assert transport.lines == [OBJECTS]
