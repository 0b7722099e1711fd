# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that are suggested for an unknown one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.community.seventhings.plugins.module_utils.model.names import shape
from ansible_collections.community.seventhings.plugins.module_utils.model.suggestions import (
    ROUGH,
    closest_names,
)

from ..support import RANDOMISED


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("invntory_name", "inventory_name"),
        ("BARCODE", "barcode"),
        ("purchasing price", "Purchasing price"),
        ("Head ofice/0.12", "Head office/0.12"),
        ("greta.nowak@acme.example", "greta.novak@acme.example"),
    ],
)
def test_a_typo_suggests_the_intended_name(wanted: str, name: str) -> None:
    assert closest_names(wanted, ["xyzzy", name], 3) == [name]


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
