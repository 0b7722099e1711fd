# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a plan or an apply as a comment on a pull request, without any unescaped foreign text.

Only the template and texts that it marks as safe are markup. Every other text becomes a code span: one line without
markup, mentions, links, or anything that a code host treats as an instruction.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Template
from markupsafe import Markup

from ...module_utils.printing.cleaner import amount, clean
from .changes import SIGNS
from .html_report import template_environment
from .result import RunResult
from .view import view_of
from .words import MOST, short

#: Maximum characters of a comment on a pull request at the large code hosts, with some room for a heading.
_COMMENT_LIMIT = 60_000

#: Numbers of changes of a group to try until a comment is short enough.
_NUMBERS = (MOST, 5, 1, 0)

#: Maximum number of changes that are visible without a click.
_OPEN_AT_ONCE = 10

#: Maximum number of consecutive backticks for which a fence is made longer. Renderers limit the length of fences.
_MOST_TICKS = 8

#: The characters of a URL besides letters, digits and ``-._``.
_OF_A_URL = ":/?#[]@!$&'()*+,;=%~"

#: A word such as ``partly_applied`` or a number, which is not code in a cell.
_WORD = re.compile(r"[a-z]+(?:_[a-z]+)*|[0-9][0-9,.]*")


def as_markdown(result: RunResult, limit: int = _COMMENT_LIMIT, url: str = "") -> str:
    """Return the report for a pull-request comment within its maximum length.

    The beginning has cautions, refusals and failures, the meaning of the changes, and the counts. Many changes, the
    most important first, and the other warnings open with a click.

    :param limit: characters; ten thousand at least.
    :param url: of the full report; empty if unknown.
    """
    text = ""
    for most in _NUMBERS:
        text = _template().render(view=view_of(result, most), url=url)
        if len(text) <= limit:
            break
    return text


@functools.cache
def _template() -> Template:
    environment = template_environment(_written)
    environment.filters |= {"cell": _cell, "short": short}
    environment.globals |= {"amount": amount, "link": _link, "most_open": _OPEN_AT_ONCE, "signs": SIGNS}
    return environment.from_string(Path(__file__).with_name("plan.md.j2").read_text("utf-8"))


# ---- texts of others


class _Safe(str):
    """A text that a comment has as it is: our own words, or a text of others in a fence."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


def _written(value: Any) -> Any:
    return value if isinstance(value, (Markup, _Safe, int)) else _code(str(value))


def _code(text: str) -> _Safe:
    """Return a text in a fence that nothing in the text can close."""
    text = clean(text)
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    if longest > _MOST_TICKS:
        text, longest = text.replace("`", "\\u0060"), 0
    fence = "`" * (longest + 1)
    return _Safe(f"{fence} {text} {fence}" if longest or not text.strip() else f"`{text}`")


def _link(words: str, url: str) -> _Safe:
    """Return a link. Characters that would end it are percent-encoded.

    :param words: our own words.
    """
    return _Safe(f"[{words}](<{quote(clean(url), safe=_OF_A_URL)}>)")


def _cell(text: str) -> str:
    r"""Return a text in a cell of a table.

    A bar would end the cell, even in a code span. Whether ``\|`` ends the cell depends on the characters before it.
    """
    if isinstance(text, (Markup, _Safe)):
        return text
    text = text.replace("|", "\\u007c")
    return _Safe(text) if _WORD.fullmatch(text) else _code(text)
