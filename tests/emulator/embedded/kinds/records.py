# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects, rooms, locations and persons: records that consist of fields (interface 2.1, 4.2)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import visibility
from ..context import Context, new_uuid
from ..definitions import Definition
from ..messages import Answer, Refusal, answer_json, bad_request, no_content, not_found, unprocessable
from ..router import Route
from ..selection import Where
from ..store import quoted
from ..templates import KINDS, SERVER_MANAGED, Kind, Template
from ..views import DISPLAY_NAME, Links, View
from .histories import record_event
from .mails import forget_reminders, remind_of_fields
from .places import couple, move_objects

_EMPTY: Mapping[str, Any] = {"null": None, "text": "", "list": []}


# Read


def shown(view: View, template: Template, rows: Sequence[Any]) -> list[dict[str, Any]]:
    """Return rows as flat records with the values to read."""
    keys = list(template.columns)
    records = [dict(zip(keys, row, strict=True)) for row in rows]
    for key, column in template.columns.items():
        if column.type.shows(view):
            values = column.type.show([record[key] for record in records], column.definition, view)
            for record, value in zip(records, values, strict=True):
                record[key] = value
    if view.weather["archived_at"] == "none" and template.name == "asset":
        for record in records:
            del record["archived_at"]
    if view.weather["empty_form"] != "as_sent":
        nothing = _EMPTY[view.weather["empty_form"]]
        records = [{key: nothing if _is_empty(value) else value for key, value in record.items()} for record in records]
    left_out = view.weather["empty_keys"] == "left_out"
    if left_out or view.hidden_fields:
        records = [
            {
                key: value
                for key, value in record.items()
                if key not in view.hidden_fields and not (left_out and _is_empty(value))
            }
            for record in records
        ]
    return records


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", [])


