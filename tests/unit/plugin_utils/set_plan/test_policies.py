# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mistakes in the policy and the guard of a set are errors."""

from __future__ import annotations

import pytest
from instance_site import Site, yaml_list

SETTINGS = "api: seventhings/v1\nset: test\npolicy:\n"


def _objects(numbers: range) -> str:
    return yaml_list({"barcode": f"{number:03d}", "inventory_name": f"Thing {number}"} for number in numbers)


@pytest.mark.parametrize("written", ["[]", "''", "5", "acme", "[https://acme.example, 5]", "{a: b}", "null"])
def test_a_guard_that_can_not_be_armed_is_an_error(site: Site, written: str) -> None:
    site.write({"instance.yml": f"api: seventhings/v1\ninstance: {written}\n", "objects.yml": _objects(range(1))})
    result = site.run()
    assert result.outcome in ("failed", "refused")
    assert site.writes() == []
