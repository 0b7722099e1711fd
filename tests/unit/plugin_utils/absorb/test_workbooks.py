# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of the application go into the cells of a workbook. Formats, formulas and everything else stay."""

from __future__ import annotations

import datetime as dt
import io
import re
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from instance_site import Site
from libreoffice import PROGRAM
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.formatting.rule import Rule
from openpyxl.styles import Font, PatternFill
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation

from .absorbing import somebody, take

FIELDS = "- {label: Note, type: TEXT}\n- {label: Amount, type: MONEY}\n- {label: Day, type: DATE}\n"
HEAD = ["barcode", "inventory_name", "Note", "Amount", "Day", "# of all", "_state"]


def book(*rows: list[Any], sheet_name: str = "objects") -> bytes:
    """Return a workbook with colours, formats and a formula."""
    workbook = openpyxl.Workbook()
    sheet = workbook.worksheets[0]
    sheet.title = sheet_name
    sheet.append(HEAD)
    for row in rows:
        sheet.append(row)
    for cell in (*sheet["B"], *sheet["D"]):
        cell.fill, cell.font = PatternFill("solid", fgColor="FFEE00"), Font(bold=True)
    for cell in sheet["D"][1:]:
        cell.number_format = '#,##0.00 "€"'
    for cell in sheet["E"][1:]:
        cell.number_format = "dd.mm.yyyy"
    for cell in sheet["A"]:
        cell.number_format = "@"
    sheet.column_dimensions["B"].width = 44
    content = io.BytesIO()
    workbook.save(content)
    return content.getvalue()


def cells(site: Site, name: str = "assets.xlsx", sheet: str = "objects") -> Any:
    """Open the sheet of objects."""
    return openpyxl.load_workbook(site.root / name)[sheet]


def parts(path: Path) -> dict[str, bytes]:
    """Return the content of all parts of a workbook."""
    with zipfile.ZipFile(path) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


@pytest.fixture
def applied(site: Site) -> Site:
    """Return a workbook that was applied."""
    day = dt.date(2024, 5, 31)
    content = book(
        ["100001", "Table", "old", 12.5, day, "=SUM(D2:D3)", None],
        ["100002", "Chair", None, 3, None, None, None],
    )
    site.write({"fields/asset.yml": FIELDS, "assets.xlsx": content})
    assert site.run().outcome == "changed"
    return site


def change(site: Site, **fields: str) -> None:
    """Change the first object in the application."""
    values = "".join(f"  {name}: {value}\n" for name, value in fields.items())
    somebody(site, {"objects.yml": f"- barcode: '100001'\n{values}"})


def test_values_change_and_nothing_else(applied: Site) -> None:
    change(applied, inventory_name="Desk <new> & 'old'", Amount="1299.95", Day="2025-01-02", Note="_x0041_ 'n'")
    before = applied.root / "assets.xlsx"
    earlier = {
        part.filename: before.read_bytes() and zipfile.ZipFile(before).read(part)
        for part in zipfile.ZipFile(before).infolist()
    }
    result = take(applied, check_mode=True)
    assert result["changed"]
    listed = ["B2: Table -> Desk <new> & 'old'", "D2: 12.5 -> 1299.95"]
    assert all(f"# assets.xlsx:objects!{cell}\n".encode() in result["patch"] for cell in listed), result["patch"]
    assert all(f"assets.xlsx:objects!{cell}\n" in result["msg"] for cell in listed)
    assert result["diff"]["before"] == ""
    result = take(applied)
    assert (result["not_changed"], result["summary"]) == ([], {"objects": {"changed": 4, "added": 0, "removed": 0}})
    sheet = cells(applied)
    assert [sheet[place].value for place in ("B2", "C2", "D2", "E2", "F2")] == [
        "Desk <new> & 'old'", "_x005F_x0041_ 'n'", 1299.95, dt.datetime.fromisoformat("2025-01-02"), "=SUM(D2:D3)",
    ]  # fmt: skip
    assert (sheet["D2"].number_format, sheet["B2"].font.b, sheet["B2"].fill.fgColor.rgb) == (
        '#,##0.00 "€"', True, "00FFEE00",
    )  # fmt: skip
    assert sheet.column_dimensions["B"].width == 44
    later = parts(before)
    differ = {name for name, content in earlier.items() if later[name] != content}
    assert differ == {"xl/worksheets/sheet1.xml", "xl/workbook.xml"}
    assert applied.plan().outcome == "unchanged"
    assert not take(applied)["changed"]


