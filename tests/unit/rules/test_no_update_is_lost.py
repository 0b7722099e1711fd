# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes that change fields of one record don't undo each other's changes, although a PUT sets all fields."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from embedded_here import Embedded, Killed
from instance_site import yaml_list
from one_machine import Machine

TITLE = "Laserdrucker reparieren"
LOAN = "Kamera für den Katalog"
RECORDS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "task": (TITLE, {"comment": "With toner."}, {"deadline": "2031-08-31"}),
    "rental_case": (LOAN, {"comment": "With tripod."}, {"due_date_reminder": {"unit": "days", "value": 5}}),
}
PATHS = {"task": "/task-management/task", "rental_case": "/rental-management/rental-case"}
KEYS: dict[str, dict[str, str]] = {"task": {}, "rental_case": {"issue_date": "2027-04-12"}}
SECTIONS = {"task": "tasks", "rental_case": "rental_cases"}


def meanwhile(machine: Machine, act: Callable[[], object], before: tuple[str, str]) -> None:
    """Do something once, before a request with this method and this text in its path is carried out."""
    service, pending = machine.service, [act]
    take = service.gateway.take

    def intercept(call: Any, problem: Any = None) -> Any:
        if pending and call.method == before[0] and before[1] in call.path:
            pending.pop()()
        return take(call, problem)

    service.gateway.take = intercept  # type: ignore[method-assign]


def change(machine: Machine, kind: str, **fields: Any) -> dict[str, Any]:
    """Change a record in a process of its own."""
    title, _first, _second = RECORDS[kind]
    options: dict[str, Any] = {"title": title, **KEYS[kind], **fields}
    done: dict[str, Any] = machine.call(kind, **options).data
    return done


def of_another(machine: Machine, kind: str, notes: list[dict[str, Any]], waits: bool, **fields: Any) -> None:
    """Change a record in another process. If it has to wait, it is killed and starts again at the end.

    :param waits: True if it is expected to wait.
    """
    client = machine.connect()

    def sleep(_seconds: float) -> None:
        raise Killed

    client.creations.sleep = sleep
    mine, connect = machine.client, machine.connect
    machine.connect = lambda: client  # type: ignore[method-assign]
    try:
        notes.append(change(machine, kind, **fields))
    except Killed:
        assert waits
        notes.append({"killed": True})
    finally:
        machine.connect, machine.client = connect, mine  # type: ignore[method-assign]


def shown(machine: Machine, kind: str) -> dict[str, Any]:
    title, first, second = RECORDS[kind]
    [record] = [entry for entry in machine.service.dump()[SECTIONS[kind]] if entry["title"] == title]
    return {key: record[key] for key in (*first, *second)}


@pytest.mark.parametrize("kind", RECORDS)
@pytest.mark.parametrize("request_before", ["GET", "PUT"])
def test_a_process_that_replaces_a_record_keeps_others_from_it(tmp_path: Path, kind: str, request_before: str) -> None:
    machine = Machine(tmp_path)
    _title, first, second = RECORDS[kind]
    notes: list[dict[str, Any]] = []
    path = f"{PATHS[kind]}/"
    meanwhile(
        machine,
        lambda: of_another(machine, kind, notes, request_before == "PUT", **second),
        (request_before, path if request_before == "PUT" else f"{PATHS[kind]}s"),
    )
    assert change(machine, kind, **first)["changed"]
    assert notes in ([{"killed": True}], [{**notes[0], "changed": True}])
    done = change(machine, kind, **second)
    assert done["changed"] is ("killed" in notes[0])
    assert shown(machine, kind) == {**first, **second}
    assert not change(machine, kind, **first, **second)["changed"]


@pytest.mark.parametrize("kind", RECORDS)
@pytest.mark.parametrize("fault", ["504_late", "reset_late"])
def test_a_replacement_that_takes_effect_late_undoes_nothing(tmp_path: Path, kind: str, fault: str) -> None:
    """The first attempt is carried out after the second was answered.

    The next process waits until no attempt is pending.
    """
    machine = Machine(tmp_path)
    _title, first, second = RECORDS[kind]
    machine.service.fault(fault, method="PUT", path=f"{PATHS[kind]}/*", times=1, commit_after=25)
    assert change(machine, kind, **first)["changed"]
    assert change(machine, kind, **second)["changed"]
    machine.service.clock.forward(60)
    assert shown(machine, kind) == {**first, **second}


