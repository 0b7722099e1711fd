# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The weather: every switch, with all of its sides, as it is seen on the wire.

The answers of all requests in here are also held against the description in the weather of the moment.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Any

import pytest

from .support import NOBODY, Absent, Api, JsonMap, Operation, Steering, asset, attribute, code, in_brackets, operations

SHOWN: dict[str, list[str]] = {}
HUB = "/circularity-hub"
ADD = f"{HUB}/add-objects-to-circularity-hub"
TASK = "/task-management/task"
CASE = "/rental-management/rental-case"
CASES = "/rental-management/rental-cases"
LISTS = ["/objects", "/rooms", "/locations", CASES, f"{HUB}/items", f"{HUB}/orders"]
Test = Callable[..., None]


def every_side(name: str, *sides: str) -> Callable[[Test], Test]:
    """A test that is run on each side of a switch; it is turned by the fixture ``side``."""

    def decorate(test: Test) -> Test:
        SHOWN[name] = list(sides)
        marked: Test = pytest.mark.parametrize("side", [(name, side) for side in sides], indirect=True, ids=sides)(test)
        return marked

    return decorate


@pytest.fixture
def side(request: pytest.FixtureRequest, api: Api, steering: Steering) -> str:
    """Turns the switch of the test; there is something of everything."""
    name, turned = request.param
    assert api.tokens
    steering.switch(**{name: turned})
    return str(turned)


def test_every_switch_is_shown(steering: Steering) -> None:
    assert {name: entry["sides"] for name, entry in steering.switches().items()} == SHOWN


# lists and pages


@every_side("list_envelope", "items", "array")
def test_list_envelope(api: Api, side: str) -> None:
    for path in [*LISTS, "/files"]:
        found = api.read(path)
        assert isinstance(found, dict if side == "items" else list), path
        assert api.items(path), path
    for path in ("/users", "/persons"):
        assert isinstance(api.read(path), dict)


@every_side("list_total", "given", "none")
def test_list_total(api: Api, side: str) -> None:
    for path in LISTS:
        assert ("total" in api.read(path)) == (side == "given"), path


@every_side("page_beyond_end", "empty", "clamp")
def test_page_beyond_end(api: Api, side: str) -> None:
    for path in [*LISTS, "/persons", "/users"]:
        total = api.read(path)["total"]
        last = api.items(path, f"page={total}&per_page=1")
        assert len(last) == 1
        beyond = api.read(path, f"page={total + 5}&per_page=1")
        assert beyond["items"] == ([] if side == "empty" else last), path
        if side == "clamp":
            assert beyond["page"] == total


@every_side("history_beyond_end", "clamp", "empty")
def test_history_beyond_end(api: Api, side: str) -> None:
    made = api.create_location()
    api.patch(f"/location/{made}", {"name": "Other"})
    found = api.read(f"/location/{made}/history", "page=9&per_page=1")
    assert len(found["items"]) == (1 if side == "clamp" else 0)


@every_side("page_order", "stable", "unstable")
def test_page_order(api: Api, side: str) -> None:
    for number in range(12):
        api.create_location(name=f"Site {number:02}")
    orders = {tuple(record["id"] for record in api.items("/locations", "per_page=5")) for _number in range(20)}
    assert (len(orders) == 1) == (side == "stable")
    sorted_orders = {
        tuple(site["id"] for site in api.items("/locations", "per_page=5&sort[id]=ASC")) for _number in range(10)
    }
    assert len(sorted_orders) == 1
    assert len({tuple(user["id"] for user in api.items("/users", "sort_by=id")) for _number in range(5)}) == 1


@every_side("persons_envelope", "sort_by", "sort")
def test_persons_envelope(api: Api, side: str) -> None:
    plain, given = api.read("/persons"), api.read("/persons", "sort[email]=DESC")
    if side == "sort_by":
        assert (plain["sort_by"], plain["order"]) == ("id", "asc")
        assert "sort" not in plain
    else:
        assert (plain["sort"], given["sort"]) == ([], {"email": "DESC"})
        assert "sort_by" not in plain


