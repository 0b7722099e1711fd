# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Spellings of the root of an instance.

A guard that lets a run pass compares :func:`canonical_root`: spellings of one URL are equal, and nothing else is.
Protections between runs (locks, the rate limit, journals) use :func:`identity_of`, which also recognises the names of
this machine. Different names with the same address may be one instance or several, and nobody can know which.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from urllib.parse import quote, unquote, urlsplit

from .attempts import PREFIX
from .session import encode_host

_PORTS = {"http": 80, "https": 443}
_THIS_MACHINE = re.compile(r"\A(https?://)(localhost|0\.0\.0\.0|\[::1?\])(?=[:/]|\Z)")
_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")
_NUMBERS = re.compile(r"(0x[0-9a-f]*|[0-9]+)(\.(0x[0-9a-f]*|[0-9]+)){0,3}")
_ESCAPE = re.compile("%([0-9A-Fa-f]{2})")
_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")


def canonical_root(root: str) -> str:
    """Return the normalised spelling of a root.

    It has lower case, one encoding, no default port, no dot or slash at the end, and no prefix of the service.

    :raises ValueError: if it is not a root.
    """
    parts = urlsplit(root.strip())
    path = _ESCAPE.sub(_decoded, quote(parts.path, safe="%/!$&'()*+,;=:@~"))
    path = path.rstrip("/").removesuffix(PREFIX).rstrip("/")
    if not {".", ".."}.isdisjoint(path.split("/")):
        raise ValueError(path)
    port = "" if parts.port in (None, _PORTS.get(parts.scheme)) else f":{parts.port}"
    return f"{parts.scheme}://{_canonical_host(parts.hostname or '')}{port}{path}"


def identity_of(root: str) -> str:
    """Return the identity of an instance: the same for every name of this machine in its root.

    :param root: in its canonical spelling.
    """
    return _THIS_MACHINE.sub(r"\g<1>127.0.0.1", root).lower()


def _canonical_host(host: str) -> str:
    plain = encode_host(unquote(host).lower()).removesuffix(".")
    try:
        address = ipaddress.ip_address(plain)
    except ValueError:
        # Every resolver accepts short forms of addresses, such as 127.1.
        if _NUMBERS.fullmatch(plain):
            return _dotted(plain)
        if not _NAME.fullmatch(plain):
            raise
        return plain
    if isinstance(address, ipaddress.IPv6Address):
        return str(address.ipv4_mapped) if address.ipv4_mapped else f"[{quote(str(address), safe=':')}]"
    return str(address)


def _dotted(numbers: str) -> str:
    try:
        return socket.inet_ntoa(socket.inet_aton(numbers))
    except OSError:
        return numbers


def _decoded(escape: re.Match[str]) -> str:
    character = chr(int(escape[1], 16))
    return character if _UNRESERVED.fullmatch(character) else escape[0].upper()
