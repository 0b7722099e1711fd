# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that come near to one that is not known: hints for people, and slips, which no earlier task of a play can
repair.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches

_PARTS = re.compile(r"[^\W\d_]+|\d+")
_ALIKE = 0.75
"""How much alike two words must be for one to be a slip of the other. Two of four letters that changed places are."""
_ALIKE_FROM_THE_FIRST_LETTER = 0.85
"""The same where the first letters differ: people seldom slip there, and ``west`` is no ``east``."""
LIKELY = 0.6
"""How much alike two names of settings or sections must be for one to be taken for a typo of the other."""

_SHORT = 3
"""Words of so many letters tell apart what they belong to, as numbers do: wing A, wing B."""


def composed(text: str) -> str:
    """A text as it looks: two that differ in their unicode normal forms alone look the same."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def near_names(wanted: str, names: Iterable[str], limit: int, likeness: float) -> list[str]:
    """The names that come nearest to a wanted one, compared without case.

    :param likeness: how much alike they must be, from 0 to 1.
    """
    known = [name for name in names if name]
    by_folded: dict[str, list[str]] = {}
    for name in known:
        by_folded.setdefault(name.casefold(), []).append(name)
    close = get_close_matches(wanted.casefold(), by_folded, n=limit, cutoff=likeness)
    found = [name for folded in close for name in by_folded[folded]]
    return list(dict.fromkeys([*found, *slips(wanted, known)]))[:limit]


def slips(wanted: str, names: Iterable[str]) -> list[str]:
    """The names that a wanted one was most likely meant to be: word for word the same but for a letter or two, for
    capitals, accents, or what stands between the words. A name with other numbers in it is another name.
    """
    mine = _parts(wanted)
    return [name for name in names if name != wanted and _is_slip(mine, _parts(name))]


def _parts(name: str) -> list[str]:
    letters = unicodedata.normalize("NFD", name.casefold())
    return _PARTS.findall("".join(letter for letter in letters if not unicodedata.combining(letter)))


def _is_slip(mine: list[str], theirs: list[str]) -> bool:
    if _numbers(mine) != _numbers(theirs):
        return False
    if "".join(mine) == "".join(theirs):
        return bool(mine)
    return len(mine) == len(theirs) and all(map(_is_alike, mine, theirs))


def _numbers(parts: Iterable[str]) -> list[str]:
    return [part for part in parts if part.isdecimal()]


def _is_alike(mine: str, theirs: str) -> bool:
    if mine == theirs:
        return True
    if mine.isdecimal() or theirs.isdecimal() or max(len(mine), len(theirs)) <= _SHORT:
        return False
    wanted = _ALIKE if mine[0] == theirs[0] else _ALIKE_FROM_THE_FIRST_LETTER
    alike = SequenceMatcher(None, mine, theirs, autojunk=False)
    return alike.real_quick_ratio() >= wanted and alike.quick_ratio() >= wanted and alike.ratio() >= wanted
