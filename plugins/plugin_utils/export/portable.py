# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert the records of one instance to plain data that means the same on every instance."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.errors import Ambiguous, InvalidInput, NotFound, WrongContent
from ...module_utils.model.field import Field, InvalidValue, Plain, Unread, in_digits, shorten
from ...module_utils.model.kinds import SERVER_KEYS, USER, Kind, maps_in
from ...module_utils.model.schema import Schema, type_of
from ...module_utils.model.types_links import Attachment, Reference, attachments_in, parse_reference, references_in
from ...module_utils.resolve.references import is_text_renter, renter_of
from ..desired.dialect import is_ambiguous_amount
from ..desired.words import names_of
from ..set_plan.listed_state import ListedState
from .downloads import Downloads
from .writing import Incomplete

#: Marks of a template. Files of a desired state reject them, because they are plain data.
TEMPLATE_MARKS = ("{{", "{%", "{#")

#: A part of a value of any field.
_PART = Field("", "ANY")

#: The items of lists that are written one by one. Other lists are written as they are shown.
_ITEMS = (Reference, Attachment, bool, int, float, str, Decimal, dt.date)

HALF = re.compile(r"[\ud800-\udfff]")


class NotPortable(Exception):
    """Raised if a value cannot be written in a file with the same meaning. The message says why."""


def name_in_files(schema: Schema, field: Field) -> str:
    """Return the name of a field in files; empty if files can't name it."""
    return next((name for name in names_of(schema, field) if _is_writable(name)), "")


def _is_writable(name: str) -> bool:
    try:
        check_texts(name)
    except NotPortable:
        return False
    return True


