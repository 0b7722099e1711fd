# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Markdown without any unescaped foreign text.

Only :class:`Markdown` texts, which this collection writes itself, are markup. Every other text becomes a code span: one
line without markup, mentions, links, or anything that a code host treats as an instruction.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

from ...module_utils.printing.cleaner import clean

_MOST_TICKS = 8
"""Maximum number of consecutive backticks for which a fence is made longer. Renderers limit the length of fences."""


_OF_A_URL = ":/?#[]@!$&'()*+,;=%~"
"""The characters of a URL besides letters, digits and ``-._``."""

_WORD = re.compile(r"[a-z]+(?:_[a-z]+)*")


class Markdown(str):
    """A text in Markdown."""

    __slots__ = ()

    def fill(self, **texts: object) -> Markdown:
        """Replace names in braces: numbers and Markdown stay unchanged, everything else becomes code."""
        return Markdown(self.format(**{name: _written(text) for name, text in texts.items()}))

    @classmethod
    def joined(cls, parts: Iterable[Markdown], between: str = "") -> Markdown:
        """Join parts."""
        return cls(between.join(_written(part) for part in parts))


def _written(value: object) -> str:
    if isinstance(value, Markdown):
        return value
    return str(value) if isinstance(value, int) else code(str(value))


def code(text: str) -> Markdown:
    """Return a text in a fence that nothing in the text can close."""
    text = clean(text)
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    if longest > _MOST_TICKS:
        text, longest = text.replace("`", "\\u0060"), 0
    fence = "`" * (longest + 1)
    return Markdown(f"{fence} {text} {fence}" if longest or not text.strip() else f"`{text}`")


def link(words: str, url: str) -> Markdown:
    """Return a link. Characters that would end it are percent-encoded.

    :param words: our own words.
    """
    return Markdown(f"[{words}](<{quote(clean(url), safe=_OF_A_URL)}>)")


def word(text: str) -> Markdown:
    """Return a word such as ``partly_applied`` unchanged, and anything else as code."""
    return Markdown(text) if _WORD.fullmatch(text) else code(text)


def cell(text: str) -> Markdown:
    r"""Return a text in a cell of a table.

    A bar would end the cell, even in a code span. Whether ``\|`` ends the cell depends on the characters before it.
    """
    return word(text.replace("|", "\\u007c"))
