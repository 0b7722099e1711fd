# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The switches of records, field definitions, headers and errors, with all of their sides."""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime
from typing import Any

import pytest

from .bodies import NOBODY, asset, attribute, code, in_brackets
from .sides import every_side
from .support import Api, Steering

# records as they are read


KINDS = [("object", "asset_uuid"), ("room", "room_uuid"), ("location", "location_uuid"), ("person", "person_uuid")]


@every_side("record_shape", "flat", "fields", "uuid_fields")
def test_record_shape(api: Api, side: str) -> None:
    for kind, key in KINDS:
        created = getattr(api, f"create_{kind}")()
        shown = [api.read(f"/{kind}/{created}")]
        shown.append(next(record for record in api.items(f"/{kind}s", "per_page=1000") if created in str(record)))
        for record in shown:
            if side == "flat":
                assert record[key] == created
                assert "fields" not in record
            else:
                assert set(record) == ({"fields"} if side == "fields" else {"uuid", "fields"})
                assert record.get("uuid", created) == created
                assert isinstance(record["fields"]["id"], int)


@every_side("uuid_key", "both", "named")
def test_uuid_key(api: Api, side: str) -> None:
    for kind, key in KINDS:
        created = getattr(api, f"create_{kind}")()
        record = api.read(f"/{kind}/{created}")
        assert record[key] == created
        assert record.get("uuid") == (created if side == "both" else None)
        assert ("uuid" in record) == (side == "both")


@every_side("record_id", "given", "none")
def test_record_id(api: Api, steering: Steering, side: str) -> None:
    created = [(kind, getattr(api, f"create_{kind}")()) for kind, _key in KINDS]
    for kind, uuid in created:
        records = [api.read(f"/{kind}/{uuid}"), *api.items(f"/{kind}s", "sort[id]=ASC")]
        assert {"id" in record for record in records} == {side == "given"}, kind
    # A link written as a number needs a record with an id.
    steering.switch(link_read="integer")
    assert all("id" in record for record in api.items("/rooms"))


@every_side("link_read", "object", "integer", "zero")
def test_link_read(api: Api, side: str) -> None:
    room = api.create_room()
    linked, bare = api.create_object(actual_room=room), api.create_object()
    found = api.read(f"/object/{linked}")["actual_room"]
    number = api.read(f"/room/{room}")["id"]
    if side == "object":
        assert (found["id"], found["uuid"]) == (number, room)
    else:
        assert found == number
    assert api.read(f"/object/{bare}")["actual_room"] == (0 if side == "zero" else None)


@every_side("number_form", "number", "string")
def test_number_form(api: Api, side: str) -> None:
    number, decimal = (api.define(kind)["field_key"] for kind in ("NUMBER", "DECIMAL"))
    two = api.define("MONEY", attributes=[attribute("fraction_digits", 2)])["field_key"]
    created = api.create_object(**{number: 5, decimal: 1.25, two: 1.5})
    record = api.read(f"/object/{created}")
    expected: list[Any] = [5, 1.25, 1.5] if side == "number" else ["5", "1.25", "1.50"]
    assert [record[number], record[decimal], record[two]] == expected
    assert isinstance(record["id"], int)
    assert isinstance(api.offer(price=30)["price"], int | float if side == "number" else str)


@every_side("boolean_form", "boolean", "integer")
def test_boolean_form(api: Api, side: str) -> None:
    key = api.define("BOOLEAN")["field_key"]
    for value in (True, False):
        shown = api.read(f"/object/{api.create_object(**{key: value})}")[key]
        assert shown == value
        assert isinstance(shown, bool) == (side == "boolean")


@every_side("empty_form", "as_sent", "null", "text", "list")
def test_empty_form(api: Api, side: str) -> None:
    key = api.define("TEXT")["field_key"]
    shown = [api.read(f"/object/{api.create_object(**{key: value})}")[key] for value in (None, "")]
    assert shown == {"as_sent": [None, ""], "null": [None, None], "text": ["", ""], "list": [[], []]}[side]
    assert api.read(f"/object/{api.create_object(**{key: 'x'})}")[key] == "x"


@every_side("linked_assets_read", "list", "one")
def test_linked_assets_read(api: Api, side: str) -> None:
    key = api.define("LINKED_ASSETS")["field_key"]
    things = [api.create_object() for _number in range(2)]
    links = api.read(f"/object/{api.create_object(**{key: things})}")[key]
    assert [link["uuid"] for link in links] == things
    single = api.read(f"/object/{api.create_object(**{key: things[:1]})}")[key]
    assert (single[0] if side == "list" else single)["uuid"] == things[0]


