# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables from people: scanned codes, and the deviations that they accept."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...module_utils.errors import InvalidInput
from ...module_utils.model.dates import DateReader
from ...module_utils.model.field import CellList, CellMap, TypedCell, as_shown, shorten
from ..desired.dialect import PRESETS, Dialect
from ..desired.entry import Entry
from ..desired.positions import Finding, Place
from ..desired.row_rules import ROW_SETTINGS
from ..desired.tables import Table
from ..everyday.named_table import load_named, read_settings
from ..papers.catalogue import titles_of
from .moments import READER

SCANS = "scans"
CODE, ROOM, TIME, ACCEPT, ACTUAL_ROOM = _COLUMNS = "code", "room", "time", "accept", "actual_room"
#: The columns of the tables of an option.
_COLUMNS_OF = {SCANS: (CODE, ROOM, TIME), ACCEPT: (CODE, ACCEPT, ACTUAL_ROOM)}

_YES = frozenset(("true", "wahr", "vrai", "yes", "ja", "oui", "x", "1"))
_NO = frozenset(("", "false", "falsch", "faux", "no", "nein", "non", "0"))


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    :ivar value: its content as it was read. :ivar place: file and line.
    """

    value: Any
    place: Place

    @property
    def text(self) -> str:
        """The content without spaces at the edges, as a workbook shows it; empty if there is none."""
        text = self.value.text if isinstance(self.value, (CellList, CellMap)) else self.value
        return "" if text is None else as_shown(text).strip()


@dataclass(frozen=True)
class Scan:
    """A row of a list of scans.

    :ivar reader: reads its time.
    """

    code: str
    room: Cell
    time: Cell
    reader: DateReader


def named_tables(option: str, written: Any) -> tuple[list[Path], Table]:
    """Return the files that one of the options ``scans`` and ``accept`` names, and their settings.

    :param written: a path, or the settings of a table with the paths in ``files``.
    :raises InvalidInput: with a line for each mistake.
    """
    written = written if isinstance(written, Mapping) else {"files": [str(written)] if written else []}
    table, wrong = read_settings(option, {name: value for name, value in written.items() if name != "files"})
    wrong += [f"{option}.{name}: no such setting of this option" for name in written if name in ROW_SETTINGS]
    others = sorted(set(table.columns.values()).difference(_COLUMNS_OF[option]))
    wrong += [f"{option}.columns: {name}: expected {' or '.join(_COLUMNS_OF[option])}" for name in others]
    files = written.get("files")
    listed = files if isinstance(files, list) else [files]
    if not all(isinstance(file, str) and file for file in listed):
        wrong.append(f"{option}.files: {shorten(files)} does not fit; expected a path, or a list of paths")
    if wrong:
        raise InvalidInput(wrong)
    return [path for file in listed for path in _files(option, str(file))], table


def _files(option: str, written: str) -> list[Path]:
    """Return the files of a path, whose last part may be a pattern if no file has that name.

    :raises InvalidInput: if no file matches a pattern.
    """
    path = Path(os.path.expandvars(written)).expanduser()
    if path.exists() or not any(sign in path.name for sign in "*?["):
        return [path]
    found = sorted(path.parent.glob(path.name))
    if not found:
        raise InvalidInput(f"{option}.files: {written} matches no file")
    return found


def read_scans(path: Path, table: Table, findings: list[Finding], warnings: list[str]) -> list[Scan]:
    """Read a list of scans. Rows without a code or a room are findings.

    :param table: its settings. :param findings: collects what is wrong. :param warnings: collects warnings.
    :raises InvalidInput: if the file can't be read.
    """
    found = []
    dialect = table.over(PRESETS["plain"])
    reader = DateReader(dialect.dates) if dialect.dates else READER
    is_text = any(
        column in dialect.text_columns for column, name in (*table.columns.items(), (CODE, CODE)) if name == CODE
    )
    for row, place in _rows(SCANS, path, (CODE, ROOM), table, findings, warnings):
        scan = Scan(row[CODE].text, row[ROOM], row[TIME], reader)
        missing = [name for name in (CODE, ROOM) if not row[name].text]
        if missing:
            findings.append(Finding.plain(place, f"{' and '.join(missing)}: this row has none"))
        elif (odd := Dialect.oddity(scan.code)) is not None and not is_text:
            findings.append(Finding(row[CODE].place, f"{CODE}: {shorten(scan.code)}: {odd.why}"))
        elif isinstance(scan.room.value, TypedCell):
            words = f"{ROOM}: {shorten(scan.room.text)} is not text in the workbook; format the column as text"
            findings.append(Finding(scan.room.place, words))
        else:
            found.append(scan)
    return found


def read_accepted(paths: Iterable[Path], table: Table, findings: list[Finding]) -> dict[str, set[str]]:
    """Read the scan codes that tables accept, each with the actual rooms that these show.

    :param table: their settings. :param findings: collects what is wrong.
    :raises InvalidInput: if a file can't be read.
    """
    answers: dict[str, tuple[bool, Place, set[str]]] = {}
    for row, place in (found for path in paths for found in _rows(ACCEPT, path, (CODE, ACCEPT), table, findings, [])):
        answer, code = row[ACCEPT], row[CODE].text
        word = answer.text.casefold()
        if word not in _YES | _NO:
            words = f"{ACCEPT}: {shorten(answer.text)} does not fit; expected true, yes, ja, x or 1, or an empty cell"
            findings.append(Finding(answer.place, words))
        elif word in _YES and not code:
            findings.append(Finding.plain(place, f"{CODE}: this row has none"))
        elif code:
            is_accepted, earlier, rooms = answers.setdefault(code, (word in _YES, answer.place, set()))
            rooms |= {row[ACTUAL_ROOM].text} - {""}
            if is_accepted is not (word in _YES):
                words = f"{CODE}: {shorten(code)} is accepted here or at {earlier}, and not in the other row"
                findings.append(Finding(answer.place, words))
    return {code: rooms for code, (is_accepted, _place, rooms) in answers.items() if is_accepted}


def _rows(
    option: str, path: Path, needed: Collection[str], table: Table, findings: list[Finding], warnings: list[str]
) -> Iterator[tuple[dict[str, Cell], Place]]:
    """Yield the cells of each row of a table by the names of our columns, and the place of the row.

    :param option: the option that names the file. :param needed: required columns. :param table: its settings.
    """
    desired = load_named(option, path, table)
    findings += desired.findings
    warnings += desired.warnings
    names: dict[str, str] = {}
    for entry in desired.entries:
        if not names:
            given = {name.strip().casefold(): name for name in (*entry.fields, *entry.empty_cells())}
            # A workbook to accept deviations in has titles in its language.
            names = {key: given[title] for key in _COLUMNS for title in reversed(titles_of(key)) if title in given}
            missing = [name for name in needed if name not in names]
            if missing:
                words = f"{option}: expected the columns {' and '.join(needed)}; there is no {' and no '.join(missing)}"
                findings.append(Finding.plain(Place(path.name), words))
                return
        if entry.fields and not entry.misread:
            yield {column: _cell(entry, names.get(column, "")) for column in _COLUMNS}, entry.place.row


def _cell(entry: Entry, name: str) -> Cell:
    return Cell(entry.fields.get(name), entry.place_of_cell(name) or entry.place)