# filters


@every_side("filter_eq", "exact", "case_blind")
def test_filter_eq(api: Api, side: str) -> None:
    mark = code()
    for name in ("Alpha", "ALPHA", "Beta"):
        api.create_location(name=name, city=mark)
    blind = side == "case_blind"

    def count(operator: str, value: Any) -> int:
        return api.count("/locations", in_brackets({"city": {"eq": mark}, "name": {operator: value}}))

    assert count("eq", "alpha") == (2 if blind else 0)
    assert count("eq", "ALPHA") == (2 if blind else 1)
    assert count("neq", "alpha") == (1 if blind else 3)
    assert count("in", ["alpha", "beta"]) == (3 if blind else 0)
    assert count("nin", ["alpha", "beta"]) == (0 if blind else 3)


@every_side("filter_unknown_field", "refuse", "ignore")
def test_filter_unknown_field(api: Api, side: str) -> None:
    for query in ("filter[no_such_field][eq]=x", "sort[no_such_field]=ASC"):
        response = api.get("/objects", query)
        if side == "refuse":
            assert response.status_code == 400
        else:
            assert response.json()["total"] == api.count("/objects")


@every_side("filter_without_operator", "refuse", "error")
def test_filter_without_operator(api: Api, side: str) -> None:
    for path in ("/objects", "/objects/count", "/rooms", "/persons", CASES, f"{HUB}/items"):
        for query in ("filter[id]=1", "filter[id][]=1"):
            assert api.get(path, query).status_code == (400 if side == "refuse" else 500), (path, query)


@every_side("presence_operators", "honour", "refuse")
def test_presence_operators(api: Api, side: str) -> None:
    for operator in ("empty", "not_empty", "null", "not_null"):
        assert api.get("/objects", f"filter[barcode][{operator}]=").status_code == (200 if side == "honour" else 400)
    body = {"filter": {"barcode": {"not_null": True}}}
    assert api.post(f"{HUB}/suggest-category", body).status_code == (200 if side == "honour" else 400)


@every_side("places_filter", "honour", "ignore")
def test_places_filter(api: Api, side: str) -> None:
    room = api.create_room(name=code())
    query = in_brackets({"name": {"eq": api.read(f"/room/{room}")["name"]}})
    assert (len(api.items("/rooms", f"{query}&per_page=1000")) == 1) == (side == "honour")
    assert (api.items("/locations", "filter[name][eq]=nothing") == []) == (side == "honour")
    assert api.items("/objects", "filter[inventory_name][eq]=nothing") == []


@every_side("persons_filter", "honour", "ignore")
def test_persons_filter(api: Api, side: str) -> None:
    email = f"{code()}@example.org"
    api.create_person(email=email)
    query = in_brackets({"email": {"eq": email}})
    assert (len(api.items("/persons", query)) == 1) == (side == "honour")
    assert (api.count("/persons", query) == 1) == (side == "honour")
    before = api.read("/users")["total"]
    assert api.post("/persons/create-user", {"filter": {"email": {"eq": email}}}).status_code == 201
    assert api.read("/users")["total"] == before + 1


@every_side("persons_sort_by", "honour", "ignore")
def test_persons_sort_by(api: Api, side: str) -> None:
    for name in ("Zoe", "Amy", "Mia"):
        api.create_person(first_name=name)
    names = [person["first_name"] for person in api.items("/persons", "per_page=1000&sort_by=first_name&order=desc")]
    assert (names == sorted(names, reverse=True)) == (side == "honour")
    names = [person["first_name"] for person in api.items("/persons", "per_page=1000&sort[first_name]=DESC")]
    assert names == sorted(names, reverse=True)


@every_side("task_filters", "honour", "ignore")
def test_task_filters(api: Api, side: str) -> None:
    made = api.create_task(deadline="2031-05-20")
    for query in ("deadline_from=2031-05-21", "deadline_to=2031-05-19"):
        found = [task["uuid"] for task in api.read("/task-management/tasks", query)]
        assert (made not in found) == (side == "honour")


