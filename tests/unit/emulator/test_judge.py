# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The judge of all answers finds mistakes in wrong answers, and none in correct answers."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
import requests

from .bodies import NOBODY, JsonMap
from .judge import PREFIX, complaints

RECORD: JsonMap = {
    "id": 1,
    "uuid": NOBODY,
    "location_uuid": NOBODY,
    "name": "Depot",
    "city": None,
    "created_at": "2031-05-20 10:00:00",
    "updated_at": "2031-05-20 10:00:00",
}
LIST: JsonMap = {"items": [RECORD], "page": 1, "per_page": 50, "total": 1}


def answer(
    body: Any, status: int = 200, method: str = "GET", path: str = "/locations", headers: dict[str, str] | None = None
) -> requests.Response:
    response = requests.Response()
    response.status_code = status
    response._content = b"" if body is None else json.dumps(body).encode()
    response.headers.update({"Content-Type": "application/json"} if headers is None else headers)
    response.request = requests.Request(method, f"http://127.0.0.1{PREFIX}{path}").prepare()
    return response


def test_right_answers() -> None:
    assert complaints(answer(LIST), {}) == []
    assert complaints(answer(RECORD, path=f"/location/{NOBODY}"), {}) == []
    assert complaints(answer({"message": "no"}, 404, path=f"/location/{NOBODY}"), {}) == []
    assert complaints(answer(None, 204, "DELETE", f"/location/{NOBODY}", {}), {}) == []
    headers = {"Location": "/x", "Location-UUID": NOBODY}
    assert complaints(answer(None, 201, "POST", "/location", headers), {}) == []


CHANGES: list[tuple[str, Any]] = [
    ("page", "1"),
    ("total", None),
    ("items", {}),
    ("extra", 1),
    ("items/0/id", "1"),
    ("items/0/uuid", "x"),
    ("items/0/name", 5),
    ("items/0/created_at", "2031-05-20T10:00:00+00:00"),
    ("items/0/city", []),
]


@pytest.mark.parametrize(("where", "value"), CHANGES, ids=str)
def test_wrong_bodies(where: str, value: Any) -> None:
    body = copy.deepcopy(LIST)
    *steps, last = [int(step) if step.isdigit() else step for step in where.split("/")]
    target: Any = body
    for step in steps:
        target = target[step]
    target[last] = value
    assert complaints(answer(body), {})


@pytest.mark.parametrize(
    "response",
    [
        answer([RECORD]),
        answer({"items": [RECORD]}),
        answer(None),
        answer(LIST, headers={"Content-Type": "text/html"}),
        answer(LIST, headers={}),
        answer(LIST, 201),
        answer({"detail": "no"}, 404, path=f"/location/{NOBODY}"),
        answer(None, 404, path=f"/location/{NOBODY}"),
        answer({}, 204, "DELETE", f"/location/{NOBODY}"),
        answer(None, 201, "POST", "/location", {"Location": "/x"}),
        answer(None, 201, "POST", "/location", {"Location": "/x", "Location-UUID": "x"}),
        answer(None, 201, "POST", "/location", {"Location-UUID": NOBODY}),
        answer({}, 201, "POST", "/location", {"Location": "/x", "Location-UUID": NOBODY}),
        answer(RECORD, 200, "PUT", f"/location/{NOBODY}"),
        answer({}, 200, path="/no/such/thing"),
    ],
    ids=lambda response: f"{response.request.method} {response.status_code}",
)
def test_wrong_answers(response: requests.Response) -> None:
    assert complaints(response, {})


def test_weather() -> None:
    assert complaints(answer([RECORD]), {"list_envelope": "array"}) == []
    assert complaints(answer(LIST), {"list_envelope": "array"})
    bare = {"list_total": "none", "list_echo": "none"}
    assert complaints(answer({"items": [RECORD]}), bare) == []
    assert complaints(answer({"items": [{"uuid": NOBODY, "fields": RECORD}]}), bare)
    both = {**bare, "record_shape": "uuid_fields"}
    assert complaints(answer({"items": [{"uuid": NOBODY, "fields": RECORD}]}), both) == []
    changed = answer(None, 204, "PATCH", f"/location/{NOBODY}", {})
    assert complaints(changed, {"patch_answer": "no_content"}) == []
    assert complaints(changed, {})
    history = answer({"message": "no"}, 404, path=f"/location/{NOBODY}/history")
    assert complaints(history, {"later_endpoints": "absent"}) == []
    assert complaints(answer(None, 404, headers={}), {"error_body": "empty"}) == []
