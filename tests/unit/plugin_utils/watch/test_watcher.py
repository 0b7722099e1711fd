# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Repeated reads of the embedded service: the events, each once, and the number of requests."""

from __future__ import annotations

import datetime as dt
import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from emulator_process import Emulator
from event_source import KINDS as ALL_KINDS
from event_source import options_of_source

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.connection import connect
from ansible_collections.community.seventhings.plugins.module_utils.errors import (
    InvalidInput,
    SeventhingsError,
)
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.reconcile.reconcile import DesiredRecord, ensure
from ansible_collections.community.seventhings.plugins.module_utils.runtime.facts import FactLog
from ansible_collections.community.seventhings.plugins.plugin_utils.watch import watcher as watching
from ansible_collections.community.seventhings.plugins.plugin_utils.watch.cursor import CursorFile
from ansible_collections.community.seventhings.plugins.plugin_utils.watch.watcher import Watcher

OBJECT, TASK, RENTAL = KINDS["object"], KINDS["task"], KINDS["rental_case"]


@dataclass
class Bench:
    """A source on the embedded service, with a clock that the test controls."""

    service: Emulator
    path: Path
    client: Client
    today: dt.datetime = dt.datetime(2030, 1, 1, 12, tzinfo=dt.UTC)
    seconds: float = 0.0
    opened: list[CursorFile] = field(default_factory=list)

    def start(self, **options: Any) -> Watcher:
        """Return the source, restarted with its stored state."""
        while self.opened:
            self.opened.pop().close()
        self.opened = [CursorFile(str(self.path), self.service.base_url, "test")]
        reader = connect({**self.service.options(), "rate_limit": 0}, read_only=True)
        reader.tokens.current()
        return Watcher(reader, self.opened[0], options_of_source(**options), lambda: self.today, lambda: self.seconds)

    def uuid_of(self, barcode: str) -> str:
        return next(record.uuid for record in self.client.list_all(OBJECT) if record.flat["barcode"] == barcode)

    def requests_of(self, read: Callable[[], Any]) -> list[str]:
        self.service.clear_log()
        read()
        return [entry["path"].rpartition("/v1")[2] for entry in self.service.log()]


@pytest.fixture
def bench(emulator: Emulator, tmp_path: Path) -> Iterator[Bench]:
    emulator.reset()
    bench = Bench(emulator, tmp_path / "cursor.json", connect({**emulator.options(), "rate_limit": 0}))
    yield bench
    for cursor in bench.opened:
        cursor.close()


def brief(events: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(event["type"], event["kind"], event["uuid"]) for event in events]


def events_of(watcher: Watcher) -> list[dict[str, Any]]:
    events = watcher.read_changes()
    watcher.keep()
    return events


def test_the_first_read_reports_nothing_and_later_reads_report_changes(bench: Bench) -> None:
    watcher = bench.start(fields=["inventory_name"])
    assert events_of(watcher) == []
    assert events_of(watcher) == []
    objects = bench.client.list_all(OBJECT)
    deleted, stored, touched = objects[0], objects[1], objects[2]
    bench.client.delete(OBJECT, deleted.uuid)
    bench.client.archive(OBJECT, stored.uuid)
    bench.client.update(OBJECT, touched.uuid, {"inventory_name": "Another name"})
    fresh = bench.client.create(OBJECT, {"barcode": "0900001", "inventory_name": "Fresh"})
    events = events_of(watcher)
    assert sorted(brief(events)) == [
        ("archived", "object", stored.uuid),
        ("changed", "object", touched.uuid),
        ("deleted", "object", deleted.uuid),
        ("new", "object", fresh),
    ]
    by_type = {event["type"]: event for event in events}
    assert (by_type["changed"]["changed"], by_type["changed"]["other_fields"]) == (["inventory_name"], 0)
    assert by_type["changed"]["instance"] == bench.service.base_url
    assert (by_type["new"]["key"], by_type["new"]["key_length"]) == (900001, 7)
    assert (by_type["deleted"]["record_id"], by_type["deleted"]["key"]) == (deleted.id, None)
    assert events_of(watcher) == []
    bench.client.archive(OBJECT, stored.uuid, back=True)
    assert brief(events_of(watcher)) == [("unarchived", "object", stored.uuid)]