# records as they are read


KINDS = [("object", "asset_uuid"), ("room", "room_uuid"), ("location", "location_uuid"), ("person", "person_uuid")]


@every_side("record_shape", "flat", "fields", "uuid_fields")
def test_record_shape(api: Api, side: str) -> None:
    for kind, key in KINDS:
        made = getattr(api, f"create_{kind}")()
        shown = [api.read(f"/{kind}/{made}")]
        shown.append(next(record for record in api.items(f"/{kind}s", "per_page=1000") if made in str(record)))
        for record in shown:
            if side == "flat":
                assert record[key] == made
                assert "fields" not in record
            else:
                assert set(record) == ({"fields"} if side == "fields" else {"uuid", "fields"})
                assert record.get("uuid", made) == made
                assert isinstance(record["fields"]["id"], int)


@every_side("uuid_key", "both", "named")
def test_uuid_key(api: Api, side: str) -> None:
    for kind, key in KINDS:
        made = getattr(api, f"create_{kind}")()
        record = api.read(f"/{kind}/{made}")
        assert record[key] == made
        assert record.get("uuid") == (made if side == "both" else None)
        assert ("uuid" in record) == (side == "both")


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
    made = api.create_object(**{number: 5, decimal: 1.25, two: 1.5})
    record = api.read(f"/object/{made}")
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
    several = api.read(f"/object/{api.create_object(**{key: things})}")[key]
    assert [link["uuid"] for link in several] == things
    single = api.read(f"/object/{api.create_object(**{key: things[:1]})}")[key]
    assert (single[0] if side == "list" else single)["uuid"] == things[0]


@every_side("linked_assets_name", "LINKED_ASSETS", "LINKED_ASSET")
def test_linked_assets_name(api: Api, side: str) -> None:
    found = api.define("LINKED_ASSETS")
    assert found["field_type"]["name"] == side
    names = {entry["field_type"]["name"] for entry in api.read("/asset-tracking/asset/field-definitions")}
    assert names & {"LINKED_ASSETS", "LINKED_ASSET"} == {side}
    path = f"/asset-tracking/asset/field-definition/{found['uuid']}"
    assert api.put(path, {**found, "label": "Other"}).status_code == 204
    assert api.read(path)["field_type"]["name"] == side


@every_side("datetime_read", "as_written", "utc")
def test_datetime_read(api: Api, side: str) -> None:
    key = api.define("DATETIME")["field_key"]
    made = api.create_object(**{key: "2024-02-29T23:30:00+02:00"})
    expected = {"as_written": "2024-02-29T23:30:00+02:00", "utc": "2024-02-29 21:30:00"}[side]
    assert api.read(f"/object/{made}")[key] == expected


@every_side("attachment_name", "none", "given")
def test_attachment_name(api: Api, side: str) -> None:
    made = api.create_object(documents=[api.upload("note.txt")])
    (file,) = api.read(f"/object/{made}")["documents"]
    assert file.get("name") == (None if side == "none" else "note.txt")


@every_side("archived_at", "given", "none")
def test_archived_at(api: Api, side: str) -> None:
    made = api.create_object()
    assert ("archived_at" in api.read(f"/object/{made}")) == (side == "given")
    api.post(f"/object/{made}/archive")
    assert bool(api.read(f"/object/{made}").get("archived_at")) == (side == "given")


@every_side("user_display_name", "text", "list")
def test_user_display_name(api: Api, side: str) -> None:
    shown = [api.me(), *api.items("/users")]
    assert all(isinstance(user["display_name"], str if side == "text" else list) for user in shown)


# records as they are written


@every_side("patch_answer", "record", "empty_object", "empty", "no_content")
def test_patch_answer(api: Api, side: str) -> None:
    for kind, _key in KINDS:
        made = getattr(api, f"create_{kind}")()
        key = {"object": "inventory_name", "person": "last_name"}.get(kind, "name")
        response = api.patch(f"/{kind}/{made}", {key: "Changed"})
        record = api.read(f"/{kind}/{made}")
        assert record[key] == "Changed"
        assert response.status_code == (204 if side == "no_content" else 200)
        if side == "record":
            assert response.json() == record
        else:
            assert response.content == (b"{}" if side == "empty_object" else b"")


