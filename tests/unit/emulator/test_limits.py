# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Section 8 of the interface: the table of limits, tested on both sides of every limit."""

from __future__ import annotations

from typing import Any

import pytest

from .bodies import NOBODY, asset
from .support import Api

DAY = {"unit": "days", "value": 1}


@pytest.mark.parametrize(("count", "status"), [(0, 201), (1, 201), (2, 201), (3, 400), (10, 400)])
def test_task_reminders(api: Api, count: int, status: int) -> None:
    assert api.post("/task-management/task", api.task(reminders=[DAY] * count)).status_code == status
    created = api.create_task()
    replaced = api.put(f"/task-management/task/{created}", api.task(reminders=[DAY] * count)).status_code
    assert replaced == {201: 204}.get(status, status)


@pytest.mark.parametrize(("count", "status"), [(0, 400), (1, 201), (2, 400)])
def test_task_assignees(api: Api, count: int, status: int) -> None:
    body = {**api.task(), "assignees": [api.me()["uuid"]] * count}
    assert api.post("/task-management/task", body).status_code == status
    assert api.put(f"/task-management/task/{api.create_task()}", body).status_code == {201: 204}.get(status, status)


@pytest.mark.parametrize(("count", "status"), [(0, 400), (1, 201), (2, 201), (100, 201), (101, 400)])
def test_rental_references(api: Api, count: int, status: int) -> None:
    thing = asset(api.create_object())
    body = {**api.rental_case(), "references": [thing] * count}
    assert api.post("/rental-management/rental-case", body).status_code == status


@pytest.mark.parametrize(("size", "status"), [(0, 400), (1, 201), (1024, 201)])
def test_file_size(api: Api, size: int, status: int) -> None:
    response = api.request("POST", "/file", files={"data": ("x", b"x" * size, "text/plain")})
    assert response.status_code == status


@pytest.mark.parametrize(("length", "status"), [(1, 201), (255, 201), (256, 400)])
def test_file_name(api: Api, length: int, status: int) -> None:
    response = api.request("POST", "/file", files={"data": ("n" * length, b"x", "text/plain")})
    assert response.status_code == status


@pytest.mark.parametrize(("length", "status"), [(255, 201), (256, 400)])
def test_file_type(api: Api, length: int, status: int) -> None:
    media_type = "text/" + "t" * (length - 5)
    response = api.request("POST", "/file", files={"data": ("name", b"x", media_type)})
    assert response.status_code == status


def test_file_uris(api: Api) -> None:
    file = api.read(f"/file/{api.upload('n' * 255)}")
    assert 1 <= len(file["data_uri"]) <= 1000
    assert 1 <= len(file["thumbnail_uri"]) <= 1000


@pytest.mark.parametrize(
    ("path", "largest"),
    [
        ("/objects", 1_000_000),
        ("/rooms", 1_000_000),
        ("/locations", 1_000_000),
        ("/rental-management/rental-cases", 1_000_000),
        ("/circularity-hub/items", 1_000_000),
        ("/circularity-hub/orders", 1_000_000),
        ("/users", 10_000),
        ("/persons", 10_000),
    ],
)
def test_pages(api: Api, path: str, largest: int) -> None:
    for query, status in (
        (f"page={largest}", 200),
        (f"page={largest + 1}", 400),
        ("page=0", 400),
        ("per_page=1000", 200),
        ("per_page=1001", 400),
        ("per_page=0", 400),
    ):
        assert api.get(path, query).status_code == status, query


@pytest.mark.parametrize("value", ["2031-01-01T00:00:00+00:00", "31.12.2031", "2031-1-1", "", 20310101, None], ids=repr)
def test_days_are_days(api: Api, value: Any) -> None:
    assert api.post("/task-management/task", {**api.task(), "deadline": value}).status_code == 400
    for key in ("issue_date", "due_date"):
        assert api.post("/rental-management/rental-case", {**api.rental_case(), key: value}).status_code == 400


def test_access_token_lifetime(api: Api) -> None:
    api.steering.call("PUT", "/settings", {"access_token_seconds": 5})
    assert api.sign_in()["expires_in"] == 5


@pytest.mark.parametrize("count", [1, 30])
def test_attachments_of_a_task_have_no_limit(api: Api, count: int) -> None:
    files = [api.upload(f"{number}.txt") for number in range(count)]
    task = api.read(f"/task-management/task/{api.create_task(attachments=files)}")
    assert [file["uuid"] for file in task["attachments"]] == files
    assert NOBODY not in files
