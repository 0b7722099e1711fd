# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Docstrings describe parameters and attributes that exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from project import ROOT

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

_DESCRIBED = re.compile(r":(?:param|ivar) (\w+):")


def names_of(definition: Definition) -> set[str]:
    """Return the parameters of a function, or the names in a class."""
    if not isinstance(definition, ast.ClassDef):
        given = definition.args
        listed = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
        return {argument.arg for argument in listed if argument is not None}
    found: set[str] = set()
    for node in ast.walk(definition):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.FunctionDef):
            found.add(node.name)
    return found


def definitions(body: Iterable[ast.stmt]) -> Iterator[Definition]:
    """Yield the classes and functions of a file, and those directly in them."""
    for statement in body:
        if isinstance(statement, Definition):
            yield statement
            yield from definitions(statement.body)


def unknown_names(path: Path) -> Iterator[str]:
    """Yield the described names that a file does not have, each with its class or function."""
    text = path.read_text("utf-8")
    for definition in definitions(ast.parse(text).body) if _DESCRIBED.search(text) else ():
        described = set(_DESCRIBED.findall(ast.get_docstring(definition, clean=False) or ""))
        unknown = described - names_of(definition) if described else ()
        yield from (f"{path.relative_to(ROOT)}:{definition.lineno} {definition.name}: {name}" for name in unknown)


def test_described_names_exist() -> None:
    assert [line for path in (ROOT / "plugins").rglob("*.py") for line in unknown_names(path)] == []
