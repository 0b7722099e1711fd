# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Match many patterns at once. Files may have thousands of them, and thousands of texts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from fnmatch import translate
from functools import cached_property

_WILDCARDS = frozenset("*?[")


class Globs:
    """Patterns, most of which are whole texts. These are found without comparing each of them."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._texts: dict[str, list[int]] = {}
        self._sources: dict[int, str] = {}
        for number, pattern in enumerate(patterns):
            # A text may contain brackets itself.
            self._texts.setdefault(pattern, []).append(number)
            if not _WILDCARDS.isdisjoint(pattern):
                self._sources[number] = translate(pattern)

    def __contains__(self, text: str) -> bool:
        """Return True if a text matches a pattern."""
        return text in self._texts or (bool(self._sources) and self._any.match(text) is not None)

    def matching(self, text: str, among: Collection[int] | None = None) -> Iterator[int]:
        """Yield the numbers of the patterns that a text matches.

        :param among: the patterns to compare; None for all of them.
        """
        yield from self._texts.get(text, ())
        globs = self._globs
        for number, glob in globs.items() if among is None else [(one, globs[one]) for one in among if one in globs]:
            if glob.match(text):
                yield number

    @cached_property
    def _any(self) -> re.Pattern[str]:
        return re.compile("|".join(self._sources.values()))

    @cached_property
    def _globs(self) -> dict[int, re.Pattern[str]]:
        return {number: re.compile(source) for number, source in self._sources.items()}
