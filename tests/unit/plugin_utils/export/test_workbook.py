# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports that people open in a spreadsheet: one workbook, and CSV in the dialect of the settings."""

from __future__ import annotations

import io
import re
import sys
from typing import Any

import openpyxl
import pytest
from exports import contents, export_of
from instance_site import Site

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT
from ansible_collections.community.seventhings.plugins.plugin_utils.export.workbook import sheets_of

pytestmark = pytest.mark.slow


def _book(site: Site) -> Any:
    return openpyxl.load_workbook(site.root / "instance.xlsx")


def _edit(site: Site, cells: dict[str, Any], sheet: str = "objects") -> None:
    """Change cells by the header of their column and their row."""
    book = _book(site)
    header = {cell.value: cell.column_letter for cell in book[sheet][1]}
    for place, value in cells.items():
        name, _at, row = place.partition("!")
        book[sheet][f"{header[name]}{row}"] = value
    book.save(site.root / "instance.xlsx")


def test_a_workbook_is_read_back_as_what_is_there(demo: Site) -> None:
    done = export_of(demo, format="xlsx")
    assert "instance.xlsx" in done["files"]["written"]
    assert {"instance.yml", "fields/asset.yml", "tasks.yml"} <= {*done["files"]["written"]}
    assert not [path for path in done["files"]["written"] if path.endswith((".csv", ".jsonl"))]
    result = demo.plan()
    assert (result.outcome, result.findings, result.warnings) == ("unchanged", [], [])
    assert result.summary["objects"]["unchanged"] == done["summary"]["objects"]


@pytest.mark.sample(0)
def test_two_exports_have_the_same_bytes(demo: Site) -> None:
    export_of(demo, format="xlsx")
    first = contents(demo.root)
    done = export_of(demo, format="xlsx")
    assert not done["changed"]
    export_of(demo, demo.root / "again", format="xlsx")
    assert (demo.root / "again" / "instance.xlsx").read_bytes() == first["instance.xlsx"]


def test_a_sheet_helps_to_fill_it_in(demo: Site) -> None:
    export_of(demo, format="xlsx")
    book = _book(demo)
    assert book.sheetnames == ["locations", "rooms", "persons", "objects", "catalog"]
    sheet = book["objects"]
    header = {cell.value: cell for cell in sheet[1]}
    assert sheet.freeze_panes == "A2"
    assert sheet.auto_filter.ref.startswith("A1:")
    # The label, not the key.
    assert "Barcode" in header
    assert "barcode" not in header
    barcode = sheet[f"{header['Barcode'].column_letter}2"]
    assert (barcode.data_type, barcode.number_format) == ("s", "@")
    assert sheet.column_dimensions[header["Barcode"].column_letter].number_format == "@"


def test_exactly_what_is_edited_is_planned(demo: Site) -> None:
    export_of(demo, format="xlsx")
    book = _book(demo)
    sheet = book["objects"]
    header = [cell.value for cell in sheet[1]]
    _edit(demo, {f"{header[1]}!3": "Größer\nals zuvor 0012"})
    (change,) = demo.plan().changes
    assert change["action"] == "update"
    assert list(change["after"].values()) == ["Größer\nals zuvor 0012"]
    assert change["place"].startswith("instance.xlsx:objects!A3")


def test_an_emptied_cell_is_named_in_the_plan(demo: Site) -> None:
    export_of(demo, format="xlsx")
    header = [cell.value for cell in _book(demo)["objects"][1]]
    _edit(demo, {f"{header[1]}!{row}": None for row in (2, 3, 4)})
    result = demo.plan()
    assert result.outcome == "unchanged"
    (warning,) = result.warnings
    assert "instance.xlsx:objects: 3 empty cells where the instance has values; `empty: clear` clears them" in warning
    assert f"({header[1]}: 3)" in warning


@pytest.mark.sample(0)
@pytest.mark.parametrize("other", ["yaml", "csv"])
def test_another_format_removes_the_workbook_and_the_reverse(demo: Site, other: str) -> None:
    export_of(demo, format="xlsx")
    done = export_of(demo, format=other)
    assert done["files"]["removed"] == ["instance.xlsx"]
    assert demo.plan().outcome == "unchanged"
    done = export_of(demo, format="xlsx")
    assert "rooms.yml" in done["files"]["removed"] or "rooms.csv" in done["files"]["removed"]
    assert demo.plan().outcome == "unchanged"


