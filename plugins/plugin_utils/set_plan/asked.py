# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the files of a set ask for, as one digest, and the key that protects hidden values in digests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...module_utils.model.kinds import HUB_ITEM
from ...module_utils.model.schema import Schema
from ...module_utils.model.types_links import Attachment, Reference
from ..desired.entry import Entry
from ..desired.fingerprints import hidden_names
from ..desired.hiding import Hiding
from .canonical import Canon, as_text, digest_of_text, key_of_hidden_values, lasting_name
from .context import PlanContext
from .hub import schema as hub_schema
from .plan import Asked

_UNMANAGED = "unmanaged"


def asked_by_files(context: PlanContext) -> Asked:
    """Return what the files of a plan ask for. Their values must be valid."""
    desired = context.desired
    records = list(_records(context))
    hidden = [text for _data, texts in records for text in texts]
    key = key_of_hidden_values(hidden, desired.set_name) if hidden else None
    digests = sorted(digest_of_text(as_text(data), key if texts else None) for data, texts in records)
    settings = [desired.identity, desired.scope, desired.marker, desired.moved, desired.lifecycle]
    return Asked(digest_of_text(as_text([_CANON.value(settings), digests])), key)


def hides_values(hiding: Hiding, schema: Schema, entry: Entry) -> bool:
    """Return True if a record has values that must not reach the journal or an approval file."""
    return bool(_hidden_keys(hiding, schema, entry))


def _hidden_keys(hiding: Hiding, schema: Schema, entry: Entry) -> set[str]:
    def key_of(name: str) -> str:
        field = schema.find(name)
        return field.key if field is not None else name

    return {key_of(name) for name in hidden_names(hiding, entry, key_of)}


def _records(context: PlanContext) -> Iterator[tuple[list[Any], list[str]]]:
    """Yield the data of each record in the files, and the texts of its hidden values."""
    desired = context.desired
    rules: dict[int, Any] = {}
    for state, entries in ((None, desired.entries), (_UNMANAGED, desired.unmanaged), (_UNMANAGED, desired.shields)):
        for entry in entries:
            schema = hub_schema() if entry.kind is HUB_ITEM else context.schema(entry.kind)
            written = entry.fields
            values = context.wanted.parse(schema, entry, without_relations(entry, written))
            data = {**_CANON.values(schema, values), **relations_of(entry)}
            hidden = _hidden_keys(context.hiding, schema, entry)
            texts = [as_text([lasting_name(schema, key), _CANON.value(values.get(key))]) for key in hidden]
            if id(entry.rules) not in rules:
                # Very many rows share the rules of their table.
                rules[id(entry.rules)] = _CANON.value(entry.rules)
            terms = [_CANON.value(entry.lifecycle), rules[id(entry.rules)]]
            yield [entry.kind.name, entry.template, state or entry.state, entry.uuid, data, *terms], texts


def without_relations(entry: Entry, fields: Any) -> dict[str, Any]:
    """Return the fields of an entry without relations between definitions, which name fields that may not exist yet."""
    return {name: value for name, value in fields.items() if not (entry.kind.defines_fields and name == _RELATIONS)}


def relations_of(entry: Entry) -> dict[str, Any]:
    """Return the data of the relations of a definition, as written."""
    written = entry.fields.get(_RELATIONS) if entry.kind.defines_fields else None
    return {_RELATIONS: _CANON.value(written)} if written else {}


_RELATIONS = "relations"


def _as_written(reference: Reference) -> Any:
    return {"to": reference.target, "written": _CANON.value(reference.written), "status": reference.status}


def _path_of(file: Attachment) -> Any:
    return {"path": file.written or file.path, "uuid": file.uuid, "name": file.name}


_CANON = Canon(_as_written, _path_of)
"""Names references and files as they are written."""
