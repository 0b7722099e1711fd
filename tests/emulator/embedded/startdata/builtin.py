# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The definitions that every instance has: one field of every type, and the fields that the interface names."""

from __future__ import annotations

import uuid
import zlib
from collections.abc import Sequence
from typing import Any

from ..definitions import Definition
from ..kinds import TABLES
from ..kinds.hub_data import CATEGORIES
from ..kinds.users import insert_user
from ..store import SCHEMA, Store
from ..templates import add_definition, create_tables
from . import credentials

_SPACE = uuid.UUID("5e7e4711-0000-5000-8000-5eed00000001")
_TABLES = SCHEMA + TABLES
VERSION = zlib.crc32(_TABLES.encode()) >> 1
"""The version of the database, raised with every change of the tables. A file of another version is not opened."""

_CONDITIONS = ["in use", "in storage", "in repair", "retired"]


def fixed_uuid(*names: object) -> str:
    """Return a uuid that is the same at every start."""
    return str(uuid.uuid5(_SPACE, "/".join(map(str, names))))


_ACCOUNTING, _TECHNICAL, _TARGET_ACTUAL = (
    {"form_group": name} for name in ("accounting", "technical", "target_actual")
)
_SERVER = {**_TARGET_ACTUAL, "editable": False}

# Template, key, type, label, then the exceptions: constraints, attributes, relations, possible values.
_FIELDS: Sequence[tuple[str, str, str, str, dict[str, Any]]] = (
    ("asset", "inventory_name", "TEXT", "Name", {"mandatory": "yes", "name_component": "yes"}),
    ("asset", "barcode", "BARCODE", "Barcode", {"mandatory": "yes", "unique": "yes"}),
    ("asset", "serial_number", "TEXT", "Serial number", _TECHNICAL),
    ("asset", "condition", "DROPDOWN", "State of use", {"allowed_values": _CONDITIONS}),
    ("asset", "description", "LONG_TEXT", "Description", {}),
    (
        "asset",
        "purchasing_price",
        "MONEY",
        "Purchasing price",
        {"currency_code": "EUR", "fraction_digits": 2, **_ACCOUNTING},
    ),
    ("asset", "purchasing_date", "DATE", "Date of purchase", _ACCOUNTING),
    ("asset", "inventory_group", "TEXT", "Group", {}),
    ("asset", "manufacturer", "TEXT", "Manufacturer", _TECHNICAL),
    ("asset", "last_inspection", "DATETIME", "Last inspection", _TECHNICAL),
    ("asset", "next_maintenance", "REMINDER", "Next maintenance", _TECHNICAL),
    ("asset", "weight", "DECIMAL", "Weight in kg", {"fraction_digits": 3, **_TECHNICAL}),
    ("asset", "quantity", "NUMBER", "Quantity", {}),
    ("asset", "is_loaned", "BOOLEAN", "On loan", {}),
    ("asset", "link", "LINK", "Link", {}),
    ("asset", "target_room", "LINKED_ROOM", "Target room", _TARGET_ACTUAL),
    ("asset", "target_building", "LINKED_LOCATION", "Target location", _TARGET_ACTUAL),
    ("asset", "actual_room", "LINKED_ROOM", "Actual room", _TARGET_ACTUAL),
    ("asset", "actual_building", "LINKED_LOCATION", "Actual location", _TARGET_ACTUAL),
    (
        "asset",
        "status",
        "FIELD_VALUE_COMPARISON",
        "Status",
        {"relations": {"actual_field": "actual_room", "expected_field": "target_room"}, **_SERVER},
    ),
    ("asset", "inventory_time", "DATETIME", "Last inventory", _SERVER),
    ("asset", "inventory_user", "LINKED_USER", "Last inventory by", _SERVER),
    ("asset", "scan_time", "DATETIME", "Last scan", _SERVER),
    ("asset", "scanned_by_user_id", "NUMBER", "Last scan by", _SERVER),
    ("asset", "responsible_person", "LINKED_PERSON", "Responsible person", {}),
    ("asset", "responsible_user", "LINKED_USER", "Responsible user", {"formatted": "user_as_firstname_lastname"}),
    ("asset", "accessories", "LINKED_ASSETS", "Accessories", {}),
    ("asset", "position", "COORDINATES", "Position", {}),
    ("asset", "documents", "ATTACHMENT", "Documents", {}),
    ("asset", "cover", "ATTACHMENT", "Picture", {"max_value": 1}),
    ("room", "name", "TEXT", "Name", {"name_component": "yes"}),
    ("room", "number", "TEXT", "Number", {}),
    ("room", "building_id", "LINKED_LOCATION", "Building", {}),
    ("room", "additional_information", "TEXT", "Additional information", {}),
    ("room", "description", "LONG_TEXT", "Description", {}),
    ("room", "area", "DECIMAL", "Area in square metres", {"fraction_digits": 2}),
    ("person", "email", "TEXT", "E-mail address", {}),
    ("person", "first_name", "TEXT", "First name", {"name_component": "yes"}),
    ("person", "last_name", "TEXT", "Last name", {"name_component": "yes"}),
    ("person", "department", "TEXT", "Department", {}),
    ("person", "phone", "TEXT", "Telephone", {}),
    ("person", "picture", "ATTACHMENT", "Picture", {"max_value": 1}),
    ("person", "documents", "ATTACHMENT", "Documents", {}),
)
_CONSTRAINTS = ("allowed_values", "max_value")
_REPORTS = ("Object list", "Handover protocol")


def _definition(template: str, key: str, type_name: str, label: str, extra: dict[str, Any]) -> Definition:
    constraints = [{"type": name, "value": extra[name]} for name in _CONSTRAINTS if name in extra]
    attributes = [{"type": "form_group", "value": extra.get("form_group", "general_information")}]
    if extra.get("editable", True):
        attributes += [{"type": "editable", "value": place} for place in ("mobile_app", "web_app")]
    attributes += [
        {"type": name, "value": value}
        for name, value in extra.items()
        if name not in (*_CONSTRAINTS, "relations", "editable", "form_group")
    ]
    relations = [
        {"type": kind, "field_uuid": fixed_uuid("definition", template, other)}
        for kind, other in extra.get("relations", {}).items()
    ]
    body = {
        "field_type": {"name": type_name, "constraints": constraints},
        "label": label,
        "comment": "",
        "default_value": None,
        "possible_values": extra.get("allowed_values", []),
        "attributes": attributes,
        "relations": relations,
    }
    return Definition(fixed_uuid("definition", template, key), template, key, body, builtin=label)


def create(store: Store, *, index: bool = True) -> None:
    """Create tables, built-in definitions and the first user."""
    for statement in _TABLES.split(";\n"):
        if statement.strip():
            store.run(statement)
    store.run(f"PRAGMA user_version = {VERSION}")
    create_tables(store)
    for field in _FIELDS:
        add_definition(store, _definition(*field), index=index)
    for category in CATEGORIES:
        store.insert("hub_category", {"name": category})
    for position, name in enumerate(_REPORTS):
        store.insert("report_template", {"position": position, "uuid": fixed_uuid("report", name), "name": name})
    insert_user(
        store,
        uuid=fixed_uuid("user", "operator"),
        username=credentials.USERNAME,
        password=credentials.PASSWORD,
        email=credentials.EMAIL,
        firstname=credentials.FIRSTNAME,
        lastname=credentials.LASTNAME,
        rights=("all",),
    )