@every_side("builtin_labels", "plain", "keys")
def test_builtin_labels(api: Api, side: str) -> None:
    own = api.define("TEXT")
    listed = {entry["field_key"]: entry for entry in api.read("/asset-tracking/asset/field-definitions")}
    labels = {"plain": ("Barcode", "Target room"), "keys": ("itexia_scancode", "itexia_target_room")}
    assert (listed["barcode"]["label"], listed["target_room"]["label"]) == labels[side]
    assert listed[own["field_key"]]["label"] == own["label"]
    written = listed["condition"]
    path = f"/asset-tracking/asset/field-definition/{written['uuid']}"
    for label in (written["label"], "State"):
        assert api.put(path, {**written, "label": label}).status_code == 204
        assert api.read(path)["label"] == label


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


@every_side("room_location", "coupled", "independent")
def test_room_location(api: Api, side: str) -> None:
    site, other = api.create_location(), api.create_location()
    created = api.create_object(target_room=api.create_room(building_id=site))
    assert (api.read(f"/object/{created}")["target_building"] is not None) == (side == "coupled")
    api.patch(f"/object/{created}", {"target_building": other})
    record = api.read(f"/object/{created}")
    assert record["target_building"]["uuid"] == other
    assert (record["target_room"] is None) == (side == "coupled")


@every_side("datetime_read", "as_written", "utc")
def test_datetime_read(api: Api, side: str) -> None:
    key = api.define("DATETIME")["field_key"]
    created = api.create_object(**{key: "2024-02-29T23:30:00+02:00"})
    expected = {"as_written": "2024-02-29T23:30:00+02:00", "utc": "2024-02-29 21:30:00"}[side]
    assert api.read(f"/object/{created}")[key] == expected


@every_side("attachment_read", "objects", "uuids")
def test_attachment_read(api: Api, side: str) -> None:
    file = api.upload()
    created = api.create_object(documents=[file])
    records = [api.read(f"/object/{created}")["documents"]]
    for name, path in (("task", "task-management/task"), ("rental_case", "rental-management/rental-case")):
        uuid = getattr(api, f"create_{name}")(attachments=[file])
        records.append(api.read(f"/{path}/{uuid}")["attachments"])
    expected = file if side == "uuids" else None
    assert [record if isinstance(record, str) else None for (record,) in records] == [expected] * 3
    assert side == "uuids" or {record["uuid"] for (record,) in records} == {file}


@every_side("attachment_name", "none", "given")
def test_attachment_name(api: Api, side: str) -> None:
    created = api.create_object(documents=[api.upload("note.txt")])
    (file,) = api.read(f"/object/{created}")["documents"]
    assert file.get("name") == (None if side == "none" else "note.txt")


@every_side("archived_at", "given", "none")
def test_archived_at(api: Api, side: str) -> None:
    created = api.create_object()
    assert ("archived_at" in api.read(f"/object/{created}")) == (side == "given")
    api.post(f"/object/{created}/archive")
    assert bool(api.read(f"/object/{created}").get("archived_at")) == (side == "given")


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


@every_side("user_display_name", "text", "list")
def test_user_display_name(api: Api, side: str) -> None:
    shown = [api.me(), *api.items("/users")]
    assert all(isinstance(user["display_name"], str if side == "text" else list) for user in shown)


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


@every_side("write_unknown_field", "refuse", "ignore")
def test_write_unknown_field(api: Api, side: str) -> None:
    uuid = api.create_object()
    response = api.patch(f"/object/{uuid}", {"no_such_field": 1, "inventory_name": "Changed"})
    assert response.status_code == (400 if side == "refuse" else 200)
    record = api.read(f"/object/{uuid}")
    assert (record["inventory_name"] == "Changed") == (side == "ignore")
    assert "no_such_field" not in record
    created = api.post("/location", {"name": "x", "no_such_field": 1})
    assert created.status_code == (400 if side == "refuse" else 201)


@every_side("unique_values", "unprocessable", "bad_request", "take")
def test_unique_values(api: Api, side: str) -> None:
    used = code()
    api.create_object(barcode=used)
    expected = {"unprocessable": 422, "bad_request": 400, "take": 201}[side]
    assert api.post("/object", {"inventory_name": "Twin", "barcode": used}).status_code == expected
    assert api.count("/objects", in_brackets({"barcode": {"eq": used}})) == (2 if side == "take" else 1)


