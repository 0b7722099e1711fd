# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The parts of an AWX controller that awx.awx uses: lists by name, creations, changes, associations, surveys."""

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
_DEFAULTS: dict[str, type | tuple[type, ...]] = {
    "text": str, "textarea": str, "password": str, "multiplechoice": str, "multiselect": str,
    "integer": int, "float": (int, float),
}  # fmt: skip
"""Type of a question to the types that its default may have."""
_SPEC = {"name": str, "description": str, "spec": list}
_QUESTION = {"type": str, "question_name": str, "variable": str, "required": bool}
_HELD = "$encrypted$"


def survey_problems(survey: Json) -> list[str]:
    """List the mistakes that AWX 24 finds in a survey when it is added to a template."""
    problems = [
        f"{name} is no {kind.__name__}" for name, kind in _SPEC.items() if not isinstance(survey.get(name), kind)
    ]
    if problems:
        return problems
    if not survey["spec"]:
        return ["there is no question"]
    variables: set[str] = set()
    for number, question in enumerate(survey["spec"]):
        if not isinstance(question, dict):
            return [*problems, f"question {number} is no mapping"]
        wrong = [
            f"{name} is no {kind.__name__}"
            for name, kind in _QUESTION.items()
            if not isinstance(question.get(name), kind)
        ]
        problems += [f"question {number}: {problem}" for problem in wrong or _question_problems(question)]
        if not wrong and question["variable"] in variables:
            problems.append(f"question {number}: {question['variable']} is asked for twice")
        variables.add(str(question.get("variable")))
    return problems


def _question_problems(question: Json) -> list[str]:
    kind = question["type"]
    if kind not in _DEFAULTS:
        return [f"{kind} is no type of a question"]
    default = question.get("default", "")
    problems = []
    if default != "" and not isinstance(default, _DEFAULTS[kind]):
        problems.append(f"the default of the type {kind} can't be {default!r}")
    limits = [name for name in ("min", "max") if not isinstance(question.get(name), int | None)]
    problems += [f"{name} is no int" for name in limits]
    if kind in ("multiplechoice", "multiselect"):
        problems += _choice_problems(kind, question.get("choices"), default)
    elif isinstance(default, str) and default.startswith(_HELD):
        problems.append(f"no default begins with {_HELD}")
    return problems


def _choice_problems(kind: str, choices: Any, default: Any) -> list[str]:
    if not isinstance(choices, str | list):
        return ["there are no choices"]
    known = choices.splitlines() if isinstance(choices, str) else choices
    chosen = [line for line in str(default).splitlines() if line.strip()]
    if kind == "multiplechoice" and len(chosen) > 1:
        return ["there are several defaults"]
    return ["the default is no choice"] if any(choice not in known for choice in chosen) else []


@dataclass
class Controller:
    """A controller with the created records.

    :ivar items: plural of a type to its records.
    :ivar linked: path of a record to its linked records.
    """

    url: str = ""
    items: dict[str, list[Json]] = field(default_factory=lambda: {"organizations": [{"id": 1, "name": "Default"}]})
    linked: dict[str, list[Any]] = field(default_factory=dict)
    writes: list[str] = field(default_factory=list)

    def get(self, path: str, query: dict[str, str]) -> Json | None:
        """Return a list by name, one record, or its linked records."""
        # Schedulable templates are a list of their own, with several types.
        path = path.replace("unified_job_templates", "job_templates")
        parts = path.split("/")
        if len(parts) == 1:
            wanted = {key: value for key, value in query.items() if key in ("name", "inventory", "credential_type")}
            found = [
                item
                for item in self.items.get(parts[0], [])
                if all(str(item.get(key, value)) == value for key, value in wanted.items())
            ]
            return {"count": len(found), "next": None, "results": [self._shown(parts[0], item) for item in found]}
        if len(parts) == 2:
            found = [item for item in self.items.get(parts[0], []) if str(item["id"]) == parts[1]]
            return self._shown(parts[0], found[0]) if found else None
        linked = self.linked.get(path, [])
        if parts[2] == "survey_spec":
            return linked[-1] if linked else {}
        return {"count": len(linked), "next": None, "results": linked}

    def post(self, path: str, body: Json) -> tuple[int, Json]:
        """Create a record, or link a record to another."""
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
        """Change a record."""
        self.writes.append(f"PATCH {path}")
        kind, number = path.split("/")[:2]
        record = next(item for item in self.items[kind] if str(item["id"]) == number)
        record.update(body)
        return self._shown(kind, record)

    def _shown(self, kind: str, record: Json) -> Json:
        own = f"{_PREFIX}{kind}/{record['id']}/"
        related = {name: f"{own}{link}/" for name, link in _LINKS.items()}
        state = {"status": "successful", "scm_revision": "", "summary_fields": {}}
        return {"type": kind.removesuffix("s"), "url": own, "related": related, **state, **record}


@contextlib.contextmanager
def running() -> Iterator[Controller]:
    """Yield a controller on a free port."""
    controller = Controller()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *_values: object) -> None:
            """Print nothing."""

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
