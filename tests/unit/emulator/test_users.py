# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sections 2.6 and 4.4 of the interface: users."""

from __future__ import annotations

import pytest

from .bodies import NOBODY
from .support import Api, Steering


def test_list(api: Api) -> None:
    found = api.read("/users")
    assert {"items", "page", "per_page", "sort_by", "order", "total"} <= set(found)
    assert (found["page"], found["per_page"], found["sort_by"], found["order"]) == (1, 50, "id", "asc")
    assert found["total"] == len(found["items"])


def test_user(api: Api) -> None:
    for user in api.items("/users"):
        assert set(user) == {"uuid", "id", "email", "firstname", "lastname", "display_name"}
        assert api.read(f"/user/{user['uuid']}") == user
        assert api.read(f"/user/by-id/{user['id']}") == user


def test_users_differ(api: Api, steering: Steering) -> None:
    for _number in range(3):
        steering.user()
    users = api.items("/users")
    for key in ("uuid", "id", "email"):
        assert len({user[key] for user in users}) == len(users)


@pytest.mark.parametrize("order", ["asc", "ASC", "desc", "DESC"])
@pytest.mark.parametrize("key", ["id", "email"])
def test_sort(api: Api, steering: Steering, key: str, order: str) -> None:
    for _number in range(3):
        steering.user()
    found = api.read("/users", f"sort_by={key}&order={order}")
    values = [user[key] for user in found["items"]]
    assert len(values) >= 4
    assert values == sorted(values, reverse=order.lower() == "desc")
    assert (found["sort_by"], found["order"]) == (key, order.lower())


def test_pages(api: Api, steering: Steering) -> None:
    for _number in range(3):
        steering.user()
    everyone = api.read("/users")
    pages = [api.read("/users", f"page={page}&per_page=2") for page in range(1, everyone["total"] // 2 + 2)]
    assert [user for page in pages for user in page["items"]] == everyone["items"]
    assert {page["total"] for page in pages} == {everyone["total"]}
    assert [page["page"] for page in pages] == list(range(1, len(pages) + 1))
    assert {page["per_page"] for page in pages} == {2}


@pytest.mark.parametrize("query", ["page=10000", "per_page=1000", "page=1&per_page=1&sort_by=email&order=desc"])
def test_bounds_of_the_query(api: Api, query: str) -> None:
    assert api.get("/users", query).status_code == 200


@pytest.mark.parametrize(("path", "status"), [(f"/user/{NOBODY}", 404), ("/user/by-id/999999", 404)])
def test_user_that_does_not_exist(api: Api, path: str, status: int) -> None:
    assert api.get(path).status_code == status


@pytest.mark.parametrize(
    "path", ["/user/x", "/user/1", "/user/by-id/x", "/user/by-id/-1", "/user/by-id/9007199254740993"]
)
def test_malformed_user(api: Api, path: str) -> None:
    assert api.get(path).status_code == 400


@pytest.mark.parametrize("method", ["PATCH", "PUT", "DELETE"])
def test_users_are_read_only(api: Api, method: str) -> None:
    user = api.items("/users")[0]
    assert api.request(method, f"/user/{user['uuid']}", json={"firstname": "x"}).status_code == 404
    assert api.post("/user", {"email": "x@example.org"}).status_code == 404
