# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rental cases by the hour in files: their time zone, instances with whole days only, and the export."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from exports import export_of, loaded
from instance_site import Site, yaml_list

SETTINGS = "api: seventhings/v1\ntimezone: Europe/Berlin\n"
TIMES = {"issue_at": "2031-07-07 09:00", "due_at": "2031-07-07T12:00:00"}


def _case(**fields: Any) -> dict[str, Any]:
    return {
        "title": "Table",
        "references": ["100002"],
        "issue_date": "2031-07-07",
        "due_date": "2031-07-07",
        "responsible_user": "bernd.kowalski@nordhain.example",
        "renter": {"type": "plain", "value": "Weber"},
        **fields,
    }


def _write(site: Site, **fields: Any) -> None:
    site.write({"instance.yml": SETTINGS, "rental_cases.yml": yaml_list([_case(**fields)])})


@pytest.mark.parametrize("read", ["as_written", "utc"])
def test_times_are_written_in_the_zone_of_the_files(demo: Site, read: str) -> None:
    demo.service.steer("PUT", "/switches", {"datetime_read": read})
    _write(demo, **TIMES)
    result = demo.run()
    assert result.outcome == "changed", result.findings
    (posted,) = [entry["body"] for entry in demo.service.log() if entry["path"].endswith("/rental-case")]
    assert (posted["is_full_day"], posted["issue_at"]) == (False, "2031-07-07T09:00:00+02:00")
    assert demo.plan().outcome == "unchanged"

    _write(demo, is_full_day=True)
    assert [change["after"] for change in demo.plan().changes] == [{"is_full_day": True}]
    assert demo.run().outcome == "changed"
    assert demo.plan().outcome == "unchanged"


def test_a_day_that_moves_without_its_time_is_found(demo: Site) -> None:
    _write(demo, **TIMES)
    demo.run()
    _write(demo, due_date="2031-07-08")
    (finding,) = demo.plan().findings
    assert "due_date: " in finding
    assert "this rental case is by the hour" in finding
    assert "write due_at too" in finding


def test_an_instance_of_whole_days_is_reported_no_times(demo: Site) -> None:
    demo.service.steer("PUT", "/switches", {"rental_hours": "absent"})
    _write(demo, **TIMES)
    (finding,) = demo.plan().findings
    assert "this instance knows rental cases of whole days alone" in finding
    _write(demo, is_full_day=True)
    assert demo.run().outcome == "changed"
    assert demo.plan().outcome == "unchanged"


def test_an_export_has_the_times_and_nothing_of_whole_days(demo: Site, tmp_path: Path) -> None:
    _write(demo, **TIMES)
    demo.run()
    copy = tmp_path / "copy"
    assert export_of(demo, copy)["changed"]
    cases = {case["title"]: case for case in loaded(copy, "rental_cases.yml")}
    assert str(cases["Table"]["issue_at"]).replace("T", " ") == "2031-07-07 07:00:00+00:00"
    assert not [case for case in cases.values() if "is_full_day" in case]
    assert [title for title, case in cases.items() if "due_at" in case] == ["Table"]
