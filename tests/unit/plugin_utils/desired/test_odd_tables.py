# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables with mistakes of people and programs: each finding names the mistake and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from records import key_in_words

from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT, ROOM
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import DesiredInstance
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.grouped_findings import group_findings
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.sources.xlsx_source import shown_digits
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.validation import validate

FIELDS = [
    Field("barcode", "BARCODE", label="Scancode"),
    Field("inventory_name", "TEXT", label="Name"),
    Field("serial_number", "TEXT", label="Serial number"),
    Field("price", "MONEY"),
    Field("count", "NUMBER"),
    Field("share", "NUMBER", fraction_digits=2),
    Field("bought", "DATE"),
    Field("target_room", "LINKED_ROOM"),
    Field("accessories", "LINKED_ASSETS"),
    Field("documents", "ATTACHMENT"),
]


def read(root: Path, name: str, content: str | bytes, settings: str = "") -> DesiredInstance:
    (root / "instance.yml").write_text(f"api: seventhings/v1\n{settings}", "utf-8")
    (root / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return load(root)


def judged(desired: DesiredInstance) -> list[str]:
    return group_findings(validate(desired, {"object": FIELDS}), desired).lines


def values(desired: DesiredInstance) -> list[dict[str, str]]:
    schema = Schema(OBJECT, FIELDS)
    records = [entry.cells.read(schema, entry.fields)[0] if entry.cells else entry.fields for entry in desired.entries]
    return [{name: str(value) for name, value in schema.parse(values, "")[0].items()} for values in records]


def book(
    root: Path, rows: Sequence[Sequence[Any]], touch: Callable[[Any], None] = lambda _sheet: None, settings: str = ""
) -> DesiredInstance:
    """Load a workbook with a sheet of objects."""
    workbook = openpyxl.Workbook()
    sheet = workbook.worksheets[0]
    sheet.title = "objects"
    for row in rows:
        sheet.append(list(row))
    touch(sheet)
    workbook.save(root / "a.xlsx")
    (root / "instance.yml").write_text(f"api: seventhings/v1\n{settings}", "utf-8")
    return load(root)


# ---- cells


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ("x ", "Name: 'x ' ends with a space; set `csv: {trim: true}`, or `trim: false` to write spaces"),
        ('"=""0001235"""', "Name: '=\"0001235\"': this formula keeps a text in Excel; write the text alone, without "),
        ("'0815", "Name: \"'0815\": the apostrophe marks a text in a spreadsheet; write the cell without it"),
        ("NULL", "Name: 'NULL': this is how a database writes an empty value; empty the cell; set `csv: {\"null\": "),
    ],
)  # fmt: skip
def test_a_cell_that_says_something_else_is_called_by_its_name(tmp_path: Path, cell: str, found: str) -> None:
    (line,) = judged(read(tmp_path, "objects.csv", f"Scancode,Name\n1,{cell}\n"))
    assert line.startswith(f"objects.csv:2:3: {found}")
    many = "".join(f"{number},{cell}\n" for number in range(9))
    (line,) = judged(read(tmp_path, "objects.csv", f"Scancode,Name\n{many}"))
    assert line.startswith("Name: 9 cells such as ")


def test_all_cells_that_a_program_coded_are_one_finding_per_file(tmp_path: Path) -> None:
    rows = "".join(f'"=""{number}""",NULL,"=""7{number}"""\n' for number in range(1, 5))
    (line,) = judged(read(tmp_path, "objects.csv", f"Name,price,Serial number\n{rows}"))
    assert line == (
        "Name, Serial number: 8 cells such as '=\"1\"' (first at objects.csv:2:1): this formula keeps a text in Excel; "
        "write the text alone, without the equals sign and quotes; price: 4 cells such as 'NULL' (first at "
        'objects.csv:2:10): this is how a database writes an empty value; empty the cell; set `csv: {"null": "NULL"}`'
    )


def test_what_is_proposed_is_accepted(tmp_path: Path) -> None:
    rows = "Scancode,Name,target_room\n1 ,\tx ,Plant/1 \n2,NULL,\n"
    settings = 'csv: {trim: true, "null": "NULL"}\n'
    desired = read(tmp_path, "objects.csv", rows, settings)
    assert judged(desired) == []
    assert [dict(entry.fields) for entry in desired.entries] == [
        {"Scancode": "1", "Name": "x", "target_room": "Plant/1"}, {"Scancode": "2", "Name": None},
    ]  # fmt: skip
    (tmp_path / "objects.csv").unlink()
    desired = book(tmp_path, [["Scancode", "Name"], ["1 ", " x"], [None, "  "]], settings=settings)
    assert judged(desired) == []
    assert [dict(entry.fields) for entry in desired.entries] == [{"Scancode": "1", "Name": "x"}]