class Portable:
    """Convert the records of one instance to plain data.

    :ivar is_stale: True if a record was left out after it had been named, so that everything must be written again.
    :param on_left_out: called with what was left out, and why.
    """

    def __init__(self, state: ListedState, downloads: Downloads, on_left_out: Callable[[str], None]) -> None:
        self._state = state
        self._downloads = downloads
        self._on_left_out = on_left_out
        self._names: dict[tuple[str, str], Any] = {}
        self._left_out: set[tuple[str, str]] = set()
        self.is_stale = False
        self._field_names: dict[tuple[str, str], str] = {}

    def begin(self) -> None:
        """Start to write all records, for the first time or again.

        From now on, no record refers to the records that are left out so far.
        """
        self.is_stale = False
        self._downloads.paths.clear()

    def leave_out(self, kind: str, uuid: str) -> None:
        """Leave out a record. No other record refers to it."""
        self._left_out.add((kind, uuid))
        self.is_stale |= self._names.pop((kind, uuid), None) is not None

    def is_left_out(self, kind: str, uuid: str) -> bool:
        """Return True if no file will have a record."""
        return (kind, uuid) in self._left_out

    def record(
        self, schema: Schema, fields: Iterable[Field], values: Mapping[str, Any], location: str
    ) -> dict[str, Any] | None:
        """Return the fields of one record with a value, or None if a mandatory field cannot be written.

        :param fields: the fields in their order.
        :param values: canonical values by field key.
        :param location: name of the record in messages.
        """
        written: dict[str, Any] = {}
        files: list[Attachment] = []
        for field in fields:
            value = values.get(field.key)
            if value in (None, (), {}, "") or type_of(field).computed:
                if why := why_not_empty(schema.kind, field.key):
                    self._on_left_out(f"{location}: {why}")
                    written = Incomplete(written)
                continue
            name = self._name_of_field(schema, field)
            try:
                if not name:
                    raise NotPortable("files can't name this field")
                check_read(value)
                if type_of(field).merge is not None:
                    found = self._parts(schema, field, name, value, f"{location}: {name}")
                else:
                    found = self._proved(schema, field, name, value)
            except NotPortable as reason:
                called = name or field.key
                if field.mandatory:
                    self._on_left_out(f"{location}: left out, because its {called} can't be written: {reason}")
                    return None
                self._on_left_out(f"{location}: {called}: {reason}")
                written = Incomplete(written)
            else:
                files += attachments_in(value)
                if found != {}:
                    written[name] = found
        self._downloads.keep(files)
        return written

    def is_location_of(self, room: Any, location: Any) -> bool:
        """Return True if the files name a room that is in a location."""
        if not isinstance(room, Reference) or not isinstance(location, Reference):
            return False
        inside, beside = self._state.find(room), self._state.find(location)
        if inside is None or beside is None or self.is_left_out(inside.kind.name, inside.uuid):
            return False
        place = self._state.place_of(inside)
        return place is not None and place.uuid == beside.uuid

    def _name_of_field(self, schema: Schema, field: Field) -> str:
        key = (schema.kind.name, field.key)
        if key not in self._field_names:
            self._field_names[key] = name_in_files(schema, field)
        return self._field_names[key]

    def _parts(
        self, schema: Schema, field: Field, name: str, value: Mapping[str, Any], location: str
    ) -> dict[str, Any]:
        """Return all writable parts of a map.

        Unwritten parts of a map stay unchanged, so a map with only some of its parts would plan no change.
        """
        written: dict[str, Any] = {}
        for part in sorted(value):
            try:
                written |= self._proved(schema, field, name, {part: value[part]})
            except NotPortable as reason:
                self._on_left_out(f"{location}: {part}: {reason}")
        return written

    def _proved(self, schema: Schema, field: Field, name: str, value: Any) -> Any:
        """Return a value as written, after reading it again like the loader and the planner."""
        written = self.checked(field, value)
        parsed, findings = schema.parse({name: written}, "")
        if findings.errors or findings.unknown:
            raise NotPortable(findings.errors[0] if findings.errors else findings.unknown[0])
        is_linked = any(references_in((value, parsed[field.key]))) or any(attachments_in(value))
        if not is_linked and not schema.equal(field.key, parsed[field.key], value):
            raise NotPortable("what would be written would be read as another value")
        return written

    def checked(self, field: Field, value: Any) -> Any:
        """Return one canonical value as plain data that the loader accepts."""
        written = self.value(field, value)
        check_texts(written)
        return written

    def value(self, field: Field, value: Any) -> Any:
        """Return one canonical value as plain data.

        Numbers and dates are :class:`Plain`, so that they have no quotes.
        """
        if isinstance(value, Reference):
            return self._reference(value)
        if isinstance(value, Attachment):
            return self._attachment(value)
        in_files = type_of(field).in_files
        if in_files is not None:
            parts = self._renter(value) if is_text_renter(value) else value
            return in_files(parts, lambda part: self.value(_PART, part))
        if isinstance(value, tuple) and all(isinstance(item, _ITEMS) for item in value):
            items = [self.value(field, item) for item in value]
            # Links are sets: instances return them in any order.
            return sorted(items, key=str) if isinstance(value[0], (Reference, Attachment)) else items
        written = plain(field, value)
        # Tables reject an amount with exactly three digits after its separator.
        return Plain(f"{written}0") if is_ambiguous_amount(field, str(written)) else written

    def words(self, field: Field, value: Any) -> Any:
        """Return a value of a natural key for messages and for sorting."""
        try:
            return self.value(field, value)
        except NotPortable:
            return ""

    # ---- links

    def _renter(self, value: tuple[str, Any]) -> tuple[str, Any]:
        """Return a renter that an instance returned only as a text: the user with this name, or the text."""
        try:
            return renter_of(value[1], self._state.records(USER))
        except Ambiguous as ambiguous:
            raise NotPortable(ambiguous.message) from ambiguous

    def _attachment(self, attachment: Attachment) -> Any:
        try:
            check_texts(self._downloads.name_of(attachment))
            return self._downloads.written(attachment)
        except (InvalidInput, NotFound, NotPortable, WrongContent) as wrong:
            raise NotPortable(f"the file {attachment.uuid} can't be exported: {wrong}") from wrong

    def _reference(self, reference: Reference) -> Any:
        record = self._state.find(reference)
        key = (reference.target, str(reference.uuid) if record is None else record.uuid)
        if key in self._left_out:
            raise NotPortable(f"the {reference.target} {key[1]} is left out")
        if record is None:
            mark = reference.uuid or reference.id
            raise NotPortable(f"the {reference.target} {mark} is in no list (archived or deleted)")
        if key not in self._names:
            self._names[key] = self._name(record)
        if self._names[key] is None:
            raise NotPortable(f"the {reference.target} {record.uuid} has no natural key of its own")
        return self._names[key]

    def _name(self, record: Record) -> Any:
        """Return the shortest natural key that finds a record again, or None."""
        for written in self._ways_to_name(record):
            if self._leads_to(written, record):
                return written
        return None

    def _leads_to(self, written: Any, record: Record) -> bool:
        kind = record.kind.name
        try:
            reference: Reference = parse_reference(kind)(written, Field(kind, "LINKED"))
        except InvalidValue:
            return False
        target, problem = self._state.resolved(reference)
        return not problem and target.uuid == record.uuid

    def _ways_to_name(self, record: Record) -> Iterable[Any]:
        name = self._state.name_of(record)
        if name:
            yield name
        parent_key = record.kind.parent_key
        if not parent_key:
            return
        values = Schema(record.kind, record.kind.identity).read(record.flat)
        reference = values.get(parent_key)
        parent = self._state.find(reference) if isinstance(reference, Reference) else None
        parent_name = self._state.name_of(parent) if parent else None
        own = record.kind.labels
        if parent_name:
            for keys in (*((key,) for key in own), own):
                if all(values.get(key) for key in keys):
                    yield {parent_key: parent_name, **{key: values[key] for key in keys}}


