# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Printed texts stay on one line and control no terminal."""

from __future__ import annotations

import json
import re
import sys
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
        ("a\u2800\U00016fe4\U0001d159", "a\\u2800\\ud81b\\udfe4\\ud834\\udd59"),
        ("::internal-set-repo-path::/x", "\\u003a:internal-set-repo-path::/x"),
        ("::error file=a::b", "\\u003a:error file=a::b"),
        ("a ::Stop-Commands::x", "a \\u003a:Stop-Commands::x"),
        ("x##vso[task.complete]", "x\\u0023#vso[task.complete]"),
        ("##[error]", "\\u0023#[error]"),
        ("###[group]", "#\\u0023#[group]"),
        ("Foo::Bar ::1 ## a [b] ::errors", "Foo::Bar ::1 ## a [b] ::errors"),
    ],
)
def test_control_line_end_and_invisible_characters_are_escaped(text: str, shown: str) -> None:
    assert clean(text) == shown


IGNORABLE = (
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
"""``Default_Ignorable_Code_Point`` in ``DerivedCoreProperties.txt`` of Unicode 16."""

DRAWN_AS_NOTHING = re.compile(r".*\b(BLANK|FILLER|JOINER|NULL NOTEHEAD|INVISIBLE|ZERO WIDTH|VARIATION SELECTOR)\b.*")
DRAWN = "\N{BLANK SYMBOL}"


@pytest.mark.sample(0)
def test_every_invisible_character_of_unicode_is_escaped_and_no_other() -> None:
    ignorable = {number for first, last in IGNORABLE for number in range(first, last + 1)}
    for number in range(sys.maxunicode + 1):
        letter = chr(number)
        category, name = unicodedata.category(letter), unicodedata.name(letter, "")
        # The gap and line fillers of some scripts are visible punctuation.
        is_blank = DRAWN_AS_NOTHING.fullmatch(name) and letter != DRAWN and category != "Po"
        is_invisible = category in _UNSEEN or number in ignorable or is_blank
        is_later = category == "Cn" and number in range(0x13439, 0x13443) and number != 0x13440
        assert (clean(letter) != letter) == bool(is_invisible or is_later), hex(number)


@given(st.text(st.characters(), max_size=200))
def test_any_text_becomes_one_line_that_every_encoding_can_write(text: str) -> None:
    cleaned = clean(text)
    assert not {unicodedata.category(letter) for letter in cleaned} & set(_UNSEEN)
    assert len(cleaned.splitlines()) <= 1
    assert clean(cleaned) == cleaned
    cleaned.encode("utf-8")


COMMANDS = st.lists(st.sampled_from(["::", "##", "error", "[", "vso", "\\", '"', "#", ":"])).map("".join)


@given(st.text(st.characters(), max_size=200) | COMMANDS)
def test_a_text_in_json_is_the_same_afterwards(text: str) -> None:
    assert json.loads(clean(json.dumps(text, ensure_ascii=False))) == text
    assert clean(clean(text)) == clean(text)
