# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Without a connection, validation never refuses what an instance accepts."""

from __future__ import annotations

import csv
import io
import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from exports import export_of
from instance_site import Site, yaml_list
from project import LONG
from records import record_of

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import ROOM
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load
from ansible_collections.community.seventhings.plugins.plugin_utils.export.layout import SCHEMAS
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.offline import offline_findings

SETTINGS = "api: seventhings/v1\nset: test\n"


def findings(root: Path) -> list[str]:
    """Return the findings that are possible without a connection."""
    return list(map(str, offline_findings(load(root))))


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the directory with the schema of an exported instance."""
    return {"at": tmp_path_factory.mktemp("schema") / SCHEMAS}


def with_schema(site: Site, saved: dict[str, Path]) -> None:
    """Put the schema of the instance beside the files."""
    if not saved["at"].exists():
        export_of(site, saved["at"].parent)
    shutil.copytree(saved["at"], site.root / SCHEMAS)


# Example files by what they show.


REFUSED: dict[str, tuple[dict[str, str], str]] = {
    "a missing key": (
        {"instance.yml": SETTINGS + "identity: {locations: [name]}\n", "locations.yml": "- city: Berlin\n"},
        "name must have a value",
    ),
    "an empty key": (
        {"instance.yml": SETTINGS + "identity: {objects: [barcode]}\n", "objects.yml": '- {barcode: "", Name: A}\n'},
        "barcode must have a value",
    ),
    "an empty label": (
        {"instance.yml": SETTINGS + "identity: {objects: [Barcode]}\n", "objects.yml": '- {Barcode: "", Name: A}\n'},
        "Barcode must have a value",
    ),
    "one label twice": (
        {"instance.yml": SETTINGS + "identity: {objects: [Barcode]}\n", "objects.csv": "Barcode,Name\n1,A\n1,B\n"},
        "object 1 is written twice",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_known_to_be_wrong_is_still_refused(site: Site, name: str) -> None:
    files, words = REFUSED[name]
    site.write(files)
    assert site.plan().findings
    assert [words in finding for finding in findings(site.root)] == [True]


@pytest.mark.parametrize("identity", ["", "identity: {objects: [barcode]}\n", "identity: {objects: [Barcode]}\n"])
def test_with_a_schema_labels_are_resolved(site: Site, saved: dict[str, Path], identity: str) -> None:
    with_schema(site, saved)
    files = {"objects.csv": "Barcode,Name\n1,A\n,B\n", "objects/b.csv": "barcode,Name\n1,A\n"}
    site.write({"instance.yml": SETTINGS + identity, **files})
    reported = sorted(finding.partition(": ")[2].partition(",")[0] for finding in findings(site.root))
    assert len(reported) == len(site.plan().findings) == 2
    assert reported[0].lower().startswith("barcode must have a value")
    assert reported[1] == "object 1 is written twice"


# ---- whatever an instance takes

LABELS = {
    "objects": {
        "barcode": "Barcode",
        "inventory_name": "Name",
        "serial_number": "Serial number",
        "target_room": "Target room",
        "quantity": "Quantity",
    },
    "rooms": {"building_id": "Building", "number": "Number", "name": "Name", "description": "Description"},
    "persons": {"email": "E-mail address", "first_name": "First name"},
}

_ROOM_KEY = list(ROOM.match_on[0])


class _Files:
    """A directory in which fields are named by key or label at random."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def files(self) -> dict[str, str]:
        """Files by name."""
        chance = self._chance
        own = {"serial_number": "Mark"} if chance.random() < 0.3 else {}
        rooms = [record_of(ROOM, f"Site {index % 2}/{index}", description="Store") for index in range(4)]
        objects = [
            {
                "barcode": f"{index}",
                "inventory_name": chance.choice(["Chair", "Table"]),
                "serial_number": f"S{index}",
                "target_room": f"Site {index % 2}/{index}",
                "quantity": "3",
            }
            for index in range(4)
        ]
        persons = [{"email": f"p{index}@acme.example", "first_name": "Ada"} for index in range(3)]
        files = {
            "instance.yml": SETTINGS + self._identity(own),
            "locations.yml": "- name: Site 0\n- name: Site 1\n",
            **self._section("rooms", rooms, {}),
            **self._section("persons", persons, {}),
            **self._section("objects", objects, own),
        }
        if own:
            files["fields/asset.yml"] = yaml_list([{"field_key": "serial_number", "label": "Mark", "type": "TEXT"}])
        elif chance.random() < 0.3:
            files["fields/asset.yml"] = yaml_list([{"label": "Barcode", "type": "BARCODE"}])
        return files

    def _name(self, section: str, key: str, own: dict[str, str]) -> str:
        return self._chance.choice([key, own.get(key, LABELS[section][key])])

    def _identity(self, own: dict[str, str]) -> str:
        choices: dict[str, list[list[str]]] = {
            "objects": [
                ["barcode"],
                ["serial_number"],
                ["inventory_name", "serial_number"],
                ["barcode", "target_room"],
            ],
            "rooms": [[_ROOM_KEY[-1]], _ROOM_KEY],
            "persons": [["email"]],
        }
        named = {
            section: [
                self._name(section, key, own if section == "objects" else {}) for key in self._chance.choice(some)
            ]
            for section, some in choices.items()
            if self._chance.random() < 0.6
        }
        return f"identity: {json.dumps(named)}\n"

    def _section(self, section: str, records: list[dict[str, Any]], own: dict[str, str]) -> dict[str, str]:
        chance = self._chance
        needed = {"objects": ("barcode", "inventory_name"), "rooms": _ROOM_KEY, "persons": ("email",)}[section]
        keys = [key for key in LABELS[section] if key in needed or chance.random() < 0.8]
        names = {key: self._name(section, key, own) for key in keys}
        if chance.random() < 0.5:
            table = io.StringIO()
            writer = csv.writer(table)
            writer.writerow(names.values())
            writer.writerows([record.get(key, "x") for key in keys] for record in records)
            return {f"{section}.csv": table.getvalue()}
        written = []
        for record in records:
            # In a list of maps each record may use its own names.
            row = {self._name(section, key, own): record.get(key, "x") for key in keys}
            if section == "objects":
                for room in ("Target room", "target_room"):
                    if room in row and chance.random() < 0.4:
                        names = {key: self._name("rooms", key, {}) for key in _ROOM_KEY}
                        row[room] = dict(zip(names.values(), row[room].split("/"), strict=True))
            written.append(row)
        return {f"{section}.yml": yaml_list(written)}


@pytest.mark.sample(8)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200 if LONG else 24))
def test_offline_validation_accepts_every_state_that_an_instance_accepts(
    site: Site, saved: dict[str, Path], seed: int
) -> None:
    if seed % 3 == 0:
        with_schema(site, saved)
    site.write(_Files(seed).files())
    result = site.plan()
    offline_findings = findings(site.root)
    if result.findings:
        # The key may happen to be missing, and so may the key of a referenced record.
        assert any("must have a value" in finding for finding in result.findings), result.findings
    else:
        assert offline_findings == []
