# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scanned lists replace the actual room. Mistakes in them are findings with file and line."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from embedded_here import Embedded
from workbooks import workbook_of

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import ROOM

from .taking import ATELIER, BOOKKEEPING, IT, NOVEMBER, Result, by_code, take


@pytest.fixture
def here() -> Embedded:
    """Return the instance on the day after its stocktake."""
    return Embedded.started(data="stocktake")


def scanned(here: Embedded, directory: Path, content: str | bytes, **options: Any) -> Result:
    """Return a stocktake with a list of scans."""
    path = directory / "scans.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return take(here, scans=str(path), **options)


def workbook(path: Path, rows: Sequence[Sequence[Any]], title: str = "Scanner 7") -> Path:
    """Return a workbook with a comment and one sheet."""
    path.write_bytes(workbook_of({"# notes": [], title: rows}))
    return path


def test_a_list_takes_the_place_of_the_actual_room(here: Embedded, tmp_path: Path) -> None:
    before = by_code(take(here))
    result = scanned(here, tmp_path, "code,room\n100018,Dresden/1.04\n100019,Leipzig/Atelier\n100777,Dresden/1.04\n")
    after = by_code(result)
    assert (after["100018"]["status"], after["100018"]["actual_room"]) == ("ok", IT)
    assert (after["100019"]["status"], after["100019"]["actual_room"]) == ("deviation", ATELIER)
    assert [code for code, item in after.items() if item["from_scans"]] == ["100018", "100019"]
    others = before.keys() - {"100018", "100019"}
    assert {code: before[code] for code in others} == {code: after[code] for code in others}
    assert result["unknown_codes"] == ["100777"]
    assert "1 unknown scan code\n" in result["msg"]


def test_a_table_of_another_program_is_read_as_it_is(here: Embedded, tmp_path: Path) -> None:
    text = 'Gerät;Code;ROOM;Time;Raum\r\n7;100018;"Dresden/Büro";17.11.2025 10:15;x\r\n7;100019;Dresden/1.04;;x\r\n'
    text = text.replace("Dresden/Büro", "Dresden/IT-Büro")
    result = scanned(here, tmp_path, text.encode("cp1252"), **NOVEMBER)
    assert result["findings"][0].startswith("scans.csv:1:4: expected UTF-8: invalid continuation byte at byte 3; ")
    assert "write the line with the right words into scans: `encoding: " in result["findings"][0]
    result = scanned(here, tmp_path, text.encode("utf-16"), **NOVEMBER)
    found = by_code(result)
    assert [found[code]["status"] for code in ("100018", "100019")] == ["ok", "ok"]
    assert found["100018"]["time"] == "2025-11-17T10:15:00+00:00"
    assert found["100019"]["scanned"] == "in_place"


def test_a_workbook_is_read_with_its_days_and_numbers(here: Embedded, tmp_path: Path) -> None:
    rows = [
        ("code", "room", "time", "# remark"),
        ("100018", "Dresden/1.04", dt.datetime.fromisoformat("2025-11-17T10:15"), "x"),
        (100019, "Dresden/1.04", dt.date(2025, 11, 18), None),
    ]
    found = by_code(take(here, scans=str(workbook(tmp_path / "scans.xlsx", rows)), **NOVEMBER))
    assert [found[code]["status"] for code in ("100018", "100019")] == ["ok", "ok"]
    assert found["100018"]["time"] == "2025-11-17T10:15:00+00:00"


def test_a_number_in_a_workbook_is_the_code_that_its_format_shows(here: Embedded, tmp_path: Path) -> None:
    def touch(book: Any) -> None:
        book.worksheets[0]["A2"].number_format = '"1"00000'

    path = tmp_path / "scans.xlsx"
    path.write_bytes(workbook_of({"scans": [("code", "room"), (18, "Dresden/1.04")]}, touch))
    result = take(here, scans=str(path))
    assert (by_code(result)["100018"]["status"], result["unknown_codes"]) == ("ok", [])


