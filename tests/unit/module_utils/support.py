# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fakes for the tests of the engine: a transport with scripted answers, a service with a few lists, a clock."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, settings
from project import LONG
from requests.structures import CaseInsensitiveDict

from ansible_collections.community.seventhings.plugins.module_utils.client.attempts import Effect, Request
from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.query import Condition
from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record
from ansible_collections.community.seventhings.plugins.module_utils.client.tokens import Tokens
from ansible_collections.community.seventhings.plugins.module_utils.client.transport import Response, Transport
from ansible_collections.community.seventhings.plugins.module_utils.errors import (
    NotFound,
    OutcomeUnknown,
    service_error,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.module_utils.runtime.token_store import Credentials
from ansible_collections.community.seventhings.plugins.module_utils.runtime.unpaged import UnpagedLists

RANDOMISED = settings(
    max_examples=500 if LONG else 20,
    derandomize=not LONG,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
"""Settings of property tests: always the same few examples, and many random examples in the long tests."""

JsonMap = dict[str, Any]


def uuid_of(number: int) -> str:
    """Return a uuid that people can easily distinguish from others."""
    return f"{number:08x}-0000-4000-8000-000000000000"


class Clock:
    """A clock that only moves when somebody sleeps, and records these times."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        """Put the clock forward."""
        self.slept.append(seconds)
        self.now += seconds


@dataclass(frozen=True)
class Invocation(Request):
    """One request of the engine."""

    @property
    def line(self) -> str:
        """Method and path."""
        return f"{self.method} {self.path}"


def answer(body: Any = None, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a successful answer with a body: bytes unchanged, other values as JSON, None as an empty body."""
    content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    return Response(status, CaseInsensitiveDict(headers or {}), content, "TEST")


def created(number: int) -> Response:
    """Return the answer to a create."""
    return answer(None, 201, {"Location": f"https://acme.test/x/{uuid_of(number)}", "Location-UUID": uuid_of(number)})


def lost(status: int | None = None) -> OutcomeUnknown:
    """Return the error of a write whose outcome is unknown. A 500 is an error of the service itself."""
    return OutcomeUnknown("POST /x: the exchange broke off; the outcome is unknown.", status, is_lost=status != 500)


def refusal(status: int, words: str = "") -> Exception:
    """Return an error answer."""
    return service_error(status, words, "TEST")


Step = Any
"""An answer, an exception to raise, or a function that returns one of them for a request."""


_BY_BARCODE = "GET /object/by-barcode/"
SAMPLE = ("per_page", "20")
"""The query of a sample, which shows the keys of a kind. It distinguishes a sample from a list."""


class FakeTransport(Transport):
    """A transport that plays scripted answers.

    Every request is recorded. An unscripted request fails the test, except lookups of archived objects and samples,
    which find nothing.

    :ivar routes: ``METHOD PATH`` to one step for all requests, or to a list with a step for each request.
    :ivar samples: the sample of a list by its path.
    """

    def __init__(self, routes: Mapping[str, Step] | None = None) -> None:
        super().__init__("https://acme.test")
        # Steps are removed when they are played, so a test that runs twice keeps its own list.
        self.routes: dict[str, Step] = {
            line: list(step) if isinstance(step, list) else step for line, step in (routes or {}).items()
        }
        self.calls: list[Invocation] = []
        self.samples: dict[str, list[dict[str, Any]]] = {}
        self.deleted: set[str] = set()
        self.changed: dict[str, dict[str, Any]] = {}
        self.sleep = lambda _seconds: None

    def request(self, method: str, path: str, **options: Any) -> Response:
        call = Invocation(method, path, **{**options, "pairs": tuple(options.get("pairs", ()))})
        self.calls.append(call)
        self.sent += 1
        if call.line.startswith(_BY_BARCODE) and call.line not in self.routes:
            raise refusal(404)
        if SAMPLE in call.pairs:
            return page_of(self.samples.get(path, []))
        assert call.line in self.routes, f"unexpected request {call.line} {call.pairs}"
        step = self.routes[call.line]
        is_scripted = callable(step)
        if isinstance(step, list):
            assert step, f"one request too many: {call.line}"
            step = step.pop(0)
        if not isinstance(step, (Response, Exception)):
            step = step(call)
        if isinstance(step, Exception):
            raise step
        assert isinstance(step, Response)
        if call.check is not None:
            call.check(step)
        if method == "GET":
            return step if is_scripted else self._as_changed(path, step)
        self._note_change(method, path, call.body)
        return step

    def _note_change(self, method: str, path: str, body: Any) -> None:
        """Apply an unscripted write to a record."""
        record, _slash, call = path.rpartition("/")
        if method == "DELETE":
            self.deleted.add(path)
        elif method == "PATCH":
            self.changed.setdefault(path, {}).update(body)
        elif method == "PUT":
            self.changed.setdefault(record if call == "status" else path, {}).update(body)
        elif call in ("archive", "unarchive"):
            stamp = "2031-01-01 00:00:00" if call == "archive" else None
            self.changed.setdefault(record, {})["archived_at"] = stamp

    def _as_changed(self, path: str, step: Response) -> Response:
        """Return a record with the changes of earlier writes."""
        if path in self.deleted:
            raise refusal(404)
        if path not in self.changed:
            return step
        flat, changed = step.json(), self.changed[path]
        return answer({**flat, **changed}) if isinstance(flat, dict) else step

    @property
    def lines(self) -> list[str]:
        """Return method and path of every request, in order."""
        return [call.line for call in self.calls]

    def count(self, line: str) -> int:
        """Return how often a request was sent."""
        return self.lines.count(line)

    @property
    def writes(self) -> list[str]:
        """Return the requests that are not SAFE."""
        return [call.line for call in self.calls if call.effect is not Effect.SAFE]


def client_on(
    transport: Transport,
    clock: Clock | None = None,
    unpaged: Iterable[str] = ("field_definition", "task", "file"),
) -> Client:
    """Return a client with a token.

    :param clock: moves when the client sleeps; None: the client really sleeps.
    :param unpaged: the kinds whose lists without a filter are known to be complete in one answer.
    """
    if clock is not None:
        transport.sleep = clock.sleep
    client = Client(transport, Tokens(transport, Credentials(access_token="token-1")))
    client.lists.unpaged = _KnownLists(frozenset(unpaged))
    return client


class _KnownLists(UnpagedLists):
    """Notes that begin with some kinds, whose lists without a filter are complete, however long they are."""

    def __init__(self, known: frozenset[str]) -> None:
        super().__init__()
        self._known = known

    def has(self, kind: str, part: str, records: int) -> bool:
        is_known = kind in self._known and part in ("", "asset", "room", "person")
        return is_known or super().has(kind, part, records)


def page_of(items: Iterable[Mapping[str, Any]], **members: Any) -> Response:
    """Return a page of a list in an envelope."""
    return answer({"items": list(items), **members})


def listing(records: Sequence[Mapping[str, Any]], has_total: bool = True) -> Callable[[Invocation], Response]:
    """Return a step that answers a paged list, and applies ``eq`` and ``in`` filters to texts as instances do."""

    def play(call: Invocation) -> Response:
        pairs = dict(call.pairs)
        found = list(records)
        for name, _value in call.pairs:
            if name.startswith("filter["):
                key, operator = name.removeprefix("filter[").removesuffix("[]").removesuffix("]").split("][")
                wanted = {value for other, value in call.pairs if other == name}
                assert operator in ("eq", "in")
                found = [record for record in found if str(record.get(key)) in wanted]
        if pairs.get("sort[id]") == "DESC":
            found.reverse()
        size, number = int(pairs.get("per_page", "1000")), int(pairs.get("page", "1"))
        members = {"page": number, "per_page": size, "total": len(found)} if has_total else {}
        return page_of(found[(number - 1) * size : number * size], **members)

    return play


def by_uuid(record: Mapping[str, Any] | None) -> Step:
    """Return a step that answers one record, or 404."""
    return answer(record) if record else NotFound(404, "", "TEST")


def record(kind: str, which: int, /, **flat: Any) -> Record:
    """Return a record of a kind as the service returns it."""
    key = KINDS[kind].uuid_keys[0]
    return Record.from_answer(KINDS[kind], {key: uuid_of(which), "id": which, **flat})


def schema_of(kind: str, *fields: Field) -> Schema:
    """Return a schema with these fields only, by default those of the catalogue."""
    return Schema(KINDS[kind], fields) if fields else Schema.for_kind(KINDS[kind])


def definition(key: str, type_name: str = "TEXT", **more: Any) -> JsonMap:
    """Return a field definition as the service returns it.

    The parameters ``constraints`` and ``attributes`` are maps of type to value or list.
    """
    attributes: Mapping[str, Any] = more.pop("attributes", {})
    constraints: Mapping[str, Any] = more.pop("constraints", {})
    return {
        "uuid": str(uuid.uuid5(uuid.NAMESPACE_DNS, key)),
        "field_key": key,
        "label": key.replace("_", " ").title(),
        "field_type": {
            "name": type_name,
            "constraints": [{"type": name, "value": value} for name, value in constraints.items()],
        },
        "comment": None,
        "default_value": None,
        "possible_values": [],
        "attributes": [
            {"type": name, "value": value}
            for name, values in attributes.items()
            for value in (values if isinstance(values, list) else [values])
        ],
        "relations": [],
        **more,
    }


@dataclass
class Looks:
    """A function that records the times of its calls. From a certain call on, it returns the record."""

    clock: Clock
    found: Sequence[Sequence[Record]] = ()
    times: list[float] = field(default_factory=list)

    def __call__(self) -> Sequence[Record]:
        self.times.append(self.clock.now - 1000.0)
        number = len(self.times) - 1
        return self.found[min(number, len(self.found) - 1)] if self.found else []


LISTS = {
    "object": "GET /objects",
    "location": "GET /locations",
    "room": "GET /rooms",
    "person": "GET /persons",
    "user": "GET /users",
    "rental_case": "GET /rental-management/rental-cases",
    "hub_item": "GET /circularity-hub/items",
    "hub_order": "GET /circularity-hub/orders",
    "task": "GET /task-management/tasks",
    "file": "GET /files",
}
OBJECTS = LISTS["object"]


def objects(*numbers: int) -> list[JsonMap]:
    """Return records with the members that every kind requires."""
    return [
        {
            "asset_uuid": uuid_of(number),
            "uuid": uuid_of(number),
            "id": number,
            "barcode": f"{number:04d}",
            "title": "Any",
        }
        for number in numbers
    ]


def listed(transport: FakeTransport, *conditions: Condition, kind: str = "object", **options: Any) -> list[int | None]:
    return [record.id for record in client_on(transport).list_all(KINDS[kind], conditions, **options)]