def test_a_closed_task_is_a_changed_status(bench: Bench) -> None:
    watcher = bench.start(kinds=["task"], fields=["status"])
    events_of(watcher)
    task = next(record for record in bench.client.list_all(TASK) if record.flat["status"] == "open")
    bench.client.set_status(TASK, task.uuid, "closed")
    (event,) = events_of(watcher)
    assert (event["type"], event["changed"], event["status"]) == ("changed", ["status"], "closed")


def test_a_room_that_is_renamed_changes_no_object_in_it(bench: Bench) -> None:
    watcher = bench.start(kinds=["room", "object"])
    events_of(watcher)
    room = bench.client.list_all(KINDS["room"])[0]
    bench.client.update(KINDS["room"], room.uuid, {"name": "Renamed"})
    assert [(event["kind"], event["changed"], event["other_fields"]) for event in events_of(watcher)] == [
        ("room", [], 1)
    ]


def test_a_rental_case_is_due_and_overdue_once(bench: Bench) -> None:
    case = next(record for record in bench.client.list_all(RENTAL) if record.flat["status"] == "borrowed")
    day = dt.date.fromisoformat(str(case.flat["due_date"])[:10])
    bench.today = dt.datetime.combine(day - dt.timedelta(days=9), dt.time(12), dt.UTC)
    watcher = bench.start(kinds=["rental_case"], due_days=2)
    events_of(watcher)
    found = []
    for _day in range(12):
        bench.today += dt.timedelta(days=1)
        found += [(bench.today.date() - day, event) for event in events_of(watcher) if event["uuid"] == case.uuid]
    assert [(after.days, event["type"], event["days_left"], event["field"]) for after, event in found] == [
        (-2, "due", 2, "due_date"),
        (1, "overdue", -1, "due_date"),
    ]
    bench.today += dt.timedelta(days=1)
    assert events_of(bench.start(kinds=["rental_case"], due_days=2)) == [], "reported before the restart"


def test_a_date_of_a_field_is_reported_once_and_again_where_it_moved(bench: Bench) -> None:
    uuid = bench.client.list_all(OBJECT)[0].uuid
    bench.client.update(OBJECT, uuid, {"purchasing_date": "2030-02-01"})
    options: dict[str, Any] = {
        "kinds": ["object"],
        "dates": [{"kind": "object", "field": "purchasing_date", "days": 10}],
    }
    watcher = bench.start(**options)
    assert events_of(watcher) == [], "those that passed are remembered"
    bench.today = dt.datetime(2030, 1, 22, tzinfo=dt.UTC)
    (event,) = events_of(watcher)
    assert (event["type"], event["uuid"], event["date"], event["days_left"]) == ("due", uuid, "2030-02-01", 10)
    assert events_of(bench.start(**options)) == []
    bench.client.update(OBJECT, uuid, {"purchasing_date": "2030-01-30"})
    assert [event["type"] for event in events_of(bench.start(**options))] == ["changed", "due"]
    options["dates"] = [
        {"kind": "object", "field": "purchasing_date", "days": 10},
        {"kind": "object", "field": "purchasing_date", "days": 400},
    ]
    assert events_of(bench.start(**options)) == [], "what is watched from now on is remembered"


def test_existing_records_are_reported_on_request(bench: Bench) -> None:
    events = events_of(bench.start(kinds=["room"], existing="tell"))
    assert {event["type"] for event in events} == {"new"}
    assert len(events) == len(bench.client.list_all(KINDS["room"]))


def test_a_kind_that_is_watched_from_now_on_reports_nothing_at_first(bench: Bench) -> None:
    events_of(bench.start(kinds=["room"]))
    assert events_of(bench.start(kinds=["room", "object"])) == []


def test_what_was_not_kept_is_reported_again_with_the_same_id(bench: Bench) -> None:
    events_of(bench.start(kinds=["object"]))
    bench.client.create(OBJECT, {"barcode": "900001", "inventory_name": "Fresh"})
    first, second = bench.start(kinds=["object"]).read_changes(), bench.start(kinds=["object"]).read_changes()
    assert [event["id"] for event in first] == [event["id"] for event in second] != []
    events_of(bench.start(kinds=["object"]))
    assert bench.start(kinds=["object"]).read_changes() == []