def test_the_last_scan_of_a_code_counts(here: Embedded, tmp_path: Path) -> None:
    text = (
        "code,room,time\n100018,Leipzig/3.01,2025-11-17T12:00:00\n100018,Dresden/1.04,2025-11-17T13:00:00\n"
        "100018,Dresden/1.02,2025-11-17T11:00:00\n100019,Dresden/1.04,\n100019,Dresden/IT-Büro,\n"
    )
    found = by_code(scanned(here, tmp_path, text))
    assert found["100018"]["actual_room"] == found["100019"]["actual_room"] == IT


def test_scans_outside_of_the_window_are_left_out_and_counted(here: Embedded, tmp_path: Path) -> None:
    text = "code,room,time\n100018,Dresden/1.04,2024-11-17\n100019,Dresden/1.04,2025-11-17\n"
    result = scanned(here, tmp_path, text, **NOVEMBER)
    assert [by_code(result)[code]["status"] for code in ("100018", "100019")] == ["deviation", "ok"]
    assert result["warnings"] == ["scans: 1 scan is outside of the window, and left out."]


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("code,room\n100018,Dresden/9.99\n", "scans.csv:2:8: room: there is no room 'Dresden/9.99'"),
        ("code,room\n,Dresden/1.04\n", "scans.csv:2: code: this row has none"),
        ("code,room\n100018,\n", "scans.csv:2: room: this row has none"),
        (
            "code,room,time\n100018,Dresden/1.04,noon\n",
            "scans.csv:2:21: time: 'noon' does not fit; expected a date that",
        ),
        ("code,place\n100018,x\n", "scans.csv: scans: expected the columns code and room; there is no room"),
        ("code,room\n100018\n", "scans.csv:2:1: expected 2 cells as in the first row, found 1"),
        (
            "code,room\n100018,Dresden/1.04\n100018,Dresden/1.02\n",
            f"scans.csv:3:8: code: '100018' is in {BOOKKEEPING} here and in {IT} at scans.csv:2:8, and no time",
        ),
    ],
)
def test_what_is_wrong_in_a_list_is_a_finding_with_file_and_line(
    here: Embedded, tmp_path: Path, text: str, finding: str
) -> None:
    result = scanned(here, tmp_path, text, report=[str(tmp_path / "report.json")])
    assert result["failed"]
    assert result["findings"][0].startswith(finding)
    assert finding in result["msg"]
    assert not (tmp_path / "report.json").exists()


def test_a_time_with_two_readings_is_a_finding(here: Embedded, tmp_path: Path) -> None:
    (tmp_path / "scans.csv").write_text("code,room,time\n100018,Dresden/1.04,03/04/2025\n", "utf-8")
    result = take(here, scans={"files": str(tmp_path / "scans.csv"), "dates": ["%d/%m/%Y", "%m/%d/%Y"]})
    assert result["findings"][0].startswith("scans.csv:2:21: time: '03/04/2025' may mean 2025-04-03 (%d/%m/%Y) or ")


def test_a_room_that_is_a_number_in_a_workbook_is_a_finding(here: Embedded, tmp_path: Path) -> None:
    path = workbook(tmp_path / "scans.xlsx", [("code", "room"), ("100018", 1.1)])
    result = take(here, scans=str(path))
    assert result["findings"] == [
        ("scans.xlsx:Scanner 7!B2: room: '1.1' is not text in the workbook; format the column as text")
    ]


def test_no_sheet_is_taken_for_records_of_another_kind(here: Embedded, tmp_path: Path) -> None:
    path = workbook(tmp_path / "scans.xlsx", [("code", "room"), ("100018", "Dresden/1.04")], "Rooms")
    (finding,) = take(here, scans=str(path))["findings"]
    assert finding == "scans.xlsx:Rooms!A2: this sheet has the name of another section; rename it"


def test_a_code_that_looks_like_a_template_is_an_unknown_code(here: Embedded, tmp_path: Path) -> None:
    result = scanned(here, tmp_path, 'code,room\n{{ 7 * 7 }},Dresden/1.04\n"[1]",Dresden/1.04\n')
    assert result["unknown_codes"] == ["{{ 7 * 7 }}", "[1]"]


