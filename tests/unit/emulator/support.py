# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the contract tests share: starting the embedded service, talking to it, judging its answers.

Nothing in here, and nothing in the tests, is taken from the code of the service: they are an independent reading of
what the service is meant to do.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urljoin, urlsplit

import jsonschema_rs
import requests
import yaml

EMULATOR = Path(__file__).resolve().parents[2] / "emulator"
DESCRIPTION = EMULATOR / "openapi.yaml"
PREFIX = "/customer-api/v1"
LONG = os.environ.get("SEVENTHINGS_TEST_LONG", "") not in ("", "0")
NOBODY = "00000000-0000-4000-8000-000000000000"
START_SECONDS = 60
REQUEST_SECONDS = 60

JsonMap = dict[str, Any]


# The description


@functools.cache
def description() -> JsonMap:
    """The description as it is written."""
    document: JsonMap = yaml.safe_load(DESCRIPTION.read_text(encoding="utf-8"))
    return document


def _on(mark: Mapping[str, str], weather: Mapping[str, str]) -> bool:
    return any(weather.get(switch) == side for switch, side in mark.items())


def _as_on(node: Any, weather: Mapping[str, str]) -> Any:
    if isinstance(node, list):
        return [_as_on(entry, weather) for entry in node]
    if not isinstance(node, dict):
        return node
    marks = node.get("x-switch")
    if isinstance(marks, dict):
        for switch, sides in marks.items():
            if weather.get(switch) in sides:
                return _as_on(sides[weather[switch]], weather)
    return {key: _as_on(value, weather) for key, value in node.items() if key != "x-switch"}


@functools.cache
def _description_in(weather: frozenset[tuple[str, str]]) -> JsonMap:
    document: JsonMap = _as_on(copy.deepcopy(description()), dict(weather))
    return document


class Operation:
    """One operation of the description, in some weather."""

    def __init__(self, document: JsonMap, path: str, method: str) -> None:
        self.document = document
        self.path = path
        self.method = method.upper()
        self.node: JsonMap = document["paths"][path][method]
        self.shared: list[JsonMap] = document["paths"][path].get("parameters", [])

    @property
    def id(self) -> str:
        return str(self.node["operationId"])

    def __repr__(self) -> str:
        return self.id

    @property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(re.sub(r"\\\{\w+\\\}", "([^/]+)", re.escape(self.path)))

    @property
    def path_parameters(self) -> list[str]:
        return re.findall(r"\{(\w+)\}", self.path)

    @property
    def has_body(self) -> bool:
        return "requestBody" in self.node

    @property
    def needs_token(self) -> bool:
        return bool(self.node.get("security", True))

    def follow(self, node: JsonMap) -> JsonMap:
        while "$ref" in node:
            found: Any = self.document
            for step in node["$ref"].removeprefix("#/").split("/"):
                found = found[step]
            node = found
        return node

    def responses(self, weather: Mapping[str, str]) -> dict[str, JsonMap]:
        found = {}
        for status, node in self.node["responses"].items():
            response = self.follow(node)
            if _on(response.get("x-switch-absent", {}), weather):
                continue
            if "x-switch-only" in response and not _on(response["x-switch-only"], weather):
                continue
            found[status] = response
        return found


def operations(weather: Mapping[str, str] | None = None) -> list[Operation]:
    """All operations that are there in this weather."""
    weather = weather or {}
    document = _description_in(frozenset(weather.items()))
    found = []
    for path, item in document["paths"].items():
        for method in item:
            if method != "parameters":
                operation = Operation(document, path, method)
                if not _on(operation.node.get("x-switch-absent", {}), weather):
                    found.append(operation)
    return found


@functools.cache
def _table(weather: frozenset[tuple[str, str]]) -> list[tuple[str, re.Pattern[str], Operation]]:
    table = [(operation.method, operation.pattern, operation) for operation in operations(dict(weather))]
    table.sort(key=lambda row: row[2].path.count("{"))
    return table


def find_operation(method: str, path: str, weather: Mapping[str, str]) -> Operation | None:
    """The operation that a request means."""
    for verb, pattern, operation in _table(frozenset(weather.items())):
        if verb == method and pattern.fullmatch(path):
            return operation
    return None


