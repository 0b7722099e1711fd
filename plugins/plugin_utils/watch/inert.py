# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of the service as they may stand in an event.

An event reaches playbooks as an extra variable, and Ansible trusts every text of those as a template. So a text that
Ansible could run is written as a template whose only result is that text, and a result is never rendered again. Every
other text stands as it is, so that conditions of a rulebook see it.

Before that, an action of a rulebook may take a text out of the event with a template of its own, such as
"{{ event.name }}". Where the result is a literal of Python, ansible-rulebook reads it as one. '\\x7b\\x7b' in quotes
would become two braces, "..." an Ellipsis that no JSON holds, and "{[]}" an error that takes the action away. So such a
text is written as a template too, and that template is none of those.
"""

from __future__ import annotations

import ast
import datetime as dt
import hashlib
import math
import re
import warnings
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from jinja2 import Environment, TemplateError, nodes
from jinja2.defaults import DEFAULT_NAMESPACE

_MARKERS = ("{{", "{%", "{#", "jinja2:", "$ANSIBLE_VAULT")
"""Parts by which Ansible, or ansible-rulebook, may see something else than a text."""

_PART_OF_A_MARKER = re.compile(r"""\{\Z|\\[xuUN0-7]|\{.*['"\\]|['"\\].*\{""", re.DOTALL)
"""Texts of which what a rulebook puts before or behind them, such as quotes or another text, could make a marker."""

_LONGEST_EXPRESSION = 500
"""Characters of a text of which it is still looked whether it is an expression or a literal. What is nested deeper than
a parser goes would be longer, here and with the stack of any reader.
"""

_LARGEST = 10**300
"""A number that each reader of JSON takes is smaller."""

_HARMLESS = (
    nodes.Template, nodes.Output, nodes.Name, nodes.Const, nodes.TemplateData, nodes.Add, nodes.Sub, nodes.Div,
    nodes.FloorDiv, nodes.And, nodes.Or, nodes.UnaryExpr, nodes.Compare, nodes.Operand, nodes.Tuple, nodes.List,
    nodes.Concat,
)  # fmt: skip
"""The parts of an expression that can't run anything: names, numbers, and how they are put together. A power, a product
with a text and a format may have no end.
"""

_FUNCTIONS = frozenset({*DEFAULT_NAMESPACE, "lookup", "now", "q", "query", "undef"})
"""The functions of Ansible's templates. A call of another name is an error there, such as in "Laptop (old)"."""

_COULD_CALL = re.compile(r"[(\[.|*%]|\bis\b|\bif\b")
"""One of them is in every expression that is more than names, numbers and sums."""

_IN_NO_STRING = '"\\\r$'
"""Characters that end a string of Jinja, hide its end, are another character there, or make ansible-rulebook think that
the template is vaulted.
"""

_MARK_DIGITS = 16

_PARSER = Environment(autoescape=True)


def inert(value: Any) -> Any:
    """A copy of a value made of plain JSON types alone, in which Ansible finds nothing to run."""
    if isinstance(value, str):
        text = str.__str__(value)
        return as_literal(text) if could_run(text) else text
    if isinstance(value, Mapping):
        # A rulebook that puts a whole map into a text puts its keys there, too.
        return {inert(str(name)): inert(one) for name, one in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [inert(one) for one in value]
    if isinstance(value, (float, Decimal)):
        # No JSON holds the others.
        return float(value) if math.isfinite(float(value)) else str(value)
    if isinstance(value, (dt.date, dt.datetime)):
        return value.isoformat()
    return value if value is None or isinstance(value, (bool, int)) else inert(str(value))


def could_run(text: str) -> bool:
    """Tells whether Ansible could run something of a text, or ansible-rulebook make something else of it."""
    if len(text) > _LONGEST_EXPRESSION or any(marker in text for marker in _MARKERS):
        return True
    return bool(_PART_OF_A_MARKER.search(text)) or _is_literal(text) or _is_expression(text)


def _is_literal(text: str) -> bool:
    """Tells whether Python reads something else of a text than a text, a number, a boolean or nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text, mode="eval")
        value = ast.literal_eval(tree)
    except (ValueError, SyntaxError, MemoryError):
        return False
    except (TypeError, RecursionError):
        return True
    number = tree.body.operand if isinstance(tree.body, ast.UnaryOp) else tree.body
    if not isinstance(number, ast.Constant):
        return True
    return not (value is None or (isinstance(value, (int, float)) and -_LARGEST < value < _LARGEST))


def _is_expression(text: str) -> bool:
    """Tells whether a text is an expression of Jinja that could run something."""
    if not _COULD_CALL.search(text):
        return False
    try:
        tree = _PARSER.parse("{{ " + text + " }}")
    except TemplateError:
        return False
    except RecursionError:
        return True
    return any(not _is_harmless(node) for node in _nodes(tree))


def _nodes(tree: nodes.Node) -> Iterator[nodes.Node]:
    """All nodes of a tree, however deep it is."""
    left = [tree]
    while left:
        node = left.pop()
        yield node
        left.extend(node.iter_child_nodes())


def _is_harmless(node: nodes.Node) -> bool:
    if isinstance(node, nodes.Call):
        return isinstance(node.node, nodes.Name) and node.node.name not in _FUNCTIONS
    if isinstance(node, nodes.Getitem):
        return isinstance(node.node, nodes.Name) and _is_number(node.arg)
    if isinstance(node, nodes.Mul):
        return _is_number(node)
    if isinstance(node, nodes.Mod):
        return _is_number(node.left)
    return isinstance(node, _HARMLESS)


def _is_number(node: nodes.Node) -> bool:
    """Tells whether an expression is a number, or a product of numbers."""
    if isinstance(node, nodes.Mul):
        return _is_number(node.left) and _is_number(node.right)
    return isinstance(node, nodes.Const) and isinstance(node.value, (int, float))


def as_literal(text: str) -> str:
    """A template that gives this text and does nothing else.

    What could end a string of Jinja stands in none: Jinja takes a backslash for the beginning of an escape where it
    looks for the end of a string, and Ansible for itself. So others stand in for those characters, until the template
    is rendered. They are made of the text, so they are not in it.

    The empty text before it keeps Python from reading the template as a set in a set.
    """
    mark = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK_DIGITS]
    string, filters = text, ""
    for character in _IN_NO_STRING:
        stand_in = f"{mark}-{ord(character)}-"
        if character in string:
            string = string.replace(character, stand_in)
            filters += f' | replace("{stand_in}", "%c" % {ord(character)})'
    return f'{{{{ "" ~ "{string}"{filters} }}}}'
