# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small believable instance: a design office with a workshop. The same at every start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..context import Context
from ..kinds import catalog, hub_items, hub_orders, records, rentals, tasks
from ..kinds.files import insert_file
from ..kinds.hub_data import suggested_category
from ..kinds.users import insert_user
from .builtin import fixed_uuid
from .samples import drawing, manual, note

_DOMAIN = "nordhain.example"

_LOCATIONS = (
    ("Head office", "Hainstraße 2", "01097", "Dresden", "Germany"),
    ("Workshop", "Gewerbepark 14", "01129", "Dresden", "Germany"),
    ("Branch Leipzig", "Karl-Heine-Straße 99", "04229", "Leipzig", "Germany"),
)
# Location, number, name, area.
_ROOMS = (
    ("Head office", "0.01", "Reception", 28.5),
    ("Head office", "0.12", "Meeting room Elbe", 34.0),
    ("Head office", "1.01", "Open-plan office", 142.25),
    ("Head office", "1.02", "Accounting", 24.0),
    ("Head office", "1.10", "Server room", 9.75),
    ("Head office", "2.01", "Management", 31.5),
    ("Workshop", "0.01", "Joinery", 210.0),
    ("Workshop", "0.02", "Tool store", 46.5),
    ("Workshop", "0.03", "Paint shop", 61.0),
    ("Branch Leipzig", "3.01", "Studio", 88.0),
    ("Branch Leipzig", "3.02", "Meeting room Pleiße", 22.0),
    ("Branch Leipzig", "3.03", "Archive", 17.5),
)
# First name, last name, department, telephone, user.
_PERSONS = (
    ("Anna", "Lindner", "Management", "+49 351 5550101", True),
    ("Bernd", "Kowalski", "Workshop", "+49 351 5550120", True),
    ("Clara", "Mendes", "Design", "+49 341 5550301", True),
    ("David", "Okafor", "Information technology", "+49 351 5550110", True),
    ("Elif", "Yildiz", "Accounting", "+49 351 5550104", False),
    ("Frank", "Petersen", "Workshop", "+49 351 5550121", False),
    ("Greta", "Novak", "Design", "+49 341 5550302", False),
    ("Hannes", "Brandt", "Workshop", "+49 351 5550122", False),
    ("Irina", "Sokolova", "Design", "+49 341 5550303", False),
    ("Jonas", "Meier", "Reception", "+49 351 5550100", False),
)
# Name, room, condition, price, date of purchase, weight, quantity, person, serial number, description.
_OBJECTS: Sequence[tuple[Any, ...]] = (
    ("Reception desk", "Head office/0.01", "in use", 1890.0, "2019-03-11", 85.5, 1, 9, None, "Oak, two metres"),
    ("Meeting table Elbe", "Head office/0.12", "in use", 1249.5, "2020-11-02", 64.0, 1, 0, None, "Seats ten"),
    ("Conference chair", "Head office/0.12", "in use", 279.9, "2020-11-02", 7.25, 10, 0, None, "Swivel chair, grey"),
    ("Projector", "Head office/0.12", "in use", 899.0, "2021-05-20", 3.2, 1, 3, "PJ-77120-A", "Ceiling mounted"),
    ("Height-adjustable desk", "Head office/1.01", "in use", 649.0, "2022-01-17", 41.0, 1, 2, None, ""),
    ("Height-adjustable desk", "Head office/1.01", "in use", 649.0, "2022-01-17", 41.0, 1, 6, None, ""),
    ("Laptop 14", "Head office/1.01", "in use", 1399.0, "2023-02-06", 1.35, 1, 2, "LT-4410-0091", "16 GB, 512 GB"),
    ("Laptop 14", "Head office/1.02", "in use", 1399.0, "2023-02-06", 1.35, 1, 4, "LT-4410-0092", "16 GB, 512 GB"),
    ("Laptop 16", "Head office/2.01", "in use", 2199.0, "2023-09-18", 2.1, 1, 0, "LT-5520-0007", "32 GB, 1 TB"),
    ("Monitor 27", "Head office/1.01", "in use", 329.0, "2022-01-17", 6.4, 1, 2, "MN-2700-3311", None),
    ("Monitor 27", "Head office/1.02", "in use", 329.0, "2022-01-17", 6.4, 1, 4, "MN-2700-3312", None),
    ("Laser printer", "Head office/1.01", "in repair", 749.0, "2018-06-04", 29.8, 1, 3, "PR-9004-55", "Paper jam"),
    ("File server", "Head office/1.10", "in use", 4820.0, "2021-10-01", 18.0, 1, 3, "SV-1U-20871", "RAID 6"),
    ("Fire extinguisher", "Head office/1.10", "in use", 79.5, "2020-02-14", 9.1, 1, 3, "FE-6-114", None),
    ("Panel saw", "Workshop/0.01", "in use", 12400.0, "2016-08-29", 780.0, 1, 1, "PS-3200-18", "3.2 m cutting length"),
    ("Cordless drill", "Workshop/0.02", "in storage", 189.0, "2022-04-12", 1.8, 4, 5, "CD-18V-801", "Two batteries"),
    ("Hand-held circular saw", "Workshop/0.02", "in storage", 459.0, "2021-03-30", 4.6, 2, 5, "HS-165-033", None),
    ("Ladder, 12 rungs", "Workshop/0.02", "in storage", 219.0, "2019-09-09", 14.2, 3, 7, None, "Aluminium"),
    ("Laser distance meter", "Workshop/0.02", "in storage", 129.0, "2023-03-03", 0.14, 2, 1, "LM-60-2290", "60 m"),
    ("Spray gun", "Workshop/0.03", "in use", 349.0, "2020-07-21", 0.6, 1, 7, "SG-4000-12", None),
    ("Delivery van", "Workshop/0.01", "in use", 31500.0, "2021-12-01", 2150.0, 1, 1, "WV2ZZZ7HZNH000017", "DD-NH 117"),
    ("Studio camera", "Branch Leipzig/3.01", "in use", 2799.0, "2022-10-10", 0.74, 1, 8, "SC-R6-40917", "With lens"),
    ("Tripod", "Branch Leipzig/3.01", "in use", 239.0, "2022-10-10", 2.3, 2, 8, None, None),
    ("Sofa", "Branch Leipzig/3.02", "in use", 1150.0, "2017-05-15", 52.0, 1, 6, None, "Three seats, blue"),
    ("Plan cabinet", "Branch Leipzig/3.03", "retired", None, "2009-01-05", 96.0, 1, None, None, "A0, ten drawers"),
)
_FIRST_BARCODE = 1234


