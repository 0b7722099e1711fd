# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pruning and limits. Records outside the set stay unchanged."""

from __future__ import annotations

import pytest
from instance_site import Site, yaml_list

SETTINGS = "api: seventhings/v1\nset: test\npolicy:\n"


def _objects(numbers: range) -> str:
    return yaml_list({"barcode": f"{number:03d}", "inventory_name": f"Thing {number}"} for number in numbers)


def _barcodes(site: Site, archived: bool = False) -> set[str]:
    return {record["fields"]["barcode"] for record in site.dump()["objects"] if record["archived"] == archived}


@pytest.fixture
def ten(site: Site) -> Site:
    """Apply ten objects of the set, and create an object of somebody else."""
    site.write({"objects.yml": _objects(range(10))})
    assert site.run().outcome == "changed"
    (site.root / "other").mkdir()
    other = Site(site.root / "other", site.service)
    other.write({"objects.yml": _objects(range(99, 100))})
    other.run()
    site.service.clear_log()
    return site


def test_by_default_what_is_not_in_the_files_is_only_reported(ten: Site) -> None:
    ten.write({"objects.yml": _objects(range(8))})
    result = ten.run()
    assert result.outcome == "unchanged"
    assert result.reported == {"objects": ["008", "009", "099"]}
    assert ten.writes() == []


@pytest.mark.parametrize("action", ["delete", "archive"])
def test_only_what_the_journal_knows_is_pruned(ten: Site, action: str) -> None:
    ten.write({"instance.yml": SETTINGS + f"  prune: {{objects: {action}}}\n", "objects.yml": _objects(range(9))})
    planned = ten.plan()
    assert [(change["key"], change["action"]) for change in planned.changes] == [("009", action)]
    result = ten.run()
    assert result.outcome == "changed"
    assert result.reported == {"objects": ["099"]}
    assert _barcodes(ten) == {f"{number:03d}" for number in range(9)} | {"099"}
    assert ("009" in _barcodes(ten, archived=True)) == (action == "archive")
    assert ten.plan().outcome == "unchanged"


def test_what_is_pruned_is_called_as_the_files_called_it(site: Site) -> None:
    settings = "api: seventhings/v1\nset: test\nidentity: {objects: [inventory_name, target_room]}\npolicy:\n"
    site.write(
        {
            "instance.yml": settings + "  prune: {objects: delete}\n",
            "locations.yml": "- name: North\n",
            "rooms.yml": "- {building_id: North, number: '1'}\n- {building_id: North, number: '2'}\n",
            "objects.csv": "barcode,inventory_name,target_room\n1,Chair,North/1\n2,Chair,North/2\n",
        }
    )
    keys = {change["key"] for change in site.run().changes if change["section"] == "objects"}
    site.write({"objects.csv": "barcode,inventory_name,target_room\n1,Chair,North/1\n", "rooms.yml": "[]\n"})
    result = site.plan(allow=["empty_sources"], limits={"delete_percent": 100})
    assert [(change["section"], change["key"]) for change in result.changes] == [("objects", "Chair/North/2")]
    assert "Chair/North/2" in keys
    assert result.reported == {"rooms": ["North/1", "North/2"]}
    assert site.plan(exclude=["Chair/North/2"], allow=["empty_sources"]).outcome == "unchanged"


def test_without_the_journal_nothing_is_pruned(ten: Site) -> None:
    ten.journal().unlink()
    ten.write({"instance.yml": SETTINGS + "  prune: {objects: delete}\n", "objects.yml": _objects(range(9))})
    result = ten.run()
    assert result.outcome == "unchanged"
    assert result.reported == {"objects": ["009", "099"]}


def test_a_marker_field_reports_what_belongs_to_the_set_without_a_journal(ten: Site) -> None:
    ten.journal().unlink()
    marked = yaml_list([{"barcode": "008", "serial_number": "test"}, {"barcode": "009", "serial_number": "others"}])
    ten.write({"objects.yml": marked})
    ten.run()
    ten.journal().unlink()
    settings = "api: seventhings/v1\nset: test\nmarker: serial_number\npolicy: {prune: {objects: delete}}\n"
    ten.write({"instance.yml": settings, "objects.yml": _objects(range(8))})
    assert [change["key"] for change in ten.plan().changes] == ["008"]


