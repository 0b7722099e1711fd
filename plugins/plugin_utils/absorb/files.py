# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of all layers as they are edited: which file a place means, and what is written in the end."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import FileType, Folder, parts_of

from ..desired import formulas
from ..desired.csv_source import read_csv
from ..desired.desired import BY_TEMPLATE, SECTIONS, CellPlace, DesiredInstance, Finding, Place
from ..desired.dialect import Dialect, delimiter_of
from ..desired.json_source import read_json_lines
from ..desired.loading import MAX_SOURCE, called
from ..desired.yaml_source import read_yaml
from ..export.writing import Unwritable, csv_header, csv_record, csv_row, json_record, yaml_record
from ..layers.layers import Layer
from .patch import patch_of
from .sources import JsonSource, Source, YamlSource
from .table import TableSource
from .text_file import NotSpliced, TextFile

_YAML = (".yml", ".yaml")
_ENDINGS = (*_YAML, ".csv", ".jsonl")


@dataclass(frozen=True)
class Target:
    """A file of a layer.

    :ivar layer: the number of the layer. :ivar name: its path below the layer.
    """

    layer: int
    name: str


@dataclass
class _Opened:
    """A file that is edited.

    :ivar before: its content; None: it is new.
    """

    before: bytes | None
    source: Source | None = None
    after: bytes | None = None


