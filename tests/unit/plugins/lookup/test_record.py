# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Look up records by all forms of references, on an instance that is a few lists in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
import yaml
from ansible import constants
from ansible.errors import AnsibleLookupError
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar
from trust import as_template

from ansible_collections.community.seventhings.plugins.doc_fragments.connection_plugin import ModuleDocFragment
from ansible_collections.community.seventhings.plugins.lookup import record as lookup
from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record
from ansible_collections.community.seventhings.plugins.module_utils.client.transport import Transport
from ansible_collections.community.seventhings.plugins.module_utils.errors import SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import Kind
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.plugin_utils.readers import connection as plugin_connection

_TYPES = {
    "room": {"name": "TEXT", "number": "TEXT", "building_id": "LINKED_LOCATION"},
    "asset": {"inventory_name": "TEXT", "barcode": "BARCODE", "purchasing_price": "MONEY"},
    "person": {"email": "TEXT", "first_name": "TEXT"},
}


def uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


def task(number: int, title: str, status: str) -> dict[str, Any]:
    return {"uuid": uuid(number), "title": title, "status": status, "deadline": "2026-05-31", "references": []}


@dataclass
class Instance:
    """An instance in memory that ignores filters. ``asked`` are the requests that would have been sent."""

    records: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    transport: Transport = field(default_factory=lambda: Transport("https://acme.example"))

    def without_credentials(self, value: Any) -> Any:
        return value

    def schema(self, kind: Kind) -> Schema:
        types = _TYPES.get(kind.template, {})
        return Schema.for_kind(
            kind,
            [
                {"field_key": key, "label": key.title(), "field_type": {"name": name, "constraints": []}}
                for key, name in types.items()
            ],
        )

    def list_all(self, kind: Kind, *_conditions: Any, **_options: Any) -> list[Record]:
        self.requests.append(f"list {kind.name}")
        return [Record.from_answer(kind, raw) for raw in self.records.get(kind.name, ())]

    @property
    def lists(self) -> Instance:
        return self

    def some(self, kind: Kind) -> list[Record]:
        return self.list_all(kind)[:1000]

    def get(self, kind: Kind, uuid: str, _template: str = "") -> Record | None:
        self.requests.append(f"get {kind.name}")
        names = (kind.name, f"archived {kind.name}")
        records = [Record.from_answer(kind, raw) for name in names for raw in self.records.get(name, ())]
        return next((record for record in records if record.uuid == uuid), None)

    def get_by_barcode(self, kind: Kind, barcode: str) -> Record | None:
        """Return an archived record, which is in no list."""
        self.requests.append(f"barcode {kind.name}")
        archived = [Record.from_answer(kind, raw) for raw in self.records.get(f"archived {kind.name}", ())]
        return next((record for record in archived if record.flat["barcode"] == barcode), None)

    def get_by_id(self, kind: Kind, number: int) -> Record | None:
        records = [Record.from_answer(kind, raw) for raw in self.records.get(kind.name, ())]
        return next((record for record in records if record.id == number), None)


@pytest.fixture
def acme(monkeypatch: pytest.MonkeyPatch) -> Instance:
    instance = Instance(
        {
            "location": [
                {"id": 1, "location_uuid": uuid(1), "name": "Head office", "floors": "3"},
                {"id": 2, "location_uuid": uuid(2), "name": "Depot"},
            ],
            "room": [
                {"id": 11, "room_uuid": uuid(11), "name": "Lab", "number": "0.12", "building_id": 1},
                {"id": 12, "room_uuid": uuid(12), "name": "Lab", "number": "0.12", "building_id": 2},
                {"id": 13, "room_uuid": uuid(13), "name": "Store", "number": None, "building_id": 0},
            ],
            "object": [
                {"id": 21, "asset_uuid": uuid(21), "barcode": "0001", "purchasing_price": "12.50"},
                {"id": 22, "asset_uuid": uuid(22), "barcode": "0002", "purchasing_price": None},
            ],
            "person": [{"id": 31, "person_uuid": uuid(31), "email": "Anna@acme.example", "first_name": "Anna"}],
            "user": [{"id": 41, "uuid": uuid(41), "email": "anna@acme.example", "display_name": "Anna"}],
            "task": [
                task(51, "Inspect", "closed"),
                task(52, "Inspect", "open"),
                task(53, "Paint", "open"),
                task(54, "Paint", "open"),
            ],
            "rental_case": [
                {"uuid": uuid(61), "title": "Fair", "issue_date": "2026-05-01", "references": []},
                {"uuid": uuid(62), "title": "Fair", "issue_date": "2026-06-01", "references": []},
                {"uuid": uuid(63), "title": "Tour", "issue_date": "2026-06-01", "references": []},
            ],
        }
    )
    monkeypatch.setattr(lookup, "shared_reader", lambda _options: instance)
    monkeypatch.setenv("SEVENTHINGS_BASE_URL", "https://acme.example")
    return instance


