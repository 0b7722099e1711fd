# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read YAML into plain values with their places.

Files are data: no Jinja and no tags. The source text of every plain scalar is kept, so that ``0001234`` never silently
becomes a number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NoReturn

import yaml

from ....module_utils.model.field import MOST_CHARACTERS, Plain
from ..nodes import (
    COLUMN_BITS,
    DEEPEST,
    JINJA,
    NO_JINJA,
    NO_NUL,
    NUL,
    TOO_LONG,
    Node,
    TreeNode,
    place_at,
)
from ..positions import Finding, Place
from ..words import NULL_WORDS, BareWord

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAB = "a tab; YAML indents with spaces"
_LINE_ENDS = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
_NO_TAGS = "tags are not allowed in these files, they are plain data"

_WORDS: dict[str, Any] = {
    **{word: BareWord(word) for word in NULL_WORDS},
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **{text: Plain(text) for word in ("yes", "no", "on", "off") for text in (word, word.capitalize(), word.upper())},
}
"""Plain scalars that YAML reads as something else than text.

Words that only YAML 1.1 reads as true or false stay text, and so do the words for nothing of other programs.
"""

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
"""Scalars that YAML 1.1 or 1.2 reads as a number or a date."""

_NO_MARKS: Sequence[int] = ()
_NUMBER_STARTS = frozenset("0123456789+-.")


def read_yaml(text: str, source: str, findings: list[Finding]) -> Node | None:
    """Return the one document of a YAML file. Return None if it is empty or, after a finding, unreadable."""
    return _Yaml(text.removeprefix("\ufeff"), source, findings).document()


