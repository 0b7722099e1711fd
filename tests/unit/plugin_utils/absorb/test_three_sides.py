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


def base(site: Site) -> Path:
    return site.journal().with_name("applied.base")


def test_the_base_is_private_and_has_no_value(applied: Site) -> None:
    text = base(applied).read_text("ascii")
    assert stat.S_IMODE(base(applied).stat().st_mode) == 0o600
    (noted,) = json.loads(text)
    assert {len(digest) for digest in noted["records"].values()} == {32}
    assert len(noted["records"]) == 4
    assert "Table" not in text
    assert applied.run().outcome == "unchanged"
    (again,) = json.loads(base(applied).read_text("ascii"))
    assert again["records"] == noted["records"]
    assert applied.plan().outcome == "unchanged"


def test_a_change_of_the_application_is_taken(applied: Site) -> None:
    somebody(applied, {"objects.yml": "- {barcode: '100001', quantity: 5}\n"})
    result = take(applied)
    assert (result["not_changed"], result["conflicts"], result.get("warnings")) == ([], [], None)
    assert "quantity: 5" in (applied.root / "objects.yml").read_text("utf-8")
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


def test_a_change_of_both_is_a_conflict(applied: Site) -> None:
    applied.write({"objects.yml": FILES.replace("Table", "Desk")})
    somebody(applied, {"objects.yml": "- {barcode: '100001', inventory_name: Bench, quantity: 5}\n"})
    before = content(applied.root)
    result = take(applied)
    (conflict,) = result["conflicts"]
    assert conflict.startswith("objects.yml:1:3: object 100001: ")
    assert "inventory_name is 'Desk' in the files and 'Bench' in the instance" in conflict
    assert "quantity is '1' in the files and 5 in the instance" in conflict
    assert conflict.endswith(": both sides changed since the last apply")
    assert not result["changed"]
    assert content(applied.root) == before
    result = take(applied, on_conflict="take")
    assert result["conflicts"] == [conflict]
    assert (result["changed"], result["not_changed"]) == (True, [])
    assert "Bench" in (applied.root / "objects.yml").read_text("utf-8")


def test_a_record_that_was_never_applied_is_a_conflict(applied: Site) -> None:
    somebody(applied, {"objects.yml": "- {barcode: '100003', inventory_name: Bench}\n"})
    applied.write({"objects.yml": FILES + "- {barcode: '100003', inventory_name: Stool}\n"})
    before = content(applied.root)
    result = take(applied)
    (conflict,) = result["conflicts"]
    assert "inventory_name is 'Stool' in the files and 'Bench' in the instance" in conflict
    assert not result["changed"]
    assert content(applied.root) == before


def test_a_reference_to_a_new_record_is_part_of_the_base(applied: Site) -> None:
    somebody(
        applied,
        {"rooms.yml": "- {building_id: Plant, number: '2'}\n",
         "objects.yml": "- {barcode: '100001', target_room: Plant/2}\n"},
    )  # fmt: skip
    result = take(applied)
    assert (result["conflicts"], result["not_changed"]) == ([], [])
    assert "target_room: Plant/2" in (applied.root / "objects.yml").read_text("utf-8")


def test_without_a_base_the_application_wins_with_one_warning(applied: Site) -> None:
    base(applied).unlink()
    applied.write({"objects.yml": FILES.replace("Table", "Desk").replace("Chair", "Stool")})
    result = take(applied)
    (warning,) = result["warnings"]
    assert warning.startswith("it is not known on this machine what was applied last")
    assert (applied.root / "objects.yml").read_text("utf-8") == FILES


def test_the_journal_may_be_in_another_directory(applied: Site, tmp_path: Path) -> None:
    base(applied).unlink()
    applied.run(journal=tmp_path / "state")
    applied.write({"objects.yml": FILES.replace("Table", "Desk")})
    assert not take(applied, journal=str(tmp_path / "state"))["changed"]
    assert (tmp_path / "state/applied.base").exists()


def test_a_broken_base_is_none(applied: Site) -> None:
    noted = json.loads(base(applied).read_text("ascii"))
    without_salt = json.dumps([{**base, "salt": "z" * 32} for base in noted])
    for text in ("", "[", "{}", '[{"owner": 1}]', without_salt, "[" * 100_000):
        base(applied).write_text(text, "ascii")
        applied.write({"objects.yml": FILES.replace("Table", "Desk")})
        assert len(take(applied)["warnings"]) == 1


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


def test_without_a_base_new_records_are_named_and_none_is_taken(applied: Site) -> None:
    base(applied).unlink()
    somebody(applied, {"objects.yml": "- {barcode: '100010', inventory_name: New}\n"})
    result = take(applied, into={"objects": "objects/new.yml"}, new="since_apply")
    assert (result["changed"], result["reported"]["objects"]) == (False, ["100010"])
    assert "objects: 1 record(s) in no file; `new: all` adds them to the files" in result["msg"]
