# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each limit allows exactly its number of records."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest
from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.module_utils.plan.change import Change
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import SECTIONS, Policy
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.entry import Entry
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.positions import Place
from ansible_collections.community.seventhings.plugins.plugin_utils.set_plan import limits
from ansible_collections.community.seventhings.plugins.plugin_utils.set_plan.limits import LimitCheck
from ansible_collections.community.seventhings.plugins.plugin_utils.set_plan.plan import InstancePlan, Planned

NAMES = {
    "create": "create_percent",
    "update": "update_percent",
    "delete": "delete_percent",
    "archive": "delete_percent",
}


def changes(number: int, action: str, section: str = "objects", resumed: bool = False, **before: Any) -> list[Planned]:
    """Return planned changes of one action."""
    kind = KINDS[SECTIONS[section]]
    change = Change(kind, action, before=before)
    entry = Entry(kind, {}, Place("files"))
    return [Planned(section, entry, Schema(kind, ()), {}, (), "", change, resumed=resumed) for _number in range(number)]


def check(
    planned: list[Planned],
    existing: int = 0,
    everywhere: int = 0,
    sizes: dict[str, int] | None = None,
    before: dict[str, int] | None = None,
    is_capped: bool = False,
    remembered: int = 0,
    **limits: float,
) -> LimitCheck:
    plan = InstancePlan(planned, set_sizes=sizes or {})
    plan.existing = Counter(dict.fromkeys(SECTIONS, existing))
    plan.everywhere = Counter(dict.fromkeys(SECTIONS, everywhere))
    plan.remembered = Counter(dict.fromkeys(SECTIONS, remembered))
    return LimitCheck(plan, Policy(limits=limits, is_capped=is_capped), before or {})


@pytest.mark.parametrize(("action", "name"), NAMES.items())
def test_a_percent_limit_includes_its_last_record(action: str, name: str) -> None:
    words = "delete" if action == "archive" else action
    limit: Any = {name: 25}
    assert check(changes(5, action), 20, **limit).exceeded() == []
    assert check(changes(6, action), 20, **limit).exceeded() == [
        (
            f"objects: {words} 6 of 20 records is more than limits.{name} (25 %); "
            f"a higher limits.{name} of the task lets this pass"
        )
    ]


@pytest.mark.parametrize(("action", "name"), [("create", "creates"), ("update", "updates"), ("delete", "deletes")])
def test_an_absolute_limit_includes_its_last_record(action: str, name: str) -> None:
    limit: Any = {name: 5}
    assert check(changes(5, action), **limit).exceeded() == []
    assert check(changes(6, action), **limit).exceeded() == [
        f"objects: {action} 6 is more than limits.{name} (5); a higher limits.{name} of the task lets this pass"
    ]


def test_a_plan_may_exceed_both_limits_of_an_action() -> None:
    lines = check(changes(6, "create"), 20, create_percent=25, creates=5).exceeded()
    assert [line.partition(" is more than ")[2].partition(" ")[0] for line in lines] == [
        "limits.create_percent",
        "limits.creates",
    ]


def test_a_limit_of_the_files_is_raised_there() -> None:
    plan = InstancePlan(changes(6, "create"))
    for most, up_to in ((20, " up to 20, which the task allows"), (math.inf, "")):
        (line,) = LimitCheck(plan, Policy(limits={"creates": 5}, lowered={"creates": most}), {}).exceeded()
        assert line.endswith(f"; a higher policy.limits.creates in instance.yml lets this pass{up_to}")


def test_users_have_a_limit_of_their_own() -> None:
    assert check(changes(3, "create", "users"), 100, users=3, create_percent=0, creates=0).exceeded() == []
    assert check(changes(4, "create", "users"), 100, users=3).exceeded() == [
        "users: 4 would be created, more than limits.users (3) a run; a higher limits.users of the task lets this pass"
    ]


def test_sections_and_actions_are_counted_on_their_own() -> None:
    planned = changes(5, "create") + changes(5, "update") + changes(5, "create", "rooms")
    assert check(planned, creates=5, updates=5).exceeded() == []
    found = check(planned, creates=4, updates=4).exceeded()
    assert [line.partition(" is ")[0] for line in found] == [
        "objects: create 5",
        "objects: update 5",
        "rooms: create 5",
    ]


def test_deleted_and_archived_records_count_together() -> None:
    planned = changes(3, "delete") + changes(3, "archive")
    assert check(planned, deletes=6).exceeded() == []
    assert check(planned, deletes=5).exceeded()[0].startswith("objects: delete 6 ")


def test_the_rest_of_a_created_record_counts_as_its_creation() -> None:
    planned = changes(3, "update", resumed=True) + changes(3, "create")
    assert check(planned, updates=0, creates=6).exceeded() == []
    assert check(planned, updates=0, creates=5).exceeded()[0].startswith("objects: create 6 ")