@pytest.mark.parametrize("kind", RECORDS)
def test_a_set_reads_again_what_others_changed_since_it_was_planned(tmp_path: Path, kind: str) -> None:
    machine = Machine(tmp_path)
    title, first, second = RECORDS[kind]
    notes: list[dict[str, Any]] = []
    machine.write(**{SECTIONS[kind]: yaml_list([{"title": title, **KEYS[kind], **first}])})
    begun = machine.service.log.copy()
    machine.run(check_mode=True)
    last = machine.service.log[len(begun) :][-1]
    meanwhile(machine, lambda: of_another(machine, kind, notes, False, **second), ("GET", last[1]))
    assert machine.run().outcome == "changed"
    assert notes[0]["changed"]
    assert shown(machine, kind) == {**first, **second}
    assert machine.run().outcome == "unchanged"


@pytest.mark.parametrize("kind", RECORDS)
def test_a_change_that_is_alone_waits_for_nobody(tmp_path: Path, kind: str) -> None:
    machine = Machine(tmp_path)
    _title, first, second = RECORDS[kind]
    began = machine.service.clock.now()
    numbers = [change(machine, kind, **fields)["requests"] for fields in (first, second)]
    assert machine.service.clock.now() == began
    machine.runtime = None
    assert change(machine, kind, **{**first, "comment": "Again."})["requests"] == numbers[0]


@pytest.mark.parametrize("fault", ["504_late", "reset_late"])
def test_a_case_without_a_renter_is_replaced_like_any_other(tmp_path: Path, fault: str) -> None:
    """Its body is sent without repetitions, because some instances always answer it with a 500."""
    machine = Machine(tmp_path)
    case: dict[str, Any] = {
        "title": "Loan",
        "issue_date": "2031-05-05",
        "due_date": "2031-05-09",
        "references": ["100003"],
    }
    created = machine.call("rental_case", responsible_user="bernd.kowalski@nordhain.example", **case).data
    assert created["changed"], created
    key: dict[str, Any] = {"title": "Loan", "issue_date": "2031-05-05"}
    machine.service.fault(fault, method="PUT", path=f"{PATHS['rental_case']}/*", times=1, commit_after=25)
    assert machine.call("rental_case", **key, comment="With tripod.").data["changed"]
    assert machine.call("rental_case", **key, due_date_reminder={"unit": "days", "value": 5}).data["changed"]
    machine.service.clock.forward(60)
    [record] = [rental_case for rental_case in machine.service.dump()["rental_cases"] if rental_case["title"] == "Loan"]
    assert (record["comment"], record["due_date_reminder"]) == ("With tripod.", {"unit": "days", "value": 5})


def test_a_reminder_that_needs_a_second_put_to_clear_undoes_nothing(tmp_path: Path) -> None:
    """The second PUT waits for the rate limit, and another process changes the record meanwhile."""
    machine = Machine(tmp_path)
    machine.service = Embedded.started({"rental_omitted_reminder": "keep"})
    change(machine, "rental_case", due_date_reminder={"unit": "days", "value": 5})
    path = f"{PATHS['rental_case']}/"

    def pause() -> None:
        waiting = machine.client
        with waiting.creations.paused():
            assert change(machine, "rental_case", comment="With tripod.")["changed"]

    def before_the_second_put() -> None:
        meanwhile(machine, pause, ("PUT", path))

    meanwhile(machine, before_the_second_put, ("PUT", path))
    assert change(machine, "rental_case", due_date_reminder=None)["changed"]
    [record] = [rental_case for rental_case in machine.service.dump()["rental_cases"] if rental_case["title"] == LOAN]
    assert (record["comment"], record["due_date_reminder"]) == ("With tripod.", None)
