# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An instance that can return anything: payloads in every text of every kind of record, and impossible answers.

It has the paths of the interface and no rules. Its answers depend on its texts and its mode.
"""

from __future__ import annotations

import contextlib
import gc
import gzip
import html
import json
import math
import threading
import urllib.parse
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

PREFIX = "/customer-api/v1"
TOKEN = "tok-93-bearer-secret"
REFRESH = "tok-94-refresh-secret"
PASSWORD = 'pw"\\<&/+ =é-secret'
"""A text that no output may show in any spelling.

Some of its characters are written differently in JSON, HTML and URLs.
"""
SECRETS = (TOKEN, REFRESH, PASSWORD)

KINDS = {
    "locations": ("location", "location_uuid", 1),
    "rooms": ("room", "room_uuid", 2),
    "persons": ("person", "person_uuid", 3),
    "users": ("user", "uuid", 4),
    "objects": ("object", "asset_uuid", 5),
    "task-management/tasks": ("task-management/task", "uuid", 6),
    "rental-management/rental-cases": ("rental-management/rental-case", "uuid", 7),
    "circularity-hub/items": ("circularity-hub/item", "id", 8),
    "circularity-hub/orders": ("circularity-hub/order", "id", 9),
    "files": ("file", "uuid", 10),
    "catalog-items": ("catalog-item", "uuid", 11),
}
"""List path to the path of one record, the name of its identity, and a number that its uuids begin with."""

_TYPED: dict[str, dict[str, Any]] = {
    "locations": {},
    "rooms": {"building_id": None},
    "persons": {},
    "users": {},
    "objects": {"actual_room": None, "target_room": None, "accessories": []},
    "task-management/tasks": {
        "deadline": "2027-01-01", "status": "open", "assignees": [], "references": [], "reminders": [],
        "attachments": [],
    },
    "rental-management/rental-cases": {
        "status": "requested", "issue_date": "2027-01-01", "due_date": "2027-01-02", "references": [],
        "attachments": [],
    },
    "circularity-hub/items": {"asset_id": 1, "price": 1, "deleted": False, "category_id": 1},
    "circularity-hub/orders": {"completed": False, "cancelled": False, "articles": []},
    "files": {"size": 3},
    "catalog-items": {},
}  # fmt: skip
"""The members of a record that are not texts."""

_TEXTS: dict[str, tuple[str, ...]] = {
    "locations": ("name", "address", "zip", "city", "country", "note"),
    "rooms": ("name", "number", "note"),
    "persons": ("email", "first_name", "last_name"),
    "users": ("email", "firstname", "lastname", "display_name"),
    "objects": ("barcode", "inventory_name", "description", "serial_number"),
    "task-management/tasks": ("title", "comment"),
    "rental-management/rental-cases": ("title", "comment"),
    "circularity-hub/items": ("status",),
    "circularity-hub/orders": ("order_number", "cancellation_reason"),
    "files": ("name", "type"),
    "catalog-items": ("catalog_object_inventory_name", "catalog_object_description", "catalog_object_serial_number"),
}
"""The texts of a record; each holds the same payload."""

_OTHER_KIND = ("", "uuid", 12)
_OTHER_TEXTS = ("name", "number", "title", "description")
"""The texts of records of other lists."""

MODES = (
    "texts", "refusing", "refusing_html", "refusing_plain", "echoing", "redirecting", "dripping", "bomb", "lying_total",
    "endless", "wrong_types", "odd_members", "deep", "digits", "broken_json", "no_json", "unknown_shape", "hanging_up",
)  # fmt: skip
"""Its modes: it returns texts, or every request except the login fails in some way."""


_ODD: tuple[Any, ...] = (
    None, [], {}, 1.5, "x", True, [[]], {"x": {}}, ["x"], "9" * 5000, math.inf, math.nan, -1, 10**299, {"id": math.inf},
    [{"id": "9" * 5000}], {"uuid": []}, "1e999999999", "²",
)  # fmt: skip
"""Values that no member of a record can have."""


def _odd(record: dict[str, Any], turn: int) -> dict[str, Any]:
    """Return a record in which every fourth member is odd, with other members in each turn."""
    return {
        name: _ODD[(place * 7 + turn * 5) % len(_ODD)] if (place + turn) % 4 == 0 else value
        for place, (name, value) in enumerate(record.items())
    }


def uuid_of(first: int, number: int) -> str:
    """Return the uuid of a record."""
    return f"{first:08d}-0000-4000-8000-{number:012d}"


class HostileService(ThreadingHTTPServer):
    """A hostile service.

    :ivar texts: the payloads; each is in one record of every kind.
    :ivar mode: one of :data:`MODES`.
    :ivar known: secrets that were exchanged, so that the client recognises them.
    :ivar requests: method and path of each request.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.texts: Sequence[str] = ()
        self.mode = "texts"
        self.requests: list[str] = []
        self.known: set[str] = set()
        self.drip_seconds = 1.0
        self.stopping = threading.Event()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def options(self) -> dict[str, Any]:
        """Return the connection options."""
        return {
            "base_url": self.base_url,
            "username": "u@example.org",
            "password": PASSWORD,
            "client_id": "c",
            "rate_limit": 0,
            "tuning": {"retries": 0},
        }

    def records(self, path: str) -> list[dict[str, Any]]:
        """Return the records of a list. A record with a hostile name has either hostile or ordinary values."""
        _item, identity, first = KINDS.get(path, _OTHER_KIND)
        return [
            {
                self.texts[number % len(self.texts)]: "plain",
                **_TYPED.get(path, {}),
                **dict.fromkeys(_TEXTS.get(path, _OTHER_TEXTS), text),
                "id": number,
                **({"asset_id": number} if path == "circularity-hub/items" else {}),
                **({} if identity == "id" else {identity: uuid_of(first, number)}),
                "made_by": {text: [text]},
                text: text,
            }
            for number, text in enumerate(self.texts, 1)
        ]

    def definitions(self, template: str) -> list[dict[str, Any]]:
        """Return the fields of a template: its own, and one for each text, whose names are the text."""
        path = {"asset": "objects", "room": "rooms", "person": "persons"}[template]
        links = {
            "building_id": "LINKED_LOCATION",
            "actual_room": "LINKED_ROOM",
            "target_room": "LINKED_ROOM",
            "accessories": "LINKED_ASSETS",
        }
        own = [(key, key, links.get(key, "TEXT")) for key in (*_TEXTS[path], *_TYPED[path])]
        foreign = [(text, text, "TEXT") for text in self.texts if text]
        return [
            {
                "uuid": uuid_of(20, number),
                "field_key": key,
                "label": label,
                "field_type": {"name": type_name, "constraints": {}},
                "comment": label,
                "attributes": {},
                "relations": [],
            }
            for number, (key, label, type_name) in enumerate((*own, *foreign))
        ]


