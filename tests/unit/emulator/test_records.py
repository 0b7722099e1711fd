# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sections 2.1 and 4.2 of the interface: objects, locations, rooms and persons."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urljoin

import pytest

from .bodies import JsonMap, attribute, code, last_segment
from .support import Api

STAMP = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")


class Kind:
    """One of the four kinds of records."""

    def __init__(self, singular: str, plural: str, text: str, other: str) -> None:
        self.item_path = f"/{singular}"
        self.many = f"/{plural}"
        self.key = f"{'asset' if singular == 'object' else singular}_uuid"
        self.text = text
        self.other = other

    def create(self, api: Api, **fields: Any) -> str:
        created: str = getattr(api, f"create_{self.item_path[1:]}")(**fields)
        return created

    def body(self, api: Api, **fields: Any) -> JsonMap:
        """Return a body that creates a record."""
        if self.item_path == "/object":
            return {"inventory_name": "Thing", "barcode": code(), **fields}
        if self.item_path == "/room":
            site = api.items("/locations", "per_page=1")[0]
            return {"name": "Room", "number": code(), "building_id": site["id"], **fields}
        if self.item_path == "/location":
            return {"name": "Site", **fields}
        return {"fields": {"first_name": "Ada", "last_name": "Byron", "email": f"{code()}@example.org", **fields}}

    def __str__(self) -> str:
        return self.item_path[1:]


KINDS = [
    Kind("object", "objects", "inventory_name", "barcode"),
    Kind("room", "rooms", "name", "number"),
    Kind("location", "locations", "name", "city"),
    Kind("person", "persons", "last_name", "first_name"),
]
each_kind = pytest.mark.parametrize("kind", KINDS, ids=str)


@each_kind
def test_create(api: Api, kind: Kind) -> None:
    response = api.post(kind.item_path, kind.body(api, **{kind.text: "Cabinet"}))
    assert response.status_code == 201
    assert response.content == b""
    created = response.headers["Location-UUID"]
    assert last_segment(response.headers["Location"]) == created
    record = api.read(f"{kind.item_path}/{created}")
    assert record[kind.text] == "Cabinet"
    assert record[kind.key] == created


@each_kind
def test_location_header_leads_to_the_record(api: Api, kind: Kind) -> None:
    response = api.post(kind.item_path, kind.body(api))
    found = api.session.get(
        urljoin(api.url("/"), response.headers["Location"]),
        headers={"Authorization": f"Bearer {api.tokens['access_token']}"},
        timeout=30,
    )
    assert found.status_code == 200
    assert found.json()[kind.key] == response.headers["Location-UUID"]


@each_kind
def test_record_is_a_flat_map(api: Api, kind: Kind) -> None:
    record = api.read(f"{kind.item_path}/{kind.create(api)}")
    assert "fields" not in record
    assert isinstance(record["id"], int)
    assert record["id"] >= 1
    assert STAMP.fullmatch(record["created_at"])
    assert STAMP.fullmatch(record["updated_at"])


@each_kind
def test_new_record_is_listed_and_counted_at_once(api: Api, kind: Kind) -> None:
    before = api.count(kind.many)
    created = kind.create(api)
    assert api.count(kind.many) == before + 1
    listed = [record for record in api.items(kind.many, "per_page=1000") if record[kind.key] == created]
    assert listed == [api.read(f"{kind.item_path}/{created}")]


@each_kind
def test_text_goes_through_unchanged(api: Api, kind: Kind) -> None:
    text = "Käse \u201e№ 5\u201c \N{GRINNING FACE} <b>&amp;</b> 'x' \"y\" \\z \t; DROP TABLE --"
    created = kind.create(api, **{kind.text: text})
    assert api.read(f"{kind.item_path}/{created}")[kind.text] == text


@each_kind
def test_change_answers_with_the_record(api: Api, kind: Kind) -> None:
    created = kind.create(api)
    response = api.patch(f"{kind.item_path}/{created}", {kind.text: "Changed"})
    assert response.status_code == 200
    assert response.json() == api.read(f"{kind.item_path}/{created}")
    assert response.json()[kind.text] == "Changed"


@each_kind
def test_change_leaves_other_keys_alone(api: Api, kind: Kind) -> None:
    created = kind.create(api)
    before = api.read(f"{kind.item_path}/{created}")
    api.patch(f"{kind.item_path}/{created}", {kind.text: "Changed"})
    after = api.read(f"{kind.item_path}/{created}")
    moving = {kind.text, "updated_at", "updated_by_user_id"}
    assert {key: value for key, value in before.items() if key not in moving} == {
        key: value for key, value in after.items() if key not in moving
    }