@every_side("archive_repeat", "accept", "refuse")
def test_archive_repeat(api: Api, side: str) -> None:
    created = api.create_object()
    again = 204 if side == "accept" else 422
    assert api.post(f"/object/{created}/unarchive").status_code == again
    assert [api.post(f"/object/{created}/archive").status_code for _number in range(2)] == [204, again]
    assert [api.post(f"/object/{created}/unarchive").status_code for _number in range(2)] == [204, again]


@every_side("delete_archived", "accept", "refuse")
def test_delete_archived(api: Api, side: str) -> None:
    created = api.create_object()
    api.post(f"/object/{created}/archive")
    assert api.delete(f"/object/{created}").status_code == (204 if side == "accept" else 422)
    assert api.get(f"/object/{created}").status_code == (404 if side == "accept" else 200)


@every_side("delete_referenced", "accept", "refuse")
def test_delete_referenced(api: Api, side: str) -> None:
    person, thing = api.create_person(), api.create_object()
    api.create_object(responsible_person=person)
    api.create_task(references=[asset(thing)])
    for path in (f"/person/{person}", f"/object/{thing}"):
        assert api.delete(path).status_code == (204 if side == "accept" else 422)
        assert api.get(path).status_code == (404 if side == "accept" else 200)
    assert api.delete(f"/person/{api.create_person()}").status_code == 204


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


@every_side("missing_record", "not_found", "unprocessable")
def test_missing_record(api: Api, side: str) -> None:
    expected = 404 if side == "not_found" else 422
    for kind, _key in KINDS:
        assert api.patch(f"/{kind}/{NOBODY}", {}).status_code == expected
        assert api.delete(f"/{kind}/{NOBODY}").status_code == expected
        assert api.get(f"/{kind}/{NOBODY}").status_code == 404


@every_side("missing_person", "not_found", "empty")
def test_missing_person(api: Api, side: str) -> None:
    for path in (f"/user/{NOBODY}", "/user/by-id/999999", f"/person/{NOBODY}", "/person/by-id/999999"):
        response = api.get(path)
        if side == "not_found":
            assert response.status_code == 404
        else:
            assert (response.status_code, response.content) == (200, b"")


@every_side("duplicate_labels", "accept", "refuse")
def test_duplicate_labels(api: Api, side: str) -> None:
    found = api.define("TEXT")
    body = {key: value for key, value in found.items() if key not in ("uuid", "field_key")}
    response = api.post("/asset-tracking/asset/field-definition", body)
    assert response.status_code == (201 if side == "accept" else 422)
    assert api.post("/asset-tracking/room/field-definition", body).status_code == 201


# headers and errors


@every_side("location_header", "url", "path")
def test_location_header(api: Api, side: str) -> None:
    response = api.post("/location", {"name": "x"})
    assert response.headers["Location"].startswith("http://127.0.0.1" if side == "url" else "/customer-api/v1/")


@every_side("file_location", "plain", "data")
def test_file_location(api: Api, side: str) -> None:
    response = api.request("POST", "/file", files={"data": ("x", b"x", "text/plain")})
    created = response.headers["Location-UUID"]
    assert response.headers["Location"].endswith(f"{created}/data" if side == "data" else created)


@every_side("error_body", "message", "detail", "title", "empty", "text")
def test_error_body(api: Api, side: str) -> None:
    for response in (api.get(f"/object/{NOBODY}"), api.get("/users", "page=0"), api.get("/users", token="x")):
        assert response.status_code in (400, 401, 404)
        if side == "empty":
            assert response.content == b""
        elif side == "text":
            assert response.headers["Content-Type"].startswith("text/plain")
            assert response.text
        else:
            assert response.json()[side]
            assert {"message", "detail", "title"} & set(response.json()) == {side}


@every_side("retry_after", "seconds", "date", "none")
def test_retry_after(api: Api, steering: Steering, side: str) -> None:
    steering.call("PUT", "/rate-limit", {"per_minute": 1, "burst": 1})
    api.get("/users")
    response = api.get("/users")
    assert response.status_code == 429
    given = response.headers.get("Retry-After")
    if side == "seconds":
        assert re.fullmatch(r"[1-9]\d*", given or "")
    elif side == "date":
        assert parsedate_to_datetime(given or "") > parsedate_to_datetime(response.headers["Date"])
    else:
        assert given is None


@every_side("cors", "none", "any_origin")
def test_cors(api: Api, side: str) -> None:
    response = api.get("/users", headers={"Origin": "https://example.org"})
    assert response.headers.get("Access-Control-Allow-Origin") == (None if side == "none" else "*")
