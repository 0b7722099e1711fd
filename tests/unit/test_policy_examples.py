# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The example policies read what a report has."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from instance_site import SETTINGS, Site, yaml_list
from project import ROOT

from ansible_collections.community.seventhings.plugins.plugin_utils.rules.rule import read_rules

TASK_LIMITS = {"delete_percent": 100, "update_percent": 100}
"""The limits of every task in this file."""

POLICY = ROOT / "examples" / "policy"
SCHEMA = json.loads((ROOT / "docs" / "schema" / "report.schema.json").read_text("utf-8"))


def change(**members: Any) -> dict[str, Any]:
    return {"section": "objects", "key": "1", "action": "update", "before": {}, "after": {}, **members}


def judged(tmp_path: Path, report: dict[str, Any]) -> tuple[int, list[str]]:
    """Return the exit code of the policy in Python, and its output."""
    path = tmp_path / "plan.json"
    path.write_text(json.dumps({"outcome": "changed", "changes": [], **report}), "utf-8")
    done = subprocess.run([sys.executable, POLICY / "policy.py", path], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.splitlines()


CASES: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"outcome": "refused"}, ["the plan came to refused"]),
    ({"changes": [change(action="delete")] * 10}, []),
    ({"changes": [change(action="archive")] * 11}, ["11 records would be removed; 10 may be"]),
    ({"changes": [change(before={"purchasing_price": 100}, after={"purchasing_price": 120})]}, []),
    (
        {"changes": [change(before={"purchasing_price": 100}, after={"purchasing_price": 121})]},
        ["objects 1: purchasing_price 100 -> 121 is more than 20 %"],
    ),
    ({"changes": [change(after={"purchasing_price": 121})]}, []),
]


@pytest.mark.parametrize(("report", "reasons"), CASES)
def test_the_policy_in_python_passes_and_denies(tmp_path: Path, report: dict[str, Any], reasons: list[str]) -> None:
    status, lines = judged(tmp_path, report)
    assert status == bool(reasons)
    assert lines == ([json.dumps(reason) for reason in reasons] or ["passed"])


@pytest.mark.parametrize("content", [None, "", "[]", "{}", '{"outcome": "changed"}'])
def test_the_policy_in_python_says_what_it_expects(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "plan.json"
    if content is not None:
        path.write_text(content, "utf-8")
    done = subprocess.run([sys.executable, POLICY / "policy.py", path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch("policy.py: expected the JSON report of a plan, .*\n", done.stderr)


@pytest.mark.parametrize(("report", "reasons"), CASES)
def test_the_policy_in_rego_says_the_same(report: dict[str, Any], reasons: list[str]) -> None:
    engine = pytest.importorskip("regopy").Interpreter()
    engine.add_module("policy", (POLICY / "policy.rego").read_text("utf-8"))
    engine.set_input({"outcome": "changed", "changes": [], **report})
    denied = json.loads(str(engine.query("data.seventhings.deny")))
    assert denied["expressions"] == [reasons]


def test_the_rules_of_the_example_find_what_they_say(site: Site) -> None:
    device = {"inventory_name": "Laptop", "inventory_group": "IT", "purchasing_price": 900}
    site.write(
        {
            "instance.yml": SETTINGS,
            "objects.yml": yaml_list([{**device, "barcode": "100001"}, {**device, "barcode": "100002"}]),
        }
    )
    assert site.run().outcome == "changed"
    site.write(
        {
            "objects.yml": "- {barcode: '100001', _state: absent}\n"
            "- {barcode: '100002', purchasing_price: null, inventory_group: IT}\n"
        }
    )
    result = site.plan(rules=read_rules([POLICY / "rules.yml"]))
    assert [line.partition(": ")[2].partition(": ")[0] for line in result.findings] == [
        "rule it-stays",
        "rule devices-have-a-place",
    ]
    assert [line for line in result.warnings if "rule prices-stay" in line]


@pytest.mark.parametrize("name", ["policy.py", "policy.rego"])
def test_a_policy_asks_only_for_what_a_report_has(name: str) -> None:
    text = (POLICY / name).read_text("utf-8")
    of_report = set(re.findall(r"input\.(\w+)|report\[[\"'](\w+)[\"']\]", text))
    of_change = set(re.findall(r"change\.(\w+)|change\[[\"'](\w+)[\"']\]", text))
    names = [{next(filter(None, pair)) for pair in found} for found in (of_report, of_change)]
    assert {"outcome", "changes"} <= names[0] <= set(SCHEMA["properties"])
    assert {"action", "before", "after"} <= names[1] <= set(SCHEMA["$defs"]["change"]["properties"])