def test_percents_count_from_the_number_of_existing_records() -> None:
    assert check(changes(9, "create"), 9, create_percent=0, from_existing=10).exceeded() == []
    assert "create 9 of 10 records" in check(changes(9, "create"), 10, create_percent=0, from_existing=10).exceeded()[0]


def test_a_small_scope_counts_all_records_if_the_task_has_limits() -> None:
    small, large = (check(changes(4, "update"), number, 30, is_capped=True) for number in (9, 10))
    assert list(small.bases("objects", "update")) == [(30, "")]
    assert list(large.bases("objects", "update")) == [(10, "")]
    assert list(check([], 9, 30).bases("objects", "update")) == [(9, "")]


@pytest.mark.parametrize(
    ("before", "existing", "base"),
    [(0, 50, 0), (9, 50, 9), (10, 50, 50), (10, 5, 10), (60, 50, 60)],
)
def test_creations_of_a_resumed_run_count_what_existed_before_it(before: int, existing: int, base: int) -> None:
    resumed = check(changes(1, "create"), existing, before={"objects": before})
    assert list(resumed.bases("objects", "create")) == [(base, "")]
    assert list(resumed.bases("objects", "update")) == [(existing, "")]
    assert list(resumed.bases("rooms", "create")) == [(existing, "")]
    assert resumed.existing() == {"objects": base}


def test_a_run_notes_the_numbers_of_the_sections_that_it_creates_records_in() -> None:
    planned = changes(1, "create", "rooms") + changes(2, "create") + changes(1, "update", "persons")
    assert list(check(planned, 7).existing().items()) == [("objects", 7), ("rooms", 7)]


def test_removals_are_measured_against_the_set_too() -> None:
    removed = check(changes(3, "delete"), 100, sizes={"objects": 20})
    assert list(removed.bases("objects", "delete")) == [(100, ""), (20, " of this set")]
    assert list(removed.bases("objects", "update")) == [(100, "")]
    assert list(removed.bases("rooms", "delete")) == [(100, "")]
    assert "delete 3 of 20 records of this set" in removed.exceeded()[0]
    assert check(changes(2, "delete"), 100, sizes={"objects": 20}).exceeded() == []
    assert check(changes(3, "delete"), 100, sizes={"objects": 9}).exceeded() == [], "fewer than from_existing"


def test_a_field_that_changes_in_most_of_a_set_is_a_warning() -> None:
    sizes = {"objects": 200}
    warning = (
        "objects: price changes in 101 of 200 records of this set, more than limits.update_percent (50 %). "
        "Check whether a column was shifted or sorted on its own."
    )
    assert check(changes(101, "update", price=1), sizes=sizes, update_percent=50).mass_updates() == [warning]
    assert check(changes(101, "update", price=1), sizes={"objects": 202}, update_percent=50).mass_updates() == []
    assert check(changes(100, "update", price=1), sizes=sizes, update_percent=1).mass_updates() == []
    assert check(changes(101, "create", price=1), sizes=sizes, update_percent=1).mass_updates() == []
    assert check(changes(101, "update", resumed=True, price=1), sizes=sizes, update_percent=1).mass_updates() == []
    assert check(changes(101, "update", price=1), update_percent=1).mass_updates() == [], "nobody knows its size"
    many = changes(101, "update", price=1, name="x")
    assert [line.split()[1] for line in check(many, sizes=sizes, update_percent=1).mass_updates()] == ["name", "price"]


@pytest.mark.parametrize("visible", [0, 8, 60])
def test_a_limit_counts_the_records_that_only_the_journal_knows(visible: int) -> None:
    assert check(changes(18, "create"), visible, remembered=60).exceeded() == []
    (line,) = check(changes(19, "create"), visible, remembered=60).exceeded()
    assert line.startswith("objects: create 19 of 60 records is more than limits.create_percent (30 %)")
    assert check(changes(60, "create"), 0).exceeded() == []


@pytest.mark.parametrize(("action", "name"), list(NAMES.items())[1:])
def test_hidden_records_lift_no_limit_of_visible_records(action: str, name: str) -> None:
    limit: Any = {name: 10}
    few, many = (check(changes(number, action), number, remembered=60, **limit) for number in (8, 20))
    assert "8 of 60 records that the journal knows" in few.exceeded()[0]
    assert "20 of 20 records is more" in many.exceeded()[0]
    assert check(changes(2, action), 20, remembered=60, **limit).exceeded() == []


def test_a_plan_warns_of_a_field_that_changes_in_most_of_the_set(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def things(*changed: int) -> str:
        return yaml_list(
            {"barcode": str(number), "inventory_name": "Other" if number in changed else "Thing"} for number in range(4)
        )

    monkeypatch.setattr(limits, "MANY_UPDATES", 2)
    site.write({"objects.yml": things()})
    assert site.run().outcome == "changed"
    site.write({"objects.yml": things(1, 2, 3)})
    (warning,) = site.plan().warnings
    assert warning.startswith("objects: inventory_name changes in 3 of 4 records of this set")
    site.write({"objects.yml": things(2, 3)})
    assert site.plan().warnings == []
