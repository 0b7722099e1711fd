# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of all layers during editing: the file of a place, and what is written at the end."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from ...module_utils.errors import InvalidInput
from ...module_utils.local.access import Access
from ...module_utils.local.safe_files import FileType, Folder, parts_of
from ...module_utils.model.kinds import TEMPLATES
from ...module_utils.model.names import normal_name
from ..desired.desired import BY_TEMPLATE, SECTIONS, DesiredInstance
from ..desired.entry import Entry
from ..desired.loading import MAX_SOURCE, WORKBOOK, called
from ..desired.positions import CellPlace, Place
from ..desired.tables import Table
from ..desired.words import NULL_WORDS
from ..export.layout import csv_texts
from ..export.writing import Incomplete, Unwritable, json_record, yaml_record
from ..layers.layers import Layer
from ..layers.records import owner_of, owners_of
from ..layers.variables import escaped
from ..report.text_report import check_report_path, store_report
from .patch import Edited, Part, lines_of, patch_of, sides_of
from .sources import JsonSource, Source, YamlSource
from .splices import is_same
from .table import TableSource
from .text_file import NewValue, TextFile
from .workbook import WorkbookFile, WorkbookSource

_YAML = (".yml", ".yaml")
_ENDINGS = (*_YAML, ".csv", ".jsonl")


_NO_TABLE = Table("", Place(""))

_Records = Sequence[Mapping[str, Any]]
#: Returns the columns of the fields of a record that a table has, or None if the record needs others too.
Fit = Callable[[Mapping[str, Any], Collection[str]], Mapping[str, str] | None]


@dataclass(frozen=True)
class Target:
    """A file of a layer.

    :ivar layer: the number of the layer. :ivar name: its path below the layer.
    """

    layer: int
    name: str


@dataclass(frozen=True)
class FileChange:
    """The content of a file, before and after.

    :ivar before: None for a new file.
    :ivar halfway: the content before removals, which still has everything that other files may name; None: there is no
        file yet.
    :ivar edited: what changes, for people.
    """

    target: Target
    before: bytes | None
    halfway: bytes | None
    after: bytes
    edited: Edited


@dataclass
class Appended:
    """The records that were added to files.

    :ivar written: each record as a file has it.
    :ivar missing_columns: number of records without a field, because their table has no such column.
    """

    written: list[Mapping[str, Any]] = field(default_factory=list)
    missing_columns: Counter[str] = field(default_factory=Counter)


@dataclass
class _Opened:
    """A file during editing.

    :ivar before: its content; None for a new file. :ivar after: the content of a new file.
    :ivar is_attachment: True if it is an attachment, so that records may name it.
    """

    before: bytes | None
    source: Source | None = None
    after: bytes | None = None
    is_attachment: bool = False


