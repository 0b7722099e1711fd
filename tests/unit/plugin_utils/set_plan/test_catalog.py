# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The section of the product catalog: planned, applied, planned again, pruned, exported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from exports import export_of, loaded
from instance_site import SETTINGS, Site, yaml_list

from ansible_collections.community.seventhings.plugins.plugin_utils.instance.offline import offline_findings

TASK_LIMITS = {"delete_percent": 100}
"""The limits of every task in this file."""

LAPTOP = {"inventory_name": "Laptop 17", "purchasing_price": "1299.50", "description": "32 GB"}


def _items(site: Site) -> list[dict[str, Any]]:
    return [
        {key.removeprefix("catalog_object_"): value for key, value in item["content"]["fields"].items()}
        for item in site.dump()["catalog_items"]
    ]


def test_items_are_created_changed_or_left_unchanged(site: Site) -> None:
    site.write({"catalog.yml": yaml_list([LAPTOP, {"catalog_object_inventory_name": "Chair"}])})
    result = site.run()
    assert result.summary["catalog"]["created"] == 2, result.failures
    assert site.plan().outcome == "unchanged"
    changed = {**LAPTOP, "purchasing_price": 1350, "description": None}
    site.write({"catalog.yml": yaml_list([changed, {"inventory_name": "Chair"}])})
    (change,) = site.plan().changes
    assert change["before"] == {"purchasing_price": 1299.5, "description": "32 GB"}
    assert change["after"] == {"purchasing_price": 1350.0, "description": None}
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"


def test_one_list_reports_of_all_items(site: Site) -> None:
    site.write({"catalog.yml": yaml_list([LAPTOP, {"inventory_name": "Chair"}])})
    site.run()
    site.service.clear_log()
    site.run()
    assert [line for line in site.sent() if "catalog" in line] == ["GET /catalog-items"]


def test_an_item_is_removed_by_state_and_by_prune(site: Site) -> None:
    settings = SETTINGS + "policy: {prune: {catalog: delete}}\n"
    names = [{"inventory_name": name} for name in ("Chair", "Lamp", "Shelf")]
    site.write({"instance.yml": settings, "catalog.yml": yaml_list(names)})
    site.run()
    site.write({"catalog.yml": yaml_list([{**names[0], "_state": "absent"}, names[1]])})
    assert sorted((change["action"], change["key"]) for change in site.plan().changes) == [
        ("delete", "Chair"),
        ("delete", "Shelf"),
    ]
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"


def test_an_item_is_renamed_and_its_links_are_to_what_the_files_make(site: Site) -> None:
    site.write(
        {
            "locations.yml": yaml_list([{"name": "Plant"}]),
            "rooms.yml": yaml_list([{"building_id": "Plant", "number": "1"}]),
            "catalog.yml": yaml_list([{"inventory_name": "Chair", "actual_room": "Plant/1"}]),
        }
    )
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"
    site.write(
        {
            "moved.yml": "catalog:\n- {from: {inventory_name: Chair}, to: {inventory_name: Stool}}\n",
            "catalog.yml": yaml_list([{"inventory_name": "Stool", "actual_room": "Plant/1"}]),
        }
    )
    (change,) = site.plan().changes
    assert (change["action"], change["after"]) == ("update", {"inventory_name": "Stool"})


def test_a_table_has_the_keys_of_objects_as_columns(site: Site) -> None:
    site.write({"catalog.csv": "inventory_name,purchasing_price\nChair,12.50\n"})
    assert site.run().summary["catalog"]["created"] == 1
    assert site.plan().outcome == "unchanged"


def test_without_a_connection_names_and_keys_are_judged(site: Site) -> None:
    site.write({"catalog.yml": yaml_list([{"description": "32 GB", "inventory_name": None}])})
    (finding,) = offline_findings(site.load())
    assert "inventory_name must have a value" in str(finding)


# ---- export


def test_items_are_exported_and_planned_again_without_a_change(site: Site, tmp_path: Path) -> None:
    site.write({"catalog.yml": yaml_list([LAPTOP])})
    site.run()
    done = export_of(site, tmp_path / "copy", only=["catalog"])
    assert done["left_out"] == []
    assert loaded(tmp_path / "copy", "catalog.yml") == [{**LAPTOP, "purchasing_price": 1299.5}]
    copy = Site(tmp_path / "copy", site.service)
    assert (copy.plan().outcome, offline_findings(copy.load())) == ("unchanged", [])


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        ("/switches", {"later_endpoints": "absent"}, []),
        ("/settings", {"modules_off": ["catalog"]}, ["catalog: this part is switched off on the instance"]),
    ],
)
def test_an_instance_without_a_catalog_is_exported_without_it(
    site: Site, tmp_path: Path, path: str, body: dict[str, Any], expected: list[str]
) -> None:
    site.service.steer("PUT", path, body)
    done = export_of(site, tmp_path / "copy", only=["catalog"])
    assert not (tmp_path / "copy" / "catalog.yml").exists()
    assert done["left_out"] == expected
