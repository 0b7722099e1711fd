# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One HTTP session with an instance: TLS, proxies, timeouts, retries, the count of requests.

The rules for retries follow the known behaviour of the service. A request that was refused before it was executed (429,
no connection) may always be repeated. A request whose outcome is unknown is repeated only if a second time does no
harm.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from .. import errors
from ..printing.cleaner import amount
from ..runtime.creations import SHORTEST_SETTLE
from . import query
from .attempts import PREFIX, RATE_LIMIT_WAIT, RETRIES, Attempts, Effect, Failed, Refused, Request
from .limits import DEADLINE_TIMEOUTS, ERROR_BYTES, Deadline, LimitExceeded, Limits, decode_json, read_up_to
from .outage import UNAVAILABLE, Outages
from .rate_limit import PauseTooLong, Pausing, RateLimit
from .redaction import without
from .session import REQUESTS_IMPORT_ERROR, is_local, new_session

if REQUESTS_IMPORT_ERROR is None:
    import requests
    import urllib3

#: Default seconds to wait for a service that is down.
OUTAGE_WAIT = 300.0
_CONNECT_TIMEOUT = 10.0
#: Seconds of waiting for the rate limit above which the task says so.
_REPORTED_PACE = 5.0
#: The name of a Python object at the beginning of the library's error, which does not help the reader.
_SPEAKER = re.compile(r"\A(?:<[^>]*>|\w+\(host=[^()]*\)): ")
#: The names with which versions of OpenSSL say that the other side speaks plain HTTP.
_NO_TLS = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG", "HTTP_REQUEST", "UNKNOWN_PROTOCOL")
_EXCERPT_BYTES = 16 << 10
#: Characters of a foreign text that a message quotes.
_QUOTED = 300


@dataclass(frozen=True)
class Response:
    """A successful answer: status, headers, and the body as bytes (empty if it was cut off after a write).

    :ivar excerpt: the beginning of the body, fit for a message.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    endpoint: str
    excerpt: Callable[[bytes], str] = lambda _body: ""

    def json(self) -> Any:
        """Return the decoded body, always the same object, or None without a body. Raise :class:`NotJson`."""
        return self._decoded

    def require_body(self) -> None:
        """Raise :class:`NotJson` if there is no body."""
        if not self.body.strip():
            raise errors.NotJson(f"{self.endpoint}: HTTP {self.status}, but the answer is empty.")

    @cached_property
    def _decoded(self) -> Any:
        if not self.body.strip():
            return None
        try:
            return decode_json(self.body, object_hook=_one_of_equal_links())
        except json.JSONDecodeError as error:
            raise errors.NotJson(
                f"{self.endpoint}: HTTP {self.status}, but the answer is not JSON; it starts with "
                f"{self.excerpt(self.body)!r}. Is base_url the root of an instance, and does a proxy answer "
                "in its place?"
            ) from error
        except ValueError as error:
            raise errors.NotJson(
                f"{self.endpoint}: HTTP {self.status}, but the answer can't be used: {error}."
            ) from error


def _one_of_equal_links() -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return a hook for JSON with which equal links of an answer are one map. Long lists take a third less memory."""
    links: dict[str, dict[str, Any]] = {}

    def first_of(members: dict[str, Any]) -> dict[str, Any]:
        uuid = members.get("uuid")
        if uuid.__class__ is not str:
            return members
        if uuid in links:
            return links[uuid] if links[uuid] == members else members
        links[uuid] = members
        return members

    return first_of


@dataclass(frozen=True)
class Tls:
    """The TLS settings.

    :ivar verify: how the service is verified: True, False or a path.
    :ivar cert: the client certificate, with its key if that is a file of its own.
    """

    verify: bool | str = True
    cert: str | tuple[str, str] | None = None