def test_the_proposal_names_the_place_of_the_setting(tmp_path: Path) -> None:
    tables = "tables: [{files: objects.csv, columns: {Nr: barcode}}]\n"
    (line,) = judged(read(tmp_path, "objects.csv", "Nr,Name\n1,x \n", tables))
    assert "; set `trim: true` in tables[0]" in line
    more = 'csv: {files: {"other*.csv": {preset: excel-de}}}\n'
    (line,) = judged(read(tmp_path, "objects.csv", "Scancode,Name\n1,x \n", more))
    assert '; set `csv: {files: {"objects.csv": {trim: true}}}`' in line


@pytest.mark.parametrize("column", ["accessories", "documents"])
def test_a_list_in_a_cell_says_how_lists_are_written(tmp_path: Path, column: str) -> None:
    (line,) = judged(read(tmp_path, "objects.csv", f"barcode\t{column}\n1\t2;3\n"))
    assert line == (
        f"objects.csv:2:3: {column}: '2;3': a list is written as a;b; set `csv: {{list_separator: \";\"}}`, "
        f'or as JSON: ["a", "b"]'
    )


def test_a_list_with_its_separator_is_read(tmp_path: Path) -> None:
    rows = 'barcode\taccessories\n1\t2; 3;\n2\t4\n3\t"[""5""]"\n'
    settings = 'csv: {preset: plain, list_separator: ";"}\n'
    desired = read(tmp_path, "objects.csv", rows, settings)
    assert judged(desired) == []
    schema = Schema(OBJECT, FIELDS)
    found = [schema.parse(entry.cells.read(schema, entry.fields)[0], "")[0] for entry in desired.entries if entry.cells]
    assert [[reference.written for reference in record["accessories"]] for record in found] == [
        ["2", "3"],
        ["4"],
        ["5"],
    ]
    rows_of_book = [["barcode", "accessories"], ["1", "2;3"]]
    (tmp_path / "objects.csv").unlink()
    (entry,) = book(tmp_path, rows_of_book, settings=settings).entries
    assert entry.cells is not None
    assert entry.cells.read(schema, entry.fields)[0]["accessories"] == ["2", "3"]


# ---- columns


FOREIGN = ["Device ID", "Device name", "Serial Number", "OS: version", "Yes", "IMEI"]


def test_the_columns_of_another_system_are_one_finding_with_the_mapping(tmp_path: Path) -> None:
    rows = ",".join(FOREIGN) + "\n1,,3,4,5,6\n,2,3,,5,6\n"
    (line,) = judged(read(tmp_path, "objects.csv", rows))
    assert line.endswith(
        "or map the columns of another system in instance.yml: `tables: [{files: objects.csv, columns: {COLUMN OF "
        "barcode: barcode, Serial Number: serial_number}, ignore: [Device ID, Device name, "
        '"OS: version", "Yes", IMEI]}]`'
    )
    (line,) = judged(read(tmp_path, "objects.csv", rows.replace("Device ID", "barcode")))
    assert line.startswith(
        "objects.csv:1:1: 5 of 6 columns are not fields of an object: Device name, Serial Number, OS: version, Yes, "
    )
    tables = line.partition("`")[2].rstrip("`")
    desired = read(
        tmp_path, "objects.csv", rows.replace("Device ID", "barcode").replace("\n,2", "\n2,2"), f"{tables}\n"
    )
    assert judged(desired) == []
    assert desired.entries[0].fields == {"barcode": "1", "serial_number": "3"}


def test_a_text_that_a_spreadsheet_shortened_is_found(tmp_path: Path) -> None:
    """A natural key is judged with the records of the instance."""
    rows = 'barcode,serial_number,price\n4.01E+12,A,1\n2,"5,01234E+11",1.5E+3\n3,1E5,2\n'
    serial, price = judged(read(tmp_path, "objects.csv", rows))
    assert serial.startswith("objects.csv:3:3: serial_number: '5,01234E+11': a spreadsheet shortened this number")
    assert price.startswith("objects.csv:3:17: price: '1.5E+3' does not fit; ")
    settings = "csv: {text_columns: [serial_number]}\n"
    (price,) = judged(read(tmp_path, "objects.csv", rows, settings))
    assert "price" in price


