# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits in percent hold on a first run and for the set itself. Only the task lifts them."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.journal import Journal
from ansible_collections.community.seventhings.plugins.plugin_utils.report.text_report import as_text

PRUNE = "api: seventhings/v1\nset: test\npolicy: {prune: {objects: archive}}\n"


class Killed(BaseException):
    """Raised to simulate that the process is killed."""


def things(numbers: Iterable[int], name: str = "Thing", **more: str) -> str:
    return yaml_list({"barcode": f"{number:04d}", "inventory_name": f"{name} {number}", **more} for number in numbers)


def others(site: Site, numbers: Iterable[int]) -> None:
    """Let other people create objects in the application."""
    client = site.client()
    for number in numbers:
        client.create(OBJECT, {"barcode": f"{number:04d}", "inventory_name": f"Theirs {number}"})


def killed_after(site: Site, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kill an apply after it created a number of objects."""
    sent, left = Journal.sent, iter(range(number))

    def noted(self: Journal, kind: str, key: str) -> None:
        if next(left, None) is None:
            raise Killed
        sent(self, kind, key)

    with monkeypatch.context() as patched:
        patched.setattr(Journal, "sent", noted)
        with pytest.raises(Killed):
            site.run(workers=1)
    site.service.clear_log()


# ---- a first run


@pytest.mark.sample(1)
@pytest.mark.parametrize("adopted", [[], range(25)], ids=["new", "beside all that is there"])
def test_percents_hold_on_a_first_run(site: Site, adopted: Iterable[int]) -> None:
    others(site, range(25))
    site.service.clear_log()
    site.write({"objects.yml": things(adopted, name="Theirs") + things(range(1000, 1200))})
    result = site.run()
    assert result.outcome == "refused"
    (refusal,) = result.refusals
    assert refusal == (
        "objects: create 200 of 25 records is more than limits.create_percent (30 %); "
        "a higher limits.create_percent of the task lets this pass"
    )
    assert site.writes() == []
    assert site.run(limits={"create_percent": 800}).outcome == "changed"


# ---- an interrupted run


@pytest.mark.sample(2)
@pytest.mark.parametrize("limits", [{}, {"create_percent": 30}], ids=["default", "set by the task"])
@pytest.mark.parametrize("number", [20, 48])
def test_an_interrupted_run_may_finish_whatever_others_create_meanwhile(
    site: Site, number: int, limits: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    site.write({"objects.yml": things(range(60))})
    killed_after(site, number, monkeypatch)
    others(site, range(1000, 1012))
    assert site.plan(limits=limits).outcome == "changed"
    # The run may be killed more than once.
    killed_after(site, 2, monkeypatch)
    assert site.run(limits=limits).outcome == "changed"
    assert len(site.dump()["objects"]) == 72
    site.write({"objects.yml": things(range(100))})
    assert "create 40 of 72 records" in site.run(limits=limits).refusals[0]


def test_an_interrupted_run_lifts_no_limit_for_what_others_change_meanwhile(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.write({"objects.yml": things(range(60))})
    killed_after(site, 50, monkeypatch)
    client = site.client()
    for record in client.list_all(OBJECT)[:30]:
        client.update(OBJECT, record.uuid, {"inventory_name": "Theirs"})
    (refusal,) = site.run().refusals
    assert refusal == (
        "objects: update 30 of 50 records is more than limits.update_percent (30 %); "
        "a higher limits.update_percent of the task lets this pass"
    )


# ---- a set in a larger instance


@pytest.fixture
def shared(site: Site) -> Site:
    """Apply a set of 20 objects in two files, on an instance with 220 objects."""
    others(site, range(1000, 1200))
    site.write(
        {"instance.yml": PRUNE, "objects/a.yml": things(range(18)), "objects/b.yml": things(range(18, 20))},
    )
    assert site.run().outcome == "changed"
    site.service.clear_log()
    return site


OF_SET = (
    "objects: archive 9 of 20 records of this set is more than limits.delete_percent (10 %); a higher "
    "limits.delete_percent of the task lets this pass"
)


@pytest.mark.parametrize("journal", ["kept", "lost"])
def test_records_that_the_files_say_are_absent_count_as_removals_from_the_set(shared: Site, journal: str) -> None:
    if journal == "lost":
        shared.journal().unlink()
    absent = yaml_list({"barcode": f"{number:04d}", "_state": "archived"} for number in range(9))
    shared.write({"objects/a.yml": absent + things(range(9, 18))})
    assert shared.run().refusals == [OF_SET.replace("archive", "delete")]


def test_without_state_the_set_is_what_the_plan_matches(shared: Site) -> None:
    shared.journal().unlink()
    shared.write({"objects/a.yml": yaml_list({"barcode": f"{number:04d}", "_state": "absent"} for number in range(10))})
    shared.write({"objects/b.yml": "[]\n"})
    assert "delete 10 of 10 records of this set" in shared.run().refusals[0]


def test_the_marker_says_which_records_belong_to_the_set(shared: Site) -> None:
    settings = PRUNE + "marker: serial_number\n"
    shared.write({"instance.yml": settings, "objects/a.yml": things(range(18), serial_number="test")})
    assert shared.run(limits={"update_percent": 100}).outcome == "changed"
    shared.journal().unlink()
    shared.write({"objects/a.yml": things(range(9), serial_number="test")})
    # The two records of the other file match and have no marker.
    assert shared.run().refusals == [OF_SET.replace("archive", "delete")]


def test_records_out_of_scope_do_not_count_as_the_set(shared: Site) -> None:
    names = [f"Thing {number}" for number in range(12)] + [f"Theirs {number}" for number in range(1000, 1020)]
    scope = f"scope: {{objects: {{inventory_name: [{', '.join(names)}]}}}}\n"
    shared.write({"instance.yml": PRUNE + scope, "objects/a.yml": things(range(10)), "objects/b.yml": "[]\n"})
    assert "delete 2 of 12 records of this set" in shared.run(allow=["empty_sources"]).refusals[0]


# ---- one field in very many records


def test_a_plan_that_changes_one_field_of_most_of_the_set_begins_with_a_warning(site: Site) -> None:
    others(site, range(1000, 1400))
    site.write({"objects.yml": things(range(150))})
    assert site.run(limits={"create_percent": 100}).outcome == "changed"
    site.write({"objects.yml": things(range(101), name="Shifted") + things(range(101, 150))})
    result = site.plan()
    assert result.outcome == "changed"
    warning = (
        "objects: inventory_name changes in 101 of 150 records of this set, more than limits.update_percent (30 %). "
        "Check whether a column was shifted or sorted on its own."
    )
    assert result.warnings == [warning]
    assert as_text(result).splitlines()[:2] == ["Look at this first:", f"  {warning}"]
    assert as_text(result).count("inventory_name changes in") == 1
    site.write({"objects.yml": things(range(100), name="Shifted") + things(range(100, 150))})
    assert site.plan().warnings == []
    site.write({"objects.yml": things(range(101), name="Shifted") + things(range(101, 150))})
    assert site.plan(limits={"update_percent": 70}).warnings == []
