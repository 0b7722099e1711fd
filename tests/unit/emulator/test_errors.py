# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Section 7 of the interface: errors of every operation of the description."""

from __future__ import annotations

from typing import Any

import pytest

from .bodies import NOBODY, JsonMap
from .judge import PREFIX, Operation, named, operations, path_of, valid_body
from .support import Api, Steering

OPERATIONS = operations()
GUARDED = [operation for operation in OPERATIONS if operation.needs_token]
WITH_BODY = [operation for operation in OPERATIONS if operation.has_body and operation.id != "uploadFile"]
UUIDS = [operation for operation in OPERATIONS if any(name.endswith("Uuid") for name in operation.path_parameters)]
NUMBERS = [
    (operation, name)
    for operation in OPERATIONS
    for name in operation.path_parameters
    if name in ("identifier", "personId", "userId")
]
JSON = {"Content-Type": "application/json"}
MODULES = {"rental": "/rental-management/", "hub": "/circularity-hub/", "catalog": "/catalog-item"}


def options(operation: Operation) -> JsonMap:
    return {"json": valid_body(operation)} if operation.has_body else {}


def test_outside_of_the_prefix(api: Api) -> None:
    for path in ("/", "/customer-api/v2/objects", "/objects"):
        response = api.session.get(api.url("").removesuffix(PREFIX) + path, timeout=30)
        assert response.status_code == 404


@pytest.mark.parametrize("operation", WITH_BODY, ids=named)
def test_body_that_is_not_json(api: Api, operation: Operation) -> None:
    for data in (b"", b"{", b"nonsense", b"\xff", b'{"a": NaN}', b"[1,]", b'{"a":1}{"b":2}', b"[" * 20_000):
        response = api.request(operation.method, path_of(operation), data=data, headers=JSON)
        assert response.status_code == 400, data
        assert response.json()["message"], data


@pytest.mark.parametrize("operation", [entry for entry in WITH_BODY if entry.id != "createToken"], ids=named)
def test_body_of_another_media_type(api: Api, operation: Operation) -> None:
    response = api.request(operation.method, path_of(operation), data=b"a=1", headers={"Content-Type": "text/plain"})
    assert response.status_code == 400


@pytest.mark.parametrize("operation", UUIDS, ids=named)
def test_uuid_in_the_path(api: Api, operation: Operation) -> None:
    assert api.request(operation.method, path_of(operation), **options(operation)).status_code == 404
    for value in ("x", "123", "00000000-0000-4000-8000-00000000000g", "00000000000040008000000000000000"):
        path = path_of(operation).replace(NOBODY, value)
        assert value in path
        assert api.request(operation.method, path, **options(operation)).status_code == 400, value


@pytest.mark.parametrize(("operation", "name"), NUMBERS, ids=str)
@pytest.mark.parametrize("value", ["x", "1.5", "1e3", "+1", NOBODY])
def test_malformed_number_in_the_path(api: Api, operation: Operation, name: str, value: str) -> None:
    path = operation.path.removeprefix(PREFIX).replace(f"{{{name}}}", value)
    assert api.request(operation.method, path, **options(operation)).status_code == 400


@pytest.mark.parametrize("headers", [{"Authorization": None}, {"Authorization": "Bearer " + "0" * 40}], ids=str)
def test_without_a_valid_token(api: Api, headers: dict[str, Any]) -> None:
    for operation in GUARDED:
        response = api.request(operation.method, path_of(operation), headers=headers)
        assert response.status_code == 401, named(operation)
        assert response.json()["message"], named(operation)


def test_without_the_right(api: Api, steering: Steering) -> None:
    """A valid token without the right to the operation is answered with the permission error."""
    api.sign_in(**steering.user(rights=[]))
    for operation in GUARDED:
        if operation.id != "revokeTokens":
            response = api.request(operation.method, path_of(operation), **options(operation))
            assert response.status_code == 403, named(operation)
            assert response.json()["message"], named(operation)


@pytest.mark.parametrize("module", MODULES)
def test_module_that_is_off(api: Api, steering: Steering, module: str) -> None:
    steering.call("PUT", "/settings", {"modules_off": [module]})
    of_module = [entry for entry in OPERATIONS if entry.path.startswith(PREFIX + MODULES[module])]
    assert len(of_module) >= 5
    for operation in of_module:
        response = api.request(operation.method, path_of(operation), **options(operation))
        assert response.status_code == 403, named(operation)
        assert response.json() == {"message": "The required feature for this endpoint is not active"}


def test_large_body_is_an_error_of_the_client(api: Api) -> None:
    body = {"inventory_name": "x" * 3_000_000, "no_such_field": 1, "barcode": "x"}
    assert api.post("/object", body).status_code in (400, 413, 422)
