# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""An instance with many rooms and locations, written directly into the store of the embedded service."""

from __future__ import annotations

import sqlite3
import uuid
from pathlib import Path

from emulator_process import running


def fill(store: Path, rooms: int, locations: int) -> None:
    """Create a store with many ``room N`` and ``location N``, with the rooms spread over the locations."""
    with running(data="50", db=str(store)):
        pass
    database = sqlite3.connect(store)
    database.row_factory = sqlite3.Row
    for table, count in (("location", locations), ("room", rooms)):
        first = dict(database.execute(f"SELECT * FROM {table} LIMIT 1").fetchone())
        database.execute(f"DELETE FROM {table}")
        marks = ", ".join(f":{key}" for key in first)
        database.executemany(
            f"INSERT INTO {table} VALUES ({marks})",
            (
                {
                    **first,
                    "id": number,
                    "uuid": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{table} {number}")),
                    "name": f"{table} {number}",
                    **({"building_id": 1 + number % locations} if table == "room" else {}),
                }
                for number in range(1, count + 1)
            ),
        )
    database.commit()
    database.close()
