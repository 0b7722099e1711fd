# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Conversations with the embedded service, written as YAML: requests, and what is expected of their answers.

The README beside the conversations describes their form.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import requests
import yaml

from .bodies import NOBODY, Absent, code, definition
from .support import Api, Steering

CONVERSATIONS = Path(__file__).parent / "conversations"
_EXPECTED = {"among", "are", "content", "gives", "has", "header", "lacks", "sorted", "status", "times"}
_STEP = _EXPECTED | {"as", "by", "data", "files", "for", "headers", "keep", "timeout"}
_SENT = ("data", "files", "headers", "timeout")
_VARIABLE = re.compile(r"\$(\w+(?:\.\w+)*)|\$\((\w+)\)")

Row = dict[str, Any]


class Body:
    """A valid body with other fields, such as ``!task {title: New}``. The kind of ``!new`` is a variable."""

    def __init__(self, kind: str, fields: Row) -> None:
        self.kind, self.fields = kind, fields

    def build(self, api: Api, fields: Row) -> Any:
        """Return the body."""
        kind = fields.pop("kind") if self.kind == "new" else self.kind
        fields |= fields.pop("more", {})
        if kind == "like":
            return {**fields.pop("record"), **fields}
        if kind == "definition":
            return definition(fields.pop("type", "TEXT"), **fields)
        if kind in ("task", "rental_case"):
            return getattr(api, kind)(**fields)
        least = {
            "object": {"inventory_name": "Thing", "barcode": code()},
            "room": {"name": "Room", "number": code()},
            "location": {"name": "Site"},
            "person": {"first_name": "Ada", "last_name": "Byron", "email": f"{code()}@example.org"},
        }[kind] | fields
        return {"fields": least} if kind == "person" else least


class Some:
    """Equals every value that is not empty."""


class Anything:
    """Equals every value."""


class _Loader(yaml.CSafeLoader):
    """Reads the tags of conversations, and days as texts."""


