# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible prints every member of a failed result: at most one screen, with the reason last."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from project import LONG

from ansible_collections.community.seventhings.plugins.plugin_utils.report.on_screen import (
    in_short,
    message_in_short,
    on_screen,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult
from ansible_collections.community.seventhings.plugins.plugin_utils.report.task import result_of as task_result

_HELD = "objects: create 300 is more than limits.creates (100); a higher limits.creates of the task lets this pass"

RESULT = RunResult(
    outcome="refused",
    instance="https://acme.seventhings.com",
    check_mode=False,
    summary={"objects": {"skipped": 300}},
    changes=[
        {
            "section": "objects",
            "key": f"A{number}",
            "action": "create",
            "uuid": None,
            "before": {},
            "after": {"barcode": f"A{number}"},
            "place": "objects.yml:1:1",
        }
        for number in range(300)
    ],
    refusals=[_HELD],
    requests=5,
    duration=1.25,
)


def result_of(result: RunResult) -> dict[str, Any]:
    return {**task_result(result, []), "diff": {"before": "", "after": "-"}}


def test_a_refusal_names_its_reason_the_number_of_changes_and_the_report() -> None:
    assert in_short(RESULT, [Path("plan.html")]).splitlines() == [
        "objects: 300 skipped",
        "300 changes were planned and none was sent; plan.html has all of them",
        f"refused, 5 requests, 1.2 s: {_HELD}",
    ]


def test_of_many_failures_the_first_are_named_and_all_are_counted() -> None:
    failures = [{"change": f"object {n}", "place": f"o.yml:{n}:1", "reason": "HTTP 422"} for n in range(300)]
    lines = in_short(replace(RESULT, outcome="failed", refusals=[], failures=failures)).splitlines()
    assert lines[1:3] == ["Failed:", "  object 0 (o.yml:0:1): HTTP 422"]
    assert lines[-2] == "  and 294 more; set report to a .html or .json file for all of them"
    assert lines[-1].startswith(
        "failed, 5 requests, 1.2 s: 300 records that failed or were skipped, the first: object 0 "
    )


def test_drift_that_fails_names_what_differs() -> None:
    lines = in_short(replace(RESULT, outcome="changed", refusals=[]), drifted=True).splitlines()
    assert lines[1:3] == ["Differs:", "  + objects A0"]
    assert lines[-1].endswith("fail is on, and 300 records differ from the files")


def test_a_message_of_very_many_problems_is_cut_and_one_of_few_is_as_it_is() -> None:
    assert message_in_short("workers: 0 does not fit\nexpected 1") == "workers: 0 does not fit\nexpected 1"
    lines = message_in_short("\n".join(f"problem {number}" for number in range(10_000))).splitlines()
    assert (lines[0], lines[-1]) == ("problem 0", "and 9,994 more")


# ---- what Ansible prints

_TEXT = "y\x1b[2J\u202e\x9b" * 5000


@pytest.mark.sample(6)
@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 10_000 if LONG else 1_000])
@pytest.mark.parametrize("text", ["short", _TEXT[:200], _TEXT])
@pytest.mark.parametrize("what", ["refusals", "findings", "failures", "changes", "reported", "warnings"])
def test_whatever_failed_is_no_flood(what: str, text: str, number: int) -> None:
    number = min(number, max(1, (1_000_000 if LONG else 100_000) // len(text)))
    many: dict[str, Any] = {
        "failures": [{"change": text, "place": text, "reason": text}] * number,
        "changes": [{**RESULT.changes[0], "key": text, "after": {text: text}}] * number,
        "reported": {"objects": [text] * number},
    }
    result = replace(RESULT, **{what: many.get(what, [text] * number)})
    printed = on_screen(result_of(result))
    assert printed.pop("diff") == {"before": "", "after": "-"}
    assert len(printed["msg"]) <= 1800
    assert len(printed["msg"].splitlines()) <= 12
    lists = [value for value in printed.values() if isinstance(value, list)]
    # The last warning says how many more there are.
    assert all(len(entries) <= 21 for entries in lists)
    entries = [entry if isinstance(entry, dict) else {"": entry} for entries in lists for entry in entries]
    assert all(len(str(text)) <= 500 for entry in entries for text in entry.values())
    letters = set(json.dumps(printed, ensure_ascii=False))
    assert not {unicodedata.category(letter) for letter in letters} & {"Cc", "Cf", "Cs", "Zl", "Zp"}


def test_what_is_short_is_returned_whole() -> None:
    printed = on_screen(result_of(replace(RESULT, findings=["a", "b"], warnings=["w"])))
    assert (printed["findings"], printed["refusals"], printed["warnings"]) == (["a", "b"], [_HELD], ["w"])
    assert (printed["outcome"], printed["instance"], printed["requests"]) == ("refused", RESULT.instance, 5)


def test_nothing_that_is_long_is_behind_the_reason() -> None:
    names = sorted(on_screen(result_of(RESULT)))
    assert names[names.index("msg") :] == [
        "msg",
        "outcome",
        "plan_digest",
        "refusals",
        "requests",
        "undo",
        "warnings",
    ]


def test_what_went_well_is_returned_as_it_is_with_the_first_of_its_warnings() -> None:
    fine = {**replace(RESULT, outcome="changed", refusals=[]).document(), "changed": True, "msg": "all\nof it"}
    printed = on_screen({**fine, "warnings": [f"w{number}\r\n" for number in range(100)]})
    assert {**printed, "warnings": []} == fine
    more = "80 more warnings; a report as .html or .json has all of them"
    assert printed["warnings"] == [*(f"w{number}\\r\\n" for number in range(20)), more]


def test_a_failure_shows_a_warning_in_the_same_words_as_a_task_before_it() -> None:
    """Ansible prints an equal warning once."""
    warning = "objects/list.csv: " + "w" * 300
    passed = on_screen({**replace(RESULT, outcome="changed").document(), "changed": True, "warnings": [warning]})
    failed = on_screen(result_of(replace(RESULT, warnings=[warning])))
    assert failed["warnings"] == passed["warnings"] == [warning]


@pytest.mark.parametrize("outcome", ["changed", "failed", "partly_applied", "refused"])
@pytest.mark.parametrize("what", ["changes", "failures", "findings", "refusals", "reported"])
def test_very_many_short_entries_do_not_flood_the_screen_in_yaml(what: str, outcome: str) -> None:
    """Each entry takes a line in YAML."""
    entry = {"change": "1", "reason": "2"} if what == "failures" else "1"
    many: Any = {"objects": ["1"] * 290} if what == "reported" else [entry] * 290
    summary = {section: dict.fromkeys(("created", "updated"), 1) for section in ("objects", "rooms")}
    printed = on_screen({"failed": True, "outcome": outcome, "msg": "", "summary": summary, what: many})
    shown = {name: value for name, value in printed.items() if name != "diff"}
    assert len(yaml.safe_dump(shown).splitlines()) <= 50