@every_side("write_unknown_field", "refuse", "ignore")
def test_write_unknown_field(api: Api, side: str) -> None:
    made = api.create_object()
    response = api.patch(f"/object/{made}", {"no_such_field": 1, "inventory_name": "Changed"})
    assert response.status_code == (400 if side == "refuse" else 200)
    record = api.read(f"/object/{made}")
    assert (record["inventory_name"] == "Changed") == (side == "ignore")
    assert "no_such_field" not in record
    created = api.post("/location", {"name": "x", "no_such_field": 1})
    assert created.status_code == (400 if side == "refuse" else 201)


@every_side("unique_values", "unprocessable", "bad_request", "take")
def test_unique_values(api: Api, side: str) -> None:
    taken = code()
    api.create_object(barcode=taken)
    expected = {"unprocessable": 422, "bad_request": 400, "take": 201}[side]
    assert api.post("/object", {"inventory_name": "Twin", "barcode": taken}).status_code == expected
    assert api.count("/objects", in_brackets({"barcode": {"eq": taken}})) == (2 if side == "take" else 1)


@every_side("archive_repeat", "accept", "refuse")
def test_archive_repeat(api: Api, side: str) -> None:
    made = api.create_object()
    again = 204 if side == "accept" else 422
    assert api.post(f"/object/{made}/unarchive").status_code == again
    assert [api.post(f"/object/{made}/archive").status_code for _number in range(2)] == [204, again]
    assert [api.post(f"/object/{made}/unarchive").status_code for _number in range(2)] == [204, again]


@every_side("delete_archived", "accept", "refuse")
def test_delete_archived(api: Api, side: str) -> None:
    made = api.create_object()
    api.post(f"/object/{made}/archive")
    assert api.delete(f"/object/{made}").status_code == (204 if side == "accept" else 422)
    assert api.get(f"/object/{made}").status_code == (404 if side == "accept" else 200)


@every_side("delete_referenced", "accept", "refuse")
def test_delete_referenced(api: Api, side: str) -> None:
    site = api.create_location()
    api.create_room(building_id=site)
    thing = api.create_object()
    api.create_task(references=[asset(thing)])
    for path in (f"/location/{site}", f"/object/{thing}"):
        assert api.delete(path).status_code == (204 if side == "accept" else 422)
        assert api.get(path).status_code == (404 if side == "accept" else 200)
    assert api.delete(f"/location/{api.create_location()}").status_code == 204


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
    made = response.headers["Location-UUID"]
    assert response.headers["Location"].endswith(f"{made}/data" if side == "data" else made)


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


# tokens and users


@every_side("wrong_password", "unauthorized", "bad_request")
def test_wrong_password(api: Api, side: str) -> None:
    response = api.grant(grant_type="password", username=api.about["username"], password="wrong")
    assert response.status_code == (401 if side == "unauthorized" else 400)


@every_side("refresh_rotation", "once_more", "single_use")
def test_refresh_rotation(api: Api, side: str) -> None:
    old = api.tokens["refresh_token"]
    found = [api.grant(grant_type="refresh_token", refresh_token=old).status_code for _number in range(3)]
    assert found == ([200, 200, 401] if side == "once_more" else [200, 401, 401])


@every_side("refresh_token", "accept", "refuse")
def test_refresh_token(api: Api, side: str) -> None:
    response = api.grant(grant_type="refresh_token", refresh_token=api.tokens["refresh_token"])
    assert response.status_code == (200 if side == "accept" else 401)
    assert api.sign_in()["refresh_token"]


@every_side("create_user_none", "not_found", "nothing")
def test_create_user_none(api: Api, side: str) -> None:
    before = api.read("/users")["total"]
    response = api.post("/persons/create-user", {"filter": {"email": {"eq": "nobody"}}})
    assert response.status_code == (404 if side == "not_found" else 201)
    assert api.read("/users")["total"] == before


