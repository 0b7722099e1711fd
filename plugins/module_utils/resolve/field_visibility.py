# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the current account sees: a role may hide fields, and access may be limited to locations.

A missing key is not null. Some instances send the keys of empty fields, others leave them out. If an answer has the key
of an empty field, a field whose key no record has is certainly hidden. Otherwise a filter may show that the service
finds records by a value that none of them shows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..client.client import Client
from ..client.query import Condition
from ..client.record import Record
from ..errors import InvalidInput, PermissionMissing, SeventhingsError
from ..model.field import EMPTY, Field
from ..model.kinds import SERVER_KEYS, TEMPLATE_KINDS, Kind
from ..model.schema import Schema, type_of

#: The reason why unlisted records may exist.
LIMITED = "this account may be limited to locations"


def perhaps_hidden(kind: Kind) -> str:
    """Say why a missing record may exist, or return an empty text if nothing is known to hide records of its kind."""
    if not kind.can_be_archived:
        return ""
    return f" ({LIMITED})" if kind.barcode_path else f" (no list shows an archived {kind.words})"


def unreadable(uuid: str) -> str:
    """Say that a new record can't be read, although the service answered its uuid."""
    return f"but the service does not show {uuid} to this account ({LIMITED})"


def perhaps_not_deleted(kind: Kind) -> str:
    """Warn about a record that is absent as desired because nothing finds it.

    The warning names no record, so that Ansible prints it once for any number of tasks.
    """
    return f"{kind.singular.capitalize()} that should be absent and is not found may be hidden: {LIMITED}."


#: The type of a field that exists according to the user, although nothing defines it.
_ANY = "ANY"


def hidden_field_message(key: str) -> str:
    """Return the message that a field is hidden."""
    return f"this account does not see the field {key} (a role may hide fields)"


def maybe_hidden_message(key: str) -> str:
    """Return the message that a field may be hidden, or empty in every record."""
    return f"no record has the field {key}: it is empty in all of them, or this account does not see it"


def unlisted(record: Record) -> str:
    """Say why an active record that was found by its barcode may be in no list."""
    return (
        f"The {record.kind.words} {record.uuid} is not archived, and no list shows it: it was created just now, or "
        f"{LIMITED}."
    )


def may_be_lost(kind: Kind, keys: Iterable[str]) -> str:
    """Return the warning about a change that sets all fields at once, if some fields may be hidden or empty."""
    return (
        f"A change of {kind.singular} sets all fields at once, and nothing shows whether this account sees "
        f"{', '.join(keys)} (a role may hide fields, and this instance leaves out what is empty): a value that it "
        "does not see is lost."
    )


def field_visibility_by(
    client: Client,
    schema: Schema,
    records: Sequence[Record],
    read: Mapping[str, Sequence[Record]],
    keys: Iterable[str] | None = None,
) -> FieldVisibility:
    """Return the visible fields of a kind whose own records cannot show which fields are hidden.

    The kind has no records, or they only have keys that somebody filled. The records of another kind show it. If none
    were read, this takes one request.

    :param records: the records of the kind that were read.
    :param read: all records that were read, by the name of their kind.
    :param keys: the fields that matter, as for :func:`field_visibility_of`.
    """
    # A catalog item has the fields of objects, and its answers contain only the keys that somebody filled.
    witness = TEMPLATE_KINDS[schema.kind.template] if schema.kind.key_prefix else schema.kind
    try:
        witnesses = read.get(witness.name) or client.sample(witness)
    except PermissionMissing:
        witnesses = ()
    if witness is schema.kind:
        return field_visibility_of(client, schema, witnesses, keys)
    return with_more_evidence(
        client, schema, field_visibility_of(client, client.schema(witness), witnesses).for_items(schema, records), keys
    )


def field_visibility_of(
    client: Client, schema: Schema, records: Sequence[Record], keys: Iterable[str] | None = None
) -> FieldVisibility:
    """Return what the account sees of a kind, with everything that the instance shows.

    Nothing is requested if the records show it.

    :param records: that were read. :param keys: the fields that matter, all by default; only these are filtered for.
    """
    visibility = FieldVisibility.from_records(schema, records)
    if not (visibility.unproven if keys is None else visibility.unproven.intersection(keys)):
        return visibility
    return with_more_evidence(
        client, schema, FieldVisibility.from_records(schema, [*records, *client.sample(schema.kind)]), keys
    )


