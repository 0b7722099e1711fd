# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One session with an instance: retries, the rate limit, TLS, secrets."""

from __future__ import annotations

import datetime as dt
import functools
import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import requests
import trustme
import urllib3
from requests.structures import CaseInsensitiveDict

from ansible_collections.community.seventhings.plugins.module_utils import errors
from ansible_collections.community.seventhings.plugins.module_utils.client.attempts import Effect
from ansible_collections.community.seventhings.plugins.module_utils.client.connection import instance_root
from ansible_collections.community.seventhings.plugins.module_utils.client.rate_limit import RateLimit
from ansible_collections.community.seventhings.plugins.module_utils.client.session import is_local
from ansible_collections.community.seventhings.plugins.module_utils.client.transport import Tls, Transport, retry_after
from ansible_collections.community.seventhings.plugins.module_utils.errors import (
    ConnectionFailed,
    InvalidInput,
    NotJson,
    OutcomeUnknown,
    SeventhingsError,
    WriteRefused,
)

from ..support import Clock

SAFE, IDEMPOTENT, UNSAFE = Effect.SAFE, Effect.IDEMPOTENT, Effect.UNSAFE
SECRET = "s3cr3t-t0ken-0123456789"


@dataclass
class Scripted:
    """A scripted answer of the library."""

    status_code: int
    body: bytes | Exception = b""
    headers: Any = field(default_factory=CaseInsensitiveDict)
    request: Any = None

    @property
    def content(self) -> bytes:
        if isinstance(self.body, Exception):
            raise self.body
        return self.body

    def iter_content(self, size: int) -> Iterator[bytes]:
        yield self.content[:size]

    def close(self) -> None:
        pass

    def __enter__(self) -> Scripted:
        return self

    def __exit__(self, *_exception: object) -> None:
        pass


@dataclass
class Wire:
    """A replacement for the library's session that plays one step for each request."""

    steps: list[Any]
    sent: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, _session: Any, method: str, url: str, **options: Any) -> Scripted:
        prepared = requests.Request(method, url, headers=options.get("headers"), auth=options.get("auth")).prepare()
        self.sent.append({"method": method, "url": url, "prepared": prepared, **options})
        assert self.steps, f"one request too many: {method} {url}"
        step = self.steps.pop(0)
        if isinstance(step, Exception):
            raise step
        assert isinstance(step, Scripted)
        step.request = prepared
        return step


Play = Callable[..., Wire]


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Play:
    def script(*steps: Any) -> Wire:
        wire = Wire(list(steps))
        monkeypatch.setattr(requests.Session, "request", functools.partialmethod(wire))
        return wire

    return script


def ok(body: Any = None, status: int = 200) -> Scripted:
    return Scripted(status, b"" if body is None else json.dumps(body).encode())


def error(status: int, body: Any = b"", **headers: str) -> Scripted:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Scripted(status, content, CaseInsensitiveDict(named))


def timed_out() -> Exception:
    return requests.exceptions.ReadTimeout("HTTPSConnectionPool(host='acme.test', port=443): Read timed out.")


def broken() -> Exception:
    return requests.exceptions.ConnectionError(urllib3.exceptions.ProtocolError("Connection aborted.", OSError()))


def half_a_body() -> Scripted:
    return Scripted(200, requests.exceptions.ChunkedEncodingError("Connection broken: IncompleteRead"))


def never_connected() -> Exception:
    pool: Any = None
    reason = urllib3.exceptions.NewConnectionError(pool, "Failed to establish: Connection refused")
    return requests.exceptions.ConnectionError(urllib3.exceptions.MaxRetryError(pool, "/x", reason))


def no_connection_in_time() -> Exception:
    return requests.exceptions.ConnectTimeout("Connection to acme.test timed out.")


def proxy_failed() -> Exception:
    return requests.exceptions.ProxyError("Cannot connect to proxy.")


def transport(clock: Clock, **options: Any) -> Transport:
    rate = RateLimit(0, clock, clock.sleep, chance=lambda: 0.0)
    return Transport("https://acme.test", rate=rate, sleep=clock.sleep, secrets={SECRET}, **options)


# ---- what is repeated


@dataclass(frozen=True)
class Failure:
    """A way in which a request fails.

    :ivar step: what happens on the wire. :ivar error: raised if a read fails each time; None: the service may be down.
    :ivar repeats: the effects with which the request is sent again.
    :ivar status: of the answer, if there was one.
    """

    step: Callable[[], Any]
    error: type[Exception] | None
    repeats: frozenset[Effect] = frozenset({SAFE})
    status: int | None = None


