# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A task with wrong options fails with the same message in the worker and in a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import playbook
from project import LONG

NAMESPACE = "community.seventhings."
SECRET = "dont-show-me"
WRONG: dict[str, dict[str, dict[str, Any]]] = {
    "unknown": {f"{NAMESPACE}room": {"fields": {}, "fooo": 1}},
    "unknown, called by its short name": {"room_info": {"fooo": 1, "baar": 2}},
    "unknown, of tokens": {f"{NAMESPACE}auth_token": {"fooo": 1}},
    "missing": {f"{NAMESPACE}field_definition": {"label": "Colour"}},
    "type": {f"{NAMESPACE}room_info": {"limit": "many", "fooo": 1}},
    "exclusive": {f"{NAMESPACE}room_info": {"uuid": "x", "filters": {"name": "y"}}},
    "secret": {f"{NAMESPACE}room_info": {"password": SECRET, "timeout": f"{SECRET} s"}},
    "inside": {f"{NAMESPACE}task": {"title": "x", "reminders": [{"unit": "days", "value": 1, "vlue": 2}]}},
}


def test_both_ends_refuse_in_the_same_words(tmp_path: Path) -> None:
    wrong = WRONG if LONG else dict(list(WRONG.items())[::2])
    tasks = [
        {
            "name": f"{name}, {end}",
            **{module: {**options, "tuning": {"execution": end}} for module, options in called.items()},
            "ignore_errors": True,
        }
        for name, called in wrong.items()
        for end in ("auto", "module")
    ]
    instance = [
        {"name": "instance", f"{NAMESPACE}instance": {"src": ".", "fooo": 1}, "ignore_errors": True},
        {"name": "export", "instance_export": {"dest": ".", "fooo": 1}, "ignore_errors": True},
    ]
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "collections": ["community.seventhings"],
        "tasks": [*tasks, *instance],
    }
    run = playbook.run(tmp_path, [play], "-vvv")
    messages = {result.name: result["msg"] for result in run.results}
    assert all(result.failed for result in run.results)
    assert {name: messages[f"{name}, auto"] for name in wrong} == {name: messages[f"{name}, module"] for name in wrong}
    assert messages["unknown, auto"].startswith(
        "Unsupported parameters for (community.seventhings.room) module: fooo. Supported parameters include: "
    )
    assert messages["instance"].startswith("Unsupported parameters for (community.seventhings.instance) module: fooo. ")
    assert messages["export"].startswith("Unsupported parameters for (instance_export) module: fooo. ")
    assert SECRET not in "".join(messages.values())
