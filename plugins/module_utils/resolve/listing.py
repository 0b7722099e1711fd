# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading: complete lists, filtered by the service where it can, and here with the same meaning on every kind (section
4.8).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import Any

from ..client import query
from ..client.client import Client, Record
from ..client.query import MULTIPLE, PRESENCE, Condition
from ..errors import InvalidInput
from ..model.field import EMPTY, Field, InvalidValue, is_uuid, shorten
from ..model.kinds import SERVER_KEYS, Kind
from ..model.schema import Schema, type_of
from ..model.types_links import Attachment, Reference, references_in
from . import natural_keys
from .references import Resolver, find_by_barcode

_SENT_TYPES = [
    "BARCODE",
    "DATE",
    "DATETIME",
    "DECIMAL",
    "DROPDOWN",
    "LINK",
    "LONG_TEXT",
    "MONEY",
    "NUMBER",
    "REMINDER",
    "TEXT",
    "DAY",
    "CHOICE",
    "RENTAL_STATUS",
    "LINKED_ASSET",
    "LINKED_LOCATION",
    "LINKED_PERSON",
    "LINKED_ROOM",
    "LINKED_USER",
]
"""Types whose shape in a filter is known; the others are compared here."""

_TEXT_TYPES = ("BARCODE", "DROPDOWN", "LINK", "LONG_TEXT", "TEXT", "CHOICE", "RENTAL_STATUS")

_TASK_PARAMETERS = {
    ("status", "eq"): ("status",),
    ("deadline", "gte"): ("deadline_from",),
    ("deadline", "lte"): ("deadline_to",),
    ("deadline", "eq"): ("deadline_from", "deadline_to"),
    ("assignees", "eq"): ("assignee",),
    ("author", "eq"): ("author",),
    ("reference_type", "eq"): ("reference_type",),
}
"""Filters that the list of tasks takes, under its own names (section 4.5)."""


@dataclass(frozen=True)
class ListResult:
    """Records in their normalised read shape, how many matched before the limit, and whether the service listed all."""

    records: list[dict[str, Any]]
    count: int
    complete: bool = True


def list_records(
    client: Client,
    kind: Kind,
    identifier: str | int | None,
    filters: Mapping[str, Any],
    sort: Sequence[str],
    limit: int | None,
    template: str = "",
    where: str = "filters",
) -> ListResult:
    """The records of a kind: one by its identifier, or all that match.

    :param identifier: the uuid, or the integer id where the kind has no uuids.
    :param filters: field -> operator -> value(s), or field -> value.
    :param where: what the filters are called in a message.
    :param sort: field keys, ``-`` before one for descending.
    :param limit: at most so many records; the count is that before the limit.
    """
    if limit is not None and limit < 0:
        raise InvalidInput(f"limit: {limit} does not fit; expected 0 or more")
    if identifier is not None and not kind.numbered and not is_uuid(identifier):
        raise InvalidInput(f"uuid: {identifier!r} is not in uuid form, such as 9091afea-81ee-4003-ac76-2ac11e3ddc3f")
    schema = client.schema(kind)
    complete = True
    if identifier is not None:
        record = client.get(kind, str(identifier), template)
        found = [record] if record else []
    else:
        conditions = _typed(client, schema, query.parse_filters(filters, where), where)
        candidates = client.list_all(
            kind, _wire(schema, conditions), parameters=_task_parameters(kind, conditions), template=template
        )
        _decide(client, conditions, candidates)
        complete = not kind.newest or len(candidates) < kind.newest
        found = [record for record in candidates if _fits(record, conditions)]
    for name, descending in reversed(query.parse_sort(sort)):
        of = _field(schema, name, "sort")
        found.sort(key=partial(_rank_of, of), reverse=descending)
    shown = [schema.show(record.flat) | ({} if kind.numbered else {"uuid": record.uuid}) for record in found[:limit]]
    return ListResult(shown, len(found), complete)