def load(context: Context) -> None:
    """Everything that the demonstration consists of."""
    users = _users(context)
    rooms = _places(context)
    persons = _persons(context, users)
    files = _files(context)
    objects = _objects(context, rooms, persons, users, files)
    _tasks(context, objects, users, files)
    _rental_cases(context, objects, users)
    _hub(context, objects)
    _catalog(context)


def _users(context: Context) -> list[str]:
    users = []
    for first, last, _department, _phone, has_user in _PERSONS:
        if has_user:
            email = _email(first, last)
            users.append(fixed_uuid("user", email))
            insert_user(
                context.store, uuid=users[-1], email=email, firstname=first, lastname=last, rights=("read", "tasks")
            )
    return users


def _email(first: str, last: str) -> str:
    return f"{first}.{last}@{_DOMAIN}".lower()


def _insert(context: Context, template: str, name: str, fields: dict[str, Any]) -> str:
    return records.insert(context, context.templates[template], fields, uuid=fixed_uuid(template, name))[1]


def _places(context: Context) -> dict[str, str]:
    locations = {
        name: _insert(
            context,
            "location",
            name,
            {"name": name, "address": address, "zip": code, "city": city, "country": country},
        )
        for name, address, code, city, country in _LOCATIONS
    }
    rooms = {}
    for location, number, name, area in _ROOMS:
        path = f"{location}/{number}"
        fields = {"name": name, "number": number, "building_id": locations[location], "area": area}
        rooms[path] = _insert(context, "room", path, fields)
    return rooms


def _persons(context: Context, users: list[str]) -> list[str]:
    persons = []
    for index, (first, last, department, phone, _has_user) in enumerate(_PERSONS):
        fields = {
            "email": _email(first, last),
            "first_name": first,
            "last_name": last,
            "department": department,
            "phone": phone,
        }
        persons.append(_insert(context, "person", _email(first, last), fields))
        if index < len(users):
            context.store.run("UPDATE person SET user_uuid = ? WHERE uuid = ?", (users[index], persons[-1]))
    return persons


def _files(context: Context) -> dict[str, str]:
    contents = {
        "panel-saw-manual.pdf": ("application/pdf", manual("Panel saw", "Read this before you switch it on.")),
        "floor-plan.png": ("image/png", drawing()),
        "handover.txt": ("text/plain", note("Handed over complete and in working order.")),
    }
    uuids = {}
    for name, (media, content) in contents.items():
        uuids[name] = fixed_uuid("file", name)
        insert_file(
            context.store, uuid=uuids[name], name=name, media=media, content=content, creator_id=1, now=context.now
        )
    return uuids


def _objects(
    context: Context, rooms: dict[str, str], persons: list[str], users: list[str], files: dict[str, str]
) -> dict[str, str]:
    objects = {}
    for index, (name, room, condition, price, bought, weight, quantity, person, serial, text) in enumerate(_OBJECTS):
        barcode = f"{_FIRST_BARCODE + index:07d}"
        fields: dict[str, Any] = {
            "inventory_name": name,
            "barcode": barcode,
            "serial_number": serial,
            "condition": condition,
            "description": text,
            "purchasing_price": price,
            "purchasing_date": bought,
            "weight": weight,
            "quantity": quantity,
            "is_loaned": index in (15, 21),
            "actual_room": rooms[room],
            "target_room": rooms["Workshop/0.02" if index == 19 else room],
            "responsible_person": None if person is None else persons[person],
        }
        if person is not None and person < len(users):
            fields["responsible_user"] = users[person]
        objects[barcode] = _insert(context, "asset", barcode, fields)
    _more(context, objects, files)
    return objects


