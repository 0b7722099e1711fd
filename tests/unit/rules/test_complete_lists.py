# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A list is complete only if the service proves it: by a total that adds up, or by a page without new records."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from embedded_here import Embedded
from event_source import options_of_source
from exports import export_of
from instance_site import Site, sample_files

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import (
    MODULES,
    Invocation,
    run_module,
)
from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.connection import connect
from ansible_collections.community.seventhings.plugins.module_utils.client.query import Condition
from ansible_collections.community.seventhings.plugins.module_utils.errors import IncompleteList
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import FIELD_DEFINITION, KINDS
from ansible_collections.community.seventhings.plugins.module_utils.operations.api import api_info
from ansible_collections.community.seventhings.plugins.module_utils.operations.service import (
    account_visibility,
    history_info,
)
from ansible_collections.community.seventhings.plugins.module_utils.reconcile.reconcile import DesiredRecord, ensure
from ansible_collections.community.seventhings.plugins.module_utils.resolve.listing import list_records
from ansible_collections.community.seventhings.plugins.module_utils.runtime.store import Store
from ansible_collections.community.seventhings.plugins.module_utils.runtime.unpaged import UnpagedLists
from ansible_collections.community.seventhings.plugins.plugin_utils.action.arguments import read_arguments
from ansible_collections.community.seventhings.plugins.plugin_utils.readers.inventory import Plan, read_records
from ansible_collections.community.seventhings.plugins.plugin_utils.readers.lookup import look_up
from ansible_collections.community.seventhings.plugins.plugin_utils.watch.cursor import CursorFile
from ansible_collections.community.seventhings.plugins.plugin_utils.watch.watcher import Watcher

from ..module_utils.support import FakeTransport, answer, client_on, page_of, refusal, uuid_of
from ..plugin_utils.absorb.absorbing import take

LOCATION, ROOM, OBJECT, TASK, FILE = (KINDS[name] for name in ("location", "room", "object", "task", "file"))
SILENT = {"list_total": "none", "list_echo": "none"}
SHAPES = [
    {"list_envelope": "array"},
    {**SILENT},
    {"list_total": "none", "list_echo": "page"},
    {"list_total": "none", "list_echo": "both"},
    {"list_total": "text"},
    {"list_total": "text", "list_echo": "none"},
]
"""The forms of pages on instances, besides the documented envelope."""


def with_locations(sides: Mapping[str, str], count: int) -> Embedded:
    service = Embedded.started(sides)
    client = service.client()
    for number in range(count - len(client.list_all(LOCATION))):
        client.create(LOCATION, {"name": f"Depot {number}"})
    return service


def of_a_process(service: Embedded, shared: Path, now: Callable[[], float] = lambda: 0.0) -> Client:
    """Return the client of a process of its own. Processes share notes in a directory."""
    client = service.client()
    client.lists.unpaged = UnpagedLists(Store(Folder(shared)), "acme", now)
    return client


def requests_of(service: Embedded, act: Callable[[], Any]) -> list[tuple[str, str]]:
    """Return a list that collects path and query of each GET."""
    before = len(service.requests())
    act()
    sent = [request for request in service.requests()[before:] if request["method"] == "GET"]
    return [(request["path"].partition("/v1")[2], request["query"]) for request in sent]


# ---- lists in pages


@pytest.mark.sample(4)
@pytest.mark.parametrize(("shape", "cap", "beyond"), list(product(SHAPES, ["50", "100", "200"], ["empty", "clamp"])))
def test_a_list_is_complete_whatever_a_page_says_and_contains(shape: dict[str, str], cap: str, beyond: str) -> None:
    count = int(cap) + 7
    service = with_locations({**shape, "per_page_cap": cap, "page_beyond_end": beyond}, count)
    client = service.client()
    assert len(client.list_all(LOCATION)) == count
    found = list_records(client, LOCATION, None, {}, [], 3)
    assert (found.count, found.complete) == (count, True)
    first = list_records(client, LOCATION, None, {}, ["-created_at"], 5)
    assert (len(first.records), first.count) == (5, count)
    assert list_records(client, LOCATION, None, {}, [], None, count_only=True).count == count


def test_a_page_beyond_the_end_that_is_refused_proves_nothing() -> None:
    """A list that is paged according to the description ends with an empty page, not with an error."""

    def play(call: Any) -> Any:
        return page_of([{"uuid": uuid_of(1), "id": 1}]) if ("page", "1") in call.pairs else refusal(404)

    with pytest.raises(IncompleteList, match=r"list of rooms has no total, and its page 2 can't be read"):
        client_on(FakeTransport({"GET /rooms": play})).list_all(ROOM)


