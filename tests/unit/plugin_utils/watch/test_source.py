# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The event source as ansible-rulebook calls it: a coroutine with a queue and options."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from emulator_process import Emulator
from event_source import KINDS as WATCHED
from event_source import main

from ansible_collections.community.seventhings.plugins.module_utils.client.connection import connect
from ansible_collections.community.seventhings.plugins.module_utils.client.rate_limit import RateLimit
from ansible_collections.community.seventhings.plugins.module_utils.errors import SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.plugin_utils.watch.source import Frugal

ROOM = KINDS["room"]


@pytest.fixture
def options(emulator: Emulator, tmp_path: Path) -> dict[str, Any]:
    emulator.reset()
    return {
        **emulator.options(),
        "kinds": ["room"],
        "cursor": str(tmp_path / "cursor.json"),
        "fields": ["name"],
        "interval": 0.05,
        "requests_per_minute": 0,
        "rate_limit": 0,
    }


def rename(options: dict[str, Any], name: str) -> str:
    client = connect({**options, "rate_limit": 0})
    uuid = client.list_all(ROOM)[0].uuid
    client.update(ROOM, uuid, {"name": name})
    return uuid


@dataclass
class Rulebook:
    """The initially empty queues of one run."""

    events: asyncio.Queue[Any] = field(default_factory=lambda: asyncio.Queue(1))
    feedback: asyncio.Queue[Any] = field(default_factory=lambda: asyncio.Queue(1))

    async def take_rooms(self, number: int) -> None:
        """Receive the events of the initial read, and confirm them."""
        for _room in range(number):
            event = await self.events.get()
            assert event["type"] == "new"
            await self.feedback.put(event)


Work = Callable[[Rulebook], Coroutine[Any, Any, Any]]


def while_running(options: dict[str, Any], work: Work, with_feedback: bool = True) -> Any:
    """Run the source until some work that receives its events is done. Return the result of the work."""

    async def run() -> Any:
        rulebook = Rulebook()
        more = {"feedback": True, "eda_feedback_queue": rulebook.feedback} if with_feedback else {}
        source = asyncio.create_task(main(rulebook.events, {**options, **more}))
        working = asyncio.create_task(work(rulebook))
        await asyncio.wait([source, working], return_when=asyncio.FIRST_COMPLETED, timeout=30)
        if source.done():
            working.cancel()
            await source
        source.cancel()
        await asyncio.wait([source])
        return await working

    return asyncio.run(run())


def test_what_was_reported_comes_again_only_where_it_was_not_taken(options: dict[str, Any]) -> None:
    number = len(connect(options).list_all(ROOM))

    async def lose_one(rulebook: Rulebook) -> Any:
        await rulebook.take_rooms(number)
        await asyncio.to_thread(rename, options, "One")
        return await rulebook.events.get()

    async def take_it(rulebook: Rulebook) -> Any:
        event = await rulebook.events.get()
        await rulebook.feedback.put(event)
        await asyncio.to_thread(rename, options, "Two")
        return event, await rulebook.events.get()

    lost = while_running({**options, "existing": "tell"}, lose_one)
    assert (lost["type"], lost["changed"], lost["other_fields"]) == ("changed", ["name"], 0)
    again, second = while_running({**options, "existing": "tell"}, take_it)
    assert again["id"] == lost["id"] != second["id"]
    assert (second["type"], second["changed"]) == ("changed", ["name"])


def test_without_feedback_the_cursor_moves_with_the_next_read(options: dict[str, Any]) -> None:
    number = len(connect(options).list_all(ROOM))

    async def take(rulebook: Rulebook) -> Any:
        for _room in range(number):
            await rulebook.events.get()
        await asyncio.to_thread(rename, options, "One")
        return await rulebook.events.get()

    event = while_running({**options, "existing": "tell"}, take, with_feedback=False)
    assert event["type"] == "changed", "so the first look was kept"


def test_an_instance_that_can_not_be_reached_is_reported_once_and_tried_again(
    options: dict[str, Any], emulator: Emulator, caplog: pytest.LogCaptureFixture
) -> None:
    emulator.steer("POST", "/faults", {"path": "*/rooms", "fault": "503", "times": 3})
    with caplog.at_level(logging.WARNING):
        while_running(
            {**options, "tuning": {"retries": 0}, "existing": "tell"}, lambda rulebook: rulebook.take_rooms(1)
        )
    assert len([message for message in caplog.messages if "503" in message]) == 1


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"password": "wrong"}, "not accepted"),
        ({"kinds": ["hub"]}, "kinds"),
        ({"nonsense": 1}, "nonsense"),
        ({"interval": -1}, "interval: -1"),
        ({"due_days": -1}, "due_days: -1"),
        ({"timezone": "Mars"}, "timezone: 'Mars'"),
        ({"dates": [{"kind": "object", "field": "x"}]}, "object is not among kinds"),
        ({"dates": [{"kind": "room", "field": "xyz"}]}, "dates: xyz"),
        ({"matches": [{"id": "x", "kind": "object", "where": {}}]}, "matches: x: object is not among kinds"),
        ({"matches": [{"id": "x", "kind": "room", "where": {}}] * 2}, "matches: x: two filters have this id"),
        ({"base_url": None}, "base_url is missing"),
        ({"fields": ["nam"]}, "fields: nam: none of the kinds has such a field"),
        ({"matches": [{"id": "typo", "kind": "room", "where": {"nam": "x"}}]}, r"^matches\.typo\.nam: "),
    ],
)
def test_what_can_not_be_right_ends_the_source(options: dict[str, Any], changes: dict[str, Any], expected: str) -> None:
    with pytest.raises(SeventhingsError, match=expected) as error:
        while_running({**options, **changes, "tuning": {"token_cache": False}}, lambda rulebook: rulebook.take_rooms(1))
    assert str(options["password"]) not in str(error.value)


def test_the_source_has_a_pace_of_its_own_besides_the_shared_pace() -> None:
    moments = [0.0]

    def sleep(seconds: float) -> None:
        moments.append(moments[-1] + seconds)

    everybody = RateLimit(200, clock=lambda: moments[-1], sleep=sleep)
    frugal = Frugal(everybody, 2)
    frugal.sleep = sleep
    for _request in range(3):
        frugal.wait()
    assert moments[-1] >= 60
    assert everybody.per_minute == 200


def test_every_kind_with_a_history_can_be_watched() -> None:
    assert set(WATCHED) == {kind.name for kind in KINDS.values() if kind.has_history}
