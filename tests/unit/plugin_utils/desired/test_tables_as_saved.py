# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables and workbooks in the odd forms in which people save them: they are read, or refused with a remedy."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from collections.abc import Mapping
from decimal import Decimal
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

_FIELDS = [
    Field("barcode", "BARCODE"),
    Field("inventory_name", "TEXT", label="Preis, netto, in EUR"),
    Field("price", "MONEY", label="Purchasing price"),
    Field("bought", "DATE", label="Gekauft am"),
]


def _load(root: Path, files: Mapping[str, str | bytes], csv: str = "plain") -> DesiredInstance:
    (root / "instance.yml").write_text(f"api: seventhings/v1\ncsv: {{preset: {csv}}}\n", "utf-8")
    for name, content in files.items():
        (root / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return load(root)


def _judged(desired: DesiredInstance) -> list[str]:
    return group_findings(validate(desired, {"object": _FIELDS}), desired).lines


def _workbook(*rows: list[Any], title: str = "objects") -> bytes:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = title
    for row in rows:
        sheet.append(row)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


@pytest.mark.parametrize("preset", ["plain", "excel-gb"])
@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_a_name_with_commas_does_not_say_how_cells_are_parted(tmp_path: Path, preset: str, delimiter: str) -> None:
    rows = [["barcode", "Preis, netto, in EUR", ""], ["1", "a", ""], ["2", "", ""]]
    desired = _load(tmp_path, {"objects.csv": "".join(f"{delimiter.join(row)}\n" for row in rows)}, preset)
    assert _judged(desired) == []
    assert [dict(entry.fields) for entry in desired.entries] == [
        {"barcode": "1", "Preis, netto, in EUR": "a"}, {"barcode": "2"},
    ]  # fmt: skip


def test_a_table_of_nothing_but_delimiters_is_empty(tmp_path: Path) -> None:
    desired = _load(tmp_path, {"objects.csv": ";;;\r\n;;;\r\n"})
    assert (desired.entries, _judged(desired)) == ([], [])


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("Stock 2024;;\n;;\nbarcode;price;bought\n1;2;\n", "so delete what is above the names"),
        ("barcode;price\n1\n", "add a last column # with a text in each row"),
        ("barcode;price\n1;2;x\n", "give each column a name, one that begins with # for a comment"),
        ('barcode,price\n1,"24" Monitor"\n', "a quote in a cell in quotes is written twice"),
        (_workbook(["barcode"]), "objects.csv:1:1: this is a workbook, not CSV; rename it to end in .xlsx"),
        (b"\xd0\xcf\x11\xe0" + bytes(600), "objects.csv:1:1: this is an old workbook, not CSV; save it as .xlsx"),
        ("<html><table><tr><td>barcode</td></tr></table>", "objects.csv:1:1: this is a web page or XML, not CSV"),
        ("\ufeff\n<!DOCTYPE html>\n<table>", "objects.csv:1:1: this is a web page or XML, not CSV"),
    ],
)  # fmt: skip
def test_what_is_no_table_says_what_to_do(tmp_path: Path, content: str | bytes, found: str) -> None:
    lines = _judged(_load(tmp_path, {"objects.csv": content}))
    assert found in lines[0], lines


@pytest.mark.parametrize("ending", [".fods", ".numbers", ".ods"])
def test_a_workbook_of_another_program_in_a_section_is_not_passed_over(tmp_path: Path, ending: str) -> None:
    (tmp_path / "objects").mkdir()
    lines = _judged(_load(tmp_path, {f"objects/stock{ending}": b"PK"}))
    assert [line.partition(" ")[0] for line in lines] == [f"objects/stock{ending}:"]


def test_a_page_in_a_section_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "objects").mkdir()
    desired = _load(tmp_path, {"objects/stock.html": b"<html>", "objects/a.csv": "barcode\n1\n"})
    assert [line.partition(" ")[0] for line in desired.warnings] == ["objects/stock.html:"]


