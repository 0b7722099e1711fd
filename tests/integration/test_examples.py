# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run the examples of every module twice: the second run finds what the first created."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import documentation
import playbook
import pytest
import yaml
from emulator_here import running_here
from emulator_process import Emulator
from project import ROOT

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import MODULES

MODULE_FILES = [ROOT / "plugins" / "modules" / f"{name}.py" for name in sorted(MODULES)]
OURS = "community.seventhings."


def examples(path: Path, directory: Path) -> list[dict[str, Any]]:
    """Return the tasks of a module's documentation, with their files in a directory of the test."""
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


@pytest.mark.sample(1)
@pytest.mark.parametrize("path", MODULE_FILES, ids=lambda path: path.stem)
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
    assert [result.name for result in second if result.data.get("changed") and not always_changes(result, path)] == []
    assert (
        path.stem.endswith("_info") or path.stem == "auth_token" or any(result.data.get("changed") for result in first)
    )


MANY = ("instance", "instance_absorb", "instance_export")


def _make_layers(directory: Path) -> None:
    """Write the two layers of an example: one for all sites, and one for Berlin."""
    base, berlin = directory / "base", directory / "overlays" / "berlin"
    base.mkdir()
    berlin.mkdir(parents=True)
    settings = "api: seventhings/v1\nvariables: {city: {type: string, default: Bonn}}\n"
    (base / "instance.yml").write_text(settings, "utf-8")
    (base / "locations.yml").write_text("- name: Site of ${city}\n", "utf-8")
    (berlin / "locations.yml").write_text("- name: Spree wharf\n", "utf-8")


@pytest.mark.sample(0)
@pytest.mark.parametrize("name", MANY)
def test_examples_of_many_records_run_twice(tmp_path: Path, name: str) -> None:
    """Run them on an empty instance.

    The files of the example are provisioned, the export begins in an empty directory, and a deleted record is absorbed.
    """
    before: list[dict[str, Any]] = []
    if name == "instance_absorb":
        (tmp_path / "acme").mkdir()
        (tmp_path / "acme" / "instance.yml").write_text("api: seventhings/v1\n", "utf-8")
        (tmp_path / "acme" / "locations.yml").write_text("- name: Gone\n", "utf-8")
        before.append({"name": "Apply", f"{OURS}instance": {"src": "acme"}})
        before.append({"name": "Delete", f"{OURS}location": {"fields": {"name": "Gone"}, "state": "absent"}})
    if name == "instance":
        shutil.copytree(ROOT / "examples" / "acme", tmp_path / "acme")
        _make_layers(tmp_path)
    tasks = examples(ROOT / "plugins" / "modules" / f"{name}.py", tmp_path)
    assert all(f"{OURS}{name}" in task for task in tasks)
    with running_here("empty") as service:
        plays = {"before": before, "first": tasks, "second": tasks}
        run = playbook.run(tmp_path, [play(which, service, inner) for which, inner in plays.items()])

    assert run.status == 0, run.output
    results = run.results[len(before) :]
    ran = [result.data for result in results if result.outcome != "skipped"]
    assert documentation.misfits(ran, documentation.returned(name)) == []
    first, second = results[: len(tasks)], results[len(tasks) :]
    assert any(result.data["changed"] for result in first)
    assert [result.name for result in second if result.data["changed"]] == []


@pytest.mark.sample(0)
@pytest.mark.parametrize("name", ["instance_drift", "instance_undo", "instance_validate"])
def test_examples_about_an_applied_set_run(tmp_path: Path, name: str) -> None:
    shutil.copytree(ROOT / "examples" / "acme", tmp_path / "acme")
    _make_layers(tmp_path)
    applied = {f"{OURS}instance": {"src": "acme", "allow": ["users"]}}
    tasks = examples(ROOT / "plugins" / "modules" / f"{name}.py", tmp_path)
    with running_here("empty") as service:
        run = playbook.run(tmp_path, [play("applied", service, [{"name": "Apply", **applied}, *tasks])])

    assert run.status == 0, run.output
    ran = [result.data for result in run.results[1:] if result.outcome != "skipped"]
    assert documentation.misfits(ran, documentation.returned(name)) == []


def always_changes(result: playbook.Result, path: Path) -> bool:
    """Revoking tokens is always a change, because there are new tokens.

    So is an operation that is sent unconditionally.
    """
    return path.stem == "api" or (path.stem == "auth_token" and result.name.startswith("Revoke the token"))
