# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of other systems, read unedited as ``tables`` of ``instance.yml`` maps them."""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import DesiredInstance
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.grouped_findings import group_findings
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.validation import validate
from ansible_collections.community.seventhings.plugins.plugin_utils.layers.layers import load_layers

EXPORTS = Path(__file__).parent / "exports"

FIELDS = [
    Field("barcode", "BARCODE"),
    Field("inventory_name", "TEXT", label="Inventory name"),
    Field("inventory_group", "TEXT"),
    Field("manufacturer", "TEXT"),
    Field("asset_number", "TEXT", label="Asset number"),
    Field("serial_number", "TEXT", label="Serial number"),
    Field("cost_centre", "TEXT"),
    Field("price", "MONEY"),
    Field("bought", "DATE"),
    Field("warranty", "DATE"),
    Field("seen", "DATETIME"),
    Field("target_room", "LINKED_ROOM"),
    Field("accessories", "LINKED_ASSETS"),
]


def settings(tables: str, more: str = "") -> str:
    """Return an ``instance.yml`` with tables."""
    return f"api: seventhings/v1\n{more}tables:\n{tables}"


def read(root: Path, tables: str, files: dict[str, str | bytes], more: str = "") -> DesiredInstance:
    """Load files with tables."""
    root.mkdir(exist_ok=True)
    (root / "instance.yml").write_text(settings(tables, more), "utf-8")
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return load(root)


def judged(desired: DesiredInstance) -> list[str]:
    """Return the findings as users see them."""
    return group_findings(validate(desired, {"object": FIELDS}), desired).lines


def values(desired: DesiredInstance) -> list[dict[str, Any]]:
    """Return the values of the records as types read them."""
    schema = Schema(OBJECT, FIELDS)
    found = []
    for entry in desired.entries:
        fields = entry.fields if entry.cells is None else entry.cells.read(schema, entry.fields)[0]
        parsed, findings = schema.parse(fields, "")
        assert not findings.errors, findings.errors
        found.append({name: str(value) for name, value in parsed.items()})
    return found


def workbook(path: Path, rows: Sequence[Sequence[Any]], title: str = "Sheet1", **formats: str) -> None:
    """Write a workbook of one sheet.

    :param formats: cell to its number format.
    """
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = title
    for row in rows:
        sheet.append(list(row))
    for cell, number_format in formats.items():
        sheet[cell].number_format = number_format
    path.parent.mkdir(parents=True, exist_ok=True)
    book.save(path)


DATEV = """\
- files: objects/datev.csv
  preset: excel-de
  header_row: 3
  skip_rows: ["Summe*"]
  columns:
    Etiketten-Nummer: barcode
    Anlagennummer: asset_number
    Bezeichnung: inventory_name
    Inventargruppe: inventory_group
    Anschaffungsdatum: bought
    AHK: price
    Kostenstelle: cost_centre
  ignore: [Restbuchwert, "AfA*", "Konto*", Nutzungsdauer]
  values: {inventory_group: {EDV: IT, Moebel: Furniture}}
"""
SAP = """\
- files: objects/sap.xlsx
  header_row: 4
  skip_rows: ["[*]"]
  columns:
    Inventarnummer: barcode
    Anlage: asset_number
    Bezeichnung der Anlage: inventory_name
    Aktivierung am: bought
    Kum. AHK: price
    Kostenstelle: cost_centre
    Raum: target_room
  ignore: ["*"]
"""
INTUNE = """\
- files: objects/intune.csv
  columns: {Serial number: serial_number, Device name: inventory_name, Manufacturer: manufacturer}
  ignore: ["*"]
  constant: {inventory_group: IT}
  missing_rows: keep
"""
JAMF = """\
- files: objects/jamf.jsonl
  preset: excel-de
  columns:
    Asset Tag: barcode
    Computer Name: inventory_name
    Serial Number: serial_number
    Make: manufacturer
    PO Date: bought
    Purchase Price: price
    Warranty Expiration: warranty
  ignore: ["*"]
"""
SNIPE_IT = """\
- files: objects/snipe_it.csv
  preset: excel-us
  columns:
    Asset Tag: barcode
    Asset Name: inventory_name
    Category: inventory_group
    Manufacturer: manufacturer
    Serial Number: serial_number
    Purchased: bought
    Cost: price
    Default Location: target_room
    Warranty Expires: warranty
  ignore: ["*"]
  values: {inventory_group: {Monitors: IT, Projectors: IT}}
"""

SAP_LIST = """\
- files: objects/sap_list.csv
  preset: excel-de
  delimiter: "|"
  trim: true
  header_row: 7
  skip_rows: ["---*", "[*]"]
  columns:
    Anlage: asset_number
    Bezeichnung der Anlage: inventory_name
    Inventarnr.: barcode
    AHK: price
    Aktivdatum: bought
    Serialnummer: serial_number
  ignore: ["*"]
"""
GLPI = """\
- files: objects/glpi.csv
  columns:
    Name: inventory_name
    Hersteller: manufacturer
    Seriennummer: serial_number
    Inventarnummer: barcode
    Management - Anschaffungsdatum: bought
    Management - Wert: price
  ignore: ["*"]
"""
I_DOIT = """\
- files: objects/i_doit.csv
  preset: excel-de
  columns:
    Titel: inventory_name
    Inventarnummer: barcode
    Seriennummer: serial_number
    Hersteller: manufacturer
    Kaufdatum: bought
    Preis: price
  text_columns: [Seriennummer]
  values: {bought: {00.00.0000: null}, serial_number: {"-": null}}
  ignore: ["*"]
"""
LANSWEEPER = """\
- files: objects/lansweeper.csv
  preset: excel-us
  columns:
    AssetName: inventory_name
    Asset Tag: barcode
    Serial number: serial_number
    Manufacturer: manufacturer
    Cost: price
    Purchased: bought
  text_columns: ["Serial*"]
  ignore: ["*"]
"""
DIRECTORY = """\
- files: objects/directory.csv
  preset: excel-de
  thousands: [".", " "]
  skip_rows: ["Ergebnis*"]
  columns: {Gerätename: inventory_name, Seriennummer: serial_number, Anlagennr.: barcode, Preis: price}
  ignore: ["*"]
"""

