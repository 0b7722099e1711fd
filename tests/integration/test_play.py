# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whole plays: an empty instance is predicted, provisioned, found unchanged, and changed in one value."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import playbook
import pytest
import steps
import yaml
from emulator_process import Emulator
from playbook import Result, Run
from project import ROOT

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import MODULES

ACME = ROOT / "examples" / "acme"
NOBODY = "9091afea-81ee-4003-ac76-2ac11e3ddc3f"


@pytest.fixture
def empty(empty_emulator: Emulator) -> Emulator:
    """Return an empty instance with one user."""
    empty_emulator.reset()
    return empty_emulator


def provision(service: Emulator, source: Path, directory: Path, *options: str) -> Run:
    """Provision the example instance with its own playbook, connected by environment variables."""
    service.clear_log()
    options = (*options, "-e", '{"provision_allow": ["users"]}')
    variables = {**service.variables(), "SEVENTHINGS_RATE_LIMIT": "0"}
    return playbook.run(directory, source / "site.yml", *options, variables=variables)


def test_the_example_instance(empty: Emulator, tmp_path: Path) -> None:
    """Run the playbook of the example in check mode, and then twice for real.

    Then one value is changed, shown in check mode, and applied.
    """
    source = Path(shutil.copytree(ACME, tmp_path / "acme"))

    predicted = provision(empty, source, tmp_path, "--check", "--diff")

    assert predicted.status == 0, predicted.output
    assert [entry for entry in empty.log() if steps.is_write(entry)] == []

    first = provision(empty, source, tmp_path)

    assert first.status == 0, first.output
    summary = applied(first)["summary"]
    assert summary == predicted.named("Plan")["summary"]
    assert sum(kind["created"] for kind in summary.values()) == number_of_records(source)

    second = provision(empty, source, tmp_path)

    assert second.status == 0, second.output
    assert not any(result.data.get("changed") for result in second.results)
    # One list per kind; definitions have one list per template. The first run signed in.
    assert Counter(entry["path"].rpartition("/")[2] for entry in empty.log()) == {
        "field-definitions": 3,
        "locations": 1,
        "rooms": 1,
        "persons": 1,
        "users": 1,
        "objects": 1,
        # A single task may be the end of a paged list, so a second page is requested.
        "tasks": 2,
        "rental-cases": 1,
        "catalog-items": 1,
    }
    assert applied(second)["requests"] == 12

    objects = source / "objects" / "it.yml"
    objects.write_text(objects.read_text("utf-8").replace('"849.90"', '"799.00"'), "utf-8")
    shown = provision(empty, source, tmp_path, "--check", "--diff")

    assert shown.status == 0, shown.output
    assert [entry for entry in empty.log() if steps.is_write(entry)] == []
    fields = "-    100403 purchasing_price: 849.90\n+    100403 purchasing_price: 799.00\n"
    assert f" objects 100403 Projector Elbe\n{fields}" in shown.output
    # The total of all prices that change.
    assert shown.output.count(" -> ") == 1

    changed = provision(empty, source, tmp_path)

    assert applied(changed)["summary"]["objects"]["updated"] == 1
    (written,) = [entry for entry in empty.log() if steps.is_write(entry)]
    assert written["method"] == "PATCH"
    assert written["body"] == {"purchasing_price": 799.0}


def applied(run: Run) -> Result:
    """Return the result of the role's apply task."""
    return run.named("Apply")


def entries(path: Path) -> list[Any]:
    return list(yaml.safe_load(path.read_text("utf-8")))


def with_quoted_dates(entry: dict[str, Any]) -> dict[str, Any]:
    """Return a record whose dates are texts. Below 2.19, Ansible renders a map with a date as the text of a map."""
    return {key: str(value) if isinstance(value, date) else value for key, value in entry.items()}


def number_of_records(source: Path) -> int:
    """Return the number of records in the files of an instance."""
    about = ("instance.yml", "lab.seventhings.yml", "site.yml")
    return sum(len(entries(path)) for path in source.rglob("*.yml") if path.name not in about)


def single_modules(service: Emulator) -> dict[str, Any]:
    """Provision the example instance with a task for each record, or with a loop if the fields are a map."""
    tasks: list[dict[str, Any]] = []

    def add(module: str, options: Any, **more: Any) -> None:
        tasks.append({"name": f"{len(tasks)} {module}", f"{steps.NAMESPACE}{module}": options, **more})

    for template in ("asset", "room", "person"):
        for definition in entries(ACME / "fields" / f"{template}.yml"):
            add("field_definition", {"template": template, **definition})
    for module in ("location", "room", "person"):
        add(module, {"fields": "{{ item }}"}, loop=entries(ACME / f"{module}s.yml"))
    for person in entries(ACME / "users.yml"):
        add("user_from_person", {"person": person})
    objects = [with_quoted_dates(entry) for path in sorted((ACME / "objects").glob("*.yml")) for entry in entries(path)]
    add("object", {"fields": "{{ item }}"}, loop=objects)
    for module in ("task", "rental_case"):
        for entry in entries(ACME / f"{module}s.yml"):
            add(module, entry)
    catalog = entries(ACME / "catalog.yml")
    add("catalog_item", {"match_on": ["inventory_name"], "fields": "{{ item }}"}, loop=catalog)
    return {
        "hosts": "localhost",
        "gather_facts": False,
        "module_defaults": {"group/community.seventhings.all": steps.connection(service)},
        "tasks": tasks,
    }


