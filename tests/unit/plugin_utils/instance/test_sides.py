# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Law: whoever edits which field, each difference has the right side, and an absorb loses no edit."""

from __future__ import annotations

import csv
import io
import json
import random
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.vault import VaultLib, VaultSecret
from embedded_here import ACCOUNT, ROOT_URL, Embedded
from instance_site import no_pause, yaml_list
from project import LONG
from set_actions import run_set
from workbooks import workbook_of

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.plugin_utils.absorb import action as absorb_action
from ansible_collections.community.seventhings.plugins.plugin_utils.action import set_run
from ansible_collections.community.seventhings.plugins.plugin_utils.action.arguments import read_arguments
from ansible_collections.community.seventhings.plugins.plugin_utils.action.documented import documented_spec

VALUES: dict[str, tuple[Any, ...]] = {
    "inventory_name": ("Lamp", "Table", "0"),
    "description": ("first\nsecond", "second", "é", None),
    "quantity": (1, 2, 3, None),
    "purchasing_price": ("12.50", "1299.00", "0.10"),
    "purchasing_date": ("2024-05-31", "2025-01-01", "1999-12-31", None),
    "is_loaned": (True, False, None),
    "last_inspection": ("2024-05-31T12:00:00+02:00", "2024-01-01T00:00:00Z", "2025-07-01T08:30:00Z"),
    "target_room": ("Plant/1", "Plant/2", "Plant/3"),
    "responsible_person": ("ada@acme.example", "bo@acme.example", "cy@acme.example"),
    "accessories": (["A", "B"], ["B"], ["A"]),
    "documents": (["files/a.txt"], ["files/b.txt"], ["files/c.txt", "files/a.txt"]),
    "Shelf mark": ("S 1", "S 2", "S 3", None),
    "Grade": ("A", "B", "C"),
    "Web": ("https://a.example", "https://b.example", "https://c.example", None),
    "Hidden": ("secret one", "secret two", "secret three"),
}
"""Values of each field. An empty cell of a table changes nothing, so tables don't have the last one if it is None."""
FIELDS = (
    "- {label: Shelf mark, type: TEXT}\n- {label: Grade, type: DROPDOWN, possible_values: [A, B, C]}\n"
    "- {label: Web, type: LINK}\n- {label: Hidden, type: TEXT}\n"
)
FORMS = ("yml", "csv", "xlsx", "vaulted")
SECRET = VaultSecret(b"open")
ANYBODY: dict[str, Any] = {"limits": {"create_percent": 1000, "update_percent": 1000}, "allow": ["users"]}

Edits = dict[str, dict[str, tuple[int, int]]]
"""Barcode to field to the numbers of the values of the files and of the application."""


class Place:
    """A directory of files, an instance in this process, and what both have."""

    def __init__(self, directory: Path) -> None:
        self.here = Embedded.started(data="empty")
        self.root = directory / "files"
        self.now: dict[str, dict[str, int]] = {f"{form}{number}": {} for form in FORMS for number in range(3)}
        for record in self.now.values():
            record |= dict.fromkeys(VALUES, 0)
        self.loader = DataLoader()
        self.loader.set_vault_secrets([("default", SECRET)])

    def run(self, module: str, check_mode: bool = False, **options: Any) -> dict[str, Any]:
        """Run a module as its action does."""

        def connect(_options: Any, *, read_only: bool = False, **_others: Any) -> Client:
            client = self.here.client()
            client.transport.read_only, client.transport.sleep = read_only, no_pause
            return client

        written = {"base_url": ROOT_URL, **ACCOUNT, "src": str(self.root), **options}
        with mock.patch.object(set_run, "connect", connect), mock.patch.object(absorb_action, "connect", connect):
            if module != "instance_absorb":
                result = run_set({**written, "hide": ["Hidden"]}, check_mode, self.loader, module=module)
            else:
                read = read_arguments(module, documented_spec("instance_absorb"), {}, written)
                result = absorb_action.absorb_instance(read.options, check_mode, self.loader, read.written)
        assert not result.get("failed"), result["msg"]
        return result

    def sides(self, result: Mapping[str, Any]) -> dict[str, dict[str, str]]:
        """Return barcode to field to side. The natural keys of vaulted records are not shown."""
        barcodes = {
            record["uuid"]: record["fields"]["barcode"] for record in self.here.dump(canonical=False)["objects"]
        }
        found = {}
        for change in result["changes"]:
            names = {key: change["labels"].get(key) for key in change["sides"]}
            sides = {names[key] if names[key] in VALUES else key: side for key, side in change["sides"].items()}
            found[barcodes[change["uuid"]]] = sides
        return found

    def write(self) -> None:
        """Write all records as the files have them."""
        (self.root / "files").mkdir(parents=True, exist_ok=True)
        for name in "abc":
            (self.root / f"files/{name}.txt").write_text(f"Text of {name}\n" * 3, "utf-8")
        (self.root / "instance.yml").write_text("api: seventhings/v1\nset: law\nset_id: 5d1c8e07f3a9b264\n", "utf-8")
        for name, text in {
            "fields/asset.yml": FIELDS,
            "locations.yml": "- name: Plant\n",
            "rooms.yml": yaml_list({"building_id": "Plant", "number": number} for number in "123"),
            "persons.yml": yaml_list({"email": f"{name}@acme.example"} for name in ("ada", "bo", "cy")),
            "objects/others.yml": yaml_list({"barcode": name, "inventory_name": name} for name in "AB"),
            "objects/y.yml": yaml_list(self._rows("yml")),
            "objects/v.yml": VaultLib([("default", SECRET)]).encrypt(yaml_list(self._rows("vaulted"))).decode(),
            "objects/c.csv": _table(self._rows("csv")),
        }.items():
            (self.root / name).parent.mkdir(exist_ok=True)
            (self.root / name).write_text(text, "utf-8")
        rows = csv.reader(io.StringIO(_table(self._rows("xlsx"))))
        (self.root / "assets.xlsx").write_bytes(workbook_of({"objects": rows}))

    def _rows(self, form: str) -> list[dict[str, Any]]:
        return [
            {"barcode": barcode, **{name: VALUES[name][number] for name, number in record.items()}}
            for barcode, record in self.now.items()
            if barcode.startswith(form)
        ]

    def edit(self, edits: Edits) -> None:
        """Let a colleague edit records in the application, and then somebody the files."""
        for barcode, record in edits.items():
            was = self.now[barcode]
            theirs = {name: VALUES[name][now] for name, (_ours, now) in record.items() if now != was[name]}
            if "documents" in theirs:
                theirs["documents"] = [str(self.root / path) for path in theirs["documents"]]
            if theirs:
                self.here.call("object", fields={"barcode": barcode, **theirs})
            self.now[barcode] |= {name: ours for name, (ours, _now) in record.items()}
        self.write()


