# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The roles of everyday work in real processes: in check mode, then twice.

The modules behind them have tests of their own.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from emulator_process import Emulator
from playbook import Result, run

LEDGER = "Anlage;AHK\n0410-0;1.890,00\n0433-0;1.300,00\n9999-0;10,00\n"
FACTS = {
    "pc1": {"serial": "LT-4410-0091", "vendor": "{{ 6 * 7 }}"},
    "pc2": {"serial": "To be filled by O.E.M.", "vendor": "LENOVO"},
    "nas": {"serial": "SV-1U-20871", "vendor": "Dell Inc."},
    "cam": {"serial": "SC-R6-40917", "vendor": "Canon Inc."},
    "new": {"serial": "NEW-1", "vendor": "HP"},
}
"""Host to its facts."""


@pytest.fixture
def service(emulator: Emulator) -> Emulator:
    """Return the demonstration data."""
    emulator.reset()
    return emulator


def played(
    directory: Path, service: Emulator, role: str, variables: dict[str, Any], play: dict[str, Any] | None = None
) -> list[Result]:
    """Play a role in check mode, and then twice.

    Return the results of its module, and check that check mode wrote nothing.
    """
    name = f"community.seventhings.{role}"

    def included(check_mode: bool) -> dict[str, Any]:
        options = {"name": name, "apply": {"check_mode": check_mode}}
        return {"name": "Include the role", "ansible.builtin.include_role": options, "vars": variables}

    tasks = {"tasks": [included(True), included(False), included(False)]}
    host = {"hosts": "localhost", "connection": "local", "gather_facts": False}
    done = run(directory, [{**(play or host), **tasks}], *_inventory(directory), variables=service.variables())
    assert done.status == 0, done.output
    found = [result for result in done.results if "requests" in result.data]
    shown = {line.strip() for result in done.results if result.name.endswith("Report") for line in result["msg"]}
    assert shown.isdisjoint(warning for result in found for warning in result.data.get("warnings", ()))
    return found


def _inventory(directory: Path) -> list[str]:
    local = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    hosts = {name: {**local, "facts": str(directory / name)} for name in FACTS}
    for name, facts in FACTS.items():
        (directory / name).mkdir(parents=True, exist_ok=True)
        (directory / name / "device.fact").write_text(json.dumps(facts), "utf-8")
    groups = {"hosts": {"localhost": {}}, "children": {"fleet": {"hosts": hosts}}}
    path = directory / "inventory.yml"
    path.write_text(yaml.safe_dump({"all": groups}), "utf-8")
    return ["-i", str(path)]


def limited(service: Emulator, name: str) -> Emulator:
    """Return the service for a new user who sees only what is in one location."""
    places = service.steer("GET", "/dump")["locations"]
    uuids = [place["uuid"] for place in places if place["fields"]["name"] == name]
    account = service.steer("POST", "/users", {"rights": ["read", "write"], "locations": uuids})
    return replace(service, username=account["username"], password=account["password"])


def writes(service: Emulator) -> list[str]:
    """Return the requests except reads and logins."""
    return [entry["path"] for entry in service.log() if entry["method"] != "GET" and "auth_token" not in entry["path"]]


GATHER = {
    "name": "Gather facts",
    "ansible.builtin.setup": {"gather_subset": ["!all", "!min", "local"], "fact_path": "{{ facts }}"},
}
FLEET = {"hosts": "fleet", "gather_facts": False, "pre_tasks": [GATHER]}
MAPPED = {
    "hosts_map": {"manufacturer": "ansible_local.device.vendor"},
    "hosts_key": {"field": "serial_number", "fact": "ansible_local.device.serial"},
}


def test_facts_of_hosts_reach_their_objects(service: Emulator, tmp_path: Path) -> None:
    variables = {**MAPPED, "hosts_report": [str(tmp_path / "hosts.html")]}
    planned, first, second = played(tmp_path / "play", service, "hosts", variables, FLEET)
    assert (planned["changed"], first["changed"], second["changed"]) == (True, True, False)
    assert (first["matched"], first["without_record"]) == (3, ["new"])
    assert [skipped["host"] for skipped in first["skipped_hosts"]] == ["pc2"]
    vendors = {change["key"]: change["after"]["manufacturer"] for change in first["changes"]}
    assert vendors.pop("LT-4410-0091") == "{{ 6 * 7 }}", "a fact is no template"
    assert vendors == {"SV-1U-20871": "Dell Inc.", "SC-R6-40917": "Canon Inc."}
    assert len(writes(service)) == 3, "one plan for all hosts, and none of the others"
    assert (tmp_path / "hosts.html").stat().st_mode & 0o777 == 0o600


def test_a_limited_account_writes_no_facts_in_silence(service: Emulator, tmp_path: Path) -> None:
    planned, first, second = played(tmp_path / "play", limited(service, "Leipzig"), "hosts", MAPPED, FLEET)
    assert (planned["changed"], first["changed"], second["changed"]) == (True, True, False), planned
    assert len(first["changes"]) == len(writes(service)) == 1
    assert set(first["without_record"]) == {"new", "nas", "pc1"}
    for result in (planned, first, second):
        assert any("may be limited to locations" in line for line in result["warnings"]), result["warnings"]


