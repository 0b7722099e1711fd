# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A broken answer of the service must not empty the files: removals from the files have limits."""

from __future__ import annotations

from typing import Any

import pytest
from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT, ROOM

from .absorbing import ANY, content, take

ROOMS = [{"building_id": "North", "number": str(number)} for number in range(4)]
OBJECTS = [{"barcode": f"B{number}", "inventory_name": "Lamp"} for number in range(20)]


@pytest.fixture
def depot(site: Site) -> Site:
    """Apply four rooms and twenty objects."""
    site.write(
        {
            "locations.yml": "- name: North\n",
            "rooms.yml": yaml_list(ROOMS),
            "objects.yml": yaml_list(OBJECTS),
        }
    )
    assert site.run().outcome == "changed"
    return site


def delete(site: Site, number: int, kind: Any = OBJECT) -> None:
    client = site.client()
    for record in client.list_all(kind)[:number]:
        client.delete(kind, record.uuid)


@pytest.mark.parametrize("gone", ["remove", "absent"])
def test_an_empty_list_removes_nothing(depot: Site, gone: str) -> None:
    before = content(depot.root)
    delete(depot, 4, ROOM)
    done = take(depot, gone=gone)
    assert content(depot.root) == before
    assert len(done["not_changed"]) == 4
    assert done["not_changed"][0].endswith(
        "4 of 4 rooms would leave the files, more than limits.delete_percent (10 %); a higher limits.delete_percent "
        "of the task lets this pass"
    )
    assert take(depot, gone=gone, limits={"delete_percent": 100})["summary"]["rooms"]["removed"] == 4


@pytest.mark.parametrize("path", ["/rooms", "/locations", "/objects"])
def test_an_error_beside_an_empty_list_is_an_error(depot: Site, path: str) -> None:
    before = content(depot.root)
    depot.service.steer("PUT", "/faults", [{"fault": "error_list", "path": path, "method": "GET"}])
    done = take(depot, gone="remove", limits=ANY["limits"])
    assert "expected a list of records, got the error 'Internal server error'" in done["msg"]
    assert done["failed"]
    assert content(depot.root) == before


@pytest.mark.parametrize(
    ("number", "limits", "policy", "removed"),
    [
        (2, None, "", 2),
        (3, None, "", 0),
        (3, {"delete_percent": 15}, "", 3),
        (3, None, "{delete_percent: 100}", 0),
        (3, {"delete_percent": 15}, "{delete_percent: 10}", 0),
        (2, {"deletes": 1}, "", 0),
        (2, None, "{deletes: 1}", 0),
    ],
)
def test_a_section_loses_no_more_records_than_the_limits_allow(
    depot: Site, number: int, limits: dict[str, float] | None, policy: str, removed: int
) -> None:
    lines = f"policy: {{limits: {policy}}}\n" if policy else ""
    depot.write({"instance.yml": f"api: seventhings/v1\nset: test\n{lines}"})
    delete(depot, number)
    done = take(depot, gone="remove", limits=limits, allow=["limited_account"])
    assert done["summary"].get("objects", {}).get("removed", 0) == removed
    assert len(done["not_changed"]) == number - removed
