# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plain values with their places.

Places are computed on demand: most records are never wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any

from ...module_utils.model.field import MOST_CHARACTERS, Way
from ..ansible_compat import was_vaulted, without_vault_objects
from .dialect import Dialect
from .positions import CellPlace, Finding, Place, SheetSource, VaultedSource

JINJA = ("{{", "{%", "{#")
NO_JINJA = "no templates in these files, they are plain data; use desired in a playbook for computed values"
NUL = "\0"
#: How JSON writes a NUL character. Any other spelling is not JSON.
NUL_ESCAPED = "\\u0000"
NO_NUL = "contains a NUL character, which is not text"
#: Maximum depth of maps and lists.
DEEPEST = 40
TOO_LONG = f"expected a text of at most {MOST_CHARACTERS:,} characters"

COLUMN_BITS = 24


class _Everything:
    """A container with every name."""

    def __contains__(self, _name: object) -> bool:
        return True


#: The names of the fields of a record in a file that is vaulted as a whole.
EVERYTHING: Container[str] = _Everything()


def mark_at(line: int, column: int) -> int:
    """Return a place in a file as one number, which saves memory: there are very many places."""
    return line << COLUMN_BITS | min(column, (1 << COLUMN_BITS) - 1)


def texts_in(value: Any) -> Iterator[str]:
    """Yield all texts in a value, and the names of members."""
    if isinstance(value, Mapping):
        for name, member in value.items():
            yield name
            yield from texts_in(member)
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)
    elif isinstance(value, str):
        yield value


def place_at(source: str, mark: int) -> Place:
    """Return the place of a mark."""
    if isinstance(source, SheetSource):
        return CellPlace(source, mark >> COLUMN_BITS, mark & (1 << COLUMN_BITS) - 1)
    if isinstance(source, VaultedSource):
        return Place(source, mark >> COLUMN_BITS)
    return Place(source, mark >> COLUMN_BITS, mark & (1 << COLUMN_BITS) - 1) if mark else Place(source)


class Node:
    """A value with its place, and those of its members.

    :ivar value: plain data: maps, lists, texts, :class:`Plain` texts, true, false, None.
    """

    __slots__ = ("mark", "source", "value")

    #: True for a row of a table.
    is_row = False

    #: True for a record of another system, which an entry of ``tables`` maps.
    is_mapped = False

    #: The nodes of members that have members themselves.
    children: Mapping[Any, Node] | None = None

    def __init__(self, value: Any, source: str, mark: int) -> None:
        self.value = value
        self.source = source
        self.mark = mark

    @property
    def place(self) -> Place:
        """Return its place."""
        return place_at(self.source, self.mark)

    @property
    def is_misread(self) -> bool:
        """Return True if a part of it could not be read, so that its value is incomplete."""
        return False

    @property
    def members(self) -> dict[Any, Node]:
        """Return the nodes of the members: by key of a map, by index of a list."""
        if isinstance(self.value, dict):
            return {key: self.member(key) for key in self.value}
        if isinstance(self.value, list):
            return {index: self.member(index) for index in range(len(self.value))}
        return {}

    def member(self, key: Any) -> Node:
        """Return the node of one member."""
        if self.children and key in self.children:
            return self.children[key]
        return TreeNode(self.value[key], self.source, self.mark_of(key))

    def mark_of(self, _key: Any) -> int:
        """Return the position of a member."""
        return self.mark

    def items(self) -> list[Node]:
        """Return the nodes of a list."""
        return [self.member(index) for index in range(len(self.value))]

    # ---- a record and its fields

    def root_of(self, _name: str) -> str:
        """Return the directory of the local files of a field; empty if it is the directory of the record."""
        return ""

    def format_of(self, _name: str) -> Dialect | None:
        """Return the format of the table from which a field was read; None if it is in no table."""
        return None

    def is_cell(self, _name: str) -> bool:
        """Return True if a field was read from a row of a table, or of another system."""
        return self.is_row

    def empty_cells(self) -> Sequence[str]:
        """Return the columns in which a row of a table has an empty cell that means "not managed"."""
        return ()

    def of_name(self, name: str) -> Place:
        """Return the place of the name of a field. In a table it is in the first row."""
        return self.within((name,))

    def of_cell(self, name: str) -> Place | None:
        """Return the place of the cell of a column, empty or not; None if the table has no such column."""
        exists = name in self.value or name in self.empty_cells()
        return place_at(self.source, self.mark_of(name)) if exists else None

    def within(self, way: Way) -> Place:
        """Return the place of a part of a field, or of its nearest part that was written."""
        node: Node = self
        for step in way:
            exists = step in node.value if isinstance(node.value, dict) else step in range(_length(node.value))
            if not exists:
                break
            node = node.member(step)
        return node.place


#: The places of a record if no more is known than its own place.
UNKNOWN_PLACES = Node({}, "", 0)


class TreeNode(Node):
    """A value that knows the positions of its members."""

    __slots__ = ("_indexes", "children", "marks")

    def __init__(
        self, value: Any, source: str, mark: int, marks: Sequence[int] = (), children: Mapping[Any, Node] | None = None
    ) -> None:
        super().__init__(value, source, mark)
        self.marks = marks
        self.children = children
        self._indexes: dict[Any, int] | None = None

    def mark_of(self, key: Any) -> int:
        if not self.marks:
            return self.mark
        return self.marks[key if isinstance(self.value, list) else self._index_of(key)]

    def _index_of(self, key: Any) -> int:
        if self._indexes is None:
            self._indexes = {name: index for index, name in enumerate(self.value)}
        return self._indexes[key]


def _length(value: Any) -> int:
    return len(value) if isinstance(value, list) else 0


def plain_node(
    value: Any, path: str, vaulted: set[str] | None = None, is_vaulted: Callable[[Any], bool] = was_vaulted
) -> Node:
    """Return inline values of a playbook as nodes.

    :param path: their path, such as ``objects[3]``.
    :param vaulted: collects the paths of vaulted values, and of everything around them.
    :param is_vaulted: returns True if a value is vaulted.
    """
    paths = set() if vaulted is None else vaulted

    def inner(part: Any, below: str) -> Node:
        return plain_node(part, below, paths, is_vaulted)

    members: dict[Any, Node] = {}
    plain = without_vault_objects(value)
    if isinstance(value, Mapping):
        members = {str(key): inner(member, f"{path}.{key}") for key, member in value.items()}
        plain = {key: member.value for key, member in members.items()}
    elif isinstance(value, (list, tuple)):
        members = {index: inner(item, f"{path}[{index}]") for index, item in enumerate(value)}
        plain = [member.value for member in members.values()]
    if is_vaulted(value) or any(member.source in paths for member in members.values()):
        paths.add(path)
    return TreeNode(plain, path, 0, (), members or None)


_WRONG_TEXTS = (*((mark, NO_JINJA) for mark in JINJA), (NUL, NO_NUL))


def may_have_wrong_texts(text: str) -> bool:
    """Return True if records of a file may have texts that are not plain data."""
    return NUL_ESCAPED in text or any(mark in text for mark, _why in _WRONG_TEXTS)


def wrong_texts(node: Node) -> list[Finding]:
    """Return a finding for each field of a record with a template or a NUL character."""
    if not isinstance(node.value, dict):
        return []
    found = {
        name: why
        for name, value in node.value.items()
        for text in texts_in({name: value})
        for mark, why in _WRONG_TEXTS
        if mark in text
    }
    return [Finding(place_at(node.source, node.mark_of(name)), f"{name}: {why}") for name, why in found.items()]
