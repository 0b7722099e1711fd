# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Additions of later versions of the service: objects by barcode, histories, reports, the catalog."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any
from urllib.parse import quote

import pytest

from .bodies import NOBODY, JsonMap, asset, code
from .support import Api

# by barcode


@pytest.mark.parametrize("barcode", ["A-1", "with space", "slash/inside", "per%cent", "Käse", "a?b#c&d=e", "..", "+1"])
def test_object_by_barcode(api: Api, barcode: str) -> None:
    barcode = f"{barcode}{code()}" if barcode != ".." else f"..{code()}"
    created = api.create_object(barcode=barcode)
    found = api.get(f"/object/by-barcode/{quote(barcode, safe='')}")
    assert found.status_code == 200
    assert found.json() == api.read(f"/object/{created}")


def test_barcode_finds_archived_objects(api: Api) -> None:
    created = api.create_object(barcode="ARCHIVED-1")
    api.post(f"/object/{created}/archive")
    assert api.read("/object/by-barcode/ARCHIVED-1")["asset_uuid"] == created


def test_barcode_that_nothing_has(api: Api) -> None:
    assert api.get("/object/by-barcode/nothing").status_code == 404


def test_barcode_of_a_deleted_object(api: Api) -> None:
    api.delete(f"/object/{api.create_object(barcode='GONE-1')}")
    assert api.get("/object/by-barcode/GONE-1").status_code == 404


# histories


class Story:
    """A kind of record with a history."""

    def __init__(self, path: str, key: str) -> None:
        self.path = path
        self.key = key

    @property
    def singular(self) -> str:
        return self.path.rpartition("/")[2].replace("-", "_")

    def create(self, api: Api) -> str:
        created: str = getattr(api, f"create_{self.singular}")()
        return created

    def change(self, api: Api, uuid: str) -> None:
        path = f"{self.path}/{uuid}"
        if self.singular == "task":
            response = api.put(path, api.task(title=code()))
        elif self.singular == "rental_case":
            response = api.put(path, api.rental_case(title=code()))
        else:
            key = {"object": "inventory_name", "person": "last_name"}.get(self.singular, "name")
            response = api.patch(path, {key: code()})
        assert response.status_code in (200, 204)

    def history(self, api: Api, uuid: str, query: str = "") -> JsonMap:
        found: JsonMap = api.read(f"{self.path}/{uuid}/history", query)
        return found


STORIES = [
    Story("/object", "asset_uuid"),
    Story("/room", "room_uuid"),
    Story("/location", "location_uuid"),
    Story("/person", "person_uuid"),
    Story("/task-management/task", "task_uuid"),
    Story("/rental-management/rental-case", "rental_case_uuid"),
]
each_story = pytest.mark.parametrize("story", STORIES, ids=lambda story: story.singular)


@each_story
def test_history_grows(api: Api, story: Story) -> None:
    created = story.create(api)
    before = story.history(api, created)
    assert {"items", "page", "per_page", "total"} == set(before)
    assert (before["page"], before["per_page"]) == (1, 50)
    assert before["total"] == len(before["items"]) >= 1
    for number in (1, 2):
        story.change(api, created)
        assert story.history(api, created)["total"] >= before["total"] + number


@each_story
def test_history_is_newest_first(api: Api, story: Story) -> None:
    created = story.create(api)
    for _number in range(3):
        story.change(api, created)
    times = [datetime.fromisoformat(entry["occurred_at"]) for entry in story.history(api, created)["items"]]
    assert all(time.tzinfo for time in times)
    assert times == sorted(times, reverse=True)


@each_story
def test_history_names_who_did_it(api: Api, story: Story) -> None:
    created = story.create(api)
    story.change(api, created)
    for entry in story.history(api, created)["items"]:
        assert entry["user_uuid"] == api.me()["uuid"]
        assert entry["event_name"]
        if story.singular != "object":
            assert entry[story.key] == created
            assert entry["details"] == "" or json.loads(entry["details"]) is not None


