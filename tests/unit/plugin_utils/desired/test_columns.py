# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Cells of tables have the same values and findings whether their columns are known or not."""

from __future__ import annotations

import csv
import io
import random
import re
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.plugin_utils.desired import columns
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import DesiredInstance
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.parsing import DesiredParser
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.positions import Place

_FIELDS = (
    Field("barcode", "BARCODE", label="Barcode", mandatory=True, unique=True),
    Field("note", "LONG_TEXT", label="Note"),
    Field("code", "TEXT", label="Code", constraints={"max_length": 6}),
    Field("condition", "DROPDOWN", label="Condition", allowed=("new", "NULL", "1,5")),
    Field("price", "MONEY", label="Price"),
    Field("number", "NUMBER", label="Number", constraints={"min_value": 0}),
    Field("weight", "DECIMAL", label="Weight"),
    Field("day", "DATE", label="Day"),
    Field("time", "DATETIME", label="Time"),
    Field("flag", "BOOLEAN", label="Flag"),
    Field("room", "LINKED_ROOM", label="Room"),
    Field("files", "ATTACHMENT", label="Files"),
    Field("others", "LINKED_ASSETS", label="Others"),
    Field("same", "COORDINATES", label="Same"),
)
_COLUMNS = (*(field.key for field in _FIELDS), "Note", "uuid", "unknown")
_CELLS = (
    *("", " ", "a", " a", "a ", "a\n", "new", "NULL", "null", "=1", '="7"', "'7", "'Hall", "too long a code"),
    *("0", "1", "-1", "007", "1.5", "1,5", "1.890", "1,890", "1.890,00", "EUR 5", "50 %", "4,01E+12", "1e3"),
    *("2024-05-31", "31.05.2024", "05/31/2024", "2024-05-31 10:00", "2024-03-31 02:30", "2024-05-31T10:00:00Z"),
    *("true", "ja", "wahr", "[]", '["a"]', "{}", "{", "a;b", "x.pdf", "00000000-0000-4000-8000-000000000000"),
)
_SETTINGS = (
    "",
    "csv: {preset: excel-de}\n",
    "csv: {preset: excel-fr, trim: true}\n",
    'csv: {decimal: ",", list_separator: ";", "null": "0", text_columns: [note]}\n',
    "timezone: Europe/Berlin\ncsv: {trim: false}\n",
)


def _written(root: Path, settings: str, numbers: random.Random) -> DesiredInstance:
    """Return a desired state with a table of random cells."""
    names = [name for name in _COLUMNS if numbers.random() < 0.6] or ["note"]
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=";" if "excel-" in settings else ",")
    writer.writerows([names, *([numbers.choice(_CELLS) for _name in names] for _row in range(40))])
    (root / "instance.yml").write_text(f"api: seventhings/v1\n{settings}", "utf-8")
    (root / "objects.csv").write_text(stream.getvalue(), "utf-8")
    return load(root)


def _read(desired: DesiredInstance) -> tuple[list[dict[str, Any]], list[tuple[Place, str]]]:
    found: list[tuple[Place, str]] = []
    parser = DesiredParser(desired, lambda place, words: found.append((place, words)))
    schema = Schema(OBJECT, _FIELDS)
    return [parser.parse(schema, entry, entry.fields) for entry in desired.entries], found


def _shown(values: dict[str, Any]) -> str:
    """Return values without the identity of folders."""
    return re.sub(r"folder=<[^>]*>", "", repr(sorted(values.items())))


@pytest.mark.sample(10)
@pytest.mark.parametrize("settings", _SETTINGS)
@pytest.mark.parametrize("seed", range(6))
def test_known_columns_change_no_value_and_no_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: str, seed: int
) -> None:
    desired = _written(tmp_path, settings, random.Random(seed))
    values, found = _read(desired)
    assert len(values) > 20
    monkeypatch.setattr(columns, "_MOST_READERS", 0)
    slow, slow_found = _read(desired)
    assert list(map(_shown, values)) == list(map(_shown, slow))
    assert found == slow_found
    wrong = {place.line for place, _words in found}
    right = [number for number, entry in enumerate(desired.entries) if entry.place.line not in wrong]
    assert [list(values[number]) for number in right] == [list(slow[number]) for number in right]


def test_a_column_has_the_rules_of_its_present_field(tmp_path: Path) -> None:
    (tmp_path / "instance.yml").write_text("api: seventhings/v1\n", "utf-8")
    (tmp_path / "objects.csv").write_text("barcode,number\nA,5\n", "utf-8")
    desired = load(tmp_path)
    found: list[str] = []
    parser = DesiredParser(desired, lambda _place, words: found.append(words))
    schema = Schema(OBJECT, [Field("barcode", "BARCODE"), Field("number", "NUMBER")])
    (entry,) = desired.entries
    assert parser.parse(schema, entry, entry.fields) == {"barcode": "A", "number": 5}
    schema.take([Field("number", "NUMBER", constraints={"max_value": 4})])
    parser.parse(schema, entry, entry.fields)
    assert [words for words in found if "expected at most 4" in words]


def test_values_beyond_those_that_a_column_keeps_are_read_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_MOST_KEPT", 2)
    (tmp_path / "instance.yml").write_text("api: seventhings/v1\n", "utf-8")
    (tmp_path / "objects.csv").write_text("barcode,number\nA,1\nB,2\nC,3\nD,3\nE,1\n", "utf-8")
    values, found = _read(load(tmp_path))
    assert [value["number"] for value in values] == [1, 2, 3, 3, 1]
    assert found == []
