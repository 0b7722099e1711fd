# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a check of the files as JSON has the records that all layers together write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.vault import VaultLib, VaultSecret
from jsonschema import Draft202012Validator
from schemas.report import report_schema
from set_actions import run_set

SETTINGS = "api: seventhings/v1\nset: test\n"
SECRET = "s3cret"


def records_of(root: Path, *layers: str, **more: Any) -> dict[str, dict[str, Any]]:
    """Return the records in the report by section and key."""
    report = root / "report.json"
    written = {"src": [str(root / layer) for layer in layers], "report": [str(report)], **more}
    loader = DataLoader()
    loader.set_vault_secrets([("default", VaultSecret(SECRET.encode()))])
    run_set(written, True, loader, module="instance_validate")
    document = json.loads(report.read_text("utf-8"))
    Draft202012Validator(report_schema()).validate(document)
    return {f"{record['section']} {record['key']}": record for record in document["records"]}


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def fields_of(record: dict[str, Any]) -> dict[str, tuple[Any, str]]:
    return {name: (field["value"], field["place"]) for name, field in record["fields"].items()}


def test_each_field_has_the_value_and_the_place_of_the_last_layer_that_writes_it(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "base/instance.yml": f"{SETTINGS}variables: {{city: {{}}, floors: {{type: integer, default: 3}}}}\n",
            "base/locations.yml": "- {name: Hall, city: '${city}'}\n- {name: Yard}\n",
            "base/rooms.yml": "- {building_id: Hall, number: '1', floor: '${floors}'}\n",
            "base/fields/asset.yml": "- {label: Shelf, type: TEXT}\n",
            "base/users.yml": "- ada@example.com\n",
            "base/objects.csv": 'barcode,inventory_name,accessories\nA,Desk,"[""B""]"\n007,Lamp,\n',
            "berlin/objects.yml": "- {barcode: A, inventory_name: null}\n- {barcode: '007', _state: archived}\n",
            "berlin/locations.yml": "- {name: Yard, _managed: false}\n",
        },
    )
    found = records_of(tmp_path, "base", "berlin", variables={"city": "Berlin"})
    assert fields_of(found["objects A"]) == {
        "barcode": ("A", "berlin/objects.yml:1:13"),
        "inventory_name": (None, "berlin/objects.yml:1:32"),
        "accessories": (["B"], "base/objects.csv:2:8"),
    }
    assert (found["objects 007"]["state"], found["objects A"]["state"]) == ("archived", "present")
    assert [found[f"locations {name}"]["managed"] for name in ("Hall", "Yard")] == [True, False]
    assert fields_of(found["locations Hall"])["city"] == ("Berlin", "base/locations.yml:1:22")
    assert fields_of(found["rooms Hall/1"])["floor"][0] == 3
    assert found["fields Shelf"]["template"] == "asset"
    assert found["users ada@example.com"]["place"] == "base/users.yml:1:3"


@pytest.mark.parametrize("is_shown", [False, True])
def test_hidden_values_are_left_out_unless_the_task_shows_them(tmp_path: Path, is_shown: bool) -> None:
    vault = VaultLib([("default", VaultSecret(SECRET.encode()))])
    write(
        tmp_path,
        {
            "base/instance.yml": SETTINGS,
            "base/locations.yml": "- {name: Hall, city: hunter3}\n",
            "base/persons.yml": vault.encrypt("- {email: ada@example.com, city: hunter2}\n").decode(),
        },
    )
    records_of(tmp_path, "base", hide=["city"], show_vaulted=is_shown)
    text = (tmp_path / "report.json").read_text("utf-8")
    assert [word in text for word in ("hunter2", "hunter3", "ada@example.com")] == [is_shown] * 3
    assert ('"value": "(vaulted)"' in text) is not is_shown


def test_other_formats_read_as_their_types_and_wrong_values_stay_as_written(tmp_path: Path) -> None:
    settings = f"{SETTINGS}csv: {{preset: excel-de}}\n"
    write(
        tmp_path,
        {
            "base/instance.yml": settings,
            "base/fields/asset.yml": "- {field_key: price, label: Price, type: MONEY}\n",
            "base/objects.csv": "barcode;Price\nA;1.234,50\nB;many\n",
        },
    )
    found = records_of(tmp_path, "base")
    assert fields_of(found["objects A"])["Price"][0] == "1234.50"
    assert fields_of(found["objects B"])["Price"] == ("many", "objects.csv:3:3")
