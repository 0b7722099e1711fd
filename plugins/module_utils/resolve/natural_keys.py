# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Natural keys: how a record is identified, and when two keys are equal. No requests are made here.

Clients cannot choose ids in the service, so a record is found by its natural key. One hit is the record, none means
that it does not exist, and several are an error that names all of them: never "the first one".

Keys are compared by :func:`normal_name`. If several records have equal keys, a text means the record that has exactly
this text.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from ..client.query import Condition, Link
from ..client.record import Record
from ..errors import Ambiguous, InvalidInput, SeventhingsError
from ..model.field import Unread, shorten
from ..model.kinds import KINDS, TEMPLATE_KINDS, Kind
from ..model.names import forms_of, normal_address, normal_name
from ..model.schema import Schema, field_from_definition, type_of
from ..model.types_links import Reference

#: A natural key in its form for lookups: a value, or a tuple of the values of several fields.
Key = Hashable

_IDENTITIES = {kind.name: Schema(kind, kind.identity) for kind in KINDS.values()}


def identity_of(kind: Kind) -> Schema:
    """Return the fields by which others refer to a record of a kind."""
    return _IDENTITIES[kind.name]


def key_fields(kind: Kind, match_on: Sequence[str] | None, written: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the fields that identify a record: ``match_on`` of the user, else the kind's default.

    :raises InvalidInput: if one of them was not written or is empty.
    """
    if match_on is not None and not match_on:
        raise InvalidInput("match_on: expected at least one field key")
    keys = tuple(match_on) if match_on else default_key(kind, written)
    missing = [key for key in keys if written.get(key) in (None, "", ())]
    if missing:
        raise InvalidInput(
            f"{'match_on: ' if match_on else ''}{', '.join(missing)} must have a value, because {kind.singular} is "
            f"identified by {' and '.join(keys)}"
        )
    return keys


def default_key(kind: Kind, written: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the first natural key of a kind whose last field was written."""
    # Later keys apply only if all earlier keys are absent. They are never a second attempt.
    for keys in kind.match_on:
        if written.get(keys[-1]) is not None:
            return keys
    return kind.match_on[-1]


def identifying_fields(schema: Schema, match_on: Iterable[str]) -> frozenset[str]:
    """Return the keys of all fields that may be part of a natural key.

    :param match_on: names of fields that identify a record besides the kind's own.
    """
    chosen = [schema.find(name) for name in match_on]
    own = {key for keys in schema.kind.match_on for key in keys}
    return frozenset(own.union(field.key for field in chosen if field is not None))


def conditions(schema: Schema, keys: Iterable[str], desired: Mapping[str, Any]) -> list[Condition]:
    """Return the conditions that narrow a list down to the candidates. Every candidate is compared again."""
    values = narrowing(schema, keys, desired)
    texts = [key for key in values if not isinstance(values[key], Link)]
    return [by_any_of(schema.fields[key].wire_key, spellings(values[key])) for key in texts or values]


def spellings(value: Any) -> tuple[Any, ...]:
    """Return the values that a service may have stored for a value in a filter."""
    return forms_of(value) if isinstance(value, str) else (value,)


def by_any_of(field: str, values: Sequence[Any]) -> Condition:
    """Return the condition that a field has one of the values. Either all values are links or none is."""
    operator = "eq" if len(values) == 1 else "in"
    if isinstance(values[0], Link):
        return Condition.on_links(field, operator, values)
    return Condition(field, operator, tuple(values))


def narrowing(schema: Schema, keys: Iterable[str], desired: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields by which the service can narrow a list, with their values: texts first, then links."""
    if schema.kind.case_blind:
        return {}
    wanted = list(keys)
    texts = {key: desired[key] for key in wanted if type_of(schema.fields[key]).names and desired[key] is not None}
    links = {key: desired[key] for key in wanted if isinstance(desired[key], Reference)}
    return texts | {key: Link(link.id, link.uuid) for key, link in links.items() if link.id is not None}


# ---- equality: pair by pair, and as keys of an index


def identified(
    schema: Schema, keys: Iterable[str], desired: Mapping[str, Any], records: Iterable[Record]
) -> list[Record]:
    """Return the records with the desired natural key: exactly as written, else in another Unicode form.

    :raises SeventhingsError: if a record can't be compared, so that it may be the desired record.
    """
    wanted = {key: _normal(schema.kind, key, desired[key]) for key in keys}
    found = [record for record in records if _is_identified(schema, wanted, record)]
    if len(found) < 2 or schema.kind.case_blind:
        return found
    texts = {key: desired[key] for key in wanted if isinstance(desired[key], str)}
    return [record for record in found if read_some(schema, texts, record) == texts] or found


def _is_identified(schema: Schema, wanted: Mapping[str, Any], record: Record) -> bool:
    current = read_some(schema, wanted, record)
    unread = [key for key, value in current.items() if isinstance(value, Unread)]
    is_equal = all(
        schema.equal(key, value, _normal(schema.kind, key, current[key]))
        for key, value in wanted.items()
        if key not in unread
    )
    if is_equal and unread:
        raise _unreadable(record, unread[0], current[unread[0]])
    return is_equal


def _unreadable(record: Record, key: str, value: Unread) -> SeventhingsError:
    kind = record.kind
    return SeventhingsError(
        f"The {kind.words} {record.uuid or record.id} has the {key} {shorten(value.raw)}, which can't be read, so "
        f"it may or may not be the {kind.words} that you mean. Nothing is decided from it."
    )


def _normal(kind: Kind, key: str, value: Any) -> Any:
    """Return a part of a natural key in the form in which it is compared."""
    if not isinstance(value, str):
        return value
    return normal_address(value) if ignores_case(kind, [key]) else normal_name(value)


def ignores_case(kind: Kind, keys: Iterable[str]) -> bool:
    """Return True if all fields of a natural key are compared without case."""
    return kind.case_blind and all((key,) in kind.match_on for key in keys)


def key_of(
    schema: Schema, keys: Iterable[str], values: Mapping[str, Any], mark: Callable[[Reference], Any]
) -> Key | None:
    """Return the natural key of some values in a form for lookups, or None if a part of it is missing or unresolved.

    It is exact. :class:`KeyIndex` finds equal keys, too.

    :param mark: returns the identifier of a reference, or None if it is unresolved.
    """
    parts = []
    for key in keys:
        part = _part(schema, key, values.get(key), mark)
        if part is None:
            return None
        parts.append(part)
    # Most keys have one part, and a tuple around it would take as much memory as the part.
    return parts[0] if len(parts) == 1 else tuple(parts)


def keyed(
    schema: Schema, keys: Sequence[str], records: Iterable[Record], mark: Callable[[Reference], Any]
) -> Iterator[tuple[Key | None, Record]]:
    """Yield records, each after its natural key as returned by :func:`key_of`.

    :raises SeventhingsError: if a natural key can't be read.
    """
    field = schema.fields[keys[0]]
    faces = type_of(field)
    # Most kinds are identified by one text, which is its own key. Lists of them are long.
    is_plain = len(keys) == 1 and faces.is_text and faces.same_as is None and not schema.kind.case_blind
    for record in records:
        raw = record.flat.get(field.wire_key) if is_plain else None
        if raw and raw.__class__ is str:
            yield raw, record
        else:
            values = read_some(schema, keys, record)
            for key, value in values.items():
                if isinstance(value, Unread):
                    raise _unreadable(record, key, value)
            yield key_of(schema, keys, values, mark), record


def _part(schema: Schema, key: str, value: Any, mark: Callable[[Reference], Any]) -> Any:
    # Most values are texts, and there are a great many of them.
    if value.__class__ is not str:
        if isinstance(value, Reference):
            return mark(value)
        if value is None or value == ():
            return None
        if isinstance(value, tuple):
            parts = [_part(schema, key, item, mark) for item in value]
            return None if None in parts else tuple(sorted(set(map(str, parts))))
        if isinstance(value, (list, Mapping)):
            # No field of a natural key has such a type, but a service may answer anything.
            return repr(value)
    field = schema.fields.get(key)
    same_as = type_of(field).same_as if field else None
    if same_as and field:
        return same_as(value, field)
    return normal_address(value) if isinstance(value, str) and ignores_case(schema.kind, [key]) else value


def normal_key(key: Key) -> Key:
    """Return a natural key in the form that is equal for all equal keys."""
    if isinstance(key, str):
        return normal_name(key)
    return tuple(map(normal_key, key)) if isinstance(key, tuple) else key


def has_one_form(key: Key) -> bool:
    """Return True if a natural key is known to be equal in all Unicode forms, as most keys are."""
    return isinstance(key, str) and key.isascii()


Item = TypeVar("Item")


class KeyIndex(Generic[Item]):
    """Find items by their natural keys: those with exactly this key, else those with an equal key."""

    def __init__(self, pairs: Iterable[tuple[Key | None, Item]] = ()) -> None:
        # Most keys have one item, and a list around it would take more memory than the item itself.
        self._exact: dict[Key, Item | list[Item]] = {}
        self._others: dict[Key, list[Item]] = {}
        for key, item in pairs:
            if key is not None:
                self.add(key, item)

    def add(self, key: Key, item: Item) -> None:
        """Add an item. The same item may have the same key twice."""
        first = self._exact.setdefault(key, item)
        if isinstance(first, list):
            first.append(item)
        elif first is not item:
            self._exact[key] = [first, item]
        if not has_one_form(key) and (normal := normal_key(key)) != key:
            self._others.setdefault(normal, []).append(item)

    def find(self, key: Key) -> list[Item]:
        """Return the items with a natural key."""
        found = self.exact(key)
        if found or (not self._others and has_one_form(key)):
            return found
        normal = normal_key(key)
        return [*self.exact(normal), *self._others.get(normal, ())]

    def exact(self, key: Key) -> list[Item]:
        """Return the items with a natural key in the same Unicode form."""
        found = self._exact.get(key)
        return [] if found is None else found if isinstance(found, list) else [found]


def read_some(schema: Schema, keys: Iterable[str], record: Record) -> dict[str, Any]:
    """Return some fields of a record as canonical values. Reading all of them is too slow for very many records."""
    values = {}
    for key in keys:
        field = schema.fields[key]
        raw, faces = record.flat.get(field.wire_key), type_of(field)
        # "true" would be a name that no record has.
        values[key] = Unread(raw) if raw is True and faces.is_text else faces.read(raw, field)
    return values


def written_names(record: Record, place_of: Callable[[Reference], Record | None] = lambda _place: None) -> list[str]:
    """Return the texts by which others may refer to a record.

    If it is inside another record, they include the parent's name.

    :param place_of: returns the parent that a reference means.
    """
    kind = record.kind
    values = identity_of(kind).read(record.flat)
    labels = [label for key in kind.labels if isinstance(label := values.get(key), str)]
    inside = parent_of(record)
    place = None if inside is None else place_of(inside)
    heads = written_names(place) if place is not None else []
    return [f"{heads[0]}/{label}" if heads else label for label in labels]


def parent_of(record: Record) -> Reference | None:
    """Return the record that a record is inside, or None."""
    inside = identity_of(record.kind).read(record.flat).get(record.kind.parent_key)
    return inside if isinstance(inside, Reference) else None


def values_in_use(
    definition: Record,
    template: str,
    values: Iterable[Any],
    listed: Callable[[Kind, Sequence[Condition]], Iterable[Record]],
) -> list[Any]:
    """Return the given values that records have in a field. No list shows archived records.

    :param definition: of the field, in this template.
    :param listed: lists the records of a kind, or at least those that match some conditions.
    """
    wanted, kind, field = list(values), TEMPLATE_KINDS[template], field_from_definition(definition.flat)
    narrowed = [Condition(field.key, "in", tuple(wanted))] if kind.filters == "query" else []
    have = [type_of(field).read(record.flat.get(field.wire_key), field) for record in listed(kind, narrowed)]
    return [value for value in wanted if value in have]


def only_record(kind: Kind, words: str, hits: Sequence[Record], advice: str = "") -> Record | None:
    """Return the only record, or None. Raise :class:`Ambiguous` with names of the records if there are several.

    The names are e-mail addresses if all of them differ, else uuids.

    :param advice: what to do about it.
    """
    if len(hits) > 1:
        emails = {normal_address(email) for record in hits if isinstance(email := record.flat.get("email"), str)}
        names = emails if len(emails) == len(hits) else [record.uuid or str(record.id) for record in hits]
        todo = f"; {advice}" if advice else ""
        todo += f"; a {kind.status_key} may select one" if kind.status_key else ""
        raise Ambiguous(
            f"{len(hits)} {kind.plural} have {words}: {', '.join(sorted(names))}. Expected exactly one{todo}."
        )
    return hits[0] if hits else None


def targets_by_status(
    kind: Kind, hits: Sequence[Record], status: str | None, as_wanted: Callable[[Record], bool], absent: bool = False
) -> list[Record]:
    """Return the possible targets among records with one natural key, as far as their status decides.

    Open records win. If all are finished and a finished status is wanted, a record that needs no change is the target.

    :param status: the wanted status, if any.
    :param as_wanted: returns True if a record needs no change.
    :param absent: True if the target will be deleted. Then all records with the written status, if any, count.
    """
    if not kind.open_status:
        return list(hits)
    if absent:
        # If the open one were meant, the next run would delete a finished one.
        return [record for record in hits if status in (None, record.flat.get(kind.status_key))]
    still_open = [record for record in hits if record.flat.get(kind.status_key) == kind.open_status]
    if still_open or len(hits) < 2 or status in (None, kind.open_status):
        return still_open or list(hits)
    return sorted(filter(as_wanted, hits), key=lambda record: record.uuid)[:1] or list(hits)


def describe(schema: Schema, keys: Iterable[str], desired: Mapping[str, Any]) -> str:
    """Return a natural key in words, such as ``barcode '0001234'``."""
    return " and ".join(f"{key} {schema.brief(key, desired[key])!r}" for key in keys)


def path_splits(path: str) -> Iterator[tuple[str, str]]:
    """Yield every way to read ``A/B/C`` as place and room: (A, B/C), (A/B, C)."""
    for position, letter in enumerate(path):
        if letter == "/" and path[:position].strip() and path[position + 1 :].strip():
            yield path[:position], path[position + 1 :]
