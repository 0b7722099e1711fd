# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbooks that answer one question: which fields there are, and who changed what."""

from __future__ import annotations

from pathlib import Path

import playbook
from emulator_process import Emulator
from project import ROOT


def _lines(tmp_path: Path, service: Emulator, name: str, **variables: str) -> list[str]:
    """Play a playbook of the collection, and return the lines that it shows."""
    given = [word for key, value in variables.items() for word in ("-e", f"{key}={value}")]
    done = playbook.run(tmp_path, ROOT / "playbooks" / f"{name}.yml", *given, variables=service.variables())
    assert done.status == 0, done.output
    lines: list[str] = done.results[-1]["msg"]
    return lines


def test_the_fields_have_their_labels_keys_types_and_choices(tmp_path: Path, emulator: Emulator) -> None:
    assert ["Purchasing", "price", "purchasing_price", "MONEY"] in map(str.split, _lines(tmp_path, emulator, "fields"))
    (choices,) = [line for line in _lines(tmp_path, emulator, "fields") if "DROPDOWN" in line]
    assert choices.endswith("DROPDOWN: in use, in storage, in repair, retired")
    assert any("LINKED_LOCATION" in line for line in _lines(tmp_path, emulator, "fields", fields_template="room"))


def test_changes_have_the_name_of_who_made_them(tmp_path: Path, emulator: Emulator) -> None:
    emulator.reset()
    assert _lines(tmp_path, emulator, "changed") == []
    scan = {"code": "100012", "room": "Dresden/1.04", "user": "bernd.kowalski@nordhain.example"}
    emulator.steer("POST", "/scan", scan)
    (line,) = _lines(tmp_path, emulator, "changed")
    assert "Bernd Kowalski (bernd.kowalski@nordhain.example): 100012 Laserdrucker: scanned actual_room" in line
    about = {"title": "Clean", "references": ["100012"], "deadline": "2031-06-01"}
    task = {"community.seventhings.task": {**about, "assignees": ["bernd.kowalski@nordhain.example"]}}
    done = playbook.run(
        tmp_path, [{"hosts": "localhost", "gather_facts": False, "tasks": [task]}], variables=emulator.variables()
    )
    assert done.status == 0, done.output
    others = [line for line in _lines(tmp_path, emulator, "changed") if "scanned" not in line]
    assert [line.partition(": ")[2] for line in others] == ["100012 Laserdrucker: A task was created"]


def test_a_first_day_that_is_no_day_is_refused_by_its_variable(tmp_path: Path, emulator: Emulator) -> None:
    changed = ROOT / "playbooks" / "changed.yml"
    done = playbook.run(tmp_path, changed, "-e", "changed_since=gestern", variables=emulator.variables())
    assert done.results[-1]["msg"] == "changed_since: 'gestern' is not a day; expected a day such as 2031-04-30"
