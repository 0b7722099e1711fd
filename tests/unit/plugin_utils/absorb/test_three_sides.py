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

from .absorbing import content, somebody, take

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


def test_a_change_of_the_application_is_taken(applied: Site) -> None:
    somebody(applied, {"objects.yml": "- {barcode: '100001', quantity: 5}\n"})
    result = take(applied)
    assert (result["not_changed"], result["conflicts"], result.get("warnings")) == ([], [], None)
    assert "quantity: 5" in (applied.root / "objects.yml").read_text("utf-8")
    # The files have it from the application, so the application can change it again.
    somebody(applied, {"objects.yml": "- {barcode: '100001', quantity: 6}\n"})
    assert take(applied)["conflicts"] == []
    assert applied.run().outcome == "unchanged"


def test_a_change_of_the_files_is_kept(applied: Site) -> None:
    applied.write({"objects.yml": FILES.replace("Table", "Desk")})
    before = content(applied.root)
    result = take(applied)
    assert not result["changed"]
    (message,) = result["not_changed"]
    assert "inventory_name is 'Desk' in the files and 'Table' in the instance" in message
    assert message.endswith("because the files changed it since the last apply, and the application did not")
    assert content(applied.root) == before
    assert result["conflicts"] == []


def test_a_field_that_both_sides_changed_is_a_conflict(applied: Site) -> None:
    applied.write({"objects.yml": FILES.replace("Table", "Desk")})
    somebody(applied, {"objects.yml": "- {barcode: '100001', inventory_name: Bench, quantity: 5}\n"})
    result = take(applied)
    (conflict,) = result["conflicts"]
    assert conflict == (
        "objects.yml:1:39: object 100001: inventory_name is 'Desk' in the files and 'Bench' in the instance: both "
        "sides changed since the last apply"
    )
    assert "inventory_name: Desk, quantity: 5" in (applied.root / "objects.yml").read_text("utf-8")
    result = take(applied, on_conflict="take")
    assert (result["conflicts"], result["changed"], result["not_changed"]) == ([conflict], True, [])
    assert "Bench" in (applied.root / "objects.yml").read_text("utf-8")
    assert applied.plan().outcome == "unchanged"


def test_what_was_never_applied_is_a_conflict_of_unknown_sides(applied: Site) -> None:
    somebody(applied, {"objects.yml": "- {barcode: '100003', inventory_name: Bench}\n"})
    applied.write({"objects.yml": FILES + "- {barcode: '100003', inventory_name: Stool}\n"})
    before = content(applied.root)
    result = take(applied)
    (conflict,) = result["conflicts"]
    assert "inventory_name is 'Stool' in the files and 'Bench' in the instance" in conflict
    assert conflict.endswith(": it is not known which side changed it")
    assert not result["changed"]
    assert content(applied.root) == before


def test_a_reference_to_a_new_record_is_remembered(applied: Site) -> None:
    somebody(
        applied,
        {"rooms.yml": "- {building_id: Plant, number: '2'}\n",
         "objects.yml": "- {barcode: '100001', target_room: Plant/2}\n"},
    )  # fmt: skip
    result = take(applied)
    assert (result["conflicts"], result["not_changed"]) == ([], [])
    assert "target_room: Plant/2" in (applied.root / "objects.yml").read_text("utf-8")


def test_without_a_memory_the_application_wins_with_one_warning(applied: Site) -> None:
    applied.journal().unlink()
    applied.write({"objects.yml": FILES.replace("Table", "Desk").replace("Chair", "Stool")})
    result = take(applied)
    (warning, _missing_id) = result["warnings"]
    assert warning.startswith("it is not known on this machine what was applied last")
    assert (applied.root / "objects.yml").read_text("utf-8") == FILES


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


def test_only_new_records_since_the_last_apply_are_taken(site: Site) -> None:
    somebody(site, {"objects.yml": "- {barcode: '100009', inventory_name: Old}\n"})
    site.write({**PLACES, "objects.yml": FILES})
    site.run()
    somebody(site, {"objects.yml": "- {barcode: '100010', inventory_name: New}\n"})
    result = take(site, check_mode=True, new="since_apply")
    assert result["reported"]["objects"] == ["100009", "100010"]
    assert result["offers"] == {"objects": "into: {objects: objects/new.yml}"}
    result = take(site, into={"objects": "objects/new.yml"}, new="since_apply")
    assert (result["reported"]["objects"], result["offers"]) == (["100009"], {"objects": "new: all"})
    assert "100010" in (site.root / "objects/new.yml").read_text("utf-8")
    result = take(site, into={"objects": "objects/new.yml"}, new="all")
    assert "100009" in (site.root / "objects/new.yml").read_text("utf-8")
    assert result["offers"] == {}


def test_without_a_memory_new_records_are_named_and_none_is_taken(applied: Site) -> None:
    applied.journal().unlink()
    somebody(applied, {"objects.yml": "- {barcode: '100010', inventory_name: New}\n"})
    result = take(applied, into={"objects": "objects/new.yml"}, new="since_apply")
    assert (result["changed"], result["reported"]["objects"]) == (False, ["100010"])
    assert "objects: 1 record(s) in no file; `new: all` adds them to the files" in result["msg"]
