# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cache the order of lists. They are read page by page, and a late page would cost as much as all pages before it."""

from __future__ import annotations

import sqlite3
from array import array
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

_MOST_KEPT = 8


class Rankings:
    """The ids that match a filter, in the order of a sort. They are cached until something is written."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._kept: OrderedDict[tuple[Any, ...], array[int]] = OrderedDict()
        self._changes = 0

    def ids(self, sql: str, parameters: Sequence[Any]) -> array[int]:
        """Return the ids that a query finds.

        The change counter of the only connection shows if anything was written.
        """
        if self._changes != self._db.total_changes:
            self.forget()
        key = (sql, *parameters)
        found = self._kept.pop(key, None)
        if found is None:
            found = array("q", (row[0] for row in self._db.execute(sql, parameters)))
        self._kept[key] = found
        if len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return found

    def forget(self) -> None:
        """Clear the cache after changes that the connection does not count, such as a restored copy of the database."""
        self._kept.clear()
        self._changes = self._db.total_changes