def why_not_empty(kind: Kind, key: str) -> str:
    """Say why a field of a record is never empty. Return an empty text if it may be empty."""
    mandatory = (field.key for field in kind.fields if field.mandatory)
    is_never_empty = key in kind.never_empty or key in mandatory
    return f"the service returns no {key}, but every {kind.words} has one" if is_never_empty else ""


def check_read(value: Any) -> None:
    """Check that the shape of an answered value is known.

    :raises NotPortable: if the shape is unknown.
    """
    if isinstance(value, Unread):
        raise NotPortable(f"no file can contain the value that the service returns: {shorten(value.raw)}")


def check_texts(written: Any) -> None:
    """Find texts that the loader rejects, at any depth.

    :raises NotPortable: if there is one.
    """
    if isinstance(written, str):
        if any(mark in written for mark in TEMPLATE_MARKS):
            raise NotPortable("it looks like a template, and files contain no templates")
        if HALF.search(written):
            raise NotPortable("it contains half a character, which is not valid Unicode")
        if "\x00" in written:
            raise NotPortable("it contains a NUL character, which is not text")
    elif isinstance(written, Mapping):
        check_texts([*written, *written.values()])
    elif isinstance(written, list):
        for item in written:
            check_texts(item)


def plain(field: Field, value: Any) -> Any:
    """Return a single canonical value as a file has it."""
    if isinstance(value, bool):
        return value
    if isinstance(value, dt.datetime):
        # Instances return the same instant in different zones. Write it in UTC everywhere.
        return Plain(value.astimezone(dt.UTC).isoformat(timespec="seconds"))
    if isinstance(value, dt.date):
        return Plain(value.isoformat())
    if isinstance(value, Decimal):
        return Plain(_digits(value, field.fraction_digits or 0))
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return Plain(_digits(Decimal(repr(value)), 0))
    if isinstance(value, str):
        check_texts(value)
        return value
    shown = type_of(field).show(value)
    if shown is value:
        raise NotPortable(f"{value!r} is not a value that a file can contain")
    return shown


def _digits(value: Decimal, fraction_digits: int) -> str:
    """Return a number without an exponent, with the digits of its field if exact, else as few as possible."""
    if not value.is_finite():
        raise NotPortable(f"{value} is not a number")
    return in_digits(value, fraction_digits)


def writable_fields(schema: Schema, definitions: Iterable[Mapping[str, Any]] = ()) -> list[Field]:
    """Return the writable fields in an order that is the same on every instance.

    Fields that identify a record come first, then those that name it, then all others by name.
    """
    mine = [field for field in _kept_fields(schema, definitions) if type_of(field).writable]
    if not schema.kind.has_own_fields:
        return mine
    kind = schema.kind
    first = [key for keys in kind.match_on for key in keys]
    order = list(dict.fromkeys([*first, *(field.key for field in kind.fields), *kind.labels, *kind.names]))
    places = {key: number for number, key in enumerate(order)}
    return sorted(mine, key=lambda field: (places.get(field.key, len(places)), name_in_files(schema, field), field.key))


def unwritable_fields(schema: Schema, definitions: Iterable[Mapping[str, Any]]) -> list[Field]:
    """Return the fields of a template that users may have filled, and that no export contains."""
    kept = _kept_fields(schema, definitions) if schema.kind.template else []
    return [field for field in kept if not type_of(field).writable and not type_of(field).computed]


def _kept_fields(schema: Schema, definitions: Iterable[Mapping[str, Any]]) -> list[Field]:
    """Return the fields whose values stay until somebody changes them."""
    volatile = {
        str(raw.get("field_key"))
        for raw in definitions
        if any(
            attribute.get("type") == "generated" and attribute.get("value") == "on_update"
            for attribute in maps_in(raw.get("attributes"))
        )
    }
    return [field for field in schema.fields.values() if field.key not in SERVER_KEYS and field.key not in volatile]
