# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells and rows that programs write for something else: words for nothing, numbers as keys, lines of dashes."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import DesiredInstance
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.grouped_findings import group_findings
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.validation import validate

_FIELDS = [
    Field("barcode", "BARCODE", label="Scancode"),
    Field("inventory_name", "TEXT", label="Name"),
    Field("serial_number", "TEXT", label="Serial number"),
    Field("condition", "DROPDOWN", label="Condition", allowed=("None", "Good")),
]
_NULLS = ["NULL", "None", "nan", "NaN", "<NA>", "#N/A", "undefined", "(null)", "\\N"]
_FORMATS = ["csv", "xlsx", "jsonl"]


def _content(suffix: str, rows: list[list[str]]) -> bytes:
    if suffix == "xlsx":
        book = openpyxl.Workbook()
        for row in rows:
            book.worksheets[0].append(row)
        stream = io.BytesIO()
        book.save(stream)
        return stream.getvalue()
    if suffix == "jsonl":
        return "\n".join(json.dumps(dict(zip(rows[0], row, strict=True))) for row in rows[1:]).encode()
    return "\n".join(";".join(row) for row in rows).encode()


def _read(root: Path, suffix: str, rows: list[list[str]], settings: str = "") -> DesiredInstance:
    """Load the rows as a table of another system."""
    table = f"tables: [{{files: objects/l.{suffix}{settings}}}]"
    (root / "instance.yml").write_text(f"api: seventhings/v1\n{table}\n", "utf-8")
    (root / "objects").mkdir(exist_ok=True)
    (root / f"objects/l.{suffix}").write_bytes(_content(suffix, rows))
    return load(root)


def _lines(desired: DesiredInstance) -> list[str]:
    return group_findings(validate(desired, {"object": _FIELDS}), desired).lines


def _proposed(line: str) -> str:
    """Return the setting that a line proposes, as it is added to an entry of tables."""
    found = re.findall(r"`([^`]*)`", line)
    return f", {found[-1]}" if found else ""


def _fields(desired: DesiredInstance) -> list[dict[str, Any]]:
    return [dict(entry.fields) for entry in desired.entries]


@pytest.mark.parametrize("suffix", _FORMATS)
def test_all_words_for_nothing_of_a_file_are_cleared_by_one_setting(tmp_path: Path, suffix: str) -> None:
    rows = [["barcode", "serial_number"], *([f"10000{number}", word] for number, word in enumerate(_NULLS))]
    lines = _lines(_read(tmp_path, suffix, rows))
    (settings,) = {_proposed(line) for line in lines} - {""}
    if suffix == "xlsx":
        # This word is an error of the spreadsheet there, not a text.
        assert any("this cell contains the error #N/A" in line for line in lines)
        settings = settings.replace('["NULL"', '["#N/A", "NULL"')
    assert _lines(_read(tmp_path, suffix, rows, settings)) == []
    assert [fields["serial_number"] for fields in _fields(_read(tmp_path, suffix, rows, settings))] == [None] * 9


@pytest.mark.parametrize("word", _NULLS)
@pytest.mark.parametrize("suffix", _FORMATS)
def test_a_column_of_texts_keeps_the_words(tmp_path: Path, suffix: str, word: str) -> None:
    rows = [["barcode", "serial_number"], ["100001", word]]
    if (suffix, word) != ("xlsx", "#N/A"):
        assert len(_lines(_read(tmp_path, suffix, rows))) == 1
        desired = _read(tmp_path, suffix, rows, ", text_columns: [serial_number]")
        assert (_lines(desired), _fields(desired)[0]["serial_number"]) == ([], word)


@pytest.mark.parametrize("suffix", _FORMATS)
def test_a_choice_of_the_field_is_that_choice(tmp_path: Path, suffix: str) -> None:
    desired = _read(tmp_path, suffix, [["barcode", "condition"], ["100001", "None"]])
    assert (_lines(desired), _fields(desired)[0]["condition"]) == ([], "None")


@pytest.mark.parametrize("column", ["barcode", "condition"])
def test_no_setting_is_proposed_that_loses_a_key_or_a_choice(tmp_path: Path, column: str) -> None:
    rows = [["barcode", "serial_number", "condition"], ["1", "None", "Good"], ["2", "x", "Good"]]
    rows[2][rows[0].index(column)] = "None"
    lines = _lines(_read(tmp_path, "csv", rows))
    assert lines
    assert not any("`" in line for line in lines)


