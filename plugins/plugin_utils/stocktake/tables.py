# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables from people: scanned codes, and the deviations that they accept."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...module_utils.errors import InvalidInput
from ...module_utils.local.safe_files import Folder
from ...module_utils.model.dates import DateReader
from ...module_utils.model.field import CellList, CellMap, TypedCell, shorten
from ...module_utils.model.kinds import OBJECT
from ..desired.dialect import PRESETS, Dialect
from ..desired.encodings import WrongEncoding
from ..desired.format_settings import FormatSettings
from ..desired.loading import MAX_SOURCE
from ..desired.nodes import NO_JINJA, Node, place_at, plain_node
from ..desired.positions import Finding, Place
from ..desired.row_rules import ROW_SETTINGS
from ..desired.sources.csv_source import read_csv
from ..desired.sources.xlsx_source import Sheets, Workbook
from ..desired.table_reader import TableReader
from ..desired.tables import Table
from ..desired.words import COMMENT
from ..papers.catalogue import titles_of
from .moments import READER

_CSV, _WORKBOOK = ".csv", ".xlsx"
SCANS = "scans"
CODE, ROOM, TIME, ACCEPT = _COLUMNS = "code", "room", "time", "accept"
_YES = frozenset(("true", "yes", "ja", "x", "1"))
_NO = frozenset(("", "false", "no", "nein", "0"))


AS_WRITTEN = Table("", Place(""))
"""The settings of a table with our own columns."""


