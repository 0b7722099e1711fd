# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The diff of a set is two texts, before and after. Ansible compares and prints them as it does for other modules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ansible.plugins.callback import CallbackBase

from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult
from ansible_collections.community.seventhings.plugins.plugin_utils.report.sides import diff_of


def change(action: str, key: str, before: dict[str, Any], after: dict[str, Any], **members: Any) -> dict[str, Any]:
    names = {"section": "objects", "action": action, "key": key, "name": "", "note": "", "uuid": None}
    return {**names, "before": before, "after": after, "status": "not_tried", "reason": "", **members}


PLAN = RunResult(outcome="changed", instance="https://acme.seventhings.com", check_mode=True)


def shown(result: RunResult) -> list[str]:
    """Return the output of Ansible for a diff."""
    return str(CallbackBase()._get_diff(diff_of(result))).splitlines()


def test_of_very_many_changes_the_first_are_shown_and_the_others_counted() -> None:
    many = [change("update", str(number), {"quantity": number}, {"quantity": -number}) for number in range(1, 6001)]
    diff = diff_of(replace(PLAN, changes=many))
    assert diff["before"].count("\n    ") == diff["after"].count("\n    ") == 1000
    last = "and 5,000 more of quantity: 6,000 objects; a report as .csv or .json has all of them"
    assert diff["after"].splitlines()[-1] == last


def test_equal_changes_have_one_line_on_each_side_below_their_number() -> None:
    many = [change("update", str(number), {"quantity": 1}, {"quantity": 2}, name="Desk") for number in range(1, 6001)]
    names = ", ".join(f"{number} Desk" for number in range(1, 21))
    assert shown(replace(PLAN, changes=many))[3:] == [
        " quantity 1 -> 2: 6,000 objects",
        f"     {names} and 5,980 more",
        "-    each of 6,000 objects quantity: 1",
        "+    each of 6,000 objects quantity: 2",
        "",
    ]