def list_by_barcode(client: Client, kind: Kind, barcode: Any) -> ListResult:
    """The one record with a barcode, archived or not.

    Instances of an earlier version do not look up barcodes; there the list of active records is asked.
    """
    schema = client.schema(kind)
    if not isinstance(barcode, str) or not barcode:
        raise InvalidInput(f"barcode: {shorten(barcode)} does not fit; expected a text; quote it where it is written")
    found = find_by_barcode(client, schema, barcode)
    if found is None:
        listed = client.list_all(kind, [Condition("barcode", "eq", (barcode,))])
        found = next(iter(natural_keys.identified(schema, ["barcode"], {"barcode": barcode}, listed)), None)
    records = [] if found is None else [schema.show(found.flat) | {"uuid": found.uuid}]
    return ListResult(records, len(records))


def matching_records(
    client: Client, schema: Schema, filters: Mapping[str, Any], records: Sequence[Record], where: str = "filters"
) -> list[Record]:
    """Those of some records that filters, as the info modules take them, let through."""
    conditions = _typed(client, schema, query.parse_filters(filters, where), where)
    _decide(client, conditions, records)
    return [record for record in records if _fits(record, conditions)]


def _decide(client: Client, conditions: Sequence[tuple[Field, Condition]], records: Sequence[Record]) -> None:
    """Fills in the other half of wanted links, id or uuid, where the instance answers only that."""
    halves = []
    for of, condition in conditions:
        answered = [one for record in records for one in references_in((_value(record, of),))]
        halves += [
            wanted for wanted in references_in(condition.values) if any(wanted.same(one) is None for one in answered)
        ]
    Resolver(client).records_of(halves)


# ---- conditions with typed values


def _field(schema: Schema, name: str, where: str) -> Field:
    of = schema.find(name)
    if of is None and schema.kind.name == "task" and name == "assignee":
        of = schema.find("assignees")
    if of is not None:
        return of
    if name == "author":
        return Field(name, "USER")
    if name in ("id", "size", "creator_id"):
        return Field(name, "NUMBER")
    if name in ("created_at", "updated_at", "archived_at", "imported_at"):
        return Field(name, "DATETIME")
    if name in SERVER_KEYS or schema.kind.open_fields or name in ("author", "slug", "reference_type"):
        return Field(name, "TEXT")
    raise InvalidInput(f"{where}.{name}: {schema.why_unknown(name)}")


def _typed(
    client: Client, schema: Schema, conditions: Sequence[Condition], where: str
) -> list[tuple[Field, Condition]]:
    typed = []
    for condition in conditions:
        of = _field(schema, condition.field, where)
        values = tuple(_operand(of, condition, value, where) for value in condition.values)
        typed.append((of, replace(condition, field=of.key, values=values)))
    resolver = Resolver(client)
    resolver.resolve(reference for _of, condition in typed for reference in references_in(condition.values))
    return typed


def _operand(of: Field, condition: Condition, value: Any, where: str) -> Any:
    if condition.operator in ("like", "not_like"):
        return str(value)
    faces = type_of(of)
    if value == "" and of.type in _TEXT_TYPES:
        return ""
    try:
        if of.type == "DATETIME" and isinstance(value, str) and "T" not in value:
            read = faces.read(value, of)
            if isinstance(read, dt.datetime):
                return read
        parsed = faces.parse([value], of)[0] if isinstance(faces.empty, tuple) else faces.parse(value, of)
    except InvalidValue as unfit:
        raise InvalidInput(
            f"{where}.{condition.field}.{condition.operator}: {shorten(value)} does not fit; expected {unfit}"
        ) from unfit
    return parsed


def _wire(schema: Schema, conditions: Sequence[tuple[Field, Condition]]) -> list[Condition]:
    """The conditions that the service can apply, with values as it wants them."""
    if schema.kind.filters != "query":
        return []
    sent = [(of, condition) for of, condition in conditions if of.type in _SENT_TYPES]
    return [
        replace(condition, field=of.wire_key, values=tuple(map(_wire_value, condition.values)))
        for of, condition in sent
    ]


def _wire_value(value: Any) -> Any:
    if isinstance(value, Reference):
        return value.id if value.id is not None else value.uuid
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).strftime("%Y-%m-%d %H:%M:%S")
    return value.isoformat() if isinstance(value, dt.date) else value


