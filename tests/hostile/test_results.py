# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Texts of the service and of files are data in every result: of modules, the lookup, and ``instance``.

Registered results are used in every place of a play that evaluates templates or expressions. Nothing of them runs, and
Ansible treats none of their texts as a template.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import playbook
import pytest
import requests
import yaml
from emulator_process import Emulator
from project import LONG
from trust import IS_TEXT_A_TEMPLATE

CANARY = "heron-51-quay"
"""The output of a payload that runs. No payload contains it."""
BARE = "lookup('ansible.builtin.pipe', 'echo $CANARY')"
PAYLOADS = (BARE, "{{ " + BARE + " }}")

FILTERS = """
from trust import would_render


def texts(value):
    if isinstance(value, dict):
        return [text for pair in value.items() for one in pair for text in texts(one)]
    if isinstance(value, (list, tuple)):
        return [text for one in value for text in texts(one)]
    return [value] if isinstance(value, str) and "echo $" in value else []


class FilterModule:
    def filters(self):
        return {
            "payloads": texts,
            "trusted_payloads": lambda value: len([one for one in texts(value) if would_render(one)]),
        }
"""
"""Filters for the play: the texts with a payload in a result, keys included, and how many of them are trusted."""

RESULT = "{{ result | payloads | unique }}"
MODULES: list[dict[str, Any]] = [
    {"ansible.builtin.debug": {"var": "{{ item }}"}},
    {"ansible.builtin.debug": {"var": "item"}},
    {"ansible.builtin.debug": {"msg": "{{ item }}"}},
    {"ansible.builtin.debug": {"msg": "{{ given }}"}, "vars": {"given": "{{ item }}"}},
    {"ansible.builtin.assert": {"that": "{{ item }}", "fail_msg": "{{ item }}"}},
    {"ansible.builtin.assert": {"that": ["item"]}},
    {"ansible.builtin.debug": {"msg": "done"}, "when": "{{ item }}"},
    {"ansible.builtin.debug": {"msg": "done"}, "when": "item"},
    {"ansible.builtin.debug": {"msg": "done"}, "changed_when": "{{ item }}"},
    {"ansible.builtin.debug": {"msg": "done"}, "changed_when": "item"},
    # Before 2.19, ansible-playbook itself fails if a text decides this.
    *([] if IS_TEXT_A_TEMPLATE else [{"ansible.builtin.debug": {"msg": "done"}, "failed_when": "{{ item }}"}]),
    {"ansible.builtin.set_fact": {"kept": "{{ item }}"}},
    {"ansible.builtin.debug": {"var": "{{ kept }}"}},
]


def send(service: Emulator, token: str, method: str, path: str, body: Any = None) -> Any:
    with requests.Session() as session:
        session.trust_env = False
        session.headers["Authorization"] = f"Bearer {token}"
        answer = session.request(method, f"{service.base_url}/customer-api/v1/{path}", json=body, timeout=30)
    answer.raise_for_status()
    return answer.json() if answer.content else None


@pytest.fixture
def service(emulator: Emulator) -> Emulator:
    """Return the embedded service, with payloads in records of several kinds."""
    emulator.reset()
    token = emulator.token()
    for path, kind, uuid, keys in (
        ("locations", "location", "location_uuid", ("name", "city")),
        ("rooms", "room", "room_uuid", ("name", "number")),
        ("objects", "object", "uuid", ("inventory_name", "description")),
        ("persons", "person", "person_uuid", ("first_name", "last_name")),
    ):
        records = send(emulator, token, "GET", f"{path}?per_page=2")["items"]
        for record, payload in zip(records, PAYLOADS, strict=False):
            body = {key: payload for key in keys if key in {**record, **(record.get("fields") or {})}}
            send(emulator, token, "PATCH", f"{kind}/{record.get(uuid) or record['uuid']}", body)
    return emulator


def run(directory: Path, service: Emulator, task: dict[str, Any], *before: dict[str, Any]) -> playbook.Run:
    """Run a task, and use its result in every place.

    :param before: tasks that come first.
    """
    filters = directory / "filter_plugins"
    filters.mkdir(parents=True)
    (filters / "payloads.py").write_text(FILTERS)
    doors = [{**door, "loop": RESULT, "ignore_errors": True} for door in MODULES]
    counts = {
        "own": "{{ own | trusted_payloads }}",
        "found": "{{ result | payloads | length }}",
        "trusted": "{{ result | trusted_payloads }}",
    }
    tasks = [
        *before,
        {**task, "register": "result", "ignore_errors": True},
        {"name": "counts", "ansible.builtin.debug": {"msg": counts}},
        *doors,
    ]
    # Texts of the playbook are trusted, so the filter can recognise them.
    plays = [{"hosts": "localhost", "gather_facts": False, "vars": {"own": ["echo $"]}, "tasks": tasks}]
    # Conditions written as texts are deprecated.
    variables = {**service.variables(), "CANARY": CANARY, "ANSIBLE_DEPRECATION_WARNINGS": "false"}
    return playbook.run(directory, plays, variables=variables)


