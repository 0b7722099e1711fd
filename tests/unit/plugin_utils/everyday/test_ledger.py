# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare the asset ledger with the instance: missing on either side, and different. Nothing is written."""

from __future__ import annotations

import json
import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from embedded_here import Embedded
from everyday_here import Result
from jsonschema import Draft202012Validator
from records import name_of
from schemas.ledger import ledger_schema

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import ROOM

from .working import compare, limited, written

_LEDGER = """\
Anlage;Bezeichnung;Kst;AHK;Raum;Restbuchwert
0410-0;Empfangstresen;1000;1.890,00;Dresden/0.01;1
0433-0;Besprechungstisch Elbe;1000;1.300,00;Dresden/0.12;1
9999-0;=cmd|' /C calc'!A0;1000;10,00;;1
0451-0;Deckenbeamer;2000;899,00;Dresden/9;1
4702-0;Notebook;1000;;Dresden/1.01;1
4703-0;Notebook;1000;1.399,00;Dresden/1.01;1
4703-0;Notebook;1000;1.399,00;Dresden/1.01;1
;ohne Nummer;1000;1,00;;1
"""
TABLE: dict[str, Any] = {
    "preset": "excel-de",
    "columns": {
        "Anlage": "Anlagennummer",
        "Bezeichnung": "inventory_name",
        "Kst": "Kostenstelle",
        "AHK": "purchasing_price",
        "Raum": "target_room",
    },
    "ignore": "Restbuchwert",
    "match": ["Anlagennummer"],
}
COMPARED = ["Kostenstelle", "purchasing_price", "target_room"]


@pytest.fixture
def here() -> Embedded:
    """Return the demonstration data."""
    return Embedded.started()


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """Return a table of accounting."""
    path = tmp_path / "ledger.csv"
    path.write_text(_LEDGER, "utf-8")
    return path


def take(here: Embedded, ledger: Path, **options: Any) -> Result:
    """Run the module, which compares by the asset number."""
    given: dict[str, Any] = {"table": TABLE, "compare": COMPARED, **options}
    result = compare(here, file=str(ledger), **given)
    assert not result.get("failed"), result["msg"]
    return result


def test_what_differs_is_reported_on_both_sides(here: Embedded, ledger: Path) -> None:
    result = take(here, ledger)
    assert result["counts"] == {
        "rows": 8,
        "equal": 1,
        "differ": 3,
        "not_found": 1,
        "not_in_books": 55,
        "doubtful": 2,
        "skipped": 0,
        "not_in_scope": 0,
    }
    assert [(row["key"], row["place"]) for row in result["not_found"]] == [("9999-0", "ledger.csv:4")]
    found = [
        (difference["scan_code"], difference["label"], difference["books"], difference["instance"])
        for difference in result["differences"]
    ]
    assert found == [
        ("100002", "Purchasing price", "1300.0", "1249.5"),
        ("100004", "Kostenstelle", "2000", "1000"),
        (
            "100004",
            "Target room",
            "Dresden/9",
            name_of(ROOM, building_id="Dresden", number="0.12", name="Besprechung Elbe"),
        ),
        ("100007", "Purchasing price", "", "1399.0"),
    ]
    reasons = [doubtful["reason"] for doubtful in result["doubtful"]]
    assert reasons == ["no Anlagennummer", "is in the books again at ledger.csv:8"]
    assert "100008" not in {record["scan_code"] for record in result["not_in_books"]}, (
        "a doubtful object is in no other list"
    )
    assert (result["changed"], written(here)) == (False, [])


@pytest.mark.parametrize("scope", [{}, {"objects": {"inventory_group": ["IT", "Werkzeug"]}}], ids=["all", "scope"])
@pytest.mark.parametrize("rules", [{}, {"empty_keys": "skip", "repeated_keys": "skip", "unknown_rows": "skip"}])
def test_the_sums_lead_from_the_books_to_the_instance(
    here: Embedded, ledger: Path, scope: dict[str, Any], rules: dict[str, str]
) -> None:
    found = take(here, ledger, scope=scope, table={**TABLE, **rules})["totals"]
    sums = {name: Decimal(amounts["purchasing_price"]) for name, amounts in found.items()}
    only_there = sums["not_found"] + sums["doubtful"] + sums["skipped"] + sums["not_in_scope"]
    only_here = sums["differences"] + sums["not_in_books"] + sums["doubtful_objects"]
    assert sums["books"] - only_there + only_here == sums["instance"] > 0
    assert sums["skipped" if rules else "doubtful"] > 0


