# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A set of many patterns has the same matches as its patterns, but compares a text with few of them."""

from __future__ import annotations

from fnmatch import fnmatchcase

from hypothesis import example, given
from hypothesis import strategies as st

from ansible_collections.community.seventhings.plugins.plugin_utils.desired.globs import Globs, fits

_LETTERS = st.text("ab[]!^-*?", max_size=8)


@given(patterns=st.lists(_LETTERS, max_size=8), texts=st.lists(st.text("ab[]!-", max_size=6), max_size=8))
@example(patterns=["[]a*b]*", "*[!]*", "x[ab", "ab*b", "*]a[*", "[ab]", "[b-a]*"], texts=["ab", "[!]", "x[ab", "]a["])
def test_many_patterns_match_as_each_of_them_does(patterns: list[str], texts: list[str]) -> None:
    globs = Globs(patterns)
    for text in texts:
        expected = {number for number, pattern in enumerate(patterns) if text == pattern or fnmatchcase(text, pattern)}
        assert set(globs.matching(text)) == expected
        assert (text in globs) == bool(expected)
        some = {number for number in expected if number % 2}
        assert set(globs.matching(text, some)) >= some


@given(pattern=_LETTERS, text=st.text("ab[]!-", max_size=6))
@example(pattern="[[]a]*[", text="[a][")
@example(pattern="[][??", text="[[[")
@example(pattern="[][??", text="[][ab")
@example(pattern="[!][", text="[![")
def test_one_pattern_matches_as_the_library_does(pattern: str, text: str) -> None:
    assert fits(text, pattern) == fnmatchcase(text, pattern)
