# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A second, small service, written from the interface document alone. It shares no code with the embedded service.

If the document leaves a choice, this service answers in another legal way than the embedded service does by default:

- Lists of objects, rooms, locations and rental cases are ``{items}`` without a total. A page has at most 40 records.
- Users and persons come in the envelope of section 2.8. Names of users are arrays, as in the sample.
- Records carry ``uuid`` and ``id``. Fields without a value are left out. Links are ``{id, uuid, display_name}``.
- A creation answers 200 with the new record, a replacement 200 with ``{}``, a deletion 200 without a body.
- Tokens live for 90 seconds. A refresh token is replaced with each use, and a revocation ends only its own token.
- Errors have a plain text. Only operations of the document, and those that create or remove, exist. The hub is off.

Run ``python tests/second/service.py`` to start it. The first line that it prints is JSON with its address and login.
"""

from __future__ import annotations

import json
import operator
import re
import secrets
import threading
import time
import uuid
from collections.abc import Iterable, Mapping
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

PREFIX = "/customer-api/v1"
PAGE_CAP = 40
TOKEN_SECONDS = 90
ACCOUNT = {"username": "second", "password": "a-password-of-the-second-service", "client_id": "c-2"}
FEATURE_OFF = "The required feature for this endpoint is not active"

Json = dict[str, Any]


class Refused(Exception):
    """Raised for an error answer: the status and a text."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


def builtin(key: str, written: str) -> Json:
    """Return the definition of a field that every instance has, such as ``TEXT mandatory``."""
    name, *rules = written.split()
    attributes = [{"type": rule, "value": "yes"} for rule in rules]
    return {
        "uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, key + written)),
        "field_key": key,
        "field_type": {"name": name, "constraints": []},
        "label": key.replace("_", " ").capitalize(),
        "attributes": [*attributes, {"type": "editable", "value": "web_app"}],
    } | {"comment": "", "default_value": None, "possible_values": [], "relations": []}


FIELDS = {
    "asset": "barcode=BARCODE mandatory unique,inventory_name=TEXT,actual_room=LINKED_ROOM,target_room=LINKED_ROOM,"
    "purchasing_price=MONEY,serial_number=TEXT,part_of=LINKED_ASSET,parts=LINKED_ASSETS",
    "room": "name=TEXT mandatory,number=TEXT,building_id=LINKED_LOCATION mandatory",
    "person": "email=TEXT mandatory unique,first_name=TEXT,last_name=TEXT,department=TEXT",
    "location": "name=TEXT mandatory,address=TEXT,zip=TEXT,city=TEXT,country=TEXT",
}
BUILT_IN = {
    template: [builtin(*field.split("=")) for field in fields.split(",")] for template, fields in FIELDS.items()
}
KINDS = ("object", "room", "location", "person", "user", "task", "rental_case")
TEMPLATES = {"object": "asset", "user": "person", "rental_case": "location"}
LINKS = {f"LINKED_{kind.upper()}": kind for kind in ("location", "room", "person", "user")}
LINKS |= {"LINKED_ASSET": "object", "LINKED_ASSETS": "object"}
ORDER = {"gt": operator.gt, "gte": operator.ge, "lt": operator.lt, "lte": operator.le}