ALWAYS = frozenset(Effect)
FAILURES = {
    "refused": Failure(lambda: error(429), errors.TooManyRequests, ALWAYS),
    "never connected": Failure(never_connected, ConnectionFailed, ALWAYS),
    "no connection in time": Failure(no_connection_in_time, ConnectionFailed, ALWAYS),
    "proxy": Failure(proxy_failed, ConnectionFailed, ALWAYS),
    "500 of the service": Failure(
        lambda: error(500, {"message": "Internal"}), errors.InternalError, frozenset({SAFE, IDEMPOTENT}), 500
    ),
    "500 of a proxy": Failure(lambda: error(500), errors.InternalError, status=500),
    "502": Failure(lambda: error(502, b"<h1>Bad gateway</h1>"), None, status=502),
    "503": Failure(lambda: error(503), None, status=503),
    "504": Failure(lambda: error(504), None, status=504),
    "time": Failure(timed_out, ConnectionFailed),
    "broken": Failure(broken, None),
    "page": Failure(lambda: Scripted(200, b"\n<!DOCTYPE html>\n<html>Please wait</html>"), NotJson, status=200),
}


@pytest.mark.parametrize("effect", Effect)
@pytest.mark.parametrize("name", FAILURES)
def test_a_request_is_sent_again_only_if_that_does_no_harm(name: str, effect: Effect, play: Play, clock: Clock) -> None:
    failure = FAILURES[name]
    wire = play(failure.step(), failure.step(), ok({"a": 1}))
    sender = transport(clock)
    if effect in failure.repeats:
        assert sender.request("PATCH", "/object/x", effect=effect, body={"b": 1}).json() == {"a": 1}
        assert [sent["data"] for sent in wire.sent] == [b'{"b": 1}'] * 3
        assert (sender.sent, len(clock.slept)) == (3, 2)
        return
    with pytest.raises(OutcomeUnknown) as caught:
        sender.request("PATCH", "/object/x", effect=effect, body={"b": 1})
    # The service itself is done with a request that it answers.
    assert (caught.value.status, caught.value.is_lost) == (failure.status, name != "500 of the service")
    assert (len(wire.sent), clock.slept) == (1, [])
    # The service says itself why it failed, and the message about a page shows its beginning.
    assert ("outcome is unknown." in caught.value.message) is (name not in ("500 of the service", "page"))


@pytest.mark.parametrize("name", [name for name, failure in FAILURES.items() if failure.error and name != "refused"])
@pytest.mark.parametrize("retries", [0, 1, 3])
def test_after_the_last_repeat_the_failure_is_reported(name: str, retries: int, play: Play, clock: Clock) -> None:
    failure = FAILURES[name]
    wire = play(*[failure.step() for _number in range(retries + 1)])
    assert failure.error is not None
    with pytest.raises(failure.error):
        transport(clock, retries=retries).request("GET", "/objects")
    assert len(wire.sent) == retries + 1


@pytest.mark.parametrize("step", [half_a_body, lambda: Scripted(200, b'{"items": [')])
def test_a_read_that_is_cut_off_is_repeated(step: Callable[[], Any], play: Play, clock: Clock) -> None:
    wire = play(step(), ok({"a": 1}))
    assert transport(clock).request("GET", "/objects").json() == {"a": 1}
    assert len(wire.sent) == 2


@pytest.mark.parametrize("effect", [IDEMPOTENT, UNSAFE])
def test_a_write_whose_answer_was_cut_off_was_carried_out(effect: Effect, play: Play, clock: Clock) -> None:
    cut = half_a_body()
    cut.status_code = 201
    cut.headers["Location-UUID"] = "x"
    wire = play(cut)
    answer = transport(clock).request("POST", "/object", effect=effect, body={})
    assert (answer.status, answer.headers["Location-UUID"], answer.json()) == (201, "x", None)
    assert len(wire.sent) == 1


