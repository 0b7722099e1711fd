# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No report of a stocktake shows what a vaulted file of the set has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.vault import VaultLib, VaultSecret
from embedded_here import Embedded
from jsonschema import Draft202012Validator
from openpyxl import load_workbook
from schemas.stocktake import stocktake_schema

from .taking import ATELIER, IT, Result, take
from .test_close import accept_in

_SECRET = VaultSecret(b"pass")
_HIDDEN = ("100018", "Tresor Keller 7", "4711.47", "SN-SECRET-1")
_VAULTED = """\
- {barcode: "100018", inventory_name: Tresor Keller 7, purchasing_price: 4711.47, serial_number: SN-SECRET-1}
"""
_PLAIN = '- {barcode: "100020", inventory_name: Akkuschrauber}\n'


@pytest.fixture
def here() -> Embedded:
    """Return the instance on the day after its stocktake, to which the vaulted values were applied."""
    here = Embedded.started(data="stocktake")
    fields = {"inventory_name": _HIDDEN[1], "purchasing_price": float(_HIDDEN[2]), "serial_number": _HIDDEN[3]}
    here.call("object", fields={"barcode": _HIDDEN[0], **fields})
    here.log.clear()
    return here


@pytest.fixture
def acme(tmp_path: Path) -> list[str]:
    """Write two layers, of which the second has a vaulted file."""
    vaulted = VaultLib([("default", _SECRET)]).encrypt(_VAULTED)
    for name, content in {"base/objects.yml": _PLAIN.encode(), "secret/objects.yml": vaulted}.items():
        path = tmp_path / name
        path.parent.mkdir()
        path.write_bytes(content)
    (tmp_path / "base" / "instance.yml").write_text("api: seventhings/v1\n", "utf-8")
    return [str(tmp_path / "base"), str(tmp_path / "secret")]


def take_with_password(here: Embedded, **written: Any) -> Result:
    """Call the module with the vault password."""
    loader = DataLoader()
    loader.set_vault_secrets([("default", _SECRET)])
    result = take(here, loader=loader, **written)
    assert not result.get("failed"), result
    return result


@pytest.mark.parametrize("mode", ["prepare", "evaluate", "close"])
def test_no_report_shows_a_vaulted_value(here: Embedded, acme: list[str], tmp_path: Path, mode: str) -> None:
    paths = {ending: tmp_path / f"report.{ending}" for ending in ("csv", "xlsx", "html", "json")}
    options: dict[str, Any] = {"mode": mode, "src": acme, "report": list(map(str, paths.values()))}
    if mode == "prepare":
        options["placeholder_rooms"] = [ATELIER]
    result = take_with_password(here, accept=["100020"] if mode == "close" else None, **options)
    book = load_workbook(paths["xlsx"])
    cells = [str(cell) for sheet in book.worksheets for row in sheet.iter_rows(values_only=True) for cell in row]
    texts = [json.dumps(result), " ".join(cells), *(paths[ending].read_text("utf-8") for ending in ("csv", "html"))]
    for text in (*texts, paths["json"].read_text("utf-8")):
        assert [value for value in _HIDDEN if value in text] == []
        assert "(vaulted)" in text
    (shown,) = [item for item in result["objects"] if item["name"] == "(vaulted)"]
    assert shown["scan_code"] == f"(vaulted) {shown['uuid']}"
    assert (shown["serial_number"], shown["amounts"]["purchasing_price"]) == ("(vaulted)", "(vaulted)")
    # The files say nothing about the rooms.
    assert (shown["target_room"], shown["actual_room"]) == (IT, ATELIER)
    assert "(vaulted)" not in json.dumps(result["amounts"])
    Draft202012Validator(stocktake_schema()).validate(json.loads(paths["json"].read_text("utf-8")))


def test_a_vaulted_room_names_no_place(here: Embedded, acme: list[str], tmp_path: Path) -> None:
    secret = tmp_path / "secret" / "objects.yml"
    secret.write_bytes(VaultLib([("default", _SECRET)]).encrypt('- {barcode: "100018", target_room: Dresden/1.04}\n'))
    result = take_with_password(here, src=acme)
    (shown,) = [item for item in result["objects"] if item["target_room"] == "(vaulted)"]
    assert shown["status"] == "deviation"
    (place,) = [place for place in result["by_place"] if place["room"] == "(vaulted)"]
    assert (place["location"], place["deviation"]) == ("(vaulted)", 1)


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_the_row_of_a_vaulted_object_can_be_accepted(
    here: Embedded, acme: list[str], tmp_path: Path, ending: str
) -> None:
    report = tmp_path / f"report.{ending}"
    (tmp_path / "base" / "objects.yml").write_text('- {barcode: "100018", target_room: Dresden/1.04}\n', "utf-8")
    (uuid,) = [item["uuid"] for item in take(here)["objects"] if item["scan_code"] == "100018"]
    take_with_password(here, src=acme, report=[str(report)])
    accept_in(report, f"(vaulted) {uuid}")
    result = take_with_password(here, mode="close", src=acme, accept=str(report))
    assert (result["accepted"], result["files"], result["unknown_codes"]) == (1, ["base/objects.yml"], [])


def test_no_suggestion_names_a_vaulted_code(here: Embedded, acme: list[str], tmp_path: Path) -> None:
    scans = tmp_path / "scans.csv"
    scans.write_text("code,room\n0100018,Dresden/1.04\n", "utf-8")
    options: dict[str, Any] = {"since": "2030-01-01", "scans": str(scans)}
    assert "like '100018'" in json.dumps(take(here, **options)["warnings"])
    assert "like" not in json.dumps(take_with_password(here, src=acme, **options).get("warnings", []))


def test_without_the_password_nothing_is_evaluated(here: Embedded, acme: list[str]) -> None:
    result = take(here, src=acme)
    assert result["findings"][0].startswith("secret/objects.yml: can't be read: it is vaulted, and was not decrypted")
    assert here.log == []