def test_what_is_marked_for_another_set_was_handed_over_to_it(ten: Site) -> None:
    ten.write({"objects.yml": yaml_list([{"barcode": "009", "serial_number": "others"}])})
    ten.run()
    settings = "api: seventhings/v1\nset: test\nmarker: serial_number\npolicy: {prune: {objects: delete}}\n"
    ten.write({"instance.yml": settings, "objects.yml": _objects(range(8))})
    planned = ten.plan()
    assert [change["key"] for change in planned.changes] == ["008"]
    assert planned.reported == {"objects": ["009", "099"]}


def test_an_existing_record_belongs_to_the_set_once_it_was_in_its_files(ten: Site) -> None:
    ten.write({"objects.yml": _objects(range(10)) + _objects(range(99, 100))})
    assert ten.run().outcome == "unchanged"
    ten.write({"instance.yml": SETTINGS + "  prune: {objects: delete}\n", "objects.yml": _objects(range(10))})
    assert [change["key"] for change in ten.plan().changes] == ["099"]


def test_a_section_that_became_empty_needs_a_confirmation(ten: Site) -> None:
    limits = {"delete_percent": 100}
    ten.write({"instance.yml": SETTINGS + "  prune: {objects: delete}\n", "objects.yml": "[]\n"})
    result = ten.run(limits=limits)
    assert result.outcome == "failed"
    assert "allow: [empty_sources]" in result.findings[0]
    assert ten.writes() == []
    assert ten.run(limits=limits, allow=["empty_sources"]).outcome == "changed"
    assert _barcodes(ten) == {"099"}


def test_missing_files_of_a_section_prune_nothing(ten: Site) -> None:
    ten.write({"instance.yml": SETTINGS + "  prune: {objects: delete}\n"})
    (ten.root / "objects.yml").unlink()
    assert ten.run().outcome == "failed"
    assert ten.run(allow=["empty_sources"]).outcome == "unchanged"


def test_pruning_can_be_planned_in_a_file(ten: Site, tmp_path_factory: pytest.TempPathFactory) -> None:
    ten.write({"instance.yml": SETTINGS + "  prune: {objects: delete}\n", "objects.yml": _objects(range(9))})
    path = tmp_path_factory.mktemp("plan") / "plan.json"
    ten.plan(plan_file=path)
    assert ten.run(plan_file=path).outcome == "changed"
    assert "009" not in _barcodes(ten)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("{rooms: archive}", "policy.prune.rooms: 'archive' does not fit; expected report or delete"),
        ("{fields: delete}", "policy.prune.fields: 'delete' does not fit; expected report"),
        ("{users: delete}", "policy.prune.users: 'delete' does not fit; expected report"),
        ("{hub: delete}", "policy.prune.hub: 'delete' does not fit; expected report"),
        ("{objects: remove}", "policy.prune.objects: 'remove' does not fit; expected report or delete or archive"),
        ("{objets: delete}", "policy.prune.objets: expected one of the sections"),
        ("delete", "policy.prune: expected a map"),
        ("[objects]", "policy.prune: expected a map"),
    ],
)
def test_an_invalid_prune_setting_is_an_error(site: Site, written: str, message: str) -> None:
    site.write({"instance.yml": SETTINGS + f"  prune: {written}\n", "objects.yml": _objects(range(9))})
    result = site.run()
    assert result.outcome == "failed"
    assert any(message in finding for finding in result.findings), result.findings


# ---- limits


def test_a_plan_that_exceeds_a_limit_is_refused_until_the_limit_is_raised(ten: Site) -> None:
    states = ("absent", "archived")
    ten.write({"objects.yml": yaml_list({"barcode": f"00{number}", "_state": states[number]} for number in range(2))})
    result = ten.run()
    assert result.outcome == "refused"
    (refusal,) = result.refusals
    assert refusal.startswith("objects: delete 2 of 11 records is more than limits.delete_percent (10 %)")
    assert ten.writes() == []
    assert ten.run(limits={"delete_percent": "100"}).outcome == "changed"


def test_what_a_run_did_not_come_to_the_end_of_passes_the_brakes_again_and_nothing_else(site: Site) -> None:
    site.write({"objects.yml": _objects(range(60))})
    site.service.steer("PUT", "/faults", [{"fault": "422", "method": "POST", "path": "/object", "after": 20}])
    assert site.run().outcome == "partly_applied"
    site.service.steer("DELETE", "/faults")
    site.write({"objects.yml": _objects(range(100, 160))})
    assert site.run().outcome == "refused"
    site.write({"objects.yml": _objects(range(60))})
    assert site.plan().outcome == "changed"
    assert site.run().outcome == "changed"
    site.write({"objects.yml": _objects(range(200))})
    assert site.run().outcome == "refused"


