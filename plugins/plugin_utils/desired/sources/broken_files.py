# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Detect damaged files: merge conflicts, half-saved files, totals below a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ....module_utils.model.field import shorten
from ..dialect import Rows
from ..nodes import Node
from ..positions import Finding, Place

SAVED_IN_PART = "this file ends in the middle of {}: it was saved or copied in part; save it again"

_CONFLICT = re.compile(r"^<{7}(?: .*)?$", re.MULTILINE)
_CONFLICT_ENDS = (re.compile(r"^={7}$", re.MULTILINE), re.compile(r"^>{7}(?: .*)?$", re.MULTILINE))

_TOTALS = re.compile(
    r"(?:(?:gesamt|zwischen|end)?summen?|gesamt(?:summe|wert|betrag)?|insgesamt|(?:grand |sub-?)?totals?|sum|"
    r"somme|total g[ée]n[ée]ral)(?:\s+[\d.]+)?\s*:?",
    re.IGNORECASE,
)


_RULES = (":", "|", "+", "=", "-")
_RULE = re.compile(r"[:|+=-]*--[:|+=-]*")

_COUNT = re.compile(
    r"\(?\d+ (?:rows?|row\(s\)|zeilen?|zeile\(n\)|lignes?)"
    r"(?: (?:affected|selected|in set|betroffen|affect[ée]es?).*)?\)?\.?",
    re.IGNORECASE,
)
"""The last line of the output of a query: ``(3 rows affected)``."""

_MOST_FOOTERS = 2
"""The rows at the end of a table that may be no records: the totals, and a line below them."""


def conflict_in(text: str, source: str) -> Finding | None:
    """Return a finding if a text has an unresolved merge conflict."""
    first = _CONFLICT.search(text) if "<<<<<<<" in text else None
    if first is None or not all(end.search(text, first.end()) for end in _CONFLICT_ENDS):
        return None
    place = Place(source, text.count("\n", 0, first.start()) + 1, 1)
    return Finding.plain(
        place, "a merge conflict of git (<<<<<<<) is not resolved; keep one of the two sides, and delete the marks"
    )


def may_have_lines(text: str) -> bool:
    """Return True if a table may have rows that are no records."""
    return "--" in text or _COUNT.search(text) is not None


def why_no_record(row: Sequence[str], rows: Rows) -> str:
    """Return what to do about a row of dashes, or a row that counts the others; empty if it is another row.

    :param rows: the settings about rows of the table.
    """
    first, *others = [cell for cell in map(str.strip, row) if cell] or [""]
    if first.startswith(_RULES) and _RULE.fullmatch("".join((first, *others))):
        words = "this row has only dashes, as sqlcmd and Markdown write them; delete it"
    elif not others and _COUNT.fullmatch(first):
        words = "this row counts the rows, as programs for databases write it; delete it"
    else:
        return ""
    setting = rows.and_skip([first])
    return f"{words}, or set `{setting}` in tables" if setting else words


def without_totals(nodes: Iterable[Node], findings: list[Finding], rows: Rows) -> Iterator[Node]:
    """Yield the rows of a table, except a last row with totals and a line below it, which are one finding.

    :param rows: the settings about rows of the table.
    """
    last: list[Node] = []
    for node in nodes:
        last.append(node)
        if len(last) > _MOST_FOOTERS:
            yield last.pop(0)
    while last and not _is_totals(last[0], last[1:]):
        yield last.pop(0)
    if not last:
        return
    first, *below = [_first(node) for node in last]
    which = "the last row begins" if not below else "the row before the last begins"
    them = f", and the last row is only {shorten(below[0])}; delete both" if below else "; delete it"
    words = f"{which} with {shorten(first)} and looks like totals{them}"
    setting = rows.and_skip(text.strip() for text in (first, *below))
    if setting:
        words += f", or name {'them' if below else 'it'} in skip_rows of tables, such as `{setting}`"
    findings.append(Finding(last[0].place, words))


def _is_totals(node: Node, below: Sequence[Node]) -> bool:
    """Return True for a row of totals. Below it, there may only be rows with a single cell."""
    is_last = all(row.is_row and len(row.value) == 1 and _first(row) for row in below)
    return is_last and node.is_row and bool(node.empty_cells()) and _TOTALS.fullmatch(_first(node).strip()) is not None


def _first(node: Node) -> str:
    """Return the first cell of a row that is not empty, if it is a text."""
    first = next(iter(node.value.values()), None)
    return first if isinstance(first, str) else ""
