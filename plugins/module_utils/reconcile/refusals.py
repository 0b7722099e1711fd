# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why an instance may have refused a write: a value in use, references to a record, or objects in use at that time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..client.client import Client
from ..client.query import Condition, Link
from ..client.record import Record
from ..errors import ServiceError, SeventhingsError, may_be_taken
from ..model.kinds import TEMPLATE_KINDS, Hours, Kind
from ..model.schema import Schema
from ..model.types_basic import FIELD_TYPES
from ..model.types_links import Reference, references_in
from ..resolve import natural_keys
from ..resolve.field_visibility import LIMITED


def perhaps_hidden_owner(schema: Schema, keys: Iterable[str], values: Mapping[str, Any], refused: ServiceError) -> str:
    """Return the message that an unlisted record may have a refused value; empty if that is impossible.

    :param keys: the fields that identify the record. :param values: canonical values that were sent.
    """
    unique = {key: value for key, value in values.items() if schema.fields[key].unique}
    values_in_question = unique or {key: values[key] for key in keys if key in values}
    if (
        not values_in_question
        or not schema.kind.can_be_archived
        or not _may_be_taken(schema, refused, values_in_question)
    ):
        return ""
    words = natural_keys.describe(schema, values_in_question, values_in_question)
    return (
        f" If a value must be unique: an archived {schema.kind.words}, which no list shows, may have {words}, or a "
        f"hidden one ({LIMITED})."
    )


def _may_be_taken(schema: Schema, refused: ServiceError, values: Mapping[str, Any]) -> bool:
    names = {key: (key, field.label) for key, field in schema.fields.items()}
    mine = [*values, *(names[key][1] for key in values), *map(str, values.values())]
    return may_be_taken(refused, mine, [name for key, both in names.items() if key not in values for name in both])


def link_to(kind: Kind) -> str:
    """Return the type of the fields by which others link to a kind; most kinds have none."""
    return f"LINKED_{kind.name.upper()}"


def why_occupied(kind: Kind) -> str:
    """Say why a record may not be deleted; empty if nothing links to its kind."""
    if link_to(kind) not in FIELD_TYPES:
        return ""
    return (
        f" This instance may refuse to delete {kind.singular} while a record refers to it, as its actual or its "
        f"target place. Archived objects count too, and no list shows them or hidden records ({LIMITED})."
    )


def named_occupants(client: Client, record: Record) -> str:
    """Name the records that refer to a record. Read the list of each kind that has such fields, and its definitions.

    Empty if nothing does, or if the lists can't be read: a refused deletion matters more than its explanation.
    """

    def listed(kind: Kind, key: str) -> list[Record]:
        return client.list_all(kind, [links_to(record, key)])

    try:
        found = sorted(dict.fromkeys(occupants(client, record, listed)))
    except SeventhingsError:
        return ""
    rest = len(found) - _MOST_NAMED
    names = [*found[:_MOST_NAMED], *([f"{rest} more"] if rest > 0 else [])]
    return f" These refer to it: {', '.join(names)}." if names else ""


def links_to(record: Record, key: str) -> Condition:
    """Return the filter for the records that link to a record by a field."""
    return Condition.on_links(key, "eq", [Link(record.id, record.uuid)])


def occupants(client: Client, record: Record, listed: Callable[[Kind, str], Iterable[Record]]) -> Iterator[str]:
    """Yield the names of the records that link to a record, each with its field.

    :param listed: returns records of a kind that may link to it by a field, and possibly more.
    """
    for kind in TEMPLATE_KINDS.values():
        schema = client.schema(kind)
        for key in [field.key for field in schema.fields.values() if field.type == link_to(record.kind)]:
            for found in listed(kind, key):
                if is_linked(schema, key, found, record):
                    name = next(iter(natural_keys.written_names(found)), found.uuid)
                    yield f"{kind.words} {name} ({key})"


def is_linked(schema: Schema, key: str, found: Record, record: Record) -> bool:
    """Return True if a record links to another one by a field."""
    return any(_means(reference, record) for reference in references_in(schema.read_field(key, found.flat)))


def _means(reference: Reference, record: Record) -> bool:
    return reference.uuid == record.uuid or (reference.id is not None and reference.id == record.id)


_OVER = ("rejected", "completed")
"""The statuses of a record that no longer uses its objects."""

_MOST_NAMED = 3


def may_meet(schema: Schema, values: Mapping[str, Any]) -> bool:
    """Return True if after a change a record may have the same objects as another record at the same time."""
    hours = schema.kind.hours
    return hours is not None and not values.keys().isdisjoint((*hours.days, *hours.keys, "references", "status"))


def at_the_same_time(
    schema: Schema, values: Mapping[str, Any], current: Record | None, others: Iterable[Record]
) -> str:
    """Name the rental cases that lend the same object at the same time; empty if there are none.

    :param values: canonical values that were sent. :param current: the record to change.
    :param others: all records of the kind, as far as known.
    """
    hours = schema.kind.hours
    if hours is None:
        return ""
    wanted = {**(schema.read(current.flat) if current else {}), **values}
    found = []
    for record in others:
        theirs = schema.read(record.flat)
        shared = [
            reference
            for reference in references_in(wanted.get("references"))
            if _is_among(reference, theirs.get("references"))
        ]
        is_another = record.uuid != (current.uuid if current else "") and theirs.get("status") not in _OVER
        if is_another and shared and _meet(hours, wanted, theirs):
            objects = ", ".join(
                str(reference.written or reference.display_name or reference.uuid) for reference in shared
            )
            name, (first, last) = theirs[schema.kind.match_on[0][0]], (theirs[key] for key in hours.days)
            found.append(f"{objects} in {name!r} ({first} to {last})")
    if not found:
        return ""
    rest = [f"{len(found) - _MOST_NAMED} more"] if len(found) > _MOST_NAMED else []
    words = "; ".join([*sorted(found)[:_MOST_NAMED], *rest])
    return f" At the same time there is, in other {schema.kind.plural}: {words}."


def _is_among(reference: Reference, others: Any) -> bool:
    return any(reference.same(other) for other in references_in(others))


def _span(keys: tuple[str, str], values: Mapping[str, Any]) -> tuple[dt.date, dt.date] | None:
    """Return beginning and end, as days or as instants, or None without them."""
    first, last = (values.get(key) for key in keys)
    return (first, last) if isinstance(first, dt.date) and isinstance(last, dt.date) else None


def _meet(hours: Hours, record: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return True if two records overlap.

    If one lasts whole days, days are compared, because its time zone is unknown.
    """
    mine, theirs = _span(hours.times, record), _span(hours.times, other)
    if mine is not None and theirs is not None:
        return mine[0] < theirs[1] and theirs[0] < mine[1]
    mine, theirs = _span(hours.days, record), _span(hours.days, other)
    return mine is not None and theirs is not None and mine[0] <= theirs[1] and theirs[0] <= mine[1]
