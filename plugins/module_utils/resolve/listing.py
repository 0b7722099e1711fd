# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read complete lists, filtered by the service if possible, and here with equal meaning (section 4.8)."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import Any

from ..client import query
from ..client.client import Client, has_key_and_type
from ..client.query import OPERATORS, Comparison, Condition, Link, Operands
from ..client.record import Record
from ..errors import InvalidInput, PermissionMissing
from ..model.field import EMPTY, Field, InvalidValue, Unread, is_generated_key, is_uuid, shorten
from ..model.kinds import SERVER_FIELDS, SERVER_KEYS, USER, Kind
from ..model.names import normal_name
from ..model.schema import Schema, type_of
from ..model.types_links import Attachment, Reference, references_in, with_references
from ..printing.cleaner import amount
from . import natural_keys
from .field_visibility import FieldVisibility, field_visibility_by, field_visibility_of, keys_in_none
from .read_cache import Reading, find_by_barcode
from .references import with_targets


@dataclass(frozen=True)
class ListResult:
    """Records in their normalised form, the number of matches before the limit, and True if the list is complete.

    :ivar visibility: which fields the account sees, if the records show it.
    """

    records: list[dict[str, Any]]
    count: int
    complete: bool = True
    visibility: FieldVisibility | None = dataclasses.field(default=None, compare=False)


def list_records(
    client: Client,
    kind: Kind,
    identifier: str | int | None,
    filters: Mapping[str, Any],
    sort: Sequence[str],
    limit: int | None,
    template: str = "",
    option: str = "filters",
    count_only: bool = False,
) -> ListResult:
    """Return the records of a kind: one by its identifier, or all that match.

    :param identifier: the uuid, or the integer id of a kind without uuids.
    :param filters: field -> operator -> value(s), or field -> value.
    :param option: name of the filters in a message.
    :param sort: field keys, ``-`` before a field for descending.
    :param limit: maximum number of records; the count is the number before the limit.
    :param count_only: return only the number of records.
    """
    if limit is not None and limit < 0:
        raise InvalidInput(f"limit: {limit} does not fit; expected 0 or more")
    if identifier is not None and not kind.numbered and not is_uuid(identifier):
        raise InvalidInput(f"uuid: {identifier!r} is not in uuid form, such as 9091afea-81ee-4003-ac76-2ac11e3ddc3f")
    if count_only and identifier is None and not filters:
        number = client.count(kind)
        if number is not None:
            return ListResult([], number)
    schema = client.schema(kind)
    reading = Reading(client)
    complete, visibility = True, None
    keys = query.parse_sort(sort)
    learn_fields(reading, schema, [*filters, *(name for name, _descending in keys)])
    order = [(_field(schema, name, "sort"), descending) for name, descending in keys]
    if identifier is None and not filters and (at_once := _first_records(client, kind, order, limit)):
        return ListResult(_all_shown(client, schema, reading, at_once[0]), at_once[1])
    if identifier is not None:
        record = client.get(kind, str(identifier), template)
        found = [record] if record else []
    else:
        conditions = _typed(reading, schema, filters, option)
        if kind.newest:
            candidates, complete = client.lists.first_page(kind)
        else:
            candidates = client.list_all(
                kind, _wire(schema, conditions), parameters=_parameters(kind, conditions), template=template
            )
        nameless = sum(kind.defines_fields and not has_key_and_type(record.flat) for record in candidates)
        if nameless:
            client.transport.warnings.append(
                f"{amount(nameless, 'field definition')} without field_key or field_type: the fields are unknown."
            )
        visibility = _check_visible(client, schema, candidates, conditions, option)
        conditions = _decided(reading, conditions, candidates)
        found = [record for record in candidates if _fits(record, conditions)]
    for field, descending in reversed(order):
        found.sort(key=partial(_rank_of, field), reverse=descending)
    shown = [] if count_only else _all_shown(client, schema, reading, found[:limit])
    return ListResult(shown, len(found), complete, visibility)


