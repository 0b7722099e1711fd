# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No silent errors: after one mutated answer, a run must report a problem or still be correct.

A run uses a door (a module, an instance, an export, an absorb, an inventory, a lookup) with the embedded service in
this process. Either it fails, or it warns, or its result and its effects equal those of a run with correct answers. In
all cases, nothing exists twice, nothing is lost, the next run completes the work, and the run after that changes
nothing.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import embedded_here
import pytest
from ansible.parsing.dataloader import DataLoader
from embedded.store import Store
from everyday_here import Facts, run_everyday
from instance_site import yaml_list
from project import LONG
from set_actions import run_set
from wrong_answers import MUTATIONS, SORTS, WRITE, Mutation, Wrong, operation_of

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.errors import SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.plugin_utils.absorb import action as absorb_action
from ansible_collections.community.seventhings.plugins.plugin_utils.action import set_run
from ansible_collections.community.seventhings.plugins.plugin_utils.action.arguments import read_arguments
from ansible_collections.community.seventhings.plugins.plugin_utils.action.documented import documented_spec
from ansible_collections.community.seventhings.plugins.plugin_utils.export import action as export_action
from ansible_collections.community.seventhings.plugins.plugin_utils.readers.inventory import (
    Plan,
    lay_out,
    read_records,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.readers.lookup import look_up
from ansible_collections.community.seventhings.plugins.plugin_utils.stocktake import action as stocktake_action

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

KEPT = (
    "100001", "100003", "100007", "100012", "100014", "100016", "100022", "100026", "100027", "100028", "100041",
    "100101", "100202", "IMP-000001",
)  # fmt: skip
USER = "bernd.kowalski@nordhain.example"
RUNS = int(os.environ.get("SEVENTHINGS_TEST_RUNS", "0" if LONG else "3"))
"""Number of mutated runs of a door in a sample; 0: each mutation of each answer."""


@dataclass
class Place:
    """An instance, and a directory of files."""

    service: Wrong
    path: Path

    def client(self, read_only: bool) -> Client:
        client = self.service.client()
        client.transport.read_only = read_only
        return client


Act = Callable[[Place], dict[str, Any]]


@dataclass(frozen=True)
class Door:
    """A way to run something.

    :ivar prepare: creates the state before the run.
    """

    name: str
    act: Act
    prepare: Callable[[Place], object] = lambda _place: None


DOORS: dict[str, Door] = {}


def _door(name: str, act: Act, prepare: Callable[[Place], object] = lambda _place: None) -> None:
    DOORS[name] = Door(name, act, prepare)


# ---- modules


def _module(
    name: str, words: str = "", before: Mapping[str, Mapping[str, Any]] | None = None, /, **options: Any
) -> None:
    """Add a module as a door.

    :param before: modules with options that run first.
    """

    def prepare(place: Place) -> None:
        for earlier, given in (before or {}).items():
            done = place.service.call(earlier, **given)
            assert done["changed"], done

    _door(f"{name} {words}".strip(), lambda place: place.service.call(name, **options), prepare)


for _name in (
    "location", "room", "object", "person", "user", "task", "rental_case", "catalog_item", "file", "hub_item",
    "hub_order", "hub_suggestion", "report_template",
):  # fmt: skip
    _module(f"{_name}_info", "all")
_module("field_definition_info", "of rooms", template="room")
_module("object_info", "by barcode", filters={"barcode": "100101"})
_module("object_info", "by uuid", uuid="612efdab-b95b-5ebe-962e-4cff2ae0ad54")
_module("task_info", "by title", filters={"title": "Akkus bestellen"})
_module("history_info", kind="object", record="612efdab-b95b-5ebe-962e-4cff2ae0ad54")
_module("service_info")

_CREATED: dict[str, dict[str, Any]] = {
    "location": {"fields": {"name": "Mill", "city": "Halle"}},
    "room": {"fields": {"building_id": "Dresden", "number": "7.07", "name": "Store"}},
    "object": {"fields": {"barcode": "100900", "inventory_name": "Drill", "target_room": "Dresden/1.01"}},
    "person": {"fields": {"email": "ada.weber@nordhain.example", "first_name": "Ada", "last_name": "Weber"}},
    "task": {"title": "Oil", "deadline": "2031-06-30", "assignees": [USER], "references": ["100003"]},
    "rental_case": {
        "title": "Loan", "issue_date": "2031-07-01", "due_date": "2031-07-05", "responsible_user": USER,
        "references": ["100003"],
    },
    "field_definition": {"template": "asset", "label": "Shelf", "type": "TEXT"},
    "catalog_item": {"match_on": ["inventory_name"], "fields": {"inventory_name": "Lamp", "description": "LED"}},
    "hub_item": {"object": "100007", "price": 500},
}  # fmt: skip
for _name, _options in _CREATED.items():
    _module(_name, "creates", **_options)
    _module(_name, "finds", {_name: _options}, **_options)
_module("user_from_person", "creates", person="greta.novak@nordhain.example")

_UPDATED: dict[str, dict[str, Any]] = {
    "location": {"fields": {"name": "Dresden", "city": "Meissen"}},
    "room": {"fields": {"building_id": "Dresden", "number": "1.01", "description": "Large"}},
    "object": {"fields": {"barcode": "100101", "description": "Blue", "target_room": "Dresden/1.01"}},
    "person": {"fields": {"email": USER, "department": "Yard"}},
    "task": {"title": "Laserdrucker reparieren", "comment": "With toner."},
    "rental_case": {"title": "Kamera für den Katalog", "issue_date": "2027-04-12", "comment": "With tripod."},
    "catalog_item": {"match_on": ["inventory_name"], "fields": {"inventory_name": 'Monitor 27"', "description": "4K"}},
    "hub_item": {"object": "100003", "price": 110.5},
    "hub_order": {"id": 1, "completed": True},
}
for _name, _options in _UPDATED.items():
    _module(_name, "updates", **_options)
_module("object", "archives", fields={"barcode": "100041"}, state="archived")
_module("object", "finds an archived record", fields={"barcode": "100202"}, state="archived")

_REMOVED: dict[str, dict[str, Any]] = {
    "location": {"fields": {"name": "Mill"}},
    "room": {"fields": {"building_id": "Dresden", "number": "7.07"}},
    "object": {"fields": {"barcode": "100900"}},
    "person": {"fields": {"email": "ada.weber@nordhain.example"}},
    "task": {"title": "Oil"},
    "rental_case": {"title": "Loan", "issue_date": "2031-07-01"},
    "catalog_item": {"match_on": ["inventory_name"], "fields": {"inventory_name": "Lamp"}},
    "hub_item": {"object": "100007"},
}
for _name, _options in _REMOVED.items():
    _module(_name, "removes", {_name: _CREATED[_name]}, **_options, state="absent")

# ---- whole instances

FILES: dict[str, str] = {
    "instance.yml": "api: seventhings/v1\nset: test\n",
    "locations.yml": yaml_list([{"name": "Mill", "city": "Halle"}, {"name": "Dresden", "city": "Meissen"}]),
    "rooms.yml": yaml_list(
        [
            {"building_id": "Mill", "number": "1", "name": "Store"},
            {"building_id": "Dresden", "number": "1.01", "description": "Large"},
        ]
    ),
    "persons.yml": yaml_list([_CREATED["person"]["fields"]]),
    "objects.yml": yaml_list(
        [
            {"barcode": "100900", "inventory_name": "Drill", "target_room": "Mill/1"},
            {"barcode": "100101", "description": "Blue"},
            {"barcode": "100003", "inventory_name": "Regal"},
        ]
    ),
    "tasks.yml": yaml_list([_CREATED["task"], {"title": "Laserdrucker reparieren", "comment": "With toner."}]),
    "rental_cases.yml": yaml_list([_CREATED["rental_case"], _UPDATED["rental_case"]]),
}


_ACTIONS = {"instance_export": export_action, "instance_absorb": absorb_action, "stocktake": stocktake_action}
"""The modules of the controller that do not run a set."""


def _on_controller(place: Place, name: str, check_mode: bool, **options: Any) -> dict[str, Any]:
    """Call a module that runs on the controller, as its action does."""
    written = {"base_url": embedded_here.ROOT_URL, **embedded_here.ACCOUNT, **options}
    action = _ACTIONS.get(name, set_run)
    with mock.patch.object(action, "connect", lambda _options, read_only=False, **_more: place.client(read_only)):
        if action is set_run:
            return run_set(written, check_mode, module=name)
        read = read_arguments(name, documented_spec(name), {}, written)
        assert not read.refusal, read.refusal
        if action is export_action:
            return export_action.export(read.options, check_mode)
        act = absorb_action.absorb_instance if action is absorb_action else stocktake_action.take_stock
        return act(read.options, check_mode, DataLoader(), written)


def _write(place: Place) -> None:
    for name, text in FILES.items():
        (place.path / name).write_text(text)


def _export(place: Place, check_mode: bool = False) -> dict[str, Any]:
    return _on_controller(place, "instance_export", check_mode, dest=str(place.path))


def _changed_since_export(place: Place) -> None:
    """Return an export after which an object and a location changed, one was deleted, and one is new."""
    done = _export(place)
    assert done["changed"], done
    for name, options in {
        "object": {"fields": {"barcode": "100101", "description": "Blue"}},
        "location": _CREATED["location"],
        "task": _UPDATED["task"],
    }.items():
        assert place.service.call(name, **options)["changed"]
    assert place.service.call("object", fields={"barcode": "100041"}, state="archived")["changed"]


def _absorb(place: Place) -> dict[str, Any]:
    return _on_controller(place, "instance_absorb", False, src=str(place.path), gone="remove")


def _apply(place: Place, **options: Any) -> dict[str, Any]:
    module, check_mode = options.pop("module", "instance"), options.pop("check_mode", False)
    return _on_controller(place, module, check_mode, src=str(place.path), **options)


def _applied(place: Place) -> None:
    _write(place)
    done = _apply(place)
    assert done["outcome"] == "changed", done


def _applied_with_less(place: Place) -> None:
    _applied(place)
    (place.path / "objects.yml").write_text(yaml_list([{"barcode": "100101", "description": "Blue"}]))


_door("instance plans", lambda place: _apply(place, check_mode=True), _write)
_door("instance applies", _apply, _write)
_door("instance finds nothing to do", _apply, _applied)
_door("instance drifts", lambda place: _apply(place, module="instance_drift"), _applied)
_door(
    "instance prunes",
    lambda place: _apply(place, prune={"objects": "archive"}, limits={"delete_percent": 100}),
    _applied_with_less,
)
_door("instance_export", _export)
_door("instance_absorb", _absorb, _changed_since_export)


# ---- everyday work

_FACTS = {"press": {"product_serial": "PS-3200-18", "system_vendor": "Altendorf", "product_name": "F45"}}
_BOOKS = "barcode,inventory_name,serial_number\n100101,Saw,PS-3200-18\n100003,Chair,\n100999,Lamp,1\n"


def _everyday(name: str, words: str = "", facts: Facts | None = None, **options: Any) -> None:
    """Add a module for everyday work as a door."""

    def act(place: Place) -> dict[str, Any]:
        given = {key: str(place.path / value) if key in _PATHS else value for key, value in options.items()}
        return run_everyday(name, place.service, given, facts=facts)

    _door(f"{name} {words}".strip(), act, lambda place: (place.path / "books.csv").write_text(_BOOKS))


_PATHS = ("file", "sheet")
_SHEET = "sheet.html"
_everyday("handover", "lists", person=USER, sheet=_SHEET)
_everyday("handover", "gives all", person=USER, to="david.okafor@nordhain.example")
_everyday("move", objects=["100101", "100003"], to="Dresden/1.04")
_everyday("move", "of a room", room="Werkstatt/0.01", to="Dresden/1.04")
_everyday("ledger", file="books.csv")
_everyday(
    "hosts",
    facts=_FACTS,
    map={"manufacturer": "system_vendor", "description": "product_name"},
    key={"field": "serial_number", "fact": "product_serial"},
)


def _take_stock(place: Place) -> dict[str, Any]:
    return _on_controller(place, "stocktake", False, since="2025-11-10", until="2025-11-21")


_door("stocktake", _take_stock)


# ---- plugins


def _inventory(place: Place) -> dict[str, Any]:
    plan = Plan("objects", filtered=frozenset())
    try:
        client = place.client(read_only=True)
        read = read_records(client, plan, {})
        layout = lay_out(read.records, plan)
    except SeventhingsError as error:
        return {"failed": True, "msg": error.message}
    nodes = [*layout.groups, *layout.hosts]
    warnings = [*read.warnings, *layout.warnings, *client.transport.notes()]
    return {
        "changed": False,
        "nodes": {node.name: [node.group, json.loads(json.dumps(node.variables, default=str))] for node in nodes},
        "warnings": warnings,
    }


def _lookup(kind: str, *written: Any, field: str | None = None) -> Act:
    def act(place: Place) -> dict[str, Any]:
        try:
            client = place.client(read_only=True)
            shown = look_up(client, KINDS[kind], written, field)
        except SeventhingsError as error:
            return {"failed": True, "msg": error.message}
        return {"changed": False, "found": shown, "warnings": client.transport.notes()}

    return act


_door("inventory", _inventory)
_door("lookup of an object", _lookup("object", "100101", field="inventory_name"))
_door("lookup of a room", _lookup("room", "Dresden/1.01"))
_door("lookup of a task", _lookup("task", "Akkus bestellen", field="deadline"))
_door("lookup of a person", _lookup("person", {"email": USER}))


# ---- a run


@dataclass
class Start:
    """The state at the start of a run."""

    store: Store
    path: Path


@dataclass
class Run:
    """The outcome of a run.

    :ivar state: the records of the instance, and the files.
    """

    result: dict[str, Any]
    state: Counter[str]

    @property
    def failed(self) -> bool:
        return bool(self.result.get("failed"))


@cache
def small() -> Store:
    """Return the demo data with a dozen objects, because the state of an instance is read many times."""
    store = Wrong.started().service.store
    marks = ", ".join("?" for _barcode in KEPT)
    store.run(f"DELETE FROM asset WHERE barcode NOT IN ({marks})", KEPT)
    return store


@dataclass
class Bench:
    """A door with its prepared state, for many runs."""

    door: Door
    path: Path
    known: set[str] = field(default_factory=set)
    right_path: Path = Path()
    count: int = 0

    def __post_init__(self) -> None:
        place = Place(Wrong.started(store=small()), self.path / "start")
        place.path.mkdir()
        with self.state_home(place):
            self.door.prepare(place)
        place.service.gateway.settle()
        self.start = Start(place.service.service.store, place.path)
        place = self.place()
        self.before = state_of(place)
        self.records_before = self.before - files_of(place)
        self.notes_before = notes_of(place)
        self.known = set(_UUID.findall(json.dumps(place.service.dump(canonical=False), default=str)))
        self.right_path = place.path
        first = len(place.service.exchanges)
        self.right = self.run(place)
        self.exchanges = place.service.exchanges[first:]
        assert not self.right.failed, self.right.result
        self.second = self.run(place)
        assert not self.second.failed, self.second.result
        assert self.second.state == self.right.state

    def state_home(self, place: Place) -> Any:
        return mock.patch.dict("os.environ", {"XDG_STATE_HOME": str(place.path.parent / f"{place.path.name}-state")})

    def place(self, **wrong: Any) -> Place:
        """Return an instance and a directory in their initial state."""
        self.count += 1
        path = self.path / str(self.count)
        shutil.copytree(self.start.path, path)
        earlier = self.start.path.parent / f"{self.start.path.name}-state"
        if earlier.exists():
            shutil.copytree(earlier, path.parent / f"{path.name}-state")
        service = Wrong.started(store=self.start.store)
        for name, value in wrong.items():
            setattr(service, name, value)
        return Place(service, path)

    def run(self, place: Place) -> Run:
        with self.state_home(place):
            result = self.door.act(place)
        place.service.clock.forward(120)
        has_written = any(sort == WRITE for _method, _path, sort in place.service.exchanges)
        return Run(result, state_of(place) if has_written else self.records_before + files_of(place))

    def discard(self, place: Place) -> None:
        # A run leaves cycles behind, and the collector does not know how much memory a database takes.
        place.service.service.store.close()
        for path in (place.path, place.path.parent / f"{place.path.name}-state"):
            shutil.rmtree(path, ignore_errors=True)


def state_of(place: Place) -> Counter[str]:
    """Return all records of the instance, and all files except the notes of an export."""
    found: Counter[str] = Counter()
    for section, records in place.service.dump().items():
        found.update(f"{section}: {json.dumps(_timeless(record), sort_keys=True)}" for record in records)
    return found + files_of(place)


def files_of(place: Place) -> Counter[str]:
    """Return the files that a user sees, except a sheet: it shows the result."""
    paths = [path for path in place.path.rglob("*") if path.is_file() and not _is_note(path)]
    return Counter(f"file {path.relative_to(place.path)}: {_SET_ID.sub(b'', path.read_bytes())!r}" for path in paths)


def _records(state: Counter[str]) -> Counter[str]:
    """Return the part of a state that is not a file."""
    return Counter({line: count for line, count in state.items() if not line.startswith("file ")})


def _is_note(path: Path) -> bool:
    return ".seventhings" in path.parts or path.name in (".export.json", _SHEET)


def notes_of(place: Place) -> dict[str, bytes]:
    """Return the files that runs keep for later runs."""
    hidden = [*place.path.rglob(".seventhings/*"), *(place.path.parent / f"{place.path.name}-state").rglob("*")]
    return {str(path).replace(str(place.path), ""): path.read_bytes() for path in hidden if path.is_file()}


_TIMES = {
    "apply_record",
    "apply_record_digest",
    "created_at",
    "updated_at",
    "requests",
    "duration",
    "warnings",
    "number",
    "started",
    "finished",
}
_FIELD_KEY = re.compile(r"_[0-9a-f]{8}\b")
_COSTS = re.compile(r"\d+ requests(, [\d.]+ s)?")
# The record of an apply has its time in it.
_RECORD = re.compile(r"Apply record: sha256:[0-9a-f]{64}")
_SET_ID = re.compile(rb'set_id: "?[0-9a-f]{16}"?')
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def _timeless(value: Any) -> Any:
    """Return a value without the parts that differ from run to run."""
    if isinstance(value, Mapping):
        return {str(key): _timeless(member) for key, member in value.items() if key not in _TIMES}
    if isinstance(value, (list, tuple)):
        return [_timeless(item) for item in value]
    if isinstance(value, str):
        return re.sub(r"20\d\d-\d\d-\d\dT[\d:.+Z-]+", "TIME", value)
    return value


def compared(bench: Bench, result: Mapping[str, Any], path: Path) -> str:
    """Return a result as text. Identifiers of records that did not exist before are equal to each other."""
    text = json.dumps(_timeless(result), sort_keys=True, default=str, ensure_ascii=False)
    text = text.replace(str(path), "DIRECTORY")
    for pattern in (_FIELD_KEY, _COSTS, _RECORD):
        text = pattern.sub("_", text)
    return _UUID.sub(lambda found: found[0] if found[0] in bench.known else "NEW", text)


_SAYS = ("warnings", "left_out", "not_changed", "reported", "findings", "failures", "cautions", "not_cloned")


def messages_of(result: Mapping[str, Any]) -> set[str]:
    """Return everything in a result that reports a problem."""
    lines = {str(line) for name in _SAYS for line in result.get(name) or ()}
    lines |= {
        f"{name}: {result[name]}" for name in ("complete", "description", "hidden_records", "modules") if name in result
    }
    return lines


def problems(bench: Bench, place: Place, shows: bool) -> list[str]:
    """Run a door with a wrong answer, and then twice with correct answers. Return the silent errors.

    :param shows: True if a run that only reads the record may return the wrong answer unchanged.
    """
    run = bench.run(place)
    if not place.service.touched:
        return []
    found = []
    right = bench.right
    is_reported = run.failed or bool(messages_of(run.result) - messages_of(right.result))
    extra, lost = run.state - (bench.before | right.state), (bench.before & right.state) - run.state
    if is_reported:
        # What a file cannot hold is missing in it, and the run says so.
        extra, lost = _records(extra), _records(lost)
    if (extra or lost) and not run.failed:
        found.append(f"left behind: {[*extra]}; lost: {[*lost]}")
    if not is_reported and run.state != right.state:
        found.append(
            f"another state in silence: more {[*(run.state - right.state)]}, less {[*(right.state - run.state)]}"
        )
    mine, theirs = compared(bench, run.result, place.path), compared(bench, right.result, bench.right_path)
    if not is_reported and mine != theirs and not (shows and run.state == right.state):
        found.append(f"another result in silence: {difference(theirs, mine)}")
    if run.state == bench.before and notes_of(place) == bench.notes_before:
        # Later runs begin as the first one did.
        return with_words(bench, run, found)
    place.service.mutation = None
    for number, expected in enumerate((right, bench.second)):
        again = bench.run(place)
        if again.failed:
            found.append(f"run {number + 2} failed: {again.result.get('msg')}")
        elif again.state != expected.state:
            found.append(
                f"run {number + 2} left another state: more {[*(again.state - expected.state)]}, "
                f"less {[*(expected.state - again.state)]}"
            )
        elif again.result.get("changed") and not bench.second.result.get("changed") and number:
            found.append(f"run {number + 2} changed something: {again.result.get('diff')}")
    return with_words(bench, run, found)


def with_words(bench: Bench, run: Run, found: list[str]) -> list[str]:
    words = run.result.get("msg") if run.failed else sorted(messages_of(run.result) - messages_of(bench.right.result))
    return [f"{line} (the run said: {words})" for line in found]


def difference(text: str, other: str) -> str:
    """Return the place at which two texts begin to differ."""
    at = next((n for n, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other)))
    return f"{text[max(0, at - 60) : at + 60]!r} became {other[max(0, at - 60) : at + 60]!r}"