@pytest.mark.parametrize("total", [True, "many", "", "-3", None, 1.5, {"value": 3}])
def test_what_is_no_number_is_no_total(total: Any) -> None:
    records = [{"uuid": uuid_of(number), "id": number} for number in range(1, 4)]

    def play(call: Any) -> Any:
        page = int(dict(call.pairs)["page"])
        return page_of(records[2 * page - 2 : 2 * page], total=total)

    assert len(client_on(FakeTransport({"GET /rooms": play})).list_all(ROOM)) == 3


# ---- lists without pages


@pytest.mark.parametrize("beyond", ["empty", "clamp"])
def test_lists_that_are_paged_against_their_description_are_whole(beyond: str) -> None:
    client = Embedded.started({"unpaged_lists": "paged", "page_beyond_end": beyond}).client()
    whole = Embedded.started().client()
    assert [record.uuid for record in client.list_all(TASK)] == [record.uuid for record in whole.list_all(TASK)]
    for template in ("asset", "room", "person"):
        keys = [definition["field_key"] for definition in client.definitions(template)]
        assert keys == [definition["field_key"] for definition in whole.definitions(template)]


@pytest.mark.parametrize("beyond", ["empty", "clamp"])
def test_tasks_that_are_created_one_by_one_are_found_again(beyond: str, tmp_path: Path) -> None:
    """On an instance with two tasks per page, a complete list of two tasks proves nothing about a list of three."""
    service = Embedded.started({"unpaged_lists": "paged", "page_beyond_end": beyond})
    for task in service.client().list_all(TASK):
        service.client().delete(TASK, task.uuid)
    [user, *_others] = service.client().list_all(KINDS["user"])
    [thing, *_things] = service.client().list_all(OBJECT)
    for expected in (True, False):
        for title in ("One", "Two", "Three", "Four"):
            client = of_a_process(service, tmp_path)
            values = {
                "title": title,
                "deadline": "2031-06-01",
                "assignees": [{"uuid": user.uuid}],
                "references": [{"uuid": thing.uuid}],
            }
            assert ensure(client, DesiredRecord(TASK, values)).changed is expected
    assert len(service.client().list_all(TASK)) == 4


@pytest.mark.parametrize("side", ["whole", "refuse"])
def test_the_proof_for_a_list_without_pages_is_valid_for_a_day(side: str, tmp_path: Path) -> None:
    service, now = Embedded.started({"unpaged_lists": side}), [1000.0]

    def read() -> list[tuple[str, str]]:
        client = of_a_process(service, tmp_path, lambda: now[0])
        return requests_of(
            service, lambda: (client.list_all(TASK), client.definitions("asset"), client.definitions("room"))
        )

    once = ["/task-management/tasks", *(FIELD_DEFINITION.list_path.format(template=name) for name in ("asset", "room"))]
    assert [path for path, query in read() if "page" in query] == once
    assert read() == [(path, "") for path in once]
    now[0] += 24 * 60 * 60 - 1
    assert read() == [(path, "") for path in once]
    now[0] += 1
    assert len(read()) == 6


@pytest.mark.parametrize("kind", ["task", "field_definition"])
@pytest.mark.parametrize("beyond", ["empty", "clamp"])
def test_a_second_page_that_fails_proves_nothing(kind: str, beyond: str, tmp_path: Path) -> None:
    service = Embedded.started({"unpaged_lists": "paged", "page_beyond_end": beyond})
    template = "asset" if kind == "field_definition" else ""
    read = partial(Client.list_all, kind=KINDS[kind], template=template)
    whole = [record.uuid for record in read(service.client())]
    service.fault("500_later_page", times=2)
    assert [record.uuid for record in read(of_a_process(service, tmp_path))] == whole
    service.fault("500_later_page")
    for _process in range(2):
        with pytest.raises(IncompleteList, match="its page 2 can't be read"):
            read(of_a_process(service, tmp_path))
    service.gateway.faults.replace([])
    assert [record.uuid for record in read(of_a_process(service, tmp_path))] == whole


def test_the_proof_for_a_narrow_filter_is_none_for_the_whole_list(tmp_path: Path) -> None:
    """The instance refuses a page beyond the end, and has two tasks on a page."""
    service = Embedded.started({"unpaged_lists": "refuse"})
    narrow = {"deadline_from": "1999-01-01", "deadline_to": "1999-01-01"}
    assert not of_a_process(service, tmp_path).list_all(TASK, parameters=narrow)
    [first, *_others] = service.client().list_all(TASK)
    day = str(first.flat["deadline"])
    assert of_a_process(service, tmp_path).list_all(TASK, parameters={"deadline_from": day, "deadline_to": day})
    of_a_process(service, tmp_path).definitions("person")
    service.service.weather.set({"unpaged_lists": "paged"})
    client = of_a_process(service, tmp_path)
    assert len(client.list_all(TASK)) == len(service.dump()["tasks"]) > 2
    assert len(client.definitions("asset")) > 10