def assert_data(ran: playbook.Run) -> None:
    """Check that the result contains payloads as data, and that none ran."""
    # Before 2.19 a template gives the digits of a number.
    counts = {name: int(value) for name, value in ran.named("counts")["msg"].items()}
    assert counts["own"] == 1
    assert counts["found"] > 0, ran.output[:3000]
    assert counts["trusted"] == 0
    assert CANARY not in ran.output
    assert "Traceback" not in ran.output


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", ["location", "room", "object", "person"])
def test_what_an_info_module_gives_is_data(service: Emulator, tmp_path: Path, kind: str) -> None:
    assert_data(run(tmp_path, service, {f"community.seventhings.{kind}_info": {"limit": 1000}}))


@pytest.mark.sample(1)
@pytest.mark.parametrize("execution", ["auto", "module"])
def test_what_a_record_module_gives_is_data(service: Emulator, tmp_path: Path, execution: str) -> None:
    uuid = send(service, service.token(), "GET", "objects?per_page=1")["items"][0]["uuid"]
    wanted = {"uuid": uuid, "fields": {"serial_number": "changed"}, "tuning": {"execution": execution}}
    assert_data(run(tmp_path, service, {"community.seventhings.object": wanted, "diff": True}))


def test_what_the_lookup_gives_is_data(service: Emulator, tmp_path: Path) -> None:
    uuid = send(service, service.token(), "GET", "objects?per_page=1")["items"][0]["uuid"]
    lookup = f"query('community.seventhings.record', 'object', '{uuid}')"
    assert_data(run(tmp_path, service, {"ansible.builtin.set_fact": {"looked": "{{ " + lookup + " }}"}}))


@pytest.mark.sample(1)
@pytest.mark.parametrize("mode", ["plan", "apply"])
def test_what_instance_gives_is_data(service: Emulator, tmp_path: Path, mode: str) -> None:
    """Payloads in the service become the old values, and payloads in the files the new values."""
    objects = send(service, service.token(), "GET", "objects?per_page=2")["items"]
    directory = tmp_path / "state"
    directory.mkdir()
    (directory / "instance.yml").write_text("api: seventhings/v1\nset: hostile\n")
    # Files with braces are rejected.
    rows = [{"barcode": record["barcode"], "inventory_name": f"{BARE}[0]", "serial_number": BARE} for record in objects]
    (directory / "objects.yml").write_text(yaml.safe_dump(rows))
    task: dict[str, Any] = {"community.seventhings.instance": {"src": str(directory)}, "diff": True}
    assert_data(run(tmp_path, service, {**task, "check_mode": mode == "plan"}))


def _everyday(directory: Path, service: Emulator) -> dict[str, dict[str, Any]]:
    """Return the options of each everyday module that reads records with payloads."""
    token = service.token()
    objects = send(service, token, "GET", "objects?per_page=2")["items"]
    person = send(service, token, "GET", "persons?per_page=1")["items"][0]
    rooms = send(service, token, "GET", "rooms?per_page=2")["items"]
    for number, record in enumerate(objects):
        # Everything that a person has, and everything in a room, is reported with its names.
        links = {"responsible_person": person["id"], "actual_room": rooms[0]["id"], "target_room": rooms[0]["id"]}
        send(service, token, "PATCH", f"object/{record['uuid']}", {**links, "serial_number": f"SN-{number}"})
    room = {"uuid": rooms[1].get("room_uuid") or rooms[1]["uuid"]}
    (directory / "ledger.csv").write_text(
        f'barcode,inventory_name\n{objects[0]["barcode"]},Other\n0,"{BARE}"\n', "utf-8"
    )
    hosts = {"map": {"inventory_name": "found_name"}, "key": {"field": "serial_number", "fact": "found_code"}}
    return {
        "handover": {"person": {"uuid": person.get("person_uuid") or person["uuid"]}},
        "move": {"objects": [record["barcode"] for record in objects], "to": room},
        "hosts": hosts,
        "ledger": {"file": "ledger.csv", "identity": ["barcode"], "compare": ["inventory_name"]},
        "stocktake": {"since": "2020-01-01", "until": "2031-12-31"},
    }


EVERYDAY = ("handover", "hosts", "ledger", "move", "stocktake")


@pytest.mark.parametrize("name", EVERYDAY if LONG else EVERYDAY[:1])
def test_what_an_everyday_module_gives_is_data(service: Emulator, tmp_path: Path, name: str) -> None:
    options = _everyday(tmp_path, service)[name]
    facts = {"found_name": "Other", "found_code": "SN-0", "cacheable": True}
    task = {f"community.seventhings.{name}": options, "diff": True}
    assert_data(run(tmp_path, service, task, {"ansible.builtin.set_fact": facts}))


def test_findings_about_files_are_data(service: Emulator, tmp_path: Path) -> None:
    directory = tmp_path / "state"
    directory.mkdir()
    (directory / "instance.yml").write_text("api: seventhings/v1\nset: hostile\n")
    (directory / "objects.yml").write_text(
        yaml.safe_dump([{"barcode": "1", "target_room": payload, payload: "x"} for payload in PAYLOADS])
    )
    assert_data(run(tmp_path, service, {"community.seventhings.instance": {"src": str(directory)}}))


def test_what_an_export_gives_is_data(service: Emulator, tmp_path: Path) -> None:
    ran = run(tmp_path, service, {"community.seventhings.instance_export": {"dest": str(tmp_path / "out")}})
    assert CANARY not in ran.output
    assert int(ran.named("counts")["msg"]["trusted"]) == 0
