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

from ..errors import InvalidInput
from ..local.access import PRIVATE_FILE, Access
from ..local.safe_files import Folder
from .locks import Busy, SharedFile

_KEY = "token-key"
_KEY_BYTES = 32
_FILE = "token-"
_LOCK = "renewal-"
_DIGITS = 32
_MOST_BYTES = 1 << 16
_KEY_SECONDS = 5.0


@dataclass(frozen=True)
class Account:
    """The account that signs in, with its secrets.

    An account with a changed password counts as another account, so it signs in again.

    :ivar root: of the instance.
    """

    root: str
    username: str
    client_id: str
    password: str
    refresh_token: str


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

        A pair stored later than now is from before the machine was started.
        """
        return self.kept_at <= now < (math.inf if self.renew_at is None else self.renew_at)


class TokenStore:
    """The pair of one account.

    :param folder: a private place.
    """

    def __init__(self, folder: Folder, account: Account) -> None:
        self._folder = folder
        self._account = account

    def read(self) -> Pair | None:
        """Return the stored pair of exactly this account."""
        with contextlib.suppress(OSError, InvalidInput):
            name, proof = self._identity()
            kept = _decoded(self._folder, name)
            proven = kept.pop("proof", None) if kept is not None else None
            if kept is not None and isinstance(proven, str) and proven.isascii() and hmac.compare_digest(proven, proof):
                return _pair_of(kept)
        return None

    def keep(self, pair: Pair) -> None:
        """Store a pair in place of the previous pair."""
        with contextlib.suppress(OSError, InvalidInput):
            name, proof = self._identity()
            content = json.dumps({"proof": proof, **asdict(pair)}).encode()
            self._folder.write(name, content, Access(mode=PRIVATE_FILE))

    def clear(self) -> None:
        """Delete the pair of this account."""
        if self.read() is not None:
            with contextlib.suppress(OSError, InvalidInput):
                self._folder.remove(self._identity()[0])

    def forget(self, access_token: str) -> None:
        """Delete a pair, whichever account it was stored for."""
        with contextlib.suppress(OSError, InvalidInput):
            for file in self._folder.listed():
                kept = _decoded(self._folder, file.name) if file.name.startswith(_FILE) and file.name != _KEY else None
                if kept is not None and kept.get("access_token") == access_token:
                    self._folder.remove(file.name)

    @contextlib.contextmanager
    def renewing(self, seconds: float) -> Iterator[None]:
        """Let one process at a time renew a pair. If that is impossible or takes too long, each process renews its own.

        :param seconds: how long to wait for another process.
        """
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(OSError, InvalidInput, Busy):
                lock = SharedFile(self._folder, f"{_LOCK}{self._identity()[0]}")
                stack.callback(lock.close)
                stack.enter_context(lock.locked(seconds))
            yield

    def _identity(self) -> tuple[str, str]:
        """Return the name of the file, and the proof that it belongs to this account.

        Both are keyed, so nobody can guess them.

        :raises OSError: if there is no key.
        """
        key, account = self._key(), self._account
        # The user name identifies an account with a password. Only the refresh token identifies any other account.
        secret = "" if account.password else account.refresh_token
        name = _keyed(key, account.root, account.username, account.client_id, secret)
        return f"{_FILE}{name}", _keyed(key, account.password, account.refresh_token)

    def _key(self) -> bytes:
        """Return the key of the directory. It is read each time, because the directory may have been removed."""
        file = SharedFile(self._folder, _KEY)
        try:
            with contextlib.closing(file), file.locked(_KEY_SECONDS):
                key = file.read(_KEY_BYTES)
                if len(key) != _KEY_BYTES:
                    key = secrets.token_bytes(_KEY_BYTES)
                    file.write(key)
        except Busy as busy:
            raise OSError("the key is locked") from busy
        return key


def _keyed(key: bytes, *texts: str) -> str:
    text = json.dumps(texts).encode()
    return hmac.digest(key, text, "sha256").hex()[:_DIGITS]


def _decoded(folder: Folder, name: str) -> dict[str, object] | None:
    try:
        decoded = json.loads(folder.read(name, _MOST_BYTES))
    except (OSError, InvalidInput, ValueError, RecursionError):
        return None
    return decoded if isinstance(decoded, dict) else None


def _pair_of(kept: dict[str, object]) -> Pair | None:
    access, refresh, user = kept.get("access_token"), kept.get("refresh_token"), kept.get("user_id")
    renew_at, kept_at = _moment_of(kept.get("renew_at")), _moment_of(kept.get("kept_at"))
    if not isinstance(access, str) or kept_at is None:
        return None
    return Pair(
        access,
        refresh if isinstance(refresh, str) else None,
        renew_at,
        user if isinstance(user, int) else None,
        kept_at,
    )


def _moment_of(kept: object) -> float | None:
    """Return a moment, or None for an impossible value, such as an integer that no machine counts to."""
    with contextlib.suppress(OverflowError):
        return float(kept) if isinstance(kept, (int, float)) else None
    return None
