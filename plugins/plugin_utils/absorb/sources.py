# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of a desired state during editing: YAML and JSON Lines."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from ..desired.positions import Place
from ..export.writing import Unwritable, json_record, yaml_map, yaml_record
from .splices import Splices
from .text_file import EditedFile, NewValue, TextFile
from .tree import LIST, MAP, SCALAR, Piece, json_pieces, yaml_pieces

_DOCUMENT_END = re.compile(r"^\.\.\.\s", re.MULTILINE)
_NO_DATA = re.compile(r"(?>\s+|#.*|%.*|---(?=\s))*")
_VARIABLE = re.compile(r"\$\{(?!\$\})")

_NO_LIST = "there is no list of records in that place"
THROUGH_ANCHOR = "it came through an anchor"
THROUGH_VARIABLE = "it came through a variable"


class Source(ABC):
    """A file with records that is edited in place.

    :ivar file: its edits.
    """

    file: EditedFile

    @abstractmethod
    def set(self, place: Place, name: str, new: NewValue) -> None:
        """Change a field of a record.

        :param place: of the record. :param name: of the field, as written.
        :raises Unwritable: if that is impossible in place. Nothing is changed then.
        """

    @abstractmethod
    def add(self, place: Place, name: str, value: Any) -> None:
        """Add a field to a record. Errors as in :meth:`set`."""

    @abstractmethod
    def remove(self, place: Place) -> None:
        """Remove a record. Errors as in :meth:`set`."""

    @abstractmethod
    def append(self, records: Sequence[Any], way: Sequence[str] = ()) -> None:
        """Add records after the last record. Errors as in :meth:`set`.

        :param way: the keys of the list of records; none: it is the whole file.
        """

    def names(self, place: Place) -> Sequence[str]:
        """Return the names of the members of a record, or of the columns of a table, as far as the file has any."""
        return ()


class TextSource(Source):
    """A file with records that is a text.

    :param has_variables: True if ``${`` begins a variable in it.
    """

    file: TextFile

    def __init__(self, file: TextFile, has_variables: bool) -> None:
        self.file = file
        self._has_variables = has_variables

    def check_written(self, start: int, end: int) -> None:
        """Refuse a value that comes from a variable.

        :raises Unwritable: if a part of the text has one.
        """
        if self._has_variables and _VARIABLE.search(self.file.plain, start, end):
            raise Unwritable(THROUGH_VARIABLE)

    def append_lines(self, lines: str) -> None:
        """Add lines at the end of the file."""
        end = len(self.file.plain)
        lead = "" if self.file.plain[-1:] in ("", "\n") else "\n"
        self.file.replace(end, end, lead + lines)


class _Pieces(TextSource):
    """A file whose records are maps in a tree."""

    is_json = False

    def __init__(self, file: TextFile, has_variables: bool) -> None:
        super().__init__(file, has_variables)
        self._splices = Splices(file, self.is_json)

    @abstractmethod
    def piece(self, place: Place) -> Piece:
        """Return the record at a place.

        :raises Unwritable: if it is not written there.
        """

    def names(self, place: Place) -> Sequence[str]:
        return tuple(self.piece(place).members)

    def set(self, place: Place, name: str, new: NewValue) -> None:
        record = self.piece(place)
        if name not in record.members:
            raise Unwritable("it is not written in that place")
        key, old = record.members[name]
        # A value inside a shared record is shared too.
        _check_own(old)
        self.check_written(old.start, old.end)
        before = self.file.edits
        try:
            self._splices.put(key, old, new, not record.is_block)
        except Unwritable:
            self.file.undo(before)
            raise

    def add(self, place: Place, name: str, value: Any) -> None:
        record = self.piece(place)
        if record.kind != MAP or not record.members:
            raise Unwritable("the record is not written as fields and their values")
        if record.is_shared:
            raise Unwritable(THROUGH_ANCHOR)
        self._splices.add_member(record, name, value)


def _check_own(piece: Piece) -> None:
    """Refuse a value that another place writes too.

    :raises Unwritable: if it has an anchor or is an alias.
    """
    if any(value.is_shared for value in piece.inside()):
        raise Unwritable(THROUGH_ANCHOR)