@dataclass
class Transport:
    """Send requests to one instance.

    :ivar root: root of the instance, without the service's prefix and without a trailing slash.
    :ivar timeout: seconds to wait for an answer; for the connection at most 10.
    :ivar retries: maximum number of repetitions of one request.
    :ivar rate_limit_wait: seconds that a request may wait if the service refuses it with 429.
    :ivar pausing: entered during a pause of more than a minute, and while the service is down for more than 5 seconds.
    :ivar warnings: warnings about the connection, for the user.
    :ivar deadline: maximum seconds of one request in all; 0 for ten times ``timeout``.
    :ivar settle: seconds within which a request whose answer was lost may still take effect (the settling horizon).
    :ivar outage_wait: seconds to wait for a service that is down.
    :ivar limits: limits for answers.
    :ivar gate: called before each exchange with the method, and whether it is a login. It refuses an exchange by
        raising.
    :ivar on_answer: called with each answer, errors included: method and path, status, headers, the body as far as it
        was read.
    :ivar on_unsafe: called when an UNSAFE request is sent.
    :ivar on_lost: called when the answer to a write is lost, even if it is sent again.
    :ivar read_only: refuse every request that is not SAFE (check mode).
    :ivar secrets: texts that no message shows.
    :ivar sent: number of requests sent, logins and retries included.
    """

    root: str
    timeout: float = 30.0
    retries: int = RETRIES
    rate: RateLimit = field(default_factory=lambda: RateLimit(0))
    tls: Tls = field(default_factory=Tls)
    read_only: bool = False
    secrets: set[str] = field(default_factory=set)
    sleep: Callable[[float], None] = time.sleep
    sent: int = 0
    rate_limit_wait: float = RATE_LIMIT_WAIT
    pausing: Pausing = contextlib.nullcontext
    warnings: list[str] = field(default_factory=list)
    deadline: float = 0.0
    settle: float = SHORTEST_SETTLE
    outage_wait: float = OUTAGE_WAIT
    limits: Limits = field(default_factory=Limits)
    gate: Callable[[str, bool], None] | None = None
    on_answer: Callable[[str, int, Mapping[str, str], bytes], None] | None = None
    on_unsafe: Callable[[], None] = lambda: None
    on_lost: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        self.deadline = self.deadline or self.timeout * DEADLINE_TIMEOUTS
        self._is_at_home = is_local(self.root)
        self._was_reached = False
        self._outages = Outages()
        self._local = threading.local()
        self._lock = threading.Lock()
        self._paced, self._paced_until = 0.0, -math.inf

    def request(self, method: str, path: str, **options: Any) -> Response:
        """Send a request, and repeat it as far as that is safe.

        :param options: the other members of :class:`.attempts.Request`.
        :returns: the answer, with a status below 300.
        :raises ServiceError: for an error answer; :class:`OutcomeUnknown` for a write that may have been executed;
            :class:`ConnectionFailed` if nothing was reached; :class:`WriteRefused` in check mode.
        """
        request = Request(method, path, **options)
        if self.read_only and request.is_write:
            raise errors.WriteRefused(f"{request.endpoint}: not sent, because check mode never writes.")
        attempts = Attempts(request, self._outages, self.retries, self.rate_limit_wait, self.rate.clock)
        while True:
            self._wait_for_service(attempts)
            attempts.begin()
            if request.is_write:
                self._checked(attempts, lambda: self._outages.check_writes(request.kind))
            try:
                answer = self._attempt(request, attempts)
                if request.is_write:
                    self._outages.carried_out(request.kind)
                return answer
            except errors.OutcomeUnknown:
                # The time in which the request may still take effect starts now.
                self.on_lost()
                raise
            except Refused as refused:
                pause = attempts.refused(refused)
                # All workers wait for the same service, whether this request is repeated or not.
                self.rate.refused(refused.sent, pause)
                attempts.check_pause(refused, pause)
            except Failed as failed:
                if failed.is_lost and request.is_write:
                    self.on_lost()
                pause = attempts.failed(failed)
                if not self._outages.is_suspected:
                    self.sleep(pause)

    def _wait_for_service(self, attempts: Attempts) -> None:
        """Wait until the service answers, if it may be down. Locks of this process are released during a long wait.

        :raises ServiceUnavailable: if it is still down after ``outage_wait`` seconds.
        """
        if not self._outages.is_suspected:
            return
        waiting = (self.outage_wait, lambda: self._is_down(attempts), self.sleep)
        if not self._outages.is_over(*waiting):
            with self.pausing():
                self._checked(attempts, lambda: self._outages.wait(*waiting))

    def _checked(self, attempts: Attempts, check: Callable[[], None]) -> None:
        """Call a function. Add to its error which request was not sent."""
        try:
            check()
        except errors.ServiceUnavailable as unavailable:
            raise errors.ServiceUnavailable(f"{attempts.words} {unavailable.message}") from None

    def _is_down(self, attempts: Attempts) -> bool:
        """Send a small request that every account may send. Any answer of the service means that it is up."""
        token = attempts.request.token
        try:
            self._attempt(Request("GET", "/users?page=1&per_page=1" if token else "", token=token), attempts)
        except Failed as failed:
            if failed.is_outage:
                self._outages.failed(failed.error.message, failed.after)
            return failed.is_outage
        except (Refused, errors.SeventhingsError):
            pass
        return False

    def _attempt(self, request: Request, attempts: Attempts) -> Response:
        """Wait until one more request may be sent, count it, and send it once."""
        if self.gate is not None:
            self.gate(request.method, request.login)
        begun = self.rate.clock()
        try:
            sent = self.rate.wait(attempts.left, self.pausing)
        except PauseTooLong as pause:
            raise attempts.not_sent(pause.seconds) from None
        with self._lock:
            self.sent += 1
            # Threads wait at the same time.
            self._paced += max(sent - max(begun, self._paced_until), 0.0)
            self._paced_until = max(sent, self._paced_until)
        if request.effect is Effect.UNSAFE:
            self.on_unsafe()
        return self._once(request, sent)

    def _once(self, request: Request, sent: float) -> Response:
        url = f"{self.root}{PREFIX}{request.path}" + (f"?{query.encode(request.pairs)}" if request.pairs else "")
        headers = {"Accept": request.accept}
        data = None
        if request.body is not None:
            data = _as_json(request.body, request.endpoint)
            headers["Content-Type"] = "application/json"
        most = min(self.timeout, self.deadline)
        with Deadline(self.deadline) as deadline:
            session = self._open()
            try:
                response = session.request(
                    request.method,
                    url,
                    data=data,
                    files=request.files,
                    headers=headers,
                    auth=_Bearer(request.token),
                    timeout=(min(_CONNECT_TIMEOUT, most), most),
                    verify=self.tls.verify,
                    cert=self.tls.cert,
                    allow_redirects=False,
                    stream=True,
                )
            except (requests.exceptions.RequestException, urllib3.exceptions.LocationParseError, UnicodeError) as error:
                raise self._broken(error, request, deadline) from error
            with response:
                return self._read(response, request, sent, deadline)

    def _read(self, response: Any, request: Request, sent: float, deadline: Deadline) -> Response:
        status, headers = response.status_code, response.headers
        is_good = status < HTTPStatus.MULTIPLE_CHOICES
        is_carried_out = is_good and request.is_write
        is_json = "json" in request.accept
        limit = self.limits.bytes_of(is_file=not is_json) if is_good else ERROR_BYTES
        try:
            content, is_whole = read_up_to(response, limit)
        except requests.exceptions.RequestException as error:
            if not is_carried_out:
                raise self._broken(error, request, deadline, has_begun=True) from error
            content, is_whole = b"", False
        if status not in UNAVAILABLE:
            self._was_reached = True
            self._outages.answered()
        if self.on_answer is not None:
            self.on_answer(request.endpoint, status, headers, content)
        if not is_good:
            raise self._refusal(request, sent, status, headers, content, is_whole)
        if not is_whole and not is_carried_out:
            raise LimitExceeded(
                f"{request.endpoint}: HTTP {status}, and the answer is longer than {limit >> 20} MiB; nothing of it "
                f"was used. The option tuning.max_answer_size allows more."
            )
        # The answer to a login may contain a token in an unknown shape, so show none of it.
        excerpt = (lambda _body: "(not shown)") if request.login else self._excerpt
        # Status and headers suffice as the answer to a write.
        answer = Response(status, headers, content if is_whole else b"", request.endpoint, excerpt)
        # Most answers to a write have no content. An HTML page comes from a proxy, which carried nothing out.
        is_judged = is_json and (not request.is_write or answer.body.lstrip().startswith(b"<"))
        try:
            if is_judged:
                answer.json()
            if request.check is not None:
                request.check(answer)
        except errors.SeventhingsError as garbled:
            raise Failed(errors.OutcomeUnknown(garbled.message, status) if request.is_write else garbled) from garbled
        return answer

    def _refusal(
        self, request: Request, sent: float, status: int, headers: Mapping[str, str], content: bytes, is_whole: bool
    ) -> Exception:
        """Return the error of an answer that is not a success."""
        endpoint = request.endpoint
        if status < HTTPStatus.BAD_REQUEST:
            target = "" if request.login else f" to {self._quoted(_address(headers.get('Location')))}"
            return errors.SeventhingsError(
                f"{endpoint}: HTTP {status}, redirected{target}. Redirects are not followed, so that no token "
                f"leaves; is base_url right?"
            )
        words = errors.service_words(content, self.mask, is_whole)
        refusal = errors.service_error(status, words, endpoint, request.login)
        if isinstance(refusal, errors.TooManyRequests):
            return Refused(refusal, sent, retry_after(headers))
        if status < HTTPStatus.INTERNAL_SERVER_ERROR:
            return refusal
        is_lost = not _is_of_service(status, content)
        is_unknown = request.effect is Effect.UNSAFE or (request.is_write and is_lost)
        message = f"{refusal.message} The outcome is unknown." if is_lost else refusal.message
        failure = errors.OutcomeUnknown(message, status, is_lost=is_lost) if is_unknown else refusal
        return Failed(failure, status in UNAVAILABLE, retry_after(headers), is_lost=is_lost)

    def _quoted(self, text: str) -> str:
        """Return the beginning of a foreign text for a message. No answer becomes one long line."""
        plain = self.mask(text)
        return plain if len(plain) <= _QUOTED else plain[:_QUOTED] + "..."

    def _excerpt(self, body: bytes) -> str:
        return self.mask(body[:_EXCERPT_BYTES].decode("utf-8", "replace"))[:80]

    def _broken(self, error: Exception, request: Request, deadline: Deadline, has_begun: bool = False) -> Exception:
        """Return the error of a failed exchange: the host was never reached, or the outcome is unknown.

        A request that exceeded its deadline is not repeated, because the repetition would exceed the deadline, too.

        :param has_begun: whether the answer had begun.
        """
        endpoint = request.endpoint
        if deadline.has_passed:
            late = f"{endpoint}: no whole answer within {self.deadline:g} seconds"
            return self._failure(request, f"{late}. The option tuning.request_deadline allows more", may_follow=True)
        reason = self._quoted(_reason(error))
        host = urlsplit(self.root).netloc
        # In TLS 1.3, a missing client certificate is refused after the first request was sent.
        is_first = not (request.is_write or self._was_reached)
        if isinstance(error, requests.exceptions.SSLError) and (is_first or not deadline.was_sent):
            failed = errors.ConnectionFailed(f"{endpoint}: {self._about_tls(error, host, reason)}")
            may_repeat = _has_closed(error) and not deadline.was_sent
            return Failed(failed, self._was_reached, was_sent=False) if may_repeat else failed
        if isinstance(error, requests.exceptions.ProxyError) and not deadline.was_sent:
            words = (
                f"{endpoint}: the proxy to {host} failed ({reason}). See HTTPS_PROXY and NO_PROXY in the environment."
            )
            return Failed(errors.ConnectionFailed(words), was_sent=False)
        if isinstance(error, ValueError):
            # The reason may quote the password of the proxy.
            return errors.ConnectionFailed(
                f"{endpoint}: base_url is not a usable URL, or HTTPS_PROXY in the environment is not."
            )
        if deadline.was_sent is False or _never_sent(error):
            words = f"{endpoint}: {host} can't be reached ({reason}). Is base_url right, and can this machine reach it?"
            return Failed(errors.ConnectionFailed(words), is_outage=self._was_reached, was_sent=False)
        in_time = not isinstance(error, requests.exceptions.Timeout)
        if not in_time:
            reason = f"no answer within {self.timeout:g} seconds"
        elif request.login:
            # The library may quote the answer.
            reason = type(error).__name__
        broken = f"{endpoint}: the exchange with {host} broke off ({reason})"
        # A service that starts to answer is not down.
        return Failed(self._failure(request, broken, may_follow=not in_time), is_outage=in_time and not has_begun)

    @staticmethod
    def _failure(request: Request, words: str, may_follow: bool) -> errors.SeventhingsError:
        """Return the error of a request without an answer."""
        if request.is_write:
            return errors.OutcomeUnknown(f"{words}; the outcome is unknown.", may_follow=may_follow)
        return errors.ConnectionFailed(f"{words}.")

    def _about_tls(self, error: Exception, host: str, reason: str) -> str:
        """Return why TLS failed, and what to do."""
        cause = _cause_of(error)
        if any(word in str(cause) for word in _NO_TLS):
            return f"this port does not speak TLS ({reason}); is base_url {self.root.replace('https:', 'http:', 1)}?"
        if isinstance(cause, ssl.SSLError) and not isinstance(cause, ssl.SSLCertVerificationError):
            return f"TLS with {host} failed ({reason}). Does this port speak TLS, and does it accept client_cert?"
        return (
            f"the certificate of {host} was not accepted ({reason}). Give the authority in ca_path; validate_certs: "
            "false accepts any."
        )

    def _open(self) -> Any:
        """Return the session of this thread. Connections are kept open, and threads never share a session."""
        session = getattr(self._local, "session", None)
        if session is None:
            session = new_session(self.tls.verify, self._is_at_home)
            self._local.session = session
        return session

    def notes(self) -> list[str]:
        """Return the notes about the connection for the user, each once."""
        notes = list(self.warnings)
        self.warnings.clear()
        if self._paced > _REPORTED_PACE:
            per_minute = self.rate.per_minute
            limit = f"{amount(per_minute, 'request')} a minute (rate_limit)" if per_minute else "the service"
            notes.append(f"Waited {self._paced:.0f} seconds in all for the rate limit of {limit}.")
            self._paced = -math.inf
        return notes

    def mask(self, text: str) -> str:
        """Return a text without secrets."""
        return without(self.secrets, text)


