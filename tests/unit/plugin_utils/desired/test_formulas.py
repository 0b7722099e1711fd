# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No spreadsheet runs a cell of an export, and each cell is read back unchanged."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.positions import Finding
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.sources.csv_source import read_csv
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.sources.formulas import (
    escaped,
    unescaped,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.export.layout import section_files

RUNS = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001 - wide letters
SEPARATORS = ";\t|,"
CELLS = st.text(st.sampled_from("=+-@\t\n'0159.,x ;|\"＝")) | st.text()  # noqa: RUF001
NUMBERS = ("-5", "+49", "-1.50", "-1,5", "0", "007", "-1;-2", "x;-5", "x|+1,5", "a,-5,b", "a,-5,3 pieces")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-2+3", "'-2+3"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("-", "'-"),
        ("'", "''"),
        ("'s-Hertogenbosch", "''s-Hertogenbosch"),
        ("'=1", "''=1"),
        ("+49 30 1", "'+49 30 1"),
        *((number, number) for number in NUMBERS),
        ("-0;", "'-0;"),
        ("-1,", "'-1,"),
        ("-1;-2,5;+3", "-1;-2,5;+3"),
        ("x;=1+1", "x;'=1+1"),
        ("x\t+1+1", "x\t'+1+1"),
        ("x|@SUM(A1)", "x|'@SUM(A1)"),
        ("x,-cmd|' /C calc'!A0", "x,'-cmd|' /C calc'!A0"),
        ("=1;=2;;=3", "'=1;'=2;;'=3"),
        ("x;'=1", "x;''=1"),
        ("x;'y", "x;'y"),
        ("x;-5+cmd", "x;'-5+cmd"),
        ("x;-1,5*cmd", "x;'-1,5*cmd"),
        ('x;"=1', "x;\"'=1"),
        ("x\n=1", "x\n'=1"),
        ("\t=1", "'\t'=1"),
        ("x; =1", "x; =1"),
        ("", ""),
        ("a=1", "a=1"),
        (" =1", " =1"),
    ],
)
def test_what_a_spreadsheet_would_run_gets_a_mark_and_loses_it(text: str, written: str) -> None:
    assert escaped(text) == written
    assert unescaped(written) == text


@pytest.mark.parametrize("text", ["'s-Hertogenbosch", "'", "x", "=1", "-5"])
def test_what_a_person_wrote_without_a_mark_stays(text: str) -> None:
    assert unescaped(text) == text


@given(CELLS)
@example("-0\t0")
def test_every_text_comes_back_and_none_runs(text: str) -> None:
    written = escaped(text)
    assert unescaped(written) == text
    assert not written.startswith(RUNS) or are_numbers(written)


@given(CELLS, st.sampled_from(SEPARATORS))
@example("\n-0\t0", ";")
@example("-1;-2", ",")
def test_no_other_separator_splits_out_what_runs(text: str, separator: str) -> None:
    other = "," if separator == ";" else ";"
    row = io.StringIO()
    csv.writer(row, delimiter=other).writerow(["x", escaped(text)])
    # A program that splits at another character removes only quotes around a whole cell. A quote that is left at the
    # end of a number keeps the number from being a formula.
    cells = [cell.strip('"') for line in re.split("[\r\n]+", row.getvalue()) for cell in line.split(separator)]
    assert not [cell for cell in cells if cell.startswith(tuple("=+-@＝＋－＠")) and not are_numbers(cell)]  # noqa: RUF001


@pytest.mark.sample(0)
def test_a_long_cell_takes_time_in_proportion_to_its_length() -> None:
    for text in (";-1" * 300_000, "x;-1,1" * 200_000 + "x", ";'" * 300_000, "-1,1" * 200_000 + "x"):
        assert unescaped(escaped(text)) == text


@given(st.lists(CELLS, min_size=1, max_size=5))
def test_a_file_is_read_back_as_it_was_exported(texts: list[str]) -> None:
    records = [{"barcode": str(number), "=label": text} for number, text in enumerate(texts) if text]
    files = section_files("rooms", records, "csv")
    read: list[object] = []
    findings: list[Finding] = []
    for name, content in files.items():
        if name.endswith(".csv"):
            rows = list(csv.reader(content.decode().splitlines(keepends=True)))
            assert not [cell for row in rows for cell in row if cell.startswith(RUNS) and not is_number(cell)]
            read += [node.value for node in read_csv(content.decode(), name, findings)]
    lines = sum(content.count(b"\n") for name, content in files.items() if name.endswith(".jsonl"))
    assert findings == []
    assert all(record in records for record in read)
    assert len(read) + lines == len(records)


def are_numbers(text: str) -> bool:
    """Return True for numbers with separators between them, which no program runs."""
    return all(map(is_number, re.split(f"[{SEPARATORS}]", text)))


def is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def test_what_is_written_is_read_as_it_was(tmp_path: Path) -> None:
    records = [{"name": "=1+1", "number": "'=2"}]
    (tmp_path / "instance.yml").write_text("api: seventhings/v1\nset: x\n")
    (content,) = section_files("rooms", records, "csv").values()
    (tmp_path / "rooms.csv").write_bytes(content)
    assert b"'=1" in content
    (entry,) = load(tmp_path).entries
    assert entry.fields == records[0]
