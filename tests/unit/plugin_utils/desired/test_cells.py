# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plain cells of a table are converted once, without the parser of records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.plugin_utils.desired import cells
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load

FIELDS = [
    Field("barcode", "BARCODE"),
    Field("inventory_name", "TEXT", label="Name"),
    Field("note", "TEXT", constraints={"max_length": 3}),
    Field("count", "NUMBER", constraints={"max_value": 5}),
    Field("weight", "NUMBER"),
    Field("grade", "DROPDOWN", allowed=("A", "B")),
    Field("lent", "BOOLEAN", mandatory=True),
    Field("seen", "DATETIME"),
    Field("accessories", "LINKED_ASSETS"),
    Field("uuid", "TEXT"),
]


class Table:
    """The rows of a table, and the cells that were parsed by the types of their fields."""

    def __init__(self, root: Path, text: str, patch: pytest.MonkeyPatch) -> None:
        (root / "instance.yml").write_text("api: seventhings/v1\ncsv: {'null': ['NULL']}\n", "utf-8")
        (root / "objects.csv").write_text(text, "utf-8")
        self.desired = load(root)
        self.parsed: Counter[Any] = Counter()
        self.columns: Counter[str] = Counter()
        parse, column = Schema.parse_value, cells._Column

        def parse_value(schema: Schema, value: Any, *more: Any) -> Any:
            self.parsed[value] += 1
            return parse(schema, value, *more)

        def new_column(schema: Schema, name: str, *more: Any) -> Any:
            self.columns[name] += 1
            return column(schema, name, *more)

        patch.setattr(Schema, "parse_value", parse_value)
        patch.setattr(cells, "_Column", new_column)

    def certain(self, fields: list[Field] = FIELDS) -> list[tuple[dict[str, Any], Mapping[str, Any]]]:
        """Return the cells of each row that certainly are right, and the others. The last cell is read first."""
        schema, own = Schema(OBJECT, fields), cells.Cells(self.desired)
        rows = [
            (entry, {name: entry.fields[name] for name in reversed(list(entry.fields))})
            for entry in self.desired.entries
        ]
        return [own.certain(schema, entry, row) for entry, row in rows]


def test_plain_cells_are_certain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = {"grade": "", "seen": "2031-01-01 10:00", "accessories": "2", "uuid": "u", "colour": "red"}
    broken = {"note": "abcd", "grade": "C", "count": "6", "lent": "x"}
    names = ["barcode", "inventory_name", "note", "grade", "count", "weight", "lent", *list(left)[1:]]
    row = {"barcode": "1", "inventory_name": "1", "note": "abc", "count": "5", "weight": "7", "lent": "true"}
    row |= left | {"grade": "NULL"}
    rows = [row, row | broken, row]
    lines = [";".join(names), *(";".join(row[name] for name in names) for row in rows)]
    table = Table(tmp_path, "\n".join(lines) + "\n", monkeypatch)
    plain = {"barcode": "1", "inventory_name": "1", "note": "abc", "count": 5, "weight": 7, "lent": True}
    certain = {"barcode": "1", "inventory_name": "1", "weight": 7}
    assert table.certain() == [(plain, left), (certain, {**left, **broken}), (plain, left)]
    assert table.parsed == dict.fromkeys(("abc", "5", "7", "true", *broken.values()), 1)
    assert table.columns == dict.fromkeys(names, 1)
    retyped = [Field(field.key, "TEXT") if field.key == "weight" else field for field in FIELDS]
    assert table.certain(retyped)[0] == ({**plain, "weight": "7"}, left)


def test_values_are_kept_for_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "_MOST_KEPT", 1)
    table = Table(tmp_path, "barcode;weight\n1;1\n2;2\n3;1\n4;2\n", monkeypatch)
    assert [certain["weight"] for certain, _others in table.certain()] == [1, 2, 1, 2]
    assert table.parsed == {"1": 1, "2": 2}


def test_very_long_texts_are_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "MOST_CHARACTERS", 4)
    table = Table(tmp_path, "barcode;inventory_name\n1;Lamp\n2;Lamps\n", monkeypatch)
    assert [others for _certain, others in table.certain()] == [{}, {}]
    assert table.parsed == {"Lamps": 1}


@pytest.mark.parametrize("cells_of_names", ["Lamp;Lamp", "Lamp;#REF!", "#REF!;Lamp"])
def test_no_cell_is_certain_if_a_field_is_written_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cells_of_names: str
) -> None:
    table = Table(tmp_path, f"barcode;inventory_name;Name;colour\n1;{cells_of_names};red\n", monkeypatch)
    ((certain, others),) = table.certain()
    assert (certain, list(others)) == ({}, ["colour", "Name", "inventory_name", "barcode"])
