# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables whose bytes matter: encodings, hidden sheets and rows, broken files, and what LibreOffice writes."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from workbooks import workbook_of

from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field, Plain
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import DesiredInstance, digest_of
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.dialect import PRESETS
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.grouped_findings import (
    GroupedFindings,
    group_findings,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.parsing import DesiredParser
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.sources.xlsx_source import shown_digits
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.validation import validate

_FIELDS = [
    Field("barcode", "BARCODE"),
    Field("inventory_name", "TEXT", label="Name"),
    Field("price", "MONEY", label="Purchasing price"),
    Field("bought", "DATE", label="Gekauft am"),
    Field("lent", "BOOLEAN"),
    Field("share", "DECIMAL"),
    Field("count", "NUMBER"),
    Field("seen", "DATETIME"),
    Field("note", "LONG_TEXT", label="Notiz"),
]


def _load(root: Path, files: Mapping[str, str | bytes], csv: str = "plain") -> DesiredInstance:
    settings = f"api: seventhings/v1\ntimezone: UTC\ncsv: {{preset: {csv}}}\n"
    for name, content in {"instance.yml": settings, **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return load(root)


def _grouped(desired: DesiredInstance) -> GroupedFindings:
    return group_findings(validate(desired, {"object": _FIELDS}), desired)


def _values(desired: DesiredInstance) -> list[dict[str, Any]]:
    parser = DesiredParser(desired, lambda _place, _message: None)
    return [parser.parse(Schema(OBJECT, _FIELDS), entry, entry.fields) for entry in desired.entries]


# ---- formats


@pytest.mark.parametrize("preset", list(PRESETS))
def test_what_a_preset_writes_it_reads(tmp_path: Path, preset: str) -> None:
    written = {
        "barcode": "1", "price": Plain("-1299.50"), "count": Plain("12345678"), "bought": Plain("2024-02-01"),
        "seen": Plain("2024-02-01T10:00:00+00:00"), "lent": True,
    }  # fmt: skip
    cells = [PRESETS[preset].write(value) for value in written.values()]
    (read,) = _values(_load(tmp_path, {"objects.csv": f"{'|'.join(written)}\n{'|'.join(cells)}\n"}, preset))
    seen = dt.datetime(2024, 2, 1, 10, tzinfo=dt.UTC)
    assert read == {
        "barcode": "1", "price": Decimal("-1299.50"), "count": 12345678, "bought": dt.date(2024, 2, 1), "seen": seen,
        "lent": True,
    }  # fmt: skip


_GERMAN = (
    "barcode;Name;Purchasing price;Gekauft am;lent;# Notiz;;\r\n"
    '0001;"Bohrmaschine ""Größe 5""";1.299,50 €;31.12.2024;WAHR;zählen;;\r\n'
    '0002;"zwei\r\nZeilen";45,33;01.02.2024;FALSCH;;;\r\n'
    ";;;;;;;\r\n;;;;;;;\r\n"
)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("objects/a.csv", _GERMAN.encode()),
        ("objects/a.csv", _GERMAN.encode("utf-8-sig")),
        ("objects/A.CSV", b"sep=;\r\n" + _GERMAN.encode()),
        ("objects.Csv", _GERMAN.replace(";", "\t").encode("utf-16")),
        ("objects.csv", b"\xfe\xff" + _GERMAN.encode("utf-16-be")),
        ("objects.csv", _GERMAN.encode("cp1252")),
        ("objects.csv", ('"sep=;"\r\n' + _GERMAN).encode("utf-8-sig")),
    ],
)
def test_however_a_program_saves_it(tmp_path: Path, name: str, content: bytes) -> None:
    desired = _load(tmp_path, {name: content}, "excel-de")
    assert [list(map(str, record.values())) for record in _values(desired)] == [
        ["0001", 'Bohrmaschine "Größe 5"', "1299.50", "2024-12-31", "True"],
        ["0002", "zwei\nZeilen", "45.33", "2024-02-01", "False"],
    ]
    assert (_grouped(desired).lines, desired.warnings) == ([], [])


