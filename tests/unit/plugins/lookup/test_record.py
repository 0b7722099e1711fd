# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Look up records by all forms of references, on the embedded service."""

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
from embedded_here import ROOT_URL, Embedded
from trust import as_template

from ansible_collections.community.seventhings.plugins.doc_fragments.connection_plugin import ModuleDocFragment
from ansible_collections.community.seventhings.plugins.lookup import record as lookup
from ansible_collections.community.seventhings.plugins.module_utils.errors import SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.plugin_utils.readers import connection as plugin_connection

ANNA = "anna.lindner@nordhain.example"
GONE = "00000000-0000-4000-8000-000000000099"


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Embedded:
    """Return the demonstration data, with two tasks and two rental cases of one title."""
    here = Embedded.started()
    for module, title in (("task", "Paint"), ("rental_case", "Fair")):
        for record in here.call(f"{module}_info")["records"][1:3]:
            done = here.call(module, uuid=record["uuid"], title=title)
            assert done["changed"], done
    client = here.client()
    monkeypatch.setattr(lookup, "shared_reader", lambda _options: client)
    monkeypatch.setenv("SEVENTHINGS_BASE_URL", ROOT_URL)
    here.log.clear()
    return here


@pytest.fixture
def find(here: Embedded) -> Callable[..., Any]:
    """Call the lookup as a template does."""
    assert not here.log
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


def lists_read(here: Embedded, name: str) -> int:
    return sum(path.endswith(f"/{name}") for _method, path in here.log)


def test_who_says_nowhere_what_to_connect_to_is_reported_where_a_lookup_does_not_look(
    find: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SEVENTHINGS_BASE_URL")
    with pytest.raises(AnsibleLookupError, match="neither the module_defaults nor the environment of a play or task"):
        find("room", "Dresden/1.04")
    assert find("room", "Dresden/1.04", base_url=ROOT_URL)


# ---- references


@pytest.mark.parametrize(
    ("kind", "forms"),
    [
        ("object", ["100012", {"barcode": "100012"}]),
        ("location", ["Dresden"]),
        ("room", ["Dresden/1.04", "Dresden/IT-Büro", {"building_id": "Dresden", "number": "1.04"}]),
        ("person", [ANNA, ANNA.upper()]),
        ("user", [ANNA, ANNA.title()]),
        ("task", ["Akkus bestellen", {"title": "Akkus bestellen", "status": "open"}]),
        ("rental_case", ["Leiter für die Fassade", {"title": "Leiter für die Fassade", "issue_date": "2025-05-05"}]),
    ],
)
def test_a_record_is_found_by_every_form(here: Embedded, find: Any, kind: str, forms: list[Any]) -> None:
    """It has the shape that the info module returns."""
    (record,) = found = find(kind, forms[0])
    numbers = [record["id"]] if kind not in ("task", "rental_case") else []
    link = {"uuid": record["uuid"], "display_name": "?"}
    for form in [*forms[1:], record["uuid"].upper(), *numbers, link if numbers else {"uuid": record["uuid"]}]:
        assert find(kind, form) == found, form
    if kind in ("object", "location", "room"):
        assert here.call(f"{kind}_info", uuid=record["uuid"])["records"] == found


def test_the_open_task_is_meant(here: Embedded, find: Any) -> None:
    first, second = here.call("task_info", filters={"title": "Paint"})["records"]
    here.client().set_status(KINDS["task"], first["uuid"], "closed")
    assert find("task", "Paint", {"title": "Paint", "status": "closed"}, field="uuid") == [
        second["uuid"],
        first["uuid"],
    ]


def test_several_in_their_order_and_lists_for_their_items(here: Embedded, find: Any) -> None:
    codes = ["100012", "100007", "100012"]
    assert find("object", codes[0], codes[1:], field="barcode") == codes
    assert lists_read(here, "objects") == 1
    find("task", "Akkus bestellen", {"title": "Akkus bestellen", "status": "open"})
    assert lists_read(here, "tasks") == 2, "the list, and the proof that it has no pages"


def test_a_field_by_key_or_label(find: Any) -> None:
    assert find("object", "100012", "100007", field="serial_number") == ["PR-9004-55", "LT-4410-0091"]
    assert find("object", "100012", field="Serial number") == ["PR-9004-55"]
    (record,) = find("object", "100012")
    assert find("object", "100012", field="uuid") == [record["uuid"]]


def test_an_archived_object_is_found_by_its_barcode(here: Embedded, find: Any) -> None:
    archived = here.call("object", fields={"barcode": "100012"}, match_on=["barcode"], state="archived")
    assert archived["changed"]
    assert find("object", "100012", field="barcode") == ["100012"]


# ---- errors


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        (("room",), "expected a kind of record and at least one reference"),
        (("roam", "Lab"), "'roam' is not a kind of record; expected one of location, room, person"),
        (("room", ""), "does not fit; expected a reference to one room"),
        (("room", True), "true does not fit"),
        (("room", "Dresden/1.05"), r"There is no room 'Dresden/1\.05'\. The nearest are 'Dresden/1\.1"),
        (("room", 9999), "reference 1: There is no room with the id 9999"),
        (("room", GONE), f"reference 1: There is no room with the uuid {GONE}"),
        (("room", {"floor": 1}), "floor: no such field"),
        (("object", "0003"), "There is no object '0003'"),
        (("task", 5), "5 does not fit; a task has no integer id"),
        (("task", "Paynt"), "There is no task with title 'Paynt'. The nearest are 'Paint'"),
        (("task", "Paint"), "2 tasks have title 'Paint'"),
        (("task", {"titel": "Paint"}), "task: titel: no such field in a task; did you mean title"),
        (("task", {"deadline": "2020-01-01"}), "There is no task with deadline"),
        (("rental_case", "Fair"), "2 rental cases have title 'Fair'"),
    ],
)
def test_an_error_says_what_was_wrong(find: Any, terms: tuple[Any, ...], message: str) -> None:
    with pytest.raises(AnsibleLookupError, match=message):
        find(*terms)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lock_wait": 5}, "lock_wait: no such option"),
        ({"field": "barkode"}, "field: barkode: no such field in an object; did you mean barcode"),
    ],
)
def test_an_unknown_option_or_field_is_refused(find: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(AnsibleLookupError, match=message):
        find("object", "100012", **options)


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
    plugin: Any = Options(as_template("{{ inner }}"), origin)
    assert plugin_connection.connection_options(plugin, templar.template, ("var",)) == {"base_url": rendered}