def test_a_formula_is_reported_and_not_changed(site: Site) -> None:
    content = book(["100001", "Table", None, 12.5, None, None, None])
    workbook = openpyxl.load_workbook(io.BytesIO(content))
    workbook["objects"]["D2"] = "=6*2.5"
    saved = io.BytesIO()
    workbook.save(saved)
    # A spreadsheet program also stores the value of a formula.
    stored = io.BytesIO()
    with zipfile.ZipFile(saved) as packed, zipfile.ZipFile(stored, "w") as kept:
        for part in packed.infolist():
            text = re.sub(rb"</f><v ?/>|</f><v></v>", b"</f><v>15</v>", packed.read(part))
            kept.writestr(part, text)
    site.write({"fields/asset.yml": FIELDS, "assets.xlsx": stored.getvalue()})
    site.run()
    change(site, Amount="16", inventory_name="Desk")
    result = take(site)
    (message,) = result["not_changed"]
    assert message.startswith("assets.xlsx:objects!D2: object 100001: Amount is ")
    assert "formula" in message
    assert (cells(site)["D2"].value, cells(site)["B2"].value) == ("=6*2.5", "Desk")


def test_a_cleared_field_needs_a_cell_that_says_so(applied: Site) -> None:
    change(applied, Note="null")
    (message,) = take(applied)["not_changed"]
    assert message.endswith("not changed, because an empty cell of the table changes nothing")
    applied.write({"instance.yml": "api: seventhings/v1\nset: test\ncsv: {empty: {Note: clear}}\n"})
    assert take(applied)["not_changed"] == []
    assert cells(applied)["C2"].value is None
    assert applied.plan().outcome == "unchanged"


def test_deleted_records_get_their_state_and_keep_their_rows(applied: Site) -> None:
    somebody(applied, {"objects.yml": "- {barcode: '100002', _state: archived}\n"})
    (message,) = take(applied, gone="remove")["not_changed"]
    assert "it is a row of a workbook, on which formulas may depend; delete it there" in message
    assert take(applied, gone="absent")["not_changed"] == []
    assert cells(applied)["G3"].value == "archived"
    assert applied.plan().outcome == "unchanged"


def test_a_workbook_of_another_system_gets_the_words_of_its_columns(site: Site) -> None:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Export")
    for row in (("Nr", "Name", "State"), ("100001", "Table", "good")):
        sheet.append(row)
    tables = (
        "tables: [{files: objects.xlsx, sheets: {Export: objects}, columns: {Nr: barcode, Name: inventory_name, "
        "State: condition}, values: {condition: {good: in use, bad: in storage}}}]\n"
    )
    site.write({"instance.yml": f"api: seventhings/v1\nset: test\n{tables}"})
    book.save(site.root / "objects.xlsx")
    assert site.run().findings == []
    change(site, inventory_name="Desk", condition="in storage")
    result = take(site)
    assert result["not_changed"] == []
    assert b"# objects.xlsx:Export!C2: in use -> bad\n" in result["patch"]
    assert [cell.value for cell in openpyxl.load_workbook(site.root / "objects.xlsx")["Export"][2]] == [
        "100001", "Desk", "bad",
    ]  # fmt: skip
    assert site.plan().outcome == "unchanged"
    result = take(site, into={"objects": "objects.xlsx"})
    assert "expected a file that is not a table of another system" in result["msg"]


def test_dates_count_from_the_first_day_of_the_workbook(site: Site) -> None:
    workbook: Any = openpyxl.load_workbook(io.BytesIO(book(["100001", "Table", "old", 12.5, None, None, None])))
    workbook.epoch = CALENDAR_MAC_1904
    workbook["objects"]["E2"] = dt.date(2024, 5, 31)
    workbook.save(site.root / "assets.xlsx")
    site.write({"fields/asset.yml": FIELDS})
    assert site.run().outcome == "changed"
    change(site, Day="2025-01-02")
    assert take(site)["not_changed"] == []
    assert cells(site)["E2"].value == dt.datetime.fromisoformat("2025-01-02")
    change(site, Day="1903-01-02")
    assert take(site)["not_changed"] == []
    assert cells(site)["E2"].value == "1903-01-02", "the workbook has no such day"
    assert site.plan().outcome == "unchanged"


