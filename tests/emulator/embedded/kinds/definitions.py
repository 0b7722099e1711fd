# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Field definitions, which are read, created and replaced, but never deleted (interface 2.2, 4.3)."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from typing import Any

from ..context import Context, new_uuid
from ..definitions import Definition, compiled
from ..fieldtypes import TYPES
from ..messages import Answer, Refusal, answer_json, bad_request, no_content, not_found, unprocessable
from ..router import Route
from ..store import quoted
from ..switches import Weather
from ..templates import add_definition
from . import records

_KEYS = ("field_type", "label", "comment", "default_value", "possible_values", "attributes", "relations")
_LONGEST_KEY = 64
_PER_PAGE = 10


def shown(definition: Definition, weather: Weather) -> dict[str, Any]:
    """Return a definition as this instance shows it."""
    body = dict(definition.body)
    if definition.builtin and body["label"] == definition.builtin and weather["builtin_labels"] == "keys":
        body["label"] = definition.label_key
    return {"uuid": definition.uuid, "field_key": definition.key, **body}


def list_definitions(context: Context) -> Answer:
    found = context.templates[context.path["template"]].definitions.values()
    return context.unpaged([shown(definition, context.weather) for definition in found], _PER_PAGE)


def read_definition(context: Context) -> Answer:
    return answer_json(shown(_find(context), context.weather))


def create_definition(context: Context) -> Answer:
    template = context.path["template"]
    body = _body(context, context.body)
    _check_label(context, template, body["label"], "")
    definition = Definition(new_uuid(), template, _new_key(context, template, body["label"]), body)
    try:
        add_definition(context.store, definition)
    except Exception as error:
        # The number of columns is the only limit of the database that a client can reach.
        raise unprocessable(f"The template cannot have more fields: {error}") from error
    context.templates.forget()
    if definition.type.computed:
        records.compare_fields(context, context.templates[template])
    return context.created(f"/asset-tracking/{template}/field-definition/{definition.uuid}", uuid=definition.uuid)


def replace_definition(context: Context) -> Answer:
    old = _find(context)
    if context.body["uuid"].lower() != old.uuid or context.body["field_key"] != old.key:
        raise bad_request("uuid and field_key of a definition do not change")
    body = _body(context, context.body)
    if old.builtin and body["label"] == old.label_key:
        body["label"] = old.builtin
    _check_label(context, old.template, body["label"], old.uuid)
    new = Definition(old.uuid, old.template, old.key, body, old.builtin)
    context.store.run("UPDATE definition SET body = ? WHERE uuid = ?", (json.dumps(body, ensure_ascii=False), old.uuid))
    context.templates.forget()
    if new.type is not old.type:
        _convert(context, old, new)
    records.compare_fields(context, context.templates[old.template])
    return no_content()


def _find(context: Context) -> Definition:
    uuid = context.uuid("fieldDefinitionUuid")
    for definition in context.templates[context.path["template"]].definitions.values():
        if definition.uuid == uuid:
            return definition
    raise not_found(f"There is no field definition {uuid}")


def _body(context: Context, written: Mapping[str, Any]) -> dict[str, Any]:
    """Return the stored members of a written definition.

    Raise Refusal for mistakes that the description cannot express.
    """
    body: dict[str, Any] = {key: written.get(key) for key in _KEYS}
    body["possible_values"] = body["possible_values"] or []
    body["relations"] = body["relations"] or []
    name = body["field_type"]["name"]
    if name not in TYPES:
        raise bad_request(f"Body does not match schema: there is no field type {name!r}")
    for constraint in body["field_type"]["constraints"]:
        if constraint["type"] == "regular_expression":
            compiled(constraint["value"])
    known = {definition.uuid for definition in context.templates[context.path["template"]].definitions.values()}
    for relation in body["relations"]:
        if relation["field_uuid"].lower() not in known:
            raise bad_request(f"There is no field definition {relation['field_uuid']} to relate to")
    return body


def _check_label(context: Context, template: str, label: str, uuid: str) -> None:
    if context.weather["duplicate_labels"] == "refuse":
        for definition in context.templates[template].definitions.values():
            if definition.body["label"] == label and definition.uuid != uuid:
                raise unprocessable(f"There is already a field with the label {label!r}")


def _new_key(context: Context, template: str, label: str) -> str:
    """Return an unpredictable key such as ``rechnungsnummer_b0eb3192``."""
    slug = re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_") or "custom"
    while True:
        key = f"{slug[: _LONGEST_KEY - 9]}_{secrets.token_hex(4)}"
        if key not in context.templates[template].columns:
            return key


def _convert(context: Context, old: Definition, definition: Definition) -> None:
    """Convert the values of a field to a new type: keep the values that fit, and drop all others."""
    template = context.templates[definition.template]
    column = quoted(definition.key)
    for row in context.store.rows(f"SELECT id, {column} FROM {template.table} WHERE {column} IS NOT NULL"):
        stored = None
        try:
            if not (definition.type.computed or old.type.is_list):
                stored = definition.type.store(row[definition.key], definition, context.links)
        except Refusal:
            pass
        context.store.update(template.table, row["id"], {definition.key: stored})


_DEFINITIONS = "/asset-tracking/{template}/field-definition"
ROUTES = (
    Route("GET", f"{_DEFINITIONS}s", list_definitions, "field_definitions:read"),
    Route("POST", _DEFINITIONS, create_definition, "field_definitions:write"),
    Route("GET", f"{_DEFINITIONS}/{{fieldDefinitionUuid}}", read_definition, "field_definitions:read"),
    Route("PUT", f"{_DEFINITIONS}/{{fieldDefinitionUuid}}", replace_definition, "field_definitions:write"),
)
