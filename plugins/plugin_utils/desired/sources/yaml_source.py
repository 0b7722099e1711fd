# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read YAML into plain values with their places.

Files are data: no Jinja and no tags. The source text of every plain scalar is kept, so that ``0001234`` never silently
becomes a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NoReturn

import yaml

from ....module_utils.model.field import MOST_CHARACTERS, Plain
from ..nodes import COLUMN_BITS, DEEPEST, JINJA, NO_JINJA, NO_NUL, NUL, TOO_LONG, Node, TreeNode, place_at
from ..positions import Finding, Place
from ..words import NULL_WORDS, BareWord

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAB = "a tab; YAML indents with spaces"
_LINE_ENDS = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
_NO_TAGS = "tags are not allowed in these files, they are plain data"

#: Plain scalars that YAML reads as something else than text.
#:
#: Words that only YAML 1.1 reads as true or false stay text, and so do the words for nothing of other programs.
_WORDS: dict[str, Any] = {
    **{word: BareWord(word) for word in NULL_WORDS},
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **{text: Plain(text) for word in ("yes", "no", "on", "off") for text in (word, word.capitalize(), word.upper())},
}

#: Scalars that YAML 1.1 or 1.2 reads as a number or a date.
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

_NUMBER_STARTS = frozenset("0123456789+-.")


class _Loader(_Base):  # type: ignore[misc]
    """The loader of the library. A value without a tag in the file gets none."""

    def resolve(self, _kind: Any, _value: Any, _implicit: Any) -> str:
        return ""


def read_yaml(text: str, source: str, findings: list[Finding]) -> Node | None:
    """Return the one document of a YAML file. Return None if it is empty or, after a finding, unreadable."""
    return _Yaml(text.removeprefix("\ufeff"), source, findings).document()


class _Yaml:
    """Build plain data from the nodes of the library."""

    def __init__(self, text: str, source: str, findings: list[Finding]) -> None:
        self._text = text
        self._source = source
        self._findings = findings
        self._may_have_jinja = any(mark in text for mark in JINJA)
        self._names: dict[str, str] = {}
        self._built = 0

    def document(self) -> TreeNode | None:
        loader = _Loader(self._text)
        try:
            written = loader.get_single_node()
            node = None if written is None else self._node(written, 0)
        except (yaml.YAMLError, RecursionError) as error:
            problem = _TAB if self._is_tab(error) else _problem(error)
            self._findings.append(Finding(self._place_of(error), f"this is not YAML: {problem}"))
            return None
        except _GivenUp:
            return None
        finally:
            loader.dispose()
        return None if node is None or (node.value is None and not node.marks) else node

    def _is_tab(self, error: Exception) -> bool:
        """Return True if a tab is where YAML expects spaces."""
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else "".join(_LINE_ENDS.split(self._text)[mark.line : mark.line + 1])
        return mark is not None and line[mark.column : mark.column + 1] == "\t"

    def _place_of(self, error: Exception) -> Place:
        if isinstance(error, yaml.reader.ReaderError):
            before = yaml.reader.Reader.NON_PRINTABLE.split(self._text, maxsplit=1)[0]
            return Place(self._source, before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1)
        # The parser notices an unclosed bracket or quote at the end of the file. The mistake is where it opens.
        last = self._text.rstrip().count("\n")
        marks = [getattr(error, name, None) for name in ("problem_mark", "context_mark")]
        mark = next((mark for mark in marks if mark is not None and mark.line <= last), None)
        return Place(self._source, mark.line + 1, mark.column + 1) if mark else Place(self._source, last + 1, 1)

    def _find(self, node: Any, message: str) -> None:
        self._findings.append(Finding(place_at(self._source, _mark_of(node)), message))

    def _give_up(self, node: Any, message: str) -> NoReturn:
        self._find(node, message)
        raise _GivenUp

    def _node(self, written: Any, depth: int) -> TreeNode:
        """Return a value as a node of its own."""
        self._built += 1
        if self._built > len(self._text) + 1000:
            self._give_up(written, "aliases of aliases expand this file too much")
        if depth > DEEPEST:
            self._give_up(written, f"nested more than {DEEPEST} deep")
        if written.tag not in ("", "!"):
            self._find(written, f"{written.tag}: {_NO_TAGS}")
        mark = _mark_of(written)
        if isinstance(written, yaml.ScalarNode):
            return TreeNode(self._scalar(written), self._source, mark)
        is_map = isinstance(written, yaml.MappingNode)
        named = self._named(written) if is_map else enumerate(written.value)
        members: dict[Any, TreeNode] = {name: self._node(member, depth + 1) for name, member in named}
        values = [member.value for member in members.values()]
        children = {name: member for name, member in members.items() if member.marks}
        value = dict(zip(members, values, strict=True)) if is_map else values
        return TreeNode(value, self._source, mark, [member.mark for member in members.values()], children or None)

    def _named(self, written: Any) -> Iterator[tuple[str, Any]]:
        """Yield the members of a map whose names can be read, and note the others."""
        found: dict[str, Any] = {}
        for key, member in written.value:
            name = key.value if isinstance(key, yaml.ScalarNode) and not key.tag else None
            if name is not None and len(name) > MOST_CHARACTERS:
                self._give_up(key, TOO_LONG)
            if name is not None and NUL in name:
                self._find(key, f"the key {NO_NUL}")
            if name is None:
                self._find(key, "expected a text as the key; a value in braces must be quoted")
            elif name == "<<" and not key.style:
                self._find(key, "<<: maps are not merged in these files, they are plain data")
            elif name in found:
                first = place_at(self._source, _mark_of(found[name]))
                self._find(key, f"{name} is written twice, first at {first}")
            else:
                found[name] = member
                yield self._names.setdefault(name, name), member

    def _scalar(self, written: Any) -> Any:
        text: str = written.value
        if len(text) > MOST_CHARACTERS:
            self._give_up(written, TOO_LONG)
        if not written.style:
            if text in _WORDS:
                return _WORDS[text]
            if text[0] in _NUMBER_STARTS and _NUMBER.fullmatch(text):
                return Plain(text)
        if self._may_have_jinja and any(mark in text for mark in JINJA):
            self._find(written, NO_JINJA)
        if written.style == '"' and NUL in text:
            self._find(written, NO_NUL)
        return text


class _GivenUp(Exception):
    """Raised if the rest of a file can't be read. The mistake was noted."""


def _mark_of(written: Any) -> int:
    start = written.start_mark
    return int((start.line + 1) << COLUMN_BITS | start.column + 1)


def _problem(error: Exception) -> str:
    words = [getattr(error, "context", None), getattr(error, "problem", None) or getattr(error, "reason", None)]
    return ", ".join(word for word in words if word) or str(error).splitlines()[0]