@every_side("create_user_several", "all", "refuse")
def test_create_user_several(api: Api, side: str) -> None:
    team = code()
    for _number in range(2):
        api.create_person(department=team)
    before = api.read("/users")["total"]
    response = api.post("/persons/create-user", {"filter": {"department": {"eq": team}}})
    assert response.status_code == (201 if side == "all" else 400)
    assert api.read("/users")["total"] == before + (2 if side == "all" else 0)


@every_side("create_user_email", "refuse", "share")
def test_create_user_email(api: Api, side: str) -> None:
    email = f"{code()}@example.org"
    api.create_person(email=email)
    body = {"filter": {"email": {"eq": email}}}
    assert api.post("/persons/create-user", body).status_code == 201
    second = api.create_person(email=email, first_name="Second")
    before = api.read("/users")["total"]
    body["filter"]["first_name"] = {"eq": "Second"}
    assert api.post("/persons/create-user", body).status_code == (400 if side == "refuse" else 201)
    assert api.read("/users")["total"] == before
    assert bool(api.read(f"/person/{second}")["user_uuid"]) == (side == "share")


# files


@every_side("file_results", "messages", "objects")
def test_file_results(api: Api, side: str) -> None:
    file = api.upload()
    made = api.create_object(documents=[file])
    response = api.post(f"/object/{made}/add-file", [{"field-key": "documents", "file-uuid": file}])
    assert response.status_code == 207
    assert all(isinstance(entry, str if side == "messages" else dict) for entry in response.json())
    assert response.json()


@every_side("unattached_files", "keep", "forget")
def test_unattached_files(api: Api, side: str) -> None:
    kept = api.upload("kept.txt")
    api.create_object(documents=[kept])
    loose = api.upload("loose.txt")
    for number in range(21):
        api.upload(f"{number}.txt")
    assert api.get(f"/file/{kept}").status_code == 200
    assert api.get(f"/file/{loose}").status_code == (200 if side == "keep" else 404)


# tasks


@every_side("task_reminders", "zero_to_two", "one_to_two")
def test_task_reminders(api: Api, side: str) -> None:
    day = {"unit": "days", "value": 1}
    found = [api.post(TASK, api.task(reminders=[day] * count)).status_code for count in (0, 1, 2, 3)]
    assert found == [201 if side == "zero_to_two" else 400, 201, 201, 400]


@every_side("task_empty_references", "accept", "refuse")
def test_task_empty_references(api: Api, side: str) -> None:
    assert api.post(TASK, api.task()).status_code == (201 if side == "accept" else 400)
    assert api.post(TASK, api.task(references=[asset(api.create_object())])).status_code == 201


@every_side("task_slug", "given", "none")
def test_task_slug(api: Api, side: str) -> None:
    assert ("slug" in api.read(f"{TASK}/{api.create_task()}")) == (side == "given")


@every_side("task_stamps", "none", "null")
def test_task_stamps(api: Api, side: str) -> None:
    task = api.read(f"{TASK}/{api.create_task()}")
    for key in ("created_at", "updated_at"):
        assert (key in task) == (side == "null")
        assert task.get(key) is None


@every_side("task_put_omitted", "clear", "keep")
def test_task_put_omitted(api: Api, side: str) -> None:
    made = api.create_task(comment="before", attachments=[api.upload()])
    api.put(f"{TASK}/{made}", api.task(comment=Absent, attachments=Absent))
    task = api.read(f"{TASK}/{made}")
    assert task["comment"] == (None if side == "clear" else "before")
    assert len(task["attachments"]) == (0 if side == "clear" else 1)


@every_side("task_notify", "when_true", "always")
def test_task_notify(api: Api, steering: Steering, side: str) -> None:
    made = api.create_task()
    before = len(steering.mails())
    api.put(f"{TASK}/{made}", api.task(notify=False))
    assert len(steering.mails()) == before + (0 if side == "when_true" else 1)


# rental cases


