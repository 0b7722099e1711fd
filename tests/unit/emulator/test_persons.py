# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sections 2.7 and 4.2 of the interface: the list of persons, and users created from persons."""

from __future__ import annotations

from typing import Any

import pytest

from .bodies import FORMS, JsonMap, code, in_brackets
from .support import Api, Steering


@pytest.fixture
def crew(api: Api) -> str:
    """Return a department with exactly four people."""
    department = code()
    for first, last in (("Dora", "Ash"), ("Bert", "Fir"), ("Cleo", "Elm"), ("Alan", "Oak")):
        api.create_person(
            first_name=first, last_name=last, department=department, email=f"{first}@{department}.example"
        )
    return department


def names(api: Api, query: str) -> list[str]:
    return [person["first_name"] for person in api.items("/persons", query)]


def test_envelope(api: Api) -> None:
    found = api.read("/persons")
    assert {"items", "page", "per_page", "sort_by", "order", "total"} <= set(found)
    assert (found["page"], found["per_page"]) == (1, 50)
    assert found["total"] == api.count("/persons")


@pytest.mark.parametrize("form", FORMS)
def test_filter(api: Api, crew: str, form: str) -> None:
    query = FORMS[form]({"department": {"eq": crew}, "first_name": {"in": ["Alan", "Cleo"]}})
    assert sorted(names(api, query)) == ["Alan", "Cleo"]
    assert api.count("/persons", query) == 2
    assert api.read("/persons", query)["total"] == 2


@pytest.mark.parametrize(("order", "expected"), [("asc", "Alan Bert Cleo Dora"), ("desc", "Dora Cleo Bert Alan")])
def test_sort_by(api: Api, crew: str, order: str, expected: str) -> None:
    found = api.read("/persons", f"filter[department][eq]={crew}&sort_by=first_name&order={order}")
    assert " ".join(person["first_name"] for person in found["items"]) == expected
    assert (found["sort_by"], found["order"]) == ("first_name", order)


@pytest.mark.parametrize(("order", "expected"), [("ASC", "Dora Cleo Bert Alan"), ("DESC", "Alan Bert Cleo Dora")])
def test_sort_by_key(api: Api, crew: str, order: str, expected: str) -> None:
    assert " ".join(names(api, f"filter[department][eq]={crew}&sort[last_name]={order}")) == expected


def test_pages(api: Api, crew: str) -> None:
    query = f"filter[department][eq]={crew}&sort_by=first_name&order=asc"
    assert names(api, f"{query}&page=1&per_page=3") == ["Alan", "Bert", "Cleo"]
    assert names(api, f"{query}&page=2&per_page=3") == ["Dora"]
    assert names(api, f"{query}&page=3&per_page=3") == []


def test_sort_by_a_field_that_does_not_exist(api: Api) -> None:
    assert api.get("/persons", "sort_by=no_such_field").status_code == 400


# users from persons


def test_create_user(api: Api, steering: Steering) -> None:
    email = f"{code()}@example.org"
    person = api.create_person(first_name="Grace", last_name="Hopper", email=email)
    before = api.read("/users")["total"]
    response = api.post("/persons/create-user", {"filter": {"email": {"eq": email}}})
    assert response.status_code == 201
    assert response.content == b""
    assert "Location" not in response.headers
    users = [user for user in api.items("/users", "per_page=1000") if user["email"] == email]
    assert [(user["firstname"], user["lastname"]) for user in users] == [("Grace", "Hopper")]
    assert api.read("/users")["total"] == before + 1
    assert api.read(f"/person/{person}")["user_uuid"] == users[0]["uuid"]
    assert [mail for mail in steering.mails() if email in str(mail)]


def test_create_users_for_several_persons(api: Api, steering: Steering, crew: str) -> None:
    assert api.post("/persons/create-user", {"filter": {"department": {"eq": crew}}}).status_code == 201
    users = [user for user in api.items("/users", "per_page=1000") if user["email"].endswith(f"@{crew}.example")]
    assert sorted(user["firstname"] for user in users) == ["Alan", "Bert", "Cleo", "Dora"]
    assert len([mail for mail in steering.mails() if f"@{crew}.example" in str(mail)]) == 4


def test_create_user_for_nobody(api: Api, steering: Steering) -> None:
    before, mails = api.read("/users")["total"], steering.mails()
    assert api.post("/persons/create-user", {"filter": {"email": {"eq": "nobody"}}}).status_code == 404
    assert api.read("/users")["total"] == before
    assert steering.mails() == mails


def test_one_user_for_one_address(api: Api, steering: Steering) -> None:
    email = f"{code()}@example.org"
    api.create_person(email=email)
    body = {"filter": {"email": {"eq": email}}}
    assert api.post("/persons/create-user", body).status_code == 201
    before, mails = api.read("/users")["total"], len(steering.mails())
    api.post("/persons/create-user", body)
    assert api.read("/users")["total"] == before
    assert len(steering.mails()) == mails


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        None,
        {"filter": None},
        {"filter": "x"},
        {"filter": {"email": "x"}},
        {"filter": {"email": {"is": "x"}}},
        {"filter": {"no_such_field": {"eq": "x"}}},
        {"filter": {"email": {"eq": "x"}}, "sort": {}},
        {"email": {"eq": "x"}},
    ],
    ids=str,
)
def test_wrong_selection(api: Api, body: Any) -> None:
    before = api.read("/users")["total"]
    assert api.request("POST", "/persons/create-user", json=body).status_code == 400
    assert api.read("/users")["total"] == before


def test_selection_can_be_tried_with_the_list(api: Api, crew: str) -> None:
    conditions: JsonMap = {"department": {"eq": crew}, "last_name": {"like": ["i"]}}
    assert names(api, in_brackets(conditions)) == ["Bert"]
    api.post("/persons/create-user", {"filter": conditions})
    users = [user for user in api.items("/users", "per_page=1000") if user["email"].endswith(f"@{crew}.example")]
    assert [user["firstname"] for user in users] == ["Bert"]
