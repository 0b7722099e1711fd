# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The newest token pair of an account, shared by all processes of this user in private places.

Nothing here raises: a pair that cannot be read or kept counts as missing.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import math
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from ..local.safe_files import Folder
from .locks import SharedFile
from .store import Facts, Store

_OWNER = "tokens"
_PAIR = "pair"
_KEY = "key"
_KEY_BYTES = 32
_LOCK = "renewal-"
_DIGITS = 32
#: Maximum number of accounts whose pairs are kept.
_MOST_PAIRS = 100


@dataclass(frozen=True)
class Credentials:
    """The credentials of a user. Every member may be missing."""

    access_token: str | None = None
    refresh_token: str | None = None
    username: str | None = None
    password: str | None = None
    client_id: str | None = None


@dataclass(frozen=True)
class Pair:
    """The tokens that a login returned.

    :ivar renew_at: when to request another pair, on a clock that starts with the machine; None: when it is refused.
    :ivar kept_at: when it was stored.
    """

    access_token: str
    refresh_token: str | None
    renew_at: float | None
    user_id: int | None
    kept_at: float

    def is_fresh(self, now: float) -> bool:
        """Return True if the access token may be sent.

        If a pair was stored in the future of this clock, the machine was restarted.
        """
        return self.kept_at <= now < (math.inf if self.renew_at is None else self.renew_at)


class TokenStore:
    """The pair of one account. If its password changed, it counts as another account, so it signs in again.

    :param folder: a private place; None: the pair stays in the memory of this process.
    :param root: of the instance.
    """

    def __init__(self, folder: Folder | None, root: str, account: Credentials) -> None:
        self._folder = folder
        self._root = root
        self._account = account
        self._store = Store(folder)

    def read(self) -> Pair | None:
        """Return the stored pair of exactly this account."""
        with contextlib.suppress(OSError, LookupError, TypeError, ValueError), self._store.changing(_OWNER) as facts:
            name, proof = self._identity(facts)
            kept = dict(facts.all(_PAIR)[name])
            if kept.pop("proof") == proof and isinstance(kept["access_token"], str):
                return Pair(**kept)
        return None

    def keep(self, pair: Pair) -> None:
        """Store a pair in place of the previous pair."""
        with contextlib.suppress(OSError), self._store.changing(_OWNER) as facts:
            name, proof = self._identity(facts)
            facts.put((_PAIR, name, None), (_PAIR, name, {"proof": proof, **asdict(pair)}))
            facts.put(*((_PAIR, old, None) for old in list(facts.all(_PAIR))[:-_MOST_PAIRS]))

    def clear(self) -> None:
        """Delete the pair of this account."""
        if pair := self.read():
            self.forget(pair.access_token)

    def forget(self, access_token: str) -> None:
        """Delete a pair, whichever account it was stored for."""
        with contextlib.suppress(OSError, AttributeError), self._store.changing(_OWNER) as facts:
            names = [name for name, kept in facts.all(_PAIR).items() if kept.get("access_token") == access_token]
            facts.put(*((_PAIR, name, None) for name in names))

    @contextlib.contextmanager
    def renewing(self, seconds: float) -> Iterator[None]:
        """Let one process at a time renew a pair. If that is impossible or takes too long, each process renews its own.

        :param seconds: how long to wait for another process.
        """
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(OSError):
                with self._store.changing(_OWNER) as facts:
                    name, _proof = self._identity(facts)
                if self._folder is not None:
                    stack.enter_context(SharedFile(self._folder, f"{_LOCK}{name}").locked(seconds))
            yield

    def _identity(self, facts: Facts) -> tuple[str, str]:
        """Return the mark of the pair, and the proof that it belongs to this account.

        Both are keyed, so nobody can guess them.
        """
        if not isinstance(facts.get(_KEY), str):
            facts.put((_KEY, "", secrets.token_hex(_KEY_BYTES)))
        key, account = facts.get(_KEY).encode(), self._account
        # The user name identifies an account with a password. Only the refresh token identifies any other account.
        secret = "" if account.password else account.refresh_token
        name = _keyed(key, self._root, account.username, account.client_id, secret)
        return name, _keyed(key, account.password, account.refresh_token)


def _keyed(key: bytes, *texts: str | None) -> str:
    text = json.dumps([text or "" for text in texts]).encode()
    return hmac.digest(key, text, "sha256").hex()[:_DIGITS]