class Files:
    """The files below the layers."""

    def __init__(self, layers: Sequence[Layer], desired: DesiredInstance) -> None:
        self._layers = layers
        self._desired = desired
        self._folders = [Folder(layer.path.parent if layer.path.is_file() else layer.path) for layer in layers]
        self._opened: dict[Target, _Opened] = {}

    # ---- which file

    def target(self, place: Place) -> Target:
        """Return the file of a place.

        :raises Unwritable: if such a file cannot be edited.
        """
        if self._desired.hiding.is_vaulted(place.source):
            raise Unwritable("its file is vaulted")
        return self._below(place.source.workbook if isinstance(place, CellPlace) else place.source)

    def _below(self, path: str) -> Target:
        labels = sorted(range(len(self._layers)), key=lambda number: len(self._layers[number].label), reverse=True)
        for number in labels:
            layer = self._layers[number]
            if layer.path.is_file():
                if path == called(layer.label, layer.path.name):
                    return Target(number, layer.path.name)
            elif not layer.label or path.startswith(f"{layer.label}/"):
                return Target(number, path.removeprefix(f"{layer.label}/") if layer.label else path)
        raise Unwritable("it is in no file of src")

    def new_file(self, section: str) -> str:
        """Return the path of a file for new records of a section: in the first layer that is a directory, if any is."""
        layer = next((layer for layer in self._layers if not layer.path.is_file()), self._layers[0])
        return called(layer.label, layer.path.name if layer.path.is_file() else f"{section}/new.yml")

    def into(self, section: str, path: str) -> Target:
        """Return the file for new records of a section.

        :param section: as an export names it: ``fields/asset`` for definitions.
        :raises InvalidInput: if the loader would not read them from there.
        """
        words = f"into.{section}: {path!r} does not fit; expected"
        try:
            parts_of(path)
            target = self._as_named(self._below(path))
        except InvalidInput as error:
            raise InvalidInput(f"{words} a path below src") from error
        except Unwritable as error:
            labels = ", ".join(
                called(layer.label, layer.path.name if layer.path.is_file() else "") for layer in self._layers
            )
            raise InvalidInput(f"{words} a path that begins with a layer: {labels}") from error
        if self._desired.tables.for_file(path) is not None:
            raise InvalidInput(f"{words} a file that is not a table of another system")
        layer = self._layers[target.layer]
        if layer.path.is_file():
            if PurePosixPath(target.name).suffix not in _YAML:
                raise InvalidInput(f"{words} a file that is not a workbook")
            return target
        path_below = PurePosixPath(target.name)
        if path_below.suffix not in _ENDINGS:
            raise InvalidInput(f"{words} a file that ends in {', '.join(_ENDINGS)}")
        top, _slash, template = section.partition("/")
        head = path_below.parts[0] if len(path_below.parts) > 1 else path_below.stem
        is_hidden = any(part.startswith((".", "~$")) for part in path_below.parts)
        if head != top or is_hidden or (template and path_below.stem != template):
            raise InvalidInput(
                f"{words} a file of that section, such as {section}.yml or {top}/{template or 'new'}.yml"
            )
        return target

    def _as_named(self, target: Target) -> Target:
        """Return the existing file whose name is a file's name in another Unicode form, or the file itself."""
        folder = self._folders[target.layer]
        if target.name.isascii() or folder.type_of(target.name) is not None:
            return target
        wanted = normal_name(target.name)
        found = (member.name for member in folder.below() if normal_name(member.name) == wanted)
        return replace(target, name=next(found, target.name))

    def label(self, target: Target) -> str:
        """Return the path of a file as places and patches have it."""
        return called(self._layers[target.layer].label, target.name)

    # ---- reading

    def is_mapped(self, place: Place) -> bool:
        """Return True for a place in a table of another system."""
        return self._desired.tables.for_file(place.file) is not None

    def target_of(self, entry: Entry, name: str) -> Target:
        """Return the file with a field of a record. Errors as in :meth:`target`."""
        owner = owner_of(entry, name)
        place, table = owner.place_of(name), self._table(owner.place.file)
        if name in table.constant and place.source != owner.place.source:
            raise Unwritable(f"it comes from {table.setting}.constant")
        return self.target(place)

    def _table(self, name: str) -> Table:
        """Return the mapping of a file; without one, every column is a field."""
        return self._desired.tables.for_file(name) or _NO_TABLE

    def source(self, target: Target) -> Source:
        """Return a file for editing.

        :raises Unwritable: if it cannot be read.
        """
        opened = self._open(target)
        if opened.before is None:
            raise Unwritable("there is no such file")
        if opened.source is None:
            opened.source = self._source(target, opened.before)
        return opened.source

    def _open(self, target: Target) -> _Opened:
        if target not in self._opened:
            folder = self._folders[target.layer]
            try:
                kind = folder.type_of(target.name)
                if kind is None:
                    self._opened[target] = _Opened(None)
                elif kind is not FileType.FILE:
                    raise Unwritable(f"{self.label(target)} is a {kind.value}")
                else:
                    self._opened[target] = _Opened(folder.read(target.name, MAX_SOURCE))
            except (InvalidInput, OSError) as error:
                raise Unwritable(f"{self.label(target)} can't be read ({error})") from error
        return self._opened[target]

    def _cells_of(self, name: str) -> dict[Place, Any]:
        """Return each cell of a workbook that a value is read from, with the value."""
        return {
            place: entry.fields.get(field)
            for entry in self._desired.entries
            for field in entry.places.value
            if isinstance(place := entry.places.within((field,)), CellPlace) and place.source.workbook == name
        }

    def _source(self, target: Target, content: bytes) -> Source:
        if content.startswith(b"$ANSIBLE_VAULT"):
            raise Unwritable("its file is vaulted")
        has_variables = self._desired.declares_variables
        name = self.label(target)
        if name.lower().endswith(WORKBOOK):
            cells = self._cells_of(name)
            workbook = WorkbookFile(content, {(place.source.removeprefix(f"{name}:"), place.column) for place in cells})
            return WorkbookSource(workbook, has_variables, self._desired.tables.format_of(name), cells)
        codec = self._desired.codecs.get(name, "utf-8")
        try:
            text = content.decode(codec)
            is_kept = text.encode(codec) == content
        except UnicodeError:
            is_kept = False
        if not is_kept:
            raise Unwritable(f"{codec} would change other bytes of its file")
        file = TextFile(text, codec)
        if not name.lower().endswith(".csv"):
            return (YamlSource if name.endswith(_YAML) else JsonSource)(file, has_variables)
        dialect = self._desired.tables.format_of(name)
        return TableSource(file, has_variables, dialect, self._desired.delimiters.get(name, ","))

    def mark(self) -> Mapping[Target, int]:
        """Return a mark for :meth:`undo`: the edits so far."""
        return {name: opened.source.file.edits for name, opened in self._opened.items() if opened.source is not None}

    def undo(self, mark: Mapping[Target, int]) -> None:
        """Drop the edits after a mark."""
        for name, opened in self._opened.items():
            if opened.source is not None:
                opened.source.file.undo(mark.get(name, 0))

    # ---- edits

    def set(self, entry: Entry, name: str, new: NewValue) -> None:
        """Change a field of a record in the layer that it came from.

        :raises Unwritable: if that is impossible in place. Nothing is changed then.
        """
        owner = owner_of(entry, name)
        source, table, column = self._column(owner, name)
        dialect = owner.places.format_of(name)
        word = self._escaped(word_in(table, name, new.value))
        others = (layer.fields for layer in owners_of(entry) if layer is not owner)
        if isinstance(source, TableSource) and any(name in fields for fields in (table.constant, *others)):
            # An empty cell would leave the field to them.
            source.check_cleared(column, word)

        def fits(loaded: Any) -> bool:
            meaning = meaning_in(table, name, self._unescaped(loaded))
            if dialect and isinstance(meaning, str) and (meaning in NULL_WORDS or dialect.clears_cell(column, meaning)):
                return False
            return new.fits(meaning)

        source.set(_cell_of(owner, name), column, replace(new, value=word, fits=fits))

    def put(self, owner: Entry, name: str, value: Any) -> None:
        """Write a field of a record of one layer: in place of its value, or as a new member. Errors as in :meth:`set`.

        :param value: plain data, as an export writes it.
        """
        source, table, column = self._column(owner, name)
        word, place = self._escaped(word_in(table, name, value)), _cell_of(owner, name)
        with source.file.coming_last():
            if name in owner.places.value:
                source.set(place, column, NewValue(word, partial(is_same, word)))
            else:
                source.add(place, column, word)

    def remove(self, owner: Entry) -> None:
        """Remove a record from one layer. Errors as in :meth:`set`."""
        source = self.source(self.target(owner.place))
        with source.file.coming_last():
            source.remove(owner.place)

    def _column(self, owner: Entry, name: str) -> tuple[Source, Table, str]:
        """Return the file of a field, its mapping, and the name of the field there."""
        target = self.target_of(owner, name)
        source, table = self.source(target), self._table(self.label(target))
        return source, table, column_in(table, source.names(owner.place), name)

    def _escaped(self, value: Any) -> Any:
        return escaped(value) if self._desired.declares_variables else value

    def _unescaped(self, loaded: Any) -> Any:
        """Return a value as it was read, with literal dollars if files declare variables."""
        if not self._desired.declares_variables:
            return loaded
        if isinstance(loaded, dict):
            return {key: self._unescaped(member) for key, member in loaded.items()}
        if isinstance(loaded, list):
            return [self._unescaped(item) for item in loaded]
        return loaded.replace("${$}", "$") if loaded.__class__ is str else loaded

    # ---- writing

    def add_file(self, layer: int, name: str, content: bytes) -> None:
        """Add a file with an attachment, unless its name exists: names distinguish contents."""
        opened = self._open(Target(layer, name))
        if opened.before is None:
            opened.after, opened.is_attachment = content, True

    def append(
        self, target: Target, section: str, records: _Records, report: Callable[[Any, str], None], fit: Fit
    ) -> Appended:
        """Add records to a file, which is created if missing. What a table cannot have goes into JSON Lines beside it.

        :param report: called with each record that cannot be written, and the reason.
        :param fit: finds the columns of a record.
        """
        done = Appended()
        if not records:
            return done
        try:
            is_new = self._open(target).before is None
            rest = self._begin(target, records, done) if is_new else self._add(target, section, records, done, fit)
        except Unwritable as reason:
            for record in records:
                report(record, str(reason))
            return done
        beside = Target(target.layer, str(PurePosixPath(target.name).with_suffix(".jsonl")))
        done.written += self.append(beside, section, rest, report, fit).written
        return done

    def _add(self, target: Target, section: str, records: _Records, done: Appended, fit: Fit) -> _Records:
        """Add records to an existing file. Return those that a table cannot have."""
        source = self.source(target)
        if self._table(self.label(target)) is not _NO_TABLE:
            raise Unwritable("rows are not added to a table of another system")
        with source.file.coming_last():
            if isinstance(source, TableSource):
                return [record for record in records if not self._add_row(source, record, done, fit)]
            is_single = self._layers[target.layer].path.is_file()
            source.append(self._escaped([*records]), section.split("/") if is_single else [])
        done.written += records
        return []

    def _add_row(self, table: TableSource, record: Mapping[str, Any], done: Appended, fit: Fit) -> bool:
        """Add a row to a table. Return False if the table cannot have the record."""
        is_unclear = table.dialect.clears and isinstance(record, Incomplete)
        columns = None if is_unclear else fit(record, table.columns)
        known = {column: record[name] for name, column in columns.items()} if columns is not None else {}
        try:
            if columns is not None:
                table.append([self._escaped(known)])
                done.written.append(known)
                done.missing_columns.update(record.keys() - columns.keys())
        except Unwritable:
            return False
        return columns is not None

    def _begin(self, target: Target, records: _Records, done: Appended) -> _Records:
        """Create a file of records. Return those that a table cannot have."""
        opened, suffix = self._open(target), PurePosixPath(target.name).suffix
        if suffix == ".csv":
            dialect = self._desired.tables.format_of(self.label(target))
            texts, left = csv_texts(self._escaped(records), sys.maxsize, dialect)
            opened.after = dialect.encode(texts[0]) if texts else None
        else:
            head, written = ("", json_record) if suffix == ".jsonl" else ("---\n", yaml_record)
            opened.after, left = (head + "".join(map(written, self._escaped(records)))).encode(), []
        done.written += [record for number, record in enumerate(records) if number not in left]
        return [records[number] for number in left]

    def changes(self) -> Iterator[FileChange]:
        """Yield each file that changes."""
        for target, opened in sorted(self._opened.items(), key=lambda change: self.label(change[0])):
            after = opened.after
            halfway = after if opened.is_attachment else opened.before
            if opened.source is not None and opened.source.file.edits:
                if isinstance(opened.source, YamlSource):
                    opened.source.finish()
                after = opened.source.file.content()
                halfway = opened.source.file.content(is_halfway=True)
            if after is not None and after != opened.before:
                yield FileChange(target, opened.before, halfway, after, self._edited(target, opened, after))

    def _edited(self, target: Target, opened: _Opened, after: bytes) -> Edited:
        """Return what changes in a file."""
        name, file = self.label(target), None if opened.source is None else opened.source.file
        if file is None:
            return Edited(name, opened.before, [Part(0, len(lines_of(opened.before or b"")), lines_of(after))])
        return Edited(name, opened.before, file.parts(), file.cells(), file.codec)

    def write(self, changes: Sequence[FileChange], backup: bool) -> list[str]:
        """Write the changes. Return the paths of the backups.

        A process may be killed between any two files and run again. So no file may name something that no longer
        exists: attachments come first, then changes, and finally removals, of referring records first.

        :raises InvalidInput: if somebody else changed a file meanwhile.
        """
        replaced = [change.target for change in changes if backup and change.before is not None]
        backups = [self._folders[target.layer].backup(target.name) for target in replaced]
        new_first = sorted(changes, key=lambda change: change.before is not None)
        self._write(
            [(change.target, change.before, change.halfway) for change in new_first if change.halfway is not None]
        )
        referring_first = sorted(changes, key=lambda change: _depth(change.target), reverse=True)
        self._write([(change.target, change.halfway, change.after) for change in referring_first])
        return backups

    def _write(self, steps: Sequence[tuple[Target, bytes | None, bytes]]) -> None:
        """Write files in this order, each with the content that it must still have before."""
        for target, before, _after in steps:
            folder = self._folders[target.layer]
            if not (folder.type_of(target.name) is None if before is None else folder.has_content(target.name, before)):
                raise InvalidInput(f"src: {self.label(target)} was changed by another process meanwhile; run it again")
        for target, before, after in steps:
            if after != before:
                self._folders[target.layer].write(target.name, after, Access())


