# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sections 2.3, 4.2 and 8 of the interface: files, and files in attachment fields."""

from __future__ import annotations

import base64
import io
import socket
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest

from .bodies import JsonMap, code
from .support import Api

LARGEST = 52_428_800
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def post(api: Api, files: Any) -> Any:
    return api.request("POST", "/file", files=files)


def test_upload(api: Api) -> None:
    response = post(api, {"data": ("note.txt", io.BytesIO(b"12345"), "text/plain")})
    assert response.status_code == 201
    assert response.content == b""
    created = response.headers["Location-UUID"]
    assert created in response.headers["Location"]


def test_file(api: Api) -> None:
    uuid = api.upload("note.txt", b"12345", "text/plain")
    file = api.read(f"/file/{uuid}")
    assert (file["uuid"], file["name"], file["type"], file["size"]) == (uuid, "note.txt", "text/plain", 5)
    assert file["creator_id"] == api.tokens["user_id"]
    assert file["created_at"].endswith("+00:00")


@pytest.mark.parametrize(
    "data", [b"x", b"\x00\xff\r\n--boundary\r\n", bytes(range(256)) * 40, PIXEL], ids=["one", "odd", "all", "image"]
)
def test_download(api: Api, data: bytes) -> None:
    uploaded = api.upload("blob.bin", data, "application/octet-stream")
    response = api.get(f"/file/{uploaded}/data")
    assert response.status_code == 200
    assert response.content == data
    assert api.read(f"/file/{uploaded}")["size"] == len(data)


def test_uris_lead_to_the_bytes(api: Api) -> None:
    uploaded = api.upload("note.txt", b"12345")
    file = api.read(f"/file/{uploaded}")
    headers = {"Authorization": f"Bearer {api.tokens['access_token']}"}
    assert api.session.get(urljoin(api.url("/"), file["data_uri"]), headers=headers, timeout=30).content == b"12345"
    shown = api.session.get(urljoin(api.url("/"), file["thumbnail_uri"]), headers=headers, timeout=30)
    assert shown.status_code == 200


@pytest.mark.parametrize("accept", [None, "*/*", "application/octet-stream"])
def test_download_accepts(api: Api, accept: str | None) -> None:
    uploaded = api.upload("note.txt", b"12345", "text/plain")
    assert api.get(f"/file/{uploaded}/data", headers={"Accept": accept}).status_code == 200


@pytest.mark.parametrize(
    ("accept", "shown"),
    [
        (None, "application/octet-stream"),
        ("*/*", "application/octet-stream"),
        ("application/octet-stream", "application/octet-stream"),
        ("text/plain", "text/plain"),
        ("text/*, */*;q=0.5", "text/plain"),
    ],
    ids=str,
)
def test_download_is_octets_unless_its_type_is_asked_for(api: Api, accept: str | None, shown: str) -> None:
    uploaded = api.upload("note.txt", b"12345", "text/plain")
    assert api.get(f"/file/{uploaded}/data", headers={"Accept": accept}).headers["Content-Type"] == shown


@pytest.mark.parametrize(
    ("data", "media_type"), [(PIXEL, "image/png"), (b"words", "text/plain")], ids=["image", "text"]
)
def test_thumbnail_is_an_image(api: Api, data: bytes, media_type: str) -> None:
    uploaded = api.upload("file", data, media_type)
    response = api.get(f"/file/{uploaded}/thumbnail")
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("image/")
    assert response.content.startswith((b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8"))


@pytest.mark.parametrize("name", ["Käse.txt", "a b.txt", "quote'.txt", "x" * 255, "no-extension"])
def test_name(api: Api, name: str) -> None:
    assert api.read(f"/file/{api.upload(name)}")["name"] == name


def test_name_that_is_too_long(api: Api) -> None:
    assert post(api, {"data": ("x" * 256, io.BytesIO(b"1"), "text/plain")}).status_code == 400


def test_list_has_the_newest_twenty(api: Api) -> None:
    uuids = [api.upload(f"{number}.txt") for number in range(22)]
    listed = [file["uuid"] for file in api.items("/files")]
    assert len(listed) == 20
    assert set(listed) == set(uuids[-20:])


def test_listed_file_is_the_read_file(api: Api) -> None:
    uploaded = api.upload()
    assert api.read(f"/file/{uploaded}") in api.items("/files")


def test_largest_file(api: Api) -> None:
    uploaded = api.upload("large.bin", b"\x07" * LARGEST, "application/octet-stream")
    assert api.read(f"/file/{uploaded}")["size"] == LARGEST


@pytest.mark.parametrize("size", [0, LARGEST + 1])
def test_size_out_of_bounds(api: Api, size: int) -> None:
    before = api.items("/files")
    assert post(api, {"data": ("x.bin", io.BytesIO(b"\x07" * size), "application/octet-stream")}).status_code == 400
    assert api.items("/files") == before


def test_part_of_another_name(api: Api) -> None:
    assert post(api, {"file": ("note.txt", io.BytesIO(b"12345"), "text/plain")}).status_code == 400


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (b"", "multipart/form-data; boundary=x"),
        (b"nonsense", "multipart/form-data; boundary=x"),
        (b"nonsense", "multipart/form-data"),
        (b'{"data": "x"}', "application/json"),
        (b"12345", "text/plain"),
    ],
    ids=repr,
)
def test_body_that_is_no_form(api: Api, data: bytes, media_type: str) -> None:
    assert api.request("POST", "/file", data=data, headers={"Content-Type": media_type}).status_code == 400


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"Content-Disposition: form-data\r\n",
        b'Content-Disposition: form-data; name="other"\r\n',
        b'Content-Disposition: form-data; name="q\xff"\r\n',
        b'Content-Disposition: form-data; name="q\x00"\r\n',
        b'Content-Disposition: form-data; name="q\xc2\x9c"\r\n',
    ],
    ids=repr,
)
def test_part_with_an_odd_head(api: Api, head: bytes) -> None:
    data = b"--x\r\n" + head + b"\r\n12345\r\n--x--\r\n"
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    assert api.request("POST", "/file", data=data, headers=headers).status_code == 400


