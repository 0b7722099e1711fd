# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find names close to an unknown name: suggestions for users, and typos, which no earlier task of a play can repair."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from difflib import SequenceMatcher, get_close_matches

from .names import shape

_PARTS = re.compile(r"[^\W\d_]+|\d+")
_ALIKE = 0.75
"""Minimum similarity of two words for a typo. Two swapped letters in a word of four letters reach it."""
_SIMILAR_FIRST_LETTER = 0.85
"""The same if the first letters differ. Typos there are rare, and ``west`` is not ``east``."""
LIKELY = 0.6
"""Minimum similarity of two names of settings or sections for a typo."""

ROUGH = 0.4
"""The same for names of records, which people choose."""

MOST_NAMED = 5
"""Maximum number of records that a message names."""

_SHORT = 3
"""Words of at most this length are names like numbers, never typos: wing A, wing B."""

_FREQUENT = 2
"""Words of at most this length are in too many names."""


def closest_names(wanted: str, names: Iterable[str], limit: int = 1, likeness: float = LIKELY) -> list[str]:
    """Return the names closest to a wanted name: those that look like it, then by distance.

    :param likeness: minimum similarity, from 0 to 1. If no name has a :data:`ROUGH` likeness, return those with all
        words of the wanted name: people write ``david`` for ``david.okafor@x.example``. E-mail addresses are compared
        without their domains, which most of them share, and need to be more alike.
    """
    is_address = "@" in wanted
    by_shape: dict[str, list[str]] = {}
    for name in filter(None, names):
        by_shape.setdefault(shape(name.partition("@")[0] if is_address else name), []).append(name)
    own = shape(wanted.partition("@")[0] if is_address else wanted)
    cutoff = max(likeness, _ALIKE) if is_address else likeness
    close = [own, *get_close_matches(own, by_shape, n=limit, cutoff=cutoff)]
    found = [name for form in close for name in by_shape.get(form, ())]
    found.sort(key=lambda name: shape(name) != shape(wanted))
    known = [name for same in by_shape.values() for name in same]
    found = list(dict.fromkeys([*found, *likely_typos(wanted, known)]))
    return (found if found or likeness > ROUGH else _with_words(own, known))[:limit]


def did_you_mean(wanted: object, names: Collection[str]) -> str:
    """Return the name closest to a wanted name as a question, or all names."""
    closest = closest_names(str(wanted), names)
    return f"did you mean {closest[0]}?" if closest else f"expected one of {', '.join(names)}"


def _with_words(wanted: str, names: Iterable[str]) -> list[str]:
    words = [word for word in re.findall(r"\w+", wanted) if len(word) > _FREQUENT]
    return [name for name in names if words and all(word in shape(name) for word in words)]


def likely_typos(wanted: str, names: Iterable[str]) -> list[str]:
    """Return the names that a wanted name is most likely a typo of.

    They differ in a letter or two, in case, in accents, or in what separates the words. A name with other numbers is no
    typo.
    """
    mine = _parts(wanted)
    return [name for name in names if name != wanted and _is_typo(mine, _parts(name))]


def _parts(name: str) -> list[str]:
    letters = unicodedata.normalize("NFD", name.casefold())
    return _PARTS.findall("".join(letter for letter in letters if not unicodedata.combining(letter)))


def _is_typo(mine: list[str], theirs: list[str]) -> bool:
    if _numbers(mine) != _numbers(theirs):
        return False
    if "".join(mine) == "".join(theirs):
        return bool(mine)
    return len(mine) == len(theirs) and all(map(_is_similar, mine, theirs))


def _numbers(parts: Iterable[str]) -> list[str]:
    return [part for part in parts if part.isdecimal()]


def _is_similar(mine: str, theirs: str) -> bool:
    if mine == theirs:
        return True
    if mine.isdecimal() or theirs.isdecimal() or max(len(mine), len(theirs)) <= _SHORT:
        return False
    wanted = _ALIKE if mine[0] == theirs[0] else _SIMILAR_FIRST_LETTER
    matcher = SequenceMatcher(None, mine, theirs, autojunk=False)
    return matcher.real_quick_ratio() >= wanted and matcher.quick_ratio() >= wanted and matcher.ratio() >= wanted