@pytest.mark.parametrize("cell", [r'<c r="[A-F]2"', r'<c r="[CD]2"'])
def test_a_row_whose_cells_do_not_say_their_columns_is_left(applied: Site, cell: str) -> None:
    path = applied.root / "assets.xlsx"
    unnamed = parts(path)
    unnamed["xl/worksheets/sheet1.xml"] = re.sub(cell.encode(), b"<c", unnamed["xl/worksheets/sheet1.xml"])
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in unnamed.items():
            packed.writestr(name, content)
    assert applied.plan().outcome == "unchanged"
    change(applied, Note="new")
    (message,) = take(applied)["not_changed"]
    assert message.endswith("not changed, because its row is not found in the workbook")
    assert parts(path) == unnamed


def by_openpyxl(path: Path, _folder: Path) -> None:
    """Rename the first object in a workbook."""
    workbook = openpyxl.load_workbook(path)
    workbook["objects"]["B2"] = "Bench"
    workbook.save(path)


def by_libreoffice(path: Path, folder: Path) -> None:
    """Rename the first object in a workbook, and save it with LibreOffice."""
    by_openpyxl(path, folder)
    saved_by_libreoffice(path, folder)
    path.write_bytes((folder / path.name).read_bytes())


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "edit",
    [
        by_openpyxl,
        pytest.param(
            by_libreoffice,
            marks=[pytest.mark.slow, pytest.mark.skipif(PROGRAM is None, reason="LibreOffice is not installed")],
        ),
    ],
)
def test_a_change_of_both_sides_is_a_conflict_and_others_are_taken(
    applied: Site, edit: Callable[[Path, Path], None], tmp_path: Path
) -> None:
    path = applied.root / "assets.xlsx"
    edit(path, tmp_path / "office")
    change(applied, inventory_name="Desk", Note="new")
    result = take(applied)
    (conflict,) = result["conflicts"]
    assert conflict.startswith("assets.xlsx:objects!B2: object 100001: ")
    assert "inventory_name is 'Bench' in the files and 'Desk' in the instance" in conflict
    assert conflict.endswith(": both sides changed since the last apply")
    assert (cells(applied)["B2"].value, cells(applied)["C2"].value) == ("Bench", "new")
    assert take(applied, on_conflict="take")["conflicts"] == [conflict]
    assert (cells(applied)["B2"].value, cells(applied)["C2"].value) == ("Desk", "new")