@pytest.mark.parametrize("effect", Effect)
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, errors.InvalidRequest),
        (401, errors.AccessTokenRefused),
        (403, errors.PermissionMissing),
        (404, errors.NotFound),
        (406, errors.NotAcceptable),
        (409, errors.Conflict),
        (418, errors.ServiceError),
        (422, errors.NotProcessable),
    ],
)
def test_a_refusal_is_reported_at_once_with_its_kind(
    effect: Effect, status: int, kind: type[errors.ServiceError], play: Play, clock: Clock
) -> None:
    wire = play(error(status, {"message": "because"}))
    with pytest.raises(errors.ServiceError) as caught:
        transport(clock).request("PATCH", "/object/x", effect=effect)
    assert caught.value.__class__ is kind
    assert caught.value.status == status
    assert caught.value.message.startswith(f"PATCH /customer-api/v1/object/x: HTTP {status}")
    assert '"because"' in caught.value.message
    assert len(wire.sent) == 1


def test_a_module_that_is_off_is_distinguished_from_missing_rights(play: Play, clock: Clock) -> None:
    play(error(403, {"message": "The required feature for this endpoint is not active"}))
    with pytest.raises(errors.FeatureOff, match="switched off"):
        transport(clock).request("GET", "/circularity-hub/items")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"detail": "d", "message": "m", "title": "t", "error": "e"}', "d"),
        (b'{"message": "m", "title": "t", "error": "e"}', "m"),
        (b'{"title": "t", "error": "e"}', "t"),
        (b'{"error": "e"}', "e"),
        (b'{"message": {"a": ["b"]}}', '{"a": ["b"]}'),
        (b'{"other": 1}', '{"other": 1}'),
        (b'"plain json"', "plain json"),
        (b"plain text\n in lines", "plain text in lines"),
        (b"<html><style>p {color: red}</style><h1>Bad</h1><p>gateway</p></html>", "Bad gateway"),
        (b"", ""),
        (b"[]", ""),
        (b"{}", ""),
        (b"null", ""),
        (b"\xff\xfe", "\ufffd\ufffd"),
    ],
)
def test_the_service_s_own_words_are_found_in_every_form(body: bytes, words: str) -> None:
    assert errors.service_words(body) == words


def test_the_service_s_own_words_are_quoted_or_said_to_be_missing(play: Play, clock: Clock) -> None:
    play(error(422, b"x" * 5000), error(422))
    with pytest.raises(errors.NotProcessable, match=r"x{200}") as caught:
        transport(clock).request("GET", "/objects")
    assert len(caught.value.message) < 500
    with pytest.raises(errors.NotProcessable, match="gave no reason"):
        transport(clock).request("GET", "/objects")


# ---- how long to wait


@pytest.mark.parametrize(("value", "seconds"), [("7", 7.0), ("0", 0.0), ("60", 60.0), ("300", 300.0)])
def test_after_429_the_seconds_of_retry_after_are_waited(value: str, seconds: float, play: Play, clock: Clock) -> None:
    play(error(429, Retry_After=value), ok({}))
    transport(clock, retries=0).request("GET", "/objects")
    assert clock.slept == ([seconds] if seconds else [])


@pytest.mark.parametrize("retry_after", [{}, {"Retry_After": "0"}, {"Retry_After": "25"}])
def test_429_is_waited_out_by_time_and_not_by_count(retry_after: dict[str, str], play: Play, clock: Clock) -> None:
    wire = play(*[error(429, **retry_after) for _number in range(100)])
    with pytest.raises(errors.TooManyRequests, match="rate_limit_wait"):
        transport(clock, retries=0).request("GET", "/objects")
    assert 200 <= sum(clock.slept) <= 300
    assert 8 <= len(wire.sent) <= 20


@pytest.mark.parametrize(("value", "wait"), [("301", 300.0), ("21000", 300.0), ("1", 0.0), ("8", 7.5)])
def test_a_retry_after_that_is_longer_than_what_is_left_is_an_error_at_once(
    value: str, wait: float, play: Play, clock: Clock
) -> None:
    wire = play(ok(status=204), error(429, {"message": "Slow down"}, Retry_After=value))
    sender = transport(clock, rate_limit_wait=wait)
    sender.request("PATCH", "/object/x", effect=IDEMPOTENT, body={})
    with pytest.raises(errors.TooManyRequests) as caught:
        sender.request("POST", "/object", effect=UNSAFE, body={})
    assert clock.slept == []
    assert len(wire.sent) == 2
    assert caught.value.message == (
        'POST /customer-api/v1/object: HTTP 429, too many requests. The service says: "Slow down". '
        f"The service wants a pause of {value} seconds, and "
        f"{wait:.0f} of the {wait:g} seconds of rate_limit_wait are left. "
        "This request was not carried out."
    )