@functools.lru_cache(maxsize=4096)
def _validator(node: str, weather: frozenset[tuple[str, str]]) -> jsonschema_rs.Draft202012Validator:
    document = _description_in(weather)
    root = {**json.loads(node), "components": document["components"]}
    return jsonschema_rs.Draft202012Validator(root, validate_formats=True)


def schema_errors(node: JsonMap, value: Any, weather: Mapping[str, str]) -> list[str]:
    """What is wrong with a value in the eyes of a schema of the description."""
    validator = _validator(json.dumps(node, sort_keys=True), frozenset(weather.items()))
    return [
        f"{'/'.join(map(str, error.instance_path))}: {error.message}"[:600] for error in validator.iter_errors(value)
    ]


def _media_type(response: requests.Response) -> str:
    return response.headers.get("Content-Type", "").partition(";")[0].strip().lower()


def _matches_media_type(declared: str, actual: str) -> bool:
    if declared == "*/*":
        return bool(actual)
    if declared.endswith("/*"):
        return actual.startswith(declared[:-1])
    return declared == actual


def complaints(response: requests.Response, weather: Mapping[str, str]) -> list[str]:
    """What the description has against an answer."""
    request = response.request
    path = urlsplit(request.url or "").path
    if not isinstance(path, str) or not path.startswith(PREFIX):
        return []
    operation = find_operation(request.method or "", path, weather)
    if operation is None:
        if request.method == "HEAD":
            return []
        if response.status_code != 404:
            return [f"not described, yet answered with {response.status_code}"]
        return schema_errors({"$ref": "#/components/schemas/Error"}, response.json(), weather)
    declared = operation.responses(weather).get(str(response.status_code))
    if declared is None:
        return [f"{operation.id} may not answer {response.status_code}: {response.text[:300]}"]
    found = []
    for name, header in declared.get("headers", {}).items():
        header = operation.follow(header)
        value: Any = response.headers.get(name)
        if value is None:
            if header.get("required"):
                found.append(f"{operation.id}: header {name} is missing")
            continue
        if operation.follow(header["schema"]).get("type") == "integer" and re.fullmatch(r"\d+", value):
            value = int(value)
        found += [
            f"{operation.id}: header {name}: {error}" for error in schema_errors(header["schema"], value, weather)
        ]
    content = declared.get("content")
    if content is None:
        if response.content:
            found.append(f"{operation.id}: {response.status_code} has a body: {response.text[:300]}")
        return found
    if not response.content and _on(declared.get("x-empty-body", {}), weather):
        return found
    actual = _media_type(response)
    for name, node in content.items():
        if _matches_media_type(name, actual):
            if name == "application/json":
                try:
                    value = response.json()
                except ValueError:
                    return [*found, f"{operation.id}: the body is not JSON: {response.text[:300]}"]
                found += [f"{operation.id}: {error}" for error in schema_errors(node["schema"], value, weather)]
            return found
    return [*found, f"{operation.id}: {response.status_code} has the media type {actual!r}, not {sorted(content)}"]


# The process