class Files:
    """The files below the layers.

    :param formulas_are: how cells of CSV files are written that a spreadsheet would run.
    """

    def __init__(self, layers: Sequence[Layer], desired: DesiredInstance, formulas_are: str) -> None:
        self._layers = layers
        self._desired = desired
        self._formulas = formulas_are
        self._folders = [Folder(one.path.parent if one.path.is_file() else one.path) for one in layers]
        self._opened: dict[Target, _Opened] = {}

    # ---- which file

    def target(self, place: Place) -> Target:
        """The file that a place is in.

        :raises NotSpliced: where nothing is changed in such a file.
        """
        if isinstance(place, CellPlace):
            raise NotSpliced("it is a cell of a workbook")
        if self._desired.hiding.is_vaulted(place.source):
            raise NotSpliced("its file is vaulted")
        return self._below(place.source)

    def _below(self, path: str) -> Target:
        labels = sorted(range(len(self._layers)), key=lambda number: len(self._layers[number].label), reverse=True)
        for number in labels:
            layer = self._layers[number]
            if layer.path.is_file():
                if path == called(layer.label, layer.path.name):
                    return Target(number, layer.path.name)
            elif not layer.label or path.startswith(f"{layer.label}/"):
                return Target(number, path.removeprefix(f"{layer.label}/") if layer.label else path)
        raise NotSpliced("it is in no file of src")

    def into(self, section: str, path: str) -> Target:
        """The file that new records of a section go into.

        :param section: as an export names it: ``fields/asset`` for definitions.
        :raises InvalidInput: where the loader would not read them from there.
        """
        words = f"into.{section}: {path!r} does not fit; expected"
        try:
            parts_of(path)
            target = self._below(path)
        except InvalidInput as error:
            raise InvalidInput(f"{words} a path below src") from error
        except NotSpliced as error:
            labels = ", ".join(one.label for one in self._layers)
            raise InvalidInput(f"{words} a path that begins with a layer: {labels}") from error
        layer = self._layers[target.layer]
        if layer.path.is_file():
            if PurePosixPath(target.name).suffix not in _YAML:
                raise InvalidInput(f"{words} a file that is no workbook")
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

    def label(self, target: Target) -> str:
        """The path of a file as places and patches have it."""
        return called(self._layers[target.layer].label, target.name)

    def root(self, layer: int) -> Path:
        """The directory of a layer."""
        return self._folders[layer].path

    # ---- reading

    def source(self, target: Target) -> Source:
        """A file as it is edited.

        :raises NotSpliced: where it can't be read.
        """
        opened = self._open(target)
        if opened.before is None:
            raise NotSpliced("there is no such file")
        if opened.source is None:
            opened.source = self._source(target, opened.before)
        return opened.source

    def is_there(self, target: Target) -> bool:
        """Tells whether there is such a file, or what was begun of it."""
        opened = self._open(target)
        return opened.before is not None

    def _open(self, target: Target) -> _Opened:
        if target not in self._opened:
            folder = self._folders[target.layer]
            try:
                kind = folder.type_of(target.name)
                if kind is None:
                    self._opened[target] = _Opened(None)
                elif kind is not FileType.FILE:
                    raise NotSpliced(f"{self.label(target)} is a {kind.value}")
                else:
                    self._opened[target] = _Opened(folder.read(target.name, MAX_SOURCE))
            except (InvalidInput, OSError) as error:
                raise NotSpliced(f"{self.label(target)} can't be read ({error})") from error
        return self._opened[target]

    def _source(self, target: Target, content: bytes) -> Source:
        if content.startswith(b"$ANSIBLE_VAULT"):
            raise NotSpliced("its file is vaulted")
        has_variables = self._desired.declares_variables
        name = self.label(target)
        if not name.lower().endswith(".csv"):
            file = TextFile(content.decode(), str.encode)
            return (YamlSource if name.endswith(_YAML) else JsonSource)(file, has_variables)
        dialect = self._desired.dialects.of(name)
        codec = _codec_of(content, dialect)
        file = TextFile(content.decode(codec), lambda text: text.encode(codec))
        delimiter = self._desired.delimiters.get(name) or delimiter_of([file.plain.partition("\n")[0]], dialect)
        return TableSource(file, has_variables, dialect, delimiter, self._formulas)

    # ---- writing

    def add_file(self, layer: int, name: str, content: bytes) -> None:
        """Adds a file with an attachment, unless one of that name is there: names tell contents apart."""
        target = Target(layer, name)
        opened = self._open(target)
        if opened.before is None:
            opened.after = content

    def append(
        self, target: Target, section: str, records: Sequence[Mapping[str, Any]], tell: Callable[[Any, str, bool], None]
    ) -> None:
        """Adds records to a file, which is made where it is not there.

        :param tell: takes each record of which something can't be written there, why, and whether that is all of it.
        :raises NotSpliced: where none can be added.
        """
        if not records:
            return
        if not self.is_there(target):
            self._begin(target, records, tell)
            return
        source = self.source(target)
        is_single = self._layers[target.layer].path.is_file()
        way = section.split("/") if is_single else []
        if not isinstance(source, TableSource):
            source.append(records, way)
            return
        for record in records:
            known = {name: value for name, value in record.items() if name in source.columns()}
            for name in record:
                if name not in known:
                    tell(record, f"{name}: {self.label(target)} has no such column", False)
            try:
                source.append([known])
            except NotSpliced as reason:
                tell(record, str(reason), True)

    def _begin(
        self, target: Target, records: Sequence[Mapping[str, Any]], tell: Callable[[Any, str, bool], None]
    ) -> None:
        opened = self._open(target)
        suffix = PurePosixPath(target.name).suffix
        if suffix != ".csv":
            written = [(json_record if suffix == ".jsonl" else yaml_record)(one) for one in records]
            opened.after = ("" if suffix == ".jsonl" else "---\n").encode() + "".join(written).encode()
            return
        dialect = self._desired.dialects.of(self.label(target))
        cell = formulas.escaped if self._formulas == formulas.ESCAPE else str
        try:
            header = csv_header(records)
            rows = [csv_row(header, cell, dialect)]
        except Unwritable as error:
            raise NotSpliced(str(error)) from error
        for one in records:
            try:
                rows.append(csv_record(header, one, cell, dialect))
            except Unwritable as error:
                tell(one, str(error), True)
        if len(rows) > 1:
            opened.after = dialect.encode("".join(rows))

    def changes(self, tell: Callable[[str, str], None]) -> Iterator[tuple[Target, bytes | None, bytes]]:
        """Yields each file that changes, with its content before and after.

        :param tell: takes the name of a file that would not be read again, and why.
        """
        for target, opened in sorted(self._opened.items(), key=lambda one: self.label(one[0])):
            after = opened.after
            if opened.source is not None and opened.source.file.is_changed:
                after = opened.source.file.content()
            if after is None or after == opened.before:
                continue
            wrong = self._wrong(target, after) if opened.source is not None else ""
            if wrong:
                tell(self.label(target), wrong)
            else:
                yield target, opened.before, after

    def _wrong(self, target: Target, content: bytes) -> str:
        """Says what a reader would find in a content; empty where nothing."""
        found: list[Finding] = []
        name = self.label(target)
        if name.lower().endswith(".csv"):
            dialect = self._desired.dialects.of(name)
            text = dialect.decode(content)[0].replace("\r\n", "\n").replace("\r", "\n")
            list(read_csv(text, name, found, dialect=dialect))
        else:
            text = content.decode().replace("\r\n", "\n").replace("\r", "\n")
            if name.endswith(_YAML):
                read_yaml(text, name, found)
            else:
                list(read_json_lines(text, name, found))
        return str(found[0]) if found else ""

    def patch(self, changes: Sequence[tuple[Target, bytes | None, bytes]]) -> str:
        """The changes as a patch."""
        return "".join(patch_of(self.label(target), before, after) for target, before, after in changes)

    def write(self, changes: Sequence[tuple[Target, bytes | None, bytes]], backup: bool) -> list[str]:
        """Writes the changes. Returns the paths of the copies that were kept.

        :raises InvalidInput: where somebody else changed a file meanwhile.
        """
        backups = []
        for target, before, after in changes:
            folder = self._folders[target.layer]
            is_same = folder.type_of(target.name) is None if before is None else folder.holds(target.name, before)
            if not is_same:
                raise InvalidInput(f"src: {self.label(target)} was changed by somebody else meanwhile; run it again")
            if backup and before is not None:
                backups.append(str(folder.path / folder.backup(target.name)))
            folder.write(target.name, after)
        return backups


def section_names() -> tuple[str, ...]:
    """The sections that ``into`` may name: as an export names them."""
    return tuple(
        name
        for section in SECTIONS
        for name in (
            [f"{section}/{one}" for one in ("asset", "room", "person")] if section in BY_TEMPLATE else [section]
        )
    )


def _codec_of(content: bytes, dialect: Dialect) -> str:
    """The codec by which a table is read and written so that all of its bytes stay."""
    for mark, codec in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if content.startswith(mark):
            return codec
    if dialect.encoding:
        codec = codecs.lookup(dialect.encoding).name
        return {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(codec, codec)
    try:
        content.decode()
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"
