# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A closed stocktake changes one value of each accepted object in the files, and nothing in the instance."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import pytest
from embedded_here import Embedded
from openpyxl import load_workbook

from .taking import ATELIER, DEPOT, IT, Result, take
from .test_scans import workbook

pytestmark = pytest.mark.slow

_YAML = """\
---
# What the IT has
- barcode: '100018'   # the one that travels
  target_room:   Dresden/1.04
- {barcode: "100030", target_room: "Dresden/1.01", target_building: Dresden}
- barcode: "100020"
  inventory_name: Akkuschrauber
- barcode: "100019"
  target_room: Dresden/1.04
"""
_CSV = 'barcode;target_room;inventory_name\r\n100041;Werkstatt/0.01;"Tablet 10"""\r\n100302;4010/0.01;Vitrine\r\n'


@pytest.fixture
def here() -> Embedded:
    """Return the instance on the day after its stocktake."""
    return Embedded.started(data="stocktake")


@pytest.fixture
def acme(tmp_path: Path) -> Path:
    """Write files with some of its objects."""
    root = tmp_path / "acme"
    for name, text in {
        "instance.yml": "api: seventhings/v1\n",
        "objects/it.yml": _YAML,
        "objects/others.csv": _CSV,
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode())
    return root


def close(here: Embedded, src: Path, accept: Any, check_mode: bool = False, **options: Any) -> Result:
    """Close the stocktake."""
    result = take(here, check_mode, mode="close", src=str(src), accept=accept, **options)
    assert not result.get("failed"), result
    return result


def accept_in(report: Path, code: str) -> None:
    """Accept an object in a report."""
    if report.suffix == ".csv":
        report.write_text(report.read_text("utf-8").replace(f"\n{code},,", f"\n{code},x,"), "utf-8")
        return
    book = load_workbook(report)
    row = next(row for row in book.worksheets[0].iter_rows(min_row=2) if row[0].value == code)
    row[1].value = "x"
    book.save(report)


def content(root: Path) -> dict[str, str]:
    """Return the files."""
    return {str(path.relative_to(root)): path.read_bytes().decode() for path in root.rglob("*") if path.is_file()}


def test_accepted_rooms_go_into_the_files_in_place(here: Embedded, acme: Path) -> None:
    before = here.dump()
    planned = close(here, acme, ["100018", "100302"], check_mode=True)
    assert content(acme)["objects/it.yml"] == _YAML
    done = close(here, acme, ["100018", "100302"])
    assert planned["diff"] == done["diff"]
    assert done["diff"].keys() == {"before", "after"}
    assert done["diff"]["before"].startswith("objects/it.yml\n")
    assert "target_room:   Dresden/1.04" in done["diff"]["before"]
    assert f"target_room:   {ATELIER}" in done["diff"]["after"]
    assert done["changed"]
    assert done["files"] == ["objects/it.yml", "objects/others.csv"]
    assert done["accepted"] == 2
    files = content(acme)
    assert files["objects/it.yml"] == _YAML.replace("target_room:   Dresden/1.04", f"target_room:   {ATELIER}", 1)
    assert files["objects/others.csv"] == _CSV.replace("4010/0.01", DEPOT)
    assert here.dump() == before
    assert not [path for method, path in here.log if method != "GET" and not path.endswith("auth_token")]


def test_closing_sends_only_the_requests_of_an_evaluation(here: Embedded, acme: Path) -> None:
    assert close(here, acme, ["100018", "100020", "100030"])["requests"] == 6


@pytest.mark.parametrize("layer", ["base", "berlin"])
def test_a_value_goes_into_the_layer_that_it_came_from(here: Embedded, tmp_path: Path, layer: str) -> None:
    for name in ("base", "berlin"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "objects.yml").write_text("- {barcode: '100018', inventory_name: Notebook}\n", "utf-8")
    (tmp_path / "base" / "instance.yml").write_text("api: seventhings/v1\n", "utf-8")
    text = "- {barcode: '100018', target_room: Dresden/1.04}\n"
    (tmp_path / layer / "objects.yml").write_text(text, "utf-8")
    src = [str(tmp_path / "base"), str(tmp_path / "berlin")]
    result = take(here, mode="close", src=src, accept=["100018"])
    assert result["files"] == [f"{layer}/objects.yml"]
    assert (tmp_path / layer / "objects.yml").read_text("utf-8") == text.replace("Dresden/1.04", ATELIER)


# ---- what is accepted


@pytest.mark.parametrize("word", ["true", "TRUE", "yes", "Ja", "WAHR", " x ", "X", "1"])
def test_a_word_in_the_table_accepts_a_row(here: Embedded, acme: Path, word: str) -> None:
    table = acme.parent / "accept.csv"
    table.write_text(f"code,name,accept\n100018,Notebook,{word}\n100030,,no\n100041,,\n", "utf-8")
    assert close(here, acme, str(table))["accepted"] == 1
    assert ATELIER in content(acme)["objects/it.yml"]


def test_numbers_and_flags_of_a_workbook_accept_rows(here: Embedded, acme: Path) -> None:
    rows = [("code", "accept"), ("100018", True), (100030, 1), ("100041", False), ("100302", "nein")]
    assert close(here, acme, str(workbook(acme.parent / "accept.xlsx", rows)))["accepted"] == 2


