# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The log of requests since the last reset. It is on disk, so that it takes no memory."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

from .messages import Call

_SECRETS = frozenset(("password", "refresh_token", "access_token", "auth_code", "client_id"))
_MASK = "********"
_LONGEST = 100_000
_IN_QUERY = re.compile(rf"\b({'|'.join(sorted(_SECRETS))})=[^&]*")


class Journal:
    """A table in a temporary database, which is deleted with the process."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        # With an empty name, SQLite keeps a private database in a temporary file for what exceeds the cache.
        self._db = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode = OFF")
        self._db.execute("PRAGMA synchronous = OFF")
        self._db.execute("PRAGMA cache_size = -2048")
        self._db.execute("CREATE TABLE entry (id INTEGER PRIMARY KEY AUTOINCREMENT, entry TEXT NOT NULL)")
        self._since = datetime.min.replace(tzinfo=UTC)

    def note(self, call: Call, status: int | None, started: datetime, seconds: float, fault: str | None) -> int:
        """Log a request, and return the number of its entry.

        No status means that the client received no answer. A request that arrived before the log was cleared is not
        logged.
        """
        if started < self._since:
            return 0
        entry = {
            "method": call.method,
            "path": call.path,
            "query": _IN_QUERY.sub(rf"\1={_MASK}", call.query),
            "body": _body(call),
            "status": status,
            "time": _written(started),
            "duration_ms": round(seconds * 1000, 2),
        }
        if fault:
            entry["fault"] = fault
        values = (json.dumps(entry, ensure_ascii=False),)
        return self._db.execute("INSERT INTO entry (entry) VALUES (?)", values).lastrowid or 0

    def carried_out(self, number: int, moment: datetime | None, status: int | None) -> None:
        """Add to an entry when its request was carried out, and with which status.

        No moment means that it is pending.
        """
        row = self._db.execute("SELECT entry FROM entry WHERE id = ?", (number,)).fetchone()
        if row is not None:
            late = None if moment is None else {"time": _written(moment), "status": status}
            entry = json.dumps({**json.loads(row[0]), "carried_out": late}, ensure_ascii=False)
            self._db.execute("UPDATE entry SET entry = ? WHERE id = ?", (entry, number))

    def as_json(self) -> bytes:
        """All entries, oldest first, as one JSON array."""
        rows = self._db.execute("SELECT entry FROM entry ORDER BY id")
        return ("[" + ",".join(row[0] for row in rows) + "]").encode()

    def clear(self) -> None:
        self._since = self._clock()
        self._db.execute("DELETE FROM entry")


def _written(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")


def masked(value: Any) -> Any:
    """Return the same value with every credential masked."""
    if isinstance(value, dict):
        return {
            key: _MASK if key in _SECRETS and member is not None else masked(member) for key, member in value.items()
        }
    if isinstance(value, list):
        return [masked(item) for item in value]
    return value


def _body(call: Call) -> Any:
    if call.parts is not None:
        return {
            name: {"name": part.name, "type": part.media, "size": len(part.content)}
            for name, part in call.parts.items()
        }
    if not call.body:
        return None
    if call.media == "application/x-www-form-urlencoded":
        return masked(dict(parse_qsl(call.body.decode(errors="replace"), keep_blank_values=True)))
    try:
        value = masked(json.loads(call.body))
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        # In a body that is not JSON, a credential may be anywhere.
        return f"{len(call.body)} bytes that are not JSON"
    if len(call.body) > _LONGEST:
        return f"{len(call.body)} bytes of JSON"
    return value