SAP_ROWS: list[list[Any]] = [
    ["Anlagenbestand - 01"], ["Berichtsdatum:", dt.date(2025, 12, 31)], [],
    ["Anlage", "UNr.", "Aktivierung am", "Bezeichnung der Anlage", "Währung", "Kum. AHK", "Währung", "Kum. AfA",
     "Restbuchwert", "Kostenstelle", "Raum", "Inventarnummer"],
    [4711, 0, dt.date(2019, 3, 14), "Besprechungstisch", "EUR", 1299.5, "EUR", -699.75, 599.75, 4010, 104, 1235],
    [4712, 0, dt.date(2025, 1, 2), "Notebook 14\"", "EUR", 798, "EUR", -266, 532, 4020, "A 366", 1236],
    ["*", None, None, None, "EUR", 2097.5, "EUR", -965.75, 1131.75],
]  # fmt: skip
SAP_FORMATS = {
    "A5": "000000000000", "A6": "000000000000", "J5": "0000000000", "J6": "0000000000", "L5": "0000000",
    "L6": "0000000", "F5": "#,##0.00",
}  # fmt: skip


@pytest.mark.parametrize(
    ("tables", "more", "expected"),
    [
        (DATEV, "", {"barcode": "IMP-000002", "asset_number": "0670017", "inventory_name": 'Notebook 14" (Vertrieb)',
                     "inventory_group": "IT", "bought": "2025-01-02", "price": "798.00", "cost_centre": "4020"}),
        (SAP, "", {"barcode": "0001236", "asset_number": "000000004712", "inventory_name": 'Notebook 14"',
                   "bought": "2025-01-02", "price": "798", "cost_centre": "0000004020"}),
        (INTUNE, "identity: {objects: [serial_number]}\n",
         {"serial_number": "0001235", "inventory_name": "LT-100018", "manufacturer": "Dell", "inventory_group": "IT"}),
        (JAMF, "", {"barcode": "100302", "inventory_name": "MBA-100302", "serial_number": "C02YQ1DEQ6L4",
                    "manufacturer": "Apple", "bought": "2022-09-01", "price": "1149.90"}),
        (SNIPE_IT, "", {"barcode": "100201", "inventory_name": "Beamer", "inventory_group": "IT",
                        "manufacturer": "Epson", "serial_number": "X5YZ0700123", "bought": "2022-02-15",
                        "price": "2450.00", "warranty": "2024-02-15"}),
        (SAP_LIST, "", {"barcode": "IMP-000402", "asset_number": "000000670017",
                        "inventory_name": 'Notebook 14" (Vertrieb)', "bought": "2025-01-02", "price": "798.00",
                        "serial_number": "0001235"}),
        (GLPI, "", {"barcode": "100902", "inventory_name": "PC-0402", "manufacturer": "HP",
                    "serial_number": "5CG4120QXZ", "price": "0.0000"}),
        (I_DOIT, "", {"barcode": "100912", "inventory_name": "Switch SW-02", "manufacturer": "Cisco",
                      "serial_number": "FOC2231X0AB", "bought": "2024-03-05", "price": "1299.50"}),
        (LANSWEEPER, "", {"barcode": "100922", "inventory_name": "LT-0912", "manufacturer": "HP",
                          "serial_number": "5CG4120QXZ", "bought": "2023-12-31", "price": "998.00"}),
        (DIRECTORY, "", {"barcode": "100942", "inventory_name": "LT-2", "serial_number": "0001236", "price": "798"}),
    ],
    ids=["datev", "sap", "intune", "jamf", "snipe-it", "sap-list", "glpi", "i-doit", "lansweeper", "directory"],
)  # fmt: skip
def test_exports_of_other_systems_are_read_unedited(
    tmp_path: Path, tables: str, more: str, expected: dict[str, str]
) -> None:
    assert len(tables.splitlines()) <= 15
    (tmp_path / "objects").mkdir()
    for export in EXPORTS.iterdir():
        if export.name in tables:
            shutil.copy(export, tmp_path / "objects")
    if "sap.xlsx" in tables:
        workbook(tmp_path / "objects/sap.xlsx", SAP_ROWS, **SAP_FORMATS)
    desired = read(tmp_path, tables, {}, more)
    assert judged(desired) == []
    assert [warning for warning in desired.warnings if "CP1252" not in warning] == []
    found = {name: value for name, value in values(desired)[1].items() if name != "target_room"}
    assert found == expected
    if "target_room" in tables:
        assert desired.entries[1].fields["target_room"] in ("A 366", "Leipzig/3.02")