def test_what_is_left_gets_less_with_every_refusal(play: Play, clock: Clock) -> None:
    play(error(429, Retry_After="200"), error(429, Retry_After="101"))
    with pytest.raises(errors.TooManyRequests, match="pause of 101 seconds, and 100 of the 300 seconds of"):
        transport(clock).request("GET", "/objects")
    assert clock.slept == [200.0]


def test_what_is_not_sent_because_of_an_earlier_refusal_says_so(play: Play, clock: Clock) -> None:
    wire = play(error(429, Retry_After="400"))
    sender = transport(clock)
    for expected in ("This request was not carried out", "not sent, because of an earlier HTTP 429"):
        with pytest.raises(errors.TooManyRequests, match=expected):
            sender.request("GET", "/objects")
    assert len(wire.sent) == 1


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("soon", 3000.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        *((text, None) for text in ("", "late", "-", "1.5.2")),
    ],
    ids=["future", "past", "empty", "word", "sign", "numbers"],
)
def test_retry_after_may_be_a_date(value: str, seconds: float | None) -> None:
    soon = format_datetime(dt.datetime.now(dt.UTC) + dt.timedelta(seconds=3000), usegmt=True)
    assert retry_after(CaseInsensitiveDict({"Retry-After": value.replace("soon", soon)})) == pytest.approx(
        seconds, abs=600
    )


def test_without_retry_after_the_pauses_grow(play: Play, clock: Clock) -> None:
    play(*[error(503) for _number in range(4)], ok({}))
    transport(clock, retries=4).request("GET", "/objects")
    assert all(pause > 0 for pause in clock.slept)
    assert clock.slept == sorted(clock.slept)
    assert clock.slept[-1] > clock.slept[0]
    assert sum(clock.slept) < 60


# ---- the rate limit


def test_repeats_count_in_the_rate_limit(play: Play, clock: Clock) -> None:
    play(error(503), error(503), ok({}))
    sender = Transport("https://acme.test", rate=RateLimit(2, clock, clock.sleep), sleep=clock.sleep)
    sender.request("GET", "/objects")
    assert sum(clock.slept) == pytest.approx(60, abs=0.5)


@pytest.mark.parametrize(("per_minute", "said"), [(8, "8 requests a minute (rate_limit)"), (2_000, "")])
def test_a_long_wait_for_the_rate_limit_is_reported_once(play: Play, clock: Clock, per_minute: int, said: str) -> None:
    play(*(ok({}) for _request in range(12)))
    sender = Transport("https://acme.test", rate=RateLimit(per_minute, clock, clock.sleep), sleep=clock.sleep)
    for _request in range(11):
        sender.request("GET", "/objects")
    waited = f"Waited {sum(clock.slept):.0f} seconds in all for the rate limit of {said}."
    assert sender.notes() == ([waited] if said else [])
    sender.request("GET", "/objects")
    assert sender.notes() == []


def test_all_threads_wait_for_the_pause_of_one_refused_request(play: Play, clock: Clock) -> None:
    play(ok({}), error(429, Retry_After="20"), ok({}), ok({}))
    rate = RateLimit(200, clock, clock.sleep, chance=lambda: 0.0)
    first, second = (
        Transport("https://acme.test", rate=rate, sleep=clock.sleep, rate_limit_wait=wait) for wait in (10.0, 30.0)
    )
    second.request("GET", "/objects")
    with pytest.raises(errors.TooManyRequests):
        first.request("GET", "/objects")
    second.request("GET", "/objects")
    assert sum(clock.slept) == pytest.approx(20)


# ---- what is sent


def test_a_request_has_the_headers_of_the_service(play: Play, clock: Clock) -> None:
    wire = play(ok({}), ok({}))
    sender = transport(clock)
    sender.request("GET", "/objects", pairs=[("page", "1"), ("filter[a][like][]", "x y")], token=SECRET)
    sender.request("POST", "/location", effect=IDEMPOTENT, body={"name": "Größe"}, token=SECRET)
    read, write = wire.sent
    assert read["url"] == "https://acme.test/customer-api/v1/objects?page=1&filter[a][like][]=x+y"
    assert read["prepared"].headers["Authorization"] == f"Bearer {SECRET}"
    assert read["headers"] == {"Accept": "application/json"}
    assert write["headers"] == {"Accept": "application/json", "Content-Type": "application/json"}
    assert json.loads(write["data"]) == {"name": "Größe"}