class YamlSource(_Pieces):
    """A YAML file."""

    def __init__(self, file: TextFile, has_variables: bool) -> None:
        super().__init__(file, has_variables)
        self._root = yaml_pieces(file.plain)
        self._at: dict[tuple[int, int], Piece] = {}
        self._lists: dict[int, tuple[Piece, int]] = {}
        for piece in self._root.inside() if self._root is not None else ():
            if piece.kind != LIST:
                # A map begins where the name of its first member begins.
                self._at.setdefault(piece.mark, piece)
            for number, item in enumerate(piece.items):
                self._lists[id(item)] = (piece, number)

    def piece(self, place: Place) -> Piece:
        piece = self._at.get((place.line, place.column))
        if piece is None:
            raise Unwritable("it is not written in that place")
        return piece

    def remove(self, place: Place) -> None:
        piece = self.piece(place)
        _check_own(piece)
        if id(piece) not in self._lists:
            raise Unwritable("it is not in a list of records")
        records, number = self._lists[id(piece)]
        if not records.is_block and len(records.items) > 1:
            raise Unwritable("it is in a list that is written in one pair of brackets")
        self._splices.take_item(records, number, {number})

    def finish(self) -> None:
        """Leave an empty list if nothing else is left before an explicit end of the document."""
        after = self.file.content().decode(self.file.codec).removeprefix("\ufeff")
        end = _DOCUMENT_END.search(after)
        if self._root is not None and end is not None and _NO_DATA.fullmatch(after, 0, end.start()):
            start = self.file.plain.rfind("\n", 0, self._root.start) + 1
            with self.file.coming_last():
                self.file.replace(start, start, "[]\n")

    def append(self, records: Sequence[Any], way: Sequence[str] = ()) -> None:
        text = "".join(map(yaml_record, records))
        at, name = self._root, None
        if at is None or self._is_empty(at):
            if at is not None:
                self.file.replace(at.start, at.end, "")
            self.append_lines(yaml_map(_nested(way, records)) if way else text)
            return
        for number, step in enumerate(way):
            if not at.members or at.is_shared:
                raise Unwritable(_NO_LIST)
            if step not in at.members:
                self._splices.add_member(at, step, _nested(way[number + 1 :], records))
                return
            name, at = at.members[step]
        if at.is_shared:
            raise Unwritable(THROUGH_ANCHOR)
        if name is not None and self._is_empty(at):
            self._splices.put(name, at, NewValue(list(records), lambda _loaded: True), in_flow=False)
        elif at.kind != LIST:
            raise Unwritable(_NO_LIST)
        elif at.is_block:
            self._append_block(at, text)
        elif not at.items and not way:
            self.file.replace(at.start, at.end, text.removesuffix("\n"))
        else:
            self._splices.add_records(at, records)

    def _is_empty(self, piece: Piece) -> bool:
        return piece.kind == SCALAR and self.file.plain[piece.start : piece.end] in ("", "~", "null")

    def _append_block(self, records: Piece, text: str) -> None:
        indent = " " * (records.mark[1] - 1)
        plain = self.file.plain
        end = plain.find("\n", records.end) + 1 or len(plain)
        lead = "" if plain[end - 1 : end] == "\n" else "\n"
        lines = "".join(f"{indent}{line}\n" if line else "\n" for line in text.removesuffix("\n").split("\n"))
        self.file.replace(end, end, lead + lines)


def _nested(way: Sequence[str], records: Sequence[Any]) -> Any:
    """Return a list of records below its keys."""
    value: Any = list(records)
    for name in reversed(way):
        value = {name: value}
    return value


class JsonSource(_Pieces):
    """A file of JSON Lines."""

    is_json = True

    def __init__(self, file: TextFile, has_variables: bool) -> None:
        super().__init__(file, has_variables)
        self._starts = [0, *(match.end() for match in re.finditer("\n", file.plain))]
        self._pieces: dict[int, Piece] = {}

    def piece(self, place: Place) -> Piece:
        if place.line not in self._pieces:
            self._pieces[place.line] = json_pieces(self.file.plain, self._starts[place.line - 1])
        return self._pieces[place.line]

    def remove(self, place: Place) -> None:
        start = self._starts[place.line - 1]
        end = self._starts[place.line] if place.line < len(self._starts) else len(self.file.plain)
        self.file.replace(start, end, "")

    def append(self, records: Sequence[Any], way: Sequence[str] = ()) -> None:
        self.append_lines("".join(map(json_record, records)))