def saved_by_libreoffice(path: Path, folder: Path) -> Any:
    """Return the sheet of a workbook that LibreOffice opened, calculated and saved, with the values of its formulas."""
    command = [str(PROGRAM), f"-env:UserInstallation={(folder / 'home').as_uri()}", "--headless"]
    command += ["--convert-to", "xlsx", "--outdir", str(folder), str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return openpyxl.load_workbook(folder / path.name, data_only=True)["objects"]


@pytest.mark.sample(0)
@pytest.mark.slow
@pytest.mark.skipif(PROGRAM is None, reason="LibreOffice is not installed")
def test_libreoffice_opens_what_was_changed(applied: Site, tmp_path: Path) -> None:
    change(applied, inventory_name="Desk", Amount="1299.95", Day="2025-01-02")
    assert take(applied)["not_changed"] == []
    sheet = saved_by_libreoffice(applied.root / "assets.xlsx", tmp_path / "office")
    rows = [[cell.value for cell in row] for row in sheet]
    day = dt.datetime.fromisoformat("2025-01-02")
    assert rows[1] == ["100001", "Desk", "old", 1299.95, day, 1302.95, None], "the formula counts the new amount"
    assert rows[2] == ["100002", "Chair", None, 3, None, None, None]
    assert (sheet["D2"].number_format, sheet["E2"].number_format) == ('#,##0.00" €"', r"dd\.mm\.yyyy")
    assert (sheet["B2"].font.b, sheet["B2"].fill.fgColor.rgb) == (True, "FFFFEE00")
    assert applied.plan().outcome == "unchanged"


def look(path: Path) -> dict[str, Any]:
    """Return the formats of the cells of a workbook, and everything except the cells of the first sheet."""
    workbook = openpyxl.load_workbook(path)
    sheet: Any = workbook.worksheets[0]
    cells_seen = {
        cell.coordinate: (
            cell.number_format,
            cell.font,
            cell.fill,
            cell.border,
            cell.alignment,
            cell.comment and cell.comment.text,
        )
        for row in sheet
        for cell in row
    }
    return {
        "cells": {name: repr(value) for name, value in cells_seen.items()},
        "widths": {name: column.width for name, column in sheet.column_dimensions.items()},
        "frozen": sheet.freeze_panes,
        "filter": sheet.auto_filter.ref,
        "colours": [
            (str(rule.sqref), [inner.formula for inner in rule.rules]) for rule in sheet.conditional_formatting
        ],
        "choices": [
            (str(validation.sqref), validation.formula1) for validation in sheet.data_validations.dataValidation
        ],
        "names": {name: defined.attr_text for name, defined in workbook.defined_names.items()},
        "other": [[[cell.value for cell in row] for row in other] for other in workbook.worksheets[1:]],
        "charts": len(sheet._charts),
    }


@pytest.mark.sample(0)
@pytest.mark.slow
@pytest.mark.skipif(PROGRAM is None, reason="LibreOffice is not installed")
def test_a_workbook_that_libreoffice_saved_keeps_all_but_the_values(site: Site, tmp_path: Path) -> None:
    workbook = openpyxl.load_workbook(
        io.BytesIO(
            book(
                ["100001", "Table", "old", 12.5, dt.date(2024, 5, 31), "=D2*2", None],
                ["100002", "Chair", "round & <red>", 3, None, "=D3*2", None],
                ["100003", "Lamp", None, "=D2+D3", None, "=SUM(D2:D4)", None],
            )
        )
    )
    sheet: Any = workbook["objects"]
    sheet["B2"].comment = Comment("bought used", "Ada")
    sheet.freeze_panes, sheet.auto_filter.ref = "B2", "A1:G4"
    red = Rule(
        "cellIs", operator="greaterThan", formula=["100"], dxf=DifferentialStyle(fill=PatternFill(bgColor="FF0000"))
    )
    sheet.conditional_formatting.add("D2:D4", red)
    choices = DataValidation("list", '"old,new"')
    choices.add("C2:C4")
    sheet.add_data_validation(choices)
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=4, min_row=1, max_row=4), titles_from_data=True)
    sheet.add_chart(chart, "J2")
    workbook.defined_names["amounts"] = DefinedName("amounts", attr_text="objects!$D$2:$D$4")
    workbook.create_sheet("# notes").append(["sum", "=SUM(amounts)"])
    workbook.save(tmp_path / "assets.xlsx")
    saved_by_libreoffice(tmp_path / "assets.xlsx", tmp_path / "office")
    content = (tmp_path / "office" / "assets.xlsx").read_bytes()
    site.write({"fields/asset.yml": FIELDS, "assets.xlsx": content})
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"
    before = look(site.root / "assets.xlsx")
    assert (before["charts"], len(before["colours"]), len(before["choices"])) == (1, 1, 1)
    change(site, inventory_name="Desk", Note="new", Amount="1299.95", Day="2025-01-02")
    assert take(site)["not_changed"] == []
    assert look(site.root / "assets.xlsx") == before
    rows = [[cell.value for cell in row] for row in saved_by_libreoffice(site.root / "assets.xlsx", tmp_path / "again")]
    assert rows[1][:6] == ["100001", "Desk", "new", 1299.95, dt.datetime.fromisoformat("2025-01-02"), 2599.9]
    # A plan reads the stored result of this formula.
    assert rows[3][:4] == ["100003", "Lamp", None, 15.5]
    assert site.plan().outcome == "unchanged"
