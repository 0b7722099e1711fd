# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulated world: many processes of the collection in one process, under a virtual clock and a seeded scheduler.

Only one simulated process runs at a time. It hands over when it sleeps and before each request, and the seed decides
which process continues. So the seed is enough to repeat a history, and waiting costs no real time. The processes are
greenlets, because thousands of hand-overs between threads take as long as everything else.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import steps
from embedded_here import ACCOUNT, ROOT_URL, Embedded, Killed
from greenlet import getcurrent, greenlet
from playbook import Result

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.rate_limit import RateLimit
from ansible_collections.community.seventhings.plugins.module_utils.client.tokens import Tokens
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.runtime import locks
from ansible_collections.community.seventhings.plugins.module_utils.runtime.creations import Creations
from ansible_collections.community.seventhings.plugins.module_utils.runtime.store import Store
from ansible_collections.community.seventhings.plugins.module_utils.runtime.token_store import Credentials, TokenStore

_MOST_SWITCHES = 20_000
"""Number of hand-overs after which a history counts as endless."""
_TICK = 0.001
PER_MINUTE = 20
"""Requests a minute that the instance allows. The processes know this limit."""


@dataclass
class _Process:
    """A simulated process.

    :ivar wakes: the time from which it may continue. :ivar kill_after: number of hand-overs until it is killed.
    :ivar life: what continues when the process has its turn.
    """

    number: int
    act: Callable[[], Result | None]
    wakes: float = 0.0
    kill_after: int = -1
    life: greenlet = field(init=False)
    result: Result | None = None
    error: BaseException | None = None
    was_killed: bool = False
    has_ended: bool = False


class World:
    """Simulated processes of one user at one instance.

    :param directory: the directory in which the processes share locks, marks and tokens.
    :ivar rolls: the source of everything random in a history.
    """

    def __init__(self, directory: Path, seed: int, data: str = "empty") -> None:
        self.rolls = random.Random(seed)
        self.service = Embedded.started(data=data)
        self._runtime, self._tokens = directory / "runtime", directory / "tokens"
        for folder in (self._runtime, self._tokens):
            folder.mkdir(0o700, parents=True)
        self.service.limit(PER_MINUTE)
        self._processes: list[_Process] = []
        self._current: _Process | None = None
        self._scheduler = getcurrent()
        self._switches = 0

    def now(self) -> float:
        return self.service.clock.now()

    def sleep(self, seconds: float) -> None:
        """Hand over for some seconds of the clock."""
        process = self._current
        if process is None:
            self.service.clock.forward(seconds)
            return
        # A step below one tick would not advance the clock, because its times are floats.
        process.wakes = self.now() + (max(seconds, _TICK) if seconds > 0 else 0.0)
        self._scheduler.switch()
        if process.kill_after == 0:
            process.was_killed = True
            raise Killed
        process.kill_after -= 1

    def connect(self) -> Client:
        """Return the connection of a new process, which hands over before each request."""
        client = self.service.client()
        transport = client.transport
        transport.rate = RateLimit(
            PER_MINUTE, self.now, self.sleep, Store(Folder(self._runtime)), chance=self.rolls.random
        )
        credentials = Credentials(None, None, **ACCOUNT)
        store = TokenStore(Folder(self._tokens), ROOT_URL, credentials)
        client.tokens = Tokens(transport, credentials, self.now, store)
        client.creations = Creations(
            Folder(self._runtime), "here", clock=self.now, sleep=self.sleep, now=self.now, settle=30.0
        )
        transport.on_unsafe, transport.on_lost = client.creations.refresh, client.creations.lose
        transport.sleep = self.sleep
        session: Any = transport._open()
        send = session.request

        def hand_over_and_send(*given: Any, **named: Any) -> Any:
            self.sleep(0.0)
            return send(*given, **named)

        session.request = hand_over_and_send
        return client

    def add(self, module: str, kill_after: int = -1, **options: Any) -> None:
        """Add a process that runs a module.

        :param kill_after: the number of hand-overs after which it is killed; negative: never.
        """
        number = len(self._processes) + 1

        def act() -> Result:
            client = self.connect()
            return steps.call(module, options, False, lambda _options, _check: client)

        self._processes.append(_Process(number, act, kill_after=kill_after))

    def run(self) -> list[_Process]:
        """Run all processes to their ends. Return them with their results.

        :raises AssertionError: if they never end (liveness).
        """
        with self._as_processes():
            for process in self._processes:
                process.wakes = self.now() + self.rolls.choice((0.0, 0.0, self.rolls.uniform(0, 20)))
                process.life = greenlet(self._live)
            while alive := [process for process in self._processes if not process.has_ended]:
                self._step(alive)
        done, self._processes = self._processes, []
        return done

    def _step(self, alive: list[_Process]) -> None:
        """Let one of the processes that are due continue."""
        self._switches += 1
        assert self._switches < _MOST_SWITCHES, "the processes never end"
        earliest = min(process.wakes for process in alive)
        if earliest > self.now():
            self.service.clock.forward(earliest - self.now())
        due = max(earliest, self.now())
        self._current = self.rolls.choice([process for process in alive if process.wakes <= due])
        self._current.life.switch(self._current)
        self._current = None

    def _live(self, process: _Process) -> None:
        try:
            process.result = process.act()
        except BaseException as error:
            process.error = error
        process.has_ended = True

    @contextmanager
    def _as_processes(self) -> Iterator[None]:
        """Give each simulated process a process id of its own, and let it wait for locks on the virtual clock."""
        real = os.getpid()
        wait_for = locks.wait_for

        def number() -> int:
            return real if self._current is None else 1_000_000 + self._current.number

        def wait(attempt: Callable[[], bool], seconds: float, *_clocks: Any, **named: Any) -> None:
            wait_for(attempt, seconds, self.now, self.sleep, **{k: v for k, v in named.items() if k == "on_wait"})

        with mock.patch("os.getpid", number), mock.patch.object(locks, "wait_for", wait):
            yield
