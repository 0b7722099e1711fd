# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Spreadsheets in real plays: a round trip as a workbook, and German CSV with its findings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import openpyxl
import pytest
from emulator_here import running_here
from emulator_process import Emulator
from playbook import Run, run

_SETTINGS = "api: seventhings/v1\n"


@pytest.fixture(scope="module")
def service() -> Iterator[Emulator]:
    with running_here("demo") as service:
        yield service


def _play(directory: Path, service: Emulator, module: str, *options: str, **arguments: object) -> Run:
    task = {"name": "Do it", f"community.seventhings.{module}": arguments}
    plays = [{"hosts": "localhost", "gather_facts": False, "tasks": [task]}]
    return run(directory / "play", plays, *options, variables=service.variables())


def test_a_workbook_is_exported_and_applied_again(service: Emulator, tmp_path: Path, state_home: Path) -> None:
    service.reset()
    assert state_home
    exported = _play(tmp_path, service, "instance_export", dest=str(tmp_path / "acme"), format="xlsx")
    assert exported.status == 0, exported.output
    assert exported.named("Do it")["changed"]
    again = _play(tmp_path, service, "instance_export", dest=str(tmp_path / "acme"), format="xlsx")
    assert not again.named("Do it")["changed"]
    book = openpyxl.load_workbook(tmp_path / "acme" / "instance.xlsx")
    book["objects"]["B2"] = "Größer"
    book.save(tmp_path / "acme" / "instance.xlsx")
    planned = _play(tmp_path, service, "instance", "--check", src=str(tmp_path / "acme"))
    (change,) = planned.named("Do it")["changes"]
    assert list(change["after"].values()) == ["Größer"]
    applied = _play(tmp_path, service, "instance", src=str(tmp_path / "acme"))
    assert applied.named("Do it")["outcome"] == "changed", applied.output
    assert _play(tmp_path, service, "instance", src=str(tmp_path / "acme")).named("Do it")["outcome"] == "unchanged"


def test_a_german_table_gets_a_line_for_each_kind_of_mistake(service: Emulator, tmp_path: Path) -> None:
    service.reset()
    files = tmp_path / "acme"
    files.mkdir()
    (files / "instance.yml").write_text(_SETTINGS, "utf-8")
    rows = "".join(f"Z{number:04d};Stuhl;{number},50;31.12.2024\r\n" for number in range(1, 21))
    (files / "objects.CSV").write_bytes(
        f"Barcode;Name;Purchasing price;Date of purchase\r\n{rows};;;\r\n".encode("utf-8-sig")
    )
    planned = _play(tmp_path, service, "instance", "--check", src=str(files), report=str(tmp_path / "plan.json"))
    assert planned.status != 0
    # Ansible prints the message and the result. Neither has a line per cell.
    assert planned.output.count("objects.CSV:") < 20
    number = 'a number with a decimal point and no separators, such as 1299.50 or "1299.50"'
    day = "a date as YYYY-MM-DD, such as 2024-05-31"
    german = "set `csv: {preset: excel-de}`"
    assert planned.named("Do it")["findings"] == [
        f"{column}: 20 cells such as '{cell}' (first at objects.CSV:2:{place}): expected {why}"
        for column, cell, place, why in (
            ("Purchasing price", "1,50", 13, f"{number}; {german} or set `csv: {{preset: excel-fr}}`"),
            ("Date of purchase", "31.12.2024", 18, f"{day}; {german}"),
        )
    ]
    assert len(json.loads((tmp_path / "plan.json").read_text("utf-8"))["every_finding"]) == 40
    (files / "instance.yml").write_text(_SETTINGS + "csv: {preset: excel-de}\n", "utf-8")
    fine = _play(tmp_path, service, "instance", src=str(files), limits={"create_percent": 200})
    assert fine.status == 0, fine.output
    assert fine.named("Do it")["summary"]["objects"]["created"] == 20
    second = _play(tmp_path, service, "instance", src=str(files))
    assert second.named("Do it")["outcome"] == "unchanged"
