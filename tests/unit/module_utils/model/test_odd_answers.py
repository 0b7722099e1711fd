# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Members of answers that have a wrong type."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record
from ansible_collections.community.seventhings.plugins.module_utils.model.field import integer_of
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import (
    FIELD_DEFINITION,
    HUB_ITEM,
    KINDS,
    flatten,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import (
    Schema,
    field_from_definition,
)
from ansible_collections.community.seventhings.plugins.module_utils.operations.hub_items import asset_id
from ansible_collections.community.seventhings.plugins.module_utils.resolve.natural_keys import key_of


@pytest.mark.parametrize(
    ("value", "number"),
    [(7, 7), ("7", 7), (-1, -1), (True, None), ("9" * 5000, None), (1.5, None), ([7], None), (None, None), ("²", None)],
)
def test_an_integer_of_the_service_is_one_or_none(value: Any, number: int | None) -> None:
    assert integer_of(value) == number
    assert asset_id(Record.from_answer(HUB_ITEM, {"id": 1, "asset_id": value})) == number


@pytest.mark.parametrize("odd", [["x"], {"a": 1}, "x", 7, True, [[]]])
def test_nothing_of_a_definition_is_lost_whatever_is_answered(odd: Any) -> None:
    raw = {"uuid": "u", "field_key": odd, "label": odd, "attributes": odd, "relations": [odd, {"a": 1}]}
    flat = flatten(FIELD_DEFINITION, raw)
    assert (flat["field_key"], flat["label"]) == (odd, odd)
    assert (flat["attributes"], flat["relations"]) == (raw["attributes"], raw["relations"])
    schema = Schema.for_kind(FIELD_DEFINITION)
    assert schema.show(flat)["attributes"] == (odd if odd != [[]] else {})
    assert field_from_definition(raw).mandatory is False


def test_a_natural_key_of_a_list_can_be_looked_up() -> None:
    schema = Schema.for_kind(KINDS["location"])
    assert len({key_of(schema, ["name"], {"name": value}, str) for value in (["x"], {"x": 1}, "x")}) == 3


@pytest.mark.parametrize(("odd", "digits"), [("2", 2), ("many", None), ([2], None), (float("inf"), None)])
def test_the_digits_of_a_number_are_a_number_or_unknown(odd: Any, digits: int | None) -> None:
    attributes = [{"type": "fraction_digits", "value": odd}]
    field = field_from_definition({"field_key": "x", "type": {"name": "MONEY"}, "attributes": attributes})
    assert field.fraction_digits == digits
