# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Canonical data of values, records and files, so that two plans can be compared by digests.

The data depends only on what is meant: not on the format or the order of files, the names of referenced records, or the
process.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from decimal import Decimal
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.field import Unread, in_digits, is_generated_key
from ...module_utils.model.kinds import ARCHIVED_AT, HUB_ITEM, SERVER_KEYS
from ...module_utils.model.schema import Schema
from ...module_utils.model.types_links import Attachment, Reference
from ..desired.entry import Entry
from ..desired.hiding import Hiding, scrypted
from .context import PlanContext
from .hub import schema as hub_schema
from .plan import Asked


@dataclass(frozen=True)
class Canon:
    """Converts values to canonical data.

    :ivar reference: returns the data of a reference. :ivar attachment: returns the data of a file.
    :ivar name: returns the name of a field of a schema by its key.
    """

    reference: Callable[[Reference], Any]
    attachment: Callable[[Attachment], Any]
    name: Callable[[Schema, str], str]

    def value(self, value: Any) -> Any:
        """Return the data of a value. Empty values are None, because services answer with any of them."""
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return str(value) or None
        if isinstance(value, (int, float, Decimal)):
            return {"number": in_digits(Decimal(str(value)), 0)}
        if isinstance(value, (dt.date, dt.time)):
            return {"moment": (value.astimezone(dt.UTC) if isinstance(value, dt.datetime) else value).isoformat()}
        if isinstance(value, Reference):
            return self.reference(value)
        if isinstance(value, Attachment):
            return self.attachment(value)
        return self._parts(value)

    def _parts(self, value: Any) -> Any:
        if isinstance(value, Unread):
            return {"unread": self.value(value.raw)}
        if isinstance(value, Mapping):
            return {str(name): self.value(member) for name, member in value.items()} or None
        if isinstance(value, (set, frozenset)):
            return sorted(map(as_text, map(self.value, value))) or None
        if isinstance(value, (list, tuple)):
            return [self.value(item) for item in value] or None
        if is_dataclass(value):
            return {field.name: self.value(getattr(value, field.name)) for field in fields(value) if field.compare}
        return str(value)

    def values(self, schema: Schema, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the data of fields by their names."""
        return {self.name(schema, key): self.value(value) for key, value in values.items()}

    def record(self, schema: Schema, record: Record | None, is_archived: bool) -> dict[str, Any]:
        """Return the data of a whole record, without empty fields and without what the service manages.

        A field that is created meanwhile is empty in all records, and changes none of them.
        """
        if record is None:
            return {}
        known = {*schema.kind.uuid_keys, *schema.kind.split_members}
        known |= {field.wire_key for field in schema.fields.values()}
        others = {key: self.value(value) for key, value in record.flat.items() if key not in known}
        data = {**others, **self.values(schema, schema.read(record.flat))}
        data = {key: value for key, value in data.items() if value is not None and key not in SERVER_KEYS}
        return {**data, ARCHIVED_AT: True} if is_archived else data


def lasting_name(schema: Schema, key: str) -> str:
    """Return the label of a field if the service generates its key, because the field may not exist yet."""
    field = schema.fields.get(key)
    return field.label if field is not None and field.label and is_generated_key(key) else key


def as_text(data: Any) -> str:
    """Return canonical data as text."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"))


def digest_of_text(text: str, key: bytes | None = None) -> str:
    """Return the SHA-256 of a text; with a key its HMAC, so that nobody can test guesses without the key."""
    data = text.encode(errors="surrogatepass")
    return hashlib.sha256(data).hexdigest() if key is None else hmac.new(key, data, hashlib.sha256).hexdigest()


def key_of_hidden_values(texts: Iterable[str], name: str) -> bytes:
    """Return a key that only somebody who knows all hidden values of a set can find, and only slowly.

    :param name: of the set, so that equal values of two sets have different keys.
    """
    return scrypted("\n".join(sorted(texts)), hashlib.sha256(f"hidden values of {name}".encode()).digest())


# ---- what the files of a set ask for

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
    names = entry.fields if entry.vaulted or hiding.names else ()
    return {schema.key_of(name) for name in names if hiding.covers(entry, name, schema.key_of(name))}


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
    return {"path": file.written, "uuid": file.uuid, "name": file.name}


#: Names references and files as they are written.
_CANON = Canon(_as_written, _path_of, lasting_name)
