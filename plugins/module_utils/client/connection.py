# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Create a client from the connection options of a task."""

from __future__ import annotations

import contextlib
import os
import re
import resource
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..errors import InvalidInput
from ..local.safe_files import Folder
from ..runtime.creations import LOCK_WAIT, SHORTEST_SETTLE, Creations
from ..runtime.pace import SERVICE_LIMIT
from ..runtime.places import NOT_SHARED, Places, digest_of
from ..runtime.store import Store
from ..runtime.token_store import Credentials, TokenStore
from ..runtime.unpaged import UnpagedLists
from .attempts import PREFIX, RATE_LIMIT_WAIT, RETRIES
from .client import Client
from .limits import ANSWER_MEBIBYTES, LIST_MEBIBYTES, MOST_PAGES, Limits
from .rate_limit import RateLimit
from .roots import canonical_root, identity_of
from .session import is_local
from .tokens import Tokens
from .transport import OUTAGE_WAIT, Tls, Transport
from .tuning import fill_tuning, read_duration, read_tuning, reader, whole

#: Environment variables that replace each option. The first that is set counts, read where the code runs.
ENVIRONMENT: dict[str, tuple[str, ...]] = {
    "base_url": ("SEVENTHINGS_BASE_URL", "SEVENTHINGS_INSTANCE_URL"),
    "access_token": ("SEVENTHINGS_TOKEN",),
    "refresh_token": ("SEVENTHINGS_REFRESH_TOKEN",),
    "username": ("SEVENTHINGS_USERNAME",),
    "password": ("SEVENTHINGS_PASSWORD",),
    "client_id": ("SEVENTHINGS_CLIENT_ID",),
    "rate_limit": ("SEVENTHINGS_RATE_LIMIT",),
}

_SECRETS = ("access_token", "refresh_token", "password")
#: Options of which each decides as whom a task signs in. The environment may have those of another user.
ACCOUNT = ("access_token", "refresh_token", "username")

_RATES: dict[tuple[str, int, str], RateLimit] = {}


