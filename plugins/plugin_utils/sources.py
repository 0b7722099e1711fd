# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML, CSV and JSON Lines to plain values that know where they were written.

Files are data: no Jinja and no tags in them. The source text of every plain scalar is kept, so that ``0001234`` never
becomes a number behind somebody's back. Places are worked out when they are asked for: most records are never wrong.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from ansible_collections.community.seventhings.plugins.module_utils.desired import Finding, Place
from ansible_collections.community.seventhings.plugins.module_utils.fields import Plain

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
JINJA = ("{{", "{%", "{#")
_NO_JINJA = "no templates in these files, they are plain data; use desired in a playbook for computed values"
_NO_TAGS = "tags are not allowed in these files, they are plain data"
_DEEPEST = 40
_COLUMN_BITS = 24
_CELL_LIMIT = 2**31 - 1

_WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **{text: Plain(text) for word in ("yes", "no", "on", "off") for text in (word, word.capitalize(), word.upper())},
}
"""Plain scalars that YAML reads as something else than text; what YAML 1.1 alone takes for true or false stays text."""

_NUMBER = re.compile(
    r"""[-+]?(?:
        0b[01_]+ | 0o[0-7_]+ | 0x[0-9a-fA-F_]+              # binary, octal, hexadecimal
        | [0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?       # sexagesimal
        | (?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?
        | \.(?:inf|Inf|INF) )
    | \.(?:nan|NaN|NAN)
    | [0-9]{4}-[0-9]{2}-[0-9]{2}
    | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?
      (?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?
    """,
    re.VERBOSE,
)
"""What YAML 1.1 or 1.2 reads as a number or a date."""

_NO_MARKS: Sequence[int] = ()
_NUMBER_STARTS = frozenset("0123456789+-.")


def _mark(line: int, column: int) -> int:
    """A place in a file as one number: many records have many of them."""
    return line << _COLUMN_BITS | min(column, (1 << _COLUMN_BITS) - 1)


def _at(source: str, mark: int) -> Place:
    return Place(source, mark >> _COLUMN_BITS, mark & (1 << _COLUMN_BITS) - 1) if mark else Place(source)


class Node:
    """A value with the place where it was written, and those of its members.

    :ivar value: plain data: maps, lists, texts, :class:`Plain` texts, true, false, None.
    """

    __slots__ = ("children", "mark", "marks", "source", "value")

    def __init__(
        self, value: Any, source: str, mark: int, marks: Sequence[int] = (), children: Mapping[Any, Node] | None = None
    ) -> None:
        self.value = value
        self.source = source
        self.mark = mark
        self.marks = marks
        self.children = children

    @property
    def place(self) -> Place:
        return _at(self.source, self.mark)

    @property
    def members(self) -> dict[Any, Node]:
        """Of a map, key to node; of a list, index to node."""
        if isinstance(self.value, dict):
            return {key: self.member(key) for key in self.value}
        if isinstance(self.value, list):
            return {index: self.member(index) for index in range(len(self.value))}
        return {}

    def member(self, key: Any) -> Node:
        """The node of one member."""
        if self.children and key in self.children:
            return self.children[key]
        return Node(self.value[key], self.source, self.mark_of(key))

    def mark_of(self, key: Any) -> int:
        """Where a member was written."""
        if not self.marks:
            return self.mark
        return self.marks[key if isinstance(self.value, list) else list(self.value).index(key)]

    def mark_of_name(self, key: Any) -> int:
        """Where the name of a member was written."""
        return self.mark_of(key)

    def items(self) -> list[Node]:
        """The nodes of a list."""
        return [self.member(index) for index in range(len(self.value))]


