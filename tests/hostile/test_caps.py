# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing that a pull request can write widens what the task allows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from emulator_process import Emulator
from instance_site import Site, yaml_list
from set_actions import run_set

from ansible_collections.community.seventhings.plugins.plugin_utils.instance.caps import CAPS

PERSON = "- {email: p@acme.example, first_name: A, last_name: B}\n"


@pytest.fixture
def site(empty_emulator: Emulator, tmp_path: Path) -> Site:
    """Return an empty directory and an empty instance."""
    empty_emulator.reset()
    return Site(tmp_path / "files", empty_emulator)


def apply(site: Site, check_mode: bool = False, module: str = "instance", **written: Any) -> dict[str, Any]:
    """Run the module as the action does."""
    given = {**site.service.options(), "rate_limit": 0, "src": str(site.root), **written}
    return run_set(given, check_mode, None, module=module)


def protected(site: Site, **more: Any) -> dict[str, Any]:
    """Return the options of a protected task that allows as little as possible."""
    return {
        "protected": True,
        "src_below": str(site.root),
        "limits": {},
        "prune": {},
        "allow": [],
        "expect_instance": [site.service.base_url],
        **more,
    }


def settings(policy: str) -> str:
    return f"api: seventhings/v1\nset: test\npolicy: {policy}\n"


def objects(number: int) -> str:
    return yaml_list({"barcode": f"{number:03d}", "inventory_name": "Thing"} for number in range(number))


def barcodes(site: Site) -> set[str]:
    return {record["fields"]["barcode"] for record in site.dump()["objects"] if not record["archived"]}


def test_files_lift_no_limit_of_the_task(site: Site) -> None:
    of_files = settings("{limits: {create_percent: 1000, creates: 1000, from_existing: 1000, users: 1000}}")
    site.write({"instance.yml": of_files, "objects.yml": objects(20)})
    result = apply(site, limits={"creates": 5})
    assert result["failed"]
    assert [line.split("; ")[0].partition(": ")[2] for line in result["findings"]] == [
        "policy.limits.create_percent: 1000 is more than 30, the default",
        "policy.limits.creates: 1000 is more than 5, limits.creates of the task",
        "policy.limits.from_existing: 1000 is more than 10, the default",
        "policy.limits.users: 1000 is more than 10, the default",
    ]
    assert all(line.endswith("of the task") for line in result["findings"])
    assert site.writes() == []


def test_files_may_set_lower_limits_than_the_task(site: Site) -> None:
    site.write({"instance.yml": settings("{limits: {creates: 5}}"), "objects.yml": objects(20)})
    result = apply(site, limits={"creates": 50})
    assert result["outcome"] == "refused"
    (refusal,) = result["refusals"]
    assert refusal.endswith(
        "a higher policy.limits.creates in instance.yml lets this pass up to 50, which the task allows"
    )
    assert site.writes() == []


def test_limits_that_a_protected_task_does_not_name_have_their_defaults(site: Site) -> None:
    site.write({"objects.yml": objects(10)})
    assert apply(site)["outcome"] == "changed"
    of_files = settings("{prune: {objects: delete}}")
    site.write({"instance.yml": of_files, "objects.yml": objects(20)})
    result = apply(site, **protected(site, limits={"creates": 50}))
    assert result["outcome"] == "refused"
    assert "objects: create 10 of 10 records is more than limits.create_percent (30 %)" in result["refusals"][0]
    site.write({"objects.yml": objects(9)})
    result = apply(site, **protected(site))
    assert (result["outcome"], result["reported"]) == ("unchanged", {"objects": ["009"]})
    assert apply(site, **protected(site, prune={"objects": "archive"}))["summary"]["objects"]["archived"] == 1
    assert len(site.dump()["objects"]) == 10, "archived, where the files ask for deletion"


