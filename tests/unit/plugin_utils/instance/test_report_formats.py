# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One run writes every format, and each format shows what a reviewer must see first."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from instance_site import Site, yaml_list
from set_actions import run_set

from ansible_collections.community.seventhings.plugins.plugin_utils.report.value_diff import as_figure

NAMES = ("plan.html", "plan.md", "plan.json", "findings.sarif", "changes.csv")
FIRST = "api: seventhings/v1\nset: test\npolicy: {prune: {objects: delete}}\n"


def planned(
    site: Site, reports: Any, check_mode: bool = True, module: str = "instance", **written: Any
) -> dict[str, Any]:
    """Return the result of one task that writes reports."""
    given = {**site.service.options(), "rate_limit": 0, "src": str(site.root), "report": reports, **written}
    return run_set(given, check_mode, None, module=module)


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV report."""
    with path.open(encoding="utf-8-sig", newline="") as lines:
        return list(csv.DictReader(lines))


def test_one_run_writes_all_formats(site: Site, tmp_path: Path) -> None:
    site.write({"objects.yml": yaml_list([{"barcode": "100001", "inventory_name": "=1+1"}])})
    planned(site, [str(tmp_path / name) for name in NAMES])
    assert all((tmp_path / name).stat().st_size for name in NAMES)
    (name,) = [row for row in rows_of(tmp_path / "changes.csv") if row["field"] == "inventory_name"]
    assert (name["section"], name["action"], name["key"]) == ("objects", "create", "100001")
    assert name["after"] == "'=1+1", "a spreadsheet runs no value as a formula"


@pytest.mark.parametrize("second", ["plan.md", "./plan.md"])
def test_two_reports_are_two_files(site: Site, tmp_path: Path, second: str) -> None:
    site.write({"objects.yml": yaml_list([{"barcode": "100001", "inventory_name": "x"}])})
    result = planned(site, [f"{tmp_path}/plan.md", f"{tmp_path}/{second}"])
    assert "is another report too; give each a file of its own" in result["msg"]
    assert site.sent() == []


def test_sarif_has_removals_and_warnings(site: Site, tmp_path: Path) -> None:
    records = [{"barcode": f"10000{number}", "inventory_name": "x"} for number in range(3)]
    site.write({"instance.yml": FIRST, "objects.yml": yaml_list(records)})
    site.run()
    kept = [*records[:1], {"barcode": "100001", "_state": "absent"}]
    site.write({"objects.yml": yaml_list(kept)})
    planned(site, str(tmp_path / "plan.sarif"), limits={"delete_percent": 100})
    (run,) = json.loads((tmp_path / "plan.sarif").read_text("utf-8"))["runs"]
    found = {(result["ruleId"], result["message"]["text"].partition(" x")[0]): result for result in run["results"]}
    (location,) = found["removal", "delete: objects 100001"]["locations"]
    assert location["physicalLocation"]["region"]["startLine"] == 3
    assert ("removal", "delete: objects 100002") in found


def test_sarif_shows_a_warning_at_its_value(site: Site, tmp_path: Path) -> None:
    site.write({"objects.yml": yaml_list([{"barcode": "1", "inventory_name": "x", "purchasing_date": "2105-01-01"}])})
    planned(site, str(tmp_path / "plan.sarif"))
    (run,) = json.loads((tmp_path / "plan.sarif").read_text("utf-8"))["runs"]
    odd = next(result for result in run["results"] if "2105-01-01" in result["message"]["text"])
    assert (odd["ruleId"], odd["level"]) == ("warning", "warning")
    assert odd["locations"][0]["physicalLocation"]["region"] == {"startLine": 3, "startColumn": 20}


def test_a_removal_shows_what_goes_in_every_format(site: Site, tmp_path: Path) -> None:
    records = [
        {"barcode": f"10000{number}", "inventory_name": f"Notebook {number}", "purchasing_price": 849.9}
        for number in range(3)
    ]
    places = {"locations.yml": "- name: Head\n", "rooms.yml": '- {number: "0.1", building_id: Head}\n'}
    records[2]["target_room"] = "Head/0.1"
    site.write({"instance.yml": FIRST, **places, "objects.yml": yaml_list(records)})
    site.run()
    site.write({"objects.yml": yaml_list(records[:2])})
    planned(site, [str(tmp_path / name) for name in NAMES], limits={"delete_percent": 100})
    (change,) = json.loads((tmp_path / "plan.json").read_text("utf-8"))["changes"]
    assert change["name"] == "Notebook 2"
    assert change["removed"]["room"] == "Head/0.1"
    assert (change["removed"]["value"], change["removed"]["history"]) == ("849.90", True)
    assert set(change["removed"].values()) >= {0, "not looked up"}
    for name in NAMES:
        report = (tmp_path / name).read_text("utf-8")
        assert all(text in report for text in ("100002", "Notebook 2", "Head/0.1", "849.9", "not looked up")), name
    for name in NAMES[:3]:
        assert "only in part: 1 deletion" in (tmp_path / name).read_text("utf-8"), name


def test_a_field_that_is_hidden_is_hidden_in_removals(site: Site, tmp_path: Path) -> None:
    records = [{"barcode": f"10000{number}", "inventory_name": "x", "purchasing_price": 849.9} for number in range(3)]
    site.write({"instance.yml": FIRST, "objects.yml": yaml_list(records)})
    site.run()
    site.write({"objects.yml": yaml_list(records[:2])})
    hide = ["Purchasing price", "inventory_name"]
    planned(site, [str(tmp_path / name) for name in NAMES], limits={"delete_percent": 100}, hide=hide)
    for name in NAMES:
        assert "849.9" not in (tmp_path / name).read_text("utf-8"), name


def test_amounts_have_their_usual_digits_in_every_format_for_people(site: Site, tmp_path: Path) -> None:
    first = [
        {"barcode": "100001", "inventory_name": "Chair", "purchasing_price": 849.9, "weight": 1.5},
        {"barcode": "100002", "inventory_name": "Desk", "purchasing_price": 1299.5},
    ]
    site.write({"instance.yml": FIRST, "objects.yml": yaml_list(first)})
    site.run()
    site.write({"objects.yml": yaml_list([{**first[0], "purchasing_price": 799, "weight": 1.75}])})
    result = planned(site, [str(tmp_path / name) for name in NAMES], limits={"delete_percent": 100})
    assert "purchasing_price: 849.90 -> 799.00" in result["msg"]
    assert "weight: 1.500 -> 1.750" in result["msg"]
    assert "purchasing_price: 849.90\n" in result["diff"]["before"]
    assert "value 1,299.50" in result["msg"]
    for name in ("plan.html", "plan.md"):
        shown = (tmp_path / name).read_text("utf-8")
        assert all(amount in shown for amount in ("849.90", "799.00", "1,299.50"))
    (price,) = [row for row in rows_of(tmp_path / "changes.csv") if row["field"] == "purchasing_price"]
    assert (price["before"], price["after"]) == ("849.90", "799.00")
    changes = [*result["changes"], *json.loads((tmp_path / "plan.json").read_text("utf-8"))["changes"]]
    found = [change["before"]["purchasing_price"] for change in changes if change["key"] == "100001"]
    assert found == [849.9, 849.9], "documents have plain numbers"


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (849.9, "849.90"),
        (7, "7.00"),
        (-0.125, "-0.125"),
        (1e21, "1000000000000000000000.00"),
        (0.1 + 0.2, f"{0.1 + 0.2}"),
    ],
)
def test_an_amount_is_never_rounded(number: float, shown: str) -> None:
    assert as_figure(number, 2) == shown


@pytest.mark.parametrize("value", [None, True, "849.9", [1]])
def test_only_numbers_are_amounts(value: Any) -> None:
    assert as_figure(value, 2) is value
