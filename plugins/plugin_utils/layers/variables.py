# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Replace variables of files: ``${name}`` in values, declared in ``instance.yml``. Files stay data: no expressions.

``${$}`` is a dollar. If ``instance.yml`` declares no variables, ``${`` has no special meaning.
"""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...module_utils.model.field import CellList, CellMap, Plain, shorten, typed
from ...module_utils.model.suggestions import did_you_mean
from ..ansible_compat import was_vaulted
from ..desired.nodes import Node, TreeNode
from ..desired.positions import Finding, Place
from ..desired.shapes import map_of, one_that

TYPES = ("string", "integer", "number", "boolean")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_USE = re.compile(r"\$\{([^{}]*)\}|\$\{")
_MARK = "${"
#: Maximum number of variables that files may declare.
MOST_VARIABLES = 1000
#: Maximum characters of all replacements: a use is short, but its value may have a million characters.
MOST_FILLED = 64 << 20
_HOW_TO_GIVE = "give it in variables of the task, or a default in instance.yml"


_TYPE = one_that(lambda value: value in TYPES, f"one of {', '.join(TYPES)}")
_ANYTHING = one_that(lambda _value: True, "")
_PARTS = {"type": _TYPE, "description": _ANYTHING, "default": _ANYTHING}
_DECLARATION = map_of(_PARTS, "a map with type, description, default")
_EXAMPLE = f"{{city: {{type: {' | '.join(TYPES)}}}}}"


@dataclass(frozen=True)
class Variable:
    """A declared variable.

    :ivar place: of the declaration.
    :ivar default: the value if the task gives none; None for no default.
    """

    name: str
    type: str
    place: Place
    default: Any = None


class Variables:
    """Replace variables in values.

    :param given: the values that the task gives.
    :ivar findings: errors in declarations and given values, and uses of unknown variables.
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given
        self._declared: dict[str, Variable] = {}
        self._values: dict[str, Any] = {}
        self._wrong: set[str] = set()
        self._used: set[str] = set()
        self._is_first = True
        self._filled = 0
        self.findings: dict[Finding, None] = {}

    # ---- declarations

    def declare(self, settings: Node | None) -> None:
        """Add the declarations of the next layer.

        :param settings: the content of its ``instance.yml``; None if it has none.
        """
        is_first, self._is_first = self._is_first, False
        if settings is None or not isinstance(settings.value, dict) or "variables" not in settings.value:
            return
        node = settings.member("variables")
        if not isinstance(node.value, dict) or len(node.value) > MOST_VARIABLES:
            self._find(node, f"variables: expected a map such as {_EXAMPLE}, with at most {MOST_VARIABLES:,} variables")
            return
        for name, member in node.members.items():
            before = len(self.findings)
            read = {} if member.value is None else _DECLARATION(member, f"variables.{name}", self._find)
            if len(self.findings) == before:
                self._declare(str(name), read, member, is_first)
            if len(self.findings) > before:
                self._wrong.add(str(name))

    def _declare(self, name: str, read: Mapping[str, Any], node: Node, is_first: bool) -> None:
        """Add a declaration, which is a finding if it does not fit."""
        earlier = self._declared.get(name, Variable(name, TYPES[0], node.place))
        variable = replace(earlier, type=read.get("type", earlier.type), default=read.get("default", earlier.default))
        if not _NAME.fullmatch(name):
            self._find(node, f"variables.{name}: expected a name of at most 100 letters, digits and _")
        elif not is_first and name not in self._declared:
            self._find(node, f"variables.{name}: the first layer declares the variables, and not this one")
        elif not is_first and variable.type != earlier.type:
            self._find(node, f"variables.{name}: {earlier.place} declares it as {earlier.type}")
        elif variable.default is not None and not _fits(variable.type, variable.default):
            words = f"{shorten(typed(variable.default))} does not fit; expected {_WORDS[variable.type]}"
            self._find(node.member("default"), f"variables.{name}.default: {words}")
        else:
            self._declared[name] = variable

    def _find(self, node: Node, message: str) -> None:
        self.findings[Finding(node.place, message)] = None

    def settle(self) -> None:
        """Apply the values of the task. From now on values can be replaced."""
        for name, variable in self._declared.items():
            value = self._given.get(name)
            wrong = ""
            if value is None:
                value = variable.default
            elif was_vaulted(value):
                # The value would appear in plans, reports and journals.
                wrong = "is vaulted; write vaulted values in files or in desired"
            elif not _fits(variable.type, value):
                wrong = f"expected {_WORDS[variable.type]}, as {variable.place} declares it"
            if wrong:
                self.findings[Finding.plain(Place(f"variables.{name}"), wrong)] = None
                self._wrong.add(name)
            elif value is not None:
                self._values[name] = _as_typed(variable.type, value)

    def warnings(self) -> list[str]:
        """Return warnings about variables that are declared or given but not used."""
        declared = [
            f"{variable.place}: the variable {name} is not used"
            for name, variable in self._declared.items()
            if name not in self._used
        ]
        unknown = [name for name in self._given if name not in self._declared and name not in self._wrong]
        return declared + [f"variables.{name}: instance.yml declares no such variable" for name in unknown]

    # ---- values

    def fill(self, node: Node, leave: Sequence[str] = ()) -> Node:
        """Return a value with its variables replaced. A use that cannot be replaced is a finding, and stays.

        :param leave: members that stay as they are.
        """
        value = node.value
        if not (self._declared or self._wrong) or not _has_mark(value):
            return node
        if isinstance(value, dict):
            left = frozenset(leave)
            children = {
                key: self.fill(node.member(key))
                for key, member in value.items()
                if key not in left and _has_mark(member)
            }
            members = {key: children[key].value if key in children else member for key, member in value.items()}
            filled: Any = CellMap(members, self._text(value.text, node)) if isinstance(value, CellMap) else members
        elif isinstance(value, list):
            children = {index: self.fill(node.member(index)) for index, item in enumerate(value) if _has_mark(item)}
            items = [children[index].value if index in children else item for index, item in enumerate(value)]
            filled = CellList(items, self._text(value.text, node)) if isinstance(value, CellList) else items
        else:
            children, filled = {}, self._scalar(value, node)
        return _with_value(node, filled, children)

    def _scalar(self, text: str, node: Node) -> Any:
        whole = _USE.fullmatch(text)
        if whole is not None and whole[1] != "$":
            return self._value(whole[0], whole[1], node)
        return self._text(text, node)

    def _text(self, text: str, node: Node) -> str:
        return _USE.sub(lambda use: _as_text(self._value(use[0], use[1], node)), text)

    def _value(self, use: str, name: str | None, node: Node) -> Any:
        """Return the value of one use of a variable, or the use itself after a finding."""
        if name == "$":
            return "$"
        if name is None or not _NAME.fullmatch(name):
            self._find(node, f"{use}: expected the name of a variable in braces; ${{$}} is a dollar")
            return use
        self._used.add(name)
        if name in self._values:
            value = self._values[name]
            self._filled += len(value) if isinstance(value, str) else 0
            if self._filled <= MOST_FILLED:
                return value
            if name not in self._wrong:
                self._wrong.add(name)
                words = f"variables are replaced by more than {MOST_FILLED >> 20} MiB in all values"
                self._find(node, f"{use}: {words}; write less into them, or use them less")
            return use
        if name not in self._wrong:
            exists = name in self._declared
            why = (
                f"has no value; {_HOW_TO_GIVE}" if exists else f"no such variable; {did_you_mean(name, self._declared)}"
            )
            self._find(node, f"{use}: {why}")
        return use


def escaped(value: Any) -> Any:
    """Return a value as it is written in files with variables, so that it keeps its meaning."""
    if isinstance(value, dict):
        return type(value)((key, escaped(member)) for key, member in value.items())
    if isinstance(value, (list, tuple)):
        return [escaped(item) for item in value]
    return value.replace(_MARK, "${$}{") if isinstance(value, str) and not isinstance(value, Plain) else value


def _has_mark(value: Any) -> bool:
    if isinstance(value, str):
        return _MARK in value
    if isinstance(value, dict):
        return any(_has_mark(member) for member in value.values())
    return isinstance(value, list) and any(_has_mark(item) for item in value)


def _with_value(node: Node, value: Any, children: Mapping[Any, Node]) -> Node:
    """Return a copy of a node, in the same place, with another value."""
    filled = copy.copy(node)
    filled.value = value
    if children and isinstance(filled, TreeNode) and (node.children is not None or node.__class__ is TreeNode):
        filled.children = {**(node.children or {}), **children}
    return filled


_WORDS = {
    "string": "a text, quoted where needed",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
}


def _fits(type_name: str, value: Any) -> bool:
    plain = typed(value) if isinstance(value, Plain) else value
    if type_name == "boolean" or isinstance(plain, bool):
        return type_name == "boolean" and isinstance(plain, bool)
    if type_name == "string":
        return isinstance(value, str) and not isinstance(value, Plain)
    return isinstance(plain, int) or (type_name == "number" and isinstance(plain, float) and math.isfinite(plain))


def _as_typed(type_name: str, value: Any) -> Any:
    # Keep the written form of a value in a file: 1.50 is not 1.5.
    if type_name == "string":
        return str(value)
    if isinstance(value, Plain):
        return typed(value) if type_name == "integer" else value
    return value if isinstance(value, bool) else int(value) if isinstance(value, int) else float(value)


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