def test_numbers_and_formulas_are_texts_if_the_table_says_so(tmp_path: Path) -> None:
    for tables, name, field in ((I_DOIT, "i_doit.csv", "serial_number"), (LANSWEEPER, "lansweeper.csv", "price")):
        (tmp_path / "objects").mkdir(exist_ok=True)
        shutil.copy(EXPORTS / name, tmp_path / "objects")
        assert values(read(tmp_path, tables, {}))[0][field] in ("0001235", "1299.50")
        (tmp_path / "objects" / name).unlink()
    rows: list[list[Any]] = [
        ["Nummer", "SN", "AHK", "Tag"],
        [100931, 1235, 5, dt.date(2024, 3, 5)],
        [100932, 10**15, 5, dt.date(2024, 3, 5)],
        ["100933", 1.5, 5, dt.date(2024, 3, 5)],
        ["100934", dt.date(2024, 3, 5), 5, None],
    ]
    workbook(tmp_path / "objects/list.xlsx", rows)
    mapped = "{Nummer: barcode, SN: serial_number, AHK: price, Tag: bought}"
    desired = read(tmp_path, f"- {{files: objects/list.xlsx, columns: {mapped}, text_columns: [Nummer, SN]}}\n", {})
    lines = judged(desired)
    assert [line.split(": ")[0] for line in lines] == [f"objects/list.xlsx:Sheet1!B{row}" for row in (3, 4, 5)]
    assert "if no digit is missing, name the column in text_columns" in lines[0]
    fields = desired.entries[0].fields
    assert (fields["barcode"].__class__, fields["barcode"], fields["serial_number"]) == (str, "100931", "1235")


@pytest.mark.parametrize(
    ("tables", "name", "found"),
    [
        (I_DOIT.replace("text_columns: [Seriennummer]", "missing_rows: keep"), "i_doit.csv",
         "set `text_columns: [Seriennummer]` in tables[0]"),
        (LANSWEEPER.replace('text_columns: ["Serial*"]', "missing_rows: keep"), "lansweeper.csv",
         "set `text_columns: [Serial number]` in tables[0]"),
        (DIRECTORY.replace('thousands: [".", " "]', "missing_rows: keep"), "directory.csv",
         'thousands separators; set `thousands: [".", " "]` in tables[0]'),
        (DIRECTORY.replace('  thousands: [".", " "]\n', "").replace("excel-de", "excel-us"), "directory.csv",
         "decimal comma; set `preset: excel-fr` in tables[0]"),
    ],
)  # fmt: skip
def test_a_cell_of_another_system_says_what_to_paste(tmp_path: Path, tables: str, name: str, found: str) -> None:
    (tmp_path / "objects").mkdir()
    shutil.copy(EXPORTS / name, tmp_path / "objects")
    lines = judged(read(tmp_path, tables, {}))
    assert lines
    assert all(line.endswith(found) for line in lines)


@pytest.mark.parametrize(
    ("cells", "preset", "pasted"),
    [
        (["05-03-2024", "31-12-2024"], "plain", ['dates: ["%d-%m-%Y"]']),
        (["05-03-2024"], "plain", ['dates: ["%d-%m-%Y"]', 'dates: ["%m-%d-%Y"]']),
        (["2024-03-05 00:00:00", "2024-03-06 00:00:00"], "plain", ['dates: ["%Y-%m-%d 00:00:00"]']),
        (["2024-03-05T00:00:00"], "excel-de", ['dates: ["%d.%m.%Y", "%d.%m.%y", "%Y-%m-%dT00:00:00"]']),
        (["2024/03/05", "05.03.2024"], "excel-de", ['dates: ["%d.%m.%Y", "%d.%m.%y", "%Y/%m/%d"]']),
        (["-", "k.A.", "no", "-"], "excel-de", ['values: {bought: {"-": null, k.A.: null, "no": null}}']),
        (["05032024", "31122024"], "plain", ['dates: ["%d%m%Y"]']),
        (["2024/03/05", "20240305"], "plain", ['dates: ["%Y/%m/%d"]']),
        (["05.03.2024", "2024/03/05", "6.3.2024"], "plain", ['dates: ["%d.%m.%Y", "%Y/%m/%d"]']),
        (["2024/03/05", "31/12/2024"], "plain", ['dates: ["%Y/%m/%d", "%d/%m/%Y"]']),
        (["05-03-2024", "2024/03/05"], "plain", [f'dates: ["%{day}-%Y", "%Y/%m/%d"]' for day in ("d-%m", "m-%d")]),
    ],
)
def test_dates_and_words_of_another_system_say_what_to_paste(
    tmp_path: Path, cells: list[str], preset: str, pasted: list[str]
) -> None:
    rows = "Nr;Tag\n" + "".join(f"{number};{cell}\n" for number, cell in enumerate(cells))
    table = f"- {{files: objects.csv, preset: {preset}, columns: {{Nr: barcode, Tag: bought}}"
    (line,) = judged(read(tmp_path, f"{table}}}\n", {"objects.csv": rows}))
    assert line.endswith(" or ".join(f"set `{setting}` in tables[0]" for setting in pasted))
    for setting in pasted:
        assert judged(read(tmp_path, f"{table}, {setting}}}\n", {})) == []