@pytest.mark.parametrize("text", ["(1" * 20_000, "1 " * 20_000, "1'" * 20_000, "€ " * 20_000, "(" * 40_000])
def test_a_long_text_is_no_damaged_number(tmp_path: Path, text: str) -> None:
    """With some patterns, this test takes hours."""
    (line,) = _grouped(_load(tmp_path, {"objects.csv": f"barcode,price\n1,{text}\n"})).lines
    assert "expected a number" in line


def test_another_format_reads_other_records_from_the_same_file(tmp_path: Path) -> None:
    files = {"objects.csv": "barcode,bought\n1,03/04/2024\n"}
    assert len({digest_of(_load(tmp_path, files, name)) for name in ("excel-gb", "excel-us")}) == 2


# ---- messages


@pytest.mark.slow
def test_thousands_of_cells_are_one_line_with_what_to_set(tmp_path: Path) -> None:
    rows = "".join(f"{number:05d};Thing;1.{number % 1000:03},33;31.12.2024;WAHR\n" for number in range(2500))
    grouped = _grouped(_load(tmp_path, {"objects/assets.csv": f"barcode;Name;price;bought;lent\n{rows}"}))
    number = 'a number with a decimal point and no separators, such as 1299.50 or "1299.50"'
    day = "expected a date as YYYY-MM-DD, such as 2024-05-31"
    proposed = "set `csv: {preset: excel-de}`"
    first = "first at objects/assets.csv"
    assert grouped.lines == [
        f"price: 2,500 cells such as '1.000,33' ({first}:2:13): expected {number}; {proposed}",
        f"bought: 2,500 cells such as '31.12.2024' ({first}:2:22): {day}; {proposed}",
        f"lent: 2,500 cells such as 'WAHR' ({first}:2:33): expected true or false; {proposed}",
    ]
    assert len(grouped.every) == 7500
    assert grouped.every[0].startswith("objects/assets.csv:2:13: price: '1.000,33' does not fit")


def test_nothing_of_a_vaulted_table_is_reported(tmp_path: Path) -> None:
    rows = "".join(f"{number};Secret,{number}\n" for number in range(6))
    desired = _load(tmp_path, {"objects.csv": f"barcode;price\n{rows}"})
    desired.hiding.files.add("objects.csv")
    (line,) = _grouped(desired).lines
    assert "Secret" not in line
    assert "price" not in line
    assert "6 times (first at objects.csv:2)" in line


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (
            workbook_of({"objects": [["barcode"]]}),
            "objects.csv:1:1: this is a workbook, a web page or XML",
        ),
        (b"\xd0\xcf\x11\xe0" + bytes(600), "objects.csv:1:1: this is a workbook, a web page or XML"),
    ],
)
def test_what_is_no_table_says_what_to_do(tmp_path: Path, content: bytes, found: str) -> None:
    (line,) = _grouped(_load(tmp_path, {"objects.csv": content})).lines
    assert line.startswith(found)


# ---- workbooks


