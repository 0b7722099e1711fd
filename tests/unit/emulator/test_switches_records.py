# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The switches of records, field definitions, headers and errors, with all of their sides."""

from __future__ import annotations

import pytest

from .bodies import code
from .sides import every_side
from .support import Api, Steering

# records as they are read


KINDS = [("object", "asset_uuid"), ("room", "room_uuid"), ("location", "location_uuid"), ("person", "person_uuid")]


@every_side("comparison_read", "status", "boolean")
def test_comparison_read(api: Api, side: str) -> None:
    room, other = api.create_room(), api.create_room()
    shown = {"ok": True, "deviation": False, "missing": False, "new": False, "unknown": None}
    rooms = {"ok": (room, room), "deviation": (room, other), "missing": (room, None), "new": (None, room)}
    for status, agrees in shown.items():
        target, actual = rooms.get(status, (None, None))
        barcode = code()
        created = api.create_object(barcode=barcode, target_room=target, actual_room=actual)
        value = api.read(f"/object/{created}")["status"]
        assert value == (status if side == "status" else agrees)
        if value is not None:
            query = f"filter[status][eq]={str(value).lower()}&filter[barcode][eq]={barcode}"
            assert api.count("/objects", query) == 1


@every_side("archived_in_lists", "hidden", "shown")
def test_archived_in_lists(api: Api, steering: Steering, side: str) -> None:
    before, created = api.count("/objects"), api.create_object()
    api.post(f"/object/{created}/archive")
    assert api.count("/objects") == before + (side == "shown")
    found = {record["uuid"]: record for record in api.items("/objects", "per_page=1000")}
    assert (created in found) == (side == "shown")
    assert side == "hidden" or found[created]["archived_at"]
    # Otherwise nothing would show that the object is archived.
    steering.switch(archived_at="none")
    assert created not in [record["uuid"] for record in api.items("/objects", "per_page=1000")]


# records as they are written


@every_side("patch_answer", "record", "empty_object", "empty", "no_content")
def test_patch_answer(api: Api, side: str) -> None:
    for kind, _key in KINDS:
        created = getattr(api, f"create_{kind}")()
        key = {"object": "inventory_name", "person": "last_name"}.get(kind, "name")
        response = api.patch(f"/{kind}/{created}", {key: "Changed"})
        record = api.read(f"/{kind}/{created}")
        assert record[key] == "Changed"
        assert response.status_code == (204 if side == "no_content" else 200)
        if side == "record":
            assert response.json() == record
        else:
            assert response.content == (b"{}" if side == "empty_object" else b"")


@every_side("delete_occupied", "refuse", "accept")
@pytest.mark.parametrize("link", ["actual_room", "target_room", "archived", "target_building", "rooms"])
def test_delete_occupied(api: Api, side: str, link: str) -> None:
    site = api.create_location()
    room = api.create_room(building_id=site)
    path = f"/location/{site}" if link in ("target_building", "rooms") else f"/room/{room}"
    if link != "rooms":
        key = "actual_room" if link == "archived" else link
        thing = api.create_object(**{key: site if link == "target_building" else room})
    if link == "location":
        assert api.delete(f"/room/{room}").status_code == 204
    if link == "archived":
        assert api.post(f"/object/{thing}/archive").status_code == 204
    assert api.delete(path).status_code == (422 if side == "refuse" else 204)
    assert api.get(path).status_code == (200 if side == "refuse" else 404)


def test_empty_places_are_deleted(api: Api) -> None:
    site = api.create_location()
    room = api.create_room(building_id=site)
    thing = api.create_object(actual_room=room)
    assert api.patch(f"/object/{thing}", {"actual_room": None}).status_code == 200
    assert [api.delete(path).status_code for path in (f"/room/{room}", f"/location/{site}")] == [204, 204]


@every_side("empty_keys", "sent", "left_out")
def test_empty_keys(api: Api, side: str) -> None:
    created = api.create_object(description="", serial_number="A1")
    keys = {"description", "purchasing_price", "documents", "actual_room", "archived_at"}
    for record in (
        api.read(f"/object/{created}"),
        api.patch(f"/object/{created}", {}).json(),
        *[found for found in api.items("/objects", "per_page=1000") if found["uuid"] == created],
    ):
        assert keys & set(record) == (keys if side == "sent" else set())
        assert record["serial_number"] == "A1"
    site = api.read(f"/location/{api.create_location()}")
    assert ("city" in site) == (side == "sent")