@pytest.mark.parametrize(
    "cells",
    [
        ["2024-03-05 23:30:00", "2024-03-06 10:00:00"],
        ["3. März 2026", "4. Mai 2026", "3. März 2026", "5. Mai 2026"],
        ["12-Jan-2024", "13-Jan-2024"],
        ["05-03-2024", "13-25-2024"],
        ["45356", "45357", "45358", "45359"],
    ],
)
@pytest.mark.parametrize("preset", ["plain", "excel-de"])
@pytest.mark.parametrize("is_mapped", [True, False])
def test_no_date_is_guessed(tmp_path: Path, cells: list[str], preset: str, is_mapped: bool) -> None:
    """A time may be that of another zone, months have names in many languages, or the forms are mixed."""
    rows = ("Nr;Tag\n" if is_mapped else "barcode;bought\n") + "".join(
        f"{row};{text}\n" for row, text in enumerate(cells)
    )
    mapped = f"- {{files: objects.csv, preset: {preset}, columns: {{Nr: barcode, Tag: bought}}}}\n"
    tables = mapped if is_mapped else f"- {{files: x.csv}}\ncsv: {{preset: {preset}}}\n"
    (line,) = judged(read(tmp_path, tables, {"objects.csv": rows}))
    assert line.startswith(
        f"bought: {len(cells)} cells such as '{cells[0]}' (objects.csv:2:3), '{cells[1]}' (objects.csv:3:3)"
    )
    assert "expected a date" in line
    assert line.endswith("type the cells again that do not change, and save it again")
    (line,) = judged(read(tmp_path, tables, {"objects.csv": rows.splitlines()[0] + f"\n1;{cells[-1]}\n"}))
    assert line.startswith(f"objects.csv:2:3: bought: '{cells[-1]}' does not fit; expected a date")
    assert "set `" not in line


@pytest.mark.parametrize("is_mapped", [True, False])
@pytest.mark.parametrize(
    ("cells", "settings"),
    [
        (["31/12/2024", "12/31/2024"], ""),
        (["1022024"], ""),
        (["1022024", "31122024"], ""),
        (["2024111", "20241231"], ""),
        (["31.12.2024", "1022024"], ""),
        (["1022024", "3012017"], 'dates: ["%d%m%Y"]'),
        (["03/04/2024", "04/13/2024"], 'dates: ["%d/%m/%Y", "%m/%d/%Y"]'),
        (["00:15 AM", "01:15 PM"], 'dates: ["%d.%m.%Y %I:%M %p"]'),
        (["00:15 AM", "00:15 PM"], "preset: excel-de"),
        (["0:15 AM"], 'dates: ["%d/%m/%Y", "%m/%d/%Y"]'),
    ],
)
def test_a_setting_that_leaves_a_finding_in_the_column_is_not_proposed(
    tmp_path: Path, cells: list[str], settings: str, is_mapped: bool
) -> None:
    day = "" if "AM" not in cells[0] else "03/04/2024 " if "/" in settings else "31.12.2024 "
    column, kind = ("seen", "T") if day else ("bought", "Tag")
    rows = f"Nr;{kind}\n" if is_mapped else f"barcode;{column}\n"
    rows += "".join(f"{number};{day}{cell}\n" for number, cell in enumerate(cells))
    mapped = f"- {{files: objects.csv, columns: {{Nr: barcode, {kind}: {column}}}{settings and ', '}{settings}}}\n"
    tables = mapped if is_mapped else f"- {{files: x.csv}}\ncsv: {{{settings}}}\n"
    lines = judged(read(tmp_path, tables, {"objects.csv": rows}))
    assert lines
    assert not any("set `" in line for line in lines)


@pytest.mark.parametrize(
    ("cells", "settings", "pasted"),
    [
        (["0:15", "13:20"], 'dates: ["%d.%m.%Y %I:%M"]', 'dates: ["%d.%m.%Y %H:%M"]'),
        (["00:15 AM", "13:15 PM"], 'dates: ["%d.%m.%Y %I:%M %p"]', 'dates: ["%d.%m.%Y %H:%M %p"]'),
        (["0:15 AM"], 'dates: ["%d.%m.%Y"]', 'dates: ["%d.%m.%Y", "%d.%m.%Y %H:%M %p"]'),
        (
            ["0:15 AM", "13:15:20 PM"],
            'dates: ["%d.%m.%Y"]',
            'dates: ["%d.%m.%Y", "%d.%m.%Y %H:%M %p", "%d.%m.%Y %H:%M:%S %p"]',
        ),
    ],
)
def test_an_hour_0_proposes_24_hours(tmp_path: Path, cells: list[str], settings: str, pasted: str) -> None:
    rows = "Nr;T\n" + "".join(f"{number};31.12.2024 {cell}\n" for number, cell in enumerate(cells))
    table = "- {files: objects.csv, columns: {Nr: barcode, T: seen}"
    lines = judged(read(tmp_path, f"{table}, {settings}}}\n", {"objects.csv": rows}))
    assert any(line.endswith(f"no hour 0; set `{pasted}` in tables[0]") for line in lines)
    assert judged(read(tmp_path, f"{table}, {pasted}}}\n", {}, "timezone: UTC\n")) == []


