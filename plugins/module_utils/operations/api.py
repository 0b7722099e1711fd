# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Send any request of the interface, for operations that no other module has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from ..client.attempts import PREFIX, Effect
from ..client.client import Client
from ..client.limits import ListLimit
from ..client.transport import Response
from ..errors import InvalidInput, InvalidRequest, NotFound, NotJson, NotProcessable
from ..model.field import integer_of, shorten
from .raw_list import items_of, read_to_end

#: Paths of POST requests that change nothing.
_READING_POSTS = ("circularity-hub/suggest-category", "circularity-hub/suggest-rest-price", "report")


def api(client: Client, options: Mapping[str, Any], check_mode: bool) -> dict[str, Any]:
    """Send one request with any method. A request that may change something is sent once, and never in check mode.

    :param options: method, path, query, body.
    :raises OutcomeUnknown: if the answer to a write is lost; it is never sent again.
    """
    path, is_read = _target(options)
    if is_read:
        return _shown(_read(client, options, path), False)
    if check_mode:
        return {"changed": True, "status": None, "json": None, "uuid": None, "id": None}
    pairs = list(_pairs(options["query"]))
    answer = client.send(options["method"], f"/{path}", Effect.UNSAFE, pairs=pairs, body=options["body"])
    return _shown((answer, _decoded(answer)), True)


def api_info(client: Client, options: Mapping[str, Any]) -> dict[str, Any]:
    """Send one request that changes nothing.

    :param options: method, path, query, body.
    :raises InvalidInput: for a POST that may change something.
    """
    path, is_read = _target(options)
    if not is_read:
        raise InvalidInput(
            f"method: POST {path} may change something; expected one of {', '.join(_READING_POSTS)}, or the module api"
        )
    answer, decoded = _read(client, options, path)
    return {"changed": False, "status": answer.status, "json": decoded}


def _shown(answered: tuple[Response, Any], changed: bool) -> dict[str, Any]:
    answer, decoded = answered
    uuid, number = answer.headers.get("Location-UUID"), integer_of(answer.headers.get("Location-ID"))
    return {"changed": changed, "status": answer.status, "json": decoded, "uuid": uuid, "id": number}


def _target(options: Mapping[str, Any]) -> tuple[str, bool]:
    """Return the path below the prefix, and True if the request changes nothing.

    :raises InvalidInput: for a path that leads elsewhere, or whose answers have tokens.
    """
    written = options["path"]
    path = written.removeprefix("/")
    path = path.removeprefix(PREFIX.removeprefix("/")).removeprefix("/").rstrip("/")
    if "://" in path or any(sign in path for sign in "?#\\") or not path.isprintable():
        raise InvalidInput(
            f"path: {shorten(written)} does not fit; expected what follows {PREFIX}/, such as objects, without a "
            "query (that is the option query)"
        )
    steps = unquote(path).split("/")
    if any(step in ("", ".", "..") for step in steps[:-1]) or steps[-1] in (".", ".."):
        raise InvalidInput(f"path: {shorten(written)} does not fit; no part between slashes may be empty, . or ..")
    if steps[0].casefold() == "auth_token":
        raise InvalidInput("path: auth_token returns tokens, which would be shown; use the module auth_token")
    if options["method"] == "GET" and options["body"] is not None:
        raise InvalidInput("body: a GET has none; write a filter in query")
    return path, options["method"] == "GET" or (options["method"] == "POST" and path in _READING_POSTS)


def _pairs(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield a query as pairs: maps in brackets, lists with ``[]``."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _pairs(inner, f"{name}[{key}]" if name else str(key))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for inner in value:
            yield from _pairs(inner, f"{name}[]")
    elif value is None:
        yield name, ""
    else:
        yield name, str(value).lower() if isinstance(value, bool) else str(value)


def _read(client: Client, options: Mapping[str, Any], path: str) -> tuple[Response, Any]:
    """Return the answer and its decoded body. A list is read to its end, unless the query names a page."""
    pairs = list(_pairs(options["query"]))

    def ask(more: Sequence[tuple[str, str]] = ()) -> tuple[Response, Any]:
        accept = "application/json" if options["method"] == "GET" else "*/*"
        answer = client.send(
            options["method"], f"/{path}", pairs=[*pairs, *more], body=options["body"], accept=_accepted(path, accept)
        )
        return answer, _decoded(answer)

    answer, decoded = ask()
    items = items_of(decoded)
    if options["method"] != "GET" or "page" in (options["query"] or {}) or not items:
        return answer, decoded

    def following(number: int) -> Response | None:
        try:
            return ask([("page", str(number))])[0]
        except (InvalidRequest, NotFound, NotProcessable):
            # The instance does not page this path.
            return None

    found, _is_whole = read_to_end(answer, following, ListLimit(client.transport.limits, "records", len(items)))
    return answer, {**decoded, "items": found} if isinstance(decoded, Mapping) else found


def _accepted(path: str, accept: str) -> str:
    """Return the media types of an answer. Files and pictures are not JSON."""
    return "*/*" if path.endswith(("/data", "/thumbnail")) else accept


def _decoded(answer: Response) -> Any:
    """Return the body decoded from JSON, or None if it is something else."""
    try:
        return answer.json()
    except NotJson:
        return None