@every_side("rental_null_reminder", "accept", "refuse")
def test_rental_null_reminder(api: Api, side: str) -> None:
    for key in ("issue_date_reminder", "due_date_reminder"):
        response = api.post(CASE, api.rental_case(**{key: None}))
        assert response.status_code == (201 if side == "accept" else 400)


@every_side("rental_omitted_reminder", "clear", "keep")
def test_rental_omitted_reminder(api: Api, side: str) -> None:
    day = {"unit": "days", "value": 1}
    made = api.create_rental_case(issue_date_reminder=day)
    api.put(f"{CASE}/{made}", api.rental_case())
    assert api.read(f"{CASE}/{made}")["issue_date_reminder"] == (None if side == "clear" else day)


@every_side("rental_missing_renter", "accept", "error")
def test_rental_missing_renter(api: Api, side: str) -> None:
    assert api.post(CASE, api.rental_case(renter=Absent)).status_code == (201 if side == "accept" else 500)


@every_side("rental_missing_comment", "accept", "refuse")
def test_rental_missing_comment(api: Api, side: str) -> None:
    assert api.post(CASE, api.rental_case(comment=Absent)).status_code == (201 if side == "accept" else 400)


@every_side("rental_missing_status", "keep", "reset")
def test_rental_missing_status(api: Api, side: str) -> None:
    made = api.create_rental_case(status="borrowed")
    api.put(f"{CASE}/{made}", api.rental_case())
    assert api.read(f"{CASE}/{made}")["status"] == ("borrowed" if side == "keep" else "requested")


@every_side("rental_overdue_status", "accept", "refuse")
def test_rental_overdue_status(api: Api, side: str) -> None:
    for status in ("return_overdue", "pickup_overdue"):
        response = api.post(CASE, api.rental_case(status=status))
        assert response.status_code == (201 if side == "accept" else 400)
        made = api.create_rental_case(status="borrowed")
        response = api.put(f"{CASE}/{made}", api.rental_case(status=status))
        assert response.status_code == (204 if side == "accept" else 400)


@every_side("rental_overdue_status", "accept", "refuse")
def test_rental_overdue_status_is_written_back(api: Api, steering: Steering, side: str) -> None:
    """Whoever replaces a rental case sends the status along that was read."""
    steering.switch(rental_overdue="move")
    days = {"issue_date": "2020-01-01", "due_date": "2020-01-02"}
    for status, other in (("confirmed", "return_overdue"), ("borrowed", "pickup_overdue")):
        made = api.create_rental_case(status=status, **days)
        read = api.read(f"{CASE}/{made}")["status"]
        assert read.endswith("_overdue")
        for _turn in range(2):
            body = api.rental_case(title="Still out", status=read, **days)
            assert api.put(f"{CASE}/{made}", body).status_code == 204
            assert api.read(f"{CASE}/{made}")["status"] == read
        written = api.put(f"{CASE}/{made}", api.rental_case(status=other, **days)).status_code
        assert written == (204 if side == "accept" else 400)


@every_side("rental_overdue", "stay", "move")
def test_rental_overdue(api: Api, side: str) -> None:
    days = {"issue_date": "2020-01-01", "due_date": "2020-01-02"}
    for status, overdue in (
        ("confirmed", "pickup_overdue"),
        ("borrowed", "return_overdue"),
        ("completed", "completed"),
    ):
        made = api.create_rental_case(status=status, **days)
        assert api.read(f"{CASE}/{made}")["status"] == (status if side == "stay" else overdue)


@every_side("rental_renter_read", "object", "text")
def test_rental_renter_read(api: Api, side: str) -> None:
    made = api.create_rental_case(renter={"type": "plain", "value": "A neighbour"})
    expected: Any = {"type": "plain", "value": "A neighbour"} if side == "object" else "A neighbour"
    assert api.read(f"{CASE}/{made}")["renter"] == expected


@every_side("rental_references", "full", "reduced")
def test_rental_references(api: Api, side: str) -> None:
    (reference,) = api.read(f"{CASE}/{api.create_rental_case()}")["references"]
    assert set(reference) == ({"type", "uuid", "name", "id"} if side == "full" else {"type", "uuid"})