def with_more_evidence(
    client: Client, schema: Schema, visibility: FieldVisibility, keys: Iterable[str] | None = None
) -> FieldVisibility:
    """Return a result that is certain about more fields if the instance shows more; see :func:`field_visibility_of`."""
    unproven = sorted(visibility.unproven.intersection(keys or ()))
    withheld = {key for key in unproven if _is_withheld(client, visibility.kind, schema.fields[key])}
    return replace(visibility, hidden=visibility.hidden | withheld)


def _writable_fields(schema: Schema) -> list[Field]:
    """Return the fields whose missing keys prove something: the writable fields."""
    fields = schema.fields.values()
    return [
        field for field in fields if field.key not in SERVER_KEYS and field.type != _ANY and type_of(field).writable
    ]


def sends_empty_members(schema: Schema, records: Sequence[Record]) -> bool:
    """Return True if records have the keys of empty fields."""
    wires = [field.wire_key for field in _writable_fields(schema)]
    return any(wire in record.flat and record.flat[wire] in EMPTY for record in records for wire in wires)


#: The shape of a type to the filter that finds records with a value, and to its opposite.
#:
#: Values of other types prove nothing: 0 and false may be left out like empty values.
_COMPARED: dict[str, tuple[str, str, Any]] = {
    "boolean": ("eq", "neq", True),
    "date": ("gt", "lte", "1000-01-01"),
    "datetime": ("gt", "lte", "1000-01-01 00:00:00"),
    "decimal": ("gt", "lte", 0),
    "integer": ("gt", "lte", 0),
    "reference": ("gt", "lte", 0),
}


def _is_withheld(client: Client, kind: Kind, field: Field) -> bool:
    """Return True if the service finds records by a value of a field that none of them shows.

    An instance that ignores such a filter also finds the same records by the opposite filter.
    """
    if kind.filters != "query":
        return False
    key, compared = field.wire_key, _COMPARED.get(type_of(field).shape)
    if compared is None:
        filled, empty = Condition(key, "not_empty"), Condition(key, "empty")
    else:
        filled, empty = (Condition(key, operator, compared[2:]) for operator in compared[:2])
    found = client.found_by(kind, filled)
    if not found or any(key in record.flat for record in found):
        return False
    others = client.found_by(kind, empty)
    return others is not None and {record.uuid for record in found}.isdisjoint(record.uuid for record in others)


def keys_in_none(fields: Iterable[Field], records: Iterable[Record]) -> set[str]:
    """Return the keys of the fields that none of the records has, or nothing without records."""
    wires: dict[str, str] | None = None
    for record in records:
        if wires is None:
            wires = {field.wire_key: field.key for field in fields}
        wires = {wire: key for wire, key in wires.items() if wire not in record.flat}
        if not wires:
            break
    return set((wires or {}).values())


