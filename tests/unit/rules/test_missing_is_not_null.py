# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A member that an answer omits is neither empty nor different from the desired value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from embedded_here import Embedded
from exports import contents, export_of
from instance_site import Site, yaml_list

# ---- files of which a record shows the uuid alone

BARE = {"attachment_read": "uuids"}
TASK = {
    "title": "Inspect the saw",
    "deadline": "2031-06-30",
    "assignees": ["operator@instance.invalid"],
    "references": ["100016"],
}


@pytest.fixture
def note(tmp_path: Path) -> str:
    path = tmp_path / "note.txt"
    path.write_text("Look at the belt.")
    return str(path)


def uploads(service: Embedded) -> int:
    return service.log.count(("POST", "/customer-api/v1/file"))


@pytest.mark.parametrize("name", [None, "Belt.txt"])
def test_a_file_that_is_attached_is_not_uploaded_again(note: str, name: str | None) -> None:
    service = Embedded.started(BARE)
    file = note if name is None else {"path": note, "name": name}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("task", {**TASK, "attachments": [file]}),
        ("object", {"fields": {"barcode": "100016", "documents": [file]}}),
    ]
    for module, options in calls:
        assert service.call(module, **options)["changed"]
        sent = uploads(service)
        again = service.call(module, **options)
        assert (again["changed"], again.get("msg"), uploads(service)) == (False, None, sent)
        assert not service.call(module, check_mode=True, **options)["changed"]
        # Other content of the same length is another file.
        Path(note).write_text("Look at the bolt.")
        assert service.call(module, **options)["changed"]
        Path(note).write_text("Look at the belt.")
        assert service.call(module, **options)["changed"]


def test_a_single_file_that_is_attached_is_recognised(note: str, tmp_path: Path) -> None:
    service = Embedded.started(BARE)
    wanted: dict[str, Any] = {"object": "100016", "field": "documents", "path": note}
    first = service.call("file", **wanted)
    again = service.call("file", **wanted)
    assert (first["changed"], again["changed"], uploads(service)) == (True, False, 1)
    assert (again["record"]["name"], again["record"]["size"]) == ("note.txt", 17)
    (tmp_path / "copy").mkdir()
    download: dict[str, Any] = {"object": "100016", "field": "documents", "dest": str(tmp_path / "copy")}
    assert service.call("file_download", **download)["changed"]
    assert (tmp_path / "copy" / "note.txt").read_text() == "Look at the belt."
    assert not service.call("file_download", **download)["changed"]
    assert not service.call("file_download", check_mode=True, **download)["changed"]
    assert service.call("file", **wanted, state="absent")["changed"]
    assert not service.call("file", **wanted, state="absent")["changed"]


def test_files_of_a_set_are_not_uploaded_again(tmp_path: Path) -> None:
    service = Embedded.started(BARE, "empty")
    site = service.site(tmp_path)
    thing = {"barcode": "1", "inventory_name": "Saw", "documents": ["files/note.txt"]}
    site.write({"objects.yml": yaml_list([thing]), "files/note.txt": "Look at the belt."})
    assert site.run().summary["objects"]["created"] == 1
    assert site.plan().outcome == "unchanged"
    assert site.run().outcome == "unchanged"
    assert uploads(service) == 1


def test_files_are_exported_with_their_names(demo: Site, tmp_path: Path) -> None:
    calm, bare = tmp_path / "calm", tmp_path / "bare"
    export_of(demo, calm)
    demo.service.steer("PUT", "/switches", BARE)
    export_of(demo, bare)
    assert contents(bare) == contents(calm)
    assert any(name.startswith("files/") for name in contents(bare))


# ---- objects without an integer id

NUMBERLESS = {"record_id": "none", "hub_repeat_offer": "accept"}


def test_an_offer_is_recognised_by_the_barcode() -> None:
    service = Embedded.started(NUMBERLESS)
    assert service.call("hub_item", object="100020", price="500", category="category_it")["changed"]
    before = service.dump()
    assert not service.call("hub_item", object="100020", price="500")["changed"]
    assert service.dump() == before
    changed = service.call("hub_item", object="100020", price="450")
    assert (changed["changed"], changed["record"]["price"]) == (True, 450.0)
    assert len(service.call("hub_item_info")["records"]) == len(Embedded.started().call("hub_item_info")["records"]) + 1
    assert service.call("hub_order", items=["100020"])["changed"]
    ordered = service.call("hub_item", object="100020", price="450")
    assert not ordered["changed"]
    assert "is in the order" in ordered["warnings"][0]
    assert not service.call("hub_order", items=["100020"])["changed"]


def test_an_offer_of_a_set_is_not_planned_again(tmp_path: Path) -> None:
    service = Embedded.started(NUMBERLESS)
    site = service.site(tmp_path)
    site.write({"hub.yml": yaml_list([{"object": "100020", "price": "500", "category": "category_it"}])})
    assert site.run().summary["hub"]["created"] == 1
    assert site.plan().outcome == "unchanged"
    assert site.run().outcome == "unchanged"


def test_without_a_barcode_nothing_is_offered() -> None:
    service = Embedded.started(NUMBERLESS)
    service.set(answers={"GET /circularity-hub/items": {"leave_out": ["object_data"]}})
    before = service.dump()
    failed = service.call("hub_item", object="100020", price="500", category="category_it")
    assert "shows no id of the object" in failed["msg"]
    assert service.dump() == before