@each_kind
def test_change_leaves_other_records_alone(api: Api, kind: Kind) -> None:
    created, bystander = kind.create(api), kind.create(api)
    before = api.read(f"{kind.item_path}/{bystander}")
    api.patch(f"{kind.item_path}/{created}", {kind.text: "Changed"})
    assert api.read(f"{kind.item_path}/{bystander}") == before


@each_kind
def test_change_of_nothing(api: Api, kind: Kind) -> None:
    created = kind.create(api)
    before = api.read(f"{kind.item_path}/{created}")
    assert api.patch(f"{kind.item_path}/{created}", {}).status_code == 200
    after = api.read(f"{kind.item_path}/{created}")
    assert {**before, "updated_at": ""} == {**after, "updated_at": ""}


@each_kind
def test_null_clears_and_empty_text_stays(api: Api, kind: Kind) -> None:
    key = {"object": "free_text", "room": "name", "location": "city", "person": "department"}[str(kind)]
    if str(kind) == "object":
        key = api.define("TEXT")["field_key"]
    created = kind.create(api, **{key: "filled"})
    api.patch(f"{kind.item_path}/{created}", {key: ""})
    assert api.read(f"{kind.item_path}/{created}")[key] == ""
    api.patch(f"{kind.item_path}/{created}", {key: None})
    assert api.read(f"{kind.item_path}/{created}")[key] is None


@each_kind
def test_delete(api: Api, kind: Kind) -> None:
    created = kind.create(api)
    before = api.count(kind.many)
    response = api.delete(f"{kind.item_path}/{created}")
    assert response.status_code == 204
    assert response.content == b""
    assert api.get(f"{kind.item_path}/{created}").status_code == 404
    assert api.count(kind.many) == before - 1
    assert created not in [record[kind.key] for record in api.items(kind.many, "per_page=1000")]


@each_kind
def test_records_of_other_kinds_are_not_found(api: Api, kind: Kind) -> None:
    created = kind.create(api)
    for other in KINDS:
        if other is not kind:
            assert api.get(f"{other.item_path}/{created}").status_code == 404


@each_kind
def test_unknown_key_on_create(api: Api, kind: Kind) -> None:
    before = api.count(kind.many)
    assert api.post(kind.item_path, kind.body(api, no_such_field="x")).status_code == 400
    assert api.count(kind.many) == before


@each_kind
def test_unknown_key_on_change(api: Api, kind: Kind) -> None:
    created = kind.create(api)
    before = api.read(f"{kind.item_path}/{created}")
    assert api.patch(f"{kind.item_path}/{created}", {kind.text: "Changed", "no_such_field": "x"}).status_code == 400
    assert api.read(f"{kind.item_path}/{created}") == before


@each_kind
@pytest.mark.parametrize("method", ["POST", "PATCH"])
@pytest.mark.parametrize("body", [[], [{}], "text", 5, None, True], ids=repr)
def test_body_that_is_no_map(api: Api, kind: Kind, method: str, body: Any) -> None:
    path = kind.item_path if method == "POST" else f"{kind.item_path}/{kind.create(api)}"
    assert api.request(method, path, json=body).status_code == 400


@each_kind
def test_text_field_accepts_text_only(api: Api, kind: Kind) -> None:
    created = kind.create(api)
    for value in (5, True, ["x"], {"x": 1}):
        assert api.patch(f"{kind.item_path}/{created}", {kind.text: value}).status_code == 400


@each_kind
def test_put_is_not_offered(api: Api, kind: Kind) -> None:
    assert api.put(f"{kind.item_path}/{kind.create(api)}", {kind.text: "x"}).status_code == 404


# objects


@pytest.mark.parametrize("missing", ["inventory_name", "barcode"])
def test_mandatory_fields_of_an_object(api: Api, missing: str) -> None:
    body = {"inventory_name": "Thing", "barcode": code()}
    del body[missing]
    before = api.count("/objects")
    assert api.post("/object", body).status_code in (400, 422)
    assert api.count("/objects") == before


