# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stars that the instance has already are no mask of Ansible. Scenarios show what happens to masks."""

from __future__ import annotations

from pathlib import Path

from embedded_here import Embedded
from instance_site import yaml_list

STARS = "At ********"


def test_stars_that_the_instance_has_already_are_not_written(tmp_path: Path) -> None:
    instance = Embedded.started()
    instance.service.store.run("UPDATE asset SET description = ? WHERE barcode = '100001'", (STARS,))
    site = instance.site(tmp_path)
    site.write({"objects.yml": yaml_list([{"barcode": "100001", "description": STARS}])})
    assert site.run().outcome == "unchanged"