def _table(rows: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows[0])
    for row in rows:
        writer.writerow([_cell(value) for value in row.values()])
    return text.getvalue()


def _cell(value: Any) -> str:
    return "" if value in (None, [], "") else value if isinstance(value, str) else json.dumps(value)


def _is_known(barcode: str, name: str) -> bool:
    return not barcode.startswith("vaulted") and name != "Hidden"


def _expected(before: Mapping[str, Mapping[str, int]], edits: Edits) -> dict[str, dict[str, str]]:
    """Return barcode to label of each field that differs, to its side."""
    sides = {(True, False): "files", (False, True): "application", (True, True): "both"}
    found: dict[str, dict[str, str]] = {}
    for barcode, record in edits.items():
        for name, (ours, theirs) in record.items():
            if ours != theirs:
                was = before[barcode][name]
                side = sides[ours != was, theirs != was]
                found.setdefault(barcode, {})[name] = side if _is_known(barcode, name) else "unknown"
    return found


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_every_difference_has_its_side_and_no_edit_is_lost(tmp_path: Path) -> None:
    place, chance, number = Place(tmp_path), random.Random(7), 0
    place.write()
    assert place.run("instance", **ANYBODY)["outcome"] == "changed"
    while number < (10_000 if LONG else 400):
        before = {barcode: dict(record) for barcode, record in place.now.items()}
        edits: Edits = {
            barcode: {name: _edit(chance, _choices(barcode, name), was) for name, was in record.items()}
            for barcode, record in before.items()
        }
        number += sum(len(record) for record in edits.values())
        place.edit(edits)
        expected = _expected(before, edits)
        drift = place.run("instance_drift")
        assert list(_different(place.sides(drift), expected)) == []
        counted = [_combined(record.values()) for record in expected.values()]
        assert drift["sides"] == {side: counted.count(side) for side in ("files", "application", "both", "unknown")}
        absorbed = place.run("instance_absorb")
        left = {
            (barcode, name)
            for barcode, record in expected.items()
            for name, side in record.items()
            if side != "application"
        }
        plan = place.run("instance", check_mode=True, **ANYBODY)
        assert {(barcode, name) for barcode, record in place.sides(plan).items() for name in record} == left
        for barcode, name in left:
            if expected[barcode][name] == "both":
                named = [line for line in absorbed["conflicts"] if f" {barcode}: {name} is " in line]
                assert len(named) == 1, (barcode, name, absorbed["conflicts"])
        assert place.run("instance", **ANYBODY)["outcome"] in ("changed", "unchanged")
        assert place.run("instance_drift")["outcome"] == "unchanged"
        for barcode, record in expected.items():
            for name, side in record.items():
                place.now[barcode][name] = edits[barcode][name][side == "application"]
    shutil.rmtree(place.root)


def _choices(barcode: str, name: str) -> list[int]:
    values = VALUES[name]
    is_table = barcode.startswith(("csv", "xlsx"))
    return [number for number, value in enumerate(values) if value is not None or not is_table]


def _edit(chance: random.Random, choices: Sequence[int], was: int) -> tuple[int, int]:
    """Return the values of both sides after nobody, one side or both sides edited a field."""
    ours, theirs = (chance.choice(choices) if chance.random() < 0.4 else was for _side in range(2))
    return ours, theirs


def _different(found: Mapping[str, Any], expected: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """Yield barcode, field, side and expected side."""
    for barcode in {**found, **expected}:
        sides, wanted = found.get(barcode, {}), expected.get(barcode, {})
        for name in {**sides, **wanted}:
            if sides.get(name) != wanted.get(name):
                yield barcode, name, sides.get(name, ""), wanted.get(name, "")


def _combined(sides: Any) -> str:
    known = {*sides} - {"unknown"}
    return "both" if len(known) > 1 else next(iter(known), "unknown")
