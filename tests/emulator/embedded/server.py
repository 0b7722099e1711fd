# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The web server around the gateway: read requests, wait, and send whole or broken answers."""

from __future__ import annotations

import asyncio
import socket
import struct

from aiohttp import BodyPartReader, web
from aiohttp.http_exceptions import HttpProcessingError

from .gateway import Gateway
from .messages import Answer, Call, Refusal, Upload, answer_json
from .steering.calls import ADMIN, Steering
from .steering.guard import check_host

# Slightly more than the largest file, so that the service can reject a file as too large.
_MOST_READ = 52_428_800 + 1
_MOST_JSON = 32 * 2**20
_CHUNK = 2**16
_RESET = struct.pack("ii", 1, 0)


class Server:
    """Answer every request: the service below its prefix, and the steering calls."""

    def __init__(self, gateway: Gateway, steering: Steering) -> None:
        self.gateway = gateway
        self.steering = steering
        self.base_url = ""
        self._timer: asyncio.TimerHandle | None = None

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        path, _question, query = _clean(request.raw_path).partition("#")[0].partition("?")
        try:
            check_host(request.headers.get("Host"))
        except Refusal as foreign:
            return _response(answer_json({"message": foreign.message}, foreign.status))
        if path == ADMIN or path.startswith(f"{ADMIN}/"):
            call, problem = await self._read(request, path, query)
            return _response(self.gateway.service.refused(problem) if problem else self.steering.answer(call))
        return await self._serve(request, path, query)

    async def _serve(self, request: web.BaseRequest, path: str, query: str) -> web.StreamResponse:
        call, problem = await self._read(request, path, query)
        exchange = self.gateway.take(call, problem)
        if exchange.latency:
            await asyncio.sleep(exchange.latency)
        answer = self.gateway.answer(exchange)
        self._wake()
        if answer is None:
            return _reset(request)
        if exchange.fault == "half_body" and answer.body:
            return await _half(request, answer)
        return _response(answer)

    def _wake(self) -> None:
        """Commit pending requests when they are due, so that a kill does not lose them."""
        self.gateway.settle()
        if self._timer:
            self._timer.cancel()
        due = self.gateway.next_due
        self._timer = None if due is None else asyncio.get_running_loop().call_later(due, self._wake)

    async def _read(self, request: web.BaseRequest, path: str, query: str) -> tuple[Call, Refusal | None]:
        """Return the request as a call, and the problem with its form, if any."""
        headers = {name.lower(): _clean(value) for name, value in request.headers.items()}
        parts, body, problem = None, b"", None
        if headers.get("expect", "").lower() == "100-continue":
            # Clients such as curl ask before they send a large body, and wait a second for the answer.
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
    """Return a text from the head of a request without invalid UTF-8, which cannot be logged or stored."""
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
    """Return the parts of a multipart body. Bytes beyond the largest file are read and dropped."""
    found: dict[str, Upload] = {}
    try:
        async for part in await request.multipart():
            if not isinstance(part, BodyPartReader):
                raise Refusal(400, "The body is not a form with files")
            content = bytearray()
            while chunk := await part.read_chunk(_CHUNK):
                content += chunk[: _MOST_READ - len(content)]
            media = part.headers.get("Content-Type", "").partition(";")[0].strip().lower()
            # A part without a file name is a form field, not a file.
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
    """Reset the connection, so that the client does not see a regular end."""
    transport = request.transport
    if transport is not None:
        sock = transport.get_extra_info("socket")
        if sock is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        transport.abort()
    return web.Response(status=500)


async def _half(request: web.BaseRequest, answer: Answer) -> web.StreamResponse:
    """Announce the whole body, send half of it, and close the connection."""
    response = web.StreamResponse(status=answer.status, headers=answer.headers)
    response.headers["Content-Type"] = answer.media or "application/octet-stream"
    response.content_length = len(answer.body)
    await response.prepare(request)
    await response.write(answer.body[: len(answer.body) // 2])
    if request.transport is not None:
        request.transport.close()
    return response
