# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fill an instance with its start data, and restore it."""

from __future__ import annotations

from datetime import UTC, datetime

from ..context import Context, internal_context
from ..dates import stamp
from ..service import Service
from ..store import Store
from ..switches import Weather
from ..templates import WITH_DEFINITIONS, add_index
from . import builtin, demo, load

DEMOS = ("demo", "stocktake")
"""The names of the two demonstration states, before and after a stocktake."""

_TOKENS = ("access_token", "refresh_token")

# All start data was entered on this day.
_DAY = datetime(2024, 5, 13, 8, 0, tzinfo=UTC)


class StartData:
    """``empty``, ``demo``, ``stocktake`` or a number of objects."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._copy: Store | None = None

    @property
    def count(self) -> int | None:
        return int(self.name) if self.name.isdigit() else None

    @staticmethod
    def is_new(store: Store) -> bool:
        """Return True if a database is still empty.

        Raise sqlite3.DatabaseError if it is not a database of this version.
        """
        return store.is_new(builtin.VERSION)

    def fill(self, store: Store) -> None:
        """Create and fill the tables of a new database in one transaction."""
        with store.transaction():
            builtin.create(store, index=self.count is None)
            if self.name in DEMOS:
                demo.load(_context(store), after_stocktake=self.name == "stocktake")
                # The list of mails begins at the start.
                store.run("DELETE FROM mail")
            elif self.count:
                load.load(store, self.count, stamp(_DAY))
            if self.count is not None:
                _index(store)
        store.run("ANALYZE")

    def keep(self, store: Store) -> None:
        """Keep a copy of the filled database for :meth:`restore`."""
        self._copy = Store("")
        self._copy.copy_from(store)

    def restore(self, store: Store, sign_out: bool = False) -> None:
        """Restore the start data. Users stay signed in if they still exist, unless all are signed out."""
        tokens = {table: store.rows(f"SELECT * FROM {table}") for table in _TOKENS if not sign_out}
        users = _users(store)
        if self._copy is None:
            # Created once and kept, in a temporary file if it exceeds the cache.
            self._copy = Store("")
            self.fill(self._copy)
        store.copy_from(self._copy)
        known = _users(store)
        unchanged = {number for number, uuid in users.items() if known.get(number) == uuid}
        with store.transaction():
            for table, rows in tokens.items():
                store.insert_all(table, [tuple(row) for row in rows if row["user_id"] in unchanged])


def _users(store: Store) -> dict[int, str]:
    return {row["id"]: row["uuid"] for row in store.rows("SELECT id, uuid FROM user")}


def _index(store: Store) -> None:
    for row in store.rows("SELECT template, field_key FROM definition ORDER BY position"):
        if row["template"] in WITH_DEFINITIONS:
            add_index(store, row["template"], row["field_key"])


def _context(store: Store) -> Context:
    """Return a context for writing the start data as the operator, with all switches on their calm sides."""
    row = store.row("SELECT * FROM user ORDER BY id LIMIT 1")
    assert row is not None
    return internal_context(Service(store, Weather()), row, _DAY)