@pytest.mark.parametrize(
    ("chosen", "number"),
    [
        ({"move_room": "Dresden/1.10", "move_to": "Leipzig/3.03"}, 5),
        ({"move_from_location": "4010", "move_to": {"0.01": "Leipzig/3.03", "A 366": "Leipzig/Archiv"}}, 3),
    ],
    ids=["room", "location"],
)
def test_objects_move(service: Emulator, tmp_path: Path, chosen: dict[str, Any], number: int) -> None:
    variables = {**chosen, "move_report": [str(tmp_path / "move.html")]}
    planned, first, second = played(tmp_path / "play", service, "move", variables)
    assert (planned["changed"], first["changed"], second["changed"]) == (True, True, False)
    assert len(first["moved"]) == len(writes(service)) == number
    assert {tuple(change["after"]) for change in first["changes"]} == {("target_room",)}
    assert f"objects: {number} updated" in first["msg"].splitlines(), "a count is not about the option objects"
    assert (tmp_path / "move.html").exists()


def test_a_limited_account_moves_nothing_in_silence(service: Emulator, tmp_path: Path) -> None:
    variables = {"move_person": "irina.sokolova@nordhain.example", "move_to": "Leipzig/Archiv"}
    planned, first, second = played(tmp_path / "play", limited(service, "Leipzig"), "move", variables)
    assert (planned["changed"], first["changed"], second["changed"]) == (True, True, False), planned
    assert len(first["moved"]) == len(writes(service)) > 0
    for result in (planned, first, second):
        assert any("Objects may have been left behind" in line for line in result["warnings"]), result["warnings"]


def test_everything_of_a_person_is_handed_over(service: Emulator, tmp_path: Path) -> None:
    variables = {
        "handover_person": "bernd.kowalski@nordhain.example",
        "handover_to": "david.okafor@nordhain.example",
        "handover_sheet": str(tmp_path / "bernd.html"),
        "handover_language": "de",
    }
    planned, first, second = played(tmp_path / "play", service, "handover", variables)
    assert (planned["changed"], first["changed"], second["changed"]) == (True, True, False)
    assert (len(first["objects"]), second["objects"], second["is_clear"]) == (6, [], True)
    sheet = (tmp_path / "bernd.html").read_text("utf-8")
    assert all(words in sheet for words in ("100101", "Übergeben von"))


def test_a_limited_account_hands_nothing_over_in_silence(service: Emulator, tmp_path: Path) -> None:
    variables = {
        "handover_person": "bernd.kowalski@nordhain.example",
        "handover_to": "david.okafor@nordhain.example",
    }
    planned, first, second = played(tmp_path / "play", limited(service, "Leipzig"), "handover", variables)
    assert (planned["changed"], first["changed"], second["changed"]) == (True, True, False)
    assert (first["objects"], first["is_clear"], second["is_clear"]) == ([], False, False)
    for result in (planned, first, second):
        assert "may have more than this: nothing proves that this account sees all objects" in result["warnings"][0]


def test_the_ledger_is_compared(service: Emulator, tmp_path: Path) -> None:
    (tmp_path / "ledger.csv").write_text(LEDGER, "utf-8")
    columns = {"Anlage": "Anlagennummer", "AHK": "purchasing_price"}
    variables = {
        "ledger_file": str(tmp_path / "ledger.csv"),
        "ledger_table": {"preset": "excel-de", "columns": columns, "match": ["Anlagennummer"]},
        "ledger_report": [str(tmp_path / "ledger.csv.html")],
        "ledger_language": "de",
    }
    results = played(tmp_path / "play", service, "ledger", variables)
    assert [result["changed"] for result in results] == [False, False, False]
    assert "Verglichen von" in (tmp_path / "ledger.csv.html").read_text("utf-8")
    assert (results[0]["counts"]["equal"], results[0]["counts"]["differ"], len(results[0]["not_found"])) == (1, 1, 1)
    assert writes(service) == []


@pytest.mark.parametrize(
    ("role", "variables", "words"),
    [
        ("hosts", {"hosts_map": {"manufacturer": "system_vendor"}}, "hosts_key"),
        ("move", {"move_room": "Dresden/1.10"}, "move_to"),
    ],
)
def test_arguments_of_a_role_are_judged(
    service: Emulator, tmp_path: Path, role: str, variables: dict[str, Any], words: str
) -> None:
    task = {
        "name": "Play",
        "ansible.builtin.include_role": {"name": f"community.seventhings.{role}"},
        "vars": variables,
    }
    play = {"hosts": "localhost", "gather_facts": False, "tasks": [task]}
    done = run(tmp_path / "play", [play], variables=service.variables())
    assert done.status != 0
    assert f"missing required arguments: {words}" in done.output
    assert service.log() == []