@pytest.fixture
def find(acme: Instance) -> Callable[..., Any]:
    """Call the lookup as a template does."""
    assert acme.records
    definitions: dict[str, Any] = {}
    for text in (ModuleDocFragment.DOCUMENTATION, lookup.DOCUMENTATION):
        definitions.update(yaml.safe_load(text)["options"])
    constants.config.initialize_plugin_configuration_definitions("lookup", "community.seventhings.record", definitions)

    def run(*terms: Any, **options: Any) -> list[Any]:
        loader = DataLoader()
        plugin = lookup.LookupModule(loader=loader, templar=Templar(loader=loader, variables={"inner": "https://a"}))
        plugin._load_name = plugin.ansible_name = "community.seventhings.record"
        return list(plugin.run(list(terms), variables={}, **options))

    return run


def test_who_says_nowhere_what_to_connect_to_is_reported_where_a_lookup_does_not_look(
    find: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SEVENTHINGS_BASE_URL")
    with pytest.raises(AnsibleLookupError, match="neither the module_defaults nor the environment of a play or task"):
        find("room", "Depot/0.12")
    assert find("room", "Depot/0.12", base_url="https://acme.example")


# ---- references


@pytest.mark.parametrize(
    ("kind", "reference", "found"),
    [
        ("object", "0001", 21),
        ("object", 22, 22),
        ("object", uuid(22).upper(), 22),
        ("object", {"barcode": "0002"}, 22),
        ("location", "Depot", 2),
        ("location", 1, 1),
        ("room", "Head office/0.12", 11),
        ("room", "Depot/Lab", 12),
        ("room", "Store", 13),
        ("room", {"building_id": "Depot", "number": "0.12"}, 12),
        ("room", {"id": 11, "uuid": uuid(11), "display_name": "Lab"}, 11),
        ("person", "anna@ACME.example", 31),
        ("user", "Anna@acme.example", 41),
        ("task", "Inspect", 52),
        ("task", uuid(51), 51),
        ("task", {"title": "Inspect", "status": "closed"}, 51),
        ("rental_case", "Tour", 63),
        ("rental_case", {"title": "Fair", "issue_date": "2026-06-01"}, 62),
        ("rental_case", {"uuid": uuid(61)}, 61),
    ],
)
def test_a_record_is_found_by_every_form(find: Any, kind: str, reference: Any, found: int) -> None:
    (record,) = find(kind, reference)
    assert record["uuid"] == uuid(found)


def test_a_record_has_the_shape_of_the_modules(find: Any) -> None:
    (record,) = find("room", 11)
    assert record["building_id"] == {"id": 1, "uuid": None, "display_name": None}
    assert record["number"] == "0.12"
    assert find("object", "0001")[0]["purchasing_price"] == 12.5


def test_several_in_their_order_and_lists_for_their_items(find: Any) -> None:
    found = find("object", "0002", ["0001", 22])
    assert [record["barcode"] for record in found] == ["0002", "0001", "0002"]


def test_one_list_for_several_tasks(find: Any, acme: Instance) -> None:
    find("task", "Inspect", {"title": "Inspect", "status": "closed"})
    assert acme.requests.count("list task") == 1


@pytest.mark.parametrize(("kind", "keys"), [("object", ("0001", "0002")), ("user", ("anna@acme.example",))])
def test_what_a_list_showed_is_not_read_again(find: Any, acme: Instance, kind: str, keys: tuple[str, ...]) -> None:
    assert len(find(kind, *keys)) == len(keys)
    assert acme.requests == [f"list {kind}"]


def test_a_field_by_key_or_label(find: Any) -> None:
    assert find("object", "0001", "0002", field="purchasing_price") == [12.5, None]
    assert find("object", "0001", field="Barcode") == ["0001"]
    assert find("object", "0001", field="uuid") == [uuid(21)]
    assert find("location", "Head office", field="floors") == ["3"]


# ---- errors


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ((), "expected a kind of record and at least one reference"),
        (("room",), "expected a kind of record and at least one reference"),
        (("roam", "Lab"), "'roam' is not a kind of record; expected one of location, room, person"),
        (("room", ""), "does not fit; expected a reference to one room"),
        (("room", True), "True does not fit"),
        (("room", "Lab"), "2 rooms have the natural key 'Lab'"),
        (("room", "Head office/0.13"), r"There is no room 'Head office/0\.13'\. The nearest are 'Head office/0\.12'"),
        (("room", 99), "There is no room with the id 99"),
        (("room", uuid(99)), f"There is no room with the uuid {uuid(99)}"),
        (("room", {"floor": 1}), "floor: no such field"),
        (("object", "0003"), "There is no object '0003'"),
        (("task", 5), "5 does not fit; a task has no integer id"),
        (("task", "Inspekt"), "There is no task with title 'Inspekt'. The nearest are 'Inspect'"),
        (("task", "Paint"), "2 tasks have title 'Paint'"),
        (("task", {"titel": "Paint"}), "task: titel: no such field in a task; did you mean title"),
        (("task", {"deadline": "2020-01-01"}), "There is no task with deadline"),
        (("rental_case", "Fair"), "2 rental cases have title 'Fair'"),
    ],
)
def test_an_error_says_what_was_wrong(find: Any, terms: tuple[Any, ...], message: str) -> None:
    with pytest.raises(AnsibleLookupError, match=message):
        find(*terms)


