# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup in real playbooks on the embedded service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import playbook
import pytest
import yaml
from emulator_process import Emulator

from ansible_collections.community.seventhings.plugins.lookup import record as lookup

NAME = "community.seventhings.record"
ROOM = f"lookup('{NAME}', 'room', 'Dresden/0.12'"


@pytest.fixture
def service(emulator: Emulator) -> Emulator:
    emulator.reset()
    return emulator


def play(directory: Path, service: Emulator, expressions: list[str], *options: str) -> playbook.Run:
    """Play a task for each expression, whose result is in ``msg``."""
    tasks = [
        {"name": str(number), "ansible.builtin.debug": {"msg": f"{{{{ {expression} }}}}"}, "ignore_errors": True}
        for number, expression in enumerate(expressions)
    ]
    plays = [{"hosts": "localhost", "gather_facts": False, "tasks": tasks}]
    return playbook.run(directory, plays, *options, variables=service.variables())


def messages(run: playbook.Run) -> list[Any]:
    return [result.data["msg"] for result in run.results]


def test_a_record_a_field_and_lists(service: Emulator, tmp_path: Path) -> None:
    run = play(
        tmp_path,
        service,
        [
            f"{ROOM})",
            f"{ROOM}, field='name')",
            f"{ROOM}, wantlist=True) | length == 1",
            f"query('{NAME}', 'object', '100001', '100002', field='inventory_name')",
            f"lookup('{NAME}', 'object', '100001', '100002', field='inventory_name')",
            f"lookup('{NAME}', 'room', {{'building_id': 'Werkstatt', 'number': '0.01'}}).name",
        ],
    )
    room, *others = messages(run)
    assert room["name"] == "Besprechung Elbe"
    assert room["building_id"]["display_name"] == "Dresden"
    assert others == [
        "Besprechung Elbe",
        True,
        ["Empfangstresen", "Besprechungstisch Elbe"],
        "Empfangstresen,Besprechungstisch Elbe",
        "Tischlerei",
    ]


@pytest.mark.sample(1)
@pytest.mark.parametrize("weather", ["calm", "rough"])
def test_every_kind_is_found_again_by_its_uuid(service: Emulator, tmp_path: Path, weather: str) -> None:
    service.steer("PUT", "/switches", {"weather": weather})
    references = {
        "object": "100101",
        "location": "Werkstatt",
        "room": "Werkstatt/Tischlerei",
        "person": "Anna.Lindner@nordhain.example",
        "user": "anna.lindner@nordhain.example",
    }
    found = [f"lookup('{NAME}', '{kind}', '{reference}')" for kind, reference in references.items()]
    kinds_found = zip(references, found, strict=True)
    again = [
        f"lookup('{NAME}', '{kind}', {result}.uuid, field='uuid') == {result}.uuid" for kind, result in kinds_found
    ]
    run = play(tmp_path, service, [*(f"{result}.uuid is truthy" for result in found), *again])
    assert messages(run) == [True] * 10, run.output


def test_tasks_and_rental_cases_by_title(service: Emulator, tmp_path: Path) -> None:
    titles = {"task": "Akkus bestellen", "rental_case": "Leiter für die Fassade"}
    run = play(tmp_path, service, [f"lookup('{NAME}', '{kind}', '{title}').title" for kind, title in titles.items()])
    assert messages(run) == list(titles.values())


def test_requests_of_one_lookup(service: Emulator, tmp_path: Path) -> None:
    service.clear_log()
    play(tmp_path, service, [f"{ROOM}).name ~ {ROOM}).number"])
    paths = [entry["path"].removeprefix("/customer-api/v1") for entry in service.log()]
    assert paths.count("/auth_token") == 1, "one login for the lookups of one process"
    assert len(paths) <= 9


def test_an_error_is_the_tasks_error(service: Emulator, tmp_path: Path) -> None:
    run = play(
        tmp_path,
        service,
        [
            f"lookup('{NAME}', 'room', 'Dresden/0.13')",
            f"lookup('{NAME}', 'room', 'Dresden/0.13', errors='ignore') is none",
            f"lookup('{NAME}', 'room', 1, password='Tr0mbone-Quay-17')",
        ],
        "-vvvv",
    )
    missing, ignored, refused = messages(run)
    assert "There is no room 'Dresden/0.13'. The nearest are 'Dresden/0.12'" in missing
    assert ignored is True
    assert "Signing in" in refused
    assert service.password not in run.output


def test_the_connection_may_be_given_in_the_call(service: Emulator, tmp_path: Path) -> None:
    call = f"{ROOM}, field='name', base_url=url, access_token=token)"
    plays = [
        {
            "hosts": "localhost",
            "gather_facts": False,
            "tasks": [{"name": "room", "ansible.builtin.debug": {"msg": f"{{{{ {call} }}}}"}}],
            "vars": {"url": service.base_url, "token": service.token()},
        }
    ]
    service.clear_log()
    assert playbook.run(tmp_path, plays).named("room")["msg"] == "Besprechung Elbe"
    assert "/customer-api/v1/auth_token" not in [entry["path"] for entry in service.log()]


def test_every_example_runs(service: Emulator, tmp_path: Path) -> None:
    tasks = yaml.safe_load(lookup.EXAMPLES)
    text = yaml.safe_dump([{"hosts": "localhost", "gather_facts": False, "tasks": tasks}])
    book = tmp_path / "examples.yml"
    book.write_text(text.replace("https://acme.seventhings.com", service.base_url), encoding="utf-8")
    run = playbook.run(tmp_path, book, "-e", f"my_token={service.token()}", variables=service.variables())
    assert [result.outcome for result in run.results] == ["ok"] * len(tasks), run.output