def test_dates_of_two_patterns_are_findings_with_both_readings(tmp_path: Path) -> None:
    rows = "barcode,bought\n1,03/04/2024\n2,04/13/2024\n"
    dates = '["%d/%m/%Y", "%m/%d/%Y"]'
    (line,) = judged(read(tmp_path, "- {files: x.csv}\n", {"objects.csv": rows}, f"csv: {{dates: {dates}}}\n"))
    assert line.startswith(
        "objects.csv:2:3: bought: '03/04/2024' may mean 2024-04-03 (%d/%m/%Y) or 2024-03-04 (%m/%d/%Y): "
    )
    rows += "".join(f"{number},03/05/2024\n" for number in range(3, 9))
    (line,) = judged(read(tmp_path, "- {files: x.csv}\n", {"objects.csv": rows}, f"csv: {{dates: {dates}}}\n"))
    assert line.startswith(
        "bought: 7 cells such as '03/04/2024' (first at objects.csv:2:3), which may mean 2024-04-03 (%d/%m/%Y) or 2024-"
    )


@pytest.mark.parametrize(
    ("cells", "preset", "pasted"),
    [
        (["1 299.00", "2 400.50", "7"], "plain", 'thousands: " "'),
        (["1\u00a0299.00", "2 400.50"], "plain", 'thousands: ["\\u00a0", " "]'),
        (["1 299.00", "1,299.00"], "excel-us", 'thousands: [",", " "]'),
        (["CHF 12.50", "1'299.50", "CHF 1'299.50"], "plain", 'currency: [CHF], thousands: "\'"'),
        (
            ["12,50 CHF", "1\u2019299,50", "1.299,50"],
            "excel-de",
            'currency: [€, EUR, CHF], thousands: [".", "\\u2019"]',
        ),
        (["CHF 12.50", "Fr. 12.50"], "plain", "currency: [CHF, Fr.]"),
    ],
)
def test_signs_in_the_numbers_of_a_column_are_one_finding(
    tmp_path: Path, cells: list[str], preset: str, pasted: str
) -> None:
    rows = "Nr;P\n" + "".join(f"{number};{cell}\n" for number, cell in enumerate(cells))
    table = f"- {{files: objects.csv, preset: {preset}, columns: {{Nr: barcode, P: price}}"
    (line,) = judged(read(tmp_path, f"{table}}}\n", {"objects.csv": rows}))
    assert line.endswith(f" set `{pasted}` in tables[0]")
    assert judged(read(tmp_path, f"{table}, {pasted}}}\n", {})) == []


@pytest.mark.parametrize(
    ("cells", "preset", "what"),
    [
        (["($1,299.00)", "($5.00)"], "plain", "format the column so that the minus comes first: -5.00"),
        (["1 299.00", "2 400.50"], "excel-de", "format the column as a number without thousands separators"),
    ],
)
def test_numbers_that_no_setting_reads_are_one_finding(
    tmp_path: Path, cells: list[str], preset: str, what: str
) -> None:
    rows = "Nr;P\n" + "".join(f"{number};{cell}\n" for number, cell in enumerate(cells))
    table = f"- {{files: objects.csv, preset: {preset}, columns: {{Nr: barcode, P: price}}}}\n"
    (line,) = judged(read(tmp_path, table, {"objects.csv": rows}))
    assert line.startswith("price: 2 cells such as ")
    assert line.endswith(what)


def test_dates_of_a_table_without_a_mapping_say_what_to_paste(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"objects.csv": "barcode;bought\n1;2024/03/05\n2;20240306\n"}
    (line,) = judged(read(tmp_path, "- {files: x.csv}\n", files))
    assert line.endswith('set `csv: {dates: ["%Y/%m/%d"]}`')
    assert judged(read(tmp_path, "- {files: x.csv}\n", files, 'csv: {dates: ["%Y/%m/%d"]}\n')) == []


@pytest.mark.parametrize(
    "days",
    [
        [45356, "3. März", dt.datetime(2024, 1, 1, 23, 30, tzinfo=dt.UTC).replace(tzinfo=None), 45357],
        [2024030, 2024031],
    ],
)
def test_a_column_of_a_workbook_without_dates_is_one_finding(tmp_path: Path, days: list[Any]) -> None:
    (tmp_path / "objects").mkdir()
    workbook(tmp_path / "objects/list.xlsx", [["Nr", "Tag"], *([str(row), day] for row, day in enumerate(days))])
    (line,) = judged(read(tmp_path, "- {files: objects/list.xlsx, columns: {Nr: barcode, Tag: bought}}\n", {}))
    assert line.startswith(f"bought: {len(days)} cells such as '{days[0]}' (objects/list.xlsx:Sheet1!B2), ")
    assert line.endswith("format the column as a date, and type the cells again that are texts or have a time")


def test_columns_without_a_name_are_ignored_with_all_others(tmp_path: Path) -> None:
    tables = '- {files: "objects/*", columns: {Nummer: barcode}, ignore: ["*"]}\n'
    workbook(tmp_path / "objects/a.xlsx", [["Nummer", None, "Name"], ["1", "x", "y"]])
    files: dict[str, str | bytes] = {"objects/b.csv": ";Nummer;;Name;\nx;2;y;z;\n"}
    desired = read(tmp_path, tables, files)
    assert judged(desired) == []
    assert [dict(entry.fields) for entry in desired.entries] == [{"barcode": "1"}, {"barcode": "2"}]
    lines = judged(read(tmp_path, tables.replace('["*"]', "[Name]"), {}))
    assert len(lines) == 3
    assert all("this column has no name" in line for line in lines)


ROWS = "Nummer;Name;Gruppe;Raum-ID\n100001;Table;EDV;17\n"
MAP = "{Nummer: barcode, Name: inventory_name, Gruppe: inventory_group, Raum-ID: target_room.id}"


