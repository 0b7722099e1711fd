# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells of CSV that a spreadsheet would take for a formula and run, written so that it takes them for text."""

from __future__ import annotations

import re

ESCAPE = "escape"
KEEP = "keep"
CHOICES = (ESCAPE, KEEP)
"""The values of the option ``formulas``: with a mark before such a cell, or as it is."""

_MARK = "'"
_BEGINS = "=+-@\t\r\n＝＋－＠"  # noqa: RUF001 - spreadsheets read these wide letters as the narrow ones
_NUMBER = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)?")


def escaped(cell: str) -> str:
    """A cell as it is written: with a mark before what a spreadsheet would run, and before a mark that is there.

    A number is none of these, whatever its sign.
    """
    if cell and (cell[0] == _MARK or (cell[0] in _BEGINS and not _NUMBER.fullmatch(cell))):
        return _MARK + cell
    return cell


def unescaped(cell: str) -> str:
    """A cell as it was before :func:`escaped`. A mark before anything else is text: ``'s-Hertogenbosch``."""
    return cell[1:] if cell[:1] == _MARK and cell[1:2] and cell[1] in _MARK + _BEGINS else cell
