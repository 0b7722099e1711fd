# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reports of a stocktake contain the result of the task, are private, and contain no active content."""

from __future__ import annotations

import csv
import json
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from embedded_here import ROOT_URL, Embedded
from jsonschema import Draft202012Validator
from openpyxl import load_workbook
from pages import Page
from schemas.stocktake import stocktake_schema

from .taking import ATELIER, NOVEMBER, Result, by_code, take

pytestmark = pytest.mark.slow

ENDINGS = ("csv", "html", "json", "xlsx")
SCHEMA = Draft202012Validator(stocktake_schema())


@pytest.fixture
def here() -> Embedded:
    """Return the instance on the day after its stocktake."""
    return Embedded.started(data="stocktake")


def reported(here: Embedded, directory: Path, **options: Any) -> tuple[Result, dict[str, Path]]:
    """Return a stocktake with all of its reports."""
    paths = {ending: directory / f"report.{ending}" for ending in ENDINGS}
    result = take(here, report=[str(path) for path in paths.values()], **options)
    assert not result.get("failed"), result
    return result, paths


def test_reports_are_private_to_their_owner(here: Embedded, tmp_path: Path) -> None:
    _result, paths = reported(here, tmp_path)
    assert {path.stat().st_mode & 0o777 for path in paths.values()} == {0o600}


@pytest.mark.parametrize("mode", ["prepare", "evaluate", "close"])
def test_check_mode_writes_no_report(here: Embedded, tmp_path: Path, mode: str) -> None:
    (tmp_path / "instance.yml").write_text("api: seventhings/v1\n", "utf-8")
    result = take(here, True, mode=mode, src=str(tmp_path), accept=[], report=[str(tmp_path / "report.html")])
    assert not result.get("failed")
    assert [path.name for path in tmp_path.iterdir()] == ["instance.yml"]


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("mode", ["prepare", "evaluate"])
def test_the_report_as_json_is_the_result_and_fits_its_schema(
    here: Embedded, tmp_path: Path, mode: str, language: str
) -> None:
    Draft202012Validator.check_schema(stocktake_schema())
    result, paths = reported(
        here, tmp_path, mode=mode, language=language, **NOVEMBER, placeholder_rooms=["Dresden/000"]
    )
    document = json.loads(paths["json"].read_text("utf-8"))
    assert list(SCHEMA.iter_errors(document)) == []
    assert document == {name: result[name] for name in document}
    assert result.keys() - document.keys() <= {"changed", "msg", "requests", "warnings"}


def test_tables_have_a_row_for_each_object(here: Embedded, tmp_path: Path) -> None:
    result, paths = reported(here, tmp_path)
    rows = list(csv.DictReader(paths["csv"].read_text("utf-8").splitlines()))
    book = load_workbook(paths["xlsx"])
    header, *cells = book["objects"].iter_rows(values_only=True)
    assert [*rows[0]] == [*header]
    for row, shown in zip(rows, cells, strict=True):
        *texts, price = shown
        assert [text or "" for text in texts] == [*row.values()][:-1]
        assert price == (float(row["purchasing_price"]) if row["purchasing_price"] else None)
    found = {row["code"]: row for row in rows}
    assert len(found) == len(result["objects"])
    assert (found["100018"]["status"], found["100018"]["actual_room"]) == ("deviation", ATELIER)
    assert {row["accept"] for row in rows} == {""}
    assert book.sheetnames == ["objects", "# places"]
    assert book["# places"].max_row == len(result["by_place"]) + 1


def test_an_amount_that_no_spreadsheet_can_have_is_text(here: Embedded, tmp_path: Path) -> None:
    here.set(answers={"GET /objects": {"set": {"purchasing_price": "1e400"}}})
    _result, paths = reported(here, tmp_path)
    cells = {row[-1].value for row in load_workbook(paths["xlsx"])["objects"].iter_rows(min_row=2)}
    assert cells == {"1" + "0" * 400 + ".00"}


def test_amounts_add_up(here: Embedded, tmp_path: Path) -> None:
    result, paths = reported(here, tmp_path, **NOVEMBER)
    prices = {name: Decimal(amounts.get("purchasing_price", "0")) for name, amounts in result["totals"].items()}
    assert sum(prices.values()) == Decimal(result["amounts"]["purchasing_price"])
    missing = [item for item in by_code(result).values() if item["status"] == "missing"]
    assert prices["missing"] == sum(Decimal(item["amounts"].get("purchasing_price", "0")) for item in missing) > 0
    (table,) = Page(paths["html"].read_text("utf-8")).tables("Missing")
    heads, *rows, last = table
    assert heads[:4] == ["Code", "Name", "Asset number", "Serial number"]
    assert heads[-3:] == ["Last scan", "Purchasing price", "Cleared up"]
    shown = {row[0]: row[1:5] for row in rows}
    assert shown["100012"] == ["Laserdrucker", "", "PR-9004-55", "Dresden/1.01"]
    assert shown["999002"] == ["CAD-Lizenz, 5 Plätze", "0002-0", "", "Dresden/001"]
    price = heads.index("Purchasing price")
    assert (last[0], last[price]) == ("Total", f"{prices['missing']:,.2f}")