@pytest.mark.parametrize("body", [[], {}, None])
def test_an_empty_body_is_sent_and_no_body_is_not(body: Any, play: Play, clock: Clock) -> None:
    wire = play(ok())
    transport(clock).request("POST", "/x", effect=IDEMPOTENT, body=body)
    assert ("Content-Type" in wire.sent[0]["headers"]) is (body is not None)


def test_a_download_accepts_any_type_and_is_not_parsed_as_json(play: Play, clock: Clock) -> None:
    wire = play(Scripted(200, b"\x00\x01"))
    answer = transport(clock).request("GET", "/file/x/data", accept="application/octet-stream")
    assert answer.body == b"\x00\x01"
    assert wire.sent[0]["headers"]["Accept"] == "application/octet-stream"


@pytest.mark.parametrize("timeout", [5.0, 30.0])
def test_the_connection_has_a_time_out_of_its_own(timeout: float, play: Play, clock: Clock) -> None:
    wire = play(ok({}))
    transport(clock, timeout=timeout).request("GET", "/objects")
    assert wire.sent[0]["timeout"] == (min(10.0, timeout), timeout)


def test_the_message_for_a_time_out_says_how_long(play: Play, clock: Clock) -> None:
    play(timed_out())
    with pytest.raises(ConnectionFailed, match="no answer within 5 seconds"):
        transport(clock, timeout=5.0, retries=0).request("GET", "/objects")


# ---- check mode


@pytest.mark.parametrize("effect", [IDEMPOTENT, UNSAFE])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_check_mode_refuses_every_write_before_it_is_sent(
    method: str, effect: Effect, play: Play, clock: Clock
) -> None:
    wire = play()
    with pytest.raises(WriteRefused, match=rf"{method} .*check mode never writes"):
        transport(clock, read_only=True).request(method, "/object", effect=effect, body={})
    assert wire.sent == []


def test_check_mode_reads_signs_in_and_asks_for_suggestions(play: Play, clock: Clock) -> None:
    wire = play(ok({}), ok({}), ok({}))
    sender = transport(clock, read_only=True)
    sender.request("GET", "/objects")
    sender.request("POST", "/auth_token", login=True, body={})
    sender.request("POST", "/circularity-hub/suggest-category", effect=SAFE, body={})
    assert len(wire.sent) == 3


# ---- secrets


@pytest.mark.parametrize("before", range(270, 301, 3))
def test_a_secret_at_the_place_where_a_message_is_cut_is_masked_whole(before: int, play: Play, clock: Clock) -> None:
    play(error(400, ("x" * before + SECRET).encode()))
    with pytest.raises(errors.InvalidRequest) as caught:
        transport(clock).request("GET", "/objects", token=SECRET)
    assert SECRET[:6] not in caught.value.message


@pytest.mark.parametrize("before", [0, 10, 70, 75])
def test_a_secret_in_an_answer_that_is_not_json_is_masked(before: int, play: Play, clock: Clock) -> None:
    play(Scripted(200, ("<" + "x" * before + SECRET).encode()))
    with pytest.raises(NotJson) as caught:
        transport(clock, retries=0).request("GET", "/objects", token=SECRET)
    assert SECRET[:6] not in caught.value.message


def test_a_secret_in_a_broken_exchange_is_masked(play: Play, clock: Clock) -> None:
    play(requests.exceptions.ConnectionError(f"failed with {SECRET}"))
    with pytest.raises(ConnectionFailed) as caught:
        transport(clock, retries=0).request("GET", "/objects")
    assert SECRET not in caught.value.message


# ---- redirects


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_but_reported(status: int, play: Play, clock: Clock) -> None:
    wire = play(error(status, b"", Location="https://evil.test/?t=" + SECRET))
    with pytest.raises(SeventhingsError, match=f"HTTP {status}, redirected to https://evil") as caught:
        transport(clock).request("GET", "/objects", token=SECRET)
    assert SECRET not in caught.value.message
    assert wire.sent[0]["allow_redirects"] is False
    assert len(wire.sent) == 1


# ---- answers


def test_an_empty_answer_is_no_json_but_nothing(play: Play, clock: Clock) -> None:
    play(ok(), Scripted(204, b"  "))
    sender = transport(clock)
    assert sender.request("GET", "/objects").json() is None
    assert sender.request("PATCH", "/object/x", effect=IDEMPOTENT).json() is None