class Instance:
    def __init__(self) -> None:
        self.definitions = {template: list(found) for template, found in BUILT_IN.items()}
        self.records: dict[str, dict[str, Json]] = {kind: {} for kind in KINDS}
        self.tokens: dict[str, float] = {}
        self.refresh: set[str] = set()
        self.add("user", {"email": "second@example.invalid", "firstname": "Second", "lastname": "User"})

    def add(self, kind: str, fields: Json) -> Json:
        numbers = [record["id"] for record in self.records[kind].values()]
        record = {**fields, "uuid": str(uuid.uuid4()), "id": max(numbers, default=0) + 1}
        self.records[kind][record["uuid"]] = record
        return record

    def find(self, kind: str, mark: Any) -> Json:
        for record in self.records[kind].values():
            if mark in (record["uuid"], record["id"]) and not isinstance(mark, bool):
                return record
        raise Refused(404, f"no such {kind}: {mark}")

    def fields_of(self, kind: str) -> list[Json]:
        return self.definitions[TEMPLATES.get(kind, kind)]

    def stored(self, kind: str, written: Json) -> Json:
        """Check written fields and return them as they are stored: links as uuids."""
        known = {definition["field_key"]: definition for definition in self.fields_of(kind)}
        stored = {}
        for key, value in written.items():
            if key not in known:
                raise Refused(400, f"unknown field: {key}")
            stored[key] = None if value in (None, "", []) else self.checked(known[key], value)
        return stored

    def checked(self, definition: Json, value: Any) -> Any:
        name, key = definition["field_type"]["name"], definition["field_key"]
        if name in LINKS:
            if name == "LINKED_ASSETS":
                return [self.find("object", mark)["uuid"] for mark in (value if isinstance(value, list) else [value])]
            if not isinstance(value, (int, str)):
                raise Refused(422, f"{key} takes one id or uuid")
            return self.find(LINKS[name], value)["uuid"]
        if name in ("MONEY", "DECIMAL", "NUMBER"):
            shapes: tuple[type, ...] = (int,) if name == "NUMBER" else (int, float)
            if isinstance(value, bool) or not isinstance(value, shapes):
                raise Refused(400, f"{key} is not a number")
        elif name == "BOOLEAN":
            if not isinstance(value, bool):
                raise Refused(400, f"{key} is no boolean")
        elif not isinstance(value, str) and name != "ATTACHMENT":
            raise Refused(400, f"{key} is no string")
        if name in ("DATE", "REMINDER"):
            is_date(key, value)
        rules = {rule["type"]: rule["value"] for rule in definition["field_type"]["constraints"]}
        allowed = rules.get("allowed_values")
        if allowed and value not in allowed:
            raise Refused(422, f"{key} is none of the allowed values")
        return value

    def shown(self, kind: str, record: Json) -> Json:
        shown = {key: value for key, value in record.items() if value is not None}
        for definition in self.fields_of(kind):
            key, target = definition["field_key"], LINKS.get(definition["field_type"]["name"])
            if target and key in shown:
                marks = shown[key] if isinstance(shown[key], list) else [shown[key]]
                links = [self.link(target, mark) for mark in marks if mark in self.records[target]]
                shown[key] = links if isinstance(shown[key], list) else next(iter(links), None)
        return shown

    def link(self, kind: str, mark: str) -> Json:
        record = self.records[kind][mark]
        names = (record.get(key) for key in ("inventory_name", "name", "email"))
        return {"id": record["id"], "uuid": mark, "display_name": next(filter(None, names), "")}

    def require_complete(self, kind: str, record: Json, others: Iterable[Json]) -> None:
        for definition in self.fields_of(kind):
            rules = {attribute["type"]: attribute["value"] for attribute in definition["attributes"]}
            value = record.get(definition["field_key"])
            if rules.get("mandatory") == "yes" and value is None:
                raise Refused(422, f"{definition['field_key']} is missing")
            if rules.get("unique") == "yes" and any(value == other.get(definition["field_key"]) for other in others):
                raise Refused(422, f"{definition['field_key']} is already in use")


def is_date(key: str, value: Any) -> None:
    if not isinstance(value, str) or not re.fullmatch(r"\d{4}-\d\d-\d\d", value) or not date.fromisoformat(value):
        raise Refused(400, f"{key} is no date")


def comparable(value: Any) -> Any:
    """Return a value in the form that filters and sorts compare. A link is its uuid."""
    return value["uuid"] if isinstance(value, Mapping) else value


def matches(record: Json, conditions: Mapping[str, Mapping[str, Any]]) -> bool:
    return all(
        meets(record.get(key), *condition) for key, operators in conditions.items() for condition in operators.items()
    )


def meets(value: Any, name: str, wanted: Any) -> bool:
    values = wanted if isinstance(wanted, list) else [wanted]
    forms = {str(form) for form in ((value["id"], value["uuid"]) if isinstance(value, Mapping) else (value,))}
    if name in ("empty", "null", "not_empty", "not_null"):
        return (value in (None, "", [])) is not name.startswith("not")
    if name in ("like", "not_like"):
        found = any(str(wanted).lower() in str(comparable(value)).lower() for wanted in values)
        return found is (name == "like")
    if name in ("eq", "in", "neq", "nin"):
        return bool(forms & {str(wanted) for wanted in values}) is (name in ("eq", "in"))
    if value is None:
        return name.endswith("_or_null")
    number = isinstance(value, (int, float))
    left, right = (float(value), float(wanted)) if number else (str(value), str(wanted))
    plain = name.removesuffix("_or_null")
    if plain not in ORDER:
        raise Refused(400, f"unknown operator: {name}")
    return bool(ORDER[plain](left, right))


