# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Restricted users: some fields are hidden from them, and objects outside their locations."""

from __future__ import annotations

from typing import Any

import pytest

from .bodies import asset, attribute, code
from .sides import every_side
from .support import Api, Steering

HUB = "/circularity-hub"


def signed_in(api: Api, steering: Steering, **restrictions: Any) -> Api:
    found = Api(api.about, steering)
    user = steering.call("POST", "/users", restrictions)
    found.sign_in(user["username"], user["password"])
    return found


def test_hidden_fields_are_in_no_record(api: Api, steering: Steering) -> None:
    barcode = code()
    created = api.create_object(barcode=barcode, description="Secret", purchasing_price=5)
    restricted = signed_in(api, steering, hidden_fields=["description", "purchasing_price"])
    records = [
        restricted.read(f"/object/{created}"),
        restricted.read(f"/object/by-barcode/{barcode}"),
        restricted.patch(f"/object/{created}", {"inventory_name": "Other"}).json(),
        *restricted.items("/objects", "per_page=1000"),
    ]
    for record in records:
        assert not {"description", "purchasing_price"} & set(record)
        assert "serial_number" in record
    assert "description" in api.read(f"/object/{created}")


def test_hidden_fields_are_defined_and_can_be_written(api: Api, steering: Steering) -> None:
    created = api.create_object()
    restricted = signed_in(api, steering, hidden_fields=["description"])
    definitions = restricted.read("/asset-tracking/asset/field-definitions")
    assert "description" in [definition["field_key"] for definition in definitions]
    assert restricted.patch(f"/object/{created}", {"description": "Written"}).status_code == 200
    assert api.read(f"/object/{created}")["description"] == "Written"


def test_hidden_fields_of_persons_rooms_and_locations(api: Api, steering: Steering) -> None:
    restricted = signed_in(api, steering, hidden_fields=["email", "area", "city"])
    for path, key in (("/persons", "email"), ("/rooms", "area"), ("/locations", "city")):
        assert all(key in record for record in api.items(path))
        assert not [record for record in restricted.items(path) if key in record]


def test_objects_of_other_locations_are_not_there(api: Api, steering: Steering) -> None:
    mine, other = api.create_location(), api.create_location()
    room, elsewhere = api.create_room(building_id=mine), api.create_room(building_id=other)
    barcodes = [code() for _number in range(3)]
    visible = api.create_object(actual_room=room, barcode=barcodes[0])
    nowhere = api.create_object(barcode=barcodes[1])
    hidden = api.create_object(actual_room=elsewhere, barcode=barcodes[2])
    restricted = signed_in(api, steering, locations=[mine])

    listed = [record["uuid"] for record in restricted.items("/objects", "per_page=1000")]
    assert visible in listed
    assert nowhere in listed
    assert hidden not in listed
    assert restricted.count("/objects") == len(listed)
    assert [restricted.get(f"/object/{uuid}").status_code for uuid in (visible, nowhere, hidden)] == [200, 200, 404]
    found = [restricted.get(f"/object/by-barcode/{barcode}").status_code for barcode in barcodes]
    assert found == [200, 200, 404]
    assert restricted.get(f"/object/{hidden}/history").status_code == 404
    assert restricted.patch(f"/object/{hidden}", {"description": "x"}).status_code == 404
    assert restricted.delete(f"/object/{hidden}").status_code == 404
    body = {"inventory_name": "Twin", "barcode": barcodes[2]}
    assert restricted.post("/object", body).status_code == 422


