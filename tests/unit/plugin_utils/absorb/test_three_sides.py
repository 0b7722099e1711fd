# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The last apply shows who made a change: the files, the application, or both."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from instance_site import Site

from .absorbing import take

FILES = (
    "- {barcode: '100001', inventory_name: Table, quantity: 1, target_room: Plant/1}\n"
    "- {barcode: '100002', inventory_name: Chair, quantity: 1}\n"
)
PLACES = {"locations.yml": "- name: Plant\n", "rooms.yml": "- {building_id: Plant, number: '1'}\n"}


@pytest.fixture
def applied(site: Site) -> Site:
    """Apply two objects. One of them refers to a room that the same apply creates."""
    site.write({**PLACES, "objects.yml": FILES})
    assert site.run().outcome == "changed"
    return site


def test_the_memory_is_private_and_has_no_value(applied: Site) -> None:
    assert applied.run().outcome == "unchanged"
    text = applied.journal().read_text("ascii")
    assert stat.S_IMODE(applied.journal().stat().st_mode) == 0o600
    assert text.count('["fields",') == 4
    assert "Table" not in text
    assert applied.run().outcome == "unchanged"
    assert applied.journal().read_text("ascii") == text
    assert applied.plan().outcome == "unchanged"


def test_the_journal_may_be_in_another_directory(applied: Site, tmp_path: Path) -> None:
    applied.journal().unlink()
    applied.run(journal=tmp_path / "state")
    applied.write({"objects.yml": FILES.replace("Table", "Desk")})
    assert not take(applied, journal=str(tmp_path / "state"))["changed"]


@pytest.mark.parametrize("fact", ['["key", "", "zz"]', '["key", "", null]', '["key", "", 5]'])
def test_a_memory_without_its_key_is_none(applied: Site, fact: str) -> None:
    owner = json.loads(applied.journal().read_text("ascii").splitlines()[-1])[0]
    with applied.journal().open("a") as journal:
        journal.write(f"[{json.dumps(owner)}, {fact}]\n")
    applied.write({"objects.yml": FILES.replace("Table", "Desk")})
    assert len(take(applied)["warnings"]) == 1
    assert applied.plan().sides["unknown"] == 0
