# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Match many patterns at once. Files may have thousands of them, and thousands of texts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from fnmatch import translate
from functools import lru_cache

from ...module_utils.model.names import normal_name

_WILDCARDS = frozenset("*?[")


@lru_cache(maxsize=32768)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))


def fits(text: str, pattern: str) -> bool:
    """Return True if a text matches a glob in any Unicode form. The case matters."""
    return _compiled(normal_name(pattern)).match(normal_name(text)) is not None


class Globs:
    """Patterns that are compared at once, because files may have thousands of them."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._texts: dict[str, list[int]] = {}
        self._globs: dict[int, str] = {}
        for number, pattern in enumerate(map(normal_name, patterns)):
            # A text may contain brackets itself.
            self._texts.setdefault(pattern, []).append(number)
            if not _WILDCARDS.isdisjoint(pattern):
                self._globs[number] = pattern
        self._any = re.compile("|".join(map(translate, self._globs.values())) or "(?!)")

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
        for number, pattern in self._globs.items() if self._any.match(text) else ():
            if (among is None or number in among) and _compiled(pattern).match(text):
                yield number
