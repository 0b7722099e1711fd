# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a run: the outcome of each change, the wording, and the forecast of an apply."""

from __future__ import annotations

from typing import Any

import pytest
from instance_site import Site, sample_files, yaml_list

from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult, version


def fates(result: RunResult) -> dict[str, tuple[str, str]]:
    """Return natural key to status and reason of each change."""
    return {change["key"]: (change["status"], change["reason"]) for change in result.changes}


def fault(site: Site, **rule: Any) -> None:
    site.service.steer("PUT", "/faults", [{"times": 1, **rule}])


def test_each_change_has_its_outcome(site: Site) -> None:
    site.write(
        {
            "locations.yml": "- name: Depot\n- name: Mill\n",
            "rooms.yml": '- {building_id: Depot, number: "7"}\n- {building_id: Mill, number: "8"}\n',
        }
    )
    planned = site.plan()
    assert set(fates(planned).values()) == {("not_tried", "")}
    fault(site, fault="422", method="POST", path="/location")
    applied = site.run(workers=1)
    assert applied.outcome == "partly_applied"
    outcomes = fates(applied)
    statuses = sorted(status for status, _reason in outcomes.values())
    assert statuses == ["done", "done", "failed", "skipped"]
    for status, reason in outcomes.values():
        assert bool(reason) == (status != "done")
    assert any("which was not created" in reason for status, reason in outcomes.values() if status == "skipped")
    assert {failure["reason"] for failure in applied.failures} == {
        reason for _status, reason in outcomes.values() if reason
    }


@pytest.mark.parametrize(
    ("method", "path", "counts"),
    [("POST", "/object", {"errors": 1, "skipped": 1}), ("PATCH", "/object/*", {"created": 1, "errors": 1})],
    ids=["skipped", "failed"],
)
def test_a_record_that_misses_its_links_counts_once(site: Site, method: str, path: str, counts: dict[str, int]) -> None:
    site.write(
        {
            "objects.yml": "- {barcode: '1', inventory_name: A, accessories: ['2']}\n"
            "- {barcode: '2', inventory_name: B, accessories: ['1']}\n"
        }
    )
    fault(site, fault="422", method=method, path=path)
    applied = site.run(workers=1)
    assert applied.outcome == "partly_applied"
    assert {word: number for word, number in applied.summary["objects"].items() if number} == counts
    reasons = [
        reason for _status, reason in fates(applied).values() if reason.startswith("written without accessories: ")
    ]
    assert len(reasons) == 1


def test_changes_after_the_end_of_a_run_are_reported_as_not_tried(site: Site) -> None:
    site.write({"objects.yml": yaml_list({"barcode": str(number), "inventory_name": "Thing"} for number in range(4))})
    site.options["tuning"] = {"rate_limit_wait": 1}
    site.service.steer(
        "PUT", "/faults", [{"fault": "429", "method": "POST", "path": "/object", "times": 99, "retry_after": 600}]
    )
    result = site.run(workers=1)
    assert result.outcome == "failed"
    assert sorted(status for status, _reason in fates(result).values()) == ["failed", *["not_tried"] * 3]
    assert all(reason for _status, reason in fates(result).values())
    assert result.summary["objects"]["skipped"] == 3


@pytest.mark.sample(1)
@pytest.mark.slow
@pytest.mark.parametrize("rate_limit", [0, 120])
def test_an_apply_needs_at_least_the_requests_of_the_forecast(site: Site, rate_limit: int) -> None:
    site.write(sample_files(60))
    assert site.plan().forecast["minutes"] is None
    planned = site.plan()
    applied = site.run()
    assert applied.outcome == "changed"
    assert 60 < planned.forecast["requests"] <= applied.requests < 2 * planned.forecast["requests"]
    site.options["rate_limit"] = rate_limit
    assert site.plan().forecast == {"requests": 0, "minutes": 0.0 if rate_limit else None}


def test_minutes_are_requests_at_the_limit(site: Site) -> None:
    site.write({"objects.yml": yaml_list({"barcode": str(number), "inventory_name": "Thing"} for number in range(40))})
    site.options["rate_limit"] = 120
    forecast = site.plan().forecast
    assert forecast["requests"] > 40
    assert forecast["minutes"] == round(forecast["requests"] / 120, 1)


def test_a_result_names_the_set_the_user_and_the_host(site: Site) -> None:
    site.write({"objects.yml": "[]\n"})
    origin = site.plan().made_by
    assert list(origin) == ["set", "date", "user", "version", "host"]
    assert origin["set"] == "test"
    assert origin["version"] == version() != ""