def test_a_workbook_that_was_saved_in_part_is_called_so(tmp_path: Path) -> None:
    content = workbook_of({"objects": [["barcode"], ["1"]]})
    (line,) = _grouped(_load(tmp_path, {"a.xlsx": content[: len(content) // 2]})).lines
    assert line.startswith("a.xlsx: this is not a workbook (.xlsx), or only a part of one")


def test_a_strict_workbook_says_how_to_save_it(tmp_path: Path) -> None:
    content = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(workbook_of({"objects": [["barcode"]]}))) as packed,
        zipfile.ZipFile(content, "w") as again,
    ):
        for name in packed.namelist():
            part = packed.read(name)
            part = part.replace(
                b"http://schemas.openxmlformats.org/spreadsheetml/2006/", b"http://purl.oclc.org/ooxml/"
            )
            again.writestr(name, part)
    (line,) = _grouped(_load(tmp_path, {"a.xlsx": content.getvalue()})).lines
    assert "save it as the plain 'Excel Workbook' (.xlsx)" in line


@pytest.mark.parametrize("state", ["hidden", "veryHidden"])
def test_a_hidden_sheet_is_read_and_reported_once(state: str, tmp_path: Path) -> None:
    def hide(book: Any) -> None:
        book.create_sheet("Assets").append(["barcode"])
        book["objects"].sheet_state = state

    desired = _load(tmp_path, {"a.xlsx": workbook_of({"objects": [["barcode"], ["100001"]]}, hide)})
    assert [str(entry.fields["barcode"]) for entry in desired.entries] == ["100001"]
    assert desired.warnings == [
        "a.xlsx:objects: this hidden sheet is read; show it, or remove it",
        "a.xlsx: sheets that are not sections are not read: 'Assets'",
    ]


def test_hidden_rows_are_read_and_reported_once(tmp_path: Path) -> None:
    def hide(book: Any) -> None:
        for row in (3, 5, 9):
            book["objects"].row_dimensions[row].hidden = True

    rows = [["barcode"], *([str(row)] for row in range(2, 6))]
    desired = _load(tmp_path, {"a.xlsx": workbook_of({"objects": rows}, hide)})
    assert len(desired.entries) == 4
    assert desired.warnings == [
        "a.xlsx:objects!A3: 2 hidden rows are read; a filter of a spreadsheet hides rows but does not remove them"
    ]


@pytest.mark.parametrize(
    ("digits", "number_format", "shown"),
    [
        ("1235", "0000000", "0001235"), ("12", '"IMP-"000000', "IMP-000012"), ("1234567", "000-0000", "123-4567"),
        ("12345678", "000-0000", "1234-5678"), ("0", "00", "00"), ("7", r"\A00", "A07"), ("1", "General", ""),
        ("12", "#,##0.00", ""), ("12", "0.00", ""), ("12", "0", ""), ("-1", "0000", ""), ("1.5", "0000", ""),
        ("12", "00%", ""),
    ],
)  # fmt: skip
def test_a_format_of_zeros_shows_a_text(digits: str, number_format: str, shown: str) -> None:
    assert shown_digits(digits, number_format) == shown


_SAVED = Path(__file__).parent / "libreoffice"
_THERE = {
    "barcode": "0815", "inventory_name": "Größe, Été", "price": Decimal("1299.50"), "bought": dt.date(2024, 12, 31),
    "lent": True, "count": 12, "note": "eins\nzwei", "seen": dt.datetime(2024, 12, 31, 14, 30, tzinfo=dt.UTC),
}  # fmt: skip


@pytest.mark.parametrize(("country", "preset"), [("de", "excel-de"), ("en", "excel-us"), ("fr", "excel-fr")])
@pytest.mark.parametrize("form", [".xlsx", ".csv", "-utf16.csv", "-cp1252.csv"])
def test_what_libreoffice_wrote_is_read(tmp_path: Path, country: str, preset: str, form: str) -> None:
    is_workbook = form == ".xlsx"
    content = (_SAVED / f"{country}{form}").read_bytes()
    desired = _load(tmp_path, {"book.xlsx" if is_workbook else "objects.csv": content}, preset)
    # A percentage is a number in a workbook. In a table it is a text, which is reported with the expected form.
    assert _values(desired)[0] == {**_THERE, **({"share": Decimal("0.19")} if is_workbook else {})}
    assert desired.entries[1].fields["barcode"] == "4012345678901234567890"
    assert sorted(map(str, desired.findings)) == (
        ["book.xlsx:Objects!B3: this cell contains the error #NAME?; correct or empty it"]
        if is_workbook and country != "en"
        else []
    )