@pytest.mark.parametrize("odd", [{"de": "Empfangstresen"}, ["Empfangstresen"]])
def test_a_text_that_can_not_be_read_differs_and_is_shown_as_it_came(here: Embedded, ledger: Path, odd: Any) -> None:
    ledger.write_text(f"Anlage;Bezeichnung\n0410-0;{odd}\n", "utf-8")
    here.set(answers={"GET /objects": {"set": {"inventory_name": odd}}})
    (found,) = take(here, ledger, compare=["inventory_name"])["differences"]
    assert (found["books"], json.loads(found["instance"])) == (str(odd), odd)


def test_requests_are_the_lists_and_nothing_else(here: Embedded, ledger: Path) -> None:
    result = take(here, ledger)
    # The lists are read side by side.
    assert sorted(path.rsplit("/", 1)[1] for _method, path in here.log) == [
        "auth_token",
        "field-definitions",
        "field-definitions",
        "locations",
        "objects",
        "rooms",
    ]
    assert result["requests"] == len(here.log)


def test_the_natural_key_and_all_columns_are_the_default(here: Embedded, tmp_path: Path) -> None:
    path = tmp_path / "books.csv"
    path.write_text("barcode,inventory_name,book_value\n100001,Empfangstresen,1\n100002,Tisch,1\n", "utf-8")
    result = compare(here, file=str(path))
    assert [(difference["key"], difference["field"]) for difference in result["differences"]] == [
        ("100002", "inventory_name")
    ]
    assert any("left out: book_value" in warning for warning in result["warnings"])


def test_rows_and_cells_are_skipped_as_the_table_says(here: Embedded, tmp_path: Path) -> None:
    path = tmp_path / "books.csv"
    path.write_text("Nr,Code,condition\n0410-0,,lost\n,100002,\n4703-0,,\n4703-0,,\n9999-0,,\n,,lost\n", "utf-8")
    skip = dict.fromkeys(("empty_keys", "repeated_keys", "unknown_rows", "unknown_values"), "skip")
    columns = {"Nr": "Anlagennummer", "Code": "barcode"}
    table = {"columns": columns, "match": [["Anlagennummer"], ["barcode"]], "constant": {"inventory_name": "x"}, **skip}
    result = compare(here, file=str(path), table=table, compare=["condition"])
    counts = {name: number for name, number in result["counts"].items() if number and name != "not_in_books"}
    assert counts == {"rows": 6, "equal": 1, "differ": 1, "skipped": 3}, result
    assert sorted(row["key"] for row in result["skipped"]) == ["", "4703-0", "9999-0"]
    assert any("condition: 'lost' does not fit" in warning for warning in result["warnings"])