# ---- the tests


def cases(bench: Bench) -> Iterator[tuple[int, Mutation, bool]]:
    """Return each mutation of each single answer, and of all answers of an operation."""
    for number, (_method, _path, sort) in enumerate(bench.exchanges):
        for mutation in MUTATIONS:
            if sort in mutation.sorts:
                yield number, mutation, False
    operations: set[tuple[str, str]] = set()
    for number, (method, path, sort) in enumerate(bench.exchanges):
        operation = (method, operation_of(path))
        if operation not in operations:
            operations.add(operation)
            for mutation in MUTATIONS:
                if sort in mutation.sorts:
                    yield number, mutation, True


def attack(bench: Bench, number: int, mutation: Mutation, always: bool, seed: int) -> list[str]:
    place = bench.place()
    service = place.service
    service.at, service.mutation, service.always, service.seed = number + len(service.exchanges), mutation, always, seed
    try:
        # An object that is read by its barcode is known by no other uuid than the answer's.
        _method, path, _sort = bench.exchanges[number]
        shows = mutation.shows or ("/by-barcode/" in path and mutation.name == "another uuid")
        return problems(bench, place, shows)
    finally:
        bench.discard(place)


@pytest.mark.sample(8)
@pytest.mark.parametrize("name", DOORS)
def test_no_wrong_answer_is_accepted_in_silence(name: str, tmp_path: Path) -> None:
    bench = Bench(DOORS[name], tmp_path)
    chance = random.Random(name)
    every = list(cases(bench))
    wrong = []
    for number, mutation, always in chance.sample(every, RUNS) if RUNS else every:
        seed = chance.randrange(1 << 30)
        for problem in attack(bench, number, mutation, always, seed):
            method, path, _sort = bench.exchanges[number]
            wrong.append(
                f"{number} {method} {path}: {mutation.name} ({'always' if always else 'once'}, {seed}): {problem}"
            )
    assert not wrong, "\n".join(wrong)


def test_the_catalogue_is_large() -> None:
    kinds = [(mutation.name, sort) for mutation in MUTATIONS for sort in mutation.sorts]
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS) >= 143
    assert {sort for _name, sort in kinds} == set(SORTS)
    print(f"{len(MUTATIONS)} mutations, {len(kinds)} with the sorts of answers, {len(DOORS)} doors")
