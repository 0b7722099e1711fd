# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read an export as start data.

The instance then has the fields, records and files of the exported instance and, with ``twin.jsonl``, its users, uuids,
ids and archived objects.
"""

from __future__ import annotations

import json
import mimetypes
import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..context import Context, new_uuid
from ..definitions import Definition
from ..fieldtypes import FieldType, is_uuid
from ..kinds import MODULES, catalog, hub_items, records, rentals, tasks
from ..kinds.files import insert_file
from ..kinds.hub_data import suggested_category
from ..kinds.users import insert_user
from ..messages import Refusal
from ..store import Store
from ..templates import WITH_DEFINITIONS, add_column, add_definition
from . import builtin, credentials
from .exported import BadExport, Export, Row, text_of

_ORDER = ("location", "room", "person", "asset")
_SECTIONS = {"location": "locations", "room": "rooms", "person": "persons", "asset": "objects"}
_KINDS = {"asset": "object"}
_COLUMNS = {
    "asset": ("inventory_name", "barcode", "purchasing_price", "actual_room"),
    "room": ("name", "number", "building_id"),
    "person": ("email", "first_name", "last_name"),
}
"""Columns that the service itself uses, even if there is no such field."""
_OF_CATALOG = "catalog_object_"
_PARENT = "building_id"
_LONGEST_KEY = 55


def own_templates(export: Export) -> list[str]:
    """Return the templates whose fields the export defines, in place of the built-in fields."""
    return [name for name in WITH_DEFINITIONS if export.definitions(name) is not None]


def add_definitions(store: Store, export: Export) -> None:
    """Add the fields of the export. Raise BadExport if they are invalid."""
    for template in own_templates(export):
        rows = export.definitions(template) or []
        keys = {str(row["label"]): _key_of(export, template, row) for row in rows}
        uuids = {}
        for row in rows:
            key = keys[str(row["label"])]
            note = export.notes.fields.get((template, str(row["label"])), {})
            uuids[key] = str(note.get("uuid") or builtin.fixed_uuid("definition", template, key))
        by_name = {**{label: uuids[key] for label, key in keys.items()}, **uuids}
        for row in rows:
            key = keys[str(row["label"])]
            add_definition(store, Definition(uuids[key], template, key, _body(row, by_name)))
        for key in set(_COLUMNS[template]) - set(uuids):
            add_column(store, template, key)


def _key_of(export: Export, template: str, row: Row) -> str:
    """Return the key of a field: as written, as generated, or derived from its label."""
    label = str(row["label"])
    known = row.get("field_key") or export.notes.fields.get((template, label), {}).get("field_key")
    slug = re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_") or "custom"
    return str(known or f"{slug[:_LONGEST_KEY]}_{zlib.crc32(label.encode()):08x}")


def _body(row: Row, uuids: Mapping[str, str]) -> dict[str, Any]:
    """Return the body of a definition as a client would write it."""
    name = str(row["type"])
    attributes = row.get("attributes") or {}
    return {
        "field_type": {
            "name": "LINKED_ASSETS" if name == "LINKED_ASSET" else name,
            "constraints": [{"type": kind, "value": value} for kind, value in (row.get("constraints") or {}).items()],
        },
        "label": str(row["label"]),
        "comment": row.get("comment") or "",
        "default_value": row.get("default_value"),
        "possible_values": row.get("possible_values") or [],
        "attributes": [
            {"type": kind, "value": value}
            for kind, values in attributes.items()
            for value in (values if isinstance(values, list) else [values])
        ],
        "relations": [
            {
                "type": relation["type"],
                "field_uuid": uuids[str(relation["field"])],
                **{key: value for key, value in relation.items() if key not in ("type", "field")},
            }
            for relation in row.get("relations") or []
        ],
    }


def load(context: Context, export: Export) -> None:
    """Load everything except the field definitions, which already exist."""
    _Loader(context, export).run()


class _Loader:
    """Load the records of an export. Links between them are written once all possible targets exist."""

    def __init__(self, context: Context, export: Export) -> None:
        self.store = context.store
        self._context = context
        self._export = export
        self._files: dict[tuple[str, str], str] = {}
        self._labels: dict[str, dict[str, Definition]] = {}
        self._rows: dict[str, list[tuple[Row, int]]] = {}
        self._names: dict[tuple[str, str], int] = {}

    def run(self) -> None:
        links: list[tuple[str, int, Row]] = []
        self._users()
        for template in _ORDER:
            for row in self._export.rows(_SECTIONS[template]):
                note = self._export.notes.of(_KINDS.get(template, template), row)
                # Values that scans and people write are in no other file.
                whole = {**row, **text_of(note.get("observed", {}))}
                links.append((template, self._insert(template, whole, note), whole))
            self._learn_rooms(template)
        for row, note in self.archived("object"):
            links.append(("asset", self._insert("asset", row, note), row))
        self._users_of_persons()
        for module in MODULES:
            if hasattr(module, "load"):
                module.load(self)
        for template, record_id, row in links:
            self.store.update(template, record_id, self._columns(template, row, later=True))
        for template in _ORDER:
            records.compare_fields(self._context, self._context.templates[template])
        for _row, note in self.archived("object"):
            self.store.run("UPDATE asset SET archived_at = ? WHERE uuid = ?", (note["archived"], note["uuid"]))
        for row in self._export.rows("tasks"):
            self._task(row)
        for row in self._export.rows("rental_cases"):
            self._rental_case(row)
        for row in self._export.rows("catalog"):
            self._catalog_item(row)
        for row in self._export.rows("hub"):
            self._offer(row)
        self._export.check_that_all_is_read()

    # ---- kinds that load themselves

    def rows(self, section: str) -> Iterator[Row]:
        """Yield the records of a section. Every scalar is a text."""
        return self._export.rows(section)

    def archived(self, kind: str) -> Iterator[tuple[Row, Row]]:
        """Yield the archived records of a kind in the export, each as a row and with its note.

        The member ``archived`` of a note is the time of archiving.
        """
        for note in self._export.notes.archived.get(kind, ()):
            since = note["archived"] if isinstance(note["archived"], str) else self._context.now
            yield text_of(note["fields"]), {**note, "archived": since}

    def insert(self, kind: str, row: Row, columns: Mapping[str, Any], name: str = "", note: Row | None = None) -> None:
        """Add the record of a row, with the uuid and the id that the export noted.

        :param kind: of the record, and the name of its table. :param columns: all other columns as they are stored.
        :param name: the text by which other records refer to it. :param note: of an archived record.
        """
        noted = _identity(note or self._export.notes.of(kind, row))
        record_id = self.store.insert(kind, {**columns, **noted})
        self._rows.setdefault(kind, []).append((row, record_id))
        if name:
            self._names.setdefault((kind, name), record_id)

    def found(self, template: str, reference: Any) -> int | None:
        """Return the id of the record that a reference means; None if there is no reference. Raise BadExport."""
        return None if reference is None else self._found(template, reference)

    # ---- users

    def _users(self) -> None:
        """Add the users of the notes. The operator, who signs in here, is one of these users or an additional one."""
        noted = self._export.notes.users
        own = next((user for user in noted if user["email"] == credentials.EMAIL), None)
        number = own["id"] if own else 1 + max((user["id"] or 0 for user in noted), default=0)
        self.store.run("UPDATE user SET id = ? WHERE username = ?", (number, credentials.USERNAME))
        if own:
            self.store.run("UPDATE user SET uuid = ? WHERE id = ?", (own["uuid"], number))
        for user in noted:
            if user is not own:
                self._add_user(user)
        for row in self.store.rows("SELECT id, email FROM user"):
            self._names.setdefault(("user", str(row["email"]).casefold()), row["id"])

    def _add_user(self, user: Mapping[str, Any]) -> None:
        created = insert_user(
            self.store,
            uuid=user["uuid"],
            email=user["email"],
            firstname=user.get("firstname"),
            lastname=user.get("lastname"),
            rights=(),
            username=f"{user['email']} {user['uuid']}",
        )
        self.store.run("UPDATE user SET id = ? WHERE id = ?", (user.get("id") or created, created))

    def _users_of_persons(self) -> None:
        """Create users without a note from their persons. A user belongs to the person with the same address."""
        for email in self._export.rows("users"):
            address = str(email)
            if ("user", address.casefold()) not in self._names:
                person = self.store.row("SELECT * FROM person WHERE lower(email) = lower(?)", (address,))
                names = {"firstname": person["first_name"], "lastname": person["last_name"]} if person else {}
                self._add_user({"uuid": builtin.fixed_uuid("user", address), "email": address, **names})
                found = self.store.value("SELECT id FROM user WHERE email = ?", (address,))
                self._names["user", address.casefold()] = found
        self.store.run(
            "UPDATE person SET user_uuid = (SELECT uuid FROM user WHERE lower(user.email) = lower(person.email))"
        )

    # ---- records with fields

    def _insert(self, template: str, row: Row, note: Mapping[str, Any]) -> int:
        generated = {
            "created_at": self._context.now,
            "updated_at": self._context.now,
            "created_by_user_id": self._context.user.id,
            "updated_by_user_id": self._context.user.id,
        }
        record_id = self.store.insert(template, {**_identity(note), **self._columns(template, row), **generated})
        self._rows.setdefault(template, []).append((row, record_id))
        labels = {"location": ("name",), "person": ("email",), "asset": ("barcode",)}.get(template, ())
        for label in labels:
            if row.get(label):
                text = str(row[label])
                # Archived objects come last, so that a barcode refers to the active object.
                self._names.setdefault((template, text.casefold() if template == "person" else text), record_id)
        return record_id

    def _learn_rooms(self, template: str) -> None:
        """Learn the names of rooms, which include their location."""
        for row, record_id in self._rows.get(template, ()) if template == "room" else ():
            for label in ("name", "number"):
                if row.get(label):
                    self._names.setdefault(("room", str(row[label])), record_id)
                    if isinstance(row.get(_PARENT), str):
                        self._names["room", f"{row[_PARENT]}/{row[label]}"] = record_id

    def _columns(self, template: str, row: Row, *, later: bool = False) -> dict[str, Any]:
        """Return the columns of a row: those without references to other records, or (``later``) those with them."""
        values = {}
        for name, value in row.items():
            definition = self._definition(template, name)
            if definition is None and template == "location":
                # Locations of other instances may have more fields.
                continue
            if definition is None:
                raise BadExport(f"{template}: there is no field {name!r}")
            is_link = definition.type.name == "ATTACHMENT" or definition.type.name.startswith("LINKED_")
            if is_link == later and value is not None:
                values[definition.key] = self._stored(definition, value)
        return values

    def _definition(self, template: str, name: str) -> Definition | None:
        """Return the field with a key or a label."""
        if template not in self._labels:
            known = self._context.templates[template].definitions
            self._labels[template] = {
                **{str(definition.body.get("label")): definition for definition in known.values()},
                **known,
            }
        return self._labels[template].get(name)

    def _stored(self, definition: Definition, value: Any) -> Any:
        """Return a value as it is stored. A value that does not fit its field is kept, because the instance had it."""
        try:
            return definition.type.store(self._read(definition.type, value), definition, self._context.links)
        except BadExport:
            raise
        except (Refusal, ValueError, TypeError):
            return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    def _read(self, field_type: FieldType, value: Any) -> Any:
        name = field_type.name
        if name == "ATTACHMENT":
            return self._attachments(value)
        if name == "LINKED_ASSETS":
            return [self._found("asset", item) for item in (value if isinstance(value, list) else [value])]
        if name.startswith("LINKED_"):
            return self._found(name.removeprefix("LINKED_").lower(), value)
        if name == "BOOLEAN":
            return value == "true"
        if name in ("DECIMAL", "MONEY"):
            return float(value)
        return int(value) if name == "NUMBER" else value

    def _found(self, template: str, reference: Any) -> int:
        """Return the id of the record that a reference means."""
        found: int | None = None
        if isinstance(reference, Mapping):
            found = next(
                (record for row, record in self._rows.get(template, ()) if reference.items() <= row.items()), None
            )
        elif is_uuid(reference):
            found = self._context.links.find(template, reference)
        else:
            text = str(reference)
            found = self._names.get((template, text.casefold() if template in ("person", "user") else text))
        if found is None:
            raise BadExport(f"there is no {template} {reference!r}")
        return found

    def _uuid(self, template: str, reference: Any) -> str:
        found = self.store.value(f"SELECT uuid FROM {template} WHERE id = ?", (self._found(template, reference),))
        return str(found)

    def _attachments(self, value: Any) -> list[str]:
        return [self._file(item) for item in (value if isinstance(value, list) else [value])]

    def _file(self, written: Any) -> str:
        path = str(written["path"] if isinstance(written, Mapping) else written)
        name = str(written["name"]) if isinstance(written, Mapping) and "name" in written else Path(path).name
        if (path, name) not in self._files:
            root = self._export.root.resolve()
            local = (root / path).resolve()
            if not local.is_relative_to(root) or not local.is_file():
                raise BadExport(f"there is no file {path}")
            uuid = self._export.notes.files.get(path, "") if name == Path(path).name else ""
            uuid = uuid or builtin.fixed_uuid("file", path, name)
            media = mimetypes.guess_type(name)[0] or "application/octet-stream"
            insert_file(
                self.store,
                uuid=uuid,
                name=name,
                media=media,
                content=local.read_bytes(),
                creator_id=self._context.user.id,
                now=self._context.now,
            )
            self._files[path, name] = uuid
        return self._files[path, name]

    # ---- tasks, rental cases, the catalog, the hub

    def _task(self, row: Row) -> None:
        note = self._export.notes.of("task", row)
        body = {
            "title": row["title"],
            "comment": row.get("comment"),
            "deadline": row["deadline"],
            "reminders": [_interval(reminder) for reminder in row.get("reminders") or ()],
            "recurring_schedule": _interval(row.get("recurring_schedule")),
            "assignees": [self._uuid("user", user) for user in row["assignees"]],
            "references": self._references(row),
            "attachments": self._attachments(row.get("attachments") or []),
        }
        uuid = tasks.insert(self._context, body, uuid=note.get("uuid"))
        self.store.run("UPDATE task SET status = ? WHERE uuid = ?", (row.get("status", "open"), uuid))

    def _references(self, row: Row) -> list[dict[str, str]]:
        return [{"type": "asset", "uuid": self._uuid("asset", reference)} for reference in row.get("references") or ()]

    def _rental_case(self, row: Row) -> None:
        note = self._export.notes.of("rental_case", row)
        renter = row.get("renter")
        if isinstance(renter, Mapping):
            value = renter["value"]
            renter = {"type": renter["type"], "value": self._uuid("user", value) if renter["type"] == "user" else value}
        body: dict[str, Any] = {
            "title": row["title"],
            "status": row.get("status"),
            "references": self._references(row),
            "issue_date": row["issue_date"],
            "issue_date_reminder": _interval(row.get("issue_date_reminder")),
            "due_date": row["due_date"],
            "due_date_reminder": _interval(row.get("due_date_reminder")),
            "responsible_user_uuid": self._uuid("user", row["responsible_user"]),
            "renter": renter,
            "comment": row.get("comment") or "",
            "attachments": self._attachments(row.get("attachments") or []),
            **{key: row[key] for key in ("issue_at", "due_at") if row.get(key)},
        }
        if "is_full_day" in row:
            body["is_full_day"] = row["is_full_day"] == "true"
        rentals.insert(self._context, body, uuid=note.get("uuid"))

    def _catalog_item(self, row: Row) -> None:
        note = self._export.notes.of("catalog_item", row)
        fields = {}
        for name, value in row.items():
            definition = self._definition("asset", name)
            if definition is not None:
                fields[_OF_CATALOG + definition.key] = self._read(definition.type, value)
        uuid = catalog.insert(self._context, fields, uuid=note.get("uuid"))
        created_id = self.store.value("SELECT id FROM catalog_item WHERE uuid = ?", (uuid,))
        self.store.run("UPDATE catalog_item SET id = ? WHERE id = ?", (note.get("id") or created_id, created_id))

    def _offer(self, row: Row) -> None:
        found = self._found("asset", row["object"])
        asset = self.store.row("SELECT id, inventory_name, purchasing_price FROM asset WHERE id = ?", (found,))
        assert asset is not None
        category = str(row.get("category") or suggested_category(asset["inventory_name"] or ""))
        created = hub_items.insert(self._context, asset, category, float(row.get("price") or 0))
        number = self._export.notes.of("hub_item", row).get("id")
        self.store.run("UPDATE hub_item SET id = ? WHERE id = ?", (number or created, created))


def _identity(note: Mapping[str, Any]) -> dict[str, Any]:
    return {"uuid": note.get("uuid") or new_uuid(), **({"id": note["id"]} if note.get("id") else {})}


def _interval(written: Any) -> dict[str, Any] | None:
    return {"unit": written["unit"], "value": int(written["value"])} if isinstance(written, Mapping) else None