def test_a_workbook_is_read_too(here: Embedded, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet: Any = book.active
    sheet.append(["Anlage", "AHK"])
    sheet.append(["0410-0", 1890])
    sheet.append(["0433-0", 1300])
    book.save(tmp_path / "ledger.xlsx")
    table = {"columns": {"Anlage": "Anlagennummer", "AHK": "purchasing_price"}, "match": ["Anlagennummer"]}
    result = compare(here, file=str(tmp_path / "ledger.xlsx"), table=table)
    assert (result["counts"]["equal"], result["counts"]["differ"]) == (1, 1), result
    assert result["differences"][0]["place"].startswith("ledger.xlsx:")


def test_objects_out_of_scope_are_neither_missing_nor_compared(here: Embedded, ledger: Path) -> None:
    result = take(here, ledger, scope={"objects": {"inventory_group": ["IT"]}})
    assert result["counts"]["not_in_scope"] == 3
    assert {difference["scan_code"] for difference in result["differences"]} == {"100007"}
    assert result["counts"]["not_in_books"] < 20


def test_every_form_of_a_report_is_for_the_owner_alone(here: Embedded, ledger: Path, tmp_path: Path) -> None:
    paths = [tmp_path / f"report.{ending}" for ending in ("html", "csv", "xlsx", "json")]
    given: dict[str, Any] = {"table": TABLE, "report": [str(path) for path in paths]}
    compare(here, check_mode=True, file=str(ledger), **given)
    assert not any(path.exists() for path in paths)
    compare(here, file=str(ledger), **given)
    assert {path.stat().st_mode & 0o777 for path in paths} == {0o600}
    page, table, _book, data = paths
    assert "size: A4" in page.read_text("utf-8")
    assert "not_found,9999-0" in table.read_text("utf-8")
    assert json.loads(data.read_text("utf-8"))["counts"]["rows"] == 8
    sheet: Any = openpyxl.load_workbook(paths[2]).active
    assert [cell.value for cell in sheet[1]][:3] == ["finding", "key", "scan_code"]


def test_the_report_as_json_is_the_result_and_fits_its_schema(here: Embedded, ledger: Path, tmp_path: Path) -> None:
    Draft202012Validator.check_schema(ledger_schema())
    path = tmp_path / "report.json"
    result = take(here, ledger, report=[str(path)])
    document = json.loads(path.read_text("utf-8"))
    assert list(Draft202012Validator(ledger_schema()).iter_errors(document)) == []
    assert all(document[name] for name in ("not_found", "not_in_books", "differences", "doubtful"))
    assert document == {name: result[name] for name in document}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"table": {"colums": {}}}, "table.colums: no such setting; did you mean columns?"),
        ({"table": {**TABLE, "files": "x.csv"}}, "table.files: the option file names the ledger"),
        ({"table": {**TABLE, "match": ["barcode"]}}, "table.match: the ledger has no column for barcode"),
        ({"table": {**TABLE, "match": ["Anlagenummer"]}}, "did you mean Anlagennummer"),
        ({"compare": ["weight"]}, "compare: the ledger has no column for weight"),
        ({"file": "/nowhere/ledger.csv"}, "file: /nowhere/ledger.csv"),
        ({"file": "ledger.ods"}, "expected .csv or .xlsx"),
        ({"report": ["ledger.txt"]}, "report: ledger.txt ends in .txt"),
        ({"table": {**TABLE, "preset": "plain", "delimiter": ";"}}, "file: ledger.csv:2"),
    ],
)
def test_what_does_not_fit_is_an_error(here: Embedded, ledger: Path, options: dict[str, Any], words: str) -> None:
    given = {"file": str(ledger), "table": TABLE, **options}
    result = compare(here, **given)
    assert result["failed"]
    assert words in result["msg"]


def test_an_account_that_is_limited_to_locations_hears_that_things_may_be_hidden(here: Embedded, ledger: Path) -> None:
    account = limited(here, locations=["Leipzig"])
    result = take(here, ledger, **account)
    assert result["counts"]["not_found"] > 1
    assert any("What was not found may be hidden" in warning for warning in result["warnings"])


@pytest.mark.parametrize("field", ["purchasing_price", "anlagennummer_9d6956cb", "building_id"])
def test_a_hidden_field_is_not_compared_in_silence(here: Embedded, ledger: Path, field: str) -> None:
    account = limited(here, hidden_fields=[field])
    given: dict[str, Any] = {"table": TABLE, "compare": COMPARED}
    result = compare(here, file=str(ledger), **given, **account)
    assert result["failed"]
    assert not result.get("differences")


def test_rooms_that_the_account_sees_without_a_number_make_differences_doubtful(here: Embedded, ledger: Path) -> None:
    account = limited(here, hidden_fields=["number"])
    [doubt] = take(here, ledger, **account)["warnings"]
    assert doubt.startswith("target_room: none of the rooms that this account sees has the field number. ")
    assert not take(here, ledger).get("warnings")


def test_a_pipe_is_no_ledger(here: Embedded, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "books.csv")
    result = compare(here, file=str(tmp_path / "books.csv"))
    assert result["msg"] == f"file: {tmp_path / 'books.csv'} is not a regular file"