@each_story
def test_reading_leaves_no_trace(api: Api, story: Story) -> None:
    created = story.create(api)
    before = story.history(api, created)
    api.read(f"{story.path}/{created}")
    assert story.history(api, created) == before


@each_story
def test_histories_are_apart(api: Api, story: Story) -> None:
    created, other = story.create(api), story.create(api)
    before = story.history(api, other)
    story.change(api, created)
    assert story.history(api, other) == before


@each_story
def test_pages_of_a_history(api: Api, story: Story) -> None:
    created = story.create(api)
    for _number in range(4):
        story.change(api, created)
    everything = story.history(api, created)
    pages = [story.history(api, created, f"page={page}&per_page=2") for page in (1, 2)]
    assert [entry for page in pages for entry in page["items"]] == everything["items"][:4]
    assert {page["total"] for page in pages} == {everything["total"]}


@each_story
def test_history_of_nothing(api: Api, story: Story) -> None:
    assert api.get(f"{story.path}/{NOBODY}/history").status_code == 404
    assert api.get(f"{story.path}/x/history").status_code == 400


def test_object_history_reports_of_tasks_and_rental_cases(api: Api) -> None:
    created = api.create_object()
    api.create_task(references=[asset(created)])
    api.create_rental_case(references=[asset(created)])
    kinds = {entry["type"] for entry in api.read(f"/object/{created}/history")["items"]}
    assert kinds == {"asset", "task", "rental_case"}


# reports


def test_report_templates(api: Api) -> None:
    found = api.read("/report-template")
    assert isinstance(found, list)
    assert found
    assert all(set(entry) == {"uuid", "name"} for entry in found)


def report(api: Api, *things: str, template: Any = None) -> JsonMap:
    return {"report_template_uuid": template or api.read("/report-template")[0]["uuid"], "object_uuids": list(things)}


@pytest.mark.parametrize("accept", ["application/pdf", "*/*", None])
def test_report(api: Api, accept: str | None) -> None:
    things = [api.create_object(inventory_name=f"Thing № {number}") for number in range(2)]
    response = api.post("/report", report(api, *things), headers={"Accept": accept})
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/pdf"
    assert response.content.startswith(b"%PDF-")
    assert b"%%EOF" in response.content[-64:]


def test_report_as_something_else(api: Api) -> None:
    response = api.post("/report", report(api, api.create_object()), headers={"Accept": "application/json"})
    assert response.status_code == 406


def test_report_about_nothing(api: Api) -> None:
    assert api.post("/report", report(api, NOBODY)).status_code in (404, 422)
    assert api.post("/report", report(api, api.create_object(), template=NOBODY)).status_code in (404, 422)


# the catalog


def test_catalog_item(api: Api) -> None:
    before = api.read("/catalog-items")["total"]
    response = api.post("/catalog-item", {"fields": {"catalog_object_inventory_name": "Chair"}})
    assert (response.status_code, response.content) == (201, b"")
    path = f"/catalog-item/{response.headers['Location-UUID']}"
    item = api.read(path)
    assert item["uuid"] == response.headers["Location-UUID"]
    assert item["fields"]["catalog_object_inventory_name"] == "Chair"
    listed = api.read("/catalog-items", "per_page=1000")
    assert item in listed["items"]
    assert listed["total"] == before + 1
    changed = api.put(path, {"fields": {"catalog_object_inventory_name": "Stool"}})
    assert (changed.status_code, changed.content) == (204, b"")
    assert api.read(path)["fields"]["catalog_object_inventory_name"] == "Stool"
    assert api.put(path, item).status_code == 400
    assert api.put(path, {"fields": item["fields"]}).status_code == 204
    assert api.delete(path).status_code == 204
    assert api.get(path).status_code == 404
    assert api.delete(path).status_code == 404