_Loader.yaml_implicit_resolvers = {
    first: [pair for pair in pairs if not pair[0].endswith(":timestamp")]
    for first, pairs in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def _construct_body(loader: yaml.CSafeLoader, kind: str, node: yaml.Node) -> Body:
    fields = loader.construct_mapping(node, deep=True) if isinstance(node, yaml.MappingNode) else {}
    return Body(kind, {str(key): value for key, value in fields.items()})


_Loader.add_multi_constructor("!", _construct_body)


@functools.cache
def cases() -> dict[str, Row]:
    """Return every conversation by its topic and name."""
    found = {}
    for path in sorted(CONVERSATIONS.glob("*.yml")):
        document = yaml.load(path.read_text("utf-8"), _Loader)
        for name, case in document.items():
            if name.startswith("_"):
                continue
            found[f"{path.stem}: {name}"] = case if isinstance(case, dict) else {"steps": case}
    return found


def shown_sides() -> dict[str, list[str]]:
    """Return the switches with a conversation for each side, and these sides."""
    return {name: list(sides) for case in cases().values() for name, sides in case.get("sides", {}).items()}


def rows(case: Row) -> Iterator[tuple[dict[str, str], Row]]:
    """Yield the sides of switches and the variables with which a conversation takes place."""
    each = case.get("each", [{}])
    if isinstance(each, dict):
        each = [dict(zip(each, values, strict=True)) for values in itertools.product(*each.values())]
    sides = [({name: side}, more) for name, many in case.get("sides", {}).items() for side, more in many.items()]
    for (switches, more), row in itertools.product(sides or [({}, {})], each):
        yield switches, {**more, **row}


class Conversation:
    """A conversation with a service that has its start data."""

    def __init__(self, api: Api, steering: Steering, variables: Row) -> None:
        self._apis, self._steering = {"": api}, steering
        self._known: Row = {"absent": Absent, "some": Some, "any": Anything, "nobody": NOBODY, "mark": code()}
        self._known |= {"about": api.about, "tokens": api.tokens, **variables}
        self._row = variables.keys()
        self._state: Any = None

    def take(self, step: Row) -> None:
        """Send a request, once or for each value of a variable, and check its answer."""
        for name, values in step.get("for", {None: [None]}).items():
            for value in self._filled(values):
                self._known |= {name: value}
                self._take(step)

    def _take(self, step: Row) -> None:
        step = {self._filled(key): value for key, value in step.items()}
        status = self._filled(step.get("status"))
        is_refused = isinstance(status, int) and 400 <= status < 500
        if not is_refused:
            self.end()
        if "account" in step:
            self._sign_in(step["account"], self._filled(step.get("data", {})))
            return
        api = self._apis[step.get("by", "")]
        if "sign_in" in step:
            self._known["tokens"] = api.sign_in(**self._filled(step["sign_in"]))
            return
        try:
            response = self._send(api, step, is_refused)
        except requests.RequestException:
            if status != "broken":
                raise
            return
        self._check(step, response)

    def _sign_in(self, name: str, restrictions: Row) -> None:
        user = self._steering.call("POST", "/users", restrictions)
        self._known[name] = user
        self._apis[name] = Api(self._apis[""].about, self._steering)
        self._apis[name].sign_in(user["username"], user["password"])

    def _send(self, api: Api, step: Row, is_refused: bool) -> requests.Response:
        (request,) = step.keys() - _STEP
        method, path = request.split(" ", 1)
        path, body = self._filled(path), self._filled(step[request])
        options: Row = {name: self._filled(step[name]) for name in _SENT if name in step}
        if method not in ("GET", "HEAD") and step[request] is not None:
            options["json"] = body
        if is_refused:
            self._state = self._state or self._dump()
        if path.startswith("_/"):
            response = self._steering.request(method, path[1:], **options)
            self._steering.switches()
        else:
            response = api.request(method, path, **options)
        return response

    def end(self) -> None:
        """Check that the requests that were refused since the last other one changed nothing."""
        before, self._state = self._state, None
        assert before is None or self._dump() == before, "a refused request changes nothing"

    def _dump(self) -> bytes:
        return self._steering.request("GET", "/dump").content

    def _check(self, step: Row, response: requests.Response) -> None:
        wanted = self._filled(step.get("status", [200, 201, 204]))
        statuses = wanted if isinstance(wanted, list) else [wanted]
        assert response.status_code in statuses, f"{response.status_code} {response.text[:500]}"
        for name, pattern in step.get("header", {}).items():
            assert _matches(self._filled(pattern), response.headers.get(name)), dict(response.headers)
        if "content" in step:
            assert _matches(self._filled(step["content"]), response.text), response.text[:500]
        self._keep(step, response)
        wanted = self._filled(step.get("gives", next((step[key] for key in step if key.startswith("GET ")), None)))
        if wanted is not None:
            assert _matches(wanted, response.json()), f"expected {wanted}\nfound {response.json()}"
        if step.keys() & {"are", "has", "lacks", "sorted"}:
            found = response.json()
            self._check_entries(step, found["items"] if isinstance(found, dict) else found)

    def _keep(self, step: Row, response: requests.Response) -> None:
        """Keep the identifier of a new record, and parts of the answer."""
        if "as" in step:
            created = response.headers.get("Location-UUID") or int(response.headers["Location-ID"])
            self._known[step["as"]] = created
            assert response.headers["Location"].endswith((f"/{created}", f"/{created}/data"))
        for name, place in step.get("keep", {}).items():
            self._known[name] = _part(response.json(), str(self._filled(place)))

    def _check_entries(self, step: Row, entries: list[Any]) -> None:
        if "are" in step:
            found = [entry for entry in entries if _matches(self._filled(step.get("among", {})), entry)]
            assert _matches(self._filled(step["are"]), found), f"expected {self._filled(step['are'])}\nfound {found}"
        if "sorted" in step:
            by, order = self._filled(step["sorted"])
            values = [entry[by] for entry in entries]
            assert values == sorted(values, reverse=order.lower() == "desc"), values
        for word in step.keys() & {"has", "lacks"}:
            number = sum(_matches(self._filled(step[word]), entry) for entry in entries)
            times = self._filled(step["times"]) if "times" in step else max(number, 1)
            assert number == (times if word == "has" else 0), f"{number} times {self._filled(step[word])}: {entries}"

    def _filled(self, value: Any) -> Any:
        """Return a value with variables and bodies filled in."""
        if isinstance(value, str):
            whole = _VARIABLE.fullmatch(value)
            return self._variable(whole) if whole else _VARIABLE.sub(lambda found: str(self._variable(found)), value)
        if isinstance(value, list):
            return [self._filled(entry) for entry in value]
        if isinstance(value, dict):
            return {self._filled(key): self._filled(entry) for key, entry in value.items()}
        if isinstance(value, Body):
            self.end()  # Bodies refer to records that they create.
            return value.build(self._apis[""], self._filled(value.fields))
        return value

    def _variable(self, found: re.Match[str]) -> Any:
        if found[1] == "me" and "me" not in self._known:
            self._known["me"] = self._apis[""].me()["uuid"]
        value = _part(self._known, found[1] or found[2])
        return self._filled(value) if found[0].strip("$()") in self._row else value


def _part(value: Any, place: str) -> Any:
    """Return the part of an answer at a place such as ``items.0.uuid``; ``.`` is all of it."""
    for name in filter(None, place.split(".")):
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


def _matches(wanted: Any, found: Any) -> bool:
    """Compare an answer: maps may have more members, and ``*`` in a text fits anything."""
    if wanted in (Some, Anything):
        return bool(found) or wanted is Anything
    if isinstance(wanted, dict) and isinstance(found, dict):
        return all(
            (key not in found) if value is Absent else key in found and _matches(value, found[key])
            for key, value in wanted.items()
        )
    if isinstance(wanted, list) and isinstance(found, list):
        return len(wanted) == len(found) and all(map(_matches, wanted, found))
    if isinstance(wanted, str) and isinstance(found, str):
        return bool(re.fullmatch(".*".join(map(re.escape, wanted.split("*"))), found, re.DOTALL))
    return bool(wanted == found and isinstance(wanted, bool) == isinstance(found, bool))
