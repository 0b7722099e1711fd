# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""If an instance refuses overlapping rental cases of one object, the message names the other case."""

from __future__ import annotations

from typing import Any

import pytest
from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.errors import SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import RENTAL_CASE
from ansible_collections.community.seventhings.plugins.module_utils.reconcile.reconcile import DesiredRecord, ensure

TOLD = "At the same time there is, in other rental cases: {}."
DAYS = {"issue_date": "2031-05-05", "due_date": "2031-05-09"}


def case(title: str, **fields: Any) -> dict[str, Any]:
    """Return a rental case for object 1."""
    common = {"references": ["1"], "responsible_user": "operator@instance.invalid"}
    return {"title": title, **common, "renter": {"type": "plain", "value": "Ada"}, **DAYS, **fields}


def at(start: str, end: str, day: str = "2031-05-05") -> dict[str, Any]:
    """Return the fields for a period from one time of a day to another."""
    days = {"issue_date": day, "due_date": day}
    return {**days, "issue_at": f"{day}T{start}:00+02:00", "due_at": f"{day}T{end}:00+02:00"}


@pytest.fixture
def strict(site: Site) -> Site:
    """Return an instance that refuses overlaps, with two objects and two rental cases."""
    site.service.steer("PUT", "/switches", {"rental_overlap": "refuse"})
    things = [{"barcode": number, "inventory_name": number} for number in "12"]
    cases = [case("Fair"), case("Hour", references=["2"], **at("10:00", "12:00"))]
    site.write({"objects.yml": yaml_list(things), "rental_cases.yml": yaml_list(cases)})
    assert site.run().outcome == "changed"
    return site


@pytest.mark.parametrize(
    ("wish", "other"),
    [
        (case("New"), "1 in 'Fair' (2031-05-05 to 2031-05-09)"),
        (case("New", **at("08:00", "09:00")), "1 in 'Fair' (2031-05-05 to 2031-05-09)"),
        (case("New", references=["2"], **at("11:59", "13:00")), "2 in 'Hour' (2031-05-05 to 2031-05-05)"),
        (
            case("New", references=["1", "2"]),
            "1 in 'Fair' (2031-05-05 to 2031-05-09); 2 in 'Hour' (2031-05-05 to 2031-05-05)",
        ),
    ],
)
def test_the_other_case_is_named(strict: Site, wish: dict[str, Any], other: str) -> None:
    with pytest.raises(SeventhingsError) as refused:
        ensure(strict.client(), DesiredRecord(RENTAL_CASE, wish))
    assert refused.value.message.endswith(TOLD.format(other))
    strict.write({"objects.yml": "[]\n", "rental_cases.yml": yaml_list([wish])})
    (failure,) = strict.run(allow=["empty_sources"]).failures
    assert TOLD.format(other) in failure["reason"]


def test_a_case_that_is_moved_names_the_other_one_and_not_itself(strict: Site) -> None:
    late = {"issue_date": "2031-06-05", "due_date": "2031-06-09"}
    result = ensure(strict.client(), DesiredRecord(RENTAL_CASE, case("Late", **late)))
    with pytest.raises(SeventhingsError) as refused:
        ensure(strict.client(), DesiredRecord(RENTAL_CASE, {"issue_date": "2031-05-09"}, uuid=result.uuid))
    assert refused.value.message.endswith(TOLD.format("1 (1) in 'Fair' (2031-05-05 to 2031-05-09)"))


def test_rental_cases_that_do_not_overlap_are_accepted(strict: Site) -> None:
    for wish in (
        case("Next", issue_date="2031-05-10", due_date="2031-05-11"),
        case("Hour after", references=["2"], **at("12:00", "13:00")),
    ):
        assert ensure(strict.client(), DesiredRecord(RENTAL_CASE, wish)).changed