def test_an_unknown_option_is_refused(find: Any) -> None:
    with pytest.raises(AnsibleLookupError, match="lock_wait: no such option"):
        find("room", "Lab", lock_wait=5)


def test_an_unknown_field_is_an_error_with_the_nearest(find: Any) -> None:
    with pytest.raises(AnsibleLookupError, match="field: barkode: no such field in an object; did you mean barcode"):
        find("object", "0001", field="barkode")


# ---- connection


def test_one_client_for_the_same_options_in_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin_connection, "_CLIENTS", {})
    options = {"base_url": "https://acme.example.com", "access_token": "tok-1", "rate_limit": 0}
    first = plugin_connection.shared_reader(options)
    assert plugin_connection.shared_reader(dict(options)) is first
    assert plugin_connection.shared_reader({**options, "access_token": "tok-2"}) is not first
    monkeypatch.setattr("os.getpid", lambda: -1)
    assert plugin_connection.shared_reader(options) is not first


def test_a_missing_library_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin_connection, "REQUESTS_IMPORT_ERROR", "Traceback")
    with pytest.raises(SeventhingsError, match="requests"):
        plugin_connection.reader({})


@dataclass
class Options:
    """A plugin with one option."""

    value: Any
    origin: str
    option_definitions: dict[str, Any] = field(default_factory=lambda: {"base_url": {}, "other": {}})

    def get_option_and_origin(self, _option: str) -> tuple[Any, str]:
        return self.value, self.origin


@pytest.mark.parametrize(
    ("origin", "rendered"),
    [("var: site_url", "https://a"), ("Direct", "{{ inner }}"), ("env: SEVENTHINGS_BASE_URL", "{{ inner }}")],
)
def test_only_what_is_still_a_template_is_rendered(origin: str, rendered: str) -> None:
    """Arguments of a lookup are already rendered, and values from the environment are never rendered."""
    templar = Templar(loader=DataLoader(), variables={"inner": "https://a"})
    plugin = Options(as_template("{{ inner }}"), origin)
    assert plugin_connection.connection_options(plugin, templar.template, ("var",)) == {"base_url": rendered}


def test_an_archived_object_is_found_by_its_barcode(find: Any, acme: Instance) -> None:
    acme.records["archived object"] = [{"id": 77, "asset_uuid": uuid(77), "barcode": "0077"}]
    (found,) = find("object", "0077")
    assert found["uuid"] == uuid(77)
    assert acme.requests.count("barcode object") == 1
