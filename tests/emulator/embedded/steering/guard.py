# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Accept only requests of programs on this machine, and none of web pages in a browser.

A web page can make a browser send requests to any address. Such a request shows its origin: ``Host`` has a foreign name
that leads here, ``Origin`` has the address of the page, and a form has another media type than JSON.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from ..messages import JSON, Call, Refusal

_NAMES = ("127.0.0.1", "localhost", "::1")
_READS = ("GET", "HEAD")


def check_host(host: str | None) -> None:
    """Raise Refusal if a request names another host than this machine.

    A request without a host does not come from a browser.
    """
    if host is None:
        return
    try:
        name = urlsplit(f"//{host}").hostname
    except ValueError:
        name = None
    if name not in _NAMES:
        raise Refusal(421, f"This service answers to {', '.join(_NAMES)} only")


def check_steering(call: Call) -> None:
    """Raise Refusal if a steering call comes from a web page."""
    origin = call.headers.get("origin")
    own = f"http://{call.headers.get('host')}"
    if origin not in (None, own) or call.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        raise Refusal(403, "Steering takes no requests of other origins")
    if call.method not in _READS and call.headers.get("content-type") is not None and call.media != JSON:
        raise Refusal(415, f"Steering takes {JSON} only")
