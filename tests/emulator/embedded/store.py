# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The data: one SQLite database, one connection, one transaction for each request that writes.

The answer is sent only after the commit, and the write-ahead log survives the death of the process, so an answered
write is never lost and a half one is never seen.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .rankings import Rankings

# Goes up with every change of the tables: a file of another version is not opened.
VERSION = 3
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
  field_key TEXT NOT NULL, builtin INTEGER NOT NULL, body TEXT NOT NULL, UNIQUE (template, field_key));
CREATE TABLE departed (
  template TEXT NOT NULL, id INTEGER NOT NULL, uuid TEXT NOT NULL, display_name TEXT NOT NULL,
  PRIMARY KEY (template, id));
CREATE INDEX departed_uuid ON departed (uuid);
CREATE TABLE file (
  id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE, name TEXT NOT NULL, type TEXT NOT NULL,
  size INTEGER NOT NULL, sha256 TEXT NOT NULL, creator_id INTEGER NOT NULL, created_at TEXT NOT NULL,
  content BLOB NOT NULL);
CREATE TABLE thumbnail_size (
  file_id INTEGER NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL, PRIMARY KEY (file_id, width, height));
CREATE TABLE task (
  id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE, slug TEXT NOT NULL, status TEXT NOT NULL,
  author TEXT NOT NULL, title TEXT NOT NULL, deadline TEXT NOT NULL, assignee TEXT NOT NULL, body TEXT NOT NULL);
CREATE INDEX task_deadline ON task (deadline);
CREATE TABLE task_reference (task_id INTEGER NOT NULL, uuid TEXT NOT NULL, PRIMARY KEY (task_id, uuid));
CREATE INDEX task_reference_uuid ON task_reference (uuid);
CREATE TABLE rental_case (
  id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE, status TEXT NOT NULL, title TEXT NOT NULL,
  issue_date TEXT NOT NULL, due_date TEXT NOT NULL, responsible_user_uuid TEXT NOT NULL, comment TEXT, renter TEXT,
  body TEXT NOT NULL, author TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
  is_full_day INTEGER NOT NULL, issue_at TEXT, due_at TEXT);
CREATE TABLE rental_reference (rental_id INTEGER NOT NULL, uuid TEXT NOT NULL, PRIMARY KEY (rental_id, uuid));
CREATE INDEX rental_reference_uuid ON rental_reference (uuid);
CREATE TABLE hub_item (
  id INTEGER PRIMARY KEY AUTOINCREMENT, asset_id INTEGER NOT NULL, category TEXT NOT NULL, category_id INTEGER NOT NULL,
  price REAL NOT NULL, suggested_price REAL NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
  deleted INTEGER NOT NULL DEFAULT 0, order_id INTEGER);
CREATE INDEX hub_item_asset ON hub_item (asset_id);
CREATE INDEX hub_item_order ON hub_item (order_id);
CREATE TABLE hub_order (
  id INTEGER PRIMARY KEY AUTOINCREMENT, order_number TEXT NOT NULL, created_at TEXT NOT NULL,
  user_id INTEGER NOT NULL, total_price REAL NOT NULL, completed INTEGER NOT NULL, cancelled INTEGER NOT NULL,
  cancellation_reason TEXT, billing_data TEXT NOT NULL);
CREATE TABLE hub_article (
  order_id INTEGER NOT NULL, item_id INTEGER NOT NULL, cached TEXT NOT NULL,
  PRIMARY KEY (order_id, item_id));
CREATE TABLE hub_category (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE);
CREATE TABLE catalog_item (
  id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE, fields TEXT NOT NULL, created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL);
CREATE TABLE report_template (position INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, name TEXT NOT NULL);
CREATE TABLE history (
  id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, uuid TEXT NOT NULL, type TEXT NOT NULL,
  about TEXT NOT NULL, user_uuid TEXT NOT NULL, occurred_at TEXT NOT NULL, event_name TEXT NOT NULL,
  description TEXT NOT NULL, details TEXT NOT NULL);
CREATE INDEX history_record ON history (kind, uuid, id);
CREATE TABLE mail (
  id INTEGER PRIMARY KEY AUTOINCREMENT, cause TEXT NOT NULL, record TEXT NOT NULL, kind TEXT NOT NULL, recipient TEXT,
  day TEXT, subject TEXT NOT NULL, about TEXT NOT NULL);
CREATE INDEX mail_record ON mail (record);
"""

Parameters = Sequence[Any]


class Store:
    """A connection with the few verbs that the service needs."""

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

    @property
    def is_new(self) -> bool:
        """Whether there is nothing in it yet. Raises sqlite3.DatabaseError when it is not one of ours."""
        if not self.value("SELECT count(*) FROM sqlite_master"):
            return True
        if self.value("PRAGMA user_version") != VERSION:
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
        """Insert one row and give its rowid."""
        columns = ", ".join(quoted(key) for key in values)
        marks = ", ".join("?" * len(values))
        return (
            self.db.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", tuple(values.values())).lastrowid or 0
        )

    def update(self, table: str, row_id: int, values: dict[str, Any]) -> None:
        if values:
            assignments = ", ".join(f"{quoted(key)} = ?" for key in values)
            self.db.execute(f"UPDATE {table} SET {assignments} WHERE id = ?", (*values.values(), row_id))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing. Reading needs none: there is one connection and one thread."""
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.db.execute("ROLLBACK")
            raise
        self.db.execute("COMMIT")

    def copy_from(self, other: Store) -> None:
        """Become the same database as another one."""
        other.db.backup(self.db)
        self.rankings.forget()

    def close(self) -> None:
        self.db.close()


def quoted(name: str) -> str:
    """An identifier in SQL."""
    return '"' + name.replace('"', '""') + '"'


def _casefold(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value
