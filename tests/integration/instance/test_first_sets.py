# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The first apply of own files.

The tests cover a table from a spreadsheet, a plan as a comment, a plan passed from one job to another, and a removed
room.

They run real processes.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import many_places
import playbook
import pytest
from emulator_process import Emulator, running
from instance_site import yaml_list
from playbook import Run

SETTINGS = "api: seventhings/v1\nset: first\n"


@pytest.fixture
def service(empty_emulator: Emulator) -> Emulator:
    """Return an empty instance."""
    empty_emulator.reset()
    return empty_emulator


@pytest.fixture
def src(tmp_path: Path) -> Path:
    """Return a directory with only the settings."""
    return write(tmp_path / "files", {})


def write(root: Path, files: Mapping[str, str]) -> Path:
    """Write files into a directory. instance.yml is added automatically."""
    for name, text in {"instance.yml": SETTINGS, **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    return root


def instance(name: str, src: Path, check_mode: bool = False, **options: Any) -> dict[str, Any]:
    """Return a task that plans or applies files, after which the play continues."""
    module = {"src": str(src), **options}
    return {"name": name, "community.seventhings.instance": module, "check_mode": check_mode, "ignore_errors": True}


def play(directory: Path, service: Emulator, *tasks: dict[str, Any]) -> Run:
    plays = [{"hosts": "localhost", "gather_facts": False, "tasks": list(tasks)}]
    variables = {**service.variables(), "SEVENTHINGS_RATE_LIMIT": "0"}
    return playbook.run(directory, plays, "--forks", "1", variables=variables)


def names(service: Emulator, section: str, key: str) -> list[str]:
    """Return one field of all records of a section."""
    return [record["fields"][key] for record in service.steer("GET", "/dump?canonical=1")[section]]


def writes(service: Emulator) -> list[str]:
    """Return the requests except reads and logins."""
    return [entry["path"] for entry in service.log() if entry["method"] != "GET" and "auth_token" not in entry["path"]]


# ---- a table with labels as header


def test_the_role_accepts_a_table_with_labels_as_header(service: Emulator, src: Path, tmp_path: Path) -> None:
    settings = SETTINGS + "identity: {objects: [barcode]}\n"
    write(src, {"instance.yml": settings, "objects.csv": "Barcode,Name\n1,Chair\n2,Table\n"})
    role = {
        "name": "provision",
        "ansible.builtin.include_role": {"name": "community.seventhings.provision"},
        "vars": {"provision_src": str(src)},
    }
    run = play(tmp_path, service, role)
    assert run.status == 0, run.output
    assert names(service, "objects", "inventory_name") == ["Chair", "Table"]


# ---- a plan as a comment


@pytest.mark.sample(0)
def test_a_plan_as_markdown_shows_one_change_beside_thousands_that_are_in_no_file(src: Path, tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    many_places.fill(store, rooms=12_000, locations=3)
    write(
        src, {"locations.yml": "- name: location 1\n", "rooms.yml": "- {building_id: location 1, number: NEW-ROOM}\n"}
    )
    report = tmp_path / "plan.md"
    with running(data="50", db=str(store)) as service:
        play(tmp_path, service, instance("plan", src, check_mode=True, report=str(report)))
    markdown = report.read_text("utf-8")
    assert len(markdown) <= 65_536
    assert "NEW-ROOM" in markdown
    assert "12,000 rooms: " in markdown
    assert markdown.index("NEW-ROOM") < markdown.index("12,000 rooms: ")
    assert re.search(r"and 11,9\d\d more", markdown)


# ---- a plan that travels


def test_a_plan_is_applied_from_the_directory_that_the_task_names(
    service: Emulator, src: Path, tmp_path: Path, state_home: Path
) -> None:
    """One job plans in its checkout, another applies in its own."""
    write(
        src,
        {"objects.yml": "- {barcode: '1', inventory_name: Chair, documents: [files/a.txt]}\n", "files/a.txt": "Terms"},
    )
    plan = tmp_path / "set.plan"
    play(tmp_path, service, instance("plan", src, check_mode=True, plan_file=str(plan)))
    assert plan.is_file()
    other = tmp_path / "other"
    shutil.move(src, other)
    before = sorted(other.rglob("*"))
    applied = play(tmp_path, service, instance("apply", other, plan_file=str(plan))).named("apply")
    assert applied.data.get("outcome") == "changed", applied.data
    assert names(service, "objects", "inventory_name") == ["Chair"]
    assert any("/file" in path for path in writes(service))
    assert not src.exists()
    assert sorted(other.rglob("*")) == before
    noted = {path.name for path in state_home.rglob("*") if path.is_file() and not path.name.endswith(".json.gz")}
    assert noted == {"journal.jsonl"}


def test_a_missing_plan_is_refused(service: Emulator, src: Path, tmp_path: Path) -> None:
    write(src, {"objects.yml": "- {barcode: '1', inventory_name: Chair}\n"})
    plan = tmp_path / "set.plan"
    run = play(
        tmp_path,
        service,
        instance("any", src, plan_file=str(plan)),
        instance("approved", src, plan_file=str(plan), plan_digest="0" * 64),
    )
    for name in ("any", "approved"):
        refused = run.named(name)
        assert refused.failed
        assert f"there is no {plan}" in refused["msg"]
        assert refused["requests"] == 0


# ---- a room that is given up


def test_a_room_in_which_somebody_else_has_something_is_not_pruned(
    service: Emulator, src: Path, tmp_path: Path
) -> None:
    rooms = [{"building_id": "North", "number": number} for number in ("1", "2")]
    pruning = SETTINGS + "policy: {prune: {rooms: delete}}\n"
    files = {"instance.yml": pruning, "locations.yml": "- name: North\n", "rooms.yml": yaml_list(rooms)}
    theirs = {"barcode": "99", "inventory_name": "Theirs", "target_room": "North/2"}
    result = play(
        tmp_path,
        service,
        instance("make", write(src, files)),
        {"name": "theirs", "community.seventhings.object": {"fields": theirs}},
    )
    assert result.status == 0, result.output
    service.clear_log()
    write(src, {**files, "rooms.yml": yaml_list(rooms[:1])})
    run = play(tmp_path, service, instance("plan", src, check_mode=True), instance("apply", src))
    for name in ("plan", "apply"):
        assert run.named(name).failed
        assert "object 99 (target_room) refers to it" in run.named(name)["findings"][0]
    assert writes(service) == []
    assert names(service, "rooms", "number") == ["1", "2"]
