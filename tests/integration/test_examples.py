# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The examples of every module, as they stand in its documentation, run twice: what the first time makes, the second
finds.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import documentation
import playbook
import pytest
import yaml
from emulator_process import Emulator
from project import ROOT

from ansible_collections.community.seventhings.plugins.module_utils.module import DOORS

MODULES = [ROOT / "plugins" / "modules" / f"{name}.py" for name in sorted(DOORS)]
OURS = "community.seventhings."


def examples(path: Path, directory: Path) -> list[dict[str, Any]]:
    """The tasks of a module's documentation; what they write to the common directory goes to one of the test."""
    text = documentation.block(path, "EXAMPLES").replace("/tmp/", f"{directory}/")
    return list(yaml.safe_load(text))


def play(name: str, service: Emulator, tasks: list[dict[str, Any]]) -> dict[str, Any]:
    connection = {
        "base_url": "{{ seventhings_base_url }}",
        "username": "{{ seventhings_username }}",
        "password": "{{ seventhings_password }}",
        "client_id": "{{ seventhings_client_id }}",
        "rate_limit": 0,
    }
    return {
        "name": name,
        "hosts": "localhost",
        "gather_facts": False,
        "module_defaults": {f"group/{OURS}all": connection},
        "vars": {
            "seventhings_base_url": service.base_url,
            "seventhings_username": service.username,
            "seventhings_password": service.password,
            "seventhings_client_id": service.client_id,
        },
        "tasks": tasks,
    }


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_examples_run_twice(emulator: Emulator, tmp_path: Path, path: Path) -> None:
    emulator.reset()
    tasks = examples(path, tmp_path)
    own = f"{OURS}{path.stem}"
    assert any(own in task or any(own in inner for inner in task.get("block", ())) for task in tasks)

    run = playbook.run(tmp_path, [play(name, emulator, tasks) for name in ("first", "second")])

    assert run.status == 0, run.output
    results = [result for result in run.results if result.outcome != "item"]
    first, second = results[: len(results) // 2], results[len(results) // 2 :]
    assert [result.name for result in first] == [result.name for result in second]
    assert [result.name for result in second if result.data.get("changed") and not revokes(result, path)] == []
    assert path.stem.endswith("_info") or path.stem == "auth_token" or any(one.data.get("changed") for one in first)


def revokes(result: playbook.Result, path: Path) -> bool:
    """Revoking tokens is a change each time: there are new ones."""
    return path.stem == "auth_token" and "token of this user is absent" in result.name