class _AnySheet(Sheets):
    """Read the named sheets, or else the first sheet that is not a comment, whatever its title."""

    def sections(self, titles: Sequence[str]) -> dict[str, str]:
        if self.named:
            return dict.fromkeys(super().sections(titles), OBJECT.section)
        tables = [title for title in titles if not title.strip().startswith(COMMENT)]
        return dict.fromkeys(tables[:1], OBJECT.section)


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    :ivar text: its content without spaces at the edges; empty if there is none.
    :ivar place: file and line.
    :ivar is_number: True if a workbook has a number, a date or the like here, not a text.
    :ivar is_id: True if it is the id of a record.
    """

    text: str
    place: Place
    is_number: bool = False
    is_id: bool = False

    @property
    def reference(self) -> str | dict[str, int]:
        """Return the record that the cell refers to."""
        return {"id": int(self.text)} if self.is_id and self.text.isdecimal() else self.text


@dataclass(frozen=True)
class Scan:
    """A row of a list of scans.

    :ivar reader: reads its time.
    """

    code: str
    room: Cell
    time: Cell
    reader: DateReader


class WrongRows(Exception):
    """Raised for mistakes in a table, each with its place.

    :ivar findings: one or more.
    """

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__(str(findings[0]))
        self.findings = findings


def scan_lists(option: Any) -> tuple[list[Path], Table]:
    """Return the files that the option ``scans`` names, and their settings.

    :param option: a path, or the settings of a table with the paths in ``files``.
    :raises InvalidInput: with a line for each mistake.
    """
    if not isinstance(option, Mapping):
        return ([_path(str(option))] if option else []), AS_WRITTEN
    written = {name: value for name, value in option.items() if name != "files"}
    findings: list[Finding] = []
    table = FormatSettings(findings).entry(plain_node(written, SCANS), SCANS)
    files = option.get("files")
    listed = files if isinstance(files, list) else [files]
    wrong = [finding.message for finding in findings]
    wrong += [f"{SCANS}.{name}: no such setting of a list of scans" for name in written if name in ROW_SETTINGS]
    if not listed or not all(isinstance(file, str) and file for file in listed):
        wrong.append(f"{SCANS}.files: {shorten(files)} does not fit; expected a path, or a list of paths")
    others = sorted(set(table.columns.values()) - {CODE, ROOM, TIME})
    wrong += [f"{SCANS}.columns: {name}: expected {CODE}, {ROOM} or {TIME}" for name in others]
    if wrong:
        raise InvalidInput(wrong)
    return [path for file in listed for path in _files(str(file))], table


def _path(written: str) -> Path:
    return Path(os.path.expandvars(written)).expanduser()


def _files(written: str) -> list[Path]:
    """Return the files of a path, whose last part may be a pattern.

    :raises InvalidInput: if no file matches a pattern.
    """
    path = _path(written)
    if not any(sign in path.name for sign in "*?["):
        return [path]
    found = sorted(path.parent.glob(path.name))
    if not found:
        raise InvalidInput(f"{SCANS}.files: {written} matches no file")
    return found


def read_scans(path: Path, table: Table, warnings: list[str]) -> list[Scan]:
    """Read a list of scans. Rows without a code or a room are findings.

    :param table: its settings. :param warnings: collects warnings.
    :raises InvalidInput: if the file can't be read.
    :raises WrongRows: if rows are wrong.
    """
    findings: list[Finding] = []
    found = []
    dates = table.over(PRESETS["plain"]).dates
    reader = DateReader(dates) if dates else READER
    for row in _rows(SCANS, path, (CODE, ROOM), findings, table, warnings):
        scan = Scan(row.cell(CODE).text, row.cell(ROOM, ROOM in _names_of_ids(table)), row.cell(TIME), reader)
        missing = [name for name, text in ((CODE, scan.code), (ROOM, scan.room.text)) if not text]
        if missing:
            findings.append(Finding.plain(row.node.place.row, f"{' and '.join(missing)}: this row has none"))
        elif scan.room.is_number:
            words = f"{ROOM}: {shorten(scan.room.text)} is not text in the workbook; format the column as text"
            findings.append(Finding(scan.room.place, words))
        else:
            found.append(scan)
    _refuse(findings)
    return found


def read_accepted(path: Path) -> list[str]:
    """Read the scan codes that a table accepts.

    :raises InvalidInput: if the file can't be read. :raises WrongRows: if rows are wrong.
    """
    findings: list[Finding] = []
    answers: dict[str, tuple[bool, Place]] = {}
    for row in _rows(ACCEPT, path, (CODE, ACCEPT), findings, AS_WRITTEN, []):
        answer, code = row.cell(ACCEPT), row.cell(CODE).text
        word = answer.text.casefold()
        if word not in _YES | _NO:
            words = f"{ACCEPT}: {shorten(answer.text)} does not fit; expected true, yes, ja, x or 1, or an empty cell"
            findings.append(Finding(answer.place, words))
        elif word in _YES and not code:
            findings.append(Finding.plain(row.node.place.row, f"{CODE}: this row has none"))
        elif code:
            earlier = answers.setdefault(code, (word in _YES, answer.place))
            if earlier[0] is not (word in _YES):
                words = f"{CODE}: {shorten(code)} is accepted here or at {earlier[1]}, and not in the other row"
                findings.append(Finding(answer.place, words))
    _refuse(findings)
    return [code for code, (is_accepted, _place) in answers.items() if is_accepted]


def _names_of_ids(table: Table) -> set[str]:
    return {table.columns[column] for column in table.ids}


def _refuse(findings: Sequence[Finding]) -> None:
    if findings:
        raise WrongRows(findings)


@dataclass(frozen=True)
class _Row:
    """A row of a table.

    :ivar names: the columns that are read, to their names in the file.
    """

    node: Node
    names: dict[str, str]

    def cell(self, column: str, is_id: bool = False) -> Cell:
        name = self.names.get(column, "")
        value = self.node.value.get(name)
        place = place_at(self.node.source, self.node.mark_of(name)) if name else self.node.place
        text = value.text if isinstance(value, (CellList, CellMap)) else "" if value is None else str(value)
        return Cell(text.strip(), place, isinstance(value, TypedCell), is_id)


def _rows(
    option: str, path: Path, needed: Collection[str], findings: list[Finding], table: Table, warnings: list[str]
) -> Iterator[_Row]:
    """Yield the rows of a table.

    :param option: the option that names the file.
    :param needed: required columns. :param table: its settings.
    """
    dialect = table.over(PRESETS["plain"])
    nodes: Iterable[Node] = _nodes(option, path, findings, dialect, table)
    if table is not AS_WRITTEN:
        nodes = TableReader(table, OBJECT.section, dialect, findings, warnings).nodes(nodes)
    names: dict[str, str] = {}
    for node in nodes:
        if not names:
            written = [*node.value, *node.empty_cells()]
            given = {name.strip().casefold(): name for name in written}
            # A workbook to accept deviations in has titles in its language.
            names = {key: given[title] for key in _COLUMNS for title in reversed(titles_of(key)) if title in given}
            missing = [name for name in needed if name not in names]
            if missing:
                words = f"{option}: expected the columns {' and '.join(needed)}; there is no {' and no '.join(missing)}"
                findings.append(Finding.plain(Place(path.name), words))
                return
        if not node.is_misread:
            yield _Row(node, names)


def _nodes(option: str, path: Path, findings: list[Finding], dialect: Dialect, table: Table) -> list[Node]:
    """Return the rows of a file.

    :raises InvalidInput: if it does not exist, or has another suffix.
    """
    suffix = path.suffix.lower()
    if suffix not in (_CSV, _WORKBOOK):
        raise InvalidInput(f"{option}: {path} ends in {suffix or 'nothing'}; expected {_CSV} or {_WORKBOOK}")
    try:
        content = Folder.read_named(path, MAX_SOURCE)
    except (InvalidInput, OSError) as error:
        raise InvalidInput(f"{option}: {path}: {_words(error)}") from error
    if suffix == _WORKBOOK:
        book = Workbook(path.name, content, dialect, findings, _AnySheet(table.sheets, OBJECT.section), [])
        nodes = [node for _section, _sheet, rows in book.sections() for node in rows]
    else:
        try:
            text, _codec = dialect.decode(content)
        except WrongEncoding as wrong:
            raise InvalidInput(f"{option}: {path.name}:{wrong.line}:{wrong.column}: {wrong}") from wrong
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        nodes = list(read_csv(text, path.name, findings, dialect=dialect))
    # Codes are data: a code that looks like a template is just an unknown code.
    findings[:] = [finding for finding in findings if not finding.message.endswith(NO_JINJA)]
    return nodes


def _words(error: Exception) -> Any:
    return error.strerror if isinstance(error, OSError) and error.strerror else error
