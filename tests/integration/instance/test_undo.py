# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An apply is undone by the role in real processes, and the module for drift only compares."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from emulator_process import Emulator
from playbook import Result, Run, run
from steps import is_write

FILES = {
    "instance.yml": "api: seventhings/v1\nset: depot\nset_id: 5d1c8e07f3a9b264\n",
    "locations.yml": "- {name: Depot, city: Berlin}\n",
    "objects.yml": "- {barcode: '100901', inventory_name: Lamp}\n- {barcode: '100902', inventory_name: Desk}\n",
}
EDITED = "- {barcode: '100901', inventory_name: Torch}\n- {barcode: '100902', inventory_name: Desk}\n"


@pytest.fixture
def service(empty_emulator: Emulator) -> Emulator:
    """Return an empty instance."""
    empty_emulator.reset()
    return empty_emulator


@pytest.fixture
def files(tmp_path: Path, service: Emulator) -> Path:
    """Return files that were applied, edited, and applied again."""
    src = tmp_path / "depot"
    src.mkdir()
    for name, text in FILES.items():
        (src / name).write_text(text, "utf-8")
    assert played(tmp_path, service, "provision", provision_src=str(src)).named("Apply")["outcome"] == "changed"
    (src / "objects.yml").write_text(EDITED, "utf-8")
    assert played(tmp_path, service, "provision", provision_src=str(src)).named("Apply")["outcome"] == "changed"
    service.clear_log()
    return src


def played(root: Path, service: Emulator, role: str, *options: str, **variables: Any) -> Run:
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "roles": [{"role": f"community.seventhings.{role}", "vars": variables}],
    }
    return run(root, [play], *options, variables=service.variables())


def undone(root: Path, service: Emulator, *options: str, task: str = "Undo", **variables: Any) -> Result:
    """Run the role and return the result of its task."""
    done = played(root, service, "undo", *options, **variables)
    assert done.status == 0, done.output
    return done.named(task)


def names(service: Emulator) -> dict[str, str]:
    objects = service.steer("GET", "/dump?canonical=1")["objects"]
    return {record["fields"]["barcode"]: record["fields"]["inventory_name"] for record in objects}


def writes(service: Emulator) -> list[str]:
    return [entry["path"] for entry in service.log() if is_write(entry)]


@pytest.mark.parametrize("in_check_mode", [True, False])
def test_the_plan_of_an_undo_shows_it_and_writes_nothing(
    files: Path, service: Emulator, tmp_path: Path, in_check_mode: bool
) -> None:
    options, variables = (["--check", "--diff"], {}) if in_check_mode else ([], {"undo_apply": False})
    planned = undone(tmp_path, service, *options, task="Plan", undo_src=str(files), **variables)
    assert planned["changed"]
    [change] = planned["changes"]
    assert (change["key"], change["before"], change["after"]) == (
        "100901",
        {"inventory_name": "Torch"},
        {"inventory_name": "Lamp"},
    )
    assert planned["undone"]["set"] == "depot"
    assert writes(service) == []


def test_an_apply_is_undone_once(files: Path, service: Emulator, tmp_path: Path) -> None:
    done = undone(tmp_path, service, undo_src=str(files))
    assert done["outcome"] == "changed"
    assert names(service) == {"100901": "Lamp", "100902": "Desk"}
    service.clear_log()
    again = undone(tmp_path, service, undo_src=str(files))
    assert not again["changed"]
    assert any("undo" in warning for warning in again["warnings"])
    assert writes(service) == []
    assert names(service) == {"100901": "Lamp", "100902": "Desk"}


def test_an_approved_undo_is_executed_as_it_was_planned(files: Path, service: Emulator, tmp_path: Path) -> None:
    given = {"undo_src": str(files), "undo_plan_file": str(tmp_path / "undo.plan")}
    digest = undone(tmp_path, service, task="Plan", undo_apply=False, **given)["plan_digest"]
    refused = played(tmp_path, service, "undo", undo_plan_digest="0" * 64, **given)
    assert refused.status != 0
    assert writes(service) == []
    assert undone(tmp_path, service, undo_plan_digest=digest, **given)["outcome"] == "changed"
    assert names(service)["100901"] == "Lamp"


def test_the_module_for_drift_compares_and_never_writes(files: Path, service: Emulator, tmp_path: Path) -> None:
    (files / "objects.yml").write_text(FILES["objects.yml"], "utf-8")
    compare = {"community.seventhings.instance_drift": {"src": str(files)}}
    failing = {"community.seventhings.instance_drift": {"src": str(files), "fail": True}}
    tasks = [{"name": "Compare", **compare}, {"name": "Fail", **failing, "ignore_errors": True}]
    done = run(tmp_path, [{"hosts": "localhost", "gather_facts": False, "tasks": tasks}], variables=service.variables())
    for name, fails in (("Compare", False), ("Fail", True)):
        result = done.named(name)
        assert result.outcome == ("ignored" if fails else "ok")
        assert (result["outcome"], result["changed"]) == ("drift", False)
        assert [change["key"] for change in result["changes"]] == ["100901"]
    assert "fail is on, and 1 record differs from the files" in done.named("Fail")["msg"]
    assert writes(service) == []