def _more(context: Context, objects: dict[str, str], files: dict[str, str]) -> None:
    """Values of the rarer types, on a few objects."""
    changes: dict[str, dict[str, Any]] = {
        "0001237": {"last_inspection": "2024-03-04T09:30:00+01:00", "link": "https://nordhain.example/manuals/pj"},
        "0001240": {"accessories": [objects["0001243"]]},
        "0001246": {"documents": [files["handover.txt"]]},
        "0001247": {"next_maintenance": "2027-02-14", "last_inspection": "2025-02-14T10:00:00+01:00"},
        "0001248": {"documents": [files["panel-saw-manual.pdf"]], "next_maintenance": "2027-08-29"},
        "0001254": {"position": "51.0768,13.7423"},
        "0001255": {"accessories": [objects["0001256"]], "cover": [files["floor-plan.png"]]},
    }
    template = context.templates["asset"]
    for barcode, fields in changes.items():
        records.change(context, template, records.find(context, template, objects[barcode]), fields)


def _tasks(context: Context, objects: dict[str, str], users: list[str], files: dict[str, str]) -> None:
    written: Sequence[tuple[str, str, int, list[str], list[dict[str, Any]], Any, str]] = (
        ("Service the panel saw", "2027-08-29", 1, ["0001248"], [_span("weeks", 2)], _span("years", 1), "open"),
        ("Repair the laser printer", "2027-01-15", 3, ["0001245"], [_span("days", 3), _span("days", 0)], None, "open"),
        ("Check the fire extinguisher", "2027-02-14", 3, ["0001247"], [_span("months", 1)], _span("years", 2), "open"),
        ("Order batteries", "2026-12-01", 1, ["0001249"], [], None, "open"),
        ("Take stock of the studio", "2025-06-30", 2, ["0001255", "0001256"], [_span("weeks", 1)], None, "closed"),
    )
    for title, deadline, user, barcodes, reminders, recurring, status in written:
        uuid = fixed_uuid("task", title)
        body = {
            "title": title,
            "comment": "With the usual supplier." if title.startswith("Order") else None,
            "deadline": deadline,
            "reminders": reminders,
            "recurring_schedule": recurring,
            "assignees": [users[user]],
            "references": [{"type": "asset", "uuid": objects[barcode]} for barcode in barcodes],
            "attachments": [files["panel-saw-manual.pdf"]] if "panel saw" in title else [],
        }
        tasks.insert(context, body, uuid=uuid)
        context.store.run("UPDATE task SET status = ? WHERE uuid = ?", (status, uuid))


def _span(unit: str, value: int) -> dict[str, Any]:
    return {"unit": unit, "value": value}


def _rental_cases(context: Context, objects: dict[str, str], users: list[str]) -> None:
    plain = {"type": "plain", "value": "Tischlerei Weber"}
    written: Sequence[tuple[str, str, list[str], str, str, dict[str, Any]]] = (
        ("Drills for the trade fair", "borrowed", ["0001249"], "2026-11-02", "2027-03-31", plain),
        ("Camera for the catalogue", "confirmed", ["0001255", "0001256"], "2027-04-12", "2027-04-16", _user(users[2])),
        ("Ladder for the facade", "completed", ["0001251"], "2025-05-05", "2025-05-09", plain),
    )
    for title, status, barcodes, issue, due, renter in written:
        body = {
            "title": title,
            "status": status,
            "references": [{"type": "asset", "uuid": objects[barcode]} for barcode in barcodes],
            "issue_date": issue,
            "issue_date_reminder": _span("days", 1) if status == "confirmed" else None,
            "due_date": due,
            "due_date_reminder": _span("days", 2),
            "responsible_user_uuid": users[1],
            "renter": renter,
            "comment": "",
            "attachments": [],
        }
        rentals.insert(context, body, uuid=fixed_uuid("rental_case", title))


def _user(uuid: str) -> dict[str, Any]:
    return {"type": "user", "value": uuid}


def _hub(context: Context, objects: dict[str, str]) -> None:
    items = []
    for barcode, price in (("0001257", 380.0), ("0001236", 95.0), ("0001245", 120.0)):
        sql = "SELECT id, inventory_name, purchasing_price FROM asset WHERE uuid = ?"
        row = context.store.row(sql, (objects[barcode],))
        assert row is not None
        items.append(hub_items.insert(context, row, suggested_category(row["inventory_name"]), price))
    hub_orders.insert(context, items[2:])


def _catalog(context: Context) -> None:
    for name, price, text in (
        ("Height-adjustable desk", 649.0, "160 x 80 centimetres"),
        ("Laptop 14", 1399.0, "16 GB, 512 GB"),
        ("Monitor 27", 329.0, None),
    ):
        fields = {"inventory_name": name, "purchasing_price": price, "description": text}
        written = {f"catalog_object_{key}": value for key, value in fields.items() if value is not None}
        catalog.insert(context, written, uuid=fixed_uuid("catalog_item", name))