def test_files_create_users_only_if_the_task_allows_it_and_they_do_not_forbid_it(site: Site) -> None:
    users = {"persons.yml": PERSON, "users.yml": "- p@acme.example\n"}
    site.write({"instance.yml": settings("{create_users: true}"), **users})
    for allow in ([], ["users"]):
        [finding] = apply(site, allow=allow)["findings"]
        assert "policy.create_users: files can't allow new users; only the task can, with allow: [users]" in finding
    assert site.writes() == []
    for policy, allow, why in (
        ("{}", [], "a new user gets an e-mail; allow: [users] creates it"),
        ("{create_users: false}", ["users"], "policy.create_users is false in the files"),
    ):
        site.write({"instance.yml": settings(policy), **users})
        result = apply(site, allow=allow)
        assert result["summary"]["users"]["skipped"] == 1
        assert not any("user" in line for line in site.writes() if "person" not in line)
        assert any(why in warning for warning in result["warnings"])
    site.write({"instance.yml": settings("{}"), **users})
    assert apply(site, allow=["users"])["summary"]["users"]["created"] == 1


@pytest.mark.parametrize("where", ["files", "inline"])
def test_files_can_not_allow_what_only_a_task_may(site: Site, where: str) -> None:
    policy = {"allow": ["destructive"], "protected": False, "expect_instance": [site.service.base_url]}
    desired: dict[str, Any] = {"instance": {"api": "seventhings/v1", "policy": policy}}
    if where == "inline":
        result = apply(site, src=None, desired=desired)
    else:
        site.write({"instance.yml": settings(str(policy).replace("True", "true").replace("False", "false"))})
        result = apply(site)
    assert result["outcome"] == "failed"
    assert len([finding for finding in result["findings"] if "no such setting" in finding]) == 3
    assert site.writes() == []


def test_inline_states_have_the_same_caps(site: Site) -> None:
    inline = {"api": "seventhings/v1", "set": "test", "policy": {"limits": {"creates": 1000}}}
    desired = {"instance": inline, "objects": [{"barcode": str(number), "inventory_name": "x"} for number in range(5)]}
    assert apply(site, src=None, desired=desired, limits={"creates": 4})["outcome"] == "failed"
    inline["policy"] = {}
    assert apply(site, src=None, desired=desired, limits={"creates": 4})["outcome"] == "refused"
    assert site.writes() == []


# ---- protected


@pytest.mark.parametrize(
    ("missing", "how"),
    # Ansible itself refuses null in a list of choices.
    [(missing, how) for missing in CAPS for how in ("left out", "null") if (missing, how) != ("allow", "null")],
)
def test_a_protected_task_says_all_that_it_allows(site: Site, missing: str, how: str) -> None:
    options = protected(site)
    if how == "null":
        options[missing] = None
    else:
        del options[missing]
    result = apply(site, src="/nowhere", check_mode=True, **options)
    assert result["failed"]
    assert result["msg"].startswith(f"protected: {missing} must be given too")
    assert site.sent() == []


def test_a_protected_task_names_an_instance(site: Site) -> None:
    result = apply(site, src="/nowhere", **protected(site, expect_instance=[]))
    assert result["msg"] == "protected: expect_instance must name at least one instance"
    assert site.sent() == []


def test_all_that_is_missing_is_named_at_once(site: Site) -> None:
    result = apply(site, protected=True)
    assert f"protected: {', '.join(CAPS)} must be given too" in result["msg"]


def test_a_comparison_needs_no_caps_and_no_limit_keeps_drift_from_being_reported(site: Site) -> None:
    site.write({"instance.yml": settings("{limits: {creates: 0}}"), "objects.yml": objects(3)})
    result = apply(site, module="instance_drift")
    assert (result["outcome"], result["check_mode"]) == ("drift", True)
    assert len(result["changes"]) == 3
    assert site.writes() == []


# ---- the scope, which files choose


