# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook ``promote`` copies records from one instance to another by names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import playbook
import pytest
from emulator_here import running_here
from emulator_process import Emulator
from instance_site import Site, yaml_list
from project import ROOT

PLAYBOOK = ROOT / "playbooks" / "promote.yml"
WRITES = ("POST", "PATCH", "PUT", "DELETE")


def promote(directory: Path, source: Emulator, target: Emulator, *options: str, **more: Any) -> playbook.Run:
    """Run the playbook from one service to another."""
    connections = [{**instance.options(), "rate_limit": 0} for instance in (source, target)]
    variables = {"promote_from": connections[0], "promote_to": connections[1], **more}
    (directory / "promote.json").write_text(json.dumps(variables), "utf-8")
    return playbook.run(directory, PLAYBOOK, "-e", f"@{directory / 'promote.json'}", *options)


def writes(service: Emulator) -> list[str]:
    """Return the requests that changed something."""
    return [
        f"{request['method']} {request['path']}"
        for request in service.log()
        if request["method"] in WRITES and not request["path"].endswith("/auth_token")
    ]


def filled(directory: Path, service: Emulator, files: dict[str, str]) -> Site:
    """Apply files to an empty service."""
    site = Site(directory, service)
    directory.mkdir()
    site.write(files)
    assert site.run().outcome == "changed"
    service.clear_log()
    return site


def _rooms(dump: Any, location: str) -> list[Any]:
    """Return the rooms of one location."""
    return [room for room in dump["rooms"] if room["fields"]["building_id"] == location]


@pytest.mark.slow
def test_places_and_definitions_go_to_another_instance_by_names(tmp_path: Path) -> None:
    with running_here("empty") as source, running_here("empty") as target:
        fields = "- {label: Cost centre, type: TEXT}\n- {label: Colour, type: DROPDOWN, possible_values: [red, blue]}\n"
        rooms = [{"building_id": "Head office", "number": str(number), "name": f"Hall {number}"} for number in range(3)]
        filled(
            tmp_path / "staging",
            source,
            {
                "fields/room.yml": fields,
                "fields/asset.yml": "- {label: Licence, type: TEXT}\n",
                "locations.yml": yaml_list([{"name": "Head office"}]),
                "rooms.yml": yaml_list([{**room, "Cost centre": "4711"} for room in rooms]),
                "objects.yml": yaml_list([{"barcode": "100001", "inventory_name": "Thing"}]),
            },
        )
        production = filled(
            tmp_path / "production",
            target,
            {
                # Created in another order, so the service generates other keys for the same labels.
                "fields/room.yml": "- {label: Size, type: TEXT}\n- {label: Cost centre, type: TEXT}\n",
                "locations.yml": yaml_list([{"name": "Annex"}, {"name": "Head office"}]),
                "rooms.yml": yaml_list([{**rooms[0], "Size": "12"}, {**rooms[1], "building_id": "Annex"}]),
            },
        )

        checked = promote(tmp_path, source, target, "--check")
        assert checked.status == 0, checked.output
        assert checked.named("Plan, and apply unless check mode is on")["summary"]["rooms"]["created"] == 2
        assert writes(target) == writes(source) == []

        first = promote(tmp_path, source, target)
        assert first.status == 0, first.output
        assert first.named("Plan, and apply unless check mode is on")["changed"]
        second = promote(tmp_path, source, target)
        assert second.status == 0, second.output
        assert not any(result.data.get("changed") for result in second.results)
        assert writes(source) == []

        have = production.dump()
        assert [location["name"] for location in have["locations"]] == ["Annex", "Head office"]
        assert len(have["rooms"]) == 4, "what only the target has stays"
        assert have["objects"] == []
        costs = {room["fields"]["number"]: room["fields"]["Cost centre"] for room in _rooms(have, "Head office")}
        assert costs == {"0": "4711", "1": "4711", "2": "4711"}, "keys that differ are mapped by labels"
        assert [room["fields"]["Size"] for room in _rooms(have, "Head office")] == ["12", None, None]
        for service in (source, target):
            assert service.password not in first.output


def test_one_instance_is_not_promoted_to_itself(emulator: Emulator, tmp_path: Path) -> None:
    emulator.clear_log()
    run = promote(tmp_path, emulator, emulator)
    assert run.status != 0
    assert "promote_from and promote_to must be maps of connection options" in run.output
    assert writes(emulator) == []