@every_side("rental_stamps", "given", "none")
def test_rental_stamps(api: Api, side: str) -> None:
    case = api.read(f"{CASE}/{api.create_rental_case()}")
    assert {"author", "created_at", "updated_at"} & set(case) == (
        {"author", "created_at", "updated_at"} if side == "given" else set()
    )


# the circularity hub


@every_side("hub_nothing", "object", "list")
def test_hub_nothing(api: Api, side: str) -> None:
    nothing: Any = {} if side == "object" else []
    assert api.post(f"{HUB}/suggest-category", {"filter": {"barcode": {"eq": "nothing"}}}).json() == nothing
    assert api.post(f"{HUB}/suggest-rest-price", {}).json() == nothing


def offer(api: Api, category: str = "category_furniture", **fields: Any) -> int:
    made = api.create_object(**{"purchasing_price": 10, **fields})
    return api.post(ADD, {made: {"category": category, "price": 1}}).status_code


@every_side("hub_repeat_offer", "refuse", "accept")
def test_hub_repeat_offer(api: Api, side: str) -> None:
    item = api.offer()
    again = api.post(ADD, {item["asset_uuid"]: {"category": "category_furniture", "price": 1}})
    assert again.status_code == (422 if side == "refuse" else 201)
    offers = [entry for entry in api.items(f"{HUB}/items", "per_page=1000") if entry["asset_id"] == item["asset_id"]]
    assert len(offers) == (1 if side == "refuse" else 2)


@every_side("hub_category", "any", "known")
def test_hub_category(api: Api, side: str) -> None:
    thing = api.create_object()
    suggested = api.post(f"{HUB}/suggest-category", {"filter": {"asset_uuid": {"eq": thing}}}).json()[thing]
    assert offer(api, suggested) == 201
    assert (offer(api, "of no such kind") == 201) == (side == "any")


@every_side("hub_priceless_object", "accept", "error")
def test_hub_priceless_object(api: Api, side: str) -> None:
    assert offer(api, purchasing_price=None) == (201 if side == "accept" else 500)
    assert offer(api) == 201


@every_side("hub_billing_keys", "camel", "snake")
def test_hub_billing_keys(api: Api, side: str) -> None:
    response = api.post(f"{HUB}/orders", [api.offer()["id"]])
    data = api.read(f"{HUB}/order/{response.headers['Location-ID']}")["billing_data"]
    assert {"firstName", "lastName"} <= set(data) if side == "camel" else {"first_name", "last_name"} <= set(data)
    assert len(data) == 6


# versions


@every_side("later_endpoints", "present", "absent")
def test_later_endpoints(api: Api, side: str) -> None:
    barcode = code()
    made = api.create_object(barcode=barcode)
    paths = [f"/object/by-barcode/{barcode}", f"/object/{made}/history", "/report-template", "/catalog-items"]
    assert {api.get(path).status_code for path in paths} == ({200} if side == "present" else {404})


def later(operation: Operation) -> bool:
    return operation.node.get("x-switch-absent") == {"later_endpoints": "absent"}


def test_later_endpoints_of_the_description() -> None:
    every = operations()
    assert len([operation for operation in every if not later(operation)]) == 67
    assert len(operations({"later_endpoints": "absent"})) == 67


# all at once


def plain(record: JsonMap) -> JsonMap:
    """The fields of a record in any shape."""
    fields: JsonMap = record.get("fields", record)
    return fields


def scan(api: Api, path: str) -> dict[Any, JsonMap]:
    """Every record of a list that may come in any order, over and over; by id."""
    found: dict[Any, JsonMap] = {}
    for page in range(1, 100):
        records = api.items(path, f"page={page}&per_page=20&sort[id]=ASC")
        new = {plain(record)["id"]: plain(record) for record in records if plain(record)["id"] not in found}
        found.update(new)
        if not new or len(records) < 20:
            break
    return found


@pytest.fixture
def rough(api: Api, steering: Steering) -> Api:
    steering.switch(weather="rough")
    return api