_NEVER_EMPTY = ("id", "created_at", "updated_at")


def _first_records(
    client: Client, kind: Kind, order: Sequence[tuple[Field, bool]], limit: int | None
) -> tuple[list[Record], int] | None:
    """Return the first records in some order and the number of all, or None if one request cannot find them.

    The service must certainly have the same order as this code. Texts are ordered in many ways, and empty values come
    first here, so only numbers and times are left to the service.
    """
    if limit is None or not 0 < limit <= query.PER_PAGE or kind.filters != "query" or len(order) != 1:
        return None
    [(field, is_descending)] = order
    is_filled = field.mandatory or field.key in _NEVER_EMPTY
    if not type_of(field).spelling.has_order or not (is_descending or is_filled):
        return None
    pairs = [(f"sort[{field.wire_key}]", "DESC" if is_descending else "ASC")]
    if field.key != kind.sort:
        pairs.append((f"sort[{kind.sort}]", "ASC"))
    page = client.lists.first(kind, limit, pairs)
    ranks = [_rank_of(field, record) for record in page.records]
    if page.total is None or ranks != sorted(ranks, reverse=is_descending):
        return None
    # A list omits archived records.
    is_whole = len(page.records) == min(limit, page.total) and not any(record.archived for record in page.records)
    return (page.records, page.total) if is_whole else None


def _all_shown(client: Client, schema: Schema, reading: Reading, records: Sequence[Record]) -> list[dict[str, Any]]:
    key = schema.kind.shown_user
    if key and any(reference.uuid for record in records for reference in _references(schema, key, record)):
        # An account without permission to list users still gets its records.
        try:
            reading.listed(USER)
        except PermissionMissing:
            client.transport.warnings.append(
                f"This account may not list users, so {key} of {schema.kind.plural} has no name and no e-mail address."
            )
    return [_shown(schema, reading, record) for record in records]


def _references(schema: Schema, key: str, record: Record) -> list[Reference]:
    return list(references_in((schema.read_field(key, record.flat),)))


def _shown(schema: Schema, reading: Reading, record: Record) -> dict[str, Any]:
    return schema.show(record.flat, reading.completed) | ({} if schema.kind.numbered else {"uuid": record.uuid})