@every_side("hidden_objects", "unreadable", "readable", "nowhere")
def test_hidden_objects(api: Api, steering: Steering, side: str) -> None:
    mine, other = api.create_location(), api.create_location()
    barcode = code()
    visible = api.create_object(actual_room=api.create_room(building_id=mine), purchasing_price=5)
    hidden = api.create_object(actual_room=api.create_room(building_id=other), barcode=barcode, purchasing_price=5)
    restricted = signed_in(api, steering, locations=[mine])
    is_read = 200 if side == "readable" else 404
    hidden_doors = {
        f"/object/{hidden}": is_read,
        f"/object/by-barcode/{barcode}": is_read,
        f"/object/{hidden}/history": is_read,
    }
    assert {path: restricted.get(path).status_code for path in hidden_doors} == hidden_doors
    assert hidden not in [record["uuid"] for record in restricted.items("/objects", "per_page=1000")]
    assert restricted.items("/objects", f"filter[barcode][eq]={barcode}") == []
    assert restricted.count("/objects", f"filter[barcode][eq]={barcode}") == 0
    body = {"filter": {"barcode": {"eq": barcode}}}
    assert not restricted.post(f"{HUB}/suggest-category", body).json()
    assert restricted.post(f"{HUB}/suggest-rest-price", {hidden: "category_it"}).status_code == is_read

    def kept(path: str, single: str, uuids: list[str]) -> list[bool]:
        listed = [record["uuid"] for record in restricted.items(path, "per_page=1000")]
        read = [restricted.get(f"{single}/{uuid}").status_code == 200 for uuid in uuids]
        assert [uuid in listed for uuid in uuids] == read
        assert [restricted.get(f"{single}/{uuid}/history").status_code == 200 for uuid in uuids] == read
        return read

    about = ([asset(visible)], [asset(visible), asset(hidden)], [asset(hidden)])
    shown = [True, True, side != "nowhere"]
    tasks = [api.create_task(references=[]), *(api.create_task(references=references) for references in about)]
    assert kept("/task-management/tasks", "/task-management/task", tasks) == [True, *shown]
    cases = [api.create_rental_case(references=references) for references in about]
    assert kept("/rental-management/rental-cases", "/rental-management/rental-case", cases) == shown

    offers = {uuid: {"category": "category_furniture", "price": 4} for uuid in (visible, hidden)}
    assert api.post(f"{HUB}/add-objects-to-circularity-hub", offers).status_code == 201
    ids = {api.read(f"/object/{uuid}")["id"]: uuid for uuid in (visible, hidden)}
    items = {
        ids[item["asset_id"]]: item
        for item in restricted.items(f"{HUB}/items", "per_page=1000")
        if item["asset_id"] in ids
    }
    assert set(items) == ({visible} if side == "nowhere" else {visible, hidden})
    if hidden in items:
        assert (items[hidden]["object_data"] != {}) == (side == "readable")
        assert restricted.get(f"{HUB}/item/{items[hidden]['id']}").status_code == 200


def test_hidden_groups_of_fields(api: Api, steering: Steering) -> None:
    field = api.define("TEXT", attributes=[attribute("form_group", "Vault")])["field_key"]
    created = api.create_object(**{field: "Secret"})
    restricted = signed_in(api, steering, hidden_groups=["Vault"], hidden_fields=["description"])
    assert not {field, "description"} & set(restricted.read(f"/object/{created}"))
    assert api.read(f"/object/{created}")[field] == "Secret"


def test_rooms_and_locations_are_all_listed(api: Api, steering: Steering) -> None:
    restricted = signed_in(api, steering, locations=[api.create_location()])
    for path in ("/rooms", "/locations", "/persons"):
        assert restricted.items(path) == api.items(path)


@pytest.mark.parametrize(
    "body",
    [
        {"hidden_fields": "x"},
        {"hidden_fields": [1]},
        {"locations": "x"},
        {"locations": ["x"]},
        {"nonsense": 1},
        {"hidden_groups": ["x"]},
    ],
    ids=str,
)
def test_wrong_restrictions(steering: Steering, body: Any) -> None:
    assert steering.request("POST", "/users", json=body).status_code == 400


def test_reset_turns_modules_on(api: Api, steering: Steering) -> None:
    steering.call("PUT", "/settings", {"modules_off": ["rental", "hub", "catalog"]})
    paths = ("/rental-management/rental-cases", "/circularity-hub/items", "/catalog-items")
    assert {api.get(path).status_code for path in paths} == {403}
    steering.call("POST", "/reset")
    assert {api.get(path).status_code for path in paths} == {200}
