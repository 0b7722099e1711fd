# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A real play reports unknown names in the words of its author."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import playbook
import pytest
import steps
from emulator_process import Emulator

OBJECT = "community.seventhings.object"


@pytest.fixture
def service(emulator: Emulator) -> Emulator:
    """Return the embedded service in its initial state."""
    emulator.reset()
    return emulator


def play(directory: Path, service: Emulator, tasks: list[dict[str, Any]], *options: str) -> playbook.Run:
    kept = [{"ignore_errors": True, **task} for task in tasks]
    plays = [{"hosts": "localhost", "gather_facts": False, "tasks": kept}]
    return playbook.run(directory, plays, *options, variables=service.variables())


READING: dict[str, dict[str, Any]] = {
    "a filter": {"community.seventhings.object_info": {"filters": {"colour": "red"}}},
    "a filter that is nearly one": {"community.seventhings.object_info": {"filters": {"barcod": "100001"}}},
    "an order": {"community.seventhings.room_info": {"sort": ["colour"]}},
    "a value of a filter": {"community.seventhings.room_info": {"filters": {"building_id": "Depot 7"}}},
    "a history": {"community.seventhings.history_info": {"kind": "room", "record": "Dresden/9.99"}},
}
TO_COME: dict[str, dict[str, Any]] = {
    "a field": {OBJECT: {"fields": {"barcode": "1", "invntory_name": "Desk"}}},
    "a place": {OBJECT: {"fields": {"barcode": "1", "actual_room": "Dreden/1.01"}}},
    "a location": {"community.seventhings.room": {"fields": {"building_id": "dresdn", "number": "7"}}},
    "a field to come": {OBJECT: {"fields": {"barcode": "1", "Shelf mark": "A"}}},
    "a place to come": {OBJECT: {"fields": {"barcode": "1", "actual_room": "Annex/1"}}},
    "a field of a place to come": {OBJECT: {"fields": {"barcode": "1", "actual_room": {"shelf_mark": "A"}}}},
    "a field for files to come": {
        "community.seventhings.file": {"object": "100001", "field": "shelf_marks", "path": "plan.txt"}
    },
    "a location to come": {"community.seventhings.room": {"fields": {"building_id": "Annex", "number": "7"}}},
}


def test_what_only_reads_fails_in_check_mode_as_in_the_real_run(service: Emulator, tmp_path: Path) -> None:
    tasks = [{"name": name, **task} for name, task in READING.items()]
    predicted = {result.name: result for result in play(tmp_path, service, tasks, "--check").results}
    done = {result.name: result for result in play(tmp_path, service, tasks).results}
    assert [name for name, result in predicted.items() if not result.failed] == []
    assert [name for name, result in done.items() if not result.failed] == []
    assert {name: result["msg"] for name, result in predicted.items()} == {
        name: result["msg"] for name, result in done.items()
    }


def test_what_an_earlier_task_may_make_is_a_warning_in_check_mode(service: Emulator, tmp_path: Path) -> None:
    (tmp_path / "plan.txt").write_text("a plan")
    tasks = [{"name": name, **task} for name, task in TO_COME.items()]
    run = play(tmp_path, service, tasks, "--check")
    assert [name for name in TO_COME if run.named(name).failed] == []
    assert all(run.named(name)["changed"] and run.named(name)["warnings"] for name in TO_COME)
    # A play with many such tasks would otherwise print all keys for each of them.
    assert not [name for name in TO_COME if "serial_number" in str(run.named(name)["warnings"])]
    assert not [name for name in TO_COME if "area" in str(run.named(name)["warnings"])]


def test_an_object_that_is_not_offered_is_called_as_the_play_calls_it(service: Emulator, tmp_path: Path) -> None:
    found = steps.call("object_info", {**service.options(), "filters": {"barcode": "100001"}})
    (wanted,) = found["records"]
    written: list[Any] = [wanted["barcode"], wanted["uuid"], {"barcode": wanted["barcode"]}]
    tasks = [
        {"name": f"{number}", "community.seventhings.hub_order": {"items": [item]}}
        for number, item in enumerate(written)
    ]
    run = play(tmp_path, service, tasks)
    for item, result in zip(written, run.results, strict=True):
        name = item["barcode"] if isinstance(item, dict) else item
        assert result.failed
        assert f"'{name}'" in result["msg"]
        assert result["msg"].endswith(" is not offered on the hub")
        assert f" {wanted['id']} " not in result["msg"]
