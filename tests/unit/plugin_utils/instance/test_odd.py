# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Odd values come first in every report, with their number, three examples and their places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from instance_site import SETTINGS, Site, yaml_list

from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult
from ansible_collections.community.seventhings.plugins.plugin_utils.report.text_report import as_text

TASK_LIMITS = {"update_percent": 100}
"""The limits of every task in this file."""

OPEN = SETTINGS


def things(number: int, **fields: Callable[[int], Any]) -> str:
    """Return objects as YAML, with fields computed from the number of the object."""
    return yaml_list(
        {
            "barcode": str(100001 + number),
            "inventory_name": "Thing",
            **{name: value for name, make in fields.items() if (value := make(number)) is not None},
        }
        for number in range(number)
    )


def second_plan(site: Site, first: str, second: str) -> RunResult:
    """Apply the first state, and plan the second."""
    site.write({"instance.yml": OPEN, "objects.yml": first})
    assert site.run().outcome == "changed"
    site.write({"objects.yml": second})
    return site.plan()


@pytest.mark.parametrize("number", [4, 5])
def test_numbers_that_are_no_money_are_odd_from_five_on(site: Site, number: int) -> None:
    first = things(6, weight=lambda index: 10.25 + index)
    second = things(6, weight=lambda index: (10.25 + index) * (100 if index < number else 1))
    cautions = second_plan(site, first, second).cautions
    assert [text.partition(": 10.250 -> 1,025.000 (")[0] for text in cautions] == (
        ["objects weight: 5 values multiplied by 100"] if number == 5 else []
    )


def test_a_column_shifted_by_one_row_is_found(site: Site) -> None:
    first = things(8, serial_number=lambda number: f"SN-{number}")
    second = things(8, serial_number=lambda number: f"SN-{(number + 1) % 8}")
    (text,) = second_plan(site, first, second).cautions
    assert text.startswith(
        "objects serial_number: 8 values that other records had before, as if the column was shifted"
    )
    assert "SN-0 -> SN-1 (100001, objects.yml:3:18)" in text


def test_columns_of_few_words_are_not_shifted(site: Site) -> None:
    first = things(12, inventory_name=lambda number: "AB"[number % 2])
    second = things(12, inventory_name=lambda number: "BA"[number % 2])
    assert second_plan(site, first, second).cautions == []


def test_many_records_newly_in_one_room_are_found(site: Site) -> None:
    places = {"locations.yml": "- name: Head\n", "rooms.yml": '- {number: "0.1", building_id: Head}\n'}
    site.write({**places, "objects.yml": things(101, target_room=lambda _number: "Head/0.1")})
    (text,) = site.plan().cautions
    assert text.startswith("objects target_room: 101 records newly in one room, Head/0.1: ")
    site.write({"objects.yml": things(100, target_room=lambda _number: "Head/0.1")})
    assert site.plan().cautions == []


def test_hidden_values_are_not_quoted(site: Site) -> None:
    site.write({"objects.yml": things(1, purchasing_date=lambda _number: "2105-01-01")})
    desired = site.load()
    desired.hiding.names.add("purchasing_date")
    result = site.run(desired, check_mode=True)
    assert "2105" not in as_text(result)
