# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sections 2.4, 3.2 and 4.6 of the interface: rental cases."""

from __future__ import annotations

from typing import Any

import pytest

from .bodies import FORMS, NOBODY, Absent, JsonMap, asset, code, in_brackets, last_segment
from .support import Api, Steering

CASE = "/rental-management/rental-case"
CASES = "/rental-management/rental-cases"
STATES = ["requested", "confirmed", "borrowed", "rejected", "completed", "return_overdue", "pickup_overdue"]
TWO_DAYS = {"unit": "days", "value": 2}


def test_create(api: Api) -> None:
    response = api.post(CASE, api.rental_case())
    assert response.status_code == 201
    assert response.content == b""
    created = response.headers["Location-UUID"]
    assert last_segment(response.headers["Location"]) == created
    assert api.read(f"{CASE}/{created}")["uuid"] == created


def test_rental_case(api: Api) -> None:
    things = [api.create_object(), api.create_object()]
    note = api.upload("note.txt", b"12345")
    body = api.rental_case(
        title="Party",
        status="confirmed",
        references=[asset(thing) for thing in things],
        issue_date_reminder=TWO_DAYS,
        due_date_reminder={"unit": "weeks", "value": 0},
        comment="with care",
        attachments=[note],
    )
    case = api.read(f"{CASE}/{api.create(CASE, body)}")
    same = set(body) - {"references", "attachments"}
    assert {key: case[key] for key in same} == {key: body[key] for key in same}
    assert [(entry["type"], entry["uuid"]) for entry in case["references"]] == [("asset", thing) for thing in things]
    (file,) = case["attachments"]
    assert set(file) == {"uuid", "name", "type", "size", "data_uri", "thumbnail_uri"}
    assert (file["uuid"], file["size"]) == (note, 5)


def test_list(api: Api) -> None:
    created = api.create_rental_case(attachments=[api.upload("note.txt", b"12345")])
    found = api.read(CASES, "per_page=1000")
    (listed,) = [case for case in found["items"] if case["uuid"] == created]
    assert listed == api.read(f"{CASE}/{created}")
    assert listed["attachments"][0]["size"] == 5


@pytest.mark.parametrize("status", STATES)
def test_status_on_create(api: Api, status: str) -> None:
    assert api.read(f"{CASE}/{api.create_rental_case(status=status)}")["status"] == status


def test_status_may_be_absent(api: Api) -> None:
    assert api.read(f"{CASE}/{api.create_rental_case()}")["status"] in STATES


def test_renter_is_text_or_a_user(api: Api) -> None:
    for renter in ({"type": "plain", "value": "A neighbour"}, {"type": "user", "value": api.me()["uuid"]}):
        assert api.read(f"{CASE}/{api.create_rental_case(renter=renter)}")["renter"] == renter


def test_renter_may_be_absent(api: Api) -> None:
    assert api.read(f"{CASE}/{api.create_rental_case(renter=Absent)}")["renter"] is None


@pytest.mark.parametrize("key", ["issue_date_reminder", "due_date_reminder"])
@pytest.mark.parametrize("value", [None, Absent, {"unit": "days", "value": 0}, TWO_DAYS], ids=repr)
def test_reminder(api: Api, key: str, value: Any) -> None:
    case = api.read(f"{CASE}/{api.create_rental_case(**{key: value})}")
    assert case.get(key) == (None if value is Absent else value)


@pytest.mark.parametrize("value", [None, "", "text", Absent], ids=repr)
def test_comment(api: Api, value: Any) -> None:
    case = api.read(f"{CASE}/{api.create_rental_case(comment=value)}")
    assert case.get("comment") == (None if value is Absent else value)


@pytest.mark.parametrize(
    "change", [{"references": [asset(NOBODY)]}, {"responsible_user_uuid": NOBODY}, {"attachments": [NOBODY]}], ids=str
)
def test_pointing_at_nothing(api: Api, change: JsonMap) -> None:
    assert api.post(CASE, {**api.rental_case(), **change}).status_code in (400, 404, 422)


@pytest.mark.parametrize(("count", "status"), [(1, 201), (100, 201), (101, 400), (0, 400)])
def test_number_of_references(api: Api, count: int, status: int) -> None:
    things = [asset(api.create_object()) for _number in range(min(count, 3))]
    references = (things * 50)[:count]
    assert api.post(CASE, api.rental_case(references=references)).status_code == status