@pytest.mark.parametrize("title", ["Stock 2024", "Stock 2024;;", "Stock 2024\n\n;;"])
def test_a_title_above_the_names_is_reported_once(tmp_path: Path, title: str) -> None:
    rows = "".join(f"{number};x;{number % 2 or ''}\n" for number in range(9))
    (line,) = _judged(_load(tmp_path, {"objects.csv": f"{title}\nbarcode;price;bought\n{rows}"}, "excel-de"))
    assert line.startswith(
        "objects.csv:1:1: expected 1 cell as in this row, the rows below have 3; the first row names"
    )


def test_columns_of_which_none_is_a_field_are_reported_once(tmp_path: Path) -> None:
    (line,) = _judged(_load(tmp_path, {"objects.csv": "Stock,2024\n1,x\n2,\n,y\n"}))
    assert line.startswith("objects.csv:1:1: no column is a field of an object; the first row names the columns")
    lines = _judged(_load(tmp_path, {"objects.csv": "Stock,barcode\n1,\n"}))
    assert lines[0].startswith("objects.csv:1:1: Stock: no such field in an object")


@pytest.mark.parametrize("name", ["OBJECTS.CSV", "Objects.csv"])
def test_the_name_of_a_file_in_capitals_is_not_passed_over(tmp_path: Path, name: str) -> None:
    assert _judged(_load(tmp_path, {name: "barcode\n1\n"})) == [f"{name}: no such section; did you mean objects?"]


def test_a_workbook_of_another_program_is_named(tmp_path: Path) -> None:
    desired = _load(tmp_path, {"Stock.ods": b"PK", "Stock.XLSM": b"PK", "~$Stock.xlsm": b"", "read.me": b""})
    assert desired.warnings == ["Stock.XLSM: is not read; save it as .xlsx", "Stock.ods: is not read; save it as .xlsx"]


@pytest.mark.parametrize(
    ("preset", "cell"), [("excel-fr", "31/12/24"), ("excel-gb", "31/12/24"), ("excel-us", "12/31/24")]
)
def test_a_year_of_two_digits_is_read_as_spreadsheets_show_it(tmp_path: Path, preset: str, cell: str) -> None:
    text = f"barcode;Gekauft am\n1;{cell}\n"
    assert _judged(_load(tmp_path, {"objects.csv": text}, preset)) == []
    (line,) = _judged(_load(tmp_path, {"objects.csv": text}))
    assert "set `csv: {preset: excel-" in line


def test_no_dialect_is_proposed_for_what_was_read(tmp_path: Path) -> None:
    (line,) = _judged(_load(tmp_path, {"objects.csv": "barcode;price\n1;12345678901234567,89\n"}, "excel-de"))
    assert line.endswith("at most 15 significant digits, because the service accepts JSON numbers")


def test_a_number_that_is_not_whole_is_quoted_as_it_was_written(tmp_path: Path) -> None:
    fields = [*_FIELDS, Field("count", "NUMBER")]
    table = "barcode;count\n1;1,5\n"
    many = "barcode;count\n" + "".join(f"{row};1.001,{row}\n" for row in range(1, 9))
    for text, expected in (
        (table, "objects.csv:2:3: count: '1,5' does not fit; expected an integer"),
        (many, "'1.001,1' (first"),
    ):
        desired = _load(tmp_path, {"objects.csv": text}, "excel-de")
        (line,) = group_findings(validate(desired, {"object": fields}), desired).lines
        assert expected in line


def test_blanks_around_a_number_are_no_currency(tmp_path: Path) -> None:
    (line,) = _judged(_load(tmp_path, {"objects.csv": "barcode;price\n1; 5 \n"}))
    assert "set `csv" not in line