class Emulator:
    """One process of the embedded service."""

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
        """Send a signal and wait for the end."""
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
        """Memory that the process holds."""
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
    """The calls that steer the service."""

    def __init__(self, about: Mapping[str, str]) -> None:
        self.about = about
        self.url = about["admin_url"]
        self.session = requests.Session()
        self.session.trust_env = False
        self.weather: dict[str, str] = {}

    def request(self, method: str, path: str, **options: Any) -> requests.Response:
        return self.session.request(method, f"{self.url}{path}", timeout=REQUEST_SECONDS, **options)

    def call(self, method: str, path: str, body: Any = None, **options: Any) -> Any:
        if method in ("PUT", "POST"):
            options["json"] = body
        response = self.request(method, path, **options)
        assert response.status_code in (200, 201, 204), f"{method} {path}: {response.status_code} {response.text[:500]}"
        return response.json() if response.content else None

    def switches(self) -> dict[str, JsonMap]:
        found: dict[str, JsonMap] = self.call("GET", "/switches")
        self.weather = {name: entry["side"] for name, entry in found.items()}
        return found

    def switch(self, **sides: str) -> None:
        self.call("PUT", "/switches", sides)
        self.switches()

    def clear(self) -> None:
        """Back to the start: data, calm weather, no faults, no limit."""
        self.call("PUT", "/switches", {"weather": "calm"})
        self.call("DELETE", "/faults")
        self.call("PUT", "/rate-limit", None)
        self.call("PUT", "/settings", {"access_token_seconds": 3600, "modules_off": []})
        self.call("POST", "/reset")
        self.call("DELETE", "/requests")
        self.switches()

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
    """A client of the service that lets no answer pass which the description does not allow."""

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
        return self.session.request(method, self.url(path), headers=headers, timeout=REQUEST_SECONDS, **options)

    def get(self, path: str, query: str = "", **options: Any) -> requests.Response:
        """GET; the query is sent as it is written."""
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

    # short forms for what the tests do again and again

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
        """A body of a task."""
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
        """A body of a rental case."""
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
        """A new field definition, as it reads back."""
        made = self.create(f"/asset-tracking/{template}/field-definition", definition(kind, **fields))
        found: JsonMap = self.read(f"/asset-tracking/{template}/field-definition/{made}")
        return found

    def upload(self, name: str = "note.txt", data: bytes = b"some text", media_type: str = "text/plain") -> str:
        response = self.request("POST", "/file", files={"data": (name, io.BytesIO(data), media_type)})
        assert response.status_code == 201, response.text
        return str(response.headers["Location-UUID"])

    def offer(self, price: Any = 40, **fields: Any) -> JsonMap:
        """A hub item for a new object; the item as it is listed."""
        made = self.create_object(**{"purchasing_price": 100, **fields})
        response = self.post(
            "/circularity-hub/add-objects-to-circularity-hub",
            {made: {"category": "category_furniture", "price": price}},
        )
        assert response.status_code == 201, response.text
        number = self.read(f"/object/{made}")["id"]
        found = [item for item in self.items("/circularity-hub/items", "per_page=1000") if item["asset_id"] == number]
        assert len(found) == 1
        return {**found[0], "asset_uuid": made}


# Small things


class Absent:
    """Marks a key that a body leaves out."""


def without(body: JsonMap) -> JsonMap:
    return {key: value for key, value in body.items() if value is not Absent}


def code() -> str:
    """A text that nothing else has."""
    return uuid.uuid4().hex[:12]


def asset(made: str) -> dict[str, str]:
    return {"type": "asset", "uuid": made}


def definition(
    kind: str, *, constraints: Sequence[JsonMap] = (), attributes: Sequence[JsonMap] = (), **fields: Any
) -> JsonMap:
    body = {
        "field_type": {"name": kind, "constraints": list(constraints)},
        "label": f"Field {code()}",
        "comment": None,
        "default_value": None,
        "possible_values": [],
        "attributes": list(attributes),
        "relations": [],
        **fields,
    }
    return without(body)


def attribute(name: str, value: Any) -> JsonMap:
    return {"type": name, "value": value}


constraint = attribute


def in_brackets(conditions: Mapping[str, Mapping[str, Any]]) -> str:
    """A filter in the bracket form."""
    parts = []
    for key, operators in conditions.items():
        for operator, value in operators.items():
            head = f"filter[{key}][{operator}]"
            if operator in ("empty", "not_empty", "null", "not_null"):
                parts.append(f"{head}=")
            elif isinstance(value, list):
                parts += [f"{head}[]={written(entry)}" for entry in value]
            else:
                parts.append(f"{head}={written(value)}")
    return "&".join(parts)


def in_json(conditions: Mapping[str, Mapping[str, Any]]) -> str:
    """The same filter as one JSON object."""
    return "filter=" + quote(json.dumps(conditions), safe="")


FORMS = {"brackets": in_brackets, "json": in_json}


def written(value: Any) -> str:
    if isinstance(value, bool):
        value = "true" if value else "false"
    return quote(str(value), safe="").replace("%20", "+")


def absolute(api: Api, location: str) -> str:
    """The URL in a Location header."""
    return urljoin(api.url("/"), location)


def last_segment(location: str) -> str:
    return unquote(urlsplit(location).path.rstrip("/").rpartition("/")[2])
