# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run all modules and plugins in real processes of Ansible, at the highest verbosity, with a service full of payloads.

Ansible prints results as JSON and escapes only C0 controls there. It prints values of variables in ``--graph --vars``
and in labels of loops unchanged. These are data, which the collection must not change. Nothing else that is printed
controls a terminal.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import doors
import hostile_service
import payloads
import playbook
import pytest
from hostile_service import HostileService
from payloads import CANARY, OWN
from project import LONG

TEXTS = [text for text in payloads.some(seed=2, of_each=4) if len(text) < 2000]
EXECUTING = payloads.EXECUTION if LONG else payloads.EXECUTION[:3]
NAMESPACE = "community.seventhings."
REPORTS = ("json", "md", "html")
EXECUTIONS = ("auto", "module") if LONG else ("auto",)

OPENED: list[dict[str, Any]] = [
    {"ansible.builtin.debug": {"var": "{{ item }}"}},
    {"ansible.builtin.debug": {"var": "item"}},
    {"ansible.builtin.debug": {"msg": "{{ given }}"}, "vars": {"given": "{{ item }}"}},
    {"ansible.builtin.assert": {"that": "{{ item }}", "fail_msg": "{{ item }}"}},
    {"ansible.builtin.debug": {"msg": "done"}, "when": "{{ item }}"},
    {"ansible.builtin.debug": {"msg": "done"}, "changed_when": "{{ item }}"},
    {"ansible.builtin.set_fact": {"kept": "{{ item }}"}},
    {"ansible.builtin.debug": {"var": "{{ kept }}"}},
]
"""Places of a play that evaluate an expression, a template or a test."""


@pytest.fixture
def service() -> Iterator[HostileService]:
    with hostile_service.running() as started:
        started.texts = TEXTS
        yield started


def variables(service: HostileService, directory: Path) -> dict[str, str]:
    """Return the environment of a command of Ansible."""
    return {
        "CANARY": CANARY,
        "RAN": str(directory / "ran"),
        "SEVENTHINGS_BASE_URL": service.base_url,
        "SEVENTHINGS_USERNAME": "u@example.org",
        "SEVENTHINGS_PASSWORD": hostile_service.PASSWORD,
        "SEVENTHINGS_CLIENT_ID": "c",
        "SEVENTHINGS_RATE_LIMIT": "0",
        # No write of this service has an effect, so there is nothing to wait for.
        "SEVENTHINGS_SETTLE": "0",
    }


def assert_harmless(output: str, directory: Path) -> None:
    assert "Traceback" not in output
    assert not (directory / "ran").exists()
    for secret in (*hostile_service.SECRETS, CANARY, OWN):
        assert not [spelling for spelling in hostile_service.spelled(secret) if spelling in output]


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_no_module_prints_what_steers_at_any_verbosity(service: HostileService, tmp_path: Path, execution: str) -> None:
    tasks: list[dict[str, Any]] = [
        {f"community.seventhings.{name}": {**doors.options(row, tmp_path / "in"), "tuning": {"execution": execution}}}
        for name, rows in doors.MODULES.items()
        for row in rows
    ]
    tasks += [
        {"ansible.builtin.set_fact": {"looked": f"{{{{ query('community.seventhings.record', '{kind}', '{uuid}') }}}}"}}
        for kind, uuid in doors.LOOKUPS.items()
    ]
    tasks += [
        {"ansible.builtin.set_fact": {"looked": f"{{{{ query('community.seventhings.record', '{kind}', 'no') }}}}"}}
        for kind in doors.LOOKUPS
    ]
    tasks.append({"community.seventhings.instance_export": {"dest": str(tmp_path / "out"), "format": "csv"}})
    tasks.append({"community.seventhings.instance": {"src": str(tmp_path / "out"), "report": str(tmp_path / "r.md")}})
    into = {"objects": "objects/new.yml", "persons": "persons/new.csv", "rooms": "rooms/new.jsonl"}
    tasks.append({"community.seventhings.instance_absorb": {"src": str(tmp_path / "out"), "into": into}})
    plays = [{"hosts": "localhost", "gather_facts": False, "ignore_errors": True, "tasks": tasks}]
    ran = playbook.run(tmp_path, plays, "-vvvv", "--diff", variables=variables(service, tmp_path))
    outcomes = [result for result in ran.results if result.outcome != "item"]
    print(f"{len(TEXTS)} payloads through {len(tasks)} tasks")
    assert len(outcomes) == len(tasks), ran.output[-2000:]
    assert payloads.steering_in_output(ran.output) == []
    assert payloads.steering_in_results([result.data for result in outcomes]) == []
    assert_harmless(ran.output, tmp_path)


ECHOES = [
    f"x {spelling} y"
    for secret in hostile_service.SECRETS
    for spelling in dict.fromkeys(hostile_service.spelled(secret))
]
"""Records of a compromised service.

It may echo requests and tokens in any text of any record, in any spelling.
"""


