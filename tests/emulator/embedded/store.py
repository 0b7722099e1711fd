# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The data: one SQLite database, one connection, one transaction for each request that writes.

The answer is sent only after the commit, and the write-ahead log survives a killed process. So an answered write is
never lost, and an incomplete write is never visible.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .rankings import Rankings

SCHEMA = """
CREATE TABLE user (
  id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE, username TEXT NOT NULL UNIQUE, password TEXT,
  email TEXT NOT NULL, firstname TEXT, lastname TEXT, rights TEXT NOT NULL, refusal TEXT,
  hidden_fields TEXT NOT NULL, locations TEXT);
CREATE INDEX user_email ON user (lower(email));
CREATE TABLE access_token (
  token TEXT PRIMARY KEY, session TEXT NOT NULL, user_id INTEGER NOT NULL, expires REAL NOT NULL);
CREATE INDEX access_token_user ON access_token (user_id);
CREATE INDEX access_token_expires ON access_token (expires);
CREATE TABLE refresh_token (
  token TEXT PRIMARY KEY, session TEXT NOT NULL, user_id INTEGER NOT NULL, uses INTEGER NOT NULL);
CREATE INDEX refresh_token_user ON refresh_token (user_id);
CREATE TABLE sso_code (auth_code TEXT PRIMARY KEY, provider_name TEXT NOT NULL, user_id INTEGER NOT NULL);
CREATE TABLE definition (
  position INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE, template TEXT NOT NULL,
  field_key TEXT NOT NULL, builtin TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (template, field_key));
CREATE TABLE departed (
  template TEXT NOT NULL, id INTEGER NOT NULL, uuid TEXT NOT NULL, display_name TEXT NOT NULL,
  PRIMARY KEY (template, id));
CREATE INDEX departed_uuid ON departed (uuid);
"""

Parameters = Sequence[Any]


class Store:
    """A connection with the few operations that the service needs."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=512)
        self.db.row_factory = sqlite3.Row
        self.db.create_function("casefold", 1, _casefold, deterministic=True)
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("PRAGMA synchronous = NORMAL")
        self.db.execute("PRAGMA temp_store = MEMORY")
        self.db.execute("PRAGMA cache_size = -65536")
        self.rankings = Rankings(self.db)

    def is_new(self, version: int) -> bool:
        """Return True if the database is empty. Raise sqlite3.DatabaseError if it is not a database of this version."""
        if not self.value("SELECT count(*) FROM sqlite_master"):
            return True
        if self.value("PRAGMA user_version") != version:
            raise sqlite3.DatabaseError(f"{self.path} was not made by this version of the service: use another file")
        return False

    def run(self, sql: str, parameters: Parameters = ()) -> sqlite3.Cursor:
        return self.db.execute(sql, parameters)

    def rows(self, sql: str, parameters: Parameters = ()) -> list[sqlite3.Row]:
        return self.db.execute(sql, parameters).fetchall()

    def row(self, sql: str, parameters: Parameters = ()) -> sqlite3.Row | None:
        row: sqlite3.Row | None = self.db.execute(sql, parameters).fetchone()
        return row

    def value(self, sql: str, parameters: Parameters = ()) -> Any:
        row = self.db.execute(sql, parameters).fetchone()
        return None if row is None else row[0]

    def insert(self, table: str, values: dict[str, Any]) -> int:
        """Insert one row, and return its rowid."""
        columns = ", ".join(quoted(key) for key in values)
        marks = ", ".join("?" * len(values))
        return (
            self.db.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", tuple(values.values())).lastrowid or 0
        )

    def insert_all(self, table: str, rows: Sequence[Parameters]) -> None:
        """Insert rows with a value for each column, in the order of the columns."""
        if rows:
            self.db.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)

    def update(self, table: str, row_id: int, values: dict[str, Any]) -> None:
        if values:
            assignments = ", ".join(f"{quoted(key)} = ?" for key in values)
            self.db.execute(f"UPDATE {table} SET {assignments} WHERE id = ?", (*values.values(), row_id))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the block as one transaction. Reads need none, because there is one connection and one thread."""
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.db.execute("ROLLBACK")
            raise
        self.db.execute("COMMIT")

    def copy_from(self, other: Store) -> None:
        """Replace this database by a copy of another."""
        other.db.backup(self.db)
        self.rankings.forget()

    def close(self) -> None:
        self.db.close()


def quoted(name: str) -> str:
    """Return an identifier in SQL."""
    return '"' + name.replace('"', '""') + '"'


def _casefold(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value
