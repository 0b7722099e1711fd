# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings as SARIF: each at its line, with the path in the checkout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from set_actions import run_set
from workbooks import workbook_of

from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult
from ansible_collections.community.seventhings.plugins.plugin_utils.report.sarif_report import as_sarif


def validated(src: Path, report: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the result of a validation, and the only run of its SARIF, with only the findings."""
    result = run_set({"src": src, "report": [str(report)]}, module="instance_validate")
    document = json.loads(report.read_text("utf-8"))
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    return result, {**run, "results": [result for result in run["results"] if result["ruleId"] == "finding"]}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a checkout with files in a subdirectory."""
    (tmp_path / ".git").mkdir()
    files = tmp_path / "my files" / "acme"
    files.mkdir(parents=True)
    (files / "instance.yml").write_text("api: seventhings/v1\n", "utf-8")
    return files


def test_each_finding_is_at_its_line(checkout: Path, tmp_path: Path) -> None:
    (checkout / "objects.yml").write_text("- barcode: '1'\n- barcode: 2\n", "utf-8")
    result, run = validated(checkout, tmp_path / "findings.sarif")
    assert result["failed"]
    (found,) = run["results"]
    (location,) = found["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "my%20files/acme/objects.yml"},
        "region": {"startLine": 2, "startColumn": 12},
    }
    assert found["message"]["text"].startswith("barcode: ")
    assert found["ruleId"] in {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert found["level"] == "error"


def test_of_findings_that_are_reported_together_each_is_at_its_cell(checkout: Path, tmp_path: Path) -> None:
    rows = "".join(f"{number},x,much\n" for number in range(10))
    (checkout / "fields").mkdir()
    (checkout / "fields" / "asset.yml").write_text("- {label: Weight, type: DECIMAL}\n", "utf-8")
    (checkout / "objects.csv").write_text(f"barcode,inventory_name,Weight\n{rows}", "utf-8")
    result, run = validated(checkout, tmp_path / "findings.sarif")
    lines = [result["locations"][0]["physicalLocation"]["region"]["startLine"] for result in run["results"]]
    assert len(result["findings"]) == 1
    assert lines == list(range(2, 12))


def test_files_without_findings_have_no_results(checkout: Path, tmp_path: Path) -> None:
    _result, run = validated(checkout, tmp_path / "findings.sarif")
    assert run["results"] == []


def test_each_finding_has_a_place_because_code_hosts_take_none_without(checkout: Path, tmp_path: Path) -> None:
    (checkout / "Objects.csv").write_text("barcode\n1\n", "utf-8")
    (checkout / "book.xlsx").write_bytes(b"no workbook")
    _result, run = validated(checkout, tmp_path / "findings.sarif")
    places = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in run["results"]}
    assert places == {"my%20files/acme/Objects.csv", "my%20files/acme/book.xlsx"}
    assert [result["message"]["text"].partition(" (")[0] for result in run["results"]] == [
        "no such section; did you mean objects?",
        "this is not a workbook",
    ]
    message = "the instance is another one"
    run_result = RunResult("failed", "", True, findings=[message])
    (found,) = json.loads(as_sarif(run_result, checkout))["runs"][0]["results"]
    assert found["message"] == {"text": message}
    assert found["locations"][0]["physicalLocation"] == {"artifactLocation": {"uri": "my%20files/acme/instance.yml"}}


def test_a_place_is_never_read_from_a_text(checkout: Path, tmp_path: Path) -> None:
    (checkout / "objects").mkdir()
    (checkout / "objects" / "a:1:2: b.xlsx:c.yml").write_text("- barcode: 2\n", "utf-8")
    _result, run = validated(checkout, tmp_path / "findings.sarif")
    (found,) = run["results"]
    assert found["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "my%20files/acme/objects/a%3A1%3A2%3A%20b.xlsx%3Ac.yml"},
        "region": {"startLine": 1, "startColumn": 12},
    }
    assert found["message"]["text"].startswith("barcode: ")


def test_a_cell_of_a_workbook_is_named_in_the_message(checkout: Path, tmp_path: Path) -> None:
    (checkout / "stock.xlsx").write_bytes(workbook_of({"objects": [["barcode"], [5]]}))
    _result, run = validated(checkout, tmp_path / "findings.sarif")
    (found,) = run["results"]
    assert found["locations"][0]["physicalLocation"] == {"artifactLocation": {"uri": "my%20files/acme/stock.xlsx"}}
    assert found["message"]["text"].startswith("objects!A2: barcode: ")
