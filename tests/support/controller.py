# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A controller as far as the modules of awx.awx need one: lists by name, creations, changes, associations, surveys."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

Json = dict[str, Any]

_PREFIX = "/api/v2/"
_LINKS = {"credentials": "credentials", "survey_spec": "survey_spec"}
_TYPES = {"text", "textarea", "password", "multiplechoice", "multiselect", "integer", "float"}


def survey_problems(spec: Json) -> list[str]:
    """Lists what AWX refuses in a survey, as its interface documents it."""
    problems = [f"{name} is missing" for name in ("name", "description", "spec") if name not in spec]
    names: set[str] = set()
    for question in spec.get("spec", ()):
        name = question.get("variable", "")
        missing = {"type", "question_name", "variable", "required"} - question.keys()
        problems += [f"{name}: {one} is missing" for one in sorted(missing)]
        if question.get("type") not in _TYPES:
            problems.append(f"{name}: {question.get('type')} is no type of a question")
        if name in names:
            problems.append(f"{name} is asked for twice")
        names.add(name)
        choices = question.get("choices")
        if str(question.get("type")).startswith("multi"):
            if not choices or not all(isinstance(one, str) for one in choices):
                problems.append(f"{name}: choices are texts")
            elif any(one not in choices for one in str(question.get("default") or "").split("\n") if one):
                problems.append(f"{name}: the default is no choice")
        if question.get("type") == "integer" and not (
            question.get("min", 0) <= question.get("default", 0) <= question.get("max", 0)
        ):
            problems.append(f"{name}: the default lies outside of the limits")
    return problems


@dataclass
class Controller:
    """A controller with what the modules made.

    :ivar items: plural of a type to its records. :ivar linked: path of a record to what was linked to it.
    """

    url: str = ""
    items: dict[str, list[Json]] = field(default_factory=lambda: {"organizations": [{"id": 1, "name": "Default"}]})
    linked: dict[str, list[Any]] = field(default_factory=dict)
    writes: list[str] = field(default_factory=list)

    def get(self, path: str, query: dict[str, str]) -> Json | None:
        """Answers a list by name, one record, or what is linked to one."""
        # What a schedule can start is a list of its own, of several types.
        path = path.replace("unified_job_templates", "job_templates")
        parts = path.split("/")
        if len(parts) == 1:
            wanted = {key: value for key, value in query.items() if key in ("name", "inventory", "credential_type")}
            found = [
                one
                for one in self.items.get(parts[0], [])
                if all(str(one.get(key, value)) == value for key, value in wanted.items())
            ]
            return {"count": len(found), "next": None, "results": [self._shown(parts[0], one) for one in found]}
        if len(parts) == 2:
            found = [one for one in self.items.get(parts[0], []) if str(one["id"]) == parts[1]]
            return self._shown(parts[0], found[0]) if found else None
        held = self.linked.get(path, [])
        if parts[2] == "survey_spec":
            return held[-1] if held else {}
        return {"count": len(held), "next": None, "results": held}

    def post(self, path: str, body: Json) -> tuple[int, Json]:
        """Makes a record, or links something to one."""
        self.writes.append(f"POST {path}")
        parts = path.split("/")
        if len(parts) == 1:
            record = {"id": 10 + sum(map(len, self.items.values())), **body}
            self.items.setdefault(path, []).append(record)
            return 201, self._shown(path, record)
        if parts[2] == "survey_spec":
            if problems := survey_problems(body):
                return 400, {"error": problems}
            self.linked[path] = [body]
            return 200, {}
        self.linked.setdefault(path, []).append(body)
        return 204, {}

    def patch(self, path: str, body: Json) -> Json:
        """Changes a record."""
        self.writes.append(f"PATCH {path}")
        kind, number = path.split("/")[:2]
        record = next(one for one in self.items[kind] if str(one["id"]) == number)
        record.update(body)
        return self._shown(kind, record)

    def _shown(self, kind: str, record: Json) -> Json:
        own = f"{_PREFIX}{kind}/{record['id']}/"
        related = {name: f"{own}{link}/" for name, link in _LINKS.items()}
        state = {"status": "successful", "scm_revision": "", "summary_fields": {}}
        return {"type": kind.removesuffix("s"), "url": own, "related": related, **state, **record}


@contextlib.contextmanager
def running() -> Iterator[Controller]:
    """A controller on a free port."""
    controller = Controller()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *_values: object) -> None:
            """Prints nothing."""

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            found = controller.get(self._path(), dict(parse_qsl(parts.query)))
            self._answer(404 if found is None else 200, found or {})

        def do_POST(self) -> None:
            self._answer(*controller.post(self._path(), self._body()))

        def do_PATCH(self) -> None:
            self._answer(200, controller.patch(self._path(), self._body()))

        def _path(self) -> str:
            return urlsplit(self.path).path.removeprefix(_PREFIX).strip("/")

        def _body(self) -> Json:
            body: Json = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
            return body

        def _answer(self, status: int, body: Json) -> None:
            content = b"" if status == 204 else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("X-API-Product-Name", "AWX")
            self.send_header("X-API-Product-Version", "24.6.1")
            self.end_headers()
            self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    controller.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield controller
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