def _task_parameters(kind: Kind, conditions: Sequence[tuple[Field, Condition]]) -> dict[str, str]:
    if kind.filters != "parameters":
        return {}
    sent = {}
    for of, condition in conditions:
        for name in _TASK_PARAMETERS.get((of.key, condition.operator), ()):
            value = condition.values[0]
            wire = value.uuid if isinstance(value, Reference) else _wire_value(value)
            if wire is not None:
                sent[name] = str(wire)
    return sent


# ---- the same meaning here


def _raw(record: Record, of: Field) -> Any:
    # The uuid has other names on some instances.
    return record.uuid if of.key == "uuid" else record.flat.get(of.wire_key)


def _value(record: Record, of: Field) -> Any:
    if of.key == "reference_type":
        return tuple(one.get("type") for one in record.flat.get("references") or () if isinstance(one, Mapping))
    return type_of(of).read(_raw(record, of), of)


def _fits(record: Record, conditions: Sequence[tuple[Field, Condition]]) -> bool:
    return all(_holds(of, condition, _value(record, of), _raw(record, of)) for of, condition in conditions)


def _holds(of: Field, condition: Condition, value: Any, raw: Any) -> bool:
    operator = condition.operator
    if operator in PRESENCE:
        # Only a text can be empty and not null; of other types instances answer "nothing" in several forms, 0 too.
        is_none = raw is None or (value is None and (of.type not in _TEXT_TYPES or of.key in SERVER_KEYS))
        is_empty = raw in EMPTY or is_none if operator in ("empty", "not_empty") else is_none
        return is_empty != operator.startswith("not_")
    if isinstance(value, tuple) and of.type != "RENTER":
        if operator in ("neq", "not_like", "nin"):
            return all(_holds(of, condition, item, item) for item in value)
        return any(_holds(of, condition, item, item) for item in value)
    if operator in MULTIPLE:
        return _among(of, operator, condition.values, _text_as_is(of, value, raw))
    return _compared(of, operator, condition.values[0], _text_as_is(of, value, raw))


def _text_as_is(of: Field, value: Any, raw: Any) -> Any:
    """A text that is empty is not null, in filters alone."""
    return "" if value is None and raw is not None and of.type in _TEXT_TYPES else value


def _among(of: Field, operator: str, wanted: Sequence[Any], value: Any) -> bool:
    if operator in ("in", "nin"):
        return any(_equal(of, value, one) for one in wanted) == (operator == "in")
    text = _text(value)
    # Upper and lower case differ, as with equal: so it means the same on instances that tell them apart and on others.
    return any(str(one) in text for one in wanted) == (operator == "like") if text else operator == "not_like"


def _compared(of: Field, operator: str, wanted: Any, value: Any) -> bool:
    if operator in ("eq", "neq"):
        return _equal(of, value, wanted) == (operator == "eq")
    if value is None:
        return operator.endswith("_or_null")
    left, right = _rank(value), _rank(wanted)
    comparison = operator.removesuffix("_or_null")
    return {"gt": left > right, "gte": left >= right, "lt": left < right, "lte": left <= right}[comparison]


def _equal(of: Field, value: Any, wanted: Any) -> bool:
    if isinstance(value, Reference) and isinstance(wanted, Reference):
        return bool(value.same(wanted))
    if isinstance(value, Attachment) and isinstance(wanted, Attachment):
        return value.uuid == wanted.uuid
    faces = type_of(of)
    return bool(value == wanted) if isinstance(faces.empty, tuple) else faces.equal(value, wanted, of)


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        # A renter: what it is, and who.
        return _text(value[-1])
    if isinstance(value, Reference):
        return value.display_name or value.uuid or str(value.id)
    return "" if value is None else value.isoformat() if isinstance(value, dt.date) else str(value)


def _rank_of(of: Field, record: Record) -> tuple[int, Any]:
    return _rank(_value(record, of))


def _rank(value: Any) -> tuple[int, Any]:
    """An order in which every value has its place: nothing first, then numbers, then instants, then texts."""
    if value is None or value == ():
        return (0, 0)
    if isinstance(value, (bool, int, float, Decimal)):
        return (1, value)
    if isinstance(value, Reference) and value.id is not None:
        return (1, value.id)
    if isinstance(value, dt.datetime):
        return (2, value.timestamp())
    return (3, value.isoformat() if isinstance(value, dt.date) else _text(value))
