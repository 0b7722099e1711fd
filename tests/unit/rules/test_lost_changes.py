# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A change whose answer was lost may take effect later. The next change of the same record waits for that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from embedded_here import Killed
from instance_site import yaml_list
from one_machine import Machine, kill_at_the_loss

BARCODE = "100003"
TITLE = "Laserdrucker reparieren"
LOST: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "archive": ("object", "POST", "/object/*/archive", {"fields": {"barcode": BARCODE}, "state": "archived"}),
    "status": ("task", "PUT", "/task-management/task/*/status", {"title": TITLE, "status": "closed"}),
    "delete": ("location", "DELETE", "/location/*", {"fields": {"name": "Depot"}, "state": "absent"}),
}
"""Transitions: the module, the request that is lost, and the options."""
NEWER: dict[str, dict[str, Any]] = {
    "archive": {"fields": {"barcode": BARCODE, "description": "newer"}},
    "status": {"title": TITLE, "comment": "newer"},
    "delete": {"fields": {"name": "Depot", "city": "newer"}},
}
"""The change that comes next, by a module."""
SECTIONS = {"archive": "objects", "status": "tasks", "delete": "locations"}


def lose(machine: Machine, transition: str, **rule: Any) -> None:
    """Send a transition whose answer is lost, and kill its process."""
    module, method, path, options = LOST[transition]
    machine.service.fault("504_late", method=method, path=path, times=1, **rule)
    connect = machine.connect

    def killed() -> Any:
        client = connect()
        kill_at_the_loss(client)
        return client

    machine.connect = killed  # type: ignore[method-assign]
    with pytest.raises(Killed):
        machine.call(module, **options)
    machine.connect = connect  # type: ignore[method-assign]


def entries(machine: Machine, transition: str) -> list[dict[str, Any]]:
    """Return the records with the natural key of a transition, archived ones included."""
    found = []
    for entry in machine.service.dump(canonical=False)[SECTIONS[transition]]:
        flat = {**entry, **entry.get("fields", {})}
        if flat.get("barcode") == BARCODE or flat.get("title") == TITLE or flat.get("name") == "Depot":
            found.append(flat)
    return found


@pytest.mark.parametrize("transition", LOST)
@pytest.mark.parametrize("by_set", [False, True])
def test_the_next_change_waits_until_a_lost_transition_is_over(tmp_path: Path, transition: str, by_set: bool) -> None:
    machine = Machine(tmp_path)
    machine.call("location", fields={"name": "Depot"})
    lose(machine, transition, commit_after=20)
    begun = machine.service.clock.now()
    if by_set:
        written = NEWER[transition].get("fields", NEWER[transition])
        machine.write(**{SECTIONS[transition]: yaml_list([written])})
        assert not machine.run().failed
    else:
        done = machine.call(LOST[transition][0], **NEWER[transition]).data
        assert done["changed"], done
    assert machine.service.clock.now() - begun == pytest.approx(30, abs=1)
    machine.service.clock.forward(60)
    [record] = entries(machine, transition)
    assert "newer" in record.values()
    assert not record.get("archived_at")
    assert record.get("status") == ("closed" if transition == "status" else record.get("status"))


def test_a_lost_change_that_never_took_effect_is_sent_again_after_the_horizon(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    for fault in ("502_html", "503", "reset_before"):
        begun = machine.service.clock.now()
        machine.service.fault(fault, method="PATCH", path="/object/*", times=1)
        assert machine.call("object", fields={"barcode": BARCODE, "description": fault}).data["changed"]
        assert machine.service.clock.now() - begun == pytest.approx(30, abs=1)


@pytest.mark.parametrize("by_set", [False, True])
def test_a_lost_change_that_took_effect_at_once_costs_no_wait(tmp_path: Path, by_set: bool) -> None:
    machine = Machine(tmp_path)
    begun = machine.service.clock.now()
    for fault in ("504_after", "reset_after"):
        machine.service.fault(fault, method="PATCH", path="/object/*", times=1)
        if by_set:
            machine.write(objects=yaml_list([{"barcode": BARCODE, "description": fault}]))
            assert machine.run().outcome == "changed"
        else:
            assert machine.call("object", fields={"barcode": BARCODE, "description": fault}).data["changed"]
    assert machine.service.clock.now() == begun
    assert sum(method == "PATCH" for method, _path in machine.writes()) == 2


def test_changes_of_other_records_do_not_wait(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    lose(machine, "archive", commit_after=20)
    begun = machine.service.clock.now()
    assert machine.call("object", fields={"barcode": "100004", "description": "newer"}).data["changed"]
    assert machine.service.clock.now() == begun
