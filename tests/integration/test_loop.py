# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Loops: items that run inside the worker share the login and the definitions. Module processes share nothing."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import playbook
import pytest
import steps
from emulator_process import Emulator

OBJECT = f"{steps.NAMESPACE}object"
BARCODES = [f"{number}" for number in range(100001, 100026)]
WRONG: dict[str, Any] = {"barcode": 1}


@pytest.fixture
def service(emulator: Emulator) -> Emulator:
    emulator.reset()
    return emulator


def with_password(service: Emulator) -> dict[str, Any]:
    return {**service.options(), "rate_limit": 0}


def play(defaults: dict[str, Any], tasks: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "hosts": "localhost",
        "gather_facts": False,
        "module_defaults": {"group/community.seventhings.all": defaults},
        "tasks": tasks,
    }


def test_fifty_unchanged_objects_take_one_login(service: Emulator, tmp_path: Path) -> None:
    task = {"name": "loop", OBJECT: {"fields": {"barcode": "{{ item }}"}}, "loop": BARCODES * 2}

    run = playbook.run(tmp_path, [play(with_password(service), [task])])

    items = [result for result in run.results if result.outcome == "item"]
    assert len(items) == 50, run.output
    assert not any(item["changed"] for item in items)
    counted = Counter(entry["path"].removeprefix(steps.PREFIX) for entry in service.log())
    assert counted == {"/auth_token": 1, "/asset-tracking/asset/field-definitions": 2, "/objects": 50}
    # The first item also proves that the list of definitions is complete.
    assert [item["requests"] for item in items] == [4, *[1] * 49]


def test_items_see_the_definition_that_an_earlier_item_made(service: Emulator, tmp_path: Path) -> None:
    task = {
        "name": "loop",
        f"{steps.NAMESPACE}field_definition": {"template": "asset", "label": "{{ item }}", "type": "TEXT"},
        "loop": ["Condition", "Shelf", "Condition"],
    }

    run = playbook.run(tmp_path, [play(with_password(service), [task])])

    items = [result for result in run.results if result.outcome == "item"]
    assert [item["changed"] for item in items] == [True, True, False], run.output


@pytest.mark.sample(0)
def test_where_a_module_runs(service: Emulator, tmp_path: Path) -> None:
    """In the worker the second item finds the definitions of the first; a module process reads them again."""
    interpreter = tmp_path / "python"
    interpreter.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    interpreter.chmod(0o755)
    defaults = steps.connection(service)
    loop: dict[str, Any] = {OBJECT: {"fields": {"barcode": "{{ item }}"}}, "loop": BARCODES[:2]}
    as_module = {OBJECT: {**loop[OBJECT], "tuning": {"execution": "module"}}}
    cases: dict[str, dict[str, Any]] = {
        "in the worker": {},
        "delegated to this machine": {"delegate_to": "127.0.0.1", "vars": {"ansible_connection": "local"}},
        "with the interpreter of the controller": {
            "vars": {"ansible_python_interpreter": "{{ ansible_playbook_python }}"}
        },
        "with any interpreter": {"vars": {"ansible_python_interpreter": "auto_silent"}},
        "execution is module": as_module,
        "with another interpreter": {"vars": {"ansible_python_interpreter": str(interpreter)}},
        "with an environment": {"environment": {"SEVENTHINGS_RATE_LIMIT": "0"}},
        "async": {"async": 60, "poll": 1},
        "as another user": {"become": True, "become_method": "ansible.builtin.su"},
    }
    tasks = [{"name": name, **loop, **more, "ignore_errors": True} for name, more in cases.items()]
    service.clear_log()

    run = playbook.run(tmp_path, [play(defaults, tasks)])

    took = {
        name: [item["requests"] for item in run.results if item.name == name and item.outcome == "item"]
        for name in cases
    }
    worker, module = [2, 1], [2, 2]
    assert took == {
        # The first item proves that the definitions are complete, for all processes of this user.
        "in the worker": [3, 1],
        "delegated to this machine": worker,
        "with the interpreter of the controller": worker,
        "with any interpreter": worker,
        "execution is module": module,
        "with another interpreter": module,
        "with an environment": module,
        "async": module,
        "as another user": module,
    }, run.output
    assert len(service.log()) == sum(sum(each) for each in took.values())


def test_both_ends_give_the_same_result(service: Emulator, tmp_path: Path) -> None:
    defaults = steps.connection(service)
    fields = {"barcode": BARCODES[0], "inventory_name": "Desk", "actual_room": "Nowhere/1"}
    tasks: list[dict[str, Any]] = [
        {"name": end, OBJECT: {"fields": fields, "tuning": {"execution": end}}, "check_mode": True, "diff": True}
        for end in ("auto", "module")
    ]
    tasks += [
        {"name": f"wrong {end}", OBJECT: {"fields": WRONG, "tuning": {"execution": end}}, "ignore_errors": True}
        for end in ("auto", "module")
    ]

    # The first task of a user needs one more request to prove that the definitions are complete.
    tasks.insert(0, {"name": "before", f"{OBJECT}_info": {"limit": 1}})
    run = playbook.run(tmp_path, [play(defaults, tasks)])

    for worker, module in (("auto", "module"), ("wrong auto", "wrong module")):
        on_controller, as_module = (comparable(run.named(name).data) for name in (worker, module))
        assert on_controller == as_module


def comparable(data: dict[str, Any]) -> dict[str, Any]:
    """Return a result without members that depend on where it was created."""
    left_out = ("invocation", "exception", "failed", "_ansible_parsed", "_ansible_no_log", "ansible_facts")
    return {key: value for key, value in data.items() if key not in left_out and not key.startswith("_")}