def single_changes(run: Run) -> int:
    """Return the number of changes. Each item of a loop counts."""
    loops = {result.name for result in run.results if result.outcome == "item"}
    return sum(
        bool(result["changed"]) for result in run.results if result.outcome == "item" or result.name not in loops
    )


def test_single_modules_provision_an_empty_instance(empty: Emulator, tmp_path: Path) -> None:
    """In check mode, records of earlier tasks are missing, but the play still runs through."""
    play = single_modules(empty)
    empty.clear_log()

    predicted = playbook.run(tmp_path, [play], "--check", "--diff")
    log = empty.log()

    assert predicted.status == 0, predicted.output
    assert {entry["method"] for entry in log} == {"GET"}
    assert single_changes(predicted) == number_of_records(ACME)

    first = playbook.run(tmp_path, [play], "--diff")

    assert first.status == 0, first.output
    assert single_changes(first) == number_of_records(ACME)

    empty.clear_log()
    second = playbook.run(tmp_path, [play], "--diff")

    assert second.status == 0, second.output
    assert single_changes(second) == 0
    # The definitions; two locations; of five rooms each location and room, and the definitions once; of three persons
    # each the list, and the definitions once; a user: persons and the user; of six objects each location, room and
    # object, and the definitions once; two tasks and a rental case: each the list, users and objects; of two items of
    # the catalog each the list, and the definitions once. Two tasks may be a page, so each asks for the next one, too.
    definitions = sum(len(entries(ACME / "fields" / f"{name}.yml")) for name in ("asset", "room", "person"))
    assert len(empty.log()) == definitions + 2 + (5 * 2 + 1) + (3 + 1) + 2 + (6 * 3 + 1) + 3 * 3 + 2 + (2 + 1)

    cheaper = {"barcode": "100403", "inventory_name": "Projector Elbe", "purchasing_price": "799.00"}
    play["tasks"] = [{"name": "cheaper", f"{steps.NAMESPACE}object": {"fields": cheaper}}]
    empty.clear_log()
    shown = playbook.run(tmp_path, [play], "--check", "--diff")

    assert [line.strip() for line in shown.output.splitlines() if re.match("[-+] ", line)] == [
        '-    "purchasing_price": 849.9',
        '+    "purchasing_price": 799.0',
    ]
    assert shown.named("cheaper")["changed"]
    assert not [entry for entry in empty.log() if steps.is_write(entry)]


OPTIONS: dict[str, dict[str, Any]] = {
    "field_definition": {"template": "asset", "uuid": NOBODY, "comment": None},
    "field_definition_info": {"template": "asset"},
    "file": {"object": NOBODY, "field": "documents", "uuid": NOBODY, "state": "absent"},
    "file_download": {"uuid": NOBODY, "dest": "none"},
    "history_info": {"kind": "object", "record": NOBODY},
    "hub_item": {"object": NOBODY, "state": "absent"},
    "hub_order": {"id": 4711},
    "report": {"template": "none", "objects": [NOBODY], "dest": "none"},
    "user_from_person": {"person": "nobody@nordhain.example"},
}
"""Required options of modules for which the name of a missing record is not enough."""


def test_module_defaults_through_the_action_group_reach_every_module(emulator: Emulator, tmp_path: Path) -> None:
    """Each module sends a request to the instance of the group, with the token of the group."""
    emulator.reset()
    defaults = steps.connection(emulator)
    emulator.clear_log()
    tasks: list[dict[str, Any]] = []
    for name in sorted(MODULES):
        options = OPTIONS.get(name, {} if name.endswith("_info") else {"uuid": NOBODY, "state": "absent"})
        if name == "auth_token":
            options = {"state": "absent"}
        tasks.append({"name": name, f"{steps.NAMESPACE}{name}": options, "ignore_errors": True, "check_mode": True})
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "module_defaults": {"group/community.seventhings.all": defaults},
        "tasks": tasks,
    }

    run = playbook.run(tmp_path, [play])

    assert [result.name for result in run.results] == sorted(MODULES), run.output
    for result in run.results:
        assert "base_url is missing" not in str(result.data), result
        assert result.data.get("requests", 1) >= 1, result
    assert [entry for entry in emulator.log() if entry["status"] == 401] == []
    assert len(emulator.log()) >= len(MODULES)
