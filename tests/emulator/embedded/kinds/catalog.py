# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The product catalog: master data for objects, which only the vendor's newest clients support (later endpoints).

No document describes it; it follows those clients: ``{uuid, fields}``, keys with the prefix ``catalog_object_``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..context import Context, new_uuid
from ..fieldtypes import NUMBER, STAMP, TEXT
from ..messages import Answer, answer_json, bad_request, no_content, not_found
from ..router import Route
from ..store import quoted
from ..templates import SERVER_MANAGED, Column

TABLES = """
CREATE TABLE catalog_item (
  id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE, fields TEXT NOT NULL, created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL);
"""

_PREFIX = "catalog_object_"
_NUMBERS = ("NUMBER", "DECIMAL", "MONEY")


def _columns(context: Context) -> Mapping[str, Column]:
    columns = {key: Column(key, kind, key) for key, kind in (("id", NUMBER), ("uuid", TEXT))}
    columns.update({key: Column(key, STAMP, key) for key in ("created_at", "updated_at")})
    for definition in context.templates["asset"].definitions.values():
        key = _PREFIX + definition.key
        value = f"json_extract(fields, '$.{quoted(key)}')"
        if definition.type.name in _NUMBERS:
            columns[key] = Column(key, definition.type, value)
        else:
            columns[key] = Column(key, TEXT, f"CAST({value} AS TEXT)")
    return columns


def _shown(context: Context, row: Any) -> dict[str, Any]:
    server = {"id": row["id"], "created_at": row["created_at"], "updated_at": row["updated_at"]}
    left_out = context.weather["empty_keys"] == "left_out"
    fields = {
        key: value
        for key, value in json.loads(row["fields"]).items()
        if key.removeprefix(_PREFIX) not in context.user.hidden_fields
        and not (left_out and (value is None or value in ("", [])))
    }
    return {"uuid": row["uuid"], "fields": {**server, **fields}}


def list_items(context: Context) -> Answer:
    page = context.page(_columns(context), select="*", source="catalog_item")
    return context.envelope([_shown(context, row) for row in page.rows], page, sort=context.query.sort or [])


def read_item(context: Context) -> Answer:
    return answer_json(_shown(context, _find(context)))


def create_item(context: Context) -> Answer:
    uuid = insert(context, context.body["fields"])
    return context.created(f"/catalog-item/{uuid}", uuid=uuid)


def insert(context: Context, fields: Mapping[str, Any], *, uuid: str | None = None) -> str:
    uuid = uuid or new_uuid()
    values = {"uuid": uuid, "fields": _fields(context, fields), "created_at": context.now, "updated_at": context.now}
    context.store.insert("catalog_item", values)
    return uuid


def replace_item(context: Context) -> Answer:
    """Replace an item. Missing fields are emptied."""
    values = {"fields": _fields(context, context.body["fields"]), "updated_at": context.now}
    context.store.update("catalog_item", _find(context)["id"], values)
    return no_content()


def delete_item(context: Context) -> Answer:
    context.store.run("DELETE FROM catalog_item WHERE id = ?", (_find(context)["id"],))
    return no_content()


def _find(context: Context) -> Any:
    uuid = context.uuid("catalogItemUuid")
    row = context.store.row("SELECT * FROM catalog_item WHERE uuid = ?", (uuid,))
    if row is None:
        raise not_found(f"There is no catalog item {uuid}")
    return row


def _fields(context: Context, written: Mapping[str, Any]) -> str:
    """Return the written fields, each checked against the corresponding field of objects."""
    definitions = context.templates["asset"].definitions
    kept: dict[str, Any] = {}
    for key, value in written.items():
        definition = definitions.get(key.removeprefix(_PREFIX)) if key.startswith(_PREFIX) else None
        if definition is not None:
            if value is not None:
                definition.type.store(value, definition, context.links)
            kept[key] = value
        elif key not in SERVER_MANAGED and context.weather["write_unknown_field"] == "refuse":
            raise bad_request(f"Body does not match schema: there is no field {key!r}")
    return json.dumps(kept, ensure_ascii=False)


_ITEM = "/catalog-item/{catalogItemUuid}"
_OPERATIONS: Sequence[tuple[str, str, Any]] = (
    ("GET", "/catalog-items", list_items),
    ("POST", "/catalog-item", create_item),
    ("GET", _ITEM, read_item),
    ("PUT", _ITEM, replace_item),
    ("DELETE", _ITEM, delete_item),
)
ROUTES = tuple(
    Route(method, path, handler, f"catalog:{'read' if method == 'GET' else 'write'}", module="catalog", later=True)
    for method, path, handler in _OPERATIONS
)
