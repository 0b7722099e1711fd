# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is printed stays on its line and steers nothing."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.community.seventhings.plugins.module_utils.printing.cleaner import clean

_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("Straße 1, Łódź, 東京, مكتب", "Straße 1, Łódź, 東京, مكتب"),
        ("a b\u00a0c 🪑", "a b\u00a0c 🪑"),
        ("a\r\nb\tc", "a\\r\\nb\\tc"),
        ("\x00\x1b[31m\x7f\x9b", "\\u0000\\u001b[31m\\u007f\\u009b"),
        ("\u202eabc\u2066\u200b\u2028\ufeff", "\\u202eabc\\u2066\\u200b\\u2028\\ufeff"),
        ("\U000e0041\ud800", "\\udb40\\udc41\\ud800"),
        ("a\u034f\u3164\uffa0\ufe0f\U000e0100", "a\\u034f\\u3164\\uffa0\\ufe0f\\udb40\\udd00"),
        ("::internal-set-repo-path::/x", "\\u003a:internal-set-repo-path::/x"),
        ("::error file=a::b", "\\u003a:error file=a::b"),
        ("a ::Stop-Commands::x", "a \\u003a:Stop-Commands::x"),
        ("x##vso[task.complete]", "x\\u0023#vso[task.complete]"),
        ("##[error]", "\\u0023#[error]"),
        ("###[group]", "#\\u0023#[group]"),
        ("Foo::Bar ::1 ## a [b] ::errors", "Foo::Bar ::1 ## a [b] ::errors"),
    ],
)
def test_what_steers_ends_a_line_or_can_not_be_seen_stands_as_an_escape(text: str, shown: str) -> None:
    assert clean(text) == shown


@given(st.text(st.characters(), max_size=200))
def test_whatever_a_text_holds_it_is_one_line_that_any_encoding_can_write(text: str) -> None:
    told = clean(text)
    assert not {unicodedata.category(letter) for letter in told} & set(_UNSEEN)
    assert len(told.splitlines()) <= 1
    assert clean(told) == told
    told.encode("utf-8")


COMMANDS = st.lists(st.sampled_from(["::", "##", "error", "[", "vso", "\\", '"', "#", ":"])).map("".join)


@given(st.text(st.characters(), max_size=200) | COMMANDS)
def test_a_text_in_json_is_the_same_afterwards(text: str) -> None:
    assert json.loads(clean(json.dumps(text, ensure_ascii=False))) == text
    assert clean(clean(text)) == clean(text)
