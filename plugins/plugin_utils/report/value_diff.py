# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Show two values of a field side by side, so that people see how they differ."""

from __future__ import annotations

import json
import unicodedata
from decimal import Decimal
from typing import Any

from ...module_utils.model.field import in_digits
from ...module_utils.printing.cleaner import clean

#: Number of characters before the first difference if long texts are cut.
_BEFORE_DIFFERENCE = 40


def side_by_side(before: Any, after: Any, limit: int) -> tuple[str, str]:
    """Return both values as JSON, each on one line.

    Of long texts, show the part around the first difference. Invisible characters are escaped, and so are letters that
    look the same.

    :param limit: maximum characters of each.
    """
    texts = _json(before), _json(after)
    if texts[0] != texts[1] and _normal(texts[0]) == _normal(texts[1]):
        texts = json.dumps(before, default=str), json.dumps(after, default=str)
    differs = (number for number, pair in enumerate(zip(*texts, strict=False)) if pair[0] != pair[1])
    start = max(0, next(differs, 0) - _BEFORE_DIFFERENCE) if max(map(len, texts)) > limit else 0
    return _cut(texts[0], start, limit), _cut(texts[1], start, limit)


class Figure(str):
    """A number as people read it: a currency has its usual digits after the point."""

    __slots__ = ()


def as_figure(value: Any, fraction_digits: int, separator: str = "") -> Any:
    """Return a number with a minimum of digits after the point, and anything else unchanged.

    :param separator: between thousands.
    """
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return value
    return Figure(in_digits(Decimal(repr(value)), fraction_digits, separator))


_encode = json.JSONEncoder(ensure_ascii=False, default=str).encode


def _json(value: Any) -> str:
    return str(value) if isinstance(value, Figure) else clean(_encode(value))


def _cut(text: str, start: int, limit: int) -> str:
    shown = text[start : start + limit]
    if shown == text:
        return text
    prefix, suffix = "..." if start else "", "..." if start + limit < len(text) else ""
    return f"{prefix}{shown}{suffix} ({len(text)} characters)"


def _normal(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFKC", text)