def wrapped(view: View, kind: Kind, records: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """Return flat records in the shape of this instance: flat, {fields} or {uuid, fields}."""
    shape, named = view.weather["record_shape"], view.weather["uuid_key"] == "named"
    numbered = view.weather["record_id"] == "given" or view.weather["link_read"] != "object"
    for record in records:
        if named:
            del record["uuid"]
        if not numbered:
            del record["id"]
    if shape == "flat":
        return records
    if shape == "fields":
        return [{"fields": record} for record in records]
    return [{"uuid": record[kind.uuid_key], "fields": record} for record in records]


def find(context: Context, template: Template, uuid: str, *, writing: bool = False) -> Any:
    """Return the row of a record. Raise a 404 if there is none."""
    readable_rows = visibility.readable(context, template.table)
    readable_rows.add("uuid = ?", uuid)
    row = context.store.row(
        f"SELECT {template.select} FROM {template.table} WHERE {readable_rows.sql}", readable_rows.parameters
    )
    if row is None:
        message = f"There is no {template.kind.singular} {uuid}"
        if writing and context.weather["missing_record"] == "unprocessable":
            raise unprocessable(message)
        raise not_found(message)
    return row


def one(context: Context, template: Template, row: Any) -> Answer:
    return answer_json(wrapped(context.view, template.kind, shown(context.view, template, [row]))[0])


# Write


def column_values(context: Context, template: Template, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns for written fields.

    Raise a 400 for a wrong shape or an unknown key, a 422 for a violated constraint.
    """
    values: dict[str, Any] = {}
    for key, value in fields.items():
        definition = template.definitions.get(key)
        if definition is None or key in SERVER_MANAGED:
            if key not in SERVER_MANAGED and context.weather["write_unknown_field"] == "refuse":
                raise bad_request(f"Body does not match schema: there is no field {key!r}")
            continue
        values[key] = column_value(definition, value, context.links)
    return values


def column_value(definition: Definition, value: Any, links: Links) -> Any:
    if value is None:
        stored = None
    else:
        stored = definition.type.store(value, definition, links)
        definition.check(value)
    if definition.mandatory and _is_empty(value):
        raise Refusal(422, f"Field {definition.key} is mandatory", key=definition.key)
    return stored


def insert(
    context: Context, template: Template, fields: Mapping[str, Any], *, uuid: str | None = None
) -> tuple[int, str]:
    """Create a record from written fields. Return its id and uuid."""
    values = column_values(context, template, {**_defaults(template, fields, context.links), **fields})
    for definition in template.mandatory:
        if definition.key not in values:
            raise Refusal(422, f"Field {definition.key} is mandatory", key=definition.key)
    note = couple(context, template, values)
    _check_unique(context, template, values, 0)
    uuid = uuid or new_uuid()
    values.update(
        uuid=uuid,
        created_at=context.now,
        updated_at=context.now,
        created_by_user_id=context.user.id,
        updated_by_user_id=context.user.id,
    )
    record_id = context.store.insert(template.table, values)
    compare_fields(context, template, record_id)
    remind_of_fields(context, template, uuid, values)
    record_event(context, template.name, uuid, "created", f"The {template.kind.singular} was created", dict(fields))
    _record_note(context, template, uuid, note)
    return record_id, uuid


def change(context: Context, template: Template, row: Any, fields: Mapping[str, Any]) -> None:
    """Change the given fields of a record."""
    values = column_values(context, template, fields)
    note = couple(context, template, values, row)
    _check_unique(context, template, values, row["id"])
    write_columns(context, template, row, values)
    if template.name == "room" and "building_id" in values:
        move_objects(context, row["id"], values["building_id"])
    remind_of_fields(context, template, row["uuid"], values)
    record_event(
        context, template.name, row["uuid"], "updated", f"The {template.kind.singular} was changed", dict(fields)
    )
    _record_note(context, template, row["uuid"], note)


def write_columns(context: Context, template: Template, row: Any, values: dict[str, Any]) -> None:
    """Write columns of a record, and the fields that the service computes from them."""
    values.update(updated_at=context.now, updated_by_user_id=context.user.id)
    context.store.update(template.table, row["id"], values)
    compare_fields(context, template, row["id"])


def _record_note(context: Context, template: Template, uuid: str, note: str) -> None:
    if note:
        record_event(context, template.name, uuid, "location_coupled", note)


def compare_fields(context: Context, template: Template, record_id: int | None = None) -> None:
    """Compute the fields that compare two other fields, of one record or of all.

    The five possible results are inferred from the statuses in the application.
    """
    for definition, actual, expected in template.comparisons:
        if actual and expected:
            left, right = quoted(actual), quoted(expected)
            result = (
                f"CASE WHEN {right} IS NULL THEN iif({left} IS NULL, 'unknown', 'new') "
                f"WHEN {left} IS NULL THEN 'missing' ELSE iif({left} IS {right}, 'ok', 'deviation') END"
            )
        else:
            result = "NULL"
        where = "" if record_id is None else f" WHERE id = {record_id:d}"
        context.store.run(f"UPDATE {template.table} SET {quoted(definition.key)} = {result}{where}")


def remove(context: Context, template: Template, row: Any) -> None:
    """Delete a record permanently. References to it keep its name."""
    if template.name in ("room", "location"):
        if context.weather["delete_occupied"] == "refuse" and _is_linked(context, template, row):
            raise unprocessable(f"The {template.kind.singular} is not empty")
    elif context.weather["delete_referenced"] == "refuse" and _is_referenced(context, template, row):
        raise unprocessable(f"Other records refer to this {template.kind.singular}")
    depart(context, template.name, row["id"])
    context.store.run(f"DELETE FROM {template.table} WHERE id = ?", (row["id"],))
    for definition in template.definitions.values():
        if definition.type.name == "REMINDER":
            forget_reminders(context, f"{row['uuid']} {definition.key}")


def depart(context: Context, template: str, record_id: int) -> None:
    context.store.run(
        f"INSERT OR REPLACE INTO departed (template, id, uuid, display_name)"
        f" SELECT ?, id, uuid, {DISPLAY_NAME[template]} FROM {template} WHERE id = ?",
        (template, record_id),
    )


def _defaults(template: Template, fields: Mapping[str, Any], links: Links) -> dict[str, Any]:
    """Return the default values of unwritten fields if they fit their types."""
    found = {}
    for definition in template.definitions.values():
        if definition.default is not None and definition.key not in fields:
            try:
                column_value(definition, definition.default, links)
            except Refusal:
                continue
            found[definition.key] = definition.default
    return found


def _check_unique(context: Context, template: Template, values: Mapping[str, Any], record_id: int) -> None:
    side = context.weather["unique_values"]
    if side == "take":
        return
    for key, value in values.items():
        if not template.definitions[key].unique or value is None or value in ("", "[]"):
            continue
        # Archived records count, because their values are still in use.
        twin = f"SELECT 1 FROM {template.table} WHERE {quoted(key)} = ? AND id <> ?"
        if context.store.value(twin, (value, record_id)) is not None:
            raise Refusal(422 if side == "unprocessable" else 400, f"Field {key}: {value!r} is already in use", key=key)


def _is_linked(context: Context, template: Template, row: Any) -> bool:
    """Return True if a field of any record, archived objects included, links to this record."""
    for name in KINDS:
        for key, column in context.templates[name].columns.items():
            if column.definition is None or getattr(column.type, "template", None) != template.name:
                continue
            if context.store.value(f"SELECT 1 FROM {name} WHERE {quoted(key)} = ? LIMIT 1", (row["id"],)):
                return True
    return False


def _is_referenced(context: Context, template: Template, row: Any) -> bool:
    """Return True if a field links to an object or a person, or if a task or a rental case refers to it."""
    if _is_linked(context, template, row):
        return True
    if template.name != "asset":
        return False
    return any(
        context.store.value(f"SELECT 1 FROM {table} WHERE uuid = ? LIMIT 1", (row["uuid"],))
        for table in ("task_reference", "rental_reference")
    )


# Operations


def listed(context: Context, template: Template) -> Where:
    """Return the records that lists and counts show."""
    where = visibility.listed(context, template.table)
    are_shown = context.weather["archived_in_lists"] == "shown" and context.weather["archived_at"] == "given"
    if template.name == "asset" and not are_shown:
        where.add("archived_at IS NULL")
    return where


def patched(context: Context, template: Template, uuid: str) -> Answer:
    """Return the answer to a PATCH in the form of this instance."""
    side = context.weather["patch_answer"]
    if side == "record":
        return one(context, template, find(context, template, uuid))
    if side == "empty_object":
        return answer_json({})
    return Answer(200) if side == "empty" else no_content()


def list_records(context: Context, template: Template) -> Answer:
    filtered = template.name == "asset" or context.weather["places_filter"] == "honour"
    page = context.page(
        template.columns,
        select=template.select,
        source=template.table,
        where=listed(context, template),
        filtered=filtered,
    )
    return context.listing(wrapped(context.view, template.kind, shown(context.view, template, page.rows)), page)


def count_records(context: Context, template: Template) -> Answer:
    where = context.selector.where(context.query.conditions, template.columns, listed(context, template))
    count = context.store.value(f"SELECT count(*) FROM {template.table} WHERE {where.sql}", where.parameters)
    return answer_json({"count": count})


def create_record(context: Context, template: Template) -> Answer:
    uuid = insert(context, template, context.body)[1]
    return context.created(f"/{template.kind.singular}/{uuid}", uuid=uuid)


def read_record(context: Context, template: Template) -> Answer:
    return one(context, template, find(context, template, context.uuid(f"{template.kind.singular}Uuid")))


def change_record(context: Context, template: Template) -> Answer:
    row = find(context, template, context.uuid(f"{template.kind.singular}Uuid"), writing=True)
    change(context, template, row, context.body)
    return patched(context, template, row["uuid"])


def delete_record(context: Context, template: Template) -> Answer:
    remove(context, template, find(context, template, context.uuid(f"{template.kind.singular}Uuid"), writing=True))
    return no_content()


def of(name: str, operation: Callable[[Context, Template], Answer]) -> Callable[[Context], Answer]:
    """Return an operation that is bound to one template."""

    def handler(context: Context) -> Answer:
        return operation(context, context.templates[name])

    return handler


def routes_of(kind: Kind) -> tuple[Route, ...]:
    """Return the six operations that objects, rooms and locations have in common."""
    name, area = kind.template, kind.area
    record = f"/{kind.singular}/{{{kind.singular}Uuid}}"
    return (
        Route("GET", f"/{kind.plural}", of(name, list_records), f"{area}:read"),
        Route("GET", f"/{kind.plural}/count", of(name, count_records), f"{area}:read"),
        Route("POST", f"/{kind.singular}", of(name, create_record), f"{area}:write"),
        Route("GET", record, of(name, read_record), f"{area}:read"),
        Route("PATCH", record, of(name, change_record), f"{area}:write"),
        Route("DELETE", record, of(name, delete_record), f"{area}:write"),
    )


ROUTES = (
    *routes_of(KINDS["room"]),
    *routes_of(KINDS["location"]),
)


def stored_files(row: Any, key: str) -> list[str]:
    """Return the uuids in an attachment field as stored."""
    uuids: list[str] = json.loads(row[key] or "[]")
    return uuids