@pytest.mark.parametrize(
    ("cell", "preset", "expected"),
    [
        ("19,00 %", "excel-de", "percentages; write plain numbers"),
        ("19%", "plain", "percentages; write plain numbers"),
        ("5 \u2030", "excel-de", "percentages; write plain numbers"),
        ('"($1,299.50)"', "excel-us", "brackets or a minus behind a negative number"),
        ("1.299,50-", "excel-de", "brackets or a minus behind a negative number"),
        ("1,5E+3", "excel-de", "a shortened long number; format the column as a number"),
        ("1E3", "excel-us", "a shortened long number; format the column as a number"),
        ("#####", "plain", "the column was too narrow for its numbers"),
        ("1'299,50", "excel-de", 'set `csv: {thousands: [".", "\'"]}`'),
        ("1.299,50 CHF", "excel-de", "set `csv: {currency: [\u20ac, EUR, CHF]}`"),
        ("CHF 12.50", "plain", "set `csv: {currency: [CHF]}`"),
        ("12,50 Fr.", "excel-de", "set `csv: {currency: [\u20ac, EUR, Fr.]}`"),
        ("Fr. 12.50", "plain", "set `csv: {currency: [Fr.]}`"),
        ("5,-", "excel-de", "a dash in place of the cents; format the column as a number with two decimals"),
        ("1.299,-- \u20ac", "excel-de", "a dash in place of the cents"),
        ("EUR 5,\u2013", "plain", "a dash in place of the cents"),
        ("+5,00", "excel-de", "a plus in front of the number"),
        ("+ 5.00", "excel-us", "a plus in front of the number"),
        ("\u20ac +5,00", "excel-de", "a plus in front of the number"),
    ],
)
def test_a_number_as_a_spreadsheet_shows_it_is_one_finding_with_a_remedy(
    tmp_path: Path, cell: str, preset: str, expected: str
) -> None:
    """The meaning of a percentage depends on the field, so it is never read as a plain number."""
    text = f"barcode;price\n1;{cell}\n"
    (line,) = _judged(_load(tmp_path, {"objects.csv": text}, preset))
    assert line.startswith("objects.csv:2:3: price: ")
    assert expected in line
    many = "barcode;price\n" + "".join(f"{number};{cell}\n" for number in range(40)) + "x;word\n"
    first, other = _judged(_load(tmp_path, {"objects.csv": many}, preset))
    assert first.startswith("price: 40 cells such as ")
    assert expected in first
    assert other.startswith("objects.csv:42:3: price: 'word' does not fit; expected a number")


@pytest.mark.parametrize("cell", ["ca. 500", "500 Stk.", "ab 500", "500 k"])
def test_a_word_beside_a_number_is_no_currency(tmp_path: Path, cell: str) -> None:
    (line,) = _judged(_load(tmp_path, {"objects.csv": f"barcode;price\n1;{cell}\n"}))
    assert "does not fit" in line
    assert "currency" not in line


def test_words_for_true_and_false_that_no_setting_names_say_where_to_name_them(tmp_path: Path) -> None:
    fields = [*_FIELDS, Field("lent", "BOOLEAN")]
    desired = _load(tmp_path, {"objects.csv": "barcode;lent;Gekauft am\n1;x;####\n"})
    lent, bought = group_findings(validate(desired, {"object": fields}), desired).lines
    assert lent.endswith("set `csv: {booleans: {true: [...], false: [...]}}`")
    assert bought.endswith("the column was too narrow for its dates; widen it")


def test_texts_in_a_workbook_where_another_type_was_wanted_say_how_to_type_them(tmp_path: Path) -> None:
    rows = [[str(number), "1.299,50", "31.05.2024"] for number in range(40)]
    lines = _judged(_load(tmp_path, {"book.xlsx": _workbook(["barcode", "price", "Gekauft am"], *rows)}))
    assert [line.partition(" (first")[0] for line in lines] == [
        "price: 40 cells such as '1.299,50'",
        "Gekauft am: 40 cells such as '31.05.2024'",
    ]
    assert lines[0].endswith("contains text, not a number; format the column as a number, and type it again")
    assert lines[1].endswith("contains text, not a date; format the column as a date, and type it again")


@pytest.mark.parametrize("name", ["Purchasing\nprice", "Purchasing\u00a0 price"])
def test_a_header_may_be_wrapped(tmp_path: Path, name: str) -> None:
    files: dict[str, str | bytes] = {
        "objects.csv": f'barcode;"{name}"\n1;5\n',
        "more.xlsx": _workbook(["barcode", name], ["2", 5]),
    }
    assert _judged(_load(tmp_path, files)) == []


def test_nothing_is_wrong_with_a_comment(tmp_path: Path) -> None:
    book = _workbook(["barcode", "# sum", "Junk", None], ["1", "#N/A", "#DIV/0!", None], ["2", "=A1", "=A1", None])
    (tmp_path / "instance.yml").write_text("api: seventhings/v1\ncsv: {ignore: [Junk]}\n", "utf-8")
    (tmp_path / "book.xlsx").write_bytes(book)
    desired = load(tmp_path)
    assert _judged(desired) == []
    assert [dict(entry.fields) for entry in desired.entries] == [{"barcode": "1"}, {"barcode": "2"}]