def test_a_table_in_another_encoding_is_read_as_the_finding_says(here: Embedded, acme: Path) -> None:
    table = acme.parent / "stock[1].csv"
    table.write_text("Code,Begründung,accept\n100018,Büro,x\n100020,,\n", "cp1252")
    finding = take(here, mode="close", src=str(acme), accept=str(table))["findings"][0]
    assert "write the line with the right words into accept: `encoding: cp1252 " in finding
    mapped = {"files": str(table), "columns": {"Begründung": "name"}}
    refused = take(here, mode="close", src=str(acme), accept=mapped)
    assert refused["msg"].startswith("accept.columns: name: expected code or accept")
    assert close(here, acme, {"files": str(table), "encoding": "cp1252"})["accepted"] == 1
    assert ATELIER in content(acme)["objects/it.yml"]


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("code,accept\n100018,maybe\n", "accept.csv:2:8: accept: 'maybe' does not fit; expected true, yes, ja, x or 1"),
        ("code,accept\n,x\n", "accept.csv:2: code: this row has none"),
        ("code,accept\n100018,x\n100018,no\n", "accept.csv:3:8: code: '100018' is accepted here or at accept.csv:2:8"),
        ("code,ok\n100018,x\n", "accept.csv: accept: expected the columns code and accept; there is no accept"),
    ],
)
def test_what_is_wrong_in_the_table_is_a_finding(here: Embedded, acme: Path, text: str, finding: str) -> None:
    table = acme.parent / "accept.csv"
    table.write_text(text, "utf-8")
    before = content(acme)
    result = take(here, mode="close", src=str(acme), accept=str(table))
    assert result["findings"][0].startswith(finding)
    assert content(acme) == before
    assert here.log == []


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_a_report_is_a_table_that_can_be_filled_in(here: Embedded, acme: Path, ending: str) -> None:
    report = acme.parent / f"report.{ending}"
    take(here, report=[str(report)])
    accept_in(report, "100018")
    assert close(here, acme, str(report))["files"] == ["objects/it.yml"]


# ---- refused


def test_mistakes_in_the_files_are_findings_and_nothing_is_asked(here: Embedded, acme: Path) -> None:
    (acme / "objects" / "it.yml").write_text("- {barcode: '1'\n", "utf-8")
    result = take(here, mode="close", src=str(acme), accept=["100018"])
    assert result["findings"][0].startswith("objects/it.yml:")
    assert here.log == []


def test_files_of_another_instance_are_refused(here: Embedded, acme: Path) -> None:
    (acme / "instance.yml").write_text("api: seventhings/v1\ninstance: https://other.example\n", "utf-8")
    result = take(here, mode="close", src=str(acme), accept=["100018"])
    assert result["failed"]
    assert "https://other.example" in result["msg"]


def test_a_link_in_the_place_of_the_files_is_refused(here: Embedded, acme: Path) -> None:
    link = acme.parent / "link"
    link.symlink_to(acme)
    result = take(here, mode="close", src=str(link), accept=["100018"])
    assert result["msg"].startswith(f"src: {link} is a link")


# ---- rooms that changed since the report

_ODD = '=1+1, "Büro"'
"""A room whose name no table has as it is."""


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
@pytest.mark.parametrize("language", ["en", "de"])
def test_a_report_accepts_only_the_room_that_it_shows(here: Embedded, acme: Path, ending: str, language: str) -> None:
    made = here.call("room", fields={"building_id": "Leipzig", "number": _ODD, "name": "Büro"})
    assert made["changed"], made
    here.log.clear()
    scans = acme.parent / "scans.xlsx"
    workbook(scans, [("code", "room"), ("100018", f"Leipzig/{_ODD}")])
    report = acme.parent / f"report.{ending}"
    take(here, report=[str(report)], scans=str(scans), language=language)
    accept_in(report, "100018")
    left = close(here, acme, str(report))
    assert left["files"] == []
    (words,) = left["not_changed"]
    assert words.startswith(f"objects/it.yml:3:3: object '100018': not changed, because it is in {ATELIER} now, and ")
    assert close(here, acme, str(report), scans=str(scans))["files"] == ["objects/it.yml"]


def test_the_unicode_forms_of_a_room_are_one_room(here: Embedded, acme: Path) -> None:
    accept = acme.parent / "accept.csv"
    scans = acme.parent / "scans.csv"
    scans.write_text(f"code,room\n100018,{IT}\n", "utf-8")
    for form in ("NFC", "NFD"):
        accept.write_text(unicodedata.normalize(form, f"code,accept,actual_room\n100018,x,{IT}\n"), "utf-8")
        assert close(here, acme, str(accept), scans=str(scans))["not_changed"] == []


def test_two_reports_that_show_two_rooms_accept_none(here: Embedded, acme: Path) -> None:
    accept = acme.parent / "accept.csv"
    accept.write_text(f"code,accept,actual_room\n100018,x,{ATELIER}\n100018,x,{IT}\n", "utf-8")
    assert close(here, acme, str(accept))["files"] == []