def from_environment(options: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the options, with missing values filled from the environment.

    If the options name an account, nothing that names one is taken from the environment: it may be another account.

    :param environment: defaults to the environment of this process.
    """
    filled, variables = dict(options), os.environ if environment is None else environment
    names_account = any(filled.get(option) for option in ACCOUNT)
    for option, names in ENVIRONMENT.items():
        if filled.get(option) is None and not (names_account and option in ACCOUNT):
            filled[option] = next((variables[name] for name in names if variables.get(name)), None)
    filled["tuning"] = fill_tuning(filled.get("tuning"), variables)
    return filled


def secrets_in_environment() -> list[str]:
    """Return the secrets in the environment of this process, which no option reveals."""
    variables = (name for option in _SECRETS for name in ENVIRONMENT[option])
    return [os.environ[name] for name in variables if os.environ.get(name)]


def hidden_in(options: Mapping[str, Any]) -> list[str]:
    """Return secrets inside options that are not secret themselves: user name and password in ``base_url``.

    Everything before an ``@`` counts as credentials, wherever it is. A library accepts credentials only up to the first
    slash, but passwords can contain slashes.
    """
    url = str(options.get("base_url") or "")
    found: dict[str, None] = {}
    for at in _AT.finditer(url):
        name, _colon, password = _SCHEME.sub("", url[: at.start()]).partition(":")
        found |= dict.fromkeys(text for text in (password, name) if text)
    return list(found)


#: A path below a root.
_OF_THE_SERVICE = re.compile(rf"/{PREFIX.split('/')[1]}(?:/.*)?\Z")
#: A query or a fragment.
_QUERY = re.compile(r"[?#].*", re.DOTALL)
#: The sign after credentials in all its spellings.
_AT = re.compile("@|%40|[\ufe6b\uff20]")
#: The beginning of a URL before its credentials, complete or not.
_SCHEME = re.compile(r"\A\s*(?:https?\b)?[:/\\\s]*", re.IGNORECASE)


def secrets_of(spec: Mapping[str, Mapping[str, Any]], options: Mapping[str, Any]) -> frozenset[str]:
    """Return the secret values of options and of the environment."""
    hidden = {str(value) for name, value in options.items() if value and spec.get(name, {}).get("no_log")}
    return frozenset(hidden.union(hidden_in(options), secrets_in_environment()))


def instance_root(base_url: str | None, allow_http: bool, option: str = "base_url") -> str:
    """Return the root of an instance from ``base_url``, without the service's prefix and without a trailing slash.

    :param option: name of the option, for messages.
    :raises InvalidInput: if the value is missing, is not a URL, has credentials, or is plain http to another machine.
    """
    if not base_url:
        environment = " (or SEVENTHINGS_BASE_URL)" if option == "base_url" else ""
        raise InvalidInput(
            f"{option} is missing: expected the root of an instance, such as https://acme.seventhings.com{environment}"
        )
    if _AT.search(base_url):
        raise InvalidInput(f"{option} contains a user name or password; give them as username and password")
    url = base_url.strip()
    try:
        parts, canonical = urlsplit(url), canonical_root(url)
        is_url = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_url = False
    if not is_url:
        raise InvalidInput(
            f"{option}: {base_url!r} is not the root of an instance; expected a URL such as "
            f"https://acme.seventhings.com"
        )
    below, query = _OF_THE_SERVICE.search(canonical), _QUERY.search(url)
    if below or query:
        root = canonical[: below.start()] if below else canonical
        # A query may have a token, so no message quotes it.
        cut = [below[0]] if below else []
        cut += [f"everything from the {query[0][0]} on"] if query else []
        found, more = _QUERY.sub("", url), " and ".join(cut)
        raise InvalidInput(f"{option}: {found!r} has too much; expected the root of an instance, {root}; cut {more}")
    if parts.scheme == "http" and not allow_http and not is_local(canonical):
        raise InvalidInput(
            f"{option}: {parts.hostname} is not this machine and http is not encrypted, so no token is sent "
            f"there; use https (or tuning: {{allow_http: true}})"
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/').removesuffix(PREFIX)}"


def named_root(value: str | None, option: str = "base_url") -> str:
    """Return the normalised root of an instance that a task or a file names.

    :raises InvalidInput: as :func:`instance_root`.
    """
    return canonical_root(instance_root(value, allow_http=True, option=option))


def connect(options: Mapping[str, Any], read_only: bool = False, run_folder: Path | None = None) -> Client:
    """Create a client from connection options, named as in the documentation fragment ``connection``. Send nothing yet.

    :param read_only: refuse writes (check mode).
    :param run_folder: the private folder of this Ansible run, if known.
    :raises InvalidInput: if an option is invalid.
    """
    given = from_environment(options)
    # A core dump would have the secrets of this process.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    tuning = read_tuning(options.get("tuning"), os.environ)
    root = canonical_root(instance_root(given.get("base_url"), tuning.get("allow_http", False)))
    # An instance shares one budget and one set of locks, whether the root is http or https.
    shared_name = digest_of(identity_of(root).partition("://")[2])
    limit = SERVICE_LIMIT if given.get("rate_limit") is None else _limit("rate_limit", given["rate_limit"])
    per_minute = max(1, limit * tuning.get("rate_share", _WHOLE) // _WHOLE) if limit else 0
    timeout: float = 30.0 if given.get("timeout") is None else read_duration("timeout", given["timeout"])
    if given.get("validate_certs") is False and given.get("ca_path"):
        raise InvalidInput(
            "validate_certs: false accepts any certificate, so ca_path would be ignored; leave out one of them"
        )
    for option in ("ca_path", "client_cert", "client_key"):
        if given.get(option):
            _require_readable(option, str(given[option]))
    certificate, key = given.get("client_cert"), given.get("client_key")
    places = Places.found(run_folder)
    warnings = [places.warning] if places.warning else []
    transport = Transport(
        root,
        timeout=timeout,
        retries=tuning.get("retries", RETRIES),
        rate=_rate(shared_name, per_minute, places, warnings),
        tls=Tls(
            verify=given.get("ca_path") or True if given.get("validate_certs") is not False else False,
            cert=(certificate, key) if certificate and key else certificate,
        ),
        read_only=read_only,
        rate_limit_wait=tuning.get("rate_limit_wait", RATE_LIMIT_WAIT),
        warnings=warnings,
        deadline=tuning.get("request_deadline", 0.0),
        settle=tuning.get("settle", max(SHORTEST_SETTLE, timeout)),
        outage_wait=tuning.get("outage_wait", OUTAGE_WAIT),
        limits=Limits(
            tuning.get("max_answer_size", ANSWER_MEBIBYTES),
            tuning.get("max_pages", MOST_PAGES),
            tuning.get("max_list_size", LIST_MEBIBYTES),
        ),
    )
    transport.secrets |= _key_lines(key, certificate)
    credentials = Credentials(
        *(given.get(name) for name in ("access_token", "refresh_token", "username", "password", "client_id"))
    )
    # A pair is of use later only if another one can be requested in its place.
    is_kept = credentials.client_id and (credentials.password or credentials.refresh_token)
    folder = places.private if is_kept and tuning.get("token_cache", True) else None

    def sleep(seconds: float) -> None:
        # Look the function up at each call, because a test replaces it.
        transport.sleep(seconds)

    creations = Creations(
        places.shared,
        shared_name,
        tuning.get("lock_wait", LOCK_WAIT),
        warnings.append,
        sleep=sleep,
        settle=transport.settle,
        refusal="" if places.shared else "there is no directory that is this user's alone",
    )
    transport.pausing = creations.paused
    transport.on_unsafe = creations.refresh
    transport.on_lost = creations.lose
    unpaged = UnpagedLists(Store(places.shared), shared_name)
    client = Client(
        transport, Tokens(transport, credentials, store=TokenStore(folder, root, credentials)), creations, unpaged
    )
    client.workers = tuning.get("workers", client.workers)
    return client


def _rate(name: str, per_minute: int, places: Places, warnings: list[str]) -> RateLimit:
    """Return the rate limit of an instance, shared by all processes of this user if they have a common place."""
    shared = places.shared
    key = (name, per_minute, str(shared.path) if shared else "")
    if key not in _RATES:
        _RATES[key] = RateLimit(
            per_minute,
            store=Store(shared) if shared else None,
            name=name,
            on_problem=lambda problem: warnings.append(f"{problem}. {NOT_SHARED}"),
        )
    return _RATES[key]


def risks_of(options: Mapping[str, Any]) -> list[str]:
    """Return a warning for each connection option that disables a protection.

    The texts are the same at each call, so that a run prints them once.
    """
    given = from_environment(options)
    risks = []
    if given.get("validate_certs") is False:
        risks.append(
            "validate_certs: false: any certificate is accepted, so anybody on the network path can read and change "
            "everything, including passwords. Give the authority in ca_path."
        )
    base_url = str(given.get("base_url") or "").strip()
    tuning = options.get("tuning")
    allows_http = isinstance(tuning, Mapping) and tuning.get("allow_http")
    if allows_http and base_url.lower().startswith("http:") and not is_local(base_url):
        risks.append(
            "tuning.allow_http: true: tokens and passwords travel unencrypted, so anybody on the network path can read "
            "them. Use https."
        )
    return risks


def _require_readable(option: str, path: str) -> None:
    """Check that a certificate or key is a regular file. Reading anything else may wait for ever.

    :raises InvalidInput: if the file does not exist or is not a regular file.
    """
    file = Path(path)
    if not (file.is_file() or (option == "ca_path" and file.is_dir())):
        words = "no such file, or not a regular file; expected a certificate or key of the connection"
        raise InvalidInput(f"{option}: {path}: {words}")


def _key_lines(*paths: Any) -> set[str]:
    """Return the lines of private keys, which no message may show.

    The collection never sends a key. So a service that echoes such a line got it from somewhere else.
    """
    lines: set[str] = set()
    for path in paths:
        with contextlib.suppress(InvalidInput):
            text = Folder.read_named("client_key", Path(path), _LARGEST_KEY).decode("ascii", "replace") if path else ""
            for key in _PRIVATE_KEY.findall(text):
                lines.update(line for line in key.split() if len(line) >= _SHORTEST_KEY_LINE)
    return lines


_PRIVATE_KEY = re.compile("-----BEGIN [A-Z ]*PRIVATE KEY-----([A-Za-z0-9+/=\\s]*)-----END")
_SHORTEST_KEY_LINE = 16
_LARGEST_KEY = 1 << 20


_WHOLE = 100
_limit = reader(whole, lambda number: number >= 0, "requests a minute as an integer, 0 for no limit")