# replacing


def test_replace(api: Api) -> None:
    created = api.create_rental_case(comment="before", due_date_reminder=TWO_DAYS)
    thing = api.create_object()
    body = api.rental_case(
        title="After",
        status="borrowed",
        issue_date="2032-01-01",
        due_date="2032-01-09",
        references=[asset(thing)],
        issue_date_reminder=TWO_DAYS,
        due_date_reminder=None,
        renter={"type": "user", "value": api.me()["uuid"]},
        comment="after",
    )
    response = api.put(f"{CASE}/{created}", body)
    assert (response.status_code, response.content) == (204, b"")
    case = api.read(f"{CASE}/{created}")
    same = set(body) - {"references", "attachments"}
    assert {key: case[key] for key in same} == {key: body[key] for key in same}
    assert [entry["uuid"] for entry in case["references"]] == [thing]
    assert case["uuid"] == created


def test_replace_without_a_status_keeps_it(api: Api) -> None:
    created = api.create_rental_case(status="borrowed")
    assert api.put(f"{CASE}/{created}", api.rental_case(title="After")).status_code == 204
    case = api.read(f"{CASE}/{created}")
    assert (case["title"], case["status"]) == ("After", "borrowed")


def test_replace_clears_what_is_absent(api: Api) -> None:
    created = api.create_rental_case(issue_date_reminder=TWO_DAYS, attachments=[api.upload()])
    api.put(f"{CASE}/{created}", api.rental_case(renter=Absent, comment=Absent))
    case = api.read(f"{CASE}/{created}")
    assert (case["issue_date_reminder"], case["renter"], case["comment"], case["attachments"]) == (None, None, None, [])


def test_change_is_not_offered(api: Api) -> None:
    assert api.patch(f"{CASE}/{api.create_rental_case()}", {"title": "x"}).status_code == 404


def test_delete(api: Api) -> None:
    created = api.create_rental_case()
    response = api.delete(f"{CASE}/{created}")
    assert (response.status_code, response.content) == (204, b"")
    assert api.get(f"{CASE}/{created}").status_code == 404
    assert created not in [case["uuid"] for case in api.items(CASES, "per_page=1000")]


@pytest.mark.parametrize("form", FORMS)
def test_filter_and_sort(api: Api, form: str) -> None:
    mark = code()
    for name, status in (("b", "borrowed"), ("a", "confirmed"), ("c", "borrowed")):
        api.create_rental_case(title=f"{mark} {name}", status=status)
    conditions: JsonMap = {"title": {"like": [mark]}, "status": {"eq": "borrowed"}}
    found = api.items(CASES, f"{FORMS[form](conditions)}&sort[title]=DESC")
    assert [case["title"] for case in found] == [f"{mark} c", f"{mark} b"]


def test_filter_by_what_is_there(api: Api) -> None:
    mark, file = code(), api.upload()
    api.create_rental_case(title=f"{mark} bare")
    api.create_rental_case(title=f"{mark} full", due_date_reminder=TWO_DAYS, attachments=[file])
    for key in ("due_date_reminder", "attachments", "issue_date_reminder"):
        for operator in ("empty", "not_empty"):
            found = api.items(CASES, in_brackets({"title": {"like": [mark]}, key: {operator: ""}}))
            without = {"bare", "full"} if key == "issue_date_reminder" else {"bare"}
            expected = without if operator == "empty" else {"bare", "full"} - without
            assert {case["title"].removeprefix(f"{mark} ") for case in found} == expected, (key, operator)
    assert [case["title"] for case in api.items(CASES, f"filter[attachments][eq]={file}")] == [f"{mark} full"]


def test_module_that_is_off(api: Api, steering: Steering) -> None:
    created = api.create_rental_case()
    body = api.rental_case()
    steering.call("PUT", "/settings", {"modules_off": ["rental"]})
    for response in (
        api.get(CASES),
        api.get(f"{CASE}/{created}"),
        api.post(CASE, body),
        api.put(f"{CASE}/{created}", body),
        api.delete(f"{CASE}/{created}"),
    ):
        assert response.status_code == 403
        assert response.json() == {"message": "The required feature for this endpoint is not active"}
    steering.call("PUT", "/settings", {"modules_off": []})
    assert api.get(f"{CASE}/{created}").status_code == 200