def test_nothing_deletes_a_file(api: Api) -> None:
    assert api.delete(f"/file/{api.upload()}").status_code == 404


# files in attachment fields


def pair(key: str, file: str) -> JsonMap:
    return {"field-key": key, "file-uuid": file}


def attached(api: Api, thing: str, key: str = "documents") -> list[str]:
    return [file["uuid"] for file in api.read(f"/object/{thing}")[key] or []]


def test_add_files(api: Api) -> None:
    thing, files = api.create_object(), [api.upload("a.txt"), api.upload("b.txt")]
    response = api.post(f"/object/{thing}/add-file", [pair("documents", file) for file in files])
    assert (response.status_code, response.content) == (200, b"")
    assert attached(api, thing) == files


def test_add_keeps_what_is_there(api: Api) -> None:
    thing, first, second = api.create_object(), api.upload(), api.upload()
    api.post(f"/object/{thing}/add-file", [pair("documents", first)])
    api.post(f"/object/{thing}/add-file", [pair("documents", second)])
    assert attached(api, thing) == [first, second]


def test_add_to_another_field(api: Api) -> None:
    key = api.define("ATTACHMENT")["field_key"]
    thing, file = api.create_object(), api.upload()
    assert api.post(f"/object/{thing}/add-file", [pair(key, file)]).status_code == 200
    assert attached(api, thing, key) == [file]
    assert attached(api, thing) == []


def test_remove_files(api: Api) -> None:
    files = [api.upload(), api.upload()]
    thing = api.create_object(documents=files)
    response = api.post(f"/object/{thing}/remove-file", [pair("documents", files[0])])
    assert (response.status_code, response.content) == (200, b"")
    assert attached(api, thing) == files[1:]
    assert api.get(f"/file/{files[0]}").status_code == 200


def test_add_what_is_there_already(api: Api) -> None:
    files = [api.upload(), api.upload()]
    thing = api.create_object(documents=files[:1])
    response = api.post(f"/object/{thing}/add-file", [pair("documents", file) for file in files])
    assert response.status_code == 207
    assert isinstance(response.json(), list)
    assert all(isinstance(entry, str) for entry in response.json())
    assert any(files[0] in entry or "already" in entry for entry in response.json())
    assert attached(api, thing) == files


def test_remove_what_does_not_exist(api: Api) -> None:
    files = [api.upload(), api.upload()]
    thing = api.create_object(documents=files[:1])
    response = api.post(f"/object/{thing}/remove-file", [pair("documents", file) for file in files])
    assert response.status_code == 207
    assert all(isinstance(entry, str) for entry in response.json())
    assert attached(api, thing) == []


@pytest.mark.parametrize("key", ["no_such_field", "inventory_name"])
def test_field_that_accepts_no_files(api: Api, key: str) -> None:
    thing = api.create_object(inventory_name=code())
    before = api.read(f"/object/{thing}")
    assert api.post(f"/object/{thing}/add-file", [pair(key, api.upload())]).status_code in (207, 400, 404, 422)
    assert api.read(f"/object/{thing}") == before


def test_client_that_asks_before_it_sends(api: Api) -> None:
    """The client sends Expect: 100-continue, like curl with large bodies."""
    address = urlsplit(api.url(""))
    head = [
        "POST /customer-api/v1/location HTTP/1.1",
        f"Host: {address.netloc}",
        f"Authorization: Bearer {api.tokens['access_token']}",
        "Content-Type: application/json",
        "Content-Length: 15",
        "Expect: 100-continue",
        "Connection: close",
    ]
    with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
        connection.sendall("\r\n".join([*head, "", ""]).encode())
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b'{"name":"Site"}')
        assert connection.recv(100).startswith(b"HTTP/1.1 201 ")