class Places(Mapping[str, Place]):
    """Where the fields of a record were written."""

    __slots__ = ("_node",)

    def __init__(self, node: Node) -> None:
        self._node = node

    def __getitem__(self, name: str) -> Place:
        if name not in self._node.value:
            raise KeyError(name)
        if self._node.children and name in self._node.children:
            return self._node.children[name].place
        return _at(self._node.source, self._node.mark_of(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._node.value)

    def __len__(self) -> int:
        return len(self._node.value)

    def of_name(self, name: str) -> Place:
        """Where the name of a field was written: of a table that is its first row."""
        if self._node.children and name in self._node.children:
            return self._node.children[name].place
        return _at(self._node.source, self._node.mark_of_name(name))


# ---- YAML


def read_yaml(text: str, source: str, findings: list[Finding]) -> Node | None:
    """The one document of a YAML file; None where it is empty or can't be read, which is a finding."""
    return _Yaml(text.removeprefix("\ufeff"), source, findings).document()


class _Yaml:
    """Builds plain data from the events of the parser, which costs a fraction of composing nodes."""

    def __init__(self, text: str, source: str, findings: list[Finding]) -> None:
        self._text = text
        self._source = source
        self._findings = findings
        self._may_have_jinja = any(mark in text for mark in JINJA)
        self._names: dict[str, str] = {}
        self._anchors: dict[str, tuple[Node, int] | None] = {}
        self._built = 0

    def document(self) -> Node | None:
        node = None
        try:
            loader = _LOADER(self._text)
            try:
                self._next = loader.get_event
                self._next()
                event = self._next()
                if isinstance(event, yaml.DocumentStartEvent):
                    node = self._node(self._next(), 0)
                    self._next()
                    event = self._next()
                if isinstance(event, yaml.DocumentStartEvent):
                    self._find(event, "expected one document in a file, this is the second")
            finally:
                loader.dispose()
        except yaml.YAMLError as error:
            self._findings.append(Finding(self._place_of(error), f"this is not YAML: {_problem(error)}"))
            return None
        except _GivenUp:
            return None
        if node is not None and node.value is None and not node.marks:
            return None
        return node

    def _find(self, event: Any, message: str) -> None:
        self._findings.append(Finding(_at(self._source, _mark_of(event)), message))

    def _place_of(self, error: yaml.YAMLError) -> Place:
        unprintable = yaml.reader.Reader.NON_PRINTABLE.search(self._text)
        if isinstance(error, yaml.reader.ReaderError) and unprintable is not None:
            before = self._text[: unprintable.start()]
            return Place(self._source, before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)
        mark = getattr(error, "problem_mark", None)
        # What was opened and never closed is noticed far behind, often at the end; it is wrong where it begins.
        opened = getattr(error, "context_mark", None)
        context = getattr(error, "context", None) or ""
        never_closed = "flow" in context or "quoted scalar" in context
        if mark is not None and opened is not None and never_closed and mark.line > opened.line:
            mark = opened
        written = self._text.rstrip()
        last = written.count("\n")
        if mark is not None and mark.line > last:
            return Place(self._source, last + 1, len(written) - written.rfind("\n"))
        return Place(self._source, mark.line + 1, mark.column + 1) if mark else Place(self._source, 1, 1)

    def _node(self, event: Any, depth: int) -> Node:
        """The value that begins with an event, as a node of its own."""
        value, marks, children = self._value(event, depth)
        return Node(value, self._source, _mark_of(event), marks, children)

    def _value(self, event: Any, depth: int) -> tuple[Any, Sequence[int], dict[Any, Node] | None]:
        kind = type(event)
        self._built += 1
        if kind is yaml.AliasEvent:
            return self._alias(event)
        if event.tag is not None and event.tag != "!":
            self._find(event, f"{event.tag}: {_NO_TAGS}")
        if depth > _DEEPEST:
            self._find(event, f"nested more than {_DEEPEST} deep")
            raise _GivenUp
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        before = self._built
        found: tuple[Any, Sequence[int], dict[Any, Node] | None]
        if kind is yaml.ScalarEvent:
            found = (self._scalar(event), (), None)
        elif kind is yaml.MappingStartEvent:
            found = self._map(depth)
        else:
            found = self._sequence(depth)
        if event.anchor is not None:
            node = Node(found[0], self._source, _mark_of(event), found[1], found[2])
            self._anchors[event.anchor] = (node, self._built - before + 1)
        return found

    def _alias(self, event: Any) -> tuple[Any, Sequence[int], dict[Any, Node] | None]:
        meant = self._anchors.get(event.anchor)
        if meant is None:
            missing = "stands inside of what it means" if event.anchor in self._anchors else "no such anchor before it"
            self._find(event, f"*{event.anchor}: {missing}")
            return None, (), None
        node, weight = meant
        self._built += weight
        if self._built > len(self._text) + 1000:
            self._find(event, f"*{event.anchor}: aliases of aliases make too much of this file")
            raise _GivenUp
        return node.value, node.marks, dict(node.children) if node.children else None

    def _map(self, depth: int) -> tuple[Any, Sequence[int], dict[Any, Node] | None]:
        value: dict[str, Any] = {}
        marks: list[int] = []
        children: dict[Any, Node] | None = None
        names = self._names
        while not isinstance(key_event := self._next(), yaml.MappingEndEvent):
            name = None
            if isinstance(key_event, yaml.ScalarEvent) and key_event.tag is None:
                name = names.setdefault(key_event.value, key_event.value)
            else:
                self._value(key_event, depth + 1)
            event = self._next()
            if isinstance(event, yaml.ScalarEvent) and event.tag is None and event.anchor is None:
                self._built += 1
                one, own_marks, own_children = self._scalar(event), _NO_MARKS, None
            else:
                one, own_marks, own_children = self._value(event, depth + 1)
            if name is None:
                self._find(key_event, "expected a text as the key; a value in braces must be quoted")
            elif name == "<<" and not key_event.style:
                self._find(key_event, "<<: maps are not merged in these files, they are plain data")
            elif name in value:
                first = _at(self._source, marks[list(value).index(name)])
                self._find(key_event, f"{name} is written twice, first at {first}")
            else:
                value[name] = one
                marks.append(_mark_of(event))
                if own_marks:
                    children = {} if children is None else children
                    children[name] = Node(one, self._source, _mark_of(event), own_marks, own_children)
        return value, marks, children

    def _sequence(self, depth: int) -> tuple[Any, Sequence[int], dict[Any, Node] | None]:
        value: list[Any] = []
        marks: list[int] = []
        children: dict[Any, Node] | None = None
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            one, own_marks, own_children = self._value(event, depth + 1)
            if own_marks:
                children = {} if children is None else children
                children[len(value)] = Node(one, self._source, _mark_of(event), own_marks, own_children)
            value.append(one)
            marks.append(_mark_of(event))
        return value, marks, children

    def _scalar(self, event: Any) -> Any:
        text: str = event.value
        if not event.style:
            if text in _WORDS:
                return _WORDS[text]
            if text[0] in _NUMBER_STARTS and _NUMBER.fullmatch(text):
                return Plain(text)
        if self._may_have_jinja and any(mark in text for mark in JINJA):
            self._find(event, _NO_JINJA)
        return text


class _GivenUp(Exception):
    """What is wrong with a file was noted, and the rest of it can't be read."""


def _mark_of(event: Any) -> int:
    start = event.start_mark
    return int((start.line + 1) << _COLUMN_BITS | start.column + 1)


def _problem(error: yaml.YAMLError) -> str:
    words = [getattr(error, "context", None), getattr(error, "problem", None) or getattr(error, "reason", None)]
    return ", ".join(word for word in words if word) or str(error).splitlines()[0]


# ---- JSON Lines


class _JsonNode(Node):
    """A record on a line of its own; columns are looked for when they are asked for."""

    __slots__ = ("_line",)

    def __init__(self, value: Any, source: str, number: int, line: str) -> None:
        super().__init__(value, source, _mark(number, 1))
        self._line = line

    def mark_of(self, key: Any) -> int:
        if not isinstance(self.value, dict):
            return self.mark
        return _mark(self.mark >> _COLUMN_BITS, _column_of_value(self._line, str(key)))


def _column_of_value(line: str, key: str) -> int:
    """The column, from 1, of the value of a member of the outer map."""
    decoder = json.JSONDecoder()
    blank = re.compile(r"[ \t\r\n,:]*")
    position = line.index("{") + 1
    while True:
        position = blank.match(line, position).end()  # type: ignore[union-attr]
        name, position = decoder.raw_decode(line, position)
        position = blank.match(line, position).end()  # type: ignore[union-attr]
        if name == key:
            return position + 1
        _value, position = decoder.raw_decode(line, position)


def read_json_lines(text: str, source: str, findings: list[Finding]) -> Iterator[Node]:
    """One record a line; numbers keep their source text."""
    text = text.removeprefix("\ufeff")
    may_have_jinja = any(mark in text for mark in JINJA)
    names: dict[str, str] = {}

    def no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = {names.setdefault(key, key): value for key, value in pairs}
        if len(found) < len(pairs):
            keys = [key for key, _value in pairs]
            raise ValueError(f"{next(key for key in keys if keys.count(key) > 1)} is written twice")
        return found

    decode = json.JSONDecoder(
        parse_int=Plain, parse_float=Plain, parse_constant=_no_constant, object_pairs_hook=no_twins
    ).decode
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            node = _JsonNode(decode(line), source, number, line)
        except json.JSONDecodeError as error:
            place = Place(source, number, min(error.colno, len(line.rstrip()) + 1))
            findings.append(Finding(place, f"this is not JSON: {error.msg}"))
        except (ValueError, RecursionError) as error:
            reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            findings.append(Finding(Place(source, number, 1), f"this is not JSON: {reason}"))
        else:
            if may_have_jinja:
                findings += _jinja_in(node)
            yield node


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _jinja_in(node: Node) -> list[Finding]:
    if not isinstance(node.value, dict):
        return []
    return [
        Finding(_at(node.source, node.mark_of(name)), f"{name}: {_NO_JINJA}")
        for name, value in node.value.items()
        if _holds_jinja(value)
    ]


def _holds_jinja(value: Any) -> bool:
    if isinstance(value, str):
        return any(mark in value for mark in JINJA)
    if isinstance(value, dict):
        return any(map(_holds_jinja, value.values()))
    return isinstance(value, list) and any(map(_holds_jinja, value))


# ---- CSV


class _Table:
    """What all rows of a table share: the lines of its file, how cells are parted, the names in the first row."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self.lines = io.StringIO(text, newline="").readlines()
        first = self.lines[0] if self.lines else ""
        self.delimiter = max(",;\t", key=first.count)
        self.header: list[str] = []
        self.header_line = 1

    def mark(self, line: int, index: int) -> int:
        """Where a cell begins, of the row that begins in a line (both from 1)."""
        column, quoted, left = 1, False, index
        while left and line <= len(self.lines):
            text = self.lines[line - 1]
            if column > len(text):
                line, column = line + 1, 1
                continue
            letter = text[column - 1]
            if letter == '"':
                quoted = not quoted
            elif letter == self.delimiter and not quoted:
                left -= 1
            column += 1
        return _mark(line, column)


class _Row(Node):
    """A row of a table."""

    __slots__ = ("_table",)

    def __init__(self, value: Any, table: _Table, line: int) -> None:
        super().__init__(value, table.source, _mark(line, 1))
        self._table = table

    def mark_of(self, key: Any) -> int:
        if key not in self._table.header:
            return self.mark
        return self._table.mark(self.mark >> _COLUMN_BITS, self._table.header.index(key))

    def mark_of_name(self, key: Any) -> int:
        return self._table.mark(self._table.header_line, self._table.header.index(key))


def read_csv(text: str, source: str, findings: list[Finding]) -> Iterator[Node]:
    """One record a row, the field keys in the first. An empty cell is not managed; one with [ or { is JSON."""
    table = _Table(text.removeprefix("\ufeff"), source)
    csv.field_size_limit(_CELL_LIMIT)
    reader = csv.reader(table.lines, delimiter=table.delimiter, strict=True)
    may_have_jinja = any(mark in text for mark in JINJA)
    line = 1
    try:
        for row in reader:
            if not row:
                pass
            elif not table.header:
                table.header, table.header_line = [sys.intern(name.strip()) for name in row], line
                wrong = _wrong_header(table)
                findings += wrong
                if wrong:
                    return
            elif len(row) != len(table.header):
                findings.append(
                    Finding(
                        Place(source, line, 1),
                        f"expected {len(table.header)} cells as in the first row, these are {len(row)}",
                    )
                )
            else:
                node = _row(row, table, line, findings)
                if may_have_jinja:
                    findings += _jinja_in(node)
                yield node
            line = reader.line_num + 1
    except csv.Error as error:
        findings.append(Finding(Place(source, line, 1), f"this is not CSV: {error}"))


def _wrong_header(table: _Table) -> list[Finding]:
    wrong = []
    for index, name in enumerate(table.header):
        place = _at(table.source, table.mark(table.header_line, index))
        if not name:
            wrong.append(Finding(place, "this column has no name"))
        elif name in table.header[:index]:
            wrong.append(Finding(place, f"the column {name} is written twice"))
    return wrong


def _row(row: list[str], table: _Table, line: int, findings: list[Finding]) -> Node:
    value: dict[str, Any] = {}
    for name, cell in zip(table.header, row, strict=True):
        if not cell:
            continue
        if cell[0] in "[{":
            try:
                value[name] = json.loads(cell, parse_int=Plain, parse_float=Plain, parse_constant=_no_constant)
            except (ValueError, RecursionError) as error:
                place = _at(table.source, table.mark(line, table.header.index(name)))
                findings.append(Finding(place, f"{name}: this is not JSON: {error}"))
        else:
            value[name] = cell
    return _Row(value, table, line)


# ---- inline


def plain_node(value: Any, path: str) -> Node:
    """Values that were written inline in a playbook as nodes.

    :param path: where they stand, such as ``objects[3]``.
    """
    if isinstance(value, Mapping):
        members: dict[Any, Node] = {str(key): plain_node(one, f"{path}.{key}") for key, one in value.items()}
        return Node({key: member.value for key, member in members.items()}, path, 0, (), members)
    if isinstance(value, (list, tuple)):
        members = {index: plain_node(one, f"{path}[{index}]") for index, one in enumerate(value)}
        return Node([member.value for member in members.values()], path, 0, (), members)
    return Node(value, path, 0)