def test_a_constant_fills_what_the_table_does_not_say(tmp_path: Path) -> None:
    tables = f"- {{files: objects.csv, columns: {MAP}, constant: {{inventory_group: IT, manufacturer: ACME}}}}\n"
    desired = read(tmp_path, tables, {"objects.csv": ROWS + "100002;Chair;;\n"})
    assert judged(desired) == []
    assert [(entry.fields["inventory_group"], entry.fields["manufacturer"]) for entry in desired.entries] == [
        ("EDV", "ACME"), ("IT", "ACME"),
    ]  # fmt: skip
    assert str(desired.entries[1].place_of("inventory_group")).startswith("instance.yml:3:")
    assert str(desired.entries[1].place_of("inventory_name")) == "objects.csv:3:8"


def test_a_word_may_mean_an_empty_field_and_a_state(tmp_path: Path) -> None:
    tables = (
        "- files: objects.csv\n  columns: {Nummer: barcode, Name: inventory_name, Status: _state}\n"
        "  values: {inventory_name: {unknown: null}, _state: {scrapped: archived, used: present}}\n"
    )
    desired = read(tmp_path, tables, {"objects.csv": "Nummer,Name,Status\n1,unknown,used\n2,b,scrapped\n"})
    assert judged(desired) == []
    assert [(entry.fields["inventory_name"], entry.state) for entry in desired.entries] == [
        (None, "present"), ("b", "archived"),
    ]  # fmt: skip


def test_a_column_of_ids_has_ids_and_every_other_column_has_names(tmp_path: Path) -> None:
    tables = (
        f"- {{files: objects/ids.csv, columns: {MAP}}}\n"
        f"- {{files: 'objects/names.*', columns: {{Nummer: barcode, Raum: target_room}}}}\n"
    )
    workbook(tmp_path / "objects/names.xlsx", [["Nummer", "Raum"], ["3", 4010]])
    files: dict[str, str | bytes] = {
        "objects/ids.csv": ROWS,
        "objects/names.csv": "Nummer,Raum\n2,17\n",
    }
    desired = read(tmp_path, tables, files)
    assert judged(desired) == []
    schema = Schema(OBJECT, FIELDS)
    written = []
    for entry in desired.entries:
        fields = entry.fields if entry.cells is None else entry.cells.read(schema, entry.fields)[0]
        reference = schema.parse({"target_room": fields["target_room"]}, "")[0]["target_room"]
        written.append((reference.written, reference.id))
    assert written == [(17, 17), ("17", None), ("4010", None)]


def test_what_is_no_id_is_found(tmp_path: Path) -> None:
    tables = f"- {{files: objects.csv, columns: {MAP}}}\n"
    (line,) = judged(read(tmp_path, tables, {"objects.csv": "Nummer;Raum-ID\n1;Head office\n"}))
    assert line == (
        "objects.csv:2:3: target_room: 'Head office' does not fit; expected an id, because tables[0].columns maps "
        "'Raum-ID' to target_room.id"
    )


def test_tables_win_over_csv_and_a_setting_of_both_is_found(tmp_path: Path) -> None:
    more = 'csv: {preset: excel-us, files: {"objects/*.csv": {preset: excel-gb, null: "-"}}}\n'.replace(
        "null:", '"null":'
    )
    rows = "Nummer;AHK;Tag\n1;1.299,50;05.03.2024\n"
    tables = "- {files: objects/ledger.csv, columns: {Nummer: barcode, AHK: price, Tag: bought}, preset: excel-de}\n"
    desired = read(tmp_path, tables, {"objects/ledger.csv": rows}, more)
    (line,) = judged(desired)
    assert line == (
        "instance.yml:4:3: tables[0].preset: csv.files.objects/*.csv sets preset for objects/ledger.csv, too; delete "
        "it in one of the two places"
    )
    more = 'csv: {preset: excel-us, files: {"objects/*.csv": {"null": "-"}}}\n'
    desired = read(tmp_path, tables, {"objects/ledger.csv": rows + "2;-;\n"}, more)
    assert judged(desired) == []
    assert values(desired)[0] == {"barcode": "1", "price": "1299.50", "bought": "2024-03-05"}
    assert desired.entries[1].fields["price"] is None


def test_a_table_without_a_column_for_its_identity_is_one_finding(tmp_path: Path) -> None:
    rows = "Nummer,Name\n" + "".join(f"{number},x\n" for number in range(9))
    tables = "- {files: objects.csv, columns: {Name: inventory_name}, ignore: [Nummer]}\n"
    (line,) = judged(read(tmp_path, tables, {"objects.csv": rows}))
    assert line == (
        "objects.csv:1:1: this table has no column for barcode, which identifies a record of objects; its columns are "
        "Name; name the column in tables[0], such as `columns: {COLUMN OF barcode: barcode}`"
    )
    more = "identity: {objects: [Asset number]}\n"
    assert judged(read(tmp_path, tables.replace("Name: ", "Nummer: asset_number, Name: "), {}, more)) == []