def test_records_in_rough_weather(rough: Api) -> None:
    """A careful client finds, changes and deletes what it made."""
    for kind, text in (("location", "name"), ("person", "last_name"), ("object", "inventory_name")):
        mark = code()
        body: JsonMap = {text: mark}
        if kind == "object":
            body["barcode"] = mark
        elif kind == "person":
            body = {"fields": {**body, "email": f"{mark}@example.org"}}
        response = rough.post(f"/{kind}", body)
        assert response.status_code == 201
        made = response.headers["Location-UUID"]
        found = [fields for fields in scan(rough, f"/{kind}s").values() if fields[text] == mark]
        assert len(found) == 1
        assert rough.patch(f"/{kind}/{made}", {text: "Changed"}).status_code in (200, 204)
        assert plain(rough.read(f"/{kind}/{made}"))[text] == "Changed"
        assert rough.delete(f"/{kind}/{made}").status_code == 204
        if kind != "person":
            assert rough.get(f"/{kind}/{made}").status_code == 404


def test_tasks_in_rough_weather(rough: Api) -> None:
    thing = rough.create_object()
    day = {"unit": "days", "value": 1}
    made = rough.create_task(references=[asset(thing)], reminders=[day], comment="")
    task = rough.read(f"{TASK}/{made}")
    assert (task["title"], [reference["uuid"] for reference in task["references"]]) == ("Look after it", [thing])
    body = rough.task(title="After", references=[asset(thing)], reminders=[day], comment="", attachments=[])
    assert rough.put(f"{TASK}/{made}", body).status_code == 204
    assert rough.put(f"{TASK}/{made}/status", {"status": "closed"}).status_code == 204
    task = rough.read(f"{TASK}/{made}")
    assert (task["title"], task["status"]) == ("After", "closed")
    assert made in [entry["uuid"] for entry in rough.read("/task-management/tasks")]
    assert rough.delete(f"{TASK}/{made}").status_code == 204


def test_rental_cases_in_rough_weather(rough: Api) -> None:
    made = rough.create_rental_case(status="requested")
    case = rough.read(f"{CASE}/{made}")
    assert (case["title"], case["status"]) == ("Borrow it", "requested")
    assert made in [entry["uuid"] for entry in rough.items(CASES, "per_page=1000&sort[title]=ASC")]
    assert rough.put(f"{CASE}/{made}", rough.rental_case(title="After", status="completed")).status_code == 204
    case = rough.read(f"{CASE}/{made}")
    assert (case["title"], case["status"]) == ("After", "completed")
    assert rough.delete(f"{CASE}/{made}").status_code == 204


def test_files_and_hub_in_rough_weather(rough: Api) -> None:
    file = rough.upload("note.txt", b"12345")
    thing = rough.create_object(purchasing_price=10)
    assert rough.post(f"/object/{thing}/add-file", [{"field-key": "documents", "file-uuid": file}]).status_code == 200
    (shown,) = plain(rough.read(f"/object/{thing}"))["documents"]
    assert shown["uuid"] == file
    assert rough.get(f"/file/{file}/data").content == b"12345"
    number = plain(rough.read(f"/object/{thing}"))["id"]
    category = rough.post(f"{HUB}/suggest-category", {"filter": {"barcode": {"eq": "nothing"}}})
    assert category.json() == []
    assert rough.post(ADD, {thing: {"category": "category_furniture", "price": 4}}).status_code == 201
    items = [
        entry for entry in rough.items(f"{HUB}/items", "per_page=1000&sort[id]=ASC") if entry["asset_id"] == number
    ]
    assert len(items) == 1
    assert rough.post(f"{HUB}/orders", [items[0]["id"]]).status_code == 201


def test_sign_in_in_rough_weather(rough: Api) -> None:
    assert rough.get("/users").status_code == 200
    assert rough.grant(grant_type="refresh_token", refresh_token=rough.tokens["refresh_token"]).status_code in (
        400,
        401,
    )
    rough.sign_in()
    assert rough.get("/users").status_code == 200