def test_a_record_that_contains_a_credential_shows_it_nowhere(service: HostileService, tmp_path: Path) -> None:
    service.texts = ECHOES
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "instance.yml").write_text("api: seventhings/v1\nset: x\n", "utf-8")
    (tmp_path / "in" / "locations.yml").write_text("- {name: New}\n", "utf-8")
    (tmp_path / "in" / "objects.yml").write_text(f"- {{uuid: {doors.OBJECT}, serial_number: changed}}\n", "utf-8")
    rooms = [hostile_service.uuid_of(2, number) for number, _text in enumerate(ECHOES, 1)]
    tasks: list[dict[str, Any]] = [
        *({f"{NAMESPACE}room_info": {"tuning": {"execution": execution}}} for execution in ("auto", "module")),
        {f"{NAMESPACE}object": {"uuid": doors.OBJECT, "fields": {"serial_number": "changed"}}},
        *({f"{NAMESPACE}instance_drift": {"src": "in", "report": f"r.{ending}"}} for ending in REPORTS),
        {f"{NAMESPACE}api_info": {"path": "/rooms"}},
        {"ansible.builtin.debug": {"msg": f"{{{{ query('{NAMESPACE}record', 'room', *{rooms}) }}}}"}},
        {f"{NAMESPACE}instance_export": {"dest": "out"}},
        {f"{NAMESPACE}instance_absorb": {"src": "in", "into": {"rooms": "rooms.yml"}}, "check_mode": True},
    ]
    plays = [{"hosts": "localhost", "gather_facts": False, "ignore_errors": True, "tasks": tasks}]
    ran = playbook.run(tmp_path, plays, "-vvvv", "--diff", variables=variables(service, tmp_path))
    assert ran.output.count("********") >= len(service.texts), ran.output[-3000:]
    assert_harmless(ran.output, tmp_path)
    for ending in REPORTS:
        assert_harmless((tmp_path / f"r.{ending}").read_text("utf-8"), tmp_path)


def test_nothing_runs_in_any_place_of_a_play(service: HostileService, tmp_path: Path) -> None:
    """Pass every kind of record, from its module and from the lookup, to every place that evaluates expressions."""
    service.texts = EXECUTING
    names = [name for name in doors.MODULES if name.endswith("_info") and name not in ("service_info", "history_info")]
    read = [
        {f"community.seventhings.{name}": doors.MODULES[name][0], "register": f"read_{number}"}
        for number, name in enumerate(names)
    ]
    everything = "[" + ", ".join(f"read_{number}" for number in range(len(names))) + "]"
    found = f"{{{{ {everything} | map(attribute='records', default=[]) | flatten(1) | map('dict2items') | flatten(1) "
    found += "| map(attribute='value') | select('string') | unique }}"
    expression = "{{ query('community.seventhings.record', 'room', '" + doors.ROOM + "')[0].name }}"
    tasks = [
        *read,
        {"name": "found", "ansible.builtin.debug": {"msg": f"{found[:-2]} | length }}}}"}},
        *({**place, "loop": found} for place in OPENED),
        *({**place, "loop": [expression]} for place in OPENED),
    ]
    play = {"hosts": "localhost", "gather_facts": False, "ignore_errors": True, "vars": {"own_secret": OWN}}
    ran = playbook.run(tmp_path, [{**play, "tasks": tasks}], variables=variables(service, tmp_path))
    assert int(ran.named("found")["msg"]) >= len(EXECUTING), ran.output[-3000:]
    assert_harmless(ran.output, tmp_path)


@pytest.mark.sample(0)
def test_an_inventory_of_records_that_hold_credentials_shows_none(service: HostileService, tmp_path: Path) -> None:
    """The cache shows none, either."""
    service.texts = ECHOES
    (tmp_path / "x.seventhings.yml").write_text(json.dumps({**INVENTORY, "hosts": "locations"}))
    command = [str(Path(sys.executable).with_name("ansible-inventory")), "-i", "x.seventhings.yml", "--list", "-vvvv"]
    for _time in ("cold", "warm"):
        ran = playbook.finish(command, tmp_path, variables(service, tmp_path))
        assert ran.output.count("********") >= len(ECHOES), ran.output[-2000:]
        assert_harmless(ran.output, tmp_path)
    (kept,) = (tmp_path / "cache").iterdir()
    assert_harmless(kept.read_text("utf-8"), tmp_path)


INVENTORY = {
    "plugin": "community.seventhings.places",
    "compose": {"same": "seventhings_name", "longer": "'{{ ' ~ seventhings_name ~ ' }}'"},
    "keyed_groups": [{"key": "seventhings_name", "prefix": "by"}],
    "groups": {"named": "seventhings_name != ''"},
    "cache": True,
    "cache_plugin": "ansible.builtin.jsonfile",
    "cache_connection": "cache",
}
FORMS = (
    [["--graph"], ["--list"]] if not LONG else [["--graph"], ["--list"], ["--list", "--yaml"], ["--list", "--export"]]
)


@pytest.mark.sample(0)
@pytest.mark.parametrize("hosts", ["rooms", "objects", "locations"] if LONG else ["rooms"])
@pytest.mark.parametrize("transform", ["never", "always"] if LONG else ["never"])
def test_no_inventory_prints_what_steers(service: HostileService, tmp_path: Path, hosts: str, transform: str) -> None:
    """Names of hosts and groups, including those that ``keyed_groups`` creates, with a cold and a warm cache."""
    # A name of dots alone is rejected, because it would lead to another directory.
    service.texts = [text for text in TEXTS if text.strip(". ")]
    (tmp_path / "x.seventhings.yml").write_text(json.dumps({**INVENTORY, "hosts": hosts}))
    more = {**variables(service, tmp_path), "ANSIBLE_TRANSFORM_INVALID_GROUP_CHARS": transform}
    for form in FORMS:
        command = [str(Path(sys.executable).with_name("ansible-inventory")), "-i", "x.seventhings.yml", *form, "-vvvv"]
        ran = playbook.finish(command, tmp_path, more)
        assert ran.status == 0, ran.output[-2000:]
        # In YAML, Ansible writes the lines of a text as separate lines.
        assert "--yaml" in form or payloads.steering_in_output(ran.output) == []
        assert_harmless(ran.output, tmp_path)
