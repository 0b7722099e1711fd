# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the asset ledger: a table of another system, mapped like ``tables`` of ``instance.yml``."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ansible import constants

from ...module_utils.errors import InvalidInput
from ...module_utils.local.safe_files import Folder
from ...module_utils.model.kinds import OBJECT
from ...module_utils.model.schema import Schema
from ..desired.desired import DesiredInstance
from ..desired.entry import Entry
from ..desired.format_settings import FormatSettings
from ..desired.loading import MAX_SOURCE, Reading, load
from ..desired.nodes import NO_JINJA, plain_node
from ..desired.parsing import DesiredParser
from ..desired.positions import Finding, Place
from ..desired.row_rules import SKIP
from ..desired.tables import Table, Tables

_ENDINGS = (".csv", ".xlsx")
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

    :param written: an entry of ``tables`` without ``files``.
    :raises InvalidInput: with a line for each mistake.
    """
    findings: list[Finding] = []
    table = FormatSettings(findings).entry(plain_node(dict(written), "table"), "table")
    wrong = [finding.message for finding in findings]
    if "files" in written:
        wrong.append("table.files: the option file names the ledger; leave files out")
    if wrong:
        raise InvalidInput(wrong)
    return replace(table, patterns=("*",))


def read_ledger(path: Path, table: Table, schema: Schema) -> Ledger:
    """Read a ledger: a CSV file or a workbook.

    :raises InvalidInput: if it can't be read, or with a line for each cell that does not fit its field.
    """
    desired = _loaded(path, table)
    findings = [finding for finding in desired.findings if not finding.message.endswith(NO_JINJA)]
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
        rows.append(Row(values, _shown(entry.place.row, path)))
    if findings:
        lines = [f"file: {_shown(finding.place, path)}: {finding.message}" for finding in findings]
        rest = len(lines) - _MOST_FINDINGS
        raise InvalidInput([*lines[:_MOST_FINDINGS], *([f"and {rest:,} more"] if rest > 0 else [])])
    warnings = [f"{_shown(found.place, path)}: {found.message}; the cell is left out" for found in unknown]
    return Ledger(rows, list(columns), list(ignored), [*desired.warnings, *warnings])


def _loaded(path: Path, table: Table) -> DesiredInstance:
    """Load a ledger as the only file of a directory, which the readers of tables expect."""
    suffix = path.suffix.lower()
    if suffix not in _ENDINGS:
        raise InvalidInput(f"file: {path} ends in {suffix or 'nothing'}; expected {' or '.join(_ENDINGS)}")
    try:
        content = Folder.read_named(path, MAX_SOURCE)
    except InvalidInput as refused:
        raise InvalidInput(f"file: {refused.message}") from refused
    except OSError as error:
        raise InvalidInput(f"file: {path}: {error.strerror or error}") from error
    with tempfile.TemporaryDirectory(dir=constants.DEFAULT_LOCAL_TMP) as name:
        folder = Path(name) / OBJECT.section
        folder.mkdir()
        (folder / f"ledger{suffix}").write_bytes(content)
        reading = Reading(is_later=True, tables=Tables(entries=[table]))
        desired = load(Path(name), reading=reading)
    desired.entries = [entry for entry in desired.entries if _is_row(entry)]
    return desired


def _is_row(entry: Entry) -> bool:
    return entry.kind is OBJECT and entry.state == "present"


def _shown(place: Place, path: Path) -> str:
    return str(place).replace(f"{OBJECT.section}/ledger{path.suffix.lower()}", path.name)
