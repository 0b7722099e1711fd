# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The HTTP session: trusted authorities, proxies and connections under a deadline."""

from __future__ import annotations

import functools
import http.client
import http.cookiejar
import io
import ipaddress
import platform
import socket
import ssl
import sys
import traceback
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from .limits import check_deadline

try:
    # requests needs idna and encodes host names with it.
    import idna
    import requests
    import urllib3
except ImportError as missing:
    REQUESTS_IMPORT_ERROR: str | None = traceback.format_exc()
    _MISSING = (missing.name or "requests").partition(".")[0]
else:
    REQUESTS_IMPORT_ERROR, _MISSING = None, "requests"


def missing_library(name: str = _MISSING) -> str:
    """Return the message that a Python library is missing, with the command that installs it.

    :param name: of the library; by default the one without which no request can be sent.
    """
    packages = dict.fromkeys(("requests", name)) if name == _MISSING else (name,)
    return (
        f"Failed to import the required Python library ({name}) on {platform.node()}'s Python {sys.executable}. "
        f"Install it there: {sys.executable} -m pip install {' '.join(packages)}. If this is the wrong interpreter, "
        "set ansible_python_interpreter."
    )


def is_local(url: str) -> bool:
    """Return True if the host of a URL can only be this machine.

    That is a loopback address, or a name ``localhost`` that this machine resolves only to itself.
    """
    host = ""
    try:
        host = urlsplit(url).hostname or ""
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return (host == "localhost" or host.endswith(".localhost")) and _is_loopback_alone(host)


def _is_loopback_alone(host: str) -> bool:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False
    addresses = [str(address[0]).partition("%")[0] for *_family, address in found]
    return bool(addresses) and all(ipaddress.ip_address(address).is_loopback for address in addresses)


def encode_host(host: str) -> str:
    """Return the name of a host as it is sent. International names are encoded as the library does it.

    :raises ValueError: if it is not a name of a host.
    """
    if host.isascii() or REQUESTS_IMPORT_ERROR is not None:
        return host
    encoded: bytes = idna.encode(host, uts46=True)
    return encoded.decode("ascii")


if REQUESTS_IMPORT_ERROR is None:

    class _InTime(io.RawIOBase):
        """The bytes from the other end, before the deadline of the request."""

        def __init__(self, raw: io.RawIOBase) -> None:
            self._raw = raw

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any, /) -> int | None:
            check_deadline()
            return self._raw.readinto(buffer)

        def close(self) -> None:
            self._raw.close()
            super().close()

    class _Measured(io.BufferedReader):
        """The bytes from the other end, in chunks of limited size.

        The library would read a chunk of negative length for ever.
        """

        def read(self, size: int | None = -1, /) -> bytes:
            if size is None or size < 0:
                raise http.client.HTTPException("a part of the answer has an impossible length")
            return super().read(size)

    class _Answer(http.client.HTTPResponse):
        """The head of an answer, and a body that is read in chunks of limited size."""

        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.fp = _Measured(_InTime(self.fp.detach()))

        def begin(self) -> None:
            """Read the head of the answer. The library takes every interim answer except 100 for the answer."""
            super().begin()
            while self.status < HTTPStatus.OK:
                vars(self).update(headers=None, msg=None)
                super().begin()

    class _Watched(urllib3.connection.HTTPConnection):
        """A connection that checks the deadline of a request before each part that it sends and reads.

        It notes when the request itself is sent. What precedes it goes to a proxy, or belongs to TLS. The library can't
        tell: it calls a lost answer an error of the proxy or of TLS.
        """

        response_class = _Answer
        _is_open = False

        def connect(self) -> None:
            self._is_open = False
            check_deadline(is_sent=False)
            super().connect()
            self._is_open = True

        def send(self, data: Any) -> None:
            if self.sock is None:
                self.connect()
            check_deadline(is_sent=self._is_open)
            super().send(data)

    @functools.cache
    def _watched_kind(kind: type[Any]) -> type[Any]:
        return type("Watched", (_Watched, kind), {})

    class _Adapter(requests.adapters.HTTPAdapter):
        def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
            super().init_poolmanager(*arguments, **options, ssl_minimum_version=ssl.TLSVersion.TLSv1_2)

        def proxy_manager_for(self, *arguments: Any, **options: Any) -> Any:
            return super().proxy_manager_for(*arguments, **options, ssl_minimum_version=ssl.TLSVersion.TLSv1_2)

        def get_connection_with_tls_context(self, *arguments: Any, **options: Any) -> Any:
            pool: Any = super().get_connection_with_tls_context(*arguments, **options)
            if not issubclass(pool.ConnectionCls, _Watched):
                pool.ConnectionCls = _watched_kind(pool.ConnectionCls)
            return pool

    class _Session(requests.Session):
        """A session that never follows a redirect.

        If redirects were only switched off, the library would still read the whole answer to find the next address.
        """

        def get_redirect_target(self, resp: Any) -> str | None:
            return None


def new_session(verify: bool | str, is_at_home: bool) -> Any:
    """Create a session that keeps one connection open.

    :param is_at_home: True if the instance is this machine. Then no proxy is used, because it would receive private
        requests.
    """
    session = _Session()
    session.trust_env = not is_at_home
    # The interface uses no cookies. Cookies of a hostile service would accumulate and be sent with every request.
    session.cookies.set_policy(http.cookiejar.DefaultCookiePolicy(allowed_domains=[]))
    if verify is False:
        # The user chose this and was warned. A warning per request would only hide others.
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    adapter = _Adapter(pool_connections=1, pool_maxsize=1, max_retries=0)
    session.mount("http://", adapter)
    session.mount("https://", adapter)
    session.headers["User-Agent"] = "community.seventhings"
    return session