def conditions_of(query: list[tuple[str, str]]) -> Json:
    """Return the filter of a query, in brackets or as one JSON object."""
    found: Json = {}
    for name, value in query:
        if name == "filter":
            found.update(json.loads(value))
        elif parts := re.fullmatch(r"filter\[([^\]]+)\]\[([^\]]+)\](\[\])?", name):
            operators = found.setdefault(parts[1], {})
            operators[parts[2]] = [*operators.get(parts[2], []), value] if parts[3] else value
    return found


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    instance = Instance()
    lock = threading.Lock()
    body: Any

    def log_message(self, *_words: Any) -> None:
        """Stay silent."""

    def handle_method(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        url = urlsplit(self.path)
        self.query = parse_qsl(url.query, keep_blank_values=True)
        self.created = ""
        try:
            with self.lock:
                self.body = json.loads(content) if content else None
                answer, status = self.route(url.path), 200
        except (Refused, KeyError, TypeError, ValueError, AttributeError) as error:
            answer, status = str(error), getattr(error, "status", 400)
        data = str(answer).encode() if status != 200 else b"" if answer is None else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain" if status != 200 else "application/json")
        self.send_header("Content-Length", str(len(data)))
        if self.created:
            self.send_header("Location", f"http://{self.headers['Host']}{url.path}/{self.created}")
            self.send_header("Location-UUID", self.created)
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_method

    def route(self, path: str) -> Any:
        steps = [unquote(step) for step in path.removeprefix(PREFIX).strip("/").split("/")]
        if steps == ["auth_token"] and self.command == "POST":
            return self.grant()
        token = self.require_token()
        if steps == ["auth_token"]:
            return self.instance.tokens.pop(token) and None
        if steps[0] == "circularity-hub":
            raise Refused(403, FEATURE_OFF)
        if steps[0] == "asset-tracking":
            return self.definition(steps[1], steps[2:])
        if steps[0] in ("task-management", "rental-management"):
            return self.case(steps[1:])
        if steps == ["persons", "create-user"] and self.command == "POST":
            return self.create_user()
        if len(steps) == 1 and self.command == "GET" and steps[0].removesuffix("s") in self.instance.records:
            return self.listed(steps[0].removesuffix("s"))
        return self.record(steps)

    def require_token(self) -> str:
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        if self.instance.tokens.get(token, 0) < time.monotonic():
            raise Refused(401, "access token is missing or invalid")
        return token

    def grant(self) -> Json:
        body, instance = self.body, self.instance
        if body["grant_type"] == "refresh_token":
            if body["refresh_token"] not in instance.refresh:
                raise Refused(401, "refresh token is invalid")
            instance.refresh.discard(body["refresh_token"])
        elif any(body.get(key) != value for key, value in ACCOUNT.items()):
            raise Refused(401, "wrong credentials")
        access, refresh = secrets.token_hex(24), secrets.token_hex(24)
        instance.tokens[access] = time.monotonic() + TOKEN_SECONDS
        instance.refresh.add(refresh)
        lasting = {"expires_in": TOKEN_SECONDS, "token_type": "Bearer", "user_id": 1}
        return {"access_token": access, "refresh_token": refresh, **lasting}

    def definition(self, template: str, steps: list[str]) -> Any:
        found = self.instance.definitions[template]
        if steps == ["field-definitions"]:
            return found
        if self.command == "POST":
            new = {**self.body, "uuid": str(uuid.uuid4()), "field_key": f"f{len(found)}_{secrets.token_hex(3)}"}
            found.append(new)
            self.created = new["uuid"]
            return new
        for number, record in enumerate(found):
            if record["uuid"] == steps[1]:
                if self.command == "PUT":
                    found[number] = {**self.body, "uuid": record["uuid"], "field_key": record["field_key"]}
                    return {}
                return record
        raise Refused(404, "no such definition")

    def matching(self, kind: str) -> list[Json]:
        """Return the records that the query asks for, in its order."""
        conditions = conditions_of(self.query)
        shown = [self.instance.shown(kind, record) for record in self.instance.records[kind].values()]
        found = [record for record in shown if matches(record, conditions)]
        options = dict(self.query)
        sorts = [(match[1], value) for name, value in self.query if (match := re.fullmatch(r"sort\[(.+)\]", name))]
        if options.get("sort_by"):
            sorts.append((options["sort_by"], options.get("order", "asc")))
        for key, direction in reversed(sorts):
            found.sort(key=lambda record: str(comparable(record.get(key, ""))), reverse=direction.lower() == "desc")
        return found

    def listed(self, kind: str) -> Any:
        options, found = dict(self.query), self.matching(kind)
        page, size = int(options.get("page", 1)), min(int(options.get("per_page", 20)), PAGE_CAP)
        items = found[(page - 1) * size : page * size]
        if kind not in ("person", "user"):
            return {"items": items}
        order = {"sort_by": options.get("sort_by", ""), "order": options.get("order", "asc")}
        return {"items": items, "page": page, "per_page": size, **order, "total": len(found)}

    def record(self, steps: list[str]) -> Any:
        instance, kind = self.instance, steps[0]
        if kind not in instance.records or len(steps) > 2 or self.command == "PUT":
            raise Refused(404, "no such operation")
        if len(steps) == 1 and self.command == "POST":
            fields = instance.stored(kind, self.body["fields"] if kind == "person" else self.body)
            instance.require_complete(kind, fields, instance.records[kind].values())
            record = instance.add(kind, fields)
            self.created = record["uuid"]
            return instance.shown(kind, record)
        record = instance.find(kind, steps[1])
        if self.command == "PATCH":
            changed = {**record, **instance.stored(kind, self.body)}
            others = [other for other in instance.records[kind].values() if other is not record]
            instance.require_complete(kind, changed, others)
            record.update(changed)
        elif self.command == "DELETE":
            del instance.records[kind][record["uuid"]]
            return None
        return instance.shown(kind, record)

    def create_user(self) -> None:
        instance = self.instance
        for person in list(instance.records["person"].values()):
            if matches(person, self.body["filter"]):
                names = {"firstname": person.get("first_name") or "", "lastname": person.get("last_name") or ""}
                instance.add("user", {"email": person["email"], **names, "display_name": list(names.values())})

    def case(self, steps: list[str]) -> Any:
        instance, kind = self.instance, "task" if steps[0].startswith("task") else "rental_case"
        if steps[0] == "tasks":
            options = {name: value for name, value in self.query if name == "status"}
            return [task for task in instance.records[kind].values() if options.items() <= task.items()]
        if steps[0] == "rental-cases":
            return self.listed(kind)
        if len(steps) == 1:
            if kind == "rental_case" and not 1 <= len(self.body["references"]) <= 100:
                raise Refused(400, "1 to 100 references are required")
            record = instance.add(kind, self.as_stored(kind, self.body))
            self.created = record["uuid"]
            return record
        record = instance.find(kind, steps[1])
        if steps[2:] == ["status"]:
            record["status"] = self.body["status"]
            return {}
        if self.command == "PUT":
            record.update(self.as_stored(kind, {"status": record["status"], **self.body}))
            return {}
        if self.command == "DELETE":
            del instance.records[kind][record["uuid"]]
            return None
        return record

    def as_stored(self, kind: str, body: Json) -> Json:
        """Check the body of a task or a rental case and return what is stored."""
        for key in ("deadline",) if kind == "task" else ("issue_date", "due_date"):
            is_date(key, body[key])
        references = []
        for reference in body["references"]:
            link = self.instance.link("object", self.instance.find("object", reference["uuid"])["uuid"])
            references.append({"type": "asset", "uuid": link["uuid"], "id": link["id"], "name": link["display_name"]})
        more: Json = {"references": references, "attachments": body.get("attachments") or []}
        if kind == "task":
            if len(body["assignees"]) != 1 or len(body["reminders"]) > 2:
                raise Refused(400, "exactly 1 assignee and at most 2 reminders are required")
            more |= {"slug": f"T-{secrets.token_hex(2)}", "author": self.instance.find("user", 1)["uuid"]}
        first = "open" if kind == "task" else "requested"
        written = {key: value for key, value in body.items() if key not in ("uuid", "notify")}
        return {"status": first, "comment": "", **written, **more}


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    address = f"http://127.0.0.1:{server.server_address[1]}"
    print(json.dumps({"base_url": address, **ACCOUNT}), flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
