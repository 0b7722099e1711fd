# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Match many patterns at once. Files may have thousands of them, and thousands of texts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from fnmatch import translate as _translate
from functools import lru_cache
from itertools import count

from ...module_utils.model.names import normal_name

_PRIVATE = 0xE000
"""The first character that no standard uses."""

_WILDCARDS = frozenset("*?[")
_WILDCARD = re.compile(r"[*?\[]")
_NO_LITERAL = re.compile(r"[*?]|\[.*\]", re.DOTALL)


def translate(pattern: str) -> str:
    """Return a glob as a regular expression.

    The library searches the rest of the pattern for the end of each bracket, which would take quadratic time. So
    brackets after the last end are replaced by another character meanwhile.
    """
    head, end, tail = pattern.rpartition("]")
    if "[" not in tail:
        return _translate(pattern)
    other = next(letter for letter in map(chr, count(_PRIVATE)) if letter not in pattern)
    return _translate(head + end + tail.replace("[", other)).replace(other, r"\[")


@lru_cache(maxsize=32768)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))


def fits(text: str, pattern: str) -> bool:
    """Return True if a text matches a glob in any Unicode form. The case matters."""
    return _compiled(normal_name(pattern)).match(normal_name(text)) is not None


class Globs:
    """Patterns that are found by their literal parts, so that a text is compared with few of them.

    A pattern without wildcards is found as a whole, another one by its first and last letters, or else by its longest
    part between wildcards.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        self._texts: dict[str, list[int]] = {}
        self._sources: dict[int, str] = {}
        self._compiled: dict[int, re.Pattern[str]] = {}
        self._by_ends: dict[tuple[int, int], dict[tuple[str, str], list[int]]] = {}
        self._by_part: dict[int, dict[str, list[int]]] = {}
        self._rest: list[int] = []
        for number, pattern in enumerate(map(normal_name, patterns)):
            # A text may contain brackets itself.
            self._texts.setdefault(pattern, []).append(number)
            if not _WILDCARDS.isdisjoint(pattern):
                self._sources[number] = translate(pattern)
                self._index(number, pattern)

    def _index(self, number: int, pattern: str) -> None:
        # A bracket may have no end. Then it is a literal, and a shorter literal beginning is also correct.
        start = _WILDCARD.split(pattern, maxsplit=1)[0]
        end = re.split(r"[*?\]]", pattern)[-1]
        part = max(_NO_LITERAL.split(pattern), key=len)
        if start or (end and end != pattern):
            lengths = len(start), len(end)
            self._by_ends.setdefault(lengths, {}).setdefault((start, end), []).append(number)
        elif part:
            self._by_part.setdefault(len(part), {}).setdefault(part, []).append(number)
        else:
            self._rest.append(number)

    def __contains__(self, text: str) -> bool:
        """Return True if a text matches a pattern."""
        return any(True for _number in self.matching(text))

    def written_as(self, text: str) -> Sequence[int]:
        """Return the numbers of the patterns that are a text, letter by letter."""
        return self._texts.get(normal_name(text), ())

    def matching(self, text: str, among: Collection[int] | None = None) -> Iterator[int]:
        """Yield the numbers of the patterns that a text matches.

        :param among: the patterns to compare; None for all of them.
        """
        text = normal_name(text)
        yield from self.written_as(text)
        for number in self._candidates(text):
            if (among is None or number in among) and self._glob(number).match(text):
                yield number

    def _candidates(self, text: str) -> Iterator[int]:
        """Yield the numbers of the patterns whose literal parts a text has."""
        size = len(text)
        for (before, after), by_ends in self._by_ends.items():
            yield from by_ends.get((text[:before], text[size - after :] if after <= size else ""), ())
        for length, by_part in self._by_part.items():
            for part in {text[place : place + length] for place in range(size - length + 1)}:
                yield from by_part.get(part, ())
        yield from self._rest

    def _glob(self, number: int) -> re.Pattern[str]:
        if number not in self._compiled:
            self._compiled[number] = re.compile(self._sources[number])
        return self._compiled[number]
