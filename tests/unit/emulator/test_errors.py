# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Section 7 of the interface: errors."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .bodies import NOBODY, JsonMap
from .judge import PREFIX, Operation, operations
from .support import Api
from .test_tokens import named, path_of, valid_body

OPERATIONS = operations()
WITH_BODY = [operation for operation in OPERATIONS if operation.has_body and operation.id != "uploadFile"]
UUIDS = [operation for operation in OPERATIONS if any(name.endswith("Uuid") for name in operation.path_parameters)]
NUMBERS = [
    (operation, name)
    for operation in OPERATIONS
    for name in operation.path_parameters
    if name in ("identifier", "personId", "userId")
]
# The paths for which the interface lists the kind "representation".
PICKY = ["/objects", "/rooms", "/location/{location}", "/object/{object}", "/circularity-hub/orders"]
JSON = {"Content-Type": "application/json"}


def options(operation: Operation) -> JsonMap:
    return {"json": valid_body(operation)} if operation.has_body else {}


@pytest.mark.parametrize(
    "path", ["/nothing", "/object", "/objects/1/2/3", "/Objects", "/objects/", "//objects", "/auth_token/x"]
)
def test_unknown_path(api: Api, path: str) -> None:
    response = api.session.get(
        api.url(path), headers={"Authorization": f"Bearer {api.tokens['access_token']}"}, timeout=30
    )
    assert response.status_code == 404
    assert response.json()["message"]


def test_outside_of_the_prefix(api: Api) -> None:
    for path in ("/", "/customer-api/v2/objects", "/objects"):
        response = api.session.get(api.url("").removesuffix(PREFIX) + path, timeout=30)
        assert response.status_code == 404


@pytest.mark.parametrize("operation", WITH_BODY, ids=named)
def test_body_that_is_not_json(api: Api, operation: Operation) -> None:
    for data in (b"", b"{", b"nonsense", b"\xff", b'{"a": NaN}', b"[1,]", b'{"a":1}{"b":2}'):
        response = api.request(operation.method, path_of(operation), data=data, headers=JSON)
        assert response.status_code == 400, data
        assert response.json()["message"], data


@pytest.mark.parametrize("operation", WITH_BODY, ids=named)
def test_body_of_another_type(api: Api, operation: Operation) -> None:
    for body in (None, "text", 5, True):
        data = json.dumps(body).encode()
        response = api.request(operation.method, path_of(operation), data=data, headers=JSON)
        assert response.status_code == 400, data


@pytest.mark.parametrize("operation", [entry for entry in WITH_BODY if entry.id != "createToken"], ids=named)
def test_body_of_another_media_type(api: Api, operation: Operation) -> None:
    response = api.request(operation.method, path_of(operation), data=b"a=1", headers={"Content-Type": "text/plain"})
    assert response.status_code == 400


@pytest.mark.parametrize("operation", UUIDS, ids=named)
def test_malformed_uuid_in_the_path(api: Api, operation: Operation) -> None:
    for value in ("x", "123", "00000000-0000-4000-8000-00000000000g", "00000000000040008000000000000000"):
        path = path_of(operation).replace(NOBODY, value)
        assert value in path
        assert api.request(operation.method, path, **options(operation)).status_code == 400, value


@pytest.mark.parametrize(("operation", "name"), NUMBERS, ids=str)
@pytest.mark.parametrize("value", ["x", "1.5", "1e3", "+1", NOBODY])
def test_malformed_number_in_the_path(api: Api, operation: Operation, name: str, value: str) -> None:
    path = operation.path.removeprefix(PREFIX).replace(f"{{{name}}}", value)
    assert api.request(operation.method, path, **options(operation)).status_code == 400


@pytest.mark.parametrize("operation", UUIDS, ids=named)
def test_record_that_does_not_exist(api: Api, operation: Operation) -> None:
    assert api.request(operation.method, path_of(operation), **options(operation)).status_code == 404


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "image/png", "application/json;q=0", "text/*"])
@pytest.mark.parametrize("path", PICKY)
def test_no_acceptable_representation(api: Api, path: str, accept: str) -> None:
    created_path = path.format(object=api.create_object(), location=api.create_location())
    assert api.get(created_path, headers={"Accept": accept}).status_code == 406