@pytest.mark.parametrize(("number", "is_whole"), [(1, True), (19, True), (20, False)])
@pytest.mark.parametrize("page_two", ["repeated", "empty", "refused"])
def test_files_are_all_there_if_the_service_proves_it(number: int, is_whole: bool, page_two: str) -> None:
    files = [{"uuid": uuid_of(number), "name": f"{number}.txt"} for number in range(number)]

    def play(call: Any) -> Any:
        if not call.pairs or page_two == "repeated":
            return answer(files)
        return answer([]) if page_two == "empty" else refusal(400)

    transport = FakeTransport({"GET /files": play})
    found = list_records(client_on(transport, unpaged=()), FILE, None, {}, [], None)
    assert (found.count, found.complete) == (number, is_whole)
    assert len(transport.calls) <= 2


def test_files_of_further_pages_are_not_read_and_not_denied() -> None:
    files = [{"uuid": uuid_of(number), "name": f"{number}.txt"} for number in range(30)]

    def play(call: Any) -> Any:
        page, size = (int(dict(call.pairs).get(name, otherwise)) for name, otherwise in (("page", 1), ("per_page", 10)))
        return answer(files[(page - 1) * size : page * size])

    transport = FakeTransport({"GET /files": play})
    found = list_records(client_on(transport, unpaged=()), FILE, None, {}, [], None)
    assert (found.count, found.complete, len(transport.calls)) == (10, False, 2)


# ---- looking up


def test_the_record_of_a_unique_key_needs_no_proof() -> None:
    service = with_locations(SILENT, 10)
    client = service.client()
    [first, *_others] = client.list_all(OBJECT)
    client.schema(OBJECT)
    barcode = first.flat["barcode"]
    for condition in (
        Condition("barcode", "eq", (barcode,)),
        Condition("asset_uuid", "in", (first.uuid,)),
        Condition("id", "eq", (first.id,)),
    ):
        sent = requests_of(service, partial(client.list_all, OBJECT, [condition]))
        assert [path for path, _query in sent] == ["/objects"]
    # Names are not unique, so another record may have the same name.
    name = Condition("inventory_name", "eq", (first.flat["inventory_name"],))
    assert len(requests_of(service, lambda: client.list_all(OBJECT, [name]))) == 2


def test_a_key_that_is_not_found_is_looked_for_to_the_end_of_the_list() -> None:
    service = with_locations({**SILENT, "per_page_cap": "50", "places_filter": "ignore"}, 60)
    # The newest records are on the first page.
    last, *_newer = service.client().list_all(LOCATION)
    for _time in range(2):
        found = ensure(service.client(), DesiredRecord(LOCATION, {"name": last.flat["name"]}))
        assert (found.changed, found.uuid) == (False, last.uuid)
    assert service.client().get_by_id(LOCATION, last.id or 0) is not None


# ---- others that read in pages


@pytest.mark.parametrize("total", [3, "3"])
def test_a_history_that_does_not_add_up_is_not_complete(total: Any) -> None:
    transport = FakeTransport(
        {
            f"GET /task-management/task/{uuid_of(7)}/history": [
                page_of([{"id": 1}, {"id": 2}], total=total),
                page_of([], total=total),
            ]
        }
    )
    assert not history_info(client_on(transport), {"kind": "task", "record": uuid_of(7)}).complete


@pytest.mark.parametrize("shape", SHAPES)
def test_any_list_is_read_to_its_end(shape: dict[str, str]) -> None:
    service = with_locations({**shape, "per_page_cap": "50"}, 120)
    options: dict[str, Any] = {"method": "GET", "path": "/locations", "query": {"sort": {"id": "ASC"}}, "body": None}
    decoded = api_info(service.client(), options)["json"]
    assert len(decoded if isinstance(decoded, list) else decoded["items"]) == 120
    options["query"] = {"page": 2}
    decoded = api_info(service.client(), options)["json"]
    assert len(decoded if isinstance(decoded, list) else decoded["items"]) == 50


def test_what_the_account_sees_is_reported_without_totals() -> None:
    assert account_visibility(Embedded.started(SILENT).client()) == account_visibility(Embedded.started().client())
    service = with_locations({**SILENT, "per_page_cap": "50"}, 51)
    assert account_visibility(service.client())["hidden_records"] == "unknown"


