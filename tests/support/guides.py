# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read the snippets of the README and of the guides in docs/docsite/rst.

A comment right above a code block (``.. run``, or ``<!-- run -->`` in the README) says what the tests do with it:

``.. run``
    A playbook, or tasks that are put into one. It runs twice; the second run must change nothing.
``.. run --check --diff``
    It runs once, with these options.
``.. fails``
    It runs once, and must fail.
``.. file depot/rooms.yml``
    The content of this file from here on.
``.. inventory lab.seventhings.yml``
    An inventory file of this name; ``ansible-inventory --graph`` reads it.
``.. shows``
    Text: the output of the (first) run before it contains all of it, in these lines or wrapped. A line of three dots
replaces any lines. ``.. shows again`` The same, for the second run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from project import ROOT

README = ROOT / "README.md"
GUIDES = [README, *sorted((ROOT / "docs" / "docsite" / "rst").glob("guide_*.rst"))]

_BLOCK = re.compile(r"^(?:(?P<indent> *)\.\. code-block:: |```)(?P<language>[\w+]+)$")
_MARK = re.compile(r"^ *(?:\.\.|<!--) (?P<mark>(?:run|fails|file|inventory|shows)(?: (?!-->).*?)?)(?: -->)?$")


@dataclass(frozen=True)
class Snippet:
    """One code block: its place, its language, its text, and the comment above it."""

    guide: Path
    line: int
    language: str
    text: str
    mark: str

    def __str__(self) -> str:
        return f"{self.guide.name}:{self.line}"


def snippets(guide: Path) -> Iterator[Snippet]:
    """Return the code blocks of a guide in their order."""
    return parsed(guide, guide.read_text(encoding="utf-8"))


def parsed(guide: Path, text: str) -> Iterator[Snippet]:
    """Return the code blocks of the text of a guide."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        block = _BLOCK.match(line)
        if block is None:
            continue
        body = list(takewhile(_is_inside(block), lines[number + 1 :]))
        above = next((_MARK.match(text) for text in reversed(lines[:number]) if text.strip()), None)
        yield Snippet(guide, number + 1, block["language"], _dedent(body), above["mark"] if above else "")


def _is_inside(block: re.Match[str]) -> Callable[[str], bool]:
    """Return True if a line still belongs to a code block: it is indented more, or comes before the closing fence."""
    if block["indent"] is None:
        return lambda line: line != "```"
    indent = len(block["indent"])
    return lambda line: not line.strip() or len(line) - len(line.lstrip()) > indent


def _dedent(body: list[str]) -> str:
    filled = [line for line in body if line.strip()]
    margin = min((len(line) - len(line.lstrip()) for line in filled), default=0)
    return "\n".join(line[margin:] for line in body).strip("\n") + "\n"
