# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sections 2.3 and 8 of the interface: the sizes and numbers of files, and the forms in which they are sent."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

import pytest

from .support import Api

LARGEST = 52_428_800


@pytest.mark.sample(1000)
@pytest.mark.parametrize(
    ("name", "size", "media_type", "status"),
    [
        ("n" * 255, 1, "text/plain", 201),
        ("n" * 256, 1, "text/plain", 400),
        ("n", 1, f"text/{'t' * 250}", 201),
        ("n", 1, f"text/{'t' * 251}", 400),
        ("n", 0, "text/plain", 400),
        ("n", LARGEST, "text/plain", 201),
        ("n", LARGEST + 1, "text/plain", 400),
    ],
    ids=[f"{index}" for index in range(7)],
)
def test_limits(api: Api, name: str, size: int, media_type: str, status: int) -> None:
    before = api.items("/files")
    response = api.request("POST", "/file", files={"data": (name, b"\x07" * size, media_type)})
    assert response.status_code == status
    if status == 201:
        assert api.read(f"/file/{response.headers['Location-UUID']}")["size"] == size
    else:
        assert api.items("/files") == before


def test_data_of_any_bytes(api: Api) -> None:
    data = bytes(range(256)) * 40
    assert api.get(f"/file/{api.upload('blob.bin', data)}/data").content == data


def test_the_list_has_the_newest_twenty(api: Api) -> None:
    uuids = [api.upload(f"{number}.txt") for number in range(22)]
    listed = [file["uuid"] for file in api.items("/files")]
    assert len(listed) == 20
    assert set(listed) == set(uuids[-20:])


def test_thumbnails_come_in_some_sizes(api: Api) -> None:
    path = f"/file/{api.upload()}/thumbnail"
    statuses = [api.get(path, f"width={width}&height=9").status_code for width in range(1, 100)]
    refused = statuses.index(422)
    assert statuses == [200] * refused + [422] * (99 - refused)


def test_attachments_of_a_task_have_no_limit(api: Api) -> None:
    files = [api.upload(f"{number}.txt") for number in range(30)]
    task = api.read(f"/task-management/task/{api.create_task(attachments=files)}")
    assert [file["uuid"] for file in task["attachments"]] == files


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
