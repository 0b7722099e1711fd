# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Helpers of the contract tests: start the embedded service, and send requests to it.

Neither the helpers nor the tests use code of the service: they are an independent reading of its specification.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import requests

from .bodies import JsonMap, asset, code, definition, without
from .judge import EMULATOR, PREFIX, complaints

START_SECONDS = 60
REQUEST_SECONDS = 60


# The process


class Emulator:
    """A process of the embedded service."""

    def __init__(self, *arguments: str, db: str = ":memory:", data: str = "demo") -> None:
        self.arguments = ["--db", db, "--data", data, *arguments]
        self.process: subprocess.Popen[bytes] | None = None
        self.about: dict[str, str] = {}
        self._folder = tempfile.TemporaryDirectory(prefix="emulator-")
        self.first_line = b""

    def start(self) -> Emulator:
        ready = Path(self._folder.name) / "ready.json"
        ready.unlink(missing_ok=True)
        errors = Path(self._folder.name) / "errors.txt"
        with errors.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, str(EMULATOR), "--port", "0", "--ready-file", str(ready), *self.arguments],
                stdout=subprocess.PIPE,
                stderr=log,
            )
        assert self.process.stdout is not None
        self.first_line = self.process.stdout.readline()
        if not self.first_line:
            self.process.wait(START_SECONDS)
            raise AssertionError(f"the service did not start: {errors.read_text(encoding='utf-8')[-3000:]}")
        self.about = json.loads(self.first_line)
        while not ready.exists():
            assert self.process.poll() is None, "it ended before the ready file was there"
            requests.get(f"{self.about['admin_url']}/settings", timeout=REQUEST_SECONDS)
        assert json.loads(ready.read_text(encoding="utf-8")) == self.about
        return self

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def signal(self, number: int) -> int:
        """Send a signal, and wait for the end of the process."""
        assert self.process is not None
        self.process.send_signal(number)
        code = self.process.wait(START_SECONDS)
        if self.process.stdout:
            self.process.stdout.close()
        return code

    def kill(self) -> int:
        return self.signal(signal.SIGKILL)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.signal(signal.SIGTERM)
        self._folder.cleanup()

    def resident_bytes(self) -> int:
        """Return the resident memory of the process."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        found = re.search(r"^VmRSS:\s+(\d+) kB$", status, re.MULTILINE)
        assert found is not None
        return int(found[1]) * 1024


@contextlib.contextmanager
def running(*arguments: str, db: str = ":memory:", data: str = "demo") -> Iterator[Emulator]:
    emulator = Emulator(*arguments, db=db, data=data)
    try:
        yield emulator.start()
    finally:
        emulator.stop()


# The clients


class Steering:
    """The steering calls of the service."""

    def __init__(self, about: Mapping[str, str]) -> None:
        self.about = about
        self.url = about["admin_url"]
        self.session = requests.Session()
        self.session.trust_env = False
        self.weather: dict[str, str] = {}
        self.calm: dict[str, str] = {}

    def request(self, method: str, path: str, **options: Any) -> requests.Response:
        return self.session.request(method, f"{self.url}{path}", timeout=REQUEST_SECONDS, **options)

    def call(self, method: str, path: str, body: Any = None, **options: Any) -> Any:
        if method in ("PUT", "POST"):
            options["json"] = body
        response = self.request(method, path, **options)
        assert response.status_code in (200, 201, 204), f"{method} {path}: {response.status_code} {response.text[:500]}"
        return response.json() if response.content else None

    def switches(self) -> dict[str, JsonMap]:
        return self._noted(self.call("GET", "/switches"))

    def switch(self, **sides: str) -> None:
        self._noted(self.call("PUT", "/switches", sides))

    def _noted(self, switches: dict[str, JsonMap]) -> dict[str, JsonMap]:
        """Store the switches that the service reported; the judge uses their sides from now on."""
        self.weather = {name: entry["side"] for name, entry in switches.items()}
        return switches

    def clear(self) -> None:
        """Reset the service: data, an empty log, calm weather, no faults, no limit, nobody signed in."""
        self.call("POST", "/reset", {"sign_out": True, "calm": True})
        if not self.calm:
            self.switches()
            self.calm = self.weather
        self.weather = self.calm

    def fault(self, **rule: Any) -> None:
        self.call("POST", "/faults", rule)

    def log(self) -> list[JsonMap]:
        entries: list[JsonMap] = self.call("GET", "/requests")
        return entries

    def dump(self, *, canonical: bool = False) -> Any:
        return self.call("GET", "/dump", params={"canonical": "1"} if canonical else None)

    def mails(self) -> list[JsonMap]:
        found: list[JsonMap] = self.call("GET", "/mails")
        return found

    def user(self, rights: Sequence[str] | None = None) -> dict[str, str]:
        found = self.call("POST", "/users", {} if rights is None else {"rights": list(rights)})
        return {"username": found["username"], "password": found["password"]}


class Api:
    """A client of the service that fails for every answer that violates the description."""

    def __init__(self, about: Mapping[str, str], steering: Steering, *, judge: bool = True) -> None:
        self.about = about
        self.steering = steering
        self.session = requests.Session()
        self.session.trust_env = False
        if judge:
            self.session.hooks["response"].append(self._judge)
        self.tokens: JsonMap = {}

    def _judge(self, response: requests.Response, *_args: Any, **_options: Any) -> None:
        found = complaints(response, self.steering.weather)
        assert not found, f"{response.request.method} {response.request.url}\n" + "\n".join(found)

    def url(self, path: str) -> str:
        return self.about["base_url"].removesuffix(PREFIX) + PREFIX + path

    def request(self, method: str, path: str, *, token: str | None = None, **options: Any) -> requests.Response:
        headers = dict(options.pop("headers", None) or {})
        given = token if token is not None else self.tokens.get("access_token")
        if given and "Authorization" not in headers:
            headers["Authorization"] = f"Bearer {given}"
        headers = {name: value for name, value in headers.items() if value is not None}
        return self.session.request(method, self.url(path), headers=headers, **{"timeout": REQUEST_SECONDS, **options})

    def get(self, path: str, query: str = "", **options: Any) -> requests.Response:
        """Send a GET, with the query unchanged."""
        return self.request("GET", f"{path}?{query}" if query else path, **options)

    def post(self, path: str, body: Any = None, **options: Any) -> requests.Response:
        if body is not None:
            options["json"] = body
        return self.request("POST", path, **options)

    def put(self, path: str, body: Any, **options: Any) -> requests.Response:
        return self.request("PUT", path, json=body, **options)

    def patch(self, path: str, body: Any, **options: Any) -> requests.Response:
        return self.request("PATCH", path, json=body, **options)

    def delete(self, path: str, **options: Any) -> requests.Response:
        return self.request("DELETE", path, **options)

    # signing in

    def grant(self, **fields: str) -> requests.Response:
        body = {"client_id": self.about["client_id"], **fields}
        return self.session.post(self.url("/auth_token"), json=body, timeout=REQUEST_SECONDS)

    def sign_in(self, username: str | None = None, password: str | None = None) -> JsonMap:
        response = self.grant(
            grant_type="password",
            username=username or self.about["username"],
            password=password or self.about["password"],
        )
        assert response.status_code == 200, response.text
        self.tokens = response.json()
        return self.tokens

    def me(self) -> JsonMap:
        found: JsonMap = self.get(f"/user/by-id/{self.tokens['user_id']}").json()
        return found

    # Shorthand for common requests

    def read(self, path: str, query: str = "") -> Any:
        response = self.get(path, query)
        assert response.status_code == 200, f"{path}?{query}: {response.status_code} {response.text[:500]}"
        return response.json()

    def items(self, path: str, query: str = "") -> list[JsonMap]:
        found = self.read(path, query)
        entries: list[JsonMap] = found["items"] if isinstance(found, dict) else found
        return entries

    def count(self, path: str, query: str = "") -> int:
        return int(self.read(f"{path}/count", query)["count"])

    def create(self, path: str, body: Any) -> str:
        response = self.post(path, body)
        assert response.status_code == 201, f"{path}: {response.status_code} {response.text[:500]}"
        return str(response.headers["Location-UUID"])

    def create_object(self, **fields: Any) -> str:
        return self.create("/object", {"inventory_name": "Thing", "barcode": code(), **fields})

    def create_room(self, **fields: Any) -> str:
        if "building_id" not in fields:
            fields["building_id"] = self.create_location()
        return self.create("/room", {"name": "Room", "number": code(), **fields})

    def create_location(self, **fields: Any) -> str:
        return self.create("/location", {"name": "Site", **fields})

    def create_person(self, **fields: Any) -> str:
        person = {"first_name": "Ada", "last_name": "Byron", "email": f"{code()}@example.org", **fields}
        return self.create("/person", {"fields": person})

    def create_task(self, **fields: Any) -> str:
        return self.create("/task-management/task", self.task(**fields))

    def create_rental_case(self, **fields: Any) -> str:
        return self.create("/rental-management/rental-case", self.rental_case(**fields))

    def task(self, **fields: Any) -> JsonMap:
        """Return a body of a task."""
        body = {
            "title": "Look after it",
            "deadline": "2031-05-20",
            "reminders": [],
            "recurring_schedule": None,
            "assignees": [self.me()["uuid"]] if "assignees" not in fields else None,
            "references": [],
            **fields,
        }
        return without(body)

    def rental_case(self, **fields: Any) -> JsonMap:
        """Return a body of a rental case."""
        body = {
            "title": "Borrow it",
            "issue_date": "2031-05-20",
            "due_date": "2031-05-27",
            "references": [asset(self.create_object())] if "references" not in fields else None,
            "responsible_user_uuid": self.me()["uuid"] if "responsible_user_uuid" not in fields else None,
            "renter": {"type": "plain", "value": "A neighbour"},
            "comment": "",
            "attachments": [],
            **fields,
        }
        return without(body)

    def define(self, kind: str, template: str = "asset", **fields: Any) -> JsonMap:
        """Create a field definition, and return it as it is read back."""
        definition_uuid = self.create(f"/asset-tracking/{template}/field-definition", definition(kind, **fields))
        found: JsonMap = self.read(f"/asset-tracking/{template}/field-definition/{definition_uuid}")
        return found

    def upload(self, name: str = "note.txt", data: bytes = b"some text", media_type: str = "text/plain") -> str:
        response = self.request("POST", "/file", files={"data": (name, io.BytesIO(data), media_type)})
        assert response.status_code == 201, response.text
        return str(response.headers["Location-UUID"])

    def offer(self, price: Any = 40, **fields: Any) -> JsonMap:
        """Offer a new object, and return the hub item as it is listed."""
        created = self.create_object(**{"purchasing_price": 100, **fields})
        response = self.post(
            "/circularity-hub/add-objects-to-circularity-hub",
            {created: {"category": "category_furniture", "price": price}},
        )
        assert response.status_code == 201, response.text
        number = self.read(f"/object/{created}")["id"]
        found = [item for item in self.items("/circularity-hub/items", "per_page=1000") if item["asset_id"] == number]
        assert len(found) == 1
        return {**found[0], "asset_uuid": created}


@contextlib.contextmanager
def connected(*arguments: str, db: str = ":memory:", data: str = "demo") -> Iterator[tuple[Emulator, Api]]:
    """Start a service, and sign in."""
    with running(*arguments, db=db, data=data) as process:
        steering = Steering(process.about)
        steering.switches()
        api = Api(process.about, steering)
        api.sign_in()
        yield process, api
