# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Explain what a spreadsheet did to a cell that no dialect reads, and what to do about it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from unicodedata import category

from ...module_utils.model.field import Spelling
from .dialect import BLANKS, Dialect

_GROUPING = "".join((*BLANKS, "'", "\u2019"))
"""Characters that only separate thousands."""

_NUMBERS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r".*\d\s*[%\u2030].*|[%\u2030]\s*\d.*", re.DOTALL),
        "percentages; write plain numbers: format the column as a number, which turns 19% into 0.19",
    ),
    (
        re.compile(r".*\d\s*[.,]\s*[-\u2013\u2014\u2212]{1,2}.*", re.DOTALL),
        "a dash in place of the cents; format the column as a number with two decimals, which turns 5.- into 5.00",
    ),
    (
        re.compile(r".*\(.*\d.*\).*|.*\d[-\u2212]\s*", re.DOTALL),
        "brackets or a minus behind a negative number; format the column so that the minus comes first: -5.00",
    ),
    (
        re.compile(r"[-+]?\d+([.,]\d+)?E[-+]?\d+", re.IGNORECASE),
        "a shortened long number; format the column as a number, and widen it",
    ),
    (re.compile(r"#{3,}"), "the column was too narrow for its numbers; widen it"),
    (
        re.compile(r"[^\d]*\+.*\d.*", re.DOTALL),
        "a plus in front of the number; format the column as a number, or write it without",
    ),
    (
        re.compile(rf"[^\d]*\d{{1,3}}([{_GROUPING}]\d{{3}})+\b.*", re.DOTALL),
        "spaces or apostrophes in a number; format the column as a number without thousands separators",
    ),
)
"""Numbers in the form in which spreadsheets show them, and what to do about them."""

_CURRENCY = re.compile(
    r"([^\d\s.,'()%#+-]{1,5}\.?)\s*[-\u2212]?\d[\d.,'\u2019\s]*"
    r"|[-\u2212]?\d[\d.,'\u2019\s]*?\s*([^\d\s.,'\u2019()%#+-]{1,5}\.?)"
)

_LONGEST_NUMBER = 100
"""Maximum length of a text that may be a number. The patterns take too long for long texts."""

_CURRENCY_WORDS = frozenset(("fr", "sfr", "kr", "k\u010d", "z\u0142", "lei", "ft", "rs", "chf", "eur"))

_AS_TEXT = {
    "number": "the cell contains text, not a number; format the column as a number, and type it again",
    "date": "the cell contains text, not a date; format the column as a date, and type it again",
    "flag": (
        "the cell contains neither true nor false; type it again as the spreadsheet writes it (such as TRUE or WAHR)"
    ),
}


def family(spelling: Spelling) -> str:
    """Return the word for the group of values with this spelling: number, flag or date."""
    return "number" if spelling.is_number else "flag" if spelling is Spelling.FLAG else "date"


def damage_in_workbook(spelling: Spelling) -> str:
    """Return what to do about a text in a cell of a workbook if another type was expected."""
    return _AS_TEXT[family(spelling)]


def _is_currency(sign: str) -> bool:
    """Return True for a sign or a word of a currency. Other words, such as "ca.", change what a number means."""
    is_sign = any(category(letter) == "Sc" for letter in sign)
    return is_sign or re.fullmatch("[A-Z]{3}", sign) is not None or sign.casefold().rstrip(".") in _CURRENCY_WORDS


def marks_to_name(spelling: Spelling, texts: Sequence[str], dialect: Dialect) -> tuple[str, str]:
    """Return what the settings do not name in numbers, and a setting that reads all of them; both empty without one."""
    if max(map(len, texts)) > _LONGEST_NUMBER:
        return "", ""
    found = [sign[1] or sign[2] for text in texts if (sign := _CURRENCY.fullmatch(text.strip())) is not None]
    signs = [sign for sign in dict.fromkeys(found) if _is_currency(sign) and sign not in dialect.currency]
    marks = [
        mark
        for mark in _GROUPING
        if mark not in dialect.thousands and any(re.search(rf"\d{mark}\d", text) for text in texts)
    ]
    more = replace(dialect, currency=(*dialect.currency, *signs), thousands=(*dialect.thousands, *marks))
    if not (signs or marks) or not all(more.reads(spelling, text) for text in texts):
        return "", ""
    words, settings = [], []
    if signs:
        words.append("a currency that the settings do not name" if len(signs) == 1 else "signs of currencies")
        settings.append(f"currency: [{', '.join(more.currency)}]")
    if marks:
        words.append("thousands separators")
        settings.append(f"thousands: {json.dumps(more.thousands if len(more.thousands) > 1 else marks[0])}")
    # Amounts are read without their signs, so those of different currencies would become equal.
    condition = "; if these signs mean one currency" if signs and len(more.currency) > 1 else ""
    return f"{' and '.join(words)}{condition}", ", ".join(settings)


def damage_in_table(spelling: Spelling, text: str, how_to_set: Callable[[str], str]) -> str:
    """Return what is wrong with a CSV cell, and what to do about it; empty if that is unknown.

    :param how_to_set: returns a setting with its place in instance.yml.
    """
    bare = text.strip()
    if spelling.is_number:
        forms = _NUMBERS if len(bare) <= _LONGEST_NUMBER else ()
        return next((words for form, words in forms if form.fullmatch(bare)), "")
    if spelling is Spelling.DATE and re.fullmatch(r"#{3,}", bare):
        return "the column was too narrow for its dates; widen it"
    if spelling is Spelling.FLAG:
        return f"words for true and false; {how_to_set('booleans: {true: [...], false: [...]}')}"
    return ""
