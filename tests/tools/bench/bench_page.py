# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Store the results of the benchmark (goals and tables) part by part, and create their page."""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path

_INTRODUCTION = """\
# Benchmarks

`make bench` writes this page. It measures everything on one machine, with the embedded service. The numbers of requests
are the same on every machine. Times are measured side by side in one run: the ratios are similar on other machines, the
seconds are not. If something is measured more than once, the shortest time counts.

![Milliseconds for a new object](images/benchmark-new-objects.svg)

![Milliseconds for each object of a loop with nothing to
change](images/benchmark-loop.svg)"""


@dataclass(frozen=True)
class Goal:
    """A goal: a promised number and the measured number."""

    what: str
    measured: str
    wanted: str
    met: bool


@dataclass(frozen=True)
class Table:
    """A table of numbers with an explanation."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str


@dataclass
class Part:
    """The results of one part of the benchmark.

    :ivar load: number of runnable processes, including those of the benchmark.
    """

    title: str
    day: str = field(default_factory=lambda: dt.datetime.now(dt.UTC).date().isoformat())
    load: float = 0.0
    goals: list[Goal] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    def at_most(self, what: str, measured: float, wanted: float, digits: int = 2) -> None:
        self._goal(what, f"{measured:,.{digits}f}", f"at most {wanted:,g}", measured <= wanted)

    def at_least(self, what: str, measured: float, wanted: float, digits: int = 1) -> None:
        self._goal(what, f"{measured:,.{digits}f}", f"at least {wanted:,g}", measured >= wanted)

    def exactly(self, what: str, measured: int, wanted: int) -> None:
        self._goal(what, f"{measured:,}", f"{wanted:,}", measured == wanted)

    def _goal(self, what: str, measured: str, wanted: str, met: bool) -> None:
        self.goals.append(Goal(what, measured, wanted, met))
        print(f"{what}: {measured} ({wanted}: {'met' if met else 'MISSED'})", flush=True)

    def table(self, head: Sequence[str], rows: Sequence[Sequence[object]], note: str) -> None:
        found = Table(head, [[str(cell) for cell in row] for row in rows], note)
        self.tables.append(found)
        print("\n".join(_lines(found)), flush=True)

    def keep(self, path: Path) -> None:
        """Write the results to a file, with the load of the machine."""
        self.load = os.getloadavg()[0]
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", "utf-8")

    @classmethod
    def kept(cls, path: Path) -> Part:
        """Read the earlier results from their file."""
        data = json.loads(path.read_text("utf-8"))
        goals = [Goal(**goal) for goal in data.pop("goals")]
        tables = [Table(**table) for table in data.pop("tables")]
        return cls(**data, goals=goals, tables=tables)


def as_page(parts: Mapping[str, Part]) -> str:
    """Return the page of the parts, which are given by name."""
    rows = [
        [goal.what, goal.measured, goal.wanted, "yes" if goal.met else "**no**"]
        for part in parts.values()
        for goal in part.goals
    ]
    machine = (
        f"The machine: {os.cpu_count()} processors, {platform.system()}, Python {platform.python_version()}, "
        f"ansible-core {version('ansible-core')}. If its load is much higher than its number of processors, other work "
        "ran at the same time. The seconds are then longer, and the ratios of times are rough."
    )
    lines = [_INTRODUCTION, "", machine, "", *_rows(["Goal", "Measured", "Wanted", "Met"], rows, [1])]
    for name, part in parts.items():
        lines += ["", f"## {part.title}", ""]
        lines += [f"`make bench BENCH={name}`, measured on {part.day} under a load of {part.load:.0f}."]
        for table in part.tables:
            lines += ["", *_lines(table)]
    return "\n".join(lines) + "\n"


def _lines(table: Table) -> list[str]:
    return [table.note, "", *_rows(table.head, table.rows, range(1, len(table.head)))]


def _rows(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]) -> list[str]:
    marks = "".join("---:|" if column in right else "---|" for column in range(len(head)))
    return [f"| {' | '.join(head)} |", f"|{marks}", *(f"| {' | '.join(row)} |" for row in rows)]
