# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Markdown into which no text of others gets as it is.

What is :class:`Markdown` was written in the code. Every other text that is put into it becomes a code span: one line,
no markup, no mention, no link, nothing that a code host takes for an instruction.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

from ansible_collections.community.seventhings.plugins.module_utils.printing.cleaner import clean

_MOST_TICKS = 8
"""Backticks in a row that a fence is made longer than. Renderers know fences only up to some length."""


_OF_A_URL = ":/?#[]@!$&'()*+,;=%~"
"""The characters that a URL may hold besides letters, digits and ``-._``."""

_WORD = re.compile(r"[a-z]+(?:_[a-z]+)*")


class Markdown(str):
    """A text that is Markdown."""

    __slots__ = ()

    def fill(self, **texts: object) -> Markdown:
        """Puts texts in the place of their names in braces: numbers and Markdown as they are, all else as code."""
        return Markdown(self.format(**{name: _written(text) for name, text in texts.items()}))

    @classmethod
    def of(cls, parts: Iterable[Markdown], between: str = "") -> Markdown:
        """Parts one after the other."""
        return cls(between.join(_written(part) for part in parts))


def _written(value: object) -> str:
    if isinstance(value, Markdown):
        return value
    return str(value) if isinstance(value, int) else code(str(value))


def code(text: str) -> Markdown:
    """A text as it is, in a fence that nothing in it can close."""
    text = clean(text)
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    if longest > _MOST_TICKS:
        text, longest = text.replace("`", "\\u0060"), 0
    fence = "`" * (longest + 1)
    return Markdown(f"{fence} {text} {fence}" if longest or not text.strip() else f"`{text}`")


def link(words: str, url: str) -> Markdown:
    """A link. What would end it stands as URLs write it.

    :param words: of ours.
    """
    return Markdown(f"[{words}](<{quote(clean(url), safe=_OF_A_URL)}>)")


def word(text: str) -> Markdown:
    """A word as it is, such as ``partly_applied``; anything else as code."""
    return Markdown(text) if _WORD.fullmatch(text) else code(text)


def cell(text: str) -> Markdown:
    """A text in a cell of a table. A bar would end it, even in a code span, and whether ``\\|`` does depends on what
    stands before it.
    """
    return word(text.replace("|", "\\u007c"))
