# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Workbooks: the sheets that are read, the meaning of cells, and refusals."""

from __future__ import annotations

import datetime as dt
import json
import sys
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from workbooks import workbook_of

from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import DesiredInstance
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.grouped_findings import group_findings
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import VaultedContent, load
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.positions import letters_of
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.sources import xlsx_source
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.words import NullCell
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.validation import validate

_FIELDS = [
    Field("barcode", "BARCODE", label="Inventory number"),
    Field("inventory_name", "TEXT", label="Name"),
    Field("price", "MONEY"),
    Field("count", "NUMBER"),
    Field("bought", "DATE"),
    Field("seen", "DATETIME"),
    Field("lent", "BOOLEAN"),
    Field("actual_room", "LINKED_ROOM"),
]


def _naive(text: str) -> dt.datetime:
    """Return a date and time as workbooks have them, without a zone."""
    return dt.datetime.fromisoformat(text)


def _book(
    path: Path, sheets: dict[str, Sequence[Sequence[Any]]], touch: Callable[[Any], object] = lambda _book: None
) -> Path:
    """Return the path of a workbook with rows of values."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(workbook_of(sheets, touch))
    return path


def _load(root: Path, csv: str = "") -> DesiredInstance:
    settings = f"api: seventhings/v1\ntimezone: UTC\n{f'csv: {csv}' if csv else ''}\n"
    (root / "instance.yml").write_text(settings, "utf-8")
    return load(root)


def _judged(desired: DesiredInstance) -> list[str]:
    return group_findings(validate(desired, {"object": _FIELDS}), desired).lines


def test_one_and_zero_are_true_and_false_in_fields_of_booleans(tmp_path: Path) -> None:
    """When LibreOffice opens and saves a workbook, it turns a typed true into a number with a format for booleans."""
    names = ["barcode", "inventory_name", "lent", "count"]
    rows: list[list[Any]] = [names, ["A", "x", 1, 1], ["B", "x", 0.0, 0], ["C", "x", 2, 2], ["D", "x", "1", 1]]

    def in_words(book: Any) -> None:
        book["objects"]["C2"].number_format = '"WAHR";"WAHR";"FALSCH"'

    _book(tmp_path / "a.xlsx", {"objects": rows}, in_words)
    desired = _load(tmp_path)
    schema = Schema(KINDS["object"], _FIELDS)
    values = [schema.parse(entry.spelled(schema)[0], "")[0] for entry in desired.entries]
    assert [(value.get("lent"), value["count"]) for value in values] == [(True, 1), (False, 0), (None, 2), (None, 1)]
    places = [str(finding.place) for finding in validate(desired, {"object": _FIELDS})]
    assert places == ["a.xlsx:objects!C4", "a.xlsx:objects!C5"]


def test_a_title_above_the_names_is_reported(tmp_path: Path) -> None:
    _book(tmp_path / "a.xlsx", {"objects": [["Stock"], [], ["barcode", "inventory_name", "count"], ["1", "x", "2"]]})
    lines = _judged(_load(tmp_path))
    assert [line.partition(":objects!")[2][:2] for line in lines] == ["A1", "B3", "C3"]
    assert all("delete what is above the names" in line for line in lines)


def _changed(path: Path, change: Callable[[str, bytes], bytes]) -> None:
    """Replace parts of the workbook."""
    with zipfile.ZipFile(path) as packed:
        parts = {name: change(name, packed.read(name)) for name in packed.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, part in parts.items():
            packed.writestr(name, part)


@pytest.mark.parametrize("has_records", [False, True])
def test_a_sheet_that_is_a_chart_has_no_records(tmp_path: Path, has_records: bool) -> None:
    book = openpyxl.Workbook()
    book.create_chartsheet("Chart")
    sheet = book.worksheets[0]
    sheet.title = "objects"
    sheet.append(["barcode"])
    sheet.append(["0001"])
    if not has_records:
        book.remove(sheet)
    book.save(tmp_path / "objects.xlsx")
    found = _load(tmp_path)
    assert len(found.entries) == has_records
    assert ["these are none (a chart has no cells)" in finding.message for finding in found.findings] == (
        [] if has_records else [True]
    )


def test_each_sheet_is_a_section_and_each_cell_has_its_type(tmp_path: Path) -> None:
    _book(
        tmp_path / "assets.xlsx",
        {
            "Objects": [
                ["Inventory number", "Name", "price", "count", "bought", "seen", "lent", "# note", None],
                ["0001", "Größe\nzwei", 1299.5, 3, dt.date(2024, 5, 31), _naive("2024-05-31T14:30"), True, 7, None],
                [None] * 9,
                ["0002", None, 0.1 + 0.2, 4.0, _naive("2024-02-01"), dt.date(2024, 5, 31), False, None, None],
            ],
            "locations": [["name"], ["North"]],
            "# help": [["anything"]],
            "Tabelle1": [["x"]],
        },
    )  # fmt: skip
    desired = _load(tmp_path)
    assert [dict(entry.fields) for entry in desired.entries] == [
        {
            "Inventory number": "0001", "Name": "Größe\nzwei", "price": "1299.5", "count": "3", "bought": "2024-05-31",
            "seen": "2024-05-31 14:30:00", "lent": "true",
        },
        {
            "Inventory number": "0002", "price": "0.3", "count": "4", "bought": "2024-02-01", "seen": "2024-05-31",
            "lent": "false",
        },
        {"name": "North"},
    ]  # fmt: skip
    assert _judged(desired) == []
    assert desired.sections == {"objects", "locations"}
    assert desired.warnings == ["assets.xlsx: sheets that are not sections are not read: 'Tabelle1'"]
    entry = desired.entries[1]
    assert str(entry.place) == "assets.xlsx:Objects!A4"
    assert str(entry.place_of("bought")) == "assets.xlsx:Objects!E4"
    assert str(entry.place_of_name("bought")) == "assets.xlsx:Objects!E1"
    assert entry.empty_cells() == ["Name"]


def test_a_workbook_is_among_the_files_of_a_section_or_alone(tmp_path: Path) -> None:
    _book(tmp_path / "objects" / "new.XLSX", {"objects": [["barcode"], ["1"]]})
    (tmp_path / "objects" / "~$new.xlsx").write_bytes(b"lock")
    (tmp_path / "~$book.xlsx").write_bytes(b"lock")
    desired = _load(tmp_path)
    assert [str(entry.place) for entry in desired.entries] == ["objects/new.XLSX:objects!A2"]
    assert desired.findings == []
    alone = load(tmp_path / "objects" / "new.XLSX")
    assert [str(entry.place) for entry in alone.entries] == ["new.XLSX:objects!A2"]


def test_a_link_to_a_workbook_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "book.xlsx").symlink_to(_book(tmp_path / "else" / "book.xlsx", {"objects": [["barcode"], ["1"]]}))
    (finding,) = _load(tmp_path).findings
    assert str(finding).startswith("book.xlsx: is a link")


def test_the_last_moment_that_excel_knows_is_read(tmp_path: Path) -> None:
    """Rounded to seconds, it would be in the year 10000."""
    _book(tmp_path / "a.xlsx", {"objects": [["seen"], [_naive("9999-12-31 23:59:59.900")]]})
    desired = _load(tmp_path)
    assert desired.findings == []
    assert [entry.fields for entry in desired.entries] == [{"seen": "9999-12-31 23:59:59"}]


@pytest.mark.parametrize(
    ("moment", "read"),
    [
        ("2024-12-31 23:59:59.997", "2024-12-31 23:59:59"),
        ("2024-12-31 23:59:59.500", "2024-12-31 23:59:59"),
        ("2024-12-31 23:59:59.9999996", "2025-01-01"),
        ("2024-12-31 23:59:58.997", "2024-12-31 23:59:59"),
        ("2024-12-31 14:30:00.4", "2024-12-31 14:30:00"),
        ("2024-12-31 00:00:00.3", "2024-12-31"),
    ],
)
def test_only_the_noise_of_a_fraction_changes_the_day_of_a_moment(tmp_path: Path, moment: str, read: str) -> None:
    """A spreadsheet stores 0.9999999999954 days for midnight."""
    time, _dot, fraction = moment.partition(".")
    days = (_naive(time) - _naive("1899-12-30 00:00:00")) / dt.timedelta(days=1) + float(f"0.{fraction}") / 86_400

    def as_moment(book: Any) -> None:
        book["objects"]["A2"].number_format = "yyyy-mm-dd hh:mm:ss"

    _book(tmp_path / "a.xlsx", {"objects": [["bought"], [days]]}, as_moment)
    desired = _load(tmp_path)
    assert (desired.findings, [entry.fields for entry in desired.entries]) == ([], [{"bought": read}])
    assert any("A2: bought: " in line for line in _judged(desired)) is (":" in read)


def test_a_number_in_a_text_says_what_excel_did_unless_the_cell_is_a_text(tmp_path: Path) -> None:
    def as_text(book: Any) -> None:
        book["objects"]["A3"].number_format = "@"

    rows: list[list[Any]] = [
        ["Inventory number", "Name", "actual_room"],
        [4012345678901, True, 12],
        [4012345678902, dt.date(2024, 1, 2)],
    ]
    _book(tmp_path / "a.xlsx", {"objects": rows}, as_text)
    (line,) = _judged(_load(tmp_path))
    assert line.startswith(
        "Inventory number, Name, actual_room: 4 cells such as '4012345678901' (first at a.xlsx:objects!A2): expected "
        "text; the cell contains a number, a date, or true or false: "
    )


def test_thousands_of_numbers_in_a_text_are_one_line(tmp_path: Path) -> None:
    _book(tmp_path / "a.xlsx", {"objects": [["barcode"], *([number] for number in range(1, 101))]})
    desired = _load(tmp_path)
    grouped = group_findings(validate(desired, {"object": _FIELDS}), desired)
    (line,) = grouped.lines
    assert line.startswith(
        "barcode: 100 cells such as '1' (first at a.xlsx:objects!A2): expected text; the cell contains"
    )
    assert len(grouped.every) == 100


def test_formulas_count_by_their_stored_values(tmp_path: Path) -> None:
    path = _book(tmp_path / "a.xlsx", {"objects": [["barcode", "price", "Name"], ["1", "=1+1", "=A2"], ["2", "=2", 5]]})

    def store(name: str, part: bytes) -> bytes:
        if name != "xl/worksheets/sheet1.xml":
            return part
        text = (
            part.decode()
            .replace("<f>1+1</f><v></v>", "<f>1+1</f><v>2.5</v>")
            .replace("<f>1+1</f><v />", "<f>1+1</f><v>2.5</v>")
        )
        return text.replace('<c r="C2"><f>', '<c r="C2" t="str"><f>').encode()

    _changed(path, store)
    desired = _load(tmp_path)
    assert dict(desired.entries[0].fields) == {"barcode": "1", "price": "2.5"}
    assert list(map(str, desired.findings)) == [
        "a.xlsx:objects!B3: this formula has no stored value; open the workbook in a spreadsheet program and save it"
    ]


def test_a_formula_in_a_cell_without_a_name_is_where_it_stands(tmp_path: Path) -> None:
    path = _book(tmp_path / "a.xlsx", {"objects": [["barcode", "price"], ["1", "=1+1"]]})
    _changed(path, lambda _name, part: part.replace(b'<c r="B2">', b"<c>"))
    (finding,) = _load(tmp_path).findings
    assert str(finding).startswith("a.xlsx:objects!B2: this formula has no stored value; ")


def test_errors_of_cells_and_characters_that_xml_can_not_hold_are_found(tmp_path: Path) -> None:
    rows = [["barcode", "Name"], ["1", "#N/A"], ["2", "a_x0007_b"], ["3", "a_x005F_x0041_b_x000A_c"]]
    _book(tmp_path / "a.xlsx", {"objects": rows})
    desired = _load(tmp_path)
    assert list(map(str, desired.findings)) == [
        "a.xlsx:objects!B2: this cell contains the error #N/A; correct or empty it",
        "a.xlsx:objects!B3: this cell contains a character that XML does not allow; remove it",
    ]
    assert desired.entries[-1].fields["Name"] == "a_x0041_b\nc"


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([["barcode", "barcode"], ["1", "2"]], "a.xlsx:objects!B1: the column barcode is written twice"),
        ([["barcode", None, "Name"], ["1", "2", "3"]], "a.xlsx:objects!B2: this column has no name"),
        ([["barcode"], ["1", "2"], ["2", "3"]], "a.xlsx:objects!B2: this column has no name"),
        ([["barcode"], ["{{ x }}"]], "a.xlsx:objects!A2: barcode: no templates in these files"),
    ],
)
def test_a_mistake_in_a_sheet_is_found(tmp_path: Path, rows: list[list[Any]], found: str) -> None:
    _book(tmp_path / "a.xlsx", {"objects": rows})
    (finding,) = _load(tmp_path).findings
    assert str(finding).startswith(found)


def test_settings_about_empty_cells_apply_to_workbooks(tmp_path: Path) -> None:
    rows: list[list[Any]] = [["barcode", "Name", "price", "junk"], ["1", None, "-", "x"], [None, None, None, "y"]]
    _book(tmp_path / "a.xlsx", {"objects": rows})
    desired = _load(tmp_path, '{empty: clear, "null": "-", ignore: [junk]}')
    assert [dict(entry.fields) for entry in desired.entries] == [{"barcode": "1", "Name": None, "price": ""}]


def test_lists_and_maps_stand_as_json_in_a_cell(tmp_path: Path) -> None:
    _book(tmp_path / "a.xlsx", {"objects": [["barcode", "Name"], ["1", '["a", "b"]']]})
    desired = _load(tmp_path)
    assert desired.entries[0].fields["Name"] == ["a", "b"]


# ---- what is refused


def test_a_row_that_only_has_cells_that_are_not_read_is_noted_or_a_finding(tmp_path: Path) -> None:
    rows: list[list[Any]] = [
        ["barcode", "inventory_name", "#maker"],
        ["1", "Desk", "x"],
        [None, None, "y"],
        [None, None, " "],
    ]
    _book(tmp_path / "objects" / "a.xlsx", {"objects": rows})
    desired = _load(tmp_path)
    assert _judged(desired) == []
    assert {source: str(place) for source, place in desired.nameless.items()} == {
        ("objects/a.xlsx", "objects"): "objects/a.xlsx:objects!A3"
    }
    settings = "api: seventhings/v1\ntables: [{files: objects/a.xlsx, constant: {inventory_name: Device}}]\n"
    (tmp_path / "instance.yml").write_text(settings, "utf-8")
    desired = load(tmp_path)
    assert not desired.nameless
    assert [line.partition(",")[0] for line in _judged(desired)] == [
        "objects/a.xlsx:objects!A3: barcode must have a value"
    ]


def test_settings_find_the_digits_that_a_format_shows(tmp_path: Path) -> None:
    rows = [["barcode", "inventory_name", 7], ["A", 1, 1], ["B", 2, 0], ["C", 7, 3], ["D", 1, 0]]

    def padded(book: Any) -> None:
        for row in book["objects"]["B1:C5"]:
            for cell in row:
                cell.number_format = "00"
        book["objects"]["A4"] = None
        book["objects"]["C5"].number_format = "0"

    _book(tmp_path / "objects" / "a.xlsx", {"objects": rows}, padded)
    settings = {
        "files": "objects/a.xlsx",
        "columns": {"07": "description"},
        "values": {"inventory_name": {"01": "School", "1": "wrong"}, "description": {"03": "three", "0": "none"}},
        "null": ["00"],
        "skip_rows": ["07*"],
    }
    text = json.dumps({"api": "seventhings/v1", "tables": [settings]})
    (tmp_path / "instance.yml").write_text(text, "utf-8")
    desired = load(tmp_path)
    assert desired.findings == []
    assert [(entry.fields["inventory_name"], entry.fields["description"]) for entry in desired.entries] == [
        ("School", "1"),
        ("2", ""),
        ("School", "none"),
    ]
    assert isinstance(desired.entries[1].fields["description"], NullCell)


@pytest.mark.parametrize("content", [b"", b"barcode\n1\n", b"\xd0\xcf\x11\xe0\xa1\xb1", b"<html><table>"])
def test_what_is_no_workbook_is_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.xlsx").write_bytes(content)
    (finding,) = _load(tmp_path).findings
    assert str(finding).startswith("a.xlsx: this is not a workbook (.xlsx), or only a part of one")
    assert str(finding).endswith("; save it as .xlsx, without a password")


def test_a_workbook_without_a_section_is_refused(tmp_path: Path) -> None:
    _book(tmp_path / "a.xlsx", {"Tabelle1": [["barcode"], ["1"]], "fields": [["label"]]})
    desired = _load(tmp_path)
    (finding,) = desired.findings
    assert str(finding).startswith("a.xlsx: expected sheets named after sections: locations, rooms, ")
    assert str(finding).endswith(
        "; these are 'Tabelle1', 'fields'; rename one, or name it in sheets of the entry of tables for this file"
    )
    assert desired.warnings == []


def test_a_workbook_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _book(tmp_path / "a.xlsx", {"objects": [["barcode"], ["1"]]})
    monkeypatch.setattr(xlsx_source, "MAX_UNPACKED", 1 << 10)
    (finding,) = _load(tmp_path).findings
    assert str(finding).startswith("a.xlsx: expected a workbook of at most 0 MiB unpacked, this one has 0")


@pytest.mark.parametrize(("old", "new"), [(b'<row r="3"', b'<row r="2"'), (b'<row r="2"', b'<row r="9"')])
def test_rows_that_the_library_would_leave_out_are_refused(tmp_path: Path, old: bytes, new: bytes) -> None:
    path = _book(tmp_path / "a.xlsx", {"objects": [["barcode"], ["1"], ["2"]]})
    _changed(path, lambda _name, part: part.replace(old, new))
    (finding,) = _load(tmp_path).findings
    assert str(finding).startswith("a.xlsx: the sheet 'objects' has rows out of order or repeated")


@pytest.mark.slow
def test_a_row_that_no_sheet_has_is_refused(tmp_path: Path) -> None:
    path = _book(tmp_path / "a.xlsx", {"objects": [["barcode"], ["1"], ["2"]]})
    _changed(path, lambda _name, part: part.replace(b'<row r="3"', b'<row r="99999999999999999999"'))
    (finding,) = _load(tmp_path).findings
    assert str(finding).startswith("a.xlsx: expected at most 1,048,576 rows, the sheet 'objects' has more")


@pytest.mark.parametrize("declared", [b"", b'<?xml version="1.0"?>', b'<?xml version="1.0" encoding="utf-8"?>'])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_xml_in_utf_8_is_read_however_it_says_so(tmp_path: Path, mark: bytes, declared: bytes) -> None:
    path = _book(tmp_path / "a.xlsx", {"objects": [["barcode"], ["ä"]]})
    _changed(path, lambda name, part: mark + declared + part if "sheet1" in name else part)
    desired = _load(tmp_path)
    assert desired.findings == []
    assert [entry.fields["barcode"] for entry in desired.entries] == ["ä"]


@pytest.mark.sample(0)
@pytest.mark.slow
def test_the_last_row_of_a_sheet_is_read(tmp_path: Path) -> None:
    path = _book(tmp_path / "a.xlsx", {"objects": [["barcode"], ["1"], ["2"]]})
    _changed(path, lambda _name, part: part.replace(b'<row r="3"', b'<row r="1048576"').replace(b"A3", b"A1048576"))
    desired = _load(tmp_path)
    assert desired.findings == []
    assert [entry.fields["barcode"] for entry in desired.entries] == ["1", "2"]


def test_a_section_has_one_sheet(tmp_path: Path) -> None:
    _book(tmp_path / "a.xlsx", {"objects": [["barcode"], ["1"]], "Objects ": [["barcode"], ["2"]]})
    (finding,) = _load(tmp_path).findings
    assert str(finding) == "a.xlsx: expected one sheet for a section, 'Objects ' is the second for objects"


def test_without_the_library_the_message_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _book(tmp_path / "a.xlsx", {"objects": [["barcode"], ["1"]]})
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    (finding,) = _load(tmp_path).findings
    assert str(finding) == (
        f"a.xlsx: workbooks need openpyxl, which is not installed here; run: {sys.executable} -m pip install openpyxl"
    )


# ---- size


@pytest.mark.sample(0)
@pytest.mark.slow
def test_rows_that_are_formatted_and_empty_cost_nothing(tmp_path: Path) -> None:
    path = _book(tmp_path / "a.xlsx", {"objects": [["barcode"], ["1"]]})
    rows = "".join(f'<row r="{number}" spans="1:1"><c r="A{number}" s="0"/></row>' for number in range(3, 1_048_576))
    last = '<row r="1048576"><c r="A1048576" t="inlineStr"><is><t>2</t></is></c></row>'
    end = b"</sheetData>"
    _changed(path, lambda name, part: part.replace(end, f"{rows}{last}".encode() + end) if "sheet1" in name else part)
    started = time.process_time()
    desired = _load(tmp_path)
    assert time.process_time() - started < 15
    assert [str(entry.place) for entry in desired.entries] == ["a.xlsx:objects!A2", "a.xlsx:objects!A1048576"]


def test_a_size_that_a_workbook_claims_wrongly_cuts_nothing(tmp_path: Path) -> None:
    path = _book(tmp_path / "a.xlsx", {"objects": [["barcode", "Name"], ["1", "x"], ["2", "y"]]})
    _changed(path, lambda _name, part: part.replace(b'ref="A1:B3"', b'ref="A1"'))
    assert [len(entry.fields) for entry in _load(tmp_path).entries] == [2, 2]


def test_columns_have_the_letters_of_spreadsheets() -> None:
    assert [letters_of(number) for number in (1, 26, 27, 52, 703)] == ["A", "Z", "AA", "AZ", "AAA"]


def test_a_vaulted_workbook_is_read_and_not_shown(tmp_path: Path) -> None:
    rows = [["barcode", "price"], ["Secret", "Secret"]]
    content = _book(tmp_path / "b" / "a.xlsx", {"objects": rows}).read_bytes()
    (tmp_path / "a.xlsx").write_bytes(b"sealed")
    (tmp_path / "instance.yml").write_text("api: seventhings/v1\n", "utf-8")

    def read(folder: Folder, name: str) -> bytes:
        return VaultedContent(content) if name == "a.xlsx" else folder.read(name, 1000)

    desired = load(tmp_path, read=read)
    (line,) = _judged(desired)
    assert line.startswith("a.xlsx:objects!B2: (vaulted)")
    assert "Secret" not in line