class _Yaml:
    """Build plain data from the events of the parser, which is much cheaper than composing nodes."""

    def __init__(self, text: str, source: str, findings: list[Finding]) -> None:
        self._text = text
        self._source = source
        self._findings = findings
        self._may_have_jinja = any(mark in text for mark in JINJA)
        self._names: dict[str, str] = {}
        self._anchors: dict[str, tuple[TreeNode, int] | None] = {}
        self._built = 0

    def document(self) -> TreeNode | None:
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
            problem = _TAB if self._is_tab(error) else _problem(error)
            self._findings.append(Finding(self._place_of(error), f"this is not YAML: {problem}"))
            return None
        except _GivenUp:
            return None
        if node is not None and node.value is None and not node.marks:
            return None
        return node

    def _is_tab(self, error: yaml.YAMLError) -> bool:
        """Return True if a tab is where YAML expects spaces."""
        mark = getattr(error, "problem_mark", None)
        if mark is None:
            return False
        line = _LINE_ENDS.split(self._text)[mark.line : mark.line + 1]
        return "".join(line)[mark.column : mark.column + 1] == "\t"

    def _find(self, event: Any, message: str) -> None:
        self._findings.append(Finding(place_at(self._source, _mark_of(event)), message))

    def _give_up(self, event: Any, message: str) -> NoReturn:
        self._find(event, message)
        raise _GivenUp

    def _place_of(self, error: yaml.YAMLError) -> Place:
        unprintable = yaml.reader.Reader.NON_PRINTABLE.search(self._text)
        if isinstance(error, yaml.reader.ReaderError) and unprintable is not None:
            before = self._text[: unprintable.start()]
            return Place(self._source, before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)
        mark = getattr(error, "problem_mark", None)
        # The parser notices an unclosed bracket or quote at the end of the file. The mistake is where it opens.
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

    def _node(self, event: Any, depth: int) -> TreeNode:
        """Return the value that begins with an event, as a node of its own."""
        value, marks, children = self._value(event, depth)
        return TreeNode(value, self._source, _mark_of(event), marks, children)

    def _value(self, event: Any, depth: int) -> tuple[Any, Sequence[int], dict[Any, Node] | None]:
        kind = type(event)
        self._built += 1
        if kind is yaml.AliasEvent:
            return self._alias(event)
        if event.tag is not None and event.tag != "!":
            self._find(event, f"{event.tag}: {_NO_TAGS}")
        if depth > DEEPEST:
            self._give_up(event, f"nested more than {DEEPEST} deep")
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        before = self._built
        found: tuple[Any, Sequence[int], dict[Any, Node] | None]
        if kind is yaml.ScalarEvent:
            found = (self._scalar(event), (), None)
        else:
            found = self._map(depth) if kind is yaml.MappingStartEvent else self._sequence(depth)
        if event.anchor is not None:
            node = TreeNode(found[0], self._source, _mark_of(event), found[1], found[2])
            self._anchors[event.anchor] = (node, self._built - before + 1)
        return found

    def _alias(self, event: Any) -> tuple[Any, Sequence[int], dict[Any, Node] | None]:
        target = self._anchors.get(event.anchor)
        if target is None:
            missing = (
                "is inside the value it refers to" if event.anchor in self._anchors else "no such anchor before it"
            )
            self._find(event, f"*{event.anchor}: {missing}")
            return None, (), None
        node, weight = target
        self._built += weight
        if self._built > len(self._text) + 1000:
            self._give_up(event, f"*{event.anchor}: aliases of aliases expand this file too much")
        return node.value, node.marks, dict(node.children) if node.children else None

    def _map(self, depth: int) -> tuple[Any, Sequence[int], dict[Any, Node] | None]:
        value: dict[str, Any] = {}
        marks: list[int] = []
        children: dict[Any, Node] | None = None
        first_marks: dict[str, int] | None = None
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
                member, own_marks, own_children = self._scalar(event), _NO_MARKS, None
            else:
                member, own_marks, own_children = self._value(event, depth + 1)
            if name is not None and len(name) > MOST_CHARACTERS:
                self._give_up(key_event, TOO_LONG)
            if name is not None and NUL in name:
                self._find(key_event, f"the key {NO_NUL}")
            if name is None:
                self._find(key_event, "expected a text as the key; a value in braces must be quoted")
            elif name == "<<" and not key_event.style:
                self._find(key_event, "<<: maps are not merged in these files, they are plain data")
            elif name in value:
                if first_marks is None:
                    first_marks = dict(zip(value, marks, strict=True))
                first = place_at(self._source, first_marks[name])
                self._find(key_event, f"{name} is written twice, first at {first}")
            else:
                value[name] = member
                marks.append(_mark_of(event))
                if first_marks is not None:
                    first_marks[name] = marks[-1]
                if own_marks:
                    children = {} if children is None else children
                    children[name] = TreeNode(member, self._source, _mark_of(event), own_marks, own_children)
        return value, marks, children

    def _sequence(self, depth: int) -> tuple[Any, Sequence[int], dict[Any, Node] | None]:
        value: list[Any] = []
        marks: list[int] = []
        children: dict[Any, Node] | None = None
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            item, own_marks, own_children = self._value(event, depth + 1)
            if own_marks:
                children = {} if children is None else children
                children[len(value)] = TreeNode(item, self._source, _mark_of(event), own_marks, own_children)
            value.append(item)
            marks.append(_mark_of(event))
        return value, marks, children

    def _scalar(self, event: Any) -> Any:
        text: str = event.value
        if len(text) > MOST_CHARACTERS:
            self._give_up(event, TOO_LONG)
        if not event.style:
            if text in _WORDS:
                return _WORDS[text]
            if text[0] in _NUMBER_STARTS and _NUMBER.fullmatch(text):
                return Plain(text)
        if self._may_have_jinja and any(mark in text for mark in JINJA):
            self._find(event, NO_JINJA)
        if event.style == '"' and NUL in text:
            self._find(event, NO_NUL)
        return text


class _GivenUp(Exception):
    """Raised if the rest of a file can't be read. The mistake was noted."""


def _mark_of(event: Any) -> int:
    start = event.start_mark
    return int((start.line + 1) << COLUMN_BITS | start.column + 1)


def _problem(error: yaml.YAMLError) -> str:
    words = [getattr(error, "context", None), getattr(error, "problem", None) or getattr(error, "reason", None)]
    return ", ".join(word for word in words if word) or str(error).splitlines()[0]
