# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An event source: its options, and the loop that reads, reports and remembers."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.client.connection import connect, risks_of
from ...module_utils.client.rate_limit import Pausing, RateLimit
from ...module_utils.errors import AccessTokenRefused, InvalidInput, SeventhingsError
from ...module_utils.model.zones import zone_of
from ...module_utils.printing.cleaner import clean
from ..action.arguments import read_arguments
from ..action.documented import spec_in
from .cursor import CursorFile
from .watcher import Event, Watcher

_log = logging.getLogger("community.seventhings.changes")

#: The option in which ansible-rulebook hands over the queue of handled events.
_FEEDBACK = "eda_feedback_queue"


class Frugal(RateLimit):
    """The rate limit of an instance, combined with a smaller limit for this source."""

    def __init__(self, of_the_instance: RateLimit, per_minute: int) -> None:
        super().__init__(per_minute, of_the_instance.clock)
        self._of_the_instance = of_the_instance

    def wait(self, max_pause: float = float("inf"), pausing: Pausing | None = None) -> float:
        super().wait()
        return self._of_the_instance.wait(max_pause, *([] if pausing is None else [pausing]))

    def refused(self, sent: float, pause: float) -> None:
        self._of_the_instance.refused(sent, pause)


async def run(queue: asyncio.Queue[Event], args: Mapping[str, Any], documentation: str) -> None:
    """Report changes until cancelled.

    :param queue: receives the events. :param args: the options. :param documentation: of the source, with its options.
    :raises SeventhingsError: if an option is invalid, or the login is refused.
    """
    given = dict(args)
    feedback = given.pop(_FEEDBACK, None)
    options = _options(given, documentation)
    client = _client(options)
    cursor = CursorFile(options["cursor"], client.transport.root, options["name"])
    try:
        watcher = Watcher(client, cursor, options, now=_clock_of(options["timezone"]), clock=time.monotonic)
        await _watch(watcher, queue, feedback, options["interval"])
    finally:
        cursor.close()


async def _watch(
    watcher: Watcher, queue: asyncio.Queue[Event], feedback: asyncio.Queue[Any] | None, interval: float
) -> None:
    problems = _Log()
    while True:
        began = time.monotonic()
        try:
            events = await asyncio.to_thread(watcher.read_changes)
        except (InvalidInput, AccessTokenRefused):
            raise
        except SeventhingsError as error:
            # The next read sees what this one missed.
            problems.warn([error.message])
        else:
            problems.warn([*watcher.problems, *watcher.client.transport.notes()])
            for event in events:
                await queue.put(event)
                if feedback is not None:
                    await feedback.get()
            if events and feedback is None:
                # Without feedback, nothing confirms that the last event was received. Assume it after a while.
                await _sleep_until(began + interval)
            await asyncio.to_thread(watcher.keep)
        await _sleep_until(began + interval)


async def _sleep_until(moment: float) -> None:
    await asyncio.sleep(max(0.0, moment - time.monotonic()))


class _Log:
    """Write each problem once, and again if it comes back."""

    def __init__(self) -> None:
        self._last: set[str] = set()

    def warn(self, problems: list[str]) -> None:
        for problem in problems:
            if problem not in self._last:
                _log.warning("%s", clean(problem))
        self._last = set(problems)


# ---- options


def _options(given: Mapping[str, Any], documentation: str) -> dict[str, Any]:
    arguments = read_arguments("changes", spec_in(documentation), {}, given)
    if arguments.refusal:
        raise InvalidInput(arguments.refusal)
    options = arguments.options
    for name in ("due_days", "requests_per_minute", "interval", "whole_interval"):
        if not options[name] >= 0:
            raise InvalidInput(f"{name}: {options[name]} does not fit; expected 0 or more")
    for option, name in (("dates", "field"), ("matches", "id")):
        for entry in options[option]:
            if entry["kind"] not in options["kinds"]:
                raise InvalidInput(f"{option}: {entry[name]}: {entry['kind']} is not among kinds, so it is not read")
    ids = [match["id"] for match in options["matches"]]
    if len(ids) != len(set(ids)):
        raise InvalidInput(f"matches: {max(ids, key=ids.count)}: two filters have this id; expected one for each")
    return options


def _client(options: Mapping[str, Any]) -> Client:
    for risk in risks_of(options):
        _log.warning("%s", clean(risk))
    client = connect(options, read_only=True)
    if options["requests_per_minute"]:
        client.transport.rate = Frugal(client.transport.rate, options["requests_per_minute"])
    return client


def _clock_of(timezone: str | None) -> Callable[[], dt.datetime]:
    if timezone is None:
        return lambda: dt.datetime.now().astimezone()
    zone = zone_of(timezone)
    return lambda: dt.datetime.now(zone)