def test_percents_of_deletions_refer_to_the_records_of_the_set_too(ten: Site) -> None:
    ten.write({"instance.yml": SETTINGS + "  prune: {objects: delete}\n"})
    unmanaged = "- {barcode: '099', _managed: false}\n"
    ten.write({"objects.yml": _objects(range(9)) + unmanaged})
    # Without the object of somebody else, the set has 10 of 11 objects: the limit is 10 %.
    assert ten.plan(limits={"delete_percent": 10, "from_existing": 1}).refusals == []
    ten.write({"objects.yml": _objects(range(8)) + unmanaged})
    (refusal,) = ten.run(limits={"delete_percent": 19, "from_existing": 1}).refusals
    assert "delete 2 of 10 records of this set" in refusal


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("{create_percent: ten}", "policy.limits.create_percent: 'ten' does not fit"),
        ("{create_percent: -1}", "policy.limits.create_percent: '-1' does not fit"),
        ("{create_percent: true}", "policy.limits.create_percent: True does not fit"),
        ("{creat_percent: 5}", "policy.limits.creat_percent: no such setting; did you mean create_percent?"),
        ("{create_percent: .nan}", "does not fit"),
        ("5", "policy.limits: expected a map"),
    ],
)
def test_an_invalid_limit_is_an_error(site: Site, written: str, message: str) -> None:
    site.write({"instance.yml": SETTINGS + f"  limits: {written}\n", "objects.yml": _objects(range(1))})
    result = site.run()
    assert result.outcome == "failed"
    assert any(message in finding for finding in result.findings), result.findings
    assert site.writes() == []


# ---- guard


def test_the_guard_refuses_another_instance_and_can_be_overridden(site: Site) -> None:
    site.write(
        {"instance.yml": "api: seventhings/v1\ninstance: https://acme.example\n", "objects.yml": _objects(range(1))}
    )
    result = site.run()
    assert result.outcome == "refused"
    assert "https://acme.example" in result.refusals[0]
    assert site.sent() == []
    result = site.run(expect_instance=["https://other.example"])
    root = site.service.base_url
    assert result.refusals == [f"expect_instance names https://other.example, and the connection is to {root}."]
    assert site.sent() == []
    assert site.run(expect_instance=[root]).outcome == "changed"


@pytest.mark.parametrize("written", ["[]", "''", "5", "acme", "[https://acme.example, 5]", "{a: b}", "null"])
def test_a_guard_that_can_not_be_armed_is_an_error(site: Site, written: str) -> None:
    site.write({"instance.yml": f"api: seventhings/v1\ninstance: {written}\n", "objects.yml": _objects(range(1))})
    result = site.run()
    assert result.outcome in ("failed", "refused")
    assert site.writes() == []


# ---- a journal that is lost


def test_a_lost_journal_permits_no_larger_update(site: Site) -> None:
    site.write({"objects.yml": _objects(range(20))})
    site.run()
    site.journal().unlink()
    changed = yaml_list({"barcode": f"{number:03d}", "inventory_name": "Other"} for number in range(7))
    site.write({"objects.yml": changed})
    assert "update 7 of 20 records is more than limits.update_percent" in site.run().refusals[0]
    site.write({"objects.yml": changed + _objects(range(7, 20))})
    assert "update 7 of 20 records is more than limits.update_percent" in site.run().refusals[0]


def test_a_lost_journal_lifts_no_limit(site: Site) -> None:
    site.write({"objects.yml": _objects(range(20))})
    site.run()
    site.journal().unlink()
    site.write({"objects.yml": _objects(range(40))})
    assert site.run(limits={"create_percent": 30}).outcome == "refused"
    assert site.run().outcome == "refused"
    assert site.run(limits={"create_percent": 100}).outcome == "changed"


def test_with_its_journal_a_set_that_is_done_grows_within_its_limits(site: Site) -> None:
    site.write({"objects.yml": _objects(range(20))})
    site.run()
    site.write({"objects.yml": _objects(range(40))})
    assert site.run().outcome == "refused"
