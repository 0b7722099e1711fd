# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Histories with changes whose answers are lost: no value that was acknowledged is overwritten.

``SEVENTHINGS_LATE`` selects histories: seeds or ranges of them, such as ``7 100-119``.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from embedded_here import Killed
from instance_site import yaml_list
from one_machine import Machine, kill_at_the_loss
from project import LONG
from swarm import selected_seeds

HISTORIES = 60 if LONG else 24
_SEEDS = selected_seeds("SEVENTHINGS_LATE", range(HISTORIES))
_LATE = ("504_late", "502_late", "reset_late")
_NEVER = ("502_html", "503", "reset_before")


@dataclass(frozen=True)
class Target:
    """A field of a record: the module, the section of the files, the natural key, and the requests that change it."""

    module: str
    section: str
    key: dict[str, Any]
    field: str
    method: str
    path: str


TARGETS = (
    Target("location", "locations", {"name": "Dresden"}, "city", "PATCH", "/location/*"),
    Target("object", "objects", {"barcode": "100003"}, "description", "PATCH", "/object/*"),
    Target("task", "tasks", {"title": "Laserdrucker reparieren"}, "comment", "PUT", "/task-management/task/*"),
    Target(
        "rental_case",
        "rental_cases",
        {"title": "Kamera für den Katalog", "issue_date": "2027-04-12"},
        "comment",
        "PUT",
        "/rental-management/rental-case/*",
    ),
)


@dataclass
class History:
    """One history: a change whose answer is lost, and a newer change while it may still take effect."""

    seed: int
    directory: Path
    rolls: random.Random = field(init=False)
    newer_at: float = 0.0
    said: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rolls = random.Random(self.seed)
        self.target = self.rolls.choice(TARGETS)
        self.first, self.other = (self.machine(name) for name in ("first", "other"))
        self.other.service, self.other.runtime = self.first.service, self.first.runtime
        self.service = self.first.service
        self.acknowledged = False

    def machine(self, name: str) -> Machine:
        directory = self.directory / name
        directory.mkdir(parents=True)
        return Machine(directory)

    def options(self, value: Any) -> dict[str, Any]:
        values = {**self.target.key, self.target.field: value}
        return {"fields": values} if self.target.module in ("location", "object") else values

    def by_module(self, machine: Machine, value: Any) -> bool:
        data = machine.call(self.target.module, **self.options(value)).data
        self.said.append(data)
        return not data.get("failed")

    def by_set(self, machine: Machine, value: Any) -> bool:
        machine.write(**{self.target.section: yaml_list([{**self.target.key, self.target.field: value}])})
        result = machine.run()
        self.said.append(result.failed)
        return not result.failed

    def by_person(self, machine: Machine, value: Any) -> bool:
        """Change the record as another user does, without the marks of this one."""
        machine.runtime = None
        return self.by_module(machine, value)

    def record(self) -> dict[str, Any]:
        dumped = self.service.dump(canonical=False)[self.target.section]
        entries = [{**entry, **entry.get("fields", {})} for entry in dumped]
        [record] = [entry for entry in entries if self.target.key.items() <= entry.items()]
        return dict(record)

    def play(self) -> None:
        """Lose the answer to a change, and let somebody write a newer value meanwhile."""
        lost, newer = "lost", "newer"
        late = self.rolls.random() < 0.75
        commit_after = self.rolls.randint(1, 28)
        rule: dict[str, Any] = {"commit_after": commit_after} if late else {}
        fault = self.rolls.choice(_LATE if late else _NEVER)
        self.service.fault(fault, method=self.target.method, path=self.target.path, times=1, **rule)
        lost_at = self.service.clock.now()
        way = self.rolls.choice(("module", "set", "killed"))
        other: Callable[[Machine, Any], bool] = self.rolls.choice((self.by_module, self.by_set, self.by_person))
        if self.target.method == "PUT" and way != "killed":
            # Other processes of this user wait for the lock of the kind.
            other = self.by_person
        waits = self.rolls.uniform(0, 29)
        connect = self.first.connect

        def write_newer() -> None:
            self.service.clock.forward(waits)
            self.newer_at = self.service.clock.now() - lost_at
            self.acknowledged = other(self.other, newer)

        def connected() -> Any:
            client = connect()
            if way == "killed":
                kill_at_the_loss(client)
                return client
            pending = [write_newer]

            def sleep(seconds: float) -> None:
                if pending:
                    pending.pop()()
                self.service.clock.forward(seconds)

            client.transport.sleep = sleep
            return client

        self.first.connect = connected  # type: ignore[method-assign]
        try:
            (self.by_set if way == "set" else self.by_module)(self.first, lost)
        except Killed:
            write_newer()
        self.service.clock.forward(60)
        # A person does not wait: what the service carries out later overwrites it, whatever the collection does.
        is_overtaken = other == self.by_person and late and self.newer_at < commit_after
        shown = self.record()[self.target.field]
        story = (self.seed, way, other.__name__, fault, commit_after, self.newer_at, self.target.field)
        assert self.acknowledged or is_overtaken, (story, self.said)
        assert shown == (lost if is_overtaken else newer), (story, shown)


@pytest.mark.parametrize("seed", _SEEDS)
def test_no_acknowledged_value_is_overwritten(seed: int, tmp_path: Path) -> None:
    History(seed, tmp_path).play()
