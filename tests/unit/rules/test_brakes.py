# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A safeguard that matches nothing protects nothing, so the plan reports it."""

from __future__ import annotations

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