def test_the_page_prints_on_a4_with_lines_to_sign(here: Embedded, tmp_path: Path) -> None:
    _result, paths = reported(here, tmp_path, **NOVEMBER, placeholder_rooms=["Dresden/000"])
    text = paths["html"].read_text("utf-8")
    page = Page(text)
    assert "size: A4" in text
    assert [text for text in page.texts() if text.endswith(", date, signature")] == [
        "Counted by, date, signature",
        "Checked by, date, signature",
        "Approved by, date, signature",
    ]
    assert page.texts("h2") == [
        "Result",
        "Places",
        "Deviations (5)",
        "Missing (6)",
        "New (1)",
        "Unknown (1)",
        "Without a label, to confirm by hand (1)",
    ]
    assert any("60 objects, 21 rooms, 4 locations" in text for text in page.texts())
    assert any(ROOT_URL in text for text in page.texts())
    assert not page.tags & {"script", "a", "img", "link", "iframe", "form"}
    assert "default-src 'none'" in text


def test_the_page_before_a_stocktake_lists_objects_to_check(here: Embedded, tmp_path: Path) -> None:
    _result, paths = reported(here, tmp_path, mode="prepare", placeholder_rooms=["Dresden/000"])
    titles = Page(paths["html"].read_text("utf-8")).texts("h2")
    assert titles == ["Result", "Places", "Without a target room (2)", "In a placeholder room (1)"]


HOSTILE = (
    "=cmd|' /C calc'!A0",
    "@SUM(1)",
    "<script>alert(1)</script>",
    "{{ 7 * 7 }}",
    "a\x1b[31mred",
    "a\u202eb",
    "x;=1+1",
    "::error::x",
    "_x0041_",
)
"""Texts that some program treats as more than text."""


@pytest.mark.parametrize("language", ["en", "de"])
def test_texts_of_the_service_are_data_in_every_report(here: Embedded, tmp_path: Path, language: str) -> None:
    client = here.client()
    listed = client.list_all

    def altered(*given: Any, **more: Any) -> Any:
        records = listed(*given, **more)
        for record, text in zip(records, HOSTILE, strict=False):
            record.flat = {**record.flat, **{key: text for key in ("inventory_name", "name") if key in record.flat}}
        return records

    with mock.patch.object(client, "list_all", altered):
        paths = {ending: tmp_path / f"report.{ending}" for ending in ENDINGS}
        result = take(here, client=client, language=language, report=[str(path) for path in paths.values()])
    assert {record["name"] for record in result["objects"]} >= set(HOSTILE)
    for ending in ("csv", "html", "json"):
        text = paths[ending].read_text("utf-8")
        assert not {"\x1b", "\u202e"} & set(text)
        assert "::error" not in text
    rows = list(csv.reader(paths["csv"].read_text("utf-8").splitlines()))
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "@", "+", "-")) or ";=" in cell]
    page = Page(paths["html"].read_text("utf-8"))
    assert "script" not in page.tags
    assert "49" not in page.texts()
    cells = [cell for row in load_workbook(paths["xlsx"]).worksheets[0].iter_rows() for cell in row]
    assert {cell.data_type for cell in cells if cell.value is not None} == {"s", "n"}
    # Excel escapes the underscore of a text that looks like an escape.
    assert {"=cmd|' /C calc'!A0", "_x005F_x0041_"} <= {cell.value for cell in cells if cell.data_type == "s"}


def test_no_report_is_written_if_one_of_them_is_impossible(here: Embedded, tmp_path: Path) -> None:
    result = take(here, report=[str(tmp_path / "a.html"), str(tmp_path / "no" / "b.html")])
    assert result["failed"]
    assert here.log == []
    assert list(tmp_path.iterdir()) == []


def test_a_marked_workbook_of_any_language_accepts_deviations(here: Embedded, tmp_path: Path) -> None:
    src = tmp_path / "acme"
    (src / "objects").mkdir(parents=True)
    (src / "instance.yml").write_text("api: seventhings/v1\n", "utf-8")
    files = src / "objects" / "it.csv"
    for language in ("en", "de"):
        files.write_text("barcode,target_room\n100018,Dresden/1.04\n", "utf-8")
        path = tmp_path / f"{language}.xlsx"
        take(here, language=language, report=[str(path)])
        book = load_workbook(path)
        sheet = book.worksheets[0]
        for row in sheet.iter_rows(min_row=2):
            if row[0].value == "100018":
                row[1].value = "ja"
        book.save(path)
        result = take(here, mode="close", src=str(src), accept=str(path))
        assert (result["accepted"], result["changed"]) == (1, True), result
        assert ATELIER in files.read_text("utf-8")
