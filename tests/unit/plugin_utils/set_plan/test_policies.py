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


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("{rooms: archive}", "policy.prune.rooms: 'archive' does not fit; expected report or delete"),
        ("{fields: delete}", "policy.prune.fields: 'delete' does not fit; expected report"),
        ("{users: delete}", "policy.prune.users: 'delete' does not fit; expected report"),
        ("{hub: delete}", "policy.prune.hub: 'delete' does not fit; expected report"),
        ("{objects: remove}", "policy.prune.objects: 'remove' does not fit; expected report or delete or archive"),
        ("{objets: delete}", "policy.prune.objets: no such section; did you mean objects?"),
        ("delete", "policy.prune: expected a map"),
        ("[objects]", "policy.prune: expected a map"),
    ],
)
def test_an_invalid_prune_setting_is_an_error(site: Site, written: str, message: str) -> None:
    site.write({"instance.yml": SETTINGS + f"  prune: {written}\n", "objects.yml": _objects(range(9))})
    result = site.run()
    assert result.outcome == "failed"
    assert any(message in finding for finding in result.findings), result.findings


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


@pytest.mark.parametrize("written", ["[]", "''", "5", "acme", "[https://acme.example, 5]", "{a: b}", "null"])
def test_a_guard_that_can_not_be_armed_is_an_error(site: Site, written: str) -> None:
    site.write({"instance.yml": f"api: seventhings/v1\ninstance: {written}\n", "objects.yml": _objects(range(1))})
    result = site.run()
    assert result.outcome in ("failed", "refused")
    assert site.writes() == []