def test_a_failed_read_loses_no_event(bench: Bench) -> None:
    watcher = bench.start(kinds=["room", "object"])
    events_of(watcher)
    room = bench.client.list_all(KINDS["room"])[0]
    bench.client.update(KINDS["room"], room.uuid, {"name": "Renamed"})
    bench.service.steer("POST", "/faults", {"path": "*/objects", "fault": "503"})
    watcher.client.transport.sleep = lambda _seconds: None
    with pytest.raises(SeventhingsError):
        watcher.read_changes()
    bench.service.steer("DELETE", "/faults")
    assert [event["kind"] for event in events_of(watcher)] == ["room"]


def test_a_filter_whose_records_are_refused_loses_no_event(bench: Bench) -> None:
    match = {"id": "here", "kind": "object", "where": {"target_room": "Dresden/1.04"}}
    watcher = bench.start(kinds=["object"], matches=[match])
    events_of(watcher)
    fresh = bench.client.create(OBJECT, {"barcode": "0900001", "inventory_name": "Fresh"})
    bench.service.steer("POST", "/faults", {"path": "*/rooms", "fault": "403"})
    assert (events_of(watcher), len(watcher.problems)) == ([], 1)
    bench.service.steer("DELETE", "/faults")
    assert brief(events_of(watcher)) == [("new", "object", fresh)]


def test_a_kind_that_could_not_be_read_at_first_reports_nothing_at_its_first_read(bench: Bench) -> None:
    bench.service.steer("POST", "/faults", {"path": "*/objects", "fault": "403"})
    source = bench.start(kinds=["object"])
    assert (source.read_changes(), len(source.problems)) == ([], 1)
    source.keep()
    bench.service.steer("DELETE", "/faults")
    assert (source.read_changes(), source.problems) == ([], [])


def test_a_module_that_is_off_is_reported_and_the_rest_is_watched(bench: Bench) -> None:
    bench.service.steer("PUT", "/settings", {"modules_off": ["rental"]})
    watcher = bench.start(kinds=["rental_case", "room"], existing="tell")
    assert {event["kind"] for event in events_of(watcher)} == {"room"}
    assert "switched off" in " ".join(watcher.problems)


def test_a_small_list_is_read_whole_with_one_request(bench: Bench) -> None:
    watcher = bench.start(kinds=["task", "room"])
    events_of(watcher)
    assert len(bench.requests_of(watcher.read_changes)) == 3, "two lists, and the definitions of rooms"


