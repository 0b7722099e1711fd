# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The four templates of records, and the columns of their fields.

A template is a table with one column for each field key, so that filters and sorts are SQL over columns.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .definitions import Definition
from .fieldtypes import NUMBER, STAMP, TEXT, FieldType
from .store import Store, quoted


@dataclass(frozen=True)
class Kind:
    """The names that the service uses for the records of a template, and their special properties."""

    template: str
    singular: str
    plural: str
    uuid_key: str
    area: str
    server_keys: tuple[tuple[str, FieldType], ...] = ()
    fixed_keys: tuple[str, ...] = ()


KINDS: Mapping[str, Kind] = {
    kind.template: kind
    for kind in (
        Kind("asset", "object", "objects", "asset_uuid", "objects", (("archived_at", STAMP),)),
        Kind("room", "room", "rooms", "room_uuid", "rooms"),
        Kind(
            "location",
            "location",
            "locations",
            "location_uuid",
            "locations",
            # The only template without definitions.
            fixed_keys=("name", "address", "zip", "city", "country"),
        ),
        Kind("person", "person", "persons", "person_uuid", "persons", (("user_uuid", TEXT),)),
    )
}
WITH_DEFINITIONS = ("asset", "room", "person")

# Keys that the service manages: it returns them, and ignores them in a write.
SERVER_MANAGED = frozenset(
    (
        "id",
        "uuid",
        "asset_uuid",
        "room_uuid",
        "location_uuid",
        "person_uuid",
        "user_uuid",
        "created_at",
        "updated_at",
        "created_by_user_id",
        "updated_by_user_id",
        "imported_by_user_id",
        "imported_with_template_id",
        "imported_at",
        "created_on_import_with_template_id",
        "deleted",
        "locked_by",
        "archived_at",
        "scan_time",
        "scanned_by_user_id",
        "asset_like_counter",
        "inventory_time",
        "inventory_user",
    )
)
_STAMPS = (("created_at", STAMP), ("updated_at", STAMP))
_BY_USER = (("created_by_user_id", NUMBER), ("updated_by_user_id", NUMBER))
_NEVER_SET = (
    ("imported_by_user_id", NUMBER),
    ("imported_with_template_id", NUMBER),
    ("imported_at", STAMP),
    ("created_on_import_with_template_id", NUMBER),
)


@dataclass(frozen=True)
class Column:
    """A column to read, filter and sort by. Columns of fields have a definition, columns of the server have none."""

    key: str
    type: FieldType
    sql: str
    definition: Definition | None = None


class Template:
    """A kind of record together with the definitions of its fields."""

    def __init__(self, kind: Kind, definitions: Sequence[Definition]) -> None:
        self.kind = kind
        self.name = kind.template
        self.table = kind.template
        self.definitions: dict[str, Definition] = {definition.key: definition for definition in definitions}

    @cached_property
    def columns(self) -> dict[str, Column]:
        """Every key of a record, in the order in which it is read."""
        columns = [
            Column("id", NUMBER, '"id"'),
            Column("uuid", TEXT, '"uuid"'),
            Column(self.kind.uuid_key, TEXT, '"uuid"'),
        ]
        columns += [Column(key, kind, quoted(key)) for key, kind in self.kind.server_keys]
        columns += [
            Column(definition.key, definition.type, quoted(definition.key), definition)
            for definition in self.definitions.values()
        ]
        columns += [Column(key, kind, quoted(key)) for key, kind in (*_STAMPS, *_BY_USER)]
        columns += [Column(key, kind, "NULL") for key, kind in _NEVER_SET]
        return {column.key: column for column in columns}

    @cached_property
    def select(self) -> str:
        return ", ".join(f"{column.sql} AS {quoted(column.key)}" for column in self.columns.values())

    @cached_property
    def mandatory(self) -> list[Definition]:
        return [definition for definition in self.definitions.values() if definition.mandatory]

    @cached_property
    def comparisons(self) -> list[tuple[Definition, str | None, str | None]]:
        """The computed fields, each with the keys of the actual and the expected field."""
        keys = {definition.uuid: definition.key for definition in self.definitions.values()}
        return [
            (
                definition,
                keys.get(definition.related("actual_field") or ""),
                keys.get(definition.related("expected_field") or ""),
            )
            for definition in self.definitions.values()
            if definition.type.computed
        ]


class Templates:
    """All templates, synchronized with the definitions in the database."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._loaded: dict[str, Template] = {}

    def __getitem__(self, name: str) -> Template:
        if not self._loaded:
            self._load()
        return self._loaded[name]

    def forget(self) -> None:
        """Read the definitions again, after a change or a rollback."""
        self._loaded.clear()

    def _load(self) -> None:
        found: dict[str, list[Definition]] = {name: [] for name in KINDS}
        for row in self._store.rows("SELECT * FROM definition ORDER BY position"):
            body = json.loads(row["body"])
            found[row["template"]].append(
                Definition(row["uuid"], row["template"], row["field_key"], body, builtin=row["builtin"])
            )
        found["location"] = [_fixed(key) for key in KINDS["location"].fixed_keys]
        self._loaded.update({name: Template(kind, found[name]) for name, kind in KINDS.items()})


def _fixed(key: str) -> Definition:
    body: dict[str, Any] = {"field_type": {"name": "TEXT", "constraints": []}, "attributes": [], "relations": []}
    return Definition("", "location", key, body)


def create_tables(store: Store) -> None:
    """Create the tables of the templates, with only the fixed fields."""
    for kind in KINDS.values():
        server = "".join(f", {quoted(key)} TEXT" for key, _kind in kind.server_keys)
        store.run(
            f"CREATE TABLE {kind.template} (id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE,"
            " created_at TEXT NOT NULL, updated_at TEXT NOT NULL,"
            " created_by_user_id INTEGER, updated_by_user_id INTEGER"
            f"{server})"
        )
        for key in kind.fixed_keys:
            add_column(store, kind.template, key)
        for key in ("created_at", "updated_at"):
            add_index(store, kind.template, key)


def add_column(store: Store, template: str, key: str, *, index: bool = True) -> None:
    """Add a column for a new field. The column has no type, so that a value is stored exactly as given."""
    store.run(f"ALTER TABLE {template} ADD COLUMN {quoted(key)}")
    if index:
        add_index(store, template, key)


def add_index(store: Store, template: str, key: str) -> None:
    hidden = ", archived_at" if template == "asset" else ""
    store.run(f"CREATE INDEX {quoted(f'{template}_{key}')} ON {template} ({quoted(key)}{hidden})")


def add_definition(store: Store, definition: Definition, *, index: bool = True) -> None:
    store.insert(
        "definition",
        {
            "uuid": definition.uuid,
            "template": definition.template,
            "field_key": definition.key,
            "builtin": definition.builtin,
            "body": json.dumps(definition.body, ensure_ascii=False),
        },
    )
    add_column(store, definition.template, definition.key, index=index)
