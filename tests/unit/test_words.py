# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Docstrings are sentences, and names of variables say what they hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from project import ROOT

NO_BEGINNINGS = {"as", "by", "of", "so", "what", "whether", "which", "who", "where"}
NO_NAMES = {"of", "what", "here", "where", "ground", "world", "call", "door", "wish", "named"}

SOURCES = sorted((ROOT / "plugins").rglob("*.py"))
_SHIPPED = set(SOURCES)
LIBRARIES = sorted(path for name in ("support", "tools", "emulator") for path in (ROOT / "tests" / name).rglob("*.py"))


def docstrings(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Every name and its docstring, those of constants and of attributes among them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield getattr(node, "name", "module"), ast.get_docstring(node) or ""
        if isinstance(node, ast.Module | ast.ClassDef):
            for before, after in pairwise(node.body):
                is_named = isinstance(before, ast.Assign | ast.AnnAssign)
                if is_named and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                    yield ast.unparse(before).partition(" ")[0].rstrip(":"), str(after.value.value)


def noun_clauses(tree: ast.Module) -> Iterator[str]:
    """The docstrings that begin with a word such as What, so that they are no sentences."""
    for name, text in docstrings(tree):
        words = text.split()
        if words and words[0].strip(",.:;*`").lower() in NO_BEGINNINGS:
            yield f"{name}: {' '.join(words[:8])}"


def empty_names(tree: ast.Module) -> Iterator[str]:
    """The variables, parameters and attributes of classes with a name that does not say what they hold."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            name = node.attr
        elif isinstance(node, ast.arg):
            name = node.arg
        else:
            continue
        if name.strip("_") in NO_NAMES:
            yield f"line {node.lineno}: {name}"


@pytest.mark.parametrize("path", SOURCES + LIBRARIES, ids=lambda path: str(path.relative_to(ROOT)))
def test_docstrings_begin_with_their_subject_or_verb_and_names_say_what_they_hold(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    assert list(noun_clauses(tree)) == []
    assert path not in _SHIPPED or list(empty_names(tree)) == []


def test_every_kind_of_docstring_is_seen() -> None:
    source = '"""What."""\nclass One:\n    """Whether, or not."""\n    def two(self):\n        """Where it is."""\n'
    assert list(noun_clauses(ast.parse(source))) == ["module: What.", "One: Whether, or not.", "two: Where it is."]
    constants = 'ONE = 1\n"""Of a page."""\nclass Two:\n    three: int = 3\n    """So many."""\n'
    assert list(noun_clauses(ast.parse(constants))) == ["ONE: Of a page.", "three: So many."]


@pytest.mark.parametrize(
    "source",
    [
        "where = 1",
        "def f(of): ...",
        "def f(*, call): ...",
        "f = lambda what: 1",
        "for named in (): ...",
        "[1 for _here in ()]",
        "class One:\n    door: str",
        "self._wish = 1",
        "if (world := 1): ...",
        "with one() as ground: ...",
    ],
)
def test_every_kind_of_variable_is_seen(source: str) -> None:
    assert len(list(empty_names(ast.parse(source)))) == 1