def test_a_proposal_for_a_column_of_two_lines_can_be_pasted(tmp_path: Path) -> None:
    rows = '"Bar-\ncode",count\n1,2\n'
    tables = "tables: [{files: objects.csv, columns: {Nr: barcode}}]\n"
    (line,) = judged(read(tmp_path, "objects.csv", rows.replace("count", "price"), tables))[:1]
    pasted = line.partition("`")[2].rstrip("`")
    desired = read(tmp_path, "objects.csv", rows, f"tables: [{{files: objects.csv, {pasted}}}]\n")
    assert judged(desired) == []
    assert values(desired) == [{"barcode": "1", "count": "2"}]


def test_a_column_that_only_the_settings_have_does_not_hide_the_field_itself(tmp_path: Path) -> None:
    tables = "tables: [{files: objects.csv, columns: {Nr: barcode}}]\n"
    (line,) = judged(read(tmp_path, "objects.csv", "barcode,A,B,C\n1,2,3,4\n", tables))
    assert line.startswith(
        "objects.csv:1:1: 3 of 4 columns are not fields of an object: A, B, C; map them in tables[0]"
    )


def test_columns_are_mapped_in_the_entry_that_names_the_file(tmp_path: Path) -> None:
    tables = "tables: [{files: objects.csv, columns: {Nr: barcode}}]\n"
    (line,) = judged(read(tmp_path, "objects.csv", "Nr,A1,B1,C1\n1,2,3,4\n", tables))
    assert line.endswith("map them in tables[0], or ignore them: `columns: {COLUMN: FIELD}, ignore: [A1, B1, C1]`")


@pytest.mark.parametrize(
    ("settings", "hint"),
    [
        ("CSV: {preset: plain}\n", "did you mean csv?"),
        ("csv: {PRESET: plain}\n", "did you mean preset?"),
        ("identity: {Objects: [barcode]}\n", "did you mean objects?"),
        ("lifecycle: {OBJECTS: {ignore: [a]}}\n", "did you mean objects?"),
        ("tables: [{Files: a.csv, files: a.csv}]\n", "did you mean files?"),
    ],
)
def test_a_name_in_capitals_is_recognised(tmp_path: Path, settings: str, hint: str) -> None:
    findings = read(tmp_path, "objects.yml", "", settings).findings
    assert hint in str(findings[0])


def test_ignored_columns_may_be_patterns(tmp_path: Path) -> None:
    rows = "barcode,AfA 2024,AfA 2025,Preis [EUR]\n1,2,3,4\n"
    desired = read(tmp_path, "objects.csv", rows, 'csv: {ignore: ["AfA*", "Preis [EUR]"]}\n')
    assert [dict(entry.fields) for entry in desired.entries] == [{"barcode": "1"}]


# ---- rows and files


@pytest.mark.parametrize("word", ["Summe", "Gesamtsumme:", "Total", "Grand total", "Zwischensumme", "Sum"])
def test_a_row_of_totals_is_called_by_its_name(tmp_path: Path, word: str) -> None:
    rows = f"barcode,Name,count\n1,a,2\n{word},,2\n"
    (line,) = judged(read(tmp_path, "objects.csv", rows))
    assert line == (
        f"objects.csv:3:1: the last row begins with '{word}' and looks like totals; delete it, or name it in skip_rows "
        f'of tables, such as `skip_rows: ["{word}"]`'
    )
    tables = f'tables: [{{files: objects.csv, skip_rows: ["{word}"]}}]\n'
    assert judged(read(tmp_path, "objects.csv", rows, tables)) == []
    assert judged(read(tmp_path, "objects.csv", f"barcode,Name,count\n{word},b,2\n")) == []
    (tmp_path / "objects.csv").unlink()
    (line,) = judged(book(tmp_path, [["barcode", "Name"], ["1", "a"], [word]]))
    assert line.startswith(f"a.xlsx:objects!A3: the last row begins with '{word}'")