def test_an_answer_to_a_write_is_not_judged_before_it_is_needed(play: Play, clock: Clock) -> None:
    play(Scripted(201, b"Created"))
    answer = transport(clock).request("POST", "/object", effect=UNSAFE)
    with pytest.raises(NotJson, match="HTTP 201, but the answer is not JSON"):
        answer.json()


def test_equal_links_of_an_answer_are_one_map(play: Play, clock: Clock) -> None:
    hall, renamed = {"uuid": "1", "name": "Hall"}, {"uuid": "1", "name": "Hall 2"}
    body = [{"room": hall, "place": hall}, {"room": hall}, {"room": renamed, "note": {"a": 1}}, {"note": {"a": 1}}]
    play(Scripted(200, json.dumps(body).encode()))
    first, second, third, fourth = transport(clock).request("GET", "/objects").json()
    assert [first, second, third, fourth] == body
    assert first["room"] is first["place"] is second["room"]
    assert third["note"] is not fourth["note"]


# ---- the real thing, on the loopback interface


class Handler(BaseHTTPRequestHandler):
    """A request handler that plays the scripted answers."""

    protocol_version = "HTTP/1.1"
    server: Loopback

    def handle_any(self) -> None:
        self.server.received.append((self.command, self.path, dict(self.headers)))
        self.server.act(self)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_CONNECT = handle_any

    def log_message(self, *_given: Any) -> None:
        pass


