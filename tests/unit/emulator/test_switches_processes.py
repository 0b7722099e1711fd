# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The switches of users, files, tasks, rental cases and the circularity hub, with all of their sides."""

from __future__ import annotations

from typing import Any

from .bodies import Absent, asset, code
from .sides import every_side
from .support import Api, Steering

HUB = "/circularity-hub"
ADD = f"{HUB}/add-objects-to-circularity-hub"
TASK = "/task-management/task"
CASE = "/rental-management/rental-case"


# tokens and users


@every_side("revoke", "session", "user")
def test_revoke(api: Api, side: str) -> None:
    other = Api(api.about, api.steering)
    other.sign_in()
    assert api.delete("/auth_token").status_code == 204
    assert api.get("/users").status_code == 401
    assert other.get("/users").status_code == (200 if side == "session" else 401)
    refreshed = other.grant(grant_type="refresh_token", refresh_token=other.tokens["refresh_token"])
    assert refreshed.status_code == (200 if side == "session" else 401)


@every_side("wrong_password", "unauthorized", "bad_request")
def test_wrong_password(api: Api, side: str) -> None:
    response = api.grant(grant_type="password", username=api.about["username"], password="wrong")
    assert response.status_code == (401 if side == "unauthorized" else 400)


@every_side("refresh_rotation", "once_more", "single_use")
def test_refresh_rotation(api: Api, side: str) -> None:
    old = api.tokens["refresh_token"]
    found = [api.grant(grant_type="refresh_token", refresh_token=old).status_code for _number in range(3)]
    assert found == ([200, 200, 401] if side == "once_more" else [200, 401, 401])


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
    created = api.create_object(documents=[file])
    response = api.post(f"/object/{created}/add-file", [{"field-key": "documents", "file-uuid": file}])
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


@every_side("task_put_omitted", "clear", "keep")
def test_task_put_omitted(api: Api, side: str) -> None:
    created = api.create_task(comment="before", attachments=[api.upload()])
    api.put(f"{TASK}/{created}", api.task(comment=Absent, attachments=Absent))
    task = api.read(f"{TASK}/{created}")
    assert task["comment"] == (None if side == "clear" else "before")
    assert len(task["attachments"]) == (0 if side == "clear" else 1)


@every_side("task_notify", "when_true", "always")
def test_task_notify(api: Api, steering: Steering, side: str) -> None:
    created = api.create_task()
    before = len(steering.mails())
    api.put(f"{TASK}/{created}", api.task(notify=False))
    assert len(steering.mails()) == before + (0 if side == "when_true" else 1)


# rental cases


@every_side("rental_overdue_status", "accept", "refuse")
def test_rental_overdue_status(api: Api, side: str) -> None:
    for status in ("return_overdue", "pickup_overdue"):
        response = api.post(CASE, api.rental_case(status=status))
        assert response.status_code == (201 if side == "accept" else 400)
        created = api.create_rental_case(status="borrowed")
        response = api.put(f"{CASE}/{created}", api.rental_case(status=status))
        assert response.status_code == (204 if side == "accept" else 400)


@every_side("rental_overdue_status", "accept", "refuse")
def test_rental_overdue_status_is_written_back(api: Api, steering: Steering, side: str) -> None:
    """A client that replaces a rental case sends the status that it read."""
    steering.switch(rental_overdue="move")
    days = {"issue_date": "2020-01-01", "due_date": "2020-01-02"}
    for status, other in (("confirmed", "return_overdue"), ("borrowed", "pickup_overdue")):
        created = api.create_rental_case(status=status, **days)
        read = api.read(f"{CASE}/{created}")["status"]
        assert read.endswith("_overdue")
        for _turn in range(2):
            body = api.rental_case(title="Still out", status=read, **days)
            assert api.put(f"{CASE}/{created}", body).status_code == 204
            assert api.read(f"{CASE}/{created}")["status"] == read
        written = api.put(f"{CASE}/{created}", api.rental_case(status=other, **days)).status_code
        assert written == (204 if side == "accept" else 400)


@every_side("rental_overdue", "stay", "move")
def test_rental_overdue(api: Api, side: str) -> None:
    days = {"issue_date": "2020-01-01", "due_date": "2020-01-02"}
    for status, overdue in (
        ("confirmed", "pickup_overdue"),
        ("borrowed", "return_overdue"),
        ("completed", "completed"),
    ):
        created = api.create_rental_case(status=status, **days)
        assert api.read(f"{CASE}/{created}")["status"] == (status if side == "stay" else overdue)


@every_side("rental_day_form", "day", "time")
def test_rental_day_form(api: Api, side: str) -> None:
    case = api.read(f"{CASE}/{api.create_rental_case(issue_date='2031-05-20', due_date='2031-05-27')}")
    midnight = "" if side == "day" else " 00:00:00"
    assert (case["issue_date"], case["due_date"]) == (f"2031-05-20{midnight}", f"2031-05-27{midnight}")
    response = api.post(CASE, api.rental_case(issue_date="2031-05-20 10:30:00"))
    assert response.status_code == (400 if side == "day" else 201)
    if side == "time":
        created = response.headers["Location-UUID"]
        assert api.read(f"{CASE}/{created}")["issue_date"] == "2031-05-20 10:30:00"
        found = api.items(f"{CASE}s", "filter[issue_date][eq]=2031-05-20&per_page=1000")
        assert created in [case["uuid"] for case in found]
        for wrong in ("2031-02-30 10:00:00", "2031-05-20 25:00:00", "2031-05-20T10:00:00"):
            assert api.post(CASE, api.rental_case(issue_date=wrong)).status_code == 400


@every_side("rental_overlap", "accept", "refuse")
def test_rental_overlap(api: Api, side: str) -> None:
    thing = asset(api.create_object())
    first = api.create_rental_case(references=[thing], issue_date="2031-05-20", due_date="2031-05-27")

    def status(issue: str, due: str, **fields: Any) -> int:
        body = api.rental_case(references=[thing], issue_date=issue, due_date=due, **fields)
        response = api.post(CASE, body)
        if response.status_code == 201:
            api.delete(f"{CASE}/{response.headers['Location-UUID']}")
        return response.status_code

    refused = 201 if side == "accept" else 422
    for issue, due in (("2031-05-27", "2031-05-30"), ("2031-05-01", "2031-05-20"), ("2031-05-22", "2031-05-23")):
        assert status(issue, due) == refused
    for issue, due in (("2031-05-28", "2031-05-30"), ("2031-05-01", "2031-05-19")):
        assert status(issue, due) == 201
    assert status("2031-05-20", "2031-05-20", status="rejected") == 201
    evening = {"issue_at": "2031-05-27T20:00:00+00:00", "due_at": "2031-05-27T22:00:00+00:00"}
    assert status("2031-05-27", "2031-05-27", **evening) == refused
    morning = {"issue_at": "2031-05-28T00:00:00+00:00", "due_at": "2031-05-28T02:00:00+00:00"}
    assert status("2031-05-28", "2031-05-28", **morning) == 201
    # A case does not conflict with itself, and a completed case conflicts with none.
    body = api.rental_case(references=[thing], issue_date="2031-05-21", due_date="2031-05-28", status="completed")
    assert api.put(f"{CASE}/{first}", body).status_code == 204
    assert status("2031-05-22", "2031-05-23") == 201


# the circularity hub


def offer(api: Api, category: str = "category_furniture", **fields: Any) -> int:
    created = api.create_object(**{"purchasing_price": 10, **fields})
    return api.post(ADD, {created: {"category": category, "price": 1}}).status_code


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
