# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The Event-Driven Ansible example, run by the real ansible-rulebook if that and Java are installed."""

from __future__ import annotations

import datetime as dt
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import playbook
import pytest
import yaml
from emulator_process import Emulator
from project import ROOT

from ansible_collections.community.seventhings.plugins.module_utils.client.connection import connect
from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS

RULEBOOK = shutil.which("ansible-rulebook")
_WALL_TIME_FACTOR = 60.0

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(RULEBOOK is None or shutil.which("java") is None, reason="no ansible-rulebook, or no Java"),
]


def until(condition: Callable[[], bool], process: subprocess.Popen[str]) -> bool:
    """Wait for an effect of a process. Return False if the process ends without it."""
    end = time.monotonic() + _WALL_TIME_FACTOR
    while not condition():
        if process.poll() is not None or time.monotonic() > end:
            return condition()
        time.sleep(0.2)
    return True


def play(directory: Path, emulator: Emulator, *tasks: dict[str, Any]) -> None:
    done = playbook.run(
        directory,
        [{"hosts": "localhost", "gather_facts": False, "tasks": list(tasks)}],
        variables={**emulator.variables(), "SEVENTHINGS_RATE_LIMIT": "0"},
    )
    assert done.status == 0, done.output


def test_the_example_acts_on_what_happens(emulator: Emulator, tmp_path: Path, state_home: Path) -> None:
    emulator.reset()
    client = connect({**emulator.options(), "rate_limit": 0})
    objects, tasks, rentals = (KINDS[name] for name in ("object", "task", "rental_case"))
    definition = {"template": "asset", "label": "Warranty until", "type": "DATE"}
    play(tmp_path, emulator, {"community.seventhings.field_definition": definition})
    folder = tmp_path / "eda"
    shutil.copytree(ROOT / "examples" / "eda", folder)
    rulebook = yaml.safe_load((folder / "rulebook.yml").read_text("utf-8"))
    source = rulebook[0]["sources"][0]["community.seventhings.changes"]
    source.update(interval=0.5, requests_per_minute=0, rate_limit=0)
    (folder / "rulebook.yml").write_text(yaml.safe_dump(rulebook, sort_keys=False), "utf-8")
    hacked = tmp_path / "hacked"
    attack = "{{ lookup('pipe', 'touch " + str(hacked) + "') }}"

    def titled(text: str) -> list[Record]:
        return [record for record in client.list_all(tasks) if text in str(record.flat["title"])]

    log = tmp_path / "log"
    assert RULEBOOK is not None
    path = os.pathsep.join([str(Path(RULEBOOK).parent), os.environ["PATH"]])
    with log.open("w") as output:
        process = subprocess.Popen(
            [RULEBOOK, "--rulebook", "rulebook.yml", "--inventory", "inventory.yml"],
            cwd=folder,
            env=playbook.environment({**emulator.variables(), "PATH": path}),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            text=True,
        )
    try:
        assert until(lambda: any(path.stat().st_size for path in state_home.rglob("changes.jsonl")), process), (
            log.read_text("utf-8")
        )
        case = next(record for record in client.list_all(rentals) if record.flat["status"] == "borrowed")
        task = next(record for record in client.list_all(tasks) if record.flat["status"] == "open")
        uuid = client.list_all(objects)[0].uuid
        soon = dt.datetime.now(dt.UTC).date() + dt.timedelta(days=5)
        client.set_status(tasks, task.uuid, "closed")
        yesterday = dt.datetime.now(dt.UTC).date() - dt.timedelta(days=1)
        days = {"issue_date": "2026-01-01", "due_date": yesterday.isoformat()}
        late = {"uuid": case.uuid, "title": "{{ title }}", **days}
        play(
            tmp_path,
            emulator,
            {
                "community.seventhings.rental_case": late,
                "vars": {"title": "{{ lookup('ansible.builtin.file', '" + str(_written(tmp_path, attack)) + "') }}"},
            },
            {"community.seventhings.object": {"uuid": uuid, "fields": {"Warranty until": soon.isoformat()}}},
        )

        def is_done() -> bool:
            is_logged = f"A task was closed: {task.uuid}" in log.read_text("utf-8")
            return is_logged and bool(titled("Ask for ")) and bool(titled("while its warranty lasts"))

        assert until(is_done, process), log.read_text("utf-8")
    finally:
        process.terminate()
        process.wait(60)
    assert [task.flat["title"] for task in titled("Ask for ")] == [f"Ask for {attack}"]
    assert not hacked.exists()


def _written(folder: Path, text: str) -> Path:
    path = folder / "text"
    path.write_text(text, "utf-8")
    return path