@pytest.mark.parametrize(
    "accept", ["application/json", "*/*", "application/*", "text/html, */*;q=0.1", "application/json; charset=utf-8"]
)
@pytest.mark.parametrize("path", PICKY)
def test_acceptable_representation(api: Api, path: str, accept: str) -> None:
    created_path = path.format(object=api.create_object(), location=api.create_location())
    response = api.get(created_path, headers={"Accept": accept})
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("application/json")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", "/object/{object}", {"inventory_name": "After"}),
        ("POST", "/object/{object}/remove-file", []),
        ("POST", "/object/{object}/add-file", []),
        ("POST", "/location", {"name": "After"}),
        ("POST", "/circularity-hub/suggest-category", {}),
        ("POST", "/circularity-hub/orders", [1]),
        ("POST", "/persons/create-user", {"filter": {"email": {"eq": "x"}}}),
    ],
)
def test_nothing_is_done_without_an_acceptable_representation(api: Api, method: str, path: str, body: Any) -> None:
    created = api.create_object(inventory_name="Before")
    sites = api.count("/locations")
    response = api.request(method, path.format(object=created), json=body, headers={"Accept": "text/html"})
    assert response.status_code == 406
    assert api.read(f"/object/{created}")["inventory_name"] == "Before"
    assert api.count("/locations") == sites


def test_not_processable(api: Api) -> None:
    used = api.read(f"/object/{api.create_object()}")["barcode"]
    response = api.post("/object", {"inventory_name": "Twin", "barcode": used})
    assert response.status_code == 422
    assert response.json()["message"]


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"])
def test_method_that_is_not_offered(api: Api, method: str) -> None:
    response = api.session.request(
        method,
        api.url("/objects"),
        headers={"Authorization": f"Bearer {api.tokens['access_token']}"},
        timeout=30,
        hooks={},
    )
    assert response.status_code in (404, 405) if method != "HEAD" else response.status_code in (200, 404, 405)


def test_errors_say_what_is_wrong(api: Api) -> None:
    message = api.patch(f"/object/{api.create_object()}", {"no_such_field": 1}).json()["message"]
    assert "no_such_field" in message


def test_deep_nesting_is_an_error_of_the_client(api: Api) -> None:
    data = b"[" * 20_000 + b"]" * 20_000
    assert api.request("POST", "/object", data=data, headers=JSON).status_code == 400


def test_large_body_is_an_error_of_the_client(api: Api) -> None:
    body = {"inventory_name": "x" * 3_000_000, "no_such_field": 1, "barcode": "x"}
    assert api.post("/object", body).status_code in (400, 413, 422)


@pytest.mark.parametrize("number", ["1e999", "-1e999", "123456789012345678901234567890", "NaN", "Infinity"])
def test_odd_numbers(api: Api, number: str) -> None:
    data = f'{{"purchasing_price": {number}}}'.encode()
    created = api.create_object()
    status = api.request("PATCH", f"/object/{created}", data=data, headers=JSON).status_code
    assert status in (200, 400, 422)
    assert api.get(f"/object/{created}").status_code == 200


def test_lone_surrogate(api: Api) -> None:
    created = api.create_object()
    status = api.request("PATCH", f"/object/{created}", data=b'{"inventory_name": "\\ud800"}', headers=JSON).status_code
    assert status in (200, 400)
    assert api.get(f"/object/{created}").status_code == 200


def test_nul_in_a_text(api: Api) -> None:
    created = api.create_object()
    status = api.patch(f"/object/{created}", {"inventory_name": "a\x00b"}).status_code
    assert status in (200, 400)
    if status == 200:
        assert api.read(f"/object/{created}")["inventory_name"] == "a\x00b"