def check_patch(path: str | None) -> Path | None:
    """Return the file for a patch, or None.

    :raises InvalidInput: if nothing can be written to it.
    """
    if path is None:
        return None
    file = Path(path).expanduser()
    check_report_path(file, (file.suffix,), "patch")
    return file


def write_patch(path: Path | None, changes: Sequence[FileChange]) -> None:
    """Write the changes as a patch that only its owner can read. Without changes it is empty."""
    if path is not None:
        store_report(path, b"".join(patch_of(change.edited) for change in changes))


def diff_of(changes: Sequence[FileChange]) -> dict[str, str]:
    """Return the changes as texts before and after, which Ansible compares and prints."""
    sides = [sides_of(change.edited) for change in changes]
    return {"before": "".join(before for before, _after in sides), "after": "".join(after for _before, after in sides)}


def _cell_of(entry: Entry, name: str) -> Place:
    """Return the place by which a source finds a field of a record: a cell of a workbook, or the record."""
    if not isinstance(entry.place, CellPlace):
        return entry.place
    return entry.place_of_cell(name) or replace(entry.place, column=0)


def section_names() -> tuple[str, ...]:
    """Return the sections that ``into`` may name: as an export names them."""
    by_template = {section: [f"{section}/{template}" for template in TEMPLATES] for section in BY_TEMPLATE}
    return tuple(name for section in SECTIONS for name in by_template.get(section, [section]))


