# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A service with endless answers: each answer costs limited time and memory, and leads to a clear error."""

from __future__ import annotations

import gc
import http.server
import itertools
import json
import socket
import subprocess
import sys
import threading
import time
import uuid
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from project import ROOT

from ansible_collections.community.seventhings.plugins.module_utils.client.attempts import Effect
from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.connection import connect
from ansible_collections.community.seventhings.plugins.module_utils.client.files import download
from ansible_collections.community.seventhings.plugins.module_utils.client.limits import (
    LimitExceeded,
    Limits,
    ListLimit,
)
from ansible_collections.community.seventhings.plugins.module_utils.errors import (
    IncompleteList,
    OutcomeUnknown,
    SeventhingsError,
    service_words,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS

LOCATION = KINDS["location"]
FILE = "0b6f1f6e-30a1-4a3c-9b53-4d0f2f0f1c11"
MEBIBYTE = b" " * (1 << 20)
_DRIP_SECONDS = 0.02


def _record(number: int) -> dict[str, Any]:
    return {"location_uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, str(number))), "id": number, "name": str(number)}


class _Hostile(http.server.BaseHTTPRequestHandler):
    """A service whose answers depend on the first segment of the path, which is the end of the client's root."""

    protocol_version = "HTTP/1.1"
    over: threading.Event

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        self.rfile.read(length)
        mode = self.path.split("/")[1]
        try:
            getattr(self, f"_{mode}")()
        except OSError:
            self.close_connection = True

    do_POST = do_PATCH = do_GET

    def _json(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def _unbounded(self, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def _bomb(self, status: int = 200, **headers: str) -> None:
        """Answer with 1.5 GB of spaces as 1.5 MB of gzip."""
        self._unbounded(status, Content_Encoding="gzip", **headers)
        self.wfile.write(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03")
        packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
        block = packer.compress(MEBIBYTE) + packer.flush(zlib.Z_FULL_FLUSH)
        for _mebibyte in range(1500):
            self.wfile.write(block)

    def _redirect(self) -> None:
        """Answer with a redirect and a bomb."""
        self._bomb(302, Location="/x")

    def _chunk(self) -> None:
        """Answer with a chunk of impossible length, without an end."""
        self._unbounded(Transfer_Encoding="chunked")
        self.wfile.write(b"-1\r\n")
        for _mebibyte in range(1500):
            self.wfile.write(MEBIBYTE)

    def _maps(self) -> None:
        self._json(b"[" + b"{}," * 600_000 + b"{}]")

    def _plain(self) -> None:
        self._unbounded()
        for _mebibyte in range(1500):
            self.wfile.write(MEBIBYTE)

    def _drip(self) -> None:
        """Answer with a whole head, then a byte at a time."""
        self._unbounded()
        self._drop(itertools.repeat(b" "))

    def _head(self) -> None:
        """Answer with a head that does not end."""
        self._drop(itertools.chain((bytes([byte]) for byte in b"HTTP/1.1 200 OK\r\nX-Long: "), itertools.repeat(b"x")))

    def _refusal(self) -> None:
        self.send_response(422)
        self.end_headers()
        self._drop(itertools.repeat(b"<"))

    def _drop(self, content: Iterator[bytes]) -> None:
        while not self.over.wait(_DRIP_SECONDS):
            self.wfile.write(next(content))
            self.wfile.flush()

    def _endless(self) -> None:
        """Answer with new records on every page, and no total."""
        page = next(int(part[5:]) for part in self.path.partition("?")[2].split("&") if part.startswith("page="))
        self._json(json.dumps([_record(page * 1000 + number) for number in range(1000)]).encode())

    def _endless_and_wide(self) -> None:
        page = next(int(part[5:]) for part in self.path.partition("?")[2].split("&") if part.startswith("page="))
        rest = ", ".join(f'"field_{number}": "value {number} of {page}"' for number in range(12))
        records = (f'{{"location_uuid": "{uuid.UUID(int=page * 1000 + number)}", {rest}}}' for number in range(1000))
        self._json(f"[{', '.join(records)}]".encode())

    def _total(self) -> None:
        self._json(json.dumps({"items": [_record(1)], "total": 10**12}).encode())

    def _deep(self) -> None:
        self._json(b'{"items": ' + b"[" * 100_000)

    def _wide(self) -> None:
        """Answer with a record with a million fields, in each list and by itself."""
        fields = ", ".join(f'"field {number}": 0' for number in range(800_000))
        record = f'{{"location_uuid": "{FILE}", {fields}}}'
        self._json((f'{{"items": [{record}]}}' if self.path.partition("?")[2] else record).encode())

    def _rather_deep(self) -> None:
        self._json(b'[{"location_uuid": 1, "a": ' + b"[" * 70 + b"]" * 70 + b"}]")

    def _digits(self) -> None:
        self._json(b'[{"name": "a", "id": ' + b"9" * 5000 + b"}]")

    def _id(self) -> None:
        self._json(json.dumps([{**_record(1), "id": "9" * 5000}]).encode())

    def _cookies(self) -> None:
        """Send cookies, and a record with the length of the received cookies."""
        self.send_response(200)
        for number in range(50):
            self.send_header("Set-Cookie", f"c{uuid.uuid4()}={'x' * 4000}; Path=/; Max-Age=999999; n={number}")
        body = json.dumps([{**_record(1), "name": str(len(self.headers.get("Cookie") or ""))}]).encode()
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _later(self) -> None:
        self._json(b"{}", 429, Retry_After="9" * 5000)

    def _markup(self) -> None:
        self._json(b"<" * 200_000, 422)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Print nothing."""


def _redirect(location: bytes) -> bytes:
    return b"HTTP/1.1 302 Found\r\nLocation: " + location + b"\r\nContent-Length: 0\r\n\r\n"


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    over = threading.Event()
    handler = type("Hostile", (_Hostile,), {"over": over})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        over.set()
        server.shutdown()
        thread.join()


def client_of(service: str, mode: str, **options: Any) -> Client:
    return connect(
        {
            "base_url": f"{service}/{mode}",
            "access_token": "t",
            "tuning": {"retries": 0},
            "rate_limit": 0,
            "timeout": 5,
            **options,
        }
    )


def refused(act: Callable[[], object]) -> SeventhingsError:
    with pytest.raises(SeventhingsError) as caught:
        act()
    return caught.value


@pytest.mark.parametrize("mode", ["bomb", "plain"])
def test_an_answer_is_read_up_to_its_limit_and_no_further(service: str, mode: str) -> None:
    message = refused(lambda: client_of(service, mode, tuning={"max_answer_size": 1}).list_all(LOCATION)).message
    assert "the answer is longer than 1 MiB" in message
    assert "max_answer_size" in message


def test_a_bomb_costs_little_memory(service: str) -> None:
    """This holds for an answer and for a file, with the default limits."""
    acts = ('client.list_all(KINDS["location"])', f'download(client, "{FILE}")')
    *messages, mebibytes = _in_a_process(service, "bomb", *acts)
    assert ["longer than 16 MiB" in messages[0], "longer than 64 MiB" in messages[1]] == [True, True]
    assert int(mebibytes) < 500


@pytest.mark.parametrize(("mode", "words"), [("redirect", "redirected to /x"), ("chunk", "an impossible length")])
def test_no_library_reads_on_by_itself(service: str, mode: str, words: str) -> None:
    """The body of a redirect is not read, and reading stops at the limit."""
    message, mebibytes = _in_a_process(service, mode, 'client.list_all(KINDS["location"])')
    assert words in message
    assert int(mebibytes) < 500


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            _redirect(b"https://user:hunter2@sso.example/in?ticket=hunter2#hunter2"),
            "to https://sso.example/in. R",
        ),
        (_redirect(b"//user:hunter2@sso.example"), "to //sso.example. R"),
        (_redirect(b"http://[::1/hunter2"), "to an address that can't be read"),
        (_redirect(b"/x" * 30_000), "redirected to /x/x"),
        (b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n", "redirected to nowhere"),
        (b"x" * 60_000 + b"\r\n\r\n", "BadStatusLine"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"z" * 60_000 + b"\r\n", "InvalidChunkLength"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_the_head_of_an_answer_is_reported_in_short_and_without_what_is_somebody_s(answer: bytes, words: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=_answer_once, args=(server, answer))
        thread.start()
        client = client_of(f"http://127.0.0.1:{server.getsockname()[1]}", "x", access_token="a-token")
        message = refused(lambda: client.list_all(LOCATION)).message
        thread.join()
    assert words in message
    assert "hunter2" not in message
    assert len(message) < 600


def _answer_once(server: socket.socket, answer: bytes) -> None:
    connection, _address = server.accept()
    with connection:
        connection.recv(1 << 16)
        connection.sendall(answer)


def _in_a_process(service: str, mode: str, *acts: str) -> list[str]:
    """Return the errors of some calls in a process of its own, and the most memory that it used, in MiB.

    Linux reports it: getrusage never returns less than the process of the tests has.
    """
    script = f"""
from pathlib import Path
from concurrent.futures import ThreadPoolExecutor
from ansible_collections.community.seventhings.plugins.module_utils.client.connection import connect
from ansible_collections.community.seventhings.plugins.module_utils.client.files import download
from ansible_collections.community.seventhings.plugins.module_utils.errors import SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
client = connect({{"base_url": "{service}/{mode}", "access_token": "a-token", "retries": 0, "rate_limit": 0}})
both = ThreadPoolExecutor(2)
for act in ({"".join(f"lambda: {act}, " for act in acts)}):
    try:
        act()
    except SeventhingsError as error:
        print(error.message)
status = Path("/proc/self/status")
numbers = dict(line.split(":") for line in status.read_text().splitlines()) if status.exists() else {{}}
print(int(numbers.get("VmHWM", "0 kB").split()[0]) >> 10)
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize("mode", ["drip", "head", "refusal"])
def test_a_request_has_a_deadline_however_slowly_the_answer_drips(service: str, mode: str) -> None:
    client = client_of(service, mode, tuning={"retries": 3, "request_deadline": 0.5})
    message = refused(lambda: client.list_all(LOCATION)).message
    assert "no whole answer within 0.5 seconds" in message
    assert "request_deadline" in message
    assert client.transport.sent == 1


def test_a_write_whose_answer_drips_is_carried_out_and_one_without_a_head_is_unknown(service: str) -> None:
    client = client_of(service, "drip", tuning={"request_deadline": 2})
    uuid_of = client.send("PATCH", "/location/x", Effect.IDEMPOTENT, body={})
    assert (uuid_of.status, uuid_of.body) == (200, b"")
    unknown = refused(
        lambda: client_of(service, "head", tuning={"request_deadline": 0.5}).send("POST", "/x", Effect.UNSAFE, body={})
    )
    assert isinstance(unknown, OutcomeUnknown)
    assert unknown.may_follow


def test_a_download_has_a_deadline_too(service: str) -> None:
    assert (
        "within 0.5 seconds"
        in refused(lambda: download(client_of(service, "drip", tuning={"request_deadline": 0.5}), FILE)).message
    )


def test_a_list_has_a_limit_of_pages(service: str) -> None:
    client = client_of(service, "endless", tuning={"max_pages": 3})
    message = refused(lambda: client.list_all(LOCATION)).message
    assert "more than 3 pages" in message
    assert "max_pages" in message
    assert client.transport.sent == 4


def test_a_list_without_an_end_has_a_limit_of_bytes(service: str) -> None:
    client = client_of(service, "endless", tuning={"max_list_size": 4})
    message = refused(lambda: client.list_all(LOCATION)).message
    assert "more than 0.5 MiB, and the service reports no total" in message
    assert "max_list_size" in message


def test_a_list_with_a_total_has_one_too() -> None:
    limit = ListLimit(Limits(list_mebibytes=1), "rooms", 1000)
    limit.add(1 << 20, 2, 2)
    with pytest.raises(LimitExceeded, match=r"more than 1 MiB.*max_list_size"):
        limit.add(1, 1, 2)


def test_many_short_records_count_for_what_they_cost() -> None:
    limit = ListLimit(Limits(list_mebibytes=8), "rooms", 1000)
    with pytest.raises(LimitExceeded, match=r"more than 1 MiB, and the service reports no total"):
        limit.add(5000, 5000, None)


@pytest.mark.sample(0)
def test_lists_without_an_end_cost_little_memory(service: str) -> None:
    """The limits are the default, and two lists are read at once, as in a plan."""
    act = '[both.submit(client.list_all, KINDS["location"]) for _each in "12"][1].result()'
    *messages, mebibytes = _in_a_process(service, "endless_and_wide", act)
    assert "more than 64 MiB" in messages[0]
    assert int(mebibytes) < 600


def test_a_total_beyond_the_limit_is_reported_after_one_page(service: str) -> None:
    client = client_of(service, "total")
    assert "more than 500 pages" in refused(lambda: client.list_all(LOCATION)).message
    assert client.transport.sent == 1


@pytest.fixture
def disabled_collector() -> Iterator[None]:
    """Disable GC while a deeply nested text is released, because cleanup of other garbage would fail there."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("disabled_collector")
@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("deep", "nested more than 64 deep"),
        ("rather_deep", "nested more than 64 deep"),
        ("digits", "an integer in it has more than 300 digits"),
        ("maps", "more than 500000 maps and lists"),
        ("wide", "a record in the answer has more than 4096 fields"),
        ("later", "HTTP 429"),
        ("markup", "HTTP 422"),
    ],
)
def test_an_answer_that_no_parser_likes_is_a_clear_error(service: str, mode: str, words: str) -> None:
    assert words in refused(lambda: client_of(service, mode, tuning={"rate_limit_wait": 0}).list_all(LOCATION)).message


def test_a_record_by_itself_has_a_limit_of_fields_too(service: str) -> None:
    message = refused(lambda: client_of(service, "wide").get(LOCATION, FILE)).message
    assert "a record in the answer has more than 4096 fields" in message


def test_an_instance_that_gives_more_than_it_is_asked_for_is_not_remembered_by_that(service: str) -> None:
    assert len(client_of(service, "endless").sample(LOCATION)) == 20


def test_an_id_that_is_no_number_is_none(service: str) -> None:
    (found,) = client_of(service, "id").list_all(LOCATION)
    assert found.id is None


def test_no_cookie_is_kept_or_sent_back(service: str) -> None:
    """Each answer would add cookies, and every request would send all of them."""
    client = client_of(service, "cookies")
    for _request in range(3):
        (record,) = client.list_all(LOCATION)
        assert record.flat["name"] == "0"


def test_tasks_that_ignore_every_filter_end(monkeypatch: pytest.MonkeyPatch) -> None:
    task = KINDS["task"]
    client = connect({"base_url": "https://acme.test", "access_token": "t"})
    requests: list[Any] = []

    def send(*_request: Any, **options: Any) -> Any:
        requests.append(options)
        return _Tasks()

    monkeypatch.setattr(client.transport, "request", send)
    with pytest.raises(IncompleteList):
        client.list_all(task)
    assert len(requests) < 200


class _Tasks:
    """A service that returns the same tasks for every request."""

    endpoint = "GET /task"
    body = b""

    def json(self) -> Any:
        task = {"title": "Any", "deadline": "2024-05-31"}
        return [{"uuid": _record(number)["location_uuid"], **task} for number in range(10_000)]


@pytest.mark.parametrize("body", ["<" * 200_000, "<style" * 30_000, "<style></style " * 15_000, "<script>" * 20_000])
def test_markup_costs_linear_time(body: str) -> None:
    started = time.process_time()
    assert len(service_words(body.encode())) <= 303
    assert time.process_time() - started < 2.0


def test_a_page_says_what_it_shows() -> None:
    page = "<html><STYLE type='a'>p {}</style ><p>No <b>way</b></p><script>run('<p>')</script>out<script>open"
    assert service_words(page.encode()) == "No way out"