def test_totals_with_a_line_below_them_are_one_finding(tmp_path: Path) -> None:
    rows = "barcode,Name,count\n1,a,2\nSumme,,2\n,Seen: 1.1.,\n"
    (line,) = judged(read(tmp_path, "objects.csv", rows))
    assert line == (
        "objects.csv:3:1: the row before the last begins with 'Summe' and looks like totals, and the last row is only "
        '\'Seen: 1.1.\'; delete both, or name them in skip_rows of tables, such as `skip_rows: ["Summe", "Seen: 1.1."]`'
    )
    pasted = line.partition("`")[2].rstrip("`")
    desired = read(tmp_path, "objects.csv", rows, f"tables: [{{files: objects.csv, {pasted}}}]\n")
    assert judged(desired) == []
    assert len(desired.entries) == 1
    assert judged(read(tmp_path, "objects.csv", "barcode,Name,count\nSumme,,2\n1,a,\n")) == []


CONFLICT = "<<<<<<< HEAD\n1,a\n=======\n1,b\n>>>>>>> branch\n"


@pytest.mark.parametrize(
    ("name", "head"), [("objects.csv", "barcode,Name\n"), ("objects.yml", ""), ("objects.jsonl", "")]
)
def test_a_merge_conflict_is_called_by_its_name(tmp_path: Path, name: str, head: str) -> None:
    (line,) = judged(read(tmp_path, name, head + CONFLICT))
    assert line == (
        f"{name}:{2 if head else 1}:1: a merge conflict of git (<<<<<<<) is not resolved; keep one of the two "
        f"sides, and delete the marks"
    )


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("objects.csv", "barcode,Name,count\n1,a,2\n2,b", "objects.csv:3:1: expected 3 cells as in the first row, "),
        ("objects.csv", 'barcode,Name\n1,"a\n2,b\n', "objects.csv:2:1: this is not CSV: unexpected end of data; "),
        ("objects.jsonl", '{"barcode": "1"}\n{"barcode": "2", "inventory_n', "objects.jsonl:2:"),
    ],
)
def test_a_file_that_was_saved_in_part_is_called_so(tmp_path: Path, name: str, content: str, place: str) -> None:
    (line,) = judged(read(tmp_path, name, content))
    assert line.startswith(place)
    assert "it was saved or copied in part; save it again" in line


