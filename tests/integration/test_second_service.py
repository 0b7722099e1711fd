# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The main job with a second service, which was written from the interface document alone and answers differently."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import playbook
import pytest
from emulator_process import Emulator
from project import ROOT, environment

SERVICE = ROOT / "tests" / "second" / "service.py"
MOST_LINES = 400


@pytest.fixture
def second() -> Iterator[Emulator]:
    """Yield the second service, empty, on a free port."""
    with subprocess.Popen([sys.executable, str(SERVICE)], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            started = json.loads(process.stdout.readline())
            account = {key: started[key] for key in ("base_url", "username", "password", "client_id")}
            yield Emulator(**account, admin_url="")
        finally:
            process.terminate()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return the example instance without the catalogue, which the interface document does not have."""
    source = Path(shutil.copytree(ROOT / "examples" / "acme", tmp_path / "acme"))
    (source / "catalog.yml").unlink()
    return source


def play(second: Emulator, directory: Path, tasks: list[dict[str, Any]], *options: str) -> playbook.Run:
    """Play tasks against the second service."""
    variables = {**second.variables(), "SEVENTHINGS_RATE_LIMIT": "0"}
    plays = [{"hosts": "localhost", "gather_facts": False, "tasks": tasks}]
    return playbook.run(directory, plays, *options, variables=variables)


def apply(second: Emulator, source: Path, directory: Path, *options: str) -> playbook.Result:
    """Apply files, or plan them in check mode."""
    task = {"community.seventhings.instance": {"src": str(source), "allow": ["users"]}}
    return play(second, directory, [task], *options).results[-1]


def test_the_service_is_small() -> None:
    assert len(SERVICE.read_text("utf-8").splitlines()) <= MOST_LINES


def test_an_instance_is_provisioned_exported_and_inventoried(second: Emulator, source: Path, tmp_path: Path) -> None:
    links = '- {barcode: "1", inventory_name: A, parts: ["2"]}\n- {barcode: "2", inventory_name: B, part_of: "1"}\n'
    (source / "objects" / "parts.yml").write_text(links, "utf-8")
    predicted = apply(second, source, tmp_path, "--check")
    assert predicted.outcome == "ok", predicted.data["msg"]
    result = apply(second, source, tmp_path)
    assert result.outcome == "ok", result.data["msg"]
    assert result.data["summary"] == predicted.data["summary"]
    again = apply(second, source, tmp_path)
    assert (again.outcome, again.data["changed"]) == ("ok", False), again.data

    export = {"community.seventhings.instance_export": {"dest": str(tmp_path / "out")}}
    plan = {"community.seventhings.instance": {"src": str(tmp_path / "out")}}
    exported, planned = play(second, tmp_path, [export, plan]).results[-2:]
    assert exported.outcome == "ok", exported.data
    assert (planned.outcome, planned.data["changed"]) == ("ok", False), planned.data

    inventory = tmp_path / "places.seventhings.yml"
    inventory.write_text("plugin: community.seventhings.places\nhosts: objects\n", "utf-8")
    done = subprocess.run(
        [str(Path(sys.executable).with_name("ansible-inventory")), "-i", str(inventory), "--list"],
        env=environment(**second.variables()),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["_meta"]["hostvars"]) == 8, done.stderr


@pytest.mark.sample(0)
def test_one_value_is_changed_and_one_record_removed(second: Emulator, source: Path, tmp_path: Path) -> None:
    apply(second, source, tmp_path)
    objects = source / "objects" / "it.yml"
    objects.write_text(objects.read_text("utf-8").replace('"849.90"', '"799.00"'), "utf-8")
    changed = apply(second, source, tmp_path)
    assert changed.data["summary"]["objects"]["updated"] == 1
    task = {"community.seventhings.object": {"fields": {"barcode": "100501"}, "state": "absent"}}
    first, second_run = (play(second, tmp_path, [task]).results[-1] for _run in range(2))
    assert (first.data["changed"], second_run.data["changed"]) == (True, False), (first, second_run)