@pytest.mark.parametrize(
    ("header", "pasted"),
    [
        (
            "Nummer,Serial,Order Number,price",
            "columns: {COLUMN OF barcode: barcode, Serial: serial_number}, ignore: [Nummer, Order Number]",
        ),
        ('"Bar-\ncode",Foo,"A\nB",price', 'columns: {"Bar-\\ncode": barcode}, ignore: [Foo, "A\\nB"]'),
        ("Foo,Nr.,manufacturer,price", "columns: {Nr.: barcode}, ignore: [Foo]"),
        ("Foo,price,manufacturer,bought", "columns: {Foo: barcode}"),
    ],
)
def test_unknown_columns_of_a_table_without_its_key_are_in_the_same_finding(
    tmp_path: Path, header: str, pasted: str
) -> None:
    rows: dict[str, str | bytes] = {"objects.csv": f"{header}\n1,2,3,\n2,3,4,\n"}
    (line,) = judged(read(tmp_path, "- {files: objects.csv, columns: {Nr: barcode}}\n", rows))
    assert line == (
        "objects.csv:1:1: this table has no column for barcode, which identifies a record of objects; map them in "
        f"tables[0], or ignore them: `{pasted}`"
    )
    pasted = pasted.replace("COLUMN OF barcode", "Nummer")
    desired = read(tmp_path, f"- {{files: objects.csv, {pasted}}}\n", rows)
    assert judged(desired) == []
    assert all(entry.fields["barcode"] for entry in desired.entries)


def test_a_field_that_has_a_column_is_proposed_for_no_other(tmp_path: Path) -> None:
    tables = "- {files: objects.csv, columns: {Nr: barcode, SN: serial_number}}\n"
    for columns, are in (
        ("Serial Number, A, B", "3 of 5 columns are not fields"),
        ("A", "1 of 3 columns is not a field"),
    ):
        header = f"Nr,SN,{columns.replace(', ', ',')}"
        (line,) = judged(read(tmp_path, tables, {"objects.csv": f"{header}\n{'1,' * header.count(',')}1\n"}))
        assert line == (
            f"objects.csv:1:1: {are} of an object: {columns}; map them in tables[0], or ignore them: "
            f"`columns: {{COLUMN: FIELD}}, ignore: [{columns}]`"
        )


def test_a_setting_to_paste_is_that_of_the_table(tmp_path: Path) -> None:
    fields = [*FIELDS, Field("lent", "BOOLEAN")]
    tables = "- {files: objects.csv, columns: {Nr: barcode}}\n"
    rows = "Nr;price;lent;inventory_name\n1;CHF 1'299.00;x;Tür\n"
    (encoding,) = read(tmp_path, tables, {"objects.csv": rows.encode("cp1252")}).findings
    assert encoding.message.endswith("into tables[0]: `encoding: cp1252   # Tür`")
    desired = read(tmp_path, tables, {"objects.csv": rows})
    price, lent = group_findings(validate(desired, {"object": fields}), desired).lines
    assert price.endswith('set `currency: [CHF], thousands: "\'"` in tables[0]')
    assert lent.endswith("set `booleans: {true: [...], false: [...]}` in tables[0]")


@pytest.mark.parametrize("rows", ['barcode,"A\nB"\n1,2\n', 'barcode,"A\nB",C,D\n1,2,3,4\n2,,3,4\n3,2,,\n'])
def test_a_column_of_two_lines_is_shown_in_one(tmp_path: Path, rows: str) -> None:
    desired = read(tmp_path, "- {files: objects.csv, columns: {Nr: barcode}}\n", {"objects.csv": rows})
    (line,) = judged(desired)
    assert "A\\nB" in line
    assert line.isprintable()


def test_a_mapped_column_is_read_whatever_is_ignored(tmp_path: Path) -> None:
    tables = '- {files: objects.csv, columns: {"# Nummer": barcode}, ignore: ["*"]}\n'
    desired = read(tmp_path, tables, {"objects.csv": "# Nummer,Preis [EUR],Name\n1,2,3\n"})
    assert [dict(entry.fields) for entry in desired.entries] == [{"barcode": "1"}]
    desired = read(tmp_path, tables.replace('"*"', '"Preis [EUR]", "N*"'), {})
    assert [dict(entry.fields) for entry in desired.entries] == [{"barcode": "1"}]


def test_two_columns_of_one_field_are_found(tmp_path: Path) -> None:
    tables = "- {files: objects.csv, columns: {Nummer: barcode}}\n"
    (line,) = judged(read(tmp_path, tables, {"objects.csv": "Nummer,barcode\n1,1\n"}))
    assert "barcode: the columns 'Nummer' and 'barcode' are the same field" in line


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ("{files: ../objects.csv}", "tables[0].files: '../objects.csv' does not fit; expected patterns of paths below"),
        ("{files: /etc/objects.csv}", "expected patterns of paths below src"),
        ("{columns: {A: barcode}}", "tables[0]: expected files, a pattern of paths"),
        ("{files: a.csv, colums: {A: barcode}}", "tables[0].colums: no such setting; did you mean columns?"),
        ("{files: a.csv, columns: [A]}", "tables[0].columns: ['A'] does not fit; expected a map of columns to fields"),
        ("{files: a.csv, columns: {A: b, B: b}}", "expected each field once, b is written twice"),
        ("{files: a.csv, preset: excel}", "tables[0].preset: 'excel' does not fit; expected one of plain"),
        ("{files: a.csv, missing_rows: leave}", "tables[0].missing_rows: 'leave' does not fit; expected keep, or"),
        ("{files: a.csv, header_row: 0}", "tables[0].header_row: '0' does not fit; expected the number of the row"),
        ("{files: a.csv, skip_rows: [-1]}", "tables[0].skip_rows: "),
        ("{files: a.csv, sheets: {A: fields}}", "tables[0].sheets: "),
        ("{files: a.csv, constant: IT}", "tables[0].constant: expected a map of fields to values"),
        ("{files: a.csv, values: {a: b}}", "tables[0].values: "),
        ("objects.csv", "tables[0]: expected a map with files, columns"),
    ],
)
def test_settings_that_do_not_fit_are_found(tmp_path: Path, entry: str, found: str) -> None:
    lines = [str(finding) for finding in read(tmp_path, f"- {entry}\n", {}).findings]
    assert len(lines) == 1, lines
    assert lines[0].startswith("instance.yml:3:")
    assert found in lines[0]