class _Answer(BaseHTTPRequestHandler):
    server: HostileService
    protocol_version = "HTTP/1.1"
    # Headers and body are sent separately. With Nagle's algorithm the body would wait 40 milliseconds for an
    # acknowledgement.
    disable_nagle_algorithm = True

    def log_message(self, *_arguments: Any) -> None:
        """Say nothing."""

    def _any(self) -> None:
        address = urlsplit(self.path)
        path = unquote(address.path.removeprefix(PREFIX)).strip("/")
        self._body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.requests.append(f"{self.command} {path}")
        if path == "auth_token" and self.command == "POST":
            self.server.known.update(SECRETS)
            self._json({"access_token": TOKEN, "refresh_token": REFRESH, "expires_in": 3600, "token_type": "Bearer"})
            return
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            _BEHAVIOUR[self.server.mode](self, path, parse_qs(address.query))

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = _any

    # ---- what it says

    def texts(self, path: str, query: dict[str, list[str]]) -> None:
        """Return any requested record, full of payloads."""
        page = int(query.get("page", ["1"])[0])
        steps = path.split("/")
        if path in KINDS or (self.command == "GET" and path.isalpha()):
            self._page(self.server.records(path), page)
        elif steps[-1] == "field-definitions":
            self._json(self.server.definitions(steps[1]))
        elif steps[-1] == "history":
            texts = self.server.texts
            self._page(
                [{"id": n, "event": t, "user": {"name": t}, "changes": {t: t}} for n, t in enumerate(texts)], page
            )
        elif path == "report-template":
            self._json([{"id": number, "name": text} for number, text in enumerate(self.server.texts, 1)])
        elif steps[-1].startswith("suggest-"):
            self._json([{"category_id": 1, "name": text, "rest_price": 1} for text in self.server.texts])
        elif steps[-1] == "data" or path == "report":
            self._send(200, b"%PDF", "application/octet-stream", {"Content-Disposition": self._name()})
        elif self.command != "GET":
            self._send(201, b"", "application/json", {"Location-UUID": uuid_of(99, len(self.server.requests))})
        else:
            self._answer_one(steps)

    def _answer_one(self, steps: list[str]) -> None:
        for path, (item, identity, _first) in KINDS.items():
            if "/".join(steps[:-1]).removesuffix("/by-id").removesuffix("/by-barcode") == item:
                for record in self.server.records(path):
                    if steps[-1] in (str(record[identity]), str(record["id"])):
                        self._json(record)
                        return
        self.refusing("", {})

    def _name(self) -> str:
        text = next((text for text in self.server.texts if text.isprintable() and text.isascii()), "x")
        return f"attachment; filename=\"{text}\"; filename*=UTF-8''{urllib.parse.quote(text)}"

    def _page(self, records: list[dict[str, Any]], page: int) -> None:
        items = records if page == 1 else []
        self._json({"items": items, "total": len(records), "count": len(items), "page": page, "per_page": 1000})

    # ---- trouble

    def refusing(self, _path: str, _query: Any) -> None:
        """Return an error with these texts, in JSON."""
        self._json({"detail": " ".join(self.server.texts)[:5000] or "no"}, 422)

    def refusing_html(self, _path: str, _query: Any) -> None:
        body = f"<html><style>x</style><p>{' '.join(self.server.texts)}</p>"
        self._send(500, body.encode("utf-8", "surrogatepass"), "text/html")

    def refusing_plain(self, _path: str, _query: Any) -> None:
        self._send(400, "\n".join(self.server.texts).encode("utf-8", "surrogatepass"), "text/plain")

    def echoing(self, _path: str, _query: Any) -> None:
        """Return all secrets that the service knows of the client, in every spelling."""
        texts = (*self.server.known, self.headers.get("Authorization", "").removeprefix("Bearer "))
        self._json({"detail": " ".join(spelling for text in texts if text for spelling in spelled(text))[:3000]}, 400)

    def redirecting(self, _path: str, _query: Any) -> None:
        self._send(
            302,
            b"",
            "text/plain",
            {"Location": f"http://127.0.0.1:9/{quote(' '.join(self.server.texts)[:200], errors='replace')}"},
        )

    def dripping(self, _path: str, _query: Any) -> None:
        """Answer with one byte at a time, for ever."""
        self._head(200, 10**9, "application/json")
        while not self.server.stopping.wait(self.server.drip_seconds):
            self.wfile.write(b" ")
            self.wfile.flush()

    def bomb(self, _path: str, _query: Any) -> None:
        """Return a small answer that unpacks to 1.5 GB."""
        block = gzip.compress(b" " * 15_000_000)
        self._head(200, len(block) * 100, "application/json", {"Content-Encoding": "gzip"})
        for _number in range(100):
            self.wfile.write(block)

    def lying_total(self, path: str, query: dict[str, list[str]]) -> None:
        items = self.server.records(path) if path in KINDS and query.get("page") == ["1"] else []
        self._json({"items": items, "total": 10**18, "count": -1, "page": 1, "per_page": 1})

    def endless(self, path: str, query: dict[str, list[str]]) -> None:
        """Return pages full of records that were never seen before."""
        number = int(query.get("page", ["1"])[0])
        identity = KINDS.get(path, ("", "uuid", 0))[1]
        size = min(int(query.get("per_page", ["20"])[0]), 100)
        items = [{"id": number * size + index, identity: uuid_of(number, index)} for index in range(size)]
        self._json({"items": items, "page": number, "per_page": size})

    def wrong_types(self, path: str, _query: Any) -> None:
        wrong: list[Any] = [None, [], {}, 1.5, "x", True, [[]], {"x": {}}]
        name = KINDS.get(path, ("", "uuid", 0))[1]
        keys = [*_TEXTS.get(path, ()), *_TYPED.get(path, {}), "id", "field_key", "label", "field_type", "archived_at"]
        records = [{**dict.fromkeys(keys, value), name: uuid_of(1, n)} for n, value in enumerate(wrong)]
        self._json({"items": records, "total": len(records), "page": 1})

    def odd_members(self, path: str, query: dict[str, list[str]]) -> None:
        """Return records and definitions with some members of another type, and the rest as it should be."""
        steps = path.split("/")
        if path in KINDS:
            self._page([_odd(record, turn) for turn, record in enumerate(self.server.records(path))], 1)
        elif steps[-1] == "field-definitions":
            self._json([_odd(definition, turn) for turn, definition in enumerate(self.server.definitions(steps[1]))])
        else:
            self.texts(path, query)

    def deep(self, _path: str, _query: Any) -> None:
        self._send(200, b'{"items":' + b"[" * 200_000, "application/json")

    def digits(self, _path: str, _query: Any) -> None:
        self._send(200, b'{"items":[{"id":' + b"9" * 5000 + b"}]}", "application/json")

    def broken_json(self, _path: str, _query: Any) -> None:
        self._send(200, b'{"items": [{"name": "x', "application/json")

    def no_json(self, _path: str, _query: Any) -> None:
        self._send(200, "\n".join(self.server.texts).encode("utf-8", "surrogatepass"), "text/html")

    def unknown_shape(self, _path: str, _query: Any) -> None:
        self._json({"items": {text: text for text in self.server.texts}, "errors": list(self.server.texts)})

    def hanging_up(self, _path: str, _query: Any) -> None:
        self._head(200, 1000, "application/json")
        self.wfile.write(b'{"items": [')
        self.close_connection = True

    # ---- how it says it

    def _json(self, body: Any, status: int = 200) -> None:
        self._send(status, json.dumps(body).encode(), "application/json")

    def _send(self, status: int, content: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
        self._head(status, len(content), kind, headers)
        self.wfile.write(content)

    def _head(self, status: int, length: int, kind: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()


_BEHAVIOUR: dict[str, Callable[[_Answer, str, dict[str, list[str]]], None]] = {
    mode: getattr(_Answer, mode) for mode in MODES
}


def spelled(text: str) -> list[str]:
    """Return a text as it is, and as JSON, a URL and HTML write it."""
    return [
        text,
        json.dumps(text)[1:-1],
        json.dumps(text, ensure_ascii=False)[1:-1],
        urllib.parse.quote(text),
        urllib.parse.quote_plus(text),
        html.escape(text),
    ]


@contextlib.contextmanager
def running() -> Iterator[HostileService]:
    """Yield a hostile service that runs only inside the block.

    Python's garbage collection is disabled in the block. It could run at the deepest level of a text that is nested too
    deeply, where every cleanup fails.
    """
    service = HostileService()
    thread = threading.Thread(target=service.serve_forever, args=(0.05,))
    thread.start()
    gc.disable()
    try:
        yield service
    finally:
        gc.enable()
        service.stopping.set()
        service.shutdown()
        thread.join()
        service.server_close()