def by_label(schema: Schema, records: Sequence[Mapping[str, Any]]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return shown records with labels in place of generated keys, and warnings about labels that can't replace a key.

    Fields that every instance has keep their key, because their label depends on the language of the instance.
    """
    prefix = schema.kind.key_prefix
    used = {prefix + key for key in schema.fields}.union(SERVER_KEYS, *records)
    fields = [field for field in schema.fields.values() if field.label and is_generated_key(field.key)]
    labels = Counter(normal_name(field.label) for field in schema.fields.values())
    kept = [field for field in fields if labels[normal_name(field.label)] > 1 or field.label in used]
    names = {prefix + field.key: field.label for field in fields if field not in kept}
    renamed = [{names.get(key, key): value for key, value in record.items()} for record in records]
    return renamed, [
        f"keys: {field.key} keeps its key, because another field or key is called {field.label!r}, too"
        for field in kept
    ]


def list_by_barcode(client: Client, kind: Kind, barcode: Any) -> ListResult:
    """Return the one record with a barcode, archived or not.

    Instances of an earlier version do not look up barcodes; there the list of active records is read.
    """
    schema, key = client.schema(kind), kind.barcode_key
    try:
        if type_of(schema.fields[key]).parse(barcode, schema.fields[key]) is None:
            raise InvalidValue("text")
    except InvalidValue as unfit:
        raise InvalidInput(f"{key}: {shorten(barcode)} does not fit; expected {unfit}") from unfit
    found = find_by_barcode(client, schema, barcode)
    if found is None:
        listed = client.list_all(kind, [natural_keys.by_any_of(key, natural_keys.spellings(barcode))])
        found = next(iter(natural_keys.identified(schema, [key], {key: barcode}, listed)), None)
    records = [] if found is None else [schema.show(found.flat) | {"uuid": found.uuid}]
    return ListResult(records, len(records))


def matching_records(
    client: Client, schema: Schema, filters: Mapping[str, Any], records: Sequence[Record], option: str = "filters"
) -> list[Record]:
    """Return the records that match filters, as the info modules accept them."""
    reading = Reading(client)
    learn_fields(reading, schema, filters)
    conditions = _typed(reading, schema, filters, option)
    _check_visible(client, schema, records, conditions, option)
    conditions = _decided(reading, conditions, records)
    return [record for record in records if _fits(record, conditions)]


def _check_visible(
    client: Client,
    schema: Schema,
    records: Sequence[Record],
    conditions: Sequence[tuple[Field, Condition]],
    option: str,
) -> FieldVisibility:
    """Refuse filters by fields that the account does not see: no record would seem to match.

    :param records: the records found. If there are none, a sample of all records decides.
    :returns: what the account sees.
    :raises InvalidInput: naming the fields.
    """
    filtered = {field.key for field, _condition in conditions}.intersection(schema.fields).difference(SERVER_KEYS)
    if records:
        filtered = keys_in_none((schema.fields[key] for key in filtered), records)
    if not filtered or not schema.kind.has_own_fields:
        return FieldVisibility.from_records(schema, records)
    if records and not schema.kind.key_prefix:
        visibility = field_visibility_of(client, schema, records, filtered)
    else:
        visibility = field_visibility_by(client, schema, records, {}, filtered)
    visibility.check_written(dict.fromkeys(field.key for field, _condition in conditions), f"{option}.{{}}")
    return visibility


def conditions_as_sent(client: Client, schema: Schema, filters: Mapping[str, Any]) -> tuple[list[Condition], bool]:
    """Return the conditions of filters for a service that applies them itself, and True if these are all.

    Conditions on links are left out, because instances compare them in several ways.
    """
    sent = {name: wanted for name, wanted in filters.items() if not _is_on_links(_field(schema, name, "filters"))}
    typed = _typed(Reading(client), schema, sent, "filters")
    return [_as_sent(field, condition) for field, condition in typed], len(sent) == len(filters)


def _decided(
    reading: Reading, conditions: Sequence[tuple[Field, Condition]], records: Sequence[Record]
) -> list[tuple[Field, Condition]]:
    """Return the conditions with both id and uuid of the wanted links, if the instance returns only one of them."""
    halves = []
    for field, condition in conditions:
        answered = [reference for record in records for reference in references_in((_value(record, field),))]
        is_by_name = _is_on_links(field) and condition.meaning.comparison is Comparison.CONTAINS
        if is_by_name and any(reference.display_name is None for reference in answered):
            raise InvalidInput(
                f"{field.key}.{condition.operator}: this instance shows links without names, so their names can't be "
                "searched; name the records (eq, in)"
            )
        halves += [
            wanted
            for wanted in references_in(condition.values)
            if any(wanted.same(reference) is None for reference in answered)
        ]
    return _with_targets(conditions, reading.records_of(halves))


def _with_targets(
    conditions: Iterable[tuple[Field, Condition]], targets: Mapping[Reference, Record]
) -> list[tuple[Field, Condition]]:
    return [
        (field, replace(condition, values=with_targets(condition.values, targets))) for field, condition in conditions
    ]


# ---- conditions with typed values


def _known_field(schema: Schema, name: str) -> Field | None:
    """Return the field with a name, including fields that exist only in answers."""
    field = schema.find(name) or schema.find(schema.kind.filter_names.get(name, name))
    answered = {field.key: field for field in schema.kind.answered} | SERVER_FIELDS
    return field or answered.get(name)


def learn_fields(reading: Reading, schema: Schema, names: Iterable[str]) -> None:
    """Add the fields of all records of a kind without definitions, if one of the names is not known yet."""
    if schema.kind.open_fields and any(_known_field(schema, name) is None for name in names):
        for record in reading.listed(schema.kind):
            schema.learn(record.flat)


def _field(schema: Schema, name: str, option: str) -> Field:
    field = _known_field(schema, name)
    if field is not None:
        return field
    raise InvalidInput(f"{option}.{name}: {schema.why_unknown(name)}")


def _typed(reading: Reading, schema: Schema, filters: Mapping[str, Any], option: str) -> list[tuple[Field, Condition]]:
    typed = []
    for condition in query.parse_filters(_with_maps_as_values(schema, filters), option):
        field = _field(schema, condition.field, option)
        values = tuple(_operand(field, condition, value, option) for value in condition.values)
        typed.append((field, replace(condition, values=values)))
    linked = [reference for _field, condition in typed for reference in references_in(condition.values)]
    targets = reading.resolve(linked)
    reading.check_numbers(linked)
    return _with_targets(typed, targets)


def _with_maps_as_values(schema: Schema, filters: Mapping[str, Any]) -> dict[str, Any]:
    """Return filters in which every map that is a value (a renter, a reference by its fields) has its operator."""
    found = {}
    for name, wanted in filters.items():
        field = _known_field(schema, name)
        has_maps = field is not None and type_of(field).accepts_map
        is_value = has_maps and isinstance(wanted, Mapping) and wanted and not set(wanted) & {*OPERATORS, None}
        found[name] = {"eq": wanted} if is_value else wanted
    return found


def _operand(field: Field, condition: Condition, value: Any, option: str) -> Any:
    if condition.meaning.comparison is Comparison.CONTAINS:
        return str(value)
    faces = type_of(field)
    if value == "" and type_of(field).is_text:
        return ""
    location = f"{option}.{condition.field}.{condition.operator}"
    try:
        if isinstance(value, str) and "T" not in value.upper():
            # A day stands for the instant at which it begins.
            read = faces.read(value, field)
            if isinstance(read, dt.datetime):
                return read
        parsed = faces.parse([value], field)[0] if faces.is_list else faces.parse(value, field)
    except InvalidValue as unfit:
        raise InvalidInput(f"{location}: {shorten(value)} does not fit; expected {unfit}") from unfit
    return with_references(parsed, lambda reference: replace(reference, location=location))


def _wire(schema: Schema, conditions: Sequence[tuple[Field, Condition]]) -> list[Condition]:
    """Return the conditions that the service can apply, with values as it expects them."""
    if schema.kind.filters != "query":
        return []
    sent = [(field, condition) for field, condition in conditions if type_of(field).narrows]
    return [
        _as_sent(field, condition)
        for field, condition in sent
        if not _is_on_links(field) or condition.meaning.comparison not in (Comparison.CONTAINS, Comparison.ORDER)
    ]


def _is_on_links(field: Field) -> bool:
    return field.type.startswith("LINKED_")


def _as_sent(field: Field, condition: Condition) -> Condition:
    if _is_on_links(field) and condition.meaning.operands is not Operands.NONE:
        links = [Link(reference.id, reference.uuid) for reference in references_in(condition.values)]
        return Condition.on_links(field.wire_key, condition.operator, links)
    values = tuple(map(_wire_value, condition.values))
    forms = tuple(dict.fromkeys(form for value in values for form in natural_keys.spellings(value)))
    if set(forms) == set(values) or condition.meaning.comparison is Comparison.ORDER:
        return replace(condition, field=field.wire_key, values=values)
    operator = _OF_MANY.get(condition.operator, condition.operator)
    return replace(condition, field=field.wire_key, operator=operator, values=forms)


#: Operators of one value, and those of the same meaning for all Unicode forms of a text.
_OF_MANY = {"eq": "in", "neq": "nin"}


def _wire_value(value: Any) -> Any:
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).strftime("%Y-%m-%d %H:%M:%S")
    return value.isoformat() if isinstance(value, dt.date) else value


def _parameters(kind: Kind, conditions: Sequence[tuple[Field, Condition]]) -> dict[str, str]:
    if kind.filters != "parameters":
        return {}
    sent = {}
    for field, condition in conditions:
        for name in kind.filter_parameters.get((field.key, condition.operator), ()):
            value = condition.values[0]
            wire = value.uuid if isinstance(value, Reference) else _wire_value(value)
            if wire is not None:
                sent[name] = str(wire)
    return sent


# ---- evaluated here, as the service does


def _raw(record: Record, field: Field) -> Any:
    # Some instances use another name for the uuid.
    return record.uuid if field.key == "uuid" else record.flat.get(field.wire_key)


def _value(record: Record, field: Field) -> Any:
    return type_of(field).read(_raw(record, field), field)


def _fits(record: Record, conditions: Sequence[tuple[Field, Condition]]) -> bool:
    return all(_is_met(field, condition, _value(record, field), _raw(record, field)) for field, condition in conditions)


def _is_met(field: Field, condition: Condition, value: Any, raw: Any) -> bool:
    meaning = condition.meaning
    if meaning.operands is Operands.NONE:
        # Only texts distinguish empty from null. For other types, instances return "nothing" in several forms, such as
        # 0.
        is_none = raw is None or (value is None and (not type_of(field).is_text or field.key in SERVER_KEYS))
        is_met = is_none or (meaning.comparison is Comparison.EMPTY and raw in EMPTY)
        return is_met != meaning.is_negated
    # A task can refer to several types of record, so its types are several texts. A renter is one value in two parts.
    if isinstance(value, tuple) and (type_of(field).is_list or type_of(field).is_text):
        results = (_is_met(field, condition, item, item) for item in value)
        return all(results) if meaning.is_negated else any(results)
    # In filters, an empty text is not null.
    value = "" if value is None and raw is not None and type_of(field).is_text else value
    if meaning.comparison is Comparison.ORDER:
        if value is None or isinstance(value, Unread):
            return value is None and meaning.accepts_null
        return meaning.order(_rank(value), _rank(condition.values[0]))
    return any(_meets(field, meaning.comparison, value, wanted) for wanted in condition.values) != meaning.is_negated


def _meets(field: Field, comparison: Comparison, value: Any, wanted: Any) -> bool:
    if comparison is Comparison.EQUAL:
        return _equal(field, value, wanted)
    # Case matters here, as it does for eq. So the result is the same on instances that ignore case and on those that
    # don't.
    text = _text(value)
    return bool(text) and normal_name(str(wanted)) in normal_name(text)


def _equal(field: Field, value: Any, wanted: Any) -> bool:
    if isinstance(value, Reference) and isinstance(wanted, Reference):
        return bool(value.same(wanted))
    if isinstance(value, Attachment) and isinstance(wanted, Attachment):
        return value.uuid == wanted.uuid
    faces = type_of(field)
    # The service filters by the status of today, although a plan takes an overdue case for a borrowed case.
    is_exact = faces.is_list or faces.changed_by_time
    return bool(value == wanted) if is_exact else faces.equal(value, wanted, field)


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        # A renter: its type and its name.
        return _text(value[-1])
    if isinstance(value, Reference):
        return value.display_name or value.uuid or str(value.id)
    if value is None or isinstance(value, Unread):
        return ""
    return value.isoformat() if isinstance(value, dt.date) else str(value)


def _rank_of(field: Field, record: Record) -> tuple[Any, ...]:
    return _rank(_value(record, field))


def _rank(value: Any) -> tuple[Any, ...]:
    """Return a sort key for every value: nothing first, then numbers, ids and instants, then texts."""
    if value is None or value == ():
        return ()
    if isinstance(value, (bool, int, float, Decimal)):
        return (False, value)
    if isinstance(value, Reference) and value.id is not None:
        return (False, value.id)
    return (False, value.timestamp()) if isinstance(value, dt.datetime) else (True, _text(value))