def test_tables_that_are_no_list_are_found(tmp_path: Path) -> None:
    (tmp_path / "instance.yml").write_text("api: seventhings/v1\ntables: {files: a.csv}\n", "utf-8")
    (finding,) = load(tmp_path).findings
    assert "tables: expected a list of maps such as" in str(finding)


def test_what_a_mapping_names_and_no_file_has_is_reported(tmp_path: Path) -> None:
    tables = "- {files: objects.csv, columns: {nummer: barcode}}\n- {files: objects/old-*.csv}\n"
    desired = read(tmp_path, tables, {"objects.csv": "Nummer,barcode\n1,2\n"})
    unread = "matches no file that was read; the files of a section are in its directory, such as objects/"
    assert desired.warnings == [
        "objects.csv: there is no column 'nummer', which tables[0].columns names; did you mean Nummer?",
        f"instance.yml:4:3: tables[1].files: objects/old-*.csv {unread}",
    ]


def test_sheets_of_a_workbook_are_named(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for title, rows in {"Tabelle1": [["Nr"], ["1"]], "2024": [["Nr"], ["2"]], "Notizen": [["x"]]}.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.remove(book.worksheets[0])
    book.save(tmp_path / "export.xlsx")
    tables = "- {files: export.xlsx, columns: {Nr: barcode}, sheets: {Tabelle1: objects, 2024: objects}}\n"
    desired = read(tmp_path, tables, {})
    assert judged(desired) == []
    assert desired.warnings == []
    assert [str(entry.place) for entry in desired.entries] == ["export.xlsx:Tabelle1!A2", "export.xlsx:2024!A2"]
    (finding,) = read(tmp_path, tables.replace("2024", "2023"), {}).findings
    assert str(finding) == ("export.xlsx: there is no sheet '2023'; the sheets are 'Tabelle1', '2024', 'Notizen'")


def test_a_workbook_with_several_sheets_needs_a_choice(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.worksheets[0].title = "Tabelle1"
    book.create_sheet("Tabelle2")
    (tmp_path / "objects").mkdir()
    book.save(tmp_path / "objects/export.xlsx")
    (finding,) = read(tmp_path, "- {files: objects/export.xlsx, columns: {Nr: barcode}}\n", {}).findings
    assert "set `sheets: [Tabelle1]` in tables to read another one" in str(finding)
    desired = read(tmp_path, "- {files: objects/export.xlsx, sheets: tabelle1, columns: {Nr: barcode}}\n", {})
    assert desired.findings == []


@pytest.mark.parametrize(
    ("rows", "skipped"),
    [
        ("header_row: 3, skip_rows: 1", "title\n\nNr,Name\ntext,text\n1,a\n"),
        ("skip_rows: 2", "title,,\nby,me\nNr,Name\n1,a\n"),
        ("skip_rows: [1, 3]", "title\nNr,Name\ntext,text\n1,a\n"),
        ('skip_rows: [1, "Sum*"]', "title\nNr,Name\nSum A,\n1,a\nSum,\n"),
    ],
)
def test_rows_that_are_no_records_are_skipped(tmp_path: Path, rows: str, skipped: str) -> None:
    tables = f"- {{files: 'objects.*', columns: {{Nr: barcode, Name: inventory_name}}, {rows}}}\n"
    desired = read(tmp_path, tables, {"objects.csv": skipped})
    assert judged(desired) == []
    assert [dict(entry.fields) for entry in desired.entries] == [{"barcode": "1", "inventory_name": "a"}]
    (tmp_path / "objects.csv").unlink()
    workbook(tmp_path / "objects.xlsx", [[cell or None for cell in line.split(",")] for line in skipped.splitlines()])
    desired = read(tmp_path, tables, {})
    assert judged(desired) == []
    assert [dict(entry.fields) for entry in desired.entries] == [{"barcode": "1", "inventory_name": "a"}]


def test_layers_have_tables_of_their_own_or_those_of_the_first(tmp_path: Path) -> None:
    tables = "- {files: objects.csv, columns: {Nr: barcode, Name: inventory_name}, missing_rows: keep}\n"
    read(tmp_path / "base", tables, {"objects.csv": "Nr,Name\n1,a\n"})
    (tmp_path / "site").mkdir()
    (tmp_path / "site/objects.csv").write_text("Nr,Name\n1,b\n", "utf-8")
    desired = load_layers([tmp_path / "base", tmp_path / "site"])
    assert judged(desired) == []
    assert [dict(entry.fields) for entry in desired.entries] == [{"barcode": "1", "inventory_name": "b"}]
    table = desired.tables.for_file("site/objects.csv")
    assert table is not None
    assert table.rules.missing_rows == "keep"
    assert desired.tables.keeps_any
    assert desired.tables.for_file("site/rooms.csv") is None
