# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""If an instance has no list of a kind, it is reported once, and the other lists are read."""

from __future__ import annotations

from pathlib import Path

import pytest
from embedded_here import Embedded
from exports import export_of
from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.errors import ListMissing, NotFound
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.plugin_utils.readers.inventory import Plan, read_records

LISTS = {
    "task": ("tasks", "GET /task-management/tasks"),
    "rental_case": ("rental_cases", "GET /rental-management/rental-cases"),
    "hub_item": ("hub", "GET /circularity-hub/items"),
}
STATUSES = (404, 405)
EVERY = {operation: 404 for _section, operation in LISTS.values()} | {"GET /circularity-hub/orders": 405}


@pytest.mark.sample(3)
@pytest.mark.parametrize(("name", "status"), [(name, status) for name in LISTS for status in STATUSES])
def test_an_export_leaves_the_section_out_and_says_so(demo: Site, tmp_path: Path, name: str, status: int) -> None:
    section, operation = LISTS[name]
    whole = export_of(demo, tmp_path / "whole", check_mode=True)
    demo.service.steer("PUT", "/settings", {"missing_operations": {operation: status}})
    done = export_of(demo, tmp_path / "copy")
    line = f"{section}: this instance has no such list"
    assert set(done["left_out"]) == {*whole["left_out"], line}
    assert done["left_out"].count(line) == 1
    assert not list((tmp_path / "copy").glob(f"{section}.*"))
    assert list((tmp_path / "copy").glob("objects*"))


def test_without_orders_an_export_names_none_and_says_so(demo: Site, tmp_path: Path) -> None:
    demo.service.steer("PUT", "/settings", {"missing_operations": {"GET /circularity-hub/orders": 404}})
    done = export_of(demo, tmp_path / "copy", only=["hub"])
    assert "hub_orders" not in done["not_cloned"]
    assert done["left_out"].count("hub_orders: this instance has no such list") == 1


@pytest.mark.parametrize("status", STATUSES)
def test_an_export_without_a_catalog_warns(demo: Site, tmp_path: Path, status: int) -> None:
    demo.service.steer("PUT", "/settings", {"missing_operations": {"GET /catalog-items": status}})
    done = export_of(demo, tmp_path / "copy", only=["catalog"])
    assert done["warnings"] == [
        "catalog: no file contains this section. This instance has no catalog items: its version is too old for them."
    ]


@pytest.mark.parametrize("status", STATUSES)
def test_files_without_the_section_are_applied(tmp_path: Path, status: int) -> None:
    service = Embedded.started(data="empty")
    service.set(missing_operations=dict.fromkeys(EVERY, status))
    site = service.site(tmp_path)
    site.write({"objects.yml": yaml_list([{"barcode": "1", "inventory_name": "Saw"}])})
    assert site.run().summary["objects"]["created"] == 1
    assert site.plan().outcome == "unchanged"


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("status", STATUSES)
def test_a_list_that_is_asked_for_is_named(name: str, status: int) -> None:
    service = Embedded.started()
    service.set(missing_operations={LISTS[name][1]: status})
    with pytest.raises(ListMissing, match=f"This instance has no list of {KINDS[name].plural}"):
        service.client().list_all(KINDS[name])
    info = service.call(f"{name}_info")
    assert f"This instance has no list of {KINDS[name].plural}" in info["msg"]


def test_a_list_that_others_depend_on_is_an_error() -> None:
    service = Embedded.started()
    service.set(missing_operations={"GET /rooms": 404})
    with pytest.raises(NotFound):
        service.client().list_all(KINDS["room"])


def test_information_and_an_inventory_do_without() -> None:
    service = Embedded.started()
    service.set(missing_operations=EVERY)
    assert service.call("service_info")["modules"] == {"rental": False, "hub": False}
    assert read_records(service.client(), Plan("objects"), {}).records["objects"]
