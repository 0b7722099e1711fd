# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random histories: many processes create and change the same few records while many things go wrong.

Processes are killed and stopped, answers are lost, requests take effect late, tokens expire, and half of the processes
have no session variables. In the end every record exists once, at most one process reports that it created it, every
reported change exists, and the next run finds nothing to do.

``SEVENTHINGS_TEST_SEEDS`` selects histories: seeds or ranges of them, such as ``7 100-119``.

The seconds of a real service are scaled down: the settling horizon is 4 seconds in place of 30.
"""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import processes
import pytest
import steps
import yaml
from emulator_process import Emulator
from project import LONG
from set_actions import run_set
from swarm import selected_seeds

from ansible_collections.community.seventhings.plugins.module_utils.client.connection import connect
from ansible_collections.community.seventhings.plugins.module_utils.runtime import places

SEEDS = selected_seeds("SEVENTHINGS_TEST_SEEDS", range(300 if LONG else 1))
LARGEST = 50 if LONG else 10

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

SETTLE = 4.0
LATEST = 2.0
"""Seconds within which a request takes effect, even if its sender no longer exists."""
LONGEST = 180.0

USER = "bernd.kowalski@nordhain.example"


@dataclass(frozen=True)
class Wanted:
    """A record that processes ensure: how a module and a file describe it, and how it is counted."""

    name: str
    module: str
    options: Mapping[str, Any]
    section: str
    entry: Mapping[str, Any]
    filters: Mapping[str, Any]
    post: str


def _task(title: str) -> Wanted:
    members = {"title": title, "deadline": "2031-05-31", "assignees": [USER]}
    return Wanted(title, "task", members, "tasks", members, {}, "/task-management/task")


def _location(name: str) -> Wanted:
    members = {"name": name, "city": "Halle"}
    return Wanted(name, "location", {"fields": members}, "locations", members, {"name": name}, "/location")


def _object(barcode: str) -> Wanted:
    members = {"barcode": barcode, "inventory_name": "Drill"}
    return Wanted(barcode, "object", {"fields": members}, "objects", members, {"barcode": barcode}, "/object")


def _person(email: str) -> Wanted:
    members = {"email": email, "first_name": "Ada", "last_name": "Weber"}
    return Wanted(email, "person", {"fields": members}, "persons", members, {"email": email}, "/person")


RECORDS = (
    _location("Mill"),
    _location("Barn"),
    _task("Inspect"),
    _task("Repair"),
    _object("77001"),
    _object("77002"),
    _person("ada.weber@nordhain.example"),
)


@dataclass(frozen=True)
class Piece:
    """A field of an existing record. All processes that set it use the same value.

    :ivar record: the record as a module and a file describe it, without the field.
    :ivar method: the method of the request that writes it, with its path below the service.
    """

    module: str
    section: str
    record: Mapping[str, Any]
    field: str
    value: Any
    method: str
    path: str

    @property
    def name(self) -> str:
        return f"{self.field} of {self.module}"

    @property
    def entry(self) -> dict[str, Any]:
        return {**self.record, self.field: self.value}

    @property
    def options(self) -> dict[str, Any]:
        return self.entry if self.method == "PUT" else {"fields": self.entry}


OIL: dict[str, Any] = {"title": "Oil", "deadline": "2031-05-31", "assignees": [USER]}
LOAN: dict[str, Any] = {
    "title": "Loan",
    "issue_date": "2031-05-05",
    "due_date": "2031-05-09",
    "responsible_user": USER,
    "references": ["100003"],
}
_TASK = ("task", "tasks", {"title": "Oil"})
_LOAN = ("rental_case", "rental_cases", {"title": "Loan", "issue_date": "2031-05-05"})
_YARD = ("location", "locations", {"name": "Yard"})
_SAW = ("object", "objects", {"barcode": "77100"})
_ONE_DAY = {"unit": "days", "value": 1}
PIECES = (
    Piece(*_TASK, "comment", "With care.", "PUT", "/task-management/task/*"),
    Piece(*_TASK, "deadline", "2031-06-30", "PUT", "/task-management/task/*"),
    Piece(*_TASK, "reminders", [_ONE_DAY], "PUT", "/task-management/task/*"),
    Piece(*_LOAN, "comment", "With tripod.", "PUT", "/rental-management/rental-case/*"),
    Piece(*_LOAN, "issue_date_reminder", _ONE_DAY, "PUT", "/rental-management/rental-case/*"),
    Piece(*_LOAN, "due_date_reminder", _ONE_DAY, "PUT", "/rental-management/rental-case/*"),
    Piece(*_YARD, "city", "Halle", "PATCH", "/location/*"),
    Piece(*_YARD, "address", "Mill Lane 7", "PATCH", "/location/*"),
    Piece(*_SAW, "description", "Blue", "PATCH", "/object/*"),
    Piece(*_SAW, "serial_number", "S-7", "PATCH", "/object/*"),
)
"""Fields of four records. A PUT sets all fields of its record, and a PATCH those that it sends."""

LOST = ("504_late", "502_late", "reset_late")
OTHERS = ("504_after", "reset_after", "reset_before", "half_body", "500", "503", "429")


@dataclass
class History:
    """One history, drawn from a seed."""

    seed: int
    service: Emulator
    path: Path
    events: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.records = self.chance.sample(RECORDS, self.chance.randint(1, 4))
        self.pieces = self.chance.sample(PIECES, self.chance.randint(1, 6))
        self.running: dict[int, str] = {}
        self.ends: dict[int, int] = {}
        for name in ("session", "home"):
            (self.path / name).mkdir()

    def say(self, event: str) -> None:
        self.events.append(f"{time.monotonic() - self.began:6.2f} {event}")

    # ---- the processes

    def options(self) -> dict[str, Any]:
        given = {"base_url": self.service.base_url, **self.service.account(), "timeout": 5}
        return {**given, "rate_limit": self.chance.choice([0, 6000]), "tuning": {"settle": SETTLE}}

    def start(self) -> None:
        """Start a process: a module for one record or one field, or an instance with some of them."""
        if self.chance.random() < 0.5:
            self.start_change()
        else:
            self.start_creation()

    def start_change(self) -> None:
        pieces = self.chance.sample(self.pieces, self.chance.randint(1, len(self.pieces)))
        is_instance, options = self.chance.random() < 0.25, self.options()
        what = f"instance {[each.name for each in pieces]}" if is_instance else pieces[0].name
        self.fork(
            what, lambda: self.provision_changes(pieces, options) if is_instance else self.set(pieces[0], options)
        )

    def start_creation(self) -> None:
        wanted = sorted(self.chance.sample(self.records, self.chance.randint(1, len(self.records))), key=RECORDS.index)
        is_instance = self.chance.random() < 0.25
        record = self.chance.choice(wanted)
        options = self.options()
        what = f"instance {[each.name for each in wanted]}" if is_instance else f"{record.module} {record.name}"
        self.fork(what, lambda: self.provision(wanted, options) if is_instance else self.ensure(record, options))

    def fork(self, what: str, act: Callable[[], object]) -> None:
        environment = {"XDG_RUNTIME_DIR": str(self.path / "session")} if self.chance.random() < 0.5 else {}
        delay = self.chance.choice([0.0, 0.0, self.chance.uniform(0.0, 3.0)])

        def work() -> None:
            for name in ("SEVENTHINGS_RUNTIME_DIR", "XDG_RUNTIME_DIR"):
                os.environ.pop(name, None)
            os.environ.update(environment)
            time.sleep(delay)
            act()

        process = processes.forked(work)
        self.running[process] = what
        self.say(f"{process} starts after {delay:.1f}: {what}{' in a session' if environment else ''}")

    def set(self, piece: Piece, options: Mapping[str, Any]) -> dict[str, Any]:
        done = steps.call(piece.module, {**options, **piece.options}, client_of=connect).data
        changed = {piece.name: int(done["changed"])} if not done.get("failed") else {}
        return self.note(changed, done, [piece])

    def provision_changes(self, pieces: list[Piece], options: Mapping[str, Any]) -> dict[str, Any]:
        name = "-".join(str(PIECES.index(piece)) for piece in sorted(pieces, key=PIECES.index))
        src = self.path / f"changes-{name}-{os.getpid()}"
        src.mkdir(exist_ok=True)
        (src / "instance.yml").write_text(f"api: seventhings/v1\nset: changes-{name}\nset_id: 0123456789abcdee\n")
        for section in {piece.section for piece in pieces}:
            of_section = [piece for piece in pieces if piece.section == section]
            entry: dict[str, Any] = {}
            for piece in of_section:
                entry |= piece.entry
            (src / f"{section}.yml").write_text(yaml.safe_dump([entry]))
        done = self.apply(src, options)
        return self.note({"changes": int(done["changed"])}, done, pieces)

    def apply(self, src: Path, options: Mapping[str, Any]) -> dict[str, Any]:
        written = {**options, "src": str(src)}
        return run_set(written)

    def ensure(self, wanted: Wanted, options: Mapping[str, Any]) -> dict[str, Any]:
        done = steps.call(wanted.module, {**options, **wanted.options}, client_of=connect).data
        changed = {wanted.name: int(done["changed"])} if not done.get("failed") else {}
        return self.note(changed, done)

    def provision(self, wanted: list[Wanted], options: Mapping[str, Any]) -> dict[str, Any]:
        # The same records are the same set, so some runs share a journal and others only records.
        name = "-".join(str(RECORDS.index(record)) for record in wanted)
        src = self.path / f"src-{name}-{os.getpid()}"
        src.mkdir(exist_ok=True)
        (src / "instance.yml").write_text(f"api: seventhings/v1\nset: set-{name}\nset_id: 0123456789abcdef\n")
        for section in {record.section for record in wanted}:
            entries = [dict(record.entry) for record in wanted if record.section == section]
            (src / f"{section}.yml").write_text(yaml.safe_dump(entries))
        done = self.apply(src, options)
        counted = {change["section"]: 0 for change in done.get("changes", [])}
        changed: Counter[str] = Counter()
        for section, numbers in done.get("summary", {}).items():
            counted[section] = numbers["created"]
        for section, number in counted.items():
            # If the whole plan was created, all of its names are known. Otherwise only their number is.
            names = [change["key"] for change in done.get("changes", []) if change["section"] == section]
            if number and number == len(names):
                changed.update(names)
            elif number:
                changed[f"{section}: some"] += number
        return self.note(dict(changed), done)

    def note(self, changed: Mapping[str, int], done: Mapping[str, Any], pieces: Sequence[Piece] = ()) -> dict[str, Any]:
        entry = {"process": os.getpid(), "changed": changed, "failed": bool(done.get("failed")), "msg": done.get("msg")}
        entry["set"] = [] if done.get("failed") else [piece.name for piece in pieces]
        entry["result"] = {name: done.get(name) for name in ("outcome", "summary", "warnings")}
        processes.note(self.path / "results", json.dumps(entry, default=str))
        return entry

    # ---- what goes wrong

    def disturb(self) -> None:
        """Add faults to the requests that create and change records."""
        rules = []
        requests = {("POST", record.post) for record in self.records} | {
            (piece.method, piece.path) for piece in self.pieces
        }
        for request in sorted(requests):
            if self.chance.random() < 0.7:
                late = self.chance.uniform(0.1, LATEST)
                rules.append(self.rule(request, self.chance.choice(LOST), commit_after=late))
            if self.chance.random() < 0.5:
                rules.append(self.rule(request, self.chance.choice(OTHERS), retry_after=1))
            rules.append(self.rule(request, "latency", seconds=self.chance.choice([0.0, 0.3, 1.0]), times=None))
        self.say(f"faults {rules}")
        self.service.steer("PUT", f"/faults?seed={self.seed}", rules)

    def rule(self, request: tuple[str, str], fault: str, **more: Any) -> dict[str, Any]:
        method, path = request
        given = {"fault": fault, "method": method, "path": path, "probability": 0.5}
        return {**given, "times": self.chance.randint(1, 3), **more}

    def strike(self) -> None:
        """Let one event happen."""
        event = self.chance.choice(["kill", "kill", "term", "stop", "expire", "nothing"])
        victim = self.chance.choice(sorted(self.running)) if self.running else 0
        if event == "expire":
            self.service.steer("POST", "/tokens/expire", {})
        elif event in ("kill", "term", "stop") and victim:
            if event != "stop":
                self.killed.add(victim)
            os.kill(victim, {"kill": signal.SIGKILL, "term": signal.SIGTERM, "stop": signal.SIGSTOP}[event])
            if event == "stop":
                self.stopped[victim] = time.monotonic() + self.chance.uniform(0.2, 2.0)
        self.say(f"{event} {victim if event in ('kill', 'term', 'stop') else ''}")

    def wake(self, all_of_them: bool = False) -> None:
        for process, until in [*self.stopped.items()]:
            if all_of_them or time.monotonic() > until:
                del self.stopped[process]
                os.kill(process, signal.SIGCONT)

    def reap(self) -> None:
        for process in [*self.running]:
            found, status = os.waitpid(process, os.WNOHANG)
            if found:
                del self.running[process]
                self.stopped.pop(process, None)
                self.ends[process] = os.waitstatus_to_exitcode(status)
                self.say(f"{process} ends with {self.ends[process]}")

    # ---- from the first to the last

    def begin(self) -> None:
        """Create the records that are changed."""
        created = [("task", OIL), ("rental_case", LOAN)]
        created += [
            ("location", {"fields": {"name": "Yard"}}),
            ("object", {"fields": {"barcode": "77100", "inventory_name": "Saw"}}),
        ]
        for module, members in created:
            done = steps.call(module, {**self.options(), **members}, client_of=connect).data
            assert done["changed"], done

    def play(self) -> None:
        self.began = time.monotonic()
        self.killed: set[int] = set()
        self.stopped: dict[int, float] = {}
        self.disturb()
        count = self.chance.randint(5, LARGEST)
        strikes = self.chance.randint(0, 6)
        for _number in range(count):
            self.start()
        due = sorted(self.chance.uniform(0.2, 6.0) for _number in range(strikes))
        while self.running:
            if due and time.monotonic() - self.began > due[0]:
                due.pop(0)
                self.strike()
            self.wake()
            self.reap()
            if time.monotonic() - self.began > LONGEST:
                for process in self.running:
                    os.kill(process, signal.SIGKILL)
                raise AssertionError(f"{self.running} did not end")
            time.sleep(0.01)

    def again(self) -> None:
        """Run again at once, as an error message may advise, and then once more.

        The last run must find nothing to do.
        """
        self.service.steer("PUT", "/faults", [])
        options = self.options()
        for done in self.everything(options):
            assert not done["failed"], done
        time.sleep(LATEST)
        for done in self.everything(options):
            assert not done["failed"], done
            assert not any(done["changed"].values()), done
        for done in (self.provision(self.records, options), self.provision_changes(self.pieces, options)):
            assert done["result"]["outcome"] == "unchanged", done

    def everything(self, options: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        for record in self.records:
            yield self.ensure(record, options)
        for piece in self.pieces:
            yield self.set(piece, options)

    def check_changes(self) -> None:
        """Check that every reported change exists when no request can take effect any more."""
        time.sleep(LATEST)
        reports = [json.loads(line) for line in processes.noted(self.path / "results")]
        reported = {name for report in reports for name in report["set"]}
        for piece in self.pieces:
            if piece.name in reported:
                written = steps.call(piece.module, {**self.options(), **piece.options}, True).data
                assert not written.get("failed"), written
                assert not written["changed"], f"the update of {piece.name} was lost"

    def check(self) -> None:
        reports = [json.loads(line) for line in processes.noted(self.path / "results")]
        for record in self.records:
            listed = steps.call(f"{record.module}_info", {**self.options(), "filters": dict(record.filters)})["records"]
            found = [item for item in listed if record.name in (item.get("title"), *item.values())]
            assert len(found) == 1, f"{record.name} exists {len(found)} times"
            changed = sum(report["changed"].get(record.name, 0) for report in reports)
            assert changed <= 1, f"{changed} say that they created {record.name}"
        crashed = [process for process, end in self.ends.items() if end != 0 and process not in self.killed]
        assert not crashed, f"{crashed} crashed"
        if not self.killed and not any(report["failed"] for report in reports):
            names = {piece.name for piece in self.pieces} | {"changes"}
            counts = [(name, number) for report in reports for name, number in report["changed"].items()]
            total = sum(number for name, number in counts if name not in names)
            assert total == len(self.records), f"{total} were created"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_history_creates_every_record_once_and_loses_no_change(
    seed: int, emulator: Emulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    emulator.reset()
    monkeypatch.delenv("SEVENTHINGS_RUNTIME_DIR")
    monkeypatch.setattr(places, "_places_of_the_user", lambda: iter([tmp_path / "home" / "seventhings"]))
    monkeypatch.setattr(places, "_SESSIONS", tmp_path / "run")
    history = History(seed, emulator, tmp_path)
    try:
        history.begin()
        history.play()
        history.check_changes()
        history.again()
        history.check()
    except BaseException as failed:
        results = "\n".join(processes.noted(tmp_path / "results"))
        failed.add_note("\n".join([f"seed {seed}", *history.events, results]))
        raise
