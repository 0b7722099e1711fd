# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the asset ledger: a table of another system, mapped like ``tables`` of ``instance.yml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...module_utils.errors import InvalidInput
from ...module_utils.model.schema import Schema
from ..desired.parsing import DesiredParser
from ..desired.positions import Finding, Place
from ..desired.row_rules import SKIP
from ..desired.tables import Table
from .named_table import load_named, read_settings

_MOST_FINDINGS = 20


@dataclass(frozen=True)
class Row:
    """A row of the ledger.

    :ivar values: canonical values by field key; None for an empty cell. :ivar place: file and line.
    """

    values: dict[str, Any]
    place: str


@dataclass(frozen=True)
class Ledger:
    """The rows of a ledger.

    :ivar columns: keys of the fields of its columns.
    :ivar ignored: columns that are not fields.
    """

    rows: list[Row]
    columns: list[str]
    ignored: list[str]
    warnings: list[str]


def read_table(written: Mapping[str, Any]) -> Table:
    """Return the settings of the ledger.

    :raises InvalidInput: with a line for each mistake.
    """
    table, wrong = read_settings("table", written)
    if "files" in written:
        wrong.append("table.files: the option file names the ledger; leave files out")
    if wrong:
        raise InvalidInput(wrong)
    return table


def read_ledger(path: Path, table: Table, schema: Schema) -> Ledger:
    """Read a ledger: a CSV file or a workbook.

    :raises InvalidInput: if it can't be read, or with a line for each cell that does not fit its field.
    """
    desired = load_named("file", path, table)
    findings = [*desired.findings]
    unknown: list[Finding] = []

    def find(place: Place, message: str) -> None:
        found = Finding.for_message(place, message)
        is_skipped = table.rules.unknown_values == SKIP and found.misfit is not None and found.misfit.is_unknown
        (unknown if is_skipped else findings).append(found)

    parser = DesiredParser(desired, find)
    rows, columns, ignored = [], dict[str, None](), dict[str, None]()
    for entry in desired.entries:
        known = {name: value for name, value in entry.fields.items() if schema.find(name) is not None}
        empty = [name for name in entry.empty_cells() if schema.find(name) is not None]
        ignored |= dict.fromkeys(name for name in (*entry.fields, *entry.empty_cells()) if schema.find(name) is None)
        values: dict[str, Any] = {field.key: None for name in empty if (field := schema.find(name)) is not None}
        skipped = len(unknown)
        values |= parser.parse(schema, entry, known)
        names = {field.key for found in unknown[skipped:] if (field := schema.find(found.column)) is not None}
        values = {key: value for key, value in values.items() if key not in names}
        columns |= dict.fromkeys(values)
        rows.append(Row(values, str(entry.place.row)))
    if findings:
        lines = [f"file: {finding}" for finding in findings]
        rest = len(lines) - _MOST_FINDINGS
        raise InvalidInput([*lines[:_MOST_FINDINGS], *([f"and {rest:,} more"] if rest > 0 else [])])
    warnings = [f"{found}; the cell is left out" for found in unknown]
    return Ledger(rows, list(columns), list(ignored), [*desired.warnings, *warnings])