def test_a_code_of_two_objects_is_a_finding(here: Embedded, tmp_path: Path) -> None:
    (tmp_path / "instance.yml").write_text(
        "api: seventhings/v1\nscan_codes: {field: inventory_name, placeholder: IMP-}\n", "utf-8"
    )
    text = "code,room\nTransporter,Dresden/1.04\nBürostuhl,Dresden/1.04\n"
    result = scanned(here, tmp_path, text, src=str(tmp_path))
    assert len(result["findings"]) == 2
    assert result["findings"][0].startswith("scans.csv:3:11: code: 'Bürostuhl' is the scan code of two objects, ")


def test_the_list_of_any_scanner_is_read_with_the_settings_of_tables(here: Embedded, tmp_path: Path) -> None:
    head = "Scanner 7;;;\nEAN;Standort;Zeit;Gerät\n"
    (tmp_path / "scan-1.csv").write_bytes(f"{head}100018;R104;17/11/25 10:15;Büro\n".encode("cp1252"))
    (tmp_path / "scan-2.csv").write_bytes(f"{head}100019;Dresden/1.04;;x\nSumme;;;\n".encode("cp1252"))
    scans: dict[str, Any] = {
        "files": str(tmp_path / "scan-*.csv"),
        "preset": "excel-de",
        "columns": {"EAN": "code", "Standort": "room", "Zeit": "time"},
        "values": {"room": {"R104": "Dresden/1.04"}},
        "dates": ["%d/%m/%y"],
        "header_row": 2,
        "skip_rows": ["Summe"],
    }
    found = by_code(take(here, scans=scans, **NOVEMBER))
    assert [found[code]["actual_room"] for code in ("100018", "100019")] == [IT, IT]
    assert found["100018"]["time"] == "2025-11-17T10:15:00+00:00"
    number = here.client().list_all(ROOM)[0].id
    (tmp_path / "scan-2.csv").write_text(f"code;Raum-ID\n100019;{number}\n")
    by_id = {"files": [str(tmp_path / "scan-2.csv")], "columns": {"Raum-ID": "room.id"}}
    assert by_code(take(here, scans=by_id))["100019"]["from_scans"]
    path = workbook(tmp_path / "rooms.xlsx", [("EAN",), ("100019",)])
    constant = {"files": str(path), "columns": {"EAN": "code"}, "constant": {"room": "Dresden/1.04"}}
    assert by_code(take(here, scans=constant))["100019"]["actual_room"] == IT


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"columns": {"a": "barcode"}}, "scans.columns: barcode: expected code or room or time"),
        ({"files": "missing-*.csv"}, "scans.files: missing-*.csv matches no file"),
        ({"files": 5}, "scans.files: 5 does not fit; expected a path, or a list of paths"),
        ({"unknown_rows": "skip"}, "scans.unknown_rows: no such setting of this option"),
        ({"date": []}, "scans.date: no such setting; did you mean dates?"),
    ],
)
def test_wrong_settings_of_a_list_are_named(here: Embedded, settings: dict[str, Any], words: str) -> None:
    result = take(here, scans={"files": "scans.csv", **settings})
    assert result["failed"]
    assert words in result["msg"]


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b"code,room\n", b"code,room\n,\n\n"])
def test_a_list_without_rows_is_a_finding(here: Embedded, tmp_path: Path, content: bytes) -> None:
    result = scanned(here, tmp_path, content)
    assert result["findings"] == ["scans.csv: this table has no rows; export it again"]
    assert here.log == []


def test_one_of_several_lists_without_rows_is_a_finding(here: Embedded, tmp_path: Path) -> None:
    workbook(tmp_path / "scans-2.xlsx", [("code", "room")])
    (tmp_path / "scans-1.csv").write_text("code,room\n100018,Dresden/1.04\n", "utf-8")
    result = take(here, scans={"files": f"{tmp_path}/scans-*"})
    assert result["findings"] == ["scans-2.xlsx: this table has no rows; export it again"]
