# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All formats of a report agree for every kind of run, and the schema describes all of them."""

from __future__ import annotations

import html
import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from instance_site import SETTINGS, Site, yaml_list
from jsonschema import Draft202012Validator
from project import LONG
from schemas.report import report_schema

from ansible_collections.community.seventhings.plugins.plugin_utils.report.changes import SIGNS
from ansible_collections.community.seventhings.plugins.plugin_utils.report.html_report import as_html
from ansible_collections.community.seventhings.plugins.plugin_utils.report.markdown_report import as_markdown
from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult
from ansible_collections.community.seventhings.plugins.plugin_utils.report.text_report import as_text, write_report

TASK_LIMITS = {"update_percent": 100}
"""The limits of every task in this file."""

SCHEMA = Draft202012Validator(report_schema())

RUNS = ("planned", "applied", "partly_applied", "refused", "stale", "failed", "drift", "unchanged", "findings")


def state(chance: random.Random, earlier: list[dict[str, Any]] | None = None) -> list[dict[str, Any]]:
    """Return objects, some of which have new values."""
    if earlier is None:
        return [
            {"barcode": f"B{number:03}", "inventory_name": chance.choice("abc")}
            for number in range(chance.randrange(6, 12))
        ]
    changed = [{**record, "inventory_name": chance.choice("abcd")} for record in earlier]
    changed[0]["inventory_name"] = "x"
    return [*changed, {"barcode": "NEW", "inventory_name": "n"}]


def run_of(kind: str, site: Site, seed: int, tmp_path: Path) -> RunResult:
    """Return a run with the given outcome."""
    chance = random.Random(seed)
    first = state(chance)
    settings = SETTINGS
    site.write({"instance.yml": settings, "objects.yml": yaml_list(first)})
    if kind == "planned":
        return site.plan()
    if kind == "findings":
        site.write({"objects.yml": "- {barcode: 1, inventory_name: x}\n"})
        return site.plan()
    result = site.run()
    if kind == "applied":
        return result
    if kind == "unchanged":
        return site.run()
    second = state(chance, first)
    site.write({"objects.yml": yaml_list(second)})
    if kind == "drift":
        return site.plan(drift=True)
    if kind == "refused":
        return site.run(limits={"updates": 0})
    if kind == "stale":
        path = tmp_path / "plan.json"
        site.plan(plan_file=path)
        site.write({"objects.yml": yaml_list([{**second[0], "inventory_name": "y"}])})
        site.run(only=["objects"])
        return site.run(plan_file=path)
    times = 1 if kind == "partly_applied" else 99
    rules = [
        {"fault": "422", "times": times, **rule}
        for rule in ({"method": "PATCH"}, {"method": "POST", "path": "/object"})
    ]
    site.service.steer("PUT", "/faults", rules)
    return site.run(workers=1)


def names_in(text: str) -> Counter[str]:
    """Return how often each barcode occurs."""
    return Counter(re.findall(r"\b(?:B\d{3}|NEW)\b", text))


@pytest.mark.parametrize("seed", range(20 if LONG else 1))
@pytest.mark.parametrize("kind", RUNS)
def test_text_json_markdown_and_page_agree(kind: str, seed: int, site: Site, tmp_path: Path) -> None:
    result = run_of(kind, site, seed, tmp_path)
    wanted = {"planned": "changed", "applied": "changed", "stale": "refused", "findings": "failed"}.get(kind, kind)
    assert result.outcome == wanted
    write_report(result, tmp_path / "report.json")
    report = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert [error.message for error in SCHEMA.iter_errors(report)] == []
    forms = {"text": as_text(result), "markdown": as_markdown(result), "page": html.unescape(as_html(result))}
    for name, text in forms.items():
        for change in report["changes"]:
            assert change["key"] in text, (name, change["key"])
            if change["reason"]:
                assert f"{change['status'].replace('_', ' ')}: {change['reason']}" in text, name
        for reason in (*report["refusals"], *report["findings"]):
            assert reason in text, name
        is_done = any(change["status"] == "done" for change in report["changes"])
        assert is_done == bool(re.search(r"[(` >]done[)`< ]", text)), name
    # The text names no record without a change.
    named = Counter(
        line.split()[2 if line[:1] in set(SIGNS.values()) else 1]
        for line in (re.sub(r" \(.*", "", line) for line in forms["text"].splitlines())
        if (line[:1] in set(SIGNS.values()) and re.search(r"objects (B\d{3}|NEW)\b", line))
        or re.match(r"    objects ", line)
    )
    assert named == Counter(change["key"] for change in report["changes"])
    assert set(names_in(forms["page"])) >= set(named)
    by_action = Counter(change["action"] for change in report["changes"] if change["status"] == "done")
    if not report["check_mode"]:
        counts = report["summary"].get("objects", {})
        assert by_action == Counter({"create": counts.get("created", 0), "update": counts.get("updated", 0)})


def test_the_schema_is_one_and_refuses_what_is_no_report() -> None:
    Draft202012Validator.check_schema(report_schema())
    assert not SCHEMA.is_valid({})
    assert not SCHEMA.is_valid({"outcome": "fine"})
