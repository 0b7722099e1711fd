# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Detect damaged files: merge conflicts, half-saved files, totals below a table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from glob import escape

from ....module_utils.model.field import shorten
from ..nodes import Node
from ..positions import Finding, Place

SAVED_IN_PART = "this file ends in the middle of {}: it was saved or copied in part; save it again"

_CONFLICT = re.compile(r"^<{7}(?: .*)?$", re.MULTILINE)
_CONFLICT_ENDS = (re.compile(r"^={7}$", re.MULTILINE), re.compile(r"^>{7}(?: .*)?$", re.MULTILINE))

#: The words with which a row of totals begins.
_TOTAL = (
    r"(?:(?:gesamt|zwischen|teil|end|netto|brutto)(?:summen?|betrag|total|wert|anzahl)|summen?|gesamt|insgesamt"
    r"|(?:gesamt)?ergebnis|saldo|[uü]bertrag|sum|(?:grand |montant |(?:sub|sous)-?)?total[es]?|totaux|somme|razem|suma"
    r"|toplam|celkem)"
)
#: The same with a currency, and with what the total is of, which is rare enough to be a name.
_TOTALS = re.compile(
    rf"(?:{_TOTAL}(?: (?:g[ée]n[ée]ral|ht|(?:in )?\(?(?:eur|chf|usd|gbp|pln|czk|huf|sek|nok|dkk|try|ttc|[€£$])\)?))?"
    rf"|(?P<rare>\*+|(?:zwischen|teil)?summe [\w ./&-]{{1,40}}"
    rf"|{_TOTAL} (?:aller|d[eu]s?|der|für|of|pour) [\w ./&-]{{1,40}}))"
    r"(?:\s+[\d.]+)?\s*:?",
    re.IGNORECASE,
)

#: A number, with or without a currency.
_AMOUNT = re.compile(r"\D{0,5}\d[\d.,' \u00a0\u202f]*\D{0,5}")

#: An amount with two digits of a fraction, which is no number of a room, no postcode and no key.
_SUM = re.compile(r"(?:[^\w\s]|[A-Za-z]{2,4})?\s?[-+]?\d[\d.,' \u00a0\u202f]*[.,]\d\d-?\s?(?:[^\w\s]|[A-Za-z]{2,4})?")

#: A number of something, with or without its unit.
_PIECES = re.compile(r"\d[\d.,' \u00a0\u202f]*\D{0,8}")

_RULES = (":", "|", "+", "=", "-")
_RULE = re.compile(r"[:|+=-]*--[:|+=-]*")

#: The last line of the output of a query: ``(3 rows affected)``.
_COUNT = re.compile(
    r"\(?\d+ (?:rows?|row\(s\)|zeilen?|zeile\(n\)|lignes?)"
    r"(?: (?:affected|selected|in set|betroffen|affect[ée]es?).*)?\)?\.?",
    re.IGNORECASE,
)
_COUNTED = (" row", " zeile", " ligne")

#: The rows at the end of a table that may be no records: the totals, and a line below them.
_MOST_FOOTERS = 2


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
    """Return True if a table may have rows that are not records."""
    # Looking for a word first is much faster than looking for the number before it.
    return "--" in text or (any(map(text.lower().count, _COUNTED)) and _COUNT.search(text) is not None)


def how_to_leave_out(first: str) -> str:
    """Say what to do about a row that is no record."""
    return f"delete it, or add {json.dumps(escape(first), ensure_ascii=False)} to skip_rows of its table in tables"


def why_no_record(row: Iterable[str]) -> str:
    """Return what to do about a row of dashes, or a row that counts the others; empty if it is another row."""
    first, *others = [cell for cell in map(str.strip, row) if cell] or [""]
    if first.startswith(_RULES) and _RULE.fullmatch("".join((first, *others))):
        return f"this row has only dashes, as sqlcmd and Markdown write them; {how_to_leave_out(first)}"
    if not others and _COUNT.fullmatch(first):
        return f"this row counts the rows, as programs for databases write it; {how_to_leave_out(first)}"
    return ""


def without_totals(nodes: Iterable[Node], findings: list[Finding]) -> Iterator[Node]:
    """Yield the rows of a table, except rows of totals, which are findings.

    Such a row has an amount, unless columns are ignored. Above the end of a table it has only amounts beside its word,
    and without an empty cell only amounts with a fraction. At the end it may have counts beside them.
    """
    last: list[Node] = []
    for node in nodes:
        if node.is_row and not node.value:
            yield node
            continue
        last.append(node)
        if len(last) > _MOST_FOOTERS and not _is_total(first := last.pop(0), findings, is_last=False):
            yield first
    for node in last:
        if not _is_total(node, findings, is_last=True):
            yield node


def _is_total(node: Node, findings: list[Finding], is_last: bool) -> bool:
    """Note a row of totals. Return False for another row."""
    first, *others = node.value.values() if node.is_row else [None]
    if not isinstance(first, str) or (found := _TOTALS.fullmatch(first.strip())) is None:
        return False
    # A row without an empty cell may be a record with such a name, or with such a mark.
    has_gap = bool(node.empty_cells()) and "*" not in first
    amounts = [(_AMOUNT if has_gap else _SUM).fullmatch(str(cell)) is not None for cell in others]
    pairs = zip(others, amounts, strict=True)
    may_count = not found["rare"] and all(is_amount or _PIECES.fullmatch(str(cell)) for cell, is_amount in pairs)
    is_sum = any(amounts) if amounts and is_last and (has_gap or may_count) else all(amounts)
    dialect = node.format_of("")
    # A name of several words needs an amount.
    if not is_sum or not (amounts or (dialect is not None and dialect.ignore and len(first.split()) == 1)):
        return False
    words = f"this row begins with {shorten(first)} and looks like totals; {how_to_leave_out(first.strip())}"
    findings.append(Finding(node.place, words))
    return True
