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
from schemas.ledger import ledger_schema
from workbooks import workbook_of

from .working import compare, limited

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


def test_a_workbook_is_read_too(here: Embedded, tmp_path: Path) -> None:
    rows = [["Anlage", "AHK"], ["0410-0", 1890], ["0433-0", 1300]]
    (tmp_path / "ledger.xlsx").write_bytes(workbook_of({"Sheet": rows}))
    table = {"columns": {"Anlage": "Anlagennummer", "AHK": "purchasing_price"}, "match": ["Anlagennummer"]}
    result = compare(here, file=str(tmp_path / "ledger.xlsx"), table=table)
    assert (result["counts"]["equal"], result["counts"]["differ"]) == (1, 1), result
    assert result["differences"][0]["place"].startswith("ledger.xlsx:")


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


def test_rooms_that_the_account_sees_without_a_number_make_differences_doubtful(here: Embedded, ledger: Path) -> None:
    account = limited(here, hidden_fields=["number"])
    [doubt] = take(here, ledger, **account)["warnings"]
    assert doubt.startswith("target_room: none of the rooms that this account sees has the field number. ")
    assert not take(here, ledger).get("warnings")


def test_a_pipe_is_no_ledger(here: Embedded, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "books.csv")
    result = compare(here, file=str(tmp_path / "books.csv"))
    assert result["msg"] == f"file: {tmp_path / 'books.csv'} is not a regular file"


def test_the_sums_are_those_of_the_instance_if_rows_are_identified_in_two_ways(tmp_path: Path) -> None:
    here = Embedded.started(data="empty")
    for code, name, price in (("1", "Desk", 100), ("2", "Desk", 50), ("3", "Lamp", 7)):
        here.call("object", fields={"barcode": code, "inventory_name": name, "purchasing_price": price})
    path = tmp_path / "ledger.csv"
    path.write_text("barcode,inventory_name,purchasing_price\n1,Desk,100\n,Desk,50\n3,Lamp,7\n", "utf-8")
    result = compare(here, file=str(path), table={"match": [["barcode"], ["inventory_name"]]})
    sums = {name: Decimal(amounts["purchasing_price"]) for name, amounts in result["totals"].items()}
    assert sums["books"] - sums["doubtful"] + sums["doubtful_objects"] + sums["not_in_books"] == sums["instance"] == 157


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b"Anlage;Bezeichnung\n"])
def test_a_table_without_rows_is_refused(here: Embedded, ledger: Path, content: bytes) -> None:
    ledger.write_bytes(content)
    result = compare(here, file=str(ledger), table=TABLE)
    assert result["failed"]
    assert result["msg"] == "file: ledger.csv: this table has no rows; export it again"
