# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages: a call, an answer, a refusal. Nothing here depends on the web server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

PREFIX = "/customer-api/v1"
JSON = "application/json"


@dataclass(frozen=True)
class Upload:
    """The part ``data`` of a multipart body."""

    name: str
    media: str
    content: bytes


@dataclass(frozen=True)
class Call:
    """A completely read request. ``path`` is still percent-encoded; header names are in lower case."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes
    base_url: str
    parts: Mapping[str, Upload] | None = None

    @property
    def media(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


@dataclass
class Answer:
    """A response. Without a media type it has no body."""

    status: int
    body: bytes = b""
    media: str | None = None
    headers: dict[str, str] = field(default_factory=dict)


class Refusal(Exception):
    """Raised if the service refuses a request; the status says why (interface section 7)."""

    def __init__(self, status: int, message: str, *, key: str | None = None, silent: bool = False) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.key = key
        self.silent = silent


def encoded(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def answer_json(value: Any, status: int = 200) -> Answer:
    return Answer(status, encoded(value), JSON)


def no_content() -> Answer:
    return Answer(204)


def bad_request(message: str) -> Refusal:
    return Refusal(400, message)


def not_found(message: str = "The requested resource could not be found") -> Refusal:
    return Refusal(404, message)


def unprocessable(message: str) -> Refusal:
    return Refusal(422, message)


class _NotFinite(ValueError):
    pass


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise _NotFinite(f"the number {text} is out of range")
    return value


def _no_constant(text: str) -> float:
    raise _NotFinite(f"{text} is not JSON")


def parse_json(text: str | bytes) -> Any:
    """Parse JSON strictly: without NaN, infinity and lone surrogates. Raise a 400 if it is invalid."""
    try:
        value = json.loads(text, parse_float=_finite, parse_constant=_no_constant)
        # An escaped half of a surrogate pair is legal, but can't be stored or sent.
        json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise bad_request("Body is nested too deeply") from None
    except ValueError as error:
        raise bad_request(f"Body is not valid JSON: {error}") from None
    return value
