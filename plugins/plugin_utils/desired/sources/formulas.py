# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CSV cells that a spreadsheet would run as formulas, written so that it reads them as text.

Nobody knows which separator a program uses for a file: Excel asks the locale. So a text can become a formula at its
start and behind every separator.
"""

from __future__ import annotations

import re

#: The mark that makes a formula a text.
MARK = "'"

_OPERATORS = r"=+\-@＝＋－＠"  # noqa: RUF001 - spreadsheets read these wide letters as the narrow ones
_SEPARATORS = ";\t|,"
_ENDS = "\r\n"
_FIRST = rf"^[{MARK}{_OPERATORS}\t{_ENDS}]"
#: Operators after a separator, and the quotes before them, which are not part of the text of a cell.
#:
#: A line feed in quotes is a separator, too. A program that splits at another character sees no quotes in the middle of
#: a cell, so it starts a row there.
_LATER = rf'(?<=([{_SEPARATORS}{_ENDS}]))("*)({MARK}*[{_OPERATORS}])'

_MAY_RUN = re.compile(rf"({_FIRST})|{_LATER}")
_MARKED = re.compile(
    rf'^{MARK}(?=[{MARK}{_OPERATORS}\t{_ENDS}])|(?<=[{_SEPARATORS}{_ENDS}])("*){MARK}(?={MARK}*[{_OPERATORS}])'
)
_UP_TO = {separator: re.compile(f"[^{separator}{_ENDS}]*") for separator in _SEPARATORS + _ENDS}
_NUMBER = re.compile("[+-]?[0-9]+(?:[.,][0-9]+)?")


def escaped(cell: str) -> str:
    """Return a cell with a mark before each operator that may begin a cell, and before existing marks there.

    Numbers need no mark: neither a cell of numbers, nor an operator if only numbers follow up to the same separator.
    """
    return cell if _are_numbers(cell, 0, len(cell)) else _MAY_RUN.sub(_with_mark, cell)


def _are_numbers(text: str, start: int, end: int) -> bool:
    """Return True if a part of a text is numbers with separators between them.

    A single expression would need possessive groups, which Python before 3.11.5 matches wrongly.
    """
    number = _NUMBER.match(text, start, end)
    while number is not None and number.end() < end and text[number.end()] in _SEPARATORS:
        number = _NUMBER.match(text, number.end() + 1, end)
    return number is not None and number.end() == end


def _with_mark(found: re.Match[str]) -> str:
    first, separator, quotes, start = found.groups()
    if first:
        return MARK + str(first)
    if start in "+-":
        rest = _UP_TO[separator].match(found.string, found.start(4))
        if rest is not None and _are_numbers(found.string, *rest.span()):
            return found[0]
    return f"{quotes}{MARK}{start}"


def unescaped(cell: str) -> str:
    """Return a cell as it was before :func:`escaped`. A mark before anything else is text: ``'s-Hertogenbosch``."""
    return _MARKED.sub(r"\1", cell) if MARK in cell else cell
