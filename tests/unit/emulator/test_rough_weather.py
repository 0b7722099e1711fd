# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All switches on their rough sides: a careful client can still do everything."""

from __future__ import annotations

from typing import Any

import pytest

from .bodies import JsonMap, asset, code
from .support import Api, Steering

HUB = "/circularity-hub"
ADD = f"{HUB}/add-objects-to-circularity-hub"
TASK = "/task-management/task"
CASE = "/rental-management/rental-case"
CASES = "/rental-management/rental-cases"


def plain(record: JsonMap) -> JsonMap:
    """Return the fields of a record in any shape."""
    fields: JsonMap = record.get("fields", record)
    return fields


def scan(api: Api, path: str) -> dict[Any, JsonMap]:
    """Return every record of a list without a stable order, by id, after repeated reads."""
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
    """A careful client finds, changes and deletes the records that it created."""
    for kind, text in (("location", "name"), ("person", "last_name"), ("object", "inventory_name")):
        mark = code()
        body: JsonMap = {text: mark}
        if kind == "object":
            body["barcode"] = mark
        elif kind == "person":
            body = {"fields": {**body, "email": f"{mark}@example.org"}}
        response = rough.post(f"/{kind}", body)
        assert response.status_code == 201
        created = response.headers["Location-UUID"]
        found = [fields for fields in scan(rough, f"/{kind}s").values() if fields[text] == mark]
        assert len(found) == 1
        assert rough.patch(f"/{kind}/{created}", {text: "Changed"}).status_code in (200, 204)
        assert plain(rough.read(f"/{kind}/{created}"))[text] == "Changed"
        assert rough.delete(f"/{kind}/{created}").status_code == 204
        if kind != "person":
            assert rough.get(f"/{kind}/{created}").status_code == 404


def test_tasks_in_rough_weather(rough: Api) -> None:
    thing = rough.create_object()
    day = {"unit": "days", "value": 1}
    created = rough.create_task(references=[asset(thing)], reminders=[day], comment="")
    task = rough.read(f"{TASK}/{created}")
    assert (task["title"], [reference["uuid"] for reference in task["references"]]) == ("Look after it", [thing])
    body = rough.task(title="After", references=[asset(thing)], reminders=[day], comment="", attachments=[])
    assert rough.put(f"{TASK}/{created}", body).status_code == 204
    assert rough.put(f"{TASK}/{created}/status", {"status": "closed"}).status_code == 204
    task = rough.read(f"{TASK}/{created}")
    assert (task["title"], task["status"]) == ("After", "closed")
    pages = [rough.read(f"/task-management/tasks?page={number}") for number in range(1, 9)]
    assert created in [entry["uuid"] for page in pages for entry in page]
    assert rough.delete(f"{TASK}/{created}").status_code == 204


def test_rental_cases_in_rough_weather(rough: Api) -> None:
    created = rough.create_rental_case(status="requested")
    case = rough.read(f"{CASE}/{created}")
    assert (case["title"], case["status"]) == ("Borrow it", "requested")
    assert created in [entry["uuid"] for entry in rough.items(CASES, "per_page=1000&sort[title]=ASC")]
    assert rough.put(f"{CASE}/{created}", rough.rental_case(title="After", status="completed")).status_code == 204
    case = rough.read(f"{CASE}/{created}")
    assert (case["title"], case["status"]) == ("After", "completed")
    assert rough.delete(f"{CASE}/{created}").status_code == 204


def test_files_and_hub_in_rough_weather(rough: Api) -> None:
    file = rough.upload("note.txt", b"12345")
    thing = rough.create_object(purchasing_price=10)
    assert rough.post(f"/object/{thing}/add-file", [{"field-key": "documents", "file-uuid": file}]).status_code == 200
    (shown,) = plain(rough.read(f"/object/{thing}"))["documents"]
    assert shown == file
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
