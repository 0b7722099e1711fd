# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations that only objects have: archiving, files in attachment fields, lookup by barcode (interface 4.2)."""

from __future__ import annotations

import json
from typing import Any

from ..context import Context
from ..messages import Answer, answer_json, no_content, not_found, unprocessable
from ..router import Route
from ..store import quoted
from ..templates import KINDS, Template
from ..visibility import readable
from . import records
from .histories import record_event


def archive(context: Context) -> Answer:
    return _set_archived(context, archived=True)


def unarchive(context: Context) -> Answer:
    return _set_archived(context, archived=False)


def _set_archived(context: Context, *, archived: bool) -> Answer:
    template = context.templates["asset"]
    row = records.find(context, template, context.uuid("objectUuid"), writing=True)
    word = "archived" if archived else "unarchived"
    if (row["archived_at"] is not None) == archived:
        if context.weather["archive_repeat"] == "refuse":
            raise unprocessable(f"The object is {'already archived' if archived else 'not archived'}")
        return no_content()
    stamp = context.now if archived else None
    context.store.update(
        "asset", row["id"], {"archived_at": stamp, "updated_at": context.now, "updated_by_user_id": context.user.id}
    )
    record_event(context, "asset", row["uuid"], word, f"The object was {word}")
    return no_content()


def delete(context: Context, template: Template) -> Answer:
    row = records.find(context, template, context.uuid("objectUuid"), writing=True)
    if row["archived_at"] is not None and context.weather["delete_archived"] == "refuse":
        raise unprocessable("The object is archived")
    records.remove(context, template, row)
    # Ordered items stay in their order. Offers that nobody ordered are deleted with the object.
    context.store.run("UPDATE hub_item SET deleted = 1 WHERE asset_id = ? AND order_id IS NULL", (row["id"],))
    return no_content()


def read_by_barcode(context: Context) -> Answer:
    """Return an object by its barcode, archived or not. Lists omit archived objects."""
    template = context.templates["asset"]
    readable_rows = readable(context, template.table)
    readable_rows.add("barcode = ?", context.path["barcode"])
    row = context.store.row(
        f"SELECT {template.select} FROM asset WHERE {readable_rows.sql} ORDER BY archived_at IS NOT NULL, id",
        readable_rows.parameters,
    )
    if row is None:
        raise not_found(f"There is no object with the barcode {context.path['barcode']}")
    return records.one(context, template, row)


def add_files(context: Context) -> Answer:
    return _link_files(context, adding=True)


def remove_files(context: Context) -> Answer:
    return _link_files(context, adding=False)


def _link_files(context: Context, *, adding: bool) -> Answer:
    """Link or unlink files. Answer 200 without a body if all pairs succeeded, else 207 with a result for each pair."""
    template = context.templates["asset"]
    uuid = context.uuid("objectUuid")
    row = records.find(context, template, uuid)
    files: dict[str, list[str]] = {}
    results = [_link_file(context, template, row, files, pair, adding=adding) for pair in context.body]
    if files:
        values: dict[str, Any] = {key: json.dumps(uuids) for key, uuids in files.items()}
        values.update(updated_at=context.now, updated_by_user_id=context.user.id)
        context.store.update("asset", row["id"], values)
        event = "file added" if adding else "file removed"
        record_event(context, "asset", uuid, event, f"A {event}", dict(files))
    if all(done for done, _message in results):
        return Answer(200)
    if context.weather["file_results"] == "messages":
        return answer_json([message for _done, message in results], 207)
    items = [
        {**pair, "status": 200 if done else 422, "message": message}
        for pair, (done, message) in zip(context.body, results, strict=True)
    ]
    return answer_json(items, 207)


def _link_file(
    context: Context, template: Template, row: Any, files: dict[str, list[str]], pair: dict[str, str], *, adding: bool
) -> tuple[bool, str]:
    """Carry out one pair in memory. Return whether it succeeded, and the result in words."""
    key, uuid = pair["field-key"], pair["file-uuid"].lower()
    definition = template.definitions.get(key)
    if definition is None or definition.type.name != "ATTACHMENT":
        return False, f"Field key {key} is not an attachment field"
    present = files.get(key, records.stored_files(row, key))
    if not adding:
        if uuid not in present:
            return False, f"File {uuid} does not exist in field key {key}"
        if definition.mandatory and present == [uuid]:
            return False, f"Field key {key} is mandatory and must keep a file"
        files[key] = [file for file in present if file != uuid]
        return True, f"File {uuid} removed from field key {key}"
    if not context.links.file_exists(uuid):
        return False, f"File {uuid} does not exist"
    if uuid in present:
        return False, f"File {uuid} already exists in field key {key}"
    most = definition.constraint("max_value")
    if most is not None and len(present) >= most:
        return False, f"Field key {key} already holds {len(present)} of {most} files"
    files[key] = [*present, uuid]
    return True, f"File {uuid} added to field key {key}"


def objects_with_file(context: Context, uuid: str) -> bool:
    """Return True if any record has the file in one of its attachment fields."""
    for name in ("asset", "room", "person"):
        for definition in context.templates[name].definitions.values():
            if definition.type.name == "ATTACHMENT" and context.store.value(
                f"SELECT 1 FROM {name} WHERE instr({quoted(definition.key)}, ?) LIMIT 1", (uuid,)
            ):
                return True
    return False


_OBJECT = "/object/{objectUuid}"
ROUTES = (
    *(route for route in records.routes_of(KINDS["asset"]) if route.method != "DELETE"),
    Route("DELETE", _OBJECT, records.of("asset", delete), "objects:write"),
    Route("POST", f"{_OBJECT}/archive", archive, "objects:write"),
    Route("POST", f"{_OBJECT}/unarchive", unarchive, "objects:write"),
    Route("POST", f"{_OBJECT}/add-file", add_files, "objects:write"),
    Route("POST", f"{_OBJECT}/remove-file", remove_files, "objects:write"),
    Route("GET", "/object/by-barcode/{barcode}", read_by_barcode, "objects:read", later=True),
)
