# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The form in which names are compared, and the names that no new record may have."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.community.seventhings.plugins.module_utils.model.names import (
    escaped,
    forms_of,
    normal_address,
    normal_name,
    shape,
    shape_of_digits,
    why_unfit,
)

from ..support import RANDOMISED


@RANDOMISED
@given(st.text())
def test_a_name_is_equal_in_all_unicode_forms_and_different_in_everything_else(text: str) -> None:
    assert normal_name(unicodedata.normalize("NFD", text)) == normal_name(text) == unicodedata.normalize("NFC", text)
    assert {normal_name(form) for form in forms_of(text)} == {normal_name(text)}
    assert forms_of(text)[0] == text


@RANDOMISED
@given(st.text(), st.text("abcxyz@.ABCXYZ", min_size=1))
def test_an_address_ignores_the_case_of_ascii_letters_only(text: str, address: str) -> None:
    assert normal_address(address.upper()) == normal_address(address)
    letters = unicodedata.normalize("NFC", text)
    others = [letter for letter in letters if not letter.isascii()]
    assert all(not normal_address(letter).islower() or letter.islower() for letter in others)


@pytest.mark.parametrize(
    ("address", "other"),
    [("mia.kern", "mia.\u212aern"), ("strasse", "stra\u00dfe"), ("\u00e4", "\u00c4"), ("i", "\u0130")],
)
def test_a_letter_that_looks_like_another_is_another_address(address: str, other: str) -> None:
    assert normal_address(address) != normal_address(other)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("100001 ", "ends with a space"),
        ("\u00a0100001", "begins with a space"),
        ("100001\r", "has a line break"),
        ("Haus\u2028A", "has a line break"),
        ("100001\u200b", "has an invisible character (U+200B)"),
        ("a\tb", "has an invisible character (U+0009)"),
        ("\ufeff100001", "has an invisible character (U+FEFF)"),
        ("Lager\u3164", "has an invisible character (U+3164)"),
        ("1\u200d2", "has an invisible character (U+200D)"),
        ("Lager\u200c", "has an invisible character (U+200C)"),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", ""),
        ("\u0915\u094d\u200d\u0937", ""),
        ("\u26a0\ufe0f Werkstatt \U0001f469\U0001f3fd\u200d\U0001f527", ""),
        ("Lager 1\ufe0f", "has an invisible character (U+FE0F)"),
        ("Mu\u0308nchen", ""),
        ("Raum 1.01 (Süd), A/B", ""),
    ],
)
def test_a_new_key_has_no_blank_at_its_edges_and_nothing_invisible(name: str, why: str) -> None:
    assert why_unfit(name) == why
    assert not why or escaped(name).isprintable()


@RANDOMISED
@given(st.text(), st.sampled_from("-\u2010\u2013\u2014\u2212"), st.sampled_from(" \u00a0\u2009\u3000"))
def test_people_take_names_of_one_shape_for_one_name(text: str, dash: str, blank: str) -> None:
    written = shape(text.replace("-", dash).replace(" ", blank))
    assert written == shape(text) == shape(shape(text))
    assert shape(f" {text}\u200b ") == shape(text)
    assert shape(text.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)})) == shape(text)


@pytest.mark.parametrize(
    ("name", "other", "are_alike"),
    [
        ("Dresden", "dresden", True),
        ("Dresden.", "DRESDEN ", True),
        ("IMP-000001", "imp\u2013000001", True),
        ("Haus  A", "Haus A", True),
        ("Haus A", "HausA", False),
        ("M\u00fcnchen", "mu\u0308nchen", True),
        ("Munchen", "M\u00fcnchen", False),
        ("B\u00b2", "B2", False),
        ("KIZILAY", "K\u0131z\u0131lay", True),
        ("D\u0130YARBAKIR", "Diyarbak\u0131r", True),
        ("\u0130\u0301", "i\u0301", True),
        ("1.01", "101", False),
        ("...", ".", True),
    ],
)
def test_what_looks_alike(name: str, other: str, are_alike: bool) -> None:
    assert (shape(name) == shape(other)) is are_alike


@pytest.mark.parametrize(
    "key",
    [
        "100001",
        "100001.0",
        "100,001",
        "100.001",
        "100 001",
        "0100001",
        "\uff11\uff10\uff10001",
        "100001,00",
        "*100001*",
    ],
)
def test_a_number_has_the_shape_of_its_digits(key: str) -> None:
    assert shape_of_digits(key) == "100001"


@pytest.mark.parametrize("key", ["A0100001", "100001.5", "10,001,1", "1-00001", "100001A", "**", "*1", "A*1*"])
def test_what_is_no_whole_number_keeps_its_signs(key: str) -> None:
    assert shape_of_digits(key) == shape(key)