if REQUESTS_IMPORT_ERROR is None:

    class _Bearer(requests.auth.AuthBase):
        """The token as an auth object, so that no entry of a netrc file replaces it.

        Without a token, no authorization is sent.
        """

        def __init__(self, token: str | None) -> None:
            self.token = token

        def __call__(self, prepared: Any) -> Any:
            if self.token:
                prepared.headers["Authorization"] = f"Bearer {self.token}"
            return prepared


def _as_json(body: Any, endpoint: str) -> bytes:
    try:
        return json.dumps(body, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise errors.InvalidInput(f"{endpoint}: not sent, because a text contains half of a surrogate pair") from error


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a ``Retry-After`` header in either of its forms, or None if it is unreadable."""
    value = headers.get("Retry-After")
    try:
        return max(float(urllib3.util.Retry().parse_retry_after(value)), 0.0) if value else None
    except (urllib3.exceptions.HTTPError, ValueError, OverflowError):
        return None


def _is_of_service(status: int, content: bytes) -> bool:
    """Return True if the service itself answered with an error, not a proxy in front of it."""
    if status in UNAVAILABLE:
        return False
    try:
        return isinstance(decode_json(content), dict)
    except ValueError:
        return False


def _never_sent(error: Exception) -> bool:
    """Return True if an exchange failed before the request was sent."""
    if isinstance(error, requests.exceptions.ConnectTimeout):
        return True
    cause = getattr(error.args[0], "reason", None) if error.args else None
    return isinstance(cause, (urllib3.exceptions.NewConnectionError, urllib3.exceptions.ConnectTimeoutError))


def _has_closed(error: Exception) -> bool:
    """Return True if the other end closed a connection before TLS began, as a load balancer does that restarts."""
    return isinstance(_cause_of(error), (ssl.SSLEOFError, ssl.SSLZeroReturnError))


def _address(location: str | None) -> str:
    """Return the target address of a redirect without credentials, query and fragment."""
    try:
        parts = urlsplit(location or "nowhere")
    except ValueError:
        return "an address that can't be read"
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def _cause_of(error: Exception) -> Any:
    """Return the innermost error that the library wraps."""
    inner = getattr(error.args[0], "reason", error.args[0]) if error.args else error
    inner = getattr(inner, "original_error", inner)
    if isinstance(inner, urllib3.exceptions.SSLError) and inner.args and isinstance(inner.args[0], ssl.SSLError):
        inner = inner.args[0]
    return inner


def _reason(error: Exception) -> str:
    return _SPEAKER.sub("", str(_cause_of(error)))
