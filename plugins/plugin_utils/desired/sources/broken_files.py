# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Detect damaged files: merge conflicts, half-saved files, totals below a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ....module_utils.model.field import shorten
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


def conflict_in(text: str, source: str) -> Finding | None:
    """Return a finding if a text has an unresolved merge conflict."""
    first = _CONFLICT.search(text) if "<<<<<<<" in text else None
    if first is None or not all(end.search(text, first.end()) for end in _CONFLICT_ENDS):
        return None
    place = Place(source, text.count("\n", 0, first.start()) + 1, 1)
    return Finding.plain(
        place, "a merge conflict of git (<<<<<<<) is not resolved; keep one of the two sides, and delete the marks"
    )


def without_totals(nodes: Iterable[Node], findings: list[Finding]) -> Iterator[Node]:
    """Yield the rows of a table, except a last row with totals, which is a finding."""
    last: Node | None = None
    for node in nodes:
        if last is not None:
            yield last
        last = node
    if last is None:
        return
    first = next(iter(last.value.values()), None) if last.is_row else None
    if isinstance(first, str) and last.empty_cells() and _TOTALS.fullmatch(first.strip()):
        words = (
            f"the last row begins with {shorten(first)} and looks like totals; delete it, or name it in skip_rows of "
            f'tables, such as `skip_rows: ["{first.strip()}"]`'
        )
        findings.append(Finding(last.place, words))
        return
    yield last
