# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one form in which names are compared, names that look alike, and the names that no new record may have."""

from __future__ import annotations

import re
import unicodedata
from string import ascii_lowercase, ascii_uppercase

from .field import edge_blanks

_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)

#: Zero width joiner and non-joiner: Persian, the scripts of India and pictures of several signs need them.
_JOINERS = "\u200c\u200d"

#: The selectors of text and of colour: keyboards add one to many pictures.
_SELECTORS = "\ufe0e\ufe0f"

#: Control and format characters, without the signs that span the digits after them, and the fillers and selectors whose
#: categories are those of visible letters, marks and signs.
_INVISIBLE = re.compile(
    "["
    "\0-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u2064"
    "\u2066-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f\U000e0100-\U000e01ef"
    "]"
)

#: What people type for a hyphen, and programs make of it. Others become one of them under NFKC.
_DASHES = re.compile("[\u02d7\u058a\u2010-\u2015\u2043\u2212\u2e3a\u2e3b]")

#: A small i with one more dot, which the capital of Turkish becomes in lower case.
_DOTTED = re.compile("i\u0307+")

#: A number as spreadsheets write it: with separators, and with a fraction of zeros.
_DIGITS = re.compile("([0-9]+|[0-9]{1,3}(?:[.,' \u2019][0-9]{3})+)(?:[.,]0*)?")

#: A key between the signs that begin and end it in a bar code of the type Code 39.
_STARS = re.compile(r"\A\*([^*]+)\*\Z")


def normal_name(text: str) -> str:
    """Return a text in the one form in which everything that people type is compared, which is Unicode's NFC.

    macOS and some programs separate letters from their accents.
    """
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def normal_address(text: str) -> str:
    """Return an e-mail address in the form in which addresses are compared: without the case of ASCII letters.

    No other letter loses its case, because ``ß`` would pass for ``ss``. The Kelvin sign, which NFC turns into an ASCII
    capital, keeps that capital and so passes for no ``k``.
    """
    return text.lower() if text.isascii() else normal_name(text.translate(_LOWER))


def forms_of(text: str) -> tuple[str, ...]:
    """Return the spellings of a name that a service may have stored, for a filter: as written first."""
    if text.isascii():
        return (text,)
    return tuple(dict.fromkeys((text, normal_name(text), unicodedata.normalize("NFD", text))))


def shape(text: str) -> str:
    """Return the form in which names are equal that people take for one name.

    They differ in case, also that of Turkish, in the kind of a dash or a blank, in the width of letters, in blanks at
    the edges, in what is invisible, or in a final dot.
    """
    dotted = shape_with_dot(text)
    return dotted.rstrip(". ") or dotted[:1]


def shape_with_dot(text: str) -> str:
    """Return the shape of a name that may differ from another one in a final dot."""
    folded = plain_name(text).casefold().replace("\u0131", "i")
    return folded if folded.isascii() else normal_name(_DOTTED.sub("i", folded))


def plain_name(text: str) -> str:
    """Return a name with simple dashes, blanks and letters, and without what is invisible."""
    if not text.isascii() or not text.isprintable():
        # Numbers in a circle or above a line are other signs than their digits.
        letters = [
            sign if unicodedata.category(sign) == "No" else unicodedata.normalize("NFKC", sign)
            for sign in normal_name(" ".join(text.split()))
            if not _INVISIBLE.match(sign)
        ]
        text = normal_name(_DASHES.sub("-", "".join(letters)))
    return " ".join(text.split())


def shape_of_digits(text: str) -> str:
    """Return the shape of a key. The shape of a number is its digits, without separators and leading zeros."""
    own = _STARS.sub(r"\1", shape(text))
    number = _DIGITS.fullmatch(own)
    return own if number is None else re.sub("[^0-9]", "", number[1]).lstrip("0") or "0"


def why_unfit(text: str) -> str:
    """Return why a new record can't have a text in its natural key, or an empty text.

    People can't tell such a name from another one, and can't type it again.
    """
    if text.isascii() and text.isprintable() and not text.startswith(" ") and not text.endswith(" "):
        return ""
    if len(f"{text}.".splitlines()) > 1:
        return "has a line break"
    found = first_invisible(text)
    return edge_blanks(text) or (f"has an invisible character (U+{ord(found):04X})" if found else "")


def escaped(text: str) -> str:
    """Return a text in quotes, with everything escaped that people can't see or can't type."""
    return _INVISIBLE.sub(lambda found: found[0].encode("unicode_escape").decode(), repr(text))


def first_invisible(text: str, allowed: str = "") -> str:
    """Return the first invisible character of a text; empty if there is none.

    Joiners between letters or pictures, and selectors of the form of a picture, are parts of what people see.

    :param allowed: control characters that count as visible.
    """
    for found in _INVISIBLE.finditer(text):
        before, after = text[: found.start()][-1:], text[found.end() :][:1]
        is_joiner = found[0] in _JOINERS and _is_shape(before) and _is_shape(after)
        is_selector = found[0] in _SELECTORS and _is_shape(before, ("So",))
        if not is_joiner and not is_selector and found[0] not in allowed:
            return found[0]
    return ""


def _is_shape(character: str, categories: tuple[str, ...] = ("L", "M", "So", "Sk")) -> bool:
    """Return True for a letter, a mark on a letter or a picture, whose colour is a sign of its own."""
    return bool(character) and unicodedata.category(character).startswith(categories)
