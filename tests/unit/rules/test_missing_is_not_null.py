# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers that show less are enough for an export, or are refused. Scenarios show that nothing is sent twice."""

from __future__ import annotations

from pathlib import Path

from embedded_here import Embedded
from exports import contents, export_of
from instance_site import Site


def test_files_are_exported_with_their_names(demo: Site, tmp_path: Path) -> None:
    calm, bare = tmp_path / "calm", tmp_path / "bare"
    export_of(demo, calm)
    demo.service.steer("PUT", "/switches", {"attachment_read": "uuids"})
    export_of(demo, bare)
    assert contents(bare) == contents(calm)
    assert any(name.startswith("files/") for name in contents(bare))


def test_without_a_number_and_a_barcode_nothing_is_offered() -> None:
    service = Embedded.started({"record_id": "none", "hub_repeat_offer": "accept"})
    service.set(answers={"GET /circularity-hub/items": {"leave_out": ["object_data"]}})
    before = service.dump()
    failed = service.call("hub_item", object="100020", price="500", category="category_it")
    assert "shows no id of the object" in failed["msg"]
    assert service.dump() == before
