# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The diff of a set is two texts, before and after. Ansible compares and prints them as it does for other modules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible.plugins.callback import CallbackBase

from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult
from ansible_collections.community.seventhings.plugins.plugin_utils.report.sides import diff_of
from ansible_collections.community.seventhings.plugins.plugin_utils.report.task import result_of
from ansible_collections.community.seventhings.plugins.plugin_utils.report.text_report import as_text


def change(action: str, key: str, before: dict[str, Any], after: dict[str, Any], **members: Any) -> dict[str, Any]:
    names = {"section": "objects", "action": action, "key": key, "name": "", "note": "", "uuid": None}
    return {**names, "before": before, "after": after, "status": "not_tried", "reason": "", **members}


CHANGES = [
    change("create", "100019", {}, {"barcode": "100019", "quantity": 1}),
    change("update", "100017", {"quantity": 1, "link": None}, {"quantity": 2, "link": "a"}, name="Notebook"),
    change("delete", "100018", {"quantity": 3}, {}, removed={"room": "Head/0.1", "attachments": 1}),
    change("archive", "100016", {"archived": False}, {"archived": True}, removed={"history": True}),
]
PLAN = RunResult(
    outcome="changed",
    instance="https://acme.seventhings.com",
    check_mode=True,
    summary={"objects": {"created": 1, "updated": 1, "deleted": 1, "archived": 1}},
    changes=CHANGES,
    failures=[],
    refusals=[],
    findings=[],
    warnings=["odd"],
    reported={},
    requests=5,
    duration=1.0,
    cautions=["odd"],
    undo="only in part: 1 deletion",
)


def shown(result: RunResult) -> list[str]:
    """Return the output of Ansible for a diff."""
    return str(CallbackBase()._get_diff(diff_of(result))).splitlines()


def test_a_plan_shows_removals_then_updates_then_creations() -> None:
    assert diff_of(PLAN).keys() == {"before", "after", "before_header", "after_header"}
    assert shown(PLAN) == [
        "--- before: instance",
        "+++ after: files",
        "@@ -1,9 +1,8 @@",
        "-objects 100018",
        "-    100018 quantity: 3",
        "-    100018 room: Head/0.1",
        "-    100018 goes with it: 1 attachment",
        " objects 100016",
        "-    100016 archived: false",
        "-    100016 goes with it: the history",
        "+    100016 archived: true",
        " objects 100017 Notebook",
        "-    100017 quantity: 1",
        "+    100017 quantity: 2",
        '+    100017 link: "a"',
        "+objects 100019",
        '+    100019 barcode: "100019"',
        "+    100019 quantity: 1",
        "",
    ]


def test_a_drift_goes_from_the_files_to_the_instance() -> None:
    diff = shown(replace(PLAN, outcome="drift", changes=[CHANGES[0], {**CHANGES[1], "name": ""}]))
    assert diff[:2] == ["--- before: files", "+++ after: instance"]
    assert diff[3:] == [
        " objects 100017",
        "-    100017 quantity: 2",
        '-    100017 link: "a"',
        "-objects 100019 (missing in the instance)",
        '-    100019 barcode: "100019"',
        "-    100019 quantity: 1",
        "+    100017 quantity: 1",
        "",
    ]


def test_an_apply_shows_what_was_done() -> None:
    done = [{**CHANGES[0], "status": "done"}, {**CHANGES[1], "status": "failed", "reason": "HTTP 422"}]
    diff = diff_of(replace(PLAN, outcome="partly_applied", check_mode=False, changes=done))
    assert (diff["before"], diff["after"].splitlines()[0]) == ("", "objects 100019")
    refused = diff_of(replace(PLAN, outcome="refused", check_mode=False))
    assert "objects 100017 Notebook" in refused["before"]


def test_nothing_changed_is_no_diff() -> None:
    assert shown(replace(PLAN, outcome="unchanged", changes=[])) == []


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
        "-    1 and 5,999 objects quantity: 1",
        "+    1 and 5,999 objects quantity: 2",
        "",
    ]


@pytest.mark.parametrize("outcome", ["changed", "drift"])
def test_the_brief_has_what_changes_mean_and_neither_warnings_nor_changes(outcome: str) -> None:
    result = result_of(replace(PLAN, outcome=outcome), [])
    assert set(result["diff"]) == {"before", "after", "before_header", "after_header"}
    assert not [line for line in result["brief"] if "odd" in line or "quantity" in line]
    assert "can be undone only in part: 1 deletion" in result["brief"]
    assert result["brief"][-1] == as_text(PLAN).splitlines()[-1].replace("changed", outcome)
