# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Target and actual room, their locations, the status that follows from them, and scans."""

from __future__ import annotations

from typing import Any

import pytest

from .bodies import NOBODY, JsonMap, code
from .support import Api, Steering

SCAN_FIELDS = ("scan_time", "scanned_by_user_id", "inventory_time", "inventory_user")
PAIRS = (("target_room", "target_building"), ("actual_room", "actual_building"))


@pytest.fixture
def places(api: Api) -> dict[str, str]:
    """Return two locations with a room each."""
    found = {name: api.create_location(name=f"{name} {code()}") for name in ("north", "south")}
    return {**found, **{f"{name} room": api.create_room(building_id=uuid) for name, uuid in found.items()}}


def linked(record: JsonMap, *keys: str) -> list[Any]:
    return [record[key] and record[key]["uuid"] for key in keys]


def events(api: Api, uuid: str) -> list[JsonMap]:
    return [entry for entry in api.items(f"/object/{uuid}/history") if entry["event_name"] == "location_coupled"]


@pytest.mark.parametrize("pair", PAIRS)
def test_the_location_follows_the_room(api: Api, places: dict[str, str], pair: tuple[str, str]) -> None:
    room, location = pair
    created = api.create_object(**{room: places["north room"]})
    path = f"/object/{created}"
    assert linked(api.read(path), *pair) == [places["north room"], places["north"]]
    api.patch(path, {room: places["south room"]})
    assert linked(api.read(path), *pair) == [places["south room"], places["south"]]
    api.patch(path, {room: None})
    assert linked(api.read(path), *pair) == [None, None]
    api.patch(path, {location: places["north"]})
    assert linked(api.read(path), *pair) == [None, places["north"]]
    assert events(api, created) == []


@pytest.mark.parametrize("pair", PAIRS)
def test_the_room_decides_if_both_disagree(api: Api, places: dict[str, str], pair: tuple[str, str]) -> None:
    room, location = pair
    created = api.create_object(**{room: places["north room"], location: places["south"]})
    assert linked(api.read(f"/object/{created}"), *pair) == [places["north room"], places["north"]]
    assert [location in entry["description"] for entry in events(api, created)] == [True]


@pytest.mark.parametrize("pair", PAIRS)
def test_another_location_alone_empties_the_room(api: Api, places: dict[str, str], pair: tuple[str, str]) -> None:
    room, location = pair
    created = api.create_object(**{room: places["north room"]})
    path = f"/object/{created}"
    api.patch(path, {location: places["north"]})
    assert linked(api.read(path), *pair) == [places["north room"], places["north"]]
    assert events(api, created) == []
    api.patch(path, {location: places["south"]})
    assert linked(api.read(path), *pair) == [None, places["south"]]
    assert [room in entry["description"] for entry in events(api, created)] == [True]


def test_objects_follow_a_room_to_another_location(api: Api, places: dict[str, str]) -> None:
    created = api.create_object(target_room=places["north room"], actual_room=places["south room"])
    api.patch(f"/room/{places['north room']}", {"building_id": places["south"]})
    assert linked(api.read(f"/object/{created}"), "target_building", "actual_building") == [places["south"]] * 2


def test_a_room_without_location_leaves_the_location(api: Api, places: dict[str, str]) -> None:
    room = api.create_room(building_id=None)
    created = api.create_object(target_room=room, target_building=places["north"])
    assert linked(api.read(f"/object/{created}"), "target_room", "target_building") == [room, places["north"]]


@pytest.mark.parametrize(
    ("target", "actual", "status"),
    [
        ("north room", "north room", "ok"),
        ("north room", "south room", "deviation"),
        ("north room", None, "missing"),
        (None, "north room", "new"),
        (None, None, "unknown"),
    ],
)
def test_status(api: Api, places: dict[str, str], target: str | None, actual: str | None, status: str) -> None:
    rooms = {"target_room": target and places[target], "actual_room": actual and places[actual]}
    barcode = code()
    created = api.create_object(barcode=barcode)
    assert api.read(f"/object/{created}")["status"] == "unknown"
    api.patch(f"/object/{created}", rooms)
    assert api.read(f"/object/{created}")["status"] == status
    found = api.items("/objects", f"filter[status][eq]={status}&filter[barcode][eq]={barcode}")
    assert [record["uuid"] for record in found] == [created]


