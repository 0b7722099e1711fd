# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The doors through which foreign text enters: every module with options that read such text.

A module without a line uses the tasks of its integration steps. A test checks that every module, plugin, report and
source of files is covered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from hostile_service import uuid_of
from project import ROOT
from steps import NAMESPACE

LOCATION, ROOM, PERSON, USER, OBJECT, TASK, CASE, FILE = (uuid_of(number, 1) for number in (1, 2, 3, 4, 5, 6, 7, 10))

_WRITTEN: dict[str, list[Mapping[str, Any]]] = {
    "api": [{"method": "GET", "path": "/rooms"}, {"method": "PATCH", "path": "/room/x", "body": {"name": "x"}}],
    "api_info": [{"path": "/rooms"}, {"path": "/nothing/x"}],
    "auth_token": [{}, {"state": "absent", "access_token": "x"}],
    "catalog_item": [{"match_on": ["name"], "fields": {"name": "x"}}, {"uuid": LOCATION, "state": "absent"}],
    "catalog_item_info": [{}, {"uuid": LOCATION}],
    "field_definition": [
        {"template": "asset", "label": "description", "type": "TEXT", "comment": "changed"},
        {"template": "asset", "label": "desription", "type": "TEXT", "relations": [{"target": "nothing"}]},
    ],
    "field_definition_info": [{"template": name} for name in ("asset", "room", "person")],
    "file": [{"object": OBJECT, "field": "accessories", "uuid": FILE}, {"object": "1", "field": "x", "uuid": FILE}],
    "file_download": [{"uuid": FILE, "dest": "{dest}/in/"}, {"object": OBJECT, "field": "documents", "dest": "{dest}"}],
    "file_info": [{}, {"uuid": FILE}],
    "history_info": [
        {"kind": kind, "record": uuid}
        for kind, uuid in {"object": OBJECT, "location": LOCATION, "room": ROOM, "person": PERSON, "task": TASK}.items()
    ],
    "hub_item": [{"object": OBJECT, "price": 1}, {"object": OBJECT, "state": "absent"}, {"object": "nowhere"}],
    "hub_item_info": [{}, {"id": 1}],
    "hub_order": [{"id": 1, "completed": True}, {"items": ["nowhere"]}, {"order_number": "x", "cancelled": True}],
    "hub_order_info": [{}, {"id": 1}],
    "hub_suggestion_info": [{}],
    "location": [
        {"uuid": LOCATION, "fields": {"city": "changed"}},
        {"fields": {"name": "nowhere", "cty": "x"}},
        {"uuid": LOCATION, "state": "absent"},
    ],
    "location_info": [{}, {"uuid": LOCATION}, {"filters": {"nmae": "x"}}],
    "object": [
        {"uuid": OBJECT, "fields": {"serial_number": "changed"}},
        {"fields": {"barcode": "x", "actual_room": "nowhere"}},
        {"fields": {"barcode": "x", "serial_nmber": "y"}},
        {"fields": {"barcode": "x"}, "state": "archived"},
    ],
    "object_info": [{}, {"uuid": OBJECT}, {"filters": {"actual_room": "nowhere"}}],
    "person": [{"uuid": PERSON, "fields": {"last_name": "changed"}}, {"fields": {"email": "x@example.org"}}],
    "person_info": [{}, {"uuid": PERSON}],
    "rental_case": [
        {"uuid": CASE, "comment": "changed"},
        {"title": "x", "issue_date": "2027-01-01", "due_date": "2027-01-02", "references": ["nowhere"],
         "responsible_user": "nobody"},
    ],
    "rental_case_info": [{}, {"uuid": CASE}],
    "report": [
        {"template": "nothing", "objects": [OBJECT], "dest": "{dest}/r.pdf"},
        {"template": "1", "objects": ["nowhere"], "dest": "{dest}/r.pdf"},
    ],
    "report_template_info": [{}],
    "room": [
        {"uuid": ROOM, "fields": {"note": "changed"}},
        {"fields": {"building_id": "nowhere", "number": "1"}},
        {"uuid": ROOM, "state": "absent"},
    ],
    "room_info": [{}, {"uuid": ROOM}],
    "service_info": [{}],
    "task": [
        {"uuid": TASK, "comment": "changed"},
        {"title": "x", "deadline": "2027-01-01", "assignees": ["nobody"], "references": ["nowhere"]},
    ],
    "task_info": [{}, {"uuid": TASK}],
    "user_from_person": [{"person": PERSON}, {"person": "nobody"}],
    "user_info": [{}, {"uuid": USER}],
}  # fmt: skip
"""Modules with options that read, that change, that find nothing, and that are wrong."""


def _tasks_of_steps() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Return modules with the options of each of their integration steps.

    References to results of earlier steps are replaced by a uuid.
    """
    for path in sorted((ROOT / "tests" / "integration" / "steps").glob("*.yml")):
        for step in yaml.load(
            re.sub(r"\{\{[^}]*\}\}", OBJECT, path.read_text(encoding="utf-8")), Loader=yaml.CSafeLoader
        ):
            for name, options in step.get("task", {}).items():
                if name.startswith(NAMESPACE):
                    yield name.removeprefix(NAMESPACE), options or {}


def _modules() -> dict[str, list[Mapping[str, Any]]]:
    found = dict(_WRITTEN)
    for name, options in _tasks_of_steps():
        if name not in _WRITTEN and name not in CONTROLLER:
            found.setdefault(name, []).append(options)
    return found


CONTROLLER = {
    "handover",
    "hosts",
    "instance",
    "instance_absorb",
    "instance_drift",
    "instance_export",
    "instance_undo",
    "instance_validate",
    "ledger",
    "move",
    "stocktake",
}
"""Modules that only run on the controller. Each has tests of its own."""

REPORTS = {".csv", ".html", ".json", ".md", ".sarif"}
STOCKTAKE_REPORTS = {".csv", ".html", ".json", ".xlsx"}
SOURCES = {".yml", ".yaml", ".csv", ".jsonl", ".xlsx"}
FORMATS = {"yaml", "csv", "jsonl", "xlsx"}
PLUGINS = {"inventory/places.py", "lookup/record.py"}
"""The other doors: formats of reports and exports, sources of files, plugins."""

MODULES = _modules()
"""Every module for records, with options."""

LOOKUPS = {
    "object": OBJECT,
    "location": LOCATION,
    "room": ROOM,
    "person": PERSON,
    "user": USER,
    "task": TASK,
    "rental_case": CASE,
}
"""Kind to the uuid of its first record."""


def options(module: Mapping[str, Any], dest: Path) -> dict[str, Any]:
    """Return the options of a row, with ``{dest}`` replaced by a directory."""
    return {
        name: value.replace("{dest}", str(dest)) if isinstance(value, str) else value for name, value in module.items()
    }
