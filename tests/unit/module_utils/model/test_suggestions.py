# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Typos of existing names, distinguished from other names."""

from __future__ import annotations

from string import ascii_letters

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.community.seventhings.plugins.module_utils.model.names import shape
from ansible_collections.community.seventhings.plugins.module_utils.model.suggestions import (
    ROUGH,
    closest_names,
    likely_typos,
)

from ..support import RANDOMISED


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("invntory_name", "inventory_name"),
        ("inventroy_nmae", "inventory_name"),
        ("inventoryname", "inventory_name"),
        ("nmae", "name"),
        ("BARCODE", "barcode"),
        ("barcod", "barcode"),
        ("purchasing price", "Purchasing price"),
        ("purchasing_prise", "purchasing_price"),
        ("Head ofice/0.12", "Head office/0.12"),
        ("head-office 0.12", "Head office/0.12"),
        ("Head office ", "Head office"),
        ("Lager Sud", "Lager Süd"),
        ("greta.nowak@acme.example", "greta.novak@acme.example"),
        ("Depot Nort", "Depot North"),
    ],
)
def test_a_typo_suggests_the_intended_name(wanted: str, name: str) -> None:
    assert likely_typos(wanted, ["xyzzy", name]) == [name]


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("0001299", "0001298"),
        ("Head office/0.13", "Head office/0.12"),
        ("Room 10", "Room 1"),
        ("1.1", "11"),
        ("Wing B", "Wing A"),
        ("Depot South", "Depot North"),
        ("Depot West", "Depot East"),
        ("Next inspection", "Last inspection"),
        ("Purchase place", "Purchase date"),
        ("eva@acme.example", "ada@acme.example"),
        ("Head office north", "Head office"),
        ("colour", "number"),
        ("barcode", "barcode"),
        ("", "name"),
        ("---", "///"),
    ],
)
def test_a_name_of_something_else(wanted: str, name: str) -> None:
    assert likely_typos(wanted, [name]) == []


WORDS = st.lists(st.sampled_from(ascii_letters), min_size=6, max_size=12, unique_by=str.casefold).map("".join)


@RANDOMISED
@given(st.lists(WORDS, min_size=1, max_size=3), st.data())
def test_a_missing_letter_is_a_typo(words: list[str], data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(words) - 1))
    at = data.draw(st.integers(1, len(words[number]) - 1))
    wrong = [*words[:number], words[number][:at] + words[number][at + 1 :], *words[number + 1 :]]
    assert likely_typos(" ".join(wrong), [" ".join(words)]) == [" ".join(words)]


@pytest.mark.parametrize(
    ("wanted", "names", "closest"),
    [
        (
            "dresden/empfang",
            ["Dresden/5", "Dresden/Empfang", "dresden/empfing"],
            ["Dresden/Empfang", "dresden/empfing"],
        ),
        ("head ofice", ["Harbour", "Head Office", "HEAD OFICE"], ["HEAD OFICE", "Head Office"]),
        ("Head office", ["Headquarters", "Office north"], ["Office north", "Headquarters"]),
        ("A-1", ["B-1", "a.1"], ["B-1", "a.1"]),
        ("david", ["x@y.example", "david.okafor@nordhain.example"], ["david.okafor@nordhain.example"]),
        ("Head office", ["", "xyzzy"], []),
        ("elif.yildiz@x.example", ["clara.mendes@x.example", "elif.demir@x.example"], []),
        ("d.okafor@x.example", ["clara.mendes@x.example", "david.okafor@y.example"], ["david.okafor@y.example"]),
    ],
)
def test_names_that_look_alike_come_before_those_with_fewest_other_letters(
    wanted: str, names: list[str], closest: list[str]
) -> None:
    assert closest_names(wanted, names, 2, ROUGH) == closest


@RANDOMISED
@given(st.text(), st.lists(st.text(), max_size=5), st.integers(1, 3))
def test_whatever_the_names(wanted: str, names: list[str], limit: int) -> None:
    found = closest_names(wanted, names, limit)
    assert len(found) <= limit
    assert set(found) <= set(names)
    alike = [name for name in dict.fromkeys(names) if name and shape(name) == shape(wanted)]
    assert found[: len(alike)] == alike[:limit]