# ---- what the proofs cost


def _info(site: Site) -> None:
    for name in ("room_info", "object_info", "task_info", "user_info", "hub_order_info", "file_info", "service_info"):
        _run(site, name)
    _run(site, "field_definition_info", template="asset")


def _run(site: Site, name: str, **options: Any) -> dict[str, Any]:
    written = {**site.service.options(), "rate_limit": 0, **options}
    given = read_arguments(name, MODULES[name].spec, MODULES[name].rules, written)
    result = run_module(name, Invocation(given.options, given.written, False), connect)
    assert "msg" not in result, result
    return result


def _watch(site: Site) -> None:
    cursor = CursorFile(str(site.root / "cursor.json"), site.service.base_url, "test")
    try:
        watcher = Watcher(site.client(), cursor, options_of_source(), lambda: dt.datetime.now(dt.UTC), lambda: 0.0)
        watcher.read_changes()
        watcher.keep()
    finally:
        cursor.close()


def _apply(site: Site) -> None:
    assert site.run().outcome == "unchanged"


def _absorb(site: Site) -> None:
    assert not take(site)["changed"]


def _inventory(site: Site) -> None:
    read_records(site.client(read_only=True), Plan("objects"), {})


def _lookup(site: Site) -> None:
    assert look_up(site.client(read_only=True), OBJECT, ["01000001", "01000002"])


DOORS: dict[str, Callable[[Site], object]] = {
    "info": _info,
    "apply": _apply,
    "export": lambda site: export_of(site, site.root / "export"),
    "absorb": _absorb,
    "inventory": _inventory,
    "lookup": _lookup,
    "event source": _watch,
    "service_info": lambda site: _run(site, "service_info"),
}
_PAGING = ("page", "per_page")


def lists_of(site: Site, act: Callable[[Site], object]) -> tuple[Counter[str], Counter[str]]:
    """Return how often the first page, and how often a later page, of each list is read."""
    site.service.clear_log()
    act(site)
    begun: Counter[str] = Counter()
    further: Counter[str] = Counter()
    for entry in site.service.log():
        pairs = dict(parse_qsl(entry["query"], keep_blank_values=True))
        name = f"{entry['path']}?{urlencode([pair for pair in pairs.items() if pair[0] not in _PAGING])}"
        (further if int(pairs.get("page", "1")) > 1 else begun)[re.sub(r"sort[^&]*&?", "", name)] += 1
    return begun, further


def test_a_proof_costs_a_request_for_each_list_and_none_where_totals_come(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = site.root / "shared"
    site.write(sample_files(90))
    shared.mkdir(mode=0o700)
    monkeypatch.setenv("SEVENTHINGS_RUNTIME_DIR", str(shared))
    site.run()
    # The first run of the day proves which lists have no pages.
    begun, further = lists_of(site, _info)
    assert further <= begun
    for door, act in DOORS.items():
        _begun, further = lists_of(site, act)
        assert not further, (door, further)
    site.service.steer("PUT", "/switches", SILENT)
    for door, act in DOORS.items():
        begun, further = lists_of(site, act)
        assert further <= begun, (door, further - begun)
        # Barcodes are unique, so a lookup needs no proof.
        assert bool(further) is (door != "lookup")


@pytest.mark.parametrize("beyond", ["empty", "clamp"])
def test_a_list_is_complete_when_an_instance_begins_to_page(beyond: str, tmp_path: Path) -> None:
    """The note about a complete list is valid for a day."""
    service = Embedded.started()
    now = [1000.0]

    def client() -> Client:
        return of_a_process(service, tmp_path, lambda: now[0])

    def count() -> list[int]:
        fresh = client()
        return [
            len(fresh.list_all(TASK)),
            *(len(fresh.definitions(template)) for template in ("asset", "room", "person")),
        ]

    whole = count()
    assert min(whole[:2]) > 2
    assert len(requests_of(service, count)) == 4
    paged = Embedded.started({"unpaged_lists": "paged", "page_beyond_end": beyond})
    service.service, service.gateway = paged.service, paged.gateway
    assert count() == whole
    assert count() == whole


def test_a_list_that_others_make_shorter_is_proven_once(tmp_path: Path) -> None:
    service = Embedded.started()
    first, second, third = (of_a_process(service, tmp_path) for _process in range(3))
    tasks = first.list_all(TASK)
    service.client().delete(TASK, tasks[0].uuid)
    assert [len(requests_of(service, partial(client.list_all, TASK))) for client in (second, third)] == [2, 1]
    first.delete(TASK, tasks[1].uuid)
    assert len(requests_of(service, partial(second.list_all, TASK))) == 1