def test_nobody_writes_the_status(api: Api) -> None:
    created = api.create_object()
    assert api.patch(f"/object/{created}", {"status": "ok"}).status_code == 400
    assert api.read(f"/object/{created}")["status"] == "unknown"


def test_the_status_names_the_fields_that_it_compares(api: Api) -> None:
    found = {entry["field_key"]: entry for entry in api.read("/asset-tracking/asset/field-definitions")}
    status = found["status"]
    assert status["field_type"]["name"] == "FIELD_VALUE_COMPARISON"
    assert {relation["type"]: relation["field_uuid"] for relation in status["relations"]} == {
        "actual_field": found["actual_room"]["uuid"],
        "expected_field": found["target_room"]["uuid"],
    }


def test_a_patch_of_the_actual_room_is_no_scan(api: Api, places: dict[str, str]) -> None:
    created = api.create_object()
    api.patch(f"/object/{created}", {"actual_room": places["north room"], "scan_time": "2020-01-01T00:00:00+00:00"})
    record = api.read(f"/object/{created}")
    assert record["status"] == "new"
    assert [record[key] for key in SCAN_FIELDS] == [None] * 4


@pytest.mark.parametrize("named", ["uuid", "number", "name"])
def test_scan(api: Api, steering: Steering, places: dict[str, str], named: str) -> None:
    barcode = code()
    created = api.create_object(barcode=barcode, target_room=places["north room"])
    room = api.read(f"/room/{places['south room']}")
    location = api.read(f"/location/{places['south']}")
    names = {
        "uuid": room["uuid"],
        "number": f"{location['name']}/{room['number']}",
        "name": f"{location['name']}/{room['name']}",
    }
    scanned = steering.call("POST", "/scan", {"code": barcode, "room": names[named]})
    record = api.read(f"/object/{created}")
    assert linked(record, "actual_room", "actual_building") == [places["south room"], places["south"]]
    assert (record["status"], scanned["status"], scanned["code"]) == ("deviation", "deviation", barcode)
    assert None not in [record[key] for key in SCAN_FIELDS]
    assert record["inventory_user"]["id"] == record["scanned_by_user_id"] == api.me()["id"]
    (event,) = [event for event in api.items(f"/object/{created}/history") if event["event_name"] == "scanned"]
    assert event["user_uuid"] == api.me()["uuid"]


def test_a_scan_has_a_witness(api: Api, steering: Steering, places: dict[str, str]) -> None:
    barcode, user = code(), steering.call("POST", "/users", {})
    created = api.create_object(barcode=barcode)
    for name in (user["username"], user["uuid"]):
        steering.call("POST", "/scan", {"code": barcode, "room": places["north room"], "user": name})
    assert api.read(f"/object/{created}")["scanned_by_user_id"] == user["id"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"code": "no such code"}, "No object has the scan code 'no such code'"),
        ({"room": "Nowhere/1"}, "0 rooms are called 'Nowhere/1'"),
        ({"room": NOBODY}, f"0 rooms are called '{NOBODY}'"),
        ({"user": "nobody"}, "there is no user nobody"),
        ({"room": 5}, "are texts"),
        ({"other": 5}, "the body is an object with code, room, user"),
    ],
)
def test_a_scan_that_fits_nothing(
    api: Api, steering: Steering, places: dict[str, str], body: JsonMap, message: str
) -> None:
    barcode = code()
    created = api.create_object(barcode=barcode)
    response = steering.request("POST", "/scan", json={"code": barcode, "room": places["north room"], **body})
    assert (response.status_code, message in response.json()["message"]) == (400, True), response.text
    assert api.read(f"/object/{created}")["actual_room"] is None


def test_archived_objects_are_not_scanned(api: Api, steering: Steering, places: dict[str, str]) -> None:
    barcode = code()
    api.post(f"/object/{api.create_object(barcode=barcode)}/archive")
    response = steering.request("POST", "/scan", json={"code": barcode, "room": places["north room"]})
    assert response.status_code == 400