def test_a_name_of_blanks_is_none(tmp_path: Path) -> None:
    assert _judged(_load(tmp_path, {"a.xlsx": _workbook(["barcode", "  "], ["1", None])})) == []
    (line,) = _judged(_load(tmp_path, {"a.xlsx": _workbook(["barcode", "  "], ["1", "x"])}))
    assert line.startswith("a.xlsx:objects!B2: this column has no name; give it one")


def test_a_strict_workbook_says_how_to_save_it(tmp_path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(_workbook(["barcode"], ["1"]))) as packed, zipfile.ZipFile(content, "w") as again:
        for name in packed.namelist():
            part = packed.read(name)
            part = part.replace(
                b"http://schemas.openxmlformats.org/spreadsheetml/2006/", b"http://purl.oclc.org/ooxml/"
            )
            again.writestr(name, part)
    (line,) = _judged(_load(tmp_path, {"a.xlsx": content.getvalue()}))
    assert "save it as the plain 'Excel Workbook' (.xlsx)" in line


def test_what_looks_like_an_escape_and_needs_none_is_text(tmp_path: Path) -> None:
    # Excel escapes the underscore of such a text, but LibreOffice does not.
    desired = _load(tmp_path, {"a.xlsx": _workbook(["barcode"], ["_x0041_"], ["_x005F_x0041_"], ["_x005f_x000D_"])})
    assert [entry.fields["barcode"] for entry in desired.entries] == ["_x0041_", "_x0041_", "_x000D_"]


def test_an_error_of_a_spreadsheet_is_no_silent_text(tmp_path: Path) -> None:
    text = "barcode;Preis, netto, in EUR;# sum\n1;#NAME?;#N/A\n2;#NV;\n3;# 1;\n4;####;\n5;Err:502;\n"
    desired = _load(tmp_path, {"objects.csv": text})
    assert _judged(desired) == []
    (warning,) = desired.warnings
    assert warning == (
        "objects.csv: 4 cells contain errors of a spreadsheet such as #NAME? (first at objects.csv:2:3); correct or "
        "empty it"
    )


# ---- files that LibreOffice wrote

_SAVED = Path(__file__).parent / "libreoffice"
_TYPED = [
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
_TYPED_THERE = {
    "barcode": "0815", "inventory_name": "Größe, Été", "price": Decimal("1299.50"), "bought": dt.date(2024, 12, 31),
    "lent": True, "count": 12, "note": "eins\nzwei",
}  # fmt: skip


@pytest.mark.parametrize(("country", "preset"), [("de", "excel-de"), ("en", "excel-us"), ("fr", "excel-fr")])
@pytest.mark.parametrize("form", [".xlsx", ".csv", "-utf16.csv", "-cp1252.csv"])
def test_what_libreoffice_wrote_is_read(tmp_path: Path, country: str, preset: str, form: str) -> None:
    content = (_SAVED / f"{country}{form}").read_bytes()
    desired = _load(tmp_path, {"book.xlsx" if form == ".xlsx" else "objects.csv": content}, preset)
    first, second = desired.entries
    schema = Schema(OBJECT, _TYPED)
    assert first.cells is not None
    fields, wrong = first.cells.read(schema, first.fields)
    values, findings = schema.parse({name: fields[name] for name in fields if name != "seen"}, "")
    assert findings.errors == []
    # A percentage is a number in a workbook. In a table it is a text, which is reported with the expected form.
    share = {"share": Decimal("0.19")} if form == ".xlsx" else {}
    assert values == {**_TYPED_THERE, **share}
    assert fields["seen"] == "2024-12-31 14:30:00"
    assert set(wrong) == ({"share"} - set(share))
    assert second.fields["barcode"] == "4012345678901234567890"
    assert sorted(map(str, desired.findings)) == (
        ["book.xlsx:Objects!B3: this cell contains the error #NAME?; correct or empty it"]
        if form == ".xlsx" and country != "en"
        else []
    )