@pytest.fixture
def _long_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a whole list count as long."""
    monkeypatch.setattr(watching, "_FEW", 0)


@pytest.mark.usefixtures("_long_lists")
def test_of_a_long_list_only_changes_are_read(bench: Bench) -> None:
    watcher = bench.start(kinds=["object"], whole_interval=100, fields=["inventory_name"])
    events_of(watcher)
    events_of(watcher)
    bench.seconds = 99
    uuid = bench.client.list_all(OBJECT)[0].uuid
    bench.client.update(OBJECT, uuid, {"inventory_name": "Another name"})
    bench.service.clear_log()
    (event,) = events_of(watcher)
    assert event["changed"] == ["inventory_name"]
    log = bench.service.log()
    assert [request["path"].rpartition("/v1")[2] for request in log][-2:] == ["/objects", "/objects/count"]
    bench.client.delete(OBJECT, uuid)
    assert [event["type"] for event in events_of(watcher)] == ["deleted"], "the count shows it"
    assert events_of(watcher) == []
    bench.seconds = 300
    assert "/objects/count" not in bench.requests_of(watcher.read_changes), "it is time to read all"


@pytest.mark.usefixtures("_long_lists")
@pytest.mark.parametrize("reads", [0, 1, 2], ids=["first", "whole", "narrow"])
def test_a_change_while_pages_are_read_is_found_by_the_next_read(bench: Bench, reads: int) -> None:
    bench.service.steer("PUT", "/switches", {"per_page_cap": "50"})
    watcher = bench.start(kinds=["object"])
    for _read in range(reads):
        events_of(watcher)
    late, *_between, early = (record.uuid for record in bench.client.list_all(OBJECT))
    for record in bench.client.list_all(OBJECT) if reads == 2 else ():
        bench.client.update(OBJECT, record.uuid, {"description": "Counted"})
    ask = watcher.client.lists.ask

    def changes_after(*asked: Any) -> Any:
        answer = ask(*asked)
        if asked[0].endswith("/objects"):
            watcher.client.lists.ask = ask
            for uuid in (early, late):
                bench.service.steer("POST", "/forward", {"seconds": 2})
                bench.client.update(OBJECT, uuid, {"inventory_name": "Another name"})
        return answer

    watcher.client.lists.ask = changes_after
    events_of(watcher)
    assert early in [event["uuid"] for event in events_of(watcher)]
    assert events_of(watcher) == []
    assert _lists_of(bench.requests_of(watcher.read_changes), "/object") == ["/objects", "/objects/count"]


@pytest.mark.usefixtures("_long_lists")
def test_a_filter_that_is_ignored_is_found_out(bench: Bench) -> None:
    watcher = bench.start(kinds=["room"])
    room = bench.client.list_all(KINDS["room"])[0]
    bench.client.update(KINDS["room"], room.uuid, {"name": "Newest"})
    room_stamps = {str(record.flat["updated_at"]) for record in bench.client.list_all(KINDS["room"])}
    assert len(room_stamps) > 1
    bench.service.steer("PUT", "/switches", {"places_filter": "ignore"})
    for _read in range(3):
        events_of(watcher)
    assert [path for path in bench.requests_of(watcher.read_changes) if "rooms" in path] == ["/rooms"]


def _lists_of(requests_of: list[str], path: str) -> list[str]:
    return [request for request in requests_of if request.startswith(path)]


@pytest.mark.usefixtures("_long_lists")
def test_where_records_are_not_counted_lists_are_read_whole_from_then_on(bench: Bench) -> None:
    watcher = bench.start(kinds=["object"])
    events_of(watcher)
    events_of(watcher)
    bench.service.steer("POST", "/faults", {"path": "*/count", "fault": "422"})
    assert _lists_of(bench.requests_of(watcher.read_changes), "/object") == ["/objects", "/objects/count", "/objects"]
    assert _lists_of(bench.requests_of(watcher.read_changes), "/object") == ["/objects"]


def test_a_record_that_is_shown_no_more_is_neither_deleted_nor_lost(bench: Bench) -> None:
    watcher = bench.start(kinds=["room"])
    events_of(watcher)
    room = bench.client.list_all(KINDS["room"])[0]
    listed = watcher.client.list_all
    bench.service.steer("POST", "/faults", {"path": f"/room/{room.uuid}", "fault": "403"})
    watcher.client.list_all = lambda kind, *more, **named: [  # type: ignore[method-assign]
        record for record in listed(kind, *more, **named) if record.uuid != room.uuid
    ]
    assert events_of(watcher) == []
    watcher.client.list_all = listed  # type: ignore[method-assign]
    bench.service.steer("DELETE", "/faults")
    bench.client.update(KINDS["room"], room.uuid, {"name": "Renamed"})
    assert [(event["type"], event["other_fields"]) for event in events_of(watcher)] == [("changed", 1)]


@pytest.mark.usefixtures("_long_lists")
def test_a_date_of_a_record_that_may_not_be_read_is_reported_without_it(bench: Bench) -> None:
    uuid, another = (record.uuid for record in bench.client.list_all(OBJECT)[:2])
    bench.client.update(OBJECT, uuid, {"purchasing_date": "2030-01-20"})
    bench.client.update(OBJECT, another, {"inventory_name": "The newest"})
    watcher = bench.start(kinds=["object"], dates=[{"kind": "object", "field": "purchasing_date", "days": 14}])
    events_of(watcher)
    events_of(watcher)
    listed = watcher.client.list_all
    # The record is not in the list of recent changes.
    watcher.client.list_all = lambda kind, *more, **named: [  # type: ignore[method-assign]
        record for record in listed(kind, *more, **named) if record.uuid != uuid
    ]
    bench.service.steer("POST", "/faults", {"path": f"/object/{uuid}", "fault": "403"})
    bench.today += dt.timedelta(days=10)
    (event,) = events_of(watcher)
    assert (event["type"], event["uuid"], event["key"], event["days_left"]) == ("due", uuid, None, 9)


@pytest.mark.parametrize("step", ["opened", "pwrite", "open_to_update"])
def test_a_disk_that_fails_under_a_cursor_is_an_error(bench: Bench, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_some: object, **_named: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    def run() -> None:
        if step == "pwrite":
            watcher.keep()
        else:
            bench.start(kinds=["room"])

    watcher = bench.start(kinds=["room"])
    watcher.read_changes()
    monkeypatch.setattr(os if step == "pwrite" else Folder, step, fail)
    with pytest.raises(InvalidInput, match=r"^cursor: .*Input/output error"):
        run()


def test_the_cursor_is_private_and_has_no_values(bench: Bench) -> None:
    bench.client.create(OBJECT, {"barcode": "900001", "inventory_name": "Secret project"})
    events_of(bench.start(kinds=["object"]))
    assert stat.S_IMODE(bench.path.stat().st_mode) == 0o600
    text = bench.path.read_text("utf-8")
    assert "900001" not in text
    assert "Secret project" not in text


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("[]\n", "line 1 is not a fact"),
        ('["URL", ["kind", "room", 1]]\n', "can't be read"),
        ('["URL", ["kind", "room", {"stamp": "", "watched": []}], ["room", "a", {}]]\n', "can't be read"),
        ('["https://other.example", ["salt", "", "x"]]\n', "about another instance, https://other.example"),
        ("[" * 99999 + "\n", "can't be read"),
        ("[" + "[]," * 4_000_000 + "[]]\n", "can't be read"),
    ],
)  # fmt: skip
def test_a_cursor_that_is_none_is_an_error(bench: Bench, content: str, expected: str) -> None:
    bench.path.write_text(content.replace("URL", bench.service.base_url), "utf-8")
    with pytest.raises(InvalidInput, match=expected):
        bench.start()


@pytest.mark.parametrize(
    "odd",
    [
        {"salt": {"": "\ud800"}}, {"kind": {"room": {"stamp": 1, "watched": []}}},
        {"uuid": "{{ lookup('pipe', 'id') }}"}, {"uuid": "../../x"}, {"number": "5"}, {"digests": ["a"]},
        {"digests": {"a": 5}}, {"dates": {"a": "soon"}}, {"dates": []}, {"told": "due"}, {"told": [[]]},
        {"out_of_sight": []},
    ],
    ids=str,
)  # fmt: skip
def test_a_cursor_with_an_odd_member_is_an_error(bench: Bench, odd: dict[str, Any]) -> None:
    events_of(bench.start(kinds=["object"]))
    bench.opened.pop().close()
    log = FactLog(Folder(bench.path.parent), bench.path.name)
    ((instance, facts),) = log.read().items()
    uuid, record = next(iter(facts["object"].items()))
    if "uuid" in odd:
        log.put(instance, ("object", odd["uuid"], record))
    elif odd.keys() <= record.keys():
        log.put(instance, ("object", uuid, record | odd))
    else:
        log.put(instance, *((name, mark, value) for name, marks in odd.items() for mark, value in marks.items()))
    log.close()
    with pytest.raises(InvalidInput, match="can't be read"):
        bench.start()


def test_only_what_changed_is_written(bench: Bench) -> None:
    watcher = bench.start(kinds=["object"])
    events_of(watcher)
    size = bench.path.stat().st_size
    (record, *_others) = bench.client.list_all(OBJECT)
    for number in range(3):
        bench.client.update(OBJECT, record.uuid, {"description": f"{number}"})
        assert len(events_of(watcher)) == 1
    assert bench.path.stat().st_size < 1.5 * size


def test_a_cursor_is_for_one_source(bench: Bench) -> None:
    bench.start()
    with pytest.raises(InvalidInput, match="another source uses"):
        CursorFile(str(bench.path), bench.service.base_url, "test")


def test_without_a_path_the_cursor_is_in_the_state_directory(bench: Bench, state_home: Path) -> None:
    cursor = CursorFile(None, bench.service.base_url, "changes")
    cursor.close()
    found = [path.name for path in state_home.rglob("*") if path.is_file()]
    assert found == ["changes.jsonl"]


def test_a_link_is_no_cursor(bench: Bench, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("{}", "utf-8")
    bench.path.symlink_to(target)
    with pytest.raises(InvalidInput, match="is a link"):
        bench.start()


def test_an_event_carries_numbers_booleans_and_dates_of_the_named_fields(bench: Bench) -> None:
    names = ["Purchasing price", "purchasing_date", "inventory_name"]
    watcher = bench.start(kinds=["object", "room"], fields=names)
    events_of(watcher)
    uuid = bench.client.list_all(OBJECT)[0].uuid
    changes = {"purchasing_price": 12.5, "purchasing_date": "2030-02-01", "inventory_name": "x"}
    bench.client.update(OBJECT, uuid, changes)
    (event,) = events_of(watcher)
    assert event["values"] == {"Purchasing price": 12.5, "purchasing_date": "2030-02-01", "inventory_name": None}
    assert (sorted(event["changed"]), event["other_fields"]) == (sorted(names), 0)


def test_filters_of_the_rulebook_are_answered_by_their_names(bench: Bench) -> None:
    first, second = bench.client.list_all(OBJECT)[:2]
    matches = [
        {"id": "expensive", "kind": "object", "where": {"purchasing_price": {"gt": 1000}}},
        {"id": "named", "kind": "object", "where": {"inventory_name": {"like": ["Saw"]}}},
        {"id": "rooms", "kind": "room", "where": {"name": {"like": ["Saw"]}}},
    ]
    watcher = bench.start(kinds=["object"], matches=matches)
    events_of(watcher)
    bench.client.update(OBJECT, first.uuid, {"inventory_name": "Saw {{ 1 }}", "purchasing_price": 2000})
    bench.client.update(OBJECT, second.uuid, {"inventory_name": "Drill", "purchasing_price": 1})
    assert {event["uuid"]: event["matches"] for event in events_of(watcher)} == {
        first.uuid: ["expensive", "named"],
        second.uuid: [],
    }


STATES = {"open", "closed", "requested", "confirmed", "borrowed", "rejected", "completed", "return_overdue"}
WORDS = {*ALL_KINDS, *STATES, "new", "changed", "archived", "unarchived", "deleted", "due", "overdue", "pickup_overdue"}
SHAPES = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9]{4}-[0-9T:+-]{6,}|http://[0-9.:]+")
HOSTILE = [
    "{{ lookup('pipe', 'id') }}",
    "\uff4cookup('pipe', 'id')",
    "lookup('pipe', 'id')",
    "vars",
    "hostvars ~ x",
    "9**9**9",
    "1e5",
]


def texts_in(value: Any) -> Iterator[str]:
    """Return every text in an event, without the names of its members."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from texts_in(member) if name in MEMBERS else (name, *texts_in(member))
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)
    elif isinstance(value, str):
        yield value