@pytest.mark.parametrize("word", ["None", "nan", "NaN", "undefined", "(null)", "\\N", "<NA>"])
def test_yaml_says_what_quotes_mean(tmp_path: Path, word: str) -> None:
    (tmp_path / "instance.yml").write_text("api: seventhings/v1\n", "utf-8")
    record = '- barcode: "1"\n  serial_number: '
    (tmp_path / "objects.yml").write_text(f"{record}{word}\n", "utf-8")
    (line,) = _lines(load(tmp_path))
    assert line.startswith(f"objects.yml:2:18: serial_number: {word!r}: this is how a program writes an empty value")
    (tmp_path / "objects.yml").write_text(f"{record}'{word}'\n  condition: None\n", "utf-8")
    assert _lines(load(tmp_path)) == []


@pytest.mark.parametrize("number", ["100001.0", "100001,00", "100,002", "100.002", "100'002"])
@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_a_number_is_no_key_beside_keys_of_digits(tmp_path: Path, suffix: str, number: str) -> None:
    rows = [["Scancode", "Name"], ["100003", "a"], [number, "b"]]
    (line,) = _lines(_read(tmp_path, suffix, rows))
    assert number in line
    assert "a program wrote this key as a number" in line
    desired = _read(tmp_path, suffix, rows, _proposed(line))
    assert (_lines(desired), [entry.fields["Scancode"] for entry in desired.entries]) == ([], ["100003", number])
    assert _lines(_read(tmp_path, suffix, [*rows, ["IMP-1", "c"]])) == []


def test_numbers_of_rooms_and_versions_are_names(tmp_path: Path) -> None:
    (tmp_path / "instance.yml").write_text("api: seventhings/v1\n", "utf-8")
    (tmp_path / "rooms.csv").write_text("building_id,number\nDresden,1.0\nDresden,2\n", "utf-8")
    (tmp_path / "objects.csv").write_text("barcode,Name\n1.1,1.0\n2.0,1.0\n", "utf-8")
    assert _lines(load(tmp_path)) == []


@pytest.mark.parametrize("suffix", _FORMATS)
def test_no_pattern_ignores_the_column_of_the_key(tmp_path: Path, suffix: str) -> None:
    rows = [["barcode", "", "inventory_name"], ["800001", "x", "A"], ["800002", "y", "B"]]
    desired = _read(tmp_path, suffix, rows, ', ignore: ["*"]')
    assert (_lines(desired), _fields(desired)) == ([], [{"barcode": "800001"}, {"barcode": "800002"}])
    mapped = _read(tmp_path, suffix, rows, ', columns: {inventory_name: barcode}, ignore: ["*"]')
    assert (_lines(mapped), _fields(mapped)) == ([], [{"barcode": "A"}, {"barcode": "B"}])


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_the_proposed_setting_ignores_a_column_without_a_name_alone(tmp_path: Path, suffix: str) -> None:
    rows = [["barcode", "", "Junk", "inventory_name"], ["800001", "x", "y", "A"]]
    (line,) = _lines(_read(tmp_path, suffix, rows, ", ignore: [Junk]"))
    setting = next(part for part in line.split("`") if part.startswith("ignore"))
    assert setting == 'ignore: ["Junk", ""]'
    desired = _read(tmp_path, suffix, rows, f", {setting}")
    assert (_lines(desired), _fields(desired)) == ([], [{"barcode": "800001", "inventory_name": "A"}])


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
@pytest.mark.parametrize(
    ("settings", "found"),
    [
        (', ignore: ["*"]', "this table has rows, and no row has a cell in a column that is read"),
        (", header_row: 9", "this table ends above row 9, which header_row names"),
    ],
)
def test_a_table_without_a_record_is_found(tmp_path: Path, suffix: str, settings: str, found: str) -> None:
    (line,) = _lines(_read(tmp_path, suffix, [["Nummer", "Text"], ["1", "A"]], settings))
    assert found in line
    assert _lines(_read(tmp_path, suffix, [["barcode", "Name"], ["1", "A"]], ', skip_rows: ["1"]')) == []
    assert _lines(_read(tmp_path, suffix, [["barcode", "Name"]])) == []


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
@pytest.mark.parametrize("settings", ["", ', skip_rows: ["Old*"]', ", header_row: 1, skip_rows: 1"])
@pytest.mark.parametrize("rule", ["-------", ":-----:", "-----+"])
def test_a_line_of_dashes_is_named(tmp_path: Path, suffix: str, settings: str, rule: str) -> None:
    rows = [["barcode", "Name"], ["Old1", "x"], [rule, "------"], ["1", "A"], ["2", "B"]]
    line, *others = _lines(_read(tmp_path, suffix, rows, settings))
    assert not others
    assert ": this row has only dashes, as sqlcmd and Markdown write them; delete it, or set " in line
    base = settings.partition(", skip_rows")[0]
    desired = _read(tmp_path, suffix, rows, base + _proposed(line))
    assert _lines(desired) == []
    assert [fields["Name"] for fields in _fields(desired)] == ["x"] * (not settings) + ["A", "B"]