class Loopback(ThreadingHTTPServer):
    """A scripted server on this machine."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.received: list[tuple[str, str, dict[str, str]]] = []
        self.act: Callable[[Handler], None] = answer_json
        self.closing = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *_given: Any) -> None:
        pass


def answer_json(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "8")
    handler.end_headers()
    handler.wfile.write(b'{"a": 1}')


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.closing.set()
        running.shutdown()
        thread.join()


def reach(server: Loopback, clock: Clock, **options: Any) -> Transport:
    return Transport(server.url, sleep=clock.sleep, **options)


def test_an_exchange_works_and_uses_one_connection(server: Loopback, clock: Clock) -> None:
    ports = set()

    def note(handler: Handler) -> None:
        ports.add(handler.client_address[1])
        answer_json(handler)

    server.act = note
    sender = reach(server, clock)
    for _number in range(3):
        assert sender.request("GET", "/objects").json() == {"a": 1}
    assert len(ports) == 1
    assert sender.sent == 3


def test_a_read_that_is_not_answered_in_time_is_repeated(server: Loopback, clock: Clock) -> None:
    def silent(handler: Handler) -> None:
        server.act = answer_json
        server.closing.wait(5)
        handler.close_connection = True

    server.act = silent
    assert reach(server, clock, timeout=0.2).request("GET", "/objects").json() == {"a": 1}
    assert len(server.received) == 2


def test_a_redirect_to_another_place_gets_neither_request_nor_token(server: Loopback, clock: Clock) -> None:
    def redirect(handler: Handler) -> None:
        handler.send_response(302)
        handler.send_header("Location", f"http://localhost:{server.server_port}/elsewhere")
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    server.act = redirect
    with pytest.raises(SeventhingsError, match="Redirects are not followed"):
        reach(server, clock).request("GET", "/objects", token=SECRET)
    assert [path for _method, path, _headers in server.received] == ["/customer-api/v1/objects"]


@pytest.mark.parametrize(("token", "sent"), [(SECRET, f"Bearer {SECRET}"), (None, None)])
def test_a_netrc_file_is_ignored(
    token: str | None, sent: str | None, server: Loopback, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login somebody password else\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    assert requests.utils.get_netrc_auth(server.url) == ("somebody", "else")
    reach(server, clock).request("GET", "/objects", token=token)
    assert server.received[0][2].get("Authorization") == sent


def test_a_proxy_gets_the_name_of_the_instance_and_no_token(
    server: Loopback, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.act = lambda handler: handler.send_error(403)
    monkeypatch.setenv("https_proxy", server.url)
    sender = Transport("https://acme.invalid", sleep=clock.sleep, retries=0)
    with pytest.raises(ConnectionFailed, match=r"the proxy to acme\.invalid failed .* See HTTPS_PROXY and NO_PROXY"):
        sender.request("GET", "/objects", token=SECRET)
    ((method, path, headers),) = server.received
    assert (method, path) == ("CONNECT", "acme.invalid:443")
    assert SECRET not in str(headers)


@pytest.mark.parametrize(("effect", "error"), [(SAFE, ConnectionFailed), (UNSAFE, OutcomeUnknown)])
def test_a_request_that_is_not_answered_before_its_deadline_is_not_repeated(
    effect: Effect, error: type[SeventhingsError], server: Loopback, clock: Clock
) -> None:
    def wait(_handler: Handler) -> None:
        server.closing.wait(5)

    server.act = wait
    sender = reach(server, clock, deadline=0.05)
    with pytest.raises(error, match=r"no whole answer within 0\.05 seconds\. The option tuning\.request_deadline "):
        sender.request("GET" if effect is SAFE else "POST", "/objects", effect=effect)
    assert len(server.received) == 1


def test_a_text_that_is_no_unicode_is_not_sent(server: Loopback, clock: Clock) -> None:
    with pytest.raises(InvalidInput, match="/objects: not sent, because a text contains half of a surrogate pair"):
        reach(server, clock).request("POST", "/objects", effect=UNSAFE, body={"name": "\ud83d"})
    assert server.received == []


def test_a_base_url_that_leads_nowhere_is_reported(clock: Clock) -> None:
    sender = Transport("https://.acme.invalid", sleep=clock.sleep)
    with pytest.raises(ConnectionFailed, match="/objects: base_url is not a usable URL"):
        sender.request("GET", "/objects")


def test_a_refused_connection_is_reported_and_repeated(clock: Clock) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    sender = Transport(f"http://127.0.0.1:{port}", sleep=clock.sleep, retries=2)
    with pytest.raises(ConnectionFailed, match=rf"127\.0\.0\.1:{port} can't be reached \(Failed .*refused"):
        sender.request("POST", "/object", effect=UNSAFE, body={})
    assert sender.sent == 3


def test_a_name_that_is_none_is_reported(clock: Clock) -> None:
    sender = Transport("http://no-such-host.invalid", sleep=clock.sleep, retries=0)
    with pytest.raises(ConnectionFailed, match=r"no-such-host\.invalid can't be reached \(Failed "):
        sender.request("GET", "/objects")


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_is_not_there_is_reported_in_words(
    scheme: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        monkeypatch.setenv(f"{scheme}_proxy", f"http://127.0.0.1:{free.getsockname()[1]}")
    sender = Transport(f"{scheme}://acme.invalid", sleep=clock.sleep, retries=0)
    with pytest.raises(ConnectionFailed, match=r"the proxy to acme\.invalid failed \(Failed .*refused") as caught:
        sender.request("GET", "/objects")
    assert "Watched" not in caught.value.message
    assert "host=" not in caught.value.message


# ---- TLS


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def secure(server: Loopback, authority: trustme.CA) -> Loopback:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    return server


def reach_securely(server: Loopback, clock: Clock, **options: Any) -> Transport:
    return Transport(f"https://127.0.0.1:{server.server_port}", sleep=clock.sleep, **options)


def test_a_certificate_that_nobody_vouches_for_is_reported_and_not_tried_again(secure: Loopback, clock: Clock) -> None:
    sender = reach_securely(secure, clock)
    with pytest.raises(ConnectionFailed) as caught:
        sender.request("GET", "/objects", token=SECRET)
    assert f"the certificate of 127.0.0.1:{secure.server_port} was not accepted" in caught.value.message
    assert "ca_path" in caught.value.message
    assert "validate_certs" in caught.value.message
    assert sender.sent == 1
    assert secure.received == []


def test_a_port_that_speaks_http_is_not_called_a_wrong_certificate(server: Loopback, clock: Clock) -> None:
    with pytest.raises(ConnectionFailed) as caught:
        reach_securely(server, clock).request("GET", "/objects")
    assert "this port does not speak TLS" in caught.value.message
    assert f"is base_url http://127.0.0.1:{server.server_port}?" in caught.value.message
    assert "certificate" not in caught.value.message


def test_an_authority_in_ca_path_is_trusted(
    secure: Loopback, clock: Clock, authority: trustme.CA, tmp_path: Path
) -> None:
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    sender = reach_securely(secure, clock, tls=Tls(verify=str(tmp_path / "ca.pem")))
    assert sender.request("GET", "/objects").json() == {"a": 1}


@pytest.mark.filterwarnings("ignore::urllib3.exceptions.InsecureRequestWarning")
def test_the_environment_does_not_override_validate_certs_false(
    secure: Loopback, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trustme.CA().cert_pem.write_to_path(str(tmp_path / "other.pem"))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "other.pem"))
    assert reach_securely(secure, clock, tls=Tls(verify=False)).request("GET", "/objects").json() == {"a": 1}


def test_the_environment_does_not_override_ca_path(
    secure: Loopback, clock: Clock, authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    trustme.CA().cert_pem.write_to_path(str(tmp_path / "other.pem"))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "other.pem"))
    sender = reach_securely(secure, clock, tls=Tls(verify=str(tmp_path / "ca.pem")))
    assert sender.request("GET", "/objects").json() == {"a": 1}
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "ca.pem"))
    with pytest.raises(ConnectionFailed, match="certificate"):
        reach_securely(secure, clock, tls=Tls(verify=str(tmp_path / "other.pem"))).request("GET", "/objects")


# ---- from options to a connection


@pytest.mark.parametrize(
    ("url", "root"),
    [
        *(
            (url, "https://acme.test")
            for url in (
                "https://acme.test",
                "https://acme.test/",
                "  https://acme.test ",
                "https://acme.test/customer-api/v1/",
            )
        ),
        ("https://acme.test/x/customer-api/v1", "https://acme.test/x"),
    ],
)
def test_base_url_is_the_root_with_or_without_the_prefix_of_the_service(url: str, root: str) -> None:
    assert instance_root(url, False) == root


@pytest.mark.parametrize(
    "url", ["", None, "acme.test", "ftp://acme.test", "https://", "https:///x", "https://[::1", "https://x:abc", "/x"]
)
def test_what_is_no_url_is_refused(url: Any) -> None:
    with pytest.raises(InvalidInput, match="base_url"):
        instance_root(url, False)


@pytest.mark.parametrize(
    "url",
    [
        "https://ada:geheim@acme.test", "https://ada:x/geheim@acme.test", "https://ada:77/geheim@acme.test",
        "https://ada:x?geheim@acme.test", "https://ada:geheim%40acme.test", "https://ada:geheim\uff20acme.test",
        "https:/ada:geheim@acme.test", "https//ada:geheim@acme.test", "//ada:geheim@acme.test", "ada:geheim@acme.test",
    ],
)  # fmt: skip
def test_credentials_in_a_url_are_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(InvalidInput, match="base_url contains a user name or password") as caught:
        instance_root(url, False)
    assert "geheim" not in caught.value.message


@pytest.mark.parametrize(
    "proxy",
    [
        "http://ada:geheim@proxy.invalid:99999", "http://ada:x/geheim@proxy.invalid",
        "http:///ada:geheim@proxy.invalid", "http://ada:geheim@[::1", "ada:geheim@proxy.invalid:99999", "@", "://",
        "http://ada:geheim\u20ac@127.0.0.1:1", "http://ada:geheim@a..b", f"http://ada:geheim@{'a' * 64}.invalid",
    ],
)  # fmt: skip
def test_nothing_is_shown_of_a_proxy_that_is_none(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("https_proxy", proxy)
    with pytest.raises(ConnectionFailed, match="HTTPS_PROXY in the environment is not") as caught:
        Transport("https://acme.invalid", retries=0).request("GET", "/x")
    assert "geheim" not in caught.value.message


HERE = ("localhost", "LOCALHOST", "127.8.9.10", "[::1]", "x.localhost")
ELSEWHERE = ("acme.test", "127.evil.test", "127.0.0.1.evil.test", "localhost.evil.test", "10.0.0.1", "1270.0.0.1")
NOT_HERE: tuple[Any, ...] = (
    [],
    ["10.0.0.1"],
    ["127.0.0.1", "10.0.0.1"],
    ["::1", "fe80::1%eth0"],
    OSError(),
    UnicodeError(),
)


@pytest.mark.parametrize(
    ("host", "addresses", "is_here"),
    [
        *((host, ["127.0.0.1", "::1"], True) for host in HERE),
        *((host, ["127.0.0.1"], False) for host in ELSEWHERE),
        *(("localhost", addresses, False) for addresses in NOT_HERE),
    ],
)
def test_plain_http_reaches_this_machine_alone_unless_the_task_allows_it(
    host: str, addresses: Any, is_here: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resolve(*_name: Any, **_hints: Any) -> Any:
        if isinstance(addresses, Exception):
            raise addresses
        return [(0, 0, 0, "", (address, 0)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    url = f"http://{host}:8080"
    assert is_local(url) is is_here
    assert instance_root(url, True) == url
    if is_here:
        assert instance_root(url, False) == url
    else:
        with pytest.raises(InvalidInput, match="is not this machine"):
            instance_root(url, False)