MEMBERS = {
    "type", "kind", "uuid", "record_id", "key", "key_length", "status", "values", "matches", "instance", "noticed_at",
    "id", "changed", "other_fields", "field", "date", "days_left",
}  # fmt: skip


@pytest.mark.sample(3)
@pytest.mark.parametrize("text", HOSTILE)
def test_events_carry_no_free_text(bench: Bench, text: str) -> None:
    label = f"{text} label"
    definition = {"label": label, "type": "DROPDOWN", "possible_values": [text]}
    ensure(bench.client, DesiredRecord(KINDS["field_definition"], definition, template="asset"))
    key = next(
        definition["field_key"] for definition in bench.client.definitions("asset") if definition["label"] == label
    )
    operator = ["inventory_name", "name"]
    watcher = bench.start(fields=operator, due_days=5000)
    events_of(watcher)
    values = {"barcode": text, "inventory_name": text, key: text}
    uuid = bench.client.create(OBJECT, values)
    bench.client.create(KINDS["location"], {"name": text})
    for kind in ("room", "person", "task", "rental_case"):
        record = bench.client.list_all(KINDS[kind])[0]
        fields = {"room": "name", "person": "first_name", "task": "title", "rental_case": "title"}
        ensure(bench.client, DesiredRecord(KINDS[kind], {fields[kind]: text}, uuid=record.uuid))
    events = events_of(watcher)
    bench.client.archive(OBJECT, uuid)
    bench.client.delete(OBJECT, bench.client.list_all(OBJECT)[0].uuid)
    events += events_of(watcher)
    assert {event["kind"] for event in events} == set(ALL_KINDS)
    assert {"new", "changed", "archived", "deleted"} <= {event["type"] for event in events}
    strange = [text for text in texts_in(events) if text not in {*WORDS, *operator} and not SHAPES.fullmatch(text)]
    assert strange == []
