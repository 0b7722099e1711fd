# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why an instance may have refused a write: a value in use, or references to a record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..client.client import Client
from ..client.query import Condition, Link
from ..client.record import Record
from ..errors import Conflict, InternalError, InvalidRequest, NotProcessable, ServiceError, SeventhingsError
from ..model.kinds import TEMPLATE_KINDS, Kind
from ..model.schema import Schema
from ..model.types_basic import FIELD_TYPES
from ..model.types_links import references_in
from ..resolve import natural_keys
from ..resolve.field_visibility import LIMITED
from ..resolve.read_cache import Reading
from ..resolve.references import means


def perhaps_hidden_owner(schema: Schema, keys: Iterable[str], values: Mapping[str, Any], refused: ServiceError) -> str:
    """Return the message that an unlisted record may have a refused value; empty if the service gives another cause.

    :param keys: the fields that identify the record. :param values: canonical values that were sent.
    """
    unique = {key: value for key, value in values.items() if schema.fields[key].unique}
    asked = unique or {key: values[key] for key in keys if key in values}
    names = [*asked, *(schema.fields[key].label for key in asked), *map(str, asked.values())]
    is_named = any(name and name.casefold() in refused.words.casefold() for name in names)
    is_other = bool(refused.words) and not is_named and not isinstance(refused, Conflict)
    if not asked or not schema.kind.can_be_archived or is_other:
        return ""
    words = natural_keys.describe(schema, asked, asked)
    return (
        f" If a value must be unique: another record or an archived {schema.kind.words}, which no list shows, may have "
        f"{words}, or a hidden one ({LIMITED})."
    )


def link_to(kind: Kind) -> str:
    """Return the type of the fields that link to a kind. Most kinds have no such type."""
    return f"LINKED_{kind.name.upper()}"


def why_occupied(kind: Kind) -> str:
    """Say why a record may not be deleted; empty if nothing links to its kind."""
    if link_to(kind) not in FIELD_TYPES:
        return ""
    return (
        f" This instance may refuse to delete {kind.singular} while a record refers to it, as its actual or its "
        f"target place. Archived objects count too, and no list shows them or hidden records ({LIMITED})."
    )


def named_occupants(client: Client, reading: Reading, record: Record) -> str:
    """Name a few records that refer to a record, each with its field.

    Empty if nothing does, or if the records can't be read: a refused deletion matters more than its explanation.
    """
    found: set[str] = set()
    try:
        for kind in TEMPLATE_KINDS.values():
            schema = client.schema(kind)
            for key in [field.key for field in schema.fields.values() if field.type == link_to(record.kind)]:
                others = _linked(client, reading, schema, key, record)
                names = (next(iter(natural_keys.written_names(other)), other.uuid) for other in others)
                found |= {f"{kind.words} {name} ({key})" for name in names}
    except SeventhingsError:
        return ""
    return ", ".join([*sorted(found)[:_MOST_NAMED], *(["and more"] if len(found) > _MOST_NAMED else [])])


def _linked(client: Client, reading: Reading, schema: Schema, key: str, record: Record) -> list[Record]:
    """Return a few of the records that link to a record by a field, with one small request in each form of links.

    If the instance does not filter by links, find them in the whole list.
    """

    def linked(records: Iterable[Record]) -> list[Record]:
        return [
            other
            for other in records
            if any(means(reference, record) for reference in references_in(schema.read_field(key, other.flat)))
        ]

    links = Condition.on_links(key, "eq", [Link(record.id, record.uuid)])
    for condition in filter(None, map(links.in_form, ("id", "uuid"))):
        try:
            found = client.lists.first(schema.kind, _MOST_NAMED + 1, condition.pairs()).records
        except (InvalidRequest, NotProcessable, InternalError):
            return linked(reading.listed(schema.kind))
        if found:
            return linked(found) or linked(reading.listed(schema.kind))
    return []


_MOST_NAMED = 3
