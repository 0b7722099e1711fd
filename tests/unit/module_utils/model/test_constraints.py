# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The constraints of field definitions: what a value must fulfil before anything is sent."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.module_utils.model.types_basic import broken_rules


@pytest.mark.parametrize(
    ("name", "value", "constraints", "words"),
    [
        ("NUMBER", 2, {"min_value": 3}, "at least 3"),
        ("NUMBER", 3, {"min_value": 3}, None),
        ("NUMBER", 5, {"max_value": 4}, "at most 4"),
        ("NUMBER", 4, {"max_value": 4}, None),
        ("NUMBER", 2, {"min_value": "3"}, "at least 3"),
        ("MONEY", Decimal("2.99"), {"min_value": 3}, "at least 3"),
        ("MONEY", Decimal("4.01"), {"max_value": "4"}, "at most 4"),
        ("MONEY", Decimal("1.234"), {"max_decimals": "2"}, "at most 2 decimal places"),
        ("MONEY", Decimal("1.230"), {"max_decimals": 2}, None),
        ("TEXT", "1.234", {"max_decimals": 2}, None),
        ("TEXT", "abcd", {"max_length": 3}, "at most 3 characters, found 4"),
        ("TEXT", "abc", {"max_length": "3"}, None),
        ("ATTACHMENT", (1, 2), {"max_items": 1}, "at most 1 item(s), found 2"),
        ("ATTACHMENT", (1, 2), {"max_items": 2}, None),
        ("ATTACHMENT", (1,), {"min_items": 2}, "at least 2 item(s)"),
        ("ATTACHMENT", (1, 2), {"min_items": 2}, None),
        ("ATTACHMENT", (1, 2), {"max_value": 1}, "at most 1 item(s), found 2"),
        ("ATTACHMENT", (1,), {"min_value": 2}, "at least 2 item(s)"),
        ("TEXT", "abc", {"min_value": 3, "max_items": 1, "date_format": "Y-m-d"}, None),
        ("NUMBER", 1000, {"max_length": 1, "regular_expression": "x"}, None),
    ],
)
def test_a_constraint_of_the_definition_is_checked_before_anything_is_sent(
    name: str, value: Any, constraints: dict[str, Any], words: str | None
) -> None:
    broken = broken_rules(value, Field("f", name, constraints=constraints))
    assert (len(broken) == 1 and words in broken[0]) if words else broken == []


def test_every_broken_constraint_is_reported_at_once() -> None:
    field = Field("f", "TEXT", constraints={"max_length": 3, "regular_expression": "^x"})
    assert len(broken_rules("abcd", field)) == 2


@pytest.mark.parametrize(
    ("pattern", "fits", "differs"),
    [
        ("^A-[0-9]+$", "A-17", "B-17"),
        ("/^A-[0-9]+$/", "A-17", "B-17"),
        ("#^A/[0-9]+$#", "A/17", "A17"),
        ("@^a$@", "a", "b"),
        ("{^a$}", "a", "b"),
        ("/^a$/i", "A", "b"),
        ("/^a$/", "a", "A"),
        ("/^ä$/u", "ä", "a"),
        ("/^a.b$/s", "a\nb", "ab"),
        ("/^b$/m", "a\nb", "ab"),
        ("/^a b$/x", "ab", "a b"),
        ("/^a$/imsxu", "A", "b"),
        ("[0-9]", "a1b", "ab"),
        ("/^a$/D", "b", None),
        ("/\\p{L}+/u", "1", None),
        ("(unclosed", "a", None),
    ],
)
def test_a_pattern_is_php_s_and_what_is_not_understood_is_left_to_the_service(
    pattern: str, fits: str, differs: str | None
) -> None:
    field = Field("f", "TEXT", constraints={"regular_expression": pattern})
    assert broken_rules(fits, field) == []
    assert differs is None or pattern in broken_rules(differs, field)[0]


def test_a_value_that_is_not_allowed_is_reported_with_the_allowed_values() -> None:
    allowed = ("green", "blue")
    assert broken_rules("red", Field("f", "DROPDOWN", allowed=allowed)) == ["expected one of 'green', 'blue'"]
    assert broken_rules("green", Field("f", "DROPDOWN", allowed=allowed)) == []


@pytest.mark.parametrize("nothing", [None, ()])
def test_a_mandatory_field_can_not_be_cleared_and_another_one_keeps_every_rule_when_empty(nothing: Any) -> None:
    rules = {"min_value": 1, "min_items": 1, "max_length": 1, "regular_expression": "x"}
    assert "mandatory" in broken_rules(nothing, Field("f", "TEXT", mandatory=True))[0]
    assert broken_rules(nothing, Field("f", "TEXT", allowed=("a",), constraints=rules)) == []


@pytest.mark.parametrize(("length", "is_matched"), [(1000, True), (1001, False)])
def test_a_long_text_is_left_to_the_service(length: int, is_matched: bool) -> None:
    field = Field("f", "TEXT", constraints={"regular_expression": "^b"})
    assert bool(broken_rules("a" * length, field)) is is_matched