def test_a_part_of_a_workbook_is_not_written_anew(demo: Site) -> None:
    export_of(demo, format="xlsx")
    for format_name in ("xlsx", "yaml"):
        done = export_of(demo, only=["rooms"], format=format_name)
        assert done["failed"]
        assert done["msg"].startswith("only: instance.xlsx in dest contains catalog, locations, objects, persons too.")
    assert not export_of(demo, only=["tasks"], format="xlsx").get("failed")
    assert (demo.root / "instance.xlsx").is_file()
    assert demo.plan().outcome == "unchanged"


def test_attachments_that_the_workbook_names_stay(demo: Site) -> None:
    export_of(demo, format="xlsx")
    before = {path for path in contents(demo.root) if path.startswith("files/")}
    assert before
    export_of(demo, only=["tasks"])
    assert {path for path in contents(demo.root) if path.startswith("files/")} == before
    assert demo.plan().outcome == "unchanged"


def test_a_workbook_of_somebody_else_is_left_alone(demo: Site) -> None:
    demo.root.mkdir()
    (demo.root / "assets.xlsx").write_bytes(b"mine")
    done = export_of(demo)
    assert done["failed"]
    assert "dest: assets.xlsx: not written by an export" in done["msg"]


def test_an_edited_workbook_is_not_removed(demo: Site) -> None:
    export_of(demo, format="xlsx")
    header = [cell.value for cell in _book(demo)["objects"][1]]
    _edit(demo, {f"{header[1]}!2": "mine"})
    done = export_of(demo, format="yaml")
    assert done["failed"]
    assert "instance.xlsx: edited since an export wrote it" in done["msg"]


def test_what_a_cell_can_not_hold_is_beside_the_workbook(demo: Site) -> None:
    texts = {
        "A": "[no list", "B": "a\rb", "C": "\x07", "D": "=1+1", "E": "#N/A", "F": "_x0041_", "G": "  blanks  ",
        "H": "+49 30", "I": "'quoted", "J": "tab\tline\nline",
    }  # fmt: skip
    client = demo.client()
    for barcode, text in texts.items():
        client.create(OBJECT, {"barcode": f"00{barcode}", "inventory_name": text})
    export_of(demo, format="xlsx")
    more = (demo.root / "objects" / "more.jsonl").read_text("utf-8").splitlines()
    assert [line[13:16] for line in more] == ["00A", "00B", "00C", "00E", "00G"]
    result = demo.plan()
    assert (result.outcome, result.findings) == ("unchanged", [])


def test_without_the_library_the_task_says_what_to_install(demo: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    done = export_of(demo, format="xlsx")
    assert done["failed"]
    assert "workbooks need openpyxl" in done["msg"]
    assert not demo.root.exists()


def test_a_workbook_that_can_not_be_read_may_hold_everything() -> None:
    assert sheets_of(b"none") == {"locations", "rooms", "persons", "objects", "catalog"}
    content = io.BytesIO()
    openpyxl.Workbook().save(content)
    assert sheets_of(content.getvalue()) == set()


# ---- CSV


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "csv", ["{preset: excel-de}", "{preset: excel-fr}", "{preset: excel-us}", "{encoding: cp1252}"]
)
def test_csv_is_written_in_the_dialect_of_the_settings(demo: Site, csv: str) -> None:
    demo.root.mkdir()
    settings = f"api: seventhings/v1\ninstance: {demo.service.base_url}\ntimezone: UTC\ncsv: {csv}\n"
    (demo.root / "instance.yml").write_text(settings, "utf-8")
    export_of(demo, format="csv")
    content = (demo.root / "objects" / "0001.csv").read_bytes()
    assert content.startswith(b"\xef\xbb\xbf") == ("preset" in csv)
    assert (b";" in content.splitlines()[0]) == ("excel-de" in csv or "excel-fr" in csv)
    result = demo.plan()
    assert (result.outcome, result.findings) == ("unchanged", [])
    assert not export_of(demo, format="csv")["changed"]


def test_german_csv_has_commas_in_numbers_and_points_in_dates(demo: Site) -> None:
    demo.root.mkdir()
    settings = f"api: seventhings/v1\ninstance: {demo.service.base_url}\ncsv: {{preset: excel-de}}\n"
    (demo.root / "instance.yml").write_text(settings, "utf-8")
    export_of(demo, format="csv")
    text = (demo.root / "objects" / "0001.csv").read_text("utf-8-sig")
    assert re.search(r";\d+,\d\d;", text)
    assert re.search(r";\d\d\.\d\d\.\d{4};", text)
    assert not re.search(r";\d{4}-\d\d-\d\d;", text)