@dataclass(frozen=True)
class FieldVisibility:
    """The fields of a kind of record that are missing in answers.

    :ivar missing: keys of fields that no record has.
    :ivar hidden: the keys among them that are certainly hidden.
    """

    kind: Kind
    missing: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()
    _mandatory: frozenset[str] = frozenset()

    @cached_property
    def unproven(self) -> frozenset[str]:
        """Return the keys of the missing fields that may be empty or hidden."""
        return self.missing - self.hidden

    @classmethod
    def from_records(cls, schema: Schema, records: Sequence[Record]) -> FieldVisibility:
        """Create the result for some answers.

        :param schema: the present fields of the instance, without fields that are still to be created.
        """
        if not schema.kind.has_own_fields or schema.kind.key_prefix:
            return cls(schema.kind)
        fields = _writable_fields(schema)
        missing = keys_in_none(fields, records)
        if not missing:
            return cls(schema.kind)
        hidden = missing if sends_empty_members(schema, records) else set()
        must_be = {field.key for field in fields if field.mandatory or field.unique}
        return cls(schema.kind, frozenset(missing), frozenset(hidden), frozenset(missing & must_be))

    def for_items(self, schema: Schema, records: Sequence[Record]) -> FieldVisibility:
        """Return the result of a witness kind for the records of another kind.

        :param records: some records of the other kind; a field that one of them has is not hidden there.
        """
        hidden_keys = keys_in_none(schema.fields.values(), records) if records else set(schema.fields)
        return FieldVisibility(
            schema.kind, self.missing & hidden_keys, self.hidden & hidden_keys, self._mandatory & hidden_keys
        )

    def unidentifying(self, keys: Collection[str]) -> list[str]:
        """Return the fields of a natural key by which no record can be found, because they are hidden."""
        return [key for key in keys if key in self._unidentifying]

    @cached_property
    def _unidentifying(self) -> frozenset[str]:
        """Return the fields by which no record can be found.

        Sometimes a hidden field looks like an empty field. Then a field that no record has counts as hidden if it must
        have a value, and if records would otherwise have no name or be in no place.
        """
        nameless = set(self.kind.labels) if set(self.kind.labels) <= self.missing else set()
        return self.hidden | self._mandatory | ({self.kind.parent_key} & self.missing) | nameless

    def check_written(self, keys: Iterable[str], place: str = "{}", consequence: str = "") -> None:
        """Refuse hidden fields that are written or looked up: no record would seem to match.

        :param place: where they are written; braces stand for the key.
        :param consequence: what is not possible without them, as the end of a sentence.
        :raises InvalidInput: with a line for each.
        """
        why = {key: hidden_field_message(key) for key in keys if key in self.hidden} if self.hidden else {}
        if why:
            raise InvalidInput([f"{place.format(key)}: {words}{consequence}" for key, words in why.items()])

    def check_identifies(self, keys: Collection[str]) -> None:
        """Refuse a hidden natural key: existing records would be created again.

        :raises InvalidInput: with a line for each field.
        """
        wrong = [f"{key}: {identifies(self.kind, key)}" for key in self.unidentifying(keys)]
        if wrong:
            raise InvalidInput(wrong)


def identifies(kind: Kind, key: str) -> str:
    """Return the message that a field of a natural key is hidden."""
    return f"{hidden_field_message(key)}, and {kind.plural} are identified by it here"


def why_unfound(
    kind: Kind, keys: Iterable[str], records: Sequence[Record], written: Any, schema: Schema | None = None
) -> str:
    """Return why a reference finds nothing if the names of records are hidden; empty if they are not.

    :param keys: the fields that it may name.
    :param records: the searched records.
    :param schema: set if fields besides those of the natural key may be hidden, too.
    """
    named = list(keys)
    missing = keys_in_none(kind.identity, records)
    unnamed = [key for key in named if key in missing]
    hidden = (
        FieldVisibility.from_records(Schema(kind, kind.identity), records).unidentifying(unnamed) if unnamed else []
    )
    others = FieldVisibility.from_records(schema, records).hidden.intersection(named) - set(hidden) if schema else ()
    why = "; ".join(
        [*(identifies(kind, key) for key in sorted(hidden)), *(hidden_field_message(key) for key in sorted(others))]
    )
    return f"no {kind.words} {written!r} can be seen: {why}" if why else ""


def check_kept(schema: Schema, values: Mapping[str, Any], record: Record) -> None:
    """Check that a record has the written values when it is read back.

    If empty keys are left out, a hidden field may look empty.

    :param values: canonical values that were written.
    :raises SeventhingsError: if a field with a value is missing.
    """
    lost = unkept(schema, values, record)
    if lost:
        raise SeventhingsError(not_kept(schema.kind, lost, record.uuid))


def unkept(schema: Schema, values: Mapping[str, Any], record: Record) -> list[str]:
    """Return the written fields that are missing from a record when it is read back, although it has other fields."""
    if not schema.kind.has_own_fields or not any(field.wire_key in record.flat for field in schema.fields.values()):
        return []
    fields = [schema.fields[key] for key, value in values.items() if value not in EMPTY]
    return [field.key for field in fields if field.type != _ANY and field.wire_key not in record.flat]


def not_kept(kind: Kind, keys: Iterable[str], uuid: str) -> str:
    """Return the message that written fields are hidden from the account."""
    problems = "; ".join(f"{key}: {hidden_field_message(key)}" for key in keys)
    return f"The {kind.words} {uuid} was written, but what was written is not in it when it is read back: {problems}."
