# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The web server around the service: reads requests, lets faults happen, keeps the log."""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from datetime import UTC, datetime

from aiohttp import BodyPartReader, web
from aiohttp.http_exceptions import HttpProcessingError

from .faults import AFTER, Faults, RateLimit, Rule, answer_for, not_json, rate_headers, too_many
from .journal import Journal
from .messages import Answer, Call, Refusal, Upload, answer_json
from .service import Service
from .steering.calls import ADMIN, Steering
from .steering.guard import check_host

# A little more than the largest file, so that it can be told that its file is too large.
_MOST_READ = 52_428_800 + 1
_MOST_JSON = 32 * 2**20
_CHUNK = 2**16
_RESET = struct.pack("ii", 1, 0)


class Server:
    """Answers every request: the service below its prefix, the steering calls beside it."""

    def __init__(self, service: Service, steering: Steering, journal: Journal, faults: Faults) -> None:
        self.service = service
        self.steering = steering
        self.journal = journal
        self.faults = faults
        self.base_url = ""

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        path, _question, query = _clean(request.raw_path).partition("#")[0].partition("?")
        try:
            check_host(request.headers.get("Host"))
        except Refusal as foreign:
            return _response(answer_json({"message": foreign.message}, foreign.status))
        if path == ADMIN or path.startswith(f"{ADMIN}/"):
            call, problem = await self._read(request, path, query)
            return _response(self.service.refused(problem) if problem else self.steering.answer(call))
        return await self._serve(request, path, query)

    async def _serve(self, request: web.BaseRequest, path: str, query: str) -> web.StreamResponse:
        started, clock = datetime.now(UTC), time.perf_counter()
        call, problem = await self._read(request, path, query)
        latency, rule = self.faults.decide(call.method, call.path)
        if latency:
            await asyncio.sleep(latency)
        answer, status = self._carried_out(call, problem, rule)
        fault = rule.fault if rule else None
        self.journal.note(call, status, started, time.perf_counter() - clock, fault)
        if answer is None:
            return _reset(request)
        if self.service.weather["rate_headers"] == "given":
            answer.headers.update(rate_headers(self.steering.rate_limit))
        if fault == "half_body" and answer.body:
            return await _half(request, answer)
        return _response(answer)

    def _carried_out(self, call: Call, problem: Refusal | None, rule: Rule | None) -> tuple[Answer | None, int | None]:
        """The answer that goes out, None for a reset; and the status that the client sees."""
        if rule and rule.fault == "reset_before":
            return None, None
        if rule and rule.fault not in AFTER:
            answer = answer_for(rule)
            return answer, answer.status
        limit: RateLimit | None = self.steering.rate_limit
        wait = limit.wait() if limit else 0.0
        if wait:
            return too_many(wait, self.service.weather["retry_after"]), 429
        answer = self.service.refused(problem) if problem else self.service.answer(call)
        if rule is None or (rule.fault == "half_body" and answer.body):
            return answer, answer.status
        if rule.fault in ("reset_after", "half_body"):
            return None, None
        answer = not_json(answer) if rule.fault == "not_json" else answer_for(rule)
        return answer, answer.status

    async def _read(self, request: web.BaseRequest, path: str, query: str) -> tuple[Call, Refusal | None]:
        """The request as a call, and what is wrong with it before anybody has looked at it."""
        headers = {name.lower(): _clean(value) for name, value in request.headers.items()}
        parts, body, problem = None, b"", None
        if headers.get("expect", "").lower() == "100-continue":
            # Clients such as curl ask before they send much, and wait a second when nobody answers.
            await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            request.writer.output_size = 0
        try:
            if request.content_type == "multipart/form-data":
                parts = await _parts(request)
            else:
                body = await _body(request)
        except Refusal as refusal:
            problem = refusal
        except (web.RequestPayloadError, HttpProcessingError) as error:
            problem = Refusal(400, f"The body cannot be read: {error}")
        host = headers.get("host")
        base_url = f"http://{host}" if host else self.base_url
        return Call(request.method, path, query, headers, body, base_url, parts), problem


def _clean(text: str) -> str:
    """A text of the head of a request, with what is not UTF-8 replaced: it could be neither logged nor stored."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


async def _body(request: web.BaseRequest) -> bytes:
    chunks, size = [], 0
    async for chunk in request.content.iter_chunked(_CHUNK):
        size += len(chunk)
        if size <= _MOST_JSON:
            chunks.append(chunk)
    if size > _MOST_JSON:
        raise Refusal(400, "The body is too large")
    return b"".join(chunks)


async def _parts(request: web.BaseRequest) -> dict[str, Upload]:
    """The parts of a multipart body. What exceeds the largest file is read and dropped."""
    found: dict[str, Upload] = {}
    try:
        async for part in await request.multipart():
            if not isinstance(part, BodyPartReader):
                raise Refusal(400, "The body is not a form with files")
            content = bytearray()
            while chunk := await part.read_chunk(_CHUNK):
                content += chunk[: _MOST_READ - len(content)]
            media = part.headers.get("Content-Type", "").partition(";")[0].strip().lower()
            # A part without a file name is a field of a form, not a file.
            if part.filename is not None:
                found[_clean(part.name or "")] = Upload(_clean(part.filename), _clean(media), bytes(content))
    except (ValueError, AssertionError, RuntimeError, LookupError, HttpProcessingError) as error:
        raise Refusal(400, f"The body is no multipart form: {error}") from None
    return found


def _response(answer: Answer) -> web.Response:
    response = web.Response(status=answer.status, body=answer.body or None, headers=answer.headers)
    if answer.media:
        response.headers["Content-Type"] = answer.media
    else:
        response.headers.pop("Content-Type", None)
    return response


def _reset(request: web.BaseRequest) -> web.StreamResponse:
    """Break the connection the hard way: the client sees a reset, not an end."""
    transport = request.transport
    if transport is not None:
        sock = transport.get_extra_info("socket")
        if sock is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        transport.abort()
    return web.Response(status=500)


async def _half(request: web.BaseRequest, answer: Answer) -> web.StreamResponse:
    """Promise the whole body, send half of it, and hang up."""
    response = web.StreamResponse(status=answer.status, headers=answer.headers)
    response.headers["Content-Type"] = answer.media or "application/octet-stream"
    response.content_length = len(answer.body)
    await response.prepare(request)
    await response.write(answer.body[: len(answer.body) // 2])
    if request.transport is not None:
        request.transport.close()
    return response