@pytest.mark.sample(2)
@pytest.mark.parametrize("way", ["protected", "limits"])
@pytest.mark.parametrize("action", ["create", "update", "delete"])
def test_a_scope_of_few_records_lifts_no_limit_of_the_task(site: Site, action: str, way: str) -> None:
    """Percentages refer to the records in scope, so a narrow scope would evade them."""
    thing = [{"barcode": f"{number:03d}", "inventory_name": f"Group {number // 9}"} for number in range(36)]
    site.write({"objects.yml": yaml_list(thing)})
    assert apply(site)["outcome"] == "changed"
    site.service.clear_log()
    files = {
        "create": [{"barcode": f"new {number}", "inventory_name": "New"} for number in range(11)],
        "update": [{**record, "purchasing_price": "1"} for record in thing[:9]],
        "delete": [{**record, "_state": "absent"} for record in thing[:9]],
    }
    scope = "scope: {objects: {inventory_name: [Group 0, New]}}\n"
    site.write({"instance.yml": f"api: seventhings/v1\nset: test\n{scope}", "objects.yml": yaml_list(files[action])})
    tight = {f"{action}_percent": 20}
    options = protected(site, limits=tight) if way == "protected" else {"limits": tight}
    result = apply(site, **options)
    assert result["outcome"] == "refused"
    assert f"of 36 records is more than limits.{action}_percent (20 %)" in result["refusals"][0]
    assert site.writes() == []


@pytest.mark.parametrize("action", ["create", "update", "delete"])
def test_percent_limits_count_offers_of_the_hub_too(site: Site, action: str) -> None:
    """Offers on the hub are public, and a withdrawn offer can't be restored."""
    things = [{"barcode": f"{number:03d}", "inventory_name": "Thing"} for number in range(30)]
    offers = [{"object": f"{number:03d}", "price": "10.00", "category": "chairs"} for number in range(12)]
    site.write({"objects.yml": yaml_list(things), "hub.yml": yaml_list(offers)})
    assert apply(site)["outcome"] == "changed"
    site.service.clear_log()
    files = {
        "create": [{**offers[0], "object": f"{number:03d}"} for number in range(12, 24)],
        "update": [{**offer, "price": "1.00"} for offer in offers],
        "delete": [{**offer, "_state": "absent"} for offer in offers],
    }
    site.write({"hub.yml": yaml_list(files[action])})
    result = apply(site, **protected(site))
    assert result["outcome"] == "refused"
    assert f"hub: {action} 12 of 12 records is more than limits.{action}_percent" in result["refusals"][0]
    assert site.writes() == []


_OFFER = "/circularity-hub/add-objects-to-circularity-hub"


@pytest.mark.sample(2)
@pytest.mark.parametrize("is_planned", [False, True], ids=["files", "plan file"])
@pytest.mark.parametrize("exist_already", [False, True], ids=["new objects", "old objects"])
def test_offers_of_an_interrupted_run_are_created_again(
    site: Site, tmp_path: Path, exist_already: bool, is_planned: bool
) -> None:
    things = [{"barcode": f"{number:03d}", "inventory_name": "Thing"} for number in range(40)]
    offers = [{"object": f"{number:03d}", "price": "10.00", "category": "chairs"} for number in range(40)]
    site.write({"objects.yml": yaml_list(things)})
    if exist_already:
        assert apply(site)["outcome"] == "changed"
    site.write({"hub.yml": yaml_list(offers)})
    options = protected(site)
    if is_planned:
        options["plan_file"] = str(tmp_path / "plan.json")
        assert apply(site, check_mode=True, **options)["outcome"] == "changed"
    site.service.steer("PUT", "/faults", [{"fault": "422", "method": "POST", "path": _OFFER, "after": 20}])
    assert apply(site, **options)["outcome"] == "partly_applied"
    site.service.steer("DELETE", "/faults")
    assert apply(site, **options)["outcome"] == "changed"
    assert len(site.dump()["hub_items"]) == 40