def test_a_workbook_that_was_saved_in_part_is_called_so(tmp_path: Path) -> None:
    book(tmp_path, [["barcode"], ["1"]])
    content = (tmp_path / "a.xlsx").read_bytes()
    (line,) = judged(read(tmp_path, "a.xlsx", content[: len(content) // 2]))
    assert line.startswith("a.xlsx: this workbook can't be read (it was saved or copied in part)")


# ---- workbooks


MERGED = (
    "; rows above have a value there, as exports of merged cells do, so fill it down: write the value into each row"
)


def test_an_export_of_merged_cells_is_reported_as_the_cause(tmp_path: Path) -> None:
    """A key of a single field is never merged, and the first row has nothing above it."""
    rooms = "building_id,number,name\n,0,Z\nDresden,1,A\n,2,B\n,3,C\nBerlin,1,D\n,2,E\n"
    findings = judged(read(tmp_path, "rooms.csv", rooms))
    why = f"building_id must have a value, because a room is identified by {key_in_words(ROOM)}"
    assert findings == [f"rooms.csv:2:1: {why}", *(f"rooms.csv:{line}:1: {why}{MERGED}" for line in (4, 5, 7))]
    (tmp_path / "rooms.csv").unlink()
    (alone,) = judged(read(tmp_path, "objects.csv", "barcode,inventory_name\n100001,A\n,B\n"))
    assert alone.endswith("because an object is identified by barcode")


@pytest.mark.parametrize(
    ("above", "line"), [("Stock of Dresden;;\nSeen;;\n;;\n", 4), ("Stock of Dresden;;\n", 2), ("Thing;;Bought\n", 2)]
)
def test_names_below_a_title_or_other_names_are_found_by_what_the_finding_says(
    above: str, line: int, tmp_path: Path
) -> None:
    table = f"{above}barcode;inventory_name;price\n100001;A;2.50\n"
    (tmp_path / "objects").mkdir()
    (finding,) = read(tmp_path, "objects/list.csv", table).findings
    assert finding.message.endswith(f", or set `header_row: {line}` in tables")
    settings = f"tables: [{{files: objects/list.csv, header_row: {line}}}]\n"
    assert values(read(tmp_path, "objects/list.csv", table, settings)) == [
        {"barcode": "100001", "inventory_name": "A", "price": "2.50"}
    ]


def test_thin_spaces_between_thousands_are_one_finding_with_a_remedy(tmp_path: Path) -> None:
    """A currency that the preset knows is not what is wrong."""
    table = "barcode;price\n100001;12\u202f499,00\u00a0€\n100002;1\u2009200,50 €\n"
    (tmp_path / "objects").mkdir()
    (line,) = judged(read(tmp_path, "objects/list.csv", table, "csv: {preset: excel-de}\n"))
    marks = r'[".", "\u202f", "\u00a0", "\u2009", " "]'
    assert line.endswith(f"thousands separators; set `csv: {{thousands: {marks}}}`")
    pasted = read(tmp_path, "objects/list.csv", table, f"csv: {{preset: excel-de, thousands: {marks}}}\n")
    assert [found["price"] for found in values(pasted)] == ["12499.00", "1200.50"]


@pytest.mark.parametrize("cell", ["12,50 Fr.", "Fr. 12,50", "Fr.12,50", "12,50Fr."])
def test_a_currency_may_end_with_a_dot(tmp_path: Path, cell: str) -> None:
    table = f"barcode;price\n1;{cell}\n"
    desired = read(tmp_path, "objects.csv", table, "csv: {preset: excel-de, currency: [EUR, Fr.]}\n")
    assert judged(desired) == []
    assert values(desired) == [{"barcode": "1", "price": "12.50"}]
    (refused, *_others) = judged(read(tmp_path, "objects.csv", table, 'csv: {currency: ["."]}\n'))
    assert "csv.currency: ['.'] does not fit" in refused


@pytest.mark.parametrize("state", ["hidden", "veryHidden"])
def test_a_hidden_sheet_is_read_and_reported_once(state: str, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    shown = book.create_sheet("Assets")
    shown.append(["barcode", "inventory_name"])
    hidden = book.create_sheet("objects")
    hidden.append(["barcode", "inventory_name"])
    hidden.append(["100001", "Old"])
    hidden.sheet_state = state
    del book["Sheet"]
    book.save(tmp_path / "a.xlsx")
    (tmp_path / "instance.yml").write_text("api: seventhings/v1\n", "utf-8")
    desired = load(tmp_path)
    assert [str(entry.fields["barcode"]) for entry in desired.entries] == ["100001"]
    assert desired.warnings == [
        "a.xlsx:objects: this hidden sheet is read; show it, or remove it",
        "a.xlsx: sheets that are not sections are not read: 'Assets'",
    ]


def test_hidden_rows_are_read_and_reported_once(tmp_path: Path) -> None:
    def hide(sheet: Any) -> None:
        for row in (3, 5, 9):
            sheet.row_dimensions[row].hidden = True

    desired = book(tmp_path, [["barcode"], *([str(row)] for row in range(2, 6))], hide)
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


def test_a_number_is_the_text_that_its_format_shows(tmp_path: Path) -> None:
    def zeros(sheet: Any) -> None:
        for cell in ("A2", "B2", "C2"):
            sheet[cell].number_format = "0000000"

    desired = book(tmp_path, [["barcode", "Name", "count"], [1235, 17, 42], ["7", 8, 9]], zeros)
    (line,) = judged(desired)
    assert line.startswith("a.xlsx:objects!B3: Name: '8' does not fit; expected text; the cell contains a number")
    assert values(desired)[0] == {"barcode": "0001235", "inventory_name": "0000017", "count": "42"}


def test_a_preset_reads_texts_in_cells_of_other_types(tmp_path: Path) -> None:
    rows: list[list[Any]] = [
        ["barcode", "price", "bought", "share"],
        ["1", "1.299,50 €", "05.03.2024", "19 %"],
        ["2", 3.5, None, 0.07],
    ]
    desired = book(tmp_path, rows, settings="csv: {preset: excel-de}\n")
    fields = [field for field in FIELDS if field.key != "share"]
    assert [line for line in judged(desired) if "share" not in line] == []
    schema = Schema(OBJECT, [*fields, Field("share", "MONEY")])
    found = [entry.cells.read(schema, entry.fields)[0] for entry in desired.entries if entry.cells]
    assert found == [
        {"barcode": "1", "price": "1299.50", "bought": "2024-03-05", "share": "0.19"},
        {"barcode": "2", "price": "3.5", "share": "0.07"},
    ]
    assert len(judged(book(tmp_path, rows))) == 4