def _depth(target: Target) -> int:
    """Return the number of the section of a file: its records refer to sections with smaller numbers."""
    section = PurePosixPath(target.name).parts[0].partition(".")[0]
    return list(SECTIONS).index(section) if section in SECTIONS else -1


# ---- tables of other systems: fields become columns again, and values become the words of the table


def column_in(table: Table, columns: Iterable[str], name: str) -> str:
    """Return the column of a field.

    :param columns: the names of the columns, as far as they are known.
    :raises Unwritable: if its values are ids.
    """
    column = next((column for column in columns if table.mapped(column) == name), None)
    column = column or table.column_of(name)
    if normal_name(column) in table.ids:
        raise Unwritable(f"the column {column} has ids, and the files of absorb have names")
    return column


def word_in(table: Table, name: str, value: Any) -> Any:
    """Return the word of the table for a value, or the value if the table has words for others only.

    :raises Unwritable: if the value would be read as another word.
    """
    words = table.values.get(normal_name(name), {})
    found = next((word for word, meaning in words.items() if is_same(meaning, value)), None)
    if found is None and isinstance(value, str) and normal_name(value) in words:
        raise Unwritable(f"{table.setting}.values.{name} has no word for it")
    return value if found is None else found


def meaning_in(table: Table, name: str, loaded: Any) -> Any:
    """Return the value of a word of the table."""
    words = table.values.get(normal_name(name), {})
    return words.get(normal_name(loaded), loaded) if isinstance(loaded, str) else loaded