def test_mandatory_field_of_a_definition(api: Api) -> None:
    key = api.define("TEXT", attributes=[attribute("mandatory", "yes")])["field_key"]
    assert api.post("/object", {"inventory_name": "Thing", "barcode": code()}).status_code in (400, 422)
    created = api.create_object(**{key: "there"})
    assert api.patch(f"/object/{created}", {"inventory_name": "Other"}).status_code == 200


def test_second_record_with_a_unique_value(api: Api) -> None:
    used = code()
    first = api.create_object(barcode=used)
    before = api.count("/objects")
    assert api.post("/object", {"inventory_name": "Twin", "barcode": used}).status_code == 422
    assert api.count("/objects") == before
    second = api.create_object()
    assert api.patch(f"/object/{second}", {"barcode": used}).status_code == 422
    assert api.patch(f"/object/{first}", {"barcode": used}).status_code == 200


def test_unique_value_is_free_again_after_delete(api: Api) -> None:
    used = code()
    api.delete(f"/object/{api.create_object(barcode=used)}")
    assert api.post("/object", {"inventory_name": "Heir", "barcode": used}).status_code == 201


def test_unique_field_of_a_definition(api: Api) -> None:
    key = api.define("TEXT", attributes=[attribute("unique", "yes")])["field_key"]
    api.create_object(**{key: "one"})
    assert api.post("/object", {"inventory_name": "Twin", "barcode": code(), key: "one"}).status_code == 422
    assert api.post("/object", {"inventory_name": "Other", "barcode": code(), key: "two"}).status_code == 201
    for _number in range(2):
        assert api.post("/object", {"inventory_name": "None", "barcode": code()}).status_code == 201


def test_archive_and_back(api: Api) -> None:
    created = api.create_object()
    assert api.read(f"/object/{created}")["archived_at"] is None
    before = api.count("/objects")
    response = api.post(f"/object/{created}/archive")
    assert (response.status_code, response.content) == (204, b"")
    assert api.read(f"/object/{created}")["archived_at"]
    assert api.count("/objects") == before - 1
    assert created not in [record["asset_uuid"] for record in api.items("/objects", "per_page=1000")]
    assert api.items("/objects", f"filter[asset_uuid][eq]={created}") == []
    response = api.post(f"/object/{created}/unarchive")
    assert (response.status_code, response.content) == (204, b"")
    assert api.read(f"/object/{created}")["archived_at"] is None
    assert api.count("/objects") == before


# rooms and locations


def test_location_has_fixed_fields(api: Api) -> None:
    fields = {"name": "Depot", "address": "Main road 1", "zip": "01097", "city": "Dresden", "country": "Germany"}
    record = api.read(f"/location/{api.create_location(**fields)}")
    assert {key: record[key] for key in fields} == fields


def test_room_refers_to_its_location(api: Api) -> None:
    site = api.create_location(name="Depot")
    number = api.read(f"/location/{site}")["id"]
    for value in (number, site):
        room = api.read(f"/room/{api.create_room(building_id=value)}")
        assert room["building_id"] == {"id": number, "uuid": site, "display_name": room["building_id"]["display_name"]}
        assert "Depot" in room["building_id"]["display_name"]


def test_location_with_rooms_stays(api: Api) -> None:
    site = api.create_location()
    room = api.create_room(building_id=site)
    assert api.delete(f"/location/{site}").status_code == 422
    assert api.delete(f"/room/{room}").status_code == 204
    assert api.delete(f"/location/{site}").status_code == 204


# persons


def test_person_is_wrapped_on_create_only(api: Api) -> None:
    assert api.post("/person", {"first_name": "Ada", "email": "ada@example.org"}).status_code == 400
    created = api.create_person(first_name="Ada")
    assert api.patch(f"/person/{created}", {"fields": {"first_name": "Eve"}}).status_code == 400
    assert api.read(f"/person/{created}")["first_name"] == "Ada"


@pytest.mark.parametrize("fields", [None, [], "x", 5], ids=repr)
def test_person_whose_fields_are_no_map(api: Api, fields: Any) -> None:
    assert api.post("/person", {"fields": fields}).status_code == 400


def test_person_by_id(api: Api) -> None:
    record = api.read(f"/person/{api.create_person()}")
    assert api.read(f"/person/by-id/{record['id']}") == record


def test_person_by_an_id_that_does_not_exist(api: Api) -> None:
    assert api.get("/person/by-id/999999").status_code == 404


def test_person_without_an_account(api: Api) -> None:
    assert api.read(f"/person/{api.create_person()}")["user_uuid"] is None
