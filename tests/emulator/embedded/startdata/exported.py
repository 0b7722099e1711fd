# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of an export, read as plain data, and the notes of ``twin.jsonl`` about the records in them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

_SETTINGS = "instance.yml"
_TWIN = "twin.jsonl"
_NOTE = ".export.json"
_NO_RECORDS = ("fields", "files", "moved", "schema", "twin")
_SUFFIXES = (".yml", ".jsonl", ".csv")
_RUN_BY_SPREADSHEETS = ("'", "=", "+", "-", "@", "\t", "\r", "\n")

Row = dict[str, Any]


class BadExport(ValueError):
    """Raised if the directory is not an export."""


@dataclass
class Notes:
    """The notes of ``twin.jsonl``, which complete the files; empty without such a file.

    :ivar users: all users who can sign in. :ivar archived: kind to notes of its archived records, with their fields.
    :ivar files: path of an attachment to its uuid. :ivar fields: template and label to the note of a field.
    """

    users: list[Row] = field(default_factory=list)
    archived: dict[str, list[Row]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    fields: dict[tuple[str, str], Row] = field(default_factory=dict)
    _records: dict[tuple[str, tuple[str, ...]], dict[str, Row]] = field(default_factory=dict)

    @classmethod
    def read(cls, root: Path) -> Notes:
        notes = cls()
        for line in _json_lines(root / _TWIN) if (root / _TWIN).is_file() else ():
            notes._take(line)
        return notes

    def _take(self, note: Row) -> None:
        kind = note.get("kind")
        if kind == "user":
            self.users.append(note)
        elif kind == "file":
            self.files[note["path"]] = note["uuid"]
        elif kind == "field_definition":
            self.fields[note["template"], note["label"]] = note
        elif "archived" in note:
            self.archived.setdefault(str(kind), []).append(note)
        elif kind is not None:
            names = tuple(sorted(note["key"]))
            self._records.setdefault((str(kind), names), {})[_marks(note["key"], names)] = note

    def of(self, kind: str, row: Row) -> Row:
        """Return the note about the record of a row, found by its natural key."""
        for (name, names), notes in self._records.items():
            if name == kind and set(names) <= set(row):
                note = notes.get(_marks(row, names))
                if note is not None:
                    return note
        return {}


def _marks(row: Row, names: Iterable[str]) -> str:
    return json.dumps([text_of(row[name]) for name in names], sort_keys=True)


def text_of(value: Any) -> Any:
    """Return a value in the form that all formats share: texts, and lists and maps of texts."""
    if isinstance(value, Mapping):
        return {str(key): text_of(member) for key, member in value.items()}
    if isinstance(value, list):
        return [text_of(item) for item in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if value is None else str(value)


class Export:
    """A directory that an export wrote."""

    def __init__(self, root: Path) -> None:
        self.root = root
        if not (root / _SETTINGS).is_file():
            raise BadExport(f"{root} holds no {_SETTINGS}: expected a directory that instance_export wrote")
        settings = yaml.safe_load((root / _SETTINGS).read_text("utf-8")) or {}
        self._is_plain_csv = "csv" not in settings
        self._read: set[Path] = set()
        self.notes = Notes.read(root)

    def definitions(self, template: str) -> list[Row] | None:
        """Return the field definitions of a template; None if the export has none."""
        path = self.root / "fields" / f"{template}.yml"
        return (yaml.safe_load(path.read_text("utf-8")) or []) if path.is_file() else None

    def rows(self, section: str) -> Iterator[Row]:
        """Yield the records of a section. Every scalar is a text, whatever the format."""
        for path in self._files(section):
            self._read.add(path)
            if path.suffix == ".yml":
                yield from yaml.load(path.read_text("utf-8"), yaml.BaseLoader) or []
            elif path.suffix == ".jsonl":
                yield from map(text_of, _json_lines(path))
            else:
                yield from self._table(path)

    def _files(self, section: str) -> list[Path]:
        if (self.root / "instance.xlsx").exists():
            raise BadExport(f"{self.root} holds a workbook; export as yaml, csv or jsonl")
        found = [path for path in self.root.glob(f"{section}.*") if path.suffix in _SUFFIXES]
        return sorted(found) + sorted(path for path in (self.root / section).glob("*.*") if path.is_file())

    def check_that_all_is_read(self) -> None:
        """Raise BadExport if some records of the export were not read, because a twin must be complete."""
        note = self.root / _NOTE
        written = json.loads(note.read_text("utf-8"))["files"] if note.is_file() else {}
        for path in sorted({self.root / name for name in written} - self._read):
            section = path.relative_to(self.root).parts[0].partition(".")[0]
            if path.suffix in _SUFFIXES and section not in _NO_RECORDS and path.is_file():
                why = "holds records that the embedded service does not know; without the file it starts"
                raise BadExport(f"{path} {why}")

    def _table(self, path: Path) -> Iterator[Row]:
        if not self._is_plain_csv:
            raise BadExport(f"{path} is in a dialect of its own; export without csv in {_SETTINGS}")
        with path.open(encoding="utf-8", newline="") as stream:
            for cells in csv.DictReader(stream):
                yield {_unescaped(name): _cell(text) for name, text in cells.items() if text}


def _cell(text: str) -> Any:
    text = _unescaped(text)
    return text_of(json.loads(text)) if text[:1] in ("[", "{") else text


def _unescaped(text: str) -> str:
    """Return a cell without the apostrophe that keeps a spreadsheet from running it."""
    return text[1:] if text[:1] == "'" and text[1:].startswith(_RUN_BY_SPREADSHEETS) else text


def _json_lines(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8") as stream:
        for number, line in enumerate(stream, start=1):
            try:
                yield json.loads(line)
            except ValueError as error:
                raise BadExport(f"{path}:{number}: {error}") from None
