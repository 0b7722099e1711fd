# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A safeguard that matches nothing protects nothing, so the plan reports it."""

from __future__ import annotations

import pytest
from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.lifecycle import Lifecycle

TASK_LIMITS = {"delete_percent": 100}
"""The limits of every task in this file."""

SETTINGS = (
    "api: seventhings/v1\nset: test\npolicy: {{prune: {{objects: archive}}}}\nlifecycle: {{objects: {lifecycle}}}\n"
)
PANELS = [{"barcode": str(number), "inventory_name": f"Panel {number}"} for number in range(3)]


def settings(lifecycle: str) -> str:
    return SETTINGS.format(lifecycle=lifecycle)


def test_a_pattern_for_natural_keys_matches_no_uuid_by_chance(site: Site) -> None:
    site.write({"instance.yml": settings("{}"), "objects.yml": yaml_list(PANELS)})
    assert site.run().outcome == "changed"
    begin = uuid_of(site, "2")[:4]
    other = {"barcode": f"{begin}-other", "inventory_name": "Panel"}
    site.write({"instance.yml": settings(f'{{protect: ["{begin}*"]}}'), "objects.yml": yaml_list([*PANELS[:2], other])})

    result = site.run()

    assert (result.refusals, result.summary["objects"]["archived"]) == ([], 1)


def test_a_uuid_in_full_protects_its_record() -> None:
    uuid = "1b6f0c52-90d5-4a6e-8d0c-5a1f2f3e7c11"
    assert Lifecycle(protect=("0", uuid.upper())).protects(["100"], uuid) == uuid.upper()
    assert Lifecycle(protect=("0", uuid[:-1])).protects(["100"], uuid) == ""


def uuid_of(site: Site, barcode: str) -> str:
    (record,) = (record for record in site.client().list_all(OBJECT) if record.flat["barcode"] == barcode)
    return record.uuid


@pytest.mark.parametrize("setting", ["initial", "ignore"])
def test_a_pattern_that_matches_no_field_is_a_warning(site: Site, setting: str) -> None:
    site.write({"instance.yml": settings(f'{{{setting}: ["Prise*"]}}'), "objects.yml": yaml_list(PANELS)})
    expected = f"lifecycle.objects.{setting}: 'Prise*' matches no field, so it has no effect."
    assert expected in site.plan().warnings


@pytest.mark.parametrize(
    ("names", "idle"),
    [(["Prise"], ["Prise"]), (["inventory_name", "barcode"], []), (["Fremdschlüssel", "inventory_name"], [])],
)
def test_a_name_to_hide_that_is_no_field_is_a_warning(site: Site, names: list[str], idle: list[str]) -> None:
    site.write({"objects.yml": yaml_list([*PANELS, {"barcode": "9", "inventory_name": "P", "Fremdschlüssel": None}])})
    site.write({"fields/asset.yml": yaml_list([{"label": "Fremdschlüssel", "type": "TEXT"}])})
    desired = site.load()
    desired.hiding.names |= {*names}
    result = site.run(desired, check_mode=True)
    assert result.findings == []
    warned = [warning for warning in result.warnings if warning.startswith("hide: ")]
    assert [warning.split("'")[1] for warning in warned] == idle


def test_a_scope_without_records_is_a_warning(site: Site) -> None:
    site.write({"objects.yml": yaml_list([{**panel, "note": "North"} for panel in PANELS])})
    site.write({"fields/asset.yml": yaml_list([{"label": "note", "type": "TEXT"}])})
    assert site.run().outcome == "changed"
    for value, is_idle in (("North", False), ("Noth", True)):
        site.write({"instance.yml": f"{settings('{}')}scope: {{objects: {{note: [{value}]}}}}\n"})
        site.write({"objects.yml": "[]\n"})
        warned = [
            warning
            for warning in site.plan(allow=["empty_sources"]).warnings
            if warning.startswith("scope.objects: none of the 3 records")
        ]
        assert bool(warned) == is_idle


@pytest.mark.parametrize("option", ["only", "exclude"])
def test_a_name_to_choose_that_matches_nothing_is_a_finding(site: Site, option: str) -> None:
    site.write({"objects.yml": yaml_list(PANELS)})
    chosen = {option: ["Panel 1"]}
    result = site.plan(**chosen)
    assert result.findings == [f"{option}: 'Panel 1' is no section, and no natural key of what is planned"]
