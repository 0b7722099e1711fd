# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many records for load tests: N objects, and rooms, locations and persons in proportion.

They are the same at every start.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..store import Store, quoted
from .builtin import fixed_uuid

_OBJECTS_PER_ROOM, _ROOMS_PER_LOCATION, _OBJECTS_PER_PERSON = 50, 40, 100
_THINGS = ("Desk", "Chair", "Monitor", "Laptop", "Cabinet", "Printer", "Drill", "Projector", "Shelf", "Telephone")
_CONDITIONS = ("in use", "in storage", "in repair", "retired")
_CITIES = ("Dresden", "Leipzig", "Chemnitz", "Berlin", "Hamburg", "Erfurt")
_FIRST = ("Anna", "Bernd", "Clara", "David", "Elif", "Frank", "Greta", "Hannes", "Irina", "Jonas")
_LAST = ("Lindner", "Kowalski", "Mendes", "Okafor", "Yildiz", "Petersen", "Novak", "Brandt", "Sokolova", "Meier")
_DEPARTMENTS = ("Design", "Workshop", "Accounting", "Management")


def load(store: Store, count: int, now: str) -> None:
    """Fill the tables directly, and create the indexes afterwards."""
    rooms = max(1, count // _OBJECTS_PER_ROOM)
    locations = max(1, rooms // _ROOMS_PER_LOCATION)
    persons = max(1, count // _OBJECTS_PER_PERSON)
    _fill(store, "location", now, _locations(locations))
    _fill(store, "room", now, _rooms(rooms, locations))
    _fill(store, "person", now, _persons(persons))
    _fill(store, "asset", now, _objects(count, rooms, locations, persons))


def _fill(store: Store, table: str, now: str, records: Iterator[dict[str, Any]]) -> None:
    first = next(records)
    columns = [*first, "uuid", "created_at", "updated_at", "created_by_user_id", "updated_by_user_id"]
    marks = ", ".join("?" * len(columns))
    sql = f"INSERT INTO {table} ({', '.join(map(quoted, columns))}) VALUES ({marks})"
    store.db.execute(sql, _row(table, now, first))
    store.db.executemany(sql, (_row(table, now, record) for record in records))


def _row(table: str, now: str, record: dict[str, Any]) -> Sequence[Any]:
    return (*record.values(), fixed_uuid("load", table, record["id"]), now, now, 1, 1)


def _locations(count: int) -> Iterator[dict[str, Any]]:
    for number in range(1, count + 1):
        yield {
            "id": number,
            "name": f"Site {number:03d}",
            "address": f"Hafenstraße {number}",
            "zip": f"{10000 + number * 7 % 80000:05d}",
            "city": _CITIES[number % len(_CITIES)],
            "country": "Germany",
        }


def _rooms(count: int, locations: int) -> Iterator[dict[str, Any]]:
    for number in range(1, count + 1):
        yield {
            "id": number,
            "name": f"Room {number:05d}",
            "number": f"{number % 9}.{number % 97:02d}",
            "building_id": 1 + number % locations,
            "area": 12 + number % 340 / 4,
        }


def _persons(count: int) -> Iterator[dict[str, Any]]:
    for number in range(1, count + 1):
        first, last = _FIRST[number % len(_FIRST)], _LAST[number // len(_FIRST) % len(_LAST)]
        yield {
            "id": number,
            "email": f"{first}.{last}.{number}@load.example".lower(),
            "first_name": first,
            "last_name": last,
            "department": _DEPARTMENTS[number % len(_DEPARTMENTS)],
        }


def _objects(count: int, rooms: int, locations: int, persons: int) -> Iterator[dict[str, Any]]:
    for number in range(1, count + 1):
        room, target = 1 + number % rooms, 1 + (number if number % 17 else number // 3) % rooms
        yield {
            "id": number,
            "inventory_name": f"{_THINGS[number % len(_THINGS)]} {number:06d}",
            "barcode": f"L{number:08d}",
            "serial_number": f"SN-{number * 7919 % 1_000_003:07d}" if number % 5 else None,
            "condition": _CONDITIONS[number * 31 % 101 % len(_CONDITIONS)],
            "description": f"Batch {number // 500}",
            "purchasing_price": round(20 + number * 37 % 50_000 / 13, 2) if number % 11 else None,
            "purchasing_date": f"{2010 + number % 15}-{1 + number % 12:02d}-{1 + number % 28:02d}",
            "weight": round(number * 13 % 4000 / 7, 3),
            "quantity": 1 + number % 9,
            "is_loaned": int(number % 40 == 0),
            "actual_room": room,
            "target_room": target,
            "status": "ok" if room == target else "deviation",
            "actual_building": 1 + room % locations,
            "target_building": 1 + target % locations,
            "responsible_person": 1 + number % persons if number % 3 else None,
        }
